//! Walks over whole values: copying, comparing, looking for variables and for cycles.

use std::cmp::Ordering;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Heap;
use crate::prover::ProverError;
use crate::prover::cell::{Cell, STATIC};
use crate::term::{Constant, Height, Term, Var};

/// Addresses of unbound variables, numbered in the order in which they are met.
pub(in crate::prover) type VarNumbers = IndexSet<u32, FxBuildHasher>;

impl Heap {
    /// Appends a copy of a value, the root first and every structure after the one it is part of;
    /// addresses count from the root. `statics` also copies the ground terms of the database, and
    /// `var` gives the reference for an unbound variable from its address and its place.
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
    pub(in crate::prover) fn record(&self, cell: Cell, statics: &[Cell], records: &mut Vec<Cell>) {
        let mut places: FxHashMap<u32, u32> = FxHashMap::default();
        let mut var = |address, place| *places.entry(address).or_insert(place);
        self.copy(cell, statics, false, records, &mut var);
    }

    /// Puts a recorded copy back on the heap.
    pub(in crate::prover) fn recall(&mut self, record: &[Cell]) -> Cell {
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
    /// [`ProverError::TooDeep`] for a term nested deeper than terms may be.
    pub(in crate::prover) fn to_term(
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
    pub(in crate::prover) fn is_ground(&self, cell: Cell) -> bool {
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
    pub(in crate::prover) fn compare(
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
    pub(in crate::prover) fn is_cyclic(&self, cell: Cell) -> bool {
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
