use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::facts::{FactBase, Facts, Source};
use super::feature::Label;
use super::lexicon::{Code, Kind, Lexicon};
use super::pattern::{Pattern, Row};
use super::{Example, PalError};
use crate::prover::TabledGoal;
use crate::term::{Constant, Literal, Term, Var};

/// What must stand at one place of a literal.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The state the literal speaks of.
    State,
    /// The state that a move leads to.
    Next,
    /// What the example has there.
    Of { component: usize, attribute: usize },
    /// This constant.
    Is(Constant),
    /// The value of a variable.
    Var(usize),
}

/// A literal of the body, ready to be tried.
#[derive(Debug)]
struct Condition {
    positive: bool,
    /// The atom with a variable at each place.
    goal: TabledGoal,
    places: Vec<Place>,
    sources: Vec<Source>,
    /// Whether it asks a native relation, which finds facts with some values quickly.
    is_native: bool,
}

/// A move and the conditions that must hold after it, by their places in the body.
#[derive(Debug)]
struct Transition {
    condition: usize,
    following: Vec<usize>,
}

/// A value that a component must have.
#[derive(Debug)]
struct Requirement {
    component: usize,
    attribute: usize,
    value: Place,
}

/// The literals of a pattern, ready to be tried on examples.
#[derive(Debug)]
pub(super) struct Conditions {
    n_vars: usize,
    description: Vec<Vec<Requirement>>,
    body: Vec<Condition>,
    /// Conditions in the state of the example.
    here: Vec<usize>,
    transitions: Vec<Transition>,
}

type Bindings = [Option<Constant>];

impl Conditions {
    pub(super) fn new(
        pattern: &Pattern,
        lexicon: &Lexicon,
        base: &mut FactBase<'_>,
    ) -> Result<Self, PalError> {
        let mut vars: FxHashMap<Var, usize> = FxHashMap::default();
        let mut value = |code: Code| match lexicon.term(code) {
            Term::Var(var) => {
                let next = vars.len();
                Place::Var(*vars.entry(var).or_insert(next))
            }
            Term::Const(constant) => Place::Is(constant),
            Term::Compound(..) => unreachable!("places are not compound"),
        };
        let labeled = |row: Row| {
            let labels = lexicon.kinds[row.kind].labels.iter();
            labels.zip(pattern.codes(row, lexicon))
        };
        let requirements = |row: &Row| {
            let required = labeled(*row).filter_map(|(label, code)| match *label {
                Label::Of {
                    component,
                    attribute,
                } => Some(Requirement {
                    component,
                    attribute,
                    value: value(*code),
                }),
                _ => None,
            });
            required.collect()
        };
        let description = pattern.description.iter().map(requirements).collect();
        let condition = |row: &Row| {
            let place = |(label, code): (&Label, &Code)| match *label {
                Label::State => Place::State,
                Label::Next => Place::Next,
                Label::Of {
                    component,
                    attribute,
                } => Place::Of {
                    component,
                    attribute,
                },
                Label::Free => value(*code),
            };
            let kind = &lexicon.kinds[row.kind];
            let goal = base.prover.goal(&Literal::positive(kind.atom.clone()))?;
            let sources = base.sources(kind.predicate());
            Ok(Condition {
                positive: kind.positive,
                goal,
                places: labeled(*row).map(place).collect(),
                is_native: base.prover.is_native(goal) && sources.iter().all(|s| base.has_all(*s)),
                sources,
            })
        };
        let body: Result<Vec<Condition>, PalError> = pattern.body.iter().map(condition).collect();
        let said = |row: &Row| (&lexicon.kinds[row.kind], pattern.codes(*row, lexicon));
        let literals = || pattern.body.iter().map(said).enumerate();
        let mut after: FxHashMap<Code, Vec<usize>> = FxHashMap::default();
        for (j, (kind, codes)) in literals().filter(|(_, (kind, _))| kind.after) {
            if let Some(state) = kind.state(codes) {
                after.entry(state).or_default().push(j);
            }
        }
        let transition = |(i, (kind, codes)): (usize, (&Kind, &[Code]))| Transition {
            condition: i,
            following: (kind.next(codes))
                .and_then(|next| after.get(&next).cloned())
                .unwrap_or_default(),
        };
        let now = || literals().filter(|(_, (kind, _))| !kind.after);
        Ok(Self {
            description,
            body: body?,
            here: now()
                .filter(|(_, (kind, _))| !kind.is_move())
                .map(|(i, _)| i)
                .collect(),
            transitions: now()
                .filter(|(_, (kind, _))| kind.is_move())
                .map(transition)
                .collect(),
            n_vars: vars.len(),
        })
    }

    /// Which literals, the description first, fail in an example.
    ///
    /// A literal of the description fails if the component has another value than a constant there,
    /// or if two values would be needed for one variable. A literal of the body is tried with the
    /// values of the example at all places that come from a component, and fails if it cannot be
    /// proved; what is said after a move must follow the move.
    ///
    /// # Source
    /// Morales 1992, section 5.3.2 and `change/10` of appendix H. The thesis leaves open whether the
    /// description can fail; we let it, so that constants of which the body says nothing are tried
    /// too.
    pub(super) fn failures(
        &self,
        example: &Example,
        base: &mut FactBase<'_>,
    ) -> Result<Vec<bool>, PalError> {
        let state = base.domain.state(example);
        let mut failed = Vec::with_capacity(self.description.len() + self.body.len());
        let mut theta: Vec<Option<Constant>> = vec![None; self.n_vars];
        for requirements in &self.description {
            let mut fits = true;
            for required in requirements {
                let found = example[required.component][required.attribute];
                fits &= match required.value {
                    Place::Var(var) => *theta[var].get_or_insert(found) == found,
                    Place::Is(constant) => constant == found,
                    Place::State | Place::Next | Place::Of { .. } => true,
                };
            }
            failed.push(!fits);
        }
        let n_described = failed.len();
        failed.resize(n_described + self.body.len(), false);
        for &i in &self.here {
            let holds = self.body[i].holds(example, state, &theta, base)?;
            failed[n_described + i] = holds != self.body[i].positive;
        }
        for transition in &self.transitions {
            let made = &self.body[transition.condition];
            let mut possible = false;
            let mut together = false;
            let mut satisfied = vec![false; transition.following.len()];
            let moves = made.facts(Source::Transition, example, state, &theta, base)?;
            for row in moves.rows() {
                let mut bindings = theta.clone();
                if !made.matches(row, example, &mut bindings) {
                    continue;
                }
                let next = made.places.iter().zip(row);
                let Some(next) = next
                    .filter(|(place, _)| matches!(place, Place::Next))
                    .map(|(_, value)| *value)
                    .next()
                else {
                    continue;
                };
                possible = true;
                let mut all = true;
                for (place, &j) in transition.following.iter().enumerate() {
                    let holds = self.body[j].holds(example, next, &bindings, base)?;
                    let true_there = holds == self.body[j].positive;
                    satisfied[place] |= true_there;
                    all &= true_there;
                }
                together |= all;
                if together {
                    break;
                }
            }
            for (place, &j) in transition.following.iter().enumerate() {
                failed[n_described + j] = !satisfied[place];
            }
            // The move itself fails, too, if no single move satisfies everything.
            failed[n_described + transition.condition] =
                !possible || (!together && satisfied.iter().all(|satisfied| *satisfied));
        }
        Ok(failed)
    }
}

impl Condition {
    /// Whether the atom can be proved in a state with the values of an example.
    fn holds(
        &self,
        example: &Example,
        state: Constant,
        bindings: &Bindings,
        base: &mut FactBase<'_>,
    ) -> Result<bool, PalError> {
        let known = self.known(example, state, bindings);
        if let Some(found) = base.proves_of(self.goal, known)? {
            return Ok(found);
        }
        for &source in &self.sources {
            let facts = self.facts(source, example, state, bindings, base)?;
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

    /// What stands at the places, as far as that is known.
    fn known<'c>(
        &'c self,
        example: &'c Example,
        state: Constant,
        bindings: &'c Bindings,
    ) -> impl Iterator<Item = Option<Constant>> + 'c {
        self.places.iter().map(move |place| match *place {
            Place::State => Some(state),
            Place::Next => None,
            Place::Of {
                component,
                attribute,
            } => Some(example[component][attribute]),
            Place::Is(constant) => Some(constant),
            Place::Var(var) => bindings[var],
        })
    }

    /// The facts from a source among which those are that the literal may say.
    fn facts(
        &self,
        source: Source,
        example: &Example,
        state: Constant,
        bindings: &Bindings,
        base: &mut FactBase<'_>,
    ) -> Result<Rc<Facts>, PalError> {
        if self.is_native {
            let known = self.known(example, state, bindings);
            Ok(Rc::new(base.answers(self.goal, known)?))
        } else {
            base.facts(state, source)
        }
    }

    /// Whether a fact is what the literal says, with the example's values at the labeled places.
    fn matches(&self, row: &[Constant], example: &Example, bindings: &mut Bindings) -> bool {
        self.places.len() == row.len()
            && self
                .places
                .iter()
                .zip(row)
                .all(|(place, &found)| match *place {
                    Place::State | Place::Next => true,
                    Place::Of {
                        component,
                        attribute,
                    } => example[component][attribute] == found,
                    Place::Is(constant) => constant == found,
                    Place::Var(var) => *bindings[var].get_or_insert(found) == found,
                })
    }
}
