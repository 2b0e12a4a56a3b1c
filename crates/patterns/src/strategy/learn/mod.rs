//! Ordered rules learned from what comes of them.
//!
//! A list of rules is changed at random, one or two things at a time: rules, their order, the piece
//! that moves, conditions, and what a rule prefers. Changes are taken by simulated annealing. What
//! is to be lowered is the number of positions in which a move has to be put right so that every
//! allowed move wins everywhere, found from the mates backwards; further the moves to the mate, and
//! the size of the list. Half the changes are made for such a position: to the rule that applies
//! there, or one before it, by conditions that a winning move satisfies, and of several the one is
//! tried by which the fewest positions are left by what is known to win already.
//!
//! After two rounds of that exceptions are put in, each found by a beam search from a position to be
//! put right, until there is none left or none that helps; then the list is changed further, at less
//! heat, by which it gets shorter again and faster. At last goes what the list does as well without.

mod arena;
mod change;
mod choice;
mod cover;
mod judge;

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use kibitz_board::{Endgame, Role};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::definitions::Definitions;
use super::truths::{Moves, Truths};
use super::{BUILT_IN, CHANGES, Concept, Condition, FURTHER, Key, QUANTITIES, Rule};
use arena::Arena;
use choice::Choice;
use judge::{Cost, Judgement};

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
    /// Changes that are tried in each of five rounds.
    pub steps: usize,
    /// Changes that are weighed where one is made for a position to be put right, and width of the
    /// beam in which exceptions are found.
    pub tries: usize,
    /// The loss at which a change is taken with a probability of 1/e in the beginning of the first
    /// round; it falls to a tenth, and less harm is taken in later rounds. The loss is the logarithm
    /// of the positions to be put right, and what follows.
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
///
/// # Errors
/// Those of `progress`, which ends the learning so.
pub fn learn<E>(
    endgame: &Endgame,
    params: LearnParams,
    progress: &mut dyn FnMut(usize, usize) -> Result<(), E>,
) -> Result<LearnedRules, E> {
    let arena = Arena::new(endgame);
    let mut learner = Learner::new(&arena, params);
    let mut best = learner.start();
    let mut told = |done| progress(done, HEATS.len() * params.steps);
    for (round, part) in HEATS.iter().enumerate() {
        let done = round * params.steps;
        if round > 1 {
            best = learner.cover(best, &mut || told(done))?;
        }
        best = learner.anneal(best, part * params.heat, &mut |step| told(done + step))?;
    }
    let best = learner.cover(best, &mut || told(HEATS.len() * params.steps))?;
    let best = learner.simplified(best);
    let rules = (1..).zip(&best.list).map(|(n, clause)| Rule {
        name: format!("R{n}"),
        ..clause.rule.clone()
    });
    Ok(LearnedRules {
        rules: rules.collect(),
        won: arena.n_positions() - best.judgement.open,
        longest: best.judgement.longest,
        tried: learner.tried,
    })
}

/// The heat of each round of changes, as a part of that of the first. Exceptions are put in before
/// all but the first two.
const HEATS: [f64; 5] = [1.0, 0.5, 0.1, 0.1, 0.1];

/// The pieces that a rule can be about.
const ROLES: [Option<Role>; 3] = [None, Some(Role::King), Some(Role::Rook)];

/// A rule with the moves that it allows, once they are wanted in every position.
struct Clause {
    rule: Rule,
    moves: OnceCell<Moves>,
}

impl Clause {
    fn new(rule: Rule) -> Rc<Clause> {
        let moves = OnceCell::new();
        Rc::new(Clause { rule, moves })
    }

    fn moves(&self, truths: &Truths) -> &Moves {
        self.moves.get_or_init(|| truths.known_moves(&self.rule))
    }

    /// The moves of one position.
    fn moves_of(&self, position: usize, truths: &Truths) -> u64 {
        self.moves.get().map_or_else(
            || truths.known_moves_of(&self.rule, position),
            |moves| moves[position],
        )
    }
}

type List = Vec<Rc<Clause>>;

/// A list that was judged.
#[derive(Clone)]
struct Tried {
    list: List,
    choice: Choice,
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
        for quantity in QUANTITIES {
            truths.measure(quantity);
        }
        for role in ROLES {
            truths.of_role(role);
        }
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
        self.judged(vec![Clause::new(Rule::default())], None)
    }

    /// `known` is a list that is nearly the same.
    fn judged(&self, list: List, known: Option<&Tried>) -> Tried {
        let choice = match known {
            Some(known) => known.choice.changed(&known.list, &list, &self.truths),
            None => Choice::none(self.arena.positions.len()).changed(&[], &list, &self.truths),
        };
        let known = known.map(|known| &known.judgement);
        let judgement = self.arena.judge(&choice.moves, known, &|_| true);
        let judgement = judgement.expect("any cost is allowed");
        Tried {
            loss: self.loss(judgement.cost(), &list),
            list,
            choice,
            judgement,
        }
    }

    fn loss(&self, cost: Cost, list: &List) -> f64 {
        let parts = |rule: &Rule| 1 + rule.before.len() + rule.after.len() + rule.prefer.len();
        let size: usize = list.iter().map(|own| parts(&own.rule)).sum();
        (cost.wrong as f64).ln_1p()
            + self.params.average * cost.average
            + self.params.longest * f64::from(cost.longest)
            + self.params.size * size as f64
    }

    /// The list without the rules, conditions and quantities that it does as well without.
    fn simplified(&mut self, mut best: Tried) -> Tried {
        let mut at = 0;
        while at < best.list.len() {
            let shorter = shorter(&best.list[at].rule).into_iter().map(Some);
            let next = shorter.chain([None]).find_map(|rule| {
                let mut list = best.list.clone();
                match rule {
                    Some(rule) => list[at] = Clause::new(rule),
                    None if list.len() > 1 => drop(list.remove(at)),
                    None => return None,
                }
                let next = self.judged(list, Some(&best));
                (next.loss < best.loss).then_some(next)
            });
            match next {
                Some(next) => best = next,
                None => at += 1,
            }
        }
        best
    }
}

/// A rule without one of its conditions or quantities.
fn shorter(rule: &Rule) -> Vec<Rule> {
    let n = [rule.before.len(), rule.after.len(), rule.prefer.len()];
    let parts = (0..3).flat_map(|part| (0..n[part]).map(move |at| (part, at)));
    let without = |(part, at)| {
        let mut rule = rule.clone();
        match part {
            0 => drop(rule.before.remove(at)),
            1 => drop(rule.after.remove(at)),
            _ => _ = rule.prefer.remove(at),
        }
        rule
    };
    parts.map(without).collect()
}

/// Every condition of a concept built in, before and after a move, that says something new.
fn literals(truths: &mut Truths) -> Vec<Literal> {
    let all = truths.of_role(None).clone();
    let mut found: Vec<Literal> = Vec::new();
    for concept in BUILT_IN.iter().chain(CHANGES).chain(FURTHER) {
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
    use std::collections::BTreeMap;
    use std::convert::Infallible;
    use std::sync::LazyLock;

    use kibitz_board::Position as _;
    use kibitz_search::verification::{Scope, TieBreak, Verification};
    use proptest::prelude::*;
    use rand::seq::IndexedRandom as _;

    use super::*;
    use crate::strategy::RuleStrategy;
    use crate::strategy::truths::moves_of;

    const PARAMS: LearnParams = LearnParams {
        max_rules: 4,
        max_conditions: 3,
        max_keys: 3,
        steps: 20,
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
        let again = || learn(&endgame(), PARAMS, &mut |_, _| Ok::<_, Infallible>(())).unwrap();
        let learned = again();
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
        assert_eq!(again().text("learned", &endgame()), text);
    }

    static ARENA: LazyLock<Arena> = LazyLock::new(|| Arena::new(&endgame()));

    /// The number that an arena gives a position.
    static NUMBERS: LazyLock<BTreeMap<usize, usize>> = LazyLock::new(|| {
        let positions = ARENA.positions.iter().zip(0..);
        let numbers = positions.map(|(position, at)| (endgame().index_of(position).unwrap(), at));
        numbers.collect()
    });

    fn random_list(learner: &mut Learner<'_>) -> Tried {
        let mut list = learner.start().list;
        for _ in 0..60 {
            if let Some(next) = learner.changed(&list, None) {
                list = next;
            }
        }
        learner.judged(list, None)
    }

    /// A game from one of the positions, at random but for the moves that may be chosen: its length
    /// in moves of White if it ends with the mate before the limit.
    fn played(start: usize, chosen: &[u64], limit: u16, rng: &mut ChaCha8Rng) -> Option<u16> {
        let mut position = ARENA.positions[start].clone();
        for length in 1..=limit {
            let at = NUMBERS[&endgame().index_of(&position)?];
            // The one that the arena knows of those alike.
            position = ARENA.positions[at].clone();
            let moves = (moves_of(&position).into_iter().zip(0..))
                .filter(|(_, bit)| chosen[at] >> bit & 1 == 1)
                .collect::<Vec<_>>();
            position.play_unchecked(moves.choose(rng)?.0);
            if position.is_checkmate() {
                return Some(length);
            }
            position.play_unchecked(*position.legal_moves().choose(rng)?);
        }
        None
    }

    /// A list that wins everything, without one of its rules.
    #[test]
    fn an_exception_mends_what_is_left_and_nothing_needless_stays() {
        let text = "strategy \"without a rule\" for KRvK
            rule R1 with move any ensure stale and not k_trap
            rule R2 with move rook ensure l_patt and not threatkR
            rule R4 if threatkR with move rook ensure one_move prefer more edge_distance
            rule R5 if stale with move any prefer more support
            rule R6 with move king ensure not opposition and not corner and not closerkKR
                and one_move prefer less king_distance, less support
            rule R7 with move any ensure one_move and rKk and not closerkKR
            rule R8 with move any ensure not threatkR
                prefer less support, less man_distance, less area, less king_distance,
                    less center_distance";
        let strategy = RuleStrategy::read("test", text).unwrap();
        let params = LearnParams {
            max_rules: 8,
            ..PARAMS
        };
        let mut learner = Learner::new(&ARENA, params);
        let rules = strategy.rules.into_iter();
        let list: List = rules.map(Clause::new).collect();
        let before = learner.judged(list, None);
        let mut progress = || Ok::<_, Infallible>(());
        let after = learner.cover(before.clone(), &mut progress).unwrap();
        assert_eq!(after.list.len(), before.list.len() + 1);
        assert!(after.judgement.wrong.len() < before.judgement.wrong.len());
        let simple = learner.simplified(after.clone());
        assert!(simple.loss <= after.loss);
        assert!(simple.list.len() <= after.list.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        /// Of any list: what is won, against the verification of what is read; that the corrections
        /// suffice, and no fewer of them; and the longest mate with them, against games.
        #[test]
        fn judgements_are_those_of_the_verification_and_of_games(seed in any::<u64>()) {
            let mut learner = Learner::new(&ARENA, LearnParams { seed, ..PARAMS });
            let Tried { list, choice, judgement, .. } = random_list(&mut learner);
            let chosen = choice.moves;
            let rules: Vec<Rule> = (list.iter().zip(1..))
                .map(|(own, n)| Rule { name: format!("R{n}"), ..own.rule.clone() })
                .collect();
            let text = LearnedRules { rules, ..LearnedRules::default() }.text("any", &endgame());
            let strategy = RuleStrategy::read("any", &text).unwrap();
            let verified =
                Verification::new(&endgame(), Scope::All, &strategy, &mut |_, _| {}).unwrap();
            let won = verified.outcomes(TieBreak::Adversarial).summary().won;
            prop_assert_eq!((ARENA.n_positions() - judgement.open) as usize, won);

            let most = judgement.wrong.len();
            prop_assert_eq!(judgement.bound(&chosen), most);
            let judge = |most: usize| ARENA.judge(&chosen, None, &|cost| cost.wrong <= most);
            prop_assert!(judge(most).is_some());
            prop_assert!(most == 0 || judge(most - 1).is_none());
            let mut corrected = chosen;
            for wrong in &judgement.wrong {
                corrected[wrong.position] = 1 << wrong.bit;
            }
            let again = ARENA.judge(&corrected, Some(&judgement), &|cost| cost.wrong == 0).unwrap();
            prop_assert_eq!(again.open, 0);
            for _ in 0..200 {
                let start = learner.rng.random_range(0..corrected.len());
                let length = played(start, &corrected, again.longest, &mut learner.rng);
                prop_assert!(length.is_some(), "no mate from position {start}");
            }
        }

        /// With what is known of a list no more has to be put right than it bounds, in any other; and
        /// what that allows is found from what this does.
        #[test]
        fn bounds_hold(seed in any::<u64>()) {
            let mut learner = Learner::new(&ARENA, LearnParams { seed, ..PARAMS });
            let here = random_list(&mut learner);
            if let Some(list) = learner.changed(&here.list, None) {
                let next = learner.judged(list, Some(&here));
                let none = Choice::none(ARENA.positions.len());
                prop_assert!(none.changed(&[], &next.list, &learner.truths) == next.choice);
                prop_assert!(next.judgement.wrong.len() <= here.judgement.bound(&next.choice.moves));
            }
        }
    }
}
