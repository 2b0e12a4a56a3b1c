use std::cell::Cell;

use super::recursion::Addition;
use super::state::{EPSILON, PartialClause, Ranking, Search};

impl Search<'_> {
    pub(super) fn rank(&self, partial: &PartialClause, possible: f64) -> Ranking {
        let tuples = &partial.tuples;
        let [p, n] = tuples.counts;
        let before = information(p, n);
        let literal_bits = (partial.candidates.len.max(2) as f64).log2();
        let n_lits = partial.lits.len();
        // The order of literals does not matter, which saves the bits that would tell it.
        let bits = partial.bits + literal_bits - ((n_lits + 1) as f64).log2();
        // Many tuples may stand for one example.
        let examples = self.uncovered.count_ones(..);
        let affordable = |kept: usize| self.is_affordable(bits, kept.min(examples));
        let mut ranking = Ranking::default();
        // What cannot come close to the best is not looked at to the end.
        let best_so_far = Cell::new(0.0);
        let is_hopeless = |kept: usize, after: [usize; 2]| {
            let most = kept as f64 * (before - information(after[0], after[1]));
            let least = self.params.alternative_gain * best_so_far.get();
            self.has_recursion() && (kept == 0 || most < least)
        };
        let mut stopped = None;
        let mut keep_going = || {
            stopped = stopped.or_else(|| self.reason_to_search_no_more());
            stopped.is_none()
        };
        partial.candidates.tests(
            self.problem,
            tuples,
            &mut keep_going,
            &is_hopeless,
            |pick, effect| {
                self.meter.literal();
                let gain =
                    effect.kept as f64 * (before - information(effect.after[0], effect.after[1]));
                if gain > EPSILON && affordable(effect.kept) {
                    best_so_far.set(gain.max(best_so_far.get()));
                    ranking.gains.push((gain, pick, effect));
                }
            },
        );
        let best = ranking
            .gains
            .iter()
            .fold(0.0, |best: f64, (gain, ..)| best.max(*gain));
        // A literal that comes close to all that is possible needs no new variables.
        if best < self.params.determinate_gain * possible {
            let max_tuples = self.params.room(self.task);
            partial.candidates.generators(
                self.problem,
                tuples,
                &mut keep_going,
                &is_hopeless,
                |pick, effect| {
                    self.meter.literal();
                    let Some(effect) = effect else {
                        return;
                    };
                    if effect.after[0] + effect.after[1] > max_tuples {
                        return;
                    }
                    let gain = effect.kept as f64
                        * (before - information(effect.after[0], effect.after[1]));
                    let mut is_determinate = effect.determinate;
                    if is_determinate {
                        let lit = partial.candidates.lit(pick);
                        // A second copy would bind the same values again.
                        if partial.lits.contains(&lit) {
                            return;
                        }
                        match self.adds(partial, &lit) {
                            Addition::New => {}
                            Addition::Weak => is_determinate = false,
                            Addition::Repeated => return,
                        }
                    }
                    if is_determinate {
                        ranking.determinate.push((pick, effect));
                    } else if gain > EPSILON && affordable(effect.kept) {
                        best_so_far.set(gain.max(best_so_far.get()));
                        ranking.gains.push((gain, pick, effect));
                    }
                    if effect.kept == p && affordable(p) {
                        ranking.weak.push((gain, pick));
                    }
                },
            );
        }
        ranking.stopped = stopped;
        if !partial.offers.is_empty() {
            let fits = |pick| {
                let lit = partial.candidates.lit(pick);
                self.has_room(self.size(partial, Some(&lit)))
            };
            ranking.gains.retain(|(_, pick, _)| fits(*pick));
            ranking.weak.retain(|(_, pick)| fits(*pick));
        }
        if !self.task.bias.constraints.is_empty() {
            let permits = |pick| self.permits(&partial.lits, &partial.candidates.lit(pick));
            ranking.gains.retain(|(_, pick, _)| permits(*pick));
            ranking.determinate.retain(|(pick, _)| permits(*pick));
            ranking.weak.retain(|(_, pick)| permits(*pick));
        }
        // Among equal gains positive literals go before negated ones, and earlier before later
        // ones, so that tests go before new variables.
        ranking.gains.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then_with(|| a.1.is_negated().cmp(&b.1.is_negated()))
        });
        ranking.weak.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranking
    }

    /// Whether a clause of this length says less than a list of the examples it covers.
    pub(super) fn is_affordable(&self, bits: f64, covered: usize) -> bool {
        !self.params.encoding_limit || bits <= self.available_bits(covered) + EPSILON
    }

    /// Bits it takes to say which of the examples are the covered ones.
    fn available_bits(&self, covered: usize) -> f64 {
        let total = self.factorials.len() - 1;
        let covered = covered.min(total);
        let log2_choose =
            self.factorials[total] - self.factorials[covered] - self.factorials[total - covered];
        (total as f64).log2() + log2_choose
    }
}

/// Bits it takes to say that one of `p + n` tuples is positive; 0 without positive tuples.
pub(super) fn information(p: usize, n: usize) -> f64 {
    if p == 0 {
        0.0
    } else {
        -(p as f64 / (p + n) as f64).log2()
    }
}

/// log₂ of n! for 0 to `max`.
pub(super) fn log2_factorials(max: usize) -> Vec<f64> {
    let mut sum = 0.0;
    std::iter::once(0.0)
        .chain((1..=max).map(|i| {
            sum += (i as f64).log2();
            sum
        }))
        .collect()
}
