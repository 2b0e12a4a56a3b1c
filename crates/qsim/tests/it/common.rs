//! Helpers of several tests.

use kibitz_qsim::{
    Behavior, BehaviorTree, BundledSystem, Options, PartialState, State, System, ValueSet,
};

pub(crate) fn bundled(name: &str) -> System {
    let found = BundledSystem::find(name).expect("it comes with the crate");
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

/// All behaviors by their endings and last states: `quiescent: t2 a0/std b0/std`.
pub(crate) fn endings_of(system: &System, options: &Options) -> String {
    let tree = system
        .model
        .simulate(&system.initial, options)
        .expect("a start");
    let behaviors = tree.behaviors();
    let lines = behaviors.iter().map(|behavior| {
        let last = shown(&tree, behavior).pop().expect("a state");
        format!("{}: {last}\n", behavior.ending)
    });
    lines.collect()
}

/// The state as a partial one.
pub(crate) fn exactly(state: &State) -> PartialState {
    state.iter().map(|value| ValueSet::one(*value)).collect()
}
