//! Every number of the pages is that of `compare.csv`.

use super::*;

/// A table as it is recorded: by row and column, the other columns of `compare.csv` by name.
type Compare = Vec<BTreeMap<String, String>>;

pub(super) fn recorded() -> BTreeMap<String, Compare> {
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
    if all == 0 {
        return "no values compared".to_owned();
    }
    let s = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut parts = Vec::new();
    let matching = strong + weak;
    if matching > 0 {
        let strong = if strong == 0 {
            "none".to_owned()
        } else {
            strong.to_string()
        };
        let matching = s(matching, "matches", "match");
        parts.push(format!(
            "{matching} ({strong} in a test that could have failed)"
        ));
    }
    for (n, one, many) in [
        (inconclusive, "inconclusive", "inconclusive"),
        (explained, "differs (explained)", "differ (explained)"),
        (unexplained, "differs (unexplained)", "differ (unexplained)"),
    ] {
        if n > 0 {
            parts.push(s(n, one, many));
        }
    }
    format!(
        "{} compared: {}",
        s(all, "value", "values"),
        parts.join(", ")
    )
}
