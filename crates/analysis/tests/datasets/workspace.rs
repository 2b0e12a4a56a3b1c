//! A workspace with a dataset of throws, and experiments on it.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use kibitz_desk::{Answer, DatasetOptions, Desk, ReproduceOptions};
use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Datum, Experiment, Field, FieldType, Kind, Output,
    Problems, Records, Sources,
};
use kibitz_lab::{Exit, Selection, SilentObserver};

/// Throws of a die that is not quite fair: the records of one table's games.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Throws {
    games: i64,
    /// What goes wrong, if anything.
    #[serde(default)]
    wrong: String,
}

pub(crate) fn fields() -> Vec<Field> {
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

pub(crate) struct Workspace(pub(crate) tempfile::TempDir);

pub(crate) const THROWS: &str = "kind = \"throws\"\ntitle = \"Throws\"\nparams = { games = 12 }\n";

impl Workspace {
    pub(crate) fn new() -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        workspace.write("throws", THROWS);
        workspace
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path("experiments/beyond")).unwrap();
        fs::write(self.path(&format!("experiments/beyond/{name}.toml")), text).unwrap();
    }

    /// An experiment on the throws.
    pub(crate) fn ask(&self, kind: &str, rest: &str) {
        let head = format!("kind = \"{kind}\"\ntitle = \"Asked\"\n");
        self.write(
            "asked",
            &format!("{head}from = {{ throws = \"beyond/throws\" }}\n{rest}"),
        );
    }

    pub(crate) fn desk(&self) -> Desk {
        let mut kinds = kibitz_analysis::kinds();
        kinds.push(Kind::of::<Throws>(Code::Constant));
        Desk::new(self.0.path(), kinds, "lab")
    }

    pub(crate) fn reproduce(&self, id: &str) -> Answer {
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
            .reproduce(&options, &SilentObserver, &AtomicBool::new(false))
    }

    /// The problems of the experiment on the throws.
    pub(crate) fn problem(&self) -> String {
        let answer = self.reproduce("beyond/asked");
        assert_eq!(answer.exit, Exit::BadInput, "{}", answer.out);
        answer.err
    }

    /// A number of the table and its standard error.
    pub(crate) fn number(&self, row: &str, column: &str) -> (f64, Option<f64>) {
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

    pub(crate) fn dataset(&self, out: Option<&str>) -> Answer {
        let options = DatasetOptions {
            id: "beyond/throws".to_owned(),
            out: out.map(|out| self.path(out)),
            head: 2,
            jobs: 1,
        };
        self.desk()
            .dataset(&options, &SilentObserver, &AtomicBool::new(false))
    }
}

/// The eyes of a game's throws.
pub(crate) fn eyes(game: i64) -> impl Iterator<Item = f64> {
    (0..6).map(move |throw: i64| (1 + (7 * game + throw * throw + game * throw) % 6) as f64)
}

pub(crate) fn mean(games: impl Iterator<Item = i64>) -> f64 {
    let all: Vec<f64> = games.flat_map(eyes).collect();
    all.iter().sum::<f64>() / all.len() as f64
}
