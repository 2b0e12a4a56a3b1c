//! Signed digraphs: which variable pushes which, and which way.

use kibitz_text::{Diagnostics, SourceFile, suggestion};

use crate::rows::{Row, Rows};

/// The sign of a link: the direction in which its source pushes its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkSign {
    /// More of the source makes the target rise.
    Positive,
    /// More of the source makes the target fall.
    Negative,
    /// One or the other.
    Unknown,
}

impl LinkSign {
    /// `+`, `-` or `?`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Positive => "+",
            Self::Negative => "-",
            Self::Unknown => "?",
        }
    }

    /// The sign by the ways in which diagrams write it: `+` and `-`, `s` and `o` of system dynamics
    /// (same, opposite), `1` and `-1`, `?`.
    fn find(text: &str) -> Option<Self> {
        match text.to_lowercase().as_str() {
            "+" | "+1" | "1" | "s" | "positive" => Some(Self::Positive),
            "-" | "-1" | "\u{2212}" | "\u{2212}1" | "o" | "negative" => Some(Self::Negative),
            "?" => Some(Self::Unknown),
            _ => None,
        }
    }
}

/// A link: the direct effect of one variable on the rate of change of another, or its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Index of the variable that pushes.
    pub from: usize,
    /// Index of the variable that is pushed.
    pub to: usize,
    /// Which way.
    pub sign: LinkSign,
}

/// A signed digraph, or causal loop diagram: variables and the direct effects among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// Names of the variables.
    pub variables: Vec<String>,
    /// The links, at most one from each variable to each.
    pub links: Vec<Link>,
}

impl Diagram {
    /// Reads a diagram from CSV: columns `from`, `to` and `sign`, one row per link; `file` is the name
    /// that messages show.
    ///
    /// Signs are `+`, `-` and `?`, or `s` and `o` for same and opposite. Variables come in the order in
    /// which they first appear.
    ///
    /// # Errors
    /// All mistakes of the file, up to some number.
    pub fn from_csv(file: &str, text: &str) -> Result<Self, Diagnostics> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = SourceFile::new(file, text);
        let mut rows = Rows::new(text);
        let mut found = Diagnostics::new();
        let width;
        let columns = match rows.next() {
            None => {
                let missing = source.error_at(0..0, "missing row of column names");
                found.push(missing.with_label("write `from,to,sign`"));
                return Err(found);
            }
            Some(head) => {
                width = head.len();
                head_columns(&source, &head, &mut found)
            }
        };
        let Some(columns) = columns else {
            return Err(found.in_reading_order());
        };
        let mut diagram = Self::default();
        let mut lines: Vec<usize> = Vec::new();
        for row in rows {
            if found.len() >= MOST_MISTAKES {
                break;
            }
            let added = match row.wrong_length(width) {
                Some(message) => Err(Box::new(source.error_at(row.line(), message))),
                None => diagram.add_row(&source, &row, &columns, &lines),
            };
            match added {
                Ok(()) => lines.push(source.line_of(row.span(0).start)),
                Err(mistake) => found.push(*mistake),
            }
        }
        if found.is_empty() && diagram.links.is_empty() {
            let end = text.len();
            let none = source.error_at(end..end, "the diagram has no link");
            found.push(none.with_label("write a row such as `births,population,+`"));
        }
        found.in_reading_order().into_result(diagram)
    }

    fn add_row(
        &mut self,
        source: &SourceFile,
        row: &Row<'_>,
        columns: &[usize; 3],
        lines: &[usize],
    ) -> Result<(), Box<kibitz_text::Diagnostic>> {
        let [from, to, sign] = columns.map(|at| (row.get(at), row.span(at)));
        for (name, (cell, span)) in COLUMNS.iter().zip([&from, &to, &sign]) {
            if cell.is_empty() {
                let missing = source.error_at(span.clone(), format!("the link has no `{name}`"));
                return Err(Box::new(missing));
            }
        }
        let Some(found) = LinkSign::find(sign.0) else {
            let message = format!("`{}` is not a sign", sign.0);
            let wrong = source.error_at(sign.1, message);
            return Err(Box::new(wrong.with_label("expected `+`, `-` or `?`")));
        };
        let link = Link {
            from: self.variable(from.0),
            to: self.variable(to.0),
            sign: found,
        };
        let known = self
            .links
            .iter()
            .position(|own| (own.from, own.to) == (link.from, link.to));
        if let Some(known) = known {
            let message = format!("there are two links from `{}` to `{}`", from.0, to.0);
            let label = format!("the first is in line {}", lines[known]);
            return Err(Box::new(source.error_at(from.1, message).with_label(label)));
        }
        self.links.push(link);
        Ok(())
    }

    /// The index of a variable by its name, a new one if it is new.
    pub(super) fn variable(&mut self, name: &str) -> usize {
        let known = self.variables.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.variables.push(name.to_owned());
            self.variables.len() - 1
        })
    }

    /// Gives every variable without a link to itself one with the sign `-`.
    pub fn limit_all(&mut self) {
        for variable in 0..self.variables.len() {
            let is_own = |link: &Link| link.from == variable && link.to == variable;
            if !self.links.iter().any(is_own) {
                self.links.push(Link {
                    from: variable,
                    to: variable,
                    sign: LinkSign::Negative,
                });
            }
        }
    }

    /// The links `+` and `-` as bits, by target and source.
    pub(super) fn bits(&self) -> Vec<Vec<u8>> {
        let n = self.variables.len();
        let mut bits = vec![vec![0; n]; n];
        for link in &self.links {
            bits[link.to][link.from] = match link.sign {
                LinkSign::Positive => super::terms::PLUS,
                LinkSign::Negative => super::terms::MINUS,
                LinkSign::Unknown => super::terms::PLUS | super::terms::MINUS,
            };
        }
        bits
    }
}

/// Maximum number of errors reported per file.
const MOST_MISTAKES: usize = 10;

/// The columns of a file of links.
const COLUMNS: [&str; 3] = ["from", "to", "sign"];

/// The places of the columns; none if one is missing.
fn head_columns(
    source: &SourceFile,
    head: &Row<'_>,
    found: &mut Diagnostics,
) -> Option<[usize; 3]> {
    let names: Vec<&str> = (0..head.len()).map(|at| head.get(at)).collect();
    let at = COLUMNS.map(|wanted| {
        let mut names = names.iter();
        names.position(|name| name.eq_ignore_ascii_case(wanted))
    });
    if let [Some(from), Some(to), Some(sign)] = at {
        return Some([from, to, sign]);
    }
    let missing = COLUMNS.iter().zip(at).filter(|(_, at)| at.is_none());
    let missing: Vec<String> = missing.map(|(name, _)| format!("`{name}`")).collect();
    let message = format!("missing column {}", missing.join(", "));
    let label = match names
        .iter()
        .find(|name| !COLUMNS.contains(&&*name.to_lowercase()))
    {
        Some(other) if kibitz_text::nearest(other, COLUMNS).is_some() => {
            format!("`{other}`: {}", suggestion(other, COLUMNS))
        }
        _ => "the first row names the columns: `from,to,sign`".to_owned(),
    };
    found.push(source.error_at(head.span(0), message).with_label(label));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_in_any_column_order() {
        let text = "sign;to;from\n+;hare;grass\no;grass;hare\n";
        let found = Diagram::from_csv("loops.csv", text).expect("sound");
        assert_eq!(found.variables, ["grass", "hare"]);
        let signs: Vec<&str> = found.links.iter().map(|link| link.sign.name()).collect();
        assert_eq!(signs, ["+", "-"]);
    }

    #[test]
    fn mistakes_have_their_places() {
        let text = "from,to,sign\na,b,+\na,b,-\nb,c,x\n,c,+\nc,a,+,-\n";
        let said = Diagram::from_csv("loops.csv", text)
            .expect_err("mistakes")
            .to_string();
        for part in [
            "loops.csv:3:1",
            "the first is in line 2",
            "loops.csv:4:5",
            "`x` is not a sign",
            "loops.csv:5:1",
            "the link has no `from`",
            "loops.csv:6:1",
            "the row has 4 cells, expected 3",
        ] {
            assert!(said.contains(part), "{part}\n{said}");
        }
        let said = Diagram::from_csv("loops.csv", "form,to,sign\n")
            .expect_err("no column")
            .to_string();
        assert!(
            said.contains("missing column `from`") && said.contains("did you mean `from`?"),
            "{said}"
        );
    }
}
