//! Qualitative abstraction of samples: possible magnitudes and directions at each sample and between
//! neighbors.

use super::cover::CheckParams;
use super::{LandmarkValues, Trajectory};
use crate::partial::{PartialState, ValueSet};
use crate::sign::Signs;

/// The qualitative states that a trajectory allows.
#[derive(Clone, Debug)]
pub(super) struct ObservedStates {
    /// The state at each sample.
    pub(super) at: Vec<PartialState>,
    /// All states from each sample to the next.
    pub(super) between: Vec<PartialState>,
    /// From each sample to the next, what must happen at some time: the variables that rise or fall there,
    /// with the sign of that change, where their directions are open.
    pub(super) changes: Vec<Vec<Change>>,
    /// The first sample and variable with a value outside the quantity space.
    pub(super) outside: Option<(usize, usize)>,
}

/// A variable that rises or falls from one sample to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) variable: usize,
    /// The sign of the difference.
    pub(super) sign: Signs,
}

/// A range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    const ALL: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    fn hull(values: &[f64]) -> Self {
        let fold = |best: fn(f64, f64) -> f64| values.iter().copied().reduce(best).unwrap_or(0.0);
        Self {
            low: fold(f64::min),
            high: fold(f64::max),
        }
    }

    fn widened(self, by: f64) -> Self {
        Self {
            low: self.low - by,
            high: self.high + by,
        }
    }

    fn signs(self) -> Signs {
        let mut signs = Signs::NONE;
        if self.low < 0.0 {
            signs = signs.or(Signs::NEGATIVE);
        }
        if self.high > 0.0 {
            signs = signs.or(Signs::POSITIVE);
        }
        if self.low <= 0.0 && self.high >= 0.0 {
            signs = signs.or(Signs::ZERO);
        }
        signs
    }
}

/// The qualitative values of one variable at its samples and between them.
struct VariableSamples {
    /// The samples at which the variable was observed.
    samples: Vec<usize>,
    /// Value and derivative at each of them.
    at: Vec<(Bounds, Bounds)>,
    /// Value and derivative from each to the next.
    between: Vec<(Bounds, Bounds)>,
    tolerance: f64,
}

impl ObservedStates {
    pub(super) fn new(
        trajectory: &Trajectory,
        landmarks: &LandmarkValues,
        params: &CheckParams,
        may_jump: bool,
    ) -> Self {
        let (n, n_variables) = (trajectory.times.len(), trajectory.columns.len());
        let mut observed = Self {
            at: vec![vec![ValueSet::ANY; n_variables]; n],
            between: vec![vec![ValueSet::ANY; n_variables]; n - 1],
            changes: vec![Vec::new(); n - 1],
            outside: None,
        };
        for variable in 0..n_variables {
            let Some(reading) = VariableSamples::new(trajectory, variable, params, may_jump) else {
                continue;
            };
            let set = |(value, slope): (Bounds, Bounds)| {
                let (low, high) = landmarks.magnitudes(variable, value.low, value.high)?;
                let mut set = ValueSet::between(low, high);
                set.directions = slope.signs();
                Some(set)
            };
            for (at, &sample) in reading.samples.iter().enumerate() {
                match set(reading.at[at]) {
                    Some(set) => observed.at[sample][variable] = set,
                    None => observed.note_outside(sample, variable),
                }
                let Some(&next) = reading.samples.get(at + 1) else {
                    break;
                };
                // Outside only if the sample is, too.
                let set = set(reading.between[at]).unwrap_or(ValueSet::ANY);
                let sign = reading.change(at);
                if next == sample + 1 && sign != Signs::ZERO && set.directions != sign {
                    observed.changes[sample].push(Change { variable, sign });
                }
                for between in sample..next {
                    observed.between[between][variable] = set;
                }
                for unseen in sample + 1..next {
                    observed.at[unseen][variable] = set;
                }
            }
        }
        observed
    }

    fn note_outside(&mut self, sample: usize, variable: usize) {
        let found = (sample, variable);
        self.outside = Some(self.outside.map_or(found, |first| first.min(found)));
    }
}

impl VariableSamples {
    /// None if the variable was not observed.
    ///
    /// The derivative between two samples is estimated by the mean rate of change of their interval and of
    /// the neighboring intervals, assuming that it stays between these rates. If it may jump, nothing is
    /// known of it in the first interval and the last: no rate before or after shows a jump in them.
    fn new(
        trajectory: &Trajectory,
        variable: usize,
        params: &CheckParams,
        may_jump: bool,
    ) -> Option<Self> {
        let column = trajectory.columns[variable].as_ref()?;
        let seen = column.iter().enumerate();
        let (samples, values): (Vec<usize>, Vec<f64>) = seen
            .filter_map(|(sample, value)| Some((sample, (*value)?)))
            .unzip();
        let times: Vec<f64> = samples.iter().map(|at| trajectory.times[*at]).collect();
        let n = values.len();
        if n == 0 {
            return None;
        }
        let spread = spread(&values);
        let own = params.tolerances.iter().rev();
        let own = own.clone().find(|(of, _)| *of == variable);
        let tolerance = own.map_or(params.tolerance * spread, |(_, tolerance)| *tolerance);
        let steps: Vec<f64> = times.windows(2).map(|t| t[1] - t[0]).collect();
        let rates: Vec<f64> = (values.windows(2).zip(&steps))
            .map(|(x, step)| (x[1] - x[0]) / step)
            .collect();
        let steady = match times[n - 1] - times[0] {
            duration if duration > 0.0 => params.steady * spread / duration,
            _ => 0.0,
        };
        let slopes = Slopes::new(&rates, &steps, steady);
        let at = (0..n).map(|at| {
            let value = Bounds::hull(&values[at..=at]).widened(tolerance);
            let is_end = at == 0 || at == n - 1;
            (
                value,
                if may_jump && is_end {
                    Bounds::ALL
                } else {
                    slopes.at(at)
                },
            )
        });
        let between = (0..n - 1).map(|at| {
            let is_end = at == 0 || at + 2 == n;
            let slope = if may_jump && is_end {
                Bounds::ALL
            } else {
                slopes.between(at)
            };
            // Where the values turn sharply, in between, they go no farther than this.
            let turns = slope.low < 0.0 && slope.high > 0.0;
            let excess = if turns {
                steps[at] * slopes.bend(at)
            } else {
                0.0
            };
            let value = Bounds::hull(&values[at..at + 2]).widened(tolerance + excess);
            (value, slope)
        });
        Some(Self {
            at: at.collect(),
            between: between.collect(),
            samples,
            tolerance,
        })
    }

    /// The sign of the change from a sample to the next; zero within the tolerance of both.
    fn change(&self, at: usize) -> Signs {
        // Both are widened alike.
        let change = self.at[at + 1].0.low - self.at[at].0.low;
        if change > 2.0 * self.tolerance {
            Signs::POSITIVE
        } else if change < -2.0 * self.tolerance {
            Signs::NEGATIVE
        } else {
            Signs::ZERO
        }
    }
}

/// The difference of the greatest and the least of these values; of a constant, its size.
fn spread(values: &[f64]) -> f64 {
    const ROUNDING: f64 = 1e-9;
    let Bounds { low, high } = Bounds::hull(values);
    let size = low.abs().max(high.abs());
    if high - low > ROUNDING * size {
        high - low
    } else {
        size
    }
}

/// Derivatives of a sampled variable.
struct Slopes {
    /// The mean rates of change from sample to sample, with one before the first and one after the
    /// last, continued in a straight line.
    rates: Vec<f64>,
    /// How much the rates bend around each interval: second differences.
    bends: Vec<f64>,
    steady: f64,
}

impl Slopes {
    fn new(inner: &[f64], steps: &[f64], steady: f64) -> Self {
        let n = inner.len();
        let beyond = |end: usize, before: usize| {
            let distance = steps[end].midpoint(steps[before]);
            inner[end] + (inner[end] - inner[before]) * steps[end] / distance
        };
        let (first, last) = match n {
            // One sample says nothing of the derivative, and of two only the mean is known.
            0 => (f64::NEG_INFINITY, f64::INFINITY),
            1 => (0.0, 0.0),
            _ => (beyond(0, 1), beyond(n - 1, n - 2)),
        };
        let rates: Vec<f64> = [&[first][..], inner, &[last]].concat();
        let second: Vec<f64> = (rates.windows(3))
            .map(|rates| (rates[0] - 2.0 * rates[1] + rates[2]).abs())
            .collect();
        // The rates that were continued bend as those beside them.
        let around = |at: usize| &second[at.saturating_sub(1)..(at + 2).min(n)];
        let bends = (0..n).map(|at| Bounds::hull(around(at)).high);
        Self {
            bends: bends.collect(),
            rates,
            steady,
        }
    }

    /// The derivative at a sample.
    fn at(&self, sample: usize) -> Bounds {
        let near = self.bends[sample.saturating_sub(1)..(sample + 1).min(self.bends.len())].iter();
        let bend = near.copied().fold(0.0, f64::max);
        Bounds::hull(&self.rates[sample..sample + 2]).widened(bend / 4.0 + self.steady)
    }

    /// The derivative between a sample and the next.
    fn between(&self, sample: usize) -> Bounds {
        let rates = Bounds::hull(&self.rates[sample..sample + 3]);
        rates.widened(self.bends[sample] / 4.0 + self.steady)
    }

    /// How much the rates differ around the interval after a sample.
    fn bend(&self, sample: usize) -> f64 {
        let rates = self.rates[sample..sample + 3].windows(2);
        rates
            .map(|pair| (pair[1] - pair[0]).abs())
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Model, Variable};
    use crate::quantity::{Direction, QuantitySpace};

    /// The abstraction of samples of one variable, at each sample and, indented, between them.
    fn shown(landmarks: &[&str], times: &[f64], x: impl Fn(f64) -> Option<f64>) -> String {
        let space = QuantitySpace::new(landmarks).unwrap();
        let model = Model::new(vec![Variable::new("x", space.clone())], Vec::new()).unwrap();
        let values = times.iter().map(|t| x(*t)).collect();
        let trajectory = Trajectory::new(times.to_vec(), vec![Some(values)]).unwrap();
        let landmarks = LandmarkValues::named(&model);
        let observed = ObservedStates::new(&trajectory, &landmarks, &CheckParams::default(), false);
        let text = |set: &ValueSet| {
            let last = *space.range().end();
            let ways = Direction::ALL.map(|way| set.directions.meets(way.signs()));
            let ways = Direction::ALL.iter().zip(ways).filter(|(_, may)| *may);
            let ways: Vec<&str> = ways.map(|(way, _)| way.name()).collect();
            let (low, high) = (space.name(set.low), space.name(set.high.min(last)));
            format!("{low} to {high} {}\n", ways.join("|"))
        };
        let mut all = String::new();
        for sample in 0..times.len() {
            all += &text(&observed.at[sample][0]);
            if let Some(between) = observed.between.get(sample) {
                all = all + "  " + &text(&between[0]);
            }
        }
        all
    }

    #[test]
    fn a_parabola_rests_at_its_top() {
        let times = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let found = shown(&["minf", "0", "6.25", "inf"], &times, |t| {
            Some(t * (5.0 - t))
        });
        insta::assert_snapshot!(found, @r"
        minf..0 to 0..6.25 inc
          minf..0 to 0..6.25 inc
        0..6.25 to 0..6.25 inc
          0..6.25 to 6.25..inf dec|std|inc
        0..6.25 to 0..6.25 dec|std|inc
          0..6.25 to 6.25..inf dec|std|inc
        0..6.25 to 0..6.25 dec|std|inc
          0..6.25 to 6.25..inf dec|std|inc
        0..6.25 to 0..6.25 dec
          minf..0 to 0..6.25 dec
        minf..0 to 0..6.25 dec
        ");
    }

    #[test]
    fn rest_before_motion_is_seen() {
        let times = [0.0, 0.1, 0.2, 0.3];
        let found = shown(&["0", "1", "inf"], &times, |t| Some(1.0 - t * t));
        insta::assert_snapshot!(found, @r"
        0..1 to 1..inf dec|std|inc
          0..1 to 1..inf dec|std|inc
        0..1 to 0..1 dec
          0..1 to 0..1 dec
        0..1 to 0..1 dec
          0..1 to 0..1 dec
        0..1 to 0..1 dec
        ");
    }

    #[test]
    fn constants_have_a_tolerance_of_their_size() {
        let found = shown(&["0", "5", "inf"], &[0.0, 1.0, 2.0], |t| {
            Some(5.0 + 1e-12 * t)
        });
        insta::assert_snapshot!(found, @r"
        0..5 to 5..inf dec|std|inc
          0..5 to 5..inf dec|std|inc
        0..5 to 5..inf dec|std|inc
          0..5 to 5..inf dec|std|inc
        0..5 to 5..inf dec|std|inc
        ");
    }

    #[test]
    fn one_sample_has_no_direction() {
        let found = shown(&["0", "2", "inf"], &[1.0], Some);
        assert_eq!(found, "0..2 to 0..2 dec|std|inc\n");
    }

    #[test]
    fn gaps_are_bridged() {
        let times = [0.0, 1.0, 2.0, 3.0];
        let found = shown(&["0", "2", "inf"], &times, |t| {
            (!(1.0..=2.0).contains(&t)).then_some(t + 0.5)
        });
        insta::assert_snapshot!(found, @r"
        0..2 to 0..2 dec|std|inc
          0 to 2..inf dec|std|inc
        0 to 2..inf dec|std|inc
          0 to 2..inf dec|std|inc
        0 to 2..inf dec|std|inc
          0 to 2..inf dec|std|inc
        2..inf to 2..inf dec|std|inc
        ");
    }
}
