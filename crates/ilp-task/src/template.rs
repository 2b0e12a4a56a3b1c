//! Literals of modes that are more than a predicate with signed arguments.

use kibitz_prolog::{Argument, Atom, Clause, Literal, Predicate, SymbolTable, Term, print_term};
use rustc_hash::FxHashMap;

/// Literals with structured terms, negations and similar ones, which are learned as predicates of their
/// own, and take their places again in what was learned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Templates(FxHashMap<Predicate, Literal>);

impl Templates {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A predicate for a literal, whose variables become its arguments in the order of their numbers,
    /// and the clause that defines it; `conditions` come first in its body.
    pub(super) fn add(
        &mut self,
        literal: &Literal,
        arguments: &[Argument],
        conditions: Vec<Literal>,
        symbols: &mut SymbolTable,
    ) -> (Predicate, Clause) {
        // The types are part of the name: modes of one shape may differ in them.
        let kinds: Vec<&str> = arguments.iter().map(|own| symbols.name(own.kind)).collect();
        let sign = if literal.positive { "" } else { "\\+ " };
        let shape = print_term(&literal.atom.to_term(), symbols).to_string();
        let name = format!("{sign}{shape} {}", kinds.join(" "));
        let args = (0u32..).map(Term::var).take(arguments.len());
        let head = Atom::new(symbols.intern(&name), args);
        let predicate = head.predicate();
        self.0.insert(predicate, literal.clone());
        let body = conditions.into_iter().chain([literal.clone()]).collect();
        (predicate, Clause::new(head, body))
    }

    /// The predicate that a literal of this predicate is printed as.
    pub(crate) fn shown(&self, predicate: Predicate) -> Option<&Literal> {
        self.0.get(&predicate)
    }

    /// A clause with the literals themselves.
    pub(crate) fn unfolded(&self, clause: &Clause) -> Clause {
        if self.is_empty() {
            return clause.clone();
        }
        let body = clause.body.iter().map(|literal| {
            let Some(template) = self.0.get(&literal.atom.predicate()) else {
                return literal.clone();
            };
            let args = &literal.atom.args;
            let own = template
                .map_vars(&mut |var| args.get(var.index()).cloned().unwrap_or(Term::Var(var)));
            Literal {
                positive: own.positive == literal.positive,
                ..own
            }
        });
        Clause::new(clause.head.clone(), body.collect()).normalized()
    }
}
