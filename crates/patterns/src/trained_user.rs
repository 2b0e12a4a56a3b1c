//! A search that plays the trained user, who knows which few examples a concept needs.

use indexmap::IndexSet;
use kibitz_ilp::learn::pal::{Definition, Example, Judgement, Pal, Teacher as _};
use kibitz_ilp::{Atom, Clause, Symbol, Term};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::agreement::Judge;
use crate::{ConceptError, Prepared, World};

/// How far the trained user looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct UserParams {
    /// Positive examples to choose from at a time.
    pub pool: usize,
    /// Pools tried for each initial example.
    pub pools: usize,
    /// Sets of examples of one size that are tried with one more example.
    pub beam: usize,
    /// Most examples for one clause, the initial one included.
    pub max_examples: usize,
    /// Seed of the pools.
    pub seed: u64,
}

impl Default for UserParams {
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

/// Positive examples met for each one that is kept.
const MET_PER_KEPT: usize = 10;
/// Examples tried for each positive one that is wanted.
const TRIES: usize = 50;
/// Examples outside a definition that the user thinks of at a time.
const OUTSIDE: usize = 16;
/// Examples drawn for them.
const MAX_DRAWN_OUTSIDE: usize = 20_000;

impl Prepared {
    /// The examples of a trained user: for each initial one the fewest others found that lead to a
    /// clause of the target; `None` if none do.
    ///
    /// The user chooses among positive examples in which as little as possible is as in the initial
    /// one, and where these do not help among others that the definition does not cover. Sets of them
    /// are tried in the order of their size; of each size those that leave the shortest definitions are
    /// tried with one more example.
    ///
    /// # Errors
    /// What the learner cannot do.
    ///
    /// # Source
    /// Morales 1992, section 6.3: "the minimum number of examples that a trained user (the author)
    /// needed". Which ones these were is not printed; we let a search play the user.
    pub fn chosen_examples(
        &self,
        params: UserParams,
    ) -> Result<Option<Vec<Example>>, ConceptError> {
        let mut all = Vec::new();
        for first in self.examples() {
            match self.fewest_examples(first, params)? {
                Some(examples) => all.extend(examples),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// An example and the fewest others that lead to a clause of the target; `None` if none do.
    ///
    /// # Errors
    /// What the learner cannot do.
    pub fn fewest_examples(
        &self,
        first: &Example,
        params: UserParams,
    ) -> Result<Option<Vec<Example>>, ConceptError> {
        let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
        let mut searches = Vec::new();
        for _ in 0..params.pools {
            let mut walk = Walk::new(self, first)?;
            let pool = walk.unlike(params.pool, &mut rng)?;
            searches.push(PoolSearch::new(self, walk, pool)?);
        }
        if let Some(search) = searches.first()
            && search.is_taught()?
        {
            return Ok(Some(vec![first.clone()]));
        }
        for _ in 1..params.max_examples {
            for (number, search) in (0..).zip(&mut searches) {
                let seed = params.seed.wrapping_add(number);
                if let Some(others) = search.lengthen(params.beam, seed)? {
                    return Ok(Some(std::iter::once(first.clone()).chain(others).collect()));
                }
            }
        }
        Ok(None)
    }

    /// The ways in which the components of an example satisfy a clause of the target, and the
    /// clauses it does not satisfy.
    fn parts(&self, example: &Example) -> Result<(Vec<Part<'_>>, Vec<Clause>), ConceptError> {
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
                let longer = |start: &Vec<usize>| {
                    let others = (0..example.len()).filter(|c| !start.contains(c));
                    others
                        .map(|c| [start.as_slice(), &[c]].concat())
                        .collect::<Vec<_>>()
                };
                choices = choices.iter().flat_map(longer).collect();
            }
            let head = described.iter().flat_map(|atom| atom.args.iter().cloned());
            let clause = Clause {
                head: Atom::new(Symbol::TRUE, head),
                body: whole.body.clone(),
            };
            for components in choices {
                let judge = Judge::new(self, std::slice::from_ref(&clause))?;
                let mut part = Part { judge, components };
                if part.is_played(self.domain(), example)? {
                    found.push(part);
                }
            }
            if found.len() == n_found {
                others.push(whole.clone());
            }
        }
        Ok((found, others))
    }
}

/// A walk along positive examples in which the same components play the same parts as in the first:
/// each step exchanges the sides or changes one to three arguments of the last positive example.
struct Walk<'a> {
    domain: &'a World,
    first: Example,
    here: Example,
    parts: Vec<Part<'a>>,
    /// The clauses of the target that the first does not satisfy.
    others: Judge<'a>,
    /// The arguments that can change.
    arguments: Vec<Vec<usize>>,
}

impl<'a> Walk<'a> {
    fn new(prepared: &'a Prepared, first: &Example) -> Result<Self, ConceptError> {
        let domain = prepared.domain();
        let attributes = domain.attributes();
        let mut arguments = domain.arguments();
        arguments.retain(|own| own.iter().all(|&a| !attributes[a].values.is_empty()));
        let (parts, others) = prepared.parts(first)?;
        Ok(Self {
            domain,
            first: first.clone(),
            here: first.clone(),
            parts,
            others: prepared.judge(&others)?,
            arguments,
        })
    }

    /// Tries another example, and goes there if it is positive; none if it is not, or if what is
    /// known says that it is not wanted.
    fn step(
        &mut self,
        is_known: impl Fn(&Example) -> bool,
        rng: &mut ChaCha8Rng,
    ) -> Result<Option<Example>, ConceptError> {
        let attributes = self.domain.attributes();
        let mut example = self.here.clone();
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
        self.here.clone_from(&example);
        Ok(self.is_wanted(&example)?.then_some(example))
    }

    fn is_positive(&mut self, example: &Example) -> Result<bool, ConceptError> {
        for part in &mut self.parts {
            if part.is_played(self.domain, example)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether no other clause covers a positive example: it would not be asked about once that
    /// clause is found.
    fn is_wanted(&mut self, positive: &Example) -> Result<bool, ConceptError> {
        Ok(!self.others.holds(self.domain.state(positive))?)
    }

    /// Examples that have as few values as possible in common with the first one.
    fn unlike(&mut self, n: usize, rng: &mut ChaCha8Rng) -> Result<Vec<Example>, ConceptError> {
        let mut met: IndexSet<Example, FxBuildHasher> = IndexSet::default();
        for _ in 0..TRIES * MET_PER_KEPT * n {
            if met.len() == MET_PER_KEPT * n {
                break;
            }
            met.extend(self.step(|example| met.contains(example), rng)?);
        }
        let common = |example: &Example| {
            let values = example.iter().flatten().zip(self.first.iter().flatten());
            values.filter(|(a, b)| a == b).count()
        };
        let mut met: Vec<Example> = met.into_iter().collect();
        met.sort_by_key(common);
        met.truncate(n);
        Ok(met)
    }

    /// Examples that a definition does not cover, met among random places of the components.
    fn outside(
        &mut self,
        definition: &mut Judge<'_>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<Example>, ConceptError> {
        let domain = self.domain;
        let mut met = Vec::new();
        for _ in 0..MAX_DRAWN_OUTSIDE {
            if met.len() == OUTSIDE {
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
                && self.is_wanted(&example)?
                && !definition.holds(domain.state(&example))?
            {
                met.push(example);
            }
        }
        Ok(met)
    }
}

/// The search for few examples in one pool.
struct PoolSearch<'a> {
    prepared: &'a Prepared,
    walk: Walk<'a>,
    learner: Pal<'a>,
    pool: Vec<Example>,
    /// Sets of examples, all of one size, and the definitions they lead to.
    beam: Vec<Taught>,
}

/// What sets with one more example yield.
enum Lengthened {
    /// Examples that lead to a clause of the target.
    Taught(Vec<Example>),
    /// Sets that do not.
    Beam(Vec<Taught>),
}

/// Places of examples in the pool, and the definition they lead to.
type Taught = (Vec<usize>, Definition);

impl<'a> PoolSearch<'a> {
    fn new(
        prepared: &'a Prepared,
        walk: Walk<'a>,
        pool: Vec<Example>,
    ) -> Result<Self, ConceptError> {
        let mut learner = prepared.pal(prepared.params());
        let defined = learner.define(&walk.first);
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
    fn is_taught(&self) -> Result<bool, ConceptError> {
        let Some((_, definition)) = self.beam.first() else {
            return Ok(false);
        };
        Ok(self.judged(definition)? == Judgement::Stop)
    }

    fn judged(&self, definition: &Definition) -> Result<Judgement, ConceptError> {
        let judged = (self.prepared.oracle()).judge(&self.learner.clause(definition));
        judged.map_err(|error| self.prepared.explained(error))
    }

    /// Adds one example to each set and keeps those with the shortest definitions; or finds a set
    /// that leads to a clause of the target.
    ///
    /// Where no example of the pool makes a definition shorter, the user thinks of some that the
    /// definitions do not cover.
    fn lengthen(&mut self, width: usize, seed: u64) -> Result<Option<Vec<Example>>, ConceptError> {
        let mut wider = match self.longer(width)? {
            Lengthened::Taught(examples) => return Ok(Some(examples)),
            Lengthened::Beam(wider) => wider,
        };
        let shortest = |beam: &[Taught]| beam.iter().map(|(_, own)| self.learner.size(own)).min();
        let shorter = shortest(&wider).is_some_and(|own| Some(own) < shortest(&self.beam));
        if !shorter {
            if !self.look_outside(seed)? {
                // Nothing is left that could make a definition more general.
                self.beam.clear();
                return Ok(None);
            }
            wider = match self.longer(width)? {
                Lengthened::Taught(examples) => return Ok(Some(examples)),
                Lengthened::Beam(wider) => wider,
            };
        }
        self.beam = wider;
        Ok(None)
    }

    /// Adds examples to the pool that definitions of the beam do not cover; whether there are any.
    fn look_outside(&mut self, seed: u64) -> Result<bool, ConceptError> {
        let n_before = self.pool.len();
        let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(n_before as u64));
        for (_, definition) in &self.beam {
            let clause = self.learner.clause(definition);
            let mut judge = self.prepared.judge(std::slice::from_ref(&clause))?;
            self.pool.extend(self.walk.outside(&mut judge, &mut rng)?);
        }
        Ok(self.pool.len() > n_before)
    }

    /// The sets with one more example that have the shortest definitions.
    fn longer(&mut self, width: usize) -> Result<Lengthened, ConceptError> {
        let mut longer: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        let mut tried: FxHashSet<Vec<usize>> = FxHashSet::default();
        let mut shortest = usize::MAX;
        for place in 0..self.beam.len() {
            for i in 0..self.pool.len() {
                let mut chosen = self.beam[place].0.clone();
                chosen.push(i);
                let mut set = chosen.clone();
                set.sort_unstable();
                set.dedup();
                if set.len() < chosen.len() || !tried.insert(set) {
                    continue;
                }
                let taught = self.taught(place, i)?;
                let size = self.learner.size(&taught);
                if size < shortest {
                    shortest = size;
                    if self.judged(&taught)? == Judgement::Stop {
                        return Ok(Lengthened::Taught(self.examples(&chosen)));
                    }
                }
                longer.push((size, chosen, place));
            }
        }
        longer.sort();
        let mut wider: Vec<Taught> = Vec::new();
        for (_, chosen, place) in longer {
            if wider.len() == width {
                break;
            }
            let last = chosen[chosen.len() - 1];
            let taught = self.taught(place, last)?;
            match self.judged(&taught)? {
                Judgement::Stop => return Ok(Lengthened::Taught(self.examples(&chosen))),
                Judgement::Accept => wider.push((chosen, taught)),
                Judgement::Reject => {}
            }
        }
        Ok(Lengthened::Beam(wider))
    }

    fn examples(&self, places: &[usize]) -> Vec<Example> {
        places.iter().map(|&i| self.pool[i].clone()).collect()
    }

    /// The definition of a set in the beam generalized with one more example.
    fn taught(&mut self, place: usize, example: usize) -> Result<Definition, ConceptError> {
        let (definition, example) = (&self.beam[place].1, &self.pool[example]);
        let taught = self.learner.generalize_with(definition, example);
        taught.map_err(|error| self.prepared.explained(error))
    }
}

/// A clause of the target whose head is the description of all its components, and which components
/// of an example these are.
struct Part<'a> {
    judge: Judge<'a>,
    components: Vec<usize>,
}

impl Part<'_> {
    /// Whether these components of another example satisfy the clause.
    fn is_played(&mut self, domain: &World, example: &Example) -> Result<bool, ConceptError> {
        let state = Term::Const(domain.state(example));
        let mut args = Vec::new();
        for &component in &self.components {
            let described = domain.description().map_vars(&mut |var| {
                let value = example[component].get(var.index());
                value.map_or_else(|| state.clone(), |value| Term::Const(*value))
            });
            args.extend(described.args.iter().cloned());
        }
        self.judge.covers(&args)
    }
}
