//! Discovery of landmarks and corresponding values.

use std::borrow::Cow;

use crate::frame::Frame;
use crate::model::Model;
use crate::options::Options;
use crate::quantity::{Direction, MAX_LANDMARKS, QValue};

/// The frame with the landmarks and corresponding values that a point in time brings, and the state
/// in it; nothing if it brings none.
///
/// A variable that comes to rest between landmarks gets a new landmark there.
pub(crate) fn discover(
    model: &Model,
    options: &Options,
    frame: &Frame,
    relations: &[usize],
    before: &[QValue],
    state: &[QValue],
) -> Option<(Frame, Vec<QValue>)> {
    let rests = |variable: &usize| {
        let (was, is) = (before[*variable], state[*variable]);
        !model.variables()[*variable].ignore_direction
            && !is.magnitude().is_landmark()
            && is.direction() == Direction::Std
            && !was.may_rest()
            && frame.n_discovered(*variable) < options.max_new_landmarks.min(MAX_LANDMARKS)
    };
    let new: Vec<usize> = (0..state.len()).filter(rests).collect();
    let mut wider = Cow::Borrowed(frame);
    let mut renamed = state.to_vec();
    for variable in new {
        let name = &model.variables()[variable].name;
        let name = format!("{name}*{}", frame.n_discovered(variable) + 1);
        let interval = state[variable].magnitude();
        wider.to_mut().insert(variable, interval, &name);
        renamed[variable] = QValue::new(interval.next(), state[variable].direction());
    }
    for &index in relations {
        let relation = &wider.relations[index];
        let ranks = Frame::arguments(relation, &renamed).map(QValue::rank);
        if relation.is_news(ranks) {
            wider.to_mut().relations[index].learn(ranks);
        }
    }
    match wider {
        Cow::Borrowed(_) => None,
        Cow::Owned(wider) => Some((wider, renamed)),
    }
}
