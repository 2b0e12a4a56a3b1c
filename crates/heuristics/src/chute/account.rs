//! Running accounts: position scores from move scores.

use super::{Interpretation, Interpretations, MoveScores, N_HEURISTICS};

/// The running accounts that turn a game's move scores into position scores.
///
/// Each side keeps an account of every heuristic. The position score of a move is the mover's
/// account of two plies ago, minus the score of the opponent's last move, plus the score of this move:
/// H(n, i) = H(n, i-2) - M(n, i-1) + M(n, i), with H(n, 0) = 0 and H(n, 1) = M(n, 1). Where the
/// account would reach before the game (H(n, -1)) it is 0, so that H(n, 2) = M(n, 2) - M(n, 1).
///
/// # Source
/// Sugar 1975, section 3.2.2, pp. 52-53. For another interpretation see [`Interpretation::UnsignedAccounts`].
///
/// # Examples
/// ```
/// use kibitz_heuristics::chute::{Accounts, N_HEURISTICS};
///
/// let mut accounts = Accounts::new();
/// let mut h = |score| accounts.play(&[score; N_HEURISTICS])[0];
/// assert_eq!((h(5.0), h(3.0), h(2.0), h(1.0)), (5.0, -2.0, 4.0, -3.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Accounts {
    /// Accounts of the side to move, as of its last move.
    mover: MoveScores,
    /// Accounts of the other side, as of its last move.
    opponent: MoveScores,
    /// Scores of the move just played.
    last: MoveScores,
    /// Whether scores enter without their signs.
    is_unsigned: bool,
}

impl Default for Accounts {
    fn default() -> Accounts {
        Accounts::new()
    }
}

impl Accounts {
    /// The accounts at the start of a game.
    pub fn new() -> Accounts {
        Accounts::read(Interpretations::NONE)
    }

    /// The accounts at the start of a game under some interpretations, of which only
    /// [`Interpretation::UnsignedAccounts`] matters.
    pub fn read(interpretations: Interpretations) -> Accounts {
        let zero = [0.0; N_HEURISTICS];
        Accounts {
            mover: zero,
            opponent: zero,
            last: zero,
            is_unsigned: interpretations.has(Interpretation::UnsignedAccounts),
        }
    }

    /// Position scores of a move with these scores, without playing it: the report's conversion for the
    /// program's own choice.
    pub fn preview(&self, scores: &MoveScores) -> MoveScores {
        let mut position = self.mover;
        for (n, value) in position.iter_mut().enumerate() {
            *value += self.entry(scores[n]) - self.last[n];
        }
        position
    }

    /// Position scores of the move played; its scores enter the accounts.
    pub fn play(&mut self, scores: &MoveScores) -> MoveScores {
        let position = self.preview(scores);
        *self = Accounts {
            mover: self.opponent,
            opponent: position,
            last: scores.map(|score| self.entry(score)),
            is_unsigned: self.is_unsigned,
        };
        position
    }

    /// The entry of a score in the accounts.
    fn entry(&self, score: f64) -> f64 {
        if self.is_unsigned { score.abs() } else { score }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn all(score: f64) -> MoveScores {
        [score; N_HEURISTICS]
    }

    #[test]
    fn a_preview_leaves_the_accounts_alone() {
        let mut accounts = Accounts::new();
        accounts.play(&all(5.0));
        let before = accounts.clone();
        assert_eq!(accounts.preview(&all(9.0)), all(4.0));
        assert_eq!(accounts, before);
    }

    #[test]
    fn scores_may_enter_without_their_signs() {
        let mut accounts =
            Accounts::read(Interpretations::NONE.with(Interpretation::UnsignedAccounts));
        let mut play = |score| accounts.play(&all(score))[0];
        assert_eq!((play(-5.0), play(3.0), play(-2.0)), (5.0, -2.0, 4.0));
    }

    proptest! {
        #[test]
        fn accounts_follow_the_recurrence(moves in vec(-1000..1000_i32, 1..60)) {
            let m: Vec<f64> = moves.iter().copied().map(f64::from).collect();
            let mut accounts = Accounts::new();
            let mut h = vec![0.0];
            for i in 1..=m.len() {
                let two_plies_ago = if i >= 2 { h[i - 2] } else { 0.0 };
                let opponents_move = if i >= 2 { m[i - 2] } else { 0.0 };
                h.push(two_plies_ago - opponents_move + m[i - 1]);
                prop_assert_eq!(accounts.play(&all(m[i - 1])), all(h[i]));
            }
        }
    }
}
