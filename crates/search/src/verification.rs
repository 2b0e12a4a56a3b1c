//! Whether a strategy for the stronger side wins every position of a small endgame, whatever the
//! opponent replies.
//!
//! A strategy allows moves; which of several it makes is settled by a [`TieBreak`]. All positions
//! with White to move are looked at, and all replies.
//!
//! # Source
//! Morales 1992, section 7.3: "following every possible path of a starting position [...] checked
//! for loops, captures or stalemates". Here every position is settled once, from the ends backwards.
//!
//! # Examples
//! ```
//! use kibitz_board::{Chess, Position};
//! use kibitz_search::verification::{Choice, Scope, TieBreak, Verification};
//!
//! // Any move at all: with luck it mates, with none it never does.
//! let any = |position: &Chess| {
//!     let moves = position.legal_moves().into_iter().collect();
//!     Some(Choice { rule: 0, moves, preferred: Vec::new() })
//! };
//! let verification =
//!     Verification::new(&"KRvK".parse()?, Scope::UpToSymmetry, &any, &mut |_, _| {})?;
//! assert_eq!(verification.outcomes(TieBreak::Angelic).summary().longest, 16);
//! assert!(!verification.outcomes(TieBreak::Adversarial).summary().is_won());
//! # Ok::<(), kibitz_search::verification::Fault>(())
//! ```

mod line;
mod outcomes;
mod spread;

use kibitz_board::{Chess, Endgame, Move, Position};

use crate::retrograde::{Tablebase, Value};
pub use line::Line;
pub use outcomes::{Failure, Outcome, Outcomes, Summary};
use spread::Lists;

/// What a strategy does in a position with White, the stronger side, to move.
pub trait Strategy {
    /// The moves that its first rule that applies allows; `None` if no rule applies.
    ///
    /// # Errors
    /// The strategy cannot decide it.
    fn choose(&self, position: &Chess) -> Result<Option<Choice>, Fault>;
}

/// Why a strategy cannot decide what to do.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

impl<F: Fn(&Chess) -> Option<Choice>> Strategy for F {
    fn choose(&self, position: &Chess) -> Result<Option<Choice>, Fault> {
        Ok(self(position))
    }
}

/// Moves that a rule allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The rule, from 0.
    pub rule: usize,
    /// The moves, at least one.
    pub moves: Vec<Move>,
    /// For each preference that the strategy knows, the place in `moves` of the move it prefers.
    pub preferred: Vec<usize>,
}

/// Which of the allowed moves is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// The best one: an upper bound for any other way to choose.
    Angelic,
    /// The worst one: the strategy wins only if every allowed move does.
    Adversarial,
    /// The one that the strategy's preference of this number takes.
    Preferred(usize),
}

/// Which positions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every position.
    All,
    /// One of those that are alike: right for a strategy that treats them alike, and for a tie-break
    /// other than by preference.
    UpToSymmetry,
}

/// Told how many positions of how many are done.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

/// The graph of a strategy's moves and all replies.
///
/// Its nodes are the positions with White to move, numbered in the order of their indices, and after
/// them those with Black to move that the strategy allows.
#[derive(Debug)]
pub struct Verification {
    endgame: Endgame,
    scope: Scope,
    conversions: Tablebase,
    /// Indices of the positions with White to move.
    indices: Vec<u32>,
    /// Nodes by index.
    nodes: Vec<u32>,
    /// The rule that applies in each position with White to move.
    rules: Vec<Option<u16>>,
    /// What each node leads to.
    next: Lists,
    before: Lists,
    preferred: Vec<Vec<u32>>,
    /// What there is to say of each node with Black to move.
    replies: Vec<Replies>,
}

/// How a position with Black to move ends at once, and what its replies lead out of the endgame to.
#[derive(Clone, Debug, Default)]
struct Replies {
    /// White wins in so many plies.
    won_in: Option<u16>,
    /// The game is not won any more.
    end: Option<Failure>,
    /// One reply takes the material.
    gives_up: bool,
    /// Plies of the wins that other replies lead to.
    conversions: Vec<u16>,
}

const NONE: u32 = u32::MAX;

impl Verification {
    /// Asks the strategy about every position.
    ///
    /// A move that leaves the endgame, by capture or promotion, is judged by perfect play from there.
    ///
    /// # Errors
    /// The strategy's own.
    ///
    /// # Panics
    /// If the strategy has more than 65,535 rules, or allows no move, or one that is illegal.
    pub fn new(
        endgame: &Endgame,
        scope: Scope,
        strategy: &impl Strategy,
        progress: Progress<'_>,
    ) -> Result<Verification, Fault> {
        let mut made = Verification {
            endgame: endgame.clone(),
            scope,
            conversions: Tablebase::new(endgame.conversions()),
            indices: Vec::new(),
            nodes: vec![NONE; endgame.n_indices()],
            rules: Vec::new(),
            next: Lists::default(),
            before: Lists::default(),
            preferred: Vec::new(),
            replies: Vec::new(),
        };
        // White's turn comes first.
        for index in 0..endgame.n_indices() / 2 {
            if made.position(index).is_some() {
                made.nodes[index] = number(made.indices.len());
                made.indices.push(number(index));
            }
        }
        let n_white = made.indices.len();
        let mut of_black = Lists::default();
        for node in 0..n_white {
            if node % 1024 == 0 {
                progress(node, n_white);
            }
            let position = made.start(node);
            let Some(choice) = strategy.choose(&position)? else {
                made.rules.push(None);
                made.next.push([]);
                for preferred in &mut made.preferred {
                    preferred.push(NONE);
                }
                continue;
            };
            assert!(!choice.moves.is_empty(), "a rule allows a move");
            let rule = u16::try_from(choice.rule).expect("there are few rules");
            made.rules.push(Some(rule));
            let after: Vec<u32> = (choice.moves.iter())
                .map(|m| made.after(&position, *m, &mut of_black))
                .collect();
            made.preferred
                .resize_with(choice.preferred.len(), || vec![NONE; node]);
            for (preferred, place) in made.preferred.iter_mut().zip(&choice.preferred) {
                preferred.push(after[*place]);
            }
            made.next.push(after);
        }
        progress(n_white, n_white);
        made.next.append(of_black);
        made.before = made.next.reversed();
        Ok(made)
    }

    fn position(&self, index: usize) -> Option<Chess> {
        match self.scope {
            Scope::All => self.endgame.placement(index),
            Scope::UpToSymmetry => self.endgame.position(index),
        }
    }

    fn index_of(&self, position: &Chess) -> Option<usize> {
        match self.scope {
            Scope::All => self.endgame.placement_index_of(position),
            Scope::UpToSymmetry => self.endgame.index_of(position),
        }
    }

    /// The position of a node with White to move.
    fn start(&self, node: usize) -> Chess {
        self.position(self.indices[node] as usize)
            .expect("the index was made from a position")
    }

    /// The node of a position of this endgame.
    fn node_of(&self, position: &Chess) -> Option<u32> {
        let node = self.nodes[self.index_of(position)?];
        (node != NONE).then_some(node)
    }

    /// Moves that the strategy allows in all positions together.
    pub fn n_allowed(&self) -> usize {
        let nodes = 0..self.n_white();
        nodes.map(|node| self.next.get(node).len()).sum()
    }

    fn n_white(&self) -> usize {
        self.indices.len()
    }

    /// The node after a move of White, which is made and followed by all replies if it is new.
    fn after(&mut self, position: &Chess, m: Move, of_black: &mut Lists) -> u32 {
        assert!(position.is_legal(m), "a strategy allows legal moves");
        let mut next = position.clone();
        next.play_unchecked(m);
        let node = number(self.n_white() + self.replies.len());
        let Some(index) = self.index_of(&next) else {
            self.replies.push(match self.conversions.value(&next) {
                Some(Value::Lost(plies)) => Replies {
                    won_in: Some(plies),
                    ..Replies::default()
                },
                _ => Replies {
                    end: Some(Failure::Loss),
                    ..Replies::default()
                },
            });
            of_black.push([]);
            return node;
        };
        if self.nodes[index] != NONE {
            return self.nodes[index];
        }
        self.nodes[index] = node;
        let mut replies = Replies::default();
        let mut leads_to = Vec::new();
        let moves = next.legal_moves();
        if moves.is_empty() && next.is_check() {
            replies.won_in = Some(0);
        } else if moves.is_empty() {
            replies.end = Some(Failure::Stalemate);
        }
        for m in moves {
            let mut then = next.clone();
            then.play_unchecked(m);
            match self.node_of(&then) {
                Some(node) => leads_to.push(node),
                None => match self.conversions.value(&then) {
                    Some(Value::Won(plies)) => replies.conversions.push(plies),
                    _ => replies.gives_up = true,
                },
            }
        }
        self.replies.push(replies);
        of_black.push(leads_to);
        node
    }

    /// The endgame.
    pub fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    /// Positions in which no rule applies.
    pub fn n_without_rule(&self) -> usize {
        self.rules.iter().filter(|rule| rule.is_none()).count()
    }

    /// Every position with White to move, with the rule that applies.
    pub fn positions(&self) -> impl Iterator<Item = (Chess, Option<usize>)> {
        (0..self.n_white()).map(|node| (self.start(node), self.rules[node].map(usize::from)))
    }

    /// The rules alone, in the order of [`Verification::positions`].
    pub fn rules(&self) -> impl Iterator<Item = Option<usize>> {
        self.rules.iter().map(|rule| rule.map(usize::from))
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("an endgame that fits has fewer positions")
}

#[cfg(test)]
mod tests;
