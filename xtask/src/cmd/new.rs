//! `new`.

use kibitz_lab::{Answer, Lab, NewOptions};

use crate::cli::New;

pub(super) fn run(lab: &Lab, arguments: &New) -> Answer {
    lab.new_experiment(&NewOptions {
        id: arguments.id.clone(),
        kind: arguments.kind.clone(),
        from: arguments.from.clone(),
    })
}
