//! A manifest of all tables for a CODECHECK (<https://codecheck.org.uk/spec/config/1.0/>).

use serde::Serialize;

use super::{Citation, Package, recorded};
use crate::Answer;
use kibitz_lab::session::Session;
use kibitz_text::counted;

#[derive(Serialize)]
struct Config {
    version: &'static str,
    paper: Paper,
    manifest: Vec<Output>,
}

#[derive(Serialize)]
struct Paper {
    title: String,
    authors: Vec<Author>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

#[derive(Serialize)]
struct Author {
    name: String,
    #[serde(rename = "ORCID", skip_serializing_if = "Option::is_none")]
    orcid: Option<String>,
}

#[derive(Serialize)]
struct Output {
    file: String,
    comment: String,
}

/// What only a checker can fill in.
const HEADER: &str = "\
---
# Every table that is compared with the paper. `codechecker`, `summary`, `report`, `check_time` and
# `certificate` are the checker's to add.
";

/// Writes `codecheck.yml` with the tables that it names.
pub(super) fn write(
    session: &Session<'_>,
    citation: &Citation,
    package: &mut Package<'_>,
) -> Result<String, Answer> {
    let program = &session.lab.program;
    let mut manifest = Vec::new();
    for (entry, folder) in recorded(session) {
        package.copy(&folder)?;
        let (id, file) = (entry.id(), &entry.experiment.file);
        let place = file.source.as_ref().map_or_else(String::new, |source| {
            format!("{}, {}: ", source.paper.get_ref(), source.place)
        });
        manifest.push(Output {
            file: format!("{folder}/table.md"),
            comment: format!("{place}{}; `{program} reproduce {id}`", file.title),
        });
    }
    let authors = citation.authors.iter().map(|author| Author {
        name: author.name(),
        orcid: author.orcid.clone(),
    });
    let doi = citation
        .doi
        .as_ref()
        .map(|doi| format!("https://doi.org/{doi}"));
    let n_tables = manifest.len();
    let config = Config {
        version: "https://codecheck.org.uk/spec/config/1.0/",
        paper: Paper {
            title: citation.title.clone(),
            authors: authors.collect(),
            reference: doi.or_else(|| citation.repository_code.clone()),
        },
        manifest,
    };
    let text = HEADER.to_owned() + &serde_yaml_ng::to_string(&config)?;
    package.write("codecheck.yml", text.as_bytes())?;
    Ok(counted(n_tables, "table", "tables"))
}
