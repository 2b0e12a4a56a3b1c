//! Whether declared constants are of use.

use indexmap::IndexSet;
use kibitz_prolog::{Mode, Predicate, Symbol, Term, print_term};
use kibitz_text::{did_you_mean, near, nearest};
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::Findings;
use crate::hints::listed;
use crate::issue::IssueKind;
use crate::source::show;
use crate::types::values_of;
use crate::{ConstantSet, Task};

/// Most unknown constants that are compared with the values of their type for a suggestion.
const MAX_SUGGESTIONS: usize = 20;

/// An argument of a mode.
struct Holder<'t> {
    mode: &'t Mode,
    place: usize,
}

impl Task {
    /// Warnings about constants of a type that no argument has, and about those that no example and no fact
    /// has.
    pub(super) fn check_constants(&self, findings: &mut Findings) {
        for set in &self.bias.constants {
            let holders = self.arguments().filter(|own| own.kind() == set.kind);
            let holders: Vec<Holder<'_>> = holders.collect();
            if holders.is_empty() {
                let values = set.constants.iter().map(|own| self.shown_term(own));
                let kind = IssueKind::UnusedConstants {
                    kind: self.symbols.name(set.kind).to_owned(),
                    values: listed(values),
                };
                findings.warning(kind, self.help_for_unused(set));
            } else if let Some(values) = self.all_values(&holders) {
                self.check_values(set, &values, findings);
            }
        }
    }

    /// Warnings about the constants of a type that are not among its values.
    fn check_values(
        &self,
        set: &ConstantSet,
        values: &IndexSet<Term, FxBuildHasher>,
        findings: &mut Findings,
    ) {
        let unknown = set.constants.iter().filter(|own| !values.contains(*own));
        let unknown: Vec<String> = unknown.map(|own| self.shown_term(own)).collect();
        if unknown.is_empty() {
            return;
        }
        let shown: Vec<String> = values.iter().map(|own| self.shown_term(own)).collect();
        let issue = |values: String, count: usize| IssueKind::UnknownConstants {
            kind: self.symbols.name(set.kind).to_owned(),
            values,
            count,
        };
        let mut others = Vec::new();
        for (i, own) in unknown.into_iter().enumerate() {
            let compared = shown.iter().map(String::as_str);
            let near = near(&own, compared.filter(|_| i < MAX_SUGGESTIONS));
            if let Some(question) = did_you_mean(&near) {
                findings.warning(issue(own, 1), question);
            } else {
                others.push(own);
            }
        }
        if !others.is_empty() {
            let n = others.len();
            let help = "a literal with such a constant is never true";
            findings.warning(issue(listed(others.into_iter()), n), help);
        }
    }

    /// All values of arguments, if these are given by examples and ground facts alone.
    fn all_values(&self, holders: &[Holder<'_>]) -> Option<IndexSet<Term, FxBuildHasher>> {
        let target = self.target;
        let bodies = holders.iter().map(|own| own.mode.predicate);
        let bodies: FxHashSet<Predicate> = bodies.filter(|own| *own != target).collect();
        let mut defined: FxHashSet<Predicate> = FxHashSet::default();
        for clause in &self.background {
            let own = clause.head.predicate();
            if bodies.contains(&own) {
                if !clause.body.is_empty() || !clause.head.is_ground() {
                    return None;
                }
                defined.insert(own);
            }
        }
        if defined.len() < bodies.len() {
            return None;
        }
        let mut values: IndexSet<Term, FxBuildHasher> = IndexSet::default();
        for own in holders {
            let mut own: Vec<Term> = values_of(self, own.mode.predicate, own.place)
                .into_iter()
                .collect();
            own.sort();
            values.extend(own);
        }
        Some(values)
    }

    /// What may be meant by constants of a type that no argument has.
    fn help_for_unused(&self, set: &ConstantSet) -> String {
        let order = "the value comes first, its type second, as in `constant(red,color)`, and `type` gives \
                     an argument its type";
        let kind = self.symbols.name(set.kind);
        let is_kind = |term: &Term| {
            self.arguments()
                .any(|own| Term::symbol(own.kind()) == *term)
        };
        if set.constants.iter().any(is_kind) && self.is_value(&Term::symbol(set.kind)) {
            return order.to_owned();
        }
        let is_near = |own: &Holder<'_>| {
            let own = self.symbols.name(own.kind());
            nearest(kind, [own]).is_some() || nearest(own, [kind]).is_some()
        };
        let of_type = |own: &Holder<'_>| {
            let (type_name, place) = (self.symbols.name(own.kind()), self.shown_place(own));
            format!("did you mean `{type_name}`, the type of {place}?")
        };
        let holding = self.holders_of(set);
        if let Some(own) = holding.iter().find(|own| is_near(own)) {
            return of_type(own);
        }
        if let Some(own) = holding.first() {
            return self.help_to_declare(own, set.kind);
        }
        match self.arguments().find(is_near) {
            Some(own) => of_type(&own),
            None => order.to_owned(),
        }
    }

    /// How to give an argument that has the constants their type.
    fn help_to_declare(&self, own: &Holder<'_>, kind: Symbol) -> String {
        let predicate = own.mode.predicate;
        let kinds = own
            .mode
            .arguments
            .iter()
            .enumerate()
            .map(|(place, argument)| {
                let kind = if place == own.place {
                    kind
                } else {
                    argument.kind
                };
                self.symbols.name(kind)
            });
        let kinds: Vec<&str> = kinds.collect();
        let comma = if kinds.len() == 1 { "," } else { "" };
        let name = self.symbols.name(predicate.name);
        let declaration = format!("`type({name},({}{comma})).`", kinds.join(","));
        let place = self.shown_place(own);
        match self.symbols.name(own.kind()) {
            "any" => format!("{place} has such values, but no type; declare {declaration}"),
            known => format!(
                "{place} has such values and the type {known}; give the constants this type, or declare \
                 {declaration}"
            ),
        }
    }

    /// The arguments that have some of the constants, those of bodies first.
    fn holders_of(&self, set: &ConstantSet) -> Vec<Holder<'_>> {
        let has_some = |own: &Holder<'_>| {
            let values = values_of(self, own.mode.predicate, own.place);
            set.constants
                .iter()
                .any(|constant| values.contains(constant))
        };
        let mut holders: Vec<Holder<'_>> = self.arguments().filter(has_some).collect();
        holders.sort_by_key(|own| own.mode.predicate == self.target);
        holders
    }

    /// Whether a term is an argument of an example or of a fact.
    fn is_value(&self, term: &Term) -> bool {
        let examples = self.positive.iter().chain(&self.negative);
        let facts = self.background.iter().filter(|own| own.body.is_empty());
        let mut atoms = examples.chain(facts.map(|own| &own.head));
        atoms.any(|atom| atom.args.contains(term))
    }

    /// The arguments of the head and of bodies.
    fn arguments(&self) -> impl Iterator<Item = Holder<'_>> {
        let modes = std::iter::once(&self.bias.head).chain(&self.bias.body);
        modes.flat_map(|mode| (0..mode.arguments.len()).map(move |place| Holder { mode, place }))
    }

    fn shown_place(&self, own: &Holder<'_>) -> String {
        let predicate = show(own.mode.predicate, &self.symbols);
        format!("argument {} of {predicate}", own.place + 1)
    }

    fn shown_term(&self, term: &Term) -> String {
        print_term(term, &self.symbols).to_string()
    }
}

impl Holder<'_> {
    /// The type of the argument.
    fn kind(&self) -> Symbol {
        self.mode.arguments[self.place].kind
    }
}

#[cfg(test)]
mod tests {
    use crate::{Source, Task};

    /// The warnings of a bias beside facts of colors, with their helps.
    fn warnings(bias: &str) -> Vec<String> {
        let source = |name, text| Source { name, text };
        let bias = format!("head_pred(p,1). body_pred(color,2). type(p,(x,)).\n{bias}");
        let task = Task::from_popper(
            source("exs.pl", "pos(p(a)). neg(p(c))."),
            source(
                "bk.pl",
                "color(a,red). color(b,red). color(c,green). color(d,blue).",
            ),
            source("bias.pl", &bias),
        );
        let warnings = task.expect("valid").check().warnings.into_iter();
        let warnings =
            warnings.map(|own| format!("{} | {}", own.kind, own.help.unwrap_or_default()));
        warnings.collect()
    }

    #[test]
    fn constants_without_an_argument_are_told_why() {
        let ignored = "ignored constants of the type";
        let because = "because no argument has this type:";
        for (bias, kind, values, help) in [
            (
                "type(color,(x,colr)). constant(red,col). constant(blue,col).",
                "col",
                "red, blue",
                "did you mean `colr`, the type of argument 2 of color/2?",
            ),
            (
                "type(color,(x,col)). constant(col,red).",
                "red",
                "col",
                "the value comes first, its type second, as in `constant(red,color)`, and `type` gives an \
                 argument its type",
            ),
            (
                "constant(red,col). constant(purple,col).",
                "col",
                "red, purple",
                "argument 2 of color/2 has such values, but no type; declare `type(color,(x,col)).`",
            ),
            (
                "type(color,(x,hue)). constant(red,paint).",
                "paint",
                "red",
                "argument 2 of color/2 has such values and the type hue; give the constants this type, \
                 or declare `type(color,(x,paint)).`",
            ),
            (
                "type(color,(x,hue)). constant(big,size).",
                "size",
                "big",
                "the value comes first, its type second, as in `constant(red,color)`, and `type` gives an \
                 argument its type",
            ),
        ] {
            let expected = format!("{ignored} {kind}, {because} {values} | {help}");
            assert_eq!(warnings(bias), [expected], "{bias}");
        }
    }

    #[test]
    fn constants_that_occur_nowhere_are_reported() {
        let bias =
            "type(color,(x,col)). constant(rad,col). constant(blue,col). constant(purple,col).";
        assert_eq!(
            warnings(bias),
            [
                "constant rad of type col occurs in no example and no fact | did you mean `red`?",
                "constant purple of type col occurs in no example and no fact | a literal with such a \
                 constant is never true",
            ]
        );
        // A predicate with rules may have other values.
        let rules = format!("{bias} body_pred(shade,1). type(shade,(col,)).");
        let said = warnings(&rules);
        assert!(said.iter().all(|own| own.contains("shade/1")), "{said:?}");
    }
}
