//! Definitions judged on all positions.

use std::collections::BTreeMap;

use kibitz_experiment::{CellError, RowOutput};
use kibitz_ilp::Task;
use kibitz_prolog::{
    Atom, BitSet, Clause, Limits, Prover, ProverError, SymbolTable, Term, Var, bits_where,
    print_clause, read_clauses,
};

use super::examples::Examples;
use super::space::{Background, Concept, N_POSITIONS, atom, position, task, truth};
use crate::clauses;
use crate::memo::Memo;

/// A definition and the positions each clause covers.
pub(super) struct DefinitionCoverage {
    clauses: Vec<Clause>,
    covered: Vec<BitSet>,
    symbols: SymbolTable,
}

/// The positions that each reference clause covers.
pub(super) struct Reference {
    covered: Vec<BitSet>,
    /// Those that any covers.
    pub(super) union: BitSet,
    /// Those of which the concept is true.
    pub(super) truth: BitSet,
    /// All positions as atoms, in the order of their numbers: the target is the same symbol in every
    /// task of the concept.
    atoms: Vec<Atom>,
    /// What clauses over the background alone cover, by their text: many draws lead to the same.
    known: Memo<BitSet>,
}

impl Reference {
    pub(super) fn new(concept: Concept, clauses: &[String]) -> Result<Self, CellError> {
        let background = [
            Background::Adjacent,
            Background::AdjOrEq,
            Background::LessThan,
            Background::Equal,
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
            truth: truth(concept),
            covered,
            atoms,
            known: Memo::default(),
        })
    }
}

impl DefinitionCoverage {
    /// Finds out which positions each clause covers.
    pub(super) fn new(
        mut task: Task,
        clauses: Vec<Clause>,
        reference: &Reference,
    ) -> Result<Self, CellError> {
        let of_background = clauses.iter();
        let mut of_background =
            of_background.map(|clause| is_of_background(clause, &clauses, &task));
        let covered = if of_background.all(|own| own) {
            let covered = clauses
                .iter()
                .map(|clause| covered_by_parts(&mut task, clause, reference));
            covered.collect::<Result<Vec<_>, _>>()?
        } else {
            let theory = std::slice::from_ref(&clauses);
            coverage(&mut task, theory, &reference.atoms)?.concat()
        };
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
    pub(super) fn describe(&self, reference: &Reference, row: &mut RowOutput<'_>) {
        let theory = clauses::print(&self.clauses, &self.symbols);
        let theory = if theory.is_empty() {
            "none".into()
        } else {
            theory
        };
        row.set("clauses", self.clauses.len()).set("theory", theory);
        describe_decided(&self.union(), reference, row);
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

/// Whether a clause of a theory calls only facts of the background, which are the same in
/// every task that has them.
fn is_of_background(clause: &Clause, theory: &[Clause], task: &Task) -> bool {
    clause.body.iter().all(|literal| {
        let own = literal.atom.predicate();
        let defines = |clause: &Clause| clause.head.predicate() == own;
        task.background.iter().any(defines) && !theory.iter().any(defines)
    })
}

/// The positions that a clause over the background alone covers: those that each of its conditions
/// allows. A condition looks at few coordinates, and many clauses share it.
fn covered_by_parts(
    task: &mut Task,
    clause: &Clause,
    reference: &Reference,
) -> Result<BitSet, ProverError> {
    let mut covered = BitSet::with_capacity(N_POSITIONS);
    covered.insert_range(..);
    for part in parts(clause) {
        let text = print_clause(&part.normalized(), &task.symbols).to_string();
        let own = if let Some(known) = reference.known.get(&text) {
            known
        } else {
            let found = coverage(task, &[vec![part]], &reference.atoms)?.concat();
            let own = union(&found);
            reference.known.insert(text, own.clone());
            own
        };
        covered.intersect_with(&own);
    }
    Ok(covered)
}

/// Clauses whose coverages intersect in that of a clause: one for each coordinate that is a constant or the
/// same as an earlier one, and one for each literal; the clause itself if literals share variables that
/// the head does not have.
fn parts(clause: &Clause) -> Vec<Clause> {
    let args = &clause.head.args;
    let first = |term: &Term| args.iter().position(|own| own == term);
    let mut is_free = true;
    for literal in &clause.body {
        let mut terms = literal.atom.args.iter();
        is_free &= terms.all(|term| term.is_ground() || first(term).is_some());
    }
    let is_simple = |term: &Term| term.is_ground() || matches!(term, Term::Var(_));
    if !is_free || !args.iter().all(is_simple) {
        return vec![clause.clone()];
    }
    let vars: Vec<Term> = (0u32..).map(Term::var).take(args.len()).collect();
    let head = |place: usize, term: &Term| {
        let mut own = vars.clone();
        own[place] = term.clone();
        Atom::new(clause.head.name, own)
    };
    let mut parts = Vec::new();
    for (place, term) in args.iter().enumerate() {
        if term.is_ground() {
            parts.push(Clause::fact(head(place, term)));
        } else if let Some(earlier) = first(term).filter(|earlier| *earlier < place) {
            parts.push(Clause::fact(head(place, &vars[earlier])));
        }
    }
    for literal in &clause.body {
        let mut literal = literal.clone();
        let value = |term: &Term| first(term).filter(|_| !term.is_ground());
        let terms = literal.atom.args.iter();
        let terms: Vec<Term> = terms
            .map(|term| value(term).map_or_else(|| term.clone(), |place| vars[place].clone()))
            .collect();
        literal.atom = Atom::new(literal.atom.name, terms);
        parts.push(Clause::new(
            Atom::new(clause.head.name, vars.clone()),
            vec![literal],
        ));
    }
    parts
}

/// The positions that each clause of each theory covers.
fn coverage(
    task: &mut Task,
    theories: &[Vec<Clause>],
    atoms: &[Atom],
) -> Result<Vec<Vec<BitSet>>, ProverError> {
    debug_assert!(atoms.iter().all(|atom| atom.name == task.target.name));
    let db = task.database()?;
    let mut prover = Prover::new(&db, Limits::default());
    let theories = theories.iter().map(|clauses| {
        let prepared = prover.prepare(clauses)?;
        prover.load(&prepared);
        let covered = clauses.iter().enumerate().map(|(number, clause)| {
            // One position stands for all that differ in what the clause does not look at.
            let seen = coordinates_seen(clause);
            let mut covered = BitSet::with_capacity(atoms.len());
            for index in numbers_within(seen) {
                let proof = prover.covers(&prepared, number, &atoms[index])?;
                covered.set(index, proof.is_proved());
            }
            if seen == N_POSITIONS - 1 {
                return Ok(covered);
            }
            Ok(bits_where(atoms.len(), |index| {
                covered.contains(index & seen)
            }))
        });
        covered.collect()
    });
    theories.collect()
}

/// The bits of a position's number that hold the coordinates on which it depends whether the clause
/// covers the position: not those of variables that occur nowhere else.
fn coordinates_seen(clause: &Clause) -> usize {
    let mut occurrences: BTreeMap<Var, usize> = BTreeMap::new();
    clause.for_each_var(&mut |var| *occurrences.entry(var).or_default() += 1);
    let coordinates = clause.head.args.iter().map(|arg| match arg {
        Term::Var(var) if occurrences.get(var) == Some(&1) => 0,
        _ => 7,
    });
    coordinates.fold(0, |seen, coordinate| seen << 3 | coordinate)
}

/// The numbers that have no other bits than these, in ascending order.
fn numbers_within(bits: usize) -> impl Iterator<Item = usize> {
    let next = move |number: &usize| Some(number.wrapping_sub(bits) & bits).filter(|n| *n > 0);
    std::iter::successors(Some(0), next)
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

/// Fills the columns about the accuracy of classifying exactly these positions as positive.
pub(super) fn describe_decided(covered: &BitSet, reference: &Reference, row: &mut RowOutput<'_>) {
    let [fp, fn_] = wrong(covered, &reference.truth);
    row.set("accuracy", percent_right([fp, fn_]))
        .set("false-positives", fp)
        .set("false-negatives", fn_)
        .set("correct", if fp + fn_ == 0 { "yes" } else { "no" });
}

/// The share, in percent, of the positions that are no examples that is decided rightly.
pub(super) fn right_elsewhere(covered: &BitSet, reference: &Reference, examples: &Examples) -> f64 {
    let mut wrong = covered.clone();
    wrong.symmetric_difference_with(&reference.truth);
    let elsewhere = N_POSITIONS - examples.given.count_ones(..);
    100.0 * (1.0 - wrong.difference_count(&examples.given) as f64 / elsewhere as f64)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_clause_does_not_look_at_does_not_matter() {
        let mut task = task(Concept::Illegal, &[Background::AdjOrEq]);
        let text = "illegal(A,B,A,D,3,F) :- adj_or_eq(B,F). illegal(A,B,C,D,A,F).";
        let clauses = read_clauses(text, &mut task.symbols).expect("valid");
        let seen: Vec<usize> = clauses.iter().map(coordinates_seen).collect();
        assert_eq!(seen, [0o777_077, 0o700_070]);
        let atoms: Vec<Atom> = (0..N_POSITIONS)
            .map(|index| atom(&task, position(index)))
            .collect();
        let covered =
            coverage(&mut task, std::slice::from_ref(&clauses), &atoms).expect("provable");
        let reference = Reference::new(Concept::Illegal, &[]).expect("valid");
        for (clause, covered) in clauses.iter().zip(&covered[0]) {
            let by_parts = covered_by_parts(&mut task, clause, &reference).expect("provable");
            assert_eq!(by_parts, *covered);
        }
        let [first, second] = &covered[0][..] else {
            panic!("two clauses");
        };
        for (index, [a, b, c, _, e, f]) in (0..N_POSITIONS).map(|index| (index, position(index))) {
            let expected = a == c && e == 3 && (b - f).abs() <= 1;
            assert_eq!(first.contains(index), expected, "{index}");
            assert_eq!(second.contains(index), a == e, "{index}");
        }
    }
}
