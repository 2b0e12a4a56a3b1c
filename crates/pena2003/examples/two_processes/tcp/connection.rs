//! Messages over a stream, within bounds on time and length.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// Longest message, in bytes.
pub(crate) const MAX_MESSAGE: usize = 4 << 20;
/// Characters of a wrong message that an error shows.
const MAX_SHOWN: usize = 60;

/// How long the other side may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    /// To accept a connection.
    pub(crate) connect: Duration,
    /// To send a whole message, from when it is awaited.
    pub(crate) read: Duration,
    /// To take a whole message.
    pub(crate) write: Duration,
    /// The clock, such as [`Instant::now`].
    pub(crate) clock: fn() -> Instant,
}

/// Why there is no message.
#[derive(Debug, Error)]
pub(super) enum ConnectionError {
    #[error("it closed the connection{}", if *.0 { " in the middle of a message" } else { "" })]
    Closed(bool),
    #[error("nothing whole came within {0:?}")]
    ReadTime(Duration),
    #[error("a message was not taken within {0:?}")]
    WriteTime(Duration),
    #[error("a message is longer than {MAX_MESSAGE} bytes")]
    TooLong,
    #[error("it says \"{shown}\": {reason}")]
    NotAMessage { shown: String, reason: String },
    #[error("{}", .0.kind())]
    Broken(io::Error),
}

impl From<io::Error> for ConnectionError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // The system reports the end in several ways.
            ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset => {
                ConnectionError::Closed(false)
            }
            _ => ConnectionError::Broken(error),
        }
    }
}

/// One end of a connection.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    limits: TimeLimits,
    /// What has come of messages that are not read yet.
    received: Vec<u8>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream, limits: TimeLimits) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            limits,
            received: Vec::new(),
        })
    }

    pub(super) fn send(&mut self, message: &impl Serialize) -> Result<(), ConnectionError> {
        let mut line = serde_json::to_vec(message).map_err(io::Error::from)?;
        line.push(b'\n');
        if line.len() > MAX_MESSAGE {
            return Err(ConnectionError::TooLong);
        }
        let limit = self.limits.write;
        let start = (self.limits.clock)();
        let mut rest = &line[..];
        while !rest.is_empty() {
            let left = self.left(start, limit);
            let left = left.ok_or(ConnectionError::WriteTime(limit))?;
            self.stream.set_write_timeout(Some(left))?;
            match self.stream.write(rest) {
                Ok(0) => return Err(ConnectionError::Closed(true)),
                Ok(n) => rest = &rest[n..],
                Err(error) if is_to_be_repeated(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub(super) fn receive<T: DeserializeOwned>(&mut self) -> Result<T, ConnectionError> {
        let line = self.line()?;
        serde_json::from_slice(&line).map_err(|error| {
            let shown = shown(String::from_utf8_lossy(&line).trim_end());
            ConnectionError::NotAMessage {
                shown,
                reason: error.to_string(),
            }
        })
    }

    fn line(&mut self) -> Result<Vec<u8>, ConnectionError> {
        let limit = self.limits.read;
        let start = (self.limits.clock)();
        let mut chunk = [0; 8192];
        let mut n_seen = 0;
        loop {
            let end = self.received[n_seen..]
                .iter()
                .position(|&byte| byte == b'\n');
            if let Some(end) = end {
                let rest = self.received.split_off(n_seen + end + 1);
                return Ok(std::mem::replace(&mut self.received, rest));
            }
            n_seen = self.received.len();
            if n_seen >= MAX_MESSAGE {
                return Err(ConnectionError::TooLong);
            }
            let left = self.left(start, limit);
            let left = left.ok_or(ConnectionError::ReadTime(limit))?;
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(ConnectionError::Closed(n_seen > 0)),
                Ok(n) => self.received.extend_from_slice(&chunk[..n]),
                Err(error) if is_to_be_repeated(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The rest of a time limit, if any.
    fn left(&self, start: Instant, limit: Duration) -> Option<Duration> {
        let passed = (self.limits.clock)().saturating_duration_since(start);
        limit.checked_sub(passed).filter(|left| !left.is_zero())
    }
}

/// A message of the other side for a terminal: shortened, and in plain characters.
pub(super) fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(MAX_SHOWN).collect();
    let rest = if characters.next().is_some() {
        "…"
    } else {
        ""
    };
    start.escape_debug().to_string() + rest
}

/// Whether an operation ended without a result; the rest of the time decides.
fn is_to_be_repeated(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
