//! The outcome of all cells of a table together.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde::Serialize;
use statrs::function::erf::erfc;

use super::JudgedCell;
use super::closeness::Gauge;
use super::rows::{ORDER, TOGETHER};
use crate::measurement::Measurement;
use crate::published::{PublishedValue, to_twelve_digits};
use crate::tolerance::Tolerance;

/// How often the rows are shuffled.
const SHUFFLES: usize = 1999;

/// Fewer rows have too few orders to tell.
const FEWEST_ROWS: usize = 4;

/// All judged, independent cells of a table together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Joint {
    /// Of cells that are judged by errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<ByErrors>,
    /// Of the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<ByRows>,
}

/// Whether all differences are as large as their errors let expect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ByErrors {
    /// Cells that are compared.
    pub cells: usize,
    /// Cells outside of their tolerance.
    pub far: usize,
    /// As many are outside by chance if print and ours differ by their errors alone.
    pub expected: f64,
    /// Probability of a difference as rare as the rarest among so many, or less (Bonferroni): an upper
    /// bound, however the figures of the same games go together.
    pub p: f64,
}

/// Whether our values meet the printed ones of their own rows more often than those of others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ByRows {
    /// Cells that are compared.
    pub cells: usize,
    /// Cells within their tolerance.
    pub close: usize,
    /// As many are within it when the rows are shuffled, all columns alike.
    pub expected: f64,
    /// Share of the shuffles that meet print as often or more.
    pub p: f64,
}

impl Joint {
    /// That of a table; `id` seeds the shuffles.
    pub fn new(id: &str, judged: &[JudgedCell]) -> Self {
        let is_independent = |cell: &&JudgedCell| {
            let is_single = cell.row != ORDER && cell.row != TOGETHER;
            is_single && cell.outcome.is_counted()
        };
        let cells: Vec<&JudgedCell> = judged.iter().filter(is_independent).collect();
        Self {
            errors: by_errors(&cells),
            rows: by_rows(id, &cells),
        }
    }
}

impl fmt::Display for Joint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(ByErrors {
            cells,
            far,
            expected,
            p,
        }) = &self.errors
        {
            parts.push(format!(
                "{far} of {cells} cells judged by errors lie outside, {} expected by chance; p = {} \
                 (Bonferroni, whatever the figures have in common)",
                two_digits(*expected),
                two_digits(*p)
            ));
        }
        if let Some(ByRows {
            cells,
            close,
            expected,
            p,
        }) = &self.rows
        {
            parts.push(format!(
                "{close} of {cells} other cells lie within, {} with the rows of ours shuffled; p = {}",
                two_digits(*expected),
                two_digits(*p)
            ));
        }
        f.write_str(&parts.join(". "))
    }
}

/// A number with two significant digits.
fn two_digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-3..1e6).contains(&rounded) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

impl Joint {
    /// The probabilities alone, by the names that the report gives them.
    pub fn short(&self) -> String {
        let errors = self
            .errors
            .iter()
            .map(|errors| format!("{} (Bonferroni-adjusted)", two_digits(errors.p)));
        let rows = self
            .rows
            .iter()
            .map(|rows| format!("{} (permutation)", two_digits(rows.p)));
        errors.chain(rows).collect::<Vec<_>>().join(", ")
    }
}

/// The values of a cell that has both.
fn both(cell: &JudgedCell) -> Option<(&PublishedValue, &Measurement)> {
    cell.printed.as_ref().zip(cell.ours.as_ref())
}

fn gauge<'a>(cell: &'a JudgedCell, printed: &PublishedValue) -> Gauge<'a> {
    Gauge::new(&cell.column, cell.column.tolerance, printed)
}

/// Probability that a normal value lies farther from its mean than so many deviations.
fn two_tails(z: f64) -> f64 {
    erfc(z / std::f64::consts::SQRT_2)
}

fn by_errors(cells: &[&JudgedCell]) -> Option<ByErrors> {
    let mut found = ByErrors {
        cells: 0,
        far: 0,
        expected: 0.0,
        p: 1.0,
    };
    for cell in cells {
        let Some((printed, ours)) = both(cell) else {
            continue;
        };
        let by_error = printed
            .number()
            .and_then(|paper| gauge(cell, printed).in_errors(paper, ours));
        let (p, outside) = match (by_error, cell.column.tolerance) {
            (Some((z, allowed)), _) => (two_tails(z), two_tails(allowed)),
            (None, Tolerance::Quantiles(share)) => match rank(printed, ours) {
                Some(p) => (p, 1.0 - share.get()),
                None => continue,
            },
            _ => continue,
        };
        found.cells += 1;
        found.expected += outside;
        found.p = found.p.min(p);
        found.far += usize::from(cell.outcome.differs());
    }
    found.p = to_twelve_digits((found.p * found.cells as f64).min(1.0));
    found.expected = to_twelve_digits(found.expected);
    (found.cells > 0).then_some(found)
}

/// Two-sided probability that one more replicate lies as far out as print.
fn rank(printed: &PublishedValue, ours: &Measurement) -> Option<f64> {
    let (paper, replicates) = (printed.number()?, ours.replicates.as_ref()?);
    let n = replicates.len() as f64;
    let share = |is_out: &dyn Fn(f64) -> bool| {
        let n_out = replicates.iter().filter(|value| is_out(**value)).count();
        (1.0 + n_out as f64) / (n + 1.0)
    };
    let (below, above) = (
        share(&|value| value <= paper),
        share(&|value| value >= paper),
    );
    Some((2.0 * below.min(above)).min(1.0))
}

fn by_rows(id: &str, cells: &[&JudgedCell]) -> Option<ByRows> {
    let by_error = |cell: &JudgedCell| {
        matches!(
            cell.column.tolerance,
            Tolerance::ReplicateSd(_)
                | Tolerance::StdError(_)
                | Tolerance::Trials(_)
                | Tolerance::Quantiles(_)
                | Tolerance::OwnInterval
                | Tolerance::Order
                | Tolerance::Tau(_)
        )
    };
    let cells: Vec<&JudgedCell> = cells
        .iter()
        .copied()
        .filter(|cell| !by_error(cell) && both(cell).is_some())
        .collect();
    let mut rows: Vec<&str> = Vec::new();
    for cell in &cells {
        if !rows.contains(&cell.row.as_str()) {
            rows.push(&cell.row);
        }
    }
    if rows.len() < FEWEST_ROWS {
        return None;
    }
    let at = |row: &str| rows.iter().position(|known| *known == row);
    // By cell, whether the value of each row in its column would meet its print.
    let meets: Vec<(usize, Vec<bool>)> = cells
        .iter()
        .filter_map(|cell| Some((at(&cell.row)?, meeting(cell, &cells, &rows)?)))
        .collect();
    let count = |order: &[usize]| {
        let met = meets.iter().filter(|(row, meets)| meets[order[*row]]);
        met.count()
    };
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let close = count(&order);
    let mut random = ChaCha8Rng::from_seed(*blake3::hash(id.as_bytes()).as_bytes());
    let (mut total, mut n_as_good) = (0, 0);
    for _ in 0..SHUFFLES {
        for last in (1..order.len()).rev() {
            let bound = last as u64 + 1;
            // Below the number of rows, so that it fits.
            let other = usize::try_from(random.next_u64() % bound).unwrap_or(last);
            order.swap(last, other);
        }
        let met = count(&order);
        total += met;
        n_as_good += usize::from(met >= close);
    }
    let n = SHUFFLES as f64;
    Some(ByRows {
        cells: meets.len(),
        close,
        expected: to_twelve_digits(total as f64 / n),
        p: to_twelve_digits((n_as_good as f64 + 1.0) / (n + 1.0)),
    })
}

/// By row, whether our value of it would meet what is printed of a cell.
fn meeting(cell: &JudgedCell, cells: &[&JudgedCell], rows: &[&str]) -> Option<Vec<bool>> {
    let (printed, _) = both(cell)?;
    let gauge = gauge(cell, printed);
    let of_row = |row: &&str| {
        let is_there =
            |other: &&&JudgedCell| other.row == **row && other.column.name == cell.column.name;
        let ours = cells
            .iter()
            .find(is_there)
            .and_then(|other| other.ours.as_ref());
        ours.is_some_and(|ours| gauge.meets(printed, ours) == Some(true))
    };
    Some(rows.iter().map(of_row).collect())
}
