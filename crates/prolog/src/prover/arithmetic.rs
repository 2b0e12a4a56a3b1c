use std::cmp::Ordering;

use super::ProverError;
use super::cell::Cell;
use super::heap::Heap;
use super::names::Names;
use crate::term::{Constant, MAX_NESTING, Predicate, Real};

/// The value of an arithmetic expression.
pub(super) fn evaluate(
    cell: Cell,
    heap: &Heap,
    statics: &[Cell],
    symbols: &Names,
) -> Result<Constant, ProverError> {
    evaluate_nested(cell, heap, statics, symbols, 0)
}

fn evaluate_nested(
    cell: Cell,
    heap: &Heap,
    statics: &[Cell],
    symbols: &Names,
    nesting: usize,
) -> Result<Constant, ProverError> {
    match heap.deref(cell) {
        Cell::Const(number @ (Constant::Int(_) | Constant::Real(_))) => Ok(number),
        Cell::Ref(_) => Err(ProverError::Unbound("an arithmetic expression")),
        Cell::Const(Constant::Symbol(name)) => constant(symbols.get(name)),
        Cell::Const(_) | Cell::Functor(..) => Err(not_a_number()),
        Cell::Struct(address) => {
            let Cell::Functor(name, arity) = heap.at(address, statics) else {
                return Err(not_a_number());
            };
            if nesting >= MAX_NESTING {
                return Err(if heap.is_cyclic(cell) {
                    ProverError::Cyclic
                } else {
                    ProverError::TooDeep
                });
            }
            if !heap.spend(arity) {
                return Ok(Constant::Int(0));
            }
            let arg = |i: u32| {
                let part = heap.at(address + i, statics);
                evaluate_nested(part, heap, statics, symbols, nesting + 1)
            };
            let own = symbols.get(name);
            let value = match arity {
                1 => unary(own, arg(1)?)?,
                2 => binary(own, arg(1)?, arg(2)?)?,
                _ => None,
            };
            let arity = arity as usize;
            value.ok_or(ProverError::UnknownFunction(Predicate { name, arity }))
        }
    }
}

/// The order of the values of two arithmetic expressions.
pub(super) fn compare(
    a: Cell,
    b: Cell,
    heap: &Heap,
    statics: &[Cell],
    symbols: &Names,
) -> Result<Ordering, ProverError> {
    let (a, b) = (
        evaluate(a, heap, statics, symbols)?,
        evaluate(b, heap, statics, symbols)?,
    );
    Ok(match (a, b) {
        (Constant::Int(x), Constant::Int(y)) => x.cmp(&y),
        _ => real(a).partial_cmp(&real(b)).unwrap_or(Ordering::Equal),
    })
}

/// The value of a name.
fn constant(name: &str) -> Result<Constant, ProverError> {
    let value = match name {
        "pi" => std::f64::consts::PI,
        "e" => std::f64::consts::E,
        "inf" => f64::INFINITY,
        _ => return Err(not_a_number()),
    };
    Ok(Constant::Real(Real(value)))
}

fn not_a_number() -> ProverError {
    ProverError::Type {
        builtin: "an arithmetic expression",
        expected: "numbers and functions of numbers",
    }
}

pub(super) fn real(constant: Constant) -> f64 {
    match constant {
        Constant::Int(value) => value as f64,
        Constant::Real(value) => value.0,
        Constant::Symbol(_) | Constant::Text(_) => f64::NAN,
    }
}

fn finite(value: f64, name: &'static str) -> Result<Constant, ProverError> {
    if value.is_finite() {
        Ok(Constant::Real(Real(value)))
    } else {
        Err(ProverError::Arithmetic(name))
    }
}

fn whole(value: Option<i64>, name: &'static str) -> Result<Constant, ProverError> {
    value
        .map(Constant::Int)
        .ok_or(ProverError::Arithmetic(name))
}

/// Makes two expressions of integers equal; one variable, in sums, differences and products
/// only, may be found.
pub(super) fn equate(
    a: Cell,
    b: Cell,
    heap: &mut Heap,
    statics: &[Cell],
    symbols: &Names,
) -> Result<bool, ProverError> {
    let (mut open, mut value) = match evaluate(a, heap, statics, symbols) {
        Ok(value) => (b, value),
        Err(ProverError::Unbound(_)) => (a, evaluate(b, heap, statics, symbols)?),
        Err(error) => return Err(error),
    };
    for _ in 0..MAX_NESTING {
        if let Ok(own) = evaluate(open, heap, statics, symbols) {
            return Ok(own == value);
        }
        let (Constant::Int(total), Cell::Struct(address)) = (value, heap.deref(open)) else {
            return Ok(heap.unify(open, Cell::Const(value), statics));
        };
        let Cell::Functor(name, 2) = heap.at(address, statics) else {
            return Err(ProverError::Unbound("#=/2"));
        };
        let [left, right] = [1, 2].map(|i| heap.at(address + i, statics));
        let (known, is_left) = match evaluate(left, heap, statics, symbols) {
            Ok(known) => (known, true),
            Err(_) => (evaluate(right, heap, statics, symbols)?, false),
        };
        let Constant::Int(known) = known else {
            return Ok(false);
        };
        let next = match (symbols.get(name), is_left) {
            ("+", _) => total.checked_sub(known),
            ("-", true) => known.checked_sub(total),
            ("-", false) => total.checked_add(known),
            ("*", _) => match total.checked_rem(known) {
                Some(0) => total.checked_div(known),
                Some(_) => return Ok(false),
                None => return Err(ProverError::Unbound("#=/2")),
            },
            _ => return Err(ProverError::Unbound("#=/2")),
        };
        value = whole(next, "#=")?;
        open = if is_left { right } else { left };
    }
    Err(ProverError::TooDeep)
}

/// The value of a function; `None` for one that is unknown.
fn unary(name: &str, x: Constant) -> Result<Option<Constant>, ProverError> {
    let value = match (name, x) {
        ("-", Constant::Int(x)) => whole(x.checked_neg(), "-"),
        ("-", x) => finite(-real(x), "-"),
        ("abs", Constant::Int(x)) => whole(x.checked_abs(), "abs"),
        ("abs", x) => finite(real(x).abs(), "abs"),
        ("sign", Constant::Int(x)) => Ok(Constant::Int(x.signum())),
        ("sign", x) if real(x) == 0.0 => Ok(x),
        ("sign", x) => finite(real(x).signum(), "sign"),
        ("sqrt", x) => finite(real(x).sqrt(), "sqrt"),
        ("sin", x) => finite(real(x).sin(), "sin"),
        ("cos", x) => finite(real(x).cos(), "cos"),
        ("tan", x) => finite(real(x).tan(), "tan"),
        ("exp", x) => finite(real(x).exp(), "exp"),
        ("log", x) => finite(real(x).ln(), "log"),
        ("float", x) => finite(real(x), "float"),
        ("+", x)
        | ("integer" | "truncate" | "round" | "floor" | "ceiling", x @ Constant::Int(_)) => Ok(x),
        ("integer" | "round", x) => rounded(real(x).round()),
        ("truncate", x) => rounded(real(x).trunc()),
        ("floor", x) => rounded(real(x).floor()),
        ("ceiling", x) => rounded(real(x).ceil()),
        _ => return Ok(None),
    };
    value.map(Some)
}

/// An integer within 64 bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "larger values were refused"
)]
fn rounded(value: f64) -> Result<Constant, ProverError> {
    let fits = value.abs() < 9.0e18;
    whole(fits.then_some(value as i64), "rounding")
}

fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a.checked_rem(b).unwrap_or(0));
    }
    a.saturating_abs()
}

/// The value of a function; `None` for one that is unknown.
fn binary(name: &str, x: Constant, y: Constant) -> Result<Option<Constant>, ProverError> {
    if let (Constant::Int(a), Constant::Int(b)) = (x, y) {
        let value = match name {
            "+" => whole(a.checked_add(b), "+"),
            "-" => whole(a.checked_sub(b), "-"),
            "*" => whole(a.checked_mul(b), "*"),
            // As in SWI-Prolog: exact division stays whole.
            "/" if b != 0 && a.checked_rem(b) == Some(0) => whole(a.checked_div(b), "/"),
            "/" if b != 0 => finite(a as f64 / b as f64, "/"),
            "/" => Err(ProverError::Arithmetic("/")),
            "//" => whole(a.checked_div(b), "//"),
            "rem" => whole(a.checked_rem(b), "rem"),
            "mod" => {
                let rest = a.checked_rem(b).ok_or(ProverError::Arithmetic("mod"))?;
                Ok(Constant::Int(if rest != 0 && (rest < 0) != (b < 0) {
                    rest + b
                } else {
                    rest
                }))
            }
            "div" => {
                let quotient = a.checked_div(b).ok_or(ProverError::Arithmetic("div"))?;
                let uneven = a
                    .checked_rem(b)
                    .is_some_and(|rest| rest != 0 && (rest < 0) != (b < 0));
                Ok(Constant::Int(quotient - i64::from(uneven)))
            }
            "gcd" => Ok(Constant::Int(gcd(a, b))),
            ">>" => whole(u32::try_from(b).ok().and_then(|by| a.checked_shr(by)), ">>"),
            "<<" => whole(
                u32::try_from(b)
                    .ok()
                    .and_then(|by| 1i64.checked_shl(by)?.checked_mul(a)),
                "<<",
            ),
            "/\\" => Ok(Constant::Int(a & b)),
            "\\/" => Ok(Constant::Int(a | b)),
            "xor" => Ok(Constant::Int(a ^ b)),
            "min" => Ok(Constant::Int(a.min(b))),
            "max" => Ok(Constant::Int(a.max(b))),
            "**" if b < 0 => finite((a as f64).powf(b as f64), "**"),
            "^" if b < 0 => power_of_unit(a, b),
            "**" | "^" => match u32::try_from(b) {
                Ok(power) => whole(a.checked_pow(power), "^"),
                Err(_) => power_of_unit(a, b),
            },
            _ => return Ok(None),
        };
        return value.map(Some);
    }
    let (a, b) = (real(x), real(y));
    let value = match name {
        "+" => finite(a + b, "+"),
        "-" => finite(a - b, "-"),
        "*" => finite(a * b, "*"),
        "/" => finite(a / b, "/"),
        "min" => finite(a.min(b), "min"),
        "max" => finite(a.max(b), "max"),
        "**" | "^" => finite(a.powf(b), "**"),
        _ => return Ok(None),
    };
    value.map(Some)
}

/// An integer to a power that is negative or does not fit, which is an integer only for 1, -1 and 0.
fn power_of_unit(a: i64, b: i64) -> Result<Constant, ProverError> {
    match a {
        1 => Ok(Constant::Int(1)),
        -1 => Ok(Constant::Int(if b % 2 == 0 { 1 } else { -1 })),
        0 if b > 0 => Ok(Constant::Int(0)),
        0 => Err(ProverError::Arithmetic("^")),
        _ if b < 0 => Err(ProverError::Type {
            builtin: "^ of integers",
            expected: "an exponent of at least 0; ** gives a fraction",
        }),
        _ => Err(ProverError::Arithmetic("^")),
    }
}
