//! The advanced player model: a quiescence search of a few plies with probabilistic choices.
//!
//! All positions one ply away are searched; below them the search goes on only after forcing moves,
//! see [`Expansion`]. The tree of a position is a decision of the soft-minimax model,
//! White the maximizer: [`Quiescent`] adds it to a flat [`Forest`], from which
//! [`SoftMinimax`](kibitz_stats::soft_minimax::SoftMinimax) computes likelihoods and fits weights,
//! and [`WeightedQuiescent`] plays.
//!
//! # Source
//! Jansen, Dowe and Farr 2000, section 3.1 and appendix.

mod decision;
mod forcing;
mod tree;

pub use decision::{Decision, DecisionError, SearchedDecision};
pub use forcing::ForcingMoves;

use std::num::NonZeroU8;

use kibitz_board::{Chess, Color, MoveList};
use kibitz_heuristics::attributes::AttributeSet;
use kibitz_stats::soft_minimax::{Evaluator, Forest, Side};

use crate::player::Model;

/// Which positions below the first ply are searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Expansion {
    /// After [forcing moves](ForcingMoves) only, in check after all moves. A side that is not in check may
    /// also stand pat: the position's own evaluation is one more alternative.
    ///
    /// The paper does not say which moves of a position that is not quiescent are searched. This
    /// interpretation gives trees of the published size and the published compression.
    #[default]
    Forcing,
    /// As [`ForcingMoves`](Self::Forcing), but without standing pat.
    ForcingOnly,
    /// The appendix as printed: in a position with a forcing move, or in check, all moves.
    Literal,
}

/// How a mate counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MateRule {
    /// As [`won_value`](kibitz_stats::soft_minimax::won_value).
    #[default]
    Won,
    /// By its attributes, as every other position.
    Evaluated,
}

/// A kind of draw, with value 0.
///
/// The paper does not say which positions are draws ("of some kind, e.g. Stalemate"). Counted are draws
/// that follow from the position alone, not claims that depend on earlier moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum DrawKind {
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Fifty moves of each side have passed without a capture or a pawn move.
    FiftyMoves,
}

/// The rules of a quiescence search tree: how it is expanded and where it ends.
///
/// # Examples
/// ```
/// use kibitz_search::quiescent::{Expansion, TreeRules};
/// let rules = TreeRules::default();
/// assert_eq!((rules.max_ply.get(), rules.expansion), (4, Expansion::Forcing));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct TreeRules {
    /// Which positions below the first ply are searched.
    pub expansion: Expansion,
    /// Depth of the deepest positions, in plies; the paper's `d`.
    pub max_ply: NonZeroU8,
    /// How a mate counts.
    pub mates: MateRule,
    /// The kinds of draws; other positions, and a stalemate that is not among them, go by their
    /// attributes.
    pub draws: Vec<DrawKind>,
}

impl Default for TreeRules {
    fn default() -> Self {
        Self {
            expansion: Expansion::default(),
            max_ply: const { NonZeroU8::new(4).expect("4 is not zero") },
            mates: MateRule::default(),
            draws: vec![DrawKind::Stalemate, DrawKind::InsufficientMaterial],
        }
    }
}

/// The quiescent player model: attributes and the rules of its tree.
///
/// # Examples
/// ```
/// use kibitz_board::Chess;
/// use kibitz_heuristics::attributes::{Attribute, AttributeSet};
/// use kibitz_search::quiescent::{Quiescent, TreeRules};
/// use kibitz_stats::soft_minimax::Forest;
///
/// let model = Quiescent::new(AttributeSet::new(Attribute::PAPER), TreeRules::default());
/// let mut forest = Forest::new(4);
/// // In the starting position nothing is at stake after any move.
/// model.add_tree(&Chess::default(), 0, 0, &mut forest)?;
/// assert_eq!(forest.n_nodes(), 1 + 20);
/// # Ok::<(), kibitz_stats::soft_minimax::TreeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quiescent {
    attributes: AttributeSet,
    rules: TreeRules,
}

impl Quiescent {
    /// The model over `attributes` with the tree that `rules` describe.
    pub fn new(attributes: AttributeSet, rules: TreeRules) -> Self {
        Self { attributes, rules }
    }

    /// The attributes, in the order of the weights.
    pub fn attributes(&self) -> &AttributeSet {
        &self.attributes
    }

    /// The rules of the tree.
    pub fn rules(&self) -> &TreeRules {
        &self.rules
    }
}

/// White wants large values: attributes in a tree are seen from White's side.
fn side(color: Color) -> Side {
    match color {
        Color::White => Side::Maximizer,
        Color::Black => Side::Minimizer,
    }
}

/// A quiescent model with its weights.
///
/// # Examples
/// ```
/// use kibitz_board::Chess;
/// use kibitz_heuristics::attributes::{Attribute, AttributeSet};
/// use kibitz_search::quiescent::{Quiescent, TreeRules, WeightedQuiescent};
/// use kibitz_search::self_play::{EndPolicy, play};
/// use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
///
/// let model = Quiescent::new(AttributeSet::new(Attribute::PAPER), TreeRules::default());
/// let mut player = WeightedQuiescent::new(model, &[7.0, 0.2, 0.5, 3.0]);
/// let policy = EndPolicy { max_plies: Some(20), ..EndPolicy::default() };
/// let mut rng = ChaCha8Rng::seed_from_u64(1);
/// assert_eq!(play(&mut player, &Chess::default(), &policy, &mut rng).moves.len(), 20);
/// ```
#[derive(Debug, Clone)]
pub struct WeightedQuiescent {
    model: Quiescent,
    evaluator: Evaluator,
    /// The tree of the position under consideration.
    forest: Forest,
}

impl WeightedQuiescent {
    /// `model` with one weight per attribute, in the model's order and in the paper's units.
    ///
    /// # Panics
    /// If the number of weights is not the number of attributes.
    pub fn new(model: Quiescent, weights: &[f64]) -> Self {
        Self {
            evaluator: Evaluator::new(weights, &model.attributes.scales()),
            forest: Forest::new(model.attributes.len()),
            model,
        }
    }

    /// The decision for alternative `chosen` of the position whose moves were valued last, in a game
    /// that has the number `group`; [`Quiescent::gather`] makes a data set of such decisions.
    pub fn searched(&self, chosen: usize, group: u32) -> SearchedDecision {
        let mut forest = self.forest.clone();
        forest.shrink_to_fit();
        SearchedDecision {
            forest,
            chosen,
            group,
        }
    }
}

impl Model for WeightedQuiescent {
    fn extend_values(&mut self, position: &Chess, moves: &MoveList, values: &mut Vec<f64>) {
        if moves.is_empty() {
            return;
        }
        self.forest.clear();
        self.model
            .add_tree(position, 0, 0, &mut self.forest)
            .expect("a position with legal moves has a tree");
        if let Some(tree) = self.forest.get(0) {
            values.extend(self.evaluator.alternatives(&tree));
        }
    }
}

#[cfg(test)]
mod tests;
