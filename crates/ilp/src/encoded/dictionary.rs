//! Dictionary encoding: ground terms as numbers.

use kibitz_prolog::{Constant, Term};
use rustc_hash::FxHashMap;

/// An index as a number of a term, variable or relation.
///
/// # Panics
/// Beyond 2³², which memory rules out.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 of anything")
}

const NONE: u32 = u32::MAX;
/// Integers below this are looked up in an array.
const SMALL_NUMBERS: usize = 4_096;

/// Ground terms as numbers, in the order in which they are met.
#[derive(Default)]
pub(super) struct Dictionary {
    /// By symbol and by small number; other terms by hash.
    symbols: Vec<u32>,
    small: Vec<u32>,
    others: FxHashMap<Term, u32>,
    pub(super) terms: Vec<Term>,
}

impl Dictionary {
    /// The number of a term, the next one if it is new.
    pub(super) fn number(&mut self, term: &Term) -> u32 {
        let next = number(self.terms.len());
        let place = match term {
            Term::Const(Constant::Symbol(symbol)) => Some((&mut self.symbols, symbol.index())),
            Term::Const(Constant::Int(value)) => usize::try_from(*value)
                .ok()
                .filter(|&value| value < SMALL_NUMBERS)
                .map(|value| (&mut self.small, value)),
            _ => None,
        };
        let known = match place {
            Some((numbers, index)) => {
                if index >= numbers.len() {
                    numbers.resize(index + 1, NONE);
                }
                let known = &mut numbers[index];
                if *known == NONE {
                    *known = next;
                }
                *known
            }
            None => *self.others.entry(term.clone()).or_insert(next),
        };
        if known == next {
            self.terms.push(term.clone());
        }
        known
    }
}
