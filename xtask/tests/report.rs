//! The pages of the recorded results, read back: every figure is that of `compare.csv`, every link leads
//! somewhere, and the sizes are bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use scraper::{ElementRef, Html, Selector};

/// The report, written once by the command line.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path());
    folder
});

/// Its pages by path.
type Pages = BTreeMap<String, Html>;

fn pages() -> Pages {
    let folder = FOLDER.path();
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

/// A table as it is recorded: by row and column, the other columns of `compare.csv` by name.
type Compare = Vec<BTreeMap<String, String>>;

fn recorded() -> BTreeMap<String, Compare> {
    let results = root().join("results");
    let mut found = BTreeMap::new();
    for path in files(&results)
        .iter()
        .filter(|path| path.ends_with("compare.csv"))
    {
        let id = path
            .parent()
            .expect("a folder")
            .strip_prefix(&results)
            .expect("below results");
        let mut reader = csv::Reader::from_path(path).expect("the comparison");
        let lines = reader.deserialize().collect::<Result<Compare, _>>();
        found.insert(id.to_string_lossy().into_owned(), lines.expect("lines"));
    }
    found
}

/// The pages of a table, the first first.
fn pages_of<'p>(pages: &'p Pages, id: &str) -> Vec<&'p Html> {
    let first = pages.get(&format!("{id}.html"));
    let further = (2..).map_while(|n| pages.get(&format!("{id}.{n}.html")));
    first.into_iter().chain(further).collect()
}

/// A shown number as it is recorded.
fn plain(shown: &str) -> String {
    shown.replace('−', "-")
}

/// Whether a shown value is the recorded one, with as many digits as are shown.
fn is_rounded(shown: &str, recorded: &str) -> bool {
    let shown = plain(shown);
    let (Ok(one), Ok(other)) = (shown.parse::<f64>(), recorded.parse::<f64>()) else {
        return shown == recorded.split_whitespace().collect::<Vec<_>>().join(" ");
    };
    let digits = shown
        .split(['e', 'E'])
        .next()
        .and_then(|text| text.split_once('.'))
        .map_or(0, |(_, after)| after.len());
    let exponent = shown
        .split_once(['e', 'E'])
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    let scale = 10f64.powi(exponent - i32::try_from(digits).expect("few digits"));
    // Integers are rounded to tens or more: to their zeros.
    let half = if digits == 0 && exponent == 0 {
        let zeros = shown.len() - shown.trim_end_matches('0').len();
        let zeros = if one == 0.0 { 0 } else { zeros };
        0.5 * 10f64.powi(i32::try_from(zeros).expect("few digits"))
    } else {
        0.5 * scale
    };
    (one - other).abs() <= half * (1.0 + 1e-6) + 1e-12 * other.abs()
}

/// The cell of every sheet and of every figure is that of the comparison, and none is missing.
#[test]
fn every_figure_is_the_recorded_one() {
    let (sheets, parts) = (select("article.cell"), select("dl"));
    let (dt, dd, h3, data) = (select("dt"), select("dd"), select("h3"), select("data"));
    let all = pages();
    let mut n_figures = 0;
    for (id, lines) in recorded() {
        let pages = pages_of(&all, &id);
        assert!(!pages.is_empty(), "{id} has no page");
        let mut told: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for page in &pages {
            for sheet in page.select(&sheets) {
                let name = text(sheet.select(&h3).next().expect("a heading"));
                let mut facts = BTreeMap::new();
                for list in sheet.select(&parts) {
                    for (name, value) in list.select(&dt).zip(list.select(&dd)) {
                        // Numbers are rounded for readers, with all digits in the attribute.
                        let exact = value.select(&data).next();
                        let exact = exact.and_then(|data| data.value().attr("value"));
                        if let Some(exact) = exact {
                            let rounded = text(value.select(&data).next().expect("a number"));
                            assert!(is_rounded(&rounded, exact), "{id}: {rounded} of {exact}");
                        }
                        facts.insert(text(name), exact.map_or_else(|| text(value), str::to_owned));
                    }
                }
                told.insert(name, facts);
            }
        }
        for line in &lines {
            let (row, column) = (&line["row"], &line["column"]);
            let start = format!(
                "{} {column}",
                format!("{row},")
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
            );
            let facts = told.iter().find(|(name, _)| {
                **name == start
                    || name
                        .strip_prefix(start.as_str())
                        .is_some_and(|rest| rest.starts_with(" ("))
            });
            let Some((_, facts)) = facts else {
                assert!(
                    line["published"].is_empty(),
                    "{id} \"{row}\".{column} is published and has no sheet"
                );
                continue;
            };
            n_figures += 1;
            let fact = |name: &str| plain(facts.get(name).map_or("", String::as_str));
            let whole = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            if !line["reproduced"].is_empty() {
                let (shown, exact) = (fact("reproduced"), whole(&line["reproduced"]));
                let is_same = shown == exact
                    || shown
                        .parse::<f64>()
                        .is_ok_and(|one| exact.parse() == Ok(one));
                assert!(is_same, "{id} \"{row}\".{column}: {shown} of {exact}");
            }
            if !line["published"].is_empty() {
                assert_eq!(
                    fact("published"),
                    whole(&line["published"]),
                    "{id} \"{row}\".{column}"
                );
                // What is not judged has neither.
                let is_judged = line["outcome"] != "info";
                for name in ["outcome", "tolerance"] {
                    let wanted = if is_judged { line[name].as_str() } else { "" };
                    assert_eq!(fact(name), wanted, "{id} \"{row}\".{column}: {name}");
                }
                if !line["difference"].is_empty() {
                    let difference = fact("difference");
                    let number = difference.split(' ').next().unwrap_or_default();
                    let is_rounded = is_rounded(number, &line["difference"]);
                    assert!(
                        is_rounded,
                        "{id} \"{row}\".{column}: {number} of {}",
                        line["difference"]
                    );
                }
            }
        }
    }
    assert!(n_figures > 1_000, "{n_figures}");
}

/// What stands in the tables is what is recorded, rounded.
#[test]
fn every_number_in_a_table_is_the_recorded_one() {
    let rows = select("table.dense tbody tr");
    let (th, td, small, b) = (select("th"), select("td"), select("small"), select("b"));
    let head = select("thead th");
    let all_pages = pages();
    let mut n_numbers = 0;
    for (id, lines) in recorded() {
        for page in pages_of(&all_pages, &id) {
            for table in page.select(&select("table.dense")) {
                let columns: Vec<String> = table
                    .select(&head)
                    .map(|th| {
                        th.children()
                            .filter_map(|node| Some(node.value().as_text()?.to_string()))
                            .collect::<String>()
                    })
                    .collect();
                for row in table.select(&rows).chain(table.select(&select("tbody tr"))) {
                    let name = text(row.select(&th).next().expect("the row's name"));
                    for (column, cell) in columns.iter().skip(1).zip(row.select(&td)) {
                        let all = text(cell);
                        if all.is_empty() {
                            continue;
                        }
                        let line = lines.iter().find(|line| {
                            line["row"].split_whitespace().collect::<Vec<_>>().join(" ") == name
                                && line["column"] == *column
                        });
                        let line = line
                            .unwrap_or_else(|| panic!("{id} \"{name}\".{column} is not recorded"));
                        n_numbers += 1;
                        let printed = cell.select(&small).next().map(text);
                        let ours = match (cell.select(&b).next(), &printed) {
                            (Some(ours), _) => text(ours),
                            // With its error.
                            (None, Some(error)) => {
                                all.trim_end_matches(error.as_str()).trim().to_owned()
                            }
                            (None, None) => all.clone(),
                        };
                        let printed = printed.filter(|text| !text.starts_with('±'));
                        assert!(
                            is_rounded(&ours, &line["reproduced"]),
                            "{id} \"{name}\".{column}: {ours} of {}",
                            line["reproduced"]
                        );
                        if let Some(printed) = printed {
                            let printed = printed
                                .strip_prefix("published ")
                                .and_then(|rest| rest.strip_suffix(", reproduced"))
                                .unwrap_or_else(|| panic!("{id}: {printed}"));
                            assert_eq!(
                                plain(printed),
                                line["published"]
                                    .split_whitespace()
                                    .collect::<Vec<_>>()
                                    .join(" "),
                                "{id}"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(n_numbers > 5_000, "{n_numbers}");
}

/// The numbers of the bars are those of the comparisons.
#[test]
fn every_count_is_that_of_the_comparisons() {
    let (all, recorded) = (pages(), recorded());
    let mut n_bars = 0;
    for (id, lines) in &recorded {
        let bar = pages_of(&all, id)[0]
            .select(&select("main .counted .bar"))
            .next();
        let Some(bar) = bar else { continue };
        let label = bar.value().attr("aria-label").expect("its numbers");
        assert_eq!(label, headline(lines.iter()), "{id}");
        n_bars += 1;
    }
    assert!(n_bars > 50, "{n_bars}");
    let of_papers = || {
        let papers = recorded.iter().filter(|(id, _)| !id.starts_with("beyond/"));
        papers.flat_map(|(_, lines)| lines)
    };
    let front = &all["index.html"];
    let bar = front.select(&select("#counts .bar")).next().expect("a bar");
    let label = bar.value().attr("aria-label").expect("its numbers");
    assert_eq!(label, headline(of_papers()));
    // The same numbers in large digits.
    let counts = text(front.select(&select("#counts")).next().expect("the counts"));
    let n = |word: &str| {
        of_papers()
            .filter(|line| line["outcome"].starts_with(word))
            .count()
    };
    for (n, word) in [
        (n("matches"), "match"),
        (n("inconclusive"), "inconclusive"),
        (n("differs"), "differ"),
    ] {
        assert!(
            counts.replace(',', "").contains(&format!("{n} {word}")),
            "{counts}"
        );
    }
}

/// The headline of some lines, recounted.
fn headline<'l>(lines: impl Iterator<Item = &'l BTreeMap<String, String>>) -> String {
    let outcomes: Vec<&str> = lines.map(|line| line["outcome"].as_str()).collect();
    let n = |word: &str| outcomes.iter().filter(|outcome| **outcome == word).count();
    let (strong, weak) = (n("matches"), n("matches (weak)"));
    let inconclusive = n("inconclusive");
    let (explained, unexplained) = (n("differs (explained)"), n("differs (unexplained)"));
    let all = strong + weak + inconclusive + explained + unexplained;
    let s = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    if all == 0 {
        return "no values compared".to_owned();
    }
    format!(
        "{} compared: {} ({strong} in a test that could have failed), {inconclusive} inconclusive, {}, {}",
        s(all, "value", "values"),
        s(strong + weak, "matches", "match"),
        s(explained, "differs (explained)", "differ (explained)"),
        s(unexplained, "differs (unexplained)", "differ (unexplained)"),
    )
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
    for (id, lines) in recorded()
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
    for (path, page) in pages {
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
