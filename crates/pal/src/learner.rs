//! The learner: generalization of definitions under the teacher's answers.

use kibitz_prolog::{Atom, Clause, Conjunction, Constant, Database, Symbol, Term, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constrained_lgg::{Connection, constrained_lgg};
use crate::fact_cache::FactCache;
use crate::outcome::{Ending, Outcome, PalResult, Step};
use crate::params::PalParams;
use crate::pattern::Pattern;
use crate::relative_subsumption::{SaturatedClause, reduced_pattern};
use crate::saturation::Saturator;
use crate::teacher::Instances;
use crate::{Background, Change, Domain, Example, Judgement, PalError, Teacher, Verdict};

/// PAL for one concept.
pub struct Pal<'a> {
    pub(crate) saturator: Saturator<'a>,
    db: &'a Database,
    pub(crate) params: PalParams,
    pub(crate) concept: Symbol,
    /// Examples that the teacher has classified.
    pub(crate) shown: FxHashSet<Example>,
    pub(crate) negatives: Vec<(Example, Constant)>,
    rejected: Vec<SaturatedClause>,
    pub(crate) examined: u64,
    pub(crate) steps: Vec<Step>,
}

impl std::fmt::Debug for Pal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pal")
            .field("params", &self.params)
            .finish_non_exhaustive()
    }
}

/// The search for one clause.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) pattern: Pattern,
    /// The pattern as a clause, after its first generalization.
    clause: Option<Clause>,
    /// The last positive example that the pattern was generalized with.
    pub(crate) base: Example,
    /// Failure sets of the examples tried for this pattern, with the number of examples that
    /// foresight skipped.
    pub(crate) failed: FxHashMap<Vec<bool>, u32>,
    /// Success sets of the examples tried for this pattern after a refusal: of the literals that failed
    /// in the refused example, those that hold.
    pub(crate) succeeded: FxHashSet<Vec<bool>>,
    /// Whether the teacher ended the search.
    pub(crate) satisfied: bool,
}

/// The effect of an example on the search.
pub(crate) enum Effect {
    /// The definition covers it, too.
    Generalization,
    /// The definition stays as it is.
    Refusal,
    /// The teacher ended the search for this clause.
    Stop,
    /// A limit or an interrupt ended all.
    End(Ending),
}

impl<'a> Pal<'a> {
    /// A learner of a concept with this name.
    pub fn new(
        domain: &'a dyn Domain,
        db: &'a Database,
        background: &'a Background,
        concept: Symbol,
        params: PalParams,
    ) -> Self {
        let cache = FactCache::new(domain, db, background, params.limits);
        Self {
            saturator: Saturator::new(cache, params.novelty),
            db,
            params,
            concept,
            shown: FxHashSet::default(),
            negatives: Vec::new(),
            rejected: Vec::new(),
            examined: 0,
            steps: Vec::new(),
        }
    }

    /// Checks that an example, counted from 1, is a legal state.
    pub(crate) fn check_shape(&self, i: usize, example: &Example) -> Result<(), PalError> {
        let domain = self.saturator.cache.domain;
        let expected = domain.attributes().len();
        if let Some(component) = example.iter().find(|c| c.len() != expected) {
            return Err(PalError::WrongComponent {
                example: i,
                found: component.len(),
                expected,
            });
        }
        if !domain.is_legal(example) {
            return Err(PalError::IllegalExample(i));
        }
        Ok(())
    }

    /// Checks that the initial examples are positive instances.
    pub(crate) fn check_initial(
        &mut self,
        examples: &[Example],
        teacher: &mut dyn Teacher,
    ) -> Result<(), PalError> {
        if examples.is_empty() {
            return Err(PalError::NoExample);
        }
        let domain = self.saturator.cache.domain;
        for (i, example) in (1..).zip(examples) {
            self.check_shape(i, example)?;
            let state = domain.state(example);
            if teacher.classify(example, state, &Change::Given)? == Verdict::Negative {
                return Err(PalError::NotAnInstance(i));
            }
            self.shown.insert(example.clone());
        }
        Ok(())
    }

    /// Starts the search for a clause with the bottom clause of a seed example.
    pub(crate) fn start(
        &mut self,
        seed: &Example,
        teacher: &mut dyn Teacher,
    ) -> Result<Search, PalError> {
        let all: Vec<usize> = (0..seed.len()).collect();
        let pattern = (self.saturator).bottom_clause(seed, &all, self.params.dynamic)?;
        let mut search = Search {
            pattern,
            clause: None,
            base: seed.clone(),
            failed: FxHashMap::default(),
            succeeded: FxHashSet::default(),
            satisfied: false,
        };
        self.generalize_with_mirrored(&mut search, seed, teacher)?;
        Ok(search)
    }

    /// A definition as a clause, after the final reduction and before it.
    ///
    /// # Source
    /// Morales 1992, section 5.4.3.
    pub(crate) fn final_clause(&self, pattern: &Pattern) -> [Clause; 2] {
        let clause = pattern.to_clause(self.concept, &self.saturator.interner);
        let definitions = &self.saturator.cache.background.definitions;
        let n_described = pattern.components.len() * self.saturator.cache.n_arguments();
        let reduced = reduced_pattern(&clause, n_described, definitions).normalized();
        [reduced, clause]
    }

    /// Adds the clause found, and removes the stored examples that it covers.
    ///
    /// # Source
    /// Morales 1992, section 5.4.1.
    pub(crate) fn conclude(
        &mut self,
        pattern: &Pattern,
        ending: Ending,
        open: &mut Vec<Example>,
        learned: &mut PalResult,
    ) -> Result<(), PalError> {
        let [reduced, clause] = self.final_clause(pattern);
        learned.clauses.push(reduced);
        learned.unreduced.push(clause);
        learned.components.push(pattern.components.clone());
        learned.endings.push(ending);
        // An earlier clause may cover an example that was stored for this one.
        let mut left = Vec::new();
        let mut covered = Instances::new(self.db, self.params.limits, &learned.unreduced)?;
        for example in std::mem::take(open) {
            if !covered.contain(self.saturator.cache.domain.state(&example))? {
                left.push(example);
            }
        }
        *open = left;
        Ok(())
    }

    /// Asks the teacher about an example and generalizes the definition with it if it is positive. A
    /// positive example whose definition is refused is added to `open`.
    pub(crate) fn ask(
        &mut self,
        search: &mut Search,
        example: Example,
        change: Change,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<Effect, PalError> {
        let state = self.saturator.cache.domain.state(&example);
        let verdict = teacher.classify(&example, state, &change)?;
        let (outcome, effect) = match verdict {
            Verdict::Negative => {
                self.negatives.push((example.clone(), state));
                (Outcome::Negative, Effect::Refusal)
            }
            Verdict::Stop => (Outcome::Stopped, Effect::Stop),
            Verdict::Positive => {
                let outcome = match self.generalize(search, &example, teacher)? {
                    None => Outcome::TooGeneral,
                    Some(false) => Outcome::Rejected,
                    Some(true) => Outcome::Generalized,
                };
                if outcome == Outcome::Generalized {
                    (outcome, Effect::Generalization)
                } else {
                    open.push(example.clone());
                    (outcome, Effect::Refusal)
                }
            }
        };
        let definition = (search.clause.as_ref())
            .filter(|_| outcome == Outcome::Generalized)
            .cloned();
        self.steps.push(Step {
            example,
            change,
            outcome,
            definition,
        });
        Ok(effect)
    }

    /// Generalizes the definition with a positive example and its mirror images. `None` if the
    /// result covers a negative example, `Some(false)` if the teacher rejects it.
    pub(crate) fn generalize(
        &mut self,
        search: &mut Search,
        example: &Example,
        teacher: &mut dyn Teacher,
    ) -> Result<Option<bool>, PalError> {
        let accepted = self.generalize_once(search, example, teacher)?;
        if accepted == Some(true) {
            search.base.clone_from(example);
            self.generalize_with_mirrored(search, example, teacher)?;
        }
        Ok(accepted)
    }

    fn generalize_with_mirrored(
        &mut self,
        search: &mut Search,
        example: &Example,
        teacher: &mut dyn Teacher,
    ) -> Result<(), PalError> {
        if self.params.symmetries {
            for mirrored in self.saturator.cache.domain.mirrored(example) {
                if !search.satisfied && self.saturator.cache.domain.is_legal(&mirrored) {
                    self.generalize_once(search, &mirrored, teacher)?;
                }
            }
        }
        Ok(())
    }

    fn generalize_once(
        &mut self,
        search: &mut Search,
        example: &Example,
        teacher: &mut dyn Teacher,
    ) -> Result<Option<bool>, PalError> {
        let general = self.generalized(&search.pattern, example)?;
        if self.covers_negative(&general)? {
            return Ok(None);
        }
        let clause = general.to_clause(self.concept, &self.saturator.interner);
        match teacher.judge(&clause)? {
            Judgement::Reject => {
                let definitions = &self.saturator.cache.background.definitions;
                self.rejected
                    .push(SaturatedClause::new(&clause, definitions));
                return Ok(Some(false));
            }
            Judgement::Accept => {}
            Judgement::Stop => search.satisfied = true,
        }
        search.pattern = general;
        search.clause = Some(clause);
        search.failed.clear();
        search.succeeded.clear();
        Ok(Some(true))
    }

    /// The constrained relative lgg of a definition and an example.
    pub(crate) fn generalized(
        &mut self,
        definition: &Pattern,
        example: &Example,
    ) -> Result<Pattern, PalError> {
        let components = &definition.components;
        let own = (self.saturator).bottom_clause(example, components, self.params.dynamic)?;
        let connection = Connection {
            keep: self.params.keep,
            key: self.saturator.cache.domain.key(),
            by: self.params.connected_by,
        };
        let interner = &self.saturator.interner;
        Ok(constrained_lgg(definition, &own, interner, connection))
    }

    /// A definition as a prepared conjunction, and the variable of its state.
    fn conjunction(&mut self, pattern: &Pattern) -> Result<(Conjunction, Var), PalError> {
        let (body, state) = pattern.goals(&self.saturator.interner);
        let clause = Clause {
            head: Atom::new(self.concept, [state]),
            body,
        };
        let clause = clause.normalized();
        let mut own = Var(0);
        clause.head.for_each_var(&mut |var| own = var);
        let prover = &mut self.saturator.cache.prover;
        Ok((prover.conjunction(&clause.body, &[own])?, own))
    }

    /// Whether a definition covers a state.
    pub(crate) fn covers(&mut self, pattern: &Pattern, state: Constant) -> Result<bool, PalError> {
        let (mut goals, own) = self.conjunction(pattern)?;
        let substitution = [(own, Term::Const(state))];
        (self.saturator.cache).proves_all(&mut goals, &substitution)
    }

    /// Whether a definition covers a negative example. The last examples are tested first.
    fn covers_negative(&mut self, pattern: &Pattern) -> Result<bool, PalError> {
        if self.negatives.is_empty() {
            return Ok(false);
        }
        let (mut goals, own) = self.conjunction(pattern)?;
        for (_, state) in self.negatives.iter().rev() {
            let substitution = [(own, Term::Const(*state))];
            if (self.saturator.cache).proves_all(&mut goals, &substitution)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a definition is known to be too general: it covers a negative example or subsumes a
    /// rejected definition.
    pub(crate) fn is_refused(&mut self, pattern: &Pattern) -> Result<bool, PalError> {
        if !self.rejected.is_empty() {
            let clause = pattern.to_clause(self.concept, &self.saturator.interner);
            let own = SaturatedClause::new(&clause, &self.saturator.cache.background.definitions);
            if self.rejected.iter().any(|rejected| own.subsumes(rejected)) {
                return Ok(true);
            }
        }
        self.covers_negative(pattern)
    }
}
