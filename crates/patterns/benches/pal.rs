//! Time of PAL for static and dynamic concepts, with its oracle.

use criterion::{Criterion, criterion_group, criterion_main};
use kibitz_patterns::Concept;

const TARGETS: &str = include_str!("../concepts/pal.pl");

fn concept(name: &str, dynamic: bool, concepts: &str, pieces: &[&str]) -> Concept {
    let facts: Vec<String> = (pieces.iter())
        .map(|piece| format!("contents({piece})."))
        .collect();
    let text = format!(
        r#"
name = "{name}"
dynamic = {dynamic}
examples = ["{}"]
background = ["other_side", "sliding_piece", "in_check", "check_mate", "legal_move", "stale"]
concepts = [{concepts}]
"#,
        facts.join(" ")
    );
    toml::from_str(&text).expect("a valid concept")
}

fn learn(c: &mut Criterion) {
    let mut group = c.benchmark_group("pal");
    group.sample_size(10);
    let fork = [
        "black, king, square(3,4)",
        "black, queen, square(3,6)",
        "white, king, square(6,7)",
        "white, knight, square(1,5)",
    ];
    let threat = [
        "white, king, square(1,1)",
        "black, king, square(8,8)",
        "white, knight, square(8,1)",
        "black, pawn, square(7,3)",
    ];
    let pin = [
        "white, bishop, square(4,4)",
        "black, king, square(8,8)",
        "black, knight, square(6,6)",
        "white, king, square(6,7)",
    ];
    let skewer = [
        "white, rook, square(1,1)",
        "black, king, square(7,1)",
        "black, knight, square(8,1)",
        "white, king, square(6,3)",
    ];
    for concept in [
        concept("fork", false, "", &fork),
        concept("threat", true, "", &threat),
        concept("pin1", true, "\"threat\"", &pin),
        concept("skewer", true, "\"threat1\"", &skewer),
    ] {
        group.bench_function(&concept.name, |b| {
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
    group.finish();
}

criterion_group!(benches, learn);
criterion_main!(benches);
