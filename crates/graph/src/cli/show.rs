//! The commands that apply rules and look at graphs.

use std::cell::Cell;

use clap::Args;
use kibitz_text::{Exit, Failure, is_same_file};
use rustc_hash::FxHashSet;

use super::report::{self, Answer, Overlap};
use super::{
    ApplyArguments, CommonArguments, File, entity, no_triple, overlap, progress, relation, rules,
    warn,
};
use crate::{
    Applier, Fit, Graph, Query, Side, Triple, Vocabulary, filled, firings, ranks, relation_stats,
};

/// Arguments of `predict`.
#[derive(Debug, Args)]
pub struct PredictArguments {
    /// The rules, as `graph learn` or `AnyBURL` writes them.
    rules: File,
    /// The graph to apply them to.
    train: File,
    /// Head, relation and tail, one of the entities being `?`; may be given several times.
    #[arg(long, num_args = 3, value_names = ["HEAD", "RELATION", "TAIL"], required = true)]
    query: Vec<String>,
    /// Candidates to show for each query.
    #[arg(long, value_name = "N", default_value_t = 10)]
    show: usize,
    #[command(flatten)]
    apply: ApplyArguments,
    #[command(flatten)]
    pub(super) common: CommonArguments,
}

/// Arguments of `evaluate`.
#[derive(Debug, Args)]
pub struct EvaluateArguments {
    /// The rules, as `graph learn` or `AnyBURL` writes them.
    rules: File,
    /// The graph to apply them to.
    train: File,
    /// Triples that are known, too: candidates that make one of these are left out.
    valid: File,
    /// The triples to rank.
    test: File,
    /// Show each relation.
    #[arg(long)]
    by_relation: bool,
    #[command(flatten)]
    apply: ApplyArguments,
    #[command(flatten)]
    pub(super) common: CommonArguments,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The rules, as `graph learn` or `AnyBURL` writes them.
    rules: File,
    /// The graph to apply them to.
    train: File,
    /// The first entity.
    head: String,
    /// The relation.
    relation: String,
    /// The second entity.
    tail: String,
    /// Rules to show.
    #[arg(long, value_name = "N", default_value_t = 10)]
    show: usize,
    #[command(flatten)]
    pub(super) common: CommonArguments,
}

/// Arguments of `stats`.
#[derive(Debug, Args)]
pub struct StatsArguments {
    /// The graph.
    train: File,
    /// Other triples, such as a validation and a test set, to compare with the graph.
    splits: Vec<File>,
    #[command(flatten)]
    pub(super) common: CommonArguments,
}

pub(super) fn predict(arguments: &PredictArguments) -> Result<Exit, Failure> {
    let mut vocabulary = Vocabulary::default();
    let graph = arguments.common.graph(&arguments.train, &mut vocabulary)?;
    let mut queries = Vec::new();
    for words in arguments.query.chunks(3) {
        queries.push(query(words, &vocabulary)?);
    }
    let rules = rules(&arguments.rules, &vocabulary)?.rules;
    let applier = Applier::new(&graph, &rules);
    let mut scratch = applier.scratch(vocabulary.n_entities());
    let settings = arguments.apply.settings();
    let mut answers = Vec::new();
    for query in queries {
        let n_known = Cell::new(0);
        let is_asked = |entity| {
            let is_known = graph.contains(filled(query, entity));
            n_known.update(|n| n + usize::from(is_known));
            !is_known
        };
        let mut candidates = applier.candidates(query, &settings, &mut scratch, &is_asked);
        let n_found = candidates.len();
        candidates.truncate(arguments.show);
        answers.push(Answer {
            query,
            candidates,
            n_found,
            n_known: n_known.get(),
        });
    }
    report::answers(&answers, &rules, &vocabulary, arguments.common.format)?;
    Ok(Exit::Done)
}

fn query(words: &[String], vocabulary: &Vocabulary) -> Result<Query, Failure> {
    let asked = match (words[0].as_str(), words[2].as_str()) {
        ("?", "?") => None,
        ("?", _) => Some(Side::Head),
        (_, "?") => Some(Side::Tail),
        _ => None,
    };
    let Some(asked) = asked else {
        let message = format!(
            "the query `{}` does not ask for one entity",
            words.join(" ")
        );
        return Err(Failure::usage(message).with_note("write `?` for the head or for the tail"));
    };
    let known = match asked {
        Side::Head => &words[2],
        Side::Tail => &words[0],
    };
    Ok(Query {
        relation: relation(&words[1], vocabulary)?,
        asked,
        known: entity(known, vocabulary)?,
    })
}

pub(super) fn evaluate(arguments: &EvaluateArguments) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let mut vocabulary = Vocabulary::default();
    let graph = common.graph(&arguments.train, &mut vocabulary)?;
    let (valid_path, test_path) = (&arguments.valid, &arguments.test);
    let (valid, valid_fit) = common.split(valid_path, &graph, &mut vocabulary)?;
    let (test, fit, n_in_valid) = if is_same_file(valid_path, test_path) {
        let path = test_path.display();
        warn(&format!("{path} is both VALID and TEST"));
        (valid.clone(), valid_fit, valid.len())
    } else {
        let (test, fit) = common.split(test_path, &graph, &mut vocabulary)?;
        let n_in_valid = overlap((test_path, &test), (valid_path, &valid));
        (test, fit, n_in_valid)
    };
    if test.is_empty() {
        return Err(no_triple(test_path));
    }
    let rules = rules(&arguments.rules, &vocabulary)?.rules;
    let known = known(&graph, &valid, &test);
    let applier = Applier::new(&graph, &rules);
    let bar = progress(test.len() * 2, "evaluating");
    let settings = arguments.apply.settings();
    let n_entities = vocabulary.n_entities();
    let ranks = ranks(&applier, &test, &known, n_entities, &settings, &|| {
        bar.inc(1);
    });
    bar.finish_and_clear();
    let by_relation = arguments.by_relation;
    report::ranks(
        &ranks,
        (fit, n_in_valid),
        &vocabulary,
        by_relation,
        common.format,
    )?;
    Ok(Exit::Done)
}

fn known(graph: &Graph, valid: &[Triple], test: &[Triple]) -> FxHashSet<Triple> {
    graph
        .triples()
        .iter()
        .chain(valid)
        .chain(test)
        .copied()
        .collect()
}

pub(super) fn explain(arguments: &ExplainArguments) -> Result<Exit, Failure> {
    let mut vocabulary = Vocabulary::default();
    let graph = arguments.common.graph(&arguments.train, &mut vocabulary)?;
    let triple = Triple {
        head: entity(&arguments.head, &vocabulary)?,
        relation: relation(&arguments.relation, &vocabulary)?,
        tail: entity(&arguments.tail, &vocabulary)?,
    };
    let file = rules(&arguments.rules, &vocabulary)?;
    let firings = firings(&graph, &file.rules, triple);
    let is_known = graph.contains(triple);
    report::firings(
        &firings,
        is_known,
        file.syntax,
        arguments.show,
        &vocabulary,
        arguments.common.format,
    )?;
    Ok(if firings.is_empty() {
        Exit::Negative
    } else {
        Exit::Done
    })
}

pub(super) fn stats(arguments: &StatsArguments) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let mut vocabulary = Vocabulary::default();
    let graph = common.graph(&arguments.train, &mut vocabulary)?;
    let relations = relation_stats(&graph, &vocabulary);
    let n_entities = vocabulary.n_entities();
    let mut splits: Vec<(String, Fit)> = Vec::new();
    let mut overlaps: Vec<Overlap> = Vec::new();
    let mut earlier: Vec<(&File, Vec<Triple>)> = Vec::new();
    for path in &arguments.splits {
        let (triples, fit) = common.split(path, &graph, &mut vocabulary)?;
        splits.push((path.display().to_string(), fit));
        for (other, others) in &earlier {
            overlaps.push(Overlap {
                files: [other, path].map(|path| path.display().to_string()),
                n_triples: overlap((path, &triples), (other, others)),
            });
        }
        earlier.push((path, triples));
    }
    let format = common.format;
    report::stats(
        n_entities,
        &relations,
        (&splits, &overlaps),
        &vocabulary,
        format,
    )?;
    Ok(Exit::Done)
}
