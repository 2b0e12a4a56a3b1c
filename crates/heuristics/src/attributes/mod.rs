//! The attributes of the player-strategy paper: Jansen, Dowe and Farr 2000, section 2.1.
//!
//! An attribute is a whole number said of a position from a player's point of view: positive is
//! good for the player, and changing sides negates it. [`AttributeSet`] names which attributes a
//! model uses, in which order and under which conventions, so that a position becomes a short row
//! of [`i16`] and a million positions one flat array.

mod material;
mod mobility;

pub use material::{PieceValues, material_balance};
pub use mobility::{MobilityConvention, mobility_balance};

use kibitz_board::{Chess, Color, Position};
use serde::{Deserialize, Serialize};

/// One attribute of a position, as a number of whole units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attribute {
    /// `a_1`: the player's men minus the opponent's, in pawns.
    Material,
    /// `a_2`: the player's moves minus the opponent's, in moves.
    Mobility,
}

impl Attribute {
    /// Every attribute, in the paper's order.
    pub const ALL: [Attribute; 2] = [Attribute::Material, Attribute::Mobility];

    /// The short name used in column and weight names: `mat`, `mob`.
    pub fn short_name(self) -> &'static str {
        match self {
            Attribute::Material => "mat",
            Attribute::Mobility => "mob",
        }
    }
}

/// Which attributes a model uses, in order, and the conventions they follow.
///
/// # Examples
/// ```
/// use kibitz_board::{Chess, Color};
/// use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
///
/// let set = AttributeSet {
///     attributes: vec![Attribute::Material, Attribute::Mobility],
///     mobility: MobilityConvention::default(),
/// };
/// assert_eq!(set.values(&Chess::default(), Color::White), [0, 0]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeSet {
    /// The attributes, in the order of a model's weights.
    pub attributes: Vec<Attribute>,
    /// What counts as a move for [`Attribute::Mobility`].
    pub mobility: MobilityConvention,
}

impl AttributeSet {
    /// Number of attributes, the length of a row.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether there is no attribute at all (the uniform model).
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// The row of `position` from `player`'s side, one whole number per attribute.
    pub fn values(&self, position: &Chess, player: Color) -> Vec<i16> {
        let mut row = Vec::with_capacity(self.len());
        let material = material_balance(position.board(), player);
        self.extend_row(&mut row, position, player, material);
        row
    }

    /// Appends the row of `position` to `rows`, taking the material balance as already known:
    /// whoever walks over moves can keep it up to date more cheaply than counting men.
    #[inline]
    pub fn extend_row(&self, rows: &mut Vec<i16>, position: &Chess, player: Color, material: i16) {
        rows.extend(self.attributes.iter().map(|attribute| match attribute {
            Attribute::Material => material,
            Attribute::Mobility => mobility_balance(position, player, self.mobility),
        }));
    }

    /// Whether any attribute needs the position itself and not only the material balance.
    pub fn needs_position(&self) -> bool {
        self.attributes
            .iter()
            .any(|attribute| *attribute != Attribute::Material)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_board::FromSetup;
    use kibitz_board::{CastlingMode, EnPassantMode};
    use proptest::prelude::*;

    proptest! {
        /// Reversal of roles negates the values (section 2.1): for the other player in the same
        /// position, and for the other color in the mirrored position.
        #[test]
        fn reversal_of_roles_negates(choices in prop::collection::vec(any::<u16>(), 1..150)) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[choice as usize % moves.len()]);
            }
            let setup = position.to_setup(EnPassantMode::Always).into_mirrored();
            let mirrored = Chess::from_setup(setup, CastlingMode::Standard).unwrap();
            for mobility in MobilityConvention::ALL {
                let set = AttributeSet { attributes: Attribute::ALL.to_vec(), mobility };
                let white = set.values(&position, Color::White);
                prop_assert_eq!(&set.values(&mirrored, Color::Black), &white);
                if mobility.is_balance() {
                    let negated: Vec<i16> = white.iter().map(|value| -value).collect();
                    prop_assert_eq!(set.values(&position, Color::Black), negated);
                }
            }
        }
    }
}
