//! What keeps a clause from being learned: the bounds of a learner, or what it prefers.

use std::fmt;

use kibitz_prolog::{
    Atom, Clause, Direction, Evaluator, Literal, Mode, ProverError, Symbol, Term, Var, print_atom,
    print_clause,
};
use rustc_hash::FxHashMap;

use super::inquiry::Inquiry;
use super::saying::{is_equality, without_equalities};
use crate::judge::theory::Theory;
use crate::learn::mml::Message;
use crate::learn::{Learner, Lff, Reach, Stop};
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
        let found = &covered[0].positive;
        let n_new = found.ones().filter(|e| !theory.total.positive.contains(*e));
        let n_new = n_new.count();
        let size = |equates| Size::new(task, clause, equates);
        let own = size(theory.reach.equates_constants);
        let options = Options::new(&theory.reach, &own, n_new);
        // A longer clause for one example says nothing of others.
        let is_by_heart = n == 1 && positive.len() > 1;
        if is_by_heart && options.has_bounds_of_clauses() {
            return Ok(None);
        }
        let what = match n {
            1 => "no other example".to_owned(),
            // A bound on the positive examples that were not covered before asks how many these are.
            n if n_new < n && options.has("--min-positives") => format!(
                "{n} positive examples, {n_new} of them not covered before, and no negative one"
            ),
            n => format!("{n} positive examples and no negative one"),
        };
        let is_of_lff = never_written(task, "lff", clause).is_none();
        let of_lff =
            is_of_lff.then(|| Options::new(&Lff::default().reach(task), &size(true), n_new));
        let carried_out = without_equalities(clause).normalized();
        let learner = &theory.learner[..];
        let way = if !task.bias.constraints.permit(&carried_out, &task.symbols) {
            "but a constraint of the bias rules it out".to_owned()
        } else if let Some(kind) = never_written(task, learner, clause) {
            let others = others(of_lff.as_ref());
            format!("but {learner} writes no {kind}: {others}")
        } else if !matches!(learner, "progol" | "mio") && has_answered_constants(task, clause) {
            "but its constants are answers of a rule that no fact has: --learner progol may find it"
                .to_owned()
        } else if options.0.is_empty() {
            way_within(theory, of_lff.as_ref())
        } else {
            let reason = own.reason(&options);
            let other = choice_of(&theory.learner, &options, of_lff.as_ref());
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
    /// Equal arguments of the head that take a variable each.
    n_equal: usize,
}

impl Size {
    /// The size of a clause with its equalities. Where constants have literals of their own, so have those
    /// that its modes, but not those of the task, ask for. Elsewhere only an argument of the head needs one.
    fn new(task: &Task, clause: &Clause, equates_constants: bool) -> Self {
        let n_head = clause.head.args.len();
        let is_kept = |literal: &&Literal| {
            let mut args = literal.atom.args.iter();
            is_equality(literal) && args.any(|own| clause.head.args.contains(own))
        };
        let n_of_head = clause.body.iter().filter(is_kept).count();
        let n_equal = (clause.body.iter()).filter(|own| equates_variables(own));
        let n_equal = n_equal.count();
        let n_equalities = clause.body.iter().filter(|own| is_equality(own)).count();
        let carried_out = task.unfolded(&without_equalities(clause).normalized());
        let depth = depth(&carried_out);
        if !equates_constants {
            return Self {
                n_literals: carried_out.body.len() + n_of_head,
                n_vars: (carried_out.var_bound() as usize).max(n_head),
                depth,
                n_priced: 0,
                n_equal,
            };
        }
        let n_asked_for = n_constants(task, clause);
        let clause = task.unfolded(clause).normalized();
        Self {
            n_literals: clause.body.len() + n_asked_for,
            n_vars: clause.var_bound() as usize + n_asked_for,
            depth,
            n_priced: n_equalities - n_of_head + n_asked_for,
            n_equal,
        }
    }

    /// Why a clause takes more than one sees in it.
    fn reason(&self, options: &Options) -> &'static str {
        let is_of_size = options.has("--max-body") || options.has("--max-vars");
        if is_of_size && self.n_priced > 0 {
            ", since a constant takes a literal and a variable"
        } else if is_of_size && self.n_equal > 0 {
            ", since equal arguments of the head take a literal and two variables"
        } else {
            ""
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

/// Options that raise bounds, with the values that a clause needs.
struct Options(Vec<(&'static str, usize)>);

impl Options {
    /// Those for the bounds that a clause lies beyond which covers so many positive examples that were not
    /// covered before.
    fn new(reach: &Reach, size: &Size, n_new: usize) -> Self {
        let bounds = [
            ("--max-body", reach.max_body, size.n_literals),
            ("--max-vars", reach.max_vars, size.n_vars),
            ("--max-depth", reach.max_depth, size.depth),
        ];
        let beyond = bounds.into_iter();
        let beyond = beyond.filter(|(_, bound, own)| bound.is_some_and(|most| *own > most));
        let mut options: Vec<_> = beyond.map(|(option, _, own)| (option, own)).collect();
        if reach.min_positives.is_some_and(|least| n_new < least) {
            options.push(("--min-positives", n_new.max(1)));
        }
        Self(options)
    }

    fn has_bounds_of_clauses(&self) -> bool {
        self.0
            .iter()
            .any(|(option, _)| *option != "--min-positives")
    }

    fn has(&self, option: &str) -> bool {
        self.0.iter().any(|(own, _)| *own == option)
    }

    /// Those that are not among others.
    fn beside(&self, others: &Self) -> Self {
        let own = self.0.iter().copied();
        Self(own.filter(|own| !others.0.contains(own)).collect())
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.iter().map(|(option, own)| format!("{option} {own}"));
        f.write_str(&all.collect::<Vec<_>>().join(" "))
    }
}

/// Whether a literal is an equality of variables.
fn equates_variables(literal: &Literal) -> bool {
    let mut args = literal.atom.args.iter();
    is_equality(literal) && args.all(|arg| matches!(arg, Term::Var(_)))
}

/// What a clause has that a learner never writes.
fn never_written(task: &Task, learner: &str, clause: &Clause) -> Option<&'static str> {
    let has = |is_such: fn(&Literal) -> bool| clause.body.iter().any(is_such);
    let is_of_bottom = matches!(learner, "progol" | "mio");
    if (is_of_bottom || learner == "lff") && has(equates_variables) {
        Some("equal arguments of a head")
    } else if (is_of_bottom || matches!(learner, "golem" | "lff"))
        && has(|own| own.atom.name == Symbol::NOT_EQUALS)
    {
        Some("inequalities")
    } else if (is_of_bottom || learner == "golem") && has(|own| !own.positive) {
        Some("negated literals")
    } else if !matches!(learner, "mml" | "auto")
        && clause.body.iter().any(|own| has_constant_input(task, own))
    {
        Some("constants as inputs")
    } else {
        None
    }
}

/// Whether a literal has a constant at a place that is an input in all modes of its predicate.
fn has_constant_input(task: &Task, literal: &Literal) -> bool {
    let predicate = literal.atom.predicate();
    let modes = task.bias.body.iter();
    let modes = modes.filter(|mode| mode.predicate == predicate);
    let mut args = literal.atom.args.iter().enumerate();
    args.any(|(place, arg)| {
        let mut modes = modes.clone().peekable();
        let is_input = |mode: &Mode| mode.arguments[place].direction == Direction::In;
        arg.is_ground() && modes.peek().is_some() && modes.all(is_input)
    })
}

/// Whether a clause has constants at places that take some, but that are not among those of their type: a
/// rule answers with them.
fn has_answered_constants(task: &Task, clause: &Clause) -> bool {
    let is_answered = |literal: &Literal| {
        let predicate = literal.atom.predicate();
        let modes = task.bias.body.iter();
        let mut modes = modes.filter(|mode| mode.predicate == predicate);
        modes.any(|mode| {
            mode.places(Direction::Constant).any(|place| {
                let kind = mode.arguments[place].kind;
                let own = &literal.atom.args[place];
                own.is_ground()
                    && !task.has_facts_of_type(kind)
                    && !task.constants_of(kind).contains(own)
            })
        })
    };
    clause.body.iter().any(is_answered)
}

/// What to do where a learner does not find a clause once it lies within its bounds.
fn choice_of(learner: &str, options: &Options, of_lff: Option<&Options>) -> String {
    match (learner, of_lff) {
        ("mml", _) => "; mml takes it only where it makes the message shorter".to_owned(),
        ("foil" | "mfoil" | "progol" | "mio", Some(own)) => {
            let more = own.beside(options);
            let more = if more.0.is_empty() {
                String::new()
            } else {
                format!(" {more}")
            };
            let without = if options.has("--max-depth") {
                " without --max-depth"
            } else {
                ""
            };
            format!("; if it is still not found, --learner lff{more}{without}")
        }
        _ => String::new(),
    }
}

/// The option that chooses `lff` with the bounds that a clause needs.
fn lff_with(options: &Options) -> String {
    let option = format!("--learner lff {options}");
    option.trim_end().to_owned()
}

/// Which other learners may find a clause.
fn others(of_lff: Option<&Options>) -> String {
    match of_lff.map(lff_with) {
        Some(lff) => format!("another learner may find it ({lff}, or --learner auto)"),
        None => "another learner may find it (--learner auto)".to_owned(),
    }
}

/// What may find a clause that the bounds of a theory's learner allow.
fn way_within(theory: &Theory, of_lff: Option<&Options>) -> String {
    if theory.stop == Stop::ClauseLimit {
        return "and is one clause too many: raise --max-clauses".to_owned();
    }
    let others = others(of_lff);
    let way = match &theory.learner[..] {
        _ if theory.stop == Stop::OutOfSteps || !theory.unfinished.is_empty() => {
            ": more steps may find it (--max-steps)".to_owned()
        }
        "auto" => {
            let lff = of_lff.filter(|_| theory.chosen != Some("lff"));
            let lff = lff.map(|own| format!(": {} may find it", lff_with(own)));
            let lff = lff.unwrap_or_default();
            format!(", but the chosen theory lacks it{lff}")
        }
        "lff" => ": another learner may find it (--learner auto)".to_owned(),
        "mml" if theory.message().is_some_and(Message::is_shortest) => {
            ", but does not make the message shorter: another learner may take it (--learner auto), as \
             may mml with more examples"
                .to_owned()
        }
        "mml" => format!("; mml takes it only where it makes the message shorter: {others}"),
        "mfoil" => format!(", but may not be significant with so few examples: {others}"),
        _ => format!(": {others}"),
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
