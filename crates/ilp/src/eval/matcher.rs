//! Whether a clause covers an example, by its literals' relations.

use std::cell::Cell;

use super::literal::{Arg, EQUALS, Lit, Values};
use crate::coverage::BitSet;
use crate::encoded::{EncodedProblem, Index, Relation, number};
use crate::schedule::tests_first;

/// Rows looked at for one example before matching gives up on it.
const MAX_ROWS: u64 = 2_000_000;

/// A clause body compiled to be matched against many examples: tests come as soon as their variables
/// are bound, and each step knows how to look up its relation.
pub(crate) struct Matcher<'p> {
    problem: &'p EncodedProblem,
    steps: Vec<Step<'p>>,
    n_vars: usize,
}

enum Step<'p> {
    Equal {
        left: u32,
        right: Arg,
        positive: bool,
    },
    /// A unary relation.
    Property {
        var: u32,
        index: &'p Index,
        positive: bool,
    },
    /// A binary relation from one known argument to one new variable.
    Follow {
        var: u32,
        relation: &'p Relation,
        index: &'p Index,
        /// Place of the new variable among the arguments.
        place: usize,
        new: u32,
    },
    /// A relation whose arguments are all known.
    Holds {
        relation: &'p Relation,
        args: &'p [Arg],
        positive: bool,
    },
    /// Any other literal, which is positive; new variables are numbered from `first_new` on.
    Look {
        relation: &'p Relation,
        args: &'p [Arg],
        first_new: u32,
    },
}

impl<'p> Matcher<'p> {
    pub(crate) fn new(problem: &'p EncodedProblem, lits: &'p [Lit]) -> Self {
        Self::leaving_out(problem, lits, None)
    }

    /// The clause without one literal, whose variables no other one needs.
    pub(crate) fn leaving_out(
        problem: &'p EncodedProblem,
        lits: &'p [Lit],
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
        let order = tests_first(open.len(), next as usize, waits, binds);
        let steps = order.iter().map(|turn| {
            let (lit, first_new) = open[turn.goal];
            Step::new(problem, lit, first_new)
        });
        let steps = steps.collect();
        Self {
            problem,
            steps,
            n_vars: next as usize,
        }
    }

    /// Whether an example is covered; `None` if that takes too many rows to find out.
    fn covers(&self, side: usize, example: usize, binding: &mut Vec<u32>) -> Option<bool> {
        binding.clear();
        let columns = &self.problem.examples[side].columns;
        binding.extend(columns.iter().map(|column| column[example]));
        binding.resize(self.n_vars, 0);
        let rows = Cell::new(MAX_ROWS);
        let covered = run(&self.steps, binding, &rows);
        (covered || rows.get() > 0).then_some(covered)
    }

    /// The examples of one side that are covered; only those in `among` are tried. Where it cannot
    /// be told, negative examples count as covered and positive ones do not.
    pub(crate) fn covered(&self, side: usize, among: &BitSet) -> BitSet {
        let mut set = BitSet::with_capacity(self.problem.examples[side].len);
        let mut binding = Vec::new();
        for example in among.ones() {
            if self
                .covers(side, example, &mut binding)
                .unwrap_or(side == 1)
            {
                set.insert(example);
            }
        }
        set
    }

    /// The same, or `None` as soon as more than `most` examples are covered. Those in `suspects`
    /// are tried first, and the example that was one too many is put in front of them.
    pub(crate) fn covered_at_most(
        &self,
        side: usize,
        among: &BitSet,
        most: usize,
        suspects: &mut Vec<usize>,
    ) -> Option<BitSet> {
        let mut set = BitSet::with_capacity(self.problem.examples[side].len);
        let mut binding = Vec::new();
        let mut n = 0;
        let mut tried = BitSet::with_capacity(set.len());
        for i in 0..suspects.len() {
            let example = suspects[i];
            tried.insert(example);
            if among.contains(example)
                && self
                    .covers(side, example, &mut binding)
                    .unwrap_or(side == 1)
            {
                set.insert(example);
                n += 1;
                if n > most {
                    suspects[..=i].rotate_right(1);
                    return None;
                }
            }
        }
        for example in among.ones().filter(|&example| !tried.contains(example)) {
            if self
                .covers(side, example, &mut binding)
                .unwrap_or(side == 1)
            {
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

impl<'p> Step<'p> {
    fn new(problem: &'p EncodedProblem, lit: &'p Lit, first_new: u32) -> Self {
        let positive = lit.positive;
        if let (EQUALS, &[Arg::Var(left), right]) = (lit.relation, &*lit.args) {
            return Step::Equal {
                left,
                right,
                positive,
            };
        }
        let relation = &problem.relations[lit.relation as usize];
        let follow = |var, place: usize| Step::Follow {
            var,
            relation,
            index: relation.index(1 - place),
            place,
            new: first_new,
        };
        match *lit.args {
            [Arg::Var(var)] => Step::Property {
                var,
                index: relation.index(0),
                positive,
            },
            [Arg::Var(var), Arg::New] => follow(var, 1),
            [Arg::New, Arg::Var(var)] => follow(var, 0),
            _ if lit.n_new() == 0 => Step::Holds {
                relation,
                args: &lit.args,
                positive,
            },
            _ => Step::Look {
                relation,
                args: &lit.args,
                first_new,
            },
        }
    }
}

/// Backtracking over the remaining steps.
fn run(steps: &[Step<'_>], binding: &mut [u32], rows: &Cell<u64>) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return true;
    };
    // Every row looked at counts, so that no clause can take forever.
    let look = || {
        let left = rows.get();
        rows.set(left.saturating_sub(1));
        left > 0
    };
    match step {
        Step::Equal {
            left,
            right,
            positive,
        } => {
            let right = right.value(|var| binding[var as usize]);
            (right == Some(binding[*left as usize])) == *positive && run(rest, binding, rows)
        }
        Step::Property {
            var,
            index,
            positive,
        } => index.contains(binding[*var as usize]) == *positive && run(rest, binding, rows),
        Step::Follow {
            var,
            relation,
            index,
            place,
            new,
        } => index.rows(binding[*var as usize]).iter().any(|&row| {
            binding[*new as usize] = relation.row(row)[*place];
            look() && run(rest, binding, rows)
        }),
        Step::Holds {
            relation,
            args,
            positive,
        } => {
            let value = |arg: &Arg| arg.value(|var| binding[var as usize]);
            relation.contains(args.iter().filter_map(value)) == *positive
                && run(rest, binding, rows)
        }
        Step::Look {
            relation,
            args,
            first_new,
        } => {
            let values = Values::new(args, |var| binding[var as usize]);
            let mut found = false;
            relation.matches(values.as_slice(), |tuple| {
                let news = args.iter().zip(tuple).filter(|(arg, _)| **arg == Arg::New);
                for ((_, value), new) in news.zip(*first_new..) {
                    binding[new as usize] = *value;
                }
                if !look() {
                    return false;
                }
                found = run(rest, binding, rows);
                !found
            });
            found
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
