//! From tokens to sentences, one after the other.

mod expression;
mod fact;

use rustc_hash::FxHashMap;

use super::lexer::{Lexer, Token};
use super::{
    Dialect, Fixity, Operator, Operators, ReadError, ReadErrorKind, ReadErrors, Sentence,
    SentenceKind, clause_from_term, line_and_column,
};
use crate::term::{Constant, Height, SymbolTable, Term, Var};

/// The reader gives up after this many broken sentences.
const MAX_ERRORS: usize = 20;

/// Reads sentences or terms one after the other.
#[derive(Clone, Debug)]
pub struct Reader<'t> {
    lexer: Lexer<'t>,
    dialect: Dialect,
    operators: Operators,
    optional_end: bool,
    token: Token<'t>,
    offset: usize,
    vars: FxHashMap<&'t str, Var>,
    n_vars: u32,
    nesting: usize,
    /// The height of the term read last.
    height: Height,
    scratch: Vec<Term>,
}

impl<'t> Reader<'t> {
    /// A reader at the start of the text.
    pub fn new(text: &'t str, dialect: Dialect) -> Self {
        Self {
            lexer: Lexer::new(text, dialect),
            dialect,
            operators: Operators::default(),
            optional_end: false,
            token: Token::Eof,
            offset: 0,
            vars: FxHashMap::default(),
            n_vars: 0,
            nesting: 0,
            height: Height::default(),
            scratch: Vec::new(),
        }
    }

    /// Accepts a last term without a full stop.
    #[must_use]
    pub fn with_optional_end(mut self) -> Self {
        self.optional_end = true;
        self
    }

    /// Reads `#kind` and `-#kind` as mode declarations write them.
    #[must_use]
    pub fn with_mode_operators(mut self) -> Self {
        let operator = Operator {
            priority: 200,
            fixity: Fixity::Fy,
        };
        self.operators.declare("#", operator);
        self.operators.declare("-#", operator);
        self
    }

    /// All sentences of the text.
    ///
    /// # Errors
    /// Every broken sentence (the first twenty).
    pub fn read_all(self, symbols: &mut SymbolTable) -> Result<Vec<Sentence>, ReadErrors> {
        let (sentences, errors) = self.read_sound(symbols);
        errors.into_result(sentences)
    }

    /// The sound sentences of the text, and the errors of the others (the first twenty).
    pub fn read_sound(mut self, symbols: &mut SymbolTable) -> (Vec<Sentence>, ReadErrors) {
        let mut sentences = Vec::new();
        let mut errors = ReadErrors::default();
        loop {
            match self.next_sentence(symbols) {
                Ok(Some(sentence)) => sentences.push(sentence),
                Ok(None) => break,
                Err(error) => {
                    errors.push(error);
                    if errors.len() == MAX_ERRORS {
                        break;
                    }
                }
            }
        }
        (sentences, errors)
    }

    /// The next sentence, `None` at the end of the text. After an error reading goes on behind the
    /// next full stop.
    ///
    /// # Errors
    /// What is wrong with the sentence.
    pub fn next_sentence(
        &mut self,
        symbols: &mut SymbolTable,
    ) -> Result<Option<Sentence>, ReadError> {
        if let Some(fact) = self.plain_fact(symbols) {
            return Ok(Some(fact));
        }
        let Some((term, offset)) = self.next_term(symbols)? else {
            return Ok(None);
        };
        let query = self.token == Token::QueryEnd;
        let kind = match &term {
            Term::Compound(name, args)
                if args.len() == 1 && matches!(symbols.name(*name), ":-" | "?-" | "!-") =>
            {
                self.obey(&args[0], symbols);
                SentenceKind::Directive(args[0].clone())
            }
            _ if query => SentenceKind::Query(term),
            Term::Compound(name, args) if args.len() == 2 && symbols.name(*name) == "-->" => {
                return Err(self.error(offset, ReadErrorKind::GrammarRule));
            }
            _ => SentenceKind::Clause(
                clause_from_term(&term).map_err(|kind| self.head_error(offset, kind))?,
            ),
        };
        Ok(Some(Sentence { kind, offset }))
    }

    /// The next term and its byte offset, `None` at the end of the text.
    ///
    /// # Errors
    /// What is wrong with the term; reading goes on behind the next full stop.
    pub fn next_term(
        &mut self,
        symbols: &mut SymbolTable,
    ) -> Result<Option<(Term, usize)>, ReadError> {
        let result = self.try_term(symbols);
        if result.is_err() && !matches!(self.token, Token::End | Token::QueryEnd | Token::Eof) {
            self.lexer.skip_sentence();
        }
        result
    }

    fn try_term(&mut self, symbols: &mut SymbolTable) -> Result<Option<(Term, usize)>, ReadError> {
        self.vars.clear();
        self.n_vars = 0;
        self.nesting = 0;
        // A placeholder, so that an error in the first token is skipped like any other.
        self.token = Token::Comma;
        self.advance()?;
        // A full stop on its own, after a question mark.
        while self.dialect == Dialect::Progol && self.token == Token::End {
            self.advance()?;
        }
        let start = self.offset;
        if self.token == Token::Eof {
            return Ok(None);
        }
        let term = self.term(1200, symbols)?;
        match &self.token {
            Token::End | Token::QueryEnd => Ok(Some((term, start))),
            Token::Eof if self.optional_end => Ok(Some((term, start))),
            Token::Eof => {
                let (line, _) = line_and_column(self.lexer.text(), start);
                Err(self.error(self.offset, ReadErrorKind::MissingEnd { line }))
            }
            found => {
                let starts_line = self.lexer.text()[..self.offset]
                    .trim_end_matches([' ', '\t'])
                    .ends_with(['\n', '\r']);
                let found = found.describe();
                let (line, _) = line_and_column(self.lexer.text(), start);
                Err(self.error(
                    self.offset,
                    if starts_line {
                        ReadErrorKind::MissingEnd { line }
                    } else {
                        ReadErrorKind::Expected {
                            expected: if self.token == Token::Name(".".into()) {
                                "white space after the full stop of a clause".into()
                            } else {
                                "an operator or a full stop".into()
                            },
                            found,
                        }
                    },
                ))
            }
        }
    }

    fn error(&self, offset: usize, kind: ReadErrorKind) -> ReadError {
        ReadError::at(self.lexer.text(), offset, kind)
    }

    fn head_error(&self, offset: usize, kind: ReadErrorKind) -> ReadError {
        let text = &self.lexer.text()[offset..];
        let name: String = text
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if kind == ReadErrorKind::NotAPredicate && name.starts_with(char::is_uppercase) {
            let lower = name.to_lowercase();
            return self.error(offset, ReadErrorKind::CapitalizedPredicate(name, lower));
        }
        self.error(offset, kind)
    }

    fn advance(&mut self) -> Result<(), ReadError> {
        let (token, offset) = self.lexer.next()?;
        self.token = token;
        self.offset = offset;
        Ok(())
    }

    fn expect(&mut self, token: &Token<'_>, expected: &str) -> Result<(), ReadError> {
        if self.token == *token {
            return self.advance();
        }
        Err(self.error(
            self.offset,
            ReadErrorKind::Expected {
                expected: expected.into(),
                found: self.token.describe(),
            },
        ))
    }

    fn obey(&mut self, directive: &Term, symbols: &SymbolTable) {
        let Term::Compound(name, args) = directive else {
            return;
        };
        let [
            Term::Const(Constant::Int(priority)),
            Term::Const(Constant::Symbol(fixity)),
            Term::Const(Constant::Symbol(operator)),
        ] = &args[..]
        else {
            return;
        };
        let fixity = match symbols.name(*fixity) {
            "fx" => Fixity::Fx,
            "fy" => Fixity::Fy,
            "xfx" => Fixity::Xfx,
            "xfy" => Fixity::Xfy,
            "yfx" => Fixity::Yfx,
            _ => return,
        };
        if let Some(priority) = u16::try_from(*priority)
            .ok()
            .filter(|p| (1..=1200).contains(p))
            && symbols.name(*name) == "op"
        {
            self.operators
                .declare(symbols.name(*operator), Operator { priority, fixity });
        }
    }
}

#[cfg(test)]
mod tests;
