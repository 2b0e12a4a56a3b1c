//! The rule of docs/outcomes.md, line by line.

use std::collections::BTreeMap;

use crate::cell::{Cell, MEAN, ORDER, glob};
use crate::files::{
    Column, PublishedError, PublishedValue, ReproducedValue, Table, Tables, Tolerance, Value,
};
use crate::tolerance::{Standard, equal_at_digits, off_by_two, same_number, same_text, tau_b};

/// No value: the files do not say whether the cell was not run or failed.
pub(crate) const NO_VALUE: &str = "not run or error";

/// What the rule says of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) word: &'static str,
    /// What the outcome would be if the cell were not a variant, fitted or one of several draws.
    pub(crate) otherwise: Option<&'static str>,
}

/// How a value compares with the published one, by lines 11 to 15.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Comparison {
    Matches,
    Weak,
    Inconclusive,
    Differs,
}

/// One of the values that are compared together.
#[derive(Clone, Copy, Debug)]
struct Draw {
    p: f64,
    v: f64,
    variance: f64,
}

const INFO: Outcome = Outcome {
    word: "info",
    otherwise: None,
};

/// A row with its published and its reproduced value.
pub(crate) type ComparedValues<'a> = (&'a str, &'a PublishedValue, &'a ReproducedValue);

/// Judges the cells of one table.
#[derive(Clone, Debug)]
pub(crate) struct Judge<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) table: &'a Table,
    /// The compared cells of each column, variants and fitted ones among them.
    compared: BTreeMap<&'a str, Vec<ComparedValues<'a>>>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(tables: &'a Tables, table: &'a Table) -> Self {
        let empty = Self {
            tables,
            table,
            compared: BTreeMap::new(),
        };
        let mut compared: BTreeMap<_, Vec<ComparedValues<'_>>> = BTreeMap::new();
        for recorded in &table.recorded {
            let key = (recorded.row.clone(), recorded.column.clone());
            let (published, reproduced) = (table.published.get(&key), table.reproduced.get(&key));
            let cell = Cell {
                row: key.0,
                column: key.1,
            };
            if let (Some(p), Some(v)) = (published, reproduced)
                && empty.first_lines(&cell, published, reproduced).is_none()
            {
                compared.entry(recorded.column.as_str()).or_default().push((
                    recorded.row.as_str(),
                    p,
                    v,
                ));
            }
        }
        Self { compared, ..empty }
    }

    pub(crate) fn column(&self, cell: &Cell) -> &Column {
        &self.table.columns[&cell.column]
    }

    /// The published value of a cell, also of the two rows that compare a column as a whole.
    pub(crate) fn published(&self, cell: &Cell) -> Option<PublishedValue> {
        if let Some(published) = self
            .table
            .published
            .get(&(cell.row.clone(), cell.column.clone()))
        {
            return Some(published.clone());
        }
        match cell.row.as_str() {
            ORDER => Some(PublishedValue::from_number("1.00")),
            MEAN => Some(PublishedValue::from_number(&twelve_digits(mean(
                self.draws(cell).iter().map(|draw| draw.p),
            )?))),
            _ => None,
        }
    }

    /// The reproduced value of a cell, also of the two rows that compare a column as a whole.
    pub(crate) fn reproduced(&self, cell: &Cell) -> Option<ReproducedValue> {
        if let Some(reproduced) = self
            .table
            .reproduced
            .get(&(cell.row.clone(), cell.column.clone()))
        {
            return Some(reproduced.clone());
        }
        let (value, se) = match cell.row.as_str() {
            ORDER => (tau_b(&self.order_pairs(cell))?, None),
            MEAN => {
                let draws = self.draws(cell);
                let variance = mean(draws.iter().map(|draw| draw.variance))?;
                let rows = f64::from(u32::try_from(draws.len()).unwrap());
                (
                    mean(draws.iter().map(|draw| draw.v))?,
                    Some(variance.sqrt() / rows.sqrt()),
                )
            }
            _ => return None,
        };
        let written = twelve_digits(value);
        let value = Value::Number(written.parse().unwrap());
        Some(ReproducedValue {
            value,
            written,
            sd: None,
            n: None,
            se,
            samples: None,
            replicates: Vec::new(),
        })
    }

    /// The value that `row.column` or `paper/table: row.column` names.
    pub(crate) fn figure(&self, name: &str) -> Option<&ReproducedValue> {
        let (table, cell) = self.find(name)?;
        table.reproduced.get(&(cell.row, cell.column))
    }

    pub(crate) fn find(&self, name: &str) -> Option<(&Table, Cell)> {
        let cell = |name: &str| {
            name.rsplit_once('.')
                .map(|(row, column)| Cell::new(row, column))
        };
        if let Some((table, rest)) = name.split_once(':')
            && let Some(table) = self.tables.get(table.trim())
        {
            return Some((table, cell(rest.trim())?));
        }
        Some((self.table, cell(name)?))
    }

    pub(crate) fn standard(&self, cell: &Cell) -> Standard {
        let column = self.column(cell);
        let end = |end: &str| {
            self.reproduced(&Cell::new(&cell.row, &format!("{}-{end}", cell.column)))?
                .value
                .number()
        };
        let (tolerance, published_error) = if cell.is_mean() {
            (Tolerance::StdError(2.0), PublishedError::None)
        } else {
            (column.tolerance, column.published_error)
        };
        Standard {
            tolerance,
            published_error,
            percent: column.percent,
            interval: end("low").zip(end("high")),
        }
    }

    /// The cells of the column that are compared.
    pub(crate) fn compared(&self, cell: &Cell) -> &[ComparedValues<'a>] {
        self.compared
            .get(cell.column.as_str())
            .map_or(&[], Vec::as_slice)
    }

    pub(crate) fn order_pairs(&self, cell: &Cell) -> Vec<(f64, f64)> {
        self.compared(cell)
            .iter()
            .filter_map(|(_, p, v)| p.value.number().zip(v.value.number()))
            .collect()
    }

    /// The draws that the row of means compares.
    fn draws(&self, cell: &Cell) -> Vec<Draw> {
        let together = self
            .compared(cell)
            .iter()
            .filter(|(row, ..)| self.is_together(row));
        let draws = together.filter_map(|(_, published, reproduced)| {
            let (p, v) = published.value.number().zip(reproduced.value.number())?;
            Some(Draw {
                p,
                v,
                variance: reproduced.sd?.powi(2) * (1.0 + 1.0 / reproduced.n?),
            })
        });
        draws.collect()
    }

    fn is_together(&self, row: &str) -> bool {
        self.table.together.iter().any(|pattern| glob(pattern, row))
    }

    /// Judges one cell.
    pub(crate) fn outcome(&self, cell: &Cell) -> Outcome {
        let (published, reproduced) = (self.published(cell), self.reproduced(cell));
        if let Some(word) = self.first_lines(cell, published.as_ref(), reproduced.as_ref()) {
            return Outcome {
                word,
                otherwise: None,
            };
        }
        let reproduced = reproduced.unwrap();
        let Some(published) = published else {
            return self.unpublished(cell, &reproduced);
        };
        let variant = self.column(cell).variant_of
            || self
                .table
                .variants
                .iter()
                .any(|pattern| glob(pattern, &cell.row) || glob(pattern, &cell.name()));
        let fitted = self.table.fitted.iter().any(|cells| cell.named_by(cells));
        let together = match self.column(cell).tolerance {
            Tolerance::Tau(_) => cell.row != ORDER,
            Tolerance::ReplicateSd(_) => self.is_together(&cell.row),
            _ => false,
        };
        let standard = self.standard(cell);
        let word = if matches!(standard.tolerance, Tolerance::Tau(_)) && together
            || !standard.exists(&reproduced)
        {
            "info"
        } else {
            match self.compare(cell, &published, &reproduced) {
                Comparison::Matches => "matches",
                Comparison::Weak => "matches (weak)",
                Comparison::Inconclusive => "inconclusive",
                Comparison::Differs => self.differs(cell, Some(&published), &reproduced),
            }
        };
        let otherwise = (word != "info").then_some(word);
        match (variant, fitted, together) {
            (true, _, _) => Outcome {
                word: "variant",
                otherwise,
            },
            (_, true, _) => Outcome {
                word: "fitted",
                otherwise,
            },
            (_, _, true) => Outcome {
                word: "info",
                otherwise,
            },
            _ => Outcome {
                word,
                otherwise: None,
            },
        }
    }

    /// The baseline that a compared cell does not beat; none if line 11 decides before baselines are asked.
    pub(crate) fn baseline(&self, cell: &Cell) -> Option<String> {
        let (published, reproduced, standard) = (
            self.published(cell)?,
            self.reproduced(cell)?,
            self.standard(cell),
        );
        if is_off(&published, &reproduced, &standard) {
            return None;
        }
        self.not_beaten(cell, &published, &reproduced, &standard)
    }

    /// Lines 1 to 5.
    pub(crate) fn first_lines(
        &self,
        cell: &Cell,
        published: Option<&PublishedValue>,
        reproduced: Option<&ReproducedValue>,
    ) -> Option<&'static str> {
        let info = self.column(cell).tolerance == Tolerance::Info;
        let Some(reproduced) = reproduced else {
            // The files do not say that a value depends on the machine: only such a column is without values.
            return Some(if info { "info" } else { NO_VALUE });
        };
        if cell.named_by(&self.table.inputs) {
            return Some("input");
        }
        if published.is_some()
            && let Some(same) = self.is_same(cell, reproduced)
        {
            return Some(if same {
                "derived"
            } else {
                "differs (unexplained)"
            });
        }
        if info {
            return Some("info");
        }
        (published.is_some() && cell.named_by(&self.table.doubtful)).then_some("illegible")
    }

    /// Line 8.
    fn unpublished(&self, cell: &Cell, reproduced: &ReproducedValue) -> Outcome {
        let Tolerance::Within(low, high) = self.column(cell).tolerance else {
            return INFO;
        };
        let inside = |v| (low..=high).contains(&v) || same_number(v, low) || same_number(v, high);
        if reproduced.value.number().is_none_or(inside) {
            return INFO;
        }
        Outcome {
            word: self.differs(cell, None, reproduced),
            otherwise: None,
        }
    }

    /// Lines 11 to 15 for a value in the place of the cell's.
    pub(crate) fn compare(
        &self,
        cell: &Cell,
        published: &PublishedValue,
        reproduced: &ReproducedValue,
    ) -> Comparison {
        let standard = self.standard(cell);
        let within = match standard.tolerance {
            Tolerance::Order => self.ranks_alike(cell, published, reproduced),
            _ => standard.within(published, reproduced),
        };
        if is_off(published, reproduced, &standard) {
            return if within && standard.of_our_spread() {
                Comparison::Inconclusive
            } else {
                Comparison::Differs
            };
        }
        if within
            && self.is_test(cell)
            && self
                .not_beaten(cell, published, reproduced, &standard)
                .is_none()
        {
            Comparison::Matches
        } else if is_equal(published, reproduced, &standard)
            || within && (!standard.of_our_spread() || !self.is_test(cell))
        {
            Comparison::Weak
        } else if within {
            Comparison::Inconclusive
        } else {
            Comparison::Differs
        }
    }

    /// Whether V ranks among the compared rows of its column as P does.
    fn ranks_alike(
        &self,
        cell: &Cell,
        published: &PublishedValue,
        reproduced: &ReproducedValue,
    ) -> bool {
        let Some((p, v)) = published.value.number().zip(reproduced.value.number()) else {
            return false;
        };
        self.order_pairs(cell).iter().all(|(other_p, other_v)| {
            let (dp, dv) = (other_p - p, other_v - v);
            same_number(*other_p, p) || !same_number(*other_v, v) && (dp > 0.0) == (dv > 0.0)
        })
    }

    /// Whether a baseline is declared, so that the value could have failed.
    fn is_test(&self, cell: &Cell) -> bool {
        let column = self.column(cell);
        !column.baselines.is_empty()
            || matches!(column.tolerance, Tolerance::Tau(_) | Tolerance::Order)
    }
}

/// Whether V is equal to P at the published digits or the same text.
fn is_equal(published: &PublishedValue, reproduced: &ReproducedValue, standard: &Standard) -> bool {
    let numbers = published.value.number().zip(reproduced.value.number());
    same_text(published, reproduced)
        || numbers.is_some_and(|(p, v)| equal_at_digits(p, published.digits, v, standard.tolerance))
}

/// Whether V is off by more than a factor of two, and not equal.
fn is_off(published: &PublishedValue, reproduced: &ReproducedValue, standard: &Standard) -> bool {
    let numbers = published.value.number().zip(reproduced.value.number());
    numbers.is_some_and(|(p, v)| off_by_two(p, v)) && !is_equal(published, reproduced, standard)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

/// A number with twelve significant digits, as the tables have it.
pub(crate) fn twelve_digits(x: f64) -> String {
    format!("{x:.11e}").parse::<f64>().unwrap().to_string()
}

/// The outcomes of all recorded cells of a table.
pub(crate) fn judge(tables: &Tables, table: &Table) -> Vec<Outcome> {
    let judge = Judge::new(tables, table);
    table
        .recorded
        .iter()
        .map(|cell| judge.outcome(&Cell::new(&cell.row, &cell.column)))
        .collect()
}
