//! Tokens of Prolog text.

mod number;

use std::borrow::Cow;

use super::{Dialect, ReadError, ReadErrorKind};

/// A token; names borrow from the text wherever no escape sequence has to be resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    /// A lower-case name, a symbol such as `:-`, or one of `! ; [] {}`.
    Name(Cow<'t, str>),
    /// A name in single quotes.
    Quoted(Cow<'t, str>),
    /// A variable, `_` included.
    Var(&'t str),
    Int(i64),
    Real(f64),
    /// Text in double quotes.
    Text(Cow<'t, str>),
    /// Text in back quotes, which stands for the list of its character codes.
    Codes(Cow<'t, str>),
    /// `(` directly after a name: the start of arguments.
    Arguments,
    Open,
    Close,
    OpenList,
    CloseList,
    OpenCurly,
    CloseCurly,
    Comma,
    Bar,
    /// The full stop after a clause.
    End,
    /// The question mark that ends a directive of Progol.
    QueryEnd,
    /// The end of the text.
    Eof,
}

impl Token<'_> {
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Name(name) | Token::Quoted(name) => format!("{name:?}"),
            Token::Var(name) => format!("the variable {name}"),
            Token::Int(value) => format!("the number {value}"),
            Token::Real(value) => format!("the number {value}"),
            Token::Text(_) => "a string".into(),
            Token::Codes(_) => "a list of character codes".into(),
            Token::Arguments | Token::Open => "\"(\"".into(),
            Token::Close => "\")\"".into(),
            Token::OpenList => "\"[\"".into(),
            Token::CloseList => "\"]\"".into(),
            Token::OpenCurly => "\"{\"".into(),
            Token::CloseCurly => "\"}\"".into(),
            Token::Comma => "\",\"".into(),
            Token::Bar => "\"|\"".into(),
            Token::End => "the end of the clause".into(),
            Token::QueryEnd => "\"?\"".into(),
            Token::Eof => "the end of the text".into(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    offset: usize,
    dialect: Dialect,
    after_name: bool,
    at_start: bool,
}

const SYMBOL_CHARS: &[u8] = b"+-*/\\^<>=~:.?@#&$";

fn is_symbol_char(byte: u8) -> bool {
    SYMBOL_CHARS.contains(&byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect) -> Self {
        Self {
            text,
            offset: 0,
            dialect,
            after_name: false,
            at_start: true,
        }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Byte offset of what is read next.
    pub(super) fn position(&self) -> usize {
        self.offset
    }

    /// Goes on behind the full stop at `offset`; `None`, without moving, if there is none.
    pub(super) fn go_to_end(&mut self, offset: usize) -> Option<()> {
        if self.byte(offset) != Some(b'.') || !self.ends_sentence(offset + 1) {
            return None;
        }
        self.offset = offset + 1;
        self.after_name = false;
        self.at_start = true;
        Some(())
    }

    /// Whether an opening bracket follows directly.
    pub(super) fn at_bracket(&self) -> bool {
        self.byte(self.offset) == Some(b'(')
    }

    /// Goes on behind the next full stop, after an error.
    pub(super) fn skip_sentence(&mut self) {
        let mut before = self.offset;
        loop {
            match self.next() {
                Ok((Token::End | Token::QueryEnd | Token::Eof, _)) => return,
                Ok(_) => {}
                Err(_) => {
                    // A broken token: step over one character, so that the end is reached.
                    self.offset = self.offset.max(before + 1).min(self.text.len());
                    self.offset = self.text.ceil_char_boundary(self.offset);
                }
            }
            before = self.offset;
        }
    }

    fn error(&self, offset: usize, kind: ReadErrorKind) -> ReadError {
        ReadError::at(self.text, offset, kind)
    }

    fn byte(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(offset).copied()
    }

    pub(super) fn skip_blank(&mut self) -> Result<(), ReadError> {
        loop {
            match self.byte(self.offset) {
                Some(byte) if byte.is_ascii_whitespace() => {
                    self.offset += 1;
                    self.after_name = false;
                }
                Some(b'%') => {
                    let rest = &self.text.as_bytes()[self.offset..];
                    self.offset += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    self.after_name = false;
                }
                Some(b'/') if self.byte(self.offset + 1) == Some(b'*') => {
                    let Some(length) = self.text[self.offset + 2..].find("*/") else {
                        return Err(self.error(self.offset, ReadErrorKind::OpenComment));
                    };
                    self.offset += 2 + length + 2;
                    self.after_name = false;
                }
                Some(byte) if byte >= 0x80 => {
                    let blank = self.text[self.offset..]
                        .chars()
                        .next()
                        .filter(|c| c.is_whitespace() || *c == '\u{feff}');
                    match blank {
                        Some(c) => self.offset += c.len_utf8(),
                        None => return Ok(()),
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// The next token and where it starts.
    pub(super) fn next(&mut self) -> Result<(Token<'t>, usize), ReadError> {
        self.skip_blank()?;
        let start = self.offset;
        let after_name = std::mem::replace(&mut self.after_name, false);
        let at_start = std::mem::replace(&mut self.at_start, false);
        let Some(byte) = self.byte(start) else {
            return Ok((Token::Eof, start));
        };
        let token = match byte {
            b'a'..=b'z' => {
                self.after_name = true;
                Token::Name(Cow::Borrowed(self.name()))
            }
            b'A'..=b'Z' | b'_' => Token::Var(self.name()),
            b'0'..=b'9' => self.number()?,
            b'\'' => {
                let text = self.quotation('\'')?;
                self.after_name = true;
                Token::Quoted(text)
            }
            b'"' => Token::Text(self.quotation('"')?),
            b'`' => Token::Codes(self.quotation('`')?),
            b'(' => self.single(if after_name {
                Token::Arguments
            } else {
                Token::Open
            }),
            b')' => self.single(Token::Close),
            b'[' => {
                if self.byte(start + 1) == Some(b']') {
                    self.offset += 2;
                    Token::Name(Cow::Borrowed("[]"))
                } else {
                    self.single(Token::OpenList)
                }
            }
            b']' => self.single(Token::CloseList),
            b'{' => {
                if self.byte(start + 1) == Some(b'}') {
                    self.offset += 2;
                    Token::Name(Cow::Borrowed("{}"))
                } else {
                    self.single(Token::OpenCurly)
                }
            }
            b'}' => self.single(Token::CloseCurly),
            b',' => self.single(Token::Comma),
            b'|' => self.single(Token::Bar),
            // Golem's directives; elsewhere a cut and a minus sign.
            b'!' if at_start && self.byte(start + 1) == Some(b'-') => {
                self.offset += 2;
                Token::Name(Cow::Borrowed("!-"))
            }
            b'!' | b';' => {
                self.offset += 1;
                self.after_name = true;
                Token::Name(Cow::Borrowed(&self.text[start..=start]))
            }
            b'.' if self.ends_sentence(start + 1) => {
                self.at_start = true;
                self.single(Token::End)
            }
            b'?' if self.dialect == Dialect::Progol && self.ends_sentence(start + 1) => {
                self.at_start = true;
                self.single(Token::QueryEnd)
            }
            // A full stop after the question mark says nothing more.
            b'?' if self.dialect == Dialect::Progol
                && self.byte(start + 1) == Some(b'.')
                && self.ends_sentence(start + 2) =>
            {
                self.at_start = true;
                self.offset += 1;
                self.single(Token::QueryEnd)
            }
            _ if is_symbol_char(byte) => {
                while self.byte(self.offset).is_some_and(is_symbol_char) {
                    self.offset += 1;
                }
                self.after_name = true;
                Token::Name(Cow::Borrowed(&self.text[start..self.offset]))
            }
            _ => {
                let c = self.text[start..].chars().next().unwrap_or('\0');
                if c.is_alphabetic() {
                    let name = self.name();
                    if c.is_uppercase() {
                        Token::Var(name)
                    } else {
                        self.after_name = true;
                        Token::Name(Cow::Borrowed(name))
                    }
                } else {
                    self.offset += c.len_utf8();
                    return Err(self.error(start, ReadErrorKind::BadCharacter(c)));
                }
            }
        };
        Ok((token, start))
    }

    fn single(&mut self, token: Token<'t>) -> Token<'t> {
        self.offset += 1;
        token
    }

    fn ends_sentence(&self, offset: usize) -> bool {
        // Facts of answer set programming may follow each other without a blank.
        let begins = |byte: u8| self.dialect == Dialect::Popper && byte.is_ascii_lowercase();
        self.byte(offset)
            .is_none_or(|byte| byte.is_ascii_whitespace() || byte == b'%' || begins(byte))
    }

    fn name(&mut self) -> &'t str {
        let start = self.offset;
        while self.byte(self.offset).is_some_and(is_name_byte) {
            self.offset += 1;
        }
        &self.text[start..self.offset]
    }

    fn quotation(&mut self, quote: char) -> Result<Cow<'t, str>, ReadError> {
        let start = self.offset;
        let open = |lexer: &Self| lexer.error(start, ReadErrorKind::OpenQuote(quote));
        self.offset += 1;
        let body = self.offset;
        let mut owned: Option<String> = None;
        loop {
            let here = self.offset;
            let Some(c) = self.text[here..].chars().next() else {
                self.offset = self.text.len();
                return Err(open(self));
            };
            self.offset += c.len_utf8();
            if c == quote {
                if self.text[self.offset..].starts_with(quote) {
                    owned
                        .get_or_insert_with(|| self.text[body..here].to_owned())
                        .push(quote);
                    self.offset += 1;
                    continue;
                }
                return Ok(match owned {
                    Some(text) => Cow::Owned(text),
                    None => Cow::Borrowed(&self.text[body..here]),
                });
            }
            if c == '\\' {
                let mut text = owned
                    .take()
                    .unwrap_or_else(|| self.text[body..here].to_owned());
                if let Some(resolved) = self.escape(here)? {
                    text.push(resolved);
                }
                owned = Some(text);
            } else if let Some(text) = &mut owned {
                text.push(c);
            }
        }
    }

    /// The character an escape sequence stands for; `None` for a line continuation.
    fn escape(&mut self, start: usize) -> Result<Option<char>, ReadError> {
        let Some(c) = self.text[self.offset..].chars().next() else {
            return Err(self.error(start, ReadErrorKind::BadEscape(String::new())));
        };
        self.offset += c.len_utf8();
        let simple = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0'..='7' | 'x' => {
                let radix = if c == 'x' { 16 } else { 8 };
                let first = if c == 'x' {
                    self.offset
                } else {
                    self.offset - 1
                };
                let rest = &self.text[first..];
                let length = rest
                    .find(|d: char| !d.is_digit(radix))
                    .unwrap_or(rest.len());
                let code = u32::from_str_radix(&rest[..length], radix)
                    .ok()
                    .and_then(char::from_u32);
                self.offset = first + length;
                if self.byte(self.offset) == Some(b'\\') {
                    self.offset += 1;
                }
                return match code {
                    Some(code) => Ok(Some(code)),
                    None => Err(self.error(
                        start,
                        ReadErrorKind::BadEscape(self.text[start + 1..self.offset].to_owned()),
                    )),
                };
            }
            '\n' => return Ok(None),
            '\\' | '\'' | '"' | '`' => c,
            _ => return Err(self.error(start, ReadErrorKind::BadEscape(c.to_string()))),
        };
        Ok(Some(simple))
    }
}
