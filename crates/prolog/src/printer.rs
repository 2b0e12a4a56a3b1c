//! Printing of terms and clauses as Prolog text.
//!
//! The text reads back as the same term, here and in SWI-Prolog: names are quoted and operators
//! bracketed where necessary, and variables are named `A`, `B`, …, `Z`, `A1`, … by their number.

use std::fmt::{self, Write as _};

use crate::reader::{Fixity, Operator, Operators};
use crate::term::{Atom, Clause, Constant, Literal, Symbol, SymbolTable, Term, Var};

/// A value that displays as Prolog text, with the names of a symbol table.
#[derive(Clone, Copy, Debug)]
pub struct PrologText<'a, T> {
    value: &'a T,
    symbols: &'a SymbolTable,
}

/// The term as Prolog text.
pub fn print_term<'a>(term: &'a Term, symbols: &'a SymbolTable) -> PrologText<'a, Term> {
    PrologText {
        value: term,
        symbols,
    }
}

/// The atom as Prolog text.
pub fn print_atom<'a>(atom: &'a Atom, symbols: &'a SymbolTable) -> PrologText<'a, Atom> {
    PrologText {
        value: atom,
        symbols,
    }
}

/// The literal as Prolog text.
pub fn print_literal<'a>(
    literal: &'a Literal,
    symbols: &'a SymbolTable,
) -> PrologText<'a, Literal> {
    PrologText {
        value: literal,
        symbols,
    }
}

/// The clause as Prolog text on one line, with its full stop.
///
/// # Examples
/// ```
/// # use kibitz_prolog::{SymbolTable, read_clause, print_clause};
/// let mut symbols = SymbolTable::new();
/// let clause = read_clause("illegal(X,Y,X,Z) :- \\+ between(Y,Z)", &mut symbols)?;
/// assert_eq!(
///     print_clause(&clause, &symbols).to_string(),
///     "illegal(A,B,A,C) :- \\+ between(B,C)."
/// );
/// # Ok::<(), kibitz_prolog::ReadErrors>(())
/// ```
pub fn print_clause<'a>(clause: &'a Clause, symbols: &'a SymbolTable) -> PrologText<'a, Clause> {
    PrologText {
        value: clause,
        symbols,
    }
}

impl fmt::Display for PrologText<'_, Term> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Writer::new(self.symbols).write(f, |w| w.term(self.value, 1200))
    }
}

impl fmt::Display for PrologText<'_, Atom> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Writer::new(self.symbols).write(f, |w| w.atom(self.value, 1200))
    }
}

impl fmt::Display for PrologText<'_, Literal> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Writer::new(self.symbols).write(f, |w| w.literal(self.value))
    }
}

impl fmt::Display for PrologText<'_, Clause> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Writer::new(self.symbols).write(f, |w| {
            w.atom(&self.value.head, 1199);
            for (i, literal) in self.value.body.iter().enumerate() {
                w.push(if i == 0 { " :- " } else { ", " });
                w.literal(literal);
            }
            if w.out.ends_with(is_symbolic) {
                w.out.push(' ');
            }
            w.out.push('.');
        })
    }
}

/// A variable's name: `A` to `Z`, then `A1` to `Z1`, and so on.
pub(crate) fn var_name(var: Var) -> String {
    let letter = char::from(b'A' + u8::try_from(var.0 % 26).unwrap_or(0));
    match var.0 / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn is_symbolic(c: char) -> bool {
    "+-*/\\^<>=~:.?@#&$".contains(c)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Writer<'a> {
    symbols: &'a SymbolTable,
    operators: Operators,
    out: String,
}

impl<'a> Writer<'a> {
    fn new(symbols: &'a SymbolTable) -> Self {
        Self {
            symbols,
            operators: Operators::default(),
            out: String::new(),
        }
    }

    fn write(mut self, f: &mut fmt::Formatter<'_>, fill: impl FnOnce(&mut Self)) -> fmt::Result {
        fill(&mut self);
        f.write_str(&self.out)
    }

    /// Appends a token, after a space if it would otherwise join the previous one.
    fn push(&mut self, token: &str) {
        if let (Some(last), Some(first)) = (self.out.chars().last(), token.chars().next())
            && ((is_word(last) && is_word(first))
                || (is_symbolic(last) && is_symbolic(first))
                // Golem reads `!-` as a directive.
                || (self.out == "!" && first == '-'))
        {
            self.out.push(' ');
        }
        self.out.push_str(token);
    }

    fn name(&mut self, name: &str) {
        let plain_word = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let plain_symbol = !name.is_empty()
            && name.chars().all(is_symbolic)
            && name != "."
            && !name.starts_with("/*");
        if plain_word || plain_symbol || matches!(name, "[]" | "{}" | "!" | ";") {
            self.push(name);
        } else {
            self.quoted(name, '\'');
        }
    }

    fn quoted(&mut self, text: &str, quote: char) {
        let mut token = String::from(quote);
        for c in text.chars() {
            match c {
                '\\' => token.push_str("\\\\"),
                '\n' => token.push_str("\\n"),
                '\t' => token.push_str("\\t"),
                c if c == quote => {
                    token.push('\\');
                    token.push(c);
                }
                c if c.is_control() => {
                    // Writing to a string cannot fail.
                    let _ = write!(token, "\\x{:x}\\", u32::from(c));
                }
                c => token.push(c),
            }
        }
        token.push(quote);
        self.push(&token);
    }

    fn constant(&mut self, constant: Constant) {
        match constant {
            Constant::Int(value) => self.push(&value.to_string()),
            Constant::Real(value) if value.0.is_infinite() => {
                let sign = if value.0 < 0.0 { "-" } else { "" };
                self.push(&format!("{sign}1.0Inf"));
            }
            Constant::Real(value) => self.push(&format!("{:?}", value.0)),
            Constant::Symbol(symbol) => self.name(self.symbols.name(symbol)),
            Constant::Text(symbol) => self.quoted(self.symbols.name(symbol), '"'),
        }
    }

    fn term(&mut self, term: &Term, max: u16) {
        match term {
            Term::Var(var) => self.push(&var_name(*var)),
            Term::Const(Constant::Symbol(symbol)) => {
                let name = self.symbols.name(*symbol);
                let operator =
                    self.operators.prefix(name).is_some() || self.operators.infix(name).is_some();
                // A bare operator is bracketed wherever it could be read as one.
                if operator && max < 1200 && max != 999 {
                    self.push("(");
                    self.name(name);
                    self.out.push(')');
                } else {
                    self.name(name);
                }
            }
            Term::Const(constant) => self.constant(*constant),
            Term::Compound(Symbol::CONS, args) if args.len() == 2 => self.list(args),
            Term::Compound(Symbol::CURLY, args) if args.len() == 1 => {
                self.push("{");
                self.term(&args[0], 1200);
                self.out.push('}');
            }
            Term::Compound(functor, args) => self.compound(*functor, args, max),
        }
    }

    fn atom(&mut self, atom: &Atom, max: u16) {
        match &atom.args[..] {
            [] => self.term(&Term::symbol(atom.name), max),
            args => self.compound(atom.name, args, max),
        }
    }

    fn literal(&mut self, literal: &Literal) {
        if literal.positive {
            self.atom(&literal.atom, 999);
        } else {
            self.push("\\+");
            self.out.push(' ');
            self.atom(&literal.atom, 900);
        }
    }

    fn compound(&mut self, functor: Symbol, args: &[Term], max: u16) {
        let name = self.symbols.name(functor);
        match args {
            [left, right] => {
                // An infix bar would be read as a disjunction.
                if let Some(operator) = self.operators.infix(name).filter(|_| name != "|") {
                    return self.infix(name, operator, left, right, max);
                }
            }
            [arg] => {
                if let Some(operator) = self.operators.prefix(name)
                    && !(matches!(name, "-" | "+") && is_number(arg))
                {
                    return self.prefix(name, operator, arg, max);
                }
            }
            _ => {}
        }
        if matches!(name, "[]" | "{}") {
            self.quoted(name, '\'');
        } else {
            self.name(name);
        }
        self.out.push('(');
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            self.term(arg, 999);
        }
        self.out.push(')');
    }

    fn infix(&mut self, name: &str, operator: Operator, left: &Term, right: &Term, max: u16) {
        let Operator { priority, fixity } = operator;
        let bracket = priority > max;
        if bracket {
            self.push("(");
        }
        self.term(
            left,
            if fixity == Fixity::Yfx {
                priority
            } else {
                priority - 1
            },
        );
        match name {
            "," => self.out.push(','),
            _ if name.chars().all(is_symbolic) => self.push(name),
            _ => {
                self.out.push(' ');
                self.name(name);
                self.out.push(' ');
            }
        }
        self.term(
            right,
            if fixity == Fixity::Xfy {
                priority
            } else {
                priority - 1
            },
        );
        if bracket {
            self.out.push(')');
        }
    }

    fn prefix(&mut self, name: &str, operator: Operator, arg: &Term, max: u16) {
        let Operator { priority, fixity } = operator;
        let bracket = priority > max;
        if bracket {
            self.push("(");
        }
        self.name(name);
        let arg_max = if fixity == Fixity::Fy {
            priority
        } else {
            priority - 1
        };
        let start = self.out.len();
        self.term(arg, arg_max);
        // `name(` would start arguments, and `-` before digits would join the number.
        if self.out[start..].starts_with(|first: char| first == '(' || first.is_ascii_digit()) {
            self.out.insert(start, ' ');
        }
        if bracket {
            self.out.push(')');
        }
    }

    fn list(&mut self, args: &[Term]) {
        self.push("[");
        self.term(&args[0], 999);
        let mut rest = &args[1];
        loop {
            match rest {
                Term::Compound(Symbol::CONS, args) if args.len() == 2 => {
                    self.out.push(',');
                    self.term(&args[0], 999);
                    rest = &args[1];
                }
                Term::Const(Constant::Symbol(Symbol::NIL)) => break,
                other => {
                    self.out.push('|');
                    self.term(other, 999);
                    break;
                }
            }
        }
        self.out.push(']');
    }
}

fn is_number(term: &Term) -> bool {
    matches!(term, Term::Const(Constant::Int(_) | Constant::Real(_)))
}
