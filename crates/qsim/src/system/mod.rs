//! Systems in TOML files: read, checked, with every problem in its place.

mod problem;
mod wire;

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;

use crate::constraint::{Constraint, ConstraintError};
use crate::model::{Energy, Model, ModelError, Region, Transition, Variable};
use crate::options::Options;
use crate::partial::{PartialState, ValueSet};
use crate::quantity::{Direction, Magnitude, QuantitySpace, SpaceError};
use crate::relation::Relation;
use crate::suggest::suggestion;

use problem::Reporter;
pub use problem::{Problem, Problems};
use wire::{SequenceFile, SystemFile, Text, Values};

/// A model with the states it starts in, as a file declares them.
#[derive(Clone, Debug)]
pub struct System {
    /// What the system is.
    pub title: String,
    /// Where the model comes from.
    pub source: String,
    /// What else is worth knowing.
    pub notes: String,
    /// Variables and constraints.
    pub model: Model,
    /// Initial states, perhaps partial.
    pub initial: Vec<PartialState>,
    /// How to simulate.
    pub options: Options,
}

impl System {
    /// Reads a system file; `file` is the name that problems show.
    ///
    /// # Errors
    /// All [`Problems`] of the file, as far as they can be found at once.
    pub fn from_toml(file: &str, text: &str) -> Result<Self, Problems> {
        let mut reporter = Reporter::new(file, text);
        let system = parse::<SystemFile>(text, &mut reporter)
            .and_then(|wire| Reader::new(&mut reporter).system(wire));
        reporter.finish(system)
    }

    /// Reads a sequence of states of this system: `[[states]]` with values by variable.
    ///
    /// # Errors
    /// All [`Problems`] of the file.
    pub fn read_states(&self, file: &str, text: &str) -> Result<Vec<PartialState>, Problems> {
        let mut reporter = Reporter::new(file, text);
        let states = parse::<SequenceFile>(text, &mut reporter).map(|wire| {
            let mut reader = Reader::new(&mut reporter);
            for variable in self.model.variables() {
                reader.names.push(variable.name.clone());
                reader.spaces.push(Some(variable.space.clone()));
            }
            let states = wire.states.iter();
            states
                .map(|values| reader.partial(values.get_ref()).0)
                .collect()
        });
        reporter.finish(states)
    }
}

/// The schema of system files, for editors.
#[cfg(feature = "schemars")]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(SystemFile).into()
}

fn parse<T: DeserializeOwned>(text: &str, reporter: &mut Reporter<'_>) -> Option<T> {
    let error = match toml::from_str(text) {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    let span = error.span().unwrap_or(0..0);
    let message = error.message().lines().next().unwrap_or_default();
    // "unknown field `a`, expected one of `b`, `c`"
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (message, label) = match (message.split_once(", expected"), quoted.next()) {
        (Some((start, _)), Some(name)) if message.starts_with("unknown") => {
            (start, suggestion(name, &quoted.collect::<Vec<_>>()))
        }
        _ => (message, String::new()),
    };
    let message = message
        .replace("unknown field", "unknown key")
        .replace("missing field", "missing key");
    let message = message.replace("unknown variant", "unknown value");
    reporter.report(span, message, label);
    None
}

/// A value set with the place it was read from, by variable.
type Places = Vec<Option<Range<usize>>>;

struct Reader<'r, 't> {
    reporter: &'r mut Reporter<'t>,
    names: Vec<String>,
    /// None for a variable whose space is wrong.
    spaces: Vec<Option<QuantitySpace>>,
}

impl<'r, 't> Reader<'r, 't> {
    fn new(reporter: &'r mut Reporter<'t>) -> Self {
        Self {
            reporter,
            names: Vec::new(),
            spaces: Vec::new(),
        }
    }

    fn system(&mut self, wire: SystemFile) -> Option<System> {
        let variables = self.variables(&wire);
        let regions: Vec<&str> = wire
            .regions
            .iter()
            .map(|entry| &**entry.name.get_ref())
            .collect();
        for (index, entry) in wire.regions.iter().enumerate() {
            if regions[..index].contains(&regions[index]) {
                let message = format!("region `{}` is declared twice", regions[index]);
                self.reporter.report(entry.name.span(), message, "");
            }
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); regions.len()];
        let mut constraints = Vec::new();
        for entry in &wire.constraints {
            if let Some(constraint) = self.constraint(entry, wire.infinities) {
                match &entry.get_ref().regions {
                    None => members
                        .iter_mut()
                        .for_each(|all| all.push(constraints.len())),
                    Some(names) => {
                        for name in names {
                            if let Some(region) = self.known("region", name, &regions) {
                                members[region].push(constraints.len());
                            }
                        }
                    }
                }
                constraints.push(constraint);
            }
        }
        let mut found = Vec::new();
        for (entry, constraints) in wire.regions.iter().zip(members) {
            found.push(Region {
                name: entry.name.get_ref().clone(),
                constraints,
                transitions: (entry.transitions.iter())
                    .map(|transition| {
                        let to = transition.to.as_ref();
                        Transition {
                            name: format!(
                                "{} to {}",
                                entry.name.get_ref(),
                                to.map_or("the end", |to| to.get_ref())
                            ),
                            when: self.partial(&transition.when).0,
                            to: to.and_then(|to| self.known("region", to, &regions)),
                            set: self.sets(&transition.set),
                        }
                    })
                    .collect(),
            });
        }
        let energy = wire.energy.as_ref().and_then(|entry| self.energy(entry));
        let initial: Vec<(PartialState, Places)> = (wire.initial.iter())
            .map(|values| self.partial(values.get_ref()))
            .collect();
        if !self.reporter.is_clean() {
            return None;
        }
        let model = self.model(variables?, constraints, wire.infinities, found, energy)?;
        for (entry, (partial, places)) in wire.initial.iter().zip(&initial) {
            self.check_initial(&model, entry.span(), partial, places);
        }
        Some(System {
            title: wire.title,
            source: wire.source,
            notes: wire.notes,
            model,
            initial: initial.into_iter().map(|(partial, _)| partial).collect(),
            options: wire.simulation,
        })
    }

    fn variables(&mut self, wire: &SystemFile) -> Option<Vec<Variable>> {
        let mut entries: Vec<_> = wire.variables.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        if entries.is_empty() {
            self.reporter
                .report(0..0, "a system needs a variable", "write [variables]");
        }
        let mut variables = Vec::new();
        for (name, entry) in entries {
            let mut space = self.space(&entry.landmarks);
            if let (Some(range), Some(known)) = (&entry.range, &space) {
                let [low, high] = range.get_ref();
                let low = self.magnitudes(low.get_ref(), known, low.span());
                let high = self.magnitudes(high.get_ref(), known, high.span());
                let within = low.zip(high).map(|((low, _), (_, high))| {
                    let found = known.clone().with_range(low..=high);
                    found
                        .map_err(|error| self.reporter.report(range.span(), error, ""))
                        .ok()
                });
                space = within.flatten();
            }
            self.names.push(name.get_ref().clone());
            self.spaces.push(space.clone());
            variables.push(space.map(|space| Variable {
                ignore_direction: entry.ignore_direction,
                ..Variable::new(name.get_ref().clone(), space)
            }));
        }
        variables.into_iter().collect()
    }

    fn space(&mut self, landmarks: &Spanned<Vec<Text>>) -> Option<QuantitySpace> {
        let names: Vec<&str> = (landmarks.get_ref().iter())
            .map(|name| &**name.get_ref())
            .collect();
        let error = match QuantitySpace::new(&names) {
            Ok(space) => return Some(space),
            Err(error) => error,
        };
        let span = match &error {
            SpaceError::Repeated { index, .. }
            | SpaceError::OutOfOrder { index, .. }
            | SpaceError::BadName { index, .. } => landmarks.get_ref()[*index].span(),
            _ => landmarks.span(),
        };
        self.reporter.report(span, error, "");
        None
    }

    /// Which of the known names is meant.
    fn known(&mut self, what: &str, name: &Text, known: &[&str]) -> Option<usize> {
        let found = known.iter().position(|known| *known == name.get_ref());
        if found.is_none() {
            let message = format!("undefined {what} `{}`", name.get_ref());
            let label = suggestion(name.get_ref(), known);
            self.reporter.report(name.span(), message, label);
        }
        found
    }

    fn variable(&mut self, name: &Text) -> Option<usize> {
        let names = self.names.clone();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.known("variable", name, &names)
    }

    fn landmark(&mut self, variable: usize, name: &Text) -> Option<Magnitude> {
        let space = self.spaces[variable].clone()?;
        let found = space.find(name.get_ref());
        if found.is_none() {
            let what = format!(
                "`{}` has no landmark `{}`",
                self.names[variable],
                name.get_ref()
            );
            let label = suggestion(name.get_ref(), &space.landmarks().collect::<Vec<_>>());
            self.reporter.report(name.span(), what, label);
        }
        found
    }

    fn constraint(
        &mut self,
        entry: &Spanned<wire::ConstraintEntry>,
        infinities: bool,
    ) -> Option<Constraint> {
        let (whole, entry) = (entry.span(), entry.get_ref());
        let names = entry.of.get_ref();
        let kind = entry.kind;
        if names.len() != kind.arity() {
            let found = names.len();
            let label = kind.reads(&["x", "y", "z"][..kind.arity()]);
            let error = ConstraintError::Arity { kind, found };
            self.reporter
                .report(entry.of.span(), error, format!("write {label}"));
        }
        let variables: Vec<_> = names.iter().map(|name| self.variable(name)).collect();
        let variables: Vec<usize> = variables.into_iter().collect::<Option<_>>()?;
        let mut constraint = Constraint::new(kind, variables);
        if names.len() != kind.arity() {
            return None;
        }
        for (row, landmarks) in entry.corresponding.iter().enumerate() {
            let (expected, found) = (kind.arity(), landmarks.get_ref().len());
            if expected != found {
                let error = ConstraintError::RowLength {
                    row,
                    expected,
                    found,
                };
                self.reporter.report(landmarks.span(), error, "");
                return None;
            }
            let found: Vec<_> = (landmarks.get_ref().iter().zip(&constraint.variables))
                .map(|(name, variable)| self.landmark(*variable, name))
                .collect();
            constraint = constraint.at(found.into_iter().collect::<Option<Vec<_>>>()?);
        }
        let spaces: Option<Vec<_>> = self.spaces.iter().cloned().collect();
        let spaces: Vec<_> = spaces?.into_iter().map(std::sync::Arc::new).collect();
        let relation = Relation::new(&constraint, |at| spaces.get(at).cloned(), infinities);
        let Err(error) = relation else {
            return Some(constraint);
        };
        let rows = &entry.corresponding;
        let (span, label) = match &error {
            ConstraintError::NoZero { argument, .. } => {
                let name = &names[*argument];
                let label = format!("give `{}` the landmark", name.get_ref());
                (name.span(), label)
            }
            ConstraintError::NoCorresponding { .. } if !rows.is_empty() => {
                (rows[0].span(), "leave it out".to_owned())
            }
            ConstraintError::Infinite { row, argument, .. } => {
                (rows[*row].get_ref()[*argument].span(), String::new())
            }
            ConstraintError::Contradictory { row, .. } => (rows[*row].span(), String::new()),
            _ => (whole, String::new()),
        };
        self.reporter.report(span, error, label);
        None
    }

    fn energy(&mut self, entry: &wire::EnergyEntry) -> Option<Energy> {
        let position = self.variable(&entry.position)?;
        let velocity = self.variable(&entry.velocity)?;
        let zero = |reader: &Self, variable: usize| reader.spaces[variable].as_ref()?.zero();
        if zero(self, velocity).is_none() {
            let error = ModelError::EnergyWithoutZero;
            self.reporter.report(entry.velocity.span(), error, "");
        }
        let rest = match &entry.rest {
            Some(name) => self.landmark(position, name)?,
            None => zero(self, position).or_else(|| {
                let message = "the energy needs a landmark of rest";
                self.reporter
                    .report(entry.position.span(), message, "write `rest = …`");
                None
            })?,
        };
        Some(Energy {
            position,
            rest,
            velocity,
            trend: entry.trend,
        })
    }

    fn sets(&mut self, values: &Values) -> Vec<(usize, ValueSet)> {
        let sets = values.iter().filter_map(|(name, value)| {
            let variable = self.variable(name)?;
            let set = self.value(variable, value)?;
            Some((variable, set))
        });
        sets.collect()
    }

    /// A partial state, and where its values were read.
    fn partial(&mut self, values: &Values) -> (PartialState, Places) {
        let mut partial = vec![ValueSet::ANY; self.names.len()];
        let mut places = vec![None; self.names.len()];
        for (name, value) in values {
            let Some(variable) = self.variable(name) else {
                continue;
            };
            places[variable] = Some(value.span());
            if let Some(set) = self.value(variable, value) {
                partial[variable] = set;
            }
        }
        (partial, places)
    }

    fn value(&mut self, variable: usize, value: &Text) -> Option<ValueSet> {
        let text = value.get_ref();
        let space = self.spaces[variable].clone()?;
        let (magnitude, direction) = text.split_once('/').unwrap_or((text, "?"));
        let mut set = ValueSet::ANY;
        if magnitude != "?" {
            let (low, high) = self.magnitudes(magnitude, &space, value.span())?;
            if low > *space.range().end() || high < *space.range().start() {
                let message = format!(
                    "`{magnitude}` is outside the range of `{}`",
                    self.names[variable]
                );
                self.reporter.report(value.span(), message, "");
            }
            set = ValueSet::between(low, high);
        }
        match Direction::ALL
            .iter()
            .find(|known| known.name() == direction)
        {
            Some(known) => Some(set.moving(*known)),
            None if direction == "?" => Some(set),
            None => {
                let message = format!("`{direction}` is no direction of change");
                let label = suggestion(direction, &["dec", "std", "inc"]);
                self.reporter.report(value.span(), message, label);
                None
            }
        }
    }

    /// `a`, or `a..b` for all magnitudes between two landmarks: the lowest and the highest.
    fn magnitudes(
        &mut self,
        text: &str,
        space: &QuantitySpace,
        span: Range<usize>,
    ) -> Option<(Magnitude, Magnitude)> {
        let known: Vec<&str> = space.landmarks().collect();
        let mut find = |name: &str| {
            let found = space.find(name);
            if found.is_none() {
                let message = format!("there is no landmark `{name}`");
                self.reporter
                    .report(span.clone(), message, suggestion(name, &known));
            }
            found
        };
        let Some((low, high)) = text.split_once("..") else {
            return find(text).map(|found| (found, found));
        };
        let (low, high) = (find(low)?, find(high)?);
        if low >= high {
            let message = format!("`{text}` is empty: its end is not above its beginning");
            self.reporter.report(span, message, "");
            return None;
        }
        Some((low.next(), high.previous()?))
    }

    fn model(
        &mut self,
        variables: Vec<Variable>,
        constraints: Vec<Constraint>,
        infinities: bool,
        regions: Vec<Region>,
        energy: Option<Energy>,
    ) -> Option<Model> {
        let mut model = Model::with_infinities(variables, constraints, infinities);
        if !regions.is_empty() {
            model = model.and_then(|model| model.with_regions(regions));
        }
        if let Some(energy) = energy {
            model = model.and_then(|model| model.with_energy(energy));
        }
        // Everything was checked in its place; this is what has none.
        model
            .map_err(|error| self.reporter.report(0..0, error, ""))
            .ok()
    }

    /// Says which constraint refuses which value, if there is no such initial state.
    fn check_initial(
        &mut self,
        model: &Model,
        whole: Range<usize>,
        partial: &[ValueSet],
        places: &Places,
    ) {
        let Err(refusals) = model.completions(partial, 0, 1, |_| true) else {
            return;
        };
        let message = "no state with these initial values satisfies the constraints";
        let Some(last) = refusals.last() else {
            let label = "each constraint can be satisfied, but not all together";
            self.reporter.report(whole, message, label);
            return;
        };
        // The value that was written, or that of another variable of the same constraint.
        let arguments = &model.constraints()[last.constraint].variables;
        let place = (std::iter::once(&last.variable).chain(arguments))
            .find_map(|variable| places[*variable].clone())
            .unwrap_or(whole);
        let name = &model.variables()[last.variable];
        let label = format!("leaves no value of `{}`", name.name);
        let problem = self.reporter.report(place, message, label);
        let mut constraints: Vec<usize> = refusals.iter().map(|found| found.constraint).collect();
        constraints.dedup();
        for constraint in constraints {
            let values: Vec<String> = (refusals.iter())
                .filter(|found| found.constraint == constraint)
                .map(|found| name.space.show(found.value))
                .collect();
            problem.notes.push(format!(
                "`{}` refuses {}",
                model.constraint_name(constraint),
                values.join(", ")
            ));
        }
    }
}
