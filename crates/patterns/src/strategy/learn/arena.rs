//! All positions of an endgame with their moves, and what concepts say of these, as bits.

use kibitz_board::{Chess, Endgame, Move, Position, Role};
use kibitz_search::retrograde::{Tablebase, Value};
use rustc_hash::FxHashMap;

use crate::strategy::scene::{BUILT_IN, CHANGES, QUANTITIES, Scene, Test};
use crate::strategy::{Concept, Condition};

/// A condition that a rule can have, with the moves that satisfy it.
#[derive(Debug)]
pub(super) struct Literal {
    pub(super) condition: Condition,
    /// Whether it stands behind `ensure`.
    pub(super) after: bool,
    /// For each position the moves that satisfy it: all or none for a condition before the move.
    pub(super) moves: Vec<u32>,
}

/// A position with Black to move.
#[derive(Clone, Debug, Default)]
pub(super) struct Reply {
    /// The positions with White to move that its moves lead to.
    pub(super) next: Vec<u32>,
    /// Their number.
    pub(super) n_next: u8,
    /// The positions and moves that lead to it.
    pub(super) before: Vec<(u32, u32)>,
    pub(super) end: End,
}

/// Whether it goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    /// Black moves, and White still has its man.
    #[default]
    Open,
    /// Black is mated.
    Mated,
    /// Stalemate, or Black can take the man.
    Dead,
}

/// A preference: numbers of [`QUANTITIES`], and whether more is preferred.
pub(super) type Keys = Vec<(usize, bool)>;

/// The numbers of the bits that are set.
pub(super) fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

/// The most that a move can be regretted.
pub(super) const MOST: u32 = 8;

/// The positions with White to move, of each that is alike up to symmetry one, and what can come of
/// them. A move is a bit: no position has more than 32 of them.
#[derive(Debug, Default)]
pub(super) struct Arena {
    /// For each position all its moves.
    pub(super) all: Vec<u32>,
    /// For each piece that moves, and for all of them, its moves in each position.
    pub(super) movers: Vec<(Option<Role>, Vec<u32>)>,
    pub(super) literals: Vec<Literal>,
    /// For each quantity and position how much of it there is after each move.
    measured: Vec<Vec<[u8; 32]>>,
    /// For each position the number of the [`Reply`] that each move leads to.
    pub(super) next: Vec<Vec<u32>>,
    pub(super) replies: Vec<Reply>,
    /// For each position the replies that lead to it, by the number of the [`Reply`].
    pub(super) before: Vec<Vec<u32>>,
    /// For each position and move, how many moves later than need be it mates; [`MOST`] or more is as
    /// bad as to give the win away.
    pub(super) regrets: Vec<Vec<u32>>,
    /// Positions that each stands for.
    pub(super) weights: Vec<u32>,
}

impl Arena {
    /// The positions of an endgame of at most three men.
    pub(super) fn new(endgame: &Endgame) -> Arena {
        let half = endgame.n_indices() / 2;
        let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
        let mut starts: Vec<Chess> = Vec::new();
        for index in 0..half {
            if let Some(position) = endgame.position(index) {
                numbers.insert(index, number(starts.len()));
                starts.push(position);
            }
        }
        let mut arena = Arena {
            weights: vec![0; starts.len()],
            movers: [None, Some(Role::King), Some(Role::Rook)]
                .map(|role| (role, Vec::new()))
                .into(),
            literals: literals(),
            measured: vec![Vec::new(); QUANTITIES.len()],
            ..Arena::default()
        };
        for position in (0..half).filter_map(|index| endgame.placement(index)) {
            if let Some(start) = endgame
                .index_of(&position)
                .and_then(|own| numbers.get(&own))
            {
                arena.weights[*start as usize] += 1;
            }
        }
        let perfect = Tablebase::new([endgame.clone()]);
        let mut known: FxHashMap<usize, u32> = FxHashMap::default();
        for position in &starts {
            arena.add(position, endgame, &numbers, &mut known);
            arena.regrets.push(regrets(position, &perfect));
        }
        arena.before = vec![Vec::new(); starts.len()];
        for (number, reply) in (0..).zip(&arena.replies) {
            for start in &reply.next {
                arena.before[*start as usize].push(number);
            }
        }
        let mut seen: Vec<Vec<u32>> = Vec::new();
        arena.literals.retain(|literal| {
            let is_new = !seen.contains(&literal.moves);
            let says = literal
                .moves
                .iter()
                .zip(&arena.all)
                .any(|(own, all)| own != all)
                && literal.moves.iter().any(|own| *own != 0);
            if is_new && says {
                seen.push(literal.moves.clone());
            }
            is_new && says
        });
        arena
    }

    /// The positions with White to move, those alike counted each.
    pub(super) fn n_positions(&self) -> u32 {
        self.weights.iter().sum()
    }

    /// Those of some moves that a preference leaves, and how much the worst of them is to be regretted.
    pub(super) fn choice(&self, keys: &Keys, position: usize, allowed: u32) -> (u32, u32) {
        let mut left = allowed;
        for (quantity, more) in keys {
            let measured = &self.measured[*quantity][position];
            let value = |bit: usize| {
                if *more {
                    u8::MAX - measured[bit]
                } else {
                    measured[bit]
                }
            };
            let least = bits(left).map(value).min();
            left = bits(left)
                .filter(|bit| Some(value(*bit)) == least)
                .fold(0, |all, bit| all | 1 << bit);
        }
        let regrets = bits(left).map(|bit| self.regrets[position][bit]);
        (left, regrets.max().unwrap_or(MOST))
    }

    fn add(
        &mut self,
        position: &Chess,
        endgame: &Endgame,
        numbers: &FxHashMap<usize, u32>,
        known: &mut FxHashMap<usize, u32>,
    ) {
        let start = number(self.all.len());
        let moves = sorted(position);
        let before = Scene::of(position.board()).expect("White has its man");
        let mut next = Vec::new();
        let mut scenes = Vec::new();
        for (bit, m) in (0..).zip(&moves) {
            let mut then = position.clone();
            then.play_unchecked(*m);
            scenes.push(Scene::of(then.board()).expect("White has its man still"));
            let index = endgame.index_of(&then).expect("the material is the same");
            let reply = *known.entry(index).or_insert_with(|| {
                self.replies.push(reply_of(&then, endgame, numbers));
                number(self.replies.len() - 1)
            });
            self.replies[reply as usize].before.push((start, bit));
            next.push(reply);
        }
        let bits = |holds: &dyn Fn(usize) -> bool| {
            (0..moves.len())
                .filter(|bit| holds(*bit))
                .fold(0_u32, |all, bit| all | 1 << bit)
        };
        let all = bits(&|_| true);
        for (role, own) in &mut self.movers {
            own.push(bits(&|bit| {
                role.is_none_or(|role| moves[bit].role() == role)
            }));
        }
        for literal in &mut self.literals {
            let Condition { concept, positive } = &literal.condition;
            let Concept::BuiltIn(concept) = concept else {
                continue;
            };
            let satisfied = match &concept.test {
                Test::Position(test) if !literal.after => {
                    if test(&before) == *positive {
                        all
                    } else {
                        0
                    }
                }
                test => bits(&|bit| test.holds(&before, &scenes[bit]) == *positive),
            };
            literal.moves.push(satisfied);
        }
        for (own, quantity) in self.measured.iter_mut().zip(QUANTITIES) {
            let mut after = [0; 32];
            for (place, scene) in after.iter_mut().zip(&scenes) {
                *place = u8::try_from((quantity.measure)(scene)).unwrap_or(u8::MAX);
            }
            own.push(after);
        }
        self.all.push(all);
        self.next.push(next);
    }
}

/// How much each move, in the order of their squares, is to be regretted.
fn regrets(position: &Chess, perfect: &Tablebase) -> Vec<u32> {
    let moves_after = |m: Move| {
        let mut then = position.clone();
        then.play_unchecked(m);
        match perfect.value(&then) {
            Some(Value::Lost(plies)) => Some(u32::from(plies.div_ceil(2))),
            _ => None,
        }
    };
    let after: Vec<Option<u32>> = sorted(position).into_iter().map(moves_after).collect();
    let least = after.iter().flatten().min().copied().unwrap_or(0);
    let regret = |own: &Option<u32>| own.map_or(MOST, |own| (own - least).min(MOST));
    after.iter().map(regret).collect()
}

/// The legal moves in the order of their squares.
fn sorted(position: &Chess) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_by_key(|m| (m.from(), m.to()));
    moves
}

fn reply_of(position: &Chess, endgame: &Endgame, numbers: &FxHashMap<usize, u32>) -> Reply {
    let mut reply = Reply::default();
    let moves = position.legal_moves();
    if moves.is_empty() {
        reply.end = if position.is_check() {
            End::Mated
        } else {
            End::Dead
        };
    }
    for m in moves {
        let mut then = position.clone();
        then.play_unchecked(m);
        match endgame
            .index_of(&then)
            .and_then(|index| numbers.get(&index))
        {
            Some(start) => reply.next.push(*start),
            None => reply.end = End::Dead,
        }
    }
    reply.next.sort_unstable();
    reply.next.dedup();
    reply.n_next = u8::try_from(reply.next.len()).expect("a king has eight moves");
    reply
}

/// Every condition of a concept built in, before and after a move.
fn literals() -> Vec<Literal> {
    let mut all = Vec::new();
    for concept in BUILT_IN.iter().chain(CHANGES) {
        for after in [false, true] {
            if !after && concept.is_of_move() {
                continue;
            }
            for positive in [true, false] {
                let concept = Concept::BuiltIn(concept);
                all.push(Literal {
                    condition: Condition { concept, positive },
                    after,
                    moves: Vec::new(),
                });
            }
        }
    }
    all
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("an endgame of three men has fewer positions")
}
