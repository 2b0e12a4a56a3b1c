//! Trajectories: a system's variables, measured or computed, sample by sample.

mod blame;
mod cover;
mod landmarks;
mod observed_states;
mod search;
mod table;

use thiserror::Error;

pub use blame::{Blame, UncoveredSample};
pub use cover::{CheckError, CheckParams, Cover, CoverStep};
pub use landmarks::{LandmarkError, LandmarkValues};
use table::Table;

/// A sampled trajectory of a model's variables.
#[derive(Clone, Debug)]
pub struct Trajectory {
    times: Vec<f64>,
    /// By variable, in the order of the model: the values by sample. No column: not observed.
    columns: Vec<Option<Vec<Option<f64>>>>,
    /// The file, if it was read from one.
    table: Option<Table>,
}

/// Why numbers make no trajectory.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// There is no sample.
    #[error("a trajectory needs a sample")]
    Empty,
    /// A column has more or fewer values than there are times.
    #[error("variable {variable} has {found} values for {expected} samples")]
    Length {
        /// Index of the variable.
        variable: usize,
        /// The number of samples.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// A time that is not finite, or not above the one before.
    #[error("the time of sample {} is not above the one before", sample + 1)]
    Time {
        /// Number of the sample, counted from 0.
        sample: usize,
    },
    /// A value that is not a finite number.
    #[error("variable {variable} has no finite value in sample {}", sample + 1)]
    Value {
        /// Index of the variable.
        variable: usize,
        /// Number of the sample, counted from 0.
        sample: usize,
    },
}

impl Trajectory {
    /// A trajectory of these values, by variable in the order of a model and by sample; a variable
    /// without values is not observed, and neither is one at a sample where it has none.
    ///
    /// # Errors
    /// [`TrajectoryError`].
    pub fn new(
        times: Vec<f64>,
        columns: Vec<Option<Vec<Option<f64>>>>,
    ) -> Result<Self, TrajectoryError> {
        if times.is_empty() {
            return Err(TrajectoryError::Empty);
        }
        let is_late = |sample: usize| sample == 0 || times[sample - 1] < times[sample];
        let mut samples = 0..times.len();
        if let Some(sample) = samples.find(|at| !times[*at].is_finite() || !is_late(*at)) {
            return Err(TrajectoryError::Time { sample });
        }
        for (variable, column) in columns.iter().enumerate() {
            let Some(column) = column else { continue };
            let (expected, found) = (times.len(), column.len());
            if expected != found {
                return Err(TrajectoryError::Length {
                    variable,
                    expected,
                    found,
                });
            }
            let is_wrong = |value: &Option<f64>| value.is_some_and(|value| !value.is_finite());
            if let Some(sample) = column.iter().position(is_wrong) {
                return Err(TrajectoryError::Value { variable, sample });
            }
        }
        Ok(Self {
            times,
            columns,
            table: None,
        })
    }

    /// The times of the samples.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The values of a variable by sample; none if it is not observed.
    pub fn column(&self, variable: usize) -> Option<&[Option<f64>]> {
        self.columns.get(variable)?.as_deref()
    }
}
