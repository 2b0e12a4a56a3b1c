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
    Ok(Answer {
        out: work(archive, root, names)?,
        err: String::new(),
        exit: Exit::Fresh,
    })
}
