//! Ordered rules learned from what comes of them.
//!
//! A list of rules is changed at random, one or two things at a time: rules, their order, the piece
//! that moves, conditions, and what a rule prefers. Changes are taken by simulated annealing. What
//! is to be lowered is the number of positions in which a move has to be put right so that every
//! allowed move wins everywhere, found from the mates backwards; further the moves to the mate, and
//! the size of the list. Half the changes are made for such a position: to the rule that applies
//! there, or one before it, by conditions that a winning move satisfies, and of several the one is
//! tried by which the fewest positions are left by what is known to win already. In between
//! exceptions are put before all rules, each found by a beam search from such a position.

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
    /// Changes that are weighed where one is made for a position to be put right, and width of the
    /// beam in which exceptions are found.
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
    let mut best = best.unwrap_or_else(|| learner.start());
    let steps = all / 2 / ROUNDS;
    for round in 0..ROUNDS {
        let begin = learner.cover(best);
        let mut told = |done| progress(all / 2 + round * steps + done, all);
        best = learner.anneal(begin, params.heat / 10.0, steps, &mut told);
    }
    let best = learner.cover(best);
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

/// Times that exceptions are found, and changes are tried after that.
const ROUNDS: usize = 4;

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
        self.judged(list)
    }

    fn judged(&self, list: List) -> Tried {
        let chosen = first_of(list.iter().map(|own| own.moves.as_slice()));
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

    /// Rules put before all others while they put more right than wrong, each found from a position
    /// to be put right by narrowing the rule that allows any move.
    fn cover(&mut self, mut here: Tried) -> Tried {
        let mut misses = 0;
        while here.list.len() < self.params.max_rules && misses < 4 {
            let Some(wrong) = here.judgement.wrong.choose(&mut self.rng).copied() else {
                break;
            };
            let next = self.exception(&here, wrong).map(|rule| {
                let mut list = here.list.clone();
                list.insert(0, self.clause(rule));
                self.judged(list)
            });
            match next {
                Some(next) if next.judgement.wrong.len() < here.judgement.wrong.len() => {
                    here = next;
                    misses = 0;
                }
                _ => misses += 1,
            }
        }
        here
    }

    /// The rule before all others that puts most right, of those that allow a winning move.
    fn exception(&mut self, here: &Tried, wrong: Wrong) -> Option<Rule> {
        let literals: Vec<(Condition, bool)> = (self.literals.iter())
            .filter(|own| wrong.is_among(&own.moves))
            .map(|own| (own.condition.clone(), own.after))
            .collect();
        let mut best = (0, None);
        let mut beam: Vec<Rule> = [None, Some(Role::King), Some(Role::Rook)]
            .map(|role| Rule {
                role,
                ..Rule::default()
            })
            .into();
        for _ in 0..self.params.max_conditions + self.params.max_keys {
            let mut found: Vec<(i64, Rule)> = Vec::new();
            for rule in &beam {
                let mut next = Vec::new();
                let n = rule.before.len() + rule.after.len();
                if rule.prefer.is_empty() && n < self.params.max_conditions {
                    for (condition, after) in &literals {
                        let mut rule = rule.clone();
                        rule.conditions(*after).push(condition.clone());
                        next.push(rule);
                    }
                }
                if rule.prefer.len() < self.params.max_keys {
                    for quantity in QUANTITIES {
                        for more in [false, true] {
                            if rule
                                .prefer
                                .iter()
                                .all(|own| own.quantity.name != quantity.name)
                            {
                                let mut rule = rule.clone();
                                rule.prefer.push(Key { quantity, more });
                                next.push(rule);
                            }
                        }
                    }
                }
                for rule in next {
                    let moves = self.truths.moves(&rule).expect("all is built in");
                    if !wrong.is_among(&moves) {
                        continue;
                    }
                    let (gain, hope) = here.judgement.gain(&here.chosen, &moves);
                    if gain > best.0 {
                        best = (gain, Some(rule.clone()));
                    }
                    if found.iter().all(|(own, _)| *own != hope) {
                        found.push((hope, rule));
                    }
                }
            }
            found.sort_by_key(|(hope, _)| -hope);
            found.truncate(self.params.tries);
            beam = found.into_iter().map(|(_, rule)| rule).collect();
        }
        best.1
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
            self.arena.judge(&chosen, floor(rest.exp_m1()))?
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
                    rule.role =
                        *[None, Some(Role::King), Some(Role::Rook)].choose(&mut self.rng)?;
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

/// The whole part of a number; 0 of one below.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturating is meant"
)]
fn floor(number: f64) -> usize {
    number as usize
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

#[cfg(test)]
mod tests {
    use kibitz_search::verification::{Scope, TieBreak, Verification};

    use super::*;
    use crate::strategy::RuleStrategy;

    const PARAMS: LearnParams = LearnParams {
        max_rules: 4,
        max_conditions: 3,
        max_keys: 3,
        starts: 1,
        steps: 40,
        tries: 2,
        heat: 0.03,
        average: 0.02,
        longest: 0.002,
        size: 0.001,
        seed: 1,
    };

    fn endgame() -> Endgame {
        "KRvK".parse().unwrap()
    }

    #[test]
    fn what_is_learned_is_as_verified_and_as_read_again() {
        let learned = learn(&endgame(), PARAMS, &mut |_, _| {});
        assert!(learned.rules.len() <= PARAMS.max_rules);
        let text = learned.text("learned", &endgame());
        let strategy = RuleStrategy::read("learned", &text).unwrap();
        let read = LearnedRules {
            rules: strategy.rules.clone(),
            ..learned.clone()
        };
        assert_eq!(read.text("learned", &endgame()), text);
        let scope = Scope::All;
        let verified = Verification::new(&endgame(), scope, &strategy, &mut |_, _| {}).unwrap();
        let summary = verified.outcomes(TieBreak::Adversarial).summary();
        assert_eq!(learned.won as usize, summary.won);
        let again = learn(&endgame(), PARAMS, &mut |_, _| {});
        assert_eq!(again.text("learned", &endgame()), text);
    }

    /// Of any list: what is won without corrections, against the verification; and corrections that
    /// suffice.
    #[test]
    fn judgements_are_those_of_the_verification() {
        let arena = Arena::new(&endgame());
        let mut learner = Learner::new(&arena, PARAMS);
        let strategy = RuleStrategy::read("test", "strategy \"test\" for KRvK
            rule R1 with move rook ensure check_mate
            rule R2 with move any ensure not closerkKR and not stale prefer less area, less king_distance");
        let strategy = strategy.unwrap();
        let list = strategy
            .rules
            .iter()
            .map(|rule| learner.clause(rule.clone()))
            .collect();
        let tried = learner.judged(list);
        let verified =
            Verification::new(&endgame(), Scope::All, &strategy, &mut |_, _| {}).unwrap();
        let won = verified.outcomes(TieBreak::Adversarial).summary().won;
        assert_eq!((arena.n_positions() - tried.judgement.open) as usize, won);
        assert_eq!(arena.n_positions(), 175_168);
        assert!(!tried.judgement.wrong.is_empty());
        assert_eq!(
            tried.judgement.bound(&tried.chosen),
            tried.judgement.wrong.len()
        );
        let most = tried.judgement.wrong.len();
        assert!(arena.judge(&tried.chosen, most).is_some());
        assert!(arena.judge(&tried.chosen, most - 1).is_none());
        let mut corrected = tried.chosen.clone();
        for wrong in &tried.judgement.wrong {
            corrected[wrong.position] = 1 << wrong.bit;
        }
        let corrected = arena
            .judge(&corrected, 0)
            .expect("nothing is to be put right");
        assert_eq!(corrected.open, 0);
    }
}
