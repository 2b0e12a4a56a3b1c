//! Directives that are not known: misspelled ones are errors, the others are ignored with a warning.

use indexmap::IndexMap;
use kibitz_prolog::{Atom, Predicate, SymbolTable, Term};
use kibitz_text::{near, nearest, suggestion};
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::directive::SETTINGS;
use super::{FileContents, UnknownGoal};
use crate::example_targets::TargetDeclaration;
use crate::issue::Issue;
use crate::source::{Source, as_name, show};

/// Where the parts of a file begin and end.
const SECTIONS: [&str; 10] = [
    "begin_bg",
    "end_bg",
    "begin_in_pos",
    "end_in_pos",
    "begin_in_neg",
    "end_in_neg",
    "begin_pos",
    "end_pos",
    "begin_neg",
    "end_neg",
];

const MODES: [&str; 3] = ["modeh", "modeb", "mode"];

const DETERMINATION: &str = "determination";

const SETTERS: [&str; 4] = ["set", "aleph_set", "unset", "aleph_unset"];

/// Directives of Aleph, Progol and Prolog that mean nothing here, but are not misspelled.
const OF_OTHERS: [&str; 30] = [
    "abducible",
    "assert",
    "asserta",
    "assertz",
    "commutative",
    "example",
    "format",
    "generalise",
    "get",
    "help",
    "list",
    "listing",
    "load",
    "model",
    "modes",
    "move",
    "node",
    "noreductive",
    "observable",
    "posonly",
    "print",
    "prune",
    "read",
    "retract",
    "sat",
    "setof",
    "settings",
    "symmetric",
    "test",
    "write",
];

/// What an unknown directive is taken for.
enum Meaning {
    /// A known one, misspelled or with wrong arguments; what to write.
    Misspelled(String),
    /// Anything; perhaps with a suggestion.
    Unknown(Option<String>),
}

impl FileContents {
    /// Reports the goals that are no directives, misspelled ones as errors. Headless clauses of Progol about
    /// predicates that the file has, which may be constraints, are ignored with a warning for each predicate.
    pub(super) fn report_unknown(&mut self, sources: &[&Source<'_>; 3], symbols: &SymbolTable) {
        let goals = std::mem::take(&mut self.goals);
        if goals.is_empty() {
            return;
        }
        let known = self.known_predicates();
        let mut headless: IndexMap<Predicate, (usize, UnknownGoal), FxBuildHasher> =
            IndexMap::default();
        for goal in goals {
            let (source, predicate) = (sources[goal.file], goal.atom.predicate());
            let shown = show(predicate, symbols);
            let meaning = if !known.contains(&predicate) {
                meaning(&goal.atom, symbols)
            } else if self.is_progol {
                headless.entry(predicate).or_insert((0, goal)).0 += 1;
                continue;
            } else {
                Meaning::Unknown(None)
            };
            match meaning {
                Meaning::Misspelled(help) => {
                    let message = format!("unknown directive {shown}");
                    let name = symbols.name(predicate.name);
                    let before = source.text[goal.offset..].find(name).unwrap_or(0);
                    let issue = source.unexpected(goal.offset + before, message);
                    self.issues.push(issue.help(help));
                    self.is_misspelled = true;
                }
                Meaning::Unknown(help) => {
                    let message = format!("directive {shown} is ignored");
                    let issue = source.unexpected(goal.offset, message);
                    self.remarks.push(Issue { help, ..issue });
                }
            }
        }
        for (predicate, (n, first)) in headless {
            let n = kibitz_text::counted(n, "headless clause", "headless clauses");
            let shown = show(predicate, symbols);
            let message = format!("ignored {n} about {shown}, which is not learned");
            let issue = sources[first.file].unexpected(first.offset, message);
            let help = TargetDeclaration::nearest(self.declared.iter(), predicate, symbols);
            self.remarks.push(Issue { help, ..issue });
        }
    }

    /// The predicates that the files define or declare.
    fn known_predicates(&self) -> FxHashSet<Predicate> {
        let modes = self.heads.iter().chain(&self.bodies);
        let modes = modes.map(|mode| self.shown(mode.predicate));
        let clauses = self.background.iter();
        let defined = clauses.map(|clause| clause.head.predicate());
        modes.chain(defined).collect()
    }
}

/// What a directive is taken for, by its name and its arguments.
fn meaning(atom: &Atom, symbols: &SymbolTable) -> Meaning {
    let name = symbols.name(atom.name);
    if OF_OTHERS.contains(&name) {
        return Meaning::Unknown(None);
    }
    let is_near = |known: &[&str]| nearest(name, known.iter().copied()).is_some();
    let args = &atom.args[..];
    let first_name = args.first().and_then(as_name).map(|own| symbols.name(own));
    let has_signs = || args.iter().any(|arg| has_signs(arg, symbols));
    let has_indicators = || args.iter().any(|arg| is_indicator(arg, symbols));
    let is_part = ["begin", "end"].iter().any(|start| name.starts_with(start));
    // One whose name is known has the wrong arguments.
    let example = match name {
        "modeh" => Some("write modeh(1,east(+train))"),
        "modeb" => Some("write modeb(*,has_car(+train,-car))"),
        "mode" if has_signs() => Some("write mode(has_car(+,-))"),
        DETERMINATION => Some("write determination(east/1,has_car/2)"),
        _ if SECTIONS.contains(&name) => Some("write it without arguments"),
        _ => None,
    };
    if let Some(example) = example {
        return Meaning::Misspelled(example.to_owned());
    }
    let known: &[&str] =
        if args.is_empty() && name != "end_of_file" && (is_part || is_near(&SECTIONS)) {
            &SECTIONS
        } else if is_near(&MODES) && has_signs() {
            // Golem's take no recall.
            &MODES[..if args.len() == 1 { 3 } else { 2 }]
        } else if is_near(&[DETERMINATION]) && has_indicators() {
            &[DETERMINATION]
        } else if is_near(&SETTERS)
            && args.len() == 2
            && first_name.is_some_and(|own| SETTINGS.contains(&own))
        {
            &SETTERS
        } else {
            let known = [
                MODES[0],
                MODES[1],
                DETERMINATION,
                SETTERS[1],
                "aleph_read_all",
            ];
            let near = near(name, known);
            return Meaning::Unknown(kibitz_text::did_you_mean(&near));
        };
    Meaning::Misspelled(suggestion(name, known.iter().copied()))
}

/// Whether a term has arguments of a mode: `+type`, `-type` or `#type`.
fn has_signs(term: &Term, symbols: &SymbolTable) -> bool {
    match term {
        Term::Compound(name, args) => {
            let is_sign = ["+", "-", "#", "-#"].contains(&symbols.name(*name));
            (is_sign && args.len() == 1) || args.iter().any(|arg| has_signs(arg, symbols))
        }
        other => as_name(other).is_some_and(|own| ["+", "-", "#"].contains(&symbols.name(own))),
    }
}

/// Whether a term is a name with an arity.
fn is_indicator(term: &Term, symbols: &SymbolTable) -> bool {
    matches!(term, Term::Compound(name, args) if args.len() == 2 && symbols.name(*name) == "/")
}

#[cfg(test)]
mod tests {
    use kibitz_text::Location;

    use crate::{Source, Task};

    /// What is said of a directive in a file of Aleph: whether it is an error, the message, the help.
    fn said(directive: &str) -> (bool, String) {
        let text = format!(
            ":- modeh(1,t(+n)).\n:- modeb(*,e(+n,-n)).\n:- begin_bg.\ne(a,b). moder(a).\n:- end_bg.\n\
             {directive}\n:- begin_in_pos.\nt(a).\n:- end_in_pos.\n:- begin_in_neg.\nt(b).\n:- end_in_neg.\n"
        );
        let name = "a.pl";
        let (is_error, issues) = match Task::from_aleph(Source { name, text: &text }) {
            Ok(task) => (false, task.check().warnings),
            Err(error) => (true, error.issues),
        };
        let shown = issues.iter().map(|own| {
            let place = own.location.as_ref().and_then(Location::line_and_column);
            let help = own.help.as_deref().unwrap_or("");
            format!(
                "{}: {} | {help}",
                place.map_or(0, |(line, _)| line),
                own.kind
            )
        });
        (is_error, shown.collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn a_section_is_ended_by_its_own_directive() {
        let said = |end: &str| {
            let text = format!(
                ":- modeh(1,f(+o)).\n:- modeb(1,p(+o)).\n:- begin_bg.\np(a).\n:- end_bg.\n\
                 :- begin_in_pos.\nf(a).\n:- {end}.\n:- begin_in_neg.\nf(b).\n:- end_in_neg."
            );
            let source = Source {
                name: "t.pl",
                text: &text,
            };
            let error = Task::from_aleph(source).err()?;
            Some((error.issues[0].kind.to_string(), error.issues.len()))
        };
        assert_eq!(said("end_in_pos"), None);
        assert_eq!(said("end_pos"), None);
        for end in ["end_in_neg", "end_bg"] {
            let message = format!("`:- {end}.` stands in a section of positive examples");
            assert_eq!(said(end), Some((message, 1)));
        }
        let message = "`:- end_in_pos.` ends no section".to_owned();
        assert_eq!(said("end_in_pos.\n:- end_in_pos"), Some((message, 1)));
    }

    #[test]
    fn misspelled_directives_are_errors() {
        for (directive, name, meant) in [
            (":- mode_h(1,t(+n)).", "mode_h/2", "did you mean `modeh`?"),
            (":- moedh(t(+n)).", "moedh/1", "did you mean `modeh`?"),
            (":- modbe(*,e(+n,-n)).", "modbe/2", "did you mean `modeb`?"),
            (
                ":- determinaton(t/1,e/2).",
                "determinaton/2",
                "did you mean `determination`?",
            ),
            (
                ":- begin_inpos.",
                "begin_inpos/0",
                "did you mean `begin_in_pos`?",
            ),
            (":- endbg.", "endbg/0", "did you mean `end_bg`?"),
            (":- ste(clauselength,4).", "ste/2", "did you mean `set`?"),
            (
                ":- modeh(1,t(+n),2).",
                "modeh/3",
                "write modeh(1,east(+train))",
            ),
            (
                ":- determination(t/1).",
                "determination/1",
                "write determination(east/1,has_car/2)",
            ),
        ] {
            let expected = format!("6: unknown directive {name} | {meant}");
            assert_eq!(said(directive), (true, expected), "{directive}");
        }
    }

    #[test]
    fn other_directives_are_ignored_with_a_warning() {
        for (directive, warning) in [
            (":- model(t/1).", "6: directive model/1 is ignored | "),
            (":- main.", "6: directive main/0 is ignored | "),
            (
                ":- moves(a,b).",
                "6: directive moves/2 is ignored | did you mean `modeh` or `modeb`?",
            ),
            (":- moder(a).", "6: directive moder/1 is ignored | "),
            (":- set(i,2).", ""),
            (":- 3.", "6: ignored a directive that is not a goal | "),
        ] {
            assert_eq!(said(directive), (false, warning.to_owned()), "{directive}");
        }
    }

    #[test]
    fn headless_clauses_of_progol_are_constraints() {
        let text = ":- modeh(1,t(+n))?\n:- modeb(*,e(+n,-n))?\ne(a,b). t(a).\n:- t(b).\n\
                    :- e(X,X).\n:- e(b,a).\n";
        let source = Source { name: "p.pl", text };
        let task = Task::from_progol(source).expect("valid");
        let warnings = task.check().warnings;
        let kinds: Vec<String> = warnings.iter().map(|own| own.kind.to_string()).collect();
        assert_eq!(
            kinds,
            ["ignored 2 headless clauses about e/2, which is not learned"]
        );
        let text = text.replace(":- modeh(", ":- mode_h(");
        let source = Source {
            name: "p.pl",
            text: &text,
        };
        let error = Task::from_progol(source).expect_err("a misspelled directive");
        assert_eq!(error.issues.len(), 1);
        assert_eq!(
            error.issues[0].kind.to_string(),
            "unknown directive mode_h/2"
        );
    }
}
