use super::{Arg, EQUALS, Lit, Problem};
use crate::term::{Atom, Clause, Literal, Symbol, Term};

/// The clause in terms, with equal variables merged and constants put in place.
pub(in crate::learn) fn decode(problem: &Problem, target: Symbol, lits: &[Lit]) -> Clause {
    let n_head = problem.head_kinds.len();
    let n_vars = n_head + lits.iter().map(Lit::n_new).sum::<usize>();
    // Equality literals are carried out instead of being printed.
    let mut value: Vec<Term> = (0u32..).take(n_vars).map(Term::var).collect();
    for lit in lits.iter().filter(|l| l.relation == EQUALS && l.positive) {
        let of = |arg: &Arg| match arg {
            Arg::Const(constant) => problem.terms[*constant as usize].clone(),
            Arg::Var(var) => value[*var as usize].clone(),
            Arg::New => unreachable!("equalities introduce no variables"),
        };
        let (mut from, mut to) = (of(&lit.args[1]), of(&lit.args[0]));
        if !matches!(from, Term::Var(_)) {
            std::mem::swap(&mut from, &mut to);
        }
        if matches!(from, Term::Var(_)) {
            value
                .iter_mut()
                .filter(|v| **v == from)
                .for_each(|v| *v = to.clone());
        }
    }
    let mut next = n_head;
    let mut body = Vec::new();
    for lit in lits {
        let args: Vec<Term> = (lit.args.iter())
            .map(|arg| match arg {
                Arg::Var(var) => value[*var as usize].clone(),
                Arg::Const(constant) => problem.terms[*constant as usize].clone(),
                Arg::New => {
                    next += 1;
                    value[next - 1].clone()
                }
            })
            .collect();
        if lit.relation != EQUALS {
            let name = problem.relations[lit.relation as usize].predicate.name;
            body.push(Literal {
                positive: lit.positive,
                atom: Atom::new(name, args),
            });
        } else if !lit.positive {
            body.push(Literal::positive(Atom::new(Symbol::NOT_EQUALS, args)));
        }
    }
    let head = Atom::new(target, value[..n_head].iter().cloned());
    Clause::new(head, body).normalized()
}
