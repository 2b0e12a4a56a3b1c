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
    /// Positions with Black to move in which he is lost, in the order found: a time is a place among
    /// them.
    lost: Vec<u32>,
    /// How many of them are done with.
    done: usize,
    replies: Vec<Reply>,
    places: Vec<Place>,
    /// The move of each position that was first known to win, in the order found, and moves to the
    /// mate by it; 0 where none is known yet. What is lost is looked at for them up to a time.
    looked_at: usize,
    met: Vec<u32>,
    first: Vec<u16>,
    wrong: Vec<Wrong>,
    /// Positions that are sure to be among the wrong ones later.
    spoiled: usize,
    /// Positions that can be won and are not settled.
    left: usize,
    open: u32,
    longest: u16,
    /// Moves to the mate from all positions; no more than by perfect play from those not settled.
    sum: u64,
}

/// A position with Black to move.
#[derive(Clone, Copy)]
struct Reply {
    /// Moves to the mate, as far as it is known.
    after: u16,
    /// Positions that it can still lead to.
    hopes: u8,
}

/// A position with White to move.
#[derive(Clone, Copy)]
struct Place {
    /// When any move that is made in it is known to win: the last [moment].
    settled: u32,
    /// Moves to the mate by the chosen moves that are known to win.
    depth: u16,
    /// Chosen moves that are not.
    missing: u8,
}

impl Place {
    fn of(chosen: u64) -> Place {
        Place {
            settled: NEVER,
            depth: 0,
            missing: u8::try_from(chosen.count_ones()).expect("there are 64 bits"),
        }
    }

    fn is_settled(self) -> bool {
        self.settled != NEVER
    }
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
            replies: self
                .hopes
                .iter()
                .map(|&hopes| Reply { after: 0, hopes })
                .collect(),
            places: chosen.iter().map(|own| Place::of(*own)).collect(),
            looked_at: 0,
            met: Vec::with_capacity(chosen.len()),
            first: vec![0; chosen.len()],
            wrong: Vec::new(),
            spoiled,
            left: self.depths.iter().filter(|depth| **depth != 0).count(),
            open: n_positions,
            longest,
            sum,
        };
        let is_right = |position| known.is_some_and(|known| known.is_right(position, chosen));
        // How many of the positions in which some move wins are passed over: those that are right by
        // what is known with the settled ones, then these alone.
        let mut passed = [0; 2];
        loop {
            while spread.advance() {
                if spread.done.is_multiple_of(CHECKED) {
                    let wrong = spread.wrong.len() + spread.spoiled;
                    is_allowed(cost(wrong, spread.longest, spread.sum)).then_some(())?;
                }
            }
            if spread.left == 0 {
                break;
            }
            let wrong = spread.wrong.len() + spread.spoiled.max(1);
            is_allowed(cost(wrong, spread.longest, spread.sum)).then_some(())?;
            spread.meet();
            let first = spread.next_open(&mut passed[0], is_right);
            let first = first.or_else(|| spread.next_open(&mut passed[1], |_| false));
            spread.put_right(first.expect("of what can be won, something has a winning move"));
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
        let depth = self.replies[reply].after + 1;
        // Before a correction all is found in the order of the moves to the mate, so that the first
        // winning move is not the longest.
        if !self.wrong.is_empty() {
            self.meet();
        }
        for at in self.before.range(reply) {
            let m = self.before.all[at];
            let (position, bit) = ((m / MOVES) as usize, m % MOVES);
            let place = &mut self.places[position];
            if place.is_settled() {
                continue;
            }
            place.depth = place.depth.max(depth);
            place.missing -= 1;
            if place.missing == 0 {
                self.settle(position, moment(time, bit));
            }
        }
        true
    }

    /// Takes note of the moves that were first known to win up to now.
    fn meet(&mut self) {
        for reply in &self.lost[self.looked_at..self.done] {
            let depth = self.replies[*reply as usize].after + 1;
            for m in self.arena.moves.get(*reply as usize) {
                let first = &mut self.first[(m / MOVES) as usize];
                if *first == 0 {
                    *first = depth;
                    self.met.push(*m);
                }
            }
        }
        self.looked_at = self.done;
    }

    /// The first position in which some move wins that is not settled, nor passed over.
    fn next_open(&self, passed: &mut usize, passes: impl Fn(usize) -> bool) -> Option<Wrong> {
        let wrong = |m: &u32| Wrong {
            position: (m / MOVES) as usize,
            bit: m % MOVES,
        };
        let is_passed =
            |own: &Wrong| self.places[own.position].is_settled() || passes(own.position);
        let left = self.met[*passed..].iter().map(wrong);
        *passed += left.take_while(is_passed).count();
        self.met.get(*passed).map(wrong)
    }

    fn put_right(&mut self, wrong: Wrong) {
        self.spoiled -= usize::from(self.arena.is_spoiled(wrong.position, self.chosen));
        self.wrong.push(wrong);
        self.settle(wrong.position, moment(number(self.done), 0) - 1);
    }

    fn settle(&mut self, position: usize, moment: u32) {
        let place = &mut self.places[position];
        place.settled = moment;
        self.left -= 1;
        // The first move that was known to win counts too.
        let depth = place.depth.max(self.first[position]);
        let weight = self.arena.weights[position];
        if self.wrong.is_empty() {
            self.open -= weight;
        }
        self.longest = self.longest.max(depth);
        self.sum += u64::from(weight) * u64::from(depth - self.arena.depths[position]);
        for reply in self.arena.replies.get(position) {
            let own = &mut self.replies[*reply as usize];
            own.after = own.after.max(depth);
            own.hopes -= 1;
            if own.hopes == 0 {
                self.lost.push(*reply);
            }
        }
    }

    /// The moves of each position that were known to win when it was settled.
    fn winning(&self) -> Moves {
        let mut times = vec![NEVER; self.replies.len()];
        for (time, reply) in (0..).zip(&self.lost) {
            times[*reply as usize] = time;
        }
        let places = self.places.iter().enumerate();
        let winning = places.map(|(position, place)| {
            let replies = self.arena.after.get(position).iter().zip(0..);
            replies.fold(0, |winning, (reply, bit)| {
                let moment = moment(times[*reply as usize], bit);
                winning | u64::from(moment <= place.settled && moment != NEVER) << bit
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
