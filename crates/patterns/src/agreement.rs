//! How a definition compares with another one, position by position.

use std::num::NonZeroU32;

use kibitz_ilp::learn::pal::{Component, Example, PalError};
use kibitz_ilp::{AdaptiveJoin, Atom, Clause, Constant, Proof, Symbol, TabledProver, Term, Var};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{ConceptError, Position, Prepared, World};

/// Positions drawn before none is expected any more.
const MAX_DRAWN: u32 = 1_000_000;

/// What some positions say of a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Positions tried.
    pub positions: u32,
    /// Positions in which the reference holds.
    pub positive: u32,
    /// Positions in which the definition holds.
    pub covered: u32,
    /// Positions in which both hold.
    pub both: u32,
}

impl Agreement {
    fn count(&mut self, reference: bool, definition: bool) {
        self.positions += 1;
        self.positive += u32::from(reference);
        self.covered += u32::from(definition);
        self.both += u32::from(reference && definition);
    }

    /// Positions in which definition and reference agree.
    pub fn agreed(&self) -> u32 {
        self.positions + 2 * self.both - self.positive - self.covered
    }

    /// Share of the positions in which they agree, from 0 to 1; none without positions.
    pub fn accuracy(&self) -> Option<f64> {
        share(self.agreed(), self.positions)
    }

    /// Share of the positions in which the definition holds that the reference holds in as well.
    pub fn precision(&self) -> Option<f64> {
        share(self.both, self.covered)
    }

    /// Share of the positions in which the reference holds that the definition holds in as well.
    pub fn recall(&self) -> Option<f64> {
        share(self.both, self.positive)
    }
}

fn share(part: u32, whole: u32) -> Option<f64> {
    (whole > 0).then(|| f64::from(part) / f64::from(whole))
}

impl Prepared {
    /// Compares a definition with the target on random positions: half of them with all attributes
    /// drawn anew, half near the examples, where the concept is more frequent.
    ///
    /// # Errors
    /// What the prover cannot do.
    pub fn agreement(
        &self,
        definition: &[Clause],
        positions: u32,
        seed: u64,
    ) -> Result<Agreement, ConceptError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let drawn = (1..=1000 * u64::from(positions)).map(|i| {
            let change = if i.is_multiple_of(2) { 1.0 } else { 0.3 };
            let example = &self.examples()[rng.random_range(..self.examples().len())];
            self.vary(example, change, &mut rng)
        });
        let legal = drawn.filter(|example| self.domain().is_legal(example));
        self.agreement_on(definition, self.target(), legal.take(positions as usize))
    }

    /// Compares a definition with another one on every placement of the pieces of the first
    /// example: 262,144 of three pieces.
    ///
    /// # Errors
    /// What the prover cannot do.
    pub fn agreement_everywhere(
        &self,
        definition: &[Clause],
        reference: &[Clause],
    ) -> Result<Agreement, ConceptError> {
        let attributes = self.domain().attributes();
        let first: Example = self.examples().first().cloned().unwrap_or_default();
        let places: Vec<(usize, usize)> = (0..first.len())
            .flat_map(|c| (0..attributes.len()).map(move |a| (c, a)))
            .filter(|&(_, a)| !attributes[a].values.is_empty())
            .collect();
        let sizes = places.iter().map(|&(_, a)| attributes[a].values.len());
        let placed = |mut number: usize| {
            let mut example = first.clone();
            for &(c, a) in &places {
                let values = &attributes[a].values;
                example[c][a] = values[number % values.len()];
                number /= values.len();
            }
            example
        };
        let all = (0..sizes.product()).map(placed);
        let legal = all.filter(|example| self.domain().is_legal(example));
        self.agreement_on(definition, reference, legal)
    }

    /// Compares a definition with another one on these examples.
    ///
    /// # Errors
    /// What the prover cannot do.
    pub fn agreement_on(
        &self,
        definition: &[Clause],
        reference: &[Clause],
        examples: impl IntoIterator<Item = Example>,
    ) -> Result<Agreement, ConceptError> {
        let (mut reference, mut own) = (self.judge(reference)?, self.judge(definition)?);
        let mut found = Agreement::default();
        for example in examples {
            let state = self.domain().state(&example);
            found.count(reference.holds(state)?, own.holds(state)?);
        }
        Ok(found)
    }

    /// Compares a definition with what is known of these positions, and the first one on which they
    /// differ.
    ///
    /// # Errors
    /// What the prover cannot do, a concept that is not of chess, and the errors among the cases.
    pub fn agreement_with(
        &self,
        definition: &[Clause],
        cases: impl IntoIterator<Item = Result<(Position, bool), ConceptError>>,
    ) -> Result<(Agreement, Option<Position>), ConceptError> {
        let mut own = self.judge(definition)?;
        let mut found = Agreement::default();
        let mut first = None;
        for case in cases {
            let (position, reference) = case?;
            let state = self.domain().chess_state(position.clone())?;
            let holds = own.holds(state)?;
            found.count(reference, holds);
            if holds != reference && first.is_none() {
                first = Some(position);
            }
        }
        Ok((found, first))
    }

    /// Positions, each with whether a definition holds in it.
    ///
    /// # Errors
    /// As [`agreement_with`](Self::agreement_with), at once or in place of a position.
    pub fn judged<'p>(
        &'p self,
        definition: &[Clause],
        positions: impl IntoIterator<Item = Position> + 'p,
    ) -> Result<impl Iterator<Item = Result<(Position, bool), ConceptError>> + 'p, ConceptError>
    {
        let mut judge = self.judge(definition)?;
        Ok(positions.into_iter().map(move |position| {
            let state = self.domain().chess_state(position.clone())?;
            Ok((position, judge.holds(state)?))
        }))
    }

    /// A random position in which a definition holds, one for each seed: the pieces of the first
    /// example on other squares; the only one if the head of a single clause names all squares.
    ///
    /// # Errors
    /// What the prover cannot do; [`ConceptError::NoInstance`] where none is met.
    pub fn random_instance(
        &self,
        definition: &[Clause],
        seed: u64,
    ) -> Result<Example, ConceptError> {
        if let [clause] = definition
            && let Some(example) = self.named_in(&clause.head)
        {
            return Ok(example);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        self.draw_instance(&mut self.judge(definition)?, &mut rng)
    }

    /// The example whose components a head lists, if it leaves nothing of them open.
    fn named_in(&self, head: &Atom) -> Option<Example> {
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

    /// Of several random positions in which a definition holds, the first of those with the fewest moves
    /// of either side.
    ///
    /// # Source
    /// Morales 1992, section 6.4.2.1: initial examples were chosen so "that only a small number of
    /// legal moves could be made".
    ///
    /// # Errors
    /// As [`random_instance`](Self::random_instance), and a concept that is not of chess.
    pub fn quiet_instance(
        &self,
        definition: &[Clause],
        seed: u64,
        n_drawn: NonZeroU32,
    ) -> Result<Example, ConceptError> {
        let World::Chess(domain) = self.domain() else {
            return Err(ConceptError::NotOfChess);
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut definition = self.judge(definition)?;
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
        definition: &mut Judge<'_>,
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

    pub(crate) fn judge(&self, clauses: &[Clause]) -> Result<Judge<'_>, ConceptError> {
        let of_state = |clause: &Clause| Clause {
            head: Atom::new(Symbol::TRUE, clause.head.args.last().cloned()),
            body: clause.body.clone(),
        };
        let clauses: Vec<Clause> = clauses.iter().map(of_state).collect();
        Judge::new(self, &clauses)
    }

    /// A random variant of an example: each attribute is drawn anew with probability `change`.
    fn vary(&self, example: &Example, change: f64, rng: &mut ChaCha8Rng) -> Example {
        let mut varied = example.clone();
        for component in &mut varied {
            for (value, attribute) in component.iter_mut().zip(self.domain().attributes()) {
                if !attribute.values.is_empty() && rng.random_bool(change) {
                    *value = attribute.values[rng.random_range(..attribute.values.len())];
                }
            }
        }
        varied
    }
}

/// Clauses that can be tried on many atoms.
pub(crate) struct Judge<'a> {
    of: &'a Prepared,
    prover: TabledProver<'a>,
    clauses: Vec<Tried<'a>>,
    /// The values of a clause's variables.
    given: Vec<(Var, Term)>,
}

/// A clause to be tried.
struct Tried<'a> {
    head: Atom,
    body: AdaptiveJoin<'a>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(of: &'a Prepared, clauses: &[Clause]) -> Result<Self, ConceptError> {
        let mut prover = TabledProver::new(of.database(), of.params().limits);
        let tried = clauses.iter().map(|clause| {
            let mut given = Vec::new();
            clause.head.for_each_var(&mut |var| given.push(var));
            Ok(Tried {
                head: clause.head.clone(),
                body: prover.adaptive_join(&clause.body, &given)?,
            })
        });
        let clauses = tried.collect::<Result<_, ConceptError>>()?;
        Ok(Self {
            of,
            prover,
            clauses,
            given: Vec::new(),
        })
    }

    /// Whether some clause, whose head is the state alone, holds in a state.
    pub(crate) fn holds(&mut self, state: Constant) -> Result<bool, ConceptError> {
        self.covers(&[Term::Const(state)])
    }

    /// Whether some clause covers an atom with these arguments, which have no variables.
    pub(crate) fn covers(&mut self, args: &[Term]) -> Result<bool, ConceptError> {
        for clause in &mut self.clauses {
            self.given.clear();
            let mut bind = |var, value: &Term| {
                let known = self.given.iter().find(|(own, _)| *own == var);
                let is_new = known.is_none();
                let fits = known.is_none_or(|(_, known)| known == value);
                if is_new {
                    self.given.push((var, value.clone()));
                }
                fits
            };
            let mut places = clause.head.args.iter().zip(args);
            if !places.all(|(own, arg)| own.matches(arg, &mut bind)) {
                continue;
            }
            let proof = self.prover.prove_adaptively(&mut clause.body, &self.given);
            match proof.map_err(|error| self.of.explained(PalError::Prover(error)))? {
                Proof::Proved => return Ok(true),
                Proof::Refuted => {}
                _ => {
                    return Err(PalError::OutOfSteps(self.of.params().limits.steps).into());
                }
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_count() {
        let mut found = Agreement::default();
        for (reference, definition, n) in [
            (true, true, 3),
            (true, false, 1),
            (false, true, 2),
            (false, false, 4),
        ] {
            (0..n).for_each(|_| found.count(reference, definition));
        }
        assert_eq!(found.agreed(), 7);
        assert_eq!(found.accuracy(), Some(0.7));
        assert_eq!(found.precision(), Some(0.6));
        assert_eq!(found.recall(), Some(0.75));
        assert_eq!(Agreement::default().recall(), None);
    }
}
