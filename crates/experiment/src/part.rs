//! Parts: shares of work that would be one long cell.

use std::ops::Range;

/// One of several shares of a sequence, such as the games of a collection.
///
/// The shares are contiguous and differ in length by one at most: results concatenated share by
/// share are in the order of the sequence, for any number of parts.
///
/// # Examples
/// ```
/// use kibitz_experiment::Part;
///
/// let ranges: Vec<_> = Part::all(3).map(|part| part.range(8)).collect();
/// assert_eq!(ranges, [0..2, 2..5, 5..8]);
/// let names: Vec<_> = Part::all(2).map(|part| part.name("Tal")).collect();
/// assert_eq!(names, ["Tal, part 1 of 2", "Tal, part 2 of 2"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    number: u32,
    of: u32,
}

impl Part {
    /// The most parts that something may have.
    pub const MOST: u32 = 10_000;

    /// The message for an invalid number of parts.
    pub const PROBLEM: &'static str = "from 1 to 10,000 parts";

    /// Whether something may have so many parts.
    pub fn is_number(of: u32) -> bool {
        (1..=Self::MOST).contains(&of)
    }

    /// So many parts, in order.
    pub fn all(of: u32) -> impl Iterator<Item = Self> {
        (0..of).map(move |number| Self { number, of })
    }

    /// The indices of its share of `len` items.
    pub fn range(self, len: u64) -> Range<u64> {
        let start = |number: u32| {
            let start = u128::from(len) * u128::from(number) / u128::from(self.of.max(1));
            // No more than `len`, as `number` is no more than `of`.
            u64::try_from(start).unwrap_or(len)
        };
        start(self.number)..start(self.number + 1)
    }

    /// The id of the cell that does this part: that of the whole, if it is the only one.
    pub fn name(self, whole: &str) -> String {
        match self.of {
            1 => whole.to_owned(),
            of => format!("{whole}, part {} of {of}", self.number + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_follow_one_another_and_are_of_one_length(len: u64, of in 1..=Part::MOST) {
            let mut end = 0;
            for part in Part::all(of) {
                let range = part.range(len);
                prop_assert_eq!(range.start, end);
                let length = range.end - range.start;
                let least = len / u64::from(of);
                prop_assert!(length == least || length == least + 1);
                end = range.end;
            }
            prop_assert_eq!(end, len);
        }
    }
}
