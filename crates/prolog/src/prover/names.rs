use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::term::{Symbol, SymbolTable};

/// A copy of the names of a symbol table in one piece of text.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
    /// The symbols by their spelling, once one is looked for.
    by_name: OnceLock<FxHashMap<Box<str>, Symbol>>,
}

impl Names {
    pub(super) fn new(symbols: &SymbolTable) -> Self {
        let mut names = Self::default();
        for name in symbols.names() {
            names.text.push_str(name);
            names.ends.push(names.text.len());
        }
        names
    }

    /// The symbol of a spelling that is known.
    pub(super) fn find(&self, name: &str) -> Option<Symbol> {
        let by_name = self.by_name.get_or_init(|| {
            let symbols = (0u32..).take(self.ends.len()).map(Symbol::at);
            symbols
                .map(|symbol| (Box::from(self.get(symbol)), symbol))
                .collect()
        });
        by_name.get(name).copied()
    }

    /// The spelling of a symbol, empty for one that is younger than the database.
    pub(super) fn get(&self, symbol: Symbol) -> &str {
        let i = symbol.index();
        let start = if i == 0 {
            0
        } else {
            self.ends.get(i - 1).copied().unwrap_or(0)
        };
        self.ends.get(i).map_or("", |&end| &self.text[start..end])
    }
}
