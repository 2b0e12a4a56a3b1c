//! A tee reader: buffers the text of the current game beside the parser, and counts lines.

use std::{
    io::{self, Read},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use memchr::memchr_iter;

/// The bytes read since the beginning of the current game.
#[derive(Debug)]
pub(super) struct GameBuffer {
    /// The bytes of the game begin at `start`; earlier bytes are stale.
    bytes: Vec<u8>,
    start: usize,
    /// One-based line of the byte at `start`.
    line: u64,
    /// Limit of the buffered text.
    limit: usize,
    /// Whether the beginning of the game was dropped.
    overflown: bool,
    /// The error of the underlying reader.
    failure: Option<io::Error>,
}

impl GameBuffer {
    /// Begins a new game, of which `n_ahead` bytes have been read already.
    pub(super) fn begin_game(&mut self, n_ahead: usize) {
        let end = self.bytes.len() - n_ahead;
        self.line += count_lines(&self.bytes[self.start..end]);
        self.start = end;
        self.overflown = false;
    }

    /// The text of the current game, without the last `n_ahead` bytes.
    pub(super) fn game(&self, n_ahead: usize) -> &[u8] {
        &self.bytes[self.start..self.bytes.len() - n_ahead]
    }

    /// One-based line at which [`GameBuffer::game`] begins.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether the text of the game exceeds the limit.
    pub(super) fn overflown(&self) -> bool {
        self.overflown
    }

    /// Takes the error of the underlying reader, if it failed since the last call.
    pub(super) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..mem::take(&mut self.start));
        if self.bytes.len() > self.limit {
            // Half of the limit is far more than the parser reads ahead.
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

/// Reader that copies its bytes to a [`GameBuffer`].
#[derive(Debug)]
pub(super) struct TeeReader<R> {
    reader: R,
    game_buffer: Arc<Mutex<GameBuffer>>,
}

/// Shared access to the buffer of a [`TeeReader`], which the parser owns.
#[derive(Debug)]
pub(super) struct BufferHandle(Arc<Mutex<GameBuffer>>);

impl BufferHandle {
    pub(super) fn get(&self) -> MutexGuard<'_, GameBuffer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> TeeReader<R> {
    /// A tee on `reader` that buffers at most about `limit` bytes of a game.
    pub(super) fn new(reader: R, limit: usize) -> (TeeReader<R>, BufferHandle) {
        let game_buffer = Arc::new(Mutex::new(GameBuffer {
            bytes: Vec::new(),
            start: 0,
            line: 1,
            limit,
            overflown: false,
            failure: None,
        }));
        (
            TeeReader {
                reader,
                game_buffer: Arc::clone(&game_buffer),
            },
            BufferHandle(game_buffer),
        )
    }
}

impl<R: Read> Read for TeeReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let mut game_buffer = self
            .game_buffer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(n_read) => {
                game_buffer.push(&buffer[..n_read]);
                Ok(n_read)
            }
            Err(error) => {
                let kind = error.kind();
                game_buffer.failure = Some(error);
                Err(kind.into())
            }
        }
    }
}
