//! States to learn from.

use kibitz_experiment::ChaCha8Rng;
use kibitz_qsim::{Direction, QValue, State, System, Variable};
use rand::RngExt;
use rand::seq::SliceRandom as _;

use crate::systems::accepts;

/// States drawn before the search for further illegal ones is given up.
const MAX_DRAWS: usize = 1_000_000;

/// States that a system can be in, and others.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    pub(crate) positive: Vec<State>,
    pub(crate) negative: Vec<State>,
}

impl Examples {
    /// Draws `n` different states of some variables, with indices `places` in a system, that the system
    /// rejects for all values of its other variables.
    pub(crate) fn draw_negative(
        &mut self,
        n: usize,
        (variables, places): (&[Variable], &[usize]),
        system: &System,
        rng: &mut ChaCha8Rng,
    ) {
        for _ in 0..MAX_DRAWS {
            if self.negative.len() >= n {
                return;
            }
            let values = variables.iter().map(|variable| {
                let magnitudes: Vec<_> = variable.space.magnitudes().collect();
                let magnitude = magnitudes[rng.random_range(0..magnitudes.len())];
                QValue::new(magnitude, Direction::ALL[rng.random_range(0..3)])
            });
            let state: State = values.collect();
            if !self.negative.contains(&state) && !accepts(system, places, &state) {
                self.negative.push(state);
            }
        }
    }
}

/// `n` of these states, or all if there are no more.
pub(crate) fn draw(n: usize, states: &[State], rng: &mut ChaCha8Rng) -> Vec<State> {
    let mut states = states.to_vec();
    states.shuffle(rng);
    states.truncate(n);
    states
}
