//! `reading-trials`: readings of the appendix judged by figures that they were not found by.

mod changes;

use std::sync::Arc;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Number, Output, Problems, SamplesUsed,
};
use kibitz_heuristics::chute::{
    Interpretation, Interpretations, N_HEURISTICS, PlyRecord, Polynomial,
};
use kibitz_stats::{
    moments::PairedMoments,
    summary::{mean, std_dev},
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::changes::Changes;
use crate::{
    published::{COLUMNS, PublishedFigures, SCORE_TABLES, figures},
    scored_games::{LibraryParams, Plies, ScoredGame, check_heuristics, every_heuristic},
    sufficient_statistics::{FigureResult, Figures, Tallies, Tally, defined},
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
    /// Largest difference of a matching cell, relative to the published value.
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
    /// Interpretations tried in addition to those adopted.
    readings: Vec<Interpretation>,
    /// The heuristics that they are about.
    #[serde(default)]
    heuristics: Vec<usize>,
    /// Gives the changes that the readings make to other moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    control: Option<Control>,
}

/// The changes of scores, shuffled among moves: a baseline for an interpretation that changes as much.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Control {
    /// Number of shuffles: mean and standard deviation of the results.
    draws: usize,
    /// Changes go to moves whose scores these readings change; where they change none, to moves that the
    /// heuristic scores.
    #[serde(default)]
    within: Vec<Interpretation>,
}

/// The printed figures of each row of the two tables of scores.
type PrintedTables = [Vec<[f64; COLUMNS.len()]>; SCORE_TABLES.len()];

/// One value for all plies and one for the last ones.
type PliesPair<T> = [T; 2];

/// One value for the positions of each of [`SCORE_TABLES`].
type Tables<T> = [T; SCORE_TABLES.len()];

/// The results of [`RANKS`].
fn shares(tally: &Tally) -> Vec<FigureResult> {
    let ranks = tally.ranks(Plies::All);
    let within = |fanout| defined(ranks.share_within(fanout).map(|share| 100.0 * share));
    vec![within(1), within(4), within(7), defined(ranks.miss_rate(1))]
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
    const EXAMPLE: &'static str = include_str!("../../examples/reading-trials.toml");
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
        Column::new("signs", "heuristics", "correlations with the printed sign"),
        Column::new(
            "cor-error",
            "",
            "mean absolute difference of the 22 correlations from print",
        ),
        Column::new(
            "gain-cor-error",
            "",
            "that less that of the readings adopted",
        ),
        Column::new("r1-3", "%", "variance that run R1.3 explains"),
        Column::new("r2-1", "%", "variance that run R2.1 explains"),
        Column::new("r2-3", "%", "variance that run R2.3 explains"),
        Column::new(
            "gain-r1-3",
            "%",
            "variance that run R1.3 explains, less that of the readings adopted",
        ),
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
        let print = PublishedFigures::read(&self.print, ctx)?;
        let correlations = print.correlations()?;
        let print = [
            print.scores(SCORE_TABLES[0])?,
            print.scores(SCORE_TABLES[1])?,
        ];
        let adopted = self.adopted(ctx)?;
        let read = self.library.score(ctx, with(&row.readings))?;
        if let Some(control) = &row.control {
            return self.run_control(row, control, &read, &adopted, &print, ctx, output);
        }
        let groups = self.groups(&records(&read))?;
        let sums = sums(&groups)?;
        for (column, cells) in self.cells_met(row, &sums, &print) {
            output.row(&row.row).set(column, cells);
        }
        let mut figures = Figures::new(ctx, output);
        let tallies = tallies(&groups)?;
        for (place, tallies) in tallies.iter().enumerate() {
            let own = RANKS[place].into_iter().zip(tallies.estimates(shares));
            let gains = GAINS[place].into_iter();
            let gains = gains.zip(tallies.gains(&adopted[place], shares));
            let gains = gains.take_while(|_| !row.readings.is_empty());
            for (column, estimate) in own.chain(gains) {
                figures.set(&row.row, column, estimate);
            }
        }
        if let [heuristic] = row.heuristics[..] {
            let estimate = tallies[0].estimate(|tally| tally.correlation(heuristic));
            figures.set(&row.row, "cor", estimate);
        }
        let accounts = |tally: &Tally| account_figures(tally, &correlations);
        let own = ACCOUNTS.into_iter().zip(tallies[0].estimates(accounts));
        let gains = tallies[0].gains(&adopted[0], accounts).into_iter().take(2);
        let gains = ACCOUNT_GAINS.into_iter().zip(gains);
        let gains = gains.take_while(|_| !row.readings.is_empty());
        for (column, estimate) in own.chain(gains) {
            figures.set(&row.row, column, estimate);
        }
        let signs = signs_met(&tallies[0].whole, &correlations)?;
        figures.row(&row.row).set("signs", signs);
        figures.finish()
    }
}

/// Columns of [`account_figures`], of which the first two have gains.
const ACCOUNTS: [&str; 4] = ["cor-error", "r1-3", "r2-1", "r2-3"];
/// Their changes.
const ACCOUNT_GAINS: [&str; 2] = ["gain-cor-error", "gain-r1-3"];

/// How close the running accounts come to Table 4.3: the mean difference of the correlations from the
/// published ones, and the variance that all heuristics explain, over all plies, in the middle game and in
/// the endgame.
fn account_figures(tally: &Tally, printed: &[f64]) -> Vec<FigureResult> {
    let differences = printed.iter().enumerate();
    let differences = differences
        .map(|(heuristic, printed)| Ok((tally.correlation(heuristic)? - printed).abs()))
        .collect::<Result<Vec<f64>, String>>();
    let error = differences.and_then(|all| mean(&all).map_err(|error| error.to_string()));
    let explained = |plies| tally.explained(plies, &every_heuristic());
    let runs = [Plies::All, Plies::MiddleGame, Plies::Endgame].map(explained);
    [error].into_iter().chain(runs).collect()
}

/// The number of correlations whose sign is the printed one.
fn signs_met(tally: &Tally, printed: &[f64]) -> Result<usize, CellError> {
    let mut n_met = 0;
    for (heuristic, printed) in printed.iter().enumerate() {
        let ours = tally.correlation(heuristic).map_err(CellError::new)?;
        n_met += usize::from(ours * printed > 0.0);
    }
    Ok(n_met)
}

/// The records of each game.
fn records(games: &[ScoredGame]) -> Vec<&[PlyRecord]> {
    let records = games.iter().map(|game| game.records.as_slice());
    records.collect()
}

fn sums(groups: &PliesPair<Tables<Vec<Tally>>>) -> Result<PliesPair<Tables<Tally>>, CellError> {
    let of = |[all, differing]: &Tables<Vec<Tally>>| -> Result<_, CellError> {
        Ok([Tally::sum(all)?, Tally::sum(differing)?])
    };
    Ok([of(&groups[0])?, of(&groups[1])?])
}

/// For jackknife errors over games.
fn tallies(groups: &PliesPair<Tables<Vec<Tally>>>) -> Result<PliesPair<Tallies>, CellError> {
    Ok([
        Tallies::of_groups(&groups[0][0])?,
        Tallies::of_groups(&groups[1][0])?,
    ])
}

/// The readings adopted, and more.
fn with(readings: &[Interpretation]) -> Interpretations {
    let readings = readings.iter().copied();
    readings.fold(Interpretations::ADOPTED, Interpretations::with)
}

impl ReadingTrials {
    /// The statistics of each game.
    fn groups(&self, games: &[&[PlyRecord]]) -> Result<PliesPair<Tables<Vec<Tally>>>, CellError> {
        let polynomial = Polynomial::default();
        let differs = |record: &&PlyRecord| {
            let totals = record.totals(&polynomial);
            record.first_choice(&totals) != record.played
        };
        let of = |last: usize| -> Result<Tables<Vec<Tally>>, CellError> {
            let last = |records: &&'_ [PlyRecord]| records.len().saturating_sub(last);
            let all = (games.par_iter())
                .map(|records| Tally::of(&records[last(records)..], &polynomial))
                .collect::<Result<_, _>>()?;
            let differing = (games.par_iter())
                .map(|records| {
                    let records = records[last(records)..].iter().filter(differs);
                    Tally::of(records, &polynomial)
                })
                .collect::<Result<_, _>>()?;
            Ok([all, differing])
        };
        Ok([of(usize::MAX)?, of(self.last_plies)?])
    }

    /// The statistics under the readings adopted, shared among rows.
    fn adopted(&self, ctx: &Context<'_>) -> Result<Arc<PliesPair<Tallies>>, CellError> {
        let file = ctx.data(self.library.data())?;
        let which = (file.entry(), &self.library, self.last_plies);
        ctx.shared(&format!("adopted {which:?}"), || {
            // Each row tells of the games by its own reading.
            let (games, _) = self.library.scored(ctx, Interpretations::ADOPTED)?;
            tallies(&self.groups(&records(&games))?)
        })
    }

    /// The cells that print meets, by column.
    fn cells_met<'p>(
        &'p self,
        row: &'p Trial,
        sums: &'p PliesPair<Tables<Tally>>,
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
        let of = move |tables: &Tables<Tally>, table: usize, numbers: &[usize]| -> usize {
            let scores = tables[table].pairs();
            let numbers = numbers.iter();
            numbers
                .map(|&number| of_row(table, number, scores[number]))
                .sum()
        };
        let every: Vec<usize> = (0..=N_HEURISTICS).collect();
        let all = MET.into_iter().zip(sums).flat_map(move |(columns, own)| {
            let tables = columns.into_iter().enumerate();
            let met = tables.map(|(table, column)| (column, of(own, table, &every)));
            met.collect::<Vec<_>>()
        });
        let own = OWN.into_iter().take(SCORE_TABLES.len()).enumerate();
        let own = own.filter(|_| !row.heuristics.is_empty());
        all.chain(own.map(move |(table, column)| (column, of(&sums[0], table, &row.heuristics))))
    }

    /// The results of shuffled changes: means and standard deviations over the draws.
    #[expect(clippy::too_many_arguments, reason = "what a row has computed so far")]
    fn run_control(
        &self,
        row: &Trial,
        control: &Control,
        read: &[ScoredGame],
        adopted: &PliesPair<Tallies>,
        print: &PrintedTables,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let (plain, _) = self.library.scored(ctx, Interpretations::ADOPTED)?;
        let (within, _) = self.library.scored(ctx, with(&control.within))?;
        let changes: Vec<Changes> = row
            .heuristics
            .iter()
            .map(|&heuristic| Changes::of(heuristic, &plain, read, &within))
            .collect();
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
            let shuffled: Vec<&[PlyRecord]> = games.iter().map(Vec::as_slice).collect();
            let sums = sums(&self.groups(&shuffled)?)?;
            let mut values = Vec::new();
            for (place, [all, _]) in sums.iter().enumerate() {
                let adopted = shares(&adopted[place].whole).into_iter();
                let columns = RANKS[place].into_iter().zip(GAINS[place]);
                for ((share, gain), (ours, adopted)) in
                    columns.zip(shares(all).into_iter().zip(adopted))
                {
                    let ours = ours.map_err(CellError::new)?;
                    values.push((share, ours));
                    values.push((gain, ours - adopted.map_err(CellError::new)?));
                }
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

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind, Value};
    use kibitz_lab::testing::TestBench;

    use super::*;

    fn output(cell: &str) -> Output {
        let pgn = include_bytes!("../../../../data/chute-library.pgn");
        let print = include_bytes!("../../../../data/sugar1975/print.csv");
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
