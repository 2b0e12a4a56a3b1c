//! `weight-inference`: the weights that make a player's own moves most likely.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_stats::{
    ChoiceSets, ConditionalLogit, Fit, NewtonOptions,
    inference::{BootstrapOptions, Interval, bootstrap_groups},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chess_data::{OnePlyChoices, Optimizer, color_of, column, read_games};

/// Weights inferred from the games of human players under the one-ply model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WeightInference {
    /// The attributes, in the order of the weights.
    #[schemars(with = "Vec<String>")]
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
    /// The collection, by its name under `data`.
    games: String,
    /// Whose moves: the beginning of the name as the collection has it.
    player: String,
    /// What counts as a move in the mobility balance.
    #[serde(default)]
    #[schemars(with = "String")]
    mobility: MobilityConvention,
}

impl Experiment for WeightInference {
    type Row = RowParams;

    const NAME: &'static str = "weight-inference";
    const EXAMPLE: &'static str = include_str!("../examples/weight-inference.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("games", "games", "games of the player"),
        Column::new("moves", "moves", "moves of the player"),
        Column::new(
            "i-random",
            "bit",
            "information of the moves when all are equally likely",
        ),
        Column::new(
            "i-inferred",
            "bit",
            "information of the moves under the fitted model",
        ),
        Column::new("comp", "%", "the latter as a share of the former"),
        Column::new(
            "evaluations",
            "passes",
            "passes over the data that the fit took",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.require(
            !self.attributes.is_empty(),
            "attributes",
            "at least one attribute",
        );
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        problems.each("rows", &self.rows, |row, problems| {
            problems.names_data("games", &row.games);
        });
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = Self::COLUMNS.to_vec();
        let weights = self.attributes.iter().flat_map(|&attribute| {
            let name = attribute.short_name();
            [
                ("lambda", format!("weight of {name}")),
                ("low", format!("95% interval of {name}, from")),
                ("high", format!("95% interval of {name}, to")),
            ]
            .map(|(prefix, doc)| Column::named(column(prefix, attribute), "", doc))
        });
        columns.splice(2..2, weights);
        columns
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
                .reading([&row.games])
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
        let games = read_games(&ctx.data(&row.games)?)?;
        let mut choices = OnePlyChoices::new(&attributes)?;
        for (number, game) in (0..).zip(&games) {
            ctx.check()?;
            for (position, played) in game.plies_of(color_of(game, &row.player)?) {
                choices.push(number, &position, played)?;
            }
        }
        let sets = choices.build();
        let model = ConditionalLogit::new(&sets);
        let fit = self.optimizer.fit(model)?;
        let std_errors = (fit.std_errors.as_ref())
            .ok_or_else(|| CellError::new(format!("no maximum: {:?}", fit.stop)))?;

        output.set("games", games.len() as u64);
        output.set("moves", sets.n_choices());
        for (index, &attribute) in self.attributes.iter().enumerate() {
            let weight = Number::new(fit.weights[index]).with_std_error(std_errors[index]);
            output.set(column("lambda", attribute), weight);
        }
        output.set("i-random", model.uniform_bits());
        output.set("i-inferred", model.bits(&fit.weights));
        output.set("comp", model.compression_percent(&fit.weights));
        output.set("evaluations", fit.evaluations as u64);
        if self.bootstrap > 0 {
            let intervals = self.intervals(&sets, &fit.weights, ctx)?;
            for (&attribute, interval) in self.attributes.iter().zip(intervals) {
                output.set(column("low", attribute), interval.low);
                output.set(column("high", attribute), interval.high);
            }
        }
        Ok(())
    }
}

impl WeightInference {
    /// 95% intervals of the weights from drawing games anew.
    fn intervals(
        &self,
        sets: &ChoiceSets,
        weights: &[f64],
        ctx: &Context<'_>,
    ) -> Result<Vec<Interval>, CellError> {
        let options = BootstrapOptions {
            n_replicates: self.bootstrap as usize,
            seed: ctx.seed_u64("bootstrap"),
        };
        let bootstrap = bootstrap_groups(&sets.groups(), options, |games| {
            let sample = sets.by_groups(games);
            let fit = ConditionalLogit::new(&sample).fit_newton(weights, &NewtonOptions::default());
            fit.ok().filter(Fit::converged).map(|fit| fit.weights)
        })?;
        ctx.check()?;
        Ok(bootstrap.percentile_intervals(0.95)?)
    }
}
