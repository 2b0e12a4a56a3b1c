//! What keeps a clause from being learned: the bounds of a learner, or what it prefers.

use kibitz_prolog::{
    Atom, Clause, Direction, Evaluator, Literal, ProverError, Term, Var, print_atom, print_clause,
};
use rustc_hash::FxHashMap;

use super::inquiry::Inquiry;
use super::saying::{is_equality, without_equalities};
use crate::judge::theory::Theory;
use crate::learn::Stop;
use crate::learn::mml::Message;
use crate::task::Task;

impl Inquiry<'_, '_> {
    /// What keeps a clause that tells an example from the negative ones from being learned; nothing if
    /// its literals without inputs no longer prove the example. It is printed as it is read.
    pub(super) fn beyond(
        &mut self,
        example: &Atom,
        (clause, readable): (&Clause, &Clause),
        theory: &Theory,
    ) -> Result<Option<String>, ProverError> {
        let task = self.problem.task();
        let (positive, negative) = (&task.positive[..], &task.negative[..]);
        let mut evaluator =
            Evaluator::new(self.problem.database(), self.limits, positive, negative);
        let clauses = std::slice::from_ref(clause);
        let covered = evaluator.theory_while(clauses, &mut || self.progress.keep_going())?;
        let [n, ..] = covered[0].confusion();
        if covered[0].left_out > 0 || n == 0 {
            // What it covers is not known, or nothing.
            return Ok(None);
        }
        let size = Size::new(task, clause, theory.reach.equates_constants);
        let carried_out = without_equalities(clause).normalized();
        let options = options_of(theory, &size, n);
        // A longer clause for one example says nothing of others.
        let is_by_heart = n == 1 && positive.len() > 1;
        if is_by_heart && options.iter().any(|option| !option.starts_with("--min")) {
            return Ok(None);
        }
        let what = match n {
            1 => "no other example".to_owned(),
            n => format!("{n} positive examples and no negative one"),
        };
        let way = if !task.bias.constraints.permit(&carried_out, &task.symbols) {
            "but a constraint of the bias rules it out".to_owned()
        } else if options.is_empty() {
            way_within(theory)
        } else {
            let reason = if size.n_priced > 0 {
                ", since a constant takes a literal and a variable"
            } else {
                ""
            };
            let options = options.join(" ");
            let other = choice_of(&theory.learner);
            format!("and lies beyond the bounds{reason}: try {options}{other}")
        };
        let example = print_atom(example, &task.symbols);
        let clause = print_clause(readable, &task.symbols).to_string();
        let clause = clause.trim_end_matches('.');
        Ok(Some(format!(
            "for {example}, `{clause}` covers {what}, {way}"
        )))
    }
}

/// The size of a clause as a learner counts it.
struct Size {
    n_literals: usize,
    n_vars: usize,
    depth: usize,
    /// Constants that take a literal and a variable each.
    n_priced: usize,
}

impl Size {
    /// The size of a clause with its equalities. Where constants have literals of their own, so have those
    /// that its modes, but not those of the task, ask for. Elsewhere only an argument of the head needs one.
    fn new(task: &Task, clause: &Clause, equates_constants: bool) -> Self {
        let n_head = clause.head.args.len();
        let is_kept = |literal: &&Literal| {
            let is_of_head = |term: &Term| clause.head.args.contains(term);
            let of_head = literal.atom.args.iter().filter(|own| is_of_head(own));
            is_equality(literal) && of_head.count() > 0
        };
        let n_of_head = clause.body.iter().filter(is_kept).count();
        let n_equalities = clause.body.iter().filter(|own| is_equality(own)).count();
        let carried_out = task.unfolded(&without_equalities(clause).normalized());
        let depth = depth(&carried_out);
        if !equates_constants {
            return Self {
                n_literals: carried_out.body.len() + n_of_head,
                n_vars: (carried_out.var_bound() as usize).max(n_head),
                depth,
                n_priced: 0,
            };
        }
        let n_asked_for = n_constants(task, clause);
        let clause = task.unfolded(clause).normalized();
        Self {
            n_literals: clause.body.len() + n_asked_for,
            n_vars: clause.var_bound() as usize + n_asked_for,
            depth,
            n_priced: n_equalities - n_of_head + n_asked_for,
        }
    }
}

/// The constants of a body, but for those that a mode of the task asks for, and those in comparisons.
fn n_constants(task: &Task, clause: &Clause) -> usize {
    let is_asked_for = |predicate, place| {
        let modes = task.bias.body.iter();
        let mut modes = modes.filter(|mode| mode.predicate == predicate);
        modes.any(|mode| mode.places(Direction::Constant).any(|own| own == place))
    };
    let is_declared = |predicate| {
        task.bias
            .body
            .iter()
            .any(|mode| mode.predicate == predicate)
    };
    let literals = clause.body.iter();
    let literals = literals.filter(|own| is_declared(own.atom.predicate()));
    let of = |literal: &Literal| {
        let args = literal.atom.args.iter().enumerate();
        args.filter(|(place, arg)| {
            matches!(arg, Term::Const(_)) && !is_asked_for(literal.atom.predicate(), *place)
        })
        .count()
    };
    literals.map(of).sum()
}

/// The options that raise the bounds which a clause lies beyond that covers so many positive examples.
fn options_of(theory: &Theory, size: &Size, n: usize) -> Vec<String> {
    let reach = &theory.reach;
    let bounds = [
        (reach.max_body, size.n_literals, "--max-body"),
        (reach.max_vars, size.n_vars, "--max-vars"),
        (reach.max_depth, size.depth, "--max-depth"),
    ];
    let beyond = bounds.into_iter();
    let beyond = beyond.filter(|(bound, own, _)| bound.is_some_and(|most| *own > most));
    let mut options: Vec<String> = beyond
        .map(|(_, own, option)| format!("{option} {own}"))
        .collect();
    if reach.min_positives.is_some_and(|least| n < least) {
        options.push(format!("--min-positives {n}"));
    }
    options
}

/// What a learner may do with a clause once it lies within its bounds.
fn choice_of(learner: &str) -> &'static str {
    match learner {
        "mml" => "; mml takes it only where it makes the message shorter",
        "foil" | "mfoil" => ", and --learner lff if it is still not found",
        _ => "",
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
        "mml" => {
            "; mml takes it only where it makes the message shorter: another learner may take it \
             (--learner auto)"
        }
        "mfoil" => {
            ", but may not be significant with so few examples: another learner may take it \
             (--learner auto)"
        }
        _ => ": another learner may find it (--learner lff, auto)",
    };
    format!("and lies within the bounds{way}")
}

/// The most literals between a variable of a clause and its head.
fn depth(clause: &Clause) -> usize {
    let mut depths: FxHashMap<Var, usize> = FxHashMap::default();
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
