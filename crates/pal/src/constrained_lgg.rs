//! The constrained least general generalization of bottom clauses.

use kibitz_prolog::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::feature::Label;
use crate::interning::{Interner, LiteralKind, TermId, is_var, var};
use crate::labeled_lgg::LabeledLgg;
use crate::literals::Row;
use crate::pattern::Pattern;

const NONE: usize = usize::MAX;

/// The constrained least general generalization of two patterns of the same components: only
/// literals with equal labels are generalized together, the variable connection constraint drops
/// literals, and redundant moves are reduced. With bottom clauses as patterns this is a constrained
/// relative least general generalization (rlgg).
///
/// # Source
/// Morales 1992, Table 5.4 and sections 5.2.3.1 and 5.2.3.2.
pub(crate) fn constrained_lgg(
    left: &Pattern,
    right: &Pattern,
    interner: &Interner,
    connection: Connection<'_>,
) -> Pattern {
    let Some(mut lgg) = LabeledLgg::new(left, right, interner) else {
        // Descriptions of the same components have the same length.
        return left.clone();
    };
    connect(&mut lgg, connection);
    reduce_moves(&mut lgg, connection);
    lgg.into_pattern(left)
}

/// Which components a definition keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum KeepComponents {
    /// All of them: all definitions of a concept then have the same arguments.
    All,
    /// Those that occur in the body or still have a constant as key.
    Connected,
}

/// What a literal must share with another one if its variables describe no component.
///
/// # Source
/// Morales 1992, section 5.2.3.1, requires equal variables. The definitions of appendix A fit a
/// narrower interpretation: with a move to `square(E,F)`, none to `square(1,E)` is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ConnectedBy {
    /// The variables.
    Variables,
    /// The arguments that contain the variables, with one other literal: as in appendix A, and the
    /// default.
    Arguments,
    /// Each of these arguments, with a literal of its own, as in the definitions of appendix C: a
    /// distance after a move shares its square with the move and its value with a comparison.
    EachArgument,
}

/// Settings of the variable connection constraint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection<'k> {
    pub(crate) keep: KeepComponents,
    /// The key attributes of a component.
    pub(crate) key: &'k [usize],
    pub(crate) by: ConnectedBy,
}

/// Applies the variable connection constraint until nothing changes.
///
/// # Source
/// Morales 1992, section 5.2.3.1. The thesis leaves open how a variable that occurs in several
/// literals of one predicate counts; we call a variable connected if it describes a component, is
/// the target of a move that changes something, or occurs in literals of two predicates.
fn connect(lgg: &mut LabeledLgg<'_>, connection: Connection<'_>) {
    loop {
        let before = (lgg.body.len(), lgg.components.len());
        drop_empty_moves(lgg);
        drop_lone_complements(lgg);
        drop_unconnected(lgg, connection.by);
        drop_truths(lgg);
        if connection.keep == KeepComponents::Connected {
            drop_components(lgg, connection.key);
        }
        if before == (lgg.body.len(), lgg.components.len()) {
            return;
        }
    }
}

/// Drops moves without literals about their successor, and literals about a successor without its
/// move.
fn drop_empty_moves(lgg: &mut LabeledLgg<'_>) {
    let (mut described, mut reached): (FxHashSet<TermId>, FxHashSet<TermId>) = Default::default();
    for row in &lgg.body {
        if lgg.kind_of(*row).after {
            described.extend(lgg.state(*row));
        } else {
            reached.extend(lgg.next(*row));
        }
    }
    lgg.retain(|lgg, _, row| {
        let kind = lgg.kind_of(row);
        let is_in = |states: &FxHashSet<TermId>, own: Option<TermId>| {
            own.is_some_and(|state| states.contains(&state))
        };
        if kind.after {
            is_in(&reached, lgg.state(row))
        } else {
            !kind.is_move() || is_in(&described, lgg.next(row))
        }
    });
}

/// Drops complements (section 5.2.2.3), negated literals before a move, if no move adds the fact
/// that they deny.
fn drop_lone_complements(lgg: &mut LabeledLgg<'_>) {
    let kinds = lgg.kinds_of_body();
    let denies = |before: &LiteralKind| {
        kinds.iter().any(|after| {
            after.after
                && after.positive
                && after.predicate() == before.predicate()
                && (before.labels.iter().zip(after.labels.iter()))
                    .all(|(b, a)| a == b || *a == Label::Free)
        })
    };
    let is_lone = |kind: &&LiteralKind| !kind.after && !kind.positive && !denies(kind);
    let lone: Vec<&LiteralKind> = kinds.iter().copied().filter(is_lone).collect();
    if !lone.is_empty() {
        lgg.retain(|lgg, _, row| {
            let own = lgg.kind_of(row);
            !lone.iter().any(|kind| std::ptr::eq(*kind, own))
        });
    }
}

/// The variables that describe relevant components, as a bit set.
fn component_vars(lgg: &LabeledLgg<'_>) -> BitSet {
    let described = lgg.description.iter().flat_map(|row| lgg.labeled(*row));
    let mut vars = BitSet::with_capacity(var(lgg.n_vars) as usize);
    vars.extend(
        described
            .filter(|(label, id)| matches!(label, Label::Of { .. }) && is_var(*id))
            .map(|(_, id)| id as usize),
    );
    vars
}

/// Drops literals whose variables are not connected.
fn drop_unconnected(lgg: &mut LabeledLgg<'_>, by: ConnectedBy) {
    let of_components = component_vars(lgg);
    // The other variables of all literals, states aside. Each use of a variable holds its literal and
    // the index of the variable's previous use.
    let mut own: Vec<TermId> = Vec::new();
    let mut uses: Vec<(usize, usize)> = Vec::new();
    let mut last = vec![NONE; var(lgg.n_vars) as usize];
    let mut ends: Vec<usize> = Vec::with_capacity(lgg.body.len());
    for (i, row) in lgg.body.iter().enumerate() {
        let start = own.len();
        for (label, id) in lgg.labeled(*row) {
            if !matches!(label, Label::State | Label::Next)
                && is_var(id)
                && !of_components.contains(id as usize)
                && !own[start..].contains(&id)
            {
                let before = std::mem::replace(&mut last[id as usize], own.len());
                own.push(id);
                uses.push((i, before));
            }
        }
        ends.push(own.len());
    }
    let own_of = |i: usize| {
        let start = if i == 0 { 0 } else { ends[i - 1] };
        &own[start..ends[i]]
    };
    let users = |var: TermId| {
        let first = uses.get(last[var as usize]);
        let users = std::iter::successors(first, |(_, before)| uses.get(*before));
        users.map(|(literal, _)| *literal)
    };
    let body = lgg.body.clone();
    lgg.retain(|lgg, i, row| {
        let vars = own_of(i);
        let kind = lgg.kind_of(row);
        let Some(first) = vars.first().filter(|_| !kind.is_move()) else {
            return true;
        };
        let shares = |ids: &[TermId]| ids.iter().any(|id| vars.contains(id));
        let mut own_args = lgg.args(row).filter(|(ids, _)| shares(ids));
        let is_other = |j: usize| lgg.kind_of(body[j]).predicate().name != kind.predicate().name;
        let has = |j: usize, arg| lgg.args(body[j]).any(|own| own == arg);
        match by {
            ConnectedBy::Variables => {
                users(*first).any(|j| is_other(j) && vars.iter().all(|var| own_of(j).contains(var)))
            }
            ConnectedBy::Arguments => {
                let own_args: Vec<_> = own_args.collect();
                users(*first).any(|j| is_other(j) && own_args.iter().all(|arg| has(j, *arg)))
            }
            ConnectedBy::EachArgument => own_args.all(|arg| {
                let mut ids = arg.0.iter().filter(|id| vars.contains(id));
                ids.next()
                    .is_some_and(|id| users(*id).any(|j| is_other(j) && has(j, arg)))
            }),
        }
    });
}

/// Drops ground literals that hold in every state, unless their constants are in the description.
fn drop_truths(lgg: &mut LabeledLgg<'_>) {
    let described = lgg.description.iter().flat_map(|row| lgg.ids(*row));
    let described: FxHashSet<TermId> = described.copied().filter(|id| !is_var(*id)).collect();
    lgg.retain(|lgg, _, row| {
        let mut labels = lgg.kind_of(row).labels.iter();
        let ids = lgg.ids(row);
        let truth = labels.all(|label| *label == Label::Free) && !ids.iter().any(|id| is_var(*id));
        !truth || ids.iter().all(|id| described.contains(id))
    });
}

/// Drops components with a variable key that do not occur in the body.
fn drop_components(lgg: &mut LabeledLgg<'_>, key: &[usize]) {
    let is_known = |row: Row, component: usize| {
        key.iter().any(|&attribute| {
            let own = Label::Of {
                component,
                attribute,
            };
            let mut leaves = lgg.labeled(row);
            let leaf = leaves.find(|(label, _)| *label == own);
            leaf.is_none_or(|(_, id)| !is_var(id))
        })
    };
    let kinds = lgg.kinds_of_body();
    let occurs = |component| {
        kinds
            .iter()
            .any(|kind| kind.concerns(|own| own == component))
    };
    let kept: Vec<bool> = (lgg.components.iter().zip(&lgg.description))
        .map(|(&component, &row)| is_known(row, component) || occurs(component))
        .collect();
    let mut keep = kept.iter();
    lgg.components.retain(|_| *keep.next().unwrap_or(&true));
    let mut keep = kept.iter();
    lgg.description.retain(|_| *keep.next().unwrap_or(&true));
}

/// Reduces the moves: drops each move that another one makes redundant. Several equivalent moves in
/// two examples would otherwise leave one move for each pair.
fn reduce_moves(lgg: &mut LabeledLgg<'_>, connection: Connection<'_>) {
    let of_components = component_vars(lgg);
    let (after, moves): (Vec<Row>, Vec<Row>) = {
        let after = lgg
            .body
            .iter()
            .copied()
            .filter(|row| lgg.kind_of(*row).after);
        let is_move = |row: &Row| lgg.kind_of(*row).is_move();
        (
            after.collect(),
            lgg.body.iter().copied().filter(is_move).collect(),
        )
    };
    let mut consequences: FxHashMap<Option<TermId>, Vec<Row>> = FxHashMap::default();
    for row in after {
        consequences.entry(lgg.state(row)).or_default().push(row);
    }
    let following = |row: Row| {
        let own = consequences.get(&lgg.next(row));
        own.map_or(&[][..], Vec::as_slice)
    };
    let subsumption = MoveSubsumption {
        lgg,
        of_components: &of_components,
    };
    let mut dropped = vec![false; moves.len()];
    for (b, &own) in moves.iter().enumerate() {
        let own = (own, following(own));
        dropped[b] = moves.iter().enumerate().any(|(a, &other)| {
            // Of two equivalent moves the first one stays.
            let other = (other, following(other));
            a != b
                && !dropped[a]
                && subsumption.subsumes(own, other)
                && (a < b || !subsumption.subsumes(other, own))
        });
    }
    let dropped_states: FxHashSet<TermId> = (moves.iter().zip(&dropped))
        .filter(|(_, dropped)| **dropped)
        .filter_map(|(row, _)| lgg.next(*row))
        .collect();
    if !dropped.contains(&true) {
        return;
    }
    lgg.retain(|lgg, _, row| {
        let state = if lgg.kind_of(row).is_move() {
            lgg.next(row)
        } else {
            lgg.state(row)
        };
        !state.is_some_and(|state| dropped_states.contains(&state))
    });
    connect(lgg, connection);
}

/// Theta-subsumption between moves, whose substitutions bind only variables that describe no
/// component.
struct MoveSubsumption<'d> {
    lgg: &'d LabeledLgg<'d>,
    of_components: &'d BitSet,
}

impl MoveSubsumption<'_> {
    /// Whether a move with its consequences subsumes another move with its consequences.
    fn subsumes(
        &self,
        (general, following): (Row, &[Row]),
        (special, implied): (Row, &[Row]),
    ) -> bool {
        let mut bindings = Vec::new();
        self.matches(general, special, &mut bindings)
            && following.iter().all(|l| {
                implied.iter().any(|m| {
                    let n = bindings.len();
                    let matches = self.matches(*l, *m, &mut bindings);
                    bindings.truncate(n);
                    matches
                })
            })
    }

    fn matches(&self, general: Row, special: Row, bindings: &mut Vec<(TermId, TermId)>) -> bool {
        general.kind == special.kind
            && (self.lgg.labeled(general).zip(self.lgg.ids(special))).all(|((label, a), &b)| {
                if matches!(label, Label::State | Label::Next) {
                    true
                } else if is_var(a) && !self.of_components.contains(a as usize) {
                    let known = bindings.iter().find(|(var, _)| *var == a);
                    let value = known.map_or(b, |(_, value)| *value);
                    if known.is_none() {
                        bindings.push((a, b));
                    }
                    value == b
                } else {
                    a == b
                }
            })
    }
}
