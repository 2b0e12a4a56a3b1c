//! Learners in turns, and the choice among what they learned.

use std::cmp::Ordering;

use kibitz_prolog::{Atom, Clause, Coverage};

use super::candidate::Candidate;
use super::{Auto, Quiet, STEPS_OF_ALL};
use crate::learn::mml::Scale;
use crate::learn::{Hypothesis, LearnError, Learner, Progress, Stop};
use crate::problem::Problem;
use crate::task::{Split, Task};

/// Parts that are tested on to find out whether others need go on.
const SETTLING: usize = 2;

/// What a mistake on a held-out example weighs beside the bits of theories. With 8 the choice was best on
/// tasks of 50 to 1,000 examples of two kinds (illegal positions of king and rook against king, trains),
/// with 0 to 20% of the labels wrong; 4 to 12 are little worse.
const BITS_OF_A_MISTAKE: f64 = 8.0;

/// A learner as it was in a turn.
type InTurn = (usize, u32);

/// The test of a learner on one part of the examples.
struct FoldResult {
    own: InTurn,
    fold: usize,
    /// Whether it is right about each of them; `None` if it cannot learn from the others.
    right: Option<Vec<bool>>,
}

/// The choice among learners, in the middle of it.
pub(super) struct Selection<'s> {
    own: &'s Auto,
    problem: &'s Problem<'s>,
    folds: Vec<Split>,
    scale: Scale<'s>,
    /// The best theory of each learner that has one.
    candidates: Vec<Candidate>,
    tested: Vec<FoldResult>,
    /// The steps of each learner, and those of them that its tests took.
    steps: Vec<u64>,
    tests: Vec<u64>,
    /// The limit that ended the last turn of each learner.
    limits: Vec<Option<Stop>>,
    is_over: bool,
}

impl<'s> Selection<'s> {
    pub(super) fn new(own: &'s Auto, problem: &'s Problem<'s>, folds: Vec<Split>) -> Self {
        Self {
            own,
            problem,
            folds,
            scale: Scale::new(problem.task()),
            candidates: Vec::new(),
            tested: Vec::new(),
            steps: vec![0; own.learners.len()],
            tests: vec![0; own.learners.len()],
            limits: vec![None; own.learners.len()],
            is_over: false,
        }
    }

    pub(super) fn run(
        mut self,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let mut left: Vec<usize> = (0..self.own.learners.len()).collect();
        let mut failed = None;
        let (mut best, mut turns_of_best) = (None, 0);
        for turn in 0.. {
            let mut unfinished = Vec::new();
            for learner in left {
                match self.take_turn((learner, turn), progress) {
                    Ok(true) => {}
                    Ok(false) => unfinished.push(learner),
                    Err(error) => {
                        let is_of_memory = matches!(error, LearnError::OutOfMemory(_));
                        self.limits[learner] = is_of_memory.then_some(Stop::OutOfMemory);
                        failed = failed.or(Some(error));
                    }
                }
                if self.is_over {
                    break;
                }
            }
            left = unfinished;
            let now = self.best().map(|own| (own.learner, own.cost().to_bits()));
            turns_of_best = if now == best { turns_of_best + 1 } else { 0 };
            best = now;
            if self.is_over
                || left.is_empty()
                || (self.own.patience).is_some_and(|most| turns_of_best >= most)
                || self.is_settled(progress)?
            {
                break;
            }
        }
        match self.chosen(progress)? {
            Some(candidate) => Ok(self.learned(candidate)),
            None => {
                Err(failed.unwrap_or_else(|| LearnError::Other("no learner is given".to_owned())))
            }
        }
    }

    /// Lets a learner learn from all examples with the steps of a turn; whether it has ended.
    fn take_turn(
        &mut self,
        (learner, turn): InTurn,
        progress: &mut (dyn Progress + Send),
    ) -> Result<bool, LearnError> {
        let own = &*self.own.learners[learner];
        let in_turn = own.in_turn(turn);
        let is_last = in_turn.is_none();
        let now = in_turn.as_deref().unwrap_or(own);
        let learned = now.learn(self.problem, &mut Quiet(progress))?;
        self.steps[learner] += learned.steps;
        let has_ended = is_last || learned.stop != Stop::OutOfSteps;
        self.is_over = learned.stop == Stop::Interrupted;
        // A turn that is not the last has fewer steps than are allowed.
        let is_limit = match learned.stop {
            Stop::OutOfSteps => is_last,
            stop => stop == Stop::OutOfMemory,
        };
        self.limits[learner] = is_limit.then_some(learned.stop);
        let task = self.problem.task();
        let examples = [&task.positive[..], &task.negative[..]];
        let coverage = self.coverage(self.problem, &learned, examples, progress)?;
        // A theory that there is no time to prove is as good as none.
        let clauses = unfolded(task, &learned);
        let bits = [self.scale.bits(&clauses, &coverage), self.scale.empty()];
        let [_, fn_, _, fp] = task.weights.confusion(&coverage, examples);
        // Examples that there was no time to prove may be wrong.
        let loss = task.search.costs.weighted_loss([fn_, fp]) + coverage.left_out as f64;
        let new = Candidate::new((learner, turn), learned, loss, bits);
        match self
            .candidates
            .iter_mut()
            .find(|own| own.learner == learner)
        {
            None => self.candidates.push(new),
            Some(known) if new.compare(known) == Ordering::Less => *known = new,
            Some(known) if has_ended && known.learned.clauses == new.learned.clauses => {
                *known = new;
            }
            Some(_) => {}
        }
        Ok(has_ended)
    }

    /// The best theory on all examples; of equals that of the first learner.
    fn best(&self) -> Option<&Candidate> {
        self.candidates.iter().min_by(|a, b| a.compare(b))
    }

    /// Whether others need not go on: the best theory is right about all examples, and its learner is
    /// right about held-out ones, or it saves bits where there are none.
    fn is_settled(&mut self, progress: &mut (dyn Progress + Send)) -> Result<bool, LearnError> {
        let Some(best) = self.best().filter(|best| best.is_exact()) else {
            return Ok(false);
        };
        let (own, is_worth_it) = (best.in_turn(), best.is_worth_it());
        if self.folds.is_empty() {
            return Ok(is_worth_it);
        }
        for fold in 0..SETTLING {
            self.test(fold, &[own], progress)?;
            let right = self.tested(own, fold);
            if !right.is_some_and(|right| right.iter().all(|own| *own)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a learner is right about each example of a part, if it was tested on it.
    fn tested(&self, own: InTurn, fold: usize) -> Option<&[bool]> {
        let mut known = self.tested.iter();
        let known = known.find(|known| (known.own, known.fold) == (own, fold))?;
        known.right.as_deref()
    }

    /// Tests learners, as they were in their turns, on a part of the examples, those of them that have
    /// steps left for it.
    fn test(
        &mut self,
        fold: usize,
        learners: &[InTurn],
        progress: &mut (dyn Progress + Send),
    ) -> Result<(), LearnError> {
        let is_known = |own: &FoldResult, asked| (own.own, own.fold) == (asked, fold);
        let mut asked = learners.to_vec();
        asked.retain(|asked| !self.tested.iter().any(|own| is_known(own, *asked)));
        if asked.is_empty() {
            return Ok(());
        }
        let split = self.folds[fold].clone();
        let training = self.problem.task().with_examples(split.training);
        let training = Problem::with_database(&training, self.problem.database());
        let training = training.shared(self.own.listing_steps());
        for (learner, turn) in asked {
            let own = &*self.own.learners[learner];
            let in_turn = own.in_turn(turn);
            let now = in_turn.as_deref().unwrap_or(own);
            if !self.may_test((learner, turn), now) {
                continue;
            }
            let mut tested = FoldResult {
                own: (learner, turn),
                fold,
                right: None,
            };
            if let Ok(learned) = now.learn(&training, &mut Quiet(progress)) {
                self.steps[learner] += learned.steps;
                self.tests[learner] += learned.steps;
                self.is_over |= learned.stop == Stop::Interrupted;
                if self.is_over {
                    return Ok(());
                }
                let test = split.test.each_ref().map(|part| &part[..]);
                let coverage = self.coverage(&training, &learned, test, progress)?;
                let positive = (0..test[0].len()).map(|e| coverage.positive.contains(e));
                let negative = (0..test[1].len()).map(|e| !coverage.negative.contains(e));
                let right: Vec<bool> = positive.chain(negative).collect();
                let n_right = right.iter().filter(|own| **own).count();
                progress.tried(own.name(), n_right, right.len());
                tested.right = Some(right);
            }
            self.tested.push(tested);
        }
        Ok(())
    }

    /// Whether a learner has steps left for a test: turns and tests together take no more than is promised,
    /// and the tests of a learner whose steps ran out no more than its turns.
    fn may_test(&self, own: InTurn, now: &dyn Learner) -> bool {
        let (learner, all) = (&*self.own.learners[own.0], self.steps[own.0]);
        let promised = learner
            .max_steps()
            .map(|own| own.saturating_mul(STEPS_OF_ALL));
        let next = now.max_steps().unwrap_or_default();
        if promised.is_some_and(|most| all.saturating_add(next) > most) {
            return false;
        }
        let mut candidates = self.candidates.iter();
        let Some(known) = candidates.find(|known| known.in_turn() == own) else {
            return true;
        };
        let (learned, tests) = (&known.learned, self.tests[own.0]);
        learned.stop != Stop::OutOfSteps || tests + learned.steps <= all - tests
    }

    /// What the mistakes of a learner would cost if it were tested on all examples, in mistakes of mean
    /// cost; `None` if it was not tested.
    fn held_out_mistakes(&self, own: InTurn) -> Option<f64> {
        let task = self.problem.task();
        let costs = task.search.costs;
        let (mut loss, mut tested, mut all) = (0.0, 0.0, 0.0);
        let mut n_all = 0;
        for (fold, split) in self.folds.iter().enumerate() {
            let test = split.test.each_ref().map(|part| &part[..]);
            let each = costs.of(task.weights.each(test));
            all += each.iter().sum::<f64>();
            n_all += each.len();
            let Some(right) = self.tested(own, fold) else {
                continue;
            };
            tested += each.iter().sum::<f64>();
            let wrong = right.iter().zip(&each).filter(|(right, _)| !**right);
            loss += wrong.map(|(_, cost)| cost).sum::<f64>();
        }
        (tested > 0.0).then(|| loss / tested * all / (all / n_all as f64))
    }

    /// The best theory. Where learners were tested on held-out examples, the bits of their theories on all
    /// examples count, and their mistakes on these.
    fn chosen(
        &mut self,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<Candidate>, LearnError> {
        self.candidates.sort_by(Candidate::compare);
        if self.candidates.len() > 1 && !self.is_over && !self.is_settled(progress)? {
            let all: Vec<InTurn> = self.candidates.iter().map(Candidate::in_turn).collect();
            for fold in 0..self.folds.len() {
                self.test(fold, &all, progress)?;
                if self.is_over {
                    break;
                }
            }
        }
        let tested = self.candidates.iter().enumerate().filter_map(|(i, own)| {
            let mistakes = self.held_out_mistakes(own.in_turn())?;
            Some((own.bits() + BITS_OF_A_MISTAKE * mistakes, i))
        });
        let mut tested: Vec<(f64, usize)> = tested.collect();
        // One that alone was tested has no other to be compared with. That a theory saves bits and is right
        // about all examples says more than what is learned from a part of them.
        let is_sure = |own: &Candidate| own.is_exact() && own.is_worth_it();
        if tested.len() < 2 || self.candidates.first().is_some_and(is_sure) {
            tested.clear();
        }
        let best = tested.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let place = best.map_or(0, |(_, place)| place);
        let is_any = place < self.candidates.len();
        Ok(is_any.then(|| self.candidates.swap_remove(place)))
    }

    fn learned(&self, candidate: Candidate) -> Hypothesis {
        let is_exact = candidate.is_exact();
        let learner = &*self.own.learners[candidate.learner];
        let mut learned = candidate.learned.by(learner, self.problem.task());
        learned.steps = self.steps.iter().sum();
        if !is_exact {
            let names = self.own.learners.iter().map(Learner::name);
            let unfinished = names.zip(&self.limits);
            let unfinished = unfinished.filter_map(|(name, limit)| Some((name, (*limit)?)));
            learned.unfinished = unfinished.collect();
            if self.is_over {
                learned.stop = Stop::Interrupted;
            } else if self.limits.contains(&Some(Stop::OutOfMemory)) {
                learned.stop = Stop::OutOfMemory;
            }
        }
        learned
    }

    /// What a theory covers, as far as there is time to find out.
    fn coverage(
        &self,
        problem: &Problem<'_>,
        learned: &Hypothesis,
        examples: [&[Atom]; 2],
        progress: &mut (dyn Progress + Send),
    ) -> Result<Coverage, LearnError> {
        let clauses = unfolded(problem.task(), learned);
        let limits = self.own.limits;
        let coverage = problem.coverage_of(&clauses, examples, limits, &mut || {
            progress.keep_verifying()
        })?;
        Ok(coverage)
    }
}

fn unfolded(task: &Task, learned: &Hypothesis) -> Vec<Clause> {
    let clauses = learned.clauses.iter();
    clauses.map(|clause| task.unfolded(clause)).collect()
}
