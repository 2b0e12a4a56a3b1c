//! `graph`: experiments, datasets and data, and what reads what.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::session::Session;
use super::{Answer, Lab, Selection};

/// How the graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// A picture.
    Svg,
    /// A flowchart for documents that have Mermaid.
    Mermaid,
    /// For programs.
    Json,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Sort {
    Data,
    Dataset,
    Table,
}

#[derive(Debug, Serialize)]
struct Node {
    /// The id of an experiment, or the name of an entry of the manifest.
    id: String,
    sort: Sort,
    title: String,
}

/// Nodes in an order in which each stands after all that it reads.
#[derive(Debug, Serialize)]
struct Graph {
    nodes: Vec<Node>,
    /// What is read, and what reads it.
    edges: Vec<[String; 2]>,
}

impl Lab {
    /// The graph of the selected experiments and of all that they read.
    pub fn graph(&self, selection: &Selection, format: GraphFormat) -> Answer {
        let drawn = || -> Result<Answer, Answer> {
            let session = Session::open(self)?;
            let selected = selection.apply(&session.catalog, &self.program)?;
            let ids = selected.entries.iter().map(|entry| entry.id());
            let graph = Graph::new(&session, ids);
            let text = match format {
                GraphFormat::Svg => graph.svg(),
                GraphFormat::Mermaid => graph.mermaid(),
                GraphFormat::Json => {
                    serde_json::to_string_pretty(&graph).unwrap_or_default() + "\n"
                }
            };
            Ok(selected.told_with(Answer::ok(text)))
        };
        drawn().unwrap_or_else(|answer| answer)
    }
}

impl Graph {
    fn new<'s>(session: &'s Session<'_>, ids: impl Iterator<Item = &'s str>) -> Self {
        let mut graph = Self {
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        let mut known = BTreeSet::new();
        for id in ids {
            graph.add(session, id, &mut known);
        }
        graph
    }

    /// Adds an experiment after all that it reads; experiments do not read each other in circles.
    fn add(&mut self, session: &Session<'_>, id: &str, known: &mut BTreeSet<String>) {
        let Some(entry) = session.catalog.entry(id) else {
            return;
        };
        if !known.insert(id.to_owned()) {
            return;
        }
        for used in &entry.experiment.data {
            // An entry may have the name of an experiment's paper, but never an id with a slash.
            if known.insert(used.entry.clone()) {
                let data = session.catalog.manifest.entries.get(&used.entry);
                let place = data.map(|data| data.path.display().to_string());
                self.nodes.push(Node {
                    id: used.entry.clone(),
                    sort: Sort::Data,
                    title: place.unwrap_or_default(),
                });
            }
        }
        for used in &entry.experiment.from {
            self.add(session, &used.entry, known);
        }
        let sort = if entry.is_dataset() {
            Sort::Dataset
        } else {
            Sort::Table
        };
        self.nodes.push(Node {
            id: id.to_owned(),
            sort,
            title: entry.experiment.file.title.clone(),
        });
        let uses = entry.experiment.data.iter().chain(&entry.experiment.from);
        let read: BTreeSet<&str> = uses.map(|used| used.entry.as_str()).collect();
        let edges = read.iter().map(|used| [(*used).to_owned(), id.to_owned()]);
        self.edges.extend(edges);
    }

    fn mermaid(&self) -> String {
        let numbers: BTreeMap<&str, usize> = self.numbers();
        let mut text = "flowchart LR\n".to_owned();
        for (number, node) in self.nodes.iter().enumerate() {
            let (open, close) = match node.sort {
                Sort::Data => ("[(", ")]"),
                Sort::Dataset => ("[/", "/]"),
                Sort::Table => ("[", "]"),
            };
            let id = node.id.replace('"', "#quot;");
            let _ = writeln!(text, "  n{number}{open}\"{id}\"{close}");
        }
        for [from, to] in &self.edges {
            let _ = writeln!(text, "  n{} --> n{}", numbers[&**from], numbers[&**to]);
        }
        text
    }

    fn numbers(&self) -> BTreeMap<&str, usize> {
        let nodes = self.nodes.iter().enumerate();
        nodes.map(|(number, node)| (&*node.id, number)).collect()
    }

    /// Columns from left to right: each node stands right of all that it reads, near their middle.
    fn columns(&self) -> Vec<Vec<usize>> {
        let numbers = self.numbers();
        let mut read: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for [from, to] in &self.edges {
            read[numbers[&**to]].push(numbers[&**from]);
        }
        let mut depth = vec![0; self.nodes.len()];
        let mut columns: Vec<Vec<usize>> = Vec::new();
        for node in 0..self.nodes.len() {
            let deepest = read[node].iter().map(|of| depth[*of] + 1).max();
            // What reads nothing stands with what reads data, and data stand first.
            let own = match self.nodes[node].sort {
                Sort::Data => 0,
                _ => deepest.unwrap_or(1),
            };
            depth[node] = own;
            if columns.len() <= own {
                columns.resize(own + 1, Vec::new());
            }
            columns[own].push(node);
        }
        let mut heights = vec![0.0; self.nodes.len()];
        for column in &mut columns {
            let mean = |node: usize| {
                let of = &read[node];
                let sum: f64 = of.iter().map(|of| heights[*of]).sum();
                (!of.is_empty()).then(|| sum / of.len() as f64)
            };
            // Those that read nothing are last.
            let place = |node: &usize| mean(*node).unwrap_or(f64::INFINITY);
            column.sort_by(|a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
            for (height, node) in column.iter().enumerate() {
                heights[*node] = height as f64;
            }
        }
        columns.retain(|column| !column.is_empty());
        columns
    }

    /// A picture that is light or dark as the reader has it.
    fn svg(&self) -> String {
        const WIDTH: usize = 230;
        const HEIGHT: usize = 24;
        const GAP: usize = 90;
        const BELOW: usize = 8;
        let columns = self.columns();
        let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut places = vec![(0, 0); self.nodes.len()];
        for (across, column) in columns.iter().enumerate() {
            for (down, node) in column.iter().enumerate() {
                places[*node] = (10 + across * (WIDTH + GAP), 10 + down * (HEIGHT + BELOW));
            }
        }
        let width = 20 + columns.len() * (WIDTH + GAP);
        let height = 20 + tallest * (HEIGHT + BELOW);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n\
             <title>Which experiment reads which dataset and which data</title>\n\
             <style>:root{{color-scheme:light dark}}text{{fill:#1c1b19}}path{{fill:none;stroke:#8a877f}}\
             rect{{fill:#fff;stroke:#55534e}}.data{{fill:#efeae0}}.dataset{{fill:#e3eef0}}\
             @media(prefers-color-scheme:dark){{text{{fill:#e9e6df}}rect{{fill:#15171a;stroke:#aca9a2}}\
             .data{{fill:#3a3427}}.dataset{{fill:#20343a}}}}</style>\n"
        );
        let numbers = self.numbers();
        for [from, to] in &self.edges {
            let (left, top) = places[numbers[&**from]];
            let (right, bottom) = places[numbers[&**to]];
            let (x, y, end) = (left + WIDTH, top + HEIGHT / 2, bottom + HEIGHT / 2);
            let middle = x.midpoint(right);
            let _ = writeln!(
                text,
                "<path d=\"M{x} {y}C{middle} {y} {middle} {end} {right} {end}\"/>"
            );
        }
        for (node, (x, y)) in self.nodes.iter().zip(&places) {
            let (class, round) = match node.sort {
                Sort::Data => ("data", 12),
                Sort::Dataset => ("dataset", 6),
                Sort::Table => ("table", 0),
            };
            let (id, title) = (escaped(&node.id), escaped(&node.title));
            let (left, line) = (x + 8, y + 16);
            let _ = writeln!(
                text,
                "<g><title>{title}</title><rect class=\"{class}\" x=\"{x}\" y=\"{y}\" \
                 width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"{round}\"/>\
                 <text x=\"{left}\" y=\"{line}\">{id}</text></g>"
            );
        }
        text + "</svg>\n"
    }
}

/// Text escaped for XML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
