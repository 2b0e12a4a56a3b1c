//! Reading Prolog text.
//!
//! The reader takes what files for inductive logic programming are made of: facts, rules,
//! directives, lists, quoted names, strings, numbers, comments, negation as failure and the
//! standard operators (plus those declared with `:- op(..)`). It goes on after an error, so that
//! one pass reports every broken clause.

mod dialect;
mod error;
mod lexer;
mod operators;
mod parser;
mod sentence;

pub use dialect::Dialect;
pub(crate) use error::line_and_column;
pub use error::{ReadError, ReadErrorKind, ReadErrors};
pub(crate) use operators::{Fixity, Operator, Operators};
pub use parser::Reader;
pub use sentence::{Sentence, SentenceKind};
pub(crate) use sentence::{clause_from_term, literal_from_term};

use crate::term::{Clause, SymbolTable, Term};

/// Reads facts and rules; directives are an error here.
///
/// # Errors
/// Every broken clause with line and column.
///
/// # Examples
/// ```
/// # use kibitz_prolog::{SymbolTable, read_clauses};
/// let mut symbols = SymbolTable::new();
/// let clauses = read_clauses("p(1). q(X) :- p(X), \\+ r(X).", &mut symbols)?;
/// assert_eq!(clauses.len(), 2);
/// assert!(!clauses[1].body[1].positive);
/// # Ok::<(), kibitz_prolog::ReadErrors>(())
/// ```
pub fn read_clauses(text: &str, symbols: &mut SymbolTable) -> Result<Vec<Clause>, ReadErrors> {
    let mut clauses = Vec::new();
    let mut errors = ReadErrors::default();
    for sentence in Reader::new(text, Dialect::Prolog).read_all(symbols)? {
        match sentence.kind {
            SentenceKind::Clause(clause) => clauses.push(clause),
            SentenceKind::Directive(_) | SentenceKind::Query(_) => {
                errors.push(ReadError::at(
                    text,
                    sentence.offset,
                    ReadErrorKind::ClauseExpected,
                ));
            }
        }
    }
    errors.into_result(clauses)
}

/// Reads exactly one clause; the final full stop may be missing.
///
/// # Errors
/// If the text is anything but one clause.
pub fn read_clause(text: &str, symbols: &mut SymbolTable) -> Result<Clause, ReadErrors> {
    let term = read_term(text, symbols)?;
    clause_from_term(&term).map_err(|kind| ReadError::at(text, 0, kind).into())
}

/// Reads exactly one term; the final full stop may be missing.
///
/// # Errors
/// If the text is anything but one term.
pub fn read_term(text: &str, symbols: &mut SymbolTable) -> Result<Term, ReadErrors> {
    let mut reader = Reader::new(text, Dialect::Prolog).with_optional_end();
    let term = reader.next_term(symbols).map_err(ReadErrors::from)?;
    let Some((term, _)) = term else {
        return Err(ReadError::at(
            text,
            text.len(),
            ReadErrorKind::TermExpected("the end of the text".into()),
        )
        .into());
    };
    match reader.next_term(symbols).map_err(ReadErrors::from)? {
        None => Ok(term),
        Some((_, offset)) => {
            Err(ReadError::at(text, offset, ReadErrorKind::OneTermExpected).into())
        }
    }
}
