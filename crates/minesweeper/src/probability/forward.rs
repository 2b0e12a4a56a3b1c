//! The forward pass: counts the arrangements of each constraint component by dynamic programming.
//!
//! The groups of a component get their mines one after the other. Partial assignments that use as
//! many mines and leave the same to every open number are one state.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::bit_sets::bits;
use crate::knowledge::Knowledge;

use super::CHOOSE;
use super::count::Count;
use super::error::NoProbabilities;
use super::frontier::{Frontier, Group, NONE, Number, group_of};

/// Limit on the states of a position; beyond it, a better order is worth its search.
const MAX_STATES: usize = 1 << 16;

/// Limit on states for linear search instead of hashing.
const FEW_STATES: usize = 24;

/// Bits of a state that count mines.
const USED_BITS: u32 = 16;

/// Limit on the mines that a state can count, and one more.
pub(super) const MAX_STRIDE: usize = 1 << USED_BITS;

/// Limit on the simultaneously open numbers.
const N_SLOTS: usize = 28;

/// Mines used so far, in [`USED_BITS`], then the mines left to the open numbers, four bits each.
pub(super) type State = u128;

/// Constraint components as layered graphs of states, with the ways to reach each.
#[derive(Clone, Debug, Default)]
pub(super) struct ForwardPass {
    /// Mines that the frontier can hold, and one more.
    pub(super) stride: usize,
    pub(super) components: Vec<Component>,
    /// Groups in order of assignment, component by component.
    pub(super) steps: Vec<Step>,
    pub(super) edges: Vec<Edge>,
    pub(super) states: Vec<State>,
    /// For each state, the number of ways to reach it; infinite beyond the range of `f64`.
    pub(super) ways: Vec<f64>,
    index: FxHashMap<State, usize>,
}

/// A constraint component: groups that are connected through numbers.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) steps: Range<usize>,
    /// The final states, in which all groups have their mines.
    pub(super) last: Range<usize>,
}

/// The assignment of a group.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) group: usize,
    pub(super) edges: Range<usize>,
}

/// A transition between states: a group gets its mines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) n_mines: usize,
}

impl ForwardPass {
    /// Counts every component; `stride` bounds the mines they can use.
    ///
    /// # Errors
    /// [`NoProbabilities`].
    pub(super) fn run(
        &mut self,
        knowledge: &Knowledge,
        frontier: &mut Frontier,
        value_of: &[u32],
        stride: usize,
    ) -> Result<(), NoProbabilities> {
        self.stride = stride;
        self.components.clear();
        self.steps.clear();
        self.edges.clear();
        self.states.clear();
        self.ways.clear();
        for first in 0..frontier.groups.len() {
            if !frontier.groups[first].is_ordered {
                self.count(knowledge, frontier, value_of, first)?;
            }
        }
        let most = self.components.iter().map(|component| {
            let used = component.last.clone().map(|state| used(self.states[state]));
            used.max().unwrap_or(0)
        });
        self.stride = self.stride.min(1 + most.sum::<usize>());
        Ok(())
    }

    /// The ways to reach each state, counted again in numbers of this type.
    pub(super) fn recount<T: Count>(&self, frontier: &Frontier) -> Vec<T> {
        let mut ways = vec![T::default(); self.states.len()];
        for component in &self.components {
            let steps = &self.steps[component.steps.clone()];
            // The first edge of a component leads from its first state.
            let first = steps.first().map(|step| self.edges[step.edges.start].from);
            ways[first.expect("a component has groups")] = T::from(1.0);
            for Step { group, edges } in steps {
                let choose = &CHOOSE[usize::from(frontier.groups[*group].size)];
                for edge in &self.edges[edges.clone()] {
                    let added = T::from(choose[edge.n_mines]) * ways[edge.from];
                    ways[edge.to] += added;
                }
            }
        }
        ways
    }

    /// Counts the component of a group.
    fn count(
        &mut self,
        knowledge: &Knowledge,
        frontier: &mut Frontier,
        value_of: &[u32],
        first: usize,
    ) -> Result<(), NoProbabilities> {
        let first_step = self.steps.len();
        let first_state = self.states.len();
        self.states.push(0);
        self.ways.push(1.0);
        // The slots taken, and the numbers that take them.
        let mut taken = 0_u32;
        let mut takers = [0; N_SLOTS];
        let mut layer = first_state..first_state + 1;
        let mut next = Some(first);
        while let Some(group) = next {
            let first_edge = self.edges.len();
            frontier.groups[group].is_ordered = true;
            let Group {
                numbers,
                n_numbers,
                size,
                ..
            } = frontier.groups[group];
            // The mines needed by the numbers that this group is the first to touch.
            let mut entering = 0_u128;
            let mut closing = 0_u32;
            let mut touched = [(0, 0); 8];
            let touched = &mut touched[..n_numbers];
            for (touched, &number) in touched.iter_mut().zip(&numbers) {
                let Number {
                    constraint,
                    n_open,
                    slot,
                } = &mut frontier.numbers[number as usize];
                if *slot == NONE {
                    *slot = taken.trailing_ones();
                    let taker = takers.get_mut(*slot as usize);
                    *taker.ok_or(NoProbabilities::TooComplex)? = number;
                    taken |= 1 << *slot;
                    entering |= State::from(constraint.n_mines.unsigned_abs()) << shift(*slot);
                }
                *n_open -= size;
                if *n_open == 0 {
                    closing |= 1 << *slot;
                }
                *touched = (shift(*slot), (*n_open).into());
            }
            taken &= !closing;
            layer = self.assign(layer, entering, touched, size.into())?;
            self.steps.push(Step {
                group,
                edges: first_edge..self.edges.len(),
            });
            // Variable ordering: next, a group of the number that is nearest to being closed.
            let open = bits(taken.into()).map(|slot| &frontier.numbers[takers[slot] as usize]);
            next = open.min_by_key(|number| number.n_open).and_then(|number| {
                let mut tiles = knowledge.tiles(number.constraint);
                let group = |tile| group_of(value_of, tile);
                let tile = tiles.find(|tile| !frontier.groups[group(*tile)].is_ordered);
                tile.map(group)
            });
        }
        self.components.push(Component {
            steps: first_step..self.steps.len(),
            last: layer,
        });
        Ok(())
    }

    /// The states after a group has got its mines; `touched` are the shift of each of its numbers
    /// and the tiles that are then left to it.
    fn assign(
        &mut self,
        layer: Range<usize>,
        entering: u128,
        touched: &[(u32, usize)],
        size: usize,
    ) -> Result<Range<usize>, NoProbabilities> {
        // Subtracting a mine takes one from each number, and adds one to the mines used.
        let mine = touched.iter().map(|(shift, _)| 1 << shift).sum::<State>() - 1;
        let ways = &CHOOSE[size];
        let mut is_indexed = false;
        for from in layer.clone() {
            let n_new = self.states.len() - layer.end;
            if self.states.len() > MAX_STATES {
                return Err(NoProbabilities::TooComplex);
            }
            if !is_indexed && n_new > FEW_STATES {
                is_indexed = true;
                let new = self.states.iter().enumerate().skip(layer.end);
                self.index.clear();
                self.index.extend(new.map(|(place, state)| (*state, place)));
            }
            let before = self.states[from] | entering;
            let mut low = 0;
            let mut high = size.min(self.stride - 1 - used(before));
            for &(shift, n_open) in touched {
                let needed = (before >> shift) as usize & 15;
                low = low.max(needed.saturating_sub(n_open));
                high = high.min(needed);
            }
            let ways = ways.get(low..=high).unwrap_or_default();
            for (n_mines, ways) in (low..).zip(ways) {
                let state = before - mine * n_mines as State;
                let found = if is_indexed {
                    self.index.get(&state).copied()
                } else {
                    let mut new = self.states[layer.end..].iter();
                    let found = new.position(|new| *new == state);
                    found.map(|place| layer.end + place)
                };
                let to = found.unwrap_or_else(|| {
                    let to = self.states.len();
                    if is_indexed {
                        self.index.insert(state, to);
                    }
                    self.states.push(state);
                    self.ways.push(0.0);
                    to
                });
                self.ways[to] += ways * self.ways[from];
                self.edges.push(Edge { from, to, n_mines });
            }
        }
        let new = layer.end..self.states.len();
        if new.is_empty() {
            return Err(NoProbabilities::Contradiction);
        }
        Ok(new)
    }
}

/// The first of a slot's four bits.
fn shift(slot: u32) -> u32 {
    USED_BITS + 4 * slot
}

/// Mines used in a state.
pub(super) fn used(state: State) -> usize {
    (state & ((1 << USED_BITS) - 1)) as usize
}
