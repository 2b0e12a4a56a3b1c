//! The words for cells: every trick by which one might earn a good word, and what it earns.

use std::collections::BTreeMap;

use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Experiment, Kind, Number, Output, Problems,
};
use kibitz_lab::{Answer, Exit, Lab, Mode, ReproduceOptions, Silent};
use rand_chacha::rand_core::Rng as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workspace::Workspace;

/// A figure, with its standard error where it has one.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Figure {
    Number(f64),
    WithError([f64; 2]),
    Text(String),
}

/// Rows as they are listed.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Listed {
    rows: BTreeMap<String, BTreeMap<String, Figure>>,
    /// Up to so much is added to the numbers of a replicate, at random.
    #[serde(default)]
    step: f64,
}

impl Experiment for Listed {
    type Row = ();
    const NAME: &'static str = "listed";
    const EXAMPLE: &'static str = "kind = \"listed\"\ntitle = \"x\"\nparams = { rows = {} }\n";
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, _: &mut Problems) {}

    fn columns(&self) -> Vec<Column> {
        let mut names: Vec<&String> = self.rows.values().flat_map(BTreeMap::keys).collect();
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .map(|name| Column::named(name, "", ""))
            .collect()
    }

    fn random(&self) -> bool {
        self.step > 0.0
    }

    fn cells(&self) -> Vec<Cell> {
        vec![Cell::rows("all", self.rows.keys().cloned(), ())]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let more = match self.step {
            0.0 => 0.0,
            step => step * (f64::from(ctx.rng().next_u32()) / f64::from(u32::MAX)),
        };
        for (row, figures) in &self.rows {
            let mut row = output.row(row);
            for (column, figure) in figures {
                match figure {
                    Figure::Number(value) => row.set(column, value + more),
                    Figure::WithError([value, error]) => {
                        row.set(column, Number::new(value + more).with_std_error(*error))
                    }
                    Figure::Text(text) => row.set(column, text.as_str()),
                };
            }
        }
        Ok(())
    }
}

/// A workspace with one table, and others.
struct Bench(Workspace);

impl Bench {
    fn new(table: &str) -> Self {
        let bench = Self(Workspace::bare());
        bench.table("t", table);
        bench
    }

    fn table(&self, name: &str, text: &str) {
        let head = "kind = \"listed\"\ntitle = \"A table\"\nsource = { paper = \"demo\", where = \"T\" }\n";
        self.0.write(
            &format!("experiments/demo/{name}.toml"),
            &format!("{head}{text}"),
        );
    }

    fn run(&self) -> Answer {
        self.with(&ReproduceOptions::default())
    }

    fn with(&self, options: &ReproduceOptions) -> Answer {
        let lab = Lab::new(
            self.0.root(),
            vec![Kind::of::<Listed>(Code::Constant)],
            "demo",
        );
        let never = std::sync::atomic::AtomicBool::new(false);
        lab.reproduce(options, &Silent, &never)
    }

    /// By `row.column`, the outcome and its reason.
    fn outcomes(&self) -> BTreeMap<String, (String, String)> {
        let answer = self.run();
        assert!(answer.exit <= Exit::Negative, "{}", answer.err);
        let text = self.0.read("target/kibitz/results/demo/t/compare.csv");
        let line = |line: &str| {
            let fields: Vec<&str> = line.splitn(8, ',').collect();
            let [row, column, _, _, _, _, outcome, reason] = fields[..] else {
                panic!("{line}");
            };
            let unquoted = reason.trim_matches('"').to_owned();
            (format!("{row}.{column}"), (outcome.to_owned(), unquoted))
        };
        text.lines().skip(1).map(line).collect()
    }

    fn words(&self) -> Vec<(String, String)> {
        let outcomes = self.outcomes().into_iter();
        outcomes.map(|(cell, (word, _))| (cell, word)).collect()
    }
}

/// That the cells of a table get these words.
#[track_caller]
fn check(table: &str, expected: &[(&str, &str)]) {
    let found = Bench::new(table).words();
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(cell, word)| (cell.as_str(), word.as_str()))
        .collect();
    assert_eq!(found, expected);
}

/// What is said of a table that is refused.
fn refused(table: &str) -> String {
    let answer = Bench::new(table).run();
    assert_eq!(answer.exit, Exit::BadInput, "{}", answer.err);
    answer.err
}

/// One column `x` of one row `a`.
fn one(ours: &str, column: &str, printed: &str) -> String {
    format!("params.rows.a.x = {ours}\ncolumns.x = {column}\npublished.a.x = {printed}\n")
}

#[test]
fn what_cannot_fail_does_not_agree() {
    for (ours, column, printed, word) in [
        ("5.0", "{ tol = { within = [1, 8] } }", "57", "differs"),
        ("1.5", "{ tol = { rel = 0.99 } }", "100", "undecided"),
        ("5.0", "{ tol = { abs = 10 } }", "0.08", "undecided"),
        ("\"yes\"", "{ tol = \"exact\" }", "\"yes\"", "undecided"),
        ("0.0", "{ tol = \"exact\" }", "0", "undecided"),
        ("0.04", "{}", "0.0", "undecided"),
        // One value of its own could have been typed in.
        ("8.0", "{ tol = \"exact\" }", "8", "undecided"),
        ("8.0", "{ tol = \"exact\", baseline = 0 }", "8", "agrees"),
        (
            "8.0",
            "{ tol = \"exact\", baseline = \"shuffle\" }",
            "8",
            "undecided",
        ),
        ("5.0", "{ tol = { within = [0, 8] } }", "7", "undecided"),
        ("5.0", "{ tol = { within = [1, 8] } }", "7", "agrees"),
        ("0.3", "{ tol = { digits = 0 } }", "0.4", "undecided"),
        ("9.0", "{ tol = { rel = 1.5 } }", "4", "undecided"),
        ("56", "{ tol = { abs = 5 }, baseline = 50 }", "53", "undecided"),
        ("46", "{ tol = { abs = 5 }, baseline = 50 }", "53", "differs"),
        // Print is as near to nothing as to ours.
        ("4", "{ tol = { rel = 0.5 } }", "8", "undecided"),
        ("4.1", "{ tol = { rel = 0.5 } }", "8", "agrees"),
    ] {
        let found = Bench::new(&one(ours, column, printed)).words();
        assert_eq!(
            found,
            [("a.x".to_owned(), word.to_owned())],
            "{ours}, {column}, {printed}"
        );
    }
}

#[test]
fn nulls_and_bounds_out_of_all_measure_are_refused_with_their_place() {
    let baseline = refused(&one("5", "{ tol = { abs = 1 }, baseline = 1e9 }", "0.08"));
    assert!(
        baseline.contains("demo/t.toml:5:") && baseline.contains("outside of the column's range"),
        "{baseline}"
    );
    let deviation = "deviation = [{ cells = \"a.x\", up-to = { abs = 1e300 }, reason = \"So.\", decided-by = \"It.\" }]\n";
    let bound = refused(&(deviation.to_owned() + &one("9", "{ tol = \"exact\" }", "1")));
    assert!(
        bound.contains("demo/t.toml:4:") && bound.contains("more than the whole range"),
        "{bound}"
    );
    let chance = refused(&one("5", "{ tol = { abs = 10 }, chance = 1e9 }", "0.08"));
    assert!(chance.contains("unknown key `chance`"), "{chance}");
    let without = refused(&one("5", "{ baseline = { none = \" \" } }", "5"));
    assert!(without.contains("{ none = \"why\" }"), "{without}");
}

/// A cell that differs, and what is said to show why.
fn deviating(tested: &str, more: &str) -> String {
    format!(
        "deviation = [{{ cells = \"a.x\", up-to = {{ abs = 8 }}, reason = \"So.\", tested = \"{tested}\"{more} }}]\n\
         params.rows.a = {{ x = 9.0 }}\nparams.rows.b = {{ x = 1.0, y = 4.0, z = \"no\" }}\n\
         columns = {{ x = {{ tol = \"exact\", baseline = 0, range = [0, 9] }}, y = {{}}, z = {{}} }}\n\
         published.a.x = 1\n"
    )
}

#[test]
fn a_reason_is_tested_by_one_figure_that_meets_print() {
    let word =
        |tested: &str, more: &str| Bench::new(&deviating(tested, more)).outcomes()["a.x"].clone();
    assert_eq!(word("b.x", "").0, "differs (tested)");
    let (not_met, why) = word("b.y", "");
    assert_eq!(not_met, "differs (conjecture)");
    assert!(why.contains("Not shown: `b.y` is 4, printed 1"), "{why}");
    assert_eq!(word("b.y", ", predicts = 4").0, "differs (tested)");
    assert_eq!(word("b.y", ", predicts = [3, 5]").0, "differs (tested)");
    assert_eq!(word("b.y", ", predicts = [5, 6]").0, "differs (conjecture)");
    assert_eq!(word("b.z", ", predicts = \"no\"").0, "differs (tested)");
    assert_eq!(word("{row}.y", "").0, "differs (conjecture)");
}

#[test]
fn neither_the_cell_itself_nor_a_whole_table_shows_a_reason() {
    let itself = refused(&deviating("a.x", ""));
    assert!(itself.contains("among the cells that deviate"), "{itself}");
    let table = refused(&deviating("demo/t", ""));
    assert!(table.contains("names no single figure"), "{table}");
    let row = refused(&deviating("c.x", ""));
    assert!(row.contains("names no row of the table"), "{row}");
    let unknown = refused(&deviating("demo/other: a.x", ""));
    assert!(
        unknown.contains("there is no experiment `demo/other`"),
        "{unknown}"
    );
    // By another name it is the same cell all the same.
    let (word, why) = Bench::new(&deviating("{row}.{column}", "")).outcomes()["a.x"].clone();
    assert_eq!(word, "differs (conjecture)");
    assert!(why.contains("the figure is the deviating one"), "{why}");
}

#[test]
fn a_figure_of_another_table_shows_a_reason() {
    let bench = Bench::new(&deviating("demo/other: c.y", ""));
    bench.table("other", "params.rows.c.y = 1.0\n");
    assert_eq!(bench.outcomes()["a.x"].0, "differs (tested)");
    bench.table("other", "params.rows.c.y = 2.0\n");
    assert_eq!(bench.outcomes()["a.x"].0, "differs (conjecture)");
}

#[test]
fn a_bound_is_at_most_twice_the_largest_difference() {
    let table = |up_to: &str| {
        format!(
            "deviation = [{{ cells = \"*.x\", up-to = {up_to}, reason = \"So.\", decided-by = \"It.\" }}]\n\
             params.rows = {{ a = {{ x = [9.0, 2.0] }}, b = {{ x = [2.0, 1.0] }}, c = {{ x = 7.0 }} }}\n\
             columns.x = {{ tol = \"exact\", range = [-50, 50] }}\n\
             published = {{ a.x = 1, b.x = 1, c.x = 7 }}\n"
        )
    };
    let words = |up_to: &str| -> Vec<String> {
        let words = Bench::new(&table(up_to)).words().into_iter();
        words.map(|(_, word)| word).collect()
    };
    let declared = "differs (conjecture)";
    assert_eq!(words("{ abs = 8 }"), [declared, declared, "agrees"]);
    assert_eq!(words("{ abs = 16 }"), [declared, declared, "agrees"]);
    assert_eq!(words("{ abs = 16.1 }"), ["differs", "differs", "agrees"]);
    assert_eq!(words("{ abs = 7.9 }"), ["differs", declared, "agrees"]);
    assert_eq!(words("{ errors = 4 }"), [declared, declared, "agrees"]);
    assert_eq!(words("{ errors = 3.9 }"), ["differs", declared, "agrees"]);
    assert_eq!(words("{ errors = 9 }"), ["differs", "differs", "agrees"]);
}

#[test]
fn the_commonest_text_and_number_tell_nothing() {
    check(
        "params.rows = { a = { x = \"+\", y = 2 }, b = { x = \"+\", y = 2 }, c = { x = \"-\", y = 3 }, d = { x = \"+\", y = 4 } }\n\
         published = { a = { x = \"+\", y = 2 }, b = { x = \"+\", y = 2 }, c = { x = \"-\", y = 3 }, d = { x = \"-\", y = 4 } }\n",
        &[
            ("a.x", "undecided"),
            ("a.y", "undecided"),
            ("b.x", "undecided"),
            ("b.y", "undecided"),
            ("c.x", "agrees"),
            ("c.y", "agrees"),
            ("d.x", "differs"),
            ("d.y", "agrees"),
        ],
    );
}

#[test]
fn a_row_of_a_null_model_is_held_against_print() {
    let table = "params.rows = { a = { x = 10.0 }, \"a by chance\" = { x = 9.0 }, b = { x = 20.0 }, \"b by chance\" = { x = 3.0 }, c = { x = 7.0 } }\n\
         columns.x = { tol = { abs = 2 }, baseline = [0, { row = \"{row} by chance\" }] }\n\
         published = { a.x = 10, b.x = 20, c.x = 7 }\n";
    let outcomes = Bench::new(table).outcomes();
    assert_eq!(outcomes["a.x"].0, "undecided");
    assert!(
        outcomes["a.x"]
            .1
            .contains("`a by chance.x`, would be as close: 9")
    );
    assert_eq!(outcomes["b.x"].0, "agrees");
    // A baseline that is not computed decides nothing.
    assert_eq!(outcomes["c.x"].0, "undecided");
    assert_eq!(outcomes["a by chance.x"].0, "info");
}

#[test]
fn shuffled_values_that_meet_print_tell_nothing() {
    check(
        "params.rows = { a = { x = 10.0 }, b = { x = 11.0 }, c = { x = 30.0 } }\n\
         columns.x = { tol = { abs = 2 }, baseline = \"shuffle\" }\n\
         published = { a.x = 10, b.x = 11, c.x = 30 }\n",
        &[
            ("a.x", "undecided"),
            ("b.x", "undecided"),
            ("c.x", "agrees"),
        ],
    );
}

#[test]
fn chosen_doubtful_and_put_in_values_do_not_count() {
    check(
        "fitted = [{ cells = \"a.x\", by = \"a setting\", on = \"this table\" }, { cells = \"e.x\", by = \"a\", on = \"b\" }]\n\
         doubtful = \"b.x\"\ninputs = \"c.x\"\n\
         params.rows = { a = { x = 1.0 }, b = { x = 2.0 }, c = { x = 3.0 }, d = { x = 4.0 }, e = { x = 9.0 } }\n\
         columns.x = { tol = { abs = 0.5 }, range = [0, 9] }\n\
         published = { a.x = 1, b.x = 2, c.x = 3, d.x = 4, e.x = 5 }\n",
        &[
            ("a.x", "fitted"),
            ("b.x", "doubtful"),
            ("c.x", "input"),
            ("d.x", "agrees"),
            // A choice does not explain a difference.
            ("e.x", "differs"),
        ],
    );
}

#[test]
fn what_follows_or_repeats_is_checked_and_not_counted() {
    let table = |y: f64| {
        format!(
            "params.rows = {{ a = {{ x = 30.0, y = {y}, z = 30.0 }}, b = {{ x = 31.0 }} }}\n\
             columns = {{ x = {{ tol = {{ abs = 5 }} }}, y = {{ tol = {{ abs = 5 }}, derived = \"100 - x\" }}, z = {{ tol = {{ abs = 5 }}, same-as = \"{{row}}.x\" }} }}\n\
             published.a = {{ x = 30, y = 70, z = 30 }}\n"
        )
    };
    check(
        &table(70.0),
        &[
            ("a.x", "agrees"),
            ("a.y", "derived"),
            ("a.z", "derived"),
            ("b.x", "info"),
        ],
    );
    let (word, why) = Bench::new(&table(70.1)).outcomes()["a.y"].clone();
    assert_eq!(
        (word.as_str(), why.as_str()),
        ("differs", "100 - x is 70, and not this")
    );
    let refused = refused(&table(70.0).replace("100 - x", "100 - w"));
    assert!(refused.contains("names a column `w`"), "{refused}");
}

#[test]
fn print_has_errors_of_its_own() {
    let column = |more: &str| format!("{{ tol = {{ std-error = 2 }}{more} }}");
    let word = |more: &str| {
        Bench::new(&one("[10, 1]", &column(more), "12.5")).words()[0]
            .1
            .clone()
    };
    assert_eq!(word(""), "differs");
    assert_eq!(word(", published-error = \"as-ours\""), "agrees");
    assert_eq!(word(", published-error = 0.5"), "differs");
    assert_eq!(word(", published-error = 0.8"), "agrees");
}

#[test]
fn skewed_counts_are_judged_by_their_quantiles() {
    let table = |replicates: u32, printed: f64| {
        format!(
            "run = {{ seed = 1, replicates = {replicates} }}\nparams = {{ step = 1.0, rows.a.x = 1.0 }}\n\
             columns.x = {{ tol = {{ quantiles = 0.9 }} }}\npublished.a.x = {printed}\n"
        )
    };
    check(&table(20, 1.5), &[("a.x", "agrees")]);
    check(&table(20, 0.999), &[("a.x", "differs")]);
    check(&table(20, 2.001), &[("a.x", "differs")]);
    assert!(refused(&table(19, 1.5)).contains("at least 20 replicates"));
    let bench = Bench::new(&table(20, 1.5));
    bench.run();
    let recorded = bench.0.read("target/kibitz/results/demo/t/table.csv");
    assert!(
        recorded.starts_with("row,column,value,text,sd,n,se,samples,replicates\n"),
        "{recorded}"
    );
    let replicates = recorded
        .lines()
        .nth(1)
        .and_then(|line| line.rsplit(',').next());
    assert_eq!(replicates.map(|values| values.split(' ').count()), Some(20));
}

#[test]
fn all_cells_together_have_a_verdict() {
    let rows: Vec<String> = (1..=6)
        .map(|row| format!("r{row} = {{ x = {row}.0, y = [{row}.0, 1.0] }}"))
        .collect();
    let printed: Vec<String> = (1..=6)
        .map(|row| format!("r{row} = {{ x = {row}, y = {} }}", f64::from(row) + 2.5))
        .collect();
    let bench = Bench::new(&format!(
        "params.rows = {{ {} }}\ncolumns = {{ x = {{ tol = {{ abs = 0.5 }} }}, y = {{ tol = {{ std-error = 3 }} }} }}\npublished = {{ {} }}\n",
        rows.join(", "),
        printed.join(", "),
    ));
    bench.run();
    let table = bench.0.read("target/kibitz/results/demo/t/table.md");
    assert!(
        table.contains(
            "0 of 6 cells judged by errors lie outside, 0.016 expected by chance; p = 0.075"
        ),
        "{table}"
    );
    assert!(table.contains("6 of 6 other cells lie within"), "{table}");
}

#[test]
fn words_that_change_are_logged_and_some_need_a_reason() {
    let table = |tol: &str| one("10.0", &format!("{{ tol = {tol}, baseline = 0 }}"), "10.5");
    let bench = Bench::new(&table("{ abs = 1 }"));
    let bless = |why: Option<&str>| {
        bench.with(&ReproduceOptions {
            mode: Mode::Bless { allow_dirty: true },
            why: why.map(str::to_owned),
            ..ReproduceOptions::default()
        })
    };
    assert_eq!(bless(None).exit, Exit::Done);
    assert!(!bench.0.path("results/verdicts.csv").exists());
    // A wider tolerance changes no word, and is asked about all the same.
    bench.table("t", &table("{ abs = 2 }"));
    let asked = bless(None);
    assert_eq!(asked.exit, Exit::BadInput);
    assert!(
        asked.err.contains("say why with --why") && asked.err.contains("another tolerance"),
        "{}",
        asked.err
    );
    assert_eq!(bless(Some("a coarser ruler")).exit, Exit::Done);
    bench.table("t", &table("\"info\", why = \"x\""));
    let asked = bless(None);
    assert!(
        asked
            .err
            .contains("1 cell stops being judged, such as demo/t \"a\".x"),
        "{}",
        asked.err
    );
    assert_eq!(bless(Some("nothing to judge by")).exit, Exit::Done);
    assert_eq!(
        bench.0.read("results/verdicts.csv"),
        "cell,from,to,why\n\"demo/t \"\"a\"\".x\",agrees,info,nothing to judge by\n"
    );
}
