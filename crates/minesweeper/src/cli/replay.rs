//! `replay`: a recorded game, click by click, with what was certain, risky or needless.

use std::io::Write;
use std::path::Path;

use kibitz_minesweeper::{
    Action, Click, Deducer, Deduction, Difficulty, Game, Grid, Knowledge, NoProbabilities, Replay,
    ReplayFormat, Solver, Tile, View,
};
use kibitz_text::{Failure as Stop, counted};
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
    let format = ReplayFormat::of_extension(&convert::extension(path));
    let format = format.ok_or_else(|| {
        Stop::usage("a replay is an .avf, .evf, .mvf or .rmv file, by its name".to_owned())
    })?;
    let replay = convert::replay(path, format)?;
    let clicks = replay.clicks();
    let mut game = Game::new(&replay.board);
    let mut judge = Judge::default();
    let mut judged = Vec::new();
    for (time, click) in clicks {
        judged.push((time, click, judge.worth(game.knowledge(), click)));
        click.make(&mut game);
    }
    match form {
        Format::Text => text(&replay, &game, &judged, out)?,
        Format::Json => writeln!(out, "{}", object(&replay, &game, &judged))?,
    }
    Ok(())
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

type Judged = (u32, Click, Worth);

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
    fn of(judged: &[Judged]) -> Self {
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

/// How the game ended, and its guesses: all of them and the needless ones.
fn summary(game: &Game<'_>, judged: &[Judged]) -> (&'static str, usize, usize) {
    let end = match (game.exploded(), game.knowledge().is_won()) {
        (Some(_), _) => "lost",
        (None, true) => "won",
        (None, false) => "left unfinished",
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
    judged: &[Judged],
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
        "{}{end}: 3BV {done} of {}, {}, {}, {n_needless} of them needless",
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
            "luck: all guesses are safe with chance {:.3} % ({:.2} bits), with the safest tiles {:.3} % ({:.2} bits); needless risk {:.1} %",
            100.0 * luck.taken,
            bits(luck.taken),
            100.0 * luck.best,
            bits(luck.best),
            100.0 * luck.given_away(),
        )?;
    }
    Ok(())
}

fn object(replay: &Replay, game: &Game<'_>, judged: &[Judged]) -> serde_json::Value {
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
        "guesses": n_guesses,
        "needless": n_needless,
        "luck": { "taken": luck.taken, "best": luck.best, "needless_risk": luck.given_away() },
        "three_bv": replay.board.measures().three_bv,
    })
}
