//! A refinement operator: the clauses that are one step more special than a clause.

use indexmap::IndexMap;
use kibitz_ilp::Problem;
use kibitz_prolog::{Atom, Clause, Direction, Literal, Mode, Predicate, Symbol, Term, Var};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The refinement operator of a task.
///
/// A clause without conditions is refined by unifying two variables of its head, and by instantiating a
/// variable of its head: with a function symbol over new variables, or a constant, both as in the examples
/// at that place, such as `[A|B]` and `[]`. Any clause is refined by a further condition that the modes
/// allow. Independent conditions are added in one order only.
///
/// # Source
/// Shapiro 1981; Morales 1992, section 4.5.1.1: a refinement is implied by its clause, and larger.
#[derive(Debug)]
pub(super) struct Operator<'p> {
    problem: &'p Problem<'p>,
    modes: Vec<Mode>,
    /// The constants of the types that modes ask constants of.
    constants: FxHashMap<Symbol, Vec<Term>>,
    structure: Structure,
    max_body: usize,
}

/// A clause with what refinements depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefinedClause {
    pub(super) clause: Clause,
    /// The types of the variables; `None` goes with every type.
    kinds: Vec<Option<Symbol>>,
    /// The mode of the last condition, and the variables that there were before it.
    last: (usize, u32),
}

/// The function symbols and the constants beside them that examples have, by place.
#[derive(Debug, Default)]
struct Structure {
    groups: Vec<Group>,
    of: IndexMap<Place, usize, FxBuildHasher>,
}

/// Places where the same function symbols stand.
#[derive(Debug, Default)]
struct Group {
    /// Function symbols with their arities, and constants beside them, in the order of the examples.
    values: Vec<Term>,
    kind: Option<Symbol>,
}

impl Group {
    fn add(&mut self, values: &[Term]) {
        for value in values {
            if !self.values.contains(value) {
                self.values.push(value.clone());
            }
        }
    }
}

/// An argument of the head, or of a function symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Head(usize),
    Part(Symbol, usize, usize),
}

/// A function symbol over variables, or a constant.
fn shape(term: &Term) -> Term {
    match term {
        Term::Compound(name, args) => {
            Term::compound(*name, (0u32..).map(Term::var).take(args.len()))
        }
        other => other.clone(),
    }
}

impl Structure {
    fn new(problem: &Problem<'_>) -> Self {
        let task = problem.task();
        // What stands at each place, each once.
        let mut at: IndexMap<Place, Vec<Term>, FxBuildHasher> = IndexMap::default();
        let mut open: Vec<(Place, Term)> = Vec::new();
        for example in task.positive.iter().chain(&task.negative) {
            open.extend(
                example
                    .args
                    .iter()
                    .cloned()
                    .enumerate()
                    .map(|(i, t)| (Place::Head(i), t)),
            );
            while let Some((place, term)) = open.pop() {
                let values = at.entry(place).or_default();
                let shape = shape(&term);
                if !values.contains(&shape) {
                    values.push(shape);
                }
                if let Term::Compound(name, args) = &term {
                    let parts = args.iter().cloned().enumerate();
                    open.extend(parts.map(|(i, t)| (Place::Part(*name, args.len(), i), t)));
                }
            }
        }
        let mut structure = Self::default();
        let is_compound = |term: &Term| matches!(term, Term::Compound(..));
        for (place, values) in &at {
            if !values.iter().any(is_compound) {
                continue;
            }
            // One group with those that share a function symbol.
            let shares = |group: &Group| {
                let mut own = values.iter().filter(|value| is_compound(value));
                own.any(|value| group.values.contains(value))
            };
            let mut joined = Group::default();
            let mut kept = Vec::new();
            let mut renamed = Vec::new();
            for group in std::mem::take(&mut structure.groups) {
                if shares(&group) {
                    renamed.push(None);
                    joined.add(&group.values);
                    joined.kind = joined.kind.or(group.kind);
                } else {
                    renamed.push(Some(kept.len()));
                    kept.push(group);
                }
            }
            joined.add(values);
            if let Place::Head(i) = place {
                let kind = task
                    .bias
                    .head
                    .arguments
                    .get(*i)
                    .map(|argument| argument.kind);
                joined.kind = joined.kind.or(kind);
            }
            for number in structure.of.values_mut() {
                *number = renamed[*number].unwrap_or(kept.len());
            }
            structure.of.insert(*place, kept.len());
            kept.push(joined);
            structure.groups = kept;
        }
        structure
    }

    fn group(&self, place: Place) -> Option<&Group> {
        self.groups.get(*self.of.get(&place)?)
    }
}

impl<'p> Operator<'p> {
    pub(super) fn new(problem: &'p Problem<'p>, mut modes: Vec<Mode>, max_body: usize) -> Self {
        let task = problem.task();
        // Of clauses of one size those that call the target say more.
        modes.sort_by_key(|mode| mode.predicate != task.target);
        let mut constants = FxHashMap::default();
        for mode in &modes {
            for place in mode.places(Direction::Constant) {
                let kind = mode.arguments[place].kind;
                constants
                    .entry(kind)
                    .or_insert_with(|| task.constants_of(kind));
            }
        }
        Self {
            problem,
            modes,
            constants,
            structure: Structure::new(problem),
            max_body,
        }
    }

    /// The most general clause.
    pub(super) fn root(&self) -> RefinedClause {
        let task = self.problem.task();
        let head = &task.bias.head;
        let args = (0u32..).map(Term::var).take(head.arguments.len());
        RefinedClause {
            clause: Clause::fact(Atom::new(task.target.name, args)),
            kinds: (head.arguments.iter().map(|own| Some(own.kind))).collect(),
            last: (0, 0),
        }
    }

    /// Whether a clause may be part of a theory: its constants are chosen, and the bias permits it.
    pub(super) fn is_whole(&self, clause: &Clause) -> bool {
        let task = self.problem.task();
        let mut places = task.bias.head.places(Direction::Constant);
        let is_open = |place: usize| matches!(clause.head.args[place], Term::Var(_));
        !places.any(is_open)
            && task
                .bias
                .constraints
                .permit(&task.unfolded(clause), &task.symbols)
    }

    /// The refinements of a clause, each once.
    pub(super) fn refinements(&self, of: &RefinedClause) -> Vec<RefinedClause> {
        let mut found = Vec::new();
        if of.clause.body.is_empty() {
            of.unifications(&mut found);
            self.instances(of, &mut found);
        }
        if of.clause.body.len() < self.max_body {
            self.longer(of, &mut found);
        }
        let task = self.problem.task();
        let max_vars = task.bias.max_vars.unwrap_or(usize::MAX);
        let constraints = &task.bias.constraints;
        found.retain(|own| {
            own.kinds.len() <= max_vars
                && (constraints.is_empty()
                    || constraints.permit_beginning(&task.unfolded(&own.clause), &task.symbols))
        });
        found
    }

    /// A variable of the head given a value of its place.
    fn instances(&self, of: &RefinedClause, found: &mut Vec<RefinedClause>) {
        let task = self.problem.task();
        let mut places: Vec<(Place, Var)> = Vec::new();
        for (i, arg) in of.clause.head.args.iter().enumerate() {
            places_of(Place::Head(i), arg, &mut places);
        }
        let mut done: Vec<Var> = Vec::new();
        for (place, var) in places {
            if done.contains(&var) {
                continue;
            }
            done.push(var);
            if let Place::Head(i) = place
                && task.bias.head.arguments[i].direction == Direction::Constant
            {
                for constant in task.constants_of(task.bias.head.arguments[i].kind) {
                    found.push(of.with_value(var.0, &constant, &[]));
                }
                continue;
            }
            let Some(group) = self.structure.group(place) else {
                continue;
            };
            let n = of.clause.var_bound();
            for value in &group.values {
                let kinds: Vec<Option<Symbol>> = match value {
                    Term::Compound(name, args) => (0..args.len())
                        .map(|i| {
                            let own = self.structure.group(Place::Part(*name, args.len(), i));
                            own.and_then(|group| group.kind)
                        })
                        .collect(),
                    _ => Vec::new(),
                };
                let value = value.map_vars(&mut |own| Term::var(n + own.0));
                found.push(of.with_value(var.0, &value, &kinds));
            }
        }
    }

    /// A further condition.
    fn longer(&self, of: &RefinedClause, found: &mut Vec<RefinedClause>) {
        let task = self.problem.task();
        for (number, mode) in self.modes.iter().enumerate() {
            let is_call = mode.predicate == task.target;
            if is_call && !task.bias.recursion {
                continue;
            }
            let mut choice = Choice {
                operator: self,
                of,
                number,
                args: Vec::new(),
                kinds: of.kinds.clone(),
                found,
            };
            choice.extend(mode);
        }
    }

    /// Whether a condition may be added: it is not there yet, does not say what is to be shown, and a
    /// call of the target gets closer to an end, as far as can be seen.
    fn is_new(&self, of: &RefinedClause, literal: &Literal) -> bool {
        let is_call = literal.atom.predicate() == self.problem.task().target;
        !of.clause.body.contains(literal)
            && literal.atom != of.clause.head
            && (!is_call || of.descends(&literal.atom))
    }
}

fn fits(a: Option<Symbol>, b: Option<Symbol>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// The variables of a term with their places.
fn places_of(place: Place, term: &Term, found: &mut Vec<(Place, Var)>) {
    match term {
        Term::Var(var) => found.push((place, *var)),
        Term::Compound(name, args) => {
            for (i, arg) in args.iter().enumerate() {
                places_of(Place::Part(*name, args.len(), i), arg, found);
            }
        }
        Term::Const(_) => {}
    }
}

impl RefinedClause {
    /// Whether a call has an argument that is part of the head's, or one that conditions have found.
    fn descends(&self, call: &Atom) -> bool {
        let head = &self.clause.head;
        let mut pairs = head.args.iter().zip(call.args.iter());
        pairs.any(|(own, arg)| match arg {
            Term::Var(var) => {
                let is_found = var.index() < self.kinds.len()
                    && !head.args.iter().any(|arg| arg.contains_var(*var));
                is_found || (own != arg && own.contains_var(*var))
            }
            _ => false,
        })
    }

    /// Two variables of the head made one.
    fn unifications(&self, found: &mut Vec<RefinedClause>) {
        let n = self.clause.var_bound();
        for second in 0..n {
            for first in 0..second {
                let kinds = [first, second].map(|var| self.kinds[var as usize]);
                if fits(kinds[0], kinds[1]) {
                    found.push(self.with_value(second, &Term::var(first), &[]));
                }
            }
        }
    }

    /// The clause with a variable replaced by a term, whose new variables have the given types.
    fn with_value(&self, var: u32, value: &Term, kinds: &[Option<Symbol>]) -> Self {
        let clause = self.clause.map_vars(&mut |own| {
            if own.0 == var {
                value.clone()
            } else {
                Term::Var(own)
            }
        });
        let all = [&self.kinds[..], kinds].concat();
        let mut order: Vec<Var> = Vec::new();
        clause.for_each_var(&mut |own| {
            if !order.contains(&own) {
                order.push(own);
            }
        });
        // A variable of any type takes the type of the one that it becomes.
        let of = |own: &Var| match value {
            Term::Var(kept) if kept == own => all[own.index()].or(all[var as usize]),
            _ => all[own.index()],
        };
        Self {
            kinds: order.iter().map(of).collect(),
            clause: clause.normalized(),
            last: self.last,
        }
    }
}

/// The choice of the arguments of a condition, one after the other.
struct Choice<'c, 'p> {
    operator: &'c Operator<'p>,
    of: &'c RefinedClause,
    number: usize,
    args: Vec<Term>,
    kinds: Vec<Option<Symbol>>,
    found: &'c mut Vec<RefinedClause>,
}

impl Choice<'_, '_> {
    fn extend(&mut self, mode: &Mode) {
        let Some(argument) = mode.arguments.get(self.args.len()) else {
            self.end(mode.predicate);
            return;
        };
        if argument.direction == Direction::Constant {
            let operator = self.operator;
            let constants = operator.constants.get(&argument.kind);
            for constant in constants.into_iter().flatten() {
                self.args.push(constant.clone());
                self.extend(mode);
                self.args.pop();
            }
            return;
        }
        let n_known = self.of.kinds.len();
        // A variable that is new in this condition is no input of it.
        let n_usable = match argument.direction {
            Direction::In => n_known,
            _ => self.kinds.len(),
        };
        for var in 0..n_usable {
            let before = self.kinds[var];
            if fits(before, Some(argument.kind)) {
                self.kinds[var] = Some(argument.kind);
                self.args
                    .push(Term::Var(Var(u32::try_from(var).unwrap_or(u32::MAX))));
                self.extend(mode);
                self.args.pop();
                self.kinds[var] = before;
            }
        }
        if argument.direction == Direction::Out {
            let new = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
            self.kinds.push(Some(argument.kind));
            self.args.push(Term::var(new));
            self.extend(mode);
            self.args.pop();
            self.kinds.pop();
        }
    }

    fn end(&mut self, predicate: Predicate) {
        let task = self.operator.problem.task();
        let atom = Atom::new(predicate.name, self.args.iter().cloned());
        let n_known = u32::try_from(self.of.kinds.len()).unwrap_or(u32::MAX);
        let mut literals = vec![Literal::positive(atom.clone())];
        let has_new = self.kinds.len() > self.of.kinds.len();
        if task.bias.negation && !has_new && predicate != task.target {
            literals.push(Literal::negative(atom));
        }
        for literal in literals {
            if !self.operator.is_new(self.of, &literal) || !self.is_in_order(&literal) {
                continue;
            }
            let mut clause = self.of.clause.clone();
            clause.body.push(literal);
            self.found.push(RefinedClause {
                clause,
                kinds: self.kinds.clone(),
                last: (self.number, n_known),
            });
        }
    }

    /// Whether a condition comes after the last one, or needs it.
    fn is_in_order(&self, literal: &Literal) -> bool {
        let Some(last) = self.of.clause.body.last() else {
            return true;
        };
        let (number, n_before) = self.of.last;
        let mut needs = false;
        literal.atom.for_each_var(&mut |var| {
            needs |= var.0 >= n_before && (var.index()) < self.of.kinds.len();
        });
        needs || (self.number, literal) > (number, last)
    }
}
