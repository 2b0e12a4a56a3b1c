//! The columns of a CSV or Parquet file, with the types found there.
#![allow(clippy::print_stdout, reason = "an example")]

use std::path::PathBuf;

use kibitz_experiment::DataFile;
use kibitz_tables::{Layout, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).map(PathBuf::from);
    let path = path.ok_or("which file?")?;
    let file = DataFile::new("table", path, None);
    for column in Table::open(&file, Layout::default())?.columns()? {
        println!("{}\t{}", column.name, column.found);
    }
    Ok(())
}
