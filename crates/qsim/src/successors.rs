//! Successors of a state, in the four steps of Kuipers 1986: transitions of each variable, tuples
//! of each constraint, Waltz filtering of tuples, assembly of whole states.
//!
//! A variable has at most four candidates, so that the tuples of a constraint are the bits of one
//! word: bit `a + 4 b + 16 c` is the tuple of candidates `a`, `b` and `c` of its arguments.

use crate::frame::Frame;
use crate::plan::Plan;
use crate::quantity::QValue;
use crate::relation::Relation;
use crate::transitions::{self, Candidates, Phase};

/// For each argument, the tuples with its first candidate.
const FIRST: [u64; 3] = [0x1111_1111_1111_1111, 0x000F_000F_000F_000F, 0xFFFF];

/// The tuples in which the argument in `slot` has candidate `value`.
fn with_value(slot: usize, value: usize) -> u64 {
    FIRST[slot] << (value << (2 * slot))
}

/// A candidate that Waltz filtering removed, and the constraint without a tuple for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemovedValue {
    pub(crate) variable: usize,
    pub(crate) value: QValue,
    pub(crate) constraint: usize,
}

/// Memo of the tuples of each constraint, by the values of its arguments.
#[derive(Debug, Default)]
pub(crate) struct TupleTables {
    /// For each constraint and phase; empty if the table would be large. [`UNKNOWN`] entries are
    /// still to be computed.
    tables: Vec<[Vec<u64>; 2]>,
    /// For each constraint and argument, the codes of values.
    sizes: Vec<[usize; 3]>,
}

/// Limit on the entries of a table.
const MAX_ENTRIES: usize = 1 << 16;

/// Tuples not computed yet.
const UNKNOWN: u64 = u64::MAX;

impl TupleTables {
    pub(crate) fn new(frame: &Frame) -> Self {
        let size = |variable: u16| {
            let highest = frame.spaces[usize::from(variable)].range().end().0;
            4 * (usize::from(highest) + 1)
        };
        let sizes: Vec<[usize; 3]> = (frame.relations.iter())
            .map(|relation| {
                let n = relation.arity();
                std::array::from_fn(|slot| {
                    if slot < n {
                        size(relation.variables[slot])
                    } else {
                        1
                    }
                })
            })
            .collect();
        let tables = sizes.iter().map(|sizes| {
            let n: usize = sizes.iter().product();
            let n = if n <= MAX_ENTRIES { n } else { 0 };
            [vec![UNKNOWN; n], vec![UNKNOWN; n]]
        });
        Self {
            tables: tables.collect(),
            sizes,
        }
    }

    fn entry(&mut self, relation: usize, phase: Phase, values: [QValue; 3]) -> Option<&mut u64> {
        let [x, y, z] = values.map(|value| usize::from(value.code()));
        let [a, b, c] = self.sizes[relation];
        let at = match (b, c) {
            (1, _) => x,
            (_, 1) => x + a * y,
            _ => x + a * (y + b * z),
        };
        self.tables[relation][phase as usize].get_mut(at)
    }
}

/// The work space of [`Expander::expand`], kept from state to state.
#[derive(Debug, Default)]
pub(crate) struct Expander {
    candidates: Vec<Candidates>,
    /// For each variable, the bits of its remaining candidates.
    alive: Vec<u8>,
    /// For each constraint of the plan, the bits of its remaining tuples.
    tuples: Vec<u64>,
    search: Search,
    pub(crate) tables: Option<TupleTables>,
    /// The candidates that Waltz filtering removed, if they are to be kept; the caller empties it.
    pub(crate) removed: Option<Vec<RemovedValue>>,
}

impl Expander {
    /// An expander that keeps removed candidates if `explain` is set.
    pub(crate) fn new(explain: bool) -> Self {
        Self {
            removed: explain.then(Vec::new),
            ..Self::default()
        }
    }

    /// Emits every successor that the transitions and the constraints allow.
    ///
    /// # Errors
    /// The first variable without a transition.
    pub(crate) fn expand(
        &mut self,
        frame: &Frame,
        plan: &Plan,
        state: &[QValue],
        phase: Phase,
        emit: &mut dyn FnMut(&[QValue]),
    ) -> Result<(), usize> {
        self.candidates.clear();
        self.alive.clear();
        for (variable, (&value, space)) in state.iter().zip(&frame.spaces).enumerate() {
            let next = transitions::successors(value, phase, space);
            let n = next.as_slice().len();
            if n == 0 {
                return Err(variable);
            }
            self.candidates.push(next);
            self.alive.push((1 << n) - 1);
        }
        self.tuples.clear();
        for &index in &plan.relations {
            let relation = &frame.relations[index];
            let entry = (self.tables.as_mut())
                .and_then(|tables| tables.entry(index, phase, Frame::arguments(relation, state)));
            let tuples = match entry {
                Some(entry) => {
                    if *entry == UNKNOWN {
                        *entry = tuples_of(relation, &self.candidates);
                    }
                    *entry
                }
                None => tuples_of(relation, &self.candidates),
            };
            self.tuples.push(tuples);
        }
        if self.waltz(frame, plan) {
            self.assemble(frame, plan, emit);
        }
        Ok(())
    }

    /// Waltz filtering: removes tuples and candidates until constraints that share a variable agree
    /// on its candidates; whether every variable still has one.
    fn waltz(&mut self, frame: &Frame, plan: &Plan) -> bool {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (at, &index) in plan.relations.iter().enumerate() {
                let relation = &frame.relations[index];
                let arguments = &relation.variables[..relation.arity()];
                let mut tuples = self.tuples[at];
                for (slot, &variable) in arguments.iter().enumerate() {
                    let alive = self.alive[usize::from(variable)];
                    for value in (0..4).filter(|value| alive >> value & 1 == 0) {
                        tuples &= !with_value(slot, value);
                    }
                }
                self.tuples[at] = tuples;
                for (slot, &variable) in arguments.iter().enumerate() {
                    let variable = usize::from(variable);
                    let supported = (0..4)
                        .filter(|value| tuples & with_value(slot, *value) != 0)
                        .fold(0, |found, value| found | 1 << value);
                    let lost = self.alive[variable] & !supported;
                    if lost == 0 {
                        continue;
                    }
                    self.alive[variable] &= supported;
                    changed = true;
                    self.note_removed(variable, lost, index);
                    if self.alive[variable] == 0 {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Keeps the candidates of these bits as removed, if removed ones are kept.
    fn note_removed(&mut self, variable: usize, bits: u8, constraint: usize) {
        if let Some(removed) = &mut self.removed {
            let values = self.candidates[variable].as_slice().iter().enumerate();
            let lost = values.filter(|(value, _)| bits >> value & 1 == 1);
            removed.extend(lost.map(|(_, &value)| RemovedValue {
                variable,
                value,
                constraint,
            }));
        }
    }

    /// Emits every combination of remaining candidates that all constraints accept, by
    /// backtracking.
    fn assemble(&mut self, frame: &Frame, plan: &Plan, emit: &mut dyn FnMut(&[QValue])) {
        let Self {
            candidates,
            alive,
            tuples,
            search,
            ..
        } = self;
        search.start(candidates, alive, plan);
        let Some(&first) = search.free.first() else {
            emit(&search.state);
            return;
        };
        search.remaining[0] = alive[first];
        let mut depth = 0;
        loop {
            let left = search.remaining[depth];
            if left == 0 {
                if depth == 0 {
                    return;
                }
                depth -= 1;
                continue;
            }
            search.remaining[depth] = left & (left - 1);
            let variable = search.free[depth];
            search.assign(variable, left.trailing_zeros() as usize, candidates);
            let holds = plan.touching[variable].iter().all(|&at| {
                let relation = &frame.relations[plan.relations[at]];
                search.is_open(relation, tuples[at], depth)
            });
            if !holds {
                continue;
            }
            if depth + 1 == search.free.len() {
                emit(&search.state);
            } else {
                depth += 1;
                search.remaining[depth] = alive[search.free[depth]];
            }
        }
    }
}

/// The state of the backtracking search of [`Expander::assemble`].
#[derive(Debug, Default)]
struct Search {
    /// The variables with several candidates, in order of assignment.
    free: Vec<usize>,
    /// For each variable its place in `free`; `usize::MAX` for one with a single candidate.
    level: Vec<usize>,
    /// For each variable, the candidate chosen, and its value.
    chosen: Vec<usize>,
    state: Vec<QValue>,
    /// For each place in `free`, the bits of the candidates still to be tried.
    remaining: Vec<u8>,
}

impl Search {
    /// Begins with the first candidate of every variable.
    fn start(&mut self, candidates: &[Candidates], alive: &[u8], plan: &Plan) {
        let several = plan.order.iter().copied();
        let several = several.filter(|variable| !alive[*variable].is_power_of_two());
        self.free.clear();
        self.free.extend(several);
        self.level.clear();
        self.level.resize(alive.len(), usize::MAX);
        for (depth, &variable) in self.free.iter().enumerate() {
            self.level[variable] = depth;
        }
        self.chosen.clear();
        (self.chosen).extend(alive.iter().map(|left| left.trailing_zeros() as usize));
        let chosen = candidates.iter().zip(&self.chosen);
        self.state.clear();
        (self.state).extend(chosen.map(|(of, at)| of.as_slice()[*at]));
        self.remaining.clear();
        self.remaining.resize(self.free.len(), 0);
    }

    fn assign(&mut self, variable: usize, candidate: usize, candidates: &[Candidates]) {
        self.chosen[variable] = candidate;
        self.state[variable] = candidates[variable].as_slice()[candidate];
    }

    /// Whether one of a constraint's tuples agrees with the assignments up to `depth`. Single
    /// candidates need no look: after Waltz filtering the tuples hold no other.
    fn is_open(&self, relation: &Relation, tuples: u64, depth: usize) -> bool {
        let variables = relation.variables[..relation.arity()].iter().enumerate();
        let tuples = variables.fold(tuples, |left, (slot, &variable)| {
            let variable = usize::from(variable);
            if self.level[variable] <= depth {
                left & with_value(slot, self.chosen[variable])
            } else {
                left
            }
        });
        tuples != 0
    }
}

/// The tuples of candidates that a constraint accepts.
fn tuples_of(relation: &Relation, candidates: &[Candidates]) -> u64 {
    let n = relation.arity();
    let of = |slot: usize| {
        let all = candidates[usize::from(relation.variables[slot])].as_slice();
        if slot < n { all } else { &all[..1] }
    };
    let [p, q, r] = relation.variables;
    let mut tuples = 0;
    for (c, &z) in of(2).iter().enumerate() {
        for (b, &y) in of(1).iter().enumerate() {
            for (a, &x) in of(0).iter().enumerate() {
                // A variable that occurs twice has one value.
                let alike = (n < 2 || p != q || a == b)
                    && (n < 3 || (p != r || a == c) && (q != r || b == c));
                if alike && relation.accepts([x, y, z]) {
                    tuples |= 1 << (a + 4 * b + 16 * c);
                }
            }
        }
    }
    tuples
}
