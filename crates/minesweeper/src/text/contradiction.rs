//! Where a position contradicts itself.

use crate::{
    knowledge::{Knowledge, View},
    mines::{Density, Mines},
    probability::{NoProbabilities, Solver},
};

use super::{TextError, TextProblem, read_positions};

impl Knowledge {
    /// Why no arrangement of the mines agrees with a position, read from this text with these mines: the
    /// first number above the number of mines, or that contradicts those before it and the marks, or else the
    /// count of mines.
    ///
    /// `None` if there is an arrangement, or if the text cannot be read.
    ///
    /// # Examples
    /// ```
    /// use kibitz_minesweeper::Knowledge;
    ///
    /// let error = Knowledge::contradiction("3x2/2\n2..\n1..\n", None).ok_or("it is possible")?;
    /// assert_eq!((error.line, error.column), (3, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contradiction(text: &str, given: Option<Mines>) -> Option<TextError> {
        let parsed = read_positions(text).ok()?;
        let mines = parsed.mines(given).ok()?;
        let mut solver = Solver::new();
        let mut contradicts = |mines: Mines, n_tiles: usize| {
            let mut knowledge = Self::new(&parsed.grid, mines);
            for (tile, (_, (_, view))) in parsed.tiles.iter().enumerate() {
                match *view {
                    View::Marked => knowledge.mark(tile),
                    View::Number(number) if tile < n_tiles => knowledge.uncover(tile, number),
                    _ => {}
                }
            }
            solver.solve(&knowledge).err() == Some(NoProbabilities::Contradiction)
        };
        let n_tiles = parsed.tiles.len();
        if !contradicts(mines, n_tiles) {
            return None;
        }
        if let Mines::Total(n_mines) = mines {
            let above = parsed
                .tiles
                .iter()
                .find_map(|(place, (_, view))| match *view {
                    View::Number(number) if usize::from(number) > n_mines => Some((place, number)),
                    _ => None,
                });
            if let Some((place, number)) = above {
                return Some(place.error(TextProblem::NumberAboveMines { number, n_mines }));
            }
        }
        let any = Mines::Density(Density::HALF);
        if !contradicts(any, n_tiles) {
            let Mines::Total(n_mines) = mines else {
                return None;
            };
            return Some(parsed.place.error(TextProblem::Count { n_mines }));
        }
        // More numbers agree with fewer arrangements: the least that contradict are found by halving.
        let (mut possible, mut impossible) = (0, n_tiles);
        while possible + 1 < impossible {
            let middle = usize::midpoint(possible, impossible);
            if contradicts(any, middle) {
                impossible = middle;
            } else {
                possible = middle;
            }
        }
        let (place, (_, view)) = &parsed.tiles[impossible - 1];
        let View::Number(number) = *view else {
            return None;
        };
        let has_marks = (parsed.tiles.iter()).any(|(_, (_, view))| matches!(view, View::Marked));
        Some(place.error(TextProblem::Contradiction { number, has_marks }))
    }
}
