//! The parts of datasets: made, damaged, read by others, written as files.

use std::fs;
use std::sync::atomic::AtomicBool;

use kibitz_desk::{AddDataOptions, Desk, NewOptions, ReproduceOptions};
use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Experiment, Kind, Output, Problems,
};
use kibitz_lab::{Exit, Selection, SilentObserver};

use crate::workspace::{THROWS, Workspace, eyes};

#[test]
fn what_cannot_be_made_fails_and_says_so() {
    for (wrong, message) in [
        ("fails", "the die is lost"),
        ("type", "column `weight` is declared as Float, not Int(3)"),
    ] {
        let workspace = Workspace::new();
        workspace.ask(
            "query",
            "params = { sql = \"SELECT 'a' AS row, COUNT(*) AS n FROM throws\" }\n",
        );
        let throws = THROWS.replace("games = 12", &format!("games = 12, wrong = \"{wrong}\""));
        workspace.write("throws", &throws);
        let answer = workspace.reproduce("beyond/asked");
        assert_eq!(answer.exit, Exit::Failed, "{}", answer.out);
        assert!(
            answer
                .err
                .contains(&format!("error: beyond/throws \"from 0\": {message}")),
            "{}",
            answer.err
        );
    }
}

#[test]
fn records_that_cannot_be_written_end_as_documented() {
    let workspace = Workspace::new();
    workspace.ask(
        "query",
        "params = { sql = \"SELECT 'a' AS row, COUNT(*) AS n FROM throws\" }\n",
    );
    // Where a folder should be is a file, as a full disk or a read-only folder would have it.
    fs::create_dir_all(workspace.path("target/kibitz")).unwrap();
    fs::write(workspace.path("target/kibitz/cache"), "").unwrap();
    for answer in [workspace.reproduce("beyond/asked"), workspace.dataset(None)] {
        assert_eq!(answer.exit, Exit::Unwritable, "{}", answer.err);
        assert!(
            answer
                .err
                .contains("error: beyond/throws \"from 0\": cannot "),
            "{}",
            answer.err
        );
    }
}

#[test]
fn a_damaged_part_is_made_again() {
    let workspace = Workspace::new();
    workspace.ask(
        "query",
        "params = { sql = \"SELECT 'a' AS row, SUM(eyes) AS n FROM throws\" }\n",
    );
    assert_eq!(workspace.reproduce("beyond/asked").exit, Exit::Done);
    let before = workspace.number("a", "n");
    let mut n_damaged = 0;
    for folder in fs::read_dir(workspace.path("target/kibitz/cache")).unwrap() {
        // Beside the folders stands what the cache says of itself.
        let folder = folder.unwrap().path();
        for file in fs::read_dir(folder).into_iter().flatten() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|end| end == "parquet") {
                let bytes = fs::read(&path).unwrap();
                fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
                n_damaged += 1;
            }
        }
    }
    assert_eq!(n_damaged, 2, "one for each part");
    workspace.ask(
        "query",
        "params = { sql = \"SELECT 'a' AS row, SUM(eyes) AS n, 1 AS m FROM throws\" }\n",
    );
    assert_eq!(workspace.reproduce("beyond/asked").exit, Exit::Done);
    assert_eq!(workspace.number("a", "n"), before);
}

#[test]
fn a_table_is_read_like_a_dataset() {
    let workspace = Workspace::new();
    workspace.write(
        "games",
        "kind = \"query\"\ntitle = \"Games\"\nfrom = { throws = \"beyond/throws\" }\n[params]\n\
         sql = \"SELECT CAST(game AS VARCHAR) AS row, SUM(eyes) AS eyes FROM throws GROUP BY game\"\n",
    );
    workspace.write(
        "asked",
        "kind = \"query\"\ntitle = \"Asked\"\nfrom = { games = \"beyond/games\" }\n[params]\n\
         sql = \"SELECT \\\"column\\\" AS row, SUM(value) AS total, COUNT(*) AS n FROM games GROUP BY \\\"column\\\"\"\n",
    );
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let total: f64 = (0..12).flat_map(eyes).sum();
    assert!((workspace.number("eyes", "n").0 - 12.0).abs() < 1e-9);
    assert!((workspace.number("eyes", "total").0 - total).abs() < 1e-9);
}

#[test]
fn two_tables_read_a_dataset_that_reads_another() {
    let workspace = Workspace::new();
    workspace.write(
        "long",
        "kind = \"view\"\ntitle = \"Long\"\nfrom = { throws = \"beyond/throws\" }\n[params]\n\
         sql = \"SELECT game, eyes FROM throws\"\n",
    );
    for (name, of) in [("first", "AVG"), ("second", "SUM")] {
        workspace.write(
            name,
            &format!(
                "kind = \"query\"\ntitle = \"Asked\"\nfrom = {{ long = \"beyond/long\" }}\n[params]\n\
                 sql = \"SELECT 'all' AS row, {of}(eyes) AS eyes FROM long\"\n"
            ),
        );
    }
    let selection = Selection {
        ids: vec!["beyond/first".to_owned(), "beyond/second".to_owned()],
        ..Selection::default()
    };
    let options = ReproduceOptions {
        selection,
        ..ReproduceOptions::default()
    };
    let desk = workspace.desk();
    let answer = desk.reproduce(&options, &SilentObserver, &AtomicBool::new(false));
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
}

#[test]
fn a_dataset_is_written_and_shown() {
    let workspace = Workspace::new();
    let shown = workspace.dataset(None);
    insta::assert_snapshot!("dataset", shown.out);
    let csv = workspace.dataset(Some("throws.csv"));
    assert_eq!(csv.exit, Exit::Done, "{}", csv.err);
    let text = fs::read_to_string(workspace.path("throws.csv")).unwrap();
    assert_eq!(text.lines().count(), 1 + 72);
    assert_eq!(text.lines().nth(1), Some("0,0,1,true,0.5"));
    assert_eq!(workspace.dataset(Some("throws.parquet")).exit, Exit::Done);
    assert_eq!(
        &fs::read(workspace.path("throws.parquet")).unwrap()[..4],
        b"PAR1"
    );
}

#[test]
fn new_files_pass_for_every_kind() {
    let kinds = kibitz_analysis::kinds().into_iter();
    // What is read from a file is tried by the command line's own tests.
    for kind in kinds.filter(|kind| kind.name() != "table") {
        let workspace = Workspace::new();
        let answer = workspace.desk().new_experiment(&NewOptions {
            id: "beyond/asked".to_owned(),
            kind: kind.name().to_owned(),
            from: Some("beyond/throws".to_owned()),
            data: None,
            set: Vec::new(),
        });
        assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
        if kind.name() != "choice-model" {
            let answer = workspace.reproduce("beyond/asked");
            assert_eq!(answer.exit, Exit::Done, "{}: {}", kind.name(), answer.err);
        }
    }
}

/// An experiment whose data file changes while it runs.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Meddler {
    meddles: bool,
}

impl Experiment for Meddler {
    type Row = ();
    const NAME: &'static str = "meddler";
    const EXAMPLE: &'static str = "";
    const COLUMNS: &'static [Column] = &[Column::new("n", "", "bytes read")];
    fn check(&self, _: &mut Problems) {}
    fn cells(&self) -> Vec<Cell> {
        vec![Cell::row("all", ()).reading(["own"])]
    }
    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let file = ctx.data("own")?;
        output.set("n", file.bytes()?.len());
        if self.meddles {
            fs::write(file.path(), "1234567")?;
        }
        Ok(())
    }
}

#[test]
fn a_file_that_changes_under_a_run_fails_it() {
    let workspace = Workspace::new();
    let away = workspace.path("away");
    fs::create_dir(&away).unwrap();
    fs::write(away.join("own.txt"), "123456").unwrap();
    let mut desk = Desk::new(
        workspace.0.path(),
        vec![Kind::of::<Meddler>(Code::Constant)],
        "lab",
    );
    desk.lab.data_folders = vec![away.clone()];
    fs::remove_file(workspace.path("experiments/beyond/throws.toml")).unwrap();
    let added = desk.add_data(&AddDataOptions {
        file: away.join("own.txt"),
        name: None,
        license: Some("CC0".to_owned()),
        origin: Some("a test".to_owned()),
        external: true,
        notes: None,
        role: "own",
    });
    assert_eq!(added.exit, Exit::Done, "{}", added.err);
    let run = |meddles: bool| {
        let text = format!(
            "kind = \"meddler\"\ntitle = \"t\"\ndata = {{ own = \"own\" }}\nparams = {{ meddles = {meddles} }}\n"
        );
        workspace.write("asked", &text);
        desk.reproduce(
            &ReproduceOptions {
                jobs: 1,
                ..ReproduceOptions::default()
            },
            &SilentObserver,
            &AtomicBool::new(false),
        )
    };
    let answer = run(true);
    assert_eq!(answer.exit, Exit::Failed, "{}", answer.out);
    assert!(
        answer
            .err
            .contains("own.txt has changed while the run went on"),
        "{}",
        answer.err
    );
    // Nothing of it was kept, and the next run finds another file than was entered.
    let answer = run(true);
    assert_eq!(answer.exit, Exit::Missing, "{}", answer.err);
    fs::write(away.join("own.txt"), "123456").unwrap();
    assert_eq!(run(false).exit, Exit::Done);
}
