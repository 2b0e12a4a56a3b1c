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

mod layout;
mod signs;

use std::fmt::{self, Write as _};
use std::ops::Range;

use thiserror::Error;

use crate::{
    board::Board,
    grid::{Grid, Tile},
    knowledge::{Knowledge, Mines, View},
    level::LevelError,
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
    #[error("found {found} tiles; the first row has {wanted}")]
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
    #[error("{said} mines are said here, and {given} were given")]
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
    #[error("the board has {found} mines, the first line says {wanted}")]
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
    #[error("{n_mines} mines do not fit on {n_covered} covered tiles")]
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
        let parsed = parse(
            text,
            &Signs {
                tile: &|sign| signs::view(sign).map(|view| (sign, view)),
                is_like_blank: signs::is_covered,
                wanted: &signs::in_words(),
            },
        )?;
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

/// The signs of a position with their meanings.
impl ParsedText<(char, View)> {
    /// The mines of the first line or those given.
    fn mines(&self, given: Option<Mines>) -> Result<Mines, TextProblem> {
        match (self.n_mines, given) {
            (Some(said), Some(given)) if given != Mines::Total(said) => {
                let given = given.to_string();
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

        /// Another program's sign for covered tiles, its layout and its ends of lines change nothing,
        /// or are refused because the sign may be a zero.
        #[test]
        fn other_programs_write_the_same(
            board in boards(), clicks in prop::collection::vec(0..64_usize, 0..20),
            sign in prop::sample::select(vec!['.', '#', '-', '_', '\u{25a0}', ' ']),
            layout in 0..4, has_head in prop::bool::ANY,
        ) {
            let mut game = Game::new(&board);
            for tile in clicks {
                let tile = tile % board.grid().n_tiles();
                game.act(if board.is_mine(tile) { Action::Mark(tile) } else { Action::Uncover(tile) });
            }
            let knowledge = game.knowledge();
            let text = knowledge.to_text();
            let (head, rows) = text.split_once('\n').unwrap();
            let mut written = String::from("\u{feff}");
            if has_head || sign == ' ' {
                written += &head.replace('x', " X ");
                written += "\r\n";
            }
            for row in rows.lines() {
                let row = row.replace('.', &sign.to_string()).replace('F', "*");
                let signs: Vec<String> = row.chars().map(String::from).collect();
                let laid_out = match layout {
                    _ if sign == ' ' => row,
                    0 => row,
                    1 => signs.join(" "),
                    2 => signs.join("\t"),
                    _ => format!("  {row} "),
                };
                written += &laid_out;
                written += "\r\n";
            }
            let read = Knowledge::from_text_with(&written, board.n_mines());
            let lone_sign = sign == '#' && board.grid().width() == 1 && !has_head;
            match read {
                Ok(read) => prop_assert_eq!(&read, knowledge),
                Err(errors) => {
                    let is_ambiguous = matches!(errors.0[0].problem, TextProblem::Ambiguous { .. });
                    prop_assert!(is_ambiguous || lone_sign, "{}\n{}", errors, written);
                }
            }
        }

        #[test]
        fn any_text_is_answered(
            text in "[0-9x/.*F#? \t\r\n\u{feff}-]{0,40}", header in prop::bool::ANY,
        ) {
            let text = if header { format!("3x2/1\n{text}") } else { text };
            let errors = [
                Board::from_text(&text).err(),
                Knowledge::from_text(&text).err(),
                Knowledge::from_text_with(&text, 1).err(),
            ];
            for error in errors {
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
            position("2x2/1\n1x\n..\n"),
            position("2x2/1\n9.\n..\n"),
            position("3x2/2\n\n...\n4..\n"),
            position("3x2/2\n0F.\n...\n"),
            position("2x2/1\nFF\n..\n"),
            position("2x2/2\n11\n1.\n"),
            position("2x2/1\n\t?1x\n9..\n"),
            board("2x/1\n.?\n?*\n"),
            // The first line is another, or missing.
            position("3x2/?\n...\n.1.\n"),
            position("...\n.1.\n"),
            board("...\n.*\n"),
            position("2x3/1\n...\n.1.\n"),
            position("30 16 99\n...\n"),
            // Signs that may mean two things.
            position("3x2/1\n11#\n.1#\n"),
            position("4x2/1\n--1F\n--11\n"),
            position("4x2/1\n..1?\n..11\n"),
            position("4x2/1\n  1F\n  11\n"),
            // Blanks beside another sign, and too few of them.
            position("3x2/1\n 1.\n 1.\n"),
            position("3x2/1\n1 \n1\n."),
        ];
        insta::assert_snapshot!(said.join("\n"));
        let other = |text: &str| Knowledge::from_text_with(text, 3).unwrap_err().to_string();
        let said = [
            other("3x2/1\n...\n.1.\n"),
            other("1.\n"),
            other("...\n.1\n"),
            other("# only this\n"),
        ];
        insta::assert_snapshot!(said.join("\n"), @r"
        line 1, column 1: 1 mines are said here, and 3 were given
        line 1, column 1: 3 mines do not fit on 2 tiles
        line 2, column 3: found 2 tiles; the first row has 3
        line 1, column 1: the text is empty; the first line says columns, rows and mines as in `30x16/99`
        ");
    }

    /// One position as many programs would write it.
    #[test]
    fn signs_and_layouts_of_other_programs() {
        let wanted = Knowledge::from_text("4x3/2\n112.\n1F..\n11..\n").unwrap();
        let same = [
            "\u{feff}4x3/2\r\n112.\r\n1F..\r\n11..\r\n",
            "4 x 3 / 2\n1 1 2 #\n1 f # #\n1 1 # #\n",
            "4X3x2\n1\t1\t2\t-\n1\t*\t-\t-\n1\t1\t-\t-\n",
            "4\u{d7}3, 2 mines\n112_\n1!__\n11__",
            "# a comment\n\n4x3/2\n\n112?\n\n1M??\n\n11??\n",
            "4x3/2\n112.\n1F?.\n11..\n",
            "4x3/2\n112 \n1F  \n11  \n",
            "4x3/2\n112\n1F \n11\n",
            "4x3/2\n1\t1\t2\t\n1\tm\t\t\n1\t1\t\t\n",
            "  4x3/2\n  112\u{25a0}\n  1\u{2691}\u{25a0}\u{25a0}\n  11\u{25a0}\u{25a0}\n",
        ];
        for text in same {
            assert_eq!(Knowledge::from_text(text).as_ref(), Ok(&wanted), "{text}");
        }
        for text in [
            "112.\n1F..\n11..\n",
            "4x3\n112#\n1F##\n11##\n",
            "4x3/2\n112.\n1F..\n11..\n",
        ] {
            assert_eq!(
                Knowledge::from_text_with(text, 2).as_ref(),
                Ok(&wanted),
                "{text}"
            );
        }
        // Rows that begin with the sign of comments, and an empty row.
        let covered = Knowledge::from_text("3x3/1\n...\n.1.\n...\n").unwrap();
        for text in [
            "3x3/1\n###\n#1#\n###\n",
            "3x3/1\n\n 1\n\n",
            "3x3/1\n   \n 1 \n   \n\n",
        ] {
            assert_eq!(Knowledge::from_text(text).as_ref(), Ok(&covered), "{text}");
        }
        // What is written for zeros where nothing else is, and cannot be a zero here.
        let covered = Knowledge::from_text("3x1/1\n..1\n").unwrap();
        assert_eq!(Knowledge::from_text("3x1/1\n--1\n").as_ref(), Ok(&covered));
        let board = Board::from_text("3x2/1\n..*\n...\n").unwrap();
        for text in ["..*\n...\n", "3 x 2\n. . *\n. . .\n", "3x2/?\n..*\n...\n"] {
            assert_eq!(Board::from_text(text).as_ref(), Ok(&board), "{text}");
        }
    }

    #[test]
    fn every_sign_is_in_the_reference() {
        let reference = include_str!("../../../../docs/boards.md");
        let mut all = String::new();
        for row in SIGNS {
            let line = format!("| {row} | {} |", row.meaning);
            assert!(reference.contains(&line), "{line}");
            all += row.characters;
        }
        let mut signs: Vec<char> = all.chars().collect();
        signs.sort_unstable();
        signs.dedup();
        assert_eq!(signs.len(), all.chars().count(), "each has one meaning");
        assert_eq!(signs::view(signs::COVERED), Some(View::Covered));
        assert_eq!(signs::view(signs::MARKED), Some(View::Marked));
        assert_eq!(signs::view('8'), Some(View::Number(8)));
        assert_eq!(signs::view('9'), None);
    }
}
