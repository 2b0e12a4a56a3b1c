//! Readings: alternative interpretations of ambiguous sentences of the report.

use std::fmt;

/// An interpretation of a sentence of the report other than the plainest one.
///
/// Each names its sentence. [`Readings::ADOPTED`] holds those supported by the text, or by figures of
/// the report that were not used to choose them; the others are for comparison
/// (`sugar1975/readings`).
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
    /// Heuristic 15 subtracts as much for undoubling as it adds for doubling; the sentence (p. 128)
    /// subtracts nothing, and section 4.1 (p. 68) says that it "doesn't detect undoubling".
    Undoubling,
    /// Heuristic 16 subtracts as much for leaving the squares around the king as it adds for attacking
    /// them; the sentence (pp. 128-129) subtracts nothing, and section 4.1 (p. 68) says that it "doesn't
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
    /// Heuristic 12 takes all pieces exchanged on the square, not the first two: "the difference in
    /// their values" is that of "the pieces in the exchange" (p. 127).
    ExchangedValues,
    /// Heuristic 12 adds the development value of a piece captured for nothing, too: "the difference
    /// in the developmental values of the pieces in the exchange" (p. 127), with nothing given back.
    CapturedDevelopment,
    /// Pieces are worth 1, 3.25, 3.5, 5 and 9.75, the weights of the Greenblatt program by which the
    /// report counts material (section 3.3.3).
    GreenblattValues,
    /// Heuristic 18 holds back knight's and rook's pawns of a castled king below the third rank: the
    /// row that they should be "less than" (p. 129) is lost in the scan, and we take the fourth.
    LowShelter,
    /// Heuristic 18 holds back the pawns of the knight's, bishop's and queen's file before the queen's
    /// side is castled to: "the pawns in front of the castling position" (p. 129) stand before c1.
    CastlingPosition,
    /// Heuristic 13 counts a check that the moved piece gives itself: a "checking move" (p. 127); that
    /// "exposed checks rate highly" is said of heuristic 3 (p. 123).
    OwnCheck,
    /// Heuristic 13 counts castling behind all three pawns: "the pawn structure is checked first to see
    /// if it is suitable" (p. 127).
    WholeShelter,
    /// Heuristic 7 holds the queen back while no knight or bishop has moved: "when the knights and
    /// bishops around it haven't moved" (p. 125), where we ask whether any has not.
    QueenWaitsForAll,
    /// Heuristic 7 adds up how near the king is to every enemy piece, not to the nearest: his spatial
    /// value is "to encourage attacking enemy pieces" (p. 126).
    KingNearAll,
    /// Heuristic 20 ignores pawns: it "discourages successive moves with the same piece"
    /// (p. 130).
    PieceNotPawn,
    /// Heuristic 20 works in the opening: it "was designed specifically for the opening" (section
    /// 4.2.3, p. 84), by the report's phases the plies below 16.
    OpeningRepeat,
    /// Heuristic 0 subtracts as much for an attack removed as it adds for one made: it "doesn't detect the removal of the
    /// attack" (section 4.1, p. 68), and so is incomplete.
    LeavingPassedPawn,
    /// Heuristic 1 subtracts as much for an attack removed as it adds for one made: it "doesn't detect the removal of the
    /// attack on the attacker" (p. 68).
    LeavingAttacker,
    /// Heuristic 6 subtracts nothing for attacks removed: it "doesn't detect the removal of the attack on an
    /// opponent piece" (p. 68), where appendix 2 has it subtract "the developmental values of any
    /// pieces that it was attacking" (p. 125).
    KeepingAttacks,
    /// Heuristic 10 subtracts as much for leaving an open file as it adds for entering one: it "doesn't detect
    /// moving a rook from an open file" (p. 68).
    LeavingOpenFile,
    /// Heuristic 11 subtracts as much for leaving the file of an own passed pawn as it adds for entering
    /// one: it
    /// "doesn't detect the removal of a rook from own passed pawn file" (p. 68).
    LeavingPassedFile,
    /// Heuristic 18 subtracts as much for formations broken as it adds for formations made: "no negative credit is
    /// given for destroying them" (p. 130).
    BreakingFormations,
}

impl Reading {
    /// Every reading, in the order in which `sugar1975/readings` numbers them; those that complete a
    /// heuristic, or make it incomplete, are of `sugar1975/incomplete`.
    pub const ALL: [Reading; 28] = [
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
        Reading::ExchangedValues,
        Reading::CapturedDevelopment,
        Reading::GreenblattValues,
        Reading::LowShelter,
        Reading::CastlingPosition,
        Reading::OwnCheck,
        Reading::WholeShelter,
        Reading::QueenWaitsForAll,
        Reading::KingNearAll,
        Reading::PieceNotPawn,
        Reading::OpeningRepeat,
        Reading::LeavingPassedPawn,
        Reading::LeavingAttacker,
        Reading::KeepingAttacks,
        Reading::LeavingOpenFile,
        Reading::LeavingPassedFile,
        Reading::BreakingFormations,
    ];
}

/// A set of readings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Readings(u32);

impl Readings {
    /// The empty set: every sentence in its plainest reading.
    pub const NONE: Readings = Readings(0);

    /// The readings used by the tables.
    pub const ADOPTED: Readings = Readings::NONE
        .with(Reading::SavedValue)
        .with(Reading::OwnPinValue);

    /// This set with one more reading.
    #[must_use]
    pub const fn with(self, reading: Reading) -> Readings {
        Readings(self.0 | 1 << reading as u16)
    }

    /// Whether the set contains a reading.
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
    fn a_set_contains_its_readings() {
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
