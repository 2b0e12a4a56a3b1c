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
    After,
    NotBefore,
    Callable,
    Float,
    Msort,
    Sort,
    Keysort,
    Univ,
    Functor,
    Arg,
    CopyTerm,
    TermVariables,
    AtomCodes,
    AtomChars,
    CharCode,
    NumberCodes,
    AtomNumber,
    AtomLength,
    AtomConcat,
    Throw,
    /// Comparisons of integers, of which equality finds one that is missing.
    IntEqual,
    IntDiffer,
    IntLess,
    IntLessOrEqual,
    IntGreater,
    IntGreaterOrEqual,
}

/// What is to be known of a built-in predicate beside its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Traits {
    is_reserved: bool,
    is_relation: bool,
}

const PLAIN: Traits = Traits {
    is_reserved: false,
    is_relation: true,
};
const RESERVED: Traits = Traits {
    is_reserved: true,
    ..PLAIN
};
/// It tells whether arguments are bound, or looks at them as they are.
const TEST: Traits = Traits {
    is_relation: false,
    ..PLAIN
};
const RESERVED_TEST: Traits = Traits {
    is_reserved: true,
    ..TEST
};

const TABLE: &[(&str, usize, Builtin, Traits)] = &[
    ("true", 0, Builtin::True, RESERVED),
    ("=", 2, Builtin::Unify, RESERVED),
    ("\\=", 2, Builtin::NotUnify, RESERVED_TEST),
    ("==", 2, Builtin::Same, RESERVED_TEST),
    ("\\==", 2, Builtin::NotSame, RESERVED_TEST),
    ("<", 2, Builtin::Less, RESERVED),
    ("=<", 2, Builtin::LessOrEqual, RESERVED),
    (">", 2, Builtin::Greater, RESERVED),
    (">=", 2, Builtin::GreaterOrEqual, RESERVED),
    ("=:=", 2, Builtin::NumbersEqual, RESERVED),
    ("=\\=", 2, Builtin::NumbersDiffer, RESERVED),
    ("is", 2, Builtin::Is, RESERVED),
    ("var", 1, Builtin::Var, RESERVED_TEST),
    ("nonvar", 1, Builtin::NonVar, RESERVED_TEST),
    ("atom", 1, Builtin::AtomP, RESERVED_TEST),
    ("number", 1, Builtin::Number, RESERVED_TEST),
    ("integer", 1, Builtin::Integer, RESERVED_TEST),
    ("atomic", 1, Builtin::Atomic, RESERVED_TEST),
    ("compound", 1, Builtin::Compound, RESERVED_TEST),
    ("ground", 1, Builtin::Ground, RESERVED_TEST),
    ("succ", 2, Builtin::Succ, PLAIN),
    ("plus", 3, Builtin::Plus, PLAIN),
    ("length", 2, Builtin::Length, PLAIN),
    ("@<", 2, Builtin::Before, TEST),
    ("@=<", 2, Builtin::NotAfter, TEST),
    ("between", 3, Builtin::Between, PLAIN),
    ("@>", 2, Builtin::After, TEST),
    ("@>=", 2, Builtin::NotBefore, TEST),
    ("callable", 1, Builtin::Callable, TEST),
    ("float", 1, Builtin::Float, TEST),
    ("msort", 2, Builtin::Msort, TEST),
    ("sort", 2, Builtin::Sort, TEST),
    ("keysort", 2, Builtin::Keysort, TEST),
    ("=..", 2, Builtin::Univ, RESERVED),
    ("functor", 3, Builtin::Functor, PLAIN),
    ("$arg", 3, Builtin::Arg, PLAIN),
    ("copy_term", 2, Builtin::CopyTerm, TEST),
    ("term_variables", 2, Builtin::TermVariables, TEST),
    ("atom_codes", 2, Builtin::AtomCodes, PLAIN),
    ("atom_chars", 2, Builtin::AtomChars, PLAIN),
    ("char_code", 2, Builtin::CharCode, PLAIN),
    ("number_codes", 2, Builtin::NumberCodes, PLAIN),
    ("atom_number", 2, Builtin::AtomNumber, PLAIN),
    ("atom_length", 2, Builtin::AtomLength, PLAIN),
    ("atom_concat", 3, Builtin::AtomConcat, PLAIN),
    ("throw", 1, Builtin::Throw, RESERVED),
    ("#=", 2, Builtin::IntEqual, PLAIN),
    ("#\\=", 2, Builtin::IntDiffer, PLAIN),
    ("#<", 2, Builtin::IntLess, PLAIN),
    ("#=<", 2, Builtin::IntLessOrEqual, PLAIN),
    ("#>", 2, Builtin::IntGreater, PLAIN),
    ("#>=", 2, Builtin::IntGreaterOrEqual, PLAIN),
];

/// Built-in predicates by name and arity.
pub(super) fn table(symbols: &mut SymbolTable) -> FxHashMap<Predicate, Builtin> {
    TABLE
        .iter()
        .map(|&(name, arity, builtin, _)| {
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
    fn traits(self) -> Traits {
        let own = TABLE.iter().find(|(.., builtin, _)| *builtin == self);
        own.map_or(PLAIN, |(.., traits)| *traits)
    }

    /// Whether a program may not define a predicate of this name itself.
    pub(super) fn is_reserved(self) -> bool {
        self.traits().is_reserved
    }

    /// Whether a goal has the answers, with some arguments unbound, that it has with values for them:
    /// it may raise an error, but says nothing else.
    pub(super) fn is_relation(self) -> bool {
        self.traits().is_relation
    }
}

/// The functions of arithmetic: a database knows their names before queries use them.
pub(super) const FUNCTIONS: &[&str] = &[
    "+", "-", "*", "/", "//", "mod", "rem", "div", "abs", "sign", "min", "max", "**", "^", "inf",
    "infinite", "sqrt", "float", "integer", "truncate", "round", "floor", "ceiling", "pi", "e",
    "gcd", ">>", "<<", "/\\", "\\/", "xor", "sin", "cos", "tan", "exp", "log",
];
