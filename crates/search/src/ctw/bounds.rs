//! The pair of values of a position.

/// Backs a value up by one ply: B(X) = -X / (1 + |X|).
///
/// Changes the side and lengthens the way by a ply: B(1/N) = -1/(N+1).
///
/// # Source
/// Sugar 1975, Appendix 1, point 3.
///
/// # Examples
/// ```
/// use kibitz_search::ctw::back_up;
///
/// assert_eq!(back_up(1.0), -0.5);
/// assert_eq!(back_up(-0.5), 1.0 / 3.0);
/// ```
pub fn back_up(value: f64) -> f64 {
    -value / (1.0 + value.abs())
}

/// Optimistic and pessimistic value of a position for the player who has moved into it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The pessimistic value L.
    pub low: f64,
    /// The optimistic value H, not below `low`.
    pub high: f64,
}

impl Bounds {
    /// The move into the position has won the game, in one ply.
    pub(crate) const WON: Bounds = Bounds::exactly(1.0);

    /// The game is drawn.
    pub(crate) const DRAWN: Bounds = Bounds::exactly(0.0);

    /// Bounds of every nonterminal position: at worst the opponent wins with the next ply, at best the
    /// player wins with the one after that.
    pub const OPEN: Bounds = Bounds {
        low: -1.0 / 2.0,
        high: 1.0 / 3.0,
    };

    /// A value without uncertainty.
    pub const fn exactly(value: f64) -> Bounds {
        Bounds {
            low: value,
            high: value,
        }
    }

    /// H - L.
    pub fn uncertainty(self) -> f64 {
        self.high - self.low
    }

    /// Whether there is nothing left to be found out.
    pub fn is_exact(self) -> bool {
        self.high <= self.low
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn open_positions_are_two_and_three_plies_from_the_end() {
        assert_eq!(Bounds::OPEN.low.to_bits(), back_up(1.0).to_bits());
        assert_eq!(Bounds::OPEN.high.to_bits(), back_up(back_up(1.0)).to_bits());
    }

    proptest! {
        #[test]
        fn a_ply_is_added_to_the_distance(n in 1..10_000_u32, won in any::<bool>()) {
            let sign = if won { 1.0 } else { -1.0 };
            let value = back_up(sign / f64::from(n));
            prop_assert!((value + sign / f64::from(n + 1)).abs() < 1e-15);
        }

        #[test]
        fn backing_up_turns_the_order_around(a in -1.0..=1.0, b in -1.0..=1.0) {
            prop_assert_eq!(back_up(0.0).abs().to_bits(), 0);
            if a < b {
                prop_assert!(back_up(a) >= back_up(b));
            }
            prop_assert!(back_up(a).abs() <= 0.5);
        }
    }
}
