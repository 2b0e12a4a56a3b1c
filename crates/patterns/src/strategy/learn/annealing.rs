//! Simulated annealing of a decision list.

use rand::{RngExt as _, seq::IndexedRandom as _};

use super::evaluation::Correction;
use super::{Candidate, Clause, Key, Learner, List, Literal, QUANTITIES, ROLES, Rc, Rule};

impl Learner<'_> {
    /// One round of simulated annealing from a temperature to a tenth of it; the best list found.
    pub(super) fn anneal<E>(
        &mut self,
        mut here: Candidate,
        temperature: f64,
        progress: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<Candidate, E> {
        let mut best = here.clone();
        let steps = self.params.steps;
        for step in 0..steps {
            if step % 256 == 0 {
                progress(step)?;
            }
            let temperature = temperature * 0.1_f64.powf(step as f64 / steps as f64);
            let limit = here.loss - temperature * (1.0 - self.rng.random::<f64>()).ln();
            if let Some(next) = self.step(&here, limit) {
                here = next;
                if here.loss < best.loss {
                    best = here.clone();
                }
            }
        }
        Ok(best)
    }

    /// A random neighbor whose loss is at most `limit`, if the change that is tried gives one.
    fn step(&mut self, here: &Candidate, limit: f64) -> Option<Candidate> {
        let correction = here.evaluation.corrections.choose(&mut self.rng).copied();
        let correction = correction.filter(|_| self.rng.random());
        let n = correction.map_or(1, |_| self.params.tries);
        let changes = (0..n).filter_map(|_| {
            let list = self.changed(&here.list, correction)?;
            let is_made = |correction: Correction| {
                let mut moves = list
                    .iter()
                    .map(|own| own.moves_of(correction.position, &self.features));
                correction.is_one_of(moves.find(|own| *own != 0).unwrap_or(0))
            };
            correction.is_none_or(is_made).then_some(())?;
            let policy = here.policy.changed(&here.list, &list, &self.features);
            Some((here.evaluation.bound(&policy.moves), list, policy))
        });
        let (_, list, policy) = changes.min_by_key(|(bound, _, _)| *bound)?;
        let evaluation = if policy.moves == here.policy.moves {
            here.evaluation.clone()
        } else {
            self.tried += 1;
            let known = Some(&here.evaluation);
            let is_allowed = |cost| self.loss(cost, &list) <= limit;
            self.graph.evaluate(&policy.moves, known, &is_allowed)?
        };
        let loss = self.loss(evaluation.cost(), &list);
        (loss <= limit).then_some(Candidate {
            list,
            policy,
            evaluation,
            loss,
        })
    }

    /// A random change, for a correction's move to be allowed if one is given.
    pub(super) fn changed(&mut self, list: &List, correction: Option<Correction>) -> Option<List> {
        let mut list = list.clone();
        let n = list.len();
        let last = correction.map_or(n, |correction| {
            let applies =
                |clause: &Rc<Clause>| clause.moves_of(correction.position, &self.features) != 0;
            list.iter().position(applies).map_or(n, |first| first + 1)
        });
        let at = self.rng.random_range(0..last);
        match self.rng.random_range(0..12) {
            0 => {
                (n > 1).then_some(())?;
                list.remove(at);
            }
            1 => {
                let clause = list.remove(at);
                list.insert(self.rng.random_range(0..n), clause);
            }
            kind => {
                let is_new = kind < 4;
                (!is_new || n < self.params.max_rules).then_some(())?;
                let mut rule = list[at].rule.clone();
                if is_new && self.rng.random() {
                    rule = Rule::default();
                    rule.role = *ROLES.choose(&mut self.rng)?;
                    let n = self.rng.random_range(1..=self.params.max_conditions);
                    for _ in 0..n {
                        self.add_condition(&mut rule, correction)?;
                    }
                    let n = self.rng.random_range(0..=2);
                    for _ in 0..n {
                        self.add_key(&mut rule);
                    }
                } else {
                    self.change(&mut rule, correction)?;
                    if self.rng.random_bool(if is_new { 0.5 } else { 0.25 }) {
                        self.change(&mut rule, correction)?;
                    }
                }
                let clause = Clause::new(rule);
                if is_new {
                    list.insert(at, clause);
                } else {
                    list[at] = clause;
                }
            }
        }
        Some(list)
    }

    fn change(&mut self, rule: &mut Rule, correction: Option<Correction>) -> Option<()> {
        let n_conditions = rule.before.len() + rule.after.len();
        let n_keys = rule.prefer.len();
        match self.rng.random_range(0..16) {
            0 => rule.role = *ROLES.choose(&mut self.rng)?,
            1 | 2 => self.remove_condition(rule)?,
            3..=5 => {
                (n_conditions < self.params.max_conditions).then_some(())?;
                self.add_condition(rule, correction)?;
            }
            6..=8 => {
                self.remove_condition(rule)?;
                self.add_condition(rule, correction)?;
            }
            9 => self.remove_key(rule)?,
            10..=12 => {
                (n_keys < self.params.max_keys).then_some(())?;
                self.add_key(rule);
            }
            13 | 14 => {
                self.remove_key(rule)?;
                self.add_key(rule);
            }
            _ => {
                let at = (n_keys > 1).then(|| self.rng.random_range(1..n_keys))?;
                rule.prefer.swap(at - 1, at);
            }
        }
        Some(())
    }

    fn remove_condition(&mut self, rule: &mut Rule) -> Option<()> {
        let n = rule.before.len() + rule.after.len();
        let at = (n > 0).then(|| self.rng.random_range(0..n))?;
        match at.checked_sub(rule.before.len()) {
            Some(after) => rule.after.remove(after),
            None => rule.before.remove(at),
        };
        Some(())
    }

    /// Adds a random condition that the correction's move satisfies, if one is given.
    fn add_condition(&mut self, rule: &mut Rule, correction: Option<Correction>) -> Option<()> {
        let fits =
            |own: &&Literal| correction.is_none_or(|correction| correction.is_among(&own.moves));
        let literals: Vec<&Literal> = self.literals.iter().filter(fits).collect();
        let literal = literals.choose(&mut self.rng)?;
        let own = rule.conditions(literal.after);
        own.push(literal.condition.clone());
        Some(())
    }

    fn remove_key(&mut self, rule: &mut Rule) -> Option<()> {
        let n = rule.prefer.len();
        let at = (n > 0).then(|| self.rng.random_range(0..n))?;
        rule.prefer.remove(at);
        Some(())
    }

    /// Adds a random key at a random place; one with the same quantity goes.
    fn add_key(&mut self, rule: &mut Rule) {
        let key = Key {
            quantity: QUANTITIES.choose(&mut self.rng).expect("there are some"),
            more: self.rng.random(),
        };
        rule.prefer
            .retain(|own| own.quantity.name != key.quantity.name);
        let at = self.rng.random_range(0..=rule.prefer.len());
        rule.prefer.insert(at, key);
    }
}
