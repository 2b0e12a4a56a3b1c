//! Literals over variables of the head, constants and existential variables, as the modes allow.

use kibitz_prolog::{Direction, Symbol};

use crate::encoded::EncodedProblem;
use crate::eval::EQUALS;
use crate::task::Task;

/// Most templates; further ones, of the last modes, are left out.
pub(super) const MAX_TEMPLATES: usize = 20_000;
/// Most existential variables of a literal.
const MAX_EXISTENTIALS: usize = 4;

/// An argument of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Slot {
    /// An argument of the head.
    Head(u32),
    Constant(u32),
    /// An existential variable, by its number in the literal.
    Existential(usize),
}

/// An existential variable of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Existential {
    pub(super) kind: Symbol,
    /// Whether it must have a value before.
    pub(super) is_needed: bool,
}

/// A literal but for the names of its existential variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Template {
    /// A relation of the problem, or [`EQUALS`].
    pub(super) relation: u32,
    pub(super) slots: Vec<Slot>,
    /// The way of each argument, and whether outputs must be new variables.
    pub(super) directions: Vec<Direction>,
    pub(super) is_exact: bool,
    pub(super) existentials: Vec<Existential>,
    pub(super) positive: bool,
}

impl Template {
    /// Whether it mentions the head.
    pub(super) fn is_linked(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot, Slot::Head(_)))
    }

    /// Whether it is merged into the head instead of standing in the body.
    pub(super) fn is_merged(&self) -> bool {
        self.relation == EQUALS && self.positive
    }
}

/// The templates of a task; whether some were left out.
pub(super) fn templates(task: &Task, problem: &EncodedProblem) -> (Vec<Template>, bool) {
    let mut maker = Maker {
        problem,
        negation: task.bias.negation,
        all: Vec::new(),
    };
    maker.equalities(task);
    for mode in 0..problem.modes.len() {
        let relation = &problem.relations[problem.modes[mode].relation as usize];
        // Recursion is another learner's business.
        if relation.predicate != task.target && relation.len() > 0 {
            maker.fill(mode, &mut Vec::new(), &mut Vec::new());
        }
    }
    let is_cut_short = maker.all.len() >= MAX_TEMPLATES;
    (maker.all, is_cut_short)
}

struct Maker<'p> {
    problem: &'p EncodedProblem,
    negation: bool,
    all: Vec<Template>,
}

impl Maker<'_> {
    /// Arguments of the head are equal, or equal to a constant.
    fn equalities(&mut self, task: &Task) {
        let kinds = &self.problem.head_kinds;
        let n = kinds.len();
        let mut pairs = Vec::new();
        for left in 0..n {
            for right in left + 1..n {
                if kinds[left] == kinds[right] {
                    pairs.push([left, right].map(|i| Slot::Head(crate::encoded::number(i))));
                }
            }
        }
        for (i, argument) in task.bias.head.arguments.iter().enumerate() {
            let left = Slot::Head(crate::encoded::number(i));
            if argument.direction == Direction::Constant {
                let mut values = self.problem.examples[0].columns[i].clone();
                values.sort_unstable();
                values.dedup();
                pairs.extend(
                    values
                        .into_iter()
                        .map(|value| [left, Slot::Constant(value)]),
                );
            } else {
                let sets = self.problem.constants.iter();
                let own = sets.filter(|(kind, _)| *kind == argument.kind);
                let own = own.flat_map(|(_, values)| values);
                pairs.extend(own.map(|value| [left, Slot::Constant(*value)]));
            }
        }
        for slots in pairs {
            self.push(Template {
                relation: EQUALS,
                slots: slots.to_vec(),
                directions: vec![Direction::In; 2],
                is_exact: false,
                existentials: Vec::new(),
                positive: true,
            });
        }
    }

    fn push(&mut self, template: Template) {
        if self.all.len() >= MAX_TEMPLATES {
            return;
        }
        let has_outputs = template.existentials.iter().any(|own| !own.is_needed);
        if self.negation && !has_outputs && template.existentials.len() <= 1 {
            self.all.push(Template {
                positive: false,
                ..template.clone()
            });
        } else if self.negation && template.existentials.len() == 1 {
            // A negated literal needs the value of its variable.
            let existentials = template.existentials.iter();
            let existentials = existentials.map(|own| Existential {
                is_needed: true,
                ..*own
            });
            self.all.push(Template {
                positive: false,
                existentials: existentials.collect(),
                directions: vec![Direction::In; template.slots.len()],
                ..template.clone()
            });
        }
        self.all.push(template);
    }

    /// Fills the next place of a mode in every way.
    fn fill(&mut self, mode: usize, slots: &mut Vec<Slot>, existentials: &mut Vec<Existential>) {
        if self.all.len() >= MAX_TEMPLATES {
            return;
        }
        let place = slots.len();
        let own = &self.problem.modes[mode];
        let Some(&(direction, kind)) = own.arguments.get(place) else {
            let template = Template {
                relation: own.relation,
                slots: slots.clone(),
                directions: own.arguments.iter().map(|argument| argument.0).collect(),
                is_exact: own.is_exact,
                existentials: existentials.clone(),
                positive: true,
            };
            if self.says_something(&template) {
                self.push(template);
            }
            return;
        };
        if direction == Direction::Constant {
            let values = self.problem.relations[own.relation as usize].values(place);
            for value in values {
                slots.push(Slot::Constant(value));
                self.fill(mode, slots, existentials);
                slots.pop();
            }
            return;
        }
        let must_be_new = own.is_exact && direction == Direction::Out;
        if !must_be_new {
            let sets = self.problem.constants.iter().filter(|set| set.0 == kind);
            for &value in sets.flat_map(|(_, values)| values) {
                slots.push(Slot::Constant(value));
                self.fill(mode, slots, existentials);
                slots.pop();
            }
            for (i, own) in (0u32..).zip(&self.problem.head_kinds) {
                if *own == kind {
                    slots.push(Slot::Head(i));
                    self.fill(mode, slots, existentials);
                    slots.pop();
                }
            }
            for i in 0..existentials.len() {
                if existentials[i].kind == kind {
                    let before = existentials[i];
                    existentials[i].is_needed |= direction == Direction::In;
                    slots.push(Slot::Existential(i));
                    self.fill(mode, slots, existentials);
                    slots.pop();
                    existentials[i] = before;
                }
            }
        }
        if existentials.len() < MAX_EXISTENTIALS {
            existentials.push(Existential {
                kind,
                is_needed: direction == Direction::In,
            });
            slots.push(Slot::Existential(existentials.len() - 1));
            self.fill(mode, slots, existentials);
            slots.pop();
            existentials.pop();
        }
    }

    /// Whether a literal is not one that another template stands for.
    fn says_something(&self, template: &Template) -> bool {
        let relation = &self.problem.relations[template.relation as usize];
        match template.slots[..] {
            [a @ Slot::Head(_), b @ Slot::Head(_)] if relation.is_symmetric() => a < b,
            _ => true,
        }
    }
}
