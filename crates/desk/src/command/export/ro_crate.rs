//! An RO-Crate 1.1 (<https://w3id.org/ro/crate/1.1>): results, experiments, data, code, license and
//! authors, and which command made which table of what.

use serde_json::{Value, json};

use super::{Citation, Package, PackageFile, recorded};
use crate::Answer;
use crate::desk::workspace_inputs;
use kibitz_command::input::Input;
use kibitz_lab::Exit;
use kibitz_lab::provenance::date;
use kibitz_lab::session::Session;
use kibitz_text::counted;

/// What is exported beside results and experiments, where it is there.
const REST: [(&str, &str); 12] = [
    (
        "crates",
        "Source code of the libraries and of the experiment kinds",
    ),
    ("xtask", "Source code of the command line"),
    ("benchmarks", "Comparisons of speed"),
    ("engines", "Engines that run experiments on many machines"),
    ("docs", "A page a job"),
    ("Cargo.toml", "The workspace"),
    ("Cargo.lock", "Exact versions of all dependencies"),
    ("rust-toolchain.toml", "The version of the compiler"),
    ("README.md", "What this is"),
    ("LICENSE", "The license"),
    ("CITATION.cff", "How to cite this"),
    ("data/manifest.toml", "Origin, hash and license of all data"),
];

/// Writes `ro-crate-metadata.json` with the files that it describes.
pub(super) fn write(
    session: &Session<'_>,
    citation: &Citation,
    package: &mut Package<'_>,
) -> Result<String, Answer> {
    let root = &session.lab.root;
    let published = citation.date_released.clone().or_else(|| date(root));
    let published = published.ok_or_else(|| {
        let message = "error: CITATION.cff has no `date-released`, and no commit has a date\n";
        Answer::failed(Exit::BadInput, message)
    })?;
    let mut graph = Graph::default();
    let license = format!("https://spdx.org/licenses/{}", citation.license);
    graph.add(json!({
        "@id": license, "@type": "CreativeWork",
        "name": citation.license,
        "description": format!("{} as SPDX lists it", citation.license),
        "url": license,
    }));
    let authors = authors(&mut graph, citation);
    let papers = papers(&mut graph, session);
    let runner = graph.add(json!({
        "@id": "#runner", "@type": "SoftwareApplication",
        "name": session.lab.program,
        "url": citation.repository_code.as_deref().unwrap_or(&license),
        "version": citation.version,
        "softwareVersion": citation.version,
    }));
    let mut parts = Vec::new();
    data(&mut graph, session, package, &mut parts)?;
    for (path, about) in REST {
        if !root.join(path).exists() {
            continue;
        }
        let copied = package.copy(path)?;
        if root.join(path).is_dir() {
            parts.push(graph.folder(path, about, Vec::new()));
        } else {
            parts.extend(copied.iter().map(|file| graph.file(file, about)));
        }
    }
    for shared in ["experiments/papers.toml", "experiments/schema.json"] {
        if root.join(shared).is_file() {
            let copied = package.copy(shared)?;
            let about = "What all experiments share";
            parts.extend(copied.iter().map(|file| graph.file(file, about)));
        }
    }
    for entry in &session.catalog.entries {
        let title = &entry.experiment.file.title;
        for file in package.copy(entry.experiment.source.path())? {
            parts.push(graph.file(&file, title));
        }
    }
    for path in workspace_inputs(session) {
        let about = "What steps read";
        // A data file of the manifest may be one of them.
        if graph.has(&path) {
            continue;
        }
        for file in package.copy(&path)? {
            if !graph.has(&file.path) {
                parts.push(graph.file(&file, about));
            }
        }
        if root.join(&path).is_dir() && !graph.has(&format!("{path}/")) {
            parts.push(graph.folder(&path, about, Vec::new()));
        }
    }
    let mut runs = Vec::new();
    for (entry, folder) in recorded(session) {
        let title = &entry.experiment.file.title;
        let copied = package.copy(&folder)?;
        let files: Vec<Value> = copied.iter().map(|file| graph.file(file, title)).collect();
        let result = graph.folder(&folder, title, files);
        let data =
            entry
                .experiment
                .data
                .iter()
                .filter_map(|used| match Input::of_name(&used.entry) {
                    None => Some(data_id(session, &used.entry)),
                    Some(Input::File(path)) if root.join(&path).is_dir() => {
                        Some(format!("{path}/"))
                    }
                    Some(Input::File(path)) => Some(path),
                    // Versions and variables are not part of the package.
                    Some(_) => None,
                });
        let from = entry.experiment.from.iter().filter_map(|used| {
            let source = session.catalog.entry(&used.entry)?;
            Some(source.experiment.source.path().to_owned())
        });
        let own = [entry.experiment.source.path().to_owned()];
        let objects = own.into_iter().chain(data).chain(from);
        let id = entry.id();
        runs.push(graph.add(json!({
            "@id": format!("#run/{id}"), "@type": "CreateAction",
            "name": format!("{} reproduce {id}", session.lab.program),
            "description": title,
            "instrument": runner,
            "object": objects.map(|id| json!({ "@id": id })).collect::<Value>(),
            "result": result,
            "agent": authors,
        })));
        parts.push(result);
    }
    let n_tables = runs.len();
    graph.add(json!({
        "@id": "./", "@type": "Dataset",
        "name": citation.title,
        "description": citation.about.as_deref().unwrap_or(&citation.title).trim(),
        "datePublished": published,
        "license": { "@id": license },
        "author": authors,
        "publisher": authors.first(),
        "version": citation.version,
        "identifier": citation.doi,
        "keywords": citation.keywords.join(", "),
        "citation": papers,
        "mentions": runs,
        "hasPart": parts,
    }));
    graph.add(json!({
        "@id": "ro-crate-metadata.json", "@type": "CreativeWork",
        "conformsTo": { "@id": "https://w3id.org/ro/crate/1.1" },
        "about": { "@id": "./" },
    }));
    let metadata = json!({
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": graph.0,
    });
    let text = serde_json::to_string_pretty(&metadata)? + "\n";
    package.write("ro-crate-metadata.json", text.as_bytes())?;
    Ok(counted(n_tables, "table", "tables"))
}

/// The described things.
#[derive(Default)]
struct Graph(Vec<Value>);

impl Graph {
    /// Adds one, without what is not known of it, and with a list of one as that one; a reference to it.
    fn add(&mut self, mut entity: Value) -> Value {
        if let Value::Object(entity) = &mut entity {
            entity.retain(|_, value| !value.is_null() && *value != json!([]));
            for value in entity.values_mut() {
                if let Value::Array(all) = value
                    && let [only] = all.as_slice()
                {
                    *value = only.clone();
                }
            }
        }
        let reference = json!({ "@id": entity["@id"] });
        self.0.push(entity);
        reference
    }

    fn has(&self, id: &str) -> bool {
        self.0.iter().any(|entity| entity["@id"] == id)
    }

    fn file(&mut self, file: &PackageFile, about: &str) -> Value {
        let (_, extension) = file.path.rsplit_once('.').unwrap_or_default();
        let format = match extension {
            "csv" => "text/csv",
            "json" => "application/json",
            "md" => "text/markdown",
            "svg" => "image/svg+xml",
            "toml" => "application/toml",
            "pgn" => "application/vnd.chess-pgn",
            _ => "text/plain",
        };
        let (_, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        self.add(json!({
            "@id": file.path, "@type": "File",
            "name": format!("{name}: {about}"),
            "description": about,
            "encodingFormat": format,
            "contentSize": file.n_bytes.to_string(),
        }))
    }

    fn folder(&mut self, path: &str, about: &str, parts: Vec<Value>) -> Value {
        let parts = (!parts.is_empty()).then_some(parts);
        self.add(json!({
            "@id": format!("{path}/"), "@type": "Dataset",
            "name": path, "description": about, "hasPart": parts,
        }))
    }
}

fn authors(graph: &mut Graph, citation: &Citation) -> Vec<Value> {
    let authors = citation.authors.iter().zip(1..);
    let described = authors.map(|(author, number)| {
        let sort = if author.family_names.is_some() {
            "Person"
        } else {
            "Organization"
        };
        let id = author
            .orcid
            .clone()
            .unwrap_or_else(|| format!("#author-{number}"));
        json!({
            "@id": id, "@type": sort,
            "name": author.name(),
            "givenName": author.given_names,
            "familyName": author.family_names,
        })
    });
    described.map(|author| graph.add(author)).collect()
}

/// The papers whose tables are rebuilt.
fn papers(graph: &mut Graph, session: &Session<'_>) -> Vec<Value> {
    let papers = session.catalog.papers.iter();
    let published = papers.filter(|paper| paper.details.published);
    let described = published.map(|paper| {
        let id = paper.details.link.clone();
        json!({
            "@id": id.unwrap_or_else(|| format!("#paper/{}", paper.id)),
            "@type": "ScholarlyArticle",
            "name": paper.details.citation,
            "identifier": paper.id,
        })
    });
    described.map(|paper| graph.add(paper)).collect()
}

/// The id of a data set: its file, or what is said of one that is not embedded.
fn data_id(session: &Session<'_>, name: &str) -> String {
    match session.catalog.manifest.entries.get(name) {
        Some(entry) if !entry.external => format!("data/{}", entry.path.display()),
        _ => format!("#data/{name}"),
    }
}

/// Embedded data are files of the package; of external ones it is said where they are.
fn data(
    graph: &mut Graph,
    session: &Session<'_>,
    package: &mut Package<'_>,
    parts: &mut Vec<Value>,
) -> Result<(), Answer> {
    for (name, entry) in &session.catalog.manifest.entries {
        let license = graph.add(json!({
            "@id": format!("#license/{name}"), "@type": "CreativeWork",
            "name": format!("Terms of {name}"),
            "description": entry.license,
        }));
        let id = data_id(session, name);
        let described = json!({
            "@id": id,
            "@type": if entry.external { "CreativeWork" } else { "File" },
            "name": name,
            "description": entry.origin,
            "license": license,
            "encodingFormat": if entry.external { "application/zstd" } else { "text/plain" },
            "contentSize": entry.bytes.to_string(),
            "identifier": format!("blake3:{}", entry.blake3.to_hex()),
        });
        let reference = graph.add(described);
        if !entry.external {
            package.copy(&id)?;
            parts.push(reference);
        }
    }
    Ok(())
}
