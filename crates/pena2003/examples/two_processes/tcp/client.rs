//! The learner's side.

use std::net::{TcpStream, ToSocketAddrs as _};

use kibitz_ilp::Task;
use kibitz_ilp::learn::mio::active::{LabeledExample, Teacher, TeacherError, Verdict};
use kibitz_prolog::Clause;

use super::Scenes;
use super::connection::{Connection, ConnectionError, TimeLimits};
use super::message::{Answer, Language, Question};

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
#[derive(Debug)]
pub(crate) struct RemoteTeacher<'a> {
    connection: Connection,
    language: Language<'a>,
}

impl<'a> RemoteTeacher<'a> {
    /// Connects to a teacher of the task's target at `host:port`.
    ///
    /// # Errors
    /// [`TeacherError`] if nobody listens there in time, or another program does.
    pub(crate) fn connect(
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
    fn examples(&mut self) -> Result<Vec<LabeledExample>, TeacherError> {
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
