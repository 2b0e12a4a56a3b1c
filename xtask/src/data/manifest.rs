//! The manifest of the data files, `data/manifest.toml`: one table for each.

use std::{collections::BTreeMap, fs, io, path::Path};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

const FILE: &str = "manifest.toml";

const HEADER: &str = "\
# The data files: where each comes from and what its bytes are. Written by `cargo xtask data rebuild`,
# which keeps the entries it does not make. Paths are below this folder; an `external` file is not
# part of the project and is looked for in the folder given by `--data`.

";

/// What the manifest says of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Entry {
    /// Path of the file below the folder of the manifest; of an external one, its name.
    pub(crate) path: String,
    /// Whether the file is looked for in the folder given by `--data`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) external: bool,
    /// BLAKE3 hash, in hexadecimal digits.
    pub(crate) blake3: String,
    /// What is hashed and measured, if not the bytes of the file: `decompressed`, its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blake3_of: Option<String>,
    /// Length in bytes.
    pub(crate) bytes: u64,
    /// Where the data come from, and how anyone can get them.
    pub(crate) origin: String,
    /// On what terms they may be used.
    pub(crate) license: String,
    /// The command that makes or fetches the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rebuild: Option<String>,
}

/// The whole manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Manifest {
    /// The entries by name.
    pub(crate) entries: BTreeMap<String, Entry>,
}

impl Manifest {
    /// Reads the manifest in `folder`; a missing one has no entries.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a manifest.
    pub(crate) fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).with_context(|| format!("in {}", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Manifest::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Writes the manifest to `folder`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE);
        let text = format!("{HEADER}{}", toml::to_string(self)?);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
