//! Queries, views and regressions over a dataset, and what is wrong with them.

use std::fs;

use kibitz_lab::Exit;

use crate::workspace::{Workspace, mean};

#[test]
fn a_query_has_jackknife_errors() {
    let workspace = Workspace::new();
    workspace.ask(
        "query",
        "resample = { by = \"game\", method = \"jackknife\" }\n[params]\n\
         with.kept = \"SELECT game, eyes FROM throws\"\n\
         sql = \"SELECT 'all' AS row, AVG(eyes) AS mean, 'text' AS word FROM kept\"\n",
    );
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let (value, std_error) = workspace.number("all", "mean");
    assert!((value - mean(0..12)).abs() < 1e-9);
    // The definition: 12 means, each without a game.
    let without = (0..12).map(|out| mean((0..12).filter(move |game| *game != out)));
    let without: Vec<f64> = without.collect();
    let center = without.iter().sum::<f64>() / 12.0;
    let squares: f64 = without.iter().map(|value| (value - center).powi(2)).sum();
    let expected = (squares * 11.0 / 12.0).sqrt();
    assert!((std_error.unwrap() - expected).abs() < 1e-9);
}

#[test]
fn a_bootstrap_needs_a_seed_and_comes_near_the_jackknife() {
    let workspace = Workspace::new();
    let ask = |head: &str| {
        let sql = "[params]\nsql = \"SELECT 'all' AS row, AVG(eyes) AS mean FROM throws\"\n";
        workspace.ask("query", &format!("{head}\n{sql}"));
    };
    ask("resample = { by = \"game\", method = \"bootstrap\", draws = 400 }");
    assert!(workspace.problem().contains("needs `run.seed`"));
    ask("resample = { by = \"game\", method = \"bootstrap\", draws = 400 }\nrun = { seed = 1 }");
    assert_eq!(workspace.reproduce("beyond/asked").exit, Exit::Done);
    let (_, bootstrap) = workspace.number("all", "mean");
    ask("resample = { by = \"game\", method = \"jackknife\" }");
    assert_eq!(workspace.reproduce("beyond/asked").exit, Exit::Done);
    let (_, jackknife) = workspace.number("all", "mean");
    let ratio = bootstrap.unwrap() / jackknife.unwrap();
    assert!((0.85..1.1).contains(&ratio), "{ratio}");
}

#[test]
fn mistakes_in_sql_are_shown_where_they_are() {
    let workspace = Workspace::new();
    let problem = |sql: &str| {
        workspace.ask("query", &format!("[params]\nsql = \"\"\"\n{sql}\"\"\"\n"));
        workspace.problem()
    };
    insta::assert_snapshot!(
        "unknown_column",
        problem("SELECT 'a' AS row,\n  AVG(eye) AS mean\nFROM throws")
    );
    insta::assert_snapshot!("unknown_dataset", problem("SELECT 'a' AS row FROM throw"));
    insta::assert_snapshot!(
        "syntax",
        problem("SELECT 'a' AS row,\n  COUNT(* AS n\nFROM throws")
    );
    insta::assert_snapshot!("no_rows", problem("SELECT COUNT(*) AS n FROM throws"));
}

#[test]
fn queries_read_no_files() {
    let workspace = Workspace::new();
    fs::write(workspace.path("own.csv"), "row,n\na,1\n").unwrap();
    let own = workspace.path("own.csv").display().to_string();
    workspace.ask(
        "query",
        &format!(
            "[params]\nwith.t = \"SELECT eyes FROM throws\"\nsql = \"\"\"\n\
             WITH own AS (SELECT row, n FROM READ_CSV('{own}'))\n\
             SELECT row, n FROM own\"\"\"\n"
        ),
    );
    insta::assert_snapshot!("reads_a_file", workspace.problem().replace(&own, "OWN.CSV"));
    let condition = format!("where = \"game IN (SELECT n FROM read_parquet('{own}'))\"");
    workspace.ask(
        "regression",
        &format!(
            "[params]\nsql = \"SELECT * FROM throws\"\ntarget = \"weight\"\ntable = \"fit\"\n\
             runs = [{{ run = \"some\", {condition}, variables = [\"eyes\"] }}]\n"
        ),
    );
    let problem = workspace.problem();
    assert!(problem.contains("`read_parquet` reads what"), "{problem}");
    assert!(!workspace.path("target/kibitz/cache").exists());
}

#[test]
fn what_sql_cannot_do_is_told_in_words() {
    let workspace = Workspace::new();
    let problem = |sql: &str| {
        workspace.ask("query", &format!("[params]\nsql = \"\"\"\n{sql}\"\"\"\n"));
        let answer = workspace.reproduce("beyond/asked");
        assert_ne!(answer.exit, Exit::Done, "{sql}");
        answer.err
    };
    let all = [
        "SELECT 'a' AS row, MEDIA(eyes) AS m FROM throws",
        "SELECT 'a' AS row, t.eye AS m FROM throws AS t",
        "SELECT 'a' AS row, s.eyes AS m FROM throws AS t",
        "SELECT 'a' AS row, COUNT(*) AS m FROM throws WHERE eyes = 'six'",
        "SELECT 'a' AS row, COUNT(*) AS m FROM throws WHERE eyes IN ('six')",
        "SELECT 'a' AS row, COUNT(*) AS m FROM throws WHERE EXISTS (SELECT 1 FROM throws)",
        "SELECT 'a' AS row, game FROM throws GROUP BY eyes",
        "SELECT 'a' AS row, SUM(won + 'x') AS m FROM throws",
        "SELECT 'a' AS row, COUNT(*) AS m FROM throws WHERE eyes",
        "SELECT 'a' AS row, AVG(eyes) AS m, AVG(game) AS m FROM throws",
        "SELECT 'a' AS row, UPPER(eyes) AS m FROM throws",
        "WITH t AS (SELECT game FROM throws) SELECT 'a' AS row, SUM(eyes) AS m FROM t",
        "SELECT 'a' AS row, eyes FROM throws JOIN other USING (game)",
        "DELETE FROM throws",
        "SELECT 'a' AS row, COUNT(*) AS n FROM throws GROUP BY",
    ];
    let told: Vec<String> = all.iter().map(|sql| problem(sql)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_fails_while_a_query_is_asked_is_told_in_words() {
    let workspace = Workspace::new();
    let sql = "SELECT 'a' AS row, SUM(CAST(CONCAT('x', eyes) AS BIGINT)) AS n FROM throws";
    workspace.ask("query", &format!("params = {{ sql = \"{sql}\" }}\n"));
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Failed, "{}", answer.out);
    insta::assert_snapshot!("fails_while_asked", answer.err);
}

#[test]
fn mistakes_in_what_is_read_are_shown_where_they_are() {
    let workspace = Workspace::new();
    let sql = "params = { sql = \"SELECT 'a' AS row, COUNT(*) AS n FROM throws\" }\n";
    workspace.ask(
        "query",
        &format!("resample = {{ by = \"gam\", method = \"jackknife\" }}\n{sql}"),
    );
    insta::assert_snapshot!("resampled_by_nothing", workspace.problem());
    workspace.write(
        "asked",
        &format!(
            "kind = \"query\"\ntitle = \"Asked\"\nfrom = {{ throws = \"beyond/throw\" }}\n{sql}"
        ),
    );
    insta::assert_snapshot!("reads_nothing", workspace.problem());
    // Two views that read each other.
    let view = |of: &str| {
        format!(
            "kind = \"view\"\ntitle = \"V\"\nfrom = {{ v = \"beyond/{of}\" }}\nparams = {{ sql = \"SELECT * FROM v\" }}\n"
        )
    };
    workspace.write("one", &view("two"));
    workspace.write("two", &view("one"));
    workspace.write(
        "asked",
        &format!(
            "kind = \"query\"\ntitle = \"Asked\"\nfrom = {{ throws = \"beyond/one\" }}\n{sql}"
        ),
    );
    let answer = workspace.reproduce("beyond/one");
    assert_eq!(answer.exit, Exit::BadInput);
    insta::assert_snapshot!("reads_itself", answer.err);
}

#[test]
fn a_view_unpivots() {
    let workspace = Workspace::new();
    workspace.write(
        "long",
        "kind = \"view\"\ntitle = \"Long\"\nfrom = { throws = \"beyond/throws\" }\n[params]\n\
         sql = \"SELECT game, eyes, throw FROM throws\"\n\
         unpivot = { columns = [\"eyes\", \"thr*\"], names = \"what\", values = \"value\" }\n",
    );
    workspace.write(
        "asked",
        "kind = \"query\"\ntitle = \"Asked\"\nfrom = { long = \"beyond/long\" }\n[params]\n\
         sql = \"SELECT what AS row, SUM(value) AS total FROM long GROUP BY what\"\n",
    );
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert!((workspace.number("throw", "total").0 - 12.0 * 15.0).abs() < 1e-9);
}

#[test]
fn a_regression_finds_the_line() {
    let workspace = Workspace::new();
    let table = |table: &str| {
        format!(
            "resample = {{ by = \"game\", method = \"jackknife\" }}\n[params]\n\
             sql = \"SELECT *, game % 3 AS third FROM throws\"\ntarget = \"weight\"\n\
             table = \"{table}\"\n\
             runs = [{{ run = \"both\", variables = [\"eyes\", \"thi*\"] }}, \
             {{ run = \"some\", where = \"game < 6\", variables = [\"eyes\"] }}]\n"
        )
    };
    workspace.ask("regression", &table("coefficients"));
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert!((workspace.number("eyes", "both").0 - 0.5).abs() < 1e-9);
    assert!((workspace.number("third", "both").0 - 0.1).abs() < 1e-9);
    assert!(workspace.number("constant", "both").0.abs() < 1e-9);
    assert!(workspace.number("eyes", "cor").1.unwrap() > 0.0);
    workspace.ask("regression", &table("fit"));
    assert_eq!(workspace.reproduce("beyond/asked").exit, Exit::Done);
    assert!((workspace.number("both", "r2").0 - 100.0).abs() < 1e-9);
    assert!((workspace.number("some", "n").0 - 36.0).abs() < 1e-9);
    workspace.ask("regression", &table("fit").replace("game < 6", "gme < 6"));
    insta::assert_snapshot!("condition", workspace.problem());
}
