//! Weights as functions of the mover's rating or clock.
//!
//! Each weight of the one-ply model is a polynomial of the rating, or of the logarithm of the seconds left,
//! so that all moves together say how it changes. A band is the pointwise interval of the polynomial,
//! from the covariance of its coefficients over games.

use std::collections::BTreeMap;

use kibitz_board::{Chess, Game, Move, Position as _, game_filter::color_of};
use kibitz_search::one_ply::OnePly;
use kibitz_stats::{
    ChoiceSets, DMatrix, DVector,
    inference::{Interval, wald_interval},
    moments::Moments,
};
use kibitz_text::{Diagnostic, Exit, Failure};
use serde::Serialize;

use crate::{
    Choices, Depth, Error, FitOptions, FittedWeights, Session,
    accuracy::{RangeVariable, clocks},
    fit,
    four_ply::ModelParams,
    of_games::{attributes, count_names, nobody},
};

/// A game with its comments, each with the number of moves before it.
pub type CommentedGame = (Game, Vec<(usize, String)>);

/// The highest power of the polynomials.
const DEGREE: usize = 2;

/// Ratings at which weights are shown.
const RATINGS: std::ops::RangeInclusive<u16> = 0..=20;

/// Seconds at which weights are shown.
const SECONDS: [f64; 11] = [
    0.0, 2.0, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0, 1800.0, 3600.0, 7200.0,
];

/// Weights by rating or clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Curves {
    /// What they are functions of.
    pub by: &'static str,
    /// Number of games.
    pub games: u64,
    /// Number of moves.
    pub moves: u64,
    /// Moves without rating or clock, which are left out.
    pub left_out: u64,
    /// Whether the errors are clustered by game; below twenty games they are those of independent moves.
    pub clustered: bool,
    /// The confidence level of the bands.
    pub level: f64,
    /// Whether the bits are those of games held out; otherwise of those fitted to.
    pub held_out: bool,
    /// Bits per move.
    pub bits: f64,
    /// The same with weights that do not change.
    pub constant_bits: f64,
    /// A curve for each attribute.
    pub curves: Vec<Curve>,
}

/// A weight by rating or clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Curve {
    /// The attribute.
    pub attribute: String,
    /// The weight at some ratings or seconds, ascending.
    pub points: Vec<CurvePoint>,
}

/// A weight at a rating, or with so many seconds left.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CurvePoint {
    /// The rating or the seconds.
    pub at: f64,
    /// Number of moves that are nearer to it than to the other points.
    pub moves: u64,
    /// The weight, in natural logarithms of odds per unit.
    pub weight: f64,
    /// Its standard error.
    pub std_error: f64,
    /// Low end of the band.
    pub low: f64,
    /// High end of the band.
    pub high: f64,
}

/// A move with what its weights depend on.
struct Decision {
    position: Chess,
    played: Move,
    group: u32,
    at: f64,
}

/// Fits curves to the moves of a player, by how the name begins, or of all players. The second part of the
/// answer are remarks, in sentences.
///
/// # Errors
/// [`Error::Failure`] where nothing can be fitted as asked, those of [`fit()`], and the end of the session.
///
/// # Examples
/// ```
/// use kibitz_board::pgn::{Policy, read_games};
/// use kibitz_players::{FitOptions, SeededSession, accuracy::RangeVariable, fit_curves};
///
/// let game = |elo: u32, reply: &str| format!("[WhiteElo \"{elo}\"]\n\n1. e4 d5 2. {reply} *\n\n");
/// let text: String = (0..60)
///     .map(|n| game(1000 + 10 * n, if n % 3 == 0 || n > 40 { "exd5" } else { "e5" }))
///     .collect();
/// let games = read_games("mine", text.as_bytes(), Policy::strict());
/// let games = games.map(|game| Ok((game?, Vec::new()))).collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
/// let names = ["material".to_owned()];
/// let options = FitOptions::default();
/// let (curves, _) = fit_curves(&games, None, RangeVariable::Elo, &names, options, &SeededSession::default())?;
/// let points = &curves.curves[0].points;
/// assert!(points[0].weight < points[points.len() - 1].weight);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_curves<S: Session>(
    games: &[CommentedGame],
    player: Option<&str>,
    by: RangeVariable,
    asked: &[String],
    options: FitOptions,
    session: &S,
) -> Result<(Curves, Vec<String>), S::Error> {
    let refused = |failure: Failure| S::Error::from(Error::Failure(Box::new(failure)));
    let names = attributes(asked, Depth::OnePly, false).map_err(refused)?;
    let params = ModelParams {
        attributes: names,
        ..ModelParams::default()
    };
    let names = params.attributes.iter().map(|one| one.name().to_owned());
    let names: Vec<String> = names.collect();
    let (decisions, left_out) = decisions(games, player, by).map_err(refused)?;
    let values = decisions.iter().map(|one| scaled(by, one.at));
    let basis = Basis::of(by, values).map_err(refused)?;
    let [curved, constant] = [basis.degree, 0].map(|degree| {
        let basis = Basis { degree, ..basis };
        rows(&params, &decisions, by, basis, session)
    });
    let (curved, constant) = (curved?, constant?);
    let coefficients = names.iter().flat_map(|name| {
        let power = |power: usize| match power {
            0 => name.clone(),
            1 => format!("{name} by {}", by.name()),
            _ => format!("{name} by the square of {}", by.name()),
        };
        (0..=basis.degree).map(power).collect::<Vec<_>>()
    });
    let coefficients: Vec<String> = coefficients.collect();
    let (flat, _) = fit(&constant, &names, options, session)?;
    let (fitted, remarks) = fit(&curved, &coefficients, options, session)?;
    let measured = fitted.held_out.as_ref().zip(flat.held_out.as_ref());
    let held_out = measured.is_some();
    let (own, flat) = measured.unwrap_or((&fitted.fitted, &flat.fitted));
    let shown = shown(by, &decisions);
    let curves = names.into_iter().enumerate().map(|(number, attribute)| {
        let points = shown.iter();
        let points = points.map(|&(at, moves)| {
            let powers = basis.powers(scaled(by, at));
            point(&fitted, number, &powers, options.level).map(|(weight, std_error, band)| {
                CurvePoint {
                    at,
                    moves,
                    weight,
                    std_error,
                    low: band.low,
                    high: band.high,
                }
            })
        });
        Ok::<_, Error>(Curve {
            attribute,
            points: points.collect::<Result<_, Error>>()?,
        })
    });
    let curves = curves.collect::<Result<Vec<Curve>, Error>>()?;
    let curves = Curves {
        by: by.name(),
        games: fitted.games,
        moves: decisions.len() as u64,
        left_out,
        clustered: fitted.clustered,
        level: options.level,
        held_out,
        bits: own.bits,
        constant_bits: flat.bits,
        curves,
    };
    Ok((curves, remarks))
}

/// The value whose polynomials weights are.
fn scaled(by: RangeVariable, at: f64) -> f64 {
    match by {
        RangeVariable::Elo => at,
        RangeVariable::Clock => at.ln_1p(),
    }
}

/// The moves of a player, or of all, that have a rating or clock, and the number of those that have none.
fn decisions(
    games: &[CommentedGame],
    player: Option<&str>,
    by: RangeVariable,
) -> Result<(Vec<Decision>, u64), Failure> {
    let mut names = BTreeMap::new();
    let (mut found, mut left_out, mut n_games) = (Vec::new(), 0, 0);
    for (group, (game, comments)) in (0..).zip(games) {
        let own = match player {
            Some(player) => color_of(game, player),
            None => None,
        };
        if player.is_some() && own.is_none() {
            count_names(game, &mut names);
            continue;
        }
        n_games += 1;
        let tags = game.tags();
        let clocks = clocks(game, comments);
        for (ply, (position, played)) in game.plies().enumerate() {
            let color = position.turn();
            if own.is_some_and(|own| own != color) {
                continue;
            }
            let at = match by {
                RangeVariable::Elo => color.fold_wb(tags.white_elo, tags.black_elo).map(f64::from),
                RangeVariable::Clock => clocks[ply],
            };
            match at {
                Some(at) => found.push(Decision {
                    position,
                    played,
                    group,
                    at,
                }),
                None => left_out += 1,
            }
        }
    }
    if n_games == 0 {
        return Err(nobody(player.unwrap_or_default(), &names));
    }
    if found.is_empty() {
        return Err(Failure::new(Exit::NothingSelected, by.unknown()));
    }
    Ok((found, left_out))
}

/// Powers of a value, which is shifted and scaled so that they are well apart.
#[derive(Debug, Clone, Copy)]
struct Basis {
    mean: f64,
    deviation: f64,
    degree: usize,
}

impl Basis {
    /// A basis for these values: two different ones make a line, one is refused.
    fn of(by: RangeVariable, values: impl Iterator<Item = f64>) -> Result<Self, Failure> {
        let (mut moments, mut different) = (Moments::default(), Vec::new());
        for value in values {
            moments.push(value);
            if different.len() <= DEGREE && !different.contains(&value) {
                different.push(value);
            }
        }
        let spread = moments.mean().zip(moments.std_dev());
        if let Some((mean, deviation)) =
            spread.filter(|(_, deviation)| different.len() > 1 && *deviation > 0.0)
        {
            Ok(Self {
                mean,
                deviation,
                degree: different.len() - 1,
            })
        } else {
            let message = format!(
                "all moves have the same {}: there is no curve; without `--by` they are fitted together",
                match by {
                    RangeVariable::Elo => "rating",
                    RangeVariable::Clock => "clock",
                }
            );
            Err(Failure::new(
                Exit::NothingSelected,
                Diagnostic::new(message),
            ))
        }
    }

    fn powers(self, value: f64) -> Vec<f64> {
        let value = (value - self.mean) / self.deviation;
        let powers = std::iter::successors(Some(1.0), |power| Some(power * value));
        powers.take(self.degree + 1).collect()
    }
}

/// The decisions as choice sets: every attribute times every power.
fn rows<S: Session>(
    params: &ModelParams,
    decisions: &[Decision],
    by: RangeVariable,
    basis: Basis,
    session: &S,
) -> Result<Choices, S::Error> {
    let set = params.attribute_set();
    let (scales, model) = (set.scales(), OnePly::new(set));
    let n = scales.len() * (basis.degree + 1);
    let mut builder = ChoiceSets::builder(n);
    let mut counts = Vec::new();
    for one in decisions {
        session.check()?;
        let moves = one.position.legal_moves();
        let chosen = moves.iter().position(|candidate| *candidate == one.played);
        let chosen = chosen.ok_or_else(|| Error::IllegalMove {
            played: format!("{:?}", one.played),
            game: one.group,
        })?;
        counts.clear();
        model.extend_rows(&one.position, &moves, &mut counts);
        let powers = basis.powers(scaled(by, one.at));
        let alternatives = counts.chunks_exact(scales.len()).map(|row| {
            let values = row.iter().zip(&scales);
            let values = values.map(|(&count, scale)| f64::from(count) * scale);
            let terms = values.flat_map(|value| powers.iter().map(move |power| value * power));
            terms.collect::<Vec<f64>>()
        });
        let pushed = builder.push(one.group, chosen, alternatives.collect::<Vec<_>>());
        pushed.map_err(Error::from)?;
    }
    Ok(Choices::Rows(builder.build()))
}

/// The weight of an attribute, its error and its interval where the powers are these.
fn point(
    fitted: &FittedWeights,
    attribute: usize,
    powers: &[f64],
    level: f64,
) -> Result<(f64, f64, Interval), Error> {
    let own = attribute * powers.len()..(attribute + 1) * powers.len();
    let powers = DVector::from_column_slice(powers);
    let weights = fitted.weights[own.clone()].iter().map(|one| one.value);
    let weight = DVector::from_iterator(powers.len(), weights).dot(&powers);
    let covariance = DMatrix::from_fn(powers.len(), powers.len(), |row, column| {
        fitted.covariance[own.start + row][own.start + column]
    });
    let std_error = powers.dot(&(covariance * &powers)).max(0.0).sqrt();
    let band = wald_interval(weight, std_error, level)?;
    Ok((weight, std_error, band))
}

/// The ratings or seconds at which curves are shown, with the number of moves nearest to each. They lie
/// between the least and the greatest there is; of a narrow range its ends are shown.
fn shown(by: RangeVariable, decisions: &[Decision]) -> Vec<(f64, u64)> {
    let values = || decisions.iter().map(|one| one.at);
    let (least, most) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    );
    let all: Vec<f64> = match by {
        RangeVariable::Elo => RATINGS.map(|step| 200.0 * f64::from(step)).collect(),
        RangeVariable::Clock => SECONDS.to_vec(),
    };
    let inside = all.into_iter().filter(|at| (least..=most).contains(at));
    let mut points: Vec<(f64, u64)> = inside.map(|at| (at, 0)).collect();
    if points.len() < 2 {
        points = vec![(least, 0), (most, 0)];
    }
    for value in values() {
        let distance = |at: f64| (scaled(by, at) - scaled(by, value)).abs();
        let nearest = points.iter_mut();
        let nearest = nearest.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
        if let Some((_, moves)) = nearest {
            *moves += 1;
        }
    }
    points.retain(|(_, moves)| *moves > 0);
    points
}

#[cfg(test)]
mod tests {
    use kibitz_board::{Outcome, Tags};
    use kibitz_heuristics::attributes::{Attribute, AttributeSet};
    use kibitz_search::{
        one_ply::WeightedOnePly,
        self_play::{EndPolicy, play},
    };
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};

    use super::*;
    use crate::SeededSession;

    /// The weight of a pawn by rating: a curve.
    fn weight(elo: u16) -> f64 {
        0.4 + f64::from(elo - 1000) / 1000.0
    }

    /// Games of equal players against themselves, of ratings from 1000 to 2000, with clocks as their ratings.
    fn simulated() -> Vec<CommentedGame> {
        let games = (0..120_u16).map(|number| {
            let elo = 1000 + 100 * (number % 11);
            let model = OnePly::new(AttributeSet::new([Attribute::Material]));
            let mut player = WeightedOnePly::new(model, vec![weight(elo)]);
            let mut rng = ChaCha8Rng::seed_from_u64(number.into());
            let policy = EndPolicy {
                max_plies: Some(60),
                ..EndPolicy::default()
            };
            let start = Chess::default();
            let played = play(&mut player, &start, &policy, &mut rng);
            let mut tags = Tags::default();
            for color in ["White", "Black"] {
                tags.set(color, "Ann");
                tags.set(&format!("{color}Elo"), &elo.to_string());
            }
            let n_plies = played.moves.len();
            let game = Game::new(tags, start, played.moves, Outcome::Unknown).unwrap();
            let comment = |ply| (ply, format!("[%clk 0:00:{}]", (elo - 1000) / 20));
            (game, (1..=n_plies).map(comment).collect())
        });
        games.collect()
    }

    #[test]
    fn bands_have_the_weights_that_were_simulated() {
        let games = simulated();
        let names = ["material".to_owned()];
        let fitted = |by, games: &[CommentedGame]| {
            let options = FitOptions::default();
            fit_curves(games, None, by, &names, options, &SeededSession::default())
        };
        let (curves, _) = fitted(RangeVariable::Elo, &games).unwrap();
        let points = &curves.curves[0].points;
        let at: Vec<f64> = points.iter().map(|point| point.at).collect();
        assert_eq!(at, [1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 2000.0]);
        for point in points {
            let truth = 0.4 + (point.at - 1000.0) / 1000.0;
            // Three standard errors: a right fit misses none of six points in 98 of 100 cases.
            let z = (point.weight - truth) / point.std_error;
            assert!(z.abs() < 3.0 && point.std_error < 0.2, "{point:?} {truth}");
            assert!(point.low < point.weight && point.weight < point.high);
        }
        assert!(curves.held_out && curves.bits < curves.constant_bits);
        assert_eq!((curves.games, curves.left_out), (120, 0));
        let moves: u64 = points.iter().map(|point| point.moves).sum();
        assert_eq!(moves, curves.moves);
        // The first two moves of a game have no clock before them.
        let (curves, _) = fitted(RangeVariable::Clock, &games).unwrap();
        assert_eq!(curves.left_out, 240);
        let points = &curves.curves[0].points;
        assert!(points[0].weight < points[points.len() - 1].weight);
        let same: Vec<CommentedGame> = games.into_iter().step_by(11).collect();
        let told = fitted(RangeVariable::Elo, &same).unwrap_err().to_string();
        assert!(told.contains("the same rating"), "{told}");
    }

    #[test]
    fn two_values_make_a_line_and_one_nothing() {
        let basis = |values: &[f64]| Basis::of(RangeVariable::Elo, values.iter().copied());
        assert_eq!(basis(&[1.0, 2.0, 1.0]).unwrap().degree, 1);
        assert_eq!(basis(&[1.0, 2.0, 3.0, 4.0]).unwrap().degree, 2);
        assert!(basis(&[2.0, 2.0]).is_err());
        assert_eq!(
            basis(&[1.0, 3.0, 1.0, 3.0]).unwrap().powers(2.0),
            [1.0, 0.0]
        );
    }
}
