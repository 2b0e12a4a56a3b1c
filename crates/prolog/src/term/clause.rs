//! Normal clauses.

use rustc_hash::FxHashMap;

use super::{Atom, Literal, Term, Var};

/// A normal clause `head :- body.`: the head holds if all literals of the body do.
///
/// Variables are local to the clause. Clauses from the reader and from [`Clause::normalized`]
/// number them from 0 in the order of their first occurrence, head first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clause {
    /// The consequence.
    pub head: Atom,
    /// The conditions; empty for a fact.
    pub body: Vec<Literal>,
}

impl Clause {
    /// The clause with this head and body.
    #[inline]
    pub fn new(head: Atom, body: Vec<Literal>) -> Self {
        Self { head, body }
    }

    /// A fact: a clause without a body.
    #[inline]
    pub fn fact(head: Atom) -> Self {
        Self {
            head,
            body: Vec::new(),
        }
    }

    /// Head and body atoms, head first.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        std::iter::once(&self.head).chain(self.body.iter().map(|literal| &literal.atom))
    }

    /// Number of literals, the head included.
    #[inline]
    pub fn len(&self) -> usize {
        1 + self.body.len()
    }

    /// Always false: a clause has a head.
    #[inline]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Number of occurrences of symbols, constants and variables.
    pub fn size(&self) -> usize {
        self.atoms()
            .map(|atom| 1 + atom.args.iter().map(Term::size).sum::<usize>())
            .sum()
    }

    /// Whether no variable occurs.
    #[inline]
    pub fn is_ground(&self) -> bool {
        self.atoms().all(Atom::is_ground)
    }

    /// Whether its head is one of its own conditions, so that it says nothing.
    #[inline]
    pub fn is_tautology(&self) -> bool {
        let mut body = self.body.iter();
        body.any(|literal| literal.positive && literal.atom == self.head)
    }

    /// Calls `visit` for every occurrence of a variable, head first.
    pub fn for_each_var(&self, visit: &mut impl FnMut(Var)) {
        self.atoms().for_each(|atom| atom.for_each_var(visit));
    }

    /// One more than the largest variable number, 0 for a ground clause.
    pub fn var_bound(&self) -> u32 {
        let mut bound = 0;
        self.for_each_var(&mut |var| bound = bound.max(var.0 + 1));
        bound
    }

    /// The clause with every variable replaced.
    #[must_use]
    pub fn map_vars(&self, replace: &mut impl FnMut(Var) -> Term) -> Clause {
        Clause {
            head: self.head.map_vars(replace),
            body: self
                .body
                .iter()
                .map(|literal| literal.map_vars(replace))
                .collect(),
        }
    }

    /// The clause with variables renumbered by first occurrence.
    ///
    /// # Panics
    /// With more than 2³² variables.
    #[must_use]
    pub fn normalized(&self) -> Clause {
        let mut numbers: FxHashMap<Var, u32> = FxHashMap::default();
        self.map_vars(&mut |var| {
            let next = u32::try_from(numbers.len()).expect("fewer than 2^32 variables");
            Term::var(*numbers.entry(var).or_insert(next))
        })
    }

    /// The clause with `offset` added to every variable number, to standardize two clauses apart.
    #[must_use]
    pub fn shifted(&self, offset: u32) -> Clause {
        self.map_vars(&mut |var| Term::var(var.0 + offset))
    }
}
