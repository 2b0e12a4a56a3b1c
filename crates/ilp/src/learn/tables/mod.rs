//! Tasks in numbers: what the learners that work on ground facts share.

mod decode;
mod literal;
mod matching;
mod problem;
mod relation;

pub(super) use decode::decode;
pub(super) use literal::{Arg, Lit, Values};
pub(super) use matching::{Matcher, covered, without};
pub(super) use problem::{Columns, Problem, number};
