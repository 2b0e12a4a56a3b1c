//! The teacher's side.

use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use kibitz_ilp::Task;
use kibitz_ilp::learn::mio::active::{Teacher, TeacherError};

use super::Scenes;
use super::connection::{Connection, ConnectionError, TimeLimits};
use super::message::{Answer, Language, Question};

/// How often it is looked whether someone comes, or the end has come.
const PATIENCE: Duration = Duration::from_millis(10);

/// How [`serve`] treats learners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerParams {
    /// How long a learner may take. While it learns it says nothing: the limit on reading is the
    /// longest time that this may last.
    pub(crate) limits: TimeLimits,
    /// Learners that are taught at once; others wait until one has left.
    pub(crate) max_at_once: usize,
    /// Connections after which the server ends; without it, only `stop` ends it.
    pub(crate) max_visits: Option<usize>,
}

/// What became of a learner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Visit {
    /// Where it came from.
    pub(crate) peer: SocketAddr,
    /// How often rules were tested for it.
    pub(crate) n_tests: usize,
    /// Why it was not taught to the end.
    pub(crate) problem: Option<String>,
}

/// Teaches every learner that connects, in parallel, each with a teacher of its own.
///
/// `note` is called for each learner that leaves. Once `stop` is true no new connection is accepted,
/// pending answers are sent, and the server ends.
///
/// # Errors
/// If the listener fails; what goes wrong with one learner is in its [`Visit`].
pub(crate) fn serve<T: Teacher>(
    listener: &TcpListener,
    task: &Task,
    scenes: &dyn Scenes,
    teacher: &(dyn Fn() -> T + Sync),
    params: &ServerParams,
    stop: &AtomicBool,
    note: &(dyn Fn(&Visit) + Sync),
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    thread::scope(|scope| {
        let mut visits = Vec::new();
        let mut n_left = params.max_visits;
        let ending = loop {
            visits.retain(
                |(visit, _): &(thread::ScopedJoinHandle<'_, ()>, TcpStream)| !visit.is_finished(),
            );
            let is_over = n_left == Some(0);
            if stop.load(Ordering::Relaxed) || (is_over && visits.is_empty()) {
                break Ok(());
            }
            if is_over || visits.len() >= params.max_at_once {
                thread::sleep(PATIENCE);
                continue;
            }
            match listener.accept() {
                Ok((stream, peer)) => {
                    n_left = n_left.map(|n| n - 1);
                    let Ok(handle) = stream.try_clone() else {
                        continue;
                    };
                    let language = Language::new(task, scenes);
                    let visit =
                        move || note(&receive(stream, peer, language, &mut teacher(), params));
                    visits.push((scope.spawn(visit), handle));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PATIENCE),
                Err(error) if is_of_the_peer(&error) => {}
                Err(error) => break Err(error),
            }
        };
        for (_, stream) in visits {
            // A learner that has left already does not mind.
            let _ = stream.shutdown(Shutdown::Read);
        }
        ending
    })
}

/// Whether a learner left before it was let in.
fn is_of_the_peer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
    )
}

fn receive(
    stream: TcpStream,
    peer: SocketAddr,
    mut language: Language<'_>,
    teacher: &mut dyn Teacher,
    params: &ServerParams,
) -> Visit {
    let mut n_tests = 0;
    // Some systems hand on that the listener does not wait.
    let connection = (stream.set_nonblocking(false))
        .and_then(|()| Connection::new(stream, params.limits))
        .map_err(ConnectionError::from);
    let ending = connection.and_then(|mut connection| {
        let ending = teach(&mut connection, &mut language, teacher, &mut n_tests);
        if let Err(error @ (ConnectionError::NotAMessage { .. } | ConnectionError::TooLong)) =
            &ending
        {
            connection.send(&Answer::no(TeacherError::Declined(error.to_string())))?;
        }
        ending
    });
    Visit {
        peer,
        n_tests,
        problem: ending.unwrap_or_else(|error| Some(error.to_string())),
    }
}

/// Answers until the learner leaves or gets an error.
fn teach(
    connection: &mut Connection,
    language: &mut Language<'_>,
    teacher: &mut dyn Teacher,
    n_tests: &mut usize,
) -> Result<Option<String>, ConnectionError> {
    let mut is_known = false;
    loop {
        let question = match connection.receive() {
            Err(ConnectionError::Closed(false)) => return Ok(None),
            question => question?,
        };
        let answer = match question {
            Question::Hello(theirs) => {
                is_known = true;
                let ours = language.hello();
                match ours.objection(&theirs, "the learner") {
                    None => Ok(Answer::Hello(ours)),
                    Some(objection) => Err(TeacherError::Declined(objection)),
                }
            }
            _ if !is_known => Err(TeacherError::Declined("the learner says no hello".into())),
            Question::Examples => teacher.examples().map(|examples| Answer::Examples {
                examples: language.print_examples(&examples),
            }),
            Question::Test { rules } => {
                *n_tests += 1;
                let rules = language.read_rules(&rules);
                let rules = rules.map_err(TeacherError::Untestable);
                let verdict = rules.and_then(|rules| teacher.test(&rules));
                verdict.map(|verdict| Answer::Verdict {
                    counterexamples: language.print_examples(&verdict.counterexamples),
                    kept: verdict.is_kept,
                })
            }
        };
        match answer {
            Ok(answer) => connection.send(&answer)?,
            Err(error) => {
                let problem = error.to_string();
                connection.send(&Answer::no(error))?;
                return Ok(Some(problem));
            }
        }
    }
}
