mod walk;

use std::cell::Cell as Counter;

use super::cell::{Cell, STATIC};
use super::code::{Arg, Code, DYNAMIC, Span};
use super::limits::Limits;
use crate::term::{Constant, Symbol, Term, Var};

pub(super) use walk::VarNumbers;

/// Cells of terms that each step pays for.
pub(super) const CELLS_PER_STEP: u32 = 32;
/// References followed before they are paid for.
const FREE_REFERENCES: i64 = 64;

/// The memory of a running query: terms built so far, and which variables to unbind on
/// backtracking.
///
/// Walks over terms need no stack and are paid for with [`Heap::spend`]; once nothing is left they
/// end early, with an arbitrary answer, and the machine gives the query up.
#[derive(Debug, Default)]
pub(super) struct Heap {
    pub(super) cells: Vec<Cell>,
    pub(super) trail: Vec<u32>,
    work: Vec<(Cell, Cell)>,
    /// Cells that may still be looked at or built; below 0 the query is over.
    left: Counter<i64>,
    granted: i64,
    /// Most cells.
    room: usize,
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
    /// An empty heap for a query with these limits.
    pub(super) fn clear(&mut self, limits: Limits) {
        self.cells.clear();
        self.trail.clear();
        self.granted = i64::try_from(limits.steps)
            .unwrap_or(i64::MAX)
            .saturating_mul(CELLS_PER_STEP.into());
        self.left.set(self.granted);
        self.room = (limits.memory / size_of::<Cell>()).min(STATIC as usize / 2);
    }

    /// Pays for cells; false once nothing is left.
    pub(super) fn spend(&self, cells: u32) -> bool {
        self.left.set(self.left.get() - i64::from(cells));
        self.left.get() >= 0
    }

    /// Cells paid for since the query began or since [`Heap::settle`].
    pub(super) fn spent(&self) -> i64 {
        self.granted - self.left.get()
    }

    /// Begins a new account of cells paid for.
    pub(super) fn settle(&mut self) {
        self.granted = self.left.get();
    }

    /// Whether a limit is met.
    pub(super) fn is_over(&self) -> bool {
        self.left.get() < 0 || self.is_full()
    }

    /// Whether there is no room for more cells.
    pub(super) fn is_full(&self) -> bool {
        self.cells.len() > self.room
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Cell>() * self.cells.len() + size_of::<u32>() * self.trail.len()
    }

    pub(super) fn address(&self) -> u32 {
        u32::try_from(self.cells.len()).expect("the room is below 2^31 cells")
    }

    /// Fresh variables, one after the other; the address of the first.
    pub(super) fn variables(&mut self, n: u32) -> u32 {
        let start = self.address();
        self.cells.extend((start..start + n).map(Cell::Ref));
        start
    }

    /// Follows references to a value or an unbound variable.
    pub(super) fn deref(&self, mut cell: Cell) -> Cell {
        let mut followed = 0;
        while let Cell::Ref(address) = cell {
            let next = self.cells[address as usize];
            if next == cell {
                break;
            }
            cell = next;
            followed += 1;
        }
        if followed > FREE_REFERENCES {
            self.left.set(self.left.get() - followed);
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
                        // The pairs still to be unified take memory as well.
                        if !self.spend(arity) || 2 * self.work.len() > self.room {
                            self.left.set(-1);
                            self.work.clear();
                            return false;
                        }
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
    pub(super) fn unify_arg(
        &mut self,
        mut arg: Arg,
        env: u32,
        mut value: Cell,
        s: Sources<'_>,
    ) -> bool {
        loop {
            return match arg {
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
                Arg::Static(address) => {
                    self.unify(Cell::Struct(address | STATIC), value, s.statics)
                }
                Arg::Struct(name, span) => match self.deref(value) {
                    Cell::Struct(address) => {
                        let last = span.len - 1;
                        if self.at(address, s.statics) != Cell::Functor(name, span.len)
                            || !(0..last).all(|i| {
                                let part = self.at(address + 1 + i, s.statics);
                                self.unify_arg(s.arg(span, i), env, part, s)
                            })
                        {
                            return false;
                        }
                        // In a loop, so that long lists take no stack.
                        arg = s.arg(span, last);
                        value = self.at(address + span.len, s.statics);
                        continue;
                    }
                    Cell::Ref(address) => {
                        let built = self.build(arg, env, s);
                        self.bind(address, built);
                        true
                    }
                    _ => false,
                },
            };
        }
    }

    /// The value of an argument as written in a clause.
    pub(super) fn build(&mut self, arg: Arg, env: u32, s: Sources<'_>) -> Cell {
        match arg {
            Arg::Var(n) => self.deref(Cell::Ref(env + n)),
            Arg::Const(constant) => Cell::Const(constant),
            Arg::Static(address) => Cell::Struct(address | STATIC),
            Arg::Struct(name, span) => self.build_structure(name, span, env, s),
        }
    }

    fn build_structure(
        &mut self,
        mut name: Symbol,
        mut span: Span,
        env: u32,
        s: Sources<'_>,
    ) -> Cell {
        let root = Cell::Struct(self.address());
        loop {
            let start = self.address();
            self.cells.push(Cell::Functor(name, span.len));
            for i in 0..span.len {
                self.cells.push(Cell::Ref(start + 1 + i));
            }
            for i in 0..span.len - 1 {
                let part = self.build(s.arg(span, i), env, s);
                self.cells[(start + 1 + i) as usize] = part;
            }
            let last = s.arg(span, span.len - 1);
            let place = (start + span.len) as usize;
            // In a loop, so that long lists take no stack.
            if let Arg::Struct(inner, inner_span) = last {
                self.cells[place] = Cell::Struct(self.address());
                (name, span) = (inner, inner_span);
            } else {
                self.cells[place] = self.build(last, env, s);
                return root;
            }
        }
    }

    /// Puts a term on the heap; variable `n` of the term becomes `vars[n]`, extended as needed.
    pub(super) fn push_term(&mut self, term: &Term, vars: &mut Vec<Cell>) -> Cell {
        write_term(term, &mut self.cells, 0, &mut |var, cells| {
            while vars.len() <= var.index() {
                let own = u32::try_from(cells.len()).expect("the room is below 2^31 cells");
                cells.push(Cell::Ref(own));
                vars.push(Cell::Ref(own));
            }
            vars[var.index()]
        })
    }

    /// The list of these items; `None` if it takes too much.
    pub(super) fn list(&mut self, items: &[Cell]) -> Option<Cell> {
        let n_cells = u32::try_from(items.len()).ok()?.checked_mul(3)?;
        if !self.spend(n_cells) || self.cells.len() + n_cells as usize > self.room {
            self.left.set(-1);
            return None;
        }
        let nil = Cell::Const(Constant::Symbol(Symbol::NIL));
        let list = items.iter().rev().fold(nil, |tail, &head| {
            let start = self.address();
            self.cells
                .extend([Cell::Functor(Symbol::CONS, 2), head, tail]);
            Cell::Struct(start)
        });
        Some(list)
    }
}

/// Appends a term, whose addresses get a tag; `var` gives the cell of a variable, and may append
/// cells of its own.
pub(super) fn write_term(
    term: &Term,
    cells: &mut Vec<Cell>,
    tag: u32,
    var: &mut impl FnMut(Var, &mut Vec<Cell>) -> Cell,
) -> Cell {
    let mut root = Cell::Const(Constant::Symbol(Symbol::NIL));
    let mut open = vec![(None, term)];
    while let Some((place, term)) = open.pop() {
        let cell = match term {
            Term::Const(constant) => Cell::Const(*constant),
            Term::Var(own) => var(*own, cells),
            Term::Compound(name, args) => {
                let start = cells.len();
                let arity = u32::try_from(args.len()).expect("arity fits");
                cells.push(Cell::Functor(*name, arity));
                cells.resize(start + 1 + args.len(), root);
                let places = (start + 1..cells.len()).map(Some);
                open.extend(places.zip(args.iter()).rev());
                Cell::Struct(u32::try_from(start).expect("fewer than 2^31 cells") | tag)
            }
        };
        match place {
            Some(place) => cells[place] = cell,
            None => root = cell,
        }
    }
    root
}
