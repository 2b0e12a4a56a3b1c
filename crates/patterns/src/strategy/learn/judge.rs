//! What comes of choices, from the mates back.

use super::arena::{Arena, Lists, MOVES, number};
use crate::strategy::truths::Moves;

/// What comes of choices among the moves of every position.
#[derive(Clone, Debug, Default)]
pub(super) struct Judgement {
    /// Positions in which a move has to be put right, from the mates back.
    pub(super) wrong: Vec<Wrong>,
    /// The moves of each position that win after all corrections, with those that need no more of
    /// them than the position did.
    pub(super) winning: Moves,
    /// Positions that are not won without corrections.
    pub(super) open: u32,
    /// The longest mate after all corrections, in moves of White.
    pub(super) longest: u16,
    /// Moves of the average mate.
    pub(super) average: f64,
}

/// How much is to be put right, and how long it then takes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Positions in which a move has to be put right.
    pub(super) wrong: usize,
    /// The longest mate after that.
    pub(super) longest: u16,
    /// Moves of the average mate.
    pub(super) average: f64,
}

impl Judgement {
    pub(super) fn cost(&self) -> Cost {
        Cost {
            wrong: self.wrong.len(),
            longest: self.longest,
            average: self.average,
        }
    }

    /// At most so many positions have to be put right with other choices: those in which some move
    /// does not win by what is known.
    pub(super) fn bound(&self, chosen: &[u64]) -> usize {
        let wins = |(chosen, winning): (&u64, &u64)| all_win(*chosen, *winning);
        let right: usize = chosen
            .iter()
            .zip(&self.winning)
            .map(|own| usize::from(wins(own)))
            .sum();
        chosen.len() - right
    }

    /// Whether a move is chosen in a position, and every one wins by what is known.
    pub(super) fn is_right(&self, position: usize, chosen: &[u64]) -> bool {
        all_win(chosen[position], self.winning[position])
    }
}

/// Whether there are moves and all of them are winning ones.
pub(super) fn all_win(moves: u64, winning: u64) -> bool {
    moves != 0 && moves & !winning == 0
}

/// A position, and a move that would win in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrong {
    pub(super) position: usize,
    pub(super) bit: u32,
}

impl Wrong {
    /// Whether the winning move is one of these.
    pub(super) fn is_among(self, moves: &[u64]) -> bool {
        self.is_one_of(moves[self.position])
    }

    /// Whether it is one of these of its position.
    pub(super) fn is_one_of(self, moves: u64) -> bool {
        moves >> self.bit & 1 == 1
    }
}

/// Later than any move is known to win.
const NEVER: u32 = u32::MAX;

/// How far a judgement has come.
struct Spread<'a> {
    arena: &'a Arena,
    chosen: &'a [u64],
    /// For each position with Black to move the chosen moves that lead to it.
    before: Lists,
    /// Positions with Black to move in which he is lost, in the order found.
    lost: Vec<u32>,
    /// How many of them are done with, and when each was: a time is one of these numbers.
    done: usize,
    times: Vec<u32>,
    /// Positions that each with Black to move can still lead to.
    hopes: Vec<u8>,
    /// Moves to the mate after each move of White, and the most of those done with.
    after: Vec<u16>,
    deepest: u16,
    /// Moves chosen in each position that are not known to win, and moves to the mate by the others.
    missing: Vec<u32>,
    depths: Vec<u16>,
    /// When any move that is made in a position is known to win: the last [moment].
    settled: Vec<u32>,
    wrong: Vec<Wrong>,
    /// Positions that are sure to be among the wrong ones later.
    spoiled: usize,
    open: u32,
    longest: u16,
    /// Moves to the mate from all positions; no more than by perfect play from those not settled.
    sum: u64,
}

/// When a move was known to win, of a position whose moves may lead to the same.
fn moment(time: u32, bit: u32) -> u32 {
    time.saturating_mul(MOVES).saturating_add(bit)
}

impl Arena {
    /// What comes of it when any of the chosen moves may be made; `None` if it costs more than is
    /// allowed. `is_allowed` is asked about costs that it has at least, higher and higher ones.
    ///
    /// Whenever Black can keep off the mate everywhere, a winning move is made in the position
    /// nearest to the mates that has one. So a strategy is known to be near to one that wins long
    /// before it wins anything. With what is known of other choices, positions that are right by
    /// that come last, so that no more than it [bounds](Judgement::bound) have to be put right.
    pub(super) fn judge(
        &self,
        chosen: &[u64],
        known: Option<&Judgement>,
        is_allowed: &dyn Fn(Cost) -> bool,
    ) -> Option<Judgement> {
        let n_positions = self.n_positions();
        let cost = |wrong: usize, longest: u16, sum: u64| Cost {
            wrong,
            longest,
            average: sum as f64 / f64::from(n_positions),
        };
        let spoiled = (0..chosen.len())
            .filter(|at| self.is_spoiled(*at, chosen))
            .count();
        let longest = self.depths.iter().copied().max().unwrap_or(0);
        let depths = self.weights.iter().zip(&self.depths);
        let depths = depths.map(|(weight, depth)| u64::from(*weight) * u64::from(*depth));
        let sum = depths.sum();
        is_allowed(cost(spoiled, longest, sum)).then_some(())?;

        let mut spread = Spread {
            arena: self,
            chosen,
            before: self.before(chosen),
            lost: self.mates.clone(),
            done: 0,
            times: vec![NEVER; self.hopes.len()],
            hopes: self.hopes.clone(),
            after: vec![0; self.hopes.len()],
            deepest: 0,
            missing: chosen.iter().map(|own| own.count_ones()).collect(),
            depths: vec![0; chosen.len()],
            settled: vec![NEVER; chosen.len()],
            wrong: Vec::new(),
            spoiled,
            open: n_positions,
            longest,
            sum,
        };
        // Positions in which some move wins, those that are right by what is known apart, and how
        // many of both are settled.
        let mut hopeful: [Vec<Wrong>; 2] = Default::default();
        let mut next = [0; 2];
        let mut is_hopeful = vec![false; chosen.len()];
        let mut n_looked_at = 0;
        loop {
            while spread.advance() {
                if spread.done.is_multiple_of(CHECKED) {
                    let wrong = spread.wrong.len() + spread.spoiled;
                    is_allowed(cost(wrong, spread.longest, spread.sum)).then_some(())?;
                }
            }
            let mut first_open = |of: usize, hopeful: &[Vec<Wrong>; 2]| {
                let settled = hopeful[of][next[of]..].iter();
                let settled = settled.take_while(|own| spread.settled[own.position] != NEVER);
                next[of] += settled.count();
                hopeful[of].get(next[of]).copied()
            };
            let first = loop {
                if let Some(first) = first_open(0, &hopeful) {
                    break Some(first);
                }
                let Some(reply) = spread.lost.get(n_looked_at) else {
                    break first_open(1, &hopeful);
                };
                n_looked_at += 1;
                for m in self.moves.get(*reply as usize) {
                    let (position, bit) = ((m / MOVES) as usize, m % MOVES);
                    if spread.settled[position] == NEVER && !is_hopeful[position] {
                        is_hopeful[position] = true;
                        let is_right = known.is_some_and(|known| known.is_right(position, chosen));
                        hopeful[usize::from(is_right)].push(Wrong { position, bit });
                    }
                }
            };
            let Some(first) = first else {
                break;
            };
            spread.put_right(first);
        }
        let costs = cost(spread.wrong.len(), spread.longest, spread.sum);
        is_allowed(costs).then(|| Judgement {
            winning: spread.winning(),
            average: costs.average,
            wrong: spread.wrong,
            open: spread.open,
            longest: spread.longest,
        })
    }

    /// For each position with Black to move the chosen moves that lead to it.
    fn before(&self, chosen: &[u64]) -> Lists {
        let edges = || {
            (0..).zip(chosen).flat_map(|(position, chosen)| {
                let replies = self.after.get(position as usize);
                Bits(*chosen).map(move |bit| (replies[bit as usize], position * MOVES + bit))
            })
        };
        Lists::grouped(self.hopes.len(), edges)
    }
}

/// Positions with Black to move after which costs are looked at again.
const CHECKED: usize = 64;

impl Spread<'_> {
    /// Goes back from the next position in which Black is lost, if there is one.
    fn advance(&mut self) -> bool {
        let Some(reply) = self.lost.get(self.done) else {
            return false;
        };
        let reply = *reply as usize;
        let time = number(self.done);
        self.done += 1;
        self.times[reply] = time;
        let depth = self.after[reply] + 1;
        self.deepest = self.deepest.max(depth);
        for at in self.before.range(reply) {
            let m = self.before.all[at];
            let (position, bit) = ((m / MOVES) as usize, m % MOVES);
            if self.settled[position] != NEVER {
                continue;
            }
            self.depths[position] = self.depths[position].max(depth);
            self.missing[position] -= 1;
            if self.missing[position] == 0 {
                // The first move that was known to win counts too.
                if self.depths[position] < self.deepest {
                    let first = self.first_depth(position);
                    self.depths[position] = self.depths[position].max(first);
                }
                self.settle(position, moment(time, bit));
            }
        }
        true
    }

    /// Moves to the mate by the move of a position that was first known to win.
    fn first_depth(&self, position: usize) -> u16 {
        let replies = self.arena.after.get(position);
        let moments = replies.iter().zip(0..);
        let moments =
            moments.map(|(reply, bit)| (moment(self.times[*reply as usize], bit), *reply));
        let first = moments.min().map_or(0, |(_, reply)| reply);
        self.after[first as usize] + 1
    }

    fn put_right(&mut self, wrong: Wrong) {
        self.spoiled -= usize::from(self.arena.is_spoiled(wrong.position, self.chosen));
        self.wrong.push(wrong);
        let reply = self.arena.after.get(wrong.position)[wrong.bit as usize] as usize;
        let depth = &mut self.depths[wrong.position];
        *depth = (self.after[reply] + 1).max(*depth);
        self.settle(wrong.position, moment(number(self.done), 0) - 1);
    }

    fn settle(&mut self, position: usize, moment: u32) {
        self.settled[position] = moment;
        let (weight, depth) = (self.arena.weights[position], self.depths[position]);
        if self.wrong.is_empty() {
            self.open -= weight;
        }
        self.longest = self.longest.max(depth);
        self.sum += u64::from(weight) * u64::from(depth - self.arena.depths[position]);
        for reply in self.arena.replies.get(position) {
            let at = *reply as usize;
            self.after[at] = self.after[at].max(depth);
            self.hopes[at] -= 1;
            if self.hopes[at] == 0 {
                self.lost.push(*reply);
            }
        }
    }

    /// The moves of each position that were known to win when it was settled.
    fn winning(&self) -> Moves {
        let settled = self.settled.iter().enumerate();
        let winning = settled.map(|(position, settled)| {
            let replies = self.arena.after.get(position).iter().zip(0..);
            replies.fold(0, |winning, (reply, bit)| {
                let moment = moment(self.times[*reply as usize], bit);
                winning | u64::from(moment <= *settled && moment != NEVER) << bit
            })
        });
        winning.collect()
    }
}

/// The places of the bits of a number that are set.
pub(super) struct Bits(pub(super) u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        (self.0 != 0).then(|| {
            let bit = self.0.trailing_zeros();
            self.0 &= self.0 - 1;
            bit
        })
    }
}
