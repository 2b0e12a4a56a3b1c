//! Which target an example is of, and what to say about those that are of none.

use indexmap::IndexMap;
use kibitz_prolog::{Atom, Clause, Predicate, SymbolTable};
use kibitz_text::{Location, nearest};
use rustc_hash::FxBuildHasher;

use super::issue::{Issue, IssueKind};
use super::source::{Places, Source, show, show_all};

/// Most declarations that one message names.
const MAX_NAMED: usize = 3;

/// A declaration of a predicate to learn.
#[derive(Clone, Debug)]
pub(super) struct TargetDeclaration {
    /// The predicate.
    pub(super) predicate: Predicate,
    /// The name of the declaration.
    pub(super) by: &'static str,
    /// Where it is.
    pub(super) place: Location,
}

impl TargetDeclaration {
    /// The declaration in words.
    fn shown(&self, symbols: &SymbolTable) -> String {
        let (by, predicate) = (self.by, show(self.predicate, symbols));
        format!("{by} declares {predicate} at {}", self.line())
    }

    /// What to say of a predicate that is declared under a name near to its own, if one is.
    pub(super) fn nearest<'d>(
        mut declared: impl Iterator<Item = &'d Self>,
        meant: Predicate,
        symbols: &SymbolTable,
    ) -> Option<String> {
        let own = declared.find(|own| are_near(own.predicate, meant, symbols))?;
        let (shown, meant) = (own.shown(symbols), show(meant, symbols));
        Some(format!("{shown}; did you mean {meant}?"))
    }

    /// The file and the line.
    fn line(&self) -> String {
        let line = self.place.line_and_column().map(|(line, _)| line);
        let line = line.map_or(String::new(), |line| format!(":{line}"));
        format!("{}{line}", self.place.file)
    }
}

/// Whether the name of one predicate may be a misspelled one of another.
fn are_near(one: Predicate, other: Predicate, symbols: &SymbolTable) -> bool {
    let (one, other) = (symbols.name(one.name), symbols.name(other.name));
    nearest(one, [other]).is_some() || nearest(other, [one]).is_some()
}

/// Finds the targets of examples, and counts the examples that are of none.
pub(super) struct ExampleTargets<'t> {
    targets: &'t [Predicate],
    declared: &'t [TargetDeclaration],
    /// Whether there are examples of each target, so that its name is right.
    are_met: Vec<bool>,
    /// Where among the issues those of another predicate are reported.
    wrong: IndexMap<Predicate, usize, FxBuildHasher>,
    places: Places,
}

impl<'t> ExampleTargets<'t> {
    pub(super) fn new(targets: &'t [Predicate], declared: &'t [TargetDeclaration]) -> Self {
        Self {
            targets,
            declared,
            are_met: vec![false; targets.len()],
            wrong: IndexMap::default(),
            places: Places::default(),
        }
    }

    /// Those of examples to test on: the targets are known.
    pub(super) fn of_known(targets: &'t [Predicate]) -> Self {
        let mut own = Self::new(targets, &[]);
        own.are_met.fill(true);
        own
    }

    /// How many targets there are.
    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Checks that a clause is an example of one of the targets, and returns it with the place of its
    /// target. All calls take the same list of issues, to which others may be added between them.
    pub(super) fn take(
        &mut self,
        source: &Source<'_>,
        offset: usize,
        clause: Clause,
        symbols: &SymbolTable,
        issues: &mut Vec<Issue>,
    ) -> Option<(usize, Atom)> {
        if !clause.body.is_empty() || !clause.head.is_ground() {
            let kind = IssueKind::ExampleNotGround;
            issues.push(self.places.issue(source, offset, kind));
            return None;
        }
        let found = clause.head.predicate();
        if let Some(place) = self.targets.iter().position(|target| *target == found) {
            self.are_met[place] = true;
            return Some((place, clause.head));
        }
        let known = self.wrong.get(&found).and_then(|at| issues.get_mut(*at));
        if let Some(IssueKind::WrongExample { count, .. }) = known.map(|issue| &mut issue.kind) {
            *count += 1;
        } else {
            self.wrong.insert(found, issues.len());
            let kind = IssueKind::WrongExample {
                found: show(found, symbols),
                target: show_all(self.targets, symbols, " or "),
                count: 1,
            };
            issues.push(self.places.issue(source, offset, kind));
        }
        None
    }

    /// Says of the examples of another predicate what declares the target, and what may be meant.
    pub(super) fn finish(self, symbols: &SymbolTable, issues: &mut [Issue]) {
        for (found, at) in &self.wrong {
            if let Some(issue) = issues.get_mut(*at) {
                issue.help = self.help(*found, symbols);
            }
        }
    }

    fn help(&self, found: Predicate, symbols: &SymbolTable) -> Option<String> {
        let Some(place) = self.near(found, symbols) else {
            let declared = self.declared.iter();
            let of_targets = declared.filter(|own| self.targets.contains(&own.predicate));
            let shown = of_targets.take(MAX_NAMED).map(|own| own.shown(symbols));
            let shown = shown.collect::<Vec<_>>().join("; ");
            return (!shown.is_empty()).then_some(shown);
        };
        let target = self.targets[place];
        let declared = self.declared.iter().find(|own| own.predicate == target);
        let shown = declared.map(|own| own.shown(symbols));
        let after = |question: String| match &shown {
            Some(shown) => format!("{shown}; {question}"),
            None => question,
        };
        Some(if target.name == found.name {
            after("check the number of arguments".to_owned())
        } else if self.are_met[place] {
            let target = show(target, symbols);
            let line = declared.map(|own| format!(" {} declares it at {}", own.by, own.line()));
            format!("did you mean {target}?{}", line.unwrap_or_default())
        } else {
            after(format!("did you mean {}?", show(found, symbols)))
        })
    }

    /// The place of the target whose name is that of a predicate, or near to it.
    fn near(&self, found: Predicate, symbols: &SymbolTable) -> Option<usize> {
        let name = |own: &Predicate| symbols.name(own.name);
        let mut targets = self.targets.iter();
        if let Some(same) = targets.position(|own| own.name == found.name) {
            return Some(same);
        }
        let known = self.targets.iter().map(name);
        let best = nearest(name(&found), known);
        let mut targets = self.targets.iter();
        targets.position(|own| match best {
            Some(best) => name(own) == best,
            None => are_near(*own, found, symbols),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{IssueKind, Source, Task};

    fn source<'t>(name: &'t str, text: &'t str) -> Source<'t> {
        Source { name, text }
    }

    fn popper(heads: &str, examples: &str) -> Vec<(String, String)> {
        let bias = format!("{heads}\nbody_pred(parent,2).");
        let read = Task::each_from_popper(
            source("exs.pl", examples),
            source("bk.pl", "parent(a,b). parent(b,c)."),
            source("bias.pl", &bias),
        );
        let issues = read.expect_err("wrong examples").issues.into_iter();
        let issues = issues.map(|issue| (issue.kind.to_string(), issue.help.unwrap_or_default()));
        issues.collect()
    }

    #[test]
    fn a_misspelled_target_is_found_where_it_is_declared() {
        let found = popper(
            "% the target\nhead_pred(grandparnt,2).",
            "pos(grandparent(a,c)). neg(grandparent(a,b)).",
        );
        let message =
            "this and 1 more are of grandparent/2, the predicate to learn is grandparnt/2";
        let help = "head_pred declares grandparnt/2 at bias.pl:2; did you mean grandparent/2?";
        assert_eq!(found, [(message.to_owned(), help.to_owned())]);
        let program = ":- modeh(1,grandpa(+person,+person)).\n:- modeb(*,parent(+person,-person)).\n\
                       :- begin_in_pos.\ngrandparent(a,c).\n:- end_in_pos.";
        let error = Task::from_aleph(source("a.pl", program)).expect_err("a misspelled target");
        assert_eq!(
            error.issues[0].help.as_deref(),
            Some("modeh declares grandpa/2 at a.pl:1; did you mean grandparent/2?")
        );
        let program = ":- determination(grandpa/2,parent/2).\n:- modeb(*,parent(+person,-person)).\n\
                       :- begin_in_pos.\ngrandparent(a,c).\n:- end_in_pos.";
        let task = Task::from_aleph(source("a.pl", program)).expect("a task without bodies");
        assert_eq!(
            task.check().warnings[0].help.as_deref(),
            Some("determination declares grandpa/2 at a.pl:1; did you mean grandparent/2?")
        );
        let program = program.replace("grandpa/2,parent/2", "grandparent/2,parnt/2");
        let task = Task::from_aleph(source("a.pl", &program)).expect("a task without bodies");
        let help = task.check().warnings.swap_remove(0).help;
        assert_eq!(help.as_deref(), Some("did you mean `parent`?"));
    }

    #[test]
    fn a_misspelled_example_is_told_the_target() {
        let found = popper(
            "head_pred(grandparent,2).",
            "pos(grandparent(a,c)). neg(grandparnt(a,b)). pos(grandparent(a)). pos(x(a)).",
        );
        let helps: Vec<&str> = found.iter().map(|(_, help)| &help[..]).collect();
        assert_eq!(
            helps,
            [
                "did you mean grandparent/2? head_pred declares it at bias.pl:1",
                "head_pred declares grandparent/2 at bias.pl:1; check the number of arguments",
                "head_pred declares grandparent/2 at bias.pl:1",
            ]
        );
    }

    #[test]
    fn examples_of_many_other_predicates_are_counted() {
        let wrong: Vec<String> = (0..3000)
            .map(|i| format!("pos(p{}(a)).", i % 1500))
            .collect();
        let found = popper("head_pred(grandparent,2).", &wrong.join(" "));
        assert_eq!(found.len(), 1500);
        assert!(
            found
                .iter()
                .all(|(kind, _)| kind.starts_with("this and 1 more are of p"))
        );
        let kind = IssueKind::WrongExample {
            found: "p0/1".into(),
            target: "grandparent/2".into(),
            count: 2,
        };
        assert_eq!(found[0].0, kind.to_string());
    }
}
