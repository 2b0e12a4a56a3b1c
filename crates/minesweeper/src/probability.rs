//! How likely each covered tile holds a mine.
//!
//! All arrangements of the mines that agree with what is uncovered are equally likely. They are
//! counted without being listed: tiles that touch the same numbers are one group, groups that are
//! linked through numbers one component, and within a component groups get their mines one after
//! the other, where partial assignments that leave the same to every open number are one state.
//! A pass forward counts the ways to reach each state by mines used, a pass backward weighs the
//! ways on from it with what the other components and the tiles apart can hold; their products are
//! the probabilities.

use std::ops::Range;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::{
    grid::Tile,
    knowledge::{Knowledge, TileSet, View},
};

/// Most states of a component after one group.
const MAX_STATES: usize = 1 << 17;

/// States among which an equal one is found by looking at each.
const FEW_STATES: usize = 24;

/// Counts above `2^SCALE` are divided by it, exactly.
const SCALE: i32 = 300;

/// Groups assigned between two looks at the size of the counts; 32 of 8 tiles multiply them by at
/// most `2^256`.
const GROUPS_PER_SCALING: usize = 32;

/// No place in a list.
const NONE: usize = usize::MAX;

/// Why there are no probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoProbabilities {
    /// Nothing agrees with what is uncovered and marked.
    #[error("no arrangement of the mines agrees with the numbers and marks")]
    Contradiction,
    /// There would be too many states to keep.
    #[error("the numbers are linked in too many ways")]
    TooComplex,
}

/// How likely each tile holds a mine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probabilities {
    mine: Vec<f64>,
    ln_arrangements: f64,
}

impl Probabilities {
    /// How likely a tile holds a mine: 0 or 1 exactly if no arrangement has one there, or all have.
    ///
    /// It is 1 for marks and 0 for uncovered tiles.
    pub fn mine(&self, tile: Tile) -> f64 {
        self.mine[tile]
    }

    /// The natural logarithm of the number of arrangements that agree with what is known.
    pub fn ln_arrangements(&self) -> f64 {
        self.ln_arrangements
    }
}

/// Computes probabilities, and keeps its memory from one position to the next.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    numbers: Vec<Number>,
    groups: Vec<Group>,
    /// Per tile, its place in `numbers` or `groups`.
    place: Vec<usize>,
    /// Mines that the tiles around numbers can hold, and one more.
    stride: usize,
    components: Vec<Component>,
    /// Groups in the order in which they get their mines, component by component.
    order: Vec<usize>,
    /// Where the edges of each of them begin, and where the last end.
    first_edges: Vec<usize>,
    edges: Vec<Edge>,
    states: Vec<State>,
    /// Per state and mines used so far: the ways to get there.
    forward: Vec<f64>,
    /// Per state and mines used so far: the weight of all ways on.
    backward: Vec<f64>,
    index: FxHashMap<u128, usize>,
    /// Per component and mines used before it: the weight of it and all that comes after.
    suffixes: Vec<f64>,
    /// Factors of `2^SCALE` taken out of all counts.
    n_scaled: u32,
    ln_factorials: Vec<f64>,
    result: Probabilities,
}

/// An uncovered tile with covered neighbors.
#[derive(Clone, Copy, Debug)]
struct Number {
    set: TileSet,
    /// Covered tiles around it that have not got their mines yet.
    n_open: u8,
    /// Its four bits in a state, once a group around it has got its mines.
    slot: Option<u32>,
}

/// Covered tiles that touch the same numbers.
#[derive(Clone, Copy, Debug)]
struct Group {
    numbers: [usize; 8],
    n_numbers: usize,
    size: u8,
    is_ordered: bool,
    mine: f64,
}

/// Groups that are linked through numbers.
#[derive(Clone, Debug)]
struct Component {
    /// In `order`.
    groups: Range<usize>,
    /// The last is the state in which all groups have their mines.
    states: Range<usize>,
}

/// What is left to the open numbers, four bits each, and mines used so far.
#[derive(Clone, Copy, Debug)]
struct State {
    left: u128,
    least: usize,
    most: usize,
}

/// From state to state a group gets its mines.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    to: usize,
    n_mines: u8,
    ways: f64,
}

/// `CHOOSE[n][k]`: ways to choose `k` of `n` tiles.
static CHOOSE: [[f64; 9]; 9] = {
    let mut table = [[0.0; 9]; 9];
    let mut n = 0;
    while n < 9 {
        table[n][0] = 1.0;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

impl Solver {
    /// A solver.
    pub fn new() -> Self {
        Self::default()
    }

    /// The probabilities of a position; marks count as mines.
    ///
    /// # Errors
    /// [`NoProbabilities::Contradiction`] if nothing agrees with it;
    /// [`NoProbabilities::TooComplex`] if there is too much to keep, which does not happen in play
    /// on the usual boards.
    pub fn solve(&mut self, knowledge: &Knowledge) -> Result<&Probabilities, NoProbabilities> {
        let mines_left =
            usize::try_from(knowledge.mines_left()).map_err(|_| NoProbabilities::Contradiction)?;
        let n_apart = self.make_groups(knowledge)?;
        self.stride = 1 + mines_left.min(knowledge.n_covered() - n_apart);
        self.components.clear();
        self.order.clear();
        self.first_edges.clear();
        self.edges.clear();
        self.states.clear();
        self.forward.clear();
        self.n_scaled = 0;
        for first in 0..self.groups.len() {
            if !self.groups[first].is_ordered {
                self.count(knowledge, first)?;
            }
        }
        self.first_edges.push(self.edges.len());
        let apart = self.weigh(mines_left, n_apart)?;
        self.result.mine.clear();
        let tiles = 0..knowledge.grid().n_tiles();
        let mine = tiles.map(|tile| match (knowledge.view(tile), self.place[tile]) {
            (View::Number(_), _) => 0.0,
            (View::Marked, _) => 1.0,
            (View::Covered, NONE) => apart,
            (View::Covered, group) => self.groups[group].mine,
        });
        self.result.mine.extend(mine);
        Ok(&self.result)
    }

    /// Makes numbers and groups; returns how many covered tiles touch no number.
    fn make_groups(&mut self, knowledge: &Knowledge) -> Result<usize, NoProbabilities> {
        self.numbers.clear();
        self.groups.clear();
        self.place.clear();
        self.place.resize(knowledge.grid().n_tiles(), NONE);
        if (0..self.place.len()).any(|tile| knowledge.refutes(tile)) {
            return Err(NoProbabilities::Contradiction);
        }
        for set in knowledge.sets() {
            self.place[set.center] = self.numbers.len();
            self.numbers.push(Number {
                set,
                n_open: set.len().unsigned_abs(),
                slot: None,
            });
        }
        let mut n_apart = knowledge.n_covered();
        for at in 0..self.numbers.len() {
            let set = self.numbers[at].set;
            for tile in knowledge.tiles(set) {
                if self.place[tile] != NONE {
                    continue;
                }
                n_apart -= 1;
                let mut group = Group {
                    numbers: [NONE; 8],
                    n_numbers: 0,
                    size: 1,
                    is_ordered: false,
                    mine: 0.0,
                };
                let around = knowledge.uncovered_around(tile);
                for near in knowledge.grid().masked(tile, around) {
                    group.numbers[group.n_numbers] = self.place[near];
                    group.n_numbers += 1;
                }
                // A group that touches the same numbers has a tile around this one, too.
                let mut others = knowledge.tiles(set).map(|other| self.place[other]);
                let same = others
                    .find(|&other| other != NONE && self.groups[other].numbers == group.numbers);
                if let Some(same) = same {
                    self.groups[same].size += 1;
                    self.place[tile] = same;
                } else {
                    self.place[tile] = self.groups.len();
                    self.groups.push(group);
                }
            }
        }
        Ok(n_apart)
    }

    /// Counts the ways of the component of a group, forward.
    fn count(&mut self, knowledge: &Knowledge, first: usize) -> Result<(), NoProbabilities> {
        let first_group = self.order.len();
        let first_state = self.states.len();
        self.states.push(State {
            left: 0,
            least: 0,
            most: 0,
        });
        self.forward.resize(self.states.len() * self.stride, 0.0);
        self.forward[first_state * self.stride] = 1.0;
        let mut free_slots = u32::MAX;
        let mut open: Vec<usize> = Vec::new();
        let mut layer = first_state..self.states.len();
        let mut next = Some(first);
        while let Some(group) = next {
            self.groups[group].is_ordered = true;
            self.order.push(group);
            self.first_edges.push(self.edges.len());
            let Group {
                numbers,
                n_numbers,
                size,
                ..
            } = self.groups[group];
            // What numbers need that this group is the first to touch.
            let mut entering = 0_u128;
            let mut touched = [(0, 0); 8];
            let touched = &mut touched[..n_numbers];
            for (touched, &number) in touched.iter_mut().zip(&numbers) {
                let number_state = &mut self.numbers[number];
                let slot = *number_state.slot.get_or_insert_with(|| {
                    let slot = free_slots.trailing_zeros();
                    free_slots &= free_slots.wrapping_sub(1);
                    let needed = number_state.set.n_mines.unsigned_abs();
                    entering |= u128::from(needed).checked_shl(4 * slot).unwrap_or(0);
                    open.push(number);
                    slot
                });
                number_state.n_open -= size;
                *touched = (4 * slot, number_state.n_open);
            }
            if touched.iter().any(|(shift, _)| *shift >= u128::BITS) {
                return Err(NoProbabilities::TooComplex);
            }
            open.retain(|&number| {
                let number = &self.numbers[number];
                if let (0, Some(slot)) = (number.n_open, number.slot) {
                    free_slots |= 1 << slot;
                }
                number.n_open > 0
            });
            layer = self.assign(layer, entering, touched, size)?;
            if self.order.len().is_multiple_of(GROUPS_PER_SCALING) {
                let values = layer.start * self.stride..layer.end * self.stride;
                self.n_scaled += rescale(&mut self.forward[values]);
            }
            // The number that is nearest to being closed goes on.
            let nearest = open
                .iter()
                .min_by_key(|number| self.numbers[**number].n_open);
            next = nearest.and_then(|&number| {
                let mut tiles = knowledge.tiles(self.numbers[number].set);
                let group = tiles.find(|tile| !self.groups[self.place[*tile]].is_ordered);
                group.map(|tile| self.place[tile])
            });
        }
        let values = layer.start * self.stride..layer.end * self.stride;
        self.n_scaled += rescale(&mut self.forward[values]);
        self.components.push(Component {
            groups: first_group..self.order.len(),
            states: first_state..layer.end,
        });
        Ok(())
    }

    /// The states after a group has got its mines; `touched` are the shift of each of its numbers
    /// and the tiles that are then left to it.
    fn assign(
        &mut self,
        layer: Range<usize>,
        entering: u128,
        touched: &[(u32, u8)],
        size: u8,
    ) -> Result<Range<usize>, NoProbabilities> {
        let ones: u128 = touched.iter().map(|(shift, _)| 1_u128 << shift).sum();
        let mut is_indexed = false;
        for from in layer.clone() {
            let State { left, least, most } = self.states[from];
            let left = left | entering;
            let mut low = 0;
            let mut high = size;
            for &(shift, n_open) in touched {
                let needed = u8::try_from(left >> shift & 15).expect("four bits");
                low = low.max(needed.saturating_sub(n_open));
                high = high.min(needed);
            }
            for n_mines in low..=high {
                let used = usize::from(n_mines);
                if least + used >= self.stride {
                    break;
                }
                let after = left - ones * u128::from(n_mines);
                let new = &self.states[layer.end..];
                let found = if is_indexed {
                    self.index.get(&after).copied()
                } else {
                    let found = new.iter().position(|state| state.left == after);
                    found.map(|place| layer.end + place)
                };
                let to = found.unwrap_or_else(|| {
                    let to = self.states.len();
                    if is_indexed {
                        self.index.insert(after, to);
                    }
                    self.states.push(State {
                        left: after,
                        least: self.stride,
                        most: 0,
                    });
                    self.forward.resize(self.states.len() * self.stride, 0.0);
                    to
                });
                let n_new = self.states.len() - layer.end;
                if n_new > MAX_STATES {
                    return Err(NoProbabilities::TooComplex);
                }
                if !is_indexed && n_new > FEW_STATES {
                    is_indexed = true;
                    let new = self.states.iter().enumerate().skip(layer.end);
                    self.index.clear();
                    self.index
                        .extend(new.map(|(place, state)| (state.left, place)));
                }
                let most = most.min(self.stride - 1 - used);
                let state = &mut self.states[to];
                state.least = state.least.min(least + used);
                state.most = state.most.max(most + used);
                let ways = CHOOSE[usize::from(size)][used];
                let (before, behind) = self.forward.split_at_mut(to * self.stride);
                let before = &before[from * self.stride..][least..=most];
                for (to, from) in behind[least + used..].iter_mut().zip(before) {
                    *to += ways * from;
                }
                self.edges.push(Edge {
                    from,
                    to,
                    n_mines,
                    ways,
                });
            }
        }
        let new = layer.end..self.states.len();
        if new.is_empty() {
            return Err(NoProbabilities::Contradiction);
        }
        Ok(new)
    }

    /// Weighs the ways of each component with all that the rest can hold; returns the probability
    /// of the tiles apart.
    fn weigh(&mut self, mines_left: usize, n_apart: usize) -> Result<f64, NoProbabilities> {
        let stride = self.stride;
        let n_components = self.components.len();
        // Weights of the tiles apart, by mines used elsewhere.
        self.suffixes.clear();
        self.suffixes.resize((n_components + 1) * stride, 0.0);
        let ln_unit = self.choose_apart(mines_left, n_apart);
        let mut n_scaled = self.n_scaled;
        for at in (0..n_components).rev() {
            let ways = last_ways(&self.components[at], stride);
            let (suffix, after) = self.suffixes[at * stride..].split_at_mut(stride);
            for (used, suffix) in suffix.iter_mut().enumerate() {
                let ways = &self.forward[ways.clone()];
                *suffix = ways
                    .iter()
                    .zip(&after[used..stride])
                    .map(|(a, b)| a * b)
                    .sum();
            }
            n_scaled += rescale(suffix);
        }
        let total = self.suffixes[0];
        if total <= 0.0 {
            return Err(NoProbabilities::Contradiction);
        }
        let scaled = f64::from(n_scaled) * f64::from(SCALE) * std::f64::consts::LN_2;
        self.result.ln_arrangements = total.ln() + ln_unit + scaled;

        let mut prefix = vec![0.0; stride];
        prefix[0] = 1.0;
        let mut with_next = vec![0.0; stride];
        self.backward.clear();
        self.backward.resize(self.forward.len(), 0.0);
        for at in 0..n_components {
            let component = self.components[at].clone();
            let ways = last_ways(&component, stride);
            let after = &self.suffixes[(at + 1) * stride..][..stride];
            for (used, weight) in self.backward[ways.clone()].iter_mut().enumerate() {
                *weight = prefix.iter().zip(&after[used..]).map(|(a, b)| a * b).sum();
            }
            self.walk_back(&component);
            with_next.fill(0.0);
            for (used, ways) in self.forward[ways].iter().enumerate() {
                for (sum, before) in with_next[used..].iter_mut().zip(&prefix) {
                    *sum += ways * before;
                }
            }
            rescale(&mut with_next);
            std::mem::swap(&mut prefix, &mut with_next);
        }
        let weights = &self.suffixes[n_components * stride..];
        let mut mine = 0.0;
        let mut safe = 0.0;
        for (used, (ways, weight)) in prefix.iter().zip(weights).enumerate() {
            if *weight > 0.0 {
                let n_mines = mines_left - used;
                mine += ways * weight * n_mines as f64;
                safe += ways * weight * (n_apart - n_mines) as f64;
            }
        }
        Ok(share(mine, safe))
    }

    /// Sets the last suffix to the ways to lay what is left on the tiles apart, in a unit that is
    /// the greatest of them; returns its logarithm.
    fn choose_apart(&mut self, mines_left: usize, n_apart: usize) -> f64 {
        let first = self.suffixes.len() - self.stride;
        let weights = &mut self.suffixes[first..];
        let least = mines_left + 1 - self.stride;
        let most = mines_left.min(n_apart);
        if least > most {
            return 0.0;
        }
        let unit = (n_apart / 2).clamp(least, most);
        weights[mines_left - unit] = 1.0;
        for n in unit + 1..=most {
            let below = weights[mines_left - n + 1];
            weights[mines_left - n] = below * (n_apart + 1 - n) as f64 / n as f64;
        }
        for n in (least..unit).rev() {
            let above = weights[mines_left - n - 1];
            weights[mines_left - n] = above * (n + 1) as f64 / (n_apart - n) as f64;
        }
        while self.ln_factorials.len() <= n_apart {
            let n = self.ln_factorials.len().max(1);
            let below = self.ln_factorials.last().copied().unwrap_or(0.0);
            self.ln_factorials.push(below + (n as f64).ln());
        }
        let ln = &self.ln_factorials;
        ln[n_apart] - ln[unit] - ln[n_apart - unit]
    }

    /// The weights of all ways on from each state of a component, and so its probabilities.
    fn walk_back(&mut self, component: &Component) {
        let stride = self.stride;
        for at in component.groups.clone().rev() {
            let edges = &self.edges[self.first_edges[at]..self.first_edges[at + 1]];
            let group = &mut self.groups[self.order[at]];
            let mut mine = 0.0;
            let mut safe = 0.0;
            for edge in edges {
                let State { least, most, .. } = self.states[edge.from];
                let used = usize::from(edge.n_mines);
                let most = most.min(stride - 1 - used);
                let ways = &self.forward[edge.from * stride..][least..=most];
                let (from, to) = self.backward.split_at_mut(edge.to * stride);
                let from = &mut from[edge.from * stride..][least..=most];
                let mut weight = 0.0;
                for ((from, ways), to) in from.iter_mut().zip(ways).zip(&to[least + used..]) {
                    let on = edge.ways * to;
                    *from += on;
                    weight += ways * on;
                }
                mine += f64::from(edge.n_mines) * weight;
                safe += f64::from(group.size - edge.n_mines) * weight;
            }
            group.mine = share(mine, safe);
            if at.is_multiple_of(GROUPS_PER_SCALING) {
                let froms = edges.iter().map(|edge| edge.from);
                let states = froms.clone().min().zip(froms.max());
                let (first, last) = states.expect("every group has edges");
                rescale(&mut self.backward[first * stride..(last + 1) * stride]);
            }
        }
    }
}

/// Where the ways of a whole component stand, by mines used.
fn last_ways(component: &Component, stride: usize) -> Range<usize> {
    (component.states.end - 1) * stride..component.states.end * stride
}

/// The share of mines; 0 and 1 only if there is nothing else.
fn share(mine: f64, safe: f64) -> f64 {
    if safe > 0.0 {
        (mine / (mine + safe)).min(1.0 - f64::EPSILON / 2.0)
    } else {
        1.0
    }
}

/// Scales large values down; returns how often by `2^SCALE`.
fn rescale(values: &mut [f64]) -> u32 {
    let large = 2.0_f64.powi(SCALE);
    let mut n_scaled = 0;
    while values.iter().any(|value| *value > large) {
        for value in values.iter_mut() {
            *value /= large;
        }
        n_scaled += 1;
    }
    n_scaled
}
