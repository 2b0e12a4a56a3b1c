//! Datasets and queries over them, through the runner.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{fs, path::PathBuf, sync::atomic::AtomicBool};

use kibitz_desk::{AddDataOptions, Answer, DatasetOptions, Desk, NewOptions, ReproduceOptions};
use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Datum, Experiment, Field, FieldType, Kind, Output,
    Problems, Records, Sources,
};
use kibitz_lab::{Exit, Selection, Silent};

/// Throws of a die that is not quite fair: the records of one table's games.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Throws {
    games: i64,
    /// What goes wrong, if anything.
    #[serde(default)]
    wrong: String,
}

fn fields() -> Vec<Field> {
    vec![
        Field::new("game", FieldType::Int, "", "number of the game"),
        Field::new("throw", FieldType::Int, "", "number of the throw"),
        Field::new("eyes", FieldType::Int, "eyes", "what the die shows"),
        Field::new("won", FieldType::Bool, "", "whether the throw won"),
        Field::new("weight", FieldType::Float, "g", "what the die weighs"),
    ]
}

impl Experiment for Throws {
    type Row = i64;
    const NAME: &'static str = "throws";
    const EXAMPLE: &'static str = "";
    const COLUMNS: &'static [Column] = &[];
    fn check(&self, _: &mut Problems) {}
    fn fields(&self, _: &Sources) -> Vec<Field> {
        fields()
    }
    fn cells(&self) -> Vec<Cell<i64>> {
        let part = |first| Cell::rows(format!("from {first}"), [""; 0], first);
        [0, self.games / 2].map(part).to_vec()
    }
    fn run(&self, first: &i64, _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        if self.wrong == "fails" {
            return Err(CellError::new("the die is lost"));
        }
        let mut records = Records::new(fields());
        for game in *first..*first + self.games / 2 {
            for throw in 0..6 {
                let eyes = 1 + (7 * game + throw * throw + game * throw) % 6;
                let weight = match self.wrong.as_str() {
                    "type" => Datum::Int(3),
                    _ => Datum::Float(0.5 * eyes as f64 + 0.1 * (game % 3) as f64),
                };
                let won = throw == game % 6;
                let record = [game.into(), throw.into(), eyes.into(), won.into(), weight];
                records.push(record).map_err(CellError::new)?;
            }
        }
        output.set_records(records);
        Ok(())
    }
}

struct Workspace(tempfile::TempDir);

const THROWS: &str = "kind = \"throws\"\ntitle = \"Throws\"\nparams = { games = 12 }\n";

impl Workspace {
    fn new() -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        workspace.write("throws", THROWS);
        workspace
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path("experiments/beyond")).unwrap();
        fs::write(self.path(&format!("experiments/beyond/{name}.toml")), text).unwrap();
    }

    /// An experiment on the throws.
    fn ask(&self, kind: &str, rest: &str) {
        let head = format!("kind = \"{kind}\"\ntitle = \"Asked\"\n");
        self.write(
            "asked",
            &format!("{head}from = {{ throws = \"beyond/throws\" }}\n{rest}"),
        );
    }

    fn desk(&self) -> Desk {
        let mut kinds = kibitz_analysis::kinds();
        kinds.push(Kind::of::<Throws>(Code::Constant));
        Desk::new(self.0.path(), kinds, "lab")
    }

    fn reproduce(&self, id: &str) -> Answer {
        let selection = Selection {
            ids: vec![id.to_owned()],
            ..Selection::default()
        };
        let options = ReproduceOptions {
            selection,
            jobs: 2,
            ..ReproduceOptions::default()
        };
        self.desk()
            .reproduce(&options, &Silent, &AtomicBool::new(false))
    }

    /// The problems of the experiment on the throws.
    fn problem(&self) -> String {
        let answer = self.reproduce("beyond/asked");
        assert_eq!(answer.exit, Exit::BadInput, "{}", answer.out);
        answer.err
    }

    /// A number of the table and its standard error.
    fn number(&self, row: &str, column: &str) -> (f64, Option<f64>) {
        let path = self.path("target/kibitz/results/beyond/asked/table.csv");
        let table = fs::read_to_string(path).unwrap();
        let mut lines = table.lines();
        let line = lines.find(|line| line.starts_with(&format!("{row},{column},")));
        let fields: Vec<&str> = line
            .unwrap_or_else(|| panic!("{table}"))
            .split(',')
            .collect();
        (fields[2].parse().unwrap(), fields[6].parse().ok())
    }

    fn dataset(&self, out: Option<&str>) -> Answer {
        let options = DatasetOptions {
            id: "beyond/throws".to_owned(),
            out: out.map(|out| self.path(out)),
            head: 2,
            jobs: 1,
        };
        self.desk()
            .dataset(&options, &Silent, &AtomicBool::new(false))
    }
}

/// The eyes of a game's throws.
fn eyes(game: i64) -> impl Iterator<Item = f64> {
    (0..6).map(move |throw: i64| (1 + (7 * game + throw * throw + game * throw) % 6) as f64)
}

fn mean(games: impl Iterator<Item = i64>) -> f64 {
    let all: Vec<f64> = games.flat_map(eyes).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

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
fn what_cannot_be_made_fails_and_says_so() {
    for (wrong, message) in [
        ("fails", "the die is lost"),
        ("type", "column `weight` is declared as Float, not Int(3)"),
    ] {
        let workspace = Workspace::new();
        workspace.ask(
            "query",
            "params = { sql = \"SELECT 'a' AS row, COUNT(*) AS n FROM throws\" }\n",
        );
        let throws = THROWS.replace("games = 12", &format!("games = 12, wrong = \"{wrong}\""));
        workspace.write("throws", &throws);
        let answer = workspace.reproduce("beyond/asked");
        assert_eq!(answer.exit, Exit::Failed, "{}", answer.out);
        assert!(
            answer
                .err
                .contains(&format!("error: beyond/throws \"from 0\": {message}")),
            "{}",
            answer.err
        );
    }
}

#[test]
fn records_that_cannot_be_written_end_as_documented() {
    let workspace = Workspace::new();
    workspace.ask(
        "query",
        "params = { sql = \"SELECT 'a' AS row, COUNT(*) AS n FROM throws\" }\n",
    );
    // Where a folder should be is a file, as a full disk or a read-only folder would have it.
    fs::create_dir_all(workspace.path("target/kibitz")).unwrap();
    fs::write(workspace.path("target/kibitz/cache"), "").unwrap();
    for answer in [workspace.reproduce("beyond/asked"), workspace.dataset(None)] {
        assert_eq!(answer.exit, Exit::Unwritable, "{}", answer.err);
        assert!(
            answer
                .err
                .contains("error: beyond/throws \"from 0\": cannot "),
            "{}",
            answer.err
        );
    }
}

#[test]
fn a_damaged_part_is_made_again() {
    let workspace = Workspace::new();
    workspace.ask(
        "query",
        "params = { sql = \"SELECT 'a' AS row, SUM(eyes) AS n FROM throws\" }\n",
    );
    assert_eq!(workspace.reproduce("beyond/asked").exit, Exit::Done);
    let before = workspace.number("a", "n");
    let mut n_damaged = 0;
    for folder in fs::read_dir(workspace.path("target/kibitz/cache")).unwrap() {
        // Beside the folders stands what the cache says of itself.
        let folder = folder.unwrap().path();
        for file in fs::read_dir(folder).into_iter().flatten() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|end| end == "parquet") {
                let bytes = fs::read(&path).unwrap();
                fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
                n_damaged += 1;
            }
        }
    }
    assert_eq!(n_damaged, 2, "one for each part");
    workspace.ask(
        "query",
        "params = { sql = \"SELECT 'a' AS row, SUM(eyes) AS n, 1 AS m FROM throws\" }\n",
    );
    assert_eq!(workspace.reproduce("beyond/asked").exit, Exit::Done);
    assert_eq!(workspace.number("a", "n"), before);
}

#[test]
fn a_table_is_read_like_a_dataset() {
    let workspace = Workspace::new();
    workspace.write(
        "games",
        "kind = \"query\"\ntitle = \"Games\"\nfrom = { throws = \"beyond/throws\" }\n[params]\n\
         sql = \"SELECT CAST(game AS VARCHAR) AS row, SUM(eyes) AS eyes FROM throws GROUP BY game\"\n",
    );
    workspace.write(
        "asked",
        "kind = \"query\"\ntitle = \"Asked\"\nfrom = { games = \"beyond/games\" }\n[params]\n\
         sql = \"SELECT \\\"column\\\" AS row, SUM(value) AS total, COUNT(*) AS n FROM games GROUP BY \\\"column\\\"\"\n",
    );
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let total: f64 = (0..12).flat_map(eyes).sum();
    assert!((workspace.number("eyes", "n").0 - 12.0).abs() < 1e-9);
    assert!((workspace.number("eyes", "total").0 - total).abs() < 1e-9);
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
fn two_tables_read_a_dataset_that_reads_another() {
    let workspace = Workspace::new();
    workspace.write(
        "long",
        "kind = \"view\"\ntitle = \"Long\"\nfrom = { throws = \"beyond/throws\" }\n[params]\n\
         sql = \"SELECT game, eyes FROM throws\"\n",
    );
    for (name, of) in [("first", "AVG"), ("second", "SUM")] {
        workspace.write(
            name,
            &format!(
                "kind = \"query\"\ntitle = \"Asked\"\nfrom = {{ long = \"beyond/long\" }}\n[params]\n\
                 sql = \"SELECT 'all' AS row, {of}(eyes) AS eyes FROM long\"\n"
            ),
        );
    }
    let selection = Selection {
        ids: vec!["beyond/first".to_owned(), "beyond/second".to_owned()],
        ..Selection::default()
    };
    let options = ReproduceOptions {
        selection,
        ..ReproduceOptions::default()
    };
    let desk = workspace.desk();
    let answer = desk.reproduce(&options, &Silent, &AtomicBool::new(false));
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
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

#[test]
fn a_choice_model_weighs_attributes() {
    let workspace = Workspace::new();
    let model = "[params]\nsql = \"SELECT * FROM throws\"\ndecision = [\"game\"]\nchosen = \"won\"\n\
         attributes = { weight = \"eyes\" }\nrows = [{ row = \"all\" }]\n";
    workspace.ask("choice-model", model);
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert!((workspace.number("all", "decisions").0 - 12.0).abs() < 1e-9);
    // Six alternatives a decision.
    assert!((workspace.number("all", "i-random").0 - 12.0 * 6f64.log2()).abs() < 1e-9);
    // At the maximum the mean of the chosen is that expected.
    let weight = workspace.number("all", "weight").0;
    let gradient: f64 = (0..12)
        .map(|game| {
            let values: Vec<f64> = eyes(game).collect();
            let chosen = values[usize::try_from(game % 6).unwrap()];
            let shares: Vec<f64> = values.iter().map(|value| (weight * value).exp()).collect();
            let expected = values
                .iter()
                .zip(&shares)
                .map(|(value, share)| value * share);
            chosen - expected.sum::<f64>() / shares.iter().sum::<f64>()
        })
        .sum();
    assert!(gradient.abs() < 1e-6, "{gradient}");
    workspace.ask(
        "choice-model",
        &model
            .replace("\"won\"", "\"throw < 2\"")
            .replace("chosen = \"throw < 2\"", "chosen = \"weight\""),
    );
    insta::assert_snapshot!("chosen", workspace.problem());
}

/// Duels: `strong` is chosen but in game 0, `sure` wherever it is 1, which is in game 1 alone.
const DUELS: &str = "\
SELECT game, throw, \
  CASE WHEN game = 0 THEN NOT strong ELSE strong END AS taken, \
  CASE WHEN strong THEN 1.0 ELSE 0.0 END AS strength, \
  CASE WHEN game = 1 AND strong THEN 1.0 ELSE 0.0 END AS sure, \
  3.0 AS constant, \
  CASE WHEN strong THEN 2.0 ELSE 0.0 END AS twice \
FROM (SELECT *, throw = game % 2 AS strong FROM throws WHERE throw < 2) AS sides";

impl Workspace {
    /// A choice model of the duels.
    fn duels(&self, head: &str, attributes: &str) -> Answer {
        let params = format!(
            "{head}\n[params]\nsql = \"\"\"{DUELS}\"\"\"\ndecision = [\"game\"]\n\
             chosen = \"taken\"\nattributes = {{ {attributes} }}\nrows = [{{ row = \"all\" }}]\n"
        );
        self.ask("choice-model", &params);
        self.reproduce("beyond/asked")
    }

    /// The text of the table in a row and column, if there is one.
    fn text(&self, row: &str, column: &str) -> Option<String> {
        let path = self.path("target/kibitz/results/beyond/asked/table.csv");
        let table = fs::read_to_string(path).unwrap();
        let mut lines = table.lines();
        let start = format!("{row},{column},,");
        let line = lines.find_map(|line| line.strip_prefix(start.as_str()))?;
        Some(line.trim_end_matches(",,1,,").trim_matches('"').to_owned())
    }
}

const BOOTSTRAP: &str = "resample = { by = \"game\", method = \"bootstrap\", draws = 200 }\n\
                         run = { seed = 3 }";

/// Twelve games, of which one decides: a third of the draws leave it out.
#[test]
fn draws_without_a_maximum_are_counted_and_many_leave_no_error() {
    let workspace = Workspace::new();
    let answer = workspace.duels(BOOTSTRAP, "weight = \"strength\"");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    // Eleven of twelve choices for the strong side.
    let (weight, std_error) = workspace.number("all", "weight");
    assert!((weight - 11f64.ln()).abs() < 1e-6, "{weight}");
    assert_eq!(std_error, None);
    insta::assert_snapshot!(
        "too_few_draws",
        workspace.text("all", "samples-used").unwrap()
    );
    assert!(
        answer.err.contains("samples with an estimate"),
        "{}",
        answer.err
    );
    // Without samples there is no error at all, and nothing to tell.
    assert_eq!(
        workspace.duels("", "weight = \"strength\"").exit,
        Exit::Done
    );
    assert_eq!(workspace.number("all", "weight").1, None);
    assert_eq!(workspace.text("all", "samples-used"), None);
}

#[test]
fn a_few_draws_without_a_maximum_are_left_out() {
    let workspace = Workspace::new();
    workspace.write("throws", &THROWS.replace("games = 12", "games = 60"));
    // The stronger side loses four games of sixty: one draw in sixty has none of them.
    let duels = DUELS.replace("game = 0", "game % 18 = 0");
    let params = format!(
        "{BOOTSTRAP}\n[params]\nsql = \"\"\"{duels}\"\"\"\ndecision = [\"game\"]\n\
         chosen = \"taken\"\nattributes = {{ weight = \"strength\" }}\nrows = [{{ row = \"all\" }}]\n"
    );
    workspace.ask("choice-model", &params);
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let (weight, std_error) = workspace.number("all", "weight");
    assert!((weight - 14f64.ln()).abs() < 1e-6, "{weight}");
    assert!(std_error.unwrap() > 0.2);
    insta::assert_snapshot!(
        "a_few_draws",
        workspace.text("all", "samples-used").unwrap()
    );
}

#[test]
fn attributes_without_a_weight_are_named() {
    let workspace = Workspace::new();
    let failed = |attributes: &str| {
        let answer = workspace.duels("", attributes);
        assert_eq!(answer.exit, Exit::Failed, "{}", answer.out);
        let line = answer.err.lines().find(|line| line.contains("no maximum"));
        line.unwrap_or(&answer.err).to_owned()
    };
    insta::assert_snapshot!("constant", failed("a = \"strength\", b = \"constant\""));
    insta::assert_snapshot!("collinear", failed("a = \"strength\", b = \"twice\""));
    insta::assert_snapshot!("separating", failed("a = \"strength\", b = \"sure\""));
}

#[test]
fn decisions_that_make_no_sense_are_refused() {
    let workspace = Workspace::new();
    let failed = |head: &str, sql: &str, decision: &str| {
        let params = format!(
            "{head}\n[params]\nsql = \"{sql}\"\ndecision = [\"{decision}\"]\nchosen = \"won\"\n\
             attributes = {{ weight = \"eyes\" }}\nrows = [{{ row = \"all\" }}]\n"
        );
        workspace.ask("choice-model", &params);
        let answer = workspace.reproduce("beyond/asked");
        assert_eq!(answer.exit, Exit::Failed, "{}", answer.out);
        let line = answer
            .err
            .lines()
            .find(|line| line.starts_with("error: beyond/asked"));
        line.unwrap_or(&answer.err).to_owned()
    };
    let jackknife = "resample = { by = \"game\", method = \"jackknife\" }";
    let mixed = "SELECT * FROM throws ORDER BY throw % 2, game, throw";
    insta::assert_snapshot!("apart", failed("", mixed, "game"));
    let pairs =
        "SELECT *, game - game % 2 AS pair, throw = 0 AND game % 2 = 0 AS leads FROM throws";
    let pairs = failed(
        jackknife,
        &format!("SELECT game, pair, eyes, leads AS won FROM ({pairs}) AS p"),
        "pair",
    );
    insta::assert_snapshot!("across_groups", pairs);
    let absent = "SELECT CASE WHEN game > 3 THEN game END AS game, throw, eyes, won, game AS number FROM throws";
    insta::assert_snapshot!("without_group", failed(jackknife, absent, "number"));
    let unknown = "SELECT game, eyes, CASE WHEN throw > 0 THEN won END AS won FROM throws";
    insta::assert_snapshot!("without_choice", failed("", unknown, "game"));
}

#[test]
fn a_figure_that_rests_on_one_group_has_no_jackknife_error() {
    let workspace = Workspace::new();
    workspace.ask(
        "query",
        "resample = { by = \"game\", method = \"jackknife\" }\n[params]\n\
         sql = \"SELECT 'all' AS row, AVG(eyes) AS mean, \
         AVG(CASE WHEN game = 3 THEN eyes END) AS of_one FROM throws\"\n",
    );
    let answer = workspace.reproduce("beyond/asked");
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert!(workspace.number("all", "mean").1.is_some());
    assert_eq!(workspace.number("all", "of_one").1, None);
    insta::assert_snapshot!("one_group", workspace.text("all", "samples-used").unwrap());
}

#[test]
fn threads_do_not_change_what_is_resampled() {
    let table = |jobs| {
        let workspace = Workspace::new();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(jobs)
            .build()
            .unwrap();
        pool.install(|| workspace.duels(BOOTSTRAP, "weight = \"strength\""));
        fs::read(workspace.path("target/kibitz/results/beyond/asked/table.csv")).unwrap()
    };
    assert_eq!(table(1), table(4));
}

#[test]
fn a_dataset_is_written_and_shown() {
    let workspace = Workspace::new();
    let shown = workspace.dataset(None);
    insta::assert_snapshot!("dataset", shown.out);
    let csv = workspace.dataset(Some("throws.csv"));
    assert_eq!(csv.exit, Exit::Done, "{}", csv.err);
    let text = fs::read_to_string(workspace.path("throws.csv")).unwrap();
    assert_eq!(text.lines().count(), 1 + 72);
    assert_eq!(text.lines().nth(1), Some("0,0,1,true,0.5"));
    assert_eq!(workspace.dataset(Some("throws.parquet")).exit, Exit::Done);
    assert_eq!(
        &fs::read(workspace.path("throws.parquet")).unwrap()[..4],
        b"PAR1"
    );
}

#[test]
fn new_files_pass_for_every_kind() {
    let kinds = kibitz_analysis::kinds().into_iter();
    // What is read from a file is tried by the command line's own tests.
    for kind in kinds.filter(|kind| kind.name() != "table") {
        let workspace = Workspace::new();
        let answer = workspace.desk().new_experiment(&NewOptions {
            id: "beyond/asked".to_owned(),
            kind: kind.name().to_owned(),
            from: Some("beyond/throws".to_owned()),
            data: None,
            set: Vec::new(),
        });
        assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
        if kind.name() != "choice-model" {
            let answer = workspace.reproduce("beyond/asked");
            assert_eq!(answer.exit, Exit::Done, "{}: {}", kind.name(), answer.err);
        }
    }
}

/// An experiment whose data file changes while it runs.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Meddler {
    meddles: bool,
}

impl Experiment for Meddler {
    type Row = ();
    const NAME: &'static str = "meddler";
    const EXAMPLE: &'static str = "";
    const COLUMNS: &'static [Column] = &[Column::new("n", "", "bytes read")];
    fn check(&self, _: &mut Problems) {}
    fn cells(&self) -> Vec<Cell> {
        vec![Cell::row("all", ()).reading(["own"])]
    }
    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let file = ctx.data("own")?;
        output.set("n", file.bytes()?.len());
        if self.meddles {
            fs::write(file.path(), "1234567")?;
        }
        Ok(())
    }
}

#[test]
fn a_file_that_changes_under_a_run_fails_it() {
    let workspace = Workspace::new();
    let away = workspace.path("away");
    fs::create_dir(&away).unwrap();
    fs::write(away.join("own.txt"), "123456").unwrap();
    let mut desk = Desk::new(
        workspace.0.path(),
        vec![Kind::of::<Meddler>(Code::Constant)],
        "lab",
    );
    desk.lab.data_folders = vec![away.clone()];
    fs::remove_file(workspace.path("experiments/beyond/throws.toml")).unwrap();
    let added = desk.add_data(&AddDataOptions {
        file: away.join("own.txt"),
        name: None,
        license: Some("CC0".to_owned()),
        origin: Some("a test".to_owned()),
        external: true,
        notes: None,
        role: "own",
    });
    assert_eq!(added.exit, Exit::Done, "{}", added.err);
    let run = |meddles: bool| {
        let text = format!(
            "kind = \"meddler\"\ntitle = \"t\"\ndata = {{ own = \"own\" }}\nparams = {{ meddles = {meddles} }}\n"
        );
        workspace.write("asked", &text);
        desk.reproduce(
            &ReproduceOptions {
                jobs: 1,
                ..ReproduceOptions::default()
            },
            &Silent,
            &AtomicBool::new(false),
        )
    };
    let answer = run(true);
    assert_eq!(answer.exit, Exit::Failed, "{}", answer.out);
    assert!(
        answer
            .err
            .contains("own.txt has changed while the run went on"),
        "{}",
        answer.err
    );
    // Nothing of it was kept, and the next run finds another file than was entered.
    let answer = run(true);
    assert_eq!(answer.exit, Exit::Missing, "{}", answer.err);
    fs::write(away.join("own.txt"), "123456").unwrap();
    assert_eq!(run(false).exit, Exit::Done);
}
