//! Tabulation: predicates given by rules or in Rust, listed as facts.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::mode::{Direction, Mode};
use crate::prover::{Database, Limits, Proof, Prover, ProverError};
use crate::task::Task;
use crate::term::{Atom, Clause, Literal, Predicate, Symbol, Term};

/// Most answers to one call, and most calls, when predicates given by rules are listed.
const MAX_TABLED: usize = 200_000;
/// Nor are they with more arguments than this in all.
const MAX_TABLED_TERMS: usize = 4_000_000;

/// Why predicates cannot be listed.
#[derive(Debug)]
pub(crate) enum TablingError {
    /// A predicate has too many answers, or none within the bounds.
    Intensional {
        predicate: Predicate,
        reason: &'static str,
        /// The clause that a bound was met in.
        clause: Option<Box<Clause>>,
    },
    /// The answers take more than this many bytes.
    OutOfMemory(usize),
    /// It was to end.
    Interrupted,
    Prover(ProverError),
}

impl From<ProverError> for TablingError {
    fn from(error: ProverError) -> Self {
        Self::Prover(error)
    }
}

type Terms = IndexSet<Term, FxBuildHasher>;
type Tuples = IndexSet<Vec<Term>, FxBuildHasher>;

/// Lists the answers of predicates given by rules or in Rust: all of them where they can be asked
/// without inputs, otherwise those for all known constants of the input types. An answer that is part
/// of a known constant, such as the tail of a list, is asked about in turn.
pub(super) fn tabulate(
    task: &Task,
    db: &Database,
    predicates: &[Predicate],
    limits: Limits,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<IndexMap<Predicate, Tuples, FxBuildHasher>, TablingError> {
    let mut tabling = Tabling {
        task,
        prover: Prover::new(db, limits),
        bytes: 0,
        memory: limits.memory,
        known: BTreeMap::new(),
        parts: FxHashSet::default(),
        asked: IndexSet::default(),
        found: predicates.iter().map(|p| (*p, Tuples::default())).collect(),
    };
    while tabling.pass(keep_going)? {}
    Ok(tabling.found)
}

struct Tabling<'a> {
    task: &'a Task,
    prover: Prover<'a>,
    /// Bytes taken by the answers, and the most they may take.
    bytes: usize,
    memory: usize,
    /// Constants by type.
    known: BTreeMap<Symbol, Terms>,
    /// Proper subterms of the constants.
    parts: FxHashSet<Term>,
    asked: Tuples,
    found: IndexMap<Predicate, Tuples, FxBuildHasher>,
}

impl Tabling<'_> {
    /// Asks everything not asked before; whether that gave new constants.
    fn pass(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Result<bool, TablingError> {
        let mut grew = false;
        let task = self.task;
        for mode in &task.bias.body {
            if !self.found.contains_key(&mode.predicate) {
                continue;
            }
            for args in self.calls(mode)? {
                if !self.asked.insert(call_key(mode.predicate, &args)) {
                    continue;
                }
                if !keep_going() {
                    return Err(TablingError::Interrupted);
                }
                for tuple in self.answers(mode.predicate, &args)? {
                    for (argument, term) in mode.arguments.iter().zip(&tuple) {
                        grew |= argument.direction != Direction::In
                            && self.parts.contains(term)
                            && self.constants(argument.kind).insert(term.clone());
                    }
                    let terms: usize = tuple.iter().map(Term::size).sum();
                    self.bytes += size_of::<Vec<Term>>() + terms * size_of::<Term>();
                    if self.bytes > self.memory {
                        return Err(TablingError::OutOfMemory(self.memory));
                    }
                    self.found.entry(mode.predicate).or_default().insert(tuple);
                }
            }
        }
        Ok(grew)
    }

    fn constants(&mut self, kind: Symbol) -> &mut Terms {
        let (task, parts) = (self.task, &mut self.parts);
        self.known.entry(kind).or_insert_with(|| {
            let constants = task.constants_of(kind);
            for term in &constants {
                add_parts(term, parts);
            }
            constants.into_iter().collect()
        })
    }

    /// The mode's calls: inputs are known constants of their types, outputs are variables.
    fn calls(&mut self, mode: &Mode) -> Result<Vec<Vec<Term>>, TablingError> {
        let mut calls: Vec<Vec<Term>> = vec![Vec::new()];
        let mut outputs = 0;
        for argument in &mode.arguments {
            let values: Vec<Term> = if argument.direction == Direction::In {
                self.constants(argument.kind).iter().cloned().collect()
            } else {
                self.constants(argument.kind);
                outputs += 1;
                vec![Term::var(outputs - 1)]
            };
            let n_calls = calls.len().saturating_mul(values.len().max(1));
            let n_terms = n_calls.saturating_mul(mode.arguments.len());
            if n_calls > MAX_TABLED || n_terms > MAX_TABLED_TERMS {
                return Err(refuse(
                    mode.predicate,
                    "its inputs have too many combinations of constants; list it as facts instead",
                ));
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
        Ok(calls)
    }

    fn answers(
        &mut self,
        predicate: Predicate,
        args: &[Term],
    ) -> Result<Vec<Vec<Term>>, TablingError> {
        let goal = Literal::positive(Atom::new(predicate.name, args.iter().cloned()));
        let answers = self.prover.solutions(&[goal], MAX_TABLED)?;
        if answers.end != Proof::Refuted {
            let reason = match answers.end {
                Proof::OutOfSteps => "it needs too many steps, or does not end",
                Proof::OutOfMemory => "it takes too much memory, or does not end",
                _ => "it has too many answers, or does not end",
            };
            return Err(TablingError::Intensional {
                predicate,
                reason,
                clause: self.prover.last_clause().cloned().map(Box::new),
            });
        }
        let tuples: Vec<Vec<Term>> = answers
            .bindings
            .iter()
            .map(|row| {
                args.iter()
                    .map(|arg| {
                        arg.map_vars(&mut |var| {
                            row.get(var.index()).cloned().unwrap_or(Term::Var(var))
                        })
                    })
                    .collect()
            })
            .collect();
        if tuples.iter().flatten().all(Term::is_ground) {
            Ok(tuples)
        } else {
            Err(refuse(predicate, "it has answers with variables"))
        }
    }
}

/// A call as something to look up.
fn call_key(predicate: Predicate, args: &[Term]) -> Vec<Term> {
    std::iter::once(Term::symbol(predicate.name))
        .chain(args.iter().cloned())
        .collect()
}

fn add_parts(term: &Term, parts: &mut FxHashSet<Term>) {
    term.all_parts(&mut |part| {
        if part != term {
            parts.insert(part.clone());
        }
        true
    });
}

fn refuse(predicate: Predicate, reason: &'static str) -> TablingError {
    TablingError::Intensional {
        predicate,
        reason,
        clause: None,
    }
}
