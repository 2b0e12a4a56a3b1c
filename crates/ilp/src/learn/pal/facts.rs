use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::feature::{Feature, Role, description_feature, leaves, map_leaves};
use super::{Background, Component, Domain, PalError};
use crate::prover::{Conjunction, Database, Limits, Proof, TabledGoal, TabledProver};
use crate::term::{Constant, Literal, Predicate, Term, Var};

/// Most facts of one feature in one state.
const MAX_FACTS: usize = 10_000;
/// Remembered facts are forgotten beyond this many values, some 3 MB: few states come again after
/// that many others.
const MAX_REMEMBERED: usize = 200_000;
/// More answers than these are looked up to find out which are the same.
const FEW: usize = 16;

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

    pub(super) fn row(&self, place: usize) -> &[Constant] {
        &self.values[place * self.width..][..self.width]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// What stands at one place of a feature.
#[derive(Clone, Copy, Debug)]
enum Value {
    Fixed(Constant),
    /// That of a variable of the goal.
    Of(usize),
}

/// What is asked to find the facts of a feature.
#[derive(Debug)]
struct Question {
    goal: TabledGoal,
    /// For each variable of the goal whether it is the state.
    is_state: Vec<bool>,
    /// One for each place of the feature.
    places: Vec<Value>,
}

/// Proves facts from the background knowledge and remembers them.
pub(super) struct FactBase<'a> {
    pub(super) domain: &'a dyn Domain,
    pub(super) background: &'a Background,
    pub(super) description: Feature,
    pub(super) prover: TabledProver<'a>,
    questions: FxHashMap<Source, Rc<Question>>,
    limits: Limits,
    known: FxHashMap<(Option<Constant>, Source), Rc<Facts>>,
    remembered: usize,
    /// The values of the last question, kept for its memory.
    asked: Vec<Term>,
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
            prover: TabledProver::new(db, limits),
            questions: FxHashMap::default(),
            limits,
            known: FxHashMap::default(),
            remembered: 0,
            asked: Vec::new(),
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

    /// Whether a goal can be proved with these values.
    pub(super) fn proves(&mut self, goal: TabledGoal, values: &[Term]) -> Result<bool, PalError> {
        let found = self.prover.prove_defined(goal, values)?;
        self.decided(found)
    }

    /// The same if all values are known; none if one is not.
    pub(super) fn proves_of(
        &mut self,
        goal: TabledGoal,
        values: impl Iterator<Item = Option<Constant>>,
    ) -> Result<Option<bool>, PalError> {
        let mut asked = std::mem::take(&mut self.asked);
        asked.clear();
        let mut all = true;
        asked.extend(values.map_while(|value| {
            all &= value.is_some();
            value.map(Term::Const)
        }));
        let found = all.then(|| self.proves(goal, &asked));
        self.asked = asked;
        found.transpose()
    }

    /// The answers to a goal with the values that are known, each a row of values for all its
    /// variables. They are not remembered.
    pub(super) fn answers(
        &mut self,
        goal: TabledGoal,
        values: impl Iterator<Item = Option<Constant>>,
    ) -> Result<Facts, PalError> {
        let mut asked = std::mem::take(&mut self.asked);
        asked.clear();
        let open = (0..).map(Term::var);
        asked.extend((values.zip(open)).map(|(value, open)| value.map_or(open, Term::Const)));
        let mut facts = Facts {
            width: asked.len().max(1),
            values: Vec::new(),
        };
        let end = (self.prover).tuples(goal, &asked, MAX_FACTS, &mut facts.values);
        self.asked = asked;
        self.decided(end?)?;
        Ok(facts)
    }

    /// Whether all facts that a predicate has in a state are facts from this source.
    pub(super) fn has_all(&self, source: Source) -> bool {
        let atom = self.declared(source).map(|feature| &feature.atom);
        atom.is_some_and(|atom| leaves(atom).iter().all(|leaf| matches!(leaf, Term::Var(_))))
    }

    /// Whether a conjunction can be proved with the values that are given.
    pub(super) fn proves_all(
        &mut self,
        goals: &mut Conjunction,
        given: &[(Var, Term)],
    ) -> Result<bool, PalError> {
        let found = self.prover.prove_all(goals, given)?;
        self.decided(found)
    }

    fn decided(&self, found: Proof) -> Result<bool, PalError> {
        match found {
            Proof::Proved => Ok(true),
            Proof::Refuted => Ok(false),
            _ => Err(PalError::OutOfSteps(self.limits.steps)),
        }
    }

    /// The question for the facts from a source.
    fn question(&mut self, source: Source) -> Result<Option<Rc<Question>>, PalError> {
        if let Some(known) = self.questions.get(&source) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(feature) = self.declared(source) else {
            return Ok(None);
        };
        let mut is_state: Vec<bool> = Vec::new();
        let mut places = Vec::new();
        let mut roles = feature.roles.iter();
        let atom = map_leaves(&feature.atom, &mut |leaf| {
            let own = roles.next() == Some(&Role::State);
            if let (Term::Const(constant), false) = (leaf, own) {
                places.push(Value::Fixed(*constant));
                return leaf.clone();
            }
            let known = is_state.iter().position(|state| own && *state);
            let place = known.unwrap_or_else(|| {
                is_state.push(own);
                is_state.len() - 1
            });
            places.push(Value::Of(place));
            Term::var(u32::try_from(place).unwrap_or(u32::MAX))
        });
        let question = Rc::new(Question {
            goal: self.prover.goal(&Literal::positive(atom))?,
            is_state,
            places,
        });
        self.questions.insert(source, Rc::clone(&question));
        Ok(Some(question))
    }

    /// The facts from a source in a state.
    pub(super) fn facts(&mut self, state: Constant, source: Source) -> Result<Rc<Facts>, PalError> {
        let has_state = self.declared(source).is_some_and(Feature::has_state);
        let key = (has_state.then_some(state), source);
        if let Some(found) = self.known.get(&key) {
            return Ok(Rc::clone(found));
        }
        let Some(question) = self.question(source)? else {
            let (width, values) = (1, Vec::new());
            return Ok(Rc::new(Facts { width, values }));
        };
        let asked: Vec<Term> = ((0..).zip(&question.is_state))
            .map(|(place, is_state)| {
                if *is_state {
                    Term::Const(state)
                } else {
                    Term::var(place)
                }
            })
            .collect();
        let width = question.places.len().max(1);
        let mut values = Vec::new();
        let mut add = |row: &[Constant]| {
            let value = |place: &Value| match *place {
                Value::Fixed(constant) => constant,
                Value::Of(place) => row[place],
            };
            values.extend(question.places.iter().map(value));
        };
        if question.is_state.iter().all(|is_state| *is_state) {
            // Only whether it is true is asked for.
            if self.proves(question.goal, &asked)? {
                add(&[state]);
            }
        } else {
            let mut answers = Vec::new();
            let goal = question.goal;
            let end = (self.prover).tuples(goal, &asked, MAX_FACTS, &mut answers)?;
            if end.is_cut_short() {
                return Err(PalError::OutOfSteps(self.limits.steps));
            }
            let width = asked.len();
            let mut seen: FxHashSet<&[Constant]> = FxHashSet::default();
            for (place, answer) in answers.chunks_exact(width).enumerate() {
                let is_new = if answers.len() > FEW * width {
                    seen.insert(answer)
                } else {
                    let mut earlier = answers.chunks_exact(width).take(place);
                    earlier.all(|own| own != answer)
                };
                if is_new {
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
