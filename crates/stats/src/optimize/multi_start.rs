//! Multi-start maximization, for objectives with several local maxima.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Optimum, scaled_step};

/// The ends of one maximizer from several starts.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiStart {
    /// One end per start, in the order of the starts.
    pub ends: Vec<Optimum>,
}

/// A local maximum, and the starts that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct DistinctOptimum {
    /// The best end at this maximum.
    pub optimum: Optimum,
    /// Indices of the starts that ended here, the best first.
    pub starts: Vec<usize>,
}

/// `n` starts: the center, then uniform draws from the box `center ± reach`.
///
/// Start `i` depends on the seed and `i` only, so more starts keep the earlier ones.
///
/// # Panics
/// If `center` and `reach` differ in length.
pub(crate) fn scattered_starts(
    center: &[f64],
    reach: &[f64],
    n: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    assert_eq!(
        center.len(),
        reach.len(),
        "there must be one reach per parameter"
    );
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |center: &f64, reach: &f64| center + reach * (2.0 * rng.random::<f64>() - 1.0);
    (0..n)
        .map(|start| match start {
            0 => center.to_vec(),
            _ => center
                .iter()
                .zip(reach)
                .map(|(center, reach)| draw(center, reach))
                .collect(),
        })
        .collect()
}

impl MultiStart {
    /// The highest maximum, the earliest of equals; `None` if no start converged.
    pub fn best(&self) -> Option<&Optimum> {
        self.converged()
            .reduce(|best, end| if end.value > best.value { end } else { best })
    }

    /// The distinct local maxima, highest first.
    ///
    /// Ends are one maximum if no parameter differs by more than `tolerance`, in units of its scale
    /// plus its size.
    pub fn distinct(&self, scales: &[f64], tolerance: f64) -> Vec<DistinctOptimum> {
        let numbered = self.ends.iter().enumerate();
        let mut ends: Vec<(usize, &Optimum)> =
            numbered.filter(|(_, end)| end.stop.converged()).collect();
        ends.sort_by(|(_, left), (_, right)| right.value.total_cmp(&left.value));
        let mut found: Vec<DistinctOptimum> = Vec::new();
        for (start, end) in ends {
            let same = |other: &&mut DistinctOptimum| {
                let apart: Vec<f64> = end
                    .point
                    .iter()
                    .zip(&other.optimum.point)
                    .map(|(a, b)| a - b)
                    .collect();
                scaled_step(&apart, &other.optimum.point, scales) <= tolerance
            };
            match found.iter_mut().find(same) {
                Some(known) => known.starts.push(start),
                None => found.push(DistinctOptimum {
                    optimum: end.clone(),
                    starts: vec![start],
                }),
            }
        }
        found
    }

    fn converged(&self) -> impl Iterator<Item = &Optimum> {
        self.ends.iter().filter(|end| end.stop.converged())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::StopReason;

    fn end(x: f64, value: f64, stop: StopReason) -> Optimum {
        Optimum {
            point: vec![x, 10.0 * x],
            value,
            n_iterations: 1,
            n_evaluations: 1,
            stop,
        }
    }

    #[test]
    fn only_converged_ends_count() {
        let ends = vec![
            end(1.0, 5.0, StopReason::Converged),
            end(9.0, 50.0, StopReason::OutOfBudget),
            end(1.0 + 1e-9, 5.0, StopReason::Converged),
            end(2.0, 6.0, StopReason::Converged),
        ];
        let found = MultiStart { ends };
        assert_eq!(found.best().unwrap().value, 6.0);
        let maxima: Vec<_> = found
            .distinct(&[1.0; 2], 1e-6)
            .iter()
            .map(|d| (d.optimum.value, d.starts.clone()))
            .collect();
        assert_eq!(maxima, [(6.0, vec![3]), (5.0, vec![0, 2])]);
    }

    #[test]
    fn starts_are_seeded_and_stay_in_the_box() {
        let few = scattered_starts(&[0.0, 5.0], &[1.0, 0.5], 3, 7);
        let many = scattered_starts(&[0.0, 5.0], &[1.0, 0.5], 100, 7);
        assert_eq!(few, many[..3]);
        assert_eq!(few[0], [0.0, 5.0]);
        assert!(
            many.iter()
                .all(|p| p[0].abs() <= 1.0 && (p[1] - 5.0).abs() <= 0.5)
        );
        assert_ne!(few, scattered_starts(&[0.0, 5.0], &[1.0, 0.5], 3, 8));
    }
}
