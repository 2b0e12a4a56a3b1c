//! Sufficient statistics of the thesis's tables, accumulated over records of games.

use kibitz_experiment::{CellError, Number, RowOutput};
use kibitz_heuristics::chute::{N_HEURISTICS, PlyRecord, Polynomial, ctw::Phase};
use kibitz_stats::{
    inference::jackknife_std_error,
    moments::{CrossMoments, PairedMoments},
    ranking::{RankCounts, SamuelCounts, Standing},
    regression::{LeastSquares, RegressionError, forward_selection},
};
use rayon::prelude::*;

use crate::scored_games::{CLOSENESS, N_VARIABLES, Plies, ScoredGame, variables};

/// Sufficient statistics of records, accumulated in one pass and in constant memory.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    ranks: [RankCounts; 3],
    samuel: [SamuelCounts; 3],
    /// Paired scores of first choice and master move: each heuristic, then the polynomial.
    all: Vec<PairedMoments>,
    moments: [CrossMoments; 3],
}

impl Tally {
    pub(crate) fn new() -> Self {
        let moments = || CrossMoments::new(N_VARIABLES + 1);
        Self {
            ranks: Default::default(),
            samuel: Default::default(),
            all: vec![PairedMoments::default(); N_HEURISTICS + 1],
            moments: [moments(), moments(), moments()],
        }
    }

    /// The statistics of records under a polynomial.
    pub(crate) fn of(records: &[PlyRecord], polynomial: &Polynomial) -> Result<Self, CellError> {
        let mut tally = Self::new();
        for record in records {
            tally.push(record, polynomial)?;
        }
        Ok(tally)
    }

    fn push(&mut self, record: &PlyRecord, polynomial: &Polynomial) -> Result<(), CellError> {
        let phase = Phase::ALL
            .iter()
            .position(|&phase| phase == record.phase())
            .unwrap_or(0);
        let totals = record.totals(polynomial);
        let standing = Standing::of(&totals, record.played)
            .ok_or_else(|| CellError::new("the move played has no score"))?;
        self.ranks[phase].record(standing.rank());
        self.samuel[phase].record(standing);

        let choice = record.first_choice(&totals);
        let (ours, masters) = (&record.moves[choice], record.played_scores());
        let both = ours.iter().zip(masters).map(|(&a, &b)| (a, b));
        for (n, (ours, masters)) in both
            .chain([(totals[choice], totals[record.played])])
            .enumerate()
        {
            self.all[n].push(ours, masters);
        }

        let mut values = [0.0; N_VARIABLES + 1];
        let positions = record.position_scores(record.played);
        values[..N_VARIABLES].copy_from_slice(&variables(record, &positions));
        values[CLOSENESS] = record.closeness;
        self.moments[phase].push(&values)?;
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self) -> Result<(), CellError> {
        for phase in 0..3 {
            self.ranks[phase] += &other.ranks[phase];
            self.samuel[phase] += other.samuel[phase];
            self.moments[phase].merge(&other.moments[phase])?;
        }
        for (sum, pairs) in self.all.iter_mut().zip(&other.all) {
            *sum += *pairs;
        }
        Ok(())
    }

    pub(crate) fn ranks(&self, plies: Plies) -> RankCounts {
        let mut sum = RankCounts::new();
        for ranks in &self.ranks[plies.phases()] {
            sum += ranks;
        }
        sum
    }

    pub(crate) fn samuel(&self, plies: Plies) -> SamuelCounts {
        let mut sum = SamuelCounts::default();
        for &samuel in &self.samuel[plies.phases()] {
            sum += samuel;
        }
        sum
    }

    /// Moments of the [`variables`] by the move played, and of [`CLOSENESS`].
    pub(crate) fn moments(&self, plies: Plies) -> Result<CrossMoments, CellError> {
        let mut sum = CrossMoments::new(N_VARIABLES + 1);
        for moments in &self.moments[plies.phases()] {
            sum.merge(moments)?;
        }
        Ok(sum)
    }

    /// Regression of closeness to a win on some variables; `None` if it is singular.
    pub(crate) fn fit(&self, plies: Plies, variables: &[usize]) -> Option<LeastSquares> {
        let moments = self.moments(plies).ok()?;
        LeastSquares::of_moments(&moments, variables, CLOSENESS).ok()
    }

    /// Paired scores of first choice and master move: each heuristic's, then the polynomial's.
    pub(crate) fn pairs(&self) -> &[PairedMoments] {
        &self.all
    }
}

/// Statistics of all groups of games, and without each group, for jackknife standard errors.
pub(crate) struct Tallies {
    pub(crate) whole: Tally,
    /// Without each group in turn.
    without: Vec<Tally>,
}

impl Tallies {
    /// Statistics of games under a polynomial; each game is a group.
    pub(crate) fn of_games<'a>(
        games: impl IntoParallelIterator<Item = &'a ScoredGame, Iter: IndexedParallelIterator>,
        polynomial: &Polynomial,
    ) -> Result<Self, CellError> {
        let groups: Vec<Tally> = games
            .into_par_iter()
            .map(|game| Tally::of(&game.records, polynomial))
            .collect::<Result<_, _>>()?;
        Self::of_groups(&groups)
    }

    pub(crate) fn of_groups(groups: &[Tally]) -> Result<Self, CellError> {
        let merged = |left_out: Option<usize>| -> Result<Tally, CellError> {
            let mut sum = Tally::new();
            for (number, group) in groups.iter().enumerate() {
                if left_out != Some(number) {
                    sum.merge(group)?;
                }
            }
            Ok(sum)
        };
        Ok(Self {
            whole: merged(None)?,
            without: (0..groups.len())
                .into_par_iter()
                .map(|number| merged(Some(number)))
                .collect::<Result<_, _>>()?,
        })
    }

    pub(crate) fn n_groups(&self) -> usize {
        self.without.len()
    }

    /// An estimate with its jackknife standard error over groups; `None` without an estimate, and without
    /// a standard error if some leave-one-out estimate is missing.
    pub(crate) fn estimate(&self, estimate: impl Fn(&Tally) -> Option<f64>) -> Option<Number> {
        let value = estimate(&self.whole)?;
        let without = self.without.iter().map(estimate).collect();
        Some(jackknifed(value, without))
    }

    /// Several estimates, each as from [`estimate`](Self::estimate).
    pub(crate) fn estimates(
        &self,
        estimates: impl Fn(&Tally) -> Option<Vec<f64>> + Sync,
    ) -> Option<Vec<Number>> {
        let without: Option<_> = self.without.par_iter().map(&estimates).collect();
        Some(jackknifed_all(&estimates(&self.whole)?, without.as_ref()))
    }

    /// Differences of estimates to those on other statistics of the same groups, with standard errors of
    /// the differences.
    pub(crate) fn gains(
        &self,
        others: &Tallies,
        estimates: impl Fn(&Tally) -> Option<Vec<f64>> + Sync,
    ) -> Option<Vec<Number>> {
        let gains = |ours: &Tally, others: &Tally| -> Option<Vec<f64>> {
            let pairs = estimates(ours)?.into_iter().zip(estimates(others)?);
            Some(pairs.map(|(ours, others)| ours - others).collect())
        };
        let without = self.without.par_iter().zip(&others.without);
        let without: Option<_> = without.map(|(ours, others)| gains(ours, others)).collect();
        let whole = gains(&self.whole, &others.whole)?;
        Some(jackknifed_all(&whole, without.as_ref()))
    }
}

/// Several estimates with their jackknife standard errors.
fn jackknifed_all(values: &[f64], without: Option<&Vec<Vec<f64>>>) -> Vec<Number> {
    let number = |(place, &value): (usize, &f64)| {
        let column = |rows: &Vec<Vec<f64>>| {
            let rows = rows.iter();
            rows.map(|row| row.get(place).copied()).collect()
        };
        jackknifed(value, without.and_then(column))
    };
    values.iter().enumerate().map(number).collect()
}

/// An estimate with its jackknife standard error, from leave-one-out estimates.
fn jackknifed(value: f64, without: Option<Vec<f64>>) -> Number {
    let std_error = without.and_then(|without| jackknife_std_error(&without).ok());
    Number {
        std_error,
        ..Number::new(value)
    }
}

/// Sets a number in a row, if present.
pub(crate) fn set_found(
    row: &mut RowOutput<'_>,
    column: impl Into<String>,
    number: Option<Number>,
) {
    if let Some(number) = number {
        row.set(column, number);
    }
}

/// Regression of closeness to a win on the variables that are not redundant.
pub(crate) struct Regression {
    /// The variables included, ascending.
    pub(crate) variables: Vec<usize>,
    /// The fit.
    pub(crate) fit: LeastSquares,
}

impl Regression {
    /// Leaves out only constant and collinear variables: the thesis gives no thresholds.
    pub(crate) fn of(
        moments: &CrossMoments,
        candidates: &[usize],
    ) -> Result<Self, RegressionError> {
        let entries = forward_selection(moments, candidates, CLOSENESS, 0.0)?;
        let mut variables: Vec<usize> = entries.iter().map(|entry| entry.variable).collect();
        variables.sort_unstable();
        Ok(Self {
            fit: LeastSquares::of_moments(moments, &variables, CLOSENESS)?,
            variables,
        })
    }
}
