//! Shortening clauses: what is not connected, not needed for its results, or not needed to keep
//! negative examples out.
//!
//! Plotkin's logical reduction is [`crate::reduced`].

mod connection;
mod functional;
mod negative;

pub use connection::connected;
pub use functional::functionally_reduced;
pub use negative::negatively_reduced;
