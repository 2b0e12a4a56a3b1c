//! Evaluation of constraints: directions, signs, corresponding values, infinities.

use std::sync::Arc;

use crate::constraint::{Constraint, ConstraintError, ConstraintKind, Objection};
use crate::index::compact;
use crate::quantity::{Magnitude, QValue, QuantitySpace, shifted};
use crate::sign::Signs;

/// "No such landmark" among a relation's references.
const NONE: u16 = u16::MAX;

/// A constraint ready for evaluation: its landmarks are resolved to ranks.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) kind: ConstraintKind,
    /// Unused slots repeat slot 0.
    pub(crate) variables: [u16; 3],
    /// Ranks of the landmarks `0`, and of `minf` and `inf`; [`NONE`] where there is none.
    zero: [u16; 3],
    infinities: [[u16; 2]; 3],
    check_infinite: bool,
    /// Corresponding values: the rows given, then those discovered in a behavior.
    pub(crate) corresponding: Arc<[[u16; 3]]>,
    /// Number of rows given.
    pub(crate) n_given: usize,
}

impl Relation {
    /// Resolves the constraint's landmarks.
    ///
    /// # Errors
    /// The first [`ConstraintError`].
    pub(crate) fn new(
        constraint: &Constraint,
        space_of: impl Fn(usize) -> Option<Arc<QuantitySpace>>,
        check_infinite: bool,
    ) -> Result<Self, ConstraintError> {
        let kind = constraint.kind;
        let n = kind.arity();
        if constraint.variables.len() != n {
            let found = constraint.variables.len();
            return Err(ConstraintError::Arity { kind, found });
        }
        let spaces = (constraint.variables.iter())
            .map(|&index| space_of(index).ok_or(ConstraintError::NoVariable { index }))
            .collect::<Result<Vec<_>, _>>()?;
        let slot = |argument: usize| if argument < n { argument } else { 0 };
        let rank = |magnitude: Option<Magnitude>| magnitude.map_or(NONE, |found| found.0);
        let zero: [u16; 3] = std::array::from_fn(|at| rank(spaces[slot(at)].zero()));
        let needs_zero: &[usize] = match kind {
            ConstraintKind::Mult => &[0, 1, 2],
            ConstraintKind::Minus => &[0, 1],
            ConstraintKind::Deriv => &[1],
            _ => &[],
        };
        if let Some(&argument) = needs_zero.iter().find(|at| zero[**at] == NONE) {
            return Err(ConstraintError::NoZero { kind, argument });
        }
        let mut relation = Self {
            kind,
            variables: std::array::from_fn(|at| compact(constraint.variables[slot(at)])),
            zero,
            infinities: std::array::from_fn(|at| {
                let space = &spaces[slot(at)];
                [rank(space.minus_infinity()), rank(space.infinity())]
            }),
            check_infinite,
            corresponding: Arc::default(),
            n_given: constraint.corresponding.len(),
        };
        for (row, landmarks) in constraint.corresponding.iter().enumerate() {
            check_row(kind, &spaces, row, landmarks)?;
            let ranks = std::array::from_fn(|at| landmarks[slot(at)].0);
            if let Some(objection) = relation.objection_to_magnitudes(ranks) {
                let other = match objection {
                    Objection::Corresponding(earlier) => format!("row {}", earlier + 1),
                    Objection::Infinite => "what is infinite".to_owned(),
                    _ => "the signs of its landmarks".to_owned(),
                };
                return Err(ConstraintError::Contradictory { row, other });
            }
            relation.learn(ranks);
        }
        Ok(relation)
    }

    pub(crate) fn arity(&self) -> usize {
        self.kind.arity()
    }

    /// Whether the constraint holds for the values of its arguments.
    pub(crate) fn accepts(&self, values: [QValue; 3]) -> bool {
        self.objection(values).is_none()
    }

    /// The objection to the values of its arguments, if there is one.
    #[inline]
    pub(crate) fn objection(&self, values: [QValue; 3]) -> Option<Objection> {
        if !self.directions_agree(values) {
            return Some(Objection::Directions);
        }
        self.objection_to_magnitudes(values.map(QValue::rank))
    }

    #[inline]
    fn directions_agree(&self, values: [QValue; 3]) -> bool {
        let [x, y, z] = values.map(|value| value.direction().signs());
        match self.kind {
            ConstraintKind::Constant => x.meets(Signs::ZERO),
            ConstraintKind::Deriv => x.meets(self.sign(1, values[1].rank())),
            ConstraintKind::MPlus => x.meets(y),
            ConstraintKind::MMinus | ConstraintKind::Minus => x.meets(y.negated()),
            ConstraintKind::Add => x.plus(y).meets(z),
            ConstraintKind::Mult => {
                let [a, b, _] = self.signs(values.map(QValue::rank));
                // The product rule says nothing where a factor is infinite.
                let infinite = self.check_infinite
                    && (self.infinity(0, values[0].rank()) != Signs::ZERO
                        || self.infinity(1, values[1].rank()) != Signs::ZERO);
                infinite || x.times(b).plus(a.times(y)).meets(z)
            }
        }
    }

    #[inline]
    fn objection_to_magnitudes(&self, ranks: [u16; 3]) -> Option<Objection> {
        match self.kind {
            ConstraintKind::Deriv | ConstraintKind::Constant => None,
            ConstraintKind::MPlus => self.row_refusing(ranks, |[x, y, _]| x == y),
            ConstraintKind::MMinus => self.row_refusing(ranks, |[x, y, _]| x == y.negated()),
            ConstraintKind::Minus => {
                let [x, y, _] = self.signs(ranks);
                if x != y.negated() {
                    return Some(Objection::Signs);
                }
                if self.check_infinite
                    && self.infinity(0, ranks[0]) != self.infinity(1, ranks[1]).negated()
                {
                    return Some(Objection::Infinite);
                }
                self.row_refusing(ranks, |[x, y, _]| x == y.negated())
            }
            ConstraintKind::Add => {
                let sums = |[x, y, z]: [Signs; 3]| x.plus(y).meets(z);
                if self.zero.iter().all(|zero| *zero != NONE) && !sums(self.signs(ranks)) {
                    return Some(Objection::Signs);
                }
                // Infinities add as signs do, with finite magnitudes as zero.
                if self.check_infinite && !sums(self.each(ranks, Self::infinity)) {
                    return Some(Objection::Infinite);
                }
                self.row_refusing(ranks, sums)
            }
            ConstraintKind::Mult => {
                let [x, y, z] = self.signs(ranks);
                let [inf_x, inf_y, inf_z] = self.each(ranks, Self::infinity);
                let x_infinite = self.check_infinite && inf_x != Signs::ZERO;
                let y_infinite = self.check_infinite && inf_y != Signs::ZERO;
                // Zero times infinity can be anything; a filter that demands zero loses solutions
                // (Say 1998, Improved infinity filtering in qualitative simulation).
                if x_infinite && y == Signs::ZERO || y_infinite && x == Signs::ZERO {
                    return None;
                }
                if x.times(y) != z {
                    return Some(Objection::Signs);
                }
                let expected = if x_infinite || y_infinite {
                    z
                } else {
                    Signs::ZERO
                };
                if self.check_infinite && inf_z != expected {
                    return Some(Objection::Infinite);
                }
                if x_infinite || y_infinite {
                    return None;
                }
                let wrong = |row: &[u16; 3]| {
                    let [x, y, z] = std::array::from_fn(|at| {
                        farther((ranks[at], ranks[at]), (row[at], row[at]), self.zero[at])
                    });
                    // Where a factor was zero, so was the product: the row implies nothing.
                    row[0] != self.zero[0] && row[1] != self.zero[1] && !x.plus(y).meets(z)
                };
                (self.corresponding.iter().position(wrong)).map(Objection::Corresponding)
            }
        }
    }

    /// The first row of corresponding values that the magnitudes contradict; `agree` judges the signs
    /// of their differences from the row.
    #[inline]
    fn row_refusing(
        &self,
        ranks: [u16; 3],
        agree: impl Fn([Signs; 3]) -> bool,
    ) -> Option<Objection> {
        let sides =
            |row: &[u16; 3]| std::array::from_fn(|at| Signs::comparing(&ranks[at], &row[at]));
        (self.corresponding.iter().position(|row| !agree(sides(row)))).map(Objection::Corresponding)
    }

    fn each(&self, ranks: [u16; 3], of: impl Fn(&Self, usize, u16) -> Signs) -> [Signs; 3] {
        std::array::from_fn(|slot| of(self, slot, ranks[slot]))
    }

    fn signs(&self, ranks: [u16; 3]) -> [Signs; 3] {
        self.each(ranks, Self::sign)
    }

    fn sign(&self, slot: usize, rank: u16) -> Signs {
        Signs::comparing(&rank, &self.zero[slot])
    }

    /// The sign of an infinity; zero for a finite magnitude.
    fn infinity(&self, slot: usize, rank: u16) -> Signs {
        let [minus, plus] = self.infinities[slot];
        match rank {
            _ if rank == minus => Signs::NEGATIVE,
            _ if rank == plus => Signs::POSITIVE,
            _ => Signs::ZERO,
        }
    }

    /// Adjusts the ranks after a landmark has split `interval` of `variable`.
    pub(crate) fn shift(&mut self, variable: usize, interval: Magnitude) {
        let moved = |rank: &mut u16| {
            if *rank != NONE {
                *rank = shifted(Magnitude(*rank), interval).0;
            }
        };
        let mut rows = self.corresponding.to_vec();
        for slot in (0..3).filter(|slot| usize::from(self.variables[*slot]) == variable) {
            moved(&mut self.zero[slot]);
            self.infinities[slot].iter_mut().for_each(moved);
            for row in &mut rows {
                moved(&mut row[slot]);
            }
        }
        self.corresponding = rows.into();
    }

    /// Whether these magnitudes are corresponding values that are not known or implied yet.
    pub(crate) fn is_news(&self, ranks: [u16; 3]) -> bool {
        let n = self.arity();
        let zeros = || {
            ranks
                .iter()
                .zip(&self.zero)
                .take(n)
                .map(|(rank, zero)| rank == zero)
        };
        let implied = match self.kind {
            ConstraintKind::Deriv | ConstraintKind::Constant => true,
            ConstraintKind::MPlus | ConstraintKind::MMinus => false,
            // The signs imply it already.
            ConstraintKind::Minus | ConstraintKind::Add => zeros().all(|zero| zero),
            ConstraintKind::Mult => zeros().any(|zero| zero),
        };
        let finite = |slot: usize| self.infinity(slot, ranks[slot]) == Signs::ZERO;
        !implied
            && (0..n).all(|slot| ranks[slot].is_multiple_of(2) && finite(slot))
            && !self.corresponding.contains(&ranks)
    }

    /// Adds a row of corresponding values.
    pub(crate) fn learn(&mut self, ranks: [u16; 3]) {
        self.corresponding = self.corresponding.iter().copied().chain([ranks]).collect();
    }
}

/// Checks a row of corresponding values: a finite landmark of each argument, for the kinds that
/// have corresponding values.
fn check_row(
    kind: ConstraintKind,
    spaces: &[Arc<QuantitySpace>],
    row: usize,
    landmarks: &[Magnitude],
) -> Result<(), ConstraintError> {
    if matches!(kind, ConstraintKind::Deriv | ConstraintKind::Constant) {
        return Err(ConstraintError::NoCorresponding { kind });
    }
    let (expected, found) = (kind.arity(), landmarks.len());
    if found != expected {
        return Err(ConstraintError::RowLength {
            row,
            expected,
            found,
        });
    }
    for (argument, (&landmark, space)) in landmarks.iter().zip(spaces).enumerate() {
        if !landmark.is_landmark() || usize::from(landmark.0 / 2) >= space.landmarks().len() {
            return Err(ConstraintError::NotALandmark { row, argument });
        }
        let sums = matches!(kind, ConstraintKind::Add | ConstraintKind::Mult);
        if sums && space.is_infinite(landmark) {
            return Err(ConstraintError::Infinite {
                kind,
                row,
                argument,
            });
        }
    }
    Ok(())
}

/// Compares the distances of two magnitudes from `zero`, each given as a range of ranks.
///
/// Magnitudes on different sides of zero are incomparable.
pub(crate) fn farther(left: (u16, u16), right: (u16, u16), zero: u16) -> Signs {
    let side = |(low, high): (u16, u16)| match (low.cmp(&zero), high.cmp(&zero)) {
        (a, b) if a == b => Signs::comparing(&low, &zero),
        _ => Signs::ANY,
    };
    let (a, b) = (side(left), side(right));
    if a == Signs::ANY || b == Signs::ANY {
        return Signs::ANY;
    }
    match (a == Signs::ZERO, b == Signs::ZERO) {
        (true, true) => Signs::ZERO,
        (true, false) => Signs::NEGATIVE,
        (false, true) => Signs::POSITIVE,
        (false, false) if a != b => Signs::ANY,
        (false, false) => {
            let order = if left.0 > right.1 {
                Signs::POSITIVE
            } else if left.1 < right.0 {
                Signs::NEGATIVE
            } else if left.0 == left.1 && left == right && left.0.is_multiple_of(2) {
                Signs::ZERO
            } else {
                Signs::ANY
            };
            if a == Signs::POSITIVE {
                order
            } else {
                order.negated()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Direction;

    /// The magnitudes of z that are consistent with those of x and y, all of them steady.
    fn results(kind: ConstraintKind, rows: &[[&str; 3]], check: bool, x: &str, y: &str) -> String {
        let space = QuantitySpace::new(&["minf", "-1", "0", "1", "2", "inf"]).unwrap();
        let of = |name: &str| {
            space
                .magnitudes()
                .find(|at| space.name(*at) == name)
                .unwrap()
        };
        let mut constraint = Constraint::new(kind, [0, 1, 2]);
        for row in rows {
            constraint = constraint.at(row.map(of));
        }
        let shared = Arc::new(space.clone());
        let relation = Relation::new(&constraint, |_| Some(Arc::clone(&shared)), check).unwrap();
        let steady = |at: Magnitude| QValue::new(at, Direction::Std);
        let found = space
            .magnitudes()
            .filter(|z| relation.accepts([steady(of(x)), steady(of(y)), steady(*z)]));
        found.map(|z| space.name(z)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sums_keep_to_signs_rows_and_infinities() {
        let add = |rows, check, x, y| results(ConstraintKind::Add, rows, check, x, y);
        assert_eq!(add(&[], true, "1", "0"), "0..1 1 1..2 2 2..inf");
        assert_eq!(add(&[["1", "1", "2"]], true, "1", "1"), "2");
        assert_eq!(add(&[["1", "1", "2"]], true, "1..2", "1"), "2..inf");
        assert_eq!(add(&[["1", "1", "2"]], true, "0..1", "1"), "0..1 1 1..2");
        assert_eq!(add(&[], true, "inf", "-1"), "inf");
        assert_eq!(add(&[], true, "inf", "minf").split(' ').count(), 11);
        assert_eq!(add(&[], false, "1", "1"), "0..1 1 1..2 2 2..inf inf");
    }

    /// Say 1998: zero times infinity can be anything, so that no solution is lost.
    #[test]
    fn products_keep_to_signs_rows_and_infinities() {
        let mult = |rows, check, x, y| results(ConstraintKind::Mult, rows, check, x, y);
        assert_eq!(mult(&[], true, "-1", "1"), "minf..-1 -1 -1..0");
        assert_eq!(mult(&[], true, "0", "1"), "0");
        assert_eq!(mult(&[], true, "inf", "-1"), "minf");
        assert_eq!(mult(&[], true, "inf", "0").split(' ').count(), 11);
        assert_eq!(mult(&[["1", "2", "2"]], true, "1", "2"), "2");
        assert_eq!(mult(&[["1", "2", "2"]], true, "0..1", "2"), "0..1 1 1..2");
        assert_eq!(
            mult(&[["1", "2", "2"]], true, "-1", "2"),
            "minf..-1 -1 -1..0"
        );
        assert_eq!(mult(&[], false, "1", "1"), "0..1 1 1..2 2 2..inf inf");
    }

    #[test]
    fn distances_from_zero_are_compared_on_one_side() {
        let zero = 4;
        let at = |rank| (rank, rank);
        assert_eq!(farther(at(6), at(5), zero), Signs::POSITIVE);
        assert_eq!(farther(at(2), at(3), zero), Signs::POSITIVE);
        assert_eq!(farther(at(4), at(3), zero), Signs::NEGATIVE);
        assert_eq!(farther(at(2), at(2), zero), Signs::ZERO);
        assert_eq!(farther(at(5), at(5), zero), Signs::ANY);
        assert_eq!(farther(at(2), at(6), zero), Signs::ANY);
        assert_eq!(farther(at(7), (5, 7), zero), Signs::ANY);
    }
}
