use std::sync::Arc;

use super::Generalizer;
use crate::term::{Atom, Clause, Literal, Term};

/// Most pairs of body literals that are looked at.
const MAX_PAIRS: usize = 1_000_000;

/// A literal of one of the two clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LiteralRef {
    /// The head.
    Head,
    /// A body literal, by position.
    Body(usize),
}

/// Decides which parts of two clauses may be generalized together.
///
/// This is the hook for labeled generalization: a caller that keeps a label for every constant of
/// every literal answers from the places it is asked about.
///
/// # Source
/// Morales 1992, section 5.2.3.2: literals are only generalized with literals of the same label.
pub trait Compatibility {
    /// Whether two literals of one predicate and sign may be generalized at all.
    fn literals(&self, left: LiteralRef, right: LiteralRef) -> bool {
        let _ = (left, right);
        true
    }

    /// Whether two terms at the same place may be generalized together. `argument` counts the
    /// arguments of the literal from 0; terms inside a compound argument are asked about with the
    /// argument they belong to.
    ///
    /// `Some(class)` allows it; the same pair of terms becomes the same variable only within one
    /// class. `None` drops the pair of literals altogether.
    fn terms(
        &self,
        left: (LiteralRef, &Term),
        right: (LiteralRef, &Term),
        argument: usize,
    ) -> Option<u32> {
        let _ = (left, right, argument);
        Some(0)
    }
}

/// Everything is compatible: Plotkin's generalization.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FullCompatibility;

impl Compatibility for FullCompatibility {}

/// A generalization together with where its literals come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedLgg {
    /// The generalization, not reduced.
    pub clause: Clause,
    /// For every body literal the positions of its parents in the two bodies.
    pub parents: Vec<(usize, usize)>,
}

/// Plotkin's least general generalization of two clauses; `None` if the heads have different
/// predicates.
///
/// The body holds a literal for each compatible pair, at most the product of the two lengths, in
/// the order of the pairs and without repetition; `reduced` of `kibitz-ilp` shortens it.
///
/// # Examples
/// ```
/// # use kibitz_prolog::{SymbolTable, read_clause, print_clause, lgg_clauses};
/// let mut symbols = SymbolTable::new();
/// let a = read_clause("win(conf1) :- occ(place1, x, conf1), occ(place2, o, conf1)", &mut symbols)?;
/// let b = read_clause("win(conf2) :- occ(place1, x, conf2), occ(place2, x, conf2)", &mut symbols)?;
/// let lgg = lgg_clauses(&a, &b).expect("one predicate");
/// assert_eq!(
///     print_clause(&lgg.normalized(), &symbols).to_string(),
///     "win(A) :- occ(place1,x,A), occ(B,x,A), occ(C,D,A), occ(place2,D,A)."
/// );
/// # Ok::<(), kibitz_prolog::ReadErrors>(())
/// ```
pub fn lgg_clauses(left: &Clause, right: &Clause) -> Option<Clause> {
    lgg_clauses_with(left, right, &FullCompatibility).map(|traced| traced.clause)
}

/// The least general generalization among those a [`Compatibility`] allows; `None` if it does not
/// allow the heads.
///
/// Where two pairs give the same literal, the first one is kept as its parents. More than a million
/// pairs are not looked at: the generalization of such clauses is more general than the least.
pub fn lgg_clauses_with(
    left: &Clause,
    right: &Clause,
    compatible: &impl Compatibility,
) -> Option<TracedLgg> {
    let mut pairing = Pairer {
        generalizer: Generalizer::new(),
        compatible,
    };
    let head = pairing.atoms(
        (LiteralRef::Head, &left.head),
        (LiteralRef::Head, &right.head),
    )?;
    let mut body: indexmap::IndexMap<Literal, (usize, usize), rustc_hash::FxBuildHasher> =
        indexmap::IndexMap::default();
    let mut pairs = 0;
    for (i, a) in left.body.iter().enumerate() {
        pairs += right.body.len();
        if pairs > MAX_PAIRS {
            break;
        }
        for (j, b) in right.body.iter().enumerate() {
            if a.positive != b.positive {
                continue;
            }
            let atom = pairing.atoms(
                (LiteralRef::Body(i), &a.atom),
                (LiteralRef::Body(j), &b.atom),
            );
            if let Some(atom) = atom {
                body.entry(Literal {
                    positive: a.positive,
                    atom,
                })
                .or_insert((i, j));
            }
        }
    }
    let (body, parents) = body.into_iter().unzip();
    Some(TracedLgg {
        clause: Clause { head, body },
        parents,
    })
}

struct Pairer<'c, C> {
    generalizer: Generalizer,
    compatible: &'c C,
}

impl<C: Compatibility> Pairer<'_, C> {
    fn atoms(
        &mut self,
        (left, a): (LiteralRef, &Atom),
        (right, b): (LiteralRef, &Atom),
    ) -> Option<Atom> {
        if a.predicate() != b.predicate() || !self.compatible.literals(left, right) {
            return None;
        }
        let compatible = self.compatible;
        let args: Arc<[Term]> = a
            .args
            .iter()
            .zip(b.args.iter())
            .enumerate()
            .map(|(argument, (x, y))| {
                let class = |x: &Term, y: &Term| compatible.terms((left, x), (right, y), argument);
                self.generalizer.joined(x, y, &mut { class })
            })
            .collect::<Option<_>>()?;
        Some(Atom { name: a.name, args })
    }
}
