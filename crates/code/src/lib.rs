//! What code decides a result: so that a recorded result is served only while the code that
//! computed it is the code at hand.
//!
//! A build script calls [`embed`], which hashes the crate that is being built and its path
//! dependencies and writes their [`Identity`] where the crate can include it. The hashes go into
//! the keys of results. When the program runs, [`Identity::changed_below`] says which sources on
//! disk are no longer those it was built from.
//!
//! # What counts
//! - Every `.rs` file as its tokens. Whitespace, comments, doc comments and items under
//!   `#[cfg(test)]` do not count, nor do the files that hold tests, benchmarks and examples.
//! - Every other file of the crate by its bytes, since it may be included; Markdown, snapshots and
//!   hidden files excepted.
//! - Of `Cargo.toml` the edition, features, targets, and normal and build dependencies.
//! - Of everything from registries and repositories the locked version, if normal and build
//!   dependencies lead to it.
//! - This crate itself, as a build dependency, does not count: it makes keys of results.
//!
//! What does not count, although a program could look at it: positions (`line!()`), the package's
//! own version, files outside the crate's folder, documentation read by derives. The compiler, the
//! platform and the profile are for the caller to add.
//!
//! # Examples
//! ```
//! use kibitz_code::{Identity, Sources};
//! use std::path::Path;
//!
//! let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
//! let identity = Identity::of_manifest(folder)?;
//! assert_eq!(identity.package(), "kibitz-code");
//! assert_eq!(identity.hashes().len(), 2); // the crate and its locked dependencies
//!
//! let mut sources = Sources::below(folder.join("../.."));
//! assert!(identity.changed_below(&mut sources)?.is_empty());
//! # Ok::<(), kibitz_code::CodeError>(())
//! ```
//!
//! # Map
//! | module | what it does |
//! | --- | --- |
//! | `tokens` | a source file without what decides nothing |
//! | `manifest` | packages as Cargo reads their manifests, and what counts of these |
//! | `files` | the files of a crate, and their hash |
//! | `lock` | `Cargo.lock`, and the packages that a crate reaches in it |
//! | `graph` | path dependencies, and the packages that they lead to |
//! | `identity` | all of it put together, and compared with the disk |
//! | `embed` | the build script's part |

mod embed;
mod error;
mod files;
mod graph;
mod identity;
mod lock;
mod manifest;
mod tokens;

pub use embed::embed;
pub use error::CodeError;
pub use identity::{Identity, Sources};
