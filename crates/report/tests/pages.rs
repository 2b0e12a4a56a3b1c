//! The pages of a small workspace, as they are.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use kibitz_lab::record::{
    Joint, JointFinding, KindCode, Origin, Paper, PrintedTable, RecordedCell, RecordedColumn,
    RecordedDeviation, RecordedTable, WorkspaceRecord,
};
use kibitz_lab::{Counts, Outcome};
use kibitz_report::{NoPictures, Site, site};

fn cell(row: &str, column: &str, printed: &str, ours: f64, outcome: Outcome) -> RecordedCell {
    let paper: Option<f64> = printed.parse().ok();
    RecordedCell {
        row: row.to_owned(),
        column: column.to_owned(),
        printed: Some(printed.to_owned()).filter(|text| !text.is_empty()),
        printed_number: paper,
        ours: Some(ours.to_string()),
        ours_shown: format!("{ours:.1}"),
        number: Some(ours),
        std_dev: None,
        std_error: Some(0.5),
        spread_shown: "0.50".to_owned(),
        replicates_n: 1,
        samples: None,
        replicates: Vec::new(),
        difference: paper.map(|paper| (ours - paper).to_string()),
        errors: paper.map(|paper| (ours - paper) / 0.5),
        tolerance: "2 standard errors".to_owned(),
        accepted: paper.map(|paper| [paper - 1.0, paper + 1.0]),
        interval: None,
        baselines: vec![("a constant".to_owned(), Some("0".to_owned()))],
        outcome,
        baseline: "0".to_owned(),
        reason: String::new(),
        deviation: (outcome == Outcome::DiffersUnexplained).then_some(0),
    }
}

fn workspace() -> WorkspaceRecord {
    let mut cells = vec![
        cell("side 1 <a>", "area", "1.0", 1.25, Outcome::Matches),
        cell("side 2", "area", "9.0", 4.0, Outcome::DiffersUnexplained),
    ];
    cells.push(RecordedCell {
        printed: None,
        ..cell("side 2", "sides", "", 4.0, Outcome::Info)
    });
    let outcomes: Counts = cells.iter().map(|cell| cell.outcome).collect();
    let column = |name: &str| RecordedColumn {
        name: name.to_owned(),
        unit: "m2".to_owned(),
        doc: "area of the square".to_owned(),
        tolerance: "2 standard errors".to_owned(),
        ..RecordedColumn::default()
    };
    let table = RecordedTable {
        id: "demo/squares".to_owned(),
        title: "Squares & lengths".to_owned(),
        kind: "squares".to_owned(),
        place: "Table 1".to_owned(),
        notes: Some("See `area` and demo/squares.".to_owned()),
        columns: vec![column("area"), column("sides")],
        cells,
        outcomes,
        joint: Joint {
            errors: Some(JointFinding {
                n_cells: 2,
                n_found: 1,
                expected: 0.1,
                p: 0.02,
            }),
            rows: None,
        },
        deviations: vec![RecordedDeviation {
            cells: vec!["side 2.area".to_owned()],
            reason: "The paper counts twice.".to_owned(),
            tested: Some("side 1 <a>.area".to_owned()),
            decided_by: Some("A square of another side.".to_owned()),
            ..RecordedDeviation::default()
        }],
        fitted: vec![(
            vec!["side 1*".to_owned()],
            "the unit".to_owned(),
            "this row".to_owned(),
        )],
        self_checks: vec![(
            false,
            "the sum of `side 1.area` is 1; 9 is printed".to_owned(),
        )],
        origin: Origin {
            toml: "kind = \"squares\"\n".to_owned(),
            inputs_key: "0a1b".to_owned(),
            replicates: 1,
            ..Origin::default()
        },
        plot: Some(
            "<svg width=\"4\" height=\"4\" viewBox=\"0 0 4 4\"><path stroke=\"#0072B2\"/></svg>\n"
                .to_owned(),
        ),
        ..RecordedTable::default()
    };
    WorkspaceRecord {
        program: "demo".to_owned(),
        rule: None,
        article: Some(
            "# Demo\n\nTwo squares.\n\n## Findings\n\n### [A square is too large](demo/squares.toml)\n\n\
             It has **1.25<!-- value: demo/squares \"side 1 <a>\".area -->** m2.\n\n## More\n\nNothing.\n"
                .to_owned(),
        ),
        papers: vec![Paper {
            id: "demo".to_owned(),
            title: "On Squares".to_owned(),
            short: "Demo 1900".to_owned(),
            citation: "A. Demo (1900). On Squares.".to_owned(),
            is_published: true,
            printed_tables: vec![PrintedTable { place: "Table 1".to_owned(), tables: vec!["demo/squares".to_owned()], note: None }],
            not_attempted: vec![("Table 2".to_owned(), "it is torn".to_owned())],
            article: Some("**Half of it.** The area is 1.25<!-- value: demo/squares \"side 1 <a>\".area -->.\n\n## How\n\n<script>alert(1)</script>\n".to_owned()),
            ..Paper::default()
        }],
        tables: vec![table],
        datasets: Vec::new(),
        kinds: vec![KindCode { name: "squares".to_owned(), file: Some("src/squares.rs".to_owned()), line: 2, text: "// A < B\nimpl Experiment for Squares {}\n".to_owned() }],
        data: BTreeMap::new(),
        ..WorkspaceRecord::default()
    }
}

fn written() -> Site {
    site(&workspace(), &NoPictures, &[])
}

/// One tag per line, without the part that all pages share.
fn shown(page: &str) -> String {
    let text = &written().files[page];
    let start = text.find("<header").expect("a header");
    text[start..].replace("><", ">\n<")
}

#[test]
fn pages_are_as_they_were() {
    let site = written();
    let names: Vec<&str> = site.files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "code/squares.html",
            "demo/index.html",
            "demo/squares.html",
            "index.html",
            "outcomes/index.html",
            "report.js",
            "style.css"
        ]
    );
    assert_snapshot!("front", shown("index.html"));
    assert_snapshot!("table", shown("demo/squares.html"));
    assert_snapshot!("paper", shown("demo/index.html"));
    assert_snapshot!("outcomes", shown("outcomes/index.html"));
}

#[test]
fn what_people_write_stays_text() {
    let site = written();
    assert!(!site.files["demo/index.html"].contains("<script>alert"));
    assert!(site.files["demo/squares.html"].contains("side 1 &lt;a&gt;"));
    assert!(site.files["code/squares.html"].contains("// A &lt; B"));
    // The number leads to its sheet.
    assert!(
        site.files["demo/index.html"]
            .contains("href=\"../demo/squares.html#side-1-a-.area\">1.25</a>")
    );
}

#[test]
fn what_is_not_as_recorded_is_said_on_the_pages() {
    let mut recorded = workspace();
    let is_told = |site: &Site| {
        (
            site.files["demo/squares.html"].contains("Beware: "),
            site.files["index.html"].contains("Not shown"),
        )
    };
    assert_eq!(is_told(&site(&recorded, &NoPictures, &[])), (false, false));
    let notice = "These values rest on `own`, which has changed.";
    recorded.tables[0].notices.push(notice.to_owned());
    let why = "results/demo/other/table.csv is missing".to_owned();
    recorded.left_out.push(("demo/other".to_owned(), why));
    let site = site(&recorded, &NoPictures, &[]);
    assert_eq!(is_told(&site), (true, true));
    let shown = "These values rest on <code>own</code>, which has changed.";
    assert!(site.files["demo/squares.html"].contains(shown));
    assert!(site.files["index.html"].contains("results/demo/other/table.csv is missing"));
}

#[test]
fn findings_of_the_article_are_cards() {
    let front = &written().files["index.html"];
    assert!(front.contains("<a href=\"demo/squares.html\">A square is too large</a>"));
    assert!(front.contains("stroke=\"var(--s1)\""), "its plot");
    assert!(front.contains("<h2>More</h2>"), "the other sections stay");
    assert!(!front.contains("<h2>Findings</h2>"));
}

#[test]
fn numbers_of_either_sign_and_zero_are_dots() {
    let mut recorded = workspace();
    recorded.tables[0].cells = [("0", 0.0), ("-3", -3.5), ("5", -5.0), ("0.001", 40.0)]
        .map(|(printed, ours)| cell(printed, "area", printed, ours, Outcome::Inconclusive))
        .into();
    let front = &site(&recorded, &NoPictures, &[]).files["index.html"];
    let dots = front.matches("<a href=\"demo/squares.html#").count();
    // The number of the finding leads to a row that is gone.
    assert_eq!(dots, 4, "{front}");
    assert!(!front.contains("NaN") && !front.contains("inf"));
}

#[test]
fn every_compared_row_is_drawn_on_the_scale_of_its_column() {
    let mut recorded = workspace();
    let exact = RecordedCell {
        std_error: Some(0.0),
        accepted: None,
        ..cell(
            "side 1 <a>",
            "area",
            "42.6",
            55.1,
            Outcome::DiffersUnexplained,
        )
    };
    recorded.tables[0].cells[0] = exact;
    let page = &site(&recorded, &NoPictures, &[]).files["demo/squares.html"];
    assert!(page.contains("aria-label=\"area. 2 rows: 2 differ (unexplained)\""));
}

#[test]
fn tiles_that_give_a_reason_are_tinted() {
    let style = &written().files["style.css"];
    let place = |rule: &str| style.find(rule).expect("the rule");
    assert!(place(".tile.open {") < place(".tile.hit {"));
}

#[test]
fn a_long_table_is_continued() {
    let mut recorded = workspace();
    let table = &mut recorded.tables[0];
    table.cells = (0..600)
        .map(|n| cell(&format!("row {n}"), "area", "1.0", 1.25, Outcome::Matches))
        .collect();
    table.deviations.clear();
    let site = site(&recorded, &NoPictures, &[]);
    let pages: Vec<&String> = site
        .files
        .keys()
        .filter(|path| path.starts_with("demo/squares"))
        .collect();
    assert!(pages.len() > 1);
    assert!(site.files.values().all(|text| text.len() < 500_000));
    assert!(site.files["demo/squares.2.html"].contains("href=\"squares.html\""));
}
