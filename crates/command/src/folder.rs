//! The temporary folder and the environment of a step.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use kibitz_experiment::{CellError, Context, DataFile, Source};
use kibitz_tables::{Table, TableError, csv_line, csv_records};
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

use crate::input::Input;
use crate::step::{PARAMETERS, Step, StepCell};

/// Variables that a step sees in any case: where programs are found. Their values are not part of the key.
const MACHINE: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "R_LIBS_USER",
    "SystemRoot",
    "TEMP",
    "USERPROFILE",
    "APPDATA",
];

/// Variables that are the same everywhere, since output depends on them.
const FIXED: [(&str, &str); 4] = [
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
    ("PYTHONHASHSEED", "0"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// Data files up to this size are copied; larger ones are linked, and checked after the run.
const COPIED: u64 = 64 << 20;

/// The folder of a running step; it is deleted with this value.
pub(crate) struct Folder {
    folder: TempDir,
    /// Held as long as the folder is in use.
    _lock: Option<File>,
}

/// The folders of steps are called so, with the process between this and a random end.
const PREFIX: &str = "kibitz-step-";

impl Folder {
    /// A folder with the inputs of a cell and its parameters.
    pub(crate) fn new(
        step: &Step,
        cell: Option<&StepCell>,
        ctx: &Context<'_>,
    ) -> Result<Self, CellError> {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| remove_stale(&std::env::temp_dir()));
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
        let folder = Self {
            _lock: lock(folder.path()),
            folder,
        };
        for path in &step.inputs {
            let file = ctx.data(&Input::File(path.clone()).name())?;
            folder.place(path, &file)?;
        }
        for name in &step.reads {
            let file = ctx.data(name)?;
            folder.place(&file_name(name, file.path()), &file)?;
        }
        for (name, source) in ctx.sources() {
            folder.place_source(&format!("{name}.csv"), source)?;
        }
        let parameters = json!({
            "parameters": parameters(step, cell),
            "cell": ctx.cell(),
            "replicate": ctx.replicate(),
            "seed": step.random.then(|| seed(ctx)),
            "output": step.output,
        });
        let text = serde_json::to_string_pretty(&parameters)? + "\n";
        fs::write(folder.free(PARAMETERS)?, text)?;
        folder.free(&step.output)?;
        Ok(folder)
    }

    /// The command of a cell, to run in this folder.
    pub(crate) fn command(
        &self,
        step: &Step,
        cell: Option<&StepCell>,
        ctx: &Context<'_>,
    ) -> Command {
        let mut argv = step
            .argv
            .iter()
            .chain(cell.into_iter().flat_map(|it| &it.argv));
        let program = argv.next().map_or("", String::as_str);
        // A path is that of an input.
        let mut command = if program.contains('/') && !Path::new(program).is_absolute() {
            Command::new(self.folder.path().join(program))
        } else {
            Command::new(program)
        };
        command.args(argv).current_dir(self.folder.path());
        set_environment(&mut command, &step.environment);
        command.env("KIBITZ_PARAMETERS", PARAMETERS);
        command.env("KIBITZ_OUTPUT", &step.output);
        command.env("KIBITZ_CELL", ctx.cell());
        command.env("KIBITZ_REPLICATE", ctx.replicate().to_string());
        if step.random {
            command.env("KIBITZ_SEED", seed(ctx).to_string());
        }
        for (name, value) in parameters(step, cell) {
            let value = match value {
                Json::String(text) => text,
                value => value.to_string(),
            };
            command.env(variable(&name), value);
        }
        command
    }

    /// The file that a step has written.
    ///
    /// # Errors
    /// What it wrote instead, in words.
    pub(crate) fn written(&self, name: &str) -> Result<DataFile, String> {
        let path = self.folder.path().join(name);
        let found = match fs::symlink_metadata(&path) {
            Err(_) => return Err(format!("no file `{name}`")),
            Ok(found) => found.file_type(),
        };
        // A link or a pipe would lead elsewhere.
        let other = match () {
            () if found.is_file() => None,
            () if found.is_symlink() => Some("a link"),
            () if found.is_dir() => Some("a folder"),
            () => Some("a pipe or a device"),
        };
        if let Some(other) = other {
            return Err(format!("{other} `{name}`, expected a file"));
        }
        let stamped = kibitz_experiment::VerifiedFile::stamp(name, path.clone());
        let stamped = stamped.map_err(|error| format!("a file `{name}`, unreadable: {error}"))?;
        Ok(DataFile::on_disk(name, path, vec![stamped]))
    }

    /// A path in the folder where nothing is yet; the folders above it are made.
    fn free(&self, name: &str) -> Result<PathBuf, CellError> {
        let path = self.folder.path().join(name);
        if path.symlink_metadata().is_ok() {
            let message = format!("two files of the step are called `{name}`");
            return Err(CellError::new(message));
        }
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        Ok(path)
    }

    /// Places a file or a folder of files.
    fn place(&self, name: &str, file: &DataFile) -> Result<(), CellError> {
        let is_folder = file.path().is_dir();
        for part in file.parts() {
            let below = if is_folder {
                format!("{name}/{}", part.name)
            } else {
                name.to_owned()
            };
            let to = self.free(&below)?;
            let from = if is_folder {
                file.path().join(&part.name)
            } else {
                file.path().to_owned()
            };
            if file.n_bytes() > COPIED && link(&from, &to).is_ok() {
                continue;
            }
            let mut written = File::create(&to)?;
            io::copy(&mut part.open()?, &mut written)?;
            keep_mode(&from, &to);
        }
        Ok(())
    }

    /// Places the records of a dataset or table, as CSV.
    fn place_source(&self, name: &str, source: &Source) -> Result<(), CellError> {
        let mut out = BufWriter::new(File::create(self.free(name)?)?);
        let names = source.fields.iter().map(|field| Some(field.name.as_ref()));
        csv_line(&mut out, names)?;
        let table = dataset(&source.parts)?;
        table.read(&source.fields, None, |records| {
            csv_records(&mut out, &records).map_err(CellError::from)
        })?;
        out.flush()?;
        Ok(())
    }
}

/// Takes the lock of a step's folder; `None` if another process has it, or where folders have none.
fn lock(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.try_lock().ok()?;
    Some(folder)
}

/// Removes the folders of steps whose process was killed: it is gone, and nobody holds the lock, as a
/// process would that is only not seen from here, such as one of another container.
#[cfg(unix)]
fn remove_stale(temporary: &Path) {
    use nix::{errno::Errno, sys::signal::kill, unistd::Pid};
    for entry in fs::read_dir(temporary).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let process = process.and_then(|rest| rest.split_once('-')?.0.parse().ok());
        let is_gone = process.is_some_and(|it| kill(Pid::from_raw(it), None) == Err(Errno::ESRCH));
        let is_folder = entry.file_type().is_ok_and(|it| it.is_dir());
        if is_gone
            && is_folder
            && let Some(_lock) = lock(&entry.path())
        {
            // One that cannot be removed is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(not(unix))]
fn remove_stale(_: &Path) {}

#[cfg(feature = "parquet")]
fn dataset(parts: &[PathBuf]) -> Result<Table, TableError> {
    Table::dataset(parts)
}

#[cfg(not(feature = "parquet"))]
fn dataset(_: &[PathBuf]) -> Result<Table, TableError> {
    let why = "a dataset, and this program was built without its feature `parquet`";
    Err(TableError::Data(why.to_owned()))
}

/// What a program sees of the environment: these variables, and those of each machine and of none.
pub(crate) fn set_environment(command: &mut Command, names: &[String]) {
    command.env_clear();
    for name in MACHINE.into_iter().chain(names.iter().map(String::as_str)) {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(FIXED);
}

/// The parameters of a cell: those of all, and its own.
fn parameters(step: &Step, cell: Option<&StepCell>) -> Map<String, Json> {
    let own = cell.into_iter().flat_map(|cell| &cell.parameters);
    let all = step.parameters.iter().chain(own);
    all.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The variable that holds a parameter: `sample-size` is in `KIBITZ_PARAM_SAMPLE_SIZE`.
fn variable(parameter: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    let name: String = parameter.chars().map(letter).collect();
    format!("KIBITZ_PARAM_{name}")
}

/// The seed of a cell: below 2^31, as the smallest seeds of common languages are.
fn seed(ctx: &Context<'_>) -> u64 {
    ctx.seed_u64("main") >> 33
}

/// The name of a data file in the folder: that of the entry with the endings of its file.
fn file_name(name: &str, path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    match file.split_once('.') {
        Some((_, endings)) if !path.is_dir() => format!("{name}.{endings}"),
        _ => name.to_owned(),
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::canonicalize(from)?, to)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A script stays executable. Where that is unknown, it is started by its interpreter.
fn keep_mode(from: &Path, to: &Path) {
    if let Ok(metadata) = fs::metadata(from) {
        let mut mode = metadata.permissions();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            mode.set_mode(mode.mode() | 0o600);
        }
        let _ = fs::set_permissions(to, mode);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn folders_of_processes_that_are_gone_are_removed() {
        let temporary = tempfile::tempdir().unwrap();
        // No process has a number this large.
        let (gone, own) = (i32::MAX, std::process::id());
        let names = [
            format!("{PREFIX}{gone}-abc"),
            format!("{PREFIX}{gone}-locked"),
            format!("{PREFIX}{own}-abc"),
            format!("{PREFIX}abc"),
            "other".to_owned(),
        ];
        for name in &names {
            fs::create_dir_all(temporary.path().join(name).join("below")).unwrap();
        }
        let held = lock(&temporary.path().join(&names[1])).unwrap();
        remove_stale(temporary.path());
        let is_there = |name: &String| temporary.path().join(name).exists();
        assert_eq!(
            names.each_ref().map(is_there),
            [false, true, true, true, true]
        );
        // A process that another test has started holds a copy of the file until its program runs,
        // so that the lock would outlast the value.
        held.unlock().unwrap();
        remove_stale(temporary.path());
        assert!(!is_there(&names[1]));
    }

    #[test]
    fn files_and_variables_have_plain_names() {
        assert_eq!(variable("sample-size"), "KIBITZ_PARAM_SAMPLE_SIZE");
        assert_eq!(
            file_name("survey", Path::new("data/raw.2019.csv.gz")),
            "survey.2019.csv.gz"
        );
        assert_eq!(file_name("survey", Path::new("data/raw")), "survey");
    }
}
