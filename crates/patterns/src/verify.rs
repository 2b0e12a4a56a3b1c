//! `kibitz-patterns verify` and `repair`: exhaustive verification of a strategy.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use kibitz_board::{Chess, Color, EnPassantMode, Position as _, fen::Fen, san::SanPlus};
use kibitz_patterns::strategy::{
    self, BUILT_IN, BUNDLED, CHANGES, Edit, FURTHER, Fault, QUANTITIES, Repairs, RuleStrategy,
};
use kibitz_patterns::{Position, draw};
use kibitz_search::verification::{
    Failure as Ending, Line, Outcomes, Scope, TieBreak, Verification,
};
use kibitz_text::{Exit, Failure, SourceFile, suggestion};
use serde_json::{Value, json};

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// A file with a strategy, or the name of a bundled one.
    file: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables and boards.
    Text,
    /// The same for programs.
    Json,
}

pub(crate) fn list_concepts() -> Result<Exit, Failure> {
    let mut text = String::from("concepts\n");
    for own in BUILT_IN.iter().chain(CHANGES).chain(FURTHER) {
        let _ = writeln!(text, "  {:18} {}", own.name, own.doc);
    }
    text += "quantities\n";
    for own in QUANTITIES {
        let _ = writeln!(text, "  {:18} {}", own.name, own.doc);
    }
    text += "strategies\n";
    for (name, _) in BUNDLED {
        let _ = writeln!(text, "  {name}");
    }
    kibitz_text::print(&text)?;
    Ok(Exit::Done)
}

fn read(file: &Path) -> Result<RuleStrategy, Failure> {
    let name = file.display().to_string();
    if let Some(text) = strategy::bundled(&name) {
        return Ok(RuleStrategy::read(&name, text)?);
    }
    let source = SourceFile::read(file).map_err(|failure| {
        if failure.exit != Exit::Missing {
            return failure;
        }
        let known = suggestion(&name, BUNDLED.iter().map(|(name, _)| *name));
        failure.with_note(&format!(
            "of the strategies that come with the program: {known}"
        ))
    })?;
    Ok(RuleStrategy::read(&name, source.text())?)
}

/// Prints the answer of a command, or says why a concept cannot be decided.
fn answer(found: Result<(bool, String), Fault>) -> Result<Exit, Failure> {
    let (is_won, text) = found.map_err(|fault| Failure::failed(fault.to_string()))?;
    kibitz_text::print(&text)?;
    Ok(if is_won { Exit::Done } else { Exit::Negative })
}

/// Tries every small change of a strategy.
pub(crate) fn repair(file: &Path) -> Result<Exit, Failure> {
    answer(try_repair(&read(file)?))
}

/// Plays a strategy from every position.
pub(crate) fn verify(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    answer(try_verify(&read(&arguments.file)?, arguments.format))
}

/// Whether a change makes the strategy win every position, and the report.
fn try_repair(strategy: &RuleStrategy) -> Result<(bool, String), Fault> {
    let bar = progress_bar("changes");
    let edits = Edit::all(strategy);
    let repairs = Repairs::search(strategy, edits, &mut |done, all| show(&bar, done, all))?;
    bar.finish_and_clear();
    let mut text = format!(
        "{}: {} changes, of which {} concern a position that fails, and {} win every position\n",
        strategy.title,
        repairs.tried,
        repairs.concerned,
        repairs.found.len()
    );
    for repair in &repairs.found {
        let _ = writeln!(
            text,
            "{:3} moves: {}",
            repair.longest,
            repair.edit.describe(strategy)
        );
    }
    Ok((!repairs.found.is_empty(), text))
}

fn progress_bar(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(0).with_message(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn show(bar: &ProgressBar, done: usize, all: usize) {
    bar.set_length(all as u64);
    bar.set_position(done as u64);
}

/// Whether every position is won, and the report.
fn try_verify(strategy: &RuleStrategy, format: Format) -> Result<(bool, String), Fault> {
    let bar = progress_bar("positions");
    let verification =
        Verification::new(&strategy.endgame, Scope::All, strategy, &mut |done, all| {
            show(&bar, done, all);
        })?;
    bar.finish_and_clear();
    let tie_breaks = [
        ("the worst move allowed".to_owned(), TieBreak::Adversarial),
        ("the best move allowed".to_owned(), TieBreak::Angelic),
    ]
    .into_iter()
    .chain((0..strategy.preferences.len()).map(|number| {
        let name = strategy.preference_name(number);
        (name, TieBreak::Preferred(number))
    }));
    let outcomes: Vec<(String, Outcomes<'_>)> = tie_breaks
        .map(|(name, tie_break)| (name, verification.outcomes(tie_break)))
        .collect();
    // The tie-break that the strategy plays by.
    let own = if strategy.preferences.is_empty() {
        0
    } else {
        2
    };
    let report = match format {
        Format::Text => text(strategy, &verification, &outcomes, own)?,
        Format::Json => format!("{:#}\n", json(strategy, &verification, &outcomes, own)?),
    };
    Ok((outcomes[own].1.summary().is_won(), report))
}

const FAILURES: [&str; 4] = ["no rule", "stalemate", "lost", "loop"];

fn text(
    strategy: &RuleStrategy,
    verification: &Verification,
    outcomes: &[(String, Outcomes<'_>)],
    own: usize,
) -> Result<String, Fault> {
    let n_positions = outcomes[0].1.summary().positions;
    let mut text = format!(
        "{}: {} rules for {}, {n_positions} positions with White to move, {} without a rule\n\n",
        strategy.title,
        strategy.rules.len(),
        strategy.endgame,
        verification.n_without_rule(),
    );
    let head = "of several moves allowed";
    let widths = outcomes.iter().map(|(name, _)| name.len() + 1);
    let width = widths.max().unwrap_or(0).max(head.len());
    let _ = write!(text, "{head:width$} {:>7}", "won");
    for failure in FAILURES {
        let _ = write!(text, " {failure:>9}");
    }
    text += "  longest mate\n";
    for (index, (name, outcomes)) in outcomes.iter().enumerate() {
        let summary = outcomes.summary();
        let mark = if index == own { "*" } else { "" };
        let _ = write!(
            text,
            "{:width$} {:>7}",
            format!("{name}{mark}"),
            summary.won
        );
        for count in summary.failed {
            let _ = write!(text, " {count:>9}");
        }
        let _ = writeln!(text, "  {:>12}", summary.longest);
    }
    text += "* judged by\n";
    let (name, outcomes) = &outcomes[own];
    for (failure, kind) in Ending::ALL.into_iter().zip(FAILURES) {
        let Some(line) = outcomes.counterexample(failure) else {
            continue;
        };
        let _ = writeln!(text, "\n{kind}, a shortest line ({name}):");
        text += &board(&line.start);
        text += &moves(&line, strategy)?;
        if failure == Ending::Loop {
            text += "and so on";
        }
        text += "\n";
    }
    if let Some(line) = outcomes.longest_win() {
        let _ = writeln!(text, "\na longest mate ({name}):");
        text += &board(&line.start);
        text += &moves(&line, strategy)?;
        text += "\n";
    }
    Ok(text)
}

fn board(position: &Chess) -> String {
    draw(&Position::from(position.board().clone()))
}

/// The moves with their numbers and White's with their rules.
fn moves(line: &Line, strategy: &RuleStrategy) -> Result<String, Fault> {
    let mut text = String::new();
    for (number, (san, rule)) in played(line, strategy)?.into_iter().enumerate() {
        match rule {
            Some(rule) => {
                let _ = write!(text, "{}. {san} ({rule}) ", number / 2 + 1);
            }
            None => {
                let _ = write!(text, "{san} ");
            }
        }
    }
    if line.moves.is_empty() {
        text += "no rule allows a move";
    }
    Ok(text)
}

/// The moves as they are written, and the rules that allowed White's.
fn played(line: &Line, strategy: &RuleStrategy) -> Result<Vec<(String, Option<String>)>, Fault> {
    let mut position = line.start.clone();
    let mut played = Vec::new();
    for m in &line.moves {
        let mut rule = None;
        if position.turn() == Color::White {
            let choice = strategy.choice(&position)?;
            rule = choice.map(|choice| strategy.rules[choice.rule].name.clone());
        }
        let san = SanPlus::from_move_and_play_unchecked(&mut position, *m).to_string();
        played.push((san, rule));
    }
    Ok(played)
}

fn json(
    strategy: &RuleStrategy,
    verification: &Verification,
    outcomes: &[(String, Outcomes<'_>)],
    own: usize,
) -> Result<Value, Fault> {
    let line = |line: Line| -> Result<Value, Fault> {
        let fen = Fen::from_position(&line.start, EnPassantMode::Legal).to_string();
        let moves: Vec<Value> = (played(&line, strategy)?.into_iter())
            .map(|(san, rule)| json!({ "move": san, "rule": rule }))
            .collect();
        Ok(json!({ "fen": fen, "moves": moves }))
    };
    let mut tie_breaks = Vec::new();
    for (name, outcomes) in outcomes {
        let summary = outcomes.summary();
        let mut failures = serde_json::Map::new();
        for (failure, kind) in Ending::ALL.into_iter().zip(FAILURES) {
            let example = outcomes.counterexample(failure).map(line).transpose()?;
            let positions = summary.failed[failure as usize];
            failures.insert(
                kind.to_owned(),
                json!({ "positions": positions, "example": example }),
            );
        }
        tie_breaks.push(json!({
            "moves": name,
            "won": summary.won,
            "failures": failures,
            "longest": summary.longest,
            "longest-line": outcomes.longest_win().map(line).transpose()?,
        }));
    }
    Ok(json!({
        "title": strategy.title,
        "endgame": strategy.endgame.to_string(),
        "rules": strategy.rules.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "positions": outcomes[0].1.summary().positions,
        "without-rule": verification.n_without_rule(),
        "judged-by": outcomes[own].0,
        "tie-breaks": tie_breaks,
    }))
}
