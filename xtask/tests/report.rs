//! The pages of the recorded results, read back: every figure is that of `compare.csv`, every link leads
//! somewhere, and the sizes are bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use scraper::{ElementRef, Html, Selector};

#[path = "report/numbers.rs"]
mod numbers;

/// The report, written once by the command line.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path());
    folder
});

/// Its pages by path.
type Pages = BTreeMap<String, Html>;

/// The pages, read once for all tests: reading them takes longer than any test.
fn pages() -> MutexGuard<'static, Pages> {
    static PAGES: LazyLock<Mutex<Pages>> = LazyLock::new(|| Mutex::new(read_pages(FOLDER.path())));
    PAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_pages(folder: &Path) -> Pages {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "html");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the page");
        let name = path.strip_prefix(folder).expect("below the folder");
        (
            name.to_string_lossy().into_owned(),
            Html::parse_document(&text),
        )
    };
    files(folder)
        .into_iter()
        .filter(is_page)
        .map(read)
        .collect()
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("the workspace").to_owned()
}

fn write(out: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["report", "--root"])
        .arg(root())
        .arg("--out")
        .arg(out)
        .output()
        .expect("the command line runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && err.is_empty(), "{err}");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder").flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn select(css: &str) -> Selector {
    Selector::parse(css).expect("a selector")
}

fn text(element: ElementRef<'_>) -> String {
    let text: String = element.text().collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every published number that is compared is a dot, which leads to its sheet.
#[test]
fn every_number_of_the_papers_is_a_dot() {
    let all = pages();
    let front = &all["index.html"];
    let dots: BTreeSet<String> = front
        .select(&select(".scatter a:has(circle)"))
        .map(|dot| dot.value().attr("href").expect("an address").to_owned())
        .collect();
    let is_counted = |line: &&BTreeMap<String, String>| {
        ["matches", "inconclusive", "differs"]
            .iter()
            .any(|word| line["outcome"].starts_with(word))
    };
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let mut n_numbers = 0;
    for (id, lines) in numbers::recorded()
        .iter()
        .filter(|(id, _)| !id.starts_with("beyond/"))
    {
        let numbers = lines.iter().filter(is_counted);
        let numbers =
            numbers.filter(|line| is_number(&line["published"]) && is_number(&line["reproduced"]));
        let n = numbers.count();
        let own = dots.iter().filter(|dot| {
            dot.starts_with(&format!("{id}.html#"))
                || dot.starts_with(&format!("{id}.2.html#"))
                || dot.starts_with(&format!("{id}.3.html#"))
        });
        assert_eq!(own.count(), n, "{id}");
        n_numbers += n;
    }
    assert_eq!(dots.len(), n_numbers);
    assert!(n_numbers > 500, "{n_numbers}");
    // Without a script, and small.
    let figure = front
        .select(&select(".scatter"))
        .next()
        .expect("the picture")
        .html();
    assert!(figure.len() < 250_000, "{} bytes", figure.len());
}

/// Every finding has a picture and leads to its table.
#[test]
fn every_finding_has_a_picture() {
    let all = pages();
    let cards: Vec<ElementRef<'_>> = all["index.html"]
        .select(&select(".card"))
        .collect::<Vec<_>>();
    assert_eq!(cards.len(), 7);
    for card in cards {
        let title = text(card.select(&select("h3 a")).next().expect("a link"));
        assert!(
            card.select(&select(".shown svg")).next().is_some(),
            "{title}"
        );
        assert!(card.select(&select("p strong")).next().is_some(), "{title}");
    }
}

/// The folders of other pages are kept, and linked.
#[test]
fn pages_beside_the_report_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let guide = folder.path().join("book/index.html");
    std::fs::create_dir_all(guide.parent().expect("a folder")).expect("a folder");
    std::fs::write(&guide, "guides").expect("a file");
    write(folder.path());
    write(folder.path());
    assert_eq!(
        std::fs::read_to_string(&guide).expect("it is kept"),
        "guides"
    );
    let front = std::fs::read_to_string(folder.path().join("index.html")).expect("a page");
    assert!(front.contains("href=\"book/index.html\""));
    assert!(!front.contains("playground/index.html"));
}

#[test]
fn every_link_leads_somewhere_and_no_id_stands_twice() {
    let (folder, pages) = (&*FOLDER, &pages());
    let ids: BTreeMap<&String, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, page)| {
            let all: Vec<&str> = page
                .select(&select("[id]"))
                .filter_map(|element| element.value().attr("id"))
                .collect();
            let once: BTreeSet<&str> = all.iter().copied().collect();
            assert_eq!(all.len(), once.len(), "{path} has an id twice");
            (path, once)
        })
        .collect();
    for (path, page) in pages.iter() {
        let linked = select("[href], [src]");
        let links = page.select(&linked);
        for link in
            links.filter_map(|element| element.value().attr("href").or(element.value().attr("src")))
        {
            if link.starts_with("https://")
                || link.starts_with("http://")
                || link.starts_with("data:")
            {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = if file.is_empty() {
                path.clone()
            } else {
                joined(path, file)
            };
            assert!(folder.path().join(&to).is_file(), "{path}: {link}");
            if !anchor.is_empty() {
                assert!(ids[&to].contains(anchor), "{path}: {link}");
            }
        }
    }
}

/// A path from the page at another.
fn joined(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn sizes_are_bounded_and_bytes_are_the_same_again() {
    let folder = &*FOLDER;
    let again = tempfile::tempdir().expect("a temporary folder");
    write(again.path());
    let mut total = 0;
    for path in files(folder.path()) {
        let bytes = std::fs::read(&path).expect("the file");
        let name = path.strip_prefix(folder.path()).expect("below the folder");
        assert!(
            bytes.len() < 500_000,
            "{}: {} bytes",
            name.display(),
            bytes.len()
        );
        total += bytes.len();
        assert!(
            std::fs::read(again.path().join(name)).expect("the same file") == bytes,
            "{} differs",
            name.display()
        );
    }
    assert_eq!(files(folder.path()).len(), files(again.path()).len());
    assert!(total < 10_000_000, "{total} bytes");
}

/// From the front page to the code of a table, two clicks.
#[test]
fn the_code_is_near() {
    let pages = &pages();
    let has = |page: &str, link: &str| {
        let linked = select("a[href]");
        let all = pages[page].select(&linked);
        all.filter_map(|element| element.value().attr("href"))
            .any(|href| href.starts_with(link))
    };
    assert!(has("index.html", "jansen2000/table2.html"));
    assert!(has("jansen2000/table2.html", "../code/choice-model.html#L"));
    let line = pages["code/choice-model.html"]
        .select(&select("li.here"))
        .next()
        .map(text);
    assert!(line.is_some_and(|line| line.starts_with("impl Experiment for")));
}

/// A folder that is no report is left alone.
#[test]
fn a_folder_of_other_files_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("mine.txt"), "mine").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["report", "--root"])
        .arg(root())
        .arg("--out")
        .arg(folder.path())
        .output()
        .expect("the command line runs");
    assert_eq!(output.status.code(), Some(6));
    assert!(String::from_utf8_lossy(&output.stderr).contains("holds other files than a report"));
    assert!(folder.path().join("mine.txt").exists());
}
