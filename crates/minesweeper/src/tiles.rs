//! Sets of tiles, a bit each.

use crate::grid::Tile;

/// Some tiles of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    words: Vec<u64>,
}

impl Tiles {
    /// None of so many tiles.
    pub(crate) fn none(n_tiles: usize) -> Self {
        Self {
            words: vec![0; n_tiles.div_ceil(64)],
        }
    }

    /// All of so many tiles.
    pub(crate) fn all(n_tiles: usize) -> Self {
        let mut all = Self {
            words: vec![u64::MAX; n_tiles.div_ceil(64)],
        };
        if let (Some(last), 1..) = (all.words.last_mut(), n_tiles % 64) {
            *last = (1 << (n_tiles % 64)) - 1;
        }
        all
    }

    /// Puts a tile in or out.
    #[inline]
    pub(crate) fn set(&mut self, tile: Tile, is_in: bool) {
        let word = &mut self.words[tile / 64];
        let bit = tile % 64;
        *word = *word & !(1 << bit) | u64::from(is_in) << bit;
    }

    /// The tiles, in order.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Tile> + use<'_> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, word)| bits(*word).map(move |bit| 64 * at + bit))
    }
}

/// The bits that are set, from the lowest.
#[inline]
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then_some(word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_come_in_order() {
        let mut tiles = Tiles::none(200);
        for tile in [199, 0, 64, 130, 63] {
            tiles.set(tile, true);
        }
        tiles.set(64, false);
        tiles.set(65, false);
        assert_eq!(tiles.iter().collect::<Vec<_>>(), [0, 63, 130, 199]);
        for n_tiles in [1, 63, 64, 65, 128] {
            let all: Vec<Tile> = Tiles::all(n_tiles).iter().collect();
            assert_eq!(all, (0..n_tiles).collect::<Vec<_>>());
        }
        assert_eq!(Tiles::none(0).iter().next(), None);
    }
}
