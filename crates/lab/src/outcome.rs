//! The words for how a reproduced value compares with the published one, and their counts.
//!
//! `docs/outcomes.md` states the rule behind them.

use std::fmt;

use serde::{Serialize, Serializer};

/// How a cell compares with its published value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Within the tolerance, and the declared baseline is not.
    Matches,
    /// Within the tolerance, in a test that the baseline would have passed as well.
    MatchesWeakly,
    /// Within a tolerance made of our own spread, so wide that any plausible value would match.
    Inconclusive,
    /// Outside of the tolerance, for a declared reason that a checked value shows.
    DiffersExplained,
    /// Outside of the tolerance, and no checked value shows why.
    DiffersUnexplained,
    /// An interpretation was chosen by looking at the published value: not counted.
    Fitted,
    /// Taken from the paper: not counted.
    Input,
    /// Follows from other cells by arithmetic, or repeats one: checked, not counted.
    Derived,
    /// The published value cannot be read with certainty: not counted.
    Illegible,
    /// Compared here as well, counted in its home table.
    Variant,
    /// Shown, not judged.
    Info,
    /// Not run: data missing, interrupted, or stopped.
    NotRun,
    /// The cell failed.
    Error,
}

impl Outcome {
    /// All outcomes: the counted ones first, best first.
    pub const ALL: [Self; 13] = [
        Self::Matches,
        Self::MatchesWeakly,
        Self::Inconclusive,
        Self::DiffersExplained,
        Self::DiffersUnexplained,
        Self::Fitted,
        Self::Input,
        Self::Derived,
        Self::Illegible,
        Self::Variant,
        Self::Info,
        Self::NotRun,
        Self::Error,
    ];

    /// The outcomes that count as compared, best first.
    pub const COUNTED: [Self; 5] = [
        Self::Matches,
        Self::MatchesWeakly,
        Self::Inconclusive,
        Self::DiffersExplained,
        Self::DiffersUnexplained,
    ];

    /// Whether the value matches the published one, in a strong test or a weak one.
    pub fn is_match(self) -> bool {
        matches!(self, Self::Matches | Self::MatchesWeakly)
    }

    /// Whether the value differs from the published one.
    pub fn differs(self) -> bool {
        matches!(self, Self::DiffersExplained | Self::DiffersUnexplained)
    }

    /// Whether the cell counts as compared.
    pub fn is_counted(self) -> bool {
        self <= Self::DiffersUnexplained
    }

    /// The word for it, the same everywhere.
    pub fn word(self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::MatchesWeakly => "matches (weak)",
            Self::Inconclusive => "inconclusive",
            Self::DiffersExplained => "differs (explained)",
            Self::DiffersUnexplained => "differs (unexplained)",
            Self::Fitted => "fitted",
            Self::Input => "input",
            Self::Derived => "derived",
            Self::Illegible => "illegible",
            Self::Variant => "variant",
            Self::Info => "info",
            Self::NotRun => "not run",
            Self::Error => "error",
        }
    }

    /// The word after a number of cells: `3 match`, `1 matches`.
    pub fn word_for(self, n: usize) -> &'static str {
        match (self, n) {
            (one, 1) => one.word(),
            (Self::Matches, _) => "match",
            (Self::MatchesWeakly, _) => "match (weak)",
            (Self::DiffersExplained, _) => "differ (explained)",
            (Self::DiffersUnexplained, _) => "differ (unexplained)",
            (Self::Input, _) => "inputs",
            (Self::Variant, _) => "variants",
            (Self::Error, _) => "errors",
            (other, _) => other.word(),
        }
    }

    /// The outcome of this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// How many cells have each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Outcome::ALL.len()]);

impl Counts {
    /// `3 match, 1 differs (explained)`: only what occurs.
    pub fn in_words(&self) -> String {
        let parts: Vec<String> = Outcome::ALL
            .into_iter()
            .filter(|outcome| self.of(*outcome) > 0)
            .map(|outcome| {
                let n = self.of(outcome);
                format!("{n} {}", outcome.word_for(n))
            })
            .collect();
        if parts.is_empty() {
            "no cells".to_owned()
        } else {
            parts.join(", ")
        }
    }

    /// How many have this one.
    pub fn of(&self, outcome: Outcome) -> usize {
        self.0[outcome as usize]
    }

    /// How many cells there are.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// How many published values are compared.
    pub fn compared(&self) -> usize {
        self.counted().total()
    }

    /// How many match, in a strong test or a weak one.
    pub fn matching(&self) -> usize {
        self.of(Outcome::Matches) + self.of(Outcome::MatchesWeakly)
    }

    /// How many differ, explained or not.
    pub fn differing(&self) -> usize {
        self.of(Outcome::DiffersExplained) + self.of(Outcome::DiffersUnexplained)
    }

    /// Those of the cells that count as compared.
    #[must_use]
    pub fn counted(&self) -> Self {
        let mut counted = *self;
        for outcome in Outcome::ALL {
            if !outcome.is_counted() {
                counted.0[outcome as usize] = 0;
            }
        }
        counted
    }

    /// Counts one more.
    pub fn add(&mut self, outcome: Outcome) {
        self.0[outcome as usize] += 1;
    }

    /// Adds those of another.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    /// The headline, the same on every surface, of the outcomes that there are: `58 values compared: 40
    /// match (12 in a test that could have failed), 5 differ (explained), 13 differ (unexplained)`.
    pub fn headline(&self) -> String {
        let n = self.compared();
        if n == 0 {
            return "no values compared".to_owned();
        }
        let mut parts = Vec::new();
        let matching = self.matching();
        if matching > 0 {
            let word = Outcome::Matches.word_for(matching);
            let strong = match self.of(Outcome::Matches) {
                0 => "none".to_owned(),
                strong => strong.to_string(),
            };
            parts.push(format!(
                "{matching} {word} ({strong} in a test that could have failed)"
            ));
        }
        let others = Outcome::ALL
            .into_iter()
            .filter(|own| own.is_counted() && !own.is_match());
        let others = others
            .map(|own| (self.of(own), own))
            .filter(|(n, _)| *n > 0);
        parts.extend(others.map(|(n, own)| format!("{n} {}", own.word_for(n))));
        let values = if n == 1 { "value" } else { "values" };
        format!("{n} {values} compared: {}", parts.join(", "))
    }
}

impl FromIterator<Outcome> for Counts {
    fn from_iter<I: IntoIterator<Item = Outcome>>(outcomes: I) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            counts.add(outcome);
        }
        counts
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Outcome::ALL.map(|outcome| (outcome.word(), self.of(outcome))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_counts_what_is_compared() {
        let counts: Counts = [
            Outcome::Matches,
            Outcome::MatchesWeakly,
            Outcome::DiffersExplained,
            Outcome::Variant,
            Outcome::Fitted,
        ]
        .into_iter()
        .collect();
        assert_eq!(
            counts.headline(),
            "3 values compared: 2 match (1 in a test that could have failed), 1 differs (explained)"
        );
        assert_eq!(Counts::default().headline(), "no values compared");
    }

    #[test]
    fn words_are_read_back() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::of_word(outcome.word()), Some(outcome));
        }
    }

    #[test]
    fn a_headline_has_no_zeros() {
        let counts = |outcomes: &[Outcome]| outcomes.iter().copied().collect::<Counts>().headline();
        assert_eq!(
            counts(&[
                Outcome::MatchesWeakly,
                Outcome::DiffersUnexplained,
                Outcome::Input
            ]),
            "2 values compared: 1 matches (none in a test that could have failed), 1 differs (unexplained)"
        );
        assert_eq!(
            counts(&[Outcome::Inconclusive]),
            "1 value compared: 1 inconclusive"
        );
        assert_eq!(counts(&[Outcome::Input]), "no values compared");
    }
}
