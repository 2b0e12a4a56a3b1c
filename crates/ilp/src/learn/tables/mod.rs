//! Tasks in numbers: what the learners that work on ground facts share.

mod decode;
mod descent;
mod literal;
mod matching;
mod problem;
mod relation;
mod tabling;

pub(super) use decode::decode;
pub(super) use descent::Descent;
pub(super) use literal::{Arg, EQUALS, Lit, Values};
pub(super) use matching::{Matcher, covered, is_spare, without};
pub(super) use problem::{Columns, Problem, number};

#[cfg(test)]
mod tests;
