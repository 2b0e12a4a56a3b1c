//! The learner's side.

use std::net::{TcpStream, ToSocketAddrs as _};

use super::connection::{Connection, ConnectionError, TimeLimits};
use super::message::{Answer, Language, Question};
use super::{Labeled, Scenes, Teacher, TeacherError, Verdict};
use crate::task::Task;
use crate::term::Clause;

impl From<ConnectionError> for TeacherError {
    fn from(error: ConnectionError) -> Self {
        let reason = error.to_string();
        match error {
            ConnectionError::ReadTime(_) | ConnectionError::WriteTime(_) => {
                TeacherError::TimedOut(reason)
            }
            ConnectionError::NotAMessage { .. } | ConnectionError::TooLong => {
                TeacherError::NotUnderstood(reason)
            }
            ConnectionError::Closed(_) | ConnectionError::Broken(_) => TeacherError::Gone(reason),
        }
    }
}

/// A teacher in another process.
///
/// # Examples
/// A teacher and a learner of the same task, here in one process:
/// ```
/// use std::net::TcpListener;
/// use std::sync::atomic::AtomicBool;
/// use std::time::{Duration, Instant};
///
/// use kibitz_ilp::learn::{Mio, NoProgress};
/// use kibitz_ilp::learn::mio::active::tcp::{
///     NoScenes, RemoteTeacher, ServerParams, TimeLimits, serve,
/// };
/// use kibitz_ilp::learn::mio::active::{Examiner, ExaminerParams, HeldOut, learn};
/// use kibitz_ilp::{Problem, Source, Task, print_clause};
///
/// let text = ":- modeh(1,even(+n))? :- modeb(1,half(+n,-n))? half(2,1). half(4,2). half(6,3).
///     even(2). even(4). even(6). :- even(1). :- even(3).";
/// let mut task = Task::from_progol(Source { name: "numbers", text })?;
/// let db = task.database()?;
/// let seconds = Duration::from_secs(5);
/// let clock = Instant::now;
/// let limits = TimeLimits { connect: seconds, read: seconds, write: seconds, clock };
///
/// let listener = TcpListener::bind("127.0.0.1:0")?;
/// let address = listener.local_addr()?.to_string();
/// let server = ServerParams { limits, max_at_once: 4, max_visits: Some(1) };
/// let teacher = || {
///     Examiner::new(&db, &task.bias, HeldOut::new(&task, 1), ExaminerParams::default())
/// };
/// let taught = std::thread::scope(|scope| {
///     let never = AtomicBool::new(false);
///     let (server, task, teacher) = (&server, &task, &teacher);
///     scope.spawn(move || serve(&listener, task, &NoScenes, teacher, server, &never, &|_| ()));
///     let mut teacher = RemoteTeacher::connect(&address, task, &NoScenes, limits)?;
///     let mut task = task.clone();
///     (task.positive, task.negative) = Default::default();
///     let problem = Problem::with_database(&task, &db);
///     learn(&problem, &Mio::default(), 5, &mut teacher, &mut NoProgress)
/// })?;
/// let [rule] = &taught.learned.clauses[..] else { panic!("one rule is enough") };
/// assert_eq!(print_clause(rule, &task.symbols).to_string(), "even(A) :- half(A,B).");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RemoteTeacher<'a> {
    connection: Connection,
    language: Language<'a>,
}

impl<'a> RemoteTeacher<'a> {
    /// Connects to a teacher of the task's target at `host:port`.
    ///
    /// # Errors
    /// [`TeacherError`] if nobody listens there in time, or another program does.
    pub fn connect(
        address: &str,
        task: &Task,
        scenes: &'a dyn Scenes,
        limits: TimeLimits,
    ) -> Result<Self, TeacherError> {
        let unreachable = |reason: String| {
            TeacherError::Gone(format!("{address} cannot be connected to: {reason}"))
        };
        let addresses = address.to_socket_addrs();
        let addresses = addresses.map_err(|error| unreachable(error.to_string()))?;
        let mut stream = Err(unreachable("it is not an address".into()));
        for address in addresses {
            let connected = TcpStream::connect_timeout(&address, limits.connect);
            stream = connected.map_err(|error| unreachable(error.kind().to_string()));
            if stream.is_ok() {
                break;
            }
        }
        let connection = Connection::new(stream?, limits).map_err(ConnectionError::from)?;
        let mut teacher = Self {
            connection,
            language: Language::new(task, scenes),
        };
        let hello = teacher.language.hello();
        match teacher.ask(&Question::Hello(hello.clone()))? {
            Answer::Hello(theirs) => match hello.objection(&theirs, "it") {
                None => Ok(teacher),
                Some(objection) => Err(TeacherError::NotUnderstood(objection)),
            },
            _ => Err(not_asked_for()),
        }
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, TeacherError> {
        self.connection.send(question)?;
        match self.connection.receive()? {
            Answer::No { because, reason } => Err(because.error(&reason)),
            answer => Ok(answer),
        }
    }
}

fn not_asked_for() -> TeacherError {
    TeacherError::NotUnderstood("it answers what was not asked".into())
}

impl Teacher for RemoteTeacher<'_> {
    fn examples(&mut self) -> Result<Vec<Labeled>, TeacherError> {
        let Answer::Examples { examples } = self.ask(&Question::Examples)? else {
            return Err(not_asked_for());
        };
        let read = self.language.read_examples(&examples);
        read.map_err(TeacherError::NotUnderstood)
    }

    fn test(&mut self, rules: &[Clause]) -> Result<Verdict, TeacherError> {
        let rules = self.language.print_rules(rules);
        let n_rules = rules.len();
        match self.ask(&Question::Test { rules })? {
            Answer::Verdict {
                kept,
                counterexamples,
            } if kept.len() == n_rules => {
                let read = self.language.read_examples(&counterexamples);
                Ok(Verdict {
                    is_kept: kept,
                    counterexamples: read.map_err(TeacherError::NotUnderstood)?,
                })
            }
            _ => Err(not_asked_for()),
        }
    }
}
