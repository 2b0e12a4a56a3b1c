//! A UCI session: command parsing and the state of the game.

use std::{fmt, io::Write, ops::ControlFlow};

use kibitz_board::{
    CastlingMode, Chess, Move, Position, PositionError,
    fen::{Fen, ParseFenError},
    uci::UciMove,
};
use kibitz_heuristics::chute::History;
use thiserror::Error;
use uci_parser::{UciCommand, UciResponse, UciSearchOptions};

use crate::{
    clock,
    options::{Options, Strategy},
    output::Output,
    search_thread::{MAX_DEPTH, SearchThread, Task},
};

/// Nodes per depth for the strategy without a depth.
const NODES_PER_DEPTH: u64 = 1000;

/// A UCI session.
///
/// # Examples
/// ```
/// use kibitz_engine::{Session, Transcript};
///
/// let said = Transcript::default();
/// let mut session = Session::new(said.clone());
/// session.obey("isready");
/// assert_eq!(said.text(), "readyok\n");
/// ```
pub struct Session {
    output: Output,
    options: Options,
    /// `None` after an invalid position.
    game: Option<GameHistory>,
    thinking: Option<SearchThread>,
    echoes: bool,
}

/// The position and its history.
#[derive(Clone, Debug, Default)]
struct GameHistory {
    position: Chess,
    history: History,
    past: Vec<Chess>,
}

/// Why a position was refused.
#[derive(Debug, Error)]
enum BadPosition {
    #[error("`{fen}` is no FEN: {source}")]
    Fen { fen: String, source: ParseFenError },
    #[error("`{fen}` is no legal position: {source}")]
    Illegal {
        fen: String,
        source: Box<PositionError<Chess>>,
    },
    #[error(
        "`{fen}` has castling rights of Chess960, which is not played: \
         expected kings on e1 and e8, rooks in the corners, or no such rights"
    )]
    Chess960 { fen: String },
    #[error("move {number}, `{text}`, is illegal where it stands")]
    Move { number: usize, text: String },
}

impl GameHistory {
    fn read(fen: Option<&str>, moves: &[String]) -> Result<GameHistory, BadPosition> {
        let mut game = GameHistory::default();
        if let Some(fen) = fen {
            game.position = read_fen(fen)?;
        }
        for (index, text) in moves.iter().enumerate() {
            let m = legal_move(&game.position, text).ok_or_else(|| BadPosition::Move {
                number: index + 1,
                text: text.clone(),
            })?;
            game.past.push(game.position.clone());
            game.position.play_unchecked(m);
            game.history = game.history.after(m);
        }
        Ok(game)
    }
}

/// Parses a FEN leniently: other programs write loose en passant squares and castling rights, and use
/// odd but playable positions.
fn read_fen(fen: &str) -> Result<Chess, BadPosition> {
    let parsed: Fen = fen.parse().map_err(|source| BadPosition::Fen {
        fen: fen.to_owned(),
        source,
    })?;
    let read = |mode| {
        let position = parsed.clone().into_position(mode);
        position
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .map_err(Box::new)
    };
    read(CastlingMode::Standard).or_else(|error: Box<PositionError<Chess>>| {
        let fen = fen.to_owned();
        if read(CastlingMode::Chess960).is_ok() {
            return Err(BadPosition::Chess960 { fen });
        }
        let forgiven = error.ignore_invalid_castling_rights().map_err(Box::new);
        forgiven.map_err(|source| BadPosition::Illegal { fen, source })
    })
}

fn legal_move(position: &Chess, text: &str) -> Option<Move> {
    text.parse::<UciMove>().ok()?.to_move(position).ok()
}

/// The time of a negative `go movetime`, which the parser cannot represent.
fn negative_movetime(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    (words.next()? == "go").then_some(())?;
    words.find(|word| *word == "movetime")?;
    words
        .next()
        .filter(|time| time.parse::<i64>().is_ok_and(|time| time < 0))
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("options", &self.options)
            .field("game", &self.game)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A session that answers in `output`, at the initial position with default options.
    pub fn new(output: impl Write + Send + 'static) -> Session {
        Session::with_output(Output::new(output))
    }

    pub(crate) fn with_output(output: Output) -> Session {
        Session {
            output,
            options: Options::default(),
            game: Some(GameHistory::default()),
            thinking: None,
            echoes: false,
        }
    }

    /// Executes a line of input; breaks on `quit`. Searches run on a thread of their own.
    pub fn obey(&mut self, line: &str) -> ControlFlow<()> {
        let line = line.trim();
        if line.is_empty() {
            return ControlFlow::Continue(());
        }
        // The parser counts bytes in its error positions.
        if !line.is_ascii() {
            self.output
                .note(format_args!("`{line}` is not understood: expected ASCII"));
            return ControlFlow::Continue(());
        }
        if self.echoes {
            self.output.note(format_args!("received: {line}"));
        }
        if let Some(time) = negative_movetime(line) {
            if self.is_idle("another search begins") {
                self.refuse(format_args!(
                    "no move: `movetime` cannot be `{time}`: expected milliseconds, 0 or more"
                ));
            }
            return ControlFlow::Continue(());
        }
        match UciCommand::new(line) {
            Ok(command) => self.command(command),
            Err(error) => {
                // A malformed `position` invalidates the previous position.
                if line.split_whitespace().next() == Some("position") && !self.is_thinking() {
                    self.game = None;
                }
                self.output.note(error);
                ControlFlow::Continue(())
            }
        }
    }

    fn command(&mut self, command: UciCommand) -> ControlFlow<()> {
        match command {
            UciCommand::Uci => self.introduce(),
            UciCommand::Debug(on) => {
                self.echoes = on;
                self.output
                    .note(if on { "debug is on" } else { "debug is off" });
            }
            UciCommand::IsReady => self.output.say(UciResponse::<String>::ReadyOk),
            UciCommand::Register { .. } => self.output.note("there is nothing to register"),
            UciCommand::SetOption { name, value } => {
                if self.is_idle("options are set")
                    && let Err(error) = self.options.set(&name, value.as_deref())
                {
                    self.output.note(error);
                }
            }
            UciCommand::UciNewGame => {
                if self.is_idle("a new game begins") {
                    self.game = Some(GameHistory::default());
                }
            }
            UciCommand::Position { fen, moves } => {
                if self.is_idle("the position changes") {
                    self.set_position(fen.as_deref(), &moves);
                }
            }
            UciCommand::Go(go) => {
                if self.is_idle("another search begins") {
                    self.go(&go);
                }
            }
            UciCommand::Stop => match self.thinking.take() {
                Some(thinking) => {
                    thinking.stop();
                    self.join(thinking);
                }
                None => self.output.note("there is nothing to stop"),
            },
            UciCommand::PonderHit => match &self.thinking {
                Some(thinking) => thinking.ponder_hit(),
                None => self.output.note("there is no search that waits"),
            },
            UciCommand::Quit => {
                if let Some(thinking) = self.thinking.take() {
                    thinking.stop();
                    self.join(thinking);
                }
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Ends the session; waits for a search that ends by itself.
    pub fn finish(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            if !thinking.ends_by_itself() {
                thinking.stop();
            }
            self.join(thinking);
        }
    }

    fn introduce(&self) {
        let name = format!("Kibitz CHUTE {}", env!("CARGO_PKG_VERSION"));
        self.output.say(UciResponse::Name(name));
        let author = "the Kibitz project, after L. Sugar 1975".to_owned();
        self.output.say(UciResponse::Author(author));
        for option in Options::list() {
            self.output.say(UciResponse::Option(option));
        }
        self.output.say(UciResponse::<String>::UciOk);
    }

    fn is_thinking(&self) -> bool {
        self.thinking
            .as_ref()
            .is_some_and(SearchThread::is_under_way)
    }

    /// Whether no search is running; else reports that it must be stopped before `what`.
    fn is_idle(&mut self, what: &str) -> bool {
        if self.is_thinking() {
            self.output
                .note(format_args!("a search is under way: stop it before {what}"));
            return false;
        }
        if let Some(thinking) = self.thinking.take() {
            self.join(thinking);
        }
        true
    }

    fn join(&self, thinking: SearchThread) {
        if thinking.join().is_err() {
            self.refuse("the search has failed");
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        self.game = GameHistory::read(fen, moves)
            .inspect_err(|error| self.output.note(error))
            .ok();
    }

    /// Reports the reason, and answers with a null move.
    fn refuse(&self, reason: impl fmt::Display) {
        self.output.note(reason);
        self.output.say(UciResponse::<String>::BestMove {
            bestmove: None,
            ponder: None,
        });
    }

    fn go(&mut self, go: &UciSearchOptions) {
        let Some(game) = self.game.clone() else {
            self.refuse("no move: the last position was not understood");
            return;
        };
        let mut only = Vec::new();
        for text in &go.searchmoves {
            match legal_move(&game.position, text) {
                Some(m) => only.push(m),
                None => self.output.note(format_args!(
                    "searchmoves: `{text}` is illegal here and left out"
                )),
            }
        }
        if !go.searchmoves.is_empty() && only.is_empty() && !game.position.is_game_over() {
            self.refuse("no move: none of searchmoves is legal");
            return;
        }
        let asked_depth = go.depth.or(go.mate.map(|moves| moves.saturating_mul(2)));
        let nodes = go.nodes.map(u64::from);
        let is_deep = self.options.strategy != Strategy::Ctw;
        let nodes_for_depth = asked_depth
            .filter(|_| !is_deep)
            .map(|depth| u64::from(depth).saturating_mul(NODES_PER_DEPTH));
        if let Some(nodes) = nodes_for_depth {
            self.output.note(format_args!(
                "{} has no depth: looking at {nodes} nodes",
                self.options.strategy
            ));
        }
        let task = Task {
            budget: clock::budget(go, game.position.turn(), self.options.overhead),
            position: game.position,
            history: game.history,
            past: game.past,
            only,
            options: self.options.clone(),
            depth: asked_depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH),
            mate: go.mate,
            nodes: nodes.into_iter().chain(nodes_for_depth).min(),
            waits: go.infinite || go.ponder,
        };
        match SearchThread::start(task, self.output.clone()) {
            Ok(thinking) => self.thinking = Some(thinking),
            Err(error) => self.refuse(format_args!("the search cannot be started: {error}")),
        }
    }
}
