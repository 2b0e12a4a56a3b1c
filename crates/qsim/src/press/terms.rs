//! The terms of determinants and adjugates by loops and paths, over sets of variables.
//!
//! The determinant of the negated matrix of a set of variables is a sum with one term for each cover of
//! the set by disjoint loops; the term's sign is that of the loops, each with the opposite sign of its
//! links. An entry of the adjugate is the same over a path from the press to the response and a cover of
//! the rest, the complementary subsystem. Each term has other links, so none cancels another.

/// A term with a positive sign.
pub(super) const PLUS: u8 = 1;
/// A term with a negative sign.
pub(super) const MINUS: u8 = 2;

/// The signs of products of two terms.
pub(super) fn times(a: u8, b: u8) -> u8 {
    let mut found = 0;
    if a & PLUS != 0 {
        found |= b;
    }
    if a & MINUS != 0 {
        found |= opposite(b);
    }
    found
}

pub(super) fn opposite(bits: u8) -> u8 {
    (bits & PLUS) << 1 | (bits & MINUS) >> 1
}

/// Maximum number of variables of one component: its sets of variables are the indices of tables.
pub(super) const MOST_MEMBERS: usize = 16;

/// A strongly connected component: variables that all push each other, directly or not.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// The variables.
    pub(super) members: Vec<usize>,
    /// Links by target and source, both by place among the members.
    links: Vec<Vec<u8>>,
    /// By set of members, the signs of the loops through exactly these.
    loops: Vec<u8>,
    /// By set of members, the signs of the terms of the determinant.
    covers: Vec<u8>,
    /// Whether every loop of several members is positive. If the component is stable, the determinant of
    /// every set of members is positive then: its negated matrix is an M-matrix up to signs.
    is_reinforcing: bool,
}

impl Component {
    pub(super) fn new(members: Vec<usize>, bits: &[Vec<u8>]) -> Self {
        let n = members.len();
        let links: Vec<Vec<u8>> = (members.iter())
            .map(|to| members.iter().map(|from| bits[*to][*from]).collect())
            .collect();
        let mut found = Self {
            members,
            links,
            loops: vec![0; 1 << n],
            covers: vec![0; 1 << n],
            is_reinforcing: false,
        };
        for start in 0..n {
            // Each loop is counted at its first member.
            let paths = found.paths(start, (!0 << start) & ((1 << n) - 1));
            for set in 0..1 << n {
                for end in 0..n {
                    found.loops[set] |= times(paths[set * n + end], found.links[start][end]);
                }
            }
        }
        found.covers[0] = PLUS;
        for set in 1_usize..1 << n {
            let first = set & set.wrapping_neg();
            let rest = set & !first;
            let mut others = rest;
            let mut signs = 0;
            loop {
                let term = times(
                    opposite(found.loops[others | first]),
                    found.covers[rest & !others],
                );
                signs |= term;
                if others == 0 || signs == PLUS | MINUS {
                    break;
                }
                others = (others - 1) & rest;
            }
            found.covers[set] = signs;
        }
        found.is_reinforcing =
            (1_usize..1 << n).all(|set| set.is_power_of_two() || found.loops[set] & MINUS == 0);
        found
    }

    /// The signs of the simple paths from `start` through exactly a set of members, all of `within`, to
    /// each end: by set times the number of members, plus end.
    fn paths(&self, start: usize, within: usize) -> Vec<u8> {
        let n = self.members.len();
        let mut paths = vec![0; n << n];
        paths[(1 << start) * n + start] = PLUS;
        for set in (1 << start)..1_usize << n {
            if set & !within != 0 || set >> start & 1 == 0 {
                continue;
            }
            for end in 0..n {
                let signs = paths[set * n + end];
                if signs == 0 {
                    continue;
                }
                for (next, links) in self.links.iter().enumerate() {
                    if set >> next & 1 == 0 && within >> next & 1 == 1 {
                        paths[(set | 1 << next) * n + next] |= times(signs, links[end]);
                    }
                }
            }
        }
        paths
    }

    /// Every member.
    pub(super) fn all(&self) -> usize {
        (1 << self.members.len()) - 1
    }

    /// The signs that the determinant of a set of members can have, if the component is stable.
    pub(super) fn rest(&self, set: usize) -> u8 {
        if set == self.all() || self.is_reinforcing {
            PLUS
        } else {
            self.covers[set]
        }
    }

    /// The signs of the terms of the determinant of a set of members.
    pub(super) fn covers(&self, set: usize) -> u8 {
        self.covers[set]
    }

    /// Whether a stable component settles the sign of a set that its terms leave open.
    pub(super) fn is_settled_by_stability(&self, set: usize) -> bool {
        set != 0 && self.rest(set) != self.covers[set]
    }

    /// The signs of the response of each member to a press on one.
    pub(super) fn responses(&self, pressed: usize) -> Vec<u8> {
        let n = self.members.len();
        let paths = self.paths(pressed, self.all());
        let mut found = vec![0; n];
        for set in 0..1 << n {
            let rest = self.rest(self.all() & !set);
            for (end, signs) in found.iter_mut().enumerate() {
                *signs |= times(paths[set * n + end], rest);
            }
        }
        found
    }

    /// The signs of the feedback at each level: of the determinants of all sets of one member, two, and
    /// so on.
    pub(super) fn levels(&self) -> Vec<u8> {
        let mut found = vec![0; self.members.len()];
        for set in 1..=self.all() {
            found[set.count_ones() as usize - 1] |= self.covers[set];
        }
        found
    }

    /// Disjoint loops that cover a set of members, with this sign of the term; each loop in the order of
    /// its links, by place among the members.
    pub(super) fn example(&self, mut set: usize, mut sign: u8) -> Option<Vec<Vec<usize>>> {
        let mut found = Vec::new();
        while set != 0 {
            let first = set & set.wrapping_neg();
            let rest = set & !first;
            // Few members first: loops of one variable are the plainest.
            let mut others = 0_usize;
            let (one, sign_of_one) = loop {
                let one = others | first;
                let sign_of_one = [PLUS, MINUS].into_iter().find(|loop_sign| {
                    self.loops[one] & loop_sign != 0
                        && times(opposite(*loop_sign), self.covers[set & !one]) & sign != 0
                });
                if let Some(sign_of_one) = sign_of_one {
                    break (one, sign_of_one);
                }
                if others == rest {
                    return None;
                }
                others = others.wrapping_sub(rest) & rest;
            };
            found.push(self.loop_through(one, sign_of_one)?);
            sign = times(opposite(sign_of_one), sign);
            set &= !one;
        }
        Some(found)
    }

    /// A loop through exactly these members with this sign.
    fn loop_through(&self, set: usize, sign: u8) -> Option<Vec<usize>> {
        let n = self.members.len();
        let start = set.trailing_zeros() as usize;
        let paths = self.paths(start, set);
        let closes = |end: usize, path: u8| times(path, self.links[start][end]) & sign != 0;
        let signs = [PLUS, MINUS];
        let mut at = (0..n).find_map(|end| {
            let mut signs = signs.into_iter();
            let path = signs.find(|path| paths[set * n + end] & path != 0 && closes(end, *path))?;
            Some((end, path))
        })?;
        let mut found = vec![at.0];
        let mut left = set;
        while left.count_ones() > 1 {
            let (end, path) = at;
            left &= !(1 << end);
            at = (0..n).find_map(|before| {
                let mut signs = signs.into_iter();
                let earlier = signs.find(|earlier| {
                    paths[left * n + before] & earlier != 0
                        && times(*earlier, self.links[end][before]) & path != 0
                })?;
                Some((before, earlier))
            })?;
            found.push(at.0);
        }
        found.reverse();
        Some(found)
    }
}

/// The strongly connected components, each after those that push it.
#[expect(
    clippy::needless_range_loop,
    reason = "matrices are read by row and column"
)]
pub(super) fn components(bits: &[Vec<u8>]) -> Vec<Vec<usize>> {
    let n = bits.len();
    let mut reaches: Vec<Vec<bool>> = (0..n)
        .map(|from| (0..n).map(|to| from == to || bits[to][from] != 0).collect())
        .collect();
    for between in 0..n {
        for from in 0..n {
            if reaches[from][between] {
                for to in 0..n {
                    reaches[from][to] |= reaches[between][to];
                }
            }
        }
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut seen = vec![false; n];
    for first in 0..n {
        if !seen[first] {
            let own = |other: &usize| reaches[first][*other] && reaches[*other][first];
            let members: Vec<usize> = (0..n).filter(own).collect();
            for &member in &members {
                seen[member] = true;
            }
            found.push(members);
        }
    }
    // Whatever pushes a component is reached from fewer variables.
    found.sort_by_key(|members| {
        let pushed_by = (0..n).filter(|other| reaches[*other][members[0]]).count();
        (pushed_by, members[0])
    });
    found
}
