use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{FactBase, Source};
use super::feature::{Feature, Label, Role, map_leaves};
use super::pattern::{Labeled, Pattern};
use super::{Component, Example, Novelty, PalError};
use crate::term::{Atom, Constant, Literal, Real, Term};

/// Patterns remembered before all of them are forgotten.
const MAX_REMEMBERED: usize = 256;

/// An atom and the labels of its places.
type LabeledAtom = (Atom, Arc<[Label]>);

/// One move out of a state.
struct Move {
    /// The transition's values.
    row: Vec<Constant>,
    /// The state it leads to.
    next: Constant,
    /// The component that moves, before and after.
    before: Component,
    after: Component,
    /// Components that are no longer there.
    gone: Vec<Component>,
    /// Components of the next state.
    components: Vec<Component>,
}

/// Derives patterns from examples.
pub(super) struct Deriver<'a> {
    pub(super) base: FactBase<'a>,
    novelty: Novelty,
    tokens: u32,
    /// Patterns of examples with all their components.
    known: FxHashMap<Example, Pattern>,
    /// Labels met, so that literals with the same labels share them.
    labels: FxHashSet<Arc<[Label]>>,
}

impl<'a> Deriver<'a> {
    pub(super) fn new(base: FactBase<'a>, novelty: Novelty) -> Self {
        Self {
            base,
            novelty,
            tokens: 0,
            known: FxHashMap::default(),
            labels: FxHashSet::default(),
        }
    }

    /// A name for a state of one clause. States of different examples must never be taken for the
    /// same one, even if they are, so that clauses have names of their own for them.
    fn token(&mut self) -> Term {
        self.tokens += 1;
        Term::Const(Constant::Real(Real(f64::from(self.tokens))))
    }

    fn feature(&self, index: usize) -> &'a Feature {
        &self.base.background.features[index]
    }

    /// The moves out of a state.
    fn moves(&mut self, state: Constant) -> Result<Vec<Move>, PalError> {
        let mut moves = Vec::new();
        let Some(transition) = &self.base.background.transition else {
            return Ok(moves);
        };
        let here = self.base.components(state)?;
        let next = transition.roles.iter().position(|r| *r == Role::Next);
        for row in self.base.facts(state, Source::Transition)?.rows() {
            let Some(next) = next.map(|place| row[place]) else {
                continue;
            };
            let moves_here = |component: &&Component| {
                let mut places = transition.roles.iter().zip(row);
                places.all(|(role, place)| match role {
                    Role::Of {
                        part: 0, attribute, ..
                    } => *place == component[*attribute],
                    _ => true,
                })
            };
            let mover = here.iter().find(moves_here);
            let components = self.base.components(next)?;
            let after = components
                .iter()
                .find(|component| !here.contains(component));
            let (Some(mover), Some(after)) = (mover, after) else {
                continue;
            };
            let gone = here
                .iter()
                .filter(|c| *c != mover && !components.contains(c));
            moves.push(Move {
                next,
                before: mover.clone(),
                after: after.clone(),
                gone: gone.cloned().collect(),
                components,
                row: row.to_vec(),
            });
        }
        Ok(moves)
    }

    /// The atom that describes a component.
    pub(super) fn describe(&self, component: &[Constant], state: &Term) -> Atom {
        let mut roles = self.base.description.roles.iter();
        map_leaves(
            &self.base.description.atom,
            &mut |leaf| match roles.next() {
                Some(Role::Of { attribute, .. }) => Term::Const(component[*attribute]),
                Some(Role::State) => state.clone(),
                _ => leaf.clone(),
            },
        )
    }

    /// The labels of the description of a component.
    fn description_labels(&self, component: usize) -> Arc<[Label]> {
        let label = |role: &Role| match *role {
            Role::Of { attribute, .. } => Label::Of {
                component,
                attribute,
            },
            Role::State => Label::State,
            Role::Next | Role::Free => Label::Free,
        };
        self.base.description.roles.iter().map(label).collect()
    }

    /// The pattern clause of an example, with literals that concern no other components than these.
    ///
    /// # Source
    /// Morales 1992, section 5.2.2, equations (5.4) and (5.5), and 5.2.3.3.
    pub(super) fn pattern(
        &mut self,
        example: &Example,
        relevant: &[usize],
        dynamic: bool,
    ) -> Result<Pattern, PalError> {
        if let Some(known) = self.known.get(example) {
            return Ok(known.restricted(relevant));
        }
        let whole = self.derived(example, dynamic)?;
        let pattern = whole.restricted(relevant);
        if self.known.len() == MAX_REMEMBERED {
            self.known.clear();
        }
        self.known.insert(example.clone(), whole);
        Ok(pattern)
    }

    fn derived(&mut self, example: &Example, dynamic: bool) -> Result<Pattern, PalError> {
        let state = self.base.domain.state(example);
        let token = self.token();
        let mut body = Builder::default();
        let all: Vec<(usize, &[Constant])> = example
            .iter()
            .enumerate()
            .map(|(i, component)| (i, component.as_slice()))
            .collect();
        let description = (example.iter().enumerate())
            .map(|(c, component)| Labeled {
                literal: Literal::positive(self.describe(component, &token)),
                labels: self.description_labels(c),
                after: false,
            })
            .collect();
        let n_features = self.base.background.features.len();
        let mut here = Vec::with_capacity(n_features);
        for f in 0..n_features {
            let feature = self.feature(f);
            let facts = self.base.facts(state, Source::Feature(f))?;
            let mut labeled = Vec::new();
            for row in facts.rows() {
                for labels in feature.labels(row, &all) {
                    labeled.push((placed(feature, row, &labels, &token, &token), labels));
                }
            }
            for (atom, labels) in &labeled {
                body.push(true, atom.clone(), Arc::clone(labels), false);
            }
            here.push(labeled);
        }
        if dynamic {
            let moves = self.moves(state)?;
            for made in &moves {
                let next = self.token();
                self.add_move(example, &all, made, &here, (&token, &next), &mut body)?;
            }
        }
        let mut pattern = Pattern {
            components: (0..example.len()).collect(),
            state: token,
            description,
            body: body.literals,
        };
        for literal in pattern.description.iter_mut().chain(&mut pattern.body) {
            if let Some(known) = self.labels.get(&literal.labels) {
                literal.labels = Arc::clone(known);
            } else {
                self.labels.insert(Arc::clone(&literal.labels));
            }
        }
        Ok(pattern)
    }

    /// The literals that change with a move, with the move before them; nothing if none changes.
    fn add_move(
        &mut self,
        example: &Example,
        all: &[(usize, &[Constant])],
        made: &Move,
        here: &[Vec<LabeledAtom>],
        (token, next): (&Term, &Term),
        body: &mut Builder,
    ) -> Result<(), PalError> {
        let Some(mover) = example.iter().position(|c| *c == made.before) else {
            return Ok(());
        };
        let mut before: Vec<LabeledAtom> = Vec::new();
        let mut after: Vec<(bool, LabeledAtom)> = Vec::new();
        for gone in &made.gone {
            if let Some(c) = example.iter().position(|component| component == gone) {
                after.push((
                    false,
                    (self.describe(gone, next), self.description_labels(c)),
                ));
            }
        }
        let there: Vec<(usize, &[Constant])> = made
            .components
            .iter()
            .filter_map(|component| {
                let same = example.iter().position(|own| own == component);
                let index = if *component == made.after {
                    Some(mover)
                } else {
                    same
                };
                index.map(|index| (index, component.as_slice()))
            })
            .collect();
        let changed = |label: &Label| {
            matches!(label, Label::Of { component, attribute }
                if *component == mover && made.before[*attribute] != made.after[*attribute])
        };
        for (f, own) in here.iter().enumerate() {
            let feature = self.feature(f);
            if !feature.has_state() {
                continue;
            }
            let mut known: FxHashSet<Vec<Label>> = FxHashSet::default();
            if self.novelty == Novelty::Components {
                known.extend(own.iter().map(|(_, labels)| feature.required(labels)));
            }
            let mut lasting: FxHashSet<Vec<Label>> = FxHashSet::default();
            let there_now = self.base.facts(made.next, Source::Feature(f))?;
            if own.is_empty() || self.novelty == Novelty::Components {
                for row in there_now.rows() {
                    for labels in feature.labels(row, &there) {
                        let required = feature.required(&labels);
                        if known.contains(&required) {
                            lasting.insert(required);
                            continue;
                        }
                        let mut places = labels.iter().zip(row);
                        let old = map_leaves(&feature.atom, &mut |leaf| match places.next() {
                            Some((Label::State, _)) => token.clone(),
                            Some((label @ Label::Of { attribute, .. }, _)) if changed(label) => {
                                Term::Const(made.before[*attribute])
                            }
                            Some((_, value)) => Term::Const(*value),
                            None => leaf.clone(),
                        });
                        let free = labels.contains(&Label::Free);
                        // Of other components it may have been true.
                        if !free && own.iter().all(|(atom, _)| *atom != old) {
                            before.push((old, Arc::clone(&labels)));
                        }
                        let now: Arc<[Label]> = labels
                            .iter()
                            .map(|l| if changed(l) { Label::Free } else { *l })
                            .collect();
                        after.push((true, (placed(feature, row, &now, next, next), now)));
                    }
                }
            }
            if self.novelty == Novelty::Components || there_now.is_empty() {
                for (atom, labels) in own.iter().filter(|(_, l)| !l.contains(&Label::Free)) {
                    // Of other components it may still be true.
                    let holds = there_now.rows().any(|row| feature.says(row, atom));
                    if holds || lasting.contains(&feature.required(labels)) {
                        continue;
                    }
                    after.push((false, (moved(atom, labels, next), Arc::clone(labels))));
                }
            }
        }
        let Some(transition) = self.base.background.transition.as_ref() else {
            return Ok(());
        };
        if after.is_empty() {
            return Ok(());
        }
        for (atom, labels) in before {
            body.push(false, atom, labels, false);
        }
        for labels in transition.labels(&made.row, all) {
            let atom = placed(transition, &made.row, &labels, token, next);
            body.push(true, atom, labels, false);
        }
        for (positive, (atom, labels)) in after {
            body.push(positive, atom, labels, true);
        }
        Ok(())
    }
}

/// Collects the literals of a body without repetition.
#[derive(Default)]
struct Builder {
    seen: FxHashSet<(Literal, Arc<[Label]>)>,
    literals: Vec<Labeled>,
}

impl Builder {
    fn push(&mut self, positive: bool, atom: Atom, labels: Arc<[Label]>, after: bool) {
        let literal = Literal { positive, atom };
        if !self.seen.insert((literal.clone(), Arc::clone(&labels))) {
            return;
        }
        self.literals.push(Labeled {
            literal,
            labels,
            after,
        });
    }
}

/// A fact with its states replaced by the names they have in a clause.
fn placed(
    feature: &Feature,
    row: &[Constant],
    labels: &[Label],
    state: &Term,
    next: &Term,
) -> Atom {
    let mut places = labels.iter().zip(row);
    map_leaves(&feature.atom, &mut |leaf| match places.next() {
        Some((Label::State, _)) => state.clone(),
        Some((Label::Next, _)) => next.clone(),
        Some((_, value)) => Term::Const(*value),
        None => leaf.clone(),
    })
}

/// The atom in another state.
fn moved(atom: &Atom, labels: &[Label], state: &Term) -> Atom {
    let mut labels = labels.iter();
    map_leaves(atom, &mut |leaf| match labels.next() {
        Some(Label::State) => state.clone(),
        _ => leaf.clone(),
    })
}
