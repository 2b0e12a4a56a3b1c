//! `play`, on the whole screen.

use std::cell::OnceCell;

use kibitz_minesweeper::{
    Action, Board, Game, Knowledge, Level, NoProbabilities, PlayerName, Probabilities, Solver,
    Tile, TooManyMines,
};
use ratatui::DefaultTerminal;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Stylize as _;
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::{BoardView, Overlay, draw, next_key};
use crate::cli::{BoardArguments, Failure, play, show};

const KEYS: &str = "\
arrows  move
enter   uncover
f       mark, or take the mark off
s       what is safe, and what a mine
o       odds: how likely a mine, in %
w       why
h       hint
n       new game
q       quit";

/// The effect of a key on the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    GoOn,
    NewGame,
    Quit,
}

/// A game in progress.
pub(super) struct Table<'b> {
    level: Level,
    player: PlayerName,
    /// Lays the board, which depends on the first click.
    lay: &'b dyn Fn(Tile) -> Result<Board, TooManyMines>,
    board: &'b OnceCell<Board>,
    game: Option<Game<'b>>,
    empty: Knowledge,
    cursor: Tile,
    overlay: Overlay,
    probabilities: Result<Probabilities, NoProbabilities>,
    said: String,
    because: Vec<Tile>,
}

impl<'b> Table<'b> {
    pub(super) fn new(
        level: Level,
        empty: Knowledge,
        player: PlayerName,
        lay: &'b dyn Fn(Tile) -> Result<Board, TooManyMines>,
        board: &'b OnceCell<Board>,
    ) -> Self {
        let middle = level
            .grid
            .tile(level.grid.height() / 2, level.grid.width() / 2);
        Self {
            player,
            lay,
            board,
            game: None,
            probabilities: Solver::new().solve(&empty).cloned(),
            empty,
            cursor: middle.unwrap_or(0),
            overlay: Overlay::Nothing,
            said: String::new(),
            because: Vec::new(),
            level,
        }
    }

    fn knowledge(&self) -> &Knowledge {
        self.game.as_ref().map_or(&self.empty, Game::knowledge)
    }

    fn is_over(&self) -> bool {
        self.game.as_ref().is_some_and(Game::is_over)
    }

    /// Handles a key.
    pub(super) fn press(&mut self, key: KeyCode) -> Result<Next, TooManyMines> {
        match key {
            KeyCode::Char('q') | KeyCode::Esc => return Ok(Next::Quit),
            KeyCode::Char('n') => return Ok(Next::NewGame),
            KeyCode::Up => self.go(-1, 0),
            KeyCode::Down => self.go(1, 0),
            KeyCode::Left => self.go(0, -1),
            KeyCode::Right => self.go(0, 1),
            _ if self.is_over() => {}
            KeyCode::Enter | KeyCode::Char(' ') => self.uncover()?,
            KeyCode::Char('f') => self.mark(),
            KeyCode::Char('s') => self.lay_over(Overlay::Certain),
            KeyCode::Char('o') => self.lay_over(Overlay::Odds),
            KeyCode::Char('w') => self.why(),
            KeyCode::Char('h') => self.hint(),
            _ => {}
        }
        Ok(Next::GoOn)
    }

    fn go(&mut self, down: isize, right: isize) {
        let grid = &self.level.grid;
        let (row, column) = grid.row_and_column(self.cursor);
        let moved = (row.checked_add_signed(down)).zip(column.checked_add_signed(right));
        let tile = moved.and_then(|(row, column)| grid.tile(row, column));
        self.cursor = tile.unwrap_or(self.cursor);
    }

    fn say(&mut self, said: impl Into<String>, because: Vec<Tile>) {
        self.said = said.into();
        self.because = because;
    }

    fn uncover(&mut self) -> Result<(), TooManyMines> {
        if self.board.get().is_none() {
            // It is unset: only this line sets it.
            let _ = self.board.set((self.lay)(self.cursor)?);
        }
        if self.game.is_none() {
            self.game = self.board.get().map(Game::new);
        }
        self.act(&[Action::Uncover(self.cursor)]);
        Ok(())
    }

    fn mark(&mut self) {
        if self.game.is_none() {
            self.say("uncover a tile first", Vec::new());
        } else {
            self.act(&[Action::Mark(self.cursor), Action::Unmark(self.cursor)]);
        }
    }

    /// Makes the first of these moves that changes something.
    fn act(&mut self, actions: &[Action]) {
        let Some(game) = &mut self.game else {
            return;
        };
        let has_changed = actions.iter().any(|action| game.act(*action));
        self.probabilities = Solver::new().solve(game.knowledge()).cloned();
        let said = match (has_changed, game.exploded(), game.is_over()) {
            (_, Some(_), _) => "a mine: lost",
            (_, None, true) => "won",
            (true, ..) => "",
            (false, ..) => "that tile is uncovered or marked",
        };
        self.say(said, Vec::new());
    }

    fn lay_over(&mut self, overlay: Overlay) {
        let is_on = self.overlay == overlay;
        self.overlay = if is_on { Overlay::Nothing } else { overlay };
        if let Err(problem) = &self.probabilities {
            self.say(problem.to_string(), Vec::new());
        }
    }

    fn why(&mut self) {
        let (said, because) = match &self.probabilities {
            Err(problem) => (problem.to_string(), Vec::new()),
            Ok(probabilities) => play::why(self.knowledge(), self.cursor, probabilities),
        };
        self.say(said, because);
    }

    fn hint(&mut self) {
        match play::hint(self.knowledge(), self.player) {
            None => self.say("no move", Vec::new()),
            Some(next) => {
                self.cursor = next.action.tile();
                self.say(show::reason(self.knowledge(), &next), next.because);
            }
        }
    }
}

impl Widget for &Table<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let knowledge = self.knowledge();
        let is_over = self.is_over();
        let view = BoardView {
            knowledge,
            overlay: if is_over {
                Overlay::Nothing
            } else {
                self.overlay
            },
            probabilities: self.probabilities.as_ref().ok(),
            cursor: self.cursor,
            because: &self.because,
            exploded: self.game.as_ref().and_then(Game::exploded),
            mines: self.board.get().filter(|_| is_over),
        };
        let counts = format!("{}: {}", self.level, show::counts(knowledge));
        let mut text = vec![
            Line::from(counts).bold(),
            Line::default(),
            Line::from(self.said.as_str()),
            Line::default(),
        ];
        text.extend(KEYS.lines().map(|line| Line::from(line).dark_gray()));
        draw(&view, text, area, buffer);
    }
}

/// Plays games until the person quits.
pub(crate) fn run(boards: &BoardArguments, player: PlayerName) -> Result<(), Failure> {
    let from_file = boards.board()?;
    let level = from_file
        .as_ref()
        .map_or(boards.board.clone(), |board| Level {
            grid: board.grid().clone(),
            n_mines: board.n_mines(),
        });
    let mut terminal = ratatui::try_init()?;
    let mut done = Ok(Next::NewGame);
    let mut number = 0;
    while let Ok(Next::NewGame) = done {
        let lay = |first: Tile| match &from_file {
            Some(board) => Ok(board.clone()),
            None => boards.series().board(number, first),
        };
        let board = OnceCell::new();
        let empty = Knowledge::new(&level.grid, level.n_mines);
        let empty = empty.with_first_click(boards.protection());
        let table = Table::new(level.clone(), empty, player, &lay, &board);
        done = one_game(&mut terminal, table);
        number += 1;
    }
    ratatui::try_restore()?;
    done.map(|_| ())
}

fn one_game(terminal: &mut DefaultTerminal, mut table: Table<'_>) -> Result<Next, Failure> {
    loop {
        terminal.draw(|frame| frame.render_widget(&table, frame.area()))?;
        if let Some(key) = next_key()? {
            match table.press(key)? {
                Next::GoOn => {}
                next => return Ok(next),
            }
        }
    }
}
