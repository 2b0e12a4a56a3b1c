//! Tests of the search.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::names::{Triple, Vocabulary};
use crate::prolog_text;

/// An early end leaves out rules with constants before those without, and says so.
#[test]
fn an_early_end_keeps_cyclic_rules() {
    let triple = |head, relation, tail| Triple {
        head: Entity(head),
        relation: Relation(relation),
        tail: Entity(tail),
    };
    let pairs = (0..20).flat_map(|at| [triple(at, 0, at + 20), triple(at + 20, 0, at)]);
    let hubs = (0..20).map(|at| triple(at, 1, 40));
    let graph = Graph::new(pairs.chain(hubs).collect());
    let settings = LearnSettings::default();
    let whole = learn(&graph, &settings, &|| false, &|| {});
    assert!(whole.is_complete() && whole.unfinished.is_empty());
    assert!(whole.rules.iter().any(|rule| rule.rule.kind() != "cyclic"));
    let until = |n: usize, is_selected: bool| {
        let n_done = AtomicUsize::new(0);
        let is_over = || n_done.load(Ordering::Relaxed) >= n;
        let advance = || {
            n_done.fetch_add(1, Ordering::Relaxed);
        };
        let learned = if is_selected {
            let valid = [triple(0, 0, 20)];
            crate::learn_selected(&graph, &settings, &valid, 41, &is_over, &advance)
        } else {
            learn(&graph, &settings, &is_over, &advance)
        };
        let unfinished: Vec<String> = learned.unfinished.iter().map(Round::to_string).collect();
        assert!(learned.is_early && !learned.is_complete());
        assert!(!learned.rules.is_empty());
        assert!(
            learned
                .rules
                .iter()
                .all(|rule| rule.rule.kind() == "cyclic")
        );
        unfinished.join("; ")
    };
    // Two relations: the last of six calls is for the longest cyclic rules.
    assert_eq!(
        until(6, false),
        "cyclic rules of 3 literals; zero rules; constant and open rules of 1 literal"
    );
    assert_eq!(
        until(2, true),
        "cyclic rules of 1 literal; zero rules; constant and open rules of 1 literal; \
         cyclic rules of 2 literals; cyclic rules of 3 literals"
    );
}

/// Tables of pairs and rows of bits make a search faster, and change nothing.
#[test]
fn tables_do_not_change_rules() {
    let mut triples = Vec::new();
    for at in 0..400_u32 {
        let head = Entity(at * 7 % 83);
        let tail = Entity((at * at + at / 3) % 83);
        let relation = Relation(at % 4);
        triples.push(Triple {
            head,
            relation,
            tail,
        });
    }
    let graph = Graph::new(triples);
    assert!(graph.has_rows());
    let settings = LearnSettings {
        min_support: 1,
        max_constant_path: 2,
        count_edges: 300,
        ..LearnSettings::default()
    };
    let found = learn(&graph, &settings, &|| false, &|| {}).rules;
    assert!(found.iter().any(|rule| rule.rule.body.len() == 3));
    assert!(found.iter().any(|rule| !rule.counts.is_exact));
    let plain = learn(&graph.without_tables(), &settings, &|| false, &|| {}).rules;
    assert_eq!(found, plain);
}

const FAMILY: &str = "ann married bob, bob married ann, cas married dan, dan married cas, \
    eve married fay, ann lives oslo, bob lives oslo, cas lives rome, dan lives rome, \
    eve lives rome, ann speaks norwegian, bob speaks norwegian, cas speaks italian, \
    dan speaks italian";

fn family() -> (Graph, Vocabulary) {
    let mut vocabulary = Vocabulary::default();
    let triples = FAMILY.split(", ").map(|triple| {
        let names: Vec<&str> = triple.split(' ').collect();
        vocabulary.triple(names[0], names[1], names[2])
    });
    (Graph::new(triples.collect()), vocabulary)
}

/// A search that its steps cut is not complete, and says how much was cut.
#[test]
fn a_spent_budget_is_a_sample() {
    let (graph, _) = family();
    let with = |steps: u64| {
        let settings = LearnSettings {
            steps,
            ..LearnSettings::default()
        };
        let learned = learn(&graph, &settings, &|| false, &|| {});
        assert!(!learned.is_early && learned.unfinished.is_empty());
        let rules = learned.rules.iter();
        let n_cyclic = rules.filter(|rule| rule.rule.kind() == "cyclic").count();
        (n_cyclic, learned.is_complete(), learned.samples)
    };
    let nothing = |length| Sample {
        round: Round::Cyclic(length),
        n_relations: 3,
        n_left_out: 14,
        n_partly: 0,
    };
    let none = (0, false, vec![nothing(1), nothing(2), nothing(3)]);
    assert_eq!(with(0), none);
    assert_eq!(with(5), none);
    let (n_cyclic, is_complete, samples) = with(20);
    assert_eq!((n_cyclic, is_complete), (8, false));
    assert!(samples.iter().all(|sample| sample.n_left_out < 14));
    assert_eq!(with(5_000_000), (9, true, Vec::new()));
}

/// Between entities of many triples, only some of the pairs of edges are looked at.
#[test]
fn some_of_many_paths_are_a_sample() {
    let triple = |head, tail| Triple {
        head: Entity(head),
        relation: Relation(0),
        tail: Entity(tail),
    };
    let hubs = (2..22).flat_map(|at| [triple(0, at), triple(at, 1)]);
    let graph = Graph::new(hubs.chain([triple(0, 1)]).collect());
    let learned = learn(&graph, &LearnSettings::default(), &|| false, &|| {});
    assert!(!learned.is_early && !learned.is_complete());
    let sample = Sample {
        round: Round::Cyclic(3),
        n_relations: 0,
        n_left_out: 0,
        n_partly: 1,
    };
    assert_eq!(learned.samples, [sample]);
}

/// A body is pruned by the confidence of the zero rule, though that scores a hundredth of it.
#[test]
fn the_zero_rule_prunes_by_confidence() {
    let (graph, vocabulary) = family();
    let learned = learn(&graph, &LearnSettings::default(), &|| false, &|| {});
    let rules = learned.rules.iter();
    let texts: Vec<String> = rules
        .map(|rule| prolog_text(&rule.rule, &vocabulary))
        .collect();
    let has = |text: &str| texts.iter().any(|rule| rule == text);
    assert!(has("lives(A,rome)."));
    assert!(!has("lives(A,rome) :- speaks(A,italian)."));
    assert!(has("lives(A,oslo)."));
    assert!(has("lives(A,oslo) :- speaks(A,norwegian)."));
}
