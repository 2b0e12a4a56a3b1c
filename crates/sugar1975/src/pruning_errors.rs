//! `pruning-errors`: error bounds of forward pruning with the rates at which CHUTE misses moves.

use kibitz_heuristics::chute::Polynomial;
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
};
use kibitz_stats::pruning::{
    Level, PrunedTree,
    simulation::{Outcome, simulate},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chute_data::{LibraryParams, Plies},
    chute_tally::Tallies,
};

/// The error bounds of section 2.2.3, by formula and counted in random trees.
#[derive(Debug)]
pub(crate) struct PruningErrors;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PruningParams {
    /// The games on which the miss rates are measured.
    library: LibraryParams,
    /// Random trees searched for each row.
    trees: u32,
    /// Moves of each node of a random tree.
    branching: u32,
    /// One group of rows each.
    searches: Vec<SearchParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SearchParams {
    /// What the rows begin with.
    name: String,
    /// Moves kept at each level, the root's first.
    fanouts: Vec<u32>,
    /// Which plies the miss rates are measured on.
    #[serde(default)]
    plies: Plies,
}

impl Kind for PruningErrors {
    fn name(&self) -> &'static str {
        "pruning-errors"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-board", "kibitz-heuristics", "kibitz-stats"]
    }

    fn example(&self) -> &'static str {
        include_str!("examples/pruning-errors.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(PruningParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: PruningParams = params.read()?;
        let mut problems = Diagnostics::new();
        checked.library.check(params, "library", &mut problems);
        if checked.trees == 0 {
            problems.push(params.error_at("trees", "at least one tree"));
        }
        if checked.searches.is_empty() {
            problems.push(params.error_at("searches", "at least one search"));
        }
        for (index, search) in checked.searches.iter().enumerate() {
            let path = format!("searches.{index}.fanouts");
            if !(2..=5).contains(&search.fanouts.len()) {
                problems.push(params.error_at(&path, "two to five levels"));
            }
            for (place, &fanout) in search.fanouts.iter().enumerate() {
                if fanout == 0 || fanout >= checked.branching {
                    problems.push(params.error_at(
                        &format!("{path}.{place}"),
                        "at least one move is kept, and fewer than `branching`",
                    ));
                }
            }
        }
        problems.into_result(Box::new(PruningPlan(checked)))
    }
}

struct PruningPlan(PruningParams);

/// Whether something happened in a tree.
type Holds = Box<dyn Fn(&Outcome) -> bool>;

/// Something that can happen in a search, with its chance by formula.
struct Event {
    row: String,
    formula: f64,
    /// Whether it happened; `None` for what only the formula says.
    holds: Option<Holds>,
}

impl SearchParams {
    /// The rows of the search, with the levels they speak of.
    fn rows(&self) -> Vec<String> {
        let n = self.fanouts.len();
        let mut rows = vec![
            "type 1a error at the root".to_owned(),
            "some type 1b error at level 2".to_owned(),
            "type 1b errors at all nodes of level 2".to_owned(),
        ];
        rows.extend((1..=n).map(|level| format!("ideal line lost at level {level}")));
        rows.extend((1..=n).map(|level| format!("ideal line kept through level {level}")));
        rows.extend([
            "no error in the tree".to_owned(),
            "no error in the tree, as printed".to_owned(),
            "static score of a terminal node right".to_owned(),
        ]);
        rows.iter()
            .map(|row| format!("{}: {row}", self.name))
            .collect()
    }

    /// What the rows say, in their order.
    fn events(&self, tree: &PrunedTree, static_miss: f64) -> Result<Vec<Event>, CellError> {
        let n = self.fanouts.len();
        let n_second = self.fanouts[0];
        let mut says: Vec<(f64, Option<Holds>)> = vec![
            (tree.any_missed(1)?, Some(Box::new(|o| o.errors[0] > 0))),
            (tree.any_missed(2)?, Some(Box::new(|o| o.errors[1] > 0))),
            (
                tree.all_missed(2)?,
                Some(Box::new(move |o| o.errors[1] == n_second)),
            ),
        ];
        for level in 1..=n {
            says.push((
                tree.lost_at(level)?,
                Some(Box::new(move |o| o.kept_through == level - 1)),
            ));
        }
        for level in 1..=n {
            says.push((
                tree.kept_through(level)?,
                Some(Box::new(move |o| o.kept_through >= level)),
            ));
        }
        says.push((
            tree.perfect_below(1, n + 1)?,
            Some(Box::new(Outcome::is_perfect)),
        ));
        says.push((tree.perfect_as_printed(1, n + 1)?, None));
        says.push((1.0 - static_miss, None));
        let events = self.rows().into_iter().zip(says);
        Ok(events
            .map(|(row, (formula, holds))| Event {
                row,
                formula,
                holds,
            })
            .collect())
    }
}

impl Plan for PruningPlan {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new(
                "formula",
                "",
                "chance by the thesis's formula, at our miss rates",
            ),
            Column::new(
                "simulated",
                "",
                "share of random trees in which it happened",
            ),
            Column::new("z", "std errors", "simulated less formula"),
            Column::new(
                "value-true",
                "",
                "share of random trees whose root gets its true value, errors canceling included",
            ),
        ]
    }

    fn cells(&self) -> Vec<Cell> {
        let searches = self.0.searches.iter();
        searches
            .map(|search| {
                Cell::rows(&search.name, search.rows())
                    .reading([&self.0.library.games])
                    .costing(2.0)
            })
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let search = (self.0.searches.iter())
            .find(|search| search.name == cell.id)
            .ok_or_else(|| CellError::new("no such search"))?;
        let games = self.0.library.score(ctx)?;
        let tallies = Tallies::of_games(&games, &Polynomial::default())?;
        let ranks = tallies.whole.ranks(search.plies);
        let miss_rate = |fanout: u32| {
            ranks
                .miss_rate(fanout as usize)
                .ok_or_else(|| CellError::new("no position to measure on"))
        };
        let levels = search
            .fanouts
            .iter()
            .map(|&fanout| {
                Ok(Level {
                    fanout,
                    miss_rate: miss_rate(fanout)?,
                })
            })
            .collect::<Result<Vec<_>, CellError>>()?;
        let tree = PrunedTree::new(levels)?;

        let mut rng = ctx.rng();
        let mut outcomes = Vec::with_capacity(self.0.trees as usize);
        for number in 0..self.0.trees {
            if number % 100 == 0 {
                ctx.check()?;
            }
            outcomes.push(simulate(&tree, self.0.branching, &mut rng));
        }
        let n = f64::from(self.0.trees);
        let share = |holds: &dyn Fn(&Outcome) -> bool| {
            outcomes.iter().filter(|outcome| holds(outcome)).count() as f64 / n
        };
        let mut output = CellOutput::new();
        for event in search.events(&tree, miss_rate(1)?)? {
            output.set(&event.row, "formula", event.formula);
            let Some(holds) = &event.holds else { continue };
            let simulated = share(holds);
            let std_error = (event.formula * (1.0 - event.formula) / n).sqrt();
            output.set(
                &event.row,
                "simulated",
                Number::new(simulated)
                    .with_std_error(std_error)
                    .with_samples(u64::from(self.0.trees)),
            );
            if std_error > 0.0 {
                output.set(&event.row, "z", (simulated - event.formula) / std_error);
            }
        }
        let no_error = format!("{}: no error in the tree", search.name);
        output.set(
            no_error,
            "value-true",
            share(&|outcome| outcome.is_value_true),
        );
        Ok(output)
    }
}
