//! Weights of examples as integers, so that sets of weighted examples are summed by counting bits.

use kibitz_prolog::Coverage;

use super::universe::{Layout, set};
use crate::task::Task;

/// Most that all masses of a side sum up to: products of two sums fit in 64 bits.
const MAX_SUM: f64 = (1_u64 << 31) as f64;
/// Decimals of a weight that are kept where the sum allows.
const MAX_DECIMALS: i32 = 6;

/// The weight of each example as an integer, in a unit that they share.
#[derive(Clone, Debug)]
pub(super) struct Masses {
    each: [Vec<usize>; 2],
    /// Their sums.
    pub(super) all: [usize; 2],
    /// The examples whose masses have a bit, for each bit from the lowest.
    planes: Vec<Vec<u64>>,
    layout: Layout,
}

impl Masses {
    /// The masses of the examples of a task; `None` where all count the same.
    pub(super) fn of(task: &Task) -> Option<Self> {
        if !task.weights.are_given() {
            return None;
        }
        let examples = [&task.positive[..], &task.negative[..]];
        let weights = task.weights.each(examples);
        let first = weights.iter().flatten().next().copied()?;
        let is_same = weights
            .iter()
            .flatten()
            .all(|own| own.total_cmp(&first).is_eq());
        (!is_same).then(|| Self::new(&weights))
    }

    fn new(weights: &[Vec<f64>; 2]) -> Self {
        let unit = unit(weights);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the sum of all is bounded"
        )]
        let mass = |weight: &f64| (weight * unit).round().max(1.0) as usize;
        let each: [Vec<usize>; 2] = weights
            .each_ref()
            .map(|side| side.iter().map(mass).collect());
        let layout = Layout::new(weights.each_ref().map(Vec::len));
        let mut planes = Vec::new();
        for (example, mass) in each.iter().flatten().enumerate() {
            let mut rest = *mass;
            for bit in 0.. {
                if rest == 0 {
                    break;
                }
                if planes.len() <= bit {
                    planes.push(vec![0; layout.n_words]);
                }
                if rest & 1 == 1 {
                    set(&mut planes[bit], layout.bit(example));
                }
                rest >>= 1;
            }
        }
        Self {
            all: each.each_ref().map(|side| side.iter().sum()),
            each,
            planes,
            layout,
        }
    }

    /// The mass of a part of a set that begins at a word.
    pub(super) fn sum(&self, words: &[u64], first: usize) -> usize {
        let planes = self.planes.iter().enumerate();
        planes
            .map(|(bit, plane)| {
                let own = words.iter().zip(&plane[first..]);
                own.map(|(a, b)| (a & b).count_ones() as usize)
                    .sum::<usize>()
                    << bit
            })
            .sum()
    }

    /// The masses of either sign of a set.
    pub(super) fn count(&self, words: &[u64]) -> [usize; 2] {
        let n = self.layout.n_positive;
        [self.sum(&words[..n], 0), self.sum(&words[n..], n)]
    }

    /// The masses that a theory covers.
    pub(super) fn covered(&self, coverage: &Coverage) -> [usize; 2] {
        let covered = [&coverage.positive, &coverage.negative];
        [0, 1].map(|side| covered[side].ones().map(|i| self.each[side][i]).sum())
    }
}

/// What masses of a task sum up to for a theory: counts where all examples count the same.
pub(super) fn covered(masses: Option<&Masses>, coverage: &Coverage) -> [usize; 2] {
    let [tp, _, _, fp] = coverage.confusion();
    masses.map_or([tp, fp], |own| own.covered(coverage))
}

/// How many masses a weight of 1 is: the least power of ten that makes integers of all, as far as their
/// sum allows.
fn unit(weights: &[Vec<f64>; 2]) -> f64 {
    let all = || weights.iter().flatten();
    let is_integer = |own: f64| (own - own.round()).abs() < 1e-9 * own.max(1.0);
    let mut units = (0..MAX_DECIMALS).map(|decimals| 10_f64.powi(decimals));
    let exact = units.find(|unit| all().all(|own| is_integer(own * unit)));
    let mut unit = exact.unwrap_or(10_f64.powi(MAX_DECIMALS));
    let sum = |unit: f64| all().map(|own| (own * unit).max(1.0)).sum::<f64>();
    while sum(unit) > MAX_SUM {
        unit /= 10.0;
        // As many examples as that do not fit into memory.
        if unit < 1e-9 {
            break;
        }
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::super::universe::ones;
    use super::*;

    #[test]
    fn sums_are_those_of_the_weights() {
        let positive: Vec<f64> = (0..130).map(|i| f64::from(i % 7) + 0.5).collect();
        let negative = vec![2.25, 1.0, 30.0];
        let masses = Masses::new(&[positive, negative]);
        let layout = masses.layout;
        assert_eq!(masses.all, [44_900, 3325]);
        assert_eq!(masses.count(&layout.all()), masses.all);
        let mut some = vec![0; layout.n_words];
        for example in [3, 70, 129, 130, 132] {
            set(&mut some, layout.bit(example));
        }
        assert_eq!(ones(&some), 5);
        assert_eq!(masses.count(&some), [350 + 50 + 350, 225 + 3000]);
    }

    #[test]
    fn sums_stay_within_bounds() {
        let masses = Masses::new(&[vec![1e6; 5000], vec![1e-6, 1.0]]);
        assert!(masses.all[0] as f64 <= MAX_SUM, "{:?}", masses.all);
        // Each example counts for something.
        assert_eq!(masses.all[1], 2);
    }
}
