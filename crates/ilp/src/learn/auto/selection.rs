//! Learners in turns, and the choice among what they learned.

use std::cmp::Ordering;

use kibitz_prolog::{Atom, Clause, Coverage};

use super::candidate::Candidate;
use super::{Auto, Quiet};
use crate::learn::mml::Scale;
use crate::learn::{LearnError, Learned, Progress, Stop};
use crate::problem::Problem;
use crate::task::Task;

/// Turns that learners have to improve on the best theory.
const PATIENCE: u32 = 4;

/// Examples that are learned from, and others that are tested on.
pub(super) struct Trial<'s> {
    pub(super) training: &'s Problem<'s>,
    pub(super) test: [&'s [Atom]; 2],
}

/// The test of a learner: whether it is right about each held-out example.
struct Tested {
    learner: usize,
    turn: u32,
    right: Vec<bool>,
    /// What it costs to be wrong about each.
    costs: Vec<f64>,
}

impl Tested {
    fn n_right(&self) -> usize {
        self.right.iter().filter(|own| **own).count()
    }

    /// What its mistakes cost.
    fn loss(&self) -> f64 {
        let each = self.right.iter().zip(&self.costs);
        each.filter(|(right, _)| !**right)
            .map(|(_, cost)| cost)
            .sum()
    }
}

/// The choice among learners, in the middle of it.
pub(super) struct Selection<'s> {
    own: &'s Auto,
    problem: &'s Problem<'s>,
    trial: Option<Trial<'s>>,
    scale: Scale<'s>,
    /// The best theory of each learner that has one.
    candidates: Vec<Candidate>,
    tested: Vec<Tested>,
    steps: u64,
    is_over: bool,
}

impl<'s> Selection<'s> {
    pub(super) fn new(own: &'s Auto, problem: &'s Problem<'s>, trial: Option<Trial<'s>>) -> Self {
        Self {
            own,
            problem,
            trial,
            scale: Scale::new(problem.task()),
            candidates: Vec::new(),
            tested: Vec::new(),
            steps: 0,
            is_over: false,
        }
    }

    pub(super) fn run(
        mut self,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Learned, LearnError> {
        let mut left: Vec<usize> = (0..self.own.learners.len()).collect();
        let mut failed = None;
        let (mut best, mut turns_of_best) = (None, 0);
        for turn in 0.. {
            let mut unfinished = Vec::new();
            for learner in left {
                match self.take_turn((learner, turn), progress) {
                    Ok(true) => {}
                    Ok(false) => unfinished.push(learner),
                    Err(error) => failed = failed.or(Some(error)),
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
                || turns_of_best >= PATIENCE
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
        (learner, turn): (usize, u32),
        progress: &mut (dyn Progress + Send),
    ) -> Result<bool, LearnError> {
        let own = &*self.own.learners[learner];
        let in_turn = own.in_turn(turn);
        let is_last = in_turn.is_none();
        let now = in_turn.as_deref().unwrap_or(own);
        let learned = now.learn(self.problem, &mut Quiet(progress))?;
        self.steps += learned.steps;
        let has_ended = is_last || learned.stop != Stop::OutOfSteps;
        self.is_over = learned.stop == Stop::Interrupted;
        let task = self.problem.task();
        let examples = [&task.positive[..], &task.negative[..]];
        let coverage = self.coverage(self.problem, &learned, examples, progress)?;
        // A theory that there is no time to prove is as good as none.
        let [tp, _, _, fp] = coverage.confusion();
        let clauses = unfolded(task, &learned);
        let bits = [
            self.scale.bits(&clauses, [tp, fp]),
            self.scale.bits(&[], [0, 0]),
        ];
        let costs = task.search.costs;
        let new = Candidate::new((learner, turn), learned, (&coverage, costs), bits);
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
        let (learner, turn, is_worth_it) = (best.learner, best.turn, best.is_worth_it());
        let place = self.test(learner, turn, progress)?;
        Ok(match place {
            Some(place) => self.tested[place].right.iter().all(|own| *own),
            None => is_worth_it,
        })
    }

    /// Tests a learner on held-out examples as it was in a turn; `None` without such examples, or if it
    /// cannot learn from the others.
    fn test(
        &mut self,
        learner: usize,
        turn: u32,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<usize>, LearnError> {
        let known = |own: &Tested| (own.learner, own.turn) == (learner, turn);
        if let Some(place) = self.tested.iter().position(known) {
            return Ok(Some(place));
        }
        let Some(trial) = &self.trial else {
            return Ok(None);
        };
        let own = &*self.own.learners[learner];
        let in_turn = own.in_turn(turn);
        let now = in_turn.as_deref().unwrap_or(own);
        let (training, test) = (trial.training, trial.test);
        let Ok(learned) = now.learn(training, &mut Quiet(progress)) else {
            return Ok(None);
        };
        self.steps += learned.steps;
        self.is_over |= learned.stop == Stop::Interrupted;
        if self.is_over {
            return Ok(None);
        }
        let coverage = self.coverage(training, &learned, test, progress)?;
        let positive = (0..test[0].len()).map(|e| coverage.positive.contains(e));
        let negative = (0..test[1].len()).map(|e| !coverage.negative.contains(e));
        let tested = Tested {
            learner,
            turn,
            right: positive.chain(negative).collect(),
            costs: self.problem.task().search.costs.of(test.map(<[Atom]>::len)),
        };
        progress.tried(own.name(), tested.n_right(), tested.right.len());
        self.tested.push(tested);
        Ok(Some(self.tested.len() - 1))
    }

    /// The best theory on all examples of a learner that is not clearly worse than another one on
    /// held-out examples, as far as there is time to find out.
    fn chosen(
        &mut self,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<Candidate>, LearnError> {
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        order.sort_by(|a, b| self.candidates[*a].compare(&self.candidates[*b]));
        let mut places = vec![None; order.len()];
        if order.len() > 1 && !self.is_over && !self.is_settled(progress)? {
            for &own in &order {
                let (learner, turn) = (self.candidates[own].learner, self.candidates[own].turn);
                places[own] = self.test(learner, turn, progress)?;
            }
        }
        let tested = |own: usize| places[own].map(|place| &self.tested[place]);
        let best = order.iter().filter_map(|own| tested(*own));
        let best = best.reduce(
            |best, own| {
                if own.loss() < best.loss() { own } else { best }
            },
        );
        // That a theory saves bits and is right about all examples says more than a part of them.
        let is_sure = |own: usize| {
            let own = &self.candidates[own];
            own.is_exact() && own.is_worth_it()
        };
        let may = |own: &usize| match (best, tested(*own)) {
            (Some(best), Some(test)) => is_sure(*own) || !is_clearly_worse(test, best),
            _ => true,
        };
        let chosen = order.iter().copied().find(may);
        Ok(chosen.map(|own| self.candidates.swap_remove(own)))
    }

    fn learned(&self, candidate: Candidate) -> Learned {
        let is_exact = candidate.is_exact();
        let learner = &*self.own.learners[candidate.learner];
        let mut learned = candidate.learned.by(learner, self.problem.task());
        learned.steps = self.steps;
        if self.is_over && !is_exact {
            learned.stop = Stop::Interrupted;
        }
        learned
    }

    /// What a theory covers, as far as there is time to find out.
    fn coverage(
        &self,
        problem: &Problem<'_>,
        learned: &Learned,
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

fn unfolded(task: &Task, learned: &Learned) -> Vec<Clause> {
    let clauses = learned.clauses.iter();
    clauses.map(|clause| task.unfolded(clause)).collect()
}

/// Whether mistakes cost more, by more than half the deviation of chance among the examples that only one
/// of the two is right about.
fn is_clearly_worse(own: &Tested, best: &Tested) -> bool {
    let pairs = own.right.iter().zip(&best.right).zip(&own.costs);
    let apart = pairs.filter(|((a, b), _)| a != b);
    let variance: f64 = apart.map(|(_, cost)| cost * cost).sum();
    own.loss() - best.loss() > 0.5 * variance.sqrt()
}
