//! The libraries for web pages: requests and responses in JSON.
//!
//! There is no logic here: a response is the output of `kibitz-minesweeper`, `kibitz-ilp` or
//! `kibitz-qsim` with `--format json`, with the pictures and texts that a page shows beside it.
//!
//! # Examples
//! ```
//! let answer = kibitz_web::answer(br#"{"ask": "position", "text": "4x2/2\n1...\n1...\n"}"#);
//! let answer: serde_json::Value = serde_json::from_slice(&answer)?;
//! assert_eq!(answer["solve"]["mine"][1][3], 0.25);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Map
//! | module | answers |
//! | --- | --- |
//! | `minesweeper` | `position`, `board`, `play` |
//! | `rules` | `learn`, `explain`, `judge` |
//! | `systems` | `simulate` |
//! | `quizzes` | `quiz` |
//! | `trajectories` | `check`, with the feature `whole` |
//! | `presses` | `press`, with the feature `whole` |
//! | `about` | `about`: possible requests, with examples |
//! | `abi` | in WebAssembly: the functions that a page calls |
//!
//! Requests are those of [`Question`]. An error is `{"error": …}`, with the messages of the programs
//! and their locations. Responses are deterministic on every platform.

#[cfg(target_family = "wasm")]
mod abi;
mod about;
mod minesweeper;
mod mistakes;
#[cfg(feature = "whole")]
mod presses;
mod quizzes;
mod rules;
mod systems;
#[cfg(feature = "whole")]
mod trajectories;

use serde::Deserialize;
use serde_json::{Value, json};

pub use minesweeper::{BoardQuestion, Click, PlayQuestion, PositionQuestion};
#[cfg(feature = "whole")]
pub use presses::{Links, PressQuestion};
pub use quizzes::QuizQuestion;
pub use rules::{
    ExplainQuestion, JudgeQuestion, LearnQuestion, LearnSettings, TaskTexts, TestExamples,
};
pub use systems::{Extent, SimulateQuestion};
#[cfg(feature = "whole")]
pub use trajectories::{CheckQuestion, TrajectoryInput};

/// Messages in JSON, as an `error` has them.
pub fn messages(told: &kibitz_text::Diagnostics) -> Value {
    told.iter().map(mistakes::message).collect()
}

use mistakes::Mistakes;

/// A question, as `{"ask": "position", "text": …}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// The version, learners, and example tasks, systems and positions.
    About,
    /// Analysis of a position.
    Position(PositionQuestion),
    /// A board that needs no guess.
    Board(BoardQuestion),
    /// A board after some clicks.
    Play(PlayQuestion),
    /// A theory of examples.
    Learn(LearnQuestion),
    /// Why a theory covers an example, or does not.
    Explain(ExplainQuestion),
    /// Which examples a theory covers.
    Judge(JudgeQuestion),
    /// The behaviors of a system.
    Simulate(SimulateQuestion),
    /// Which states of a system can come next, with the reasons.
    Quiz(QuizQuestion),
    /// Whether a trajectory is among the behaviors of a system.
    #[cfg(feature = "whole")]
    Check(CheckQuestion),
    /// Which variables of a signed digraph rise where one is pressed.
    #[cfg(feature = "whole")]
    Press(PressQuestion),
}

/// The answer to a question in JSON, in JSON.
pub fn answer(question: &[u8]) -> Vec<u8> {
    let asked = serde_json::from_slice(question).map_err(|error| Mistakes::told(error.to_string()));
    let answered = asked.and_then(|asked| match asked {
        Question::About => about::about(),
        Question::Position(question) => question.answer(),
        Question::Board(question) => question.answer(),
        Question::Play(question) => question.answer(),
        Question::Learn(question) => question.answer(),
        Question::Explain(question) => question.answer(),
        Question::Judge(question) => question.answer(),
        Question::Simulate(question) => question.answer(),
        Question::Quiz(question) => question.answer(),
        #[cfg(feature = "whole")]
        Question::Check(question) => question.answer(),
        #[cfg(feature = "whole")]
        Question::Press(question) => question.answer(),
    });
    let answer: Value = answered.unwrap_or_else(|mistakes| json!({ "error": mistakes.json() }));
    answer.to_string().into_bytes()
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
