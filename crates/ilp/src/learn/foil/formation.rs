//! Literals over the variables of a clause, formed by the modes of the bias.

use indexmap::IndexSet;
use kibitz_prolog::{Direction, Symbol};
use rustc_hash::FxBuildHasher;

use crate::encoded::{EncodedMode, EncodedProblem};
use crate::eval::{Arg, Descent, Lit, Places, TerminationOrder};

/// Most constants tried at a constant argument of one relation.
const MAX_CONSTANTS: usize = 100;

/// A variable of a clause under construction.
#[derive(Clone, Copy, Debug)]
pub(in crate::learn) struct VarInfo {
    pub(in crate::learn) kind: Symbol,
    /// Literals between it and the head.
    pub(in crate::learn) depth: u8,
}

/// The literals that may be added to a clause.
pub(in crate::learn) struct Formation<'a> {
    pub(in crate::learn) problem: &'a EncodedProblem,
    /// The clause, and its variables.
    pub(in crate::learn) lits: &'a [Lit],
    pub(in crate::learn) vars: &'a [VarInfo],
    /// Most variables of the longer clause.
    pub(in crate::learn) max_vars: usize,
    /// Variables further than this from the head are not introduced.
    pub(in crate::learn) max_depth: u8,
    pub(in crate::learn) termination: &'a TerminationOrder,
    /// Places at which recursive literals may be smaller than the head.
    pub(in crate::learn) places: &'a [Places],
    /// Whether a literal may do nothing but name a variable a second time.
    pub(in crate::learn) names_twice: bool,
    /// Most literals, with those that are there already.
    pub(in crate::learn) max_literals: usize,
    /// Most arguments looked at for them.
    pub(in crate::learn) max_visited: usize,
}

/// Literals, each once.
pub(in crate::learn) type Lits = IndexSet<Lit, FxBuildHasher>;

impl Formation<'_> {
    /// Adds literals without new variables to `tests`, those that introduce some to `generators`.
    pub(in crate::learn) fn form(&self, tests: &mut Lits, generators: &mut Lits) {
        let problem = self.problem;
        let mut n_left = self.max_visited;
        let descent = (!self.places.is_empty())
            .then(|| Descent::new(self.termination, self.lits, self.places));
        // Whether the clause with this literal may call itself.
        let terminates = |lit: &Lit| {
            let call = self.termination.is_recursive(lit);
            !call || descent.as_ref().is_some_and(|own| own.permits(lit))
        };
        for mode in &problem.modes {
            let relation = &problem.relations[mode.relation as usize];
            if relation.len() == 0 {
                continue;
            }
            let (symmetric, identity) = (relation.is_symmetric(), relation.is_identity());
            let mut emit = |args: &[Arg]| {
                if tests.len() + generators.len() >= self.max_literals {
                    return false;
                }
                let is_bound = args.is_empty() || args.iter().any(|arg| arg.var().is_some());
                if !is_bound || (symmetric && args[0] > args[1]) {
                    return true;
                }
                let lit = Lit::positive(mode.relation, args);
                if !terminates(&lit) {
                    return true;
                }
                if lit.n_new() == 0 {
                    tests.insert(lit);
                } else if (self.names_twice || !identity) && self.may_introduce(&lit) {
                    generators.insert(lit);
                }
                true
            };
            let mut args = Vec::with_capacity(mode.arguments.len());
            self.fill(mode, &mut args, &mut n_left, &mut emit);
        }
    }

    fn may_introduce(&self, lit: &Lit) -> bool {
        let depths = lit.vars().map(|var| self.vars[var as usize].depth);
        self.vars.len() + lit.n_new() <= self.max_vars && depths.max().unwrap_or(0) < self.max_depth
    }

    /// Calls `emit` for every way to fill the arguments of a mode, until it returns false.
    fn fill(
        &self,
        mode: &EncodedMode,
        args: &mut Vec<Arg>,
        n_left: &mut usize,
        emit: &mut impl FnMut(&[Arg]) -> bool,
    ) -> bool {
        if *n_left == 0 {
            return false;
        }
        *n_left -= 1;
        let Some(&(direction, kind)) = mode.arguments.get(args.len()) else {
            *n_left = n_left.saturating_sub(args.len());
            return emit(args);
        };
        let mut with = |arg: Arg, args: &mut Vec<Arg>| {
            args.push(arg);
            let more = self.fill(mode, args, n_left, emit);
            args.pop();
            more
        };
        if direction == Direction::Constant {
            let values = self.problem.relations[mode.relation as usize].values(args.len());
            return values
                .into_iter()
                .take(MAX_CONSTANTS)
                .all(|value| with(Arg::Const(value), args));
        }
        if mode.is_exact && direction == Direction::Out {
            return with(Arg::New, args);
        }
        let known = (0u32..)
            .zip(self.vars)
            .filter(|(_, info)| info.kind == kind);
        for (var, _) in known {
            if !with(Arg::Var(var), args) {
                return false;
            }
        }
        direction != Direction::Out || with(Arg::New, args)
    }
}
