//! Mio learns which tiles are safe from a teacher in another process, as in the paper.
//!
//! `cargo run --release -p kibitz-pena2003 --example two_processes -- teach 127.0.0.1:4100`, and in
//! another terminal `… -- learn 127.0.0.1:4100`; `… -- here` does it in one process.

#![allow(clippy::print_stdout, reason = "an example shows something")]

mod lesson;
mod tcp;

use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use self::lesson::Lesson;
use self::tcp::{ServerParams, TimeLimits, Visit};

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let limits = TimeLimits {
        connect: Duration::from_secs(10),
        read: Duration::from_hours(1),
        write: Duration::from_secs(10),
        clock: Instant::now,
    };
    let lesson = Lesson::new(&"8x8/10".parse()?, 2003)?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rules = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["teach", address] => {
            let params = ServerParams {
                limits,
                max_at_once: 4,
                max_visits: Some(1),
            };
            let note = |visit: &Visit| {
                let problem = visit.problem.as_deref().unwrap_or("taught to the end");
                println!("{}: {} tests, {problem}", visit.peer, visit.n_tests);
            };
            let listener = TcpListener::bind(address)?;
            return Ok(lesson.teach(&listener, &params, &AtomicBool::new(false), &note)?);
        }
        ["learn", address] => lesson.learn_at(address, limits)?,
        ["here"] => lesson.learn_here()?,
        _ => return Err("teach HOST:PORT, learn HOST:PORT, or here".into()),
    };
    for rule in rules {
        println!("{rule}");
    }
    Ok(())
}
