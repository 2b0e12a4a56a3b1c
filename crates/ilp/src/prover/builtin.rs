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
    /// Comparisons of whole numbers, of which equality finds one that is missing.
    IntEqual,
    IntDiffer,
    IntLess,
    IntLessOrEqual,
    IntGreater,
    IntGreaterOrEqual,
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
    ("@>", 2, Builtin::After),
    ("@>=", 2, Builtin::NotBefore),
    ("callable", 1, Builtin::Callable),
    ("float", 1, Builtin::Float),
    ("msort", 2, Builtin::Msort),
    ("sort", 2, Builtin::Sort),
    ("keysort", 2, Builtin::Keysort),
    ("=..", 2, Builtin::Univ),
    ("functor", 3, Builtin::Functor),
    ("$arg", 3, Builtin::Arg),
    ("copy_term", 2, Builtin::CopyTerm),
    ("term_variables", 2, Builtin::TermVariables),
    ("atom_codes", 2, Builtin::AtomCodes),
    ("atom_chars", 2, Builtin::AtomChars),
    ("char_code", 2, Builtin::CharCode),
    ("number_codes", 2, Builtin::NumberCodes),
    ("atom_number", 2, Builtin::AtomNumber),
    ("atom_length", 2, Builtin::AtomLength),
    ("atom_concat", 3, Builtin::AtomConcat),
    ("throw", 1, Builtin::Throw),
    ("#=", 2, Builtin::IntEqual),
    ("#\\=", 2, Builtin::IntDiffer),
    ("#<", 2, Builtin::IntLess),
    ("#=<", 2, Builtin::IntLessOrEqual),
    ("#>", 2, Builtin::IntGreater),
    ("#>=", 2, Builtin::IntGreaterOrEqual),
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
        matches!(
            self,
            Builtin::True
                | Builtin::Unify
                | Builtin::NotUnify
                | Builtin::Same
                | Builtin::NotSame
                | Builtin::Less
                | Builtin::LessOrEqual
                | Builtin::Greater
                | Builtin::GreaterOrEqual
                | Builtin::NumbersEqual
                | Builtin::NumbersDiffer
                | Builtin::Is
                | Builtin::Var
                | Builtin::NonVar
                | Builtin::AtomP
                | Builtin::Number
                | Builtin::Integer
                | Builtin::Atomic
                | Builtin::Compound
                | Builtin::Ground
                | Builtin::Univ
                | Builtin::Throw
        )
    }

    /// Whether a goal has the answers, with some arguments unbound, that it has with values for them:
    /// it may raise an error, but says nothing else.
    pub(super) fn is_relation(self) -> bool {
        !matches!(
            self,
            Builtin::NotUnify
                | Builtin::Same
                | Builtin::NotSame
                | Builtin::Var
                | Builtin::NonVar
                | Builtin::AtomP
                | Builtin::Number
                | Builtin::Integer
                | Builtin::Atomic
                | Builtin::Compound
                | Builtin::Ground
                | Builtin::Callable
                | Builtin::Float
                | Builtin::Before
                | Builtin::NotAfter
                | Builtin::After
                | Builtin::NotBefore
                | Builtin::Msort
                | Builtin::Sort
                | Builtin::Keysort
                | Builtin::CopyTerm
                | Builtin::TermVariables
        )
    }
}

/// The functions of arithmetic: a database knows their names before queries use them.
pub(super) const FUNCTIONS: &[&str] = &[
    "+", "-", "*", "/", "//", "mod", "rem", "div", "abs", "sign", "min", "max", "**", "^", "inf",
    "infinite", "sqrt", "float", "integer", "truncate", "round", "floor", "ceiling", "pi", "e",
    "gcd", ">>", "<<", "/\\", "\\/", "xor", "sin", "cos", "tan", "exp", "log",
];
