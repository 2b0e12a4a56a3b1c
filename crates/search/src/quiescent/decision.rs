//! Decisions taken in games, and data sets of their search trees.

use std::sync::Arc;

use kibitz_board::{CastlingMode, Chess, Move, Position};
use kibitz_stats::soft_minimax::{Forest, TreeError, Trees};
use thiserror::Error;

use super::Quiescent;

/// Decisions whose trees are built together: few enough that even large trees of the literal
/// expansion take little memory in addition to the budget.
const DECISIONS_PER_CHUNK: usize = 4;

/// A move that somebody chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The position before the move.
    pub position: Chess,
    /// The move.
    pub played: Move,
    /// The game it was played in, by a number of the caller's choice: the unit by which decisions
    /// are selected and resampled.
    pub group: u32,
}

/// A decision of a [`WeightedQuiescent`](super::WeightedQuiescent), with its search tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedDecision {
    /// The tree alone.
    pub(super) forest: Forest,
    pub(super) chosen: usize,
    pub(super) group: u32,
}

/// Why there are no trees for some decisions.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DecisionError {
    /// A recorded move is not legal in its position.
    #[error("decision {decision}: {uci} is not a legal move")]
    IllegalMove {
        /// Position of the decision in the data set, counting from 0.
        decision: usize,
        /// The move, in UCI notation.
        uci: String,
    },
    /// A tree could not be built.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl Quiescent {
    /// The trees of a data set of decisions, in order, as many of them stored as fit `budget`
    /// bytes; see [`Trees`]. Trees are built in parallel.
    ///
    /// In addition to the budget, the decisions take about a hundred bytes each, and a few trees are in
    /// construction at any time.
    ///
    /// # Errors
    /// [`DecisionError::IllegalMove`] for the first move that is not legal in its position.
    ///
    /// # Examples
    /// ```
    /// use kibitz_board::{Chess, Position};
    /// use kibitz_heuristics::attributes::{Attribute, AttributeSet};
    /// use kibitz_search::quiescent::{Decision, Quiescent, TreeRules};
    /// use kibitz_stats::soft_minimax::SoftMinimax;
    ///
    /// let position = Chess::default();
    /// let played = position.legal_moves()[3];
    /// let decisions = [Decision { position, played, group: 0 }];
    /// let model = Quiescent::new(AttributeSet::new(Attribute::PAPER), TreeRules::default());
    /// let trees = model.trees(decisions, 1 << 20)?;
    /// let likelihood = SoftMinimax::new(&trees);
    /// assert_eq!(likelihood.bits(&[0.0; 4]), 20f64.log2());
    /// # Ok::<(), kibitz_search::quiescent::DecisionError>(())
    /// ```
    pub fn trees(
        &self,
        decisions: impl Into<Arc<[Decision]>>,
        budget: usize,
    ) -> Result<Trees, DecisionError> {
        let decisions = decisions.into();
        for (index, decision) in decisions.iter().enumerate() {
            if !decision.position.is_legal(decision.played) {
                return Err(DecisionError::IllegalMove {
                    decision: index,
                    uci: decision.played.to_uci(CastlingMode::Standard).to_string(),
                });
            }
        }
        let n_chunks = decisions.len().div_ceil(DECISIONS_PER_CHUNK);
        let scales = self.attributes().scales();
        let model = self.clone();
        let trees = Trees::build(&scales, n_chunks, budget, move |chunk, forest| {
            let start = chunk * DECISIONS_PER_CHUNK;
            let end = decisions.len().min(start + DECISIONS_PER_CHUNK);
            for decision in &decisions[start..end] {
                let moves = decision.position.legal_moves();
                // Out of range, and so an error, should it be missing.
                let chosen = moves
                    .iter()
                    .position(|played| *played == decision.played)
                    .unwrap_or(moves.len());
                model.add_tree(&decision.position, chosen, decision.group, forest)?;
            }
            Ok(())
        })?;
        Ok(trees)
    }

    /// The trees of decisions that were searched before, such as those of self-play: the same data
    /// set as that of [`trees`](Self::trees) without a budget.
    ///
    /// # Errors
    /// [`DecisionError::Tree`] if a tree is not of this model, or no such alternative was there.
    pub fn gather(&self, searched: &[SearchedDecision]) -> Result<Trees, DecisionError> {
        let chunks = searched.chunks(DECISIONS_PER_CHUNK).map(|searched| {
            let mut chunk = Forest::new(self.attributes().len());
            for SearchedDecision {
                forest,
                chosen,
                group,
            } in searched
            {
                for tree in forest.iter() {
                    chunk.push_tree(&tree, *chosen, *group)?;
                }
            }
            Ok(chunk)
        });
        let chunks = chunks.collect::<Result<Vec<_>, TreeError>>()?;
        Ok(Trees::stored(&self.attributes().scales(), chunks))
    }
}
