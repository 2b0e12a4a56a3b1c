//! What programs print, and how they end.
//!
//! A reader that closes a stream has seen enough: the rest is dropped without a word, and the exit
//! code is that of the answer.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::{Diagnostic, Exit, Failure};

/// Reports a failure on standard error, in color on a terminal, and returns the exit code.
pub fn finish(done: Result<Exit, Failure>) -> ExitCode {
    let exit = done.unwrap_or_else(|failure| {
        note(&failure.diagnostics.render(true));
        failure.exit
    });
    exit.into()
}

/// Writes to the output.
///
/// # Errors
/// The output cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = Output(io::stdout().lock());
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| {
        let message = format!("cannot write to the output: {error}");
        Failure::new(Exit::Unwritable, Diagnostic::new(message))
    })
}

/// Writes a line to standard error, with colors on a terminal only. Errors of this write are ignored,
/// since there is nowhere to report them.
pub fn note(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// The output for code that takes a writer.
pub fn output() -> impl Write {
    Output(io::stdout())
}

/// A writer that drops what its reader does not wait for.
struct Output<W>(W);

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

fn unless_closed<T>(done: io::Result<T>, otherwise: T) -> io::Result<T> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(otherwise),
        done => done,
    }
}
