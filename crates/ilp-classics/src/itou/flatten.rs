//! Flattening: clauses without function symbols and constants, and back.

use indexmap::IndexMap;
use kibitz_prolog::{
    Atom, Clause, Literal, Substitution, Symbol, SymbolTable, Term, Var, print_term,
};
use rustc_hash::FxBuildHasher;

/// A predicate for each function symbol and constant: `f_p(X1,…,Xn,X)` says that `X` is `f(X1,…,Xn)`.
///
/// # Source
/// Rouveirol 1991; Morales 1992, section 4.5.1.3.
///
/// # Examples
/// ```
/// use kibitz_ilp_classics::itou::Flattening;
/// use kibitz_prolog::{SymbolTable, print_clause, read_clause};
///
/// let mut symbols = SymbolTable::new();
/// let clause = read_clause("member(a,cons(a,nil))", &mut symbols)?;
/// let mut flattening = Flattening::new(symbols);
/// let flat = flattening.flatten(&clause);
/// assert_eq!(
///     print_clause(&flat, flattening.symbols()).to_string(),
///     "member(A,B) :- a_p(A), cons_p(A,C,B), nil_p(C)."
/// );
/// assert_eq!(flattening.unflatten(&flat), clause);
/// # Ok::<(), kibitz_prolog::ReadErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Flattening {
    symbols: SymbolTable,
    /// Function symbols over variables, and constants, with their predicates.
    predicates: IndexMap<Term, Symbol, FxBuildHasher>,
}

/// A function symbol over the first variables, or a constant.
fn shape(term: &Term) -> Term {
    match term {
        Term::Compound(name, args) => {
            Term::compound(*name, (0u32..).map(Term::var).take(args.len()))
        }
        other => other.clone(),
    }
}

impl Flattening {
    /// Without predicates so far; the table is that of the clauses to come.
    pub fn new(symbols: SymbolTable) -> Self {
        Self {
            symbols,
            predicates: IndexMap::default(),
        }
    }

    /// The names of the clauses and of the predicates.
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// The flattened clause: its arguments are variables, defined by additional literals. All occurrences of
    /// a term become the same variable.
    pub fn flatten(&mut self, clause: &Clause) -> Clause {
        self.flatten_but(clause, |_, _| false)
    }

    /// The same, where some arguments stay as they are, by the number of their literal, 0 for the head,
    /// and their place.
    pub(super) fn flatten_but(
        &mut self,
        clause: &Clause,
        stays: impl Fn(usize, usize) -> bool,
    ) -> Clause {
        let mut vars: IndexMap<Term, Var, FxBuildHasher> = IndexMap::default();
        let mut next = clause.var_bound();
        let mut atoms = clause.atoms().enumerate().map(|(i, atom)| {
            let args = atom.args.iter().enumerate().map(|(place, term)| {
                if stays(i, place) || matches!(term, Term::Var(_)) {
                    return term.clone();
                }
                Term::Var(*vars.entry(term.clone()).or_insert_with(|| {
                    next += 1;
                    Var(next - 1)
                }))
            });
            Atom::new(atom.name, args)
        });
        let head = atoms.next();
        let rest: Vec<Atom> = atoms.collect();
        let signs = clause.body.iter().map(|literal| literal.positive);
        let mut body: Vec<Literal> = signs
            .zip(rest)
            .map(|(positive, atom)| Literal { positive, atom })
            .collect();
        // Terms are taken apart in the order in which they are found.
        let mut at = 0;
        while let Some((term, &var)) = vars.get_index(at) {
            let term = term.clone();
            let mut args = Vec::new();
            if let Term::Compound(_, parts) = &term {
                for part in parts.iter() {
                    args.push(match part {
                        Term::Var(_) => part.clone(),
                        _ => Term::Var(*vars.entry(part.clone()).or_insert_with(|| {
                            next += 1;
                            Var(next - 1)
                        })),
                    });
                }
            }
            args.push(Term::Var(var));
            body.push(Literal::positive(Atom::new(self.predicate(&term), args)));
            at += 1;
        }
        Clause::new(head.unwrap_or_else(|| clause.head.clone()), body).normalized()
    }

    fn predicate(&mut self, term: &Term) -> Symbol {
        let shape = shape(term);
        if let Some(known) = self.predicates.get(&shape) {
            return *known;
        }
        let name = match &shape {
            Term::Compound(name, _) => self.symbols.name(*name).to_owned(),
            other => print_term(other, &self.symbols).to_string(),
        };
        let predicate = self.symbols.fresh(&format!("{name}_p"));
        self.predicates.insert(shape, predicate);
        predicate
    }

    /// The term over variables that a literal says its last argument is, and that variable.
    pub(super) fn function(&self, literal: &Literal) -> Option<(Term, Var)> {
        let name = literal.atom.name;
        let (shape, _) = self.predicates.iter().find(|(_, own)| **own == name)?;
        let (last, args) = literal.atom.args.split_last()?;
        let Term::Var(var) = last else { return None };
        Some((shape.map_vars(&mut |own| args[own.index()].clone()), *var))
    }

    /// The clause with flattened variables replaced by their terms.
    pub fn unflatten(&self, clause: &Clause) -> Clause {
        let mut theta = Substitution::new();
        let mut body = Vec::new();
        for literal in &clause.body {
            match self.function(literal) {
                Some((term, var)) if theta.get(var).is_none() => theta.bind(var, term),
                Some(_) => {}
                None => body.push(literal.clone()),
            }
        }
        (theta.apply_clause(&Clause::new(clause.head.clone(), body))).normalized()
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::{print_clause, read_clause};
    use proptest::prelude::*;

    use super::*;

    fn term() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec!["X", "Y", "a", "b", "[]", "3"]);
        leaf.prop_map(str::to_owned)
            .prop_recursive(3, 12, 2, |inner| {
                prop_oneof![
                    (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}|{b}]")),
                    inner.prop_map(|a| format!("s({a})")),
                ]
            })
    }

    proptest! {
        #[test]
        fn a_flat_clause_has_variables_only_and_goes_back(
            head in (term(), term()),
            body in prop::collection::vec((term(), term(), prop::bool::ANY), 0..4),
        ) {
            let mut symbols = SymbolTable::new();
            let literals: Vec<String> = body
                .iter()
                .map(|(a, b, positive)| format!("{}q({a},{b})", if *positive { "" } else { "\\+ " }))
                .collect();
            let body = if literals.is_empty() { String::new() } else { format!(" :- {}", literals.join(", ")) };
            let text = format!("p({},{}){body}.", head.0, head.1);
            let clause = read_clause(&text, &mut symbols).expect("valid").normalized();
            let mut flattening = Flattening::new(symbols);
            let flat = flattening.flatten(&clause);
            let is_flat = |atom: &Atom| atom.args.iter().all(|arg| matches!(arg, Term::Var(_)));
            prop_assert!(flat.atoms().all(is_flat));
            let back = flattening.unflatten(&flat);
            prop_assert!(back == clause, "{} of {}", print_clause(&back, flattening.symbols()), text);
        }
    }
}
