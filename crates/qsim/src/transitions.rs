//! P- and I-transitions of a single variable.
//!
//! Kuipers 1986 has them as a table; they follow from continuity, the intermediate value theorem and
//! the mean value theorem.

use crate::quantity::{Direction, Magnitude, QValue, QuantitySpace};

/// Whether a state is at a point in time or holds over an open interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// At a point in time.
    Point,
    /// Between two points in time.
    Interval,
}

impl Phase {
    /// The phase that follows: points and intervals alternate.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Point => Self::Interval,
            Self::Interval => Self::Point,
        }
    }

    /// `t1`, or `(t1,t2)`, after this many points in time.
    pub(crate) fn label(self, time: usize) -> String {
        match self {
            Self::Point => format!("t{time}"),
            Self::Interval => format!("(t{time},t{})", time + 1),
        }
    }
}

/// The successors of a single value, at most four.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates {
    values: [QValue; 4],
    n: u8,
}

impl Candidates {
    pub(crate) fn none() -> Self {
        Self {
            values: [QValue::new(Magnitude(0), Direction::Std); 4],
            n: 0,
        }
    }

    fn push(&mut self, magnitude: Magnitude, direction: Direction) {
        self.values[usize::from(self.n)] = QValue::new(magnitude, direction);
        self.n += 1;
    }

    pub(crate) fn as_slice(&self) -> &[QValue] {
        &self.values[..usize::from(self.n)]
    }
}

/// The successors of a value that a variable has in this phase.
///
/// There is none only if the variable is about to leave its range, or cannot have the value.
pub(crate) fn successors(value: QValue, phase: Phase, space: &QuantitySpace) -> Candidates {
    use Direction::{Dec, Ignored, Inc, Std};
    let at = value.magnitude();
    let direction = value.direction();
    let range = space.range();
    let above = Some(at.next()).filter(|next| range.contains(next));
    let below = at.previous().filter(|previous| range.contains(previous));
    let mut found = Candidates::none();
    let mut push = |to: Option<Magnitude>, direction| {
        if let Some(to) = to {
            found.push(to, direction);
        }
    };
    match (phase, at.is_landmark(), direction) {
        // P1 to P3: from rest at a landmark.
        (Phase::Point, true, Std) => {
            push(Some(at), Std);
            push(above, Inc);
            push(below, Dec);
        }
        // P4, P6: a landmark is left at once.
        (Phase::Point, true, Inc) => push(above, Inc),
        (Phase::Point, true, Dec) => push(below, Dec),
        (Phase::Point, true, Ignored) => {
            push(Some(at), Ignored);
            push(above, Ignored);
            push(below, Ignored);
        }
        // From rest in an interval.
        (Phase::Point, false, Std) => {
            push(Some(at), Std);
            push(Some(at), Inc);
            push(Some(at), Dec);
        }
        // P5, P7: motion in an interval goes on.
        (Phase::Point, false, _) => push(Some(at), direction),
        // I1: a variable that rests over an interval of time rests at its end.
        (Phase::Interval, _, Std) => push(Some(at), Std),
        (Phase::Interval, true, Ignored) => push(Some(at), Ignored),
        // Nothing moves and stays at a landmark.
        (Phase::Interval, true, _) => {}
        // I2 to I4 and I8: reaches the landmark above, moves on towards it, or rests before it.
        (Phase::Interval, false, Inc) => {
            push(above, Std);
            push(above, Inc);
            push(Some(at), Inc);
            push(Some(at), Std);
        }
        // I5 to I7 and I9: the same downwards.
        (Phase::Interval, false, Dec) => {
            push(below, Std);
            push(below, Dec);
            push(Some(at), Dec);
            push(Some(at), Std);
        }
        (Phase::Interval, false, Ignored) => {
            push(above, Ignored);
            push(below, Ignored);
            push(Some(at), Ignored);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str, phase: Phase) -> String {
        let space = QuantitySpace::new(&["minf", "0", "a", "inf"]).unwrap();
        let all: Vec<QValue> = (space.magnitudes())
            .flat_map(|m| Direction::ALL.map(|d| QValue::new(m, d)))
            .chain(
                space
                    .magnitudes()
                    .map(|m| QValue::new(m, Direction::Ignored)),
            )
            .collect();
        let value = *all.iter().find(|v| space.show(**v) == text).unwrap();
        let next = successors(value, phase, &space);
        let shown: Vec<String> = next.as_slice().iter().map(|v| space.show(*v)).collect();
        shown.join(" ")
    }

    #[test]
    fn the_tables_of_kuipers() {
        let point = |text| table(text, Phase::Point);
        let interval = |text| table(text, Phase::Interval);
        assert_eq!(point("0/std"), "0/std 0..a/inc minf..0/dec");
        assert_eq!(point("0/inc"), "0..a/inc");
        assert_eq!(point("a/dec"), "0..a/dec");
        assert_eq!(point("0..a/inc"), "0..a/inc");
        assert_eq!(point("0..a/std"), "0..a/std 0..a/inc 0..a/dec");
        assert_eq!(interval("0/std"), "0/std");
        assert_eq!(interval("0/inc"), "");
        assert_eq!(interval("0..a/inc"), "a/std a/inc 0..a/inc 0..a/std");
        assert_eq!(interval("0..a/dec"), "0/std 0/dec 0..a/dec 0..a/std");
        assert_eq!(interval("0..a/std"), "0..a/std");
        assert_eq!(point("inf/inc"), "");
        assert_eq!(point("0/?"), "0/? 0..a/? minf..0/?");
        assert_eq!(interval("0..a/?"), "a/? 0/? 0..a/?");
    }
}
