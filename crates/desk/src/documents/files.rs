//! The documents of a workspace: where they are.

use std::path::Path;

use kibitz_lab::provenance::{git_output, is_top_of_repository};

/// Folders whose Markdown is generated or not of the project.
const LEFT_OUT: [&str; 3] = ["target", "results", "node_modules"];

/// How deep folders are searched.
const DEEPEST: usize = 16;

/// The Markdown files that git knows and those in `docs/`; without git, all of them. From the root, `/`
/// between folders.
pub(super) fn markdown(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    match known_to_git(root) {
        Some(known) => {
            let is_there = |path: &String| is_wanted(path) && root.join(path).is_file();
            found.extend(known.into_iter().filter(is_there));
            walk(root, "docs", 0, &mut found);
            let top = in_folder(root, "").into_iter();
            found.extend(top.filter(|path| is_markdown(path) && root.join(path).is_file()));
        }
        None => walk(root, "", 0, &mut found),
    }
    found.sort();
    found.dedup();
    found
}

/// The pages of the crates.
pub(super) fn pages(root: &Path) -> Vec<String> {
    let crates = in_folder(root, "crates").into_iter();
    let pages = crates.flat_map(|folder| in_folder(root, &format!("{folder}/pages")));
    let is_page = |path: &String| has_extension(path, "html") && root.join(path).is_file();
    pages.filter(is_page).collect()
}

fn is_markdown(path: &str) -> bool {
    has_extension(path, "md")
}

fn has_extension(path: &str, wanted: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension == wanted)
}

/// Whether no folder of a path is left out.
fn is_wanted(path: &str) -> bool {
    let mut folders = path.split('/');
    folders.all(|folder| !LEFT_OUT.contains(&folder))
}

/// The Markdown files that git tracks; `None` where the root is not that of a repository.
fn known_to_git(root: &Path) -> Option<Vec<String>> {
    if !is_top_of_repository(root) {
        return None;
    }
    let text = git_output(root, &["ls-files", "-z", "--", "*.md"])?;
    let paths = text.split('\0').filter(|path| !path.is_empty());
    Some(paths.map(str::to_owned).collect())
}

/// What is in a folder, as paths from the root; hidden files are left out.
fn in_folder(root: &Path, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root.join(folder));
    let names = entries.into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (!name.starts_with('.')).then_some(name)
    });
    let path = |name: String| match folder {
        "" => name,
        folder => format!("{folder}/{name}"),
    };
    names.map(path).collect()
}

/// The Markdown files below a folder; links to folders are followed at the root only.
fn walk(root: &Path, folder: &str, depth: usize, found: &mut Vec<String>) {
    for path in in_folder(root, folder)
        .into_iter()
        .filter(|it| is_wanted(it))
    {
        let full = root.join(&path);
        let is_followed = depth == 0 || !full.is_symlink();
        if full.is_dir() && is_followed && depth < DEEPEST {
            walk(root, &path, depth + 1, found);
        } else if is_markdown(&path) && full.is_file() {
            found.push(path);
        }
    }
}
