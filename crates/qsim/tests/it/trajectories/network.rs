//! Concrete systems: networks of functions and integrators with numbers, and their qualitative models.

use std::fmt::Write as _;

use kibitz_qsim::{System, Trajectory};
use ode_solvers::{DVector, Dop853};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// A strictly monotonic function through zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    /// Its slope at zero, of either sign.
    pub(crate) slope: f64,
    pub(crate) shape: Shape,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Line,
    Cubic,
    Saturation,
    Exponential,
}

impl Curve {
    fn at(self, x: f64) -> f64 {
        let shape = match self.shape {
            Shape::Line => x,
            Shape::Cubic => x + x.powi(3) / 3.0,
            Shape::Saturation => x.tanh(),
            Shape::Exponential => x.exp_m1(),
        };
        self.slope * shape
    }
}

/// An input: a function of time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wave {
    /// `a + b t`.
    Ramp(f64, f64),
    /// `a + b sin(c t + d)`.
    Sine(f64, f64, f64, f64),
    /// `a + b exp(-c t)`.
    Decay(f64, f64, f64),
}

impl Wave {
    fn at(self, t: f64) -> f64 {
        match self {
            Self::Ramp(a, b) => a + b * t,
            Self::Sine(a, b, c, d) => a + b * (c * t + d).sin(),
            Self::Decay(a, b, c) => a + b * (-c * t).exp(),
        }
    }

    fn slope(self, t: f64) -> f64 {
        match self {
            Self::Ramp(_, b) => b,
            Self::Sine(_, b, c, d) => b * c * (c * t + d).cos(),
            Self::Decay(_, b, c) => -b * c * (-c * t).exp(),
        }
    }
}

/// What a variable is; arguments come before what they are arguments of, but for rates of change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition {
    /// A state that starts with this value; the variable that is its rate of change.
    State(f64, usize),
    Input(Wave),
    Constant(f64),
    Sum(usize, usize),
    Product(usize, usize),
    Minus(usize),
    Function(usize, Curve),
}

use Definition::{Constant, Function, Input, Minus, Product, State, Sum};

/// A concrete system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Network {
    pub(crate) definitions: Vec<Definition>,
    /// The energy constraint, as in a system file.
    pub(crate) energy: String,
    /// By variable, the numbers that are landmarks beside zero and the infinities.
    landmarks: Vec<Vec<f64>>,
    /// Corresponding values by variable: of its arguments and itself.
    corresponding: Vec<Vec<Vec<f64>>>,
}

/// Times and values by variable.
pub(crate) struct Run {
    pub(crate) times: Vec<f64>,
    pub(crate) columns: Vec<Vec<f64>>,
}

impl Run {
    pub(crate) fn trajectory(&self) -> Trajectory {
        let columns = self.columns.iter();
        let columns = columns.map(|column| Some(column.iter().copied().map(Some).collect()));
        Trajectory::new(self.times.clone(), columns.collect()).expect("numbers by time")
    }
}

/// The differential equations of a network. Time is the first state: where it were an argument, the
/// solver would take very small steps.
struct Rates<'n>(&'n Network);

impl ode_solvers::System<f64, DVector<f64>> for Rates<'_> {
    fn system(&self, _: f64, states: &DVector<f64>, rates: &mut DVector<f64>) {
        let values = self.0.values(states[0], &states.as_slice()[1..]);
        rates[0] = 1.0;
        for (rate, variable) in rates.iter_mut().skip(1).zip(self.0.rates()) {
            *rate = values[variable];
        }
    }
}

/// The samples before a value that was large is no more than the error of the solver.
fn n_known(column: &[f64]) -> usize {
    const ERROR: f64 = 1e-9;
    let mut largest = 0.0_f64;
    let is_lost = |x: &f64| {
        largest = largest.max(x.abs());
        x.abs() < ERROR * largest
    };
    column.iter().position(is_lost).unwrap_or(column.len())
}

impl Network {
    pub(crate) fn add(&mut self, definition: Definition) -> usize {
        self.definitions.push(definition);
        self.definitions.len() - 1
    }

    /// The variables that are rates of change of the states, in order.
    fn rates(&self) -> impl Iterator<Item = usize> + '_ {
        self.definitions
            .iter()
            .filter_map(|definition| match definition {
                State(_, rate) => Some(*rate),
                _ => None,
            })
    }

    /// The values of all variables.
    fn values(&self, t: f64, states: &[f64]) -> Vec<f64> {
        let mut states = states.iter();
        let mut values: Vec<f64> = Vec::new();
        for definition in &self.definitions {
            values.push(match *definition {
                State(..) => *states.next().expect("one a state"),
                Input(wave) => wave.at(t),
                Constant(value) => value,
                Sum(a, b) => values[a] + values[b],
                Product(a, b) => values[a] * values[b],
                Minus(a) => -values[a],
                Function(a, curve) => curve.at(values[a]),
            });
        }
        values
    }

    /// Integrates from time 0, with a sample each `step`, until a value is very large, or is lost in the
    /// error of the solver.
    pub(crate) fn run(&self, step: f64, n_samples: u16) -> Run {
        const LARGE: f64 = 1e6;
        let starts = self
            .definitions
            .iter()
            .filter_map(|definition| match definition {
                State(start, _) => Some(*start),
                _ => None,
            });
        let starts = DVector::from_vec(std::iter::once(0.0).chain(starts).collect());
        let end = step * f64::from(n_samples);
        let mut solver = Dop853::new(Rates(self), 0.0, end, step, starts, 1e-11, 1e-12);
        // Where a state escapes, what comes before counts.
        let _ = solver.integrate();
        let mut run = Run {
            times: Vec::new(),
            columns: vec![Vec::new(); self.definitions.len()],
        };
        for (&t, states) in solver.x_out().iter().zip(solver.y_out()) {
            let values = self.values(t, &states.as_slice()[1..]);
            let is_fine = |x: &f64| x.is_finite() && x.abs() < LARGE;
            if !values.iter().all(is_fine) {
                break;
            }
            // The end may come once more, rounded.
            if run.times.last().is_none_or(|last| t > last + step / 2.0) {
                run.times.push(t);
                (run.columns.iter_mut().zip(values)).for_each(|(column, x)| column.push(x));
            }
        }
        let known = run.columns.iter().map(|column| n_known(column));
        let n = known.min().unwrap_or(0);
        run.times.truncate(n);
        run.columns.iter_mut().for_each(|column| column.truncate(n));
        run
    }

    /// Chooses landmarks that the run passes, and corresponding values.
    pub(crate) fn choose_landmarks(&mut self, run: &Run, rng: &mut ChaCha8Rng) {
        let n = self.definitions.len();
        self.landmarks = vec![Vec::new(); n];
        self.corresponding = vec![Vec::new(); n];
        for variable in 0..n {
            let column = &run.columns[variable];
            if matches!(self.definitions[variable], Constant(_)) || rng.random_bool(0.3) {
                self.place(variable, column[0]);
            }
            if rng.random_bool(0.4) {
                self.place(variable, column[rng.random_range(0..column.len())]);
            }
            let row = match self.definitions[variable] {
                Function(a, _) | Minus(a) => vec![a],
                Sum(a, b) | Product(a, b) => vec![a, b],
                _ => continue,
            };
            if rng.random_bool(0.8) && matches!(self.definitions[variable], Function(..)) {
                self.corresponding[variable].push(vec![0.0, 0.0]);
            }
            if rng.random_bool(0.4) {
                let mut values: Vec<f64> = (row.iter())
                    .map(|&argument| {
                        let seen = &run.columns[argument];
                        self.place(argument, seen[rng.random_range(0..seen.len())])
                    })
                    .collect();
                let value = match self.definitions[variable] {
                    Function(_, curve) => curve.at(values[0]),
                    Minus(_) => -values[0],
                    Sum(..) => values[0] + values[1],
                    _ => values[0] * values[1],
                };
                values.push(self.place(variable, value));
                self.corresponding[variable].push(values);
            }
        }
    }

    /// Makes a number a landmark, unless one is very near: the number that is the landmark.
    fn place(&mut self, variable: usize, value: f64) -> f64 {
        const NEAR: f64 = 1e-9;
        let known = self.landmarks[variable].iter().copied().chain([0.0]);
        let near = { known }.find(|known| (known - value).abs() <= NEAR * (1.0 + value.abs()));
        if let Some(near) = near {
            return near;
        }
        self.landmarks[variable].push(value);
        value
    }

    /// The names of the landmarks of a variable, in order.
    fn names(&self, variable: usize) -> Vec<String> {
        let mut values = self.landmarks[variable].clone();
        values.push(0.0);
        values.sort_by(f64::total_cmp);
        let mut names = vec!["minf".to_owned()];
        names.extend(values.iter().map(f64::to_string));
        names.push("inf".to_owned());
        names
    }

    /// The magnitude of a number.
    fn magnitude(&self, variable: usize, value: f64) -> String {
        let mut known = self.landmarks[variable].clone();
        known.push(0.0);
        let is_near = |landmark: &&f64| (**landmark - value).abs() <= 1e-9 * (1.0 + value.abs());
        if let Some(landmark) = known.iter().find(is_near) {
            return landmark.to_string();
        }
        let low = known.iter().copied().filter(|at| *at < value);
        let high = known.iter().copied().filter(|at| *at > value);
        let low = low
            .reduce(f64::max)
            .map_or("minf".to_owned(), |x| x.to_string());
        let high = high
            .reduce(f64::min)
            .map_or("inf".to_owned(), |x| x.to_string());
        format!("{low}..{high}")
    }

    /// The qualitative model, in which the directions of these variables are ignored.
    pub(crate) fn system(&self, ignored: &[usize]) -> System {
        let mut text = "title = \"a random system\"\n[variables]\n".to_owned();
        let n = self.definitions.len();
        for variable in 0..n {
            let names = self.names(variable);
            let ignores = ignored.contains(&variable);
            let _ = writeln!(
                text,
                "v{variable} = {{ landmarks = {names:?}, ignore-direction = {ignores} }}"
            );
        }
        for (variable, definition) in self.definitions.iter().enumerate() {
            let (kind, arguments) = match *definition {
                State(_, rate) => ("deriv", vec![variable, rate]),
                Input(_) => continue,
                Constant(_) => ("constant", vec![variable]),
                Sum(a, b) => ("add", vec![a, b, variable]),
                Product(a, b) => ("mult", vec![a, b, variable]),
                Minus(a) => ("minus", vec![a, variable]),
                Function(a, curve) if curve.slope > 0.0 => ("m_plus", vec![a, variable]),
                Function(a, _) => ("m_minus", vec![a, variable]),
            };
            let arguments: Vec<String> = arguments.iter().map(|at| format!("v{at}")).collect();
            let rows = self.corresponding[variable].iter();
            let rows = rows.map(|row| row.iter().map(f64::to_string).collect());
            let rows: Vec<Vec<String>> = rows.collect();
            let _ = writeln!(
                text,
                "[[constraints]]\nkind = \"{kind}\"\nof = {arguments:?}"
            );
            if !rows.is_empty() {
                let _ = writeln!(text, "corresponding = {rows:?}");
            }
        }
        text += "[[initial]]\n";
        for (variable, definition) in self.definitions.iter().enumerate() {
            let value = match *definition {
                State(value, _) | Constant(value) => self.magnitude(variable, value),
                Input(wave) => {
                    let slope = wave.slope(0.0);
                    let way = match slope {
                        _ if slope > 1e-6 => "/inc",
                        _ if slope < -1e-6 => "/dec",
                        _ => "",
                    };
                    self.magnitude(variable, wave.at(0.0)) + way
                }
                _ => continue,
            };
            let _ = writeln!(text, "v{variable} = \"{value}\"");
        }
        text += &self.energy;
        System::from_toml("random.toml", &text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
    }
}
