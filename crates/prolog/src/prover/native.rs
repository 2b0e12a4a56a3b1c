use std::fmt;
use std::ops::ControlFlow;

use thiserror::Error;

use crate::mode::Direction;
use crate::term::{Constant, Predicate, Symbol};

/// Predicate and modes of a native relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Name and arity.
    pub predicate: Predicate,
    /// The ways it can be asked, each a direction per argument: `In` must be bound, `Out` may be.
    /// `Constant` counts as `In`.
    pub modes: Vec<Vec<Direction>>,
}

impl Signature {
    /// A relation that can be asked in one way, with a direction per argument.
    pub fn new(name: Symbol, mode: Vec<Direction>) -> Self {
        let arity = mode.len();
        Self {
            predicate: Predicate { name, arity },
            modes: vec![mode],
        }
    }

    /// Whether some mode allows a call with these arguments bound.
    pub fn allows(&self, bound: impl Fn(usize) -> bool) -> bool {
        self.modes.iter().any(|mode| {
            mode.iter()
                .enumerate()
                .all(|(i, direction)| *direction == Direction::Out || bound(i))
        })
    }
}

/// An error inside a native relation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("native relation failed: {0}")]
pub struct NativeError(pub String);

/// A relation computed in Rust instead of being listed as facts.
///
/// Chess rules or Minesweeper deductions are offered this way: the prover asks with the arguments
/// it knows, and the relation emits complete tuples. The relation must be a function of its
/// arguments, and must emit in a fixed order.
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use kibitz_prolog::{Constant, Direction, NativeError, NativeRelation, Signature, SymbolTable};
///
/// /// `double(+X, -Y)`
/// struct Double(Signature);
///
/// impl NativeRelation for Double {
///     fn signature(&self) -> &Signature { &self.0 }
///     fn solve(
///         &self,
///         args: &[Option<Constant>],
///         emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
///     ) -> Result<(), NativeError> {
///         if let Some(Constant::Int(x)) = args[0] {
///             let _ = emit(&[Constant::Int(x), Constant::Int(2 * x)]);
///         }
///         Ok(())
///     }
/// }
///
/// let mut symbols = SymbolTable::new();
/// let mode = vec![Direction::In, Direction::Out];
/// let double = Double(Signature::new(symbols.intern("double"), mode));
/// assert!(double.signature().allows(|i| i == 0));
/// ```
pub trait NativeRelation: Send + Sync {
    /// Name, arity and modes.
    fn signature(&self) -> &Signature;

    /// Emits every tuple that agrees with the bound arguments, in a fixed order, until `emit`
    /// breaks. Tuples that disagree with a bound argument are ignored by the prover.
    ///
    /// # Errors
    /// If the relation cannot be computed for these arguments; the query ends.
    fn solve(
        &self,
        args: &[Option<Constant>],
        emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Result<(), NativeError>;
}

impl fmt::Debug for dyn NativeRelation + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NativeRelation")
            .field(self.signature())
            .finish()
    }
}
