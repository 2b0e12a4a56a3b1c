//! Games: playing a board to its end.

use rand_chacha::ChaCha8Rng;

use crate::{
    board::{Board, FirstClick},
    grid::{GridIndex, Tile},
    knowledge::{Knowledge, View},
    player::{Action, Move, Player, Rule},
};

/// A game on a board.
#[derive(Clone, Debug)]
pub struct Game<'b> {
    board: &'b Board,
    knowledge: Knowledge,
    exploded: Option<Tile>,
    cascades: bool,
    /// The flood fill's stack: zeros whose neighbors are still to be uncovered.
    zeros: Vec<Tile>,
}

/// The outcome of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether every tile without a mine was uncovered.
    pub is_won: bool,
    /// Moves made; uncovering a zero counts once, with its cascade.
    pub n_moves: usize,
    /// Moves among them by a [fallback](Rule::Fallback): weaker than the player's own.
    pub n_fallbacks: usize,
}

impl<'b> Game<'b> {
    /// A new game: nothing is uncovered yet.
    ///
    /// Zeros cascade: uncovering one uncovers its neighbors, and so on.
    pub fn new(board: &'b Board) -> Self {
        Self {
            board,
            knowledge: Knowledge::new(board.grid(), board.n_mines()),
            exploded: None,
            cascades: true,
            zeros: Vec::with_capacity(board.grid().width()),
        }
    }

    /// The same game without cascades: a zero uncovers only itself.
    #[must_use]
    pub fn without_cascade(mut self) -> Self {
        self.cascades = false;
        self
    }

    /// The same game of a player who knows that the board was laid with this protection of the first
    /// click.
    #[must_use]
    pub fn with_first_click(mut self, first_click: FirstClick) -> Self {
        self.knowledge = self.knowledge.with_first_click(first_click);
        self
    }

    /// The same game, of which so much is known already.
    pub(crate) fn resuming(mut self, knowledge: &Knowledge) -> Self {
        self.knowledge = knowledge.clone();
        self
    }

    /// The player's knowledge.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The mine that was uncovered, if the game is lost.
    pub fn exploded(&self) -> Option<Tile> {
        self.exploded
    }

    /// Whether it is won or lost.
    pub fn is_over(&self) -> bool {
        self.exploded.is_some() || self.knowledge.is_won()
    }

    /// Uncovers a tile; whether that changed anything, see [`act`](Self::act).
    ///
    /// # Panics
    /// If the tile is not on the board.
    pub fn uncover(&mut self, at: impl GridIndex) -> bool {
        self.act(Action::Uncover(at.tile(self.board.grid().size())))
    }

    /// Marks a tile as a mine; whether that changed anything, see [`act`](Self::act).
    ///
    /// # Panics
    /// If the tile is not on the board.
    pub fn mark(&mut self, at: impl GridIndex) -> bool {
        self.act(Action::Mark(at.tile(self.board.grid().size())))
    }

    /// Takes the mark off a tile; whether that changed anything, see [`act`](Self::act).
    ///
    /// # Panics
    /// If the tile is not on the board.
    pub fn unmark(&mut self, at: impl GridIndex) -> bool {
        self.act(Action::Unmark(at.tile(self.board.grid().size())))
    }

    /// Uncovers the other covered tiles around a number that has as many marks around it (a chord);
    /// whether that changed anything. A wrong mark loses.
    ///
    /// # Panics
    /// If the tile is not on the board.
    pub fn chord(&mut self, at: impl GridIndex) -> bool {
        let tile = at.tile(self.board.grid().size());
        if self.knowledge.mines_around(tile) != Some(0) {
            return false;
        }
        let covered = self.knowledge.covered_around(tile);
        let mut has_changed = false;
        for near in self.board.grid().masked(tile, covered) {
            has_changed |= self.act(Action::Uncover(near));
        }
        has_changed
    }

    /// Makes a move; whether it changed anything.
    ///
    /// A move changes nothing if the game is over, or its tile is uncovered; a marked tile cannot be
    /// uncovered.
    ///
    /// # Panics
    /// If the tile is not on the board.
    pub fn act(&mut self, action: Action) -> bool {
        let tile = action.tile();
        let view = self.knowledge.view(tile);
        if self.is_over() {
            return false;
        }
        match (action, view) {
            (Action::Uncover(_), View::Covered) if self.board.is_mine(tile) => {
                self.exploded = Some(tile);
            }
            (Action::Uncover(_), View::Covered) => self.open(tile),
            (Action::Mark(_), View::Covered) => self.knowledge.mark(tile),
            (Action::Unmark(_), View::Marked) => self.knowledge.unmark(tile),
            _ => return false,
        }
        true
    }

    /// Uncovers a tile and its cascade: a flood fill over zeros.
    fn open(&mut self, tile: Tile) {
        self.show(tile);
        let grid = self.board.grid();
        while let Some(zero) = self.zeros.pop() {
            let covered = grid.around(zero) & !self.knowledge.uncovered_around(zero);
            for near in grid.masked(zero, covered) {
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

    /// Lets a player play to the end; `observe` is called with every move before it is made.
    ///
    /// A player without a move, or with one that changes nothing, loses.
    pub fn play(
        &mut self,
        player: &mut dyn Player,
        rng: &mut ChaCha8Rng,
        mut observe: impl FnMut(&Knowledge, &Move),
    ) -> Outcome {
        player.start();
        let mut n_moves = 0;
        let mut n_fallbacks = 0;
        while !self.is_over() {
            let Some(next) = player.choose(&self.knowledge, rng) else {
                break;
            };
            observe(&self.knowledge, &next);
            n_moves += 1;
            n_fallbacks += usize::from(matches!(next.rule, Rule::Fallback(_)));
            if !self.act(next.action) {
                break;
            }
        }
        Outcome {
            is_won: self.exploded.is_none() && self.knowledge.is_won(),
            n_moves,
            n_fallbacks,
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

        let board_with_two = Board::from_text("3x2/2\n.*.\n..*\n").unwrap();
        let mut chords = Game::new(&board_with_two);
        assert!(chords.uncover(3) && !chords.chord(3), "no mark yet");
        assert!(chords.mark(1) && chords.chord(3) && !chords.chord(3));
        assert_eq!(chords.knowledge().to_text(), "3x2/2\n1F.\n12.\n");
        assert!(chords.mark(2) && chords.chord(4));
        assert_eq!(chords.exploded(), Some(5), "a wrong mark");

        let mut single = Game::new(&board).without_cascade();
        assert!(single.act(Action::Uncover(0)));
        assert_eq!(single.knowledge().n_covered(), 11);
        assert!(single.act(Action::Uncover(11)));
        assert_eq!(single.exploded(), Some(11));
        assert!(single.is_over() && !single.knowledge().is_won());
    }
}
