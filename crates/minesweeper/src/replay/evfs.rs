//! `.evfs`: a public format for the games of one sitting, described by the author of `.evf`.

use super::reader::{Reader, name};
use super::{Replay, ReplayError, ReplayFormat, ReplayProblem};

/// A replay of a set, with its name there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetReplay {
    /// The name of its file, without the extension.
    pub name: String,
    /// The replay, or why it cannot be read; bytes are those of the set.
    pub replay: Result<Replay, ReplayError>,
}

/// Reads a set of replays, an `.evfs` file. A replay that cannot be read does not keep the others from
/// being read: the set gives its size.
///
/// # Errors
/// [`ReplayError`] if the set itself is of another version, or is cut short.
pub fn read_set(bytes: &[u8]) -> Result<Vec<SetReplay>, ReplayError> {
    let mut from = Reader::new(bytes);
    from.expect(0, "version 0 of .evfs")?;
    let n_check = from.short("the size of a checksum")?;
    let mut set = Vec::new();
    while !from.rest().is_empty() {
        let name = name(from.until(0, "the name of a replay")?, None);
        let n_bytes = from.take("the size of a replay").map(u32::from_be_bytes)?;
        let n_bytes = usize::try_from(n_bytes).unwrap_or(usize::MAX);
        let start = bytes.len() - from.rest().len();
        from.skip(n_bytes, "the end of a replay")?;
        let replay = Replay::from_bytes(&bytes[start..start + n_bytes], ReplayFormat::Evf);
        let in_set = |ReplayError { byte, problem }: ReplayError| ReplayError {
            byte: start + byte,
            problem: match problem {
                // The set goes on there.
                ReplayProblem::End(wanted) => ReplayProblem::EndOfReplay(wanted),
                problem => problem,
            },
        };
        set.push(SetReplay {
            name,
            replay: replay.map_err(in_set),
        });
        from.skip(n_check.into(), "a checksum")?;
    }
    Ok(set)
}
