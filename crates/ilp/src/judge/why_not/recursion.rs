//! Whether a clause that calls itself would do.

use std::collections::BTreeMap;

use kibitz_prolog::{
    Argument, Atom, BitSet, Clause, Direction, Literal, Mode, Predicate, Proof, ProverError,
    Symbol, Term, Var, print_clause,
};
use rustc_hash::FxHashSet;

use super::MAX_NAMED;
use super::inquiry::Inquiry;
use crate::judge::theory::Theory;
use crate::task::Task;

/// Fewest positive examples that a recursive clause is shown for.
const MIN_COVERED: usize = 3;
/// Fewest different lengths of a chain that recursion would replace.
const MIN_LENGTHS: usize = 3;
/// Most answers of one literal that are looked at for an example.
const MAX_ANSWERS: usize = 1_000;

/// A clause of one literal with one new variable and a call in which that stands for an argument of the
/// head: `path(A,B) :- edge(A,C), path(C,B)`.
struct Candidate {
    literal: Atom,
    /// The argument of the head that the new variable stands for.
    place: usize,
    /// Whether the call provides an input of the literal.
    is_call_first: bool,
}

impl Candidate {
    /// A clause whose literals have their inputs in one order or the other.
    fn new(task: &Task, mode: &Mode, literal: Atom, place: usize) -> Option<Self> {
        let head = &task.bias.head;
        let head_args = head_variables(task);
        let mut call = head_args.clone();
        call[place] = new_variable(task);
        let given = head.places(Direction::In);
        let given: Vec<Term> = given.map(|own| head_args[own].clone()).collect();
        let can_be = |goals| have_inputs(&given, goals);
        let (own, call) = ((mode, &literal.args[..]), (head, &call[..]));
        let is_call_first = !can_be([own, call]);
        (!is_call_first || can_be([call, own])).then_some(Self {
            literal,
            place,
            is_call_first,
        })
    }

    fn call(&self, target: Symbol, args: &[Term], value: &Term) -> Atom {
        let mut args = args.to_vec();
        args[self.place] = value.clone();
        Atom::new(target, args)
    }

    fn clause(&self, task: &Task) -> Clause {
        let (name, head) = (task.target.name, head_variables(task));
        let call = self.call(name, &head, &new_variable(task));
        let mut body = [self.literal.clone(), call].map(Literal::positive);
        if self.is_call_first {
            body.reverse();
        }
        Clause::new(Atom::new(name, head), body.to_vec()).normalized()
    }
}

/// Whether goals have their inputs, each from what is given and from the goals before it.
fn have_inputs(given: &[Term], goals: [(&Mode, &[Term]); 2]) -> bool {
    let mut known: Vec<&Term> = given.iter().collect();
    goals.into_iter().all(|(mode, args)| {
        let mut inputs = mode.places(Direction::In);
        let are_known = inputs.all(|place| known.contains(&&args[place]));
        known.extend(args);
        are_known
    })
}

fn head_variables(task: &Task) -> Vec<Term> {
    let all = (0u32..).map(Term::var);
    all.take(task.target.arity).collect()
}

fn new_variable(task: &Task) -> Term {
    u32::try_from(task.target.arity).map_or(Term::NIL, Term::var)
}

impl Inquiry<'_, '_> {
    /// A clause that calls itself, where the task does not allow that, covers no negative example and would
    /// help: it covers one of the first uncovered positive examples, or where all are covered, more positive
    /// examples than any clause of a theory of [chains](chained). Its calls are looked up among the positive
    /// examples.
    pub(super) fn recursive_clause(
        &mut self,
        theory: Option<&Theory>,
        uncovered: &[&Atom],
    ) -> Result<Option<String>, ProverError> {
        let task = self.problem.task();
        if task.bias.recursion || task.negative.is_empty() {
            return Ok(None);
        }
        self.restart();
        let known: FxHashSet<&Atom> = task.positive.iter().collect();
        let in_chains = theory.filter(|_| uncovered.is_empty()).map(chained);
        let looked_at = &uncovered[..uncovered.len().min(MAX_NAMED)];
        let mut best: Option<((bool, usize), Candidate)> = None;
        for candidate in self.candidates(in_chains.as_ref()) {
            let mut is_of_use = uncovered.is_empty();
            for example in looked_at {
                is_of_use = is_of_use || self.is_covered(&candidate, example, &known)?.0;
            }
            if !is_of_use {
                continue;
            }
            let Some(covered) = self.covered_by(&candidate, &known)? else {
                continue;
            };
            let n = covered.count_ones(..);
            let rank = (!candidate.is_call_first, n);
            if n >= MIN_COVERED
                && (!uncovered.is_empty() || is_most(&covered, theory))
                && best.as_ref().is_none_or(|(most, _)| rank > *most)
            {
                best = Some((rank, candidate));
            }
        }
        Ok(best.map(|((_, n), candidate)| {
            let clause = print_clause(&candidate.clause(task), &task.symbols).to_string();
            let clause = clause.trim_end_matches('.');
            format!(
                "with --recursion, `{clause}` covers {n} of {} positive examples and no negative one, if \
                 its calls may be any other positive example",
                task.positive.len()
            )
        }))
    }

    /// The clauses that are looked at, with these predicates only if some are given.
    fn candidates(&self, only: Option<&FxHashSet<Predicate>>) -> Vec<Candidate> {
        let task = self.problem.task();
        let head = &task.bias.head.arguments;
        let modes = self.modes.iter();
        let modes = modes.filter(|mode| {
            let is_variable = |own: &Argument| own.direction != Direction::Constant;
            mode.predicate != task.target
                && mode.arguments.iter().all(is_variable)
                && only.is_none_or(|only| only.contains(&mode.predicate))
        });
        let head_args = head_variables(task);
        let mut candidates: Vec<Candidate> = Vec::new();
        for mode in modes {
            let is_listed = self.problem.database().is_extensional(mode.predicate);
            for new in 0..mode.arguments.len() {
                for literal in literals(mode, new, task) {
                    for (place, own) in head.iter().enumerate() {
                        if own.kind != mode.arguments[new].kind
                            || !literal.args.contains(&head_args[place])
                        {
                            continue;
                        }
                        let candidate = Candidate::new(task, mode, literal.clone(), place);
                        let is_new = |own: &Candidate| {
                            let is_same = |known: &Candidate| {
                                (&known.literal, known.place) == (&own.literal, own.place)
                            };
                            !candidates.iter().any(is_same)
                        };
                        let candidate = candidate.filter(|own| is_listed || !own.is_call_first);
                        candidates.extend(candidate.filter(is_new));
                    }
                }
            }
        }
        candidates
    }

    /// The positive examples that a clause covers; nothing if it covers a negative one, or may.
    fn covered_by(
        &mut self,
        candidate: &Candidate,
        known: &FxHashSet<&Atom>,
    ) -> Result<Option<BitSet>, ProverError> {
        let task = self.problem.task();
        for example in &task.negative {
            let (is_covered, end) = self.is_covered(candidate, example, known)?;
            if is_covered || end != Proof::Refuted || self.is_over() {
                return Ok(None);
            }
        }
        let mut covered = BitSet::with_capacity(task.positive.len());
        for (e, example) in task.positive.iter().enumerate() {
            if self.is_covered(candidate, example, known)?.0 {
                covered.insert(e);
            }
            if self.is_over() {
                return Ok(None);
            }
        }
        Ok(Some(covered))
    }

    /// Whether a clause covers an example, and how the search for answers of its literal ended.
    fn is_covered(
        &mut self,
        candidate: &Candidate,
        example: &Atom,
        known: &FxHashSet<&Atom>,
    ) -> Result<(bool, Proof), ProverError> {
        let args = &example.args;
        let mut value = |var: Var| args.get(var.index()).cloned().unwrap_or(Term::var(0));
        let goal = Literal::positive(candidate.literal.map_vars(&mut value));
        let answers = self.prover.solutions(&[goal], MAX_ANSWERS)?;
        self.spend(1 + self.prover.steps());
        let calls = answers.bindings.iter().filter_map(|own| own.first());
        let mut calls = calls.map(|value| candidate.call(example.name, args, value));
        let is_covered = calls.any(|call| call != *example && known.contains(&call));
        Ok((is_covered, answers.end))
    }
}

/// Whether these are more examples than each clause of a theory covers.
fn is_most(covered: &BitSet, theory: Option<&Theory>) -> bool {
    let of_clauses = theory.into_iter().flat_map(|own| &own.coverage);
    let mut of_clauses = of_clauses.map(|own| own.positive.count_ones(..));
    of_clauses.all(|n| n < covered.count_ones(..))
}

/// The predicates that the clauses of a theory have in chains of different lengths, as a theory without
/// recursion has them: in three clauses or more, each time another number of literals.
pub(super) fn chained(theory: &Theory) -> FxHashSet<Predicate> {
    let mut lengths: BTreeMap<Predicate, FxHashSet<usize>> = BTreeMap::new();
    for clause in &theory.clauses {
        let mut counts: BTreeMap<Predicate, usize> = BTreeMap::new();
        for literal in &clause.body {
            *counts.entry(literal.atom.predicate()).or_default() += 1;
        }
        for (predicate, n) in counts {
            lengths.entry(predicate).or_default().insert(n);
        }
    }
    let chains = lengths.into_iter();
    let chains = chains.filter(|(_, lengths)| lengths.len() >= MIN_LENGTHS);
    chains.map(|(predicate, _)| predicate).collect()
}

/// The literals of a mode with a new variable at one place and different arguments of the head, of the
/// right types, at the others: one at least.
fn literals(mode: &Mode, new: usize, task: &Task) -> Vec<Atom> {
    let head = &task.bias.head.arguments;
    let mut all: Vec<Vec<Term>> = vec![Vec::new()];
    for (place, argument) in mode.arguments.iter().enumerate() {
        let choices: Vec<Term> = if place == new {
            vec![new_variable(task)]
        } else {
            let own = (0u32..).zip(head);
            let own = own.filter(|(_, own)| own.kind == argument.kind);
            own.map(|(var, _)| Term::var(var)).collect()
        };
        let longer = all.iter().flat_map(|args| {
            let open = choices.iter().filter(|own| !args.contains(own));
            open.map(|own| [args.clone(), vec![own.clone()]].concat())
        });
        all = longer.collect();
    }
    all.retain(|args| args.len() > 1);
    let name = mode.predicate.name;
    all.into_iter().map(|args| Atom::new(name, args)).collect()
}
