//! The search in the middle of a theory: what its parts read and change.

use std::cell::RefCell;
use std::rc::Rc;

use kibitz_prolog::BitSet;

use super::super::Foil;
use super::super::candidates::{Candidates, Effect, Pick};
use super::super::formation::VarInfo;
use super::super::table::{Meter, Rows, Tuples};
use crate::encoded::EncodedProblem;
use crate::eval::{Lit, Places, TerminationOrder};
use crate::learn::proof_count::ProofCount;
use crate::learn::{Progress, Stop};
use crate::task::Task;

/// Gains and bits that differ by less are equal.
pub(super) const EPSILON: f64 = 1e-9;

/// A finished clause and the examples it covers.
pub(super) struct FinishedClause {
    pub(super) lits: Vec<Lit>,
    pub(super) covered: [BitSet; 2],
}

/// A clause under construction.
#[derive(Clone)]
pub(super) struct PartialClause {
    pub(super) lits: Vec<Lit>,
    pub(super) vars: Vec<VarInfo>,
    /// By variable, the relation of the determinate literal that introduced it.
    pub(super) determined_by: Vec<Option<u32>>,
    /// Whether all literals with new variables are determinate.
    pub(super) is_determinate: bool,
    pub(super) tuples: Tuples,
    pub(super) candidates: Rc<Candidates>,
    /// Places of the literals that were added for the values they offer.
    pub(super) offers: Vec<usize>,
    /// Encoding length of the literals, in bits.
    pub(super) bits: f64,
    pub(super) weak: usize,
}

pub(super) struct Search<'a> {
    pub(super) problem: &'a EncodedProblem,
    pub(super) task: &'a Task,
    pub(super) params: &'a Foil,
    pub(super) proofs: ProofCount<'a>,
    pub(super) max_depth: u8,
    pub(super) progress: RefCell<&'a mut dyn Progress>,
    pub(super) base_vars: Vec<VarInfo>,
    pub(super) base: Rc<Candidates>,
    pub(super) base_rows: [Rc<Rows>; 2],
    /// Arguments of the head for which clauses give a constant, and can.
    pub(super) constant_places: Vec<usize>,
    pub(super) uncovered: BitSet,
    pub(super) termination: TerminationOrder,
    /// Places at which all recursive literals so far are smaller than their heads.
    pub(super) places: Vec<Places>,
    /// Whether a clause of the theory has calls that end only if answers are bounded as the examples are.
    pub(super) needs_trust: bool,
    pub(super) offers: Offers,
    /// Whether a literal of the clause in the making was added for the values it offers.
    pub(super) has_offered: bool,
    /// Determinate literals that were left out, since the literals over their variables are too many.
    pub(super) n_left_out: usize,
    pub(super) theory: Vec<FinishedClause>,
    /// log₂ of the factorials up to the number of examples.
    pub(super) factorials: Vec<f64>,
    pub(super) meter: Meter,
    pub(super) stopped: Option<Stop>,
}

/// The result of one round of candidate evaluation.
#[derive(Default)]
pub(super) struct Ranking {
    /// Candidates with a gain, best first.
    pub(super) gains: Vec<(f64, Pick, Effect)>,
    pub(super) determinate: Vec<(Pick, Effect)>,
    /// Literals that only introduce variables: all positive tuples are kept.
    pub(super) weak: Vec<(f64, Pick)>,
    /// Why not every candidate was evaluated.
    pub(super) stopped: Option<Stop>,
}

/// Whether determinate literals that only offer values count towards the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offers {
    Free,
    Counted,
}
