use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use indexmap::IndexSet;
use kibitz_prolog::BitSet;
use rustc_hash::FxBuildHasher;

use super::formation::{Formation, VarInfo};
use super::table::{ByteCount, Meter, Rows, Tuples};
use crate::encoded::{EncodedProblem, number};
use crate::eval::{Arg, EQUALS, Lit, Places, TerminationOrder, Values};

/// Most literals formed for one clause; a clause with many variables of one type and a predicate
/// with many arguments would have millions. Those that use the latest variables are left out.
pub(super) const MAX_LITERALS: usize = 50_000;
/// Most arguments looked at for them.
const MAX_VISITED: usize = 5_000_000;

/// Which literals may be formed.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) negation: bool,
    pub(super) max_depth: u8,
    pub(super) max_vars: usize,
    pub(super) termination: &'a TerminationOrder,
    /// Places at which recursive literals may be smaller than the head.
    pub(super) places: &'a [Places],
}

/// A literal over bound variables, and the rows that satisfy it.
#[derive(Debug)]
struct Test {
    lit: Lit,
    masks: OnceCell<([BitSet; 2], ByteCount)>,
    /// Holds for every row or for none, so that it can never help.
    useless: std::cell::Cell<bool>,
}

/// All literals that may be added to a clause with certain variables, for one pair of tables.
///
/// Tests are evaluated once on all rows; longer clauses intersect the bit sets.
#[derive(Debug)]
pub(super) struct Candidates {
    rows: [Rc<Rows>; 2],
    meter: Meter,
    /// For the rows and the literals.
    _counted: ByteCount,
    tests: Vec<Test>,
    generators: Vec<Lit>,
    /// Number of literals to choose from, negated ones included.
    pub(super) len: usize,
    negation: bool,
    histograms: RefCell<Vec<[Vec<u32>; 2]>>,
}

/// How a candidate changes the tuples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Effect {
    /// Positive tuples that have at least one successor.
    pub(super) kept: usize,
    /// Positive and negative tuples afterwards.
    pub(super) after: [usize; 2],
    /// Each positive tuple has one successor, each negative at most one.
    pub(super) determinate: bool,
}

/// Whether a candidate that keeps so many positive tuples, and leaves at least so many of both kinds, need
/// not be looked at to the end.
type IsHopeless<'h> = &'h dyn Fn(usize, [usize; 2]) -> bool;

/// Rows of negative examples between two looks at whether a candidate is hopeless.
const ROWS_BETWEEN: usize = 64;

/// A reference to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// A test, possibly negated.
    Test(usize, bool),
    /// A literal with new variables.
    Generator(usize),
}

impl Pick {
    pub(super) fn is_negated(self) -> bool {
        matches!(self, Pick::Test(_, false))
    }
}

impl Candidates {
    pub(super) fn new(
        problem: &EncodedProblem,
        lits: &[Lit],
        vars: &[VarInfo],
        rows: [Rc<Rows>; 2],
        scope: Scope<'_>,
        meter: &Meter,
    ) -> Self {
        let mut tests: IndexSet<Lit, FxBuildHasher> = IndexSet::default();
        let mut generators: IndexSet<Lit, FxBuildHasher> = IndexSet::default();
        add_equalities(problem, lits, vars, &mut tests);
        let formation = Formation {
            problem,
            lits,
            vars,
            max_vars: scope.max_vars,
            max_depth: scope.max_depth,
            termination: scope.termination,
            places: scope.places,
            names_twice: false,
            max_literals: MAX_LITERALS,
            max_visited: MAX_VISITED,
        };
        formation.form(&mut tests, &mut generators);
        let len = tests.len() * if scope.negation { 2 } else { 1 } + generators.len();
        let lits = tests.iter().chain(&generators);
        let lits = lits.map(|lit| size_of::<Lit>() + size_of_val(&*lit.args));
        let bytes = lits.chain(rows.iter().map(|rows| rows.bytes())).sum();
        let tests = tests
            .into_iter()
            .map(|lit| Test {
                lit,
                masks: OnceCell::new(),
                useless: false.into(),
            })
            .collect();
        let histograms = RefCell::new(Vec::new());
        Self {
            rows,
            meter: meter.clone(),
            _counted: meter.count(bytes),
            tests,
            generators: generators.into_iter().collect(),
            len,
            negation: scope.negation,
            histograms,
        }
    }

    /// The literal behind a reference.
    pub(super) fn lit(&self, pick: Pick) -> Lit {
        match pick {
            Pick::Test(i, true) => self.tests[i].lit.clone(),
            Pick::Test(i, false) => self.tests[i].lit.negated(),
            Pick::Generator(i) => self.generators[i].clone(),
        }
    }

    /// The references to the tests whose literals are of a kind.
    pub(super) fn picks(&self, is_of_kind: impl Fn(&Lit) -> bool) -> Vec<Pick> {
        let places = 0..self.tests.len();
        let places = places.filter(|i| is_of_kind(&self.tests[*i].lit));
        places.map(|i| Pick::Test(i, true)).collect()
    }

    /// The reference to a test.
    pub(super) fn pick(&self, lit: &Lit) -> Option<Pick> {
        let (position, is_positive) = if lit.positive {
            (self.tests.iter().position(|test| test.lit == *lit), true)
        } else {
            let positive = lit.negated();
            (
                self.tests.iter().position(|test| test.lit == positive),
                false,
            )
        };
        Some(Pick::Test(position?, is_positive))
    }

    /// The rows of one side that satisfy a literal without new variables.
    fn mask(&self, problem: &EncodedProblem, lit: &Lit, side: usize) -> BitSet {
        self.meter.rows(self.rows[side].len());
        self.rows[side].mask(problem, lit)
    }

    /// The rows that satisfy a test.
    pub(super) fn masks(&self, problem: &EncodedProblem, i: usize) -> &[BitSet; 2] {
        let test = &self.tests[i];
        let (masks, _) = test.masks.get_or_init(|| {
            let masks = [0, 1].map(|side| self.mask(problem, &test.lit, side));
            let held = masks[0].count_ones(..) + masks[1].count_ones(..);
            let total = self.rows[0].len() + self.rows[1].len();
            test.useless.set(held == 0 || held == total);
            let bytes = masks.iter().map(|mask| size_of_val(mask.as_slice())).sum();
            (masks, self.meter.count(bytes))
        });
        masks
    }

    /// Keeps the rows of one side that satisfy a test, positive or negated.
    pub(super) fn keep(&self, problem: &EncodedProblem, lit: &Lit, side: usize, rows: &mut BitSet) {
        let known = self.tests.iter().position(|test| test.lit == *lit);
        if let Some(i) = known {
            rows.intersect_with(&self.masks(problem, i)[side]);
        } else if let Some(i) = self.tests.iter().position(|test| test.lit == lit.negated()) {
            rows.difference_with(&self.masks(problem, i)[side]);
        } else {
            rows.intersect_with(&self.mask(problem, lit, side));
        }
    }

    /// Visits the effect of every test that changes something, until told to stop.
    pub(super) fn tests(
        &self,
        problem: &EncodedProblem,
        tuples: &Tuples,
        keep_going: &mut dyn FnMut() -> bool,
        is_hopeless: IsHopeless<'_>,
        mut visit: impl FnMut(Pick, Effect),
    ) {
        for i in 0..self.tests.len() {
            if !keep_going() {
                return;
            }
            let test = &self.tests[i];
            if !self.negation && test.masks.get().is_none() && !test.useless.get() {
                let positive = self.mask(problem, &test.lit, 0);
                let kept = positive.intersection_count(&tuples.live[0]);
                if is_hopeless(kept, [kept, 0]) {
                    continue;
                }
            }
            let masks = self.masks(problem, i);
            if self.tests[i].useless.get() {
                continue;
            }
            let held = [0, 1].map(|side| masks[side].intersection_count(&tuples.live[side]));
            let total = tuples.counts;
            let failed = [total[0] - held[0], total[1] - held[1]];
            for (positive, after) in [(true, held), (false, failed)] {
                let useful = after[0] > 0 && after != total;
                if useful && (positive || self.negation) {
                    let effect = Effect {
                        kept: after[0],
                        after,
                        determinate: false,
                    };
                    visit(Pick::Test(i, positive), effect);
                }
            }
        }
    }

    /// Visits the effect of every literal with new variables that keeps a positive tuple, or none where it
    /// is hopeless, until told to stop.
    pub(super) fn generators(
        &self,
        problem: &EncodedProblem,
        tuples: &Tuples,
        keep_going: &mut dyn FnMut() -> bool,
        is_hopeless: IsHopeless<'_>,
        mut visit: impl FnMut(Pick, Option<Effect>),
    ) {
        self.histograms.borrow_mut().clear();
        for (i, lit) in self.generators.iter().enumerate() {
            if !keep_going() {
                break;
            }
            let effect = self.generator_effect(problem, tuples, lit, is_hopeless);
            if effect.is_none_or(|effect| effect.kept > 0) {
                visit(Pick::Generator(i), effect);
            }
        }
        self.histograms.borrow_mut().clear();
    }

    /// How a literal with new variables changes the tuples; `None` if it is hopeless.
    fn generator_effect(
        &self,
        problem: &EncodedProblem,
        tuples: &Tuples,
        lit: &Lit,
        is_hopeless: IsHopeless<'_>,
    ) -> Option<Effect> {
        let args = &lit.args;
        let relation = &problem.relations[lit.relation as usize];
        let mut effect = Effect {
            kept: 0,
            after: [0, 0],
            determinate: true,
        };
        let mut bound = args.iter().enumerate().filter(|(_, arg)| **arg != Arg::New);
        let (first, second) = (bound.next(), bound.next());
        if let (Some((place, Arg::Var(var))), None) = (first, second) {
            // One known argument: the index tells how many rows match each value.
            let index = relation.index(place);
            for side in 0..2 {
                let mut add = |count: usize, matches: u32| {
                    effect.after[side] += count * matches as usize;
                    if side == 0 && matches > 0 {
                        effect.kept += count;
                    }
                    if matches > 1 || (side == 0 && matches == 0) {
                        effect.determinate = false;
                    }
                };
                if tuples.counts[side] > index.range() {
                    let histogram = self.histogram(tuples, *var, problem.terms.len());
                    let mut seen = 0;
                    for (value, matches) in index.counts() {
                        let count = histogram[*var as usize][side][value as usize] as usize;
                        if count > 0 {
                            seen += count;
                            add(count, matches);
                        }
                    }
                    if seen < tuples.counts[side] {
                        add(tuples.counts[side] - seen, 0);
                    }
                } else {
                    let column = &tuples.rows[side].columns[*var as usize];
                    self.meter.rows(tuples.counts[side]);
                    for row in tuples.live[side].ones() {
                        add(1, index.count(column[row]));
                    }
                }
            }
            return Some(effect);
        }
        for side in 0..2 {
            self.meter.rows(tuples.counts[side]);
            for (n_seen, row) in tuples.live[side].ones().enumerate() {
                if side == 1
                    && n_seen % ROWS_BETWEEN == 0
                    && !effect.determinate
                    && effect.kept < tuples.counts[0]
                    && is_hopeless(effect.kept, effect.after)
                {
                    return None;
                }
                let mut matches = 0;
                let values = Values::new(args, |var| tuples.rows[side].columns[var as usize][row]);
                relation.matches(values.as_slice(), |_| {
                    matches += 1;
                    true
                });
                effect.after[side] += matches;
                if side == 0 && matches > 0 {
                    effect.kept += 1;
                }
                if matches > 1 || (side == 0 && matches == 0) {
                    effect.determinate = false;
                }
            }
            self.meter.rows(effect.after[side]);
        }
        Some(effect)
    }

    /// How often each term occurs as the value of a variable in the live rows.
    fn histogram(
        &self,
        tuples: &Tuples,
        var: u32,
        n_terms: usize,
    ) -> std::cell::Ref<'_, Vec<[Vec<u32>; 2]>> {
        let var = var as usize;
        {
            let mut histograms = self.histograms.borrow_mut();
            if histograms.len() <= var {
                histograms.resize_with(var + 1, Default::default);
            }
            if histograms[var][0].is_empty() {
                for side in 0..2 {
                    let mut counts = vec![0; n_terms];
                    let column = &tuples.rows[side].columns[var];
                    self.meter.rows(tuples.counts[side]);
                    for row in tuples.live[side].ones() {
                        counts[column[row] as usize] += 1;
                    }
                    histograms[var][side] = counts;
                }
            }
        }
        self.histograms.borrow()
    }
}

/// Adds equalities between variables and with constants.
fn add_equalities(
    problem: &EncodedProblem,
    lits: &[Lit],
    vars: &[VarInfo],
    tests: &mut IndexSet<Lit, FxBuildHasher>,
) {
    let named = with_named_variables(lits, problem.head_kinds.len());
    let exact = problem.exact_variables(lits);
    let is_exact = |var: u32| exact.get(var as usize).copied().unwrap_or(false);
    for (left, a) in (0u32..).zip(vars) {
        for (right, b) in (0u32..).zip(vars).skip(left as usize + 1) {
            if a.kind == b.kind && !is_exact(right) && !undoes_a_join(&named, left, right) {
                tests.insert(Lit::equal(left, Arg::Var(right)));
            }
        }
    }
    for (var, info) in (0u32..).zip(vars).filter(|(var, _)| !is_exact(*var)) {
        let constants = problem.constants.iter();
        for (_, values) in constants.filter(|(kind, _)| *kind == info.kind) {
            for &value in values {
                tests.insert(Lit::equal(var, Arg::Const(value)));
            }
        }
    }
}

/// The positive literals of a clause with the variables they introduce spelled out.
fn with_named_variables(lits: &[Lit], n_head: usize) -> Vec<(u32, Vec<Arg>)> {
    let mut next = number(n_head);
    let mut named = Vec::new();
    for lit in lits.iter().filter(|l| l.positive && l.relation != EQUALS) {
        let mut args = lit.args.to_vec();
        for arg in args.iter_mut().filter(|arg| **arg == Arg::New) {
            *arg = Arg::Var(next);
            next += 1;
        }
        named.push((lit.relation, args));
    }
    named
}

/// Whether two literals become the same when two variables are equal: the tuples are then those from
/// before the second literal was added, and the gain only undoes the loss of that step.
fn undoes_a_join(named: &[(u32, Vec<Arg>)], left: u32, right: u32) -> bool {
    let merged = |arg: Arg| {
        if arg == Arg::Var(right) {
            Arg::Var(left)
        } else {
            arg
        }
    };
    let same = |(relation, args): &(u32, Vec<Arg>), (other, others): &(u32, Vec<Arg>)| {
        relation == other
            && args
                .iter()
                .zip(others)
                .all(|(&a, &b)| merged(a) == merged(b))
    };
    named
        .iter()
        .enumerate()
        .any(|(i, a)| named[..i].iter().any(|b| same(a, b)))
}
