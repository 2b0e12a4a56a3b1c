//! Simplification of a learned theory: redundant clauses and literals are dropped, and all heads get the
//! same arguments.

use std::collections::BTreeSet;

use kibitz_pal::{Judgement, KeepComponents, PalResult, Teacher as _, subsumes_relative_to};
use kibitz_prolog::{Atom, Clause, Literal, Term, Var};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;

use crate::{ConceptError, TestSet};

/// The clause with each negated literal behind the literals that bind its variables.
///
/// The final reduction drops literals that others imply, such as the contents of a square from which a
/// piece moves. A negated literal may then precede the move that binds its variables, where it
/// denies that the goal has any solution.
#[must_use]
pub fn negations_last(clause: &Clause) -> Clause {
    let vars_of = |literal: &Literal| {
        let mut vars: FxHashSet<Var> = FxHashSet::default();
        literal.atom.for_each_var(&mut |var| {
            vars.insert(var);
        });
        vars
    };
    let positive = clause.body.iter().filter(|literal| literal.positive);
    let bound_by_some: FxHashSet<Var> = positive.flat_map(vars_of).collect();
    let mut bound: FxHashSet<Var> = FxHashSet::default();
    clause.head.args.last().into_iter().for_each(|state| {
        if let Term::Var(var) = state {
            bound.insert(*var);
        }
    });
    let mut body = Vec::new();
    let mut waiting: Vec<&Literal> = Vec::new();
    for literal in &clause.body {
        if literal.positive {
            bound.extend(vars_of(literal));
            body.push(literal.clone());
        } else {
            waiting.push(literal);
        }
        waiting.retain(|negated| {
            let is_ready = |var: &Var| bound.contains(var) || !bound_by_some.contains(var);
            let ready = vars_of(negated).iter().all(is_ready);
            if ready {
                body.push((*negated).clone());
            }
            !ready
        });
    }
    body.extend(waiting.into_iter().cloned());
    Clause {
        head: clause.head.clone(),
        body,
    }
    .normalized()
}

/// Positions on which a shorter clause is tried before it is tried on all of them.
const QUICK_TEST: usize = 5_000;

/// A clause with the indices of the pieces that its head describes.
struct Part {
    clause: Clause,
    components: Vec<usize>,
}

impl TestSet<'_> {
    /// The learned theory without redundant clauses and literals, every head with the same arguments.
    ///
    /// If the test set has all positions, a literal is redundant if its clause covers the same positions
    /// without it, and a clause if the others cover its positions. On a sample this would be a guess:
    /// there, a literal is redundant if the target still subsumes the clause without it, and a clause if
    /// another one subsumes it.
    ///
    /// The literals that describe the pieces of the head stay, as they bind its arguments, unless no
    /// other literal mentions a piece. Arguments of the head that describe no piece are dropped with the last
    /// literal that has them, and if clauses differ in their number.
    ///
    /// # Errors
    /// The prover's own.
    pub fn simplified(&self, learned: &PalResult) -> Result<Vec<Clause>, ConceptError> {
        let parts = learned.clauses.iter().zip(&learned.components);
        let parts = parts.map(|(clause, components)| Part {
            clause: negations_last(clause),
            components: components.clone(),
        });
        let parts = if self.seed().is_none() {
            self.simplified_by_coverage(parts.collect())?
        } else {
            self.simplified_by_subsumption(parts.collect())?
        };
        Ok(self.with_equal_heads(parts))
    }

    fn simplified_by_coverage(&self, parts: Vec<Part>) -> Result<Vec<Part>, ConceptError> {
        let clauses: Vec<Clause> = parts.iter().map(|part| part.clause.clone()).collect();
        let mut tester = self.prepared().coverage_tester(&clauses)?;
        let mut covered: Vec<Vec<bool>> = vec![Vec::with_capacity(self.len()); parts.len()];
        let mut n_clauses = vec![0_usize; self.len()];
        for (state, n_clauses) in self.states().iter().zip(&mut n_clauses) {
            for (number, covered) in covered.iter_mut().enumerate() {
                let holds = tester.clause_holds(number, *state)?;
                covered.push(holds);
                *n_clauses += usize::from(holds);
            }
        }
        // The least general clauses go first.
        let mut by_coverage: Vec<usize> = (0..parts.len()).collect();
        by_coverage.sort_by_key(|&number| covered[number].iter().filter(|own| **own).count());
        let mut dropped = vec![false; parts.len()];
        for number in by_coverage {
            let own = || (0..self.len()).filter(|&at| covered[number][at]);
            if dropped.iter().filter(|dropped| !**dropped).count() > 1
                && own().all(|at| n_clauses[at] > 1)
            {
                dropped[number] = true;
                own().for_each(|at| n_clauses[at] -= 1);
            }
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(0));
        let some = &order[..order.len().min(QUICK_TEST)];
        let mut found = Vec::new();
        for (number, part) in parts.into_iter().enumerate() {
            if dropped[number] {
                continue;
            }
            let is_equal = |shorter: &Clause, positions: &[usize]| {
                self.covers_exactly(shorter, positions, &covered[number])
            };
            let quick = self.without_literals(&part, |shorter| is_equal(shorter, some));
            let shorter = if is_equal(&quick.clause, &order) {
                quick
            } else {
                self.without_literals(&part, |shorter| is_equal(shorter, &order))
            };
            found.push(shorter);
        }
        Ok(found)
    }

    /// Whether a clause covers of these positions those that are marked. One that cannot be decided
    /// does not: a literal that binds a variable of another one is not redundant.
    fn covers_exactly(&self, clause: &Clause, positions: &[usize], covered: &[bool]) -> bool {
        let tester = self
            .prepared()
            .coverage_tester(std::slice::from_ref(clause));
        tester.is_ok_and(|mut tester| {
            let mut holds = |at: usize| tester.holds(self.states()[at]);
            (positions.iter()).all(|&at| holds(at).is_ok_and(|holds| holds == covered[at]))
        })
    }

    fn simplified_by_subsumption(&self, parts: Vec<Part>) -> Result<Vec<Part>, ConceptError> {
        let definitions = self.prepared().definitions();
        let mut kept: Vec<Part> = Vec::new();
        for part in parts {
            let subsumes =
                |a: &Part, b: &Part| subsumes_relative_to(&a.clause, &b.clause, definitions);
            if !kept.iter().any(|own| subsumes(own, &part)) {
                kept.retain(|own| !subsumes(&part, own));
                kept.push(part);
            }
        }
        let mut oracle = self.prepared().oracle();
        let all: Vec<usize> = (0..self.len()).collect();
        for part in &mut kept {
            let shorter = self.without_literals(part, |shorter| {
                oracle
                    .judge(shorter)
                    .is_ok_and(|judgement| judgement != Judgement::Reject)
            });
            // Subsumption does not see a negated literal whose variables nothing binds any more.
            let mut tester = self
                .prepared()
                .coverage_tester(std::slice::from_ref(&part.clause))?;
            let covered = self.states().iter().map(|state| tester.holds(*state));
            let covered: Vec<bool> = covered.collect::<Result<_, _>>()?;
            if self.covers_exactly(&shorter.clause, &all, &covered) {
                *part = shorter;
            }
        }
        Ok(kept)
    }

    /// The clause without the literals that are redundant by this test, the last ones first: they may
    /// depend on a move before them. A piece goes with the literal that describes it if nothing else is
    /// said of it.
    fn without_literals(&self, part: &Part, mut is_equal: impl FnMut(&Clause) -> bool) -> Part {
        let described_by = self.prepared().domain().description().predicate();
        let mut clause = part.clause.clone();
        let state = clause.head.args.last().cloned();
        for at in (0..clause.body.len()).rev() {
            let Literal { positive, atom } = &clause.body[at];
            let describes = *positive && atom.predicate() == described_by;
            // Descriptions go with their pieces, below.
            if describes && atom.args.last() == state.as_ref() {
                continue;
            }
            let mut shorter = clause.clone();
            shorter.body.remove(at);
            if is_equal(&negations_last(&shorter)) {
                clause = shorter;
            }
        }
        let mut components = part.components.clone();
        let may_drop = self.prepared().params().keep != KeepComponents::All;
        for at in (0..components.len()).rev() {
            let own = at * self.n_arguments()..(at + 1) * self.n_arguments();
            let mut args = clause.head.args.to_vec();
            let described: Vec<Term> = args.drain(own).collect();
            let mut shorter = Clause {
                head: Atom::new(clause.head.name, args),
                body: clause.body.clone(),
            };
            shorter.body.retain(|literal| {
                !literal.positive
                    || literal.atom.predicate() != described_by
                    || literal.atom.args.last() != state.as_ref()
                    || !literal.atom.args.starts_with(&described)
            });
            if may_drop
                && components.len() > 1
                && shorter.body.len() + 1 == clause.body.len()
                && self.is_only_described(&described, &shorter)
                && is_equal(&negations_last(&shorter))
            {
                clause = shorter;
                components.remove(at);
            }
        }
        // Head arguments besides those of the pieces and the state go when no literal uses them any
        // more.
        let n_described = components.len() * self.n_arguments();
        let mut used: FxHashSet<&Term> = FxHashSet::default();
        for literal in &clause.body {
            used.extend(literal.atom.args.iter());
        }
        let last = clause.head.args.len().saturating_sub(1);
        let kept =
            |at: usize| at < n_described || at >= last || used.contains(&clause.head.args[at]);
        let args = (0..=last)
            .filter(|at| kept(*at))
            .map(|at| clause.head.args[at].clone());
        let head = Atom::new(clause.head.name, args.collect::<Vec<_>>());
        let clause = Clause {
            head,
            body: clause.body.clone(),
        };
        Part {
            clause: negations_last(&clause),
            components,
        }
    }

    /// Whether the square of a described piece is in no literal and no argument of the rest.
    fn is_only_described(&self, described: &[Term], rest: &Clause) -> bool {
        let domain = self.prepared().domain();
        let key = domain.key();
        let mut own: FxHashSet<Var> = FxHashSet::default();
        for (term, pattern) in described.iter().zip(domain.description().args.iter()) {
            let mut is_place = false;
            pattern.for_each_var(&mut |var| is_place |= key.contains(&var.index()));
            if is_place {
                term.for_each_var(&mut |var| {
                    own.insert(var);
                });
            }
        }
        let mut is_used = false;
        let mut visit = |var: Var| is_used |= own.contains(&var);
        rest.head.for_each_var(&mut visit);
        for literal in &rest.body {
            literal.atom.for_each_var(&mut visit);
        }
        !is_used
    }

    /// Arguments of a head that describe one piece.
    fn n_arguments(&self) -> usize {
        self.prepared().domain().description().args.len() - 1
    }

    /// Gives all heads the same arguments: every piece that some clause describes is described in all.
    fn with_equal_heads(&self, parts: Vec<Part>) -> Vec<Clause> {
        let n_arguments = self.n_arguments();
        let components: BTreeSet<usize> = parts
            .iter()
            .flat_map(|part| part.components.iter().copied())
            .collect();
        let n_named = |part: &Part| {
            let n_described = part.components.len() * n_arguments;
            part.clause.head.args.len().saturating_sub(n_described + 1)
        };
        let mut counts: Vec<usize> = parts.iter().map(n_named).collect();
        counts.dedup();
        let keep_named = counts.len() <= 1;
        let description = self.prepared().domain().description();
        let equal = |part: Part| {
            let Some((state, args)) = part.clause.head.args.split_last() else {
                return part.clause;
            };
            let (described, named) = args.split_at(part.components.len() * n_arguments);
            let mut next = part.clause.var_bound();
            let mut head: Vec<Term> = Vec::new();
            let mut added: Vec<Literal> = Vec::new();
            for component in &components {
                if let Some(own) = part.components.iter().position(|c| c == component) {
                    head.extend_from_slice(&described[own * n_arguments..][..n_arguments]);
                    continue;
                }
                let attributes = self.prepared().domain().attributes();
                let first = &self.prepared().examples()[0][*component];
                let atom = description.map_vars(&mut |var| match attributes.get(var.index()) {
                    None => state.clone(),
                    Some(own) if own.values.is_empty() => Term::Const(first[var.index()]),
                    Some(_) => Term::Var(Var(next + var.0)),
                });
                next += u32::try_from(attributes.len()).unwrap_or(u32::MAX);
                head.extend_from_slice(&atom.args[..n_arguments]);
                added.push(Literal {
                    positive: true,
                    atom,
                });
            }
            if keep_named {
                head.extend_from_slice(named);
            }
            head.push(state.clone());
            Clause {
                head: Atom::new(part.clause.head.name, head),
                body: [added, part.clause.body].concat(),
            }
            .normalized()
        };
        parts.into_iter().map(equal).collect()
    }
}
