//! The games and trees of the four-ply tables.

use std::sync::Arc;

use kibitz_board::{Color, Game, GameKey, Position, game_filter::GameSource};
use kibitz_experiment::{CellError, Column, Context, Problems};
use kibitz_players::four_ply::{ModelParams, budget_bytes, decisions_in};
use kibitz_search::quiescent::Decision;
use kibitz_stats::soft_minimax::Trees;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::color_of;

/// The shared column `mean-nodes`.
pub(crate) const MEAN_NODES: Column = Column::new(
    "mean-nodes",
    "positions",
    "mean size of a tree, its root not counted",
);

/// Validates a model.
pub(crate) fn check_model(model: &ModelParams, problems: &mut Problems) {
    for (path, message) in model.problems() {
        problems.at(path, message);
    }
}

/// A selection of games by key, and of decisions in them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Selection {
    /// Keys of the games (16 hexadecimal digits), all of which must exist; every game if empty.
    keys: Vec<String>,
    /// Only every nth decision, counted through all games.
    every: Option<u32>,
    /// Leaves out a mating last move.
    drop_final_mate: bool,
    /// Leaves out the last decision of the games with these keys.
    drop_last: Vec<String>,
}

impl Selection {
    /// Validates the selection.
    pub(crate) fn check(&self, problems: &mut Problems) {
        for (list, keys) in [("keys", &self.keys), ("drop-last", &self.drop_last)] {
            problems.each(list, keys, |key, problems| {
                if let Err(error) = key.parse::<GameKey>() {
                    problems.at("", error.to_string());
                }
            });
        }
        problems.require(
            self.every != Some(0),
            "every",
            "1 or more; 1 takes every decision",
        );
    }

    /// The decisions of `player` in the selected games, grouped by index in `games`.
    pub(crate) fn decisions(
        &self,
        games: &[Game],
        player: &str,
    ) -> Result<Vec<Decision>, CellError> {
        let keys: Vec<String> = games.iter().map(|game| game.key().to_string()).collect();
        for wanted in self.keys.iter().chain(&self.drop_last) {
            if !keys.contains(wanted) {
                return Err(CellError::new(format!(
                    "no game of the collection has the key {wanted}"
                )));
            }
        }
        let mut decisions = Vec::new();
        for (group, (game, key)) in (0..).zip(games.iter().zip(&keys)) {
            if !self.keys.is_empty() && !self.keys.contains(key) {
                continue;
            }
            let before = decisions.len();
            let color = color_of(game, player)?;
            decisions.extend(decisions_in(game.plies_of(color), group));
            let last = game.final_position();
            let mated = last.is_checkmate() && last.turn() != color;
            let drops = (self.drop_final_mate && mated) || self.drop_last.contains(key);
            if drops && decisions.len() > before {
                decisions.pop();
            }
        }
        if let Some(every) = self.every {
            decisions = decisions.into_iter().step_by(every as usize).collect();
        }
        if decisions.is_empty() {
            return Err(CellError::new("the selection is empty"));
        }
        Ok(decisions)
    }
}

/// Name of the shared value of [`trees_of_all`].
pub(crate) const TREES: &str = "trees";

/// The trees of all decisions of a player in the games of a source, grouped by game index. Built once
/// for all tables of a run, since four plies take half a minute.
pub(crate) fn trees_of_all(
    player: &str,
    source: &GameSource,
    games: &[(Game, Color)],
    model: &ModelParams,
    budget_mib: u32,
    ctx: &Context<'_>,
) -> Result<Arc<Trees>, CellError> {
    let file = ctx.data(&source.data)?;
    let which = (file.entry(), player, source, model, budget_mib);
    ctx.shared(&format!("trees {which:?}"), || {
        let numbered = (0..).zip(games);
        let decisions: Vec<Decision> = numbered
            .flat_map(|(group, (game, color))| decisions_in(game.plies_of(*color), group))
            .collect();
        Ok(model.model().trees(decisions, budget_bytes(budget_mib))?)
    })
}
