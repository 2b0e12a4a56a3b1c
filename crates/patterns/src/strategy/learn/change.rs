//! Changes of a list at random.

use rand::{RngExt as _, seq::IndexedRandom as _};

use super::judge::Wrong;
use super::{Clause, Key, Learner, List, Literal, QUANTITIES, ROLES, Rc, Rule, Tried};

impl Learner<'_> {
    /// Changes at random, of which those that do harm are taken less and less often; the best list.
    pub(super) fn anneal<E>(
        &mut self,
        mut here: Tried,
        heat: f64,
        progress: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<Tried, E> {
        let mut best = here.clone();
        let steps = self.params.steps;
        for step in 0..steps {
            if step % 256 == 0 {
                progress(step)?;
            }
            let heat = heat * 0.1_f64.powf(step as f64 / steps as f64);
            let limit = here.loss - heat * (1.0 - self.rng.random::<f64>()).ln();
            if let Some(next) = self.step(&here, limit) {
                here = next;
                if here.loss < best.loss {
                    best = here.clone();
                }
            }
        }
        Ok(best)
    }

    /// A list with a change, if there is no more loss than this with it.
    fn step(&mut self, here: &Tried, limit: f64) -> Option<Tried> {
        let wrong = here.judgement.wrong.choose(&mut self.rng).copied();
        let wrong = wrong.filter(|_| self.rng.random());
        let n = wrong.map_or(1, |_| self.params.tries);
        let changes = (0..n).filter_map(|_| {
            let list = self.changed(&here.list, wrong)?;
            let is_made = |wrong: Wrong| {
                let mut moves = list
                    .iter()
                    .map(|own| own.moves_of(wrong.position, &self.truths));
                wrong.is_one_of(moves.find(|own| *own != 0).unwrap_or(0))
            };
            wrong.is_none_or(is_made).then_some(())?;
            let choice = here.choice.changed(&here.list, &list, &self.truths);
            Some((here.judgement.bound(&choice.moves), list, choice))
        });
        let (_, list, choice) = changes.min_by_key(|(bound, _, _)| *bound)?;
        let judgement = if choice.moves == here.choice.moves {
            here.judgement.clone()
        } else {
            self.tried += 1;
            let known = Some(&here.judgement);
            let is_allowed = |cost| self.loss(cost, &list) <= limit;
            self.arena.judge(&choice.moves, known, &is_allowed)?
        };
        let loss = self.loss(judgement.cost(), &list);
        (loss <= limit).then_some(Tried {
            list,
            choice,
            judgement,
            loss,
        })
    }

    /// A change, to have a winning move made if there is one given.
    pub(super) fn changed(&mut self, list: &List, wrong: Option<Wrong>) -> Option<List> {
        let mut list = list.clone();
        let n = list.len();
        let last = wrong.map_or(n, |wrong| {
            let applies = |clause: &Rc<Clause>| clause.moves_of(wrong.position, &self.truths) != 0;
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
                        self.add_condition(&mut rule, wrong)?;
                    }
                    let n = self.rng.random_range(0..=2);
                    for _ in 0..n {
                        self.add_key(&mut rule);
                    }
                } else {
                    self.change(&mut rule, wrong)?;
                    if self.rng.random_bool(if is_new { 0.5 } else { 0.25 }) {
                        self.change(&mut rule, wrong)?;
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

    fn change(&mut self, rule: &mut Rule, wrong: Option<Wrong>) -> Option<()> {
        let n_conditions = rule.before.len() + rule.after.len();
        let n_keys = rule.prefer.len();
        match self.rng.random_range(0..16) {
            0 => rule.role = *ROLES.choose(&mut self.rng)?,
            1 | 2 => self.remove_condition(rule)?,
            3..=5 => {
                (n_conditions < self.params.max_conditions).then_some(())?;
                self.add_condition(rule, wrong)?;
            }
            6..=8 => {
                self.remove_condition(rule)?;
                self.add_condition(rule, wrong)?;
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

    /// One that the winning move satisfies.
    fn add_condition(&mut self, rule: &mut Rule, wrong: Option<Wrong>) -> Option<()> {
        let fits = |own: &&Literal| wrong.is_none_or(|wrong| wrong.is_among(&own.moves));
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

    /// Anywhere, in the place of one with the same quantity.
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
