use std::sync::Arc;

use super::Reader;
use crate::reader::Dialect;
use crate::reader::lexer::Token;
use crate::reader::{Fixity, Operator, ReadError, ReadErrorKind};
use crate::term::{
    Constant, Height, MAX_LIST_LENGTH, MAX_NESTING, Real, Symbol, SymbolTable, Term, Var,
};

/// Terms: operator precedence, names with arguments, lists.
impl<'t> Reader<'t> {
    /// Operator precedence parsing: a primary, then infix operators of at most `max` priority.
    pub(super) fn term(&mut self, max: u16, symbols: &mut SymbolTable) -> Result<Term, ReadError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.error(self.offset, ReadErrorKind::TooDeep(MAX_NESTING)));
        }
        let (mut left, mut left_priority) = self.primary(max, symbols)?;
        let mut height = self.height;
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
            height = self.over(functor, [height, self.height])?;
            left = Term::Compound(functor, Arc::from([left, right]));
            left_priority = priority;
        }
        self.nesting -= 1;
        self.height = height;
        Ok(left)
    }

    /// The height of a term over these arguments, if it may be that high.
    fn over(
        &self,
        functor: Symbol,
        args: impl IntoIterator<Item = Height>,
    ) -> Result<Height, ReadError> {
        let height = Height::over(functor, args);
        if height.fits() {
            return Ok(height);
        }
        Err(self.error(self.offset, ReadErrorKind::TooDeep(MAX_NESTING)))
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
            | Token::Codes(_)
            | Token::Open
            | Token::Arguments
            | Token::OpenList
            | Token::OpenCurly => true,
            _ => false,
        }
    }

    fn primary(&mut self, max: u16, symbols: &mut SymbolTable) -> Result<(Term, u16), ReadError> {
        let offset = self.offset;
        self.height = Height::default();
        // Taking the token avoids a copy of its text; the comma is only there until the next token
        // is read.
        let token = std::mem::replace(&mut self.token, Token::Comma);
        let term = match token {
            // Only after a minus sign.
            Token::Int(i64::MIN) => {
                let number = i64::MIN.unsigned_abs().to_string();
                return Err(self.error(offset, ReadErrorKind::NumberTooLarge(number)));
            }
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
            Token::Codes(text) => {
                let codes: Vec<Term> = text
                    .chars()
                    .map(|c| Term::int(u32::from(c).into()))
                    .collect();
                // A list is as deep as it is long, and so is the recursion over it.
                if codes.len() > MAX_LIST_LENGTH {
                    return Err(self.error(offset, ReadErrorKind::ListTooLong(MAX_LIST_LENGTH)));
                }
                self.advance()?;
                self.height = codes.iter().try_fold(self.height, |tail, _| {
                    self.over(Symbol::CONS, [Height::default(), tail])
                })?;
                let codes = codes.into_iter().rev();
                codes.fold(Term::NIL, |tail, code| Term::cons(code, tail))
            }
            Token::Var(name) => {
                let var = self.variable(name);
                let at_bracket = self.lexer.text()[offset + name.len()..].starts_with('(');
                self.advance()?;
                // `P(x)` would be a variable and then a syntax error; the message names the likely
                // cause, a capital.
                if at_bracket {
                    return Err(self.error(
                        offset,
                        ReadErrorKind::CapitalizedPredicate(name.to_owned(), name.to_lowercase()),
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
                self.height = self.over(Symbol::CURLY, [self.height])?;
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
            let args = self.arguments(functor, symbols)?;
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
                    return Ok((Term::int(value.wrapping_neg()), 0));
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
            self.height = self.over(functor, [self.height])?;
            return Ok((Term::Compound(functor, Arc::from([arg])), priority));
        }
        Ok((Term::symbol(symbols.intern(name)), 0))
    }

    fn arguments(
        &mut self,
        functor: Symbol,
        symbols: &mut SymbolTable,
    ) -> Result<Arc<[Term]>, ReadError> {
        let mut args: Vec<Term> = Vec::with_capacity(8);
        let mut heights: Vec<Height> = Vec::with_capacity(8);
        loop {
            self.advance()?;
            if self.token == Token::Close && self.dialect == Dialect::Popper && !args.is_empty() {
                break;
            }
            args.push(self.term(999, symbols)?);
            heights.push(self.height);
            match self.token {
                Token::Comma => {}
                Token::Close => break,
                _ => self.expect(&Token::Close, "\",\" or \")\" in the arguments")?,
            }
        }
        self.advance()?;
        self.height = self.over(functor, heights)?;
        Ok(args.into())
    }

    fn list(&mut self, symbols: &mut SymbolTable) -> Result<Term, ReadError> {
        let start = self.offset;
        let mut items = Vec::new();
        let tail = loop {
            self.advance()?;
            let item = self.term(999, symbols)?;
            items.push((item, self.height));
            if items.len() > MAX_LIST_LENGTH {
                return Err(self.error(start, ReadErrorKind::ListTooLong(MAX_LIST_LENGTH)));
            }
            match self.token {
                Token::Comma => {}
                Token::Bar => {
                    self.advance()?;
                    break self.term(999, symbols)?;
                }
                _ => {
                    self.height = Height::default();
                    break Term::NIL;
                }
            }
        };
        self.expect(&Token::CloseList, "\",\", \"|\" or \"]\" in the list")?;
        let mut heights = items.iter().rev().map(|(_, height)| *height);
        self.height = heights.try_fold(self.height, |tail, head| {
            self.over(Symbol::CONS, [head, tail])
        })?;
        let heads = items.into_iter().rev().map(|(head, _)| head);
        Ok(heads.fold(tail, |tail, head| Term::cons(head, tail)))
    }

    fn variable(&mut self, name: &'t str) -> Var {
        let next = Var(self.n_vars);
        let var = match name {
            "_" => next,
            name => *self.vars.entry(name).or_insert(next),
        };
        if var == next {
            self.n_vars += 1;
        }
        var
    }
}
