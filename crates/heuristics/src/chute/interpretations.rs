//! Alternative interpretations of ambiguous sentences of the report.

use std::fmt;

/// An interpretation of a sentence of the report other than the plainest one.
///
/// Each names its sentence. [`Interpretations::ADOPTED`] holds those supported by the text, or by figures of
/// the report that were not used to choose them; the others are for comparison
/// (`sugar1975/readings`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Interpretation {
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
    /// p10 and p11 are 15, as the list of parameters is read (p. 122); the published moments of both heuristics
    /// exclude it, see [`Parameters::p`](super::Parameters::p).
    ListedRooks,
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
    /// Heuristic 12 takes the own piece off only where it is worth more than the piece captured: an
    /// exchange is damaging if it loses ("if it is damaging", p. 127).
    LosingExchange,
    /// Heuristic 12 gives half of the value of the captured piece in an even exchange; not in the text.
    EvenHalf,
    /// Heuristic 12 pays in full for capturing the piece that the opponent moved last: that goes on with an
    /// exchange, and the difference is that of a capture that "is the start of an exchange" (p. 127).
    Recapture,
    /// As [`Interpretation::Recapture`], but only where the exchange is even: a losing one costs as before.
    EvenRecapture,
    /// Heuristic 12 pays in full for every capture; the sentence has a difference "which may be positive
    /// or negative" (p. 127).
    EveryCapture,
    /// Heuristic 16 asks whether any own piece attacked a square around the king, not the one that
    /// moves: "if it wasn't already attacking one" (p. 128).
    ZoneBySide,
    /// The king is worth 20 in heuristic 16; his value is in another thesis.
    TwentyForKing,
    /// The king is worth 40 wherever he has a value.
    FortyForKing,
    /// Heuristic 1 counts only where nothing attacks the piece moved; the sentence (p. 123) has no such
    /// condition, heuristics 4 and 13 do.
    SafeAttacker,
    /// Heuristic 1 counts only attackers that are worth more than the piece moved, or undefended; the
    /// sentence (p. 123) has no such condition.
    WorthwhileAttacker,
    /// Heuristic 5 takes a defender off only where the attack is damaging then, as it adds one that makes
    /// "the attack not damaging" (p. 124).
    DamagingLoss,
    /// Heuristic 5 takes nothing off for a defender lost, where the sentence does (p. 124).
    FreeLoss,
    /// Heuristic 6 does not multiply by the number of attackers, where the sentence does (p. 125).
    SingleCredit,
    /// Heuristic 8 counts a piece that gets its first square or loses its last one: "allows more freedom"
    /// (p. 126).
    FirstFreedom,
    /// Heuristic 3 counts attacks and defenses only where they make or end a damaging attack: "different
    /// credit is given depending on the goodness or the badness" (p. 123).
    DamagingLines,
    /// Heuristic 3 gives the maximum parameter factor for an uncovered check, and takes it for an own piece
    /// exposed: these rate "highly" and "very negative" (p. 123).
    UncoveredFactor,
    /// Heuristic 19 takes the value of the piece between, which is what is "blocked" or "freed" (p. 130).
    PinnedBetween,
    /// Heuristic 19 counts no pin as freed when the pinning piece moves away: "frees a pin" (p. 130) is said
    /// beside "blocks a pin".
    StandingPinner,
    /// Heuristic 20 counts the king alone; not in the text.
    KingAgain,
    /// Heuristic 20 counts the piece that gave check with its last move; not in the text.
    CheckerAgain,
    /// Heuristic 18 takes the smaller penalty for rook pawns, not bishop's pawns: "QF 1 or KF 1" (p. 129) may be QR 1 or
    /// KR 1, since the scan has F for R in other places.
    RookPawns,
    /// Heuristic 18 holds back the shelter of a castled king alone.
    CastledShelter,
    /// Development values are a quarter of ours in heuristic 2 alone.
    QuarterLeaving,
    /// Development values are a quarter of ours in heuristic 4 alone.
    QuarterInterposing,
    /// The running accounts take scores without their signs: H(n, i) = H(n, i-2) - |M(n, i-1)| + |M(n, i)|.
    /// The sentence (pp. 52-53) has the scores; a sign may have been lost between two programs.
    UnsignedAccounts,
}

impl Interpretation {
    /// Every interpretation, in the order in which `sugar1975/readings` numbers them; those that complete a
    /// heuristic, or make it incomplete, are of `sugar1975/incomplete`, those after them of
    /// `sugar1975/reading-trials`.
    pub const ALL: [Interpretation; 53] = [
        Interpretation::SavedValue,
        Interpretation::QuarterDevelopment,
        Interpretation::LastMovedValue,
        Interpretation::LastMovedCaptured,
        Interpretation::ListedRooks,
        Interpretation::ThirdMove,
        Interpretation::Undoubling,
        Interpretation::LeavingKing,
        Interpretation::NewAttacks,
        Interpretation::OwnPinValue,
        Interpretation::LateEndgame,
        Interpretation::ExchangedValues,
        Interpretation::CapturedDevelopment,
        Interpretation::GreenblattValues,
        Interpretation::LowShelter,
        Interpretation::CastlingPosition,
        Interpretation::OwnCheck,
        Interpretation::WholeShelter,
        Interpretation::QueenWaitsForAll,
        Interpretation::KingNearAll,
        Interpretation::PieceNotPawn,
        Interpretation::OpeningRepeat,
        Interpretation::LeavingPassedPawn,
        Interpretation::LeavingAttacker,
        Interpretation::KeepingAttacks,
        Interpretation::LeavingOpenFile,
        Interpretation::LeavingPassedFile,
        Interpretation::BreakingFormations,
        Interpretation::LosingExchange,
        Interpretation::EvenHalf,
        Interpretation::Recapture,
        Interpretation::EvenRecapture,
        Interpretation::EveryCapture,
        Interpretation::ZoneBySide,
        Interpretation::TwentyForKing,
        Interpretation::FortyForKing,
        Interpretation::SafeAttacker,
        Interpretation::WorthwhileAttacker,
        Interpretation::DamagingLoss,
        Interpretation::FreeLoss,
        Interpretation::SingleCredit,
        Interpretation::FirstFreedom,
        Interpretation::DamagingLines,
        Interpretation::UncoveredFactor,
        Interpretation::PinnedBetween,
        Interpretation::StandingPinner,
        Interpretation::KingAgain,
        Interpretation::CheckerAgain,
        Interpretation::RookPawns,
        Interpretation::CastledShelter,
        Interpretation::QuarterLeaving,
        Interpretation::QuarterInterposing,
        Interpretation::UnsignedAccounts,
    ];
}

/// A set of interpretations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Interpretations(u64);

impl Interpretations {
    /// The empty set: every sentence in its plainest interpretation.
    pub const NONE: Interpretations = Interpretations(0);

    /// The interpretations used by the tables.
    pub const ADOPTED: Interpretations = Interpretations::NONE
        .with(Interpretation::SavedValue)
        .with(Interpretation::OwnPinValue);

    /// This set with one more interpretation.
    #[must_use]
    pub const fn with(self, interpretation: Interpretation) -> Interpretations {
        Interpretations(self.0 | 1 << interpretation as u16)
    }

    /// Whether the set contains an interpretation.
    pub const fn has(self, interpretation: Interpretation) -> bool {
        self.0 & (1 << interpretation as u16) != 0
    }
}

impl Default for Interpretations {
    fn default() -> Interpretations {
        Interpretations::ADOPTED
    }
}

impl FromIterator<Interpretation> for Interpretations {
    fn from_iter<I: IntoIterator<Item = Interpretation>>(interpretations: I) -> Interpretations {
        interpretations
            .into_iter()
            .fold(Interpretations::NONE, Interpretations::with)
    }
}

impl fmt::Debug for Interpretations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interpretations = Interpretation::ALL.into_iter();
        f.debug_set()
            .entries(interpretations.filter(|&interpretation| self.has(interpretation)))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_contains_its_readings() {
        for interpretation in Interpretation::ALL {
            let alone = Interpretations::NONE.with(interpretation);
            let found: Vec<Interpretation> = Interpretation::ALL
                .into_iter()
                .filter(|&other| alone.has(other))
                .collect();
            assert_eq!(found, [interpretation]);
        }
        assert_eq!(
            format!("{:?}", Interpretations::default()),
            "{SavedValue, OwnPinValue}"
        );
    }
}
