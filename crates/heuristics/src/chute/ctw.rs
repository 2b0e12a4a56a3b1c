//! Closeness to win (CTW): the ideal score of a position of a finished game.
//!
//! The score is 1/N for the side that will win and -1/N for the side that will lose, N being the
//! number of plies from the position to the end. Also here: the valid records of an annotated game,
//! and the phase of a ply. Plies are counted from 1, White's first move.
//!
//! # Source
//! Sugar 1975, sections 2.3.3, 3.2.2 and 3.2.3.

/// How a decisive game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By checkmate.
    Checkmate,
    /// By resignation, or by anything else short of mate.
    Resignation,
}

/// Plies to add to a game so that it ends in mate: none if it did; after a resignation 4 if the
/// game had more than 30 moves, else 6.
///
/// A game of `n_plies` has as many moves as White made. The report leaves open a game of exactly
/// 30 moves; we add 6 plies, since it has not more than 30 moves.
///
/// # Source
/// Sugar 1975, section 3.2.3, pp. 53-54.
fn credited_plies(n_plies: usize, ending: Ending) -> usize {
    match ending {
        Ending::Checkmate => 0,
        Ending::Resignation if n_plies.div_ceil(2) > 30 => 4,
        Ending::Resignation => 6,
    }
}

/// The ideal score of the position before ply `ply` of a game of `n_plies` plies: 1/N if the side to
/// move `wins`, else -1/N.
///
/// The report leaves open how the last position counts; we give the position before the last ply
/// N = 1 before any credited plies, as N is the number of plies from the position to the end.
///
/// `None` if the game has no such ply.
///
/// # Examples
/// ```
/// use kibitz_heuristics::chute::ctw::{Ending, score};
///
/// // Twenty plies before a mate.
/// assert_eq!(score(61, 80, Ending::Checkmate, true), Some(0.05));
/// assert_eq!(score(61, 80, Ending::Checkmate, false), Some(-0.05));
/// ```
pub fn score(ply: usize, n_plies: usize, ending: Ending, wins: bool) -> Option<f64> {
    if ply == 0 || ply > n_plies {
        return None;
    }
    let n = n_plies - ply + 1 + credited_plies(n_plies, ending);
    let score = 1.0 / n as f64;
    Some(if wins { score } else { -score })
}

/// The first ply with a valid record: the one after the last doubtful move ('?').
///
/// A doubtful move is not ideal, and every score before it is void. `doubtful` need not be sorted;
/// without doubtful moves the first ply counts.
///
/// # Source
/// Sugar 1975, section 3.2.3, p. 54. Running accounts are computed over the whole game first.
pub(super) fn first_valid_ply(doubtful: impl IntoIterator<Item = usize>) -> usize {
    doubtful.into_iter().max().unwrap_or(0) + 1
}

/// Phase of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Plies below 16.
    Opening,
    /// Plies 16 to 60.
    MiddleGame,
    /// Plies above 60.
    Endgame,
}

impl Phase {
    /// All phases, in the order of play.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::MiddleGame, Phase::Endgame];

    /// The phase of a ply.
    ///
    /// # Source
    /// Sugar 1975, section 3.3.1, p. 56, which calls these bounds crude.
    pub fn of(ply: usize) -> Phase {
        match ply {
            ..16 => Phase::Opening,
            16..=60 => Phase::MiddleGame,
            _ => Phase::Endgame,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resignations_are_credited_by_length() {
        // 60 plies are 30 moves, 61 plies are 31.
        assert_eq!(credited_plies(60, Ending::Resignation), 6);
        assert_eq!(credited_plies(61, Ending::Resignation), 4);
        assert_eq!(credited_plies(43, Ending::Resignation), 6);
        assert_eq!(credited_plies(61, Ending::Checkmate), 0);
    }

    #[test]
    fn scores_count_down_to_the_end() {
        assert_eq!(score(10, 10, Ending::Checkmate, true), Some(1.0));
        assert_eq!(score(9, 10, Ending::Checkmate, false), Some(-0.5));
        assert_eq!(score(80, 80, Ending::Resignation, true), Some(0.2));
        assert_eq!(score(43, 43, Ending::Resignation, false), Some(-1.0 / 7.0));
        assert_eq!(score(0, 10, Ending::Checkmate, true), None);
        assert_eq!(score(11, 10, Ending::Checkmate, true), None);
    }

    #[test]
    fn everything_up_to_the_last_doubtful_move_is_void() {
        assert_eq!(first_valid_ply([]), 1);
        assert_eq!(first_valid_ply([26]), 27);
        assert_eq!(first_valid_ply([26, 8, 12]), 27);
    }

    #[test]
    fn phases_are_bounded_by_16_and_60() {
        use Phase::{Endgame, MiddleGame, Opening};
        let phases = [1, 15, 16, 60, 61].map(Phase::of);
        assert_eq!(phases, [Opening, Opening, MiddleGame, MiddleGame, Endgame]);
    }
}
