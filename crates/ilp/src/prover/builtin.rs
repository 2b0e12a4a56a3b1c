//! The predicates and functions that are built in, by name.

use rustc_hash::FxHashMap;

use crate::term::{Predicate, SymbolTable};

/// Built-in predicates: all have at most one answer, but for `between/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    True,
    Unify,
    NotUnify,
    Same,
    NotSame,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    NumbersEqual,
    NumbersDiffer,
    Is,
    Var,
    NonVar,
    AtomP,
    Number,
    Integer,
    Atomic,
    Compound,
    Ground,
    Succ,
    Plus,
    Length,
    Before,
    NotAfter,
    Between,
}

const TABLE: &[(&str, usize, Builtin)] = &[
    ("true", 0, Builtin::True),
    ("=", 2, Builtin::Unify),
    ("\\=", 2, Builtin::NotUnify),
    ("==", 2, Builtin::Same),
    ("\\==", 2, Builtin::NotSame),
    ("<", 2, Builtin::Less),
    ("=<", 2, Builtin::LessOrEqual),
    (">", 2, Builtin::Greater),
    (">=", 2, Builtin::GreaterOrEqual),
    ("=:=", 2, Builtin::NumbersEqual),
    ("=\\=", 2, Builtin::NumbersDiffer),
    ("is", 2, Builtin::Is),
    ("var", 1, Builtin::Var),
    ("nonvar", 1, Builtin::NonVar),
    ("atom", 1, Builtin::AtomP),
    ("number", 1, Builtin::Number),
    ("integer", 1, Builtin::Integer),
    ("atomic", 1, Builtin::Atomic),
    ("compound", 1, Builtin::Compound),
    ("ground", 1, Builtin::Ground),
    ("succ", 2, Builtin::Succ),
    ("plus", 3, Builtin::Plus),
    ("length", 2, Builtin::Length),
    ("@<", 2, Builtin::Before),
    ("@=<", 2, Builtin::NotAfter),
    ("between", 3, Builtin::Between),
];

/// Built-in predicates by name and arity.
pub(super) fn table(symbols: &mut SymbolTable) -> FxHashMap<Predicate, Builtin> {
    TABLE
        .iter()
        .map(|&(name, arity, builtin)| {
            (
                Predicate {
                    name: symbols.intern(name),
                    arity,
                },
                builtin,
            )
        })
        .collect()
}

impl Builtin {
    /// Whether a program may not define a predicate of this name itself.
    pub(super) fn is_reserved(self) -> bool {
        !matches!(
            self,
            Builtin::Succ
                | Builtin::Plus
                | Builtin::Length
                | Builtin::Between
                | Builtin::Before
                | Builtin::NotAfter
        )
    }
}

/// The functions of arithmetic: a database knows their names before queries use them.
pub(super) const FUNCTIONS: &[&str] = &[
    "+", "-", "*", "/", "//", "mod", "rem", "div", "abs", "sign", "min", "max", "**", "^", "inf",
    "infinite",
];
