//! Parameters of PAL.

use kibitz_prolog::Limits;

use crate::constrained_lgg::{ConnectedBy, KeepComponents};

/// Parameters of PAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "settings of the thesis, independent of each other"
)]
pub struct PalParams {
    /// Whether the concept involves a move (section 5.2.2.3).
    pub dynamic: bool,
    /// Whether definitions are also generalized with the mirror images of each positive example
    /// (section 6.3).
    pub symmetries: bool,
    /// Which changes of a move become dynamic literals.
    pub novelty: Novelty,
    /// What a literal must share with another one to be connected.
    pub connected_by: ConnectedBy,
    /// Which components a definition keeps.
    pub keep: KeepComponents,
    /// Foresight, a pruning of queries: whether an example is skipped if its generalization covers a
    /// negative example or subsumes a rejected definition, since it would be refused even if the
    /// example were positive. The thesis asks the user about such examples.
    pub foresight: bool,
    /// Whether, after a refusal, no two examples for one definition may succeed on the same literals of
    /// those that failed in the refused one, as in Table 5.5. Otherwise it is enough that they fail on
    /// different literals.
    pub success_sets: bool,
    /// The order of the perturbation classes of a level.
    pub class_order: ClassOrder,
    /// Highest perturbation level. In the thesis the user decides when to stop.
    pub max_level: usize,
    /// Maximum number of clauses; positive examples may then stay uncovered.
    pub max_clauses: usize,
    /// Maximum number of examples generated in one perturbation class.
    pub max_candidates: usize,
    /// Maximum number of generated examples.
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
            success_sets: false,
            class_order: ClassOrder::default(),
            max_level: 4,
            max_clauses: 16,
            max_candidates: 20_000,
            max_states: 2_000_000,
            limits: Limits::default(),
        }
    }
}

/// The evaluation function that orders the perturbation classes of a level: the least value first,
/// ties in the order of their arguments. The value of a class is the sum over its arguments.
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
    /// No evaluation: the order of the arguments.
    Unevaluated,
    /// A variable counts 10.
    LighterVariables,
    /// The number of literals is added.
    FewLiterals,
}

impl ClassOrder {
    /// The weights of a variable and of a literal.
    pub(crate) fn weights(self) -> Option<[i64; 2]> {
        match self {
            Self::Evaluated => Some([20, -1]),
            Self::Unevaluated => None,
            Self::LighterVariables => Some([10, -1]),
            Self::FewLiterals => Some([20, 1]),
        }
    }
}

/// Which facts count as added or removed by a move, and so become dynamic literals.
///
/// # Source
/// Morales 1992, section 5.2.3.3: "only those moves which introduce a new predicate name or remove
/// an existing predicate name". In the fourth example of appendix A a piece is already threatened,
/// and a move still counts as introducing another threat: not the predicate is new, but the
/// predicate of these pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Novelty {
    /// The first or the last facts of a predicate.
    Predicate,
    /// The first or the last facts of a predicate about the same components: as in appendix A, and
    /// the default.
    Components,
}
