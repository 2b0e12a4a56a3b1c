use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::relation::Relation;
use super::tabling::tabulate;
use crate::learn::{LearnError, Progress};
use crate::mode::Direction;
use crate::prover::{Database, Limits};
use crate::task::Task;
use crate::term::{Atom, Constant, Predicate, Symbol, Term};

/// A task in numbers: every ground term is a number, every predicate a table.
#[derive(Debug)]
pub(in crate::learn) struct Problem {
    pub(in crate::learn) terms: Vec<Term>,
    pub(in crate::learn) relations: Vec<Relation>,
    pub(in crate::learn) modes: Vec<EncodedMode>,
    pub(in crate::learn) head_kinds: Vec<Symbol>,
    /// Arguments of positive and negative examples, column by column.
    pub(in crate::learn) examples: [Columns; 2],
    /// Constants that variables of a type may be compared with.
    pub(in crate::learn) constants: Vec<(Symbol, Vec<u32>)>,
}

/// An index as a number of a term, variable or relation.
///
/// # Panics
/// Beyond 2³², which memory rules out.
pub(in crate::learn) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 of anything")
}

/// Columns of equal length.
#[derive(Clone, Debug, Default)]
pub(in crate::learn) struct Columns {
    pub(in crate::learn) columns: Vec<Vec<u32>>,
    pub(in crate::learn) len: usize,
}

/// A way to use a relation.
#[derive(Clone, Debug)]
pub(in crate::learn) struct EncodedMode {
    pub(in crate::learn) relation: u32,
    pub(in crate::learn) arguments: Vec<(Direction, Symbol)>,
}

const NONE: u32 = u32::MAX;
/// Whole numbers below this are looked up in an array.
const SMALL_NUMBERS: usize = 4_096;

/// Numbers for ground terms, in the order in which they are met.
#[derive(Default)]
struct Dictionary {
    /// By symbol and by small number; other terms by hash.
    symbols: Vec<u32>,
    small: Vec<u32>,
    others: FxHashMap<Term, u32>,
    terms: Vec<Term>,
}

impl Dictionary {
    fn number(&mut self, term: &Term) -> u32 {
        let next = number(self.terms.len());
        let place = match term {
            Term::Const(Constant::Symbol(symbol)) => Some((&mut self.symbols, symbol.index())),
            Term::Const(Constant::Int(value)) => usize::try_from(*value)
                .ok()
                .filter(|&value| value < SMALL_NUMBERS)
                .map(|value| (&mut self.small, value)),
            _ => None,
        };
        let known = match place {
            Some((numbers, index)) => {
                if index >= numbers.len() {
                    numbers.resize(index + 1, NONE);
                }
                let known = &mut numbers[index];
                if *known == NONE {
                    *known = next;
                }
                *known
            }
            None => *self.others.entry(term.clone()).or_insert(next),
        };
        if known == next {
            self.terms.push(term.clone());
        }
        known
    }
}

impl Problem {
    /// The task of a learner that needs examples of both kinds; `None` if it is interrupted.
    pub(in crate::learn) fn to_learn(
        task: &Task,
        db: &Database,
        limits: Limits,
        progress: &mut dyn Progress,
    ) -> Result<Option<Self>, LearnError> {
        if task.positive.is_empty() {
            return Err(LearnError::NoPositives);
        }
        if task.negative.is_empty() {
            return Err(LearnError::NoNegatives);
        }
        match Self::new(task, db, limits, progress) {
            Err(LearnError::Interrupted) => Ok(None),
            problem => problem.map(Some),
        }
    }

    pub(in crate::learn) fn new(
        task: &Task,
        db: &Database,
        limits: Limits,
        progress: &mut dyn Progress,
    ) -> Result<Self, LearnError> {
        let mut dictionary = Dictionary::default();
        let mut examples = |atoms: &[Atom]| {
            let arity = task.target.arity;
            let mut columns = vec![Vec::with_capacity(atoms.len()); arity];
            for atom in atoms {
                for (column, arg) in columns.iter_mut().zip(atom.args.iter()) {
                    column.push(dictionary.number(arg));
                }
            }
            Columns {
                columns,
                len: atoms.len(),
            }
        };
        let examples = [examples(&task.positive), examples(&task.negative)];

        let mut rows: IndexMap<Predicate, (Vec<u32>, usize), FxBuildHasher> = IndexMap::default();
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
        for (predicate, tuples) in tabulate(task, db, &given_by_rules, limits, progress)? {
            let len = tuples.len();
            let terms = tuples.iter().flatten();
            let table = terms.map(|term| dictionary.number(term)).collect();
            rows.insert(predicate, (table, len));
        }
        if task.bias.recursion && rows.contains_key(&task.target) {
            // The target inside its own definition is known by its positive examples.
            let mut table = Vec::new();
            for atom in &task.positive {
                table.extend(atom.args.iter().map(|arg| dictionary.number(arg)));
            }
            rows.insert(task.target, (table, task.positive.len()));
        }
        let modes = task
            .bias
            .body
            .iter()
            .map(|mode| EncodedMode {
                relation: number(rows.get_index_of(&mode.predicate).unwrap_or(0)),
                arguments: mode
                    .arguments
                    .iter()
                    .map(|a| (a.direction, a.kind))
                    .collect(),
            })
            .collect();
        let relations = rows
            .into_iter()
            .map(|(predicate, (rows, len))| Relation::new(predicate, rows, len))
            .collect();
        let constants = task
            .bias
            .constants
            .iter()
            .map(|set| {
                (
                    set.kind,
                    set.constants.iter().map(|t| dictionary.number(t)).collect(),
                )
            })
            .collect();
        Ok(Self {
            terms: dictionary.terms,
            relations,
            modes,
            head_kinds: task
                .bias
                .head
                .arguments
                .iter()
                .map(|argument| argument.kind)
                .collect(),
            examples,
            constants,
        })
    }
}
