//! A memo of the facts that the background proves of states.

use std::rc::Rc;

use kibitz_prolog::{
    Conjunction, Constant, Database, Limits, Literal, Predicate, Proof, TabledGoal, TabledProver,
    Term, Var,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::feature::{Feature, Role, description_feature, leaves, map_leaves};
use crate::{Background, Component, Domain, PalError};

/// Maximum number of facts of one feature in one state.
const MAX_FACTS: usize = 10_000;
/// The memo is cleared beyond this many values, some 3 MB: few states recur after that many others.
const MAX_CACHED: usize = 200_000;
/// Duplicates among more answers than these are found by hashing.
const FEW: usize = 16;

/// The predicate of some facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FactSource {
    /// A feature of the background, by its index.
    Feature(usize),
    /// The description of components.
    Description,
    /// The transition to the next state.
    Transition,
}

/// The facts from one source in one state: a table with one row for each fact and one value for
/// each leaf.
#[derive(Debug)]
pub(crate) struct Facts {
    width: usize,
    values: Vec<Constant>,
}

impl Facts {
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Constant]> {
        self.values.chunks_exact(self.width)
    }

    pub(crate) fn row(&self, index: usize) -> &[Constant] {
        &self.values[index * self.width..][..self.width]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// A leaf of a feature in a query.
#[derive(Clone, Copy, Debug)]
enum QueryLeaf {
    Constant(Constant),
    /// A variable of the goal, by its number.
    Var(usize),
}

/// The query for the facts of a feature.
#[derive(Debug)]
struct Query {
    goal: TabledGoal,
    /// For each variable of the goal whether it is the state.
    is_state: Vec<bool>,
    /// The leaves of the feature.
    leaves: Vec<QueryLeaf>,
}

/// Proves facts from the background and keeps them.
pub(crate) struct FactCache<'a> {
    pub(crate) domain: &'a dyn Domain,
    pub(crate) background: &'a Background,
    pub(crate) description: Feature,
    pub(crate) prover: TabledProver<'a>,
    queries: FxHashMap<FactSource, Rc<Query>>,
    limits: Limits,
    cached: FxHashMap<(Option<Constant>, FactSource), Rc<Facts>>,
    n_cached: usize,
    /// Arguments of the last goal, kept to reuse their memory.
    args: Vec<Term>,
}

impl<'a> FactCache<'a> {
    pub(crate) fn new(
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
            queries: FxHashMap::default(),
            limits,
            cached: FxHashMap::default(),
            n_cached: 0,
            args: Vec::new(),
        }
    }

    /// Number of arguments that describe a component, without the state.
    pub(crate) fn n_arguments(&self) -> usize {
        self.description.atom.args.len().saturating_sub(1)
    }

    /// The sources of facts of a predicate.
    pub(crate) fn sources(&self, predicate: Predicate) -> Vec<FactSource> {
        let features = self.background.features.iter().map(Feature::predicate);
        let transition = self.background.transition.iter().map(Feature::predicate);
        (features
            .enumerate()
            .map(|(i, p)| (FactSource::Feature(i), p)))
        .chain([(FactSource::Description, self.description.predicate())])
        .chain(transition.map(|p| (FactSource::Transition, p)))
        .filter(|(_, own)| *own == predicate)
        .map(|(source, _)| source)
        .collect()
    }

    fn declared(&self, source: FactSource) -> Option<&Feature> {
        match source {
            FactSource::Feature(index) => self.background.features.get(index),
            FactSource::Description => Some(&self.description),
            FactSource::Transition => self.background.transition.as_ref(),
        }
    }

    /// Whether a goal can be proved with these arguments.
    pub(crate) fn proves(&mut self, goal: TabledGoal, args: &[Term]) -> Result<bool, PalError> {
        let found = self.prover.prove_defined(goal, args)?;
        self.decided(found)
    }

    /// Whether a ground goal can be proved; `None` if some argument is unknown.
    pub(crate) fn proves_ground(
        &mut self,
        goal: TabledGoal,
        values: impl Iterator<Item = Option<Constant>>,
    ) -> Result<Option<bool>, PalError> {
        let mut args = std::mem::take(&mut self.args);
        args.clear();
        let mut is_ground = true;
        args.extend(values.map_while(|value| {
            is_ground &= value.is_some();
            value.map(Term::Const)
        }));
        let found = is_ground.then(|| self.proves(goal, &args));
        self.args = args;
        found.transpose()
    }

    /// The answers to a goal with some arguments known, one row of arguments each. They are not
    /// kept.
    pub(crate) fn answers(
        &mut self,
        goal: TabledGoal,
        values: impl Iterator<Item = Option<Constant>>,
    ) -> Result<Facts, PalError> {
        let mut args = std::mem::take(&mut self.args);
        args.clear();
        let vars = (0..).map(Term::var);
        args.extend((values.zip(vars)).map(|(value, var)| value.map_or(var, Term::Const)));
        let mut facts = Facts {
            width: args.len().max(1),
            values: Vec::new(),
        };
        let end = (self.prover).tuples(goal, &args, MAX_FACTS, &mut facts.values);
        self.args = args;
        self.decided(end?)?;
        Ok(facts)
    }

    /// Whether a source yields every fact of its predicate: its declaration has no constants.
    pub(crate) fn is_complete(&self, source: FactSource) -> bool {
        let atom = self.declared(source).map(|feature| &feature.atom);
        atom.is_some_and(|atom| leaves(atom).iter().all(|leaf| matches!(leaf, Term::Var(_))))
    }

    /// Whether a conjunction can be proved under a substitution.
    pub(crate) fn proves_all(
        &mut self,
        goals: &mut Conjunction,
        substitution: &[(Var, Term)],
    ) -> Result<bool, PalError> {
        let found = self.prover.prove_all(goals, substitution)?;
        self.decided(found)
    }

    fn decided(&self, found: Proof) -> Result<bool, PalError> {
        match found {
            Proof::Proved => Ok(true),
            Proof::Refuted => Ok(false),
            _ => Err(self.out_of_steps()),
        }
    }

    fn out_of_steps(&self) -> PalError {
        let last = self.prover.last_clause().cloned();
        PalError::OutOfSteps(self.limits.steps, last.map(Box::new))
    }

    /// The query for the facts from a source; `None` if the source is not declared.
    fn query(&mut self, source: FactSource) -> Result<Option<Rc<Query>>, PalError> {
        if let Some(known) = self.queries.get(&source) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(feature) = self.declared(source) else {
            return Ok(None);
        };
        let mut is_state: Vec<bool> = Vec::new();
        let mut leaves = Vec::new();
        let mut roles = feature.roles.iter();
        let atom = map_leaves(&feature.atom, &mut |leaf| {
            let own = roles.next() == Some(&Role::State);
            if let (Term::Const(constant), false) = (leaf, own) {
                leaves.push(QueryLeaf::Constant(*constant));
                return leaf.clone();
            }
            let known = is_state.iter().position(|state| own && *state);
            let var = known.unwrap_or_else(|| {
                is_state.push(own);
                is_state.len() - 1
            });
            leaves.push(QueryLeaf::Var(var));
            Term::var(u32::try_from(var).unwrap_or(u32::MAX))
        });
        let query = Rc::new(Query {
            goal: self.prover.goal(&Literal::positive(atom))?,
            is_state,
            leaves,
        });
        self.queries.insert(source, Rc::clone(&query));
        Ok(Some(query))
    }

    /// The facts from a source in a state.
    pub(crate) fn facts(
        &mut self,
        state: Constant,
        source: FactSource,
    ) -> Result<Rc<Facts>, PalError> {
        let has_state = self.declared(source).is_some_and(Feature::has_state);
        let key = (has_state.then_some(state), source);
        if let Some(found) = self.cached.get(&key) {
            return Ok(Rc::clone(found));
        }
        let Some(query) = self.query(source)? else {
            let (width, values) = (1, Vec::new());
            return Ok(Rc::new(Facts { width, values }));
        };
        let found = Rc::new(self.prove_facts(state, &query)?);
        if self.n_cached > MAX_CACHED {
            self.cached.clear();
            self.n_cached = 0;
        }
        self.n_cached += found.values.len() + found.width;
        self.cached.insert(key, Rc::clone(&found));
        Ok(found)
    }

    /// The distinct answers to a query about a state.
    fn prove_facts(&mut self, state: Constant, query: &Query) -> Result<Facts, PalError> {
        let args: Vec<Term> = ((0..).zip(&query.is_state))
            .map(|(var, is_state)| {
                if *is_state {
                    Term::Const(state)
                } else {
                    Term::var(var)
                }
            })
            .collect();
        let mut facts = Facts {
            width: query.leaves.len().max(1),
            values: Vec::new(),
        };
        let mut add = |answer: &[Constant]| {
            let value = |leaf: &QueryLeaf| match *leaf {
                QueryLeaf::Constant(constant) => constant,
                QueryLeaf::Var(var) => answer[var],
            };
            facts.values.extend(query.leaves.iter().map(value));
        };
        if query.is_state.iter().all(|is_state| *is_state) {
            // The query is ground.
            if self.proves(query.goal, &args)? {
                add(&[state]);
            }
            return Ok(facts);
        }
        let mut answers = Vec::new();
        let end = (self.prover).tuples(query.goal, &args, MAX_FACTS, &mut answers)?;
        if end.is_cut_short() {
            return Err(self.out_of_steps());
        }
        let width = args.len();
        let mut seen: FxHashSet<&[Constant]> = FxHashSet::default();
        for (index, answer) in answers.chunks_exact(width).enumerate() {
            let is_new = if answers.len() > FEW * width {
                seen.insert(answer)
            } else {
                let mut earlier = answers.chunks_exact(width).take(index);
                earlier.all(|own| own != answer)
            };
            if is_new {
                add(answer);
            }
        }
        Ok(facts)
    }

    /// The components of a state.
    pub(crate) fn components(&mut self, state: Constant) -> Result<Vec<Component>, PalError> {
        let n = self.domain.attributes().len();
        let facts = self.facts(state, FactSource::Description)?;
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
