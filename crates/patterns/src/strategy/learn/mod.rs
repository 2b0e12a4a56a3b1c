//! Ordered rules learned from what comes of them.
//!
//! A list of rules is changed at random, one or two things at a time: rules, their order, the piece
//! that moves, conditions, and what a rule prefers. Changes are taken by simulated annealing. What
//! is to be lowered is the number of positions in which a move has to be put right so that every
//! allowed move wins everywhere, found from the mates backwards; further the moves to the mate, and
//! the size of the list. Half the changes are made for such a position: to the rule that applies
//! there, or one before it, by conditions that a winning move satisfies.

mod arena;

use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use kibitz_board::{Endgame, Role};
use rand::{RngExt as _, SeedableRng as _, seq::IndexedRandom as _};
use rand_chacha::ChaCha8Rng;

use super::definitions::Definitions;
use super::truths::{Moves, Truths, first_of};
use super::{BUILT_IN, CHANGES, Concept, Condition, Key, QUANTITIES, Rule};
use arena::{Arena, Judgement, Wrong};

/// How rules are learned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct LearnParams {
    /// Most rules.
    pub max_rules: usize,
    /// Most conditions of a rule.
    pub max_conditions: usize,
    /// Most quantities that a rule prefers more or less of.
    pub max_keys: usize,
    /// Lists that are learned from the beginning, of which the best is gone on with.
    pub starts: usize,
    /// Changes that are tried of each of them, and as many again of the best for each of them.
    pub steps: usize,
    /// Changes that are weighed where one is made for a position to be put right.
    pub tries: usize,
    /// The loss at which a change is taken with a probability of 1/e in the beginning; it falls to a
    /// tenth. The loss is the logarithm of the positions to be put right, and what follows.
    pub heat: f64,
    /// Loss for each move to the mate from the average position.
    pub average: f64,
    /// Loss for each move of the longest mate.
    pub longest: f64,
    /// Loss for each rule, condition and quantity.
    pub size: f64,
    /// Seed of the order in which changes are tried.
    pub seed: u64,
}

/// What was learned.
#[derive(Clone, Debug, Default)]
pub struct LearnedRules {
    /// The rules, in order.
    pub rules: Vec<Rule>,
    /// Positions that are won whichever of the moves allowed is made.
    pub won: u32,
    /// Moves of the longest mate, if all are won.
    pub longest: u16,
    /// Lists of rules that were judged.
    pub tried: u64,
}

impl LearnedRules {
    /// The rules as a [`RuleStrategy`](super::RuleStrategy) reads them.
    pub fn text(&self, title: &str, endgame: &Endgame) -> String {
        let mut text = format!("strategy \"{title}\" for {endgame}\n");
        for rule in &self.rules {
            let _ = writeln!(text, "{rule}");
        }
        text
    }
}

/// Learns rules that win an endgame of three men that no move of White leaves.
///
/// `progress` is told the changes tried, and how many there will be.
pub fn learn(
    endgame: &Endgame,
    params: LearnParams,
    progress: &mut dyn FnMut(usize, usize),
) -> LearnedRules {
    let arena = Arena::new(endgame);
    let mut learner = Learner::new(&arena, params);
    let all = 2 * params.starts * params.steps;
    let mut best: Option<Tried> = None;
    for start in 0..params.starts {
        let begin = learner.start();
        let mut told = |done| progress(start * params.steps + done, all);
        let found = learner.anneal(begin, params.heat, params.steps, &mut told);
        if best.as_ref().is_none_or(|best| found.loss < best.loss) {
            best = Some(found);
        }
    }
    let begin = best.unwrap_or_else(|| learner.start());
    let mut told = |done| progress(all / 2 + done, all);
    let best = learner.anneal(begin, params.heat / 2.0, all / 2, &mut told);
    let rules = (1..).zip(&best.list).map(|(n, clause)| Rule {
        name: format!("R{n}"),
        ..clause.rule.clone()
    });
    LearnedRules {
        rules: rules.collect(),
        won: arena.n_positions() - best.judgement.open,
        longest: best.judgement.longest,
        tried: learner.tried,
    }
}

/// A rule with the moves that it allows.
struct Clause {
    rule: Rule,
    moves: Moves,
}

type List = Vec<Rc<Clause>>;

/// A list that was judged.
#[derive(Clone)]
struct Tried {
    list: List,
    /// The moves that it allows.
    chosen: Moves,
    judgement: Judgement,
    loss: f64,
}

/// A condition that a rule can have, with the moves that satisfy it.
struct Literal {
    condition: Condition,
    /// Whether it stands behind `ensure`.
    after: bool,
    moves: Moves,
}

struct Learner<'a> {
    arena: &'a Arena,
    truths: Truths,
    literals: Vec<Literal>,
    params: LearnParams,
    rng: ChaCha8Rng,
    tried: u64,
}

impl<'a> Learner<'a> {
    fn new(arena: &'a Arena, params: LearnParams) -> Self {
        let nothing = Definitions::read("", 0).expect("nothing is defined");
        let mut truths = Truths::of(&Arc::new(nothing), arena.positions.iter().cloned());
        Learner {
            arena,
            literals: literals(&mut truths),
            truths,
            params,
            rng: ChaCha8Rng::seed_from_u64(params.seed),
            tried: 0,
        }
    }

    /// The list that allows every move.
    fn start(&mut self) -> Tried {
        let list = vec![self.clause(Rule::default())];
        let chosen = list[0].moves.clone();
        let judgement = self.arena.judge(&chosen, usize::MAX);
        let judgement = judgement.expect("there cannot be more to put right");
        Tried {
            loss: self.loss(&judgement, &list),
            list,
            chosen,
            judgement,
        }
    }

    fn clause(&mut self, rule: Rule) -> Rc<Clause> {
        let moves = self.truths.moves(&rule).expect("all is built in");
        Rc::new(Clause { rule, moves })
    }

    fn loss(&self, judgement: &Judgement, list: &List) -> f64 {
        let parts = |rule: &Rule| 1 + rule.before.len() + rule.after.len() + rule.prefer.len();
        let size: usize = list.iter().map(|own| parts(&own.rule)).sum();
        (judgement.wrong.len() as f64).ln_1p()
            + self.params.average * judgement.average
            + self.params.longest * f64::from(judgement.longest)
            + self.params.size * size as f64
    }

    /// Changes at random, of which those that do harm are taken less and less often; the best list.
    fn anneal(
        &mut self,
        mut here: Tried,
        heat: f64,
        steps: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Tried {
        let mut best = here.clone();
        for step in 0..steps {
            if step % 256 == 0 {
                progress(step);
            }
            let heat = heat * 0.1_f64.powf(step as f64 / steps as f64);
            if step % 500 == 0 { eprintln!("step {step} heat {heat:.4} loss {:.3} wrong {} longest {} avg {:.1} rules {} best {:.3} {}", here.loss, here.judgement.wrong.len(), here.judgement.longest, here.judgement.average, here.list.len(), best.loss, best.judgement.wrong.len()); }
            let limit = here.loss - heat * (1.0 - self.rng.random::<f64>()).ln();
            if let Some(next) = self.step(&here, limit) {
                here = next;
                if here.loss < best.loss {
                    best = here.clone();
                }
            }
        }
        best
    }

    /// A list with a change, if there is no more loss than this with it.
    fn step(&mut self, here: &Tried, limit: f64) -> Option<Tried> {
        let wrong = here.judgement.wrong.choose(&mut self.rng).copied();
        let wrong = wrong.filter(|_| self.rng.random());
        let n = wrong.map_or(1, |_| self.params.tries);
        let changes = (0..n).filter_map(|_| {
            let list = self.changed(&here.list, wrong)?;
            let chosen = first_of(list.iter().map(|own| own.moves.as_slice()));
            wrong
                .is_none_or(|wrong| wrong.is_among(&chosen))
                .then(|| (here.judgement.bound(&chosen), list, chosen))
        });
        let (_, list, chosen) = changes.min_by_key(|(bound, _, _)| *bound)?;
        let judgement = if chosen == here.chosen {
            here.judgement.clone()
        } else {
            self.tried += 1;
            let rest = limit - self.loss(&Judgement::default(), &list);
            self.arena.judge(&chosen, rest.exp_m1().max(0.0) as usize)?
        };
        let loss = self.loss(&judgement, &list);
        (loss <= limit).then_some(Tried {
            list,
            chosen,
            judgement,
            loss,
        })
    }

    /// A change, to have a winning move made if there is one given.
    fn changed(&mut self, list: &List, wrong: Option<Wrong>) -> Option<List> {
        let mut list = list.clone();
        let n = list.len();
        let last = wrong.map_or(n, |wrong| {
            let applies = |clause: &Rc<Clause>| clause.moves[wrong.position] != 0;
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
                    rule.role = *[None, Some(Role::King), Some(Role::Rook)].choose(&mut self.rng)?;
                    let n = self.rng.random_range(1..=self.params.max_conditions);
                    for _ in 0..n { self.add_condition(&mut rule, wrong)?; }
                    let n = self.rng.random_range(0..=2);
                    for _ in 0..n { self.add_key(&mut rule); }
                } else {
                    self.change(&mut rule, wrong)?;
                    if self.rng.random_bool(if is_new { 0.5 } else { 0.25 }) {
                        self.change(&mut rule, wrong)?;
                    }
                }
                let clause = self.clause(rule);
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
            0 => rule.role = *[None, Some(Role::King), Some(Role::Rook)].choose(&mut self.rng)?,
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

/// Every condition of a concept built in, before and after a move, that says something new.
fn literals(truths: &mut Truths) -> Vec<Literal> {
    let all = truths.of_role(None);
    let mut found: Vec<Literal> = Vec::new();
    for concept in BUILT_IN.iter().chain(CHANGES) {
        for (after, positive) in [(false, true), (false, false), (true, true), (true, false)] {
            if !after && concept.is_of_move() {
                continue;
            }
            let concept = Concept::BuiltIn(concept);
            let condition = Condition { concept, positive };
            let mut rule = Rule::default();
            rule.conditions(after).push(condition.clone());
            let moves = truths.moves(&rule).expect("all is built in");
            let says = moves != all && moves.iter().any(|own| *own != 0);
            if says && found.iter().all(|own| own.moves != moves) {
                found.push(Literal {
                    condition,
                    after,
                    moves,
                });
            }
        }
    }
    found
}
