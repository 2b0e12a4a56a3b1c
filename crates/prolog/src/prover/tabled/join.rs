//! Joins: conjunctions over constants, tried from left to right.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::goal::{TabledGoal, variables};
use super::join_plan::{Ask, Definition, Goal, Join, in_order, unfolded};
use super::native_goal::Place;
use super::prover::TabledProver;
use crate::prover::{NativeRelation, Proof, ProverError};
use crate::term::{Atom, Constant, Literal, Term, Var, unify_atoms};

/// Native relations with more arguments are asked through the prover.
const MAX_ARITY: usize = 8;
/// Goals tried before the prover is asked instead.
const MAX_TRIED: u64 = 500;

/// How the search for a proof of the remaining goals ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Proved,
    Refuted,
    /// Too many goals were tried, or an answer is no constant.
    Undecided,
}

impl<'d> TabledProver<'d> {
    /// Compiles a conjunction; `given` are the variables that will have values.
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
        let goals = in_order(&goals, &known).into_iter();
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

    /// Whether a conjunction holds with these values of the given variables; `None` if more than `max`
    /// goals would have to be tried, or if values are no constants.
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

    /// The same with these values of all variables, as far as they are known; the goals tried are
    /// subtracted from those left.
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

impl<'d> TabledProver<'d> {
    /// Whether a goal can be proved with these values of its variables, as by
    /// [`prove_once`](Self::prove_once); if all values are constants and its predicate has one clause,
    /// the body of this clause is tried as a [`Join`].
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn prove_defined(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
    ) -> Result<Proof, ProverError> {
        self.prove_within(goal, values, &mut { MAX_TRIED })
    }

    /// The same with at most `left` goals tried in joins.
    pub(super) fn prove_within(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
        left: &mut u64,
    ) -> Result<Proof, ProverError> {
        if let Some(definition) = self.definition(goal)?
            && let Some(holds) = self.is_defined_true(&definition, values, left)?
        {
            let is_true = holds == self.tables[goal.0].literal.positive;
            return Ok(if is_true {
                Proof::Proved
            } else {
                Proof::Refuted
            });
        }
        self.prove_once(goal, values)
    }

    /// The definition of a goal, compiled the first time; `None` if its predicate has not one clause, or
    /// if it is decided quickly without.
    fn definition(&mut self, goal: TabledGoal) -> Result<Option<Rc<Definition<'d>>>, ProverError> {
        let table = &self.tables[goal.0];
        if let Some(known) = table.definition.get() {
            return Ok(known.clone());
        }
        let made = if table.direct.is_some() || table.is_of_facts {
            None
        } else {
            self.define(&table.literal.atom.clone())?.map(Rc::new)
        };
        Ok(self.tables[goal.0].definition.get_or_init(|| made).clone())
    }

    fn define(&mut self, goal: &Atom) -> Result<Option<Definition<'d>>, ProverError> {
        let mut vars: Vec<Var> = Vec::new();
        goal.for_each_var(&mut |var| {
            if !vars.contains(&var) {
                vars.push(var);
            }
        });
        let bound = vars.iter().map(|var| var.0 + 1).max().unwrap_or(0);
        let clause = self.prover.db.only_clause(goal);
        let Some(clause) = clause.map(|clause| clause.shifted(bound)) else {
            return Ok(None);
        };
        let Some(theta) = unify_atoms(&clause.head, goal) else {
            return Ok(None);
        };
        let place = |var: &Var| match theta.apply(&Term::Var(*var)) {
            Term::Var(own) => Some(Place::Var(own.index())),
            Term::Const(constant) => Some(Place::Is(constant)),
            Term::Compound(..) => None,
        };
        let Some(head) = vars.iter().map(place).collect::<Option<Box<[Place]>>>() else {
            return Ok(None);
        };
        let given = head.iter().filter_map(|place| match *place {
            Place::Var(var) => u32::try_from(var).ok().map(Var),
            Place::Is(_) => None,
        });
        let given: Vec<Var> = given.collect();
        let body: Vec<Literal> = (clause.body.iter())
            .map(|literal| theta.apply_literal(literal))
            .collect();
        let body = self.join(&body, &given)?;
        Ok(Some(Definition { head, body }))
    }

    /// Whether the clause covers the goal with these values; `None` if that takes too long, or if the
    /// values are no constants.
    fn is_defined_true(
        &mut self,
        definition: &Definition<'d>,
        values: &[Term],
        left: &mut u64,
    ) -> Result<Option<bool>, ProverError> {
        let mut known = vec![None; definition.body.n_vars];
        let mut agrees = true;
        for (place, value) in definition.head.iter().zip(values) {
            let Term::Const(value) = *value else {
                return Ok(None);
            };
            agrees &= match *place {
                Place::Var(var) => *known[var].get_or_insert(value) == value,
                Place::Is(constant) => constant == value,
            };
        }
        if !agrees {
            return Ok(Some(false));
        }
        self.test_with(&definition.body, known, left)
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
    use crate::{Database, Limits, SymbolTable, read_clause};

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

    const DEFINITIONS: &str = "p(1). p(2). p(3). q(1,2). q(2,3).
        far(A,f(B,C)) :- diff(A,B,D), D > 1, \\+ q(B,C), p(C).
        same(A,A) :- diff(A,1,_), p(A).
        one(1,A) :- diff(A,1,B), q(_,B).
        gap(A,B) :- diff(A,B,C), C > 1.
        twice(A) :- p(B), gap(A,B), near(A,B).
        near(A,B) :- q(A,B).
        near(A,B) :- q(B,A).
        down(A) :- p(A), diff(A,1,B), down(B).
        clear(A,B) :- p(A), \\+ far(A,f(B,3)), \\+ gap(A,B).
        first(A) :- p(A), !.
        pair(f(A,A)) :- diff(A,1,_), p(A).";

    #[test]
    fn a_definition_says_what_the_prover_says() {
        let (db, mut symbols, _) = database_with_differences(DEFINITIONS);
        let mut n_defined = 0;
        for query in [
            "far(A,f(B,C))",
            "same(A,B)",
            "one(A,B)",
            "one(2,B)",
            "gap(A,B)",
            "gap(A,A)",
            "twice(A)",
            "near(A,B)",
            "down(A)",
            "first(A)",
            "pair(f(A,B))",
            "\\+ far(A,f(B,C))",
            "\\+ gap(A,A)",
            "\\+ near(A,B)",
            "clear(A,B)",
        ] {
            let clause = read_clause(&format!("x :- {query}"), &mut symbols).expect("valid");
            let mut prover = TabledProver::new(&db, Limits::default());
            let goal = prover.goal(&clause.body[0]).expect("callable");
            n_defined += usize::from(prover.definition(goal).expect("callable").is_some());
            for number in 0..125 {
                let values = [number % 5, number / 5 % 5, number / 25].map(Term::int);
                let values = &values[..clause.var_bound() as usize];
                let found = prover.prove_defined(goal, values);
                let carried_out = prover.prove_once(goal, values);
                assert_eq!(found, carried_out, "{query} of {values:?}");
            }
        }
        assert_eq!(n_defined, 10);
    }
}
