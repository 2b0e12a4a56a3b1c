//! Replays of games, in common file formats.
//!
//! | format | program |
//! | --- | --- |
//! | `.avf` | Minesweeper Arbiter |
//! | `.evf`, versions 0 to 4 | Metasweeper; the format is public |
//! | `.evfs`, sets of `.evf` ([`read_set`]) | Metasweeper; the format is public |
//! | `.rmv`, versions 1 and 2 | Viennasweeper; the format is public |
//! | `.mvf` of version 0.97 | Minesweeper Clone |
//!
//! Each holds the board and the mouse events. [`Replay::clicks`] derives the clicks on tiles.

mod avf;
mod evf;
mod evfs;
mod mvf;
mod reader;
mod rmv;

use std::fmt;

pub use evfs::{SetReplay, read_set};
use thiserror::Error;

use crate::{
    board::Board,
    game::Game,
    grid::{SizeError, Tile},
    knowledge::View,
    player::Action,
    words::mines,
};

/// A format of replays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayFormat {
    /// `.avf`, of Minesweeper Arbiter.
    Avf,
    /// `.evf`, of Metasweeper.
    Evf,
    /// `.mvf`, of Minesweeper Clone.
    Mvf,
    /// `.rmv`, of Viennasweeper.
    Rmv,
}

impl ReplayFormat {
    /// The format of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "avf" => Self::Avf,
            "evf" => Self::Evf,
            "mvf" => Self::Mvf,
            "rmv" => Self::Rmv,
            _ => return None,
        })
    }
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    /// It moved.
    Move,
    /// The left button went down.
    LeftDown,
    /// The left button went up.
    LeftUp,
    /// The right button went down.
    RightDown,
    /// The right button went up.
    RightUp,
    /// The middle button went down, or another one that chords alone.
    MiddleDown,
    /// It went up.
    MiddleUp,
    /// One of left and right went down, the other one being down.
    BothDown,
    /// A mark that was set before the game began.
    Mark,
}

/// An event of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MouseEvent {
    /// Milliseconds since the game began.
    pub time: u32,
    /// What it did.
    pub action: MouseAction,
    /// The tile under the pointer, if one was.
    pub tile: Option<Tile>,
}

/// A game as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The board.
    pub board: Board,
    /// Name of the player; empty if not given.
    pub player: String,
    /// The mouse events, in order.
    pub events: Vec<MouseEvent>,
    /// How the game ended, where the file says so: `.evf` and `.rmv`.
    pub stated: Option<StatedEnd>,
    /// Bytes after the end of the replay; counted in `.evf` alone.
    pub n_trailing: usize,
}

/// The end of a game as its file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatedEnd {
    /// It was won.
    Won,
    /// A mine was met.
    Lost,
}

/// What a click does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// It uncovers or marks a tile, or takes the mark off.
    Act(Action),
    /// It uncovers the tiles around a number.
    Chord(Tile),
}

impl Click {
    /// Makes it; whether that changed anything.
    ///
    /// # Panics
    /// If the tile is not on the board.
    pub fn make(self, game: &mut Game<'_>) -> bool {
        match self {
            Self::Act(action) => game.act(action),
            Self::Chord(tile) => game.chord(tile),
        }
    }

    /// The tile that is clicked.
    pub fn tile(self) -> Tile {
        match self {
            Self::Act(action) => action.tile(),
            Self::Chord(tile) => tile,
        }
    }
}

/// An error in a replay, and its byte offset (from zero).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("byte {byte}: {problem}")]
pub struct ReplayError {
    /// The byte.
    pub byte: usize,
    /// What is wrong.
    pub problem: ReplayProblem,
}

/// What can be wrong with a replay.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayProblem {
    /// It ends early.
    #[error("the file ends before {0}")]
    End(&'static str),
    /// It ends early, before other replays of its set.
    #[error("the replay ends before {0}")]
    EndOfReplay(&'static str),
    /// It is of another format, or of a version that is not known.
    #[error("found {found}, expected {wanted}")]
    Format {
        /// What is there.
        found: u8,
        /// What should be.
        wanted: &'static str,
    },
    /// No board has these sides.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A mine beyond the edge.
    #[error("the mine at row {row}, column {column} is not on the board")]
    Outside {
        /// Column, from one; 0 before the first one.
        column: usize,
        /// Row, from one; 0 before the first one.
        row: usize,
    },
    /// A mine where one is already.
    #[error("a second mine at row {row}, column {column}")]
    Twice {
        /// Column, from one; 0 before the first one.
        column: usize,
        /// Row, from one; 0 before the first one.
        row: usize,
    },
    /// The number of mines differs from the declared one.
    #[error("the board has {}, and the header says {wanted}", mines(*found))]
    Mines {
        /// Mines of the board.
        found: usize,
        /// Declared number of mines.
        wanted: usize,
    },
}

impl Replay {
    /// Reads a replay.
    ///
    /// # Errors
    /// [`ReplayError`] with the byte at which something is wrong.
    pub fn from_bytes(bytes: &[u8], format: ReplayFormat) -> Result<Self, ReplayError> {
        match format {
            ReplayFormat::Avf => avf::read(bytes),
            ReplayFormat::Evf => evf::read(bytes),
            ReplayFormat::Mvf => mvf::read(bytes),
            ReplayFormat::Rmv => rmv::read(bytes),
        }
    }

    /// Mouse events off the board that would change a tile of it: a button went up, or one that marks went down.
    pub fn n_off_board(&self) -> usize {
        let acts = |action| !matches!(action, MouseAction::Move | MouseAction::LeftDown);
        let is_off = |event: &&MouseEvent| event.tile.is_none() && acts(event.action);
        self.events.iter().filter(is_off).count()
    }

    /// The clicks that change something, each with its time, to the end of the game.
    ///
    /// A tile is uncovered when the left button goes up on it, and marked when the right one goes down.
    /// Both together, or the middle button, chord when one goes up; the other one then does nothing.
    pub fn clicks(&self) -> Vec<(u32, Click)> {
        let mut game = Game::new(&self.board);
        let mut buttons = Buttons::default();
        let mut clicks = Vec::new();
        for event in &self.events {
            let done = buttons.after(event.action);
            let Some((done, tile)) = done.zip(event.tile) else {
                continue;
            };
            let click = match (done, game.knowledge().view(tile)) {
                (ButtonEffect::Uncover, _) => Click::Act(Action::Uncover(tile)),
                (ButtonEffect::Mark, View::Marked) => Click::Act(Action::Unmark(tile)),
                (ButtonEffect::Mark, _) => Click::Act(Action::Mark(tile)),
                (ButtonEffect::Chord, _) => Click::Chord(tile),
            };
            if click.make(&mut game) {
                clicks.push((event.time, click));
            }
        }
        clicks
    }
}

impl fmt::Display for Click {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Act(Action::Uncover(_)) => "uncover",
            Self::Act(Action::Mark(_)) => "mark",
            Self::Act(Action::Unmark(_)) => "unmark",
            Self::Chord(_) => "chord",
        })
    }
}

/// What the buttons did to the tile under the pointer.
#[derive(Clone, Copy, Debug)]
enum ButtonEffect {
    Uncover,
    Mark,
    Chord,
}

/// The buttons that are down.
#[derive(Clone, Copy, Debug, Default)]
struct Buttons {
    left: bool,
    right: bool,
    next: ReleaseEffect,
}

/// What happens when a button goes up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReleaseEffect {
    /// The left one uncovers.
    #[default]
    Uncover,
    /// Any one chords.
    Chord,
    /// Nothing: what is still down has chorded already.
    Nothing,
}

impl Buttons {
    /// What an action of the mouse does.
    fn after(&mut self, action: MouseAction) -> Option<ButtonEffect> {
        match action {
            MouseAction::Move => None,
            MouseAction::Mark => Some(ButtonEffect::Mark),
            MouseAction::LeftDown => {
                self.left = true;
                self.press(self.right);
                None
            }
            MouseAction::RightDown => {
                self.right = true;
                self.press(self.left);
                (!self.left).then_some(ButtonEffect::Mark)
            }
            MouseAction::MiddleDown | MouseAction::BothDown => {
                self.press(true);
                if action == MouseAction::BothDown {
                    (self.left, self.right) = (true, true);
                }
                None
            }
            MouseAction::LeftUp | MouseAction::RightUp | MouseAction::MiddleUp => {
                let uncovers = action == MouseAction::LeftUp && self.left;
                match action {
                    MouseAction::LeftUp => self.left = false,
                    MouseAction::RightUp => self.right = false,
                    _ => {}
                }
                let done = match self.next {
                    ReleaseEffect::Chord => Some(ButtonEffect::Chord),
                    ReleaseEffect::Uncover => uncovers.then_some(ButtonEffect::Uncover),
                    ReleaseEffect::Nothing => None,
                };
                let is_spent = self.next != ReleaseEffect::Uncover && (self.left || self.right);
                self.next = if is_spent {
                    ReleaseEffect::Nothing
                } else {
                    ReleaseEffect::Uncover
                };
                done
            }
        }
    }

    /// A button goes down, perhaps beside another one.
    fn press(&mut self, is_beside: bool) {
        self.next = if is_beside {
            ReleaseEffect::Chord
        } else {
            ReleaseEffect::Uncover
        };
    }
}

#[cfg(test)]
mod tests;
