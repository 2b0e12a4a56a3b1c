use std::sync::Arc;

use super::ReadErrorKind;
use crate::term::{Atom, Clause, Literal, Symbol, Term};

/// One sentence of a program and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// What it is.
    pub kind: SentenceKind,
    /// Byte offset of its first token.
    pub offset: usize,
}

/// The kinds of sentences.
#[derive(Clone, Debug, PartialEq)]
pub enum SentenceKind {
    /// A fact or rule.
    Clause(Clause),
    /// `:- goal.`, `!- goal.` or, in Progol's dialect, `:- goal?`.
    Directive(Term),
    /// `goal?` in Progol's dialect.
    Query(Term),
}

/// A clause from the term `head :- body` or `head`.
///
/// # Errors
/// If head or body is a number, a string or a variable, or the term is a grammar rule.
pub(crate) fn clause_from_term(term: &Term) -> Result<Clause, ReadErrorKind> {
    match term {
        Term::Compound(Symbol::NECK, args) if args.len() == 2 => {
            let head = head_from_term(&args[0])?;
            let mut body = Vec::new();
            push_body(&args[1], &mut body)?;
            Ok(Clause { head, body })
        }
        _ => Ok(Clause::fact(head_from_term(term)?)),
    }
}

fn head_from_term(term: &Term) -> Result<Atom, ReadErrorKind> {
    Atom::from_term(term).ok_or(ReadErrorKind::NotAPredicate)
}

fn push_body(term: &Term, body: &mut Vec<Literal>) -> Result<(), ReadErrorKind> {
    for part in term.conjuncts() {
        match part {
            // ((a, b), c): the first conjunct is a conjunction itself.
            Term::Compound(Symbol::COMMA, args) if args.len() == 2 => push_body(part, body)?,
            Term::Const(crate::term::Constant::Symbol(Symbol::TRUE)) => {}
            _ => body.push(literal_from_term(part)?),
        }
    }
    Ok(())
}

/// A literal from a goal; `\+ goal` and `not goal` become negative literals.
///
/// A negated conjunction, a disjunction or an if-then-else stays one positive literal named `\+`,
/// `;` or `->`, which the prover carries out.
///
/// # Errors
/// If the goal is a number or string. A variable becomes `call(Variable)`.
pub(crate) fn literal_from_term(term: &Term) -> Result<Literal, ReadErrorKind> {
    if let Term::Compound(Symbol::NOT | Symbol::NOT_WORD, args) = term
        && args.len() == 1
        && let Some(atom) = Atom::from_term(&args[0])
        && !is_control(&atom)
    {
        return Ok(Literal::negative(atom));
    }
    match Atom::from_term(term) {
        Some(atom) => {
            // One spelling for negation, so that the prover sees a single name.
            let name = if atom.name == Symbol::NOT_WORD && atom.args.len() == 1 {
                Symbol::NOT
            } else {
                atom.name
            };
            Ok(Literal::positive(Atom {
                name,
                args: Arc::clone(&atom.args),
            }))
        }
        None => Err(ReadErrorKind::NotAPredicate),
    }
}

fn is_control(atom: &Atom) -> bool {
    match atom.args.len() {
        0 => atom.name == Symbol::CUT,
        1 => matches!(atom.name, Symbol::NOT | Symbol::NOT_WORD),
        2 => matches!(atom.name, Symbol::COMMA | Symbol::OR | Symbol::THEN),
        _ => false,
    }
}
