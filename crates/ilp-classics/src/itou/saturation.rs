//! Exhaustive elementary saturation of an example: all its consequences, with their premises.

use indexmap::{IndexMap, IndexSet};
use kibitz_ilp::Problem;
use kibitz_ilp::learn::{LearnError, Progress};
use kibitz_prolog::{
    Atom, Clause, Direction, Literal, Mode, Predicate, Proof, Prover, Substitution, Symbol, Term,
    Var,
};
use rustc_hash::FxBuildHasher;

/// Answers to one call that are looked at, unless the mode says.
const MAX_ANSWERS: usize = 100;
/// Calls to the background for one example.
const MAX_CALLS: usize = 20_000;

/// The consequences of an example.
#[derive(Debug, Default)]
pub(super) struct Saturation {
    /// Ground atoms; one that provides an input precedes those that use it.
    pub(super) atoms: IndexSet<Atom, FxBuildHasher>,
    pub(super) uses: Vec<Use>,
    /// Whether there is more than the bounds allow.
    pub(super) is_truncated: bool,
}

/// How an atom came into the saturation.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    /// Places that must be bound.
    pub(super) inputs: Vec<usize>,
    /// Places that stay constants.
    pub(super) constants: Vec<usize>,
    /// Whether another atom follows from it.
    pub(super) introduces: bool,
}

/// A ground term about which something may follow.
#[derive(Debug)]
struct KnownTerm {
    /// Literals between it and the head.
    depth: usize,
    /// Its types; none for parts of terms, which go with every type.
    kinds: Vec<Symbol>,
}

pub(super) struct Saturator<'a, 'p> {
    pub(super) problem: &'p Problem<'p>,
    pub(super) modes: &'a [Mode],
    pub(super) prover: &'a mut Prover<'p>,
    pub(super) progress: &'a mut (dyn Progress + Send),
    /// Clauses that were learned, and may be used.
    pub(super) theory: &'a [Clause],
    pub(super) max_depth: usize,
    pub(super) max_literals: usize,
    terms: IndexMap<Term, KnownTerm, FxBuildHasher>,
    found: Saturation,
    n_calls: usize,
}

impl<'a, 'p> Saturator<'a, 'p> {
    pub(super) fn new(
        problem: &'p Problem<'p>,
        modes: &'a [Mode],
        prover: &'a mut Prover<'p>,
        progress: &'a mut (dyn Progress + Send),
        theory: &'a [Clause],
        [max_depth, max_literals]: [usize; 2],
    ) -> Self {
        Self {
            problem,
            modes,
            prover,
            progress,
            theory,
            max_depth,
            max_literals,
            terms: IndexMap::default(),
            found: Saturation::default(),
            n_calls: 0,
        }
    }

    /// Saturates an example; `None` if the search is to end.
    pub(super) fn saturate(mut self, example: &Atom) -> Result<Option<Saturation>, LearnError> {
        let task = self.problem.task();
        for (argument, term) in task.bias.head.arguments.iter().zip(example.args.iter()) {
            if argument.direction != Direction::Constant {
                self.know(term, 0, Some(argument.kind));
            }
        }
        for depth in 1..=self.max_depth + 1 {
            let n_before = self.found.atoms.len();
            let modes = self.modes;
            for mode in modes {
                if mode.predicate != task.target && !self.choose(mode, depth, &mut Vec::new())? {
                    return Ok(None);
                }
            }
            if self.found.atoms.len() == n_before {
                break;
            }
        }
        self.by_theory(example)?;
        // The consequences of the background's rules are already there; these are those of the new facts.
        for clause in task
            .background
            .iter()
            .filter(|clause| !clause.body.is_empty())
        {
            for (head, premises) in self.instances(clause)? {
                if self.found.atoms.contains(&head) {
                    for i in premises {
                        self.found.uses[i].introduces = true;
                    }
                }
            }
        }
        Ok(Some(self.found))
    }

    /// Notes a term and its parts.
    fn know(&mut self, term: &Term, depth: usize, kind: Option<Symbol>) {
        let own = self.terms.entry(term.clone()).or_insert(KnownTerm {
            depth,
            kinds: kind.into_iter().collect(),
        });
        own.depth = own.depth.min(depth);
        match kind {
            Some(kind) if !own.kinds.is_empty() && !own.kinds.contains(&kind) => {
                own.kinds.push(kind);
            }
            Some(_) => {}
            None => own.kinds.clear(),
        }
        if let Term::Compound(_, args) = term {
            args.iter().for_each(|arg| self.know(arg, depth, None));
        }
    }

    /// Chooses the inputs of a mode, at least one of which is found right before this depth; whether it
    /// is to go on.
    fn choose(
        &mut self,
        mode: &Mode,
        depth: usize,
        inputs: &mut Vec<(usize, usize)>,
    ) -> Result<bool, LearnError> {
        if let Some(place) = mode.places(Direction::In).nth(inputs.len()) {
            let kind = mode.arguments[place].kind;
            for at in 0..self.terms.len() {
                let own = &self.terms[at];
                if own.depth < depth && (own.kinds.is_empty() || own.kinds.contains(&kind)) {
                    inputs.push((place, at));
                    let goes_on = self.choose(mode, depth, inputs)?;
                    inputs.pop();
                    if !goes_on {
                        return Ok(false);
                    }
                }
            }
            return Ok(true);
        }
        let deepest = inputs.iter().map(|(_, at)| self.terms[*at].depth).max();
        if deepest.unwrap_or(0) + 1 != depth {
            return Ok(true);
        }
        self.ask(mode, depth, inputs)?;
        Ok(self.progress.keep_going())
    }

    /// Adds the answers to a mode with these inputs.
    fn ask(
        &mut self,
        mode: &Mode,
        depth: usize,
        inputs: &[(usize, usize)],
    ) -> Result<(), LearnError> {
        self.n_calls += 1;
        self.found.is_truncated |= self.n_calls > MAX_CALLS;
        if self.found.is_truncated {
            return Ok(());
        }
        let mut args: Vec<Term> = (0u32..).map(Term::var).take(mode.arguments.len()).collect();
        for &(place, at) in inputs {
            if let Some((term, _)) = self.terms.get_index(at) {
                args[place] = term.clone();
            }
        }
        let goal = Atom::new(mode.predicate.name, args);
        let most = mode.recall.map_or(MAX_ANSWERS, |recall| recall as usize);
        let answers = self
            .prover
            .solutions(&[Literal::positive(goal.clone())], most)?;
        for values in answers.bindings {
            let atom = goal.map_vars(&mut |var| values[var.index()].clone());
            if !atom.is_ground() || self.found.atoms.contains(&atom) {
                continue;
            }
            let places: Vec<(usize, Symbol)> = (mode.arguments.iter().enumerate())
                .filter(|(_, argument)| argument.direction != Direction::Constant)
                .map(|(place, argument)| (place, argument.kind))
                .collect();
            let is_new = |place: usize| !self.terms.contains_key(&atom.args[place]);
            if depth > self.max_depth && places.iter().any(|(place, _)| is_new(*place)) {
                continue;
            }
            for (place, kind) in places {
                self.know(&atom.args[place], depth, Some(kind));
            }
            self.add(
                atom,
                Use {
                    inputs: mode.places(Direction::In).collect(),
                    constants: mode.places(Direction::Constant).collect(),
                    introduces: false,
                },
            );
        }
        Ok(())
    }

    fn add(&mut self, atom: Atom, of: Use) {
        if self.found.atoms.len() >= self.max_literals {
            self.found.is_truncated = true;
        } else if self.found.atoms.insert(atom) {
            self.found.uses.push(of);
        }
    }

    /// Adds the consequences of the learned clauses, up to the fixed point.
    fn by_theory(&mut self, example: &Atom) -> Result<(), LearnError> {
        let target = self.problem.task().target;
        loop {
            let n_before = self.found.atoms.len();
            let theory = self.theory;
            for clause in theory {
                let is_usable =
                    clause.head.predicate() != target || self.problem.task().bias.recursion;
                if !is_usable {
                    continue;
                }
                for (head, premises) in self.instances(clause)? {
                    if head == *example || self.found.atoms.contains(&head) {
                        continue;
                    }
                    for i in premises {
                        self.found.uses[i].introduces = true;
                    }
                    let inputs = (0..head.args.len()).collect();
                    let of = Use {
                        inputs,
                        ..Use::default()
                    };
                    self.add(head, of);
                }
            }
            if self.found.atoms.len() == n_before || self.found.is_truncated {
                return Ok(());
            }
        }
    }

    /// The ground heads of a clause over known terms whose conditions have been found, with these.
    fn instances(&mut self, clause: &Clause) -> Result<Vec<(Atom, Vec<usize>)>, LearnError> {
        let mut open = vec![(Substitution::new(), Vec::new())];
        let (positive, negative): (Vec<&Literal>, Vec<&Literal>) =
            clause.body.iter().partition(|literal| literal.positive);
        for literal in positive {
            let mut longer = Vec::new();
            for (theta, premises) in &open {
                for (i, atom) in self.found.atoms.iter().enumerate() {
                    if let Some(theta) = matched(&literal.atom, atom, theta) {
                        let mut premises: Vec<usize> = Vec::clone(premises);
                        premises.push(i);
                        longer.push((theta, premises));
                    }
                }
            }
            longer.truncate(self.max_literals);
            open = longer;
        }
        for (place, pattern) in clause.head.args.iter().enumerate() {
            let mut longer = Vec::new();
            for (theta, premises) in &open {
                let kinds = self.kinds_of(clause.head.predicate(), place);
                for (term, own) in &self.terms {
                    let fits =
                        own.kinds.is_empty() || kinds.is_none_or(|kind| own.kinds.contains(&kind));
                    let one = |term: &Term| Atom::new(clause.head.name, [term.clone()]);
                    if fits && let Some(theta) = matched(&one(pattern), &one(term), theta) {
                        longer.push((theta, Vec::clone(premises)));
                    }
                }
            }
            longer.truncate(self.max_literals);
            open = longer;
        }
        let mut found = Vec::new();
        for (theta, premises) in open {
            let mut holds = true;
            for literal in &negative {
                let goal = theta.apply_literal(literal);
                holds = holds && self.prover.prove(&[goal])? == Proof::Proved;
            }
            if holds {
                found.push((theta.apply_atom(&clause.head), premises));
            }
        }
        Ok(found)
    }

    fn kinds_of(&self, predicate: Predicate, place: usize) -> Option<Symbol> {
        let bias = &self.problem.task().bias;
        let head = std::iter::once(&bias.head).find(|head| head.predicate == predicate);
        Some(head?.arguments.get(place)?.kind)
    }
}

/// Bindings that make a pattern a ground atom, beyond those that there are.
fn matched(pattern: &Atom, atom: &Atom, theta: &Substitution) -> Option<Substitution> {
    if pattern.predicate() != atom.predicate() {
        return None;
    }
    let mut theta = theta.clone();
    let mut bind = |var: Var, value: &Term| {
        if let Some(bound) = theta.get(var) {
            return bound == value;
        }
        theta.bind(var, value.clone());
        true
    };
    let mut pairs = pattern.args.iter().zip(atom.args.iter());
    (pairs.all(|(own, value)| own.matches(value, &mut bind))).then_some(theta)
}
