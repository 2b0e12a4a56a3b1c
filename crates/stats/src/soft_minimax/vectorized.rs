//! Vectorized loops over the nodes of a tree, in chunks of constant width.
//!
//! Families (a node and its children) vary in size and most are small, so that mispredicted branches
//! at their ends cost more than the arithmetic. So loops run to the end of a chunk: values written
//! beyond a family are overwritten by the next, and values read there are masked out of sums.

use std::ops::Range;

/// Codes per word of the leaf mask.
pub(super) const WORD: usize = 64;

/// Bit mask of the codes other than [`LEAF`](super::forest::LEAF), lowest bit first.
#[inline(always)]
pub(super) fn not_leaves(codes: &[u8; WORD]) -> u64 {
    let (eights, _) = codes.as_chunks::<8>();
    let mut bits = 0;
    for (eight, shift) in eights.iter().zip((0..).step_by(8)) {
        let codes = u64::from_le_bytes(*eight);
        // The highest bit of each nonzero byte, then all of them gathered.
        let low = 0x7f7f_7f7f_7f7f_7f7f;
        let high = (((codes & low) + low) | codes) & !low;
        bits |= ((high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << shift;
    }
    bits
}

/// Nodes per chunk.
pub(super) const WIDTH: usize = 8;

/// Grows a list to `n` nodes plus the overrun of loops; its contents stay.
#[inline(always)]
pub(super) fn make_room<const L: usize>(list: &mut Vec<[f64; L]>, n: usize) {
    if list.len() < n + WIDTH {
        list.resize(n + WIDTH, [0.0; L]);
    }
}

/// Runs of leaves between other nodes, each with the number of leaves before it.
#[inline(always)]
pub(super) fn runs(
    branches: &[u32],
    n_nodes: usize,
) -> impl Iterator<Item = (usize, Range<usize>)> {
    let ends = branches[1..].iter().map(|end| *end as usize);
    let starts = branches.iter().map(|branch| *branch as usize + 1);
    let runs = starts.zip(ends.chain([n_nodes])).enumerate();
    runs.map(|(n_before, (start, end))| (start - 1 - n_before, start..end))
}

/// Copies `n` entries, and up to a chunk beyond them.
#[inline(always)]
pub(super) fn copy<const L: usize>(from: &[[f64; L]], to: &mut [[f64; L]], n: usize) {
    let mut at = 0;
    loop {
        to[at..at + WIDTH].copy_from_slice(&from[at..at + WIDTH]);
        at += WIDTH;
        if at >= n {
            break;
        }
    }
}

/// Masks that keep the first `n` entries of a chunk and zero the others.
const KEPT: [[u64; WIDTH]; WIDTH + 1] = {
    let mut kept = [[0; WIDTH]; WIDTH + 1];
    let mut n = 0;
    while n <= WIDTH {
        let mut child = 0;
        while child < n {
            kept[n][child] = u64::MAX;
            child += 1;
        }
        n += 1;
    }
    kept
};

/// Whether any of the first `n` values reaches `bound`, per lane.
#[inline(always)]
pub(super) fn are_large<const L: usize>(values: &[[f64; L]], n: usize, bound: f64) -> [bool; L] {
    let mut lanes = [false; L];
    for at in (0..n).step_by(WIDTH) {
        let values = chunk(&values[at..]);
        let kept = &KEPT[(n - at).min(WIDTH)];
        for child in 0..WIDTH {
            for lane in 0..L {
                let value = f64::from_bits(values[child][lane].to_bits() & kept[child]);
                lanes[lane] |= value.abs() >= bound;
            }
        }
    }
    lanes
}

/// Sums of the first `n` exponentials, and of their products with values, per lane, in an order that
/// depends on `n` alone. At least [`WIDTH`] entries must follow the last.
#[inline(always)]
pub(super) fn sums<const L: usize>(
    exponentials: &[[f64; L]],
    values: &[[f64; L]],
    n: usize,
) -> ([f64; L], [f64; L]) {
    let (mut total, mut weighted) = ([[0.0; L]; WIDTH], [[0.0; L]; WIDTH]);
    for at in (0..n).step_by(WIDTH) {
        let exponentials = chunk(&exponentials[at..]);
        let values = chunk(&values[at..]);
        let kept = &KEPT[(n - at).min(WIDTH)];
        for child in 0..WIDTH {
            let keep = |number: f64| f64::from_bits(number.to_bits() & kept[child]);
            for lane in 0..L {
                let exponential = exponentials[child][lane];
                total[child][lane] += keep(exponential);
                weighted[child][lane] += keep(exponential * values[child][lane]);
            }
        }
    }
    (halved(total), halved(weighted))
}

/// The first [`WIDTH`] entries.
#[inline(always)]
pub(super) fn chunk<const L: usize>(list: &[[f64; L]]) -> &[[f64; L]; WIDTH] {
    list.first_chunk()
        .expect("lists extend a chunk beyond the last node")
}

/// Pairwise sum.
#[inline(always)]
fn halved<const L: usize>(mut sums: [[f64; L]; WIDTH]) -> [f64; L] {
    let mut n = WIDTH / 2;
    while n > 0 {
        let (sums, others) = sums.split_at_mut(n);
        for (sums, others) in sums.iter_mut().zip(others) {
            for (sum, other) in sums.iter_mut().zip(others) {
                *sum += *other;
            }
        }
        n /= 2;
    }
    sums[0]
}

/// Subtracts the largest exponent in the given lanes, which changes no ratio of exponentials.
#[inline(always)]
pub(super) fn subtract_largest<const L: usize>(exponents: &mut [[f64; L]], lanes: [bool; L]) {
    let mut largest = [f64::NEG_INFINITY; L];
    for exponents in &*exponents {
        for (largest, &exponent) in largest.iter_mut().zip(exponents) {
            // A plain comparison, not `f64::max`: one instruction, and a NaN shows in the sum anyway.
            *largest = if exponent > *largest {
                exponent
            } else {
                *largest
            };
        }
    }
    for (largest, is_wanted) in largest.iter_mut().zip(lanes) {
        *largest = if is_wanted { *largest } else { 0.0 };
    }
    for exponents in exponents {
        for (exponent, largest) in exponents.iter_mut().zip(largest) {
            *exponent -= largest;
        }
    }
}

/// Dot products per lane, in a fixed order that allows parallel additions. Slopes may outnumber
/// units.
#[inline(always)]
pub(super) fn dot<const L: usize, U: Copy + Into<f64>>(
    column: &[U],
    slopes: &[[f64; L]],
) -> [f64; L] {
    let mut sums = [[0.0; L]; WIDTH];
    let mut add = |part: usize, unit: U, slopes: &[f64; L]| {
        let unit = unit.into();
        for (sum, slope) in sums[part].iter_mut().zip(slopes) {
            *sum += unit * slope;
        }
    };
    let (columns, columns_rest) = column.as_chunks::<WIDTH>();
    let (slopes, slopes_rest) = slopes[..column.len()].as_chunks::<WIDTH>();
    for (units, slopes) in columns.iter().zip(slopes) {
        for part in 0..WIDTH {
            add(part, units[part], &slopes[part]);
        }
    }
    for (part, (unit, slopes)) in columns_rest.iter().zip(slopes_rest).enumerate() {
        add(part, *unit, slopes);
    }
    halved(sums)
}

#[cfg(test)]
mod tests {
    use super::super::forest::LEAF;
    use super::*;
    use proptest::prelude::*;

    fn codes() -> impl Strategy<Value = [u8; WORD / 2]> {
        prop::array::uniform32(prop::sample::select(vec![LEAF, 1, 127, 128, 254, 255]))
    }

    proptest! {
        #[test]
        fn the_mask_marks_other_nodes_than_leaves(codes in codes()) {
            let mut word = [LEAF; WORD];
            word[16..48].copy_from_slice(&codes);
            let bits = not_leaves(&word);
            for (index, code) in word.iter().enumerate() {
                prop_assert_eq!(bits >> index & 1 == 1, *code != LEAF);
            }
        }

        #[test]
        fn runs_lie_between_branches(is_branch in prop::collection::vec(any::<bool>(), 0..100)) {
            let n_nodes = is_branch.len() + 1;
            let inner = (1..).zip(&is_branch).filter(|(_, is_branch)| **is_branch);
            let branches: Vec<u32> = [0].into_iter().chain(inner.map(|(node, _)| node)).collect();
            let mut leaves = Vec::new();
            for (leaf, nodes) in runs(&branches, n_nodes) {
                prop_assert_eq!(leaf, leaves.len());
                leaves.extend(nodes);
            }
            let expected: Vec<usize> = (1..n_nodes).filter(|node| !is_branch[node - 1]).collect();
            prop_assert_eq!(leaves, expected);
        }

        #[test]
        fn sums_stop_where_they_should(numbers in prop::collection::vec(-9.0f64..9.0, 1..40)) {
            let n = numbers.len();
            let padded = |beyond: f64| -> Vec<[f64; 2]> {
                let pairs = numbers.iter().map(|number| [*number, -number]);
                pairs.chain([[beyond; 2]; WIDTH]).collect()
            };
            let clean = padded(0.0);
            let (total, weighted) = sums(&clean, &clean, n);
            let expected: f64 = numbers.iter().sum();
            let squares: f64 = numbers.iter().map(|number| number * number).sum();
            prop_assert!((total[0] - expected).abs() < 1e-12 && total[1] == -total[0]);
            prop_assert!((weighted[0] - squares).abs() < 1e-11 && weighted[1] == weighted[0]);
            let any_large = numbers.iter().any(|number| number.abs() >= 5.0);
            prop_assert_eq!(are_large(&clean, n, 5.0), [any_large; 2]);
            for beyond in [f64::NAN, f64::INFINITY, 1e300] {
                let unclean = padded(beyond);
                prop_assert_eq!(sums(&unclean, &unclean, n), (total, weighted));
                prop_assert_eq!(are_large(&unclean, n, 5.0), [any_large; 2]);
            }
        }

        #[test]
        fn dots_are_sums_of_products(column in prop::collection::vec(any::<i8>(), 0..40)) {
            let slopes: Vec<[f64; 1]> = (0..41i8).map(|leaf| [f64::from(leaf)]).collect();
            let terms = column.iter().zip(&slopes).map(|(unit, [slope])| f64::from(*unit) * slope);
            prop_assert_eq!(dot(&column, &slopes), [terms.sum::<f64>()]);
        }
    }
}
