//! The inputs key: the content hash of everything that a cell's result depends on.
//!
//! It is the same on every machine and is committed beside the results, so that a fresh clone
//! can tell stale from fresh without a cache. Title, notes, tags, columns, tolerances and
//! published values are left out on purpose: a change of judgement must not cost a run.

use kibitz_experiment::Resample;
use serde_json::Value as Json;

use crate::code::CodeHashes;

/// Version of the key; a new one makes every committed result stale.
pub(crate) const KEY_FORMAT: u32 = 2;

/// The inputs of one run of a cell.
#[derive(Clone, Debug)]
pub(crate) struct KeyParts<'a> {
    pub kind: &'a str,
    /// Parameters as [`canonical`] JSON.
    pub params: &'a str,
    pub cell: &'a str,
    pub replicate: u32,
    /// The derived seed of the cell; none if it draws no random numbers.
    pub seed: Option<[u8; 32]>,
    /// Data files by the names that the cell uses, with the hashes in the manifest.
    pub data: &'a [(&'a str, blake3::Hash)],
    /// The cells it reads, with their inputs keys.
    pub after: Vec<(&'a str, &'a str)>,
    /// The datasets and tables it reads, with their inputs keys.
    pub from: &'a [(&'a str, String)],
    pub resample: Option<&'a Resample>,
    /// The columns whose replicates are summarized by their median.
    pub(crate) medians: &'a [&'a str],
    pub code: &'a CodeHashes,
}

impl KeyParts<'_> {
    pub(crate) fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("kibitz inputs key");
        let mut part = |name: &str, bytes: &[u8]| {
            // With lengths in front, different lists of parts never spell the same bytes.
            for text in [name.as_bytes(), bytes] {
                hasher.update(&(text.len() as u64).to_le_bytes());
                hasher.update(text);
            }
        };
        part("format", &KEY_FORMAT.to_le_bytes());
        part("kind", self.kind.as_bytes());
        part("params", self.params.as_bytes());
        part("cell", self.cell.as_bytes());
        part("replicate", &self.replicate.to_le_bytes());
        if let Some(seed) = &self.seed {
            part("seed", seed);
        }
        for (name, hash) in self.data {
            part("data", name.as_bytes());
            part("blake3", hash.as_bytes());
        }
        for (cell, key) in &self.after {
            part("after", cell.as_bytes());
            part("key", key.as_bytes());
        }
        for (name, key) in self.from {
            part("from", name.as_bytes());
            part("key", key.as_bytes());
        }
        if let Some(Resample { by, method, draws }) = self.resample {
            part("by", by.as_bytes());
            part("method", format!("{method:?} {draws}").as_bytes());
        }
        for column in self.medians {
            part("median", column.as_bytes());
        }
        for (name, hash) in self.code {
            part("code", name.as_bytes());
            part("hash", hash.as_bytes());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

/// The hash of several keys, in order: of the replicates of a cell, of the cells of a table.
pub fn combined<'a>(keys: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("kibitz combined key");
    for key in keys {
        hasher.update(key.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Canonical JSON: keys sorted, no blanks.
pub fn canonical(value: &Json) -> String {
    match value {
        Json::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let fields: Vec<String> = keys
                .into_iter()
                .map(|key| format!("{}:{}", Json::from(key.as_str()), canonical(&map[key])))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::Resampling;

    use super::*;

    #[test]
    fn every_part_counts() {
        let code = CodeHashes::from([("lab-a".to_owned(), "00".to_owned())]);
        let other_code = CodeHashes::from([("lab-a".to_owned(), "01".to_owned())]);
        let (params, other_params) = (r#"{"a":1}"#, r#"{"a":2}"#);
        let resample = Resample {
            by: "game".to_owned(),
            method: Resampling::Jackknife,
            draws: 100,
        };
        let parts = KeyParts {
            kind: "kind",
            params,
            cell: "row",
            replicate: 0,
            seed: Some([0; 32]),
            data: &[("games", blake3::hash(b"x"))],
            after: vec![],
            from: &[],
            resample: None,
            medians: &[],
            code: &code,
        };
        let keys = [
            parts.key(),
            KeyParts {
                kind: "other",
                ..parts.clone()
            }
            .key(),
            KeyParts {
                after: vec![("other", "00")],
                ..parts.clone()
            }
            .key(),
            KeyParts {
                from: &[("other", "00".to_owned())],
                ..parts.clone()
            }
            .key(),
            KeyParts {
                resample: Some(&resample),
                ..parts.clone()
            }
            .key(),
            KeyParts {
                medians: &["a"],
                ..parts.clone()
            }
            .key(),
            KeyParts {
                params: other_params,
                ..parts.clone()
            }
            .key(),
            KeyParts {
                cell: "row2",
                ..parts.clone()
            }
            .key(),
            KeyParts {
                replicate: 1,
                ..parts.clone()
            }
            .key(),
            KeyParts {
                seed: None,
                ..parts.clone()
            }
            .key(),
            KeyParts {
                seed: Some([1; 32]),
                ..parts.clone()
            }
            .key(),
            KeyParts {
                data: &[],
                ..parts.clone()
            }
            .key(),
            KeyParts {
                data: &[("games", blake3::hash(b"y"))],
                ..parts.clone()
            }
            .key(),
            KeyParts {
                code: &other_code,
                ..parts.clone()
            }
            .key(),
        ];
        for (idx, key) in keys.iter().enumerate() {
            assert!(!keys[..idx].contains(key), "key {idx} is not new");
        }
        assert_eq!(parts.key(), parts.key());
    }

    #[test]
    fn canonical_json_sorts_keys() {
        let value = serde_json::json!({"b": [1, {"d": null, "c": "x"}], "a": 0.1});
        assert_eq!(canonical(&value), r#"{"a":0.1,"b":[1,{"c":"x","d":null}]}"#);
    }
}
