//! Measures of boards: numbers of clicks (3BV), and clusters of mines.

use crate::{board::Board, grid::Tile};

/// Measures of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// 3BV: the fewest clicks that uncover every safe tile without chords, one for each opening and one
    /// for each number that no opening uncovers.
    pub three_bv: usize,
    /// Openings: connected zeros with the numbers around them.
    pub n_openings: usize,
    /// Clusters: mines that are connected as neighbors.
    pub n_clusters: usize,
    /// Mines of the largest cluster.
    pub largest_cluster: usize,
}

impl Board {
    /// Its measures.
    pub fn measures(&self) -> Measures {
        let zeros = self.parts(|tile| self.is_zero(tile));
        let clusters = self.parts(|tile| self.is_mine(tile));
        Measures {
            three_bv: zeros.len() + self.lone_numbers().count(),
            n_openings: zeros.len(),
            n_clusters: clusters.len(),
            largest_cluster: clusters.iter().map(Vec::len).max().unwrap_or(0),
        }
    }

    /// The part of the [3BV](Measures::three_bv) that is done once these tiles are uncovered.
    pub fn three_bv_done(&self, is_uncovered: impl Fn(Tile) -> bool) -> usize {
        let zeros = self.parts(|tile| self.is_zero(tile));
        let openings = zeros.iter().filter(|zeros| is_uncovered(zeros[0]));
        openings.count()
            + self
                .lone_numbers()
                .filter(|tile| is_uncovered(*tile))
                .count()
    }

    fn is_zero(&self, tile: Tile) -> bool {
        self.number(tile) == 0 && !self.is_mine(tile)
    }

    /// The numbers that no opening uncovers.
    fn lone_numbers(&self) -> impl Iterator<Item = Tile> + use<'_> {
        let is_lone = |tile: &Tile| {
            let is_open = self.grid().neighbors(*tile).any(|near| self.is_zero(near));
            !self.is_mine(*tile) && self.number(*tile) > 0 && !is_open
        };
        (0..self.grid().n_tiles()).filter(is_lone)
    }

    /// The connected parts of some tiles, each with its first tile first.
    fn parts(&self, is_in: impl Fn(Tile) -> bool) -> Vec<Vec<Tile>> {
        let grid = self.grid();
        let mut is_done = vec![false; grid.n_tiles()];
        let mut parts = Vec::new();
        for start in 0..grid.n_tiles() {
            if !is_in(start) || is_done[start] {
                continue;
            }
            is_done[start] = true;
            let mut part = vec![start];
            let mut at = 0;
            while at < part.len() {
                for near in grid.neighbors(part[at]) {
                    if is_in(near) && !std::mem::replace(&mut is_done[near], true) {
                        part.push(near);
                    }
                }
                at += 1;
            }
            parts.push(part);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_and_lone_numbers_are_clicks() {
        let board = Board::from_text("6x4\n......\n..*...\n.*....\n....*.\n").unwrap();
        // One opening at the right, one in the corner; eight numbers are in neither.
        let measures = Measures {
            three_bv: 2 + board.lone_numbers().count(),
            n_openings: 2,
            n_clusters: 2,
            largest_cluster: 2,
        };
        assert_eq!(board.measures(), measures);
        assert_eq!(
            board.lone_numbers().collect::<Vec<_>>(),
            [2, 12, 14, 18, 19, 20, 21, 23]
        );
        assert_eq!(board.three_bv_done(|_| true), measures.three_bv);
        assert_eq!(board.three_bv_done(|tile| tile == 2 || tile == 4), 2);
    }
}
