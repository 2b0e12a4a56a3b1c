//! Bodies of clauses in numbers, and how they grow.

use kibitz_prolog::{Argument, Clause, Direction, Predicate, Symbol, SymbolTable};
use smallvec::SmallVec;

use super::vocabulary::{Call, Place, Vocabulary};
use crate::encoded::number;
use crate::eval::{Arg, EQUALS, Key, Lit, decode_clause, word};
use crate::task::{Bias, Task};

/// Most variables of a clause.
pub(super) const MAX_VARS: usize = 32;
/// A variable without a number yet, in keys: after all others.
const UNKNOWN: Arg = Arg::Var(u32::MAX);

/// The types of the variables of a clause.
type Kinds = SmallVec<[Symbol; 8]>;

/// The arguments of a literal that is not complete.
type Args = SmallVec<[Arg; 4]>;

/// The body of a clause, made of modes, in an order in which it can be called; the head's arguments are
/// its first variables.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) lits: Vec<Lit>,
    /// The types of the variables.
    kinds: Kinds,
    /// The variables that have values after the body, as bits.
    bound: u32,
}

/// What clauses may look like.
pub(super) struct Language<'t> {
    symbols: &'t SymbolTable,
    bias: &'t Bias,
    /// The arguments of the head.
    head: Vec<Arg>,
    vocabulary: Vocabulary,
    max_vars: usize,
}

/// The bodies with one more literal than another.
pub(super) struct Growth {
    pub(super) bodies: Vec<Body>,
    /// How many literals may still be looked at.
    n_left: usize,
    /// Whether there are more literals than may be looked at.
    pub(super) is_cut: bool,
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
        task: &Task,
        symbols: &'t SymbolTable,
        bias: &'t Bias,
        max_vars: usize,
    ) -> Self {
        let arity = bias.head.predicate.arity;
        Self {
            symbols,
            bias,
            head: (0..number(arity)).map(Arg::Var).collect(),
            vocabulary: Vocabulary::new(task, bias),
            max_vars: max_vars.min(MAX_VARS),
        }
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
        &self.vocabulary.calls[lit.relation as usize]
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

    /// The bodies with one more literal and at most `max_recursive` recursive ones. A predicate of many
    /// arguments has more literals than memory holds: at most `max` are looked at.
    pub(super) fn grow(&self, body: &Body, max_recursive: usize, max: usize) -> Growth {
        let mut growth = Growth {
            bodies: Vec::new(),
            n_left: max,
            is_cut: false,
        };
        let n_recursive = self.n_recursive(body);
        for (mode, call) in (0u32..).zip(&self.vocabulary.calls) {
            if call.is_recursive && n_recursive >= max_recursive {
                continue;
            }
            let mut kinds = body.kinds.clone();
            self.fill(mode, body, &mut kinds, &mut Args::new(), &mut growth);
        }
        growth
    }

    /// Fills the next place of a literal after a body in every way. The types are those of the variables
    /// of both.
    fn fill(
        &self,
        mode: u32,
        body: &Body,
        kinds: &mut Kinds,
        args: &mut Args,
        growth: &mut Growth,
    ) {
        if growth.is_cut {
            return;
        }
        let call = &self.vocabulary.calls[mode as usize];
        let place = args.len();
        let Some(&(what, kind)) = call.places.get(place) else {
            growth.is_cut = growth.n_left == 0;
            if growth.is_cut {
                return;
            }
            growth.n_left -= 1;
            let lit = Lit {
                relation: mode,
                args: args[..].into(),
                positive: call.is_positive,
            };
            if self.is_sensible(body, &lit, kinds) {
                let bound = lit.vars().fold(body.bound, |bits, var| bits | 1 << var);
                let mut lits = Vec::with_capacity(body.lits.len() + 1);
                lits.extend(body.lits.iter().cloned());
                lits.push(lit);
                growth.bodies.push(Body {
                    lits,
                    kinds: kinds.clone(),
                    bound,
                });
            }
            return;
        };
        if what == Place::Constant {
            for &constant in &call.constants[place] {
                args.push(Arg::Const(constant));
                self.fill(mode, body, kinds, args, growth);
                args.pop();
            }
            return;
        }
        for var in 0..kinds.len() {
            let has_value = body.bound >> var & 1 == 1;
            if kinds[var] != kind || (what == Place::Bound && !has_value) {
                continue;
            }
            args.push(Arg::Var(number(var)));
            self.fill(mode, body, kinds, args, growth);
            args.pop();
        }
        if what == Place::Any && kinds.len() < self.max_vars {
            args.push(Arg::Var(number(kinds.len())));
            kinds.push(kind);
            self.fill(mode, body, kinds, args, growth);
            args.pop();
            kinds.pop();
        }
    }

    /// Whether a literal after a body may say something.
    fn is_sensible(&self, body: &Body, lit: &Lit, kinds: &Kinds) -> bool {
        if body.lits.contains(lit) {
            return false;
        }
        let is_known = |var: u32| (var as usize) < body.kinds.len();
        let call = self.call(lit);
        if call.is_recursive {
            // A call like the head's, or one that hands on no argument that is new.
            let n_head = self.bias.head.predicate.arity;
            return (lit.vars()).any(|var| var as usize >= n_head && is_known(var));
        }
        let is_apart = lit.vars().next().is_some() && !lit.vars().any(is_known);
        let is_input = |var: u32| self.vocabulary.is_input(kinds[var as usize]);
        if is_apart && !lit.vars().any(is_input) {
            return false;
        }
        if call.is_equation() {
            let same = |own: &Lit| self.call(own).is_equation() && own.args[0] == lit.args[0];
            return !body.lits.iter().any(same);
        }
        true
    }

    /// A name of a body that does not depend on the order of its literals, as far as it is cheap.
    pub(super) fn key(&self, body: &Body) -> Key {
        let mut names: SmallVec<[Arg; MAX_VARS]> = SmallVec::from_slice(&self.head);
        names.resize(body.kinds.len(), UNKNOWN);
        let mut next = number(self.head.len());
        let mut left: Vec<&Lit> = body.lits.iter().collect();
        let mut key: SmallVec<[u32; 32]> = SmallVec::new();
        while !left.is_empty() {
            let rank = |lit: &Lit| {
                let name = |arg: &Arg| arg.var().map_or(*arg, |var| names[var as usize]);
                let args: Args = lit.args.iter().map(name).collect();
                let n_unknown = args.iter().filter(|arg| **arg == UNKNOWN).count();
                (n_unknown, lit.relation, args)
            };
            let first = (0..left.len()).min_by_key(|&i| rank(left[i])).unwrap_or(0);
            let lit = left.remove(first);
            key.push(lit.relation);
            for &arg in &*lit.args {
                if let Arg::Var(var) = arg
                    && names[var as usize] == UNKNOWN
                {
                    names[var as usize] = Arg::Var(next);
                    next += 1;
                }
                let name = arg.var().map_or(arg, |var| names[var as usize]);
                key.push(word(name, |var| var));
            }
        }
        key[..].into()
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
            let is_ready = needs.all(|(arg, _)| arg.var().is_none_or(|var| bound >> var & 1 == 1));
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
            let count = &mut counts[var as usize];
            *count = count.saturating_add(1);
        }
        let new = counts.iter().skip(self.bias.head.predicate.arity);
        new.filter(|count| **count == 1).count()
    }

    /// Whether new variables occur twice, but for one beside two others in a literal.
    pub(super) fn has_few_singletons(&self, body: &Body) -> bool {
        let n_head = self.bias.head.predicate.arity;
        let n_uses = |var: u32| {
            let vars = body.lits.iter().flat_map(Lit::vars);
            vars.filter(|own| *own == var).count()
        };
        let is_single = |var: &u32| *var as usize >= n_head && n_uses(*var) == 1;
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
        self.decode(parts.free.into_iter().chain(parts.waiting))
    }

    /// The clause without its recursive literals and what needs their answers: it covers at least the
    /// examples that the clause covers in any theory.
    pub(super) fn relaxed(&self, body: &Body) -> Clause {
        self.decode(self.parts(body).free.into_iter())
    }

    fn decode<'b>(&self, lits: impl Iterator<Item = &'b Lit>) -> Clause {
        let lits = lits.map(|lit| {
            if self.call(lit).is_equation() {
                Lit {
                    relation: EQUALS,
                    ..lit.clone()
                }
            } else {
                lit.clone()
            }
        });
        let lits: Vec<Lit> = lits.collect();
        let Predicate { name, .. } = self.bias.head.predicate;
        let vocabulary = &self.vocabulary;
        decode_clause(name, &self.head, &lits, &vocabulary.constants, |mode| {
            vocabulary.calls[mode as usize].predicate.name
        })
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::print_clause;

    use super::*;
    use crate::task::Source;

    /// Clauses of two literals by the key of their bodies.
    fn clauses_by_key(negation: bool) -> std::collections::BTreeMap<Key, Vec<String>> {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source("exs.pl", "pos(p(a,b)). neg(p(b,a))."),
            source("bk.pl", "q(a,b). r(a)."),
            source("bias.pl", "head_pred(p,2). body_pred(q,2). body_pred(r,1)."),
        )
        .expect("a task");
        task.bias.negation = negation;
        let language = Language::new(&task, &task.symbols, &task.bias, 3);
        let mut by_key = std::collections::BTreeMap::<Key, Vec<String>>::new();
        let grow = |body: &Body| language.grow(body, 0, usize::MAX).bodies;
        for body in grow(&language.root()).iter().flat_map(grow) {
            let clause = language.clause(&body).normalized();
            let text = print_clause(&clause, &task.symbols).to_string();
            by_key.entry(language.key(&body)).or_default().push(text);
        }
        by_key
    }

    #[test]
    fn the_key_is_that_of_the_literals_in_any_order() {
        let by_key = clauses_by_key(false);
        let key_of = |text: &str| {
            let mut keys = by_key
                .iter()
                .filter(|(_, own)| own.iter().any(|own| own == text));
            keys.next().map(|(key, own)| (key, own.len()))
        };
        let joined = key_of("p(A,B) :- q(A,B), r(A).");
        assert!(joined.is_some_and(|(_, n)| n == 2), "{by_key:?}");
        assert_eq!(joined, key_of("p(A,B) :- r(A), q(A,B)."));
        assert_ne!(joined, key_of("p(A,B) :- q(B,A), r(A)."));
        assert_ne!(joined, key_of("p(A,B) :- q(A,B), r(B)."));
    }

    #[test]
    fn a_negated_literal_has_another_key() {
        let by_key = clauses_by_key(true);
        let mut of_both = by_key.values().filter(|own| {
            let mut own = own.iter();
            own.any(|text| text == "p(A,B) :- q(A,B), \\+ r(A).")
        });
        let own = of_both.next().expect("a negated literal");
        assert!(own.iter().all(|text| text.contains("\\+ r(A)")), "{own:?}");
    }
}
