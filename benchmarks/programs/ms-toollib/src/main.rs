//! Plays boards by the probabilities of ms_toollib.
//!
//! Reads a file: a line with columns, rows and mines, then a line a board, a character a tile (`*` is
//! a mine). Uncovers the top left corner; then what is safe; or else the first tile, row by row, of
//! least probability. Prints the processor seconds of play, and a `1` for each board won.

use std::fs;

use ms_toollib::{cal_probability_onboard, mark_board};

/// Probabilities that differ by less are equal.
const EQUAL: f64 = 1e-9;

const COVERED: i32 = 10;
const SAFE: i32 = 12;

struct Board<'b> {
    columns: usize,
    rows: usize,
    mines: usize,
    tiles: &'b [u8],
}

impl Board<'_> {
    fn is_mine(&self, row: usize, column: usize) -> bool {
        self.tiles[row * self.columns + column] == b'*'
    }

    fn near(&self, row: usize, column: usize) -> impl Iterator<Item = (usize, usize)> {
        let rows = row.saturating_sub(1)..(row + 2).min(self.rows);
        let (last, first) = ((column + 2).min(self.columns), column.saturating_sub(1));
        rows.flat_map(move |row| (first..last).map(move |column| (row, column)))
    }

    /// Uncovers a tile and what follows; says how many.
    fn uncover(&self, seen: &mut [Vec<i32>], row: usize, column: usize) -> usize {
        let mut open = vec![(row, column)];
        let mut n_uncovered = 0;
        while let Some((row, column)) = open.pop() {
            if seen[row][column] < COVERED {
                continue;
            }
            n_uncovered += 1;
            let n_mines = self
                .near(row, column)
                .filter(|&(row, column)| self.is_mine(row, column));
            seen[row][column] = n_mines.count() as i32;
            if seen[row][column] == 0 {
                open.extend(self.near(row, column));
            }
        }
        n_uncovered
    }

    fn is_won(&self) -> bool {
        let mut seen = vec![vec![COVERED; self.columns]; self.rows];
        if self.is_mine(0, 0) {
            return false;
        }
        let mut left = self.rows * self.columns - self.mines;
        left -= self.uncover(&mut seen, 0, 0);
        while left > 0 {
            mark_board(&mut seen, false).expect("the position is possible");
            let tiles = || {
                (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)))
            };
            let safe: Vec<_> = tiles()
                .filter(|&(row, column)| seen[row][column] == SAFE)
                .collect();
            if !safe.is_empty() {
                for (row, column) in safe {
                    left -= self.uncover(&mut seen, row, column);
                }
                continue;
            }
            let found = cal_probability_onboard(&seen, self.mines as f64);
            let (risks, _) = found.expect("the position is possible");
            let covered = || tiles().filter(|&(row, column)| seen[row][column] == COVERED);
            let least = covered()
                .map(|(row, column)| risks[row][column])
                .fold(f64::INFINITY, f64::min);
            let among = covered().filter(|&(row, column)| risks[row][column] <= least + EQUAL);
            let among: Vec<_> = among
                .take(if least <= EQUAL { usize::MAX } else { 1 })
                .collect();
            for (row, column) in among {
                if self.is_mine(row, column) {
                    return false;
                }
                left -= self.uncover(&mut seen, row, column);
            }
        }
        true
    }
}

/// CPU time of this thread so far, in seconds.
fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = text.split_whitespace().next().expect("a number");
    nanoseconds.parse::<f64>().expect("a number") / 1e9
}

fn main() {
    let path = std::env::args().nth(1).expect("a file of boards");
    let text = fs::read_to_string(path).expect("it can be read");
    let mut lines = text.lines();
    let head: Vec<usize> = (lines.next().expect("a first line").split(' '))
        .map(|word| word.parse().expect("a number"))
        .collect();
    let boards: Vec<Board> = lines
        .map(|line| Board {
            columns: head[0],
            rows: head[1],
            mines: head[2],
            tiles: line.as_bytes(),
        })
        .collect();
    let start = processor_seconds();
    let won: String = boards
        .iter()
        .map(|board| if board.is_won() { '1' } else { '0' })
        .collect();
    println!("{}", processor_seconds() - start);
    println!("{won}");
}
