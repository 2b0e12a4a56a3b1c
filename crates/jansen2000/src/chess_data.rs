//! Games and what a player chose in them, as data to fit.

use kibitz_board::{Chess, Color, Game, Move, Position, pgn};
use kibitz_experiment::{CellError, DataFile, Problems};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_search::one_ply::OnePly;
use kibitz_stats::{
    ChoiceSets, ConditionalLogit, Fit, HillClimbOptions, NewtonOptions, choice::ChoiceSetsBuilder,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose moves are coded.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CodedPlayer {
    /// How the player is called in the table.
    pub(crate) name: String,
    /// The collection, by its name under `data`.
    pub(crate) games: String,
    /// Whose moves: the beginning of the name as the collection has it.
    pub(crate) player: String,
}

impl CodedPlayer {
    /// Reports what makes no sense in the list `players`.
    pub(crate) fn check_all(players: &[Self], problems: &mut Problems) {
        problems.require(!players.is_empty(), "players", "at least one player");
        problems.each("players", players, |player, problems| {
            problems.names_data("games", &player.games);
        });
    }
}

/// How the weights are fitted; both ways lead to the same maximum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Optimizer {
    /// Newton's method with line search.
    #[default]
    Newton,
    /// The paper's "simple and robust hill climbing".
    HillClimb,
}

impl Optimizer {
    /// Maximum likelihood weights, started from zero.
    pub(crate) fn fit(self, model: ConditionalLogit<'_>) -> Result<Fit, CellError> {
        let start = vec![0.0; model.sets().n_attributes()];
        Ok(match self {
            Optimizer::Newton => model.fit_newton(&start, &NewtonOptions::default())?,
            Optimizer::HillClimb => model.fit_hill_climb(&start, &HillClimbOptions::default())?,
        })
    }
}

/// The columns `<prefix>-<attribute>` have this name for an attribute.
pub(crate) fn column(prefix: &str, attribute: Attribute) -> String {
    format!("{prefix}-{}", attribute.short_name())
}

/// All games of an embedded collection. A bad game is an error: what is embedded is clean.
pub(crate) fn read_games(file: &DataFile) -> Result<Vec<Game>, CellError> {
    let bytes = file.bytes()?;
    pgn::read_games(file.entry(), &bytes[..], pgn::Policy::strict())
        .map(|game| game.map_err(CellError::from))
        .collect()
}

/// The color that `player` had, by the beginning of the name (the surname).
pub(crate) fn color_of(game: &Game, player: &str) -> Result<Color, CellError> {
    let tags = game.tags();
    match (
        tags.white.starts_with(player),
        tags.black.starts_with(player),
    ) {
        (true, false) => Ok(Color::White),
        (false, true) => Ok(Color::Black),
        _ => Err(CellError::new(format!(
            "game {} ({} - {}) should have `{player}` on just one side",
            game.key(),
            tags.white,
            tags.black,
        ))),
    }
}

/// Collects decisions under the one-ply model, ready to fit.
pub(crate) struct OnePlyChoices {
    model: OnePly,
    builder: ChoiceSetsBuilder,
    rows: Vec<i16>,
}

impl OnePlyChoices {
    pub(crate) fn new(attributes: &AttributeSet) -> Result<Self, CellError> {
        Ok(Self {
            model: OnePly::new(attributes.clone()),
            builder: ChoiceSets::scaled_builder(&attributes.scales())?,
            rows: Vec::new(),
        })
    }

    /// Adds the decision to make `played` in `position`, as part of game number `game`.
    pub(crate) fn push(
        &mut self,
        game: u32,
        position: &Chess,
        played: Move,
    ) -> Result<(), CellError> {
        let moves = position.legal_moves();
        let chosen = moves
            .iter()
            .position(|candidate| *candidate == played)
            .ok_or_else(|| CellError::new(format!("illegal move {played:?} in game {game}")))?;
        self.rows.clear();
        self.model.extend_rows(position, &moves, &mut self.rows);
        Ok(self.builder.push_flat(game, chosen, &self.rows)?)
    }

    pub(crate) fn build(self) -> ChoiceSets {
        self.builder.build()
    }
}
