//! Runs by their keys: several workers, one cache.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use insta::assert_snapshot;
use kibitz_desk::{Answer, CellOptions, Desk, Format, JobsOptions, Mode, ReproduceOptions};
use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Experiment, Field, FieldType, Kind, Output, Problems,
    Records, Sources,
};
use kibitz_lab::{Exit, Selection, SilentObserver, Toolchain};
use kibitz_tables::Table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kinds::kinds;
use crate::workspace::{Log, Workspace, files};

/// A dataset: the numbers below each end, one part an end.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Numbers {
    ends: Vec<u32>,
    /// Whether the records have another column than declared.
    #[serde(default)]
    misnamed: bool,
}

impl Experiment for Numbers {
    type Row = u32;
    const NAME: &'static str = "numbers";
    const EXAMPLE: &'static str = "";
    const COLUMNS: &'static [Column] = &[];
    fn check(&self, _: &mut Problems) {}
    fn fields(&self, _: &Sources) -> Vec<Field> {
        vec![Field::new("n", FieldType::Int, "", "a number")]
    }
    fn cells(&self) -> Vec<Cell<u32>> {
        let cell = |end: &u32| Cell::rows(format!("below {end}"), [""; 0], *end);
        self.ends.iter().map(cell).collect()
    }
    fn run(&self, end: &u32, ctx: &Context<'_>, _: &mut Output) -> Result<(), CellError> {
        let name = if self.misnamed { "m" } else { "n" };
        let none = || Records::new(vec![Field::new(name, FieldType::Int, "", "a number")]);
        ctx.add_records(none())?;
        for n in 0..*end {
            let mut records = none();
            records.push([n.into()]).map_err(CellError::new)?;
            ctx.add_records(records)?;
        }
        Ok(())
    }
}

/// A table: how many records there are in what it reads.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Count {}

impl Experiment for Count {
    type Row = ();
    const NAME: &'static str = "count";
    const EXAMPLE: &'static str = "";
    const COLUMNS: &'static [Column] = &[Column::new("n", "", "how many")];
    fn check(&self, _: &mut Problems) {}
    fn cells(&self) -> Vec<Cell> {
        vec![Cell::row("all", ())]
    }
    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut n = 0;
        for source in ctx.sources().values() {
            let parts = Table::dataset(&source.parts)?.n_records()?;
            n += parts.iter().sum::<u64>();
        }
        output.set("n", n);
        Ok(())
    }
}

const COUNT: &str = "kind = \"count\"\ntitle = \"Count\"\nfrom = { all = \"demo/numbers\" }\n\
     source = { paper = \"demo\", where = \"Table 4\" }\n\
     columns.n = { tol = \"info\", why = \"a test\" }\n";
const NUMBERS: &str = "kind = \"numbers\"\ntitle = \"Numbers\"\nparams = { ends = [3, 4] }\n";

/// A workspace with a dataset and a table that counts its records.
fn with_dataset() -> Workspace {
    let workspace = Workspace::bare();
    workspace.write("experiments/demo/numbers.toml", NUMBERS);
    workspace.write("experiments/demo/count.toml", COUNT);
    workspace
}

/// A program on a machine that shares the cache.
fn worker(workspace: &Workspace) -> Desk {
    let mut kinds = kinds();
    kinds.push(Kind::of::<Count>(Code::Constant));
    kinds.push(Kind::of::<Numbers>(Code::Constant));
    kinds.sort_by_key(Kind::name);
    let mut desk = Desk::new(workspace.root(), kinds, "demo");
    desk.lab.cache = Some(shared(workspace));
    desk
}

fn shared(workspace: &Workspace) -> PathBuf {
    workspace.path("shared")
}

#[derive(Deserialize)]
struct Run {
    key: String,
    experiment: String,
    cell: String,
    state: String,
    after: Vec<String>,
}

fn listed(desk: &Desk, stale: bool) -> Vec<Run> {
    let answer = desk.cells(&Selection::default(), stale, Format::Json);
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    serde_json::from_str(&answer.out).unwrap()
}

fn keys(desk: &Desk) -> Vec<String> {
    let runs = listed(desk, true).into_iter();
    runs.map(|run| run.key).collect()
}

/// The key of the only run of a cell.
fn key_of(desk: &Desk, experiment: &str, cell: &str) -> String {
    let mut runs = listed(desk, false).into_iter();
    let run = runs.find(|run| run.experiment == experiment && run.cell == cell);
    run.unwrap().key
}

fn run(desk: &Desk, keys: &[String]) -> Answer {
    let options = CellOptions {
        keys: keys.to_vec(),
        jobs: 1,
    };
    desk.cell(&options, &SilentObserver, &AtomicBool::new(false))
}

/// Files with their bytes.
type Files = Vec<(String, Vec<u8>)>;

/// Collects everything; gives the answer, the cells that had to run, and the tables.
fn collect(workspace: &Workspace) -> (Answer, Vec<String>, Files) {
    let log = Log::default();
    let desk = worker(workspace);
    let answer = desk.reproduce(&ReproduceOptions::default(), &log, &AtomicBool::new(false));
    let started = log.started.into_inner().unwrap();
    let tables = files(&workspace.path("target/kibitz/results"));
    (answer, started, tables)
}

/// The tables of a run by one process.
fn tables_of_one(workspace: &Workspace) -> Files {
    let mut desk = worker(workspace);
    desk.lab.cache = None;
    let options = ReproduceOptions::default();
    let answer = desk.reproduce(&options, &SilentObserver, &AtomicBool::new(false));
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let results = workspace.path("target/kibitz/results");
    let tables = files(&results);
    std::fs::remove_dir_all(results).unwrap();
    tables
}

#[test]
fn workers_leave_nothing_to_do_and_the_same_bytes() {
    let workspace = Workspace::new();
    workspace.write("experiments/demo/numbers.toml", NUMBERS);
    workspace.write("experiments/demo/count.toml", COUNT);
    let alone = tables_of_one(&workspace);
    let desk = worker(&workspace);
    let keys = keys(&desk);
    assert_eq!(keys.len(), 9);
    let options = JobsOptions {
        selection: Selection::default(),
        workers: 3,
        seconds: 1.0,
    };
    let jobs = desk.jobs(&options).unwrap();
    let lines = std::fs::read_to_string(&jobs.path).unwrap();
    assert_eq!((jobs.n_jobs, jobs.n_runs), (9, 9));
    // Workers take the jobs of a stage in any order, and sometimes the same ones.
    for stage in ["0", "1"] {
        std::thread::scope(|scope| {
            for worker in 0..3 {
                let (desk, mut lines): (_, Vec<&str>) = (&desk, lines.lines().collect());
                lines.rotate_left(worker);
                scope.spawn(move || {
                    for line in lines.iter().filter(|line| line.starts_with(stage)) {
                        let keys = line.split('\t').nth(4).unwrap().split(' ');
                        let keys: Vec<String> = keys.map(str::to_owned).collect();
                        let answer = run(desk, &keys);
                        assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
                    }
                });
            }
        });
    }
    assert!(listed(&desk, true).is_empty());
    assert_eq!(desk.jobs(&options).unwrap().n_jobs, 0);
    let (answer, started, tables) = collect(&workspace);
    assert_eq!((answer.exit, started), (Exit::Done, vec![]));
    assert_eq!(tables, alone);
    let runs = listed(&desk, false);
    assert!(runs.iter().all(|run| run.state == "fresh"));
}

#[test]
fn runs_are_listed_with_what_they_wait_for() {
    let workspace = with_dataset();
    let desk = worker(&workspace);
    let answer = desk.cells(&Selection::default(), false, Format::Text);
    assert_snapshot!("cells", workspace.shown(&answer));
    let parts = ["below 3", "below 4"].map(|cell| key_of(&desk, "demo/numbers", cell));
    let count = || {
        let mut runs = listed(&desk, false).into_iter();
        runs.find(|run| run.cell == "all").unwrap()
    };
    assert_eq!(count().after, parts);
    assert_eq!(run(&desk, &parts[..1]).exit, Exit::Done);
    assert_eq!(count().after, parts[1..]);
}

#[test]
fn a_run_whose_inputs_are_not_there_is_refused() {
    let workspace = with_dataset();
    let desk = worker(&workspace);
    let count = key_of(&desk, "demo/count", "all");
    let part = key_of(&desk, "demo/numbers", "below 3");
    // The other part is missing.
    let answer = run(&desk, &[count.clone(), part]);
    assert_eq!(answer.exit, Exit::Missing);
    assert_snapshot!("inputs_missing", workspace.shown(&answer));
    // All of them together are in order, whatever order they are named in.
    let mut all = keys(&desk);
    all.reverse();
    let answer = run(&desk, &all);
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let answer = run(&desk, &[count]);
    assert_eq!(answer.exit, Exit::Done, "once more does no harm");
}

#[test]
fn damaged_inputs_are_refused_and_made_again() {
    let workspace = with_dataset();
    let alone = tables_of_one(&workspace);
    let desk = worker(&workspace);
    let parts = ["below 3", "below 4"].map(|cell| key_of(&desk, "demo/numbers", cell));
    let count = key_of(&desk, "demo/count", "all");
    assert_eq!(run(&desk, &parts).exit, Exit::Done);
    let path = shared(&workspace)
        .join(&parts[1][..2])
        .join(format!("{}.parquet", parts[1]));
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let answer = run(&desk, std::slice::from_ref(&count));
    assert_eq!(answer.exit, Exit::Missing);
    assert_snapshot!("inputs_damaged", workspace.shown(&answer));
    let (answer, started, tables) = collect(&workspace);
    assert_eq!(started, ["demo/numbers \"below 4\"", "demo/count \"all\""]);
    let told = "demo/numbers \"below 4\": its records are cut short in the cache";
    assert!(answer.err.contains(told), "{}", answer.err);
    assert_eq!(tables, alone);
}

#[test]
fn records_are_written_as_they_come() {
    let workspace = with_dataset();
    let desk = worker(&workspace);
    assert_eq!(run(&desk, &keys(&desk)).exit, Exit::Done);
    let (answer, _, tables) = collect(&workspace);
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let table = tables.iter().find(|(name, _)| name.ends_with("table.csv"));
    let table = String::from_utf8_lossy(&table.unwrap().1).into_owned();
    assert!(table.contains("all,n,7,"), "{table}");
    let unfinished = files(&shared(&workspace).join("unfinished"));
    assert!(unfinished.is_empty(), "{unfinished:?}");
    workspace.edit(
        "experiments/demo/numbers.toml",
        "params = {",
        "params = { misnamed = true,",
    );
    let answer = collect(&workspace).0;
    assert_eq!(answer.exit, Exit::Failed);
    let told = "its records have other columns than it declares";
    assert!(answer.err.contains(told), "{}", answer.err);
    // What could not be written is reported as such.
    std::fs::remove_dir_all(shared(&workspace)).unwrap();
    workspace.edit(
        "experiments/demo/numbers.toml",
        "misnamed = true",
        "misnamed = false",
    );
    workspace.write("shared/unfinished", "a file");
    let answer = collect(&workspace).0;
    assert_eq!(answer.exit, Exit::Unwritable, "{}", answer.err);
}

#[test]
fn a_key_that_no_run_has_is_named() {
    let workspace = Workspace::new();
    let desk = worker(&workspace);
    let key = key_of(&desk, "demo/squares", "side 1");
    let typo = format!("{}0", &key[..31]);
    let typo = if typo == key {
        format!("{}1", &key[..31])
    } else {
        typo
    };
    let answer = run(&desk, &[key.clone(), typo]);
    assert_eq!(answer.exit, Exit::BadInput);
    let toolchain = Toolchain::current();
    let shown = workspace
        .shown(&answer)
        .replace(&toolchain.compiler, "RUSTC")
        .replace(&toolchain.target, "TARGET")
        .replace(&toolchain.profile, "PROFILE");
    assert_snapshot!("unknown_key", shown);
    assert!(
        listed(&desk, true).iter().any(|run| run.key == key),
        "nothing ran"
    );
}

#[test]
fn a_worker_of_another_build_knows_no_key() {
    let workspace = Workspace::new();
    let desk = worker(&workspace);
    let mut other = worker(&workspace);
    other.lab.toolchain.compiler = "rustc 9.9.9".to_owned();
    let key = key_of(&desk, "demo/squares", "side 1");
    assert_eq!(run(&other, std::slice::from_ref(&key)).exit, Exit::BadInput);
    assert_eq!(run(&desk, std::slice::from_ref(&key)).exit, Exit::Done);
    let answer = run(&other, &[key]);
    assert_eq!(answer.exit, Exit::BadInput);
    let told = "it is in the cache, put there by a program of another build";
    assert!(answer.err.contains(told), "{}", answer.err);
}

#[test]
fn a_cache_of_another_version_is_refused_by_all() {
    let workspace = Workspace::new();
    workspace.write("shared/version", "2");
    let desk = worker(&workspace);
    let answer = desk.cells(&Selection::default(), false, Format::Text);
    assert_eq!(answer.exit, Exit::BadInput);
    assert_snapshot!("other_version", workspace.shown(&answer));
    assert_eq!(collect(&workspace).0, answer);
    assert_eq!(run(&desk, &["0".repeat(32)]), answer);
}

#[test]
fn exit_codes_tell_what_became_of_a_run() {
    let workspace = Workspace::bare();
    workspace.write("experiments/demo/squares.toml", crate::workspace::SQUARES);
    workspace.edit(
        "experiments/demo/squares.toml",
        "[params]",
        "[params]\nmood = \"failing\"",
    );
    let desk = worker(&workspace);
    let answer = run(&desk, &keys(&desk));
    assert_eq!(answer.exit, Exit::Failed);
    assert_snapshot!("failed_run", masked_seconds(&workspace.shown(&answer)));
    let interrupted = AtomicBool::new(true);
    let options = CellOptions {
        keys: keys(&desk),
        jobs: 1,
    };
    let answer = desk.cell(&options, &SilentObserver, &interrupted);
    assert_eq!(answer.exit, Exit::Interrupted, "{}", answer.err);
    // A full disk, or a folder that may not be written to.
    std::fs::remove_dir_all(shared(&workspace)).unwrap();
    let keys = keys(&desk);
    workspace.write("shared", "a file");
    let answer = run(&desk, &keys[..1]);
    assert_eq!(answer.exit, Exit::Unwritable, "{}", answer.err);
    assert!(
        answer.err.contains("its result is not kept"),
        "{}",
        answer.err
    );
}

/// Without the blanks that seconds are padded with.
fn masked_seconds(text: &str) -> String {
    let words: Vec<&str> = text.split("  ").map(str::trim_start).collect();
    words.join("  ")
}

#[test]
fn what_runs_took_is_expected_of_them_again() {
    let workspace = Workspace::new();
    collect(&workspace);
    // A change of the inputs makes them stale; what they take is known all the same.
    workspace.edit(
        "experiments/demo/squares.toml",
        "[params]",
        "[params]\noffset = 1.0",
    );
    let answer = worker(&workspace).cells(&Selection::default(), true, Format::Json);
    let runs: Vec<serde_json::Value> = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(runs.len(), 3);
    for run in runs {
        assert!(run["seconds"].as_f64().is_some(), "{run}");
    }
    let checked = worker(&workspace).reproduce(
        &crate::workspace::mode(Mode::Check),
        &SilentObserver,
        &AtomicBool::new(false),
    );
    assert_ne!(checked.exit, Exit::Unwritable);
}
