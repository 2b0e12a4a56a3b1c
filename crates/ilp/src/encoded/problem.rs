//! A task in numbers, for learners that work on ground facts.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::dictionary::{Dictionary, number};
use super::relation::Relation;
use super::tabling::{TablingError, tabulate};
use crate::mode::Direction;
use crate::prover::{Database, Limits};
use crate::task::Task;
use crate::term::{Atom, Predicate, Symbol, Term};

/// A task in which every ground term is a number and every predicate a [`Relation`].
#[derive(Debug)]
pub(crate) struct EncodedProblem {
    /// By number.
    pub(crate) terms: Vec<Term>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) modes: Vec<EncodedMode>,
    pub(crate) head_kinds: Vec<Symbol>,
    /// Arguments of positive and negative examples.
    pub(crate) examples: [Columns; 2],
    /// Constants that variables of a type may be compared with.
    pub(crate) constants: Vec<(Symbol, Vec<u32>)>,
}

/// Columns of equal length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    pub(crate) columns: Vec<Vec<u32>>,
    pub(crate) len: usize,
}

impl Columns {
    /// The arguments of atoms, a row for each atom.
    fn of_atoms(atoms: &[Atom], arity: usize, dictionary: &mut Dictionary) -> Self {
        let mut columns = vec![Vec::with_capacity(atoms.len()); arity];
        for atom in atoms {
            for (column, arg) in columns.iter_mut().zip(atom.args.iter()) {
                column.push(dictionary.number(arg));
            }
        }
        Self {
            columns,
            len: atoms.len(),
        }
    }
}

/// A mode of a body literal.
#[derive(Clone, Debug)]
pub(crate) struct EncodedMode {
    pub(crate) relation: u32,
    pub(crate) arguments: Vec<(Direction, Symbol)>,
}

/// By predicate the arguments of its tuples, one after the other, and the number of tuples.
type Rows = IndexMap<Predicate, (Vec<u32>, usize), FxBuildHasher>;

impl EncodedProblem {
    /// Encodes a task. Predicates given by rules are listed; `keep_going` is asked before each goal
    /// that takes.
    pub(crate) fn new(
        task: &Task,
        db: &Database,
        limits: Limits,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Self, TablingError> {
        let mut dictionary = Dictionary::default();
        let examples = [&task.positive, &task.negative]
            .map(|atoms| Columns::of_atoms(atoms, task.target.arity, &mut dictionary));
        let rows = list_background(task, db, limits, &mut dictionary, keep_going)?;
        let modes = task.bias.body.iter().map(|mode| {
            let arguments = mode.arguments.iter();
            EncodedMode {
                relation: number(rows.get_index_of(&mode.predicate).unwrap_or(0)),
                arguments: arguments.map(|a| (a.direction, a.kind)).collect(),
            }
        });
        let modes = modes.collect();
        let relations = rows
            .into_iter()
            .map(|(predicate, (rows, len))| Relation::new(predicate, rows, len));
        let constants = task.bias.constants.iter().map(|set| {
            let numbers = set.constants.iter().map(|term| dictionary.number(term));
            (set.kind, numbers.collect())
        });
        let constants = constants.collect();
        let head = task.bias.head.arguments.iter();
        Ok(Self {
            terms: dictionary.terms,
            relations: relations.collect(),
            modes,
            head_kinds: head.map(|argument| argument.kind).collect(),
            examples,
            constants,
        })
    }
}

/// The tuples of the predicates that clauses may mention.
fn list_background(
    task: &Task,
    db: &Database,
    limits: Limits,
    dictionary: &mut Dictionary,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Rows, TablingError> {
    let mut rows = Rows::default();
    for mode in &task.bias.body {
        rows.entry(mode.predicate).or_default();
    }
    for clause in &task.background {
        if clause.body.is_empty()
            && let Some((table, len)) = rows.get_mut(&clause.head.predicate())
            && clause.head.is_ground()
        {
            table.extend(clause.head.args.iter().map(|arg| dictionary.number(arg)));
            *len += 1;
        }
    }
    let given_by_rules: Vec<Predicate> = rows
        .keys()
        .copied()
        .filter(|&predicate| predicate != task.target && !db.is_extensional(predicate))
        .collect();
    for (predicate, tuples) in tabulate(task, db, &given_by_rules, limits, keep_going)? {
        let len = tuples.len();
        let terms = tuples.iter().flatten();
        let table = terms.map(|term| dictionary.number(term)).collect();
        rows.insert(predicate, (table, len));
    }
    if task.bias.recursion && rows.contains_key(&task.target) {
        // The target inside its own definition is known by its positive examples.
        let terms = task.positive.iter().flat_map(|atom| atom.args.iter());
        let table = terms.map(|term| dictionary.number(term)).collect();
        rows.insert(task.target, (table, task.positive.len()));
    }
    Ok(rows)
}
