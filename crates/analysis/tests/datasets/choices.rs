//! Choice models of a dataset, resampled by game.

use std::fs;

use kibitz_desk::Answer;
use kibitz_lab::Exit;

use crate::workspace::{THROWS, Workspace, eyes};

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
