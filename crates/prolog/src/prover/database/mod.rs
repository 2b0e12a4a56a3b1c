//! What goals are proved from: facts in tables, compiled rules and native relations.

mod builder;
mod reach;
mod resolve;

use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

pub use self::builder::DatabaseBuilder;
pub(super) use self::reach::calls_any;
use super::builtin::Builtin;
use super::cell::Cell;
use super::code::{Code, Rule};
use super::compile::{Compiler, ControlNames, is_control, store_ground};
use super::facts::FactTable;
use super::names::Names;
use super::{NativeRelation, ProverError};
use crate::term::{Atom, Clause, Literal, Predicate, Substitution, Term, Var};

/// Different errors that are noted.
const MAX_FAULTS: usize = 100;

/// Facts, rules and native relations to prove goals from.
///
/// Immutable once built, so that many [`super::Prover`]s can share it.
#[derive(Debug)]
pub struct Database {
    pub(super) entries: IndexMap<Predicate, Entry, FxBuildHasher>,
    pub(super) code: Code,
    pub(super) statics: Vec<Cell>,
    pub(super) builtins: FxHashMap<Predicate, Builtin>,
    pub(super) control: ControlNames,
    /// Rules, each with the end of its goals in the code.
    rules: Vec<(usize, Clause)>,
    /// Wrappers: predicates whose only clause calls a native relation, perhaps with parts of its
    /// arguments; that clause.
    wrappers: FxHashMap<Predicate, Clause>,
    /// Where errors in goals are noted that count as failures, if they do.
    faults: Option<Mutex<Vec<ProverError>>>,
    /// Names of all symbols known when the database was built, for arithmetic.
    pub(super) names: Names,
}

/// The definition of one predicate.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) facts: FactTable,
    pub(super) rules: Vec<Rule>,
    pub(super) native: Option<Arc<dyn NativeRelation>>,
    pub(super) defined: bool,
    library: bool,
}

impl Entry {
    fn new(arity: usize) -> Self {
        Self {
            facts: FactTable::new(arity),
            rules: Vec::new(),
            native: None,
            defined: false,
            library: false,
        }
    }
}

impl Database {
    /// Whether a predicate is built in and cannot be defined again.
    #[inline]
    pub fn is_built_in(&self, predicate: Predicate) -> bool {
        self.builtins.contains_key(&predicate)
    }

    /// An empty builder.
    pub fn builder() -> DatabaseBuilder {
        DatabaseBuilder::default()
    }

    /// All predicates that have a definition, library predicates excluded.
    pub fn predicates(&self) -> Vec<Predicate> {
        let own = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.defined && !entry.library);
        own.map(|(predicate, _)| *predicate).collect()
    }

    /// Whether goals of this predicate can be answered, by the program or as a built-in.
    pub fn is_defined(&self, predicate: Predicate) -> bool {
        self.builtins.contains_key(&predicate)
            || is_control(predicate, self.control)
            || self
                .entries
                .get(&predicate)
                .is_some_and(|entry| entry.defined)
    }

    /// The errors, each once, that goals raised and that counted as failures, in no order.
    pub fn faults(&self) -> Vec<ProverError> {
        let Some(faults) = &self.faults else {
            return Vec::new();
        };
        faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whether an error counts as a failure of its goal; it is noted then.
    pub(super) fn tolerates(&self, error: &ProverError) -> bool {
        let Some(faults) = self.faults.as_ref().filter(|_| error.is_of_goal()) else {
            return false;
        };
        let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.len() < MAX_FAULTS && !faults.contains(error) {
            faults.push(error.clone());
        }
        true
    }

    /// Whether the predicate has ground facts and nothing else.
    #[inline]
    pub fn is_extensional(&self, predicate: Predicate) -> bool {
        self.entries
            .get(&predicate)
            .is_some_and(|entry| entry.defined && entry.rules.is_empty() && entry.native.is_none())
    }

    fn entry(&mut self, predicate: Predicate) -> &mut Entry {
        self.entries
            .entry(predicate)
            .or_insert_with(|| Entry::new(predicate.arity))
    }

    fn add_facts(&mut self, predicate: Predicate, rows: &[Arc<[Term]>]) {
        let entry = self
            .entries
            .entry(predicate)
            .or_insert_with(|| Entry::new(predicate.arity));
        let statics = &mut self.statics;
        for args in rows {
            entry
                .facts
                .push(args.iter().map(|arg| store_ground(arg, statics)));
        }
    }

    /// The clause of a goal's predicate if there is no other and if its goals can stand for the head:
    /// it has no cut and does not call itself.
    pub(super) fn only_clause(&self, goal: &Atom) -> Option<&Clause> {
        let predicate = goal.predicate();
        let entry = self.entries.get(&predicate)?;
        let is_only = entry.rules.len() == 1 && entry.facts.is_empty() && entry.native.is_none();
        let mut own = (self.rules.iter()).map(|(_, clause)| clause);
        let clause = own.find(|own| is_only && own.head.predicate() == predicate)?;
        let is_plain = |literal: &Literal| {
            let called = literal.atom.predicate();
            called != predicate && !is_control(called, self.control)
        };
        clause.body.iter().all(is_plain).then_some(clause)
    }

    /// Whether a clause, the only one of its predicate, only calls a native relation.
    fn is_wrapper(&self, clause: &Clause) -> bool {
        let is_native = |predicate| {
            let entry = self.entries.get(&predicate);
            entry.is_some_and(|entry| entry.native.is_some())
        };
        let mut vars: Vec<Var> = Vec::new();
        let is_open = clause.head.args.iter().all(|arg| {
            arg.all_parts(&mut |part| match part {
                Term::Var(var) if vars.contains(var) => false,
                Term::Var(var) => {
                    vars.push(*var);
                    true
                }
                Term::Const(_) => false,
                Term::Compound(..) => true,
            })
        });
        let [goal] = &clause.body[..] else {
            return false;
        };
        let mut asks = goal.positive && is_native(goal.atom.predicate());
        goal.atom
            .for_each_var(&mut |var| asks &= vars.contains(&var));
        is_open && asks && !is_native(clause.head.predicate())
    }

    /// The call of a native relation that a goal of a wrapper stands for, if the parts of its arguments
    /// are there.
    fn unwrapped(&self, goal: &Atom) -> Option<Atom> {
        let clause = self.wrappers.get(&goal.predicate())?;
        let mut theta = Substitution::new();
        let mut bind = |var, value: &Term| {
            theta.bind(var, value.clone());
            true
        };
        let mut places = clause.head.args.iter().zip(goal.args.iter());
        if !places.all(|(place, arg)| place.matches(arg, &mut bind)) {
            return None;
        }
        let bound = |var| theta.get(var).cloned().unwrap_or(Term::Var(var));
        Some(clause.body.first()?.atom.map_vars(&mut |var| bound(var)))
    }

    /// The clause that a goal of the code belongs to.
    pub(super) fn clause_of(&self, goal: usize) -> Option<&Clause> {
        let index = self.rules.partition_point(|(end, _)| *end <= goal);
        self.rules.get(index).map(|(_, clause)| clause)
    }

    fn add_rule(&mut self, predicate: Predicate, clause: &Clause) -> Result<(), ProverError> {
        let mut code = std::mem::take(&mut self.code);
        let rule = Compiler::new(&mut code, 0, self).clause(clause);
        self.code = code;
        let rule = rule?;
        if rule.body.len > 0 {
            self.rules.push((self.code.goals.len(), clause.clone()));
        }
        self.entry(predicate).rules.push(rule);
        Ok(())
    }
}
