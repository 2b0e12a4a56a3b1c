//! A UCI session: command parsing and the state of the game.

use std::{fmt, io::Write, ops::ControlFlow, time::Instant};

use kibitz_board::{
    CastlingMode, Chess, Move, Position, PositionError,
    fen::{Fen, ParseFenError},
    uci::UciMove,
};
use kibitz_heuristics::chute::History;
use thiserror::Error;
use uci_parser::UciResponse;

use crate::{
    clock,
    command::Command,
    limits::{Go, MAX_DEPTH},
    options::{Options, Strategy},
    output::Output,
    search_thread::{SearchThread, search_at_once},
    task::Task,
};

/// Nodes per depth for the strategy without a depth.
const NODES_PER_DEPTH: u64 = 1000;

/// Nodes for a `go` without a limit that does not wait for `stop` either.
const NODES_WITHOUT_LIMIT: u64 = 10_000;

/// Nodes to look for a mate in, without another limit.
const NODES_FOR_MATE: u64 = 200_000;

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
    #[error("`{fen}` is not a FEN: {source}")]
    Fen { fen: String, source: ParseFenError },
    #[error("`{fen}` is not a legal position: {source}")]
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
    ///
    /// Every `go` is answered by one `bestmove`, for any arguments; that of a running search comes before
    /// that of the next.
    pub fn obey(&mut self, line: &str) -> ControlFlow<()> {
        let received = Instant::now();
        let line = line.trim();
        if line.is_empty() {
            return ControlFlow::Continue(());
        }
        if self.echoes {
            self.output.note(format_args!("received: {line}"));
        }
        let mut notes = Vec::new();
        let command = Command::read(line, &mut notes);
        for note in notes {
            self.output.note(note);
        }
        match command {
            Some(command) => self.command(command, received),
            None => ControlFlow::Continue(()),
        }
    }

    fn command(&mut self, command: Command, received: Instant) -> ControlFlow<()> {
        match command {
            Command::Uci => self.introduce(),
            Command::Debug(on) => {
                self.echoes = on;
                self.output
                    .note(if on { "debug is on" } else { "debug is off" });
            }
            Command::IsReady => self.output.say(UciResponse::<String>::ReadyOk),
            Command::Register => self.output.note("there is nothing to register"),
            Command::SetOption { name, value } => {
                if let Err(error) = self.options.set(&name, value.as_deref()) {
                    self.output.note(error);
                }
            }
            Command::NewGame => self.game = Some(GameHistory::default()),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            // What was asked about is unknown; the last position is not it.
            Command::BadPosition => self.game = None,
            Command::Go(go) => {
                if let Some(thinking) = self.thinking.take() {
                    if thinking.is_under_way() {
                        let message = "the search under way ends here: another one begins";
                        self.output.note(message);
                    }
                    thinking.stop();
                    thinking.join();
                }
                self.go(&go, received);
            }
            Command::Stop => match self.thinking.take() {
                Some(thinking) => {
                    thinking.stop();
                    thinking.join();
                }
                None => self.output.note("there is nothing to stop"),
            },
            Command::PonderHit => match &self.thinking {
                Some(thinking) => thinking.ponder_hit(received),
                None => self.output.note("no search is waiting"),
            },
            Command::Quit => {
                if let Some(thinking) = self.thinking.take() {
                    thinking.stop();
                    thinking.join();
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
            thinking.join();
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

    fn go(&mut self, go: &Go, received: Instant) {
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
        // Searching all moves instead would play a move that the user has excluded.
        if !go.searchmoves.is_empty() && only.is_empty() && !game.position.is_game_over() {
            self.refuse("no move: none of searchmoves is legal");
            return;
        }
        let budget = clock::budget(go, game.position.turn(), self.options.overhead);
        let waits = go.infinite || go.ponder;
        // `go` without any limit would think until `stop`; many programs never send it, so nodes
        // limit the search.
        let is_limited = waits || budget.at_most.is_some() || go.nodes.is_some();
        let asked_depth = go.depth.or(go.mate.map(|moves| moves.saturating_mul(2)));
        let is_open = !is_limited && (go.mate.is_some() || go.depth.is_none());
        let nodes_for_all = is_open.then_some(NODES_WITHOUT_LIMIT);
        let nodes_for_mate = go.mate.filter(|_| is_open).map(|_| NODES_FOR_MATE);
        if let Some(nodes) = nodes_for_mate {
            let message = format_args!("no limit of time or nodes: looking for a mate in {nodes}");
            self.output.note(message);
        } else if let Some(nodes) = nodes_for_all {
            let message = format_args!("no limit of time or nodes: looking at {nodes} nodes");
            self.output.note(message);
        }
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
        let nodes = [go.nodes, nodes_for_all, nodes_for_depth];
        let task = Task {
            budget,
            position: game.position,
            history: game.history,
            past: game.past,
            only,
            options: self.options.clone(),
            depth: asked_depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH),
            mate: go.mate,
            nodes: nodes.into_iter().flatten().min(),
            nodes_for_mate: nodes_for_mate.or(go.nodes),
            waits,
            received,
        };
        // A thread costs more than such a search.
        if task.is_quick() {
            search_at_once(&task, &self.output);
            return;
        }
        match SearchThread::start(task, self.output.clone()) {
            Ok(thinking) => self.thinking = Some(thinking),
            Err(error) => self.refuse(format_args!("the search cannot be started: {error}")),
        }
    }
}
