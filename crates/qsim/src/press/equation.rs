//! Equations of system dynamics models, as XMILE writes them.

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

type ParseResult = Result<Expression, EquationError>;

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

    fn or(&mut self) -> ParseResult {
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

    fn and(&mut self) -> ParseResult {
        let mut found = self.comparison()?;
        while self.take_word("and") {
            found = Expression::Test(vec![found, self.comparison()?]);
        }
        Ok(found)
    }

    fn comparison(&mut self) -> ParseResult {
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

    fn sum(&mut self) -> ParseResult {
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

    fn product(&mut self) -> ParseResult {
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

    fn signed(&mut self) -> ParseResult {
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

    fn power(&mut self) -> ParseResult {
        let found = self.primary()?;
        if self.take_sign("^") {
            let exponent = self.signed()?;
            return Ok(Expression::Power(Box::new(found), Box::new(exponent)));
        }
        Ok(found)
    }

    fn primary(&mut self) -> ParseResult {
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

    fn choice(&mut self) -> ParseResult {
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

#[cfg(test)]
mod tests {
    use super::*;

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
