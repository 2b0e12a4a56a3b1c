//! Whether a clause covers an example, by its literals' relations.

use std::cell::Cell;
use std::cmp::Reverse;
use std::convert::Infallible;
use std::ops::Range;

use kibitz_prolog::BitSet;
use kibitz_prolog::tests_first;
use smallvec::SmallVec;

use super::executor::{Execution, Output, Source, Step, Steps};
use super::literal::{Arg, EQUALS, Lit};
use crate::encoded::{EncodedProblem, Index, Relation, number};

/// Rows looked at for one example before matching gives up on it.
const MAX_ROWS: u64 = 2_000_000;

/// A clause body compiled to be matched against many examples: tests come as soon as their variables
/// are bound, and each step knows how to look up its relation.
pub(crate) struct Matcher<'p> {
    problem: &'p EncodedProblem,
    steps: Vec<Step<Lookup<'p>>>,
    n_vars: usize,
    constants: Vec<u32>,
    n_rows: Cell<u64>,
}

/// How the tuples of a literal are found. Arguments are places among the values of a match.
pub(super) enum Lookup<'p> {
    Equal {
        left: usize,
        right: usize,
        positive: bool,
    },
    /// A unary relation.
    Property {
        var: usize,
        index: &'p Index,
        positive: bool,
    },
    /// A relation whose arguments are all known.
    Holds {
        relation: &'p Relation,
        args: SmallVec<[usize; 4]>,
        positive: bool,
    },
    /// Any other literal, which is positive: by the index of the known argument with
    /// the most values.
    Rows {
        relation: &'p Relation,
        key: Option<(usize, &'p Index)>,
    },
}

impl<'p> Source for &'p EncodedProblem {
    type Literal = Lookup<'p>;
    type Error = Infallible;

    #[inline]
    fn tuples(&mut self, literal: &Lookup<'p>, values: &[u32]) -> Result<Range<usize>, Infallible> {
        let holds = match literal {
            Lookup::Equal {
                left,
                right,
                positive,
            } => (values[*left] == values[*right]) == *positive,
            Lookup::Property {
                var,
                index,
                positive,
            } => index.contains(values[*var]) == *positive,
            Lookup::Holds {
                relation,
                args,
                positive,
            } => relation.contains(args.iter().map(|&arg| values[arg])) == *positive,
            Lookup::Rows { relation, key, .. } => {
                return Ok(match key {
                    Some((arg, index)) => index.places(values[*arg]),
                    None => 0..relation.len(),
                });
            }
        };
        Ok(0..usize::from(holds))
    }

    fn width(_: &Step<Lookup<'p>>) -> usize {
        1
    }

    #[inline]
    fn output(&self, literal: &Lookup<'p>, tuple: usize, place: usize) -> u32 {
        let Lookup::Rows { relation, key } = literal else {
            unreachable!("tests have no outputs");
        };
        let row = key.map_or(number(tuple), |(_, index)| index.row(tuple));
        relation.row(row)[place]
    }
}

impl<'p> Matcher<'p> {
    pub(crate) fn new(problem: &'p EncodedProblem, lits: &[Lit]) -> Self {
        Self::leaving_out(problem, lits, None)
    }

    /// The clause without one literal, whose variables no other one needs.
    pub(crate) fn leaving_out(
        problem: &'p EncodedProblem,
        lits: &[Lit],
        left_out: Option<usize>,
    ) -> Self {
        let n_head = problem.head_kinds.len();
        let mut next = number(n_head);
        let numbered = lits.iter().enumerate().map(|(place, lit)| {
            let first_new = next;
            next += number(lit.n_new());
            (place, lit, first_new)
        });
        let open: Vec<(&Lit, u32)> = numbered
            .filter(|(place, ..)| Some(*place) != left_out)
            .map(|(_, lit, first_new)| (lit, first_new))
            .collect();
        // The literals are in an order that binds before it uses.
        let waits = |place: usize| {
            let unknown = |var: &usize| *var >= n_head;
            let vars = open[place].0.vars().map(|var| var as usize);
            (open[place].0.n_new() == 0).then(|| vars.filter(unknown))
        };
        let binds = |place: usize| {
            let (lit, first_new) = open[place];
            first_new as usize..first_new as usize + lit.n_new()
        };
        let n_vars = next as usize;
        let order = tests_first(open.len(), n_vars, waits, binds);
        let mut compiler = Compiler {
            problem,
            origin: vec![Steps::default(); n_vars],
            constants: Vec::new(),
        };
        let steps = order.iter().enumerate().map(|(at, turn)| {
            let (lit, first_new) = open[turn.goal];
            compiler.step(at, lit, first_new as usize)
        });
        let steps = steps.collect();
        Self {
            problem,
            steps,
            n_vars,
            constants: compiler.constants,
            n_rows: Cell::new(0),
        }
    }

    /// How many rows it has looked at.
    pub(crate) fn n_rows(&self) -> u64 {
        self.n_rows.get()
    }

    /// The values of a match, to be given to [`Matcher::covers`].
    fn values(&self) -> Vec<u32> {
        let mut values = vec![0; self.n_vars];
        values.extend_from_slice(&self.constants);
        values
    }

    /// Whether an example is covered. Where that takes too many rows to find out, a negative example
    /// counts as covered and a positive one does not.
    fn covers(&self, side: usize, example: usize, values: &mut [u32]) -> bool {
        let columns = &self.problem.examples[side].columns;
        for (value, column) in values.iter_mut().zip(columns) {
            *value = column[example];
        }
        let mut left = MAX_ROWS;
        let Ok(covered) = Execution {
            source: self.problem,
            steps: &self.steps,
            values,
            left: &mut left,
        }
        .is_provable();
        self.n_rows.set(self.n_rows.get() + MAX_ROWS - left);
        covered || (left == 0 && side == 1)
    }

    /// The examples of one side that are covered; only those in `among` are tried.
    pub(crate) fn covered(&self, side: usize, among: &BitSet) -> BitSet {
        let mut set = BitSet::with_capacity(self.problem.examples[side].len);
        let mut values = self.values();
        for example in among.ones() {
            if self.covers(side, example, &mut values) {
                set.insert(example);
            }
        }
        set
    }

    /// The same, or `None` as soon as more than `most` examples are covered. Those in `suspects`
    /// are tried first, and the example that was one too many goes before them.
    pub(crate) fn covered_at_most(
        &self,
        side: usize,
        among: &BitSet,
        most: usize,
        suspects: &mut Vec<usize>,
    ) -> Option<BitSet> {
        let mut set = BitSet::with_capacity(self.problem.examples[side].len);
        let mut values = self.values();
        let mut n = 0;
        let mut tried = BitSet::with_capacity(set.len());
        for i in 0..suspects.len() {
            let example = suspects[i];
            tried.insert(example);
            if among.contains(example) && self.covers(side, example, &mut values) {
                set.insert(example);
                n += 1;
                if n > most {
                    suspects[..=i].rotate_right(1);
                    return None;
                }
            }
        }
        for example in among.ones().filter(|&example| !tried.contains(example)) {
            if self.covers(side, example, &mut values) {
                set.insert(example);
                n += 1;
                if n > most {
                    suspects.insert(0, example);
                    return None;
                }
            }
        }
        Some(set)
    }
}

/// Makes steps of literals.
struct Compiler<'p> {
    problem: &'p EncodedProblem,
    /// The step that gives each variable its value.
    origin: Vec<Steps>,
    constants: Vec<u32>,
}

impl<'p> Compiler<'p> {
    /// The place of a value; new variables are numbered from `next` on.
    fn place(&mut self, arg: Arg, next: &mut usize) -> usize {
        match arg {
            Arg::Var(var) => var as usize,
            Arg::Const(constant) => {
                self.constants.push(constant);
                self.origin.len() + self.constants.len() - 1
            }
            Arg::New => {
                *next += 1;
                *next - 1
            }
        }
    }

    fn step(&mut self, at: usize, lit: &Lit, mut next: usize) -> Step<Lookup<'p>> {
        let known = lit.vars().map(|var| self.origin[var as usize]);
        let parents = known.fold(Steps::default(), Steps::union);
        let (literal, outputs) = if lit.n_new() == 0 {
            (self.test(lit), SmallVec::new())
        } else {
            let relation = &self.problem.relations[lit.relation as usize];
            let known = (0..lit.args.len()).filter(|&place| lit.args[place] != Arg::New);
            let key = known.max_by_key(|&place| (relation.index(place).n_values(), Reverse(place)));
            let others = lit.args.iter().enumerate();
            let others = others.filter(|(place, _)| Some(*place) != key);
            let outputs = others.map(|(place, &arg)| {
                let value = self.place(arg, &mut next);
                let is_new = arg == Arg::New;
                if is_new {
                    self.origin[value] = Steps::one(at);
                }
                Output {
                    place,
                    value,
                    rivals: is_new.then(Vec::new),
                }
            });
            let outputs = outputs.collect();
            let key = key.map(|place| {
                let value = self.place(lit.args[place], &mut 0);
                (value, relation.index(place))
            });
            (Lookup::Rows { relation, key }, outputs)
        };
        Step {
            literal,
            outputs,
            parents,
        }
    }

    fn test(&mut self, lit: &Lit) -> Lookup<'p> {
        let positive = lit.positive;
        let mut place = |arg: Arg| self.place(arg, &mut 0);
        if let (EQUALS, &[left, right]) = (lit.relation, &*lit.args) {
            return Lookup::Equal {
                left: place(left),
                right: place(right),
                positive,
            };
        }
        if let [var @ Arg::Var(_)] = *lit.args {
            return Lookup::Property {
                var: place(var),
                index: self.problem.relations[lit.relation as usize].index(0),
                positive,
            };
        }
        Lookup::Holds {
            args: lit.args.iter().map(|&arg| place(arg)).collect(),
            relation: &self.problem.relations[lit.relation as usize],
            positive,
        }
    }
}

/// The examples of one side that a clause covers; only those in `among` are tried.
pub(crate) fn covered(
    problem: &EncodedProblem,
    lits: &[Lit],
    side: usize,
    among: &BitSet,
) -> BitSet {
    Matcher::new(problem, lits).covered(side, among)
}

/// Whether a literal binds no variable that another one needs.
pub(crate) fn is_spare(lits: &[Lit], index: usize, n_head: usize) -> bool {
    let first = n_head + lits[..index].iter().map(Lit::n_new).sum::<usize>();
    let own = first..first + lits[index].n_new();
    own.is_empty()
        || !lits[index + 1..]
            .iter()
            .any(|lit| lit.vars().any(|var| own.contains(&(var as usize))))
}

/// The clause without one literal, with the remaining variables renumbered; `None` if another
/// literal needs a variable that only this one binds.
pub(crate) fn without(lits: &[Lit], index: usize, n_head: usize) -> Option<Vec<Lit>> {
    // Old variable numbers, in order of introduction, to new ones.
    let mut renamed: Vec<Option<u32>> = (0u32..).take(n_head).map(Some).collect();
    let mut next = number(n_head);
    let mut shorter = Vec::with_capacity(lits.len() - 1);
    for (i, lit) in lits.iter().enumerate() {
        let n_new = lit.n_new();
        if i == index {
            renamed.extend(std::iter::repeat_n(None, n_new));
            continue;
        }
        let args = lit.args.iter().map(|&arg| match arg {
            Arg::Var(var) => renamed[var as usize].map(Arg::Var),
            other => Some(other),
        });
        let lit = Lit {
            args: args.collect::<Option<_>>()?,
            ..*lit
        };
        for _ in 0..n_new {
            renamed.push(Some(next));
            next += 1;
        }
        shorter.push(lit);
    }
    Some(shorter)
}
