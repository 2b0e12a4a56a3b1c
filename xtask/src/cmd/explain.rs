//! `explain`.

use kibitz_lab::{Answer, Lab};

use crate::cli::Explain;

pub(super) fn run(lab: &Lab, arguments: &Explain) -> Answer {
    lab.explain(&arguments.id, arguments.cell.as_deref())
}
