//! Learning tasks: examples, background knowledge and bias, and the files they come in.

mod bias;
mod check;
mod files;
mod foil_table;
mod issue;
mod modes;
mod popper;
mod source;

pub use bias::{Bias, ConstantSet};
pub use check::Findings;
pub use files::{Layout, LoadError};
pub use issue::{Issue, IssueKind, TaskError};
pub use source::Source;

use std::sync::Arc;

use crate::prover::{Database, NativeRelation, ProverError};
use crate::term::{Atom, Clause, Predicate, SymbolTable};

/// Everything a learner is given.
#[derive(Clone, Debug)]
pub struct Task {
    /// The names used throughout.
    pub symbols: SymbolTable,
    /// The predicate to define.
    pub target: Predicate,
    /// Ground atoms of the target that must be covered.
    pub positive: Vec<Atom>,
    /// Ground atoms of the target that must not be covered.
    pub negative: Vec<Atom>,
    /// Facts and rules.
    pub background: Vec<Clause>,
    /// Relations computed in Rust.
    pub natives: Vec<Arc<dyn NativeRelation>>,
    /// What clauses may look like.
    pub bias: Bias,
    files: files::Files,
}

impl Task {
    /// A task without examples and background, whose target is the head of the bias.
    pub fn new(symbols: SymbolTable, bias: Bias) -> Self {
        Self {
            symbols,
            target: bias.head.predicate,
            positive: Vec::new(),
            negative: Vec::new(),
            background: Vec::new(),
            natives: Vec::new(),
            bias,
            files: files::Files::default(),
        }
    }

    /// Compiles the background knowledge. Predicates of the bias that nothing defines are declared,
    /// so that they fail instead of stopping a proof.
    ///
    /// # Errors
    /// As [`crate::DatabaseBuilder::build`].
    pub fn database(&mut self) -> Result<Database, ProverError> {
        let mut builder = Database::builder().clauses(&self.background);
        for native in &self.natives {
            builder = builder.native(Arc::clone(native));
        }
        for mode in &self.bias.body {
            builder = builder.declare(mode.predicate);
        }
        builder.build(&mut self.symbols)
    }
}

impl Task {
    /// The ground terms known to be of a type, from the examples and the ground facts, in the
    /// order in which they occur.
    pub(crate) fn constants_of(&self, kind: crate::Symbol) -> Vec<crate::Term> {
        let mut found: indexmap::IndexSet<crate::Term, rustc_hash::FxBuildHasher> =
            indexmap::IndexSet::default();
        let mut collect = |mode: &crate::Mode, atom: &Atom| {
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
        for set in self.bias.constants.iter().filter(|set| set.kind == kind) {
            found.extend(set.constants.iter().cloned());
        }
        found.into_iter().collect()
    }
}

/// Reads facts and rules; directives are skipped.
fn source_clauses(
    source: &Source<'_>,
    symbols: &mut SymbolTable,
    issues: &mut Vec<Issue>,
) -> Vec<Clause> {
    let sentences = source.sentences(crate::reader::Dialect::Prolog, symbols, issues);
    let mut clauses = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        if let crate::reader::SentenceKind::Clause(clause) = sentence.kind {
            clauses.push(clause);
        }
    }
    clauses
}
