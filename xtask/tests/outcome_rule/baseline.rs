//! Which trivial values would have matched as well.

use crate::cell::Cell;
use crate::files::{Baseline, PublishedValue, ReproducedValue, Tolerance, Value};
use crate::rule::Judge;
use crate::tolerance::{Standard, same_number};

const RANDOM_ORDER: &str = "a random order";

/// A baseline's name in `compare.csv`.
fn name(baseline: &Baseline) -> String {
    match baseline {
        Baseline::Nothing => "none".to_owned(),
        Baseline::Number(n) => n.to_string(),
        Baseline::Text(text) => format!("`{text}` in every row"),
        Baseline::MostCommon => "the most common published value".to_owned(),
        Baseline::Shuffle => "our values of other rows".to_owned(),
        Baseline::Figure(figure) => format!("`{figure}`"),
    }
}

impl Judge<'_> {
    /// The first baseline that `reproduced` in the place of `cell`'s value does not beat.
    pub(crate) fn not_beaten(
        &self,
        cell: &Cell,
        published: &PublishedValue,
        reproduced: &ReproducedValue,
        standard: &Standard,
    ) -> Option<String> {
        if let Tolerance::Tau(t) = standard.tolerance {
            let n = f64::from(u32::try_from(self.order_pairs(cell).len()).unwrap());
            let random = 1.96 * (2.0 * (2.0 * n + 5.0) / (9.0 * n * (n - 1.0))).sqrt();
            return (random >= t).then(|| RANDOM_ORDER.to_owned());
        }
        if standard.tolerance == Tolerance::Order {
            return (self.order_pairs(cell).len() < 4).then(|| RANDOM_ORDER.to_owned());
        }
        for baseline in &self.column(cell).baselines {
            let (beaten, name) = match baseline {
                Baseline::Nothing => (false, name(baseline)),
                Baseline::Number(_) | Baseline::Text(_) => (
                    constant_beaten(published, reproduced, standard, baseline),
                    name(baseline),
                ),
                Baseline::MostCommon => match self.most_common(cell) {
                    None => continue,
                    Some(constant) => (
                        constant_beaten(published, reproduced, standard, &constant),
                        name(&constant),
                    ),
                },
                Baseline::Shuffle if cell.is_mean() => continue,
                Baseline::Shuffle => (
                    self.shuffle_beaten(cell, published, reproduced, standard),
                    name(baseline),
                ),
                Baseline::Figure(figure) => {
                    let trivial = self.figure(&cell.fill(figure));
                    let beaten = trivial.is_some_and(|trivial| {
                        value_beaten(published, reproduced, standard, trivial)
                    });
                    (beaten, cell.fill(&name(baseline)))
                }
            };
            if !beaten {
                return Some(name);
            }
        }
        if published.value.number() == Some(0.0)
            && !number_beaten(published, reproduced, standard, 0.0)
        {
            return Some(name(&Baseline::Number(0.0)));
        }
        let column = self.compared(cell);
        let one_text = column.len() > 1
            && column
                .iter()
                .all(|(_, other, _)| other.value == published.value);
        match &published.value {
            Value::Text(text) if one_text => Some(name(&Baseline::Text(text.clone()))),
            _ => None,
        }
    }

    /// The most common published value of the column, as a constant; a number only if it is published twice.
    fn most_common(&self, cell: &Cell) -> Option<Baseline> {
        let values: Vec<_> = self
            .compared(cell)
            .iter()
            .map(|(_, published, _)| &published.value)
            .collect();
        let count = |value: &Value| values.iter().filter(|other| **other == value).count();
        let mut best: Option<&Value> = None;
        for value in &values {
            let counts = matches!(value, Value::Text(_)) || count(value) > 1 || values.len() == 1;
            if counts && best.is_none_or(|best| count(value) > count(best)) {
                best = Some(value);
            }
        }
        best.map(|best| match best {
            Value::Number(n) => Baseline::Number(*n),
            Value::Text(text) => Baseline::Text(text.clone()),
        })
    }

    /// The baselines of the cell's column, as `compare.csv` lists them.
    pub(crate) fn listed(&self, cell: &Cell) -> String {
        let column = self.column(cell);
        if let Tolerance::Tau(_) | Tolerance::Order = column.tolerance {
            return RANDOM_ORDER.to_owned();
        }
        let listed = column
            .baselines
            .iter()
            .filter(|baseline| !(cell.is_mean() && **baseline == Baseline::Shuffle));
        listed.map(name).collect::<Vec<_>>().join("; ")
    }

    fn shuffle_beaten(
        &self,
        cell: &Cell,
        published: &PublishedValue,
        reproduced: &ReproducedValue,
        standard: &Standard,
    ) -> bool {
        let others: Vec<_> = self
            .compared(cell)
            .iter()
            .filter(|(row, ..)| *row != cell.row)
            .collect();
        let matching = others
            .iter()
            .filter(|(.., other)| in_place(published, reproduced, standard, other))
            .count();
        !others.is_empty() && matching * 20 <= others.len()
    }
}

/// Whether another value would be within the tolerance in the place of V, with V's errors.
fn in_place(
    published: &PublishedValue,
    reproduced: &ReproducedValue,
    standard: &Standard,
    other: &ReproducedValue,
) -> bool {
    let mut moved = *standard;
    if let (Some((low, high)), Some(v), Some(n)) = (
        standard.interval,
        reproduced.value.number(),
        other.value.number(),
    ) {
        moved.interval = Some((low + n - v, high + n - v));
    }
    let other = ReproducedValue {
        value: other.value.clone(),
        written: other.written.clone(),
        ..reproduced.clone()
    };
    moved.within(published, &other)
}

/// Whether a number or a text is beaten.
fn constant_beaten(
    published: &PublishedValue,
    reproduced: &ReproducedValue,
    standard: &Standard,
    constant: &Baseline,
) -> bool {
    match constant {
        Baseline::Number(n) => number_beaten(published, reproduced, standard, *n),
        Baseline::Text(text) => published.value != Value::Text(text.clone()),
        _ => unreachable!("{constant:?} is no constant"),
    }
}

fn value_beaten(
    published: &PublishedValue,
    reproduced: &ReproducedValue,
    standard: &Standard,
    trivial: &ReproducedValue,
) -> bool {
    match trivial.value {
        Value::Number(n) => number_beaten(published, reproduced, standard, n),
        Value::Text(_) => !in_place(published, reproduced, standard, trivial),
    }
}

fn number_beaten(
    published: &PublishedValue,
    reproduced: &ReproducedValue,
    standard: &Standard,
    n: f64,
) -> bool {
    let trivial = ReproducedValue {
        value: Value::Number(n),
        written: n.to_string(),
        ..reproduced.clone()
    };
    let asked = !matches!(standard.tolerance, Tolerance::Quantiles(_));
    if asked && in_place(published, reproduced, standard, &trivial) {
        return false;
    }
    let (Some(p), Some(v)) = (published.value.number(), reproduced.value.number()) else {
        return true;
    };
    if standard.numbers_within(n, published.digits, v, reproduced) {
        return false;
    }
    let (to_trivial, to_published) = ((v - n).abs(), (v - p).abs());
    to_trivial > to_published && !same_number(to_trivial, to_published)
}
