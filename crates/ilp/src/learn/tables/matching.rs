use super::literal::{Arg, Lit, Values};
use super::problem::Problem;
use crate::coverage::BitSet;

/// Whether a clause covers an example, by backtracking over its literals.
///
/// `binding` starts with the example's arguments and is used as scratch space.
pub(in crate::learn) fn covers(problem: &Problem, lits: &[Lit], binding: &mut Vec<u32>) -> bool {
    let Some((first, rest)) = lits.split_first() else {
        return true;
    };
    match first {
        Lit::Same {
            left,
            right,
            positive,
        } => {
            (binding[*left as usize] == binding[*right as usize]) == *positive
                && covers(problem, rest, binding)
        }
        Lit::Value {
            var,
            value,
            positive,
        } => (binding[*var as usize] == *value) == *positive && covers(problem, rest, binding),
        Lit::Rel {
            relation,
            args,
            positive,
        } => {
            let relation = &problem.relations[*relation as usize];
            let n_bound = binding.len();
            let values = Values::new(args, |var| binding[var as usize]);
            let known = values.as_slice();
            let mut found = false;
            if known.iter().all(Option::is_some) {
                relation.matches(known, |_| {
                    found = true;
                    false
                });
                return found == *positive && covers(problem, rest, binding);
            }
            relation.matches(known, |tuple| {
                binding.truncate(n_bound);
                for (arg, value) in args.iter().zip(tuple) {
                    if *arg == Arg::New {
                        binding.push(*value);
                    }
                }
                found = covers(problem, rest, binding);
                !found
            });
            binding.truncate(n_bound);
            found
        }
    }
}

/// The examples of one side that a clause covers; only those in `among` are tried.
pub(in crate::learn) fn covered(
    problem: &Problem,
    lits: &[Lit],
    side: usize,
    among: &BitSet,
) -> BitSet {
    covered_at_most(problem, lits, side, among, usize::MAX).unwrap_or_default()
}

/// The same, or `None` as soon as more than `most` examples are covered.
pub(in crate::learn) fn covered_at_most(
    problem: &Problem,
    lits: &[Lit],
    side: usize,
    among: &BitSet,
    most: usize,
) -> Option<BitSet> {
    let examples = &problem.examples[side];
    let mut set = BitSet::new(examples.len);
    let mut binding = Vec::new();
    let mut n = 0;
    for example in among.iter() {
        binding.clear();
        binding.extend(examples.columns.iter().map(|column| column[example]));
        if covers(problem, lits, &mut binding) {
            set.insert(example);
            n += 1;
            if n > most {
                return None;
            }
        }
    }
    Some(set)
}

/// The clause without one literal, with the remaining variables renumbered; `None` if another
/// literal needs a variable that only this one binds.
pub(in crate::learn) fn without(lits: &[Lit], index: usize, n_head: usize) -> Option<Vec<Lit>> {
    // Old variable numbers, in order of introduction, to new ones.
    let mut renamed: Vec<Option<u32>> = (0u32..).take(n_head).map(Some).collect();
    let mut next = super::problem::number(n_head);
    let mut shorter = Vec::with_capacity(lits.len() - 1);
    for (i, lit) in lits.iter().enumerate() {
        let n_new = lit.n_new();
        if i == index {
            renamed.extend(std::iter::repeat_n(None, n_new));
            continue;
        }
        let mut lit = lit.clone();
        let new_name = |var: &mut u32| -> Option<()> {
            *var = renamed[*var as usize]?;
            Some(())
        };
        match &mut lit {
            Lit::Same { left, right, .. } => {
                new_name(left)?;
                new_name(right)?;
            }
            Lit::Value { var, .. } => new_name(var)?,
            Lit::Rel { args, .. } => {
                for arg in args {
                    if let Arg::Var(var) = arg {
                        new_name(var)?;
                    }
                }
            }
        }
        for _ in 0..n_new {
            renamed.push(Some(next));
            next += 1;
        }
        shorter.push(lit);
    }
    Some(shorter)
}
