//! `kibitz-patterns verify` and `repair`: exhaustive verification of a strategy.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use kibitz_board::{Chess, Color, EnPassantMode, Position as _, fen::Fen, san::SanPlus};
use kibitz_patterns::strategy::{
    self, BUILT_IN, BUNDLED, CHANGES, Edit, FURTHER, Fault, QUANTITIES, Repairs, RuleStrategy,
    UndecidedConcept,
};
use kibitz_patterns::{BUNDLED_CONCEPTS, Position, draw};
use kibitz_search::reply_graph::ReplyGraph;
use kibitz_search::verification::{
    Failure as Ending, Line, Scope, Summary, TieBreak, Verification,
};
use kibitz_text::{Exit, Failure, SourceFile, counted, suggestion};

use crate::concept_file::missing;
use serde_json::{Value, json};

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// A file with a strategy, or the name of a bundled one.
    file: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Maximum memory, in MiB; an endgame that may take more is refused with exit code 5.
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    memory_limit: usize,
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
    text += "concepts to learn\n";
    for own in BUNDLED_CONCEPTS {
        let _ = writeln!(text, "  {:18} {}", own.name, own.doc());
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
        let known = BUNDLED.iter().map(|(name, _)| *name);
        missing(failure, "strategies", &suggestion(&name, known))
    })?;
    Ok(RuleStrategy::read(&name, source.text())?)
}

fn answer(is_won: bool) -> Exit {
    if is_won { Exit::Done } else { Exit::Negative }
}

/// Why a concept cannot be decided, with the place of its definition.
fn undecided(fault: Fault) -> Failure {
    match fault.downcast::<UndecidedConcept>() {
        Ok(undecided) => Failure::new(Exit::Failed, undecided.diagnostic),
        Err(fault) => Failure::failed(fault.to_string()),
    }
}

/// Tries every small change of a strategy.
pub(crate) fn repair(file: &Path) -> Result<Exit, Failure> {
    Ok(answer(try_repair(&read(file)?)?))
}

/// Plays a strategy from every position.
pub(crate) fn verify(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    Ok(answer(try_verify(&read(&arguments.file)?, arguments)?))
}

/// Whether a change makes the strategy win every position.
fn try_repair(strategy: &RuleStrategy) -> Result<bool, Failure> {
    let bar = progress_bar("changes");
    let edits = Edit::all(strategy);
    let repairs = Repairs::search(strategy, edits, &mut |done, all| show(&bar, done, all));
    bar.finish_and_clear();
    let repairs = repairs.map_err(undecided)?;
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
    kibitz_text::print(&text)?;
    Ok(!repairs.found.is_empty())
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

/// Whether every position is won.
fn try_verify(strategy: &RuleStrategy, arguments: &VerifyArguments) -> Result<bool, Failure> {
    let endgame = &strategy.endgame;
    let bytes = ReplyGraph::memory_bound(endgame);
    let size = size(bytes);
    if arguments.memory_limit.saturating_mul(1 << 20) < bytes {
        let message = format!(
            "{endgame} takes up to {size} of memory, more than the limit of {} MiB",
            arguments.memory_limit
        );
        let failure = Failure::failed(message);
        return Err(failure.with_note("`--memory-limit` sets another limit"));
    }
    kibitz_text::note(&format!("{endgame}: up to {size} of memory"));
    let bar = progress_bar("positions");
    let verification = Verification::new(endgame, Scope::All, strategy, &mut |done, all| {
        show(&bar, done, all);
    });
    bar.finish_and_clear();
    let verification = verification.map_err(undecided)?;
    let verified =
        VerificationReport::new(strategy, &verification, arguments.format == Format::Json)?;
    match arguments.format {
        Format::Text => kibitz_text::print(&verified.text())?,
        Format::Json => kibitz_text::print(&format!("{:#}\n", verified.json()))?,
    }
    Ok(verified.own().summary.is_won())
}

/// A number of bytes in words, rounded up.
fn size(bytes: usize) -> String {
    const MIB: usize = 1 << 20;
    let mib = bytes.div_ceil(MIB);
    if mib < 1000 {
        format!("{mib} MiB")
    } else {
        format!("{:.1} GiB", mib as f64 / 1024.0)
    }
}

const FAILURES: [&str; 4] = ["no rule", "stalemate", "lost", "loop"];

/// A line from a position, in words.
struct ShownLine {
    start: Chess,
    /// The moves as they are written, and the rules that allowed White's.
    moves: Vec<(String, Option<String>)>,
}

/// What comes of one way to choose among the moves allowed.
struct Outcome {
    /// Which move is made.
    name: String,
    summary: Summary,
    /// For each kind of failure a shortest line, and a longest win.
    failures: Vec<Option<ShownLine>>,
    longest: Option<ShownLine>,
}

/// The report on a verified strategy.
struct VerificationReport<'s> {
    strategy: &'s RuleStrategy,
    n_without_rule: usize,
    outcomes: Vec<Outcome>,
}

/// The places of the outcomes.
const WORST: usize = 0;
const BEST: usize = 1;
const FIRST_PREFERENCE: usize = 2;

impl<'s> VerificationReport<'s> {
    /// The outcomes, one after the other: each takes much memory. Lines are those of the tie-break that
    /// the strategy is judged by, or of all.
    fn new(
        strategy: &'s RuleStrategy,
        verification: &Verification,
        all_lines: bool,
    ) -> Result<Self, Failure> {
        let tie_breaks = [
            ("the worst move allowed".to_owned(), TieBreak::Adversarial),
            ("the best move allowed".to_owned(), TieBreak::Angelic),
        ]
        .into_iter()
        .chain((0..strategy.preferences.len()).map(|number| {
            let name = strategy.preference_name(number);
            (name, TieBreak::Preferred(number))
        }));
        let mut verified = Self {
            strategy,
            n_without_rule: verification.n_without_rule(),
            outcomes: Vec::new(),
        };
        for (at, (name, tie_break)) in tie_breaks.enumerate() {
            let found = verification.outcomes(tie_break);
            let has_lines = all_lines || at == verified.own_place();
            let show = |line: Option<Line>| line.map(|line| shown(&line, strategy)).transpose();
            let mut failures = Vec::new();
            for failure in Ending::ALL.into_iter().filter(|_| has_lines) {
                failures.push(show(found.counterexample(failure))?);
            }
            let longest = if has_lines { found.longest_win() } else { None };
            verified.outcomes.push(Outcome {
                name,
                summary: found.summary(),
                failures,
                longest: show(longest)?,
            });
        }
        Ok(verified)
    }

    /// The tie-break that the strategy plays by.
    fn own_place(&self) -> usize {
        if self.strategy.preferences.is_empty() {
            WORST
        } else {
            FIRST_PREFERENCE
        }
    }

    fn own(&self) -> &Outcome {
        &self.outcomes[self.own_place()]
    }

    /// The verdict, and the same in a sentence.
    fn verdict(&self) -> (&'static str, String) {
        let own = self.own();
        let n_positions = own.summary.n_positions;
        let best = &self.outcomes[BEST].summary;
        let n_lost = n_positions - own.summary.n_won;
        if own.summary.is_won() {
            return ("wins", "every position is won".to_owned());
        }
        if self.n_without_rule == n_positions {
            return ("fails", "no rule applies in any position".to_owned());
        }
        if !best.is_won() {
            let text = format!(
                "{} of {n_positions} positions fail whichever of the allowed moves are made, {n_lost} \
                 with {}",
                n_positions - best.n_won,
                own.name
            );
            return ("fails", text);
        }
        let text = format!(
            "every position is won by the best of the allowed moves; with {} {n_lost} of \
             {n_positions} are not: a preference, or fewer moves allowed, has to pick the best",
            own.name
        );
        ("wins-by-the-best-moves", text)
    }

    fn text(&self) -> String {
        let own = self.own();
        let mut text = format!(
            "{}: {} for {}, {} positions with White to move, {} without a rule\n\n",
            self.strategy.title,
            counted(self.strategy.rules.len(), "rule", "rules"),
            self.strategy.endgame,
            own.summary.n_positions,
            self.n_without_rule,
        );
        let head = "of several moves allowed";
        let widths = self.outcomes.iter().map(|one| one.name.len() + 1);
        let width = widths.max().unwrap_or(0).max(head.len());
        let _ = write!(text, "{head:width$} {:>7}", "won");
        for failure in FAILURES {
            let _ = write!(text, " {failure:>9}");
        }
        text += "  longest mate\n";
        for (place, Outcome { name, summary, .. }) in self.outcomes.iter().enumerate() {
            let mark = if place == self.own_place() { "*" } else { "" };
            let name = format!("{name}{mark}");
            let _ = write!(text, "{name:width$} {:>7}", summary.n_won);
            for count in summary.n_failed {
                let _ = write!(text, " {count:>9}");
            }
            let _ = writeln!(text, "  {:>12}", summary.longest);
        }
        let _ = writeln!(text, "* judged by: {}", self.verdict().1);
        for (line, kind) in own.failures.iter().zip(FAILURES) {
            if let Some(line) = line {
                let _ = writeln!(text, "\n{kind}, a shortest line ({}):", own.name);
                text += &line.text();
                text += if kind == "loop" { "and so on\n" } else { "\n" };
            }
        }
        if let Some(line) = &own.longest {
            let _ = writeln!(text, "\na longest mate ({}):", own.name);
            text += &line.text();
            text += "\n";
        }
        text
    }

    fn json(&self) -> Value {
        let line = |line: &Option<ShownLine>| line.as_ref().map(ShownLine::json);
        let tie_breaks = self.outcomes.iter().map(|one| {
            let counts = one.summary.n_failed.iter().zip(&one.failures);
            let failures = FAILURES
                .iter()
                .zip(counts)
                .map(|(kind, (positions, example))| {
                    let failure = json!({ "positions": positions, "example": line(example) });
                    ((*kind).to_owned(), failure)
                });
            json!({
                "moves": one.name,
                "won": one.summary.n_won,
                "failures": failures.collect::<serde_json::Map<_, _>>(),
                "longest": one.summary.longest,
                "longest-line": line(&one.longest),
            })
        });
        let rules = self.strategy.rules.iter().map(ToString::to_string);
        json!({
            "title": self.strategy.title,
            "endgame": self.strategy.endgame.to_string(),
            "rules": rules.collect::<Vec<_>>(),
            "positions": self.own().summary.n_positions,
            "without-rule": self.n_without_rule,
            "judged-by": self.own().name,
            "verdict": self.verdict().0,
            "tie-breaks": tie_breaks.collect::<Vec<_>>(),
        })
    }
}

impl ShownLine {
    /// The board, and the moves with their numbers and White's with their rules.
    fn text(&self) -> String {
        let mut text = draw(&Position::from(self.start.board().clone()));
        for (number, (san, rule)) in self.moves.iter().enumerate() {
            let _ = match rule {
                Some(rule) => write!(text, "{}. {san} ({rule}) ", number / 2 + 1),
                None => write!(text, "{san} "),
            };
        }
        if self.moves.is_empty() {
            text += "no rule allows a move";
        }
        text
    }

    fn json(&self) -> Value {
        let fen = Fen::from_position(&self.start, EnPassantMode::Legal).to_string();
        let moves = self.moves.iter();
        let moves = moves.map(|(san, rule)| json!({ "move": san, "rule": rule }));
        json!({ "fen": fen, "moves": moves.collect::<Vec<_>>() })
    }
}

/// A line in words.
fn shown(line: &Line, strategy: &RuleStrategy) -> Result<ShownLine, Failure> {
    let mut position = line.start.clone();
    let mut moves = Vec::new();
    for m in &line.moves {
        let mut rule = None;
        if position.turn() == Color::White {
            let choice = strategy.choice(&position).map_err(undecided)?;
            rule = choice.map(|choice| strategy.rules[choice.rule].name.clone());
        }
        let san = SanPlus::from_move_and_play_unchecked(&mut position, *m).to_string();
        moves.push((san, rule));
    }
    Ok(ShownLine {
        start: line.start.clone(),
        moves,
    })
}
