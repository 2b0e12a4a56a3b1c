use std::fmt::Write;

use kibitz_prolog::{Evaluator, Limits, Prover, all_bits as all_below};
use proptest::prelude::*;

use super::{Arg, Lit, Matcher, decode, is_spare, without};
use crate::encoded::EncodedProblem;
use crate::task::{Source, Task};

/// Facts of `e/2` and `f/1` about five constants, and all pairs of them as examples of `p/2`.
fn task(edges: &[(u8, u8)], marks: &[u8]) -> Task {
    let mut examples = String::new();
    for x in 0..5 {
        for y in 0..5 {
            let side = if (x + y) % 2 == 0 { "pos" } else { "neg" };
            let _ = writeln!(examples, "{side}(p(c{x},c{y})).");
        }
    }
    let mut facts = "e(c0,c1).\nf(c2).\n".to_owned();
    for (x, y) in edges {
        let _ = writeln!(facts, "e(c{x},c{y}).");
    }
    for x in marks {
        let _ = writeln!(facts, "f(c{x}).");
    }
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", &examples),
        source("bk.pl", &facts),
        source("bias.pl", "head_pred(p,2). body_pred(e,2). body_pred(f,1)."),
    )
    .expect("valid")
}

/// Literals from numbers, each over the variables that are there by then.
fn lits(choices: &[(u8, u8, u8)]) -> Vec<Lit> {
    let mut n_vars = 2u32;
    let mut lits = Vec::new();
    for &(form, x, y) in choices {
        let (x, y) = (u32::from(x) % n_vars, u32::from(y) % n_vars);
        let rel = |relation, args: Vec<Arg>, positive| Lit {
            positive,
            ..Lit::positive(relation, args)
        };
        lits.push(match form % 8 {
            0 => rel(0, vec![Arg::Var(x), Arg::Var(y)], true),
            1 => rel(0, vec![Arg::Var(x), Arg::Var(y)], false),
            2 => rel(0, vec![Arg::Var(x), Arg::New], true),
            3 => rel(0, vec![Arg::New, Arg::Var(x)], true),
            4 => rel(1, vec![Arg::Var(x)], true),
            5 => rel(1, vec![Arg::Var(x)], false),
            6 => Lit {
                positive: x == y || form < 128,
                ..Lit::equal(x.min(y), Arg::Var(x.max(y)))
            },
            _ => rel(0, vec![Arg::New, Arg::New], true),
        });
        n_vars += u32::try_from(lits[lits.len() - 1].n_new()).expect("few");
    }
    lits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn coverage_by_bit_set_is_coverage_by_proof(
        edges in prop::collection::vec((0u8..5, 0u8..5), 0..10),
        marks in prop::collection::vec(0u8..5, 0..4),
        choices in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 0..6),
    ) {
        let mut task = task(&edges, &marks);
        let db = task.database().expect("valid");
        let problem = EncodedProblem::new(&task, &db, Limits::default(), &mut |_| true).expect("valid");
        let lits = lits(&choices);
        let clause = decode(&problem, task.target.name, &lits);
        let mut evaluator =
            Evaluator::new(&db, Limits::default(), &task.positive, &task.negative);
        let proved = evaluator.clause(&clause).expect("valid");
        let matcher = Matcher::new(&problem, &lits);
        for (side, proved) in [&proved.positive, &proved.negative].into_iter().enumerate() {
            let all = all_below(proved.len());
            prop_assert_eq!(&matcher.covered(side, &all), proved);
            let n = proved.count_ones(..);
            let mut suspects = Vec::new();
            let at_most = matcher.covered_at_most(side, &all, n, &mut suspects);
            prop_assert_eq!(at_most.as_ref(), Some(proved));
            for _ in 0..2 {
                if n > 0 {
                    prop_assert_eq!(matcher.covered_at_most(side, &all, n - 1, &mut suspects), None);
                }
            }
        }
        // Steps from the 64th on share a bit in conflicts.
        let always = (0..64).map(|_| Lit::equal(0, Arg::Var(0)));
        let longer: Vec<Lit> = always.chain(lits.iter().cloned()).collect();
        let all = all_below(proved.positive.len());
        prop_assert_eq!(&Matcher::new(&problem, &longer).covered(0, &all), &proved.positive);
        // A literal left out is as if it had not been there.
        for left_out in 0..lits.len() {
            let n_head = problem.head_kinds.len();
            let shorter = without(&lits, left_out, n_head);
            prop_assert_eq!(is_spare(&lits, left_out, n_head), shorter.is_some());
            if let Some(shorter) = shorter {
                let all = all_below(task.positive.len());
                let leaving_out = Matcher::leaving_out(&problem, &lits, Some(left_out));
                let alone = Matcher::new(&problem, &shorter);
                prop_assert_eq!(leaving_out.covered(0, &all), alone.covered(0, &all));
            }
        }
        // The evaluator's sets are those of single proofs.
        let mut prover = Prover::new(&db, Limits::default());
        let prepared = prover.prepare(std::slice::from_ref(&clause)).expect("valid");
        prover.load(&prepared);
        for (i, example) in task.positive.iter().enumerate() {
            let single = prover.covers(&prepared, 0, example).expect("valid").is_proved();
            prop_assert_eq!(single, proved.positive.contains(i));
        }
    }
}
