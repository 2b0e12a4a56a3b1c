use super::cell::{Cell, STATIC};
use super::code::{Arg, Code, DYNAMIC, Span};
use crate::term::{Constant, Symbol, Term};

/// The memory of a running query: terms built so far, and which variables to unbind on
/// backtracking.
#[derive(Debug, Default)]
pub(super) struct Heap {
    pub(super) cells: Vec<Cell>,
    pub(super) trail: Vec<u32>,
    work: Vec<(Cell, Cell)>,
}

/// Where arguments and ground terms are looked up.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) statics: &'a [Cell],
    pub(super) code: &'a Code,
    pub(super) dynamic: &'a Code,
}

impl Sources<'_> {
    pub(super) fn arg(&self, span: Span, i: u32) -> Arg {
        let index = span.start + i;
        if index & DYNAMIC == 0 {
            self.code.args[index as usize]
        } else {
            self.dynamic.args[(index & !DYNAMIC) as usize]
        }
    }
}

impl Heap {
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.trail.clear();
    }

    pub(super) fn address(&self) -> u32 {
        u32::try_from(self.cells.len()).expect("step limits keep the heap below 2^31 cells")
    }

    /// Fresh variables, one after the other; the address of the first.
    pub(super) fn variables(&mut self, n: u32) -> u32 {
        let start = self.address();
        self.cells.extend((start..start + n).map(Cell::Ref));
        start
    }

    /// Follows references to a value or an unbound variable.
    pub(super) fn deref(&self, mut cell: Cell) -> Cell {
        while let Cell::Ref(address) = cell {
            let next = self.cells[address as usize];
            if next == cell {
                break;
            }
            cell = next;
        }
        cell
    }

    pub(super) fn at(&self, address: u32, statics: &[Cell]) -> Cell {
        if address & STATIC == 0 {
            self.cells[address as usize]
        } else {
            statics[(address & !STATIC) as usize]
        }
    }

    fn bind(&mut self, address: u32, value: Cell) {
        self.cells[address as usize] = value;
        self.trail.push(address);
    }

    /// Unbinds everything bound since the trail had this length, and forgets later cells.
    pub(super) fn undo(&mut self, trail: usize, cells: usize) {
        for address in self.trail.drain(trail..).rev() {
            self.cells[address as usize] = Cell::Ref(address);
        }
        self.cells.truncate(cells);
    }

    pub(super) fn unify(&mut self, a: Cell, b: Cell, statics: &[Cell]) -> bool {
        debug_assert!(self.work.is_empty());
        self.work.push((a, b));
        while let Some((a, b)) = self.work.pop() {
            match (self.deref(a), self.deref(b)) {
                (a, b) if a == b => {}
                (Cell::Ref(x), Cell::Ref(y)) => {
                    // The younger variable points to the older one.
                    self.bind(x.max(y), Cell::Ref(x.min(y)));
                }
                (Cell::Ref(x), value) | (value, Cell::Ref(x)) => self.bind(x, value),
                (Cell::Struct(x), Cell::Struct(y)) => {
                    let (f, g) = (self.at(x, statics), self.at(y, statics));
                    if f != g {
                        self.work.clear();
                        return false;
                    }
                    if let Cell::Functor(_, arity) = f {
                        for i in 1..=arity {
                            self.work
                                .push((self.at(x + i, statics), self.at(y + i, statics)));
                        }
                    }
                }
                _ => {
                    self.work.clear();
                    return false;
                }
            }
        }
        true
    }

    /// Unifies an argument as written in a clause with a value.
    pub(super) fn unify_arg(&mut self, arg: Arg, env: u32, value: Cell, s: Sources<'_>) -> bool {
        match arg {
            Arg::Var(n) => {
                let address = env + n;
                if self.cells[address as usize] == Cell::Ref(address) {
                    // Newer than any choice point: no trail is needed.
                    let value = self.deref(value);
                    if value != Cell::Ref(address) {
                        self.cells[address as usize] = value;
                    }
                    true
                } else {
                    self.unify(Cell::Ref(address), value, s.statics)
                }
            }
            Arg::Const(constant) => match self.deref(value) {
                Cell::Const(own) => own == constant,
                Cell::Ref(address) => {
                    self.bind(address, Cell::Const(constant));
                    true
                }
                _ => false,
            },
            Arg::Static(address) => self.unify(Cell::Struct(address | STATIC), value, s.statics),
            Arg::Struct(name, span) => match self.deref(value) {
                Cell::Struct(address) => {
                    if self.at(address, s.statics) != Cell::Functor(name, span.len) {
                        return false;
                    }
                    (0..span.len).all(|i| {
                        let part = self.at(address + 1 + i, s.statics);
                        self.unify_arg(s.arg(span, i), env, part, s)
                    })
                }
                Cell::Ref(address) => {
                    let built = self.build(arg, env, s);
                    self.bind(address, built);
                    true
                }
                _ => false,
            },
        }
    }

    /// The value of an argument as written in a clause.
    pub(super) fn build(&mut self, arg: Arg, env: u32, s: Sources<'_>) -> Cell {
        match arg {
            Arg::Var(n) => self.deref(Cell::Ref(env + n)),
            Arg::Const(constant) => Cell::Const(constant),
            Arg::Static(address) => Cell::Struct(address | STATIC),
            Arg::Struct(name, span) => {
                let start = self.address();
                self.cells.push(Cell::Functor(name, span.len));
                for i in 0..span.len {
                    self.cells.push(Cell::Ref(start + 1 + i));
                }
                for i in 0..span.len {
                    let part = self.build(s.arg(span, i), env, s);
                    self.cells[(start + 1 + i) as usize] = part;
                }
                Cell::Struct(start)
            }
        }
    }

    /// Puts a term on the heap; variable `n` of the term becomes `vars[n]`, extended as needed.
    pub(super) fn push_term(&mut self, term: &Term, vars: &mut Vec<Cell>) -> Cell {
        match term {
            Term::Const(constant) => Cell::Const(*constant),
            Term::Var(var) => {
                while vars.len() <= var.index() {
                    let address = self.variables(1);
                    vars.push(Cell::Ref(address));
                }
                vars[var.index()]
            }
            Term::Compound(name, args) => {
                let parts: Vec<Cell> = args.iter().map(|arg| self.push_term(arg, vars)).collect();
                self.structure(*name, &parts)
            }
        }
    }

    pub(super) fn structure(&mut self, name: Symbol, args: &[Cell]) -> Cell {
        let start = self.address();
        let arity = u32::try_from(args.len()).expect("arity fits");
        self.cells.push(Cell::Functor(name, arity));
        self.cells.extend_from_slice(args);
        Cell::Struct(start)
    }

    /// The list of these items.
    pub(super) fn list(&mut self, items: &[Cell]) -> Cell {
        let nil = Cell::Const(Constant::Symbol(Symbol::NIL));
        items.iter().rev().fold(nil, |tail, &head| {
            self.structure(Symbol::CONS, &[head, tail])
        })
    }

    /// Copies a value out of the heap; unbound variables are numbered by `vars`, which lists their
    /// addresses.
    pub(super) fn to_term(&self, cell: Cell, vars: &mut Vec<u32>, statics: &[Cell]) -> Term {
        match self.deref(cell) {
            Cell::Const(constant) => Term::Const(constant),
            Cell::Ref(address) => {
                let known = vars.iter().position(|&own| own == address);
                let number = known.unwrap_or_else(|| {
                    vars.push(address);
                    vars.len() - 1
                });
                Term::var(u32::try_from(number).expect("fewer than 2^32 variables"))
            }
            Cell::Struct(address) => match self.at(address, statics) {
                Cell::Functor(name, arity) => Term::Compound(
                    name,
                    (1..=arity)
                        .map(|i| self.to_term(self.at(address + i, statics), vars, statics))
                        .collect(),
                ),
                _ => Term::NIL,
            },
            Cell::Functor(name, _) => Term::symbol(name),
        }
    }
}
