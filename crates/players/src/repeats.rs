//! Games that occur more than once.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use kibitz_board::Game;
use kibitz_text::Diagnostic;

/// Counts games that repeat an earlier one, with eight bytes for each.
///
/// # Examples
/// ```
/// use kibitz_board::pgn;
/// use kibitz_players::RepeatedGames;
///
/// let text = "[White \"Ann\"]\n\n1. e4 e5 *\n\n[White \"Ann\"]\n\n1. e4 e5 *\n\n[White \"Bo\"]\n\n1. e4 e5 *\n";
/// let games = pgn::read_all("mine", text.as_bytes())?;
/// let (mut by_moves, mut by_players) = (RepeatedGames::default(), RepeatedGames::default());
/// for game in &games {
///     by_moves.add_moves(game);
///     by_players.add(game);
/// }
/// let remark = by_moves.remark().expect("there are two");
/// assert_eq!(remark.message, "2 games have the moves of another; they count, too");
/// let remark = by_players.remark().expect("there is one");
/// assert_eq!(remark.message, "1 game has the moves of another; it counts, too");
/// # Ok::<(), kibitz_board::pgn::ReadError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RepeatedGames {
    keys: BTreeSet<u64>,
    n_repeated: u64,
}

impl RepeatedGames {
    /// Adds a game of one player: it repeats another with the same moves, however names are written.
    pub fn add_moves(&mut self, game: &Game) {
        self.add_key(game.key());
    }

    /// Adds a game of any players: it repeats another with the same moves, names and date. Among many
    /// games short ones have the same moves by chance.
    pub fn add(&mut self, game: &Game) {
        let tags = game.tags();
        self.add_key((game.key(), &tags.white, &tags.black, tags.date.to_string()));
    }

    fn add_key(&mut self, key: impl Hash) {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        self.n_repeated += u64::from(!self.keys.insert(hasher.finish()));
    }

    /// A warning of how many repeat another; `None` if none does.
    pub fn remark(&self) -> Option<Diagnostic> {
        let text = match self.n_repeated {
            0 => return None,
            1 => "1 game has the moves of another; it counts, too".to_owned(),
            n => format!("{n} games have the moves of another; they count, too"),
        };
        Some(Diagnostic::warning(text))
    }
}
