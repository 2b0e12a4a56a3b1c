use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::feature::{Label, leaves};
use super::pattern::{Labeled, Pattern};
use crate::lgg::{Compatible, LiteralRef, lgg_clauses_with};
use crate::term::{Symbol, Term, Var};

/// Only literals with the same labels are generalized together.
struct ByLabel<'p> {
    left: Vec<&'p Labeled>,
    right: Vec<&'p Labeled>,
}

impl Compatible for ByLabel<'_> {
    fn literals(&self, left: LiteralRef, right: LiteralRef) -> bool {
        match (left, right) {
            (LiteralRef::Body(i), LiteralRef::Body(j)) => {
                let (a, b) = (self.left[i], self.right[j]);
                a.after == b.after && a.labels == b.labels
            }
            (a, b) => a == b,
        }
    }
}

/// The least general generalization of two patterns of the same components, considering labels,
/// after the variable connection constraint.
///
/// # Source
/// Morales 1992, Table 5.4 and sections 5.2.3.1 and 5.2.3.2.
pub(super) fn generalization(
    left: &Pattern,
    right: &Pattern,
    connection: Connection<'_>,
) -> Pattern {
    let name = Symbol::TRUE;
    let (a, b) = (left.labeled_clause(name), right.labeled_clause(name));
    let labels = ByLabel {
        left: left.literals().collect(),
        right: right.literals().collect(),
    };
    let Some(lgg) = lgg_clauses_with(&a, &b, &labels) else {
        // The heads have one place for each attribute of the same components.
        return left.clone();
    };
    let mut literals = lgg
        .clause
        .body
        .into_iter()
        .zip(&lgg.parents)
        .map(|(literal, &(i, _))| Labeled {
            literal,
            labels: Arc::clone(&labels.left[i].labels),
            after: labels.left[i].after,
        });
    let n = left.description.len();
    let description: Vec<Labeled> = literals.by_ref().take(n).collect();
    let state = description
        .first()
        .and_then(|d| d.at(Label::State))
        .cloned()
        .unwrap_or_else(|| left.state.clone());
    let mut pattern = Pattern {
        components: left.components.clone(),
        state,
        description,
        body: literals.collect(),
    };
    connect(&mut pattern, connection);
    merge_moves(&mut pattern, connection);
    pattern
}

/// Whether components that nothing is said about stay in the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum KeepComponents {
    /// Keep all of them: all definitions of a concept then have the same arguments.
    All,
    /// Keep those that are connected to the body.
    Connected,
}

/// What two literals must share where a variable describes no component.
///
/// # Source
/// Morales 1992, section 5.2.3.1 speaks of equal variables. The definitions of appendix A fit a
/// narrower reading: where a piece can go to `square(E,F)`, no move to `square(1,E)` stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ConnectedBy {
    /// The variables.
    Variables,
    /// The arguments in which the variables occur: what appendix A does, and the default.
    Arguments,
}

/// How the variable connection constraint is applied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection<'k> {
    pub(super) keep: KeepComponents,
    /// The attributes that say where a component is.
    pub(super) key: &'k [usize],
    pub(super) by: ConnectedBy,
}

/// The variable connection constraint.
///
/// # Source
/// Morales 1992, section 5.2.3.1. The thesis leaves open how a variable that occurs in several
/// literals of one predicate counts; we call a variable connected if it describes a component, is
/// the goal of a move that changes something, or occurs in literals of two predicates.
fn connect(pattern: &mut Pattern, connection: Connection<'_>) {
    loop {
        let before = (pattern.body.len(), pattern.components.len());
        drop_empty_moves(pattern);
        drop_lone_complements(pattern);
        drop_unconnected(pattern, connection.by);
        drop_truths(pattern);
        if connection.keep == KeepComponents::Connected {
            drop_components(pattern, connection.key);
        }
        if before == (pattern.body.len(), pattern.components.len()) {
            return;
        }
    }
}

/// Moves after which nothing is said, and what is said after moves that are gone.
fn drop_empty_moves(pattern: &mut Pattern) {
    let states = |after: bool| -> FxHashSet<Term> {
        let label = if after { Label::State } else { Label::Next };
        (pattern.body.iter())
            .filter(|l| l.after == after)
            .filter_map(|l| l.at(label).cloned())
            .collect()
    };
    let (said, reached) = (states(true), states(false));
    pattern.body.retain(|l| {
        if l.after {
            l.at(Label::State)
                .is_some_and(|state| reached.contains(state))
        } else if l.is_move() {
            l.at(Label::Next).is_some_and(|state| said.contains(state))
        } else {
            true
        }
    });
}

/// Complements before a move (section 5.2.2.3) when no move is left that brings about what they
/// deny.
fn drop_lone_complements(pattern: &mut Pattern) {
    let denies = |before: &Labeled, after: &Labeled| {
        before.literal.atom.predicate() == after.literal.atom.predicate()
            && (before.labels.iter().zip(after.labels.iter()))
                .all(|(b, a)| a == b || *a == Label::Free)
    };
    let after = || (pattern.body.iter()).filter(|l| l.after && l.literal.positive);
    let keep: Vec<bool> = (pattern.body.iter())
        .map(|l| l.after || l.literal.positive || after().any(|a| denies(l, a)))
        .collect();
    let mut keep = keep.into_iter();
    pattern.body.retain(|_| keep.next().unwrap_or(true));
}

/// The variables of a literal that stand neither for a state nor for a component's attribute.
fn own_vars(literal: &Labeled, of_components: &FxHashSet<Var>) -> Vec<Var> {
    let mut vars: Vec<Var> = (literal.labels.iter().zip(leaves(&literal.literal.atom)))
        .filter_map(|(label, leaf)| match (label, leaf) {
            (Label::State | Label::Next, _) => None,
            (_, Term::Var(var)) if !of_components.contains(var) => Some(*var),
            _ => None,
        })
        .collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}

fn drop_unconnected(pattern: &mut Pattern, by: ConnectedBy) {
    let of_components = pattern.component_vars();
    let own: Vec<Vec<Var>> = (pattern.body.iter())
        .map(|l| own_vars(l, &of_components))
        .collect();
    let mut users: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
    for (i, vars) in own.iter().enumerate() {
        for var in vars {
            users.entry(*var).or_default().push(i);
        }
    }
    let connected = |i: usize| {
        let literal = &pattern.body[i];
        if literal.is_move() || own[i].is_empty() {
            return true;
        }
        let of_own = |arg: &&Term| own[i].iter().any(|var| arg.contains_var(*var));
        let args: Vec<&Term> = literal.literal.atom.args.iter().filter(of_own).collect();
        users[&own[i][0]].iter().any(|&j| {
            let other = &pattern.body[j].literal.atom;
            other.name != literal.literal.atom.name
                && match by {
                    ConnectedBy::Variables => own[i].iter().all(|var| own[j].contains(var)),
                    ConnectedBy::Arguments => args.iter().all(|arg| other.args.contains(arg)),
                }
        })
    };
    let keep: Vec<bool> = (0..pattern.body.len()).map(connected).collect();
    let mut keep = keep.into_iter();
    pattern.body.retain(|_| keep.next().unwrap_or(true));
}

/// Ground facts of the background, which are true everywhere, unless they speak of constants that
/// the description still has.
fn drop_truths(pattern: &mut Pattern) {
    let described: FxHashSet<Term> = (pattern.description.iter())
        .flat_map(|d| leaves(&d.literal.atom))
        .filter(|leaf| matches!(leaf, Term::Const(_)))
        .cloned()
        .collect();
    pattern.body.retain(|l| {
        let truth =
            l.labels.iter().all(|label| *label == Label::Free) && l.literal.atom.is_ground();
        !truth
            || leaves(&l.literal.atom)
                .into_iter()
                .all(|leaf| described.contains(leaf))
    });
}

/// Components whose place is unknown and of which nothing is said.
fn drop_components(pattern: &mut Pattern, key: &[usize]) {
    let relevant = |pattern: &Pattern, component: usize| {
        let known = key
            .iter()
            .any(|&attribute| !matches!(pattern.value(component, attribute), Some(Term::Var(_))));
        known || pattern.body.iter().any(|l| l.concerns(component))
    };
    let kept: Vec<bool> = (pattern.components.iter())
        .map(|&component| relevant(pattern, component))
        .collect();
    let mut keep = kept.iter();
    pattern.components.retain(|_| *keep.next().unwrap_or(&true));
    let mut keep = kept.iter();
    pattern
        .description
        .retain(|_| *keep.next().unwrap_or(&true));
}

/// Drops moves of which another move says as much: where several moves of two examples do the same,
/// each pair of them would stay.
fn merge_moves(pattern: &mut Pattern, connection: Connection<'_>) {
    let of_components = pattern.component_vars();
    let moves: Vec<usize> = (0..pattern.body.len())
        .filter(|&i| pattern.body[i].is_move())
        .collect();
    let consequences: Vec<Vec<&Labeled>> = moves
        .iter()
        .map(|&i| {
            let next = pattern.body[i].at(Label::Next);
            let mine = |l: &&Labeled| l.after && l.at(Label::State) == next;
            pattern.body.iter().filter(mine).collect()
        })
        .collect();
    let mut dropped: Vec<usize> = Vec::new();
    for (b, &i) in moves.iter().enumerate() {
        let redundant = moves.iter().enumerate().any(|(a, &j)| {
            // Of two that say the same the first one stays.
            let other = (&pattern.body[j], consequences[a].as_slice());
            let own = (&pattern.body[i], consequences[b].as_slice());
            a != b
                && !dropped.contains(&a)
                && embeds(own, other, &of_components)
                && (a < b || !embeds(other, own, &of_components))
        });
        if redundant {
            dropped.push(b);
        }
    }
    if dropped.is_empty() {
        return;
    }
    let gone: FxHashSet<Term> = dropped
        .iter()
        .filter_map(|&b| pattern.body[moves[b]].at(Label::Next).cloned())
        .collect();
    pattern.body.retain(|l| {
        let label = if l.is_move() {
            Label::Next
        } else {
            Label::State
        };
        !l.at(label).is_some_and(|state| gone.contains(state))
    });
    connect(pattern, connection);
}

/// Whether a move and what follows it hold wherever another move and what follows that one do.
fn embeds(
    (general, following): (&Labeled, &[&Labeled]),
    (special, implied): (&Labeled, &[&Labeled]),
    of_components: &FxHashSet<Var>,
) -> bool {
    let mut bindings: FxHashMap<Var, Term> = FxHashMap::default();
    fits(general, special, of_components, &mut bindings)
        && following.iter().all(|l| {
            implied
                .iter()
                .any(|m| fits(l, m, of_components, &mut bindings.clone()))
        })
}

fn fits(
    general: &Labeled,
    special: &Labeled,
    of_components: &FxHashSet<Var>,
    bindings: &mut FxHashMap<Var, Term>,
) -> bool {
    let same = general.labels == special.labels
        && general.literal.positive == special.literal.positive
        && general.literal.atom.predicate() == special.literal.atom.predicate();
    if !same {
        return false;
    }
    let (left, right) = (leaves(&general.literal.atom), leaves(&special.literal.atom));
    general
        .labels
        .iter()
        .zip(left.iter().zip(right))
        .all(|(label, (a, b))| match (label, a) {
            (Label::State | Label::Next, _) => true,
            (_, Term::Var(var)) if !of_components.contains(var) => {
                bindings.entry(*var).or_insert_with(|| b.clone()) == b
            }
            _ => *a == b,
        })
}
