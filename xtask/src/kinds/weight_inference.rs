//! `weight-inference`: the weights that make a player's own moves most likely.

use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
    Value,
};
use kibitz_stats::{
    ChoiceSets, ConditionalLogit, Fit, NewtonOptions,
    inference::{BootstrapOptions, Interval, bootstrap_groups},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chess_data::{
    CRATES, OnePlyChoices, Optimizer, check_collection, color_of, column, read_games,
};

/// Weights inferred from the games of human players under the one-ply model.
#[derive(Debug)]
pub(crate) struct WeightInference;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct InferenceParams {
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
struct RowParams {
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

impl Kind for WeightInference {
    fn name(&self) -> &'static str {
        "weight-inference"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        CRATES
    }

    fn example(&self) -> &'static str {
        include_str!("examples/weight-inference.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(InferenceParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: InferenceParams = params.read()?;
        let mut problems = Diagnostics::new();
        if checked.attributes.is_empty() {
            problems.push(params.error_at("attributes", "at least one attribute"));
        }
        if checked.rows.is_empty() {
            problems.push(params.error_at("rows", "at least one row"));
        }
        for (index, row) in checked.rows.iter().enumerate() {
            check_collection(
                &row.games,
                params,
                &format!("rows.{index}.games"),
                &mut problems,
            );
        }
        problems.into_result(Box::new(InferencePlan(checked)))
    }
}

struct InferencePlan(InferenceParams);

impl Plan for InferencePlan {
    fn random(&self) -> bool {
        self.0.bootstrap > 0
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::new("games", "games", "games of the player"),
            Column::new("moves", "moves", "moves of the player"),
        ];
        for &attribute in &self.0.attributes {
            let name = attribute.short_name();
            columns.extend([
                Column::new(column("lambda", attribute), "", format!("weight of {name}")),
                Column::new(
                    column("low", attribute),
                    "",
                    format!("95% interval of {name}, from"),
                ),
                Column::new(
                    column("high", attribute),
                    "",
                    format!("95% interval of {name}, to"),
                ),
            ]);
        }
        columns.extend([
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
        ]);
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = self.0.rows.iter();
        rows.map(|row| {
            Cell::row(&row.row)
                .costing(1.0 + f64::from(self.0.bootstrap) / 20.0)
                .reading([&row.games])
        })
        .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let row = (self.0.rows.iter())
            .find(|row| row.row == cell.id)
            .ok_or_else(|| CellError::new("no such row"))?;
        let attributes = AttributeSet {
            mobility: row.mobility,
            ..AttributeSet::new(self.0.attributes.clone())
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
        let fit = self.0.optimizer.fit(model)?;
        let std_errors = (fit.std_errors.as_ref())
            .ok_or_else(|| CellError::new(format!("no maximum: {:?}", fit.stop)))?;

        let mut output = CellOutput::new();
        let name = cell.id.as_str();
        output.set(name, "games", games.len() as u64);
        output.set(name, "moves", sets.n_choices());
        for (index, &attribute) in self.0.attributes.iter().enumerate() {
            let weight = Number::new(fit.weights[index]).with_std_error(std_errors[index]);
            output.set(name, column("lambda", attribute), Value::Number(weight));
        }
        output.set(name, "i-random", model.uniform_bits());
        output.set(name, "i-inferred", model.bits(&fit.weights));
        output.set(name, "comp", model.compression_percent(&fit.weights));
        output.set(name, "evaluations", fit.evaluations as u64);
        if self.0.bootstrap > 0 {
            let intervals = self.intervals(&sets, &fit.weights, ctx)?;
            for (&attribute, interval) in self.0.attributes.iter().zip(intervals) {
                output.set(name, column("low", attribute), interval.low);
                output.set(name, column("high", attribute), interval.high);
            }
        }
        Ok(output)
    }
}

impl InferencePlan {
    /// 95% intervals of the weights from drawing games anew.
    fn intervals(
        &self,
        sets: &ChoiceSets,
        weights: &[f64],
        ctx: &CellContext<'_>,
    ) -> Result<Vec<Interval>, CellError> {
        let options = BootstrapOptions {
            n_replicates: self.0.bootstrap as usize,
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
