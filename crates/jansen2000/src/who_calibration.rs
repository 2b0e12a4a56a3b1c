//! `who-calibration`: is a stated probability of who played as often right as it says?

use kibitz_board::{Color, Game};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{
    Choices, Depth, Domain, FitOptions, Model, Part, VERSION,
    attribution::{Evidence, Reliability, Temper, posterior},
    fit,
    four_ply::{ModelParams, decisions_in},
    who::evidence,
};
use kibitz_stats::{
    inference::wilson_interval,
    split::{Split, draw, k_fold},
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::{CellSession, CodedPlayer, games_of};

/// The probabilities of `kibitz-players who` on games that the models were not fitted to.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WhoCalibration {
    /// The players, two or more; each is as often the right one.
    players: Vec<CodedPlayer>,
    /// Number of cross-validation folds of each player's games.
    folds: u32,
    /// How many games of one player are given.
    given: Vec<u32>,
    /// How many times the games of each fold are dealt into samples of the given size.
    repeats: u32,
    /// The models.
    models: Vec<RowParams>,
}

/// A one-ply model.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RowParams {
    /// Its name in the table.
    name: String,
    /// Its attributes; all when left out.
    #[serde(default)]
    attributes: Vec<Attribute>,
    /// Maximum number of games of a player that the weights are fitted to; all of the other folds when left out.
    fitted: Option<u32>,
}

/// Upper bounds of the probability of the player who is named, and names of the bins.
const BINS: [(f64, &str); 7] = [
    (0.6, "up to 60%"),
    (0.7, "60 to 70%"),
    (0.8, "70 to 80%"),
    (0.9, "80 to 90%"),
    (0.95, "90 to 95%"),
    (0.99, "95 to 99%"),
    (f64::INFINITY, "99 to 100%"),
];

/// Answers of about the same probability.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    answers: u64,
    stated: f64,
    right: u64,
}

impl Bin {
    fn add(&mut self, stated: f64, right: bool) {
        self.answers += 1;
        self.stated += stated;
        self.right += u64::from(right);
    }

    fn percent(&self, of: f64) -> f64 {
        100.0 * of / self.answers as f64
    }
}

/// All answers, then those of each bin.
type Bins = [Bin; BINS.len() + 1];

/// The answers to samples of one size.
#[derive(Debug, Clone, Copy, Default)]
struct Answers {
    tempered: Bins,
    /// As if moves were independent and weights known.
    independent: Bins,
}

/// A player's games and their folds.
struct Record {
    games: Vec<(Game, Color)>,
    folds: Vec<Split>,
}

/// The models of a fold, and their predictions for the held-out games.
struct Fold {
    reliabilities: Vec<Reliability>,
    /// By player.
    held_out: Vec<Vec<Evidence>>,
}

impl Experiment for WhoCalibration {
    type Row = RowParams;

    const NAME: &'static str = "who-calibration";
    const EXAMPLE: &'static str = include_str!("../examples/who-calibration.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new(
            "answers",
            "answers",
            "samples of games whose likeliest player has such a probability",
        ),
        Column::new(
            "stated",
            "%",
            "mean probability of the likeliest player, from equal priors",
        ),
        Column::new("right", "%", "how often he played these games"),
        Column::new("low", "%", "95% interval of `right`, from"),
        Column::new("high", "%", "95% interval of `right`, to"),
        Column::new(
            "independent-answers",
            "answers",
            "the same if moves were independent and weights known: samples",
        ),
        Column::new(
            "independent-stated",
            "%",
            "the same if moves were independent and weights known: mean probability",
        ),
        Column::new(
            "independent-right",
            "%",
            "the same if moves were independent and weights known: how often he played",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        CodedPlayer::check_all(&self.players, problems);
        problems.require(
            self.players.len() >= 2,
            "players",
            "two players or more, to choose from",
        );
        problems.require(
            self.folds >= 2,
            "folds",
            "at least two parts, to fit on one and judge another",
        );
        problems.at_least_one([
            ("repeats", self.repeats as usize),
            ("given", self.given.len()),
            ("models", self.models.len()),
        ]);
        problems.require(
            self.given.iter().all(|n| *n > 0),
            "given",
            "one game or more",
        );
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<RowParams>> {
        let models = self.models.iter();
        models
            .map(|model| {
                let rows = self.given.iter();
                let rows = rows.flat_map(|&given| names(model, given).into_iter());
                Cell::rows(&model.name, rows, model.clone())
                    .reading(self.players.iter().map(|player| &player.games.data))
                    .costing(30.0)
            })
            .collect()
    }

    fn run(
        &self,
        model: &RowParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let records = self.players.iter().map(|player| self.record(player, ctx));
        let records: Vec<Record> = records.collect::<Result<_, _>>()?;
        let folds = (0..self.folds as usize).map(|fold| self.fold(model, &records, fold, ctx));
        let folds: Vec<Fold> = folds.collect::<Result<_, _>>()?;
        for &given in &self.given {
            ctx.check()?;
            let answers = self.answers(&folds, given, ctx)?;
            let both = answers.tempered.iter().zip(&answers.independent);
            for (row, (tempered, independent)) in names(model, given).into_iter().zip(both) {
                let mut row = output.row(row);
                row.set("answers", tempered.answers);
                row.set("independent-answers", independent.answers);
                if tempered.answers > 0 {
                    row.set("stated", tempered.percent(tempered.stated));
                    row.set("right", tempered.percent(tempered.right as f64));
                    // Each game is in one sample of every repeat: repeats are not independent.
                    let repeats = u64::from(self.repeats);
                    let samples = tempered.answers.div_ceil(repeats);
                    let right =
                        (tempered.right * samples + tempered.answers / 2) / tempered.answers;
                    let interval = wilson_interval(right, samples, 0.95)?;
                    row.set("low", 100.0 * interval.low);
                    row.set("high", 100.0 * interval.high);
                }
                if independent.answers > 0 {
                    row.set(
                        "independent-stated",
                        independent.percent(independent.stated),
                    );
                    let right = independent.percent(independent.right as f64);
                    row.set("independent-right", right);
                }
            }
        }
        Ok(())
    }
}

/// The rows of a model for samples of so many games: of all answers, then of each bin.
fn names(model: &RowParams, given: u32) -> Vec<String> {
    let games = if given == 1 { "game" } else { "games" };
    let bins = BINS.iter().map(|(_, bin)| *bin);
    let all = std::iter::once("all answers").chain(bins);
    all.map(|bin| format!("{}, {given} {games}, {bin}", model.name))
        .collect()
}

impl WhoCalibration {
    fn record(&self, player: &CodedPlayer, ctx: &Context<'_>) -> Result<Record, CellError> {
        let mut games = games_of(&player.player, &player.games, ctx)?.games;
        // A game without a move of the player carries no information.
        games.retain(|(game, color)| game.plies_of(*color).next().is_some());
        let groups: Vec<u32> = (0..).take(games.len()).collect();
        let seed = ctx.seed_u64(&format!("folds of {}", player.name));
        let folds = k_fold(&groups, self.folds as usize, seed)?;
        Ok(Record { games, folds })
    }

    fn fold(
        &self,
        row: &RowParams,
        records: &[Record],
        fold: usize,
        ctx: &Context<'_>,
    ) -> Result<Fold, CellError> {
        let models = records.iter().zip(&self.players).map(|(record, player)| {
            let mut train = record.folds[fold].train.clone();
            if let Some(fitted) = row.fitted {
                let seed = ctx.seed_u64(&format!("games of {}, fold {fold}", player.name));
                train = draw(&train, fitted, seed)?;
            }
            fitted(row, &player.name, record, &train, ctx)
        });
        let models: Vec<Model> = models.collect::<Result<_, CellError>>()?;
        let held_out = |record: &Record| {
            let judged = record.folds[fold].test.par_iter().map(|&game| {
                let (game, color) = &record.games[game as usize];
                let judged = evidence(&models, game, *color);
                judged.map_err(|failure| CellError::new(failure.to_string()))
            });
            let judged = judged.collect::<Result<Vec<Option<Evidence>>, CellError>>();
            Ok::<_, CellError>(judged?.into_iter().flatten().collect())
        };
        Ok(Fold {
            held_out: records.iter().map(held_out).collect::<Result<_, _>>()?,
            reliabilities: models.iter().map(Model::reliability).collect(),
        })
    }

    /// The answers to samples of so many games; each player has as many samples.
    fn answers(&self, folds: &[Fold], given: u32, ctx: &Context<'_>) -> Result<Answers, CellError> {
        let mut answers = Answers::default();
        let priors = vec![1.0 / self.players.len() as f64; self.players.len()];
        for (number, fold) in folds.iter().enumerate() {
            let sizes = fold.held_out.iter().map(Vec::len);
            let samples = sizes.min().unwrap_or(0) / given as usize;
            for repeat in 0..self.repeats {
                for (player, games) in fold.held_out.iter().enumerate() {
                    let seed = format!("{given} games, {number}, {repeat}, {player}");
                    for sample in dealt(games.len(), given, samples, ctx.seed_u64(&seed))? {
                        let own = sample.iter().map(|&game| games[game as usize].clone());
                        let own: Vec<Evidence> = own.collect();
                        let factor = Temper::of(&fold.reliabilities, &own).factor(own.len());
                        for (factor, bins) in [
                            (factor, &mut answers.tempered),
                            (1.0, &mut answers.independent),
                        ] {
                            add(bins, &own, factor, &priors, player);
                        }
                    }
                }
            }
        }
        Ok(answers)
    }
}

/// Samples of so many games of `n`, no game in two.
fn dealt(n: usize, given: u32, samples: usize, seed: u64) -> Result<Vec<Vec<u32>>, CellError> {
    let games: Vec<u32> = (0..).take(n).collect();
    match samples {
        0 => Ok(Vec::new()),
        1 => Ok(vec![draw(&games, given, seed)?]),
        _ => {
            // Of these folds each has as many games as are given, or some more.
            let folds = k_fold(&games, samples, seed)?;
            let of_fold = |(number, fold): (u64, Split)| {
                draw(&fold.test, given, seed.wrapping_add(number)).map_err(CellError::from)
            };
            (1..).zip(folds).map(of_fold).collect()
        }
    }
}

/// Counts the answer to a sample of games of `player`.
fn add(bins: &mut Bins, games: &[Evidence], factor: f64, priors: &[f64], player: usize) {
    let bits = (0..priors.len()).map(|model| games.iter().map(|game| game.bits[model]).sum());
    let shares = posterior(&bits.collect::<Vec<f64>>(), factor, priors);
    let stated = shares.iter().copied().fold(0.0, f64::max);
    // Of players that are as likely the first is named.
    let named = shares.iter().position(|share| *share >= stated);
    let bin = BINS.iter().position(|(bound, _)| stated <= *bound);
    let bin = bin.unwrap_or(BINS.len() - 1);
    for bin in [0, bin + 1] {
        bins[bin].add(stated, named == Some(player));
    }
}

/// A player fitted to some of his games.
fn fitted(
    row: &RowParams,
    player: &str,
    record: &Record,
    games: &[u32],
    ctx: &Context<'_>,
) -> Result<Model, CellError> {
    let attributes = if row.attributes.is_empty() {
        Attribute::STATIC.into()
    } else {
        row.attributes.clone()
    };
    let names: Vec<String> = (attributes.iter())
        .map(|one: &Attribute| one.name().to_owned())
        .collect();
    let params = ModelParams {
        attributes,
        ..ModelParams::default()
    };
    let decisions = games.iter().flat_map(|&group| {
        let (game, color) = &record.games[group as usize];
        decisions_in(game.plies_of(*color), group)
    });
    let session = CellSession(ctx);
    let choices = Choices::one_ply(&params, &decisions.collect::<Vec<_>>(), &session)?;
    let options = FitOptions {
        // Other games are held out already.
        folds: 1,
        ..FitOptions::default()
    };
    let (fit, _) = fit(&choices, &names, options, &session)?;
    Ok(Model {
        version: VERSION,
        player: player.to_owned(),
        level: options.level,
        typical: fit.typical.clone(),
        domain: Domain::Chess {
            depth: Depth::OnePly,
            params,
        },
        parts: vec![Part { phase: None, fit }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_share_no_game() {
        for (n, given, samples) in [(10, 3, 3), (10, 10, 1), (10, 1, 10), (9, 4, 0)] {
            let dealt = dealt(n, given, samples, 7).unwrap();
            assert_eq!(dealt.len(), samples);
            assert!(dealt.iter().all(|sample| sample.len() == given as usize));
            let mut all: Vec<u32> = dealt.into_iter().flatten().collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), samples * given as usize);
        }
    }
}
