//! The attributes of the player-strategy paper: Jansen, Dowe and Farr 2000, sections 2.1 and 3.1.
//!
//! An attribute is a whole number said of a position from a player's point of view: positive is
//! good for the player, and changing sides negates it. [`AttributeSet`] names which attributes a
//! model uses, in which order and under which convention, so that a position becomes a short row
//! of [`i16`] and a million positions one flat array.

mod attacks;
mod center_control;
mod material;
mod mobility;
mod survey;

pub use attacks::attack_balance;
pub use center_control::{CENTER, center_control_balance};
pub use material::{PieceValues, material_balance};
pub use mobility::{MobilityConvention, mobility_balance};
pub use survey::Survey;

use kibitz_board::{ByColor, Chess, Color, Position};

/// One attribute of a position, as a number of whole units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Attribute {
    /// `a_1`: the player's men minus the opponent's, in pawns.
    Material,
    /// `a_2`: the player's moves minus the opponent's, in moves.
    Mobility,
    /// `a_3`: the player's control of the center 16 squares minus the opponent's, in attackers.
    CenterControl,
    /// `a_4`: the player's attacks on enemy men minus the opponent's, in tenths of an attack.
    Attacks,
}

impl Attribute {
    /// Every attribute, in the paper's order.
    pub const ALL: [Attribute; 4] = [
        Attribute::Material,
        Attribute::Mobility,
        Attribute::CenterControl,
        Attribute::Attacks,
    ];

    /// The attributes of the simple model (section 2), in the paper's order.
    pub const SIMPLE: [Attribute; 2] = [Attribute::Material, Attribute::Mobility];

    /// The short name used in column and weight names: `mat`, `mob`, `cen`, `att`.
    pub fn short_name(self) -> &'static str {
        match self {
            Attribute::Material => "mat",
            Attribute::Mobility => "mob",
            Attribute::CenterControl => "cen",
            Attribute::Attacks => "att",
        }
    }

    /// What one whole unit is worth in the paper's unit: a tenth for attacks, else one.
    ///
    /// The product of a stored value, this scale and a weight is what the attribute adds to an
    /// evaluation.
    pub fn scale(self) -> f64 {
        match self {
            Attribute::Attacks => 0.1,
            Attribute::Material | Attribute::Mobility | Attribute::CenterControl => 1.0,
        }
    }
}

/// Which attributes a model uses, in order, and the convention they follow.
///
/// # Examples
/// ```
/// use kibitz_board::{Chess, Color};
/// use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
///
/// let set = AttributeSet {
///     mobility: MobilityConvention::Legal,
///     ..AttributeSet::new(Attribute::ALL)
/// };
/// assert_eq!(set.values(&Chess::default(), Color::White), [0, 0, 0, 0]);
/// assert_eq!(set.scales(), [1.0, 1.0, 1.0, 0.1]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub struct AttributeSet {
    /// The attributes, in the order of a model's weights.
    pub attributes: Vec<Attribute>,
    /// What counts as a move for [`Attribute::Mobility`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub mobility: MobilityConvention,
}

impl AttributeSet {
    /// The attributes under their default conventions.
    pub fn new(attributes: impl Into<Vec<Attribute>>) -> Self {
        Self {
            attributes: attributes.into(),
            mobility: MobilityConvention::default(),
        }
    }

    /// Number of attributes, the length of a row.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether there is no attribute at all (the uniform model).
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// The scale of every attribute, see [`Attribute::scale`].
    pub fn scales(&self) -> Vec<f64> {
        self.attributes.iter().map(|one| one.scale()).collect()
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
        if self.needs_position() {
            let survey = self.survey(position);
            self.extend_row_knowing(rows, position, player, material, &survey);
        } else {
            rows.extend(self.attributes.iter().map(|_| material));
        }
    }

    /// Looks at a position for what its row needs, and counts the legal moves of both sides.
    #[inline]
    pub fn survey(&self, position: &Chess) -> Survey {
        let is_seen = |attribute: &Attribute| match attribute {
            Attribute::Material | Attribute::Mobility => false,
            Attribute::CenterControl | Attribute::Attacks => true,
        };
        if self.attributes.iter().any(is_seen) {
            Survey::of(position)
        } else {
            Survey::of_moves(position)
        }
    }

    /// [`extend_row`](Self::extend_row) for a caller who has had the position
    /// [surveyed](Self::survey) for this set already.
    ///
    /// # Panics
    /// If it was surveyed for a set that looks at less: moves, where attacks are asked for.
    #[inline]
    pub fn extend_row_knowing(
        &self,
        rows: &mut Vec<i16>,
        position: &Chess,
        player: Color,
        material: i16,
        survey: &Survey,
    ) {
        rows.extend(self.attributes.iter().map(|attribute| match attribute {
            Attribute::Material => material,
            Attribute::Mobility => mobility::mobility_balance_knowing(
                survey.legal_moves(),
                position,
                player,
                self.mobility,
            ),
            Attribute::CenterControl => survey.attacks().center_control_balance(player),
            Attribute::Attacks => survey.attacks().attack_balance(player),
        }));
    }

    /// Whether any attribute needs the position itself and not only the material balance.
    #[inline]
    pub fn needs_position(&self) -> bool {
        self.attributes
            .iter()
            .any(|attribute| *attribute != Attribute::Material)
    }
}

/// What counts for the player less what counts for the opponent.
#[inline]
fn balance(counts: ByColor<u32>, player: Color) -> i16 {
    whole(counts[player]) - whole(counts[!player])
}

/// A count as the value of an attribute.
#[inline]
fn whole(count: u32) -> i16 {
    i16::try_from(count).unwrap_or(i16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_board::{CastlingMode, EnPassantMode, FromSetup};
    use proptest::prelude::*;

    #[test]
    #[should_panic(expected = "looks at attacks")]
    fn a_survey_for_moves_is_not_taken_for_more() {
        let start = Chess::default();
        let survey = AttributeSet::new(Attribute::SIMPLE).survey(&start);
        let all = AttributeSet::new(Attribute::ALL);
        all.extend_row_knowing(&mut Vec::new(), &start, Color::White, 0, &survey);
    }

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
            let base = AttributeSet::new(Attribute::ALL);
            let sets = MobilityConvention::ALL.map(|mobility| AttributeSet { mobility, ..base.clone() });
            for set in sets {
                let white = set.values(&position, Color::White);
                prop_assert_eq!(&set.values(&mirrored, Color::Black), &white);
                if set.mobility.is_balance() {
                    let negated: Vec<i16> = white.iter().map(|value| -value).collect();
                    prop_assert_eq!(set.values(&position, Color::Black), negated);
                }
                let mut knowing = Vec::new();
                let survey = set.survey(&position);
                set.extend_row_knowing(&mut knowing, &position, Color::White, white[0], &survey);
                prop_assert_eq!(knowing, white);
            }
        }
    }
}
