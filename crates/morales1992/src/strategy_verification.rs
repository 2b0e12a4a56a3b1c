//! `strategy-verification`: exhaustive verification of strategies, against every reply in every
//! position.

use kibitz_board::Chess;
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_search::verification::{Failure, Outcome, Summary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::strategies::{self, MoveChoice, SHARED, VerifiedStrategy};

/// Strategies with ways to choose among the moves that their rules allow.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StrategyVerification {
    /// One row of the table each.
    rows: Vec<StrategyRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StrategyRow {
    /// The row of the table.
    row: String,
    /// A strategy that comes with `kibitz-patterns`, such as `krk-1`.
    strategy: String,
    /// Which of several moves is made.
    chosen: MoveChoice,
    /// A concept of positions, built in or of the strategy: only positions in which it holds are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
}

/// The columns of the failures, in the order of [`Failure::ALL`].
const FAILURES: [&str; 4] = ["no-rule", "stalemate", "lost", "loop"];

impl Experiment for StrategyVerification {
    type Row = StrategyRow;

    const NAME: &'static str = "strategy-verification";
    const EXAMPLE: &'static str = include_str!("../examples/strategy-verification.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("rules", "rules", "rules of the strategy").input(),
        Column::new(
            "positions",
            "positions",
            "legal positions with White to move",
        ),
        Column::new(
            "quadrant",
            "positions",
            "of these, those with the white king on a1 to d4, which represent all by symmetry",
        ),
        Column::new(
            "won",
            "positions",
            "those that it mates from, whatever is replied",
        ),
        Column::new("share", "%", "their share"),
        Column::new("everywhere", "", "whether these are all"),
        Column::new(
            "no-rule",
            "positions",
            "those from which a position without a rule can be forced",
        ),
        Column::new(
            "stalemate",
            "positions",
            "those from which a stalemate can be forced",
        ),
        Column::new(
            "lost",
            "positions",
            "those from which the loss of the man can be forced",
        ),
        Column::new(
            "loop",
            "positions",
            "those from which moves repeat for ever",
        ),
        Column::new("longest", "moves", "longest mate, in moves of White"),
        Column::new(
            "excess",
            "moves",
            "mean of moves beyond those of perfect play, of the positions won",
        ),
        Column::new("most-excess", "moves", "the most of them"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.each("rows", &self.rows, |row, problems| {
            strategies::check("strategy", &row.strategy, &row.chosen, problems);
            if let (Some(from), Ok(strategy)) = (
                &row.from,
                strategies::find(&row.strategy, &MoveChoice::Best),
            ) {
                let known = strategy.holds(from, &Chess::default());
                let is_known = !matches!(known, Ok(None));
                problems.require(is_known, "from", "a concept of positions");
            }
        });
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
    }

    fn cells(&self) -> Vec<Cell<StrategyRow>> {
        let rows = self.rows.iter();
        rows.map(|row| Cell::row(&row.row, row.clone()).sharing(SHARED))
            .collect()
    }

    fn run(
        &self,
        row: &StrategyRow,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let plan = self.rows.iter().map(|own| (&own.strategy, &own.chosen));
        let verified = VerifiedStrategy::shared(&row.strategy, plan, ctx)?;
        let outcomes = verified.outcomes(&row.chosen)?;
        let perfect = verified.perfect(ctx)?;
        let (mut excess, mut most_excess) = (0_u64, 0_u16);
        let (mut summary, mut quadrant) = (Summary::default(), 0);
        let positions = verified.verification.positions();
        for ((outcome, plies), (position, _)) in outcomes.iter().zip(&perfect.won_in).zip(positions)
        {
            let counts = match &row.from {
                Some(from) => {
                    let holds = verified.strategy.holds(from, &position);
                    let holds = holds.map_err(|fault| CellError::new(fault.to_string()))?;
                    holds.unwrap_or(false)
                }
                None => true,
            };
            if !counts {
                continue;
            }
            summary.add(outcome);
            quadrant += usize::from(strategies::is_in_quadrant(&position));
            if let (Outcome::Mates(moves), Some(plies)) = (outcome, plies) {
                let beyond = moves - plies.div_ceil(2);
                excess += u64::from(beyond);
                most_excess = most_excess.max(beyond);
            }
        }
        output
            .set("rules", verified.strategy.rules.len())
            .set("positions", summary.n_positions)
            .set("quadrant", quadrant)
            .set("won", summary.n_won)
            .set(
                "share",
                100.0 * summary.n_won as f64 / summary.n_positions as f64,
            )
            .set("everywhere", if summary.is_won() { "yes" } else { "no" })
            .set("longest", summary.longest)
            .set("most-excess", most_excess);
        if summary.n_won > 0 {
            output.set("excess", excess as f64 / summary.n_won as f64);
        }
        for failure in Failure::ALL {
            output.set(
                FAILURES[failure as usize],
                summary.n_failed[failure as usize],
            );
        }
        Ok(())
    }
}
