//! Bit sets of tiles.

/// `N` sets of tiles of a board, side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitSets<const N: usize> {
    words: Vec<[u64; N]>,
}

impl<const N: usize> BitSets<N> {
    /// Empty sets over `n_tiles` tiles.
    pub(crate) fn new(n_tiles: usize) -> Self {
        Self {
            words: vec![[0; N]; n_tiles.div_ceil(64)],
        }
    }

    /// Puts all of `n_tiles` tiles in a set.
    pub(crate) fn fill(&mut self, set: usize, n_tiles: usize) {
        for (at, words) in self.words.iter_mut().enumerate() {
            let n_left = n_tiles - 64 * at;
            words[set] = if n_left < 64 {
                (1 << n_left) - 1
            } else {
                u64::MAX
            };
        }
    }

    /// Takes all tiles from a set.
    pub(crate) fn clear(&mut self, set: usize) {
        for words in &mut self.words {
            words[set] = 0;
        }
    }

    /// Inserts a tile in a set, or removes it.
    #[inline]
    pub(crate) fn put(&mut self, set: usize, tile: usize, is_in: bool) {
        let word = &mut self.words[tile / 64][set];
        let bit = tile % 64;
        *word = *word & !(1 << bit) | u64::from(is_in) << bit;
    }

    /// Whether a tile is in a set.
    #[inline]
    pub(crate) fn contains(&self, set: usize, tile: usize) -> bool {
        self.words[tile / 64][set] >> (tile % 64) & 1 == 1
    }

    /// Copies other sets without new memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.words.clear();
        self.words.extend_from_slice(&other.words);
    }

    /// The tiles of a set, in order.
    #[inline]
    pub(crate) fn iter(&self, set: usize) -> Tiles<'_, N> {
        Tiles {
            words: &self.words,
            set,
            word: self.words.first().map_or(0, |words| words[set]),
            first: 0,
        }
    }
}

/// See [`BitSets::iter`].
#[derive(Clone, Debug)]
pub(crate) struct Tiles<'a, const N: usize> {
    /// The remaining words, the current one first.
    words: &'a [[u64; N]],
    set: usize,
    /// The remaining bits of the current word.
    word: u64,
    /// The tile of its lowest bit.
    first: usize,
}

impl<const N: usize> Iterator for Tiles<'_, N> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            self.words = self.words.get(1..)?;
            self.word = self.words.first()?[self.set];
            self.first += 64;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.first + bit)
    }
}

/// The indices of the bits that are set, from the lowest.
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
        let mut tiles = BitSets::<2>::new(200);
        for tile in [199, 0, 64, 130, 63] {
            tiles.put(1, tile, true);
        }
        tiles.put(1, 64, false);
        tiles.put(1, 65, false);
        tiles.put(0, 7, true);
        assert_eq!(tiles.iter(1).collect::<Vec<_>>(), [0, 63, 130, 199]);
        for n_tiles in [1, 63, 64, 65, 128] {
            let mut tiles = BitSets::<1>::new(n_tiles);
            tiles.fill(0, n_tiles);
            assert!(tiles.iter(0).eq(0..n_tiles));
        }
    }
}
