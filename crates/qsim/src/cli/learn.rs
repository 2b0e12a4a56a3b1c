//! `kibitz-qsim learn`: a model from states.

use std::path::PathBuf;

use kibitz_qsim::learn::{
    Dimension, GenmodelParams, LearnedConstraint, contradicted_by_corresponding, genmodel,
    genmodel_with_exceptions, is_tested, mark_redundant,
};
use kibitz_qsim::{Constraint, ConstraintKind, Direction, Model, State, Variable, render};
use kibitz_text::{Diagnostic, Exit, Failure, counted, note, print as show, suggestion};

use super::{read_file, read_system, some_states};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The system whose variables the states are of: a file, or the name of one that comes with the
    /// program. Its constraints do not count.
    system: String,
    /// A file with `[[states]]`: a value and a direction of each variable; or the states of a simulation, as
    /// `simulate --format json` writes them.
    ///
    /// A value without a direction, as the simulation writes it where it ignores chatter, counts by its
    /// magnitude only.
    #[arg(long, value_name = "FILE")]
    states: PathBuf,
    /// Kinds of constraints to look for, separated by commas.
    #[arg(long, value_delimiter = ',', value_parser = kind, value_name = "KINDS",
          default_value = "add,minus,m_plus,m_minus,deriv,constant")]
    kinds: Vec<ConstraintKind>,
    /// Do not take landmarks that are had together for corresponding values; with them, a constraint that
    /// they contradict is left out, with a note.
    #[arg(long)]
    no_corresponding: bool,
    /// The share of states that may be wrong, as in `0.05`: a constraint may reject so many, which are listed.
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0")]
    noise: f64,
    /// What each variable is a quantity of, as in `amount=water,flow=water/time`: sums and
    /// derivatives then keep to dimensions.
    #[arg(long, value_delimiter = ',', value_parser = dimension, value_name = "DIMENSIONS")]
    dimensions: Vec<(String, Dimension)>,
}

/// Constraints that are named in a warning.
const SHOWN: usize = 8;

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let system = read_system(&arguments.system)?;
    let variables = system.model.variables();
    let source = read_file(&arguments.states)?;
    let file = source.path();
    // The JSON of `simulate` begins with a brace; every other file is a table of states.
    let partial = if source.text().trim_start().starts_with('{') {
        system.read_simulation(file, source.text())?
    } else {
        system.read_states(file, source.text())?
    };
    some_states(&partial, file)?;
    let mut states: Vec<State> = Vec::new();
    for (number, partial) in partial.iter().enumerate() {
        let values = partial.iter().zip(variables).map(|(set, variable)| {
            let open = format!(
                "state {} of {file} leaves the magnitude of `{}` open",
                number + 1,
                variable.name
            );
            let expected = "write a landmark, or two neighboring ones as in `0..full`";
            let open = Diagnostic::new(open).with_note(expected);
            set.value_or_ignored()
                .ok_or(Failure::new(Exit::BadInput, open))
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
        infinities: system.model.has_infinities(),
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a number of states in memory"
    )]
    let allowed = |share: f64| (share * states.len() as f64).floor() as usize;
    let most_exceptions = allowed(arguments.noise);
    let found: Vec<LearnedConstraint> = if most_exceptions == 0 {
        let found = genmodel(variables, &states, &params).into_iter();
        found
            .map(|constraint| LearnedConstraint {
                constraint,
                exceptions: Vec::new(),
                is_redundant: false,
            })
            .collect()
    } else {
        genmodel_with_exceptions(variables, &states, &params, most_exceptions)
    };
    // A constraint that no state could have violated was not learned from these states. It is
    // reported apart, so that it is not taken for a finding.
    let (mut found, untested): (Vec<LearnedConstraint>, Vec<LearnedConstraint>) = found
        .into_iter()
        .partition(|own| states.is_empty() || is_tested(variables, &own.constraint, &states));
    let untested: Vec<Constraint> = untested.into_iter().map(|own| own.constraint).collect();
    mark_redundant(variables, &mut found, params.infinities);
    tell_ignored(variables, &states, &untested);
    if most_exceptions == 0 {
        // Without allowed exceptions, a single wrong state hides a constraint: name those that hold
        // in nearly all states.
        let mut nearly = match allowed(NEARLY) {
            0 => Vec::new(),
            few => genmodel_with_exceptions(variables, &states, &params, few),
        };
        nearly.retain(|own| {
            !own.exceptions.is_empty() && is_tested(variables, &own.constraint, &states)
        });
        nearly.sort_by_key(|own| own.exceptions.len());
        tell_nearly(variables, &states, &nearly);
        tell_contradicted(variables, &states, &params);
    } else {
        tell_refusals(&system.model, &states, &found);
    }
    show(&render::learned_toml(variables, &found, states.len()))?;
    Ok(if found.is_empty() {
        Exit::Negative
    } else {
        Exit::Done
    })
}

/// The share of states that may refuse a constraint for it to be mentioned as nearly learned.
const NEARLY: f64 = 0.01;

fn share(text: &str) -> Result<f64, String> {
    let found = text.parse().ok();
    let found = found.filter(|x: &f64| (0.0..0.5).contains(x));
    found.ok_or_else(|| format!("`{text}` is not a share from 0 to below 0.5"))
}

fn named(variables: &[Variable], constraint: &Constraint) -> String {
    let names = constraint.variables.iter();
    let names: Vec<&str> = names.map(|at| variables[*at].name.as_str()).collect();
    format!("{}({})", constraint.kind, names.join(", "))
}

/// The numbers of some states, from 1.
fn numbered(numbers: &[usize]) -> String {
    let shown = numbers.iter().take(SHOWN);
    let shown: Vec<String> = shown.map(|number| (number + 1).to_string()).collect();
    let more = if numbers.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Says which constraints few states refuse, and which states those are.
fn tell_nearly(variables: &[Variable], states: &[State], nearly: &[LearnedConstraint]) {
    if nearly.is_empty() {
        return;
    }
    let message = format!(
        "not learned, since a few of {} refuse them; --noise {NEARLY} learns them all the same",
        counted(states.len(), "state", "states")
    );
    let mut warning = Diagnostic::warning(message);
    for own in nearly.iter().take(SHOWN) {
        warning = warning.with_note(format!(
            "{}: refused by state {}",
            named(variables, &own.constraint),
            numbered(&own.exceptions)
        ));
    }
    if nearly.len() > SHOWN {
        warning = warning.with_note(format!("and {} more", nearly.len() - SHOWN));
    }
    note(&warning.render(true));
}

/// Says which constraints are left out because of their corresponding values only.
fn tell_contradicted(variables: &[Variable], states: &[State], params: &GenmodelParams) {
    if !params.corresponding {
        return;
    }
    let mut left_out = contradicted_by_corresponding(variables, states, params);
    left_out.retain(|(constraint, _)| is_tested(variables, constraint, states));
    if left_out.is_empty() {
        return;
    }
    let message = "left out what only corresponding values contradict; --no-corresponding learns it \
                   without them";
    let mut warning = Diagnostic::warning(message);
    for (constraint, state) in left_out.iter().take(SHOWN) {
        warning = warning.with_note(format!(
            "{}: its corresponding values contradict state {}",
            named(variables, constraint),
            state + 1
        ));
    }
    if left_out.len() > SHOWN {
        warning = warning.with_note(format!("and {} more", left_out.len() - SHOWN));
    }
    note(&warning.render(true));
}

/// Says which states refuse constraints that were learned, those that refuse most first.
fn tell_refusals(model: &Model, states: &[State], found: &[LearnedConstraint]) {
    let refused = |number: usize| {
        let refused = found
            .iter()
            .filter(move |own| own.exceptions.contains(&number));
        refused.map(|own| named(model.variables(), &own.constraint))
    };
    let mut against: Vec<(usize, Vec<String>)> = (0..states.len())
        .map(|number| (number, refused(number).collect()))
        .filter(|(_, refused): &(usize, Vec<String>)| !refused.is_empty())
        .collect();
    if against.is_empty() {
        return;
    }
    against.sort_by_key(|(_, refused)| std::cmp::Reverse(refused.len()));
    let message = format!(
        "{} of {} speak against constraints that were learned",
        against.len(),
        counted(states.len(), "state", "states")
    );
    let mut warning = Diagnostic::warning(message);
    for (number, refused) in against.iter().take(SHOWN) {
        warning = warning.with_note(format!(
            "state {}, {}: refuses {}",
            number + 1,
            model.show(&states[*number]),
            refused.join(", ")
        ));
    }
    if against.len() > SHOWN {
        warning = warning.with_note(format!("and {} more", against.len() - SHOWN));
    }
    note(&warning.render(true));
}

/// Says which directions are ignored in how many of the states, and which constraints nothing tests.
fn tell_ignored(variables: &[Variable], states: &[State], untested: &[Constraint]) {
    let is_ignored = |state: &State, at: usize| state[at].direction() == Direction::Ignored;
    let ignored = variables.iter().enumerate().filter_map(|(at, variable)| {
        let n = states.iter().filter(|state| is_ignored(state, at)).count();
        (n > 0).then(|| format!("`{}` in {n}", variable.name))
    });
    let ignored: Vec<String> = ignored.collect();
    if ignored.is_empty() {
        return;
    }
    let message = format!(
        "learned from {}; without a direction: {}; there only the magnitude counts",
        counted(states.len(), "state", "states"),
        ignored.join(", ")
    );
    let mut warning = Diagnostic::warning(message);
    if !untested.is_empty() {
        let shown = untested.iter().take(SHOWN);
        let shown = shown.map(|constraint| named(variables, constraint));
        let shown: Vec<String> = shown.collect();
        let more = match untested.len() - shown.len() {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        warning = warning.with_note(format!(
            "left out, since no state gives the directions that they compare: {}{more}",
            shown.join(", ")
        ));
    }
    note(&warning.render(true));
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
