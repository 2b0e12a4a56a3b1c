//! `weight-recovery`: parameter recovery of the one-ply model from self-play with known weights.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_players::no_maximum;
use kibitz_search::{
    one_ply::{OnePly, WeightedOnePly},
    self_play::EndPolicy,
};
use kibitz_stats::{ChoiceSets, ConditionalLogit, StopReason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    player_games::{Optimizer, column, with_attributes},
    self_play::{check_end, percent_if, play_games},
};

/// Weights inferred from self-play of a player with known weights.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WeightRecovery {
    /// The moves counted in the mobility balance.
    #[serde(default)]
    mobility: MobilityConvention,
    /// The maximizer of the likelihood.
    #[serde(default)]
    optimizer: Optimizer,
    /// End of games that the rules do not decide.
    #[serde(default)]
    end: EndPolicy,
    /// One row of the table each.
    sets: Vec<SetParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SetParams {
    /// The row of the table.
    row: String,
    /// Number of games.
    games: u32,
    /// The true weights; their attributes are inferred.
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

/// The alternatives evaluated in a game.
#[derive(Default)]
struct EvaluatedAlternatives {
    /// The attributes of all alternatives, decision after decision.
    rows: Vec<i16>,
    /// Per decision: index of the chosen alternative, and end of its rows.
    choices: Vec<(usize, usize)>,
}

impl Experiment for WeightRecovery {
    type Row = SetParams;

    const NAME: &'static str = "weight-recovery";
    const EXAMPLE: &'static str = include_str!("../examples/weight-recovery.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("plies", "plies", "mean length of the generated games"),
        Column::new(
            "separated",
            "%",
            "share of replicates whose likelihood has no maximum",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.require(!self.sets.is_empty(), "sets", "at least one set");
        problems.each("sets", &self.sets, |set, problems| {
            problems.require(set.games > 0, "games", "at least one game");
            problems.require(
                !set.truth.weights().is_empty(),
                "truth",
                "at least one weight, such as `mat = 3.0`",
            );
        });
        check_end(self.end, problems);
    }

    fn columns(&self) -> Vec<Column> {
        let of_each = [
            Column::new("lambda", "", "inferred weight of {}"),
            Column::new(
                "z",
                "std errors",
                "inferred minus true weight of {}, in standard errors of the fit",
            ),
            Column::new("over", "%", "share of replicates that overestimate {}"),
        ];
        with_attributes(Self::COLUMNS, 0, &Attribute::SIMPLE, &of_each)
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<SetParams>> {
        let sets = self.sets.iter();
        sets.map(|set| {
            let positions_needed = set.truth.mob.is_some();
            let cost = f64::from(set.games) * if positions_needed { 10.0 } else { 1.0 };
            Cell::row(&set.row, set.clone()).costing(cost)
        })
        .collect()
    }

    fn run(
        &self,
        set: &SetParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let (attributes, truth): (Vec<_>, Vec<_>) = set.truth.weights().into_iter().unzip();
        let attribute_set = AttributeSet {
            mobility: self.mobility,
            ..AttributeSet::new(attributes.clone())
        };
        let player = WeightedOnePly::new(OnePly::new(attribute_set.clone()), truth.clone());
        let note = |seen: &mut EvaluatedAlternatives, _, player: &WeightedOnePly, _: &_, chosen| {
            seen.rows.extend_from_slice(player.rows());
            seen.choices.push((chosen, seen.rows.len()));
        };
        let games = play_games(player, set.games, self.end, ctx, note)?;
        let mut builder = ChoiceSets::scaled_builder(&attribute_set.scales())?;
        for (number, (_, seen)) in (0..).zip(&games) {
            let mut start = 0;
            for &(chosen, end) in &seen.choices {
                builder.push_flat(number, chosen, &seen.rows[start..end])?;
                start = end;
            }
        }
        let sets = builder.build();
        let model = ConditionalLogit::new(&sets);
        let fit = self.optimizer.fit(model)?;

        let n_plies: usize = games.iter().map(|(game, _)| game.moves.len()).sum();
        output.set("plies", n_plies as f64 / games.len() as f64);
        let why = model.no_maximum(&fit.weights, fit.stop);
        let why = why.map(|why| (why.stop, no_maximum(&set.row, &why, &attributes)));
        let separated = match why {
            None => false,
            Some((StopReason::Separated, why)) => {
                ctx.warn(why);
                true
            }
            Some((_, why)) => return Err(CellError::new(why)),
        };
        output.set("separated", percent_if(separated));
        if !separated {
            let std_errors = fit.std_errors.as_ref();
            let std_errors =
                std_errors.ok_or_else(|| CellError::new("the maximum has no standard errors"))?;
            for (index, attribute) in attributes.into_iter().enumerate() {
                let (estimate, std_error) = (fit.weights[index], std_errors[index]);
                let number = Number::new(estimate).with_std_error(std_error);
                output.set(column("lambda", attribute), number);
                let z = (estimate - truth[index]) / std_error;
                output.set(column("z", attribute), z);
                let over = percent_if(estimate > truth[index]);
                output.set(column("over", attribute), over);
            }
        }
        Ok(())
    }
}
