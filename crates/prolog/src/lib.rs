//! A bounded Prolog for Rust programs.
//!
//! Terms and clauses with a reader and a printer of Prolog text, a prover whose every query is bounded
//! in steps, depth and memory and which takes relations computed in Rust, and what learners of logic
//! programs need beside it: least general generalization, mode declarations, and coverage.
//!
//! # Examples
//! ```
//! use kibitz_prolog::{Database, Limits, Prover, SymbolTable, print_term, read_clause, read_clauses};
//!
//! let mut symbols = SymbolTable::new();
//! let family = read_clauses(
//!     "parent(ann,bob). parent(bob,cy). grandparent(X,Z) :- parent(X,Y), parent(Y,Z).",
//!     &mut symbols,
//! )?;
//! let query = read_clause("answer(Who) :- grandparent(ann,Who)", &mut symbols)?;
//! let db = Database::builder().clauses(&family).build(&mut symbols)?;
//! let mut prover = Prover::new(&db, Limits::default());
//! let answers = prover.solutions(&query.body, 10)?;
//! assert_eq!(print_term(&answers.bindings[0][0], &symbols).to_string(), "cy");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! | folder | contents |
//! | --- | --- |
//! | `term` | symbols, terms, atoms, clauses, substitutions, unification |
//! | `reader`, `printer` | Prolog text in and out, inverse to each other |
//! | `prover` | facts, rules and [`NativeRelation`]s, with bounds on steps and depth; `prover/tabled`: goals that recur, recursive theories, and joins over constants |
//! | `lgg` | least general generalization, within labels where a learner has some |
//! | `schedule` | the order of a conjunction's goals, tests first |
//! | `mode` | which arguments are input, output or constant |
//! | `coverage` | covered examples as bit sets |
//!
//! Invariants: symbols mean something only with their table, which is passed along; no clock, file or
//! environment is read, and nothing is printed; every query is bounded in steps and gives the same
//! answers everywhere.

mod coverage;
mod lgg;
mod mode;
mod printer;
mod prover;
mod reader;
mod schedule;
mod term;

pub use coverage::{BitSet, Coverage, Evaluator, RaisedError, all_bits, bits_where};
pub use lgg::{Compatibility, Generalizer, LiteralRef, TracedLgg, lgg_clauses, lgg_clauses_with};
pub use mode::{Argument, Direction, MAX_ARITY, Mode};
pub use printer::{PrologText, print_atom, print_clause, print_literal, print_term};
pub use prover::{
    AdaptiveJoin, Answers, CallTables, Conjunction, Database, DatabaseBuilder, Join, Limits,
    NativeError, NativeRelation, PreparedTheory, Proof, Prover, ProverError, Signature, TabledGoal,
    TabledProver,
};
pub use reader::{
    Dialect, ReadError, ReadErrorKind, ReadErrors, Reader, Sentence, SentenceKind, read_clause,
    read_clauses, read_term,
};
pub use schedule::{Turn, tests_first};
pub use term::{
    Atom, Clause, Constant, Literal, MAX_LIST_LENGTH, MAX_NESTING, Predicate, Real, Substitution,
    Symbol, SymbolTable, Term, Var, unify_atoms,
};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
