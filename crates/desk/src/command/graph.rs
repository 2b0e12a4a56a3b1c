//! `graph`: experiments, datasets and data, and what reads what.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use crate::Answer;
use crate::Desk;
use kibitz_command::input::Input;
use kibitz_lab::Selection;
use kibitz_lab::config::experiment::DataUse;
use kibitz_lab::session::Session;
use kibitz_svg::{Drawing, Element, path, rect, text};

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

/// Whether it is a file: versions of programs and environment variables are not.
fn is_file(used: &DataUse) -> bool {
    let input = Input::of_name(&used.entry);
    !matches!(input, Some(Input::Version(_) | Input::Variable(_)))
}

impl Desk {
    /// The graph of the selected experiments and of all that they read.
    pub fn graph(&self, selection: &Selection, format: GraphFormat) -> Answer {
        let drawn = || -> Result<Answer, Answer> {
            let session = Session::open(&self.lab)?;
            let selected = selection.apply(&session.catalog, &self.lab)?;
            let ids = selected.entries.iter().map(|entry| entry.id());
            let graph = Graph::new(&session, ids);
            let text = match format {
                GraphFormat::Svg => graph.svg(),
                GraphFormat::Mermaid => graph.mermaid(),
                GraphFormat::Json => {
                    serde_json::to_string_pretty(&graph).unwrap_or_default() + "\n"
                }
            };
            Ok(Answer::ok(text).beside_left_out(&selected))
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
        for used in entry.experiment.data.iter().filter(|used| is_file(used)) {
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
        let data = entry.experiment.data.iter().filter(|used| is_file(used));
        let uses = data.chain(&entry.experiment.from);
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

    /// The column and the row of each node: right of all that it reads, and near their middle.
    fn places(&self) -> Vec<(usize, usize)> {
        let numbers = self.numbers();
        let mut read: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for [from, to] in &self.edges {
            read[numbers[&**to]].push(numbers[&**from]);
        }
        let mut columns: Vec<Vec<usize>> = Vec::new();
        let mut places = vec![(0, 0); self.nodes.len()];
        for (node, of) in read.iter().enumerate() {
            let deepest = of.iter().map(|of| places[*of].0 + 1).max();
            // What reads nothing stands with what reads data, and data stand first.
            let column = match self.nodes[node].sort {
                Sort::Data => 0,
                _ => deepest.unwrap_or(1),
            };
            places[node].0 = column;
            if columns.len() <= column {
                columns.resize(column + 1, Vec::new());
            }
            columns[column].push(node);
        }
        for column in &columns {
            let middle = |node: usize| {
                let rows: usize = read[node].iter().map(|of| places[*of].1).sum();
                rows.checked_div(read[node].len())
            };
            // Those that read nothing are last.
            let mut rows: Vec<(Option<usize>, usize)> =
                column.iter().map(|node| (middle(*node), *node)).collect();
            rows.sort_by_key(|(middle, node)| (middle.unwrap_or(usize::MAX), *node));
            let mut next = 0;
            for (middle, node) in rows {
                let row = middle.map_or(next, |middle| middle.max(next));
                places[node].1 = row;
                next = row + 1;
            }
        }
        places
    }

    /// A picture that is light or dark as the reader has it.
    fn svg(&self) -> String {
        const WIDTH: usize = 230;
        const HEIGHT: usize = 24;
        const GAP: usize = 90;
        const BELOW: usize = 8;
        let places = self.places();
        let n_columns = places.iter().map(|place| place.0 + 1).max().unwrap_or(0);
        let n_rows = places.iter().map(|place| place.1 + 1).max().unwrap_or(0);
        let width = 20 + n_columns * (WIDTH + GAP);
        let height = 20 + n_rows * (HEIGHT + BELOW);
        let corner = |(column, row): (usize, usize)| {
            (10 + column * (WIDTH + GAP), 10 + row * (HEIGHT + BELOW))
        };
        let mut drawing = Drawing::new(width, height)
            .with("width", width)
            .with("height", height)
            .with("font-family", "sans-serif")
            .with("font-size", 12)
            .titled("Which experiment reads which dataset and which data");
        drawing.push(Element::new("style").text(STYLE));
        let numbers = self.numbers();
        for [from, to] in &self.edges {
            let (left, top) = corner(places[numbers[&**from]]);
            let (right, bottom) = corner(places[numbers[&**to]]);
            let (x, y, end) = (left + WIDTH, top + HEIGHT / 2, bottom + HEIGHT / 2);
            let middle = x.midpoint(right);
            let curve = format!("M{x} {y}C{middle} {y} {middle} {end} {right} {end}");
            drawing.push(path(curve));
        }
        for (node, place) in self.nodes.iter().zip(&places) {
            let (x, y) = corner(*place);
            let (class, round) = match node.sort {
                Sort::Data => ("data", 12),
                Sort::Dataset => ("dataset", 6),
                Sort::Table => ("table", 0),
            };
            let frame = rect(x, y, WIDTH, HEIGHT).with("class", class);
            let node = Element::new("g")
                .containing(&Element::new("title").text(&node.title))
                .containing(&frame.with("rx", round))
                .containing(&text(x + 8, y + 16, &node.id));
            drawing.push(node);
        }
        drawing.to_string()
    }
}

/// Light or dark as the reader has it.
const STYLE: &str = ":root{color-scheme:light dark}text{fill:#1c1b19}path{fill:none;stroke:#8a877f}\
    rect{fill:#fff;stroke:#55534e}.data{fill:#efeae0}.dataset{fill:#e3eef0}\
    @media(prefers-color-scheme:dark){text{fill:#e9e6df}rect{fill:#15171a;stroke:#aca9a2}\
    .data{fill:#3a3427}.dataset{fill:#20343a}}";
