use rustc_hash::FxHashMap;

use crate::term::{Atom, Symbol, Term, Var};

/// Remembers which pair of terms became which variable, so that equal pairs at different places
/// become the same variable.
///
/// The class of a pair keeps pairs apart that must not share a variable although the terms are the
/// same; plain least general generalizations use class 0 throughout.
#[derive(Clone, Debug, Default)]
pub struct Generalizer {
    vars: FxHashMap<(Term, Term, u32), Var>,
}

impl Generalizer {
    /// A generalizer without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// The variable that stands for a pair of differing terms.
    ///
    /// # Panics
    /// With more than 2³² variables.
    pub(crate) fn var(&mut self, left: &Term, right: &Term, class: u32) -> Var {
        let next = Var(u32::try_from(self.vars.len()).expect("fewer than 2^32 variables"));
        *self
            .vars
            .entry((left.clone(), right.clone(), class))
            .or_insert(next)
    }

    /// The variables so far, in their order, with the pairs of terms that they stand for.
    pub fn pairs(&self) -> Vec<(Var, [Term; 2])> {
        let pairs = self.vars.iter();
        let mut pairs: Vec<(Var, [Term; 2])> = pairs
            .map(|((left, right, _), var)| (*var, [left.clone(), right.clone()]))
            .collect();
        pairs.sort_by_key(|(var, _)| *var);
        pairs
    }

    /// The least general generalization of two terms.
    ///
    /// Variables in the terms count as terms of their own: equal ones on both sides still become
    /// a new variable.
    ///
    /// # Panics
    /// With more than 2³² variables.
    pub(crate) fn terms(&mut self, left: &Term, right: &Term) -> Term {
        let joined = self.joined(left, right, &mut |_, _| Some(0));
        joined.expect("every pair has a class")
    }

    /// The least general generalization of two terms whose pairs of parts get classes; `None` if one
    /// of them has none.
    pub(super) fn joined(
        &mut self,
        left: &Term,
        right: &Term,
        class: &mut impl FnMut(&Term, &Term) -> Option<u32>,
    ) -> Option<Term> {
        // From a term to its last argument in a loop, so that long lists take no stack.
        let mut open = Vec::new();
        let (mut left, mut right) = (left, right);
        let mut last = loop {
            let Some((functor, pairs, last)) = pairs(left, right) else {
                let class = class(left, right)?;
                break match (left, right) {
                    (Term::Const(a), Term::Const(b)) if a == b => left.clone(),
                    _ => Term::Var(self.var(left, right, class)),
                };
            };
            let parts = pairs.map(|(x, y)| self.joined(x, y, class));
            open.push((functor, parts.collect::<Option<Vec<Term>>>()?));
            (left, right) = last;
        };
        while let Some((functor, mut parts)) = open.pop() {
            parts.push(last);
            last = Term::Compound(functor, parts.into());
        }
        Some(last)
    }

    /// The least general generalization of two atoms, `None` for different predicates.
    pub fn atoms(&mut self, left: &Atom, right: &Atom) -> Option<Atom> {
        if left.predicate() != right.predicate() {
            return None;
        }
        let args = left
            .args
            .iter()
            .zip(right.args.iter())
            .map(|(x, y)| self.terms(x, y))
            .collect();
        Some(Atom {
            name: left.name,
            args,
        })
    }
}

/// The function symbol that two terms share, the pairs of their arguments but the last, and the last.
#[expect(clippy::type_complexity, reason = "three things that are used at once")]
fn pairs<'t>(
    left: &'t Term,
    right: &'t Term,
) -> Option<(
    Symbol,
    impl Iterator<Item = (&'t Term, &'t Term)>,
    (&'t Term, &'t Term),
)> {
    match (left, right) {
        (Term::Compound(f, xs), Term::Compound(g, ys)) if f == g && xs.len() == ys.len() => {
            let ((x, xs), (y, ys)) = (xs.split_last()?, ys.split_last()?);
            Some((*f, xs.iter().zip(ys), (x, y)))
        }
        _ => None,
    }
}
