//! Goals that are a call of one native relation.

use std::ops::ControlFlow;

use crate::prover::code::{Arg, Code, DYNAMIC, Goal, Rule, Span, Target};
use crate::prover::{Database, NativeRelation, ProverError};
use crate::term::{Constant, Term};

/// A call of a native relation, or the negation of one, over variables and constants: it needs no code
/// to run.
#[derive(Debug)]
pub(super) struct NativeGoal<'d> {
    pub(super) positive: bool,
    relation: &'d (dyn NativeRelation + 'd),
    args: Box<[Place]>,
    bound: Vec<Option<Constant>>,
    given: Vec<Option<Constant>>,
    row: Vec<Option<Constant>>,
    values: Vec<Constant>,
}

/// An argument of the relation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A variable, by its number.
    Var(usize),
    Is(Constant),
}

impl<'d> NativeGoal<'d> {
    /// The only goal of a rule of the query's code, if it is one.
    pub(super) fn new(rule: Rule, code: &Code, db: &'d Database) -> Option<Self> {
        let only = |span: Span| {
            let start = (span.start & !DYNAMIC) as usize;
            (span.len == 1).then(|| code.goals[start])
        };
        let (positive, goal) = match only(rule.body)? {
            Goal::Not(block) => (false, only(block)?),
            goal => (true, goal),
        };
        let Goal::Call(Target::Entry(entry), span) = goal else {
            return None;
        };
        let entry = &db.entries[entry as usize];
        let start = (span.start & !DYNAMIC) as usize;
        let args = code.args[start..start + span.len as usize].iter();
        let args = args.map(|arg| match *arg {
            Arg::Var(var) => Some(Place::Var(var as usize)),
            Arg::Const(constant) => Some(Place::Is(constant)),
            Arg::Static(_) | Arg::Struct(..) => None,
        });
        Some(Self {
            positive,
            relation: entry.native.as_deref().filter(|_| entry.defined)?,
            args: args.collect::<Option<_>>()?,
            bound: Vec::new(),
            given: Vec::new(),
            row: Vec::new(),
            values: Vec::new(),
        })
    }

    /// The relation and its arguments, with these numbers for the variables.
    pub(super) fn asks(&self, vars: &[usize]) -> (&'d (dyn NativeRelation + 'd), Box<[Place]>) {
        let args = self.args.iter().map(|arg| match *arg {
            Place::Var(place) => Place::Var(vars[place]),
            Place::Is(constant) => Place::Is(constant),
        });
        (self.relation, args.collect())
    }

    /// Gives the values of the goal's variables in each tuple of the relation that agrees with those
    /// that are known, until `found` breaks. False if the goal has to be carried out: a value is
    /// compound, or an open variable stands for another one.
    pub(super) fn ask(
        &mut self,
        known: &[Term],
        mut found: impl FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Result<bool, ProverError> {
        let is_plain = |(value, place): (&Term, u32)| match value {
            Term::Const(_) => true,
            Term::Var(var) => var.0 == place,
            Term::Compound(..) => false,
        };
        if !known.iter().zip(0..).all(is_plain) {
            return Ok(false);
        }
        let Self {
            relation,
            args,
            bound,
            given,
            row,
            values,
            ..
        } = self;
        given.clear();
        given.extend(known.iter().map(|value| match *value {
            Term::Const(constant) => Some(constant),
            _ => None,
        }));
        bound.clear();
        bound.extend(args.iter().map(|arg| match *arg {
            Place::Var(place) => given[place],
            Place::Is(constant) => Some(constant),
        }));
        let signature = relation.signature();
        if !signature.allows(|i| bound[i].is_some()) {
            return Err(ProverError::Mode(signature.predicate));
        }
        relation.solve(bound, &mut |tuple| {
            row.clear();
            row.extend_from_slice(given);
            let agrees = tuple.len() == args.len()
                && args.iter().zip(tuple).all(|(arg, own)| match *arg {
                    Place::Var(place) => *row[place].get_or_insert(*own) == *own,
                    Place::Is(constant) => constant == *own,
                });
            if !agrees {
                return ControlFlow::Continue(());
            }
            values.clear();
            values.extend(row.iter().flatten());
            found(values)
        })?;
        Ok(true)
    }
}
