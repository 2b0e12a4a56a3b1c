//! Cells and the patterns that name them.

/// The row that compares the means of the rows together.
pub(crate) const MEAN: &str = "mean of the rows together";
/// The row that compares the order of a column.
pub(crate) const ORDER: &str = "order of all rows";

/// A cell by its row and column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) row: String,
    pub(crate) column: String,
}

impl Cell {
    pub(crate) fn new(row: &str, column: &str) -> Self {
        Self {
            row: row.to_owned(),
            column: column.to_owned(),
        }
    }

    pub(crate) fn is_mean(&self) -> bool {
        self.row == MEAN
    }

    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.row, self.column)
    }

    /// Puts the cell's names for `{row}` and `{column}`.
    pub(crate) fn fill(&self, text: &str) -> String {
        text.replace("{row}", &self.row)
            .replace("{column}", &self.column)
    }

    pub(crate) fn named_by(&self, patterns: &[String]) -> bool {
        patterns.iter().any(|pattern| glob(pattern, &self.name()))
    }
}

/// Whether a text fits a pattern, in which `*` stands for any text and `?` for any character.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let mut pattern_rest = pattern.chars();
    match pattern_rest.next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = pattern_rest.as_str();
            glob(rest, text)
                || text
                    .char_indices()
                    .any(|(at, c)| glob(rest, &text[at + c.len_utf8()..]))
        }
        Some(first) => {
            let mut text_rest = text.chars();
            text_rest.next().is_some_and(|c| first == '?' || first == c)
                && glob(pattern_rest.as_str(), text_rest.as_str())
        }
    }
}
