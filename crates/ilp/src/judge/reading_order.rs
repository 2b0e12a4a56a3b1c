//! The order in which the literals of a clause are read.

use indexmap::IndexMap;
use kibitz_prolog::{Clause, Direction, Literal, Predicate, Var};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::task::Task;

/// Puts the literals of clauses in the order of a reader: each next one has variables of the head or of
/// the literals before it.
///
/// Only literals change places whose order changes neither the answers of the body nor whether it ends:
/// those of predicates that are facts, or rules over such predicates without recursion, between two
/// literals of any other kind. Their inputs stay bound.
pub(crate) struct ReadingOrder<'t> {
    task: &'t Task,
    /// The predicates of the background.
    defined: FxHashSet<Predicate>,
    /// Its rules.
    rules: FxHashMap<Predicate, Vec<&'t Clause>>,
    is_pure: FxHashMap<Predicate, bool>,
}

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
        Self {
            task,
            defined,
            rules,
            is_pure: FxHashMap::default(),
        }
    }

    /// The clause with its literals in the order of a reader, and its variables named in this order; the
    /// same clause if it is in this order.
    pub(crate) fn of(&mut self, clause: &Clause) -> Clause {
        if clause.body.len() < 2 {
            return clause.clone();
        }
        let mut known = Known::default();
        clause.head.for_each_var(&mut |var| note(&mut known, var));
        let mut body: Vec<Literal> = Vec::with_capacity(clause.body.len());
        let mut movable: Vec<&Literal> = Vec::new();
        for literal in &clause.body {
            if literal.positive && self.is_pure(literal.atom.predicate()) {
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
            let keys = left.iter().map(|literal| self.key(literal, known));
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

    /// Whether its answers and their end do not depend on what is bound: it has clauses, all of them facts
    /// or rules over such predicates, and does not call itself.
    fn is_pure(&mut self, predicate: Predicate) -> bool {
        if let Some(known) = self.is_pure.get(&predicate) {
            return *known;
        }
        // A call of itself finds this.
        self.is_pure.insert(predicate, false);
        let task = self.task;
        let is_native = (task.natives.iter()).any(|own| own.signature().predicate == predicate);
        let is_defined = predicate != task.target && self.defined.contains(&predicate);
        let rules = self.rules.get(&predicate).cloned().unwrap_or_default();
        let mut bodies = rules.iter().flat_map(|rule| &rule.body);
        let is_pure = is_defined
            && !is_native
            && bodies.all(|own| own.positive && self.is_pure(own.atom.predicate()));
        self.is_pure.insert(predicate, is_pure);
        is_pure
    }
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

    fn read(clause: &str) -> String {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
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
        .expect("a task");
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
    fn inputs_stay_bound() {
        assert_eq!(
            read("g(A,B) :- o(C), in(C,D), p(B,D)."),
            "g(A,B) :- p(B,C), o(D), in(D,C)."
        );
    }
}
