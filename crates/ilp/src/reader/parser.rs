use std::sync::Arc;

use super::lexer::{Lexer, Token};
use super::{
    Fixity, Operator, Operators, ReadError, ReadErrorKind, ReadErrors, Sentence, SentenceKind,
    clause_from_term,
};
use crate::term::{Constant, Real, Symbol, SymbolTable, Term, Var};

/// Deepest nesting of parentheses and operators that is read.
pub const MAX_NESTING: usize = 1_000;
/// Longest list that is read.
pub const MAX_LIST_LENGTH: usize = 10_000;
/// The reader gives up after this many broken sentences.
const MAX_ERRORS: usize = 20;

/// The variants of Prolog text that learners have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Plain Prolog; `!-` is accepted for `:-`, as Golem writes it.
    Prolog,
    /// Progol: directives end in `?`.
    Progol,
    /// Popper's bias files, which follow answer set programming: `(a,)` is a tuple of one.
    Popper,
}

/// Reads sentences or terms one after the other.
#[derive(Clone, Debug)]
pub struct Reader<'t> {
    lexer: Lexer<'t>,
    dialect: Dialect,
    operators: Operators,
    optional_end: bool,
    token: Token<'t>,
    offset: usize,
    vars: Vec<&'t str>,
    n_vars: u32,
    nesting: usize,
}

impl<'t> Reader<'t> {
    /// A reader at the start of the text.
    pub fn new(text: &'t str, dialect: Dialect) -> Self {
        Self {
            lexer: Lexer::new(text, dialect == Dialect::Progol),
            dialect,
            operators: Operators::default(),
            optional_end: false,
            token: Token::Eof,
            offset: 0,
            vars: Vec::new(),
            n_vars: 0,
            nesting: 0,
        }
    }

    /// Accepts a last term without a full stop.
    #[must_use]
    pub fn with_optional_end(mut self) -> Self {
        self.optional_end = true;
        self
    }

    /// All sentences of the text.
    ///
    /// # Errors
    /// Every broken sentence (the first twenty).
    pub fn read_all(mut self, symbols: &mut SymbolTable) -> Result<Vec<Sentence>, ReadErrors> {
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
        errors.into_result(sentences)
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
        let start = self.offset;
        if self.token == Token::Eof {
            return Ok(None);
        }
        let term = self.term(1200, symbols)?;
        match &self.token {
            Token::End | Token::QueryEnd => Ok(Some((term, start))),
            Token::Eof if self.optional_end => Ok(Some((term, start))),
            Token::Eof => {
                let line =
                    ReadError::at(self.lexer.text(), start, ReadErrorKind::NotAPredicate).line;
                Err(self.error(self.offset, ReadErrorKind::MissingEnd { line }))
            }
            found => {
                let starts_line = self.lexer.text()[..self.offset]
                    .trim_end_matches([' ', '\t'])
                    .ends_with(['\n', '\r']);
                let found = found.describe();
                let line =
                    ReadError::at(self.lexer.text(), start, ReadErrorKind::NotAPredicate).line;
                Err(self.error(
                    self.offset,
                    if starts_line {
                        ReadErrorKind::MissingEnd { line }
                    } else {
                        ReadErrorKind::Expected {
                            expected: "an operator or a full stop".into(),
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
            return self.error(offset, ReadErrorKind::CapitalisedPredicate(name, lower));
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

    /// Operator precedence parsing: a primary, then infix operators of at most `max` priority.
    fn term(&mut self, max: u16, symbols: &mut SymbolTable) -> Result<Term, ReadError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.error(self.offset, ReadErrorKind::TooDeep(MAX_NESTING)));
        }
        let (mut left, mut left_priority) = self.primary(max, symbols)?;
        loop {
            let name: &str = match &self.token {
                Token::Name(name) => name,
                Token::Comma => ",",
                Token::Bar => "|",
                _ => break,
            };
            let Some(Operator { priority, fixity }) = self.operators.infix(name) else {
                break;
            };
            let (left_max, right_max) = match fixity {
                Fixity::Xfy => (priority - 1, priority),
                Fixity::Yfx => (priority, priority - 1),
                _ => (priority - 1, priority - 1),
            };
            if priority > max || left_priority > left_max {
                break;
            }
            let functor = if name == "|" {
                Symbol::OR
            } else {
                symbols.intern(name)
            };
            self.advance()?;
            if self.dialect == Dialect::Popper
                && functor == Symbol::COMMA
                && self.token == Token::Close
            {
                break;
            }
            let right = self.term(right_max, symbols)?;
            left = Term::Compound(functor, Arc::from([left, right]));
            left_priority = priority;
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn starts_term(&self) -> bool {
        match &self.token {
            Token::Name(name) => {
                self.lexer.at_bracket()
                    || self.operators.infix(name).is_none()
                    || *name == "-"
                    || *name == "+"
            }
            Token::Quoted(_)
            | Token::Var(_)
            | Token::Int(_)
            | Token::Real(_)
            | Token::Text(_)
            | Token::Open
            | Token::Arguments
            | Token::OpenList
            | Token::OpenCurly => true,
            _ => false,
        }
    }

    fn primary(&mut self, max: u16, symbols: &mut SymbolTable) -> Result<(Term, u16), ReadError> {
        let offset = self.offset;
        let token = std::mem::replace(&mut self.token, Token::Comma);
        let term = match token {
            Token::Int(value) => {
                self.advance()?;
                Term::int(value)
            }
            Token::Real(value) => {
                self.advance()?;
                Term::Const(Constant::Real(Real(value)))
            }
            Token::Text(text) => {
                let symbol = symbols.intern(&text);
                self.advance()?;
                Term::Const(Constant::Text(symbol))
            }
            Token::Var(name) => {
                let var = self.variable(name);
                let at_bracket = self.lexer.text()[offset + name.len()..].starts_with('(');
                self.advance()?;
                if at_bracket {
                    return Err(self.error(
                        offset,
                        ReadErrorKind::CapitalisedPredicate(name.to_owned(), name.to_lowercase()),
                    ));
                }
                Term::Var(var)
            }
            Token::Open | Token::Arguments => {
                self.advance()?;
                let term = self.term(1200, symbols)?;
                self.expect(&Token::Close, "\")\" or an operator")?;
                term
            }
            Token::OpenCurly => {
                self.advance()?;
                let term = self.term(1200, symbols)?;
                self.expect(&Token::CloseCurly, "\"}\" or an operator")?;
                Term::compound(Symbol::CURLY, [term])
            }
            Token::OpenList => self.list(symbols)?,
            Token::Quoted(name) => return Ok((self.name(&name, true, max, symbols)?.0, 0)),
            Token::Name(name) => return self.name(&name, false, max, symbols),
            found => {
                let description = found.describe();
                self.token = found;
                return Err(self.error(offset, ReadErrorKind::TermExpected(description)));
            }
        };
        Ok((term, 0))
    }

    /// A name: with arguments, as a prefix operator, as the sign of a number, or alone.
    fn name(
        &mut self,
        name: &str,
        quoted: bool,
        max: u16,
        symbols: &mut SymbolTable,
    ) -> Result<(Term, u16), ReadError> {
        let after = self.lexer.clone();
        self.advance()?;
        if self.token == Token::Arguments {
            let functor = symbols.intern(name);
            let args = self.arguments(symbols)?;
            return Ok((Term::Compound(functor, args), 0));
        }
        if quoted {
            return Ok((Term::symbol(symbols.intern(name)), 0));
        }
        if name == "-" {
            // A minus sign directly before a number belongs to it.
            let adjacent = after.text().as_bytes().get(self.offset - 1) == Some(&b'-');
            match self.token {
                Token::Int(value) if adjacent => {
                    self.advance()?;
                    return Ok((Term::int(-value), 0));
                }
                Token::Real(value) if adjacent => {
                    self.advance()?;
                    return Ok((Term::Const(Constant::Real(Real(-value))), 0));
                }
                _ => {}
            }
        }
        if let Some(Operator { priority, fixity }) = self.operators.prefix(name)
            && self.starts_term()
        {
            let priority = priority.min(if priority > max { 999 } else { priority });
            let arg_max = if fixity == Fixity::Fy {
                priority
            } else {
                priority - 1
            };
            let functor = symbols.intern(name);
            let arg = self.term(arg_max, symbols)?;
            return Ok((Term::Compound(functor, Arc::from([arg])), priority));
        }
        Ok((Term::symbol(symbols.intern(name)), 0))
    }

    fn arguments(&mut self, symbols: &mut SymbolTable) -> Result<Arc<[Term]>, ReadError> {
        let mut args: Vec<Term> = Vec::with_capacity(8);
        loop {
            self.advance()?;
            if self.token == Token::Close && self.dialect == Dialect::Popper && !args.is_empty() {
                break;
            }
            args.push(self.term(999, symbols)?);
            match self.token {
                Token::Comma => {}
                Token::Close => break,
                _ => self.expect(&Token::Close, "\",\" or \")\" in the arguments")?,
            }
        }
        self.advance()?;
        Ok(args.into())
    }

    fn list(&mut self, symbols: &mut SymbolTable) -> Result<Term, ReadError> {
        let start = self.offset;
        let mut items = Vec::new();
        let tail = loop {
            self.advance()?;
            items.push(self.term(999, symbols)?);
            if items.len() > MAX_LIST_LENGTH {
                return Err(self.error(start, ReadErrorKind::ListTooLong(MAX_LIST_LENGTH)));
            }
            match self.token {
                Token::Comma => {}
                Token::Bar => {
                    self.advance()?;
                    break self.term(999, symbols)?;
                }
                _ => break Term::NIL,
            }
        };
        self.expect(&Token::CloseList, "\",\", \"|\" or \"]\" in the list")?;
        Ok(items
            .into_iter()
            .rev()
            .fold(tail, |tail, head| Term::cons(head, tail)))
    }

    fn variable(&mut self, name: &'t str) -> Var {
        if name != "_"
            && let Some(known) = self.vars.iter().position(|&own| own == name)
        {
            return Var(u32::try_from(known).unwrap_or(u32::MAX));
        }
        // Anonymous variables take a place too, so that places are variable numbers.
        self.vars.push(if name == "_" { "" } else { name });
        self.n_vars += 1;
        Var(self.n_vars - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{print_term, read_program, read_term};

    fn check(text: &str, expected: &str) {
        let mut symbols = SymbolTable::new();
        let term = read_term(text, &mut symbols).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(print_term(&term, &symbols).to_string(), expected, "{text}");
    }

    #[test]
    fn terms() {
        check("p(X, Y, X)", "p(A,B,A)");
        check("[1, -2, 3.5 | T]", "[1,-2,3.5|A]");
        check("- 1", "-(1)");
        check("1 - 1", "1-1");
        check("a - -1", "a- -1");
        check("X is 2 * (3 + 4)", "A is 2*(3+4)");
        check("1 - (2 - 3)", "1-(2-3)");
        check("(1 - 2) - 3", "1-2-3");
        check("\\+ (a, b)", "\\+ (a,b)");
        check(
            "'hello world'(\"text\", 'it''s', [])",
            "'hello world'(\"text\",'it\\'s',[])",
        );
        check("f(:-, [a|b], {x})", "f(:-,[a|b],{x})");
        check("a:b:c", "a:b:c");
        check("f((a:-b))", "f((a:-b))");
        check("0'a", "97");
        check("1.0e3", "1000.0");
        check("-(-(1))", "- -(1)");
        check("- a", "-a");
        check("p(_, _)", "p(A,B)");
    }

    #[test]
    fn errors_have_places() {
        let cases = [
            (
                "p(1.\nq(2).",
                "line 1, column 4: expected \",\" or \")\" in the arguments, found the end of the clause",
            ),
            (
                "p(1)\nq(2).",
                "line 2, column 1: the full stop that ends a clause is missing; the clause starts at line 1",
            ),
            (
                "p('a).",
                "line 1, column 3: the quotation opened here with ' is never closed",
            ),
            (
                "/* p.",
                "line 1, column 1: the comment opened here is never closed with */",
            ),
            (
                "Illegal(1, 2).",
                "line 1, column 1: the capitalised name Illegal is a variable, a predicate is expected; write illegal or 'Illegal'",
            ),
            (
                "X :- p.",
                "line 1, column 1: the capitalised name X is a variable, a predicate is expected; write x or 'X'",
            ),
            (
                "p(99999999999999999999).",
                "line 1, column 3: the number 99999999999999999999 does not fit into 64 bits",
            ),
            (
                "p :- q, 3.",
                "line 1, column 1: a number, string or variable cannot be a head or a condition",
            ),
            (
                "p(X) q(X).",
                "line 1, column 6: expected an operator or a full stop, found \"q\"",
            ),
            (
                "p(1)",
                "line 1, column 5: the full stop that ends a clause is missing; the clause starts at line 1",
            ),
            (
                "p('\\q').",
                "line 1, column 4: unknown escape sequence \\q in a quotation (use \\\\, \\', \\n, \\t or \\xHH\\)",
            ),
        ];
        for (text, expected) in cases {
            let mut symbols = SymbolTable::new();
            let errors = read_program(text, &mut symbols).expect_err(text);
            assert_eq!(errors.errors()[0].to_string(), expected, "{text}");
        }
    }

    #[test]
    fn reading_goes_on_after_an_error() {
        let mut symbols = SymbolTable::new();
        let errors = read_program("p(.\nq(1).\nr).\ns.", &mut symbols).expect_err("broken");
        let lines: Vec<usize> = errors.errors().iter().map(|error| error.line).collect();
        assert_eq!(lines, [1, 3]);
    }

    #[test]
    fn nesting_is_bounded() {
        let mut symbols = SymbolTable::new();
        let text = format!("p({}1{}).", "(".repeat(5_000), ")".repeat(5_000));
        let error = read_program(&text, &mut symbols).expect_err("too deep");
        assert_eq!(error.errors()[0].kind, ReadErrorKind::TooDeep(MAX_NESTING));
        let text = format!("p([{}]).", vec!["1"; 20_000].join(","));
        let error = read_program(&text, &mut symbols).expect_err("too long");
        assert_eq!(
            error.errors()[0].kind,
            ReadErrorKind::ListTooLong(MAX_LIST_LENGTH)
        );
    }

    #[test]
    fn dialects() {
        let mut symbols = SymbolTable::new();
        let text = ":- set(i,2)?\np(1).\n:- p(2).\n";
        let kinds = Reader::new(text, Dialect::Progol)
            .read_all(&mut symbols)
            .expect("valid");
        assert!(matches!(kinds[0].kind, SentenceKind::Directive(_)));
        assert!(matches!(kinds[1].kind, SentenceKind::Clause(_)));
        let text = "type(p,(t,)). type(q,(t,u)).";
        let kinds = Reader::new(text, Dialect::Popper)
            .read_all(&mut symbols)
            .expect("valid");
        assert_eq!(kinds.len(), 2);
        let text = ":- op(700, xfx, ===>).\na ===> b.";
        let kinds = read_program(text, &mut symbols).expect("valid");
        assert!(matches!(&kinds[1].kind, SentenceKind::Clause(c) if c.head.args.len() == 2));
    }
}
