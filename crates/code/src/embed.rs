//! The build script's part.

use std::path::{Path, PathBuf};

use crate::error::CodeError;
use crate::identity::Identity;

/// Writes the identity of the package that is being built to `$OUT_DIR/kibitz-code.json`, and
/// instructs Cargo to repeat this when a source, a manifest or the lock file changes.
///
/// The crate then holds it as
/// `include_str!(concat!(env!("OUT_DIR"), "/kibitz-code.json"))`.
///
/// # Panics
/// If the identity cannot be determined, with the reason: a crate without it must not be built.
///
/// # Examples
/// The whole of a `build.rs`:
/// ```no_run
/// kibitz_code::embed(); // in `fn main`
/// ```
#[expect(
    clippy::print_stdout,
    reason = "build scripts speak to Cargo by printing"
)]
pub fn embed() {
    let variable = |name: &str| {
        let value = std::env::var_os(name);
        PathBuf::from(value.unwrap_or_else(|| panic!("{name} is not set: this is no build script")))
    };
    match write(&variable("CARGO_MANIFEST_DIR"), &variable("OUT_DIR")) {
        Ok(watched) => {
            for path in watched {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
        Err(error) => panic!("kibitz-code: {}", with_causes(&error)),
    }
}

/// Writes the identity below `out` and returns what to watch.
fn write(manifest_dir: &Path, out: &Path) -> Result<Vec<PathBuf>, CodeError> {
    let (identity, watched) = Identity::with_watched(manifest_dir)?;
    let json = serde_json::to_string(&identity).expect("texts and lists of them can be written");
    let path = out.join("kibitz-code.json");
    std::fs::write(&path, json).map_err(|error| CodeError::file("write", &path, error))?;
    Ok(watched)
}

/// A message with those of its causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_is_the_identity() {
        let out = tempfile::tempdir().unwrap();
        let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let watched = write(manifest_dir, out.path()).unwrap();
        let json = std::fs::read_to_string(out.path().join("kibitz-code.json")).unwrap();
        assert_eq!(
            Identity::parse(&json).unwrap(),
            Identity::of_manifest(manifest_dir).unwrap()
        );
        assert!(
            !json.contains(&*manifest_dir.to_string_lossy()),
            "no absolute path"
        );
        for name in [
            "crates/code/Cargo.toml",
            "crates/code/src",
            "Cargo.toml",
            "Cargo.lock",
        ] {
            assert!(watched.iter().any(|path| path.ends_with(name)), "{name}");
        }
    }

    #[test]
    fn a_failure_says_why() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "[package\n").unwrap();
        let error = write(folder.path(), folder.path()).unwrap_err();
        let message = with_causes(&error);
        assert!(
            message.starts_with("cargo metadata fails for "),
            "{message}"
        );
        assert!(message.contains("Cargo.toml:1"), "{message}");
    }
}
