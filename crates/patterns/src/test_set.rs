//! Test sets: positions labeled by the target, to measure a theory and to answer equivalence queries.

use kibitz_pal::{Change, Component, Example, Judgement, PalError, Teacher, Verdict};
use kibitz_prolog::{Clause, Constant};
use rand::SeedableRng as _;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;

use crate::simplify::negations_last;
use crate::{ConceptError, ConfusionCounts, PreparedConcept};

/// The size of a test set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestSetParams {
    /// Maximum number of assignments of values to pieces, legal or not, of which all are tried. If there are more,
    /// the test set is a sample.
    pub max_assignments: u64,
    /// Positions of a sample.
    pub sample: usize,
    /// Seed of the sample and of the order of counterexamples.
    pub seed: u64,
}

impl Default for TestSetParams {
    fn default() -> Self {
        Self {
            // Three pieces on any squares and of either side.
            max_assignments: 1 << 21,
            sample: 20_000,
            seed: 1992,
        }
    }
}

/// Assignments drawn for each position of a sample before the sample stays smaller.
const DRAWN_PER_POSITION: usize = 100;

/// Distinct legal positions with the pieces of the initial examples, labeled by the target.
///
/// They are all such positions if there are few enough. Otherwise they are a sample: of every three
/// positions one is random, one is near an initial example, and one is near a positive position of the
/// sample, since most concepts are rare among random positions.
#[derive(Debug)]
pub struct TestSet<'a> {
    prepared: &'a PreparedConcept,
    positions: Positions,
    states: Vec<Constant>,
    positive: Vec<bool>,
    /// The positive positions, in the order in which they are counterexamples: first those that one
    /// clause of the target covers alone, which show this clause by itself.
    counterexamples: Vec<usize>,
    /// The seed of a sample; `None` if these are all positions.
    seed: Option<u64>,
}

/// The positions as examples, or a code for each.
#[derive(Debug)]
enum Positions {
    All(Assignments, Vec<u64>),
    Sample(Vec<Example>),
}

/// All assignments of values to the attributes that may change, numbered from 0.
#[derive(Debug)]
struct Assignments {
    /// The initial examples, of which the attributes differ that may not change.
    frames: Vec<Example>,
    /// The attributes that may change, each with its component and the values.
    variable: Vec<(usize, usize, Vec<Constant>)>,
    per_frame: u64,
    /// Assignments that differ in other attributes than the sides.
    per_sides: u64,
    /// The attribute that [`exchanged`](kibitz_pal::Domain::exchanged) exchanges.
    sides: Option<usize>,
}

impl Assignments {
    /// `None` if the examples have different numbers of pieces, or the number of assignments is above
    /// the bound.
    fn new(prepared: &PreparedConcept, max: u64) -> Option<Self> {
        let attributes = prepared.domain().attributes();
        let first = prepared.examples().first()?;
        let mut frames: Vec<Example> = Vec::new();
        for example in prepared.examples() {
            if example.len() != first.len() {
                return None;
            }
            let is_known = |frame: &Example| {
                let mut pairs = frame.iter().zip(example);
                pairs.all(|(known, own)| {
                    let mut values = known.iter().zip(own).zip(attributes);
                    values.all(|((a, b), attribute)| a == b || !attribute.values.is_empty())
                })
            };
            if !frames.iter().any(is_known) {
                frames.push(example.clone());
            }
        }
        let all = (0..first.len()).flat_map(|c| (0..attributes.len()).map(move |a| (c, a)));
        let mut variable: Vec<(usize, usize, Vec<Constant>)> = all
            .filter(|&(_, a)| !attributes[a].values.is_empty())
            .map(|(c, a)| (c, a, attributes[a].values.clone()))
            .collect();
        // The sides change last, so that numbers with the same sides follow each other.
        let sides = prepared.domain().exchanged(first).map(|(_, sides)| sides);
        variable.sort_by_key(|&(_, a, _)| Some(a) == sides);
        let others = variable.iter().filter(|&&(_, a, _)| Some(a) != sides);
        let per_sides = others.map(|(_, _, values)| values.len() as u64).product();
        let per_frame = variable.iter().try_fold(1_u64, |n, (_, _, values)| {
            n.checked_mul(values.len() as u64)
        })?;
        let total = per_frame.checked_mul(frames.len() as u64)?;
        (total <= max).then_some(Self {
            frames,
            variable,
            per_frame,
            per_sides,
            sides,
        })
    }

    /// All numbers. Those with the sides of an initial example, or with all of them exchanged, come
    /// first: of two pieces of one kind each then keeps its part in the concept.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let mut blocks: Vec<u64> = (0..self.len() / self.per_sides).collect();
        let side =
            |component: &Component| self.sides.and_then(|sides| component.get(sides).copied());
        blocks.sort_by_cached_key(|block| {
            let number = block * self.per_sides;
            let (example, frame) = (
                self.example(number),
                &self.frames[index(number / self.per_frame)],
            );
            let pairs = example.iter().zip(frame);
            let n_equal = pairs
                .filter(|(own, frame)| side(own) == side(frame))
                .count();
            n_equal != 0 && n_equal != frame.len()
        });
        let numbers = move |block: u64| block * self.per_sides..(block + 1) * self.per_sides;
        blocks.into_iter().flat_map(numbers)
    }

    fn len(&self) -> u64 {
        self.per_frame * self.frames.len() as u64
    }

    fn example(&self, number: u64) -> Example {
        let mut example = self.frames[index(number / self.per_frame)].clone();
        let mut left = number % self.per_frame;
        for (component, attribute, values) in &self.variable {
            let n_values = values.len() as u64;
            example[*component][*attribute] = values[index(left % n_values)];
            left /= n_values;
        }
        example
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("below the length of a vector")
}

impl PreparedConcept {
    /// The positions of a test set, labeled by the target.
    ///
    /// # Errors
    /// [`ConceptError::Undecided`] if the target cannot be decided in a position, and the prover's own.
    pub fn test_set(&self, params: TestSetParams) -> Result<TestSet<'_>, ConceptError> {
        let mut target = self.coverage_tester(self.target())?;
        let n_clauses = self.target().len();
        // Whether one clause of the target covers a state, and whether another one does.
        let mut label = |state: Constant| -> Result<[bool; 2], ConceptError> {
            let mut found = [false, false];
            for number in 0..n_clauses {
                if !found[1] && target.clause_holds(number, state)? {
                    found = [true, found[0]];
                }
            }
            Ok(found)
        };
        let mut set = TestSet {
            prepared: self,
            positions: Positions::Sample(Vec::new()),
            states: Vec::new(),
            positive: Vec::new(),
            counterexamples: Vec::new(),
            seed: None,
        };
        let mut several = Vec::new();
        let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
        let mut seen: FxHashSet<Constant> = FxHashSet::default();
        let mut add = |set: &mut TestSet<'_>, state: Constant| -> Result<bool, ConceptError> {
            let [positive, by_several] = label(state)?;
            if by_several {
                several.push(set.states.len());
            } else if positive {
                set.counterexamples.push(set.states.len());
            }
            set.states.push(state);
            set.positive.push(positive);
            Ok(positive)
        };
        if let Some(all) = Assignments::new(self, params.max_assignments) {
            let mut numbers = Vec::new();
            for number in all.numbers() {
                let example = all.example(number);
                if !self.domain().is_legal(&example) {
                    continue;
                }
                let state = self.domain().state(&example);
                if seen.insert(state) {
                    numbers.push(number);
                    add(&mut set, state)?;
                }
            }
            set.positions = Positions::All(all, numbers);
        } else {
            set.seed = Some(params.seed);
            let mut sample = Vec::new();
            let mut near: Vec<Example> = self.examples().to_vec();
            for drawn in 0..params.sample.saturating_mul(DRAWN_PER_POSITION) {
                if sample.len() == params.sample {
                    break;
                }
                let initial = self.examples().choose(&mut rng);
                let (from, change) = match drawn % 3 {
                    0 => (initial, 1.0),
                    1 => (initial, 0.3),
                    _ => (near.choose(&mut rng), 0.15),
                };
                let Some(from) = from else { break };
                let example = self.vary(from, change, &mut rng);
                if !self.domain().is_legal(&example) {
                    continue;
                }
                let state = self.domain().state(&example);
                if seen.insert(state) {
                    if add(&mut set, state)? {
                        near.push(example.clone());
                    }
                    sample.push(example);
                }
            }
            set.positions = Positions::Sample(sample);
        }
        set.counterexamples.shuffle(&mut rng);
        several.shuffle(&mut rng);
        set.counterexamples.extend(several);
        Ok(set)
    }
}

impl<'a> TestSet<'a> {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The seed of a sample; `None` if the test set has all positions.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The concept.
    pub fn prepared(&self) -> &'a PreparedConcept {
        self.prepared
    }

    pub(crate) fn states(&self) -> &[Constant] {
        &self.states
    }

    fn example(&self, position: usize) -> Example {
        match &self.positions {
            Positions::All(all, numbers) => all.example(numbers[position]),
            Positions::Sample(examples) => examples[position].clone(),
        }
    }

    /// Compares a theory with the target.
    ///
    /// # Errors
    /// The prover's own.
    pub fn compare(&self, theory: &[Clause]) -> Result<Agreement, ConceptError> {
        let mut tester = self.prepared.coverage_tester(theory)?;
        let mut found = Agreement::default();
        for (position, (state, positive)) in self.states.iter().zip(&self.positive).enumerate() {
            let covered = tester.holds(*state)?;
            found.counts.count(*positive, covered);
            if covered != *positive {
                let first = if covered {
                    &mut found.wrongly_covered
                } else {
                    &mut found.missed
                };
                first.get_or_insert_with(|| self.example(position));
            }
        }
        Ok(found)
    }

    /// A teacher that answers equivalence queries from this test set, and all others as `teacher` does.
    /// It gives at most `max` counterexamples.
    pub fn teacher<T>(&self, teacher: T, max: usize) -> CounterexampleTeacher<'_, T> {
        CounterexampleTeacher {
            teacher,
            set: self,
            next: 0,
            left: max,
        }
    }
}

/// How far a theory agrees with its target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The positions that target and theory cover.
    pub counts: ConfusionCounts,
    /// The first positive position that the theory misses.
    pub missed: Option<Example>,
    /// The first negative position that it covers.
    pub wrongly_covered: Option<Example>,
}

impl Agreement {
    /// Whether they agree on all positions.
    pub fn is_exact(&self) -> bool {
        self.missed.is_none() && self.wrongly_covered.is_none()
    }
}

/// See [`TestSet::teacher`].
#[derive(Debug)]
pub struct CounterexampleTeacher<'s, T> {
    teacher: T,
    set: &'s TestSet<'s>,
    /// The counterexample to try next. What the theory covers it goes on to cover.
    next: usize,
    left: usize,
}

impl<T: Teacher> Teacher for CounterexampleTeacher<'_, T> {
    fn classify(
        &mut self,
        example: &Example,
        state: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError> {
        self.teacher.classify(example, state, change)
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        self.teacher.judge(definition)
    }

    fn counterexample(&mut self, theory: &[Clause]) -> Result<Option<Example>, PalError> {
        if self.left == 0 || !self.teacher.keep_going() {
            return Ok(None);
        }
        // The final reduction drops literals that bind the variables of negated ones.
        let theory: Vec<Clause> = theory.iter().map(negations_last).collect();
        let undecided = |error: ConceptError| PalError::Teacher(error.to_string());
        let tester = self.set.prepared.coverage_tester(&theory);
        let mut tester = tester.map_err(undecided)?;
        while let Some(&position) = self.set.counterexamples.get(self.next) {
            if !tester.holds(self.set.states[position]).map_err(undecided)? {
                self.left -= 1;
                return Ok(Some(self.set.example(position)));
            }
            self.next += 1;
        }
        Ok(None)
    }

    fn keep_going(&mut self) -> bool {
        self.teacher.keep_going()
    }
}
