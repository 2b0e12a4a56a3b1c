//! Series of games on the same seeded boards for every player.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use crate::{
    board::{Board, FirstClick, TooManyMines},
    game::{Game, Outcome},
    grid::GridIndex,
    knowledge::Knowledge,
    level::Level,
    player::{Action, Move, Player},
};

/// Seeded games by number: each has its own random streams for the board and for the player,
/// independent of other games.
///
/// With an unprotected first click every player gets the same boards; with a protected one they
/// differ in the mines that the first click displaces.
#[derive(Clone, Debug)]
pub struct Series {
    /// Shape and mines of the boards.
    pub level: Level,
    /// Protection of the first click.
    pub first_click: FirstClick,
    /// Whether uncovering a zero uncovers its neighbors.
    pub cascades: bool,
    /// Seed of all games.
    pub seed: [u8; 32],
}

impl Series {
    /// Games with an unprotected first click, in which zeros cascade.
    pub fn new(level: &Level, seed: [u8; 32]) -> Self {
        Self {
            level: level.clone(),
            first_click: FirstClick::Unprotected,
            cascades: true,
            seed,
        }
    }

    /// The same by a number, whose bytes are the first of the seed, the lowest first.
    pub fn seeded(level: &Level, seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self::new(level, bytes)
    }

    /// The generators of a game: for its board, and for its player.
    fn rngs(&self, number: u64) -> [ChaCha8Rng; 2] {
        [0, 1].map(|part| {
            let mut rng = ChaCha8Rng::from_seed(self.seed);
            rng.set_stream(2 * number + part);
            rng
        })
    }

    /// The board of a game with this first click.
    ///
    /// # Errors
    /// [`TooManyMines`] if there is no room.
    ///
    /// # Panics
    /// If the first click is not on the board.
    pub fn board(&self, number: u64, first: impl GridIndex) -> Result<Board, TooManyMines> {
        let [mut rng, _] = self.rngs(number);
        Board::random(
            &self.level.grid,
            self.level.n_mines,
            self.first_click,
            first,
            &mut rng,
        )
    }

    /// Lets a player, who knows the protection of the first click, play a game; `observe` is called with every move before it is made.
    ///
    /// # Errors
    /// [`TooManyMines`] if there is no room.
    pub fn play(
        &self,
        number: u64,
        player: &mut dyn Player,
        observe: impl FnMut(&Knowledge, &Move),
    ) -> Result<Outcome, TooManyMines> {
        let [_, mut rng] = self.rngs(number);
        let first = if self.first_click == FirstClick::Unprotected {
            0
        } else {
            // The board depends on the first click: the player chooses it on an empty one, and again.
            player.start();
            let empty = Knowledge::new(&self.level.grid, self.level.n_mines)
                .with_first_click(self.first_click);
            match player.choose(&empty, &mut rng.clone()) {
                Some(Move {
                    action: Action::Uncover(tile),
                    ..
                }) => tile,
                _ => 0,
            }
        };
        let board = self.board(number, first)?;
        let game = Game::new(&board).with_first_click(self.first_click);
        let mut game = if self.cascades {
            game
        } else {
            game.without_cascade()
        };
        Ok(game.play(player, &mut rng, observe))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerName;

    #[test]
    fn games_are_the_same_again_and_protected() {
        let mut series = Series::new(&"6x5/8".parse().unwrap(), [3; 32]);
        for first_click in [
            FirstClick::Unprotected,
            FirstClick::Safe,
            FirstClick::Opening,
        ] {
            series.first_click = first_click;
            let mut n_early = 0;
            for name in PlayerName::ALL {
                let mut player = name.player();
                for number in 0..40 {
                    let outcome = series.play(number, player.as_mut(), |_, _| ()).unwrap();
                    let again = series.play(number, player.as_mut(), |_, _| ()).unwrap();
                    assert_eq!(outcome, again, "{name}, game {number}");
                    n_early += usize::from(!outcome.is_won && outcome.n_moves == 1);
                }
            }
            assert_eq!(n_early > 0, first_click == FirstClick::Unprotected);
        }
        series.level.n_mines = 30;
        let mut player = PlayerName::Random.player();
        assert!(series.play(0, player.as_mut(), |_, _| ()).is_err());
    }
}
