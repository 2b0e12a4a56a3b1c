//! Files of data in a temporary folder, and their records.

use std::{
    fs,
    path::{Path, PathBuf},
};

use kibitz_experiment::{DataFile, Field, FieldType, Records, Values, VerifiedFile};
use kibitz_tables::{Layout, Table, TableError};
use polars::prelude::*;

/// A temporary folder.
pub(crate) struct Folder(pub(crate) tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn parquet(&self, name: &str, frame: &mut DataFrame, rows: usize) -> PathBuf {
        let mut bytes = Vec::new();
        let writer = ParquetWriter::new(&mut bytes).with_row_group_size(Some(rows));
        writer.finish(frame).unwrap();
        self.write(name, &bytes)
    }

    /// These files as a folder of data.
    pub(crate) fn data(&self, names: &[&str]) -> DataFile {
        let files = names
            .iter()
            .map(|name| VerifiedFile::stamp(*name, self.0.path().join(name)).unwrap());
        DataFile::on_disk("mine", self.0.path().to_owned(), files.collect())
    }
}

pub(crate) fn file(path: &Path) -> DataFile {
    DataFile::new("mine", path.to_owned(), None)
}

pub(crate) fn field(name: &'static str, of: FieldType) -> Field {
    Field::new(name, of, "", "")
}

/// The records of a table.
pub(crate) fn read(
    data: &DataFile,
    fields: &[Field],
    layout: Layout,
) -> Result<Records, TableError> {
    let mut all = Records::new(fields.to_vec());
    Table::open(data, layout)?.read(fields, None, |records| {
        all.append(records).map_err(TableError::Data)
    })?;
    Ok(all)
}

/// Why a table cannot be read.
pub(crate) fn mistake(data: &DataFile, fields: &[Field]) -> String {
    read(data, fields, Layout::default())
        .unwrap_err()
        .to_string()
}

pub(crate) fn columns(records: &Records) -> Vec<Values> {
    records
        .columns()
        .map(|(_, values)| values.clone())
        .collect()
}
