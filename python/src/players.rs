//! Player models: fits that are watched and that Ctrl-C ends, and what models say of games.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use kibitz_board::open::open_games;
use kibitz_board::pgn::Policy;
use kibitz_board::{Color, Game, game_filter::color_of};
use kibitz_players::who::{UnknownPlayer, priors, who};
use kibitz_players::{Answer, Depth, Error, Fit, FitOptions, Model, SeededSession, Session};
use kibitz_stats::FitError;
use kibitz_text::{Diagnostic, Diagnostics, Exit, Failure, SourceFile};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::signals::Signals;

/// What ends the work early.
enum EarlyEnd {
    Failure(Failure),
    /// An interrupt, or an exception of the callback.
    Raised(PyErr),
}

impl From<Failure> for EarlyEnd {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Error> for EarlyEnd {
    fn from(error: Error) -> Self {
        Self::Failure(error.into())
    }
}

impl From<FitError> for EarlyEnd {
    fn from(error: FitError) -> Self {
        Error::from(error).into()
    }
}

/// An answer in JSON with what was told on the way, an error in JSON, or an exception.
fn told(answer: Result<Value, EarlyEnd>, notes: Diagnostics) -> PyResult<String> {
    let answer = match answer {
        Ok(mut answer) => {
            answer["messages"] = kibitz_web::messages(&notes);
            answer
        }
        Err(EarlyEnd::Failure(failure)) => {
            json!({ "error": kibitz_web::messages(&failure.diagnostics) })
        }
        Err(EarlyEnd::Raised(raised)) => return Err(raised),
    };
    Ok(answer.to_string())
}

/// A session that Python watches.
struct PythonSession {
    seeds: SeededSession,
    callback: Option<Py<PyAny>>,
    signals: RefCell<Signals>,
    notes: RefCell<Diagnostics>,
    raised: RefCell<Option<PyErr>>,
}

impl PythonSession {
    fn new(seed: u64, callback: Option<Py<PyAny>>) -> Self {
        Self {
            seeds: SeededSession { seed },
            callback,
            signals: RefCell::default(),
            notes: RefCell::new(Diagnostics::new()),
            raised: RefCell::new(None),
        }
    }

    /// All valid games of files, at least one in each; rejected games and repairs are reported.
    fn games(&self, paths: &[PathBuf]) -> Result<Vec<Game>, EarlyEnd> {
        let mut games = Vec::new();
        for path in paths {
            games.extend(self.games_of(path)?);
        }
        Ok(games)
    }

    fn games_of(&self, path: &Path) -> Result<Vec<Game>, EarlyEnd> {
        let missing = |error: &dyn std::error::Error| {
            Failure::new(Exit::Missing, Diagnostic::new(error.to_string()))
        };
        let mut collection = open_games(path, Policy::Skip).map_err(|error| missing(&error))?;
        let mut games = Vec::new();
        for game in collection.by_ref() {
            self.check()?;
            games.push(game.map_err(|error| missing(&error))?);
        }
        if let Some(report) = collection.into_tally().report() {
            self.note(&Diagnostic::warning(report));
        }
        if games.is_empty() {
            let message = format!("{}: no readable game", path.display());
            return Err(Failure::new(Exit::NothingSelected, Diagnostic::new(message)).into());
        }
        Ok(games)
    }
}

impl Session for PythonSession {
    type Error = EarlyEnd;

    fn check(&self) -> Result<(), EarlyEnd> {
        if let Some(raised) = self.raised.take() {
            return Err(EarlyEnd::Raised(raised));
        }
        if self.signals.borrow_mut().keep_going() {
            return Ok(());
        }
        let raised = self.signals.take().raised();
        raised.map_err(EarlyEnd::Raised)
    }

    fn progress(&self, step: &str, done: usize, total: usize) {
        let Some(callback) = &self.callback else {
            return;
        };
        let told = Python::attach(|py| callback.call1(py, (step, done, total)).map(drop));
        if let Err(raised) = told {
            self.raised.borrow_mut().get_or_insert(raised);
        }
    }

    fn note(&self, told: &Diagnostic) {
        self.notes.borrow_mut().push(told.clone());
    }

    fn seed(&self, stream: &str) -> u64 {
        self.seeds.seed(stream)
    }
}

/// What is to be fitted: the options of `kibitz-players fit`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FitQuestion {
    player: String,
    model: Depth,
    attributes: Vec<String>,
    select: bool,
    phases: bool,
    folds: usize,
    level: u8,
    seed: u64,
}

impl FitQuestion {
    fn answer(&self, paths: &[PathBuf], session: &PythonSession) -> Result<Value, EarlyEnd> {
        if self.folds < 2 {
            return Err(Failure::usage("folds are at least 2").into());
        }
        if !(50..100).contains(&self.level) {
            return Err(
                Failure::usage("a level is a whole number of percent from 50 to 99").into(),
            );
        }
        let fit = Fit::new(session.games(paths)?)
            .player(&self.player)
            .depth(self.model)
            .attributes(&self.attributes)
            .selecting(self.select)
            .by_phase(self.phases)
            .options(FitOptions {
                folds: self.folds,
                level: f64::from(self.level) / 100.0,
                ..FitOptions::default()
            });
        let Answer {
            model,
            remarks,
            selection,
        } = fit.run(session)?;
        session.check()?;
        let mut answer = of_model(&model)?;
        for remark in remarks {
            session.note(&Diagnostic::warning(remark));
        }
        answer["selection"] = json!(selection);
        Ok(answer)
    }
}

/// A model as the text of its file and as data.
fn of_model(model: &Model) -> Result<Value, Failure> {
    Ok(json!({ "toml": model.to_toml()?, "model": model }))
}

/// A model by its name and the text of its file.
fn read((file, text): &(String, String)) -> Result<Model, Failure> {
    Model::from_toml(&SourceFile::new(file.as_str(), text.as_str()))
}

fn side(name: Option<&str>) -> Result<Option<Color>, Failure> {
    match name {
        None => Ok(None),
        Some("white") => Ok(Some(Color::White)),
        Some("black") => Ok(Some(Color::Black)),
        Some(other) => Err(Failure::usage(format!(
            "`{other}` is no side: white or black"
        ))),
    }
}

/// Fits a player to games of files; the callback gets each step as (name, done, total).
#[pyfunction]
#[pyo3(signature = (paths, question, progress=None))]
pub(crate) fn fit_player(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    question: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let question: FitQuestion =
        serde_json::from_str(question).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let session = PythonSession::new(question.seed, progress);
    py.detach(move || {
        let answer = question.answer(&paths, &session);
        told(answer, session.notes.into_inner())
    })
}

/// Reads the file of a model.
#[pyfunction]
pub(crate) fn read_player(file: String, text: String) -> PyResult<String> {
    let model = read(&(file, text)).and_then(|model| of_model(&model));
    told(model.map_err(EarlyEnd::from), Diagnostics::new())
}

/// A game of a file, move by move.
#[pyfunction]
pub(crate) fn explain_game(
    py: Python<'_>,
    model: (String, String),
    path: PathBuf,
    number: usize,
    of: Option<String>,
) -> PyResult<String> {
    let session = PythonSession::new(0, None);
    py.detach(move || {
        let answer = explained(&session, &model, &path, number, of.as_deref());
        told(answer, session.notes.into_inner())
    })
}

fn explained(
    session: &PythonSession,
    model: &(String, String),
    path: &Path,
    number: usize,
    of: Option<&str>,
) -> Result<Value, EarlyEnd> {
    let model = read(model)?;
    let asked = side(of)?;
    let games = session.games_of(path)?;
    let game = number.checked_sub(1).and_then(|index| games.get(index));
    let game = game.ok_or_else(|| {
        let (path, n) = (path.display(), games.len());
        let games = if n == 1 { "game" } else { "games" };
        Failure::usage(format!(
            "{path} has {n} {games} that can be read, and no game {number}"
        ))
    })?;
    let side = asked.or_else(|| color_of(game, &model.player));
    if side.is_none() {
        session.note(&Diagnostic::warning(format!(
            "`{}` is on neither side, or on both: the moves of both sides are explained",
            model.player
        )));
    }
    let told = kibitz_players::explain::explain(&model, game, side).ok_or_else(|| {
        Failure::usage("the model is not one of chess moves, or lacks a phase of this game")
    })?;
    if told.moves.is_empty() {
        return Err(Failure::failed("the side has no move in this game").into());
    }
    Ok(json!({ "game": told }))
}

/// Who of the models' players made the moves of games.
#[pyfunction]
pub(crate) fn who_played(
    py: Python<'_>,
    models: Vec<(String, String)>,
    paths: Vec<PathBuf>,
    prior: Vec<(String, f64)>,
    of: Option<String>,
    player: Option<String>,
) -> PyResult<String> {
    let session = PythonSession::new(0, None);
    py.detach(move || {
        let judge = || {
            let models = models.iter().map(read).collect::<Result<Vec<_>, _>>()?;
            if models.len() < 2 {
                return Err(Failure::usage("two models or more are told apart").into());
            }
            let players: Vec<String> = models.iter().map(|own| own.player.clone()).collect();
            let prior: Vec<(&str, f64)> = prior.iter().map(|(name, p)| (&**name, *p)).collect();
            let priors = priors(&prior, &players)?;
            let unknown = match (player.as_deref(), side(of.as_deref())?) {
                (Some(_), Some(_)) => {
                    return Err(Failure::usage("a side or a player is said, not both").into());
                }
                (Some(player), None) => UnknownPlayer::Named(player),
                (None, Some(side)) => UnknownPlayer::Side(side),
                (None, None) => UnknownPlayer::Both,
            };
            let games = session.games(&paths)?.into_iter();
            let games: Vec<(String, Game)> = (1..)
                .zip(games)
                .map(|(number, game): (usize, Game)| (number.to_string(), game))
                .collect();
            let note = &mut |told: Diagnostic| session.note(&told);
            Ok(json!({ "who": who(&models, priors, &games, unknown, note)? }))
        };
        let answer: Result<Value, EarlyEnd> = judge();
        told(answer, session.notes.into_inner())
    })
}

/// The differences of two models, part by part.
#[pyfunction]
pub(crate) fn compare_players(
    first: (String, String),
    second: (String, String),
) -> PyResult<String> {
    let compared = read(&first).and_then(|first| {
        let compared = kibitz_players::compare::compare_models(&first, &read(&second)?)?;
        Ok(json!({ "parts": compared }))
    });
    told(compared.map_err(EarlyEnd::from), Diagnostics::new())
}
