//! Magnitudes for which an ambiguous response goes one way, and the other.

use nalgebra::{DMatrix, Schur};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{Diagram, LinkSign, Press, Response, Witnesses};

/// Magnitudes of all links, and the response that they give.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The strength of each link, with its sign, in the order of [`Press::diagram`].
    pub links: Vec<f64>,
    /// By how much the variable moves for a press of 1.
    pub response: f64,
    /// Whether the equilibrium is stable: every eigenvalue has a negative real part.
    pub is_stable: bool,
}

/// Random sets of magnitudes that are tried for all responses at once.
const N_RANDOM: usize = 2_000;
/// Total number of sets of magnitudes tried in the searches for single responses.
const N_CLIMBING: usize = 60_000;
/// Steps of one search.
const N_STEPS: usize = 400;
/// Sets of speeds tried for one set of magnitudes.
const N_SPEEDS: usize = 300;
/// Sets of magnitudes that are kept as beginnings of searches.
const MOST_STARTS: usize = 256;
/// A response counts if it is this share of the largest.
const LEAST_SHARE: f64 = 1e-6;

/// Two witnesses for each ambiguous response, as far as they are found.
pub(super) fn search(press: &Press) -> Witnesses {
    let n = press.diagram.variables.len();
    let pairs = (0..n).flat_map(|pressed| (0..n).map(move |variable| (pressed, variable)));
    let ambiguous = pairs
        .filter(|(pressed, variable)| press.response(*pressed, *variable) == Response::Ambiguous);
    let mut search = Search {
        diagram: &press.diagram,
        found: ambiguous.map(|pair| (pair, [None, None])).collect(),
        rng: ChaCha8Rng::seed_from_u64(1),
        needs_stable: true,
        starts: Vec::new(),
    };
    if search.found.is_empty() {
        return search.found;
    }
    if press.may_be_stable() {
        search.run();
    }
    if !search.is_done() {
        search.needs_stable = false;
        search.starts.clear();
        search.run();
    }
    search.found
}

struct Search<'d> {
    diagram: &'d Diagram,
    found: Witnesses,
    rng: ChaCha8Rng,
    /// Whether only stable equilibria count.
    needs_stable: bool,
    /// Logarithms of magnitudes that count, and the responses that they give, as shares of the largest.
    starts: Vec<(Vec<f64>, DMatrix<f64>)>,
}

impl Search<'_> {
    fn is_done(&self) -> bool {
        self.found.values().flatten().all(Option::is_some)
    }

    fn run(&mut self) {
        for _ in 0..N_RANDOM {
            if self.is_done() {
                return;
            }
            let logs = self.random();
            self.evaluate(&logs, None);
        }
        let mut left = N_CLIMBING;
        let pairs: Vec<(usize, usize)> = self.found.keys().copied().collect();
        for round in 0..4 {
            for &pair in &pairs {
                for way in 0..2 {
                    if self.found[&pair][way].is_none() {
                        if left < N_STEPS {
                            return;
                        }
                        left -= N_STEPS;
                        self.climb(pair, way, round);
                    }
                }
            }
        }
    }

    /// Random logarithms of magnitudes, those of links to a variable itself somewhat larger, and the sign
    /// of links with an unknown one as that of a further number.
    fn random(&mut self) -> Vec<f64> {
        let links = self.diagram.links.iter();
        let mut logs = Vec::new();
        for link in links {
            let shift = if link.from == link.to { 0.5 } else { 0.0 };
            logs.push(self.rng.random_range(-1.5..1.5) + shift);
        }
        for _ in 0..self.diagram.links.len() {
            logs.push(self.rng.random_range(-1.0..1.0));
        }
        logs
    }

    /// Goes from one set of magnitudes to neighboring ones that move a response the wanted way.
    fn climb(&mut self, pair: (usize, usize), way: usize, round: usize) {
        let mut starts: Vec<usize> = (0..self.starts.len()).collect();
        let share = |at: &usize| {
            let share = self.starts[*at].1[(pair.1, pair.0)];
            if way == 0 { share } else { -share }
        };
        starts.sort_by(|a, b| share(b).total_cmp(&share(a)));
        let mut best = match starts.get(round) {
            Some(start) => self.starts[*start].0.clone(),
            None => self.random(),
        };
        let wanted = Some((pair, way));
        let mut height = self.evaluate(&best, wanted).unwrap_or(f64::NEG_INFINITY);
        for _ in 0..N_STEPS {
            if self.found[&pair][way].is_some() {
                return;
            }
            let mut next = best.clone();
            for _ in 0..self.rng.random_range(1..4) {
                let at = self.rng.random_range(0..next.len());
                next[at] = (next[at] + self.rng.random_range(-1.0..1.0)).clamp(-4.0, 4.0);
            }
            if let Some(new) = self.evaluate(&next, wanted)
                && new >= height
            {
                (height, best) = (new, next);
            }
        }
    }

    /// Powers of ten by which variables are faster or slower, so that the equilibrium is stable. All links
    /// to a variable are multiplied by its speed: the equilibrium moves the same way then.
    fn stable_speeds(&mut self, matrix: &DMatrix<f64>) -> Option<Vec<f64>> {
        let n = matrix.nrows();
        let mut best = vec![0_i32; n];
        let mut height = instability(matrix);
        for _ in 0..N_SPEEDS {
            let mut next = best.clone();
            for _ in 0..self.rng.random_range(1..3) {
                let at = self.rng.random_range(0..n);
                next[at] = (next[at] + self.rng.random_range(-2..=2)).clamp(-3, 3);
            }
            let speeds: Vec<f64> = next.iter().map(|power| 10_f64.powi(*power)).collect();
            let mut scaled = matrix.clone();
            for (mut row, speed) in scaled.row_iter_mut().zip(&speeds) {
                row *= *speed;
            }
            let new = instability(&scaled);
            if new <= height {
                if is_stable(scaled) {
                    return Some(speeds);
                }
                (height, best) = (new, next);
            }
        }
        None
    }

    /// Keeps these magnitudes as witnesses of what they show; how far they move a response the wanted
    /// way, as a share of the largest. None if they do not count.
    fn evaluate(&mut self, logs: &[f64], wanted: Option<((usize, usize), usize)>) -> Option<f64> {
        let links: Vec<f64> = (self.diagram.links.iter().enumerate())
            .map(|(at, link)| {
                let magnitude = rounded(10_f64.powf(logs[at]));
                let is_negative = match link.sign {
                    LinkSign::Positive => false,
                    LinkSign::Negative => true,
                    LinkSign::Unknown => logs[self.diagram.links.len() + at] < 0.0,
                };
                if is_negative { -magnitude } else { magnitude }
            })
            .collect();
        let matrix = matrix(self.diagram, &links);
        let negated = -&matrix;
        let lu = negated.lu();
        if lu.determinant() <= 0.0 {
            return None;
        }
        let moved = lu.try_inverse()?;
        let largest = moved.amax();
        if !largest.is_finite() {
            return None;
        }
        // A solver of eigenvalues takes most of the time: it is asked last.
        let share = |(pressed, variable): (usize, usize), way: usize| {
            let share = moved[(variable, pressed)] / largest;
            if way == 0 { share } else { -share }
        };
        let is_new = |search: &Self| {
            search.found.iter().any(|(pair, both)| {
                (0..2).any(|way| both[way].is_none() && share(*pair, way) > LEAST_SHARE)
            })
        };
        let is_new = is_new(self);
        let is_stable = (self.needs_stable || is_new) && is_stable(matrix.clone());
        if self.needs_stable && !is_stable {
            return None;
        }
        // Other speeds of the variables leave the signs as they are.
        let is_sought = is_new && !is_stable;
        let speeds = is_sought.then(|| self.stable_speeds(&matrix)).flatten();
        for (pair, both) in &mut self.found {
            for (way, witness) in both.iter_mut().enumerate() {
                if witness.is_none() && share(*pair, way) > LEAST_SHARE {
                    let speed = |of: usize| speeds.as_ref().map_or(1.0, |speeds| speeds[of]);
                    let own = self.diagram.links.iter().zip(&links);
                    *witness = Some(Witness {
                        links: own.map(|(link, x)| rounded(x * speed(link.to))).collect(),
                        response: moved[(pair.1, pair.0)] / speed(pair.0),
                        is_stable: is_stable || speeds.is_some(),
                    });
                }
            }
        }
        if self.starts.len() < MOST_STARTS {
            self.starts.push((logs.to_vec(), &moved / largest));
        }
        Some(wanted.map_or(0.0, |(pair, way)| share(pair, way)))
    }
}

/// A number with two digits.
fn rounded(x: f64) -> f64 {
    let written = format!("{x:.1e}");
    written.parse().expect("a number in its own notation")
}

/// The matrix of a diagram with links of these strengths: effects on rows by columns.
fn matrix(diagram: &Diagram, links: &[f64]) -> DMatrix<f64> {
    let n = diagram.variables.len();
    let mut matrix = DMatrix::zeros(n, n);
    for (link, strength) in diagram.links.iter().zip(links) {
        matrix[(link.to, link.from)] = *strength;
    }
    matrix
}

/// The greatest real part of an eigenvalue, as a share of the greatest size of one.
fn instability(matrix: &DMatrix<f64>) -> f64 {
    let Some(schur) = Schur::try_new(matrix.clone(), f64::EPSILON, 10_000) else {
        return f64::INFINITY;
    };
    let values = schur.complex_eigenvalues();
    let largest = values.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let rightmost = values
        .iter()
        .map(|value| value.re)
        .fold(f64::NEG_INFINITY, f64::max);
    rightmost / largest
}

/// Whether every eigenvalue has a negative real part.
fn is_stable(matrix: DMatrix<f64>) -> bool {
    let margin = 1e-7 * matrix.amax();
    let Some(schur) = Schur::try_new(matrix, f64::EPSILON, 10_000) else {
        return false;
    };
    schur
        .complex_eigenvalues()
        .iter()
        .all(|value| value.re < -margin)
}
