use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::feature::{Feature, Label, Role, description_feature, leaves, map_leaves};
use super::pattern::{Labelled, Pattern};
use super::{Background, Component, Domain, Example, Novelty, PalError};
use crate::prover::{Database, Limits, Proof, Prover};
use crate::term::{Atom, Constant, Literal, Real, Term, Var};

/// Most facts of one feature in one state.
const MAX_FACTS: usize = 10_000;
/// The cache is emptied beyond this many entries.
const MAX_CACHED: usize = 200_000;

/// An atom and the labels of its places.
type LabelledAtom = (Atom, Arc<[Label]>);

/// One move out of a state.
#[derive(Debug)]
pub(super) struct Move {
    /// The transition's atom.
    pub(super) atom: Atom,
    /// The state it leads to.
    pub(super) next: Constant,
    /// The component that moves, before and after.
    before: Component,
    after: Component,
    /// Components that are no longer there.
    gone: Vec<Component>,
    /// Components of the next state.
    components: Vec<Component>,
}

/// Derives facts from states and remembers them.
pub(super) struct Deriver<'a, D> {
    pub(super) domain: &'a D,
    pub(super) background: &'a Background,
    description: Feature,
    prover: Prover<'a>,
    limits: Limits,
    novelty: Novelty,
    facts: FxHashMap<(Constant, usize), Rc<[Atom]>>,
    moves: FxHashMap<Constant, Rc<[Move]>>,
    tokens: u32,
}

impl<D> std::fmt::Debug for Deriver<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deriver").finish_non_exhaustive()
    }
}

impl<'a, D: Domain> Deriver<'a, D> {
    pub(super) fn new(
        domain: &'a D,
        db: &'a Database,
        background: &'a Background,
        limits: Limits,
        novelty: Novelty,
    ) -> Self {
        Self {
            domain,
            background,
            description: description_feature(domain),
            prover: Prover::new(db, limits),
            limits,
            novelty,
            facts: FxHashMap::default(),
            moves: FxHashMap::default(),
            tokens: 0,
        }
    }

    /// A name for a state of one clause. States of different examples must never be taken for the
    /// same one, even if they are, so that clauses have names of their own for them.
    fn token(&mut self) -> Term {
        self.tokens += 1;
        Term::Const(Constant::Real(Real(f64::from(self.tokens))))
    }

    /// Whether a conjunction can be proved.
    pub(super) fn proves(&mut self, goals: &[Literal]) -> Result<bool, PalError> {
        match self.prover.prove(goals)? {
            Proof::Proved => Ok(true),
            Proof::Refuted => Ok(false),
            Proof::OutOfSteps | Proof::TooDeep => Err(PalError::OutOfSteps(self.limits.steps)),
        }
    }

    /// The answers to an atom.
    fn answers(&mut self, atom: &Atom, max: usize) -> Result<Vec<Atom>, PalError> {
        let goal = [Literal::positive(atom.clone())];
        let answers = self.prover.solutions(&goal, max)?;
        if matches!(answers.end, Proof::OutOfSteps | Proof::TooDeep) {
            return Err(PalError::OutOfSteps(self.limits.steps));
        }
        let ground = |values: &Vec<Term>| atom.map_vars(&mut |var| values[var.index()].clone());
        let mut seen = FxHashSet::default();
        Ok((answers.bindings.iter().map(ground))
            .filter(|atom| atom.is_ground() && seen.insert(atom.clone()))
            .collect())
    }

    fn feature(&self, index: usize) -> &'a Feature {
        &self.background.features[index]
    }

    /// The facts of one feature in a state.
    pub(super) fn facts(
        &mut self,
        state: Constant,
        feature: usize,
    ) -> Result<Rc<[Atom]>, PalError> {
        let key = if self.feature(feature).has_state() {
            (state, feature)
        } else {
            (Constant::Int(-1), feature)
        };
        if let Some(found) = self.facts.get(&key) {
            return Ok(Rc::clone(found));
        }
        let query = in_state(self.feature(feature), state);
        let found: Rc<[Atom]> = self.answers(&query, MAX_FACTS)?.into();
        if self.facts.len() > MAX_CACHED {
            self.facts.clear();
        }
        self.facts.insert(key, Rc::clone(&found));
        Ok(found)
    }

    /// The moves out of a state.
    pub(super) fn moves(&mut self, state: Constant) -> Result<Rc<[Move]>, PalError> {
        if let Some(found) = self.moves.get(&state) {
            return Ok(Rc::clone(found));
        }
        let mut moves = Vec::new();
        if let Some(transition) = &self.background.transition {
            let here = self.components(state)?;
            for atom in self.answers(&in_state(transition, state), MAX_FACTS)? {
                let places = leaves(&atom);
                let next = transition.roles.iter().position(|r| *r == Role::Next);
                let Some(Term::Const(next)) = next.map(|place| places[place]) else {
                    continue;
                };
                let mover = here.iter().find(|component| {
                    transition
                        .roles
                        .iter()
                        .zip(&places)
                        .all(|(role, place)| match role {
                            Role::Of {
                                part: 0, attribute, ..
                            } => **place == Term::Const(component[*attribute]),
                            _ => true,
                        })
                });
                let components = self.components(*next)?;
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
                    next: *next,
                    before: mover.clone(),
                    after: after.clone(),
                    gone: gone.cloned().collect(),
                    components,
                    atom,
                });
            }
        }
        let moves: Rc<[Move]> = moves.into();
        if self.moves.len() > MAX_CACHED {
            self.moves.clear();
        }
        self.moves.insert(state, Rc::clone(&moves));
        Ok(moves)
    }

    fn components(&mut self, state: Constant) -> Result<Vec<Component>, PalError> {
        let query = in_state(&self.description, state);
        let n = self.domain.attributes().len();
        let found = self.answers(&query, MAX_FACTS)?;
        Ok(found
            .iter()
            .map(|atom| {
                let mut component = vec![Constant::Int(0); n];
                for (role, place) in self.description.roles.iter().zip(leaves(atom)) {
                    if let (Role::Of { attribute, .. }, Term::Const(value)) = (role, place) {
                        component[*attribute] = *value;
                    }
                }
                component
            })
            .collect())
    }

    /// The atom that describes a component.
    pub(super) fn describe(&self, component: &[Constant], state: &Term) -> Atom {
        let mut roles = self.description.roles.iter();
        map_leaves(&self.description.atom, &mut |leaf| match roles.next() {
            Some(Role::Of { attribute, .. }) => Term::Const(component[*attribute]),
            Some(Role::State) => state.clone(),
            _ => leaf.clone(),
        })
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
        self.description.roles.iter().map(label).collect()
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
        let state = self.domain.state(example);
        let token = self.token();
        let mut body: Builder<'_> = Builder::new(relevant);
        let all: Vec<(usize, &[Constant])> = example
            .iter()
            .enumerate()
            .map(|(i, component)| (i, component.as_slice()))
            .collect();
        let description = (relevant.iter())
            .map(|&c| Labelled {
                literal: Literal::positive(self.describe(&example[c], &token)),
                labels: self.description_labels(c),
                after: false,
            })
            .collect();
        let n_features = self.background.features.len();
        let mut here = Vec::with_capacity(n_features);
        for f in 0..n_features {
            let facts = self.facts(state, f)?;
            let mut labelled = Vec::new();
            for fact in facts.iter() {
                for labels in self.feature(f).labels(&leaves(fact), &all) {
                    labelled.push((placed(fact, &labels, &token, &token), labels));
                }
            }
            for (atom, labels) in &labelled {
                body.push(true, atom.clone(), Arc::clone(labels), false);
            }
            here.push(labelled);
        }
        if dynamic {
            let moves = self.moves(state)?;
            for made in moves.iter() {
                let next = self.token();
                self.add_move(example, &all, made, &here, (&token, &next), &mut body)?;
            }
        }
        Ok(Pattern {
            components: relevant.to_vec(),
            state: token,
            description,
            body: body.literals,
        })
    }

    /// The literals that change with a move, with the move before them; nothing if none changes.
    fn add_move(
        &mut self,
        example: &Example,
        all: &[(usize, &[Constant])],
        made: &Move,
        here: &[Vec<LabelledAtom>],
        (token, next): (&Term, &Term),
        body: &mut Builder<'_>,
    ) -> Result<(), PalError> {
        let Some(mover) = example.iter().position(|c| *c == made.before) else {
            return Ok(());
        };
        let mut before: Vec<LabelledAtom> = Vec::new();
        let mut after: Vec<(bool, LabelledAtom)> = Vec::new();
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
            if own.is_empty() || self.novelty == Novelty::Components {
                for fact in self.facts(made.next, f)?.iter() {
                    for labels in feature.labels(&leaves(fact), &there) {
                        let required = feature.required(&labels);
                        if known.contains(&required) {
                            lasting.insert(required);
                            continue;
                        }
                        let mut index = 0;
                        let old = map_leaves(fact, &mut |leaf| {
                            let label = labels[index];
                            index += 1;
                            match label {
                                Label::State => token.clone(),
                                Label::Of { attribute, .. } if changed(&label) => {
                                    Term::Const(made.before[attribute])
                                }
                                _ => leaf.clone(),
                            }
                        });
                        let free = labels.contains(&Label::Free);
                        if !free {
                            before.push((old, Arc::clone(&labels)));
                        }
                        let now: Arc<[Label]> = labels
                            .iter()
                            .map(|l| if changed(l) { Label::Free } else { *l })
                            .collect();
                        after.push((true, (placed(fact, &now, next, next), now)));
                    }
                }
            }
            if self.novelty == Novelty::Components || !self.has_facts(made.next, f)? {
                for (atom, labels) in own.iter().filter(|(_, l)| !l.contains(&Label::Free)) {
                    if lasting.contains(&feature.required(labels)) {
                        continue;
                    }
                    after.push((
                        false,
                        (placed(atom, labels, next, next), Arc::clone(labels)),
                    ));
                }
            }
        }
        let Some(transition) = self.background.transition.as_ref() else {
            return Ok(());
        };
        if after.is_empty() {
            return Ok(());
        }
        for (atom, labels) in before {
            body.push(false, atom, labels, false);
        }
        for labels in transition.labels(&leaves(&made.atom), all) {
            body.push(
                true,
                placed(&made.atom, &labels, token, next),
                labels,
                false,
            );
        }
        for (positive, (atom, labels)) in after {
            body.push(positive, atom, labels, true);
        }
        Ok(())
    }

    /// The descriptions of the components after a move.
    pub(super) fn described(&self, made: &Move) -> Vec<Atom> {
        let state = Term::Const(made.next);
        let components = made.components.iter();
        components.map(|c| self.describe(c, &state)).collect()
    }

    fn has_facts(&mut self, state: Constant, feature: usize) -> Result<bool, PalError> {
        if let Some(found) = self.facts.get(&(state, feature)) {
            return Ok(!found.is_empty());
        }
        let query = in_state(self.feature(feature), state);
        Ok(!self.answers(&query, 1)?.is_empty())
    }
}

/// Collects the literals of a body without repetition.
struct Builder<'r> {
    relevant: &'r [usize],
    seen: FxHashSet<(Literal, Arc<[Label]>)>,
    literals: Vec<Labelled>,
}

impl<'r> Builder<'r> {
    fn new(relevant: &'r [usize]) -> Self {
        Self {
            relevant,
            seen: FxHashSet::default(),
            literals: Vec::new(),
        }
    }

    fn push(&mut self, positive: bool, atom: Atom, labels: Arc<[Label]>, after: bool) {
        let foreign = |label: &Label| matches!(label, Label::Of { component, .. } if !self.relevant.contains(component));
        let literal = Literal { positive, atom };
        if labels.iter().any(foreign) || !self.seen.insert((literal.clone(), Arc::clone(&labels))) {
            return;
        }
        self.literals.push(Labelled {
            literal,
            labels,
            after,
        });
    }
}

/// The atom with its states replaced by the names they have in a clause.
fn placed(atom: &Atom, labels: &[Label], state: &Term, next: &Term) -> Atom {
    let mut labels = labels.iter();
    map_leaves(atom, &mut |leaf| match labels.next() {
        Some(Label::State) => state.clone(),
        Some(Label::Next) => next.clone(),
        _ => leaf.clone(),
    })
}

/// The feature as a query in a state, with variables numbered without gaps.
fn in_state(feature: &Feature, state: Constant) -> Atom {
    let mut roles = feature.roles.iter();
    let mut next = 0;
    map_leaves(&feature.atom, &mut |leaf| match (roles.next(), leaf) {
        (Some(Role::State), _) => Term::Const(state),
        (_, Term::Var(_)) => {
            next += 1;
            Term::Var(Var(next - 1))
        }
        _ => leaf.clone(),
    })
}
