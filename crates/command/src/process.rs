//! A process whose output is bounded and which can be stopped, with all that it started.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use kibitz_experiment::Stopwatch;

/// Bytes of output that are kept: the last ones.
const KEPT: usize = 16 << 10;

/// Lines of output that a message shows.
const SHOWN_LINES: usize = 12;

/// How long a process may take to end once it is asked to.
const GRACE: Duration = Duration::from_secs(1);

/// The end of what a process wrote, to both streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The last bytes.
    bytes: VecDeque<u8>,
    /// Bytes in all.
    n_bytes: u64,
}

impl Tail {
    fn add(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        self.bytes.extend(bytes);
        let n_over = self.bytes.len().saturating_sub(KEPT);
        self.bytes.drain(..n_over);
    }

    /// The text that is kept.
    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The last lines, for a message.
    pub fn shown(&self) -> String {
        let text = self.text();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
        if last.is_empty() {
            return "it wrote no message".to_owned();
        }
        let last: Vec<String> = last.iter().map(|line| format!("    {line}")).collect();
        let of = if self.n_bytes > KEPT as u64 {
            format!(" ({} bytes)", self.n_bytes)
        } else {
            String::new()
        };
        format!("the end of its output{of}:\n{}", last.join("\n"))
    }
}

/// A process that has ended.
#[derive(Debug)]
pub struct ProcessEnd {
    /// Its exit code or signal.
    pub status: ExitStatus,
    /// The end of its output.
    pub output: Tail,
}

/// Why a process has no result.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError<E> {
    /// The program does not exist.
    #[error("cannot start `{0}`: no such program; install it, or correct its name")]
    Missing(String),
    /// It cannot be started for another reason.
    #[error("cannot start `{program}`: {why}")]
    Unstartable {
        /// The program.
        program: String,
        /// The error of the system.
        why: std::io::Error,
    },
    /// It was stopped, for this reason, with the end of its output.
    #[error("stopped")]
    Stopped(E, Tail),
}

/// Runs a command, in a process group of its own, to its end or until `check` fails. Whatever the command
/// started and left behind is ended too (on Unix), also if this process is killed meanwhile.
///
/// # Errors
/// [`ProcessError`] if it cannot be started or is stopped.
pub fn run<E>(
    mut command: Command,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<ProcessEnd, ProcessError<E>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let unstartable = |why: std::io::Error| match why.kind() {
        ErrorKind::NotFound => ProcessError::Missing(program.clone()),
        _ => ProcessError::Unstartable {
            program: program.clone(),
            why,
        },
    };
    let (output, to) = std::io::pipe().map_err(unstartable)?;
    let also_to = to.try_clone().map_err(unstartable)?;
    command.stdin(Stdio::null()).stdout(to).stderr(also_to);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(unstartable)?;
    let _guard = Guard::of(&child);
    // The command holds the pipe's other end.
    drop(command);
    let output = collect(output);
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                end_group(&child, true);
                let output = collected(&output);
                return Ok(ProcessEnd { status, output });
            }
            Ok(None) => {}
            Err(why) => return Err(unstartable(why)),
        }
        if let Err(reason) = check() {
            stop(&mut child);
            return Err(ProcessError::Stopped(reason, collected(&output)));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Reads a stream to its end, on a thread of its own; keeps the last of it.
fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Tail> {
    let (to, from) = mpsc::channel();
    std::thread::spawn(move || {
        let mut tail = Tail::default();
        let mut buffer = vec![0; 1 << 16];
        while let Ok(n @ 1..) = stream.read(&mut buffer) {
            tail.add(&buffer[..n]);
        }
        // Nobody waits any longer: then nobody needs it.
        let _ = to.send(tail);
    });
    from
}

/// What was read. Where a process that was left behind still holds the stream, nothing.
fn collected(output: &Receiver<Tail>) -> Tail {
    output.recv_timeout(2 * GRACE).unwrap_or_default()
}

/// Asks a process and all that it started to end, and ends them.
fn stop(child: &mut Child) {
    end_group(child, false);
    let watch = Stopwatch::start();
    while watch.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(5));
    }
    end_group(child, true);
    // What is not there any more needs no end.
    let _ = child.kill();
    let _ = child.wait();
}

/// Sends a signal to all processes of a child's group, if any is left.
#[cfg(unix)]
fn end_group(child: &Child, at_once: bool) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    let signal = if at_once {
        Signal::SIGKILL
    } else {
        Signal::SIGTERM
    };
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(group), signal);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child, _: bool) {}

/// A shell that ends a child's group as soon as this process is gone, however that ends: it waits for the
/// end of a pipe that nobody else holds. Where no shell can be started, nobody does it.
#[cfg(unix)]
struct Guard {
    shell: Option<(Child, std::io::PipeWriter)>,
}

#[cfg(unix)]
impl Guard {
    fn of(child: &Child) -> Self {
        use std::os::unix::process::CommandExt as _;
        let shell = || {
            let (held, holds) = std::io::pipe().ok()?;
            let script = format!("read -r _; kill -s KILL -- -{}", child.id());
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &script]).stdin(held);
            shell.stdout(Stdio::null()).stderr(Stdio::null());
            Some((shell.process_group(0).spawn().ok()?, holds))
        };
        Self { shell: shell() }
    }
}

#[cfg(unix)]
impl Drop for Guard {
    fn drop(&mut self) {
        // It ends before its pipe does.
        if let Some((shell, _)) = &mut self.shell {
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}

#[cfg(not(unix))]
struct Guard;

#[cfg(not(unix))]
impl Guard {
    fn of(_: &Child) -> Self {
        Self
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn the_end_of_much_output_is_kept() {
        let script = "head -c 30000000 /dev/zero | tr '\\0' 'x'; echo; echo the end; exit 3";
        let ended = run(shell(script), || Ok::<_, ()>(())).unwrap();
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!(ended.output.bytes.len(), KEPT);
        assert_eq!(ended.output.n_bytes, 30_000_009);
        assert!(ended.output.text().ends_with("x\nthe end\n"));
    }

    #[test]
    fn a_process_that_hangs_is_stopped_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let alive = folder.path().join("alive");
        // The grandchild ignores the polite signal, and would tell that it survived.
        let script = format!(
            "(trap '' TERM; sleep 3; echo > '{}') & echo begun; wait",
            alive.display()
        );
        let watch = Stopwatch::start();
        let check = || {
            if watch.elapsed() > Duration::from_millis(300) {
                Err("over")
            } else {
                Ok(())
            }
        };
        let stopped = run(shell(&script), check).unwrap_err();
        let ProcessError::Stopped("over", output) = stopped else {
            panic!("{stopped:?}");
        };
        assert_eq!(output.text(), "begun\n");
        assert!(watch.seconds() < 2.9, "{}", watch.seconds());
        std::thread::sleep(Duration::from_millis(3200).saturating_sub(watch.elapsed()));
        assert!(!alive.exists());
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let missing = run(Command::new("no-such-program-xyz"), || Ok::<_, ()>(()));
        assert_eq!(
            missing.unwrap_err().to_string(),
            "cannot start `no-such-program-xyz`: no such program; install it, or correct its name"
        );
        let [missing, other] = ["no-such-program-xyz", "/"].map(|program| {
            let error = run(Command::new(program), || Ok::<_, ()>(())).unwrap_err();
            matches!(error, ProcessError::Missing(_))
        });
        assert!(missing && !other);
    }
}
