//! What comes of choices among the moves of every position.

use std::collections::VecDeque;

use super::arena::{Arena, End};

/// No distance: not won, or not lost.
const NONE: u16 = u16::MAX;

/// What is left to be wished for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Positions not won.
    pub(super) open: u32,
    /// The longest mate.
    pub(super) longest: u16,
    /// Moves to the mate from all positions won.
    pub(super) moves: u64,
}

/// Positions with White to move in which some of the moves are chosen.
pub(super) struct Play<'a> {
    arena: &'a Arena,
    /// For each the moves that may be made; none without a rule.
    chosen: &'a [u32],
    /// Whether the best of them is made.
    best: bool,
    /// For each the moves after which Black is lost.
    winning: Vec<u32>,
    /// Moves of White to the mate.
    won: Vec<u16>,
    /// For each position with Black to move the positions it can still hope for.
    open: Vec<u8>,
    /// Moves of White to the mate.
    lost: Vec<u16>,
}

impl<'a> Play<'a> {
    /// What is won when one of these moves is made: the best, or else whichever.
    pub(super) fn new(arena: &'a Arena, chosen: &'a [u32], best: bool) -> Self {
        let mut play = Play {
            arena,
            chosen,
            best,
            winning: vec![0; chosen.len()],
            won: vec![NONE; chosen.len()],
            open: arena.replies.iter().map(|own| own.n_next).collect(),
            lost: vec![NONE; arena.replies.len()],
        };
        let mut news = VecDeque::new();
        for (number, reply) in arena.replies.iter().enumerate() {
            if reply.end == End::Mated {
                play.lose(number, 0, &mut news);
            }
        }
        while let Some(position) = news.pop_front() {
            for reply in &arena.before[position] {
                let number = *reply as usize;
                play.open[number] -= 1;
                let own = &arena.replies[number];
                if play.open[number] == 0 && own.end == End::Open {
                    let longest = own.next.iter().map(|next| play.won[*next as usize]).max();
                    play.lose(number, longest.unwrap_or(0), &mut news);
                }
            }
        }
        play
    }

    /// Black is lost here; positions that are won with it are news.
    fn lose(&mut self, reply: usize, moves: u16, news: &mut VecDeque<usize>) {
        self.lost[reply] = moves;
        for (position, bit) in &self.arena.replies[reply].before {
            let position = *position as usize;
            self.winning[position] |= 1 << bit;
            let chosen = self.chosen[position];
            let is_won = if self.best {
                chosen >> bit & 1 == 1
            } else {
                chosen != 0 && chosen & !self.winning[position] == 0
            };
            if !is_won || self.won[position] != NONE {
                continue;
            }
            // In the order of their distances: of those that win already this is the last.
            self.won[position] = moves + 1;
            news.push_back(position);
        }
    }

    pub(super) fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        for (won, weight) in self.won.iter().zip(&self.arena.weights) {
            if *won == NONE {
                cost.open += weight;
            } else {
                cost.longest = cost.longest.max(*won);
                cost.moves += u64::from(*weight) * u64::from(*won);
            }
        }
        cost
    }
}
