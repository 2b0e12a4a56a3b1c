//! Exhaustive verification of a strategy: whether it wins every position of a small endgame for the
//! stronger side against every defense.
//!
//! A strategy is a policy that may allow several moves; a [`TieBreak`] selects one. All positions with
//! White to move are searched, with all replies.
//!
//! # Source
//! Morales 1992, section 7.3: "following every possible path of a starting position [...] checked
//! for loops, captures or stalemates". Here every position is settled once, by
//! [backward induction](crate::backward_induction) over the [reply graph](crate::reply_graph).
//!
//! # Examples
//! ```
//! use kibitz_board::{Chess, Position};
//! use kibitz_search::verification::{Choice, Scope, TieBreak, Verification};
//!
//! // Any move at all: with luck it mates, with none it never does.
//! let any = |position: &Chess| {
//!     let moves = position.legal_moves().into_iter().collect();
//!     Some(Choice { rule: 0, moves, preferred: Vec::new() })
//! };
//! let verification =
//!     Verification::new(&"KRvK".parse()?, Scope::UpToSymmetry, &any, &mut |_, _| {})?;
//! assert_eq!(verification.outcomes(TieBreak::Angelic).summary().longest, 16);
//! assert!(!verification.outcomes(TieBreak::Adversarial).summary().is_won());
//! # Ok::<(), kibitz_search::verification::Fault>(())
//! ```

mod line;
mod outcomes;

use kibitz_board::{Chess, Endgame, Move, Position as _};

use crate::reply_graph::ReplyGraph;
pub use crate::reply_graph::{Progress, Scope};
pub use line::Line;
pub use outcomes::{Failure, Outcome, Outcomes, Summary};

/// A policy for White, the stronger side.
pub trait Strategy {
    /// The moves that the first rule to apply allows, with White to move; `None` if no rule applies.
    ///
    /// # Errors
    /// The strategy cannot decide on them.
    fn choose(&self, position: &Chess) -> Result<Option<Choice>, Fault>;
}

/// Why a strategy cannot decide on a move.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

impl<F: Fn(&Chess) -> Option<Choice>> Strategy for F {
    fn choose(&self, position: &Chess) -> Result<Option<Choice>, Fault> {
        Ok(self(position))
    }
}

/// The moves that a strategy allows in a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The rule, from 0.
    pub rule: usize,
    /// The moves, at least one.
    pub moves: Vec<Move>,
    /// For each preference that the strategy knows, the place in `moves` of the move it prefers.
    pub preferred: Vec<usize>,
}

/// Which of the allowed moves is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// The best one: an upper bound for any other way to choose.
    Angelic,
    /// The worst one: the strategy wins only if every allowed move does.
    Adversarial,
    /// The one that the strategy's preference of this number takes.
    Preferred(usize),
}

/// A strategy in every position with White to move, as a reply graph.
#[derive(Debug)]
pub struct Verification {
    graph: ReplyGraph,
    /// The rule that applies in each position with White to move; [`NO_RULE`] where none does.
    rules: Vec<u16>,
    /// For each preference the node after the preferred move in each position with White to move;
    /// [`NONE`] where no rule applies. Empty if none ever does: no choice tells how many there are.
    preferred: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;

const NO_RULE: u16 = u16::MAX;

impl Verification {
    /// Asks the strategy about every position.
    ///
    /// A move that leaves the endgame, by capture or promotion, is judged by perfect play from there.
    /// [`ReplyGraph::memory_bound`] says how much memory this takes.
    ///
    /// # Errors
    /// The strategy's own.
    ///
    /// # Panics
    /// If the strategy has more than 65,535 rules, or allows no move, one that is illegal, or one twice.
    pub fn new(
        endgame: &Endgame,
        scope: Scope,
        strategy: &impl Strategy,
        progress: Progress<'_>,
    ) -> Result<Verification, Fault> {
        let mut rules = Vec::new();
        // Indices of the positions after preferred moves, and these moves where they lead elsewhere.
        let mut preferred: Vec<Vec<u32>> = Vec::new();
        let mut outside: Vec<(usize, usize, Move)> = Vec::new();
        let policy = |position: &Chess| {
            let Some(choice) = strategy.choose(position)? else {
                rules.push(NO_RULE);
                for places in &mut preferred {
                    places.push(NONE);
                }
                return Ok::<_, Fault>(Vec::new());
            };
            assert!(!choice.moves.is_empty(), "a rule allows a move");
            preferred.resize_with(choice.preferred.len(), || vec![NONE; rules.len()]);
            for (number, place) in choice.preferred.iter().enumerate() {
                let m = choice.moves[*place];
                let mut next = position.clone();
                next.play_unchecked(m);
                let index = scope.index_of(endgame, &next);
                if index.is_none() {
                    outside.push((number, rules.len(), m));
                }
                let index = index.map(|index| u32::try_from(index).expect("an index of 32 bits"));
                preferred[number].push(index.unwrap_or(NONE));
            }
            let rule = u16::try_from(choice.rule).ok();
            let rule = rule.filter(|rule| *rule != NO_RULE);
            rules.push(rule.expect("at most 65,535 rules"));
            Ok(choice.moves)
        };
        let graph = ReplyGraph::new(endgame, scope, policy, progress)?;
        for place in preferred
            .iter_mut()
            .flatten()
            .filter(|place| **place != NONE)
        {
            *place = graph.node_at(*place);
        }
        for (number, node, m) in outside {
            preferred[number][node] = graph.node_after(&graph.position(node), m);
        }
        Ok(Verification {
            graph,
            rules,
            preferred,
        })
    }

    /// Moves that the strategy allows in all positions together.
    pub fn n_allowed(&self) -> usize {
        let nodes = 0..self.graph.n_white();
        nodes.map(|node| self.graph.out_degree(node)).sum()
    }

    /// The nodes after the moves of a preference; none if no rule ever applies.
    ///
    /// # Panics
    /// If rules apply, and the strategy has no preference of this number.
    fn preferred_nodes(&self, number: usize) -> &[u32] {
        if self.preferred.is_empty() && self.rules.iter().all(|rule| *rule == NO_RULE) {
            return &[];
        }
        &self.preferred[number]
    }

    /// The endgame.
    pub fn endgame(&self) -> &Endgame {
        self.graph.endgame()
    }

    /// Number of positions in which no rule applies.
    pub fn n_without_rule(&self) -> usize {
        self.rules.iter().filter(|rule| **rule == NO_RULE).count()
    }

    /// Every position with White to move, with the rule that applies.
    pub fn positions(&self) -> impl Iterator<Item = (Chess, Option<usize>)> {
        (0..)
            .zip(self.rules())
            .map(|(node, rule)| (self.graph.position(node), rule))
    }

    /// The rules alone, in the order of [`Verification::positions`].
    pub fn rules(&self) -> impl Iterator<Item = Option<usize>> {
        let rules = self.rules.iter().copied();
        rules.map(|rule| (rule != NO_RULE).then_some(usize::from(rule)))
    }
}

#[cfg(test)]
mod tests;
