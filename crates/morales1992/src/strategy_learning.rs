//! `strategy-learning`: strategies learned from perfect play, beside those made by hand.

use kibitz_board::Endgame;
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_patterns::strategy::{LearnParams, RuleStrategy, learn};
use kibitz_search::verification::TieBreak;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::strategies::{self, Chosen};

/// Ordered rules learned for king and rook against king, and verified in every position.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StrategyLearning {
    /// One row of the table each.
    rows: Vec<LearningRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LearningRow {
    /// The row of the table.
    row: String,
    /// Where the strategy comes from.
    source: Source,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Source {
    /// It is learned.
    Learned(LearnParams),
    /// It comes with `kibitz-patterns`.
    Made {
        /// Its name, such as `krk-1`.
        strategy: String,
        /// Which of several moves is made.
        chosen: Chosen,
    },
    /// Its text; the best of the moves allowed is made.
    Written(String),
}

const MATERIAL: &str = "KRvK";

impl Experiment for StrategyLearning {
    type Row = LearningRow;

    const NAME: &'static str = "strategy-learning";
    const EXAMPLE: &'static str = include_str!("../examples/strategy-learning.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("rules", "rules", "rules of the strategy"),
        Column::new("conditions", "conditions", "conditions of all rules"),
        Column::new(
            "positions",
            "positions",
            "legal positions with White to move",
        ),
        Column::new(
            "won",
            "positions",
            "those that it mates from, whatever is replied",
        ),
        Column::new("share", "%", "their share"),
        Column::new("longest", "moves", "longest mate, in moves of White"),
        Column::new(
            "preferred-won",
            "positions",
            "positions won with the moves that the learned preference leaves, the first by squares of several",
        ),
        Column::new("preferred-longest", "moves", "longest mate with these"),
        Column::new(
            "freedom",
            "moves",
            "moves that the rules allow in a position on average, which has 19 legal ones",
        ),
        Column::new("tried", "lists", "lists of rules judged while learning"),
        Column::new("strategy", "", "the rules learned"),
        Column::new("time", "s", "time of learning").volatile(),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.each("rows", &self.rows, |row, problems| match &row.source {
            Source::Learned(params) => problems.at_least_one([
                ("source.beam", params.beam),
                ("source.max-rules", params.max_rules),
                ("source.max-conditions", params.max_conditions),
            ]),
            Source::Made { strategy, chosen } => {
                strategies::check("source.strategy", strategy, chosen, problems);
            }
            Source::Written(text) => {
                if let Err(error) = RuleStrategy::read(&row.row, text) {
                    problems.at("source.written", error.to_string());
                }
            }
        });
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
    }

    fn cells(&self) -> Vec<Cell<LearningRow>> {
        let rows = self.rows.iter();
        rows.map(|row| Cell::row(&row.row, row.clone())).collect()
    }

    fn run(
        &self,
        row: &LearningRow,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let (strategy, tie_break) = match &row.source {
            Source::Made { strategy, chosen } => {
                (strategies::find(strategy, chosen)?, chosen.tie_break())
            }
            Source::Written(text) => (RuleStrategy::read(&row.row, text)?, TieBreak::Angelic),
            Source::Learned(params) => {
                let endgame: Endgame = MATERIAL.parse()?;
                let stopwatch = ctx.stopwatch();
                let mut progress =
                    |won, all| ctx.progress("positions won", won as usize, all as usize);
                let learned = learn(&endgame, *params, &mut progress);
                ctx.check()?;
                let text = learned.text(&row.row, &endgame);
                let strategy = RuleStrategy::read(&row.row, &text)?;
                output
                    .set("tried", learned.tried)
                    .set("strategy", text)
                    .set_volatile("time", stopwatch.seconds(), "s");
                (strategy, TieBreak::Angelic)
            }
        };
        let is_learned = matches!(row.source, Source::Learned(_));
        let verification = strategies::verify(&strategy, ctx)?;
        let summary = verification.outcomes(tie_break).summary();
        let mut allowed = 0;
        for (position, _) in verification.positions() {
            let choice = strategy.choice(&position);
            let choice = choice.map_err(|fault| CellError::new(fault.to_string()))?;
            allowed += choice.map_or(0, |choice| choice.moves.len());
        }
        let conditions = strategy
            .rules
            .iter()
            .map(|own| own.before.len() + own.after.len());
        output
            .set("rules", strategy.rules.len())
            .set("conditions", conditions.sum::<usize>())
            .set("positions", summary.positions)
            .set("won", summary.won)
            .set(
                "share",
                100.0 * summary.won as f64 / summary.positions as f64,
            )
            .set("longest", summary.longest)
            .set("freedom", allowed as f64 / summary.positions as f64);
        if is_learned && !strategy.preferences.is_empty() {
            let preferred = verification.outcomes(TieBreak::Preferred(0)).summary();
            output
                .set("preferred-won", preferred.won)
                .set("preferred-longest", preferred.longest);
        }
        Ok(())
    }
}
