//! Names in a bias file that it does not declare.

use kibitz_prolog::{Symbol, SymbolTable};
use rustc_hash::FxHashSet;

use super::declarations::{Declarations, LISTS, SETTINGS};
use crate::constraints::asp::{Rule, Statement, Term};
use crate::constraints::evaluation::Item;
use crate::constraints::names::{Named, Use, used};
use crate::issue::Issue;
use crate::source::Source;

impl Declarations {
    /// A warning for each `magic_value` of a predicate or a place that there is not.
    pub(super) fn check_magic(&self, bias: &Source<'_>, symbols: &SymbolTable) -> Vec<Issue> {
        let known = |(name, place): (Symbol, usize)| {
            let mut predicates = self.body.iter().chain(&self.heads);
            predicates.any(|own| own.name == name && place < own.arity)
        };
        let magic = self.magic.iter().zip(&self.magic_offsets);
        let unknown = magic.filter(|(own, _)| !known(**own));
        let issue = |(&(name, place), &offset): (&(Symbol, usize), &usize)| {
            let name = symbols.name(name);
            let message = format!("setting `magic_value({name},{place})` is ignored");
            let issue = bias.unexpected(offset, message);
            issue.help(format!(
                "no predicate of the head or of a body is {name} with an argument {place}; places count from 0"
            ))
        };
        unknown.map(issue).collect()
    }

    /// A warning for each name with types or directions that no predicate of the bias has.
    pub(super) fn check_names(&self, bias: &Source<'_>, symbols: &SymbolTable) -> Vec<Issue> {
        let known = self.heads.iter().chain(&self.body);
        let known: Vec<&str> = known.map(|own| symbols.name(own.name)).collect();
        let [types, directions] = &self.lists;
        let only_directions = (directions.iter()).filter(|(name, _)| !types.contains_key(*name));
        let listed = (types.iter().map(|own| (LISTS[0], own)))
            .chain(only_directions.map(|own| (LISTS[1], own)));
        let listed = listed.map(|(list, (name, (_, offset)))| (list, symbols.name(*name), *offset));
        let unknown = listed.filter(|(_, name, _)| !known.contains(name));
        let issue = |(list, name, offset): (&str, &str, usize)| {
            let message =
                format!("{list} of {name} is ignored: neither head_pred nor body_pred declares it");
            let issue = bias.unexpected(offset, message);
            issue.help(kibitz_text::suggestion(name, known.iter().copied()))
        };
        unknown.map(issue).collect()
    }
}

/// Where names are looked up.
pub(super) struct Names<'n> {
    pub(super) declared: &'n Declarations,
    /// The facts of the file.
    pub(super) facts: &'n [(String, Vec<Item>)],
    pub(super) statements: &'n [Statement<'n>],
    /// The rules that the statements are, where they are supported.
    pub(super) rules: &'n [Option<Rule>],
    pub(super) symbols: &'n SymbolTable,
}

impl Names<'_> {
    /// A warning for each predicate and each type in rules and constraints that nothing declares.
    pub(super) fn unknown(&self, bias: &Source<'_>) -> Vec<Issue> {
        let read = self.statements.iter().zip(self.rules);
        let read: Vec<(&Statement<'_>, &Rule)> = read
            .filter_map(|(statement, rule)| Some((statement, rule.as_ref()?)))
            .collect();
        let rules: Vec<&Rule> = read.iter().map(|(_, rule)| *rule).collect();
        let listed = self.listed();
        let mut told: Vec<Use<'_>> = Vec::new();
        let mut issues = Vec::new();
        let once = self.declared.once.iter().map(|(name, offset)| {
            let own = Use {
                name: self.symbols.name(*name),
                named: Named::Predicate,
                arity: None,
            };
            (own, *offset)
        });
        let in_rules = read.iter().zip(used(&rules));
        let in_rules = in_rules.flat_map(|((statement, _), uses)| {
            let place = move |own: Use<'_>| statement.offset + place_in(statement.text, own.name);
            uses.into_iter().map(move |own| (own, place(own)))
        });
        for (own, offset) in once.chain(in_rules) {
            if !told.contains(&own) && !listed.contains(own.name) {
                told.push(own);
                issues.extend(self.unknown_name(own, offset, bias));
            }
        }
        issues
    }

    /// The names that the file lists in facts of its own or derives, and those in rules that are not
    /// supported: what may make them predicates is not known here.
    fn listed(&self) -> FxHashSet<&str> {
        let is_own =
            |name: &str| !SETTINGS.contains(&name) && !["only_once", "max_rules"].contains(&name);
        let mut listed = FxHashSet::default();
        for (_, items) in self.facts.iter().filter(|(name, _)| is_own(name)) {
            for item in items {
                in_item(item, &mut listed);
            }
        }
        let heads = self
            .rules
            .iter()
            .flatten()
            .filter_map(|rule| rule.head.as_ref());
        for head in heads {
            if let Term::Compound(name, args) = head
                && name != "bad_body"
            {
                for arg in args {
                    in_term(arg, &mut listed);
                }
            }
        }
        let unread = self.statements.iter().zip(self.rules);
        for (statement, _) in unread.filter(|(_, rule)| rule.is_none()) {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            listed.extend(statement.text.split(|c| !is_part(c)));
        }
        listed
    }

    /// The warning about a name, if it is not declared.
    fn unknown_name(&self, own: Use<'_>, offset: usize, bias: &Source<'_>) -> Option<Issue> {
        let Use { name, named, arity } = own;
        let symbols = self.symbols;
        if named == Named::Type {
            let kinds = self.declared.lists[0].values().flat_map(|(kinds, _)| kinds);
            let constants = self.declared.constants.iter().map(|set| &set.kind);
            let mut known: Vec<&str> = kinds
                .chain(constants)
                .map(|own| symbols.name(*own))
                .collect();
            known.sort_unstable();
            known.dedup();
            let message = format!("unknown type {name}; expected one that `type` declares");
            let issue = || {
                bias.unexpected(offset, message)
                    .help(kibitz_text::suggestion(name, known.iter().copied()))
            };
            return (!known.contains(&name)).then(issue);
        }
        let known = self.declared.heads.iter().chain(&self.declared.body);
        let known: Vec<(&str, usize)> = known
            .map(|own| (symbols.name(own.name), own.arity))
            .collect();
        let arities: Vec<usize> = known
            .iter()
            .filter(|own| own.0 == name)
            .map(|own| own.1)
            .collect();
        let expected = "expected one that head_pred or body_pred declares";
        if let Some(first) = arities.first() {
            let wrong = arity.filter(|arity| !arities.contains(arity))?;
            let message = format!("unknown predicate {name}/{wrong}; {expected}");
            let help = format!("{name}/{first} is declared; check the number of arguments");
            return Some(bias.unexpected(offset, message).help(help));
        }
        if is_invented(name) {
            return None;
        }
        let issue = bias.unexpected(offset, format!("unknown predicate {name}; {expected}"));
        Some(issue.help(kibitz_text::suggestion(name, known.iter().map(|own| own.0))))
    }
}

/// Whether a predicate has a name that Popper gives to those that it invents.
fn is_invented(name: &str) -> bool {
    let number = name.strip_prefix("inv");
    number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
}

/// Where a name is in a text.
fn place_in(text: &str, name: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = text.match_indices(name).map(|(at, _)| at);
    let whole = found.find(|at| {
        !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    });
    whole.unwrap_or(0)
}

fn in_item<'n>(item: &'n Item, names: &mut FxHashSet<&'n str>) {
    match item {
        Item::Int(_) => {}
        Item::Name(name) => {
            names.insert(name);
        }
        Item::Tuple(items) => items.iter().for_each(|item| in_item(item, names)),
    }
}

fn in_term<'n>(term: &'n Term, names: &mut FxHashSet<&'n str>) {
    if let Term::Compound(name, args) = term {
        names.insert(name);
        for arg in args {
            in_term(arg, names);
        }
    }
}

#[cfg(test)]
mod tests {
    use kibitz_text::Location;

    use crate::{Source, Task};

    /// The warnings of a bias file about names, with lines and helps.
    fn warnings(constraints: &str) -> Vec<String> {
        let bias = format!(
            "head_pred(g,2). body_pred(parent,2). type(g,(p,p)). type(parent,(p,p)).\n{constraints}"
        );
        let source = |name, text| Source { name, text };
        let task = Task::from_popper(
            source("exs.pl", "pos(g(a,c)). neg(g(a,b))."),
            source("bk.pl", "parent(a,b). parent(b,c)."),
            source("bias.pl", &bias),
        );
        let warnings = task.expect("valid").check().warnings.into_iter();
        let warnings = warnings.map(|own| {
            let place = own.location.as_ref().and_then(Location::line_and_column);
            format!("{place:?} {} | {}", own.kind, own.help.unwrap_or_default())
        });
        warnings.collect()
    }

    #[test]
    fn unknown_predicates_in_constraints_are_reported() {
        let expected = "expected one that head_pred or body_pred declares";
        let meant = format!("unknown predicate parnt; {expected} | did you mean `parent`?");
        for (constraint, place) in [
            (":- body_literal(C,parnt,_,_).", (2, 19)),
            (":- head_literal(C,parnt,_,_), body_size(C,3).", (2, 19)),
            (
                ":- clause(C), #count{V : body_literal(C,parnt,2,V)} > 1.",
                (2, 41),
            ),
            (":- clause(C), not body_literal(C,parnt,_,_).", (2, 34)),
            (
                "bad_body(parnt,Vars) :- vars(_,Vars), Vars = (V,_), V != 0.",
                (2, 10),
            ),
            (":- body_literal(C,P,_,_), P = parnt.", (2, 31)),
            (
                "twice(C,P) :- clause(C), #count{V : body_literal(C,P,_,V)} > 1.\n:- twice(C,parnt).",
                (3, 12),
            ),
            ("only_once(parnt).", (2, 1)),
        ] {
            let said = warnings(constraint);
            let own: Vec<&String> = said.iter().filter(|own| own.contains("unknown")).collect();
            assert_eq!(own, [&format!("Some({place:?}) {meant}")], "{constraint}");
        }
        assert_eq!(
            warnings(":- body_literal(C,parent,3,_)."),
            [format!(
                "Some((2, 19)) unknown predicate parent/3; {expected} | parent/2 is declared; check the number \
                 of arguments"
            )]
        );
        assert_eq!(
            warnings(":- clause(C), #count{V : var_type(C,V,q)} > 1."),
            ["Some((2, 39)) unknown type q; expected one that `type` declares | valid: p"]
        );
    }

    #[test]
    fn names_that_a_file_lists_or_invents_are_known() {
        for constraints in [
            ":- body_literal(C,parent,2,(X,X)).",
            ":- body_literal(C,g,_,_).",
            ":- body_literal(C,inv1,_,(X,X)).",
            "mine(other). :- body_literal(C,other,_,_).",
            "same(P,other) :- body_pred(P,_). :- body_literal(C,P,_,_), body_literal(C,other,_,_), same(P,other).",
            "body_pred(small,1) :- big(a). big(a). :- body_literal(C,small,_,_).",
        ] {
            let said = warnings(constraints);
            let own: Vec<&String> = said.iter().filter(|own| own.contains("unknown")).collect();
            assert_eq!(own, [""; 0], "{constraints}");
        }
    }
}
