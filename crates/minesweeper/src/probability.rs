//! How likely each covered tile holds a mine.
//!
//! All arrangements of the mines that agree with what is uncovered are equally likely. They are
//! counted without being listed: tiles that touch the same numbers are one group, groups that are
//! linked through numbers one component, and within a component groups get their mines one after
//! the other, where partial assignments that use as many mines and leave the same to every open
//! number are one state. A pass forward counts the ways to reach each state, a pass backward weighs
//! the ways on from it with what the other components and the tiles apart can hold; their products
//! are the probabilities.

use std::ops::Range;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::{
    elimination::{self, Constraint},
    grid::Tile,
    knowledge::{COVERED, Knowledge, MARKED, TileSet, Views},
    tiles::bits,
};

/// Most states of a component after one group.
const MAX_STATES: usize = 1 << 18;

/// States among which an equal one is found by looking at each.
const FEW_STATES: usize = 24;

/// Counts above `2^SCALE` are divided by it, exactly.
const SCALE: i32 = 300;

/// Groups assigned between two looks at the size of the counts; 32 of 8 tiles multiply them by at
/// most `2^256`.
const GROUPS_PER_SCALING: usize = 32;

/// No place in a list.
const NONE: u32 = u32::MAX;

/// The places of values: of covered tiles apart from all numbers; those of groups follow.
const APART: u32 = 0;
const FIRST_GROUP: u32 = 1;

/// Bits of a state that count mines.
const USED_BITS: u32 = 16;

/// Numbers that can be open at once.
const N_SLOTS: usize = 28;

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
    views: Views,
    /// Per covered tile, the place of its value.
    place: Vec<u32>,
    values: Vec<f64>,
    ln_arrangements: f64,
}

impl Probabilities {
    /// How likely a tile holds a mine: 0 or 1 exactly if no arrangement has one there, or all have.
    ///
    /// It is 1 for marks and 0 for uncovered tiles.
    pub fn mine(&self, tile: Tile) -> f64 {
        if self.views.contains(COVERED, tile) {
            self.values[self.place[tile] as usize]
        } else {
            f64::from(u8::from(self.views.contains(MARKED, tile)))
        }
    }

    /// The least probability of a covered tile, and the greatest.
    pub(crate) fn extremes(&self) -> (f64, f64) {
        let extremes = (f64::INFINITY, f64::NEG_INFINITY);
        self.values.iter().fold(extremes, |(least, most), value| {
            (least.min(*value), most.max(*value))
        })
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
    /// Per number on the board, its place in `numbers`.
    number_at: Vec<u32>,
    /// Mines that the tiles around numbers can hold, and one more.
    stride: usize,
    components: Vec<Component>,
    /// Groups in the order in which they get their mines, component by component.
    steps: Vec<Step>,
    edges: Vec<Edge>,
    states: Vec<State>,
    /// Per state, the ways to get there.
    forward: Vec<f64>,
    /// Per state, the weight of all ways on.
    backward: Vec<f64>,
    index: FxHashMap<State, usize>,
    /// Per component and mines used before it: the weight of it and all that comes after.
    suffixes: Vec<f64>,
    /// Per component and mines used before it: the ways of all that comes before.
    prefixes: Vec<f64>,
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
    slot: u32,
}

/// Covered tiles that touch the same numbers.
#[derive(Clone, Copy, Debug)]
struct Group {
    numbers: [u32; 8],
    n_numbers: usize,
    size: u8,
    is_ordered: bool,
    mine: f64,
}

/// Groups that are linked through numbers.
#[derive(Clone, Debug)]
struct Component {
    steps: Range<usize>,
    /// The states in which all groups have their mines.
    last: Range<usize>,
}

/// A group gets its mines.
#[derive(Clone, Debug)]
struct Step {
    group: usize,
    edges: Range<usize>,
}

/// Mines used so far, in [`USED_BITS`], then what is left to the open numbers, four bits each.
type State = u128;

/// From state to state a group gets its mines.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    to: usize,
    n_mines: usize,
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
        match self.count_all(knowledge) {
            Err(NoProbabilities::TooComplex) => self.eliminate(knowledge)?,
            counted => counted?,
        }
        Ok(&self.result)
    }

    /// The same by variable elimination: slower, but for wider frontiers.
    fn eliminate(&mut self, knowledge: &Knowledge) -> Result<(), NoProbabilities> {
        let n_mines =
            usize::try_from(knowledge.mines_left()).map_err(|_| NoProbabilities::Contradiction)?;
        let place = &mut self.result.place;
        place.clear();
        place.resize(knowledge.grid().n_tiles(), APART);
        for (at, tile) in knowledge.covered().enumerate() {
            place[tile] = place_in_list(at);
        }
        let constraints = knowledge.open_numbers().map(|set| {
            let tiles = knowledge.tiles(set).map(|tile| place[tile] as usize);
            Ok(Constraint {
                tiles: tiles.collect(),
                n_mines: usize::try_from(set.n_mines)
                    .map_err(|_| NoProbabilities::Contradiction)?,
            })
        });
        let constraints = constraints.collect::<Result<_, _>>()?;
        let marginals = elimination::marginals(knowledge.n_covered(), n_mines, constraints)?;
        self.result.views.copy(knowledge.views());
        let mine = marginals.mine.into_iter();
        self.result.values = mine.map(|mine| mine.unwrap_or(marginals.apart)).collect();
        self.result.ln_arrangements = marginals.ln_arrangements;
        Ok(())
    }

    fn count_all(&mut self, knowledge: &Knowledge) -> Result<(), NoProbabilities> {
        let mines_left =
            usize::try_from(knowledge.mines_left()).map_err(|_| NoProbabilities::Contradiction)?;
        let n_apart = self.make_groups(knowledge)?;
        self.stride = 1 + mines_left.min(knowledge.n_covered() - n_apart);
        if self.stride > 1 << USED_BITS {
            return Err(NoProbabilities::TooComplex);
        }
        self.components.clear();
        self.steps.clear();
        self.edges.clear();
        self.states.clear();
        self.forward.clear();
        self.n_scaled = 0;
        for first in 0..self.groups.len() {
            if !self.groups[first].is_ordered {
                self.count(knowledge, first)?;
            }
        }
        let most = self.components.iter().map(|component| {
            let used = component.last.clone().map(|state| used(self.states[state]));
            used.max().unwrap_or(0)
        });
        self.stride = self.stride.min(1 + most.sum::<usize>());
        let apart = self.weigh(mines_left, n_apart)?;
        let groups = self.groups.iter().map(|group| group.mine);
        // With no tile apart, the value of any other.
        let apart = if n_apart > 0 {
            Some(apart)
        } else {
            groups.clone().next()
        };
        self.result.values.clear();
        self.result.values.push(apart.unwrap_or(1.0));
        self.result.values.extend(groups);
        Ok(())
    }

    /// Makes numbers and groups; returns how many covered tiles touch no number.
    fn make_groups(&mut self, knowledge: &Knowledge) -> Result<usize, NoProbabilities> {
        self.numbers.clear();
        self.groups.clear();
        let n_tiles = knowledge.grid().n_tiles();
        self.number_at.resize(n_tiles, NONE);
        self.result.views.copy(knowledge.views());
        let place = &mut self.result.place;
        place.clear();
        place.resize(n_tiles, APART);
        for set in knowledge.open_numbers() {
            if !(0..=set.len()).contains(&set.n_mines) {
                return Err(NoProbabilities::Contradiction);
            }
            self.number_at[set.center] = place_in_list(self.numbers.len());
            self.numbers.push(Number {
                set,
                n_open: set.len().unsigned_abs(),
                slot: NONE,
            });
        }
        let mut n_apart = knowledge.n_covered();
        let grid = knowledge.grid();
        for number in &self.numbers {
            // Tiles that touch the same numbers are met first around the same one.
            let first_new = self.groups.len();
            for tile in knowledge.tiles(number.set) {
                if place[tile] != APART {
                    continue;
                }
                n_apart -= 1;
                let around = knowledge.uncovered_around(tile);
                let mut numbers = [NONE; 8];
                for (at, near) in numbers.iter_mut().zip(grid.masked(tile, around)) {
                    *at = self.number_at[near];
                }
                let mut new = self.groups[first_new..].iter();
                let same = new.position(|group| group.numbers == numbers);
                let at = same.map_or(self.groups.len(), |at| first_new + at);
                if same.is_none() {
                    self.groups.push(Group {
                        numbers,
                        n_numbers: around.count_ones() as usize,
                        size: 0,
                        is_ordered: false,
                        mine: 0.0,
                    });
                }
                self.groups[at].size += 1;
                place[tile] = FIRST_GROUP + place_in_list(at);
            }
        }
        Ok(n_apart)
    }

    /// Counts the ways of the component of a group, forward.
    fn count(&mut self, knowledge: &Knowledge, first: usize) -> Result<(), NoProbabilities> {
        let first_step = self.steps.len();
        let first_state = self.states.len();
        self.states.push(0);
        self.forward.push(1.0);
        // Which slots are taken, and by which numbers.
        let mut taken = 0_u32;
        let mut takers = [0; N_SLOTS];
        let mut layer = first_state..first_state + 1;
        let mut next = Some(first);
        while let Some(group) = next {
            let first_edge = self.edges.len();
            self.groups[group].is_ordered = true;
            let Group {
                numbers,
                n_numbers,
                size,
                ..
            } = self.groups[group];
            // What numbers need that this group is the first to touch.
            let mut entering = 0_u128;
            let mut closing = 0_u32;
            let mut touched = [(0, 0); 8];
            let touched = &mut touched[..n_numbers];
            for (touched, &number) in touched.iter_mut().zip(&numbers) {
                let Number { set, n_open, slot } = &mut self.numbers[number as usize];
                if *slot == NONE {
                    *slot = taken.trailing_ones();
                    let taker = takers.get_mut(*slot as usize);
                    *taker.ok_or(NoProbabilities::TooComplex)? = number;
                    taken |= 1 << *slot;
                    entering |= State::from(set.n_mines.unsigned_abs()) << shift(*slot);
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
            if self.steps.len().is_multiple_of(GROUPS_PER_SCALING) {
                self.n_scaled += rescale(&mut self.forward[layer.clone()]);
            }
            // The number that is nearest to being closed goes on.
            let open = bits(taken.into()).map(|slot| &self.numbers[takers[slot] as usize]);
            next = open.min_by_key(|number| number.n_open).and_then(|number| {
                let mut tiles = knowledge.tiles(number.set);
                let group = |tile: Tile| (self.result.place[tile] - FIRST_GROUP) as usize;
                let tile = tiles.find(|tile| !self.groups[group(*tile)].is_ordered);
                tile.map(group)
            });
        }
        self.n_scaled += rescale(&mut self.forward[layer.clone()]);
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
        // A mine is one less for each number, and one more used.
        let mine = touched.iter().map(|(shift, _)| 1 << shift).sum::<State>() - 1;
        let ways = &CHOOSE[size];
        let mut is_indexed = false;
        for from in layer.clone() {
            let n_new = self.states.len() - layer.end;
            if n_new > MAX_STATES {
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
                    self.forward.push(0.0);
                    to
                });
                self.forward[to] += ways * self.forward[from];
                self.edges.push(Edge { from, to, n_mines });
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
        for (at, component) in self.components.iter().enumerate().rev() {
            let (suffix, after) = self.suffixes[at * stride..].split_at_mut(stride);
            for state in component.last.clone() {
                let (n_used, ways) = (used(self.states[state]), self.forward[state]);
                for (sum, after) in suffix.iter_mut().zip(&after[n_used..stride]) {
                    *sum += ways * after;
                }
            }
            n_scaled += rescale(suffix);
        }
        let total = self.suffixes[0];
        if total <= 0.0 {
            return Err(NoProbabilities::Contradiction);
        }
        let scaled = f64::from(n_scaled) * f64::from(SCALE) * std::f64::consts::LN_2;
        self.result.ln_arrangements = total.ln() + ln_unit + scaled;

        self.prefixes.clear();
        self.prefixes.resize((n_components + 1) * stride, 0.0);
        self.prefixes[0] = 1.0;
        self.backward.clear();
        self.backward.resize(self.forward.len(), 0.0);
        for at in 0..n_components {
            let component = self.components[at].clone();
            let (prefix, with_next) = self.prefixes[at * stride..].split_at_mut(stride);
            let after = &self.suffixes[(at + 1) * stride..][..stride];
            for state in component.last.clone() {
                let (n_used, ways) = (used(self.states[state]), self.forward[state]);
                let weights = prefix.iter().zip(&after[n_used..]);
                self.backward[state] = weights.map(|(a, b)| a * b).sum();
                for (sum, before) in with_next[n_used..stride].iter_mut().zip(&*prefix) {
                    *sum += ways * before;
                }
            }
            rescale(&mut with_next[..stride]);
            self.walk_back(&component);
        }
        let weights = &self.suffixes[n_components * stride..];
        let mut mine = 0.0;
        let mut safe = 0.0;
        let prefix = &self.prefixes[n_components * stride..];
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
        for at in component.steps.clone().rev() {
            let step = &self.steps[at];
            let edges = &self.edges[step.edges.clone()];
            let group = &mut self.groups[step.group];
            let size = usize::from(group.size);
            let ways = &CHOOSE[size];
            let mut mine = 0.0;
            let mut safe = 0.0;
            for edge in edges {
                let on = ways[edge.n_mines] * self.backward[edge.to];
                self.backward[edge.from] += on;
                let weight = self.forward[edge.from] * on;
                mine += edge.n_mines as f64 * weight;
                safe += (size - edge.n_mines) as f64 * weight;
            }
            group.mine = share(mine, safe);
            if at.is_multiple_of(GROUPS_PER_SCALING) {
                let froms = edges.iter().map(|edge| edge.from);
                let states = froms.clone().min().zip(froms.max());
                let (first, last) = states.expect("every group has edges");
                rescale(&mut self.backward[first..=last]);
            }
        }
    }
}

/// Where the bits of a slot begin.
fn shift(slot: u32) -> u32 {
    USED_BITS + 4 * slot
}

/// Mines used in a state.
fn used(state: State) -> usize {
    (state & ((1 << USED_BITS) - 1)) as usize
}

/// A place in a list of numbers or groups, which are fewer than tiles.
fn place_in_list(at: usize) -> u32 {
    u32::try_from(at).expect("a board has at most a million tiles")
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Action, Board, Game, Grid};

    /// Both ways of counting, on a position after some clicks on safe tiles.
    fn both(width: usize, height: usize, order: &[usize], n_mines: usize, n_clicks: usize) {
        let grid = Grid::new(width, height).expect("a grid");
        let (mines, safe) = order.split_at(n_mines);
        let board = Board::new(&grid, mines.iter().copied());
        let mut game = Game::new(&board);
        for tile in &safe[..n_clicks] {
            game.act(Action::Uncover(*tile));
        }
        let knowledge = game.knowledge();
        let mut counted = Solver::new();
        let mut eliminated = Solver::new();
        eliminated.eliminate(knowledge).expect("simple enough");
        let tiles = || knowledge.covered();
        let sum: f64 = tiles().map(|tile| eliminated.result.mine(tile)).sum();
        assert!((sum - knowledge.mines_left() as f64).abs() < 1e-9, "{sum}");
        for tile in tiles().filter(|tile| !board.is_mine(*tile)) {
            assert!(
                eliminated.result.mine(tile) < 1.0,
                "a safe tile may be safe"
            );
        }
        if counted.count_all(knowledge).is_ok() {
            for tile in tiles() {
                let (one, other) = (counted.result.mine(tile), eliminated.result.mine(tile));
                assert!((one - other).abs() < 1e-12, "{tile}: {one} {other}");
                assert_eq!(one <= 0.0, other <= 0.0);
                assert_eq!(one >= 1.0, other >= 1.0);
            }
            let (one, other) = (&counted.result, &eliminated.result);
            let difference = one.ln_arrangements() - other.ln_arrangements();
            assert!(difference.abs() < 1e-9, "{difference}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn elimination_counts_the_same(
            order in Just((0..256).collect::<Vec<usize>>()).prop_shuffle(),
            n_clicks in 0..216_usize,
        ) {
            both(16, 16, &order, 40, n_clicks);
        }

        #[test]
        fn wide_frontiers_are_answered(
            order in Just((0..720).collect::<Vec<usize>>()).prop_shuffle(),
            n_clicks in 200..500_usize,
        ) {
            both(30, 24, &order, 160, n_clicks);
        }
    }

    #[test]
    fn what_nothing_agrees_with_is_a_contradiction() {
        let grid = Grid::new(3, 1).expect("a grid");
        let mut knowledge = Knowledge::new(&grid, 1);
        knowledge.uncover(1, 2);
        let mut solver = Solver::new();
        assert_eq!(
            solver.eliminate(&knowledge),
            Err(NoProbabilities::Contradiction)
        );
    }
}
