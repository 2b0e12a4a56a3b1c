//! Systems from what their files say: every mistake in its place.

use std::collections::BTreeSet;

use kibitz_text::suggestion;
use toml::Spanned;

use super::System;
use super::reporter::Reporter;
use super::values::Places;
use super::wire::{self, SystemFile, Text};
use crate::constraint::{Constraint, ConstraintError};
use crate::model::{Energy, Model, ModelError, Region, Transition, Variable};
use crate::partial::PartialState;
use crate::quantity::{Magnitude, QuantitySpace, SpaceError};
use crate::relation::Relation;

pub(super) struct Reader<'r, 's> {
    pub(super) reporter: &'r mut Reporter<'s>,
    /// Variables and regions that the file declares, in whatever way.
    declared: BTreeSet<String>,
    pub(super) names: Vec<String>,
    /// None for a variable whose space is wrong.
    pub(super) spaces: Vec<Option<QuantitySpace>>,
}

impl<'r, 's> Reader<'r, 's> {
    pub(super) fn new(reporter: &'r mut Reporter<'s>, declared: BTreeSet<String>) -> Self {
        Self {
            reporter,
            declared,
            names: Vec::new(),
            spaces: Vec::new(),
        }
    }

    /// A reader of values of a model's variables.
    pub(super) fn of_model(reporter: &'r mut Reporter<'s>, model: &Model) -> Self {
        let mut this = Self::new(reporter, BTreeSet::new());
        for variable in model.variables() {
            this.names.push(variable.name.clone());
            this.spaces.push(Some(variable.space.clone()));
        }
        this
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
        if entries.is_empty() && self.reporter.is_clean() {
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
        if found.is_none() && !self.declared.contains(name.get_ref()) {
            let message = format!("undefined {what} `{}`", name.get_ref());
            let label = suggestion(name.get_ref(), known.iter().copied());
            self.reporter.report(name.span(), message, label);
        }
        found
    }

    pub(super) fn variable(&mut self, name: &Text) -> Option<usize> {
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
            let label = suggestion(name.get_ref(), space.landmarks());
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
}
