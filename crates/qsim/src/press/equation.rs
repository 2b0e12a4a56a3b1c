//! Equations of system dynamics models: reading, and the signs of values and of derivatives.

use std::collections::BTreeMap;

use crate::sign::Signs;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Number(f64),
    /// A variable by its [canonical](canonical) name.
    Name(String),
    Sum(Box<Self>, Box<Self>),
    Difference(Box<Self>, Box<Self>),
    Product(Box<Self>, Box<Self>),
    Quotient(Box<Self>, Box<Self>),
    Power(Box<Self>, Box<Self>),
    /// Comparisons and logical operators: 0 or 1, with jumps.
    Test(Vec<Self>),
    /// A condition, and the values of both branches.
    Choice(Box<Self>, Box<Self>, Box<Self>),
    /// A function in capital letters, with its arguments.
    Call(String, Vec<Self>),
}

/// An error in an equation: the message and its byte offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EquationError {
    pub(super) message: String,
    pub(super) at: usize,
}

/// The canonical name of a variable: in XMILE case is not significant, and blanks equal underscores.
pub(super) fn canonical(name: &str) -> String {
    let name = name.replace("\\n", " ").replace('\u{a0}', " ");
    let name = name.trim().trim_matches('"');
    let words = name.split(|c: char| c == '_' || c.is_whitespace());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("_").to_lowercase()
}

/// Maximum number of tokens of an equation.
const MOST_TOKENS: usize = 2_000;

/// Reads an equation.
pub(super) fn parse(text: &str) -> Result<Expression, EquationError> {
    let tokens = tokens(text)?;
    if let Some((_, at)) = tokens.get(MOST_TOKENS) {
        let message = format!("the equation has more than {MOST_TOKENS} words and signs");
        return Err(EquationError { message, at: *at });
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        end: text.len(),
        depth: 0,
    };
    let found = parser.or()?;
    match parser.tokens.get(parser.at) {
        None => Ok(found),
        Some((token, at)) => Err(EquationError {
            message: format!("unexpected `{}`", token.text()),
            at: *at,
        }),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64, String),
    Name(String),
    Sign(String),
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Number(_, text) | Self::Name(text) | Self::Sign(text) => text,
        }
    }
}

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, EquationError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let while_true =
            |holds: &dyn Fn(char) -> bool| rest.find(|c: char| !holds(c)).unwrap_or(rest.len());
        let length = if c.is_whitespace() {
            c.len_utf8()
        } else if c == '{' {
            rest.find('}').map_or(rest.len(), |end| end + 1)
        } else if c.is_ascii_digit() || c == '.' {
            let mut length = while_true(&|c| c.is_ascii_digit() || c == '.');
            let exponent = rest[length..].strip_prefix(['e', 'E']);
            if let Some(exponent) = exponent {
                let signed = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
                let digits = signed
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(signed.len());
                if digits > 0 {
                    length += 1 + (exponent.len() - signed.len()) + digits;
                }
            }
            let written = &rest[..length];
            let number = written.parse().map_err(|_| EquationError {
                message: format!("`{written}` is not a number"),
                at,
            })?;
            found.push((Token::Number(number, written.to_owned()), at));
            length
        } else if c == '"' {
            let Some(end) = rest[1..].find('"') else {
                let message = "the name in quotation marks has no end".to_owned();
                return Err(EquationError { message, at });
            };
            found.push((Token::Name(rest[1..=end].to_owned()), at));
            end + 2
        } else if c.is_alphabetic() || c == '_' || c == '$' {
            let length = while_true(&|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
            found.push((Token::Name(rest[..length].to_owned()), at));
            length
        } else {
            let signs = [
                "<=", ">=", "<>", "+", "-", "*", "/", "^", "(", ")", ",", "<", ">", "=",
            ];
            let sign = signs.into_iter().find(|sign| rest.starts_with(sign));
            let Some(sign) = sign else {
                let message = format!("unexpected `{c}`");
                return Err(EquationError { message, at });
            };
            found.push((Token::Sign(sign.to_owned()), at));
            sign.len()
        };
        at += length;
    }
    Ok(found)
}

/// Parentheses and signs inside of each other, at most.
const MOST_DEEP: usize = 100;

struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    end: usize,
    depth: usize,
}

type Parsed = Result<Expression, EquationError>;

impl Parser {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, EquationError> {
        let at = self.tokens.get(self.at).map_or(self.end, |(_, at)| *at);
        let message = message.into();
        Err(EquationError { message, at })
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Sign(found), _)) if found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        let token = self.tokens.get(self.at);
        matches!(token, Some((Token::Name(found), _)) if found.eq_ignore_ascii_case(word))
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), EquationError> {
        if self.take_sign(sign) {
            return Ok(());
        }
        self.fail(format!("expected `{sign}`"))
    }

    fn or(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MOST_DEEP {
            return self.fail(format!("more than {MOST_DEEP} parentheses in each other"));
        }
        let mut found = self.and()?;
        while self.take_word("or") {
            found = Expression::Test(vec![found, self.and()?]);
        }
        self.depth -= 1;
        Ok(found)
    }

    fn and(&mut self) -> Parsed {
        let mut found = self.comparison()?;
        while self.take_word("and") {
            found = Expression::Test(vec![found, self.comparison()?]);
        }
        Ok(found)
    }

    fn comparison(&mut self) -> Parsed {
        if self.take_word("not") {
            return Ok(Expression::Test(vec![self.sum()?]));
        }
        let found = self.sum()?;
        for sign in ["<=", ">=", "<>", "<", ">", "="] {
            if self.take_sign(sign) {
                return Ok(Expression::Test(vec![found, self.sum()?]));
            }
        }
        Ok(found)
    }

    fn sum(&mut self) -> Parsed {
        let mut found = self.product()?;
        loop {
            if self.take_sign("+") {
                found = Expression::Sum(Box::new(found), Box::new(self.product()?));
            } else if self.take_sign("-") {
                found = Expression::Difference(Box::new(found), Box::new(self.product()?));
            } else {
                return Ok(found);
            }
        }
    }

    fn product(&mut self) -> Parsed {
        let mut found = self.signed()?;
        loop {
            if self.take_sign("*") {
                found = Expression::Product(Box::new(found), Box::new(self.signed()?));
            } else if self.take_sign("/") {
                found = Expression::Quotient(Box::new(found), Box::new(self.signed()?));
            } else {
                return Ok(found);
            }
        }
    }

    fn signed(&mut self) -> Parsed {
        let mut is_negative = false;
        loop {
            if self.take_sign("-") {
                is_negative = !is_negative;
            } else if !self.take_sign("+") {
                break;
            }
        }
        let found = self.power()?;
        if !is_negative {
            return Ok(found);
        }
        Ok(match found {
            Expression::Number(x) => Expression::Number(-x),
            found => Expression::Difference(Box::new(Expression::Number(0.0)), Box::new(found)),
        })
    }

    fn power(&mut self) -> Parsed {
        let found = self.primary()?;
        if self.take_sign("^") {
            let exponent = self.signed()?;
            return Ok(Expression::Power(Box::new(found), Box::new(exponent)));
        }
        Ok(found)
    }

    fn primary(&mut self) -> Parsed {
        if self.take_sign("(") {
            let found = self.or()?;
            self.expect(")")?;
            return Ok(found);
        }
        if self.take_word("if") {
            return self.choice();
        }
        match self.tokens.get(self.at).cloned() {
            Some((Token::Number(x, _), _)) => {
                self.at += 1;
                Ok(Expression::Number(x))
            }
            Some((Token::Name(name), _)) => {
                self.at += 1;
                if !self.take_sign("(") {
                    return Ok(Expression::Name(canonical(&name)));
                }
                let mut arguments = Vec::new();
                while !self.take_sign(")") {
                    if !arguments.is_empty() {
                        self.expect(",")?;
                    }
                    arguments.push(self.or()?);
                }
                Ok(Expression::Call(canonical(&name).to_uppercase(), arguments))
            }
            Some((Token::Sign(sign), _)) => self.fail(format!("unexpected `{sign}`")),
            None => self.fail("the equation ends too early"),
        }
    }

    fn choice(&mut self) -> Parsed {
        let condition = self.or()?;
        if !self.take_word("then") {
            return self.fail("expected `THEN`");
        }
        let yes = self.or()?;
        if !self.take_word("else") {
            return self.fail("expected `ELSE`");
        }
        let no = self.or()?;
        Ok(Expression::Choice(
            Box::new(condition),
            Box::new(yes),
            Box::new(no),
        ))
    }
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A stock, with the sign that is assumed of it.
    Stock(Signs),
    /// A value by an equation.
    Value(Expression),
    /// A function by points over the value of an equation: the signs of its values and of its slope.
    Curve(Expression, Signs, Signs),
    /// An equation that cannot be read.
    Unread,
}

/// The signs of values and derivatives in a model.
pub(super) struct Calculus<'m> {
    meanings: &'m BTreeMap<String, Meaning>,
    signs: BTreeMap<String, Option<Signs>>,
    slopes: BTreeMap<(String, String), Option<Signs>>,
    /// Expressions and names inside of each other now.
    depth: usize,
}

/// Maximum nesting of expressions and names; below it, any sign is possible.
const MOST_NESTED: usize = 1_000;

impl<'m> Calculus<'m> {
    pub(super) fn new(meanings: &'m BTreeMap<String, Meaning>) -> Self {
        Self {
            meanings,
            signs: BTreeMap::new(),
            slopes: BTreeMap::new(),
            depth: 0,
        }
    }

    fn sign_of_name(&mut self, name: &str) -> Signs {
        if let Some(known) = self.signs.get(name) {
            // Still open: an equation that depends on itself.
            return known.unwrap_or(Signs::ANY);
        }
        self.signs.insert(name.to_owned(), None);
        let found = match self.meanings.get(name) {
            Some(Meaning::Stock(signs) | Meaning::Curve(_, signs, _)) => *signs,
            Some(Meaning::Value(equation)) => self.sign(equation),
            Some(Meaning::Unread) => Signs::ANY,
            // Time and its kin.
            None => match name {
                "time" | "dt" | "starttime" | "stoptime" | "pi" => Signs::POSITIVE,
                _ => Signs::ANY,
            },
        };
        self.signs.insert(name.to_owned(), Some(found));
        found
    }

    /// The signs that the value of an expression can have.
    pub(super) fn sign(&mut self, expression: &Expression) -> Signs {
        if self.depth == MOST_NESTED {
            return Signs::ANY;
        }
        self.depth += 1;
        let found = self.plain_sign(expression);
        self.depth -= 1;
        found
    }

    fn plain_sign(&mut self, expression: &Expression) -> Signs {
        use Expression as E;
        let nonnegative = Signs::POSITIVE.or(Signs::ZERO);
        match expression {
            E::Number(x) => number_sign(*x),
            E::Name(name) => self.sign_of_name(name),
            E::Sum(a, b) => self.sign(a).plus(self.sign(b)),
            E::Difference(a, b) => self.sign(a).plus(self.sign(b).negated()),
            E::Product(a, b) | E::Quotient(a, b) => self.sign(a).times(self.sign(b)),
            E::Power(a, b) => match (self.sign(a), &**b) {
                (Signs::POSITIVE, _) => Signs::POSITIVE,
                (base, E::Number(n)) if is_integer(*n) => {
                    if is_even(*n) {
                        base.or(base.negated()).and(nonnegative)
                    } else {
                        base
                    }
                }
                (base, _) if !base.meets(Signs::NEGATIVE) => nonnegative,
                _ => Signs::ANY,
            },
            E::Test(_) => nonnegative,
            E::Choice(_, a, b) => self.sign(a).or(self.sign(b)),
            E::Call(name, arguments) => self.sign_of_call(name, arguments),
        }
    }

    fn sign_of_call(&mut self, name: &str, arguments: &[Expression]) -> Signs {
        let signs: Vec<Signs> = arguments.iter().map(|own| self.sign(own)).collect();
        let any_of = |signs: &[Signs]| signs.iter().fold(Signs::NONE, |all, own| all.or(*own));
        match (name, &signs[..]) {
            ("EXP", _) => Signs::POSITIVE,
            ("ABS", [a]) => match *a {
                a if a.meets(Signs::ZERO) => Signs::POSITIVE.or(Signs::ZERO),
                _ => Signs::POSITIVE,
            },
            ("SQRT", [a]) => a.and(Signs::POSITIVE.or(Signs::ZERO)),
            // The sign of the greater one, if one is certainly positive; both may decide otherwise.
            ("MAX", all) if all.contains(&Signs::POSITIVE) => Signs::POSITIVE,
            ("MIN", all) if all.contains(&Signs::NEGATIVE) => Signs::NEGATIVE,
            ("MAX" | "MIN", all) => any_of(all),
            ("IF_THEN_ELSE", [_, a, b]) => a.or(*b),
            (name, [first, ..]) if is_delay(name) => *first,
            ("SAFEDIV", [a, b, ..]) => a.times(*b).or(Signs::ZERO),
            _ => Signs::ANY,
        }
    }

    fn slope_of_name(&mut self, name: &str, of: &str) -> Signs {
        if name == of {
            return Signs::POSITIVE;
        }
        let key = (name.to_owned(), of.to_owned());
        if let Some(known) = self.slopes.get(&key) {
            return known.unwrap_or(Signs::ANY);
        }
        self.slopes.insert(key.clone(), None);
        let found = match self.meanings.get(name) {
            Some(Meaning::Stock(_)) | None => Signs::ZERO,
            Some(Meaning::Value(equation)) => self.slope(equation, of),
            Some(Meaning::Curve(input, _, slope)) => self.slope(input, of).times(*slope),
            Some(Meaning::Unread) => Signs::ANY,
        };
        self.slopes.insert(key, Some(found));
        found
    }

    /// The signs that the derivative of an expression by a stock can have.
    pub(super) fn slope(&mut self, expression: &Expression, of: &str) -> Signs {
        if self.depth == MOST_NESTED {
            return Signs::ANY;
        }
        self.depth += 1;
        let found = self.plain_slope(expression, of);
        self.depth -= 1;
        found
    }

    fn plain_slope(&mut self, expression: &Expression, of: &str) -> Signs {
        use Expression as E;
        match expression {
            E::Number(_) => Signs::ZERO,
            E::Name(name) => self.slope_of_name(name, of),
            E::Sum(a, b) => self.slope(a, of).plus(self.slope(b, of)),
            E::Difference(a, b) => self.slope(a, of).plus(self.slope(b, of).negated()),
            E::Product(a, b) => {
                let (by_a, by_b) = (self.slope(a, of), self.slope(b, of));
                by_a.times(self.sign(b)).plus(self.sign(a).times(by_b))
            }
            E::Quotient(a, b) => {
                let (by_a, by_b) = (self.slope(a, of), self.slope(b, of));
                let below = self.sign(a).times(by_b).negated();
                by_a.times(self.sign(b)).plus(below)
            }
            E::Power(a, b) => {
                let (by_a, by_b) = (self.slope(a, of), self.slope(b, of));
                // n a^(n-1) a': the sign of a^(n-1) is that of a^n times that of a.
                let outer = self
                    .sign(b)
                    .times(self.sign(expression))
                    .times(self.sign(a));
                let by_exponent = if by_b == Signs::ZERO {
                    Signs::ZERO
                } else {
                    Signs::ANY
                };
                outer.times(by_a).plus(by_exponent)
            }
            E::Test(parts) => self.jump(parts, of),
            E::Choice(condition, a, b) => {
                let jump = self.jump(std::slice::from_ref(condition), of);
                jump.plus(self.slope(a, of).or(self.slope(b, of)))
            }
            E::Call(name, arguments) => self.slope_of_call(name, arguments, of),
        }
    }

    /// The slope of what jumps where one of these changes: anything, if one does.
    fn jump(&mut self, parts: &[Expression], of: &str) -> Signs {
        let mut parts = parts.iter();
        if parts.all(|part| self.slope(part, of) == Signs::ZERO) {
            Signs::ZERO
        } else {
            Signs::ANY
        }
    }

    fn slope_of_call(&mut self, name: &str, arguments: &[Expression], of: &str) -> Signs {
        let slopes: Vec<Signs> = arguments.iter().map(|own| self.slope(own, of)).collect();
        if slopes.iter().all(|slope| *slope == Signs::ZERO) {
            return Signs::ZERO;
        }
        match (name, &slopes[..]) {
            ("EXP" | "LN" | "LOG10" | "SQRT" | "ARCTAN" | "TANH", [a]) => *a,
            ("ABS", [a]) => self.sign(&arguments[0]).times(*a),
            ("MAX" | "MIN", all) => all.iter().fold(Signs::NONE, |found, own| found.or(*own)),
            ("IF_THEN_ELSE", [condition, a, b]) if *condition == Signs::ZERO => a.or(*b),
            (name, [first, rest @ ..])
                if is_delay(name) && rest.iter().all(|own| *own == Signs::ZERO) =>
            {
                *first
            }
            _ => Signs::ANY,
        }
    }
}

/// Functions that follow their first argument in time: at equilibrium they are equal to it.
fn is_delay(name: &str) -> bool {
    let delays = [
        "DELAY", "DELAY1", "DELAY3", "DELAYN", "SMTH1", "SMTH3", "SMTHN", "SMOOTH", "INIT",
    ];
    delays.contains(&name)
}

/// The sign of a number.
pub(super) fn number_sign(x: f64) -> Signs {
    if x > 0.0 {
        Signs::POSITIVE
    } else if x < 0.0 {
        Signs::NEGATIVE
    } else {
        Signs::ZERO
    }
}

fn is_integer(x: f64) -> bool {
    x.fract() == 0.0
}

fn is_even(x: f64) -> bool {
    x % 2.0 == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(equation: &str) -> Signs {
        let meanings = BTreeMap::from([
            ("x".to_owned(), Meaning::Stock(Signs::POSITIVE)),
            ("y".to_owned(), Meaning::Stock(Signs::POSITIVE)),
            ("rate".to_owned(), Meaning::Value(Expression::Number(0.1))),
        ]);
        let equation = parse(equation).expect("an equation");
        Calculus::new(&meanings).slope(&equation, "x")
    }

    #[test]
    fn derivatives_have_signs() {
        let all = [
            ("X * rate", Signs::POSITIVE),
            ("-x", Signs::NEGATIVE),
            ("y", Signs::ZERO),
            ("y / x", Signs::NEGATIVE),
            ("x ^ 2 * y", Signs::POSITIVE),
            ("x ^ -1", Signs::NEGATIVE),
            ("x * (1 - x / 100)", Signs::ANY),
            ("EXP(-2 * x)", Signs::NEGATIVE),
            ("SMTH1(x, 5)", Signs::POSITIVE),
            ("MAX(x, y)", Signs::POSITIVE.or(Signs::ZERO)),
            ("IF y > 3 THEN x ELSE 2 * x", Signs::POSITIVE),
            ("IF x > 3 THEN x ELSE 2 * x", Signs::ANY),
            ("2 - (3 - (1e-3 * \"X\")) {a comment}", Signs::POSITIVE),
            ("RANDOM(0, x)", Signs::ANY),
            ("RANDOM(0, 1)", Signs::ZERO),
        ];
        for (equation, expected) in all {
            assert_eq!(slope(equation), expected, "{equation}");
        }
    }

    #[test]
    fn mistakes_have_their_places() {
        let said = |text: &str| parse(text).map_err(|error| (error.message, error.at));
        assert_eq!(
            said("a + "),
            Err(("the equation ends too early".to_owned(), 4))
        );
        assert_eq!(said("(a"), Err(("expected `)`".to_owned(), 2)));
        assert_eq!(said("a b"), Err(("unexpected `b`".to_owned(), 2)));
        assert_eq!(said("a # b"), Err(("unexpected `#`".to_owned(), 2)));
        assert!(said(&"(".repeat(10_000)).is_err());
        // Signs are not parentheses: only their number is limited.
        assert!(said(&format!("{}1", "-".repeat(MOST_TOKENS - 1))).is_ok());
        assert_eq!(
            said(&format!("{}1", "-".repeat(10_000))),
            Err((
                "the equation has more than 2000 words and signs".to_owned(),
                2000
            ))
        );
    }
}
