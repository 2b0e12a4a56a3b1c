//! `play`: a game of a person, who may ask questions.

use std::fmt::Write as _;
use std::io::{BufRead, Write};

use kibitz_minesweeper::{
    Action, Advice, Analysis, Board, Deducer, Deduction, Game, Grid, Guess, Knowledge, Move,
    PlayerName, Probabilities, Rule, RulePlayer, Solver, Tile,
};

use super::{BoardArguments, Failure, analysis, first_click, show};

/// Said where a chord does nothing.
pub(super) const NO_CHORD: &str = "a chord takes a number with covered tiles and all of its marks";

const HELP: &str = "\
ROW COLUMN       uncover a tile, both from 1
f ROW COLUMN     mark it as a mine, or take the mark off
c ROW COLUMN     chord: uncover the other tiles around a number that has all of its marks
safe             the tiles that are safe and those that are mines, if all marks are right
odds             how likely each tile is a mine, in percent
why ROW COLUMN   the rule that decides a tile, and the numbers it uses
hint             the best move: a safe tile, or else a mine to mark, or else a guess
analyse          all that is certain, with the reasons, and what to guess
quit             end the game, also q
";

/// A line of input.
enum Input {
    Uncover(Tile),
    Mark(Tile),
    Chord(Tile),
    Safe,
    Odds,
    Why(Tile),
    Hint,
    Analyse,
    Help,
    Quit,
}

impl Input {
    /// The tile that it names.
    fn tile(&self) -> Option<Tile> {
        match self {
            Self::Uncover(tile) | Self::Mark(tile) | Self::Chord(tile) | Self::Why(tile) => {
                Some(*tile)
            }
            _ => None,
        }
    }
}

pub(super) fn run(
    boards: &BoardArguments,
    player: PlayerName,
    input: impl BufRead,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let from_file = boards.board()?;
    let mut level = boards.board.clone();
    if let Some(board) = &from_file {
        level.grid = board.grid().clone();
        level.n_mines = board.n_mines();
    }
    let grid = &level.grid;
    let mut lines = input.lines();
    let empty = Knowledge::new(grid, level.n_mines).with_first_click(boards.protection());
    writeln!(out, "{level}: ROW COLUMN uncovers, `help` lists the rest")?;
    show::position(&empty, None, out)?;

    // The board depends on the first click.
    let board = loop {
        match prompt(grid, &mut lines, out)? {
            None | Some(Input::Quit) => return Ok(()),
            Some(Input::Uncover(tile)) => {
                let board = match &from_file {
                    Some(board) => board.clone(),
                    None => boards.lay(0, tile)?,
                };
                break (board, tile);
            }
            Some(Input::Mark(_) | Input::Chord(_)) => writeln!(out, "uncover a tile first")?,
            Some(asked) => answer(&asked, &empty, player, None, out)?,
        }
    };
    let (board, first): (Board, Tile) = board;
    let mut game = Game::new(&board);
    game.act(Action::Uncover(first));
    if let Some(lacking) = first_click::no_opening(&level, &empty, first) {
        writeln!(out, "{lacking}")?;
    }
    let mut has_changed = true;
    let mut last = first;
    loop {
        if has_changed {
            show::position(game.knowledge(), game.exploded(), out)?;
        }
        if game.is_over() {
            let end = if game.exploded().is_some() {
                "a mine: lost"
            } else {
                "won"
            };
            writeln!(out, "{end}")?;
            return Ok(());
        }
        let Some(typed) = prompt(grid, &mut lines, out)? else {
            return Ok(());
        };
        last = typed.tile().unwrap_or(last);
        has_changed = match typed {
            Input::Quit => return Ok(()),
            Input::Uncover(tile) => game.act(Action::Uncover(tile)),
            Input::Mark(tile) => game.act(Action::Mark(tile)) || game.act(Action::Unmark(tile)),
            Input::Chord(tile) if !game.chord(tile) => {
                writeln!(out, "{NO_CHORD}")?;
                has_changed = false;
                continue;
            }
            Input::Chord(_) => true,
            asked => {
                answer(&asked, game.knowledge(), player, Some(last), out)?;
                has_changed = false;
                continue;
            }
        };
        if !has_changed {
            writeln!(out, "that tile is uncovered or marked")?;
        }
    }
}

/// The next valid line; `None` at the end of the input.
fn prompt(
    grid: &Grid,
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
    out: &mut impl Write,
) -> Result<Option<Input>, Failure> {
    loop {
        write!(out, "> ")?;
        out.flush()?;
        let Some(line) = lines.next() else {
            writeln!(out)?;
            return Ok(None);
        };
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let tile = |row: &str, column: &str| {
            let number = |word: &str| word.parse::<usize>().ok()?.checked_sub(1);
            grid.tile(number(row)?, number(column)?)
        };
        let typed = match words.as_slice() {
            ["safe"] => Some(Input::Safe),
            ["odds"] => Some(Input::Odds),
            ["hint"] => Some(Input::Hint),
            ["analyse"] => Some(Input::Analyse),
            ["help"] => Some(Input::Help),
            ["quit" | "q"] => Some(Input::Quit),
            [row, column] => tile(row, column).map(Input::Uncover),
            ["f", row, column] => tile(row, column).map(Input::Mark),
            ["c", row, column] => tile(row, column).map(Input::Chord),
            ["why", row, column] => tile(row, column).map(Input::Why),
            _ => None,
        };
        if typed.is_some() {
            return Ok(typed);
        }
        let (height, width) = (grid.height(), grid.width());
        writeln!(
            out,
            "`{line}`? Rows go to {height}, columns to {width}; `help` lists the rest"
        )?;
    }
}

/// Answers a question about a position; hints are near the tile that was named last.
fn answer(
    asked: &Input,
    knowledge: &Knowledge,
    player: PlayerName,
    near: Option<Tile>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut solver = Solver::new();
    let probabilities = match asked {
        Input::Safe | Input::Odds | Input::Why(_) => match solver.solve(knowledge) {
            Ok(probabilities) => Some(probabilities),
            Err(problem) => {
                writeln!(out, "{problem}")?;
                return Ok(());
            }
        },
        _ => None,
    };
    match (asked, probabilities) {
        (Input::Safe, Some(_)) if knowledge.is_protected() => {
            writeln!(out, "safe: any tile, since the first click meets no mine")?;
        }
        (Input::Odds, Some(probabilities)) => show::heat_map(knowledge, probabilities, out)?,
        (Input::Safe, Some(probabilities)) => {
            let list = |is_wanted: fn(f64) -> bool| {
                let tiles = knowledge
                    .covered()
                    .filter(|tile| is_wanted(probabilities.mine(*tile)));
                let names: Vec<String> = tiles
                    .map(|tile| show::name(knowledge.grid(), tile))
                    .collect();
                if names.is_empty() {
                    "none".to_owned()
                } else {
                    names.join(", ")
                }
            };
            writeln!(out, "safe: {}", list(|risk| risk <= 0.0))?;
            writeln!(out, "mines: {}", list(|risk| risk >= 1.0))?;
        }
        (Input::Why(tile), Some(probabilities)) => {
            writeln!(out, "{}", why(knowledge, *tile, probabilities).0)?;
        }
        (Input::Hint, _) => {
            let text = hint(knowledge, player, near).map(|(text, _)| text);
            writeln!(out, "{}", text.unwrap_or_else(|| "no move".to_owned()))?;
        }
        (Input::Analyse, _) => match Analysis::new(knowledge) {
            Ok(found) => {
                for line in analysis::lines(&found, knowledge) {
                    writeln!(out, "{line}")?;
                }
            }
            Err(problem) => writeln!(out, "{problem}")?,
        },
        _ => write!(out, "{HELP}")?,
    }
    Ok(())
}

/// The best move, in words, near a tile: a safe tile, with the reason of the player where it has one; or else
/// a certain mine to mark; or else the best guess with its chance to win where few arrangements are left. With
/// marks that contradict the numbers it is what the player would do.
pub(super) fn hint(
    knowledge: &Knowledge,
    player: PlayerName,
    near: Option<Tile>,
) -> Option<(String, Move)> {
    let next = kibitz_minesweeper::hint(knowledge, player);
    let is_safe = |next: &Move| {
        matches!(next.action, Action::Uncover(_))
            && (next.rule.is_certain() || knowledge.is_protected())
    };
    if let Some(next) = next.as_ref().filter(|next| is_safe(next)) {
        return Some((show::reason(knowledge, next), next.clone()));
    }
    if let Some(certain) = certain(knowledge, near) {
        return Some(certain);
    }
    let Some(best) = Advice::new(knowledge).ok().flatten() else {
        return next.map(|next| (show::reason(knowledge, &next), next));
    };
    let next = Move {
        action: Action::Uncover(best.tile),
        rule: best.rule,
        because: Vec::new(),
        risk: Some(best.risk).filter(|risk| *risk > 0.0),
    };
    let mut text = show::reason(knowledge, &next);
    if let Some(chance) = best.chance {
        // Writing to a text does not fail.
        let _ = write!(text, ", wins {}", analysis::percent(chance));
    }
    Some((text, next))
}

/// The nearest safe tile to uncover, or else the nearest certain mine to mark, with the reason.
fn certain(knowledge: &Knowledge, near: Option<Tile>) -> Option<(String, Move)> {
    if knowledge.is_protected() || knowledge.is_won() {
        return None;
    }
    let mut solver = Solver::new();
    let probabilities = solver.solve(knowledge).ok()?;
    let nearest = |is_wanted: fn(f64) -> bool| {
        let tiles = knowledge.covered();
        let tiles = tiles.filter(|tile| is_wanted(probabilities.mine(*tile)));
        let grid = knowledge.grid();
        tiles.min_by_key(|tile| near.map_or(0, |near| distance(grid, near, *tile)))
    };
    let action = nearest(|risk| risk <= 0.0)
        .map(Action::Uncover)
        .or_else(|| nearest(|risk| risk >= 1.0).map(Action::Mark))?;
    let mut next = Move {
        action,
        rule: Rule::Certain,
        because: Vec::new(),
        risk: None,
    };
    let reason = deduced(knowledge, action.tile(), analysis::advised);
    let text = if let Some((text, because)) = reason {
        next.because = because;
        text
    } else {
        show::reason(knowledge, &next)
    };
    Some((text, next))
}

/// The square of the distance between two tiles.
fn distance(grid: &Grid, one: Tile, other: Tile) -> usize {
    let (one, other) = (grid.row_and_column(one), grid.row_and_column(other));
    one.0.abs_diff(other.0).pow(2) + one.1.abs_diff(other.1).pow(2)
}

/// The first rule that decides a tile and the numbers it uses, or the probability without one.
pub(super) fn why(
    knowledge: &Knowledge,
    tile: Tile,
    probabilities: &Probabilities,
) -> (String, Vec<Tile>) {
    if !knowledge.is_covered(tile) {
        return ("that tile is uncovered or marked".into(), Vec::new());
    }
    if knowledge.is_protected() {
        return ("safe: the first click meets no mine".into(), Vec::new());
    }
    if let Some(found) = deduced(knowledge, tile, analysis::reason) {
        return found;
    }
    let text = match probabilities.mine(tile) {
        risk if risk <= 0.0 => "safe in every arrangement".to_owned(),
        risk if risk >= 1.0 => "a mine in every arrangement".to_owned(),
        risk => format!(
            "nothing decides it: a mine in {:.1} % of all arrangements",
            100.0 * risk
        ),
    };
    (text, Vec::new())
}

/// The first rule that decides a tile, in words, and the numbers it uses; `said` puts a deduction in words.
fn deduced(
    knowledge: &Knowledge,
    tile: Tile,
    said: fn(&Grid, &Deduction) -> String,
) -> Option<(String, Vec<Tile>)> {
    let mut rules = RulePlayer::new(Guess::Uniform);
    for rule in [Rule::S1, Rule::S2, Rule::S3, Rule::M1] {
        let found = rules
            .applicable(rule, knowledge)
            .into_iter()
            .find(|next| next.action.tile() == tile);
        if let Some(found) = found {
            return Some((show::reason(knowledge, &found), found.because));
        }
    }
    let reasons = Deducer::new().reasons(knowledge).ok()?;
    let mut deductions = reasons.deductions.into_iter();
    let found = deductions.find(|found| found.tile == tile)?;
    Some((said(knowledge.grid(), &found), found.because))
}
