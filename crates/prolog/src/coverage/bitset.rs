pub use fixedbitset::FixedBitSet as BitSet;

/// All indices below `len`.
#[inline]
pub fn all_bits(len: usize) -> BitSet {
    let mut set = BitSet::with_capacity(len);
    set.insert_range(..);
    set
}

/// The indices below `len` that satisfy a condition.
pub fn bits_where(len: usize, mut holds: impl FnMut(usize) -> bool) -> BitSet {
    const BITS: usize = usize::BITS as usize;
    let blocks = (0..len).step_by(BITS).map(|start| {
        let bits = 0..(len - start).min(BITS);
        bits.fold(0, |word, bit| word | usize::from(holds(start + bit)) << bit)
    });
    let blocks: Vec<usize> = blocks.collect();
    BitSet::with_capacity_and_blocks(len, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_what_satisfies_the_condition() {
        for len in [0, 1, 63, 64, 65, 130] {
            let set = bits_where(len, |i| i % 3 == 0);
            assert!(set.ones().eq((0..len).step_by(3)));
            let rest = bits_where(len, |i| i % 3 != 0);
            assert_eq!(set.union(&rest).count(), all_bits(len).count_ones(..));
        }
    }
}
