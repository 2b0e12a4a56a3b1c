//! The order in which the literals of a clause are read.

use indexmap::IndexMap;
use kibitz_prolog::{Clause, Direction, Literal, Predicate, Var};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::task::Task;

/// Puts the literals of clauses in the order of a reader: each next one has variables of the head or of
/// the literals before it.
///
/// Only literals change places whose order changes neither the answers of the body, nor whether a proof
/// ends, nor whether it meets an error: see [`Mobility`]. Their inputs stay bound.
pub(crate) struct ReadingOrder<'t> {
    task: &'t Task,
    /// The predicates of the background.
    defined: FxHashSet<Predicate>,
    /// Its rules.
    rules: FxHashMap<Predicate, Vec<&'t Clause>>,
    mobility: FxHashMap<Predicate, Mobility>,
    /// The predicates that the theory defines.
    own: FxHashSet<Predicate>,
    /// What a call of these is: risky where one of the clauses is.
    own_calls: Mobility,
    /// Whether there are such calls.
    is_recursive: bool,
}

/// Which literals may change places with a literal, by what a proof of it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mobility {
    /// It has the same answers everywhere, and always ends: facts, and rules over such predicates without
    /// recursion. It moves between two literals of another kind.
    Free,
    /// Its answers depend on what is bound, or on the clauses of the theory: tests of terms, negation,
    /// calls of the target. It stays, and nothing moves across it. In a theory that calls nothing of its
    /// own, arguments of the head are always known: there a negated literal without other variables moves
    /// behind a literal that has them.
    Fixed,
    /// It may raise an error, or not end. Nothing before it moves, since other answers would reach it
    /// first, and the error end the proof before the answer that succeeds.
    Risky,
}

impl Mobility {
    /// What a literal is at least: negation depends on what is bound.
    fn of_sign(literal: &Literal) -> Self {
        if literal.positive {
            Self::Free
        } else {
            Self::Fixed
        }
    }
}

/// The predicates built in that depend on what is bound, and raise no error.
const TESTS: [(&str, usize); 19] = [
    ("!", 0),
    ("true", 0),
    ("=", 2),
    ("\\=", 2),
    ("==", 2),
    ("\\==", 2),
    ("@<", 2),
    ("@=<", 2),
    ("@>", 2),
    ("@>=", 2),
    ("var", 1),
    ("nonvar", 1),
    ("atom", 1),
    ("number", 1),
    ("integer", 1),
    ("float", 1),
    ("atomic", 1),
    ("compound", 1),
    ("ground", 1),
];

/// Variables in the order in which they appear.
type Known = IndexMap<Var, usize, FxBuildHasher>;

impl<'t> ReadingOrder<'t> {
    pub(crate) fn new(task: &'t Task) -> Self {
        let mut rules: FxHashMap<Predicate, Vec<&Clause>> = FxHashMap::default();
        let mut defined = FxHashSet::default();
        let mut last = None;
        for clause in &task.background {
            let predicate = clause.head.predicate();
            // The clauses of a predicate follow one another in most files.
            if last.replace(predicate) != Some(predicate) {
                defined.insert(predicate);
            }
            if !clause.body.is_empty() {
                rules.entry(predicate).or_default().push(clause);
            }
        }
        let mut mobility = FxHashMap::default();
        for (name, arity) in TESTS {
            if let Some(name) = task.symbols.get(name) {
                mobility.insert(Predicate { name, arity }, Mobility::Fixed);
            }
        }
        Self {
            task,
            defined,
            rules,
            mobility,
            own: std::iter::once(task.target).collect(),
            own_calls: Mobility::Fixed,
            is_recursive: false,
        }
    }

    /// The clauses of a theory, each in the order of a reader. Where one of them may raise an error, so may
    /// every call of the theory.
    pub(crate) fn of_theory(mut self, clauses: &[Clause]) -> Vec<Clause> {
        let heads = clauses.iter().map(|clause| clause.head.predicate());
        self.own.extend(heads);
        let mut literals = clauses.iter().flat_map(|clause| &clause.body);
        if literals.any(|literal| self.of_literal(literal) == Mobility::Risky) {
            self.own_calls = Mobility::Risky;
        }
        let mut called = (clauses.iter().flat_map(|clause| &clause.body))
            .map(|literal| literal.atom.predicate());
        self.is_recursive = called.any(|predicate| self.own.contains(&predicate));
        clauses.iter().map(|clause| self.of(clause)).collect()
    }

    /// The clause with its literals in the order of a reader, and its variables named in this order; the
    /// same clause if it is in this order.
    pub(crate) fn of(&mut self, clause: &Clause) -> Clause {
        if clause.body.len() < 2 {
            return clause.clone();
        }
        let mobilities = clause.body.iter().map(|own| self.of_literal(own));
        let mobilities: Vec<Mobility> = mobilities.collect();
        let last_risky = mobilities.iter().rposition(|own| *own == Mobility::Risky);
        let n_kept = last_risky.map_or(0, |place| place + 1);
        let mut known = Known::default();
        clause.head.for_each_var(&mut |var| note(&mut known, var));
        // As they become known in the order that is given.
        let mut given = known.clone();
        let mut body: Vec<Literal> = Vec::with_capacity(clause.body.len());
        let mut movable: Vec<&Literal> = Vec::new();
        for (place, literal) in clause.body.iter().enumerate() {
            let moves = match mobilities[place] {
                Mobility::Free => true,
                Mobility::Fixed => self.is_settled_negation(literal, clause, &given),
                Mobility::Risky => false,
            };
            literal.atom.for_each_var(&mut |var| note(&mut given, var));
            if place >= n_kept && moves {
                movable.push(literal);
                continue;
            }
            self.place(&mut movable, &mut known, &mut body);
            literal.atom.for_each_var(&mut |var| note(&mut known, var));
            body.push(literal.clone());
        }
        self.place(&mut movable, &mut known, &mut body);
        if body == clause.body {
            return clause.clone();
        }
        Clause::new(clause.head.clone(), body).normalized()
    }

    /// Takes literals in the order of a reader.
    fn place(&self, left: &mut Vec<&Literal>, known: &mut Known, body: &mut Vec<Literal>) {
        while !left.is_empty() {
            let keys = (left.iter()).map(|own| (is_early(own, body), self.key(own, known)));
            let first = keys.enumerate().min_by(|a, b| a.1.cmp(&b.1));
            let literal = left.remove(first.map_or(0, |(place, _)| place));
            literal.atom.for_each_var(&mut |var| note(known, var));
            body.push(literal.clone());
        }
    }

    /// What is read next has the least: inputs that are bound, a known variable, the first of them, no
    /// new ones, and those known for longest.
    fn key(&self, literal: &Literal, known: &Known) -> (bool, bool, bool, bool, Vec<usize>) {
        let mut vars = Vec::new();
        literal.atom.for_each_var(&mut |var| vars.push(var));
        let places = vars.iter().map(|var| known.get(var).copied());
        let places: Vec<Option<usize>> = places.collect();
        let is_apart = !places.is_empty() && places.iter().all(Option::is_none);
        let starts_new = places.first().is_some_and(Option::is_none);
        let has_new = places.iter().any(Option::is_none);
        let places = places.into_iter().map(|own| own.unwrap_or(usize::MAX));
        (
            !self.is_bound(literal, known),
            is_apart,
            starts_new,
            has_new,
            places.collect(),
        )
    }

    /// Whether the inputs of one of its modes are known.
    fn is_bound(&self, literal: &Literal, known: &Known) -> bool {
        let predicate = literal.atom.predicate();
        let mut modes = (self.task.bias.body.iter())
            .filter(|mode| mode.predicate == predicate)
            .peekable();
        modes.peek().is_none()
            || modes.any(|mode| {
                mode.places(Direction::In).all(|place| {
                    let mut is_known = true;
                    literal.atom.args[place].for_each_var(&mut |var| {
                        is_known &= known.contains_key(&var);
                    });
                    is_known
                })
            })
    }

    /// Whether it is the negation of a literal that may move, without variables but known ones: its answer
    /// is the same wherever these are known.
    fn is_settled_negation(&mut self, literal: &Literal, clause: &Clause, given: &Known) -> bool {
        let predicate = literal.atom.predicate();
        let mut called = clause.body.iter().map(|own| own.atom.predicate());
        // Calls may leave arguments of the head without values.
        let is_recursive = self.is_recursive || called.any(|own| self.own.contains(&own));
        let mut is_known = true;
        literal
            .atom
            .for_each_var(&mut |var| is_known &= given.contains_key(&var));
        !literal.positive
            && !is_recursive
            && is_known
            && self.of_predicate(predicate) == Mobility::Free
    }

    fn of_literal(&mut self, literal: &Literal) -> Mobility {
        let predicate = literal.atom.predicate();
        let own = if self.own.contains(&predicate) {
            self.own_calls
        } else {
            self.of_predicate(predicate)
        };
        own.max(Mobility::of_sign(literal))
    }

    /// Of a predicate that the theory does not define.
    fn of_predicate(&mut self, predicate: Predicate) -> Mobility {
        if let Some(known) = self.mobility.get(&predicate) {
            return *known;
        }
        // A call of itself finds this. What has no clauses is built in, or a relation of the program.
        self.mobility.insert(predicate, Mobility::Risky);
        if !self.defined.contains(&predicate) || predicate == self.task.target {
            return Mobility::Risky;
        }
        let rules = self.rules.get(&predicate).cloned().unwrap_or_default();
        let mut mobility = Mobility::Free;
        for literal in rules.iter().flat_map(|rule| &rule.body) {
            let own = self.of_predicate(literal.atom.predicate());
            mobility = mobility.max(own).max(Mobility::of_sign(literal));
        }
        self.mobility.insert(predicate, mobility);
        mobility
    }
}

/// Whether it is negated, and has a variable that no literal before it has: for a head without values it
/// would ask whether there is no answer at all.
fn is_early(literal: &Literal, before: &[Literal]) -> bool {
    let mut has = FxHashSet::default();
    for own in before {
        own.atom.for_each_var(&mut |var| {
            has.insert(var);
        });
    }
    let mut is_early = false;
    literal
        .atom
        .for_each_var(&mut |var| is_early |= !has.contains(&var));
    !literal.positive && is_early
}

fn note(known: &mut Known, var: Var) {
    let next = known.len();
    known.entry(var).or_insert(next);
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::{print_clause, read_clauses};

    use super::*;
    use crate::Source;

    fn task() -> Task {
        let source = |name, text| Source { name, text };
        Task::from_popper(
            source("exs.pl", "pos(g(a,c)). neg(g(c,a))."),
            source(
                "bk.pl",
                "p(a,b). p(b,c). q(a). q(b). r(X,Y) :- p(X,Y), q(X). s(X,Y) :- p(X,Z), s(Z,Y).
                 s(X,Y) :- p(X,Y). n(X) :- q(X), \\+ p(X,X). in(a,b). o(b). g(c,c).",
            ),
            source(
                "bias.pl",
                "head_pred(g,2). body_pred(p,2). body_pred(q,1). body_pred(r,2). body_pred(s,2).
                 body_pred(n,1). body_pred(in,2). body_pred(o,1). direction(in,(in,out)).
                 direction(o,(out,)). enable_recursion.",
            ),
        )
        .expect("a task")
    }

    fn read(clause: &str) -> String {
        let mut task = task();
        let clauses = read_clauses(clause, &mut task.symbols).expect("a clause");
        let ordered = ReadingOrder::new(&task).of(&clauses[0]);
        print_clause(&ordered, &task.symbols).to_string()
    }

    #[test]
    fn literals_follow_the_variables_that_are_known() {
        assert_eq!(
            read("g(A,B) :- p(C,B), p(A,C)."),
            "g(A,B) :- p(A,C), p(C,B)."
        );
        assert_eq!(
            read("g(A,B) :- p(D,B), r(C,D), p(A,C)."),
            "g(A,B) :- p(A,C), r(C,D), p(D,B)."
        );
        // What says more of a known one comes before a new one.
        assert_eq!(
            read("g(A,B) :- p(A,C), p(A,D), q(D), q(C), p(B,B)."),
            "g(A,B) :- p(B,B), p(A,C), q(C), p(A,D), q(D)."
        );
    }

    #[test]
    fn literals_whose_order_matters_stay() {
        for clause in [
            // Recursion, of the clause or of the background.
            "g(A,B) :- g(C,B), p(A,C).",
            "g(A,B) :- s(C,B), p(A,C).",
            // Negation, and arithmetic.
            "g(A,B) :- p(C,B), \\+ q(C), p(A,C).",
            "g(A,B) :- n(C), p(A,C).",
            "g(A,B) :- p(C,B), C>1, p(A,C).",
            // What stands before a literal that may raise an error.
            "g(A,B) :- p(C,B), p(A,C), C>1.",
            "g(A,B) :- p(C,B), p(A,C), s(A,B).",
            // What nobody defines.
            "g(A,B) :- strange(C,B), strange(A,C).",
        ] {
            let kept = read(clause);
            let shape = |text: &str| {
                let names = text.split(|c: char| !c.is_alphanumeric() && c != '\\');
                let names = names.filter(|own| own.starts_with(char::is_lowercase));
                names.map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(shape(&kept), shape(clause), "{kept}");
        }
    }

    #[test]
    fn tests_of_terms_let_others_move() {
        assert_eq!(
            read("g(A,B) :- p(C,B), p(A,C), C\\==B, p(D,E), q(D), p(A,D)."),
            "g(A,B) :- p(A,C), p(C,B), C\\==B, p(A,D), q(D), p(D,E)."
        );
    }

    #[test]
    fn negation_follows_what_binds_its_variables() {
        assert_eq!(
            read("g(A,B) :- \\+ q(B), p(A,B)."),
            "g(A,B) :- p(A,B), \\+ q(B)."
        );
        assert_eq!(
            read("g(A,B) :- \\+ q(A), \\+ p(A,B), p(C,B), p(A,C)."),
            "g(A,B) :- p(A,C), \\+ q(A), p(C,B), \\+ p(A,B)."
        );
        // Of a variable that is not known it asks for all values; a call may leave the head's unknown.
        for clause in [
            "g(A,B) :- \\+ q(C), p(A,C).",
            "g(A,B) :- \\+ q(A), p(A,C), g(C,B).",
        ] {
            assert_eq!(read(clause), clause);
        }
    }

    #[test]
    fn a_theory_that_may_raise_an_error_keeps_the_order_of_its_calls() {
        let order = |second: &str| {
            let text = format!("g(A,B) :- p(C,B), p(A,C), g(A,C). {second}");
            let mut task = task();
            let clauses = read_clauses(&text, &mut task.symbols).expect("clauses");
            let ordered = ReadingOrder::new(&task).of_theory(&clauses);
            print_clause(&ordered[0], &task.symbols).to_string()
        };
        assert_eq!(
            order("g(A,B) :- p(A,B)."),
            "g(A,B) :- p(A,C), p(C,B), g(A,C)."
        );
        assert_eq!(order("g(A,B) :- A<B."), "g(A,B) :- p(C,B), p(A,C), g(A,C).");
    }

    #[test]
    fn inputs_stay_bound() {
        assert_eq!(
            read("g(A,B) :- o(C), in(C,D), p(B,D)."),
            "g(A,B) :- p(B,C), o(D), in(D,C)."
        );
    }
}
