//! Games and what a player chose in them, as data to fit.

use kibitz_board::{Chess, Color, Game, Move, Position, pgn};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_lab::{CellError, DataFile, Diagnostics, Params};
use kibitz_search::one_ply::OnePly;
use kibitz_stats::{
    ChoiceSets, ConditionalLogit, Fit, HillClimbOptions, NewtonOptions, choice::ChoiceSetsBuilder,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The crates that results of the player models depend on.
pub(super) const CRATES: &[&str] = &[
    "kibitz-board",
    "kibitz-heuristics",
    "kibitz-search",
    "kibitz-stats",
];

/// Whose moves are coded.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct CodedPlayer {
    /// How the player is called in the table.
    pub(super) name: String,
    /// The collection, by its name under `data`.
    pub(super) games: String,
    /// Whose moves: the beginning of the name as the collection has it.
    pub(super) player: String,
}

impl CodedPlayer {
    /// Reports what makes no sense in the list `players`.
    pub(super) fn check_all(players: &[Self], params: &Params<'_>, problems: &mut Diagnostics) {
        if players.is_empty() {
            problems.push(params.error_at("players", "at least one player"));
        }
        for (index, player) in players.iter().enumerate() {
            check_collection(
                &player.games,
                params,
                &format!("players.{index}.games"),
                problems,
            );
        }
    }
}

/// Reports that the collection called `name` in the parameter at `path` is none of the data.
pub(super) fn check_collection(
    name: &str,
    params: &Params<'_>,
    path: &str,
    problems: &mut Diagnostics,
) {
    if !params.has_data(name) {
        let message = format!("`{name}` is not named under `data`");
        problems.push(params.error_at(path, message));
    }
}

/// How the weights are fitted; both ways lead to the same maximum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Optimizer {
    /// Newton's method with line search.
    #[default]
    Newton,
    /// The paper's "simple and robust hill climbing".
    HillClimb,
}

impl Optimizer {
    /// Maximum likelihood weights, started from zero.
    pub(super) fn fit(self, model: ConditionalLogit<'_>) -> Result<Fit, CellError> {
        let start = vec![0.0; model.sets().n_attributes()];
        Ok(match self {
            Optimizer::Newton => model.fit_newton(&start, &NewtonOptions::default())?,
            Optimizer::HillClimb => model.fit_hill_climb(&start, &HillClimbOptions::default())?,
        })
    }
}

/// The columns `<prefix>-<attribute>` have this name for an attribute.
pub(super) fn column(prefix: &str, attribute: Attribute) -> String {
    format!("{prefix}-{}", attribute.short_name())
}

/// All games of an embedded collection. A bad game is an error: what is embedded is clean.
pub(super) fn read_games(file: &DataFile) -> Result<Vec<Game>, CellError> {
    let bytes = file.bytes()?;
    pgn::read_games(file.entry(), &bytes[..], pgn::Policy::strict())
        .map(|game| game.map_err(CellError::from))
        .collect()
}

/// The color that `player` had, by the beginning of the name (the surname).
pub(super) fn color_of(game: &Game, player: &str) -> Result<Color, CellError> {
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
pub(super) struct OnePlyChoices {
    model: OnePly,
    builder: ChoiceSetsBuilder,
    rows: Vec<i16>,
}

impl OnePlyChoices {
    pub(super) fn new(attributes: &AttributeSet) -> Result<Self, CellError> {
        Ok(Self {
            model: OnePly::new(attributes.clone()),
            builder: ChoiceSets::scaled_builder(&attributes.scales())?,
            rows: Vec::new(),
        })
    }

    /// Adds the decision to make `played` in `position`, as part of game number `game`.
    pub(super) fn push(
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

    pub(super) fn build(self) -> ChoiceSets {
        self.builder.build()
    }
}
