//! `strategy-learning`: decision lists learned from perfect play, compared with handmade strategies.

use kibitz_board::Endgame;
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_patterns::strategy::{LearnParams, RuleStrategy, learn};
use kibitz_search::verification::TieBreak;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::strategies::{self, MoveChoice};

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
        /// Which of several moves it makes itself, such as `more man_distance, less area`.
        prefer: String,
    },
    /// Its text.
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
            "keys",
            "quantities",
            "quantities that rules prefer more or less of",
        ),
        Column::new(
            "positions",
            "positions",
            "legal positions with White to move",
        ),
        Column::new(
            "won",
            "positions",
            "those that it mates from whatever is replied, and whichever of the moves allowed it makes",
        ),
        Column::new("share", "%", "their share"),
        Column::new("longest", "moves", "longest mate so, in moves of White"),
        Column::new(
            "best-won",
            "positions",
            "positions won with the best of the moves allowed",
        ),
        Column::new("best-longest", "moves", "longest mate with these"),
        Column::new(
            "own-won",
            "positions",
            "positions won with the move that is preferred, the first by squares of several",
        ),
        Column::new("own-longest", "moves", "longest mate with these"),
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
                ("source.tries", params.tries),
                ("source.max-rules", params.max_rules),
                ("source.max-conditions", params.max_conditions),
            ]),
            Source::Made { strategy, prefer } => {
                let chosen = MoveChoice::Prefer(prefer.clone());
                strategies::check("source.strategy", strategy, &chosen, problems);
            }
            Source::Written(text) => {
                let mistakes = RuleStrategy::read(&row.row, text).err().unwrap_or_default();
                for mistake in mistakes.iter() {
                    problems.at("source.written", mistake.message.clone());
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
        let mut strategy = match &row.source {
            Source::Made { strategy, prefer } => {
                strategies::find(strategy, &MoveChoice::Prefer(prefer.clone()))?
            }
            Source::Written(text) => RuleStrategy::read(&row.row, text)?,
            Source::Learned(params) => {
                let endgame: Endgame = MATERIAL.parse()?;
                let stopwatch = ctx.stopwatch();
                let mut progress = |done, all| {
                    ctx.progress("changes tried", done, all);
                    ctx.check()
                };
                let learned = learn(&endgame, *params, &mut progress)?;
                let text = learned.text(&row.row, &endgame);
                let strategy = RuleStrategy::read(&row.row, &text)?;
                output
                    .set("tried", learned.tried)
                    .set("strategy", text)
                    .set_volatile("time", stopwatch.seconds(), "s");
                strategy
            }
        };
        if strategy.preferences.is_empty() {
            strategy.preferences.push(Vec::new());
        }
        let verification = strategies::verify(&strategy, ctx)?;
        let summary = |tie_break| verification.outcomes(tie_break).summary();
        let worst = summary(TieBreak::Adversarial);
        let best = summary(TieBreak::Angelic);
        let own = summary(TieBreak::Preferred(0));
        let rules = &strategy.rules;
        let conditions = rules.iter().map(|own| own.before.len() + own.after.len());
        let keys = rules.iter().map(|own| own.prefer.len());
        let positions = worst.n_positions as f64;
        output
            .set("rules", rules.len())
            .set("conditions", conditions.sum::<usize>())
            .set("keys", keys.sum::<usize>())
            .set("positions", worst.n_positions)
            .set("won", worst.n_won)
            .set("share", 100.0 * worst.n_won as f64 / positions)
            .set("longest", worst.longest)
            .set("best-won", best.n_won)
            .set("best-longest", best.longest)
            .set("own-won", own.n_won)
            .set("own-longest", own.longest)
            .set("freedom", verification.n_allowed() as f64 / positions);
        Ok(())
    }
}
