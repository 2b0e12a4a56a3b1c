//! The names that rules and constraints use for predicates and types.

use super::asp::{Comparison, Goal, Rule, Term};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Predicate,
    Type,
}

/// A name in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use<'r> {
    pub(crate) name: &'r str,
    pub(crate) named: Named,
    /// The number of arguments, if the rule says it.
    pub(crate) arity: Option<usize>,
}

/// An argument that holds names: the relation, the number of its arguments, and the place.
type Position<'r> = (&'r str, usize, usize, Named);

/// The arguments of relations on clauses that hold names.
const POSITIONS: [Position<'static>; 8] = [
    ("head_literal", 4, 1, Named::Predicate),
    ("body_literal", 4, 1, Named::Predicate),
    ("var_in_literal", 4, 1, Named::Predicate),
    ("bad_body", 2, 0, Named::Predicate),
    ("head_pred", 2, 0, Named::Predicate),
    ("body_pred", 2, 0, Named::Predicate),
    ("type", 2, 0, Named::Predicate),
    ("var_type", 3, 2, Named::Type),
];

/// The names that each rule uses, also as arguments of other rules.
pub(crate) fn used<'r>(rules: &[&'r Rule]) -> Vec<Vec<Use<'r>>> {
    let positions = positions(rules);
    let each = rules.iter().map(|rule| {
        let mut found = Vec::new();
        if let Some(head) = &rule.head
            && rule.head_name() == Some("bad_body")
        {
            in_atom(head, &positions, &mut found);
        }
        in_goals(
            &rule.body,
            &variables(rule, &positions),
            &positions,
            &mut found,
        );
        found
    });
    each.collect()
}

/// All arguments that hold names: with those of the heads of rules whose bodies take them for names.
fn positions<'r>(rules: &[&'r Rule]) -> Vec<Position<'r>> {
    let mut positions: Vec<Position<'r>> = POSITIONS.to_vec();
    loop {
        let before = positions.len();
        for rule in rules {
            let Some(Term::Compound(name, args)) = &rule.head else {
                continue;
            };
            let variables = variables(rule, &positions);
            for (place, arg) in args.iter().enumerate() {
                let own = variables.iter().find(|(var, _)| is_var(arg, var));
                let Some((_, named)) = own else {
                    continue;
                };
                let position = (&name[..], args.len(), place, *named);
                if !positions.contains(&position) {
                    positions.push(position);
                }
            }
        }
        if positions.len() == before {
            return positions;
        }
    }
}

fn is_var(term: &Term, var: &str) -> bool {
    matches!(term, Term::Var(own) if own == var)
}

/// The variables of a body that stand for names.
fn variables<'r>(rule: &'r Rule, positions: &[Position<'_>]) -> Vec<(&'r str, Named)> {
    let mut found = Vec::new();
    each_atom(&rule.body, &mut |atom| {
        for (arg, named) in named_arguments(atom, positions) {
            if let Term::Var(var) = arg
                && var != "_"
            {
                found.push((&var[..], named));
            }
        }
    });
    found
}

/// The atoms of goals, also those that are counted.
fn each_atom<'r>(goals: &'r [Goal], visit: &mut impl FnMut(&'r Term)) {
    for goal in goals {
        match goal {
            Goal::Atom { atom, .. } => visit(atom),
            Goal::Compare(..) => {}
            Goal::Count(elements, ..) => {
                for (_, conditions) in elements {
                    each_atom(conditions, visit);
                }
            }
        }
    }
}

/// The arguments of an atom that hold names.
fn named_arguments<'r>(
    atom: &'r Term,
    positions: &[Position<'_>],
) -> impl Iterator<Item = (&'r Term, Named)> {
    let (name, args) = match atom {
        Term::Compound(name, args) => (&name[..], &args[..]),
        _ => ("", &[][..]),
    };
    let own = positions.iter();
    own.filter(move |(relation, arity, ..)| *relation == name && *arity == args.len())
        .filter_map(|(.., place, named)| Some((args.get(*place)?, *named)))
}

fn in_goals<'r>(
    goals: &'r [Goal],
    variables: &[(&str, Named)],
    positions: &[Position<'_>],
    found: &mut Vec<Use<'r>>,
) {
    for goal in goals {
        match goal {
            Goal::Atom { atom, .. } => in_atom(atom, positions, found),
            Goal::Compare(left, Comparison::Equal | Comparison::NotEqual, right) => {
                for (var, other) in [(left, right), (right, left)] {
                    let own = variables.iter().find(|(own, _)| is_var(var, own));
                    let named = own.zip(name_of(other));
                    found.extend(named.map(|((_, named), name)| Use {
                        name,
                        named: *named,
                        arity: None,
                    }));
                }
            }
            Goal::Compare(..) => {}
            Goal::Count(elements, ..) => {
                for (_, conditions) in elements {
                    in_goals(conditions, variables, positions, found);
                }
            }
        }
    }
}

/// Adds the names in an atom.
fn in_atom<'r>(atom: &'r Term, positions: &[Position<'_>], found: &mut Vec<Use<'r>>) {
    let arity = arity_in(atom);
    let names = named_arguments(atom, positions);
    found.extend(names.filter_map(|(arg, named)| {
        let name = name_of(arg)?;
        Some(Use { name, named, arity })
    }));
}

fn name_of(term: &Term) -> Option<&str> {
    match term {
        Term::Compound(name, args) if !name.is_empty() && args.is_empty() => Some(name),
        _ => None,
    }
}

/// The number of arguments that an atom says a predicate has.
fn arity_in(atom: &Term) -> Option<usize> {
    let Term::Compound(name, args) = atom else {
        return None;
    };
    let number = |term: &Term| match term {
        Term::Int(n) => usize::try_from(*n).ok(),
        _ => None,
    };
    let length = |term: &Term| match term {
        Term::Compound(name, args) if name.is_empty() => Some(args.len()),
        _ => None,
    };
    match (&name[..], &args[..]) {
        ("head_literal" | "body_literal", [_, _, n, vars]) => number(n).or(length(vars)),
        ("var_in_literal", [_, _, vars, _]) | ("bad_body", [_, vars]) => length(vars),
        ("head_pred" | "body_pred", [_, n]) => number(n),
        _ => None,
    }
}
