use kibitz_prolog::{Atom, Clause, Predicate, Term, Var};
use rustc_hash::FxHashMap;

use crate::encoded::number;
use crate::eval::{Arg, Lit};

/// Relations of a flattened clause: the head, literals by sign, and function symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Relation {
    Head(Predicate),
    Literal(Predicate, bool),
    Functor(Predicate),
}

/// A function-free matching problem.
#[derive(Debug, Default)]
pub(super) struct MatchingProblem {
    /// Literals of the general clause, each of which must be some tuple of its relation. Constants
    /// are terms of the specific clause.
    pub(super) constraints: Vec<Lit>,
    /// Tuples of term numbers, relation by relation.
    pub(super) relations: Vec<Vec<Vec<u32>>>,
    /// Slots of the variables that the general clause has itself; the rest stand for its compound
    /// terms.
    pub(super) named_vars: Vec<(Var, u32)>,
    pub(super) n_slots: u32,
}

/// Numbers the terms of the specific clause and lists its tuples.
#[derive(Default)]
struct Target {
    terms: FxHashMap<Term, u32>,
    list: Vec<Term>,
    relations: FxHashMap<Relation, usize>,
    tuples: Vec<Vec<Vec<u32>>>,
}

impl Target {
    fn term(&mut self, term: &Term) -> u32 {
        // From a term to its last argument in a loop, so that long lists take no stack.
        let mut open = Vec::new();
        let mut term = term;
        let mut last = loop {
            if let Some(&number) = self.terms.get(term) {
                break number;
            }
            let number = number(self.list.len());
            self.terms.insert(term.clone(), number);
            self.list.push(term.clone());
            let Some((relation, rest, last)) = parts(term) else {
                break number;
            };
            let mut tuple = vec![number];
            tuple.extend(rest.iter().map(|arg| self.term(arg)));
            open.push((relation, tuple));
            term = last;
        };
        while let Some((relation, mut tuple)) = open.pop() {
            tuple.push(last);
            last = tuple[0];
            self.tuple(relation, tuple);
        }
        last
    }

    fn tuple(&mut self, relation: Relation, tuple: Vec<u32>) {
        let next = self.tuples.len();
        let index = *self.relations.entry(relation).or_insert(next);
        if index == next {
            self.tuples.push(Vec::new());
        }
        self.tuples[index].push(tuple);
    }

    fn atom(&mut self, relation: Relation, atom: &Atom) {
        let tuple = atom.args.iter().map(|arg| self.term(arg)).collect();
        self.tuple(relation, tuple);
    }
}

/// Builds the matching problem and the list of terms; `None` if some predicate, function symbol or
/// constant of the general clause does not occur in the specific one at all.
pub(super) fn flatten(general: &Clause, specific: &Clause) -> Option<(MatchingProblem, Vec<Term>)> {
    let mut target = Target::default();
    target.atom(Relation::Head(specific.head.predicate()), &specific.head);
    for literal in &specific.body {
        target.atom(
            Relation::Literal(literal.atom.predicate(), literal.positive),
            &literal.atom,
        );
    }
    let mut pattern = Pattern {
        target: &target,
        problem: MatchingProblem::default(),
        vars: FxHashMap::default(),
    };
    pattern.atom(Relation::Head(general.head.predicate()), &general.head)?;
    for literal in &general.body {
        pattern.atom(
            Relation::Literal(literal.atom.predicate(), literal.positive),
            &literal.atom,
        )?;
    }
    let mut problem = pattern.problem;
    problem.relations = target.tuples;
    Some((problem, target.list))
}

struct Pattern<'a> {
    target: &'a Target,
    problem: MatchingProblem,
    vars: FxHashMap<Var, u32>,
}

impl Pattern<'_> {
    fn fresh(&mut self) -> u32 {
        self.problem.n_slots += 1;
        self.problem.n_slots - 1
    }

    fn atom(&mut self, relation: Relation, atom: &Atom) -> Option<()> {
        let pattern = atom
            .args
            .iter()
            .map(|arg| self.slot(arg))
            .collect::<Option<_>>()?;
        self.constraint(relation, pattern)
    }

    fn constraint(&mut self, relation: Relation, pattern: Vec<Arg>) -> Option<()> {
        let relation = number(*self.target.relations.get(&relation)?);
        let constraints = &mut self.problem.constraints;
        constraints.push(Lit::positive(relation, pattern));
        Some(())
    }

    fn slot(&mut self, term: &Term) -> Option<Arg> {
        let mut open = Vec::new();
        let mut term = term;
        let mut last = loop {
            if let Term::Var(var) = term {
                if let Some(&slot) = self.vars.get(var) {
                    break Arg::Var(slot);
                }
                let slot = self.fresh();
                self.vars.insert(*var, slot);
                self.problem.named_vars.push((*var, slot));
                break Arg::Var(slot);
            }
            if term.is_ground() {
                break Arg::Const(*self.target.terms.get(term)?);
            }
            let (relation, rest, last) = parts(term)?;
            let mut pattern = vec![Arg::Var(self.fresh())];
            for arg in rest {
                pattern.push(self.slot(arg)?);
            }
            open.push((relation, pattern));
            term = last;
        };
        while let Some((relation, mut pattern)) = open.pop() {
            pattern.push(last);
            last = pattern[0];
            self.constraint(relation, pattern)?;
        }
        Some(last)
    }
}

/// The relation that a compound term is a tuple of, and its arguments but the last, and the last.
fn parts(term: &Term) -> Option<(Relation, &[Term], &Term)> {
    let Term::Compound(name, args) = term else {
        return None;
    };
    let (last, rest) = args.split_last()?;
    let functor = Predicate {
        name: *name,
        arity: args.len(),
    };
    Some((Relation::Functor(functor), rest, last))
}
