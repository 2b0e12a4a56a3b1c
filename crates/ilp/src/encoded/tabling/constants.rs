//! The constants that predicates are asked about.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use kibitz_prolog::{Direction, Mode, Symbol, Term};
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::MAX_TABLED;
use super::parts::add_parts;
use super::way::CallStyle;
use crate::task::Task;

/// Most arguments of all calls of a way.
const MAX_TABLED_TERMS: usize = 4_000_000;
/// Most constants of a type with those that were calculated.
const MAX_CALCULATED: usize = 120;

type Terms = IndexSet<Term, FxBuildHasher>;

/// The constants of a task by type, and those among answers.
pub(super) struct ConstantPool<'a> {
    task: &'a Task,
    /// Constants of a type that are asked about; all if it is `None`.
    sample: Option<usize>,
    /// Constants by type.
    known: BTreeMap<Symbol, Terms>,
    /// Constants that were calculated and not asked about.
    calculated: BTreeMap<Symbol, Terms>,
    /// Proper subterms of the constants.
    parts: FxHashSet<Term>,
}

impl<'a> ConstantPool<'a> {
    pub(super) fn new(task: &'a Task, sample: Option<usize>) -> Self {
        Self {
            task,
            sample,
            known: BTreeMap::new(),
            calculated: BTreeMap::new(),
            parts: FxHashSet::default(),
        }
    }

    /// Whether not all constants are asked about.
    pub(super) fn is_sample(&self) -> bool {
        self.sample.is_some()
    }

    /// Notes a constant of an answer; whether it is to be asked about at once.
    pub(super) fn add_answer(
        &mut self,
        kind: Symbol,
        term: &Term,
        is_calculated: impl FnOnce() -> bool,
    ) -> bool {
        if self.is_sample() {
            return false;
        }
        if self.parts.contains(term) {
            return self.of_type(kind).insert(term.clone());
        }
        if is_calculated() && !self.of_type(kind).contains(term) {
            let calculated = self.calculated.entry(kind).or_default();
            calculated.insert(term.clone());
        }
        false
    }

    /// Asks about calculated constants from now on; whether there are any.
    pub(super) fn take_calculated(&mut self) -> bool {
        let mut any = false;
        for (kind, terms) in std::mem::take(&mut self.calculated) {
            let known = self.known.entry(kind).or_default();
            if known.len() + terms.len() <= MAX_CALCULATED {
                any |= !terms.is_empty();
                known.extend(terms);
            }
        }
        any
    }

    /// Those of a type.
    fn of_type(&mut self, kind: Symbol) -> &mut Terms {
        let (task, parts) = (self.task, &mut self.parts);
        self.known.entry(kind).or_insert_with(|| {
            let constants = task.constants_of(kind);
            for term in &constants {
                add_parts(term, parts);
            }
            constants.into_iter().collect()
        })
    }

    /// The calls of a way: inputs are known constants of their types, outputs are variables. `None` if
    /// there are too many.
    pub(super) fn calls(
        &mut self,
        mode: &Mode,
        directions: &[Direction],
        asking: CallStyle,
    ) -> Option<Vec<Vec<Term>>> {
        let mut calls: Vec<Vec<Term>> = vec![Vec::new()];
        let mut outputs = 0;
        let sample = self.sample.unwrap_or(usize::MAX);
        for (argument, direction) in mode.arguments.iter().zip(directions) {
            let is_bound = match direction {
                Direction::In => true,
                Direction::Out => false,
                Direction::Constant => asking.has_constants(),
            };
            let values: Vec<Term> = if is_bound {
                self.of_type(argument.kind)
                    .iter()
                    .take(sample)
                    .cloned()
                    .collect()
            } else {
                self.of_type(argument.kind);
                outputs += 1;
                vec![Term::var(outputs - 1)]
            };
            let n_calls = calls.len().saturating_mul(values.len().max(1));
            let n_terms = n_calls.saturating_mul(mode.arguments.len());
            if n_calls > MAX_TABLED || n_terms > MAX_TABLED_TERMS {
                return None;
            }
            calls = calls
                .iter()
                .flat_map(|call| {
                    values
                        .iter()
                        .map(move |value| call.iter().chain([value]).cloned().collect())
                })
                .collect();
        }
        Some(calls)
    }
}
