//! Teaching sets: a beam search for the fewest examples from which PAL learns a concept.

use indexmap::IndexSet;
use kibitz_pal::{Definition, Example, Judgement, Pal, Teacher as _};
use kibitz_prolog::{Atom, Clause, Symbol, Term};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::coverage::CoverageTester;
use crate::{ConceptDomain, ConceptError, PreparedConcept};

/// Limits of the search for a teaching set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct TeachingSetParams {
    /// Positive examples in a pool.
    pub pool: usize,
    /// Pools tried for each initial example.
    pub pools: usize,
    /// Beam width: sets of one size that are extended by another example.
    pub beam: usize,
    /// Maximum number of examples for one clause, the initial one included.
    pub max_examples: usize,
    /// Seed of the pools.
    pub seed: u64,
}

impl Default for TeachingSetParams {
    fn default() -> Self {
        Self {
            pool: 100,
            pools: 4,
            beam: 4,
            max_examples: 5,
            seed: 1992,
        }
    }
}

/// Positive examples sampled for each one that enters the pool.
const SAMPLED_PER_KEPT: usize = 10;
/// Steps of the random walk for each sampled example.
const TRIES: usize = 50;
/// Uncovered examples added for a definition at a time.
const N_UNCOVERED: usize = 16;
/// Examples drawn to find them.
const MAX_DRAWN: usize = 20_000;

impl PreparedConcept {
    /// A teaching set for the target: each initial example with the fewest others found that lead to a
    /// clause of the target; `None` if some clause is not found.
    ///
    /// The candidates are positive examples with as few values as possible in common with the initial
    /// one, and, if these do not help, positive examples that the definitions do not cover. A beam search
    /// over sets of examples, smallest first, extends the sets with the shortest definitions.
    ///
    /// # Errors
    /// The learner's own.
    ///
    /// # Source
    /// Morales 1992, section 6.3: "the minimum number of examples that a trained user (the author)
    /// needed". The thesis does not print these examples; we search for them.
    pub fn teaching_set(
        &self,
        params: TeachingSetParams,
    ) -> Result<Option<Vec<Example>>, ConceptError> {
        let mut all = Vec::new();
        for first in self.examples() {
            match self.smallest_teaching_set(first, params)? {
                Some(examples) => all.extend(examples),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// An example with the fewest others found that lead to a clause of the target; `None` if the search
    /// fails.
    ///
    /// # Errors
    /// The learner's own.
    pub fn smallest_teaching_set(
        &self,
        first: &Example,
        params: TeachingSetParams,
    ) -> Result<Option<Vec<Example>>, ConceptError> {
        let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
        let mut searches = Vec::new();
        for _ in 0..params.pools {
            let mut walk = RandomWalk::new(self, first)?;
            let pool = walk.dissimilar(params.pool, &mut rng)?;
            searches.push(BeamSearch::new(self, walk, pool)?);
        }
        if let Some(search) = searches.first()
            && search.is_complete()?
        {
            return Ok(Some(vec![first.clone()]));
        }
        for _ in 1..params.max_examples {
            for (number, search) in (0..).zip(&mut searches) {
                let seed = params.seed.wrapping_add(number);
                if let Some(others) = search.advance(params.beam, seed)? {
                    return Ok(Some(std::iter::once(first.clone()).chain(others).collect()));
                }
            }
        }
        Ok(None)
    }

    /// The matches of the target's clauses with the components of an example, and the clauses without
    /// a match.
    fn matches(&self, example: &Example) -> Result<(Vec<Match<'_>>, Vec<Clause>), ConceptError> {
        let mut found = Vec::new();
        let mut others = Vec::new();
        for whole in self.target() {
            let n_found = found.len();
            let description = self.domain().description().predicate();
            let described: Vec<&Atom> = (whole.body.iter())
                .filter(|literal| literal.positive && literal.atom.predicate() == description)
                .map(|literal| &literal.atom)
                .collect();
            let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
            for _ in &described {
                let extensions = |start: &Vec<usize>| {
                    let others = (0..example.len()).filter(|c| !start.contains(c));
                    others
                        .map(|c| [start.as_slice(), &[c]].concat())
                        .collect::<Vec<_>>()
                };
                choices = choices.iter().flat_map(extensions).collect();
            }
            let head = described.iter().flat_map(|atom| atom.args.iter().cloned());
            let clause = Clause {
                head: Atom::new(Symbol::TRUE, head),
                body: whole.body.clone(),
            };
            for components in choices {
                let clause = CoverageTester::new(self, std::slice::from_ref(&clause))?;
                let mut own = Match { clause, components };
                if own.holds(self.domain(), example)? {
                    found.push(own);
                }
            }
            if found.len() == n_found {
                others.push(whole.clone());
            }
        }
        Ok((found, others))
    }
}

/// A random walk along positive examples in which the same components match the same clause as in the
/// first. Each step exchanges the sides or changes one to three arguments of the current example.
struct RandomWalk<'a> {
    domain: &'a ConceptDomain,
    first: Example,
    current: Example,
    matches: Vec<Match<'a>>,
    /// The clauses of the target that do not cover the first example.
    others: CoverageTester<'a>,
    /// The arguments that can change.
    arguments: Vec<Vec<usize>>,
}

impl<'a> RandomWalk<'a> {
    fn new(prepared: &'a PreparedConcept, first: &Example) -> Result<Self, ConceptError> {
        let domain = prepared.domain();
        let attributes = domain.attributes();
        let mut arguments = domain.arguments();
        arguments.retain(|own| own.iter().all(|&a| !attributes[a].values.is_empty()));
        let (matches, others) = prepared.matches(first)?;
        Ok(Self {
            domain,
            first: first.clone(),
            current: first.clone(),
            matches,
            others: prepared.coverage_tester(&others)?,
            arguments,
        })
    }

    /// Proposes an example and moves there if it is positive. `None` if it is not, or if it is known or
    /// covered by another clause.
    fn step(
        &mut self,
        is_known: impl Fn(&Example) -> bool,
        rng: &mut ChaCha8Rng,
    ) -> Result<Option<Example>, ConceptError> {
        let attributes = self.domain.attributes();
        let mut example = self.current.clone();
        if rng.random_bool(0.2)
            && let Some((exchanged, _)) = self.domain.exchanged(&example)
        {
            example = exchanged;
        } else {
            for _ in 0..rng.random_range(1..=3) {
                let component = rng.random_range(..example.len());
                for &attribute in self.arguments.choose(rng).into_iter().flatten() {
                    if let Some(value) = attributes[attribute].values.choose(rng) {
                        example[component][attribute] = *value;
                    }
                }
            }
        }
        if example == self.first || is_known(&example) || !self.domain.is_legal(&example) {
            return Ok(None);
        }
        if !self.is_positive(&example)? {
            return Ok(None);
        }
        self.current.clone_from(&example);
        Ok(self.needs_this_clause(&example)?.then_some(example))
    }

    fn is_positive(&mut self, example: &Example) -> Result<bool, ConceptError> {
        for own in &mut self.matches {
            if own.holds(self.domain, example)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether no other clause of the target covers a positive example: once learned, that clause would
    /// cover the example.
    fn needs_this_clause(&mut self, positive: &Example) -> Result<bool, ConceptError> {
        Ok(!self.others.holds(self.domain.state(positive))?)
    }

    /// Samples examples and returns the `n` with the fewest values in common with the first one.
    fn dissimilar(&mut self, n: usize, rng: &mut ChaCha8Rng) -> Result<Vec<Example>, ConceptError> {
        let mut sampled: IndexSet<Example, FxBuildHasher> = IndexSet::default();
        for _ in 0..TRIES * SAMPLED_PER_KEPT * n {
            if sampled.len() == SAMPLED_PER_KEPT * n {
                break;
            }
            sampled.extend(self.step(|example| sampled.contains(example), rng)?);
        }
        let common = |example: &Example| {
            let values = example.iter().flatten().zip(self.first.iter().flatten());
            values.filter(|(a, b)| a == b).count()
        };
        let mut sampled: Vec<Example> = sampled.into_iter().collect();
        sampled.sort_by_key(common);
        sampled.truncate(n);
        Ok(sampled)
    }

    /// Positive examples with random keys that a definition does not cover.
    fn uncovered(
        &mut self,
        definition: &mut CoverageTester<'_>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<Example>, ConceptError> {
        let domain = self.domain;
        let mut found = Vec::new();
        for _ in 0..MAX_DRAWN {
            if found.len() == N_UNCOVERED {
                break;
            }
            let mut example = self.first.clone();
            if let Some((exchanged, _)) = domain.exchanged(&example).filter(|_| rng.random()) {
                example = exchanged;
            }
            for component in &mut example {
                for &attribute in domain.key() {
                    if let Some(value) = domain.attributes()[attribute].values.choose(rng) {
                        component[attribute] = *value;
                    }
                }
            }
            if domain.is_legal(&example)
                && self.is_positive(&example)?
                && self.needs_this_clause(&example)?
                && !definition.holds(domain.state(&example))?
            {
                found.push(example);
            }
        }
        Ok(found)
    }
}

/// The beam search in one pool.
struct BeamSearch<'a> {
    prepared: &'a PreparedConcept,
    walk: RandomWalk<'a>,
    learner: Pal<'a>,
    pool: Vec<Example>,
    /// Sets of examples of one size with their definitions.
    beam: Vec<Candidate>,
}

/// The result of extending the beam by one example.
enum Extension {
    /// A set that leads to a clause of the target.
    TeachingSet(Vec<Example>),
    /// The next beam.
    Beam(Vec<Candidate>),
}

/// Indices of examples in the pool, and the definition they lead to.
type Candidate = (Vec<usize>, Definition);

impl<'a> BeamSearch<'a> {
    fn new(
        prepared: &'a PreparedConcept,
        walk: RandomWalk<'a>,
        pool: Vec<Example>,
    ) -> Result<Self, ConceptError> {
        let mut learner = prepared.pal(prepared.params());
        let defined = learner.saturate(&walk.first);
        let definition = defined.map_err(|error| prepared.explained(error))?;
        Ok(Self {
            prepared,
            walk,
            learner,
            pool,
            beam: vec![(Vec::new(), definition)],
        })
    }

    /// Whether the first example alone leads to a clause of the target.
    fn is_complete(&self) -> Result<bool, ConceptError> {
        let Some((_, definition)) = self.beam.first() else {
            return Ok(false);
        };
        Ok(self.judgement(definition)? == Judgement::Stop)
    }

    fn judgement(&self, definition: &Definition) -> Result<Judgement, ConceptError> {
        let judged = (self.prepared.oracle()).judge(&self.learner.clause(definition));
        judged.map_err(|error| self.prepared.explained(error))
    }

    /// Extends each set by one example and keeps those with the shortest definitions, or returns a set
    /// that leads to a clause of the target.
    ///
    /// If no example of the pool makes a definition shorter, uncovered examples are added to the pool.
    fn advance(&mut self, width: usize, seed: u64) -> Result<Option<Vec<Example>>, ConceptError> {
        let mut beam = match self.extend_beam(width)? {
            Extension::TeachingSet(examples) => return Ok(Some(examples)),
            Extension::Beam(beam) => beam,
        };
        let shortest =
            |beam: &[Candidate]| beam.iter().map(|(_, own)| self.learner.size(own)).min();
        let shorter = shortest(&beam).is_some_and(|own| Some(own) < shortest(&self.beam));
        if !shorter {
            if !self.add_uncovered(seed)? {
                // No example can make a definition more general.
                self.beam.clear();
                return Ok(None);
            }
            beam = match self.extend_beam(width)? {
                Extension::TeachingSet(examples) => return Ok(Some(examples)),
                Extension::Beam(beam) => beam,
            };
        }
        self.beam = beam;
        Ok(None)
    }

    /// Adds examples to the pool that definitions of the beam do not cover; returns whether there are any.
    fn add_uncovered(&mut self, seed: u64) -> Result<bool, ConceptError> {
        let n_before = self.pool.len();
        let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(n_before as u64));
        for (_, definition) in &self.beam {
            let clause = self.learner.clause(definition);
            let mut definition = (self.prepared).coverage_tester(std::slice::from_ref(&clause))?;
            let found = self.walk.uncovered(&mut definition, &mut rng)?;
            self.pool.extend(found);
        }
        Ok(self.pool.len() > n_before)
    }

    /// The `width` extensions with the shortest definitions.
    fn extend_beam(&mut self, width: usize) -> Result<Extension, ConceptError> {
        let mut extensions: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        let mut tried: FxHashSet<Vec<usize>> = FxHashSet::default();
        let mut shortest = usize::MAX;
        for set_index in 0..self.beam.len() {
            for i in 0..self.pool.len() {
                let mut chosen = self.beam[set_index].0.clone();
                chosen.push(i);
                let mut set = chosen.clone();
                set.sort_unstable();
                set.dedup();
                if set.len() < chosen.len() || !tried.insert(set) {
                    continue;
                }
                let definition = self.extended(set_index, i)?;
                let size = self.learner.size(&definition);
                if size < shortest {
                    shortest = size;
                    if self.judgement(&definition)? == Judgement::Stop {
                        return Ok(Extension::TeachingSet(self.examples(&chosen)));
                    }
                }
                extensions.push((size, chosen, set_index));
            }
        }
        extensions.sort();
        let mut beam: Vec<Candidate> = Vec::new();
        for (_, chosen, set_index) in extensions {
            if beam.len() == width {
                break;
            }
            let last = chosen[chosen.len() - 1];
            let definition = self.extended(set_index, last)?;
            match self.judgement(&definition)? {
                Judgement::Stop => return Ok(Extension::TeachingSet(self.examples(&chosen))),
                Judgement::Accept => beam.push((chosen, definition)),
                Judgement::Reject => {}
            }
        }
        Ok(Extension::Beam(beam))
    }

    fn examples(&self, indices: &[usize]) -> Vec<Example> {
        indices.iter().map(|&i| self.pool[i].clone()).collect()
    }

    /// The definition of a set in the beam, generalized with another example.
    fn extended(&mut self, set_index: usize, example: usize) -> Result<Definition, ConceptError> {
        let (definition, example) = (&self.beam[set_index].1, &self.pool[example]);
        let general = self.learner.generalize_with(definition, example);
        general.map_err(|error| self.prepared.explained(error))
    }
}

/// A match of a clause of the target with components of an example. The head of the clause describes
/// all its components.
struct Match<'a> {
    clause: CoverageTester<'a>,
    components: Vec<usize>,
}

impl Match<'_> {
    /// Whether the clause also matches the same components of another example.
    fn holds(&mut self, domain: &ConceptDomain, example: &Example) -> Result<bool, ConceptError> {
        let state = Term::Const(domain.state(example));
        let mut args = Vec::new();
        for &component in &self.components {
            let described = domain.description().map_vars(&mut |var| {
                let value = example[component].get(var.index());
                value.map_or_else(|| state.clone(), |value| Term::Const(*value))
            });
            args.extend(described.args.iter().cloned());
        }
        self.clause.covers(&args)
    }
}
