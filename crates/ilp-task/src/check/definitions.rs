//! Whether the predicates of a task are defined.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use kibitz_prolog::{Clause, Database, Predicate};

use super::Findings;
use crate::Task;
use crate::issue::{Issue, IssueKind};
use crate::source::show;

impl Task {
    /// Warnings about declared predicates that nothing defines.
    pub(super) fn check_definitions(&self, findings: &mut Findings) {
        let defined = self.defined();
        let library = LazyCell::new(|| library(self));
        let declared: BTreeSet<Predicate> = self.bias.body.iter().map(|m| m.predicate).collect();
        for predicate in declared {
            let recursive = self.bias.recursion && predicate == self.target;
            let is_known = || (library.as_ref()).is_some_and(|own| own.is_defined(predicate));
            if !defined.contains(&predicate) && !recursive && !is_known() {
                let help = self.meant_definition(predicate, &defined);
                let help = help.unwrap_or_else(|| {
                    "add facts for it to the background, or drop the declaration".to_owned()
                });
                findings.warning(IssueKind::NoFacts(show(predicate, &self.symbols)), help);
            }
        }
    }

    /// The predicates that rules call and nothing defines, so that these goals fail, each with a warning. A
    /// search meets only those that a proof comes to.
    pub fn undefined_goals(&self) -> Vec<(Predicate, Issue)> {
        let defined = self.defined();
        let library = LazyCell::new(|| library(self));
        let bodies: BTreeSet<Predicate> = self.bias.body.iter().map(|own| own.predicate).collect();
        let is_known = |own: &Predicate| {
            let is_of_task = defined.contains(own) || bodies.contains(own) || *own == self.target;
            is_of_task || (library.as_ref()).is_some_and(|library| library.is_defined(*own))
        };
        let mut told = BTreeSet::new();
        let mut issues = Vec::new();
        for Clause { head, body } in &self.background {
            for own in body.iter().map(|literal| literal.atom.predicate()) {
                if is_known(&own) || !told.insert(own) {
                    continue;
                }
                let (goal, rule) = (
                    show(own, &self.symbols),
                    show(head.predicate(), &self.symbols),
                );
                let message =
                    format!("predicate {goal}, which a rule of {rule} calls, is not defined");
                let help = self.meant_definition(own, &defined);
                let help = help.unwrap_or_else(|| "such goals fail".to_owned());
                let issue = Issue::new("", IssueKind::Unexpected(message)).help(help);
                issues.push((own, issue));
            }
        }
        issues
    }

    /// The predicates of the background.
    fn defined(&self) -> BTreeSet<Predicate> {
        let clauses = self.background.iter().map(|it| it.head.predicate());
        let natives = self.natives.iter().map(|it| it.signature().predicate);
        clauses.chain(natives).collect()
    }

    /// Which predicate of the background may be meant by one that nothing defines.
    fn meant_definition(&self, own: Predicate, defined: &BTreeSet<Predicate>) -> Option<String> {
        if let Some(other) = defined.iter().find(|other| other.name == own.name) {
            let other = show(*other, &self.symbols);
            return Some(format!(
                "the background defines {other}; check the number of arguments"
            ));
        }
        let names = defined.iter().map(|other| self.symbols.name(other.name));
        let meant = kibitz_text::nearest(self.symbols.name(own.name), names)?;
        kibitz_text::did_you_mean(&[meant])
    }
}

/// What is defined without a background.
pub(super) fn library(task: &Task) -> Option<Database> {
    let builder = Database::builder().of_theory(task.target);
    builder.build(&mut task.symbols.clone()).ok()
}

#[cfg(test)]
mod tests {
    use crate::{Source, Task};

    #[test]
    fn goals_that_nothing_defines_are_found_where_no_proof_comes_to_them() {
        let source = |name, text| Source { name, text };
        let task = Task::from_popper(
            source("exs.pl", "pos(f(a)). neg(f(b))."),
            source(
                "bk.pl",
                "parent(a,b). mothr(a,b). par(X,Y) :- parent(X,Y). par(X,Y) :- mother(X,Y), X \\= Y.
                 old(X) :- \\+ young(X), findall(Y, parent(X,Y), Ys), length(Ys, N), N > 1.
                 both(X) :- parent(X), f(X).",
            ),
            source("bias.pl", "head_pred(f,1). body_pred(par,2). body_pred(old,1). body_pred(both,1)."),
        );
        let found = task.expect("valid").undefined_goals().into_iter();
        let found =
            found.map(|(_, own)| format!("{} | {}", own.kind, own.help.unwrap_or_default()));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                "predicate mother/2, which a rule of par/2 calls, is not defined | did you mean `mothr`?",
                "predicate young/1, which a rule of old/1 calls, is not defined | such goals fail",
                "predicate parent/1, which a rule of both/1 calls, is not defined | the background defines \
                 parent/2; check the number of arguments",
            ]
        );
    }
}
