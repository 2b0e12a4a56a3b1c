//! `pruning-errors`: error bounds of forward pruning with the rates at which CHUTE misses moves.

use std::fmt;

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_heuristics::chute::{Interpretations, Polynomial};
use kibitz_stats::pruning::{
    Level, PrunedTree, PruningError,
    simulation::{Outcome, simulate},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    scored_games::{LibraryParams, Plies},
    sufficient_statistics::Tallies,
};

/// The error bounds of section 2.2.3, by formula and counted in random trees.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PruningErrors {
    /// The games for measuring miss rates.
    library: LibraryParams,
    /// Number of random trees for each row.
    trees: u32,
    /// Branching factor of random trees.
    branching: u32,
    /// One group of rows each.
    searches: Vec<SearchParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SearchParams {
    /// Prefix of the row names.
    name: String,
    /// Moves kept at each level, the root's first.
    fanouts: Vec<u32>,
    /// The plies for measuring miss rates.
    #[serde(default)]
    plies: Plies,
}

/// An event of a search.
#[derive(Clone, Copy)]
enum Event {
    RootError,
    SomeErrorAtSecondLevel,
    OnlyErrorsAtSecondLevel,
    LostAt(usize),
    KeptThrough(usize),
    NoError,
    NoErrorAsPrinted,
    StaticScoreRight,
}

impl Event {
    /// All events of a tree with `n_levels` levels, in the order of the table.
    fn all(n_levels: usize) -> impl Iterator<Item = Self> {
        let near_root = [
            Self::RootError,
            Self::SomeErrorAtSecondLevel,
            Self::OnlyErrorsAtSecondLevel,
        ];
        let overall = [
            Self::NoError,
            Self::NoErrorAsPrinted,
            Self::StaticScoreRight,
        ];
        near_root
            .into_iter()
            .chain((1..=n_levels).map(Self::LostAt))
            .chain((1..=n_levels).map(Self::KeptThrough))
            .chain(overall)
    }

    /// Its probability by formula, given the probability `static_miss` of a wrong static score.
    fn chance(self, tree: &PrunedTree, static_miss: f64) -> Result<f64, PruningError> {
        let n_levels = tree.levels().len();
        match self {
            Event::RootError => tree.any_missed(1),
            Event::SomeErrorAtSecondLevel => tree.any_missed(2),
            Event::OnlyErrorsAtSecondLevel => tree.all_missed(2),
            Event::LostAt(level) => tree.lost_at(level),
            Event::KeptThrough(level) => tree.kept_through(level),
            Event::NoError => tree.perfect_below(1, n_levels + 1),
            Event::NoErrorAsPrinted => tree.perfect_as_printed(1, n_levels + 1),
            Event::StaticScoreRight => Ok(1.0 - static_miss),
        }
    }

    /// Whether it happened in a simulated tree; `None` for events with a formula alone.
    fn happened(self, tree: &PrunedTree, outcome: &Outcome) -> Option<bool> {
        match self {
            Event::RootError => Some(outcome.errors[0] > 0),
            Event::SomeErrorAtSecondLevel => Some(outcome.errors[1] > 0),
            Event::OnlyErrorsAtSecondLevel => Some(outcome.errors[1] == tree.levels()[0].fanout),
            Event::LostAt(level) => Some(outcome.kept_through == level - 1),
            Event::KeptThrough(level) => Some(outcome.kept_through >= level),
            Event::NoError => Some(outcome.is_perfect()),
            Event::NoErrorAsPrinted | Event::StaticScoreRight => None,
        }
    }
}

/// The row name, without the prefix of the search.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::RootError => f.write_str("type 1a error at the root"),
            Event::SomeErrorAtSecondLevel => f.write_str("some type 1b error at level 2"),
            Event::OnlyErrorsAtSecondLevel => f.write_str("type 1b errors at all nodes of level 2"),
            Event::LostAt(level) => write!(f, "ideal line lost at level {level}"),
            Event::KeptThrough(level) => write!(f, "ideal line kept through level {level}"),
            Event::NoError => f.write_str("no error in the tree"),
            Event::NoErrorAsPrinted => f.write_str("no error in the tree, as printed"),
            Event::StaticScoreRight => f.write_str("static score of a terminal node right"),
        }
    }
}

impl SearchParams {
    fn row(&self, event: Event) -> String {
        format!("{}: {event}", self.name)
    }
}

impl Experiment for PruningErrors {
    type Row = SearchParams;

    const NAME: &'static str = "pruning-errors";
    const EXAMPLE: &'static str = include_str!("../examples/pruning-errors.toml");
    const COLUMNS: &'static [Column] = &[
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
    ];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        problems.require(self.trees > 0, "trees", "at least one tree");
        problems.require(!self.searches.is_empty(), "searches", "at least one search");
        problems.each("searches", &self.searches, |search, problems| {
            let has_levels = (2..=5).contains(&search.fanouts.len());
            problems.require(has_levels, "fanouts", "two to five levels");
            problems.each("fanouts", &search.fanouts, |fanout, problems| {
                problems.require(
                    (1..self.branching).contains(fanout),
                    "",
                    "at least one move is kept, and fewer than `branching`",
                );
            });
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<SearchParams>> {
        let searches = self.searches.iter();
        searches
            .map(|search| {
                let rows = Event::all(search.fanouts.len()).map(|event| search.row(event));
                Cell::rows(&search.name, rows, search.clone())
                    .reading([&self.library.games.data])
                    .costing(2.0)
            })
            .collect()
    }

    fn run(
        &self,
        search: &SearchParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let games = self.library.score(ctx, Interpretations::ADOPTED)?;
        let tallies = Tallies::of_games(&games, &Polynomial::default())?;
        let ranks = tallies.whole.ranks(search.plies);
        let miss_rate = |fanout: u32| {
            ranks
                .miss_rate(fanout as usize)
                .ok_or_else(|| CellError::new("no position to measure on"))
        };
        let levels = search.fanouts.iter().map(|&fanout| {
            Ok(Level {
                fanout,
                miss_rate: miss_rate(fanout)?,
            })
        });
        let tree = PrunedTree::new(levels.collect::<Result<_, CellError>>()?)?;

        let mut rng = ctx.rng();
        let mut outcomes = Vec::with_capacity(self.trees as usize);
        for number in 0..self.trees {
            if number % 100 == 0 {
                ctx.check()?;
            }
            outcomes.push(simulate(&tree, self.branching, &mut rng));
        }
        let n = f64::from(self.trees);
        let share = |count: usize| count as f64 / n;
        for event in Event::all(search.fanouts.len()) {
            let chance = event.chance(&tree, miss_rate(1)?)?;
            let row = &mut output.row(search.row(event));
            row.set("formula", chance);
            let happened: Option<Vec<bool>> = outcomes
                .iter()
                .map(|outcome| event.happened(&tree, outcome))
                .collect();
            let Some(happened) = happened else { continue };
            let simulated = share(happened.iter().filter(|&&happened| happened).count());
            let std_error = (chance * (1.0 - chance) / n).sqrt();
            row.set(
                "simulated",
                Number::new(simulated)
                    .with_std_error(std_error)
                    .with_samples(u64::from(self.trees)),
            );
            if std_error > 0.0 {
                row.set("z", (simulated - chance) / std_error);
            }
        }
        let n_true = outcomes.iter().filter(|outcome| outcome.is_value_true);
        output
            .row(search.row(Event::NoError))
            .set("value-true", share(n_true.count()));
        Ok(())
    }
}
