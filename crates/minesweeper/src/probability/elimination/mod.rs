//! Variable elimination on a wide frontier.
//!
//! Tiles that a single number or a pair of numbers determines are removed first, which cuts most
//! frontiers into small components. The groups of a component are then eliminated in a greedy
//! minimum-weight order, the best of those tried. A state of this dynamic program holds the mines
//! that each partly assigned number still needs; its weights are the arrangements by mines used.

mod component;
mod frontier;
mod order;

pub(crate) use frontier::Constraint;

use component::Component;
use frontier::Frontier;

use super::{Rest, share};
use crate::NoProbabilities;

/// Marginal probabilities.
#[derive(Clone, Debug)]
pub(crate) struct Marginals {
    /// Per tile the probability of a mine; `None` for a tile in no constraint.
    pub(crate) mine: Vec<Option<f64>>,
    /// The probability of a mine on each tile in no constraint.
    pub(crate) unconstrained: f64,
    /// Number of those tiles.
    pub(crate) n_unconstrained: usize,
    /// Natural logarithm of the number of arrangements, or of their weight by the odds of a mine.
    pub(crate) ln_arrangements: f64,
}

/// The probabilities of `n_tiles` covered tiles with `n_mines` mines among them, or with mines of this
/// density.
///
/// # Errors
/// [`NoProbabilities`].
pub(crate) fn marginals(
    n_tiles: usize,
    n_mines: usize,
    density: Option<f64>,
    constraints: Vec<Constraint>,
) -> Result<Marginals, NoProbabilities> {
    let frontier = Frontier::new(n_tiles, constraints)?;
    let certain = frontier.known.iter().filter(|known| **known == Some(true));
    let n_certain = certain.count();
    let left = n_mines.checked_sub(n_certain);
    let left = left.ok_or(NoProbabilities::Contradiction)?;
    let n_free: usize = frontier.groups.iter().map(|group| group.tiles.len()).sum();
    let rest = Rest {
        n_mines: left,
        density,
        n_unconstrained: n_tiles - frontier.known.iter().flatten().count() - n_free,
    };
    let components: Vec<Component> = (frontier.components().iter())
        .map(|groups| Component::count(&frontier, &frontier.order(groups), left))
        .collect::<Result<_, _>>()?;
    // The mines that components use, before each of them and after all.
    let mut before = vec![vec![1.0]];
    for component in &components {
        let last = before.last().expect("one at least");
        let mut next = convolved(last, &component.used);
        next.truncate(left + 1);
        before.push(next);
    }
    // Weights of the unconstrained tiles by the mines used elsewhere, scaled so that the greatest is 1.
    let all = before.last().expect("one at least");
    let ln_weights = ln_weights(rest);
    let possible = all.iter().zip(&ln_weights).filter(|(ways, _)| **ways > 0.0);
    let unit = possible
        .map(|(_, ln)| *ln)
        .fold(f64::NEG_INFINITY, f64::max);
    if unit == f64::NEG_INFINITY {
        return Err(NoProbabilities::Contradiction);
    }
    let weights: Vec<f64> = ln_weights.iter().map(|ln| (ln - unit).exp()).collect();
    let mut mine = 0.0;
    let mut total = 0.0;
    for (used, (ways, weight)) in all.iter().zip(&weights).enumerate() {
        total += ways * weight;
        mine += ways * weight * (left - used) as f64;
    }
    let mut probabilities: Vec<Option<f64>> = (frontier.known.iter())
        .map(|known| known.map(|is_mine| f64::from(u8::from(is_mine))))
        .collect();
    let mut after = weights;
    for (component, before) in components.iter().zip(&before).rev() {
        let outside: Vec<f64> = (0..component.used.len())
            .map(|used| shifted_sum(before, &after, used))
            .collect();
        component.weigh(&frontier, &outside, &mut probabilities);
        after = (0..after.len())
            .map(|used| shifted_sum(&component.used, &after, used))
            .collect();
    }
    let ln_scales: f64 = components.iter().map(|component| component.ln_scale).sum();
    Ok(Marginals {
        mine: probabilities,
        n_unconstrained: rest.n_unconstrained,
        unconstrained: density
            .unwrap_or_else(|| share(mine, total * rest.n_unconstrained as f64 - mine)),
        ln_arrangements: ln_scales + unit + total.ln() + n_certain as f64 * ln_odds(density),
    })
}

/// The natural logarithm of the odds of a mine; 0 where mines are not weighed.
fn ln_odds(density: Option<f64>) -> f64 {
    density.map_or(0.0, |density| (density / (1.0 - density)).ln())
}

/// Natural logarithms of the weights of the unconstrained tiles, by the mines used elsewhere: the number
/// of ways to lay the rest on them, or the odds of those that are used.
fn ln_weights(rest: Rest) -> Vec<f64> {
    let left = rest.n_mines;
    if rest.density.is_some() {
        let ln_odds = ln_odds(rest.density);
        return (0..=left).map(|used| used as f64 * ln_odds).collect();
    }
    let n = rest.n_unconstrained;
    let mut ln_factorials = vec![0.0; n + 1];
    for at in 1..=n {
        ln_factorials[at] = ln_factorials[at - 1] + (at as f64).ln();
    }
    (0..=left)
        .map(|used| match left - used {
            k if k <= n => ln_factorials[n] - ln_factorials[k] - ln_factorials[n - k],
            _ => f64::NEG_INFINITY,
        })
        .collect()
}

fn convolved(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; one.len() + other.len() - 1];
    for (at, a) in one.iter().enumerate() {
        for (sum, b) in sums[at..].iter_mut().zip(other) {
            *sum += a * b;
        }
    }
    sums
}

/// The sum of products of one list and the other from `shift` on.
fn shifted_sum(one: &[f64], other: &[f64], shift: usize) -> f64 {
    let other = other.get(shift..).unwrap_or_default();
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
