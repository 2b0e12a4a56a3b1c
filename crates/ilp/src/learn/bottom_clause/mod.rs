//! Bottom-clause search: the part that Mio and Progol share.
//!
//! A clause that is to cover an example by inverse entailment is part of the example's bottom clause,
//! the saturation of the example within bounds. Variants are evaluated once, however many ways there
//! are to find them in the bottom clause; clauses are extended by the literals found there. They are
//! matched against remembered answers of the background, as are [`Rules`], the clauses of a theory.
//!
//! # Source
//! Muggleton 1995, Inverse entailment and Progol.

mod bottom;
mod coverage_cache;
mod example;
mod examples;
mod merge_cache;
mod refine;
mod rules;
mod search;
mod session;

use kibitz_prolog::{
    Atom, Clause, Direction, Limits, Mode, Predicate, ProverError, Symbol, Term, Var,
};

use super::{LearnError, Progress, Reach};
use crate::encoded::{Kind, Language, TablingError, number, ways_to_call};
use crate::eval::{MAX_LITERALS, PatternMatcher};
use crate::problem::Problem;
use crate::task::{ConstantSet, Task};
pub(super) use bottom::Bottom;
pub use rules::{AnswerCache, NoMode, RuleEvaluator, Rules};
use rustc_hash::FxHashSet;
pub(super) use search::{ClauseCoverage, Search, compression};
pub(super) use session::{ChosenClause, Covering, Find, Session};

/// The bottom clause of a ground atom of the task's target, and whether the bounds cut it short.
///
/// # Errors
/// [`ProverError`] for background that cannot be carried out.
pub fn bottom_clause(
    problem: &Problem<'_>,
    bounds: &Bounds,
    atom: &Atom,
) -> Result<(Clause, bool), ProverError> {
    let language = Language::new(&problem.task().bias);
    let own = saturated(&language, problem, bounds, atom, &[])?;
    Ok((own.clause.normalized(), own.gaps.is_truncated))
}

/// What a bottom clause may lack.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gaps {
    /// There are more literals than the bounds allow.
    pub(crate) is_truncated: bool,
    /// Some goal may have more answers than were found.
    pub(crate) is_incomplete: bool,
    /// There are literals further from the head than the bounds allow.
    pub(crate) is_shallow: bool,
}

/// A bottom clause with what its variables stand for.
#[derive(Clone, Debug)]
pub(crate) struct Saturated {
    pub(crate) clause: Clause,
    /// The value and the type of each variable.
    pub(crate) variables: Vec<(Term, Symbol)>,
    pub(crate) gaps: Gaps,
}

/// The bottom clause in a language, with what its variables stand for. The named constants may be one literal
/// further from the head than the bounds allow.
pub(crate) fn saturated(
    language: &Language,
    problem: &Problem<'_>,
    bounds: &Bounds,
    atom: &Atom,
    named: &[ConstantSet],
) -> Result<Saturated, ProverError> {
    let mut matcher = PatternMatcher::new(language, problem.database(), bounds.limits);
    let example = example::Example::new(atom.clone());
    let known = &mut *example.known();
    let named = named.iter().flat_map(|set| {
        let kind = language.kinds.iter().position(|own| *own == set.kind);
        let constants = set.constants.iter();
        constants.filter_map(move |own| Some((number(kind?), own)))
    });
    let named = named.map(|(kind, own)| (kind, known.memo.number(own)));
    let named: FxHashSet<(Kind, u32)> = named.collect();
    let bottom = Bottom::with_named(&mut matcher, known, bounds, &named)?;
    let variables = bottom.values.iter().zip(&bottom.pattern.vars);
    let variables = variables.map(|(value, variable)| {
        let kind = language.kinds[variable.kind as usize];
        (known.memo.term(*value).clone(), kind)
    });
    Ok(Saturated {
        clause: bottom.pattern.decoded(language, &bottom.constants),
        variables: variables.collect(),
        gaps: Gaps {
            is_truncated: bottom.is_truncated,
            is_incomplete: matcher.is_incomplete(),
            is_shallow: bottom.is_shallow,
        },
    })
}

/// The saturation of a ground atom: the facts that its bottom clause is made of.
///
/// # Errors
/// [`ProverError`] for background that cannot be carried out.
pub fn saturation(
    problem: &Problem<'_>,
    bounds: &Bounds,
    atom: &Atom,
) -> Result<Vec<Atom>, ProverError> {
    let language = Language::new(&problem.task().bias);
    let Saturated {
        clause, variables, ..
    } = saturated(&language, problem, bounds, atom, &[])?;
    let mut value = |var: Var| variables[var.index()].0.clone();
    let facts = clause.body.iter();
    let facts = facts.map(|literal| literal.atom.map_vars(&mut value));
    let distinct: indexmap::IndexSet<Atom, rustc_hash::FxBuildHasher> = facts.collect();
    Ok(distinct.into_iter().collect())
}

/// The modes of a task in which its predicates can be called: where a mode's outputs must be bound for
/// a predicate given by rules to be asked, they are inputs, and predicates that cannot be asked are
/// left out. Where no direction is declared, each place in turn is an input: literals are joined to
/// what a clause has. Declared constants whose variables would join nothing are asked for, too. `None`
/// if the search is to end.
///
/// # Errors
/// [`LearnError`] for background that cannot be carried out.
pub fn callable_modes(
    problem: &Problem<'_>,
    limits: Limits,
    progress: &mut dyn Progress,
) -> Result<Option<Vec<Mode>>, LearnError> {
    let (task, db) = (problem.task(), problem.database());
    let body = &task.bias.body;
    let mut predicates: Vec<Predicate> = body.iter().map(|mode| mode.predicate).collect();
    predicates.retain(|&own| own != task.target && !db.is_extensional(own) && !db.is_native(own));
    predicates.dedup();
    if predicates.is_empty() {
        let modes = joined(task, body.clone());
        return Ok(Some(task.modes_with_constants(modes)));
    }
    let tabled = ways_to_call(task, db, &predicates, limits, &mut |_| {
        progress.keep_going()
    });
    let tabled = match tabled {
        Err(TablingError::Interrupted(_)) => return Ok(None),
        tabled => tabled?,
    };
    tabled
        .remarks
        .iter()
        .for_each(|remark| progress.remark(remark));
    let mut modes = Vec::with_capacity(body.len());
    for (at, mode) in body.iter().enumerate() {
        if !predicates.contains(&mode.predicate) {
            modes.push(mode.clone());
            continue;
        }
        for way in tabled
            .ways
            .iter()
            .filter(|way| way.mode == at && way.is_usable())
        {
            let mut mode = mode.clone();
            for (argument, direction) in mode.arguments.iter_mut().zip(&way.directions) {
                argument.direction = *direction;
            }
            modes.push(mode);
        }
    }
    Ok(Some(task.modes_with_constants(joined(task, modes))))
}

/// Modes with an input each, where none is declared with one: a mode for each place. Comparisons with
/// thresholds have inputs, but nobody declared them.
fn joined(task: &Task, modes: Vec<Mode>) -> Vec<Mode> {
    let has_input = |mode: &Mode| mode.places(Direction::In).next().is_some();
    let is_threshold = |mode: &Mode| {
        let shown = task.shown(mode.predicate);
        shown != mode.predicate && matches!(task.symbols.name(shown.name), "=<" | ">=")
    };
    let mut declared = task.bias.body.iter().filter(|mode| !is_threshold(mode));
    if declared.any(has_input) {
        return modes;
    }
    let mut joined = Vec::with_capacity(modes.len());
    for mode in modes {
        let outputs: Vec<usize> = mode.places(Direction::Out).collect();
        if outputs.is_empty() || has_input(&mode) {
            joined.push(mode);
            continue;
        }
        for place in outputs {
            let mut own = mode.clone();
            own.arguments[place].direction = Direction::In;
            joined.push(own);
        }
    }
    joined
}

/// Bounds on the clauses that a search evaluates, and on those it may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Bounds {
    /// Most body literals of a clause, unless the bias says; 63 at most.
    pub max_literals: usize,
    /// i: variables may be this many literals away from the head.
    pub max_depth: u16,
    /// Most literals of a bottom clause; further ones are left out.
    pub max_bottom: usize,
    /// Most clauses evaluated in one search.
    pub max_clauses: usize,
    /// Negative examples that a clause may cover.
    pub max_false_positives: usize,
    /// Positive examples, not covered before, that a clause must cover.
    pub min_positives: usize,
    /// Bounds on each goal of the background, and on the answers looked at for one example.
    pub limits: Limits,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_literals: 4,
            max_depth: 3,
            max_bottom: 1_000,
            max_clauses: 4_000,
            max_false_positives: 0,
            min_positives: 2,
            limits: Limits::default(),
        }
    }
}

impl Bounds {
    /// The clauses within these bounds and those of a task.
    pub(super) fn reach(self, task: &Task) -> Reach {
        let own = self.checked(task).unwrap_or(self);
        Reach {
            max_body: Some(own.max_literals),
            max_vars: task.bias.max_vars,
            max_depth: Some(own.max_depth.into()),
            min_positives: Some(own.min_positives),
            max_tuples: None,
            max_clauses: Some(own.max_clauses),
            equates_constants: false,
        }
    }

    /// The bounds, with those of the bias and of the files instead of their own.
    pub(super) fn checked(mut self, task: &Task) -> Result<Self, LearnError> {
        if let Some(max_body) = task.bias.max_body {
            self.max_literals = max_body.min(MAX_LITERALS);
        }
        let search = &task.search;
        self.max_depth = search.depth_or(self.max_depth, u16::MAX - 1);
        self.max_false_positives = search.false_positives_or(self.max_false_positives);
        self.min_positives = search.min_positives.unwrap_or(self.min_positives).max(1);
        self.max_clauses = search.max_nodes.unwrap_or(self.max_clauses);
        let wrong = |parameter, expected| {
            Err(LearnError::Parameter {
                parameter,
                expected,
            })
        };
        if !(1..=MAX_LITERALS).contains(&self.max_literals) {
            wrong("max-literals", "from 1 to 63")
        } else if self.max_clauses == 0 {
            wrong("max-clauses", "at least 1")
        } else if self.min_positives == 0 {
            wrong("min-positives", "at least 1")
        } else if self.max_bottom >= usize::from(u16::MAX) {
            wrong("max-bottom", "below 65535")
        } else {
            Ok(self)
        }
    }
}

#[cfg(test)]
mod tests;
