//! `compare`: two CSV files.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kibitz_desk::{Answer, comparison_text};
use kibitz_lab::FileError;
use kibitz_lab::comparison::{CompareOptions, Comparison, compare};
use kibitz_lab::files::write_atomically;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// CSV with the published values
    #[arg(value_name = "PUBLISHED")]
    published: PathBuf,
    /// CSV with the reproduced values
    #[arg(value_name = "REPRODUCED")]
    reproduced: PathBuf,
    /// Column that names the rows, if not the first; may be given several times
    #[arg(long, value_name = "COLUMN")]
    by: Vec<String>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the answer to a file, as HTML if it ends in .html, as CSV if it ends in .csv
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns
    Text,
    /// The columns of compare.csv
    Csv,
    /// A page that needs no other file
    Html,
}

impl Arguments {
    pub(crate) fn run(&self) -> Answer {
        let options = CompareOptions {
            published: self.published.clone(),
            reproduced: self.reproduced.clone(),
            by: self.by.clone(),
        };
        let done = compare(&options).map_err(Answer::from);
        let done = done.and_then(|comparison| self.answer(&comparison));
        done.unwrap_or_else(|answer| answer)
    }

    fn answer(&self, comparison: &Comparison) -> Result<Answer, Answer> {
        let mut answer = Answer {
            out: written(comparison, self.format)?,
            err: String::new(),
            exit: comparison.exit(),
        };
        if let Some(out) = &self.out {
            let ending = out.extension().and_then(|ending| ending.to_str());
            let format = match ending {
                Some("html" | "htm") => Format::Html,
                Some("csv") => Format::Csv,
                _ => self.format,
            };
            write_atomically(out, written(comparison, format)?.as_bytes())?;
            answer.out = comparison.summary().join("\n") + "\n";
        }
        Ok(answer)
    }
}

fn written(comparison: &Comparison, format: Format) -> Result<String, Answer> {
    Ok(match format {
        Format::Text => comparison_text(comparison),
        Format::Html => kibitz_report::comparison(comparison),
        Format::Csv => String::from_utf8(comparison.csv()).map_err(|error| {
            let error = std::io::Error::other(error);
            FileError::new("write", Path::new("compare.csv"), error)
        })?,
    })
}
