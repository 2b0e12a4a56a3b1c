//! `dataset`.

use kibitz_lab::{Answer, DatasetOptions, Lab};

use super::progress::Progress;
use super::reproduce::{stop_on_interrupt, thread_pool};
use crate::cli::Dataset;

pub(super) fn run(lab: &Lab, arguments: &Dataset) -> anyhow::Result<Answer> {
    let options = DatasetOptions {
        id: arguments.id.clone(),
        out: arguments.out.clone(),
        head: arguments.head,
        jobs: thread_pool(arguments.jobs)?,
    };
    let progress = Progress::new(true);
    let interrupted = stop_on_interrupt()?;
    let answer = lab.dataset(&options, &progress, &interrupted);
    progress.finish();
    Ok(answer)
}
