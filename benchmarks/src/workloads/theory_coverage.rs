//! Which positions a theory covers: the prover against SWI-Prolog.

use std::{fmt::Write, process::Command, time::Instant};

use anyhow::{Context, ensure};
use kibitz_prolog::{Clause, Database, Limits, Prover, SymbolTable, read_clauses};
use serde::Deserialize;

use super::{Answer, SECONDS, SkippedComparison, Workload, krk};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// How many positions.
    positions: usize,
    seed: u64,
}

pub(crate) struct TheoryCoverage {
    positions: Vec<krk::Position>,
}

impl TheoryCoverage {
    pub(crate) fn prepare(params: &Params) -> Self {
        Self {
            positions: krk::sample(params.positions, params.seed),
        }
    }

    fn kibitz(&self) -> anyhow::Result<Answer> {
        let mut symbols = SymbolTable::new();
        let theory = read_clauses(krk::EXACT, &mut symbols)?;
        let facts = read_clauses(&krk::facts(), &mut symbols)?;
        let mut text = String::new();
        for &position in &self.positions {
            writeln!(text, "{}.", krk::atom(position))?;
        }
        let examples = read_clauses(&text, &mut symbols)?;
        let examples: Vec<_> = examples
            .into_iter()
            .map(|Clause { head, .. }| head)
            .collect();
        let db = Database::builder().clauses(&facts).build(&mut symbols)?;
        let start = Instant::now();
        let mut prover = Prover::new(&db, Limits::default());
        let prepared = prover.prepare(&theory)?;
        prover.load(&prepared);
        let mut covered = 0u32;
        for example in &examples {
            for clause in 0..theory.len() {
                if prover.covers(&prepared, clause, example)?.is_proved() {
                    covered += 1;
                    break;
                }
            }
        }
        Ok(Answer::from([
            (SECONDS.to_owned(), start.elapsed().as_secs_f64()),
            ("covered".to_owned(), f64::from(covered)),
        ]))
    }

    fn swi_prolog(&self) -> anyhow::Result<Answer> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("coverage.pl");
        let mut text = ":- style_check(-singleton).\n".to_owned();
        text.push_str(krk::EXACT);
        text.push_str(&krk::facts());
        for &position in &self.positions {
            writeln!(text, "example({}).", krk::atom(position))?;
        }
        text.push_str(
            "run :- statistics(cputime, A), aggregate_all(count, (example(G), once(G)), N), \
             statistics(cputime, B), S is B - A, write(N), nl, write(S), nl.\n",
        );
        std::fs::write(&file, text)?;
        let run = Command::new("swipl")
            .args(["-O", "-q", "-g", "run", "-t", "halt"])
            .arg(&file)
            .output();
        let Ok(output) = run else {
            return Err(SkippedComparison(
                "swipl is not installed (Debian: apt-get install swi-prolog-nox)".to_owned(),
            )
            .into());
        };
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers: Vec<f64> = answer.lines().filter_map(|l| l.parse().ok()).collect();
        ensure!(
            numbers.len() == 2,
            "SWI-Prolog said: {answer}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(Answer::from([
            ("covered".to_owned(), numbers[0]),
            (SECONDS.to_owned(), numbers[1]),
        ]))
    }
}

impl Workload for TheoryCoverage {
    fn unit(&self) -> &'static str {
        "positions"
    }

    fn n_items(&self) -> u64 {
        self.positions.len() as u64
    }

    fn run(&self, engine: &str) -> anyhow::Result<Answer> {
        match engine {
            "kibitz" => self.kibitz().context("proving"),
            "swi-prolog" => self.swi_prolog(),
            _ => anyhow::bail!("kibitz and swi-prolog are known"),
        }
    }
}
