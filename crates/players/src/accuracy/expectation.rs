//! What other players lose in positions like these.

use std::collections::BTreeSet;

use kibitz_stats::{
    SampleError,
    inference::MIN_CLUSTERS,
    moments::CrossMoments,
    regression::{LeastSquares, RegressionError},
};
use kibitz_text::{Diagnostic, Diagnostics, Exit, Failure, SourceFile};
use serde::{Deserialize, Serialize};

use super::Attributes;
use crate::session::stream_seed;

/// Folds of players, and of games.
pub const FOLDS: usize = 5;

/// The fold of a player or a game (`what`) by its number in the order of appearance. Five in a row are
/// in five different folds; the seed decides which.
pub fn fold(seed: u64, what: &str, number: u64) -> usize {
    let folds = FOLDS as u64;
    let turn = stream_seed(seed, &format!("{what} {}", number / folds)) >> 32;
    usize::try_from((number + turn % folds) % folds).unwrap_or(0)
}

/// Rating and clock. Expectations depend on them besides the position, so that a player's accuracy does
/// not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Covariates {
    /// The mover's rating.
    pub elo: bool,
    /// His clock.
    pub clock: bool,
}

impl Covariates {
    /// The indices of the attributes of [`Attributes::NAMES`] that count.
    fn attributes(self) -> Vec<usize> {
        let position = 0..Attributes::OF_POSITION;
        let of = |is_given: bool, first: usize| if is_given { first..first + 2 } else { 0..0 };
        position
            .chain(of(self.elo, Attributes::OF_POSITION))
            .chain(of(self.clock, Attributes::OF_POSITION + 2))
            .collect()
    }
}

/// The folds of a player and of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The fold of the mover.
    pub player: usize,
    /// The fold of the game.
    pub game: usize,
}

/// A linear function of the attributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Line {
    /// The constant, in percentage points.
    pub constant: f64,
    /// One weight for each attribute, in percentage points per unit; 0 for one that could not be
    /// distinguished from others, or did not vary.
    pub weights: Vec<f64>,
    /// What is given, and known of every move fitted to: nothing can be said of a move without it.
    #[serde(default)]
    pub always_known: Covariates,
    /// What is given, and known of no move fitted to: nothing can be said of a move that has it.
    #[serde(default)]
    pub never_known: Covariates,
}

impl Line {
    /// The value at a point; `None` where rating or clock is unknown, and was known of all moves fitted
    /// to, or the reverse.
    pub fn at(&self, attributes: &Attributes) -> Option<f64> {
        let known = attributes.known();
        let is_outside =
            |known: bool, always: bool, never: bool| if known { never } else { always };
        let [always, never] = [self.always_known, self.never_known];
        if is_outside(known.elo, always.elo, never.elo)
            || is_outside(known.clock, always.clock, never.clock)
        {
            return None;
        }
        let products = self.weights.iter().zip(&attributes.0);
        Some(self.constant + products.map(|(weight, value)| weight * value).sum::<f64>())
    }
}

/// The loss that is expected of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// In percentage points.
    pub loss: f64,
    /// The same by fits without one fold of games each; they differ by the error of the fit.
    pub replicates: [f64; FOLDS],
}

/// The values of lines at a point, if all have one.
fn replicates(lines: &[Line], attributes: &Attributes) -> Option<[f64; FOLDS]> {
    let values = lines.iter().map(|line| line.at(attributes));
    values.collect::<Option<Vec<f64>>>()?.try_into().ok()
}

/// Collects the moves to which expectations are fitted, in constant memory.
#[derive(Debug, Clone)]
pub struct ExpectationFit {
    given: Covariates,
    /// Moments of attributes and loss of the moves in each cell, players first.
    cells: Vec<CrossMoments>,
    /// Sides of games in each cell.
    sides: Vec<u64>,
}

impl ExpectationFit {
    /// Without a move.
    pub fn new(given: Covariates) -> Self {
        Self {
            given,
            cells: vec![CrossMoments::new(Attributes::COUNT + 1); FOLDS * FOLDS],
            sides: vec![0; FOLDS * FOLDS],
        }
    }

    /// Adds a player's moves in a game: the attributes before each, and its loss.
    ///
    /// # Errors
    /// [`SampleError::NotFinite`].
    ///
    /// # Panics
    /// If a fold is not below [`FOLDS`].
    pub fn add_side<'a>(
        &mut self,
        cell: Cell,
        moves: impl IntoIterator<Item = (&'a Attributes, f64)>,
    ) -> Result<(), SampleError> {
        let index = cell.player * FOLDS + cell.game;
        let before = self.cells[index].n_samples();
        for (attributes, loss) in moves {
            let mut row = [loss; Attributes::COUNT + 1];
            row[..Attributes::COUNT].copy_from_slice(&attributes.0);
            self.cells[index].push(&row)?;
        }
        self.sides[index] += u64::from(self.cells[index].n_samples() > before);
        Ok(())
    }

    /// The fit to all cells but those of a fold of players, a fold of games, or both; `None` for fewer
    /// than [`MIN_CLUSTERS`] sides of games, or too few moves.
    fn without(&self, player: Option<usize>, game: Option<usize>) -> Option<Line> {
        let mut moments = CrossMoments::new(Attributes::COUNT + 1);
        let mut sides = 0;
        for (index, cell) in self.cells.iter().enumerate() {
            if Some(index / FOLDS) != player && Some(index % FOLDS) != game {
                moments.merge(cell).ok()?;
                sides += self.sides[index];
            }
        }
        if sides < MIN_CLUSTERS as u64 {
            return None;
        }
        line(&moments, self.given)
    }

    /// An expectation for moves of other files, fitted to all there are; `None` if they are too few.
    pub fn whole(&self) -> Option<Expectation> {
        let replicates = (0..FOLDS).map(|game| self.without(None, Some(game)));
        Some(Expectation {
            version: VERSION,
            attributes: names(),
            players: BTreeSet::new(),
            given: self.given,
            moves: self.cells.iter().map(CrossMoments::n_samples).sum(),
            expected_loss: self.without(None, None)?,
            replicates: replicates.collect::<Option<_>>()?,
        })
    }

    /// Expectations for the same moves: each fitted without the player's fold and the game's.
    pub fn cross_fit(&self) -> CrossFit {
        let of_player = |player| {
            let lines = (0..FOLDS).map(|game| self.without(Some(player), Some(game)));
            lines.collect::<Option<Vec<Line>>>()
        };
        CrossFit((0..FOLDS).map(of_player).collect())
    }
}

/// Least squares on those of the attributes that vary and are not combinations of those before them.
fn line(moments: &CrossMoments, given: Covariates) -> Option<Line> {
    let mut attributes = given.attributes();
    let mut weights = vec![0.0; Attributes::COUNT];
    let [without_elo, without_clock] =
        [Attributes::NO_ELO, Attributes::NO_CLOCK].map(|one| moments.mean(one));
    let known = |share: f64| Covariates {
        elo: given.elo && without_elo == Some(share),
        clock: given.clock && without_clock == Some(share),
    };
    let (always_known, never_known) = (known(0.0), known(1.0));
    let line = |constant: f64, weights: Vec<f64>| Line {
        constant,
        weights,
        always_known,
        never_known,
    };
    loop {
        match LeastSquares::of_moments(moments, &attributes, Attributes::COUNT) {
            Ok(fit) => {
                for (&attribute, &weight) in attributes.iter().zip(&fit.coefficients) {
                    weights[attribute] = weight;
                }
                return Some(line(fit.constant, weights));
            }
            Err(
                RegressionError::Constant { variable } | RegressionError::Collinear { variable },
            ) => {
                attributes.remove(variable);
            }
            // The mean is all that can be said.
            Err(RegressionError::NoVariable | RegressionError::NothingToExplain) => {
                return Some(line(moments.mean(Attributes::COUNT)?, weights));
            }
            Err(_) => return None,
        }
    }
}

/// Expectations of the moves of one file, by folds of players and games.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossFit(Vec<Option<Vec<Line>>>);

impl CrossFit {
    /// The loss expected of a move in a cell; `None` if there are too few others, or it
    /// [is not covered](Self::covers).
    pub fn predict(&self, cell: Cell, attributes: &Attributes) -> Option<Prediction> {
        let lines = self.0.get(cell.player)?.as_ref()?;
        let replicates = replicates(lines, attributes)?;
        Some(Prediction {
            loss: *replicates.get(cell.game)?,
            replicates,
        })
    }

    /// Whether rating and clock of a move are known as they are of others, as far as they are given; true
    /// if there are too few others.
    pub fn covers(&self, cell: Cell, attributes: &Attributes) -> bool {
        let lines = self.0.get(cell.player).and_then(Option::as_ref);
        lines.is_none_or(|lines| replicates(lines, attributes).is_some())
    }
}

/// Version of the files of expectations.
const VERSION: u32 = 2;

/// An expectation as a file, for moves of other games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expectation {
    version: u32,
    /// Names of the attributes to which the weights belong.
    attributes: Vec<String>,
    /// Number of moves it was fitted to.
    pub moves: u64,
    /// Names of the players of these moves, if they were noted.
    #[serde(default)]
    pub players: BTreeSet<String>,
    /// What it depends on besides the position.
    pub given: Covariates,
    /// The fit to all moves.
    pub expected_loss: Line,
    /// Fits without one fold of games each.
    replicates: Vec<Line>,
}

fn names() -> Vec<String> {
    Attributes::NAMES.map(|(name, _)| name.to_owned()).to_vec()
}

impl Expectation {
    /// The loss expected of a move; `None` if what is given is unknown, and was known of all moves fitted
    /// to, or the reverse.
    pub fn predict(&self, attributes: &Attributes) -> Option<Prediction> {
        Some(Prediction {
            loss: self.expected_loss.at(attributes)?,
            replicates: replicates(&self.replicates, attributes)?,
        })
    }

    /// The text of its file.
    ///
    /// # Errors
    /// Never for expectations that were fitted or read.
    pub fn to_toml(&self) -> Result<String, Failure> {
        toml::to_string(self).map_err(|error| Failure::failed(error.to_string()))
    }

    /// Reads what [`to_toml`](Self::to_toml) wrote.
    ///
    /// # Errors
    /// Another file, every error in its place, or weights that do not fit the attributes.
    pub fn from_toml(source: &SourceFile) -> Result<Self, Failure> {
        let refused = |message: String| {
            let note = "write a model with `kibitz-players accuracy GAMES.pgn --save MODEL`";
            Failure::new(Exit::BadInput, Diagnostic::new(message).with_note(note))
        };
        let path = source.path();
        if !source.text().contains("[expected-loss]") {
            return Err(refused(format!(
                "{path} is not a model of `kibitz-players accuracy`"
            )));
        }
        let mut errors = Diagnostics::new();
        let read: Option<Self> = kibitz_text::toml::read(source, &mut errors);
        let Some(read) = read.filter(|_| errors.is_empty()) else {
            return Err(errors.into());
        };
        let lines = || read.replicates.iter().chain([&read.expected_loss]);
        let numbers = || lines().flat_map(|line| line.weights.iter().chain([&line.constant]));
        let is_whole = read.replicates.len() == FOLDS
            && lines().all(|line| line.weights.len() == Attributes::COUNT);
        if read.version != VERSION || read.attributes != names() {
            return Err(refused(format!(
                "{path}: a file of version {}, or of other attributes; this program reads version {VERSION}",
                read.version
            )));
        }
        if !is_whole || !numbers().all(|number| number.is_finite()) {
            return Err(refused(format!(
                "{path}: expected {FOLDS} replicates with {} finite weights each",
                Attributes::COUNT
            )));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_in_a_row_are_in_five_folds() {
        let all = (0..10_000).map(|number| fold(7, "player", number));
        let all: Vec<usize> = all.collect();
        for row in all.chunks(FOLDS) {
            let mut row = row.to_vec();
            row.sort_unstable();
            assert_eq!(row, [0, 1, 2, 3, 4]);
        }
        let first = |seed| (0..50).map(move |number| fold(seed, "game", 5 * number));
        assert!(!first(1).eq(first(2)));
    }

    /// Moves of one player and of one game have no part in what is expected of them.
    #[test]
    fn what_is_expected_of_a_move_is_fitted_to_others() {
        let at = |win: f64| {
            let mut attributes = Attributes([0.0; Attributes::COUNT]);
            attributes.0[0] = win;
            attributes
        };
        let fitted = |own: f64| {
            let mut fit = ExpectationFit::new(Covariates::default());
            for game in 0..50_usize {
                for player in 0..2 {
                    let moves: Vec<_> = (0..10).map(|one| at(f64::from(one) / 10.0)).collect();
                    let loss = |one: &Attributes| 2.0 + 3.0 * one.0[0];
                    let shift = if player == 0 { own } else { 0.0 };
                    let moves = moves.iter().map(|one| (one, loss(one) + shift));
                    let cell = Cell {
                        player,
                        game: game % FOLDS,
                    };
                    fit.add_side(cell, moves).unwrap();
                }
            }
            fit
        };
        let cell = Cell { player: 0, game: 2 };
        for own in [0.0, 5.0] {
            let found = fitted(own).cross_fit().predict(cell, &at(0.5)).unwrap();
            assert!((found.loss - 3.5).abs() < 1e-9, "{found:?}");
        }
        let whole = fitted(2.0).whole().unwrap();
        assert!((whole.predict(&at(0.5)).unwrap().loss - 4.5).abs() < 1e-9);
        let text = SourceFile::new("model", whole.to_toml().unwrap());
        assert_eq!(Expectation::from_toml(&text), Ok(whole));
        let few = ExpectationFit::new(Covariates::default());
        assert!(few.whole().is_none() && few.cross_fit().predict(cell, &at(0.5)).is_none());
    }

    /// A clock that is unknown is no clock of 0 seconds: without other moves like it nothing is expected.
    #[test]
    fn nothing_is_expected_of_an_unknown_clock_without_others() {
        let at = |clock: Option<f64>| {
            let mut attributes = Attributes([0.0; Attributes::COUNT]);
            attributes.0[Attributes::OF_POSITION + 2] = clock.unwrap_or(0.0);
            attributes.0[Attributes::NO_CLOCK] = f64::from(u8::from(clock.is_none()));
            attributes
        };
        let fitted = |n_without: usize, given: Covariates| {
            let mut fit = ExpectationFit::new(given);
            for game in 0..50 {
                let clock = |one: u8| (game >= n_without).then(|| f64::from(one));
                let moves: Vec<_> = (1..9).map(|one| at(clock(one))).collect();
                let loss = |one: &Attributes| 9.0 - one.0[Attributes::OF_POSITION + 2];
                let cell = Cell {
                    player: game % 2,
                    game: game / 2 % FOLDS,
                };
                let moves = moves.iter().map(|one| (one, loss(one)));
                fit.add_side(cell, moves).unwrap();
            }
            fit
        };
        let cell = Cell { player: 0, game: 0 };
        let given = Covariates {
            elo: false,
            clock: true,
        };
        let value = |fit: &ExpectationFit, clock| {
            let whole = fit.whole().unwrap().predict(&at(clock));
            let cross_fit = fit.cross_fit();
            let found = cross_fit.predict(cell, &at(clock));
            assert_eq!(found.is_some(), cross_fit.covers(cell, &at(clock)));
            [whole, found].map(|found| found.map(|one| one.loss.round()))
        };
        let all = fitted(0, given);
        assert_eq!(value(&all, Some(3.0)), [Some(6.0); 2]);
        assert_eq!(value(&all, None), [None; 2]);
        let some = fitted(30, given);
        assert_eq!(value(&some, Some(3.0)), [Some(6.0); 2]);
        assert_eq!(value(&some, None), [Some(9.0); 2]);
        let none = fitted(50, given);
        assert_eq!(value(&none, None), [Some(9.0); 2]);
        assert_eq!(value(&none, Some(3.0)), [None; 2]);
        // One game without a clock says nothing of itself.
        let one = fitted(1, given);
        assert_eq!(value(&one, None), [None; 2]);
        let position = fitted(0, Covariates::default());
        assert!(value(&position, None)[0].is_some());
        let whole = all.whole().unwrap();
        let text = SourceFile::new("model", whole.to_toml().unwrap());
        assert_eq!(Expectation::from_toml(&text), Ok(whole));
    }
}
