//! `kibitz-qsim learn`: a model from states.

use std::path::PathBuf;

use kibitz_qsim::learn::{Dimension, GenmodelParams, genmodel};
use kibitz_qsim::{ConstraintKind, State, Variable, render};

use kibitz_text::{Exit, Failure, SourceFile, print as show, suggestion};

use super::read_system;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The system whose variables the states are of: a file, or the name of one that comes with the
    /// program. Its constraints do not count.
    system: String,
    /// A file with `[[states]]`: a value and a direction of each variable.
    #[arg(long, value_name = "FILE")]
    states: PathBuf,
    /// Kinds of constraints to look for, separated by commas.
    #[arg(long, value_delimiter = ',', value_parser = kind, value_name = "KINDS",
          default_value = "add,minus,m_plus,m_minus,deriv,constant")]
    kinds: Vec<ConstraintKind>,
    /// Do not take landmarks that are had together for corresponding values.
    #[arg(long)]
    no_corresponding: bool,
    /// What each variable is a quantity of, as in `amount=water,flow=water/time`: sums and
    /// derivatives then keep to dimensions.
    #[arg(long, value_delimiter = ',', value_parser = dimension, value_name = "DIMENSIONS")]
    dimensions: Vec<(String, Dimension)>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let system = read_system(&arguments.system)?;
    let variables = system.model.variables();
    let source = SourceFile::read(&arguments.states)?;
    let file = source.path();
    let partial = system.read_states(file, source.text())?;
    let mut states: Vec<State> = Vec::new();
    for (number, partial) in partial.iter().enumerate() {
        let values = partial.iter().zip(variables).map(|(set, variable)| {
            let open = format!(
                "state {} of {file} leaves `{}` open",
                number + 1,
                variable.name
            );
            set.value().ok_or(Failure::usage(open))
        });
        states.push(values.collect::<Result<_, _>>()?);
    }
    let known = |name: &String| variables.iter().any(|variable| variable.name == *name);
    if let Some((name, _)) = arguments.dimensions.iter().find(|(name, _)| !known(name)) {
        return Err(Failure::usage(format!(
            "no variable `{name}` in {}",
            arguments.system
        )));
    }
    let dimension_of = |variable: &Variable| {
        let mut given = arguments.dimensions.iter();
        let (_, found) = given.find(|(name, _)| *name == variable.name)?;
        Some(found.clone())
    };
    let dimensions: Option<Vec<Dimension>> = variables.iter().map(dimension_of).collect();
    if dimensions.is_none() && !arguments.dimensions.is_empty() {
        let message = "dimensions are given for some variables, not for all";
        return Err(Failure::usage(message));
    }
    let params = GenmodelParams {
        kinds: arguments.kinds.clone(),
        corresponding: !arguments.no_corresponding,
        dimensions: dimensions.unwrap_or_default(),
    };
    let found = genmodel(variables, &states, &params);
    show(&render::constraints_toml(variables, &found))?;
    Ok(if found.is_empty() {
        Exit::Negative
    } else {
        Exit::Done
    })
}

fn kind(text: &str) -> Result<ConstraintKind, String> {
    let mut kinds = ConstraintKind::ALL.into_iter();
    let found = kinds.find(|kind| kind.name() == text);
    found.ok_or_else(|| suggestion(text, ConstraintKind::ALL.map(ConstraintKind::name)))
}

fn dimension(text: &str) -> Result<(String, Dimension), String> {
    let (variable, of) = text.split_once('=').ok_or("expected VARIABLE=DIMENSION")?;
    let Ok(of) = of.parse();
    Ok((variable.to_owned(), of))
}
