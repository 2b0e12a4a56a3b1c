//! Elimination orders.

use super::frontier::{Constraint, Frontier, Group};

/// Groups from which orders are tried first.
const FEW_STARTS: usize = 8;

/// States at which no cheaper order is looked for.
const CHEAP: f64 = 5_000.0;

impl Frontier {
    /// The cheapest order of a component's groups among those tried: from a few groups, and from
    /// all where these cost too much.
    pub(super) fn order(&self, groups: &[usize]) -> Vec<usize> {
        let mut best = (f64::INFINITY, Vec::new());
        let step = groups.len().div_ceil(FEW_STARTS);
        let (few, others): (Vec<_>, Vec<_>) = groups
            .iter()
            .enumerate()
            .partition(|(at, _)| at % step == 0);
        for starts in [few, others] {
            if best.0 < CHEAP {
                break;
            }
            for (_, &first) in starts {
                if let Some(better) = self.greedy(groups, first, best.0) {
                    best = better;
                }
            }
        }
        best.1
    }

    /// The greedy order from a first group, which next eliminates the group after which the fewest
    /// states are possible, with its cost: the sum of these bounds. `None` if it costs `limit` or more.
    fn greedy(&self, groups: &[usize], first: usize, limit: f64) -> Option<(f64, Vec<usize>)> {
        let mut n_left: Vec<usize> = (self.constraints.iter())
            .map(|constraint| constraint.tiles.len())
            .collect();
        // Infinite for the groups of other components and for eliminated ones.
        let mut growths = vec![f64::INFINITY; self.groups.len()];
        for &group in groups {
            growths[group] = self.ln_growth(group, &n_left);
        }
        let mut open = groups.to_vec();
        let mut order = Vec::with_capacity(groups.len());
        let mut ln_ways = 0.0;
        let mut cost = 0.0;
        let mut next = groups.binary_search(&first).ok();
        while let Some(at) = next {
            let group = open.swap_remove(at);
            ln_ways += std::mem::replace(&mut growths[group], f64::INFINITY);
            cost += f64::exp(ln_ways);
            if cost >= limit {
                return None;
            }
            order.push(group);
            let Group { constraints, tiles } = &self.groups[group];
            for &number in constraints {
                n_left[number] -= tiles.len();
            }
            for &linked in constraints.iter().flat_map(|&number| &self.members[number]) {
                if growths[linked] < f64::INFINITY {
                    growths[linked] = self.ln_growth(linked, &n_left);
                }
            }
            let key = |at: &usize| (growths[open[*at]], open[*at]);
            let places = 0..open.len();
            next = places.min_by(|a, b| {
                let ((growth, group), (other_growth, other)) = (key(a), key(b));
                growth.total_cmp(&other_growth).then(group.cmp(&other))
            });
        }
        Some((cost, order))
    }

    /// The natural logarithm of the factor by which a group changes the bound on the number of states.
    fn ln_growth(&self, group: usize, n_left: &[usize]) -> f64 {
        const LN: [f64; 10] = [
            0.0,
            0.0,
            std::f64::consts::LN_2,
            1.098_612_288_668_109_8,
            1.386_294_361_119_890_6,
            1.609_437_912_434_100_3,
            1.791_759_469_228_055,
            1.945_910_149_055_313_2,
            2.079_441_541_679_835_7,
            2.197_224_577_336_219_6,
        ];
        let Group { constraints, tiles } = &self.groups[group];
        let ln_ways = |number: usize, left: usize| {
            let Constraint { tiles, n_mines } = &self.constraints[number];
            let done = tiles.len() - left;
            // From what the rest cannot hold to what it may.
            let least = n_mines.saturating_sub(done);
            let most = left.min(*n_mines);
            LN[(most + 1).saturating_sub(least)]
        };
        constraints
            .iter()
            .map(|&number| {
                let left = n_left[number];
                ln_ways(number, left - tiles.len()) - ln_ways(number, left)
            })
            .sum()
    }
}
