//! `weight-inference`: the weights that make a player's own moves most likely.

use kibitz_board::source::GameSource;
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_stats::{ConditionalLogit, Fit, NewtonOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chess_data::{
    BAD_GAMES, I_INFERRED, I_RANDOM, LEFT_OUT, Optimizer, check_games, column, games_of, intervals,
    one_ply_choices, set_weights, with_attributes,
};

/// Weights inferred from the games of human players under the one-ply model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WeightInference {
    /// The attributes, in the order of the weights.
    attributes: Vec<Attribute>,
    /// How the weights are fitted.
    #[serde(default)]
    optimizer: Optimizer,
    /// How often games are drawn anew for the intervals; 0 for none.
    bootstrap: u32,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RowParams {
    /// The row of the table.
    row: String,
    /// The collection, by its name under `data`, and which of its games count.
    games: GameSource,
    /// Whose moves: the beginning of the name as the collection has it.
    player: String,
    /// What counts as a move in the mobility balance.
    #[serde(default)]
    mobility: MobilityConvention,
}

impl Experiment for WeightInference {
    type Row = RowParams;

    const NAME: &'static str = "weight-inference";
    const EXAMPLE: &'static str = include_str!("../examples/weight-inference.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("games", "games", "games of the player"),
        Column::new("moves", "moves", "moves of the player"),
        I_RANDOM,
        I_INFERRED,
        Column::new("comp", "%", "the latter as a share of the former"),
        Column::new(
            "evaluations",
            "passes",
            "passes over the data that the fit took",
        ),
        BAD_GAMES,
        LEFT_OUT,
    ];

    fn check(&self, problems: &mut Problems) {
        problems.require(
            !self.attributes.is_empty(),
            "attributes",
            "at least one attribute",
        );
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        problems.each("rows", &self.rows, |row, problems| {
            check_games(&row.games, problems);
        });
    }

    fn columns(&self) -> Vec<Column> {
        let of_each = [
            Column::new("lambda", "", "weight of {}"),
            Column::new("low", "", "95% interval of {}, from"),
            Column::new("high", "", "95% interval of {}, to"),
        ];
        with_attributes(Self::COLUMNS, 2, &self.attributes, &of_each)
    }

    fn random(&self) -> bool {
        self.bootstrap > 0
    }

    fn cells(&self) -> Vec<Cell<RowParams>> {
        let cost = 1.0 + f64::from(self.bootstrap) / 20.0;
        let rows = self.rows.iter();
        rows.map(|row| {
            Cell::row(&row.row, row.clone())
                .costing(cost)
                .reading([&row.games.data])
        })
        .collect()
    }

    fn run(
        &self,
        row: &RowParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let attributes = AttributeSet {
            mobility: row.mobility,
            ..AttributeSet::new(self.attributes.clone())
        };
        let read = games_of(&row.player, &row.games, ctx)?;
        let plies = read.games.iter().map(|(game, color)| game.plies_of(*color));
        let sets = one_ply_choices(&attributes, plies, ctx)?;
        let model = ConditionalLogit::new(&sets);
        let fit = self.optimizer.fit(model)?;

        let mut output = output.row(&row.row);
        output.set("games", read.games.len());
        read.set_left_out(&mut output);
        output.set("moves", sets.n_choices());
        set_weights(&mut output, &self.attributes, &fit)?;
        output.set("i-random", model.uniform_bits());
        output.set("i-inferred", model.bits(&fit.weights));
        output.set("comp", model.compression_percent(&fit.weights));
        output.set("evaluations", fit.evaluations);
        if self.bootstrap > 0 {
            let intervals = intervals(&sets.groups(), self.bootstrap, ctx, |games| {
                let sample = sets.by_groups(games);
                let model = ConditionalLogit::new(&sample);
                let fit = model.fit_newton(&fit.weights, &NewtonOptions::default());
                fit.ok().filter(Fit::converged).map(|fit| fit.weights)
            })?;
            for (&attribute, interval) in self.attributes.iter().zip(intervals) {
                output.set(column("low", attribute), interval.low);
                output.set(column("high", attribute), interval.high);
            }
        }
        Ok(())
    }
}
