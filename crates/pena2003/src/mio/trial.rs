use std::sync::Arc;
use std::time::Instant;
use kibitz_ilp::learn::mio::*;
use kibitz_ilp::learn::entailment::*;
use kibitz_ilp::learn::NoProgress;
use kibitz_ilp::print_clause;
use kibitz_experiment::ChaCha8Rng;
use rand::SeedableRng;
use super::relations::*;
use super::sampler::*;
use active::*;

#[test]
fn trial() {
    let env = |n: &str, d: usize| std::env::var(n).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
    let target = std::env::var("TARGET").unwrap_or("safe".into());
    let world = Arc::new(World::default());
    let mut task = task(&target, &world).unwrap();
    let db = task.database().unwrap();
    let level = "8x8/10".parse().unwrap();
    let name = task.symbols.intern(&target);
    let sampler = RandomTiles::new(&level, &world, name, target == "mine", ChaCha8Rng::seed_from_u64(env("SEED", 1) as u64));
    let bounds = Bounds { max_literals: 8, max_depth: 4, max_bottom: env("BOTTOM", 1000), ..Bounds::default() };
    let params = MioParams { bounds, strategy: if env("GREEDY", 0) == 1 { Strategy::Greedy } else { Strategy::Deepening }, macros: env("MACROS", 1) == 1, seed: env("SEED", 1) as u64, seeds: env("SEEDS", 4), ..MioParams::default() };
    let t = Instant::now();
    struct P;
    impl kibitz_ilp::learn::Progress for P { fn clause(&mut self, c: &kibitz_ilp::Clause, s: &kibitz_ilp::SymbolTable, p: usize, n: usize) { println!("   {p} {n} {}", print_clause(c, s)); } }
    let mined = if env("AL", 1) == 1 {
        let mut teacher = Examiner::new(&db, &task.bias, sampler, ExaminerParams::default());
        let taught = active::learn(&task, &db, &params, 10, &mut teacher, &mut P).unwrap();
        println!("rounds {} received {} {}", taught.rounds, taught.received[0].len(), taught.received[1].len());
        taught.mined
    } else {
        let mut sampler = sampler;
        let mut pos = vec![]; let mut neg = vec![];
        while pos.len() < 40 || neg.len() < 34 {
            let l = sampler.draw().unwrap();
            if l.is_positive { if pos.len() < 40 { pos.push(l.atom) } } else if neg.len() < 34 { neg.push(l.atom) }
        }
        let mut task = task.clone();
        task.positive = pos; task.negative = neg;
        learn_with_report(&task, &db, &params, &mut P).unwrap()
    };
    for c in &mined.learned.clauses { println!("{}", print_clause(c, &task.symbols)); }
    let n = mined.searches.len();
    println!("{:?} searches {} mean {} limited {} time {:?}", mined.learned.stop, n, mined.learned.steps as f64 / n as f64, mined.searches.iter().filter(|s| s.is_limited).count(), t.elapsed());
    println!("{:?}", mined.searches.iter().map(|s| s.n_clauses).collect::<Vec<_>>());
    let _ = NoProgress;
}
