//! MIS, the Model Inference System: an incremental learner that specializes a theory that implies a false
//! fact and generalizes one that does not imply a true fact.
//!
//! Contradiction backtracing traces a false conclusion along its proof to a false clause: one whose
//! conditions hold while its head does not. That clause is refuted for good. A true fact that is not
//! implied is covered by a refinement of refuted clauses, found by breadth-first search.
//!
//! # Source
//! Shapiro 1981; Morales 1992, section 4.5.1.1, Table 4.2.

mod refinement;

use std::collections::VecDeque;

use kibitz_ilp::learn::bottom_clause::callable_modes;
use kibitz_ilp::learn::{Hypothesis, LearnError, Learner, Progress, Reach, Stop};
use kibitz_ilp::{Problem, Task};
use kibitz_prolog::{Atom, BitSet, Clause, Evaluator, Limits, Literal, Prover};
use rustc_hash::FxHashSet;

use self::refinement::{Operator, RefinedClause};

/// MIS with its parameters.
///
/// It reads positive and negative examples in turn. The background is taken to be right.
pub struct Mis<'o> {
    /// Answers whether consequences of a theory are true.
    pub oracle: Box<dyn Oracle + 'o>,
    /// Maximum number of conditions of a clause, unless the bias says.
    pub max_body: usize,
    /// Maximum number of clauses tested to cover one example; the example is left uncovered then.
    pub max_nodes: usize,
    /// Maximum number of clauses tested.
    pub max_steps: u64,
    /// Bounds on a proof; those of the search are [`STEPS`] and [`DEPTH`] at most.
    pub limits: Limits,
}

/// Bounds on a proof during the search: what cannot be proved within them does not follow.
pub const STEPS: u64 = 10_000;
/// See [`STEPS`].
pub const DEPTH: u32 = 500;

/// The ground oracle of contradiction backtracing.
pub trait Oracle {
    /// Whether a ground atom of the target is true; `None` if unknown. By default the label of the example
    /// in the problem.
    ///
    /// # Errors
    /// [`LearnError`] if the query fails.
    fn is_true(&self, atom: &Atom, problem: &Problem<'_>) -> Result<Option<bool>, LearnError> {
        let task = problem.task();
        if task.negative.contains(atom) {
            return Ok(Some(false));
        }
        Ok(task.positive.contains(atom).then_some(true))
    }
}

/// An oracle that knows only the examples of the problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExampleOracle;

impl Oracle for ExampleOracle {}

impl Default for Mis<'_> {
    fn default() -> Self {
        Self {
            oracle: Box::new(ExampleOracle),
            max_body: 4,
            max_nodes: 10_000,
            max_steps: 1_000_000,
            limits: Limits::default(),
        }
    }
}

impl std::fmt::Debug for Mis<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mis")
            .field("max_body", &self.max_body)
            .field("max_nodes", &self.max_nodes)
            .field("max_steps", &self.max_steps)
            .finish_non_exhaustive()
    }
}

impl Learner for Mis<'_> {
    fn name(&self) -> &'static str {
        "mis"
    }

    /// Needs positive and negative examples.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let task = problem.task();
        LearnError::without_examples(task)?;
        let Some(modes) = callable_modes(problem, self.limits, progress)? else {
            return Ok(Hypothesis::interrupted());
        };
        let max_body = task.bias.max_body.unwrap_or(self.max_body);
        let operator = Operator::new(problem, modes, max_body);
        let limits = Limits {
            steps: self.limits.steps.min(STEPS),
            depth: self.limits.depth.min(DEPTH),
            ..self.limits
        };
        let root = operator.root().clause;
        let mut inference = Inference {
            mis: self,
            problem,
            theory: Vec::from_iter(operator.is_whole(&root).then_some(root)),
            operator,
            prover: Prover::new(problem.database(), limits),
            progress,
            refuted: FxHashSet::default(),
            read: [0, 0],
            agrees: [0, 0],
            steps: 0,
            stop: None,
        };
        inference.read_all()?;
        let Inference {
            theory,
            steps,
            stop,
            progress,
            ..
        } = inference;
        let (positive, negative) = (&task.positive[..], &task.negative[..]);
        let mut evaluator = Evaluator::new(problem.database(), self.limits, positive, negative);
        let mut covered = BitSet::with_capacity(positive.len());
        for (clause, coverage) in theory.iter().zip(evaluator.theory(&theory)?) {
            let [tp, _, _, fp] = coverage.confusion();
            progress.clause(clause, &task.symbols, tp, fp);
            covered.union_with(&coverage.positive);
        }
        let end = if covered.count_ones(..) == positive.len() {
            Stop::Complete
        } else {
            Stop::NoMoreClauses
        };
        Ok(Hypothesis::new(theory, stop.unwrap_or(end), steps))
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn reach(&self, task: &Task) -> Reach {
        let own = Reach::of_bias(task);
        Reach {
            max_body: own.max_body.or(Some(self.max_body)),
            min_positives: None,
            ..own
        }
    }
}

struct Inference<'m, 'p> {
    mis: &'m Mis<'m>,
    problem: &'p Problem<'p>,
    operator: Operator<'p>,
    prover: Prover<'p>,
    progress: &'m mut (dyn Progress + Send),
    theory: Vec<Clause>,
    /// Clauses that imply something false.
    refuted: FxHashSet<Clause>,
    /// Positive and negative examples that have been read.
    read: [usize; 2],
    /// Those of them, from the first, that the theory is known to agree with.
    agrees: [usize; 2],
    steps: u64,
    /// Why it ended, once it has.
    stop: Option<Stop>,
}

impl Inference<'_, '_> {
    /// Reads the facts one by one; the theory agrees with all that have been read before the next.
    fn read_all(&mut self) -> Result<(), LearnError> {
        let task = self.problem.task();
        let n = [task.positive.len(), task.negative.len()];
        // Positive examples that no clause was found for.
        let mut given_up: FxHashSet<usize> = FxHashSet::default();
        while self.read != n {
            // In turn, as far as there are.
            let side = usize::from(self.read[0] == n[0] || self.read[1] < self.read[0].min(n[1]));
            self.read[side] += 1;
            loop {
                self.refute()?;
                let Some(example) = self.uncovered(&given_up)? else {
                    break;
                };
                match self.cover(&task.positive[example])? {
                    Some(theory) => (self.theory, self.agrees) = (theory, [0, 0]),
                    None if self.is_over() => return Ok(()),
                    None => {
                        given_up.insert(example);
                    }
                }
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        matches!(self.stop, Some(Stop::OutOfSteps | Stop::Interrupted))
    }

    fn is_call(&self, literal: &Literal) -> bool {
        literal.atom.predicate() == self.problem.task().target
    }

    fn calls_itself(&self, clause: &Clause) -> bool {
        clause.body.iter().any(|literal| self.is_call(literal))
    }

    /// While the theory is too strong: throws out the clauses that are to blame.
    fn refute(&mut self) -> Result<(), LearnError> {
        let mut theory = std::mem::take(&mut self.theory);
        while let Some(culprit) = self.culprit(&theory, 0, self.agrees[1])? {
            self.refuted.insert(theory.remove(culprit));
            self.agrees = [0, 0];
        }
        self.theory = theory;
        self.agrees[1] = self.read[1];
        Ok(())
    }

    /// The clause to blame for a negative example that was read and that a theory implies; or the newest
    /// clause that calls the target, if a proof does not end within the bounds. Examples before the
    /// `agrees`-th agree with the theory, and clauses before the `new`-th do with all, unless clauses call
    /// each other.
    fn culprit(
        &mut self,
        theory: &[Clause],
        new: usize,
        agrees: usize,
    ) -> Result<Option<usize>, LearnError> {
        let caller = theory.iter().rposition(|clause| self.calls_itself(clause));
        let new = if caller.is_some() { 0 } else { new };
        let negative = &self.problem.task().negative[agrees..self.read[1]];
        let prepared = self.prover.prepare(theory)?;
        self.prover.load(&prepared);
        for example in negative {
            for clause in new..theory.len() {
                let proof = self.prover.covers(&prepared, clause, example)?;
                if proof.is_proved() {
                    return self.backtrace(theory, clause, example).map(Some);
                }
                if proof.is_cut_short() && caller.is_some() {
                    return Ok(caller);
                }
            }
        }
        Ok(None)
    }

    /// Contradiction backtracing: the false clause by which a theory proves a false atom, of which one
    /// clause covers it.
    ///
    /// Unknown atoms are taken as true, so that a clause is blamed only for its own conclusion.
    fn backtrace(
        &mut self,
        theory: &[Clause],
        mut clause: usize,
        atom: &Atom,
    ) -> Result<usize, LearnError> {
        let mut atom = atom.clone();
        // A proof has an end, but the proof of a condition on its own may be another one.
        for _ in 0..self.prover.limits().depth {
            let Some(values) = self.prover.witness(theory, clause, &atom)? else {
                break;
            };
            let mut blamed = None;
            for literal in &theory[clause].body {
                if !literal.positive || !self.is_call(literal) {
                    continue;
                }
                let condition = (literal.atom).map_vars(&mut |var| values[var.index()].clone());
                let is_false = condition.is_ground()
                    && self.mis.oracle.is_true(&condition, self.problem)? == Some(false);
                if is_false && let Some(by) = self.covering(theory, &condition)? {
                    blamed = Some((by, condition));
                    break;
                }
            }
            match blamed {
                Some((by, condition)) => (clause, atom) = (by, condition),
                None => break,
            }
        }
        Ok(clause)
    }

    /// The first clause of a theory that covers an atom.
    fn covering(&mut self, theory: &[Clause], atom: &Atom) -> Result<Option<usize>, LearnError> {
        let prepared = self.prover.prepare(theory)?;
        self.prover.load(&prepared);
        for clause in 0..theory.len() {
            if self.prover.covers(&prepared, clause, atom)?.is_proved() {
                return Ok(Some(clause));
            }
        }
        Ok(None)
    }

    /// The first positive example that was read and that the theory does not imply.
    fn uncovered(&mut self, given_up: &FxHashSet<usize>) -> Result<Option<usize>, LearnError> {
        let prepared = self.prover.prepare(&self.theory)?;
        self.prover.load(&prepared);
        let positive = &self.problem.task().positive[..self.read[0]];
        for (i, example) in positive.iter().enumerate().skip(self.agrees[0]) {
            let mut is_covered = given_up.contains(&i);
            for clause in 0..self.theory.len() {
                is_covered =
                    is_covered || self.prover.covers(&prepared, clause, example)?.is_proved();
            }
            if !is_covered {
                return Ok(Some(i));
            }
            self.agrees[0] = i + 1;
        }
        Ok(None)
    }

    /// The theory is too weak: adds a refinement of a refuted clause that covers the example.
    fn cover(&mut self, example: &Atom) -> Result<Option<Vec<Clause>>, LearnError> {
        let task = self.problem.task();
        if task
            .bias
            .max_clauses
            .is_some_and(|max| self.theory.len() >= max)
        {
            self.stop = Some(Stop::ClauseLimit);
            return Ok(None);
        }
        let mut open: VecDeque<RefinedClause> = VecDeque::new();
        let mut seen: FxHashSet<Clause> = FxHashSet::default();
        let mut n_looked_at = 0;
        let mut longer = vec![self.operator.root()];
        loop {
            for node in longer {
                if n_looked_at >= self.mis.max_nodes_of(task) {
                    return Ok(None);
                }
                if self.steps >= self.mis.max_steps {
                    self.stop = Some(Stop::OutOfSteps);
                    return Ok(None);
                }
                if !self.progress.keep_going() {
                    self.stop = Some(Stop::Interrupted);
                    return Ok(None);
                }
                if !seen.insert(node.clause.clone()) {
                    continue;
                }
                n_looked_at += 1;
                self.steps += 1;
                if self.covers(&node.clause, example)? {
                    open.push_back(node);
                }
            }
            let Some(node) = open.pop_front() else {
                return Ok(None);
            };
            if self.operator.is_whole(&node.clause)
                && !self.refuted.contains(&node.clause)
                && !self.theory.contains(&node.clause)
                && let Some(theory) = self.with(&node.clause)?
            {
                return Ok(Some(theory));
            }
            longer = self.operator.refinements(&node);
        }
    }

    /// Whether a clause covers an example, where its calls are answered by the theory and by the
    /// positive examples that have been read.
    fn covers(&mut self, clause: &Clause, example: &Atom) -> Result<bool, LearnError> {
        let mut clauses = vec![clause.clone()];
        if self.calls_itself(clause) {
            clauses.extend(self.theory.iter().cloned());
            let read = &self.problem.task().positive[..self.read[0]];
            let known = read.iter().filter(|own| *own != example);
            clauses.extend(known.cloned().map(Clause::fact));
        }
        let prepared = self.prover.prepare(&clauses)?;
        self.prover.load(&prepared);
        Ok(self.prover.covers(&prepared, 0, example)?.is_proved())
    }

    /// The theory with a clause, without the clauses that this shows to be false; `None` if the clause
    /// itself is.
    fn with(&mut self, clause: &Clause) -> Result<Option<Vec<Clause>>, LearnError> {
        let mut theory = [&self.theory[..], std::slice::from_ref(clause)].concat();
        while let Some(culprit) = self.culprit(&theory, theory.len() - 1, 0)? {
            let culprit = theory.remove(culprit);
            let is_own = culprit == *clause;
            self.refuted.insert(culprit);
            if is_own {
                return Ok(None);
            }
        }
        Ok(Some(theory))
    }
}

impl Mis<'_> {
    fn max_nodes_of(&self, task: &Task) -> usize {
        task.search.max_nodes.unwrap_or(self.max_nodes)
    }
}

#[cfg(test)]
mod tests;
