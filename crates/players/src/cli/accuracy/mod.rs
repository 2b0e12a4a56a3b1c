//! `accuracy`: what moves lose by their evaluations, beside what others lose in the same positions.

mod moves;
mod page;
mod table;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kibitz_board::pgn::Tally;
use kibitz_players::{
    RepeatedGames,
    accuracy::{
        Covariates, EvaluatedGame, Expectation, PlayerStanding, RangeVariable, Survey,
        UnreadableEvaluation,
    },
};
use kibitz_text::{
    Diagnostic, Exit, Failure, SourceFile, counted, keep_inputs, note, print, suggestion,
};

use self::moves::MoveWriter;
use super::games;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A file of games in PGN with evaluations, `[%eval 0.17]`, in comments; plain or compressed.
    games: PathBuf,
    /// Report only players whose name begins so; the moves of all players are still fitted to.
    #[arg(long)]
    player: Option<String>,
    /// Take expected losses from this file, which `--save` wrote, instead of fitting them to the games.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["save", "given", "seed"])]
    model: Option<PathBuf>,
    /// Write the expected losses, fitted to all these games, into this file.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// What else than the position is taken as given, separated by commas: losses are then compared with
    /// those of others who have the same.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ATTRIBUTE")]
    given: Vec<GivenArgument>,
    /// Show losses by ranges of the mover's rating, or of the seconds on his clock, as well.
    #[arg(long, value_enum, value_name = "ATTRIBUTE")]
    by: Option<GivenArgument>,
    /// Leave out so many moves of each side at the beginning of a game.
    #[arg(long, value_name = "MOVES", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=100))]
    book: u16,
    /// Seed of the folds.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write a line per move into this file.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a page with the tables and the moves that lose most into this file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// What to write on the standard output.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GivenArgument {
    /// The mover's rating.
    Elo,
    /// His clock.
    Clock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables.
    Text,
    /// One table: of all players, or with `--by` of all ranges.
    Csv,
}

impl From<GivenArgument> for RangeVariable {
    fn from(one: GivenArgument) -> Self {
        match one {
            GivenArgument::Elo => Self::Elo,
            GivenArgument::Clock => Self::Clock,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let read = std::iter::once(&arguments.games).chain(&arguments.model);
    let outputs = [&arguments.csv, &arguments.html, &arguments.save];
    let written = outputs.into_iter().flatten();
    keep_inputs(
        &read.map(PathBuf::as_path).collect::<Vec<_>>(),
        &written.map(PathBuf::as_path).collect::<Vec<_>>(),
    )?;
    let by = arguments.by.map(RangeVariable::from);
    let (survey, n_fitted) = match &arguments.model {
        Some(path) => {
            let model = Expectation::from_toml(&SourceFile::read(path)?)?;
            (Survey::with_model(model), None)
        }
        None => fitted(arguments)?,
    };
    let mut survey = survey.by(by);
    let mut moves = MoveWriter::new(arguments.csv.as_deref())?;
    let mut remarks = Remarks::default();
    let tally = judge(arguments, &mut survey, &mut moves, &mut remarks)?;
    games::report(&tally);
    remarks.tell(&arguments.games);
    if n_fitted.is_some_and(|n| n != survey.n_games()) {
        let message = format!("{} changed while it was read", arguments.games.display());
        return Err(Failure::failed(message));
    }
    if survey.n_games() == 0 {
        return Err(nothing(&arguments.games, &tally));
    }
    let players = survey.players();
    if let (true, Some(player)) = (players.is_empty(), &arguments.player) {
        return Err(nobody(player, &survey));
    }
    if moves.n_moves() == 0 {
        let why = table::counts(&survey, &tally);
        let message = format!("{}: no move can be judged", arguments.games.display());
        let diagnostic = Diagnostic::new(message).with_note(why);
        return Err(Failure::new(Exit::NothingSelected, diagnostic));
    }
    if let Some(by) = by.filter(|_| survey.ranges().is_empty()) {
        return Err(unknown(by, &arguments.games));
    }
    moves.finish()?;
    tell_expectations(&survey, &players);
    print(&match arguments.format {
        Format::Text => table::text(&survey, &players, by, &tally),
        Format::Csv => table::csv(&survey, &players, by)?,
    })?;
    if let Some(path) = &arguments.html {
        let page = page::page(&arguments.games, &survey, &players, by, &moves, &tally);
        std::fs::write(path, page).map_err(|error| Failure::unwritable(path, &error))?;
        note(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Done)
}

/// A survey with expectations fitted to the games of the file, and the number of these.
fn fitted(arguments: &Arguments) -> Result<(Survey, Option<u64>), Failure> {
    let path = &arguments.games;
    if path.exists() && !path.is_file() && !path.is_dir() {
        let message = format!(
            "{}: expected a file that can be read twice; give one, or `--model`",
            path.display()
        );
        return Err(Failure::usage(message));
    }
    let has = |one| arguments.given.contains(&one);
    let given = Covariates {
        elo: has(GivenArgument::Elo),
        clock: has(GivenArgument::Clock),
    };
    let mut survey = Survey::new(given, arguments.seed);
    let book = usize::from(arguments.book);
    let mut n_evaluated = 0_u64;
    let tally = games::visit_file(path, |collection, game| {
        if let Some(evaluated) = EvaluatedGame::read(&game, &collection.comments(), book) {
            n_evaluated += 1;
            let added = survey.fit(game.tags(), &evaluated);
            added.map_err(|error| Failure::failed(error.to_string()))?;
        }
        Ok(())
    })?;
    if n_evaluated == 0 {
        games::report(&tally);
        return Err(nothing(path, &tally));
    }
    let whole = survey.fitted();
    if let Some(whole) = &whole {
        let never = whole.expected_loss.never_known;
        let unknown_one = [
            (never.elo, RangeVariable::Elo),
            (never.clock, RangeVariable::Clock),
        ];
        if let Some((_, one)) = unknown_one.into_iter().find(|(is_never, _)| *is_never) {
            return Err(unknown(one, path));
        }
    }
    if let Some(out) = &arguments.save {
        let whole = whole.ok_or_else(|| {
            Failure::new(
                Exit::Negative,
                Diagnostic::new("too few games: expected losses cannot be fitted to them"),
            )
        })?;
        std::fs::write(out, whole.to_toml()?).map_err(|error| Failure::unwritable(out, &error))?;
        note(&format!("wrote {}", out.display()));
    }
    Ok((survey, Some(n_evaluated)))
}

/// Judges all games of the file.
fn judge(
    arguments: &Arguments,
    survey: &mut Survey,
    moves: &mut MoveWriter,
    remarks: &mut Remarks,
) -> Result<Tally, Failure> {
    let prefix = arguments.player.as_deref().unwrap_or_default();
    let book = usize::from(arguments.book);
    games::visit_file(&arguments.games, |collection, game| {
        let Some(evaluated) = EvaluatedGame::read(&game, &collection.comments(), book) else {
            survey.leave_out();
            return Ok(());
        };
        let tally = collection.tally();
        let number = tally.n_games + tally.n_bad;
        remarks.repeated.add(&game);
        let place = format!("{}:{}: game {number}", collection.name(), collection.line());
        for one in &evaluated.unreadable {
            remarks.add_unreadable(&place, one);
        }
        let mut written = Ok(());
        survey.judge(
            game.tags(),
            &evaluated,
            |name| name.starts_with(prefix),
            |one| {
                if written.is_ok() {
                    written = moves.add(number, one);
                }
            },
        );
        written
    })
}

/// What a reader of the games should know of them.
#[derive(Default)]
struct Remarks {
    repeated: RepeatedGames,
    /// The first evaluations that cannot be read.
    unreadable: Vec<String>,
    n_unreadable: usize,
}

/// Evaluations that cannot be read and are shown.
const UNREADABLE: usize = 5;

impl Remarks {
    /// Adds an evaluation of the game at this place.
    fn add_unreadable(&mut self, game: &str, one: &UnreadableEvaluation) {
        self.n_unreadable += 1;
        if self.unreadable.len() < UNREADABLE {
            let (played, text) = (&one.played, one.text.escape_debug());
            self.unreadable.push(format!("{game}: {played}: `{text}`"));
        }
    }

    fn tell(&self, path: &Path) {
        if self.n_unreadable > 0 {
            let n = counted(self.n_unreadable, "evaluation", "evaluations");
            let message = format!("{}: cannot read {n}", path.display());
            let mut told = Diagnostic::warning(message);
            for one in &self.unreadable {
                told = told.with_note(one);
            }
            if self.n_unreadable > UNREADABLE {
                told = told.with_note(format!("and {} more", self.n_unreadable - UNREADABLE));
            }
            let expected = "expected pawns, as in `[%eval 0.17]`, or a mate, as in `[%eval #-3]`";
            note(&told.with_note(expected).render(true));
        }
        if let Some(remark) = self.repeated.remark() {
            note(&remark.render(true));
        }
    }
}

/// Warns where expected losses are not those of other players.
fn tell_expectations(survey: &Survey, players: &[PlayerStanding]) {
    /// Names that are shown.
    const NAMES: usize = 5;
    if players
        .iter()
        .all(|one| one.standing.difference().is_none())
    {
        note(
            &Diagnostic::warning(
                "expected losses cannot be fitted: too few games of other players",
            )
            .with_note("`--model` takes those of other games, which `--save` wrote")
            .render(true),
        );
    }
    let own = survey.players_of_model();
    if !own.is_empty() {
        let names = own.iter().take(NAMES).map(|name| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        let more = match own.len().saturating_sub(NAMES) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let message = format!("the model was fitted to moves of the same players: {names}{more}");
        let told = Diagnostic::warning(message).with_note(
            "their differences are too near to 0; take a model of other players, or leave `--model` out",
        );
        note(&told.render(true));
    }
}

/// The failure of games where no move has a rating, or a clock.
fn unknown(variable: RangeVariable, path: &Path) -> Failure {
    let mut told = variable.unknown();
    told.message = format!("{}: {}", path.display(), told.message);
    Failure::new(Exit::NothingSelected, told)
}

/// The failure of a file without a game that can be judged.
fn nothing(path: &Path, tally: &Tally) -> Failure {
    if tally.n_games == 0 {
        return games::no_game(path);
    }
    let message = format!("{}: no game has evaluations", path.display());
    let diagnostic = Diagnostic::new(message).with_note(
        "expected comments such as `[%eval 0.17]` after the moves: on lichess.org, request a computer \
         analysis and export the game with evaluations, or let an engine annotate the file",
    );
    Failure::new(Exit::NothingSelected, diagnostic)
}

/// The failure of a name that nobody has.
fn nobody(player: &str, survey: &Survey) -> Failure {
    let message = format!("no player with evaluated moves has a name that begins with `{player}`");
    let names = survey.names().iter().map(String::as_str);
    let suggested = suggestion(player, names.filter(|name| !name.is_empty()));
    let diagnostic = Diagnostic::new(message).with_note(suggested);
    Failure::new(Exit::NothingSelected, diagnostic)
}
