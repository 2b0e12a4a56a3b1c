//! Rules as literals over variables and constants: between the program's form and texts.

use crate::graph::Step;
use crate::names::{Entity, Relation};
use crate::rule::{Form, MAX_PATH, Path, Rule, Side};

/// A variable, by its number in the rule, or an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    Variable(u32),
    Entity(Entity),
}

/// A relation between two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) relation: Relation,
    pub(crate) arguments: [Argument; 2],
}

/// The variables of a head; inner ones of a body follow.
pub(crate) const X: u32 = 0;
pub(crate) const Y: u32 = 1;

impl Literal {
    /// The literal of a step between two arguments.
    fn of(step: Step, from: Argument, to: Argument) -> Self {
        let arguments = if step.is_backward() {
            [to, from]
        } else {
            [from, to]
        };
        Self {
            relation: step.relation(),
            arguments,
        }
    }
}

impl Rule {
    /// The head, and the literals of the body along its path.
    pub(crate) fn literals(&self) -> (Literal, Vec<Literal>) {
        let (x, y) = (Argument::Variable(X), Argument::Variable(Y));
        let (arguments, start, end) = match self.form {
            Form::Cyclic => ([x, y], x, Some(y)),
            Form::Constant {
                side,
                constant,
                end,
            } => {
                let (arguments, start) = head_with(side, constant);
                (arguments, start, Some(Argument::Entity(end)))
            }
            Form::Open { side, constant } => {
                let (arguments, start) = head_with(side, constant);
                (arguments, start, None)
            }
        };
        let head = Literal {
            relation: self.head,
            arguments,
        };
        let mut from = start;
        let mut body = Vec::with_capacity(self.body.len());
        for (place, step) in self.body.iter().enumerate() {
            let is_last = place + 1 == self.body.len();
            let inner = Argument::Variable(Y + 1 + place as u32);
            let to = if is_last { end.unwrap_or(inner) } else { inner };
            body.push(Literal::of(*step, from, to));
            from = to;
        }
        (head, body)
    }

    /// The rule of these literals, for any order of the body.
    ///
    /// # Errors
    /// The rule has another form than those that are supported.
    pub(crate) fn of_literals(
        head: Literal,
        mut body: Vec<Literal>,
    ) -> Result<Self, RuleFormError> {
        let (form, mut at, end) = match head.arguments {
            [Argument::Variable(x), Argument::Variable(y)] if x == y => {
                return Err(RuleFormError::SameVariable);
            }
            [Argument::Variable(x), Argument::Variable(y)] => (None, x, Some(y)),
            [Argument::Variable(x), Argument::Entity(c)] => (Some((Side::Tail, c)), x, None),
            [Argument::Entity(c), Argument::Variable(y)] => (Some((Side::Head, c)), y, None),
            [Argument::Entity(_), Argument::Entity(_)] => return Err(RuleFormError::NoVariable),
        };
        if body.len() > MAX_PATH {
            return Err(RuleFormError::TooLong);
        }
        let mut path = Path::new();
        let mut last = None;
        let mut visited = vec![at];
        while !body.is_empty() {
            let here = Argument::Variable(at);
            let next = body
                .iter()
                .position(|literal| literal.arguments.contains(&here));
            let literal = body.remove(next.ok_or(RuleFormError::NotAPath)?);
            let is_backward = literal.arguments[0] != here;
            let other = literal.arguments[usize::from(!is_backward)];
            path.push(if is_backward {
                Step::backward(literal.relation)
            } else {
                Step::forward(literal.relation)
            });
            match other {
                Argument::Variable(to) => {
                    if visited.contains(&to) {
                        return Err(RuleFormError::NotAPath);
                    }
                    visited.push(to);
                    at = to;
                    if form.is_none() && end == Some(to) && !body.is_empty() {
                        return Err(RuleFormError::NotAPath);
                    }
                }
                Argument::Entity(entity) => {
                    if !body.is_empty() || form.is_none() {
                        return Err(RuleFormError::NotAPath);
                    }
                    last = Some(entity);
                }
            }
        }
        let form = match (form, last) {
            (None, _) if end == Some(at) => Form::Cyclic,
            (None, _) => return Err(RuleFormError::NotAPath),
            (Some((side, constant)), Some(end)) => Form::Constant {
                side,
                constant,
                end,
            },
            (Some((side, constant)), None) => Form::Open { side, constant },
        };
        Ok(Self {
            head: head.relation,
            form,
            body: path,
        })
    }
}

fn head_with(side: Side, constant: Entity) -> ([Argument; 2], Argument) {
    let constant = Argument::Entity(constant);
    match side {
        Side::Head => ([constant, Argument::Variable(Y)], Argument::Variable(Y)),
        Side::Tail => ([Argument::Variable(X), constant], Argument::Variable(X)),
    }
}

/// Why literals are not a rule that can be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleFormError {
    SameVariable,
    NoVariable,
    NotAPath,
    TooLong,
}

impl RuleFormError {
    pub(crate) fn message(self) -> String {
        match self {
            Self::SameVariable => "the head has one variable twice".to_owned(),
            Self::NoVariable => "the head has no variable".to_owned(),
            Self::NotAPath => "the body is not a path from the head's variable".to_owned(),
            Self::TooLong => format!("the body has more than {MAX_PATH} literals"),
        }
    }
}
