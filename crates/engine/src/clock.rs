//! Time management.

use std::time::Duration;

use kibitz_board::Color;
use uci_parser::UciSearchOptions;

/// Expected number of moves to go without a known time control.
const MOVES_TO_GO: u32 = 30;

/// The time budget of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Hard limit: the search stops after this time.
    pub(crate) at_most: Option<Duration>,
    /// Soft limit: the time that the move should take.
    pub(crate) share: Option<Duration>,
}

/// The time budget for a move of `mover`, less the `overhead` of communication.
pub(crate) fn budget(go: &UciSearchOptions, mover: Color, overhead: Duration) -> Budget {
    let usable = |time: Duration| time.saturating_sub(overhead).max(Duration::from_millis(1));
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
    let left = usable(left);
    let share = (left / moves + increment.unwrap_or_default() * 3 / 4).min(left / 2);
    Budget {
        at_most: Some((share * 2).min(left / 2).max(Duration::from_millis(1))),
        share: Some(share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn budget_ms(go: &UciSearchOptions, mover: Color) -> (Option<u128>, Option<u128>) {
        let budget = budget(go, mover, ms(20));
        (
            budget.share.map(|share| share.as_millis()),
            budget.at_most.map(|time| time.as_millis()),
        )
    }

    #[test]
    fn time_is_shared_among_the_moves_to_come() {
        let clock = UciSearchOptions {
            wtime: Some(ms(31_020)),
            btime: Some(ms(5)),
            ..UciSearchOptions::default()
        };
        let of_white = |go: &UciSearchOptions| budget_ms(go, Color::White);
        assert_eq!(of_white(&clock), (Some(1000), Some(2000)));
        let bonus = UciSearchOptions {
            winc: Some(ms(400)),
            ..clock.clone()
        };
        assert_eq!(of_white(&bonus), (Some(1300), Some(2600)));
        let last = UciSearchOptions {
            movestogo: Some(1),
            ..clock.clone()
        };
        assert_eq!(of_white(&last), (Some(15_500), Some(15_500)));
        // A second for the whole game.
        let second = UciSearchOptions {
            wtime: Some(ms(1000)),
            ..clock.clone()
        };
        assert_eq!(of_white(&second), (Some(31), Some(63)));
        // A flag about to fall, or fallen.
        assert_eq!(budget_ms(&clock, Color::Black), (Some(0), Some(1)));
    }

    #[test]
    fn the_clock_is_never_played_to_its_end() {
        for left in [0, 1, 19, 20, 21, 100, 1000, 60_000] {
            for winc in [0, 100, 60_000] {
                for movestogo in [None, Some(0), Some(1), Some(40)] {
                    let go = UciSearchOptions {
                        wtime: Some(ms(left)),
                        winc: Some(ms(winc)),
                        movestogo,
                        ..UciSearchOptions::default()
                    };
                    let at_most = budget(&go, Color::White, ms(20)).at_most.unwrap();
                    assert!(at_most <= ms(left.saturating_sub(20).max(2) / 2), "{go:?}");
                }
            }
        }
    }

    #[test]
    fn a_time_for_the_move_is_used_up() {
        let go = UciSearchOptions {
            movetime: Some(ms(100)),
            ..UciSearchOptions::default()
        };
        assert_eq!(budget_ms(&go, Color::White), (None, Some(80)));
    }

    #[test]
    fn without_a_clock_there_is_no_limit() {
        let go = UciSearchOptions::default();
        assert_eq!(budget_ms(&go, Color::White), (None, None));
        let go = UciSearchOptions {
            infinite: true,
            wtime: Some(ms(5)),
            ..UciSearchOptions::default()
        };
        assert_eq!(budget_ms(&go, Color::White), (None, None));
    }
}
