//! Whether constraints leave any clause.

use kibitz_prolog::{Atom, Clause, Direction, Literal, Mode, Symbol, Term};
use kibitz_text::Location;

use super::Findings;
use crate::Task;
use crate::issue::{Issue, IssueKind};
use crate::source::show;

/// Most clauses that are tried; constraints that forbid as many may permit others.
const MAX_CLAUSES: usize = 10_000;

/// The constraints that the clauses tried so far break.
#[derive(Default)]
struct Broken {
    n_clauses: usize,
    /// Those that each clause breaks.
    by_all: Vec<Location>,
    /// Those that some clause breaks.
    by_some: Vec<Location>,
}

impl Task {
    /// Reports constraints that every clause with one literal violates, since more literals do not help: a
    /// longer clause begins with such a literal. Other kinds of literals could.
    pub(super) fn check_constraints(&self, findings: &mut Findings) {
        let bias = &self.bias;
        let modes = || std::iter::once(&bias.head).chain(&bias.body);
        let has_constants = modes().any(|mode| mode.places(Direction::Constant).next().is_some());
        if bias.constraints.is_empty()
            || bias.body.is_empty()
            || bias.recursion
            || bias.negation
            || self.search.invention
            || has_constants
            || !bias.constants.is_empty()
        {
            return;
        }
        let named = self.values_to_name();
        // Literals that compare a variable of the head need no other literal.
        if named.iter().any(|own| own.is_of_head) {
            return;
        }
        let values = named.iter().map(|own| self.few_values(own));
        let named: Vec<_> = named.iter().zip(values).collect();
        let value = |mode: &Mode, place: usize| {
            let mut own = named.iter();
            let own = own.find(|(own, _)| own.predicate == mode.predicate && own.place == place);
            own.and_then(|(_, values)| values.clone())
                .unwrap_or_default()
        };
        let mut broken = Broken::default();
        let are_all_broken = bias.body.iter().all(|mode| {
            let values = (0..mode.arguments.len()).map(|place| value(mode, place));
            let beginning = Beginning {
                task: self,
                mode,
                values: values.collect(),
            };
            let head = bias.head.arguments.iter().map(|own| own.kind);
            beginning.breaks_each(&mut Vec::new(), &head.collect::<Vec<_>>(), &mut broken)
        });
        if are_all_broken {
            findings.errors.extend(broken.error(self));
        }
    }
}

/// The clauses with one literal.
struct Beginning<'t> {
    task: &'t Task,
    /// Of this mode.
    mode: &'t Mode,
    /// The values that clauses may name, for each argument.
    values: Vec<Vec<Term>>,
}

impl Beginning<'_> {
    /// Whether each clause violates a constraint whose literal begins with these arguments. A variable has
    /// the type of its place.
    fn breaks_each(
        &self,
        arguments: &mut Vec<Term>,
        variables: &[Symbol],
        broken: &mut Broken,
    ) -> bool {
        let place = arguments.len();
        let Some(argument) = self.mode.arguments.get(place) else {
            return self.breaks(arguments, broken);
        };
        let known = variables.iter().enumerate();
        let known = known.filter(|(_, kind)| **kind == argument.kind);
        let known = known.map(|(number, _)| var(number));
        let known: Vec<Term> = known.chain(self.values[place].iter().cloned()).collect();
        let with_new = [variables, &[argument.kind]].concat();
        let new = (var(variables.len()), &with_new[..]);
        let all = known.into_iter().map(|term| (term, variables)).chain([new]);
        let mut all = all.map(|(term, variables)| {
            arguments.push(term);
            let breaks = self.breaks_each(arguments, variables, broken);
            arguments.pop();
            breaks
        });
        all.all(|breaks| breaks)
    }

    fn breaks(&self, arguments: &[Term], broken: &mut Broken) -> bool {
        let target = self.task.target;
        let head = Atom::new(target.name, (0..target.arity).map(var));
        let literal = Atom::new(self.mode.predicate.name, arguments.iter().cloned());
        let clause = Clause::new(head, vec![Literal::positive(literal)]);
        let constraints = &self.task.bias.constraints;
        broken.note(&constraints.broken_for_good(&clause, &self.task.symbols))
    }
}

fn var(number: usize) -> Term {
    u32::try_from(number).map_or(Term::NIL, Term::var)
}

impl Broken {
    /// Takes note of the constraints that a clause breaks; false if there are none, or no more are tried.
    fn note(&mut self, places: &[&Location]) -> bool {
        if self.n_clauses == 0 {
            self.by_all = places.iter().map(|own| (*own).clone()).collect();
            self.by_all.dedup();
        }
        self.n_clauses += 1;
        self.by_all.retain(|own| places.contains(&own));
        for place in places {
            if !self.by_some.contains(place) {
                self.by_some.push((*place).clone());
            }
        }
        !places.is_empty() && self.n_clauses < MAX_CLAUSES
    }

    fn error(&self, task: &Task) -> Option<Issue> {
        let first = self.by_all.first().or(self.by_some.first())?;
        let of_target = if task.others.is_empty() {
            String::new()
        } else {
            format!(" of {}", show(task.target, &task.symbols))
        };
        let (message, help) = if self.by_all.is_empty() {
            let lines = self.by_some.iter();
            let lines = lines.filter_map(Location::line_and_column);
            let lines: Vec<String> = lines.map(|(line, _)| line.to_string()).collect();
            let message = format!(
                "the constraints in lines {} rule out every clause{of_target}",
                lines.join(", ")
            );
            (
                message,
                "every clause with one body literal violates one of them",
            )
        } else {
            (
                format!("this constraint rules out every clause{of_target}"),
                "every clause with one body literal violates it",
            )
        };
        Some(Issue {
            location: Some(first.clone()),
            kind: IssueKind::Unexpected(message),
            help: Some(format!("{help}, and more literals do not change that")),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Source, Task};

    /// The errors about a bias with two body predicates, with their lines.
    fn errors(declarations: &str) -> Vec<String> {
        let bias =
            format!("head_pred(g,2). body_pred(parent,2). body_pred(man,1).\n{declarations}");
        let source = |name, text| Source { name, text };
        let task = Task::from_popper(
            source("exs.pl", "pos(g(a,c)). neg(g(a,b))."),
            source(
                "bk.pl",
                "parent(a,b). parent(b,c). man(a). color(a,red). color(b,blue).",
            ),
            source("bias.pl", &bias),
        );
        let errors = task.expect("valid").check().errors.into_iter();
        let errors = errors.map(|own| {
            let place = own.location.and_then(|own| own.line_and_column());
            format!("{}: {}", place.map_or(0, |(line, _)| line), own.kind)
        });
        errors.collect()
    }

    #[test]
    fn constraints_that_rule_out_every_clause_are_errors() {
        let alone = "this constraint rules out every clause";
        for constraint in [
            ":- body_literal(C,_,_,_).",
            ":- clause(C).",
            ":- head_literal(C,g,_,_).",
            ":- body_size(C,N), N > 0.",
            "bad(P) :- body_pred(P,_).\n:- body_literal(C,P,_,_), bad(P).",
        ] {
            let n = constraint.lines().count() + 1;
            assert_eq!(
                errors(constraint),
                [format!("{n}: {alone}")],
                "{constraint}"
            );
        }
        let both = ":- body_literal(C,parent,_,_).\n:- clause(C), body_literal(C,man,1,_).";
        assert_eq!(
            errors(both),
            ["2: the constraints in lines 2, 3 rule out every clause"]
        );
    }

    #[test]
    fn constraints_that_leave_a_clause_are_none() {
        let forbidden = ":- body_literal(C,parent,_,_).\n:- body_literal(C,man,_,_).";
        for constraints in [
            ":- body_literal(C,parent,_,_).".to_owned(),
            ":- body_literal(C,parent,_,(X,X)). :- body_literal(C,man,_,_).".to_owned(),
            // A further literal may give what is asked for.
            ":- not body_literal(C,parent,_,_). :- clause(C), body_size(C,1).".to_owned(),
            ":- clause(C), #count{V : body_literal(C,_,_,V)} != 2.".to_owned(),
            // Other literals may be left.
            format!("{forbidden}\nenable_recursion."),
            format!("{forbidden}\nconstant(a,any)."),
            format!("enable_pi.\n{forbidden}"),
            ":- body_literal(C,parent,2,(X,Y)), X != 0. :- body_literal(C,man,_,_).".to_owned(),
            format!("body_pred(color,2).\n{forbidden}"),
        ] {
            assert_eq!(errors(&constraints), [""; 0], "{constraints}");
        }
    }
}
