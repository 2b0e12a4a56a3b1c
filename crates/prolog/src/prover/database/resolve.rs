//! What names stand for while code is compiled.

use super::Database;
use crate::prover::builtin::Builtin;
use crate::prover::cell::{Cell, STATIC};
use crate::prover::code::Target;
use crate::prover::compile::{ControlNames, Resolve, store_ground};
use crate::term::{Atom, Predicate, Term};

impl Resolve for Database {
    fn unwrapped(&self, goal: &Atom) -> Option<Atom> {
        Database::unwrapped(self, goal)
    }

    fn target(&mut self, predicate: Predicate) -> Target {
        self.entry(predicate);
        let index = self.entries.get_index_of(&predicate).expect("just added");
        Target::Entry(u32::try_from(index).expect("fewer than 2^32 predicates"))
    }

    fn builtin(&self, predicate: Predicate) -> Option<Builtin> {
        self.builtins.get(&predicate).copied()
    }

    fn names(&self) -> ControlNames {
        self.control
    }

    fn ground(&mut self, term: &Term) -> Option<u32> {
        match store_ground(term, &mut self.statics) {
            Cell::Struct(address) => Some(address & !STATIC),
            _ => None,
        }
    }
}

/// Resolution for queries, which cannot change the database.
impl Resolve for &Database {
    fn unwrapped(&self, goal: &Atom) -> Option<Atom> {
        Database::unwrapped(self, goal)
    }

    fn target(&mut self, predicate: Predicate) -> Target {
        match self.entries.get_index_of(&predicate) {
            Some(index) => Target::Entry(u32::try_from(index).expect("fewer than 2^32 predicates")),
            None => Target::Named(predicate),
        }
    }

    fn builtin(&self, predicate: Predicate) -> Option<Builtin> {
        self.builtins.get(&predicate).copied()
    }

    fn names(&self) -> ControlNames {
        self.control
    }

    fn ground(&mut self, _: &Term) -> Option<u32> {
        None
    }
}
