//! The appendix of Jansen, Dowe and Farr 2000 as a recursion that plays out the positions on
//! every call: slow, and a reference for the fast code.

use kibitz_board::{Chess, Color, Move, Position};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_search::quiescent::Decision;

pub(crate) const N: usize = 4;

/// A number with its derivatives with respect to the weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dual {
    pub(crate) value: f64,
    pub(crate) slopes: [f64; N],
}

impl Dual {
    fn constant(value: f64) -> Self {
        Self {
            value,
            slopes: [0.0; N],
        }
    }

    fn scaled(self, factor: f64) -> Self {
        Self {
            value: factor * self.value,
            slopes: self.slopes.map(|slope| factor * slope),
        }
    }

    fn plus(self, other: Self) -> Self {
        let mut sum = self;
        sum.value += other.value;
        for (slope, more) in sum.slopes.iter_mut().zip(other.slopes) {
            *slope += more;
        }
        sum
    }

    fn times(self, other: Self) -> Self {
        let product = self.scaled(other.value).plus(other.scaled(self.value));
        Self {
            value: self.value * other.value,
            ..product
        }
    }

    fn exp(self) -> Self {
        let value = self.value.exp();
        Self {
            value,
            ..self.scaled(value)
        }
    }

    fn ln(self) -> Self {
        Self {
            value: self.value.ln(),
            ..self.scaled(self.value.recip())
        }
    }
}

/// The model with the default expansion, ends and four attributes.
pub(crate) struct Recursion {
    pub(crate) attributes: AttributeSet,
    pub(crate) weights: [f64; N],
    pub(crate) max_ply: u8,
}

impl Recursion {
    pub(crate) fn new(weights: [f64; N]) -> Self {
        Self {
            attributes: AttributeSet::new(Attribute::PAPER),
            weights,
            max_ply: 4,
        }
    }

    /// Log-probability of the move played.
    pub(crate) fn log_likelihood(&self, decision: &Decision) -> Dual {
        let moves = decision.position.legal_moves();
        let sign = sign(decision.position.turn());
        let values: Vec<Dual> = moves
            .iter()
            .map(|played| self.after(&decision.position, *played, 1).scaled(sign))
            .collect();
        let chosen = moves.iter().position(|played| *played == decision.played);
        let largest = values
            .iter()
            .map(|dual| dual.value)
            .fold(f64::MIN, f64::max);
        let shifted = |dual: &Dual| dual.plus(Dual::constant(-largest));
        let total = values
            .iter()
            .map(|dual| shifted(dual).exp())
            .fold(Dual::constant(0.0), Dual::plus);
        shifted(&values[chosen.expect("the move is legal")]).plus(total.ln().scaled(-1.0))
    }

    fn after(&self, position: &Chess, played: Move, depth: u8) -> Dual {
        let position = position.clone().play(played).expect("the move is legal");
        self.value(&position, depth)
    }

    /// `v_h` of a position at depth `h`, from White's side.
    fn value(&self, position: &Chess, depth: u8) -> Dual {
        let moves = position.legal_moves();
        let sign = sign(position.turn());
        if moves.is_empty() && position.is_check() {
            return Dual::constant(-sign * (600.0 - 10.0 * f64::from(depth)));
        }
        if moves.is_empty() || position.is_insufficient_material() {
            return Dual::constant(0.0);
        }
        if depth == self.max_ply {
            return self.evaluation(position);
        }
        let mut alternatives: Vec<Dual> = moves
            .iter()
            .filter(|played| {
                let after = position.clone().play(**played).expect("the move is legal");
                let forcing = played.is_capture() || played.is_promotion() || after.is_check();
                forcing || position.is_check()
            })
            .map(|played| self.after(position, *played, depth + 1))
            .collect();
        if alternatives.is_empty() {
            return self.evaluation(position);
        }
        if !position.is_check() {
            alternatives.push(self.evaluation(position));
        }
        let largest = alternatives
            .iter()
            .map(|dual| sign * dual.value)
            .fold(f64::MIN, f64::max);
        let mut numerator = Dual::constant(0.0);
        let mut denominator = Dual::constant(0.0);
        for value in alternatives {
            let weight = value.scaled(sign).plus(Dual::constant(-largest)).exp();
            numerator = numerator.plus(value.times(weight));
            denominator = denominator.plus(weight);
        }
        let quotient = numerator.value / denominator.value;
        let numerator_part = numerator.plus(denominator.scaled(-quotient));
        Dual {
            value: quotient,
            ..numerator_part.scaled(denominator.value.recip())
        }
    }

    fn evaluation(&self, position: &Chess) -> Dual {
        let row = self.attributes.values(position, Color::White);
        let mut dual = Dual::constant(0.0);
        for (k, (units, scale)) in row.iter().zip(self.attributes.scales()).enumerate() {
            dual.slopes[k] = f64::from(*units) * scale;
            dual.value += dual.slopes[k] * self.weights[k];
        }
        dual
    }
}

fn sign(turn: Color) -> f64 {
    turn.fold_wb(1.0, -1.0)
}
