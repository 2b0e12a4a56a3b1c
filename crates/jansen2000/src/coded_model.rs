//! The models of the tables that compare several: their features, and the choices that they are
//! fitted to.

use kibitz_board::{Color, Game, Position as _};
use kibitz_experiment::{CellError, Context, Problems};
use kibitz_heuristics::{
    attributes::Attribute,
    chute::{CHUTE, Context as Scored, History, Parameters, Polynomial, score_moves},
};
use kibitz_players::{
    Choices, Phase,
    four_ply::{ModelParams, decisions_in},
};
use kibitz_search::quiescent::Decision;
use kibitz_stats::ChoiceSets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::CellSession;

/// A model of a player.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CodedModel {
    /// Its name in the table.
    pub(crate) name: String,
    /// The kind of its features.
    #[serde(default)]
    of: FeatureKind,
    /// Its attributes; all of the position itself when left out.
    #[serde(default)]
    attributes: Vec<Attribute>,
    /// Whether those are taken among them that make the message shortest; of the one-ply model.
    #[serde(default)]
    pub(crate) choose: bool,
    /// Whether the player looks four plies ahead.
    #[serde(default)]
    pub(crate) four_ply: bool,
    /// Whether opening, middle game and endgame have weights of their own.
    #[serde(default)]
    phases: bool,
}

/// The kind of features of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum FeatureKind {
    /// The position that a move leads to, by its attributes.
    #[default]
    Positions,
    /// The move, by CHUTE's scoring polynomial, of which the scale is fitted.
    ChutePolynomial,
    /// The move, by CHUTE's heuristics, each with a fitted weight.
    ChuteHeuristics,
}

/// A player's game, with its number and the player's color.
pub(crate) type NumberedGame<'a> = (u32, &'a Game, Color);

impl CodedModel {
    /// Validates the list `models`.
    pub(crate) fn check_all(models: &[Self], problems: &mut Problems) {
        problems.require(!models.is_empty(), "models", "at least one model");
        problems.each("models", models, |model, problems| {
            let fits = !(model.choose && (model.four_ply || model.phases));
            let why = "a choice is made for the one-ply model, for all phases together";
            problems.require(fits, "choose", why);
            let of_positions = model.of == FeatureKind::Positions;
            let plain = model.attributes.is_empty() && !model.four_ply && !model.phases;
            let why = "attributes, four plies and phases are of models of positions";
            problems.require(of_positions || plain, "of", why);
            for (place, message) in model.params().problems() {
                problems.at(place, message);
            }
        });
    }

    fn params(&self) -> ModelParams {
        let attributes = if self.attributes.is_empty() {
            Attribute::STATIC.into()
        } else {
            self.attributes.clone()
        };
        ModelParams::default().with_attributes_of(attributes)
    }

    /// The names of its weights.
    pub(crate) fn names(&self) -> Vec<String> {
        match self.of {
            FeatureKind::Positions => {
                let attributes = self.params().attributes.into_iter();
                attributes.map(|one| one.name().to_owned()).collect()
            }
            FeatureKind::ChutePolynomial => vec!["polynomial".to_owned()],
            FeatureKind::ChuteHeuristics => CHUTE.iter().map(|one| one.name().to_owned()).collect(),
        }
    }

    /// About how many seconds a fit takes.
    pub(crate) fn cost(&self) -> f64 {
        match self.of {
            FeatureKind::Positions if self.four_ply => 40.0,
            FeatureKind::Positions if self.attributes.contains(&Attribute::Ahead) => 30.0,
            FeatureKind::Positions => 5.0,
            FeatureKind::ChutePolynomial | FeatureKind::ChuteHeuristics => 60.0,
        }
    }

    /// The choices of a player in games: all, or those of each phase.
    pub(crate) fn choices(
        &self,
        games: &[NumberedGame<'_>],
        ctx: &Context<'_>,
    ) -> Result<Vec<Choices>, CellError> {
        let session = CellSession(ctx);
        let heuristics = match self.of {
            FeatureKind::Positions => None,
            FeatureKind::ChutePolynomial => Some(false),
            FeatureKind::ChuteHeuristics => Some(true),
        };
        if let Some(apart) = heuristics {
            let sets = chute(games, apart, ctx)?;
            return Ok(vec![Choices::Rows(sets)]);
        }
        let params = self.params();
        let games = games.iter();
        let decisions: Vec<Decision> = games
            .flat_map(|(number, game, color)| decisions_in(game.plies_of(*color), *number))
            .collect();
        let parts: Vec<Vec<Decision>> = if self.phases {
            let of = |phase| {
                let own = decisions.iter();
                let own = own.filter(|one| Phase::of(&one.position) == phase);
                own.cloned().collect()
            };
            Phase::ALL.map(of).into()
        } else {
            vec![decisions]
        };
        let parts = parts.into_iter().map(|decisions| {
            Ok(if self.four_ply {
                Choices::four_ply(&params, decisions)?
            } else {
                Choices::one_ply(&params, &decisions, &session)?
            })
        });
        parts.collect()
    }
}

/// CHUTE's scores of all moves: of each heuristic, or their sum.
fn chute(
    games: &[NumberedGame<'_>],
    apart: bool,
    ctx: &Context<'_>,
) -> Result<ChoiceSets, CellError> {
    let (parameters, polynomial) = (Parameters::PUBLISHED, Polynomial::default());
    let mut sets = ChoiceSets::builder(if apart { CHUTE.len() } else { 1 });
    for (done, (number, game, color)) in games.iter().enumerate() {
        ctx.check()?;
        ctx.progress("game", done, games.len());
        let mut history = History::default();
        for (position, played) in game.plies() {
            if position.turn() == *color {
                let moves = score_moves(&Scored::with(&position, history, &parameters));
                let chosen = moves.iter().position(|one| one.m == played);
                // A game's moves are legal, so that the move played is among them.
                let chosen = chosen.ok_or_else(|| CellError::new("a move is not legal"))?;
                let rows = moves.iter().map(|one| {
                    if apart {
                        one.scores.to_vec()
                    } else {
                        vec![polynomial.total(&one.scores)]
                    }
                });
                sets.push(*number, chosen, rows)?;
            }
            history = history.after(played);
        }
    }
    Ok(sets.build())
}
