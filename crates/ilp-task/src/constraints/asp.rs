//! The rules and constraints of answer set programming that Popper's bias files hold.

use std::ops::Range;

/// A statement that is no plain fact, as text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statement<'t> {
    /// Without its full stop.
    pub(crate) text: &'t str,
    /// Where it starts in the file.
    pub(crate) offset: usize,
}

/// A rule; a constraint has no head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) head: Option<Term>,
    pub(crate) body: Vec<Goal>,
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// An atom, as a term, or its negation.
    Atom { positive: bool, atom: Term },
    /// A comparison of two terms.
    Compare(Term, Comparison, Term),
    /// A comparison of the number of different tuples with a bound.
    Count(Vec<(Vec<Term>, Vec<Goal>)>, Comparison, Term),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A term; tuples have an empty name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Var(String),
    Int(i64),
    Compound(String, Vec<Term>),
    Sum(Box<Term>, Box<Term>),
    Difference(Box<Term>, Box<Term>),
}

impl Rule {
    /// The predicate of the head.
    pub(crate) fn head_name(&self) -> Option<&str> {
        match &self.head {
            Some(Term::Compound(name, _)) => Some(name),
            _ => None,
        }
    }

    /// Whether some goal of the body is of this predicate.
    pub(crate) fn mentions(&self, predicate: &str) -> bool {
        self.body.iter().any(|goal| {
            matches!(goal, Goal::Atom { atom: Term::Compound(name, _), .. } if name == predicate)
        })
    }
}

impl Goal {
    /// That a predicate occurs more than once in the body of a clause.
    pub(crate) fn more_than_once(predicate: &str) -> Self {
        let var = |name: &str| Term::Var(name.to_owned());
        let predicate = Term::Compound(predicate.to_owned(), Vec::new());
        let args = vec![var("C"), predicate, var("_"), var("Vars")];
        let atom = Term::Compound("body_literal".into(), args);
        let literal = Goal::Atom {
            positive: true,
            atom,
        };
        let element = (vec![var("Vars")], vec![literal]);
        Goal::Count(vec![element], Comparison::Greater, Term::Int(1))
    }
}

impl Comparison {
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The comparison with its sides changed.
    fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }
}

/// The statements of a bias file that are no plain facts, and the text with blanks in their places.
pub(crate) fn split(text: &str) -> (Vec<Statement<'_>>, String) {
    let mut statements = Vec::new();
    let mut facts = text.as_bytes().to_vec();
    for Range { start, end } in sentences(text) {
        let sentence = &text[start..end];
        if !is_rule(sentence) {
            continue;
        }
        let trimmed = sentence.trim_start();
        statements.push(Statement {
            text: trimmed.strip_suffix('.').unwrap_or(trimmed),
            offset: start + sentence.len() - trimmed.len(),
        });
        for byte in &mut facts[start..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    // Whole characters were replaced.
    (statements, String::from_utf8_lossy(&facts).into_owned())
}

/// Where the sentences stand, each without the comments before it and with its full stop.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut start, mut at) = (None, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'%' => {
                let rest = &text[at..];
                let is_block = rest.starts_with("%*");
                let end = if is_block {
                    rest.find("*%")
                } else {
                    rest.find('\n')
                };
                at += end.map_or(rest.len(), |end| end + if is_block { 2 } else { 1 });
                continue;
            }
            quote @ (b'"' | b'\'') => {
                start = start.or(Some(at));
                let rest = &bytes[at + 1..];
                at += 1 + rest
                    .iter()
                    .position(|&own| own == quote)
                    .unwrap_or(rest.len());
            }
            b'.' if bytes.get(at + 1) == Some(&b'.') => at += 1,
            b'.' => {
                found.push(start.take().unwrap_or(at)..at + 1);
            }
            byte if !byte.is_ascii_whitespace() => start = start.or(Some(at)),
            _ => {}
        }
        at += 1;
    }
    found.extend(start.map(|start| start..text.len()));
    found
}

/// Whether a sentence has what a fact has not.
fn is_rule(sentence: &str) -> bool {
    let mut quote = None;
    sentence.char_indices().any(|(at, c)| {
        if let Some(own) = quote {
            if c == own {
                quote = None;
            }
            return false;
        }
        if matches!(c, '"' | '\'') {
            quote = Some(c);
        }
        let is_mark = |mark: &&str| sentence[at..].starts_with(*mark);
        [":-", ":~", "#", "{", ".."].iter().any(is_mark)
    })
}

impl Statement<'_> {
    /// The rules that it stands for, one for each head; `None` if it is of another kind.
    pub(crate) fn rule(&self) -> Option<Rule> {
        let mut parser = Parser::new(self.text)?;
        let head = if parser.eat(":-") {
            None
        } else {
            let head = parser.term()?;
            if !parser.eat(":-") {
                return None;
            }
            Some(head)
        };
        let body = parser.body(None)?;
        parser.is_done().then_some(Rule { head, body })
    }
}

const SYMBOLS: [&str; 18] = [
    ":-", "!=", "<>", "<=", ">=", "==", "=", "<", ">", "(", ")", "{", "}", ",", ";", ":", "+", "-",
];

struct Parser<'t> {
    tokens: Vec<&'t str>,
    at: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Option<Self> {
        let mut tokens = Vec::new();
        let mut rest = text;
        loop {
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else {
                return Some(Self { tokens, at: 0 });
            };
            let length = if first == '%' {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
                continue;
            } else if first == '\'' || first == '"' {
                1 + rest[1..].find(first)? + 1
            } else if first.is_alphanumeric() || first == '_' || first == '#' {
                let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
                let end = rest[first.len_utf8()..].find(|c: char| !is_part(c));
                end.map_or(rest.len(), |end| end + first.len_utf8())
            } else {
                SYMBOLS
                    .iter()
                    .find(|symbol| rest.starts_with(**symbol))?
                    .len()
            };
            tokens.push(&rest[..length]);
            rest = &rest[length..];
        }
    }

    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).copied()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn is_done(&self) -> bool {
        self.at == self.tokens.len()
    }

    /// Goals up to a token, or to the end.
    fn body(&mut self, end: Option<&[&str]>) -> Option<Vec<Goal>> {
        let mut goals = Vec::new();
        loop {
            goals.push(self.goal()?);
            match self.peek() {
                None => return end.is_none().then_some(goals),
                Some(token) if end.is_some_and(|end| end.contains(&token)) => return Some(goals),
                Some(_) if self.eat(",") || (end.is_none() && self.eat(";")) => {}
                Some(_) => return None,
            }
        }
    }

    fn goal(&mut self) -> Option<Goal> {
        if self.eat("not") {
            let atom = self.term()?;
            return Some(Goal::Atom {
                positive: false,
                atom,
            });
        }
        if self.peek() == Some("#count") {
            let elements = self.count()?;
            return Some(Goal::Count(elements, self.comparison()?, self.term()?));
        }
        let left = self.term()?;
        let Some(comparison) = self.comparison() else {
            return Some(Goal::Atom {
                positive: true,
                atom: left,
            });
        };
        if self.peek() == Some("#count") {
            return Some(Goal::Count(self.count()?, comparison.turned(), left));
        }
        Some(Goal::Compare(left, comparison, self.term()?))
    }

    fn count(&mut self) -> Option<Vec<(Vec<Term>, Vec<Goal>)>> {
        self.at += 1;
        if !self.eat("{") {
            return None;
        }
        let mut elements = Vec::new();
        loop {
            let mut tuple = vec![self.term()?];
            while self.eat(",") {
                tuple.push(self.term()?);
            }
            let conditions = if self.eat(":") {
                self.body(Some(&[";", "}"]))?
            } else {
                Vec::new()
            };
            elements.push((tuple, conditions));
            if self.eat("}") {
                return Some(elements);
            }
            if !self.eat(";") {
                return None;
            }
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let comparison = match self.peek()? {
            "=" | "==" => Comparison::Equal,
            "!=" | "<>" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        };
        self.at += 1;
        Some(comparison)
    }

    fn term(&mut self) -> Option<Term> {
        let mut left = self.simple()?;
        loop {
            if self.eat("+") {
                left = Term::Sum(Box::new(left), Box::new(self.simple()?));
            } else if self.eat("-") {
                left = Term::Difference(Box::new(left), Box::new(self.simple()?));
            } else {
                return Some(left);
            }
        }
    }

    fn simple(&mut self) -> Option<Term> {
        let token = self.peek()?;
        self.at += 1;
        let first = token.chars().next()?;
        Some(match first {
            '(' => {
                let args = self.arguments()?;
                match <[Term; 1]>::try_from(args) {
                    // A tuple of one is written with a comma.
                    Ok([only]) if self.tokens.get(self.at.wrapping_sub(2)) != Some(&",") => only,
                    Ok(only) => Term::Compound(String::new(), only.into()),
                    Err(args) => Term::Compound(String::new(), args),
                }
            }
            '-' => Term::Int(-self.peek()?.parse::<i64>().ok().inspect(|_| self.at += 1)?),
            '0'..='9' => Term::Int(token.parse().ok()?),
            '_' | 'A'..='Z' => Term::Var(token.to_owned()),
            '\'' | '"' | 'a'..='z' => {
                let name = token.trim_matches(['\'', '"']).to_owned();
                let args = if self.eat("(") {
                    self.arguments()?
                } else {
                    Vec::new()
                };
                Term::Compound(name, args)
            }
            _ => return None,
        })
    }

    /// Terms with commas between them, and perhaps after them, up to a closing bracket.
    fn arguments(&mut self) -> Option<Vec<Term>> {
        let mut args = Vec::new();
        loop {
            if !args.is_empty() && self.eat(")") {
                return Some(args);
            }
            args.push(self.term()?);
            if !self.eat(",") {
                return self.eat(")").then_some(args);
            }
        }
    }
}
