//! Boards and positions as text.
//!
//! The first line is the [`Level`]; then one line a row, one character a tile. Empty lines and
//! lines that begin with `#` do not count. A board has `*` for a mine and `.` for any other tile:
//! ```text
//! # a board
//! 4x3/2
//! ....
//! .*.*
//! ....
//! ```
//! A position has `.` for a covered tile, `F` for one that is marked, and digits:
//! ```text
//! 4x3/2
//! 112.
//! 1F..
//! 11..
//! ```

use std::fmt::{self, Write as _};
use std::ops::Range;

use thiserror::Error;

use crate::{
    board::Board,
    grid::Tile,
    knowledge::{Knowledge, View},
    level::{Level, LevelError},
};

/// A mistake in a text, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct TextError {
    /// The line, from one.
    pub line: usize,
    /// The column in characters, from one.
    pub column: usize,
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// The mistake.
    pub problem: TextProblem,
}

/// All mistakes in a text, from top to bottom; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextErrors(pub Vec<TextError>);

impl fmt::Display for TextErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(TextError::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for TextErrors {}

/// What can be wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextProblem {
    /// The first line is no level.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// There is no first line.
    #[error("the text is empty; the first line says columns, rows and mines as in `30x16/99`")]
    Empty,
    /// A row has another length than the first line says.
    #[error("this row has {found} tiles, the first line says {wanted}")]
    Ragged {
        /// Characters of the row.
        found: usize,
        /// Columns of the board.
        wanted: usize,
    },
    /// There are fewer or more rows than the first line says.
    #[error("there are {found} rows, the first line says {wanted}")]
    Rows {
        /// Rows of the text.
        found: usize,
        /// Rows of the board.
        wanted: usize,
    },
    /// A character that means nothing.
    #[error("`{found}` is not a tile: {wanted}")]
    Tile {
        /// The character.
        found: char,
        /// What there can be.
        wanted: &'static str,
    },
    /// A board with another number of mines than the first line says.
    #[error("the board has {found} mines, the first line says {wanted}")]
    Mines {
        /// Mines of the board.
        found: usize,
        /// Mines of the level.
        wanted: usize,
    },
    /// More marks than mines.
    #[error("this is the {n_marked}. mark, and there are {n_mines} mines")]
    TooManyMarks {
        /// Marks up to here.
        n_marked: usize,
        /// Mines of the level.
        n_mines: usize,
    },
    /// Fewer covered tiles than mines.
    #[error("{n_mines} mines do not go on {n_covered} covered tiles")]
    TooManyMines {
        /// Mines of the level.
        n_mines: usize,
        /// Covered tiles, marked or not.
        n_covered: usize,
    },
    /// A number that the tiles around it do not allow.
    #[error(
        "a {number} cannot have {n_marked} marks and {n_covered} other covered tiles around it"
    )]
    Number {
        /// What is shown.
        number: u8,
        /// Marks around it.
        n_marked: usize,
        /// Covered tiles around it that are not marked.
        n_covered: usize,
    },
}

/// A part of a line.
#[derive(Clone, Debug)]
struct Place {
    line: usize,
    column: usize,
    span: Range<usize>,
}

impl Place {
    fn error(&self, problem: TextProblem) -> TextError {
        TextError {
            line: self.line,
            column: self.column,
            span: self.span.clone(),
            problem,
        }
    }
}

/// The lines that count, with their places.
fn lines(text: &str) -> impl Iterator<Item = (Place, &str)> {
    let mut next = 0;
    let lines = (1..)
        .zip(text.split_inclusive('\n'))
        .map(move |(line, text)| {
            let (start, text_only) = (next, text.trim_end());
            next += text.len();
            let place = Place {
                line,
                column: 1,
                span: start..start + text_only.len(),
            };
            (place, text_only)
        });
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The level and the tiles of a text.
struct Parsed<T> {
    level: Level,
    /// Where the level stands.
    place: Place,
    tiles: Vec<(Place, T)>,
}

/// The tiles of a text by what `tile` makes of each character, or all mistakes of its form.
fn parse<T>(
    text: &str,
    wanted: &'static str,
    tile: impl Fn(char) -> Option<T>,
) -> Result<Parsed<T>, TextErrors> {
    let mut lines = lines(text);
    let Some((first, line)) = lines.next() else {
        let place = Place {
            line: 1,
            column: 1,
            span: 0..0,
        };
        return Err(TextErrors(vec![place.error(TextProblem::Empty)]));
    };
    let level: Result<Level, LevelError> = line.parse();
    let size = level
        .as_ref()
        .map(|level| (level.grid.width(), level.grid.height()));
    let mut errors = Vec::new();
    let mut tiles = Vec::new();
    let mut n_rows = 0;
    let mut last = first.clone();
    for (row, line) in lines {
        n_rows += 1;
        let n_characters = line.chars().count();
        for (column, (at, found)) in (1..).zip(line.char_indices()) {
            let start = row.span.start + at;
            let place = Place {
                line: row.line,
                column,
                span: start..start + found.len_utf8(),
            };
            match tile(found) {
                Some(value) => tiles.push((place, value)),
                None => errors.push(place.error(TextProblem::Tile { found, wanted })),
            }
        }
        if let Ok((width, _)) = size
            && n_characters != width
        {
            let column = n_characters.min(width);
            let at = line
                .char_indices()
                .nth(column)
                .map_or(line.len(), |(at, _)| at);
            let place = Place {
                line: row.line,
                column: column + 1,
                span: row.span.start + at..row.span.end,
            };
            errors.push(place.error(TextProblem::Ragged {
                found: n_characters,
                wanted: width,
            }));
        }
        last = row;
    }
    if let Ok((_, height)) = size
        && n_rows != height
    {
        errors.push(last.error(TextProblem::Rows {
            found: n_rows,
            wanted: height,
        }));
    }
    match level {
        Ok(level) if errors.is_empty() => Ok(Parsed {
            level,
            place: first,
            tiles,
        }),
        Ok(_) => Err(TextErrors(errors)),
        Err(problem) => {
            errors.insert(0, first.error(problem.into()));
            Err(TextErrors(errors))
        }
    }
}

impl Board {
    /// Reads a board.
    ///
    /// # Errors
    /// [`TextErrors`] with the place of each.
    ///
    /// # Examples
    /// ```
    /// use kibitz_minesweeper::Board;
    ///
    /// let board = Board::from_text("3x2/1\n..*\n...\n")?;
    /// assert_eq!(board.number(1), 1);
    /// let error = Board::from_text("3x2/1\n..*\n..\n").unwrap_err();
    /// assert_eq!(error.to_string(), "line 3, column 3: this row has 2 tiles, the first line says 3");
    /// # Ok::<(), kibitz_minesweeper::TextErrors>(())
    /// ```
    pub fn from_text(text: &str) -> Result<Self, TextErrors> {
        let wanted = "`*` is a mine, `.` any other tile";
        let Parsed {
            level,
            place,
            tiles,
        } = parse(text, wanted, |found| match found {
            '*' => Some(true),
            '.' => Some(false),
            _ => None,
        })?;
        let mines = (0..).zip(&tiles).filter(|(_, (_, is_mine))| *is_mine);
        let board = Self::new(&level.grid, mines.map(|(tile, _)| tile));
        if board.n_mines() == level.n_mines {
            return Ok(board);
        }
        let mines = TextProblem::Mines {
            found: board.n_mines(),
            wanted: level.n_mines,
        };
        Err(TextErrors(vec![place.error(mines)]))
    }

    /// The board as text; [`from_text`](Self::from_text) gives it back.
    pub fn to_text(&self) -> String {
        let level = Level {
            grid: self.grid().clone(),
            n_mines: self.n_mines(),
        };
        to_text(&level, |tile| if self.is_mine(tile) { '*' } else { '.' })
    }
}

impl Knowledge {
    /// Reads a position.
    ///
    /// What is refused here is wrong in itself: a number that its neighbors do not allow, too many
    /// marks or mines. Whether some arrangement of the mines agrees with all numbers at once is
    /// what [`Solver`](crate::Solver) finds out.
    ///
    /// # Errors
    /// [`TextErrors`] with the place of each.
    pub fn from_text(text: &str) -> Result<Self, TextErrors> {
        let wanted = "`.` is covered, `F` marked, and `0` to `8` are numbers";
        let Parsed {
            level,
            place,
            tiles,
        } = parse(text, wanted, |found| match found {
            '.' => Some(View::Covered),
            'F' => Some(View::Marked),
            '0'..='8' => u8::try_from(found)
                .ok()
                .map(|digit| View::Number(digit - b'0')),
            _ => None,
        })?;
        let n_mines = level.n_mines;
        let mut knowledge = Self::new(&level.grid, n_mines);
        let mut errors = Vec::new();
        for (tile, (place, view)) in tiles.iter().enumerate() {
            match *view {
                View::Covered => {}
                View::Marked => knowledge.mark(tile),
                View::Number(number) => knowledge.uncover(tile, number),
            }
            if *view == View::Marked && knowledge.mines_left() < 0 {
                errors.push(place.error(TextProblem::TooManyMarks {
                    n_marked: knowledge.n_marked(),
                    n_mines,
                }));
            }
        }
        for (tile, (place, view)) in tiles.iter().enumerate() {
            let View::Number(number) = *view else {
                continue;
            };
            let near = |view| {
                let near = level.grid.neighbors(tile);
                near.filter(|near| knowledge.view(*near) == view).count()
            };
            let (n_marked, n_covered) = (near(View::Marked), near(View::Covered));
            if !(n_marked..=n_marked + n_covered).contains(&usize::from(number)) {
                errors.push(place.error(TextProblem::Number {
                    number,
                    n_marked,
                    n_covered,
                }));
            }
        }
        let n_covered = knowledge.n_covered() + knowledge.n_marked();
        if n_covered < n_mines {
            errors.push(place.error(TextProblem::TooManyMines { n_mines, n_covered }));
        }
        if !errors.is_empty() {
            errors.sort_by_key(|error| error.span.start);
            return Err(TextErrors(errors));
        }
        Ok(knowledge)
    }

    /// The position as text; [`from_text`](Self::from_text) gives it back.
    pub fn to_text(&self) -> String {
        let level = Level {
            grid: self.grid().clone(),
            n_mines: self.n_mines(),
        };
        to_text(&level, |tile| match self.view(tile) {
            View::Covered => '.',
            View::Marked => 'F',
            View::Number(number) => char::from(b'0' + number),
        })
    }
}

fn to_text(level: &Level, tile: impl Fn(Tile) -> char) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{level}");
    for row in 0..level.grid.height() {
        let first = row * level.grid.width();
        text.extend((first..first + level.grid.width()).map(&tile));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Action, Game, Grid};

    prop_compose! {
        fn boards()(width in 1..9_usize, height in 1..9_usize)(
            width in Just(width), height in Just(height),
            is_mine in prop::collection::vec(prop::bool::weighted(0.2), width * height),
        ) -> Board {
            let mines = (0..).zip(is_mine).filter(|(_, is_mine)| *is_mine).map(|(tile, _)| tile);
            Board::new(&Grid::new(width, height).unwrap(), mines)
        }
    }

    proptest! {
        #[test]
        fn reading_undoes_writing(board in boards(), clicks in prop::collection::vec((0..64_usize, prop::bool::ANY), 0..20)) {
            prop_assert_eq!(&Board::from_text(&board.to_text()).unwrap(), &board);
            prop_assert_eq!(&Board::from_mbf(&board.to_mbf().unwrap()).unwrap(), &board);
            let mut game = Game::new(&board);
            for (tile, marks) in clicks {
                let tile = tile % board.grid().n_tiles();
                // A player who marks what is no mine may have no consistent position.
                game.act(if marks && board.is_mine(tile) { Action::Mark(tile) } else { Action::Uncover(tile) });
            }
            let knowledge = game.knowledge();
            prop_assert_eq!(&Knowledge::from_text(&knowledge.to_text()).unwrap(), knowledge);
        }

        #[test]
        fn any_text_is_answered(text in "[0-9x/.*F# \n]{0,40}", header in prop::bool::ANY) {
            let text = if header { format!("3x2/1\n{text}") } else { text };
            for error in [Board::from_text(&text).err(), Knowledge::from_text(&text).err()] {
                for error in error.into_iter().flat_map(|errors| errors.0) {
                    let n_lines = text.lines().count().max(1);
                    prop_assert!((1..=n_lines).contains(&error.line), "{}", error);
                    prop_assert!(text.get(error.span.clone()).is_some(), "{}", error);
                }
            }
        }
    }

    #[test]
    fn mistakes_have_a_place() {
        let position = |text: &str| Knowledge::from_text(text).unwrap_err().to_string();
        let board = |text: &str| Board::from_text(text).unwrap_err().to_string();
        let said = [
            board(""),
            board("# only this\n3 x 2\n"),
            board("0x2/1\n"),
            board("2x2/5\n"),
            board("2x2/1\n..\n.?\n"),
            board("2x2/1\n..\n...\n"),
            board("2x2/1\n..\n"),
            board("2x2/1\n**\n..\n"),
            position("2x2/1\n1*\n..\n"),
            position("2x2/1\n9.\n..\n"),
            position("3x2/2\n\n...\n4..\n"),
            position("3x2/2\n0F.\n...\n"),
            position("2x2/1\nFF\n..\n"),
            position("2x2/2\n11\n1.\n"),
            position("2x2/1\n\t?1x\n9..\n"),
            board("2x/1\n.?\n?*\n"),
        ];
        insta::assert_snapshot!(said.join("\n"));
    }
}
