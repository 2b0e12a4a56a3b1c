//! A command line for programs with experiment kinds: arguments in, text and exit code out.
//!
//! A program is its kinds and one call:
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     kibitz_desk::cli::main("my-lab", Vec::new())
//! }
//! ```
//! One with subcommands of its own is a [`Program`].

mod args;
mod build;
mod estimate;
mod progress;
mod reproduce;
mod submit;
mod watch;

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use args::{
    AddData, Build, CellArguments, Cells, Command, Dataset, Explain, ExportArguments, ExportForm,
    Graph, GraphForm, List, ListFormat, New, Reproduce, RunFormat, Schema, Selectors, Submit,
    Workspace,
};

pub use progress::Spinner;
use watch::watch;

use crate::{
    AddDataOptions, Answer, Desk, Export, Format, GraphFormat, NewOptions, RefreshOptions,
};
use kibitz_experiment::{DataFile, Kind};
use kibitz_lab::record::Values;
use kibitz_lab::{Diagnostic, Exit, Selection};
use kibitz_tables::{FoundColumn, Layout, Table, word};
use kibitz_text::suggested_file;

/// A program: kinds, and what it adds to the commands of the desk.
#[derive(Debug)]
pub struct Program<C> {
    /// How a person starts it, such as `cargo xtask`.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Its kinds.
    pub kinds: Vec<Kind>,
    /// Sets what is its own of a desk: pictures, and the command that shows results.
    pub set_up: fn(&mut Desk),
    /// Carries out a subcommand of its own that needs no workspace.
    pub apart: fn(&C) -> Option<Answer>,
    /// Carries out a subcommand of its own.
    pub run: fn(&Desk, &C) -> Result<Answer, Answer>,
    /// What follows each run of `reproduce --watch`, such as a report of these values.
    pub after_run: fn(&Desk, Values<'_>) -> Result<Answer, Answer>,
}

#[derive(Debug, Parser)]
#[command(version, disable_help_subcommand = true, after_help = Exit::help())]
struct Cli<C: Subcommand> {
    #[command(flatten)]
    workspace: Workspace,
    #[command(subcommand)]
    command: AnyCommand<C>,
}

#[derive(Debug, Subcommand)]
enum AnyCommand<C: Subcommand> {
    #[command(flatten)]
    Desk(Command),
    #[command(flatten)]
    Own(C),
}

impl<C: Subcommand> Program<C> {
    /// Its arguments.
    pub fn command(&self) -> clap::Command {
        let command = Cli::<C>::command();
        command
            .name(self.name)
            .bin_name(self.name)
            .about(self.about)
    }

    /// Reads the arguments of the process and carries them out; the exit code is that of the answer.
    pub fn main(self) -> ExitCode {
        let matches = self.command().try_get_matches();
        let cli = match matches.and_then(|matches| Cli::<C>::from_arg_matches(&matches)) {
            Ok(cli) => cli,
            Err(error) => return say_usage(&error),
        };
        if let AnyCommand::Own(command) = &cli.command
            && let Some(answer) = (self.apart)(command)
        {
            return say(&answer);
        }
        if let AnyCommand::Desk(Command::Kinds { kind }) = &cli.command {
            // They are those of the program, in any folder.
            let mut desk = Desk::new(".", self.kinds, self.name);
            desk.width = terminal_width();
            return say(&desk.show_kinds(kind.as_deref()));
        }
        let desk = cli.workspace.desk(self.name, self.kinds);
        let answer = desk.and_then(|mut desk| {
            (self.set_up)(&mut desk);
            match &cli.command {
                AnyCommand::Desk(Command::Reproduce(arguments)) if arguments.watch => {
                    watch(&desk, arguments, &self.after_run)
                }
                AnyCommand::Desk(command) => command.run(&desk),
                AnyCommand::Own(command) => (self.run)(&desk, command),
            }
        });
        say(&answer.unwrap_or_else(|answer| answer))
    }
}

/// The subcommands of a program that adds none to those of the runner.
#[derive(Debug, Subcommand)]
enum PlainCommand {
    /// Enter data files in the manifest
    #[command(subcommand)]
    Data(Data),
}

/// The subcommands about data files.
#[derive(Debug, Subcommand)]
pub enum Data {
    /// Enter a file of your own in data/manifest.toml
    Add(AddData),
}

impl Data {
    /// Carries it out.
    pub fn run(&self, desk: &Desk) -> Answer {
        let Self::Add(arguments) = self;
        arguments.enter_any(desk).unwrap_or_else(|answer| answer)
    }
}

/// A whole program that adds nothing to the runner but its kinds: `name` is how a person starts it.
pub fn main(name: &'static str, kinds: Vec<Kind>) -> ExitCode {
    let program = Program {
        name,
        about: "Run experiments and compare their tables with the published ones",
        kinds,
        set_up: |_| {},
        apart: |_| None,
        run: |desk, PlainCommand::Data(command)| Ok(command.run(desk)),
        after_run: |_, _| Ok(Answer::ok("")),
    };
    program.main()
}

impl Workspace {
    /// The workspace that is meant.
    ///
    /// # Errors
    /// That there is none.
    pub fn desk(&self, program: &str, kinds: Vec<Kind>) -> Result<Desk, Answer> {
        let root = match &self.root {
            Some(root) => root.clone(),
            None => find_root().ok_or_else(|| {
                missing(
                    &Diagnostic::new("no folder experiments/ here or above")
                        .with_note("say where it is with --root DIR"),
                )
            })?,
        };
        let remedy = "name the folder that holds experiments/ with --root DIR";
        is_folder(&root.join("experiments"), || Some(remedy.to_owned()))?;
        let mut desk = Desk::new(root, kinds, program);
        // The state lives where Cargo builds, so that `cargo clean` removes it too.
        if self.root.is_none()
            && let Some(target) = std::env::var_os("CARGO_TARGET_DIR")
        {
            desk.lab.state = PathBuf::from(target).join("kibitz");
        }
        for folder in &self.data_folders {
            is_folder(folder, || suggested_file(folder))?;
        }
        desk.lab.data_folders.clone_from(&self.data_folders);
        if let Some(folder) = &self.cache {
            // A folder above that is not there, such as a share that is not mounted, is a mistake.
            if let Err(error) = std::fs::create_dir(folder)
                && error.kind() != std::io::ErrorKind::AlreadyExists
            {
                let message = format!("cannot create the cache {}: {error}", folder.display());
                return Err(missing(&Diagnostic::new(message)));
            }
            is_folder(folder, || None)?;
            desk.lab.cache = Some(folder.clone());
        }
        desk.width = terminal_width();
        Ok(desk)
    }
}

/// Columns of the terminal that shows the answer; none where it goes elsewhere.
fn terminal_width() -> Option<usize> {
    let is_shown = std::io::stdout().is_terminal();
    is_shown.then(|| usize::from(console::Term::stdout().size().1))
}

fn missing(diagnostic: &Diagnostic) -> Answer {
    Answer {
        out: String::new(),
        err: format!("{diagnostic}\n"),
        exit: Exit::Missing,
    }
}

/// That a folder can be read, or what to do.
fn is_folder(path: &Path, remedy: impl Fn() -> Option<String>) -> Result<(), Answer> {
    let read = std::fs::read_dir(path).map(drop);
    read.map_err(|error| {
        let unreadable = Diagnostic::new(format!("cannot read {}: {error}", path.display()));
        missing(&match remedy() {
            Some(remedy) => unreadable.with_note(remedy),
            None => unreadable,
        })
    })
}

/// The nearest folder with `experiments/`, from the current one upwards, else from the package
/// that Cargo runs upwards, else the folder of the program, as `build` leaves it.
fn find_root() -> Option<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let starts = [std::env::current_dir().ok(), manifest];
    let above = |start: &PathBuf| {
        let has_experiments = |folder: &&Path| folder.join("experiments").is_dir();
        start.ancestors().find(has_experiments).map(Path::to_owned)
    };
    let beside = || {
        let folder = std::env::current_exe().ok()?.parent()?.to_owned();
        folder.join("experiments").is_dir().then_some(folder)
    };
    starts.iter().flatten().find_map(above).or_else(beside)
}

impl Command {
    /// Carries it out.
    ///
    /// # Errors
    /// What kept it from beginning; to be said like any answer.
    pub fn run(&self, desk: &Desk) -> Result<Answer, Answer> {
        Ok(match self {
            Self::Reproduce(arguments) => reproduce::reproduce(desk, arguments)?,
            Self::List(arguments) => {
                let format = match arguments.format {
                    ListFormat::Text => Format::Text,
                    ListFormat::Csv => Format::Csv,
                    ListFormat::Json => Format::Json,
                };
                desk.list(&(&arguments.selectors).into(), arguments.stale, format)
            }
            Self::Cells(arguments) => desk.cells(
                &(&arguments.selectors).into(),
                arguments.stale,
                arguments.format.into(),
            ),
            Self::Cell(arguments) => reproduce::cell(desk, arguments)?,
            Self::Submit(arguments) => submit::submit(desk, arguments)?,
            Self::Build(arguments) => build::build(desk, &arguments.out)?,
            Self::Explain(arguments) => desk.explain(&arguments.id, arguments.cell.as_deref()),
            Self::New(arguments) => desk.new_experiment(&NewOptions {
                id: arguments.id.clone(),
                kind: arguments.kind.clone(),
                from: arguments.from.clone(),
                data: arguments.data.clone(),
                set: arguments.set.clone(),
            }),
            Self::Dataset(arguments) => reproduce::dataset(desk, arguments)?,
            Self::Refresh(arguments) => desk.refresh(&RefreshOptions {
                check: arguments.check,
                accept: arguments.accept,
                why: arguments.why.clone(),
            }),
            Self::Schema(arguments) => desk.schema(arguments.check),
            Self::Graph(arguments) => {
                let format = match arguments.format {
                    GraphForm::Svg => GraphFormat::Svg,
                    GraphForm::Mermaid => GraphFormat::Mermaid,
                    GraphForm::Json => GraphFormat::Json,
                };
                desk.graph(&(&arguments.selectors).into(), format)
            }
            Self::Export(arguments) => {
                let what = match arguments.what {
                    ExportForm::RoCrate => Export::RoCrate,
                    ExportForm::Codecheck => Export::Codecheck,
                    ExportForm::Article => Export::Article,
                };
                desk.export(what, &arguments.out)
            }
            Self::Kinds { kind } => desk.show_kinds(kind.as_deref()),
        })
    }
}

impl AddData {
    /// Enters the file, with what else is known of it and the name by which kinds know such a file.
    pub fn enter(&self, desk: &Desk, notes: Option<String>, role: &'static str) -> Answer {
        let _shown = Spinner::new(format!("{}: hash and copy", self.file.display()));
        desk.add_data(&AddDataOptions {
            file: self.file.clone(),
            name: self.name.clone(),
            license: self.license.clone(),
            origin: self.origin.clone(),
            external: self.external,
            notes,
            role,
        })
    }

    /// Enters a file of any kind.
    fn enter_any(&self, desk: &Desk) -> Result<Answer, Answer> {
        let name = self.file.to_string_lossy().to_ascii_lowercase();
        let is_table = self.file.is_dir()
            || [".parquet", ".csv", ".tsv"]
                .iter()
                .any(|end| name.ends_with(end));
        if is_table {
            return self.enter_table(desk, &kibitz_lab::data_file(&self.file)?);
        }
        let role = if name.contains(".pgn") {
            "games"
        } else {
            "file"
        };
        Ok(self.enter(desk, None, role))
    }

    /// Enters a table, and shows how its columns are declared.
    ///
    /// # Errors
    /// If it cannot be read as a table.
    pub fn enter_table(&self, desk: &Desk, file: &DataFile) -> Result<Answer, Answer> {
        let separator = kibitz_tables::separator(file)?;
        let layout = Layout {
            separator,
            ..Layout::default()
        };
        let table = Table::open(file, layout)?;
        let columns = table.columns()?;
        let n_records: u64 = table.n_records()?.iter().sum();
        let notes = format!("{n_records} records of {} columns.", columns.len());
        let mut answer = self.enter(desk, Some(notes), "table");
        if answer.exit != Exit::Done {
            return Ok(answer);
        }
        let out = &mut answer.out;
        out.push_str("with kind `table` and, as its first records suggest,\n[params]\n");
        if let Some(separator) = separator {
            let separator = String::from(char::from(separator));
            let _ = writeln!(out, "separator = {}", toml::Value::String(separator));
        }
        out.push_str("columns = [\n");
        for FoundColumn { name, found, .. } in &columns {
            let name = toml::Value::String(name.clone());
            let _ = match found.of() {
                Some(of) => writeln!(out, "  {{ name = {name}, type = \"{}\" }},", word(of)),
                None => writeln!(out, "  # {name} is {found}, which no column can be"),
            };
        }
        out.push_str("]\n");
        let commas = columns.iter().filter(|column| column.has_decimal_commas);
        let commas: Vec<String> = commas.map(|column| format!("`{}`", column.name)).collect();
        if !commas.is_empty() {
            let _ = writeln!(
                answer.err,
                "warning: numbers have decimal commas, so `1,000` is 1: {}",
                commas.join(", ")
            );
        }
        Ok(answer)
    }
}

impl From<RunFormat> for Format {
    fn from(format: RunFormat) -> Self {
        match format {
            RunFormat::Text => Self::Text,
            RunFormat::Json => Self::Json,
        }
    }
}

impl From<&Selectors> for Selection {
    fn from(selectors: &Selectors) -> Self {
        Self {
            ids: selectors.ids.clone(),
            filter: selectors.filter.clone(),
            not: selectors.not.clone(),
            kinds: selectors.kinds.clone(),
            tags: selectors.tags.clone(),
            without_explorations: false,
        }
    }
}

/// Writes both streams, in color where that is wanted; a reader that went away is no error.
pub fn say(answer: &Answer) -> ExitCode {
    say_error(&answer.err);
    match kibitz_text::print(&answer.out) {
        Ok(()) => answer.exit.into(),
        Err(failure) => {
            say_error(&format!("{failure}\n"));
            answer.exit.max(failure.exit).into()
        }
    }
}

/// Writes a help text, or what is wrong with the arguments.
fn say_usage(usage: &clap::Error) -> ExitCode {
    match usage.print() {
        _ if usage.use_stderr() => Exit::BadInput.into(),
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            say_error(&format!("error: cannot write to the output: {error}\n"));
            Exit::Unwritable.into()
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes to standard error, the first words of what went wrong in color.
fn say_error(text: &str) {
    let mut err = anstream::stderr().lock();
    for line in text.split_inclusive('\n') {
        let label = line.split_once(": ").map_or("", |(label, _)| label);
        let color = match label {
            "error" | "differs" | "drift" => AnsiColor::Red,
            "warning" | "slow" => AnsiColor::Yellow,
            _ => {
                let _ = err.write_all(line.as_bytes());
                continue;
            }
        };
        let style = Style::new().bold().fg_color(Some(color.into()));
        let _ = write!(err, "{style}{label}{style:#}{}", &line[label.len()..]);
    }
}
