//! What a search found, and what it left out.

use std::fmt;

use kibitz_text::counted;

use crate::rule::CountedRule;

/// Rules that were learned.
#[derive(Clone, Debug, Default)]
pub struct LearnedRules {
    /// By relation and strength, the strongest first.
    pub rules: Vec<CountedRule>,
    /// Whether the search was ended early; it keeps what it found.
    pub is_early: bool,
    /// The longest paths that [`learn_selected`](crate::learn_selected) chose.
    pub selected_path: Option<usize>,
    /// The rounds that an early end cut short or left out.
    pub unfinished: Vec<Round>,
    /// The rounds that looked at a part of the paths only, by design and on every machine alike.
    pub samples: Vec<Sample>,
}

impl LearnedRules {
    /// Whether the search looked at every path that its settings allow.
    pub fn is_complete(&self) -> bool {
        !self.is_early && self.samples.is_empty()
    }
}

/// The rounds of a search; each adds rules of one kind for every relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Rules with a constant in the head, and a body of so many literals.
    Constants(usize),
    /// Rules without constants, and a body of so many literals.
    Cyclic(usize),
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, length) = match *self {
            Self::Constants(0) => return f.write_str("zero rules"),
            Self::Constants(1) => ("constant and open rules", 1),
            Self::Constants(length) => ("constant rules", length),
            Self::Cyclic(length) => ("cyclic rules", length),
        };
        let literals = counted(length, "literal", "literals");
        write!(f, "{kind} of {literals}")
    }
}

/// How much a round did not look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The round.
    pub round: Round,
    /// Relations that have triples left out.
    pub n_relations: usize,
    /// Triples left out, as the steps of their relation were spent.
    pub n_left_out: usize,
    /// Triples with so many pairs of edges between their ends that only some of these were looked at.
    pub n_partly: usize,
}

impl Sample {
    /// Nothing is left out.
    pub(crate) fn new(round: Round) -> Self {
        Self {
            round,
            n_relations: 0,
            n_left_out: 0,
            n_partly: 0,
        }
    }

    /// Leaves out so many triples of one relation.
    pub(crate) fn leave_out(&mut self, n_triples: usize) {
        self.n_relations += usize::from(n_triples > 0);
        self.n_left_out += n_triples;
    }

    /// Adds what is left out to the sample of the same round.
    pub(crate) fn add_to(self, samples: &mut Vec<Self>) {
        if self == Self::new(self.round) {
            return;
        }
        match samples.iter_mut().find(|other| other.round == self.round) {
            None => samples.push(self),
            Some(other) => {
                other.n_relations += self.n_relations;
                other.n_left_out += self.n_left_out;
                other.n_partly += self.n_partly;
            }
        }
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} are from a sample: ", self.round)?;
        if self.n_left_out > 0 {
            let triples = counted(self.n_left_out, "triple", "triples");
            let relations = counted(self.n_relations, "relation", "relations");
            write!(f, "the steps did not suffice for {triples} of {relations}")?;
        }
        if self.n_partly > 0 {
            let between = if self.n_left_out > 0 { "; " } else { "" };
            let triples = counted(self.n_partly, "triple has", "triples have");
            write!(f, "{between}{triples} too many paths to look at all")?;
        }
        Ok(())
    }
}
