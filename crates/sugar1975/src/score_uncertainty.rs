//! `score-uncertainty`: prediction of the regression error by the heuristics, and overlap of the error
//! bounds of the master move and the top-scored move.

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Output, Problems, RowOutput,
};
use kibitz_heuristics::chute::{
    Interpretations, N_HEURISTICS, PlyRecord, Polynomial, UncertainScore, overlap_factor,
};
use kibitz_stats::{
    moments::CrossMoments,
    regression::{Constant, LeastSquares, forward_selection},
    summary::quantile,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    scored_games::{LibraryParams, Plies, ScoredGame, VariableParams, every_heuristic, variables},
    sufficient_statistics::{Regression, Tallies},
};

/// Squared residuals regressed on the heuristics, and the factor K at which bounds overlap.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ScoreUncertainty {
    /// The games.
    library: LibraryParams,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RowParams {
    /// The row of the table.
    row: String,
    /// The variables of the scoring regression.
    variables: VariableParams,
    /// The constant term of the uncertainty polynomial.
    #[serde(default)]
    constant: ConstantParam,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ConstantParam {
    /// Fitted, as statistics packages do.
    #[default]
    Fitted,
    /// Zero, as in the thesis's polynomial.
    Zero,
}

impl From<ConstantParam> for Constant {
    fn from(constant: ConstantParam) -> Self {
        match constant {
            ConstantParam::Fitted => Constant::Fitted,
            ConstantParam::Zero => Constant::Zero,
        }
    }
}

/// Quantiles of the smallest K, in percent of positions.
const SHARES: [u32; 5] = [50, 75, 90, 95, 99];

/// A column of a quantile of the smallest K.
macro_rules! smallest_k {
    ($share:literal) => {
        Column::new(
            concat!("k-", $share),
            "",
            concat!(
                "smallest K at which the bounds overlap in ",
                $share,
                "% of the positions"
            ),
        )
    };
}

impl Experiment for ScoreUncertainty {
    type Row = ();

    const NAME: &'static str = "score-uncertainty";
    const EXAMPLE: &'static str = include_str!("../examples/score-uncertainty.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new(
            "reliability",
            "%",
            "variance that the scoring regression explains",
        ),
        Column::new(
            "explained",
            "%",
            "variance of the squared residuals that the heuristics explain; without a constant, \
             of their sum of squares",
        ),
        Column::new(
            "beyond-constant",
            "%",
            "variance of the squared residuals that the fitted uncertainty explains, at least 0",
        ),
        Column::new(
            "first-seven",
            "",
            "the first seven heuristics to enter, in order",
        ),
        Column::new(
            "negative",
            "%",
            "moves whose uncertainty has a negative radicand",
        ),
        Column::new(
            "on-top",
            "%",
            "positions whose master move has the best score",
        ),
        smallest_k!(50),
        smallest_k!(75),
        smallest_k!(90),
        smallest_k!(95),
        smallest_k!(99),
        Column::new(
            "never",
            "%",
            "positions where no K does: both uncertainties are 0",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        problems.each("rows", &self.rows, |row, problems| {
            row.variables.check(problems);
        });
    }

    fn cells(&self) -> Vec<Cell> {
        self.library.cell(self.rows.iter().map(|row| &row.row))
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let games = self.library.score(ctx, Interpretations::ADOPTED)?;
        let moments = Tallies::of_games(&games, &Polynomial::default())?
            .whole
            .moments(Plies::All)?;
        for params in &self.rows {
            ctx.check()?;
            let scoring = Regression::of(&moments, &params.variables.numbers())?;
            let row = &mut output.row(&params.row);
            row.set("reliability", 100.0 * scoring.fit.r_squared);
            let constant = params.constant.into();
            let uncertainty = regress_residuals(&games, &scoring, constant, row)?;
            overlap(&games, &scoring, &uncertainty, row)?;
        }
        Ok(())
    }
}

/// The uncertainty polynomial: squared residual by position scores.
struct Uncertainty {
    heuristics: Vec<usize>,
    fit: LeastSquares,
}

impl Uncertainty {
    /// The expected squared residual; may be negative.
    fn radicand(&self, positions: &[f64; N_HEURISTICS]) -> f64 {
        let values: Vec<f64> = self.heuristics.iter().map(|&n| positions[n]).collect();
        self.fit.predict(&values)
    }
}

fn regress_residuals(
    games: &[ScoredGame],
    scoring: &Regression,
    constant: Constant,
    output: &mut RowOutput<'_>,
) -> Result<Uncertainty, CellError> {
    let mut moments = CrossMoments::new(N_HEURISTICS + 1);
    let mut rows = Vec::new();
    for record in games.iter().flat_map(|game| &game.records) {
        let positions = record.position_scores(record.played);
        let residual = record.closeness - score(scoring, record, &positions);
        let mut row = [0.0; N_HEURISTICS + 1];
        row[..N_HEURISTICS].copy_from_slice(&positions);
        // In units of a hundredth, as the thesis has it: R1SQ.
        row[N_HEURISTICS] = (100.0 * residual).powi(2);
        moments.push(&row)?;
        rows.push(row);
    }
    let entries = forward_selection(&moments, &every_heuristic(), N_HEURISTICS, 0.0)?;
    let mut heuristics: Vec<usize> = entries.iter().map(|entry| entry.variable).collect();
    let first: Vec<String> = heuristics.iter().take(7).map(ToString::to_string).collect();
    heuristics.sort_unstable();
    let column = |n: usize| -> Vec<f64> { rows.iter().map(|row| row[n]).collect() };
    let columns: Vec<Vec<f64>> = heuristics.iter().map(|&n| column(n)).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let target = column(N_HEURISTICS);
    let fit = LeastSquares::fit(&columns, &target, constant)?;

    output.set("first-seven", first.join(", "));
    output.set("explained", 100.0 * fit.r_squared);
    let variance = moments
        .covariance(N_HEURISTICS, N_HEURISTICS)
        .ok_or_else(|| CellError::new("the squared residuals have no variance"))?;
    let n = rows.len() as f64;
    let freedom = n - columns.len() as f64 - f64::from(constant == Constant::Fitted);
    let left = fit.residual_std_dev.powi(2) * freedom / ((n - 1.0) * variance);
    output.set("beyond-constant", 100.0 * (1.0 - left).max(0.0));
    Ok(Uncertainty { heuristics, fit })
}

/// Predicted closeness to a win after a move with these position scores.
fn score(scoring: &Regression, record: &PlyRecord, positions: &[f64; N_HEURISTICS]) -> f64 {
    let all = variables(record, positions);
    let values: Vec<f64> = scoring.variables.iter().map(|&n| all[n]).collect();
    scoring.fit.predict(&values)
}

/// Overlap of the bounds in one position.
struct Overlap {
    /// The smallest K; infinite if none suffices.
    k: f64,
    n_moves: usize,
    n_negative: usize,
    is_on_top: bool,
}

fn overlap(
    games: &[ScoredGame],
    scoring: &Regression,
    uncertainty: &Uncertainty,
    row: &mut RowOutput<'_>,
) -> Result<(), CellError> {
    let found: Vec<Overlap> = games
        .par_iter()
        .flat_map_iter(|game| {
            game.records
                .iter()
                .map(|record| overlap_of(record, scoring, uncertainty))
        })
        .collect();
    let percent = |count: usize, of: usize| 100.0 * count as f64 / of as f64;
    let share = |holds: fn(&&Overlap) -> bool| {
        let count = found.iter().filter(holds).count();
        percent(count, found.len())
    };
    let n_moves = found.iter().map(|overlap| overlap.n_moves).sum();
    let n_negative = found.iter().map(|overlap| overlap.n_negative).sum();
    row.set("negative", percent(n_negative, n_moves));
    row.set("on-top", share(|overlap| overlap.is_on_top));
    row.set("never", share(|overlap| overlap.k.is_infinite()));
    // Positions without a K rank above all others.
    let factors = found.iter().map(|overlap| overlap.k);
    let finite = factors.clone().filter(|k| k.is_finite());
    let largest = finite.fold(0.0, f64::max);
    let factors: Vec<f64> = factors.map(|k| k.min(2.0 * largest + 1.0)).collect();
    for share in SHARES {
        let k = quantile(&factors, f64::from(share) / 100.0)?;
        if k <= largest {
            row.set(format!("k-{share}"), k);
        }
    }
    Ok(())
}

fn overlap_of(record: &PlyRecord, scoring: &Regression, uncertainty: &Uncertainty) -> Overlap {
    let mut n_negative = 0;
    let rate = |number| {
        let positions = record.position_scores(number);
        let radicand = uncertainty.radicand(&positions);
        n_negative += usize::from(radicand < 0.0);
        UncertainScore {
            score: score(scoring, record, &positions),
            // Back from hundredths to the scale of the score.
            uncertainty: radicand.max(0.0).sqrt() / 100.0,
        }
    };
    let rated: Vec<UncertainScore> = (0..record.moves.len()).map(rate).collect();
    let k = overlap_factor(&rated, record.played);
    Overlap {
        k,
        n_moves: rated.len(),
        n_negative,
        is_on_top: k <= 0.0,
    }
}
