//! A task in numbers, for learners that work on ground facts.

use indexmap::IndexMap;
use kibitz_prolog::{Atom, Database, Direction, Limits, Predicate, Symbol, Term};
use rustc_hash::FxBuildHasher;

use super::dictionary::{Dictionary, number};
use super::relation::Relation;
use super::tabling::{KeepGoing, Remark, TablingError, tabulate};
use crate::eval::Lit;
use crate::task::Task;

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
    /// What was found out about the background.
    pub(crate) remarks: Vec<Remark>,
    /// By relation, whether its table may not hold all that proofs find.
    is_partial: Vec<bool>,
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
    /// Whether outputs are new variables only.
    pub(crate) is_exact: bool,
}

/// By predicate the arguments of its tuples, one after the other, and the number of tuples.
type Rows = IndexMap<Predicate, (Vec<u32>, usize), FxBuildHasher>;

/// Tables by relation, the modes that use them, and what there is to say.
struct Listing {
    relations: Vec<(Predicate, Vec<u32>, usize)>,
    modes: Vec<EncodedMode>,
    is_partial: Vec<bool>,
    remarks: Vec<Remark>,
}

impl EncodedProblem {
    /// Encodes a task. Predicates given by rules are listed; `keep_going` is asked before each goal
    /// that takes.
    pub(crate) fn new(
        task: &Task,
        db: &Database,
        limits: Limits,
        keep_going: KeepGoing<'_>,
    ) -> Result<Self, TablingError> {
        let mut dictionary = Dictionary::default();
        let examples = [&task.positive, &task.negative]
            .map(|atoms| Columns::of_atoms(atoms, task.target.arity, &mut dictionary));
        let listed = list_background(task, db, limits, &mut dictionary, keep_going)?;
        let tables = listed.relations.iter();
        let bytes: usize = tables.map(|(_, rows, _)| size_of_val(&rows[..])).sum();
        if bytes > limits.memory {
            return Err(TablingError::OutOfMemory(limits.memory));
        }
        let relations = listed.relations.into_iter();
        let relations = relations.map(|(predicate, rows, len)| Relation::new(predicate, rows, len));
        let constants = task.bias.constants.iter().map(|set| {
            let numbers = set.constants.iter().map(|term| dictionary.number(term));
            (set.kind, numbers.collect())
        });
        let constants = constants.collect();
        let head = task.bias.head.arguments.iter();
        Ok(Self {
            terms: dictionary.terms,
            relations: relations.collect(),
            modes: listed.modes,
            remarks: listed.remarks,
            is_partial: listed.is_partial,
            head_kinds: head.map(|argument| argument.kind).collect(),
            examples,
            constants,
        })
    }

    /// Whether the tables of some relation of a clause may not hold all that proofs find.
    pub(crate) fn is_partial(&self, lits: &[Lit]) -> bool {
        let mut relations = lits.iter().map(|lit| lit.relation as usize);
        relations.any(|relation| self.is_partial.get(relation).copied().unwrap_or(false))
    }

    /// Whether each variable of a clause was introduced by a literal whose outputs must be new
    /// variables: to make it equal to another would ask another question.
    pub(crate) fn exact_variables(&self, lits: &[Lit]) -> Vec<bool> {
        let is_exact = |relation: u32| {
            let mut modes = self.modes.iter();
            modes.any(|mode| mode.relation == relation && mode.is_exact)
        };
        let mut exact = vec![false; self.head_kinds.len()];
        for lit in lits.iter().filter(|lit| lit.n_new() > 0) {
            let own = is_exact(lit.relation);
            exact.extend(std::iter::repeat_n(own, lit.n_new()));
        }
        exact
    }
}

/// The tuples of the predicates that clauses may mention.
fn list_background(
    task: &Task,
    db: &Database,
    limits: Limits,
    dictionary: &mut Dictionary,
    keep_going: KeepGoing<'_>,
) -> Result<Listing, TablingError> {
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
    let tabled = tabulate(task, db, &given_by_rules, limits, keep_going)?;
    let mut encode = |tuples: &mut dyn Iterator<Item = &Vec<Term>>| -> (Vec<u32>, usize) {
        let mut len = 0;
        let table = tuples.inspect(|_| len += 1).flatten();
        let table = table.map(|term| dictionary.number(term)).collect();
        (table, len)
    };
    // Relations that several ways to call a predicate have beside the first.
    let mut further: Vec<(Predicate, Vec<u32>, usize)> = Vec::new();
    let mut relation_of: Vec<u32> = Vec::with_capacity(tabled.ways.len());
    let mut begun: Vec<Predicate> = Vec::new();
    for (at, way) in tabled.ways.iter().enumerate() {
        let predicate = task.bias.body[way.mode].predicate;
        if way.table < at {
            relation_of.push(relation_of[way.table]);
        } else if begun.contains(&predicate) {
            let (table, len) = encode(&mut way.rows.iter());
            relation_of.push(number(rows.len() + further.len()));
            further.push((predicate, table, len));
        } else {
            begun.push(predicate);
            let (table, len) = encode(&mut way.rows.iter());
            rows.insert(predicate, (table, len));
            relation_of.push(number(rows.get_index_of(&predicate).unwrap_or(0)));
        }
    }
    if task.bias.recursion && rows.contains_key(&task.target) {
        // The target inside its own definition is known by its positive examples.
        let terms = task.positive.iter().flat_map(|atom| atom.args.iter());
        let table = terms.map(|term| dictionary.number(term)).collect();
        rows.insert(task.target, (table, task.positive.len()));
    }
    let mut modes = Vec::with_capacity(task.bias.body.len());
    for (at, mode) in task.bias.body.iter().enumerate() {
        let kinds = || mode.arguments.iter().map(|argument| argument.kind);
        if !given_by_rules.contains(&mode.predicate) {
            modes.push(EncodedMode {
                relation: number(rows.get_index_of(&mode.predicate).unwrap_or(0)),
                arguments: mode
                    .arguments
                    .iter()
                    .map(|a| (a.direction, a.kind))
                    .collect(),
                is_exact: false,
            });
            continue;
        }
        for (way, &relation) in tabled.ways.iter().zip(&relation_of) {
            if way.mode == at && way.is_usable() {
                modes.push(EncodedMode {
                    relation,
                    arguments: way.directions.iter().copied().zip(kinds()).collect(),
                    is_exact: way.is_exact(),
                });
            }
        }
    }
    let relations: Vec<(Predicate, Vec<u32>, usize)> = rows
        .into_iter()
        .map(|(predicate, (table, len))| (predicate, table, len))
        .chain(further)
        .collect();
    let is_partial = relations.iter().map(|(predicate, ..)| {
        *predicate == task.target
            || (given_by_rules.contains(predicate) && !db.is_native(*predicate))
    });
    Ok(Listing {
        is_partial: is_partial.collect(),
        relations,
        modes,
        remarks: tabled.remarks,
    })
}
