//! Systems from what their files say: every mistake in its place.

use std::collections::BTreeSet;

use kibitz_text::{Diagnostics, Severity, suggestion};
use toml::Spanned;

use super::System;
use super::reporter::Reporter;
use super::values::{Places, check_initial};
use super::vocabulary::Vocabulary;
use super::wire::{self, SystemFile, Text};
use crate::constraint::{Constraint, ConstraintError, ConstraintKind};
use crate::model::{Energy, Model, ModelError, Region, Transition, UnconnectedVariables, Variable};
use crate::partial::PartialState;
use crate::quantity::{QuantitySpace, SpaceError};
use crate::relation::Relation;
use crate::trajectory::LandmarkValues;

pub(super) struct Reader<'r, 's> {
    words: Vocabulary<'r, 's>,
}

impl<'r, 's> Reader<'r, 's> {
    pub(super) fn new(reporter: &'r mut Reporter<'s>, declared: BTreeSet<String>) -> Self {
        Self {
            words: Vocabulary::new(reporter, declared),
        }
    }

    pub(super) fn system(&mut self, wire: SystemFile) -> Option<System> {
        let variables = self.variables(&wire);
        let regions: Vec<&str> = wire
            .regions
            .iter()
            .map(|entry| &**entry.name.get_ref())
            .collect();
        for (index, entry) in wire.regions.iter().enumerate() {
            if regions[..index].contains(&regions[index]) {
                let message = format!("region `{}` is declared twice", regions[index]);
                self.words.reporter.report(entry.name.span(), message, "");
            }
        }
        // A constraint without `regions` holds in all of them. Positions are counted over the
        // constraints that can be read, since the others are left out of the model.
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
                            if let Some(region) = self.words.known("region", name, &regions) {
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
                            when: self.words.partial(&transition.when).0,
                            to: to.and_then(|to| self.words.known("region", to, &regions)),
                            set: self.words.sets(&transition.set),
                        }
                    })
                    .collect(),
            });
        }
        let energy = wire.energy.as_ref().and_then(|entry| self.energy(entry));
        let initial: Vec<(PartialState, Places)> = (wire.initial.iter())
            .map(|values| self.words.partial(values.get_ref()))
            .collect();
        // Everything above reports all its errors first; a model is only built from a file without
        // any.
        if !self.words.reporter.is_clean() {
            return None;
        }
        let model = self.model(variables?, constraints, wire.infinities, found, energy)?;
        for (entry, (partial, places)) in wire.initial.iter().zip(&initial) {
            check_initial(self.words.reporter, &model, entry.span(), partial, places);
        }
        let landmarks = self.landmarks(&wire, &model);
        let warnings = self.warnings(&wire, &model);
        Some(System {
            title: if wire.title.is_empty() {
                stem(self.words.reporter.source.path())
            } else {
                wire.title
            },
            source: wire.source,
            notes: wire.notes,
            model,
            initial: initial.into_iter().map(|(partial, _)| partial).collect(),
            options: wire.simulation,
            landmarks,
            warnings,
        })
    }

    fn variables(&mut self, wire: &SystemFile) -> Option<Vec<Variable>> {
        let mut entries: Vec<_> = wire.variables.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        if entries.is_empty() && self.words.reporter.is_clean() {
            self.words
                .reporter
                .report(0..0, "a system needs a variable", "write [variables]");
        }
        let mut variables = Vec::new();
        for (name, entry) in entries {
            let mut space = self.space(&entry.landmarks);
            if let (Some(range), Some(known)) = (&entry.range, &space) {
                let [low, high] = range.get_ref();
                let low = self.words.magnitudes(low.get_ref(), known, low.span());
                let high = self.words.magnitudes(high.get_ref(), known, high.span());
                let within = low.zip(high).map(|((low, _), (_, high))| {
                    let found = known.clone().with_range(low..=high);
                    found
                        .map_err(|error| self.words.reporter.report(range.span(), error, ""))
                        .ok()
                });
                space = within.flatten();
            }
            self.words.names.push(name.get_ref().clone());
            self.words.spaces.push(space.clone());
            variables.push(space.map(|space| Variable {
                ignore_direction: entry.ignore_direction,
                ..Variable::new(name.get_ref().clone(), space)
            }));
        }
        variables.into_iter().collect()
    }

    /// Warns of variables that nothing ties to the rest of the model, at their declarations.
    fn warnings(&self, wire: &SystemFile, model: &Model) -> Diagnostics {
        let mut names: Vec<&Text> = wire.variables.keys().collect();
        names.sort_by_key(|name| name.span().start);
        let mut found = Diagnostics::new();
        for unconnected in model.unconnected() {
            let (variable, message, label) = match &unconnected {
                UnconnectedVariables::Unconstrained { variable, region } => {
                    let name = names[*variable].get_ref();
                    let place = region.and_then(|region| model.regions().nth(region));
                    let message = match place {
                        None => format!(
                            "`{name}` is in no constraint: every course of it is a behavior"
                        ),
                        Some(region) => format!(
                            "`{name}` is in no constraint of region `{}`: every course of it there is a \
                             behavior",
                            region.name
                        ),
                    };
                    let label = "tie it to other variables, make it constant, or leave it out";
                    (*variable, message, label)
                }
                UnconnectedVariables::Apart { variables } => {
                    let all: Vec<String> = (variables.iter())
                        .map(|variable| format!("`{}`", names[*variable].get_ref()))
                        .collect();
                    let first = variables[0];
                    if all.len() == 1 {
                        let message =
                            format!("{} is tied to no other variable: it has no effect", all[0]);
                        (
                            first,
                            message,
                            "use it in a constraint with others, or leave it out",
                        )
                    } else {
                        let message = format!(
                            "{} are tied only to each other: each course of them is combined with each \
                             course of the other variables",
                            all.join(", ")
                        );
                        let label =
                            "tie one of them to the rest, or make them a system of their own";
                        (first, message, label)
                    }
                }
            };
            let mut warning = self
                .words
                .reporter
                .source
                .error_at(names[variable].span(), message);
            warning.severity = Severity::Warning;
            found.push(warning.with_label(label));
        }
        found
    }

    /// What landmarks are in numbers.
    fn landmarks(&mut self, wire: &SystemFile, model: &Model) -> LandmarkValues {
        let mut found = LandmarkValues::named(model);
        for (name, entry) in &wire.variables {
            let Some(variable) = model.variable(name.get_ref()) else {
                continue;
            };
            let space = &model.variables()[variable].space;
            let mut values: Vec<_> = entry.values.iter().collect();
            values.sort_by_key(|(name, _)| name.span().start);
            for (name, value) in values {
                let Some(landmark) = self.words.landmark(variable, name) else {
                    continue;
                };
                let set = found.set(variable, space, landmark, *value.get_ref());
                if let Err(error) = set {
                    self.words.reporter.report(value.span(), error, "");
                }
            }
        }
        found
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
        self.words.reporter.report(span, error, "");
        None
    }

    fn constraint(
        &mut self,
        entry: &Spanned<wire::ConstraintEntry>,
        infinities: bool,
    ) -> Option<Constraint> {
        let (whole, entry) = (entry.span(), entry.get_ref());
        let names = entry.of.get_ref();
        let kind = self.kind(&entry.kind)?;
        if names.len() != kind.arity() {
            let found = names.len();
            let label = if kind == ConstraintKind::Minus && found == 3 {
                SUBTRACTION.to_owned()
            } else {
                format!("write {}", kind.reads(&["x", "y", "z"][..kind.arity()]))
            };
            let error = ConstraintError::Arity { kind, found };
            self.words.reporter.report(entry.of.span(), error, label);
        }
        // All names are looked up before any failure counts, so that every unknown one is reported.
        let variables: Vec<_> = names.iter().map(|name| self.words.variable(name)).collect();
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
                self.words.reporter.report(landmarks.span(), error, "");
                return None;
            }
            let found: Vec<_> = (landmarks.get_ref().iter().zip(&constraint.variables))
                .map(|(name, variable)| self.words.landmark(*variable, name))
                .collect();
            constraint = constraint.at(found.into_iter().collect::<Option<Vec<_>>>()?);
        }
        let spaces: Option<Vec<_>> = self.words.spaces.iter().cloned().collect();
        let spaces: Vec<_> = spaces?.into_iter().map(std::sync::Arc::new).collect();
        // The relation is built only to check it; the place of its error in the file is known here.
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
        self.words.reporter.report(span, error, label);
        None
    }

    /// The constraint kind of this name; textbook names are mapped to the names used here.
    fn kind(&mut self, name: &Text) -> Option<ConstraintKind> {
        let written = name.get_ref();
        let found = ConstraintKind::ALL
            .iter()
            .find(|kind| kind.name() == written);
        if found.is_none() {
            let label = named_in_books(written).unwrap_or_else(|| {
                suggestion(written, ConstraintKind::ALL.map(ConstraintKind::name))
            });
            let message = format!("unknown value `{written}`");
            self.words.reporter.report(name.span(), message, label);
        }
        found.copied()
    }

    fn energy(&mut self, entry: &wire::EnergyEntry) -> Option<Energy> {
        let position = self.words.variable(&entry.position)?;
        let velocity = self.words.variable(&entry.velocity)?;
        let zero = |reader: &Self, variable: usize| reader.words.spaces[variable].as_ref()?.zero();
        if zero(self, velocity).is_none() {
            let error = ModelError::EnergyWithoutZero;
            self.words.reporter.report(entry.velocity.span(), error, "");
        }
        let rest = match &entry.rest {
            Some(name) => self.words.landmark(position, name)?,
            None => zero(self, position).or_else(|| {
                let message = "the energy needs a landmark of rest";
                self.words
                    .reporter
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
            .map_err(|error| self.words.reporter.report(0..0, error, ""))
            .ok()
    }
}

/// How a difference is written.
const SUBTRACTION: &str =
    "x - y = z is the sum z + y = x: `kind = \"add\"`, `of = [\"z\", \"y\", \"x\"]`";

/// The kind that books and other programs call so.
fn named_in_books(name: &str) -> Option<String> {
    let plain = name.to_lowercase().replace([' ', '_', '0'], "");
    let kind = match plain.as_str() {
        "m+" | "mplus" | "monotonic+" | "increasing" => ConstraintKind::MPlus,
        "m-" | "m\u{2212}" | "mminus" | "monotonic-" | "decreasing" => ConstraintKind::MMinus,
        "d/dt" | "ddt" | "d" | "der" | "derivative" | "rate" => ConstraintKind::Deriv,
        "sum" | "plus" | "+" => ConstraintKind::Add,
        "times" | "product" | "multiply" | "*" => ConstraintKind::Mult,
        "neg" | "negative" | "negate" | "opposite" => ConstraintKind::Minus,
        "const" | "steady" | "std" => ConstraintKind::Constant,
        "sub" | "subtract" | "subtraction" | "difference" | "diff" | "-" => {
            return Some(SUBTRACTION.to_owned());
        }
        "div" | "divide" | "division" | "quotient" | "/" => {
            return Some(
                "x / y = z is the product z * y = x: `kind = \"mult\"`, `of = [\"z\", \"y\", \"x\"]`"
                    .to_owned(),
            );
        }
        _ => return None,
    };
    Some(format!("here it is called `{kind}`"))
}

/// The name of a file without its folder and extension.
fn stem(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.')
        .map_or(name, |(stem, _)| stem)
        .to_owned()
}
