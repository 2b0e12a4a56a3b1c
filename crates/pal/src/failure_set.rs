//! Failure sets: which literals of a pattern do not hold in an example.

use std::rc::Rc;

use kibitz_prolog::{Constant, Literal, TabledGoal, Term, Var};
use rustc_hash::FxHashMap;

use crate::fact_cache::{FactCache, FactSource, Facts};
use crate::feature::Label;
use crate::interning::{Interner, LiteralKind, TermId};
use crate::literals::Row;
use crate::pattern::Pattern;
use crate::{Example, PalError};

/// A leaf of a compiled literal.
#[derive(Clone, Copy, Debug)]
enum Leaf {
    /// The state that the literal is about.
    State,
    /// The successor state of a move.
    Next,
    /// An attribute of the example.
    Of {
        component: usize,
        attribute: usize,
    },
    Constant(Constant),
    Var(usize),
}

/// A literal of the body, compiled for testing.
#[derive(Debug)]
struct CompiledLiteral {
    positive: bool,
    /// The atom with a variable at each leaf.
    goal: TabledGoal,
    leaves: Vec<Leaf>,
    sources: Vec<FactSource>,
    /// Whether the predicate is native, and so answers queries with some arguments known quickly.
    is_native: bool,
}

/// A move with the literals about its successor, by their indices in the body.
#[derive(Debug)]
struct Transition {
    literal: usize,
    consequences: Vec<usize>,
}

/// A leaf of a description.
#[derive(Debug)]
struct DescribedAttribute {
    component: usize,
    attribute: usize,
    value: Leaf,
}

/// A pattern compiled for testing its literals on many examples.
#[derive(Debug)]
pub(crate) struct CompiledPattern {
    n_vars: usize,
    description: Vec<Vec<DescribedAttribute>>,
    body: Vec<CompiledLiteral>,
    /// Indices of the literals about the state of the example, moves excluded.
    statics: Vec<usize>,
    transitions: Vec<Transition>,
}

type Bindings = [Option<Constant>];

impl CompiledPattern {
    pub(crate) fn new(
        pattern: &Pattern,
        interner: &Interner,
        cache: &mut FactCache<'_>,
    ) -> Result<Self, PalError> {
        // Variables get consecutive places, in the order in which they occur, so that bindings are
        // a plain array.
        let mut vars: FxHashMap<Var, usize> = FxHashMap::default();
        let mut value = |id: TermId| match interner.term(id) {
            Term::Var(var) => {
                let next = vars.len();
                Leaf::Var(*vars.entry(var).or_insert(next))
            }
            Term::Const(constant) => Leaf::Constant(constant),
            Term::Compound(..) => unreachable!("leaves are not compound"),
        };
        let labeled = |row: Row| {
            let labels = interner.kinds[row.kind].labels.iter();
            labels.zip(pattern.ids(row, interner))
        };
        let attributes = |row: &Row| {
            let attributes = labeled(*row).filter_map(|(label, id)| match *label {
                Label::Of {
                    component,
                    attribute,
                } => Some(DescribedAttribute {
                    component,
                    attribute,
                    value: value(*id),
                }),
                _ => None,
            });
            attributes.collect()
        };
        let description = pattern.description.iter().map(attributes).collect();
        let literal = |row: &Row| {
            let leaf = |(label, id): (&Label, &TermId)| match *label {
                Label::State => Leaf::State,
                Label::Next => Leaf::Next,
                Label::Of {
                    component,
                    attribute,
                } => Leaf::Of {
                    component,
                    attribute,
                },
                Label::Free => value(*id),
            };
            let kind = &interner.kinds[row.kind];
            let goal = cache.prover.goal(&Literal::positive(kind.atom.clone()))?;
            let sources = cache.sources(kind.predicate());
            Ok(CompiledLiteral {
                positive: kind.positive,
                goal,
                leaves: labeled(*row).map(leaf).collect(),
                // Facts of an incomplete source may lack an answer, so the prover must be asked.
                is_native: cache.prover.is_native(goal)
                    && sources.iter().all(|s| cache.is_complete(*s)),
                sources,
            })
        };
        let body: Result<Vec<CompiledLiteral>, PalError> =
            pattern.body.iter().map(literal).collect();
        let entry = |row: &Row| (&interner.kinds[row.kind], pattern.ids(*row, interner));
        let literals = || pattern.body.iter().map(entry).enumerate();
        // The literals after a move depend on the state that it leads to: each transition lists
        // those that have to be checked again for its next state.
        let mut after: FxHashMap<TermId, Vec<usize>> = FxHashMap::default();
        for (j, (kind, ids)) in literals().filter(|(_, (kind, _))| kind.after) {
            if let Some(state) = kind.state(ids) {
                after.entry(state).or_default().push(j);
            }
        }
        let transition = |(i, (kind, ids)): (usize, (&LiteralKind, &[TermId]))| Transition {
            literal: i,
            consequences: (kind.next(ids))
                .and_then(|next| after.get(&next).cloned())
                .unwrap_or_default(),
        };
        let before = || literals().filter(|(_, (kind, _))| !kind.after);
        Ok(Self {
            description,
            body: body?,
            statics: before()
                .filter(|(_, (kind, _))| !kind.is_move())
                .map(|(i, _)| i)
                .collect(),
            transitions: before()
                .filter(|(_, (kind, _))| kind.is_move())
                .map(transition)
                .collect(),
            n_vars: vars.len(),
        })
    }

    /// The failure set of an example: for each literal, the description first, whether it fails.
    ///
    /// A literal of the description fails if the component differs in a constant, or if a variable
    /// would need two values. A literal of the body takes the example's values at all leaves that
    /// come from a component, and fails if it cannot be proved. Literals about a successor are
    /// tested after each move that their own move allows.
    ///
    /// # Source
    /// Morales 1992, section 5.3.2 and `change/10` of appendix H. The thesis leaves open whether the
    /// description can fail; we let it, so that constants that do not occur in the body are varied
    /// too.
    pub(crate) fn failures(
        &self,
        example: &Example,
        cache: &mut FactCache<'_>,
    ) -> Result<Vec<bool>, PalError> {
        let state = cache.domain.state(example);
        let mut failed = Vec::with_capacity(self.description.len() + self.body.len());
        let mut theta: Vec<Option<Constant>> = vec![None; self.n_vars];
        for attributes in &self.description {
            let mut holds = true;
            for own in attributes {
                let found = example[own.component][own.attribute];
                holds &= match own.value {
                    Leaf::Var(var) => *theta[var].get_or_insert(found) == found,
                    Leaf::Constant(constant) => constant == found,
                    Leaf::State | Leaf::Next | Leaf::Of { .. } => true,
                };
            }
            failed.push(!holds);
        }
        let n_described = failed.len();
        failed.resize(n_described + self.body.len(), false);
        for &i in &self.statics {
            let holds = self.body[i].holds(example, state, &theta, cache)?;
            failed[n_described + i] = holds != self.body[i].positive;
        }
        for transition in &self.transitions {
            let failed = &mut failed[n_described..];
            self.test_transition(transition, example, state, &theta, cache, failed)?;
        }
        Ok(failed)
    }

    /// Marks the consequences of a move that fail after every legal move. Marks the move itself if
    /// all consequences hold together after no legal move.
    fn test_transition(
        &self,
        transition: &Transition,
        example: &Example,
        state: Constant,
        theta: &Bindings,
        cache: &mut FactCache<'_>,
        failed: &mut [bool],
    ) -> Result<(), PalError> {
        let made = &self.body[transition.literal];
        let mut is_possible = false;
        let mut all_together = false;
        let mut satisfied = vec![false; transition.consequences.len()];
        let moves = made.facts(FactSource::Transition, example, state, theta, cache)?;
        for row in moves.rows() {
            let mut bindings = theta.to_vec();
            if !made.matches(row, example, &mut bindings) {
                continue;
            }
            let mut leaves = made.leaves.iter().zip(row);
            let next = leaves.find(|(leaf, _)| matches!(leaf, Leaf::Next));
            let Some((_, &next)) = next else {
                continue;
            };
            is_possible = true;
            let mut all = true;
            for (satisfied, &j) in satisfied.iter_mut().zip(&transition.consequences) {
                let holds = self.body[j].holds(example, next, &bindings, cache)?;
                let is_satisfied = holds == self.body[j].positive;
                *satisfied |= is_satisfied;
                all &= is_satisfied;
            }
            all_together |= all;
            if all_together {
                break;
            }
        }
        for (satisfied, &j) in satisfied.iter().zip(&transition.consequences) {
            failed[j] = !satisfied;
        }
        failed[transition.literal] =
            !is_possible || (!all_together && satisfied.iter().all(|satisfied| *satisfied));
        Ok(())
    }
}

impl CompiledLiteral {
    /// Whether the atom can be proved in a state with the values of the example.
    fn holds(
        &self,
        example: &Example,
        state: Constant,
        bindings: &Bindings,
        cache: &mut FactCache<'_>,
    ) -> Result<bool, PalError> {
        let known = self.known(example, state, bindings);
        if let Some(found) = cache.proves_ground(self.goal, known)? {
            return Ok(found);
        }
        for &source in &self.sources {
            let facts = self.facts(source, example, state, bindings, cache)?;
            let mut own = bindings.to_vec();
            for row in facts.rows() {
                own.copy_from_slice(bindings);
                if self.matches(row, example, &mut own) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The values of the leaves that are known.
    fn known<'c>(
        &'c self,
        example: &'c Example,
        state: Constant,
        bindings: &'c Bindings,
    ) -> impl Iterator<Item = Option<Constant>> + 'c {
        self.leaves.iter().map(move |leaf| match *leaf {
            Leaf::State => Some(state),
            Leaf::Next => None,
            Leaf::Of {
                component,
                attribute,
            } => Some(example[component][attribute]),
            Leaf::Constant(constant) => Some(constant),
            Leaf::Var(var) => bindings[var],
        })
    }

    /// Facts from a source, with all those that may match the literal.
    fn facts(
        &self,
        source: FactSource,
        example: &Example,
        state: Constant,
        bindings: &Bindings,
        cache: &mut FactCache<'_>,
    ) -> Result<Rc<Facts>, PalError> {
        if self.is_native {
            let known = self.known(example, state, bindings);
            Ok(Rc::new(cache.answers(self.goal, known)?))
        } else {
            cache.facts(state, source)
        }
    }

    /// Whether the literal matches a fact, with the example's values at the labeled leaves.
    fn matches(&self, row: &[Constant], example: &Example, bindings: &mut Bindings) -> bool {
        self.leaves.len() == row.len()
            && self
                .leaves
                .iter()
                .zip(row)
                .all(|(leaf, &found)| match *leaf {
                    Leaf::State | Leaf::Next => true,
                    Leaf::Of {
                        component,
                        attribute,
                    } => example[component][attribute] == found,
                    Leaf::Constant(constant) => constant == found,
                    Leaf::Var(var) => *bindings[var].get_or_insert(found) == found,
                })
    }
}
