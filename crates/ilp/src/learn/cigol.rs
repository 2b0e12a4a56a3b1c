//! Cigol's operators: truncation, absorption and intra-construction.
//!
//! They invert resolution, and are judged by how much shorter they make the theory.
//!
//! # Source
//! Muggleton and Buntine 1988; Morales 1992, sections 4.5.1.2 and 5.2.4 (the example-order
//! demonstration).

use std::collections::BTreeSet;

use crate::lgg::Generalizer;
use crate::subsume::subsumes;
use crate::term::{Atom, Clause, Literal, Substitution, Symbol, Term, Var, unify_atoms};

/// Truncation: the least general generalisation of unit clauses; `None` for no atoms or for
/// different predicates.
pub fn truncate(units: &[Atom]) -> Option<Atom> {
    let (first, rest) = units.split_first()?;
    let mut result = first.clone();
    for unit in rest {
        result = Generalizer::new().atoms(&result, unit)?;
    }
    Some(Clause::fact(result).normalized().head)
}

/// Absorption as in Marvin: wherever the body of `with` is part of the clause's body, it is
/// replaced by the head of `with`.
///
/// # Examples
/// ```
/// # use kibitz_ilp::{SymbolTable, read_clause, print_clause, learn::cigol::absorb};
/// let mut symbols = SymbolTable::new();
/// let clause = read_clause("f(X) :- b(X), c(X), e(X)", &mut symbols)?;
/// let with = read_clause("a(X) :- b(X), c(X)", &mut symbols)?;
/// let results = absorb(&clause, &with);
/// assert_eq!(print_clause(&results[0], &symbols).to_string(), "f(A) :- a(A), e(A).");
/// # Ok::<(), kibitz_ilp::ReadErrors>(())
/// ```
pub fn absorb(clause: &Clause, with: &Clause) -> Vec<Clause> {
    if with.body.is_empty() {
        return Vec::new();
    }
    let with = with.shifted(clause.var_bound());
    let mut results: Vec<Clause> = Vec::new();
    let mut used = Vec::new();
    match_body(clause, &with, &Substitution::new(), &mut used, &mut results);
    results
}

/// Tries every way to find the remaining body literals of `with` in the clause's body.
fn match_body(
    clause: &Clause,
    with: &Clause,
    theta: &Substitution,
    used: &mut Vec<usize>,
    results: &mut Vec<Clause>,
) {
    let Some(wanted) = with.body.get(used.len()) else {
        let head = theta.apply_atom(&with.head);
        let first = used.iter().copied().min().unwrap_or(0);
        let mut body = Vec::new();
        for (i, literal) in clause.body.iter().enumerate() {
            if i == first {
                body.push(Literal::positive(head.clone()));
            }
            if !used.contains(&i) {
                body.push(literal.clone());
            }
        }
        let result = Clause {
            head: clause.head.clone(),
            body,
        }
        .normalized();
        if !results.contains(&result) {
            results.push(result);
        }
        return;
    };
    for (i, literal) in clause.body.iter().enumerate() {
        if used.contains(&i) || literal.positive != wanted.positive {
            continue;
        }
        if let Some(theta) = matches(&wanted.atom, &literal.atom, theta) {
            used.push(i);
            match_body(clause, with, &theta, used, results);
            used.pop();
        }
    }
}

/// One-way matching of a pattern against an atom whose variables count as constants.
fn matches(pattern: &Atom, atom: &Atom, theta: &Substitution) -> Option<Substitution> {
    fn term(pattern: &Term, target: &Term, theta: &mut Substitution) -> bool {
        match pattern {
            Term::Var(var) => {
                if let Some(bound) = theta.get(*var) {
                    return bound == target;
                }
                theta.bind(*var, target.clone());
                true
            }
            Term::Const(_) => pattern == target,
            Term::Compound(f, xs) => match target {
                Term::Compound(g, ys) => {
                    f == g
                        && xs.len() == ys.len()
                        && xs.iter().zip(ys.iter()).all(|(x, y)| term(x, y, theta))
                }
                _ => false,
            },
        }
    }
    if pattern.predicate() != atom.predicate() {
        return None;
    }
    let mut theta = theta.clone();
    pattern
        .args
        .iter()
        .zip(atom.args.iter())
        .all(|(x, y)| term(x, y, &mut theta))
        .then_some(theta)
}

/// Absorption of a unit clause: clauses that, resolved with `unit`, give `clause`.
///
/// The condition added is an instance of the unit over terms of the clause's head, and the inverse
/// substitution turns each of those terms into a variable wherever it occurs. Results are ordered
/// by size, the smallest first; the clause itself is not among them.
pub fn absorb_unit(clause: &Clause, unit: &Atom) -> Vec<Clause> {
    let offset = clause.var_bound();
    let unit = unit.map_vars(&mut |var| Term::var(var.0 + offset));
    let mut terms: BTreeSet<Term> = BTreeSet::new();
    for arg in clause.head.args.iter() {
        subterms(arg, &mut terms);
    }
    let terms: Vec<Term> = terms.into_iter().collect();
    let mut results: Vec<Clause> = Vec::new();
    let mut args: Vec<Term> = Vec::new();
    choose_args(clause, &unit, &terms, &mut args, &mut results);
    results.sort_by_key(Clause::size);
    results
}

fn subterms(term: &Term, found: &mut BTreeSet<Term>) {
    found.insert(term.clone());
    if let Term::Compound(_, args) = term {
        args.iter().for_each(|arg| subterms(arg, found));
    }
}

fn choose_args(
    clause: &Clause,
    unit: &Atom,
    terms: &[Term],
    args: &mut Vec<Term>,
    results: &mut Vec<Clause>,
) {
    if args.len() < unit.args.len() {
        for term in terms {
            args.push(term.clone());
            choose_args(clause, unit, terms, args, results);
            args.pop();
        }
        return;
    }
    let condition = Atom::new(unit.name, args.iter().cloned());
    if condition == clause.head || matches(unit, &condition, &Substitution::new()).is_none() {
        return;
    }
    let mut body = clause.body.clone();
    body.push(Literal::positive(condition));
    let mut result = Clause {
        head: clause.head.clone(),
        body,
    };
    let next = result.var_bound();
    let mut places: Vec<Term> = args
        .iter()
        .filter(|arg| !matches!(arg, Term::Var(_)))
        .cloned()
        .collect();
    // Larger terms first, so that a term is replaced before its parts are.
    places.sort_by_key(|term| std::cmp::Reverse(term.size()));
    places.dedup();
    for (var, place) in (next..).zip(places) {
        result = replace(&result, &place, &Term::var(var));
    }
    let result = result.normalized();
    // A condition that repeats the head says nothing.
    let circular = result
        .body
        .iter()
        .any(|literal| literal.atom == result.head);
    if !circular && !results.contains(&result) {
        results.push(result);
    }
}

fn replace(clause: &Clause, from: &Term, to: &Term) -> Clause {
    fn term(t: &Term, from: &Term, to: &Term) -> Term {
        if t == from {
            return to.clone();
        }
        match t {
            Term::Compound(name, args) => {
                Term::Compound(*name, args.iter().map(|arg| term(arg, from, to)).collect())
            }
            other => other.clone(),
        }
    }
    let atom = |a: &Atom| Atom::new(a.name, a.args.iter().map(|arg| term(arg, from, to)));
    Clause {
        head: atom(&clause.head),
        body: clause
            .body
            .iter()
            .map(|l| Literal {
                positive: l.positive,
                atom: atom(&l.atom),
            })
            .collect(),
    }
}

/// Intra-construction: what two clauses share becomes one clause that calls a new predicate, which
/// is defined by what is left of each.
///
/// Returns the shared clause and the two definitions, or `None` if the heads have different
/// predicates or nothing is left of one of the clauses.
pub fn intra_construct(first: &Clause, second: &Clause, name: Symbol) -> Option<[Clause; 3]> {
    let second = second.shifted(first.var_bound());
    let mut generalizer = Generalizer::new();
    let head = generalizer.atoms(&first.head, &second.head)?;
    let mut shared = Vec::new();
    let mut taken = vec![false; second.body.len()];
    let mut left_over = Vec::new();
    for a in &first.body {
        // A pair is shared if its generalisation does no more than rename variables.
        let partner = second.body.iter().enumerate().position(|(j, b)| {
            let mut attempt = generalizer.clone();
            !taken[j]
                && a.positive == b.positive
                && attempt.atoms(&a.atom, &b.atom).is_some()
                && only_renames(&attempt.pairs(), generalizer.len())
        });
        match partner {
            Some(j) => {
                taken[j] = true;
                let atom = generalizer.atoms(&a.atom, &second.body[j].atom)?;
                shared.push(Literal {
                    positive: a.positive,
                    atom,
                });
            }
            None => left_over.push(a.clone()),
        }
    }
    let right_over: Vec<Literal> = second
        .body
        .iter()
        .zip(&taken)
        .filter(|(_, taken)| !**taken)
        .map(|(l, _)| l.clone())
        .collect();
    if left_over.is_empty() || right_over.is_empty() {
        return None;
    }
    // The new predicate is about those variables whose values the rests speak of.
    let pairs = generalizer.pairs();
    let mentions = |body: &[Literal], term: &Term| {
        body.iter().any(|literal| {
            let mut found = BTreeSet::new();
            literal
                .atom
                .args
                .iter()
                .for_each(|arg| subterms(arg, &mut found));
            found.contains(term)
        })
    };
    let args: Vec<(Var, Term, Term)> = pairs
        .into_iter()
        .filter(|(_, left, right)| mentions(&left_over, left) || mentions(&right_over, right))
        .collect();
    let call = Atom::new(name, args.iter().map(|(var, ..)| Term::Var(*var)));
    shared.push(Literal::positive(call));
    let left_head = Atom::new(name, args.iter().map(|(_, left, _)| left.clone()));
    let right_head = Atom::new(name, args.iter().map(|(_, _, right)| right.clone()));
    Some([
        Clause { head, body: shared }.normalized(),
        Clause {
            head: left_head,
            body: left_over,
        }
        .normalized(),
        Clause {
            head: right_head,
            body: right_over,
        }
        .normalized(),
    ])
}

/// Whether the pairs from `known` on are pairs of variables, each in no other pair.
fn only_renames(pairs: &[(Var, Term, Term)], known: usize) -> bool {
    pairs
        .iter()
        .enumerate()
        .skip(known)
        .all(|(i, (_, left, right))| {
            matches!((left, right), (Term::Var(_), Term::Var(_)))
                && pairs[..i].iter().all(|(_, l, r)| l != left && r != right)
        })
}

/// Symbols saved when clauses are replaced by others; negative if the theory grows.
pub fn compression(removed: &[Clause], added: &[Clause]) -> i64 {
    let size = |clauses: &[Clause]| clauses.iter().map(Clause::size).sum::<usize>();
    i64::try_from(size(removed)).unwrap_or(i64::MAX) - i64::try_from(size(added)).unwrap_or(0)
}

/// A theory under construction, one example at a time: the example-order demonstration.
///
/// A new unit clause is kept unless it follows already; with a bias towards short theories it is
/// then truncated with like unit clauses and absorbed, and each step is put to the user.
#[derive(Clone, Debug, Default)]
pub struct Cigol {
    theory: Vec<Clause>,
}

impl Cigol {
    /// An empty theory.
    pub fn new() -> Self {
        Self::default()
    }

    /// The present theory.
    pub fn theory(&self) -> &[Clause] {
        &self.theory
    }

    /// Takes an example. Returns whether it was new.
    pub fn tell(&mut self, example: Atom) -> bool {
        let example = Clause::fact(example).normalized();
        if self.theory.iter().any(|clause| subsumes(clause, &example)) {
            return false;
        }
        self.theory.push(example);
        true
    }

    /// Generalises as long as something makes the theory shorter and `accept` agrees: the user, who
    /// sees each new clause. Returns the clauses accepted, in order.
    pub fn generalise(&mut self, mut accept: impl FnMut(&Clause) -> bool) -> Vec<Clause> {
        let mut accepted = Vec::new();
        let mut refused: BTreeSet<Clause> = BTreeSet::new();
        loop {
            let mut proposals = self.proposals();
            proposals.retain(|(gain, clause, _)| *gain > 0 && !refused.contains(clause));
            proposals.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            let Some((_, clause, removed)) = proposals.into_iter().next() else {
                return accepted;
            };
            if accept(&clause) {
                self.theory
                    .retain(|own| !removed.contains(own) && !subsumes(&clause, own));
                self.theory.push(clause.clone());
                accepted.push(clause);
            } else {
                refused.insert(clause);
            }
        }
    }

    /// Possible steps: symbols saved, the new clause, and the clauses it replaces.
    fn proposals(&self) -> Vec<(i64, Clause, Vec<Clause>)> {
        let units: Vec<&Clause> = self
            .theory
            .iter()
            .filter(|clause| clause.body.is_empty())
            .collect();
        let mut proposals = Vec::new();
        for (i, a) in units.iter().enumerate() {
            for b in &units[i + 1..] {
                if let Some(head) = truncate(&[a.head.clone(), b.head.clone()]) {
                    let clause = Clause::fact(head);
                    let removed: Vec<Clause> = self
                        .theory
                        .iter()
                        .filter(|own| subsumes(&clause, own))
                        .cloned()
                        .collect();
                    proposals.push((
                        compression(&removed, std::slice::from_ref(&clause)),
                        clause,
                        removed,
                    ));
                }
            }
            for b in &units {
                if a == b {
                    continue;
                }
                for clause in absorb_unit(a, &b.head) {
                    // The resolvent must be the clause that is replaced.
                    let removed = vec![(*a).clone()];
                    proposals.push((
                        compression(&removed, std::slice::from_ref(&clause)),
                        clause,
                        removed,
                    ));
                }
            }
        }
        proposals
    }
}

/// Whether resolving a clause's last condition with a unit clause gives an instance that subsumes
/// `expected`: the law absorption obeys.
pub fn resolves_to(clause: &Clause, unit: &Atom, expected: &Clause) -> bool {
    let Some((last, rest)) = clause.body.split_last() else {
        return false;
    };
    let unit = unit.map_vars(&mut |var| Term::var(var.0 + clause.var_bound()));
    unify_atoms(&last.atom, &unit).is_some_and(|theta| {
        let resolvent = Clause {
            head: clause.head.clone(),
            body: rest.to_vec(),
        };
        subsumes(&theta.apply_clause(&resolvent), expected)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SymbolTable, print_atom, print_clause, read_clause, read_clauses};

    #[test]
    fn truncation_of_the_member_examples() {
        let mut symbols = SymbolTable::new();
        let units: Vec<Atom> = read_clauses(
            "member(a,[a]). member(1,[1,2]). member(f,[f,g,h]).",
            &mut symbols,
        )
        .expect("valid")
        .into_iter()
        .map(|clause| clause.head)
        .collect();
        let lgg = truncate(&units).expect("one predicate");
        assert_eq!(print_atom(&lgg, &symbols).to_string(), "member(A,[A|B])");
    }

    #[test]
    fn absorption_finds_the_recursive_clause() {
        // (8'') of the thesis: member(A,[B|C]) :- member(A,C), from (6') and (8').
        let mut symbols = SymbolTable::new();
        let clause = read_clause("member(A,[B,C,A,D|E])", &mut symbols).expect("valid");
        let unit = read_clause("member(A,[B,A,C|D])", &mut symbols)
            .expect("valid")
            .head;
        let results = absorb_unit(&clause, &unit);
        let texts: Vec<String> = results
            .iter()
            .map(|c| print_clause(c, &symbols).to_string())
            .collect();
        assert!(
            texts.contains(&"member(A,[B|C]) :- member(A,C).".to_owned()),
            "{texts:?}"
        );
        assert!(
            results
                .iter()
                .all(|result| resolves_to(result, &unit, &clause))
        );
    }

    #[test]
    fn absorption_depends_on_the_clause_chosen() {
        let mut symbols = SymbolTable::new();
        let example = read_clause("f :- b, c, e", &mut symbols).expect("valid");
        for (with, expected) in [("a :- b, c", "f :- a, e."), ("d :- c, e", "f :- b, d.")] {
            let with = read_clause(with, &mut symbols).expect("valid");
            let results = absorb(&example, &with);
            assert_eq!(print_clause(&results[0], &symbols).to_string(), expected);
        }
    }

    #[test]
    fn intra_construction_invents_a_predicate() {
        let mut symbols = SymbolTable::new();
        let first =
            read_clause("grand(X,Z) :- parent(X,Y), father(Y,Z)", &mut symbols).expect("valid");
        let second =
            read_clause("grand(X,Z) :- parent(X,Y), mother(Y,Z)", &mut symbols).expect("valid");
        let name = symbols.intern("new");
        let clauses = intra_construct(&first, &second, name).expect("something is shared");
        let texts: Vec<String> = clauses
            .iter()
            .map(|c| print_clause(c, &symbols).to_string())
            .collect();
        assert_eq!(
            texts,
            [
                "grand(A,B) :- parent(A,C), new(B,C).",
                "new(A,B) :- father(B,A).",
                "new(A,B) :- mother(B,A).",
            ]
        );
    }

    #[test]
    fn the_order_of_examples_matters() {
        let learn = |examples: &str| -> Vec<String> {
            let mut symbols = SymbolTable::new();
            let mut cigol = Cigol::new();
            let target = read_clauses(
                "member(A,[A|B]). member(A,[B|C]) :- member(A,C).",
                &mut symbols,
            )
            .expect("valid");
            // The user knows what follows from the intended definition.
            let truth = read_clauses("member(A,[B,A|C]). member(A,[B,C,A|D]).", &mut symbols)
                .expect("valid");
            for example in read_clauses(examples, &mut symbols).expect("valid") {
                cigol.tell(example.head);
                cigol.generalise(|clause| target.iter().chain(&truth).any(|t| subsumes(t, clause)));
            }
            cigol
                .theory()
                .iter()
                .map(|c| print_clause(c, &symbols).to_string())
                .collect()
        };
        let good = learn(
            "member(a,[a]). member(1,[1,2]). member(f,[f,g,h]). member(1,[1]). member(1,[2,1,3]). \
             member(a,[b,a,c,d]). member(1,[3,2,1,4]). member(b,[c,d,b,e,f]).",
        );
        assert!(good.contains(&"member(A,[A|B]).".to_owned()), "{good:?}");
    }
}
