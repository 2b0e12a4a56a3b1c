use rustc_hash::{FxHashMap, FxHashSet};

use super::derive::Deriver;
use super::expand::{Seen, reduced_definition};
use super::facts::FactBase;
use super::generalize::{Connection, generalization};
use super::outcome::{Ending, Outcome, PalLearned, PalParams, Step};
use super::pattern::Pattern;
use super::perturb::{Class, Generator, Perturbations, Space};
use super::select::Conditions;
use super::teacher::Instances;
use super::{Background, Change, Domain, Example, Judgement, PalError, Teacher, Verdict};
use crate::prover::{Conjunction, Database};
use crate::term::{Atom, Clause, Constant, Symbol, Term, Var};

/// The learner.
pub struct Pal<'a> {
    pub(super) deriver: Deriver<'a>,
    db: &'a Database,
    pub(super) params: PalParams,
    pub(super) concept: Symbol,
    shown: FxHashSet<Example>,
    pub(super) negatives: Vec<(Example, Constant)>,
    rejected: Vec<Seen>,
    examined: u64,
    pub(super) steps: Vec<Step>,
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
pub(super) struct Search {
    pub(super) pattern: Pattern,
    /// The pattern as a clause, once it was generalized.
    pub(super) clause: Option<Clause>,
    /// The last positive example that the pattern was generalized with.
    pub(super) base: Example,
    /// Sets of literals that failed in some example tried for this definition, and how often such
    /// an example was left out with foresight.
    failed: FxHashMap<Vec<bool>, u32>,
    pub(super) satisfied: bool,
}

/// Examples on which the same literals fail that are left out with foresight before all of them are.
///
/// An example that fails on all that a negative one fails on is not expected to teach anything; of
/// others it depends on more than the literals that fail, since facts are only derived from moves
/// that introduce or remove a predicate.
const MAX_LEFT_OUT: u32 = 64;

/// What came of an example as far as the search is concerned.
pub(super) enum Answer {
    Generalized,
    Refused,
    Stopped,
    Ended(Ending),
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
        Self {
            deriver: Deriver::new(
                FactBase::new(domain, db, background, params.limits),
                params.novelty,
            ),
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

    /// Learns from initial examples, one for each disjunct, generating all others.
    ///
    /// # Errors
    /// [`PalError`] for examples that are illegal or no instances, and whatever goes wrong in the
    /// background knowledge or with the teacher.
    ///
    /// # Source
    /// Morales 1992, Table 5.8.
    pub fn learn(
        mut self,
        examples: &[Example],
        teacher: &mut dyn Teacher,
    ) -> Result<PalLearned, PalError> {
        self.check(examples, teacher)?;
        let mut open: Vec<Example> = examples.to_vec();
        let mut learned = PalLearned::default();
        while !open.is_empty() && learned.clauses.len() < self.params.max_clauses {
            let seed = open.remove(0);
            let (pattern, ending) = self.search(&seed, &mut open, teacher)?;
            self.conclude(&pattern, ending, &mut open, &mut learned)?;
            if matches!(ending, Ending::StateLimit | Ending::Interrupted) {
                break;
            }
        }
        learned.steps = self.steps;
        learned.open = open;
        learned.examined = self.examined;
        Ok(learned)
    }

    /// Adds the clause found, and leaves those stored examples that no clause covers.
    ///
    /// # Source
    /// Morales 1992, section 5.4.1.
    pub(super) fn conclude(
        &mut self,
        pattern: &Pattern,
        ending: Ending,
        open: &mut Vec<Example>,
        learned: &mut PalLearned,
    ) -> Result<(), PalError> {
        let clause = pattern.to_clause(self.concept, &self.deriver.lexicon);
        let definitions = &self.deriver.base.background.definitions;
        let n_described = pattern.components.len() * self.deriver.base.n_arguments();
        let reduced = reduced_definition(&clause, n_described, definitions).normalized();
        learned.clauses.push(reduced);
        learned.unreduced.push(clause);
        learned.endings.push(ending);
        // What was stored for this clause may be covered by an earlier one.
        let mut left = Vec::new();
        let mut covered = Instances::new(self.db, self.params.limits, &learned.unreduced)?;
        for example in std::mem::take(open) {
            if !covered.include(self.deriver.base.domain.state(&example))? {
                left.push(example);
            }
        }
        *open = left;
        Ok(())
    }

    /// Whether an example, counted from 1, is a legal state.
    pub(super) fn check_shape(&self, i: usize, example: &Example) -> Result<(), PalError> {
        let domain = self.deriver.base.domain;
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

    pub(super) fn check(
        &mut self,
        examples: &[Example],
        teacher: &mut dyn Teacher,
    ) -> Result<(), PalError> {
        if examples.is_empty() {
            return Err(PalError::NoExample);
        }
        let domain = self.deriver.base.domain;
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

    pub(super) fn start(
        &mut self,
        seed: &Example,
        teacher: &mut dyn Teacher,
    ) -> Result<Search, PalError> {
        let all: Vec<usize> = (0..seed.len()).collect();
        let pattern = self.deriver.pattern(seed, &all, self.params.dynamic)?;
        let mut search = Search {
            pattern,
            clause: None,
            base: seed.clone(),
            failed: FxHashMap::default(),
            satisfied: false,
        };
        self.mirror(&mut search, seed, teacher)?;
        Ok(search)
    }

    /// The search for a clause that covers the seed; positive examples that it may not cover are
    /// added to `open`.
    fn search(
        &mut self,
        seed: &Example,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<(Pattern, Ending), PalError> {
        let domain = self.deriver.base.domain;
        let mut search = self.start(seed, teacher)?;
        let mut fixed = None;
        if let Some((example, attribute)) = domain.exchanged(seed) {
            fixed = Some(attribute);
            if !search.satisfied && domain.is_legal(&example) && self.shown.insert(example.clone())
            {
                let change = Change::Exchanged;
                if let Answer::Stopped = self.ask(&mut search, example, change, open, teacher)? {
                    search.satisfied = true;
                }
            }
        }
        let arguments = domain.arguments();
        let open_to_change = |attribute: &usize| {
            !domain.attributes()[*attribute].values.is_empty() && Some(*attribute) != fixed
        };
        let free: Vec<usize> = (0..arguments.len())
            .filter(|&argument| arguments[argument].iter().all(open_to_change))
            .collect();
        let generators = (search.pattern.components.iter()).flat_map(|&component| {
            free.iter().map(move |&argument| Generator {
                component,
                argument,
            })
        });
        let mut space = Space::new(generators);
        while !search.satisfied {
            space.restrict(&search.pattern);
            let (lexicon, order) = (&self.deriver.lexicon, self.params.class_order);
            let Some(class) = space.first(&search.pattern, lexicon, domain, order) else {
                return Ok((search.pattern, Ending::Exhausted));
            };
            if space.level > self.params.max_level {
                return Ok((search.pattern, Ending::LevelLimit));
            }
            match self.explore(&mut search, &class, open, teacher)? {
                Answer::Generalized => {}
                Answer::Refused => space.explored(&class),
                Answer::Stopped => search.satisfied = true,
                Answer::Ended(ending) => return Ok((search.pattern, ending)),
            }
        }
        Ok((search.pattern, Ending::Satisfied))
    }

    /// The example selection strategy: an example that fails on some literal, and after a negative
    /// one, examples that succeed on some of the literals that failed.
    ///
    /// # Source
    /// Morales 1992, Table 5.5. The thesis keeps the sets of literals that failed and of those that
    /// succeeded; both are known from the former, so that no two examples for one definition fail on
    /// the same literals. A positive example whose definition is refused is treated like a
    /// negative one here, as in appendix A.
    fn explore(
        &mut self,
        search: &mut Search,
        class: &Class,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<Answer, PalError> {
        let domain = self.deriver.base.domain;
        let base = search.base.clone();
        let Deriver {
            base: facts,
            lexicon,
            ..
        } = &mut self.deriver;
        let conditions = Conditions::new(&search.pattern, lexicon, facts)?;
        let mut negatives = Vec::new();
        if self.params.foresight {
            for (negative, _) in &self.negatives {
                negatives.push(conditions.failures(negative, &mut self.deriver.base)?);
            }
        }
        let mut culprits: Option<Vec<bool>> = None;
        let mut candidates = Perturbations::new(&base, class, domain, self.params.max_candidates);
        // What was looked at, but not shown, before the first refusal is looked at again after it.
        let mut looked_at: Vec<(Example, Vec<bool>)> = Vec::new();
        let mut again = Vec::new().into_iter();
        loop {
            let (example, known) = match again.next() {
                Some((example, failed)) => (example, Some(failed)),
                None => match candidates.next() {
                    Some(example) => (example, None),
                    None => return Ok(Answer::Refused),
                },
            };
            let is_new = known.is_none();
            if self.shown.contains(&example) || (is_new && !domain.is_legal(&example)) {
                continue;
            }
            if self.examined >= self.params.max_states {
                return Ok(Answer::Ended(Ending::StateLimit));
            }
            if !teacher.keep_going() {
                return Ok(Answer::Ended(Ending::Interrupted));
            }
            self.examined += 1;
            let failed = match known {
                Some(failed) => failed,
                None => conditions.failures(&example, &mut self.deriver.base)?,
            };
            let promising = failed.contains(&true)
                && culprits.as_ref().is_none_or(|culprits| {
                    let mut both = culprits.iter().zip(&failed);
                    both.any(|(culprit, failed)| *culprit && !failed)
                });
            let tried = || search.failed.get(&failed).copied();
            if !promising || tried().is_some_and(|n| n >= MAX_LEFT_OUT) {
                if culprits.is_none() {
                    looked_at.push((example, failed));
                }
                continue;
            }
            if self.params.foresight {
                let general = self.generalized(&search.pattern, &example)?;
                if self.is_refused(&general)? {
                    let expected = negatives.iter().any(|negative| within(negative, &failed));
                    let n = if expected { MAX_LEFT_OUT } else { 1 };
                    *search.failed.entry(failed.clone()).or_default() += n;
                    if culprits.is_none() {
                        looked_at.push((example, failed));
                    }
                    continue;
                }
            }
            search.failed.insert(failed.clone(), MAX_LEFT_OUT);
            self.shown.insert(example.clone());
            let change = Change::Perturbed(class.clone());
            match self.ask(search, example, change, open, teacher)? {
                Answer::Refused if culprits.is_none() => {
                    culprits = Some(failed);
                    again = std::mem::take(&mut looked_at).into_iter();
                }
                Answer::Refused => {}
                answer => return Ok(answer),
            }
        }
    }

    /// Shows an example to the teacher and draws the consequences.
    pub(super) fn ask(
        &mut self,
        search: &mut Search,
        example: Example,
        change: Change,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<Answer, PalError> {
        let state = self.deriver.base.domain.state(&example);
        let verdict = teacher.classify(&example, state, &change)?;
        let (outcome, answer) = match verdict {
            Verdict::Negative => {
                self.negatives.push((example.clone(), state));
                (Outcome::Negative, Answer::Refused)
            }
            Verdict::Stop => (Outcome::Stopped, Answer::Stopped),
            Verdict::Positive => {
                let outcome = match self.generalize(search, &example, teacher)? {
                    None => Outcome::TooGeneral,
                    Some(false) => Outcome::Rejected,
                    Some(true) => Outcome::Generalized,
                };
                if outcome == Outcome::Generalized {
                    (outcome, Answer::Generalized)
                } else {
                    open.push(example.clone());
                    (outcome, Answer::Refused)
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
        Ok(answer)
    }

    /// Generalizes the definition with a positive example, and with those symmetric to it. `None`
    /// if the result covers a negative example, `Some(false)` if the teacher rejects it.
    pub(super) fn generalize(
        &mut self,
        search: &mut Search,
        example: &Example,
        teacher: &mut dyn Teacher,
    ) -> Result<Option<bool>, PalError> {
        let accepted = self.generalize_once(search, example, teacher)?;
        if accepted == Some(true) {
            search.base.clone_from(example);
            self.mirror(search, example, teacher)?;
        }
        Ok(accepted)
    }

    fn mirror(
        &mut self,
        search: &mut Search,
        example: &Example,
        teacher: &mut dyn Teacher,
    ) -> Result<(), PalError> {
        if self.params.symmetries {
            for mirrored in self.deriver.base.domain.mirrored(example) {
                if !search.satisfied && self.deriver.base.domain.is_legal(&mirrored) {
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
        let clause = general.to_clause(self.concept, &self.deriver.lexicon);
        match teacher.judge(&clause)? {
            Judgement::Reject => {
                let definitions = &self.deriver.base.background.definitions;
                self.rejected.push(Seen::new(&clause, definitions));
                return Ok(Some(false));
            }
            Judgement::Accept => {}
            Judgement::Stop => search.satisfied = true,
        }
        search.pattern = general;
        search.clause = Some(clause);
        search.failed.clear();
        Ok(Some(true))
    }

    /// The definition generalized with an example.
    pub(super) fn generalized(
        &mut self,
        definition: &Pattern,
        example: &Example,
    ) -> Result<Pattern, PalError> {
        let components = &definition.components;
        let own = (self.deriver).pattern(example, components, self.params.dynamic)?;
        let connection = Connection {
            keep: self.params.keep,
            key: self.deriver.base.domain.key(),
            by: self.params.connected_by,
        };
        let lexicon = &self.deriver.lexicon;
        Ok(generalization(definition, &own, lexicon, connection))
    }

    /// A definition made ready, and the variable that is the state.
    fn conjunction(&mut self, pattern: &Pattern) -> Result<(Conjunction, Var), PalError> {
        let (body, state) = pattern.goals(&self.deriver.lexicon);
        let clause = Clause {
            head: Atom::new(self.concept, [state]),
            body,
        };
        let clause = clause.normalized();
        let mut own = Var(0);
        clause.head.for_each_var(&mut |var| own = var);
        let prover = &mut self.deriver.base.prover;
        Ok((prover.conjunction(&clause.body, &[own])?, own))
    }

    /// Whether a definition holds in a state.
    pub(super) fn covers(&mut self, pattern: &Pattern, state: Constant) -> Result<bool, PalError> {
        let (mut goals, own) = self.conjunction(pattern)?;
        let given = [(own, Term::Const(state))];
        self.deriver.base.proves_all(&mut goals, &given)
    }

    /// Whether a definition holds in the state of a negative example; the last ones are tried first.
    fn covers_negative(&mut self, pattern: &Pattern) -> Result<bool, PalError> {
        if self.negatives.is_empty() {
            return Ok(false);
        }
        let (mut goals, own) = self.conjunction(pattern)?;
        for (_, state) in self.negatives.iter().rev() {
            let given = [(own, Term::Const(*state))];
            if self.deriver.base.proves_all(&mut goals, &given)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_refused(&mut self, pattern: &Pattern) -> Result<bool, PalError> {
        if !self.rejected.is_empty() {
            let clause = pattern.to_clause(self.concept, &self.deriver.lexicon);
            let own = Seen::new(&clause, &self.deriver.base.background.definitions);
            if self.rejected.iter().any(|rejected| own.covers(rejected)) {
                return Ok(true);
            }
        }
        self.covers_negative(pattern)
    }
}

/// Whether all literals that fail on one example fail on another.
fn within(one: &[bool], other: &[bool]) -> bool {
    one.iter().zip(other).all(|(a, b)| !a || *b)
}
