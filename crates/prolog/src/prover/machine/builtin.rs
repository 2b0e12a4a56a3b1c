//! Built-in predicates at work.

use std::cmp::Ordering;

use crate::prover::ProverError;
use crate::prover::arithmetic::{compare, equate, evaluate, real};
use crate::prover::builtin::Builtin;
use crate::prover::cell::Cell;
use crate::prover::heap::Heap;
use crate::prover::names::Names;
use crate::term::{Constant, Symbol};

impl Builtin {
    /// Carries out everything but `between/3`; bindings are made on the heap.
    pub(super) fn run(
        self,
        args: &[Cell],
        heap: &mut Heap,
        statics: &[Cell],
        symbols: &Names,
    ) -> Result<bool, ProverError> {
        let numbers = |heap: &Heap| compare(args[0], args[1], heap, statics, symbols);
        Ok(match self {
            Builtin::True | Builtin::Between | Builtin::Throw => true,
            Builtin::Unify => heap.unify(args[0], args[1], statics),
            Builtin::NotUnify => {
                let (trail, cells) = (heap.trail.len(), heap.cells.len());
                let unified = heap.unify(args[0], args[1], statics);
                heap.undo(trail, cells);
                !unified
            }
            Builtin::Same => is_same(args, heap, statics),
            Builtin::NotSame => !is_same(args, heap, statics),
            Builtin::Less | Builtin::IntLess => numbers(heap)? == Ordering::Less,
            Builtin::LessOrEqual | Builtin::IntLessOrEqual => numbers(heap)? != Ordering::Greater,
            Builtin::Greater | Builtin::IntGreater => numbers(heap)? == Ordering::Greater,
            Builtin::GreaterOrEqual | Builtin::IntGreaterOrEqual => {
                numbers(heap)? != Ordering::Less
            }
            Builtin::NumbersEqual => numbers(heap)? == Ordering::Equal,
            Builtin::NumbersDiffer | Builtin::IntDiffer => numbers(heap)? != Ordering::Equal,
            Builtin::Is => {
                let value = evaluate(args[1], heap, statics, symbols)?;
                heap.unify(args[0], Cell::Const(value), statics)
            }
            Builtin::Var => matches!(heap.deref(args[0]), Cell::Ref(_)),
            Builtin::NonVar => !matches!(heap.deref(args[0]), Cell::Ref(_)),
            Builtin::AtomP => matches!(heap.deref(args[0]), Cell::Const(Constant::Symbol(_))),
            Builtin::Number => {
                matches!(
                    heap.deref(args[0]),
                    Cell::Const(Constant::Int(_) | Constant::Real(_))
                )
            }
            Builtin::Integer => matches!(heap.deref(args[0]), Cell::Const(Constant::Int(_))),
            Builtin::Atomic => matches!(heap.deref(args[0]), Cell::Const(_)),
            Builtin::Compound => matches!(heap.deref(args[0]), Cell::Struct(_)),
            Builtin::Ground => heap.is_ground(args[0]),
            Builtin::Succ => succ(args, heap, statics)?,
            Builtin::Plus => plus(args, heap, statics)?,
            Builtin::Length => length(args, heap, statics)?,
            Builtin::Before => standard_order(args, heap, statics, symbols) == Ordering::Less,
            Builtin::NotAfter => standard_order(args, heap, statics, symbols) != Ordering::Greater,
            Builtin::After => standard_order(args, heap, statics, symbols) == Ordering::Greater,
            Builtin::NotBefore => standard_order(args, heap, statics, symbols) != Ordering::Less,
            Builtin::Callable => matches!(
                heap.deref(args[0]),
                Cell::Struct(_) | Cell::Const(Constant::Symbol(_))
            ),
            Builtin::Float => matches!(heap.deref(args[0]), Cell::Const(Constant::Real(_))),
            Builtin::IntEqual => equate(args[0], args[1], heap, statics, symbols)?,
            other => return other.on_terms(args, heap, statics, symbols),
        })
    }
}

fn is_same(args: &[Cell], heap: &Heap, statics: &[Cell]) -> bool {
    let equal = |a, b| {
        if a == b {
            Ordering::Equal
        } else {
            Ordering::Less
        }
    };
    heap.compare(args[0], args[1], statics, &equal).is_eq()
}

/// Prolog's standard order of terms: variables by age, numbers by value, strings, names, compound terms.
pub(super) fn standard_order(
    args: &[Cell],
    heap: &Heap,
    statics: &[Cell],
    symbols: &Names,
) -> Ordering {
    fn rank(cell: Cell) -> u8 {
        match cell {
            Cell::Ref(_) => 0,
            Cell::Const(Constant::Int(_) | Constant::Real(_)) => 1,
            Cell::Const(Constant::Text(_)) => 2,
            Cell::Const(Constant::Symbol(_)) => 3,
            Cell::Struct(_) | Cell::Functor(..) => 4,
        }
    }
    let leaves = |a, b| {
        rank(a).cmp(&rank(b)).then_with(|| match (a, b) {
            (Cell::Ref(x), Cell::Ref(y)) => x.cmp(&y),
            (Cell::Const(Constant::Int(x)), Cell::Const(Constant::Int(y))) => x.cmp(&y),
            (Cell::Const(Constant::Symbol(x)), Cell::Const(Constant::Symbol(y)))
            | (Cell::Const(Constant::Text(x)), Cell::Const(Constant::Text(y))) => {
                symbols.get(x).cmp(symbols.get(y))
            }
            (Cell::Const(x), Cell::Const(y)) => {
                // Of equal numbers the floating point number comes first.
                let is_int = |own| matches!(own, Constant::Int(_));
                let by_value = real(x).total_cmp(&real(y));
                by_value.then(is_int(x).cmp(&is_int(y)))
            }
            _ => Ordering::Equal,
        })
    };
    heap.compare(args[0], args[1], statics, &leaves)
}

fn integer(cell: Cell, heap: &Heap, builtin: &'static str) -> Result<Option<i64>, ProverError> {
    match heap.deref(cell) {
        Cell::Const(Constant::Int(value)) => Ok(Some(value)),
        Cell::Ref(_) => Ok(None),
        _ => Err(ProverError::Type {
            builtin,
            expected: "integers",
        }),
    }
}

fn int_cell(value: Option<i64>, builtin: &'static str) -> Result<Cell, ProverError> {
    value
        .map(|v| Cell::Const(Constant::Int(v)))
        .ok_or(ProverError::Arithmetic(builtin))
}

fn succ(args: &[Cell], heap: &mut Heap, statics: &[Cell]) -> Result<bool, ProverError> {
    match (
        integer(args[0], heap, "succ/2")?,
        integer(args[1], heap, "succ/2")?,
    ) {
        (Some(x), _) => {
            if x < 0 {
                return Ok(false);
            }
            let next = int_cell(x.checked_add(1), "succ/2")?;
            Ok(heap.unify(args[1], next, statics))
        }
        (None, Some(y)) => {
            Ok(y > 0 && heap.unify(args[0], Cell::Const(Constant::Int(y - 1)), statics))
        }
        (None, None) => Err(ProverError::Unbound("succ/2")),
    }
}

fn plus(args: &[Cell], heap: &mut Heap, statics: &[Cell]) -> Result<bool, ProverError> {
    let value = |i: usize| integer(args[i], heap, "plus/3");
    let (target, result) = match (value(0)?, value(1)?, value(2)?) {
        (Some(x), Some(y), _) => (2, x.checked_add(y)),
        (Some(x), None, Some(z)) => (1, z.checked_sub(x)),
        (None, Some(y), Some(z)) => (0, z.checked_sub(y)),
        _ => return Err(ProverError::Unbound("plus/3")),
    };
    let result = int_cell(result, "plus/3")?;
    Ok(heap.unify(args[target], result, statics))
}

fn length(args: &[Cell], heap: &mut Heap, statics: &[Cell]) -> Result<bool, ProverError> {
    let mut n = 0i64;
    let mut rest = heap.deref(args[0]);
    loop {
        match rest {
            Cell::Const(Constant::Symbol(Symbol::NIL)) => {
                return Ok(heap.unify(args[1], Cell::Const(Constant::Int(n)), statics));
            }
            Cell::Struct(address)
                if heap.at(address, statics) == Cell::Functor(Symbol::CONS, 2) =>
            {
                n += 1;
                if !heap.spend(1) {
                    return Ok(false);
                }
                rest = heap.deref(heap.at(address + 2, statics));
            }
            Cell::Ref(_) => {
                // A partial list: its tail gets as many new items as the length asks for.
                let Some(total) = integer(args[1], heap, "length/2")? else {
                    return Err(ProverError::Unbound("length/2"));
                };
                if total < n || total > 1_000_000 {
                    return Ok(false);
                }
                let missing = u32::try_from(total - n).unwrap_or(u32::MAX);
                if !heap.spend(missing) {
                    return Ok(false);
                }
                let first = heap.variables(missing);
                let items: Vec<Cell> = (first..first + missing).map(Cell::Ref).collect();
                let list = heap.list(&items);
                return Ok(list.is_some_and(|list| heap.unify(rest, list, statics)));
            }
            _ => return Ok(false),
        }
    }
}
