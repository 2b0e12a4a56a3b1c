//! Built-in predicates on terms, lists and names.

use std::cmp::Ordering;

use super::builtin::standard_order;
use crate::prover::ProverError;
use crate::prover::builtin::Builtin;
use crate::prover::cell::Cell;
use crate::prover::heap::{Heap, VarNumbers};
use crate::prover::names::Names;
use crate::term::{Constant, Real, Symbol};

type BuiltinResult = Result<bool, ProverError>;

impl Builtin {
    /// Carries out those that take terms apart, put them together or order them.
    pub(super) fn on_terms(
        self,
        args: &[Cell],
        heap: &mut Heap,
        statics: &[Cell],
        symbols: &Names,
    ) -> BuiltinResult {
        match self {
            Builtin::Msort => sort(args, heap, statics, symbols, false),
            Builtin::Sort => sort(args, heap, statics, symbols, true),
            Builtin::Keysort => keysort(args, heap, statics, symbols),
            Builtin::Univ => univ(args, heap, statics),
            Builtin::Functor => functor(args, heap, statics),
            Builtin::Arg => arg(args, heap, statics),
            Builtin::CopyTerm => {
                let mut records = Vec::new();
                heap.record(args[0], statics, &mut records);
                let copy = heap.recall(&records);
                Ok(heap.unify(args[1], copy, statics))
            }
            Builtin::TermVariables => {
                let mut vars = VarNumbers::default();
                heap.to_term(args[0], &mut vars, statics)?;
                let vars: Vec<Cell> = vars.into_iter().map(Cell::Ref).collect();
                Ok(unify_list(args[1], &vars, heap, statics))
            }
            Builtin::AtomLength => {
                let length = text(args[0], heap, symbols)?.chars().count();
                let length = i64::try_from(length).unwrap_or(i64::MAX);
                Ok(heap.unify(args[1], int(length), statics))
            }
            Builtin::AtomConcat => {
                let mut joined = text(args[0], heap, symbols)?;
                joined.push_str(&text(args[1], heap, symbols)?);
                // A query cannot add names, since the table of names is shared: an unknown name
                // that has to be bound is an error, and one to compare with is just different.
                let known = symbols.find(&joined);
                match (known, heap.deref(args[2])) {
                    (Some(name), _) => Ok(heap.unify(args[2], symbol(name), statics)),
                    (None, Cell::Ref(_)) => Err(ProverError::NewName),
                    (None, _) => Ok(false),
                }
            }
            Builtin::AtomNumber => match heap.deref(args[0]) {
                Cell::Const(Constant::Symbol(name)) => match number(symbols.get(name)) {
                    Some(value) => Ok(heap.unify(args[1], value, statics)),
                    None => Ok(false),
                },
                Cell::Ref(_) => {
                    let known = symbols.find(&text(args[1], heap, symbols)?);
                    let name = known.ok_or(ProverError::NewName)?;
                    Ok(heap.unify(args[0], symbol(name), statics))
                }
                _ => Err(type_error("atom_number/2", "a name")),
            },
            Builtin::CharCode => match (heap.deref(args[0]), heap.deref(args[1])) {
                (Cell::Const(Constant::Symbol(name)), _) => {
                    let code = symbols.get(name).chars().next().map_or(0, u32::from);
                    Ok(heap.unify(args[1], int(code.into()), statics))
                }
                (_, Cell::Const(Constant::Int(code))) => {
                    let name = name_of_code(code, symbols)?;
                    Ok(heap.unify(args[0], symbol(name), statics))
                }
                _ => Err(ProverError::Unbound("char_code/2")),
            },
            Builtin::AtomCodes | Builtin::AtomChars | Builtin::NumberCodes => {
                spelling(self, args, heap, statics, symbols)
            }
            _ => Ok(true),
        }
    }
}

fn int(value: i64) -> Cell {
    Cell::Const(Constant::Int(value))
}

fn symbol(name: Symbol) -> Cell {
    Cell::Const(Constant::Symbol(name))
}

fn type_error(builtin: &'static str, expected: &'static str) -> ProverError {
    ProverError::Type { builtin, expected }
}

/// The items of a list that has an end.
fn items(
    list: Cell,
    heap: &Heap,
    statics: &[Cell],
    builtin: &'static str,
) -> Result<Vec<Cell>, ProverError> {
    let mut items = Vec::new();
    let mut rest = heap.deref(list);
    loop {
        match rest {
            Cell::Const(Constant::Symbol(Symbol::NIL)) => return Ok(items),
            Cell::Struct(address)
                if heap.at(address, statics) == Cell::Functor(Symbol::CONS, 2) =>
            {
                items.push(heap.deref(heap.at(address + 1, statics)));
                if !heap.spend(1) {
                    return Ok(items);
                }
                rest = heap.deref(heap.at(address + 2, statics));
            }
            Cell::Ref(_) => return Err(ProverError::Unbound(builtin)),
            _ => return Err(type_error(builtin, "a list")),
        }
    }
}

fn unify_list(cell: Cell, items: &[Cell], heap: &mut Heap, statics: &[Cell]) -> bool {
    let list = heap.list(items);
    list.is_some_and(|list| heap.unify(cell, list, statics))
}

/// Pays for sorting this many values.
fn pay(heap: &Heap, n: usize) {
    let n = u32::try_from(n).unwrap_or(u32::MAX);
    heap.spend(n.saturating_mul(n.max(2).ilog2()));
}

fn sort(
    args: &[Cell],
    heap: &mut Heap,
    statics: &[Cell],
    symbols: &Names,
    distinct: bool,
) -> BuiltinResult {
    let mut all = items(args[0], heap, statics, "msort/2")?;
    pay(heap, all.len());
    let order = |a: &Cell, b: &Cell| standard_order(&[*a, *b], heap, statics, symbols);
    all.sort_by(order);
    if distinct {
        all.dedup_by(|a, b| order(a, b) == Ordering::Equal);
    }
    Ok(unify_list(args[1], &all, heap, statics))
}

fn keysort(args: &[Cell], heap: &mut Heap, statics: &[Cell], symbols: &Names) -> BuiltinResult {
    let all = items(args[0], heap, statics, "keysort/2")?;
    pay(heap, all.len());
    let mut pairs = Vec::with_capacity(all.len());
    for item in all {
        let Cell::Struct(address) = item else {
            return Err(type_error("keysort/2", "a list of pairs Key-Value"));
        };
        if heap.at(address, statics) != Cell::Functor(Symbol::MINUS, 2) {
            return Err(type_error("keysort/2", "a list of pairs Key-Value"));
        }
        pairs.push((heap.at(address + 1, statics), item));
    }
    pairs.sort_by(|(a, _), (b, _)| standard_order(&[*a, *b], heap, statics, symbols));
    let sorted: Vec<Cell> = pairs.into_iter().map(|(_, item)| item).collect();
    Ok(unify_list(args[1], &sorted, heap, statics))
}

/// Builds a compound term.
fn structure(name: Symbol, args: &[Cell], heap: &mut Heap) -> Option<Cell> {
    let arity = u32::try_from(args.len())
        .ok()
        .filter(|arity| heap.spend(*arity))?;
    let start = heap.address();
    heap.cells.push(Cell::Functor(name, arity));
    heap.cells.extend_from_slice(args);
    Some(Cell::Struct(start))
}

fn univ(args: &[Cell], heap: &mut Heap, statics: &[Cell]) -> BuiltinResult {
    match heap.deref(args[0]) {
        Cell::Struct(address) => {
            let Cell::Functor(name, arity) = heap.at(address, statics) else {
                return Ok(false);
            };
            let mut parts = vec![symbol(name)];
            parts.extend((1..=arity).map(|i| heap.at(address + i, statics)));
            Ok(unify_list(args[1], &parts, heap, statics))
        }
        value @ Cell::Const(_) => Ok(unify_list(args[1], &[value], heap, statics)),
        _ => {
            let parts = items(args[1], heap, statics, "=../2")?;
            match parts.split_first() {
                Some((value @ Cell::Const(_), [])) => Ok(heap.unify(args[0], *value, statics)),
                Some((Cell::Const(Constant::Symbol(name)), rest)) => {
                    let built = structure(*name, rest, heap);
                    Ok(built.is_some_and(|built| heap.unify(args[0], built, statics)))
                }
                Some((Cell::Ref(_), _)) => Err(ProverError::Unbound("=../2")),
                _ => Err(type_error("=../2", "a list that begins with a name")),
            }
        }
    }
}

fn functor(args: &[Cell], heap: &mut Heap, statics: &[Cell]) -> BuiltinResult {
    let (name, arity) = match heap.deref(args[0]) {
        Cell::Struct(address) => match heap.at(address, statics) {
            Cell::Functor(name, arity) => (symbol(name), int(arity.into())),
            _ => return Ok(false),
        },
        value @ Cell::Const(_) => (value, int(0)),
        _ => {
            return match (heap.deref(args[1]), heap.deref(args[2])) {
                (value @ Cell::Const(_), Cell::Const(Constant::Int(0))) => {
                    Ok(heap.unify(args[0], value, statics))
                }
                (Cell::Const(Constant::Symbol(name)), Cell::Const(Constant::Int(arity))) => {
                    let arity = u32::try_from(arity).ok().filter(|arity| *arity <= 255);
                    let arity = arity.ok_or(type_error("functor/3", "an arity up to 255"))?;
                    let first = heap.variables(arity);
                    let vars: Vec<Cell> = (first..first + arity).map(Cell::Ref).collect();
                    let built = structure(name, &vars, heap);
                    Ok(built.is_some_and(|built| heap.unify(args[0], built, statics)))
                }
                _ => Err(ProverError::Unbound("functor/3")),
            };
        }
    };
    Ok(heap.unify(args[1], name, statics) && heap.unify(args[2], arity, statics))
}

fn arg(args: &[Cell], heap: &mut Heap, statics: &[Cell]) -> BuiltinResult {
    let (Cell::Const(Constant::Int(place)), Cell::Struct(address)) =
        (heap.deref(args[0]), heap.deref(args[1]))
    else {
        return Err(type_error("arg/3", "a place and a compound term"));
    };
    let Cell::Functor(_, arity) = heap.at(address, statics) else {
        return Ok(false);
    };
    let place = u32::try_from(place)
        .ok()
        .filter(|place| (1..=arity).contains(place));
    Ok(place.is_some_and(|place| {
        let own = heap.at(address + place, statics);
        heap.unify(args[2], own, statics)
    }))
}

/// The text of a name or number.
fn text(cell: Cell, heap: &Heap, symbols: &Names) -> Result<String, ProverError> {
    match heap.deref(cell) {
        Cell::Const(Constant::Symbol(name) | Constant::Text(name)) => {
            Ok(symbols.get(name).to_owned())
        }
        Cell::Const(Constant::Int(value)) => Ok(value.to_string()),
        Cell::Const(Constant::Real(value)) => Ok(format!("{:?}", value.0)),
        Cell::Ref(_) => Err(ProverError::Unbound("a predicate on names")),
        _ => Err(type_error("a predicate on names", "a name or number")),
    }
}

/// The number that a text spells.
fn number(text: &str) -> Option<Cell> {
    if let Ok(value) = text.parse() {
        return Some(int(value));
    }
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    let is_number = text.ends_with(|c: char| c.is_ascii_digit());
    is_number.then_some(Cell::Const(Constant::Real(Real(value))))
}

fn name_of_code(code: i64, symbols: &Names) -> Result<Symbol, ProverError> {
    let c = u32::try_from(code).ok().and_then(char::from_u32);
    let c = c.ok_or(type_error("a predicate on names", "character codes"))?;
    symbols
        .find(c.encode_utf8(&mut [0; 4]))
        .ok_or(ProverError::NewName)
}

/// Names and numbers as lists of their characters or of the codes of these.
fn spelling(
    builtin: Builtin,
    args: &[Cell],
    heap: &mut Heap,
    statics: &[Cell],
    symbols: &Names,
) -> BuiltinResult {
    if !matches!(heap.deref(args[0]), Cell::Ref(_)) {
        let text = text(args[0], heap, symbols)?;
        let mut parts = Vec::with_capacity(text.len());
        for c in text.chars() {
            parts.push(if builtin == Builtin::AtomChars {
                symbol(name_of_code(u32::from(c).into(), symbols)?)
            } else {
                int(u32::from(c).into())
            });
        }
        return Ok(unify_list(args[1], &parts, heap, statics));
    }
    let mut spelled = String::new();
    for item in items(args[1], heap, statics, "a predicate on names")? {
        match item {
            Cell::Const(Constant::Int(code)) => {
                spelled.extend(u32::try_from(code).ok().and_then(char::from_u32));
            }
            Cell::Const(Constant::Symbol(name)) => spelled.push_str(symbols.get(name)),
            Cell::Ref(_) => return Err(ProverError::Unbound("a predicate on names")),
            _ => {
                return Err(type_error(
                    "a predicate on names",
                    "characters or their codes",
                ));
            }
        }
    }
    let value = match (builtin, number(&spelled)) {
        (Builtin::NumberCodes, Some(value)) => value,
        (Builtin::NumberCodes, None) => return Err(type_error("number_codes/2", "a number")),
        _ => symbol(symbols.find(&spelled).ok_or(ProverError::NewName)?),
    };
    Ok(heap.unify(args[0], value, statics))
}
