//! Which code decides the results of a kind.

use std::collections::BTreeMap;

use kibitz_experiment::Code;

/// Hashes of the code behind a kind, by crate, with one entry for all locked dependencies.
pub(crate) type CodeHashes = BTreeMap<String, String>;

/// Why the code of a kind cannot be told.
#[derive(Debug, thiserror::Error)]
#[error("no identity")]
pub(crate) struct CodeError;

pub(crate) fn hashes(code: Code) -> Result<CodeHashes, CodeError> {
    Ok(match code {
        Code::Constant => CodeHashes::new(),
        Code::Embedded(text) => [(
            "code".to_owned(),
            blake3::hash(text.as_bytes()).to_hex()[..32].to_owned(),
        )]
        .into(),
    })
}
