//! `message-length`: two-part messages of weights and of moves, by sets of attributes.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_players::{
    FitOptions, fit,
    selection::{message, select},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    coded_model::{CodedModel, NumberedGame},
    player_games::{CellSession, CodedPlayer, games_of},
};

/// Message lengths of models of different attributes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MessageLength {
    /// The players; each has a row for every model.
    players: Vec<CodedPlayer>,
    /// The models.
    models: Vec<CodedModel>,
    /// Number of cross-validation folds of the games, for held-out code lengths.
    folds: u32,
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
            "first part: which attributes count, their weights, and what rounding them costs; of each phase, where these are apart",
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
        CodedModel::check_all(&self.models, problems);
        problems.require(
            self.folds >= 2,
            "folds",
            "at least two parts, to fit on one and code another",
        );
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
                .costing(model.cost())
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
        let games: Vec<NumberedGame<'_>> = (0..)
            .zip(&games)
            .map(|(number, (game, color))| (number, game, *color))
            .collect();
        let all_names = model.names();
        let mut names = all_names.clone();
        let (mut weights, mut bits, mut uniform) = (0.0, 0.0, all_names.len() as f64);
        let (mut moves, mut held_out) = (0, Some(0.0));
        for mut choices in model.choices(&games, ctx)? {
            let found = if model.choose {
                let selection = select(&choices, &session)?;
                selection.and_then(|selection| selection.best().cloned())
            } else {
                let all = message(&choices, (0..all_names.len()).collect(), &session)?;
                all.flatten().map(|(message, _)| message)
            };
            let found = found.ok_or_else(|| CellError::new("the weights have no maximum"))?;
            if model.choose
                && let Some(part) = choices.restricted_to(&found.attributes)
            {
                let chosen = found.attributes.iter();
                names = chosen.map(|&one| all_names[one].clone()).collect();
                choices = part;
            }
            let options = FitOptions {
                folds: self.folds as usize,
                ..FitOptions::default()
            };
            let (fitted, remarks) = fit(&choices, &names, options, &session)?;
            for remark in remarks {
                ctx.warn(remark);
            }
            weights += found.which + found.weights;
            bits += found.choices;
            uniform += choices.uniform_bits();
            moves += choices.len();
            let of_part = (fitted.held_out).map(|of| of.bits * of.moves as f64);
            held_out = held_out.zip(of_part).map(|(sum, part)| sum + part);
        }
        let message = weights + bits;
        output.set("attributes", names.len() as u64);
        output.set("names", names.join(", "));
        output.set("weights", weights);
        output.set("choices", bits);
        output.set("message", message);
        output.set("saved", (uniform - message) / moves as f64);
        output.set("bits-per-move", message / moves as f64);
        if let Some(held_out) = held_out {
            output.set("held-out", held_out / moves as f64);
        }
        output.set("moves", moves);
        Ok(())
    }
}
