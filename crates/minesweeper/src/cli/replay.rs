//! `replay`: a recorded game, click by click, with what was certain, risky or needless.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use kibitz_minesweeper::{
    Action, Click, Deducer, Deduction, Difficulty, Game, Grid, Knowledge, NoProbabilities, Replay,
    ReplayFormat, SetReplay, Solver, StatedEnd, Tile, View, read_set,
};
use kibitz_text::{Diagnostic, Diagnostics, Failure as Stop, Location, counted, note};
use serde_json::json;

use super::{Failure, Format, convert, show};

/// What a click was worth.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Worth {
    /// The first click.
    First,
    /// A mark, or a mark taken off.
    Mark,
    /// Certainly safe, by a deduction of this difficulty where it is known.
    Certain(Option<Difficulty>),
    /// A risk where nothing was certainly safe, and the least risk there was.
    Guess { risk: f64, least: f64 },
    /// A risk where a tile was safe by a deduction of this difficulty.
    Needless { risk: f64, by: Difficulty },
    /// It cannot be said within limits.
    Unknown,
}

pub(super) fn run(path: &Path, form: Format, out: &mut impl Write) -> Result<(), Failure> {
    let extension = convert::extension(path);
    if extension == SET {
        return run_set(path, form, out);
    }
    let format = ReplayFormat::of_extension(&extension);
    let format = format.ok_or_else(|| {
        Stop::usage("a replay is an .avf, .evf, .evfs, .mvf or .rmv file, by its name".to_owned())
    })?;
    let replay = convert::replay(path, format)?;
    let (game, judged) = judged(&replay);
    for warning in warnings(&replay, &game, &judged) {
        warn(path, &warning);
    }
    match form {
        Format::Text => text(&replay, &game, &judged, out)?,
        Format::Json => writeln!(out, "{}", object(&replay, &game, &judged))?,
    }
    Ok(())
}

/// The extension of a set of replays.
pub(super) const SET: &str = "evfs";

/// The replays of a set, one after the other; those that cannot be read are reported at the end.
fn run_set(path: &Path, form: Format, out: &mut impl Write) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|error| Stop::unreadable(path, &error))?;
    let set = read_set(&bytes).map_err(|problem| convert::wrong(path, &problem))?;
    let (mut errors, mut ends) = (Diagnostics::new(), BTreeMap::<&str, usize>::new());
    let n_replays = set.len();
    for (number, SetReplay { name, replay }) in (1..).zip(set) {
        let replay = match replay {
            Ok(replay) => replay,
            Err(problem) => {
                let message = format!("replay {number}, `{}`: {problem}", name.escape_debug());
                let file = Location::of_file(path.display().to_string());
                errors.push(Diagnostic::new(message).at(file));
                continue;
            }
        };
        let (game, judged) = judged(&replay);
        for warning in warnings(&replay, &game, &judged) {
            let name = name.escape_debug();
            warn(path, &format!("replay {number}, `{name}`: {warning}"));
        }
        *ends.entry(summary(&game, &judged).0).or_default() += 1;
        match form {
            Format::Text => {
                writeln!(out, "replay {number}, {name}:")?;
                text(&replay, &game, &judged, out)?;
                writeln!(out)?;
            }
            Format::Json => {
                let mut object = object(&replay, &game, &judged);
                object["name"] = json!(name);
                writeln!(out, "{object}")?;
            }
        }
    }
    if form == Format::Text {
        let ends = [WON, LOST, UNFINISHED]
            .map(|end| format!("{} {end}", ends.get(end).copied().unwrap_or(0)));
        let n_unreadable = match errors.len() {
            0 => String::new(),
            n => format!(", {n} that cannot be read"),
        };
        let replays = counted(n_replays, "replay", "replays");
        writeln!(out, "{replays}: {}{n_unreadable}", ends.join(", "))?;
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Stop::from(errors).into())
    }
}

/// Says that something is odd about a file.
fn warn(path: &Path, warning: &str) {
    let file = Location::of_file(path.display().to_string());
    note(&Diagnostic::warning(warning).at(file).render(true));
}

/// What is odd about a replay that can be read: another end than the file states, with the events off
/// the board, and bytes after its end.
fn warnings(replay: &Replay, game: &Game<'_>, judged: &[JudgedClick]) -> Vec<String> {
    let mut warnings = Vec::new();
    let (end, ..) = summary(game, judged);
    if let Some(stated) = replay.stated.map(stated).filter(|stated| *stated != end) {
        let missed = match replay.n_off_board() {
            0 => String::new(),
            n => format!(
                "; {} off the board",
                counted(n, "mouse event is", "mouse events are")
            ),
        };
        warnings.push(format!(
            "the file states that the game was {stated}, but by its clicks it was {end}{missed}"
        ));
    }
    if replay.n_trailing > 0 {
        let bytes = counted(replay.n_trailing, "byte", "bytes");
        warnings.push(format!("ignored {bytes} after the end of the replay"));
    }
    warnings
}

/// The end that a file states, in words.
fn stated(end: StatedEnd) -> &'static str {
    match end {
        StatedEnd::Won => WON,
        StatedEnd::Lost => LOST,
    }
}

/// The game of a replay as it ended, and its clicks.
fn judged(replay: &Replay) -> (Game<'_>, Vec<JudgedClick>) {
    let mut game = Game::new(&replay.board);
    let mut judge = Judge::default();
    let mut judged = Vec::new();
    for (time, click) in replay.clicks() {
        judged.push((time, click, judge.worth(game.knowledge(), click)));
        click.make(&mut game);
    }
    (game, judged)
}

/// Judges clicks.
#[derive(Default)]
struct Judge {
    solver: Solver,
    deducer: Deducer,
}

impl Judge {
    fn worth(&mut self, knowledge: &Knowledge, click: Click) -> Worth {
        if matches!(click, Click::Act(Action::Mark(_) | Action::Unmark(_))) {
            return Worth::Mark;
        }
        // Marks may be wrong: nothing is taken from them.
        let grid = knowledge.grid();
        let mut seen = knowledge.clone();
        for tile in 0..grid.n_tiles() {
            seen.unmark(tile);
        }
        if seen.first_click().is_some() {
            return Worth::First;
        }
        let (tiles, marked): (Vec<Tile>, Vec<Tile>) = match click {
            Click::Chord(tile) => {
                let near = grid.neighbors(tile).filter(|near| seen.is_covered(*near));
                near.partition(|near| knowledge.is_covered(*near))
            }
            Click::Act(action) => (vec![action.tile()], Vec::new()),
        };
        self.judge(&seen, &tiles, &marked).unwrap_or(Worth::Unknown)
    }

    /// What it is worth to uncover these tiles, by a chord if some around its number are marked.
    fn judge(&mut self, seen: &Knowledge, tiles: &[Tile], marked: &[Tile]) -> Option<Worth> {
        // A chord is safe if all tiles marked are mines: they are as many as the number says.
        let ln_safe = if marked.len() > 1 {
            let mut marks = seen.clone();
            for tile in marked {
                marks.mark(*tile);
            }
            match self.solver.solve(&marks) {
                Ok(probabilities) => Some(probabilities.ln_arrangements()),
                Err(NoProbabilities::Contradiction) => Some(f64::NEG_INFINITY),
                Err(_) => return None,
            }
        } else {
            None
        };
        let probabilities = self.solver.solve(seen).ok()?;
        let risks = tiles.iter().map(|tile| probabilities.mine(*tile));
        let mut risk = risks.fold(0.0, f64::max);
        if let Some(ln_safe) = ln_safe.filter(|_| risk > 0.0) {
            risk = 1.0
                - (ln_safe - probabilities.ln_arrangements())
                    .exp()
                    .clamp(0.0, 1.0);
        }
        let all = seen.covered().map(|tile| probabilities.mine(tile));
        let least = all.fold(1.0, f64::min);
        if risk <= 0.0 {
            let reasons = self.deducer.reasons(seen).ok()?;
            let deductions = reasons.deductions.iter();
            let here = deductions.filter(|found| tiles.contains(&found.tile));
            return Some(Worth::Certain(here.map(Deduction::difficulty).max()));
        }
        let by = self.deducer.easiest_safe(seen).ok()?;
        Some(
            by.map_or(Worth::Guess { risk, least }, |by| Worth::Needless {
                risk,
                by,
            }),
        )
    }
}

type JudgedClick = (u32, Click, Worth);

/// How much of a game was luck: the chances that all its guesses are safe, each with what was known
/// before it, from the exact probabilities of the position.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Luck {
    /// Of the guesses made.
    taken: f64,
    /// Of the safest tile there was, in place of each.
    best: f64,
}

impl Luck {
    fn of(judged: &[JudgedClick]) -> Self {
        let mut luck = Self {
            taken: 1.0,
            best: 1.0,
        };
        for (_, _, worth) in judged {
            match worth {
                Worth::Guess { risk, least } => {
                    luck.taken *= 1.0 - risk;
                    luck.best *= 1.0 - least;
                }
                Worth::Needless { risk, .. } => luck.taken *= 1.0 - risk,
                Worth::First | Worth::Mark | Worth::Certain(_) | Worth::Unknown => {}
            }
        }
        luck
    }

    /// The share of chance given away by guesses that were not the safest.
    fn given_away(self) -> f64 {
        if self.best > 0.0 {
            1.0 - self.taken / self.best
        } else {
            0.0
        }
    }
}

/// Bits of luck that a chance takes.
fn bits(chance: f64) -> f64 {
    // Certainty takes none, and not minus none.
    -chance.log2() + 0.0
}

/// How a game can end.
const WON: &str = "won";
const LOST: &str = "lost";
const UNFINISHED: &str = "left unfinished";

/// How the game ended, and its guesses: all of them and the needless ones.
fn summary(game: &Game<'_>, judged: &[JudgedClick]) -> (&'static str, usize, usize) {
    let end = match (game.exploded(), game.knowledge().is_won()) {
        (Some(_), _) => LOST,
        (None, true) => WON,
        (None, false) => UNFINISHED,
    };
    let is_guess = |worth: &Worth| matches!(worth, Worth::Guess { .. } | Worth::Needless { .. });
    let is_needless = |worth: &Worth| matches!(worth, Worth::Needless { .. });
    let count = |is_such: &dyn Fn(&Worth) -> bool| {
        judged.iter().filter(|(_, _, worth)| is_such(worth)).count()
    };
    (end, count(&is_guess), count(&is_needless))
}

fn text(
    replay: &Replay,
    game: &Game<'_>,
    judged: &[JudgedClick],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let grid: &Grid = replay.board.grid();
    for (time, click, worth) in judged {
        let said = match worth {
            Worth::First => "the first click".to_owned(),
            Worth::Mark => String::new(),
            Worth::Certain(Some(difficulty)) => format!("safe: {difficulty}"),
            Worth::Certain(None) => "safe in all arrangements".to_owned(),
            Worth::Guess { risk, least } => format!(
                "a guess, a mine at {:.1} % (the least {:.1} %)",
                100.0 * risk,
                100.0 * least
            ),
            Worth::Needless { risk, by } => format!(
                "a needless guess, a mine at {:.1} %: another tile was safe ({by})",
                100.0 * risk
            ),
            Worth::Unknown => "too complex to judge".to_owned(),
        };
        let (seconds, name) = (f64::from(*time) / 1000.0, show::name(grid, click.tile()));
        let line = format!("{seconds:8.3} {click} {name}: {said}");
        writeln!(out, "{}", line.trim_end_matches(": "))?;
    }
    show::position(game.knowledge(), game.exploded(), out)?;
    let (end, n_guesses, n_needless) = summary(game, judged);
    let is_uncovered = |tile: Tile| matches!(game.knowledge().view(tile), View::Number(_));
    let (done, all) = (
        replay.board.three_bv_done(is_uncovered),
        replay.board.measures(),
    );
    writeln!(
        out,
        "{}{end}: 3BV {done} of {}, {}, {}, {n_needless} needless",
        if replay.player.is_empty() {
            String::new()
        } else {
            format!("{}: ", replay.player)
        },
        all.three_bv,
        counted(judged.len(), "click", "clicks"),
        counted(n_guesses, "guess", "guesses"),
    )?;
    if n_guesses > 0 {
        let luck = Luck::of(judged);
        writeln!(
            out,
            "luck: all guesses are safe with chance {:.3} % ({:.2} bits), with the safest tiles {:.3} % ({:.2} bits); riskier tiles gave away {:.1} %",
            100.0 * luck.taken,
            bits(luck.taken),
            100.0 * luck.best,
            bits(luck.best),
            100.0 * luck.given_away(),
        )?;
    }
    Ok(())
}

fn object(replay: &Replay, game: &Game<'_>, judged: &[JudgedClick]) -> serde_json::Value {
    let grid = replay.board.grid();
    let clicks = judged.iter().map(|(time, click, worth)| {
        let (row, column) = grid.row_and_column(click.tile());
        let mut object = json!({
            "ms": time, "click": click.to_string(), "tile": [row + 1, column + 1],
        });
        let worth = match worth {
            Worth::First => json!({ "worth": "first" }),
            Worth::Mark => json!({ "worth": "mark" }),
            Worth::Certain(rule) => json!({ "worth": "certain", "rule": rule }),
            Worth::Guess { risk, least } => {
                json!({ "worth": "guess", "mine": risk, "least": least })
            }
            Worth::Needless { risk, by } => {
                json!({ "worth": "needless", "mine": risk, "rule": by })
            }
            Worth::Unknown => json!({ "worth": null }),
        };
        if let (Some(object), serde_json::Value::Object(worth)) = (object.as_object_mut(), worth) {
            object.extend(worth);
        }
        object
    });
    let (end, n_guesses, n_needless) = summary(game, judged);
    let luck = Luck::of(judged);
    json!({
        "player": replay.player,
        "board": replay.board.to_text().lines().skip(1).collect::<Vec<_>>(),
        "clicks": clicks.collect::<Vec<_>>(),
        "end": end,
        "stated": replay.stated.map(stated),
        "warnings": warnings(replay, game, judged),
        "guesses": n_guesses,
        "needless": n_needless,
        "luck": { "taken": luck.taken, "best": luck.best, "needless_risk": luck.given_away() },
        "three_bv": replay.board.measures().three_bv,
    })
}
