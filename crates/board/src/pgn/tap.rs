//! A reader that remembers the bytes of the current game, so that they can be looked at again and
//! lines be counted, each byte once.

use std::{
    io::{self, Read},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use memchr::memchr_iter;

/// What has been read since the beginning of the current game.
#[derive(Debug)]
pub(super) struct Tape {
    /// The bytes of the game begin at `start`; what stands before is left over.
    bytes: Vec<u8>,
    start: usize,
    /// One-based line of the byte at `start`.
    line: u64,
    /// Longest text of a game that is kept.
    limit: usize,
    /// Whether the beginning of the game had to be given up.
    overflown: bool,
    /// What the reader below said when it failed.
    failure: Option<io::Error>,
}

impl Tape {
    /// Begins a new game: `n_ahead` of the bytes read so far belong to it, the rest does not.
    pub(super) fn begin_game(&mut self, n_ahead: usize) {
        let end = self.bytes.len() - n_ahead;
        self.line += count_lines(&self.bytes[self.start..end]);
        self.start = end;
        self.overflown = false;
    }

    /// The text of the current game if all but the last `n_ahead` bytes belong to it.
    pub(super) fn game(&self, n_ahead: usize) -> &[u8] {
        &self.bytes[self.start..self.bytes.len() - n_ahead]
    }

    /// One-based line at which [`Tape::game`] begins.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether the text of the game was too long to be kept whole.
    pub(super) fn overflown(&self) -> bool {
        self.overflown
    }

    /// What the reader below said if it failed since the last call.
    pub(super) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..mem::take(&mut self.start));
        if self.bytes.len() > self.limit {
            // Half of the limit is far more than the parser holds ahead.
            let n_dropped = self.bytes.len() - self.limit / 2;
            self.line += count_lines(&self.bytes[..n_dropped]);
            self.bytes.drain(..n_dropped);
            self.overflown = true;
        }
        self.bytes.extend_from_slice(bytes);
    }
}

/// Number of line ends in `bytes`.
pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Reader that copies what it reads to a [`Tape`].
#[derive(Debug)]
pub(super) struct Tap<R> {
    reader: R,
    tape: Arc<Mutex<Tape>>,
}

/// The other end of a [`Tap`]. The parser owns the tap, so the tape is shared.
#[derive(Debug)]
pub(super) struct TapeHandle(Arc<Mutex<Tape>>);

impl TapeHandle {
    pub(super) fn get(&self) -> MutexGuard<'_, Tape> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Tap<R> {
    /// Tap on `reader` that keeps at most about `limit` bytes of a game.
    pub(super) fn new(reader: R, limit: usize) -> (Tap<R>, TapeHandle) {
        let tape = Arc::new(Mutex::new(Tape {
            bytes: Vec::new(),
            start: 0,
            line: 1,
            limit,
            overflown: false,
            failure: None,
        }));
        (
            Tap {
                reader,
                tape: Arc::clone(&tape),
            },
            TapeHandle(tape),
        )
    }
}

impl<R: Read> Read for Tap<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(n_read) => {
                tape.push(&buffer[..n_read]);
                Ok(n_read)
            }
            Err(error) => {
                let kind = error.kind();
                tape.failure = Some(error);
                Err(kind.into())
            }
        }
    }
}
