//! `who-played`: authorship attribution, which of two players made the moves of a game?

use std::{collections::BTreeSet, sync::Arc};

use kibitz_board::{Color, Game, GameKey, game_filter::GameSource};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_players::{
    attribution::{Tally, ratios},
    four_ply::{ModelParams, fitted_folds},
};
use kibitz_stats::{
    inference::wilson_interval,
    soft_minimax::{SoftMinimax, Trees},
    split::{Split, draw, k_fold},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    four_ply_model::{TREES, check_model, trees_of_all},
    player_games::{CellSession, check_games, games_of},
};

/// Cross-validated attribution of games to one of two players, by log-likelihood ratio.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WhoPlayed {
    /// The two players.
    players: [PlayerParams; 2],
    /// Number of cross-validation folds of each player's games.
    folds: u32,
    /// Starts of every fit, the first at zero.
    starts: u32,
    /// Memory for the trees of each player, in MiB.
    budget_mib: u32,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PlayerParams {
    /// The collection, by its name under `data`, and a filter of its games.
    games: GameSource,
    /// The player, by prefix of the name in the collection.
    player: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RowParams {
    /// The row of the table.
    row: String,
    /// The player model.
    #[serde(default)]
    model: ModelParams,
    /// Number of games drawn from each player; all when left out.
    sample: Option<u32>,
}

impl PlayerParams {
    /// Whether both may denote the same games: names are prefixes of those in a database, where
    /// spellings vary. `select` may divide the games of one player.
    fn is_same_as(&self, other: &Self) -> bool {
        let [one, other_name] = [self, other].map(|params| params.player.trim().to_lowercase());
        let is_alias = one.starts_with(&other_name) || other_name.starts_with(&one);
        is_alias && self.games.select == other.games.select
    }
}

/// One player's games.
struct Record {
    /// By key, with whether the player has White.
    keys: BTreeSet<(GameKey, bool)>,
    trees: Arc<Trees>,
    /// Indices of the games drawn.
    groups: Vec<u32>,
    folds: Vec<Split>,
}

impl Experiment for WhoPlayed {
    type Row = RowParams;

    const NAME: &'static str = "who-played";
    const EXAMPLE: &'static str = include_str!("../examples/who-played.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("games", "games", "games judged"),
        Column::new("accuracy", "%", "share of games given to who played them"),
        Column::new("low", "%", "95% interval of the accuracy, from"),
        Column::new("high", "%", "95% interval of the accuracy, to"),
        Column::new(
            "commoner",
            "%",
            "accuracy of always naming the player with more games",
        ),
        Column::new(
            "balanced",
            "%",
            "mean of the accuracies on either player's games",
        ),
        Column::new("first", "%", "accuracy on games of the first player"),
        Column::new("second", "%", "accuracy on games of the second player"),
        Column::new(
            "evidence",
            "bit",
            "mean log-likelihood ratio of a game in favor of who played it",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.require(
            self.folds >= 2,
            "folds",
            "at least two parts, to fit on one and judge another",
        );
        problems.at_least_one([("starts", self.starts as usize)]);
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        problems.each("players", &self.players, |player, problems| {
            check_games(&player.games, problems);
        });
        let [first, second] = &self.players;
        if first.is_same_as(second) {
            let message = format!(
                "`{}` and `{}` are the same player: name two, or part the games of one by `select`",
                first.player, second.player
            );
            problems.at("players.1.player", message);
        }
        problems.each("rows", &self.rows, |row, problems| {
            problems.within("model", |problems| check_model(&row.model, problems));
            let enough = row.sample.is_none_or(|sample| sample >= self.folds);
            problems.require(enough, "sample", "at least one game for each part");
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<RowParams>> {
        let rows = self.rows.iter();
        rows.map(|row| {
            Cell::row(&row.row, row.clone())
                .reading(self.players.iter().map(|player| &player.games.data))
                .costing(10.0)
                .sharing(TREES)
        })
        .collect()
    }

    fn run(
        &self,
        row: &RowParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let [first, second] = &self.players;
        let records = [
            self.record(first, row, ctx)?,
            self.record(second, row, ctx)?,
        ];
        if let Some((key, _)) = records[0].keys.intersection(&records[1].keys).next() {
            return Err(CellError::new(format!(
                "game {key} is counted as one of `{}` and as one of `{}`",
                first.player, second.player
            )));
        }
        let likelihoods = (records.each_ref())
            .map(|record| SoftMinimax::new(&record.trees).by_groups(&record.groups));
        let mut tallies = [Tally::default(); 2];
        let fitted = |index: usize| {
            let name = &self.players[index].player;
            let (likelihood, folds) = (&likelihoods[index], &records[index].folds);
            let attributes = &row.model.attributes;
            let session = CellSession(ctx);
            fitted_folds(likelihood, attributes, folds, self.starts, &session, name)
        };
        let weights = [fitted(0)?, fitted(1)?];
        let by_fold = weights[0].iter().zip(&weights[1]);
        for (fold, weights) in by_fold.map(|(first, second)| [first, second]).enumerate() {
            ctx.check()?;
            for (index, likelihood) in likelihoods.iter().enumerate() {
                let test = &records[index].folds[fold].test;
                let (own, other) = (weights[index], weights[1 - index]);
                for nats in ratios(likelihood, &records[index].trees, test, own, other) {
                    tallies[index].add(nats);
                }
            }
        }
        let [first, second] = tallies;
        let games = first.games + second.games;
        let right = first.right + second.right;
        let interval = wilson_interval(right, games, 0.95)?;
        let percent = |share: f64| 100.0 * share;
        output.set("games", games);
        output.set("accuracy", percent(right as f64 / games as f64));
        output.set("low", percent(interval.low));
        output.set("high", percent(interval.high));
        let commoner = first.games.max(second.games);
        output.set("commoner", percent(commoner as f64 / games as f64));
        output.set("balanced", f64::midpoint(first.percent(), second.percent()));
        output.set("first", first.percent());
        output.set("second", second.percent());
        output.set(
            "evidence",
            (first.evidence + second.evidence) / games as f64,
        );
        Ok(())
    }
}

impl WhoPlayed {
    /// The player's decisions, the games drawn, and their folds.
    fn record(
        &self,
        player: &PlayerParams,
        row: &RowParams,
        ctx: &Context<'_>,
    ) -> Result<Record, CellError> {
        let games = games_of(&player.player, &player.games, ctx)?.games;
        // A game without a move of the player carries no information.
        let has_moves = |(game, color): &(Game, Color)| game.plies_of(*color).next().is_some();
        let groups = (0..).zip(&games).filter(|(_, game)| has_moves(game));
        let mut groups: Vec<u32> = groups.map(|(group, _)| group).collect();
        if let Some(sample) = row.sample {
            let seed = ctx.seed_u64(&format!("games of {}", player.player));
            groups = draw(&groups, sample, seed)?;
        }
        let seed = ctx.seed_u64(&format!("folds of {}", player.player));
        let folds = k_fold(&groups, self.folds as usize, seed)?;
        let keys = games
            .iter()
            .map(|(game, color)| (game.key(), color.is_white()));
        let keys = keys.collect();
        let budget = self.budget_mib;
        let trees = trees_of_all(
            &player.player,
            &player.games,
            &games,
            &row.model,
            budget,
            ctx,
        )?;
        Ok(Record {
            keys,
            trees,
            groups,
            folds,
        })
    }
}
