//! Terms, atoms, literals, clauses and their symbols; substitution and unification.

mod atom;
mod clause;
mod constant;
mod substitution;
mod symbol;
mod unify;
mod value;

pub use atom::{Atom, Literal, Predicate};
pub use clause::Clause;
pub use constant::{Constant, Real};
pub use substitution::Substitution;
pub use symbol::{Symbol, SymbolTable};
pub use unify::unify_atoms;
pub(crate) use value::Height;
pub use value::{MAX_LIST_LENGTH, MAX_NESTING, Term, Var};
