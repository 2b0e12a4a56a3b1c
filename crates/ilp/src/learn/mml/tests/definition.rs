//! Messages by their definition: counted from the text of a theory, and the shortest of a small space.

use kibitz_prolog::{Clause, Coverage, Evaluator, Limits, Term, Var, read_clauses};
use rustc_hash::FxHashMap;

use crate::learn::mml::{Criterion, Message};
use crate::{Task, Theory};

/// Rissanen's code, by its definition.
fn universal(n: usize) -> f64 {
    let mut sum = 2.865_064_f64.ln();
    let mut left = (n as f64).log2();
    while left > 0.0 {
        sum += left * 2f64.ln();
        left = left.log2();
    }
    sum / 2f64.ln()
}

fn log_factorial(n: usize) -> f64 {
    (2..=n).map(|i| (i as f64).log2()).sum()
}

/// Ways to label `a` of `n`, and their number.
fn rate(a: usize, n: usize) -> f64 {
    ((n + 1) as f64).log2() + log_factorial(n) - log_factorial(a) - log_factorial(n - a)
}

fn labels(criterion: Criterion, [p, q]: [usize; 2], n: [usize; 2]) -> f64 {
    match criterion {
        Criterion::Mml => rate(p, p + q) + rate(n[0] - p, n[0] - p + n[1] - q),
        Criterion::Mdl => (n[0] - p + q) as f64,
    }
}

/// The classes of a clause's components and the literals of each, from its terms.
fn components(clause: &Clause) -> Vec<(usize, usize)> {
    let mut of_head: Vec<Var> = Vec::new();
    let mut found = Vec::new();
    for arg in clause.head.args.iter() {
        match arg {
            Term::Var(var) if !of_head.contains(var) => of_head.push(*var),
            _ => found.push((1, 1)),
        }
    }
    // Literals that share a variable beside those of the head are one component.
    let mut groups: Vec<(Vec<Var>, usize)> = Vec::new();
    for literal in &clause.body {
        let mut vars: Vec<Var> = Vec::new();
        for term in literal.atom.args.iter() {
            term.for_each_var(&mut |var| {
                if !of_head.contains(&var) {
                    vars.push(var);
                }
            });
        }
        if vars.is_empty() {
            found.push((1, 1));
            continue;
        }
        let shares = |(own, _): &(Vec<Var>, usize)| own.iter().any(|var| vars.contains(var));
        let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(shares);
        groups = others;
        let n = 1 + joined.iter().map(|(_, n)| n).sum::<usize>();
        let all = joined.into_iter().flat_map(|(vars, _)| vars).chain(vars);
        groups.push((all.collect(), n));
    }
    found.extend(groups.into_iter().map(|(_, n)| (n + 1, n)));
    found
}

/// The message of a printed theory, from its text, the numbers of components and proofs.
pub(super) fn counted_anew(task: &mut Task, text: &str, message: &Message) -> f64 {
    let clauses = read_clauses(text, &mut task.symbols).expect("a theory");
    let db = task.database().expect("valid");
    let mut evaluator = Evaluator::new(&db, Limits::default(), &task.positive, &task.negative);
    let mut total = evaluator.theory(&[]).map(|_| None).expect("valid");
    for coverage in evaluator.theory(&clauses).expect("valid") {
        total = Some(match total {
            None => coverage,
            Some(mut total) => {
                Coverage::union(&mut total, &coverage);
                total
            }
        });
    }
    let counts = total.map_or([0, 0], |total: Coverage| {
        let [p, _, _, q] = total.confusion();
        [p, q]
    });
    let n = [task.positive.len(), task.negative.len()];
    let mut bits = labels(message.criterion, counts, n);
    for clause in &clauses {
        let own = components(clause);
        match message.criterion {
            Criterion::Mml => {
                bits += universal(own.len() + 1) - log_factorial(own.len());
                for (class, _) in own {
                    bits += universal(class) + (message.n_in_class[class] as f64).log2();
                }
            }
            Criterion::Mdl => bits += 1.0 + own.iter().map(|(_, n)| *n as f64).sum::<f64>(),
        }
    }
    if message.criterion == Criterion::Mml {
        bits += universal(clauses.len() + 1) - log_factorial(clauses.len());
    }
    bits
}

pub(super) fn assert_counted(task: &mut Task, theory: &Theory) {
    let message = theory.message().expect("a message");
    let anew = counted_anew(task, &theory.text, message);
    assert!((anew - message.total()).abs() < 1e-6, "{anew} {theory}");
    assert!(message.least <= message.total() + 1e-9, "{theory}");
}

/// The shortest message of all theories of at most three clauses, by the truth of every literal for
/// every pair.
pub(super) fn shortest(
    criterion: Criterion,
    n: usize,
    edges: &[(usize, usize)],
    marks: &[usize],
    labels_of: &[bool],
) -> f64 {
    let set = |holds: &dyn Fn(usize, usize) -> bool| {
        (0..n * n).fold(0u64, |bits, i| bits | u64::from(holds(i / n, i % n)) << i)
    };
    let all = set(&|_, _| true);
    let positive = (0..n * n).fold(0u64, |bits, i| bits | u64::from(labels_of[i]) << i);
    let e = |x, y| edges.contains(&(x, y));
    let f = |x| marks.contains(&x);
    let mut literals = vec![
        set(&|x, y| x == y),
        set(&|x, y| e(x, y)),
        set(&|x, y| e(y, x)),
        set(&|x, _| e(x, x)),
        set(&|_, y| e(y, y)),
        set(&|x, _| f(x)),
        set(&|_, y| f(y)),
    ];
    literals.sort_unstable();
    literals.dedup();
    literals.retain(|own| *own != 0 && *own != all);
    let n_of = [
        positive.count_ones() as usize,
        (all & !positive).count_ones() as usize,
    ];
    let counts = |own: u64| {
        [
            (own & positive).count_ones() as usize,
            (own & !positive).count_ones() as usize,
        ]
    };
    // Each set of examples with its cheapest clause.
    let mut clauses: FxHashMap<u64, f64> = FxHashMap::default();
    for chosen in 1..1u32 << literals.len() {
        let k = chosen.count_ones() as usize;
        let own = (0..literals.len()).filter(|i| chosen >> i & 1 == 1);
        let covered = own.fold(all, |bits, i| bits & literals[i]);
        let cost = match criterion {
            Criterion::Mml => {
                let one = universal(1) + (literals.len() as f64).log2();
                universal(k + 1) + k as f64 * one - log_factorial(k)
            }
            Criterion::Mdl => 1.0 + k as f64,
        };
        let [p, q] = counts(covered);
        if p > q && p * n_of[1] >= q * n_of[0] {
            let known = clauses.entry(covered).or_insert(cost);
            *known = known.min(cost);
        }
    }
    let clauses: Vec<(u64, f64)> = clauses.into_iter().collect();
    let message = |chosen: &[usize]| {
        let covered = chosen.iter().fold(0, |bits, i| bits | clauses[*i].0);
        let sum: f64 = chosen.iter().map(|i| clauses[*i].1).sum();
        let [p, q] = counts(covered);
        if p <= q && !chosen.is_empty() {
            return f64::INFINITY;
        }
        let theory = match criterion {
            Criterion::Mml => universal(chosen.len() + 1) + sum - log_factorial(chosen.len()),
            Criterion::Mdl => sum,
        };
        theory + labels(criterion, [p, q], n_of)
    };
    let mut best = message(&[]);
    for a in 0..clauses.len() {
        best = best.min(message(&[a]));
        for b in 0..a {
            best = best.min(message(&[a, b]));
            for c in 0..b {
                best = best.min(message(&[a, b, c]));
            }
        }
    }
    best
}
