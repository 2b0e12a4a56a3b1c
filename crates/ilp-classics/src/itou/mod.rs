//! Itou: an example that the theory does not explain is saturated with all its consequences; then
//! literals are dropped (truncation) as long as the user agrees.
//!
//! The saturated clause is flattened, so that constants are literals and can be dropped too. Literals that
//! introduced others, by matching a fact or a clause, are dropped first. Intra-construction then
//! compresses the theory.
//!
//! # Source
//! Rouveirol 1991; Morales 1992, section 4.5.1.3, Table 4.4. How the user decides is not specified
//! there; by default a clause is accepted if it covers no negative example.

mod flatten;
mod saturation;

use std::cmp::Reverse;

use crate::cigol::{NegativesUser, User};
use kibitz_ilp::learn::bottom_clause::callable_modes;
use kibitz_ilp::learn::{Hypothesis, LearnError, Learner, Progress, Reach, Stop};
use kibitz_ilp::{Problem, Task};
use kibitz_prolog::{
    Atom, BitSet, Clause, Direction, Evaluator, Limits, Literal, Mode, Prover, SymbolTable, Term,
    Var,
};

use self::saturation::{Saturation, Saturator};
use crate::intra_construction::intra_construct;
pub use flatten::Flattening;

/// Maximum number of steps of a proof during the search.
const STEPS: u64 = 50_000;

/// Itou on the positive examples of a task, in their order.
pub struct Itou<'u> {
    /// Judges each clause.
    pub user: Box<dyn User + 'u>,
    /// Maximum number of literals between a variable and the head, unless the files say.
    pub max_depth: usize,
    /// Maximum number of literals of a saturated clause; further ones are left out.
    pub max_literals: usize,
    /// Maximum number of clauses proposed to the user.
    pub max_steps: u64,
    /// Bounds on a proof.
    pub limits: Limits,
}

impl Default for Itou<'_> {
    fn default() -> Self {
        Self {
            user: Box::new(NegativesUser),
            max_depth: 2,
            max_literals: 200,
            max_steps: 100_000,
            limits: Limits::default(),
        }
    }
}

impl std::fmt::Debug for Itou<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Itou")
            .field("max_depth", &self.max_depth)
            .field("max_literals", &self.max_literals)
            .field("max_steps", &self.max_steps)
            .finish_non_exhaustive()
    }
}

impl Itou<'_> {
    fn depth(&self, task: &Task) -> usize {
        task.search.depth_or(self.max_depth, usize::MAX - 1)
    }
}

impl Learner for Itou<'_> {
    fn name(&self) -> &'static str {
        "itou"
    }

    /// Needs positive examples, and for the default user negative ones.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let task = problem.task();
        if task.positive.is_empty() {
            return Err(LearnError::NoPositives);
        }
        let Some(modes) = callable_modes(problem, self.limits, progress)? else {
            return Ok(Hypothesis::interrupted());
        };
        let n_known = task.symbols.names().count();
        let stem = format!("part_of_{}", task.symbols.name(task.target.name));
        let mut session = Session {
            itou: self,
            problem,
            modes,
            prover: Prover::new(
                problem.database(),
                Limits {
                    steps: self.limits.steps.min(STEPS),
                    ..self.limits
                },
            ),
            progress,
            symbols: task.symbols.clone(),
            theory: Vec::new(),
            steps: 0,
            stop: None,
        };
        for (i, example) in task.positive.iter().enumerate() {
            let theory = session.theory.clone();
            if session.is_explained(&theory, example)? {
                continue;
            }
            if task
                .bias
                .max_clauses
                .is_some_and(|max| session.theory.len() >= max)
            {
                session.stop = Some(Stop::ClauseLimit);
                break;
            }
            if let Some(clause) = session.generalized(example)? {
                session.theory.push(clause);
            }
            session.rewrite(&stem, &task.positive[..=i])?;
            if session.stop.is_some() {
                break;
            }
        }
        let Session {
            theory,
            steps,
            stop,
            progress,
            symbols,
            ..
        } = session;
        let (positive, negative) = (&task.positive[..], &task.negative[..]);
        let mut evaluator = Evaluator::new(problem.database(), self.limits, positive, negative);
        let mut covered = BitSet::with_capacity(positive.len());
        for (clause, coverage) in theory.iter().zip(evaluator.theory(&theory)?) {
            if clause.head.predicate() == task.target {
                let [tp, _, _, fp] = coverage.confusion();
                progress.clause(clause, &symbols, tp, fp);
                covered.union_with(&coverage.positive);
            }
        }
        let end = if covered.count_ones(..) == positive.len() {
            Stop::Complete
        } else {
            Stop::NoMoreClauses
        };
        let mut learned = Hypothesis::new(theory, stop.unwrap_or(end), steps);
        learned.invented = symbols.names().skip(n_known).map(str::to_owned).collect();
        Ok(learned)
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn reach(&self, task: &Task) -> Reach {
        Reach {
            max_depth: Some(self.depth(task)),
            min_positives: None,
            ..Reach::of_bias(task)
        }
    }
}

struct Session<'i, 'p> {
    itou: &'i Itou<'i>,
    problem: &'p Problem<'p>,
    modes: Vec<Mode>,
    prover: Prover<'p>,
    progress: &'i mut (dyn Progress + Send),
    /// The names of the task and of predicates that were invented.
    symbols: SymbolTable,
    theory: Vec<Clause>,
    steps: u64,
    /// Why it ended, once it has.
    stop: Option<Stop>,
}

/// A flattened saturated clause, and its remaining literals.
struct Truncation {
    flattening: Flattening,
    flat: Clause,
    /// By literal, the first of which are those of the saturation.
    uses: Vec<saturation::Use>,
    kept: Vec<bool>,
}

impl Session<'_, '_> {
    fn is_explained(&mut self, theory: &[Clause], example: &Atom) -> Result<bool, LearnError> {
        let prepared = self.prover.prepare(theory)?;
        self.prover.load(&prepared);
        for clause in 0..theory.len() {
            if self.prover.covers(&prepared, clause, example)?.is_proved() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a clause covers the example that it is to be generalized from, and the user agrees.
    fn is_accepted(&mut self, clause: &Clause, example: &Atom) -> Result<bool, LearnError> {
        let theory = [std::slice::from_ref(clause), &self.theory].concat();
        // A literal that provided something may be gone.
        Ok(self.is_explained(&theory, example)? && self.agrees(std::slice::from_ref(clause))?)
    }

    /// Whether the user agrees to clauses, which takes a step; no longer once the search is to end.
    fn agrees(&mut self, added: &[Clause]) -> Result<bool, LearnError> {
        if self.steps >= self.itou.max_steps {
            self.stop = Some(Stop::OutOfSteps);
        } else if !self.progress.keep_going() {
            self.stop = Some(Stop::Interrupted);
        }
        if self.stop.is_some() {
            return Ok(false);
        }
        self.steps += 1;
        self.itou.user.accepts(added, &self.theory, self.problem)
    }

    /// The clause that an example is generalized to; `None` if there is none that the user agrees to and
    /// that the bias permits.
    fn generalized(&mut self, example: &Atom) -> Result<Option<Clause>, LearnError> {
        let task = self.problem.task();
        let bounds = [self.itou.depth(task), self.itou.max_literals];
        let saturator = Saturator::new(
            self.problem,
            &self.modes,
            &mut self.prover,
            &mut *self.progress,
            &self.theory,
            bounds,
        );
        let Some(saturation) = saturator.saturate(example)? else {
            self.stop = Some(Stop::Interrupted);
            return Ok(None);
        };
        let mut truncation = Truncation::new(example, saturation, self);
        let mut best = None;
        let start = truncation.clause(&truncation.kept);
        if self.is_accepted(&start, example)? {
            best = Some(start);
        }
        for place in truncation.order() {
            if best.is_none() || self.stop.is_some() {
                break;
            }
            if !truncation.kept[place] {
                continue;
            }
            let mut fewer = truncation.kept.clone();
            fewer[place] = false;
            truncation.disconnect(&mut fewer);
            let clause = truncation.clause(&fewer);
            if self.is_accepted(&clause, example)? {
                truncation.kept = fewer;
                best = Some(clause);
            }
        }
        let bias = &task.bias;
        let is_permitted = |clause: &Clause| {
            bias.max_body.is_none_or(|max| clause.body.len() <= max)
                && bias
                    .max_vars
                    .is_none_or(|max| clause.var_bound() as usize <= max)
                && bias
                    .constraints
                    .permit(&task.unfolded(clause), &task.symbols)
        };
        Ok(best.filter(is_permitted))
    }

    /// Writes the theory shorter by intra-construction, as long as the user agrees and the examples that
    /// were explained still are: literals change their order, which matters where a proof takes it.
    fn rewrite(&mut self, stem: &str, read: &[Atom]) -> Result<(), LearnError> {
        loop {
            let mut table = self.symbols.clone();
            let name = table.fresh(stem);
            let pairs = (0..self.theory.len())
                .flat_map(|i| (i + 1..self.theory.len()).map(move |j| (i, j)));
            let built = pairs.filter_map(|(i, j)| {
                let built = intra_construct(&self.theory[i], &self.theory[j], name)?;
                Some((Reverse(built.gain), i, j, built.clauses))
            });
            let mut built: Vec<_> = built.collect();
            built.sort();
            let mut rewritten = None;
            for (_, i, j, clauses) in built {
                let agrees = self.agrees(&clauses)?;
                let [shared, parts @ ..] = clauses;
                let mut theory = self.theory.clone();
                theory.remove(j);
                theory[i] = shared;
                theory.extend(parts);
                if agrees && self.explains_as_much(&theory, read)? {
                    rewritten = Some(theory);
                    break;
                }
            }
            let Some(theory) = rewritten else {
                return Ok(());
            };
            (self.theory, self.symbols) = (theory, table);
        }
    }

    /// Whether a theory explains all examples that the present one explains.
    fn explains_as_much(&mut self, theory: &[Clause], read: &[Atom]) -> Result<bool, LearnError> {
        let present = self.theory.clone();
        for example in read {
            if !self.is_explained(theory, example)? && self.is_explained(&present, example)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Truncation {
    /// The saturated clause of an example without function symbols and constants, but those that modes
    /// ask for.
    fn new(example: &Atom, saturation: Saturation, session: &Session<'_, '_>) -> Self {
        let Saturation { atoms, uses, .. } = saturation;
        let body = atoms.into_iter().map(Literal::positive).collect();
        let ground = Clause::new(example.clone(), body);
        let head = &session.problem.task().bias.head;
        let stays = |literal: usize, place: usize| match literal.checked_sub(1) {
            None => (head.arguments.get(place))
                .is_some_and(|argument| argument.direction == Direction::Constant),
            Some(literal) => uses[literal].constants.contains(&place),
        };
        let mut flattening = Flattening::new(session.symbols.clone());
        let flat = flattening.flatten_but(&ground, stays);
        Self {
            kept: vec![true; flat.body.len()],
            flattening,
            flat,
            uses,
        }
    }

    /// The clause restricted to these literals, with its function symbols.
    fn clause(&self, kept: &[bool]) -> Clause {
        let literals = self.flat.body.iter().zip(kept);
        let body = literals.filter(|(_, kept)| **kept);
        let body = body.map(|(literal, _)| literal.clone()).collect();
        let flat = Clause::new(self.flat.head.clone(), body);
        self.flattening.unflatten(&flat)
    }

    /// Takes away the literals of the saturation that nothing connects with the head any more.
    fn disconnect(&self, kept: &mut [bool]) {
        let mut bound: Vec<Var> = Vec::new();
        self.flat.head.for_each_var(&mut |var| bound.push(var));
        let body = &self.flat.body;
        let n = self.uses.len();
        let known = |bound: &[Var], term: &Term| match term {
            Term::Var(var) => bound.contains(var),
            _ => true,
        };
        let mut reached = vec![false; n];
        loop {
            let n_before = bound.len();
            // A term has its parts, and parts with what else they need make a term.
            for literal in body[n..]
                .iter()
                .zip(&kept[n..])
                .filter(|(_, kept)| **kept)
                .map(|(l, _)| l)
            {
                let Some((last, parts)) = literal.atom.args.split_last() else {
                    continue;
                };
                if known(&bound, last) || parts.iter().all(|part| known(&bound, part)) {
                    literal.atom.for_each_var(&mut |var| {
                        if !bound.contains(&var) {
                            bound.push(var);
                        }
                    });
                }
            }
            for place in (0..n).filter(|place| kept[*place]) {
                let (args, own) = (&body[place].atom.args, &self.uses[place]);
                let is_joined = if own.inputs.is_empty() {
                    args.is_empty() || args.iter().any(|arg| known(&bound, arg))
                } else {
                    own.inputs.iter().all(|input| known(&bound, &args[*input]))
                };
                if is_joined {
                    reached[place] = true;
                    body[place].atom.for_each_var(&mut |var| {
                        if !bound.contains(&var) {
                            bound.push(var);
                        }
                    });
                }
            }
            if bound.len() == n_before {
                break;
            }
        }
        for place in 0..n {
            kept[place] &= reached[place];
        }
    }

    /// The literals in the order in which they are tried: definitions of variables, smallest first, because a
    /// fact is introduced by its constants; literals that introduced others; the rest, last first.
    fn order(&self) -> Vec<usize> {
        let n = self.uses.len();
        let is_compound = |place: &usize| {
            let function = self.flattening.function(&self.flat.body[*place]);
            function.is_some_and(|(term, _)| matches!(term, Term::Compound(..)))
        };
        let (terms, constants): (Vec<usize>, Vec<usize>) =
            (n..self.flat.body.len()).partition(is_compound);
        let (introducing, others): (Vec<usize>, Vec<usize>) =
            (0..n).partition(|place| self.uses[*place].introduces);
        let inner_first = terms.into_iter().rev();
        let groups = constants.into_iter().chain(inner_first).chain(introducing);
        groups.chain(others.into_iter().rev()).collect()
    }
}

#[cfg(test)]
mod tests;
