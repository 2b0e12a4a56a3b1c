use super::goal::{TabledGoal, variables};
use super::prover::TabledProver;
use crate::prover::{Proof, ProverError};
use crate::term::{Literal, Term, Var};

/// A conjunction compiled for a [`TabledProver`] and proved component by component: goals that share
/// no variable, directly or through other goals, are independent.
///
/// Where [`Prover::prove`](crate::Prover::prove) tries everything after a goal again for each of its answers, this takes
/// the answers to the first goal of a component and divides its other goals again. Conjunctions of many
/// goals that each concern a few variables, such as clauses learned bottom-up, are refuted in a time
/// that grows with their number and not exponentially. The goals must not have side effects or contain a
/// cut; the answers to each of them must be finite in number.
#[derive(Debug)]
pub struct Conjunction {
    goals: Vec<PreparedGoal>,
    parts: Vec<Part>,
    /// The values of variables, by their numbers.
    values: Vec<Option<Term>>,
}

#[derive(Debug)]
struct PreparedGoal {
    literal: Literal,
    goal: TabledGoal,
    vars: Vec<Var>,
}

/// A connected component: the answers to the first goal are tried on the rest.
#[derive(Debug)]
struct Part {
    first: usize,
    /// The variables of the first goal that get their values from it, with their places; none if
    /// only whether there is an answer matters.
    open: Vec<(usize, Var)>,
    rest: Vec<Part>,
}

impl Part {
    /// The goals of this part, in their order.
    fn goals(&self) -> Vec<usize> {
        let mut goals = vec![self.first];
        let mut open: Vec<&Part> = self.rest.iter().collect();
        while let Some(part) = open.pop() {
            goals.push(part.first);
            open.extend(&part.rest);
        }
        goals.sort_unstable();
        goals
    }
}

impl Conjunction {
    /// The connected components of goals by their unbound variables, the smallest first: single goals
    /// may refute the whole before a search begins.
    fn divided(goals: &[PreparedGoal], own: &[usize], known: &mut [bool]) -> Vec<Part> {
        if own.is_empty() {
            return Vec::new();
        }
        let mut parts: Vec<Vec<usize>> = Vec::with_capacity(own.len());
        let mut of: Vec<Option<usize>> = vec![None; known.len()];
        for &goal in own {
            let place = parts.len();
            let mut joined = vec![goal];
            for var in &goals[goal].vars {
                if let Some(part) = of[var.index()] {
                    joined.append(&mut parts[part]);
                }
            }
            for var in joined.iter().flat_map(|&goal| &goals[goal].vars) {
                if !known[var.index()] {
                    of[var.index()] = Some(place);
                }
            }
            joined.sort_unstable();
            parts.push(joined);
        }
        parts.retain(|part| !part.is_empty());
        parts.sort_unstable_by_key(|part| (part.len(), part[0]));
        let parts = parts.into_iter();
        parts.map(|part| Self::part(goals, &part, known)).collect()
    }

    fn part(goals: &[PreparedGoal], part: &[usize], known: &mut [bool]) -> Part {
        let (first, rest) = (part[0], &part[1..]);
        let is_test = rest.is_empty() || !goals[first].literal.positive;
        let open: Vec<(usize, Var)> = if is_test {
            Vec::new()
        } else {
            let vars = goals[first].vars.iter().copied().enumerate();
            vars.filter(|(_, var)| !known[var.index()]).collect()
        };
        for (_, var) in &open {
            known[var.index()] = true;
        }
        let rest = Self::divided(goals, rest, known);
        for (_, var) in &open {
            known[var.index()] = false;
        }
        Part { first, open, rest }
    }

    /// The values of a goal's variables; its open variables are numbered by their places.
    fn values_of(&self, goal: usize) -> Vec<Term> {
        let vars = (0..).zip(&self.goals[goal].vars);
        let value = |(place, var): (u32, &Var)| {
            (self.values[var.index()].clone()).unwrap_or(Term::var(place))
        };
        vars.map(value).collect()
    }

    /// A goal with the values that are known.
    fn instance(&self, goal: usize) -> Literal {
        self.goals[goal]
            .literal
            .map_vars(&mut |var| (self.values[var.index()].clone()).unwrap_or(Term::Var(var)))
    }
}

impl TabledProver<'_> {
    /// Compiles a conjunction; `given` are the variables that will have values.
    ///
    /// # Errors
    /// [`ProverError::NotCallable`] for a number as a goal.
    pub fn conjunction(
        &mut self,
        goals: &[Literal],
        given: &[Var],
    ) -> Result<Conjunction, ProverError> {
        let prepared = goals.iter().map(|literal| {
            Ok(PreparedGoal {
                literal: literal.clone(),
                goal: self.goal(literal)?,
                vars: variables(literal),
            })
        });
        let goals = prepared.collect::<Result<Vec<_>, ProverError>>()?;
        let vars = goals.iter().flat_map(|goal| &goal.vars).chain(given);
        let bound = vars.map(|var| var.index() + 1).max().unwrap_or(0);
        let mut known = vec![false; bound];
        for var in given {
            known[var.index()] = true;
        }
        let all: Vec<usize> = (0..goals.len()).collect();
        Ok(Conjunction {
            parts: Conjunction::divided(&goals, &all, &mut known),
            goals,
            values: vec![None; bound],
        })
    }

    /// Searches for a proof with these values of the given variables. The bound on steps holds for all
    /// components together; to recall an answer is a step.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn prove_all(
        &mut self,
        conjunction: &mut Conjunction,
        given: &[(Var, Term)],
    ) -> Result<Proof, ProverError> {
        conjunction.values.fill(None);
        for (var, value) in given {
            conjunction.values[var.index()] = Some(value.clone());
        }
        let limits = self.prover.limits;
        let parts = std::mem::take(&mut conjunction.parts);
        let found = self.parts(conjunction, &parts);
        conjunction.parts = parts;
        let used = limits.steps - self.prover.limits.steps;
        self.prover.limits = limits;
        self.prover.set_steps(used);
        found
    }

    fn parts(&mut self, all: &mut Conjunction, parts: &[Part]) -> Result<Proof, ProverError> {
        for part in parts {
            let found = self.part(all, part)?;
            if found != Proof::Proved {
                return Ok(found);
            }
        }
        Ok(Proof::Proved)
    }

    fn part(&mut self, all: &mut Conjunction, part: &Part) -> Result<Proof, ProverError> {
        let PreparedGoal { goal, literal, .. } = &all.goals[part.first];
        let values = all.values_of(part.first);
        if part.rest.is_empty() || !literal.positive {
            let found = self.prove(*goal, &values)?;
            return match self.charged(found) {
                Proof::Proved => self.parts(all, &part.rest),
                ended => Ok(ended),
            };
        }
        let answers = self.answers(*goal, &values)?;
        let mut ended = self.charged(answers.end);
        if !answers.bindings.iter().flatten().all(Term::is_ground) {
            // Variables that an answer leaves unbound may still be shared.
            let goals: Vec<Literal> = (part.goals().into_iter())
                .map(|goal| all.instance(goal))
                .collect();
            let found = self.prove_apart(&goals)?;
            return Ok(self.charged(found));
        }
        if ended == Proof::OutOfSteps {
            return Ok(ended);
        }
        for values in &answers.bindings {
            for &(place, var) in &part.open {
                all.values[var.index()] = Some(values[place].clone());
            }
            match self.parts(all, &part.rest)? {
                Proof::Refuted => {}
                Proof::TooDeep => ended = Proof::TooDeep,
                found => {
                    ended = found;
                    break;
                }
            }
        }
        for (_, var) in &part.open {
            all.values[var.index()] = None;
        }
        Ok(ended)
    }

    /// Takes the steps of the last goal from those that are left; its outcome, or
    /// [`Proof::OutOfSteps`] if there were too few.
    fn charged(&mut self, found: Proof) -> Proof {
        let left = self.prover.limits.steps.checked_sub(self.prover.steps());
        self.prover.limits.steps = left.unwrap_or(0);
        if left.is_some() {
            found
        } else {
            Proof::OutOfSteps
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prover::Prover;
    use crate::prover::tests::database;
    use crate::term::Constant;
    use crate::{Limits, read_clause};

    fn both(program: &str, query: &str, steps: u64) -> (Proof, Proof) {
        let (db, mut symbols) = database(program);
        let goals = read_clause(query, &mut symbols).expect("valid").body;
        let limits = Limits {
            steps,
            ..Limits::default()
        };
        let mut tabled = TabledProver::new(&db, limits);
        let mut conjunction = tabled.conjunction(&goals, &[]).expect("callable");
        let found = tabled.prove_all(&mut conjunction, &[]).expect("provable");
        let whole = Prover::new(&db, limits).prove(&goals);
        (found, whole.expect("provable"))
    }

    const PROGRAM: &str = "p(1). p(2). p(3). p(4). p(5). p(6). q(1,2). q(2,3). r(3). s(7).";

    #[test]
    fn the_parts_say_what_the_whole_says() {
        for query in [
            "x :- p(A), q(A,B), r(B)",
            "x :- p(A), q(A,B), s(B)",
            "x :- p(A), \\+ q(A,_), p(B), q(B,C), \\+ r(C)",
            "x :- q(A,B), q(B,C), p(D), r(D), \\+ s(A)",
            "x :- \\+ s(A), p(A)",
            "x :- p(A), q(B,C), A = B, r(C)",
            "x :- A = B, r(B), s(A)",
            "x :- f(A, C) = f(B, B), r(C), s(A)",
        ] {
            let (parts, whole) = both(PROGRAM, query, 10_000);
            assert_eq!(parts, whole, "{query}");
        }
    }

    #[test]
    fn independent_goals_are_refuted_without_trying_all_combinations() {
        let query = "x :- p(A), p(B), p(C), p(D), p(E), p(F), p(G), p(H), q(H,I), s(I)";
        let (parts, whole) = both(PROGRAM, query, 1000);
        assert_eq!((parts, whole), (Proof::Refuted, Proof::OutOfSteps));
    }

    #[test]
    fn the_bound_on_steps_holds_for_all_parts() {
        let query = "x :- p(A), p(B), p(C), s(D), s(D), s(D), s(D), p(D), s(D)";
        let (parts, _) = both(PROGRAM, query, 3);
        assert_eq!(parts, Proof::OutOfSteps);
    }

    /// Proves the queries one after the other with the same memory, the last within `steps`.
    fn in_turn(queries: &[&str], steps: u64) -> Vec<Proof> {
        let (db, mut symbols) = database(PROGRAM);
        let mut tabled = TabledProver::new(&db, Limits::default());
        let last = queries.len() - 1;
        let proofs = queries.iter().enumerate().map(|(number, query)| {
            let goals = read_clause(query, &mut symbols).expect("valid").body;
            if number == last {
                tabled.prover.limits.steps = steps;
            }
            let mut conjunction = tabled.conjunction(&goals, &[]).expect("callable");
            let found = tabled.prove_all(&mut conjunction, &[]);
            found.expect("provable")
        });
        proofs.collect()
    }

    #[test]
    fn given_values_are_used_in_all_parts() {
        let (db, mut symbols) = database(PROGRAM);
        let goals = read_clause("x(A) :- q(A,B), \\+ s(A), r(C), q(B,C)", &mut symbols)
            .expect("valid")
            .body;
        let mut tabled = TabledProver::new(&db, Limits::default());
        let mut conjunction = tabled.conjunction(&goals, &[Var(0)]).expect("callable");
        let mut found = |value| {
            let given = [(Var(0), Term::Const(Constant::Int(value)))];
            let proof = tabled.prove_all(&mut conjunction, &given);
            proof.expect("provable").is_proved()
        };
        assert_eq!([1, 2, 1, 7].map(&mut found), [true, false, true, false]);
    }

    #[test]
    fn what_is_remembered_says_what_was_found() {
        let queries = [
            "x :- p(A), q(A,B), r(B)",
            "x :- p(B), q(A,B), s(A)",
            "x :- q(A,B), p(A), r(B)",
            "x :- p(A), q(A,B), s(B)",
            "x :- p(A), \\+ q(A,_), p(B)",
            "x :- p(A), q(A,B), r(B)",
        ];
        let alone = queries.map(|query| both(PROGRAM, query, 10_000).1);
        assert_eq!(in_turn(&queries, 10_000), alone);
    }

    #[test]
    fn the_bound_on_steps_holds_for_what_is_remembered() {
        let query = "x :- p(A), p(B), q(A,B), q(B,C), q(C,A), s(A)";
        assert_eq!(in_turn(&[query, query], 10_000), [Proof::Refuted; 2]);
        let cut_short = [Proof::Refuted, Proof::OutOfSteps];
        assert_eq!(in_turn(&[query, query], 5), cut_short);
    }
}
