//! The words for how a cell compares with print, and their counts.

use std::fmt;

use serde::{Serialize, Serializer};

/// What became of a cell beside print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Within the tolerance, where the null is not.
    Agrees,
    /// Within the tolerance, by a choice that was made by looking at print.
    Fitted,
    /// Within a tolerance that the null would meet as well.
    Undecided,
    /// Outside of it, for a declared reason that a figure shows.
    DiffersTested,
    /// Outside of it, for a declared reason that is a conjecture.
    DiffersConjecture,
    /// Outside of it.
    Differs,
    /// Follows from other cells by arithmetic, or repeats one: checked, not counted.
    Derived,
    /// What is printed cannot be read with certainty: shown, not judged.
    Doubtful,
    /// Was put in: shown, not judged.
    Input,
    /// Shown, not judged.
    Info,
    /// Not run: data missing, interrupted, or stopped.
    NotRun,
    /// The cell failed.
    Error,
}

impl Verdict {
    /// All verdicts, best first.
    pub const ALL: [Self; 12] = [
        Self::Agrees,
        Self::Fitted,
        Self::Undecided,
        Self::DiffersTested,
        Self::DiffersConjecture,
        Self::Differs,
        Self::Derived,
        Self::Doubtful,
        Self::Input,
        Self::Info,
        Self::NotRun,
        Self::Error,
    ];

    /// Whether it differs for a reason that the experiment declares.
    pub(crate) fn is_declared(self) -> bool {
        matches!(self, Self::DiffersTested | Self::DiffersConjecture)
    }

    /// Whether it says how a figure of ours stands to print.
    pub fn is_judged(self) -> bool {
        self <= Self::Differs
    }

    /// The word for it, the same everywhere.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Fitted => "fitted",
            Self::Undecided => "undecided",
            Self::DiffersTested => "differs (tested)",
            Self::DiffersConjecture => "differs (conjecture)",
            Self::Differs => "differs",
            Self::Derived => "derived",
            Self::Doubtful => "doubtful",
            Self::Input => "input",
            Self::Info => "info",
            Self::NotRun => "not run",
            Self::Error => "error",
        }
    }

    /// The verdict of this word.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// How many cells got each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Verdict::ALL.len()]);

impl Counts {
    /// How many got this one.
    pub fn of(&self, verdict: Verdict) -> usize {
        self.0[verdict as usize]
    }

    /// How many there are.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// Those of the cells that were judged.
    #[must_use]
    pub fn judged(&self) -> Self {
        let mut judged = *self;
        for verdict in Verdict::ALL {
            if !verdict.is_judged() {
                judged.0[verdict as usize] = 0;
            }
        }
        judged
    }

    pub(crate) fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// Adds those of another.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

impl FromIterator<Verdict> for Counts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            counts.add(verdict);
        }
        counts
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Verdict::ALL.map(|verdict| (verdict.word(), self.of(verdict))))
    }
}
