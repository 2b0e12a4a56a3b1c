//! Conjunctions over constants, tried from left to right.

use std::ops::ControlFlow;

use super::direct::Place;
use super::tabled::{TabledGoal, TabledProver, variables};
use super::{NativeRelation, Proof, ProverError};
use crate::term::{Constant, Literal, Term, Var};

/// Native relations with more arguments are asked through the prover.
const MAX_ARITY: usize = 8;

/// A conjunction made ready for a [`TabledProver`], for many quick tests with other values of its first
/// variables.
///
/// It is tried as [`Prover::prove`](super::Prover::prove) would, but for tests, which come as soon as
/// the values of their variables are known. Answers of native relations are tried as they come, and
/// nothing is built for them. The goals must not have side effects or contain a cut.
#[derive(Debug)]
pub struct Join<'d> {
    goals: Vec<Goal<'d>>,
    n_vars: usize,
}

#[derive(Debug)]
struct Goal<'d> {
    positive: bool,
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

/// The literals in the order in which they are tried; `known` tells the variables with values.
fn in_order(goals: &[Literal], known: &mut [bool]) -> Vec<Literal> {
    let mut left: Vec<&Literal> = goals.iter().collect();
    let mut ordered = Vec::with_capacity(goals.len());
    while !left.is_empty() {
        let is_test = |literal: &&Literal| {
            let mut all = true;
            literal
                .atom
                .for_each_var(&mut |var| all &= known[var.index()]);
            all
        };
        let literal = left.remove(left.iter().position(is_test).unwrap_or(0));
        if literal.positive {
            (literal.atom).for_each_var(&mut |var| known[var.index()] = true);
        }
        ordered.push(literal.clone());
    }
    ordered
}

impl<'d> TabledProver<'d> {
    /// Makes a conjunction ready; `given` are the variables that will have values.
    ///
    /// # Errors
    /// [`ProverError::NotCallable`] for a number as a goal.
    pub fn join(&mut self, goals: &[Literal], given: &[Var]) -> Result<Join<'d>, ProverError> {
        let vars = goals
            .iter()
            .flat_map(variables)
            .chain(given.iter().copied());
        let n_vars = vars.map(|var| var.index() + 1).max().unwrap_or(0);
        let mut known = vec![false; n_vars];
        for var in given {
            known[var.index()] = true;
        }
        let goals = in_order(goals, &mut known).into_iter().map(|literal| {
            let goal = self.goal(&literal)?;
            let vars: Box<[usize]> = variables(&literal).iter().map(|var| var.index()).collect();
            let native = self.direct(goal).map(|direct| direct.asks(&vars));
            Ok(Goal {
                positive: literal.positive,
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
        let mut search = Search {
            prover: self,
            goals: &join.goals,
            values,
            left: max,
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
    left: u64,
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
        self.left = left;
        match &goal.ask {
            Ask::Native(relation, args) => self.native(place, *relation, args, goal.positive),
            Ask::Prover(goal_, vars) => self.proved(place, *goal_, vars, goal.positive),
        }
    }

    fn native(
        &mut self,
        place: usize,
        relation: &dyn NativeRelation,
        args: &[Place],
        positive: bool,
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
        let is_test = bound.iter().all(Option::is_some);
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
                if positive && !is_test {
                    found = self.run(place + 1);
                }
            }
            for (arg, own) in args.iter().zip(bound) {
                if let (Place::Var(var), None) = (arg, own) {
                    self.values[*var] = None;
                }
            }
            let goes_on = !agrees || (positive && !is_test && found == Ok(Outcome::Refuted));
            if goes_on {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        if positive && !is_test {
            found
        } else if holds == positive {
            self.run(place + 1)
        } else {
            Ok(Outcome::Refuted)
        }
    }

    fn proved(
        &mut self,
        place: usize,
        goal: TabledGoal,
        vars: &[usize],
        positive: bool,
    ) -> Result<Outcome, ProverError> {
        let asked = (0..).zip(vars).map(|(number, &var)| {
            let value = self.values[var].map(Term::Const);
            value.unwrap_or(Term::var(number))
        });
        let asked: Vec<Term> = asked.collect();
        if !positive || asked.iter().all(|value| matches!(value, Term::Const(_))) {
            return match self.prover.prove_once(goal, &asked)? {
                Proof::Proved => self.run(place + 1),
                Proof::Refuted => Ok(Outcome::Refuted),
                _ => Ok(Outcome::Undecided),
            };
        }
        let answers = self.prover.answers_once(goal, &asked)?;
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
    use crate::prover::tests::database;
    use crate::{Limits, read_clause};

    const PROGRAM: &str = "p(1). p(2). p(3). p(4). q(1,2). q(2,3). q(4,4). r(3). s(f(3)).
        near(A,B) :- q(A,B). near(A,B) :- q(B,A). same(A,A) :- p(A).";

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
        ] {
            let clause = read_clause(query, &mut symbols).expect("valid");
            let mut prover = TabledProver::new(&db, Limits::default());
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
