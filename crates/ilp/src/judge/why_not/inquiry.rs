//! What is found out about single examples.

use std::collections::BTreeSet;

use indexmap::IndexSet;
use kibitz_prolog::{
    Atom, Clause, Direction, Evaluator, Limits, Literal, Mode, Predicate, Proof, Prover,
    ProverError, Term, Var, print_atom, print_clause,
};
use rustc_hash::FxHashSet;

use crate::encoded::Language;
use crate::judge::reading_order::ReadingOrder;
use crate::judge::theory::Theory;
use crate::learn::bottom_clause::{Bounds, Gaps, bottom_in};
use crate::learn::mml::Message;
use crate::learn::{Progress, Stop};
use crate::problem::Problem;
use crate::task::{Bias, listed};

/// Bounds on the clauses that say all of an example.
const MAX_LITERALS: usize = 200;
const DEPTH: u16 = 3;
/// Most steps of one proof and of all about one example.
const STEPS: u64 = 20_000;
const ALL_STEPS: u64 = 5_000_000;
/// It is asked after so many steps at the latest whether to go on.
const STEPS_BETWEEN_QUESTIONS: u64 = 100_000;

/// What is found out about an example.
pub(super) enum Diagnosis {
    /// No literal holds for it.
    Nothing,
    /// All that holds for it holds for this negative example.
    Alike(Atom),
    /// This clause covers it and no negative example.
    Apart(Clause),
    /// It takes too long, or there is too much to say.
    Unknown,
}

/// What is looked at to find out about examples.
pub(super) struct Inquiry<'a, 'p> {
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
    /// What is not known of the examples that were looked at.
    gaps: Gaps,
}

impl<'a, 'p> Inquiry<'a, 'p> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        modes: Vec<Mode>,
        limits: Limits,
        progress: &'p mut (dyn Progress + Send),
    ) -> Self {
        let bias = Bias {
            body: modes.clone(),
            ..problem.task().bias.clone()
        };
        let bounded = Limits {
            steps: limits.steps.min(STEPS),
            ..limits
        };
        Self {
            problem,
            language: Language::new(&bias),
            modes,
            prover: Prover::new(problem.database(), bounded),
            n_steps: 0,
            asked_at: 0,
            is_stopped: false,
            progress,
            limits,
            used: FxHashSet::default(),
            bound: BTreeSet::new(),
            gaps: Gaps::default(),
        }
    }

    /// What can be said of an example, `reduces` asks for a clause that distinguishes it.
    pub(super) fn look_at(
        &mut self,
        example: &Atom,
        reduces: bool,
    ) -> Result<Diagnosis, ProverError> {
        let bounds = Bounds {
            max_depth: DEPTH,
            max_bottom: MAX_LITERALS,
            limits: self.limits,
            ..Bounds::default()
        };
        let (clause, gaps) = bottom_in(&self.language, self.problem, &bounds, example)?;
        let is_cut_short = gaps.is_truncated || gaps.is_incomplete;
        self.gaps.is_truncated |= is_cut_short;
        self.gaps.is_shallow |= gaps.is_shallow;
        for literal in &clause.body {
            self.used.insert(literal.atom.predicate());
            let args = clause.head.args.iter().enumerate();
            let own = args.filter(|(_, arg)| literal.atom.args.contains(arg));
            self.bound.extend(own.map(|(place, _)| place));
        }
        if clause.body.is_empty() {
            return Ok(if is_cut_short {
                Diagnosis::Unknown
            } else {
                Diagnosis::Nothing
            });
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
    pub(super) fn keeps_going(&mut self) -> bool {
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
    pub(super) fn beyond(
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
        let clause = clause.normalized();
        let is_permitted = task.bias.constraints.permit(&clause, &task.symbols);
        let n_priced = if counts_constants(&theory.learner) {
            self.n_constants(&clause)
        } else {
            0
        };
        let clause = task.unfolded(&clause);
        let n_literals = clause.body.len() + n_priced;
        let n_vars = clause.var_bound() as usize + n_priced;
        let depth = depth(&clause);
        let is_beyond = |bound: Option<usize>, own: usize| bound.is_some_and(|most| own > most);
        let reach = &theory.reach;
        let mut options = Vec::new();
        let is_by_heart = n == 1 && positive.len() > 1;
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
        // A longer clause for one example says nothing of others.
        if is_by_heart && !options.is_empty() {
            return Ok(None);
        }
        if reach.min_positives.is_some_and(|least| n < least) {
            options.push(format!("--min-positives {n}"));
        }
        let what = match n {
            0 => return Ok(None),
            1 => "no other example".to_owned(),
            n => format!("{n} positive examples and no negative one"),
        };
        let way = if !is_permitted {
            "but a constraint of the bias rules it out".to_owned()
        } else if !options.is_empty() {
            let options = options.join(" ");
            let reason = if n_priced > 0 {
                ", since a constant takes a literal and a variable"
            } else {
                ""
            };
            format!("and lies beyond the bounds{reason}: try {options}")
        } else {
            way_within(theory)
        };
        let example = print_atom(example, &task.symbols);
        let clause = ReadingOrder::new(task).of(&clause);
        let clause = print_clause(&clause, &task.symbols).to_string();
        let clause = clause.trim_end_matches('.');
        Ok(Some(format!(
            "for {example}, `{clause}` covers {what}, {way}"
        )))
    }

    /// The constants of a body, but for those that a mode asks for.
    fn n_constants(&self, clause: &Clause) -> usize {
        let is_asked_for = |predicate, place| {
            let modes = self.problem.task().bias.body.iter();
            let mut modes = modes.filter(|mode| mode.predicate == predicate);
            modes.any(|mode| mode.places(Direction::Constant).any(|own| own == place))
        };
        let of = |literal: &Literal| {
            let args = literal.atom.args.iter().enumerate();
            args.filter(|(place, arg)| {
                matches!(arg, Term::Const(_)) && !is_asked_for(literal.atom.predicate(), *place)
            })
            .count()
        };
        clause.body.iter().map(of).sum()
    }

    /// How far from the head was looked, where that is not all.
    pub(super) fn within(&self) -> String {
        if self.gaps.is_shallow {
            format!(" within {DEPTH} literals of the head")
        } else {
            String::new()
        }
    }

    /// Which predicates of the bias cannot be asked.
    pub(super) fn unasked(&self) -> String {
        let task = self.problem.task();
        let names = self.names_without(|predicate| {
            *predicate == task.target || self.modes.iter().any(|mode| mode.predicate == *predicate)
        });
        if names.is_empty() {
            return String::new();
        }
        let names = listed(names.into_iter());
        format!("; {names} cannot be asked")
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
    pub(super) fn unbound_arguments(&self) -> Vec<String> {
        if self.gaps.is_truncated {
            return Vec::new();
        }
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
    pub(super) fn unused_predicates(&self) -> Option<String> {
        let is_asked = |own: &Predicate| self.modes.iter().any(|mode| mode.predicate == *own);
        let names = self.names_without(|own| {
            self.used.contains(own) || *own == self.problem.task().target || !is_asked(own)
        });
        (!names.is_empty() && !self.gaps.is_truncated).then(|| {
            let (names, within) = (listed(names.into_iter()), self.within());
            format!("nothing that these examples lead to{within} is an answer of {names}")
        })
    }
}

/// What may find a clause that the bounds of a theory's learner allow.
fn way_within(theory: &Theory) -> String {
    if theory.stop == Stop::ClauseLimit {
        return "and is one clause too many: raise --max-clauses".to_owned();
    }
    let way = match &theory.learner[..] {
        _ if theory.stop == Stop::OutOfSteps || !theory.unfinished.is_empty() => {
            ": raise --max-steps"
        }
        "auto" => ", but the chosen theory lacks it: --learner all shows all theories",
        "lff" => ": another learner may find it (--learner auto)",
        "mml" if theory.message().is_some_and(Message::is_shortest) => {
            ", but does not make the message shorter: another learner may take it (--learner auto), as \
             may mml with more examples"
        }
        _ => ": another learner may find it (--learner lff, auto)",
    };
    format!("and lies within the bounds{way}")
}

/// Whether a learner names a constant by a literal of its own, `B = red`.
fn counts_constants(learner: &str) -> bool {
    ["auto", "foil", "lff", "mfoil"].contains(&learner)
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
