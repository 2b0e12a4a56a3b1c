//! `value-inference`: unpublished values of pieces and squares, inferred from printed moments.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_heuristics::chute::{Interpretations, N_HEURISTICS, Parameters, Polynomial};
use kibitz_stats::moments::PairedMoments;
use rand::{Rng, RngExt as _, seq::SliceRandom as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    published::{COLUMNS, PublishedFigures, SCORE_TABLES, figures},
    scored_games::{LibraryParams, Plies, every_heuristic},
    sufficient_statistics::Tally,
};

/// Values that bring the moments of half of the heuristics closest to the published ones, evaluated on
/// the other half, by ranks and by the variance explained.
///
/// Simulated moments: each of many random sets of values scores the games once, and every split of the
/// heuristics chooses among the same sets. The plain values are one of them.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ValueInference {
    /// The games.
    library: LibraryParams,
    /// The printed figures, by their name under `data`.
    print: String,
    /// Random sets of values.
    candidates: usize,
    /// Random halves of the heuristics.
    splits: usize,
}

/// How far values are drawn from the plain ones: a factor is between its inverse and this, alike in logarithm.
const MEN: f64 = 2.0;
const SQUARE: [f64; 2] = [0.05, 2.0];
const CENTER: [f64; 2] = [1.0, 4.0];
const KING: [f64; 2] = [3.0, 60.0];

/// The results of a set of values.
struct Outcome {
    parameters: Parameters,
    /// Mean square distance of each heuristic's moments from the published ones.
    moments: Vec<f64>,
    /// Ranks p1 and p7, and the variance that all heuristics explain.
    held_back: [f64; 3],
}

/// Places in [`Outcome::held_back`].
const RANKS: [usize; 2] = [0, 1];
const EXPLAINED: usize = 2;

impl Experiment for ValueInference {
    type Row = ();

    const NAME: &'static str = "value-inference";
    const EXAMPLE: &'static str = include_str!("../examples/value-inference.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("square", "", "value of a square"),
        Column::new("center", "", "value of a square of the center"),
        Column::new("pawn", "", "value of a pawn"),
        Column::new("knight", "", "value of a knight"),
        Column::new("bishop", "", "value of a bishop"),
        Column::new("rook", "", "value of a rook"),
        Column::new("queen", "", "value of a queen"),
        Column::new("king", "", "value of a king"),
        Column::new(
            "chosen-by",
            "",
            "distance of the moments that it was chosen by from print, in printed deviations",
        ),
        Column::new(
            "held-out",
            "",
            "distance of the moments of the other heuristics",
        ),
        Column::new("p1", "%", "positions whose master move ranks first"),
        Column::new("p7", "%", "positions whose master move is among seven"),
        Column::new("r2", "%", "variance that all heuristics explain"),
        Column::new(
            "nearer-held-out",
            "%",
            "splits where the other heuristics are nearer to the published ones than with plain values",
        ),
        Column::new("nearer-ranks", "%", "splits where p1 and p7 are nearer"),
        Column::new(
            "nearer-r2",
            "%",
            "splits where the variance explained is nearer",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        problems.names_data("print", &self.print);
        problems.at_least_one([("candidates", self.candidates), ("splits", self.splits)]);
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = [PLAIN, ALL, HALVES, ANY];
        let cell = Cell::rows("values", rows, ());
        let cell = cell.reading([self.library.data(), &self.print]);
        vec![cell.costing(2.0 * self.candidates as f64)]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let print = PublishedFigures::read(&self.print, ctx)?;
        let targets = [
            print.figure("ranking", "C1.1 whole library", "p1")?,
            print.figure("ranking", "C1.1 whole library", "p7")?,
            print.figure("variance-explained", "R1.3", "r2")?,
        ];
        let scores = print.scores(SCORE_TABLES[0])?;
        let outcomes = self.outcomes(&scores, ctx)?;
        let plain = &outcomes[0];

        let rows: Vec<usize> = every_heuristic();
        output.row(PLAIN).set("chosen-by", distance(plain, &rows));
        show(plain, PLAIN, output);
        let best = nearest(&outcomes, &rows);
        output.row(ALL).set("chosen-by", distance(best, &rows));
        show(best, ALL, output);

        let mut rng = ctx.rng_for("splits");
        let mut chosen = Splits::default();
        let mut any = Splits::default();
        for _ in 0..self.splits {
            let mut order = rows.clone();
            order.shuffle(&mut rng);
            let (own, others) = order.split_at(N_HEURISTICS / 2);
            let add = |splits: &mut Splits, outcome: &Outcome, weight: f64| {
                splits.add(outcome, plain, [own, others], &targets, weight);
            };
            add(&mut chosen, nearest(&outcomes, own), 1.0);
            // Every set of values but the plain one is as likely.
            let drawn = &outcomes[1..];
            for outcome in drawn {
                add(&mut any, outcome, 1.0 / drawn.len() as f64);
            }
        }
        chosen.show(HALVES, output);
        any.show(ANY, output);
        Ok(())
    }
}

const PLAIN: &str = "plain values";
const ALL: &str = "chosen by all heuristics";
const HALVES: &str = "chosen by halves of them";
const ANY: &str = "values at random";

impl ValueInference {
    /// The plain values and the random ones, each with its results.
    fn outcomes(
        &self,
        printed: &[[f64; COLUMNS.len()]],
        ctx: &Context<'_>,
    ) -> Result<Vec<Outcome>, CellError> {
        let mut rng = ctx.rng_for("values");
        let mut outcomes = Vec::with_capacity(self.candidates + 1);
        for number in 0..=self.candidates {
            ctx.check()?;
            ctx.progress("values", number, self.candidates);
            let mut parameters = Parameters::read(Interpretations::ADOPTED);
            if number > 0 {
                draw(&mut parameters, &mut rng);
            }
            let (games, audit) = self.library.scored_with(ctx, &parameters)?;
            if number == 0 {
                ctx.audit(audit);
            }
            let mut tally = Tally::new();
            for game in &games {
                tally.merge(&Tally::of(&game.records, &Polynomial::default())?)?;
            }
            let ranks = tally.ranks(Plies::All);
            let within = |fanout| 100.0 * ranks.share_within(fanout).unwrap_or(f64::NAN);
            let explained = tally.explained(Plies::All, &every_heuristic());
            let moments = tally.pairs().iter().zip(printed);
            outcomes.push(Outcome {
                moments: moments
                    .map(|(pairs, printed)| square(*pairs, printed))
                    .collect(),
                held_back: [within(1), within(7), explained.map_err(CellError::new)?],
                parameters,
            });
        }
        Ok(outcomes)
    }
}

/// Draws values around the plain ones.
fn draw(parameters: &mut Parameters, rng: &mut impl Rng) {
    let mut between = |[low, high]: [f64; 2]| (rng.random_range(low.ln()..=high.ln())).exp();
    parameters.square_value = between(SQUARE);
    parameters.center_square_value = parameters.square_value * between(CENTER);
    let values = &mut parameters.piece_values;
    for value in [
        &mut values.pawn,
        &mut values.knight,
        &mut values.bishop,
        &mut values.rook,
        &mut values.queen,
    ] {
        *value *= between([1.0 / MEN, MEN]);
    }
    values.king = between(KING);
}

/// Mean square distance of a heuristic's moments from the published ones: means in units of the
/// published standard deviations; standard deviations by the logarithm of their ratio, at least
/// 1/20.
fn square(pairs: PairedMoments, printed: &[f64; COLUMNS.len()]) -> f64 {
    let ours = figures(pairs).map(|figure| figure.unwrap_or(0.0));
    let of = |mean: usize, deviation: usize| {
        let scale = printed[deviation];
        let ratio = (ours[deviation] / scale).max(0.05).ln();
        let shift = (ours[mean] - printed[mean]) / scale;
        ratio * ratio + shift * shift
    };
    (of(0, 1) + of(2, 3)) / 4.0
}

/// Distance of the moments of some heuristics from the published ones.
fn distance(outcome: &Outcome, rows: &[usize]) -> f64 {
    let squares = rows.iter().map(|&row| outcome.moments[row]);
    (squares.sum::<f64>() / rows.len() as f64).sqrt()
}

/// The outcome whose moments are closest to the published ones; the first of equals.
fn nearest<'o>(outcomes: &'o [Outcome], rows: &[usize]) -> &'o Outcome {
    let mut best = &outcomes[0];
    for outcome in outcomes {
        if distance(outcome, rows) < distance(best, rows) {
            best = outcome;
        }
    }
    best
}

fn show(outcome: &Outcome, row: &str, output: &mut Output) {
    let parameters = &outcome.parameters;
    let values = &parameters.piece_values;
    let [p1, p7, r2] = outcome.held_back;
    let mut row = output.row(row);
    for (column, value) in [
        ("square", parameters.square_value),
        ("center", parameters.center_square_value),
        ("pawn", values.pawn),
        ("knight", values.knight),
        ("bishop", values.bishop),
        ("rook", values.rook),
        ("queen", values.queen),
        ("king", values.king),
        ("p1", p1),
        ("p7", p7),
        ("r2", r2),
    ] {
        row.set(column, value);
    }
}

/// Means over splits, and in how many of them something is closer to the published value than with
/// plain values.
#[derive(Default)]
struct Splits {
    weight: f64,
    means: [f64; 5],
    nearer: [f64; 3],
}

impl Splits {
    fn add(
        &mut self,
        outcome: &Outcome,
        plain: &Outcome,
        [own, others]: [&[usize]; 2],
        targets: &[f64; 3],
        weight: f64,
    ) {
        let [p1, p7, r2] = outcome.held_back;
        let means = [
            distance(outcome, own),
            distance(outcome, others),
            p1,
            p7,
            r2,
        ];
        for (sum, value) in self.means.iter_mut().zip(means) {
            *sum += weight * value;
        }
        let ranks = |outcome: &Outcome| -> f64 {
            let differences = RANKS.map(|place| outcome.held_back[place] - targets[place]);
            differences
                .iter()
                .map(|difference| difference * difference)
                .sum()
        };
        let explained =
            |outcome: &Outcome| (outcome.held_back[EXPLAINED] - targets[EXPLAINED]).abs();
        let nearer = [
            distance(outcome, others) < distance(plain, others),
            ranks(outcome) < ranks(plain),
            explained(outcome) < explained(plain),
        ];
        for (sum, is_nearer) in self.nearer.iter_mut().zip(nearer) {
            *sum += if is_nearer { weight } else { 0.0 };
        }
        self.weight += weight;
    }

    fn show(&self, row: &str, output: &mut Output) {
        let mut row = output.row(row);
        let means = ["chosen-by", "held-out", "p1", "p7", "r2"]
            .into_iter()
            .zip(self.means);
        for (column, sum) in means {
            row.set(column, sum / self.weight);
        }
        let nearer = ["nearer-held-out", "nearer-ranks", "nearer-r2"]
            .into_iter()
            .zip(self.nearer);
        for (column, sum) in nearer {
            row.set(column, Number::new(100.0 * sum / self.weight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(moments: [f64; 2]) -> Outcome {
        Outcome {
            parameters: Parameters::PUBLISHED,
            moments: moments.to_vec(),
            held_back: [0.0; 3],
        }
    }

    #[test]
    fn rows_choose_the_nearest_values() {
        let outcomes = [
            outcome([1.0, 1.0]),
            outcome([0.25, 4.0]),
            outcome([4.0, 0.25]),
        ];
        assert!((distance(nearest(&outcomes, &[0]), &[1]) - 2.0).abs() < 1e-12);
        assert!((distance(nearest(&outcomes, &[1]), &[0]) - 2.0).abs() < 1e-12);
        // Both together are best served by the plain ones.
        assert!((distance(nearest(&outcomes, &[0, 1]), &[0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn moments_as_printed_have_no_distance() {
        let mut pairs = PairedMoments::default();
        for (first, second) in [(1.0, 2.0), (3.0, 2.5), (8.0, 0.0)] {
            pairs.push(first, second);
        }
        let mut printed = figures(pairs).map(|figure| figure.unwrap());
        assert!(square(pairs, &printed).abs() < 1e-12);
        printed[1] *= 2.0;
        assert!(square(pairs, &printed) > 0.1);
    }
}
