//! Sufficient statistics of the thesis's tables, accumulated over records of games.

use kibitz_experiment::{CellError, Context, Number, Output, RowOutput, SamplesUsed};
use kibitz_heuristics::chute::{N_HEURISTICS, PlyRecord, Polynomial, ctw::Phase};
use kibitz_stats::{
    SampleError,
    inference::Replicates,
    moments::{CrossMoments, PairedMoments},
    ranking::{RankCounts, SamuelCounts, Standing},
    regression::{LeastSquares, RegressionError, forward_selection},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::scored_games::{CLOSENESS, N_VARIABLES, Plies, ScoredGame, variable_row, variables};

/// Sufficient statistics of records, accumulated in one pass and in constant memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    pub(crate) fn of<'r>(
        records: impl IntoIterator<Item = &'r PlyRecord>,
        polynomial: &Polynomial,
    ) -> Result<Self, CellError> {
        let mut tally = Self::new();
        for record in records {
            tally.push(record, polynomial)?;
        }
        Ok(tally)
    }

    fn push(&mut self, record: &PlyRecord, polynomial: &Polynomial) -> Result<(), CellError> {
        let phase = Phase::ALL.iter().position(|&phase| phase == record.phase());
        let phase = phase.ok_or_else(|| CellError::new("the position is in no phase"))?;
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

    /// The statistics of several groups together.
    pub(crate) fn sum<'t>(groups: impl IntoIterator<Item = &'t Self>) -> Result<Self, CellError> {
        let mut sum = Self::new();
        for group in groups {
            sum.merge(group)?;
        }
        Ok(sum)
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
    pub(crate) fn moments(&self, plies: Plies) -> Result<CrossMoments, SampleError> {
        let mut sum = CrossMoments::new(N_VARIABLES + 1);
        for moments in &self.moments[plies.phases()] {
            sum.merge(moments)?;
        }
        Ok(sum)
    }

    /// Correlation of a variable with closeness to a win.
    pub(crate) fn correlation(&self, variable: usize) -> FigureResult {
        let moments = self.moments(Plies::All);
        let found = moments.and_then(|moments| moments.correlation(variable, CLOSENESS));
        found.map_err(|error| error.to_string())
    }

    /// Percentage of the variance of closeness to a win that some variables explain, as far as they are
    /// not redundant.
    pub(crate) fn explained(&self, plies: Plies, variables: &[usize]) -> FigureResult {
        let moments = self.moments(plies).map_err(|error| error.to_string())?;
        match Regression::of(&moments, variables) {
            Ok(regression) => Ok(100.0 * regression.fit.r_squared),
            Err(error) => Err(explain(&error, variables)),
        }
    }

    /// Regression of closeness to a win on some variables, none of them redundant; in words, why there
    /// is none.
    pub(crate) fn fit(&self, plies: Plies, variables: &[usize]) -> Result<LeastSquares, String> {
        let moments = self.moments(plies).map_err(|error| error.to_string())?;
        LeastSquares::of_moments(&moments, variables, CLOSENESS)
            .map_err(|error| explain(&error, variables))
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
            let numbered = groups.iter().enumerate();
            let kept = numbered.filter(|(number, _)| left_out != Some(*number));
            Tally::sum(kept.map(|(_, group)| group))
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

    /// An estimate with its jackknife standard error over groups.
    pub(crate) fn estimate(&self, of: impl Fn(&Tally) -> FigureResult) -> Estimate {
        Estimate {
            value: of(&self.whole),
            without: self.without.iter().map(of).collect(),
        }
    }

    /// Several estimates, each as from [`estimate`](Self::estimate); as many as there are for all groups
    /// together.
    pub(crate) fn estimates(
        &self,
        of: impl Fn(&Tally) -> Vec<FigureResult> + Sync,
    ) -> Vec<Estimate> {
        let without: Vec<Vec<FigureResult>> = self.without.par_iter().map(&of).collect();
        estimates_of(of(&self.whole), &without)
    }

    /// Differences of estimates to those on other statistics of the same groups, with standard errors of
    /// the differences.
    pub(crate) fn gains(
        &self,
        others: &Tallies,
        of: impl Fn(&Tally) -> Vec<FigureResult> + Sync,
    ) -> Vec<Estimate> {
        let gains = |ours: &Tally, others: &Tally| -> Vec<FigureResult> {
            let pairs = of(ours).into_iter().zip(of(others));
            pairs.map(|(ours, others)| Ok(ours? - others?)).collect()
        };
        let without = self.without.par_iter().zip(&others.without);
        let without: Vec<Vec<FigureResult>> =
            without.map(|(ours, others)| gains(ours, others)).collect();
        estimates_of(gains(&self.whole, &others.whole), &without)
    }
}

/// Estimates with the leave-one-out estimates of each.
fn estimates_of(whole: Vec<FigureResult>, without: &[Vec<FigureResult>]) -> Vec<Estimate> {
    let estimate = |(place, value): (usize, FigureResult)| {
        let found = |found: &Vec<FigureResult>| match found.get(place) {
            Some(found) => found.clone(),
            None => Err("the estimate is missing".to_owned()),
        };
        let without = without.iter().map(found).collect();
        Estimate { value, without }
    };
    whole.into_iter().enumerate().map(estimate).collect()
}

/// A figure, or why there is none.
pub(crate) type FigureResult = Result<f64, String>;

/// A figure that is defined only where there is something to compute it from.
pub(crate) fn defined(figure: Option<f64>) -> FigureResult {
    figure.ok_or_else(|| "too few positions, or scores that never differ".to_owned())
}

/// An estimate, and the same with each group left out.
pub(crate) struct Estimate {
    value: FigureResult,
    without: Vec<FigureResult>,
}

/// The figures of a table, each with its jackknife standard error over groups of games.
pub(crate) struct Figures<'c> {
    ctx: &'c Context<'c>,
    output: &'c mut Output,
    used: SamplesUsed,
}

impl<'c> Figures<'c> {
    pub(crate) fn new(ctx: &'c Context<'c>, output: &'c mut Output) -> Self {
        Self {
            ctx,
            output,
            used: SamplesUsed::default(),
        }
    }

    /// A row, for values that are no estimates.
    pub(crate) fn row(&mut self, row: &str) -> RowOutput<'_> {
        self.output.row(row)
    }

    /// Sets an estimate and returns it. Without one the place stays empty, with a warning; one whose
    /// leave-one-out estimates are incomplete has no standard error, and its row gets a note.
    pub(crate) fn set(&mut self, row: &str, column: &str, estimate: Estimate) -> Option<Number> {
        let value = match estimate.value {
            Ok(value) if value.is_finite() => value,
            Ok(value) => {
                self.ctx
                    .warn(format!("`{row}` has no `{column}`: it is {value}"));
                return None;
            }
            Err(why) => {
                self.ctx.warn(format!("`{row}` has no `{column}`: {why}"));
                return None;
            }
        };
        let why = estimate
            .without
            .iter()
            .find_map(|found| found.as_ref().err());
        let without = estimate
            .without
            .iter()
            .map(|found| found.as_ref().ok().copied());
        let without: Replicates = without.collect();
        let std_error = without.jackknife_std_error().ok();
        if !without.is_complete() {
            let why = why.map_or_else(String::new, |why| format!(" ({why})"));
            let text = format!("{without}, too few for a standard error{why}");
            self.used.add(row, column, text);
        }
        let number = Number {
            std_error,
            ..Number::new(value)
        };
        self.output.row(row).set(column, number);
        Some(number)
    }

    /// Reports the figures without a standard error.
    pub(crate) fn finish(self) -> Result<(), CellError> {
        self.used.tell(self.ctx, self.output)
    }
}

/// Why a regression on some variables cannot be computed, in their names.
fn explain(error: &RegressionError, variables: &[usize]) -> String {
    let name = |place: usize| {
        let variable = variables.get(place);
        variable.map_or_else(
            || "a variable".to_owned(),
            |&variable| variable_row(variable),
        )
    };
    match error {
        RegressionError::Constant { variable } => format!("{} never varies", name(*variable)),
        RegressionError::Collinear { variable } => format!(
            "{} is a combination of the variables before it",
            name(*variable)
        ),
        other => other.to_string(),
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
