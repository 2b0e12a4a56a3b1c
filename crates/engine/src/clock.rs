//! Time management.

use std::time::Duration;

use kibitz_board::Color;

use crate::limits::Go;

/// Expected number of moves to go without a known time control.
const MOVES_TO_GO: u32 = 30;

/// Least time for a search.
const SHORTEST: Duration = Duration::from_millis(1);

/// The time budget of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Hard limit: the search stops after this time.
    pub(crate) at_most: Option<Duration>,
    /// Soft limit: the time that the move should take.
    pub(crate) share: Option<Duration>,
}

/// The time budget for a move of `mover`.
///
/// `overhead` is the time that each move loses between the clock and the engine: communication, and
/// waiting for a CPU. The overhead of all moves to come is reserved, so that the clock does not fall
/// below it; increments are spent only as far as they exceed it.
pub(crate) fn budget(go: &Go, mover: Color, overhead: Duration) -> Budget {
    let usable = |time: Duration| time.saturating_sub(overhead).max(SHORTEST);
    if go.infinite {
        return Budget::default();
    }
    if let Some(time) = go.movetime {
        return Budget {
            at_most: Some(usable(time)),
            share: None,
        };
    }
    let (left, increment) = match mover {
        Color::White => (go.wtime, go.winc),
        Color::Black => (go.btime, go.binc),
    };
    let Some(left) = left else {
        return Budget::default();
    };
    // One extra move, so that the last move before the control does not use up the clock.
    let moves = go.movestogo.unwrap_or(MOVES_TO_GO).clamp(1, 100) + 1;
    let to_come = increment.unwrap_or_default() * (moves - 1);
    let most = usable(left) / 2;
    let share = ((left + to_come).saturating_sub(overhead * (moves + 1)) / moves).min(most);
    Budget {
        at_most: Some((share * 2).min(most).max(SHORTEST)),
        share: Some(share),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn budget_ms(go: &Go, mover: Color) -> (Option<u128>, Option<u128>) {
        let budget = budget(go, mover, ms(20));
        (
            budget.share.map(|share| share.as_millis()),
            budget.at_most.map(|time| time.as_millis()),
        )
    }

    #[test]
    fn time_is_shared_among_the_moves_to_come() {
        let clock = Go {
            wtime: Some(ms(31_020)),
            btime: Some(ms(5)),
            ..Go::default()
        };
        let of_white = |go: &Go| budget_ms(go, Color::White);
        // 32 times 20 ms are reserved.
        assert_eq!(of_white(&clock), (Some(980), Some(1960)));
        let bonus = Go {
            winc: Some(ms(400)),
            ..clock.clone()
        };
        assert_eq!(of_white(&bonus), (Some(1367), Some(2734)));
        let last = Go {
            movestogo: Some(1),
            ..clock.clone()
        };
        assert_eq!(of_white(&last), (Some(15_480), Some(15_500)));
        // A second for the whole game.
        let second = Go {
            wtime: Some(ms(1000)),
            ..clock.clone()
        };
        assert_eq!(of_white(&second), (Some(11), Some(23)));
        // A flag about to fall, or fallen.
        assert_eq!(budget_ms(&clock, Color::Black), (Some(0), Some(1)));
    }

    #[test]
    fn the_clock_is_never_played_to_its_end() {
        for left in [0, 1, 19, 20, 21, 100, 1000, 60_000] {
            for winc in [0, 100, 60_000] {
                for movestogo in [None, Some(0), Some(1), Some(40)] {
                    let go = Go {
                        wtime: Some(ms(left)),
                        winc: Some(ms(winc)),
                        movestogo,
                        ..Go::default()
                    };
                    let at_most = budget(&go, Color::White, ms(20)).at_most.unwrap();
                    assert!(at_most <= ms(left.saturating_sub(20).max(2) / 2), "{go:?}");
                }
            }
        }
    }

    proptest! {
        /// Every move loses the overhead in addition to all of its time budget.
        #[test]
        fn an_increment_above_the_overhead_is_enough_for_ever(
            left in 700..100_000_u64,
            winc in 21..2000_u64,
            overhead in 0..=20_u64,
        ) {
            let mut left = ms(left);
            for number in 0..500 {
                let go = Go { wtime: Some(left), winc: Some(ms(winc)), ..Go::default() };
                let spent = budget(&go, Color::White, ms(20)).at_most.unwrap() + ms(overhead);
                prop_assert!(spent < left, "move {number} takes {spent:?} of {left:?}");
                left = left.saturating_sub(spent) + ms(winc);
            }
        }
    }

    #[test]
    fn a_time_for_the_move_is_used_up() {
        let go = Go {
            movetime: Some(ms(100)),
            ..Go::default()
        };
        assert_eq!(budget_ms(&go, Color::White), (None, Some(80)));
    }

    #[test]
    fn without_a_clock_there_is_no_limit() {
        let go = Go::default();
        assert_eq!(budget_ms(&go, Color::White), (None, None));
        let go = Go {
            infinite: true,
            wtime: Some(ms(5)),
            ..Go::default()
        };
        assert_eq!(budget_ms(&go, Color::White), (None, None));
    }
}
