//! Definitions judged on all positions.

use kibitz_experiment::{CellError, RowOutput};
use kibitz_ilp::{
    Atom, BitSet, Clause, Evaluator, Limits, Prover, ProverError, SymbolTable, Task, print_clause,
    read_clauses,
};

use super::space::{Background, Concept, N_POSITIONS, atom, position, task, truth};
use crate::clauses;
use crate::remembered::Remembered;

/// A definition and the positions each clause covers.
pub(super) struct Judged {
    clauses: Vec<Clause>,
    covered: Vec<BitSet>,
    symbols: SymbolTable,
}

/// The positions that each reference clause covers.
pub(super) struct Reference {
    covered: Vec<BitSet>,
    /// Those that any covers.
    pub(super) union: BitSet,
    /// All positions as atoms, in the order of their numbers: the target is the same symbol in every
    /// task of the concept.
    atoms: Vec<Atom>,
    /// What clauses over the background alone cover, by their text: many draws lead to the same.
    known: Remembered<BitSet>,
}

impl Reference {
    pub(super) fn new(concept: Concept, clauses: &[String]) -> Result<Self, CellError> {
        let background = [
            Background::Adjacent,
            Background::AdjOrEq,
            Background::LessThan,
        ];
        let mut task = task(concept, &background);
        let read = |text: &String| read_clauses(text, &mut task.symbols);
        let theories = clauses.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let atoms: Vec<Atom> = (0..N_POSITIONS)
            .map(|index| atom(&task, position(index)))
            .collect();
        let covered = coverage(&mut task, &theories, &atoms)?;
        let covered: Vec<BitSet> = covered.iter().map(|clauses| union(clauses)).collect();
        Ok(Self {
            union: union(&covered),
            covered,
            atoms,
            known: Remembered::default(),
        })
    }
}

impl Judged {
    /// Finds out which positions each clause covers.
    pub(super) fn new(
        mut task: Task,
        clauses: Vec<Clause>,
        reference: &Reference,
    ) -> Result<Self, CellError> {
        let texts = clauses.iter().map(|clause| {
            let own = || print_clause(&clause.normalized(), &task.symbols).to_string();
            is_of_background(clause, &clauses, &task).then(own)
        });
        let texts: Vec<Option<String>> = texts.collect();
        let known = texts.iter().map(|text| reference.known.get(text.as_ref()?));
        let covered = if let Some(covered) = known.collect::<Option<Vec<_>>>() {
            covered
        } else {
            let theory = std::slice::from_ref(&clauses);
            coverage(&mut task, theory, &reference.atoms)?.concat()
        };
        for (text, covered) in texts.into_iter().zip(&covered) {
            if let Some(text) = text {
                reference.known.insert(text, covered.clone());
            }
        }
        Ok(Self {
            clauses,
            covered,
            symbols: task.symbols,
        })
    }

    /// The positions that any clause covers.
    pub(super) fn union(&self) -> BitSet {
        union(&self.covered)
    }

    /// Fills the columns that every definition has.
    pub(super) fn describe(&self, concept: Concept, row: &mut RowOutput<'_>) {
        let [fp, fn_] = wrong(&self.union(), &truth(concept));
        let theory = clauses::print(&self.clauses, &self.symbols);
        row.set("clauses", self.clauses.len())
            .set("accuracy", percent_right([fp, fn_]))
            .set("false-positives", fp)
            .set("false-negatives", fn_)
            .set("correct", if fp + fn_ == 0 { "yes" } else { "no" })
            .set(
                "theory",
                if theory.is_empty() {
                    "none".into()
                } else {
                    theory
                },
            );
    }

    /// Whether it is compared with the reference: a reference clause alone is not compared with
    /// itself.
    pub(super) fn is_comparable(&self) -> bool {
        self.clauses.len() > 1
    }

    /// Fills the columns that compare it with the reference, if there is one.
    pub(super) fn compare(&self, reference: &Reference, row: &mut RowOutput<'_>) {
        if reference.covered.is_empty() {
            return;
        }
        let (mut found, mut special, mut list) = (0u64, 0u64, Vec::new());
        for (number, whole) in (1..).zip(&reference.covered) {
            let is_part = |own: &BitSet| own.count_ones(..) > 1 && own.is_subset(whole);
            if self.covered.iter().any(|own| whole.is_subset(own)) {
                found += 1;
                list.push(number.to_string());
            } else if self.covered.iter().any(is_part) {
                special += 1;
                list.push(format!("special case of {number}"));
            }
        }
        row.set(
            "agreement",
            percent_right(wrong(&self.union(), &reference.union)),
        )
        .set("found", found)
        .set("special", special)
        .set("list", list.join(", "));
    }
}

/// Whether a clause of a theory calls nothing but facts of the background, which are the same in
/// every task that has them.
fn is_of_background(clause: &Clause, theory: &[Clause], task: &Task) -> bool {
    clause.body.iter().all(|literal| {
        let own = literal.atom.predicate();
        let defines = |clause: &Clause| clause.head.predicate() == own;
        task.background.iter().any(defines) && !theory.iter().any(defines)
    })
}

/// The positions that each clause of each theory covers.
fn coverage(
    task: &mut Task,
    theories: &[Vec<Clause>],
    atoms: &[Atom],
) -> Result<Vec<Vec<BitSet>>, ProverError> {
    debug_assert!(atoms.iter().all(|atom| atom.name == task.target.name));
    let db = task.database()?;
    let mut evaluator = Evaluator::new(&db, Limits::default(), atoms, &[]);
    let theories = theories.iter().map(|clauses| {
        let coverages = evaluator.theory(clauses)?;
        let positive = coverages.into_iter().map(|coverage| coverage.positive);
        Ok(positive.collect())
    });
    theories.collect()
}

fn union(covered: &[BitSet]) -> BitSet {
    let mut union = BitSet::with_capacity(N_POSITIONS);
    for covered in covered {
        union.union_with(covered);
    }
    union
}

/// Positions covered that should not be, and those not covered that should be.
fn wrong(covered: &BitSet, wanted: &BitSet) -> [usize; 2] {
    [
        covered.difference_count(wanted),
        wanted.difference_count(covered),
    ]
}

fn percent_right([fp, fn_]: [usize; 2]) -> f64 {
    100.0 * (1.0 - (fp + fn_) as f64 / N_POSITIONS as f64)
}

/// The first position of the order that the clauses decide otherwise than the labels do.
pub(super) fn first_wrong(
    task: &mut Task,
    clauses: &[Clause],
    labels: &BitSet,
    order: &[usize],
) -> Result<Option<usize>, ProverError> {
    let db = task.database()?;
    let mut prover = Prover::new(&db, Limits::default());
    let prepared = prover.prepare(clauses)?;
    prover.load(&prepared);
    for &index in order {
        let atom = atom(task, position(index));
        let mut covered = false;
        for clause in 0..clauses.len() {
            covered = covered || prover.covers(&prepared, clause, &atom)?.is_proved();
        }
        if covered != labels.contains(index) {
            return Ok(Some(index));
        }
    }
    Ok(None)
}
