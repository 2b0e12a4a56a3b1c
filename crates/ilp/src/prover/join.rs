//! Conjunctions over constants, tried from left to right.

use std::ops::ControlFlow;

use super::database::Database;
use super::direct::Place;
use super::tabled::{TabledGoal, TabledProver, variables};
use super::{NativeRelation, Proof, ProverError};
use crate::term::{Constant, Literal, Term, Var, unify_atoms};

/// Native relations with more arguments are asked through the prover.
const MAX_ARITY: usize = 8;

/// A conjunction made ready for a [`TabledProver`], for many quick tests with other values of its first
/// variables.
///
/// It is tried as [`Prover::prove`](super::Prover::prove) would, but for predicates with one clause, of
/// which the clause takes the place or is a conjunction of this kind itself, and for tests, which come
/// as soon as the values of their variables are known. Answers of native relations are tried as they
/// come, and nothing is built for them. The goals must not have side effects or contain a cut.
#[derive(Debug)]
pub struct Join<'d> {
    goals: Vec<Goal<'d>>,
    pub(super) n_vars: usize,
}

#[derive(Debug)]
struct Goal<'d> {
    positive: bool,
    /// Whether one answer is enough.
    is_test: bool,
    ask: Ask<'d>,
}

#[derive(Debug)]
enum Ask<'d> {
    Native(&'d (dyn NativeRelation + 'd), Box<[Place]>),
    /// A goal of the prover, and its variables.
    Prover(TabledGoal, Box<[usize]>),
}

/// What came of the goals from one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Proved,
    Refuted,
    /// Too many goals were tried, or an answer is no constant.
    Undecided,
}

/// Most goals put in the place of others.
const MAX_UNFOLDED: usize = 1000;

/// The goals with what their only clauses say instead of them, unless that gives a value to a variable
/// that is given or that a negation before them speaks of.
fn unfolded(goals: &[Literal], given: &[Var], db: &Database) -> Vec<Literal> {
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
        let said = instead.filter(|_| n < MAX_UNFOLDED).and_then(|clause| {
            let clause = clause.shifted(bound);
            let theta = unify_atoms(&clause.head, &goal.atom)?;
            let is_free = |var: &Var| theta.get(*var).is_none();
            fixed.iter().all(is_free).then_some((clause, theta))
        });
        let Some((clause, theta)) = said else {
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
type Ordered = (Literal, bool);

/// The literals in the order in which they are tried; `known` tells the variables with values.
fn in_order(goals: &[Literal], known: &mut [bool]) -> Vec<Ordered> {
    let mut users = vec![0; known.len()];
    for literal in goals {
        for var in variables(literal) {
            users[var.index()] += 1;
        }
    }
    let mut left: Vec<&Literal> = goals.iter().collect();
    let mut ordered = Vec::with_capacity(goals.len());
    while !left.is_empty() {
        // What nothing else speaks of needs no value.
        let is_test = |literal: &&Literal| {
            let vars = variables(literal);
            vars.iter()
                .all(|var| known[var.index()] || (users[var.index()] == 1))
        };
        let place = left.iter().position(is_test);
        let literal = left.remove(place.unwrap_or(0));
        for var in variables(literal) {
            known[var.index()] |= literal.positive;
        }
        ordered.push((literal.clone(), place.is_some()));
    }
    ordered
}

impl<'d> TabledProver<'d> {
    /// Makes a conjunction ready; `given` are the variables that will have values.
    ///
    /// # Errors
    /// [`ProverError::NotCallable`] for a number as a goal.
    pub fn join(&mut self, goals: &[Literal], given: &[Var]) -> Result<Join<'d>, ProverError> {
        let goals = unfolded(goals, given, self.prover.db);
        let vars = goals.iter().flat_map(variables);
        let vars = vars.chain(given.iter().copied());
        let n_vars = vars.map(|var| var.index() + 1).max().unwrap_or(0);
        let mut known = vec![false; n_vars];
        for var in given {
            known[var.index()] = true;
        }
        let goals = in_order(&goals, &mut known).into_iter();
        let goals = goals.map(|(literal, is_test)| {
            let goal = self.goal(&literal)?;
            let vars = variables(&literal);
            let vars: Box<[usize]> = vars.iter().map(|var| var.index()).collect();
            let native = self.direct(goal).map(|direct| direct.asks(&vars));
            Ok(Goal {
                positive: literal.positive,
                is_test,
                ask: match native.filter(|(_, args)| args.len() <= MAX_ARITY) {
                    Some((relation, args)) => Ask::Native(relation, args),
                    None => Ask::Prover(goal, vars),
                },
            })
        });
        Ok(Join {
            goals: goals.collect::<Result<_, ProverError>>()?,
            n_vars,
        })
    }

    /// Whether a conjunction holds with the values of the variables that were said to be given; none
    /// if more goals would have to be tried than `max`, or if values are no constants.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn test(
        &mut self,
        join: &Join<'d>,
        given: &[(Var, Term)],
        max: u64,
    ) -> Result<Option<bool>, ProverError> {
        let mut values = vec![None; join.n_vars];
        for (var, value) in given {
            let Term::Const(value) = value else {
                return Ok(None);
            };
            values[var.index()] = Some(*value);
        }
        self.test_with(join, values, &mut { max })
    }

    /// The same with these values of all variables, as far as they are known; takes the goals that
    /// were tried from those that are left.
    pub(super) fn test_with(
        &mut self,
        join: &Join<'d>,
        values: Vec<Option<Constant>>,
        left: &mut u64,
    ) -> Result<Option<bool>, ProverError> {
        let mut search = Search {
            prover: self,
            goals: &join.goals,
            values,
            left,
        };
        Ok(match search.run(0)? {
            Outcome::Proved => Some(true),
            Outcome::Refuted => Some(false),
            Outcome::Undecided => None,
        })
    }
}

struct Search<'s, 'd> {
    prover: &'s mut TabledProver<'d>,
    goals: &'s [Goal<'d>],
    values: Vec<Option<Constant>>,
    left: &'s mut u64,
}

impl Search<'_, '_> {
    fn run(&mut self, place: usize) -> Result<Outcome, ProverError> {
        let goals = self.goals;
        let Some(goal) = goals.get(place) else {
            return Ok(Outcome::Proved);
        };
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(Outcome::Undecided);
        };
        *self.left = left;
        match &goal.ask {
            Ask::Native(relation, args) => self.native(place, goal, *relation, args),
            Ask::Prover(asked, vars) => self.proved(place, goal, *asked, vars),
        }
    }

    fn native(
        &mut self,
        place: usize,
        goal: &Goal<'_>,
        relation: &dyn NativeRelation,
        args: &[Place],
    ) -> Result<Outcome, ProverError> {
        let mut bound = [None; MAX_ARITY];
        for (own, arg) in bound.iter_mut().zip(args) {
            *own = match *arg {
                Place::Var(var) => self.values[var],
                Place::Is(constant) => Some(constant),
            };
        }
        let bound = &bound[..args.len()];
        let signature = relation.signature();
        if !signature.allows(|i| bound[i].is_some()) {
            return Err(ProverError::Mode(signature.predicate));
        }
        let is_test = goal.is_test || !goal.positive;
        let mut holds = false;
        let mut found = Ok(Outcome::Refuted);
        relation.solve(bound, &mut |tuple| {
            let agrees = tuple.len() == args.len()
                && args.iter().zip(tuple).all(|(arg, own)| match *arg {
                    Place::Var(var) => *self.values[var].get_or_insert(*own) == *own,
                    Place::Is(constant) => constant == *own,
                });
            if agrees {
                holds = true;
                if !is_test {
                    found = self.run(place + 1);
                }
            }
            for (arg, own) in args.iter().zip(bound) {
                if let (Place::Var(var), None) = (arg, own) {
                    self.values[*var] = None;
                }
            }
            let goes_on = !agrees || (!is_test && found == Ok(Outcome::Refuted));
            if goes_on {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        if !is_test {
            found
        } else if holds == goal.positive {
            self.run(place + 1)
        } else {
            Ok(Outcome::Refuted)
        }
    }

    fn proved(
        &mut self,
        place: usize,
        goal: &Goal<'_>,
        own: TabledGoal,
        vars: &[usize],
    ) -> Result<Outcome, ProverError> {
        let asked = (0..).zip(vars).map(|(number, &var)| {
            let value = self.values[var].map(Term::Const);
            value.unwrap_or(Term::var(number))
        });
        let asked: Vec<Term> = asked.collect();
        if !goal.positive || goal.is_test {
            return match self.prover.prove_within(own, &asked, self.left)? {
                Proof::Proved => self.run(place + 1),
                Proof::Refuted => Ok(Outcome::Refuted),
                _ => Ok(Outcome::Undecided),
            };
        }
        let answers = self.prover.answers_once(own, &asked)?;
        let mut found = Outcome::Refuted;
        'answers: for answer in &answers.bindings {
            for (&var, value) in vars.iter().zip(answer) {
                let Term::Const(value) = value else {
                    found = Outcome::Undecided;
                    break 'answers;
                };
                self.values[var] = Some(*value);
            }
            found = self.run(place + 1)?;
            if found != Outcome::Refuted {
                break;
            }
        }
        for (&var, value) in vars.iter().zip(&asked) {
            if let Term::Var(_) = value {
                self.values[var] = None;
            }
        }
        let is_open = found == Outcome::Refuted && answers.end.is_cut_short();
        Ok(if is_open { Outcome::Undecided } else { found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prover::tests::{database, database_with_differences};
    use crate::{Limits, SymbolTable, read_clause};

    const PROGRAM: &str = "p(1). p(2). p(3). p(4). q(1,2). q(2,3). q(4,4). r(3). s(f(3)).
        near(A,B) :- q(A,B). near(A,B) :- q(B,A). same(A,A) :- p(A).
        both(f(A,A2),A2) :- q(A,A2), p(A). odd(A) :- p(A), !, A > 1.";

    /// Asks of the values 0 to 5.
    fn same_as_the_prover(db: &Database, symbols: &mut SymbolTable, query: &str) {
        let clause = read_clause(query, symbols).expect("valid");
        let mut prover = TabledProver::new(db, Limits::default());
        let join = prover.join(&clause.body, &[Var(0)]).expect("callable");
        for value in 0..6 {
            let value = Term::int(value);
            let goals: Vec<Literal> = (clause.body.iter())
                .map(|goal| {
                    goal.map_vars(&mut |var| match var {
                        Var(0) => value.clone(),
                        other => Term::Var(other),
                    })
                })
                .collect();
            let whole = prover.prove_apart(&goals).expect("provable");
            let found = prover.test(&join, &[(Var(0), value.clone())], 1000);
            assert_eq!(found, Ok(Some(whole.is_proved())), "{query} of {value:?}");
        }
    }

    #[test]
    fn a_join_says_what_the_prover_says() {
        let (db, mut symbols) = database(PROGRAM);
        for query in [
            "x(A) :- p(A), q(A,B), r(B)",
            "x(A) :- q(A,B), \\+ r(B), p(B)",
            "x(A) :- \\+ q(A,_), p(A)",
            "x(A) :- \\+ q(B,_), p(B), p(A)",
            "x(A) :- near(A,B), near(B,C), \\+ same(A,C)",
            "x(A) :- q(B,C), same(A,C), B < C",
            "x(A) :- q(A,A)",
            "x(A) :- p(B), q(B,C), C is A + 1, r(C)",
            "x(A) :- both(f(A,B),C), r(C), \\+ both(f(B,B),A)",
            "x(A) :- \\+ both(f(A,1),C), both(f(A,B),C)",
            "x(A) :- odd(A), odd(B)",
        ] {
            same_as_the_prover(&db, &mut symbols, query);
        }
    }

    #[test]
    fn native_relations_are_asked_as_the_prover_asks_them() {
        let (db, mut symbols, predicate) = database_with_differences(PROGRAM);
        for query in [
            "x(A) :- p(B), diff(A,B,3)",
            "x(A) :- p(B), \\+ diff(A,B,2), q(B,C), diff(B,C,0)",
            "x(A) :- diff(A,4,B), diff(B,1,B), p(B)",
            "x(A) :- diff(A,A,B), diff(B,A,C), r(C)",
            "x(A) :- p(B), diff(A,B,C), diff(C,B,99), \\+ p(C)",
            "x(A) :- diff(3,1,A)",
            "x(A) :- \\+ diff(A,3,_), p(A)",
        ] {
            same_as_the_prover(&db, &mut symbols, query);
        }
        let clause = read_clause("x(A) :- diff(B,A,1)", &mut symbols).expect("valid");
        let mut prover = TabledProver::new(&db, Limits::default());
        let join = prover.join(&clause.body, &[Var(0)]).expect("callable");
        let found = prover.test(&join, &[(Var(0), Term::int(1))], 1000);
        assert_eq!(found, Err(ProverError::Mode(predicate)));
    }

    #[test]
    fn what_takes_too_long_or_is_no_constant_is_left_undecided() {
        let (db, mut symbols) = database(PROGRAM);
        let mut prover = TabledProver::new(&db, Limits::default());
        let mut test = |query: &str, max| {
            let clause = read_clause(query, &mut symbols).expect("valid");
            let join = prover.join(&clause.body, &[]).expect("callable");
            prover.test(&join, &[], max)
        };
        assert_eq!(test("x :- p(A), p(B), q(B,A), r(B)", 5), Ok(None));
        assert_eq!(test("x :- p(A), p(B), q(B,A), r(B)", 50), Ok(Some(false)));
        assert_eq!(test("x :- s(A), s(A)", 50), Ok(None));
    }
}
