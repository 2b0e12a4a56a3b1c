//! Simulations of the bundled systems against the literature.

use kibitz_qsim::{BUNDLED, Ending, Filter, Options, RemovedSuccessor, StartError, System};

use crate::common::{bundled, shown};

fn endings(system: &System) -> Vec<Ending> {
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .expect("it starts");
    assert!(tree.is_complete());
    tree.behaviors()
        .iter()
        .map(|behavior| behavior.ending)
        .collect()
}

#[test]
fn every_system_that_comes_with_the_crate_is_right() {
    for found in BUNDLED {
        let system = found.read().unwrap_or_else(|problems| panic!("{problems}"));
        assert!(!system.title.is_empty() && !system.source.is_empty());
        if !system.initial.is_empty() {
            assert!(!endings(&system).is_empty(), "{}", found.name);
        }
    }
}

/// Kuipers 1986: equilibrium exactly at the top, overflow, equilibrium at a new landmark.
#[test]
fn the_bathtub_has_three_behaviors() {
    let system = bundled("bathtub");
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let lasts: Vec<(Ending, String)> = (tree.behaviors().iter())
        .map(|behavior| (behavior.ending, shown(&tree, behavior).pop().unwrap()))
        .collect();
    let amount = 0;
    assert_eq!(
        lasts,
        [
            (
                Ending::Quiescent,
                "t1 full/std top/std outflow*1/std if/std 0/std".into()
            ),
            (
                Ending::OutOfRange(amount),
                "t1 full/inc top/inc 0..inf/inc if/std 0..inf/dec".into()
            ),
            (
                Ending::Quiescent,
                "t1 amount*1/std level*1/std outflow*1/std if/std 0/std".into()
            ),
        ]
    );
    // The new landmarks are corresponding values.
    let below = &tree.behaviors()[2];
    let last = tree.state(*below.states.last().unwrap());
    assert_eq!(last.discovered_values(0), [["amount*1", "level*1"]]);
    assert_eq!(last.discovered_values(2), [["0", "outflow*1", "if"]]);
}

/// Kuipers 1986: the motion closes after eight transitions.
#[test]
fn the_spring_without_friction_comes_back() {
    let system = bundled("spring");
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let behaviors = tree.behaviors();
    assert_eq!(behaviors.len(), 1);
    assert_eq!(behaviors[0].ending, Ending::Cycle(0));
    assert_eq!(behaviors[0].states.len(), 1 + 8);
}

/// Without the energy constraint it passes the place of rest slower, as fast or faster:
/// the branch that Kuipers 1986 shows to be spurious.
#[test]
fn without_energy_the_spring_branches() {
    let system = bundled("spring");
    let options = Options {
        energy: false,
        new_landmarks: false,
        ..system.options.clone()
    };
    let tree = system.model.simulate(&system.initial, &options).unwrap();
    // The velocity at which each behavior first passes again.
    let mut velocities: Vec<String> = (tree.behaviors().iter())
        .filter_map(|behavior| {
            let later = behavior.states[1..]
                .iter()
                .map(|number| tree.state(*number));
            let mut passes = later.filter(|state| state.show(0) == "0/inc");
            passes.next().map(|state| state.show(1))
        })
        .filter(|velocity| velocity.ends_with("/std"))
        .collect();
    velocities.sort();
    velocities.dedup();
    assert_eq!(velocities, ["0..v0/std", "v0..inf/std", "v0/std"]);
}

/// With friction it creeps to rest, or passes the place of rest once and creeps back, or swings
/// with smaller and smaller turns; the energy refuses a turn as far as the first.
#[test]
fn the_spring_with_friction_has_three_behaviors() {
    let system = bundled("damped-spring");
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let found: Vec<(usize, Ending)> = (tree.behaviors().iter())
        .map(|behavior| {
            let through = behavior.states.iter().map(|number| tree.state(*number));
            // Passes through the place of rest.
            let passes = through.filter(|state| matches!(&*state.show(0), "0/inc" | "0/dec"));
            (passes.count(), behavior.ending)
        })
        .collect();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0], (0, Ending::Quiescent));
    assert_eq!(found[2], (1, Ending::Quiescent));
    assert!(matches!(found[1], (2, Ending::Cycle(_))));
    let turns = |tree: &kibitz_qsim::BehaviorTree<'_>| {
        let all = tree.states().filter(|state| state.time() > 0);
        let mut turns: Vec<String> = all
            .map(|state| state.show(0))
            .filter(|x| x.ends_with("/std") && !x.starts_with('m') && !x.starts_with("0/"))
            .collect();
        turns.sort();
        turns.dedup();
        turns
    };
    assert_eq!(turns(&tree), ["0..x0/std"]);
    let options = Options {
        energy: false,
        ..system.options.clone()
    };
    let free = system.model.simulate(&system.initial, &options).unwrap();
    assert_eq!(turns(&free), ["0..x0/std", "x0..inf/std", "x0/std"]);
}

/// Kuipers 1986: up to a new landmark and down again.
#[test]
fn the_ball_rises_and_falls() {
    let system = bundled("ball");
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let behaviors = tree.behaviors();
    assert_eq!(behaviors.len(), 1);
    assert_eq!(behaviors[0].ending, Ending::OutOfRange(0));
    assert_eq!(
        shown(&tree, &behaviors[0]),
        [
            "t0 0/inc v0/dec g/std",
            "(t0,t1) 0..inf/inc 0..v0/dec g/std",
            "t1 y*1/std 0/dec g/std",
            "(t1,t2) 0..y*1/dec minf..0/dec g/std",
            "t2 0/dec minf..0/dec g/std",
        ]
    );
}

/// A transition between regions: at the ground the ball turns around.
#[test]
fn the_ball_bounces_to_where_it_was() {
    let system = bundled("bouncing-ball");
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let behaviors = tree.behaviors();
    assert_eq!(endings(&system), [Ending::Cycle(0)]);
    let times: Vec<String> = (behaviors[0].states.iter())
        .map(|number| tree.state(*number).time_label())
        .collect();
    assert_eq!(times, ["t0", "(t0,t1)", "t1", "(t1,t2)", "t2", "t2"]);
}

/// The tanks fill without overshooting: each comes to rest with or after the one above it.
#[test]
fn cascades_come_to_rest_from_the_top() {
    for (name, n) in [("two-tanks", 2), ("three-tanks", 4)] {
        assert_eq!(
            endings(&bundled(name)),
            vec![Ending::Quiescent; n],
            "{name}"
        );
    }
}

/// An unconstrained direction chatters without end, unless it is ignored.
#[test]
fn chatter_is_endless_and_can_be_ignored() {
    let mut system = bundled("two-tanks");
    assert_eq!(system.model.chattering(), [6]);
    system.options.ignore_chatter = false;
    system.options.cycles = false;
    system.options.max_states = 300;
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let message = tree.limit_message().unwrap();
    assert!(!tree.is_complete() && tree.behaviors().len() > 9);
    assert!(
        message.starts_with("the limit on states, 300, is reached: "),
        "{message}"
    );
    assert!(
        message.contains("(netflow-b) with ignore-chatter"),
        "{message}"
    );
}

#[test]
fn an_explanation_names_filters_and_constraints() {
    let mut system = bundled("spring");
    system.options.explain = true;
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let by_energy = tree.removals().iter().filter(|removal| {
        matches!(
            removal.removed,
            RemovedSuccessor::State {
                filter: Filter::Energy,
                ..
            }
        )
    });
    assert!(by_energy.count() > 0);
    let first = tree
        .removals()
        .iter()
        .find_map(|removal| match &removal.removed {
            RemovedSuccessor::Value { constraint, .. } => {
                Some(system.model.constraint_name(*constraint))
            }
            RemovedSuccessor::State { .. } => None,
        });
    assert!(first.is_some());
}

/// The graph holds the states of the tree, each once, if no landmarks are discovered.
#[test]
fn the_envisionment_holds_the_tree() {
    for name in [
        "u-tube",
        "spring",
        "damped-spring",
        "two-tanks",
        "three-tanks",
    ] {
        let system = bundled(name);
        let options = Options {
            new_landmarks: false,
            energy: false,
            ..system.options.clone()
        };
        let tree = system.model.simulate(&system.initial, &options).unwrap();
        let graph = system.model.envision(&system.initial, &options).unwrap();
        assert!(tree.is_complete() && graph.is_complete(), "{name}");
        let mut of_tree: Vec<_> = tree.states().map(|s| (s.phase(), s.values())).collect();
        let mut of_graph: Vec<_> = (0..graph.len())
            .map(|at| (graph.phase(at), graph.values(at)))
            .collect();
        of_tree.sort_unstable();
        of_tree.dedup();
        of_graph.sort_unstable();
        assert_eq!(of_tree, of_graph, "{name}");
    }
}

/// The spring's envisionment is one cycle of eight states, as its motion.
#[test]
fn the_envisionment_finds_cycles() {
    let system = System::from_toml(
        "spring.toml",
        &kibitz_qsim::BundledSystem::find("spring")
            .unwrap()
            .toml
            .replace("\"0\", \"v0\"", "\"0\"")
            .replace("v = \"v0\"", "v = \"0..inf\""),
    )
    .unwrap();
    let graph = system
        .model
        .envision(&system.initial, &Options::default())
        .unwrap();
    assert_eq!(graph.cycles(), [[0, 1, 2, 3, 4, 5, 6, 7]]);
    let all = system.model.envision_all(&Options::default()).unwrap();
    assert!(all.len() > graph.len());
}

/// A pen on its tip: a system at rest stays there, unless departures are enabled.
const PEN: &str = r#"
title = "A pen on its tip"
[variables]
lean = { landmarks = ["minf", "0", "inf"] }
fall = { landmarks = ["minf", "0", "inf"] }
[[constraints]]
kind = "m_plus"
of = ["lean", "fall"]
corresponding = [["0", "0"], ["inf", "inf"], ["minf", "minf"]]
[[constraints]]
kind = "deriv"
of = ["lean", "fall"]
[[initial]]
lean = "0"
"#;

#[test]
fn an_unstable_equilibrium_is_left_on_request() {
    let mut system = System::from_toml("pen.toml", PEN).unwrap();
    assert_eq!(endings(&system), [Ending::Quiescent]);
    system.options.departures = true;
    assert_eq!(
        endings(&system),
        [Ending::Quiescent, Ending::Divergent, Ending::Divergent]
    );
}

/// A tank whose drain opens when it is full: constraints of one region, an end in the other.
const SIPHON: &str = r#"
title = "A siphon"
[variables]
amount = { landmarks = ["0", "full"] }
gain = { landmarks = ["minf", "0", "inf"] }
[[constraints]]
kind = "deriv"
of = ["amount", "gain"]
[[constraints]]
kind = "constant"
of = ["gain"]
[[constraints]]
kind = "m_minus"
of = ["gain", "gain"]
regions = ["stuck"]
[[regions]]
name = "filling"
transitions = [{ when = { amount = "full/inc" }, to = "draining", set = { gain = "minf..0" } }]
[[regions]]
name = "draining"
transitions = [{ when = { amount = "0" } }]
[[regions]]
name = "stuck"
[[initial]]
amount = "0"
gain = "0..inf"
"#;

#[test]
fn regions_are_entered_and_left() {
    let system = System::from_toml("siphon.toml", SIPHON).unwrap();
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let behaviors = tree.behaviors();
    assert_eq!(behaviors.len(), 1);
    assert_eq!(behaviors[0].ending, Ending::Exit(0));
    assert_eq!(
        shown(&tree, &behaviors[0]),
        [
            "t0 0/inc 0..inf/std",
            "(t0,t1) 0..full/inc 0..inf/std",
            "t1 full/inc 0..inf/std",
            "t1 full/dec minf..0/std",
            "(t1,t2) 0..full/dec minf..0/std",
            "t2 0/dec minf..0/std",
        ]
    );
    let graph = system
        .model
        .envision(&system.initial, &system.options)
        .unwrap();
    assert_eq!(
        (graph.len(), graph.region(5), graph.ending(5)),
        (6, 1, Some(Ending::Exit(0)))
    );
}

/// A transition to a region without a legal entry ends a behavior in a way of its own, in the tree and
/// in the envisionment.
#[test]
fn a_region_without_an_entry_is_an_ending() {
    let stuck = SIPHON
        .replace("to = \"draining\"", "to = \"stuck\"")
        .replace(
            "[\"stuck\"]",
            "[\"stuck\"]\ncorresponding = [[\"0\", \"0\"]]",
        );
    let system = System::from_toml("siphon.toml", &stuck).unwrap();
    let tree = system
        .model
        .simulate(&system.initial, &system.options)
        .unwrap();
    let ends = |ending: Option<Ending>| ending == Some(Ending::NoEntry(0));
    let behaviors = tree.behaviors();
    assert!(!behaviors.is_empty());
    assert!(behaviors.iter().all(|behavior| ends(Some(behavior.ending))));
    let graph = system
        .model
        .envision(&system.initial, &system.options)
        .unwrap();
    assert!((0..graph.len()).all(|number| graph.is_consistent(number)));
    assert!((0..graph.len()).any(|number| ends(graph.ending(number))));
}

#[test]
fn envisionments_have_a_limit() {
    let mut system = bundled("three-tanks");
    system.options.max_states = 5;
    let graph = system
        .model
        .envision(&system.initial, &system.options)
        .unwrap();
    assert!(!graph.is_complete());
    assert!(
        graph
            .limit_message()
            .unwrap()
            .starts_with("the limit on states, 5, is reached")
    );
    let all = system.model.envision_all(&system.options);
    assert_eq!(
        all.unwrap_err().to_string(),
        "there are more initial states than the limit on states, 5"
    );
}

/// The successors that an explanation refuses do not follow, and explanations are kept only if asked
/// for.
#[test]
fn envisionments_are_explained() {
    for name in ["bathtub", "two-tanks", "damped-spring"] {
        let system = bundled(name);
        let explain = |explain| {
            let options = Options {
                explain,
                ..system.options.clone()
            };
            system.model.envision(&system.initial, &options).unwrap()
        };
        let envisionment = explain(true);
        assert!(explain(false).removals().is_empty());
        assert_eq!(envisionment.len(), explain(false).len());
        assert!(!envisionment.removals().is_empty());
        for removal in envisionment.removals() {
            let next = envisionment.successors(removal.state).iter();
            let mut next = next.map(|number| envisionment.values(*number as usize));
            let follows = match &removal.removed {
                RemovedSuccessor::Value {
                    variable, value, ..
                } => next.any(|state| state[*variable] == *value),
                RemovedSuccessor::State { values, .. } => next.any(|state| *state == **values),
            };
            assert!(!follows, "{name}: {removal:?}");
        }
    }
}

#[test]
fn whoever_waits_may_stop() {
    let System {
        model,
        initial,
        options,
        ..
    } = &bundled("bathtub");
    for asked in 0..4 {
        let mut left = asked;
        let mut keep_going = || {
            left = left.max(1) - 1;
            left > 0
        };
        let stopped = [
            (model.simulate_while(initial, options, &mut keep_going)).err(),
            (model.envision_while(initial, options, &mut keep_going)).err(),
            (model.envision_all_while(options, &mut keep_going)).err(),
        ];
        assert_eq!(stopped, [const { Some(StartError::Interrupted) }; 3]);
    }
    let whole = model.simulate(initial, options).expect("it starts");
    let watched = model.simulate_while(initial, options, &mut || true);
    assert_eq!(watched.expect("it starts").behaviors(), whole.behaviors());
}
