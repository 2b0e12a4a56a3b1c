//! The backward pass: weighs the arrangements of each component by those of the rest of the board.
//!
//! The weight of the unconstrained tiles is hypergeometric: the binomial coefficient of the mines
//! left to them. Where only the density of mines is known, every mine weighs its odds instead.

use super::error::NoProbabilities;
use super::forward::{Component, ForwardPass, used};
use super::frontier::Frontier;
use super::scale::{GROUPS_PER_SCALING, ln_scale, rescale};
use super::{CHOOSE, Rest, share};

/// Work space of the backward pass.
#[derive(Clone, Debug, Default)]
pub(super) struct BackwardPass {
    /// For each state, the weight of all ways on.
    weights: Vec<f64>,
    /// For each component and number of mines used before it: the weight of it and all later ones.
    suffixes: Vec<f64>,
    /// For each component and number of mines used before it: the ways of all earlier ones.
    prefixes: Vec<f64>,
    ln_factorials: Vec<f64>,
}

/// The results that are not in the groups.
pub(super) struct Totals {
    /// The natural logarithm of the number of arrangements.
    pub(super) ln_arrangements: f64,
    /// The probability of a mine on an unconstrained tile.
    pub(super) unconstrained: f64,
}

impl BackwardPass {
    /// Sets the probability of every group.
    ///
    /// # Errors
    /// [`NoProbabilities::Contradiction`] if there is no arrangement.
    pub(super) fn run(
        &mut self,
        forward: &ForwardPass,
        frontier: &mut Frontier,
        rest: Rest,
    ) -> Result<Totals, NoProbabilities> {
        let stride = forward.stride;
        let n_components = forward.components.len();
        self.suffixes.clear();
        self.suffixes.resize((n_components + 1) * stride, 0.0);
        let first = n_components * stride;
        let ln_unit = match rest.density {
            None => self.weigh_unconstrained(first, stride, rest),
            Some(density) => self.weigh_mines(first, forward, density),
        };
        let n_scaled = forward.n_scaled + self.fill_suffixes(forward);
        let total = self.suffixes[0];
        if total <= 0.0 {
            return Err(NoProbabilities::Contradiction);
        }
        let ln_arrangements = total.ln() + ln_unit + ln_scale(n_scaled);

        self.prefixes.clear();
        self.prefixes.resize((n_components + 1) * stride, 0.0);
        self.prefixes[0] = 1.0;
        self.weights.clear();
        self.weights.resize(forward.states.len(), 0.0);
        for (at, component) in forward.components.iter().enumerate() {
            let (prefix, with_next) = self.prefixes[at * stride..].split_at_mut(stride);
            let after = &self.suffixes[(at + 1) * stride..][..stride];
            for state in component.last.clone() {
                let (n_used, ways) = (used(forward.states[state]), forward.ways[state]);
                let weights = prefix.iter().zip(&after[n_used..]);
                self.weights[state] = weights.map(|(a, b)| a * b).sum();
                for (sum, before) in with_next[n_used..stride].iter_mut().zip(&*prefix) {
                    *sum += ways * before;
                }
            }
            rescale(&mut with_next[..stride]);
            self.walk_back(forward, frontier, component);
        }
        Ok(Totals {
            ln_arrangements,
            unconstrained: rest.density.unwrap_or_else(|| {
                let weights = &self.suffixes[first..];
                let prefix = &self.prefixes[first..];
                let mut mine = 0.0;
                let mut safe = 0.0;
                for (used, (ways, weight)) in prefix.iter().zip(weights).enumerate() {
                    if *weight > 0.0 {
                        let n_mines = rest.n_mines - used;
                        mine += ways * weight * n_mines as f64;
                        safe += ways * weight * (rest.n_unconstrained - n_mines) as f64;
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
            *weight = odds.powi(more).min(1.0);
        }
        unit as f64 * odds.ln()
    }

    /// Convolves the counts of the components from the last on; returns the factors taken out.
    fn fill_suffixes(&mut self, forward: &ForwardPass) -> u32 {
        let stride = forward.stride;
        let mut n_scaled = 0;
        for (at, component) in forward.components.iter().enumerate().rev() {
            let (suffix, after) = self.suffixes[at * stride..].split_at_mut(stride);
            for state in component.last.clone() {
                let (n_used, ways) = (used(forward.states[state]), forward.ways[state]);
                for (sum, after) in suffix.iter_mut().zip(&after[n_used..stride]) {
                    *sum += ways * after;
                }
            }
            n_scaled += rescale(suffix);
        }
        n_scaled
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
    ) -> f64 {
        let weights = &mut self.suffixes[first..];
        let least = mines_left + 1 - stride;
        let most = mines_left.min(n_unconstrained);
        if least > most {
            return 0.0;
        }
        let unit = (n_unconstrained / 2).clamp(least, most);
        weights[mines_left - unit] = 1.0;
        for n in unit + 1..=most {
            let below = weights[mines_left - n + 1];
            weights[mines_left - n] = below * (n_unconstrained + 1 - n) as f64 / n as f64;
        }
        for n in (least..unit).rev() {
            let above = weights[mines_left - n - 1];
            weights[mines_left - n] = above * (n + 1) as f64 / (n_unconstrained - n) as f64;
        }
        while self.ln_factorials.len() <= n_unconstrained {
            let n = self.ln_factorials.len().max(1);
            let below = self.ln_factorials.last().copied().unwrap_or(0.0);
            self.ln_factorials.push(below + (n as f64).ln());
        }
        let ln = &self.ln_factorials;
        ln[n_unconstrained] - ln[unit] - ln[n_unconstrained - unit]
    }

    /// The weights of all ways on from each state of a component, and so its probabilities.
    fn walk_back(&mut self, forward: &ForwardPass, frontier: &mut Frontier, component: &Component) {
        for at in component.steps.clone().rev() {
            let step = &forward.steps[at];
            let edges = &forward.edges[step.edges.clone()];
            let group = &mut frontier.groups[step.group];
            let size = usize::from(group.size);
            let ways = &CHOOSE[size];
            let mut mine = 0.0;
            let mut safe = 0.0;
            for edge in edges {
                let on = ways[edge.n_mines] * self.weights[edge.to];
                self.weights[edge.from] += on;
                let weight = forward.ways[edge.from] * on;
                mine += edge.n_mines as f64 * weight;
                safe += (size - edge.n_mines) as f64 * weight;
            }
            group.mine = share(mine, safe);
            if at.is_multiple_of(GROUPS_PER_SCALING) {
                let froms = edges.iter().map(|edge| edge.from);
                let states = froms.clone().min().zip(froms.max());
                let (first, last) = states.expect("every group has edges");
                rescale(&mut self.weights[first..=last]);
            }
        }
    }
}
