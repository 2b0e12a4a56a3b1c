//! The experiment kind `graph-rules`: learned rules rank the test triples of knowledge graphs.

use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Experiment, Kind, Output, Problems,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::decompressed;
use crate::{
    Aggregation, Applier, ApplySettings, Form, Graph, LearnSettings, MAX_PATH, Measures,
    MemoryLimit, Triple, Vocabulary, learn_selected, ranks, read_tabs,
};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// The kinds of this crate.
pub fn kinds() -> Vec<Kind> {
    vec![Kind::of::<GraphRules>(CODE)]
}

/// Knowledge graphs, each a training, a validation and a test set.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct GraphRules {
    /// Pairs of edges to look at between the ends of known triples.
    steps: u64,
    /// Literals in a body without constants at most; as many are used as rank the validation triples
    /// best.
    max_path: usize,
    /// One row each.
    graphs: Vec<GraphParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct GraphParams {
    /// The name of the row.
    name: String,
    /// The data file to learn from.
    train: String,
    /// The data file to choose the length of paths by.
    valid: String,
    /// The data file to rank.
    test: String,
    /// `steps` of this row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    /// `max-path` of this row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_path: Option<usize>,
}

impl Experiment for GraphRules {
    type Row = GraphParams;

    const NAME: &'static str = "graph-rules";
    const EXAMPLE: &'static str = include_str!("../examples/graph-rules.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("triples", "triples", "triples to learn from").input(),
        Column::new("test", "triples", "triples to rank").input(),
        Column::new(
            "path",
            "literals",
            "longest body that the validation triples choose",
        ),
        Column::new("rules", "rules", "rules learned"),
        Column::new("cyclic", "rules", "rules without constants among them"),
        Column::new("mrr", "", "mean reciprocal rank, filtered, both directions"),
        Column::new("mrr-heads", "", "the same where the head is asked for"),
        Column::new("mrr-tails", "", "the same where the tail is asked for"),
        Column::new("hits-1", "%", "share of ranks of 1"),
        Column::new("hits-3", "%", "share of ranks up to 3"),
        Column::new("hits-10", "%", "share of ranks up to 10"),
        Column::new(
            "mrr-noisy-or",
            "",
            "mean reciprocal rank by the noisy-or of five rules",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        let graphs = self.graphs.iter();
        let data: Vec<&str> = graphs
            .flat_map(|graph| [&graph.train, &graph.valid, &graph.test])
            .map(String::as_str)
            .collect();
        problems.expect_data(Self::NAME, &data);
        problems.at_least_one([("graphs", self.graphs.len())]);
        let expected = "out of range: expected 1 to 5";
        let is_length = |length: usize| (1..=MAX_PATH).contains(&length);
        problems.require(is_length(self.max_path), "max-path", expected);
        for (index, graph) in self.graphs.iter().enumerate() {
            let at = format!("graphs.{index}.max-path");
            problems.require(graph.max_path.is_none_or(is_length), at, expected);
        }
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<GraphParams>> {
        let cell = |graph: &GraphParams| {
            let data = [&graph.train, &graph.valid, &graph.test];
            Cell::row(&graph.name, graph.clone()).reading(data)
        };
        self.graphs.iter().map(cell).collect()
    }

    fn run(
        &self,
        params: &GraphParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let mut vocabulary = Vocabulary::default();
        let mut read = |name: &str| -> Result<Vec<Triple>, CellError> {
            let unreadable =
                |error: std::io::Error| CellError::new(format!("data `{name}`: {error}"));
            let input = decompressed(ctx.data(name)?.open()?).map_err(unreadable)?;
            let limit = MemoryLimit::default();
            let file = read_tabs(name, input, &mut vocabulary, limit)
                .map_err(|failure| CellError::new(failure.to_string()))?;
            Ok(file.triples)
        };
        let [train, valid, test] = [
            read(&params.train)?,
            read(&params.valid)?,
            read(&params.test)?,
        ];
        let graph = Graph::new(train);
        let settings = LearnSettings {
            seed: ctx.seed_u64("samples"),
            steps: params.steps.unwrap_or(self.steps),
            max_path: params.max_path.unwrap_or(self.max_path),
            ..LearnSettings::default()
        };
        let n_entities = vocabulary.n_entities();
        let is_over = || ctx.check().is_err();
        let learned = learn_selected(&graph, &settings, &valid, n_entities, &is_over, &|| {});
        ctx.check()?;
        let rules = &learned.rules;
        output.set("triples", graph.triples().len() as f64);
        output.set("test", test.len() as f64);
        output.set("path", learned.selected_path.unwrap_or(0) as f64);
        output.set("rules", rules.len() as f64);
        let cyclic = rules.iter().filter(|rule| rule.rule.form == Form::Cyclic);
        output.set("cyclic", cyclic.count() as f64);
        let known = graph
            .triples()
            .iter()
            .chain(&valid)
            .chain(&test)
            .copied()
            .collect();
        let applier = Applier::new(&graph, rules);
        let ranked = |aggregation| {
            let settings = ApplySettings {
                aggregation,
                ..ApplySettings::default()
            };
            ranks(&applier, &test, &known, n_entities, &settings, &|| {})
        };
        let maximum = ranked(Aggregation::Maximum);
        let all = Measures::of(&maximum);
        output.set("mrr", all.mrr);
        for (column, side) in [
            ("mrr-heads", crate::Side::Head),
            ("mrr-tails", crate::Side::Tail),
        ] {
            let sided = maximum.iter().filter(|rank| rank.asked == side);
            output.set(column, Measures::of(sided).mrr);
        }
        for (column, hits) in ["hits-1", "hits-3", "hits-10"].into_iter().zip(all.hits) {
            output.set(column, 100.0 * hits);
        }
        output.set(
            "mrr-noisy-or",
            Measures::of(&ranked(Aggregation::NoisyOr)).mrr,
        );
        Ok(())
    }
}
