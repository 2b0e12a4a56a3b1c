//! An example as it is typed.

use kibitz_prolog::{Atom, Constant, ReadErrors, SymbolTable, Term, read_term};
use thiserror::Error;

use super::Task;
use super::source::{show, show_all};

/// Why a text is no example of a task.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExampleError {
    /// It cannot be read.
    #[error("the example: {0}")]
    Unreadable(ReadErrors),
    /// It is no ground atom.
    #[error("{0} is not an example; expected an atom such as east(t1)")]
    NoAtom(String),
    /// It is of another predicate.
    #[error("the example is of {own}, the predicate to learn is {target}")]
    OtherPredicate {
        /// Its predicate.
        own: String,
        /// The predicate that is learned.
        target: String,
    },
}

impl Task {
    /// Reads an example, such as `east(t1)`; `pos(east(t1))` and `neg(east(t1))` are understood, too, also
    /// with a weight, as in `pos(east(t1), 3)`.
    ///
    /// # Errors
    /// [`ExampleError`] for anything but a ground atom of the target.
    pub fn read_example(&mut self, text: &str) -> Result<Atom, ExampleError> {
        let text = text.trim().trim_end_matches('.');
        let term = read_term(text, &mut self.symbols).map_err(ExampleError::Unreadable)?;
        let atom = unsigned(&term, &self.symbols);
        let atom = atom.ok_or_else(|| ExampleError::NoAtom(text.to_owned()))?;
        if atom.predicate() != self.target {
            let own = show(atom.predicate(), &self.symbols);
            let target = show_all(&self.all_targets(), &self.symbols, " or ");
            return Err(ExampleError::OtherPredicate { own, target });
        }
        Ok(atom)
    }
}

/// The ground atom of an example, without the sign and the weight that Popper's files give it.
fn unsigned(term: &Term, symbols: &SymbolTable) -> Option<Atom> {
    let atom = Atom::from_term(term)?;
    let is_signed = ["pos", "neg"].contains(&symbols.name(atom.name));
    let atom = match &atom.args[..] {
        [inner @ Term::Compound(..)] if is_signed => Atom::from_term(inner)?,
        [
            inner @ Term::Compound(..),
            Term::Const(Constant::Int(_) | Constant::Real(_)),
        ] if is_signed => Atom::from_term(inner)?,
        _ => atom,
    };
    atom.is_ground().then_some(atom)
}
