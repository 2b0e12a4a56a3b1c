//! The files of the report.

use std::collections::BTreeMap;

use kibitz_lab::record::WorkspaceRecord;

use crate::context::{Context, View};
use crate::{
    OtherPage, Picture, Pictures, code, dataset, front, outcomes, paper, rounding, rule, table,
};

/// The files of a report.
#[derive(Clone, Debug)]
pub struct Site {
    /// By path, `/` between folders.
    pub files: BTreeMap<String, String>,
    /// What could not be drawn.
    pub warnings: Vec<String>,
}

/// All files of the report on `recorded`; the front page links the pages `beside` it.
pub fn site(recorded: &WorkspaceRecord, pictures: &dyn Pictures, beside: &[OtherPage]) -> Site {
    let recorded = &rounding::readable(recorded);
    let views = recorded
        .tables
        .iter()
        .map(|table| (table.id.as_str(), View::new(table)));
    let context = Context {
        recorded,
        views: views.collect(),
        beside,
    };
    let mut warnings = Vec::new();
    let drawn: BTreeMap<&str, Vec<Picture>> = context
        .views
        .iter()
        .map(|(id, view)| {
            // A report without one picture is better than none: the reason is a warning.
            let drawn = pictures.of(view.table).unwrap_or_else(|why| {
                warnings.push(format!("{id}: no picture: {why}"));
                Vec::new()
            });
            (*id, drawn)
        })
        .collect();
    let mut files = BTreeMap::new();
    let mut add = |path: String, text: String| {
        files.insert(path, text);
    };
    add(
        "style.css".to_owned(),
        include_str!("../assets/style.css").to_owned(),
    );
    add(
        "report.js".to_owned(),
        include_str!("../assets/report.js").to_owned(),
    );
    add("index.html".to_owned(), front::page(&context, &drawn));
    add(outcomes::RULE.to_owned(), rule::page(&context));
    for paper in &recorded.papers {
        if context.tables_of(paper).is_empty() {
            continue;
        }
        add(
            format!("{}/index.html", paper.id),
            paper::page(&context, paper),
        );
    }
    for kind in recorded.kinds.iter().filter(|kind| kind.file.is_some()) {
        add(
            format!("code/{}.html", kind.name),
            code::page(&context, kind),
        );
    }
    for dataset in &recorded.datasets {
        add(
            format!("{}.html", dataset.id),
            dataset::page(&context, dataset),
        );
    }
    for (id, view) in &context.views {
        for part in 0..view.parts.len() {
            let path = format!("{}/{}", view.table.paper(), view.file(part));
            add(path, table::page(&context, view, part, &drawn[id]));
        }
    }
    Site { files, warnings }
}
