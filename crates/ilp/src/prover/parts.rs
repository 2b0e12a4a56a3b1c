use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Answers, Proof, Prover, ProverError};
use crate::term::{Atom, Literal, Term, Var};

/// Answers are forgotten beyond this many values.
const MAX_REMEMBERED: usize = 1_000_000;

/// What single goals were answered by [`Prover::prove_in_parts_with`], so that no goal is proved
/// twice from the same database.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    proofs: FxHashMap<Literal, Proof>,
    answers: FxHashMap<Atom, Rc<Answers>>,
    n_values: usize,
}

impl Remembered {
    fn make_room(&mut self, n_values: usize) {
        if self.n_values > MAX_REMEMBERED {
            *self = Self::default();
        }
        self.n_values += n_values + 1;
    }
}

/// A conjunction of which some variables have values.
struct Conjunction<'g> {
    goals: &'g [Literal],
    /// The variables of each goal.
    vars: Vec<Vec<Var>>,
    /// The values of variables, by their numbers.
    values: Vec<Option<Term>>,
}

impl<'g> Conjunction<'g> {
    fn new(goals: &'g [Literal]) -> Self {
        let vars = goals.iter().map(|goal| {
            let mut vars = Vec::new();
            goal.atom.for_each_var(&mut |var| vars.push(var));
            vars
        });
        let vars: Vec<Vec<Var>> = vars.collect();
        let bound = vars.iter().flatten().map(|var| var.index() + 1).max();
        Self {
            goals,
            vars,
            values: vec![None; bound.unwrap_or(0)],
        }
    }

    fn value(&self, var: Var) -> Option<&Term> {
        self.values[var.index()].as_ref()
    }

    /// The variables of a goal that have no value, in the order in which they come first.
    fn open_vars(&self, goal: usize) -> Vec<Var> {
        let mut open: Vec<Var> = Vec::new();
        for &var in &self.vars[goal] {
            if self.value(var).is_none() && !open.contains(&var) {
                open.push(var);
            }
        }
        open
    }

    /// A goal with the values that are known and other variables numbered anew.
    fn goal(&self, goal: usize, open: &[Var]) -> Literal {
        self.goals[goal].map_vars(&mut |var| {
            self.value(var).cloned().unwrap_or_else(|| {
                let mut places = (0..).zip(open);
                let place = places.find(|(_, own)| **own == var);
                Term::Var(place.map_or(var, |(place, _)| Var(place)))
            })
        })
    }

    /// Goals divided into parts that share no variable without a value, the smallest first: single
    /// goals may refute the whole before a search begins.
    fn connected(&self, goals: &[usize]) -> Vec<Vec<usize>> {
        let mut parts: Vec<Vec<usize>> = Vec::with_capacity(goals.len());
        let mut of: Vec<Option<usize>> = vec![None; self.values.len()];
        for &goal in goals {
            let place = parts.len();
            let mut own = vec![goal];
            for &var in &self.vars[goal] {
                if let Some(joined) = of[var.index()] {
                    own.append(&mut parts[joined]);
                }
            }
            for &var in own.iter().flat_map(|&goal| &self.vars[goal]) {
                if self.value(var).is_none() {
                    of[var.index()] = Some(place);
                }
            }
            own.sort_unstable();
            parts.push(own);
        }
        parts.retain(|part| !part.is_empty());
        parts.sort_unstable_by_key(|part| (part.len(), part[0]));
        parts
    }
}

impl Prover<'_> {
    /// Searches for a proof of a conjunction, each part that shares no variable with the rest on its
    /// own.
    ///
    /// Where [`Prover::prove`] tries everything after a goal again for each of its answers, this
    /// takes the answers to the first goal of a part and divides what is left anew. Conjunctions of
    /// many goals that each concern a few variables, such as clauses learned bottom-up, are refuted
    /// in a time that grows with their number and not exponentially. The goals must not have side
    /// effects or contain a cut; the answers to each of them must be finite in number. The bound on
    /// steps holds for all parts together.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn prove_in_parts(&mut self, goals: &[Literal]) -> Result<Proof, ProverError> {
        self.prove_in_parts_with(goals, &mut Remembered::default())
    }

    /// The same with what is remembered of earlier conjunctions that this prover proved; to remember is
    /// a step.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn prove_in_parts_with(
        &mut self,
        goals: &[Literal],
        known: &mut Remembered,
    ) -> Result<Proof, ProverError> {
        if goals.len() == 1 {
            return self.prove(goals);
        }
        let limits = self.limits();
        let all: Vec<usize> = (0..goals.len()).collect();
        let found = self.parts(&mut Conjunction::new(goals), &all, known);
        let used = limits.steps - self.limits().steps;
        self.set_limits(limits);
        self.set_steps(used);
        found
    }

    fn parts(
        &mut self,
        all: &mut Conjunction<'_>,
        goals: &[usize],
        known: &mut Remembered,
    ) -> Result<Proof, ProverError> {
        for part in all.connected(goals) {
            let found = self.part(all, &part, known)?;
            if found != Proof::Proved {
                return Ok(found);
            }
        }
        Ok(Proof::Proved)
    }

    fn part(
        &mut self,
        all: &mut Conjunction<'_>,
        part: &[usize],
        known: &mut Remembered,
    ) -> Result<Proof, ProverError> {
        let Some((&first, rest)) = part.split_first() else {
            return Ok(Proof::Proved);
        };
        let open = all.open_vars(first);
        let goal = all.goal(first, &open);
        if rest.is_empty() || !goal.positive {
            return match self.proof(goal, known)? {
                Proof::Proved => self.parts(all, rest, known),
                ended => Ok(ended),
            };
        }
        let answers = self.answers(goal, known)?;
        if !answers.bindings.iter().flatten().all(Term::is_ground) {
            // What an answer leaves open may still be shared.
            let goals: Vec<Literal> = part.iter().map(|&goal| all.goal(goal, &[])).collect();
            let found = self.prove(&goals)?;
            self.charge(self.steps());
            return Ok(found);
        }
        let mut ended = answers.end;
        for values in &answers.bindings {
            for (var, value) in open.iter().zip(values) {
                all.values[var.index()] = Some(value.clone());
            }
            match self.parts(all, rest, known)? {
                Proof::Refuted => {}
                Proof::TooDeep => ended = Proof::TooDeep,
                found => {
                    ended = found;
                    break;
                }
            }
        }
        for var in open {
            all.values[var.index()] = None;
        }
        Ok(ended)
    }

    /// Whether a goal can be proved.
    fn proof(&mut self, goal: Literal, known: &mut Remembered) -> Result<Proof, ProverError> {
        if let Some(found) = known.proofs.get(&goal) {
            return Ok(if self.charge(1) {
                *found
            } else {
                Proof::OutOfSteps
            });
        }
        let found = self.prove(std::slice::from_ref(&goal))?;
        self.charge(self.steps());
        if !found.is_cut_short() {
            known.make_room(1);
            known.proofs.insert(goal, found);
        }
        Ok(found)
    }

    /// All answers to a goal.
    fn answers(
        &mut self,
        goal: Literal,
        known: &mut Remembered,
    ) -> Result<Rc<Answers>, ProverError> {
        if let Some(found) = known.answers.get(&goal.atom) {
            if self.charge(1) {
                return Ok(Rc::clone(found));
            }
            let nothing = Answers {
                bindings: Vec::new(),
                end: Proof::OutOfSteps,
            };
            return Ok(Rc::new(nothing));
        }
        let found = self.solutions(std::slice::from_ref(&goal), usize::MAX)?;
        self.charge(self.steps());
        let found = Rc::new(found);
        if !found.end.is_cut_short() {
            known.make_room(found.bindings.iter().map(Vec::len).sum());
            known.answers.insert(goal.atom, Rc::clone(&found));
        }
        Ok(found)
    }

    /// Takes steps from those that are left; whether there were as many.
    fn charge(&mut self, steps: u64) -> bool {
        let mut limits = self.limits();
        let left = limits.steps.checked_sub(steps);
        limits.steps = left.unwrap_or(0);
        self.set_limits(limits);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Limits, SymbolTable, read_clause, read_clauses};

    fn both(program: &str, query: &str, steps: u64) -> (Proof, Proof) {
        let mut symbols = SymbolTable::new();
        let program = read_clauses(program, &mut symbols).expect("valid");
        let db = Database::builder()
            .clauses(&program)
            .build(&mut symbols)
            .expect("valid");
        let goals = read_clause(query, &mut symbols).expect("valid").body;
        let limits = Limits {
            steps,
            ..Limits::default()
        };
        let mut prover = Prover::new(&db, limits);
        let found = prover.prove_in_parts(&goals).expect("provable");
        (found, prover.prove(&goals).expect("provable"))
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

    /// Proves the queries one after the other with the same memory, and the last with so many steps.
    fn in_turn(queries: &[&str], steps: u64) -> Vec<Proof> {
        let mut symbols = SymbolTable::new();
        let program = read_clauses(PROGRAM, &mut symbols).expect("valid");
        let db = Database::builder()
            .clauses(&program)
            .build(&mut symbols)
            .expect("valid");
        let mut prover = Prover::new(&db, Limits::default());
        let mut known = Remembered::default();
        let last = queries.len() - 1;
        let proofs = queries.iter().enumerate().map(|(number, query)| {
            let goals = read_clause(query, &mut symbols).expect("valid").body;
            if number == last {
                let limits = Limits {
                    steps,
                    ..Limits::default()
                };
                prover.set_limits(limits);
            }
            let found = prover.prove_in_parts_with(&goals, &mut known);
            found.expect("provable")
        });
        proofs.collect()
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
