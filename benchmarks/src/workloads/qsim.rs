//! Qualitative simulation beside the Python package qualitative-qsim.

use std::{collections::BTreeSet, process::Command, time::Instant};

use anyhow::{Context, bail, ensure};
use kibitz_qsim::{BehaviorTree, BundledSystem, System};
use serde::Deserialize;

use super::{Answer, SECONDS, SkippedComparison, Workload};

/// How often each program simulates; the fastest counts.
const REPETITIONS: usize = 50;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// One of the systems that come with `kibitz-qsim`.
    system: String,
}

pub(crate) struct Qsim {
    bundled: BundledSystem,
    system: System,
    /// Our own answer: every behavior as its states, each as its values.
    behaviors: BTreeSet<Vec<Vec<String>>>,
}

/// The answer of the Python program.
#[derive(Deserialize)]
struct PythonAnswer {
    seconds: f64,
    behaviors: Vec<Vec<Vec<String>>>,
}

impl Qsim {
    pub(crate) fn prepare(params: &Params) -> anyhow::Result<Self> {
        let Some(bundled) = BundledSystem::find(&params.system) else {
            bail!("unknown system `{}`", params.system);
        };
        let system = bundled.read()?;
        let tree = system.model.simulate(&system.initial, &system.options)?;
        let behaviors = tree.behaviors();
        let behaviors = behaviors.iter().map(|behavior| {
            let states = behavior.states.iter();
            canonical(states.map(|number| values(&tree, *number)).collect())
        });
        Ok(Self {
            behaviors: behaviors.collect(),
            bundled,
            system,
        })
    }

    fn kibitz(&self) -> anyhow::Result<Answer> {
        let mut seconds = f64::INFINITY;
        let mut n = 0;
        for _ in 0..REPETITIONS {
            let start = Instant::now();
            let tree = (self.system.model).simulate(&self.system.initial, &self.system.options)?;
            n = tree.behaviors().len();
            seconds = seconds.min(start.elapsed().as_secs_f64());
        }
        Ok(answer(seconds, n, 0))
    }

    fn python(&self) -> anyhow::Result<Answer> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("system.toml");
        std::fs::write(&file, self.bundled.toml)?;
        let tree = (self.system.model).simulate(&self.system.initial, &self.system.options)?;
        let names = (self.system.model.variables().iter()).map(|variable| variable.name.clone());
        let initial: serde_json::Value = names.zip(values(&tree, 0)).collect();
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/programs/qualitative_qsim.py");
        let run = Command::new("python3")
            .arg(program)
            .arg(&file)
            .args([initial.to_string(), REPETITIONS.to_string()])
            .output();
        let missing = || {
            let how = "needs python3 (3.11) with pip install --no-deps qualitative-qsim";
            SkippedComparison(how.to_owned())
        };
        let output = run.map_err(|_| missing())?;
        let errors = String::from_utf8_lossy(&output.stderr);
        if errors.contains("ModuleNotFoundError") {
            return Err(missing().into());
        }
        ensure!(
            output.status.success(),
            "the Python program fails: {errors}"
        );
        let found: PythonAnswer = serde_json::from_slice(&output.stdout)
            .context("the Python program answers something else")?;
        let theirs: BTreeSet<_> = found.behaviors.into_iter().map(canonical).collect();
        let different = self.behaviors.symmetric_difference(&theirs).count();
        Ok(answer(found.seconds, theirs.len(), different))
    }
}

fn answer(seconds: f64, n_behaviors: usize, different: usize) -> Answer {
    Answer::from([
        (SECONDS.to_owned(), seconds),
        ("behaviors".to_owned(), n_behaviors as f64),
        ("different".to_owned(), different as f64),
    ])
}

fn values(tree: &BehaviorTree<'_>, number: usize) -> Vec<String> {
    let variables = 0..tree.model().variables().len();
    variables
        .map(|variable| tree.state(number).show(variable))
        .collect()
}

/// The behavior up to where a point in time comes back, without points in time at which only
/// directions change that chatter.
fn canonical(mut states: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let same_but_chatter = |a: &[String], b: &[String]| {
        a.iter().zip(b).all(|(a, b)| {
            let (magnitudes, directions): (Vec<_>, Vec<_>) = [a, b]
                .iter()
                .filter_map(|value| value.split_once('/'))
                .unzip();
            magnitudes[0] == magnitudes[1] && (a == b || directions.contains(&"?"))
        })
    };
    let mut at = 1;
    while at + 2 < states.len() {
        let [before, point, after] = [at, at + 1, at + 2].map(|number| &states[number]);
        if same_but_chatter(before, point) && same_but_chatter(point, after) {
            states.drain(at..at + 2);
        } else {
            at += 2;
        }
    }
    let points = (2..states.len()).step_by(2);
    let again = points.clone().find(|&later| {
        (0..later)
            .step_by(2)
            .any(|earlier| states[earlier] == states[later])
    });
    if let Some(end) = again {
        states.truncate(end + 1);
    }
    states
}

impl Workload for Qsim {
    fn unit(&self) -> &'static str {
        "simulations"
    }

    fn n_items(&self) -> u64 {
        1
    }

    fn run(&self, engine: &str) -> anyhow::Result<Answer> {
        match engine {
            "kibitz" => self.kibitz(),
            "qualitative-qsim" => self.python(),
            _ => bail!("unknown engine `{engine}`: kibitz and qualitative-qsim are known"),
        }
    }
}
