//! Patterns over `row.column` names: `*` is any text, `?` any one character.

use std::ops::Range;

use wildmatch::WildMatch;

/// A pattern with its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct CellGlob {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
    pattern: WildMatch,
}

impl CellGlob {
    pub(crate) fn new(text: toml::Spanned<String>) -> Self {
        let span = text.span();
        let text = text.into_inner();
        Self {
            pattern: WildMatch::new(&text),
            text,
            span,
        }
    }

    pub(crate) fn matches(&self, row: &str, column: &str) -> bool {
        self.pattern.matches(&format!("{row}.{column}"))
    }
}
