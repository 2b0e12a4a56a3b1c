//! Literals over variables of the head, constants and existential variables, as the modes allow.

use kibitz_prolog::{Direction, Symbol};

use crate::encoded::{EncodedProblem, number};
use crate::eval::{Arg, EQUALS, Lit};
use crate::task::Task;

/// Most templates; further ones, of the last modes, are left out.
pub(super) const MAX_TEMPLATES: usize = 20_000;
/// Most existential variables of a literal.
const MAX_EXISTENTIALS: usize = 4;

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
    /// Its variables are the arguments of the head and, numbered after them, the existential variables.
    pub(super) lit: Lit,
    n_head: u32,
    /// The way of each argument, and whether outputs must be new variables.
    pub(super) directions: Vec<Direction>,
    pub(super) is_exact: bool,
    pub(super) existentials: Vec<Existential>,
}

impl Template {
    /// The number in [`existentials`](Self::existentials) of an argument that is such a variable.
    pub(super) fn existential(&self, arg: Arg) -> Option<usize> {
        arg.var()?.checked_sub(self.n_head).map(|i| i as usize)
    }

    /// Whether it mentions the head.
    pub(super) fn is_linked(&self) -> bool {
        self.lit.vars().any(|var| var < self.n_head)
    }

    /// Whether it is merged into the head instead of standing in the body.
    pub(super) fn is_merged(&self) -> bool {
        self.lit.relation == EQUALS && self.lit.positive
    }

    /// The literal with these variables for the existential ones.
    pub(super) fn lit_with(&self, vars: &[u32]) -> Lit {
        (self.lit).renamed(|var| match var.checked_sub(self.n_head) {
            Some(i) => vars[i as usize],
            None => var,
        })
    }
}

/// The templates of a task; whether some were left out.
pub(super) fn templates(task: &Task, problem: &EncodedProblem) -> (Vec<Template>, bool) {
    let mut maker = Maker {
        problem,
        n_head: number(problem.head_kinds.len()),
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
    n_head: u32,
    negation: bool,
    all: Vec<Template>,
}

impl Maker<'_> {
    /// Arguments of the head are equal, or equal to a constant.
    fn equalities(&mut self, task: &Task) {
        let kinds = &self.problem.head_kinds;
        let vars = || (0u32..).zip(kinds);
        let mut equalities = Vec::new();
        for (left, kind) in vars() {
            let right = vars().filter(|(right, own)| *right > left && *own == kind);
            equalities.extend(right.map(|(right, _)| Lit::equal(left, Arg::Var(right))));
        }
        for (left, argument) in (0u32..).zip(&task.bias.head.arguments) {
            let equal = |value| Lit::equal(left, Arg::Const(value));
            if argument.direction == Direction::Constant {
                let mut values = self.problem.examples[0].columns[left as usize].clone();
                values.sort_unstable();
                values.dedup();
                equalities.extend(values.into_iter().map(equal));
            } else {
                let sets = self.problem.constants.iter();
                let own = sets.filter(|(kind, _)| *kind == argument.kind);
                let own = own.flat_map(|(_, values)| values);
                equalities.extend(own.copied().map(equal));
            }
        }
        for lit in equalities {
            self.push(Template {
                lit,
                n_head: self.n_head,
                directions: vec![Direction::In; 2],
                is_exact: false,
                existentials: Vec::new(),
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
                lit: template.lit.negated(),
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
                lit: template.lit.negated(),
                existentials: existentials.collect(),
                directions: vec![Direction::In; template.directions.len()],
                ..template.clone()
            });
        }
        self.all.push(template);
    }

    /// Fills the next place of a mode in every way.
    fn fill(&mut self, mode: usize, args: &mut Vec<Arg>, existentials: &mut Vec<Existential>) {
        if self.all.len() >= MAX_TEMPLATES {
            return;
        }
        let place = args.len();
        let own = &self.problem.modes[mode];
        let Some(&(direction, kind)) = own.arguments.get(place) else {
            let template = Template {
                lit: Lit::positive(own.relation, &args[..]),
                n_head: self.n_head,
                directions: own.arguments.iter().map(|argument| argument.0).collect(),
                is_exact: own.is_exact,
                existentials: existentials.clone(),
            };
            if self.says_something(&template) {
                self.push(template);
            }
            return;
        };
        if direction == Direction::Constant {
            let values = self.problem.relations[own.relation as usize].values(place);
            for value in values {
                args.push(Arg::Const(value));
                self.fill(mode, args, existentials);
                args.pop();
            }
            return;
        }
        let must_be_new = own.is_exact && direction == Direction::Out;
        if !must_be_new {
            let sets = self.problem.constants.iter().filter(|set| set.0 == kind);
            for &value in sets.flat_map(|(_, values)| values) {
                args.push(Arg::Const(value));
                self.fill(mode, args, existentials);
                args.pop();
            }
            for (i, own) in (0u32..).zip(&self.problem.head_kinds) {
                if *own == kind {
                    args.push(Arg::Var(i));
                    self.fill(mode, args, existentials);
                    args.pop();
                }
            }
            for i in 0..existentials.len() {
                if existentials[i].kind == kind {
                    let before = existentials[i];
                    existentials[i].is_needed |= direction == Direction::In;
                    args.push(Arg::Var(self.n_head + number(i)));
                    self.fill(mode, args, existentials);
                    args.pop();
                    existentials[i] = before;
                }
            }
        }
        if existentials.len() < MAX_EXISTENTIALS {
            existentials.push(Existential {
                kind,
                is_needed: direction == Direction::In,
            });
            args.push(Arg::Var(self.n_head + number(existentials.len() - 1)));
            self.fill(mode, args, existentials);
            args.pop();
            existentials.pop();
        }
    }

    /// Whether a literal is not one that another template stands for.
    fn says_something(&self, template: &Template) -> bool {
        let relation = &self.problem.relations[template.lit.relation as usize];
        match *template.lit.args {
            [Arg::Var(a), Arg::Var(b)] if a.max(b) < self.n_head && relation.is_symmetric() => {
                a < b
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::Limits;

    use super::*;
    use crate::task::Source;

    #[test]
    fn existential_variables_are_numbered_after_those_of_the_head() {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source("exs.pl", "pos(p(a,b)). neg(p(b,a))."),
            source("bk.pl", "q(a,b)."),
            source("bias.pl", "head_pred(p,2). body_pred(q,2)."),
        )
        .expect("a task");
        let db = task.database().expect("facts");
        let problem =
            EncodedProblem::new(&task, &db, Limits::default(), &mut |_| true).expect("facts");
        let (templates, is_cut_short) = templates(&task, &problem);
        assert!(!is_cut_short);
        let with = |n: usize| {
            templates
                .iter()
                .filter(move |own| own.existentials.len() == n)
        };
        assert!(with(0).all(Template::is_linked));
        let [both] = with(2).collect::<Vec<_>>()[..] else {
            panic!("one literal has two existential variables: {templates:?}");
        };
        assert_eq!(*both.lit.args, [Arg::Var(2), Arg::Var(3)]);
        assert!(!both.is_linked());
        let numbers = [1, 2, 3].map(|var| both.existential(Arg::Var(var)));
        assert_eq!(numbers, [None, Some(0), Some(1)]);
        assert_eq!(both.existential(Arg::Const(3)), None);
        assert_eq!(*both.lit_with(&[7, 5]).args, [Arg::Var(7), Arg::Var(5)]);
        let [half, ..] = with(1).collect::<Vec<_>>()[..] else {
            panic!("some literals have one existential variable: {templates:?}");
        };
        assert!(half.is_linked());
    }
}
