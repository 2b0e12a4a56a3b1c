//! Tasks of inductive logic programming: examples, background knowledge and bias.
//!
//! A [`Task`] is read from the files of Popper, Aleph, Golem, Progol or FOIL, checked, split into parts,
//! and written for other systems. It knows no learner; those of `kibitz-ilp` take it.
//!
//! # Examples
//! ```
//! use kibitz_ilp_task::{Source, Task};
//!
//! let source = |name, text| Source { name, text };
//! let task = Task::from_popper(
//!     source("exs.pl", "pos(east(t1)). neg(east(t2))."),
//!     source("bk.pl", "short(t1). long(t2)."),
//!     source("bias.pl", "head_pred(east,1). body_pred(short,1). body_pred(long,1)."),
//! )?;
//! assert_eq!([task.positive.len(), task.negative.len()], [1, 1]);
//! # Ok::<(), kibitz_ilp_task::TaskError>(())
//! ```
//!
//! Invariants: files are read only by [`Task::from_dir`], nothing is printed, and what is dropped or
//! ignored is a remark with its place.

mod bias;
mod check;
mod closed_world;
mod constraints;
mod determinations;
mod example;
mod example_targets;
mod files;
mod foil_table;
mod hints;
mod issue;
mod mode_constants;
mod mode_leaves;
mod modes;
mod popper;
mod settings;
mod source;
mod split;
mod structure;
mod template;
mod types;
mod values;
mod weights;
mod write;

use std::sync::Arc;

use kibitz_prolog::{
    Atom, Clause, Database, NativeRelation, Predicate, ProverError, SentenceKind, SymbolTable,
};

pub use bias::{Bias, ConstantSet};
pub use check::Findings;
pub use constraints::Constraints;
pub use example::ExampleError;
pub use files::{Layout, LoadError};
pub use hints::listed;
pub use issue::{Issue, IssueKind, TaskError};
pub use settings::{Costs, SearchSetting, SearchSettings};
pub use source::Source;
pub use split::{Split, drawn, spread};
use template::Templates;
pub use values::LoneArgument;
pub use weights::Weights;

/// Everything a learner is given.
#[derive(Clone, Debug)]
pub struct Task {
    /// The names used throughout.
    pub symbols: SymbolTable,
    /// The predicate to define.
    pub target: Predicate,
    /// Further predicates that the files ask to define, each in a task of its own, in their order.
    pub others: Vec<Predicate>,
    /// Ground atoms of the target that must be covered.
    pub positive: Vec<Atom>,
    /// Ground atoms of the target that must not be covered.
    pub negative: Vec<Atom>,
    /// Facts and rules.
    pub background: Vec<Clause>,
    /// Relations computed in Rust.
    pub natives: Vec<Arc<dyn NativeRelation>>,
    /// For how many the examples count.
    pub weights: Weights,
    /// What clauses may look like.
    pub bias: Bias,
    /// Further ground atoms of the target, positive and negative ones, on which a theory may be tested.
    pub test: [Vec<Atom>; 2],
    /// For how many these count.
    pub test_weights: Weights,
    /// What the files ask of the search.
    pub search: SearchSettings,
    /// What was ignored in reading.
    remarks: Vec<Issue>,
    /// Constants that belong to a type by a fact about it.
    type_constants: Vec<ConstantSet>,
    templates: Templates,
    files: files::Files,
    /// Where the target is declared, if the files declare it.
    declared_at: Option<kibitz_text::Location>,
}

impl Task {
    /// A task without examples and background, whose target is the head of the bias.
    pub fn new(symbols: SymbolTable, bias: Bias) -> Self {
        Self {
            symbols,
            target: bias.head.predicate,
            others: Vec::new(),
            positive: Vec::new(),
            negative: Vec::new(),
            background: Vec::new(),
            natives: Vec::new(),
            weights: Weights::default(),
            bias,
            test: [Vec::new(), Vec::new()],
            test_weights: Weights::default(),
            search: SearchSettings::default(),
            remarks: Vec::new(),
            type_constants: Vec::new(),
            templates: Templates::default(),
            files: files::Files::default(),
            declared_at: None,
        }
    }

    /// Compiles the background knowledge. Predicates of the bias that nothing defines are declared,
    /// so that they fail instead of stopping a proof, and so do goals that raise an error. Clauses of
    /// the target are left out: a clause does not cover what is given.
    ///
    /// # Errors
    /// As [`kibitz_prolog::DatabaseBuilder::build`].
    pub fn database(&mut self) -> Result<Database, ProverError> {
        let mut symbols = std::mem::take(&mut self.symbols);
        let database = self.compiled(&[], &mut symbols);
        self.symbols = symbols;
        database
    }

    /// The same together with clauses of a theory, which may use symbols of their own.
    ///
    /// # Errors
    /// As [`Task::database`].
    pub fn compiled(
        &self,
        theory: &[Clause],
        symbols: &mut SymbolTable,
    ) -> Result<Database, ProverError> {
        let background = (self.background.iter()).filter(|own| !self.is_given_target(own));
        let mut builder = Database::builder().clauses(theory.iter().chain(background));
        builder = builder.tolerant().of_theory(self.target);
        for native in &self.natives {
            builder = builder.native(Arc::clone(native));
        }
        for mode in &self.bias.body {
            builder = builder.declare(mode.predicate);
        }
        builder.build(symbols)
    }

    /// The only one of the tasks that the text of a file asks for.
    fn only(mut tasks: Vec<Task>, file: &str) -> Result<Task, TaskError> {
        if tasks.len() > 1 {
            let targets: Vec<Predicate> = tasks.iter().map(|own| own.target).collect();
            let targets = source::show_all(&targets, &tasks[0].symbols, ", ");
            let message = format!("several predicates to learn: {targets}; expected one");
            let issue = Issue::new(file, IssueKind::Unexpected(message));
            return Err(issue
                .help(
                    "keep the declaration and the examples of one (in FOIL's layout mark the others with \
                     an asterisk)",
                )
                .into());
        }
        tasks
            .pop()
            .ok_or_else(|| Issue::new(file, IssueKind::NoTarget).into())
    }

    /// Whether a clause of the background is one of the target, which is left out of proofs.
    pub fn is_given_target(&self, clause: &Clause) -> bool {
        clause.head.predicate() == self.target
    }
}

impl Task {
    /// The predicate as the files name it: some literals are learned as predicates of their own.
    pub fn shown(&self, predicate: Predicate) -> Predicate {
        let literal = self.templates.shown(predicate);
        literal.map_or(predicate, |literal| literal.atom.predicate())
    }

    /// About the bytes of the examples and the background as they were read.
    pub fn bytes(&self) -> usize {
        let atom = |atom: &Atom| {
            let terms = atom.args.iter().map(|arg| match arg {
                kibitz_prolog::Term::Const(_) => 1,
                other => other.size(),
            });
            size_of::<Atom>() + terms.sum::<usize>() * size_of::<kibitz_prolog::Term>()
        };
        let clause = |clause: &Clause| clause.atoms().map(atom).sum::<usize>();
        let tests = self.test.iter().flatten();
        let examples = self.positive.iter().chain(&self.negative).chain(tests);
        examples.map(atom).sum::<usize>() + self.background.iter().map(clause).sum::<usize>()
    }

    /// A clause as it is printed: with the literals that stand for modes with structured terms,
    /// negations and equalities.
    pub fn unfolded(&self, clause: &Clause) -> Clause {
        self.templates.unfolded(clause)
    }

    /// The ground terms known to be of a type, from the examples and the ground facts, in the
    /// order in which they occur.
    pub fn constants_of(&self, kind: kibitz_prolog::Symbol) -> Vec<kibitz_prolog::Term> {
        let mut found: indexmap::IndexSet<kibitz_prolog::Term, rustc_hash::FxBuildHasher> =
            indexmap::IndexSet::default();
        let mut collect = |mode: &kibitz_prolog::Mode, atom: &Atom| {
            for (argument, term) in mode.arguments.iter().zip(atom.args.iter()) {
                if argument.kind == kind && !found.contains(term) {
                    found.insert(term.clone());
                }
            }
        };
        for example in self.positive.iter().chain(&self.negative) {
            collect(&self.bias.head, example);
        }
        for clause in self
            .background
            .iter()
            .filter(|c| c.body.is_empty() && c.head.is_ground())
        {
            for mode in self
                .bias
                .body
                .iter()
                .filter(|m| m.predicate == clause.head.predicate())
            {
                collect(mode, &clause.head);
            }
        }
        let sets = self.bias.constants.iter().chain(&self.type_constants);
        for set in sets.filter(|set| set.kind == kind) {
            found.extend(set.constants.iter().cloned());
        }
        found.into_iter().collect()
    }
}

/// Gives tasks of the same files the names that the last of them knows, so that their terms can be compared,
/// and the constants that examples of each show to be of a type. Each table of names continues the one of the
/// task before.
fn share(tasks: &mut [Task]) {
    if let Some((last, others)) = tasks.split_last_mut() {
        for own in others {
            own.symbols.clone_from(&last.symbols);
        }
    }
    if tasks.len() < 2 {
        return;
    }
    let mut sets: Vec<ConstantSet> = Vec::new();
    for task in tasks.iter() {
        for (place, argument) in task.bias.head.arguments.iter().enumerate() {
            let kind = argument.kind;
            let own = task.positive.iter().chain(&task.negative);
            let values = own.map(|example| example.args[place].clone());
            match sets.iter_mut().find(|set| set.kind == kind) {
                Some(set) => set.constants.extend(values),
                None => sets.push(ConstantSet {
                    kind,
                    constants: values.collect(),
                }),
            }
        }
    }
    for set in &mut sets {
        set.constants.sort();
        set.constants.dedup();
    }
    for task in tasks {
        task.type_constants.extend(sets.iter().cloned());
    }
}

/// Reads facts and rules; directives are skipped, those that mean something with a remark.
fn source_clauses(
    source: &Source<'_>,
    symbols: &mut SymbolTable,
    issues: &mut Vec<Issue>,
    remarks: &mut Vec<Issue>,
) -> Vec<Clause> {
    let sentences = source.sentences(kibitz_prolog::Dialect::Prolog, symbols, issues);
    remarks.extend(source.capital_in_fact(&sentences));
    let mut clauses = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        match sentence.kind {
            SentenceKind::Clause(clause) => clauses.push(clause),
            SentenceKind::Directive(goals) | SentenceKind::Query(goals) => {
                let goals = goals.conjuncts().into_iter();
                remarks.extend(
                    goals.filter_map(|goal| {
                        source.ignored_directive(sentence.offset, goal, symbols)
                    }),
                );
            }
        }
    }
    clauses
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
