//! The words for cells: every trick by which one might earn a good word, and what it earns.

use crate::bench::{Bench, check, one, refused};

#[test]
fn what_cannot_fail_does_not_match() {
    let (differs, weak) = ("differs (unexplained)", "matches (weak)");
    for (ours, column, printed, word) in [
        ("5.0", "{ tol = { within = [1, 8] } }", "57", differs),
        (
            "1.5",
            "{ tol = { rel = 0.99 }, why = \"w\" }",
            "100",
            differs,
        ),
        (
            "5.0",
            "{ tol = { abs = 10 }, why = \"w\" }",
            "0.08",
            differs,
        ),
        ("\"yes\"", "{ tol = \"exact\" }", "\"yes\"", weak),
        ("0.0", "{ tol = \"exact\" }", "0", weak),
        // A zero is found whatever baseline is declared.
        (
            "0.0",
            "{ tol = \"exact\", baseline = 3, range = [0, 9] }",
            "0",
            weak,
        ),
        ("0.04", "{}", "0.0", weak),
        // A value of a column without a baseline could have been typed in.
        ("8.0", "{ tol = \"exact\" }", "8", weak),
        ("8.0", "{ tol = \"exact\", baseline = 0 }", "8", "matches"),
        (
            "8.0",
            "{ tol = \"exact\", baseline = \"shuffle\" }",
            "8",
            weak,
        ),
        (
            "8.0",
            "{ tol = \"exact\", baseline = \"most-common\" }",
            "8",
            weak,
        ),
        ("8.0", "{ baseline = { none = \"all lose\" } }", "8", weak),
        ("5.0", "{ tol = { within = [4, 9] } }", "7", weak),
        (
            "5.0",
            "{ tol = { within = [4, 9] }, baseline = 1 }",
            "7",
            "matches",
        ),
        (
            "5.0",
            "{ tol = { within = [4, 9] }, baseline = 4 }",
            "7",
            weak,
        ),
        ("0.3", "{ tol = { digits = 0 }, why = \"w\" }", "0.4", weak),
        ("9.0", "{ tol = { rel = 1.5 }, why = \"w\" }", "4", differs),
        ("56", "{ tol = { abs = 5 }, baseline = 50 }", "53", weak),
        ("46", "{ tol = { abs = 5 }, baseline = 50 }", "53", differs),
        // The published value is as near to the baseline as to ours.
        ("4", "{ tol = { rel = 0.5 }, baseline = 0 }", "8", weak),
        (
            "4.1",
            "{ tol = { rel = 0.5 }, baseline = 0 }",
            "8",
            "matches",
        ),
        // A count that is off by more than a factor of two, within its tolerance.
        ("3", "{ tol = { abs = 2 }, baseline = 0 }", "1", differs),
        (
            "29",
            "{ tol = { abs = 140 }, baseline = 0, why = \"w\" }",
            "157",
            differs,
        ),
        // Within our own spread.
        (
            "[29, 70]",
            "{ tol = { std-error = 2 }, baseline = 0 }",
            "157",
            "inconclusive",
        ),
        (
            "[10, 1]",
            "{ tol = { std-error = 2 }, baseline = 0 }",
            "11",
            "matches",
        ),
        (
            "[10, 6]",
            "{ tol = { std-error = 2 }, baseline = 0 }",
            "11",
            "inconclusive",
        ),
        (
            "[11, 6]",
            "{ tol = { std-error = 2 }, baseline = 0 }",
            "11",
            weak,
        ),
        ("[11, 6]", "{ tol = { std-error = 2 } }", "12", weak),
        // Equal at the published digits, and many errors away.
        (
            "[11.04, 0.001]",
            "{ tol = { std-error = 2 }, baseline = 0 }",
            "11.0",
            weak,
        ),
        (
            "11.04",
            "{ tol = \"exact\", baseline = 0 }",
            "11.0",
            differs,
        ),
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
fn baselines_and_bounds_out_of_all_measure_are_refused_with_their_place() {
    for (column, printed, what) in [
        (
            "{ tol = { rel = 0.99 } }",
            "100",
            "more than half of the published value",
        ),
        (
            "{ tol = { abs = 10 } }",
            "0.08",
            "more than half of the published value",
        ),
        (
            "{ tol = { within = [1, 15] } }",
            "7",
            "more than half of the published value",
        ),
        (
            "{ tol = { std-error = 1e9 } }",
            "7",
            "at most 5 say anything",
        ),
        (
            "{ tol = { tau = 0.4 } }",
            "7",
            "off from 1 by more than a factor of two",
        ),
        (
            "{ tol = { std-error = 2 }, published-error = 60 }",
            "100",
            "the published error",
        ),
    ] {
        let told = refused(&one("5", column, printed));
        assert!(
            told.contains("demo/t.toml:5:") && told.contains(what),
            "{told}"
        );
        assert!(told.contains("say in `why`"), "{told}");
    }
    let bound = "deviation = [{ cells = \"a.x\", up-to = { errors = 1e300 }, reason = \"So.\", decided-by = \"It.\" }]\n";
    let bound = refused(&(bound.to_owned() + &one("9", "{ tol = \"exact\" }", "1")));
    assert!(bound.contains("explains anything"), "{bound}");
    let baseline = refused(&one(
        "5",
        "{ tol = { abs = 0.01 }, baseline = 1e9 }",
        "0.08",
    ));
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
    for (old, new) in [
        ("null = 0", "baseline"),
        ("print-error = 1", "published-error"),
    ] {
        let told = refused(&one("5", &format!("{{ {old} }}"), "5"));
        assert!(told.contains(&format!("is called `{new}` now")), "{told}");
    }
    let chance = refused(&one("5", "{ tol = { abs = 10 }, chance = 1e9 }", "0.08"));
    assert!(chance.contains("unknown key `chance`"), "{chance}");
    let without = refused(&one("5", "{ baseline = { none = \" \" } }", "5"));
    assert!(without.contains("{ none = \"why\" }"), "{without}");
}

#[test]
fn the_commonest_text_and_number_tell_nothing() {
    check(
        "columns = { x = { baseline = \"most-common\" }, y = { baseline = [0, \"most-common\"] } }\n\
         params.rows = { a = { x = \"+\", y = 2 }, b = { x = \"+\", y = 2 }, c = { x = \"-\", y = 3 }, d = { x = \"+\", y = 4 } }\n\
         published = { a = { x = \"+\", y = 2 }, b = { x = \"+\", y = 2 }, c = { x = \"-\", y = 3 }, d = { x = \"-\", y = 4 } }\n",
        &[
            ("a.x", "matches (weak)"),
            ("a.y", "matches (weak)"),
            ("b.x", "matches (weak)"),
            ("b.y", "matches (weak)"),
            ("c.x", "matches"),
            ("c.y", "matches"),
            ("d.x", "differs (unexplained)"),
            ("d.y", "matches"),
        ],
    );
}

#[test]
fn a_row_of_a_baseline_model_is_compared() {
    let table = "params.rows = { a = { x = 10.0 }, \"a by chance\" = { x = 9.0 }, b = { x = 20.0 }, \"b by chance\" = { x = 3.0 }, c = { x = 7.0 } }\n\
         columns.x = { tol = { abs = 2 }, baseline = [0, { row = \"{row} by chance\" }] }\n\
         published = { a.x = 10, b.x = 20, c.x = 7 }\n";
    let outcomes = Bench::new(table).outcomes();
    assert_eq!(outcomes["a.x"].0, "matches (weak)");
    assert!(
        outcomes["a.x"]
            .1
            .contains("`a by chance.x` would match as well: 9")
    );
    assert_eq!(outcomes["b.x"].0, "matches");
    // A baseline that is not computed decides nothing.
    assert_eq!(outcomes["c.x"].0, "matches (weak)");
    assert_eq!(outcomes["a by chance.x"].0, "info");
}

#[test]
fn shuffled_values_that_meet_print_tell_nothing() {
    check(
        "params.rows = { a = { x = 10.0 }, b = { x = 11.0 }, c = { x = 30.0 } }\n\
         columns.x = { tol = { abs = 2 }, baseline = \"shuffle\" }\n\
         published = { a.x = 10, b.x = 11, c.x = 30 }\n",
        &[
            ("a.x", "matches (weak)"),
            ("b.x", "matches (weak)"),
            ("c.x", "matches"),
        ],
    );
}

#[test]
fn chosen_doubtful_and_put_in_values_do_not_count() {
    check(
        "fitted = [{ cells = \"a.x\", by = \"a setting\", on = \"this table\" }, { cells = \"e.x\", by = \"a\", on = \"b\" }]\n\
         doubtful = \"b.x\"\ninputs = \"c.x\"\n\
         params.rows = { a = { x = 1.0 }, b = { x = 2.0 }, c = { x = 3.0 }, d = { x = 4.0 }, e = { x = 9.0 } }\n\
         columns.x = { tol = { abs = 0.5 }, baseline = 0, range = [0, 9] }\n\
         published = { a.x = 1, b.x = 2, c.x = 3, d.x = 4, e.x = 5 }\n",
        &[
            ("a.x", "fitted"),
            ("b.x", "illegible"),
            ("c.x", "input"),
            ("d.x", "matches"),
            ("e.x", "fitted"),
        ],
    );
}

#[test]
fn what_follows_or_repeats_is_checked_and_not_counted() {
    let table = |y: f64| {
        format!(
            "params.rows = {{ a = {{ x = 30.0, y = {y}, z = 30.0 }}, b = {{ x = 31.0 }} }}\n\
             columns = {{ x = {{ tol = {{ abs = 5 }}, baseline = 0 }}, y = {{ tol = {{ abs = 5 }}, derived = \"100 - x\" }}, z = {{ tol = {{ abs = 5 }}, same-as = \"{{row}}.x\" }} }}\n\
             published.a = {{ x = 30, y = 70, z = 30 }}\n"
        )
    };
    check(
        &table(70.0),
        &[
            ("a.x", "matches"),
            ("a.y", "derived"),
            ("a.z", "derived"),
            ("b.x", "info"),
        ],
    );
    let (word, why) = Bench::new(&table(70.1)).outcomes()["a.y"].clone();
    assert_eq!(
        (word.as_str(), why.as_str()),
        ("differs (unexplained)", "100 - x is 70, and not this")
    );
    let refused = refused(&table(70.0).replace("100 - x", "100 - w"));
    assert!(refused.contains("names a column `w`"), "{refused}");
}

#[test]
fn print_has_errors_of_its_own() {
    let column = |more: &str| format!("{{ tol = {{ std-error = 2 }}, baseline = 0{more} }}");
    let word = |more: &str| {
        Bench::new(&one("[10, 1]", &column(more), "12.5")).words()[0]
            .1
            .clone()
    };
    assert_eq!(word(""), "differs (unexplained)");
    assert_eq!(word(", published-error = \"as-ours\""), "matches");
    assert_eq!(word(", published-error = 0.5"), "differs (unexplained)");
    // Two samples of one size that share all, half or none of their members.
    assert_eq!(
        word(", published-error = { overlap = 1 }"),
        "differs (unexplained)"
    );
    assert_eq!(
        word(", published-error = { overlap = 0.5 }"),
        "differs (unexplained)"
    );
    assert_eq!(word(", published-error = { overlap = 0 }"), "matches");
    assert_eq!(word(", published-error = 0.8"), "matches");
}

#[test]
fn skewed_counts_are_judged_by_their_quantiles() {
    let table = |replicates: u32, printed: f64| {
        format!(
            "run = {{ seed = 1, replicates = {replicates} }}\nparams = {{ step = 1.0, rows.a.x = 1.0 }}\n\
             columns.x = {{ tol = {{ quantiles = 0.9 }}, baseline = 0 }}\npublished.a.x = {printed}\n"
        )
    };
    check(&table(20, 1.5), &[("a.x", "matches")]);
    check(&table(20, 0.999), &[("a.x", "differs (unexplained)")]);
    check(&table(20, 2.001), &[("a.x", "differs (unexplained)")]);
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
fn all_cells_together_have_an_outcome() {
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
