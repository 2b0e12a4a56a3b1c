//! Playing a board to its end.

use rand_chacha::ChaCha8Rng;

use crate::{
    board::Board,
    grid::Tile,
    knowledge::{Knowledge, View},
    player::{Action, Move, Player},
};

/// A board being played.
#[derive(Clone, Debug)]
pub struct Game<'b> {
    board: &'b Board,
    knowledge: Knowledge,
    exploded: Option<Tile>,
    cascades: bool,
    /// Uncovered zeros whose neighbors are still to be uncovered.
    zeros: Vec<Tile>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether every tile without a mine was uncovered.
    pub is_won: bool,
    /// Moves made; uncovering a zero and all that follows is one.
    pub n_moves: usize,
}

impl<'b> Game<'b> {
    /// A board of which nothing is uncovered.
    ///
    /// Uncovering a zero uncovers its neighbors, and so on.
    pub fn new(board: &'b Board) -> Self {
        Self {
            board,
            knowledge: Knowledge::new(board.grid(), board.n_mines()),
            exploded: None,
            cascades: true,
            zeros: Vec::with_capacity(board.grid().width()),
        }
    }

    /// The same game, in which a zero uncovers nothing but itself.
    #[must_use]
    pub fn without_cascade(mut self) -> Self {
        self.cascades = false;
        self
    }

    /// What the player knows.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The mine that was uncovered.
    pub fn exploded(&self) -> Option<Tile> {
        self.exploded
    }

    /// Whether it is won or lost.
    pub fn is_over(&self) -> bool {
        self.exploded.is_some() || self.knowledge.is_won()
    }

    /// Makes a move; says whether it changed anything.
    ///
    /// Nothing happens when the game is over, to a tile that is uncovered, and when a marked tile
    /// is to be uncovered.
    pub fn act(&mut self, action: Action) -> bool {
        let (Action::Uncover(tile) | Action::Mark(tile) | Action::Unmark(tile)) = action;
        let view = self.knowledge.view(tile);
        if self.is_over() {
            return false;
        }
        match (action, view) {
            (Action::Uncover(_), View::Covered) if self.board.is_mine(tile) => {
                self.exploded = Some(tile);
            }
            (Action::Uncover(_), View::Covered) => self.uncover(tile),
            (Action::Mark(_), View::Covered) => self.knowledge.mark(tile),
            (Action::Unmark(_), View::Marked) => self.knowledge.unmark(tile),
            _ => return false,
        }
        true
    }

    fn uncover(&mut self, tile: Tile) {
        self.show(tile);
        let grid = self.board.grid();
        while let Some(zero) = self.zeros.pop() {
            let closed = grid.around(zero) & !self.knowledge.uncovered_around(zero);
            for near in grid.masked(zero, closed) {
                self.show(near);
            }
        }
    }

    fn show(&mut self, tile: Tile) {
        let number = self.board.number(tile);
        self.knowledge.uncover(tile, number);
        if number == 0 && self.cascades {
            self.zeros.push(tile);
        }
    }

    /// Lets a player play to the end; `seen` is shown every move before it is made.
    ///
    /// A player who gives no move, or one that changes nothing, loses.
    pub fn play(
        &mut self,
        player: &mut dyn Player,
        rng: &mut ChaCha8Rng,
        mut seen: impl FnMut(&Knowledge, &Move),
    ) -> Outcome {
        player.start();
        let mut n_moves = 0;
        while !self.is_over() {
            let Some(next) = player.choose(&self.knowledge, rng) else {
                break;
            };
            seen(&self.knowledge, &next);
            n_moves += 1;
            if !self.act(next.action) {
                break;
            }
        }
        Outcome {
            is_won: self.exploded.is_none() && self.knowledge.is_won(),
            n_moves,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_cascade_and_marks_protect() {
        let board = Board::from_text("4x3/1\n....\n....\n...*\n").unwrap();
        let mut game = Game::new(&board);
        assert!(game.act(Action::Mark(6)));
        assert!(!game.act(Action::Uncover(6)), "marked");
        assert!(game.act(Action::Unmark(6)));
        assert!(game.act(Action::Uncover(0)));
        assert_eq!(game.knowledge().to_text(), "4x3/1\n0000\n0011\n001.\n");
        assert!(game.knowledge().is_won() && game.is_over());
        assert!(!game.act(Action::Mark(11)), "it is over");

        let mut single = Game::new(&board).without_cascade();
        assert!(single.act(Action::Uncover(0)));
        assert_eq!(single.knowledge().n_covered(), 11);
        assert!(single.act(Action::Uncover(11)));
        assert_eq!(single.exploded(), Some(11));
        assert!(single.is_over() && !single.knowledge().is_won());
    }
}
