//! Evaluations and clocks in comments.

use std::fmt;

use kibitz_board::Color;

use super::lichess::{CEILING, win_percent};

/// What an engine, or the rules, say of a position, from White's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluation {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many moves, given by White if positive, by Black if negative; never 0.
    Mate(i32),
    /// Checkmate is on the board; this side has won.
    Checkmate(Color),
}

impl Evaluation {
    /// White's chance of winning, in percent, by the curve of lichess; mates count as its ceiling.
    pub fn win_percent(self) -> f64 {
        match self {
            Self::Centipawns(centipawns) => win_percent(centipawns),
            Self::Mate(moves) => win_percent(CEILING * moves.signum()),
            Self::Checkmate(Color::White) => 100.0,
            Self::Checkmate(Color::Black) => 0.0,
        }
    }

    /// Whether it is a mate, on the board or to come.
    pub fn is_mate(self) -> bool {
        !matches!(self, Self::Centipawns(_))
    }
}

/// As lichess writes it: `0.17`, `#-3`; `#` for a checkmate on the board.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centipawns(centipawns) => write!(f, "{:.2}", f64::from(*centipawns) / 100.0),
            Self::Mate(moves) => write!(f, "#{moves}"),
            Self::Checkmate(_) => f.write_str("#"),
        }
    }
}

/// The value of a command of a comment such as `[%eval 0.17]`.
fn command<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    comment.match_indices("[%").find_map(|(at, mark)| {
        let rest = comment[at + mark.len()..].strip_prefix(name)?;
        let rest = rest.strip_prefix(char::is_whitespace)?;
        Some(rest.split(']').next().unwrap_or(rest).trim())
    })
}

/// The evaluation of a comment: in pawns, `[%eval 0.17]`, or as a mate, `[%eval #-3]`; a search depth
/// after a comma is ignored. `winner` has given checkmate in the position, if anybody has.
///
/// # Errors
/// The text of an evaluation that is not one; `#0` is one of a checkmate only.
///
/// # Examples
/// ```
/// use kibitz_players::accuracy::{Evaluation, evaluation_in};
/// let found = evaluation_in(" [%eval -1.05,20] [%clk 0:05:00] ", None);
/// assert_eq!(found, Some(Ok(Evaluation::Centipawns(-105))));
/// assert_eq!(evaluation_in("[%eval #-3]", None), Some(Ok(Evaluation::Mate(-3))));
/// assert_eq!(evaluation_in("[%eval good]", None), Some(Err("good")));
/// assert_eq!(evaluation_in("a good move", None), None);
/// ```
pub fn evaluation_in(comment: &str, winner: Option<Color>) -> Option<Result<Evaluation, &str>> {
    let text = command(comment, "eval")?;
    if let Some(winner) = winner {
        return Some(Ok(Evaluation::Checkmate(winner)));
    }
    let value = text.split(',').next().unwrap_or(text).trim();
    let evaluation = if let Some(moves) = value.strip_prefix('#') {
        let moves = moves.parse().ok();
        moves.filter(|&moves| moves != 0).map(Evaluation::Mate)
    } else {
        let pawns = value.parse().ok();
        pawns.and_then(centipawns).map(Evaluation::Centipawns)
    };
    Some(evaluation.ok_or(text))
}

/// Pawns as centipawns; `None` for what no engine says.
fn centipawns(pawns: f64) -> Option<i32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range has been checked"
    )]
    let rounded = (100.0 * pawns).round() as i32;
    (pawns.abs() <= 1e6).then_some(rounded)
}

/// The time left in a comment such as `[%clk 0:09:58]`, in seconds.
///
/// # Examples
/// ```
/// use kibitz_players::accuracy::clock_in;
/// assert_eq!(clock_in("[%eval 0.17] [%clk 1:09:58.5]"), Some(4198.5));
/// assert_eq!(clock_in("[%clk soon]"), None);
/// ```
pub fn clock_in(comment: &str) -> Option<f64> {
    let parts = command(comment, "clk")?.split(':');
    parts.take(4).try_fold(0.0, |seconds, part| {
        let value: f64 = part.trim().parse().ok()?;
        (0.0..1e6)
            .contains(&value)
            .then_some(60.0 * seconds + value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(comment: &str) -> Option<Result<Evaluation, &str>> {
        evaluation_in(comment, None)
    }

    #[test]
    fn evaluations_are_written_as_they_are_read() {
        for text in ["0.17", "-12.30", "#3", "#-3", "0.00"] {
            let comment = format!("[%eval {text}]");
            assert_eq!(read(&comment).unwrap().unwrap().to_string(), text);
        }
        assert_eq!(read("[%evaluation 1]"), None);
        assert_eq!(
            read("[%clk 0:01:00][%eval\t+0.5 ]"),
            Some(Ok(Evaluation::Centipawns(50)))
        );
    }

    #[test]
    fn what_is_no_evaluation_is_an_error() {
        for text in ["#0", "#-0", "#", "inf", "NaN", "1e9", "", "0.17 x"] {
            let comment = format!("[%eval {text}]");
            assert_eq!(read(&comment), Some(Err(text)));
        }
        let mated = evaluation_in("[%eval #0]", Some(Color::Black));
        assert_eq!(mated, Some(Ok(Evaluation::Checkmate(Color::Black))));
        assert!(Evaluation::Checkmate(Color::Black).win_percent() <= 0.0);
    }
}
