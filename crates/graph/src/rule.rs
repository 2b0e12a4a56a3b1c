//! Rules: a head relation, and a path through the graph as the body.

use smallvec::SmallVec;

use crate::graph::Step;
use crate::names::{Entity, Relation};

/// One of the two places of a triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The first entity.
    Head,
    /// The second entity.
    Tail,
}

impl Side {
    /// Both, heads first.
    pub const BOTH: [Self; 2] = [Self::Head, Self::Tail];

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Head => Self::Tail,
            Self::Tail => Self::Head,
        }
    }

    /// The step from the other side's entity to the one on this side.
    pub fn step(self, relation: Relation) -> Step {
        match self {
            Self::Head => Step::backward(relation),
            Self::Tail => Step::forward(relation),
        }
    }
}

/// The kind of the ends of a rule's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `h(X,Y) :- b1(X,A), …, bn(B,Y)`: the path leads from the head's first entity to its second.
    Cyclic,
    /// `h(X,c) :- b1(X,A), …, bn(B,d)`: the path leads from the head's variable to a constant.
    Constant {
        /// Where the head has its constant.
        side: Side,
        /// The head's constant.
        constant: Entity,
        /// The body's constant.
        end: Entity,
    },
    /// `h(X,c) :- b1(X,A), …, bn(B,C)`: the path leads from the head's variable to any entity.
    /// Without a body, the *zero rule* `h(X,c)`: the entities that have the relation in the place
    /// of `X`.
    Open {
        /// Where the head has its constant.
        side: Side,
        /// The head's constant.
        constant: Entity,
    },
}

impl Form {
    /// Where the head has its constant, and which.
    pub fn constant(self) -> Option<(Side, Entity)> {
        match self {
            Self::Cyclic => None,
            Self::Constant { side, constant, .. } | Self::Open { side, constant } => {
                Some((side, constant))
            }
        }
    }
}

/// The steps of a body.
pub type Path = SmallVec<[Step; 4]>;

/// Literals of a body at most.
pub const MAX_PATH: usize = 5;

/// A rule over a graph, under Object Identity: different variables and constants are different
/// entities.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// The relation of the head.
    pub head: Relation,
    /// The ends of the path.
    pub form: Form,
    /// The steps of the path, from the head's first entity if the rule is cyclic, from its
    /// variable otherwise.
    pub body: Path,
}

impl Rule {
    /// Whether the body is empty.
    pub fn is_zero(&self) -> bool {
        self.body.is_empty()
    }

    /// What kind of rule it is, in a word: `cyclic`, `constant`, `open` or `zero`.
    pub fn kind(&self) -> &'static str {
        match self.form {
            Form::Cyclic => "cyclic",
            Form::Constant { .. } => "constant",
            Form::Open { .. } if self.is_zero() => "zero",
            Form::Open { .. } => "open",
        }
    }

    /// Whether the body holds the head itself, so that the rule predicts nothing new.
    pub fn is_tautology(&self) -> bool {
        let [step] = self.body[..] else {
            return false;
        };
        match self.form {
            Form::Cyclic => step == Step::forward(self.head),
            Form::Constant {
                side,
                constant,
                end,
            } => constant == end && step == side.step(self.head),
            Form::Open { .. } => false,
        }
    }
}

/// Numbers of predictions of a rule on a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Predicted triples that the graph has.
    pub support: u32,
    /// Predicted triples: different pairs of entities for the head's places, for which the body
    /// holds. A zero rule predicts for each entity that has its relation.
    pub body: u32,
    /// Whether all were counted, not a sample.
    pub is_exact: bool,
}

/// Predictions that failed unseen, added to the counted ones: Laplace's smoothing as `AnyBURL` has it.
pub const UNSEEN: u32 = 5;

impl Counts {
    /// `support / (body + UNSEEN)`.
    pub fn confidence(self) -> f64 {
        f64::from(self.support) / (f64::from(self.body) + f64::from(UNSEEN))
    }
}

/// A rule with its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedRule {
    /// The rule.
    pub rule: Rule,
    /// Its counts on the training graph.
    pub counts: Counts,
}

impl CountedRule {
    /// The score of what the rule predicts: its confidence, times 0.1 for an open rule and 0.01 for a
    /// zero rule, as these say little about an entity.
    pub fn strength(&self) -> f64 {
        let weight = match self.rule.form {
            Form::Open { .. } if self.rule.is_zero() => 0.01,
            Form::Open { .. } => 0.1,
            Form::Cyclic | Form::Constant { .. } => 1.0,
        };
        self.counts.confidence() * weight
    }
}
