//! Data that are not here, and a user's data.

use std::sync::atomic::AtomicBool;

use insta::assert_snapshot;
use kibitz_desk::{AddDataOptions, Mode, NewOptions, ReproduceOptions};
use kibitz_lab::Exit;

use crate::workspace::Workspace;

const SQUARES: &str = "experiments/demo/squares.toml";

#[test]
fn missing_data_stops_only_those_who_need_it() {
    let workspace = Workspace::new();
    workspace.edit(
        SQUARES,
        "[params]",
        "[data]\nbase = \"base\"\n[params]\nwith-data = true",
    );
    workspace.bless();
    assert_eq!(
        workspace.check().exit,
        Exit::Negative,
        "four bytes were added to every area"
    );
    std::fs::remove_file(workspace.path("data/base.txt")).unwrap();
    let (answer, started) = workspace.reproduce(&ReproduceOptions {
        force: true,
        ..ReproduceOptions::default()
    });
    assert_eq!(started.len(), 3, "the dice");
    assert_snapshot!("data_missing", workspace.shown(&answer));
    assert_eq!(workspace.check().exit, Exit::Missing);
    workspace.write("data/base.txt", "five!");
    assert_snapshot!("data_changed", workspace.shown(&workspace.run()));
}

#[test]
fn external_data_are_found_by_folder_and_not_needed_for_what_is_known() {
    let workspace = Workspace::bare();
    workspace.write(SQUARES, crate::workspace::SQUARES);
    workspace.edit(
        SQUARES,
        "[params]",
        "[data]\nbase = \"far\"\n[params]\nwith-data = true",
    );
    let entry = format!(
        "[far]\npath = \"far.txt\"\nblake3 = \"{}\"\nbytes = 3\norigin = \"afar\"\nlicense = \"CC0\"\nexternal = true\n",
        blake3::hash(b"far").to_hex()
    );
    workspace.write("data/manifest.toml", &entry);
    assert_snapshot!("external_data_missing", workspace.shown(&workspace.run()));
    workspace.write("elsewhere/far.txt", "far");
    let mut desk = workspace.desk();
    desk.lab.data_folders = vec![workspace.path("elsewhere")];
    let options = ReproduceOptions::default();
    let found = desk.reproduce(
        &options,
        &kibitz_lab::SilentObserver,
        &AtomicBool::new(false),
    );
    assert_eq!(
        found.exit,
        Exit::Negative,
        "three bytes were added to every area"
    );
    assert_eq!(
        workspace.run().exit,
        Exit::Negative,
        "cached values need no data"
    );
}

#[test]
fn what_rests_on_an_absent_collection_is_recorded_until_its_inputs_change() {
    let workspace = Workspace::bare();
    workspace.write(SQUARES, crate::workspace::SQUARES);
    workspace.edit(
        SQUARES,
        "[params]",
        "[data]\nbase = \"far\"\n[params]\nwith-data = true\ntotal = true",
    );
    let entry = format!(
        "[far]\npath = \"far.txt\"\nblake3 = \"{}\"\nbytes = 0\norigin = \"afar\"\nlicense = \"CC0\"\nexternal = true\n",
        blake3::hash(b"").to_hex()
    );
    workspace.write("data/manifest.toml", &entry);
    workspace.write("elsewhere/far.txt", "");
    workspace.desk().schema(false);
    let mut desk = workspace.desk();
    desk.lab.data_folders = vec![workspace.path("elsewhere")];
    let bless = ReproduceOptions {
        mode: Mode::Bless { allow_dirty: true },
        ..ReproduceOptions::default()
    };
    let blessed = desk.reproduce(&bless, &kibitz_lab::SilentObserver, &AtomicBool::new(false));
    assert_eq!(blessed.exit, Exit::Done, "{}", blessed.err);
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    for force in [false, true] {
        let options = ReproduceOptions {
            force,
            ..ReproduceOptions::default()
        };
        let (answer, started) = workspace.reproduce(&options);
        assert_eq!(
            (answer.exit, started.len()),
            (Exit::Done, 0),
            "{}",
            answer.err
        );
        assert!(
            answer.out.contains("recorded: demo/squares"),
            "{}",
            answer.out
        );
        assert!(
            answer.out.contains("1 matches, 3 match (weak)"),
            "{}",
            answer.out
        );
    }
    let (checked, _) = workspace.reproduce(&ReproduceOptions {
        mode: Mode::Check,
        force: true,
        ..ReproduceOptions::default()
    });
    assert_eq!(checked.exit, Exit::Done, "{}", checked.err);
    workspace.edit(
        SQUARES,
        "with-data = true",
        "with-data = true\nmood = \"failing\"",
    );
    let (answer, _) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert!(
        answer.out.contains("skipped: demo/squares, stale"),
        "{}",
        answer.out
    );
    let answer = workspace.check();
    assert_eq!(answer.exit, Exit::Negative);
    assert!(
        answer.err.contains("is stale and cannot be rerun"),
        "{}",
        answer.err
    );
}

fn adding(workspace: &Workspace, file: &str) -> AddDataOptions {
    AddDataOptions {
        file: workspace.path(file),
        name: None,
        license: Some("CC0".to_owned()),
        origin: Some("a test".to_owned()),
        external: false,
        notes: None,
        role: "games",
    }
}

#[test]
fn a_file_of_ones_own_is_entered_and_read_by_its_path() {
    let workspace = Workspace::new();
    workspace.write("away/My lengths.v2.txt", "12345");
    let options = adding(&workspace, "away/My lengths.v2.txt");
    let add = |options: &AddDataOptions| workspace.desk().add_data(options);
    assert_snapshot!("data_added", workspace.shown(&add(&options)));
    assert_eq!(workspace.read("data/My lengths.v2.txt"), "12345");
    assert!(add(&options).out.contains("unchanged: [my-lengths]"));
    for path in ["data/My lengths.v2.txt", "My lengths.v2.txt"] {
        workspace.write(SQUARES, crate::workspace::SQUARES);
        let data = format!("[data]\nbase = \"{path}\"\n[params]\nwith-data = true");
        workspace.edit(SQUARES, "[params]", &data);
        let answer = workspace.run();
        assert_eq!(answer.exit, Exit::Negative, "five is added: {}", answer.err);
    }
    workspace.edit(SQUARES, "My lengths.v2.txt", "lengths.txt");
    assert_snapshot!("data_unknown_path", workspace.shown(&workspace.run()));
    workspace.write("away/My lengths.v2.txt", "123456");
    assert_snapshot!("data_other_file", workspace.shown(&add(&options)));
    workspace.write("data/My lengths.v2.txt", "123456");
    assert!(
        add(&options)
            .out
            .contains("brought up to date: [my-lengths]")
    );
    let twin = AddDataOptions {
        name: Some("my-lengths".to_owned()),
        ..adding(&workspace, "data/base.txt")
    };
    assert_snapshot!("data_same_name", workspace.shown(&add(&twin)));
    let nowhere = adding(&workspace, "away/nothing.txt");
    assert_eq!(add(&nowhere).exit, Exit::Missing);
}

#[test]
fn a_length_that_is_not_the_declared_one_is_told() {
    let workspace = Workspace::new();
    workspace.edit(
        SQUARES,
        "[params]",
        "[data]\nbase = \"base\"\n[params]\nwith-data = true",
    );
    workspace.edit("data/manifest.toml", "bytes = 4", "bytes = 5");
    let answer = workspace.run();
    assert_eq!(answer.exit, Exit::Missing);
    assert!(
        answer.err.contains("found 4 bytes with BLAKE3"),
        "{}",
        answer.err
    );
}

#[test]
fn a_new_experiment_takes_the_data_that_are_here() {
    let workspace = Workspace::bare();
    let new = |id: &str, data: Option<&str>, sides: &str| {
        workspace.desk().new_experiment(&NewOptions {
            id: id.to_owned(),
            kind: "lengths".to_owned(),
            from: None,
            data: data.map(str::to_owned),
            set: vec![("sides".to_owned(), sides.to_owned())],
        })
    };
    let (entry, manifest) = (workspace.read("data/manifest.toml"), "data/manifest.toml");
    workspace.write(manifest, "");
    assert_snapshot!(
        "new_without_data",
        workspace.shown(&new("demo/none", None, "[4.0]"))
    );
    workspace.write(manifest, &entry);
    assert_eq!(new("demo/only", None, "[4.0]").exit, Exit::Done);
    assert_snapshot!(
        "new_with_the_only_data",
        workspace.read("experiments/demo/only.toml")
    );
    assert_eq!(workspace.run().exit, Exit::Done);
    workspace.write(
        manifest,
        &format!("{entry}\n{}", entry.replace("[base]", "[twin]")),
    );
    assert_snapshot!(
        "new_with_several",
        workspace.shown(&new("demo/two", None, "[4.0]"))
    );
    assert_eq!(new("demo/two", Some("base"), "[4.0]").exit, Exit::Done);
    let answer = new("demo/other", Some("bass"), "[4.0]");
    assert_snapshot!("new_with_unknown_data", workspace.shown(&answer));
    let answer = new("demo/wrong", Some("base"), "[-1.0]");
    assert_eq!(answer.exit, Exit::BadInput, "it would not run");
}
