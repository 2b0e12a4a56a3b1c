use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::feature::{Label, leaves, map_leaves};
use crate::term::{Atom, Clause, Literal, Symbol, Term};

/// A literal and the labels of its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Labeled {
    pub(super) literal: Literal,
    pub(super) labels: Arc<[Label]>,
    /// Whether it speaks of a state after a move.
    pub(super) after: bool,
}

impl Labeled {
    /// The term at the place with this label.
    pub(super) fn at(&self, label: Label) -> Option<&Term> {
        let place = self.labels.iter().position(|own| *own == label)?;
        leaves(&self.literal.atom).get(place).copied()
    }

    /// Whether this is a move.
    pub(super) fn is_move(&self) -> bool {
        self.labels.contains(&Label::Next)
    }
}

/// A pattern definition: which components are involved, and what must hold.
///
/// # Source
/// Morales 1992, section 5.1.2, equation (5.1): the description is the `D`s, the body the `F`s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Places of the relevant components in the example.
    pub(super) components: Vec<usize>,
    /// The state the clause starts in.
    pub(super) state: Term,
    /// One literal for each relevant component.
    pub(super) description: Vec<Labeled>,
    pub(super) body: Vec<Labeled>,
}

impl Pattern {
    /// The same of some of its components: without the literals that concern others.
    pub(super) fn restricted(&self, relevant: &[usize]) -> Self {
        let foreign = |label: &Label| matches!(label, Label::Of { component, .. } if !relevant.contains(component));
        let own = |literals: &[Labeled]| {
            let kept = literals.iter().filter(|l| !l.labels.iter().any(foreign));
            kept.cloned().collect()
        };
        Self {
            components: relevant.to_vec(),
            state: self.state.clone(),
            description: own(&self.description),
            body: own(&self.body),
        }
    }

    /// All literals, the description first.
    pub(super) fn literals(&self) -> impl Iterator<Item = &Labeled> {
        self.description.iter().chain(&self.body)
    }

    /// Number of literals in which an argument occurs, by its labels.
    pub(super) fn n_literals(&self, labels: &[Label]) -> usize {
        self.literals()
            .filter(|literal| labels.iter().any(|label| literal.labels.contains(label)))
            .count()
    }

    /// The value of an attribute in the definition, `None` for an irrelevant component.
    pub(super) fn value(&self, component: usize, attribute: usize) -> Option<&Term> {
        let place = self.components.iter().position(|&c| c == component)?;
        self.description[place].at(Label::Of {
            component,
            attribute,
        })
    }

    /// One more than the largest variable number.
    pub(super) fn var_bound(&self) -> u32 {
        let mut bound = 0;
        for l in self.literals() {
            let atom = &l.literal.atom;
            atom.for_each_var(&mut |var| bound = bound.max(var.0 + 1));
        }
        bound
    }

    /// The body with the start state replaced.
    pub(super) fn goals(&self, state: &Term) -> Vec<Literal> {
        self.literals()
            .map(|l| {
                let mut labels = l.labels.iter();
                let atom = map_leaves(&l.literal.atom, &mut |leaf| {
                    if labels.next() == Some(&Label::State) && *leaf == self.state {
                        state.clone()
                    } else {
                        leaf.clone()
                    }
                });
                Literal {
                    positive: l.literal.positive,
                    atom,
                }
            })
            .collect()
    }

    /// The definition as a clause with the head of Table 5.4: the arguments that describe the
    /// relevant components, then those that occur only in the body, then the state.
    pub(super) fn to_clause(&self, name: Symbol) -> Clause {
        let mut states: FxHashMap<Term, Term> = FxHashMap::default();
        let mut bound = self.var_bound();
        let mut rename = |l: &Labeled| {
            let mut labels = l.labels.iter();
            let atom = map_leaves(&l.literal.atom, &mut |leaf| match labels.next() {
                Some(Label::State | Label::Next) if !matches!(leaf, Term::Var(_)) => states
                    .entry(leaf.clone())
                    .or_insert_with(|| {
                        bound += 1;
                        Term::var(bound - 1)
                    })
                    .clone(),
                _ => leaf.clone(),
            });
            Literal {
                positive: l.literal.positive,
                atom,
            }
        };
        let literals: Vec<Literal> = self.literals().map(&mut rename).collect();
        let state = states.get(&self.state).unwrap_or(&self.state).clone();
        let n_described = self.description.len();
        let mut args: Vec<Term> = Vec::new();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        for (i, (literal, l)) in literals.iter().zip(self.literals()).enumerate() {
            let mut place = 0;
            for arg in literal.atom.args.iter() {
                let mut n = 0;
                arg.all_parts(&mut |part| {
                    n += usize::from(!matches!(part, Term::Compound(..)));
                    true
                });
                let own = &l.labels[place..place + n];
                place += n;
                let is_state = own.iter().any(|l| matches!(l, Label::State | Label::Next));
                if !is_state && (seen.insert(arg.clone()) || i < n_described) {
                    args.push(arg.clone());
                    if i < n_described {
                        let own = Atom::new(name, [arg.clone()]);
                        seen.extend(leaves(&own).into_iter().cloned());
                    }
                }
            }
        }
        args.push(state);
        Clause {
            head: Atom::new(name, args),
            body: literals,
        }
        .normalized()
    }
}
