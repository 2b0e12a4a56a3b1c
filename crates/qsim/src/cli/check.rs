//! `kibitz-qsim check`: a system alone, against a sequence of states, or against a trajectory.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kibitz_qsim::{Blame, CheckError, CheckParams, System, render};
use kibitz_text::{Diagnostic, Exit, Failure, counted, print as show, suggestion};

use super::{OptionArguments, read_file, read_system, some_states, warn};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The system: a file, or the name of one that comes with the program.
    system: String,
    /// A file with `[[states]]`: values by variable, the first at a point in time, the second
    /// over the interval after it, and so on.
    #[arg(long, value_name = "FILE")]
    states: Option<PathBuf>,
    /// A CSV file with a column `time` and columns of variables, a row a sample: is it among the
    /// behaviors of the system?
    ///
    /// The first row names the columns. Variables without a column, and empty cells, are not
    /// observed. Landmarks have the values that the system file gives them (`values`), or
    /// `--landmark`; those that the initial state names have the value of the first sample; of others
    /// only the order is known.
    #[arg(long, value_name = "FILE", conflicts_with = "states")]
    trajectory: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
    #[command(flatten)]
    changes: OptionArguments,
}

/// How a trajectory is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Trajectories")]
struct ReadingArguments {
    /// The value of a landmark, as in `amount:full=120`; separate several by commas.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "VARIABLE:LANDMARK=VALUE",
        requires = "trajectory"
    )]
    landmark: Vec<String>,
    /// The variable of a column, as in `Time=time,Level=amount`; a column without one, as in `Notes=`, is
    /// ignored.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "COLUMN=NAME",
        requires = "trajectory",
        value_parser = column
    )]
    column: Vec<(String, String)>,
    /// Tolerance within which a value equals a landmark: a fraction of the difference between the variable's
    /// greatest and least value; or, as in `amount=0.5`, a number in the variable's units.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "[VARIABLE=]X",
        requires = "trajectory",
        default_value = "0.001"
    )]
    tolerance: Vec<String>,
    /// How slowly a variable changes where it may be steady: a share of that difference over the
    /// whole time.
    #[arg(long, value_name = "X", requires = "trajectory", default_value = "0.001", value_parser = share,
          allow_negative_numbers = true)]
    steady: f64,
    /// Let the trajectory begin in any state that the constraints accept, not only in an initial one.
    #[arg(long, requires = "trajectory")]
    any_start: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut system = read_system(&arguments.system)?;
    warn(&system);
    arguments.changes.apply(&mut system);
    match (&arguments.states, &arguments.trajectory) {
        (Some(path), _) => follow(&system, path),
        (None, Some(path)) => cover(&mut system, path, &arguments.reading),
        (None, None) => describe(&system),
    }
}

fn column(text: &str) -> Result<(String, String), String> {
    let (column, name) = text.split_once('=').ok_or("expected COLUMN=NAME")?;
    Ok((column.trim().to_owned(), name.trim().to_owned()))
}

fn share(text: &str) -> Result<f64, String> {
    let found = text
        .parse()
        .ok()
        .filter(|x: &f64| x.is_finite() && *x >= 0.0);
    found.ok_or_else(|| format!("`{text}` is not a number of at least 0"))
}

/// The index of a variable by its name.
fn variable(system: &System, name: &str) -> Result<usize, Failure> {
    let variables = system.model.variables();
    system.model.variable(name).ok_or_else(|| {
        let unknown = Diagnostic::new(format!("the system has no variable `{name}`"));
        let names = variables.iter().map(|variable| variable.name.as_str());
        Failure::new(Exit::BadInput, unknown.with_label(suggestion(name, names)))
    })
}

/// Says what a landmark is, by `amount:full=120`.
fn place_landmark(system: &mut System, text: &str) -> Result<(), Failure> {
    let parts = text.rsplit_once('=').and_then(|(left, value)| {
        let (name, landmark) = left.split_once(':')?;
        Some((name.trim(), landmark.trim(), value.trim().parse().ok()?))
    });
    let Some((name, landmark, value)) = parts else {
        let message = format!("`--landmark {text}` is not VARIABLE:LANDMARK=VALUE");
        return Err(Failure::usage(message));
    };
    let index = variable(system, name)?;
    let space = &system.model.variables()[index].space;
    let found = space.find(landmark).ok_or_else(|| {
        let unknown = Diagnostic::new(format!("`{name}` has no landmark `{landmark}`"));
        let label = suggestion(landmark, space.landmarks());
        Failure::new(Exit::BadInput, unknown.with_label(label))
    })?;
    let set = system.landmarks.set(index, space, found, value);
    set.map_err(|error| Failure::usage(format!("`--landmark {text}`: {error}")))
}

impl ReadingArguments {
    fn params(&self, system: &System) -> Result<CheckParams, Failure> {
        let mut params = CheckParams {
            steady: self.steady,
            any_start: self.any_start,
            ..CheckParams::default()
        };
        for text in &self.tolerance {
            match text.rsplit_once('=') {
                None => params.tolerance = share(text).map_err(Failure::usage)?,
                Some((name, number)) => {
                    let number = share(number.trim()).map_err(Failure::usage)?;
                    params
                        .tolerances
                        .push((variable(system, name.trim())?, number));
                }
            }
        }
        Ok(params)
    }
}

/// Whether a trajectory is among the behaviors.
fn cover(system: &mut System, path: &Path, arguments: &ReadingArguments) -> Result<Exit, Failure> {
    for text in &arguments.landmark {
        place_landmark(system, text)?;
    }
    let params = arguments.params(system)?;
    let source = read_file(path)?;
    let trajectory = system.read_trajectory_as(source.path(), source.text(), &arguments.column)?;
    let found = system.cover(&trajectory, &params);
    match found {
        Ok(cover) => {
            show(&render::cover_text(&system.model, &trajectory, &cover))?;
            Ok(Exit::Done)
        }
        Err(CheckError::Uncovered(uncovered)) => {
            let mut told = uncovered.diagnostic(system, &trajectory);
            if uncovered.blame == Blame::Start && !params.any_start {
                told = told.with_note("`--any-start` lets it begin in any state");
            }
            Err(Failure::new(Exit::Negative, told))
        }
        Err(error) => {
            let told = Diagnostic::new(error.to_string());
            let help = "raise --max-states, or observe more variables";
            Err(Failure::new(Exit::Failed, told.with_note(help)))
        }
    }
}

fn describe(system: &System) -> Result<Exit, Failure> {
    let model = &system.model;
    let mut text = format!("{}\n", system.title);
    for index in 0..model.constraints().len() {
        let (name, formula) = (
            model.constraint_name(index),
            model.constraint_formula(index),
        );
        let _ = writeln!(text, "  {name:30} {formula}");
    }
    let _ = writeln!(
        text,
        "{}, {}, {}",
        counted(model.variables().len(), "variable", "variables"),
        counted(model.constraints().len(), "constraint", "constraints"),
        counted(system.initial.len(), "initial state", "initial states")
    );
    show(&text)?;
    Ok(Exit::Done)
}

fn follow(system: &System, path: &Path) -> Result<Exit, Failure> {
    let model = &system.model;
    let source = read_file(path)?;
    let sequence = system.read_states(source.path(), source.text())?;
    some_states(&sequence, source.path())?;
    let Err(error) = model.follow(&sequence, &system.options) else {
        show(&format!(
            "the system can go through this sequence ({})\n",
            counted(sequence.len(), "state", "states")
        ))?;
        return Ok(Exit::Done);
    };
    show(&render::refused_text(model, &error))?;
    Ok(Exit::Negative)
}
