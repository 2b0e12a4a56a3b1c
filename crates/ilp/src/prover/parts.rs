use rustc_hash::FxHashMap;

use super::{Proof, Prover, ProverError};
use crate::term::{Literal, Term, Var};

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
        if goals.len() == 1 {
            return self.prove(goals);
        }
        let limits = self.limits();
        let found = self.parts(goals.to_vec());
        let used = limits.steps - self.limits().steps;
        self.set_limits(limits);
        self.set_steps(used);
        found
    }

    fn parts(&mut self, goals: Vec<Literal>) -> Result<Proof, ProverError> {
        for part in connected(goals) {
            let found = self.part(part)?;
            if found != Proof::Proved {
                return Ok(found);
            }
        }
        Ok(Proof::Proved)
    }

    fn part(&mut self, mut part: Vec<Literal>) -> Result<Proof, ProverError> {
        let rest = part.split_off(1);
        if rest.is_empty() || !part[0].positive {
            let found = self.prove(&part)?;
            self.charge();
            return match found {
                Proof::Proved => self.parts(rest),
                ended => Ok(ended),
            };
        }
        let mut vars: Vec<Var> = Vec::new();
        let goal = part[0].map_vars(&mut |var| {
            let known = vars.iter().position(|own| *own == var);
            let place = known.unwrap_or_else(|| {
                vars.push(var);
                vars.len() - 1
            });
            Term::var(u32::try_from(place).unwrap_or(u32::MAX))
        });
        let answers = self.solutions(&[goal], usize::MAX)?;
        self.charge();
        if !answers.bindings.iter().flatten().all(Term::is_ground) {
            // What an answer leaves open may still be shared.
            part.extend(rest);
            let found = self.prove(&part)?;
            self.charge();
            return Ok(found);
        }
        let mut ended = answers.end;
        for values in answers.bindings {
            let left = rest.iter().map(|literal| {
                literal.map_vars(&mut |var| {
                    let place = vars.iter().position(|own| *own == var);
                    place.map_or(Term::Var(var), |place| values[place].clone())
                })
            });
            match self.parts(left.collect())? {
                Proof::Refuted => {}
                Proof::TooDeep => ended = Proof::TooDeep,
                found => return Ok(found),
            }
        }
        Ok(ended)
    }

    /// Takes the steps of the last query from those that are left.
    fn charge(&mut self) {
        let mut limits = self.limits();
        limits.steps = limits.steps.saturating_sub(self.steps());
        self.set_limits(limits);
    }
}

/// The goals divided into parts that share no variables, in their order.
fn connected(goals: Vec<Literal>) -> Vec<Vec<Literal>> {
    let mut parts: Vec<Option<Vec<(usize, Literal)>>> = Vec::new();
    let mut of: FxHashMap<Var, usize> = FxHashMap::default();
    for (i, goal) in goals.into_iter().enumerate() {
        let mut vars = Vec::new();
        goal.atom.for_each_var(&mut |var| vars.push(var));
        let mut own = vec![(i, goal)];
        let place = parts.len();
        for var in vars {
            if let Some(joined) = of.insert(var, place).and_then(|part| parts.get_mut(part)) {
                own.extend(joined.take().into_iter().flatten());
            }
        }
        for (_, literal) in &own {
            literal.atom.for_each_var(&mut |var| {
                of.insert(var, place);
            });
        }
        own.sort_unstable_by_key(|(i, _)| *i);
        parts.push(Some(own));
    }
    let mut parts: Vec<Vec<(usize, Literal)>> = parts.into_iter().flatten().collect();
    parts.sort_by_key(|part| part[0].0);
    let goals = |part: Vec<(usize, Literal)>| part.into_iter().map(|(_, goal)| goal).collect();
    parts.into_iter().map(goals).collect()
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
}
