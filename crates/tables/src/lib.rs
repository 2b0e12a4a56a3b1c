//! A user's tables as records: CSV, Parquet, and folders of them; and records as such files.
//!
//! A [`Table`] reads the declared columns of a file, or of the files of a folder in the order of
//! their names, as [`Records`]. In a folder `key=value` in the name of a subfolder is a column, as
//! engines in the succession of Hive have it. Nothing is guessed: what does not have the declared
//! type is a [`TableError`] with its place. Memory depends on the size of a row group.
//!
//! | module | what it reads |
//! | --- | --- |
//! | `csv` | CSV and TSV, line by line |
//! | `parquet` (feature) | Parquet, row group by row group |
//! | `hive` | the columns in the names of folders |
//! | `games` (feature `parquet`) | rows that are chess games, as PGN text |
//!
//! Records are written by a `ParquetWriter` (feature `parquet`), and as CSV by [`csv_records`] and [`csv_line`].

mod csv;
mod error;
#[cfg(feature = "parquet")]
pub mod games;
mod hive;
#[cfg(feature = "parquet")]
mod parquet;
mod write_csv;
#[cfg(feature = "parquet")]
mod write_parquet;

#[cfg(feature = "parquet")]
use std::path::PathBuf;
use std::{collections::BTreeSet, fmt, io::Read as _, ops::Range};

pub use error::TableError;
#[cfg(feature = "parquet")]
use kibitz_experiment::VerifiedFile;
use kibitz_experiment::{DataFile, DataPart, Field, FieldType, Records, Values};
use kibitz_text::FileFormat;
pub use write_csv::{csv_line, csv_records, text_of};
#[cfg(feature = "parquet")]
pub use write_parquet::{ParquetWriter, to_parquet};

#[cfg(feature = "parquet")]
use crate::parquet::ParquetFile;
use crate::{csv::CsvFile, hive::Partition};

/// Records of a row group at most.
pub const ROW_GROUP: usize = 1 << 18;

/// How the texts of a table are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// What separates the fields of a line. When left out, it is what a first line `sep=;` of the file
    /// says, otherwise a comma, and in `.tsv` files a tab. Where it is a semicolon, numbers may have decimal commas, as spreadsheets write them.
    pub separator: Option<u8>,
    /// Texts that stand for no value, besides the empty one; `NaN` among them also in Parquet.
    pub absent: Vec<String>,
}

impl Layout {
    fn is_absent(&self, text: &str) -> bool {
        text.is_empty() || self.absent.iter().any(|absent| absent == text)
    }

    fn has_decimal_commas(&self) -> bool {
        self.separator == Some(b';')
    }
}

/// A column as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub found: ColumnType,
    /// Whether it has numbers with decimal commas, as far as they have been looked at.
    pub has_decimal_commas: bool,
}

/// The type of a column in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Texts, which read as values of this type as far as they have been looked at.
    Texts(FieldType),
    /// Typed values, by the name of the type in the file, with the type that they can be declared
    /// as; `None` for nested and other types that no column has.
    Typed(String, Option<FieldType>),
}

impl ColumnType {
    /// The type that the column can be declared as, if there is one.
    pub fn of(&self) -> Option<FieldType> {
        match self {
            Self::Texts(of) => Some(*of),
            Self::Typed(_, of) => *of,
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Texts(of) => f.write_str(word(*of)),
            Self::Typed(name, _) => f.write_str(name),
        }
    }
}

/// The word for a type in declarations.
pub fn word(of: FieldType) -> &'static str {
    match of {
        FieldType::Int => "int",
        FieldType::Float => "float",
        FieldType::Bool => "bool",
        FieldType::Text => "text",
    }
}

/// A table in one or several files.
#[derive(Debug)]
pub struct Table {
    layout: Layout,
    parts: Vec<TablePart>,
}

/// A file of a table.
#[derive(Debug)]
struct TablePart {
    /// What messages call it.
    name: String,
    data: DataPart,
    format: Format,
    partitions: Vec<Partition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv {
        /// What is declared to separate fields.
        separator: Option<u8>,
    },
    #[cfg(feature = "parquet")]
    Parquet,
    /// Parquet of our own, where numbers may be infinite.
    #[cfg(feature = "parquet")]
    Dataset,
}

impl Table {
    /// The table in a data file, or in the files of a folder.
    ///
    /// # Errors
    /// [`TableError`] if a file cannot be read, or is compressed as a whole.
    pub fn open(file: &DataFile, layout: Layout) -> Result<Self, TableError> {
        let parts = file.parts();
        let is_folder = parts.len() > 1 || parts.iter().any(|part| part.name.contains('/'));
        let open = |data: DataPart| {
            let name = if is_folder {
                format!("{}/{}", file.entry(), data.name)
            } else {
                data.name.clone()
            };
            Ok(TablePart {
                format: format_of(&name, &data, &layout)?,
                partitions: hive::partitions(&data.name),
                name,
                data,
            })
        };
        let parts = parts.into_iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { layout, parts })
    }

    /// The records of a dataset in files that a [`ParquetWriter`] wrote, in this order. Numbers may be
    /// infinite there.
    ///
    /// # Errors
    /// [`TableError`] if there is no such file.
    #[cfg(feature = "parquet")]
    pub fn dataset(paths: &[PathBuf]) -> Result<Self, TableError> {
        let part = |path: &PathBuf| {
            let name = path.display().to_string();
            let verified = VerifiedFile::stamp(&*name, path.clone());
            let verified = verified.map_err(|error| TableError::io(&name, &error))?;
            let data = DataFile::on_disk(&*name, path.clone(), vec![verified]).parts();
            Ok(data.into_iter().map(move |data| TablePart {
                name: name.clone(),
                data,
                format: Format::Dataset,
                partitions: Vec::new(),
            }))
        };
        let parts = paths.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            layout: Layout::default(),
            parts: parts.into_iter().flatten().collect(),
        })
    }

    /// The columns of its first file, and those in the names of folders.
    ///
    /// # Errors
    /// [`TableError`] if the file cannot be read.
    pub fn columns(&self) -> Result<Vec<FoundColumn>, TableError> {
        let Some(first) = self.parts.first() else {
            return Ok(Vec::new());
        };
        let mut columns = match first.format {
            #[cfg(feature = "parquet")]
            Format::Parquet | Format::Dataset => {
                ParquetFile::open(&first.name, &first.data)?.columns()
            }
            Format::Csv { separator } => {
                CsvFile::open(&first.name, &first.data, separator)?.columns(&self.layout)?
            }
        };
        for partition in &first.partitions {
            let own = columns.iter().any(|column| column.name == partition.key);
            if !own {
                let same = |part: &TablePart| {
                    let mut all = part.partitions.iter();
                    all.find(|it| it.key == partition.key)
                        .and_then(|it| it.value.clone())
                };
                let values = self.parts.iter().filter_map(same);
                columns.push(FoundColumn {
                    name: partition.key.clone(),
                    found: ColumnType::Texts(csv::type_of(values, &self.layout)),
                    has_decimal_commas: false,
                });
            }
        }
        Ok(columns)
    }

    /// Numbers of records of its files. CSV is read as a whole for it.
    ///
    /// # Errors
    /// [`TableError`] if a file cannot be read.
    pub fn n_records(&self) -> Result<Vec<u64>, TableError> {
        let count = |part: &TablePart| match part.format {
            #[cfg(feature = "parquet")]
            Format::Parquet | Format::Dataset => {
                Ok(ParquetFile::open(&part.name, &part.data)?.n_records())
            }
            Format::Csv { separator } => {
                CsvFile::open(&part.name, &part.data, separator)?.n_records()
            }
        };
        self.parts.iter().map(count).collect()
    }

    /// The names of the columns of all its files that are not among `fields`.
    ///
    /// # Errors
    /// [`TableError`] if a file cannot be read.
    pub fn undeclared(&self, fields: &[Field]) -> Result<Vec<String>, TableError> {
        let mut names = BTreeSet::new();
        for part in &self.parts {
            let own = match part.format {
                #[cfg(feature = "parquet")]
                Format::Parquet | Format::Dataset => {
                    ParquetFile::open(&part.name, &part.data)?.names()
                }
                Format::Csv { separator } => {
                    CsvFile::open(&part.name, &part.data, separator)?.names()
                }
            };
            let keys = part
                .partitions
                .iter()
                .map(|partition| partition.key.clone());
            names.extend(own.into_iter().chain(keys));
        }
        names.retain(|name| !fields.iter().any(|field| field.name == *name));
        Ok(names.into_iter().collect())
    }

    /// Gives the records of these columns to `each`, in groups and in their order; with `range`
    /// those with these numbers, from 0.
    ///
    /// # Errors
    /// [`TableError`] at the first file, column or value that is not as declared, and the errors of
    /// `each`.
    pub fn read<E: From<TableError>>(
        &self,
        fields: &[Field],
        range: Option<&Range<u64>>,
        mut each: impl FnMut(Records) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut before = 0;
        for part in &self.parts {
            let own = |n_before: u64, range: &Range<u64>| {
                range.start.saturating_sub(n_before)..range.end.saturating_sub(n_before)
            };
            let within = range.map(|range| own(before, range));
            if within.as_ref().is_some_and(|within| within.end == 0) {
                break;
            }
            before += match part.format {
                #[cfg(feature = "parquet")]
                Format::Parquet | Format::Dataset => ParquetFile::open(&part.name, &part.data)?
                    .with_infinite(part.format == Format::Dataset)
                    .read(
                        fields,
                        &part.partitions,
                        &self.layout,
                        within.as_ref(),
                        &mut each,
                    )?,
                Format::Csv { separator } => CsvFile::open(&part.name, &part.data, separator)?
                    .read(
                        fields,
                        &part.partitions,
                        &self.layout,
                        within.as_ref(),
                        &mut each,
                    )?,
            };
        }
        Ok(())
    }

    /// Gives all records of these columns to `each` in groups of [`ROW_GROUP`], the last one shorter:
    /// how they lie in files cannot be told from them. An empty table gives none.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn read_in_groups<E: From<TableError>>(
        &self,
        fields: &[Field],
        mut each: impl FnMut(Records) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut held = Records::new(fields.to_vec());
        self.read(fields, None, |records| {
            held.append(records).map_err(TableError::Data)?;
            while held.len() > ROW_GROUP {
                let rest = split_off(&mut held, ROW_GROUP)?;
                each(std::mem::replace(&mut held, rest))?;
            }
            Ok::<_, E>(())
        })?;
        if held.is_empty() { Ok(()) } else { each(held) }
    }
}

/// Gives away the records from `at` on.
fn split_off(records: &mut Records, at: usize) -> Result<Records, TableError> {
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for (field, mut values) in std::mem::take(records).into_columns() {
        let later = match &mut values {
            Values::Int(values) => Values::Int(values.split_off(at)),
            Values::Float(values) => Values::Float(values.split_off(at)),
            Values::Bool(values) => Values::Bool(values.split_off(at)),
            Values::Text(values) => Values::Text(values.split_off(at)),
        };
        first.push((field.clone(), values));
        rest.push((field, later));
    }
    *records = Records::of_columns(first).map_err(TableError::Data)?;
    Records::of_columns(rest).map_err(TableError::Data)
}

/// The format of a file, by its first bytes.
fn format_of(name: &str, data: &DataPart, layout: &Layout) -> Result<Format, TableError> {
    let mut head = Vec::new();
    let reader = data
        .open()
        .map_err(|error| TableError::Data(error.to_string()))?;
    let read = reader.take(FileFormat::HEAD).read_to_end(&mut head);
    read.map_err(|error| TableError::io(name, &error))?;
    if head.starts_with(b"PAR1") {
        #[cfg(feature = "parquet")]
        return Ok(Format::Parquet);
        #[cfg(not(feature = "parquet"))]
        return Err(TableError::WithoutParquet {
            file: name.to_owned(),
        });
    }
    let file = name.to_owned();
    match FileFormat::of(&head) {
        None => Ok(Format::Csv {
            separator: layout.separator,
        }),
        Some(FileFormat::Compressed(packed)) => Err(TableError::Compressed { file, packed }),
        Some(found) => Err(TableError::Format { file, found }),
    }
}

/// What separates the fields of a file of this name.
fn usual_separator(name: &str) -> u8 {
    let is_tsv = name.to_ascii_lowercase().ends_with(".tsv");
    if is_tsv { b'\t' } else { b',' }
}

/// What separates the names in the first line of a file, if it is not what usually does: a
/// semicolon in the files of many spreadsheets. `None` also for Parquet.
///
/// # Errors
/// [`TableError`] if the file cannot be read.
pub fn separator(file: &DataFile) -> Result<Option<u8>, TableError> {
    let parts = file.parts();
    let Some(first) = parts.first() else {
        return Ok(None);
    };
    match format_of(&first.name, first, &Layout::default())? {
        #[cfg(feature = "parquet")]
        Format::Parquet | Format::Dataset => Ok(None),
        Format::Csv { .. } => csv::separator(first, usual_separator(&first.name)),
    }
}

/// Number of lines above the header of a CSV file with these bytes: 1 if its first line says what
/// separates fields, as in `sep=;`.
pub fn lines_above_header(bytes: &[u8]) -> usize {
    csv::lines_above(bytes)
}
