use kibitz_prolog::{Prover, Term, print_clause, read_clause};
use proptest::prelude::*;

use super::example::{Example, MemoRoom};
use super::{refine, *};
use crate::eval::{Constants, Key, Pattern, Plan};
use crate::subsumes;
use crate::task::{Source, Task};

/// Some facts over six terms, from numbers.
fn task(facts: &[(u8, u8, u8)]) -> Task {
    let mut text = String::from(
        ":- modeh(1,p(+t))?\n:- modeb(2,e(+t,-t))?\n:- modeb(1,f(+t,-t))?\n:- modeb(*,c(+t,-#k))?
         :- modeb(*,g(+t))?\n:- modeb(*,h(+t,+t))?\n:- modeb(*,k(+k))?\np(0).\n",
    );
    for &(relation, a, b) in facts {
        let (a, b) = (a % 6, b % 6);
        let fact = match relation % 6 {
            0 => format!("e({a},{b}).\n"),
            1 => format!("f({a},{b}).\n"),
            2 => format!("c({a},{}).\n", b % 3),
            3 => format!("g({a}).\n"),
            4 => format!("h({a},{b}).\n"),
            _ => format!("k({}).\n", b % 3),
        };
        text.push_str(&fact);
    }
    Task::from_progol(Source {
        name: "task",
        text: &text,
    })
    .unwrap()
}

const BOUNDS: Bounds = Bounds {
    max_literals: 3,
    max_depth: 2,
    max_bottom: 10_000,
    max_clauses: 4_000,
    max_false_positives: 0,
    min_positives: 1,
    limits: Limits {
        steps: 100_000,
        depth: 100,
        memory: 1 << 24,
    },
};

/// Every clause of up to so many literals that single literals lead to, each once.
fn grown(matcher: &mut PatternMatcher<'_>, example: &Example) -> (Vec<Pattern>, Constants) {
    let mut constants = Constants::default();
    let root = Pattern::of_head(matcher.language, |_| 0);
    let mut all = indexmap::IndexMap::<Key, Pattern>::from([(root.key(), root)]);
    let mut at = 0;
    while at < all.len() {
        let pattern = all[at].clone();
        at += 1;
        if pattern.lits.len() < BOUNDS.max_literals && all.len() < 400 {
            let known = &mut *example.known();
            let longer =
                refine::literals(matcher, known, &BOUNDS, &pattern, &mut constants).unwrap();
            for pattern in longer {
                all.entry(pattern.key()).or_insert(pattern);
            }
        }
    }
    (all.into_values().collect(), constants)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Clauses are parts of the bottom clause; they cover what the prover says they cover.
    #[test]
    fn clauses_generalize_the_bottom_clause(
        facts in prop::collection::vec((0..6_u8, 0..6_u8, 0..6_u8), 1..30),
    ) {
        let mut task = task(&facts);
        let db = task.database().unwrap();
        let example = task.positive[0].clone();
        let (bottom, is_truncated) = bottom_clause(&Problem::with_database(&task, &db), &BOUNDS, &example).unwrap();
        prop_assert!(!is_truncated);
        let language = Language::new(&task.bias);
        let mut matcher = PatternMatcher::new(&language, &db, BOUNDS.limits);
        let seed = Example::new(example.clone());
        let (patterns, constants) = grown(&mut matcher, &seed);
        let terms: Vec<Term> = constants.iter().cloned().collect();
        let mut prover = Prover::new(&db, BOUNDS.limits);
        let name = task.target.name;
        for pattern in &patterns {
            let clause = pattern.clause(&language, &terms);
            let text = print_clause(&clause, &task.symbols).to_string();
            prop_assert!(subsumes(&clause, &bottom), "{text}");
            let (again, numbered) = Pattern::of_clause(&language, &clause).unwrap();
            prop_assert_eq!(again.clause(&language, &numbered), clause.clone());
            let plan = Plan::new(&language, pattern, &terms);
            let prepared = prover.prepare(std::slice::from_ref(&clause)).unwrap();
            prover.load(&prepared);
            for value in 0..6 {
                let atom = Atom::new(name, [Term::int(value)]);
                let proof = prover.covers(&prepared, 0, &atom).unwrap();
                let other = Example::new(atom);
                // The second time without what was remembered, the third with it.
                for room in [0, 0, usize::MAX, usize::MAX] {
                    let room = MemoRoom::new(room);
                    let covers = other.is_covered(&mut matcher, &plan, &room).unwrap();
                    prop_assert_eq!(covers, proof.is_proved(), "{} of {}", text, value);
                }
            }
        }
    }

    /// A clause keeps its key when variables are renamed and literals change places, and no two
    /// clauses that were kept apart are the same but for that.
    #[test]
    fn keys_forget_names_only(
        facts in prop::collection::vec((0..6_u8, 0..6_u8, 0..6_u8), 1..20), by in 1..7_usize,
    ) {
        let mut task = task(&facts);
        let db = task.database().unwrap();
        let language = Language::new(&task.bias);
        let mut matcher = PatternMatcher::new(&language, &db, BOUNDS.limits);
        let seed = Example::new(task.positive[0].clone());
        let (patterns, constants) = grown(&mut matcher, &seed);
        let terms: Vec<Term> = constants.iter().cloned().collect();
        for pattern in patterns.iter().take(100) {
            let mut clause = pattern.clause(&language, &terms);
            let n = clause.body.len().max(1);
            clause.body.rotate_left(by % n);
            let (other, numbered) = Pattern::of_clause(&language, &clause.normalized()).unwrap();
            let numbers: Vec<u32> = (numbered.iter())
                .map(|term| u32::try_from(constants.get_index_of(term).unwrap()).unwrap())
                .collect();
            let other = other.with_constants(&numbers);
            prop_assert_eq!(other.key(), pattern.key());
            prop_assert_eq!(other.ordered_key(), pattern.ordered_key());
        }
        // Both ways by matching literal for literal would make them the same.
        let clauses: Vec<Clause> =
            patterns.iter().take(60).map(|pattern| pattern.clause(&language, &terms)).collect();
        for (i, a) in clauses.iter().enumerate() {
            for b in &clauses[..i] {
                prop_assert!(!is_variant(a, b), "{:?} {:?}", a, b);
            }
        }
    }
}

/// Whether some order of literals and renaming makes one clause the other.
fn is_variant(a: &Clause, b: &Clause) -> bool {
    let mut orders = vec![Vec::new()];
    for _ in 0..a.body.len() {
        orders = (orders.iter())
            .flat_map(|order: &Vec<usize>| {
                let rest = (0..a.body.len()).filter(|i| !order.contains(i));
                rest.map(|i| [order.clone(), vec![i]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    a.body.len() == b.body.len()
        && orders.iter().any(|order| {
            let body = order.iter().map(|&i| a.body[i].clone()).collect();
            Clause::new(a.head.clone(), body).normalized() == b.normalized()
        })
}

#[test]
fn a_bottom_clause_has_variables_and_constants() {
    let mut task = task(&[(0, 0, 1), (0, 0, 2), (0, 0, 3), (2, 1, 4), (4, 0, 2)]);
    let db = task.database().unwrap();
    let example = task.positive[0].clone();
    let (bottom, _) =
        bottom_clause(&Problem::with_database(&task, &db), &BOUNDS, &example).unwrap();
    // Two answers of `e` are taken; a number of type `k` is a variable and a constant.
    assert_eq!(
        print_clause(&bottom, &task.symbols).to_string(),
        "p(A) :- e(A,B), e(A,C), c(B,D), c(B,1), h(A,C)."
    );
    let small = Bounds {
        max_bottom: 2,
        ..BOUNDS
    };
    let (cut, is_truncated) =
        bottom_clause(&Problem::with_database(&task, &db), &small, &example).unwrap();
    assert_eq!((cut.body.len(), is_truncated), (2, true));
    let facts = saturation(&Problem::with_database(&task, &db), &BOUNDS, &example).unwrap();
    let facts: Vec<String> = facts
        .iter()
        .map(|fact| kibitz_prolog::print_atom(fact, &task.symbols).to_string())
        .collect();
    assert_eq!(facts, ["e(0,1)", "e(0,2)", "c(1,1)", "h(0,2)"]);
}

/// Symmetric clauses take no more than a few looks.
#[test]
fn keys_of_many_equal_literals_are_quick() {
    let task = task(&[]);
    let mut symbols = task.symbols.clone();
    let language = Language::new(&task.bias);
    let body: Vec<String> = (0..12).map(|i| format!("e(X,Y{i})")).collect();
    let clause = read_clause(&format!("p(X) :- {}", body.join(",")), &mut symbols).unwrap();
    let (pattern, _) = Pattern::of_clause(&language, &clause).unwrap();
    assert_eq!(pattern.key().len(), 1 + 12 * 3);
}

#[test]
fn rules_apply_as_the_prover_says_and_refuse_what_has_no_mode() {
    let mut task = task(&[(0, 0, 1), (3, 1, 0), (0, 2, 3)]);
    let db = task.database().unwrap();
    let mut symbols = task.symbols.clone();
    let mut read = |text: &str| vec![read_clause(text, &mut symbols).unwrap()];
    let limits = Limits::default();
    let rules = Rules::new(&db, &task.bias, &read("p(X) :- g(Y), e(X,Y)"), limits).unwrap();
    assert_eq!((rules.len(), rules.is_empty()), (1, false));
    let mut evaluator = rules.evaluator();
    let mut answers = AnswerCache::default();
    let mut covers = |value, rule| {
        let atom = Atom::new(task.target.name, [Term::int(value)]);
        evaluator.covers(rule, &mut answers, &atom).unwrap()
    };
    assert!(covers(0, 0) && !covers(2, 0) && !covers(0, 1));
    for text in [
        "p(X) :- g(Y)",
        "q(X) :- g(X)",
        "p(X) :- \\+ g(X)",
        "p(X) :- z(X)",
    ] {
        let refused = Rules::new(&db, &task.bias, &read(text), limits);
        assert_eq!(refused.unwrap_err(), NoMode(0), "{text}");
    }
}

#[test]
fn a_head_may_repeat_a_variable() {
    let text = ":- modeh(1,p(+t,+t))?\n:- modeb(1,g(+t))?\np(0,1).\ng(0).\n";
    let mut task = Task::from_progol(Source { name: "task", text }).unwrap();
    let db = task.database().unwrap();
    let clause = read_clause("p(X,X) :- g(X)", &mut task.symbols.clone()).unwrap();
    let rules = Rules::new(&db, &task.bias, &[clause], Limits::default()).unwrap();
    let mut evaluator = rules.evaluator();
    let mut answers = AnswerCache::default();
    let mut covers = |values: [i64; 2]| {
        let atom = Atom::new(task.target.name, values.map(Term::int));
        evaluator.covers(0, &mut answers, &atom).unwrap()
    };
    assert!(covers([0, 0]) && !covers([0, 1]) && !covers([1, 1]));
}
