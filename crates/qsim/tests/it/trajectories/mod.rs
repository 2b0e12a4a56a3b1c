//! Every real behavior is found: random concrete systems are integrated numerically, and their
//! trajectories are among the behaviors of their qualitative models.

mod families;
mod network;
mod switched;

use std::fmt::Write as _;

use kibitz_qsim::{
    CheckError, CheckParams, CoverStep, Direction, Ending, Options, System, Trajectory,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use families::{FAMILIES, Family, Member};
use network::Run;

/// Systems of each family in a usual run; `KIBITZ_TRAJECTORIES` says another number.
const N_SYSTEMS: u64 = 3;

/// Numbers are known much better than measured ones.
fn params() -> CheckParams {
    CheckParams {
        tolerance: 1e-7,
        steady: 1e-6,
        ..CheckParams::default()
    }
}

#[derive(Default)]
struct Tally {
    samples: usize,
    trajectories: usize,
    states: usize,
    undecided: usize,
    turned: usize,
    refused: usize,
    walked: usize,
    uncovered: Vec<String>,
}

impl Tally {
    fn check(&mut self, what: &str, system: &System, trajectory: &Trajectory) {
        self.trajectories += 1;
        match system.cover(trajectory, &params()) {
            Ok(cover) => {
                self.states += cover.path.len();
                self.walk(what, system, &cover.path);
            }
            Err(CheckError::Uncovered(found)) => {
                let told = found.diagnostic(system, trajectory);
                self.uncovered.push(format!("{what}: {told}"));
            }
            Err(_) => self.undecided += 1,
        }
    }
}

impl Tally {
    /// Goes along a path in the tree of behaviors, where it is not too large: from a state that ends as a
    /// repetition it goes on as from the earlier one.
    fn walk(&mut self, what: &str, system: &System, path: &[CoverStep]) {
        let options = Options {
            max_states: 5_000,
            ..system.options.clone()
        };
        let Ok(tree) = system.model.simulate(&system.initial, &options) else {
            return;
        };
        if !tree.is_complete() {
            return;
        }
        self.walked += 1;
        let is_at = |number: usize, step: &CoverStep| {
            let state = tree.state(number);
            // Where a behavior ends at infinity, the tree leaves the directions of infinite values open.
            let alike = state.values().iter().zip(&*step.state).all(|(own, other)| {
                let is_open = own.direction() == Direction::Ignored;
                own.magnitude() == other.magnitude()
                    && (is_open || own.direction() == other.direction())
            });
            state.region() == step.region && state.phase() == step.phase && alike
        };
        let mut here: Vec<usize> = (tree.states())
            .filter(|state| state.parent().is_none() && is_at(state.number(), &path[0]))
            .map(kibitz_qsim::TreeState::number)
            .collect();
        for (at, step) in path.iter().enumerate().skip(1) {
            let next = here.iter().flat_map(|&number| {
                let from = match tree.state(number).ending() {
                    Some(Ending::Cycle(earlier) | Ending::Drift { earlier, .. }) => earlier,
                    _ => number,
                };
                tree.state(from).children()
            });
            let next: Vec<usize> = next.filter(|number| is_at(*number, step)).collect();
            // A state that lasts may be repeated.
            let stays = path[at - 1].state == step.state && next.is_empty();
            if next.is_empty() && !stays {
                let shown = system.model.show(&step.state);
                self.uncovered
                    .push(format!("{what}: no behavior of the tree goes to {shown}"));
                return;
            }
            if !stays {
                here = next;
            }
        }
    }
}

/// The same with the signs of one variable turned: usually of no behavior.
fn turned(run: &Run, rng: &mut ChaCha8Rng) -> Option<Trajectory> {
    let moves = |column: &&usize| {
        let column = &run.columns[**column];
        column.iter().any(|x| (x - column[0]).abs() > 1e-3)
    };
    let all: Vec<usize> = (0..run.columns.len()).collect();
    let moving: Vec<usize> = all.iter().filter(moves).copied().collect();
    let chosen = *moving.get(rng.random_range(0..moving.len().max(1)))?;
    let mut columns = run.columns.clone();
    columns[chosen].iter_mut().for_each(|x| *x = -*x);
    let times = run.times.clone();
    Some(Run { times, columns }.trajectory())
}

/// A random system: its trajectory, its model, and the model without some directions.
fn member(member: &Member, rng: &mut ChaCha8Rng) -> (Run, System, System) {
    match member {
        Member::Network(build) => {
            let mut net = build(rng);
            let run = net.run(rng.random_range(0.005..0.03), 300);
            net.choose_landmarks(&run, rng);
            let variables = 0..run.columns.len();
            let ignored: Vec<usize> = variables.filter(|_| rng.random_bool(0.3)).collect();
            (run, net.system(&[]), net.system(&ignored))
        }
        Member::Switched(build) => {
            let found = build(rng);
            let (system, ignored) = (found.system(false), found.system(true));
            (found.run, system, ignored)
        }
    }
}

fn check_family(family: &Family, n_systems: u64) -> Tally {
    let mut tally = Tally::default();
    for number in 0..n_systems {
        let mut rng = ChaCha8Rng::seed_from_u64(number);
        let (run, mut system, mut ignored) = member(&family.member, &mut rng);
        system.options.max_states = 100_000;
        system.options.ignore_chatter = false;
        ignored.options.max_states = 100_000;
        tally.samples += run.times.len();
        let trajectory = run.trajectory();
        let what = format!("{} {number}", family.name);
        tally.check(&what, &system, &trajectory);
        let mut abstracted = system.clone();
        abstracted.options.ignore_chatter = true;
        tally.check(&format!("{what}, ignore-chatter"), &abstracted, &trajectory);
        tally.check(&format!("{what}, ignore-direction"), &ignored, &trajectory);
        if let Some(trajectory) = turned(&run, &mut rng) {
            let found = system.cover(&trajectory, &params());
            tally.turned += 1;
            tally.refused += usize::from(matches!(found, Err(CheckError::Uncovered(_))));
        }
    }
    tally
}

#[test]
fn trajectories_of_concrete_systems_are_covered() {
    let given = std::env::var("KIBITZ_TRAJECTORIES");
    let n_systems = given.map_or(N_SYSTEMS, |n| n.parse().expect("a number of systems"));
    let mut table =
        "| family | systems | samples | trajectories | states of the behaviors | uncovered | \
                     undecided | turned, and refused |\n"
            .to_owned();
    let mut uncovered = Vec::new();
    let (mut trajectories, mut undecided) = (0, 0);
    let (mut turned, mut refused, mut walked) = (0, 0, 0);
    for family in &FAMILIES {
        let tally = check_family(family, n_systems);
        let _ = writeln!(
            table,
            "| {} | {n_systems} | {} | {} | {} | {} | {} | {} of {} |",
            family.name,
            tally.samples,
            tally.trajectories,
            tally.states,
            tally.uncovered.len(),
            tally.undecided,
            tally.refused,
            tally.turned
        );
        uncovered.extend(tally.uncovered);
        trajectories += tally.trajectories;
        undecided += tally.undecided;
        turned += tally.turned;
        refused += tally.refused;
        walked += tally.walked;
    }
    let first: Vec<String> = uncovered.iter().take(5).cloned().collect();
    assert!(uncovered.is_empty(), "{table}\n{}", first.join("\n\n"));
    // Near rest, where any direction is possible, some systems have too many states.
    assert!(100 * undecided <= trajectories, "{table}");
    // Trees of systems that are watched for a while are often too large.
    assert!(
        4 * walked > trajectories,
        "{walked} of {trajectories}\n{table}"
    );
    // A check that accepted everything would find nothing.
    assert!(10 * refused > 8 * turned, "{table}");
    if n_systems != N_SYSTEMS {
        println!("{table}");
    }
}
