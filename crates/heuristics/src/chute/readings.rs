//! Readings of the sentences that the report leaves open.

use std::fmt;

/// Another way to read a sentence of the report than the plainest one.
///
/// Each names the sentence that it reads. [`Readings::ADOPTED`] holds those that the text itself
/// supports, or the figures of the report that it was not chosen by; the others are there to be
/// tried (`sugar1975/readings`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Reading {
    /// Heuristic 14 adds the bare values of the pieces saved, not 225 a point: "all pieces saved by
    /// this move have their values added", where only the exposed piece's value is multiplied by
    /// parameter and largest parameter (pp. 127-128).
    SavedValue,
    /// Development values are a quarter of ours: they add "the values of all the squares" and "of any
    /// pieces on those squares" (p. 122), which are in another thesis and may be on any scale.
    QuarterDevelopment,
    /// Heuristic 9 takes the value of the piece moved last, where the sentence has "half the
    /// developmental value of the piece" (p. 126).
    LastMovedValue,
    /// Heuristic 9 counts the capture of the piece moved last, too: the move "attacks the piece last
    /// moved by the opponent" (p. 126).
    LastMovedCaptured,
    /// p10 and p11 are 10, where the list of parameters is read as 15 (p. 122).
    RookParameters,
    /// Heuristic 20 takes its points from the third move of a piece in a row: it "discourages
    /// successive moves with the same piece" (p. 130); the example of section 4.1 (p. 66) has a
    /// negative score for the second.
    ThirdMove,
    /// Heuristic 15 takes for undoubling what it gives for doubling; the sentence (p. 128) takes
    /// nothing, and section 4.1 (p. 68) says that it "doesn't detect undoubling".
    Undoubling,
    /// Heuristic 16 takes for leaving the squares around the king what it gives for attacking them;
    /// the sentence (pp. 128-129) takes nothing, and section 4.1 (p. 68) says that it "doesn't
    /// detect removal of such an attack threat".
    LeavingKing,
    /// Heuristic 0 counts new attacks only: it "checks if the move attacks a passed pawn" (p. 122),
    /// and its running account should "reflect the original threat" (section 4.1, p. 67).
    NewAttacks,
    /// Heuristic 17 takes the value of the mover's own piece with either sign: "the value of the
    /// pinner or pinee is added or subtracted (respectively)", where the piece on the square moved to
    /// "pins an enemy piece, or is pinned" (p. 129).
    OwnPinValue,
    /// The endgame begins at 8 points besides the king, not 13: heuristic 21 works "in the endgame"
    /// (p. 130).
    LateEndgame,
}

impl Reading {
    /// Every reading, in the order in which `sugar1975/readings` adds them.
    pub const ALL: [Reading; 11] = [
        Reading::SavedValue,
        Reading::QuarterDevelopment,
        Reading::LastMovedValue,
        Reading::LastMovedCaptured,
        Reading::RookParameters,
        Reading::ThirdMove,
        Reading::Undoubling,
        Reading::LeavingKing,
        Reading::NewAttacks,
        Reading::OwnPinValue,
        Reading::LateEndgame,
    ];
}

/// A set of readings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Readings(u16);

impl Readings {
    /// None: every sentence as it was first read.
    pub const NONE: Readings = Readings(0);

    /// Those that the tables use.
    pub const ADOPTED: Readings = Readings::NONE
        .with(Reading::SavedValue)
        .with(Reading::OwnPinValue);

    /// These and one more.
    #[must_use]
    pub const fn with(self, reading: Reading) -> Readings {
        Readings(self.0 | 1 << reading as u16)
    }

    /// Whether a reading is among them.
    pub const fn has(self, reading: Reading) -> bool {
        self.0 & (1 << reading as u16) != 0
    }
}

impl Default for Readings {
    fn default() -> Readings {
        Readings::ADOPTED
    }
}

impl FromIterator<Reading> for Readings {
    fn from_iter<I: IntoIterator<Item = Reading>>(readings: I) -> Readings {
        readings.into_iter().fold(Readings::NONE, Readings::with)
    }
}

impl fmt::Debug for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let readings = Reading::ALL.into_iter();
        f.debug_set()
            .entries(readings.filter(|&reading| self.has(reading)))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        for reading in Reading::ALL {
            let alone = Readings::NONE.with(reading);
            let found: Vec<Reading> = Reading::ALL
                .into_iter()
                .filter(|&other| alone.has(other))
                .collect();
            assert_eq!(found, [reading]);
        }
        assert_eq!(
            format!("{:?}", Readings::default()),
            "{SavedValue, OwnPinValue}"
        );
    }
}
