//! `message-length`: two-part messages of weights and of moves, by sets of attributes.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{
    Choices, Depth, FitOptions, Measures, Phase, fit,
    four_ply::{ModelParams, decisions_in},
    selection::{Message, message, select},
};
use kibitz_search::quiescent::Decision;
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
    models: Vec<Attributes>,
    /// Number of cross-validation folds of the games, for what is held out.
    folds: u32,
}

/// A model by its attributes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Attributes {
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
    /// Whether opening, middle game and endgame have weights of their own.
    #[serde(default)]
    phases: bool,
}

impl Attributes {
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
    model: Attributes,
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
        Column::new(
            "top-1",
            "%",
            "moves that are the likeliest under weights fitted to other games",
        ),
        Column::new("top-3", "%", "moves among the three likeliest under these"),
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
        let cell = |player: &CodedPlayer, model: &Attributes| {
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
        let Work { player, model } = work;
        let games = games_of(&player.player, &player.games, ctx)?.games;
        let decisions = (0..).zip(&games);
        let decisions = decisions
            .flat_map(|(group, (game, color))| decisions_in(game.plies_of(*color), group))
            .collect::<Vec<_>>();
        let parts: Vec<Vec<Decision>> = if model.phases {
            let of = |phase: Phase| {
                let own = decisions.iter();
                let own = own.filter(|one| Phase::of(&one.position) == phase);
                own.cloned().collect()
            };
            Phase::ALL.map(of).into()
        } else {
            vec![decisions]
        };
        let mut sum = Sum::default();
        for decisions in parts {
            sum.add(self.told(model, decisions, ctx)?);
        }
        sum.set(output);
        Ok(())
    }
}

/// A message with its measures on games held out.
struct Told {
    message: Message,
    names: Vec<String>,
    moves: u64,
    uniform: f64,
    held_out: Option<Measures>,
}

/// Messages one after another.
#[derive(Default)]
struct Sum {
    names: Vec<String>,
    moves: u64,
    uniform: f64,
    weights: f64,
    choices: f64,
    held_out: Vec<Measures>,
}

impl Sum {
    fn add(&mut self, told: Told) {
        let fresh = told.names.iter().filter(|name| !self.names.contains(name));
        let fresh: Vec<String> = fresh.cloned().collect();
        self.names.extend(fresh);
        self.moves += told.moves;
        self.uniform += told.uniform;
        self.weights += told.message.which + told.message.weights;
        self.choices += told.message.choices;
        self.held_out.extend(told.held_out);
    }

    fn set(&self, output: &mut Output) {
        let moves = self.moves as f64;
        let message = self.weights + self.choices;
        output.set("attributes", self.names.len() as u64);
        output.set("names", self.names.join(", "));
        output.set("weights", self.weights);
        output.set("choices", self.choices);
        output.set("message", message);
        output.set("saved", (self.uniform - message) / moves);
        output.set("bits-per-move", message / moves);
        let held_out = Measures::together(&self.held_out);
        if let Some(measures) = held_out.filter(|measures| measures.moves == self.moves) {
            output.set("held-out", measures.bits);
            output.set("top-1", measures.top_1);
            output.set("top-3", measures.top_3);
        }
        output.set("moves", self.moves);
    }
}

impl MessageLength {
    /// The message of some decisions.
    fn told(
        &self,
        model: &Attributes,
        decisions: Vec<Decision>,
        ctx: &Context<'_>,
    ) -> Result<Told, CellError> {
        let session = CellSession(ctx);
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
        Ok(Told {
            message: found,
            names,
            moves: choices.len(),
            uniform,
            held_out: fitted.held_out,
        })
    }
}
