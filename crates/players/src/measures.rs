//! Measures of a model beside its weights: bits, matched moves, calibration.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A decision, with the probabilities that weights give to its alternatives.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedChoice {
    /// The group (game).
    pub group: u32,
    /// Index of the alternative that was chosen.
    pub chosen: usize,
    /// Probabilities of all alternatives.
    pub probabilities: Vec<f64>,
}

impl JudgedChoice {
    /// A decision with its probabilities.
    pub fn new(group: u32, chosen: usize, probabilities: Vec<f64>) -> Self {
        Self {
            group,
            chosen,
            probabilities,
        }
    }

    /// Probability of the chosen alternative.
    pub fn probability(&self) -> f64 {
        self.probabilities[self.chosen]
    }

    /// Code length of the choice.
    pub fn bits(&self) -> f64 {
        0.0 - self.probability().log2()
    }

    /// Code length if all alternatives were equally likely.
    pub fn uniform_bits(&self) -> f64 {
        (self.probabilities.len() as f64).log2()
    }

    /// Alternatives that are more likely than the chosen one, and those that are as likely, itself
    /// among them.
    pub fn above_and_equal(&self) -> (usize, usize) {
        let own = self.probability();
        let above = self.probabilities.iter().filter(|one| **one > own).count();
        let equal = self.probabilities.iter().filter(|one| **one >= own).count() - above;
        (above, equal)
    }

    /// Rank of the chosen alternative, from 1; of equals the best.
    pub fn rank(&self) -> usize {
        1 + self.above_and_equal().0
    }

    /// Whether the choice is among the `k` likeliest: the chance of it, where alternatives are equal.
    pub fn is_in_top(&self, k: usize) -> f64 {
        let (above, equal) = self.above_and_equal();
        (k.saturating_sub(above) as f64 / equal as f64).min(1.0)
    }
}

/// A bin of calibration: alternatives that were given about the same probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bin {
    /// Alternatives in it.
    pub alternatives: u64,
    /// Mean of their probabilities, in percent.
    pub predicted: f64,
    /// How many of them were chosen, in percent.
    pub chosen: f64,
}

/// How well probabilities predict choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Measures {
    /// Choices.
    pub moves: u64,
    /// Mean code length of a choice, in bits.
    pub bits: f64,
    /// The same if all alternatives were equally likely.
    pub uniform: f64,
    /// Share of choices that are the likeliest alternative, in percent.
    pub top_1: f64,
    /// Share of choices among the three likeliest, in percent.
    pub top_3: f64,
    /// Calibration, by bins that are bounded by [`BOUNDS`]; empty bins are left out.
    pub calibration: Vec<Bin>,
}

/// Upper bounds of the bins of calibration.
pub const BOUNDS: [f64; 8] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1.0];

impl Measures {
    /// The measures of some decisions; `None` without any.
    pub fn of<'j>(judged: impl IntoIterator<Item = &'j JudgedChoice>) -> Option<Self> {
        let (mut moves, mut bits, mut uniform) = (0, 0.0, 0.0);
        let mut top = [0.0; 2];
        let mut bins = [(0_u64, 0.0, 0_u64); BOUNDS.len()];
        for one in judged {
            moves += 1;
            bits += one.bits();
            uniform += one.uniform_bits();
            for (sum, k) in top.iter_mut().zip([1, 3]) {
                *sum += one.is_in_top(k);
            }
            for (index, &probability) in one.probabilities.iter().enumerate() {
                let bin = BOUNDS.iter().position(|bound| probability <= *bound);
                let (n, sum, chosen) = &mut bins[bin.unwrap_or(BOUNDS.len() - 1)];
                *n += 1;
                *sum += probability;
                *chosen += u64::from(index == one.chosen);
            }
        }
        let percent = |of: f64, n: u64| 100.0 * of / n as f64;
        let bin = |(n, sum, chosen): (u64, f64, u64)| Bin {
            alternatives: n,
            predicted: percent(sum, n),
            chosen: percent(chosen as f64, n),
        };
        (moves > 0).then(|| Self {
            moves,
            bits: bits / moves as f64,
            uniform: uniform / moves as f64,
            top_1: percent(top[0], moves),
            top_3: percent(top[1], moves),
            calibration: bins.into_iter().filter(|bin| bin.0 > 0).map(bin).collect(),
        })
    }
}

/// Mean bits per move of every group, ascending.
pub fn bits_by_group(judged: &[JudgedChoice]) -> Vec<f64> {
    let mut games: BTreeMap<u32, (f64, u64)> = BTreeMap::new();
    for one in judged {
        let (bits, moves) = games.entry(one.group).or_default();
        *bits += one.bits();
        *moves += 1;
    }
    let mut means: Vec<f64> = games.values().map(|(bits, n)| bits / *n as f64).collect();
    means.sort_by(f64::total_cmp);
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_share_the_first_place() {
        let one = JudgedChoice::new(0, 1, vec![0.25; 4]);
        let measures = Measures::of([&one]).unwrap();
        assert!((measures.top_1 - 25.0).abs() < 1e-12 && (measures.top_3 - 75.0).abs() < 1e-12);
        assert_eq!((one.rank(), measures.bits, measures.uniform), (1, 2.0, 2.0));
        assert_eq!(measures.calibration.len(), 1);
        assert!(Measures::of([]).is_none());
    }
}
