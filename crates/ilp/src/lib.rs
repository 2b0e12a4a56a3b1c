//! Logic programs and their induction.

mod lgg;
mod mode;
mod printer;
mod prover;
mod reader;
pub mod reduce;
mod subsume;
mod suggest;
mod term;

pub use lgg::{
    Alike, Compatible, Generalizer, LiteralRef, RelativeLimits, TracedLgg, lgg_atoms, lgg_clauses,
    lgg_clauses_with, lgg_terms, rlgg,
};
pub use mode::{Argument, Direction, Mode};

pub use printer::{Printed, print_atom, print_clause, print_literal, print_term};
pub use prover::{
    Answers, Database, DatabaseBuilder, Limits, NativeError, NativeRelation, PreparedTheory, Proof,
    Prover, ProverError, Signature,
};
pub use reader::{
    Dialect, Fixity, MAX_LIST_LENGTH, MAX_NESTING, Operator, Operators, ReadError, ReadErrorKind,
    ReadErrors, Reader, Sentence, SentenceKind, clause_from_term, literal_from_term, read_clause,
    read_clauses, read_program, read_term,
};
pub use subsume::{
    Subsumption, equivalent, reduced, subsumes, subsuming_substitution, subsumption,
};
pub use term::{
    Atom, Clause, Constant, Literal, OccursCheck, Predicate, Real, Substitution, Symbol,
    SymbolTable, Term, Var, unify_atoms, unify_terms,
};
