//! `data`: the embedded data files, made anew.

use std::path::Path;

use kibitz_lab::{Answer, Exit};

use crate::{cli::Data, data};

pub(crate) fn run(root: &Path, arguments: &Data) -> anyhow::Result<Answer> {
    let Data::Rebuild {
        names,
        archive,
        check,
    } = arguments;
    let work = if *check { data::verify } else { data::rebuild };
    let report = work(archive, root, names)?;
    Ok(Answer {
        out: report.to_string(),
        err: String::new(),
        exit: Exit::Fresh,
    })
}
