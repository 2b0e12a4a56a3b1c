//! Whether a clause made of modes covers an example, and in how many ways.

use std::ops::Range;

use kibitz_prolog::{Database, Limits, ProverError, Term};
use smallvec::SmallVec;

use super::executor::{Execution, Output, Source, Step, Steps};
use super::literal::Arg;
use super::memo::{Background, Memo};
use super::pattern::Pattern;
use crate::encoded::Language;

/// Literals of a pattern that can be put in order: those done are kept in one word.
pub(crate) const MAX_LITERALS: usize = 63;

/// Cost model of an order: a literal with several answers multiplies the partial matches by this.
const ANSWERS: f64 = 8.0;
/// Cost model: a literal with one answer leaves this share of the partial matches.
const LEFT: f64 = 0.5;

/// A pattern with an order in which to look for its literals. Arguments are places among the values
/// of a match: those of the variables, then the constants.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    head: Vec<usize>,
    n_vars: usize,
    steps: Vec<Step<Question>>,
    constants: Vec<Term>,
}

/// A literal as a question to the background knowledge.
#[derive(Clone, Debug)]
struct Question {
    access: usize,
    recall: usize,
    inputs: Vec<usize>,
}

impl Plan {
    /// A pattern of at most [`MAX_LITERALS`] literals, with the constants that it names.
    ///
    /// # Panics
    /// For a variable without a number, which patterns do not have.
    pub(crate) fn new(language: &Language, pattern: &Pattern, constants: &[Term]) -> Self {
        let n_vars = pattern.vars.len();
        let place_of = |arg: Arg| match arg {
            Arg::Var(var) => var as usize,
            Arg::Const(constant) => n_vars + constant as usize,
            Arg::New => unreachable!("patterns number their variables"),
        };
        let order = order(language, pattern);
        // The step that gives each value; those of the head and the constants are there from the
        // start.
        let mut origin = vec![Some(Steps::default()); n_vars + constants.len()];
        origin[pattern.n_head_vars()..n_vars].fill(None);
        let mut steps = Vec::with_capacity(order.len());
        for (at, &i) in order.iter().enumerate() {
            let lit = &pattern.lits[i];
            let mode = &language.modes[lit.relation as usize];
            let access = &language.accesses[mode.access];
            let place_at = |place: &usize| place_of(lit.args[*place]);
            let inputs: Vec<usize> = access.inputs.iter().map(place_at).collect();
            let known = inputs.iter().filter_map(|&input| origin[input]);
            let mut parents = known.fold(Steps::default(), Steps::union);
            let mut outputs = SmallVec::new();
            for (place, value) in access.outputs.iter().map(place_at).enumerate() {
                let rivals = if let Some(known) = origin[value] {
                    parents = parents.union(known.without(at));
                    None
                } else {
                    let kind = pattern.vars[value].kind;
                    let alike = |other: &usize| {
                        origin[*other].is_some() && pattern.vars[*other].kind == kind
                    };
                    let rivals = (0..n_vars).filter(alike).collect();
                    origin[value] = Some(Steps::one(at));
                    Some(rivals)
                };
                outputs.push(Output {
                    place,
                    value,
                    rivals,
                });
            }
            let literal = Question {
                access: mode.access,
                recall: mode.recall,
                inputs,
            };
            steps.push(Step {
                literal,
                outputs,
                parents,
            });
        }
        Self {
            head: pattern.head.iter().map(|&arg| place_of(arg)).collect(),
            n_vars,
            steps,
            constants: constants.to_vec(),
        }
    }
}

/// The cheapest order in which literals stand after the providers of their inputs: tests and literals
/// with one answer as soon as they can be asked, and the best order of the others, by branch and bound
/// within a budget.
fn order(language: &Language, pattern: &Pattern) -> Vec<usize> {
    let n_head = pattern.n_head_vars();
    let mut with: Vec<u64> = vec![0; pattern.vars.len()];
    for (i, lit) in pattern.lits.iter().enumerate() {
        lit.vars().for_each(|var| with[var as usize] |= 1 << i);
    }
    let providers = |arg: &Arg| {
        let var = arg.var().map(|var| var as usize);
        var.filter(|var| *var >= n_head)
    };
    let lits = pattern.lits.iter().map(|lit| {
        let mode = &language.modes[lit.relation as usize];
        let inputs = &language.accesses[mode.access].inputs;
        let of = |arg: &Arg| providers(arg).map(|var| with[var]);
        OpenLiteral {
            inputs: inputs.iter().filter_map(|&i| of(&lit.args[i])).collect(),
            all: (!mode.is_determinate()).then(|| lit.args.iter().filter_map(of).collect()),
        }
    });
    let mut search = OrderSearch {
        lits: lits.collect(),
        order: Vec::with_capacity(pattern.lits.len()),
        best: (f64::INFINITY, Vec::new()),
        budget: 2_000,
    };
    search.extend(0, 1.0, 0.0);
    search.best.1
}

/// A literal that has no place yet, by the literals with each of its variables: a variable has a
/// value once one of these has its place. Those of the head always have one.
struct OpenLiteral {
    inputs: Vec<u64>,
    /// Where the literal may have several answers.
    all: Option<Vec<u64>>,
}

struct OrderSearch {
    lits: Vec<OpenLiteral>,
    order: Vec<usize>,
    best: (f64, Vec<usize>),
    budget: usize,
}

impl OrderSearch {
    /// Tries all orders of the literals that are not done.
    fn extend(&mut self, mut done: u64, mut ways: f64, mut cost: f64) {
        let n_before = self.order.len();
        let known = |vars: &[u64], done: u64| vars.iter().all(|with| with & done != 0);
        let ready = |lits: &[OpenLiteral], i: usize, done: u64| {
            done >> i & 1 == 0 && known(&lits[i].inputs, done)
        };
        let few =
            |lit: &OpenLiteral, done: u64| lit.all.as_ref().is_none_or(|all| known(all, done));
        let all = 0..self.lits.len();
        while let Some(i) =
            (all.clone()).find(|&i| ready(&self.lits, i, done) && few(&self.lits[i], done))
        {
            cost += ways;
            ways *= LEFT;
            done |= 1 << i;
            self.order.push(i);
        }
        if cost < self.best.0 {
            if self.order.len() == self.lits.len() {
                self.best = (cost, self.order.clone());
            }
            for i in all {
                if !ready(&self.lits, i, done) {
                    continue;
                }
                // One order is found in any case.
                if self.budget == 0 && self.best.0 < f64::INFINITY {
                    break;
                }
                self.budget = self.budget.saturating_sub(1);
                self.order.push(i);
                self.extend(done | 1 << i, ways * ANSWERS, cost + ways);
                self.order.pop();
            }
        }
        self.order.truncate(n_before);
    }
}

/// Matches patterns against examples.
#[derive(Debug)]
pub(crate) struct PatternMatcher<'a> {
    pub(crate) language: &'a Language,
    background: Background<'a>,
    /// Of the variables, then the constants.
    values: Vec<u32>,
    /// Answers that may still be looked at for this example, and how many for each.
    left: u64,
    most: u64,
}

impl<'a> PatternMatcher<'a> {
    pub(crate) fn new(language: &'a Language, db: &'a Database, limits: Limits) -> Self {
        Self {
            language,
            background: Background::new(&language.accesses, db, limits),
            values: Vec::new(),
            left: 0,
            most: limits.steps,
        }
    }

    /// The answers of a predicate to these inputs, see [`Memo::call`].
    pub(crate) fn call(
        &mut self,
        memo: &mut Memo,
        access: usize,
        inputs: &[u32],
    ) -> Result<std::ops::Range<usize>, ProverError> {
        memo.call(access, inputs.iter().copied(), &mut self.background)
    }

    /// Whether some goal may have more answers than were found.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.background.is_incomplete
    }

    /// Takes the arguments of an example; whether they fit the head.
    fn start(&mut self, plan: &Plan, memo: &mut Memo, example: &[u32]) -> bool {
        self.left = self.most;
        self.values.clear();
        self.values.resize(plan.n_vars, u32::MAX);
        let constants = plan.constants.iter();
        self.values.extend(constants.map(|term| memo.number(term)));
        plan.head.iter().zip(example).all(|(&place, &value)| {
            let own = &mut self.values[place];
            let fits = *own == u32::MAX || *own == value;
            *own = value;
            fits
        })
    }

    /// Whether a clause covers an example; not if that would take too many steps.
    pub(crate) fn covers(
        &mut self,
        plan: &Plan,
        memo: &mut Memo,
        example: &[u32],
    ) -> Result<bool, ProverError> {
        Ok(self.start(plan, memo, example) && self.execution(plan, memo).is_provable()?)
    }

    /// Whether the last answer was no because there were too many steps.
    pub(crate) fn is_cut_short(&self) -> bool {
        self.left == 0
    }

    /// Calls `visit` with the values of the variables for every way to find the pattern in the bottom
    /// clause of an example, in which different variables of a type have different values (those of
    /// the head apart), until it says no.
    pub(crate) fn embeddings(
        &mut self,
        plan: &Plan,
        memo: &mut Memo,
        example: &[u32],
        visit: &mut dyn FnMut(&[u32]) -> bool,
    ) -> Result<(), ProverError> {
        if self.start(plan, memo, example) {
            let recall = |question: &Question| question.recall;
            let visit = &mut |values: &[u32]| visit(&values[..plan.n_vars]);
            self.execution(plan, memo).embed(0, &recall, visit)?;
        }
        Ok(())
    }

    fn execution<'m>(
        &'m mut self,
        plan: &'m Plan,
        memo: &'m mut Memo,
    ) -> Execution<'m, Answers<'m, 'a>> {
        Execution {
            source: Answers {
                memo,
                background: &mut self.background,
            },
            steps: &plan.steps,
            values: &mut self.values,
            left: &mut self.left,
        }
    }
}

/// The answers of the background knowledge.
struct Answers<'m, 'a> {
    memo: &'m mut Memo,
    background: &'m mut Background<'a>,
}

impl Source for Answers<'_, '_> {
    type Literal = Question;
    type Error = ProverError;

    fn tuples(&mut self, question: &Question, values: &[u32]) -> Result<Range<usize>, ProverError> {
        let inputs = question.inputs.iter().map(|&place| values[place]);
        self.memo.call(question.access, inputs, self.background)
    }

    fn width(step: &Step<Question>) -> usize {
        step.outputs.len().max(1)
    }

    #[inline]
    fn output(&self, _: &Question, answer: usize, place: usize) -> u32 {
        self.memo.output(answer + place)
    }
}
