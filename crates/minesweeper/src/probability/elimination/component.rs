//! Dynamic programming over the groups of a component, forward and backward.

use rustc_hash::FxHashMap;

use super::frontier::{Frontier, Group};
use crate::NoProbabilities;
use crate::probability::CHOOSE;
use crate::probability::count::{Count, share};

/// Numbers that can be partly assigned at once.
const N_SLOTS: usize = 64;

/// Maximum number of states of a component.
const MAX_STATES: usize = 1 << 22;

/// The mines that partly assigned numbers still need, four bits each.
type State = [u64; N_SLOTS / 16];

/// The arrangements of a component, counted group by group.
#[derive(Debug)]
pub(super) struct Component<T> {
    /// Before the first group, and after each.
    layers: Vec<Layer<T>>,
    /// The groups in their order, each with the states it leads from and to.
    steps: Vec<(usize, Vec<Edge>)>,
    /// The share of the arrangements with each number of mines.
    pub(super) used: Vec<T>,
    /// Natural logarithm of the number of arrangements.
    pub(super) ln_scale: f64,
}

/// The states after a group, each with its arrangements.
#[derive(Debug)]
struct Layer<T> {
    rows: Vec<Row<T>>,
}

/// Numbers of arrangements by mines used, from `least` on.
#[derive(Clone, Debug)]
struct Row<T> {
    least: usize,
    ways: Vec<T>,
}

/// The transition from a state to another by a group with `n_mines` mines.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    n_mines: usize,
}

impl<T: Count> Component<T> {
    pub(super) fn count(
        frontier: &Frontier,
        order: &[usize],
        most: usize,
    ) -> Result<Self, NoProbabilities> {
        let mut slots = Slots::new(frontier);
        let mut states: Vec<State> = vec![[0; N_SLOTS / 16]];
        let mut layers = vec![Layer {
            rows: vec![Row {
                least: 0,
                ways: vec![T::from(1.0)],
            }],
        }];
        let mut steps = Vec::with_capacity(order.len());
        let mut ln_scale = 0.0;
        let mut n_states = 1;
        for &group in order {
            let touched = slots.enter(frontier, group)?;
            let size = frontier.groups[group].tiles.len();
            let choose = &CHOOSE[size];
            let mut place: FxHashMap<State, u32> = FxHashMap::default();
            let mut next_states = Vec::new();
            let mut layer = Layer { rows: Vec::new() };
            let mut edges = Vec::new();
            let rows = &layers.last().expect("one at least").rows;
            for (from, (state, row)) in (0..).zip(states.iter().zip(rows)) {
                let mut state = *state;
                let mut low = 0;
                let mut high = size.min(most.saturating_sub(row.least));
                for touched in &touched {
                    if touched.is_new {
                        touched.set(&mut state, touched.n_mines);
                    }
                    let needed = touched.get(&state);
                    low = low.max(needed.saturating_sub(touched.n_left));
                    high = high.min(needed);
                }
                let ways = choose.get(low..=high).unwrap_or_default();
                for (n_mines, ways) in (low..).zip(ways) {
                    let mut to_state = state;
                    for touched in &touched {
                        let left = touched.get(&state) - n_mines;
                        touched.set(&mut to_state, left);
                    }
                    let to = *place.entry(to_state).or_insert_with(|| {
                        next_states.push(to_state);
                        layer.rows.push(Row {
                            least: row.least + n_mines,
                            ways: Vec::new(),
                        });
                        u32::try_from(next_states.len() - 1).unwrap_or(u32::MAX)
                    });
                    layer.rows[to as usize].add(row, n_mines, T::from(*ways));
                    edges.push(Edge { from, to, n_mines });
                }
            }
            n_states += next_states.len();
            if n_states > MAX_STATES {
                return Err(NoProbabilities::TooComplex);
            }
            ln_scale += normalize(&mut layer.rows).ln();
            if layer.rows.is_empty() {
                return Err(NoProbabilities::Contradiction);
            }
            states = next_states;
            layers.push(layer);
            steps.push((group, edges));
            slots.leave(&touched);
        }
        // No number needs a mine any more: one state.
        let Row { least, ways } = &layers.last().expect("one at least").rows[0];
        let mut used = vec![T::default(); *least];
        used.extend_from_slice(ways);
        Ok(Self {
            layers,
            steps,
            used,
            ln_scale,
        })
    }

    /// Sets the probabilities of its tiles; `outside` holds the weights of the other components and the
    /// unconstrained tiles, by the mines that this component uses.
    pub(super) fn weigh(
        &self,
        frontier: &Frontier,
        outside: &[T],
        probabilities: &mut [Option<f64>],
    ) {
        let mut after = vec![Row {
            least: 0,
            ways: outside.to_vec(),
        }];
        for ((group, edges), before) in self.steps.iter().zip(&self.layers).rev() {
            let tiles = &frontier.groups[*group].tiles;
            let choose = &CHOOSE[tiles.len()];
            let mut weights: Vec<Row<T>> = (before.rows.iter())
                .map(|row| Row {
                    least: row.least,
                    ways: vec![T::default(); row.ways.len()],
                })
                .collect();
            let (mut mine, mut safe) = (T::default(), T::default());
            for edge in edges {
                let choose = T::from(choose[edge.n_mines]);
                let n_mines = T::from(edge.n_mines as f64);
                let n_safe = T::from((tiles.len() - edge.n_mines) as f64);
                let row = &before.rows[edge.from as usize];
                let on = &after[edge.to as usize];
                let weight = &mut weights[edge.from as usize];
                for (at, ways) in row.ways.iter().enumerate() {
                    let used = row.least + at + edge.n_mines;
                    let place = used.checked_sub(on.least);
                    let Some(on) = place.and_then(|place| on.ways.get(place)) else {
                        continue;
                    };
                    let on = choose * *on;
                    weight.ways[at] += on;
                    mine += n_mines * *ways * on;
                    safe += n_safe * *ways * on;
                }
            }
            for &tile in tiles {
                probabilities[tile] = Some(share(mine, safe));
            }
            normalize(&mut weights);
            after = weights;
        }
    }
}

impl<T: Count> Row<T> {
    /// Adds the counts of another row with `n_mines` mines more, `factor` times.
    fn add(&mut self, other: &Self, n_mines: usize, factor: T) {
        let least = other.least + n_mines;
        if least < self.least {
            let shift = self.least - least;
            self.ways
                .splice(0..0, std::iter::repeat_n(T::default(), shift));
            self.least = least;
        }
        let first = least - self.least;
        if self.ways.len() < first + other.ways.len() {
            self.ways.resize(first + other.ways.len(), T::default());
        }
        for (sum, ways) in self.ways[first..].iter_mut().zip(&other.ways) {
            *sum += factor * *ways;
        }
    }
}

/// Divides all counts by their sum, and returns it.
fn normalize<T: Count>(rows: &mut [Row<T>]) -> T {
    let sum = T::total(rows.iter().flat_map(|row| row.ways.iter().copied()));
    if sum > T::default() {
        for ways in rows.iter_mut().flat_map(|row| &mut row.ways) {
            *ways = *ways / sum;
        }
    }
    sum
}

/// The places of partly assigned numbers in a state.
#[derive(Debug)]
struct Slots {
    /// Per number its place; [`N_SLOTS`] before it has one.
    slot: Vec<usize>,
    n_left: Vec<usize>,
    is_free: [bool; N_SLOTS],
}

/// A number that a group touches.
#[derive(Debug)]
struct TouchedNumber {
    slot: usize,
    is_new: bool,
    n_mines: usize,
    /// Tiles that are left to it after the group.
    n_left: usize,
}

impl TouchedNumber {
    fn get(&self, state: &State) -> usize {
        (state[self.slot / 16] >> (4 * (self.slot % 16)) & 15) as usize
    }

    fn set(&self, state: &mut State, n_mines: usize) {
        let shift = 4 * (self.slot % 16);
        let word = &mut state[self.slot / 16];
        *word = *word & !(15 << shift) | (n_mines as u64) << shift;
    }
}

impl Slots {
    fn new(frontier: &Frontier) -> Self {
        let tiles = frontier
            .constraints
            .iter()
            .map(|constraint| constraint.tiles.len());
        Self {
            slot: vec![N_SLOTS; frontier.constraints.len()],
            n_left: tiles.collect(),
            is_free: [true; N_SLOTS],
        }
    }

    fn enter(
        &mut self,
        frontier: &Frontier,
        group: usize,
    ) -> Result<Vec<TouchedNumber>, NoProbabilities> {
        let Group { constraints, tiles } = &frontier.groups[group];
        let mut touched = Vec::with_capacity(constraints.len());
        for &number in constraints {
            let is_new = self.slot[number] == N_SLOTS;
            if is_new {
                let free = self.is_free.iter().position(|is_free| *is_free);
                let free = free.ok_or(NoProbabilities::TooComplex)?;
                self.is_free[free] = false;
                self.slot[number] = free;
            }
            let slot = self.slot[number];
            self.n_left[number] -= tiles.len();
            touched.push(TouchedNumber {
                slot,
                is_new,
                n_mines: frontier.constraints[number].n_mines,
                n_left: self.n_left[number],
            });
        }
        Ok(touched)
    }

    /// Frees the places of numbers whose tiles are all assigned.
    fn leave(&mut self, touched: &[TouchedNumber]) {
        for touched in touched.iter().filter(|touched| touched.n_left == 0) {
            self.is_free[touched.slot] = true;
        }
    }
}
