//! What all pages read: the recorded tables with the addresses of their cells.

use std::collections::{BTreeMap, BTreeSet};

use kibitz_lab::record::{Paper, RecordedCell, RecordedTable, WorkspaceRecord};

use crate::OtherPage;

/// Bytes of a table's page that rows may fill; more rows are continued on another page.
const ROWS_OF_A_PAGE: usize = 260_000;
/// About as many bytes takes a value with all that is known of it, and one that is only shown.
const SHEET: usize = 1_500;
const SHOWN: usize = 150;

/// What all pages read.
pub(crate) struct Context<'r> {
    pub(crate) recorded: &'r WorkspaceRecord,
    pub(crate) views: BTreeMap<&'r str, View<'r>>,
    pub(crate) beside: &'r [OtherPage],
}

/// A table with the addresses of its cells.
pub(crate) struct View<'r> {
    pub(crate) table: &'r RecordedTable,
    /// Parallel to the cells.
    pub(crate) anchors: Vec<String>,
    /// The rows of each of its pages, as places in its cells.
    pub(crate) parts: Vec<std::ops::Range<usize>>,
    by_place: BTreeMap<(&'r str, &'r str), usize>,
}

impl<'r> View<'r> {
    pub(crate) fn new(table: &'r RecordedTable) -> Self {
        let mut taken = BTreeSet::new();
        let anchors = table.cells.iter().map(|cell| {
            let name = anchor(&format!("{}.{}", cell.row, cell.column));
            let mut free = name.clone();
            let mut n = 1;
            while !taken.insert(free.clone()) {
                n += 1;
                free = format!("{name}-{n}");
            }
            free
        });
        let anchors = anchors.collect();
        let cells = table.cells.iter().enumerate();
        let by_place = cells.map(|(at, cell)| ((cell.row.as_str(), cell.column.as_str()), at));
        let mut view = Self {
            table,
            anchors,
            parts: Vec::new(),
            by_place: by_place.collect(),
        };
        view.parts = view.paged();
        view
    }

    fn paged(&self) -> Vec<std::ops::Range<usize>> {
        let cells = &self.table.cells;
        let (mut parts, mut start, mut at, mut size) = (Vec::new(), 0, 0, 0);
        for row in cells.chunk_by(|one, other| one.row == other.row) {
            let weights = row
                .iter()
                .map(|cell| if Self::has_sheet(cell) { SHEET } else { SHOWN });
            let weight: usize = weights.sum();
            if at > start && size + weight > ROWS_OF_A_PAGE {
                parts.push(start..at);
                (start, size) = (at, 0);
            }
            at += row.len();
            size += weight;
        }
        parts.push(start..at);
        parts
    }

    /// Whether a cell has a sheet: one without a published value is all in the table.
    pub(crate) fn has_sheet(cell: &RecordedCell) -> bool {
        cell.printed.is_some()
    }

    /// The place of a cell among the cells.
    pub(crate) fn place(&self, row: &str, column: &str) -> Option<usize> {
        self.by_place.get(&(row, column)).copied()
    }

    /// The file of one of its pages, within the folder of its paper.
    pub(crate) fn file(&self, part: usize) -> String {
        let name = self.table.name();
        if part == 0 {
            format!("{name}.html")
        } else {
            format!("{name}.{}.html", part + 1)
        }
    }

    /// The page of a cell.
    fn part_of(&self, cell: usize) -> usize {
        let mut parts = self.parts.iter();
        parts.position(|part| part.contains(&cell)).unwrap_or(0)
    }

    /// The address of a cell from `part` of its own table.
    pub(crate) fn link(&self, cell: usize, part: usize) -> String {
        let (own, anchor) = (self.part_of(cell), &self.anchors[cell]);
        if own == part {
            format!("#{anchor}")
        } else {
            format!("{}#{anchor}", self.file(own))
        }
    }

    /// The address of a cell from the folder of the report.
    pub(crate) fn far_link(&self, cell: usize) -> String {
        let file = self.file(self.part_of(cell));
        format!("{}/{file}#{}", self.table.paper(), self.anchors[cell])
    }
}

/// A name that is allowed in an address and in an attribute.
fn anchor(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        let is_plain = c.is_ascii_alphanumeric() || "._~!$()*+,;=:@/?-".contains(c);
        if is_plain {
            text.push(c);
        } else if !text.ends_with('-') {
            text.push('-');
        }
    }
    text
}

impl<'r> Context<'r> {
    /// The table of this id.
    pub(crate) fn view(&self, id: &str) -> Option<&View<'r>> {
        self.views.get(id)
    }

    /// The paper of this id.
    pub(crate) fn paper(&self, id: &str) -> Option<&'r Paper> {
        self.recorded.papers.iter().find(|paper| paper.id == id)
    }

    /// The tables of a paper: those that it publishes in its order, then the others.
    pub(crate) fn tables_of(&self, paper: &Paper) -> Vec<&'r RecordedTable> {
        let printed = paper.printed_tables.iter().flat_map(|table| &table.tables);
        let mut tables: Vec<&RecordedTable> = Vec::new();
        let printed = printed.filter_map(|id| self.recorded.table(id));
        let own = self.recorded.tables.iter();
        for table in printed.chain(own.filter(|table| table.paper() == paper.id)) {
            if tables.iter().all(|known| known.id != table.id) {
                tables.push(table);
            }
        }
        tables
    }

    /// The address of a table or dataset, from any page but the front.
    pub(crate) fn link(&self, id: &str) -> Option<String> {
        let is_dataset = || {
            self.recorded
                .datasets
                .iter()
                .any(|dataset| dataset.id == id)
        };
        (self.views.contains_key(id) || is_dataset()).then(|| format!("../{id}.html"))
    }

    /// The address of the line where the code of a kind begins, from any page but the front.
    pub(crate) fn code_link(&self, kind: &str) -> Option<String> {
        let kind = self
            .recorded
            .kinds
            .iter()
            .find(|known| known.name == kind)?;
        kind.file.as_ref()?;
        Some(format!("../code/{}.html#L{}", kind.name, kind.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_can_stand_in_addresses() {
        assert_eq!(anchor("(t0,t1).la"), "(t0,t1).la");
        assert_eq!(anchor("printed, best move.won"), "printed,-best-move.won");
        assert_eq!(anchor("5 % <b>.p#1"), "5-b-.p-1");
    }
}
