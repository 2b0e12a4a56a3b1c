//! The end of a program.

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::{Diagnostic, Exit, Failure};

/// Tells a failure on the error stream, in color on a terminal, and gives the exit code.
pub fn finish(done: Result<Exit, Failure>) -> ExitCode {
    let exit = done.unwrap_or_else(|failure| {
        let text = failure.diagnostics.render(true);
        // Nothing is left to be told where even this cannot be written.
        let _ = writeln!(anstream::stderr(), "{text}");
        failure.exit
    });
    exit.into()
}

/// Writes to the output; a reader that closed it has seen enough.
///
/// # Errors
/// The output cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("cannot write to the output: {error}");
            Err(Failure::new(Exit::Unwritable, Diagnostic::new(message)))
        }
        _ => Ok(()),
    }
}
