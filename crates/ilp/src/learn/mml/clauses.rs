//! Features as literals, and clauses in terms.

use kibitz_prolog::{Clause, Direction, Symbol, Term};
use rustc_hash::FxHashSet;

use super::concepts::{Concepts, Origin};
use super::features::{Feature, Source};
use super::part::Role;
use super::template::Template;
use crate::encoded::{EncodedProblem, number};
use crate::eval::{Arg, Lit, decode_clause, merged};
use crate::task::Task;

/// A literal of a clause, with the way to call it.
#[derive(Clone, Debug)]
struct Goal<'t> {
    template: &'t Template,
    lit: Lit,
}

/// Makes clauses of features.
pub(super) struct Writer<'t> {
    task: &'t Task,
    /// The arguments of the head.
    head: Vec<Arg>,
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
            head: (0..number(task.target.arity)).map(Arg::Var).collect(),
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
        let mut n_vars = number(n_head);
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
        let mut lits: Vec<Lit> = equal.into_iter().map(|goal| goal.lit).collect();
        let values = merged(&lits, self.terms, n_vars as usize);
        let goals = self.in_order(goals, &values, n_head)?;
        lits.extend(goals.into_iter().map(|goal| goal.lit));
        let name = |relation| self.names[relation as usize];
        let target = self.task.target.name;
        let clause = decode_clause(target, &self.head, &lits, self.terms, name).normalized();
        let constraints = &self.task.bias.constraints;
        constraints
            .permit(&clause, &self.task.symbols)
            .then_some(clause)
    }

    fn goal(&self, template: u32, vars: &[u32]) -> Goal<'t> {
        let template = &self.templates[template as usize];
        Goal {
            template,
            lit: template.lit_with(vars),
        }
    }

    /// Adds the literals of a concept of a variable.
    fn concept(
        &self,
        concepts: &Concepts<'_>,
        id: u32,
        var: u32,
        n_vars: &mut u32,
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
                *n_vars += number(sources.len());
                let mut shared: Vec<u32> = Vec::new();
                for (template, roles) in &part.literals {
                    let vars = roles.iter().map(|role| match *role {
                        Role::Target => var,
                        Role::Source(i) => first_source + number(i),
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
                    let vars: Vec<u32> = vars.collect();
                    goals.push(self.goal(*template, &vars));
                }
                for (var, source) in (first_source..).zip(sources) {
                    self.concept(concepts, *source, var, n_vars, goals);
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
        let is_known = |known: &FxHashSet<&Term>, arg: &Arg| {
            arg.var().is_none_or(|var| {
                let value = &values[var as usize];
                !matches!(value, Term::Var(_)) || known.contains(value)
            })
        };
        let mut left = goals;
        let mut ordered = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let rank = |goal: &Goal<'_>| {
                let args = goal.lit.args.iter();
                let n_unknown = args.filter(|arg| !is_known(&known, arg)).count();
                let is_joined = n_unknown < goal.lit.args.len();
                (n_unknown > 0, !is_joined, n_unknown)
            };
            let can_call = |goal: &Goal<'_>| {
                let template = goal.template;
                let mut args = goal.lit.args.iter().zip(&template.directions);
                args.all(|(arg, direction)| match direction {
                    Direction::In => is_known(&known, arg),
                    Direction::Out if template.is_exact => !is_known(&known, arg),
                    Direction::Out => goal.lit.positive || is_known(&known, arg),
                    Direction::Constant => true,
                })
            };
            let callable = (0..left.len()).filter(|i| can_call(&left[*i]));
            let next = callable.min_by_key(|i| rank(&left[*i]))?;
            let goal = left.remove(next);
            known.extend(goal.lit.vars().map(|var| &values[var as usize]));
            ordered.push(goal);
        }
        let is_safe = (0..number(n_head)).all(|i| is_known(&known, &Arg::Var(i)));
        is_safe.then_some(ordered)
    }
}
