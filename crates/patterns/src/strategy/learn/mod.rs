//! Decision lists learned from perfect play, by simulated annealing and beam search.
//!
//! A decision list is a policy that may allow several moves. Its loss is the logarithm of the number
//! of corrections with which every allowed move wins everywhere, as policy evaluation by backward
//! induction counts them; further the distance to mate, and the size of the list.
//!
//! Simulated annealing changes one or two things at a time: rules, their order, the piece that moves,
//! conditions, and preferences. Half the changes are made for a position that needs a correction: to
//! the rule that applies there, or one before it, by conditions that a winning move satisfies. Of
//! several such changes the one is tried with the fewest corrections by an upper bound.
//!
//! After two rounds exceptions are inserted, each found by a beam search from a position that needs a
//! correction, until there is none or none helps. Further rounds at a lower temperature make the list
//! shorter and faster. Finally parts are removed without which the loss is lower.

mod annealing;
mod evaluation;
mod exceptions;
mod graph;
mod policy;

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use kibitz_board::{Endgame, Role};
use kibitz_text::SourceFile;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::definitions::Definitions;
use super::features::{FeatureIndex, Moves};
use super::{BUILT_IN, CHANGES, Concept, Condition, FURTHER, Key, QUANTITIES, Rule};
use evaluation::{Cost, Evaluation};
use graph::MoveGraph;
use policy::Policy;

/// Parameters of the learner.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct LearnParams {
    /// Maximum number of rules.
    pub max_rules: usize,
    /// Maximum number of conditions of a rule.
    pub max_conditions: usize,
    /// Maximum number of preferences of a rule.
    pub max_keys: usize,
    /// Changes that are tried in each of five rounds.
    pub steps: usize,
    /// Number of changes compared where one is made for a position that needs a correction, and width
    /// of the beam in which exceptions are found.
    pub tries: usize,
    /// Initial temperature of the annealing: the increase of the loss that is accepted with
    /// probability 1/e. It falls to a tenth in each round, and later rounds begin lower. The loss is
    /// the logarithm of one more than the number of corrections, plus the three terms that follow.
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

/// The decision list learned.
#[derive(Clone, Debug, Default)]
pub struct LearnedRules {
    /// The rules, in order.
    pub rules: Vec<Rule>,
    /// Positions that are won whichever of the moves allowed is made.
    pub won: u32,
    /// Moves of the longest mate, if all are won.
    pub longest: u16,
    /// Number of lists that were evaluated.
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

/// Learns a decision list that wins an endgame of three pieces that no move of White leaves.
///
/// `progress` gets the number of changes tried and the number of all changes.
///
/// # Errors
/// Those of `progress`, which ends the learning so.
pub fn learn<E>(
    endgame: &Endgame,
    params: LearnParams,
    progress: &mut dyn FnMut(usize, usize) -> Result<(), E>,
) -> Result<LearnedRules, E> {
    let graph = MoveGraph::new(endgame);
    let mut learner = Learner::new(&graph, params);
    let mut best = learner.start();
    let mut told = |done| progress(done, TEMPERATURES.len() * params.steps);
    for (round, part) in TEMPERATURES.iter().enumerate() {
        let done = round * params.steps;
        if round > 1 {
            best = learner.add_exceptions(best, &mut || told(done))?;
        }
        best = learner.anneal(best, part * params.heat, &mut |step| told(done + step))?;
    }
    let best = learner.add_exceptions(best, &mut || told(TEMPERATURES.len() * params.steps))?;
    let best = learner.simplified(best);
    let rules = (1..).zip(&best.list).map(|(n, clause)| Rule {
        name: format!("R{n}"),
        ..clause.rule.clone()
    });
    Ok(LearnedRules {
        rules: rules.collect(),
        won: graph.n_positions - best.evaluation.n_open,
        longest: best.evaluation.longest,
        tried: learner.tried,
    })
}

/// The initial temperature of each round of annealing, in units of that of the first. Exceptions are
/// inserted before all but the first two.
const TEMPERATURES: [f64; 5] = [1.0, 0.5, 0.1, 0.1, 0.1];

/// The pieces that a rule can move.
const ROLES: [Option<Role>; 3] = [None, Some(Role::King), Some(Role::Rook)];

/// A rule with the moves that it allows in every position, computed when first needed.
struct Clause {
    rule: Rule,
    moves: OnceCell<Moves>,
}

impl Clause {
    fn new(rule: Rule) -> Rc<Clause> {
        let moves = OnceCell::new();
        Rc::new(Clause { rule, moves })
    }

    fn moves(&self, features: &FeatureIndex) -> &Moves {
        self.moves.get_or_init(|| features.known_moves(&self.rule))
    }

    /// The moves of one position.
    fn moves_of(&self, position: usize, features: &FeatureIndex) -> u64 {
        self.moves.get().map_or_else(
            || features.known_moves_of(&self.rule, position),
            |moves| moves[position],
        )
    }
}

type List = Vec<Rc<Clause>>;

/// A list with its policy and evaluation.
#[derive(Clone)]
struct Candidate {
    list: List,
    policy: Policy,
    evaluation: Evaluation,
    loss: f64,
}

/// A literal that a rule can have, with the moves that satisfy it.
struct Literal {
    condition: Condition,
    /// Whether it follows `ensure`.
    after: bool,
    moves: Moves,
}

struct Learner<'a> {
    graph: &'a MoveGraph,
    features: FeatureIndex,
    literals: Vec<Literal>,
    params: LearnParams,
    rng: ChaCha8Rng,
    tried: u64,
}

impl<'a> Learner<'a> {
    fn new(graph: &'a MoveGraph, params: LearnParams) -> Self {
        let nothing = Definitions::read(&SourceFile::new("", ""), 0).expect("nothing is defined");
        let mut features = FeatureIndex::new(&Arc::new(nothing), graph.positions.iter().cloned());
        for quantity in QUANTITIES {
            features.add_quantity(quantity);
        }
        for role in ROLES {
            features.add_role(role);
        }
        Learner {
            graph,
            literals: literals(&mut features),
            features,
            params,
            rng: ChaCha8Rng::seed_from_u64(params.seed),
            tried: 0,
        }
    }

    /// The list that allows every move.
    fn start(&mut self) -> Candidate {
        self.evaluated(vec![Clause::new(Rule::default())], None)
    }

    /// Evaluates a list; `known` is a candidate that is nearly the same.
    fn evaluated(&self, list: List, known: Option<&Candidate>) -> Candidate {
        let policy = match known {
            Some(known) => known.policy.changed(&known.list, &list, &self.features),
            None => Policy::empty(self.graph.positions.len()).changed(&[], &list, &self.features),
        };
        let known = known.map(|known| &known.evaluation);
        let evaluation = self.graph.evaluate(&policy.moves, known, &|_| true);
        let evaluation = evaluation.expect("any cost is allowed");
        Candidate {
            loss: self.loss(evaluation.cost(), &list),
            list,
            policy,
            evaluation,
        }
    }

    fn loss(&self, cost: Cost, list: &List) -> f64 {
        let parts = |rule: &Rule| 1 + rule.before.len() + rule.after.len() + rule.prefer.len();
        let size: usize = list.iter().map(|own| parts(&own.rule)).sum();
        (cost.corrections as f64).ln_1p()
            + self.params.average * cost.average
            + self.params.longest * f64::from(cost.longest)
            + self.params.size * size as f64
    }

    /// Prunes a list of the rules, conditions and quantities without which its loss is lower.
    fn simplified(&mut self, mut best: Candidate) -> Candidate {
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
                let next = self.evaluated(list, Some(&best));
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

/// The rules that lack one condition or quantity of this one.
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

/// Every literal of a concept built in, before and after a move, that some move satisfies, not all do,
/// and that no literal before it is equivalent to.
fn literals(features: &mut FeatureIndex) -> Vec<Literal> {
    let all = features.add_role(None).clone();
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
            let moves = features.moves(&rule).expect("all is built in");
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
    use crate::strategy::features::moves_of;

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
    fn a_learned_list_is_verified_and_read_again() {
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
        assert_eq!(learned.won as usize, summary.n_won);
        assert_eq!(again().text("learned", &endgame()), text);
    }

    static GRAPH: LazyLock<MoveGraph> = LazyLock::new(|| MoveGraph::new(&endgame()));

    /// The numbers of positions in the graph.
    static NUMBERS: LazyLock<BTreeMap<usize, usize>> = LazyLock::new(|| {
        let positions = GRAPH.positions.iter().zip(0..);
        let numbers = positions.map(|(position, at)| (endgame().index_of(position).unwrap(), at));
        numbers.collect()
    });

    fn random_list(learner: &mut Learner<'_>) -> Candidate {
        let mut list = learner.start().list;
        for _ in 0..60 {
            if let Some(next) = learner.changed(&list, None) {
                list = next;
            }
        }
        learner.evaluated(list, None)
    }

    /// A game from one of the positions, at random but for the moves that may be chosen: its length
    /// in moves of White if it ends with the mate before the limit.
    fn played(start: usize, chosen: &[u64], limit: u16, rng: &mut ChaCha8Rng) -> Option<u16> {
        let mut position = GRAPH.positions[start].clone();
        for length in 1..=limit {
            let at = NUMBERS[&endgame().index_of(&position)?];
            // The one of those alike that is in the graph.
            position = GRAPH.positions[at].clone();
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
    fn an_exception_leaves_fewer_corrections_and_pruning_lowers_the_loss() {
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
        let mut learner = Learner::new(&GRAPH, params);
        let rules = strategy.rules.into_iter();
        let list: List = rules.map(Clause::new).collect();
        let before = learner.evaluated(list, None);
        let mut progress = || Ok::<_, Infallible>(());
        let after = learner
            .add_exceptions(before.clone(), &mut progress)
            .unwrap();
        assert_eq!(after.list.len(), before.list.len() + 1);
        assert!(after.evaluation.corrections.len() < before.evaluation.corrections.len());
        let simple = learner.simplified(after.clone());
        assert!(simple.loss <= after.loss);
        assert!(simple.list.len() <= after.list.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        /// Of any list: the positions won, against its verification; that the corrections suffice, and
        /// no fewer of them; and the longest mate with them, against games.
        #[test]
        fn evaluations_are_those_of_the_verification_and_of_games(seed in any::<u64>()) {
            let mut learner = Learner::new(&GRAPH, LearnParams { seed, ..PARAMS });
            let Candidate { list, policy, evaluation, .. } = random_list(&mut learner);
            let chosen = policy.moves;
            let rules: Vec<Rule> = (list.iter().zip(1..))
                .map(|(own, n)| Rule { name: format!("R{n}"), ..own.rule.clone() })
                .collect();
            let text = LearnedRules { rules, ..LearnedRules::default() }.text("any", &endgame());
            let strategy = RuleStrategy::read("any", &text).unwrap();
            let verified =
                Verification::new(&endgame(), Scope::All, &strategy, &mut |_, _| {}).unwrap();
            let won = verified.outcomes(TieBreak::Adversarial).summary().n_won;
            prop_assert_eq!((GRAPH.n_positions - evaluation.n_open) as usize, won);

            let most = evaluation.corrections.len();
            prop_assert_eq!(evaluation.bound(&chosen), most);
            let evaluate = |most: usize| GRAPH.evaluate(&chosen, None, &|cost| cost.corrections <= most);
            prop_assert!(evaluate(most).is_some());
            prop_assert!(most == 0 || evaluate(most - 1).is_none());
            let mut corrected = chosen;
            for own in &evaluation.corrections {
                corrected[own.position] = 1 << own.bit;
            }
            let again = GRAPH.evaluate(&corrected, Some(&evaluation), &|cost| cost.corrections == 0).unwrap();
            prop_assert_eq!(again.n_open, 0);
            for _ in 0..200 {
                let start = learner.rng.random_range(0..corrected.len());
                let length = played(start, &corrected, again.longest, &mut learner.rng);
                prop_assert!(length.is_some(), "no mate from position {start}");
            }
        }

        /// The evaluation of a list bounds the corrections of any other; and the policy of a changed
        /// list is found from that of the list.
        #[test]
        fn bounds_hold(seed in any::<u64>()) {
            let mut learner = Learner::new(&GRAPH, LearnParams { seed, ..PARAMS });
            let here = random_list(&mut learner);
            if let Some(list) = learner.changed(&here.list, None) {
                let next = learner.evaluated(list, Some(&here));
                let none = Policy::empty(GRAPH.positions.len());
                prop_assert!(none.changed(&[], &next.list, &learner.features) == next.policy);
                prop_assert!(next.evaluation.corrections.len() <= here.evaluation.bound(&next.policy.moves));
            }
        }
    }
}
