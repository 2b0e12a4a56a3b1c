//! Why negative examples are covered: the clause, and what holds of the example.

use kibitz_prolog::{
    Atom, Clause, Limits, Literal, Prover, print_atom, print_clause, print_literal,
};
use kibitz_text::counted;

use super::explain::{called, valued};
use super::explanation::{By, Reason};
use super::study::Study as _;
use super::theory::Theory;
use super::why_not::MAX_NAMED;
use crate::learn::Progress;
use crate::problem::Problem;

impl Problem<'_> {
    /// The clauses of a theory that cover negative examples, those that cover most of them first, each
    /// with the body of a proof of one; of many clauses the first are named.
    pub(super) fn wrongly_covered(
        &self,
        theory: &Theory,
        limits: Limits,
        progress: &mut dyn Progress,
    ) -> Vec<String> {
        let counted_clauses = theory.clauses.iter().zip(&theory.coverage);
        let mut wrong: Vec<(&Clause, usize, usize)> = counted_clauses
            .filter_map(|(clause, coverage)| {
                let first = coverage.negative.ones().next()?;
                Some((clause, first, coverage.negative.count_ones(..)))
            })
            .collect();
        wrong.sort_by_key(|(_, _, n)| std::cmp::Reverse(*n));
        let mut lines = Vec::new();
        for (clause, first, n) in wrong.iter().take(MAX_NAMED) {
            if !progress.keep_verifying() {
                break;
            }
            let example = &self.task().negative[*first];
            let more = match n - 1 {
                0 => String::new(),
                n => format!(
                    " and {}",
                    counted(n, "more negative example", "more negative examples")
                ),
            };
            if clause.body.is_empty() && clause.head == *example {
                let example = print_atom(example, &theory.symbols);
                lines.push(format!("`{example}` is itself a negative example"));
                continue;
            }
            let body = self.body_of_proof(theory, clause, example, limits);
            let shown = |literal| print_literal(literal, &theory.symbols).to_string();
            let body: Vec<String> = body.iter().map(shown).collect();
            let holds = if body.is_empty() { "" } else { ": " };
            lines.push(format!(
                "`{}` covers {}{more}{holds}{}",
                print_clause(clause, &theory.symbols)
                    .to_string()
                    .trim_end_matches('.'),
                print_atom(example, &theory.symbols),
                body.join(", ")
            ));
        }
        if wrong.len() > MAX_NAMED {
            let n = wrong.len() - MAX_NAMED;
            lines.push(format!(
                "{} negative examples, too",
                counted(n, "more clause covers", "more clauses cover")
            ));
        }
        lines
    }

    /// The literals of a clause with the values of a proof of an example, the shortest if the theory
    /// calls its own predicates; none if it cannot be found within the limits.
    fn body_of_proof(
        &self,
        theory: &Theory,
        clause: &Clause,
        example: &Atom,
        limits: Limits,
    ) -> Vec<Literal> {
        let defined = |literal: &Literal| {
            let predicate = literal.atom.predicate();
            (theory.clauses.iter()).any(|own| own.head.predicate() == predicate)
        };
        if theory
            .clauses
            .iter()
            .any(|own| own.body.iter().any(defined))
        {
            let mut task = self.task().clone();
            task.symbols = theory.symbols.clone();
            return match task.explain(&theory.clauses, example, limits) {
                Ok(explanation) => match explanation.reason {
                    // The shortest proof may be another clause's.
                    Reason::Proof(goal) if matches!(&goal.by, By::Rule(by) if **by == *clause) => {
                        goal.body.into_iter().map(|own| own.literal).collect()
                    }
                    _ => Vec::new(),
                },
                Err(_) => Vec::new(),
            };
        }
        let Some(body) = called(clause, example) else {
            return Vec::new();
        };
        let answers = Prover::new(self.database(), limits).solutions(&body, 1);
        let answer = answers.ok().and_then(|own| own.bindings.into_iter().next());
        answer.map_or(Vec::new(), |answer| {
            body.iter().map(|own| valued(own, &answer)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::{Limits, read_clauses};

    use crate::learn::{Hypothesis, NoProgress, Stop};
    use crate::{Problem, Source, Task};

    fn why(clauses: &str) -> String {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source(
                "exs.pl",
                "pos(anc(a,b)). pos(anc(a,c)). neg(anc(b,a)). neg(anc(a,x)). neg(anc(b,c)).",
            ),
            source("bk.pl", "par(a,b). par(b,c). par(c,x). odd(b)."),
            source(
                "bias.pl",
                "head_pred(anc,2). body_pred(par,2). body_pred(odd,1). enable_recursion.",
            ),
        )
        .expect("a task");
        let clauses = read_clauses(clauses, &mut task.symbols).expect("valid");
        let problem = Problem::new(&mut task).expect("sound");
        let learned = Hypothesis::new(clauses, Stop::Complete, 1);
        let theory = problem.theory("test", learned, Limits::default());
        let theory = theory.expect("verified");
        let why = problem.why_not_all(&theory, Limits::default(), &mut NoProgress);
        why.covered.join("\n")
    }

    #[test]
    fn a_wrong_clause_is_named_with_what_holds() {
        insta::assert_snapshot!(
            why("anc(A,B) :- par(A,B)."),
            @"`anc(A,B) :- par(A,B)` covers anc(b,c): par(b,c)"
        );
        insta::assert_snapshot!(
            why("anc(A,B) :- par(C,B)."),
            @"`anc(A,B) :- par(C,B)` covers anc(a,x) and 1 more negative example: par(c,x)"
        );
        insta::assert_snapshot!(why("anc(a,B)."), @"`anc(a,A)` covers anc(a,x)");
    }

    #[test]
    fn what_a_recursive_theory_proves_is_shown_by_its_shortest_proof() {
        insta::assert_snapshot!(why("anc(A,B) :- par(A,B). anc(A,B) :- par(A,C), anc(C,B)."), @r"
        `anc(A,B) :- par(A,B)` covers anc(b,c): par(b,c)
        `anc(A,B) :- par(A,C), anc(C,B)` covers anc(a,x): par(a,b), anc(b,x)
        ");
    }
}
