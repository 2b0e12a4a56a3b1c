//! The bottom clause: the saturation of an example as one clause.

use indexmap::IndexMap;
use kibitz_prolog::{Direction, ProverError, Term};
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::Bounds;
use super::example::ExampleMemo;
use crate::encoded::{Kind, number};
use crate::eval::{Arg, Lit, Pattern, PatternMatcher, Variable};

/// The most specific clause within the bounds that covers an example.
///
/// Its variables are the ground terms of the saturation, one for each type that a term has; the
/// arguments of the head are variables of their own, even where the example repeats a term.
#[derive(Clone, Debug)]
pub(in crate::learn) struct Bottom {
    /// Head and literals; those that provide an input stand before those that take it.
    pub(in crate::learn) pattern: Pattern,
    /// The numbers of the terms that its variables are.
    pub(in crate::learn) values: Vec<u32>,
    /// The constants of its arguments.
    pub(in crate::learn) constants: Vec<Term>,
    /// Whether there are more literals than the bounds allow.
    pub(in crate::learn) is_truncated: bool,
    /// Whether literals were left out that introduce variables further from the head than the bounds allow.
    pub(in crate::learn) is_shallow: bool,
}

struct Saturation<'a, 'd> {
    matcher: &'a mut PatternMatcher<'d>,
    known: &'a mut ExampleMemo,
    bounds: &'a Bounds,
    bottom: Bottom,
    /// The variables of a type and value.
    of: IndexMap<(Kind, u32), Vec<u32>, FxBuildHasher>,
    constants: IndexMap<u32, u32, FxBuildHasher>,
    /// Values that clauses can name, with their types.
    named: &'a FxHashSet<(Kind, u32)>,
}

impl Bottom {
    /// Saturates an example.
    pub(in crate::learn) fn new(
        matcher: &mut PatternMatcher<'_>,
        known: &mut ExampleMemo,
        bounds: &Bounds,
    ) -> Result<Self, ProverError> {
        Self::with_named(matcher, known, bounds, &FxHashSet::default())
    }

    /// Saturates an example; values that clauses can name may be one literal further from the head than the
    /// bounds allow, since a constant needs no variable.
    pub(super) fn with_named(
        matcher: &mut PatternMatcher<'_>,
        known: &mut ExampleMemo,
        bounds: &Bounds,
        named: &FxHashSet<(Kind, u32)>,
    ) -> Result<Self, ProverError> {
        let language = matcher.language;
        let mut constants: IndexMap<u32, u32, FxBuildHasher> = IndexMap::default();
        let args = known.args.clone();
        let pattern = Pattern::of_head(language, |place| {
            let next = number(constants.len());
            *constants.entry(args[place]).or_insert(next)
        });
        let mut saturation = Saturation {
            matcher,
            known,
            bounds,
            bottom: Bottom {
                pattern,
                values: Vec::new(),
                constants: Vec::new(),
                is_truncated: false,
                is_shallow: false,
            },
            of: IndexMap::default(),
            constants,
            named,
        };
        for (&(direction, kind), value) in language.head.iter().zip(args) {
            if direction != Direction::Constant {
                saturation.name(kind, value);
            }
        }
        for depth in 1..=saturation.bounds.max_depth + 1 {
            let n_before = saturation.bottom.pattern.lits.len();
            saturation.layer(depth)?;
            if saturation.bottom.pattern.lits.len() == n_before {
                break;
            }
        }
        let Saturation {
            mut bottom,
            constants,
            known,
            ..
        } = saturation;
        bottom.constants = constants
            .keys()
            .map(|&term| known.memo.term(term).clone())
            .collect();
        Ok(bottom)
    }
}

impl Saturation<'_, '_> {
    /// A variable for a value.
    fn name(&mut self, kind: Kind, value: u32) {
        let var = number(self.bottom.values.len());
        self.bottom.values.push(value);
        self.of.entry((kind, value)).or_default().push(var);
    }

    /// All literals with an input that is this close to the head, and none that is further away.
    fn layer(&mut self, depth: u16) -> Result<(), ProverError> {
        let known: Vec<Variable> = self.bottom.pattern.vars.clone();
        for mode in 0..self.matcher.language.modes.len() {
            let mut inputs = Vec::new();
            self.choose(mode, depth, &known, &mut inputs)?;
        }
        Ok(())
    }

    /// Chooses the inputs of a mode, one after the other.
    fn choose(
        &mut self,
        mode: usize,
        depth: u16,
        known: &[Variable],
        inputs: &mut Vec<u32>,
    ) -> Result<(), ProverError> {
        let language = self.matcher.language;
        let places = &language.access(mode).inputs;
        if let Some(&place) = places.get(inputs.len()) {
            let (_, kind) = language.modes[mode].args[place];
            for (var, variable) in known.iter().enumerate() {
                let may = variable.kind == kind && variable.is_known && variable.depth < depth;
                if may && !self.bottom.is_truncated {
                    inputs.push(number(var));
                    self.choose(mode, depth, known, inputs)?;
                    inputs.pop();
                }
            }
            return Ok(());
        }
        let deepest = inputs.iter().map(|&var| known[var as usize].depth).max();
        if deepest.unwrap_or(0) + 1 != depth {
            return Ok(());
        }
        self.ask(mode, depth, inputs)
    }

    /// Adds the literals of a mode with these inputs.
    fn ask(&mut self, mode: usize, depth: u16, inputs: &[u32]) -> Result<(), ProverError> {
        let language = self.matcher.language;
        let (access, recall) = (language.modes[mode].access, language.modes[mode].recall);
        let values: Vec<u32> = inputs
            .iter()
            .map(|&var| self.bottom.values[var as usize])
            .collect();
        let found = self.matcher.call(&mut self.known.memo, access, &values)?;
        let n_outputs = language.accesses[access].outputs.len();
        for answer in found.step_by(n_outputs.max(1)).take(recall) {
            self.add(mode, depth, inputs, answer);
        }
        Ok(())
    }

    fn add(&mut self, mode: usize, depth: u16, inputs: &[u32], answer: usize) {
        let language = self.matcher.language;
        let access = language.access(mode);
        let args = &language.modes[mode].args;
        let is_new = |place: usize, value: u32| {
            let (direction, kind) = args[place];
            let is_known =
                self.of.contains_key(&(kind, value)) || self.named.contains(&(kind, value));
            direction == Direction::Out && !is_known
        };
        let outputs: Vec<(usize, u32)> = (access.outputs.iter().enumerate())
            .map(|(at, &place)| (place, self.known.memo.output(answer + at)))
            .collect();
        // A literal that introduces a variable deeper than allowed is left out.
        if depth > self.bounds.max_depth
            && outputs.iter().any(|&(place, value)| is_new(place, value))
        {
            self.bottom.is_shallow = true;
            return;
        }
        let mut lits = vec![vec![Arg::Var(0); args.len()]];
        for (&place, &var) in access.inputs.iter().zip(inputs) {
            lits[0][place] = Arg::Var(var);
        }
        for (place, value) in outputs {
            let (direction, kind) = args[place];
            let choices: Vec<Arg> = if direction == Direction::Constant {
                let next = number(self.constants.len());
                vec![Arg::Const(*self.constants.entry(value).or_insert(next))]
            } else {
                if !self.of.contains_key(&(kind, value)) {
                    self.name(kind, value);
                }
                self.of[&(kind, value)]
                    .iter()
                    .map(|&var| Arg::Var(var))
                    .collect()
            };
            // A value that several arguments of the head have may stand for each.
            lits = (lits.iter())
                .flat_map(|lit| {
                    choices.iter().map(move |&choice| {
                        let mut lit = lit.clone();
                        lit[place] = choice;
                        lit
                    })
                })
                .collect();
        }
        for args in lits {
            if self.bottom.pattern.lits.len() >= self.bounds.max_bottom {
                self.bottom.is_truncated = true;
                return;
            }
            let lit = Lit::positive(number(mode), args);
            self.bottom.pattern.push(language, lit);
        }
    }
}
