//! `score-uncertainty`: can the heuristics predict the error of the regression, and do the bounds
//! that follow overlap for the master move and the best-rated one?

use kibitz_heuristics::chute::{N_HEURISTICS, PlyRecord, Polynomial, UncertainScore, least_factor};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
};
use kibitz_stats::{
    moments::CrossMoments,
    regression::{Constant, LeastSquares, forward_selection},
    summary::quantile,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chute_data::{LibraryParams, Plies, ScoredGame, VariableParams, every_heuristic, variables},
    chute_tally::{Regression, Tallies},
};

/// Squared residuals regressed on the heuristics, and the factor K at which bounds overlap.
#[derive(Debug)]
pub(crate) struct ScoreUncertainty;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct UncertaintyParams {
    /// The games.
    library: LibraryParams,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RowParams {
    /// The row of the table.
    row: String,
    /// The variables of the regression whose residuals are squared.
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
    /// None, as the thesis writes the polynomial.
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

/// Shares of positions for which the smallest K is given, in percent.
const SHARES: [u32; 5] = [50, 75, 90, 95, 99];

impl Kind for ScoreUncertainty {
    fn name(&self) -> &'static str {
        "score-uncertainty"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-board", "kibitz-heuristics", "kibitz-stats"]
    }

    fn example(&self) -> &'static str {
        include_str!("examples/score-uncertainty.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(UncertaintyParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: UncertaintyParams = params.read()?;
        let mut problems = Diagnostics::new();
        checked.library.check(params, "library", &mut problems);
        if checked.rows.is_empty() {
            problems.push(params.error_at("rows", "at least one row"));
        }
        let mut rows = Vec::new();
        for (index, row) in checked.rows.iter().enumerate() {
            match row
                .variables
                .resolve(params, &format!("rows.{index}.variables"))
            {
                Ok(variables) => rows.push(Row {
                    name: row.row.clone(),
                    variables,
                    constant: row.constant.into(),
                }),
                Err(found) => {
                    for problem in found {
                        problems.push(problem);
                    }
                }
            }
        }
        problems.into_result(Box::new(UncertaintyPlan {
            library: checked.library,
            rows,
        }))
    }
}

struct UncertaintyPlan {
    library: LibraryParams,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    variables: Vec<usize>,
    constant: Constant,
}

impl Plan for UncertaintyPlan {
    fn random(&self) -> bool {
        false
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
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
        ];
        columns.extend(SHARES.map(|share| {
            Column::new(
                format!("k-{share}"),
                "",
                format!("smallest K at which the bounds overlap in {share}% of the positions"),
            )
        }));
        columns.push(Column::new(
            "never",
            "%",
            "positions where no K does: both uncertainties are 0",
        ));
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::rows("library", self.rows.iter().map(|row| &row.name))
                .reading([&self.library.games])
                .costing(2.0),
        ]
    }

    fn run(&self, _: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let games = self.library.score(ctx)?;
        let moments = Tallies::of_games(&games, &Polynomial::default())?
            .whole
            .moments(Plies::All)?;
        let mut output = CellOutput::new();
        for row in &self.rows {
            ctx.check()?;
            let scoring = Regression::of(&moments, &row.variables)?;
            output.set(&row.name, "reliability", 100.0 * scoring.fit.r_squared);
            let uncertainty = row.regress_residuals(&games, &scoring, &mut output)?;
            overlap(&row.name, &games, &scoring, &uncertainty, &mut output)?;
        }
        Ok(output)
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

impl Row {
    fn regress_residuals(
        &self,
        games: &[ScoredGame],
        scoring: &Regression,
        output: &mut CellOutput,
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
        let fit = LeastSquares::fit(&columns, &target, self.constant)?;

        output.set(&self.name, "first-seven", first.join(", "));
        output.set(&self.name, "explained", 100.0 * fit.r_squared);
        let variance = moments
            .covariance(N_HEURISTICS, N_HEURISTICS)
            .unwrap_or(0.0);
        let n = rows.len() as f64;
        let freedom = n - columns.len() as f64 - f64::from(self.constant == Constant::Fitted);
        let left = fit.residual_std_dev.powi(2) * freedom / ((n - 1.0) * variance);
        output.set(&self.name, "beyond-constant", 100.0 * (1.0 - left).max(0.0));
        Ok(Uncertainty { heuristics, fit })
    }
}

/// Closeness to a win as the regression sees it, after a move with these position scores.
fn score(scoring: &Regression, record: &PlyRecord, positions: &[f64; N_HEURISTICS]) -> f64 {
    let all = variables(record, positions);
    let values: Vec<f64> = scoring.variables.iter().map(|&n| all[n]).collect();
    scoring.fit.predict(&values)
}

/// What one position says of the overlap.
struct Overlap {
    /// The least K; infinite if there is none.
    k: f64,
    n_moves: usize,
    n_negative: usize,
    is_on_top: bool,
}

fn overlap(
    row: &str,
    games: &[ScoredGame],
    scoring: &Regression,
    uncertainty: &Uncertainty,
    output: &mut CellOutput,
) -> Result<(), CellError> {
    let found: Vec<Overlap> = games
        .par_iter()
        .flat_map_iter(|game| {
            game.records
                .iter()
                .map(|record| overlap_of(record, scoring, uncertainty))
        })
        .collect();
    let n = found.len() as f64;
    let percent = |count: usize, of: f64| 100.0 * count as f64 / of;
    let n_moves: usize = found.iter().map(|overlap| overlap.n_moves).sum();
    let n_negative = found.iter().map(|overlap| overlap.n_negative).sum();
    output.set(row, "negative", percent(n_negative, n_moves as f64));
    let on_top = found.iter().filter(|overlap| overlap.is_on_top).count();
    output.set(row, "on-top", Number::new(percent(on_top, n)));
    let never = found
        .iter()
        .filter(|overlap| overlap.k.is_infinite())
        .count();
    output.set(row, "never", percent(never, n));
    // Positions where no K does count as larger than all others.
    let largest = found
        .iter()
        .map(|overlap| overlap.k)
        .filter(|k| k.is_finite())
        .fold(0.0, f64::max);
    let factors: Vec<f64> = found
        .iter()
        .map(|overlap| overlap.k.min(2.0 * largest + 1.0))
        .collect();
    for share in SHARES {
        let k = quantile(&factors, f64::from(share) / 100.0)?;
        if k <= largest {
            output.set(row, format!("k-{share}"), k);
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
    let k = least_factor(&rated, record.played);
    Overlap {
        k,
        n_moves: rated.len(),
        n_negative,
        is_on_top: k <= 0.0,
    }
}
