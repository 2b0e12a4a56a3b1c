//! Queries as syntax trees, parsed before polars sees them: forbidden constructs, and the places of
//! names.

use std::ops::{ControlFlow, Range};

use sqlparser::{
    ast::{
        Expr, GroupByExpr, ObjectName, ObjectNamePart, Query, SelectItem, SetExpr, Spanned as _,
        Statement, TableFactor, TableWithJoins, Visit, Visitor, visit_expressions,
    },
    dialect::GenericDialect,
    parser::{Parser, ParserError, ParserOptions},
    tokenizer::{Location, Span, Token},
};

/// A mistake in a text of SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// Its place; empty if unknown.
    pub(crate) bytes: Range<usize>,
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) label: Option<String>,
}

/// The role of a name in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRole {
    Column,
    /// A table that is read.
    Relation,
    /// The table that qualifies a column.
    Qualifier,
    Function,
}

/// The names in a query, with their places.
#[derive(Debug, Default)]
pub(crate) struct Names(Vec<(NameRole, String, Range<usize>)>);

impl Names {
    /// The first place of a name; an empty range if it does not occur.
    pub(crate) fn place(&self, of: NameRole, name: &str) -> Range<usize> {
        let mut names = self.0.iter();
        let found = names.find(|(named, own, _)| *named == of && own.eq_ignore_ascii_case(name));
        found.map_or(0..0, |(.., bytes)| bytes.clone())
    }
}

/// Reads a query: one `SELECT`, which reads no file by itself.
///
/// # Errors
/// The mistake in its syntax, or each function in place of a table.
pub(crate) fn read_query(sql: &str) -> Result<Names, Vec<Mistake>> {
    let mut parser = parser(sql)?;
    let statements = parser.parse_statements();
    let statements = statements.map_err(|error| vec![syntax(&error, sql)])?;
    let refuse = |bytes, message: &str| {
        let message = message.to_owned();
        Err(vec![Mistake {
            bytes,
            message,
            label: None,
        }])
    };
    match statements.as_slice() {
        [query @ Statement::Query(_)] => names_in(query, sql),
        [other] => refuse(
            bytes(sql, other.span()),
            "not a query: expected SELECT or WITH",
        ),
        [] => refuse(0..0, "not a query: it is empty"),
        [_, second, ..] => refuse(bytes(sql, second.span()), "one query is asked, not several"),
    }
}

/// Whether a query looks at each record of one table by itself, so that its result for records that
/// follow one another is the result for the first ones and that for the others.
pub(crate) fn is_record_wise(sql: &str) -> bool {
    let statements = parser(sql).ok();
    let statements = statements.and_then(|mut parser| parser.parse_statements().ok());
    match statements.as_deref() {
        Some([Statement::Query(query)]) => is_record_wise_query(query),
        _ => false,
    }
}

fn is_record_wise_query(query: &Query) -> bool {
    let Query {
        with: None,
        body,
        order_by: None,
        limit_clause: None,
        fetch: None,
        ..
    } = query
    else {
        return false;
    };
    let SetExpr::Select(select) = &**body else {
        return false;
    };
    let groups = &select.group_by;
    let has_groups = !matches!(groups, GroupByExpr::Expressions(by, _) if by.is_empty());
    let is_plain = select.distinct.is_none()
        && select.top.is_none()
        && select.having.is_none()
        && select.qualify.is_none()
        && !has_groups;
    let [TableWithJoins { relation, joins }] = select.from.as_slice() else {
        return false;
    };
    let is_single = joins.is_empty()
        && match relation {
            TableFactor::Table { args: None, .. } => true,
            TableFactor::Derived { subquery, .. } => is_record_wise_query(subquery),
            _ => false,
        };
    // A function may look at all records; whether it does is not looked into.
    let looks_elsewhere = |expr: &Expr| {
        let found = visit_expressions(expr, |expr| match expr {
            Expr::Function(_)
            | Expr::Subquery(_)
            | Expr::InSubquery { .. }
            | Expr::Exists { .. } => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        found.is_break()
    };
    let chosen = select.projection.iter().all(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            !looks_elsewhere(expr)
        }
        SelectItem::Wildcard(_) => true,
        _ => false,
    });
    let condition = select.selection.as_ref();
    is_plain && is_single && chosen && !condition.is_some_and(looks_elsewhere)
}

/// Reads a condition on records.
///
/// # Errors
/// Like [`read_query`].
pub(crate) fn read_condition(sql: &str) -> Result<Names, Vec<Mistake>> {
    let mut parser = parser(sql)?;
    let condition = parser.parse_expr().and_then(|condition| {
        parser.expect_token(&Token::EOF)?;
        Ok(condition)
    });
    names_in(&condition.map_err(|error| vec![syntax(&error, sql)])?, sql)
}

/// A parser with the dialect of polars.
fn parser(sql: &str) -> Result<Parser<'static>, Vec<Mistake>> {
    let options = ParserOptions {
        trailing_commas: true,
        ..ParserOptions::default()
    };
    let parser = Parser::new(&GenericDialect).with_options(options);
    let parser = parser.try_with_sql(sql);
    parser.map_err(|error| vec![syntax(&error, sql)])
}

/// The names below a node, unless it reads files.
fn names_in(node: &impl Visit, sql: &str) -> Result<Names, Vec<Mistake>> {
    let mut reader = NameReader {
        sql,
        names: Names::default(),
        mistakes: Vec::new(),
    };
    let _ = node.visit(&mut reader);
    if reader.mistakes.is_empty() {
        Ok(reader.names)
    } else {
        Err(reader.mistakes)
    }
}

/// Collects names, and functions in place of tables.
struct NameReader<'s> {
    sql: &'s str,
    names: Names,
    mistakes: Vec<Mistake>,
}

impl NameReader<'_> {
    fn add(&mut self, of: NameRole, name: &str, at: Span) {
        let bytes = bytes(self.sql, at);
        self.names.0.push((of, name.to_owned(), bytes));
    }

    /// Files that a function reads are not in the cache key, so a change in them would go unnoticed.
    fn refuse(&mut self, function: &str, at: Span) {
        self.mistakes.push(Mistake {
            bytes: bytes(self.sql, at),
            message: format!("`{function}` reads what the experiment does not declare"),
            label: Some(
                "a query reads the datasets under `from`; a file enters with `data add`, and a kind \
                 that reads it makes a dataset"
                    .to_owned(),
            ),
        });
    }
}

impl Visitor for NameReader<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table {
                name,
                args: Some(_),
                ..
            }
            | TableFactor::Function { name, .. } => self.refuse(&last(name), name.span()),
            TableFactor::TableFunction { expr, .. } => self.refuse("TABLE", expr.span()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        // The first part is the one that is looked for.
        if let Some(ObjectNamePart::Identifier(first)) = name.0.first() {
            self.add(NameRole::Relation, &first.value, first.span);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) => self.add(NameRole::Column, &name.value, name.span),
            Expr::CompoundIdentifier(names) => {
                if let [table, .., column] = names.as_slice() {
                    self.add(NameRole::Qualifier, &table.value, table.span);
                    self.add(NameRole::Column, &column.value, column.span);
                }
            }
            Expr::Function(function) => {
                self.add(
                    NameRole::Function,
                    &last(&function.name),
                    function.name.span(),
                );
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The last part of a name, without quotation marks.
fn last(name: &ObjectName) -> String {
    let last = name.0.last().and_then(ObjectNamePart::as_ident);
    last.map_or_else(|| name.to_string(), |last| last.value.clone())
}

/// A syntax error and its place.
fn syntax(error: &ParserError, sql: &str) -> Mistake {
    let text = match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text.as_str(),
        ParserError::RecursionLimitExceeded => "it is nested too deeply",
    };
    let (said, at) = text.split_once(" at Line: ").unwrap_or((text, ""));
    let end = sql.trim_end().len();
    let bytes = line_and_column(at).map_or(end..end, |at| word_at(sql, at));
    let what = match said.strip_prefix("Expected: ") {
        Some(rest) => {
            let (expected, found) = rest.split_once(", found: ").unwrap_or((rest, "EOF"));
            // Words of the language stand in capitals, what is described does not.
            let is_code = !expected.chars().any(char::is_lowercase);
            let expected = if is_code {
                format!("`{expected}`")
            } else {
                expected.to_owned()
            };
            match found {
                "EOF" => format!("expected {expected}, found the end"),
                found => format!("expected {expected}, found `{found}`"),
            }
        }
        None => said.to_owned(),
    };
    Mistake {
        bytes,
        message: format!("not a query: {what}"),
        label: None,
    }
}

/// `2, Column: 8`.
fn line_and_column(place: &str) -> Option<Location> {
    let (line, column) = place.split_once(", Column: ")?;
    let column = column.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(Location::new(line.parse().ok()?, column.parse().ok()?))
}

/// The byte of a place; the last one of the text for what lies beyond it.
fn offset(text: &str, at: Location) -> usize {
    let n_before = usize::try_from(at.line.saturating_sub(1)).unwrap_or(usize::MAX);
    let n_columns = usize::try_from(at.column.saturating_sub(1)).unwrap_or(usize::MAX);
    let lines = text.split_inclusive('\n').take(n_before);
    let before: usize = lines.map(str::len).sum();
    let rest = &text[before..];
    let column = rest.char_indices().nth(n_columns);
    before + column.map_or(rest.len(), |(at, _)| at)
}

fn bytes(text: &str, span: Span) -> Range<usize> {
    if span == Span::empty() {
        return 0..0;
    }
    offset(text, span.start)..offset(text, span.end)
}

fn word_at(text: &str, at: Location) -> Range<usize> {
    let start = offset(text, at);
    let ends = |c: char| c.is_whitespace() || c == ',';
    let word = text[start..].split(ends).next();
    start..start + word.map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The mistakes in a query, each with the words it points at.
    fn mistakes(sql: &str) -> Vec<(String, String)> {
        let found = read_query(sql).err().unwrap_or_default();
        let told = |mistake: Mistake| (sql[mistake.bytes].to_owned(), mistake.message);
        found.into_iter().map(told).collect()
    }

    #[test]
    fn functions_in_place_of_tables_are_refused_wherever_they_stand() {
        for (sql, function) in [
            ("SELECT * FROM read_csv('own.csv')", "read_csv"),
            ("SELECT * FROM\n  Read_Parquet('a') AS t", "Read_Parquet"),
            ("SELECT * FROM \"read_csv\"('own.csv')", "\"read_csv\""),
            ("SELECT * FROM m JOIN read_json('a') USING (n)", "read_json"),
            ("SELECT * FROM m, read_ipc('a')", "read_ipc"),
            (
                "WITH t AS (SELECT * FROM read_csv('a')) SELECT * FROM t",
                "read_csv",
            ),
            (
                "SELECT * FROM (SELECT * FROM read_csv('a')) AS t",
                "read_csv",
            ),
            (
                "SELECT n FROM m WHERE n IN (SELECT n FROM read_csv('a'))",
                "read_csv",
            ),
            (
                "SELECT (SELECT 1 FROM read_csv('a')) AS n FROM m",
                "read_csv",
            ),
            (
                "SELECT n FROM m UNION ALL SELECT n FROM read_csv('a')",
                "read_csv",
            ),
            (
                "SELECT n FROM m ORDER BY (SELECT 1 FROM read_csv('a'))",
                "read_csv",
            ),
            (
                "SELECT n FROM (m CROSS JOIN read_csv('a')) AS t",
                "read_csv",
            ),
            ("SELECT n FROM m, LATERAL read_any('a')", "read_any"),
        ] {
            let [(place, message)] = &mistakes(sql)[..] else {
                panic!("{sql}: {:?}", mistakes(sql));
            };
            assert_eq!(place, function, "{sql}");
            assert!(message.contains("reads what the experiment does not declare"));
        }
        let both = "SELECT * FROM read_csv('a'), read_csv('b')";
        assert_eq!(mistakes(both).len(), 2);
        let in_condition = read_condition("n IN (SELECT n FROM read_csv('a'))");
        assert_eq!(in_condition.err().map_or(0, |found| found.len()), 1);
        assert!(mistakes("SELECT COUNT(*) AS n, read_csv FROM m AS read_csv").is_empty());
    }

    #[test]
    fn what_is_no_query_is_told_with_its_place() {
        for (sql, place, message) in [
            ("SELECT 1,\n COUNT(* AS n", "AS", "expected `)`, found `AS`"),
            ("SELECT n FROM", "", "found the end"),
            ("SELECT 'a FROM m", "'a", "Unterminated string literal"),
            ("", "", "it is empty"),
            ("DROP TABLE m", "", "expected SELECT or WITH"),
            ("SELECT 1; SELECT 2", "SELECT 2", "one query is asked"),
        ] {
            let [(found, said)] = &mistakes(sql)[..] else {
                panic!("{sql}: {:?}", mistakes(sql));
            };
            assert_eq!(found, place, "{sql}: {said}");
            assert!(said.contains(message), "{sql}: {said}");
        }
        let deep = format!("SELECT {}1", "(".repeat(10_000));
        assert_eq!(mistakes(&deep).len(), 1);
        let two = read_condition("TRUE) AS c0, (n > 0")
            .err()
            .unwrap_or_default();
        assert!(two[0].message.contains("found `)`"), "{two:?}");
    }

    #[test]
    fn names_have_their_places() {
        let sql = "SELECT t.\"the eyes\", AVG(n)\nFROM throws AS t WHERE ä = 1 AND n > 0";
        let names = read_query(sql).unwrap_or_default();
        let at = |of, name| &sql[names.place(of, name)];
        assert_eq!(at(NameRole::Column, "the eyes"), "\"the eyes\"");
        assert_eq!(at(NameRole::Column, "n"), "n");
        assert_eq!(at(NameRole::Column, "ä"), "ä");
        assert_eq!(at(NameRole::Relation, "throws"), "throws");
        assert_eq!(at(NameRole::Function, "avg"), "AVG");
        assert_eq!(at(NameRole::Function, "sum"), "");
    }

    proptest! {
        /// Words of the language in any order: no panic, and every place is one of the text.
        #[test]
        fn any_text_is_read_or_refused(
            words in proptest::collection::vec(
                prop_oneof![
                    Just("SELECT"), Just("FROM"), Just("WITH"), Just("AS"), Just("read_csv"),
                    Just("("), Just(")"), Just("'a'"), Just("'"), Just("\""), Just("ä"), Just(","),
                    Just("*"), Just("\n"), Just(";"), Just("JOIN"), Just("1"), Just("m"),
                ],
                0..25,
            ),
        ) {
            let sql = words.join(" ");
            for found in [read_query(&sql), read_condition(&sql)] {
                for mistake in found.err().unwrap_or_default() {
                    prop_assert!(sql.get(mistake.bytes).is_some(), "{sql:?}");
                }
            }
        }
    }
}
