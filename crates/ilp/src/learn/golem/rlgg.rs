//! Relative least general generalization of examples, of determinate literals only.

use indexmap::{IndexMap, IndexSet};
use kibitz_prolog::{Direction, Symbol};
use rustc_hash::FxBuildHasher;

use super::params::Golem;
use crate::encoded::{EncodedProblem, number};
use crate::eval::{Arg, Lit};

/// Most inputs of literals looked at for one generalization.
const MAX_VISITED: usize = 1_000_000;

/// A mode with its inputs and outputs by place.
struct DeterminateMode {
    relation: u32,
    kinds: Vec<Symbol>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    /// Those of the outputs that have to be constants.
    constants: Vec<usize>,
}

fn determinate_modes(problem: &EncodedProblem, params: &Golem) -> Vec<DeterminateMode> {
    let mut modes = Vec::new();
    for mode in &problem.modes {
        // Without any declared direction the predicate can only test.
        let undeclared = mode
            .arguments
            .iter()
            .all(|(direction, _)| *direction == Direction::Out);
        let (inputs, outputs): (Vec<usize>, Vec<usize>) = (0..mode.arguments.len())
            .partition(|&place| undeclared || mode.arguments[place].0 == Direction::In);
        if inputs.len()
            <= params
                .max_inputs
                .max(if outputs.is_empty() { inputs.len() } else { 0 })
        {
            modes.push(DeterminateMode {
                relation: mode.relation,
                kinds: mode.arguments.iter().map(|(_, kind)| *kind).collect(),
                constants: (outputs.iter().copied())
                    .filter(|&place| mode.arguments[place].0 == Direction::Constant)
                    .collect(),
                inputs,
                outputs,
            });
        }
    }
    modes
}

/// A term of a generalization, by its type and its value for each example, and the variable that
/// stands for it.
type KnownTerm = ((Symbol, Vec<u32>), u32);

/// Generalizes positive examples relative to the background of a problem.
pub(super) struct Rlgg<'a> {
    problem: &'a EncodedProblem,
    modes: Vec<DeterminateMode>,
    params: &'a Golem,
}

impl<'a> Rlgg<'a> {
    pub(super) fn new(problem: &'a EncodedProblem, params: &'a Golem) -> Self {
        Self {
            problem,
            modes: determinate_modes(problem, params),
            params,
        }
    }

    /// The determinate literals that hold, with the same pattern of equal terms, for all the examples.
    ///
    /// A term of the generalization is a vector: its value for each example. Equal vectors are
    /// one variable, constant vectors are constants.
    pub(super) fn of(&self, examples: &[usize]) -> Vec<Lit> {
        let n_head = self.problem.head_kinds.len();
        let mut lits = Vec::new();
        // Vectors by type, with the variable that stands for each, and its distance from the head.
        let mut terms: IndexMap<(Symbol, Vec<u32>), (u32, usize), FxBuildHasher> =
            IndexMap::default();
        for (var, kind) in (0u32..).zip(&self.problem.head_kinds) {
            let column = &self.problem.examples[0].columns[var as usize];
            let vector: Vec<u32> = examples.iter().map(|&e| column[e]).collect();
            if examples.len() > 1 && vector.iter().all(|value| *value == vector[0]) {
                lits.push(Lit::equal(var, Arg::Const(vector[0])));
            }
            match terms.get(&(*kind, vector.clone())) {
                Some(&(left, _)) => lits.push(Lit::equal(left, Arg::Var(var))),
                None => {
                    terms.insert((*kind, vector), (var, 0));
                }
            }
        }
        let mut next_var = number(n_head);
        let mut seen: IndexSet<(u32, Vec<Arg>), FxBuildHasher> = IndexSet::default();
        let mut budget = MAX_VISITED;
        for depth in 0..=self.params.max_depth {
            let known: Vec<KnownTerm> = terms
                .iter()
                .map(|(key, (var, _))| (key.clone(), *var))
                .collect();
            // Terms known at the last depth were tried then.
            let n_old = terms.values().filter(|(_, own)| *own < depth).count();
            for mode in &self.modes {
                // Past the last depth only tests are added; constants are no new terms.
                if depth == self.params.max_depth && mode.outputs.len() > mode.constants.len() {
                    continue;
                }
                let choices = Choices::of(mode, &known, n_old);
                let mut chosen = Vec::with_capacity(mode.inputs.len());
                choices.fill(&mut chosen, depth > 0, &mut budget, &mut |chosen| {
                    if lits.len() >= self.params.max_literals {
                        return;
                    }
                    let Some(outputs) = self.outputs(mode, &known, chosen, examples.len()) else {
                        return;
                    };
                    let mut args = vec![Arg::New; mode.kinds.len()];
                    for (&place, &i) in mode.inputs.iter().zip(chosen) {
                        args[place] = Arg::Var(known[i].1);
                    }
                    let mut fresh = Vec::new();
                    for (&place, vector) in mode.outputs.iter().zip(outputs) {
                        if mode.constants.contains(&place) {
                            args[place] = Arg::Const(vector[0]);
                            continue;
                        }
                        let key = (mode.kinds[place], vector);
                        match terms.get(&key) {
                            Some(&(var, _)) if var < next_var => args[place] = Arg::Var(var),
                            _ => fresh.push((place, key)),
                        }
                    }
                    let mut named = args.clone();
                    for (var, (place, _)) in (next_var..).zip(&fresh) {
                        named[*place] = Arg::Var(var);
                    }
                    // Another mode of the predicate may have led to the literal.
                    if !seen.insert((mode.relation, named)) {
                        return;
                    }
                    for (_, key) in fresh {
                        terms.entry(key).or_insert((next_var, depth + 1));
                        next_var += 1;
                    }
                    lits.push(Lit::positive(mode.relation, args));
                });
            }
        }
        lits
    }

    /// The output vectors that follow from the inputs, if they are determined for every example, and
    /// constant where the mode asks for constants.
    fn outputs(
        &self,
        mode: &DeterminateMode,
        known: &[KnownTerm],
        chosen: &[usize],
        n: usize,
    ) -> Option<Vec<Vec<u32>>> {
        let relation = &self.problem.relations[mode.relation as usize];
        if mode.outputs.is_empty() {
            // The inputs are all arguments, in their order.
            let holds = |e: usize| relation.contains(chosen.iter().map(|&i| known[i].0.1[e]));
            return (0..n).all(holds).then(Vec::new);
        }
        let mut outputs = vec![Vec::with_capacity(n); mode.outputs.len()];
        let mut inputs = vec![None; mode.kinds.len()];
        for e in 0..n {
            for (&place, &i) in mode.inputs.iter().zip(chosen) {
                inputs[place] = Some(known[i].0.1[e]);
            }
            let mut found: Option<Vec<u32>> = None;
            let mut unique = true;
            relation.matches(&inputs, |row| {
                let values: Vec<u32> = mode.outputs.iter().map(|&place| row[place]).collect();
                match &found {
                    Some(first) if *first != values => unique = false,
                    Some(_) => {}
                    None => found = Some(values),
                }
                unique
            });
            let values = found.filter(|_| unique)?;
            for (vector, value) in outputs.iter_mut().zip(values) {
                vector.push(value);
            }
        }
        let mut by_place = mode.outputs.iter().zip(&outputs);
        let is_as_declared = by_place.all(|(place, vector)| {
            !mode.constants.contains(place) || vector.iter().all(|value| *value == vector[0])
        });
        is_as_declared.then_some(outputs)
    }
}

/// The known terms that each input of a mode may be.
struct Choices {
    /// For each input the terms in order, and how many of them are old.
    inputs: Vec<(Vec<usize>, usize)>,
}

impl Choices {
    /// The first `n_old` of the known terms are old.
    fn of(mode: &DeterminateMode, known: &[KnownTerm], n_old: usize) -> Self {
        let of_place = |place: &usize| {
            let fits = |i: &usize| known[*i].0.0 == mode.kinds[*place];
            let terms: Vec<usize> = (0..known.len()).filter(fits).collect();
            let n_old = terms.partition_point(|i| *i < n_old);
            (terms, n_old)
        };
        Self {
            inputs: mode.inputs.iter().map(of_place).collect(),
        }
    }

    /// Calls `emit` for every choice that is not of old terms alone, as long as the budget lasts. All
    /// choices take of the budget.
    fn fill(
        &self,
        chosen: &mut Vec<usize>,
        is_old: bool,
        budget: &mut usize,
        emit: &mut impl FnMut(&[usize]),
    ) {
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        let Some((terms, n_old)) = self.inputs.get(chosen.len()) else {
            *budget = budget.saturating_sub(chosen.len());
            if !is_old {
                emit(chosen);
            }
            return;
        };
        let is_last = chosen.len() + 1 == self.inputs.len();
        // Old terms behind old ones are only counted.
        let n_counted = if is_old && is_last { *n_old } else { 0 };
        *budget = budget.saturating_sub(n_counted * (1 + self.inputs.len()));
        for (at, i) in terms.iter().enumerate().skip(n_counted) {
            chosen.push(*i);
            self.fill(chosen, is_old && at < *n_old, budget, emit);
            chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::print_clause;

    use super::Choices;
    use crate::learn::{Golem, NoProgress};
    use crate::{Problem, Source, Task};

    fn generalization(modes: &str) -> String {
        let facts = "next(a,b). next(c,d). next(z,a). next(y,c). kind(b,round). kind(d,round).
                     rank(b,ace). rank(d,king).";
        let background = format!("{modes}\n{facts}");
        let source = |name, text| Source { name, text };
        let mut task = Task::from_three_files(
            source("t.b", &background),
            source("t.f", "p(a). p(c)."),
            source("t.n", "p(b)."),
        )
        .expect("a task");
        let symbols = task.symbols.clone();
        let problem = Problem::new(&mut task).expect("compiles");
        let golem = Golem::default();
        let found = golem.generalization(&problem, &mut NoProgress);
        let found = found.expect("listed").expect("examples");
        print_clause(&found, &symbols).to_string()
    }

    /// `rank/2` does not hold with one constant for both examples.
    #[test]
    fn an_argument_that_is_to_be_a_constant_is_one() {
        let modes = ":- modeh(1,p(+o)).\n:- modeb(1,next(+o,-o)).\n:- modeb(1,kind(+o,#k)).\n\
                     :- modeb(1,rank(+o,#r)).";
        insta::assert_snapshot!(generalization(modes), @"p(A) :- next(A,B), kind(B,round).");
    }

    #[test]
    fn each_mode_of_a_predicate_is_followed() {
        let modes = ":- modeh(1,p(+o)).\n:- modeb(1,next(+o,-o)).\n:- modeb(1,next(-o,+o)).\n\
                     :- modeb(1,kind(+o,-k)).\n:- modeb(1,kind(+o,#k)).";
        insta::assert_snapshot!(generalization(modes), @"p(A) :- next(A,B), next(C,A), kind(B,D), kind(B,round).");
    }

    #[test]
    fn choices_of_old_terms_are_passed_over_but_counted() {
        let inputs = vec![(vec![0, 2, 3], 1), (vec![0, 1, 2], 2), (vec![1, 3], 1)];
        let all_new = inputs.iter().map(|(terms, _)| (terms.clone(), 0));
        let every = Choices {
            inputs: all_new.collect(),
        };
        let choices = Choices { inputs };
        let filled = |choices: &Choices, mut budget: usize| {
            let mut found: Vec<Vec<usize>> = Vec::new();
            let mut emit = |chosen: &[usize]| found.push(chosen.to_vec());
            choices.fill(&mut Vec::new(), true, &mut budget, &mut emit);
            (found, budget)
        };
        for budget in 0..120 {
            let (mut slow, left) = filled(&every, budget);
            slow.retain(|chosen| {
                let mut own = chosen.iter().zip(&choices.inputs);
                !own.all(|(i, (terms, n_old))| terms[..*n_old].contains(i))
            });
            assert_eq!(filled(&choices, budget), (slow, left), "{budget}");
        }
    }
}
