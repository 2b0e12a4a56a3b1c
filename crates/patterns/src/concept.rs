//! Concepts to learn, as they are declared.

use crate::{Axis, Changes, Places};

/// The components of examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Board {
    /// Chess positions: `contents(Side, Piece, square(File, Rank))`.
    #[default]
    Chess,
    /// Named pieces on any squares: `piece(Name, File, Rank)`.
    Placement,
}

/// A concept to be learned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct Concept {
    /// Its name: the predicate that the targets define.
    pub name: String,
    /// The components of examples.
    #[cfg_attr(feature = "serde", serde(default))]
    pub board: Board,
    /// Whether it involves a move.
    #[cfg_attr(feature = "serde", serde(default))]
    pub dynamic: bool,
    /// Initial examples, one for each disjunct: a FEN, or `contents` (`piece`) facts in the order of the
    /// arguments.
    pub examples: Vec<String>,
    /// A teaching set: the examples that a trained user gives after the initial ones.
    #[cfg_attr(feature = "serde", serde(default))]
    pub chosen: Vec<String>,
    /// Background predicates by name.
    pub background: Vec<String>,
    /// Concepts learned before as further background; the targets define them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub concepts: Vec<String>,
    /// Axes in which the board may be reflected.
    #[cfg_attr(feature = "serde", serde(default = "all_axes"))]
    pub symmetries: Vec<Axis>,
    /// Whether positions that are shifted count as symmetric, too (of chess positions).
    #[cfg_attr(feature = "serde", serde(default))]
    pub translations: bool,
    /// How perturbation changes the square of a piece.
    #[cfg_attr(feature = "serde", serde(default))]
    pub places: Places,
    /// The predicate of the true definition, if it differs from the target.
    #[cfg_attr(feature = "serde", serde(default))]
    pub truth: Option<String>,
    /// Which attributes of pieces perturbation changes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub changes: Changes,
    /// Whether definitions keep pieces that do not occur in the body.
    #[cfg_attr(feature = "serde", serde(default))]
    pub keep_pieces: bool,
}

fn all_axes() -> Vec<Axis> {
    Axis::ALL.to_vec()
}

/// A static chess concept without name, examples and background, whose patterns are symmetric in all
/// axes.
impl Default for Concept {
    fn default() -> Self {
        Self {
            name: String::new(),
            board: Board::default(),
            dynamic: false,
            examples: Vec::new(),
            chosen: Vec::new(),
            background: Vec::new(),
            concepts: Vec::new(),
            symmetries: all_axes(),
            translations: false,
            places: Places::default(),
            truth: None,
            changes: Changes::default(),
            keep_pieces: false,
        }
    }
}
