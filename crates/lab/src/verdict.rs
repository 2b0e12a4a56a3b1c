//! The words for how a cell compares with print, and their counts.

use std::fmt;

use serde::{Serialize, Serializer};

/// Whether a cell agrees with print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Within the tolerance.
    Agrees,
    /// Within a tolerance that a value without meaning would meet as well.
    Undecided,
    /// Outside of it, for a declared reason that something shows.
    DiffersTested,
    /// Outside of it, for a declared reason that is a conjecture.
    DiffersConjecture,
    /// Outside of it.
    Differs,
    /// Shown, not judged.
    Info,
    /// Not run: data missing, interrupted, or stopped.
    NotRun,
    /// The cell failed.
    Error,
}

impl Verdict {
    /// All verdicts, best first.
    pub const ALL: [Self; 8] = [
        Self::Agrees,
        Self::Undecided,
        Self::DiffersTested,
        Self::DiffersConjecture,
        Self::Differs,
        Self::Info,
        Self::NotRun,
        Self::Error,
    ];

    /// Whether it differs for a reason that the experiment declares.
    pub(crate) fn is_declared(self) -> bool {
        matches!(self, Self::DiffersTested | Self::DiffersConjecture)
    }

    /// The word for it, the same everywhere.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Undecided => "undecided",
            Self::DiffersTested => "differs (tested)",
            Self::DiffersConjecture => "differs (conjecture)",
            Self::Differs => "differs",
            Self::Info => "info",
            Self::NotRun => "not run",
            Self::Error => "error",
        }
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
    pub(crate) fn judged(&self) -> Self {
        let mut judged = *self;
        for verdict in [Verdict::Info, Verdict::NotRun, Verdict::Error] {
            judged.0[verdict as usize] = 0;
        }
        judged
    }

    pub(crate) fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
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
