//! `move-ranking`: where a polynomial ranks the moves that masters played.

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Output, Problems, RowOutput,
};
use kibitz_heuristics::chute::Polynomial;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    chute_data::{
        LibraryParams, Plies, ScoredGame, Status, check_heuristics, every_heuristic, every_status,
    },
    chute_tally::{Regression, Tallies, interval, set_found},
};

/// Ranks of the master moves, the errors of pruning by rank, and Samuel's coefficient.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MoveRanking {
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
    /// Which plies count.
    #[serde(default)]
    plies: Plies,
    /// Only games of these statuses; games without one all count.
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

/// The ranks that the thesis keeps.
const DEPTH: usize = 7;

/// The columns, some of which stand for a rank each.
macro_rules! columns {
    ($($rank:literal)*) => {
        &[
            Column::new("n", "positions", "positions ranked"),
            $(Column::new(
                concat!("simple-", $rank),
                "positions",
                concat!("positions in which the master move has rank ", $rank),
            ),)*
            Column::new(
                "simple-above",
                "positions",
                "positions in which it is not among the first seven",
            ),
            $(Column::new(
                concat!("within-", $rank),
                "positions",
                concat!("positions in which it is among the first ", $rank),
            ),)*
            $(Column::new(
                concat!("p", $rank),
                "%",
                concat!("share of positions in which it is among the first ", $rank),
            ),)*
            Column::new("above", "%", "share in which it is not among the first seven"),
            Column::new("gain-3", "points", "share among the first three, less that of the first row"),
            Column::new("a-1", "", "type 1 error at fanout 1"),
            Column::new("a-1-low", "", INTERVAL),
            Column::new("a-1-high", "", INTERVAL),
            Column::new("a-7", "", "type 1 error at fanout 7"),
            Column::new("a-7-low", "", INTERVAL),
            Column::new("a-7-high", "", INTERVAL),
            Column::new("samuel-c", "", "Samuel's coefficient (L - H) / (L + H)"),
        ]
    };
}

const INTERVAL: &str = "end of its 95% interval, games drawn and not positions";

impl Experiment for MoveRanking {
    type Row = ();

    const NAME: &'static str = "move-ranking";
    const EXAMPLE: &'static str = include_str!("../examples/move-ranking.toml");
    const COLUMNS: &'static [Column] = columns!(1 2 3 4 5 6 7);

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        problems.each("rows", &self.rows, |row, problems| {
            check_heuristics("without", &row.without, problems);
        });
    }

    fn cells(&self) -> Vec<Cell> {
        self.library.cell(self.rows.iter().map(|row| &row.row))
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let games = self.library.score(ctx)?;
        let mut first_p3 = None;
        for params in &self.rows {
            ctx.check()?;
            let row = &mut output.row(&params.row);
            if let Some(p3) = params.rank(&games, row)? {
                row.set("gain-3", p3 - *first_p3.get_or_insert(p3));
            }
        }
        Ok(())
    }
}

impl RowParams {
    /// Fills the row, except for the gain over the first; gives the share of positions in which
    /// the master move is among the first three.
    fn rank(
        &self,
        games: &[ScoredGame],
        row: &mut RowOutput<'_>,
    ) -> Result<Option<f64>, CellError> {
        let polynomial = self.weights.polynomial(games)?.without(&self.without);
        let selected: Vec<&ScoredGame> = games
            .iter()
            .filter(|game| (game.status).is_none_or(|status| self.statuses.contains(&status)))
            .collect();
        let tallies = Tallies::of_games(selected, &polynomial)?;
        let ranks = tallies.whole.ranks(self.plies);
        let n = ranks.n_samples();
        row.set("n", n);
        if n == 0 {
            return Ok(None);
        }
        let share_within = |rank| {
            let share = tallies.estimate(|tally| {
                let share = tally.ranks(self.plies).share_within(rank)?;
                Some(100.0 * share)
            });
            share.map(|share| share.with_samples(n))
        };
        let miss_rate = |fanout, unit: f64| {
            let rate = tallies.estimate(|tally| {
                let rate = tally.ranks(self.plies).miss_rate(fanout)?;
                Some(unit * rate)
            });
            rate.map(|rate| rate.with_samples(n))
        };
        for rank in 1..=DEPTH {
            row.set(format!("simple-{rank}"), ranks.exactly(rank));
            row.set(format!("within-{rank}"), ranks.within(rank));
            set_found(row, format!("p{rank}"), share_within(rank));
        }
        row.set("simple-above", n - ranks.within(DEPTH));
        set_found(row, "above", miss_rate(DEPTH, 100.0));
        for fanout in [1, DEPTH] {
            let rate = miss_rate(fanout, 1.0);
            set_found(row, format!("a-{fanout}"), rate);
            if let Some(interval) = rate.map(interval).transpose()?.flatten() {
                row.set(format!("a-{fanout}-low"), interval.low);
                row.set(format!("a-{fanout}-high"), interval.high);
            }
        }
        let samuel = tallies.estimate(|tally| tally.samuel(self.plies).coefficient());
        set_found(row, "samuel-c", samuel);
        Ok(share_within(3).map(|share| share.value))
    }
}
