//! The successors of a state: transitions, tuples, pairs, and whole states.
//!
//! The steps are those of Kuipers 1986. A variable goes on to at most four values, so
//! the tuples that a constraint leaves are the bits of one word: those of its first argument's
//! value `a`, its second's `b` and its third's `c` are bit `a + 4 b + 16 c`.

use crate::frame::{Frame, Plan};
use crate::quantity::QValue;
use crate::relation::Relation;
use crate::transitions::{self, Candidates, Phase};

/// For each argument the tuples with its first value.
const FIRST: [u64; 3] = [0x1111_1111_1111_1111, 0x000F_000F_000F_000F, 0xFFFF];

/// The tuples in which the argument in `slot` has its value number `value`.
fn with_value(slot: usize, value: usize) -> u64 {
    FIRST[slot] << (value << (2 * slot))
}

/// A value that a constraint leaves no place for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemovedValue {
    pub(crate) variable: usize,
    pub(crate) value: QValue,
    pub(crate) constraint: usize,
}

/// Tuples by the values they come from, each computed when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct TupleTables {
    /// For each constraint and phase, or nothing if the table would be large.
    tables: Vec<[Vec<u64>; 2]>,
    sizes: Vec<[usize; 3]>,
}

/// Most entries of a table.
const MOST_ENTRIES: usize = 1 << 16;

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
            let n = if n <= MOST_ENTRIES { n } else { 0 };
            [vec![u64::MAX; n], vec![u64::MAX; n]]
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
    /// Which of a variable's candidates are left.
    alive: Vec<u8>,
    tuples: Vec<u64>,
    /// The variables with more than one value left, and for each variable its place among them.
    free: Vec<usize>,
    level: Vec<usize>,
    chosen: Vec<usize>,
    remaining: Vec<u8>,
    state: Vec<QValue>,
    pub(crate) tables: Option<TupleTables>,
    /// What the constraints refuse, if that is asked for; emptied by whoever reads it.
    pub(crate) removed: Option<Vec<RemovedValue>>,
}

impl Expander {
    /// Shows every state that can follow, by the transitions and the constraints.
    ///
    /// # Errors
    /// The variable that cannot go on.
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
                    if *entry == u64::MAX {
                        *entry = tuples_of(relation, &self.candidates);
                    }
                    *entry
                }
                None => tuples_of(relation, &self.candidates),
            };
            self.tuples.push(tuples);
        }
        if self.agree_in_pairs(frame, plan) {
            self.assemble(frame, plan, emit);
        }
        Ok(())
    }

    /// Takes away tuples until constraints that share a variable agree on its values (Waltz), and
    /// says whether each variable still has one.
    fn agree_in_pairs(&mut self, frame: &Frame, plan: &Plan) -> bool {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (at, &index) in plan.relations.iter().enumerate() {
                let relation = &frame.relations[index];
                let mut tuples = self.tuples[at];
                let variables = relation.variables.map(usize::from);
                for (slot, &variable) in variables[..relation.arity()].iter().enumerate() {
                    let alive = self.alive[variable];
                    for value in (0..4).filter(|value| alive >> value & 1 == 0) {
                        tuples &= !with_value(slot, value);
                    }
                }
                self.tuples[at] = tuples;
                for (slot, &variable) in variables[..relation.arity()].iter().enumerate() {
                    let alive = self.alive[variable];
                    let supported = (0..4)
                        .filter(|value| tuples & with_value(slot, *value) != 0)
                        .fold(0, |found, value| found | 1 << value);
                    let left = alive & supported;
                    if left == alive {
                        continue;
                    }
                    self.alive[variable] = left;
                    changed = true;
                    if let Some(removed) = &mut self.removed {
                        let values = self.candidates[variable].as_slice().iter().enumerate();
                        removed.extend(
                            values
                                .filter(|(value, _)| (alive & !left) >> value & 1 == 1)
                                .map(|(_, &value)| RemovedValue {
                                    variable,
                                    value,
                                    constraint: index,
                                }),
                        );
                    }
                    if left == 0 {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Shows every choice of the values left that all constraints accept together.
    fn assemble(&mut self, frame: &Frame, plan: &Plan, emit: &mut dyn FnMut(&[QValue])) {
        let Self {
            candidates,
            alive,
            tuples,
            free,
            level,
            chosen,
            remaining,
            state,
            ..
        } = self;
        // Where one value is left, the tuples hold no other.
        free.clear();
        free.extend(
            plan.order
                .iter()
                .copied()
                .filter(|at| !alive[*at].is_power_of_two()),
        );
        level.clear();
        level.resize(alive.len(), usize::MAX);
        for (depth, &variable) in free.iter().enumerate() {
            level[variable] = depth;
        }
        chosen.clear();
        chosen.extend(alive.iter().map(|left| left.trailing_zeros() as usize));
        state.clear();
        state.extend(
            candidates
                .iter()
                .zip(&*chosen)
                .map(|(of, at)| of.as_slice()[*at]),
        );
        let Some(&first) = free.first() else {
            emit(state);
            return;
        };
        remaining.clear();
        remaining.resize(free.len(), 0);
        remaining[0] = alive[first];
        let mut depth = 0;
        loop {
            let left = remaining[depth];
            if left == 0 {
                if depth == 0 {
                    return;
                }
                depth -= 1;
                continue;
            }
            remaining[depth] = left & (left - 1);
            let variable = free[depth];
            chosen[variable] = left.trailing_zeros() as usize;
            state[variable] = candidates[variable].as_slice()[chosen[variable]];
            let holds = plan.touching[variable].iter().all(|&at| {
                let relation = &frame.relations[plan.relations[at]];
                let variables = relation.variables[..relation.arity()].iter().enumerate();
                let tuples = variables.fold(tuples[at], |left, (slot, &variable)| {
                    let variable = usize::from(variable);
                    if level[variable] <= depth {
                        left & with_value(slot, chosen[variable])
                    } else {
                        left
                    }
                });
                tuples != 0
            });
            if !holds {
                continue;
            }
            if depth + 1 == free.len() {
                emit(state);
            } else {
                depth += 1;
                remaining[depth] = alive[free[depth]];
            }
        }
    }
}

/// The tuples of its arguments' candidates that a constraint accepts.
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
                // A variable that is given twice has one value.
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
