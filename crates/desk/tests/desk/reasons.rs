//! What explains a difference, what only claims to, and words that change.

use kibitz_desk::{Mode, ReproduceOptions};
use kibitz_lab::Exit;

use crate::bench::{Bench, one, refused};

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
    assert_eq!(word("b.x", "").0, "differs (explained)");
    let (not_met, why) = word("b.y", "");
    assert_eq!(not_met, "differs (unexplained)");
    let expected = "Not shown: `b.y` is 4; it would have to be 1, the published value of `a.x`.";
    assert!(why.contains(expected), "{why}");
    assert_eq!(word("b.y", ", predicts = 4").0, "differs (explained)");
    assert_eq!(word("b.y", ", predicts = [3, 5]").0, "differs (explained)");
    assert_eq!(
        word("b.y", ", predicts = [5, 6]").0,
        "differs (unexplained)"
    );
    assert_eq!(word("b.z", ", predicts = \"no\"").0, "differs (explained)");
    let decided = ", decided-by = \"a test\"";
    assert_eq!(word("{row}.y", decided).0, "differs (unexplained)");
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
        unknown.contains("unknown experiment `demo/other`"),
        "{unknown}"
    );
    // By another name it is the same cell all the same.
    for name in ["{row}.{column}", "demo/t: a.x"] {
        let itself = refused(&deviating(name, ""));
        assert!(itself.contains("among the cells that deviate"), "{itself}");
    }
    let (word, why) = Bench::new(&deviating("a.{column}", "")).outcomes()["a.x"].clone();
    assert_eq!(word, "differs (unexplained)");
    assert!(
        why.contains("the value named is the deviating one"),
        "{why}"
    );
}

#[test]
fn a_reason_that_is_not_shown_asks_what_would_decide_it() {
    let exit = |more: &str| {
        let bench = Bench::new(&deviating("b.y", more));
        let answer = bench.run();
        (answer.exit, bench.outcomes()["a.x"].1.clone())
    };
    let (failed, why) = exit("");
    assert_eq!(failed, Exit::Negative);
    assert!(why.contains("Add `decided-by`"), "{why}");
    assert_eq!(exit(", decided-by = \"It.\"").0, Exit::Done);
}

#[test]
fn a_figure_of_another_table_shows_a_reason() {
    let bench = Bench::new(&deviating("demo/other: c.y", ""));
    bench.table("other", "params.rows.c.y = 1.0\n");
    assert_eq!(bench.outcomes()["a.x"].0, "differs (explained)");
    bench.table("other", "params.rows.c.y = 2.0\n");
    assert_eq!(bench.outcomes()["a.x"].0, "differs (unexplained)");
}

#[test]
fn a_bound_is_at_most_twice_the_largest_difference() {
    let table = |up_to: &str| {
        format!(
            "deviation = [{{ cells = \"*.x\", up-to = {up_to}, reason = \"So.\", decided-by = \"It.\" }}]\n\
             params.rows = {{ a = {{ x = [9.0, 2.0] }}, b = {{ x = [2.0, 1.0] }}, c = {{ x = 7.0 }} }}\n\
             columns.x = {{ tol = \"exact\", baseline = 0, range = [-50, 50] }}\n\
             published = {{ a.x = 1, b.x = 1, c.x = 7 }}\n"
        )
    };
    let words = |up_to: &str| -> Vec<String> {
        let words = Bench::new(&table(up_to)).words().into_iter();
        words.map(|(_, word)| word).collect()
    };
    let declared = "differs (unexplained)";
    let exit = |up_to: &str| Bench::new(&table(up_to)).run().exit;
    for (up_to, code) in [
        ("{ abs = 8 }", Exit::Done),
        ("{ abs = 16 }", Exit::Done),
        ("{ abs = 16.1 }", Exit::Negative),
        ("{ abs = 7.9 }", Exit::Negative),
        ("{ errors = 4 }", Exit::Done),
        ("{ errors = 3.9 }", Exit::Negative),
        ("{ errors = 9 }", Exit::Negative),
    ] {
        assert_eq!(words(up_to), [declared, declared, "matches"], "{up_to}");
        assert_eq!(exit(up_to), code, "{up_to}");
    }
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
            .contains("1 cell stops being compared, such as demo/t \"a\".x"),
        "{}",
        asked.err
    );
    assert_eq!(bless(Some("nothing to judge by")).exit, Exit::Done);
    assert_eq!(
        bench.0.read("results/verdicts.csv"),
        "cell,from,to,why\n\
         \"demo/t \"\"a\"\".x\",matches,matches,tolerance ± 1 → ± 2: a coarser ruler\n\
         \"demo/t \"\"a\"\".x\",matches,info,nothing to judge by\n"
    );
}

#[test]
fn a_variant_shows_the_comparison_and_counts_nowhere() {
    let rows = "params.rows = { a = { x = 10.0, y = 1.0 }, \"a, again\" = { x = 12.0, y = 1.0 } }\n\
         columns = { x = { tol = { abs = 1 }, baseline = 0 }, y = { tol = { abs = 0.1 }, baseline = 0 } }\n\
         published = { a = { x = 10, y = 1 }, \"a, again\" = { x = 10, y = 1 } }\n";
    let of = |variant: &str| Bench::new(&format!("{variant}{rows}"));
    let bench = of("variant-of = { \"a, *\" = \"demo/t\" }\n");
    assert_eq!(bench.run().exit, Exit::Done);
    let outcomes = bench.outcomes();
    assert_eq!(outcomes["a.x"].0, "matches");
    assert_eq!(outcomes["\"a, again\".x"].0, "variant");
    assert_eq!(
        outcomes["\"a, again\".x"].1,
        "counted in demo/t; here it differs (unexplained)"
    );
    assert_eq!(
        outcomes["\"a, again\".y"].1,
        "counted in demo/t; here it matches"
    );
    let cell = of("variant-of = { \"a, again.x\" = \"demo/t\" }\n").outcomes();
    assert_eq!(cell["\"a, again\".y"].0, "matches");
    let itself = refused(&format!("variant-of = \"demo/t\"\n{rows}"));
    assert!(itself.contains("a variant of itself"), "{itself}");
    let unknown = refused(&format!("variant-of = \"demo/tt\"\n{rows}"));
    assert!(unknown.contains("did you mean `demo/t`"), "{unknown}");
    // The home publishes the value, under this name or one that it begins with.
    let here = |published: &str| {
        let bench = Bench::new(
            "params.rows = { a = { x = 1.0 } }\ncolumns.x = { tol = \"exact\" }\npublished.a.x = 1\n",
        );
        bench.table("u", &format!(
            "variant-of = \"demo/t\"\nparams.rows = {{ a = {{ {published} = 1.0 }} }}\n\
             columns = {{ {published} = {{ tol = \"exact\" }} }}\npublished.a = {{ {published} = 1 }}\n"
        ));
        bench.run()
    };
    for fine in ["x", "x-sign"] {
        assert_eq!(here(fine).exit, Exit::Done, "{}", here(fine).err);
    }
    let elsewhere = here("xx");
    assert_eq!(elsewhere.exit, Exit::BadInput);
    let expected = "`a.xx` is counted in demo/t, which publishes no value in a column `xx`";
    assert!(elsewhere.err.contains(expected), "{}", elsewhere.err);
    assert!(
        elsewhere.err.contains("experiments/demo/u.toml:"),
        "{}",
        elsewhere.err
    );
    let nothing = refused(&format!("variant-of = {{ \"b*\" = \"demo/t\" }}\n{rows}"));
    assert!(
        nothing.contains("names no published row or cell"),
        "{nothing}"
    );
}
