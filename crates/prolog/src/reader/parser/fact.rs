use super::Reader;
use crate::reader::lexer::Token;
use crate::reader::{Sentence, SentenceKind};
use crate::term::{Atom, Clause, SymbolTable, Term};

/// Deepest nesting of arguments on the short cut.
const MAX_DEPTH: usize = 8;
/// Numbers with at most this many digits fit into 64 bits.
const MAX_DIGITS: usize = 18;

/// A short cut for what background files mostly consist of: facts whose arguments are plain names,
/// integers and such terms with arguments.
impl Reader<'_> {
    /// The next sentence if it is such a fact; otherwise `None`, and nothing is read.
    pub(super) fn plain_fact(&mut self, symbols: &mut SymbolTable) -> Option<Sentence> {
        self.lexer.skip_blank().ok()?;
        let start = self.lexer.position();
        let mut scanner = Scanner {
            text: self.lexer.text(),
            at: start,
            terms: std::mem::take(&mut self.scratch),
        };
        scanner.terms.clear();
        let head = scanner.head(symbols);
        let at = scanner.at;
        self.scratch = scanner.terms;
        let head = head?;
        self.lexer.go_to_end(at)?;
        self.token = Token::End;
        Some(Sentence {
            kind: SentenceKind::Clause(Clause::fact(head)),
            offset: start,
        })
    }
}

/// Reads plain terms byte by byte.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// Arguments of the terms that are still open.
    terms: Vec<Term>,
}

impl<'t> Scanner<'t> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// A name in lower case.
    fn name(&mut self) -> Option<&'t str> {
        let rest = &self.text.as_bytes()[self.at..];
        if !rest.first()?.is_ascii_lowercase() {
            return None;
        }
        let length = rest
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
        // What follows decides: other alphabets go the long way.
        if rest[length] >= 0x80 {
            return None;
        }
        let name = &self.text[self.at..self.at + length];
        self.at += length;
        Some(name)
    }

    fn head(&mut self, symbols: &mut SymbolTable) -> Option<Atom> {
        let name = self.name()?;
        (self.byte() == Some(b'(')).then_some(())?;
        let name = symbols.intern(name);
        self.arguments(symbols, MAX_DEPTH)?;
        Some(Atom {
            name,
            args: self.terms.drain(..).collect(),
        })
    }

    /// Pushes the arguments in brackets.
    fn arguments(&mut self, symbols: &mut SymbolTable, depth: usize) -> Option<()> {
        loop {
            // Past the opening bracket or the comma.
            self.at += 1;
            while self.byte() == Some(b' ') {
                self.at += 1;
            }
            let term = self.term(symbols, depth)?;
            self.terms.push(term);
            match self.byte()? {
                b',' => {}
                b')' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    fn term(&mut self, symbols: &mut SymbolTable, depth: usize) -> Option<Term> {
        if self.byte()?.is_ascii_digit() {
            let rest = &self.text.as_bytes()[self.at..];
            let length = rest.iter().position(|byte| !byte.is_ascii_digit())?;
            if length > MAX_DIGITS {
                return None;
            }
            let value = self.text[self.at..self.at + length].parse().ok()?;
            self.at += length;
            return Some(Term::int(value));
        }
        let name = self.name()?;
        let symbol = symbols.intern(name);
        if self.byte() != Some(b'(') {
            return Some(Term::symbol(symbol));
        }
        let first = self.terms.len();
        self.arguments(symbols, depth.checked_sub(1)?)?;
        Some(Term::Compound(symbol, self.terms.drain(first..).collect()))
    }
}
