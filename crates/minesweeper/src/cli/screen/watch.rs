//! `watch`, on the whole screen: the replay of a game, forth and back.

use std::time::Duration;

use kibitz_minesweeper::{Board, Game, Move, Outcome, PlayerName, Probabilities, Solver};
use ratatui::DefaultTerminal;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{self, KeyCode};
use ratatui::layout::Rect;
use ratatui::style::Stylize as _;
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::{BoardView, Keys, Overlay, draw, next_key, tile_width};
use crate::cli::{Failure, show};

const KEYS: &Keys = &[
    ("space", "go on, or wait"),
    ("left right", "a move back or forth"),
    ("home end", "the first or the last"),
    ("o", "how likely a mine, in %"),
    ("q", "quit"),
];

/// A game that was played.
pub(super) struct Replay<'b> {
    name: PlayerName,
    board: &'b Board,
    beginning: Game<'b>,
    moves: &'b [Move],
    outcome: Outcome,
    game: Game<'b>,
    /// Number of moves made.
    n_made: usize,
    pub(super) is_running: bool,
    has_odds: bool,
    probabilities: Option<Probabilities>,
}

impl<'b> Replay<'b> {
    pub(super) fn new(
        name: PlayerName,
        board: &'b Board,
        beginning: Game<'b>,
        moves: &'b [Move],
        outcome: Outcome,
    ) -> Self {
        let mut replay = Self {
            name,
            board,
            game: beginning.clone(),
            beginning,
            moves,
            outcome,
            n_made: 0,
            is_running: true,
            has_odds: false,
            probabilities: None,
        };
        replay.go(0);
        replay
    }

    /// Shows the position after `n_made` moves, or after all.
    pub(super) fn go(&mut self, n_made: usize) {
        self.n_made = n_made.min(self.moves.len());
        self.is_running &= self.n_made < self.moves.len();
        self.game = self.beginning.clone();
        for next in &self.moves[..self.n_made] {
            self.game.act(next.action);
        }
        self.probabilities = Solver::new().solve(self.game.knowledge()).cloned().ok();
    }

    pub(super) fn step(&mut self) {
        self.go(self.n_made + 1);
    }

    /// Handles a key; false to quit.
    pub(super) fn press(&mut self, key: KeyCode) -> bool {
        match key {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('o') => self.has_odds ^= true,
            KeyCode::Char(' ') => {
                self.is_running = !self.is_running && self.n_made < self.moves.len();
            }
            KeyCode::Left | KeyCode::Right | KeyCode::Home | KeyCode::End => {
                self.is_running = false;
                self.go(match key {
                    KeyCode::Left => self.n_made.saturating_sub(1),
                    KeyCode::Right => self.n_made + 1,
                    KeyCode::Home => 0,
                    _ => self.moves.len(),
                });
            }
            _ => {}
        }
        true
    }
}

impl Widget for &Replay<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let next = self.moves.get(self.n_made);
        let last = next.or(self.moves.last());
        let cursor = last.map_or(0, |last| last.action.tile());
        let knowledge = self.game.knowledge();
        let overlay = if self.has_odds {
            Overlay::Odds
        } else {
            Overlay::Nothing
        };
        let view = BoardView {
            tile_width: tile_width(knowledge.grid(), overlay, area),
            knowledge,
            overlay,
            probabilities: self.probabilities.as_ref().filter(|_| next.is_some()),
            cursor,
            because: next.map_or(&[], |next| &next.because),
            exploded: self.game.exploded(),
            mines: next.is_none().then_some(self.board),
        };
        let head = format!(
            "{}: {} of {} moves",
            self.name,
            self.n_made,
            self.moves.len()
        );
        let said = match next {
            Some(next) => show::reason(knowledge, next),
            None => show::outcome(self.outcome),
        };
        let text = vec![
            Line::from(head).bold(),
            Line::from(show::counts(knowledge)),
            Line::default(),
            Line::from(said),
            Line::default(),
        ];
        draw(&view, text, KEYS, area, buffer);
    }
}

/// Replays a game until the person quits.
pub(crate) fn run(
    name: PlayerName,
    board: &Board,
    beginning: Game<'_>,
    moves: &[Move],
    outcome: Outcome,
    pause: Duration,
) -> Result<(), Failure> {
    let mut terminal = ratatui::try_init()?;
    let done = show_all(
        &mut terminal,
        Replay::new(name, board, beginning, moves, outcome),
        pause,
    );
    ratatui::try_restore()?;
    done
}

fn show_all(
    terminal: &mut DefaultTerminal,
    mut replay: Replay<'_>,
    pause: Duration,
) -> Result<(), Failure> {
    loop {
        terminal.draw(|frame| frame.render_widget(&replay, frame.area()))?;
        if replay.is_running && !event::poll(pause)? {
            replay.step();
        } else if let Some(key) = next_key()?
            && !replay.press(key)
        {
            return Ok(());
        }
    }
}
