//! Records as lines of CSV.

use std::{borrow::Cow, io};

use kibitz_experiment::{Records, Values};

/// Writes a line of CSV. A field with a comma, a quote or an end of line stands in quotes; an empty
/// text is `""`, and no value is nothing.
///
/// # Errors
/// Those of the writer.
pub fn csv_line<'t>(
    mut out: impl io::Write,
    fields: impl IntoIterator<Item = Option<&'t str>>,
) -> io::Result<()> {
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        match field {
            None => {}
            Some(text) if text.is_empty() || text.contains([',', '"', '\n', '\r']) => {
                write!(out, "\"{}\"", text.replace('"', "\"\""))?;
            }
            Some(text) => out.write_all(text.as_bytes())?,
        }
    }
    out.write_all(b"\n")
}

/// Writes records as lines of CSV, without a header.
///
/// # Errors
/// Those of the writer.
pub fn csv_records(mut out: impl io::Write, records: &Records) -> io::Result<()> {
    for at in 0..records.len() {
        let texts: Vec<Option<Cow<'_, str>>> = records
            .columns()
            .map(|(_, values)| text_of(values, at))
            .collect();
        csv_line(&mut out, texts.iter().map(Option::as_deref))?;
    }
    Ok(())
}

/// The text of a column's value: of a floating-point number the shortest that reads as the same one.
/// `None` where there is no value.
pub fn text_of(values: &Values, at: usize) -> Option<Cow<'_, str>> {
    match values {
        Values::Int(values) => Some(values.get(at).copied()??.to_string().into()),
        Values::Float(values) => Some(format!("{:?}", values.get(at).copied()??).into()),
        Values::Bool(values) => Some(values.get(at).copied()??.to_string().into()),
        Values::Text(values) => values.get(at)?.as_deref().map(Cow::Borrowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let mut bytes = Vec::new();
        let fields = [
            Some("plain"),
            Some("a,b"),
            Some("say \"hi\""),
            Some("two\nlines"),
            Some(" padded "),
            Some(""),
            None,
        ];
        csv_line(&mut bytes, fields).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\", padded ,\"\",\n"
        );
    }
}
