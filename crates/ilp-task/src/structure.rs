//! Terms of examples as parts that clauses can name.

use indexmap::IndexSet;
use kibitz_prolog::{
    Argument, Atom, Constant, Direction, Literal, Mode, Predicate, Symbol, SymbolTable, Term,
};
use rustc_hash::FxBuildHasher;

use super::bias::add_constant;
use super::modes::FileContents;

/// Most functors that are taken apart, and most names that end terms.
const MAX_FUNCTORS: usize = 3;
const MAX_NAMES: usize = 3;

/// The functors and the names of terms.
#[derive(Default)]
struct Parts {
    functors: IndexSet<(Symbol, usize), FxBuildHasher>,
    names: IndexSet<Term, FxBuildHasher>,
}

impl Parts {
    /// Takes note of a compound term and what it ends in.
    fn note(&mut self, term: &Term) {
        if let Term::Compound(name, args) = term {
            self.functors.insert((*name, args.len()));
            for arg in args.iter() {
                match arg {
                    Term::Const(Constant::Symbol(_)) => {
                        self.names.insert(arg.clone());
                    }
                    arg => self.note(arg),
                }
            }
        }
    }
}

impl FileContents {
    /// Where the target may call itself, modes have no types and its examples have compound terms, as in
    /// Golem's files: modes of equalities that take the terms apart and build them, and the names that
    /// these end in as constants. Golem's generalizations have such terms in their heads.
    pub(super) fn take_terms_apart(&mut self, target: Predicate, symbols: &mut SymbolTable) {
        let any = symbols.intern("any");
        let is_recursive = self.bodies.iter().any(|mode| mode.predicate == target);
        let mut arguments = self.bodies.iter().flat_map(|mode| &mode.arguments);
        if !is_recursive || !self.heads.is_empty() || !arguments.all(|own| own.kind == any) {
            return;
        }
        let mut parts = Parts::default();
        for (clause, _) in &self.positive {
            clause.head.args.iter().for_each(|arg| parts.note(arg));
        }
        if parts.functors.len() > MAX_FUNCTORS {
            return;
        }
        let argument = |direction| Argument {
            direction,
            kind: any,
        };
        for (name, arity) in parts.functors {
            let own = (1..=u32::try_from(arity).unwrap_or(0)).map(Term::var);
            let term = Term::compound(name, own);
            let equality = Literal::positive(Atom::new(Symbol::EQUALS, [Term::var(0), term]));
            let modes = [Direction::In, Direction::Out].map(|whole| {
                let of_parts = match whole {
                    Direction::In => Direction::Out,
                    _ => Direction::In,
                };
                let parts = std::iter::repeat_n(argument(of_parts), arity);
                std::iter::once(argument(whole))
                    .chain(parts)
                    .collect::<Vec<_>>()
            });
            let (predicate, clause) =
                (self.templates).add(&equality, &modes[0], Vec::new(), symbols);
            if self.background.contains(&clause) {
                continue;
            }
            self.background.push(clause);
            self.bodies.extend(modes.map(|arguments| Mode {
                predicate,
                arguments,
                recall: Some(1),
            }));
        }
        if parts.names.len() <= MAX_NAMES {
            for name in parts.names {
                add_constant(&mut self.constants, any, name);
            }
        }
    }
}
