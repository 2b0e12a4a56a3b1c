//! Placements of named pieces, without the rules of chess.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexSet;
use kibitz_pal::{Component, Example};
use kibitz_prolog::{
    Constant, Direction, NativeError, NativeRelation, Predicate, Signature, SymbolTable,
};
use rustc_hash::FxBuildHasher;

/// The interned placements of a task: the relation names each by its number.
#[derive(Debug, Default)]
pub(crate) struct Placements(Mutex<IndexSet<Arc<Example>, FxBuildHasher>>);

impl Placements {
    /// The number of a placement; the order of the pieces does not matter.
    pub(crate) fn number(&self, example: &[Component]) -> Constant {
        let mut sorted = example.to_vec();
        sorted.sort_unstable();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (index, _) = known.insert_full(Arc::new(sorted));
        Constant::Int(i64::try_from(index).unwrap_or(i64::MAX))
    }

    fn get(&self, number: Constant) -> Option<Arc<Example>> {
        let Constant::Int(index) = number else {
            return None;
        };
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_index(usize::try_from(index).ok()?).cloned()
    }

    /// `piece(Name, File, Rank, Pos)`.
    pub(crate) fn relation(self: &Arc<Self>, symbols: &mut SymbolTable) -> Arc<dyn NativeRelation> {
        let out = Direction::Out;
        Arc::new(PieceRelation {
            placements: Arc::clone(self),
            signature: Signature {
                predicate: Predicate {
                    name: symbols.intern("piece"),
                    arity: 4,
                },
                modes: vec![vec![out, out, out, Direction::In]],
            },
        })
    }
}

struct PieceRelation {
    placements: Arc<Placements>,
    signature: Signature,
}

impl fmt::Debug for PieceRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PieceRelation")
    }
}

impl NativeRelation for PieceRelation {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn solve(
        &self,
        args: &[Option<Constant>],
        emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Result<(), NativeError> {
        let state = args[3].unwrap_or(Constant::Int(-1));
        let Some(example) = self.placements.get(state) else {
            return Err(NativeError(
                "piece was called with something that is not a position".into(),
            ));
        };
        for component in example.iter() {
            let asked_for =
                (args.iter().zip(component)).all(|(arg, own)| arg.is_none_or(|arg| arg == *own));
            if asked_for && emit(&[component[0], component[1], component[2], state]).is_break() {
                break;
            }
        }
        Ok(())
    }
}
