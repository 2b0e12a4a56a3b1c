//! A tile and its neighbors, as the player sees them.

use crate::knowledge::View;

/// A tile and its neighborhood in one word. Separate bytes would be slower: a read of the whole soon
/// after a write of a part stalls (store forwarding).
///
/// From the lowest byte: the directions of neighbors that are covered and not marked, and of those
/// that are uncovered; its number (zero while it is covered) less the marks around it; its view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neighborhood(u32);

/// One bit in each byte of neighbors.
const BOTH: u32 = 0x0101;
const NEEDED_SHIFT: u32 = 16;
const VIEW_SHIFT: u32 = 24;
/// The byte of the view for a covered tile, a marked one, and a zero; the other numbers follow.
const IS_COVERED: u8 = 0;
const IS_MARKED: u8 = 1;
const IS_ZERO: u8 = 2;

impl Neighborhood {
    /// A covered tile with covered neighbors in these directions.
    pub(crate) fn all_covered(directions: u8) -> Self {
        // The bytes for needed mines and the view are zero: nothing needed, covered.
        Self(directions.into())
    }

    /// The directions of neighbors that are covered and not marked.
    #[inline]
    pub(crate) fn covered(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    /// The directions of neighbors that are uncovered.
    #[inline]
    pub(crate) fn uncovered(self) -> u8 {
        self.0.to_le_bytes()[1]
    }

    /// The number less the marks around the tile.
    #[inline]
    pub(crate) fn needed(self) -> i8 {
        self.0.to_le_bytes()[2].cast_signed()
    }

    /// The face of the tile.
    #[inline]
    pub(crate) fn view(self) -> View {
        match self.0.to_le_bytes()[3] {
            IS_COVERED => View::Covered,
            IS_MARKED => View::Marked,
            number => View::Number(number - IS_ZERO),
        }
    }

    /// Whether a number still constrains something.
    #[inline]
    pub(crate) fn is_open(self) -> bool {
        self.covered() != 0 || self.needed() != 0
    }

    /// Whether the tile is uncovered.
    #[inline]
    pub(crate) fn is_number(self) -> bool {
        self.0 >= u32::from(IS_ZERO) << VIEW_SHIFT
    }

    /// Sets the face of the tile.
    #[inline]
    pub(crate) fn set_view(&mut self, view: View) {
        let byte = match view {
            View::Covered => IS_COVERED,
            View::Marked => IS_MARKED,
            View::Number(number) => IS_ZERO + number,
        };
        self.0 = self.0 & !(0xff << VIEW_SHIFT) | u32::from(byte) << VIEW_SHIFT;
    }

    /// Adds to the needed mines. Wraps around, which only the sentinel beyond the edge does.
    #[inline]
    pub(crate) fn need(&mut self, more: i8) {
        let needed = self.needed().wrapping_add(more).cast_unsigned();
        self.0 = self.0 & !(0xff << NEEDED_SHIFT) | u32::from(needed) << NEEDED_SHIFT;
    }

    /// Swaps a neighbor between covered and uncovered.
    #[inline]
    pub(crate) fn toggle_uncovered(&mut self, direction: usize) {
        self.0 ^= BOTH << direction;
    }

    /// Swaps a covered neighbor between marked and not marked.
    #[inline]
    pub(crate) fn toggle_marked(&mut self, direction: usize) {
        self.0 ^= 1 << direction;
    }
}
