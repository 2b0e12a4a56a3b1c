//! Numbers: integers in several bases, codes of characters, and floating point numbers.

use std::borrow::Cow;

use super::{Lexer, Token, is_name_byte};
use crate::reader::{ReadError, ReadErrorKind};

/// The magnitude of the least integer.
const LEAST_MAGNITUDE: u64 = i64::MIN.unsigned_abs();

impl<'t> Lexer<'t> {
    /// Digits, which may stand in groups, as in `1_000_000`.
    fn digits(&mut self, radix: u32) {
        let is_digit = |byte: Option<u8>| byte.is_some_and(|own| char::from(own).is_digit(radix));
        loop {
            if is_digit(self.byte(self.offset)) {
                self.offset += 1;
            } else if self.byte(self.offset) == Some(b'_') && is_digit(self.byte(self.offset + 1)) {
                self.offset += 2;
            } else {
                return;
            }
        }
    }

    /// What follows `0'`: a character, an escape sequence, or a quote that is doubled.
    fn character_code(&mut self) -> Result<Option<Token<'t>>, ReadError> {
        let start = self.offset;
        let rest = &self.text[start + 2..];
        let Some(c) = rest.chars().next() else {
            return Ok(None);
        };
        self.offset = start + 2 + c.len_utf8();
        let code = match c {
            '\'' if rest.starts_with("''") => {
                self.offset += 1;
                c
            }
            '\\' => match self.escape(start)? {
                Some(code) => code,
                None => return Err(self.error(start, ReadErrorKind::BadEscape("\n".into()))),
            },
            _ => c,
        };
        Ok(Some(Token::Int(u32::from(code).into())))
    }

    /// An integer in base 16, 8 or 2, as in `0xff`, if there is one.
    fn based_number(&mut self) -> Option<Result<Token<'t>, ReadError>> {
        let start = self.offset;
        let radix = match self.byte(start + 1)? {
            b'x' => 16,
            b'o' => 8,
            b'b' => 2,
            _ => return None,
        };
        if !char::from(self.byte(start + 2)?).is_digit(radix) {
            return None;
        }
        self.offset = start + 2;
        self.digits(radix);
        let text = &self.text[start..self.offset];
        let value = i64::from_str_radix(&text[2..].replace('_', ""), radix);
        let too_large = |_| self.error(start, ReadErrorKind::NumberTooLarge(text.to_owned()));
        Some(value.map(Token::Int).map_err(too_large))
    }

    pub(super) fn number(&mut self) -> Result<Token<'t>, ReadError> {
        let start = self.offset;
        if self.byte(start) == Some(b'0') {
            if self.byte(start + 1) == Some(b'\'')
                && let Some(code) = self.character_code()?
            {
                return Ok(code);
            }
            if let Some(number) = self.based_number() {
                return number;
            }
        }
        self.digits(10);
        let digit_at = |offset| {
            self.byte(offset)
                .is_some_and(|byte: u8| byte.is_ascii_digit())
        };
        let mut real = false;
        if self.byte(self.offset) == Some(b'.') && digit_at(self.offset + 1) {
            real = true;
            self.offset += 1;
            self.digits(10);
        }
        // As SWI-Prolog writes infinite numbers and NaN.
        let rest = &self.text[self.offset..];
        let is_named = |name: &str| {
            let after = rest.strip_prefix(name);
            after.is_some_and(|own| !own.bytes().next().is_some_and(is_name_byte))
        };
        if real && is_named("Inf") {
            self.offset += 3;
            return Ok(Token::Real(f64::INFINITY));
        }
        if real && is_named("NaN") {
            return Err(self.error(start, ReadErrorKind::NotANumber));
        }
        if matches!(self.byte(self.offset), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.byte(self.offset + 1), Some(b'+' | b'-')));
            if self
                .byte(self.offset + 1 + sign)
                .is_some_and(|byte| byte.is_ascii_digit())
            {
                real = true;
                self.offset += 1 + sign;
                self.digits(10);
            }
        }
        let written = &self.text[start..self.offset];
        let too_large = || self.error(start, ReadErrorKind::NumberTooLarge(written.to_owned()));
        let text = if written.contains('_') {
            Cow::Owned(written.replace('_', ""))
        } else {
            Cow::Borrowed(written)
        };
        if real {
            let value: f64 = text.parse().map_err(|_| too_large())?;
            if value.is_finite() {
                Ok(Token::Real(value))
            } else {
                Err(too_large())
            }
        } else {
            let value = match text.parse() {
                // One more than the greatest integer, which is there with a minus sign only: the parser
                // knows.
                Ok(LEAST_MAGNITUDE) => Ok(i64::MIN),
                Ok(value) => i64::try_from(value),
                Err(_) => return Err(too_large()),
            };
            value.map(Token::Int).map_err(|_| too_large())
        }
    }
}
