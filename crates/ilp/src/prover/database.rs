use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::builtin::{self, Builtin};
use super::cell::Cell;
use super::code::{Code, Rule, Target};
use super::compile::{Compiler, ControlNames, Resolve, store_ground};
use super::facts::FactTable;
use super::names::Names;
use super::{NativeRelation, ProverError};
use crate::reader::read_clauses;
use crate::term::{
    Atom, Clause, Constant, Literal, Predicate, Substitution, Symbol, SymbolTable, Term, Var,
};

/// Different errors that are noted.
const MAX_FAULTS: usize = 100;
/// With at most this many clauses, facts of a predicate that also has rules stay in their order.
const ORDERED_CLAUSES: usize = 64;

const PRELUDE: &str = include_str!("prelude.pl");
/// Further list predicates and the like, read where a program uses one of them.
const LIBRARY: &str = include_str!("library.pl");

/// The names of the predicates in the library.
fn library_heads() -> impl Iterator<Item = &'static str> {
    let lines = LIBRARY.lines();
    lines.filter_map(|line| {
        let (name, _) = line.split_once('(')?;
        name.starts_with(|c: char| c.is_ascii_lowercase())
            .then_some(name)
    })
}

/// Facts, rules and native relations to prove goals from.
///
/// Immutable once built, so that many [`super::Prover`]s can share it.
#[derive(Debug)]
pub struct Database {
    pub(super) entries: IndexMap<Predicate, Entry, FxBuildHasher>,
    pub(super) code: Code,
    pub(super) statics: Vec<Cell>,
    pub(super) builtins: FxHashMap<Predicate, Builtin>,
    pub(super) control: ControlNames,
    /// Rules, each with the end of its goals in the code.
    rules: Vec<(usize, Clause)>,
    /// Wrappers: predicates whose only clause calls a native relation, perhaps with parts of its
    /// arguments; that clause.
    wrappers: FxHashMap<Predicate, Clause>,
    /// Where errors in goals are noted that count as failures, if they do.
    faults: Option<Mutex<Vec<ProverError>>>,
    /// Names of all symbols known when the database was built, for arithmetic.
    pub(super) names: Names,
}

/// The definition of one predicate.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) facts: FactTable,
    pub(super) rules: Vec<Rule>,
    pub(super) native: Option<Arc<dyn NativeRelation>>,
    pub(super) defined: bool,
    library: bool,
}

impl Entry {
    fn new(arity: usize) -> Self {
        Self {
            facts: FactTable::new(arity),
            rules: Vec::new(),
            native: None,
            defined: false,
            library: false,
        }
    }
}

/// What goals lead to beside clauses.
#[derive(Clone, Copy)]
enum Reached {
    Builtin(Builtin),
    /// A cut, a condition, a negation, a call of a term, or a collection of answers.
    Control,
    Native,
}

/// Collects the clauses and native relations of a [`Database`].
#[derive(Debug, Default)]
pub struct DatabaseBuilder {
    clauses: IndexMap<Predicate, Vec<Clause>, FxBuildHasher>,
    facts: IndexMap<Predicate, Vec<Arc<[Term]>>, FxBuildHasher>,
    natives: Vec<Arc<dyn NativeRelation>>,
    declared: Vec<Predicate>,
    is_tolerant: bool,
    /// Predicates that theories define.
    of_theory: Vec<Predicate>,
}

impl DatabaseBuilder {
    /// Adds facts and rules.
    #[must_use]
    pub fn clauses<'c>(mut self, clauses: impl IntoIterator<Item = &'c Clause>) -> Self {
        clauses
            .into_iter()
            .for_each(|clause| self.add_clause(clause));
        self
    }

    /// Adds a native relation; several relations may share a task.
    #[must_use]
    pub fn native(mut self, relation: Arc<dyn NativeRelation>) -> Self {
        self.natives.push(relation);
        self
    }

    /// Declares a predicate that may be called although it has no clauses.
    #[must_use]
    pub fn declare(mut self, predicate: Predicate) -> Self {
        self.declared.push(predicate);
        self
    }

    /// Declares a predicate that a theory defines: it has no clauses of a library.
    #[must_use]
    pub(crate) fn of_theory(mut self, predicate: Predicate) -> Self {
        self.of_theory.push(predicate);
        self
    }

    /// Lets goals fail that raise an error, such as a division by zero, an unbound argument of `is` or
    /// a predicate that is not defined; [`Database::faults`] tells which did. Errors of native
    /// relations stay errors.
    #[must_use]
    pub fn tolerant(mut self) -> Self {
        self.is_tolerant = true;
        self
    }

    fn add_clause(&mut self, clause: &Clause) {
        let predicate = clause.head.predicate();
        if clause.body.is_empty() && clause.head.is_ground() {
            self.facts
                .entry(predicate)
                .or_default()
                .push(Arc::clone(&clause.head.args));
            // Keep the place among the rules, should there be any.
            if let Some(clauses) = self.clauses.get_mut(&predicate) {
                clauses.push(clause.clone());
            }
        } else {
            let facts = self.facts.get(&predicate);
            let clauses = self.clauses.entry(predicate).or_insert_with(|| {
                let fact = |args: &Arc<[Term]>| {
                    Clause::fact(Atom {
                        name: predicate.name,
                        args: Arc::clone(args),
                    })
                };
                facts
                    .map(|rows| rows.iter().map(fact).collect())
                    .unwrap_or_default()
            });
            clauses.push(clause.clone());
        }
    }

    /// Compiles everything. List predicates such as `member/2` are added where the program does
    /// not define them itself.
    ///
    /// # Errors
    /// [`ProverError::Reserved`] for a definition of a built-in predicate,
    /// [`ProverError::NotCallable`] for a number as a goal.
    ///
    /// # Panics
    /// Never: the list predicates are well formed.
    pub fn build(mut self, symbols: &mut SymbolTable) -> Result<Database, ProverError> {
        let uses_library = library_heads().any(|name| symbols.get(name).is_some());
        if symbols.get("atom_chars").is_some() || symbols.get("char_code").is_some() {
            for code in b' '..=b'~' {
                symbols.intern(char::from(code).encode_utf8(&mut [0; 4]));
            }
        }
        let builtins = builtin::table(symbols);
        for name in builtin::FUNCTIONS {
            symbols.intern(name);
        }
        let control = ControlNames {
            call: symbols.intern("call"),
            findall: symbols.intern("findall"),
            forall: symbols.intern("forall"),
            catch: symbols.intern("catch"),
            fail: symbols.intern("fail"),
            false_: symbols.intern("false"),
        };
        let mut prelude = read_clauses(PRELUDE, symbols).expect("the prelude is well formed");
        if uses_library {
            let library = read_clauses(LIBRARY, symbols).expect("the library is well formed");
            prelude.extend(library);
        }
        let of_library: FxHashSet<Predicate> = prelude
            .iter()
            .map(|clause| clause.head.predicate())
            .collect();
        let mut db = Database {
            entries: IndexMap::default(),
            code: Code::default(),
            statics: Vec::new(),
            builtins,
            control,
            rules: Vec::new(),
            wrappers: FxHashMap::default(),
            faults: self.is_tolerant.then(Mutex::default),
            names: Names::default(),
        };
        let mut own: Vec<Predicate> = self
            .facts
            .keys()
            .chain(self.clauses.keys())
            .copied()
            .collect();
        own.extend(
            self.natives
                .iter()
                .map(|native| native.signature().predicate),
        );
        for &predicate in &own {
            match db.builtins.get(&predicate) {
                Some(builtin) if builtin.is_reserved() => {
                    return Err(ProverError::Reserved(predicate));
                }
                // The program's own definition comes first.
                Some(_) => {
                    db.builtins.remove(&predicate);
                }
                None => {}
            }
            if is_control(predicate, control) {
                return Err(ProverError::Reserved(predicate));
            }
            db.entry(predicate).defined = true;
        }
        for predicate in self.of_theory.drain(..) {
            let builtin = db.builtins.get(&predicate);
            if !builtin.is_some_and(|builtin| builtin.is_reserved()) {
                db.builtins.remove(&predicate);
                db.entry(predicate).defined = true;
            }
        }
        for predicate in self.declared.drain(..) {
            if !db.builtins.contains_key(&predicate) && !of_library.contains(&predicate) {
                db.entry(predicate).defined = true;
            }
        }
        for native in self.natives.drain(..) {
            let predicate = native.signature().predicate;
            db.entry(predicate).native = Some(native);
        }
        for (predicate, clauses) in &self.clauses {
            if let [clause] = &clauses[..]
                && db.is_wrapper(clause)
            {
                db.wrappers.insert(*predicate, clause.clone());
            }
        }
        for (predicate, rows) in &self.facts {
            let ordered = self.clauses.get(predicate).is_some_and(|c| keeps_order(c));
            if !ordered {
                db.add_facts(*predicate, rows);
            }
        }
        for (predicate, clauses) in &self.clauses {
            let ordered = keeps_order(clauses);
            for clause in clauses {
                if ordered || !(clause.body.is_empty() && clause.head.is_ground()) {
                    db.add_rule(*predicate, clause)?;
                }
            }
        }
        for clause in &prelude {
            let predicate = clause.head.predicate();
            let entry = db.entry(predicate);
            if !entry.defined || entry.library {
                entry.defined = true;
                entry.library = true;
                db.add_rule(predicate, clause)?;
            }
        }
        db.names = Names::new(symbols);
        Ok(db)
    }
}

fn keeps_order(clauses: &[Clause]) -> bool {
    let cuts = |clause: &Clause| clause.body.iter().any(|l| mentions_cut(&l.atom.to_term()));
    clauses.len() <= ORDERED_CLAUSES || clauses.iter().any(cuts)
}

fn mentions_cut(goal: &Term) -> bool {
    match goal {
        Term::Const(Constant::Symbol(Symbol::CUT)) => true,
        Term::Compound(Symbol::COMMA | Symbol::OR | Symbol::THEN, args) => {
            args.iter().any(mentions_cut)
        }
        _ => false,
    }
}

fn is_control(predicate: Predicate, names: ControlNames) -> bool {
    let Predicate { name, arity } = predicate;
    match arity {
        0 => name == Symbol::CUT || name == names.fail || name == names.false_,
        1 => matches!(name, Symbol::NOT | Symbol::NOT_WORD) || name == names.call,
        2 => {
            matches!(name, Symbol::COMMA | Symbol::OR | Symbol::THEN)
                || name == names.forall
                || name == names.call
        }
        3 => name == names.findall || name == names.catch,
        _ => false,
    }
}

impl Database {
    /// Whether a predicate is built in and cannot be defined anew.
    pub(crate) fn is_built_in(&self, predicate: Predicate) -> bool {
        self.builtins.contains_key(&predicate)
    }

    /// An empty builder.
    pub fn builder() -> DatabaseBuilder {
        DatabaseBuilder::default()
    }

    /// All predicates that have a definition, library predicates excluded.
    pub fn predicates(&self) -> Vec<Predicate> {
        let own = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.defined && !entry.library);
        own.map(|(predicate, _)| *predicate).collect()
    }

    /// Whether goals of this predicate can be answered, by the program or as a built-in.
    pub fn is_defined(&self, predicate: Predicate) -> bool {
        self.builtins.contains_key(&predicate)
            || is_control(predicate, self.control)
            || self
                .entries
                .get(&predicate)
                .is_some_and(|entry| entry.defined)
    }

    /// The errors, each once, that goals raised and that counted as failures, in no order.
    pub fn faults(&self) -> Vec<ProverError> {
        let Some(faults) = &self.faults else {
            return Vec::new();
        };
        faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whether an error counts as a failure of its goal; it is noted then.
    pub(super) fn tolerates(&self, error: &ProverError) -> bool {
        let Some(faults) = self.faults.as_ref().filter(|_| error.is_of_goal()) else {
            return false;
        };
        let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.len() < MAX_FAULTS && !faults.contains(error) {
            faults.push(error.clone());
        }
        true
    }

    /// Whether goals of a predicate have the answers, with some arguments unbound, that they have with
    /// values for them, as far as their clauses tell: nothing in them looks at what is bound.
    pub(crate) fn is_relation(&self, predicate: Predicate) -> bool {
        self.reaches(predicate, &mut |part| match part {
            Reached::Builtin(builtin) => !builtin.is_relation(),
            Reached::Control => true,
            Reached::Native => false,
        })
        .is_none()
    }

    /// Whether goals of a predicate calculate numbers.
    pub(crate) fn calculates(&self, predicate: Predicate) -> bool {
        let is_it = |builtin| {
            use Builtin::{IntEqual, Is, Length, Plus, Succ};
            matches!(builtin, Is | Succ | Plus | Length | IntEqual)
        };
        self.reaches(predicate, &mut |part| match part {
            Reached::Builtin(builtin) => is_it(builtin),
            _ => false,
        })
        .is_some()
    }

    /// Whether goals of a predicate ask a relation in Rust.
    pub(crate) fn is_native(&self, predicate: Predicate) -> bool {
        self.reaches(predicate, &mut |part| matches!(part, Reached::Native))
            .is_some()
    }

    /// The first thing beside clauses, as far as goals of a predicate can lead to it, for which this
    /// holds.
    fn reaches(
        &self,
        predicate: Predicate,
        holds: &mut dyn FnMut(Reached) -> bool,
    ) -> Option<Reached> {
        let mut met = vec![predicate];
        let mut next = 0;
        while let Some(&predicate) = met.get(next) {
            next += 1;
            let native = (self.entries.get(&predicate)).is_some_and(|own| own.native.is_some());
            let found = match self.builtins.get(&predicate) {
                Some(builtin) => Some(Reached::Builtin(*builtin)),
                None if native => Some(Reached::Native),
                None => None,
            };
            if let Some(found) = found.filter(|found| holds(*found)) {
                return Some(found);
            }
            let rules = self.rules.iter().map(|(_, clause)| clause);
            let own = rules.filter(|clause| clause.head.predicate() == predicate);
            for literal in own.flat_map(|clause| &clause.body) {
                let is_plain =
                    literal.positive && self.add_called(&literal.atom.to_term(), &mut met);
                if !is_plain && holds(Reached::Control) {
                    return Some(Reached::Control);
                }
            }
        }
        None
    }

    /// Adds the predicates that a goal calls; false if it does more than to call them.
    fn add_called(&self, goal: &Term, met: &mut Vec<Predicate>) -> bool {
        if let Term::Compound(Symbol::COMMA | Symbol::OR, parts) = goal {
            return parts.iter().all(|part| self.add_called(part, met));
        }
        let Some(atom) = Atom::from_term(goal) else {
            return false;
        };
        let predicate = atom.predicate();
        let fails = atom.name == self.control.fail || atom.name == self.control.false_;
        if is_control(predicate, self.control) || atom.name == self.control.call {
            return fails;
        }
        if !met.contains(&predicate) {
            met.push(predicate);
        }
        true
    }

    /// Whether the predicate has ground facts and nothing else.
    pub fn is_extensional(&self, predicate: Predicate) -> bool {
        self.entries
            .get(&predicate)
            .is_some_and(|entry| entry.defined && entry.rules.is_empty() && entry.native.is_none())
    }

    fn entry(&mut self, predicate: Predicate) -> &mut Entry {
        self.entries
            .entry(predicate)
            .or_insert_with(|| Entry::new(predicate.arity))
    }

    fn add_facts(&mut self, predicate: Predicate, rows: &[Arc<[Term]>]) {
        let entry = self
            .entries
            .entry(predicate)
            .or_insert_with(|| Entry::new(predicate.arity));
        let statics = &mut self.statics;
        for args in rows {
            entry
                .facts
                .push(args.iter().map(|arg| store_ground(arg, statics)));
        }
    }

    /// The clause of a goal's predicate if there is no other and if its goals can stand for the head:
    /// it has no cut and does not call itself.
    pub(super) fn only_clause(&self, goal: &Atom) -> Option<&Clause> {
        let predicate = goal.predicate();
        let entry = self.entries.get(&predicate)?;
        let is_only = entry.rules.len() == 1 && entry.facts.is_empty() && entry.native.is_none();
        let mut own = (self.rules.iter()).map(|(_, clause)| clause);
        let clause = own.find(|own| is_only && own.head.predicate() == predicate)?;
        let is_plain = |literal: &Literal| {
            let called = literal.atom.predicate();
            called != predicate && !is_control(called, self.control)
        };
        clause.body.iter().all(is_plain).then_some(clause)
    }

    /// Whether a goal is decided without any native relation, as far as can be seen from its name.
    pub(super) fn is_of_facts(&self, goal: &Atom) -> bool {
        let mut met: Vec<Predicate> = vec![goal.predicate()];
        let mut next = 0;
        while let Some(&predicate) = met.get(next) {
            next += 1;
            let native = (self.entries.get(&predicate)).is_some_and(|own| own.native.is_some());
            if native || is_control(predicate, self.control) {
                return false;
            }
            for (_, clause) in &self.rules {
                if clause.head.predicate() == predicate {
                    let called = clause.body.iter().map(|own| own.atom.predicate());
                    let new: Vec<Predicate> = called.filter(|own| !met.contains(own)).collect();
                    met.extend(new);
                }
            }
        }
        true
    }

    /// Whether a clause, the only one of its predicate, only calls a native relation.
    fn is_wrapper(&self, clause: &Clause) -> bool {
        let is_native = |predicate| {
            let entry = self.entries.get(&predicate);
            entry.is_some_and(|entry| entry.native.is_some())
        };
        let mut vars: Vec<Var> = Vec::new();
        let is_open = clause.head.args.iter().all(|arg| {
            arg.all_parts(&mut |part| match part {
                Term::Var(var) if vars.contains(var) => false,
                Term::Var(var) => {
                    vars.push(*var);
                    true
                }
                Term::Const(_) => false,
                Term::Compound(..) => true,
            })
        });
        let [goal] = &clause.body[..] else {
            return false;
        };
        let mut asks = goal.positive && is_native(goal.atom.predicate());
        goal.atom
            .for_each_var(&mut |var| asks &= vars.contains(&var));
        is_open && asks && !is_native(clause.head.predicate())
    }

    /// The call of a native relation that a goal of a wrapper stands for, if the parts of its arguments
    /// are there.
    fn unwrapped(&self, goal: &Atom) -> Option<Atom> {
        let clause = self.wrappers.get(&goal.predicate())?;
        let mut theta = Substitution::new();
        let mut bind = |var, value: &Term| {
            theta.bind(var, value.clone());
            true
        };
        let mut places = clause.head.args.iter().zip(goal.args.iter());
        if !places.all(|(place, arg)| place.matches(arg, &mut bind)) {
            return None;
        }
        let bound = |var| theta.get(var).cloned().unwrap_or(Term::Var(var));
        Some(clause.body.first()?.atom.map_vars(&mut |var| bound(var)))
    }

    /// The clause that a goal of the code belongs to.
    pub(super) fn clause_of(&self, goal: usize) -> Option<&Clause> {
        let index = self.rules.partition_point(|(end, _)| *end <= goal);
        self.rules.get(index).map(|(_, clause)| clause)
    }

    fn add_rule(&mut self, predicate: Predicate, clause: &Clause) -> Result<(), ProverError> {
        let mut code = std::mem::take(&mut self.code);
        let rule = Compiler::new(&mut code, 0, self).clause(clause);
        self.code = code;
        let rule = rule?;
        if rule.body.len > 0 {
            self.rules.push((self.code.goals.len(), clause.clone()));
        }
        self.entry(predicate).rules.push(rule);
        Ok(())
    }
}

impl Resolve for Database {
    fn unwrapped(&self, goal: &Atom) -> Option<Atom> {
        Database::unwrapped(self, goal)
    }

    fn target(&mut self, predicate: Predicate) -> Target {
        self.entry(predicate);
        let index = self.entries.get_index_of(&predicate).expect("just added");
        Target::Entry(u32::try_from(index).expect("fewer than 2^32 predicates"))
    }

    fn builtin(&self, predicate: Predicate) -> Option<Builtin> {
        self.builtins.get(&predicate).copied()
    }

    fn names(&self) -> ControlNames {
        self.control
    }

    fn ground(&mut self, term: &Term) -> Option<u32> {
        match store_ground(term, &mut self.statics) {
            Cell::Struct(address) => Some(address & !super::cell::STATIC),
            _ => None,
        }
    }
}

/// Resolution for queries, which cannot change the database.
impl Resolve for &Database {
    fn unwrapped(&self, goal: &Atom) -> Option<Atom> {
        Database::unwrapped(self, goal)
    }

    fn target(&mut self, predicate: Predicate) -> Target {
        match self.entries.get_index_of(&predicate) {
            Some(index) => Target::Entry(u32::try_from(index).expect("fewer than 2^32 predicates")),
            None => Target::Named(predicate),
        }
    }

    fn builtin(&self, predicate: Predicate) -> Option<Builtin> {
        self.builtins.get(&predicate).copied()
    }

    fn names(&self) -> ControlNames {
        self.control
    }

    fn ground(&mut self, _: &Term) -> Option<u32> {
        None
    }
}

/// Whether any literal calls one of these predicates.
pub(super) fn calls_any(body: &[Literal], predicates: &[Predicate]) -> bool {
    let is_other = |part: &Term| {
        Atom::from_term(part).is_none_or(|atom| !predicates.contains(&atom.predicate()))
    };
    body.iter()
        .any(|literal| !literal.atom.to_term().all_parts(&mut |part| is_other(part)))
}
