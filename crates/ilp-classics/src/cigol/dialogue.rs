//! The dialogue of Cigol and its user, example by example.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use kibitz_prolog::{Atom, Clause, Literal, Symbol, SymbolTable, Term, unify_atoms};

use super::operators::{absorb_unit, truncate};
use crate::intra_construction::{intra_construct, symbols_of};

/// Resolution steps in which a clause must follow from others.
const MAX_RESOLUTIONS: usize = 20;

/// Whether a clause follows from others: with its variables as new constants and its conditions as
/// facts, its head is proved in a few steps.
pub(super) fn follows(clause: &Clause, from: &[Clause]) -> bool {
    // Numbers from the far end of their range, which no example uses.
    let ground = clause.map_vars(&mut |var| Term::int(i64::MIN + i64::from(var.0)));
    let mut program = from.to_vec();
    program.extend(ground.body.into_iter().map(|l| Clause::fact(l.atom)));
    proves(&program, &[ground.head], MAX_RESOLUTIONS)
}

fn proves(program: &[Clause], goals: &[Atom], resolutions: usize) -> bool {
    let Some((goal, rest)) = goals.split_first() else {
        return true;
    };
    let query = Clause {
        head: goal.clone(),
        body: rest.iter().cloned().map(Literal::positive).collect(),
    };
    resolutions > 0
        && program.iter().any(|clause| {
            let clause = clause.shifted(query.var_bound());
            unify_atoms(goal, &clause.head).is_some_and(|theta| {
                let body = clause.body.iter().chain(&query.body);
                let goals: Vec<Atom> = body.map(|l| theta.apply_atom(&l.atom)).collect();
                proves(program, &goals, resolutions - 1)
            })
        })
}

/// A theory under construction, one example at a time: the example-order demonstration.
///
/// A new unit clause is kept unless it follows already. Examples are truncated in pairs; what that
/// gives is absorbed into other unit clauses; if it may invent predicates, intra-construction of any two
/// clauses competes with absorption. Each step must make the theory shorter and is put to the user;
/// clauses that follow from the rest then go.
///
/// # Source
/// Morales 1992, Table 4.3: truncation, "as a filter", is applied to new unit clause examples only, and
/// the other operators to its results; of these the step is taken that saves most.
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    theory: Vec<Clause>,
    /// The names of new predicates, if it may have some.
    names: Option<Names>,
}

/// Names of new predicates.
#[derive(Clone, Debug)]
struct Names {
    symbols: SymbolTable,
    /// The names that there were before.
    n_known: usize,
    stem: String,
    /// The name of the next predicate, the last of the table.
    next: Symbol,
}

/// A possible step.
#[derive(Clone, Debug)]
enum Step {
    /// Add a clause, and remove the clauses that it makes redundant.
    Clause(Clause),
    /// Replace clauses by others from which they follow.
    Exchange(Proposal),
}

/// A possible step.
#[derive(Clone, Debug)]
struct Proposal {
    /// Symbols saved.
    gain: i64,
    /// The new clauses.
    added: Vec<Clause>,
    /// The clauses that they replace.
    removed: Vec<Clause>,
}

impl Dialogue {
    /// An empty theory, without intra-construction.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty theory with intra-construction, whose predicates are named by `stem` and a number, as
    /// they are not in the table.
    pub fn inventing(mut symbols: SymbolTable, stem: &str) -> Self {
        let n_known = symbols.names().count();
        let next = symbols.fresh(stem);
        let names = Names {
            symbols,
            n_known,
            stem: stem.to_owned(),
            next,
        };
        Self {
            theory: Vec::new(),
            names: Some(names),
        }
    }

    /// The names of the invented predicates, in the order of their symbols.
    pub fn invented(&self) -> Vec<String> {
        let own = self.names.iter().flat_map(|names| {
            let own = names.symbols.names().take(names.next.index());
            own.skip(names.n_known)
        });
        own.map(str::to_owned).collect()
    }

    /// The present theory.
    pub fn theory(&self) -> &[Clause] {
        &self.theory
    }

    /// Takes an example. Returns whether it was new.
    pub fn tell(&mut self, example: Atom) -> bool {
        let example = Clause::fact(example).normalized();
        if follows(&example, &self.theory) {
            return false;
        }
        self.theory.push(example);
        true
    }

    /// Generalizes as long as something makes the theory shorter and `accept` agrees: the user, who
    /// sees each new clause. Returns the clauses accepted, in order.
    pub fn generalize(&mut self, mut accept: impl FnMut(&Clause) -> bool) -> Vec<Clause> {
        self.generalize_while(&mut || true, |clauses, _| clauses.iter().all(&mut accept))
    }

    /// The same as long as `goes_on`, which is called before each proposal, returns true. The user sees all
    /// new clauses of a step together, and the theory.
    pub(super) fn generalize_while(
        &mut self,
        goes_on: &mut dyn FnMut() -> bool,
        mut accept: impl FnMut(&[Clause], &[Clause]) -> bool,
    ) -> Vec<Clause> {
        let mut accepted = Vec::new();
        let mut refused: BTreeSet<Vec<Clause>> = BTreeSet::new();
        while let Some(Proposal { added, removed, .. }) = self.best(&refused, goes_on) {
            if accept(&added, &self.theory) {
                self.theory.retain(|own| !removed.contains(own));
                self.theory.extend(added.iter().cloned());
                if let Some(names) = &mut self.names
                    && added.iter().any(|clause| clause.head.name == names.next)
                {
                    names.next = names.symbols.fresh(&names.stem);
                }
                accepted.extend(added);
            } else {
                refused.insert(added);
            }
        }
        accepted
    }

    /// The step that saves most and was not refused, of truncations or else of absorptions and
    /// intra-constructions; `None` if there is none, or it does not go on.
    fn best(
        &self,
        refused: &BTreeSet<Vec<Clause>>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Proposal> {
        let steps: [&dyn Fn() -> Vec<Step>; 2] = [&|| self.truncations(), &|| {
            [self.absorptions(), self.intra_constructions()].concat()
        }];
        for steps in steps {
            let mut best: Option<Proposal> = None;
            for step in steps() {
                if !goes_on() {
                    return None;
                }
                let proposal = match step {
                    Step::Clause(clause) => self.proposal(clause),
                    Step::Exchange(proposal) => proposal,
                };
                let rank = |own: &Proposal| (Reverse(own.gain), own.added.clone());
                let is_open = proposal.gain > 0 && !refused.contains(&proposal.added);
                if is_open && (best.as_ref()).is_none_or(|best| rank(&proposal) < rank(best)) {
                    best = Some(proposal);
                }
            }
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// The compression of a new clause that replaces the clauses entailed by it and the others.
    fn proposal(&self, clause: Clause) -> Proposal {
        let mut rest = self.theory.clone();
        let mut removed = Vec::new();
        for own in &self.theory {
            let mut others: Vec<Clause> = rest.iter().filter(|c| *c != own).cloned().collect();
            others.push(clause.clone());
            if follows(own, &others) {
                removed.push(own.clone());
                rest.retain(|c| c != own);
            }
        }
        Proposal {
            gain: symbols_of(&removed).saturating_sub(symbols_of([&clause])),
            added: vec![clause],
            removed,
        }
    }

    fn truncations(&self) -> Vec<Step> {
        let examples: Vec<&Clause> = self.theory.iter().filter(|c| c.is_ground()).collect();
        let pairs = (examples.iter().enumerate())
            .flat_map(|(i, a)| examples[i + 1..].iter().map(move |b| (a, b)));
        pairs
            .filter_map(|(a, b)| truncate(&[a.head.clone(), b.head.clone()]))
            .map(|atom| Step::Clause(Clause::fact(atom)))
            .collect()
    }

    fn absorptions(&self) -> Vec<Step> {
        let units: Vec<&Clause> = self.theory.iter().filter(|c| c.body.is_empty()).collect();
        let mut clauses = Vec::new();
        for a in units.iter().filter(|clause| !clause.is_ground()) {
            for b in units.iter().filter(|b| a != *b) {
                clauses.extend(absorb_unit(a, &b.head));
            }
        }
        clauses.into_iter().map(Step::Clause).collect()
    }

    fn intra_constructions(&self) -> Vec<Step> {
        let Some(names) = &self.names else {
            return Vec::new();
        };
        let pairs = (self.theory.iter().enumerate())
            .flat_map(|(i, a)| self.theory[i + 1..].iter().map(move |b| (a, b)));
        let steps = pairs.filter_map(|(a, b)| {
            let built = intra_construct(a, b, names.next)?;
            Some(Step::Exchange(Proposal {
                gain: built.gain,
                added: built.clauses.into(),
                removed: vec![a.clone(), b.clone()],
            }))
        });
        steps.collect()
    }
}
