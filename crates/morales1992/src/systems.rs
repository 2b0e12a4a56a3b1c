//! The bundled systems of `kibitz-qsim` by name.

use kibitz_experiment::Problems;
use kibitz_qsim::{
    BUNDLED, BundledSystem, Direction, PartialState, QValue, QuantitySpace, State, System,
    ValueSet, Variable,
};

/// The system of this name; `None` if there is none.
pub(crate) fn find(name: &str) -> Option<System> {
    BundledSystem::find(name)?.read().ok()
}

/// The system of this name; reports an unknown name at `path`.
pub(crate) fn check(path: &str, name: &str, problems: &mut Problems) -> Option<System> {
    let found = find(name);
    let known: Vec<&str> = BUNDLED.iter().map(|bundled| bundled.name).collect();
    let message = format!("no system `{name}`; there are {}", known.join(", "));
    problems.require(found.is_some(), path, message);
    found
}

/// The indices of a space's variables in a system; `None` if one is missing or has another quantity
/// space.
pub(crate) fn places(space: &System, system: &System) -> Option<Vec<usize>> {
    let variables = space.model.variables().iter();
    let place = |variable: &Variable| {
        let place = system.model.variable(&variable.name)?;
        (system.model.variables()[place].space == variable.space).then_some(place)
    };
    variables.map(place).collect()
}

/// Whether the constraints hold for these values of the variables at `places` and some values of the
/// others.
pub(crate) fn accepts(system: &System, places: &[usize], state: &State) -> bool {
    let mut partial: PartialState = system.model.anything();
    for (place, value) in places.iter().zip(state) {
        partial[*place] = ValueSet::one(*value);
    }
    system.model.accepts_partial(&partial)
}

/// Reads a value such as `0..la0/dec`.
pub(crate) fn value(space: &QuantitySpace, text: &str) -> Option<QValue> {
    let (magnitude, direction) = text.split_once('/')?;
    let magnitude = (space.magnitudes()).find(|known| space.name(*known) == magnitude)?;
    let direction = (Direction::ALL.into_iter()).find(|known| known.name() == direction)?;
    Some(QValue::new(magnitude, direction))
}
