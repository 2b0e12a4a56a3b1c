//! Material balance by piece: the measures ADV02 to ADV06 and MATRL.

use kibitz_board::{Board, Color, Role};

/// Difference of the two sides' pieces, by kind.
///
/// # Source
/// Sugar 1975, section 3.3.3, p. 63: ADV02 to ADV06, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaterialBalance {
    /// ADV02.
    pub pawns: i32,
    /// ADV03.
    pub rooks: i32,
    /// ADV04.
    pub knights: i32,
    /// ADV05.
    pub bishops: i32,
    /// ADV06.
    pub queens: i32,
}

impl MaterialBalance {
    /// The balance from the side of `us`.
    pub fn of(board: &Board, us: Color) -> MaterialBalance {
        let surplus = |role: Role| {
            let count = |color| {
                i32::try_from((board.by_color(color) & board.by_role(role)).count()).unwrap_or(64)
            };
            count(us) - count(!us)
        };
        MaterialBalance {
            pawns: surplus(Role::Pawn),
            rooks: surplus(Role::Rook),
            knights: surplus(Role::Knight),
            bishops: surplus(Role::Bishop),
            queens: surplus(Role::Queen),
        }
    }

    /// ADV02 to ADV06.
    pub fn differences(self) -> [f64; 5] {
        [
            self.pawns,
            self.rooks,
            self.knights,
            self.bishops,
            self.queens,
        ]
        .map(f64::from)
    }

    /// MATRL: the balance in pawns, with the piece values of Greenblatt's program.
    pub fn total(self) -> f64 {
        const VALUES: [f64; 5] = [1.0, 5.0, 3.25, 3.5, 9.75];
        self.differences()
            .iter()
            .zip(VALUES)
            .map(|(difference, value)| difference * value)
            .sum()
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use kibitz_board::Position;
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::chute::tests::{playout, position};

    #[test]
    fn a_queen_for_rook_and_pawn() {
        let position = position("4k3/4p3/8/8/8/8/8/r3K2Q w - - 0 1");
        let balance = MaterialBalance::of(position.board(), Color::White);
        assert_eq!(balance.differences(), [-1.0, -1.0, 0.0, 0.0, 1.0]);
        assert_eq!(balance.total(), 3.75);
    }

    proptest! {
        #[test]
        fn the_balance_is_antisymmetric(choices in vec(any::<u16>(), 0..200)) {
            let (position, _) = playout(&choices);
            let [ours, theirs] = Color::ALL.map(|us| MaterialBalance::of(position.board(), us));
            prop_assert_eq!(ours.total(), -theirs.total());
            prop_assert_eq!(ours.differences(), theirs.differences().map(|d| -d));
        }
    }
}
