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
        if path.extension().is_none_or(|it| it != "toml") {
            continue;
        }
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
    assert_eq!(n_experiments, 15);
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

/// `endgame-concepts` over king and pawn against king, with these parameters besides.
fn endgame_bench(params: &str) -> Result<TestBench, String> {
    let kinds = kibitz_morales1992::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "endgame-concepts");
    let text = format!(
        r#"kind = "endgame-concepts"
title = "Sub-patterns"
source = {{ paper = "morales1992", where = "appendix F", reading = "clear" }}
data = {{ targets = "pal-kpk", concepts = "pal-kpk-concepts" }}
run = {{ seed = 1 }}

[params]
max-level = 3
places = "coordinates"
changes = "places"
count = true
{params}

[columns]
differ = {{ unit = "positions", tol = "info", why = "a test" }}
"#
    );
    let kind = *kind.expect("the kind");
    let bench = TestBench::new(kind, "morales1992/example", &text);
    let bench = bench.map_err(|problems| problems.to_string())?;
    let [targets, concepts] = ["kpk.pl", "kpk.toml"].map(|file| {
        let path = root().join("data/morales1992").join(file);
        fs::read(path).expect("a readable file")
    });
    Ok(bench
        .with_data("targets", &targets)
        .with_data("concepts", &concepts))
}

#[test]
fn sub_patterns_are_compared_with_what_is_printed() {
    let params = r#"endgame = "KPvK"
user = { pool = 20, pools = 1 }
rows = [{ row = "level", concept = "kings_level" }, { row = "alike", concept = "near_alike" }]"#;
    let bench = endgame_bench(params).expect("sound");
    let level = bench.run("level", 0).expect("learned");
    let number = |column| level.number("level", column);
    assert_eq!(number("positions"), Some(163_328.0));
    assert_eq!(number("positive"), Some(15_192.0));
    assert_eq!(number("found"), Some(1.0));
    assert_eq!(number("differ"), Some(0.0));
    // One position in which ranks and files are others.
    assert_eq!(number("manual-pos"), Some(1.0));
    let alike = bench.run("alike", 0).expect("learned");
    assert!(alike.number("alike", "differ") > Some(10_000.0));
    assert_eq!(alike.number("alike", "manual-pos"), None);
    let all = bench.run("all", 0).expect("counted");
    let counts = ["concepts", "clauses", "found"].map(|column| all.number("all", column));
    assert_eq!(counts, [Some(2.0), Some(2.0), Some(1.0)]);
}

#[test]
fn an_endgame_and_its_concepts_are_checked() {
    let told = |params: &str| endgame_bench(params).expect_err("unsound");
    let unknown = told("endgame = \"KXvK\"\nrows = [{ row = \"a\", concept = \"kings_level\" }]");
    assert!(unknown.contains("`KXvK` is not an endgame"), "{unknown}");
    let other = told("rows = [{ row = \"all\", concept = \"kings_level\" }]");
    for part in ["no concept of strategies", "set `count` instead"] {
        assert!(other.contains(part), "{other}");
    }
}
