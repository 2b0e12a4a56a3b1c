//! Hashes of the code that a result depends on. A cached result is used only while the code that
//! computed it is unchanged.
//!
//! A build script calls [`embed`], which hashes the crate that is being built and its path
//! dependencies and writes their [`Identity`] where the crate can include it. The hashes go into
//! the cache keys. At run time [`Identity::changed_below`] lists the sources on disk that changed
//! since the program was built.
//!
//! # What counts
//! - Every `.rs` file as its tokens. Whitespace, comments, doc comments and items under
//!   `#[cfg(test)]` do not count, nor do the files that hold tests, benchmarks and examples.
//! - Every other file of the crate by its bytes, since it may be included; Markdown, snapshots and
//!   hidden files excepted.
//! - Of `Cargo.toml` the edition, features, targets, and normal and build dependencies.
//! - Of everything from registries and repositories the locked version, if normal and build
//!   dependencies lead to it.
//! - This crate itself, as a build dependency, does not count: it only computes cache keys.
//!
//! Not covered, although a program could read them: positions (`line!()`), the package's own
//! version, files outside the crate's folder, documentation read by derives. The caller adds the
//! compiler, the platform and the profile.
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
//! | `tokens` | the tokens of a source file that can change a result |
//! | `manifest` | packages as Cargo reads their manifests, and the hashed parts of these |
//! | `files` | the files of a crate, and their hash |
//! | `lock` | `Cargo.lock`, and the packages that a crate reaches in it |
//! | `graph` | path dependencies, and the packages that they lead to |
//! | `identity` | the combined hashes, and their comparison with the disk |
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
