//! The fields of a line of triples, and errors in it.

use std::borrow::Cow;
use std::ops::Range;

use kibitz_text::{Diagnostic, Failure, Location};

/// An error in a line, and its bytes.
pub(crate) struct Mistake {
    pub(crate) message: String,
    pub(crate) span: Range<usize>,
    pub(crate) label: String,
}

impl Mistake {
    /// The error in lines of a file, of which the first has this number.
    pub(crate) fn at(self, name: &str, number: usize, text: &str) -> Failure {
        let mut location = Location::new(name, text, self.span);
        if let Some(excerpt) = &mut location.excerpt {
            excerpt.line += number - 1;
        }
        Diagnostic::new(self.message)
            .at(location)
            .with_label(self.label)
            .into()
    }
}

/// First lines that name the columns, in any case.
const HEADERS: [[&str; 3]; 4] = [
    ["head", "relation", "tail"],
    ["subject", "predicate", "object"],
    ["subject", "relation", "object"],
    ["source", "relation", "target"],
];

/// Whether a row names the columns.
pub(crate) fn is_header(fields: [&str; 3]) -> bool {
    let names = |header: &[&str; 3]| {
        let mut pairs = header.iter().zip(fields);
        pairs.all(|(name, field)| name.eq_ignore_ascii_case(field.trim()))
    };
    HEADERS.iter().any(names)
}

/// The text of a record of CSV.
pub(crate) enum CsvRecord<'l> {
    /// Its fields, each after the place where it begins.
    Whole(Vec<(usize, Cow<'l, str>)>),
    /// Where a quoted field begins that goes on in the next line.
    OpenQuote(usize),
}

/// Separates the fields of a record of CSV, between which this ASCII character is.
pub(crate) fn csv_fields(record: &str, separator: char) -> Result<CsvRecord<'_>, Mistake> {
    let mut fields = Vec::with_capacity(3);
    let mut at = 0;
    loop {
        let rest = &record[at..];
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find(separator).unwrap_or(rest.len());
            fields.push((at, Cow::Borrowed(&rest[..end])));
            if end == rest.len() {
                break;
            }
            at += end + 1;
            continue;
        };
        let Some(end) = end_of_quoted(quoted) else {
            return Ok(CsvRecord::OpenQuote(at));
        };
        let text = &quoted[..end];
        let field = if text.contains('"') {
            Cow::Owned(text.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(text)
        };
        fields.push((at, field));
        at += end + 2;
        match record[at..].chars().next() {
            None => break,
            Some(next) if next == separator => at += 1,
            Some(other) => {
                return Err(Mistake {
                    message: "text after the end of a quoted field".to_owned(),
                    span: at..at + other.len_utf8(),
                    label: format!(
                        "expected {} or the end of the line; a quote inside is written `\"\"`",
                        match separator {
                            ',' => "a comma".to_owned(),
                            other => format!("`{other}`"),
                        }
                    ),
                });
            }
        }
    }
    Ok(CsvRecord::Whole(fields))
}

/// Three fields, each after the place where it begins.
pub(crate) fn three<'l>(
    line: &str,
    fields: impl Iterator<Item = (usize, Cow<'l, str>)>,
    separator: char,
) -> Result<[Cow<'l, str>; 3], Mistake> {
    let mut found = [const { Cow::Borrowed("") }; 3];
    let mut n = 0;
    let wrong = |message: String, start: usize| Mistake {
        message,
        span: start..line.len(),
        label: format!(
            "expected head, relation and tail, separated by {}",
            match separator {
                '\t' => "tabs".to_owned(),
                ',' => "commas".to_owned(),
                other => format!("`{other}`"),
            }
        ),
    };
    for (start, field) in fields {
        if n == 3 {
            return Err(wrong("more than three fields".to_owned(), start));
        }
        if field.is_empty() {
            return Err(empty(n, start));
        }
        found[n] = field;
        n += 1;
    }
    if n < 3 {
        let fields = kibitz_text::counted(n, "field", "fields");
        return Err(wrong(format!("{fields} instead of three"), 0));
    }
    Ok(found)
}

/// Where the quote is that ends a quoted field, whose first quote is left out.
fn end_of_quoted(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('"')?;
        if !text[at + 1..].starts_with('"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Behind the dot that ends a statement of N-Triples, which the parser has accepted.
pub(crate) fn end_of_statement(line: &str) -> usize {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '<' => {
                chars.find(|(_, c)| *c == '>');
            }
            '"' => {
                let mut is_escaped = false;
                chars.find(|(_, c)| {
                    let is_end = *c == '"' && !is_escaped;
                    is_escaped = *c == '\\' && !is_escaped;
                    is_end
                });
            }
            // Labels of blank nodes may have dots inside.
            '_' => {
                let label = line[at..].split([' ', '\t', '<', '"', '#']).next();
                let label = label.unwrap_or_default().trim_end_matches('.');
                while chars
                    .next_if(|(next, _)| *next < at + label.len())
                    .is_some()
                {}
            }
            '.' => return at + 1,
            _ => {}
        }
    }
    line.len()
}

fn empty(place: usize, at: usize) -> Mistake {
    let name = ["head", "relation", "tail"][place];
    Mistake {
        message: format!("the {name} is empty"),
        span: at..at,
        label: "expected a name".to_owned(),
    }
}

pub(crate) fn without_brackets(name: &str) -> &str {
    let inner = name
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    inner.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use oxttl::NTriplesParser;

    use super::*;

    #[test]
    fn a_statement_ends_with_its_own_dot() {
        for statement in [
            "<e:a.b> <e:b> <e:c>.",
            "_:a.b <e:b> _:c.d.",
            r#"<e:a> <e:b> "x \". y"@en ."#,
            r#"<e:a> <e:b> "\\"^^<e:t.u> ."#,
        ] {
            let n = NTriplesParser::new().for_slice(statement).flatten().count();
            assert_eq!(n, 1, "{statement}");
            assert_eq!(end_of_statement(statement), statement.len(), "{statement}");
            let longer = format!("{statement} <e:d> . #");
            assert_eq!(end_of_statement(&longer), statement.len(), "{longer}");
        }
    }
}
