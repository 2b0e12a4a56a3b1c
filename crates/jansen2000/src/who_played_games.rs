//! `who-played-games`: which of many players made the moves of some games?

use std::{
    collections::{BTreeMap, BTreeSet},
    f64::consts::LN_2,
};

use kibitz_board::{Color, Game, GameKey};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_players::{attribution::posterior, no_maximum, one_ply};
use kibitz_stats::{ChoiceSets, ConditionalLogit, split::draw};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    player_games::{CellSession, intervals},
    player_weights::{games_by_name, sides, visit_all},
};

/// Attribution of games to one of many players of a collection.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WhoPlayedGames {
    /// The collection, by its name under `data`; read as a stream.
    games: String,
    /// How many players: those with the most games, names as they are written.
    players: u32,
    /// Maximum number of games of a player that his weights are fitted to.
    fitted: u32,
    /// Maximum number of evaluated games of a player, not among those fitted to.
    judged: u32,
    /// Numbers of candidate players.
    among: Vec<u32>,
    /// How many games of one of them are given.
    given: Vec<u32>,
    /// Trials per row; each draws the candidates, the true player and the games.
    questions: u32,
    /// Number of bootstrap resamples of players for the intervals.
    bootstrap: u32,
    /// The models; each has a row for every pair of `among` and `given`.
    models: Vec<Attributes>,
}

/// A one-ply model.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Attributes {
    /// Its name in the table.
    name: String,
    /// Its attributes; all when left out.
    #[serde(default)]
    attributes: Vec<Attribute>,
}

impl Attributes {
    fn set(&self) -> AttributeSet {
        if self.attributes.is_empty() {
            AttributeSet::new(Attribute::STATIC)
        } else {
            AttributeSet::new(self.attributes.clone())
        }
    }
}

/// A player's games, those fitted to and those judged.
#[derive(Default)]
struct Record {
    seen: BTreeSet<GameKey>,
    fitted: Vec<(Game, Color)>,
    judged: Vec<(Game, Color)>,
}

/// Bits of every judged game of a player under the weights of every player.
type Costs = Vec<Vec<f64>>;

impl Experiment for WhoPlayedGames {
    type Row = Attributes;

    const NAME: &'static str = "who-played-games";
    const EXAMPLE: &'static str = include_str!("../examples/who-played-games.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new(
            "accuracy",
            "%",
            "questions whose likeliest player is the right one",
        ),
        Column::new(
            "low",
            "%",
            "95% interval of the accuracy over resampled players, from",
        ),
        Column::new(
            "high",
            "%",
            "95% interval of the accuracy over resampled players, to",
        ),
        Column::new("chance", "%", "accuracy of naming anybody"),
        Column::new(
            "posterior",
            "%",
            "mean probability of the right player, from equal priors",
        ),
        Column::new(
            "sure",
            "%",
            "questions with a player whose probability is above 95%",
        ),
        Column::new("sure-right", "%", "accuracy on these"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.names_data("games", &self.games);
        problems.at_least_one([
            ("fitted", self.fitted as usize),
            ("questions", self.questions as usize),
            ("among", self.among.len()),
            ("given", self.given.len()),
            ("models", self.models.len()),
        ]);
        problems.require(
            self.among.iter().all(|n| (2..=self.players).contains(n)),
            "among",
            "from two players to all of them",
        );
        problems.require(
            self.given.iter().all(|n| (1..=self.judged).contains(n)),
            "given",
            "from one game to as many as are judged",
        );
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Attributes>> {
        let models = self.models.iter();
        models
            .map(|model| {
                Cell::rows(
                    &model.name,
                    self.rows(model).map(|(row, ..)| row),
                    model.clone(),
                )
                .reading([&self.games])
                .costing(60.0)
            })
            .collect()
    }

    fn run(
        &self,
        model: &Attributes,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let records = self.records(ctx)?;
        let costs = costs(&records, &model.set(), ctx)?;
        for (row, among, given) in self.rows(model) {
            ctx.check()?;
            let answers = self.answers(&costs, among, given, ctx)?;
            let accuracy = |players: &[u32]| {
                let tallies = players.iter().map(|&player| answers[player as usize]);
                let sum = tallies.fold(Answers::default(), Answers::plus);
                (sum.asked > 0).then(|| vec![sum.share(sum.right)])
            };
            let players: Vec<u32> = (0..).take(answers.len()).collect();
            let interval = intervals(&players, self.bootstrap, ctx, accuracy)?;
            let sum = answers
                .iter()
                .copied()
                .fold(Answers::default(), Answers::plus);
            let mut row = output.row(row);
            row.set("accuracy", sum.share(sum.right));
            row.set("low", interval[0].low);
            row.set("high", interval[0].high);
            row.set("chance", 100.0 / f64::from(among));
            row.set("posterior", 100.0 * sum.posterior / f64::from(sum.asked));
            row.set("sure", sum.share(sum.sure));
            if sum.sure > 0 {
                let share = 100.0 * f64::from(sum.sure_right) / f64::from(sum.sure);
                row.set("sure-right", share);
            }
        }
        Ok(())
    }
}

/// Answers to questions about the games of one player.
#[derive(Debug, Clone, Copy, Default)]
struct Answers {
    asked: u32,
    right: u32,
    sure: u32,
    sure_right: u32,
    /// Sum of the probabilities of the right player.
    posterior: f64,
}

impl Answers {
    fn plus(self, other: Self) -> Self {
        Self {
            asked: self.asked + other.asked,
            right: self.right + other.right,
            sure: self.sure + other.sure,
            sure_right: self.sure_right + other.sure_right,
            posterior: self.posterior + other.posterior,
        }
    }

    fn share(self, of: u32) -> f64 {
        100.0 * f64::from(of) / f64::from(self.asked)
    }
}

impl WhoPlayedGames {
    /// The rows of a model, with the number of players and of games.
    fn rows<'a>(&'a self, model: &'a Attributes) -> impl Iterator<Item = (String, u32, u32)> + 'a {
        self.among.iter().flat_map(move |&among| {
            self.given.iter().map(move |&given| {
                let games = if given == 1 { "game" } else { "games" };
                (
                    format!("{}, {among} players, {given} {games}", model.name),
                    among,
                    given,
                )
            })
        })
    }

    /// The players with the most games, in the order of their names.
    ///
    /// Which games are judged follows from their keys, which are as good as random: equal games, of which
    /// a collection may have several, fall on one side, and count once.
    fn records(&self, ctx: &Context<'_>) -> Result<Vec<Record>, CellError> {
        let mut names: Vec<(String, u32)> = games_by_name(&self.games, ctx)?.into_iter().collect();
        names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        names.truncate(self.players as usize);
        if names.len() < self.players as usize {
            let message = format!("the collection has {} players only", names.len());
            return Err(CellError::new(message));
        }
        let mut records: BTreeMap<String, Record> = (names.into_iter())
            .map(|(name, _)| (name, Record::default()))
            .collect();
        visit_all(&self.games, ctx, |game| {
            for (name, color) in sides(game) {
                let Some(record) = records.get_mut(name) else {
                    continue;
                };
                let key = game.key();
                if !record.seen.insert(key) {
                    continue;
                }
                let is_judged = key
                    .to_string()
                    .bytes()
                    .last()
                    .is_some_and(|digit| digit % 2 == 1);
                let games = if is_judged {
                    &mut record.judged
                } else {
                    &mut record.fitted
                };
                games.push((game.clone(), color));
            }
            Ok(())
        })?;
        for record in records.values_mut() {
            // The order of a collection may be that of openings or years.
            for (games, most) in [
                (&mut record.fitted, self.fitted),
                (&mut record.judged, self.judged),
            ] {
                games.sort_by_key(|(game, _)| game.key());
                games.truncate(most as usize);
            }
        }
        let given = self.given.iter().copied().max().unwrap_or(1) as usize;
        if let Some((name, record)) = records
            .iter()
            .find(|(_, record)| record.judged.len() < given)
        {
            let message = format!("{name} has {} games to be judged", record.judged.len());
            return Err(CellError::new(message));
        }
        Ok(records.into_values().collect())
    }

    /// Answers by player.
    fn answers(
        &self,
        costs: &[Costs],
        among: u32,
        given: u32,
        ctx: &Context<'_>,
    ) -> Result<Vec<Answers>, CellError> {
        let all: Vec<u32> = (0..).take(costs.len()).collect();
        let mut answers = vec![Answers::default(); costs.len()];
        let root = ctx.seed_u64(&format!("{among} players, {given} games"));
        for question in 0..u64::from(self.questions) {
            let seed = root.wrapping_add(3 * question);
            let players = draw(&all, among, seed)?;
            let truth = draw(&players, 1, seed.wrapping_add(1))?[0];
            let own = &costs[truth as usize];
            let games: Vec<u32> = (0..).take(own.len()).collect();
            let games = draw(&games, given, seed.wrapping_add(2))?;
            let bits = players.iter().map(|&player| {
                let games = games
                    .iter()
                    .map(|&game| own[game as usize][player as usize]);
                games.sum()
            });
            let bits: Vec<f64> = bits.collect();
            let priors = vec![1.0 / f64::from(among); players.len()];
            let shares = posterior(&bits, 1.0, &priors);
            let place = players
                .iter()
                .position(|&player| player == truth)
                .unwrap_or(0);
            let best = shares.iter().copied().fold(0.0, f64::max);
            let answer = Answers {
                asked: 1,
                right: u32::from(bits.iter().all(|other| bits[place] <= *other)),
                sure: u32::from(best > 0.95),
                sure_right: u32::from(shares[place] > 0.95),
                posterior: shares[place],
            };
            let sum = &mut answers[truth as usize];
            *sum = sum.plus(answer);
        }
        Ok(answers)
    }
}

/// For each player, what his judged games cost under everybody's weights.
fn costs(
    records: &[Record],
    attributes: &AttributeSet,
    ctx: &Context<'_>,
) -> Result<Vec<Costs>, CellError> {
    let fitted = |record: &Record| {
        let sets = choices(&record.fitted, attributes, ctx)?;
        let model = ConditionalLogit::new(&sets);
        let fit = one_ply::fit(model)?;
        match model.no_maximum(&fit.weights, fit.stop) {
            None => Ok(fit.weights),
            Some(why) => {
                let names: Vec<&str> = attributes.attributes.iter().map(|one| one.name()).collect();
                Err(CellError::new(no_maximum("a player", &why, &names)))
            }
        }
    };
    let weights: Vec<Vec<f64>> = records.par_iter().map(fitted).collect::<Result<_, _>>()?;
    let cost = |record: &Record| {
        let sets = choices(&record.judged, attributes, ctx)?;
        let games = (0..).take(record.judged.len());
        let of_game = games.map(|game| {
            let game = sets.by_groups(&[game]);
            let model = ConditionalLogit::new(&game);
            weights
                .iter()
                .map(|own| 0.0 - model.log_likelihood(own) / LN_2)
                .collect()
        });
        Ok(of_game.collect())
    };
    records.par_iter().map(cost).collect()
}

fn choices(
    games: &[(Game, Color)],
    attributes: &AttributeSet,
    ctx: &Context<'_>,
) -> Result<ChoiceSets, CellError> {
    let plies = games.iter().map(|(game, color)| game.plies_of(*color));
    one_ply::choices(attributes, plies, &CellSession(ctx))
}
