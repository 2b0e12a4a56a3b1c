//! How long a theory's message is: what a learner by message length says of its theory.

use std::fmt;

use kibitz_prolog::Clause;

use crate::task::Task;

/// How theories and their mistakes are weighed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Criterion {
    /// Minimum message length, in bits.
    #[default]
    Mml,
    /// Literals and mistakes, a unit each.
    Mdl,
}

/// How long a theory's message is, and what is known of shorter ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The unit: bits, or literals and mistakes.
    pub criterion: Criterion,
    /// What the theory takes.
    pub theory: f64,
    /// What the labels take, given the theory.
    pub labels: f64,
    /// What the labels take without a theory.
    pub empty: f64,
    /// No theory among those looked at has a shorter message.
    pub least: f64,
    /// Which theories were looked at; empty if all that the bias allows.
    pub within: Vec<String>,
    /// Whether no clause may cover a negative example; labels take nothing then, but for a price without a
    /// unit of each positive example that is not covered, which is more than any theory takes.
    pub is_exact: bool,
    /// How many different components there are: literals over the head at 1, others at their number of
    /// literals and 1 more.
    pub n_in_class: Vec<usize>,
    /// What it is the message of.
    pub(super) subject: Subject,
}

/// The theory and the labels that a message tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) clauses: Vec<Clause>,
    /// Positive and negative examples, without the sample that stands beside positive ones.
    pub(super) n: [usize; 2],
    /// Those that the theory covers.
    pub(super) covered: [usize; 2],
}

impl Message {
    /// Whether it tells these clauses.
    pub(crate) fn is_of(&self, clauses: &[Clause]) -> bool {
        self.subject.clauses == clauses
    }

    /// Whether it tells the labels of a task's examples of which so many are covered.
    pub(crate) fn tells(&self, task: &Task, covered: [usize; 2]) -> bool {
        let Subject {
            n, covered: own, ..
        } = self.subject;
        n == [task.positive.len(), task.negative.len()] && own == covered
    }

    /// Theory and labels together.
    pub fn total(&self) -> f64 {
        self.theory + self.labels
    }

    /// Whether no theory among those looked at has a shorter message.
    pub fn is_shortest(&self) -> bool {
        self.least >= self.total() - 1e-6
    }
}

/// Comments of a Prolog program.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            theory,
            labels,
            empty,
            least,
            ..
        } = self;
        let unit = match self.criterion {
            Criterion::Mml => "bits",
            Criterion::Mdl => "literals and mistakes",
        };
        let total = self.total();
        let [n, _] = self.subject.n;
        let n_left = n - self.subject.covered[0].min(n);
        if self.is_exact {
            writeln!(
                f,
                "% theory of {theory:.1} {unit}, without errors (--noise none)"
            )?;
        } else {
            writeln!(
                f,
                "% message of {total:.1} {unit}: theory {theory:.1}, labels {labels:.1}; without a theory \
                 {empty:.1}"
            )?;
        }
        let limits = self.within.join("; ");
        match (self.is_shortest(), limits.is_empty()) {
            // The bound is in the price of examples that are not covered.
            (false, _) if self.is_exact && n_left > 0 => {
                writeln!(f, "% another theory may cover more examples")
            }
            (true, true) if self.is_exact && n_left > 0 => writeln!(
                f,
                "% proved that no theory that the bias allows covers more examples without an error"
            ),
            (true, true) => writeln!(
                f,
                "% proved shortest among the theories that the bias allows"
            ),
            (true, false) => writeln!(
                f,
                "% proved shortest within the limits of the search: {limits}"
            ),
            (false, true) => writeln!(
                f,
                "% no theory that the bias allows has less than {least:.1} {unit}"
            ),
            (false, false) => writeln!(
                f,
                "% no theory has less than {least:.1} {unit} within the limits of the search: {limits}"
            ),
        }
    }
}
