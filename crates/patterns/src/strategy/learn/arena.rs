//! What comes of choices among the moves of every position.

use kibitz_board::{Chess, Endgame, Position};
use std::mem;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Moves;
use crate::strategy::truths::moves_of;

/// For each of some things a list of numbers, one behind the other.
#[derive(Debug)]
pub(super) struct Lists {
    starts: Vec<u32>,
    pub(super) all: Vec<u32>,
}

impl Lists {
    fn new(lists: &[Vec<u32>]) -> Lists {
        let mut starts = vec![0];
        let mut all = Vec::new();
        for list in lists {
            all.extend(list);
            starts.push(number(all.len()));
        }
        Lists { starts, all }
    }

    /// Lists of so many things, of pairs of one of these and what is in its list.
    pub(super) fn grouped<P: Iterator<Item = (u32, u32)>>(
        n: usize,
        pairs: impl Fn() -> P,
    ) -> Lists {
        // An iterator of several runs faster by `for_each` than by `for`.
        let mut starts = vec![0; n + 1];
        pairs().for_each(|(of, _)| starts[of as usize + 1] += 1);
        for at in 0..n {
            starts[at + 1] += starts[at];
        }
        let mut ends = starts.clone();
        let mut all = vec![0; starts[n] as usize];
        pairs().for_each(|(of, own)| {
            let end = &mut ends[of as usize];
            all[*end as usize] = own;
            *end += 1;
        });
        Lists { starts, all }
    }

    pub(super) fn range(&self, at: usize) -> Range<usize> {
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    pub(super) fn get(&self, at: usize) -> &[u32] {
        &self.all[self.range(at)]
    }
}

/// A move to a position with Black to move, as one number.
pub(super) const MOVES: u32 = 64;

/// All positions with White to move, one of those alike up to symmetry, and their moves and replies.
#[derive(Debug)]
pub(super) struct Arena {
    pub(super) positions: Vec<Chess>,
    /// Positions that each stands for.
    pub(super) weights: Vec<u32>,
    /// For each position the positions with Black to move that lead to it.
    pub(super) replies: Lists,
    /// For each position with Black to move the moves that lead to it: the position and the bit.
    pub(super) moves: Lists,
    /// For each position those that its moves lead to.
    pub(super) after: Lists,
    /// Positions that each position with Black to move leads to; one more where Black has not to
    /// lose.
    pub(super) hopes: Vec<u8>,
    /// Positions with Black to move in which he is mated.
    pub(super) mates: Vec<u32>,
    /// The moves of each position after which Black has not to lose.
    spoiling: Moves,
    /// Moves to the mate from each position by perfect play; 0 where there is none.
    pub(super) depths: Vec<u16>,
}

impl Arena {
    /// Those of an endgame that no move of White leaves.
    pub(super) fn new(endgame: &Endgame) -> Arena {
        let half = endgame.n_indices() / 2;
        let mut positions = Vec::new();
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        for index in 0..half {
            if let Some(position) = endgame.position(index) {
                numbers.insert(index, positions.len());
                positions.push(position);
            }
        }
        let mut weights = vec![0; positions.len()];
        for position in (0..half).filter_map(|index| endgame.placement(index)) {
            if let Some(index) = endgame.index_of(&position) {
                weights[numbers[&index]] += 1;
            }
        }
        let mut replies = vec![Vec::new(); positions.len()];
        let mut after = vec![Vec::new(); positions.len()];
        let (mut moves, mut hopes, mut mates) = (Vec::new(), Vec::new(), Vec::new());
        let mut safe = Vec::new();
        let mut known: FxHashMap<usize, usize> = FxHashMap::default();
        for (start, position) in (0..).zip(&positions) {
            for (bit, m) in (0..).zip(moves_of(position)) {
                let mut then = position.clone();
                then.play_unchecked(m);
                let index = endgame.index_of(&then).expect("the material is the same");
                let reply = *known.entry(index).or_insert_with(|| {
                    let reply = hopes.len();
                    let (next, is_safe) = replies_to(&then, endgame, &numbers);
                    for start in &next {
                        replies[*start].push(number(reply));
                    }
                    if next.is_empty() && !is_safe {
                        mates.push(number(reply));
                    }
                    let hope = next.len() + usize::from(is_safe);
                    hopes.push(u8::try_from(hope).expect("a king has eight moves"));
                    moves.push(Vec::new());
                    safe.push(is_safe);
                    reply
                });
                moves[reply].push(start * MOVES + bit);
                after[start as usize].push(number(reply));
            }
        }
        let mut spoiling = vec![0; positions.len()];
        for (moves, _) in moves.iter().zip(safe).filter(|(_, safe)| *safe) {
            for m in moves {
                spoiling[(m / MOVES) as usize] |= 1 << (m % MOVES);
            }
        }
        let mut arena = Arena {
            depths: vec![0; positions.len()],
            positions,
            weights,
            replies: Lists::new(&replies),
            moves: Lists::new(&moves),
            after: Lists::new(&after),
            hopes,
            mates,
            spoiling,
        };
        // What is found lost at about the same time is kept together.
        let order = arena.perfect();
        let mut places = vec![0; order.len()];
        for (place, reply) in (0..).zip(&order) {
            places[*reply] = place;
        }
        let lists = order.iter().map(|reply| mem::take(&mut moves[*reply]));
        arena.moves = Lists::new(&lists.collect::<Vec<_>>());
        arena.hopes = order.iter().map(|reply| arena.hopes[*reply]).collect();
        let lists = [
            &mut arena.replies.all,
            &mut arena.after.all,
            &mut arena.mates,
        ];
        for reply in lists.into_iter().flatten() {
            *reply = places[*reply as usize];
        }
        arena
    }

    /// Plays perfectly: finds how deep positions are, and the order in which Black is lost, of all
    /// positions with Black to move.
    fn perfect(&mut self) -> Vec<usize> {
        let mut hopes = self.hopes.clone();
        let mut lost = self.mates.clone();
        let mut depths = vec![1; hopes.len()];
        let mut done = 0;
        while let Some(reply) = lost.get(done).map(|reply| *reply as usize) {
            done += 1;
            for position in self.moves.get(reply).iter().map(|m| (m / MOVES) as usize) {
                if self.depths[position] != 0 {
                    continue;
                }
                self.depths[position] = depths[reply];
                for next in self.replies.get(position) {
                    hopes[*next as usize] -= 1;
                    if hopes[*next as usize] == 0 {
                        depths[*next as usize] = depths[reply] + 1;
                        lost.push(*next);
                    }
                }
            }
        }
        let mut order: Vec<usize> = lost.iter().map(|reply| *reply as usize).collect();
        order.extend((0..hopes.len()).filter(|reply| hopes[*reply] != 0));
        order
    }

    /// Whether a position that can be won has to be put right whatever comes of other moves.
    pub(super) fn is_spoiled(&self, position: usize, chosen: &[u64]) -> bool {
        let moves = chosen[position];
        (moves == 0 || moves & self.spoiling[position] != 0) && self.depths[position] != 0
    }

    /// The positions with White to move, those alike counted each.
    pub(super) fn n_positions(&self) -> u32 {
        self.weights.iter().sum()
    }
}

/// The positions that Black's moves lead to, and whether he does not lose here at all: by stalemate,
/// or as he can take the man.
fn replies_to(
    position: &Chess,
    endgame: &Endgame,
    numbers: &FxHashMap<usize, usize>,
) -> (Vec<usize>, bool) {
    let moves = position.legal_moves();
    let mut is_safe = moves.is_empty() && !position.is_check();
    let mut next = Vec::new();
    for m in moves {
        let mut then = position.clone();
        then.play_unchecked(m);
        let index = endgame.index_of(&then);
        match index.and_then(|index| numbers.get(&index)) {
            Some(start) => next.push(*start),
            None => is_safe = true,
        }
    }
    next.sort_unstable();
    next.dedup();
    (next, is_safe)
}

pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).expect("an endgame of three men has fewer positions")
}
