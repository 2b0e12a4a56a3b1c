use super::{Arg, Lit, Problem};
use crate::term::{Atom, Clause, Literal, Symbol, Term};

/// The clause in terms, with equal variables merged and constants put in place.
pub(in crate::learn) fn decode(problem: &Problem, target: Symbol, lits: &[Lit]) -> Clause {
    let n_head = problem.head_kinds.len();
    let n_vars = n_head + lits.iter().map(Lit::n_new).sum::<usize>();
    // Equality literals are carried out instead of being printed.
    let mut value: Vec<Term> = (0u32..).take(n_vars).map(Term::var).collect();
    for lit in lits {
        match lit {
            Lit::Same {
                left,
                right,
                positive: true,
            } => {
                let (from, to) = (
                    value[*right as usize].clone(),
                    value[*left as usize].clone(),
                );
                let (from, to) = if matches!(from, Term::Var(_)) {
                    (from, to)
                } else {
                    (to, from)
                };
                value
                    .iter_mut()
                    .filter(|v| **v == from)
                    .for_each(|v| *v = to.clone());
            }
            Lit::Value {
                var,
                value: constant,
                positive: true,
            } => {
                let from = value[*var as usize].clone();
                let to = problem.terms[*constant as usize].clone();
                if matches!(from, Term::Var(_)) {
                    value
                        .iter_mut()
                        .filter(|v| **v == from)
                        .for_each(|v| *v = to.clone());
                }
            }
            _ => {}
        }
    }
    let mut next = n_head;
    let mut body = Vec::new();
    for lit in lits {
        match lit {
            Lit::Rel {
                relation,
                args,
                positive,
            } => {
                let name = problem.relations[*relation as usize].predicate.name;
                let args: Vec<Term> = args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Var(var) => value[*var as usize].clone(),
                        Arg::Const(constant) => problem.terms[*constant as usize].clone(),
                        Arg::New => {
                            next += 1;
                            value[next - 1].clone()
                        }
                    })
                    .collect();
                body.push(Literal {
                    positive: *positive,
                    atom: Atom::new(name, args),
                });
            }
            Lit::Same {
                left,
                right,
                positive: false,
            } => {
                let args = [
                    value[*left as usize].clone(),
                    value[*right as usize].clone(),
                ];
                body.push(Literal::positive(Atom::new(Symbol::NOT_EQUALS, args)));
            }
            Lit::Value {
                var,
                value: constant,
                positive: false,
            } => {
                let args = [
                    value[*var as usize].clone(),
                    problem.terms[*constant as usize].clone(),
                ];
                body.push(Literal::positive(Atom::new(Symbol::NOT_EQUALS, args)));
            }
            Lit::Same { .. } | Lit::Value { .. } => {}
        }
    }
    let head = Atom::new(target, value[..n_head].iter().cloned());
    Clause::new(head, body).normalized()
}
