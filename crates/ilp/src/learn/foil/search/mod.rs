//! Building clauses and, clause by clause, a theory.

mod prune;
mod rank;
mod recursion;
mod size;
mod state;

use std::cell::RefCell;
use std::rc::Rc;

use kibitz_prolog::{Direction, ProverError, Symbol, all_bits};

use self::rank::{information, log2_factorials};
use self::size::{MAX_VARS, max_vars};
use self::state::{FinishedClause, Offers, PartialClause, Search};
use super::Foil;
use super::candidates::{Candidates, Effect, Pick, Scope};
use super::formation::VarInfo;
use super::table::{Meter, Rows, Tuples};
use crate::encoded::EncodedProblem;
use crate::eval::{Arg, EQUALS, Lit, TerminationOrder, decode};
use crate::learn::encode::encode;
use crate::learn::proof_count::ProofCount;
use crate::learn::{Hypothesis, LearnError, Progress, Stop};
use crate::problem::Problem;
use crate::task::Task;

/// Learns a definition of the problem's target.
pub(super) fn learn(
    problem: &Problem<'_>,
    params: &Foil,
    progress: &mut dyn Progress,
) -> Result<Hypothesis, LearnError> {
    let task = problem.task();
    let proofs = ProofCount::new(problem, params.limits);
    let problem = match encode(problem, params.limits, params.max_steps, progress)? {
        Ok(problem) => problem,
        Err(unlisted) => return Ok(unlisted.into()),
    };
    let mut search = Search::new(&problem, task, params, proofs, progress);
    let stop = search.run()?;
    // What ends calls is tried first.
    let termination = &search.termination;
    let calls = |found: &FinishedClause| found.lits.iter().any(|lit| termination.is_recursive(lit));
    search.theory.sort_by_key(calls);
    let clauses = (search.theory.iter())
        .map(|found| decode(&problem, task.target.name, &found.lits))
        .collect();
    Ok(Hypothesis {
        n_left_out: search.n_left_out,
        ..Hypothesis::new(clauses, stop, search.meter.steps())
    })
}

/// Whether a literal gives an argument of the head a constant.
fn names_value(lit: &Lit, place: usize) -> bool {
    let is_argument = |arg: &Arg| matches!(arg, Arg::Var(var) if *var as usize == place);
    lit.positive
        && lit.relation == EQUALS
        && matches!(&lit.args[..], [own, Arg::Const(_)] if is_argument(own))
}

/// An alternative that was not chosen.
struct Checkpoint {
    partial: PartialClause,
    pick: Pick,
    gain: f64,
}

impl<'a> Search<'a> {
    fn new(
        problem: &'a EncodedProblem,
        task: &'a Task,
        params: &'a Foil,
        proofs: ProofCount<'a>,
        progress: &'a mut dyn Progress,
    ) -> Self {
        let asked = task
            .search
            .max_depth
            .and_then(|depth| u8::try_from(depth).ok());
        let max_depth = asked.unwrap_or(params.max_depth);
        let base_vars: Vec<VarInfo> = problem
            .head_kinds
            .iter()
            .map(|&kind| VarInfo { kind, depth: 0 })
            .collect();
        let base_rows = [0, 1].map(|side| Rc::new(Rows::of_examples(&problem.examples[side])));
        let mut termination = TerminationOrder::new(problem, task.target);
        termination.trust_target(true);
        let places = termination.all_places();
        let meter = Meter::default();
        let base = Rc::new(Candidates::new(
            problem,
            &[],
            &base_vars,
            base_rows.clone(),
            Scope {
                negation: task.bias.negation,
                max_depth,
                max_vars: max_vars(task),
                termination: &termination,
                places: &places,
            },
            &meter,
        ));
        let uncovered = all_bits(problem.examples[0].len);
        let mut constant_places: Vec<usize> = task.bias.head.places(Direction::Constant).collect();
        constant_places.retain(|place| !base.picks(|lit| names_value(lit, *place)).is_empty());
        Self {
            problem,
            task,
            params,
            proofs,
            max_depth,
            progress: RefCell::new(progress),
            base_vars,
            base,
            base_rows,
            constant_places,
            uncovered,
            termination,
            places,
            needs_trust: false,
            offers: Offers::Free,
            has_offered: false,
            n_left_out: 0,
            theory: Vec::new(),
            factorials: log2_factorials(problem.examples[0].len + problem.examples[1].len),
            meter,
            stopped: None,
        }
    }

    fn run(&mut self) -> Result<Stop, ProverError> {
        let stop = loop {
            if self.uncovered.is_clear() {
                break Stop::Complete;
            }
            if self
                .task
                .bias
                .max_clauses
                .is_some_and(|max| self.theory.len() >= max)
            {
                break Stop::ClauseLimit;
            }
            match self.find_clause()? {
                Some(found) => {
                    let clause = decode(self.problem, self.task.target.name, &found.lits);
                    let counts = [
                        found.covered[0].count_ones(..),
                        found.covered[1].count_ones(..),
                    ];
                    self.progress.borrow_mut().clause(
                        &clause,
                        &self.task.symbols,
                        counts[0],
                        counts[1],
                    );
                    self.uncovered.difference_with(&found.covered[0]);
                    self.take_places(&found.lits);
                    self.theory.push(found);
                }
                None => break self.stopped.unwrap_or(Stop::NoMoreClauses),
            }
            if let Some(stop) = self.stopped {
                break if self.uncovered.is_clear() {
                    Stop::Complete
                } else {
                    stop
                };
            }
        };
        self.prune_theory();
        Ok(stop)
    }

    /// Why the search should end now.
    fn reason_to_stop(&self) -> Option<Stop> {
        if self.meter.bytes() > self.params.limits.memory {
            return Some(Stop::OutOfMemory);
        }
        let goes_on = self.progress.borrow_mut().keep_going();
        (!goes_on).then_some(Stop::Interrupted)
    }

    /// Why the search should not go on; what it has found may still be pruned.
    pub(super) fn reason_to_search_no_more(&self) -> Option<Stop> {
        if self.meter.steps() >= self.params.max_steps {
            return Some(Stop::OutOfSteps);
        }
        self.reason_to_stop()
    }

    /// Whether the bias lets a clause have this literal beside the others.
    fn permits(&self, lits: &[Lit], lit: &Lit) -> bool {
        let constraints = &self.task.bias.constraints;
        constraints.is_empty() || {
            let longer: Vec<Lit> = lits.iter().chain([lit]).cloned().collect();
            let clause = decode(self.problem, self.task.target.name, &longer);
            constraints.permit_beginning(&clause, &self.task.symbols)
        }
    }

    /// Whether the bias lets a theory have a clause: it has the constants that the head asks for, and
    /// breaks no constraint.
    fn permits_clause(&self, lits: &[Lit]) -> bool {
        let constraints = &self.task.bias.constraints;
        let mut asked = self.constant_places.iter();
        asked.all(|place| lits.iter().any(|lit| names_value(lit, *place)))
            && (constraints.is_empty() || {
                let clause = decode(self.problem, self.task.target.name, lits);
                constraints.permit(&clause, &self.task.symbols)
            })
    }

    /// The literals that give arguments of the head the constants that it asks for.
    fn values_of_head(&self) -> Vec<Pick> {
        let asked = self.constant_places.iter();
        let picks = asked.flat_map(|place| self.base.picks(|lit| names_value(lit, *place)));
        picks.collect()
    }

    fn start(&self) -> PartialClause {
        let live = [
            self.uncovered.clone(),
            all_bits(self.problem.examples[1].len),
        ];
        PartialClause {
            lits: Vec::new(),
            vars: self.base_vars.clone(),
            determined_by: vec![None; self.base_vars.len()],
            is_determinate: true,
            tuples: Tuples::new(self.base_rows.clone(), live),
            candidates: Rc::clone(&self.base),
            offers: Vec::new(),
            bits: 0.0,
            weak: 0,
        }
    }

    /// Builds one clause: with determinate literals beyond the bounds of the bias, then, if there were
    /// any, within them, since every variable more makes a literal longer to encode.
    fn find_clause(&mut self) -> Result<Option<FinishedClause>, ProverError> {
        self.offers = Offers::Free;
        self.has_offered = false;
        let found = self.build_clause()?;
        let bias = &self.task.bias;
        let bounded = bias.max_vars.is_some() || bias.max_body.is_some();
        if found.is_some() || self.stopped.is_some() || !(bounded && self.has_offered) {
            return Ok(found);
        }
        self.offers = Offers::Counted;
        self.build_clause()
    }

    /// Builds one clause, returning to passed-over alternatives where the best choices fail.
    ///
    /// Where the head asks for a constant, each value is a last alternative for the first literal: it gains
    /// nothing by itself where all values have as many examples.
    fn build_clause(&mut self) -> Result<Option<FinishedClause>, ProverError> {
        let mut checkpoints: Vec<Checkpoint> = Vec::new();
        let mut kept = 0;
        let mut partial = self.start();
        let mut values = self.values_of_head().into_iter();
        loop {
            let is_of_some = partial.tuples.counts[0] > 0;
            let finished = is_of_some && self.extend(&mut partial, &mut checkpoints, &mut kept);
            if finished && let Some(found) = self.finish(partial.lits)? {
                return Ok(Some(found));
            }
            if self.stopped.is_some() {
                return Ok(None);
            }
            let best = (0..checkpoints.len()).max_by(|&a, &b| {
                checkpoints[a]
                    .gain
                    .total_cmp(&checkpoints[b].gain)
                    .then(b.cmp(&a))
            });
            let Some(best) = best else {
                let Some(value) = values.next() else {
                    return Ok(None);
                };
                (partial, kept) = (self.start(), 0);
                self.add(&mut partial, value);
                continue;
            };
            let checkpoint = checkpoints.swap_remove(best);
            partial = checkpoint.partial;
            self.add(&mut partial, checkpoint.pick);
        }
    }

    /// Adds literals until no negative tuple is left, or nothing helps; whether the result is worth
    /// finishing.
    fn extend(
        &mut self,
        partial: &mut PartialClause,
        checkpoints: &mut Vec<Checkpoint>,
        kept: &mut usize,
    ) -> bool {
        loop {
            if partial.tuples.counts[1] == 0 {
                return true;
            }
            self.stopped = self.reason_to_search_no_more();
            if self.stopped.is_some() {
                return false;
            }
            if self
                .task
                .bias
                .max_body
                .is_some_and(|max| self.size(partial, None).literals >= 2 * max)
            {
                return true;
            }
            let [p, n] = partial.tuples.counts;
            let possible = p as f64 * information(p, n);
            let ranking = self.rank(partial, possible);
            if ranking.stopped.is_some() {
                self.stopped = ranking.stopped;
                return false;
            }
            let best_gain = ranking.gains.first().map_or(0.0, |(gain, ..)| *gain);
            if best_gain < self.params.determinate_gain * possible
                && self.add_determinate(partial, &ranking.determinate)
            {
                continue;
            }
            let Some(&(gain, pick, _)) = ranking.gains.first() else {
                if partial.weak < self.params.weak_literals
                    && let Some(&(_, pick)) = ranking.weak.first()
                {
                    partial.weak += 1;
                    self.add(partial, pick);
                    continue;
                }
                return true;
            };
            for &(alternative, pick, _) in
                ranking.gains.iter().skip(1).take(self.params.alternatives)
            {
                if alternative < self.params.alternative_gain * gain
                    || *kept >= self.params.checkpoints
                {
                    break;
                }
                *kept += 1;
                checkpoints.push(Checkpoint {
                    partial: partial.clone(),
                    pick,
                    gain: alternative,
                });
            }
            partial.weak = 0;
            if !self.regrow(partial, pick) {
                self.add(partial, pick);
            }
        }
    }

    fn add(&mut self, partial: &mut PartialClause, pick: Pick) {
        let lit = partial.candidates.lit(pick);
        partial.bits += (partial.candidates.len.max(2) as f64).log2()
            - ((partial.lits.len() + 1) as f64).log2();
        match pick {
            Pick::Test(i, positive) => {
                let candidates = Rc::clone(&partial.candidates);
                partial
                    .tuples
                    .filter(candidates.masks(self.problem, i), positive);
            }
            Pick::Generator(_) => {
                self.introduce(partial, &lit);
                partial.determined_by.resize(partial.vars.len(), None);
                partial.is_determinate = false;
            }
        }
        partial.lits.push(lit);
        if matches!(pick, Pick::Generator(_)) {
            self.renew_candidates(partial);
        }
    }

    /// Joins the tuples with a literal's relation and notes its new variables.
    fn introduce(&self, partial: &mut PartialClause, lit: &Lit) {
        let Lit { relation, args, .. } = lit;
        let tuples = &partial.tuples;
        let rows = [0, 1].map(|side| {
            self.meter.rows(tuples.counts[side]);
            Rc::new(tuples.rows[side].join(self.problem, &tuples.live[side], *relation, args))
        });
        let depth = 1 + lit
            .vars()
            .map(|v| partial.vars[v as usize].depth)
            .max()
            .unwrap_or(0);
        for (place, arg) in args.iter().enumerate() {
            if *arg == Arg::New {
                let kind = self.kind_of(*relation, args, place, &partial.vars);
                partial.vars.push(VarInfo { kind, depth });
            }
        }
        let live = [all_bits(rows[0].len()), all_bits(rows[1].len())];
        partial.tuples = Tuples::new(rows, live);
    }

    /// The type of a new variable, from the mode its literal was made with.
    fn kind_of(&self, relation: u32, args: &[Arg], place: usize, vars: &[VarInfo]) -> Symbol {
        let fits = |arguments: &[(kibitz_prolog::Direction, Symbol)]| {
            arguments
                .iter()
                .zip(args)
                .all(|(&(direction, kind), arg)| match arg {
                    Arg::Var(var) => vars
                        .get(*var as usize)
                        .is_some_and(|info| info.kind == kind),
                    Arg::Const(_) => direction == kibitz_prolog::Direction::Constant,
                    Arg::New => direction == kibitz_prolog::Direction::Out,
                })
        };
        self.problem
            .modes
            .iter()
            .find(|mode| mode.relation == relation && fits(&mode.arguments))
            .map_or(Symbol::TRUE, |mode| mode.arguments[place].1)
    }

    fn renew_candidates(&self, partial: &mut PartialClause) {
        let waiting = partial.vars.len() - self.size(partial, None).variables;
        partial.candidates = Rc::new(Candidates::new(
            self.problem,
            &partial.lits,
            &partial.vars,
            partial.tuples.rows.clone(),
            Scope {
                negation: self.task.bias.negation,
                max_depth: self.max_depth,
                max_vars: (max_vars(self.task) + waiting).min(MAX_VARS),
                termination: &self.termination,
                places: &self.places,
            },
            &self.meter,
        ));
    }

    /// Adds all determinate literals that are not there yet; whether there were any.
    fn add_determinate(&mut self, partial: &mut PartialClause, picks: &[(Pick, Effect)]) -> bool {
        let mut any = false;
        let candidates = Rc::clone(&partial.candidates);
        let before = partial.tuples.counts;
        let n_before = partial.vars.len();
        // Of literals that determine the same values, calls come first.
        let (calls, others): (Vec<_>, Vec<_>) = (picks.iter().copied())
            .partition(|(pick, _)| self.termination.is_recursive(&candidates.lit(*pick)));
        for (pick, effect) in calls.into_iter().chain(others) {
            let lit = candidates.lit(pick);
            let offers = self.offers == Offers::Free && effect.after == before;
            let fits = if offers {
                self.may_offer(partial, &lit)
            } else {
                self.may_join(partial, &lit)
            };
            if fits
                && !partial.lits.contains(&lit)
                && self.permits(&partial.lits, &lit)
                && !self.repeats(partial, &lit, n_before)
            {
                if !self.is_manageable(partial) {
                    self.n_left_out += 1;
                    continue;
                }
                self.introduce(partial, &lit);
                let by = Some(lit.relation);
                partial.determined_by.resize(partial.vars.len(), by);
                if offers {
                    partial.offers.push(partial.lits.len());
                    self.has_offered = true;
                }
                partial.lits.push(lit);
                any = true;
            }
        }
        if any {
            self.renew_candidates(partial);
        }
        any
    }
}
