//! `reproduce`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::{CellArguments, Dataset, Reproduce};
use super::progress::Progress;
use crate::{Answer, CellOptions, DatasetOptions, Desk, Format, Mode, ReproduceOptions};
use kibitz_lab::{Exit, Selection};

pub(super) fn reproduce(desk: &Desk, arguments: &Reproduce) -> Result<Answer, Answer> {
    let options = options(arguments)?;
    let interrupted = stop_on_interrupt()?;
    let progress = Progress::new(options.format == Format::Text);
    let answer = desk.reproduce(&options, &progress, &interrupted);
    progress.finish();
    Ok(answer)
}

/// The options that the arguments mean, with the threads that they ask for.
pub(super) fn options(arguments: &Reproduce) -> Result<ReproduceOptions, Answer> {
    let jobs = thread_pool(arguments.jobs)?;
    Ok(ReproduceOptions {
        selection: selection(arguments),
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
        format: arguments.format.into(),
        why: arguments.why.clone(),
        unattended: std::env::var("CI").is_ok_and(|value| value == "true"),
        arguments: std::env::args().skip(1).collect(),
    })
}

/// What the arguments select: without any, and unless all results are checked or recorded, only the tables
/// of papers.
fn selection(arguments: &Reproduce) -> Selection {
    let mut selection = Selection::from(&arguments.selectors);
    let is_plain = !arguments.all && !arguments.check && !arguments.bless;
    selection.without_explorations = is_plain && selection.is_all();
    selection
}

pub(super) fn cell(desk: &Desk, arguments: &CellArguments) -> Result<Answer, Answer> {
    let options = CellOptions {
        keys: arguments.keys.clone(),
        jobs: thread_pool(Some(arguments.jobs))?,
    };
    let interrupted = stop_on_interrupt()?;
    let progress = Progress::new(false);
    let answer = desk.cell(&options, &progress, &interrupted);
    progress.finish();
    Ok(answer)
}

pub(super) fn dataset(desk: &Desk, arguments: &Dataset) -> Result<Answer, Answer> {
    let options = DatasetOptions {
        id: arguments.id.clone(),
        out: arguments.out.clone(),
        head: arguments.head,
        jobs: thread_pool(arguments.jobs)?,
    };
    let progress = Progress::new(true);
    let interrupted = stop_on_interrupt()?;
    let answer = desk.dataset(&options, &progress, &interrupted);
    progress.finish();
    Ok(answer)
}

/// Starts a pool of `jobs` threads, or of one per processor; gives their number.
pub(super) fn thread_pool(jobs: Option<u16>) -> Result<usize, Answer> {
    let jobs = jobs.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    // Cells may use this pool from within; cells themselves have threads of their own.
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build_global()?;
    Ok(jobs)
}

/// The first Ctrl-C asks the cells to stop, the second ends the process: what is finished is
/// kept either way.
pub(super) fn stop_on_interrupt() -> Result<Arc<AtomicBool>, ctrlc::Error> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
        super::say_error("stopping; once more to stop at once\n");
    })?;
    Ok(interrupted)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        reproduce: Reproduce,
    }

    #[test]
    fn only_a_plain_run_leaves_explorations_out() {
        let leaves_out = |line: &str| {
            let arguments = Arguments::try_parse_from(line.split(' ')).unwrap();
            selection(&arguments.reproduce).without_explorations
        };
        for line in [
            "reproduce",
            "reproduce --force",
            "reproduce --quick --jobs 2",
        ] {
            assert!(leaves_out(line), "{line}");
        }
        for options in [
            "--all",
            "--check",
            "--check --force --tag !slow",
            "--bless",
            "--tag slow",
            "--not x",
            "--filter x",
            "--kind dice",
            "beyond",
        ] {
            assert!(!leaves_out(&format!("reproduce {options}")), "{options}");
        }
        assert!(Arguments::try_parse_from(["reproduce", "--all", "beyond"]).is_err());
    }
}
