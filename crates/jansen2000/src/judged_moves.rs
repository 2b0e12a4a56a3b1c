//! `judged-moves`: the dataset of how models fitted to every other game of a player judge the rest.

use std::collections::BTreeMap;

use kibitz_board::{Color, Game};
use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Problems,
    Records, Sources,
};
use kibitz_players::{Choices, JudgedChoice, selection::select};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    coded_model::{CodedModel, NumberedGame},
    player_games::{CellSession, CodedPlayer, games_of},
};

/// Moves of games under models that were fitted to other games.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct JudgedMoves {
    /// The players.
    players: Vec<CodedPlayer>,
    /// The models; the uniform model is added to them.
    models: Vec<CodedModel>,
}

/// The name of the model without weights.
const UNIFORM: &str = "every move alike";

/// Upper bounds of probabilities and their names.
const RANGES: [(f64, &str); 7] = [
    (0.01, "00 to 01%"),
    (0.02, "01 to 02%"),
    (0.05, "02 to 05%"),
    (0.1, "05 to 10%"),
    (0.2, "10 to 20%"),
    (0.5, "20 to 50%"),
    (f64::INFINITY, "50 to 100%"),
];

/// A player under a model, or under that of moves all alike.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Work {
    player: CodedPlayer,
    model: Option<CodedModel>,
}

/// Sums over the alternatives of a game that were given about the same probability.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    alternatives: i64,
    said: f64,
    played: i64,
    bits: f64,
    first: f64,
    third: f64,
}

fn fields() -> Vec<Field> {
    use FieldType::{Int, Text};
    let fields = [
        ("player", Text, "", "whose moves they are"),
        ("model", Text, "", "the model, fitted to his even games"),
        (
            "game",
            Int,
            "",
            "number of the game, odd, in the order of the collection, from 1",
        ),
        (
            "probability",
            Text,
            "",
            "range of the probability that the model gives a move",
        ),
        (
            "alternatives",
            Int,
            "moves",
            "legal moves of the game in this range",
        ),
        ("said", Int, "1e-9", "sum of their probabilities"),
        ("played", Int, "moves", "how many of them were played"),
        ("bits", Int, "1e-9 bit", "information of those played"),
        (
            "first",
            Int,
            "1e-9",
            "those played that are the likeliest; the chance of it among moves alike",
        ),
        (
            "third",
            Int,
            "1e-9",
            "those played that are among the three likeliest, likewise",
        ),
    ];
    let field = |(name, of, unit, doc)| Field::new(name, of, unit, doc);
    fields.map(field).into()
}

impl Experiment for JudgedMoves {
    type Row = Work;

    const NAME: &'static str = "judged-moves";
    const EXAMPLE: &'static str = include_str!("../examples/judged-moves.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        CodedPlayer::check_all(&self.players, problems);
        CodedModel::check_all(&self.models, problems);
    }

    fn random(&self) -> bool {
        true
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        fields()
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let cell = |player: &CodedPlayer, model: Option<&CodedModel>| {
            let name = model.map_or(UNIFORM, |model| model.name.as_str());
            let work = Work {
                player: player.clone(),
                model: model.cloned(),
            };
            // A table depends on it.
            Cell::rows(player.row(name), [""; 0], work)
                .reading([&player.games.data])
                .costing(model.map_or(1.0, CodedModel::cost))
        };
        let models = || std::iter::once(None).chain(self.models.iter().map(Some));
        let players = self.players.iter();
        players
            .flat_map(|player| models().map(move |model| cell(player, model)))
            .collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, _: &mut Output) -> Result<(), CellError> {
        let Work { player, model } = work;
        let games = games_of(&player.player, &player.games, ctx)?.games;
        let (even, odd): (Vec<NumberedGame<'_>>, Vec<NumberedGame<'_>>) = (1..)
            .zip(&games)
            .map(|(number, (game, color))| (number, game, *color))
            .partition(|(number, ..)| number % 2 == 0);
        let (name, judged) = match model {
            None => (UNIFORM, alike(&odd)),
            Some(model) => (model.name.as_str(), judged(model, &even, &odd, ctx)?),
        };
        let mut sums: BTreeMap<(u32, usize), Sums> = BTreeMap::new();
        for one in &judged {
            add(one, &mut sums);
        }
        let mut records = Records::new(fields());
        for ((game, range), sums) in sums {
            let record = [
                Datum::Text(&player.name),
                Datum::Text(name),
                game.into(),
                Datum::Text(RANGES[range].1),
                sums.alternatives.into(),
                billionths(sums.said),
                sums.played.into(),
                billionths(sums.bits),
                billionths(sums.first),
                billionths(sums.third),
            ];
            records.push(record).map_err(CellError::new)?;
        }
        ctx.add_records(records)
    }
}

/// An integer, so that sums do not depend on the order.
fn billionths(sum: f64) -> Datum<'static> {
    #[expect(clippy::cast_possible_truncation, reason = "sums over one game")]
    Datum::Int((1e9 * sum).round() as i64)
}

fn add(judged: &JudgedChoice, sums: &mut BTreeMap<(u32, usize), Sums>) {
    for (index, &probability) in judged.probabilities.iter().enumerate() {
        let range = RANGES.iter().position(|(bound, _)| probability < *bound);
        let range = range.unwrap_or(RANGES.len() - 1);
        let sums = sums.entry((judged.group, range)).or_default();
        sums.alternatives += 1;
        sums.said += probability;
        if index == judged.chosen {
            sums.played += 1;
            sums.bits += judged.bits();
            sums.first += judged.is_in_top(1);
            sums.third += judged.is_in_top(3);
        }
    }
}

/// Every legal move is as likely as the others.
fn alike(games: &[(u32, &Game, Color)]) -> Vec<JudgedChoice> {
    use kibitz_board::Position as _;
    let decisions = games.iter().flat_map(|(number, game, color)| {
        let plies = game.plies_of(*color);
        plies.map(|(position, _)| {
            let n = position.legal_moves().len();
            JudgedChoice::new(*number, 0, vec![1.0 / n as f64; n])
        })
    });
    decisions.collect()
}

/// The moves of some games under weights of others.
fn judged(
    model: &CodedModel,
    fitted: &[NumberedGame<'_>],
    others: &[NumberedGame<'_>],
    ctx: &Context<'_>,
) -> Result<Vec<JudgedChoice>, CellError> {
    let session = CellSession(ctx);
    let mut all = Vec::new();
    let parts = model.choices(fitted, ctx)?;
    for (mut own, mut other) in parts.into_iter().zip(model.choices(others, ctx)?) {
        if model.choose
            && let Some(selection) = select(&own, &session)?
            && let Some(best) = selection.best()
        {
            let restricted = |choices: Choices| {
                let part = choices.restricted_to(&best.attributes);
                part.unwrap_or(choices)
            };
            (own, other) = (restricted(own), restricted(other));
        }
        let (fit, why) = own.fit(&session)?;
        if why.is_some() {
            return Err(CellError::new("the weights have no maximum"));
        }
        all.extend(other.judge(&fit.weights, None));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind, Values};
    use kibitz_lab::testing::TestBench;

    use super::*;

    /// Every move of the games that are judged is in one range, and every model judges the same.
    #[test]
    fn models_judge_the_same_moves() {
        let pgn = include_bytes!("../../../data/fischer-games.pgn");
        let kind = Kind::of::<JudgedMoves>(Code::Constant);
        let bench = TestBench::new(kind, "beyond/judged", JudgedMoves::EXAMPLE).unwrap();
        let records = bench.quick().with_data("games", pgn).records().unwrap();
        let columns: BTreeMap<&str, &Values> = (records.columns())
            .map(|(field, values)| (&*field.name, values))
            .collect();
        let Values::Text(models) = columns["model"] else {
            panic!("names are texts");
        };
        let ints = |name| match columns[name] {
            Values::Int(values) => values,
            _ => panic!("{name} is a number"),
        };
        let mut of_models: BTreeMap<&str, [i64; 2]> = BTreeMap::new();
        for (row, model) in models.iter().enumerate() {
            let sums = of_models.entry(model.as_deref().unwrap()).or_default();
            sums[0] += ints("alternatives")[row].unwrap();
            sums[1] += ints("played")[row].unwrap();
            assert_eq!(ints("game")[row].unwrap() % 2, 1);
        }
        assert_eq!(of_models.len(), 4, "{of_models:?}");
        let first = of_models[UNIFORM];
        assert!(first[0] > 20 * first[1] && first[1] > 100, "{of_models:?}");
        assert!(
            of_models.values().all(|sums| *sums == first),
            "{of_models:?}"
        );
    }
}
