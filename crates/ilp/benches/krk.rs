//! Reading, subsumption, coverage and Foil on the positions of the king and rook ending.

use std::fmt::Write;

use criterion::{Criterion, criterion_group, criterion_main};
use kibitz_ilp::learn::{Foil, Learner, NoProgress};
use kibitz_ilp::{Problem, Source, Task, subsumes};
use kibitz_prolog::{Limits, SymbolTable, read_clause, read_clauses};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn is_illegal([a, b, c, d, e, f]: [i64; 6]) -> bool {
    let between = |x: i64, y: i64, z: i64| y.min(z) < x && x < y.max(z);
    (a == c && b == d)
        || (c == e && d == f)
        || ((a - e).abs() <= 1 && (b - f).abs() <= 1)
        || (c == e && !(a == c && between(b, d, f)))
        || (d == f && !(b == d && between(a, c, e)))
}

fn texts(n: usize) -> [String; 3] {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut examples = String::new();
    for _ in 0..n {
        let p: [i64; 6] = std::array::from_fn(|_| rng.random_range(0..8));
        let name = if is_illegal(p) { "pos" } else { "neg" };
        let _ = writeln!(
            examples,
            "{name}(illegal({})).",
            p.map(|v| v.to_string()).join(",")
        );
    }
    let mut facts = String::new();
    for x in 0i64..8 {
        for y in 0i64..8 {
            if (x - y).abs() <= 1 {
                let _ = writeln!(facts, "adj({x},{y}).");
            }
            if x < y {
                let _ = writeln!(facts, "lt({x},{y}).");
            }
        }
    }
    [
        examples,
        facts,
        "head_pred(illegal,6). body_pred(adj,2). body_pred(lt,2).".into(),
    ]
}

fn task([examples, facts, bias]: &[String; 3]) -> Task {
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", examples),
        source("bk.pl", facts),
        source("bias.pl", bias),
    )
    .expect("valid")
}

fn krk(c: &mut Criterion) {
    for n in [1_000, 10_000] {
        let texts = texts(n);
        c.bench_function(&format!("read-{n}"), |b| {
            b.iter(|| {
                let clauses = read_clauses(&texts[0], &mut SymbolTable::new()).expect("valid");
                assert_eq!(clauses.len(), n);
            });
        });
        let mut task = task(&texts);
        let problem = Problem::new(&mut task).expect("valid");
        let foil = Foil::default();
        let learned = foil.learn(&problem, &mut NoProgress).expect("learned");
        c.bench_function(&format!("foil-krk-{n}"), |b| {
            b.iter(|| {
                let again = foil.learn(&problem, &mut NoProgress).expect("learned");
                assert_eq!(again, learned);
            });
        });
        c.bench_function(&format!("verify-krk-{n}"), |b| {
            b.iter(|| {
                let verified = problem.verify(&learned.clauses, Limits::default());
                let verified = verified.expect("valid");
                assert_eq!(verified.total.confusion()[3], 0);
            });
        });
    }
}

fn subsumption(c: &mut Criterion) {
    let path = |n: usize, name: char| {
        let body: Vec<String> = (0..n)
            .map(|i| format!("e({name}{i},{name}{})", i + 1))
            .collect();
        format!("p :- {}", body.join(", "))
    };
    let mut symbols = SymbolTable::new();
    let general = read_clause(&path(300, 'X'), &mut symbols).expect("valid");
    let shorter = read_clause(&path(299, 'x'), &mut symbols).expect("valid");
    let cycle = read_clause("p :- e(a,b), e(b,c), e(c,a)", &mut symbols).expect("valid");
    c.bench_function("subsumes-path-300-in-cycle", |b| {
        b.iter(|| assert!(subsumes(&general, &cycle)));
    });
    c.bench_function("subsumes-path-300-not-in-299", |b| {
        b.iter(|| assert!(!subsumes(&general, &shorter)));
    });
}

criterion_group!(benches, krk, subsumption);
criterion_main!(benches);
