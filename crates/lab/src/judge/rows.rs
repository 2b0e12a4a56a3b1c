//! Outcomes of several rows at once: their order, and their mean.

use super::agreement::{Agreement, Facts, RANDOM_ORDER};
use super::baseline::UnbeatenBaseline;
use super::{ExclusionReason, JudgedCell, PendingCell};
use crate::config::baseline::Baseline;
use crate::config::entry::{Entry, TableColumn};
use crate::figure::Values;
use crate::measurement::Measurement;
use crate::outcome::Outcome;
use crate::published::{PublishedValue, twelve_digits, with_digits};
use crate::tolerance::{Distance, Tolerance};
use crate::wire::Figure;

/// The row that holds the outcome on the ranking of a whole column.
pub(super) const ORDER: &str = "order of all rows";

/// The row that holds the outcome on the mean of several rows; two standard errors decide.
pub(super) const TOGETHER: &str = "mean of the rows together";

/// Rows that the runner adds.
pub const WHOLE_ROWS: [&str; 2] = [ORDER, TOGETHER];

/// Fewer values stand in the right order by chance more often than once in twenty times.
const FEWEST_RANKED: usize = 4;

/// Judges the columns whose ranking counts, now that all of their values are known.
pub(super) fn judge_order(entry: &Entry, cells: &mut Vec<PendingCell>) {
    for column in &entry.columns {
        if !matches!(column.tolerance, Tolerance::Order | Tolerance::Tau(_)) {
            continue;
        }
        let (places, pairs): (Vec<usize>, Vec<(f64, f64)>) = cells
            .iter()
            .enumerate()
            .filter(|(_, pending)| pending.is_open && pending.cell.column.name == column.name)
            .filter_map(|(idx, PendingCell { cell, .. })| {
                let printed = cell.printed.as_ref().and_then(PublishedValue::number)?;
                let ours = cell.ours.as_ref().and_then(Measurement::number)?;
                Some((idx, (printed, ours)))
            })
            .unzip();
        if let Tolerance::Tau(least) = column.tolerance {
            let tau = judge_tau(column, least, &pairs);
            cells.extend(tau.map(|pending| pending.in_place(entry)));
            continue;
        }
        for (idx, close) in places.into_iter().zip(same_order(&pairs)) {
            cells[idx].agreement = Some(close);
        }
    }
}

/// The outcome on the order of a whole column; its single cells are shown, not judged.
fn judge_tau(column: &TableColumn, least: Distance, pairs: &[(f64, f64)]) -> Option<PendingCell> {
    let found = RankCorrelation::new(pairs)?;
    // Print goes with itself.
    let printed = PublishedValue::new(&Figure::Number(1.0), "1.00");
    Some(PendingCell {
        cell: JudgedCell {
            row: ORDER.to_owned(),
            column: column.clone(),
            printed: Some(printed),
            ours: Some(Measurement::exact(found.tau)),
            difference: Some(found.tau - 1.0),
            outcome: Outcome::Info,
            baseline: String::new(),
            reason: String::new(),
            is_undeclared: false,
        },
        aside: None,
        tolerance: column.tolerance,
        is_open: true,
        agreement: Some(found.agreement(least)),
    })
}

/// Judges the means of the rows that the experiment takes together: print, one draw a row, against
/// the mean over our replicates, with both errors.
pub(super) fn judge_together(entry: &Entry, cells: &mut Vec<PendingCell>, values: &Values<'_>) {
    for column in &entry.columns {
        if !matches!(column.tolerance, Tolerance::ReplicateSd(_)) {
            continue;
        }
        let of_column = cells.iter().filter(|pending| {
            let together = &entry.experiment.file.together;
            pending.is_open
                && pending.cell.column.name == column.name
                && together.name_row(&pending.cell.row)
        });
        let rows: Vec<(f64, f64, f64)> = of_column
            .filter_map(|PendingCell { cell, .. }| {
                let (printed, ours) = (cell.printed.as_ref()?.number()?, cell.ours.as_ref()?);
                let variance = ours.std_dev?.powi(2) * (1.0 + 1.0 / f64::from(ours.n));
                Some((printed, ours.number()?, variance))
            })
            .collect();
        if !rows.is_empty() {
            let together = mean_of(column, &rows, cells, values);
            cells.push(together.in_place(entry));
        }
    }
}

/// The mean of rows, of each of which there are the printed value, ours, and the variance of their
/// difference.
fn mean_of(
    column: &TableColumn,
    rows: &[(f64, f64, f64)],
    cells: &[PendingCell],
    values: &Values<'_>,
) -> PendingCell {
    let n = rows.len() as f64;
    let mean = |part: fn(&(f64, f64, f64)) -> f64| rows.iter().map(part).sum::<f64>() / n;
    let (printed, ours) = (mean(|row| row.0), mean(|row| row.1));
    let measured = Measurement {
        std_error: Some((mean(|row| row.2) / n).sqrt()),
        ..Measurement::exact(ours)
    };
    let printed = PublishedValue::new(&Figure::Number(printed), &twelve_digits(printed));
    // The error of the published value is among the variances.
    let column = TableColumn {
        tolerance: Tolerance::StdError(Distance::TWO),
        published_error: None,
        // Of one mean there is nothing to shuffle.
        baseline: column
            .baseline
            .iter()
            .filter(|baseline| **baseline != Baseline::Shuffle)
            .cloned()
            .collect(),
        ..column.clone()
    };
    let tolerance = column.tolerance;
    let mut pending = PendingCell {
        cell: JudgedCell {
            row: TOGETHER.to_owned(),
            difference: printed.number().map(|printed| ours - printed),
            column: column.clone(),
            printed: Some(printed),
            ours: Some(measured),
            outcome: Outcome::Info,
            baseline: String::new(),
            reason: String::new(),
            is_undeclared: false,
        },
        aside: None,
        tolerance,
        is_open: true,
        agreement: None,
    };
    pending.agreement = Agreement::new(&pending, cells, values);
    pending
}

impl PendingCell {
    /// The same, counted or not as the experiment says of its row and column.
    fn in_place(self, entry: &Entry) -> Self {
        let aside = ExclusionReason::of(entry, &self.cell.row, &self.cell.column);
        Self { aside, ..self }
    }
}

/// For each pair of published value and ours, whether it ranks among the others as published.
///
/// Values published as equal may come in either order.
fn same_order(pairs: &[(f64, f64)]) -> Vec<Agreement> {
    let is_same = |(paper, ours): &(f64, f64)| {
        pairs.iter().all(|(other_paper, other_ours)| {
            paper
                .partial_cmp(other_paper)
                .is_none_or(|order| order.is_eq() || ours.partial_cmp(other_ours) == Some(order))
        })
    };
    let agreement = |pair: &(f64, f64)| {
        let printed = PublishedValue::new(&Figure::Number(pair.0), &twelve_digits(pair.0));
        let ours = Measurement::exact(pair.1);
        let facts = Facts::new(Tolerance::Order, is_same(pair), &printed, &ours);
        Agreement::decide(&facts, || {
            (pairs.len() < FEWEST_RANKED).then(|| {
                UnbeatenBaseline::new(
                    RANDOM_ORDER,
                    "so few values are in the right order by chance",
                )
            })
        })
    };
    pairs.iter().map(agreement).collect()
}

/// How far two rankings go together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RankCorrelation {
    /// Kendall's tau-b: 1 for the same order, -1 for the reverse, without equal values.
    tau: f64,
    /// Nineteen of twenty random orders lie between this and its negative (Kendall 1938; normal
    /// approximation).
    by_chance: f64,
}

impl RankCorrelation {
    /// That of at least two pairs which are not all equal on one side.
    fn new(pairs: &[(f64, f64)]) -> Option<Self> {
        let (mut concordance, mut one, mut other) = (0.0, 0.0, 0.0);
        let sign = |a: f64, b: f64| f64::from(i8::from(a > b) - i8::from(a < b));
        for (at, (x, y)) in pairs.iter().enumerate() {
            for (x_before, y_before) in &pairs[..at] {
                let (dx, dy) = (sign(*x, *x_before), sign(*y, *y_before));
                concordance += dx * dy;
                one += dx.abs();
                other += dy.abs();
            }
        }
        let n = pairs.len() as f64;
        let variance = 2.0 * (2.0 * n + 5.0) / (9.0 * n * (n - 1.0));
        let tau = concordance / f64::sqrt(one * other);
        tau.is_finite().then_some(Self {
            tau,
            by_chance: 1.96 * variance.sqrt(),
        })
    }

    /// Whether the orders go together at least so far, and farther than by chance.
    fn agreement(self, least: Distance) -> Agreement {
        let printed = PublishedValue::new(&Figure::Number(1.0), "1.00");
        let ours = Measurement::exact(self.tau);
        let is_within = self.tau >= least.get();
        let facts = Facts::new(Tolerance::Tau(least), is_within, &printed, &ours);
        Agreement::decide(&facts, || {
            (self.by_chance >= least.get()).then(|| {
                let reach = with_digits(self.by_chance, 2);
                UnbeatenBaseline::new(RANDOM_ORDER, format!("random orders reach {reach}"))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Agreement::{Close, Far};
    use super::*;

    fn is_weak(agreement: &Agreement) -> bool {
        matches!(agreement, Agreement::Weak { .. })
    }

    #[test]
    fn rankings_go_together_farther_than_by_chance() {
        let of = |ours: &[f64]| {
            let pairs: Vec<(f64, f64)> = (1..).map(f64::from).zip(ours.iter().copied()).collect();
            RankCorrelation::new(&pairs)
        };
        // Five of the six pairs stand as printed.
        let found = of(&[1.0, 3.0, 2.0, 4.0]).unwrap();
        assert!((found.tau - 4.0 / 6.0).abs() < 1e-12);
        assert!(is_weak(&found.agreement(Distance::new(0.5).unwrap())));
        assert_eq!(found.agreement(Distance::new(0.7).unwrap()), Far);
        let many: Vec<f64> = (0..20).map(|step| f64::from(step ^ 1)).collect();
        let found = of(&many).unwrap();
        assert!((found.tau - (190.0 - 20.0) / 190.0).abs() < 1e-12);
        assert!((found.by_chance - 1.96 * f64::sqrt(90.0 / 3420.0)).abs() < 1e-12);
        assert_eq!(found.agreement(Distance::new(0.5).unwrap()), Close);
        assert_eq!(of(&[2.0, 2.0, 2.0]), None);
    }

    #[test]
    fn order_marks_the_cells_out_of_place() {
        let of_three = same_order(&[(10.0, 10.0), (20.0, 30.0), (21.0, 20.0)]);
        assert!(is_weak(&of_three[0]));
        assert_eq!(of_three[1..], [Far, Far]);
        assert_eq!(
            same_order(&[(10.0, 10.0), (20.0, 30.0), (30.0, 40.0), (40.0, 50.0)]),
            [Close, Close, Close, Close]
        );
        let ties = same_order(&[(2.0, 3.0), (2.0, 2.0), (5.0, 9.0)]);
        assert!(ties.iter().all(is_weak));
        // Two rows stand in the right order every second time.
        assert!(same_order(&[(2.0, 3.0), (3.0, 4.0)]).iter().all(is_weak));
        assert_eq!(same_order(&[(1.0, 3.0), (2.0, 3.0)]), [Far, Far]);
    }
}
