//! Local observations: the part of a position that rules about a tile depend on.

use kibitz_minesweeper::{Knowledge, Tile};

/// Bits of a row of a window.
const ROW: usize = 8;
/// Offset of the neighbor in each direction in a window of three rows and columns.
const NEIGHBORS: [usize; 8] = [0, 1, 2, ROW, ROW + 2, 2 * ROW, 2 * ROW + 1, 2 * ROW + 2];
/// Bits for the number of mines around a tile.
const MINE_BITS: u32 = 4;

/// Bit set of the tiles within four rows and columns of a tile, nine to a row.
pub(super) type Tiles = u128;
/// Tiles in a row of them.
const WIDE_ROW: usize = 9;
/// The tile itself.
pub(super) const HERE: Tiles = 1 << (4 * WIDE_ROW + 4);

/// The sets of an observation: tiles, and the mines among them.
pub(super) fn observed_sets(observation: &[u32]) -> impl Iterator<Item = (Tiles, u32)> + Clone {
    observation.iter().map(|set| {
        let (place, n_mines) = (set % (1 << u8::BITS), set >> u8::BITS);
        let (row, column) = (place as usize / ROW, place as usize % ROW);
        let tiles = window(Tiles::from(n_mines >> MINE_BITS), WIDE_ROW);
        let n_mines = n_mines % (1 << MINE_BITS);
        (tiles << (row * WIDE_ROW + column), n_mines)
    })
}

/// Observes the tiles of a position.
///
/// The relations of Table 1 about a tile, its zone of interest and the sets there, depend on the
/// uncovered tiles of this zone alone: their offsets from the tile, their blank neighbors, and the number
/// of mines among them.
#[derive(Debug, Default)]
pub(super) struct Observer {
    /// Per tile, the uncovered tiles that share a blank neighbor with it, in a window of five rows
    /// and columns around it.
    linked: Vec<Tiles>,
    /// Per tile, its blank neighbors and their mines; zero if its set is empty.
    sets: Vec<u32>,
    observation: Vec<u32>,
}

fn directions(mask: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |direction| mask >> direction & 1 == 1)
}

/// The directions in a window of three rows and columns, as bits of rows of length `row`.
fn window(mask: Tiles, row: usize) -> Tiles {
    mask & 7 | (mask >> 3 & 1) << row | (mask >> 4 & 1) << (row + 2) | (mask >> 5) << (2 * row)
}

/// The tile at a place of a window, of which a tile is the center.
fn tile_at(knowledge: &Knowledge, tile: Tile, radius: usize, place: usize) -> Tile {
    let width = knowledge.grid().width();
    tile + place / ROW * width + place % ROW - radius * (width + 1)
}

impl Observer {
    /// Takes a position.
    pub(super) fn look(&mut self, knowledge: &Knowledge) {
        let n_tiles = knowledge.grid().n_tiles();
        self.linked.clear();
        self.sets.clear();
        for tile in 0..n_tiles {
            let blank = knowledge.covered_around(tile);
            let n_mines = knowledge.mines_around(tile).filter(|_| blank != 0);
            let mut linked = 0;
            for direction in directions(if n_mines.is_some() { blank } else { 0 }) {
                let near = tile_at(knowledge, tile, 1, NEIGHBORS[direction]);
                let around = window(knowledge.uncovered_around(near).into(), ROW);
                linked |= around << NEIGHBORS[direction];
            }
            self.linked.push(linked);
            let n_mines = n_mines.and_then(|n_mines| u32::try_from(n_mines).ok());
            let set = n_mines.map(|n_mines| u32::from(blank) << MINE_BITS | n_mines);
            self.sets.push(set.unwrap_or(0));
        }
    }

    /// The observation from a blank tile of the position: two tiles, even of different positions,
    /// have the same observation only if rules about zones and sets agree on them.
    pub(super) fn observe(&mut self, knowledge: &Knowledge, tile: Tile) -> &[u32] {
        let mut zone = 0;
        for direction in directions(knowledge.uncovered_around(tile)) {
            let near = tile_at(knowledge, tile, 1, NEIGHBORS[direction]);
            zone |= self.linked[near] << NEIGHBORS[direction];
        }
        self.observation.clear();
        while zone != 0 {
            let place = zone.trailing_zeros();
            zone &= zone - 1;
            let set = self.sets[tile_at(knowledge, tile, 3, place as usize)];
            if set != 0 {
                self.observation.push(set << u8::BITS | place);
            }
        }
        &self.observation
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kibitz_minesweeper::{RulePlayer, Series, View};

    use super::super::relations::{set_around, zone_of_interest};
    use super::*;

    /// The sets of the zone of interest, with tiles as offsets from `tile`.
    fn sets(knowledge: &Knowledge, tile: Tile) -> Vec<(isize, Vec<isize>, usize)> {
        // Apart from other rows, however far the tiles are to the left and right.
        let at = |other: Tile| {
            let [(row, column), (to_row, to_column)] =
                [tile, other].map(|tile| knowledge.grid().row_and_column(tile));
            let step = |from: usize, to: usize| to.cast_signed() - from.cast_signed();
            1000 * step(row, to_row) + step(column, to_column)
        };
        let zone = zone_of_interest(knowledge, tile).unwrap();
        let sets = zone.into_iter().filter_map(|center| {
            let set = set_around(knowledge, center)?;
            let tiles = set.tiles.iter().map(|tile| at(*tile)).collect();
            Some((at(center), tiles, set.n_mines))
        });
        sets.collect()
    }

    #[test]
    fn tiles_look_the_same_where_their_zones_do() {
        let mut observer = Observer::default();
        let mut known = BTreeMap::new();
        let mut n_again = 0;
        for (level, games) in [("8x8/10", 40), ("12x5/9", 20), ("3x3/2", 20)] {
            let series = Series::new(&level.parse().unwrap(), [5; 32]);
            for number in 0..games {
                let mut player = RulePlayer::default();
                let outcome = series.play(number, &mut player, |knowledge, _| {
                    observer.look(knowledge);
                    for tile in knowledge.covered() {
                        assert_eq!(knowledge.view(tile), View::Covered);
                        let observation = observer.observe(knowledge, tile).to_vec();
                        let sets = sets(knowledge, tile);
                        assert_eq!(observation.len(), sets.len());
                        let before = known.insert(observation, sets.clone());
                        n_again += usize::from(before.is_some());
                        assert!(before.is_none_or(|before| before == sets));
                    }
                });
                assert!(outcome.is_ok());
            }
        }
        assert!(n_again > 1000 && known.len() > 1000);
    }
}
