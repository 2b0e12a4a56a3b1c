//! PAL's algorithm for randomly generated examples (Morales 1992, Table 6.1).

use kibitz_ilp::{
    Atom, Clause, Compatible, Database, Evaluator, Limits, Literal, LiteralRef, ProverError, Task,
    Term, lgg_clauses_with,
};

use super::space::Background;

/// Learns clauses that cover all positive examples and no negative one.
///
/// A clause starts as the first example with all facts that relate its coordinates, and is
/// generalised with the other examples one by one as long as no negative example is covered.
pub(super) fn learn(task: &Task, db: &Database) -> Result<Vec<Clause>, ProverError> {
    let mut evaluator = Evaluator::new(db, Limits::default(), &task.positive, &task.negative);
    let mut open: Vec<usize> = (0..task.positive.len()).collect();
    let mut theory = Vec::new();
    while let Some((&first, rest)) = open.split_first() {
        let mut current = Labelled::of_example(task, &task.positive[first]);
        let mut stored = Vec::new();
        for &example in rest {
            let other = Labelled::of_example(task, &task.positive[example]);
            match current.generalised_with(&other) {
                Some(wider) if !evaluator.admits_negative(&wider.clause)? => current = wider,
                _ => stored.push(example),
            }
        }
        let clause = current.clause.normalized();
        let covered = evaluator.clause(&clause)?;
        open = stored;
        open.retain(|&example| !covered.positive.contains(example));
        theory.push(clause);
    }
    Ok(theory)
}

/// A clause whose body literals are labelled with the two places of the head they relate.
struct Labelled {
    clause: Clause,
    labels: Vec<Label>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Label {
    predicate: usize,
    places: [usize; 2],
}

impl Labelled {
    /// The example with every fact of the binary background predicates about its coordinates.
    fn of_example(task: &Task, example: &Atom) -> Self {
        let mut body = Vec::new();
        let mut labels = Vec::new();
        for (index, mode) in task.bias.body.iter().enumerate() {
            for left in 0..example.args.len() {
                for right in (0..example.args.len()).filter(|&right| right != left) {
                    let head = &task.bias.head.arguments;
                    let typed = mode.arguments.len() == 2
                        && mode.arguments[0].kind == head[left].kind
                        && mode.arguments[1].kind == head[right].kind;
                    let args = [example.args[left].clone(), example.args[right].clone()];
                    let atom = Atom::new(mode.predicate.name, args);
                    let fact = |clause: &Clause| clause.body.is_empty() && clause.head == atom;
                    if typed && task.background.iter().any(fact) {
                        body.push(Literal::positive(atom));
                        labels.push(Label {
                            predicate: index,
                            places: [left, right],
                        });
                    }
                }
            }
        }
        Self {
            clause: Clause::new(example.clone(), body),
            labels,
        }
    }

    /// The constrained least general generalisation: of literals with one label, and with one
    /// variable for one pair of values of files, or of ranks.
    fn generalised_with(&self, other: &Self) -> Option<Self> {
        let labels = SameLabel {
            left: &self.labels,
            right: &other.labels,
        };
        let lgg = lgg_clauses_with(&self.clause, &other.clause, &labels)?;
        Some(Self {
            labels: lgg.parents.iter().map(|&(i, _)| self.labels[i]).collect(),
            clause: lgg.clause,
        })
    }
}

struct SameLabel<'a> {
    left: &'a [Label],
    right: &'a [Label],
}

impl Compatible for SameLabel<'_> {
    fn literals(&self, left: LiteralRef, right: LiteralRef) -> bool {
        match (left, right) {
            (LiteralRef::Body(i), LiteralRef::Body(j)) => self.left[i] == self.right[j],
            (left, right) => left == right,
        }
    }

    fn terms(
        &self,
        (left, _): (LiteralRef, &Term),
        _: (LiteralRef, &Term),
        argument: usize,
    ) -> Option<u32> {
        let place = match left {
            LiteralRef::Head => argument,
            LiteralRef::Body(i) => self.left[i].places[argument],
        };
        // Files are at even places, ranks at odd ones.
        Some(u32::from(place % 2 == 1))
    }
}

/// Whether the algorithm can use a background predicate.
pub(super) fn takes(background: Background) -> bool {
    matches!(
        background,
        Background::Adjacent | Background::AdjOrEq | Background::LessThan
    )
}
