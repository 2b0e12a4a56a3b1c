//! `reproduce`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use kibitz_lab::{Answer, Exit, Format, Lab, Mode, ReproduceOptions};

use super::progress::Progress;
use crate::cli::{Reproduce, RunFormat};

pub(super) fn run(lab: &Lab, arguments: &Reproduce) -> anyhow::Result<Answer> {
    let jobs = thread_pool(arguments.jobs)?;
    let options = ReproduceOptions {
        selection: (&arguments.selectors).into(),
        mode: match (arguments.check, arguments.bless) {
            (true, _) => Mode::Check,
            (_, true) => Mode::Bless {
                allow_dirty: arguments.allow_dirty,
            },
            _ => Mode::Run,
        },
        quick: arguments.quick,
        jobs,
        force: arguments.force,
        fail_fast: arguments.fail_fast,
        dry_run: arguments.dry_run,
        format: match arguments.format {
            RunFormat::Text => Format::Text,
            RunFormat::Json => Format::Json,
        },
        unattended: std::env::var("CI").is_ok_and(|value| value == "true"),
        arguments: std::env::args().skip(1).collect(),
    };
    let interrupted = stop_on_interrupt()?;
    let progress = Progress::new(options.format == Format::Text);
    let answer = lab.reproduce(&options, &progress, &interrupted);
    progress.finish();
    Ok(answer)
}

/// The pool of so many threads, or of all processors; their number.
pub(super) fn thread_pool(jobs: Option<u16>) -> anyhow::Result<usize> {
    let jobs = jobs.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    // Cells may use this pool from within; cells themselves have threads of their own.
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build_global()
        .context("the thread pool cannot be made")?;
    Ok(jobs)
}

/// The first Ctrl-C asks the cells to stop, the second ends the process: what is finished is
/// kept either way.
pub(super) fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
        super::say_error("stopping; once more to stop at once\n");
    })
    .context("Ctrl-C cannot be caught")?;
    Ok(interrupted)
}
