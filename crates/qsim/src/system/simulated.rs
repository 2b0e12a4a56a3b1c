//! States of a simulation, as the program writes them in JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use super::reporter::Reporter;
use super::vocabulary::Vocabulary;
use super::wire::{Text, Values};
use crate::model::Model;
use crate::partial::{PartialState, ValueSet};
use crate::quantity::{Magnitude, QuantitySpace};

/// The part of the output that is read.
#[derive(Debug, Deserialize)]
struct Simulation<'a> {
    #[serde(borrow)]
    states: Vec<SimulatedState<'a>>,
}

/// A state.
#[derive(Debug, Deserialize)]
struct SimulatedState<'a> {
    #[serde(borrow)]
    values: BTreeMap<Word<'a>, Word<'a>>,
    /// The landmarks of variables for which the simulation has found new ones.
    #[serde(borrow, default)]
    landmarks: BTreeMap<Word<'a>, Vec<Word<'a>>>,
}

/// Text that is a part of the file, where it has no escapes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Word<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.to_owned()))
            }
        }
        deserializer.deserialize_str(Words).map(Word)
    }
}

impl Word<'_> {
    /// The text with its place in the file; the beginning of the file if it had escapes.
    fn placed(&self, file: &str) -> Text {
        let place = match self.0 {
            Cow::Borrowed(text) => text.as_ptr() as usize - file.as_ptr() as usize,
            Cow::Owned(_) => 0,
        };
        let length = match self.0 {
            Cow::Borrowed(text) => text.len(),
            Cow::Owned(_) => 0,
        };
        Text::new(place..place + length, self.0.clone().into_owned())
    }
}

/// The states of a file, in the quantity spaces of the model.
pub(super) fn states(reporter: &mut Reporter<'_>, model: &Model) -> Option<Vec<PartialState>> {
    let source = reporter.source;
    let file = source.text();
    let simulation: Simulation<'_> = match serde_json::from_str(file) {
        Ok(simulation) => simulation,
        Err(error) => {
            let place = place(file, error.line(), error.column());
            let told = error.to_string();
            let told = told.split(" at line ").next().unwrap_or(&told).to_owned();
            let message = format!("expected the JSON of `simulate`: {told}");
            reporter.report(place, message, "");
            return None;
        }
    };
    let mut found = Vec::new();
    for state in &simulation.states {
        let mut words = Vocabulary::of_model(reporter, model);
        for (name, landmarks) in &state.landmarks {
            let Some(variable) = words.variable(&name.placed(file)) else {
                continue;
            };
            let own = &model.variables()[variable].space;
            let wider = widened(own, landmarks);
            if wider.is_none() {
                let message = format!("these are not the landmarks of `{}`", name.0);
                let expected: Vec<&str> = own.landmarks().collect();
                let label = format!("expected {}, and found ones between", expected.join(", "));
                words
                    .reporter
                    .report(name.placed(file).span(), message, label);
            }
            words.spaces[variable] = wider;
        }
        let values: Values = (state.values.iter())
            .map(|(name, value)| (name.placed(file), value.placed(file)))
            .collect();
        let (mut partial, _) = words.partial(&values);
        for (variable, set) in partial.iter_mut().enumerate() {
            if let Some(wider) = &words.spaces[variable] {
                *set = folded(*set, wider, &model.variables()[variable].space);
            }
        }
        found.push(partial);
    }
    Some(found)
}

/// A space with the landmarks found since; none if its own ones are not among these, in order.
fn widened(own: &QuantitySpace, landmarks: &[Word<'_>]) -> Option<QuantitySpace> {
    let mut wider = own.clone();
    for (at, name) in landmarks.iter().enumerate() {
        if wider.landmarks().nth(at) != Some(&*name.0) {
            // Names with a star are only those of landmarks found, inside of the space.
            let is_inside = at > 0 && at < wider.landmarks().len();
            if !is_inside || !name.0.contains('*') {
                return None;
            }
            wider = wider.with_landmark(Magnitude::above(at - 1), &name.0);
        }
    }
    let is_whole = wider.landmarks().len() == landmarks.len();
    is_whole.then_some(wider)
}

/// A set of values of a wider space, in the space that it was widened from.
fn folded(set: ValueSet, wider: &QuantitySpace, own: &QuantitySpace) -> ValueSet {
    if set.high == ValueSet::ANY.high {
        return set;
    }
    let fold = |magnitude: Magnitude| {
        let index = usize::from(magnitude.0 / 2);
        let known = wider.landmarks().take(index + 1);
        let known = known.filter(|name| own.find(name).is_some()).count() - 1;
        let name = wider.landmarks().nth(index).unwrap_or_default();
        match own.find(name) {
            Some(landmark) if magnitude.is_landmark() => landmark,
            _ => Magnitude::above(known),
        }
    };
    ValueSet {
        low: fold(set.low),
        high: fold(set.high),
        ..set
    }
}

/// A place by line and column, from one.
fn place(text: &str, line: usize, column: usize) -> Range<usize> {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    let at = (start + column.saturating_sub(1)).min(text.len());
    at..at + 1
}
