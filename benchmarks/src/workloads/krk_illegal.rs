//! Learning when a position of king and rook against king is illegal, by programs given the same
//! examples.

use std::{fs, time::Duration};

use anyhow::Context;
use kibitz_prolog::{
    Atom, BitSet, Clause, Database, Evaluator, Limits, Predicate, SymbolTable, Term, read_clauses,
};
use serde::Deserialize;
use tempfile::TempDir;

use super::{Answer, SECONDS, SkippedComparison, Workload, krk};
use crate::process::{self, Run};
use crate::theory_text::clauses_in;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Params {
    /// How many random positions are given as examples.
    positions: usize,
    seed: u64,
    /// A program is ended after this many seconds.
    time_limit: u64,
    programs: Vec<Program>,
}

/// A program that reads one of the layouts and prints clauses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Program {
    /// Its name among the engines.
    engine: String,
    /// Looked up beside this program, then among the installed ones.
    command: String,
    /// `{popper}`, `{foil}` and `{aleph}` stand for the folder and the files.
    arguments: Vec<String>,
    /// What it reads from its standard input, in the same way.
    stdin: Option<String>,
    /// What to say where it is missing, or prints no clause.
    missing: String,
}

pub(crate) struct KrkIllegal {
    params: Params,
    folder: TempDir,
}

impl KrkIllegal {
    pub(crate) fn prepare(params: Params) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let positions = krk::sample(params.positions, params.seed);
        fs::create_dir(folder.path().join("popper"))?;
        for (name, text) in krk::popper(&positions) {
            fs::write(folder.path().join("popper").join(name), text)?;
        }
        fs::write(folder.path().join("krk.d"), krk::foil(&positions))?;
        fs::write(folder.path().join("aleph.pl"), krk::aleph(&positions))?;
        Ok(Self { params, folder })
    }

    fn expand(&self, argument: &str) -> String {
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        argument
            .replace("{popper}", &at("popper"))
            .replace("{foil}", &at("krk.d"))
            .replace("{aleph}", &at("aleph.pl"))
    }

    /// Runs the program and waits for it, at most for the time limit.
    fn start(&self, program: &Program) -> anyhow::Result<Run> {
        let arguments: Vec<String> = program.arguments.iter().map(|a| self.expand(a)).collect();
        let stdin = program.stdin.as_ref().map(|file| self.expand(file));
        let limit = Duration::from_secs(self.params.time_limit);
        let command = &program.command;
        process::run(
            command,
            &arguments,
            stdin.as_deref(),
            limit,
            &program.missing,
        )
    }
}

/// Share of all positions that the clauses decide rightly, in percent.
fn accuracy(clauses: &[Clause], symbols: &mut SymbolTable) -> anyhow::Result<f64> {
    let mut facts = read_clauses(&krk::facts(), symbols)?;
    facts.extend(read_clauses("eq(X,X).", symbols)?);
    let illegal = symbols.intern("illegal");
    let positions: Vec<_> = krk::all().collect();
    let atoms: Vec<Atom> = positions
        .iter()
        .map(|position| Atom::new(illegal, position.map(Term::int)))
        .collect();
    let db = Database::builder().clauses(&facts).build(symbols)?;
    let mut covered = BitSet::with_capacity(atoms.len());
    let mut evaluator = Evaluator::new(&db, Limits::default(), &atoms, &[]);
    for coverage in evaluator.theory(clauses)? {
        covered.union_with(&coverage.positive);
    }
    let right = (positions.iter().enumerate())
        .filter(|&(i, &position)| covered.contains(i) == krk::is_illegal(position))
        .count();
    Ok(100.0 * right as f64 / positions.len() as f64)
}

impl Workload for KrkIllegal {
    fn unit(&self) -> &'static str {
        "examples"
    }

    fn n_items(&self) -> u64 {
        self.params.positions as u64
    }

    fn run(&self, engine: &str) -> anyhow::Result<Answer> {
        let program = (self.params.programs.iter())
            .find(|program| program.engine == engine)
            .with_context(|| format!("no program is declared for `{engine}`"))?;
        let run = self.start(program)?;
        let mut symbols = SymbolTable::new();
        let illegal = Predicate {
            name: symbols.intern("illegal"),
            arity: 6,
        };
        let clauses = clauses_in(&run.text, illegal, &mut symbols);
        if clauses.is_empty() {
            return Err(
                SkippedComparison(format!("it printed no clause ({})", program.missing)).into(),
            );
        }
        let mut answer = Answer::from([
            (SECONDS.to_owned(), run.seconds),
            ("clauses".to_owned(), clauses.len() as f64),
            ("accuracy %".to_owned(), accuracy(&clauses, &mut symbols)?),
        ]);
        if let Some(peak) = run.memory_mib {
            answer.insert("memory MiB".to_owned(), peak);
        }
        Ok(answer)
    }
}
