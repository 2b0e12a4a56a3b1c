//! Attributes: evaluation features of positions, as in Jansen, Dowe and Farr 2000, sections 2.1 and
//! 3.1, and more of the same form.
//!
//! An attribute is an integer from a player's point of view: positive is good for the player, and
//! changing sides negates it. An [`AttributeSet`] lists the attributes of a model and their
//! conventions: a position becomes a row of [`i16`], and a million positions one flat array.

mod ahead;
mod attacks;
mod center_control;
mod counts;
mod development;
mod exchanges;
mod further;
mod king_safety;
mod material;
mod mobility;
mod pawn_structure;
mod placement;

pub use attacks::AttackConvention;
pub use center_control::CenterConvention;
pub use counts::PositionCounts;
pub use material::{PieceValues, material_balance};
pub use mobility::MobilityConvention;

use kibitz_board::{ByColor, Chess, Color, Position};

/// An attribute of a position, a number of whole units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Attribute {
    /// `a_1`, material balance: the player's pieces minus the opponent's, in pawns.
    Material,
    /// `a_2`, mobility balance: the player's moves minus the opponent's, by a mobility convention.
    Mobility,
    /// `a_3`, center control: the player's control of the center 16 squares minus the opponent's, by a
    /// [`CenterConvention`].
    CenterControl,
    /// `a_4`, attack balance: the player's attacks on enemy pieces minus the opponent's, in tenths of an
    /// attack, by an [`AttackConvention`].
    ///
    /// Every pair of attacker and target counts: ten tenths if the target is more valuable than the
    /// attacker, else one tenth (section 3.1: "Attacks against pieces of equal or lesser value are
    /// considered to be worth only one tenth of an attack against a more valuable piece").
    ///
    /// The paper leaves open the value of the king as an attacker; we make it the most valuable piece,
    /// so that its attacks count one tenth.
    Attacks,
    /// Balance of squares that passed pawns have gone.
    PassedPawns,
    /// Balance of isolated pawns.
    IsolatedPawns,
    /// Balance of pawns behind another of their file.
    DoubledPawns,
    /// Balance of squares that pawns have gone.
    PawnAdvance,
    /// Balance of pawns before the own king.
    KingShelter,
    /// Balance of attacks on the squares around the enemy king.
    KingAttack,
    /// Balance of 1 when giving check.
    Check,
    /// Balance of pawns that the best exchange of the side to move wins, seen from the player.
    EnPrise,
    /// Balance of pawns that the best exchange of the side not to move would win, seen from the player.
    Threats,
    /// Balance of knights and bishops on their first squares.
    Undeveloped,
    /// Balance of sides to which the king may still castle.
    CastlingRights,
    /// Balance of centrality of the knights.
    KnightPlace,
    /// Balance of centrality of the bishops.
    BishopPlace,
    /// Balance of centrality of the queens.
    QueenPlace,
    /// Balance of centrality of the king.
    KingPlace,
    /// Balance of rooks on files without own pawns, twice on open ones.
    RookFiles,
    /// Balance of 1 for two bishops.
    BishopPair,
    /// Material, in pawns, that the player wins by the best reply and the captures after it, by a search.
    Ahead,
}

impl Attribute {
    /// Every attribute: those of the position itself, then that of a search.
    pub const ALL: [Attribute; 22] = {
        let mut all = [Attribute::Ahead; 22];
        let (of_position, _) = all.split_at_mut(21);
        of_position.copy_from_slice(&Attribute::STATIC);
        all
    };

    /// The attributes of the position itself: the paper's four, then the others.
    pub const STATIC: [Attribute; 21] = [
        Attribute::Material,
        Attribute::Mobility,
        Attribute::CenterControl,
        Attribute::Attacks,
        Attribute::PassedPawns,
        Attribute::IsolatedPawns,
        Attribute::DoubledPawns,
        Attribute::PawnAdvance,
        Attribute::KingShelter,
        Attribute::KingAttack,
        Attribute::Check,
        Attribute::EnPrise,
        Attribute::Threats,
        Attribute::Undeveloped,
        Attribute::CastlingRights,
        Attribute::KnightPlace,
        Attribute::BishopPlace,
        Attribute::QueenPlace,
        Attribute::KingPlace,
        Attribute::RookFiles,
        Attribute::BishopPair,
    ];

    /// The attributes of the paper, in its order.
    pub const PAPER: [Attribute; 4] = [
        Attribute::Material,
        Attribute::Mobility,
        Attribute::CenterControl,
        Attribute::Attacks,
    ];

    /// The attributes of the simple model (section 2), in the paper's order.
    pub const SIMPLE: [Attribute; 2] = [Attribute::Material, Attribute::Mobility];

    /// The short name used in column and weight names: for example `mat`, `mob`, `cen` or `att`.
    pub fn short_name(self) -> &'static str {
        match self {
            Attribute::Material => "mat",
            Attribute::Mobility => "mob",
            Attribute::CenterControl => "cen",
            Attribute::Attacks => "att",
            Attribute::PassedPawns => "pas",
            Attribute::IsolatedPawns => "iso",
            Attribute::DoubledPawns => "dou",
            Attribute::PawnAdvance => "adv",
            Attribute::KingShelter => "she",
            Attribute::KingAttack => "kat",
            Attribute::Check => "chk",
            Attribute::EnPrise => "enp",
            Attribute::Threats => "thr",
            Attribute::Undeveloped => "und",
            Attribute::CastlingRights => "cas",
            Attribute::KnightPlace => "kni",
            Attribute::BishopPlace => "bis",
            Attribute::QueenPlace => "que",
            Attribute::KingPlace => "kin",
            Attribute::RookFiles => "roo",
            Attribute::BishopPair => "pai",
            Attribute::Ahead => "ahe",
        }
    }

    /// Size of one whole unit in the paper's unit: a tenth for attacks, else one.
    ///
    /// An evaluation is the sum of stored value times scale times weight over the attributes.
    pub fn scale(self) -> f64 {
        match self {
            Attribute::Attacks => 0.1,
            _ => 1.0,
        }
    }

    /// The name in files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Attribute::Material => "material",
            Attribute::Mobility => "mobility",
            Attribute::CenterControl => "center-control",
            Attribute::Attacks => "attacks",
            Attribute::PassedPawns => "passed-pawns",
            Attribute::IsolatedPawns => "isolated-pawns",
            Attribute::DoubledPawns => "doubled-pawns",
            Attribute::PawnAdvance => "pawn-advance",
            Attribute::KingShelter => "king-shelter",
            Attribute::KingAttack => "king-attack",
            Attribute::Check => "check",
            Attribute::EnPrise => "en-prise",
            Attribute::Threats => "threats",
            Attribute::Undeveloped => "undeveloped",
            Attribute::CastlingRights => "castling-rights",
            Attribute::KnightPlace => "knight-place",
            Attribute::BishopPlace => "bishop-place",
            Attribute::QueenPlace => "queen-place",
            Attribute::KingPlace => "king-place",
            Attribute::RookFiles => "rook-files",
            Attribute::BishopPair => "bishop-pair",
            Attribute::Ahead => "ahead",
        }
    }

    /// What one unit of it is, of the player's minus the opponent's.
    pub fn meaning(self) -> &'static str {
        match self {
            Attribute::Material => "pieces, in pawns",
            Attribute::Mobility => "legal moves",
            Attribute::CenterControl => "attackers of the center",
            Attribute::Attacks => "attacks on enemy pieces",
            Attribute::PassedPawns => "squares that passed pawns have gone",
            Attribute::IsolatedPawns => "isolated pawns",
            Attribute::DoubledPawns => "pawns behind another of their file",
            Attribute::PawnAdvance => "squares that pawns have gone",
            Attribute::KingShelter => "pawns before the own king",
            Attribute::KingAttack => "attacks on the squares around the enemy king",
            Attribute::Check => "1 when giving check",
            Attribute::EnPrise => {
                "pawns that the best exchange of the side to move wins, seen from the player"
            }
            Attribute::Threats => {
                "pawns that the best exchange of the side not to move would win, seen from the player"
            }
            Attribute::Undeveloped => "knights and bishops on their first squares",
            Attribute::CastlingRights => "sides to which the king may still castle",
            Attribute::KnightPlace => "centrality of the knights",
            Attribute::BishopPlace => "centrality of the bishops",
            Attribute::QueenPlace => "centrality of the queens",
            Attribute::KingPlace => "centrality of the king",
            Attribute::RookFiles => "rooks on files without own pawns, twice on open ones",
            Attribute::BishopPair => "1 for two bishops",
            Attribute::Ahead => "pawns that the best reply wins, and the captures after it",
        }
    }
}

/// The [short name](Attribute::short_name).
impl AsRef<str> for Attribute {
    fn as_ref(&self) -> &str {
        self.short_name()
    }
}

/// The attributes of a model, in order, and their conventions.
///
/// # Examples
/// ```
/// use kibitz_board::{Chess, Color};
/// use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
///
/// let set = AttributeSet {
///     mobility: MobilityConvention::Legal,
///     ..AttributeSet::new(Attribute::PAPER)
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
    /// The moves counted by [`Attribute::Mobility`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub mobility: MobilityConvention,
    /// What [`Attribute::CenterControl`] counts.
    #[cfg_attr(feature = "serde", serde(default))]
    pub center: CenterConvention,
    /// What [`Attribute::Attacks`] counts.
    #[cfg_attr(feature = "serde", serde(default))]
    pub attacks: AttackConvention,
}

impl AttributeSet {
    /// The attributes under their default conventions.
    pub fn new(attributes: impl Into<Vec<Attribute>>) -> Self {
        Self {
            attributes: attributes.into(),
            mobility: MobilityConvention::default(),
            center: CenterConvention::default(),
            attacks: AttackConvention::default(),
        }
    }

    /// Number of attributes, the length of a row.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether the set is empty (the uniform model).
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// The scale of every attribute, see [`Attribute::scale`].
    pub fn scales(&self) -> Vec<f64> {
        self.attributes.iter().map(|one| one.scale()).collect()
    }

    /// The row of attributes of `position` from `player`'s side.
    pub fn values(&self, position: &Chess, player: Color) -> Vec<i16> {
        let mut row = Vec::with_capacity(self.len());
        let material = material_balance(position.board(), player);
        self.extend_row(&mut row, position, player, material);
        row
    }

    /// Appends the row of `position` to `rows`, given its material balance, which a search can update
    /// incrementally ([`PieceValues::gain`]).
    #[inline]
    pub fn extend_row(&self, rows: &mut Vec<i16>, position: &Chess, player: Color, material: i16) {
        if self.needs_position() {
            let counts = self.counts(position);
            self.extend_row_from(rows, position, player, material, &counts);
        } else {
            rows.extend(self.attributes.iter().map(|_| material));
        }
    }

    /// Counts the legal moves of both sides in a position, and its attacks if the set needs them.
    #[inline]
    pub fn counts(&self, position: &Chess) -> PositionCounts {
        let needs_attacks =
            |own: &Attribute| matches!(own, Attribute::CenterControl | Attribute::Attacks);
        if self.attributes.iter().any(needs_attacks) {
            PositionCounts::of(position)
        } else {
            PositionCounts::of_moves(position)
        }
    }

    /// [`extend_row`](Self::extend_row) from [`counts`](Self::counts), which several sets may share.
    ///
    /// # Panics
    /// If this set needs attacks and `counts` come from a set that does not.
    #[inline]
    pub fn extend_row_from(
        &self,
        rows: &mut Vec<i16>,
        position: &Chess,
        player: Color,
        material: i16,
        counts: &PositionCounts,
    ) {
        let mut further = further::PlayerPosition::new(position, player);
        rows.extend(self.attributes.iter().map(|attribute| match attribute {
            Attribute::Material => material,
            Attribute::Mobility => mobility::mobility_balance_from(
                counts.legal_moves(),
                position,
                player,
                self.mobility,
            ),
            Attribute::CenterControl => match self.center {
                CenterConvention::Attackers => counts.attacks().center_control_balance(player),
                other => center_control::balance_of_squares(
                    position.board(),
                    player,
                    other == CenterConvention::Occupation,
                ),
            },
            Attribute::Attacks => match self.attacks {
                AttackConvention::LegalCaptures => counts.attacks().attack_balance(player),
                other => attacks::balance_of_attacked(
                    position.board(),
                    player,
                    other == AttackConvention::AttackedPiecesAndKing,
                ),
            },
            other => further.balance(*other),
        }));
    }

    /// Whether any attribute needs more than the material balance.
    #[inline]
    pub fn needs_position(&self) -> bool {
        self.attributes
            .iter()
            .any(|attribute| *attribute != Attribute::Material)
    }
}

/// The player's count minus the opponent's.
#[inline]
fn balance(counts: ByColor<u32>, player: Color) -> i16 {
    whole(counts[player]) - whole(counts[!player])
}

/// A count as an attribute value.
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
    #[should_panic(expected = "attack attributes")]
    fn counts_of_moves_alone_have_no_attacks() {
        let start = Chess::default();
        let counts = AttributeSet::new(Attribute::SIMPLE).counts(&start);
        let all = AttributeSet::new(Attribute::PAPER);
        all.extend_row_from(&mut Vec::new(), &start, Color::White, 0, &counts);
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
            let of_mobility = MobilityConvention::ALL.map(|mobility| AttributeSet { mobility, ..base.clone() });
            let of_center = CenterConvention::ALL.map(|center| AttributeSet { center, ..base.clone() });
            let of_attacks = AttackConvention::ALL.map(|attacks| AttributeSet { attacks, ..base.clone() });
            for set in of_mobility.into_iter().chain(of_center).chain(of_attacks) {
                let white = set.values(&position, Color::White);
                prop_assert_eq!(&set.values(&mirrored, Color::Black), &white);
                if set.mobility.is_balance() {
                    let negated: Vec<i16> = white.iter().map(|value| -value).collect();
                    prop_assert_eq!(set.values(&position, Color::Black), negated);
                }
                let mut knowing = Vec::new();
                let counts = set.counts(&position);
                set.extend_row_from(&mut knowing, &position, Color::White, white[0], &counts);
                prop_assert_eq!(knowing, white);
            }
        }
    }
}
