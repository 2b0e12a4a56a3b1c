//! Dynamic literals: how the facts of a state change with its legal moves.

use std::rc::Rc;
use std::sync::Arc;

use kibitz_prolog::Constant;

use crate::fact_cache::{FactCache, FactSource, Facts};
use crate::feature::{Feature, Label, Role};
use crate::interning::{Interner, TermId};
use crate::literals::Literals;
use crate::{Component, Example, Novelty, PalError};

/// The facts of one feature in the state of an example.
pub(crate) struct FeatureFacts {
    pub(crate) facts: Rc<Facts>,
    /// Index of a fact and kind of its literal: a fact has several kinds if its arguments can come
    /// from the components in several ways.
    pub(crate) kinds: Vec<(usize, usize)>,
}

impl FeatureFacts {
    /// The integers of the facts that come from no component.
    pub(crate) fn integers(&self, feature: &Feature) -> Vec<i64> {
        let facts = self.kinds.iter().map(|(fact, _)| self.facts.row(*fact));
        facts.flat_map(|fact| feature.integers(fact)).collect()
    }

    /// Whether one of the facts has these values, in any state.
    fn contains(&self, feature: &Feature, row: &[Constant]) -> bool {
        let mut facts = self.kinds.iter().map(|(fact, _)| self.facts.row(*fact));
        facts.any(|fact| feature.equal_up_to_state(fact, row))
    }
}

/// An example with the facts of its state.
pub(crate) struct StaticFacts<'e> {
    pub(crate) example: &'e Example,
    /// The components with their indices.
    pub(crate) components: Vec<(usize, &'e [Constant])>,
    /// The state.
    pub(crate) state: TermId,
    /// One entry for each feature.
    pub(crate) features: Vec<FeatureFacts>,
}

/// A legal move.
pub(crate) struct Move {
    /// The arguments of the transition.
    row: Vec<Constant>,
    /// The successor state.
    next: Constant,
    /// The moving component in both states.
    before: Component,
    after: Component,
    /// Components that the successor lacks.
    captured: Vec<Component>,
    /// Components of the successor.
    components: Vec<Component>,
}

impl Move {
    /// The legal moves of a state, in the order of the transition's answers.
    pub(crate) fn all(cache: &mut FactCache<'_>, state: Constant) -> Result<Vec<Move>, PalError> {
        let mut moves = Vec::new();
        let Some(transition) = &cache.background.transition else {
            return Ok(moves);
        };
        let Some(next) = transition.roles.iter().position(|r| *r == Role::Next) else {
            return Ok(moves);
        };
        let current = cache.components(state)?;
        for row in cache.facts(state, FactSource::Transition)?.rows() {
            let next = row[next];
            let components = cache.components(next)?;
            let mover = current.iter().find(|own| is_moved(transition, row, own));
            let after = components.iter().find(|own| !current.contains(own));
            let (Some(mover), Some(after)) = (mover, after) else {
                continue;
            };
            let captured = current
                .iter()
                .filter(|own| *own != mover && !components.contains(own));
            moves.push(Move {
                next,
                before: mover.clone(),
                after: after.clone(),
                captured: captured.cloned().collect(),
                components,
                row: row.to_vec(),
            });
        }
        Ok(moves)
    }
}

/// Whether a component has the values of the transition's first part.
fn is_moved(transition: &Feature, row: &[Constant], component: &Component) -> bool {
    let mut leaves = transition.roles.iter().zip(row);
    leaves.all(|(role, value)| match role {
        Role::Of {
            part: 0, attribute, ..
        } => *value == component[*attribute],
        _ => true,
    })
}

/// Appends the dynamic literals of a move to `body`: the facts that it adds and removes, with the
/// move itself before them. A move that changes nothing adds no literals.
///
/// # Source
/// Morales 1992, sections 5.2.2.3 and 5.2.3.3.
pub(crate) fn append_dynamic_literals(
    cache: &mut FactCache<'_>,
    interner: &mut Interner,
    novelty: Novelty,
    statics: &StaticFacts<'_>,
    made: &Move,
    next: TermId,
    body: &mut Literals,
) -> Result<(), PalError> {
    let background = cache.background;
    let Some(transition) = &background.transition else {
        return Ok(());
    };
    let Some(mut changes) = Changes::of(made, statics, next, background.comparison.as_ref()) else {
        return Ok(());
    };
    for captured in &made.captured {
        if let Some(index) = changes.index_in_example(captured) {
            let component = (index, captured.as_slice());
            let description = &cache.description;
            (changes.after).push_description(description, component, next, false, interner);
        }
    }
    let by_components = novelty == Novelty::Components;
    for (f, old) in statics.features.iter().enumerate() {
        let feature = &background.features[f];
        if !feature.has_state() {
            continue;
        }
        let new = cache.facts(made.next, FactSource::Feature(f))?;
        let kept = if old.kinds.is_empty() || by_components {
            changes.compare(feature, old, &new, interner)
        } else {
            vec![false; old.kinds.len()]
        };
        if by_components || new.is_empty() {
            changes.add_removed(feature, old, &new, &kept, interner);
        }
    }
    changes.append_to(body, transition, interner);
    Ok(())
}

/// The changes that a move makes to the facts of an example.
struct Changes<'m> {
    made: &'m Move,
    statics: &'m StaticFacts<'m>,
    /// Index of the moving component.
    mover: usize,
    /// The components of the successor that are components of the example, with their indices.
    components: Vec<(usize, &'m [Constant])>,
    /// The successor state.
    next: TermId,
    /// Negated literals about the state before the move.
    before: Literals,
    /// Literals about the successor.
    after: Literals,
    comparison: Option<&'m Feature>,
}

impl<'m> Changes<'m> {
    /// No changes yet; `None` if the moving component is not part of the example.
    fn of(
        made: &'m Move,
        statics: &'m StaticFacts<'m>,
        next: TermId,
        comparison: Option<&'m Feature>,
    ) -> Option<Self> {
        let mut changes = Self {
            made,
            statics,
            mover: statics.example.iter().position(|c| *c == made.before)?,
            components: Vec::new(),
            next,
            before: Literals::default(),
            after: Literals::default(),
            comparison,
        };
        for component in &made.components {
            let index = if *component == made.after {
                Some(changes.mover)
            } else {
                changes.index_in_example(component)
            };
            (changes.components).extend(index.map(|index| (index, component.as_slice())));
        }
        Some(changes)
    }

    fn index_in_example(&self, component: &Component) -> Option<usize> {
        self.statics.example.iter().position(|own| own == component)
    }

    /// Whether the move changes the attribute of a label.
    fn changes(&self, label: &Label) -> bool {
        matches!(label, Label::Of { component, attribute }
            if *component == self.mover
                && self.made.before[*attribute] != self.made.after[*attribute])
    }

    /// Compares the facts of a feature before and after the move. The new facts whose components
    /// had none become literals; the result marks the old facts whose components are in a new
    /// one.
    fn compare(
        &mut self,
        feature: &Feature,
        old: &FeatureFacts,
        new: &Facts,
        interner: &mut Interner,
    ) -> Vec<bool> {
        let mut kept = vec![false; old.kinds.len()];
        let mut changed = Vec::new();
        let components = std::mem::take(&mut self.components);
        for row in new.rows() {
            feature.each_labeling(row, &components, &mut |labels| {
                let mut is_added = true;
                for ((fact, kind), kept) in old.kinds.iter().zip(&mut kept) {
                    if feature.same_components(&interner.kinds[*kind].labels, labels) {
                        *kept = true;
                        is_added = false;
                        if self.comparison.is_some() {
                            let both = [old.facts.row(*fact), row];
                            self.add_changed(feature, labels, both, &mut changed, interner);
                        }
                    }
                }
                if is_added {
                    self.add_added(feature, labels, row, old, interner);
                }
            });
        }
        self.components = components;
        if !changed.is_empty() {
            self.add_comparisons(&old.integers(feature), &changed, interner);
        }
        kept
    }

    /// Adds a new fact as a literal after the move, and the same fact about the old values as a
    /// negated literal before it.
    fn add_added(
        &mut self,
        feature: &Feature,
        labels: &[Label],
        row: &[Constant],
        old: &FeatureFacts,
        interner: &mut Interner,
    ) {
        let old_value = |(label, value): (&Label, &Constant)| match label {
            Label::Of { attribute, .. } if self.changes(label) => self.made.before[*attribute],
            _ => *value,
        };
        let old_row: Vec<Constant> = labels.iter().zip(row).map(old_value).collect();
        // The fact may have held before of a component that the example lacks.
        if !labels.contains(&Label::Free) && !old.contains(feature, &old_row) {
            let kind = interner.kind(&feature.atom, labels, false, false);
            let states = [self.statics.state; 2];
            (self.before).push(kind, interner.intern_fact(kind, &old_row, states));
        }
        self.add_after(feature, labels, row, interner);
    }

    /// Adds a fact as a literal after the move.
    fn add_after(
        &mut self,
        feature: &Feature,
        labels: &[Label],
        row: &[Constant],
        interner: &mut Interner,
    ) {
        let unchanged = |label: &Label| {
            if self.changes(label) {
                Label::Free
            } else {
                *label
            }
        };
        let labels: Vec<Label> = labels.iter().map(unchanged).collect();
        let kind = interner.kind(&feature.atom, &labels, true, true);
        (self.after).push(kind, interner.intern_fact(kind, row, [self.next; 2]));
    }

    /// Adds a fact about the same components as one before the move as a literal after it if an integer
    /// is another, which joins `changed`.
    fn add_changed(
        &mut self,
        feature: &Feature,
        labels: &[Label],
        [before, after]: [&[Constant]; 2],
        changed: &mut Vec<i64>,
        interner: &mut Interner,
    ) {
        let n_known = changed.len();
        let both = feature.integers(before).zip(feature.integers(after));
        changed.extend(both.filter(|(old, new)| old != new).map(|(_, new)| new));
        if changed.len() > n_known {
            self.add_after(feature, labels, after, interner);
        }
    }

    /// Says how the integers that a move changed compare with each other and with those before it.
    fn add_comparisons(&mut self, old: &[i64], changed: &[i64], interner: &mut Interner) {
        let Some(comparison) = self.comparison else {
            return;
        };
        for (i, new) in changed.iter().enumerate() {
            for other in old.iter().chain(&changed[..i]) {
                let pair = [*new, *other];
                (self.after).add_comparison(comparison, pair, self.next, true, interner);
            }
        }
    }

    /// Adds the old facts that no longer hold as negated literals after the move.
    fn add_removed(
        &mut self,
        feature: &Feature,
        old: &FeatureFacts,
        new: &Facts,
        kept: &[bool],
        interner: &mut Interner,
    ) {
        for (&(fact, kind), kept) in old.kinds.iter().zip(kept) {
            let (fact, labels) = (old.facts.row(fact), &interner.kinds[kind].labels);
            // The fact may still hold of a component that the example lacks.
            if *kept
                || labels.contains(&Label::Free)
                || new.rows().any(|row| feature.equal_up_to_state(row, fact))
            {
                continue;
            }
            let labels = Arc::clone(labels);
            let kind = interner.kind(&feature.atom, &labels, false, true);
            (self.after).push(kind, interner.intern_fact(kind, fact, [self.next; 2]));
        }
    }

    /// Appends the literals before the move, the move and the literals after it, if the move changes
    /// anything.
    fn append_to(self, body: &mut Literals, transition: &Feature, interner: &mut Interner) {
        if self.after.rows.is_empty() {
            return;
        }
        body.append(&self.before, interner);
        let states = [self.statics.state, self.next];
        transition.each_labeling(&self.made.row, &self.statics.components, &mut |labels| {
            let kind = interner.kind(&transition.atom, labels, true, false);
            let ids = interner.intern_fact(kind, &self.made.row, states);
            body.add(kind, transition.atom.name, ids, |other| other == kind);
        });
        body.append(&self.after, interner);
    }
}
