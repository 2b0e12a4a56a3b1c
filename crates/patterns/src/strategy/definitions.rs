//! Concepts that a strategy defines as Prolog text.

use std::collections::BTreeMap;
use std::sync::Arc;

use kibitz_board::{Color, Endgame, Role};
use kibitz_prolog::{
    Atom, Clause, Constant, Database, Dialect, Limits, Literal, Predicate, Proof, Prover,
    ProverError, Reader, SentenceKind, SymbolTable, Term, read_clauses,
};
use kibitz_text::{Diagnostic, Diagnostics, SourceFile, word_at};
use thiserror::Error;

use super::built_in::{BUILT_IN, CHANGES, FURTHER};
use super::men::Men;
use super::{Concept, Fault};
use crate::Position;
use crate::chess_constants::{ChessConstants, ROLES, SIDES};
use crate::prepared_concept::{NUMBERS, RULES};
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
pub struct DefinedConcept {
    pub(super) name: String,
    predicate: Predicate,
}

impl DefinedConcept {
    pub(super) fn is_of_move(&self) -> bool {
        self.predicate.arity == 2
    }
}

/// A concept defined in Prolog that cannot be decided, and the clause at fault in its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{diagnostic}")]
pub struct UndecidedConcept {
    /// The message.
    pub diagnostic: Diagnostic,
}

/// The concepts of one text.
#[derive(Debug)]
pub(super) struct Definitions {
    source: SourceFile,
    /// The clauses with their offsets in the text.
    clauses: Vec<(usize, Clause)>,
    symbols: SymbolTable,
    pub(super) concepts: BTreeMap<String, DefinedConcept>,
    positions: Arc<Positions>,
    db: Database,
}

impl Definitions {
    /// Reads the text from `start`.
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
                let defined = DefinedConcept {
                    name: name.clone(),
                    predicate,
                };
                concepts.entry(name).or_insert(defined);
            }
        }
        mistakes.into_result(Definitions {
            source: source.clone(),
            clauses,
            symbols,
            concepts,
            positions,
            db,
        })
    }

    pub(super) fn concepts(&self) -> impl Iterator<Item = (&str, Concept)> {
        let concepts = self.concepts.iter();
        concepts.map(|(name, own)| (name.as_str(), Concept::Defined(own.clone())))
    }

    /// Errors for clauses that mention a piece of a side that the endgame does not have: a side and a piece
    /// as the first two arguments of a goal.
    pub(super) fn missing_pieces(&self, endgame: &Endgame) -> Diagnostics {
        let mut mistakes = Diagnostics::new();
        for (at, clause) in &self.clauses {
            let span = word_at(self.source.text(), *at);
            for literal in &clause.body {
                let [
                    Term::Const(Constant::Symbol(side)),
                    Term::Const(Constant::Symbol(piece)),
                    ..,
                ] = literal.atom.args[..]
                else {
                    continue;
                };
                let named = [side, piece].map(|symbol| self.symbols.name(symbol));
                let (Some(color), Some(role)) = (color(named[0]), role(named[1])) else {
                    continue;
                };
                if let Some(mistake) = missing_piece(endgame, color, role) {
                    let mistake = self.source.error_at(span.clone(), mistake);
                    mistakes.push(mistake.with_label(men_of(endgame, color)));
                }
            }
        }
        mistakes
    }

    /// Whether a concept holds of a position, or of a move.
    pub(super) fn holds(&self, own: &DefinedConcept, men: &[&Men]) -> Result<bool, Fault> {
        let args = men.iter().map(|men| {
            let position = Position::from(men.board().clone());
            Term::Const(self.positions.number(position))
        });
        let goal = Literal::positive(Atom::new(own.predicate.name, args));
        let mut prover = Prover::new(&self.db, LIMITS);
        let reason = match prover.prove(&[goal]) {
            Ok(Proof::Proved) => return Ok(true),
            Ok(Proof::Refuted) => return Ok(false),
            Ok(Proof::OutOfSteps) => format!("no answer within {} steps", LIMITS.steps),
            Ok(Proof::TooDeep) => format!(
                "goals call one another more than {} levels deep; does a clause call itself \
                 without end?",
                LIMITS.depth
            ),
            Ok(Proof::OutOfMemory) => {
                format!("no answer within {} MiB", LIMITS.memory >> 20)
            }
            Err(error) => error.describe(&self.symbols, &self.db.predicates()),
        };
        let diagnostic = self.undecided(own, prover.last_clause(), &reason, men);
        Err(UndecidedConcept { diagnostic }.into())
    }

    /// The message about a concept that cannot be decided, at the clause that the prover was in; at
    /// that of the concept if it was in the background.
    fn undecided(
        &self,
        own: &DefinedConcept,
        last: Option<&Clause>,
        reason: &str,
        men: &[&Men],
    ) -> Diagnostic {
        let mut clauses = self.clauses.iter();
        let at = clauses
            .clone()
            .find(|(_, clause)| Some(clause) == last)
            .or_else(|| clauses.find(|(_, clause)| clause.head.predicate() == own.predicate))
            .map_or(0, |(at, _)| *at);
        let boards: Vec<String> = men.iter().map(|men| men.board().to_string()).collect();
        let message = format!("the concept `{}` cannot be decided: {reason}", own.name);
        let mistake = self
            .source
            .error_at(word_at(self.source.text(), at), message);
        mistake.with_note(format!("asked of {}", boards.join(" before, and after ")))
    }
}

fn color(name: &str) -> Option<Color> {
    let known = SIDES.iter().find(|(own, _)| *own == name);
    known.map(|(_, color)| *color)
}

fn side(color: Color) -> &'static str {
    color.fold_wb(SIDES[0].0, SIDES[1].0)
}

fn role(name: &str) -> Option<Role> {
    let known = ROLES.iter().find(|(own, _)| *own == name);
    known.map(|(_, role)| *role)
}

/// The error of mentioning a piece; `None` if the endgame has it.
pub(super) fn missing_piece(endgame: &Endgame, color: Color, role: Role) -> Option<String> {
    let has = role == Role::King || endgame.men_of(color).contains(&role);
    (!has).then(|| format!("{endgame} has no {} {}", side(color), name_of(role)))
}

/// The pieces of a side, in words.
pub(super) fn men_of(endgame: &Endgame, color: Color) -> String {
    let men = [Role::King].into_iter();
    let men = men.chain(endgame.men_of(color).iter().copied());
    let names: Vec<&str> = men.map(name_of).collect();
    format!("{} has {}", side(color), names.join(", "))
}

fn name_of(role: Role) -> &'static str {
    let known = ROLES.iter().find(|(_, own)| *own == role);
    known.map_or("piece", |(name, _)| name)
}
