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

use super::count::{Count, LnFactorials, MAX_PLAIN_TILES, Wide, share};
use super::{Rest, ln_odds};
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

/// The greatest range of the weights of unconstrained tiles, as a natural logarithm, with which arrangements
/// are counted in `f64`: `2^300`, since products of two shares of arrangements, in which nothing is smaller
/// than `2^-300`, are weighed.
const MAX_PLAIN_RANGE: f64 = 300.0 * std::f64::consts::LN_2;

/// Limit on the ways that are kept: components times the mines that they can use.
const MAX_CONVOLVED: usize = 1 << 26;

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
    ln_factorials: &mut LnFactorials,
) -> Result<Marginals, NoProbabilities> {
    let frontier = Frontier::new(n_tiles, constraints)?;
    let certain = frontier.known.iter().filter(|known| **known == Some(true));
    let left = n_mines.checked_sub(certain.count());
    let left = left.ok_or(NoProbabilities::Contradiction)?;
    let n_free: usize = frontier.groups.iter().map(|group| group.tiles.len()).sum();
    let rest = Rest {
        n_mines: left,
        density,
        n_unconstrained: n_tiles - frontier.known.iter().flatten().count() - n_free,
    };
    let stride = 1 + left.min(n_free);
    let is_plain =
        n_free <= MAX_PLAIN_TILES && rest.ln_range(stride, ln_factorials) < MAX_PLAIN_RANGE;
    if is_plain {
        weighed::<f64>(&frontier, rest, ln_factorials)
    } else {
        weighed::<Wide>(&frontier, rest, ln_factorials)
    }
}

/// The probabilities, by numbers of this type.
fn weighed<T: Count>(
    frontier: &Frontier,
    rest: Rest,
    ln_factorials: &mut LnFactorials,
) -> Result<Marginals, NoProbabilities> {
    let left = rest.n_mines;
    let components: Vec<Component<T>> = (frontier.components().iter())
        .map(|groups| Component::count(frontier, &frontier.order(groups), left))
        .collect::<Result<_, _>>()?;
    // The mines that components use, before each of them and after all.
    let mut before = vec![vec![T::from(1.0)]];
    let mut n_kept = 0;
    for component in &components {
        let last = before.last().expect("one at least");
        let mut next = convolved(last, &component.used);
        next.truncate(left + 1);
        n_kept += next.len();
        if n_kept > MAX_CONVOLVED {
            return Err(NoProbabilities::TooComplex);
        }
        before.push(next);
    }
    // Weights of the unconstrained tiles by the mines used elsewhere, scaled so that the greatest is 1.
    let all = before.last().expect("one at least");
    let ln_weights = (0..all.len()).map(|used| rest.ln_weight(used, ln_factorials));
    let ln_weights: Vec<f64> = ln_weights.collect();
    let possible = all
        .iter()
        .zip(&ln_weights)
        .filter(|(ways, _)| **ways > T::default());
    let unit = possible
        .map(|(_, ln)| *ln)
        .fold(f64::NEG_INFINITY, f64::max);
    if unit == f64::NEG_INFINITY {
        return Err(NoProbabilities::Contradiction);
    }
    let weights: Vec<T> = ln_weights.iter().map(|ln| T::from_ln(ln - unit)).collect();
    let (mut mine, mut total) = (T::default(), T::default());
    for (used, (ways, weight)) in all.iter().zip(&weights).enumerate() {
        total += *ways * *weight;
        mine += *ways * *weight * T::from((left - used) as f64);
    }
    let mut probabilities: Vec<Option<f64>> = (frontier.known.iter())
        .map(|known| known.map(|is_mine| f64::from(u8::from(is_mine))))
        .collect();
    let mut after = weights;
    for (component, before) in components.iter().zip(&before).rev() {
        let outside: Vec<T> = (0..component.used.len())
            .map(|used| shifted_sum(before, &after, used))
            .collect();
        component.weigh(frontier, &outside, &mut probabilities);
        after = (0..before.len())
            .map(|used| shifted_sum(&component.used, &after, used))
            .collect();
    }
    let ln_scales: f64 = components.iter().map(|component| component.ln_scale).sum();
    let n_certain = frontier.known.iter().filter(|known| **known == Some(true));
    Ok(Marginals {
        mine: probabilities,
        n_unconstrained: rest.n_unconstrained,
        unconstrained: rest.density.unwrap_or_else(|| {
            let all = total * T::from(rest.n_unconstrained as f64);
            share(mine, all - mine)
        }),
        ln_arrangements: ln_scales
            + unit
            + total.ln()
            + n_certain.count() as f64 * ln_odds(rest.density),
    })
}

fn convolved<T: Count>(one: &[T], other: &[T]) -> Vec<T> {
    let mut sums = vec![T::default(); one.len() + other.len() - 1];
    for (at, a) in one.iter().enumerate() {
        for (sum, b) in sums[at..].iter_mut().zip(other) {
            *sum += *a * *b;
        }
    }
    sums
}

/// The sum of products of one list and the other from `shift` on.
fn shifted_sum<T: Count>(one: &[T], other: &[T], shift: usize) -> T {
    let other = other.get(shift..).unwrap_or_default();
    T::total(one.iter().zip(other).map(|(a, b)| *a * *b))
}
