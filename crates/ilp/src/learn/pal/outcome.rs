use super::generalize::{ConnectedBy, KeepComponents};
use super::{Change, Example};
use crate::prover::Limits;
use crate::term::Clause;

/// Parameters of the learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct PalParams {
    /// Whether the concept involves a move (section 5.2.2.3).
    pub dynamic: bool,
    /// Whether symmetric examples are generalized with each positive one (section 6.3).
    pub symmetries: bool,
    /// What a move has to change to be said.
    pub novelty: Novelty,
    /// What makes a literal connected to another one.
    pub connected_by: ConnectedBy,
    /// Whether components that nothing is said about are dropped.
    pub keep: KeepComponents,
    /// Whether states are left out whose generalization covers a negative example or is at least as
    /// general as a definition that was rejected: even if they are positive, it would be refused.
    /// The thesis shows them to the user.
    pub foresight: bool,
    /// Which perturbation class of a level is explored first.
    pub class_order: ClassOrder,
    /// Highest perturbation level. The thesis ends where the user is satisfied.
    pub max_level: usize,
    /// Most clauses; positive examples that none of them covers are left then.
    pub max_clauses: usize,
    /// Most states looked at in one perturbation class.
    pub max_candidates: usize,
    /// Most states looked at in all.
    pub max_states: u64,
    /// Bounds on every query to the background knowledge.
    pub limits: Limits,
}

impl Default for PalParams {
    fn default() -> Self {
        Self {
            dynamic: false,
            symmetries: false,
            novelty: Novelty::Components,
            connected_by: ConnectedBy::Arguments,
            keep: KeepComponents::Connected,
            foresight: true,
            class_order: ClassOrder::default(),
            max_level: 4,
            max_clauses: 16,
            max_candidates: 20_000,
            max_states: 2_000_000,
            limits: Limits::default(),
        }
    }
}

/// In which order the perturbation classes of a level are explored: the least value first, equal ones in
/// the order of their arguments. A class is worth the sum of what its arguments are.
///
/// # Source
/// Morales 1992, section 5.3.3, and the changes tried in section 6.4.2.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum ClassOrder {
    /// 20 for a variable, plus the size of the domain, minus the number of literals with the argument.
    #[default]
    Evaluated,
    /// The evaluation function is ignored.
    Unevaluated,
    /// A variable counts 10.
    LighterVariables,
    /// The number of literals is added.
    FewLiterals,
}

impl ClassOrder {
    /// What a variable and a literal count.
    pub(super) fn weights(self) -> Option<[i64; 2]> {
        match self {
            Self::Evaluated => Some([20, -1]),
            Self::Unevaluated => None,
            Self::LighterVariables => Some([10, -1]),
            Self::FewLiterals => Some([20, 1]),
        }
    }
}

/// Which facts count as brought about, or ended, by a move, so that the move is said.
///
/// # Source
/// Morales 1992, section 5.2.3.3: "only those moves which introduce a new predicate name or remove
/// an existing predicate name". Appendix A goes on after a position in which a piece is threatened
/// already (its fourth example) and still says of another threat that a move brings it about; what
/// is new there is not the predicate, but the predicate of these pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Novelty {
    /// A predicate of which there was no fact, or is none any more.
    Predicate,
    /// A predicate of which there was no fact of these components, or is none any more: what
    /// appendix A does, and the default.
    Components,
}

/// What came of one example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A negative example, kept to reject definitions with.
    Negative,
    /// A positive example, and a new definition.
    Generalized,
    /// A positive example whose definition covers a negative one; stored.
    TooGeneral,
    /// A positive example whose definition the teacher rejects; stored.
    Rejected,
    /// A positive example that came after the definition was finished; stored.
    Stored,
    /// The teacher ends the process at this example.
    Stopped,
}

/// One example shown to the teacher.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The example.
    pub example: Example,
    /// How it came about.
    pub change: Change,
    /// What came of it.
    pub outcome: Outcome,
    /// The new definition, if there is one.
    pub definition: Option<Clause>,
}

/// Why the search for a clause ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The teacher was satisfied.
    Satisfied,
    /// No perturbation class, or no given example, is left.
    Exhausted,
    /// The highest perturbation level was explored.
    LevelLimit,
    /// As many states were looked at as allowed.
    StateLimit,
    /// The teacher did not want to go on.
    Interrupted,
}

/// What was learned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PalLearned {
    /// The definition after the final reduction, one clause for each disjunct.
    pub clauses: Vec<Clause>,
    /// The same before the final reduction.
    pub unreduced: Vec<Clause>,
    /// Why the search for each clause ended.
    pub endings: Vec<Ending>,
    /// All examples shown, in order.
    pub steps: Vec<Step>,
    /// Positive examples that no clause covers, where the number of clauses was limited.
    pub open: Vec<Example>,
    /// Generated examples looked at, those included that were not shown.
    pub examined: u64,
}

impl PalLearned {
    /// Positive and negative examples that were generated.
    pub fn n_examples(&self) -> (usize, usize) {
        let negative = |step: &&Step| step.outcome == Outcome::Negative;
        let stopped = |step: &&Step| step.outcome == Outcome::Stopped;
        let negatives = self.steps.iter().filter(negative).count();
        let stops = self.steps.iter().filter(stopped).count();
        (self.steps.len() - negatives - stops, negatives)
    }

    /// Examples whose definition the teacher had to reject.
    pub fn n_rejected(&self) -> usize {
        let rejected = |step: &&Step| step.outcome == Outcome::Rejected;
        self.steps.iter().filter(rejected).count()
    }

    /// Positive examples whose definition was refused, by the teacher or for a negative example.
    pub fn n_refused(&self) -> usize {
        let too_general = |step: &&Step| step.outcome == Outcome::TooGeneral;
        self.n_rejected() + self.steps.iter().filter(too_general).count()
    }
}
