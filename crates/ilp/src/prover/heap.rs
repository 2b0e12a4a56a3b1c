use std::cell::Cell as Counter;
use std::cmp::Ordering;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::ProverError;
use super::cell::{Cell, STATIC};
use super::code::{Arg, Code, DYNAMIC, Span};
use super::query::Limits;
use crate::term::{Constant, Height, Symbol, Term, Var};

/// Cells of terms that each step pays for.
pub(super) const CELLS_PER_STEP: u32 = 32;
/// References followed before they are paid for.
const FREE_REFERENCES: i64 = 64;

/// The memory of a running query: terms built so far, and which variables to unbind on
/// backtracking.
///
/// Walks over terms need no stack and are paid for with [`Heap::spend`]; once nothing is left they
/// end early, with whatever answer, and the machine gives the query up.
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

/// Addresses of unbound variables, numbered in the order in which they are met.
pub(super) type VarNumbers = IndexSet<u32, FxBuildHasher>;

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

    /// Forgets what was paid.
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
                        // What is still to be unified takes memory as well.
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

    /// Appends a copy of a value, the root first and every structure after the one it is part of;
    /// addresses count from the root. `statics` also copies the ground terms of the database, and
    /// `var` gives what stands for an unbound variable from its address and its place.
    ///
    /// False if the walk ends early.
    fn copy(
        &self,
        root: Cell,
        statics: &[Cell],
        with_statics: bool,
        copy: &mut Vec<Cell>,
        var: &mut impl FnMut(u32, u32) -> u32,
    ) -> bool {
        let base = copy.len();
        let relative = |place: usize| u32::try_from(place - base).unwrap_or(u32::MAX);
        copy.push(self.deref(root));
        if let Cell::Const(_) = copy[base] {
            return true;
        }
        let mut open = vec![base];
        while let Some(place) = open.pop() {
            match copy[place] {
                Cell::Ref(address) => copy[place] = Cell::Ref(var(address, relative(place))),
                Cell::Struct(address) if with_statics || address & STATIC == 0 => {
                    let Cell::Functor(name, arity) = self.at(address, statics) else {
                        continue;
                    };
                    if !self.spend(arity) || self.cells.len() + copy.len() > self.room {
                        self.left.set(-1);
                        return false;
                    }
                    let start = copy.len();
                    copy[place] = Cell::Struct(relative(start));
                    copy.push(Cell::Functor(name, arity));
                    copy.extend((1..=arity).map(|i| self.deref(self.at(address + i, statics))));
                    open.extend((start + 1..copy.len()).rev());
                }
                _ => {}
            }
        }
        true
    }

    /// Appends a copy for [`Heap::recall`] that outlives backtracking.
    pub(super) fn record(&self, cell: Cell, statics: &[Cell], records: &mut Vec<Cell>) {
        let mut places: FxHashMap<u32, u32> = FxHashMap::default();
        let mut var = |address, place| *places.entry(address).or_insert(place);
        self.copy(cell, statics, false, records, &mut var);
    }

    /// Puts a recorded copy back on the heap.
    pub(super) fn recall(&mut self, record: &[Cell]) -> Cell {
        let start = self.address();
        self.spend(u32::try_from(record.len()).unwrap_or(u32::MAX));
        self.cells.extend(record.iter().map(|&cell| match cell {
            Cell::Ref(place) => Cell::Ref(start + place),
            Cell::Struct(place) if place & STATIC == 0 => Cell::Struct(start + place),
            other => other,
        }));
        self.cells[start as usize]
    }

    /// Copies a value out of the heap; unbound variables are numbered by `vars`.
    ///
    /// # Errors
    /// [`ProverError::TooDeep`] for what is higher than terms may be.
    pub(super) fn to_term(
        &self,
        cell: Cell,
        vars: &mut VarNumbers,
        statics: &[Cell],
    ) -> Result<Term, ProverError> {
        let mut copy = Vec::new();
        let mut number = |address, _| {
            let (number, _) = vars.insert_full(address);
            u32::try_from(number).expect("fewer than 2^31 variables")
        };
        if !self.copy(cell, statics, true, &mut copy, &mut number) {
            return Ok(Term::NIL);
        }
        let leaf = |cell: Cell| match cell {
            Cell::Const(constant) => Term::Const(constant),
            Cell::Ref(number) => Term::Var(Var(number)),
            Cell::Functor(name, _) => Term::symbol(name),
            Cell::Struct(_) => Term::NIL,
        };
        // Parts come after the whole, so that from the back they are there when they are needed.
        let mut parts: Vec<(Term, Height)> = Vec::new();
        for place in (0..copy.len()).rev() {
            let Cell::Functor(name, arity) = copy[place] else {
                continue;
            };
            let args = copy[place + 1..=place + arity as usize].iter();
            let args: Vec<(Term, Height)> = args
                .map(|&arg| match arg {
                    Cell::Struct(_) => parts.pop().expect("every part was built"),
                    other => (leaf(other), Height::default()),
                })
                .collect();
            let height = Height::over(name, args.iter().map(|(_, height)| *height));
            if !height.fits() {
                return Err(if self.is_cyclic(cell) {
                    ProverError::Cyclic
                } else {
                    ProverError::TooDeep
                });
            }
            let term = Term::Compound(name, args.into_iter().map(|(term, _)| term).collect());
            parts.push((term, height));
        }
        Ok(parts.pop().map_or_else(|| leaf(copy[0]), |(term, _)| term))
    }

    /// Whether no unbound variable occurs.
    pub(super) fn is_ground(&self, cell: Cell) -> bool {
        let mut open = vec![cell];
        while let Some(cell) = open.pop() {
            match self.deref(cell) {
                Cell::Ref(_) => return false,
                Cell::Struct(address) if address & STATIC == 0 => {
                    let Cell::Functor(_, arity) = self.cells[address as usize] else {
                        continue;
                    };
                    if !self.spend(arity) || open.len() > self.room {
                        self.left.set(-1);
                        return false;
                    }
                    let args = address as usize + 1..=(address + arity) as usize;
                    open.extend(&self.cells[args]);
                }
                _ => {}
            }
        }
        true
    }

    /// The order of two values: that of the first parts, from the left, of which at most one is
    /// compound. Compound terms go by arity, then by name; `leaves` says how names and other parts
    /// compare.
    pub(super) fn compare(
        &self,
        a: Cell,
        b: Cell,
        statics: &[Cell],
        leaves: &impl Fn(Cell, Cell) -> Ordering,
    ) -> Ordering {
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            let (a, b) = (self.deref(a), self.deref(b));
            if a == b {
                continue;
            }
            let (Cell::Struct(x), Cell::Struct(y)) = (a, b) else {
                match leaves(a, b) {
                    Ordering::Equal => continue,
                    unequal => return unequal,
                }
            };
            let (f, g) = (self.at(x, statics), self.at(y, statics));
            let (Cell::Functor(name, arity), Cell::Functor(other, other_arity)) = (f, g) else {
                continue;
            };
            let order = arity.cmp(&other_arity).then_with(|| {
                let names = [name, other].map(|name| Cell::Const(Constant::Symbol(name)));
                leaves(names[0], names[1])
            });
            if order.is_ne() {
                return order;
            }
            if !self.spend(arity) || 2 * open.len() > self.room {
                self.left.set(-1);
                return Ordering::Less;
            }
            let pairs = (1..=arity).rev();
            open.extend(pairs.map(|i| (self.at(x + i, statics), self.at(y + i, statics))));
        }
        Ordering::Equal
    }

    /// Whether a value is part of itself. Looks at each structure once.
    pub(super) fn is_cyclic(&self, cell: Cell) -> bool {
        // Structures whose parts are being looked at, and those that are done.
        let mut inside: FxHashMap<u32, bool> = FxHashMap::default();
        let mut open = vec![(cell, false)];
        while let Some((cell, leave)) = open.pop() {
            let Cell::Struct(address) = self.deref(cell) else {
                continue;
            };
            if address & STATIC != 0 {
                continue;
            }
            if leave {
                inside.insert(address, false);
                continue;
            }
            match inside.get(&address) {
                Some(true) => return true,
                Some(false) => continue,
                None => {}
            }
            inside.insert(address, true);
            open.push((Cell::Struct(address), true));
            if let Cell::Functor(_, arity) = self.cells[address as usize] {
                let args = address as usize + 1..=(address + arity) as usize;
                open.extend(self.cells[args].iter().map(|&arg| (arg, false)));
            }
        }
        false
    }
}

/// Appends a term, whose addresses get a tag; `var` gives what stands for a variable, and may
/// append cells of its own.
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
