//! `polygons`: the circumference of a circle between two polygons, as Archimedes found it.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems, schemars};

/// Regular polygons in and around a circle, from hexagons on.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Polygons {
    /// How often the number of sides is doubled; one row for each number.
    doublings: u32,
}

impl Experiment for Polygons {
    /// How often the sides of the hexagon were doubled.
    type Row = u32;
    const NAME: &'static str = "polygons";
    const EXAMPLE: &'static str =
        "kind = \"polygons\"\ntitle = \"A circle between polygons\"\nparams = { doublings = 4 }\n";
    const COLUMNS: &'static [Column] = &[
        Column::new("inside", "diameters", "perimeter of the inscribed polygon"),
        Column::new(
            "outside",
            "diameters",
            "perimeter of the circumscribed polygon",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.require(self.doublings <= 20, "doublings", "at most 20 doublings");
    }

    fn cells(&self) -> Vec<Cell<u32>> {
        let numbers = 0..=self.doublings;
        let cells = numbers.map(|number| Cell::row(format!("{} sides", 6 << number), number));
        cells.collect()
    }

    fn run(&self, doublings: &u32, _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let (mut inside, mut outside) = (3.0, 2.0 * f64::sqrt(3.0));
        for _ in 0..*doublings {
            // The harmonic mean, then the geometric one.
            outside = 2.0 * inside * outside / (inside + outside);
            inside = f64::sqrt(inside * outside);
        }
        output.set("inside", inside);
        output.set("outside", outside);
        Ok(())
    }
}
