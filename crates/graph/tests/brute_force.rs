//! Counts and ranks against plain enumeration, which reads the rules as they are printed.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use kibitz_graph::{
    Applier, ApplySettings, CountedRule, Graph, LearnSettings, Query, Side, Triple, UNSEEN,
    Vocabulary, any_burl_text, filled, firings, learn, ranks,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// A fact, or a literal of a rule: relation and arguments.
type Atom = (String, [String; 2]);

/// The names of a small graph.
fn names(triples: &[(u8, u8, u8)]) -> Vec<Atom> {
    let named = |&(head, relation, tail): &(u8, u8, u8)| {
        (
            format!("r{relation}"),
            [format!("e{head}"), format!("e{tail}")],
        )
    };
    triples.iter().map(named).collect()
}

fn graph(facts: &[Atom]) -> (Vocabulary, Vec<Triple>) {
    let mut vocabulary = Vocabulary::default();
    let triple = |(relation, [head, tail]): &Atom| vocabulary.triple(head, relation, tail);
    let triples = facts.iter().map(triple).collect();
    (vocabulary, triples)
}

/// Head and body of a rule's text.
fn parsed(text: &str) -> (Atom, Vec<Atom>) {
    let literal = |text: &str| {
        let (relation, rest) = text.split_once('(').unwrap();
        let (a, b) = rest.trim_end_matches(')').split_once(',').unwrap();
        (relation.to_owned(), [a.to_owned(), b.to_owned()])
    };
    let (head, body) = text.split_once(" <= ").unwrap();
    let body = body.split(", ").filter(|text| !text.is_empty());
    (literal(head), body.map(literal).collect())
}

fn is_variable(name: &str) -> bool {
    name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The pairs that a rule predicts: an assignment of different entities to its terms makes all
/// literals of the body facts. A rule without a body predicts for what has its relation.
fn predictions(text: &str, facts: &BTreeSet<Atom>) -> BTreeSet<[String; 2]> {
    let (head, mut body) = parsed(text);
    if body.is_empty() {
        // Any entity in the place of the constant will do.
        let place = usize::from(!is_variable(&head.1[1]));
        let constant = head.1[place].clone();
        let others = facts.iter().filter(|fact| fact.0 == head.0);
        let others = others.map(|fact| fact.1[1 - place].clone());
        let pair = |x: String| {
            let mut pair = [constant.clone(), constant.clone()];
            pair[1 - place] = x;
            pair
        };
        return others.filter(|x| *x != constant).map(pair).collect();
    }
    let mut bound: BTreeMap<String, String> = BTreeMap::new();
    for term in body.iter().chain([&head]).flat_map(|literal| &literal.1) {
        if !is_variable(term) {
            bound.insert(term.clone(), term.clone());
        }
    }
    let mut found = BTreeSet::new();
    body.reverse();
    assign(&head, &mut body, &mut bound, facts, &mut found);
    found
}

fn assign(
    head: &Atom,
    body: &mut Vec<Atom>,
    bound: &mut BTreeMap<String, String>,
    facts: &BTreeSet<Atom>,
    found: &mut BTreeSet<[String; 2]>,
) {
    let Some(literal) = body.pop() else {
        found.insert([bound[&head.1[0]].clone(), bound[&head.1[1]].clone()]);
        return;
    };
    for fact in facts.iter().filter(|fact| fact.0 == literal.0) {
        let before = bound.clone();
        let mut fits = true;
        for (term, value) in literal.1.iter().zip(&fact.1) {
            match bound.get(term) {
                Some(known) => fits &= known == value,
                None if bound.values().any(|other| other == value) => fits = false,
                None => {
                    bound.insert(term.clone(), value.clone());
                }
            }
        }
        if fits {
            assign(head, body, bound, facts, found);
        }
        *bound = before;
    }
    body.push(literal);
}

fn triples(n_entities: u8) -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec((0..n_entities, 0u8..3, 0..n_entities), 4..22)
}

const ALL: LearnSettings = LearnSettings {
    seed: 1,
    steps: u64::MAX >> 12,
    max_path: 3,
    max_constant_path: 2,
    min_support: 1,
    max_rules_per_constant: usize::MAX,
    count_edges: u64::MAX,
};

fn learned(triples: &[Triple], settings: &LearnSettings) -> (Graph, Vec<CountedRule>) {
    let graph = Graph::new(triples.to_vec());
    let learned = learn(&graph, settings, &|| false, &|| {});
    assert!(!learned.is_early);
    (graph, learned.rules)
}

#[test]
fn printed_counts_are_those_of_enumeration() {
    let mut runner = TestRunner::new(Config::with_cases(200));
    let mut n_rules = 0;
    let mut kinds = BTreeSet::new();
    let result = runner.run(&triples(6), |small| {
        let facts = names(&small);
        let (vocabulary, triples) = graph(&facts);
        let facts: BTreeSet<Atom> = facts.into_iter().collect();
        let (_, rules) = learned(&triples, &ALL);
        for rule in &rules {
            let text = any_burl_text(&rule.rule, &vocabulary).unwrap();
            let predicted = predictions(&text, &facts);
            let head = parsed(&text).0.0;
            let is_fact = |pair: &&[String; 2]| facts.contains(&(head.clone(), (*pair).clone()));
            let support = predicted.iter().filter(is_fact).count();
            prop_assert!(rule.counts.is_exact);
            prop_assert_eq!(rule.counts.support as usize, support, "{}", &text);
            prop_assert_eq!(rule.counts.body as usize, predicted.len(), "{}", &text);
            let confidence = support as f64 / (predicted.len() as f64 + f64::from(UNSEEN));
            prop_assert!((rule.counts.confidence() - confidence).abs() < 1e-15);
        }
        Ok(())
    });
    result.unwrap();
    // The graphs are rich enough to have rules of every form.
    let (vocabulary, triples) = graph(&names(&[
        (0, 0, 1),
        (1, 0, 2),
        (2, 0, 3),
        (0, 1, 2),
        (1, 1, 3),
        (3, 0, 4),
        (2, 1, 4),
        (0, 2, 5),
        (1, 2, 5),
        (2, 2, 5),
    ]));
    for rule in learned(&triples, &ALL).1 {
        n_rules += 1;
        let (head, body) = parsed(&any_burl_text(&rule.rule, &vocabulary).unwrap());
        let n_constants = body
            .iter()
            .flat_map(|b| &b.1)
            .filter(|term| !is_variable(term))
            .count();
        let has_constant = head.1.iter().any(|term| !is_variable(term));
        kinds.insert((has_constant, n_constants, body.len()));
    }
    assert!(n_rules > 50, "{n_rules}");
    let expected = [
        (false, 0, 1),
        (false, 0, 2),
        (false, 0, 3),
        (true, 0, 0),
        (true, 0, 1),
        (true, 1, 1),
        (true, 1, 2),
    ];
    for kind in &expected[1..] {
        assert!(kinds.contains(kind), "{kind:?} is not among {kinds:?}");
    }
}

/// The filtered rank of an answer among all entities: strengths of the rules that predict each,
/// greatest first, compared one after the other; ties at their mean.
fn plain_rank(
    rules: &[(f64, BTreeSet<[String; 2]>)],
    fact: &Atom,
    place: usize,
    entities: &[&str],
    known: &BTreeSet<Atom>,
) -> f64 {
    let filled = |entity: &str| {
        let mut pair = fact.1.clone();
        entity.clone_into(&mut pair[place]);
        pair
    };
    let strengths = |entity: &str| {
        let pair = filled(entity);
        let firing = rules.iter().filter(|rule| rule.1.contains(&pair));
        let mut strengths: Vec<f64> = firing.map(|rule| rule.0).collect();
        strengths.sort_by(|a, b| b.total_cmp(a));
        strengths
    };
    let own = strengths(&fact.1[place]);
    let (mut better, mut equal) = (0, 0);
    for entity in entities {
        if *entity == fact.1[place] || known.contains(&(fact.0.clone(), filled(entity))) {
            continue;
        }
        match strengths(entity).partial_cmp(&own).unwrap() {
            std::cmp::Ordering::Greater => better += 1,
            std::cmp::Ordering::Equal => equal += 1,
            std::cmp::Ordering::Less => {}
        }
    }
    1.0 + f64::from(better) + f64::from(equal) / 2.0
}

/// Rules as the reference applies them: zero rules are asked about every entity but their own.
fn applied(
    rule: &CountedRule,
    text: &str,
    facts: &BTreeSet<Atom>,
    entities: &[&str],
) -> BTreeSet<[String; 2]> {
    if !rule.rule.is_zero() {
        return predictions(text, facts);
    }
    let (head, _) = parsed(text);
    let place = usize::from(!is_variable(&head.1[1]));
    let constant = head.1[place].clone();
    let others = entities.iter().filter(|entity| **entity != constant);
    let pair = |x: &&str| {
        let mut pair = [constant.clone(), constant.clone()];
        (*x).clone_into(&mut pair[1 - place]);
        pair
    };
    let mut pairs: BTreeSet<[String; 2]> = others.map(pair).collect();
    // When the constant is given, only what has the relation is a candidate.
    pairs.extend(predictions(text, facts));
    pairs
}

/// The strength of a rule, and the pairs that it predicts.
type RulePredictions = (f64, BTreeSet<[String; 2]>);

#[expect(
    clippy::cast_possible_truncation,
    reason = "strengths are compared in single precision"
)]
fn same_ranks(train: &[Atom], test: &[Atom], settings: &LearnSettings) {
    let (mut vocabulary, triples) = graph(train);
    let asked: Vec<Triple> = test
        .iter()
        .map(|(r, [h, t])| vocabulary.triple(h, r, t))
        .collect();
    let (graph, rules) = learned(&triples, settings);
    let facts: BTreeSet<Atom> = train.iter().cloned().collect();
    let known: BTreeSet<Atom> = train.iter().chain(test).cloned().collect();
    let known_triples = triples.iter().chain(&asked).copied().collect();
    let applier = Applier::new(&graph, &rules);
    let exact = ApplySettings {
        top: usize::MAX,
        depth: usize::MAX,
        max_edges: u64::MAX,
        ..ApplySettings::default()
    };
    let n = vocabulary.n_entities();
    let found = ranks(&applier, &asked, &known_triples, n, &exact, &|| {});
    let entities: Vec<&str> = vocabulary.entity_names().collect();
    let mut plain: BTreeMap<String, [Vec<RulePredictions>; 2]> = BTreeMap::new();
    for rule in &rules {
        let text = any_burl_text(&rule.rule, &vocabulary).unwrap();
        let entry = plain.entry(parsed(&text).0.0).or_default();
        // By the place that is asked for.
        for (place, rules) in entry.iter_mut().enumerate() {
            let constant = rule.rule.form.constant();
            let is_given = constant.is_some_and(|(side, _)| (side == Side::Tail) != (place == 1));
            let pairs = if is_given {
                predictions(&text, &facts)
            } else {
                applied(rule, &text, &facts, &entities)
            };
            // Strengths are compared in single precision.
            rules.push((f64::from(rule.strength() as f32), pairs));
        }
    }
    let mut at = found.iter();
    for fact in test {
        for place in 0..2 {
            let rank = at.next().unwrap();
            let none = Vec::new();
            let rules = plain.get(&fact.0).map_or(&none, |rules| &rules[place]);
            let expected = plain_rank(rules, fact, place, &entities, &known);
            assert!(
                (rank.rank - expected).abs() < 1e-9,
                "{fact:?}, place {place}: {} instead of {expected}",
                rank.rank
            );
        }
    }
}

#[test]
fn ranks_are_those_of_enumeration() {
    let mut runner = TestRunner::new(Config::with_cases(60));
    let split = (triples(7), triples(8));
    let result = runner.run(&split, |(train, test)| {
        let settings = LearnSettings { max_path: 2, ..ALL };
        same_ranks(&names(&train), &names(&test[..4]), &settings);
        Ok(())
    });
    result.unwrap();
}

/// A candidate is explained by the rules that predict it, whichever of its entities is asked for.
#[test]
fn predictions_are_explained() {
    let mut runner = TestRunner::new(Config::with_cases(40));
    let n_zero = Cell::new(0);
    let result = runner.run(&triples(6), |small| {
        let (vocabulary, triples) = graph(&names(&small));
        let (graph, rules) = learned(&triples, &LearnSettings { max_path: 2, ..ALL });
        let applier = Applier::new(&graph, &rules);
        let n = vocabulary.n_entities();
        let mut scratch = applier.scratch(n);
        let settings = ApplySettings {
            top: usize::MAX,
            depth: usize::MAX,
            max_edges: u64::MAX,
            ..ApplySettings::default()
        };
        let mut predicted: BTreeMap<Triple, BTreeSet<u32>> = BTreeMap::new();
        let entities = vocabulary.entity_names();
        let entities: Vec<_> = entities
            .filter_map(|name| vocabulary.known_entity(name))
            .collect();
        for relation in vocabulary.relations() {
            for (asked, known) in Side::BOTH
                .iter()
                .flat_map(|side| entities.iter().map(move |e| (*side, *e)))
            {
                let query = Query {
                    relation,
                    asked,
                    known,
                };
                for found in applier.candidates(query, &settings, &mut scratch, &|_| true) {
                    let triple = filled(query, found.entity);
                    predicted.entry(triple).or_default().extend(found.rules);
                }
            }
        }
        for (triple, by) in predicted {
            let explained: Vec<&CountedRule> = firings(&graph, &rules, triple)
                .iter()
                .map(|firing| firing.rule)
                .collect();
            let expected: Vec<&CountedRule> =
                by.iter().map(|rule| &rules[*rule as usize]).collect();
            let zero = expected.iter().filter(|rule| rule.rule.is_zero());
            n_zero.update(|n| n + zero.count());
            prop_assert_eq!(explained, expected);
        }
        Ok(())
    });
    result.unwrap();
    assert!(n_zero.get() > 0);
}

/// A graph like nations: 14 entities, dozens of relations, hundreds of facts.
#[test]
fn ranks_of_a_dense_graph_are_those_of_enumeration() {
    let mut facts = Vec::new();
    let mut state = 7u64;
    for relation in 0..12u64 {
        for head in 0..14u64 {
            for tail in 0..14u64 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let is_near = (head + relation) % 5 == tail % 5;
                if (state >> 33) % 10 < if is_near { 6 } else { 1 } {
                    facts.push((
                        format!("r{relation}"),
                        [format!("e{head}"), format!("e{tail}")],
                    ));
                }
            }
        }
    }
    let n = facts.len();
    let test: Vec<Atom> = facts.iter().skip(3).step_by(n / 25).cloned().collect();
    let train: Vec<Atom> = facts
        .into_iter()
        .filter(|fact| !test.contains(fact))
        .collect();
    let settings = LearnSettings {
        max_path: 1,
        max_constant_path: 1,
        min_support: 2,
        ..ALL
    };
    same_ranks(&train, &test, &settings);
}

#[test]
fn threads_do_not_change_rules() {
    let mut facts = Vec::new();
    for i in 0..23u8 {
        facts.push((i, i % 3, (i * 7 + 3) % 23));
        facts.push((i, (i + 1) % 3, (i * 11 + 5) % 23));
    }
    let (_, triples) = graph(&names(&facts));
    let settings = LearnSettings {
        steps: 500,
        ..LearnSettings::default()
    };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| learned(&triples, &settings).1)
    };
    let one = with(1);
    assert!(!one.is_empty());
    assert_eq!(one, with(4));
}
