//! What comes of choices among the moves of every position.

use kibitz_board::{Chess, Endgame, Position};
use rustc_hash::FxHashMap;

use crate::strategy::truths::{Moves, moves_of};

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

/// For each of some things a list of numbers, one behind the other.
#[derive(Debug)]
struct Lists {
    starts: Vec<u32>,
    all: Vec<u32>,
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

    fn get(&self, at: usize) -> &[u32] {
        &self.all[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// A move to a position with Black to move, as one number.
const MOVES: u32 = 64;

/// All positions with White to move, one of those alike up to symmetry, and their moves and replies.
#[derive(Debug)]
pub(super) struct Arena {
    pub(super) positions: Vec<Chess>,
    /// Positions that each stands for.
    pub(super) weights: Vec<u32>,
    /// For each position the positions with Black to move that lead to it.
    replies: Lists,
    /// For each position with Black to move the moves that lead to it: the position and the bit.
    moves: Lists,
    /// Positions that each position with Black to move leads to; one more where Black has not to
    /// lose.
    hopes: Vec<u8>,
    /// Positions with Black to move in which he is mated.
    mates: Vec<u32>,
    /// The moves of each position after which Black has not to lose.
    spoiling: Moves,
    /// Moves to the mate from each position by perfect play; 0 where there is none.
    depths: Vec<u16>,
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
            }
        }
        let mut spoiling = vec![0; positions.len()];
        for m in moves
            .iter()
            .zip(safe)
            .filter(|(_, safe)| *safe)
            .flat_map(|(moves, _)| moves)
        {
            spoiling[(m / MOVES) as usize] |= 1 << (m % MOVES);
        }
        let mut arena = Arena {
            positions,
            weights,
            replies: Lists::new(&replies),
            moves: Lists::new(&moves),
            hopes,
            mates,
            spoiling,
            depths: Vec::new(),
        };
        arena.depths = arena.perfect();
        arena
    }

    /// Moves to the mate from each position by perfect play.
    fn perfect(&self) -> Vec<u16> {
        let mut depths = vec![0; self.positions.len()];
        let mut hopes = self.hopes.clone();
        let mut lost = self.mates.clone();
        for depth in 1.. {
            let mut won = Vec::new();
            for m in lost
                .drain(..)
                .flat_map(|reply| self.moves.get(reply as usize))
            {
                let position = (m / MOVES) as usize;
                if depths[position] == 0 {
                    depths[position] = depth;
                    won.push(position);
                }
            }
            for reply in won.iter().flat_map(|position| self.replies.get(*position)) {
                hopes[*reply as usize] -= 1;
                if hopes[*reply as usize] == 0 {
                    lost.push(*reply);
                }
            }
            if lost.is_empty() {
                break;
            }
        }
        depths
    }

    /// Whether a position that can be won has to be put right whatever comes of other moves.
    fn is_spoiled(&self, position: usize, chosen: &[u64]) -> bool {
        let moves = chosen[position];
        (moves == 0 || moves & self.spoiling[position] != 0) && self.depths[position] != 0
    }

    /// The positions with White to move, those alike counted each.
    pub(super) fn n_positions(&self) -> u32 {
        self.weights.iter().sum()
    }

    /// What comes of it when any of the chosen moves may be made; `None` if it is found to cost more
    /// than is allowed. `is_allowed` is asked about less and less too low costs.
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
        let n = chosen.len();
        let mut wrong = Vec::new();
        let n_positions = self.n_positions();
        let mut open = n_positions;
        // What is not settled yet takes no less than by perfect play.
        let mut spoiled = (0..n).filter(|at| self.is_spoiled(*at, chosen)).count();
        let mut longest = self.depths.iter().copied().max().unwrap_or(0);
        let depths = self.weights.iter().zip(&self.depths);
        let mut sum: u64 = depths
            .map(|(weight, depth)| u64::from(*weight) * u64::from(*depth))
            .sum();
        let average = |sum: u64| sum as f64 / f64::from(n_positions);
        let mut hopes = self.hopes.clone();
        // Moves to the mate after each move of White, and in each position.
        let (mut after, mut depths) = (vec![0_u16; hopes.len()], vec![0_u16; n]);
        // The moves of each position known to win before it was settled.
        let mut winning = vec![0; n];
        let mut state = vec![State::Unknown; n];
        let mut lost = self.mates.clone();
        let mut hopeful: [Vec<Wrong>; 2] = Default::default();
        let mut next = [0; 2];
        let mut won: Vec<usize> = Vec::new();
        loop {
            let cost = Cost {
                wrong: wrong.len() + spoiled,
                longest,
                average: average(sum),
            };
            if !is_allowed(cost) {
                return None;
            }
            for reply in lost.drain(..) {
                let depth = after[reply as usize] + 1;
                for m in self.moves.get(reply as usize) {
                    let (position, bit) = ((m / MOVES) as usize, m % MOVES);
                    if state[position] == State::Settled {
                        continue;
                    }
                    if state[position] == State::Unknown {
                        state[position] = State::Hopeful;
                        let is_right = known.is_some_and(|known| known.is_right(position, chosen));
                        hopeful[usize::from(is_right)].push(Wrong { position, bit });
                        depths[position] = depth;
                    }
                    winning[position] |= 1 << bit;
                    if chosen[position] >> bit & 1 == 1 {
                        depths[position] = depths[position].max(depth);
                        if chosen[position] & !winning[position] == 0 {
                            state[position] = State::Settled;
                            won.push(position);
                        }
                    }
                }
            }
            if won.is_empty() {
                let is_open = |own: &Wrong| state[own.position] != State::Settled;
                for (hopeful, next) in hopeful.iter().zip(&mut next) {
                    let skipped = hopeful[*next..].iter().position(is_open);
                    *next = skipped.map_or(hopeful.len(), |skipped| *next + skipped);
                }
                let mut first = hopeful
                    .iter()
                    .zip(next)
                    .filter_map(|(all, next)| all.get(next));
                let Some(first) = first.next().copied() else {
                    break;
                };
                wrong.push(first);
                spoiled -= usize::from(self.is_spoiled(first.position, chosen));
                won.push(first.position);
                state[first.position] = State::Settled;
            }
            for position in won.drain(..) {
                let (weight, depth) = (self.weights[position], depths[position]);
                if wrong.is_empty() {
                    open -= weight;
                }
                longest = longest.max(depth);
                sum += u64::from(weight) * u64::from(depth - self.depths[position]);
                for reply in self.replies.get(position) {
                    let reply = *reply as usize;
                    after[reply] = after[reply].max(depth);
                    hopes[reply] -= 1;
                    if hopes[reply] == 0 {
                        lost.push(number(reply));
                    }
                }
            }
        }
        Some(Judgement {
            wrong,
            winning,
            open,
            longest,
            average: average(sum),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    /// Some move wins.
    Hopeful,
    /// Any move that is made wins.
    Settled,
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

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("an endgame of three men has fewer positions")
}
