//! The message: what theories and labels cost in bits.

use super::masses::Masses;
use super::{Criterion, Noise};
use crate::task::Costs;

/// Most clauses of a theory, and most components of a clause, that bounds reckon with.
pub(super) const MAX_CLAUSES: usize = 64;
pub(super) const MAX_COMPONENTS: usize = 8;

/// A cost that nothing pays.
pub(super) const NEVER: f64 = 1e12;
/// What an uncovered positive example costs where labels are exact: more than any theory.
const UNCOVERED: f64 = 1e5;

/// Rissanen's universal code for integers from 1 on, in bits.
pub(super) fn log_star(n: usize) -> f64 {
    let mut bits = 2.865_064_f64.log2();
    let mut term = (n as f64).log2();
    while term > 0.0 {
        bits += term;
        term = term.log2();
    }
    bits
}

/// log2 of the number of ways to choose, for any real numbers.
fn log_choose(n: f64, k: f64) -> f64 {
    (log_gamma(n + 1.0) - log_gamma(k + 1.0) - log_gamma(n - k + 1.0)) / std::f64::consts::LN_2
}

/// The natural logarithm of the gamma function of a number of at least 1, by Stirling's series from 8 on.
fn log_gamma(x: f64) -> f64 {
    let (mut x, mut below) = (x, 1.0);
    while x < 8.0 {
        below *= x;
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * square)) / square) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - below.ln()
}

/// How the labels are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    /// Those of covered and those of uncovered examples, each with a rate that is learned.
    TwoRates,
    /// A unit for each that the theory is wrong about.
    Errors,
    /// The theory is never wrong.
    Exact,
    /// There are positive examples alone, beside a sample of what there might be.
    Positives,
}

/// The code of theories and labels for a number of examples.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) criterion: Criterion,
    labels: Labels,
    /// Positive and negative examples; their masses where they have weights.
    pub(super) n: [usize; 2],
    /// For how many examples a unit of these counts.
    unit: f64,
    /// log2 of factorials, and of integers.
    factorials: Vec<f64>,
    logs: Vec<f64>,
    /// The bits of the cheapest component, the least that more of them add, and those of the cheapest
    /// clause.
    cheapest: f64,
    least_more: [f64; MAX_COMPONENTS + 1],
    cheapest_clause: f64,
    /// The universal code of numbers from 0 on.
    log_stars: Vec<f64>,
    costs: Costs,
    /// For how many examples a unit of the positive and of the negative ones counts, where they have weights
    /// or cost differently: all of them together count for as many as there are.
    weights: Option<[f64; 2]>,
    /// What theories cost beside labels.
    size_weight: f64,
}

impl Code {
    pub(super) fn new(criterion: Criterion, noise: Noise, n: [usize; 2], is_sample: bool) -> Self {
        let labels = match (noise, criterion) {
            (Noise::None, _) => Labels::Exact,
            _ if is_sample => Labels::Positives,
            (Noise::Learned, Criterion::Mml) => Labels::TwoRates,
            (Noise::Learned, Criterion::Mdl) => Labels::Errors,
        };
        let most = (n[0] + n[1] + 2).max(MAX_CLAUSES + 2);
        let logs: Vec<f64> = (0..=most).map(|i| (i.max(1) as f64).log2()).collect();
        let mut factorials = vec![0.0];
        for i in 1..=most {
            factorials.push(factorials[i - 1] + logs[i]);
        }
        Self {
            criterion,
            labels,
            n,
            unit: 1.0,
            factorials,
            logs,
            cheapest: f64::INFINITY,
            least_more: [0.0; MAX_COMPONENTS + 1],
            cheapest_clause: f64::INFINITY,
            log_stars: (0..=MAX_CLAUSES + 1).map(|m| log_star(m + 1)).collect(),
            costs: Costs::default(),
            weights: None,
            size_weight: 1.0,
        }
    }

    /// The same code where a bit of the theory counts so many times.
    pub(super) fn with_size_weight(mut self, weight: Option<f64>) -> Self {
        self.size_weight = weight.unwrap_or(1.0);
        self
    }

    /// The same code where mistakes cost differently: an example counts as many times as it costs.
    pub(super) fn with_costs(mut self, costs: Costs) -> Self {
        let all = costs.loss(self.n[0], self.n[1]) as f64;
        let each = (self.n[0] + self.n[1]) as f64 / all;
        let each = [costs.false_negative, costs.false_positive].map(|own| each * f64::from(own));
        self.weights = (!costs.are_equal()).then_some(each);
        self.costs = costs;
        self
    }

    /// The same code where an example counts as its mass: all together count for as many as there are. Costs
    /// are those from before.
    pub(super) fn with_masses(mut self, masses: Option<&Masses>) -> Self {
        let Some(masses) = masses else {
            return self;
        };
        let [n_p, n_q] = self.n.map(|n| n as f64);
        let [p, q] = masses.all;
        self.n = masses.all;
        self.unit = (n_p + n_q) / (p + q) as f64;
        let Costs {
            false_negative,
            false_positive,
        } = self.costs;
        self.weights = Some(if self.labels == Labels::Positives {
            // The sample only says how general a theory is: its atoms weigh nothing beside the examples.
            [n_p / p as f64, n_q / q as f64]
        } else {
            let each = (n_p + n_q) / self.costs.loss(p, q) as f64;
            [false_negative, false_positive].map(|own| each * f64::from(own))
        });
        self
    }

    /// Takes note of the bits of the cheapest component.
    pub(super) fn set_cheapest(&mut self, component: f64) {
        self.cheapest = component;
        for k in 0..=MAX_COMPONENTS {
            let more = (0..=MAX_COMPONENTS - k).map(|n| self.more_components(k, n));
            self.least_more[k] = more.fold(0.0, f64::min);
        }
        let clauses = (1..=MAX_COMPONENTS).map(|k| self.clause(k, k as f64 * component));
        self.cheapest_clause = clauses.fold(f64::INFINITY, f64::min);
    }

    fn choose(&self, n: usize, k: usize) -> f64 {
        self.factorials[n] - self.factorials[k] - self.factorials[n - k]
    }

    /// The bits of a component, one of so many in a class.
    pub(super) fn component(&self, class: usize, n_in_class: usize, n_literals: usize) -> f64 {
        let own = match self.criterion {
            Criterion::Mml => log_star(class) + (n_in_class.max(1) as f64).log2(),
            Criterion::Mdl => n_literals as f64,
        };
        self.size_weight * own
    }

    /// The bits of a clause of `k` components that take `sum` bits, in any order.
    pub(super) fn clause(&self, k: usize, sum: f64) -> f64 {
        match self.criterion {
            Criterion::Mml => sum + self.size_weight * (self.log_stars[k] - self.factorials[k]),
            Criterion::Mdl => sum + self.size_weight,
        }
    }

    /// What so many components after the first `k` add to a clause at least.
    pub(super) fn more_components(&self, k: usize, n: usize) -> f64 {
        self.clause(k + n, n as f64 * self.cheapest) - self.clause(k, 0.0)
    }

    /// What any number of components after the first `k` adds to a clause at least: with very few
    /// features it may be less than nothing, since their order is not told.
    pub(super) fn least_more_components(&self, k: usize) -> f64 {
        self.least_more[k]
    }

    /// The bits of the cheapest clause.
    pub(super) fn cheapest_clause(&self) -> f64 {
        self.cheapest_clause
    }

    /// Whether further clauses cost more than their order saves, as they do but for a handful of features.
    pub(super) fn grows(&self) -> bool {
        self.cheapest_clause > self.size_weight * (MAX_CLAUSES as f64).log2()
    }

    /// The bits of a theory of `m` clauses that take `sum` bits, in any order.
    pub(super) fn theory(&self, m: usize, sum: f64) -> f64 {
        match self.criterion {
            Criterion::Mml => {
                let order = self.log_stars[m.min(MAX_CLAUSES)] - self.factorials[m];
                sum + self.size_weight * order
            }
            Criterion::Mdl => sum,
        }
    }

    /// The bits of the labels given that `p` positive and `q` negative examples are covered.
    pub(super) fn labels(&self, p: usize, q: usize) -> f64 {
        let [n_p, n_q] = self.n;
        match self.labels {
            Labels::TwoRates if let Some([a, b]) = self.weights => {
                let rate = |p: f64, q: f64| (p + q + 1.0).log2() + log_choose(p + q, p);
                let left = [a * (n_p - p) as f64, b * (n_q - q) as f64];
                // A theory says that uncovered examples are negative, so that a majority of positive ones
                // among them saves no bits.
                let at_most_half = left[0].min(f64::midpoint(left[0], left[1]));
                let others = left[0] + left[1] - at_most_half;
                rate(a * p as f64, b * q as f64) + rate(at_most_half, others)
            }
            Labels::TwoRates => {
                let rate = |a: usize, s: usize| self.logs[s + 1] + self.choose(s, a);
                rate(p, p + q) + rate(n_p - p, n_p - p + n_q - q)
            }
            Labels::Errors => self.unit * self.costs.loss(n_p - p, q) as f64,
            Labels::Exact if q > 0 => NEVER,
            Labels::Exact => UNCOVERED * self.unit * (n_p - p) as f64,
            Labels::Positives if self.has_masses() => {
                let [a, b] = self.weights.unwrap_or([self.unit; 2]);
                let ([p, n_p], [q, n_q]) = (
                    [p, n_p].map(|n| a * n as f64),
                    [q, n_q].map(|n| b * n as f64),
                );
                let which = (n_p + 1.0).log2() + log_choose(n_p, p);
                which + p * (q + 1.0).log2() + (n_p - p) * (n_q + 2.0).log2()
            }
            Labels::Positives => {
                let one_of = |n: usize| self.logs[n];
                let which = one_of(n_p + 1) + self.choose(n_p, p);
                which + p as f64 * one_of(q + 1) + (n_p - p) as f64 * one_of(n_q + 2)
            }
        }
    }

    /// The least bits of the labels where at least `least` and at most `most` examples of either sign
    /// are covered: at a corner of these bounds.
    pub(super) fn least_labels(&self, least: [usize; 2], most: [usize; 2]) -> f64 {
        let corners = [
            (most[0], least[1]),
            (least[0], least[1]),
            (least[0], most[1]),
            (most[0], most[1]),
        ];
        let costs = corners.map(|(p, q)| self.labels(p, q));
        costs.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Whether the least bits of the labels, as by [`Self::least_labels`], are fewer than so many.
    pub(super) fn may_be_below(&self, below: f64, least: [usize; 2], most: [usize; 2]) -> bool {
        // Most often the first corner tells.
        self.labels(most[0], least[1]) < below || self.least_labels(least, most) < below
    }

    /// Whether a theory that covers so many examples may be used: it is right more often than wrong.
    pub(super) fn admits_theory(&self, p: usize, q: usize) -> bool {
        self.is_worth_more(p, q) || self.labels == Labels::Positives
    }

    /// Whether a clause that covers so many examples may be used: it is right more often than it is
    /// wrong, and not less often than without looking.
    pub(super) fn admits(&self, p: usize, q: usize) -> bool {
        match self.labels {
            Labels::Positives if self.has_masses() => {
                let [_, b] = self.weights.unwrap_or([self.unit; 2]);
                let [n_p, p, n_q, q] = [self.n[0], p, self.n[1], q].map(|n| n as f64);
                p > 0.0 && p * (b * n_q + 2.0) > (b * q + 1.0) * n_p
            }
            Labels::Positives => p > 0 && p * (self.n[1] + 2) > (q + 1) * self.n[0],
            _ => self.is_worth_more(p, q) && p * self.n[1] >= q * self.n[0],
        }
    }

    /// Whether examples have weights or cost differently.
    pub(super) fn has_weights(&self) -> bool {
        self.weights.is_some() && self.labels == Labels::TwoRates
    }

    /// Whether examples have weights of their own.
    fn has_masses(&self) -> bool {
        self.unit < 1.0
    }

    /// Whether it costs less to cover such examples than to leave them out.
    fn is_worth_more(&self, p: usize, q: usize) -> bool {
        self.costs.loss(p, 0) > self.costs.loss(0, q)
    }
}

/// Counts of a task's own examples: those of a sample are no negative ones.
pub(super) fn own_examples([positive, negative]: [usize; 2], is_sample: bool) -> [usize; 2] {
    [positive, if is_sample { 0 } else { negative }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn universal_code_is_a_code() {
        assert!((log_star(1) - 1.518_57).abs() < 1e-4);
        assert!((log_star(4) - 4.518_57).abs() < 1e-4);
        // Kraft's inequality.
        let sum: f64 = (1..200_000).map(|n| (-log_star(n)).exp2()).sum();
        assert!(sum < 1.0, "{sum}");
    }

    #[test]
    fn labels_take_least_at_a_corner() {
        for (criterion, is_sample) in [
            (Criterion::Mml, false),
            (Criterion::Mdl, false),
            (Criterion::Mml, true),
        ] {
            for n in [[7, 9], [3, 14], [12, 2], [20, 20]] {
                let costs = Costs {
                    false_negative: 5,
                    false_positive: 2,
                };
                let plain = Code::new(criterion, Noise::Learned, n, is_sample);
                for code in [plain.clone(), plain.with_costs(costs)] {
                    for p0 in 0..=n[0] {
                        for q0 in 0..=n[1] {
                            for p1 in p0..=n[0] {
                                for q1 in q0..=n[1] {
                                    let least = code.least_labels([p0, q0], [p1, q1]);
                                    for p in [p0, usize::midpoint(p0, p1), p1] {
                                        for q in [q0, usize::midpoint(q0, q1), q1] {
                                            assert!(code.labels(p, q) >= least - 1e-9);
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn examples_count_as_often_as_they_cost() {
        let costs = |false_negative, false_positive| Costs {
            false_negative,
            false_positive,
        };
        let plain = Code::new(Criterion::Mml, Noise::Learned, [6, 6], false);
        // Integers give the factorials.
        assert!((log_choose(12.0, 6.0) - 924.0_f64.log2()).abs() < 1e-9);
        assert!((log_choose(1.0, 0.0)).abs() < 1e-9);
        // A clause that is right about two of five is worth it where positive examples cost twice.
        assert!(!plain.admits(2, 3));
        let dear = plain.clone().with_costs(costs(2, 1));
        assert!(dear.admits_theory(2, 3) && !dear.admits_theory(2, 4));
        // Only how many times one costs the other counts.
        let same = plain.clone().with_costs(costs(3, 3));
        let as_dear = plain.clone().with_costs(costs(20, 10));
        for (p, q) in [(0, 0), (3, 1), (6, 2)] {
            assert!((same.labels(p, q) - plain.labels(p, q)).abs() < 1e-9);
            assert!((as_dear.labels(p, q) - dear.labels(p, q)).abs() < 1e-9);
        }
        // Six positive examples of weight 4/3 and six negative ones of 2/3 are twelve in all.
        let all = 13.0_f64.log2() + log_choose(12.0, 8.0);
        assert!((dear.labels(6, 6) - all).abs() < 1e-9);
        // Uncovered, the positive ones are coded as half of the twelve.
        let none = 13.0_f64.log2() + log_choose(12.0, 6.0);
        assert!((dear.labels(0, 0) - none).abs() < 1e-9);
    }

    #[test]
    fn theories_count_as_often_as_is_asked() {
        for criterion in [Criterion::Mml, Criterion::Mdl] {
            let plain = Code::new(criterion, Noise::Learned, [6, 6], false);
            let twice = plain.clone().with_size_weight(Some(2.0));
            let bits = |code: &Code| {
                let component = code.component(2, 10, 3);
                code.theory(2, 2.0 * code.clause(3, 3.0 * component))
            };
            assert!((bits(&twice) - 2.0 * bits(&plain)).abs() < 1e-9);
            assert!((twice.labels(2, 1) - plain.labels(2, 1)).abs() < 1e-9);
        }
    }

    #[test]
    fn labels_of_nothing_known_are_a_choice_among_all() {
        let code = Code::new(Criterion::Mml, Noise::Learned, [2, 3], false);
        // 6 numbers of positive examples are as likely, and 10 ways to place two.
        assert!((code.labels(0, 0) - (6.0_f64 * 10.0).log2()).abs() < 1e-12);
        assert!((code.labels(2, 0) - (3.0_f64 * 4.0).log2()).abs() < 1e-12);
    }
}
