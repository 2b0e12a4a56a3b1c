//! `who-played`: which of two players made the moves of a game?

use kibitz_board::Game;
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Params, Plan,
};
use kibitz_search::quiescent::{Decision, Quiescent};
use kibitz_stats::{
    inference::wilson_interval,
    soft_minimax::{SoftMinimax, Trees},
    split::{Split, draw, k_fold},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;

use super::{
    chess_data::{CRATES, check_collection, color_of, read_games},
    quiescent_data::{ModelParams, budget_bytes, extend_decisions, fitted_weights},
};

/// Players told apart by the weights fitted to other games of theirs.
#[derive(Debug)]
pub(crate) struct WhoPlayed;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WhoParams {
    /// The two players.
    players: [PlayerParams; 2],
    /// Into how many parts each player's games are dealt, each judged with weights fitted to the
    /// others.
    folds: u32,
    /// Starts of every fit, the first at zero.
    starts: u32,
    /// Memory for the trees of each player, in MiB.
    budget_mib: u32,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PlayerParams {
    /// The collection, by its name under `data`.
    games: String,
    /// Whose moves: the beginning of the name as the collection has it.
    player: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RowParams {
    /// The row of the table.
    row: String,
    /// The model by which the players are told apart.
    #[serde(default)]
    model: ModelParams,
    /// How many games of each player are drawn; all when left out.
    sample: Option<u32>,
}

impl Kind for WhoPlayed {
    fn name(&self) -> &'static str {
        "who-played"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        CRATES
    }

    fn example(&self) -> &'static str {
        include_str!("examples/who-played.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(WhoParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: WhoParams = params.read()?;
        let mut problems = Diagnostics::new();
        if checked.folds < 2 {
            problems.push(params.error_at(
                "folds",
                "at least two parts, to fit on one and judge another",
            ));
        }
        if checked.starts == 0 {
            problems.push(params.error_at("starts", "at least one"));
        }
        if checked.rows.is_empty() {
            problems.push(params.error_at("rows", "at least one row"));
        }
        for (index, player) in checked.players.iter().enumerate() {
            check_collection(
                &player.games,
                params,
                &format!("players.{index}.games"),
                &mut problems,
            );
        }
        for (index, row) in checked.rows.iter().enumerate() {
            let at = format!("rows.{index}");
            row.model
                .check(params, &format!("{at}.model"), &mut problems);
            if row.sample.is_some_and(|sample| sample < checked.folds) {
                let message = "at least one game for each part";
                problems.push(params.error_at(&format!("{at}.sample"), message));
            }
        }
        problems.into_result(Box::new(WhoPlan(checked)))
    }
}

struct WhoPlan(WhoParams);

/// One player's games.
struct Record {
    decisions: Vec<Decision>,
    folds: Vec<Split>,
}

/// How many games were given to whom.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    games: u64,
    right: u64,
    /// Sum of the log-likelihood ratios in favor of the player who played, in bits.
    evidence: f64,
}

impl Tally {
    fn percent(self) -> f64 {
        100.0 * self.right as f64 / self.games as f64
    }
}

impl Plan for WhoPlan {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        vec![
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
        ]
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = self.0.rows.iter();
        rows.map(|row| {
            Cell::row(&row.row)
                .reading(self.0.players.iter().map(|player| &player.games))
                .costing(10.0)
        })
        .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let row = (self.0.rows.iter())
            .find(|row| row.row == cell.id)
            .ok_or_else(|| CellError::new("no such row"))?;
        let model = row.model.model();
        let [first, second] = &self.0.players;
        let records = [
            self.record(first, row.sample, ctx)?,
            self.record(second, row.sample, ctx)?,
        ];
        let trees = self.trees(&model, &records)?;
        let likelihoods = [SoftMinimax::new(&trees[0]), SoftMinimax::new(&trees[1])];
        let mut tallies = [Tally::default(); 2];
        for fold in 0..self.0.folds as usize {
            let mut weights = [Vec::new(), Vec::new()];
            for (index, likelihood) in likelihoods.iter().enumerate() {
                ctx.check()?;
                let player = &self.0.players[index].player;
                weights[index] = ctx.checkpoint(&format!("{player}, fold {fold}"), || {
                    let training = likelihood.by_groups(&records[index].folds[fold].train);
                    let name = format!("{player}, fold {fold}, fit");
                    fitted_weights(&training, self.0.starts, ctx, &name)
                })?;
            }
            for (index, likelihood) in likelihoods.iter().enumerate() {
                let test = &records[index].folds[fold].test;
                let tested = likelihood.by_groups(test);
                let own = tested.log_likelihoods(&weights[index]);
                let other = tested.log_likelihoods(&weights[1 - index]);
                for &game in test {
                    let ratio: f64 = (trees[index].groups().zip(own.iter().zip(&other)))
                        .filter(|(group, _)| *group == game)
                        .map(|(_, (own, other))| own - other)
                        .sum();
                    let tally = &mut tallies[index];
                    tally.games += 1;
                    tally.right += u64::from(ratio > 0.0);
                    tally.evidence += ratio / LN_2;
                }
            }
        }
        let [first, second] = tallies;
        let games = first.games + second.games;
        let right = first.right + second.right;
        let interval = wilson_interval(right, games, 0.95)?;
        let mut output = CellOutput::new();
        let name = cell.id.as_str();
        let percent = |share: f64| 100.0 * share;
        output.set(name, "games", games);
        output.set(name, "accuracy", percent(right as f64 / games as f64));
        output.set(name, "low", percent(interval.low));
        output.set(name, "high", percent(interval.high));
        let commoner = first.games.max(second.games);
        output.set(name, "commoner", percent(commoner as f64 / games as f64));
        output.set(
            name,
            "balanced",
            f64::midpoint(first.percent(), second.percent()),
        );
        output.set(name, "first", first.percent());
        output.set(name, "second", second.percent());
        output.set(
            name,
            "evidence",
            (first.evidence + second.evidence) / games as f64,
        );
        Ok(output)
    }
}

impl WhoPlan {
    /// The player's decisions in the games drawn, and how these are dealt.
    fn record(
        &self,
        player: &PlayerParams,
        sample: Option<u32>,
        ctx: &CellContext<'_>,
    ) -> Result<Record, CellError> {
        let games: Vec<Game> = read_games(&ctx.data(&player.games)?)?;
        // A game without a move of the player says nothing of the player.
        let mut groups = Vec::with_capacity(games.len());
        for (group, game) in (0..).zip(&games) {
            let color = color_of(game, &player.player)?;
            if game.plies_of(color).next().is_some() {
                groups.push(group);
            }
        }
        if let Some(sample) = sample {
            let seed = ctx.seed_u64(&format!("games of {}", player.player));
            groups = draw(&groups, sample, seed)?;
        }
        let mut decisions = Vec::new();
        for &group in &groups {
            let game = &games[group as usize];
            let color = color_of(game, &player.player)?;
            extend_decisions(&mut decisions, game, color, group);
        }
        let seed = ctx.seed_u64(&format!("folds of {}", player.player));
        let folds = k_fold(&groups, self.0.folds as usize, seed)?;
        Ok(Record { decisions, folds })
    }

    fn trees<'a>(
        &self,
        model: &'a Quiescent,
        records: &'a [Record; 2],
    ) -> Result<[Trees<'a>; 2], CellError> {
        let budget = budget_bytes(self.0.budget_mib);
        let [first, second] = records;
        Ok([
            model.trees(&first.decisions, budget)?,
            model.trees(&second.decisions, budget)?,
        ])
    }
}
