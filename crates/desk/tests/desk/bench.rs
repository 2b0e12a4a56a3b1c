//! A workspace with one table of listed values, and the outcomes of its cells.

use std::collections::BTreeMap;

use kibitz_desk::{Answer, Desk, ReproduceOptions};
use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Experiment, Kind, Number, Output, Problems,
};
use kibitz_lab::{Exit, SilentObserver};
use rand_chacha::rand_core::Rng as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workspace::Workspace;

/// A figure, with its standard error where it has one.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Figure {
    Number(f64),
    WithError([f64; 2]),
    Text(String),
}

/// Rows as they are listed.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ListedRows {
    rows: BTreeMap<String, BTreeMap<String, Figure>>,
    /// Up to so much is added to the numbers of a replicate, at random.
    #[serde(default)]
    step: f64,
}

impl Experiment for ListedRows {
    type Row = ();
    const NAME: &'static str = "listed";
    const EXAMPLE: &'static str = "kind = \"listed\"\ntitle = \"x\"\nparams = { rows = {} }\n";
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, _: &mut Problems) {}

    fn columns(&self) -> Vec<Column> {
        let mut names: Vec<&String> = self.rows.values().flat_map(BTreeMap::keys).collect();
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .map(|name| Column::named(name, "", ""))
            .collect()
    }

    fn random(&self) -> bool {
        self.step > 0.0
    }

    fn cells(&self) -> Vec<Cell> {
        vec![Cell::rows("all", self.rows.keys().cloned(), ())]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let more = match self.step {
            0.0 => 0.0,
            step => step * (f64::from(ctx.rng().next_u32()) / f64::from(u32::MAX)),
        };
        for (row, figures) in &self.rows {
            let mut row = output.row(row);
            for (column, figure) in figures {
                match figure {
                    Figure::Number(value) => row.set(column, value + more),
                    Figure::WithError([value, error]) => {
                        row.set(column, Number::new(value + more).with_std_error(*error))
                    }
                    Figure::Text(text) => row.set(column, text.as_str()),
                };
            }
        }
        Ok(())
    }
}

/// A workspace with one table, and others.
pub(crate) struct Bench(pub(crate) Workspace);

impl Bench {
    pub(crate) fn new(table: &str) -> Self {
        let bench = Self(Workspace::bare());
        bench.table("t", table);
        bench
    }

    pub(crate) fn table(&self, name: &str, text: &str) {
        let head = "kind = \"listed\"\ntitle = \"A table\"\nsource = { paper = \"demo\", where = \"T\" }\n";
        self.0.write(
            &format!("experiments/demo/{name}.toml"),
            &format!("{head}{text}"),
        );
    }

    pub(crate) fn run(&self) -> Answer {
        self.with(&ReproduceOptions::default())
    }

    pub(crate) fn with(&self, options: &ReproduceOptions) -> Answer {
        let desk = Desk::new(
            self.0.root(),
            vec![Kind::of::<ListedRows>(Code::Constant)],
            "demo",
        );
        let never = std::sync::atomic::AtomicBool::new(false);
        desk.reproduce(options, &SilentObserver, &never)
    }

    /// By `row.column`, the outcome and its reason.
    pub(crate) fn outcomes(&self) -> BTreeMap<String, (String, String)> {
        let answer = self.run();
        assert!(answer.exit <= Exit::Negative, "{}", answer.err);
        let text = self.0.read("target/kibitz/results/demo/t/compare.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let line = |line: csv::StringRecord| {
            let row = if line[0].contains(',') {
                format!("\"{}\"", &line[0])
            } else {
                line[0].to_owned()
            };
            let place = format!("{row}.{}", &line[1]);
            (place, (line[6].to_owned(), line[8].to_owned()))
        };
        reader
            .records()
            .map(|record| line(record.unwrap()))
            .collect()
    }

    pub(crate) fn words(&self) -> Vec<(String, String)> {
        let outcomes = self.outcomes().into_iter();
        outcomes.map(|(cell, (word, _))| (cell, word)).collect()
    }
}

/// That the cells of a table get these words.
#[track_caller]
pub(crate) fn check(table: &str, expected: &[(&str, &str)]) {
    let found = Bench::new(table).words();
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(cell, word)| (cell.as_str(), word.as_str()))
        .collect();
    assert_eq!(found, expected);
}

/// What is said of a table that is refused.
pub(crate) fn refused(table: &str) -> String {
    let answer = Bench::new(table).run();
    assert_eq!(answer.exit, Exit::BadInput, "{}", answer.err);
    answer.err
}

/// One column `x` of one row `a`.
pub(crate) fn one(ours: &str, column: &str, printed: &str) -> String {
    format!("params.rows.a.x = {ours}\ncolumns.x = {column}\npublished.a.x = {printed}\n")
}
