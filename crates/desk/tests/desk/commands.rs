//! What the commands beside `reproduce` say.

use insta::assert_snapshot;
use kibitz_desk::{Format, NewOptions, RefreshOptions};
use kibitz_lab::{Exit, Selection};

use crate::workspace::{SQUARES, Workspace};

#[test]
fn list_shows_state_and_time() {
    let workspace = Workspace::new();
    let list = |stale| {
        workspace.shown(
            &workspace
                .desk()
                .list(&Selection::default(), stale, Format::Text),
        )
    };
    assert_snapshot!("list_stale", list(false));
    workspace.bless();
    assert_snapshot!("list_fresh", list(false));
    workspace.edit("experiments/demo/dice.toml", "seed = 7", "seed = 8");
    assert_snapshot!("list_only_stale", list(true));
    let csv = workspace
        .desk()
        .list(&Selection::default(), true, Format::Csv);
    assert_snapshot!("list_csv", workspace.shown(&csv));
    let json = workspace
        .desk()
        .list(&Selection::default(), true, Format::Json);
    assert_snapshot!("list_json", workspace.shown(&json));
}

#[test]
fn explain_tells_values_keys_and_reasons() {
    let workspace = Workspace::new();
    let explain = |id: &str, cell| workspace.shown(&workspace.desk().explain(id, cell));
    assert_snapshot!("explain_new", explain("demo/squares", None));
    workspace.bless();
    let fresh = explain("demo/squares", Some("side 2.5"));
    let measured = regex::Regex::new(r"time = \S+ s").unwrap();
    assert_snapshot!("explain_fresh", measured.replace(&fresh, "time = N s"));
    workspace.edit("experiments/demo/dice.toml", "throws = 50", "throws = 51");
    assert_snapshot!("explain_changed", explain("demo/dice", Some("all dice")));
    assert_snapshot!(
        "explain_unknown_cell",
        explain("demo/dice", Some("all dise"))
    );
    assert_snapshot!("explain_unknown_id", explain("demo/dise", None));
}

/// What `list` says of a selection that it refuses.
#[track_caller]
fn refused(workspace: &Workspace, selection: &Selection) -> String {
    let answer = workspace.desk().list(selection, false, Format::Text);
    assert_eq!(answer.exit, Exit::NothingSelected, "{}", answer.err);
    answer.err
}

#[test]
fn names_that_nothing_has_end_alike() {
    let workspace = Workspace::new();
    let mut papers = workspace.read("experiments/papers.toml");
    papers.push_str("[doe2001]\ncitation = \"Doe, 2001.\"\n");
    workspace.write("experiments/papers.toml", &papers);
    for name in ["table1", "table2", "table2-dice", "doctor"] {
        let table = SQUARES.replace("paper = \"demo\"", "paper = \"doe2001\"");
        workspace.write(&format!("experiments/doe2001/{name}.toml"), &table);
    }
    let of_ids = |ids: &[&str]| {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let selection = Selection {
            ids,
            ..Selection::default()
        };
        refused(&workspace, &selection)
    };
    for (name, meant) in [
        ("doe2001/table2/", "did you mean `doe2001/table2`?"),
        ("doe2001/table2.toml", "did you mean `doe2001/table2`?"),
        (
            "./experiments/doe2001/table2.toml",
            "did you mean `doe2001/table2`?",
        ),
        ("deo2001/table2", "did you mean `doe2001/table2`?"),
        ("doe", "did you mean `doe2001`?"),
        ("deo2001", "did you mean `doe2001`?"),
        (
            "table2",
            "did you mean `doe2001/table2` or `doe2001/table2-dice`?",
        ),
        ("tabel2", "did you mean `doe2001/table2`?"),
        (
            "table",
            "did you mean `doe2001/table1`, `doe2001/table2` or `doe2001/table2-dice`?",
        ),
        (
            "mixed-up",
            "the papers are demo, doe2001; `demo list` shows all experiments",
        ),
        ("lengths", "it is a kind: `demo kinds lengths` shows it"),
    ] {
        for ids in [&[name][..], &["demo", name]] {
            let told = of_ids(ids);
            assert!(told.contains(&format!(" = {meant}\n")), "{ids:?}: {told}");
        }
    }
    let of_kind = |kind: &str| {
        let kinds = vec![kind.to_owned()];
        refused(
            &workspace,
            &Selection {
                kinds,
                ..Selection::default()
            },
        )
    };
    let kinds = of_kind("square");
    assert!(kinds.contains("did you mean `squares`?"), "{kinds}");
    let unlike = of_kind("x");
    assert!(unlike.contains("valid: dice, squares\n"), "{unlike}");
    let of_tag = |tag: &str| Selection {
        tags: vec![tag.to_owned()],
        ..Selection::default()
    };
    let tags = refused(&workspace, &of_tag("plain"));
    assert!(
        tags.contains("has the tag `plain`") && tags.contains("did you mean `plane`?"),
        "{tags}"
    );
    let without = of_tag("!plain");
    let list = workspace.desk().list(&without, false, Format::Text);
    assert_eq!(list.exit, Exit::Done, "{}", list.err);
}

#[test]
fn new_writes_a_skeleton_that_passes() {
    let workspace = Workspace::bare();
    let new = |id: &str, kind: &str| {
        let options = NewOptions {
            id: id.to_owned(),
            kind: kind.to_owned(),
            from: None,
            data: None,
            set: Vec::new(),
        };
        workspace.desk().new_experiment(&options)
    };
    let answer = new("demo/areas", "squares");
    assert_snapshot!("new", workspace.shown(&answer));
    assert_snapshot!("new_file", workspace.read("experiments/demo/areas.toml"));
    assert_eq!(workspace.run().exit, Exit::Done);
    assert_snapshot!("new_exists", workspace.shown(&new("demo/areas", "squares")));
    assert_snapshot!(
        "new_unknown_kind",
        workspace.shown(&new("demo/more", "square"))
    );
    assert_snapshot!("new_bad_id", workspace.shown(&new("../areas", "squares")));
}

#[test]
fn kinds_are_listed_and_described() {
    let workspace = Workspace::bare();
    let kinds = |name| workspace.shown(&workspace.desk().show_kinds(name));
    assert_snapshot!("kinds", kinds(None));
    assert_snapshot!("kinds_one", kinds(Some("squares")));
    assert_snapshot!("kinds_unknown", kinds(Some("square")));
}

#[test]
fn a_kind_fits_the_terminal() {
    let workspace = Workspace::bare();
    for (width, most) in [(Some(50), 50), (Some(500), 100), (None, 100)] {
        let mut desk = workspace.desk();
        desk.width = width;
        for kind in crate::kinds::kinds() {
            let text = desk.show_kinds(Some(kind.name())).out;
            let (description, _) = text.split_once("\ndata in the example").unwrap();
            let mut lines = description.lines();
            assert!(
                lines.all(|line| line.chars().count() <= most),
                "{description}"
            );
        }
    }
}

#[test]
fn a_list_fits_the_terminal() {
    let workspace = Workspace::new();
    let mut desk = workspace.desk();
    desk.width = Some(40);
    let text = desk.list(&Selection::default(), false, Format::Text).out;
    assert!(
        text.lines().all(|line| line.chars().count() <= 40),
        "{text}"
    );
    assert!(text.contains('…'), "{text}");
}

#[test]
fn every_example_passes() {
    for kind in crate::kinds::kinds() {
        let bench = kibitz_lab::testing::TestBench::new(kind, "demo/example", kind.example())
            .unwrap_or_else(|problems| panic!("{}: {problems}", kind.name()))
            .with_data("base", b"four");
        for cell in bench.cells() {
            let output = bench
                .run(&cell.id, 0)
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(output.values().count() > 0);
            let again = bench.run(&cell.id, 0).unwrap();
            let (output, again): (Vec<_>, Vec<_>) =
                (output.values().collect(), again.values().collect());
            assert_eq!(output, again, "a second run differs");
        }
    }
}

#[test]
fn the_schema_knows_every_key() {
    let workspace = Workspace::new();
    assert_snapshot!(
        "schema_missing",
        workspace.shown(&workspace.desk().schema(true))
    );
    assert_snapshot!(
        "schema_written",
        workspace.shown(&workspace.desk().schema(false))
    );
    assert_eq!(workspace.desk().schema(true).exit, Exit::Done);
    assert_snapshot!("schema", workspace.read("experiments/schema.json"));
}

#[test]
fn refresh_brings_derived_files_up_to_date() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit(
        "experiments/demo/squares.toml",
        "Squares of lengths",
        "Areas",
    );
    assert_snapshot!(
        "refresh",
        workspace.shown(&workspace.desk().refresh(&RefreshOptions::default()))
    );
    assert_snapshot!(
        "refresh_again",
        workspace.shown(&workspace.desk().refresh(&RefreshOptions::default()))
    );
}
