//! Why examples are not covered: what the language of a task can say about them at all, and which bound
//! is in the way.

use std::collections::BTreeSet;
use std::fmt;

use kibitz_prolog::{
    Atom, Clause, Direction, Evaluator, Limits, Literal, Mode, Predicate, Proof, Prover,
    ProverError, Term, Var, print_atom, print_clause,
};
use kibitz_text::counted;
use rustc_hash::FxHashSet;

use super::reading_order::ReadingOrder;
use super::theory::Theory;
use crate::encoded::Language;
use crate::learn::bottom_clause::{Bounds, bottom_in, callable_modes};
use crate::learn::{LearnError, NoProgress, Progress, Stop};
use crate::problem::Problem;
use crate::task::{Bias, listed};

/// Most examples that are looked at.
const MAX_EXAMPLES: usize = 20;
/// Most examples that are named.
pub(super) const MAX_NAMED: usize = 3;
/// Bounds on the clauses that say all of an example.
const MAX_LITERALS: usize = 200;
const DEPTH: u16 = 3;
/// Most steps of one proof and of all about one example.
const STEPS: u64 = 20_000;
const ALL_STEPS: u64 = 5_000_000;
/// It is asked after so many steps at the latest whether to go on.
const STEPS_BETWEEN_QUESTIONS: u64 = 100_000;

/// Why positive examples are not covered and negative ones are, a finding a line.
///
/// It is displayed as Prolog comments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhyNot {
    /// The findings, most important first.
    pub findings: Vec<String>,
    /// The clauses that cover negative examples, with what holds of the first of these.
    pub covered: Vec<String>,
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.covered {
            writeln!(f, "% why: {finding}")?;
        }
        for finding in &self.findings {
            writeln!(f, "% why not: {finding}")?;
        }
        Ok(())
    }
}

impl Problem<'_> {
    /// Why positive examples are not covered by a theory, as [`Problem::why_not`] says, and why negative
    /// ones are; nothing if its search was cut short, or if it cannot be found out; what is found out
    /// before `progress` says no. Of positive examples nothing either where a theory by message length
    /// leaves some out: to name these takes fewer bits than a clause for them.
    pub fn why_not_all(
        &self,
        theory: &Theory,
        limits: Limits,
        progress: &mut (dyn Progress + Send),
    ) -> WhyNot {
        let positive = self.task().positive.iter().enumerate();
        let left = positive.filter(|(e, _)| !theory.total.positive.contains(*e));
        let left: Vec<Atom> = left.map(|(_, example)| example.clone()).collect();
        let is_over = matches!(theory.stop, Stop::Interrupted | Stop::OutOfMemory);
        let is_chosen = theory.message().is_some() && !theory.clauses.is_empty();
        if is_over {
            return WhyNot::default();
        }
        let covered = self.wrongly_covered(theory, limits, progress);
        let why_not = if left.is_empty() || is_chosen {
            WhyNot::default()
        } else {
            self.why_not_while(&left, Some(theory), limits, progress)
                .unwrap_or_default()
        };
        WhyNot { covered, ..why_not }
    }

    /// Why some positive examples are not covered, as far as clauses of positive literals that do not
    /// call themselves can tell: what holds for each, whether that tells it from the negative examples,
    /// and, beside a theory that was learned, a clause that does with the bounds that it lies beyond.
    /// Of many examples the first are looked at.
    ///
    /// # Errors
    /// [`LearnError`] for background that cannot be carried out or takes more memory than allowed.
    pub fn why_not(
        &self,
        uncovered: &[Atom],
        theory: Option<&Theory>,
        limits: Limits,
    ) -> Result<WhyNot, LearnError> {
        self.why_not_while(uncovered, theory, limits, &mut NoProgress)
    }

    /// The same as far as there is time.
    fn why_not_while(
        &self,
        uncovered: &[Atom],
        theory: Option<&Theory>,
        limits: Limits,
        progress: &mut (dyn Progress + Send),
    ) -> Result<WhyNot, LearnError> {
        let task = self.task();
        let Some(modes) = callable_modes(self, limits, &mut Silent(progress))? else {
            return Ok(WhyNot::default());
        };
        let mut inquiry = Inquiry {
            problem: self,
            language: Language::new(&Bias {
                body: modes.clone(),
                ..task.bias.clone()
            }),
            modes,
            prover: Prover::new(
                self.database(),
                Limits {
                    steps: limits.steps.min(STEPS),
                    ..limits
                },
            ),
            n_steps: 0,
            asked_at: 0,
            is_stopped: false,
            progress,
            limits,
            used: FxHashSet::default(),
            bound: BTreeSet::new(),
        };
        let mut findings = Vec::new();
        let mut apart = Vec::new();
        let mut alike = Vec::new();
        let mut bare = Vec::new();
        let looked_at = &uncovered[..uncovered.len().min(MAX_EXAMPLES)];
        for example in looked_at {
            if !inquiry.keeps_going() {
                break;
            }
            match inquiry.look_at(example, theory.is_some())? {
                Diagnosis::Nothing => bare.push(example),
                Diagnosis::Alike(other) => alike.push((example, other)),
                Diagnosis::Apart(clause) => apart.push((example, clause)),
                Diagnosis::Unknown => {}
            }
        }
        let shown = |atom: &Atom| print_atom(atom, &task.symbols).to_string();
        if !bare.is_empty() {
            let names = listed(bare.iter().map(|own| shown(own)));
            findings.push(format!("no literal holds for {names}"));
        }
        let beyond = match (task.bias.recursion, task.bias.negation) {
            (false, false) => " (--recursion and --negation allow other literals)",
            (false, true) => " (--recursion allows other literals)",
            (true, false) => " (--negation allows other literals)",
            (true, true) => "",
        };
        if !alike.is_empty() {
            let kind = if task.bias.recursion {
                " without recursion"
            } else {
                ""
            };
            let pairs = alike.iter().take(MAX_NAMED);
            let pairs =
                pairs.map(|(own, other)| format!("{} and not {}", shown(own), shown(other)));
            let pairs: Vec<String> = pairs.collect();
            let first = if alike.len() == 1 {
                "the first"
            } else {
                "the first of each pair"
            };
            let more = match alike.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                n => format!(", nor {}", counted(n, "more example", "more examples")),
            };
            findings.push(format!(
                "no clause{kind} covers {}{more}: whatever can be said of {first} holds for the \
                 second{beyond}",
                pairs.join(", or ")
            ));
        }
        let mut told: Vec<Clause> = Vec::new();
        for (example, clause) in apart {
            if let Some(theory) = theory
                && !task.negative.is_empty()
                && told.len() < MAX_NAMED
                && !told.contains(&clause)
            {
                findings.extend(inquiry.beyond(example, &clause, theory)?);
                told.push(clause);
            }
        }
        if !looked_at.is_empty() {
            findings.extend(inquiry.unbound_arguments());
            findings.extend(inquiry.unused_predicates());
        }
        if task.negative.is_empty() {
            let finding = "without negative examples a clause must pay by how rare what it covers is; \
                           where the positive ones are all there are, --closed-world says so";
            findings.push(finding.to_owned());
        }
        findings.extend(task.hints());
        Ok(WhyNot {
            findings,
            covered: Vec::new(),
        })
    }
}

/// Tells nothing of what was found out while the theory was learned.
struct Silent<'p>(&'p mut (dyn Progress + Send));

impl Progress for Silent<'_> {
    fn keep_going(&mut self) -> bool {
        self.0.keep_going()
    }
}

/// What is found out about an example.
enum Diagnosis {
    /// No literal holds for it.
    Nothing,
    /// All that holds for it holds for this negative example.
    Alike(Atom),
    /// This clause covers it and no negative example.
    Apart(Clause),
    /// It takes too long, or there is too much to say.
    Unknown,
}

struct Inquiry<'a, 'p> {
    problem: &'a Problem<'a>,
    language: Language,
    modes: Vec<Mode>,
    prover: Prover<'a>,
    n_steps: u64,
    /// The steps after which it was asked last whether to go on, and the last answer.
    asked_at: u64,
    is_stopped: bool,
    progress: &'p mut (dyn Progress + Send),
    limits: Limits,
    /// Predicates that hold for some example.
    used: FxHashSet<Predicate>,
    /// Arguments of the head that literals have.
    bound: BTreeSet<usize>,
}

impl Inquiry<'_, '_> {
    fn look_at(&mut self, example: &Atom, reduces: bool) -> Result<Diagnosis, ProverError> {
        let bounds = Bounds {
            max_depth: DEPTH,
            max_bottom: MAX_LITERALS,
            limits: self.limits,
            ..Bounds::default()
        };
        let (clause, is_cut_short) = bottom_in(&self.language, self.problem, &bounds, example)?;
        for literal in &clause.body {
            self.used.insert(literal.atom.predicate());
            let args = clause.head.args.iter().enumerate();
            let own = args.filter(|(_, arg)| literal.atom.args.contains(arg));
            self.bound.extend(own.map(|(place, _)| place));
        }
        if clause.body.is_empty() {
            return Ok(Diagnosis::Nothing);
        }
        (self.n_steps, self.asked_at) = (0, 0);
        let mut suspect = 0;
        if let Some((other, proof)) = self.first_negative(&clause, &mut suspect)? {
            return Ok(if is_cut_short || !proof.is_proved() {
                Diagnosis::Unknown
            } else {
                Diagnosis::Alike(other)
            });
        }
        if !reduces {
            return Ok(Diagnosis::Unknown);
        }
        let clause = self.reduced(&clause, &mut suspect)?;
        Ok(if self.is_over() {
            Diagnosis::Unknown
        } else {
            Diagnosis::Apart(clause)
        })
    }

    fn is_over(&self) -> bool {
        self.n_steps >= ALL_STEPS || self.is_stopped
    }

    /// Asks whether to go on; once it is not, it stays so.
    fn keeps_going(&mut self) -> bool {
        self.asked_at = self.n_steps;
        self.is_stopped |= !self.progress.keep_going();
        !self.is_stopped
    }

    /// Counts steps, and asks now and then whether to go on.
    fn spend(&mut self, steps: u64) {
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
        Ok(with(&body))
    }

    /// Whether each literal has its inputs from those before it, and the outputs of the head have values.
    fn can_be_called(&self, body: &[Literal]) -> bool {
        let head = &self.problem.task().bias.head;
        let vars = |literal: &Literal| {
            let mut vars = Vec::new();
            literal.atom.for_each_var(&mut |var| vars.push(var));
            vars
        };
        // The variables of a head are its arguments, but for constants.
        let named = head.arguments.iter();
        let named = named.filter(|argument| argument.direction != Direction::Constant);
        let named: Vec<(u32, Direction)> = (0..).zip(named.map(|it| it.direction)).collect();
        let is_given = |(_, direction): &&(u32, Direction)| *direction == Direction::In;
        let given = named.iter().filter(is_given);
        let mut bound: FxHashSet<Var> = given.map(|(var, _)| Var(*var)).collect();
        for literal in body {
            let predicate = literal.atom.predicate();
            let mut modes = self.modes.iter().filter(|mode| mode.predicate == predicate);
            let fits = |mode: &Mode| {
                mode.places(Direction::In)
                    .all(|place| match &literal.atom.args[place] {
                        Term::Var(var) => bound.contains(var),
                        _ => true,
                    })
            };
            if !modes.any(fits) {
                return false;
            }
            bound.extend(vars(literal));
        }
        named.iter().all(|(var, _)| bound.contains(&Var(*var)))
    }

    /// What keeps a clause that tells an example from the negative ones from being learned; nothing if
    /// its literals without inputs no longer prove the example.
    fn beyond(
        &mut self,
        example: &Atom,
        clause: &Clause,
        theory: &Theory,
    ) -> Result<Option<String>, ProverError> {
        let task = self.problem.task();
        let (positive, negative) = (&task.positive[..], &task.negative[..]);
        let mut evaluator =
            Evaluator::new(self.problem.database(), self.limits, positive, negative);
        let clauses = std::slice::from_ref(clause);
        let covered = evaluator.theory_while(clauses, &mut || self.progress.keep_going())?;
        let [n, ..] = covered[0].confusion();
        if covered[0].left_out > 0 {
            // What it covers is not known.
            return Ok(None);
        }
        let clause = task.unfolded(&clause.normalized());
        let (n_literals, n_vars) = (clause.body.len(), clause.var_bound() as usize);
        let depth = depth(&clause);
        let is_beyond = |bound: Option<usize>, own: usize| bound.is_some_and(|most| own > most);
        let reach = &theory.reach;
        let mut options = Vec::new();
        let bounds = [
            (reach.max_body, n_literals, "--max-body"),
            (reach.max_vars, n_vars, "--max-vars"),
            (reach.max_depth, depth, "--max-depth"),
        ];
        for (bound, own, option) in bounds {
            if is_beyond(bound, own) {
                options.push(format!("{option} {own}"));
            }
        }
        if reach.min_positives.is_some_and(|least| n < least) {
            options.push(format!("--min-positives {n}"));
        }
        let what = match n {
            0 => return Ok(None),
            1 => "no other example".to_owned(),
            n => format!("{n} positive examples and no negative one"),
        };
        let way = if !options.is_empty() {
            format!("lies beyond the bounds: try {}", options.join(" "))
        } else if theory.stop == Stop::ClauseLimit {
            "is one clause too many: raise --max-clauses".to_owned()
        } else {
            "lies within the bounds: another learner may find it (--learner lff, auto)".to_owned()
        };
        let example = print_atom(example, &task.symbols);
        let clause = ReadingOrder::new(task).of(&clause);
        let clause = print_clause(&clause, &task.symbols).to_string();
        let clause = clause.trim_end_matches('.');
        Ok(Some(format!(
            "for {example}, `{clause}` covers {what}, and {way}"
        )))
    }

    /// Arguments of the head that no literal has.
    fn unbound_arguments(&self) -> Vec<String> {
        let head = self.problem.task().bias.head.arguments.iter().enumerate();
        let unbound = head.filter(|(place, argument)| {
            argument.direction != Direction::Constant && !self.bound.contains(place)
        });
        unbound
            .map(|(place, _)| {
                let place = place + 1;
                format!("no literal that holds for these examples has argument {place} of the head")
            })
            .collect()
    }

    /// Predicates that hold for none of the examples.
    fn unused_predicates(&self) -> Option<String> {
        let task = self.problem.task();
        let mut names: Vec<String> = Vec::new();
        for mode in &task.bias.body {
            let Predicate { name, arity } = mode.predicate;
            let own = format!("{}/{arity}", task.symbols.name(name));
            let is_used = self.used.contains(&mode.predicate) || mode.predicate == task.target;
            if !is_used && !names.contains(&own) {
                names.push(own);
            }
        }
        (!names.is_empty()).then(|| {
            let names = listed(names.into_iter());
            format!("nothing that these examples lead to is an answer of {names}")
        })
    }
}

/// The most literals between a variable of a clause and its head.
fn depth(clause: &Clause) -> usize {
    let mut depths: rustc_hash::FxHashMap<Var, usize> = rustc_hash::FxHashMap::default();
    clause.head.for_each_var(&mut |var| {
        depths.insert(var, 0);
    });
    for literal in &clause.body {
        let mut vars = Vec::new();
        literal.atom.for_each_var(&mut |var| vars.push(var));
        let known = vars.iter().filter_map(|var| depths.get(var)).max();
        let own = known.map_or(1, |depth| depth + 1);
        for var in vars {
            depths.entry(var).or_insert(own);
        }
    }
    depths.into_values().max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
