//! Decided classes beside the classes of the examples.

use std::fmt::Write as _;

use kibitz_text::counted;

use super::evaluation::Share;

/// The classes that objects got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionTable {
    /// The names of the classes.
    pub classes: Vec<String>,
    /// The number of objects by their class among the examples, then by the one that they got.
    pub table: Vec<Vec<usize>>,
    /// The objects that no clause covers, and how many of them are right.
    pub uncovered: [usize; 2],
    /// The objects that clauses of several classes cover, and how many of them are right.
    pub contested: [usize; 2],
    /// The most frequent classes of the training objects: one, or one for each fold.
    pub usual: Vec<usize>,
    /// Objects that are of no class or of several among the examples, and are not decided.
    pub n_left_out: usize,
}

impl DecisionTable {
    /// The number of objects.
    pub fn n(&self) -> usize {
        self.table.iter().flatten().sum()
    }

    /// The objects that got their class.
    pub fn accuracy(&self) -> Option<Share> {
        let right = (0..self.table.len()).map(|class| self.table[class][class]);
        Share::of(right.sum(), self.n())
    }

    /// Adds the decisions about other objects, as of another fold.
    pub fn add(&mut self, other: &Self) {
        let cells = self.table.iter_mut().flatten();
        for (own, more) in cells.zip(other.table.iter().flatten()) {
            *own += more;
        }
        for side in 0..2 {
            self.uncovered[side] += other.uncovered[side];
            self.contested[side] += other.contested[side];
        }
        self.usual.extend(&other.usual);
        self.n_left_out += other.n_left_out;
    }

    /// The accuracy, the confusion table and how the uncovered and the contested objects were decided, as
    /// Prolog comments; `what` says which objects they are.
    pub fn text(&self, what: &str) -> String {
        let accuracy = self
            .accuracy()
            .map_or("-".to_owned(), |own| own.to_string());
        let objects = counted(self.n(), "object", "objects");
        let mut text = format!("% classes of {objects}{what}: accuracy {accuracy}\n");
        let corner = String::from("true \\ decided");
        let names = self.classes.iter().chain([&corner]);
        let first = names.map(|own| own.chars().count()).max().unwrap_or(0);
        let mut line = |name: &str, cells: &[String]| {
            let _ = write!(text, "%   {name:<first$}");
            for (class, cell) in cells.iter().enumerate() {
                let column = self.width(class);
                let _ = write!(text, "  {cell:>column$}");
            }
            text.push('\n');
        };
        line(&corner, &self.classes);
        for (name, row) in self.classes.iter().zip(&self.table) {
            let cells: Vec<String> = row.iter().map(usize::to_string).collect();
            line(name, &cells);
        }
        let mut how = Vec::new();
        let [n, n_right] = self.uncovered;
        if n > 0 {
            let usual = match &self.usual[..] {
                [first, rest @ ..] if rest.iter().all(|own| own == first) => {
                    format!(" {}", self.classes[*first])
                }
                _ => String::new(),
            };
            how.push(format!(
                "covered by no clause: {}, decided as the most frequent class{usual} ({n_right} right)",
                counted(n, "object", "objects")
            ));
        }
        let [n, n_right] = self.contested;
        if n > 0 {
            how.push(format!(
                "covered by clauses of several classes: {}, decided by the most precise clause ({n_right} right)",
                counted(n, "object", "objects")
            ));
        }
        if how.is_empty() {
            how.push("each object is covered by clauses of one class".to_owned());
        }
        let _ = writeln!(text, "% {}", how.join("; "));
        if self.n_left_out > 0 {
            let objects = counted(self.n_left_out, "object", "objects");
            let _ = writeln!(
                text,
                "% left out: {objects} with no class or several among the positive examples"
            );
        }
        text
    }

    /// The width of a column: that of its name, or of its largest number.
    fn width(&self, class: usize) -> usize {
        let cells = self.table.iter().map(|row| row[class].to_string().len());
        cells
            .chain([self.classes[class].chars().count()])
            .max()
            .unwrap_or(0)
    }
}
