//! Active learning: PAL generates its examples by perturbation and asks the teacher about them.

use kibitz_prolog::Clause;

use crate::failure_set::CompiledPattern;
use crate::learner::{Effect, Pal, Search};
use crate::outcome::{Ending, Outcome, PalResult, Step};
use crate::perturbation::{Generator, PerturbationClass, PerturbationSpace, Perturbations};
use crate::saturation::Saturator;
use crate::{Change, Example, PalError, Teacher};

/// Examples with one failure set that foresight skips before it skips all of them.
///
/// An example that fails on all literals that fail in a negative one is expected to be negative and is
/// skipped at once. For others the failure set is not conclusive: dynamic literals only describe moves
/// that add or remove a predicate.
const MAX_SKIPPED: u32 = 64;

/// An example with its failure set.
type TestedExample = (Example, Vec<bool>);

/// The examples of a perturbation class. Those skipped before the first refusal come again after it.
struct Candidates<'c> {
    generated: Perturbations<'c>,
    skipped: Vec<TestedExample>,
    again: std::vec::IntoIter<TestedExample>,
}

impl Candidates<'_> {
    fn repeat_skipped(&mut self) {
        self.again = std::mem::take(&mut self.skipped).into_iter();
    }
}

impl Iterator for Candidates<'_> {
    /// An example, with its failure set if it was tested before.
    type Item = (Example, Option<Vec<bool>>);

    fn next(&mut self) -> Option<Self::Item> {
        match self.again.next() {
            Some((example, failed)) => Some((example, Some(failed))),
            None => Some((self.generated.next()?, None)),
        }
    }
}

impl Pal<'_> {
    /// Learns from initial examples, one for each disjunct, and generates all others.
    ///
    /// When all are covered, PAL requests a [counterexample](Teacher::counterexample) from the teacher. The
    /// counterexample generalizes the first unfinished clause that may cover it, or starts another one.
    ///
    /// # Errors
    /// [`PalError`] for initial examples that are illegal or negative, and for errors of the
    /// background and the teacher.
    ///
    /// # Source
    /// Morales 1992, Table 5.8.
    pub fn learn(
        mut self,
        examples: &[Example],
        teacher: &mut dyn Teacher,
    ) -> Result<PalResult, PalError> {
        self.check_initial(examples, teacher)?;
        let mut open: Vec<Example> = examples.to_vec();
        let mut learned = PalResult::default();
        let mut unfinished: Vec<(usize, Search)> = Vec::new();
        'learning: loop {
            while !open.is_empty() && learned.clauses.len() < self.params.max_clauses {
                let seed = open.remove(0);
                let (search, ending) = self.learn_clause(&seed, &mut open, teacher)?;
                self.conclude(&search.pattern, ending, &mut open, &mut learned)?;
                if matches!(ending, Ending::StateLimit | Ending::Interrupted) {
                    break 'learning;
                }
                if ending != Ending::Satisfied {
                    unfinished.push((learned.clauses.len() - 1, search));
                }
            }
            let Some(example) = teacher.counterexample(&learned.clauses)? else {
                break;
            };
            self.check_shape(learned.clauses.len() + 1, &example)?;
            self.shown.insert(example.clone());
            let definition =
                self.generalize_unfinished(&mut unfinished, &example, &mut learned, teacher)?;
            let outcome = match definition {
                Some(_) => Outcome::Generalized,
                None => Outcome::Stored,
            };
            self.steps.push(Step {
                example: example.clone(),
                change: Change::Counterexample,
                outcome,
                definition,
            });
            if outcome == Outcome::Stored {
                open.push(example);
                if learned.clauses.len() >= self.params.max_clauses {
                    break;
                }
            }
        }
        learned.steps = self.steps;
        learned.open = open;
        learned.examined = self.examined;
        Ok(learned)
    }

    /// Generalizes the first clause that the teacher was not satisfied with and that may cover the
    /// example, and returns it before its final reduction; `None` if no clause may cover it.
    fn generalize_unfinished(
        &mut self,
        unfinished: &mut Vec<(usize, Search)>,
        example: &Example,
        learned: &mut PalResult,
        teacher: &mut dyn Teacher,
    ) -> Result<Option<Clause>, PalError> {
        for at in 0..unfinished.len() {
            let (number, search) = &mut unfinished[at];
            if example.len() != search.base.len()
                || self.generalize(search, example, teacher)? != Some(true)
            {
                continue;
            }
            let [reduced, clause] = self.final_clause(&search.pattern);
            learned.clauses[*number] = reduced;
            learned.unreduced[*number] = clause.clone();
            learned.components[*number].clone_from(&search.pattern.components);
            if search.satisfied {
                learned.endings[*number] = Ending::Satisfied;
                unfinished.remove(at);
            }
            return Ok(Some(clause));
        }
        Ok(None)
    }

    /// Searches for a clause that covers the seed. Positive examples that it may not cover are added
    /// to `open`.
    fn learn_clause(
        &mut self,
        seed: &Example,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<(Search, Ending), PalError> {
        let domain = self.saturator.cache.domain;
        let mut search = self.start(seed, teacher)?;
        let mut fixed = None;
        if let Some((example, attribute)) = domain.exchanged(seed) {
            fixed = Some(attribute);
            if !search.satisfied && domain.is_legal(&example) && self.shown.insert(example.clone())
            {
                let change = Change::Exchanged;
                if let Effect::Stop = self.ask(&mut search, example, change, open, teacher)? {
                    search.satisfied = true;
                }
            }
        }
        let arguments = domain.arguments();
        let may_change = |attribute: &usize| {
            !domain.attributes()[*attribute].values.is_empty() && Some(*attribute) != fixed
        };
        let free: Vec<usize> = (0..arguments.len())
            .filter(|&argument| arguments[argument].iter().all(may_change))
            .collect();
        let generators = (search.pattern.components.iter()).flat_map(|&component| {
            free.iter().map(move |&argument| Generator {
                component,
                argument,
            })
        });
        let mut space = PerturbationSpace::new(generators);
        while !search.satisfied {
            space.restrict(&search.pattern);
            let (interner, order) = (&self.saturator.interner, self.params.class_order);
            let Some(class) = space.next_class(&search.pattern, interner, domain, order) else {
                return Ok((search, Ending::Exhausted));
            };
            if space.level > self.params.max_level {
                return Ok((search, Ending::LevelLimit));
            }
            match self.explore(&mut search, &class, open, teacher)? {
                Effect::Generalization => {}
                Effect::Refusal => space.expand(&class),
                Effect::Stop => search.satisfied = true,
                Effect::End(ending) => return Ok((search, ending)),
            }
        }
        Ok((search, Ending::Satisfied))
    }

    /// The example selection strategy in one perturbation class: asks about an example that fails on
    /// some literal, and after a negative one, about examples that satisfy some literal that failed.
    ///
    /// # Source
    /// Morales 1992, Table 5.5. No two examples for one definition fail on the same literals and, with
    /// [`PalParams::success_sets`](super::PalParams::success_sets), no two examples after a refusal
    /// succeed on the same of the literals that failed in the refused one. A positive example whose
    /// definition is refused is treated like a negative one here, as in appendix A.
    fn explore(
        &mut self,
        search: &mut Search,
        class: &PerturbationClass,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<Effect, PalError> {
        let domain = self.saturator.cache.domain;
        let base = search.base.clone();
        let Saturator {
            cache, interner, ..
        } = &mut self.saturator;
        let compiled = CompiledPattern::new(&search.pattern, interner, cache)?;
        let mut negatives = Vec::new();
        if self.params.foresight {
            for (negative, _) in &self.negatives {
                negatives.push(compiled.failures(negative, &mut self.saturator.cache)?);
            }
        }
        let mut candidates = Candidates {
            generated: Perturbations::new(&base, class, domain, self.params.max_candidates),
            skipped: Vec::new(),
            again: Vec::new().into_iter(),
        };
        // The literals that failed in the first refused example.
        let mut culprits: Option<Vec<bool>> = None;
        while let Some((example, known)) = candidates.next() {
            if self.shown.contains(&example) || (known.is_none() && !domain.is_legal(&example)) {
                continue;
            }
            if self.examined >= self.params.max_states {
                return Ok(Effect::End(Ending::StateLimit));
            }
            if !teacher.keep_going() {
                return Ok(Effect::End(Ending::Interrupted));
            }
            self.examined += 1;
            let failed = match known {
                Some(failed) => failed,
                None => compiled.failures(&example, &mut self.saturator.cache)?,
            };
            let culprits_here = culprits.as_deref().filter(|_| self.params.success_sets);
            let succeeded = culprits_here.map(|culprits| success_set(culprits, &failed));
            if !is_informative(&failed, culprits.as_deref(), search)
                || (succeeded.as_ref()).is_some_and(|held| search.succeeded.contains(held))
                || self.foresees_refusal(search, &example, &failed, &negatives)?
            {
                if culprits.is_none() {
                    candidates.skipped.push((example, failed));
                }
                continue;
            }
            search.failed.insert(failed.clone(), MAX_SKIPPED);
            search.succeeded.extend(succeeded);
            self.shown.insert(example.clone());
            let change = Change::Perturbed(class.clone());
            match self.ask(search, example, change, open, teacher)? {
                Effect::Refusal if culprits.is_none() => {
                    culprits = Some(failed);
                    candidates.repeat_skipped();
                }
                Effect::Refusal => {}
                effect => return Ok(effect),
            }
        }
        Ok(Effect::Refusal)
    }

    /// Whether foresight predicts that the generalization with an example would be rejected for any answer
    /// of the teacher.
    fn foresees_refusal(
        &mut self,
        search: &mut Search,
        example: &Example,
        failed: &[bool],
        negatives: &[Vec<bool>],
    ) -> Result<bool, PalError> {
        if !self.params.foresight {
            return Ok(false);
        }
        let general = self.generalized(&search.pattern, example)?;
        if !self.is_refused(&general)? {
            return Ok(false);
        }
        let is_expected = negatives.iter().any(|negative| is_subset(negative, failed));
        let n = if is_expected { MAX_SKIPPED } else { 1 };
        *search.failed.entry(failed.to_vec()).or_default() += n;
        Ok(true)
    }
}

/// Whether an example with this failure set may teach something new: some literal fails, some of the
/// culprits holds, and the failure set was not tried often enough.
fn is_informative(failed: &[bool], culprits: Option<&[bool]>, search: &Search) -> bool {
    let satisfies_culprit = |culprits: &[bool]| {
        let mut both = culprits.iter().zip(failed);
        both.any(|(culprit, failed)| *culprit && !failed)
    };
    failed.contains(&true)
        && culprits.is_none_or(satisfies_culprit)
        && search.failed.get(failed).is_none_or(|n| *n < MAX_SKIPPED)
}

/// Of the literals that failed in a refused example, those that hold in another one; both are failure sets, one
/// entry for each literal.
///
/// # Source
/// Morales 1992, Table 5.5, second list.
pub fn success_set(culprits: &[bool], failed: &[bool]) -> Vec<bool> {
    let both = culprits.iter().zip(failed);
    both.map(|(culprit, failed)| *culprit && !failed).collect()
}

/// Whether all literals that fail on one example fail on another.
fn is_subset(one: &[bool], other: &[bool]) -> bool {
    one.iter().zip(other).all(|(a, b)| !a || *b)
}
