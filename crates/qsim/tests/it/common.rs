//! Helpers of several tests.

use kibitz_qsim::{Behavior, BehaviorTree, Bundled, PartialState, State, System, ValueSet};

pub(crate) fn bundled(name: &str) -> System {
    let found = Bundled::find(name).expect("it comes with the crate");
    found.read().expect("it is right")
}

/// The behavior's states as text, with times: `t0 la0/dec lb0/inc`.
pub(crate) fn shown(tree: &BehaviorTree<'_>, behavior: &Behavior) -> Vec<String> {
    let n = tree.model().variables().len();
    let lines = behavior.states.iter().map(|&number| {
        let state = tree.state(number);
        let values: Vec<String> = (0..n).map(|variable| state.show(variable)).collect();
        format!("{} {}", state.time_label(), values.join(" "))
    });
    lines.collect()
}

/// The state as a partial one.
pub(crate) fn exactly(state: &State) -> PartialState {
    state.iter().map(|value| ValueSet::one(*value)).collect()
}
