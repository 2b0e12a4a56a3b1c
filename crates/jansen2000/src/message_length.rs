//! `message-length`: two-part messages of weights and of moves, by sets of attributes.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{
    Choices, Depth, FitOptions, fit,
    four_ply::{ModelParams, decisions_in},
    selection::{message, select},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::{CellSession, CodedPlayer, games_of};

/// Message lengths of models of different attributes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MessageLength {
    /// The players; each has a row for every model.
    players: Vec<CodedPlayer>,
    /// The models.
    models: Vec<CodedModel>,
    /// Number of cross-validation folds of the games, for what is held out.
    folds: u32,
}

/// A model by its attributes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CodedModel {
    /// Its name in the table.
    name: String,
    /// Its attributes; all when left out.
    #[serde(default)]
    attributes: Vec<Attribute>,
    /// Whether those are taken among them that make the message shortest; of the one-ply model.
    #[serde(default)]
    choose: bool,
    /// Whether the player looks four plies ahead.
    #[serde(default)]
    four_ply: bool,
}

impl CodedModel {
    fn depth(&self) -> Depth {
        if self.four_ply {
            Depth::FourPly
        } else {
            Depth::OnePly
        }
    }

    fn list(&self) -> Vec<Attribute> {
        if self.attributes.is_empty() {
            Attribute::ALL.into()
        } else {
            self.attributes.clone()
        }
    }
}

/// A player under a model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Work {
    player: CodedPlayer,
    model: CodedModel,
}

impl Experiment for MessageLength {
    type Row = Work;

    const NAME: &'static str = "message-length";
    const EXAMPLE: &'static str = include_str!("../examples/message-length.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("attributes", "attributes", "attributes that count"),
        Column::new("names", "", "which they are, in the order of their choice"),
        Column::new(
            "weights",
            "bit",
            "first part: which attributes count, their weights, and what rounding them costs",
        ),
        Column::new(
            "choices",
            "bit",
            "second part: the moves under the fitted weights",
        ),
        Column::new("message", "bit", "length of both"),
        Column::new(
            "saved",
            "bit",
            "what the message saves beside one of no attribute, a move",
        ),
        Column::new("bits-per-move", "bit", "of the message, a move"),
        Column::new(
            "held-out",
            "bit",
            "mean cost of a move under weights fitted to other games",
        ),
        Column::new("moves", "moves", "moves of the player"),
    ];

    fn check(&self, problems: &mut Problems) {
        CodedPlayer::check_all(&self.players, problems);
        problems.require(!self.models.is_empty(), "models", "at least one model");
        problems.require(
            self.folds >= 2,
            "folds",
            "at least two parts, to fit on one and code another",
        );
        problems.each("models", &self.models, |model, problems| {
            let fits = !(model.choose && model.four_ply);
            problems.require(fits, "choose", "a choice is made for the one-ply model");
            let list = model.list();
            let params = ModelParams::default().with_attributes_of(list);
            for (place, message) in params.problems() {
                problems.at(place, message);
            }
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let cell = |player: &CodedPlayer, model: &CodedModel| {
            let work = Work {
                player: player.clone(),
                model: model.clone(),
            };
            Cell::row(player.row(&model.name), work)
                .reading([&player.games.data])
                .costing(if model.four_ply { 40.0 } else { 5.0 })
        };
        let players = self.players.iter();
        players
            .flat_map(|player| self.models.iter().map(move |model| cell(player, model)))
            .collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let session = CellSession(ctx);
        let Work { player, model } = work;
        let games = games_of(&player.player, &player.games, ctx)?.games;
        let decisions = (0..).zip(&games);
        let decisions = decisions
            .flat_map(|(group, (game, color))| decisions_in(game.plies_of(*color), group))
            .collect::<Vec<_>>();
        let list = model.list();
        let params = ModelParams::default().with_attributes_of(list.clone());
        let mut choices = match model.depth() {
            Depth::OnePly => Choices::one_ply(&params, &decisions, &session)?,
            Depth::FourPly => Choices::four_ply(&params, decisions)?,
        };
        let found = if model.choose {
            let selection = select(&choices, &session)?;
            selection.and_then(|selection| selection.best().cloned())
        } else {
            let all = message(&choices, (0..list.len()).collect(), &session)?;
            all.flatten().map(|(message, _)| message)
        };
        let found = found.ok_or_else(|| CellError::new("the weights have no maximum"))?;
        let names = found
            .attributes
            .iter()
            .map(|&one| list[one].name().to_owned());
        let names: Vec<String> = names.collect();
        if model.choose
            && let Some(part) = choices.restricted_to(&found.attributes)
        {
            choices = part;
        }
        let uniform = list.len() as f64 + choices.uniform_bits();
        let options = FitOptions {
            folds: self.folds as usize,
            ..FitOptions::default()
        };
        let (fitted, remarks) = fit(&choices, &names, options, &session)?;
        for remark in remarks {
            ctx.warn(remark);
        }
        let moves = choices.len();
        output.set("attributes", names.len() as u64);
        output.set("names", names.join(", "));
        output.set("weights", found.which + found.weights);
        output.set("choices", found.choices);
        output.set("message", found.total());
        output.set("saved", (uniform - found.total()) / moves as f64);
        output.set("bits-per-move", found.total() / moves as f64);
        if let Some(measures) = fitted.held_out {
            output.set("held-out", measures.bits);
        }
        output.set("moves", moves);
        Ok(())
    }
}
