//! Quantity spaces: ordered landmarks, the intervals between them, and qualitative values.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use thiserror::Error;

use crate::sign::Signs;

/// Name of the landmark at minus infinity.
pub(crate) const MINUS_INFINITY: &str = "minf";
/// Name of the landmark at infinity.
pub(crate) const INFINITY: &str = "inf";
/// Name of the landmark between the signs.
pub(crate) const ZERO: &str = "0";

/// Limit on the landmarks of a quantity space; as many more may be discovered.
pub const MAX_LANDMARKS: usize = 4_000;

/// A landmark, or the open interval between two neighboring ones.
///
/// Ordered as the numbers they represent; meaningful only with its [`QuantitySpace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Magnitude(pub(crate) u16);

impl Magnitude {
    /// The landmark of this index, counted from the lowest.
    ///
    /// # Panics
    /// If `index` is not below [`MAX_LANDMARKS`].
    pub fn landmark(index: usize) -> Self {
        assert!(index < MAX_LANDMARKS, "no space has so many landmarks");
        Self(2 * u16::try_from(index).expect("below the limit"))
    }

    /// The open interval above the landmark of this index.
    ///
    /// # Panics
    /// If `index` is not below [`MAX_LANDMARKS`].
    pub fn above(index: usize) -> Self {
        Self(Self::landmark(index).0 + 1)
    }

    /// Whether it is a landmark, not an interval.
    pub fn is_landmark(self) -> bool {
        self.0.is_multiple_of(2)
    }

    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }

    pub(crate) fn previous(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }
}

/// Direction of change: the sign of the derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Decreasing.
    Dec = 0,
    /// Steady.
    Std = 1,
    /// Increasing.
    Inc = 2,
    /// Any of the three, not distinguished: the abstraction of chatter.
    Ignored = 3,
}

impl Direction {
    /// The three signs of the derivative.
    pub const ALL: [Self; 3] = [Self::Dec, Self::Std, Self::Inc];

    pub(crate) fn signs(self) -> Signs {
        match self {
            Self::Dec => Signs::NEGATIVE,
            Self::Std => Signs::ZERO,
            Self::Inc => Signs::POSITIVE,
            Self::Ignored => Signs::ANY,
        }
    }

    /// `dec`, `std`, `inc`, or `?` if ignored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dec => "dec",
            Self::Std => "std",
            Self::Inc => "inc",
            Self::Ignored => "?",
        }
    }
}

/// A qualitative value: a magnitude and a direction of change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QValue(u16);

impl QValue {
    /// This magnitude, changing in this direction.
    pub fn new(magnitude: Magnitude, direction: Direction) -> Self {
        Self(magnitude.0 << 2 | direction as u16)
    }

    /// Landmark or interval.
    pub fn magnitude(self) -> Magnitude {
        Magnitude(self.0 >> 2)
    }

    /// Direction of change.
    pub fn direction(self) -> Direction {
        match self.0 & 3 {
            0 => Direction::Dec,
            1 => Direction::Std,
            2 => Direction::Inc,
            _ => Direction::Ignored,
        }
    }

    pub(crate) fn rank(self) -> u16 {
        self.0 >> 2
    }

    /// A small number, different for different values.
    pub(crate) fn code(self) -> u16 {
        self.0
    }

    /// The value with this [`code`](Self::code).
    pub(crate) fn from_code(code: u16) -> Self {
        Self(code)
    }

    /// Whether it is steady, or its direction is ignored.
    pub(crate) fn may_rest(self) -> bool {
        self.direction().signs().meets(Signs::ZERO)
    }
}

impl fmt::Debug for QValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.rank(), self.direction().name())
    }
}

/// Why landmarks make no quantity space.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// Fewer than two landmarks.
    #[error("a quantity space needs at least two landmarks")]
    TooFew,
    /// More than [`MAX_LANDMARKS`].
    #[error("a quantity space has at most {MAX_LANDMARKS} landmarks")]
    TooMany,
    /// The landmark of this index has the name of an earlier one.
    #[error("landmark `{name}` is given twice")]
    Repeated {
        /// Index of the second one.
        index: usize,
        /// Its name.
        name: String,
    },
    /// The landmark of this index is out of order.
    #[error("landmarks are out of order: `{name}` {why}")]
    OutOfOrder {
        /// Index of the landmark.
        index: usize,
        /// Its name.
        name: String,
        /// Its proper place.
        why: String,
    },
    /// The name is ambiguous with other syntax of a value.
    #[error("`{name}` cannot name a landmark: {why}")]
    BadName {
        /// Index of the landmark.
        index: usize,
        /// The name.
        name: String,
        /// The rule that it breaks.
        why: &'static str,
    },
    /// A range whose upper end is below its lower end.
    #[error("the range is empty: its end is below its beginning")]
    EmptyRange,
}

/// A quantity space: the ordered landmarks of a variable, and its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantitySpace {
    landmarks: Vec<Arc<str>>,
    range: (Magnitude, Magnitude),
    zero: Option<Magnitude>,
}

impl QuantitySpace {
    /// The space of these landmarks, from the lowest to the highest, with no limit to the range.
    ///
    /// `minf` and `inf` are the infinities and are allowed only at the ends, `0` is zero; names that are
    /// numbers must be in their order. Other names are free.
    ///
    /// # Errors
    /// The first [`SpaceError`].
    pub fn new<S: AsRef<str>>(landmarks: &[S]) -> Result<Self, SpaceError> {
        let names: Vec<&str> = landmarks.iter().map(AsRef::as_ref).collect();
        if names.len() < 2 {
            return Err(SpaceError::TooFew);
        }
        if names.len() > MAX_LANDMARKS {
            return Err(SpaceError::TooMany);
        }
        for (index, &name) in names.iter().enumerate() {
            Self::check(&names, index).map_err(|problem| match problem {
                Problem::Repeated => SpaceError::Repeated {
                    index,
                    name: name.to_owned(),
                },
                Problem::BadName(why) => SpaceError::BadName {
                    index,
                    name: name.to_owned(),
                    why,
                },
                Problem::OutOfOrder(why) => SpaceError::OutOfOrder {
                    index,
                    name: name.to_owned(),
                    why,
                },
            })?;
        }
        let zero = names.iter().position(|name| *name == ZERO);
        Ok(Self {
            landmarks: names.iter().map(|name| Arc::from(*name)).collect(),
            range: (Magnitude(0), Magnitude::landmark(names.len() - 1)),
            zero: zero.map(Magnitude::landmark),
        })
    }

    fn check(names: &[&str], index: usize) -> Result<(), Problem> {
        let name = names[index];
        if names[..index].contains(&name) {
            return Err(Problem::Repeated);
        }
        if name.is_empty() || name.contains("..") || name.contains(['/', ' ', '*', '?']) {
            return Err(Problem::BadName(
                "a name has no `..`, `/`, `*`, `?` or blank",
            ));
        }
        match name {
            "-inf" | "+inf" => return Err(Problem::BadName("the infinities are `minf` and `inf`")),
            MINUS_INFINITY if index > 0 => {
                return Err(Problem::OutOfOrder("must be the lowest".into()));
            }
            INFINITY if index + 1 < names.len() => {
                return Err(Problem::OutOfOrder("must be the highest".into()));
            }
            _ => {}
        }
        let number = |name: &str| name.parse::<f64>().ok().filter(|x| x.is_finite());
        let lower = names[..index]
            .iter()
            .rev()
            .find(|name| number(name).is_some());
        match lower {
            Some(lower) if number(name).is_some_and(|x| Some(x) <= number(lower)) => {
                Err(Problem::OutOfOrder(format!("is not above `{lower}`")))
            }
            _ => Ok(()),
        }
    }

    /// The same landmarks, with the magnitudes limited to this range.
    ///
    /// # Errors
    /// [`SpaceError::EmptyRange`].
    pub fn with_range(mut self, range: RangeInclusive<Magnitude>) -> Result<Self, SpaceError> {
        if range.is_empty() || *range.end() > self.range.1 {
            return Err(SpaceError::EmptyRange);
        }
        self.range = range.into_inner();
        Ok(self)
    }

    /// Names of the landmarks, from the lowest.
    pub fn landmarks(&self) -> impl ExactSizeIterator<Item = &str> {
        self.landmarks.iter().map(AsRef::as_ref)
    }

    /// The lowest and the highest possible magnitude.
    pub fn range(&self) -> RangeInclusive<Magnitude> {
        self.range.0..=self.range.1
    }

    /// All possible magnitudes, from the lowest.
    pub fn magnitudes(&self) -> impl DoubleEndedIterator<Item = Magnitude> + Clone + use<> {
        (self.range.0.0..=self.range.1.0).map(Magnitude)
    }

    /// The landmark `0`, if there is one.
    pub fn zero(&self) -> Option<Magnitude> {
        self.zero
    }

    /// The landmark `minf`, if there is one.
    pub(crate) fn minus_infinity(&self) -> Option<Magnitude> {
        (&*self.landmarks[0] == MINUS_INFINITY).then_some(Magnitude(0))
    }

    /// The landmark `inf`, if there is one.
    pub(crate) fn infinity(&self) -> Option<Magnitude> {
        let last = self.landmarks.len() - 1;
        (&*self.landmarks[last] == INFINITY).then(|| Magnitude::landmark(last))
    }

    /// Whether the magnitude is one of the infinities.
    pub fn is_infinite(&self, magnitude: Magnitude) -> bool {
        Some(magnitude) == self.infinity() || Some(magnitude) == self.minus_infinity()
    }

    /// The landmark of this name.
    pub fn find(&self, name: &str) -> Option<Magnitude> {
        let index = self.landmarks.iter().position(|known| **known == *name)?;
        Some(Magnitude::landmark(index))
    }

    /// `la0`, or `0..la0` for an interval.
    pub fn name(&self, magnitude: Magnitude) -> String {
        let index = usize::from(magnitude.0 / 2);
        if magnitude.is_landmark() {
            self.landmarks[index].to_string()
        } else {
            format!("{}..{}", self.landmarks[index], self.landmarks[index + 1])
        }
    }

    /// Magnitude and direction in the notation of the field: `0..la0/dec`.
    pub fn show(&self, value: QValue) -> String {
        format!(
            "{}/{}",
            self.name(value.magnitude()),
            value.direction().name()
        )
    }

    /// The space with a new landmark that splits this interval.
    pub(crate) fn with_landmark(&self, interval: Magnitude, name: &str) -> Self {
        let mut space = self.clone();
        let index = usize::from(interval.0 / 2) + 1;
        space.landmarks.insert(index, Arc::from(name));
        let [low, high] = [space.range.0, space.range.1].map(|end| shifted(end, interval));
        // An end that was the interval itself now spans three magnitudes.
        space.range = (
            low,
            if high == interval {
                high.next().next()
            } else {
                high
            },
        );
        space.zero = space.zero.map(|zero| shifted(zero, interval));
        space
    }
}

/// A magnitude after a landmark has split `interval`, which itself becomes its lower part.
pub(crate) fn shifted(magnitude: Magnitude, interval: Magnitude) -> Magnitude {
    if magnitude > interval {
        Magnitude(magnitude.0 + 2)
    } else {
        magnitude
    }
}

enum Problem {
    Repeated,
    BadName(&'static str),
    OutOfOrder(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(landmarks: &[&str]) -> String {
        QuantitySpace::new(landmarks).unwrap_err().to_string()
    }

    #[test]
    fn magnitudes_have_names_and_an_order() {
        let space = QuantitySpace::new(&["minf", "0", "la0", "inf"]).unwrap();
        let names: Vec<String> = space.magnitudes().map(|m| space.name(m)).collect();
        assert_eq!(
            names,
            ["minf", "minf..0", "0", "0..la0", "la0", "la0..inf", "inf"]
        );
        assert_eq!(space.find("la0"), Some(Magnitude::landmark(2)));
        assert!(space.magnitudes().is_sorted());
        assert_eq!(space.zero(), space.find("0"));
        assert!(space.is_infinite(Magnitude(6)) && !space.is_infinite(Magnitude(5)));
        let value = QValue::new(Magnitude::above(1), Direction::Dec);
        assert_eq!(space.show(value), "0..la0/dec");
        assert_eq!(value.direction(), Direction::Dec);
    }

    #[test]
    fn landmarks_have_an_order() {
        assert_eq!(
            message(&["0", "minf"]),
            "landmarks are out of order: `minf` must be the lowest"
        );
        assert_eq!(
            message(&["inf", "0"]),
            "landmarks are out of order: `inf` must be the highest"
        );
        assert_eq!(
            message(&["0", "a", "-2"]),
            "landmarks are out of order: `-2` is not above `0`"
        );
        assert_eq!(message(&["0", "a", "a"]), "landmark `a` is given twice");
        assert!(message(&["-inf", "0"]).contains("`minf` and `inf`"));
        assert!(message(&["0", "a..b"]).contains("cannot name"));
        assert_eq!(QuantitySpace::new(&["0"]), Err(SpaceError::TooFew));
    }

    #[test]
    fn a_new_landmark_splits_an_interval() {
        let space = QuantitySpace::new(&["minf", "0", "inf"]).unwrap();
        let space = space.with_range(Magnitude(2)..=Magnitude(3)).unwrap();
        let wider = space.with_landmark(Magnitude(3), "x*1");
        let names: Vec<String> = wider.magnitudes().map(|m| wider.name(m)).collect();
        assert_eq!(names, ["0", "0..x*1", "x*1", "x*1..inf"]);
        let lower = wider.with_landmark(Magnitude(1), "x*2");
        assert_eq!(lower.zero(), lower.find("0"));
        assert_eq!(lower.magnitudes().count(), 4);
    }
}
