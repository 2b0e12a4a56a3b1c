//! Parameters of the heuristics: the published ones, and our choices for those left open.

use kibitz_board::{ByRole, Role};

use super::{Interpretation, Interpretations};

/// Parameters of the heuristics.
///
/// [`Parameters::PUBLISHED`], the default, holds the published p0 to p21, and our choices for values
/// that the report leaves to another thesis.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// `p[n]` is the factor of heuristic n.
    ///
    /// # Source
    /// Sugar 1975, Appendix 2, p. 122. p15 is illegible in the scan; the published means of
    /// heuristic 15 (Table 4.2.2) exclude 15 and fit 10. p10 and p11 are read as 15, which the published
    /// moments exclude as well: a heuristic that scores S or nothing has sd² + mean² = S·mean, and
    /// Table 4.2.2 gives S = 40.0 and 40.9 for heuristic 10, 39.2 and 40.2 for heuristic 11. Four times
    /// the parameter is 40, so that both are 10.
    pub p: [f64; 22],
    /// Values of the pieces.
    ///
    /// The report leaves open the values of the pieces; we take the usual 1, 3, 3, 5, 9, and 10 for
    /// the king, which makes him the most valuable piece without drowning every development value
    /// that he is part of.
    pub piece_values: ByRole<f64>,
    /// Value of a square outside the center.
    ///
    /// The report leaves open the values of the squares; we count a square as a pawn's worth and a
    /// square of the center (d4, e4, d5, e5) as two.
    pub square_value: f64,
    /// Value of d4, e4, d5 and e5.
    pub center_square_value: f64,
    /// Factor of development values and of the king's spatial value.
    ///
    /// The report leaves open the scale of these values.
    pub development_scale: f64,
    /// The endgame begins when neither side has pieces and pawns worth more than this.
    ///
    /// The report leaves open when CHUTE's endgame begins (its phases by ply belong to the
    /// experiments); we say when neither side has more than 13 points besides the king.
    pub endgame_material: f64,
    /// The interpretations of ambiguous sentences.
    pub interpretations: Interpretations,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters::PUBLISHED
    }
}

impl Parameters {
    /// The published parameters, and our choices for those unpublished.
    pub const PUBLISHED: Parameters = Parameters::read(Interpretations::ADOPTED);

    /// The published parameters under the given interpretations.
    pub const fn read(interpretations: Interpretations) -> Parameters {
        let mut parameters = Parameters {
            interpretations,
            ..Parameters::PLAIN
        };
        if interpretations.has(Interpretation::ListedRooks) {
            parameters.p[10] = 15.0;
            parameters.p[11] = 15.0;
        }
        if interpretations.has(Interpretation::QuarterDevelopment) {
            parameters.development_scale = 0.25;
        }
        if interpretations.has(Interpretation::LateEndgame) {
            parameters.endgame_material = 8.0;
        }
        if interpretations.has(Interpretation::FortyForKing) {
            parameters.piece_values.king = 40.0;
        }
        if interpretations.has(Interpretation::GreenblattValues) {
            parameters.piece_values.knight = 3.25;
            parameters.piece_values.bishop = 3.5;
            parameters.piece_values.queen = 9.75;
        }
        parameters
    }

    const PLAIN: Parameters = Parameters {
        p: [
            10.0, 10.0, 15.0, 10.0, 10.0, 10.0, 13.0, 7.0, 7.0, 5.0, 10.0, 10.0, 15.0, 15.0, 15.0,
            10.0, 7.0, 10.0, 7.0, 10.0, 15.0, 10.0,
        ],
        piece_values: ByRole {
            pawn: 1.0,
            knight: 3.0,
            bishop: 3.0,
            rook: 5.0,
            queen: 9.0,
            king: 10.0,
        },
        square_value: 1.0,
        center_square_value: 2.0,
        development_scale: 1.0,
        endgame_material: 13.0,
        interpretations: Interpretations::NONE,
    };

    /// Value of a piece.
    pub fn value(&self, role: Role) -> f64 {
        *self.piece_values.get(role)
    }

    /// The largest of p0 to p21, the factor of decisive features: 15 as published.
    pub fn largest(&self) -> f64 {
        self.p.iter().copied().fold(0.0, f64::max)
    }

    /// The maximum parameter factor: the square of the largest parameter, 225 as published.
    ///
    /// # Source
    /// Appendix 2, p. 122, where the scan reads 255. The published means of heuristic 20, which
    /// scores a quarter of it or nothing, give 56 four times over, and 56 is a quarter of 225.
    pub fn maximum_factor(&self) -> f64 {
        self.largest() * self.largest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_factor_follows_from_the_published_parameters() {
        let parameters = Parameters::default();
        assert!((parameters.largest() - 15.0).abs() < f64::EPSILON);
        assert!((parameters.maximum_factor() - 225.0).abs() < f64::EPSILON);
        assert!((parameters.p.iter().sum::<f64>() - 231.0).abs() < f64::EPSILON);
    }
}
