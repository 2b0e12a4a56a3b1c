//! Saturation: the bottom clause of an example relative to the background.

use kibitz_prolog::Constant;
use rustc_hash::FxHashMap;

use crate::dynamic::{FeatureFacts, Move, StaticFacts, append_dynamic_literals};
use crate::fact_cache::{FactCache, FactSource};
use crate::interning::{self, Interner, TermId};
use crate::literals::Literals;
use crate::pattern::Pattern;
use crate::{Example, Novelty, PalError};

/// Bottom clauses kept before all of them are dropped.
const MAX_KEPT: usize = 256;

/// Derives the bottom clauses of examples, and keeps them.
pub(crate) struct Saturator<'a> {
    pub(crate) cache: FactCache<'a>,
    pub(crate) interner: Interner,
    novelty: Novelty,
    n_states: usize,
    /// Bottom clauses with all components of their examples.
    known: FxHashMap<Example, Pattern>,
}

impl<'a> Saturator<'a> {
    pub(crate) fn new(cache: FactCache<'a>, novelty: Novelty) -> Self {
        Self {
            cache,
            interner: Interner::new(),
            novelty,
            n_states: 0,
            known: FxHashMap::default(),
        }
    }

    /// A new name for a state.
    fn fresh_state(&mut self) -> TermId {
        self.n_states += 1;
        interning::state(self.n_states)
    }

    /// The bottom clause of an example, restricted to literals about the relevant components.
    ///
    /// # Source
    /// Morales 1992, section 5.2.2, equations (5.4) and (5.5), and 5.2.3.3.
    pub(crate) fn bottom_clause(
        &mut self,
        example: &Example,
        relevant: &[usize],
        dynamic: bool,
    ) -> Result<Pattern, PalError> {
        if let Some(known) = self.known.get(example) {
            return Ok(known.restricted(relevant, &self.interner));
        }
        let whole = self.saturate(example, dynamic)?;
        let pattern = whole.restricted(relevant, &self.interner);
        if self.known.len() == MAX_KEPT {
            self.known.clear();
        }
        self.known.insert(example.clone(), whole);
        Ok(pattern)
    }

    fn saturate(&mut self, example: &Example, dynamic: bool) -> Result<Pattern, PalError> {
        let state = self.cache.domain.state(example);
        let mut literals = Literals::default();
        let statics = self.add_static_literals(example, state, &mut literals)?;
        if dynamic {
            for made in &Move::all(&mut self.cache, state)? {
                let next = self.fresh_state();
                append_dynamic_literals(
                    &mut self.cache,
                    &mut self.interner,
                    self.novelty,
                    &statics,
                    made,
                    next,
                    &mut literals,
                )?;
            }
        }
        let (mut description, ids) = literals.into_parts();
        let body = description.split_off(example.len());
        Ok(Pattern {
            components: (0..example.len()).collect(),
            state: statics.state,
            description,
            body,
            ids: ids.into(),
        })
    }

    /// Adds the description of the components, then the facts of all features.
    fn add_static_literals<'e>(
        &mut self,
        example: &'e Example,
        state: Constant,
        literals: &mut Literals,
    ) -> Result<StaticFacts<'e>, PalError> {
        let token = self.fresh_state();
        let components: Vec<_> = (example.iter().map(Vec::as_slice).enumerate()).collect();
        for &component in &components {
            let description = &self.cache.description;
            literals.push_description(description, component, token, true, &mut self.interner);
        }
        let mut features = Vec::with_capacity(self.cache.background.features.len());
        for (f, feature) in self.cache.background.features.iter().enumerate() {
            let facts = self.cache.facts(state, FactSource::Feature(f))?;
            let interner = &mut self.interner;
            let mut kinds = Vec::new();
            for (i, row) in facts.rows().enumerate() {
                feature.each_labeling(row, &components, &mut |labels| {
                    let kind = interner.kind(&feature.atom, labels, true, false);
                    kinds.push((i, kind));
                    let ids = interner.intern_fact(kind, row, [token; 2]);
                    literals.add(kind, feature.atom.name, ids, |other| other == kind);
                });
            }
            let facts = FeatureFacts { facts, kinds };
            if let Some(comparison) = &self.cache.background.comparison {
                let known = facts.integers(feature);
                for (i, a) in known.iter().enumerate() {
                    for b in &known[..i] {
                        let interner = &mut self.interner;
                        literals.add_comparison(comparison, [*a, *b], token, false, interner);
                    }
                }
            }
            features.push(facts);
        }
        Ok(StaticFacts {
            example,
            components,
            state: token,
            features,
        })
    }
}
