//! The signs that the values of equations and their derivatives can have.

use std::collections::BTreeMap;

use super::equation::Expression;
use crate::sign::Signs;

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
    use super::super::equation::parse;
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
}
