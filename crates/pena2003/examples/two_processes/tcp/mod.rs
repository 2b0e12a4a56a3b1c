//! A teacher in another process, over TCP.
//!
//! [`serve`] teaches everyone who connects, each with a teacher of its own, so that learners do not
//! disturb each other; [`RemoteTeacher`] is the learner's side. The theory is that of a teacher
//! in the same process.
//!
//! # Protocol
//! Messages are JSON objects, one a line of at most [`MAX_MESSAGE`](connection::MAX_MESSAGE) bytes. The learner asks, the
//! teacher answers, until the learner closes the connection. Atoms and clauses are Prolog text.
//!
//! | the learner asks | the teacher answers |
//! | --- | --- |
//! | `{"ask":"hello","protocol":"kibitz-teacher","version":1,"target":"east/1"}` | the same with `"answer"` for `"ask"`, if it teaches that predicate in that version |
//! | `{"ask":"examples"}` | `{"answer":"examples","examples":[{"atom":"east(t1)","positive":true}]}` |
//! | `{"ask":"test","rules":["east(A) :- car(A,B)."]}` | `{"answer":"verdict","kept":[false],"counterexamples":[{"atom":"east(t7)","positive":false}]}` |
//!
//! Instead of any answer there may be `{"answer":"no","because":"declined","reason":"…"}`, where
//! `because` is also `no-examples` or `untestable` (see `TeacherError` of `kibitz-ilp`).
//!
//! Both sides have the same background. Where it speaks of things that are not there from the start,
//! such as boards drawn at random, an example also has a `"scene"`: text that [`Scenes`] write and
//! read. Names that the other side does not know are an error, so that
//! symbols keep their meaning and a stranger cannot fill the table. Nothing is encrypted and nobody is
//! asked for a name: this is for machines that trust each other. Rules of a learner are proved within
//! the examiner's bounds.

mod client;
mod connection;
mod message;
mod server;

#[cfg(test)]
mod tests;

use std::fmt;

use kibitz_prolog::Atom;

pub(crate) use client::RemoteTeacher;
pub(crate) use connection::TimeLimits;
pub(crate) use server::{ServerParams, Visit, serve};

/// The things that examples are about, where the background does not know them from the start.
pub(crate) trait Scenes: fmt::Debug + Sync {
    /// The scene of an example, if it has one.
    fn describe(&self, example: &Atom) -> Option<String>;

    /// Takes in the scene of an example of the teacher's, and translates the example to terms known
    /// here.
    ///
    /// # Errors
    /// The problem with the scene.
    fn enter(&self, example: &Atom, scene: &str) -> Result<Atom, String>;
}
