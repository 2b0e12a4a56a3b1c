//! The names that a system's file declares, and their resolution.

use std::collections::BTreeSet;

use kibitz_text::suggestion;

use super::reporter::Reporter;
use super::wire::Text;
use crate::model::Model;
use crate::quantity::{Magnitude, QuantitySpace};

/// What names of variables and landmarks mean; a name without a meaning is reported.
#[derive(Debug)]
pub(super) struct Vocabulary<'r, 's> {
    pub(super) reporter: &'r mut Reporter<'s>,
    /// Variables and regions that the file declares, in whatever way.
    declared: BTreeSet<String>,
    pub(super) names: Vec<String>,
    /// None for a variable whose space is wrong.
    pub(super) spaces: Vec<Option<QuantitySpace>>,
}

impl<'r, 's> Vocabulary<'r, 's> {
    pub(super) fn new(reporter: &'r mut Reporter<'s>, declared: BTreeSet<String>) -> Self {
        Self {
            reporter,
            declared,
            names: Vec::new(),
            spaces: Vec::new(),
        }
    }

    /// The names of a model.
    pub(super) fn of_model(reporter: &'r mut Reporter<'s>, model: &Model) -> Self {
        let mut this = Self::new(reporter, BTreeSet::new());
        for variable in model.variables() {
            this.names.push(variable.name.clone());
            this.spaces.push(Some(variable.space.clone()));
        }
        this
    }

    /// Which of the known names is meant.
    pub(super) fn known(&mut self, what: &str, name: &Text, known: &[&str]) -> Option<usize> {
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

    pub(super) fn landmark(&mut self, variable: usize, name: &Text) -> Option<Magnitude> {
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
}
