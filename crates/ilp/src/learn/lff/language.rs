//! Bodies of clauses in numbers, and how they grow.

use kibitz_prolog::{
    Argument, Atom, Clause, Direction, Literal, Mode, Predicate, Symbol, SymbolTable, Term,
};
use smallvec::SmallVec;

use crate::task::{Bias, Task};

/// Most variables of a clause.
pub(super) const MAX_VARS: usize = 32;
/// A variable without a number yet, in keys.
const UNKNOWN: Arg = Arg::Var(u8::MAX);

/// An argument of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Arg {
    Var(u8),
    Const(u16),
}

/// A literal: a way to call a predicate, with arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Lit {
    mode: u16,
    args: SmallVec<[Arg; 4]>,
}

impl Lit {
    fn vars(&self) -> impl Iterator<Item = u8> {
        self.args.iter().filter_map(|arg| match arg {
            Arg::Var(var) => Some(*var),
            Arg::Const(_) => None,
        })
    }
}

/// The body of a clause, in an order in which it can be called; the head's arguments are its first
/// variables.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) lits: Vec<Lit>,
    /// The types of the variables.
    kinds: SmallVec<[Symbol; 8]>,
    /// The variables that have values after the body, as bits.
    bound: u32,
}

/// What may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A variable that has a value.
    Bound,
    /// A variable of the clause, with a value or without.
    Known,
    /// Any variable.
    Any,
    /// A constant.
    Constant,
}

/// A way to call a predicate.
struct Call {
    predicate: Predicate,
    is_positive: bool,
    is_recursive: bool,
    places: Vec<(Place, Symbol)>,
    /// The constants of each place, by number.
    constants: Vec<Vec<u16>>,
}

impl Call {
    /// Whether it says that a variable is a constant.
    fn is_equation(&self) -> bool {
        self.predicate.name == Symbol::EQUALS
    }
}

/// What clauses may look like.
pub(super) struct Language<'t> {
    task: &'t Task,
    symbols: &'t SymbolTable,
    bias: &'t Bias,
    calls: Vec<Call>,
    constants: Vec<Term>,
    /// The types of places that take variables with values only.
    inputs: Vec<Symbol>,
    max_vars: usize,
}

/// The literals of a body with recursion, in groups.
struct Parts<'b> {
    /// Those that need no answer of a recursive literal.
    free: Vec<&'b Lit>,
    /// The recursive literals and those that need their answers, as they can be called.
    waiting: Vec<&'b Lit>,
}

impl<'t> Language<'t> {
    /// The clauses that a bias allows, over symbols that are those of the task or more.
    pub(super) fn new(
        task: &'t Task,
        symbols: &'t SymbolTable,
        bias: &'t Bias,
        max_vars: usize,
    ) -> Self {
        let target = bias.head.predicate;
        let mut language = Self {
            task,
            symbols,
            bias,
            calls: Vec::new(),
            constants: Vec::new(),
            inputs: Vec::new(),
            max_vars: max_vars.min(MAX_VARS),
        };
        let is_allowed = |mode: &&Mode| mode.predicate != target || bias.recursion;
        for mode in bias.body.iter().filter(is_allowed) {
            let place = |direction| match direction {
                Direction::In => Place::Bound,
                Direction::Out => Place::Any,
                Direction::Constant => Place::Constant,
            };
            let places = mode.arguments.iter();
            let places: Vec<_> = places.map(|it| (place(it.direction), it.kind)).collect();
            language.add(mode.predicate, true, places.clone());
            if bias.negation && mode.predicate != target {
                let bound = |(place, kind)| match place {
                    Place::Constant => (place, kind),
                    _ => (Place::Bound, kind),
                };
                language.add(
                    mode.predicate,
                    false,
                    places.into_iter().map(bound).collect(),
                );
            }
        }
        for set in &bias.constants {
            let predicate = Predicate {
                name: Symbol::EQUALS,
                arity: 2,
            };
            let places = vec![(Place::Known, set.kind), (Place::Constant, set.kind)];
            let constants = set.constants.iter().cloned();
            let numbers = constants.filter_map(|term| language.number(term)).collect();
            language.calls.push(Call {
                predicate,
                is_positive: true,
                is_recursive: false,
                places,
                constants: vec![Vec::new(), numbers],
            });
        }
        let places = language.calls.iter().flat_map(|call| &call.places);
        let inputs = places.filter(|(place, _)| *place == Place::Bound);
        language.inputs = inputs.map(|(_, kind)| *kind).collect();
        language
    }

    fn add(&mut self, predicate: Predicate, is_positive: bool, places: Vec<(Place, Symbol)>) {
        let constants = places.iter().map(|(place, kind)| match place {
            Place::Constant => {
                let terms = self.task.constants_of(*kind).into_iter();
                terms.filter_map(|term| self.number(term)).collect()
            }
            _ => Vec::new(),
        });
        let constants = constants.collect();
        self.calls.push(Call {
            predicate,
            is_positive,
            is_recursive: predicate == self.bias.head.predicate,
            places,
            constants,
        });
    }

    /// The number of a constant; `None` if there are too many.
    fn number(&mut self, term: Term) -> Option<u16> {
        let known = self.constants.iter().position(|own| *own == term);
        let number = known.unwrap_or_else(|| {
            self.constants.push(term);
            self.constants.len() - 1
        });
        u16::try_from(number).ok()
    }

    /// The body without literals.
    pub(super) fn root(&self) -> Body {
        let head = &self.bias.head.arguments;
        let is_bound = |i: &usize| head[*i].direction != Direction::Out;
        let bound = (0..head.len()).filter(is_bound);
        Body {
            lits: Vec::new(),
            kinds: head.iter().map(|argument| argument.kind).collect(),
            bound: bound.fold(0, |bits, i| bits | 1 << i),
        }
    }

    fn call(&self, lit: &Lit) -> &Call {
        &self.calls[usize::from(lit.mode)]
    }

    fn is_recursive(&self, lit: &Lit) -> bool {
        self.call(lit).is_recursive
    }

    /// Whether the last literal of a body is recursive or needs the answer of one that is.
    pub(super) fn ends_in_waiting(&self, body: &Body) -> bool {
        let parts = self.parts(body);
        let last = body.lits.last();
        last.is_some_and(|last| !parts.free.iter().any(|free| std::ptr::eq(*free, last)))
    }

    /// Calls `visit` for every body with one more literal, and with at most so many recursive ones.
    pub(super) fn grow(&self, body: &Body, max_recursive: usize, visit: &mut impl FnMut(Body)) {
        let n_recursive = self.n_recursive(body);
        for (mode, call) in (0u16..).zip(&self.calls) {
            if call.is_recursive && n_recursive >= max_recursive {
                continue;
            }
            let mut next = body.clone();
            next.lits.push(Lit {
                mode,
                args: SmallVec::new(),
            });
            self.fill(call, body, &mut next, visit);
        }
    }

    /// Fills the next place of the last literal in every way.
    fn fill(&self, call: &Call, body: &Body, next: &mut Body, visit: &mut impl FnMut(Body)) {
        let last = next.lits.len() - 1;
        let place = next.lits[last].args.len();
        let Some(&(what, kind)) = call.places.get(place) else {
            if self.is_sensible(call, body, next) {
                let mut whole = next.clone();
                let vars = next.lits[last].vars();
                whole.bound |= vars.fold(0, |bits, var| bits | 1 << var);
                visit(whole);
            }
            return;
        };
        if what == Place::Constant {
            for &constant in &call.constants[place] {
                next.lits[last].args.push(Arg::Const(constant));
                self.fill(call, body, next, visit);
                next.lits[last].args.pop();
            }
            return;
        }
        for var in 0..next.kinds.len() {
            let has_value = body.bound >> var & 1 == 1;
            if next.kinds[var] != kind || (what == Place::Bound && !has_value) {
                continue;
            }
            next.lits[last].args.push(Arg::Var(number(var)));
            self.fill(call, body, next, visit);
            next.lits[last].args.pop();
        }
        if what == Place::Any && next.kinds.len() < self.max_vars {
            let var = number(next.kinds.len());
            next.kinds.push(kind);
            next.lits[last].args.push(Arg::Var(var));
            self.fill(call, body, next, visit);
            next.lits[last].args.pop();
            next.kinds.pop();
        }
    }

    /// Whether the last literal of a body may say something.
    fn is_sensible(&self, call: &Call, body: &Body, next: &Body) -> bool {
        let Some(lit) = next.lits.last() else {
            return false;
        };
        if body.lits.contains(lit) {
            return false;
        }
        if call.is_recursive {
            // A call like the head's, or one that hands on no argument that is new.
            let n_head = self.bias.head.predicate.arity;
            let is_new =
                |var: u8| usize::from(var) >= n_head && usize::from(var) < body.kinds.len();
            return lit.vars().any(is_new);
        }
        let is_known = |var: u8| usize::from(var) < body.kinds.len();
        let is_apart = lit.vars().next().is_some() && !lit.vars().any(is_known);
        if is_apart && !lit.vars().any(|var| self.is_input(next, var)) {
            return false;
        }
        if call.is_equation() {
            let same = |own: &&Lit| self.call(own).is_equation() && own.args[0] == lit.args[0];
            return !body.lits.iter().any(|own| same(&own));
        }
        true
    }

    /// Whether some literal needs a value for a variable of this type: it may be the first that joins it to
    /// the head. Other literals are found when they are joined.
    fn is_input(&self, body: &Body, var: u8) -> bool {
        let kind = body.kinds[usize::from(var)];
        self.inputs.contains(&kind)
    }

    /// A name of a body that does not depend on the order of its literals, as far as it is cheap.
    pub(super) fn key(&self, body: &Body) -> Vec<Lit> {
        let mut names: SmallVec<[Option<u8>; MAX_VARS]> =
            SmallVec::from_elem(None, body.kinds.len());
        let n_head = self.bias.head.predicate.arity;
        for (var, name) in names.iter_mut().enumerate().take(n_head) {
            *name = Some(number(var));
        }
        let mut next = number(n_head);
        let mut left: Vec<&Lit> = body.lits.iter().collect();
        let mut key = Vec::with_capacity(left.len());
        let named = |lit: &Lit, names: &[Option<u8>]| -> SmallVec<[Arg; 4]> {
            let name = |arg: &Arg| match arg {
                Arg::Var(var) => names[usize::from(*var)].map_or(UNKNOWN, Arg::Var),
                Arg::Const(_) => *arg,
            };
            lit.args.iter().map(name).collect()
        };
        while !left.is_empty() {
            let rank = |lit: &Lit| {
                let args = named(lit, &names);
                let n_unknown = args.iter().filter(|arg| **arg == UNKNOWN).count();
                (n_unknown, lit.mode, args)
            };
            let first = (0..left.len()).min_by_key(|&i| rank(left[i])).unwrap_or(0);
            let lit = left.remove(first);
            for var in lit.vars() {
                let name = &mut names[usize::from(var)];
                if name.is_none() {
                    *name = Some(next);
                    next += 1;
                }
            }
            key.push(Lit {
                mode: lit.mode,
                args: named(lit, &names),
            });
        }
        key
    }

    fn parts<'b>(&self, body: &'b Body) -> Parts<'b> {
        let mut bound = self.root().bound;
        let mut parts = Parts {
            free: Vec::new(),
            waiting: Vec::new(),
        };
        for lit in &body.lits {
            let call = self.call(lit);
            let needs = lit.args.iter().zip(&call.places);
            let mut needs = needs.filter(|(_, (place, _))| *place == Place::Bound);
            let is_ready = needs.all(|(arg, _)| match arg {
                Arg::Var(var) => bound >> var & 1 == 1,
                Arg::Const(_) => true,
            });
            if is_ready && !call.is_recursive {
                parts.free.push(lit);
                bound = lit.vars().fold(bound, |bits, var| bits | 1 << var);
            } else {
                parts.waiting.push(lit);
            }
        }
        parts
    }

    /// Whether a body may stand in a theory: it gives values to the outputs of the head, in a recursive
    /// theory it says something of every argument, all its literals are joined to the head, and the bias
    /// permits it.
    pub(super) fn is_whole(&self, body: &Body) -> bool {
        let n_head = self.bias.head.predicate.arity;
        let used = (body.lits.iter().flat_map(Lit::vars)).fold(0u64, |bits, var| bits | 1 << var);
        let head = (1u64 << n_head) - 1;
        let arguments = self.bias.head.arguments.iter().enumerate();
        let needs = |own: &Argument| self.bias.recursion || own.direction == Direction::Out;
        let needed = arguments.filter(|(_, own)| needs(own));
        if needed.fold(0u64, |bits, (var, _)| bits | 1 << var) & !used != 0 {
            return false;
        }
        let mut joined = head;
        loop {
            let bits = body
                .lits
                .iter()
                .map(|lit| lit.vars().fold(0u64, |bits, var| bits | 1 << var));
            let more = bits
                .filter(|bits| bits & joined != 0)
                .fold(joined, |all, bits| all | bits);
            if more == joined {
                break;
            }
            joined = more;
        }
        joined & used == used && {
            (self.bias.constraints).permit(&self.clause(body), self.symbols)
        }
    }

    /// Whether literals that are added may lead to a clause that the bias permits.
    pub(super) fn is_permitted(&self, body: &Body) -> bool {
        let constraints = &self.bias.constraints;
        constraints.is_empty() || constraints.permit_beginning(&self.clause(body), self.symbols)
    }

    /// The new variables that occur once.
    pub(super) fn n_singletons(&self, body: &Body) -> usize {
        let mut counts = [0u8; MAX_VARS];
        for var in body.lits.iter().flat_map(Lit::vars) {
            counts[usize::from(var)] = counts[usize::from(var)].saturating_add(1);
        }
        let new = counts.iter().skip(self.bias.head.predicate.arity);
        new.filter(|count| **count == 1).count()
    }

    /// Whether new variables occur twice, but for one beside two others in a literal.
    pub(super) fn has_few_singletons(&self, body: &Body) -> bool {
        let n_head = self.bias.head.predicate.arity;
        let n_uses = |var: u8| {
            let vars = body.lits.iter().flat_map(Lit::vars);
            vars.filter(|own| *own == var).count()
        };
        let is_single = |var: &u8| usize::from(*var) >= n_head && n_uses(*var) == 1;
        let mut n_single = 0;
        body.lits.iter().all(|lit| {
            let n = lit.vars().filter(is_single).count();
            n_single += n;
            n == 0 || (lit.args.len() > 2 && n_single == 1)
        })
    }

    /// How many literals call the target.
    pub(super) fn n_recursive(&self, body: &Body) -> usize {
        let lits = body.lits.iter();
        lits.filter(|lit| self.is_recursive(lit)).count()
    }

    /// The clause, with what calls the target as late as its answers are needed.
    pub(super) fn clause(&self, body: &Body) -> Clause {
        let parts = self.parts(body);
        self.decode(body, parts.free.into_iter().chain(parts.waiting))
    }

    /// The clause without its recursive literals and what needs their answers: it covers at least the
    /// examples that the clause covers in any theory.
    pub(super) fn relaxed(&self, body: &Body) -> Clause {
        self.decode(body, self.parts(body).free.into_iter())
    }

    fn decode<'b>(&self, body: &Body, lits: impl Iterator<Item = &'b Lit>) -> Clause {
        let vars = (0u32..).map(Term::var);
        let mut terms: Vec<Term> = vars.take(body.kinds.len()).collect();
        let constant = |arg: &Arg| match arg {
            Arg::Const(constant) => self.constants.get(usize::from(*constant)).cloned(),
            Arg::Var(_) => None,
        };
        let lits: Vec<&Lit> = lits.collect();
        let is_equation = |lit: &&&Lit| self.call(lit).is_equation();
        for lit in lits.iter().filter(is_equation) {
            if let (Arg::Var(var), Some(value)) = (lit.args[0], constant(&lit.args[1])) {
                terms[usize::from(var)] = value;
            }
        }
        let head = Atom::new(
            self.bias.head.predicate.name,
            terms.iter().take(self.bias.head.predicate.arity).cloned(),
        );
        let literal = |lit: &&Lit| {
            let call = self.call(lit);
            let args = lit.args.iter().filter_map(|arg| match arg {
                Arg::Var(var) => terms.get(usize::from(*var)).cloned(),
                Arg::Const(_) => constant(arg),
            });
            Literal {
                positive: call.is_positive,
                atom: Atom::new(call.predicate.name, args),
            }
        };
        let body = lits.iter().filter(|lit| !is_equation(lit)).map(literal);
        Clause::new(head, body.collect())
    }
}

fn number(var: usize) -> u8 {
    u8::try_from(var).unwrap_or(u8::MAX)
}
