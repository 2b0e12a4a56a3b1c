//! `score-statistics`: what each heuristic gives the program's first choice and the master move.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_heuristics::chute::{N_HEURISTICS, Polynomial};
use kibitz_stats::moments::PairedMoments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    chute_data::{LibraryParams, score_row},
    chute_tally::{Tallies, Tally, set_found},
};

/// Means and deviations of raw move scores, and of their differences.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ScoreStatistics {
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

/// Figures of paired scores: those of the first columns.
const FIGURES: [fn(PairedMoments) -> Option<f64>; 7] = [
    |pairs| pairs.first.mean(),
    |pairs| pairs.first.std_dev(),
    |pairs| pairs.second.mean(),
    |pairs| pairs.second.std_dev(),
    |pairs| pairs.difference.mean(),
    |pairs| pairs.difference.std_dev(),
    PairedMoments::normalized_difference,
];

const POSITIONS: &str = "positions";

impl Experiment for ScoreStatistics {
    type Row = ();

    const NAME: &'static str = "score-statistics";
    const EXAMPLE: &'static str = include_str!("../examples/score-statistics.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new(
            "chute-mean",
            "points",
            "mean score of the program's first choice",
        ),
        Column::new("chute-sd", "points", "standard deviation of that"),
        Column::new("master-mean", "points", "mean score of the master move"),
        Column::new("master-sd", "points", "standard deviation of that"),
        Column::new(
            "mean-diff",
            "points",
            "mean of the first choice's score less the master move's",
        ),
        Column::new("sd-diff", "points", "standard deviation of that difference"),
        Column::new(
            "norm-diff",
            "",
            "mean difference in standard deviations; positive harms the ranking",
        ),
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
    ];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = (0..=N_HEURISTICS).map(score_row);
        self.library.cell(rows.chain([POSITIONS.to_owned()]))
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let games = self.library.score(ctx)?;
        let tallies = Tallies::of_games(&games, &Polynomial::default())?;
        let only_differing = self.select == Selection::Disagreements;
        let n_positions = |only_differing| {
            let pairs = tallies.whole.pairs(only_differing);
            pairs.first().map_or(0, |pairs| pairs.first.n_samples())
        };
        let (n_all, n_differing) = (n_positions(false), n_positions(true));
        let share = n_differing as f64 / n_all.max(1) as f64;
        for n in 0..=N_HEURISTICS {
            let row = &mut output.row(score_row(n));
            for (column, figure) in Self::COLUMNS.iter().zip(FIGURES) {
                let number = tallies.estimate(|tally| figure(tally.pairs(only_differing)[n]));
                set_found(row, column.name.clone(), number);
            }
            let mean = |tally: &Tally, only_differing: bool| {
                tally.pairs(only_differing)[n].difference.mean()
            };
            if let (Some(all), Some(differing)) = (
                tallies.estimate(|tally| mean(tally, false)),
                tallies.estimate(|tally| mean(tally, true)),
            ) {
                let implied = share * differing.value;
                row.set("all", all);
                row.set("differing", differing);
                row.set("implied", implied);
                // Beyond nine decimals is nothing but rounding, which differs between machines.
                row.set("gap", (1e9 * (all.value - implied)).round() / 1e9 + 0.0);
            }
        }
        let n_selected = if only_differing { n_differing } else { n_all };
        output
            .row(POSITIONS)
            .set("n", n_selected)
            .set("all", n_all)
            .set("differing", n_differing)
            .set("share", Number::new(share).with_samples(n_all));
        Ok(())
    }
}
