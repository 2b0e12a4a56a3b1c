//! Directives: sections, modes, determinations and settings.

use kibitz_prolog::{Atom, Constant, Dialect, MAX_ARITY, Predicate, SymbolTable, Term, print_term};

use super::{FileContents, Place, Section, UnknownGoal};
use crate::TaskError;
use crate::example_targets::TargetDeclaration;
use crate::settings::SearchSetting;
use crate::source::{Source, WITHOUT_MEANING, as_count, as_indicator};

/// Calls of the learners that the files were made for.
const WITHOUT_EFFECT: [&str; 4] = ["aleph", "aleph_read_all", "read_all", "induce"];

/// Other directives that are Prolog's, not an example that is false.
const FOR_PROLOG: [&str; 5] = [
    "initialization",
    "table",
    "consult",
    "include",
    "load_files",
];

/// Supported settings.
pub(super) const SETTINGS: [&str; 10] = [
    "clauselength",
    "c",
    "max_clauses",
    "clauses",
    "noise",
    "minacc",
    "minpos",
    "i",
    "nodes",
    "evalfn",
];

impl FileContents {
    pub(super) fn directive(
        &mut self,
        place: Place<'_>,
        goal: &Term,
        dialect: Dialect,
        section: &mut Section,
        symbols: &mut SymbolTable,
    ) -> Result<(), TaskError> {
        let Place { source, offset, .. } = place;
        let Some(atom) = Atom::from_term(goal) else {
            let ignored = source.ignored_directive(offset, goal, symbols);
            self.remarks.extend(ignored);
            return Ok(());
        };
        let name = symbols.name(atom.name).to_owned();
        match (name.as_str(), &atom.args[..]) {
            ("begin_in_pos" | "begin_pos", []) => *section = Section::Positive,
            ("begin_in_neg" | "begin_neg", []) => *section = Section::Negative,
            ("begin_bg", []) => *section = Section::Background,
            ("end_bg" | "end_in_pos" | "end_in_neg" | "end_pos" | "end_neg", []) => {
                let ended = std::mem::replace(section, Section::Outside);
                let (content, end) = ended.described();
                // `end_pos` is short for `end_in_pos`.
                if name != end && name != end.replace("in_", "") {
                    let begin = name.replace("end", "begin");
                    let (message, help) = if ended == Section::Outside {
                        let message = format!("`:- {name}.` ends no section");
                        (
                            message,
                            format!("`:- {begin}.` before the examples begins one"),
                        )
                    } else {
                        let message = format!("`:- {name}.` stands in a section of {content}");
                        let help = format!(
                            "`:- {end}.` ends it; if `{name}` is meant, `:- {begin}.` begins the section"
                        );
                        (message, help)
                    };
                    return Err(source.unexpected(offset, message).help(help).into());
                }
            }
            ("modeh", [.., template]) if atom.args.len() <= 2 => {
                let modes = self.modes(source, offset, template, None, Some(dialect), symbols)?;
                for mode in modes.into_iter().take(1) {
                    self.declares(mode.predicate, "modeh", place);
                    self.heads.push(mode);
                }
            }
            ("modeb", [.., template]) if atom.args.len() <= 2 => {
                let recall = atom.args[..atom.args.len() - 1].first();
                let is_all = |own: &&Term| print_term(own, symbols).to_string() == "*";
                if let Some(own) = recall.filter(|own| as_count(own).is_none() && !is_all(own)) {
                    let own = print_term(own, symbols);
                    let message =
                        format!("recall {own} is neither a number nor *, and is taken as *");
                    self.remarks.push(source.unexpected(offset, message));
                }
                let recall = recall.and_then(as_count);
                let recall = recall.and_then(|n| u32::try_from(n).ok());
                let modes = self.modes(source, offset, template, recall, None, symbols)?;
                self.bodies.extend(modes);
                self.has_body_modes = true;
            }
            // Golem does not tell heads from bodies; determinations do.
            ("mode", [template] | [_, template]) => {
                let modes = self.modes(source, offset, template, None, None, symbols)?;
                self.bodies.extend(modes);
            }
            ("determination", [head, body]) => {
                let both = as_indicator(head).zip(as_indicator(body));
                let (head, body) = both.ok_or_else(|| {
                    let message = format!(
                        "a determination takes two predicates with their arities, of at most {MAX_ARITY}"
                    );
                    let issue = source.unexpected(offset, message);
                    issue.help("write determination(east/1,has_car/2)")
                })?;
                self.declares(head, "determination", place);
                self.determinations.push((head, body));
            }
            ("set" | "aleph_set", [Term::Const(Constant::Symbol(key)), value @ ..])
                if value.len() <= 1 =>
            {
                let key = symbols.name(*key).to_owned();
                self.set(source, offset, &key, value.first(), dialect, symbols);
            }
            ("noise", [value]) => self.set(source, offset, "noise", Some(value), dialect, symbols),
            (own, _) if WITHOUT_EFFECT.contains(&own) => {}
            (own, _) if WITHOUT_MEANING.contains(&own) || FOR_PROLOG.contains(&own) => {
                let ignored = source.ignored_directive(offset, goal, symbols);
                self.remarks.extend(ignored);
            }
            ("set" | "aleph_set" | "unset" | "aleph_unset", [key, ..]) => {
                let key = print_term(key, symbols).to_string();
                self.not_obeyed(source, offset, &key);
            }
            _ => self.goals.push(UnknownGoal {
                atom,
                file: place.file,
                offset,
            }),
        }
        Ok(())
    }

    /// Takes note of a declaration of a predicate to learn; the first one of each counts.
    fn declares(&mut self, predicate: Predicate, by: &'static str, place: Place<'_>) {
        if !(self.declared.iter()).any(|own| own.predicate == predicate && own.by == by) {
            self.declared.push(TargetDeclaration {
                predicate,
                by,
                place: place.source.place(place.offset),
            });
        }
    }

    fn not_obeyed(&mut self, source: &Source<'_>, offset: usize, key: &str) {
        let issue = source.unexpected(offset, format!("setting `{key}` is ignored"));
        let meant = kibitz_text::did_you_mean(&kibitz_text::near(key, SETTINGS));
        self.remarks
            .push(match meant.filter(|_| !SETTINGS.contains(&key)) {
                Some(question) => issue.help(question),
                None => issue,
            });
    }

    /// Takes a setting.
    fn set(
        &mut self,
        source: &Source<'_>,
        offset: usize,
        key: &str,
        value: Option<&Term>,
        dialect: Dialect,
        symbols: &SymbolTable,
    ) {
        let number = match value {
            Some(Term::Const(Constant::Int(value))) => Some(*value as f64),
            Some(Term::Const(Constant::Real(value))) => Some(value.0),
            _ => None,
        };
        let name = match value {
            Some(Term::Const(Constant::Symbol(name))) => symbols.name(*name),
            _ => "",
        };
        let (count, search) = (value.and_then(as_count), &mut self.search);
        let setting = match (key, count, number) {
            // Progol's c counts body literals, Aleph's clauselength the head as well.
            ("clauselength", Some(n), _) => {
                self.max_body = Some(n.saturating_sub(1));
                return;
            }
            ("c", Some(n), _) => {
                self.max_body = Some(n);
                return;
            }
            ("max_clauses" | "clauses", Some(n), _) => {
                self.max_clauses = Some(n);
                return;
            }
            // Progol's noise is the share of negative examples in percent.
            ("noise", _, Some(percent)) if dialect == Dialect::Progol => {
                search.min_accuracy = Some((1.0 - percent / 100.0).clamp(0.0, 1.0));
                search.max_false_positives = Some(usize::MAX);
                SearchSetting::MinAccuracy
            }
            ("noise", Some(n), _) => {
                search.max_false_positives = Some(n);
                SearchSetting::MaxFalsePositives
            }
            ("minacc", _, Some(share)) if (0.0..=1.0).contains(&share) => {
                search.min_accuracy = Some(share);
                SearchSetting::MinAccuracy
            }
            ("minpos", Some(n), _) => {
                search.min_positives = Some(n);
                SearchSetting::MinPositives
            }
            ("i", Some(n), _) => {
                search.max_depth = Some(n);
                SearchSetting::MaxDepth
            }
            ("nodes", Some(n), _) => {
                search.max_nodes = Some(n);
                SearchSetting::MaxNodes
            }
            ("evalfn", ..) if name == "compression" => {
                search.compression = true;
                SearchSetting::Compression
            }
            _ => return self.not_obeyed(source, offset, key),
        };
        search
            .given
            .push((setting, key.to_owned(), source.place(offset)));
    }
}
