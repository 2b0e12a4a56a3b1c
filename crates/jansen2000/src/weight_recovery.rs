//! `weight-recovery`: games are generated with known weights, and the weights inferred back.

use kibitz_board::{Chess, Position};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
    Value,
};
use kibitz_search::{
    one_ply::{OnePly, WeightedOnePly},
    self_play::{EndPolicy, play},
};
use kibitz_stats::{ConditionalLogit, StopReason};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chess_data::{CRATES, OnePlyChoices, Optimizer, column};

/// Weights inferred from self-play of a player whose weights are known.
#[derive(Debug)]
pub(crate) struct WeightRecovery;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RecoveryParams {
    /// What counts as a move in the mobility balance.
    #[serde(default)]
    #[schemars(with = "String")]
    mobility: MobilityConvention,
    /// How the weights are fitted.
    #[serde(default)]
    optimizer: Optimizer,
    /// When a game ends that is not decided by the rules alone.
    #[serde(default)]
    end: EndParams,
    /// One row of the table each.
    sets: Vec<SetParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SetParams {
    /// The row of the table.
    row: String,
    /// How many games are generated.
    games: u32,
    /// The weights they are generated with; these attributes are inferred.
    truth: Truth,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Truth {
    /// Weight of the material balance, per pawn.
    mat: Option<f64>,
    /// Weight of the mobility balance, per move.
    mob: Option<f64>,
}

impl Truth {
    fn weights(self) -> Vec<(Attribute, f64)> {
        let all = [
            (Attribute::Material, self.mat),
            (Attribute::Mobility, self.mob),
        ];
        all.into_iter()
            .filter_map(|(attribute, weight)| Some((attribute, weight?)))
            .collect()
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct EndParams {
    /// The third occurrence of a position is a draw.
    threefold_repetition: bool,
    /// Fifty moves of each side without a capture or a pawn move are a draw.
    fifty_moves: bool,
    /// A game is broken off after this many plies.
    max_plies: Option<u32>,
}

impl Default for EndParams {
    fn default() -> Self {
        let EndPolicy {
            threefold_repetition,
            fifty_moves,
            max_plies,
        } = EndPolicy::default();
        Self {
            threefold_repetition,
            fifty_moves,
            max_plies,
        }
    }
}

impl EndParams {
    /// What to say of a policy under which a game may go on for ever.
    pub(super) const NO_END: &str = "games need an end: set `fifty-moves = true` or `max-plies`";

    /// Whether every game comes to an end.
    pub(super) fn surely_ends(self) -> bool {
        self.max_plies.is_some() || self.fifty_moves
    }
}

impl From<EndParams> for EndPolicy {
    fn from(params: EndParams) -> Self {
        let EndParams {
            threefold_repetition,
            fifty_moves,
            max_plies,
        } = params;
        Self {
            threefold_repetition,
            fifty_moves,
            max_plies,
        }
    }
}

impl Kind for WeightRecovery {
    fn name(&self) -> &'static str {
        "weight-recovery"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        CRATES
    }

    fn example(&self) -> &'static str {
        include_str!("examples/weight-recovery.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(RecoveryParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: RecoveryParams = params.read()?;
        params.expect_data(&[])?;
        let mut problems = Diagnostics::default();
        for (index, set) in checked.sets.iter().enumerate() {
            if set.games == 0 {
                problems.push(params.error_at(&format!("sets.{index}.games"), "at least one game"));
            }
            if set.truth.weights().is_empty() {
                let message = "at least one weight, such as `mat = 3.0`";
                problems.push(params.error_at(&format!("sets.{index}.truth"), message));
            }
        }
        if checked.sets.is_empty() {
            problems.push(params.error_at("sets", "at least one set"));
        }
        if !checked.end.surely_ends() {
            problems.push(params.error_at("end", EndParams::NO_END));
        }
        problems.into_result(Box::new(RecoveryPlan(checked)))
    }
}

struct RecoveryPlan(RecoveryParams);

impl Plan for RecoveryPlan {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for attribute in Attribute::SIMPLE {
            let name = attribute.short_name();
            columns.extend([
                Column::new(
                    column("lambda", attribute),
                    "",
                    format!("inferred weight of {name}"),
                ),
                Column::new(
                    column("z", attribute),
                    "std errors",
                    format!("inferred minus true weight of {name}, in standard errors of the fit"),
                ),
                Column::new(
                    column("over", attribute),
                    "%",
                    format!("share of replicates that overestimate {name}"),
                ),
            ]);
        }
        columns.extend([
            Column::new("plies", "plies", "mean length of the generated games"),
            Column::new(
                "separated",
                "%",
                "share of replicates whose likelihood has no maximum",
            ),
        ]);
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        let sets = self.0.sets.iter();
        sets.map(|set| {
            let positions_needed = set.truth.weights().len() > 1 || set.truth.mob.is_some();
            let cost = f64::from(set.games) * if positions_needed { 10.0 } else { 1.0 };
            Cell::row(&set.row).costing(cost)
        })
        .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let set = (self.0.sets.iter())
            .find(|set| set.row == cell.id)
            .ok_or_else(|| CellError::new("no such row"))?;
        let truth = set.truth.weights();
        let attributes: Vec<_> = truth.iter().map(|(attribute, _)| *attribute).collect();
        let attributes = AttributeSet {
            mobility: self.0.mobility,
            ..AttributeSet::new(attributes)
        };
        let weights: Vec<f64> = truth.iter().map(|(_, weight)| *weight).collect();
        let player = WeightedOnePly::new(OnePly::new(attributes.clone()), weights);
        let policy = self.0.end.into();
        let games = (0..set.games)
            .into_par_iter()
            .map_with(player, |player, number| {
                ctx.check()?;
                let mut rng = ctx.rng_for(&format!("game {number}"));
                Ok(play(player, &Chess::default(), &policy, &mut rng))
            })
            .collect::<Result<Vec<_>, CellError>>()?;

        let mut choices = OnePlyChoices::new(&attributes)?;
        for (number, game) in (0..).zip(&games) {
            ctx.check()?;
            let mut position = Chess::default();
            for &played in &game.moves {
                choices.push(number, &position, played)?;
                position.play_unchecked(played);
            }
        }
        let sets = choices.build();
        let fit = self.0.optimizer.fit(ConditionalLogit::new(&sets))?;

        let mut output = CellOutput::new();
        let row = cell.id.as_str();
        let plies: usize = games.iter().map(|game| game.moves.len()).sum();
        output.set(row, "plies", plies as f64 / games.len() as f64);
        let separated = match fit.stop {
            StopReason::Converged => false,
            StopReason::Separated => true,
            other => {
                return Err(CellError::new(format!(
                    "the fit did not converge: {other:?}"
                )));
            }
        };
        output.set(row, "separated", if separated { 100.0 } else { 0.0 });
        if let Some(std_errors) = fit.std_errors.filter(|_| !separated) {
            for (index, (attribute, actual)) in truth.into_iter().enumerate() {
                let (estimate, std_error) = (fit.weights[index], std_errors[index]);
                let number = Number::new(estimate).with_std_error(std_error);
                output.set(row, column("lambda", attribute), Value::Number(number));
                output.set(row, column("z", attribute), (estimate - actual) / std_error);
                let over = if estimate > actual { 100.0 } else { 0.0 };
                output.set(row, column("over", attribute), over);
            }
        }
        Ok(output)
    }
}
