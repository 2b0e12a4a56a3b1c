//! Canonical forms of clauses: equal for variants, by color refinement and individualization.

use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::literal::{Arg, Lit};
use super::pattern::Pattern;
use crate::encoded::number;

/// Equal for patterns that differ in the names of variables and the order of literals only.
pub(crate) type Key = Arc<[u32]>;

/// A clause of a search, with its key.
pub(crate) type Node = (Key, Arc<Pattern>);

/// From colors of the variables to ranks that tell more apart, and how many there are.
type Refine = fn(&Pattern, &[u32]) -> (Vec<u32>, usize);

impl Pattern {
    /// As [`key`](Self::key), but one variable stands apart from all others.
    pub(crate) fn key_from(&self, root: u32) -> Key {
        let mut marked = self.clone();
        marked.lits.push(Lit::positive(u32::MAX, [Arg::Var(root)]));
        marked.key()
    }

    /// See [`Key`].
    pub(crate) fn key(&self) -> Key {
        self.key_by(Self::told_apart)
    }

    /// The same, in an order that macros are tried in: the occurrences themselves determine it.
    pub(crate) fn ordered_key(&self) -> Key {
        self.key_by(Self::refined)
    }

    fn key_by(&self, refine: Refine) -> Key {
        let mut colors: Vec<u32> = Vec::with_capacity(self.vars.len());
        let n_head = self.n_head_vars();
        for (i, var) in self.vars.iter().enumerate() {
            colors.push(if i < n_head {
                number(i)
            } else {
                number(n_head) + var.kind
            });
        }
        let mut best = None;
        self.smallest(colors, refine, &mut best);
        best.unwrap_or_default()
    }

    /// Tells variables apart by where they occur; where that is not enough, tries each of those that
    /// look alike as the first, and keeps the smallest result. One whose first result is the best
    /// so far has no smaller ones: there is a symmetry between the two.
    fn smallest(&self, colors: Vec<u32>, refine: Refine, best: &mut Option<Key>) {
        let (colors, alike) = self.stable(colors, refine);
        if alike.is_empty() {
            let key = self.written(&colors);
            if best.as_ref().is_none_or(|best| key < *best) {
                *best = Some(key);
            }
        }
        for (n_tried, &var) in alike.iter().enumerate() {
            let chosen = first(&colors, var);
            if n_tried == 0 || best.as_ref() != Some(&self.leftmost(chosen.clone(), refine)) {
                self.smallest(chosen, refine, best);
            }
        }
    }

    /// The result of taking the first of those that look alike, all the way.
    fn leftmost(&self, colors: Vec<u32>, refine: Refine) -> Key {
        let (mut colors, mut alike) = self.stable(colors, refine);
        while let Some(&var) = alike.first() {
            (colors, alike) = self.stable(first(&colors, var), refine);
        }
        self.written(&colors)
    }

    /// Ranks that looking at occurrences tells no further apart, and the variables of the first rank
    /// that several have.
    fn stable(&self, mut colors: Vec<u32>, refine: Refine) -> (Vec<u32>, Vec<usize>) {
        let mut n_ranks = 0;
        loop {
            let (ranks, n) = refine(self, &colors);
            colors = ranks;
            if n == n_ranks || n == colors.len() {
                break;
            }
            n_ranks = n;
        }
        let mut counts = vec![0; colors.len()];
        for &color in &colors {
            counts[color as usize] += 1;
        }
        let shared = counts.iter().position(|&count| count > 1);
        let alike = (0..colors.len()).filter(|&var| Some(colors[var] as usize) == shared);
        let alike = alike.collect();
        (colors, alike)
    }

    /// Ranks of the variables by their colors and the colors around their occurrences, and the number
    /// of ranks.
    fn refined(&self, colors: &[u32]) -> (Vec<u32>, usize) {
        // Each occurrence: its variable, and where among the signs it is described.
        let mut signs: Vec<u32> = Vec::new();
        let mut occurrences: Vec<(usize, Range<usize>)> = Vec::new();
        for lit in &self.lits {
            for (place, arg) in lit.args.iter().enumerate() {
                let Arg::Var(var) = arg else { continue };
                let start = signs.len();
                signs.extend([lit.relation, number(place)]);
                signs.extend(lit.args.iter().map(|&other| {
                    let sign = |own: u32| 2 * colors[own as usize] + u32::from(own == *var);
                    word(other, sign)
                }));
                occurrences.push((*var as usize, start..signs.len()));
            }
        }
        occurrences.sort_unstable_by(|(a, of_a), (b, of_b)| {
            let signs = |of: &Range<usize>| &signs[of.clone()];
            a.cmp(b).then_with(|| signs(of_a).cmp(signs(of_b)))
        });
        // The signs of each variable, in order.
        let mut ordered: Vec<u32> = Vec::with_capacity(signs.len());
        let mut of: Vec<Range<usize>> = vec![0..0; colors.len()];
        for (var, sign) in occurrences {
            let start = ordered.len();
            ordered.extend_from_slice(&signs[sign]);
            if of[var].is_empty() {
                of[var].start = start;
            }
            of[var].end = ordered.len();
        }
        let look = |var: usize| (colors[var], &ordered[of[var].clone()]);
        let mut seen: Vec<usize> = (0..colors.len()).collect();
        seen.sort_unstable_by(|&a, &b| look(a).cmp(&look(b)));
        let mut ranks = vec![0; colors.len()];
        let mut rank = 0;
        for i in 0..seen.len() {
            if i > 0 && look(seen[i]) != look(seen[i - 1]) {
                rank += 1;
            }
            ranks[seen[i]] = rank;
        }
        (
            ranks,
            if seen.is_empty() {
                0
            } else {
                rank as usize + 1
            },
        )
    }

    /// The same but for the order of ranks among those of one color, from a hash of the occurrences.
    fn told_apart(&self, colors: &[u32]) -> (Vec<u32>, usize) {
        let mut seen: Vec<(u32, u64, usize)> = (colors.iter().enumerate())
            .map(|(var, &color)| (color, 0, var))
            .collect();
        for lit in &self.lits {
            let mut hasher = FxHasher::default();
            lit.relation.hash(&mut hasher);
            for arg in &*lit.args {
                match *arg {
                    Arg::Var(var) => {
                        let before = lit.args.iter().position(|other| other == arg);
                        (before, colors[var as usize]).hash(&mut hasher);
                    }
                    other => word(other, |_| 0).hash(&mut hasher),
                }
            }
            for (place, arg) in lit.args.iter().enumerate() {
                if let Arg::Var(var) = *arg {
                    let mut hasher = hasher.clone();
                    place.hash(&mut hasher);
                    let sum = &mut seen[var as usize].1;
                    *sum = sum.wrapping_add(hasher.finish());
                }
            }
        }
        seen.sort_unstable();
        let mut ranks = vec![0; colors.len()];
        let mut n_ranks = 0;
        for (at, &(color, hash, var)) in seen.iter().enumerate() {
            n_ranks += usize::from(at == 0 || (color, hash) != (seen[at - 1].0, seen[at - 1].1));
            ranks[var] = number(n_ranks - 1);
        }
        (ranks, n_ranks)
    }

    /// The literals in order, with these numbers for the variables.
    fn written(&self, numbers: &[u32]) -> Key {
        let arg = |arg: &Arg| word(*arg, |var| numbers[var as usize]);
        let mut lits: Vec<Vec<u32>> = (self.lits.iter())
            .map(|lit| {
                std::iter::once(lit.relation)
                    .chain(lit.args.iter().map(arg))
                    .collect()
            })
            .collect();
        lits.sort_unstable();
        let head = self.head.iter().map(arg);
        head.chain(lits.into_iter().flatten()).collect()
    }
}

/// The number of a variable, or that of a constant counted from the end.
///
/// # Panics
/// For a variable without a number, which clauses made of modes do not have.
pub(crate) fn word(arg: Arg, number_of: impl Fn(u32) -> u32) -> u32 {
    match arg {
        Arg::Var(var) => number_of(var),
        Arg::Const(constant) => u32::MAX - constant,
        Arg::New => unreachable!("clauses made of modes number their variables"),
    }
}

/// The ranks with one variable before all others of its rank.
fn first(ranks: &[u32], var: usize) -> Vec<u32> {
    let mut ranks: Vec<u32> = ranks.iter().map(|rank| 2 * rank + 1).collect();
    ranks[var] -= 1;
    ranks
}
