//! Values of variables, and whether initial ones agree with the constraints.

use std::ops::{ControlFlow, Range};

use kibitz_text::suggestion;
use toml::Spanned;

use super::reporter::Reporter;
use super::vocabulary::Vocabulary;
use super::wire::{Text, Values};
use crate::model::Model;
use crate::partial::{PartialState, ValueSet};
use crate::quantity::{Direction, Magnitude, QuantitySpace};

/// Where the value of each variable was read.
pub(super) type Places = Vec<Option<Range<usize>>>;

impl Vocabulary<'_, '_> {
    /// The states of a sequence.
    pub(super) fn states(mut self, states: &[Spanned<Values>]) -> Vec<PartialState> {
        let states = states.iter();
        states
            .map(|values| self.partial(values.get_ref()).0)
            .collect()
    }

    pub(super) fn sets(&mut self, values: &Values) -> Vec<(usize, ValueSet)> {
        let sets = values.iter().filter_map(|(name, value)| {
            let variable = self.variable(name)?;
            let set = self.value(variable, value)?;
            Some((variable, set))
        });
        sets.collect()
    }

    /// A partial state, and where its values were read.
    pub(super) fn partial(&mut self, values: &Values) -> (PartialState, Places) {
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
                let message = format!("`{direction}` is not a direction of change");
                let label = suggestion(direction, Direction::ALL.map(Direction::name));
                self.reporter.report(value.span(), message, label);
                None
            }
        }
    }

    /// `a`, or `a..b` for all magnitudes between two landmarks: the lowest and the highest.
    pub(super) fn magnitudes(
        &mut self,
        text: &str,
        space: &QuantitySpace,
        span: Range<usize>,
    ) -> Option<(Magnitude, Magnitude)> {
        let mut find = |name: &str| {
            let found = space.find(name);
            if found.is_none() {
                let message = format!("unknown landmark `{name}`");
                // No declared landmark has a star.
                let label = if name.contains('*') {
                    "a simulation found it: simulate without new landmarks, or read its JSON"
                        .to_owned()
                } else {
                    suggestion(name, space.landmarks())
                };
                self.reporter.report(span.clone(), message, label);
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
}

/// Says which constraint refuses which value, if there is no such initial state.
pub(super) fn check_initial(
    reporter: &mut Reporter<'_>,
    model: &Model,
    whole: Range<usize>,
    partial: &[ValueSet],
    places: &Places,
) {
    let mut states = 0;
    let solved = model.complete(&model.frame, 0, partial, &mut |_| {
        states += 1;
        ControlFlow::Break(())
    });
    let refusals = match solved {
        Ok(()) if states > 0 => return,
        Ok(()) => Vec::new(),
        Err(refusals) => refusals,
    };
    let message = "no state with these initial values satisfies the constraints";
    let Some(last) = refusals.last() else {
        let label = "each constraint can be satisfied, but not all together";
        reporter.report(whole, message, label);
        return;
    };
    // The value that was written, or that of another variable of the same constraint.
    let arguments = &model.constraints()[last.constraint].variables;
    let place = (std::iter::once(&last.variable).chain(arguments))
        .find_map(|variable| places[*variable].clone())
        .unwrap_or(whole);
    let name = &model.variables()[last.variable];
    let label = format!("leaves no value of `{}`", name.name);
    let mut mistake = reporter.source.error_at(place, message).with_label(label);
    let mut constraints: Vec<usize> = refusals.iter().map(|found| found.constraint).collect();
    constraints.dedup();
    for constraint in constraints {
        let values: Vec<String> = (refusals.iter())
            .filter(|found| found.constraint == constraint)
            .map(|found| name.space.show(found.value))
            .collect();
        mistake = mistake.with_note(format!(
            "`{}` refuses {}",
            model.constraint_name(constraint),
            values.join(", ")
        ));
    }
    reporter.found.push(mistake);
}
