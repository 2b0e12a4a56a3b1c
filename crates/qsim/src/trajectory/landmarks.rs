//! What landmarks are in numbers.

use thiserror::Error;

use crate::model::Model;
use crate::quantity::{Magnitude, QuantitySpace};

/// The values of landmarks, in the units of their variables.
///
/// A landmark whose name is a number has that value, `minf` and `inf` are the infinities. Others get a
/// value by [`set`](Self::set), or have none: then only their order is known.
#[derive(Clone, Debug, PartialEq)]
pub struct LandmarkValues {
    /// By variable and landmark.
    values: Vec<Vec<Option<f64>>>,
}

/// Why a landmark cannot have a value.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LandmarkError {
    /// The value is not a finite number.
    #[error("the value of a landmark is a finite number, not {value}")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// The name or an earlier value says otherwise.
    #[error("`{name}` already has the value {known}")]
    Known {
        /// The landmark.
        name: String,
        /// Its value.
        known: f64,
    },
    /// The values would not be in the order of the landmarks.
    #[error("`{name}` = {value} is not between its neighbors: `{other}` is {known}")]
    OutOfOrder {
        /// The landmark.
        name: String,
        /// The value.
        value: f64,
        /// Another landmark of the space.
        other: String,
        /// The value of that one.
        known: f64,
    },
}

/// The value in the name of a landmark.
fn named(name: &str) -> Option<f64> {
    match name {
        crate::quantity::MINUS_INFINITY => Some(f64::NEG_INFINITY),
        crate::quantity::INFINITY => Some(f64::INFINITY),
        _ => name.parse().ok().filter(|value: &f64| value.is_finite()),
    }
}

impl LandmarkValues {
    /// The values in the names of a model's landmarks.
    pub fn named(model: &Model) -> Self {
        let variables = model.variables().iter();
        Self {
            values: variables
                .map(|variable| variable.space.landmarks().map(named).collect())
                .collect(),
        }
    }

    /// The value of a landmark of a variable, if known.
    pub fn get(&self, variable: usize, landmark: Magnitude) -> Option<f64> {
        let of_variable = self.values.get(variable)?;
        *of_variable.get(usize::from(landmark.0 / 2))?
    }

    /// Sets the value of a landmark.
    ///
    /// # Errors
    /// [`LandmarkError`].
    ///
    /// # Panics
    /// If the variable has no such landmark in the space.
    pub fn set(
        &mut self,
        variable: usize,
        space: &QuantitySpace,
        landmark: Magnitude,
        value: f64,
    ) -> Result<(), LandmarkError> {
        if !value.is_finite() {
            return Err(LandmarkError::NotFinite { value });
        }
        let index = usize::from(landmark.0 / 2);
        let values = &mut self.values[variable];
        let name = |index: usize| space.name(Magnitude::landmark(index));
        if let Some(known) = values[index].filter(|known| (*known - value).abs() > 0.0) {
            let name = name(index);
            return Err(LandmarkError::Known { name, known });
        }
        let wrong = values.iter().enumerate().find_map(|(other, known)| {
            let known = (*known)?;
            let is_wrong = other < index && known >= value || other > index && known <= value;
            is_wrong.then_some((other, known))
        });
        if let Some((other, known)) = wrong {
            let (name, other) = (name(index), name(other));
            return Err(LandmarkError::OutOfOrder {
                name,
                value,
                other,
                known,
            });
        }
        values[index] = Some(value);
        Ok(())
    }

    /// The lowest and the highest magnitude that a number between `low` and `high` can have; none if
    /// all such numbers are outside the quantity space.
    ///
    /// Landmarks without a value may be anywhere between their neighbors.
    pub(crate) fn magnitudes(
        &self,
        variable: usize,
        low: f64,
        high: f64,
    ) -> Option<(Magnitude, Magnitude)> {
        let values = &self.values[variable];
        let last = values.len() - 1;
        let first_known = values[0].is_some_and(|first| high < first);
        if first_known || values[last].is_some_and(|last| low > last) {
            return None;
        }
        let known = |index: &usize| Some((*index, values[*index]?));
        let below = (0..=last).rev().find_map(|index| {
            let (_, value) = known(&index)?;
            (value <= low).then_some((index, value))
        });
        let above = (0..=last).find_map(|index| {
            let (_, value) = known(&index)?;
            (value >= high).then_some((index, value))
        });
        let lowest = match below {
            Some((index, value)) if value < low && index < last => Magnitude::above(index),
            Some((index, _)) => Magnitude::landmark(index),
            None => Magnitude::landmark(0),
        };
        let highest = match above {
            Some((index, value)) if value > high && index > 0 => Magnitude::above(index - 1),
            Some((index, _)) => Magnitude::landmark(index),
            None => Magnitude::landmark(last),
        };
        Some((lowest, highest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Variable;

    fn values(landmarks: &[&str]) -> (Model, LandmarkValues) {
        let space = QuantitySpace::new(landmarks).unwrap();
        let model = Model::new(vec![Variable::new("x", space)], Vec::new()).unwrap();
        let values = LandmarkValues::named(&model);
        (model, values)
    }

    fn shown(model: &Model, values: &LandmarkValues, low: f64, high: f64) -> String {
        let space = &model.variables()[0].space;
        match values.magnitudes(0, low, high) {
            None => "outside".to_owned(),
            Some((low, high)) if low == high => space.name(low),
            Some((low, high)) => format!("{} to {}", space.name(low), space.name(high)),
        }
    }

    #[test]
    fn numbers_have_magnitudes() {
        let (model, mut values) = values(&["-1", "0", "a", "b", "inf"]);
        let shown = |values: &LandmarkValues, low, high| shown(&model, values, low, high);
        assert_eq!(shown(&values, -2.0, -1.5), "outside");
        assert_eq!(shown(&values, -2.0, -0.5), "-1 to -1..0");
        assert_eq!(shown(&values, -0.5, -0.5), "-1..0");
        assert_eq!(shown(&values, 0.0, 0.0), "0");
        assert_eq!(shown(&values, -0.1, 0.1), "-1..0 to b..inf");
        assert_eq!(shown(&values, 3.0, 3.0), "0..a to b..inf");
        let space = &model.variables()[0].space;
        let b = space.find("b").unwrap();
        values.set(0, space, b, 4.0).unwrap();
        assert_eq!(shown(&values, 3.0, 3.0), "0..a to a..b");
        assert_eq!(shown(&values, 4.0, 5.0), "b to b..inf");
        assert_eq!(shown(&values, 4.5, 5.0), "b..inf");
    }

    #[test]
    fn values_keep_the_order_of_landmarks() {
        let (model, mut values) = values(&["0", "a", "b", "9"]);
        let space = &model.variables()[0].space;
        let mut said = |name: &str, value: f64| {
            let landmark = space.find(name).unwrap();
            match values.set(0, space, landmark, value) {
                Ok(()) => String::new(),
                Err(error) => error.to_string(),
            }
        };
        assert_eq!(said("a", 4.0), "");
        assert_eq!(said("a", 5.0), "`a` already has the value 4");
        assert_eq!(
            said("b", 3.0),
            "`b` = 3 is not between its neighbors: `a` is 4"
        );
        assert_eq!(said("0", 0.0), "");
        assert!(said("b", f64::NAN).contains("finite"));
    }
}
