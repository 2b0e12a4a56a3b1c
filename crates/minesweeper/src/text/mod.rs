//! Boards and positions as text.
//!
//! The first line is the [`Level`](crate::Level); then one line per row, one character per tile. Empty
//! lines and comments (`#` and text) are ignored. A board has `*` for a mine and `.` for any other tile:
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
//! This is the output format. Variants of other programs can be read: the [`SIGNS`] of positions, a byte
//! order mark, Windows line ends, blanks or tabs between tiles, a first line such as `30 x 16, 99 mines`,
//! or none. An ambiguous character in a position is an error.

mod contradiction;
mod layout;
mod signs;

use std::fmt::{self, Write as _};
use std::ops::Range;

use thiserror::Error;

use crate::{
    board::Board,
    grid::{Grid, Tile},
    knowledge::{Knowledge, View},
    level::LevelError,
    mines::Mines,
    words::{counted, mines, tiles},
};

use layout::{ParsedText, Signs, parse};
pub use signs::{SIGNS, Sign};

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

/// An error in a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextProblem {
    /// The first line is not a level.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// There is no first line.
    #[error("the text is empty; the first line says columns, rows and mines as in `30x16/99`")]
    Empty,
    /// A row has another length than the first line says.
    #[error("the first line announces another number of tiles: {wanted}, not {found}")]
    Ragged {
        /// Tiles of the row.
        found: usize,
        /// Columns of the board.
        wanted: usize,
    },
    /// A row has another length than the first row, where no line says how long they are.
    #[error("found {}; the first row has {wanted}", tiles(*found))]
    Uneven {
        /// Tiles of the row.
        found: usize,
        /// Tiles of the first row.
        wanted: usize,
    },
    /// The first line says rows before columns.
    #[error(
        "the rows below make a board of {columns} columns and {rows} rows; columns come first, as in \
         `{columns}x{rows}`"
    )]
    Swapped {
        /// Columns of the board.
        columns: usize,
        /// Rows of the board.
        rows: usize,
    },
    /// Nothing says how many mines there are.
    #[error("nothing says how many mines there are; a first line does, as `30x16/99`")]
    UnknownMines,
    /// The first line says another number of mines than was given.
    #[error("expected {given}, as given; the first line says {}", mines(*said))]
    OtherMines {
        /// Mines of the first line.
        said: usize,
        /// What was given, in words.
        given: String,
    },
    /// A character that may be a covered tile or a zero.
    #[error(
        "`{sign}` may be a covered tile here, or a 0: both agree with the rest; write `.` for the one \
         and `0` for the other"
    )]
    Ambiguous {
        /// The sign.
        sign: char,
    },
    /// Two signs for covered tiles, of which one may mean something else.
    #[error(
        "`{sign}` beside `{other}`: one may be a covered tile and the other a 0; write `.` for the one \
         and `0` for the other"
    )]
    TwoSigns {
        /// The second sign of the text.
        sign: char,
        /// The first one.
        other: char,
    },
    /// There are fewer or more rows than the first line says.
    #[error("the first line announces another number of rows: {wanted}, not {found}")]
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
        wanted: String,
    },
    /// A board with another number of mines than the first line says.
    #[error("the board has {}, the first line says {wanted}", mines(*found))]
    Mines {
        /// Mines of the board.
        found: usize,
        /// Mines of the level.
        wanted: usize,
    },
    /// More marks than mines.
    #[error("this is mark number {n_marked}, but the mines are only {n_mines}")]
    TooManyMarks {
        /// Marks up to here.
        n_marked: usize,
        /// Mines of the level.
        n_mines: usize,
    },
    /// Fewer covered tiles than mines.
    #[error("cannot lay {} on {}", mines(*n_mines), counted(*n_covered, "covered tile", "covered tiles"))]
    TooManyMines {
        /// Mines of the level.
        n_mines: usize,
        /// Covered tiles, marked or not.
        n_covered: usize,
    },
    /// A number that the tiles around it do not allow.
    #[error(
        "marks around this {number}: {n_marked}; other covered tiles around it: {n_covered}; these do not make {number}"
    )]
    Number {
        /// What is shown.
        number: u8,
        /// Marks around it.
        n_marked: usize,
        /// Covered tiles around it that are not marked.
        n_covered: usize,
    },
    /// A number greater than the number of all mines.
    #[error("this {number} needs {}, and the board has {n_mines}", mines(usize::from(*number)))]
    NumberAboveMines {
        /// What is shown.
        number: u8,
        /// Mines of the level.
        n_mines: usize,
    },
    /// A number with which the position has no arrangement.
    #[error(
        "no arrangement of the mines agrees with this {number}{}",
        if *.has_marks { ", the numbers before it and the marks" } else { " and the numbers before it" }
    )]
    Contradiction {
        /// What is shown.
        number: u8,
        /// Whether the position has marks, which may contradict it as well.
        has_marks: bool,
    },
    /// Arrangements agree with all numbers, but none of them has so many mines.
    #[error(
        "the count of mines contradicts the numbers: no arrangement that agrees with them has {}",
        mines(*n_mines)
    )]
    Count {
        /// Mines of the level, or those given.
        n_mines: usize,
    },
}

impl TextProblem {
    /// Whether it is a contradiction: the text can be read, but no arrangement of the mines agrees with
    /// its numbers and marks.
    pub fn is_contradiction(&self) -> bool {
        matches!(
            self,
            Self::TooManyMarks { .. }
                | Self::TooManyMines { .. }
                | Self::Number { .. }
                | Self::NumberAboveMines { .. }
                | Self::Contradiction { .. }
                | Self::Count { .. }
        )
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
    /// assert_eq!(error.to_string(), "line 3, column 3: the first line announces another number of tiles: 3, not 2");
    /// # Ok::<(), kibitz_minesweeper::TextErrors>(())
    /// ```
    pub fn from_text(text: &str) -> Result<Self, TextErrors> {
        let signs = Signs {
            tile: &|sign| match sign {
                '*' => Some(true),
                '.' => Some(false),
                _ => None,
            },
            is_like_blank: |_| false,
            wanted: "`*` is a mine, `.` any other tile",
        };
        let ParsedText {
            grid,
            n_mines,
            place,
            tiles,
            ..
        } = parse(text, &signs)?;
        let mines = (0..).zip(&tiles).filter(|(_, (_, is_mine))| *is_mine);
        let board = Self::new(&grid, mines.map(|(tile, _)| tile));
        match n_mines {
            Some(wanted) if wanted != board.n_mines() => {
                let found = board.n_mines();
                let mines = TextProblem::Mines { found, wanted };
                Err(TextErrors(vec![place.error(mines)]))
            }
            _ => Ok(board),
        }
    }

    /// The board as text; [`from_text`](Self::from_text) gives it back.
    pub fn to_text(&self) -> String {
        let mines = Mines::Total(self.n_mines());
        to_text(self.grid(), mines, |tile| {
            if self.is_mine(tile) { '*' } else { '.' }
        })
    }
}

impl Knowledge {
    /// Reads a position.
    ///
    /// Errors are local contradictions: a number that its neighbors do not allow, too many marks or mines,
    /// an ambiguous character. [`Solver`](crate::Solver) finds out whether some arrangement of the mines
    /// agrees with all numbers.
    ///
    /// # Errors
    /// [`TextErrors`] with the place of each.
    pub fn from_text(text: &str) -> Result<Self, TextErrors> {
        Self::read(text, None)
    }

    /// Reads a position with these mines: its text may lack the first line, or say `?` for the mines.
    ///
    /// # Errors
    /// As [`from_text`](Self::from_text); if the first line says other mines, too.
    ///
    /// # Examples
    /// ```
    /// use kibitz_minesweeper::{Density, Knowledge, Mines, Solver};
    ///
    /// let text = "# # # #\n1 1 # #\n";
    /// assert!(Knowledge::from_text(text).is_err());
    /// let knowledge = Knowledge::from_text_with(text, Mines::Total(1))?;
    /// assert_eq!(Solver::new().solve(&knowledge)?.mine((0, 0)), 0.5);
    /// let knowledge = Knowledge::from_text_with(text, Mines::Density(Density::new(0.2)?))?;
    /// assert_eq!(Solver::new().solve(&knowledge)?.mine((0, 3)), 0.2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_text_with(text: &str, mines: impl Into<Mines>) -> Result<Self, TextErrors> {
        Self::read(text, Some(mines.into()))
    }

    fn read(text: &str, given: Option<Mines>) -> Result<Self, TextErrors> {
        let parsed = read_positions(text)?;
        let mines = parsed
            .mines(given)
            .map_err(|problem| TextErrors(vec![parsed.place.error(problem)]))?;
        let mut knowledge = Self::new(&parsed.grid, mines);
        let mut errors = Vec::new();
        let n_mines = match mines {
            Mines::Total(n_mines) => n_mines,
            Mines::Density(_) => parsed.grid.n_tiles(),
        };
        for (tile, (place, (_, view))) in parsed.tiles.iter().enumerate() {
            match *view {
                View::Covered => {}
                View::Marked => knowledge.mark(tile),
                View::Number(number) => knowledge.uncover(tile, number),
            }
            if *view == View::Marked && knowledge.n_marked() > n_mines {
                errors.push(place.error(TextProblem::TooManyMarks {
                    n_marked: knowledge.n_marked(),
                    n_mines,
                }));
            }
        }
        errors.extend(parsed.two_meanings(mines));
        for (tile, (place, (_, view))) in parsed.tiles.iter().enumerate() {
            let View::Number(number) = *view else {
                continue;
            };
            let near = |view| {
                let near = parsed.grid.neighbors(tile);
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
        if matches!(mines, Mines::Total(n_mines) if n_covered < n_mines) {
            let problem = TextProblem::TooManyMines { n_mines, n_covered };
            errors.push(parsed.place.error(problem));
        }
        if !errors.is_empty() {
            errors.sort_by_key(|error| error.span.start);
            return Err(TextErrors(errors));
        }
        Ok(knowledge)
    }

    /// The position as text; [`from_text`](Self::from_text) gives it back, or
    /// [`from_text_with`](Self::from_text_with) where only the density of mines is known.
    pub fn to_text(&self) -> String {
        to_text(self.grid(), self.mines(), |tile| match self.view(tile) {
            View::Covered => signs::COVERED,
            View::Marked => signs::MARKED,
            View::Number(number) => char::from(b'0' + number),
        })
    }
}

/// The signs of a position, or all mistakes of its form.
fn read_positions(text: &str) -> Result<ParsedText<(char, View)>, TextErrors> {
    let signs = Signs {
        tile: &|sign| signs::view(sign).map(|view| (sign, view)),
        is_like_blank: signs::is_covered,
        wanted: &signs::in_words(),
    };
    parse(text, &signs)
}

/// The signs of a position with their meanings.
impl ParsedText<(char, View)> {
    /// The mines of the first line or those given.
    fn mines(&self, given: Option<Mines>) -> Result<Mines, TextProblem> {
        match (self.n_mines, given) {
            (Some(said), Some(given)) if given != Mines::Total(said) => {
                let given = match given {
                    Mines::Total(n_mines) => mines(n_mines),
                    density @ Mines::Density(_) => density.to_string(),
                };
                Err(TextProblem::OtherMines { said, given })
            }
            (None, Some(Mines::Total(n_mines))) if n_mines > self.grid.n_tiles() => {
                let n_tiles = self.grid.n_tiles();
                Err(LevelError::TooManyMines { n_mines, n_tiles }.into())
            }
            (None, Some(given)) => Ok(given),
            (Some(said), _) => Ok(Mines::Total(said)),
            (None, None) => Err(TextProblem::UnknownMines),
        }
    }

    /// The sign that may mean a covered tile or a zero, at its first place.
    fn two_meanings(&self, mines: Mines) -> Option<TextError> {
        let mut covered = self.tiles.iter().filter(|tile| signs::is_covered(tile.1.0));
        let (place, (sign, _)) = covered.next()?;
        if let Some((place, (sign_beside, _))) = covered.find(|tile| tile.1.0 != *sign) {
            return Some(place.error(TextProblem::TwoSigns {
                sign: *sign_beside,
                other: *sign,
            }));
        }
        let mut all = self.tiles.iter();
        let has_questions = all.any(|tile| signs::is_question(tile.1.0));
        let is_ambiguous =
            signs::may_be_zero(*sign, has_questions) && self.agrees_with_zeros(*sign, mines);
        is_ambiguous.then(|| place.error(TextProblem::Ambiguous { sign: *sign }))
    }

    /// Whether the position makes sense where this sign means zeros, as a program writes it that
    /// uncovers what is around them, and has no other sign for them.
    fn agrees_with_zeros(&self, sign: char, mines: Mines) -> bool {
        let view = |tile: Tile| match self.tiles[tile].1 {
            (found, _) if found == sign => View::Number(0),
            (_, view) => view,
        };
        let n_closed = |tiles: &mut dyn Iterator<Item = Tile>| {
            let views = tiles.map(view);
            views.fold((0, 0), |(marked, covered), view| match view {
                View::Marked => (marked + 1, covered),
                View::Covered => (marked, covered + 1),
                View::Number(_) => (marked, covered),
            })
        };
        let all = 0..self.tiles.len();
        let (n_marked, n_covered) = n_closed(&mut all.clone());
        let mut has_numbers = false;
        let agrees = all.into_iter().all(|tile| {
            let View::Number(number) = view(tile) else {
                return true;
            };
            let (n_marked, n_covered) = n_closed(&mut self.grid.neighbors(tile));
            let number = usize::from(number);
            has_numbers |= number > 0;
            let is_written = self.tiles[tile].1.0 != sign;
            (n_marked..=n_marked + n_covered).contains(&number)
                && (number > 0 || !is_written && n_covered == 0)
        });
        let fits = match mines {
            Mines::Total(n_mines) => (n_marked..=n_marked + n_covered).contains(&n_mines),
            Mines::Density(_) => true,
        };
        agrees && has_numbers && fits
    }
}

fn to_text(grid: &Grid, mines: Mines, tile: impl Fn(Tile) -> char) -> String {
    let mut text = String::new();
    let _ = write!(text, "{}x{}/", grid.width(), grid.height());
    let _ = match mines {
        Mines::Total(n_mines) => writeln!(text, "{n_mines}"),
        Mines::Density(_) => writeln!(text, "?"),
    };
    for row in 0..grid.height() {
        let first = row * grid.width();
        text.extend((first..first + grid.width()).map(&tile));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
