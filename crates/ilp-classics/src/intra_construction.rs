//! Intra-construction: two clauses become three, of which one holds what both share and calls a new
//! predicate for the rest.
//!
//! # Source
//! Muggleton and Buntine 1988; Morales 1992, section 4.5.1.2, Figure 4.2.

use kibitz_prolog::Generalizer;
use kibitz_prolog::{Atom, Clause, Literal, Symbol, Term, Var};

/// Ways to pair the conditions of two clauses that are looked at.
const MAX_PAIRINGS: usize = 1_000;

/// What two clauses share, with a condition of a new predicate, and the two clauses that define it.
///
/// The first resolved with either of the others gives back one of the clauses it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IntraConstruction {
    pub(crate) clauses: [Clause; 3],
    /// Symbols saved, the sign of a condition counted as one.
    pub(crate) gain: i64,
}

/// Symbols in clauses; the sign of a condition counts as one.
pub(crate) fn symbols_of<'c>(clauses: impl IntoIterator<Item = &'c Clause>) -> i64 {
    let sizes = clauses.into_iter().map(|c| c.size() + c.body.len());
    i64::try_from(sizes.sum::<usize>()).unwrap_or(i64::MAX)
}

/// The intra-construction of two clauses of one predicate that saves most symbols, if any does; `name`
/// is that of the new predicate.
pub(crate) fn intra_construct(
    left: &Clause,
    right: &Clause,
    name: Symbol,
) -> Option<IntraConstruction> {
    let mut generalizer = Generalizer::new();
    let head = generalizer.atoms(&left.head, &right.head)?;
    let mut pairing = Pairing {
        sides: [left, right],
        name,
        partners: Vec::new(),
        n_tried: 0,
        best: None,
    };
    pairing.extend(&Clause::fact(head), &generalizer);
    pairing.best.filter(|best| best.gain > 0)
}

/// A search for the conditions that two clauses share.
struct Pairing<'c> {
    sides: [&'c Clause; 2],
    name: Symbol,
    /// For the first conditions of the left clause, those of the right one that go with them.
    partners: Vec<Option<usize>>,
    n_tried: usize,
    best: Option<IntraConstruction>,
}

impl Pairing<'_> {
    fn extend(&mut self, common: &Clause, generalizer: &Generalizer) {
        let [left, right] = self.sides;
        let Some(literal) = left.body.get(self.partners.len()) else {
            self.n_tried += 1;
            let built = self.built(common, generalizer);
            if (self.best.as_ref()).is_none_or(|best| built.gain > best.gain) {
                self.best = Some(built);
            }
            return;
        };
        for (i, other) in right.body.iter().enumerate() {
            if self.n_tried >= MAX_PAIRINGS {
                return;
            }
            if literal.positive != other.positive || self.partners.contains(&Some(i)) {
                continue;
            }
            let mut generalizer = generalizer.clone();
            let Some(atom) = generalizer.atoms(&literal.atom, &other.atom) else {
                continue;
            };
            let mut longer = common.clone();
            longer.body.push(Literal {
                positive: literal.positive,
                atom,
            });
            self.partners.push(Some(i));
            self.extend(&longer, &generalizer);
            self.partners.pop();
        }
        self.partners.push(None);
        self.extend(common, generalizer);
        self.partners.pop();
    }

    fn built(&self, common: &Clause, generalizer: &Generalizer) -> IntraConstruction {
        let [left, right] = self.sides;
        let numbered = left.body.iter().zip(&self.partners);
        let alone = numbered.filter(|(_, partner)| partner.is_none());
        let rest_left: Vec<Literal> = alone.map(|(literal, _)| literal.clone()).collect();
        let numbered = right.body.iter().enumerate();
        let alone = numbered.filter(|(i, _)| !self.partners.contains(&Some(*i)));
        let rest_right: Vec<Literal> = alone.map(|(_, literal)| literal.clone()).collect();
        let pairs = generalizer.pairs();
        let occurs = |var: Var, rest: &[Literal]| {
            let mut args = rest.iter().flat_map(|literal| literal.atom.args.iter());
            args.any(|arg| arg.contains_var(var))
        };
        // What the shared part does not say of its variable by itself: that it has a value, that it is
        // also elsewhere, or that it is the same as another or part of one.
        let is_open = |term: &Term, side: usize, rest: &[Literal]| match term {
            Term::Var(var) => {
                let others = pairs
                    .iter()
                    .filter(|(_, pair)| pair[side].contains_var(*var));
                occurs(*var, rest) || others.count() > 1
            }
            _ => true,
        };
        let arguments: Vec<&(Var, [Term; 2])> = pairs
            .iter()
            .filter(|(_, [l, r])| is_open(l, 0, &rest_left) || is_open(r, 1, &rest_right))
            .collect();
        let atom = |args: Vec<Term>| Atom::new(self.name, args);
        let mut shared = common.clone();
        let vars = arguments.iter().map(|(var, _)| Term::Var(*var)).collect();
        shared.body.push(Literal::positive(atom(vars)));
        let part = |side: usize, rest: Vec<Literal>| {
            let args = arguments.iter().map(|(_, pair)| pair[side].clone());
            Clause::new(atom(args.collect()), rest).normalized()
        };
        let clauses = [shared.normalized(), part(0, rest_left), part(1, rest_right)];
        let gain = symbols_of(self.sides).saturating_sub(symbols_of(&clauses));
        IntraConstruction { clauses, gain }
    }
}

#[cfg(test)]
mod tests {
    use kibitz_ilp::equivalent;
    use kibitz_prolog::{SymbolTable, print_clause, read_clauses, unify_atoms};
    use proptest::prelude::*;

    use super::*;

    fn constructed(text: &str) -> Option<(Vec<String>, i64)> {
        let mut symbols = SymbolTable::new();
        let clauses = read_clauses(text, &mut symbols).expect("valid");
        let name = symbols.fresh("q");
        let built = intra_construct(&clauses[0], &clauses[1], name)?;
        let shown = built
            .clauses
            .iter()
            .map(|c| print_clause(c, &symbols).to_string());
        Some((shown.collect(), built.gain))
    }

    #[test]
    fn what_differs_becomes_a_predicate() {
        let (clauses, gain) = constructed(
            "gf(X,Y) :- male(X), person(X), person(Y), parent(X,Z), father(Z,Y).
             gf(X,Y) :- male(X), person(X), person(Y), parent(X,Z), mother(Z,Y).",
        )
        .expect("shorter");
        assert_eq!(
            clauses,
            [
                "gf(A,B) :- male(A), person(A), person(B), parent(A,C), q(B,C).",
                "q(A,B) :- father(B,A).",
                "q(A,B) :- mother(B,A)."
            ]
        );
        assert_eq!(gain, 6);
        // Values go with the predicate, too.
        let (clauses, _) =
            constructed("p(f(g(h(a),h(h(h(h(k)))))),1). p(f(g(h(b),h(h(h(h(k)))))),2).")
                .expect("shorter");
        assert_eq!(
            clauses,
            [
                "p(f(g(h(A),h(h(h(h(k)))))),B) :- q(A,B).",
                "q(a,1).",
                "q(b,2)."
            ]
        );
        assert_eq!(constructed("p(a) :- r(a). p(b) :- s(b)."), None);
    }

    /// The resolvent of a clause's last condition with another clause.
    fn resolvent(clause: &Clause, with: &Clause) -> Option<Clause> {
        let (last, rest) = clause.body.split_last()?;
        let with = with.shifted(clause.var_bound());
        let theta = unify_atoms(&last.atom, &with.head)?;
        let body = rest.iter().chain(&with.body).cloned().collect();
        Some(theta.apply_clause(&Clause::new(clause.head.clone(), body)))
    }

    fn clause() -> impl Strategy<Value = String> {
        let term = prop::sample::select(vec!["X", "Y", "Z", "a", "b", "f(X)", "f(a)", "f(f(Y))"]);
        let literal = (
            prop::sample::select(vec!["r", "s", "\\+ r"]),
            term.clone(),
            term.clone(),
        );
        (term.clone(), term, prop::collection::vec(literal, 0..5)).prop_map(|(a, b, body)| {
            let body: Vec<String> = body
                .into_iter()
                .map(|(name, x, y)| format!("{name}({x},{y})"))
                .collect();
            if body.is_empty() {
                format!("p({a},{b}).")
            } else {
                format!("p({a},{b}) :- {}.", body.join(", "))
            }
        })
    }

    proptest! {
        /// The shared clause resolved with each definition gives the original clauses.
        #[test]
        fn resolution_gives_the_clauses_back(left in clause(), right in clause()) {
            let mut symbols = SymbolTable::new();
            let clauses = read_clauses(&format!("{left}\n{right}"), &mut symbols).expect("valid");
            let name = symbols.fresh("q");
            let mut generalizer = Generalizer::new();
            let head = generalizer.atoms(&clauses[0].head, &clauses[1].head).expect("one predicate");
            let mut pairing = Pairing {
                sides: [&clauses[0], &clauses[1]],
                name,
                partners: Vec::new(),
                n_tried: 0,
                best: None,
            };
            pairing.extend(&Clause::fact(head), &generalizer);
            let [shared, first, second] = pairing.best.expect("one at least").clauses;
            for (part, whole) in [(first, &clauses[0]), (second, &clauses[1])] {
                let own = resolvent(&shared, &part).expect("it resolves");
                prop_assert!(
                    equivalent(&own, whole),
                    "{} from {} and {}, not {}",
                    print_clause(&own, &symbols),
                    print_clause(&shared, &symbols),
                    print_clause(&part, &symbols),
                    print_clause(whole, &symbols)
                );
            }
        }
    }
}
