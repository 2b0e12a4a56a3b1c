//! `quiescent-coding`: code length of held-out moves under models of different depths.

use std::collections::BTreeMap;
use std::f64::consts::LN_2;
use std::sync::Arc;

use kibitz_board::{Chess, Color, Game, Move, Position};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{
    coding::by_game,
    four_ply::{ModelParams, NamedFit, budget_bytes, decisions_in, fitted_weights},
};
use kibitz_search::quiescent::Decision;
use kibitz_stats::{
    soft_minimax::{SoftMinimax, Trees},
    split::{draw, train_test},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    four_ply_model::{TREES, check_model, trees_of_all},
    move_coding::huffman_bits,
    player_games::{CellSession, CodedPlayer, games_of, intervals},
};

/// Bits per move of held-out games, under player models fitted to training games.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct QuiescentCoding {
    /// Share of each player's games held out for coding.
    test_share: f64,
    /// Number of training games drawn from the others; all when left out.
    train_games: Option<u32>,
    /// Starts of every fit, the first at zero.
    starts: u32,
    /// Memory for the trees of a model and a player, in MiB.
    budget_mib: u32,
    /// Number of bootstrap resamples of games for the intervals.
    bootstrap: u32,
    /// Name of the reference model.
    reference: String,
    /// The players.
    players: Vec<CodedPlayer>,
    /// The models; each has a row for every player.
    models: Vec<NamedModel>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NamedModel {
    /// Name of the model in the table.
    name: String,
    /// The model.
    #[serde(default)]
    model: ModelParams,
}

/// The uniform code; the first row of a player.
const UNIFORM: &str = "uniform";
/// The code of the `chess-huffman` crate; the last row of a player.
const CHESS_HUFFMAN: &str = "chess-huffman";

/// The games of a player, with the training and test sets.
struct Record {
    games: Vec<(Game, Color)>,
    train: Vec<u32>,
    test: Vec<u32>,
}

impl Experiment for QuiescentCoding {
    type Row = CodedPlayer;

    const NAME: &'static str = "quiescent-coding";
    const EXAMPLE: &'static str = include_str!("../examples/quiescent-coding.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("bits-per-move", "bit", "mean cost of a move of the player"),
        Column::new("low", "bit", "95% interval of the mean cost, from"),
        Column::new("high", "bit", "95% interval of the mean cost, to"),
        Column::new("share", "%", "cost as a share of the uniform code"),
        Column::new(
            "excess",
            "bit",
            "mean cost of a move above its cost under the reference model",
        ),
        Column::new("excess-low", "bit", "95% interval of the excess, from"),
        Column::new("excess-high", "bit", "95% interval of the excess, to"),
        Column::new("moves", "moves", "moves coded"),
        Column::new("train-games", "games", "games fitted to"),
        Column::new("test-games", "games", "games coded"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.require(
            self.test_share > 0.0 && self.test_share < 1.0,
            "test-share",
            "a share above 0 and below 1",
        );
        problems.at_least_one([
            ("starts", self.starts as usize),
            ("bootstrap", self.bootstrap as usize),
            ("train-games", self.train_games.unwrap_or(1) as usize),
        ]);
        CodedPlayer::check_all(&self.players, problems);
        problems.each("models", &self.models, |named, problems| {
            problems.within("model", |problems| check_model(&named.model, problems));
            let is_free = ![UNIFORM, CHESS_HUFFMAN].contains(&named.name.as_str());
            let message = format!("`{}` is a row of its own", named.name);
            problems.require(is_free, "name", message);
        });
        let reference = &self.reference;
        let is_model = self.models.iter().any(|named| named.name == *reference);
        let message = format!("no model is called `{reference}`");
        problems.require(is_model, "reference", message);
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<CodedPlayer>> {
        let players = self.players.iter();
        players
            .map(|player| {
                let rows = self.codes().map(|code| player.row(code));
                Cell::rows(&player.name, rows, player.clone())
                    .reading([&player.games.data])
                    .costing(100.0)
                    .sharing(TREES)
            })
            .collect()
    }

    fn run(
        &self,
        player: &CodedPlayer,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let record = self.record(player, ctx)?;
        let moves: Vec<u64> = (record.test.iter())
            .map(|&game| record.plies(game).count() as u64)
            .collect();
        let bits = self.bits(player, &record, ctx)?;

        // Costs per move of all codes in a sample of test games, given by index, and then their
        // excesses.
        let estimate = |sample: &[u32]| {
            let total: u64 = sample.iter().map(|&place| moves[place as usize]).sum();
            let cost = |code: &str| {
                let bits = sample.iter().map(|&place| bits[code][place as usize]);
                bits.sum::<f64>() / total as f64
            };
            let costs: Vec<f64> = self.codes().map(cost).collect();
            let reference = cost(&self.reference);
            let excesses = costs.iter().map(|cost| cost - reference);
            (total > 0).then(|| costs.iter().copied().chain(excesses).collect())
        };
        let places: Vec<u32> = (0..).take(moves.len()).collect();
        let means: Vec<f64> = estimate(&places).ok_or_else(|| CellError::new("no move to code"))?;
        let intervals = intervals(&places, self.bootstrap, ctx, estimate)?;

        let n_moves: u64 = moves.iter().sum();
        for (index, code) in self.codes().enumerate() {
            let mut row = output.row(player.row(code));
            row.set("bits-per-move", means[index]);
            row.set("low", intervals[index].low);
            row.set("high", intervals[index].high);
            row.set("share", 100.0 * means[index] / means[0]);
            if code != self.reference {
                let excess = bits.len() + index;
                row.set("excess", means[excess]);
                row.set("excess-low", intervals[excess].low);
                row.set("excess-high", intervals[excess].high);
            }
            row.set("moves", n_moves);
            row.set("train-games", record.train.len());
            row.set("test-games", record.test.len());
        }
        Ok(())
    }
}

impl Record {
    /// The player's moves of this game, each with the position before it.
    fn plies(&self, game: u32) -> impl Iterator<Item = (Chess, Move)> {
        let (game, color) = &self.games[game as usize];
        game.plies_of(*color)
    }
}

impl QuiescentCoding {
    /// The names of the codes, in the order of the rows.
    fn codes(&self) -> impl Iterator<Item = &str> {
        let models = self.models.iter().map(|named| named.name.as_str());
        [UNIFORM].into_iter().chain(models).chain([CHESS_HUFFMAN])
    }

    /// Draws the training and test games.
    fn record(&self, player: &CodedPlayer, ctx: &Context<'_>) -> Result<Record, CellError> {
        let games = games_of(&player.player, &player.games, ctx)?.games;
        let groups: Vec<u32> = (0..).take(games.len()).collect();
        let split = train_test(&groups, self.test_share, ctx.seed_u64("split"))?;
        let train = match self.train_games {
            Some(n) => draw(&split.train, n, ctx.seed_u64("training games"))?,
            None => split.train,
        };
        Ok(Record {
            games,
            train,
            test: split.test,
        })
    }

    /// Code length of the player's moves in each test game, in bits, by name of the code.
    fn bits(
        &self,
        player: &CodedPlayer,
        record: &Record,
        ctx: &Context<'_>,
    ) -> Result<BTreeMap<&str, Vec<f64>>, CellError> {
        let groups = record.train.iter().chain(&record.test);
        let decisions: Vec<Decision> = groups
            .flat_map(|&group| decisions_in(record.plies(group), group))
            .collect();
        let mut bits = BTreeMap::new();
        bits.insert(UNIFORM, uniform_bits(&decisions, &record.test));
        let decisions: Arc<[Decision]> = decisions.into();
        for family in self.families() {
            let attributes = used_attributes(&family);
            let params = family[0].model.with_attributes_of(attributes.clone());
            // Other tables use the reference model, too.
            let of_reference = family.iter().any(|named| named.name == self.reference);
            let trees = if of_reference && self.train_games.is_none() {
                let (name, games) = (&player.player, &record.games);
                trees_of_all(name, &player.games, games, &params, self.budget_mib, ctx)?
            } else {
                let budget = budget_bytes(self.budget_mib);
                Arc::new(params.model().trees(Arc::clone(&decisions), budget)?)
            };
            self.add_family_bits(&family, &attributes, &trees, record, ctx, &mut bits)?;
        }
        let huffman = record.test.iter().map(|&game| {
            let (game, color) = &record.games[game as usize];
            huffman_bits(game, *color)
        });
        bits.insert(CHESS_HUFFMAN, huffman.collect::<Result<_, _>>()?);
        Ok(bits)
    }

    /// Families of models that differ in their attributes only: one data set of trees, with all
    /// attributes, serves a family.
    fn families(&self) -> Vec<Vec<&NamedModel>> {
        let mut families: Vec<(ModelParams, Vec<&NamedModel>)> = Vec::new();
        for named in &self.models {
            let whole = named.model.with_attributes_of(Attribute::PAPER.into());
            match families.iter_mut().find(|(other, _)| *other == whole) {
                Some((_, family)) => family.push(named),
                None => families.push((whole, vec![named])),
            }
        }
        families.into_iter().map(|(_, family)| family).collect()
    }

    /// Code length of each test game under models fitted to the training games, by name of the model.
    fn add_family_bits<'a>(
        &'a self,
        family: &[&'a NamedModel],
        attributes: &[Attribute],
        trees: &Trees,
        record: &Record,
        ctx: &Context<'_>,
        bits: &mut BTreeMap<&'a str, Vec<f64>>,
    ) -> Result<(), CellError> {
        ctx.check()?;
        let place = |of: &Attribute| attributes.iter().position(|attribute| attribute == of);
        let likelihood = |named: &NamedModel| {
            let active: Vec<usize> = named.model.attributes.iter().filter_map(place).collect();
            SoftMinimax::new(trees).restricted_to(&active)
        };
        let training = family.iter().map(|&named| NamedFit {
            name: named.name.clone(),
            likelihood: likelihood(named).by_groups(&record.train),
            attributes: &named.model.attributes,
        });
        let training: Vec<_> = training.collect();
        let weights = fitted_weights(&training, self.starts, &CellSession(ctx))?;
        for (named, weights) in family.iter().zip(weights) {
            ctx.progress("model", bits.len() - 1, self.models.len());
            let tested = likelihood(named).by_groups(&record.test);
            let tested = tested.log_likelihoods(&weights);
            let costs = tested.into_iter().map(|nats| -nats / LN_2);
            let by_game = by_game(trees.groups().zip(costs), &record.test);
            bits.insert(&named.name, by_game);
        }
        Ok(())
    }
}

/// The union of the attributes of the models.
fn used_attributes(family: &[&NamedModel]) -> Vec<Attribute> {
    let is_used = |attribute: &Attribute| {
        let mut models = family.iter();
        models.any(|named| named.model.attributes.contains(attribute))
    };
    Attribute::PAPER.into_iter().filter(is_used).collect()
}

/// Code length of each test game under the uniform code.
fn uniform_bits(decisions: &[Decision], test: &[u32]) -> Vec<f64> {
    let costs = decisions.iter().map(|decision| {
        let n_moves = decision.position.legal_moves().len();
        (decision.group, (n_moves as f64).log2())
    });
    by_game(costs, test)
}
