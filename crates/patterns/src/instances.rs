//! Random instances of definitions.

use std::num::NonZeroU32;

use kibitz_pal::{Component, Example};
use kibitz_prolog::{Atom, Clause, Constant, Term};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::coverage::CoverageTester;
use crate::{ConceptDomain, ConceptError, PreparedConcept};

/// Positions drawn before the search for an instance is given up.
const MAX_DRAWN: u32 = 1_000_000;

impl PreparedConcept {
    /// A random instance of a definition, with the pieces of the first example on random squares. If
    /// the head of a single clause is ground, it is the only instance.
    ///
    /// # Errors
    /// The prover's own, and [`ConceptError::NoInstance`] if none is found.
    pub fn random_instance(
        &self,
        definition: &[Clause],
        seed: u64,
    ) -> Result<Example, ConceptError> {
        if let [clause] = definition
            && let Some(example) = self.described_by(&clause.head)
        {
            return Ok(example);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        self.draw_instance(&mut self.coverage_tester(definition)?, &mut rng)
    }

    /// The example that a ground head describes; `None` if the head has variables.
    fn described_by(&self, head: &Atom) -> Option<Example> {
        fn visit(term: &Term, found: &mut Vec<Option<Constant>>) {
            match term {
                Term::Compound(_, args) => args.iter().for_each(|arg| visit(arg, found)),
                Term::Const(value) => found.push(Some(*value)),
                Term::Var(_) => found.push(None),
            }
        }
        let mut values = Vec::new();
        let (_, described) = head.args.split_last()?;
        for arg in described {
            visit(arg, &mut values);
        }
        let values: Vec<Constant> = values.into_iter().collect::<Option<_>>()?;
        let components = values.chunks(self.domain().attributes().len());
        Some(components.map(Component::from).collect())
    }

    /// A random instance with few moves: of `n_drawn` instances, the first with the fewest moves of
    /// both sides.
    ///
    /// # Source
    /// Morales 1992, section 6.4.2.1: initial examples were chosen so "that only a small number of
    /// legal moves could be made".
    ///
    /// # Errors
    /// As [`random_instance`](Self::random_instance), and [`ConceptError::NotOfChess`].
    pub fn quiet_instance(
        &self,
        definition: &[Clause],
        seed: u64,
        n_drawn: NonZeroU32,
    ) -> Result<Example, ConceptError> {
        let ConceptDomain::Chess(domain) = self.domain() else {
            return Err(ConceptError::NotOfChess);
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut definition = self.coverage_tester(definition)?;
        let mut draw = || self.draw_instance(&mut definition, &mut rng);
        let mut best = draw()?;
        for _ in 1..n_drawn.get() {
            let drawn = draw()?;
            if domain.position(&drawn).n_moves() < domain.position(&best).n_moves() {
                best = drawn;
            }
        }
        Ok(best)
    }

    fn draw_instance(
        &self,
        definition: &mut CoverageTester<'_>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Example, ConceptError> {
        let attributes = self.domain().attributes();
        let mut example = self.examples().first().cloned().unwrap_or_default();
        for _ in 0..MAX_DRAWN {
            for component in &mut example {
                for &attribute in self.domain().key() {
                    let values = &attributes[attribute].values;
                    component[attribute] = values[rng.random_range(..values.len())];
                }
            }
            if self.domain().is_legal(&example)
                && definition.holds(self.domain().state(&example))?
            {
                return Ok(example);
            }
        }
        Err(ConceptError::NoInstance(MAX_DRAWN))
    }
}
