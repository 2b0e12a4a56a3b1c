//! The `teach` command.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kibitz_ilp::Layout;
use kibitz_ilp::learn::mio::active::tcp::{NoScenes, ServerParams, TimeLimits, Visit, serve};
use kibitz_ilp::learn::mio::active::{Examiner, HeldOut};

use super::active::{ExamArguments, seconds};
use super::{database, limits, read};
use kibitz_text::{Exit, Failure, note, print};

#[derive(Debug, clap::Args)]
pub(super) struct TeachArguments {
    /// Folder or file of the task, as for `learn`.
    path: PathBuf,
    /// Where to listen; port 0 takes any that is free, and the first line of output says which.
    #[arg(long, value_name = "HOST:PORT")]
    listen: String,
    /// Layout of the files; found out from their names if not given.
    #[arg(long)]
    layout: Option<Layout>,
    /// Seed of the order in which examples are drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    exam: ExamArguments,
    /// End after this many connections.
    #[arg(long, value_name = "N")]
    max_visits: Option<usize>,
    /// Learners that are taught at once; others wait.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    max_at_once: u16,
    /// Seconds that a learner may take between two questions.
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    read_timeout: Duration,
    /// Seconds to wait until a learner has taken an answer.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    write_timeout: Duration,
    /// Most memory, in MiB, for the terms of a query.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory_limit: usize,
}

pub(super) fn run(arguments: &TeachArguments) -> Result<Exit, Failure> {
    let mut task = read(&arguments.path, arguments.layout, true, |_| Ok(()))?;
    let db = database(&mut task)?;
    let failed = |error: std::io::Error| {
        let address = &arguments.listen;
        Failure::failed(format!("{address} cannot be listened at: {error}"))
    };
    let listener = TcpListener::bind(&arguments.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handled = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    handled
        .map_err(|error| Failure::failed(format!("an interrupt would not be noticed: {error}")))?;
    // A learner needs this line to connect.
    print(&format!(
        "teaching {}/{} at {address}: {} positive and {} negative examples\n",
        task.symbols.name(task.target.name),
        task.target.arity,
        task.positive.len(),
        task.negative.len()
    ))?;
    let params = ServerParams {
        limits: TimeLimits {
            connect: arguments.read_timeout,
            read: arguments.read_timeout,
            write: arguments.write_timeout,
            clock: Instant::now,
        },
        max_at_once: arguments.max_at_once.into(),
        max_visits: arguments.max_visits,
    };
    let exam = arguments.exam.params(limits(arguments.memory_limit));
    let sampler = HeldOut::new(&task, arguments.seed);
    let teacher = || Examiner::new(&db, &task.bias, sampler.clone(), exam);
    let tell = |visit: &Visit| {
        let problem = visit.problem.as_deref().unwrap_or("taught to the end");
        note(&format!(
            "{}: {} tests, {problem}",
            visit.peer, visit.n_tests
        ));
    };
    serve(&listener, &task, &NoScenes, &teacher, &params, &stop, &tell).map_err(failed)?;
    Ok(Exit::Done)
}
