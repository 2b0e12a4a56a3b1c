//! Figures that a file names: of its own table, or of another.

use std::collections::BTreeMap;

use crate::measurement::{Measurement, Table};

/// Tables that were recorded or computed before, by id.
pub type Others = BTreeMap<String, Table>;

/// `row.column` of the same table, or `paper/table:row.column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'t> {
    /// The id of another table.
    pub table: Option<&'t str>,
    /// The row.
    pub row: &'t str,
    /// The column.
    pub column: &'t str,
}

impl<'t> Place<'t> {
    /// Reads the name of a figure; `None` if it is none.
    pub fn parse(text: &'t str) -> Option<Self> {
        let (table, rest) = split_table(text);
        let (row, column) = rest.rsplit_once('.')?;
        let is_named = !row.is_empty() && !column.is_empty();
        is_named.then_some(Self { table, row, column })
    }
}

/// Parts the id of a table from what follows: two lower-case words, the first of which begins with a
/// letter, and a slash between them.
pub(crate) fn split_table(text: &str) -> (Option<&str>, &str) {
    let is_word = |word: &str| {
        let is_fit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        !word.is_empty() && word.chars().all(is_fit)
    };
    match text.split_once(':') {
        Some((id, rest))
            if id.starts_with(|c: char| c.is_ascii_lowercase())
                && id
                    .split_once('/')
                    .is_some_and(|(paper, table)| is_word(paper) && is_word(table)) =>
        {
            (Some(id), rest.trim_start())
        }
        _ => (None, text),
    }
}

/// A name with the cell that it is said of in place of `{row}` and `{column}`.
pub fn filled(text: &str, row: &str, column: &str) -> String {
    text.replace("{row}", row).replace("{column}", column)
}

/// The values that a table's file may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) own: &'a Table,
    pub(crate) others: &'a Others,
}

impl<'a> Values<'a> {
    pub(crate) fn get(&self, place: &Place<'_>) -> Option<&'a Measurement> {
        let table = match place.table {
            None => self.own,
            Some(id) => self.others.get(id)?,
        };
        table.get(place.row, place.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_of_ones_own_table_or_of_another() {
        let of = |text| Place::parse(text).map(|place| (place.table, place.row, place.column));
        assert_eq!(of("R1.3.r2"), Some((None, "R1.3", "r2")));
        assert_eq!(of("a/b: x.y"), Some((Some("a/b"), "x", "y")));
        assert_eq!(
            of("8x8/10: rules.won"),
            Some((None, "8x8/10: rules", "won"))
        );
        assert_eq!(
            of("5 and before: p10 = 10.p1"),
            Some((None, "5 and before: p10 = 10", "p1"))
        );
        assert_eq!(of("pena2003/play"), None);
    }
}
