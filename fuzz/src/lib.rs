//! What the fuzz targets share.

use kibitz_ilp::{Source, Task, TaskError};
use kibitz_prolog::Limits;

/// Bounds on queries: a hundredth of the usual ones.
pub const LIMITS: Limits = Limits {
    steps: 10_000,
    depth: 1_000,
    memory: 64 << 20,
};

/// The line between the files of one input.
const BETWEEN: &str = "\n%%\n";

/// Reads a task: the layout is named on the first line, files are divided by lines of `%%`.
///
/// `None` if no layout is named.
pub fn task(text: &str) -> Option<Result<Task, TaskError>> {
    let (layout, rest) = text.split_once('\n')?;
    let mut files = rest.split(BETWEEN);
    let mut file = |name| {
        let text = files.next().unwrap_or("");
        Source { name, text }
    };
    Some(match layout {
        "popper" => Task::from_popper(file("exs.pl"), file("bk.pl"), file("bias.pl")),
        "golem" => Task::from_three_files(file("t.b"), file("t.f"), file("t.n")),
        "aleph" => Task::from_aleph(file("t.pl")),
        "progol" => Task::from_progol(file("t.pl")),
        "foil" => Task::from_foil(file("t.d")),
        _ => return None,
    })
}
