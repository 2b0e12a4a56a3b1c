//! Evaluation of clauses in numbers: one literal for all learners, its decoding, and the matchers that
//! find the examples a clause covers.
//!
//! A [`Matcher`] looks clauses up in the relations of an encoded problem. A [`PatternMatcher`] matches
//! clauses made of modes against answers of the prover, which a [`Memo`] remembers. Both compile a clause
//! to steps that the `executor` carries out.

mod canonical;
mod decode;
mod executor;
mod literal;
mod matcher;
mod memo;
mod pattern;
mod pattern_matcher;
mod termination;

pub(crate) use canonical::{Key, Node, word};
pub(crate) use decode::{decode, decode_clause, merged};
pub(crate) use literal::{Arg, EQUALS, Lit, Values};
pub(crate) use matcher::{Matcher, covered, is_spare, without};
pub(crate) use memo::Memo;
pub(crate) use pattern::{Constants, Pattern, Variable};
pub(crate) use pattern_matcher::{MAX_LITERALS, PatternMatcher, Plan};
pub(crate) use termination::{Descent, Places, TerminationOrder};

#[cfg(test)]
mod tests;
