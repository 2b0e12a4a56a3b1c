//! Whether clauses satisfy the goals of constraints.

use std::cmp::Ordering;

use kibitz_prolog::{Clause, Constant, Symbol, SymbolTable, Term as Value};
use kibitz_text::Location;

use super::asp::{Comparison, Goal, Rule, Term};

/// Rules may use each other this deeply.
pub(crate) const MAX_DEPTH: usize = 20;
/// Goals tried for one clause; a constraint that takes more counts as kept.
const MAX_GOALS: usize = 100_000;

/// Constraints, and the rules and facts that they use.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Program {
    /// What no clause that contains this one can repair, and what others might.
    pub(crate) lasting: Vec<Lasting>,
    pub(crate) of_whole_clauses: Vec<Vec<Goal>>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) facts: Vec<(String, Vec<Item>)>,
    /// Argument types by predicate.
    pub(crate) types: Vec<(String, Vec<String>)>,
}

/// Goals that no clause may satisfy, and that stay satisfied whatever literals are added.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lasting {
    pub(crate) goals: Vec<Goal>,
    /// Where the constraint is.
    pub(crate) place: Location,
}

/// A value: number of a variable or of anything else, name, or tuple.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    Int(i64),
    Name(String),
    Tuple(Vec<Item>),
}

impl Item {
    /// A term of a fact.
    pub(crate) fn of_term(term: &Value, symbols: &SymbolTable) -> Option<Self> {
        match term {
            Value::Const(Constant::Int(value)) => Some(Item::Int(*value)),
            Value::Const(Constant::Symbol(name) | Constant::Text(name)) => {
                Some(Item::Name(symbols.name(*name).to_owned()))
            }
            Value::Compound(Symbol::COMMA, _) => {
                let parts = term.conjuncts().into_iter();
                let parts = parts.map(|part| Self::of_term(part, symbols));
                parts.collect::<Option<_>>().map(Item::Tuple)
            }
            _ => None,
        }
    }

    /// The term of a declaration.
    pub(crate) fn to_term(&self, symbols: &mut SymbolTable) -> Value {
        match self {
            Item::Int(value) => Value::int(*value),
            Item::Name(name) => Value::symbol(symbols.intern(name)),
            Item::Tuple(items) => {
                let parts: Vec<Value> = items.iter().map(|item| item.to_term(symbols)).collect();
                let pair =
                    |right, left: &Value| Value::compound(Symbol::COMMA, [left.clone(), right]);
                let mut parts = parts.iter().rev();
                let last = parts.next().cloned().unwrap_or(Value::NIL);
                parts.fold(last, pair)
            }
        }
    }
}

/// The arguments of a rule's head for every way to satisfy its body with facts.
pub(crate) fn derived(rule: &Rule, facts: &[(String, Vec<Item>)]) -> Vec<Vec<Item>> {
    let program = Program {
        facts: facts.to_vec(),
        ..Program::default()
    };
    let shape = Shape {
        head: (String::new(), Vec::new()),
        body: Vec::new(),
        types: Vec::new(),
    };
    let Some(Term::Compound(_, args)) = &rule.head else {
        return Vec::new();
    };
    let mut proof = Proof {
        program: &program,
        shape: &shape,
        left: MAX_GOALS,
    };
    let mut rows: Vec<Vec<Item>> = Vec::new();
    let goals: Vec<&Goal> = rule.body.iter().collect();
    proof.solve(&goals, &Bindings::default(), 0, &mut |found| {
        let row = args.iter().map(|arg| value(arg, found));
        let row = row.collect::<Option<Vec<Item>>>();
        rows.extend(row.filter(|row| !rows.contains(row)));
        true
    });
    rows
}

impl Program {
    /// Whether a clause satisfies goals.
    pub(crate) fn is_met(&self, shape: &Shape, goals: &[Goal]) -> bool {
        let mut proof = Proof {
            program: self,
            shape,
            left: MAX_GOALS,
        };
        let open: Vec<&Goal> = goals.iter().collect();
        let mut met = false;
        proof.solve(&open, &Bindings::default(), 0, &mut |_| {
            met = true;
            false
        });
        met && proof.left > 0
    }
}

/// A clause as constraints see it.
pub(crate) struct Shape {
    head: (String, Vec<Item>),
    body: Vec<(String, Vec<Item>)>,
    /// Types of variables: number and name.
    types: Vec<(Item, String)>,
}

impl Shape {
    pub(crate) fn new(
        clause: &Clause,
        symbols: &SymbolTable,
        types: &[(String, Vec<String>)],
    ) -> Self {
        let item = |term: &Value| match term {
            Value::Var(var) => Item::Int(var.0.into()),
            other => Item::of_term(other, symbols).unwrap_or(Item::Tuple(Vec::new())),
        };
        let literal = |atom: &kibitz_prolog::Atom| {
            let name = symbols.name(atom.name).to_owned();
            (name, atom.args.iter().map(item).collect::<Vec<_>>())
        };
        let mut own_types = Vec::new();
        for atom in clause.atoms() {
            let name = symbols.name(atom.name);
            let kinds = types.iter().find(|(own, _)| own == name);
            for (arg, kind) in atom
                .args
                .iter()
                .zip(kinds.map_or(&[][..], |(_, kinds)| kinds))
            {
                if matches!(arg, Value::Var(_)) && !own_types.contains(&(item(arg), kind.clone())) {
                    own_types.push((item(arg), kind.clone()));
                }
            }
        }
        let positive = clause.body.iter().filter(|literal| literal.positive);
        Self {
            head: literal(&clause.head),
            body: positive.map(|own| literal(&own.atom)).collect(),
            types: own_types,
        }
    }

    /// The tuples of a relation, as far as they depend on the clause.
    fn tuples(&self, name: &str) -> Vec<Vec<Item>> {
        let clause = || Item::Int(0);
        let tuple = |args: &[Item]| Item::Tuple(args.to_vec());
        let arity = |args: &[Item]| Item::Int(i64::try_from(args.len()).unwrap_or(i64::MAX));
        let literal = |(name, args): &(String, Vec<Item>)| {
            vec![clause(), Item::Name(name.clone()), arity(args), tuple(args)]
        };
        let vars = |literals: &mut dyn Iterator<Item = &(String, Vec<Item>)>| {
            let mut found: Vec<Vec<Item>> = Vec::new();
            for arg in literals.flat_map(|(_, args)| args) {
                let row = vec![clause(), arg.clone()];
                if matches!(arg, Item::Int(_)) && !found.contains(&row) {
                    found.push(row);
                }
            }
            found
        };
        let head = || std::iter::once(&self.head);
        match name {
            "clause" => vec![vec![clause()]],
            "head_literal" => vec![literal(&self.head)],
            "body_literal" => self.body.iter().map(literal).collect(),
            "head_var" => vars(&mut head()),
            "body_var" => vars(&mut self.body.iter()),
            "clause_var" => vars(&mut head().chain(&self.body)),
            "body_size" => {
                let size = i64::try_from(self.body.len()).unwrap_or(i64::MAX);
                vec![vec![clause(), Item::Int(size)]]
            }
            "var_type" => (self.types.iter())
                .map(|(var, kind)| vec![clause(), var.clone(), Item::Name(kind.clone())])
                .collect(),
            "var_in_literal" => {
                let mut found = Vec::new();
                for (name, args) in head().chain(&self.body) {
                    for arg in args {
                        let name = Item::Name(name.clone());
                        found.push(vec![clause(), name, tuple(args), arg.clone()]);
                    }
                }
                found
            }
            "recursive" => {
                let is_recursive = self.body.iter().any(|(name, _)| *name == self.head.0);
                vec![vec![clause()]; usize::from(is_recursive)]
            }
            _ => Vec::new(),
        }
    }
}

type Bindings<'t> = Vec<(&'t str, Item)>;

struct Proof<'a> {
    program: &'a Program,
    shape: &'a Shape,
    left: usize,
}

impl<'a> Proof<'a> {
    /// Visits the solutions of goals until told to stop; false if it was.
    fn solve(
        &mut self,
        goals: &[&'a Goal],
        bindings: &Bindings<'a>,
        depth: usize,
        visit: &mut dyn FnMut(&Bindings<'a>) -> bool,
    ) -> bool {
        if goals.is_empty() {
            return visit(bindings);
        }
        if self.left == 0 || depth > MAX_DEPTH {
            return true;
        }
        self.left -= 1;
        // Comparisons and negations wait until their variables are known.
        let is_ready = |goal: &&&Goal| match goal {
            Goal::Atom { positive, atom } => *positive || is_bound(atom, bindings),
            Goal::Compare(a, Comparison::Equal, b) => {
                is_bound(a, bindings) || is_bound(b, bindings)
            }
            Goal::Compare(a, _, b) => is_bound(a, bindings) && is_bound(b, bindings),
            Goal::Count(.., bound) => is_bound(bound, bindings) && goals.len() == 1,
        };
        let Some(place) = goals.iter().position(|goal| is_ready(&goal)) else {
            let Some(Goal::Count(elements, comparison, bound)) = goals
                .iter()
                .find(|goal| matches!(goal, Goal::Count(.., bound) if is_bound(bound, bindings)))
            else {
                return true;
            };
            let rest: Vec<&Goal> = goals
                .iter()
                .filter(|goal| !matches!(goal, Goal::Count(own, ..) if own == elements))
                .copied()
                .collect();
            return !self.counts(elements, *comparison, bound, bindings, depth)
                || self.solve(&rest, bindings, depth, visit);
        };
        let mut rest = goals.to_vec();
        match rest.remove(place) {
            Goal::Compare(a, Comparison::Equal, b) => {
                let (known, other) = if is_bound(a, bindings) {
                    (a, b)
                } else {
                    (b, a)
                };
                let Some(value) = value(known, bindings) else {
                    return true;
                };
                let mut longer = bindings.clone();
                !unify(other, &value, &mut longer) || self.solve(&rest, &longer, depth, visit)
            }
            Goal::Compare(a, comparison, b) => {
                let order = value(a, bindings)
                    .zip(value(b, bindings))
                    .map(|(a, b)| a.cmp(&b));
                let holds = order.is_some_and(|order| comparison.holds(order));
                !holds || self.solve(&rest, bindings, depth, visit)
            }
            Goal::Count(elements, comparison, bound) => {
                !self.counts(elements, *comparison, bound, bindings, depth)
                    || self.solve(&rest, bindings, depth, visit)
            }
            Goal::Atom {
                positive: true,
                atom,
            } => self.each(atom, bindings, depth, &mut |own, longer| {
                own.solve(&rest, longer, depth, visit)
            }),
            Goal::Atom { atom, .. } => {
                let mut found = false;
                self.each(atom, bindings, depth, &mut |_, _| {
                    found = true;
                    false
                });
                found || self.solve(&rest, bindings, depth, visit)
            }
        }
    }

    fn counts(
        &mut self,
        elements: &'a [(Vec<Term>, Vec<Goal>)],
        comparison: Comparison,
        bound: &Term,
        bindings: &Bindings<'a>,
        depth: usize,
    ) -> bool {
        let mut tuples: Vec<Vec<Item>> = Vec::new();
        for (tuple, conditions) in elements {
            let conditions: Vec<&Goal> = conditions.iter().collect();
            self.solve(&conditions, bindings, depth + 1, &mut |found| {
                let items = tuple.iter().map(|term| value(term, found));
                let items = items.collect::<Option<Vec<Item>>>();
                if let Some(items) = items.filter(|items| !tuples.contains(items)) {
                    tuples.push(items);
                }
                true
            });
        }
        let n = Item::Int(i64::try_from(tuples.len()).unwrap_or(i64::MAX));
        value(bound, bindings).is_some_and(|bound| comparison.holds(n.cmp(&bound)))
    }

    /// Visits the ways to make an atom true, until told to stop; false if it was.
    fn each(
        &mut self,
        atom: &'a Term,
        bindings: &Bindings<'a>,
        depth: usize,
        visit: &mut dyn FnMut(&mut Self, &Bindings<'a>) -> bool,
    ) -> bool {
        let Term::Compound(name, args) = atom else {
            return true;
        };
        let mut rows = self.shape.tuples(name);
        match (&name[..], &args[..]) {
            ("vars", [_, vars]) => {
                // Any tuple; another goal determines it.
                if let Some(Item::Tuple(items)) = value(vars, bindings) {
                    let arity = i64::try_from(items.len()).unwrap_or(i64::MAX);
                    rows.push(vec![Item::Int(arity), Item::Tuple(items)]);
                }
            }
            ("var_member" | "var_pos", [_, vars, ..]) => {
                if let Some(Item::Tuple(items)) = value(vars, bindings) {
                    for (item, place) in items.iter().zip(0..) {
                        let mut row = vec![item.clone(), Item::Tuple(items.clone())];
                        row.extend((args.len() == 3).then_some(Item::Int(place)));
                        rows.push(row);
                    }
                }
            }
            _ => {}
        }
        let program = self.program;
        let facts = program.facts.iter().filter(|(own, _)| own == name);
        rows.extend(facts.map(|(_, args)| args.clone()));
        for row in rows.iter().filter(|row| row.len() == args.len()) {
            let mut longer = bindings.clone();
            let agree = args
                .iter()
                .zip(row)
                .all(|(arg, item)| unify(arg, item, &mut longer));
            if agree && !visit(self, &longer) {
                return false;
            }
        }
        for rule in &program.rules {
            let Some(Term::Compound(own, params)) = &rule.head else {
                continue;
            };
            if own != name || params.len() != args.len() {
                continue;
            }
            let mut inner = Bindings::default();
            let told = params.iter().zip(args).all(|(param, arg)| {
                value(arg, bindings).is_none_or(|item| unify(param, &item, &mut inner))
            });
            if !told {
                continue;
            }
            let body: Vec<&Goal> = rule.body.iter().collect();
            let mut answers = Vec::new();
            self.solve(&body, &inner, depth + 1, &mut |found| {
                let row = params.iter().map(|param| value(param, found));
                answers.extend(row.collect::<Option<Vec<Item>>>());
                true
            });
            for row in answers {
                let mut longer = bindings.clone();
                let agree = args
                    .iter()
                    .zip(&row)
                    .all(|(arg, item)| unify(arg, item, &mut longer));
                if agree && !visit(self, &longer) {
                    return false;
                }
            }
        }
        true
    }
}

fn lookup<'b>(name: &str, bindings: &'b Bindings<'_>) -> Option<&'b Item> {
    let known = bindings.iter().find(|(own, _)| *own == name);
    known.map(|(_, item)| item)
}

fn is_bound(term: &Term, bindings: &Bindings<'_>) -> bool {
    match term {
        Term::Int(_) => true,
        Term::Var(name) => lookup(name, bindings).is_some(),
        Term::Compound(_, args) => {
            let is_any = |arg: &Term| matches!(arg, Term::Var(name) if name == "_");
            args.iter()
                .all(|arg| !is_any(arg) && is_bound(arg, bindings))
        }
        Term::Sum(a, b) | Term::Difference(a, b) => is_bound(a, bindings) && is_bound(b, bindings),
    }
}

fn value(term: &Term, bindings: &Bindings<'_>) -> Option<Item> {
    let number = |term: &Term| match value(term, bindings) {
        Some(Item::Int(value)) => Some(value),
        _ => None,
    };
    match term {
        Term::Int(value) => Some(Item::Int(*value)),
        Term::Var(name) => lookup(name, bindings).cloned(),
        Term::Compound(name, args) => {
            let items = args.iter().map(|arg| value(arg, bindings));
            match (name.is_empty(), args.is_empty()) {
                (true, _) => items.collect::<Option<_>>().map(Item::Tuple),
                (false, true) => Some(Item::Name(name.clone())),
                (false, false) => None,
            }
        }
        Term::Sum(a, b) => number(a)?.checked_add(number(b)?).map(Item::Int),
        Term::Difference(a, b) => number(a)?.checked_sub(number(b)?).map(Item::Int),
    }
}

/// Makes a term a value, if it can be that.
fn unify<'t>(term: &'t Term, item: &Item, bindings: &mut Bindings<'t>) -> bool {
    match term {
        Term::Var(name) if name == "_" => true,
        Term::Var(name) => {
            if let Some(own) = lookup(name, bindings) {
                return own == item;
            }
            bindings.push((name, item.clone()));
            true
        }
        Term::Compound(name, args) if name.is_empty() => match item {
            Item::Tuple(items) if items.len() == args.len() => args
                .iter()
                .zip(items)
                .all(|(arg, item)| unify(arg, item, bindings)),
            _ => false,
        },
        other => value(other, bindings).is_some_and(|own| own.cmp(item) == Ordering::Equal),
    }
}
