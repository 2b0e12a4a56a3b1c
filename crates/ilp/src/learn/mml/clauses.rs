//! Features as literals, and clauses in terms.

use kibitz_prolog::{Atom, Clause, Direction, Literal, Symbol, Term};
use rustc_hash::FxHashSet;

use super::concepts::{Concepts, Origin};
use super::features::{Feature, Source};
use super::part::Role;
use super::template::{Slot, Template};
use crate::encoded::EncodedProblem;
use crate::eval::EQUALS;
use crate::task::Task;

/// An argument in a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arg {
    Var(usize),
    Constant(u32),
}

/// A literal of a clause, with the way to call it.
#[derive(Clone, Debug)]
struct Goal<'t> {
    template: &'t Template,
    args: Vec<Arg>,
}

/// Makes clauses of features.
pub(super) struct Writer<'t> {
    task: &'t Task,
    terms: &'t [Term],
    /// The names of the relations.
    names: Vec<Symbol>,
    templates: &'t [Template],
}

impl<'t> Writer<'t> {
    pub(super) fn new(
        task: &'t Task,
        problem: &'t EncodedProblem,
        templates: &'t [Template],
    ) -> Self {
        let relations = problem.relations.iter();
        Self {
            task,
            terms: &problem.terms,
            names: relations.map(|own| own.predicate.name).collect(),
            templates,
        }
    }

    /// Whether features that can be written one by one can be written together: the bias forbids nothing,
    /// all arguments of the head have values, and no output must be a new variable.
    pub(super) fn parts_are_free(&self) -> bool {
        let bias = &self.task.bias;
        let mut outputs = bias.head.places(Direction::Out);
        outputs.next().is_none()
            && bias.constraints.is_empty()
            && self.templates.iter().all(|own| !own.is_exact)
    }

    /// A clause of these features; `None` if its literals cannot be called in any order, or if the bias
    /// forbids it.
    pub(super) fn clause(
        &self,
        features: &[&Feature],
        concepts: Option<&Concepts<'_>>,
    ) -> Option<Clause> {
        let n_head = self.task.target.arity;
        let mut n_vars = n_head;
        let mut goals = Vec::new();
        for feature in features {
            match (feature.source, concepts) {
                (Source::Literal(id), _) => goals.push(self.goal(id, &[])),
                (Source::Concept(id), Some(concepts)) => {
                    n_vars += 1;
                    self.concept(concepts, id, n_vars - 1, &mut n_vars, &mut goals);
                }
                (Source::Concept(_), None) => return None,
            }
        }
        let is_merged = |goal: &Goal<'_>| goal.template.is_merged();
        let (equal, goals): (Vec<_>, Vec<_>) = goals.into_iter().partition(is_merged);
        let values = merged(&equal, n_vars, self.terms);
        let goals = self.in_order(goals, &values, n_head)?;
        let term = |arg: &Arg| match *arg {
            Arg::Var(var) => values[var].clone(),
            Arg::Constant(value) => self.terms[value as usize].clone(),
        };
        let head = Atom::new(self.task.target.name, values[..n_head].iter().cloned());
        let body = goals.iter().map(|goal| {
            let name = if goal.template.relation == EQUALS {
                Symbol::NOT_EQUALS
            } else {
                self.names[goal.template.relation as usize]
            };
            let is_inequality = goal.template.relation == EQUALS;
            Literal {
                positive: goal.template.positive || is_inequality,
                atom: Atom::new(name, goal.args.iter().map(term)),
            }
        });
        let clause = Clause::new(head, body.collect()).normalized();
        let constraints = &self.task.bias.constraints;
        constraints
            .permit(&clause, &self.task.symbols)
            .then_some(clause)
    }

    fn goal(&self, template: u32, vars: &[usize]) -> Goal<'t> {
        let template = &self.templates[template as usize];
        let arg = |slot: &Slot| match *slot {
            Slot::Head(i) => Arg::Var(i as usize),
            Slot::Constant(value) => Arg::Constant(value),
            Slot::Existential(i) => Arg::Var(vars[i]),
        };
        Goal {
            template,
            args: template.slots.iter().map(arg).collect(),
        }
    }

    /// Adds the literals of a concept of a variable.
    fn concept(
        &self,
        concepts: &Concepts<'_>,
        id: u32,
        var: usize,
        n_vars: &mut usize,
        goals: &mut Vec<Goal<'t>>,
    ) {
        match &concepts.all[id as usize].origin {
            Origin::And(left, right) => {
                self.concept(concepts, *left, var, n_vars, goals);
                self.concept(concepts, *right, var, n_vars, goals);
            }
            Origin::Part(part, sources) => {
                let part = &concepts.parts[*part as usize];
                let first_source = *n_vars;
                *n_vars += sources.len();
                let mut shared: Vec<usize> = Vec::new();
                for (template, roles) in &part.literals {
                    let vars = roles.iter().map(|role| match *role {
                        Role::Target => var,
                        Role::Source(i) => first_source + i,
                        Role::Free => {
                            *n_vars += 1;
                            *n_vars - 1
                        }
                        Role::Shared(i) => {
                            while shared.len() <= i {
                                shared.push(*n_vars);
                                *n_vars += 1;
                            }
                            shared[i]
                        }
                    });
                    let vars: Vec<usize> = vars.collect();
                    goals.push(self.goal(*template, &vars));
                }
                for (i, source) in sources.iter().enumerate() {
                    self.concept(concepts, *source, first_source + i, n_vars, goals);
                }
            }
        }
    }

    /// The goals in an order in which every one can be called when its turn comes, tests first.
    fn in_order(
        &self,
        goals: Vec<Goal<'t>>,
        values: &[Term],
        n_head: usize,
    ) -> Option<Vec<Goal<'t>>> {
        let head = &self.task.bias.head.arguments;
        let mut known: FxHashSet<&Term> = FxHashSet::default();
        for (i, argument) in head.iter().enumerate() {
            if argument.direction != Direction::Out {
                known.insert(&values[i]);
            }
        }
        let is_known = |known: &FxHashSet<&Term>, arg: &Arg| match *arg {
            Arg::Var(var) => !matches!(values[var], Term::Var(_)) || known.contains(&values[var]),
            Arg::Constant(_) => true,
        };
        let mut left = goals;
        let mut ordered = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let rank = |goal: &Goal<'_>| {
                let n_unknown = goal
                    .args
                    .iter()
                    .filter(|arg| !is_known(&known, arg))
                    .count();
                let is_joined = n_unknown < goal.args.len();
                (n_unknown > 0, !is_joined, n_unknown)
            };
            let can_call = |goal: &Goal<'_>| {
                let template = goal.template;
                let mut args = goal.args.iter().zip(&template.directions);
                args.all(|(arg, direction)| match direction {
                    Direction::In => is_known(&known, arg),
                    Direction::Out if template.is_exact => !is_known(&known, arg),
                    Direction::Out => template.positive || is_known(&known, arg),
                    Direction::Constant => true,
                })
            };
            let callable = (0..left.len()).filter(|i| can_call(&left[*i]));
            let next = callable.min_by_key(|i| rank(&left[*i]))?;
            let goal = left.remove(next);
            for arg in &goal.args {
                if let Arg::Var(var) = *arg {
                    known.insert(&values[var]);
                }
            }
            ordered.push(goal);
        }
        let is_safe = (0..n_head).all(|i| is_known(&known, &Arg::Var(i)));
        is_safe.then_some(ordered)
    }
}

/// The terms that variables stand for once equalities are carried out.
fn merged(equal: &[Goal<'_>], n_vars: usize, terms: &[Term]) -> Vec<Term> {
    let vars = (0u32..).map(Term::var);
    let mut values: Vec<Term> = vars.take(n_vars).collect();
    for goal in equal {
        let value = |arg: Arg| match arg {
            Arg::Var(var) => values[var].clone(),
            Arg::Constant(value) => terms[value as usize].clone(),
        };
        let (mut to, mut from) = (value(goal.args[0]), value(goal.args[1]));
        if !matches!(from, Term::Var(_)) {
            std::mem::swap(&mut to, &mut from);
        }
        values
            .iter_mut()
            .filter(|own| **own == from)
            .for_each(|own| *own = to.clone());
    }
    values
}
