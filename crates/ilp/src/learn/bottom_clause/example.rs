//! An example, with the remembered answers about it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::eval::{Key, Memo, Node, Pattern};
use crate::term::{Atom, Term};

/// A ground atom of the target, with the remembered answers about its terms.
#[derive(Debug)]
pub(in crate::learn) struct Example {
    pub(in crate::learn) atom: Atom,
    known: Mutex<Known>,
}

/// Remembered answers about one example.
#[derive(Debug)]
pub(in crate::learn) struct Known {
    pub(in crate::learn) memo: Memo,
    /// The arguments of the atom.
    pub(in crate::learn) args: Vec<u32>,
    /// Successors of clauses by the macros of its bottom clause.
    pub(super) longer: FxHashMap<Key, (Arc<Pattern>, Arc<Vec<Node>>)>,
}

impl Example {
    pub(in crate::learn) fn new(atom: Atom) -> Self {
        let mut memo = Memo::default();
        let args = atom
            .args
            .iter()
            .map(|term: &Term| memo.number(term))
            .collect();
        Self {
            atom,
            known: Mutex::new(Known {
                memo,
                args,
                longer: FxHashMap::default(),
            }),
        }
    }

    /// The answers so far; other threads wait.
    pub(in crate::learn) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
