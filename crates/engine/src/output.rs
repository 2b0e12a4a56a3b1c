//! The output of the engine, line by line, from any thread.

use std::{
    fmt,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use uci_parser::UciResponse;

/// A writer that collects the output; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Transcript(Arc<Mutex<Vec<u8>>>);

impl Transcript {
    /// The output so far.
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Transcript {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        said.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output stream, shared among threads.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<dyn Write + Send>>);

impl Output {
    pub(crate) fn new(writer: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(writer)))
    }

    /// Writes a line and flushes. Errors are ignored: a chess program that closes the output closes the
    /// input, too.
    pub(crate) fn say(&self, line: impl fmt::Display) {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(writer, "{line}").and_then(|()| writer.flush());
    }

    /// Writes a message for the user (`info string`).
    pub(crate) fn note(&self, text: impl fmt::Display) {
        self.say(UciResponse::info_string(text.to_string()));
    }
}
