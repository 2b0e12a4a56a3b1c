//! A search that plays the trained user, who knows which few examples a concept needs.

use indexmap::IndexSet;
use kibitz_ilp::learn::pal::{
    Change, Definition, Domain as _, Example, Judgement, PalError, Teacher, Verdict,
};
use kibitz_ilp::{Atom, Clause, Constant, Symbol, Term};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxBuildHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agreement::Judge;
use crate::{ConceptError, Prepared, World};

/// How far the trained user looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
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

/// How much the definition still says that some examples lead to, their places in the pool, and the
/// place of the definition that the last one was added to.
type Taught = (usize, Vec<usize>, usize);

/// Agrees with everything: the user looks at the definitions afterwards.
struct Silent;

impl Teacher for Silent {
    fn classify(&mut self, _: &Example, _: Constant, _: &Change) -> Result<Verdict, PalError> {
        Ok(Verdict::Positive)
    }

    fn judge(&mut self, _: &Clause) -> Result<Judgement, PalError> {
        Ok(Judgement::Accept)
    }
}

impl Prepared {
    /// The examples of a trained user: for each initial one the fewest others found that lead to a
    /// clause of the target; `None` if none do.
    ///
    /// The user chooses among positive examples in which as little as possible is as in the initial
    /// one. Sets of them are tried in the order of their size; of each size those that leave the
    /// shortest definitions are tried with one more example.
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
            let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
            let mut chosen: Option<Vec<Example>> = None;
            for _ in 0..params.pools {
                let pool = self.unlike(first, params.pool, &mut rng)?;
                let fewer = chosen.as_ref().map_or(params.max_examples, |c| c.len() - 1);
                chosen = self.fewest(first, &pool, fewer, params.beam)?.or(chosen);
            }
            match chosen {
                Some(examples) => all.extend(examples),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Positive examples that have as few values as possible in common with the first one, and in
    /// which the same components play the same parts.
    ///
    /// They are met on a walk: each step exchanges the sides or changes one to three arguments of
    /// the last positive example.
    fn unlike(
        &self,
        first: &Example,
        n: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<Example>, ConceptError> {
        let domain = self.domain();
        let attributes = domain.attributes();
        let mut arguments = domain.arguments();
        arguments.retain(|own| own.iter().all(|&a| !attributes[a].values.is_empty()));
        let mut parts = self.parts(first)?;
        let mut met: IndexSet<Example, FxBuildHasher> = IndexSet::default();
        let mut here = first.clone();
        for _ in 0..TRIES * MET_PER_KEPT * n {
            if met.len() == MET_PER_KEPT * n {
                break;
            }
            let mut example = here.clone();
            if rng.random_bool(0.2)
                && let Some((exchanged, _)) = domain.exchanged(&example)
            {
                example = exchanged;
            } else {
                for _ in 0..rng.random_range(1..=3) {
                    let component = rng.random_range(..example.len());
                    for &attribute in arguments.choose(rng).into_iter().flatten() {
                        if let Some(value) = attributes[attribute].values.choose(rng) {
                            example[component][attribute] = *value;
                        }
                    }
                }
            }
            if example == *first || met.contains(&example) || !domain.is_legal(&example) {
                continue;
            }
            let mut positive = false;
            for part in &mut parts {
                positive = positive || part.is_played(domain, &example)?;
            }
            if positive {
                here.clone_from(&example);
                met.insert(example);
            }
        }
        let common = |example: &Example| {
            let values = example.iter().flatten().zip(first.iter().flatten());
            values.filter(|(a, b)| a == b).count()
        };
        let mut met: Vec<Example> = met.into_iter().collect();
        met.sort_by_key(common);
        met.truncate(n);
        Ok(met)
    }

    /// The ways in which the components of an example satisfy a clause of the target.
    fn parts(&self, example: &Example) -> Result<Vec<Part<'_>>, ConceptError> {
        let mut found = Vec::new();
        for clause in self.target() {
            let description = self.domain().description().predicate();
            let described: Vec<&Atom> = (clause.body.iter())
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
                body: clause.body.clone(),
            };
            for components in choices {
                let judge = Judge::new(self, std::slice::from_ref(&clause))?;
                let mut part = Part { judge, components };
                if part.is_played(self.domain(), example)? {
                    found.push(part);
                }
            }
        }
        Ok(found)
    }

    /// At most `n` examples, the first one included, that lead to a clause of the target.
    fn fewest(
        &self,
        first: &Example,
        pool: &[Example],
        n: usize,
        width: usize,
    ) -> Result<Option<Vec<Example>>, ConceptError> {
        let mut learner = self.pal(self.params());
        let defined = learner.define(first, &mut Silent);
        let mut beam: Vec<(Vec<usize>, Definition)> =
            vec![(Vec::new(), defined.map_err(|error| self.explained(error))?)];
        for _ in 1..n {
            let mut longer: Vec<Taught> = Vec::new();
            for (place, (chosen, definition)) in beam.iter().enumerate() {
                for i in (0..pool.len()).filter(|i| !chosen.contains(i)) {
                    let taught = learner.generalize_with(definition, &pool[i], &mut Silent);
                    if let Some(taught) = taught.map_err(|error| self.explained(error))? {
                        let mut indices = chosen.clone();
                        indices.push(i);
                        longer.push((size(&taught.clause), indices, place));
                    }
                }
            }
            longer.sort();
            let mut wider: Vec<(Vec<usize>, Definition)> = Vec::new();
            for (_, indices, place) in longer {
                if wider.len() == width {
                    break;
                }
                let last = &pool[indices[indices.len() - 1]];
                let judged = learner.generalize_with(&beam[place].1, last, &mut self.oracle());
                match judged.map_err(|error| self.explained(error))? {
                    Some(taught) if taught.satisfied => {
                        return Ok(Some(with_first(first, pool, &indices)));
                    }
                    Some(taught) => wider.push((indices, taught)),
                    None => {}
                }
            }
            beam = wider;
        }
        Ok(None)
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
        self.judge.covers(&Atom::new(Symbol::TRUE, args))
    }
}

fn with_first(first: &Example, pool: &[Example], indices: &[usize]) -> Vec<Example> {
    let others = indices.iter().map(|&i| pool[i].clone());
    std::iter::once(first.clone()).chain(others).collect()
}

/// Literals, and constants that the head still has.
fn size(clause: &Clause) -> usize {
    fn constants(term: &Term) -> usize {
        match term {
            Term::Const(_) => 1,
            Term::Var(_) => 0,
            Term::Compound(_, args) => args.iter().map(constants).sum(),
        }
    }
    clause.len() + clause.head.args.iter().map(constants).sum::<usize>()
}
