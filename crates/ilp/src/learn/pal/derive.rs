use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::facts::{FactBase, Facts, Source};
use super::feature::{Feature, Label, Role, leaves};
use super::lexicon::{self, Code, Lexicon};
use super::pattern::{Literals, Pattern};
use super::{Component, Example, Novelty, PalError};
use crate::term::{Constant, Term};

/// Patterns remembered before all of them are forgotten.
const MAX_REMEMBERED: usize = 256;

/// The facts of one feature in a state, each with the kind of literal that says it.
struct Said {
    facts: Rc<Facts>,
    /// Places of the facts, and kinds: a fact may be about components in several ways.
    kinds: Vec<(usize, usize)>,
}

/// One move out of a state.
struct Move {
    /// The transition's values.
    row: Vec<Constant>,
    /// The state it leads to.
    next: Constant,
    /// The component that moves, before and after.
    before: Component,
    after: Component,
    /// Components that are no longer there.
    gone: Vec<Component>,
    /// Components of the next state.
    components: Vec<Component>,
}

/// Derives patterns from examples.
pub(super) struct Deriver<'a> {
    pub(super) base: FactBase<'a>,
    pub(super) lexicon: Lexicon,
    novelty: Novelty,
    states: usize,
    /// Patterns of examples with all their components.
    known: FxHashMap<Example, Pattern>,
}

impl<'a> Deriver<'a> {
    pub(super) fn new(base: FactBase<'a>, novelty: Novelty) -> Self {
        Self {
            base,
            lexicon: Lexicon::new(),
            novelty,
            states: 0,
            known: FxHashMap::default(),
        }
    }

    /// A name for a state of one clause.
    fn state(&mut self) -> Code {
        self.states += 1;
        lexicon::state(self.states)
    }

    fn feature(&self, index: usize) -> &'a Feature {
        &self.base.background.features[index]
    }

    /// The moves out of a state.
    fn moves(&mut self, state: Constant) -> Result<Vec<Move>, PalError> {
        let mut moves = Vec::new();
        let Some(transition) = &self.base.background.transition else {
            return Ok(moves);
        };
        let here = self.base.components(state)?;
        let next = transition.roles.iter().position(|r| *r == Role::Next);
        for row in self.base.facts(state, Source::Transition)?.rows() {
            let Some(next) = next.map(|place| row[place]) else {
                continue;
            };
            let moves_here = |component: &&Component| {
                let mut places = transition.roles.iter().zip(row);
                places.all(|(role, place)| match role {
                    Role::Of {
                        part: 0, attribute, ..
                    } => *place == component[*attribute],
                    _ => true,
                })
            };
            let mover = here.iter().find(moves_here);
            let components = self.base.components(next)?;
            let after = components
                .iter()
                .find(|component| !here.contains(component));
            let (Some(mover), Some(after)) = (mover, after) else {
                continue;
            };
            let gone = here
                .iter()
                .filter(|c| *c != mover && !components.contains(c));
            moves.push(Move {
                next,
                before: mover.clone(),
                after: after.clone(),
                gone: gone.cloned().collect(),
                components,
                row: row.to_vec(),
            });
        }
        Ok(moves)
    }

    /// What stands at the places of the description of a component.
    fn described(&mut self, component: &[Constant], state: Code) -> Vec<Code> {
        let description = &self.base.description;
        let lexicon = &mut self.lexicon;
        let places = description.roles.iter().zip(leaves(&description.atom));
        let code = |(role, leaf): (&Role, &Term)| match (role, leaf) {
            (Role::Of { attribute, .. }, _) => lexicon.code(component[*attribute]),
            (_, Term::Const(constant)) => lexicon.code(*constant),
            _ => state,
        };
        places.map(code).collect()
    }

    /// The kind of literals that describe a component.
    fn description_kind(&mut self, component: usize, positive: bool, after: bool) -> usize {
        let label = |role: &Role| match *role {
            Role::Of { attribute, .. } => Label::Of {
                component,
                attribute,
            },
            Role::State => Label::State,
            Role::Next | Role::Free => Label::Free,
        };
        let description = &self.base.description;
        let labels: Vec<Label> = description.roles.iter().map(label).collect();
        (self.lexicon).kind(&description.atom, &labels, positive, after)
    }

    /// The pattern clause of an example, with literals that concern no other components than these.
    ///
    /// # Source
    /// Morales 1992, section 5.2.2, equations (5.4) and (5.5), and 5.2.3.3.
    pub(super) fn pattern(
        &mut self,
        example: &Example,
        relevant: &[usize],
        dynamic: bool,
    ) -> Result<Pattern, PalError> {
        if let Some(known) = self.known.get(example) {
            return Ok(known.restricted(relevant, &self.lexicon));
        }
        let whole = self.derived(example, dynamic)?;
        let pattern = whole.restricted(relevant, &self.lexicon);
        if self.known.len() == MAX_REMEMBERED {
            self.known.clear();
        }
        self.known.insert(example.clone(), whole);
        Ok(pattern)
    }

    fn derived(&mut self, example: &Example, dynamic: bool) -> Result<Pattern, PalError> {
        let state = self.base.domain.state(example);
        let token = self.state();
        let mut literals = Literals::default();
        let all: Vec<(usize, &[Constant])> = example
            .iter()
            .enumerate()
            .map(|(i, component)| (i, component.as_slice()))
            .collect();
        for (c, component) in example.iter().enumerate() {
            let kind = self.description_kind(c, true, false);
            literals.push(kind, self.described(component, token).into_iter());
        }
        let n_features = self.base.background.features.len();
        let mut here = Vec::with_capacity(n_features);
        for f in 0..n_features {
            let feature = self.feature(f);
            let facts = self.base.facts(state, Source::Feature(f))?;
            let lexicon = &mut self.lexicon;
            let mut kinds = Vec::new();
            for (i, row) in facts.rows().enumerate() {
                feature.each_labels(row, &all, &mut |labels| {
                    let kind = lexicon.kind(&feature.atom, labels, true, false);
                    kinds.push((i, kind));
                    let codes = lexicon.placed(kind, row, [token; 2]);
                    literals.add(kind, feature.atom.name, codes, |other| other == kind);
                });
            }
            here.push(Said { facts, kinds });
        }
        if dynamic {
            let moves = self.moves(state)?;
            for made in &moves {
                let next = self.state();
                self.add_move(example, &all, made, &here, (token, next), &mut literals)?;
            }
        }
        let (mut description, codes) = literals.into_parts();
        let body = description.split_off(example.len());
        Ok(Pattern {
            components: (0..example.len()).collect(),
            state: token,
            description,
            body,
            codes: codes.into(),
        })
    }

    /// The literals that change with a move, with the move before them; nothing if none changes.
    fn add_move(
        &mut self,
        example: &Example,
        all: &[(usize, &[Constant])],
        made: &Move,
        here: &[Said],
        (token, next): (Code, Code),
        body: &mut Literals,
    ) -> Result<(), PalError> {
        let Some(mover) = example.iter().position(|c| *c == made.before) else {
            return Ok(());
        };
        let (mut before, mut after) = (Literals::default(), Literals::default());
        for gone in &made.gone {
            if let Some(c) = example.iter().position(|component| component == gone) {
                let kind = self.description_kind(c, false, true);
                after.push(kind, self.described(gone, next).into_iter());
            }
        }
        let there: Vec<(usize, &[Constant])> = made
            .components
            .iter()
            .filter_map(|component| {
                let same = example.iter().position(|own| own == component);
                let index = if *component == made.after {
                    Some(mover)
                } else {
                    same
                };
                index.map(|index| (index, component.as_slice()))
            })
            .collect();
        let changed = |label: &Label| {
            matches!(label, Label::Of { component, attribute }
                if *component == mover && made.before[*attribute] != made.after[*attribute])
        };
        let by_components = self.novelty == Novelty::Components;
        for (f, own) in here.iter().enumerate() {
            let feature = self.feature(f);
            if !feature.has_state() {
                continue;
            }
            let there_now = self.base.facts(made.next, Source::Feature(f))?;
            let lexicon = &mut self.lexicon;
            // Of the same components something is still true.
            let mut lasts = vec![false; own.kinds.len()];
            if own.kinds.is_empty() || by_components {
                for row in there_now.rows() {
                    feature.each_labels(row, &there, &mut |labels| {
                        let mut is_new = true;
                        for ((_, kind), lasts) in own.kinds.iter().zip(&mut lasts) {
                            if feature.is_about_the_same(&lexicon.kinds[*kind].labels, labels) {
                                *lasts = true;
                                is_new = false;
                            }
                        }
                        if !is_new {
                            return;
                        }
                        let old = labels.iter().zip(row).map(|(label, value)| match label {
                            Label::Of { attribute, .. } if changed(label) => {
                                made.before[*attribute]
                            }
                            _ => *value,
                        });
                        let old: Vec<Constant> = old.collect();
                        let mut facts = own.kinds.iter().map(|(i, _)| own.facts.row(*i));
                        // Of other components it may have been true.
                        if !labels.contains(&Label::Free)
                            && !facts.any(|fact| feature.agree(fact, &old))
                        {
                            let kind = lexicon.kind(&feature.atom, labels, false, false);
                            before.push(kind, lexicon.placed(kind, &old, [token; 2]));
                        }
                        let now = labels
                            .iter()
                            .map(|l| if changed(l) { Label::Free } else { *l });
                        let now: Vec<Label> = now.collect();
                        let kind = lexicon.kind(&feature.atom, &now, true, true);
                        after.push(kind, lexicon.placed(kind, row, [next; 2]));
                    });
                }
            }
            if by_components || there_now.is_empty() {
                for (&(i, kind), lasts) in own.kinds.iter().zip(&lasts) {
                    let (fact, labels) = (own.facts.row(i), &lexicon.kinds[kind].labels);
                    // Of other components it may still be true.
                    if *lasts
                        || labels.contains(&Label::Free)
                        || there_now.rows().any(|row| feature.agree(row, fact))
                    {
                        continue;
                    }
                    let labels = Arc::clone(labels);
                    let kind = lexicon.kind(&feature.atom, &labels, false, true);
                    after.push(kind, lexicon.placed(kind, fact, [next; 2]));
                }
            }
        }
        let Some(transition) = self.base.background.transition.as_ref() else {
            return Ok(());
        };
        if after.rows.is_empty() {
            return Ok(());
        }
        let lexicon = &mut self.lexicon;
        body.append(&before, lexicon);
        transition.each_labels(&made.row, all, &mut |labels| {
            let kind = lexicon.kind(&transition.atom, labels, true, false);
            let codes = lexicon.placed(kind, &made.row, [token, next]);
            body.add(kind, transition.atom.name, codes, |other| other == kind);
        });
        body.append(&after, lexicon);
        Ok(())
    }
}
