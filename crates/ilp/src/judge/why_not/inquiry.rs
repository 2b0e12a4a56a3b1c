//! What is found out about single examples.

use std::collections::BTreeSet;

use indexmap::IndexSet;
use kibitz_prolog::{
    Atom, Clause, Direction, Limits, Literal, Mode, Predicate, Proof, Prover, ProverError, Symbol,
    Term, Var,
};
use kibitz_text::counted;
use rustc_hash::FxHashSet;

use super::MAX_NAMED;
use super::saying::{Tested, is_equality, takes_constants, with_equalities};
use crate::encoded::Language;
use crate::learn::Progress;
use crate::learn::bottom_clause::{Bounds, Saturated, saturated};
use crate::problem::Problem;
use crate::task::{Bias, listed};

/// Bounds on the clauses that say all of an example.
const MAX_LITERALS: usize = 200;
pub(super) const DEPTH: u16 = 3;
/// Most steps of one proof and of all about one example.
const STEPS: u64 = 20_000;
const ALL_STEPS: u64 = 5_000_000;
/// It is asked after so many steps at the latest whether to go on.
const STEPS_BETWEEN_QUESTIONS: u64 = 100_000;

/// What is found out about an example.
pub(super) enum Diagnosis {
    /// No literal holds for it.
    Nothing,
    /// All that holds for it within so many literals of the head, if there is more, holds for this
    /// negative example.
    Alike(Atom, Option<u16>),
    /// Something distinguishes it from the negative examples: this clause, if one was asked for.
    Apart(Option<Clause>),
    /// Too many literals hold for it.
    Crowded,
    /// Its proofs take too many steps.
    Slow,
}

/// The state of the examination of examples.
pub(super) struct Inquiry<'a, 'p> {
    pub(super) problem: &'a Problem<'a>,
    language: Language,
    /// The head, whose arguments are all known of an example.
    head: Mode,
    pub(super) modes: Vec<Mode>,
    pub(super) prover: Prover<'a>,
    n_steps: u64,
    /// The steps after which it was asked last whether to go on, and the last answer.
    asked_at: u64,
    is_stopped: bool,
    pub(super) progress: &'p mut (dyn Progress + Send),
    pub(super) limits: Limits,
    /// Predicates that hold for some example.
    used: FxHashSet<Predicate>,
    /// Arguments of the head that occur in literals.
    bound: BTreeSet<usize>,
    /// Whether some literals of an example are unknown.
    pub(super) is_cut_short: bool,
    /// The smallest distance from the head, in literals, within which an example was examined, if some were not
    /// examined as a whole.
    shallowest: Option<u16>,
    /// For how many examples only the literals near the head were examined.
    n_near: usize,
}

impl<'a, 'p> Inquiry<'a, 'p> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        modes: Vec<Mode>,
        limits: Limits,
        progress: &'p mut (dyn Progress + Send),
    ) -> Self {
        let mut bias = Bias {
            body: modes.clone(),
            ..problem.task().bias.clone()
        };
        for argument in &mut bias.head.arguments {
            if argument.direction == Direction::Out {
                argument.direction = Direction::In;
            }
        }
        // All answers count, however few of them a learner may look at.
        bias.body.iter_mut().for_each(|mode| mode.recall = None);
        let bounded = Limits {
            steps: limits.steps.min(STEPS),
            ..limits
        };
        Self {
            problem,
            language: Language::new(&bias),
            head: bias.head,
            modes,
            prover: Prover::new(problem.database(), bounded),
            n_steps: 0,
            asked_at: 0,
            is_stopped: false,
            progress,
            limits,
            used: FxHashSet::default(),
            bound: BTreeSet::new(),
            is_cut_short: false,
            shallowest: None,
            n_near: 0,
        }
    }

    /// Examines an example. `reduces` asks for a clause that distinguishes it from the negative examples; where
    /// too many literals hold for that, or their proofs take too long, only those nearest to the head are
    /// examined, for a few examples.
    pub(super) fn look_at(
        &mut self,
        example: &Atom,
        reduces: bool,
    ) -> Result<Diagnosis, ProverError> {
        self.restart();
        let mut diagnosis = Diagnosis::Slow;
        for depth in (1..=DEPTH).rev() {
            let bounds = Bounds {
                max_depth: depth,
                max_bottom: MAX_LITERALS,
                limits: self.limits,
                ..Bounds::default()
            };
            let named = &self.problem.task().bias.constants;
            let own = saturated(&self.language, self.problem, &bounds, example, named)?;
            let clause = with_equalities(self.problem.task(), &own);
            diagnosis = self.diagnosed(&own, &clause, reduces)?;
            if !matches!(diagnosis, Diagnosis::Crowded | Diagnosis::Slow) {
                self.note(&own, &clause, depth);
                if let Diagnosis::Alike(_, within) = &mut diagnosis {
                    *within = own.gaps.is_shallow.then_some(depth);
                }
                return Ok(diagnosis);
            }
            if depth == DEPTH {
                self.n_near += 1;
            }
            if self.is_over() || !reduces || self.n_near > MAX_NAMED {
                break;
            }
        }
        self.is_cut_short = true;
        Ok(diagnosis)
    }

    /// Takes note of what holds for an example.
    fn note(&mut self, own: &Saturated, clause: &Clause, depth: u16) {
        self.is_cut_short |= own.gaps.is_truncated || own.gaps.is_incomplete;
        if own.gaps.is_shallow {
            self.shallowest = Some(self.shallowest.map_or(depth, |known| known.min(depth)));
        }
        for literal in &clause.body {
            self.used.insert(literal.atom.predicate());
            let args = clause.head.args.iter().enumerate();
            let own = args.filter(|(_, arg)| literal.atom.args.contains(arg));
            self.bound.extend(own.map(|(place, _)| place));
        }
    }

    fn diagnosed(
        &mut self,
        own: &Saturated,
        clause: &Clause,
        reduces: bool,
    ) -> Result<Diagnosis, ProverError> {
        let task = self.problem.task();
        let mut clause = clause.clone();
        let unknown = if own.gaps.is_truncated {
            Some(Diagnosis::Crowded)
        } else {
            own.gaps.is_incomplete.then_some(Diagnosis::Slow)
        };
        if clause.body.is_empty() && !task.bias.negation {
            return Ok(unknown.unwrap_or(Diagnosis::Nothing));
        }
        let mut suspect = 0;
        let mut found = self.first_negative(&clause, &mut suspect)?;
        if found.is_some() {
            let tested = Tested::new(task, own, &self.modes, &mut self.prover)?;
            self.spend(tested.steps);
            let (is_cut_short, n_before) = (tested.is_cut_short, clause.body.len());
            clause.body.extend(tested.literals());
            if clause.body.len() > n_before {
                found = self.first_negative(&clause, &mut suspect)?;
            }
            if found.is_some() && is_cut_short {
                return Ok(Diagnosis::Crowded);
            }
        }
        if let Some((other, proof)) = found {
            return Ok(match unknown {
                _ if self.is_over() => Diagnosis::Slow,
                Some(unknown) => unknown,
                None if !proof.is_proved() => Diagnosis::Slow,
                None if clause.body.is_empty() => Diagnosis::Nothing,
                None => Diagnosis::Alike(other, None),
            });
        }
        if !reduces {
            return Ok(Diagnosis::Apart(None));
        }
        let clause = self.reduced(&clause, &mut suspect)?;
        Ok(if self.is_over() {
            Diagnosis::Slow
        } else {
            Diagnosis::Apart(Some(clause))
        })
    }

    /// Begins to count steps.
    pub(super) fn restart(&mut self) {
        (self.n_steps, self.asked_at) = (0, 0);
    }

    pub(super) fn is_over(&self) -> bool {
        self.n_steps >= ALL_STEPS || self.is_stopped
    }

    /// Asks whether to go on; once it is not, it stays so.
    pub(super) fn keeps_going(&mut self) -> bool {
        self.asked_at = self.n_steps;
        self.is_stopped |= !self.progress.keep_going();
        !self.is_stopped
    }

    /// Counts steps, and asks now and then whether to go on.
    pub(super) fn spend(&mut self, steps: u64) {
        self.n_steps += steps;
        if self.n_steps - self.asked_at > STEPS_BETWEEN_QUESTIONS {
            self.keeps_going();
        }
    }

    /// A negative example that a clause covers, or may cover: a proof that meets a bound does not tell.
    /// The one that was found last is tried first.
    fn first_negative(
        &mut self,
        clause: &Clause,
        suspect: &mut usize,
    ) -> Result<Option<(Atom, Proof)>, ProverError> {
        let negative = &self.problem.task().negative;
        let prepared = self.prover.prepare(std::slice::from_ref(clause))?;
        self.prover.load(&prepared);
        let order = std::iter::once(*suspect).chain(0..negative.len());
        for e in order {
            let Some(example) = negative.get(e) else {
                continue;
            };
            let proof = self.prover.covers(&prepared, 0, example)?;
            self.spend(1 + self.prover.steps());
            if proof.is_proved() || proof.is_cut_short() || self.is_over() {
                *suspect = e;
                return Ok(Some((example.clone(), proof)));
            }
        }
        Ok(None)
    }

    /// A clause without literals that are not needed to tell its example from the negative ones.
    fn reduced(&mut self, clause: &Clause, suspect: &mut usize) -> Result<Clause, ProverError> {
        let with = |body: &[Literal]| Clause::new(clause.head.clone(), body.to_vec());
        let mut body = clause.body.clone();
        let (mut low, mut high) = (0, body.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self
                .first_negative(&with(&body[..middle]), suspect)?
                .is_none()
            {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        body.truncate(low);
        let mut place = body.len();
        while place > 0 && !self.is_over() {
            place -= 1;
            let mut fewer = body.clone();
            fewer.remove(place);
            if self.can_be_called(&fewer) && self.first_negative(&with(&fewer), suspect)?.is_none()
            {
                body = fewer;
                // What it alone had need of is no longer needed either.
                place = body.len();
            }
        }
        Ok(with(&body).normalized())
    }

    /// Whether each literal has its inputs from those before it, and the outputs of the head have values.
    fn can_be_called(&self, body: &[Literal]) -> bool {
        // The variables of a head are its arguments, but for constants.
        let named = self.head.arguments.iter();
        let named = named.filter(|argument| argument.direction != Direction::Constant);
        let named: Vec<(Var, Direction)> =
            (0..).map(Var).zip(named.map(|own| own.direction)).collect();
        let given = named.iter().filter(|own| own.1 == Direction::In);
        let mut bound: FxHashSet<Var> = given.map(|own| own.0).collect();
        for literal in body {
            let mut vars = Vec::new();
            literal.atom.for_each_var(&mut |var| vars.push(var));
            let can_be_called = if is_equality(literal) {
                let is_of_head = |var: &Var| named.iter().any(|own| own.0 == *var);
                vars.iter()
                    .any(|own| bound.contains(own) || is_of_head(own))
            } else if !literal.positive || literal.atom.name == Symbol::NOT_EQUALS {
                vars.iter().all(|own| bound.contains(own))
            } else {
                self.has_inputs(&literal.atom, &bound)
            };
            if !can_be_called {
                return false;
            }
            bound.extend(vars);
        }
        named.iter().all(|(var, _)| bound.contains(var))
    }

    /// Whether there is a mode for an atom whose inputs are known.
    fn has_inputs(&self, atom: &Atom, known: &FxHashSet<Var>) -> bool {
        let predicate = atom.predicate();
        let mut modes = self.modes.iter().filter(|mode| mode.predicate == predicate);
        modes.any(|mode| {
            mode.places(Direction::In)
                .all(|place| match &atom.args[place] {
                    Term::Var(var) => known.contains(var),
                    _ => true,
                })
        })
    }

    /// The predicates of the bias that cannot be asked.
    pub(super) fn unasked(&self) -> String {
        let task = self.problem.task();
        let names = self.names_without(|predicate| {
            *predicate == task.target || self.modes.iter().any(|mode| mode.predicate == *predicate)
        });
        listed(names.into_iter())
    }

    /// The names of the predicates that clauses may use, but for some.
    fn names_without(&self, is_left_out: impl Fn(&Predicate) -> bool) -> Vec<String> {
        let task = self.problem.task();
        let predicates = task.bias.body.iter().map(|mode| mode.predicate);
        let names = predicates.filter(|own| !is_left_out(own)).map(|own| {
            let Predicate { name, arity } = task.shown(own);
            format!("{}/{arity}", task.symbols.name(name))
        });
        let names: IndexSet<String> = names.collect();
        names.into_iter().collect()
    }

    /// Arguments of the head that no literal has.
    pub(super) fn unbound_arguments(&self, these: &str) -> Vec<String> {
        let task = self.problem.task();
        // Literals with constants as inputs and negated ones are tested only where others do not do.
        let takes_constants = |mode: &Mode| takes_constants(task, mode);
        if self.is_cut_short || task.bias.negation || self.modes.iter().any(takes_constants) {
            return Vec::new();
        }
        let head = task.bias.head.arguments.iter().enumerate();
        let unbound = head.filter(|(place, argument)| {
            argument.direction != Direction::Constant && !self.bound.contains(place)
        });
        let within = self.within();
        unbound
            .map(|(place, _)| {
                let place = place + 1;
                format!(
                    "no literal that holds for {these}{within} has argument {place} of the head"
                )
            })
            .collect()
    }

    /// How far from the head examples were examined, in words, if some were not as a whole.
    fn within(&self) -> String {
        let within = self.shallowest;
        within.map_or(String::new(), |depth| format!(" {}", near_head(depth)))
    }

    /// Predicates that hold for none of the examples.
    pub(super) fn unused_predicates(&self, these: &str) -> Option<String> {
        let task = self.problem.task();
        let is_asked = |own: &Predicate| {
            let mut modes = self.modes.iter().filter(|mode| mode.predicate == *own);
            // Literals with constants as inputs are tested only where others do not do.
            modes.clone().next().is_some() && !modes.any(|mode| takes_constants(task, mode))
        };
        let names = self
            .names_without(|own| self.used.contains(own) || *own == task.target || !is_asked(own));
        (!names.is_empty() && !self.is_cut_short).then(|| {
            let within = self.within();
            let names = listed(names.into_iter());
            format!("nothing that {these} lead to{within} is an answer of {names}")
        })
    }
}

/// How far from the head was looked, in words.
pub(super) fn near_head(depth: u16) -> String {
    let literals = counted(depth, "literal", "literals");
    format!("within {literals} of the head")
}
