//! Tables and games in files, read as declared or refused.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

mod csv;
mod declarations;
mod files;
mod folder;
mod games;
