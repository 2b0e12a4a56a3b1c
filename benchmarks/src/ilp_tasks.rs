//! Every learning task under a folder by every system: accuracy on examples that were held out, size of
//! the theory, time and memory.
//!
//! A task is one folder in a layout that `kibitz-ilp` reads. Its split stands in `split.toml`, in the
//! folder or in the nearest one above it; see [`Split`]. A system is one file in `benchmarks/systems/`.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use kibitz_ilp::{Confusion, Problem, Source, Task};
use kibitz_prolog::{Atom, Limits};
use serde::Deserialize;

use crate::process::{self, Run};
use crate::theory_text::clauses_in;
use crate::workloads::SkippedComparison;

/// Folders within each other that are looked into for tasks.
const MAX_NESTED: usize = 4;

/// A file in `benchmarks/systems/`: a program that reads a layout and prints clauses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct System {
    title: String,
    /// Looked up beside this program, then among the installed ones.
    command: String,
    /// `{popper}`, `{foil}` and `{aleph}` stand for the folder and the files of the training part.
    arguments: Vec<String>,
    /// What it reads from its standard input, in the same way.
    stdin: Option<String>,
    /// What to say where it is missing, or prints no clause.
    missing: String,
}

/// Which examples are held out; `split.toml` names one of these.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Split {
    /// A file with the test examples, as `pos(...)` and `neg(...)`; all others are for training.
    test_file: Option<String>,
    /// So many of every ten examples of a sign, in the order of the files, are for training.
    train_of_ten: Option<usize>,
    /// A share of the examples of each sign is for testing, drawn at random [default: 0.3].
    test_share: Option<f64>,
    /// Seed of the draw [default: 1].
    seed: Option<u64>,
}

impl Split {
    /// The split that is stated for a folder.
    fn of(folder: &Path, root: &Path) -> anyhow::Result<Self> {
        for folder in folder.ancestors() {
            let file = folder.join("split.toml");
            if file.is_file() {
                let text = fs::read_to_string(&file)?;
                return toml::from_str(&text).with_context(|| format!("in {}", file.display()));
            }
            if folder == root {
                break;
            }
        }
        Ok(Self::default())
    }

    /// Takes the test examples out of a task.
    fn take(&self, task: &mut Task, folder: &Path) -> anyhow::Result<[Vec<Atom>; 2]> {
        if let Some(name) = &self.test_file {
            let text = fs::read_to_string(folder.join(name))
                .with_context(|| format!("cannot read {}", folder.join(name).display()))?;
            return Ok(task.read_examples(Source { name, text: &text })?);
        }
        if let Some(n) = self.train_of_ten {
            let mut test = [Vec::new(), Vec::new()];
            for (side, test) in [&mut task.positive, &mut task.negative]
                .into_iter()
                .zip(&mut test)
            {
                let all = std::mem::take(side).into_iter().enumerate();
                for (i, example) in all {
                    let part = if i % 10 < n { &mut *side } else { &mut *test };
                    part.push(example);
                }
            }
            return Ok(test);
        }
        let split = task.held_out(self.test_share.unwrap_or(0.3), self.seed.unwrap_or(1));
        [task.positive, task.negative] = split.training;
        Ok(split.test)
    }
}

/// What a system made of a task.
struct Outcome {
    test: Confusion,
    n_clauses: usize,
    n_literals: usize,
    run: Run,
}

/// Learns every task in the folders under this one with every system and prints a table.
pub(crate) fn run(root: &Path, wanted: &[String], limit: Duration) -> anyhow::Result<()> {
    let systems = systems(wanted)?;
    let mut folders = Vec::new();
    task_folders(root, MAX_NESTED, &mut folders)?;
    anyhow::ensure!(!folders.is_empty(), "{} holds no tasks", root.display());
    for (name, system) in &systems {
        println!("- {name}: {}", system.title);
    }
    println!(
        "\n| task | system | test accuracy % | right | clauses | literals | s | processor s | MiB |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    // Skipped tasks are not counted as answered, so that a system without a program here is not
    // rated as wrong.
    let mut exact = vec![[0; 2]; systems.len()];
    for folder in &folders {
        let name = folder.strip_prefix(root).unwrap_or(folder).display();
        // One unreadable task must not end a benchmark of hours.
        let prepared = match PreparedTask::new(folder, root) {
            Ok(prepared) => prepared,
            Err(error) => {
                let reason = format!("{error:#}");
                println!(
                    "| {name} | not read: {} |",
                    reason.lines().next().unwrap_or("")
                );
                continue;
            }
        };
        for ((system_name, system), [right, all]) in systems.iter().zip(&mut exact) {
            let outcome = match prepared.solve(system, limit) {
                Ok(outcome) => outcome,
                Err(error) if error.is::<SkippedComparison>() => {
                    println!("| {name} | {system_name} | skipped: {error} |");
                    continue;
                }
                Err(error) => return Err(error.context(format!("{name} by {system_name}"))),
            };
            let Outcome { test, run, .. } = &outcome;
            let n_right = test.tp + test.tn;
            *all += 1;
            *right += usize::from(n_right == test.n());
            let share = test
                .accuracy()
                .map_or("-".to_owned(), |it| format!("{:.2}", 100.0 * it.value));
            let number = |own: Option<f64>, digits| {
                own.map_or("-".to_owned(), |own| format!("{own:.digits$}"))
            };
            println!(
                "| {name} | {system_name} | {share} | {n_right}/{} | {} | {} | {:.3} | {} | {} |",
                test.n(),
                outcome.n_clauses,
                outcome.n_literals,
                run.seconds,
                number(run.processor_seconds, 2),
                number(run.memory_mib, 0)
            );
        }
    }
    println!("\n| system | tasks exact | tasks answered |\n| --- | ---: | ---: |");
    for ((name, _), [right, all]) in systems.iter().zip(exact) {
        println!("| {name} | {right} | {all} |");
    }
    Ok(())
}

/// The systems whose name contains one of these, or all.
fn systems(wanted: &[String]) -> anyhow::Result<Vec<(String, System)>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/systems"));
    let mut systems = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part)) {
            let text = fs::read_to_string(&path)?;
            let system = toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
            systems.push((name, system));
        }
    }
    systems.sort_by(|(a, _), (b, _)| a.cmp(b));
    anyhow::ensure!(!systems.is_empty(), "no system matches");
    Ok(systems)
}

/// The folders that hold files of a task's layout, in the order of their names.
fn task_folders(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    let has = |name: &str| paths.iter().any(|path| path.ends_with(name));
    let ends = |ending: &str| {
        let mut paths = paths.iter();
        paths.any(|path| path.extension().is_some_and(|own| own == ending))
    };
    let is_popper = has("bias.pl") && has("exs.pl");
    if is_popper || ends("b") || ends("d") || (ends("pl") && !has("exs.pl")) {
        found.push(folder.to_owned());
    }
    for path in paths.iter().filter(|path| depth > 0 && path.is_dir()) {
        task_folders(path, depth - 1, found)?;
    }
    Ok(())
}

/// A task whose training part stands in files.
struct PreparedTask {
    task: Task,
    test: [Vec<Atom>; 2],
    files: tempfile::TempDir,
    /// The reason why FOIL has no file.
    without_foil: Option<String>,
}

impl PreparedTask {
    fn new(folder: &Path, root: &Path) -> anyhow::Result<Self> {
        let mut task = Task::from_dir(folder)?;
        let test = Split::of(folder, root)?.take(&mut task, folder)?;
        let files = tempfile::tempdir()?;
        let popper = files.path().join("popper");
        fs::create_dir(&popper)?;
        for (name, text) in task.to_popper() {
            // What the task's own files say is more than what is read of them.
            let own = folder.join(name);
            if name != "exs.pl" && folder.join("bias.pl").is_file() && own.is_file() {
                fs::copy(&own, popper.join(name))?;
            } else {
                fs::write(popper.join(name), text)?;
            }
        }
        fs::write(files.path().join("aleph.pl"), task.to_aleph())?;
        let foil = task.to_foil();
        let without_foil = match foil {
            Ok(text) => {
                fs::write(files.path().join("task.d"), text)?;
                None
            }
            Err(reason) => Some(reason),
        };
        Ok(Self {
            task,
            test,
            files,
            without_foil,
        })
    }

    fn expand(&self, argument: &str) -> String {
        let at = |name: &str| self.files.path().join(name).display().to_string();
        argument
            .replace("{popper}", &at("popper"))
            .replace("{foil}", &at("task.d"))
            .replace("{aleph}", &at("aleph.pl"))
    }

    fn solve(&self, system: &System, limit: Duration) -> anyhow::Result<Outcome> {
        if let (Some("{foil}"), Some(reason)) = (system.stdin.as_deref(), &self.without_foil) {
            return Err(SkippedComparison(reason.clone()).into());
        }
        let arguments: Vec<String> = system.arguments.iter().map(|a| self.expand(a)).collect();
        let stdin = system.stdin.as_ref().map(|file| self.expand(file));
        let run = process::run(
            &system.command,
            &arguments,
            stdin.as_deref(),
            limit,
            &system.missing,
        )?;
        let mut task = self.task.clone();
        let clauses = clauses_in(&run.text, task.target, &mut task.symbols);
        let n_literals = clauses.iter().map(kibitz_prolog::Clause::len).sum();
        let problem = Problem::new(&mut task)?;
        let test = problem.test(
            &clauses,
            self.test.each_ref().map(|part| &part[..]),
            Limits::default(),
        )?;
        Ok(Outcome {
            test,
            n_clauses: clauses.len(),
            n_literals,
            run,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn every_system_is_declared_and_splits_are_stated_above_tasks() -> anyhow::Result<()> {
        assert!(systems(&[])?.len() >= 9);
        assert_eq!(systems(&["popper".to_owned()])?.len(), 1);
        let root = tempfile::tempdir()?;
        let folder = root.path().join("family/small");
        fs::create_dir_all(&folder)?;
        assert_eq!(Split::of(&folder, root.path())?, Split::default());
        fs::write(root.path().join("split.toml"), "train-of-ten = 7")?;
        let mut examples = String::new();
        for i in 0..20 {
            writeln!(examples, "pos(p({i})). neg(p(-{i})).")?;
        }
        fs::write(folder.join("exs.pl"), examples)?;
        fs::write(folder.join("bk.pl"), "q(1).")?;
        fs::write(folder.join("bias.pl"), "head_pred(p,1). body_pred(q,1).")?;
        let mut folders = Vec::new();
        task_folders(root.path(), MAX_NESTED, &mut folders)?;
        assert_eq!(folders, std::slice::from_ref(&folder));
        let prepared = PreparedTask::new(&folder, root.path())?;
        assert_eq!(prepared.task.positive.len(), 14);
        assert_eq!(prepared.test.each_ref().map(Vec::len), [6, 6]);
        assert!(
            Path::new(&prepared.expand("{popper}"))
                .join("bias.pl")
                .is_file()
        );
        fs::write(folder.join("split.toml"), "train-of = 7")?;
        let error = Split::of(&folder, root.path()).expect_err("a misspelled key");
        assert!(format!("{error:#}").contains("train-of-ten"), "{error:#}");
        Ok(())
    }
}
