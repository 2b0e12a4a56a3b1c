//! The bias checker: why a task cannot be learned, or not as meant.

mod constants;
mod constraints;
mod definitions;

use std::collections::BTreeSet;

use kibitz_prolog::{Atom, Direction, Mode, Symbol};

use self::definitions::library;
use super::Task;
use super::files::Layout;
use super::issue::{Issue, IssueKind};
use super::source::show;

/// What [`Task::check`] found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Nothing can be learned, or the result would be meaningless.
    pub errors: Vec<Issue>,
    /// Part of the task has no effect, probably by mistake.
    pub warnings: Vec<Issue>,
}

impl Findings {
    fn error(&mut self, kind: IssueKind, help: impl Into<String>) {
        self.errors.push(Issue::new("", kind).help(help));
    }

    fn warning(&mut self, kind: IssueKind, help: impl Into<String>) {
        self.warnings.push(Issue::new("", kind).help(help));
    }
}

impl Task {
    /// Checks examples, background and bias against each other.
    ///
    /// Errors: no examples, no target clause possible, a limit or constraints that rule out every clause.
    /// Warnings: contradictory examples, predicates without facts, head variables that no body
    /// literal can use, inputs of a type that nothing produces, constants without a use.
    pub fn check(&self) -> Findings {
        let mut findings = Findings {
            warnings: self.remarks.clone(),
            ..Findings::default()
        };
        self.check_examples(&mut findings);
        self.check_limits(&mut findings);
        self.check_body(&mut findings);
        self.check_types(&mut findings);
        self.check_constants(&mut findings);
        self.check_constraints(&mut findings);
        findings
    }

    fn check_examples(&self, findings: &mut Findings) {
        self.check_sides(findings);
        let positive: rustc_hash::FxHashSet<&Atom> = self.positive.iter().collect();
        let given = self.background.iter();
        let given: Vec<_> = given.filter(|own| self.is_given_target(own)).collect();
        if !given.is_empty() {
            let kind = IssueKind::GivenTarget {
                count: given.len(),
                rules: given.iter().any(|own| !own.body.is_empty()),
                target: show(self.target, &self.symbols),
            };
            let help = "clauses are proved without them; what is to be covered belongs among the positive examples";
            findings.warning(kind, help);
        }
        let both = self.negative.iter().filter(|atom| positive.contains(atom));
        let both: indexmap::IndexSet<&Atom, rustc_hash::FxBuildHasher> = both.collect();
        if let Some(first) = both.first() {
            let first = kibitz_prolog::print_atom(first, &self.symbols).to_string();
            let count = both.len();
            let help = "no theory gets them right; learning goes on and counts them as errors";
            findings.warning(IssueKind::Contradiction { count, first }, help);
        }
    }

    /// Whether there are examples of both sides.
    fn check_sides(&self, findings: &mut Findings) {
        let has_none = self.positive.is_empty() && self.negative.is_empty();
        if has_none && !self.others.is_empty() {
            findings.errors.push(self.target_without_examples());
            return;
        }
        for (name, examples) in [("positive", &self.positive), ("negative", &self.negative)] {
            if examples.is_empty() {
                let is_negative = name == "negative";
                let place = if is_negative && self.is_without_negative_file() {
                    " in a .n file, of which there is none"
                } else if !self.files.has_sections() {
                    ""
                } else if is_negative {
                    " between `:- begin_in_neg.` and `:- end_in_neg.`"
                } else {
                    " between `:- begin_in_pos.` and `:- end_in_pos.`"
                };
                let help = if !is_negative {
                    format!("list atoms that the definition must cover{place}")
                } else if self.target.arity == 0 {
                    // There is one atom, and nothing else that could be covered.
                    format!("list atoms that must not be covered{place}")
                } else {
                    format!(
                        "list atoms that must not be covered{place}, let `learn` take all other atoms as \
                         negative (--closed-world), or take a learner that needs none: mml, or auto, \
                         which takes it"
                    )
                };
                let target = if self.others.is_empty() {
                    String::new()
                } else {
                    format!(" of {}", show(self.target, &self.symbols))
                };
                findings.error(IssueKind::NoExamples(name, target), help);
            }
        }
    }

    /// The error for a target without examples beside other targets.
    fn target_without_examples(&self) -> Issue {
        let name = self.symbols.name(self.target.name);
        let others = self.others.iter().map(|own| self.symbols.name(own.name));
        let near = kibitz_text::did_you_mean(&kibitz_text::near(name, others));
        let help = "add examples of it, or drop its declaration";
        Issue {
            location: self.declared_at.clone(),
            kind: IssueKind::TargetWithoutExamples(show(self.target, &self.symbols)),
            help: Some(near.unwrap_or_else(|| help.to_owned())),
        }
    }

    fn check_limits(&self, findings: &mut Findings) {
        let mut too_small = |limit, value: Option<usize>, least: usize, reason: &str| {
            if let Some(value) = value.filter(|value| *value < least) {
                let kind = IssueKind::LimitTooSmall {
                    limit,
                    value,
                    least,
                };
                findings.error(kind, reason);
            }
        };
        too_small(
            "max_body",
            self.bias.max_body,
            1,
            "with less, clauses have no conditions",
        );
        too_small(
            "max_clauses",
            self.bias.max_clauses,
            1,
            "with less, the theory has no clauses",
        );
        too_small(
            "max_vars",
            self.bias.max_vars,
            self.target.arity,
            "the head alone has so many variables",
        );
        // A literal that computes something needs a variable for it.
        let computes = |mode: &&Mode| {
            let mut places = mode.places(Direction::Out);
            places.next().is_some() && mode.places(Direction::In).next().is_some()
        };
        let computing = self.bias.body.iter().find(computes);
        if let (Some(value), Some(mode)) = (self.bias.max_vars, computing)
            && value == self.target.arity
            && mode.predicate != self.target
        {
            let predicate = show(mode.predicate, &self.symbols);
            let help = format!("set it to at least {}", value + 1);
            findings.warning(IssueKind::NoNewVariables { value, predicate }, help);
        }
    }

    fn check_body(&self, findings: &mut Findings) {
        if self.bias.body.is_empty() && self.bias.constants.is_empty() {
            let help = match self.files.layout() {
                Some(Layout::Popper) => {
                    "declare predicates in bias.pl, as in `body_pred(parent,2).`"
                }
                Some(Layout::Golem) => {
                    "declare predicates in the .b file, as in `!- mode(parent(+,-)).` (Golem) or \
                     `:- modeb(*,parent(+person,-person)).` (Aleph)"
                }
                Some(Layout::Aleph) => {
                    "declare predicates, as in `:- modeb(*,parent(+person,-person)).`"
                }
                Some(Layout::Progol) => {
                    "declare predicates, as in `:- modeb(*,parent(+person,-person))?`"
                }
                Some(Layout::Foil) => {
                    "give tables of other relations, as in `*parent(person,person)`"
                }
                None => "declare predicates with body_pred, modeb or mode, or give tables of them",
            };
            findings.error(IssueKind::NoBody, help);
        }
        if self.bias.recursion && library(self).is_some_and(|own| own.is_built_in(self.target)) {
            let target = show(self.target, &self.symbols);
            let message = format!(
                "{target}, which is to be learned, is built in: clauses that call it call that"
            );
            let help = "give it another name in all files";
            findings.warning(IssueKind::Unexpected(message), help);
        }
        self.check_definitions(findings);
    }

    /// Whether facts list the values of a type, as they do those that numbers are compared with.
    pub fn has_facts_of_type(&self, kind: Symbol) -> bool {
        let mut facts = self.background.iter();
        facts.any(|own| own.head.name == kind && own.head.args.len() == 1)
    }

    fn check_types(&self, findings: &mut Findings) {
        let arguments = || self.bias.body.iter().flat_map(|mode| &mode.arguments);
        let constants = self.bias.constants.iter().map(|set| set.kind);
        let used: BTreeSet<Symbol> = arguments().map(|it| it.kind).chain(constants).collect();
        for (i, argument) in self.bias.head.arguments.iter().enumerate() {
            if !self.bias.body.is_empty() && !used.contains(&argument.kind) {
                let kind = self.symbols.name(argument.kind).to_owned();
                let argument = i + 1;
                findings.warning(
                    IssueKind::HeadNeverBound { argument, kind },
                    "give the head argument the type of the body arguments it belongs with, or \
                     declare a body predicate of its type",
                );
            }
        }
        let outputs = arguments().filter(|argument| argument.direction == Direction::Out);
        let produced = outputs.chain(&self.bias.head.arguments);
        let produced: BTreeSet<Symbol> = produced.map(|argument| argument.kind).collect();
        let can_be_called = |mode: &Mode| {
            let mut inputs = mode.places(Direction::In);
            inputs.all(|place| produced.contains(&mode.arguments[place].kind))
        };
        for mode in &self.bias.body {
            for (i, argument) in mode.arguments.iter().enumerate() {
                if argument.direction == Direction::In && !produced.contains(&argument.kind) {
                    let mut modes = self.bias.body.iter();
                    let is_like = |own: &Mode| own.predicate == mode.predicate;
                    let kind = IssueKind::NeverProduced {
                        predicate: show(self.shown(mode.predicate), &self.symbols),
                        argument: i + 1,
                        kind: self.symbols.name(argument.kind).to_owned(),
                        what: if modes.any(|own| is_like(own) && can_be_called(own)) {
                            "this mode"
                        } else {
                            "the predicate"
                        },
                    };
                    let meant = self.meant_kind(argument.kind);
                    let help = "declare the argument of some predicate of this type as an output";
                    let is_known = |own: &Issue| own.kind == kind;
                    if !findings.warnings.iter().any(is_known) {
                        findings.warning(kind, meant.unwrap_or_else(|| help.to_owned()));
                    }
                }
                // Rules may answer with constants that no fact has, so that only a misspelled type is reported.
                if argument.direction == Direction::Constant
                    && let Some(meant) = self.meant_kind(argument.kind)
                    && self.constants_of(argument.kind).is_empty()
                    && !self.has_facts_of_type(argument.kind)
                {
                    let kind = IssueKind::WithoutConstants {
                        predicate: show(self.shown(mode.predicate), &self.symbols),
                        argument: i + 1,
                        kind: self.symbols.name(argument.kind).to_owned(),
                    };
                    findings.warning(kind, meant);
                }
            }
        }
    }
}
