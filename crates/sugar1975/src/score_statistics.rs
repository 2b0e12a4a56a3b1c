//! `score-statistics`: what each heuristic gives the program's first choice and the master move.

use kibitz_heuristics::chute::{N_HEURISTICS, Polynomial};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
};
use kibitz_stats::moments::PairedMoments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chute_data::{LibraryParams, heuristic_row, heuristic_rows},
    chute_tally::{Tallies, Tally},
};

/// Means and deviations of raw move scores, and of their differences.
#[derive(Debug)]
pub(crate) struct ScoreStatistics;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct StatisticsParams {
    /// The games.
    library: LibraryParams,
    /// Which positions the means and deviations are taken over.
    select: Selection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Selection {
    /// All positions.
    All,
    /// Those where the program's first choice is not the master move.
    Disagreements,
}

impl Kind for ScoreStatistics {
    fn name(&self) -> &'static str {
        "score-statistics"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-board", "kibitz-heuristics", "kibitz-stats"]
    }

    fn example(&self) -> &'static str {
        include_str!("examples/score-statistics.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(StatisticsParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: StatisticsParams = params.read()?;
        let mut problems = Diagnostics::new();
        checked.library.check(params, "library", &mut problems);
        problems.into_result(Box::new(StatisticsPlan(checked)))
    }
}

struct StatisticsPlan(StatisticsParams);

/// A figure of paired scores, by the name of its column.
type Figure = (
    &'static str,
    &'static str,
    &'static str,
    fn(PairedMoments) -> Option<f64>,
);

const FIGURES: [Figure; 7] = [
    (
        "chute-mean",
        "points",
        "mean score of the program's first choice",
        |pairs| pairs.first.mean(),
    ),
    (
        "chute-sd",
        "points",
        "standard deviation of that",
        |pairs| pairs.first.std_dev(),
    ),
    (
        "master-mean",
        "points",
        "mean score of the master move",
        |pairs| pairs.second.mean(),
    ),
    (
        "master-sd",
        "points",
        "standard deviation of that",
        |pairs| pairs.second.std_dev(),
    ),
    (
        "mean-diff",
        "points",
        "mean of the first choice's score less the master move's",
        |pairs| pairs.difference.mean(),
    ),
    (
        "sd-diff",
        "points",
        "standard deviation of that difference",
        |pairs| pairs.difference.std_dev(),
    ),
    (
        "norm-diff",
        "",
        "mean difference in standard deviations; positive harms the ranking",
        PairedMoments::normalized_difference,
    ),
];

const POSITIONS: &str = "positions";

impl Plan for StatisticsPlan {
    fn random(&self) -> bool {
        false
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = FIGURES
            .iter()
            .map(|&(name, unit, doc, _)| Column::new(name, unit, doc))
            .collect();
        columns.extend([
            Column::new("n", "positions", "positions that the figures rest on"),
            Column::new(
                "all",
                "points",
                "mean difference over all positions; their number",
            ),
            Column::new(
                "differing",
                "points",
                "mean difference over positions where the moves differ; their number",
            ),
            Column::new("share", "", "share of positions where the moves differ"),
            Column::new(
                "implied",
                "points",
                "mean difference where they differ, times that share",
            ),
            Column::new(
                "gap",
                "points",
                "mean difference over all positions less the implied one",
            ),
        ]);
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = heuristic_rows().chain(["polynomial".to_owned(), POSITIONS.to_owned()]);
        vec![
            Cell::rows("library", rows)
                .reading([&self.0.library.games])
                .costing(2.0),
        ]
    }

    fn run(&self, _: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let games = self.0.library.score(ctx)?;
        let tallies = Tallies::of_games(&games, &Polynomial::default())?;
        let only_differing = self.0.select == Selection::Disagreements;
        let mut output = CellOutput::new();
        let n_positions = |only_differing| {
            let pairs = tallies.whole.pairs(only_differing);
            pairs.first().map_or(0, |pairs| pairs.first.n_samples())
        };
        let (n_all, n_differing) = (n_positions(false), n_positions(true));
        let share = n_differing as f64 / n_all.max(1) as f64;
        for n in 0..=N_HEURISTICS {
            let row = if n < N_HEURISTICS {
                heuristic_row(n)
            } else {
                "polynomial".to_owned()
            };
            for (column, _, _, figure) in FIGURES {
                if let Some(number) =
                    tallies.estimate(|tally| figure(tally.pairs(only_differing)[n]))
                {
                    output.set(&row, column, number);
                }
            }
            let mean = |tally: &Tally, only_differing: bool| {
                tally.pairs(only_differing)[n].difference.mean()
            };
            if let (Some(all), Some(differing)) = (
                tallies.estimate(|tally| mean(tally, false)),
                tallies.estimate(|tally| mean(tally, true)),
            ) {
                output.set(&row, "all", all);
                output.set(&row, "differing", differing);
                output.set(&row, "implied", share * differing.value);
                // Beyond nine decimals is nothing but rounding, which differs between machines.
                let gap = all.value - share * differing.value;
                output.set(&row, "gap", (1e9 * gap).round() / 1e9 + 0.0);
            }
        }
        let n_selected = if only_differing { n_differing } else { n_all };
        output.set(POSITIONS, "n", n_selected);
        output.set(POSITIONS, "all", n_all);
        output.set(POSITIONS, "differing", n_differing);
        output.set(POSITIONS, "share", Number::new(share).with_samples(n_all));
        Ok(output)
    }
}
