use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::feature::{Feature, Role, description_feature, leaves, map_leaves};
use super::{Background, Component, Domain, PalError};
use crate::prover::{Database, Limits, Proof, Prover, Remembered};
use crate::term::{Atom, Constant, Literal, Predicate, Term, Var};

/// Most facts of one feature in one state.
const MAX_FACTS: usize = 10_000;
/// Remembered facts are forgotten beyond this many values, some 16 MB.
const MAX_REMEMBERED: usize = 1_000_000;

/// What facts are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// A feature of the background, by its place.
    Feature(usize),
    /// The components.
    Description,
    /// The moves.
    Transition,
}

/// The facts from one source in one state: a row of values for each, one for each place.
#[derive(Debug)]
pub(super) struct Facts {
    width: usize,
    values: Vec<Constant>,
}

impl Facts {
    pub(super) fn rows(&self) -> impl Iterator<Item = &[Constant]> {
        self.values.chunks_exact(self.width)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// The atom with these values at its places.
pub(super) fn with_values(atom: &Atom, values: &[Constant]) -> Atom {
    let mut values = values.iter();
    map_leaves(atom, &mut |leaf| {
        (values.next()).map_or_else(|| leaf.clone(), |value| Term::Const(*value))
    })
}

/// Proves facts from the background knowledge and remembers them.
pub(super) struct FactBase<'a> {
    pub(super) domain: &'a dyn Domain,
    pub(super) background: &'a Background,
    pub(super) description: Feature,
    prover: Prover<'a>,
    answered: Remembered,
    limits: Limits,
    known: FxHashMap<(Option<Constant>, Source), Rc<Facts>>,
    remembered: usize,
}

impl<'a> FactBase<'a> {
    pub(super) fn new(
        domain: &'a dyn Domain,
        db: &'a Database,
        background: &'a Background,
        limits: Limits,
    ) -> Self {
        Self {
            domain,
            background,
            description: description_feature(domain),
            prover: Prover::new(db, limits),
            answered: Remembered::default(),
            limits,
            known: FxHashMap::default(),
            remembered: 0,
        }
    }

    /// Arguments that describe a component, the state left out.
    pub(super) fn n_arguments(&self) -> usize {
        self.description.atom.args.len().saturating_sub(1)
    }

    /// The sources of facts about a predicate.
    pub(super) fn sources(&self, predicate: Predicate) -> Vec<Source> {
        let features = self.background.features.iter().map(Feature::predicate);
        let transition = self.background.transition.iter().map(Feature::predicate);
        (features.enumerate().map(|(i, p)| (Source::Feature(i), p)))
            .chain([(Source::Description, self.description.predicate())])
            .chain(transition.map(|p| (Source::Transition, p)))
            .filter(|(_, own)| *own == predicate)
            .map(|(source, _)| source)
            .collect()
    }

    fn declared(&self, source: Source) -> Option<&Feature> {
        match source {
            Source::Feature(index) => self.background.features.get(index),
            Source::Description => Some(&self.description),
            Source::Transition => self.background.transition.as_ref(),
        }
    }

    /// Whether a conjunction can be proved.
    pub(super) fn proves(&mut self, goals: &[Literal]) -> Result<bool, PalError> {
        match (self.prover).prove_in_parts_with(goals, &mut self.answered)? {
            Proof::Proved => Ok(true),
            Proof::Refuted => Ok(false),
            _ => Err(PalError::OutOfSteps(self.limits.steps)),
        }
    }

    /// The facts from a source in a state.
    pub(super) fn facts(&mut self, state: Constant, source: Source) -> Result<Rc<Facts>, PalError> {
        let Some(feature) = self.declared(source) else {
            let (width, values) = (1, Vec::new());
            return Ok(Rc::new(Facts { width, values }));
        };
        let key = (feature.has_state().then_some(state), source);
        if let Some(found) = self.known.get(&key) {
            return Ok(Rc::clone(found));
        }
        let goal = [Literal::positive(in_state(feature, state))];
        let places: Vec<(Role, Option<Constant>)> = (feature.roles.iter())
            .zip(leaves(&feature.atom))
            .map(|(role, leaf)| match leaf {
                Term::Const(constant) => (*role, Some(*constant)),
                _ => (*role, None),
            })
            .collect();
        let width = places.len().max(1);
        let n_answered = |(role, constant): &&(Role, Option<Constant>)| {
            *role != Role::State && constant.is_none()
        };
        let answered = places.iter().filter(n_answered).count();
        let mut values = Vec::new();
        let mut add = |answer: &[Constant]| {
            let mut answer = answer.iter().copied();
            let value = |(role, constant): &(Role, Option<Constant>)| match (role, constant) {
                (Role::State, _) => state,
                (_, Some(constant)) => *constant,
                (_, None) => answer.next().unwrap_or(state),
            };
            values.extend(places.iter().map(value));
        };
        if answered == 0 {
            // Only whether it is true is asked for.
            if self.proves(&goal)? {
                add(&[]);
            }
        } else {
            let mut answers = Vec::new();
            let end = self.prover.tuples(&goal, MAX_FACTS, &mut answers)?;
            if end.is_cut_short() {
                return Err(PalError::OutOfSteps(self.limits.steps));
            }
            let mut seen: FxHashSet<&[Constant]> = FxHashSet::default();
            for answer in answers.chunks_exact(answered) {
                if seen.insert(answer) {
                    add(answer);
                }
            }
        }
        if self.remembered > MAX_REMEMBERED {
            self.known.clear();
            self.remembered = 0;
        }
        self.remembered += values.len() + width;
        let found = Rc::new(Facts { width, values });
        self.known.insert(key, Rc::clone(&found));
        Ok(found)
    }

    /// The components of a state.
    pub(super) fn components(&mut self, state: Constant) -> Result<Vec<Component>, PalError> {
        let n = self.domain.attributes().len();
        let facts = self.facts(state, Source::Description)?;
        Ok(facts
            .rows()
            .map(|row| {
                let mut component = vec![Constant::Int(0); n];
                for (role, value) in self.description.roles.iter().zip(row) {
                    if let Role::Of { attribute, .. } = role {
                        component[*attribute] = *value;
                    }
                }
                component
            })
            .collect())
    }
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
