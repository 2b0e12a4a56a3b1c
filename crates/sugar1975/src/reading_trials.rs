//! `reading-trials`: readings of the appendix judged by figures that they were not found by.

use std::sync::Arc;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Number, Output, Problems, SamplesUsed,
};
use kibitz_heuristics::chute::{N_HEURISTICS, PlyRecord, Polynomial, Reading, Readings};
use kibitz_stats::{
    moments::{CrossMoments, PairedMoments},
    ranking::{RankCounts, Standing},
    summary::{mean, std_dev},
};
use rand::seq::SliceRandom as _;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    printed::{COLUMNS, Printed, SCORE_TABLES, figures},
    scored_games::{LibraryParams, ScoredGame, check_heuristics},
    sufficient_statistics::{Figures, Found, defined, estimates_of},
};

/// Ranks, shares and agreeing cells of the tables of scores, by readings added to the adopted ones.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ReadingTrials {
    /// The games.
    library: LibraryParams,
    /// The printed tables of scores, by their name under `data`.
    print: String,
    /// The last plies of a game that columns ending in `-last` are about.
    last_plies: usize,
    /// Largest difference of a cell that is met, as a share of print.
    share: f64,
    /// The same of normalized differences, in their unit.
    normalized: f64,
    /// One row of the table each.
    rows: Vec<Trial>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Trial {
    /// The row of the table.
    row: String,
    /// Readings beside those adopted.
    readings: Vec<Reading>,
    /// The heuristics that they are about.
    #[serde(default)]
    heuristics: Vec<usize>,
    /// Gives the changes that the readings make to other moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    control: Option<Control>,
}

/// The changes of scores, shuffled among moves: what a reading does that changes as much and knows nothing.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Control {
    /// Number of shuffles: mean and standard deviation of the results.
    draws: usize,
    /// Changes go to moves whose scores these readings change; where they change none, to moves that the
    /// heuristic scores.
    #[serde(default)]
    within: Vec<Reading>,
}

/// Ranks and scores of records.
#[derive(Clone)]
struct Counts {
    ranks: RankCounts,
    /// Scores of first choice and master move: each heuristic, then the polynomial.
    all: Vec<PairedMoments>,
    /// Those of positions where they differ.
    differing: Vec<PairedMoments>,
    /// The accounts after the move played, and closeness to a win.
    accounts: CrossMoments,
}

/// The printed figures of each row of the two tables of scores.
type PrintedTables = [Vec<[f64; COLUMNS.len()]>; SCORE_TABLES.len()];

/// Those of all plies, and of the last ones.
type Both = [Counts; 2];

impl Counts {
    fn new() -> Self {
        Self {
            ranks: RankCounts::new(),
            all: vec![PairedMoments::default(); N_HEURISTICS + 1],
            differing: vec![PairedMoments::default(); N_HEURISTICS + 1],
            accounts: CrossMoments::new(N_HEURISTICS + 1),
        }
    }

    fn of(records: &[PlyRecord], last: usize) -> Result<Both, CellError> {
        let polynomial = Polynomial::default();
        let mut both = [Self::new(), Self::new()];
        let first_of_last = records.len().saturating_sub(last);
        for (place, record) in records.iter().enumerate() {
            let n_concerned = if place < first_of_last { 1 } else { 2 };
            let totals = record.totals(&polynomial);
            let standing = Standing::of(&totals, record.played)
                .ok_or_else(|| CellError::new("the move played has no score"))?;
            let choice = record.first_choice(&totals);
            let (ours, masters) = (&record.moves[choice], record.played_scores());
            let pairs = ours.iter().zip(masters).map(|(&a, &b)| (a, b));
            let pairs = pairs.chain([(totals[choice], totals[record.played])]);
            let pairs: Vec<(f64, f64)> = pairs.collect();
            let mut accounts = [record.closeness; N_HEURISTICS + 1];
            accounts[..N_HEURISTICS].copy_from_slice(&record.position_scores(record.played));
            for counts in &mut both[..n_concerned] {
                counts.ranks.record(standing.rank());
                counts.accounts.push(&accounts)?;
                for (number, &(ours, masters)) in pairs.iter().enumerate() {
                    counts.all[number].push(ours, masters);
                    if choice != record.played {
                        counts.differing[number].push(ours, masters);
                    }
                }
            }
        }
        Ok(both)
    }

    fn merge(&mut self, other: &Self) -> Result<(), CellError> {
        self.ranks += &other.ranks;
        self.accounts.merge(&other.accounts)?;
        for (sums, others) in [
            (&mut self.all, &other.all),
            (&mut self.differing, &other.differing),
        ] {
            for (sum, other) in sums.iter_mut().zip(others) {
                *sum += *other;
            }
        }
        Ok(())
    }

    /// The sum over games, without one of them.
    fn sum(games: &[Both], without: Option<usize>) -> Result<Both, CellError> {
        let mut sums = [Self::new(), Self::new()];
        for (number, game) in games.iter().enumerate() {
            if without != Some(number) {
                for (sum, counts) in sums.iter_mut().zip(game) {
                    sum.merge(counts)?;
                }
            }
        }
        Ok(sums)
    }

    /// The results of [`RANKS`].
    fn shares(&self) -> [Found; 4] {
        let within = |fanout| {
            let share = self.ranks.share_within(fanout);
            defined(share.map(|share| 100.0 * share))
        };
        [
            within(1),
            within(4),
            within(7),
            defined(self.ranks.miss_rate(1)),
        ]
    }

    /// Scores of a table of [`SCORE_TABLES`].
    fn table(&self, table: usize) -> &[PairedMoments] {
        if table == 0 {
            &self.all
        } else {
            &self.differing
        }
    }
}

/// Columns of ranks, of all plies and then of the last ones.
const RANKS: [[&str; 4]; 2] = [
    ["p1", "p4", "p7", "share"],
    ["p1-last", "p4-last", "p7-last", "share-last"],
];
/// Their changes.
const GAINS: [[&str; 4]; 2] = [
    ["gain-p1", "gain-p4", "gain-p7", "gain-share"],
    [
        "gain-p1-last",
        "gain-p4-last",
        "gain-p7-last",
        "gain-share-last",
    ],
];
/// Columns of cells met in each table, of all plies and then of the last ones.
const MET: [[&str; 2]; 2] = [["met-1", "met-2"], ["met-1-last", "met-2-last"]];
/// Those of the heuristics that the readings are about.
const OWN: [&str; 2] = ["own-1", "own-2"];

impl Experiment for ReadingTrials {
    type Row = usize;

    const NAME: &'static str = "reading-trials";
    const EXAMPLE: &'static str = include_str!("../examples/reading-trials.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("p1", "%", "positions whose master move ranks first"),
        Column::new("p4", "%", "positions whose master move is among four"),
        Column::new("p7", "%", "positions whose master move is among seven"),
        Column::new("share", "", "share of positions where the moves differ"),
        Column::new("gain-p1", "%", "p1 less that of the readings adopted"),
        Column::new("gain-p4", "%", "p4 less that of the readings adopted"),
        Column::new("gain-p7", "%", "p7 less that of the readings adopted"),
        Column::new("gain-share", "", "share less that of the readings adopted"),
        Column::new("p1-last", "%", "p1 of the last plies"),
        Column::new("p4-last", "%", "p4 of the last plies"),
        Column::new("p7-last", "%", "p7 of the last plies"),
        Column::new("share-last", "", "share of the last plies"),
        Column::new("gain-p1-last", "%", "gain of p1 in the last plies"),
        Column::new("gain-p4-last", "%", "gain of p4 in the last plies"),
        Column::new("gain-p7-last", "%", "gain of p7 in the last plies"),
        Column::new("gain-share-last", "", "gain of the share in the last plies"),
        Column::new(
            "own-1",
            "cells",
            "cells met of its heuristics, all positions",
        ),
        Column::new(
            "own-2",
            "cells",
            "cells met of its heuristics, moves that differ",
        ),
        Column::new("met-1", "cells", "cells met of all rows, all positions"),
        Column::new("met-2", "cells", "cells met of all rows, moves that differ"),
        Column::new("met-1-last", "cells", "the first in the last plies"),
        Column::new("met-2-last", "cells", "the second in the last plies"),
        Column::new("cor", "", "correlation of its account with closeness"),
        SamplesUsed::COLUMN,
    ];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        problems.names_data("print", &self.print);
        problems.require(self.last_plies > 0, "last-plies", "at least one ply");
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        for (path, size) in [("share", self.share), ("normalized", self.normalized)] {
            problems.require(size > 0.0, path, "a number above zero");
        }
        problems.each("rows", &self.rows, |row, problems| {
            check_heuristics("heuristics", &row.heuristics, problems);
            if let Some(control) = &row.control {
                let message = "at least two, for their standard deviation";
                problems.require(control.draws >= 2, "control.draws", message);
                let message = "the heuristics whose changes are shuffled";
                problems.require(!row.heuristics.is_empty(), "heuristics", message);
            }
        });
    }

    fn random(&self) -> bool {
        self.rows.iter().any(|row| row.control.is_some())
    }

    fn cells(&self) -> Vec<Cell<usize>> {
        let cell = |(number, row): (usize, &Trial)| {
            let cost = row
                .control
                .as_ref()
                .map_or(1.0, |control| 3.0 + 0.3 * control.draws as f64);
            Cell::row(&row.row, number)
                .reading([self.library.data(), &self.print])
                .sharing("adopted")
                .costing(cost)
        };
        self.rows.iter().enumerate().map(cell).collect()
    }

    fn run(&self, row: &usize, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let row = &self.rows[*row];
        let print = Printed::read(&self.print, ctx)?;
        let print = [
            print.scores(SCORE_TABLES[0])?,
            print.scores(SCORE_TABLES[1])?,
        ];
        let adopted = self.adopted(ctx)?;
        let read = self.library.score(ctx, with(&row.readings))?;
        if let Some(control) = &row.control {
            return self.run_control(row, control, &read, &adopted, &print, ctx, output);
        }
        let games = self.counts(read.iter().map(|game| game.records.as_slice()))?;
        let sums = Counts::sum(&games, None)?;
        for (column, cells) in self.cells_met(row, &sums, &print) {
            output.row(&row.row).set(column, cells);
        }
        let single = match row.heuristics.as_slice() {
            [heuristic] => Some(*heuristic),
            _ => None,
        };
        let of = |sums: &Both, others: &Both| -> Vec<Found> {
            let mut found: Vec<Found> = sums.iter().flat_map(Counts::shares).collect();
            if !row.readings.is_empty() {
                found.extend(gains(sums, others));
            }
            if let Some(heuristic) = single {
                let cor = sums[0].accounts.correlation(heuristic, N_HEURISTICS);
                found.push(cor.map_err(|error| error.to_string()));
            }
            found
        };
        let mut columns: Vec<&str> = RANKS.into_iter().flatten().collect();
        if !row.readings.is_empty() {
            columns.extend(GAINS.into_iter().flatten());
        }
        columns.extend(single.map(|_| "cor"));
        let without: Vec<Vec<Found>> = (0..games.len())
            .into_par_iter()
            .map(|number| {
                let sums = Counts::sum(&games, Some(number))?;
                Ok(of(&sums, &Counts::sum(&adopted, Some(number))?))
            })
            .collect::<Result<_, CellError>>()?;
        let whole = of(&sums, &Counts::sum(&adopted, None)?);
        let mut figures = Figures::new(ctx, output);
        for (column, estimate) in columns.into_iter().zip(estimates_of(whole, &without)) {
            figures.set(&row.row, column, estimate);
        }
        figures.finish()
    }
}

/// The readings adopted, and more.
fn with(readings: &[Reading]) -> Readings {
    let readings = readings.iter().copied();
    readings.fold(Readings::ADOPTED, Readings::with)
}

/// What ranks gain over those of the readings adopted.
fn gains(sums: &Both, adopted: &Both) -> Vec<Found> {
    let shares = |both: &Both| -> Vec<Found> { both.iter().flat_map(Counts::shares).collect() };
    let pairs = shares(sums).into_iter().zip(shares(adopted));
    pairs.map(|(ours, adopted)| Ok(ours? - adopted?)).collect()
}

impl ReadingTrials {
    /// The counts of each game.
    fn counts<'r>(
        &self,
        games: impl Iterator<Item = &'r [PlyRecord]>,
    ) -> Result<Vec<Both>, CellError> {
        let games: Vec<&[PlyRecord]> = games.collect();
        let games = games.into_par_iter();
        games
            .map(|records| Counts::of(records, self.last_plies))
            .collect()
    }

    /// The counts of each game under the readings adopted, shared among rows.
    fn adopted(&self, ctx: &Context<'_>) -> Result<Arc<Vec<Both>>, CellError> {
        let file = ctx.data(self.library.data())?;
        let which = (file.entry(), &self.library, self.last_plies);
        ctx.shared(&format!("adopted {which:?}"), || {
            // Each row tells of the games by its own reading.
            let (games, _) = self.library.scored(ctx, Readings::ADOPTED)?;
            self.counts(games.iter().map(|game| game.records.as_slice()))
        })
    }

    /// The cells that print meets, by column.
    fn cells_met<'p>(
        &'p self,
        row: &'p Trial,
        sums: &'p Both,
        print: &'p PrintedTables,
    ) -> impl Iterator<Item = (&'static str, usize)> + 'p {
        let of_row = move |table: usize, number: usize, pairs: PairedMoments| {
            let printed = &print[table][number];
            let cells = figures(pairs).into_iter().zip(printed).zip(COLUMNS);
            let is_met = |((ours, printed), column): &((Option<f64>, &f64), &str)| {
                let largest = if *column == "norm-diff" {
                    self.normalized
                } else {
                    self.share * printed.abs()
                };
                ours.is_some_and(|ours| (ours - **printed).abs() <= largest * (1.0 + 1e-11))
            };
            cells.filter(is_met).count()
        };
        let of = move |counts: &Counts, table: usize, numbers: &[usize]| -> usize {
            let scores = counts.table(table);
            let numbers = numbers.iter();
            numbers
                .map(|&number| of_row(table, number, scores[number]))
                .sum()
        };
        let every: Vec<usize> = (0..=N_HEURISTICS).collect();
        let all = MET
            .into_iter()
            .zip(sums)
            .flat_map(move |(columns, counts)| {
                let tables = columns.into_iter().enumerate();
                let met = tables.map(|(table, column)| (column, of(counts, table, &every)));
                met.collect::<Vec<_>>()
            });
        let own = OWN.into_iter().take(SCORE_TABLES.len()).enumerate();
        let own = own.filter(|_| !row.heuristics.is_empty());
        all.chain(own.map(move |(table, column)| (column, of(&sums[0], table, &row.heuristics))))
    }

    /// The results of shuffled changes: means and standard deviations over the draws.
    #[allow(clippy::too_many_arguments, reason = "what a row has computed so far")]
    fn run_control(
        &self,
        row: &Trial,
        control: &Control,
        read: &[ScoredGame],
        adopted: &[Both],
        print: &PrintedTables,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let (plain, _) = self.library.scored(ctx, Readings::ADOPTED)?;
        let (within, _) = self.library.scored(ctx, with(&control.within))?;
        let changes: Vec<Changes> = row
            .heuristics
            .iter()
            .map(|&heuristic| Changes::of(heuristic, &plain, read, &within))
            .collect();
        let adopted = Counts::sum(adopted, None)?;
        let mut rng = ctx.rng_for("control");
        let mut found: Vec<(&str, Vec<f64>)> = Vec::new();
        for draw in 0..control.draws {
            ctx.check()?;
            ctx.progress("draw", draw, control.draws);
            let mut games: Vec<Vec<PlyRecord>> =
                plain.iter().map(|game| game.records.clone()).collect();
            for changes in &changes {
                changes.shuffle(&mut games, &mut rng);
            }
            let sums = Counts::sum(&self.counts(games.iter().map(Vec::as_slice))?, None)?;
            let shares = sums
                .iter()
                .flat_map(Counts::shares)
                .chain(gains(&sums, &adopted));
            let columns = RANKS.into_iter().chain(GAINS).flatten();
            let mut values = Vec::new();
            for (column, share) in columns.zip(shares) {
                values.push((column, share.map_err(CellError::new)?));
            }
            let met = self.cells_met(row, &sums, print);
            values.extend(met.map(|(column, cells)| (column, cells as f64)));
            for (place, (column, value)) in values.into_iter().enumerate() {
                match found.get_mut(place) {
                    Some((_, values)) => values.push(value),
                    None => found.push((column, vec![value])),
                }
            }
        }
        for (column, values) in found {
            let number = Number::new(mean(&values)?).with_std_error(std_dev(&values)?);
            output.row(&row.row).set(column, number);
        }
        Ok(())
    }
}

/// The changes that readings make to the scores of one heuristic, and the moves that could have them.
struct Changes {
    heuristic: usize,
    /// Game, record and move.
    places: Vec<[usize; 3]>,
    sizes: Vec<f64>,
}

impl Changes {
    fn of(
        heuristic: usize,
        plain: &[ScoredGame],
        read: &[ScoredGame],
        within: &[ScoredGame],
    ) -> Self {
        let mut scores = Vec::new();
        for (game, (plain, (read, within))) in plain.iter().zip(read.iter().zip(within)).enumerate()
        {
            let records = plain
                .records
                .iter()
                .zip(read.records.iter().zip(&within.records));
            for (record, (plain, (read, within))) in records.enumerate() {
                let moves = plain.moves.iter().zip(read.moves.iter().zip(&within.moves));
                for (number, (plain, (read, within))) in moves.enumerate() {
                    let [plain, read, within] =
                        [plain, read, within].map(|scores| scores[heuristic]);
                    scores.push(([game, record, number], plain, read - plain, within - plain));
                }
            }
        }
        let is_within = scores.iter().any(|&(_, _, _, within)| within != 0.0);
        let is_eligible = |&(_, plain, change, within): &([usize; 3], f64, f64, f64)| {
            let is_named = if is_within {
                within != 0.0
            } else {
                plain != 0.0
            };
            is_named || change != 0.0
        };
        let eligible = scores.into_iter().filter(is_eligible);
        let (places, sizes) = eligible
            .map(|(place, _, change, _)| (place, change))
            .unzip();
        Self {
            heuristic,
            places,
            sizes,
        }
    }

    fn shuffle(&self, games: &mut [Vec<PlyRecord>], rng: &mut impl rand::Rng) {
        let mut sizes = self.sizes.clone();
        sizes.shuffle(rng);
        for (&[game, record, number], size) in self.places.iter().zip(sizes) {
            games[game][record].moves[number][self.heuristic] += size;
        }
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind, Value};
    use kibitz_lab::testing::TestBench;

    use super::*;

    fn output(cell: &str) -> Output {
        let pgn = include_bytes!("../../../data/chute-library.pgn");
        let print = include_bytes!("../../../data/sugar1975/print.csv");
        let kind = Kind::of::<ReadingTrials>(Code::Constant);
        let bench = TestBench::new(kind, "sugar1975/reading-trials", ReadingTrials::EXAMPLE)
            .unwrap()
            .with_data("library", pgn)
            .with_data("print", print);
        bench.run(cell, 0).unwrap()
    }

    fn number(output: &Output, row: &str, column: &str) -> Number {
        match output.get(row, column) {
            Some(Value::Number(number)) => *number,
            other => panic!("a number, not {other:?}"),
        }
    }

    #[test]
    fn changes_at_other_moves_are_as_many_and_do_less() {
        let (row, control) = ("safe attackers", "the same changes elsewhere");
        let (read, shuffled) = (output(row), output(control));
        let value = |column| number(&read, row, column).value;
        // A loss of scores moves the ranks, and cells of its heuristic alone come near.
        assert!(value("gain-p1").abs() > 0.0);
        assert!(value("met-1") >= value("own-1") && value("own-1") <= 7.0);
        assert!(
            number(&read, row, "gain-p1")
                .std_error
                .is_some_and(|error| error > 0.0)
        );
        let of_control = number(&shuffled, control, "gain-p1");
        assert!(of_control.std_error.is_some_and(|spread| spread > 0.0));
        assert!((of_control.value - value("gain-p1")).abs() > f64::EPSILON);
        assert!(shuffled.get(control, "cor").is_none());
    }
}
