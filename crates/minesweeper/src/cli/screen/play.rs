//! `play`, on the whole screen.

use std::cell::OnceCell;
use std::io;
use std::time::{Duration, Instant};

use kibitz_minesweeper::{
    Action, Board, Game, Knowledge, Level, NoProbabilities, PlayerName, Probabilities, Solver,
    Tile, View,
};
use kibitz_text::counted;
use ratatui::DefaultTerminal;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, MouseButton, MouseEvent,
    MouseEventKind,
};
use ratatui::crossterm::execute;
use ratatui::layout::Rect;
use ratatui::style::Stylize as _;
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::{BoardView, Keys, Overlay, draw, key, places, tile_width};
use crate::cli::{BoardArguments, Failure, first_click, play, show};

const KEYS: &Keys = &[
    ("arrows", "move, or hjkl, or the mouse"),
    ("enter", "uncover, or chord on a number"),
    ("f", "mark, or take the mark off"),
    ("s", "what is safe, and what a mine"),
    ("o", "odds: how likely a mine, in %"),
    ("w", "why"),
    ("a", "analyse: the best move"),
    ("n", "new game"),
    ("q", "quit"),
];

/// How long the clock may be behind.
const TICK: Duration = Duration::from_millis(200);

/// The effect of a key on the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyEffect {
    GoOn,
    NewGame,
    Quit,
}

/// Lays the board for a first click.
pub(super) type BoardSource<'b> = dyn Fn(Tile) -> Result<Board, Failure> + 'b;

/// A game in progress.
pub(super) struct Table<'b> {
    level: Level,
    player: PlayerName,
    /// Lays the board, which depends on the first click.
    lay: &'b BoardSource<'b>,
    board: &'b OnceCell<Board>,
    game: Option<Game<'b>>,
    empty: Knowledge,
    cursor: Tile,
    overlay: Overlay,
    probabilities: Result<Probabilities, NoProbabilities>,
    said: String,
    because: Vec<Tile>,
    /// Clicks that changed something.
    n_clicks: usize,
    /// The time since the first click.
    pub(super) clock: Duration,
}

impl<'b> Table<'b> {
    pub(super) fn new(
        level: Level,
        empty: Knowledge,
        player: PlayerName,
        lay: &'b BoardSource<'b>,
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
            n_clicks: 0,
            clock: Duration::ZERO,
            level,
        }
    }

    fn knowledge(&self) -> &Knowledge {
        self.game.as_ref().map_or(&self.empty, Game::knowledge)
    }

    fn is_over(&self) -> bool {
        self.game.as_ref().is_some_and(Game::is_over)
    }

    /// Whether the clock runs.
    pub(super) fn is_running(&self) -> bool {
        self.game.is_some() && !self.is_over()
    }

    /// Handles a key.
    pub(super) fn press(&mut self, key: KeyCode) -> Result<KeyEffect, Failure> {
        match key {
            KeyCode::Char('q') | KeyCode::Esc => return Ok(KeyEffect::Quit),
            KeyCode::Char('n') => return Ok(KeyEffect::NewGame),
            KeyCode::Up | KeyCode::Char('k') => self.go(-1, 0),
            KeyCode::Down | KeyCode::Char('j') => self.go(1, 0),
            KeyCode::Left | KeyCode::Char('h') => self.go(0, -1),
            KeyCode::Right | KeyCode::Char('l') => self.go(0, 1),
            _ if self.is_over() => {}
            KeyCode::Enter | KeyCode::Char(' ') => self.uncover()?,
            KeyCode::Char('f') => self.mark(),
            KeyCode::Char('s') => self.lay_over(Overlay::Certain),
            KeyCode::Char('o') => self.lay_over(Overlay::Odds),
            KeyCode::Char('w') => self.why(),
            KeyCode::Char('a') => self.hint(),
            _ => {}
        }
        Ok(KeyEffect::GoOn)
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

    /// Handles a mouse button on the screen: left uncovers, or chords on a number; right marks; the
    /// middle one chords.
    pub(super) fn click(&mut self, area: Rect, mouse: MouseEvent) -> Result<(), Failure> {
        let MouseEventKind::Down(button) = mouse.kind else {
            return Ok(());
        };
        let view = self.view(area);
        let [at, _] = places(&self.level.grid, view.tile_width, KEYS, area);
        let Some(tile) = view.tile_at(at, mouse.column, mouse.row) else {
            return Ok(());
        };
        self.cursor = tile;
        match button {
            _ if self.is_over() => {}
            MouseButton::Left => self.uncover()?,
            MouseButton::Right => self.mark(),
            MouseButton::Middle => self.chord(),
        }
        Ok(())
    }

    /// Uncovers the tile at the cursor; a number that is uncovered already chords.
    fn uncover(&mut self) -> Result<(), Failure> {
        if let View::Number(_) = self.knowledge().view(self.cursor) {
            self.chord();
            return Ok(());
        }
        if self.board.get().is_none() {
            // It is unset: only this line sets it.
            let _ = self.board.set((self.lay)(self.cursor)?);
        }
        let is_first = self.game.is_none();
        if is_first {
            self.game = self.board.get().map(Game::new);
        }
        let cursor = self.cursor;
        self.act("that tile is marked", |game| {
            game.act(Action::Uncover(cursor))
        });
        let lacking = first_click::no_opening(&self.level, &self.empty, cursor);
        if let Some(lacking) = lacking.filter(|_| is_first && !self.is_over()) {
            self.say(lacking, Vec::new());
        }
        Ok(())
    }

    fn chord(&mut self) {
        let cursor = self.cursor;
        self.act(play::NO_CHORD, |game| game.chord(cursor));
    }

    fn mark(&mut self) {
        let cursor = self.cursor;
        if self.game.is_none() {
            self.say("uncover a tile first", Vec::new());
        }
        self.act("that tile is uncovered", |game| {
            game.act(Action::Mark(cursor)) || game.act(Action::Unmark(cursor))
        });
    }

    /// Makes a move that may change something; if it does not, says so.
    fn act(&mut self, nothing: &str, make: impl FnOnce(&mut Game<'b>) -> bool) {
        let Some(game) = &mut self.game else {
            return;
        };
        let has_changed = make(game);
        self.n_clicks += usize::from(has_changed);
        self.probabilities = Solver::new().solve(game.knowledge()).cloned();
        let said = match (has_changed, game.exploded(), game.is_over()) {
            (_, Some(_), _) => "a mine: lost",
            (_, None, true) => "won",
            (true, ..) => "",
            (false, ..) => nothing,
        };
        self.say(said, Vec::new());
    }

    /// The time, and the 3BV done with so many clicks; of how many only once it is over, since that tells
    /// something of the board.
    fn score(&self) -> String {
        let seconds = self.clock.as_secs();
        let time = format!("{}:{:02}", seconds / 60, seconds % 60);
        let (Some(board), n_clicks @ 1..) = (self.board.get(), self.n_clicks) else {
            return time;
        };
        let knowledge = self.knowledge();
        let is_uncovered = |tile: Tile| matches!(knowledge.view(tile), View::Number(_));
        let done = board.three_bv_done(is_uncovered);
        let of = if self.is_over() {
            format!(" of {}", board.measures().three_bv)
        } else {
            String::new()
        };
        let efficiency = 100.0 * done as f64 / n_clicks as f64;
        let clicks = counted(n_clicks, "click", "clicks");
        format!("{time}, 3BV {done}{of}, {clicks} ({efficiency:.0} %)")
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
        match play::hint(self.knowledge(), self.player, Some(self.cursor)) {
            None => self.say("no move", Vec::new()),
            Some((text, next)) => {
                self.cursor = next.action.tile();
                self.say(text, next.because);
            }
        }
    }

    fn view(&self, area: Rect) -> BoardView<'_> {
        let is_over = self.is_over();
        let overlay = if is_over {
            Overlay::Nothing
        } else {
            self.overlay
        };
        BoardView {
            tile_width: tile_width(&self.level.grid, overlay, area),
            knowledge: self.knowledge(),
            overlay,
            probabilities: self.probabilities.as_ref().ok(),
            cursor: self.cursor,
            because: &self.because,
            exploded: self.game.as_ref().and_then(Game::exploded),
            mines: self.board.get().filter(|_| is_over),
        }
    }
}

impl Widget for &Table<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let counts = format!("{}: {}", self.level, show::counts(self.knowledge()));
        let text = vec![
            Line::from(counts).bold(),
            Line::from(self.score()),
            Line::default(),
            Line::from(self.said.as_str()),
            Line::default(),
        ];
        draw(&self.view(area), text, KEYS, area, buffer);
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
    execute!(io::stdout(), EnableMouseCapture)?;
    let mut done = Ok(KeyEffect::NewGame);
    let mut number = 0;
    while let Ok(KeyEffect::NewGame) = done {
        let lay = |first: Tile| match &from_file {
            Some(board) => Ok(board.clone()),
            None => boards.lay(number, first),
        };
        let board = OnceCell::new();
        let empty = Knowledge::new(&level.grid, level.n_mines);
        let empty = empty.with_first_click(boards.protection());
        let table = Table::new(level.clone(), empty, player, &lay, &board);
        done = one_game(&mut terminal, table);
        number += 1;
    }
    execute!(io::stdout(), DisableMouseCapture)?;
    ratatui::try_restore()?;
    done.map(|_| ())
}

fn one_game(terminal: &mut DefaultTerminal, mut table: Table<'_>) -> Result<KeyEffect, Failure> {
    let mut start = Instant::now();
    loop {
        let area = terminal
            .draw(|frame| frame.render_widget(&table, frame.area()))?
            .area;
        let was_running = table.is_running();
        if event::poll(TICK)? {
            let event = event::read()?;
            if let Event::Mouse(mouse) = event {
                table.click(area, mouse)?;
            } else if let Some(key) = key(&event) {
                match table.press(key)? {
                    KeyEffect::GoOn => {}
                    next => return Ok(next),
                }
            }
        }
        if was_running {
            table.clock = start.elapsed();
        } else if table.is_running() {
            start = Instant::now();
        }
    }
}
