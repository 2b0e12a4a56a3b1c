//! Which files a command writes: none that it reads, and none twice.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;

/// Rejects outputs that would overwrite an input or each other; to be called before anything is written.
///
/// # Errors
/// For the first file of `written` that is one of `read`, or one written before; also under another name.
pub fn keep_inputs(read: &[&Path], written: &[&Path]) -> Result<(), Failure> {
    let rejected = |path: &Path, why: &str| Failure::usage(format!("{} {why}", path.display()));
    let read: Vec<FileIdentity> = read.iter().filter_map(|path| identity(path)).collect();
    let mut earlier = Vec::new();
    for path in written {
        let Some(own) = identity(path) else {
            continue;
        };
        if read.contains(&own) {
            return Err(rejected(path, "is read and cannot be written to as well"));
        }
        if earlier.contains(&own) {
            return Err(rejected(path, "is written twice: give two names"));
        }
        earlier.push(own);
    }
    Ok(())
}

/// Whether both paths lead to one file that can lose what it holds: not to a device or a pipe.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    identity(one).is_some_and(|own| identity(other) == Some(own))
}

/// A file, whatever path leads to it.
#[derive(PartialEq, Eq)]
enum FileIdentity {
    /// One that exists: device and number, since two names may be links to one file.
    #[cfg(unix)]
    Numbered(u64, u64),
    /// Its folder, without links, and its name.
    Named(PathBuf),
}

/// `None` for what can be written to without a loss, such as `/dev/null` or a pipe, and for a path that
/// leads nowhere.
fn identity(path: &Path) -> Option<FileIdentity> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => None,
        #[cfg(unix)]
        Ok(found) => {
            use std::os::unix::fs::MetadataExt as _;
            Some(FileIdentity::Numbered(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        Ok(_) => Some(FileIdentity::Named(fs::canonicalize(path).ok()?)),
        Err(_) => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(FileIdentity::Named(folder.join(path.file_name()?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(read: &[&Path], written: &[&Path]) -> Option<String> {
        let failure = keep_inputs(read, written).err()?;
        Some(failure.to_string())
    }

    #[test]
    fn no_file_is_read_and_written_or_written_twice() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).unwrap();
        fs::write(at("games"), "").unwrap();
        fs::hard_link(at("games"), at("same")).unwrap();
        for same in ["games", "same", "below/../games"] {
            let told = told(&[&at("games")], &[&at("new"), &at(same)]).unwrap();
            assert!(
                told.contains("is read and cannot be written to as well"),
                "{told}"
            );
        }
        for (one, two) in [("new", "below/../new"), ("games", "same")] {
            let told = told(&[], &[&at(one), &at(two)]).unwrap();
            assert!(told.contains("is written twice"), "{told}");
        }
        assert_eq!(told(&[&at("games")], &[&at("new"), &at("other")]), None);
        assert_eq!(told(&[&at("none")], &[&at("nowhere/games")]), None);
    }

    #[test]
    fn one_file_may_have_two_names() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        fs::write(&one, "").unwrap();
        assert!(!is_same_file(&one, &other));
        fs::hard_link(&one, &other).unwrap();
        assert!(is_same_file(&one, &other));
        assert!(!is_same_file(folder.path(), folder.path()), "a folder");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_no_loss() {
        let null = Path::new("/dev/null");
        assert_eq!(told(&[null], &[null, null]), None);
    }
}
