//! An example, with the remembered answers about it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kibitz_prolog::{Atom, ProverError, Term};
use rustc_hash::FxHashMap;

use crate::eval::{Key, Memo, Node, Pattern, PatternMatcher, Plan};

/// A ground atom of the target, with the remembered answers about its terms.
#[derive(Debug)]
pub(in crate::learn) struct Example {
    pub(in crate::learn) atom: Atom,
    known: Mutex<ExampleMemo>,
}

/// Remembered answers about one example.
#[derive(Debug)]
pub(in crate::learn) struct ExampleMemo {
    pub(in crate::learn) memo: Memo,
    /// Bytes of the memo that count as taken.
    counted: usize,
    /// The arguments of the atom.
    pub(in crate::learn) args: Vec<u32>,
    /// Successors of clauses by the macros of its bottom clause.
    pub(super) longer: FxHashMap<Key, (Arc<Pattern>, Arc<Vec<Node>>)>,
}

/// How much memory the remembered answers of all examples may take, and do.
#[derive(Debug)]
pub(super) struct MemoRoom {
    most: usize,
    taken: AtomicUsize,
}

impl MemoRoom {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            taken: AtomicUsize::new(0),
        }
    }
}

impl ExampleMemo {
    fn new(atom: &Atom) -> Self {
        let mut memo = Memo::default();
        let args = atom.args.iter().map(|term: &Term| memo.number(term));
        Self {
            args: args.collect(),
            counted: 0,
            memo,
            longer: FxHashMap::default(),
        }
    }
}

impl Example {
    pub(in crate::learn) fn new(atom: Atom) -> Self {
        Self {
            known: Mutex::new(ExampleMemo::new(&atom)),
            atom,
        }
    }

    /// Whether a clause covers the example. Without room for what the background answered it is asked
    /// again another time, to the same effect.
    pub(super) fn is_covered(
        &self,
        matcher: &mut PatternMatcher<'_>,
        plan: &Plan,
        room: &MemoRoom,
    ) -> Result<bool, ProverError> {
        let known = &mut *self.known();
        let is_covered = matcher.covers(plan, &mut known.memo, &known.args);
        let grown = known.memo.bytes() - known.counted;
        if grown > 0 {
            known.counted += grown;
            if room.taken.fetch_add(grown, Ordering::Relaxed) + grown > room.most {
                room.taken.fetch_sub(known.counted, Ordering::Relaxed);
                let ExampleMemo { memo, args, .. } = ExampleMemo::new(&self.atom);
                (known.memo, known.args, known.counted) = (memo, args, 0);
            }
        }
        is_covered
    }

    /// The answers so far; other threads wait.
    pub(in crate::learn) fn known(&self) -> MutexGuard<'_, ExampleMemo> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
