use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::Draft;
use super::feature::Label;
use super::lexicon::{Code, Kind, Lexicon, is_var, var};
use super::pattern::{Pattern, Row};
use crate::coverage::BitSet;

const NONE: usize = usize::MAX;

/// The least general generalization of two patterns of the same components, considering labels,
/// after the variable connection constraint.
///
/// # Source
/// Morales 1992, Table 5.4 and sections 5.2.3.1 and 5.2.3.2.
pub(super) fn generalization(
    left: &Pattern,
    right: &Pattern,
    lexicon: &Lexicon,
    connection: Connection<'_>,
) -> Pattern {
    let Some(mut draft) = Draft::new(left, right, lexicon) else {
        // The descriptions have one place for each attribute of the same components.
        return left.clone();
    };
    connect(&mut draft, connection);
    merge_moves(&mut draft, connection);
    draft.into_pattern(left)
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
fn connect(draft: &mut Draft<'_>, connection: Connection<'_>) {
    loop {
        let before = (draft.body.len(), draft.components.len());
        drop_empty_moves(draft);
        drop_lone_complements(draft);
        drop_unconnected(draft, connection.by);
        drop_truths(draft);
        if connection.keep == KeepComponents::Connected {
            drop_components(draft, connection.key);
        }
        if before == (draft.body.len(), draft.components.len()) {
            return;
        }
    }
}

/// Moves after which nothing is said, and what is said after moves that are gone.
fn drop_empty_moves(draft: &mut Draft<'_>) {
    let (mut said, mut reached): (FxHashSet<Code>, FxHashSet<Code>) = Default::default();
    for row in &draft.body {
        if draft.kind_of(*row).after {
            said.extend(draft.state(*row));
        } else {
            reached.extend(draft.next(*row));
        }
    }
    draft.retain(|draft, _, row| {
        let kind = draft.kind_of(row);
        let is_in = |states: &FxHashSet<Code>, own: Option<Code>| {
            own.is_some_and(|state| states.contains(&state))
        };
        if kind.after {
            is_in(&reached, draft.state(row))
        } else {
            !kind.is_move() || is_in(&said, draft.next(row))
        }
    });
}

/// Complements before a move (section 5.2.2.3) when no move is left that brings about what they
/// deny.
fn drop_lone_complements(draft: &mut Draft<'_>) {
    let there = draft.kinds_of_body();
    let denies = |before: &Kind| {
        there.iter().any(|after| {
            after.after
                && after.positive
                && after.predicate() == before.predicate()
                && (before.labels.iter().zip(after.labels.iter()))
                    .all(|(b, a)| a == b || *a == Label::Free)
        })
    };
    let is_lone = |kind: &&Kind| !kind.after && !kind.positive && !denies(kind);
    let lone: Vec<&Kind> = there.iter().copied().filter(is_lone).collect();
    if !lone.is_empty() {
        draft.retain(|draft, _, row| {
            let own = draft.kind_of(row);
            !lone.iter().any(|kind| std::ptr::eq(*kind, own))
        });
    }
}

/// The variables that stand for attributes of relevant components.
fn component_vars(draft: &Draft<'_>) -> BitSet {
    let described = draft.description.iter().flat_map(|row| draft.labeled(*row));
    let mut vars = BitSet::with_capacity(var(draft.n_vars) as usize);
    vars.extend(
        described
            .filter(|(label, code)| matches!(label, Label::Of { .. }) && is_var(*code))
            .map(|(_, code)| code as usize),
    );
    vars
}

fn drop_unconnected(draft: &mut Draft<'_>, by: ConnectedBy) {
    let of_components = component_vars(draft);
    // The variables of each literal that stand neither for a state nor for a component's attribute,
    // and for each the literal and the place before at which it is the same.
    let mut own: Vec<Code> = Vec::new();
    let mut uses: Vec<(usize, usize)> = Vec::new();
    let mut last = vec![NONE; var(draft.n_vars) as usize];
    let mut ends: Vec<usize> = Vec::with_capacity(draft.body.len());
    for (i, row) in draft.body.iter().enumerate() {
        let start = own.len();
        for (label, code) in draft.labeled(*row) {
            if !matches!(label, Label::State | Label::Next)
                && is_var(code)
                && !of_components.contains(code as usize)
                && !own[start..].contains(&code)
            {
                let before = std::mem::replace(&mut last[code as usize], own.len());
                own.push(code);
                uses.push((i, before));
            }
        }
        ends.push(own.len());
    }
    let own_of = |i: usize| {
        let start = if i == 0 { 0 } else { ends[i - 1] };
        &own[start..ends[i]]
    };
    let users = |var: Code| {
        let first = uses.get(last[var as usize]);
        let users = std::iter::successors(first, |(_, before)| uses.get(*before));
        users.map(|(literal, _)| *literal)
    };
    let body = draft.body.clone();
    draft.retain(|draft, i, row| {
        let vars = own_of(i);
        let kind = draft.kind_of(row);
        let Some(first) = vars.first().filter(|_| !kind.is_move()) else {
            return true;
        };
        users(*first).any(|j| {
            let other = body[j];
            let shares = |codes: &[Code]| codes.iter().any(|code| vars.contains(code));
            draft.kind_of(other).predicate().name != kind.predicate().name
                && match by {
                    ConnectedBy::Variables => vars.iter().all(|var| own_of(j).contains(var)),
                    ConnectedBy::Arguments => (draft.args(row))
                        .filter(|(codes, _)| shares(codes))
                        .all(|arg| draft.args(other).any(|own| own == arg)),
                }
        })
    });
}

/// Ground facts of the background, which are true everywhere, unless they speak of constants that
/// the description still has.
fn drop_truths(draft: &mut Draft<'_>) {
    let described = draft.description.iter().flat_map(|row| draft.codes(*row));
    let described: FxHashSet<Code> = described.copied().filter(|code| !is_var(*code)).collect();
    draft.retain(|draft, _, row| {
        let mut labels = draft.kind_of(row).labels.iter();
        let codes = draft.codes(row);
        let truth =
            labels.all(|label| *label == Label::Free) && !codes.iter().any(|code| is_var(*code));
        !truth || codes.iter().all(|code| described.contains(code))
    });
}

/// Components whose place is unknown and of which nothing is said.
fn drop_components(draft: &mut Draft<'_>, key: &[usize]) {
    let is_known = |row: Row, component: usize| {
        key.iter().any(|&attribute| {
            let own = Label::Of {
                component,
                attribute,
            };
            let mut places = draft.labeled(row);
            let place = places.find(|(label, _)| *label == own);
            place.is_none_or(|(_, code)| !is_var(code))
        })
    };
    let there = draft.kinds_of_body();
    let is_said = |component| {
        there
            .iter()
            .any(|kind| kind.concerns(|own| own == component))
    };
    let kept: Vec<bool> = (draft.components.iter().zip(&draft.description))
        .map(|(&component, &row)| is_known(row, component) || is_said(component))
        .collect();
    let mut keep = kept.iter();
    draft.components.retain(|_| *keep.next().unwrap_or(&true));
    let mut keep = kept.iter();
    draft.description.retain(|_| *keep.next().unwrap_or(&true));
}

/// Drops moves of which another move says as much: where several moves of two examples do the same,
/// each pair of them would stay.
fn merge_moves(draft: &mut Draft<'_>, connection: Connection<'_>) {
    let of_components = component_vars(draft);
    let (said, moves): (Vec<Row>, Vec<Row>) = {
        let after = draft
            .body
            .iter()
            .copied()
            .filter(|row| draft.kind_of(*row).after);
        let is_move = |row: &Row| draft.kind_of(*row).is_move();
        (
            after.collect(),
            draft.body.iter().copied().filter(is_move).collect(),
        )
    };
    let mut consequences: FxHashMap<Option<Code>, Vec<Row>> = FxHashMap::default();
    for row in said {
        consequences.entry(draft.state(row)).or_default().push(row);
    }
    let following = |row: Row| {
        let own = consequences.get(&draft.next(row));
        own.map_or(&[][..], Vec::as_slice)
    };
    let fitting = Fitting {
        draft,
        of_components: &of_components,
    };
    let mut dropped = vec![false; moves.len()];
    for (b, &own) in moves.iter().enumerate() {
        let own = (own, following(own));
        dropped[b] = moves.iter().enumerate().any(|(a, &other)| {
            // Of two that say the same the first one stays.
            let other = (other, following(other));
            a != b
                && !dropped[a]
                && fitting.embeds(own, other)
                && (a < b || !fitting.embeds(other, own))
        });
    }
    let gone: FxHashSet<Code> = (moves.iter().zip(&dropped))
        .filter(|(_, dropped)| **dropped)
        .filter_map(|(row, _)| draft.next(*row))
        .collect();
    if !dropped.contains(&true) {
        return;
    }
    draft.retain(|draft, _, row| {
        let state = if draft.kind_of(row).is_move() {
            draft.next(row)
        } else {
            draft.state(row)
        };
        !state.is_some_and(|state| gone.contains(&state))
    });
    connect(draft, connection);
}

/// Compares literals up to variables that describe no component.
struct Fitting<'d> {
    draft: &'d Draft<'d>,
    of_components: &'d BitSet,
}

impl Fitting<'_> {
    /// Whether a move and what follows it hold wherever another move and what follows that one do.
    fn embeds(
        &self,
        (general, following): (Row, &[Row]),
        (special, implied): (Row, &[Row]),
    ) -> bool {
        let mut bindings = Vec::new();
        self.fits(general, special, &mut bindings)
            && following.iter().all(|l| {
                implied.iter().any(|m| {
                    let n = bindings.len();
                    let fits = self.fits(*l, *m, &mut bindings);
                    bindings.truncate(n);
                    fits
                })
            })
    }

    fn fits(&self, general: Row, special: Row, bindings: &mut Vec<(Code, Code)>) -> bool {
        general.kind == special.kind
            && (self.draft.labeled(general).zip(self.draft.codes(special))).all(
                |((label, a), &b)| {
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
                },
            )
    }
}
