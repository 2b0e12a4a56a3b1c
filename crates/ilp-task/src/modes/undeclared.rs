//! The mode of a target for which the files have none.

use kibitz_prolog::{Argument, Direction, Mode, Predicate, Symbol, Term, print_term};

use super::FileContents;
use crate::Task;
use crate::issue::{Issue, IssueKind};
use crate::source::{Source, show};
use crate::types::{fit_types, infer_head};

/// What is known of a target without a mode.
pub(super) struct UndeclaredHead {
    /// Whether some mode for bodies has a type.
    has_types: bool,
    /// Whether the files tell heads from bodies, so that a mode for heads is missing.
    is_missing: bool,
    /// What ends a directive.
    end: char,
}

/// A mode whose arguments are inputs of one type.
pub(super) fn undeclared_mode(target: Predicate) -> Mode {
    let argument = Argument {
        direction: Direction::In,
        kind: Symbol::TRUE,
    };
    Mode {
        predicate: target,
        arguments: vec![argument; target.arity],
        recall: None,
    }
}

impl FileContents {
    /// What is known of a target without a mode.
    pub(super) fn undeclared_head(&self, target: Predicate, any: Symbol) -> UndeclaredHead {
        let bodies = self.bodies.iter().filter(|own| own.predicate != target);
        let mut arguments = bodies.flat_map(|mode| &mode.arguments);
        UndeclaredHead {
            has_types: arguments.any(|own| own.kind != any),
            is_missing: self.has_body_modes,
            end: if self.is_progol { '?' } else { '.' },
        }
    }
}

impl UndeclaredHead {
    /// Gives the arguments of the head the types of those whose constants they share, and says so where a
    /// mode for heads is missing.
    pub(super) fn infer(&self, task: &mut Task, main: &Source<'_>, any: Symbol) {
        if self.has_types {
            infer_head(task, any);
            fit_types(task, any);
        } else {
            // Without types the head has one of its own, which bodies get where they share its constants.
            fit_types(task, any);
            Self::name_own_type(task, any);
        }
        if self.is_missing && !task.bias.body.is_empty() {
            let warning = self.warning(task, main, any);
            task.remarks.push(warning);
        }
    }

    /// Gives the type of the head a name that can be told: that of the bodies where they share no constants.
    fn name_own_type(task: &mut Task, any: Symbol) {
        let mut bodies = task.bias.body.iter().flat_map(|mode| &mode.arguments);
        let is_shared = bodies.any(|own| own.kind == Symbol::TRUE);
        let name = if is_shared {
            task.symbols.intern("example")
        } else {
            any
        };
        let modes = std::iter::once(&mut task.bias.head).chain(&mut task.bias.body);
        let arguments = modes.flat_map(|mode| &mut mode.arguments);
        let own = arguments.filter(|own| own.kind == Symbol::TRUE);
        own.for_each(|own| own.kind = name);
    }

    /// The warning that no mode for heads declares the target, with the line that would.
    fn warning(&self, task: &Task, main: &Source<'_>, any: Symbol) -> Issue {
        let name = |symbol: Symbol| print_term(&Term::symbol(symbol), &task.symbols).to_string();
        let (arguments, target) = (&task.bias.head.arguments, task.target);
        let kind = |own: &Argument| name(if self.has_types { own.kind } else { any });
        let kinds = arguments.iter().map(kind);
        let kinds: Vec<String> = kinds.collect();
        let taken = match &kinds[..] {
            [] => "it is taken without arguments".to_owned(),
            [_] if !self.has_types => "its argument is taken as an input".to_owned(),
            _ if !self.has_types => "its arguments are taken as inputs".to_owned(),
            [only] => format!("its argument is taken as an input of type {only}"),
            all => format!(
                "its arguments are taken as inputs of the types {}",
                all.join(", ")
            ),
        };
        let unknown = arguments.iter().zip(1..);
        let unknown = unknown.filter(|(own, _)| self.has_types && own.kind == any);
        let unknown: Vec<String> = unknown.map(|(_, place)| place.to_string()).collect();
        let unknown = match &unknown[..] {
            [] => String::new(),
            [only] => format!("; no type has the values of argument {only}"),
            all => format!(
                "; no type has the values of the arguments {}",
                all.join(", ")
            ),
        };
        let shown = show(target, &task.symbols);
        let message = format!("no `modeh` declares {shown}: {taken}{unknown}");
        let template = match &kinds[..] {
            [] => name(target.name),
            all => format!("{}(+{})", name(target.name), all.join(",+")),
        };
        let line = format!("`:- modeh(1,{template}){}`", self.end);
        let issue = Issue::new(main.name, IssueKind::Unexpected(message));
        issue.help(if unknown.is_empty() {
            format!("write {line} to declare it, with other types if these are wrong")
        } else {
            format!("write a line such as {line}, with the types that are meant")
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Source, Task};

    const FAMILY: &str = ":- begin_bg.\nparent(a,b). parent(b,c). age(a,60). age(b,30). age(c,5).\n\
                          :- end_bg.\n:- begin_in_pos.\ngp(a,c).\n:- end_in_pos.\n\
                          :- begin_in_neg.\ngp(a,b).\n:- end_in_neg.\n";

    /// The types of the head, and the warnings with their helps.
    fn head(text: &str) -> (Vec<String>, Vec<String>) {
        let task = Task::from_aleph(Source { name: "a.pl", text }).expect("valid");
        let kinds = task.bias.head.arguments.iter();
        let kinds = kinds.map(|own| task.symbols.name(own.kind).to_owned());
        let warnings = task.check().warnings.into_iter();
        let warnings =
            warnings.map(|own| format!("{} | {}", own.kind, own.help.unwrap_or_default()));
        (kinds.collect(), warnings.collect())
    }

    #[test]
    fn a_head_without_a_mode_has_the_types_of_its_constants() {
        let modes = ":- modeb(*,age(+person,-years)).\n:- modeb(*,parent(+person,-person)).\n";
        let (kinds, warnings) = head(&format!("{modes}{FAMILY}"));
        assert_eq!(kinds, ["person", "person"]);
        assert_eq!(
            warnings,
            [
                "no `modeh` declares gp/2: its arguments are taken as inputs of the types person, person | \
                 write `:- modeh(1,gp(+person,+person)).` to declare it, with other types if these are wrong"
            ]
        );
        let declared = format!(":- modeh(1,gp(+person,+person)).\n{modes}{FAMILY}");
        assert_eq!(head(&declared), (kinds, Vec::new()));
    }

    #[test]
    fn values_of_no_type_are_reported() {
        let text = ":- modeb(*,age(+person,-years)).\n:- begin_bg.\nage(a,60). age(b,30).\n:- end_bg.\n\
                    :- begin_in_pos.\nborn(a,rome).\n:- end_in_pos.\n\
                    :- begin_in_neg.\nborn(b,rome).\n:- end_in_neg.\n";
        let (kinds, warnings) = head(text);
        assert_eq!(kinds, ["person", "any"]);
        assert_eq!(
            warnings[0],
            "no `modeh` declares born/2: its arguments are taken as inputs of the types person, any; no type \
             has the values of argument 2 | write a line such as `:- modeh(1,born(+person,+any)).`, with the \
             types that are meant"
        );
        assert!(
            warnings.iter().all(|own| !own.contains("true")),
            "{warnings:?}"
        );
    }

    #[test]
    fn the_only_type_is_taken_where_its_values_are_not_known() {
        let text = ":- modeb(*,small(+num)).\n:- begin_bg.\nsmall(X) :- X < 5.\n:- end_bg.\n\
                    :- begin_in_pos.\nt(1).\n:- end_in_pos.\n:- begin_in_neg.\nt(9).\n:- end_in_neg.\n";
        let (kinds, warnings) = head(text);
        assert_eq!(kinds, ["num"]);
        assert_eq!(
            warnings,
            [
                "no `modeh` declares t/1: its argument is taken as an input of type num | write \
                 `:- modeh(1,t(+num)).` to declare it, with other types if these are wrong"
            ]
        );
    }

    #[test]
    fn files_of_golem_need_no_mode_for_heads() {
        let (kinds, warnings) = head(&format!("!- mode(parent(+,-)).\n{FAMILY}"));
        assert_eq!(kinds, ["example", "example"]);
        assert_eq!(warnings, [""; 0]);
    }

    #[test]
    fn the_target_of_a_file_of_progol_is_that_of_a_determination_or_of_headless_clauses() {
        for determination in ["", ":- determination(gp/2,parent/2)?\n"] {
            let text = format!(
                ":- modeb(*,parent(+person,-person))?\n{determination}\
                 parent(a,b). parent(b,c). gp(a,c).\n:- gp(a,b).\n"
            );
            let (name, text) = ("p.pl", &text[..]);
            let task = Task::from_progol(Source { name, text }).expect("valid");
            assert_eq!([task.positive.len(), task.negative.len()], [1, 1]);
            let help = task.check().warnings.swap_remove(0).help;
            let line = "write `:- modeh(1,gp(+person,+person))?` to declare it, with other types if these \
                        are wrong";
            assert_eq!(help.as_deref(), Some(line));
        }
    }
}
