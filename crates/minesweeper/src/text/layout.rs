//! How a text lays out its tiles: its lines, what parts the tiles of a row, and the level.

use std::ops::Range;

use super::{TextError, TextErrors, TextProblem};
use crate::{
    grid::Grid,
    level::{Head, LevelError},
};

/// A part of a line.
#[derive(Clone, Debug)]
pub(super) struct Place {
    line: usize,
    column: usize,
    pub(super) span: Range<usize>,
}

impl Place {
    pub(super) fn error(&self, problem: TextProblem) -> TextError {
        TextError {
            line: self.line,
            column: self.column,
            span: self.span.clone(),
            problem,
        }
    }
}

/// A line without its end.
#[derive(Clone, Debug)]
struct Line<'t> {
    number: usize,
    /// The byte at which it begins.
    start: usize,
    text: &'t str,
}

impl Line<'_> {
    /// The characters from one byte of the line to another.
    fn place(&self, part: Range<usize>) -> Place {
        Place {
            line: self.number,
            column: self.text[..part.start].chars().count() + 1,
            span: self.start + part.start..self.start + part.end,
        }
    }

    /// The line without blanks at its ends.
    fn filled(&self) -> Place {
        let start = self.text.len() - self.text.trim_start().len();
        self.place(start..self.text.trim_end().len().max(start))
    }

    fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// The lines of a text; a byte order mark does not count.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let begun = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut start = text.len() - begun.len();
    (1..)
        .zip(begun.split_inclusive('\n'))
        .map(move |(number, whole)| {
            let text = whole.strip_suffix('\n').unwrap_or(whole);
            let line = Line {
                number,
                start,
                text: text.strip_suffix('\r').unwrap_or(text),
            };
            start += whole.len();
            line
        })
}

/// The signs that a text may have on its tiles.
pub(super) struct Signs<'s, T> {
    /// The meaning of each.
    pub(super) tile: &'s dyn Fn(char) -> Option<T>,
    /// Whether a sign means the same as a blank.
    pub(super) is_like_blank: fn(char) -> bool,
    /// All of them in words.
    pub(super) wanted: &'s str,
}

impl<T> Signs<'_, T> {
    fn is_row(&self, line: &str) -> bool {
        line.chars()
            .all(|c| c.is_whitespace() || (self.tile)(c).is_some())
    }

    /// Whether a line says something to people only: it begins with `#`, and more than signs follow, or
    /// nothing.
    fn is_comment(&self, line: &Line<'_>, width: Option<usize>) -> bool {
        let text = line.text.trim();
        text.starts_with('#') && !(self.is_row(text) && (text.len() > 1 || width == Some(1)))
    }
}

/// What parts the tiles of a row, and what is a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Nothing parts them.
    Dense,
    /// Blanks and tabs part them.
    Spaced,
    /// Tabs part them; where there is nothing between tabs, the tile is blank.
    Tabbed,
    /// Nothing parts them, and blanks are tiles; those at the end of a line may be left out if no
    /// other sign means the same.
    Blank { may_end: bool },
}

impl Layout {
    /// The signs of a row, each with its byte.
    fn signs(self, line: &str, width: Option<usize>) -> Vec<(usize, char)> {
        let filled = || {
            let start = line.len() - line.trim_start().len();
            let signs = line.trim().char_indices();
            signs.map(move |(at, sign)| (start + at, sign))
        };
        match self {
            Self::Dense => filled().collect(),
            Self::Spaced => filled().filter(|(_, sign)| !sign.is_whitespace()).collect(),
            Self::Tabbed => {
                let mut at = 0;
                let cells = line.split('\t').flat_map(|cell| {
                    let start = at;
                    at += cell.len() + 1;
                    let signs = cell.char_indices();
                    let mut signs: Vec<_> = signs.filter(|(_, sign)| *sign != ' ').collect();
                    if signs.is_empty() {
                        signs.push((0, ' '));
                    }
                    signs.into_iter().map(move |(at, sign)| (start + at, sign))
                });
                cells.collect()
            }
            Self::Blank { may_end } => {
                let mut signs: Vec<_> = line.char_indices().collect();
                let width = width.filter(|_| may_end).unwrap_or(0);
                signs.resize(signs.len().max(width), (line.len(), ' '));
                signs
            }
        }
    }

    /// Whether a row is laid out so.
    fn fits(self, line: &str) -> bool {
        let are_single = |mut cells: std::str::Split<'_, char>| {
            cells.all(|cell| cell.trim().chars().count() <= 1)
        };
        match self {
            Self::Dense => !line.trim().contains(char::is_whitespace),
            Self::Spaced => line
                .split_whitespace()
                .all(|word| word.chars().count() == 1),
            Self::Tabbed => line.contains('\t') && are_single(line.split('\t')),
            Self::Blank { .. } => !line.contains('\t'),
        }
    }

    /// Whether rows are laid out so: each has the width, or that of the first.
    fn fits_all(self, rows: &[Line<'_>], width: Option<usize>, height: Option<usize>) -> bool {
        let n_signs = |row: &Line<'_>| self.signs(row.text, width).len();
        let wanted = width.or_else(|| rows.first().map(n_signs));
        let is_row = |row: &Line<'_>| self.fits(row.text) && Some(n_signs(row)) == wanted;
        height.is_none_or(|height| rows.len() == height) && rows.iter().all(is_row)
    }

    /// The layout of these lines, and those that are rows; if none fits, what a mistake in one line
    /// would leave of it.
    fn find<'t, T>(
        lines: Vec<Line<'t>>,
        width: Option<usize>,
        height: Option<usize>,
        signs: &Signs<'_, T>,
    ) -> (Self, Vec<Line<'t>>) {
        let filled: Vec<Line<'t>> = lines
            .iter()
            .filter(|row| !row.is_empty())
            .cloned()
            .collect();
        for layout in [Self::Dense, Self::Spaced] {
            if layout.fits_all(&filled, width, height) {
                return (layout, filled);
            }
        }
        if (signs.tile)(' ').is_some() {
            if Self::Tabbed.fits_all(&filled, width, height) {
                return (Self::Tabbed, filled);
            }
            let mut all = filled.iter().flat_map(|row| row.text.chars());
            let is_like_blank = |sign: char| sign != ' ' && (signs.is_like_blank)(sign);
            let blank = Self::Blank {
                may_end: !all.clone().any(is_like_blank) && all.any(|sign| sign == ' '),
            };
            let rows = blank_rows(lines, height);
            if blank.fits_all(&rows, width, height) {
                return (blank, rows);
            }
        }
        let words = |row: &Line<'_>| row.text.split_whitespace().count();
        let is_spaced = filled.iter().all(|row| Self::Spaced.fits(row.text))
            && filled.iter().any(|row| words(row) > 1);
        let layout = if is_spaced { Self::Spaced } else { Self::Dense };
        (layout, filled)
    }
}

/// The lines that are rows where blanks are tiles: empty ones, too, if there are as many as rows.
fn blank_rows(mut lines: Vec<Line<'_>>, height: Option<usize>) -> Vec<Line<'_>> {
    let height = height.unwrap_or(0);
    while lines.len() > height && lines.last().is_some_and(|line| line.text.is_empty()) {
        lines.pop();
    }
    if lines.len() != height {
        lines.retain(|line| !line.text.is_empty());
    }
    lines
}

/// The level and the tiles of a text.
pub(super) struct ParsedText<T> {
    pub(super) grid: Grid,
    /// The mines that the first line says, if there is such a line and it says them.
    pub(super) n_mines: Option<usize>,
    /// The first line.
    pub(super) place: Place,
    pub(super) tiles: Vec<(Place, T)>,
}

/// The tiles of a text by their signs, or all mistakes of its form.
pub(super) fn parse<T>(text: &str, signs: &Signs<'_, T>) -> Result<ParsedText<T>, TextErrors> {
    let lines: Vec<Line<'_>> = lines(text).collect();
    let is_counted = |line: &Line<'_>| !line.is_empty() && !signs.is_comment(line, None);
    let Some(at) = lines.iter().position(is_counted) else {
        let place = Place {
            line: 1,
            column: 1,
            span: 0..0,
        };
        return Err(TextErrors(vec![place.error(TextProblem::Empty)]));
    };
    let first = lines[at].filled();
    let line = lines[at].text.trim();
    let head: Option<Result<Head, LevelError>> = match line.parse::<Head>() {
        Err(_) if signs.is_row(line) => None,
        head => Some(head),
    };
    let mut below = lines;
    below.drain(..head.as_ref().map_or(0, |_| at + 1));
    let size = match &head {
        Some(Ok(head)) => Some((head.grid.width(), head.grid.height())),
        _ => None,
    };
    let (width, height) = (size.map(|size| size.0), size.map(|size| size.1));
    let in_line = line.chars().count();
    below.retain(|line| !signs.is_comment(line, width.or(head.is_none().then_some(in_line))));
    let (layout, rows) = Layout::find(below, width, height, signs);

    let mut errors = Vec::new();
    let mut tiles = Vec::new();
    let mut lengths = Vec::with_capacity(rows.len());
    // Without a first line, the first row says how long rows are.
    let wanted = match head {
        None => rows.first().map(|row| layout.signs(row.text, None).len()),
        Some(_) => width,
    };
    for row in &rows {
        let found = layout.signs(row.text, width);
        lengths.push(found.len());
        let (mut column, mut counted) = (1, 0);
        for (at, sign) in &found {
            column += row.text[counted..*at].chars().count();
            counted = *at;
            let length = row.text[*at..].chars().next().map_or(0, char::len_utf8);
            let start = row.start + at;
            let place = Place {
                line: row.number,
                column,
                span: start..start + length,
            };
            match (signs.tile)(*sign) {
                Some(value) => tiles.push((place, value)),
                None => errors.push(place.error(TextProblem::Tile {
                    found: *sign,
                    wanted: signs.wanted.to_owned(),
                })),
            }
        }
        let wanted = wanted.unwrap_or(found.len());
        if found.len() != wanted {
            let end = row.text.trim_end().len();
            let at = found.get(wanted).map_or(end, |(at, _)| *at);
            let found = found.len();
            errors.push(row.place(at..end).error(match head {
                Some(_) => TextProblem::Ragged { found, wanted },
                None => TextProblem::Uneven { found, wanted },
            }));
        }
    }
    let grid = match head {
        Some(Ok(head)) => {
            let (width, height) = (head.grid.width(), head.grid.height());
            if rows.len() == width && width != height && lengths.iter().all(|n| *n == height) {
                // Nothing else is wrong with the rows.
                errors.retain(|error| !matches!(error.problem, TextProblem::Ragged { .. }));
                let (columns, rows) = (height, width);
                errors.push(first.error(TextProblem::Swapped { columns, rows }));
            } else if rows.len() != height {
                let last = rows.last().map_or(first.clone(), Line::filled);
                errors.push(last.error(TextProblem::Rows {
                    found: rows.len(),
                    wanted: height,
                }));
            }
            Ok((head.grid, head.n_mines))
        }
        Some(Err(problem)) => Err(problem),
        None => Grid::new(wanted.unwrap_or(0), rows.len())
            .map(|grid| (grid, None))
            .map_err(LevelError::Size),
    };
    match grid {
        Ok((grid, n_mines)) if errors.is_empty() => Ok(ParsedText {
            grid,
            n_mines,
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
