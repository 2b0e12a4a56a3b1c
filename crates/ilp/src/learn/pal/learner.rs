use rustc_hash::FxHashSet;

use super::derive::Deriver;
use super::expand::reduced_by_expansion;
use super::generalize::{Connection, KeepComponents, generalization};
use super::pattern::Pattern;
use super::perturb::{Class, Generator, Perturbations, Space};
use super::select::failures;
use super::teacher::holds_in;
use super::{Background, Change, Domain, Example, Judgement, PalError, Teacher, Verdict};
use crate::prover::{Database, Limits, Prover};
use crate::term::{Clause, Constant, Symbol, Term};

/// Parameters of the learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PalParams {
    /// Whether the concept involves a move (section 5.2.2.3).
    pub dynamic: bool,
    /// Whether symmetric examples are generalised with each positive one (section 6.3).
    pub symmetries: bool,
    /// Whether components that nothing is said about are dropped.
    pub keep: KeepComponents,
    /// What a variable argument counts in the evaluation function of section 5.3.3: 20.
    pub varcte: i64,
    /// Highest perturbation level. The thesis ends where the user is satisfied.
    pub max_level: usize,
    /// Most clauses; positive examples that none of them covers are left then.
    pub max_clauses: usize,
    /// Most states looked at in one perturbation class.
    pub max_candidates: usize,
    /// Bounds on every query to the background knowledge.
    pub limits: Limits,
}

impl Default for PalParams {
    fn default() -> Self {
        Self {
            dynamic: false,
            symmetries: false,
            keep: KeepComponents::Connected,
            varcte: 20,
            max_level: 4,
            max_clauses: 16,
            max_candidates: 20_000,
            limits: Limits::default(),
        }
    }
}

/// What came of one example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A negative example, kept to reject definitions with.
    Negative,
    /// A positive example, and a new definition.
    Generalized,
    /// A positive example whose definition covers a negative one; stored.
    TooGeneral,
    /// A positive example whose definition the teacher rejects; stored.
    Rejected,
    /// The teacher ends the process at this example.
    Stopped,
}

/// One example shown to the teacher.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The example.
    pub example: Example,
    /// How it came about.
    pub change: Change,
    /// What came of it.
    pub outcome: Outcome,
    /// The new definition, if there is one.
    pub definition: Option<Clause>,
}

/// Why the search for a clause ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The teacher was satisfied.
    Satisfied,
    /// No perturbation class is left.
    Exhausted,
    /// The highest perturbation level was explored.
    LevelLimit,
}

/// What was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct PalLearned {
    /// The definition after the final reduction, one clause for each disjunct.
    pub clauses: Vec<Clause>,
    /// The same before the final reduction.
    pub unreduced: Vec<Clause>,
    /// Why the search for each clause ended.
    pub endings: Vec<Ending>,
    /// All examples shown, in order.
    pub steps: Vec<Step>,
    /// Positive examples that no clause covers, where the number of clauses was limited.
    pub open: Vec<Example>,
}

impl PalLearned {
    /// Positive and negative examples that were generated.
    pub fn n_examples(&self) -> (usize, usize) {
        let negative = |step: &&Step| step.outcome == Outcome::Negative;
        let stopped = |step: &&Step| step.outcome == Outcome::Stopped;
        let negatives = self.steps.iter().filter(negative).count();
        let stops = self.steps.iter().filter(stopped).count();
        (self.steps.len() - negatives - stops, negatives)
    }

    /// Examples whose definition the teacher had to reject.
    pub fn n_rejected(&self) -> usize {
        let rejected = |step: &&Step| step.outcome == Outcome::Rejected;
        self.steps.iter().filter(rejected).count()
    }
}

/// The learner.
pub struct Pal<'a, D> {
    deriver: Deriver<'a, D>,
    coverage: Prover<'a>,
    params: PalParams,
    concept: Symbol,
    shown: FxHashSet<Example>,
    negatives: Vec<Constant>,
    steps: Vec<Step>,
}

impl<D> std::fmt::Debug for Pal<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pal")
            .field("params", &self.params)
            .finish_non_exhaustive()
    }
}

/// The search for one clause.
struct Search {
    pattern: Pattern,
    /// The last positive example that the pattern was generalised with.
    base: Example,
    /// Sets of literals that failed in some example shown for this definition.
    failed: FxHashSet<Vec<bool>>,
    satisfied: bool,
}

/// What came of an example as far as the search is concerned.
enum Answer {
    Generalized,
    Refused,
    Stopped,
}

impl<'a, D: Domain> Pal<'a, D> {
    /// A learner of a concept with this name.
    pub fn new(
        domain: &'a D,
        db: &'a Database,
        background: &'a Background,
        concept: Symbol,
        params: PalParams,
    ) -> Self {
        Self {
            deriver: Deriver::new(domain, db, background, params.limits),
            coverage: Prover::new(db, params.limits),
            params,
            concept,
            shown: FxHashSet::default(),
            negatives: Vec::new(),
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
        let mut learned = PalLearned {
            clauses: Vec::new(),
            unreduced: Vec::new(),
            endings: Vec::new(),
            steps: Vec::new(),
            open: Vec::new(),
        };
        while !open.is_empty() && learned.clauses.len() < self.params.max_clauses {
            let seed = open.remove(0);
            let (pattern, ending) = self.search(&seed, &mut open, teacher)?;
            let clause = pattern.to_clause(self.concept);
            let definitions = &self.deriver.background.definitions;
            let reduced = reduced_by_expansion(&clause, definitions).normalized();
            learned.clauses.push(reduced);
            learned.unreduced.push(clause);
            // An example stored for this clause may be covered by an earlier one.
            let mut left = Vec::new();
            for example in open {
                let state = self.deriver.domain.state(&example);
                let steps = self.params.limits.steps;
                if !holds_in(&mut self.coverage, &learned.unreduced, state, steps)? {
                    left.push(example);
                }
            }
            open = left;
            learned.endings.push(ending);
        }
        learned.steps = self.steps;
        learned.open = open;
        Ok(learned)
    }

    /// Learns one clause from positive examples given in order, without generating any.
    ///
    /// Returns the clause before the final reduction and whether the teacher is satisfied with it;
    /// `None` if a generalisation was refused.
    ///
    /// # Errors
    /// As [`Pal::learn`].
    ///
    /// # Source
    /// Morales 1992, section 5.3.4.
    pub fn learn_from(
        &mut self,
        examples: &[Example],
        teacher: &mut dyn Teacher,
    ) -> Result<Option<(Clause, bool)>, PalError> {
        self.check(examples, teacher)?;
        let mut search = self.start(&examples[0], teacher)?;
        for example in &examples[1..] {
            if search.satisfied {
                break;
            }
            if self.generalize(&mut search, example, teacher)? != Some(true) {
                return Ok(None);
            }
        }
        let clause = search.pattern.to_clause(self.concept);
        Ok(Some((clause, search.satisfied)))
    }

    fn check(&mut self, examples: &[Example], teacher: &mut dyn Teacher) -> Result<(), PalError> {
        if examples.is_empty() {
            return Err(PalError::NoExample);
        }
        let domain = self.deriver.domain;
        let expected = domain.attributes().len();
        for (i, example) in (1..).zip(examples) {
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
            let state = domain.state(example);
            if teacher.classify(example, state, &Change::Given)? == Verdict::Negative {
                return Err(PalError::NotAnInstance(i));
            }
            self.shown.insert(example.clone());
        }
        Ok(())
    }

    fn start(&mut self, seed: &Example, teacher: &mut dyn Teacher) -> Result<Search, PalError> {
        let all: Vec<usize> = (0..seed.len()).collect();
        let pattern = self.deriver.pattern(seed, &all, self.params.dynamic)?;
        let mut search = Search {
            pattern,
            base: seed.clone(),
            failed: FxHashSet::default(),
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
        let domain = self.deriver.domain;
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
            let Some(class) = space.first(&search.pattern, domain, self.params.varcte) else {
                return Ok((search.pattern, Ending::Exhausted));
            };
            if space.level > self.params.max_level {
                return Ok((search.pattern, Ending::LevelLimit));
            }
            match self.explore(&mut search, &class, open, teacher)? {
                Answer::Generalized => {}
                Answer::Refused => space.explored(&class),
                Answer::Stopped => search.satisfied = true,
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
        let domain = self.deriver.domain;
        let base = search.base.clone();
        let mut culprits: Option<Vec<bool>> = None;
        let examples = Perturbations::new(&base, class, domain).take(self.params.max_candidates);
        let mut candidates = examples;
        while let Some(example) = candidates.next() {
            if !domain.is_legal(&example) || self.shown.contains(&example) {
                continue;
            }
            let failed = failures(&search.pattern, &example, &mut self.deriver)?;
            if !failed.contains(&true) {
                continue;
            }
            let promising = culprits.as_ref().is_none_or(|culprits| {
                let mut both = culprits.iter().zip(&failed);
                both.any(|(culprit, failed)| *culprit && !failed)
            });
            if !promising || !search.failed.insert(failed.clone()) {
                continue;
            }
            self.shown.insert(example.clone());
            let change = Change::Perturbed(class.clone());
            match self.ask(search, example, change, open, teacher)? {
                Answer::Refused if culprits.is_none() => {
                    culprits = Some(failed);
                    candidates =
                        Perturbations::new(&base, class, domain).take(self.params.max_candidates);
                }
                Answer::Refused => {}
                answer => return Ok(answer),
            }
        }
        Ok(Answer::Refused)
    }

    /// Shows an example to the teacher and draws the consequences.
    fn ask(
        &mut self,
        search: &mut Search,
        example: Example,
        change: Change,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<Answer, PalError> {
        let state = self.deriver.domain.state(&example);
        let verdict = teacher.classify(&example, state, &change)?;
        let (outcome, answer) = match verdict {
            Verdict::Negative => {
                self.negatives.push(state);
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
        let definition =
            (outcome == Outcome::Generalized).then(|| search.pattern.to_clause(self.concept));
        self.steps.push(Step {
            example,
            change,
            outcome,
            definition,
        });
        Ok(answer)
    }

    /// Generalises the definition with a positive example, and with those symmetric to it. `None`
    /// if the result covers a negative example, `Some(false)` if the teacher rejects it.
    fn generalize(
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
            for mirrored in self.deriver.domain.mirrored(example) {
                if !search.satisfied && self.deriver.domain.is_legal(&mirrored) {
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
        let components = search.pattern.components.clone();
        let own = self
            .deriver
            .pattern(example, &components, self.params.dynamic)?;
        let connection = Connection {
            keep: self.params.keep,
            key: self.deriver.domain.key(),
        };
        let general = generalization(&search.pattern, &own, connection);
        for &negative in &self.negatives {
            let goals = Clause {
                head: crate::Atom::new(self.concept, []),
                body: general.goals(&Term::Const(negative)),
            };
            if self.deriver.proves(&goals.normalized().body)? {
                return Ok(None);
            }
        }
        match teacher.judge(&general.to_clause(self.concept))? {
            Judgement::Reject => return Ok(Some(false)),
            Judgement::Accept => {}
            Judgement::Stop => search.satisfied = true,
        }
        search.pattern = general;
        search.failed.clear();
        Ok(Some(true))
    }
}
