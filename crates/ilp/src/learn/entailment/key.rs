//! When two clauses are the same but for names.

use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::pattern::{Arg, Lit, Pattern, small};

/// Equal for patterns that differ in the names of variables and the order of literals only.
pub(in crate::learn) type Key = Arc<[u16]>;

/// From colors of the variables to ranks that tell more apart, and how many there are.
type Refine = fn(&Pattern, &[u16]) -> (Vec<u16>, usize);

impl Pattern {
    /// As [`key`](Self::key), but one variable stands apart from all others.
    pub(in crate::learn) fn key_from(&self, root: u16) -> Key {
        let mut marked = self.clone();
        marked.lits.push(Lit {
            mode: u16::MAX,
            args: Arc::new([Arg::Var(root)]),
        });
        marked.key()
    }

    /// See [`Key`].
    pub(in crate::learn) fn key(&self) -> Key {
        self.key_by(Self::told_apart)
    }

    /// The same, in an order that macros are tried in: it is told by the occurrences themselves.
    pub(in crate::learn) fn ordered_key(&self) -> Key {
        self.key_by(Self::refined)
    }

    fn key_by(&self, refine: Refine) -> Key {
        let mut colors: Vec<u16> = Vec::with_capacity(self.vars.len());
        let n_head = self.n_head_vars();
        for (i, var) in self.vars.iter().enumerate() {
            colors.push(if i < n_head {
                small(i)
            } else {
                small(n_head) + var.kind
            });
        }
        let mut best = None;
        self.smallest(colors, refine, &mut best);
        best.unwrap_or_default()
    }

    /// Tells variables apart by where they occur; where that is not enough, tries each of those that
    /// look alike as the first, and keeps the smallest result. One whose first result is the best
    /// so far has no smaller ones: there is a symmetry between the two.
    fn smallest(&self, colors: Vec<u16>, refine: Refine, best: &mut Option<Key>) {
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
    fn leftmost(&self, colors: Vec<u16>, refine: Refine) -> Key {
        let (mut colors, mut alike) = self.stable(colors, refine);
        while let Some(&var) = alike.first() {
            (colors, alike) = self.stable(first(&colors, var), refine);
        }
        self.written(&colors)
    }

    /// Ranks that looking at occurrences tells no further apart, and the variables of the first rank
    /// that several have.
    fn stable(&self, mut colors: Vec<u16>, refine: Refine) -> (Vec<u16>, Vec<usize>) {
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
            counts[usize::from(color)] += 1;
        }
        let shared = counts.iter().position(|&count| count > 1);
        let alike = (0..colors.len()).filter(|&var| Some(usize::from(colors[var])) == shared);
        let alike = alike.collect();
        (colors, alike)
    }

    /// Ranks of the variables by their colors and those of what they occur with, and how many ranks.
    fn refined(&self, colors: &[u16]) -> (Vec<u16>, usize) {
        // Each occurrence: its variable, and where among the signs it is described.
        let mut signs: Vec<u16> = Vec::new();
        let mut occurrences: Vec<(usize, Range<usize>)> = Vec::new();
        for lit in &self.lits {
            for (place, arg) in lit.args.iter().enumerate() {
                let Arg::Var(var) = arg else { continue };
                let start = signs.len();
                signs.extend([lit.mode, small(place)]);
                signs.extend(lit.args.iter().map(|other| match *other {
                    Arg::Var(own) => 2 * colors[usize::from(own)] + u16::from(own == *var),
                    Arg::Const(constant) => u16::MAX - constant,
                }));
                occurrences.push((usize::from(*var), start..signs.len()));
            }
        }
        occurrences.sort_unstable_by(|(a, of_a), (b, of_b)| {
            let signs = |of: &Range<usize>| &signs[of.clone()];
            a.cmp(b).then_with(|| signs(of_a).cmp(signs(of_b)))
        });
        // The signs of each variable, in order.
        let mut ordered: Vec<u16> = Vec::with_capacity(signs.len());
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
                usize::from(rank) + 1
            },
        )
    }

    /// The same but for the order of ranks among those of one color, from a hash of the occurrences.
    fn told_apart(&self, colors: &[u16]) -> (Vec<u16>, usize) {
        let mut seen: Vec<(u16, u64, usize)> = (colors.iter().enumerate())
            .map(|(var, &color)| (color, 0, var))
            .collect();
        for lit in &self.lits {
            let mut hasher = FxHasher::default();
            lit.mode.hash(&mut hasher);
            for arg in &*lit.args {
                match *arg {
                    Arg::Var(var) => {
                        let before = lit.args.iter().position(|other| other == arg);
                        (before, colors[usize::from(var)]).hash(&mut hasher);
                    }
                    Arg::Const(constant) => (u16::MAX - constant).hash(&mut hasher),
                }
            }
            for (place, arg) in lit.args.iter().enumerate() {
                if let Arg::Var(var) = *arg {
                    let mut hasher = hasher.clone();
                    place.hash(&mut hasher);
                    let sum = &mut seen[usize::from(var)].1;
                    *sum = sum.wrapping_add(hasher.finish());
                }
            }
        }
        seen.sort_unstable();
        let mut ranks = vec![0; colors.len()];
        let mut n_ranks = 0;
        for (at, &(color, hash, var)) in seen.iter().enumerate() {
            n_ranks += usize::from(at == 0 || (color, hash) != (seen[at - 1].0, seen[at - 1].1));
            ranks[var] = small(n_ranks - 1);
        }
        (ranks, n_ranks)
    }

    /// The literals in order, with these numbers for the variables.
    fn written(&self, numbers: &[u16]) -> Key {
        let arg = |arg: &Arg| match *arg {
            Arg::Var(var) => numbers[usize::from(var)],
            Arg::Const(constant) => u16::MAX - constant,
        };
        let mut lits: Vec<Vec<u16>> = (self.lits.iter())
            .map(|lit| {
                std::iter::once(lit.mode)
                    .chain(lit.args.iter().map(arg))
                    .collect()
            })
            .collect();
        lits.sort_unstable();
        let head = self.head.iter().map(arg);
        head.chain(lits.into_iter().flatten()).collect()
    }
}

/// The ranks with one variable before all others of its rank.
fn first(ranks: &[u16], var: usize) -> Vec<u16> {
    let mut ranks: Vec<u16> = ranks.iter().map(|rank| 2 * rank + 1).collect();
    ranks[var] -= 1;
    ranks
}
