//! The code behind the results of each kind, and whether it is still the code on disk.

use std::collections::BTreeMap;

use kibitz_code::{CodeError, Identity, Sources};
use kibitz_experiment::Kind;

/// Hashes of the code behind a kind, by crate, with one entry for all locked dependencies.
pub(crate) type CodeHashes = BTreeMap<String, String>;

/// The code behind the results of a kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct KindCode {
    /// At build time.
    pub(crate) hashes: CodeHashes,
    /// Crates, or `Cargo.lock`, that have changed on disk since the build: the program is older than
    /// its sources.
    pub(crate) outdated: Vec<String>,
}

/// The code behind each kind, by name; empty for a kind that is declared constant.
///
/// # Errors
/// If an embedded identity is damaged, or a source cannot be read.
pub(crate) fn of_kinds(
    kinds: &[Kind],
    sources: &mut Sources,
) -> Result<BTreeMap<&'static str, KindCode>, CodeError> {
    let mut known: BTreeMap<&str, KindCode> = BTreeMap::new();
    let mut by_kind = BTreeMap::new();
    for kind in kinds {
        let code = match kind.code() {
            kibitz_experiment::Code::Constant => KindCode::default(),
            kibitz_experiment::Code::Embedded(text) => {
                if !known.contains_key(text) {
                    let identity = Identity::parse(text)?;
                    let code = KindCode {
                        hashes: identity.hashes(),
                        outdated: identity.changed_below(sources)?,
                    };
                    known.insert(text, code);
                }
                known[text].clone()
            }
        };
        by_kind.insert(kind.name(), code);
    }
    Ok(by_kind)
}
