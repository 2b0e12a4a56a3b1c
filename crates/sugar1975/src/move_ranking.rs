//! `move-ranking`: where a polynomial ranks the moves that masters played.

use kibitz_heuristics::chute::{N_HEURISTICS, Polynomial};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
};
use kibitz_stats::inference::wald_interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chute_data::{LibraryParams, Plies, ScoredGame, Status, every_heuristic, every_status},
    chute_tally::{Regression, Tallies},
};

/// Ranks of the master moves, the errors of pruning by rank, and Samuel's coefficient.
#[derive(Debug)]
pub(crate) struct MoveRanking;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RankingParams {
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
    /// Which plies count.
    #[serde(default)]
    plies: Plies,
    /// Only games of these statuses.
    #[serde(default = "every_status")]
    statuses: Vec<Status>,
    /// Heuristics left out, by number.
    #[serde(default)]
    without: Vec<usize>,
    /// Weights of the heuristics.
    #[serde(default)]
    weights: Weights,
}

/// Weights of the heuristics in the polynomial that ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Weights {
    /// As in the program: every heuristic counts as its parameters say.
    #[default]
    Original,
    /// The coefficients of the regression of closeness to a win on all heuristics, over all games.
    Regression,
    /// Those of them that are positive; the other heuristics are left out.
    PositiveRegression,
    /// Those of them that are positive, in units of 0.00001 as the thesis prints them; the other
    /// heuristics keep the weight 1.
    PositiveRegressionOthersKept,
}

impl Weights {
    fn polynomial(self, games: &[ScoredGame]) -> Result<Polynomial, CellError> {
        let mut polynomial = Polynomial::default();
        if self == Weights::Original {
            return Ok(polynomial);
        }
        let tallies = Tallies::of_games(games, &polynomial)?;
        let moments = tallies.whole.moments(Plies::All)?;
        let regression = Regression::of(&moments, &every_heuristic())?;
        for (number, weight) in polynomial.weights.iter_mut().enumerate() {
            let coefficient = regression.coefficient(number).unwrap_or(0.0);
            *weight = match self {
                Weights::Regression => coefficient,
                Weights::PositiveRegression => coefficient.max(0.0),
                Weights::PositiveRegressionOthersKept if coefficient > 0.0 => 1e5 * coefficient,
                Weights::Original | Weights::PositiveRegressionOthersKept => 1.0,
            };
        }
        Ok(polynomial)
    }
}

impl Kind for MoveRanking {
    fn name(&self) -> &'static str {
        "move-ranking"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-board", "kibitz-heuristics", "kibitz-stats"]
    }

    fn example(&self) -> &'static str {
        include_str!("examples/move-ranking.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(RankingParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: RankingParams = params.read()?;
        let mut problems = Diagnostics::new();
        checked.library.check(params, "library", &mut problems);
        if checked.rows.is_empty() {
            problems.push(params.error_at("rows", "at least one row"));
        }
        for (index, row) in checked.rows.iter().enumerate() {
            for (place, &number) in row.without.iter().enumerate() {
                if number >= N_HEURISTICS {
                    let message = format!("there is no heuristic {number}");
                    problems
                        .push(params.error_at(&format!("rows.{index}.without.{place}"), message));
                }
            }
        }
        problems.into_result(Box::new(RankingPlan(checked)))
    }
}

struct RankingPlan(RankingParams);

/// The ranks that the thesis keeps.
const DEPTH: usize = 7;

impl Plan for RankingPlan {
    fn random(&self) -> bool {
        false
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::new("n", "positions", "positions ranked")];
        for rank in 1..=DEPTH {
            columns.push(Column::new(
                format!("simple-{rank}"),
                "positions",
                format!("positions in which the master move has rank {rank}"),
            ));
        }
        columns.push(Column::new(
            "simple-above",
            "positions",
            "positions in which it is not among the first seven",
        ));
        for rank in 1..=DEPTH {
            columns.push(Column::new(
                format!("within-{rank}"),
                "positions",
                format!("positions in which it is among the first {rank}"),
            ));
        }
        for rank in 1..=DEPTH {
            columns.push(Column::new(
                format!("p{rank}"),
                "%",
                format!("share of positions in which it is among the first {rank}"),
            ));
        }
        columns.push(Column::new(
            "above",
            "%",
            "share in which it is not among the first seven",
        ));
        columns.push(Column::new(
            "gain-3",
            "points",
            "share among the first three, less that of the first row",
        ));
        for fanout in [1, DEPTH] {
            columns.push(Column::new(
                format!("a-{fanout}"),
                "",
                format!("type 1 error at fanout {fanout}"),
            ));
            for end in ["low", "high"] {
                columns.push(Column::new(
                    format!("a-{fanout}-{end}"),
                    "",
                    "end of its 95% interval, games drawn and not positions",
                ));
            }
        }
        columns.push(Column::new(
            "samuel-c",
            "",
            "Samuel's coefficient (L - H) / (L + H)",
        ));
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::rows("library", self.0.rows.iter().map(|row| &row.row))
                .reading([&self.0.library.games])
                .costing(2.0),
        ]
    }

    fn run(&self, _: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let games = self.0.library.score(ctx)?;
        let mut output = CellOutput::new();
        let mut first_p3 = None;
        for row in &self.0.rows {
            ctx.check()?;
            let polynomial = row.weights.polynomial(&games)?.without(&row.without);
            let selected: Vec<&ScoredGame> = games
                .iter()
                .filter(|game| row.statuses.contains(&game.status))
                .collect();
            let tallies = Tallies::of_games(selected, &polynomial)?;
            let ranks = tallies.whole.ranks(row.plies);
            let n = ranks.n_samples();
            let name = &row.row;
            output.set(name, "n", n);
            if n == 0 {
                continue;
            }
            for rank in 1..=DEPTH {
                output.set(name, format!("simple-{rank}"), ranks.exactly(rank));
                output.set(name, format!("within-{rank}"), ranks.within(rank));
                let share = tallies.estimate(|tally| {
                    let ranks = tally.ranks(row.plies);
                    ranks.share_within(rank).map(|share| 100.0 * share)
                });
                if let Some(share) = share {
                    output.set(name, format!("p{rank}"), share.with_samples(n));
                    if rank == 3 {
                        let first = *first_p3.get_or_insert(share.value);
                        output.set(name, "gain-3", share.value - first);
                    }
                }
            }
            output.set(name, "simple-above", n - ranks.within(DEPTH));
            for fanout in [1, DEPTH] {
                let miss = |percent: f64| {
                    tallies.estimate(|tally| {
                        let rate = tally.ranks(row.plies).miss_rate(fanout);
                        rate.map(|rate| percent * rate)
                    })
                };
                if fanout == DEPTH
                    && let Some(above) = miss(100.0)
                {
                    output.set(name, "above", above.with_samples(n));
                }
                if let Some(rate) = miss(1.0) {
                    output.set(name, format!("a-{fanout}"), rate.with_samples(n));
                    if let Some(std_error) = rate.std_error {
                        let interval = wald_interval(rate.value, std_error, 0.95)?;
                        output.set(name, format!("a-{fanout}-low"), interval.low);
                        output.set(name, format!("a-{fanout}-high"), interval.high);
                    }
                }
            }
            let samuel: Option<Number> =
                tallies.estimate(|tally| tally.samuel(row.plies).coefficient());
            if let Some(samuel) = samuel {
                output.set(name, "samuel-c", samuel);
            }
        }
        Ok(output)
    }
}
