//! Records of games: the seeded boards that a player met, its moves, and how they ended.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::{
    board::{Board, FirstClick, TooManyMines},
    game::Game,
    grid::Tile,
    level::Level,
    player::{Action, Player},
    series::Series,
};

/// A game as it was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameRecord {
    /// Its number in the series.
    pub number: u64,
    /// Whether every tile without a mine was uncovered.
    pub is_won: bool,
    /// The tiles that hold mines, in ascending order.
    pub mines: Vec<Tile>,
    /// The tiles uncovered, in order; not those that a zero uncovered, and no marks.
    pub moves: Vec<Tile>,
}

/// An error in a record; tiles are numbered row by row from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// The level has no room for its mines.
    #[error(transparent)]
    Mines(#[from] TooManyMines),
    /// A tile that the board has not.
    #[error("the board has no tile {0}")]
    Outside(Tile),
    /// No move.
    #[error("it has no move")]
    NoMove,
    /// Other mines than the seed lays.
    #[error("the seed lays other mines for a first click on tile {first}")]
    OtherMines {
        /// The first click.
        first: Tile,
    },
    /// A move that changes nothing.
    #[error("move {number} changes nothing: tile {tile} is uncovered already, or the game is over")]
    Idle {
        /// Number of the move, from one.
        number: usize,
        /// Its tile.
        tile: Tile,
    },
    /// Moves that end before the game does.
    #[error("the game is not over after its last move, {number}")]
    Unfinished {
        /// Number of the last move.
        number: usize,
    },
    /// Another end.
    #[error("the moves {}, and the record says the contrary", end(*.is_won))]
    OtherEnd {
        /// Whether the moves win.
        is_won: bool,
    },
}

fn end(is_won: bool) -> &'static str {
    if is_won { "win" } else { "do not win" }
}

impl GameRecord {
    /// Lets a player play a game of a series.
    ///
    /// # Errors
    /// [`TooManyMines`] if there is no room.
    pub fn play(
        series: &Series,
        number: u64,
        player: &mut dyn Player,
    ) -> Result<Self, TooManyMines> {
        let mut moves = Vec::new();
        let outcome = series.play(number, player, |_, next| {
            if let Action::Uncover(tile) = next.action {
                moves.push(tile);
            }
        })?;
        let board = series.board(number, moves.first().copied().unwrap_or(0))?;
        Ok(Self {
            number,
            is_won: outcome.is_won,
            mines: board.mines().collect(),
            moves,
        })
    }

    /// Replays it: the seed of the series lays these mines for the first click, every move uncovers a
    /// tile, and the game ends as it says.
    ///
    /// # Errors
    /// [`RecordError`], the first one.
    pub fn check(&self, series: &Series) -> Result<(), RecordError> {
        let grid = &series.level.grid;
        let mut tiles = self.mines.iter().chain(&self.moves);
        if let Some(tile) = tiles.find(|tile| **tile >= grid.n_tiles()) {
            return Err(RecordError::Outside(*tile));
        }
        let first = *self.moves.first().ok_or(RecordError::NoMove)?;
        let board = series.board(self.number, first)?;
        if !board.mines().eq(self.mines.iter().copied()) {
            return Err(RecordError::OtherMines { first });
        }
        self.check_moves(&board)
    }

    /// Replays the moves on a board.
    fn check_moves(&self, board: &Board) -> Result<(), RecordError> {
        let mut game = Game::new(board);
        for (number, tile) in (1..).zip(&self.moves) {
            if !game.uncover(*tile) {
                return Err(RecordError::Idle {
                    number,
                    tile: *tile,
                });
            }
        }
        let is_alive = game.exploded().is_none();
        let is_won = is_alive && game.knowledge().is_won();
        if is_alive && !is_won {
            let number = self.moves.len();
            return Err(RecordError::Unfinished { number });
        }
        if is_won == self.is_won {
            Ok(())
        } else {
            Err(RecordError::OtherEnd { is_won })
        }
    }
}

/// The columns of a file of records.
pub const RECORD_COLUMNS: &str = "level,first_click,seed,game,won,mines,moves";

/// A record as a line of a file, with what lays its board: comma-separated, tiles between blanks.
///
/// Each line can be checked alone, by this crate or by any program that counts mines around tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLine {
    /// Columns, rows and mines.
    pub level: Level,
    /// Protection of the first click.
    pub first_click: FirstClick,
    /// Seed of the series, see [`Series::seeded`].
    pub seed: u64,
    /// The game.
    pub game: GameRecord,
}

/// A line that is not a record: the column, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("column `{column}`: `{found}` is not {wanted}")]
pub struct RecordLineError {
    /// The column.
    pub column: &'static str,
    /// The text there.
    pub found: String,
    /// What was expected.
    pub wanted: &'static str,
}

impl RecordLine {
    /// The series of the game.
    pub fn series(&self) -> Series {
        let mut series = Series::seeded(&self.level, self.seed);
        series.first_click = self.first_click;
        series
    }

    /// Reads a line below [`RECORD_COLUMNS`].
    ///
    /// # Errors
    /// [`RecordLineError`], the first one.
    pub fn from_text(line: &str) -> Result<Self, RecordLineError> {
        let mut words = line.split(',');
        let mut next = |column| (column, words.next().unwrap_or(""));
        let level = next("level");
        let first_click = next("first_click");
        let seed = next("seed");
        let number = next("game");
        let won = next("won");
        let mines = next("mines");
        let moves = next("moves");
        let more = words.next();
        let record = Self {
            level: parsed(level, "columns, rows and mines, as in `30x16/99`")?,
            first_click: parsed(first_click, "unprotected, safe or opening")?,
            seed: parsed(seed, "an integer")?,
            game: GameRecord {
                number: parsed(number, "an integer")?,
                is_won: parsed(won, "true or false")?,
                mines: tiles(mines)?,
                moves: tiles(moves)?,
            },
        };
        let n_mines = record.game.mines.iter().collect::<BTreeSet<_>>().len();
        if n_mines != record.level.n_mines {
            return Err(wrong(mines, "as many tiles as the level has mines"));
        }
        match more {
            Some(found) => Err(wrong(("moves", found), "the last column")),
            None => Ok(record),
        }
    }

    /// The line, without its end.
    pub fn to_text(&self) -> String {
        let blanks = |tiles: &[Tile]| {
            let words: Vec<String> = tiles.iter().map(Tile::to_string).collect();
            words.join(" ")
        };
        let GameRecord {
            number,
            is_won,
            mines,
            moves,
        } = &self.game;
        format!(
            "{},{},{},{number},{is_won},{},{}",
            self.level,
            self.first_click,
            self.seed,
            blanks(mines),
            blanks(moves)
        )
    }
}

fn wrong((column, found): (&'static str, &str), wanted: &'static str) -> RecordLineError {
    RecordLineError {
        column,
        found: found.to_owned(),
        wanted,
    }
}

fn parsed<T: std::str::FromStr>(
    (column, found): (&'static str, &str),
    wanted: &'static str,
) -> Result<T, RecordLineError> {
    found.parse().map_err(|_| wrong((column, found), wanted))
}

fn tiles((column, found): (&'static str, &str)) -> Result<Vec<Tile>, RecordLineError> {
    let words = found.split_ascii_whitespace();
    words
        .map(|word| parsed((column, word), "the number of a tile"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerName;

    fn recorded(level: &str, first_click: FirstClick, number: u64) -> RecordLine {
        let mut record = RecordLine {
            level: level.parse().unwrap(),
            first_click,
            seed: 5,
            game: GameRecord::default(),
        };
        let mut player = PlayerName::LookAhead.player();
        record.game = GameRecord::play(&record.series(), number, player.as_mut()).unwrap();
        record
    }

    #[test]
    fn records_are_right_and_read_again() {
        for first_click in FirstClick::ALL {
            for number in 0..40 {
                let record = recorded("9x9/10", first_click, number);
                assert_eq!(record.game.check(&record.series()), Ok(()));
                assert_eq!(RecordLine::from_text(&record.to_text()), Ok(record));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let record = recorded("5x4/3", FirstClick::Safe, 0);
        let said = |change: &dyn Fn(&mut RecordLine)| {
            let mut changed = record.clone();
            change(&mut changed);
            changed
                .game
                .check(&changed.series())
                .unwrap_err()
                .to_string()
        };
        let read = |from: &str, to: &str| {
            let text = record.to_text().replacen(from, to, 1);
            RecordLine::from_text(&text).unwrap_err().to_string()
        };
        let all = [
            record.to_text(),
            said(&|record| record.game.is_won ^= true),
            said(&|record| record.seed += 1),
            said(&|record| record.game.moves.clear()),
            said(&|record| record.game.moves.insert(1, record.game.moves[0])),
            said(&|record| record.game.moves[0] = 20),
            read("5x4/3", "5x4"),
            read("safe", "sure"),
            read(",0,", ",one,"),
            read("true", "yes"),
            read(",0 ", ",0x "),
            read("5x4/3", "5x4/2"),
            RecordLine::from_text(&(record.to_text() + ","))
                .unwrap_err()
                .to_string(),
            RecordLine::from_text("").unwrap_err().to_string(),
        ];
        insta::assert_snapshot!(all.join("\n"));
    }
}
