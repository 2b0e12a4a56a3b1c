//! The clauses of a recursive theory, compiled for tables of calls.

use std::rc::Rc;

use super::super::goal::{TabledGoal, variables};
use super::super::prover::TabledProver;
use crate::prover::ProverError;
use crate::prover::database::calls_any;
use crate::term::{Atom, Clause, Literal, Predicate, Symbol, Term, Var};

/// An argument of a head or of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    Var(usize),
    Value(u32),
}

/// A literal of a body.
#[derive(Debug)]
pub(super) enum Step {
    /// A goal of the background, with the clause's variables in it.
    Goal(Subgoal, Rc<[usize]>),
    /// A call of a predicate of the theory, by its number.
    Call(usize, Rc<[Slot]>),
}

/// A goal of the background in a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subgoal {
    pub(super) goal: TabledGoal,
    pub(super) is_negative: bool,
    /// By variable of the goal, whether the rest of the clause has it; those from the 64th on do.
    needed: u64,
}

impl Subgoal {
    /// Whether the value of a variable of the goal matters to the rest of the clause.
    pub(super) fn needs(self, place: usize) -> bool {
        place >= 64 || self.needed >> place & 1 == 1
    }
}

/// A clause of the theory, or what the program says of one of its predicates.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) predicate: usize,
    pub(super) head: Rc<[Slot]>,
    pub(super) body: Vec<Step>,
    pub(super) n_vars: usize,
}

/// The rules of a theory: its clauses come first.
#[derive(Debug, Default)]
pub(super) struct TheoryRules {
    predicates: Vec<Predicate>,
    pub(super) rules: Vec<Rule>,
    pub(super) n_clauses: usize,
}

impl TheoryRules {
    /// Compiles a theory that calls itself; none where tables cannot or need not decide it. `number`
    /// gives numbers to ground terms.
    pub(super) fn new(
        theory: &[Clause],
        prover: &mut TabledProver<'_>,
        number: &mut dyn FnMut(&Term) -> u32,
    ) -> Result<Option<Self>, ProverError> {
        let mut predicates: Vec<Predicate> = Vec::new();
        for clause in theory {
            let own = clause.head.predicate();
            if !predicates.contains(&own) {
                predicates.push(own);
            }
        }
        let db = prover.prover.db;
        let literals = theory.iter().flat_map(|clause| &clause.body);
        let background = literals.filter(|own| !predicates.contains(&own.atom.predicate()));
        let background: Vec<&Literal> = background.collect();
        if !calls_itself(theory, &predicates)
            || db.leads_to(&background, &predicates)
            || (predicates.iter()).any(|own| db.is_built_in(*own) || db.is_native(*own))
            || !theory.iter().all(|clause| is_plain(clause, &predicates))
        {
            return Ok(None);
        }
        let given = predicates.iter().filter(|own| db.is_defined(**own));
        let given = given.map(|own| {
            let args = (0u32..).take(own.arity).map(Term::var);
            let head = Atom::new(own.name, args);
            (head.clone(), vec![Literal::positive(head)])
        });
        let given: Vec<(Atom, Vec<Literal>)> = given.collect();
        let mut rules = Vec::with_capacity(theory.len() + given.len());
        for clause in theory {
            let called = &predicates[..];
            rules.push(compile(&clause.head, &clause.body, called, prover, number)?);
        }
        for (head, body) in &given {
            // The program's own answers are not those of the theory.
            let mut rule = compile(head, body, &[], prover, number)?;
            rule.predicate = (predicates.iter())
                .position(|own| *own == head.predicate())
                .unwrap_or_default();
            rules.push(rule);
        }
        for (rule, clause) in rules.iter_mut().zip(theory) {
            let own = clause.head.predicate();
            rule.predicate = (predicates.iter())
                .position(|known| *known == own)
                .unwrap_or_default();
        }
        Ok(Some(Self {
            predicates,
            rules,
            n_clauses: theory.len(),
        }))
    }

    /// The number of a predicate that the theory defines.
    pub(super) fn predicate(&self, predicate: Predicate) -> Option<usize> {
        self.predicates.iter().position(|own| *own == predicate)
    }
}

/// Whether some predicate of a theory calls itself, perhaps through others.
fn calls_itself(theory: &[Clause], predicates: &[Predicate]) -> bool {
    predicates.iter().any(|start| {
        let mut met = vec![*start];
        let mut next = 0;
        while let Some(own) = met.get(next).copied() {
            next += 1;
            let clauses = theory.iter().filter(|own_| own_.head.predicate() == own);
            for literal in clauses.flat_map(|clause| &clause.body) {
                let called = literal.atom.predicate();
                if called == *start {
                    return true;
                }
                if predicates.contains(&called) && !met.contains(&called) {
                    met.push(called);
                }
            }
        }
        false
    })
}

/// Whether a clause calls predicates of the theory as such only, with variables and ground terms.
fn is_plain(clause: &Clause, predicates: &[Predicate]) -> bool {
    let is_flat = |atom: &Atom| {
        let mut args = atom.args.iter();
        args.all(|arg| matches!(arg, Term::Var(_)) || arg.is_ground())
    };
    let is_cut = |literal: &Literal| {
        let term = literal.atom.to_term();
        !term.all_parts(&mut |part| *part != Term::symbol(Symbol::CUT))
    };
    let is_fit = |literal: &Literal| {
        if predicates.contains(&literal.atom.predicate()) {
            literal.positive && is_flat(&literal.atom)
        } else {
            !calls_any(std::slice::from_ref(literal), predicates)
        }
    };
    is_flat(&clause.head) && !clause.body.iter().any(is_cut) && clause.body.iter().all(is_fit)
}

/// Compiles a clause whose calls of some predicates are answered by tables.
fn compile(
    head: &Atom,
    body: &[Literal],
    called: &[Predicate],
    prover: &mut TabledProver<'_>,
    number: &mut dyn FnMut(&Term) -> u32,
) -> Result<Rule, ProverError> {
    let mut n_vars = 0;
    let mut count = |var: Var| n_vars = n_vars.max(var.index() + 1);
    head.for_each_var(&mut count);
    for literal in body {
        literal.atom.for_each_var(&mut count);
    }
    let mut slots = |atom: &Atom| -> Rc<[Slot]> {
        let slot = |arg: &Term| match arg {
            Term::Var(var) => Slot::Var(var.index()),
            ground => Slot::Value(number(ground)),
        };
        atom.args.iter().map(slot).collect()
    };
    let mut steps = Vec::with_capacity(body.len());
    for (at, literal) in body.iter().enumerate() {
        let own = literal.atom.predicate();
        if let Some(predicate) = called.iter().position(|known| *known == own) {
            steps.push(Step::Call(predicate, slots(&literal.atom)));
            continue;
        }
        let vars = variables(literal);
        let is_elsewhere = |var: Var| {
            let mut found = false;
            let mut look = |own: Var| found |= own == var;
            head.for_each_var(&mut look);
            for other in &body[at + 1..] {
                other.atom.for_each_var(&mut look);
            }
            found
        };
        let mut needed = 0;
        for (place, var) in vars.iter().enumerate().take(64) {
            needed |= u64::from(is_elsewhere(*var)) << place;
        }
        let subgoal = Subgoal {
            goal: prover.goal(literal)?,
            is_negative: !literal.positive,
            needed,
        };
        let vars = vars.iter().map(|var| var.index()).collect();
        steps.push(Step::Goal(subgoal, vars));
    }
    Ok(Rule {
        predicate: 0,
        head: slots(head),
        body: steps,
        n_vars,
    })
}
