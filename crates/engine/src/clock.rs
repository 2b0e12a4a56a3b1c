//! How long to think.

use std::time::Duration;

use kibitz_board::Color;
use uci_parser::UciSearchOptions;

/// Moves that a game is expected to go on for when nothing is said of the next time control.
const MOVES_TO_GO: u32 = 30;

/// How long to think about a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Budget {
    /// The search is stopped after this time.
    pub(crate) at_most: Option<Duration>,
    /// No new depth is begun after this time.
    pub(crate) no_new_depth: Option<Duration>,
}

/// The time for a move of `mover`, of which `overhead` is lost on the way.
pub(crate) fn budget(go: &UciSearchOptions, mover: Color, overhead: Duration) -> Budget {
    let usable = |time: Duration| time.saturating_sub(overhead).max(Duration::from_millis(1));
    if go.infinite {
        return Budget::default();
    }
    if let Some(time) = go.movetime {
        return Budget {
            at_most: Some(usable(time)),
            no_new_depth: None,
        };
    }
    let (left, increment) = match mover {
        Color::White => (go.wtime, go.winc),
        Color::Black => (go.btime, go.binc),
    };
    let Some(left) = left else {
        return Budget::default();
    };
    // One move more than there are, so that the last before the control is not played to the end of
    // the clock.
    let moves = go.movestogo.unwrap_or(MOVES_TO_GO).clamp(1, 100) + 1;
    let share = left / moves + increment.unwrap_or_default() * 3 / 4;
    let at_most = usable(share.min(left / 2));
    Budget {
        at_most: Some(at_most),
        no_new_depth: Some(at_most / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at_most(go: &UciSearchOptions) -> Option<Duration> {
        budget(go, Color::White, ms(20)).at_most
    }

    #[test]
    fn time_is_shared_among_the_moves_to_come() {
        let clock = UciSearchOptions {
            wtime: Some(ms(31_000)),
            btime: Some(ms(5)),
            ..UciSearchOptions::default()
        };
        assert_eq!(at_most(&clock), Some(ms(980)));
        let bonus = UciSearchOptions {
            winc: Some(ms(400)),
            ..clock.clone()
        };
        assert_eq!(at_most(&bonus), Some(ms(1280)));
        let last = UciSearchOptions {
            movestogo: Some(1),
            ..clock.clone()
        };
        assert_eq!(at_most(&last), Some(ms(15_480)));
        // A flag about to fall, or fallen.
        assert_eq!(budget(&clock, Color::Black, ms(20)).at_most, Some(ms(1)));
    }

    #[test]
    fn a_time_for_the_move_is_used_up() {
        let go = UciSearchOptions {
            movetime: Some(ms(100)),
            ..UciSearchOptions::default()
        };
        let budget = budget(&go, Color::White, ms(20));
        assert_eq!((budget.at_most, budget.no_new_depth), (Some(ms(80)), None));
    }

    #[test]
    fn without_a_clock_there_is_no_limit() {
        assert_eq!(at_most(&UciSearchOptions::default()), None);
        let go = UciSearchOptions {
            infinite: true,
            wtime: Some(ms(5)),
            ..UciSearchOptions::default()
        };
        assert_eq!(at_most(&go), None);
    }
}
