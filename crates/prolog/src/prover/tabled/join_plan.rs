//! Plans of joins: single clauses are unfolded, and tests come as early as possible.

use super::goal::{TabledGoal, variables};
use super::native_goal::Place;
use crate::prover::{Database, NativeRelation};
use crate::schedule::tests_first;
use crate::term::{Literal, Var, unify_atoms};

/// A conjunction compiled for a [`TabledProver`](super::TabledProver), for quick tests with many values
/// of its given variables.
///
/// It succeeds where [`Prover::prove`](crate::Prover::prove) does, with two differences in the work:
/// goals whose predicates have one clause are unfolded or are joins themselves, and tests come as soon
/// as their variables have values. Answers of native relations are tried as they come, without any
/// term being built. The goals must not have side effects or contain a cut.
#[derive(Debug)]
pub struct Join<'d> {
    pub(super) goals: Vec<Goal<'d>>,
    pub(super) n_vars: usize,
}

/// A goal of a join.
#[derive(Debug)]
pub(super) struct Goal<'d> {
    pub(super) positive: bool,
    /// Whether one answer is enough.
    pub(super) is_test: bool,
    pub(super) ask: Ask<'d>,
}

/// The way to answer a goal of a join.
#[derive(Debug)]
pub(super) enum Ask<'d> {
    Native(&'d (dyn NativeRelation + 'd), Box<[Place]>),
    /// A goal of the prover, and its variables.
    Prover(TabledGoal, Box<[usize]>),
}

/// Most goals unfolded.
const MAX_UNFOLDED: usize = 1000;

/// Unfolds goals: each goal whose predicate has one clause is replaced by the body of that clause,
/// unless this binds a given variable or one of an earlier negated goal.
pub(super) fn unfolded(goals: &[Literal], given: &[Var], db: &Database) -> Vec<Literal> {
    let mut goals = goals.to_vec();
    let bound = goals
        .iter()
        .flat_map(variables)
        .chain(given.iter().copied());
    let mut bound = bound.map(|var| var.0 + 1).max().unwrap_or(0);
    let mut fixed = given.to_vec();
    let (mut place, mut n) = (0, 0);
    while let Some(goal) = goals.get(place) {
        let instead = goal.positive.then(|| db.only_clause(&goal.atom)).flatten();
        let unfolding = instead.filter(|_| n < MAX_UNFOLDED).and_then(|clause| {
            let clause = clause.shifted(bound);
            let theta = unify_atoms(&clause.head, &goal.atom)?;
            let is_free = |var: &Var| theta.get(*var).is_none();
            fixed.iter().all(is_free).then_some((clause, theta))
        });
        let Some((clause, theta)) = unfolding else {
            if !goal.positive {
                fixed.extend(variables(goal));
            }
            place += 1;
            continue;
        };
        n += 1;
        bound = bound.max(clause.var_bound());
        goals.splice(place..=place, clause.body);
        for goal in &mut goals {
            *goal = theta.apply_literal(goal);
        }
    }
    goals
}

/// A literal, and whether one answer is enough.
pub(super) type OrderedLiteral = (Literal, bool);

/// The literals in the order in which they are tried; `known` tells the variables with values.
pub(super) fn in_order(goals: &[Literal], known: &[bool]) -> Vec<OrderedLiteral> {
    let vars: Vec<Vec<Var>> = goals.iter().map(variables).collect();
    let mut users = vec![0; known.len()];
    for var in vars.iter().flatten() {
        users[var.index()] += 1;
    }
    // A variable that no other goal mentions needs no value.
    let waits = |goal: usize| {
        let vars = vars[goal].iter().map(|var| var.index());
        Some(vars.filter(|&var| !known[var] && users[var] > 1))
    };
    let binds = |goal: usize| {
        let vars = vars[goal].iter().map(|var| var.index());
        vars.filter(move |_| goals[goal].positive)
    };
    let turns = tests_first(goals.len(), known.len(), waits, binds);
    let ordered = turns
        .iter()
        .map(|turn| (goals[turn.goal].clone(), turn.is_test));
    ordered.collect()
}

/// A goal, or a negated goal, as its predicate's only clause defines it; for constants as the values of
/// its variables.
#[derive(Debug)]
pub(super) struct Definition<'d> {
    /// The arguments of the head at the places of the goal's variables.
    pub(super) head: Box<[Place]>,
    pub(super) body: Join<'d>,
}
