//! Jobs for engines: runs in batches, so that none is too short to be worth its start.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::Answer;
use crate::Desk;
use crate::command::cells::{Run, planned, runs_of, told};
use kibitz_lab::Selection;
use kibitz_lab::costs::UNKNOWN_SECONDS;
use kibitz_lab::files::write_atomically;
use kibitz_lab::session::Session;

/// The options of a list of jobs.
#[derive(Clone, Debug)]
pub struct JobsOptions {
    /// Which experiments.
    pub selection: Selection,
    /// How many jobs run at once: there are several for each worker, if they are long enough.
    pub workers: usize,
    /// Seconds that a job should take at least, by what its runs took when they last ran.
    pub seconds: f64,
}

/// What there is to do, written for an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Jobs {
    /// The file that lists them, in the folder of the cache.
    ///
    /// One job a line, after those that it waits for: stage, expected seconds, MiB of memory (0 where
    /// unknown), the numbers from zero of the jobs that it waits for, and the keys of its runs;
    /// columns separated by tabs, lists by blanks, an empty list `-`. Jobs of a stage wait only for jobs
    /// of earlier ones.
    pub path: PathBuf,
    /// How many there are.
    pub n_jobs: usize,
    /// Runs in them.
    pub n_runs: usize,
    /// Runs of the selection in all.
    pub n_all: usize,
    /// Expected seconds of all.
    pub seconds: f64,
    /// What cannot run, in words.
    pub told: String,
}

/// Keys of a job: a command line has room for more, but not for any number.
const MAX_KEYS: usize = 10_000;

/// Jobs for each worker: with several, one that is short-lived or slow holds up less.
const JOBS_A_WORKER: f64 = 8.0;

impl Desk {
    /// Writes what is still to do of a selection as a list of jobs.
    ///
    /// # Errors
    /// Those of `cells`, or if the list cannot be written.
    pub fn jobs(&self, options: &JobsOptions) -> Result<Jobs, Answer> {
        let session = Session::open(&self.lab)?;
        let selected = options.selection.apply(&session.catalog, &self.lab)?;
        let mut troubles = Vec::new();
        let planned = planned(&session, &selected, &mut troubles)?;
        let costs = session.costs();
        let runs = runs_of(&session, &planned, &costs);
        let jobs = batches(&runs, options);
        let path = session.cache.folder().join("jobs.tsv");
        write_atomically(&path, written(&jobs).as_bytes())?;
        Ok(Jobs {
            path,
            n_jobs: jobs.len(),
            n_runs: jobs.iter().map(|job| job.keys.len()).sum(),
            n_all: runs.len(),
            seconds: jobs.iter().map(|job| job.seconds).sum(),
            told: told(&troubles),
        })
    }
}

/// Runs that one process does one after the other.
#[derive(Debug, Default, PartialEq)]
struct Job<'r> {
    stage: usize,
    seconds: f64,
    memory: u64,
    after: BTreeSet<usize>,
    keys: Vec<&'r str>,
}

impl<'r> Job<'r> {
    fn add(&mut self, run: &'r Run<'_>) {
        self.seconds += expected(run);
        self.memory = self.memory.max(run.memory.unwrap_or(0));
        self.keys.push(&run.key);
    }
}

fn expected(run: &Run<'_>) -> f64 {
    run.seconds.unwrap_or(UNKNOWN_SECONDS)
}

/// The stale runs in jobs, stage by stage.
fn batches<'r>(runs: &'r [Run<'_>], options: &JobsOptions) -> Vec<Job<'r>> {
    let stages = stages(runs);
    let mut jobs: Vec<Job<'r>> = Vec::new();
    let mut job_of: BTreeMap<&str, usize> = BTreeMap::new();
    for stage in 0..stages.values().max().map_or(0, |last| last + 1) {
        let is_here = |run: &&&Run<'_>| stages.get(run.key.as_str()) == Some(&stage);
        let here: Vec<&Run<'_>> = runs.iter().by_ref().filter(|run| is_here(&run)).collect();
        let all: f64 = here.iter().map(|run| expected(run)).sum();
        let least = (all / (JOBS_A_WORKER * options.workers.max(1) as f64)).max(options.seconds);
        let first = jobs.len();
        let mut job = Job::default();
        for run in here {
            job.add(run);
            if job.seconds >= least || job.keys.len() == MAX_KEYS {
                jobs.push(std::mem::take(&mut job));
            }
        }
        // What is left is too little for a job of its own.
        let is_room = |whole: &Job<'_>| whole.keys.len() + job.keys.len() <= MAX_KEYS;
        if job.seconds < options.seconds && jobs.len() > first && jobs.last().is_some_and(is_room) {
            let last = jobs.len() - 1;
            let whole = &mut jobs[last];
            whole.seconds += job.seconds;
            whole.memory = whole.memory.max(job.memory);
            whole.keys.append(&mut job.keys);
        } else if !job.keys.is_empty() {
            jobs.push(job);
        }
        for (idx, job) in jobs.iter_mut().enumerate().skip(first) {
            job.stage = stage;
            job_of.extend(job.keys.iter().map(|key| (*key, idx)));
        }
    }
    for run in runs {
        let Some(&own) = job_of.get(run.key.as_str()) else {
            continue;
        };
        let after = run.after.iter().filter_map(|key| job_of.get(key.as_str()));
        jobs[own].after.extend(after);
    }
    jobs
}

/// The stage of each run that can be done: one more than the latest of those it waits for.
fn stages<'r>(runs: &'r [Run<'_>]) -> BTreeMap<&'r str, usize> {
    let stale = runs.iter().filter(|run| run.to_do);
    let mut stages: BTreeMap<&str, usize> =
        stale.clone().map(|run| (run.key.as_str(), 0)).collect();
    loop {
        let mut changed = false;
        for run in stale.clone() {
            let after = run.after.iter().filter_map(|key| stages.get(key.as_str()));
            let stage = after.max().map_or(0, |latest| latest + 1);
            // Runs wait for each other in no circle: experiments that do are refused.
            changed |= stages.insert(&run.key, stage) != Some(stage);
        }
        if !changed {
            return stages;
        }
    }
}

fn written(jobs: &[Job<'_>]) -> String {
    let mut text = String::new();
    for job in jobs {
        let after: Vec<String> = job.after.iter().map(usize::to_string).collect();
        let after = match after.as_slice() {
            [] => "-".to_owned(),
            some => some.join(" "),
        };
        let _ = writeln!(
            text,
            "{}\t{:.1}\t{}\t{after}\t{}",
            job.stage,
            job.seconds,
            job.memory >> 20,
            job.keys.join(" ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<'a>(key: &str, seconds: Option<f64>, after: &[&str]) -> Run<'a> {
        Run {
            key: key.to_owned(),
            experiment: "paper/table",
            cell: "cell",
            replicate: 0,
            state: "stale",
            to_do: true,
            seconds,
            cost: 1.0,
            memory: None,
            after: after.iter().map(|key| (*key).to_owned()).collect(),
        }
    }

    fn keys<'r>(runs: &'r [Run<'_>], workers: usize, seconds: f64) -> Vec<Vec<&'r str>> {
        let options = JobsOptions {
            selection: Selection::default(),
            workers,
            seconds,
        };
        let jobs = batches(runs, &options);
        jobs.into_iter().map(|job| job.keys).collect()
    }

    #[test]
    fn no_job_is_shorter_than_asked_for_while_its_stage_has_more() {
        let runs: Vec<Run<'_>> = (0..7)
            .map(|n| run(&n.to_string(), Some(25.0), &[]))
            .collect();
        // 75 s and 100 s.
        let jobs = [vec!["0", "1", "2"], vec!["3", "4", "5", "6"]];
        assert_eq!(keys(&runs, 4, 60.0), jobs);
        assert_eq!(
            keys(&runs, 4, 1e9),
            [vec!["0", "1", "2", "3", "4", "5", "6"]]
        );
    }

    #[test]
    fn a_worker_gets_no_more_than_some_jobs() {
        let runs: Vec<Run<'_>> = (0..64)
            .map(|n| run(&format!("{n:02}"), Some(10.0), &[]))
            .collect();
        assert_eq!(keys(&runs, 1, 1.0).len(), 8);
        assert_eq!(keys(&runs, 2, 1.0).len(), 16);
        assert_eq!(keys(&runs, 100, 1.0).len(), 64);
    }

    #[test]
    fn jobs_wait_for_those_they_read() {
        // What is read may be listed later: sources come after the tables that read them.
        let runs = [
            run("table", None, &["a", "b"]),
            run("a", Some(3.0), &[]),
            run("b", Some(3.0), &[]),
            Run {
                state: "no data",
                to_do: false,
                ..run("lost", None, &[])
            },
        ];
        let options = JobsOptions {
            selection: Selection::default(),
            workers: 4,
            seconds: 1.0,
        };
        let jobs = batches(&runs, &options);
        assert_eq!(
            written(&jobs),
            "0\t3.0\t0\t-\ta\n0\t3.0\t0\t-\tb\n1\t10.0\t0\t0 1\ttable\n"
        );
    }
}
