//! The simple player model, a one-ply search: the design matrix of a position has a row of
//! attributes for each move.

use kibitz_board::{Chess, MoveList, Position};
use kibitz_heuristics::attributes::{AttributeSet, PieceValues, material_balance};

use crate::player::Model;

/// The one-ply player model with its attributes.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 2.1: all positions one move away are evaluated, from the
/// side of the player who makes the move, by equation (1).
#[derive(Debug, Clone)]
pub struct OnePly {
    attributes: AttributeSet,
}

impl OnePly {
    /// The model over `attributes`.
    pub fn new(attributes: AttributeSet) -> Self {
        Self { attributes }
    }

    /// The attributes, in the order of the weights.
    pub fn attributes(&self) -> &AttributeSet {
        &self.attributes
    }

    /// Appends the design matrix of a position to `rows`, row by row: for each of `moves`, in their
    /// order, the attributes of the position after it, seen by the player who makes it. `moves` must be legal in `position`.
    ///
    /// # Examples
    /// ```
    /// use kibitz_board::{Chess, Position};
    /// use kibitz_heuristics::attributes::{Attribute, AttributeSet};
    /// use kibitz_search::one_ply::OnePly;
    ///
    /// let model = OnePly::new(AttributeSet::new(Attribute::SIMPLE));
    /// let position = Chess::default();
    /// let mut rows = Vec::new();
    /// model.extend_rows(&position, &position.legal_moves(), &mut rows);
    /// assert_eq!(rows.len(), 20 * 2);
    /// ```
    pub fn extend_rows(&self, position: &Chess, moves: &MoveList, rows: &mut Vec<i16>) {
        let player = position.turn();
        let before = material_balance(position.board(), player);
        let needs_position = self.attributes.needs_position();
        for &played in moves {
            let material = before + PieceValues::gain(played);
            if needs_position {
                let mut after = position.clone();
                after.play_unchecked(played);
                self.attributes.extend_row(rows, &after, player, material);
            } else {
                self.attributes.extend_row(rows, position, player, material);
            }
        }
    }
}

/// A one-ply model with its weights.
#[derive(Debug, Clone)]
pub struct WeightedOnePly {
    model: OnePly,
    /// The weights times the scales of the attributes: what one whole unit adds to a value.
    unit_weights: Vec<f64>,
    rows: Vec<i16>,
}

impl WeightedOnePly {
    /// `model` with one weight per attribute, in the model's order and in the paper's units.
    ///
    /// # Panics
    /// If the number of weights is not the number of attributes.
    pub fn new(model: OnePly, weights: Vec<f64>) -> Self {
        assert_eq!(
            weights.len(),
            model.attributes.len(),
            "one weight per attribute"
        );
        let mut unit_weights = weights;
        for (weight, scale) in unit_weights.iter_mut().zip(model.attributes.scales()) {
            *weight *= scale;
        }
        Self {
            model,
            unit_weights,
            rows: Vec::new(),
        }
    }

    /// The attributes of the moves that were valued last, as [`OnePly::extend_rows`] has them.
    pub fn rows(&self) -> &[i16] {
        &self.rows
    }
}

impl Model for WeightedOnePly {
    fn extend_values(&mut self, position: &Chess, moves: &MoveList, values: &mut Vec<f64>) {
        if self.unit_weights.is_empty() {
            values.extend(moves.iter().map(|_| 0.0));
            return;
        }
        self.rows.clear();
        self.model.extend_rows(position, moves, &mut self.rows);
        values.extend(self.rows.chunks_exact(self.unit_weights.len()).map(|row| {
            row.iter()
                .zip(&self.unit_weights)
                .map(|(&value, weight)| f64::from(value) * weight)
                .sum::<f64>()
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_heuristics::attributes::Attribute;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_the_attributes_of_the_positions_reached(
            choices in prop::collection::vec(any::<u16>(), 1..120),
        ) {
            let set = AttributeSet::new([
                Attribute::Attacks,
                Attribute::Mobility,
                Attribute::Material,
                Attribute::CenterControl,
            ]);
            let model = OnePly::new(set.clone());
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mut rows = Vec::new();
                model.extend_rows(&position, &moves, &mut rows);
                prop_assert_eq!(rows.len(), 4 * moves.len());
                for (&played, row) in moves.iter().zip(rows.chunks_exact(4)) {
                    let after = position.clone().play(played).unwrap();
                    let values = set.values(&after, position.turn());
                    prop_assert_eq!(row, values.as_slice());
                }
                position.play_unchecked(moves[choice as usize % moves.len()]);
            }
        }
    }
}
