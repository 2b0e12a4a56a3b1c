//! Experiments and the files of concepts they name.

use std::fs;
use std::path::{Path, PathBuf};

use kibitz_lab::testing::TestBench;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> toml::Table {
    let text = fs::read_to_string(path).expect("a readable file");
    text.parse().expect("TOML")
}

/// The concepts that an experiment names in its parameters and in those of `--quick`.
fn named(experiment: &toml::Table) -> Vec<&str> {
    let sections = ["params", "quick"].into_iter();
    let sections = sections.filter_map(|section| experiment.get(section)?.as_table());
    let tables = sections.flat_map(|section| {
        let rows = section.get("rows").and_then(toml::Value::as_array);
        let rows = rows.into_iter().flatten().filter_map(toml::Value::as_table);
        rows.chain([section])
    });
    tables
        .filter_map(|table| table.get("concept")?.as_str())
        .collect()
}

#[test]
fn experiments_name_concepts_that_there_are() {
    let manifest = read(&root().join("data/manifest.toml"));
    let mut n_experiments = 0;
    for file in fs::read_dir(root().join("experiments/morales1992")).expect("experiments") {
        let path = file.expect("a file").path();
        let experiment = read(&path);
        let Some(entry) = experiment
            .get("data")
            .and_then(|data| data.get("concepts")?.as_str())
        else {
            continue;
        };
        n_experiments += 1;
        let file = manifest[entry]["path"].as_str().expect("a path");
        let concepts = read(&root().join("data").join(file));
        for name in named(&experiment) {
            assert!(
                concepts.contains_key(name),
                "{}: {entry} has no concept {name}",
                path.display()
            );
        }
    }
    assert_eq!(n_experiments, 11);
}

/// The example of concept learning, with these concepts.
fn bench(concepts: &str) -> TestBench {
    let kinds = kibitz_morales1992::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "concept-learning");
    let kind = *kind.expect("the kind");
    TestBench::new(kind, "morales1992/example", kind.example())
        .expect("a sound example")
        .with_data("targets", b"")
        .with_data("concepts", concepts.as_bytes())
}

#[test]
fn concepts_that_cannot_be_learned_are_told() {
    let told = |concepts: &str| {
        let outcome = bench(concepts).run("threat1/7", 0);
        outcome.expect_err("no such concept").to_string()
    };
    assert_eq!(
        told("[threat]\nname = \"threat\"\nexamples = []\nbackground = []"),
        "data `concepts` has no concept `threat1`; did you mean `threat`?"
    );
    assert_eq!(
        told("[threat1]\nname = \"threat1\"\nexamples = []\nbackground = []"),
        "concept `threat1` has no initial example"
    );
    let misspelt = told("[threat1]\nname = \"threat1\"\nexampels = []");
    for part in ["data `concepts`: ", "line 3, column 1", "exampels"] {
        assert!(misspelt.contains(part), "{misspelt}");
    }
}
