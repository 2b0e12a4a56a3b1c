//! `quiescent-coding`: what held-out moves cost under models that look less or further ahead.

use std::collections::BTreeMap;
use std::f64::consts::LN_2;

use kibitz_board::{Color, Game, Position};
use kibitz_heuristics::attributes::Attribute;
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Params, Plan,
};
use kibitz_search::quiescent::Decision;
use kibitz_stats::{
    inference::{BootstrapOptions, bootstrap_groups},
    soft_minimax::SoftMinimax,
    split::{draw, train_test},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chess_data::{CRATES, CodedPlayer, color_of, read_games},
    move_coding::huffman_bits,
    quiescent_data::{ModelParams, budget_bytes, extend_decisions, fitted_weights},
};

/// Bits per move of held-out games under player models fitted to other games.
#[derive(Debug)]
pub(crate) struct QuiescentCoding;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CodingParams {
    /// Share of each player's games that is set aside to be coded.
    test_share: f64,
    /// How many of the other games are drawn to fit to; all when left out.
    train_games: Option<u32>,
    /// Starts of every fit, the first at zero.
    starts: u32,
    /// Memory for the trees of a model and a player, in MiB.
    budget_mib: u32,
    /// How often games are drawn anew for the intervals.
    bootstrap: u32,
    /// The model that the others are compared with, by its name.
    reference: String,
    /// Whose moves.
    players: Vec<CodedPlayer>,
    /// One row of the table for each player.
    models: Vec<NamedModel>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NamedModel {
    /// How the model is called in the table.
    name: String,
    /// The model.
    #[serde(default)]
    model: ModelParams,
}

/// The code in which all moves cost the same; the first row of a player.
const UNIFORM: &str = "uniform";
/// The code of the `chess-huffman` crate; the last row of a player.
const CHESS_HUFFMAN: &str = "chess-huffman";

impl Kind for QuiescentCoding {
    fn name(&self) -> &'static str {
        "quiescent-coding"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        CRATES
    }

    fn example(&self) -> &'static str {
        include_str!("examples/quiescent-coding.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(CodingParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: CodingParams = params.read()?;
        let mut problems = Diagnostics::new();
        if !(checked.test_share > 0.0 && checked.test_share < 1.0) {
            problems.push(params.error_at("test-share", "a share above 0 and below 1"));
        }
        for (key, number) in [
            ("starts", checked.starts),
            ("bootstrap", checked.bootstrap),
            ("train-games", checked.train_games.unwrap_or(1)),
        ] {
            if number == 0 {
                problems.push(params.error_at(key, "at least one"));
            }
        }
        CodedPlayer::check_all(&checked.players, params, &mut problems);
        for (index, named) in checked.models.iter().enumerate() {
            let at = format!("models.{index}");
            named
                .model
                .check(params, &format!("{at}.model"), &mut problems);
            if [UNIFORM, CHESS_HUFFMAN].contains(&named.name.as_str()) {
                let message = format!("`{}` is a row of its own", named.name);
                problems.push(params.error_at(&format!("{at}.name"), message));
            }
        }
        let is_reference = |named: &NamedModel| named.name == checked.reference;
        if !checked.models.iter().any(is_reference) {
            let message = format!("no model is called `{}`", checked.reference);
            problems.push(params.error_at("reference", message));
        }
        problems.into_result(Box::new(CodingPlan(checked)))
    }
}

struct CodingPlan(CodingParams);

/// A code and what the player's moves of each test game cost under it, in bits.
struct Code<'a> {
    name: &'a str,
    bits: Vec<f64>,
}

/// The games of a player, and which of them are for what.
struct Record {
    games: Vec<Game>,
    colors: Vec<Color>,
    train: Vec<u32>,
    test: Vec<u32>,
}

impl Plan for CodingPlan {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        vec![
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
        ]
    }

    fn cells(&self) -> Vec<Cell> {
        let players = self.0.players.iter();
        players
            .map(|player| {
                let rows = self.code_names().map(|code| row(player, code));
                Cell::rows(&player.name, rows)
                    .reading([&player.games])
                    .costing(100.0)
            })
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let player = (self.0.players.iter())
            .find(|player| player.name == cell.id)
            .ok_or_else(|| CellError::new("no such player"))?;
        let record = self.record(player, ctx)?;
        let moves: Vec<u64> = (record.test.iter())
            .map(|&game| {
                let game = game as usize;
                record.games[game].plies_of(record.colors[game]).count() as u64
            })
            .collect();
        let codes = self.codes(&record, ctx)?;
        let reference = (codes.iter())
            .position(|code| code.name == self.0.reference)
            .ok_or_else(|| CellError::new("no such reference"))?;

        // Costs per move of all codes in the games of a sample, by their places among the tested.
        let estimate = |sample: &[u32]| {
            let total: u64 = sample.iter().map(|&place| moves[place as usize]).sum();
            let cost = |code: &Code<'_>| {
                let bits = sample.iter().map(|&place| code.bits[place as usize]);
                bits.sum::<f64>() / total as f64
            };
            let mut estimates: Vec<f64> = codes.iter().map(cost).collect();
            let reference = estimates[reference];
            let excess = |cost: &f64| cost - reference;
            let excesses: Vec<f64> = estimates.iter().map(excess).collect();
            estimates.extend(excesses);
            (total > 0).then_some(estimates)
        };
        let places: Vec<u32> = (0..).take(moves.len()).collect();
        let means = estimate(&places).ok_or_else(|| CellError::new("no move to code"))?;
        let options = BootstrapOptions {
            n_replicates: self.0.bootstrap as usize,
            seed: ctx.seed_u64("bootstrap"),
        };
        let intervals = bootstrap_groups(&places, options, estimate)?.percentile_intervals(0.95)?;

        let n_moves: u64 = moves.iter().sum();
        let mut output = CellOutput::new();
        for (index, code) in codes.iter().enumerate() {
            let excess = codes.len() + index;
            let row = row(player, code.name);
            output.set(&row, "bits-per-move", means[index]);
            output.set(&row, "low", intervals[index].low);
            output.set(&row, "high", intervals[index].high);
            output.set(&row, "share", 100.0 * means[index] / means[0]);
            if code.name != self.0.reference {
                output.set(&row, "excess", means[excess]);
                output.set(&row, "excess-low", intervals[excess].low);
                output.set(&row, "excess-high", intervals[excess].high);
            }
            output.set(&row, "moves", n_moves);
            output.set(&row, "train-games", record.train.len());
            output.set(&row, "test-games", record.test.len());
        }
        Ok(output)
    }
}

impl CodingPlan {
    fn code_names(&self) -> impl Iterator<Item = &str> {
        let models = self.0.models.iter().map(|named| named.name.as_str());
        [UNIFORM].into_iter().chain(models).chain([CHESS_HUFFMAN])
    }

    /// Draws which games are fitted to and which are coded.
    fn record(&self, player: &CodedPlayer, ctx: &CellContext<'_>) -> Result<Record, CellError> {
        let games = read_games(&ctx.data(&player.games)?)?;
        let colors = games
            .iter()
            .map(|game| color_of(game, &player.player))
            .collect::<Result<Vec<_>, _>>()?;
        let groups: Vec<u32> = (0..).take(games.len()).collect();
        let split = train_test(&groups, self.0.test_share, ctx.seed_u64("split"))?;
        let train = match self.0.train_games {
            Some(n) => draw(&split.train, n, ctx.seed_u64("training games"))?,
            None => split.train,
        };
        Ok(Record {
            games,
            colors,
            train,
            test: split.test,
        })
    }

    /// Every code's costs, in the order of the rows.
    fn codes<'a>(
        &'a self,
        record: &Record,
        ctx: &CellContext<'_>,
    ) -> Result<Vec<Code<'a>>, CellError> {
        let mut decisions = Vec::new();
        for &group in record.train.iter().chain(&record.test) {
            let (game, color) = (group as usize, record.colors[group as usize]);
            extend_decisions(&mut decisions, &record.games[game], color, group);
        }
        let mut codes = vec![Code {
            name: UNIFORM,
            bits: uniform_bits(&decisions, &record.test),
        }];
        let mut bits = BTreeMap::new();
        for family in self.families() {
            self.add_family_bits(&family, &decisions, record, ctx, &mut bits)?;
        }
        for named in &self.0.models {
            let name = named.name.as_str();
            let bits = bits
                .remove(name)
                .ok_or_else(|| CellError::new("a model is in no family"))?;
            codes.push(Code { name, bits });
        }
        let huffman = |&game: &u32| {
            let game = game as usize;
            huffman_bits(&record.games[game], record.colors[game])
        };
        codes.push(Code {
            name: CHESS_HUFFMAN,
            bits: record.test.iter().map(huffman).collect::<Result<_, _>>()?,
        });
        Ok(codes)
    }

    /// The models, those together that differ in their attributes only: one data set of trees, with
    /// all attributes, serves them all.
    fn families(&self) -> Vec<Vec<&NamedModel>> {
        let mut families: Vec<(ModelParams, Vec<&NamedModel>)> = Vec::new();
        for named in &self.0.models {
            let whole = named.model.looking_at(Attribute::ALL.into());
            match families.iter_mut().find(|(other, _)| *other == whole) {
                Some((_, family)) => family.push(named),
                None => families.push((whole, vec![named])),
            }
        }
        families.into_iter().map(|(_, family)| family).collect()
    }

    /// What each test game costs under models fitted to the training games, by the models' names.
    fn add_family_bits<'a>(
        &'a self,
        family: &[&'a NamedModel],
        decisions: &[Decision],
        record: &Record,
        ctx: &CellContext<'_>,
        bits: &mut BTreeMap<&'a str, Vec<f64>>,
    ) -> Result<(), CellError> {
        ctx.check()?;
        let is_used = |attribute: &Attribute| {
            let mut models = family.iter();
            models.any(|named| named.model.attributes.contains(attribute))
        };
        let attributes: Vec<Attribute> = Attribute::ALL.into_iter().filter(is_used).collect();
        let model = family[0].model.looking_at(attributes.clone()).model();
        let trees = model.trees(decisions, budget_bytes(self.0.budget_mib))?;
        let place = |of: &Attribute| attributes.iter().position(|attribute| attribute == of);
        for named in family {
            ctx.progress(bits.len() as u64, self.0.models.len() as u64);
            let heeded: Vec<usize> = named.model.attributes.iter().filter_map(place).collect();
            let likelihood = SoftMinimax::new(&trees).heeding(&heeded);
            let training = likelihood.by_groups(&record.train);
            let weights = fitted_weights(&training, self.0.starts, ctx, &named.name)?;
            let tested = likelihood.by_groups(&record.test).log_likelihoods(&weights);
            let costs = tested.into_iter().map(|nats| -nats / LN_2);
            let by_game = by_game(trees.groups().zip(costs), &record.test);
            bits.insert(&named.name, by_game);
        }
        Ok(())
    }
}

fn row(player: &CodedPlayer, code: &str) -> String {
    format!("{}, {code}", player.name)
}

/// What each test game costs if all legal moves are equally likely.
fn uniform_bits(decisions: &[Decision], test: &[u32]) -> Vec<f64> {
    let costs = decisions.iter().map(|decision| {
        let n_moves = decision.position.legal_moves().len();
        (decision.group, (n_moves as f64).log2())
    });
    by_game(costs, test)
}

/// Adds up costs by game, for the games asked for and in their order.
fn by_game(costs: impl Iterator<Item = (u32, f64)>, games: &[u32]) -> Vec<f64> {
    let mut totals: BTreeMap<u32, f64> = games.iter().map(|&game| (game, 0.0)).collect();
    for (game, cost) in costs {
        if let Some(total) = totals.get_mut(&game) {
            *total += cost;
        }
    }
    games.iter().map(|game| totals[game]).collect()
}
