//! What all parts of the search share: its limits, its rules and the best theory so far.

use kibitz_prolog::{BitSet, Clause};
use rustc_hash::FxHashSet;

use super::cover::Member;
use super::language::{Language, MAX_VARS};
use super::params::Lff;
use super::results::{CompleteTheory, Invention, SearchEnd};
use super::tester::Tester;
use crate::eval::{Key, Lit};
use crate::learn::{Progress, Stop};
use crate::problem::Problem;
use crate::task::Task;

/// Most body literals of a clause that ends recursive calls, and of one that covers no example.
pub(super) const MAX_BASE: usize = 3;
pub(super) const MAX_SHORT_BASE: usize = 2;

/// The memory of a body with its key: of its own, and of each argument of its widest literal.
const BYTES_OF_BODY: usize = 512;
const BYTES_OF_ARGUMENT: usize = 32;

/// A clause that covers no negative example, or as many as the files allow.
#[derive(Clone)]
pub(super) struct Rule {
    pub(super) clause: Clause,
    pub(super) lits: Vec<Lit>,
    pub(super) positive: BitSet,
    pub(super) negative: BitSet,
    pub(super) n_singletons: usize,
}

impl Member for Rule {
    fn positive(&self) -> &BitSet {
        &self.positive
    }

    /// Each negative example that it covers is an exception that would have to be named.
    fn size(&self) -> usize {
        self.clause.len() + self.negative.count_ones(..)
    }

    fn n_singletons(&self) -> usize {
        self.n_singletons
    }
}

pub(super) struct Search<'a> {
    pub(super) task: &'a Task,
    pub(super) language: Language<'a>,
    pub(super) tester: Tester<'a>,
    pub(super) max_body: usize,
    pub(super) max_vars: usize,
    /// Most literals that are looked at to grow one body.
    pub(super) max_grown: usize,
    /// What was invented last.
    pub(super) invented: Option<Invention>,
    pub(super) progress: &'a mut (dyn Progress + Send),
    pub(super) seen: FxHashSet<Key>,
    pub(super) rules: Vec<Rule>,
    /// Clauses that are right more often than wrong, where examples may be wrong.
    pub(super) useful: Vec<Rule>,
    pub(super) best: Option<CompleteTheory>,
    /// The steps after which the search for a smaller theory is given up.
    pub(super) patience: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        params: &Lff,
        progress: &'a mut (dyn Progress + Send),
    ) -> Self {
        let task = problem.task();
        let max_vars = task.target.arity + params.max_new_vars;
        let max_vars = task.bias.max_vars.unwrap_or(max_vars).min(MAX_VARS);
        let examples = [&task.positive[..], &task.negative[..]];
        let arities = task.bias.body.iter().map(|mode| mode.predicate.arity);
        let widest = arities.max().unwrap_or(0);
        Self {
            task,
            language: Language::new(task, &task.symbols, &task.bias, max_vars),
            tester: Tester::new(
                problem.database(),
                params.limits,
                params.max_steps,
                examples,
            ),
            max_body: task.bias.max_body.unwrap_or(params.max_body),
            max_vars,
            max_grown: params.limits.memory / (BYTES_OF_BODY + widest * BYTES_OF_ARGUMENT),
            invented: None,
            progress,
            seen: FxHashSet::default(),
            rules: Vec::new(),
            useful: Vec::new(),
            best: None,
            patience: u64::MAX,
        }
    }

    pub(super) fn max_clauses(&self) -> usize {
        self.task.bias.max_clauses.unwrap_or(usize::MAX)
    }

    /// Ends the search where a limit is met.
    pub(super) fn look_at_limits(&mut self) -> Result<(), SearchEnd> {
        if !self.progress.keep_going() {
            return Err(SearchEnd::Stop(Stop::Interrupted));
        }
        if self.tester.steps >= self.tester.max_steps.min(self.patience) {
            return Err(SearchEnd::Stop(Stop::OutOfSteps));
        }
        Ok(())
    }

    /// Ends the search where literals were left out.
    pub(super) fn look_at_growth(is_cut: bool) -> Result<(), SearchEnd> {
        if is_cut {
            return Err(SearchEnd::Stop(Stop::OutOfMemory));
        }
        Ok(())
    }

    /// Whether a theory that might be recursive does no more than list the examples.
    fn is_list(&self, found: &CompleteTheory) -> bool {
        let n = self.task.positive.len();
        self.task.bias.recursion && n > 1 && found.clauses.len() >= n
    }

    /// Whether nothing longer need be looked for.
    pub(super) fn is_settled(&self, found: &CompleteTheory) -> bool {
        !found.is_cut_short && !self.is_list(found)
    }

    /// Takes a theory if it is smaller than the best, or the first whose proofs end.
    pub(super) fn take(&mut self, found: CompleteTheory) {
        let rank = |found: &CompleteTheory| (found.is_cut_short, self.is_list(found), found.size);
        if self
            .best
            .as_ref()
            .is_none_or(|best| rank(&found) < rank(best))
        {
            if self.is_settled(&found) && self.patience == u64::MAX {
                self.patience = self.tester.steps.saturating_mul(2);
            }
            self.best = Some(found);
        }
    }
}
