//! Parts of datasets, which the cache keeps beside their cells.

use std::path::Path;

use kibitz_experiment::Records;
use kibitz_tables::TableError;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::cache::Cache;
use crate::files::{FileError, persist, write_atomically};
use crate::parquet::{ParquetWriter, to_parquet};

/// A part of a dataset, kept as Parquet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Number of its records.
    pub records: usize,
    /// Length of its file.
    pub bytes: u64,
    blake3: String,
}

impl Part {
    /// What is wrong with its file.
    pub(crate) fn damage(&self, path: &Path) -> Option<&'static str> {
        let Ok(length) = std::fs::metadata(path).map(|file| file.len()) else {
            return Some("its records are gone");
        };
        if length != self.bytes {
            return Some("its records are cut short");
        }
        let mut hasher = blake3::Hasher::new();
        let hashed = std::fs::File::open(path).and_then(|file| {
            hasher.update_reader(file)?;
            Ok(hasher.finalize())
        });
        let is_intact = hashed.is_ok_and(|hash| hash.to_hex().as_str() == self.blake3);
        (!is_intact).then_some("its records are not what was written")
    }
}

/// A part of a dataset that is being written, under a name that does not count.
pub(crate) struct OpenPart {
    file: NamedTempFile,
    part: ParquetWriter<std::fs::File>,
}

impl OpenPart {
    /// Adds records with the same columns.
    pub(crate) fn add(&mut self, records: Records) -> Result<(), PartError> {
        let added = self.part.write(records);
        added.map_err(|error| {
            let error = std::io::Error::other(error);
            FileError::new("write", self.file.path(), error).into()
        })
    }
}

/// Why a part of a dataset is not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PartError {
    /// Its records are no Parquet.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Its file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Cache {
    /// Caches a part of a dataset; the cell that yields it must record the result.
    pub(crate) fn put_part(&self, inputs_key: &str, records: Records) -> Result<Part, PartError> {
        let n_records = records.len();
        let parquet = to_parquet(records)?;
        write_atomically(&self.part(inputs_key), &parquet)?;
        Ok(Part {
            records: n_records,
            bytes: parquet.len() as u64,
            blake3: blake3::hash(&parquet).to_hex().to_string(),
        })
    }

    /// Begins a part of a dataset whose records come one after the other.
    pub(crate) fn begin_part(&self, records: Records) -> Result<OpenPart, PartError> {
        let folder = self.folder().join("unfinished");
        let created = std::fs::create_dir_all(&folder);
        created.map_err(|error| FileError::new("create", &folder, error))?;
        let unwritable = |error| FileError::new("write", &folder, error);
        let file = NamedTempFile::new_in(&folder).map_err(unwritable)?;
        let written = file.reopen().map_err(unwritable)?;
        let columns = records.columns().map(|(field, _)| field);
        let part = ParquetWriter::new(written, columns)?;
        let mut open = OpenPart { file, part };
        open.add(records)?;
        Ok(open)
    }

    /// Caches a part whose records are complete; the cell that yields it must record the result.
    pub(crate) fn end_part(&self, inputs_key: &str, open: OpenPart) -> Result<Part, PartError> {
        let OpenPart { file, part } = open;
        let path = self.part(inputs_key);
        let unwritable = |error| FileError::new("write", &path, error);
        let records = part.finish();
        let records = records.map_err(|error| unwritable(std::io::Error::other(error)))?;
        let mut hasher = blake3::Hasher::new();
        let hashed = file.reopen().and_then(|file| {
            hasher.update_reader(file)?;
            Ok(hasher.count())
        });
        let bytes = hashed.map_err(unwritable)?;
        persist(file, &path)?;
        Ok(Part {
            records,
            bytes,
            blake3: hasher.finalize().to_hex().to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Datum, Field, FieldType};

    use super::*;
    use crate::cache::tests::{cell, open};
    use crate::cache::{CacheLookup, CachedCell, Toolchain};

    #[test]
    fn a_damaged_part_is_told_from_an_absent_one() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(&folder, Toolchain::current());
        let mut records = Records::new(vec![Field::new("ply", FieldType::Int, "plies", "")]);
        records.push([Datum::Int(1)]).unwrap();
        let part = Some(cache.put_part("key", records).unwrap());
        let cell = CachedCell { part, ..cell() };
        cache.put("key", &cell).unwrap();
        assert_eq!(cache.get("key"), Some(cell));
        let path = cache.part("key");
        let bytes = std::fs::read(&path).unwrap();
        let damage = |written: &[u8]| {
            std::fs::write(&path, written).unwrap();
            cache.find("key")
        };
        let cut_short = damage(&bytes[..bytes.len() - 9]);
        assert_eq!(cut_short, CacheLookup::Damaged("its records are cut short"));
        let mut other = bytes.clone();
        other[7] ^= 1;
        let altered = damage(&other);
        assert_eq!(
            altered,
            CacheLookup::Damaged("its records are not what was written")
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            cache.find("key"),
            CacheLookup::Damaged("its records are gone")
        );
        assert_eq!(cache.find("other"), CacheLookup::Absent);
    }
}
