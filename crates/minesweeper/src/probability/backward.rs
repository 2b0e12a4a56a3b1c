//! The backward pass: weighs the arrangements of each component by those of the rest of the board.
//!
//! The weight of the unconstrained tiles is hypergeometric: the binomial coefficient of the mines
//! left to them. Where only the density of mines is known, every mine weighs its odds instead.

use super::count::{Count, LnFactorials, share};
use super::error::NoProbabilities;
use super::forward::{Component, ForwardPass, used};
use super::frontier::Frontier;
use super::{CHOOSE, Rest};

/// Limit on the weights that are kept: components times the mines that they can use.
const MAX_SUFFIXES: usize = 1 << 26;

/// Work space of the backward pass.
#[derive(Clone, Debug, Default)]
pub(super) struct BackwardPass<T> {
    /// For each state, the weight of all ways on.
    weights: Vec<T>,
    /// For each component and number of mines used before it: the weight of it and all later ones.
    suffixes: Vec<T>,
    /// For each number of mines used before a component: the ways of all earlier ones.
    prefix: Vec<T>,
    /// The same with the component.
    with_next: Vec<T>,
}

/// The results that are not in the groups.
pub(super) struct Totals {
    /// The natural logarithm of the number of arrangements.
    pub(super) ln_arrangements: f64,
    /// The probability of a mine on an unconstrained tile.
    pub(super) unconstrained: f64,
}

impl<T: Count> BackwardPass<T> {
    /// Sets the probability of every group, from the ways to reach each state.
    ///
    /// # Errors
    /// [`NoProbabilities::Contradiction`] if there is no arrangement; [`NoProbabilities::TooComplex`] if
    /// components and mines are too many.
    pub(super) fn run(
        &mut self,
        (forward, ways): (&ForwardPass, &[T]),
        frontier: &mut Frontier,
        rest: Rest,
        ln_factorials: &mut LnFactorials,
    ) -> Result<Totals, NoProbabilities> {
        let stride = forward.stride;
        let n_components = forward.components.len();
        if (n_components + 1).saturating_mul(stride) > MAX_SUFFIXES {
            return Err(NoProbabilities::TooComplex);
        }
        self.suffixes.clear();
        self.suffixes
            .resize((n_components + 1) * stride, T::default());
        let first = n_components * stride;
        let ln_unit = match rest.density {
            None => self.weigh_unconstrained(first, stride, rest, ln_factorials),
            Some(density) => self.weigh_mines(first, forward, density),
        };
        self.fill_suffixes(forward, ways);
        let total = self.suffixes[0];
        if total <= T::default() {
            return Err(NoProbabilities::Contradiction);
        }
        let ln_arrangements = total.ln() + ln_unit;

        self.prefix.clear();
        self.prefix.resize(stride, T::default());
        self.prefix[0] = T::from(1.0);
        self.weights.clear();
        self.weights.resize(forward.states.len(), T::default());
        for (at, component) in forward.components.iter().enumerate() {
            self.with_next.clear();
            self.with_next.resize(stride, T::default());
            let after = &self.suffixes[(at + 1) * stride..][..stride];
            for state in component.last.clone() {
                let (n_used, ways) = (used(forward.states[state]), ways[state]);
                let weights = self.prefix.iter().zip(&after[n_used..]);
                self.weights[state] = T::total(weights.map(|(a, b)| *a * *b));
                let sums = self.with_next[n_used..].iter_mut();
                for (sum, before) in sums.zip(&self.prefix) {
                    *sum += ways * *before;
                }
            }
            std::mem::swap(&mut self.prefix, &mut self.with_next);
            self.walk_back((forward, ways), frontier, component);
        }
        Ok(Totals {
            ln_arrangements,
            unconstrained: rest.density.unwrap_or_else(|| {
                let weights = &self.suffixes[first..];
                let mut mine = T::default();
                let mut safe = T::default();
                for (used, (ways, weight)) in self.prefix.iter().zip(weights).enumerate() {
                    if *weight > T::default() {
                        let n_mines = rest.n_mines - used;
                        mine += *ways * *weight * T::from(n_mines as f64);
                        safe += *ways * *weight * T::from((rest.n_unconstrained - n_mines) as f64);
                    }
                }
                share(mine, safe)
            }),
        })
    }

    /// Sets the last suffix to the weights of the mines used, in a unit that is the greatest of them;
    /// returns its logarithm.
    fn weigh_mines(&mut self, first: usize, forward: &ForwardPass, density: f64) -> f64 {
        let odds = density / (1.0 - density);
        let used = forward.components.iter().map(|component| {
            let used = component.last.clone().map(|at| used(forward.states[at]));
            if odds < 1.0 { used.min() } else { used.max() }
        });
        let unit: usize = used.flatten().sum();
        for (used, weight) in self.suffixes[first..].iter_mut().enumerate() {
            let more = used.cast_signed() - unit.cast_signed();
            let more = i32::try_from(more).unwrap_or(i32::MAX);
            let power = T::power(odds, more);
            let one = T::from(1.0);
            *weight = if power < one { power } else { one };
        }
        unit as f64 * odds.ln()
    }

    /// Convolves the counts of the components from the last on.
    fn fill_suffixes(&mut self, forward: &ForwardPass, ways: &[T]) {
        let stride = forward.stride;
        for (at, component) in forward.components.iter().enumerate().rev() {
            let (suffix, after) = self.suffixes[at * stride..].split_at_mut(stride);
            for state in component.last.clone() {
                let (n_used, ways) = (used(forward.states[state]), ways[state]);
                for (sum, after) in suffix.iter_mut().zip(&after[n_used..stride]) {
                    *sum += ways * *after;
                }
            }
        }
    }

    /// Sets the last suffix to the hypergeometric weights of the unconstrained tiles, by mines used
    /// elsewhere, in a unit that is the greatest of them; returns its logarithm.
    fn weigh_unconstrained(
        &mut self,
        first: usize,
        stride: usize,
        Rest {
            n_mines: mines_left,
            n_unconstrained,
            ..
        }: Rest,
        ln_factorials: &mut LnFactorials,
    ) -> f64 {
        let weights = &mut self.suffixes[first..];
        let least = mines_left + 1 - stride;
        let most = mines_left.min(n_unconstrained);
        if least > most {
            return 0.0;
        }
        let unit = (n_unconstrained / 2).clamp(least, most);
        weights[mines_left - unit] = T::from(1.0);
        let scaled =
            |weight: T, by: usize, per: usize| weight * T::from(by as f64) / T::from(per as f64);
        for n in unit + 1..=most {
            let below = weights[mines_left - n + 1];
            weights[mines_left - n] = scaled(below, n_unconstrained + 1 - n, n);
        }
        for n in (least..unit).rev() {
            let above = weights[mines_left - n - 1];
            weights[mines_left - n] = scaled(above, n + 1, n_unconstrained - n);
        }
        ln_factorials.choose(n_unconstrained, unit)
    }

    /// The weights of all ways on from each state of a component, and so its probabilities.
    fn walk_back(
        &mut self,
        (forward, to_reach): (&ForwardPass, &[T]),
        frontier: &mut Frontier,
        component: &Component,
    ) {
        for at in component.steps.clone().rev() {
            let step = &forward.steps[at];
            let edges = &forward.edges[step.edges.clone()];
            let group = &mut frontier.groups[step.group];
            let size = usize::from(group.size);
            let ways = &CHOOSE[size];
            let mut mine = T::default();
            let mut safe = T::default();
            for edge in edges {
                let on = T::from(ways[edge.n_mines]) * self.weights[edge.to];
                self.weights[edge.from] += on;
                let weight = to_reach[edge.from] * on;
                mine += T::from(edge.n_mines as f64) * weight;
                safe += T::from((size - edge.n_mines) as f64) * weight;
            }
            group.mine = share(mine, safe);
        }
    }
}
