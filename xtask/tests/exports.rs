//! Exports: what they name is there, and the field's own validator accepts them.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use serde_json::Value;

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn xtask(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command
        .current_dir(home())
        .args(arguments)
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {err}");
    String::from_utf8(output.stdout).unwrap()
}

/// Prints what the validator of RO-Crates finds wrong with a folder. The vocabulary that it would
/// read from the network is that of the package `rocrate`.
const VALIDATE: &str = r#"
import importlib.resources, sys, requests
from rocrate_validator import models, services
from rocrate_validator.utils import http

def get(self, url, **_):
    response = requests.Response()
    response.url, response.status_code = url, 504
    if url == "https://w3id.org/ro/crate/1.1/context":
        context = importlib.resources.files("rocrate").joinpath("data/ro-crate.jsonld")
        response.status_code, response._content = 200, context.read_bytes()
        response.headers["Content-Type"] = "application/ld+json"
    return response

http.HttpRequester.get = get
result = services.validate(services.ValidationSettings(
    rocrate_uri=sys.argv[1], profile_identifier="ro-crate-1.1",
    requirement_severity=models.Severity.REQUIRED))
for issue in result.get_issues():
    print(issue.severity.name, issue.check.identifier, issue.message)
sys.exit(not result.passed())
"#;

/// The recorded tables.
fn recorded() -> BTreeSet<String> {
    let index = fs::read_to_string(home().join("results/index.json")).unwrap();
    let index: serde_json::Map<String, Value> = serde_json::from_str(&index).unwrap();
    index.keys().cloned().collect()
}

#[test]
fn a_crate_describes_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    xtask(&["export", "ro-crate", "--out", out]);
    let metadata = fs::read_to_string(folder.path().join("ro-crate-metadata.json")).unwrap();
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let graph = metadata["@graph"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    for entity in graph {
        let id = entity["@id"].as_str().unwrap();
        assert!(ids.insert(id), "{id} twice");
        let is_there = folder.path().join(id).exists();
        let is_file = ["File", "Dataset"].contains(&entity["@type"].as_str().unwrap());
        assert!(is_there || !is_file, "{id} is not in the crate");
    }
    // Whatever is referred to is described.
    for entity in graph {
        for value in entity.as_object().unwrap().values() {
            let values = value
                .as_array()
                .map_or(std::slice::from_ref(value), |all| all);
            for reference in values.iter().filter_map(|value| value["@id"].as_str()) {
                let is_known =
                    ids.contains(reference) || reference.starts_with("https://w3id.org/");
                assert!(is_known, "{}: {reference}", entity["@id"]);
            }
        }
    }
    for id in recorded() {
        assert!(ids.contains(format!("#run/{id}").as_str()), "{id}");
    }

    let python = std::env::var("KIBITZ_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = ["-c", "import rocrate, rocrate_validator"];
    if !Command::new(&python)
        .args(has)
        .output()
        .is_ok_and(|output| output.status.success())
    {
        eprintln!("skipped: {python} has no roc-validator and rocrate");
        return;
    }
    let validate = || {
        let output = Command::new(&python)
            .args(["-c", VALIDATE, out])
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    };
    let (is_valid, said) = validate();
    assert!(is_valid, "{said}");
    fs::remove_file(folder.path().join("CITATION.cff")).unwrap();
    let (is_valid, said) = validate();
    assert!(!is_valid && said.contains("CITATION.cff"), "{said}");
}

#[test]
fn a_manifest_names_every_table() {
    let folder = tempfile::tempdir().unwrap();
    xtask(&[
        "export",
        "codecheck",
        "--out",
        folder.path().to_str().unwrap(),
    ]);
    let text = fs::read_to_string(folder.path().join("codecheck.yml")).unwrap();
    assert!(text.starts_with("---\n"), "{text}");
    for id in recorded() {
        let file = format!("results/{id}/table.md");
        assert!(text.contains(&format!("- file: {file}\n")), "{id}");
        assert!(folder.path().join(&file).is_file(), "{id}");
    }
}

#[test]
fn the_graph_has_what_experiments_read() {
    let graph: Value = serde_json::from_str(&xtask(&["graph", "--format", "json"])).unwrap();
    let edges = graph["edges"].as_array().unwrap();
    let has = |from: &str, to: &str| edges.iter().any(|edge| edge[0] == from && edge[1] == to);
    assert!(has("chute-library", "sugar1975/scores"));
    assert!(has("sugar1975/scores", "sugar1975/records"));
    let nodes = graph["nodes"].as_array().unwrap();
    let place = |id: &Value| nodes.iter().position(|node| node["id"] == *id).unwrap();
    for edge in edges {
        assert!(place(&edge[0]) < place(&edge[1]), "{edge}");
    }
    let few = xtask(&["graph", "sugar1975/records", "--format", "mermaid"]);
    let expected = "flowchart LR\n  n0[(\"chute-library\")]\n  n1[/\"sugar1975/scores\"/]\n  \
                    n2[/\"sugar1975/records\"/]\n  n0 --> n1\n  n1 --> n2\n";
    assert_eq!(few, expected);
    let svg = xtask(&["graph"]);
    for node in nodes {
        let id = node["id"].as_str().unwrap();
        assert!(svg.contains(&format!(">{id}</text>")), "{id}");
    }
}
