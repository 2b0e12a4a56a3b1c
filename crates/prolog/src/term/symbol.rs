//! Interned symbols.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A symbol: a name interned in a [`SymbolTable`], cheap to copy and to compare.
///
/// Symbols are ordered by their index, not by their spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

impl Symbol {
    /// The empty list, `[]`.
    pub const NIL: Symbol = Symbol(0);
    /// The list constructor, printed as `[Head|Tail]`.
    pub const CONS: Symbol = Symbol(1);
    /// `,`: conjunction and tuples.
    pub const COMMA: Symbol = Symbol(2);
    /// `:-`
    pub const NECK: Symbol = Symbol(3);
    /// `\+`: negation as failure.
    pub const NOT: Symbol = Symbol(4);
    /// `not`: the older spelling of negation as failure.
    pub const NOT_WORD: Symbol = Symbol(5);
    /// `;`
    pub const OR: Symbol = Symbol(6);
    /// `->`
    pub const THEN: Symbol = Symbol(7);
    /// `=`
    pub const EQUALS: Symbol = Symbol(8);
    /// `-`
    pub const MINUS: Symbol = Symbol(9);
    /// `+`
    pub const PLUS: Symbol = Symbol(10);
    /// `{}`
    pub const CURLY: Symbol = Symbol(11);
    /// `true`
    pub const TRUE: Symbol = Symbol(12);
    /// `!`
    pub const CUT: Symbol = Symbol(13);
    /// `\=`
    pub const NOT_EQUALS: Symbol = Symbol(14);
    /// `/`, as in `name/arity`.
    pub const SLASH: Symbol = Symbol(15);

    const RESERVED: [&'static str; 16] = [
        "[]", ".", ",", ":-", "\\+", "not", ";", "->", "=", "-", "+", "{}", "true", "!", "\\=", "/",
    ];

    /// The symbol at a position of a table.
    pub(crate) fn at(index: u32) -> Self {
        Self(index)
    }

    /// The position of this symbol in its table.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A symbol table: the interned names of a task.
///
/// There is no global table; functions that read or print text take one. Symbols of different tables
/// must not be mixed.
///
/// # Examples
/// ```
/// # use kibitz_prolog::SymbolTable;
/// let mut symbols = SymbolTable::new();
/// let rook = symbols.intern("rook");
/// assert_eq!(symbols.intern("rook"), rook);
/// assert_eq!(symbols.name(rook), "rook");
/// ```
#[derive(Clone, Debug)]
pub struct SymbolTable {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Default for SymbolTable {
    fn default() -> Self {
        Self::new()
    }
}

impl SymbolTable {
    /// A table that holds only the reserved names.
    pub fn new() -> Self {
        let names = Symbol::RESERVED
            .iter()
            .map(|&name| Box::from(name))
            .collect();
        Self { names }
    }

    /// The symbol of a name, added to the table if it is new.
    ///
    /// # Panics
    /// With more than 2³² names.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let index = match self.names.get_index_of(name) {
            Some(index) => index,
            None => self.names.insert_full(Box::from(name)).0,
        };
        Symbol(u32::try_from(index).expect("fewer than 2^32 names"))
    }

    /// The symbol of a name that is already in the table.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        let index = self.names.get_index_of(name)?;
        u32::try_from(index).ok().map(Symbol)
    }

    /// The spelling of a symbol of this table.
    ///
    /// # Panics
    /// If the symbol belongs to a larger table.
    #[inline]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }

    /// All names, in the order of their symbols.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// A name that is not in the table yet: `stem`, or `stem` followed by the first free number.
    pub fn fresh(&mut self, stem: &str) -> Symbol {
        let mut name = stem.to_owned();
        let mut n = 0;
        while self.get(&name).is_some() {
            n += 1;
            name = format!("{stem}{n}");
        }
        self.intern(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_have_fixed_places() {
        let symbols = SymbolTable::new();
        for (symbol, name) in [
            (Symbol::NIL, "[]"),
            (Symbol::CONS, "."),
            (Symbol::NECK, ":-"),
            (Symbol::CUT, "!"),
            (Symbol::NOT_EQUALS, "\\="),
            (Symbol::SLASH, "/"),
        ] {
            assert_eq!(symbols.name(symbol), name);
        }
    }

    #[test]
    fn fresh_names_avoid_what_exists() {
        let mut symbols = SymbolTable::new();
        let first = symbols.fresh("p");
        let second = symbols.fresh("p");
        assert_eq!((symbols.name(first), symbols.name(second)), ("p", "p1"));
    }
}
