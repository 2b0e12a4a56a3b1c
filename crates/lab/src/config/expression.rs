//! `derived` of a column: arithmetic over figures.

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error};

/// Sums and products of numbers and figures, such as `100 - p7`.
///
/// Terms stand between spaces. A name is a column of the same row, or between backticks any figure:
/// `row.column` or `paper/table:row.column`, where `{row}` and `{column}` stand for the cell.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(transparent)]
pub struct Expression {
    #[schemars(with = "String")]
    text: String,
    #[schemars(skip)]
    terms: Vec<(Operator, Operand)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Over,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Number(f64),
    /// A column of the same row.
    Column(String),
    /// A figure with its row.
    Figure(String),
}

impl Expression {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads one.
    ///
    /// # Errors
    /// What is missing where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let unfit = |found: &str| format!("found `{found}`, expected terms such as `100 - p7`");
        let mut terms = Vec::new();
        let mut operator = Some(Operator::Plus);
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (token, after) = match rest.strip_prefix('`') {
                Some(quoted) => quoted.split_once('`').ok_or_else(|| unfit(rest))?,
                None => rest.split_once(' ').unwrap_or((rest, "")),
            };
            let is_quoted = rest.starts_with('`');
            rest = after.trim_start();
            operator = match (operator, token) {
                (Some(operator), _) if is_quoted => {
                    terms.push((operator, Operand::Figure(token.to_owned())));
                    None
                }
                (None, "+") => Some(Operator::Plus),
                (None, "-") => Some(Operator::Minus),
                (None, "*") => Some(Operator::Times),
                (None, "/") => Some(Operator::Over),
                (Some(_), "+" | "-" | "*" | "/") | (None, _) => return Err(unfit(token)),
                (Some(operator), _) => {
                    let operand = match token.parse::<f64>() {
                        Ok(number) if number.is_finite() => Operand::Number(number),
                        _ => Operand::Column(token.to_owned()),
                    };
                    terms.push((operator, operand));
                    None
                }
            };
        }
        if operator.is_some() {
            return Err(unfit(text));
        }
        Ok(Self {
            text: text.to_owned(),
            terms,
        })
    }

    /// Its value, products before sums; `None` where a figure is missing. `figure` gives that of a
    /// column of the same row, or of a name with its row.
    pub fn value(
        &self,
        column: &dyn Fn(&str) -> Option<f64>,
        figure: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        let (mut sum, mut product) = (0.0, 0.0);
        for (operator, operand) in &self.terms {
            let value = match operand {
                Operand::Number(value) => *value,
                Operand::Column(name) => column(name)?,
                Operand::Figure(name) => figure(name)?,
            };
            match operator {
                Operator::Times => product *= value,
                Operator::Over => product /= value,
                Operator::Plus => {
                    sum += product;
                    product = value;
                }
                Operator::Minus => {
                    sum += product;
                    product = -value;
                }
            }
        }
        let value = sum + product;
        value.is_finite().then_some(value)
    }

    /// The figures with their rows, and the columns, that it names.
    pub fn names(&self) -> impl Iterator<Item = (&str, bool)> {
        self.terms.iter().filter_map(|(_, operand)| match operand {
            Operand::Number(_) => None,
            Operand::Column(name) => Some((name.as_str(), false)),
            Operand::Figure(name) => Some((name.as_str(), true)),
        })
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        let column = |name: &str| (name == "a-1").then_some(0.25);
        let figure = |name: &str| (name == "other row.p").then_some(8.0);
        Expression::parse(text).unwrap().value(&column, &figure)
    }

    #[test]
    fn products_come_before_sums() {
        assert_eq!(value("1 - a-1"), Some(0.75));
        assert_eq!(value("2 * a-1 + `other row.p` / 4 - 1"), Some(1.5));
        assert_eq!(value("1 - b"), None);
        assert_eq!(value("1 / 0"), None);
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "1 -", "- 1", "a b", "`a", "1 + + 2"] {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
    }
}
