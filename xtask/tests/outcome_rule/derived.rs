//! Line 3: values that follow from others, or repeat one.

use crate::cell::Cell;
use crate::files::{ReproducedValue, Value};
use crate::rule::Judge;

impl Judge<'_> {
    /// Whether a value is the one that it repeats or follows from; none if it is no such value.
    pub(crate) fn is_same(&self, cell: &Cell, reproduced: &ReproducedValue) -> Option<bool> {
        let column = self.column(cell);
        if let Some(same_as) = &column.same_as {
            return Some(
                match (&self.figure(&cell.fill(same_as))?.value, &reproduced.value) {
                    (Value::Number(x), Value::Number(v)) => {
                        (x - v).abs() <= 1e-6 * x.abs().max(v.abs())
                    }
                    (x, v) => x == v,
                },
            );
        }
        let x = self.evaluate(cell, column.derived.as_deref()?)?;
        Some(
            reproduced
                .value
                .number()
                .is_some_and(|v| (x - v).abs() <= 1e-6 * x.abs().max(0.001)),
        )
    }

    /// The value of an expression of `derived`.
    fn evaluate(&self, cell: &Cell, expression: &str) -> Option<f64> {
        let expression = cell.fill(expression);
        let mut terms: Vec<f64> = Vec::new();
        let mut operators: Vec<char> = Vec::new();
        for (at, part) in expression.split('`').enumerate() {
            let words = if at % 2 == 1 {
                vec![part]
            } else {
                part.split_whitespace().collect()
            };
            for word in words {
                if at % 2 == 0 && ["+", "-", "*", "/"].contains(&word) {
                    operators.push(word.chars().next().unwrap());
                    continue;
                }
                let value = if at % 2 == 1 {
                    self.figure(word)?.value.number()?
                } else if let Ok(number) = word.parse() {
                    number
                } else {
                    self.reproduced(&Cell::new(&cell.row, word))?
                        .value
                        .number()?
                };
                match operators.last() {
                    Some('*') if terms.len() == operators.len() => *terms.last_mut()? *= value,
                    Some('/') if terms.len() == operators.len() => *terms.last_mut()? /= value,
                    _ => {
                        terms.push(value);
                        continue;
                    }
                }
                operators.pop();
            }
        }
        let mut sum = *terms.first()?;
        for (operator, term) in operators.iter().zip(&terms[1..]) {
            sum += if *operator == '-' { -term } else { *term };
        }
        Some(sum)
    }
}
