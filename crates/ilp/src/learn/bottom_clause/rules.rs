//! Compiled rules, tested on one atom after the other.

use kibitz_prolog::{Atom, Clause, Database, Limits, ProverError};
use thiserror::Error;

use crate::encoded::Language;
use crate::eval::{MAX_LITERALS, Memo, Pattern, PatternMatcher, Plan};
use crate::task::Bias;

/// Compiled clauses of one target.
///
/// They cover the same atoms as for the prover, but answers of the background are remembered from
/// clause to clause and atom to atom, and literals are asked in an order that takes few steps.
#[derive(Debug)]
pub struct Rules<'d> {
    db: &'d Database,
    language: Language,
    plans: Vec<Plan>,
    limits: Limits,
}

/// Answers of the background about the terms of earlier atoms.
#[derive(Debug, Default)]
pub struct AnswerCache(Memo);

impl AnswerCache {
    /// Forgets all answers, to begin with other terms.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// A clause that cannot be used by its modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "clause {0} (counted from zero) does not fit the modes: its head is another predicate, some input \
     is not provided by any literal, or it has more than {MAX_LITERALS} literals"
)]
pub struct NoMode(pub usize);

impl<'d> Rules<'d> {
    /// Clauses for the target of a bias, with its body modes.
    ///
    /// # Errors
    /// [`NoMode`] for a clause whose literals cannot be put in an order in which inputs are known.
    pub fn new(
        db: &'d Database,
        bias: &Bias,
        clauses: &[Clause],
        limits: Limits,
    ) -> Result<Self, NoMode> {
        let language = Language::new(bias);
        let plan = |(number, clause): (usize, &Clause)| {
            let fits = clause.body.len() <= MAX_LITERALS;
            let found = fits
                .then(|| Pattern::of_clause(&language, clause))
                .flatten();
            let (pattern, constants) = found.ok_or(NoMode(number))?;
            Ok(Plan::new(&language, &pattern, &constants))
        };
        let plans = clauses
            .iter()
            .enumerate()
            .map(plan)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            db,
            language,
            plans,
            limits,
        })
    }

    /// How many clauses there are.
    pub fn len(&self) -> usize {
        self.plans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }

    /// An evaluator of the clauses.
    pub fn evaluator(&self) -> RuleEvaluator<'_> {
        RuleEvaluator {
            rules: self,
            matcher: PatternMatcher::new(&self.language, self.db, self.limits),
        }
    }
}

/// Evaluates [`Rules`], one atom at a time.
#[derive(Debug)]
pub struct RuleEvaluator<'r> {
    rules: &'r Rules<'r>,
    matcher: PatternMatcher<'r>,
}

impl RuleEvaluator<'_> {
    /// Whether a clause, by its number, covers a ground atom. There is none beyond the last.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn covers(
        &mut self,
        rule: usize,
        answers: &mut AnswerCache,
        atom: &Atom,
    ) -> Result<bool, ProverError> {
        let memo = &mut answers.0;
        match self.rules.plans.get(rule) {
            Some(plan) if atom.predicate() == self.rules.language.target => {
                let args: Vec<u32> = atom.args.iter().map(|term| memo.number(term)).collect();
                self.matcher.covers(plan, memo, &args)
            }
            _ => Ok(false),
        }
    }
}
