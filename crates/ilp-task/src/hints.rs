//! What is odd about a task.

use kibitz_prolog::{Clause, Constant, Direction, Predicate, Symbol, Term, Var, print_term};
use rustc_hash::FxHashSet;

use super::Task;
use super::files::Layout;
use super::values::{MAX_VALUES, number};

/// Most names in a list.
const MAX_LISTED: usize = 5;

impl Task {
    /// What is odd about a task without being wrong: names of positive examples that occur nowhere in
    /// the background, and types with one place only.
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        let mut known: FxHashSet<&Term> = FxHashSet::default();
        for clause in &self.background {
            for atom in clause.atoms() {
                atom.args.iter().for_each(|arg| names(arg, &mut known));
            }
        }
        known.extend(self.bias.constants.iter().flat_map(|own| &own.constants));
        let mut named: FxHashSet<&Term> = FxHashSet::default();
        let mut strange = Vec::new();
        // What clauses give as a constant needs no background.
        let head = self.bias.head.arguments.iter().enumerate();
        let joined = head.filter(|(_, own)| own.direction != Direction::Constant);
        let joined: Vec<usize> = joined.map(|(place, _)| place).collect();
        let args = self
            .positive
            .iter()
            .flat_map(|atom| joined.iter().map(|place| &atom.args[*place]));
        for arg in args {
            if let Term::Const(Constant::Symbol(_) | Constant::Text(_)) = arg
                && !known.contains(arg)
                && named.insert(arg)
            {
                strange.push(print_term(arg, &self.symbols).to_string());
            }
        }
        if !strange.is_empty() && self.says_only_facts() {
            let strange = listed(strange.into_iter());
            hints.push(format!(
                "positive examples have names that the background does not mention: {strange}"
            ));
        }
        for own in self.lone_arguments() {
            let shown = self.shown(own.predicate);
            let (name, arity) = (self.symbols.name(shown.name), shown.arity);
            let kind = self.symbols.name(own.kind);
            let place = own.place + 1;
            let few_values = || {
                self.few_values(&own).map_or(String::new(), |values| {
                    let n = values.len();
                    let values = values.iter();
                    let values = values.map(|own| print_term(own, &self.symbols).to_string());
                    let values = listed(values);
                    let way = match self.files.layout() {
                        Some(Layout::Aleph | Layout::Progol | Layout::Golem) => {
                            format!("#{kind} in a modeb")
                        }
                        Some(Layout::Foil) => {
                            format!("* before each of its {n} values in the definition of {kind}")
                        }
                        Some(Layout::Popper) | None => {
                            format!("constant(V,{kind}) for each of its {n} values")
                        }
                    };
                    format!("; {way} lets clauses name them: {values}")
                })
            };
            let named = if self.cuts(&own).is_some() {
                "; --learner auto and mml compare its numbers with thresholds".to_owned()
            } else {
                few_values()
            };
            let joined = if own.is_of_head && !self.bias.recursion {
                "nothing".to_owned()
            } else {
                format!("only literals of {name}/{arity}")
            };
            let meant = self.meant_kind(own.kind);
            let meant = meant.map_or(String::new(), |question| format!("; {question}"));
            hints.push(format!(
                "nothing else has the type {kind} of argument {place} of {name}/{arity}: its variables \
                 join {joined}{named}{meant}"
            ));
        }
        hints.extend(self.untyped_numbers());
        hints
    }

    /// Which type of other arguments a misspelled one may be meant to be, as a question: one that no fewer
    /// arguments have.
    pub(super) fn meant_kind(&self, kind: Symbol) -> Option<String> {
        let modes = std::iter::once(&self.bias.head).chain(&self.bias.body);
        let kinds = modes.flat_map(|mode| &mode.arguments).map(|own| own.kind);
        let kinds: Vec<Symbol> = kinds.collect();
        let count = |name: &str| {
            let same = kinds.iter().map(|own| self.symbols.name(*own));
            same.filter(|own| *own == name).count()
        };
        let own = self.symbols.name(kind);
        let others = kinds.iter().map(|own| self.symbols.name(*own));
        let others = others.filter(|other| *other != own && count(other) >= count(own));
        let meant = kibitz_text::nearest(own, others)?;
        if count(meant) == count(own) {
            Some(format!("are {own} and {meant} meant to be one type?"))
        } else {
            kibitz_text::did_you_mean(&[meant])
        }
    }

    /// Whether nothing is declared that shrinks the search, although it can be: arguments have no types, and
    /// none of a body but of calls of the target is an input.
    pub fn is_untyped(&self) -> bool {
        let modes = std::iter::once(&self.bias.head).chain(&self.bias.body);
        let mut arguments = modes.flat_map(|mode| &mode.arguments);
        let any = self.symbols.get("any");
        let others = self.bias.body.iter();
        let others = others.filter(|mode| mode.predicate != self.target);
        let mut others = others.flat_map(|mode| &mode.arguments);
        arguments.all(|own| Some(own.kind) == any)
            && others.all(|own| own.direction == Direction::Out)
    }

    /// Whether the background can hold only for terms that it mentions: each variable of a head is in a
    /// condition that is defined there, too.
    fn says_only_facts(&self) -> bool {
        let heads = self.background.iter().map(|own| own.head.predicate());
        let defined: FxHashSet<Predicate> = heads.collect();
        let is_bound = |clause: &Clause| {
            let conditions = clause.body.iter().filter(|own| own.positive);
            let mut bound: FxHashSet<Var> = FxHashSet::default();
            for own in conditions.filter(|own| defined.contains(&own.atom.predicate())) {
                own.atom.for_each_var(&mut |var| {
                    bound.insert(var);
                });
            }
            let mut is_bound = true;
            clause
                .head
                .for_each_var(&mut |var| is_bound &= bound.contains(&var));
            is_bound
        };
        let body = self.bias.body.iter().map(|mode| mode.predicate);
        let mut body = body.filter(|own| *own != self.target);
        self.background.iter().all(is_bound) && body.all(|own| defined.contains(&own))
    }

    /// Arguments of facts that hold numbers only, of a type with other values, too: what would let clauses
    /// compare them. Numbers that examples are about are names of objects.
    fn untyped_numbers(&self) -> Vec<String> {
        let mut hints = Vec::new();
        let examples = self.positive.iter().chain(&self.negative);
        let objects: FxHashSet<&Term> = examples.flat_map(|example| example.args.iter()).collect();
        for mode in &self.bias.body {
            let Predicate { name, arity } = mode.predicate;
            for (place, argument) in mode.arguments.iter().enumerate() {
                let facts = self.background.iter();
                let facts = facts.filter(|own| own.head.predicate() == mode.predicate);
                let values: Option<FxHashSet<&Term>> = facts
                    .map(|own| {
                        let value = &own.head.args[place];
                        let is_measured = number(value).is_some() && !objects.contains(value);
                        (own.body.is_empty() && is_measured).then_some(value)
                    })
                    .collect();
                let is_mixed = || {
                    let mut all = self.constants_of(argument.kind).into_iter();
                    all.any(|value| number(&value).is_none())
                };
                if values.is_some_and(|own| own.len() > MAX_VALUES) && is_mixed() {
                    let (name, place) = (self.symbols.name(name), place + 1);
                    hints.push(format!(
                        "argument {place} of {name}/{arity} holds numbers, but has no type of its own: \
                         with types for all arguments, --learner auto and mml compare it with thresholds"
                    ));
                }
            }
        }
        hints
    }
}

/// The names in a term.
fn names<'t>(term: &'t Term, found: &mut FxHashSet<&'t Term>) {
    match term {
        Term::Const(_) => {
            found.insert(term);
        }
        Term::Compound(_, args) => args.iter().for_each(|arg| names(arg, found)),
        Term::Var(_) => {}
    }
}

/// Names with commas, of many the first.
pub fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let shown = names[..names.len().min(MAX_LISTED)].join(", ");
    match names.len().saturating_sub(MAX_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
