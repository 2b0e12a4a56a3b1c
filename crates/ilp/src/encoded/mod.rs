//! The integer-coded problem: terms, relations, modes and examples as numbers, which the learners
//! search through instead of terms.

mod dictionary;
mod joined;
mod modes;
mod problem;
mod relation;
mod tabling;

pub(crate) use dictionary::number;
pub(crate) use modes::{Access, Kind, Language};
pub(crate) use problem::{Columns, EncodedMode, EncodedProblem};
pub(crate) use relation::{Index, Relation};
pub(crate) use tabling::{KeepGoing, TablingError, ways_to_call};
pub use tabling::{Remark, RemarkKind};
