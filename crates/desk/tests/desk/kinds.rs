//! Kinds without a game: what the runner does can be seen without one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Experiment, Kind, Number, Output, Problems,
};
use rand_chacha::rand_core::Rng as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All of them, sorted by name.
pub(crate) fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<Dice>(Code::Constant),
        Kind::of::<Lengths>(Code::Constant),
        Kind::of::<Squares>(Code::Constant),
    ]
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Mood {
    #[default]
    Willing,
    Failing,
    Panicking,
    /// Never done; notices when it should stop.
    Endless,
    /// Asks a thousand times whether it should stop.
    Patient,
    /// Yields a value that is not a number.
    Senseless,
}

/// Squares of numbers; fails, panics, dawdles or writes texts where told to.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Squares {
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
    /// Add a row `total`, from the finished cells of the others.
    #[serde(default)]
    total: bool,
}

/// What a cell of [`Squares`] works on.
pub(crate) enum Work {
    Side { side: f64, troubled: bool },
    Total,
}

impl Squares {
    fn ids(&self) -> Vec<String> {
        self.sides
            .iter()
            .map(|side| format!("side {side}"))
            .collect()
    }

    fn side(
        &self,
        side: f64,
        troubled: bool,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let base = if self.with_data {
            let n_bytes = ctx.data("base")?.bytes()?.len();
            ctx.audit(format!("base: {n_bytes} bytes"));
            n_bytes
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
            },
            Mood::Patient if troubled => {
                for _ in 0..1000 {
                    ctx.check()?;
                }
            }
            _ => {}
        }
        ctx.progress("side", 0, 1);
        output.set("area", area).set("perimeter", 4.0 * side);
        output.set("drawing", format!("+--+\n|\"{side}\"|, +--+"));
        output.set_volatile("time", watch.seconds(), "s");
        Ok(())
    }
}

impl Experiment for Squares {
    type Row = Work;
    const NAME: &'static str = "squares";
    const EXAMPLE: &'static str = "kind = \"squares\"\ntitle = \"Squares\"\n\
         source = { paper = \"demo\", where = \"Table 1\" }\n\n\
         [params]\nsides = [1.0, 2.0]   # one row each\n\n\
         [published]\n\"side 1\" = { area = 1 }\n";
    const COLUMNS: &'static [Column] = &[
        Column::new("area", "m2", "Side times side."),
        Column::new("perimeter", "m", "Four sides."),
        Column::new("drawing", "", "The square, drawn."),
    ];

    fn check(&self, problems: &mut Problems) {
        for (idx, side) in self.sides.iter().enumerate() {
            problems.require(
                *side >= 0.0,
                format!("sides.{idx}"),
                "a side cannot be negative",
            );
        }
        problems.expect_data(Self::NAME, if self.with_data { &["base"] } else { &[] });
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let data = self.with_data.then_some("base");
        let sides = self.sides.iter().zip(self.ids()).enumerate();
        let sides = sides.map(|(idx, (side, id))| {
            let work = Work::Side {
                side: *side,
                troubled: idx == 1,
            };
            Cell::row(id, work).costing(*side).reading(data)
        });
        let total = Cell::row("total", Work::Total)
            .costing(100.0)
            .after(self.ids());
        sides.chain(self.total.then_some(total)).collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let Work::Side { side, troubled } = *work else {
            let mut area = 0.0;
            for id in self.ids() {
                area += ctx.finished(&id)?.number(&id, "area").unwrap_or(f64::NAN);
            }
            output.set("area", area);
            return Ok(());
        };
        self.side(side, troubled, ctx, output)
    }
}

/// Lets a test stop a cell in the middle for as long as it likes.
fn wait_while(there_is: Option<&Path>) {
    while there_is.is_some_and(Path::exists) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Throws of dice, in two steps so that the first can be remembered.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(
    clippy::struct_field_names,
    reason = "the fields are the keys of the file"
)]
pub(crate) struct Dice {
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

impl Experiment for Dice {
    type Row = ();
    const NAME: &'static str = "dice";
    const EXAMPLE: &'static str = "kind = \"dice\"\ntitle = \"Throws\"\nrun = { seed = 1 }\n\
         source = { paper = \"demo\", where = \"Table 2\" }\nparams = { throws = 10 }\n";
    const COLUMNS: &'static [Column] = &[
        Column::new("mean", "pips", "Mean of all throws."),
        Column::new("six-rate", "", "How often the highest face showed."),
    ];

    fn check(&self, _: &mut Problems) {}

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = self.dice.iter().map(|faces| format!("d{faces}"));
        vec![Cell::rows("all dice", rows, ())]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
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
        for (throws, faces) in throws.iter().zip(&self.dice) {
            let n = throws.len() as f64;
            let mean = throws.iter().map(|throw| f64::from(*throw)).sum::<f64>() / n;
            let highest = throws.iter().filter(|throw| *throw == faces).count() as f64 / n;
            let highest = Number::new(highest).with_samples(u64::from(self.throws));
            let mut row = output.row(format!("d{faces}"));
            row.set("mean", mean).set("six-rate", highest);
        }
        if self.throws < 5 {
            ctx.warn("hardly any throws");
        }
        Ok(())
    }
}

/// Lengths added to that of a file.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Lengths {
    /// The lengths to add.
    sides: Vec<f64>,
}

impl Experiment for Lengths {
    type Row = ();
    const NAME: &'static str = "lengths";
    const EXAMPLE: &'static str = include_str!("lengths.toml");
    const COLUMNS: &'static [Column] = &[Column::new("length", "m", "All lengths together.")];

    fn check(&self, problems: &mut Problems) {
        let positive = self.sides.iter().all(|side| *side >= 0.0);
        problems.require(positive, "sides", "a side cannot be negative");
        problems.expect_data(Self::NAME, &["base"]);
    }

    fn cells(&self) -> Vec<Cell> {
        vec![Cell::row("all", ()).reading(["base"])]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let base = ctx.data("base")?.bytes()?.len();
        output.set("length", self.sides.iter().sum::<f64>() + base as f64);
        Ok(())
    }
}
