//! How long PAL takes for a static and a dynamic concept, its oracle included.

use criterion::{Criterion, criterion_group, criterion_main};
use kibitz_patterns::Concept;

const TARGETS: &str = include_str!("../../../data/morales1992/concepts.pl");

fn concept(text: &str) -> Concept {
    toml::from_str(text).expect("a valid concept")
}

fn learn(c: &mut Criterion) {
    let fork = concept(
        r#"
name = "fork"
examples = ["contents(black, king, square(3,4)). contents(black, queen, square(3,6)). contents(white, king, square(6,7)). contents(white, knight, square(1,5))."]
background = ["other_side", "sliding_piece", "in_check", "check_mate", "legal_move", "stale"]
"#,
    );
    let threat = concept(
        r#"
name = "threat"
dynamic = true
examples = ["contents(white, king, square(1,1)). contents(black, king, square(8,8)). contents(white, knight, square(8,1)). contents(black, pawn, square(7,3))."]
background = ["other_side", "sliding_piece", "in_check", "check_mate", "legal_move", "stale"]
"#,
    );
    for (name, concept) in [("pal/fork", fork), ("pal/threat", threat)] {
        c.bench_function(name, |b| {
            b.iter(|| {
                let prepared = concept.prepare(TARGETS, true).expect("a sound concept");
                let mut oracle = prepared.oracle();
                let learned = prepared
                    .learn(prepared.params(), &mut oracle)
                    .expect("learned");
                assert_eq!(learned.clauses.len(), 1);
                learned
            });
        });
    }
}

criterion_group!(benches, learn);
criterion_main!(benches);
