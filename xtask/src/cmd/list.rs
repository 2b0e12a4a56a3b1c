//! `list`.

use kibitz_lab::{Answer, Format, Lab};

use crate::cli::{List, ListFormat};

pub(super) fn run(lab: &Lab, arguments: &List) -> Answer {
    let format = match arguments.format {
        ListFormat::Text => Format::Text,
        ListFormat::Csv => Format::Csv,
        ListFormat::Json => Format::Json,
    };
    lab.list(&(&arguments.selectors).into(), arguments.stale, format)
}
