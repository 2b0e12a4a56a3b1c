//! Decoding: clauses in numbers back in terms.

use kibitz_prolog::{Atom, Clause, Literal, Symbol, Term};

use super::{Arg, EQUALS, Lit};
use crate::encoded::EncodedProblem;

/// A clause over the head arguments of a problem, in terms.
pub(crate) fn decode(problem: &EncodedProblem, target: Symbol, lits: &[Lit]) -> Clause {
    let head = (0u32..).take(problem.head_kinds.len()).map(Arg::Var);
    let head: Vec<Arg> = head.collect();
    let name = |relation| problem.relations[relation as usize].predicate.name;
    decode_clause(target, &head, lits, &problem.terms, name).normalized()
}

/// A clause in terms, with equal variables merged and constants put in place. `constants` are its
/// constants by number, `name` names the relations of its literals.
///
/// The variables of the head come first; those that literals introduce without a number follow in
/// their order.
pub(crate) fn decode_clause(
    target: Symbol,
    head: &[Arg],
    lits: &[Lit],
    constants: &[Term],
    name: impl Fn(u32) -> Symbol,
) -> Clause {
    let args = || lits.iter().flat_map(|lit| &*lit.args);
    let n_named = |args: &mut dyn Iterator<Item = &Arg>| {
        let last = args.filter_map(|arg| arg.var()).max();
        last.map_or(0, |var| var as usize + 1)
    };
    let n_head = n_named(&mut head.iter());
    let n_new = args().filter(|arg| **arg == Arg::New).count();
    let n_vars = n_named(&mut args()).max(n_head + n_new);
    let value = merged(lits, constants, n_vars);
    let mut next = n_head;
    let mut term = |arg: &Arg| match *arg {
        Arg::Var(var) => value[var as usize].clone(),
        Arg::Const(constant) => constants[constant as usize].clone(),
        Arg::New => {
            next += 1;
            value[next - 1].clone()
        }
    };
    let head = Atom::new(target, head.iter().map(&mut term));
    let mut body = Vec::with_capacity(lits.len());
    for lit in lits {
        let args = lit.args.iter().map(&mut term);
        if lit.relation != EQUALS {
            body.push(Literal {
                positive: lit.positive,
                atom: Atom::new(name(lit.relation), args),
            });
        } else if !lit.positive {
            body.push(Literal::positive(Atom::new(Symbol::NOT_EQUALS, args)));
        }
    }
    Clause::new(head, body)
}

/// The terms that variables stand for once the positive equalities are carried out.
pub(crate) fn merged(lits: &[Lit], constants: &[Term], n_vars: usize) -> Vec<Term> {
    let mut value: Vec<Term> = (0u32..).take(n_vars).map(Term::var).collect();
    for lit in lits.iter().filter(|l| l.relation == EQUALS && l.positive) {
        let of = |arg: &Arg| match arg {
            Arg::Const(constant) => constants[*constant as usize].clone(),
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
    value
}
