//! Kinds without a game: what the runner does can be seen without one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kibitz_lab::schemars::{JsonSchema, Schema, schema_for};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
};
use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};

/// All of them, sorted by name.
pub(crate) static KINDS: &[&dyn Kind] = &[&Dice, &Squares];

/// Squares of numbers; fails, panics, dawdles or writes texts where told to.
#[derive(Debug)]
pub(crate) struct Squares;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Mood {
    #[default]
    Willing,
    Failing,
    Panicking,
    /// Never done; notices when it should stop.
    Endless,
    /// Yields a value that is no number.
    Senseless,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SquaresParams {
    /// The numbers to square; one row each.
    sides: Vec<f64>,
    /// Added to every square.
    #[serde(default)]
    offset: f64,
    /// What the cell of the second row does.
    #[serde(default)]
    mood: Mood,
    /// The cell of the second row waits while there is a file of this name.
    #[serde(default)]
    hold: Option<PathBuf>,
    /// Read the data called `base` and add its length.
    #[serde(default)]
    with_data: bool,
}

impl Kind for Squares {
    fn name(&self) -> &'static str {
        "squares"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["demo"]
    }

    fn example(&self) -> &'static str {
        "kind = \"squares\"\ntitle = \"Squares\"\n\
         source = { paper = \"demo\", where = \"Table 1\" }\n\n\
         [params]\nsides = [1.0, 2.0]   # one row each\n\n\
         [published]\n\"side 1\" = { area = 1 }\n"
    }

    fn params_schema(&self) -> Schema {
        schema_for!(SquaresParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let read: SquaresParams = params.read()?;
        let mut problems = Diagnostics::new();
        for (idx, side) in read.sides.iter().enumerate() {
            if *side < 0.0 {
                problems.push(
                    params
                        .error_at(&format!("sides.{idx}"), "a side cannot be negative")
                        .with_note("sides are lengths"),
                );
            }
        }
        if let Err(found) = params.expect_data(if read.with_data { &["base"] } else { &[] }) {
            problems.append(found);
        }
        problems.into_result(Box::new(read) as Box<dyn Plan>)
    }
}

impl Plan for SquaresParams {
    fn random(&self) -> bool {
        false
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("area", "m2", "Side times side."),
            Column::new("perimeter", "m", "Four sides."),
            Column::new("drawing", "", "The square, drawn."),
        ]
    }

    fn cells(&self) -> Vec<Cell> {
        self.sides
            .iter()
            .map(|side| {
                let cell = Cell::row(format!("side {side}")).costing(*side);
                if self.with_data {
                    cell.reading(["base"])
                } else {
                    cell
                }
            })
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let row = cell.id.as_str();
        let side: f64 = row.trim_start_matches("side ").parse()?;
        let troubled = self.sides.get(1) == Some(&side);
        let base = if self.with_data {
            ctx.data("base")?.bytes()?.len()
        } else {
            0
        };
        let watch = ctx.stopwatch();
        if troubled {
            wait_while(self.hold.as_deref());
        }
        let mut area = side * side + self.offset + base as f64;
        match self.mood {
            Mood::Failing if troubled => return Err(CellError::new("the ruler broke")),
            Mood::Panicking if troubled => panic!("the table fell over"),
            Mood::Senseless if troubled => area = f64::NAN,
            Mood::Endless if troubled => loop {
                ctx.check()?;
                std::thread::sleep(Duration::from_millis(2));
            },
            _ => {}
        }
        ctx.progress(1, 1);
        let mut output = CellOutput::new();
        output
            .set(row, "area", area)
            .set(row, "perimeter", 4.0 * side);
        output.set(row, "drawing", format!("+--+\n|\"{side}\"|, +--+"));
        output.set_volatile("time", watch.seconds(), "s");
        Ok(output)
    }
}

/// Lets a test stop a cell in the middle for as long as it likes.
fn wait_while(there_is: Option<&Path>) {
    while there_is.is_some_and(Path::exists) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Throws of dice, in two steps so that the first can be remembered.
#[derive(Debug)]
pub(crate) struct Dice;

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct DiceParams {
    /// Throws per row.
    throws: u32,
    /// One row each.
    #[serde(default = "six")]
    dice: Vec<u32>,
    /// Between throwing and counting, wait while there is a file of this name.
    #[serde(default)]
    hold: Option<PathBuf>,
}

fn six() -> Vec<u32> {
    vec![6]
}

impl Kind for Dice {
    fn name(&self) -> &'static str {
        "dice"
    }

    fn version(&self) -> u32 {
        3
    }

    fn crates(&self) -> &'static [&'static str] {
        &["demo"]
    }

    fn example(&self) -> &'static str {
        "kind = \"dice\"\ntitle = \"Throws\"\nrun = { seed = 1 }\n\
         source = { paper = \"demo\", where = \"Table 2\" }\nparams = { throws = 10 }\n"
    }

    fn params_schema(&self) -> Schema {
        schema_for!(DiceParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        Ok(Box::new(params.read::<DiceParams>()?))
    }
}

impl Plan for DiceParams {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("mean", "pips", "Mean of all throws."),
            Column::new("six-rate", "", "How often the highest face showed."),
        ]
    }

    fn cells(&self) -> Vec<Cell> {
        vec![Cell::rows(
            "all dice",
            self.dice.iter().map(|faces| format!("d{faces}")),
        )]
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let throws: Vec<Vec<u32>> = ctx.checkpoint("throws", || {
            let throws = |faces: &u32| {
                let mut rng = ctx.rng_for(&format!("d{faces}"));
                (0..self.throws)
                    .map(|_| rng.next_u32() % faces + 1)
                    .collect()
            };
            Ok(self.dice.iter().map(throws).collect())
        })?;
        wait_while(self.hold.as_deref());
        let mut output = CellOutput::new();
        for ((row, throws), faces) in cell.rows.iter().zip(&throws).zip(&self.dice) {
            let n = throws.len() as f64;
            let mean = throws.iter().map(|throw| f64::from(*throw)).sum::<f64>() / n;
            let highest = throws.iter().filter(|throw| *throw == faces).count() as f64 / n;
            output.set(row, "mean", mean);
            output.set(
                row,
                "six-rate",
                Number::new(highest).with_samples(u64::from(self.throws)),
            );
        }
        if self.throws < 5 {
            ctx.warn("hardly any throws");
        }
        Ok(output)
    }
}
