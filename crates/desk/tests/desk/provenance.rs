//! What is recorded, against what it was made from: data, inputs, the log of verdicts, figures that are
//! named.

use std::io::Read as _;
use std::sync::atomic::AtomicBool;

use insta::assert_snapshot;
use kibitz_desk::{Answer, Desk, Format, Mode, ReproduceOptions};
use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Experiment, Field, FieldType, Kind, Output, Problems,
    Records, Sources,
};
use kibitz_lab::record::Values;
use kibitz_lab::{Exit, Selection, SilentObserver};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kinds::kinds;
use crate::workers::Count;
use crate::workspace::{Log, Workspace, mode, only};

const SQUARES: &str = "experiments/demo/squares.toml";

/// A dataset: the bytes of the files of an entry.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Bytes {}

impl Experiment for Bytes {
    type Row = ();
    const NAME: &'static str = "bytes";
    const EXAMPLE: &'static str = "";
    const COLUMNS: &'static [Column] = &[];
    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &["own"]);
    }
    fn fields(&self, _: &Sources) -> Vec<Field> {
        vec![Field::new("byte", FieldType::Int, "", "a byte")]
    }
    fn cells(&self) -> Vec<Cell> {
        vec![Cell::rows("all", [""; 0], ()).reading(["own"])]
    }
    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut records = Records::new(self.fields(&Sources::new()));
        for part in ctx.data("own")?.parts() {
            let mut bytes = Vec::new();
            part.open()?.read_to_end(&mut bytes)?;
            for byte in bytes {
                records
                    .push([u32::from(byte).into()])
                    .map_err(CellError::new)?;
            }
        }
        output.set_records(records);
        Ok(())
    }
}

fn desk(workspace: &Workspace) -> Desk {
    let mut kinds = kinds();
    kinds.push(Kind::of::<Bytes>(Code::Constant));
    kinds.push(Kind::of::<Count>(Code::Constant));
    kinds.sort_by_key(Kind::name);
    Desk::new(workspace.root(), kinds, "demo")
}

fn reproduce(workspace: &Workspace, options: &ReproduceOptions) -> Answer {
    desk(workspace).reproduce(options, &SilentObserver, &AtomicBool::new(false))
}

fn check(workspace: &Workspace, id: &str) -> Answer {
    let options = ReproduceOptions {
        mode: Mode::Check,
        ..only(id)
    };
    reproduce(workspace, &options)
}

/// Tables that read data themselves, through datasets, and through tables of these; each with the files
/// below it.
const TABLES: [(&str, &str, &[&str]); 5] = [
    (
        "direct",
        "kind = \"lengths\"\nparams = { sides = [1.0] }\ndata = { base = \"base\" }",
        &["base.txt"],
    ),
    (
        "count",
        "kind = \"count\"\nfrom = { all = \"demo/records\" }",
        &["own.txt"],
    ),
    (
        "chain",
        "kind = \"count\"\nfrom = { all = \"demo/count\" }",
        &["own.txt"],
    ),
    (
        "parts-count",
        "kind = \"count\"\nfrom = { all = \"demo/parts\" }",
        &["parts/a.csv", "parts/b/c.csv"],
    ),
    (
        "both",
        "kind = \"count\"\nfrom = { a = \"demo/chain\", b = \"demo/parts\" }",
        &["own.txt", "parts/a.csv", "parts/b/c.csv"],
    ),
];

fn with_data() -> Workspace {
    let workspace = Workspace::bare();
    let write = |name: &str, text: &str| {
        let path = format!("experiments/demo/{name}.toml");
        let head = "title = \"t\"\nsource = { paper = \"demo\", where = \"Table 4\" }\n";
        workspace.write(&path, &format!("{head}{text}\n"));
    };
    for (name, text, _) in TABLES {
        write(name, text);
    }
    write("records", "kind = \"bytes\"\ndata = { own = \"own\" }");
    write("parts", "kind = \"bytes\"\ndata = { own = \"parts\" }");
    workspace.write("data/own.txt", "our own");
    workspace.write("data/parts/a.csv", "a\n1\n");
    workspace.write("data/parts/b/c.csv", "a\n2\n");
    for file in ["data/own.txt", "data/parts"] {
        enter(&workspace, file);
    }
    desk(&workspace).schema(false);
    let blessed = reproduce(&workspace, &mode(Mode::Bless { allow_dirty: false }));
    assert_eq!(blessed.exit, Exit::Done, "{}", blessed.err);
    workspace
}

fn enter(workspace: &Workspace, file: &str) {
    let is_known = workspace.read("data/manifest.toml").contains("[own]")
        && workspace.read("data/manifest.toml").contains("[parts]");
    let told = (!is_known).then(|| "a test".to_owned());
    let answer = desk(workspace).add_data(&kibitz_desk::AddDataOptions {
        file: workspace.path(file),
        name: None,
        license: told.clone(),
        origin: told,
        external: false,
        notes: None,
        role: "own",
    });
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
}

#[test]
fn a_byte_of_any_file_below_any_table_is_noticed() {
    let workspace = with_data();
    for file in ["base.txt", "own.txt", "parts/a.csv", "parts/b/c.csv"] {
        let path = workspace.path(&format!("data/{file}"));
        let before = std::fs::read(&path).unwrap();
        for at in 0..before.len() {
            let mut changed = before.clone();
            changed[at] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            for (name, _, files) in TABLES {
                let id = format!("demo/{name}");
                let answer = check(&workspace, &id);
                let is_below = files.contains(&file);
                let exit = if is_below { Exit::Missing } else { Exit::Done };
                assert_eq!(answer.exit, exit, "{file} {at} {name}: {}", answer.err);
                assert_eq!(answer.err.contains("with BLAKE3"), is_below);
            }
        }
        std::fs::write(&path, &before).unwrap();
        for (name, ..) in TABLES {
            assert_eq!(check(&workspace, &format!("demo/{name}")).exit, Exit::Done);
        }
    }
}

#[test]
fn changed_data_below_a_dataset_are_named_by_every_command() {
    let workspace = with_data();
    assert_eq!(reproduce(&workspace, &only("demo/chain")).exit, Exit::Done);
    workspace.write("data/own.txt", "our odd");
    let desk = desk(&workspace);
    let log = Log::default();
    desk.reproduce(&only("demo/chain"), &log, &AtomicBool::new(false));
    let lines = log.lines.into_inner().unwrap().concat();
    assert!(
        lines.contains("changed data") && !lines.contains("fresh"),
        "{lines}"
    );
    let ran = reproduce(&workspace, &only("demo/chain"));
    assert_snapshot!("changed_data_reproduce", workspace.shown(&ran));
    assert_eq!(check(&workspace, "demo/records").exit, Exit::Missing);
    let one = Selection {
        ids: vec!["demo/chain".to_owned()],
        ..Selection::default()
    };
    let listed = desk.list(&one, false, Format::Text);
    assert_snapshot!("changed_data_list", workspace.shown(&listed));
    assert_eq!(desk.cells(&one, false, Format::Text).exit, Exit::Missing);
    let explained = desk.explain("demo/chain", None);
    assert!(
        explained
            .out
            .contains("changed data: it reads `demo/records`")
    );
    assert!(
        explained
            .err
            .contains("whose content is not the one declared")
    );
    let recorded = desk.recorded(Values::Recorded).unwrap();
    let chain = recorded.table("demo/chain").unwrap();
    assert_eq!(
        chain.notices,
        ["These values rest on `own`, whose content is not the one declared."]
    );
    assert_eq!(recorded.table("demo/direct").unwrap().notices, [""; 0]);
    assert_eq!(recorded.warnings.len(), 1, "{}", recorded.warnings);
    // Entered again, it makes all that rests on it stale, and they run.
    enter(&workspace, "data/own.txt");
    assert_eq!(reproduce(&workspace, &only("demo/chain")).exit, Exit::Done);
}

#[test]
fn any_line_of_the_inputs_that_is_edited_is_named() {
    let workspace = with_data();
    for id in ["demo/direct", "demo/count"] {
        let path = format!("results/{id}/inputs.toml");
        let whole = workspace.read(&path);
        for (idx, line) in whole
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
        {
            let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
            lines[idx] = match line.rfind(|c: char| c.is_ascii_alphanumeric()) {
                Some(at) => {
                    let other = if line[at..].starts_with('1') {
                        "2"
                    } else {
                        "1"
                    };
                    format!("{}{other}{}", &line[..at], &line[at + 1..])
                }
                None => continue,
            };
            workspace.write(&path, &(lines.join("\n") + "\n"));
            let answer = check(&workspace, id);
            assert_ne!(answer.exit, Exit::Done, "{line}");
            let is_damaged = answer.exit == Exit::BadInput;
            let is_hash = line.starts_with("table = ");
            let place = format!("{path}:{}:", idx + 1);
            assert!(
                is_damaged || is_hash || answer.err.contains(&place),
                "{line}: {}",
                answer.err
            );
        }
        workspace.write(&path, &whole);
        assert_eq!(check(&workspace, id).exit, Exit::Done);
        workspace.write(
            &path,
            &whole.replacen("replicates", "more = 1\nreplicates", 1),
        );
        assert_eq!(check(&workspace, id).exit, Exit::Negative);
        workspace.write(&path, &whole);
    }
}

#[test]
fn an_edited_input_is_shown_beside_what_it_should_be() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit(
        "results/demo/dice/inputs.toml",
        "throws = 50",
        "throws = 51",
    );
    assert_snapshot!("an_edited_input", workspace.shown(&workspace.check()));
    // Another toolchain is another record.
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit("rust-toolchain.toml", "1.95.0", "1.96.0");
    assert_eq!(workspace.check().exit, Exit::Negative);
    workspace.bless();
    assert_eq!(workspace.check().exit, Exit::Done);
}

/// A workspace with a log: a cell agreed, and differs for a reason since.
fn with_log() -> Workspace {
    let workspace = Workspace::new();
    workspace.edit(SQUARES, "perimeter = 5 }", "perimeter = 4 }");
    workspace.edit(
        SQUARES,
        "\"side 2.5\" = { area = 6.25 }",
        "\"side 2.5\" = { area = 6.25, perimeter = 11 }",
    );
    workspace.edit(
        SQUARES,
        "side 1.perimeter\"\nup-to",
        "side 2.5.perimeter\"\nup-to",
    );
    workspace.bless();
    workspace.write(SQUARES, crate::workspace::SQUARES);
    workspace.bless();
    assert_eq!(
        workspace.check().exit,
        Exit::Done,
        "{}",
        workspace.check().err
    );
    workspace
}

#[test]
fn the_log_of_verdicts_ends_with_the_recorded_words() {
    let log = "results/verdicts.csv";
    let workspace = with_log();
    let whole = workspace.read(log);
    assert_snapshot!("log", whole);
    let edited = |from: &str, to: &str| {
        workspace.write(log, &whole);
        workspace.edit(log, from, to);
        let answer = workspace.check();
        assert_eq!(
            answer.exit,
            Exit::Negative,
            "{from} -> {to}: {}",
            answer.err
        );
        assert!(
            answer.err.contains("results/verdicts.csv"),
            "{}",
            answer.err
        );
        workspace.shown(&answer)
    };
    let last = whole.lines().find(|line| line.contains("side 1")).unwrap();
    assert_snapshot!(
        "an_edited_word",
        edited(last, &last.replace("differs (unexplained)", "matches"))
    );
    assert_snapshot!(
        "an_unknown_word",
        edited(last, &last.replace("differs (unexplained)", "difers"))
    );
    edited(last, &last.replace("demo/squares", "demo/sqares"));
    edited("cell,from", "cel,from");
    edited("a test", "another reason");
    edited(last, &last.replace("matches", "fitted"));
    let more = format!("{last}\n\"demo/squares \"\"side 3\"\".area\",matches,differs,why");
    edited(last, &more);
    workspace.write(log, &whole);
    assert_eq!(workspace.check().exit, Exit::Done);
}

#[test]
fn damaged_and_missing_results_are_left_out_of_the_report_and_told() {
    let workspace = Workspace::new();
    workspace.bless();
    let file = "results/demo/squares/table.csv";
    let whole = workspace.read(file);
    let told = |what: &str| {
        let recorded = workspace.desk().recorded(Values::Recorded).unwrap();
        assert_eq!(recorded.exit, Some(Exit::Negative), "{what}");
        assert!(recorded.table("demo/squares").is_none(), "{what}");
        assert!(recorded.table("demo/dice").is_some(), "{what}");
        assert_eq!(
            recorded.left_out.len(),
            1,
            "{what}: {:?}",
            recorded.left_out
        );
        format!("{}\n{:?}", recorded.problems, recorded.left_out)
    };
    for n_bytes in 0..whole.len() {
        workspace.write(file, &whole[..n_bytes]);
        told("cut");
    }
    // What is left out is still counted in what people wrote.
    let article =
        "1<!-- value: agrees in demo/squares --> of 2<!-- value: judged in demo --> agrees.\n";
    workspace.write("experiments/demo/article.md", article);
    workspace.write(file, &whole[..whole.len() / 2]);
    let recorded = workspace.desk().recorded(Values::Recorded).unwrap();
    assert_eq!(recorded.papers[0].article.as_deref(), Some(article));
    assert_eq!(recorded.exit, Some(Exit::Negative));
    std::fs::remove_file(workspace.path("experiments/demo/article.md")).unwrap();
    assert_snapshot!("cut_results", workspace.masked(&told("cut")));
    let list = workspace
        .desk()
        .list(&Selection::default(), false, Format::Text);
    assert!(list.out.contains("damaged"), "{}", list.out);
    std::fs::remove_file(workspace.path(file)).unwrap();
    assert_snapshot!("missing_values", told("missing"));
    std::fs::remove_dir_all(workspace.path("results/demo/squares")).unwrap();
    assert_snapshot!("missing_results", told("gone"));
    workspace.bless();
    workspace.edit("results/demo/dice/inputs.toml", "throws = 50", "throws = 5");
    let recorded = workspace.desk().recorded(Values::Recorded).unwrap();
    assert_eq!(recorded.exit, Some(Exit::Negative));
    assert_eq!(recorded.table("demo/dice").unwrap().notices.len(), 1);
}

#[test]
fn an_unfinished_file_stops_no_report() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.write(
        "experiments/demo/unfinished.toml",
        "kind = \"squares\"\n[para",
    );
    workspace.edit(SQUARES, "sides =", "sids =");
    let recorded = workspace.desk().recorded(Values::Recorded).unwrap();
    assert_eq!(recorded.exit, Some(Exit::BadInput));
    assert!(recorded.table("demo/dice").is_some());
    let left_out: Vec<&str> = recorded
        .left_out
        .iter()
        .map(|(id, _)| id.as_str())
        .collect();
    assert_eq!(left_out, ["demo/squares", "demo/unfinished"]);
    assert!(recorded.problems.len() >= 2, "{}", recorded.problems);
}

/// The squares, whose deviation is shown by a figure.
fn tested_by(figure: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.edit(
        SQUARES,
        "decided-by = \"A square of another side.\"",
        &format!("tested = \"{figure}\"\npredicts = [1.0, 6.0]"),
    );
    workspace
}

#[test]
fn a_figure_that_cannot_be_there_is_refused_with_its_place() {
    let mut told = String::new();
    for figure in [
        "demo/dise: d6.mean",
        "demo/dice: d7.mean",
        "demo/dice: d6.meen",
        "demo/dice: {row}.mean",
        "side 4.area",
        "side 3.aria",
    ] {
        let workspace = tested_by(figure);
        let answer = workspace.run();
        assert_eq!(answer.exit, Exit::BadInput, "{figure}: {}", answer.err);
        assert!(
            answer.err.contains("experiments/demo/squares.toml:3"),
            "{}",
            answer.err
        );
        told.push_str(&workspace.masked(&answer.err));
    }
    assert_snapshot!("figures_that_cannot_be_there", told);
}

#[test]
fn a_figure_without_a_value_leaves_a_conjecture() {
    let workspace = tested_by("demo/dice: d6.mean");
    let answer = workspace.reproduce(&only("demo/squares")).0;
    assert_eq!(answer.exit, Exit::BadInput);
    assert_snapshot!("a_figure_without_a_value", workspace.shown(&answer));
    workspace.edit(SQUARES, "tested =", "decided-by = \"a test\"\ntested =");
    let answer = workspace.reproduce(&only("demo/squares")).0;
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let workspace = tested_by("demo/dice: d6.mean");
    let answer = workspace.run();
    assert_eq!(answer.exit, Exit::Done, "both ran: {}", answer.err);
    assert!(answer.out.contains("differs (explained)"), "{}", answer.out);
}
