//! Compiling clauses and native relations into a database.

use std::sync::{Arc, Mutex};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::Database;
use crate::prover::builtin;
use crate::prover::code::Code;
use crate::prover::compile::{ControlNames, is_control};
use crate::prover::names::Names;
use crate::prover::{NativeRelation, ProverError};
use crate::reader::read_clauses;
use crate::term::{Atom, Clause, Constant, Predicate, Symbol, SymbolTable, Term};

/// With at most this many clauses, facts of a predicate that also has rules stay in their order.
const ORDERED_CLAUSES: usize = 64;

const PRELUDE: &str = include_str!("../prelude.pl");
/// Further list predicates and similar ones, read where a program uses one of them.
const LIBRARY: &str = include_str!("../library.pl");

/// The names of the predicates in the library.
fn library_heads() -> impl Iterator<Item = &'static str> {
    let lines = LIBRARY.lines();
    lines.filter_map(|line| {
        let (name, _) = line.split_once('(')?;
        name.starts_with(|c: char| c.is_ascii_lowercase())
            .then_some(name)
    })
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
    pub fn of_theory(mut self, predicate: Predicate) -> Self {
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

    /// The error of a predicate that may not be defined, with the first clause that does.
    fn reserved(&self, predicate: Predicate) -> ProverError {
        let error = ProverError::Reserved(predicate);
        let rule = || self.clauses.get(&predicate)?.first().cloned();
        let fact = || {
            let args = self.facts.get(&predicate)?.first()?;
            Some(Clause::fact(Atom::new(
                predicate.name,
                args.iter().cloned(),
            )))
        };
        match rule().or_else(fact) {
            Some(clause) => ProverError::In(Box::new(clause), Box::new(error)),
            None => error,
        }
    }

    /// Compiles everything. List predicates such as `member/2` are added where the program does
    /// not define them itself.
    ///
    /// # Errors
    /// [`ProverError::Reserved`] for a definition of a built-in predicate, in its first clause,
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
                    return Err(self.reserved(predicate));
                }
                // The program's own definition comes first.
                Some(_) => {
                    db.builtins.remove(&predicate);
                }
                None => {}
            }
            if is_control(predicate, control) {
                return Err(self.reserved(predicate));
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
