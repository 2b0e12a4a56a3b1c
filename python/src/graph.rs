//! Rules from knowledge graphs, for frames of triples.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kibitz_graph::{
    Aggregation, Applier, ApplySettings, CountedRule, Graph, LearnSettings, MAX_PATH, Measures,
    Query, RuleSyntax, Side, Triple, Vocabulary, by_relation, filled, parse_rules, prolog_text,
    ranks,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::signals::Signals;

/// Head, relation and tail.
type Row = (String, String, String);
/// Columns of rules: text, relation, kind, support, body count, confidence, whether the counts are exact.
type Rules = (
    Vec<String>,
    Vec<String>,
    Vec<&'static str>,
    Vec<u32>,
    Vec<u32>,
    Vec<f64>,
    Vec<bool>,
);
/// What was ranked, the number of ranks, and the measures of [`Measures`].
type RankingMeasures = (String, usize, f64, f64, f64, f64);

/// How often Python is asked for signals while others work.
const PATIENCE: Duration = Duration::from_millis(5);

/// Works on another thread, since only this one receives Ctrl-C, which sets the flag.
fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<(T, Signals)> {
    let mut signals = Signals::default();
    let is_over = AtomicBool::new(false);
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| work(&is_over));
            while !worker.is_finished() {
                if !signals.keep_going() {
                    is_over.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(PATIENCE);
            }
            worker.join()
        })
    });
    let done = done.map_err(|_| PyValueError::new_err("the search ended unexpectedly"))?;
    Ok((done, signals))
}

fn triples(rows: &[Row], vocabulary: &mut Vocabulary) -> Vec<Triple> {
    let triple = |(head, relation, tail): &Row| vocabulary.triple(head, relation, tail);
    rows.iter().map(triple).collect()
}

/// Rules as columns, why they are not all (an early end, samples), and the length of paths that the
/// validation triples chose.
#[pyfunction]
#[pyo3(signature = (train, valid, seed, steps, max_path, max_constant_path, min_support, time_limit))]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn graph_learn(
    py: Python<'_>,
    train: Vec<Row>,
    valid: Option<Vec<Row>>,
    seed: u64,
    steps: Option<u64>,
    max_path: usize,
    max_constant_path: usize,
    min_support: u32,
    time_limit: Option<f64>,
) -> PyResult<(Rules, Vec<String>, Option<usize>)> {
    if !(1..=MAX_PATH).contains(&max_path) {
        let message = format!("max_path is out of range: expected 1 to {MAX_PATH}");
        return Err(PyValueError::new_err(message));
    }
    if max_constant_path > 2 {
        let message = "max_constant_path is out of range: expected 0 to 2";
        return Err(PyValueError::new_err(message));
    }
    let limit = time_limit.map(Duration::try_from_secs_f64).transpose();
    let limit = limit.map_err(|_| {
        PyValueError::new_err("time_limit is not a number of seconds of at least 0")
    })?;
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    let default = LearnSettings::default();
    let settings = LearnSettings {
        seed,
        steps: steps.unwrap_or(default.steps),
        max_path,
        max_constant_path,
        min_support: min_support.max(1),
        ..default
    };
    let ((rules, learned), signals) = watched(py, |flag| {
        let is_late = || end.is_some_and(|end| Instant::now() >= end);
        let is_over = || flag.load(Ordering::Relaxed) || is_late();
        let mut vocabulary = Vocabulary::default();
        let graph = Graph::new(triples(&train, &mut vocabulary));
        let learned = match &valid {
            None => kibitz_graph::learn(&graph, &settings, &is_over, &|| {}),
            Some(valid) => {
                let valid = triples(valid, &mut vocabulary);
                let n = vocabulary.n_entities();
                kibitz_graph::learn_selected(&graph, &settings, &valid, n, &is_over, &|| {})
            }
        };
        let rules = columns(&learned.rules, &vocabulary);
        (rules, learned)
    })?;
    let early = learned.is_early.then(|| {
        let cause = if signals.is_raised() {
            "interrupted"
        } else {
            "the time limit was reached"
        };
        format!("{cause}; these are the rules so far")
    });
    let samples = learned.samples.iter().map(ToString::to_string);
    let missing = early.into_iter().chain(samples).collect();
    Ok((rules, missing, learned.selected_path))
}

fn columns(rules: &[CountedRule], vocabulary: &Vocabulary) -> Rules {
    let mut columns = Rules::default();
    for counted in rules {
        let rule = &counted.rule;
        columns.0.push(prolog_text(rule, vocabulary));
        columns
            .1
            .push(vocabulary.relation_name(rule.head).to_owned());
        columns.2.push(rule.kind());
        columns.3.push(counted.counts.support);
        columns.4.push(counted.counts.body);
        columns.5.push(counted.counts.confidence());
        columns.6.push(counted.counts.is_exact);
    }
    columns
}

/// Rules in lines of Prolog, and how many of them name what the graph does not have.
fn read(lines: &str, vocabulary: &Vocabulary) -> PyResult<(Vec<CountedRule>, usize)> {
    let read = parse_rules("rules", RuleSyntax::Prolog, lines.as_bytes(), vocabulary);
    let file = read.map_err(|failure| PyValueError::new_err(failure.to_string()))?;
    Ok((file.rules, file.n_unknown + file.n_reflexive))
}

fn settings(aggregation: &str) -> PyResult<ApplySettings> {
    let aggregation = match aggregation {
        "maximum" => Aggregation::Maximum,
        "noisy-or" => Aggregation::NoisyOr,
        other => {
            let message = format!("unknown aggregation `{other}`: expected maximum or noisy-or");
            return Err(PyValueError::new_err(message));
        }
    };
    Ok(ApplySettings {
        aggregation,
        ..ApplySettings::default()
    })
}

/// For each query, whose asked entity is `None`, candidates with their scores and best rules; and
/// the number of rules that were ignored.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "columns for Python")]
pub(crate) fn graph_predict(
    py: Python<'_>,
    lines: &str,
    train: Vec<Row>,
    queries: Vec<(Option<String>, String, Option<String>)>,
    top: usize,
    aggregation: &str,
) -> PyResult<(Vec<Vec<(String, f64, String)>>, usize)> {
    let settings = settings(aggregation)?;
    let mut vocabulary = Vocabulary::default();
    let graph = Graph::new(triples(&train, &mut vocabulary));
    let (rules, n_ignored) = read(lines, &vocabulary)?;
    let mut asked = Vec::new();
    for (head, relation, tail) in &queries {
        let (side, known) = match (head, tail) {
            (None, Some(known)) => (Side::Head, known),
            (Some(known), None) => (Side::Tail, known),
            _ => {
                let message = "a query asks for one entity: give `None` for head or tail";
                return Err(PyValueError::new_err(message));
            }
        };
        let unknown = |what: &str, name: &str| {
            PyValueError::new_err(format!(
                "unknown {what} `{name}`: the graph does not have it"
            ))
        };
        let of = vocabulary.known_relation(relation);
        let entity = vocabulary.known_entity(known);
        asked.push(Query {
            relation: of.ok_or_else(|| unknown("relation", relation))?,
            asked: side,
            known: entity.ok_or_else(|| unknown("entity", known))?,
        });
    }
    let answers = py.detach(|| {
        let applier = Applier::new(&graph, &rules);
        let mut scratch = applier.scratch(vocabulary.n_entities());
        let mut answer = |query: Query| {
            let is_asked = |entity| !graph.contains(filled(query, entity));
            let found = applier.candidates(query, &settings, &mut scratch, &is_asked);
            let best = found.into_iter().take(top).map(|candidate| {
                let name = vocabulary.entity_name(candidate.entity).to_owned();
                let rule = candidate.rules.first().copied().unwrap_or_default();
                let rule = prolog_text(&rules[rule as usize].rule, &vocabulary);
                (name, candidate.score, rule)
            });
            best.collect()
        };
        asked.into_iter().map(&mut answer).collect()
    });
    Ok((answers, n_ignored))
}

/// Measures of both directions, of each, and of every relation; and the number of rules that were
/// ignored.
#[pyfunction]
pub(crate) fn graph_evaluate(
    py: Python<'_>,
    lines: &str,
    train: Vec<Row>,
    valid: Vec<Row>,
    test: Vec<Row>,
    aggregation: &str,
) -> PyResult<(Vec<RankingMeasures>, usize)> {
    let settings = settings(aggregation)?;
    let mut vocabulary = Vocabulary::default();
    let graph = Graph::new(triples(&train, &mut vocabulary));
    let valid = triples(&valid, &mut vocabulary);
    let test = triples(&test, &mut vocabulary);
    let (rules, n_ignored) = read(lines, &vocabulary)?;
    let (ranked, signals) = watched(py, |_| {
        let applier = Applier::new(&graph, &rules);
        let known = graph.triples().iter().chain(&valid).chain(&test).copied();
        let known = known.collect();
        let n_entities = vocabulary.n_entities();
        ranks(&applier, &test, &known, n_entities, &settings, &|| {})
    })?;
    signals.raised()?;
    let row = |name: &str, measures: Measures| {
        let [one, three, ten] = measures.hits;
        (name.to_owned(), measures.n, measures.mrr, one, three, ten)
    };
    let sided = |side| Measures::of(ranked.iter().filter(|rank| rank.asked == side));
    let mut rows = vec![
        row("both", Measures::of(&ranked)),
        row("heads", sided(Side::Head)),
        row("tails", sided(Side::Tail)),
    ];
    for (relation, measures) in by_relation(&ranked) {
        rows.push(row(vocabulary.relation_name(relation), measures));
    }
    Ok((rows, n_ignored))
}
