//! Files that are damaged, changed or in folders.

use std::{fs, sync::Arc};

use kibitz_experiment::{FieldType, Records, Values};
use kibitz_tables::{Layout, Table, TableError};
use polars::prelude::*;

use crate::folder::{Folder, columns, field, file, mistake, read};

#[test]
fn a_file_that_is_cut_short_is_no_table() {
    let folder = Folder::new();
    let numbers: Vec<i64> = (0..10_000).collect();
    let mut frame = df!("n" => numbers).unwrap();
    let whole = fs::read(folder.parquet("whole.parquet", &mut frame, 1000)).unwrap();
    for n_bytes in [5, 1000, whole.len() - 9, whole.len() - 1] {
        let path = folder.write("cut.parquet", &whole[..n_bytes]);
        let told = mistake(&file(&path), &[field("n", FieldType::Int)]);
        assert!(told.starts_with("cut.parquet: cannot be read"), "{told}");
    }
    // The footer is there, and a part of the records is not what it was.
    let mut other = whole.clone();
    other[300..400].fill(0xff);
    let path = folder.write("other.parquet", &other);
    let records = read(
        &file(&path),
        &[field("n", FieldType::Int)],
        Layout::default(),
    );
    let whole = read(
        &file(&folder.0.path().join("whole.parquet")),
        &[field("n", FieldType::Int)],
        Layout::default(),
    );
    assert_ne!(records, whole, "the hash of the file is what tells");
}

#[test]
fn a_folder_is_one_table_with_the_columns_of_its_names() {
    let folder = Folder::new();
    let mut frame = df!("n" => [1_i64, 2, 3]).unwrap();
    folder.parquet("year=2016/month=12/a.parquet", &mut frame, 2);
    folder.write("year=2017/month=01/b.csv", b"n\n4\n5\n");
    let data = folder.data(&["year=2016/month=12/a.parquet", "year=2017/month=01/b.csv"]);
    let fields = [
        ("year", FieldType::Int),
        ("n", FieldType::Int),
        ("month", FieldType::Text),
    ];
    let fields = fields.map(|(name, of)| field(name, of));
    let months = [12, 12, 12, 1, 1].map(|month| Some(Arc::from(format!("{month:02}"))));
    let all = [
        Values::Int([2016, 2016, 2016, 2017, 2017].map(Some).to_vec()),
        Values::Int([1, 2, 3, 4, 5].map(Some).to_vec()),
        Values::Text(months.to_vec()),
    ];
    assert_eq!(
        columns(&read(&data, &fields, Layout::default()).unwrap()),
        all
    );
    let table = Table::open(&data, Layout::default()).unwrap();
    let found = table.columns().unwrap();
    let names: Vec<&str> = found.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["n", "year", "month"]);
    // Any cut gives the same records.
    for cut in 0..=5 {
        let mut parts = Records::new(fields.to_vec());
        for range in [0..cut, cut..5] {
            table
                .read(&fields, Some(&range), |records| {
                    parts.append(records).map_err(TableError::Data)
                })
                .unwrap();
        }
        assert_eq!(columns(&parts), all, "cut at {cut}");
    }
    folder.write("year=late/c.csv", b"n\n4\n");
    let data = folder.data(&["year=late/c.csv"]);
    insta::assert_snapshot!(
        mistake(&data, &fields[..1]),
        @"mine/year=late/c.csv:2: column `year` is declared `int`, found `late`"
    );
}

#[test]
fn a_file_that_changes_is_noticed() {
    let folder = Folder::new();
    folder.write("a.csv", b"n\n1\n");
    let data = folder.data(&["a.csv"]);
    let fields = [field("n", FieldType::Int)];
    read(&data, &fields, Layout::default()).unwrap();
    data.check_unchanged().unwrap();
    folder.write("a.csv", b"n\n1\n2\n");
    let told = mistake(&data, &fields);
    assert!(told.contains("has changed while the run went on"), "{told}");
    assert!(data.check_unchanged().is_err());
}
