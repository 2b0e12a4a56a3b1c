//! Concepts that a strategy defines as Prolog text.

use std::collections::BTreeMap;
use std::sync::Arc;

use kibitz_ilp::{
    Atom, Clause, Database, Dialect, Limits, Literal, Predicate, Prover, ProverError, Reader,
    SentenceKind, SymbolTable, Term, read_clauses,
};
use kibitz_text::{Diagnostics, SourceFile, word_at};

use super::built_in::{BUILT_IN, CHANGES, FURTHER};
use super::men::Men;
use super::{Concept, Fault};
use crate::Position;
use crate::chess_constants::ChessConstants;
use crate::concept::{NUMBERS, RULES};
use crate::relations::Positions;

/// Bounds on every question.
const LIMITS: Limits = Limits {
    steps: 1_000_000,
    depth: 1_000,
    memory: 1 << 28,
};

/// A concept defined in Prolog: a predicate of a position, or of the positions before and after a
/// move.
#[derive(Clone, Debug)]
pub struct Defined {
    pub(super) name: String,
    predicate: Predicate,
}

impl Defined {
    pub(super) fn is_of_move(&self) -> bool {
        self.predicate.arity == 2
    }
}

/// The concepts of one text.
#[derive(Debug)]
pub(super) struct Definitions {
    concepts: BTreeMap<String, Defined>,
    positions: Arc<Positions>,
    db: Database,
}

impl Definitions {
    /// Reads what stands behind `start`.
    pub(super) fn read(source: &SourceFile, start: usize) -> Result<Definitions, Diagnostics> {
        let text = source.text();
        // The rules before are blanked, so that places are those of the whole text.
        let blank = |c: char| {
            if c == '\n' {
                "\n".into()
            } else {
                " ".repeat(c.len_utf8())
            }
        };
        let blanked: String = text[..start].chars().map(blank).collect();
        let prolog = blanked + &text[start..];
        let mut symbols = SymbolTable::new();
        let sentences = Reader::new(&prolog, Dialect::Prolog).read_all(&mut symbols);
        let sentences = sentences.map_err(|errors| errors.diagnostics(source.path(), text))?;
        let mut mistakes = Diagnostics::new();
        let mut clauses: Vec<(usize, Clause)> = Vec::new();
        for sentence in sentences {
            match sentence.kind {
                SentenceKind::Clause(clause) => clauses.push((sentence.offset, clause)),
                SentenceKind::Directive(_) | SentenceKind::Query(_) => {
                    let at = sentence.offset;
                    mistakes.push(source.error_at(word_at(text, at), "expected a fact or a rule"));
                }
            }
        }
        let positions = Arc::new(Positions::new(ChessConstants::new(&mut symbols)));
        let mut builder = Database::builder();
        for background in [RULES, NUMBERS] {
            let clauses = read_clauses(background, &mut symbols);
            builder = builder.clauses(&clauses.expect("the background can be read"));
        }
        for relation in positions.relations(&mut symbols) {
            builder = builder.native(relation);
        }
        let db = builder
            .clauses(clauses.iter().map(|(_, clause)| clause))
            .build(&mut symbols)
            .map_err(|error| {
                let at = (clauses.iter()).find(|(_, clause)| error.clause() == Some(clause));
                let at = at.map_or(start, |(at, _)| *at);
                Diagnostics::from(source.error_at(word_at(text, at), error.describe(&symbols, &[])))
            })?;
        let mut concepts = BTreeMap::new();
        for (at, clause) in &clauses {
            let predicate = clause.head.predicate();
            let name = symbols.name(predicate.name);
            let mut problem = |message: String| {
                let span = *at..at + name.len();
                mistakes.push(source.error_at(span, message));
            };
            for goal in clause.body.iter().map(|literal| literal.atom.predicate()) {
                if !db.is_defined(goal) {
                    let unknown = ProverError::UnknownPredicate(goal);
                    problem(unknown.describe(&symbols, &db.predicates()));
                }
            }
            if (BUILT_IN.iter().chain(CHANGES).chain(FURTHER)).any(|own| own.name == name)
                && predicate.arity <= 2
            {
                problem(format!("the concept `{name}` is built in"));
            }
            if matches!(predicate.arity, 1 | 2) {
                let name = name.to_owned();
                let defined = Defined {
                    name: name.clone(),
                    predicate,
                };
                concepts.entry(name).or_insert(defined);
            }
        }
        mistakes.into_result(Definitions {
            concepts,
            positions,
            db,
        })
    }

    pub(super) fn concepts(&self) -> impl Iterator<Item = (&str, Concept)> {
        let concepts = self.concepts.iter();
        concepts.map(|(name, own)| (name.as_str(), Concept::Defined(own.clone())))
    }

    /// Whether a concept holds of a position, or of a move.
    pub(super) fn holds(&self, own: &Defined, men: &[&Men]) -> Result<bool, Fault> {
        let args = men.iter().map(|men| {
            let position = Position::from(men.board().clone());
            Term::Const(self.positions.number(position))
        });
        let goal = Literal::positive(Atom::new(own.predicate.name, args));
        let proof = Prover::new(&self.db, LIMITS).prove(&[goal])?;
        if proof.is_cut_short() {
            return Err(format!("`{}` cannot be decided: {proof:?}", own.name).into());
        }
        Ok(proof.is_proved())
    }
}
