//! Library games scored by CHUTE, and the variables of its regressions.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use kibitz_board::{
    Game,
    game_filter::{GameCounts, GameSource},
};
use kibitz_experiment::{Cell, CellError, Context, Part, Problems};
pub(crate) use kibitz_heuristics::chute::library::Status;
use kibitz_heuristics::chute::{
    Interpretation, Interpretations, MoveScores, N_HEURISTICS, Parameters, PlyRecord, RecordError,
    library::doubtful_plies, record_game,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Validates the parameter `games`.
pub(crate) fn check_games(games: &GameSource, problems: &mut Problems) {
    problems.names_data("", &games.data);
    if let Some((place, problem)) = games.problem(false) {
        problems.at(place, problem);
    }
}

/// The first `most` of the selected games and their counts, with a warning about unreadable ones.
pub(crate) fn games_of(
    games: &GameSource,
    most: Option<usize>,
    ctx: &Context<'_>,
) -> Result<(Vec<Game>, GameCounts), CellError> {
    let file = ctx.data(&games.data)?;
    let read = games.read(file.entry(), kibitz_tables::games::open(&file)?, None)?;
    if let Some(report) = read.report() {
        ctx.warn(report);
    }
    let games = read.games.into_iter().map(|(game, _)| game);
    let games: Vec<Game> = games.take(most.unwrap_or(usize::MAX)).collect();
    let counts = GameCounts::new(&read.tally, games.len() as u64);
    Ok((games, counts))
}

/// The line of an audit about a collection, by its name under `data`.
pub(crate) fn audit_of(
    data: &str,
    counts: GameCounts,
    ctx: &Context<'_>,
) -> Result<String, CellError> {
    Ok(format!("{}: {counts}", ctx.data(data)?.entry()))
}

/// The library games of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LibraryParams {
    /// The collection, by its name under `data`, and a filter of its games.
    pub(crate) games: GameSource,
    /// Number of games, from the first; all when left out.
    #[serde(default)]
    pub(crate) max_games: Option<usize>,
}

impl LibraryParams {
    /// Validates the parameters.
    pub(crate) fn check(&self, problems: &mut Problems) {
        problems.within("library", |problems| {
            problems.within("games", |problems| check_games(&self.games, problems));
            let enough_games = self.max_games.is_none_or(|n| n >= 3);
            problems.require(enough_games, "max-games", "at least three games");
        });
    }

    /// The single cell of an experiment on the whole library.
    pub(crate) fn cell<S: Into<String>>(&self, rows: impl IntoIterator<Item = S>) -> Vec<Cell> {
        vec![
            Cell::rows("library", rows, ())
                .reading([&self.games.data])
                .costing(2.0),
        ]
    }

    /// The cell of one of several parts.
    pub(crate) fn part_cell(&self, part: Part, parts: u32) -> Cell<Part> {
        Cell::rows(part.name("library"), [""; 0], part)
            .reading([&self.games.data])
            .costing(2.0 / f64::from(parts))
    }

    /// The collection, by its name under `data`.
    pub(crate) fn data(&self) -> &str {
        &self.games.data
    }

    /// The records of every decisive game under some readings, with the audit of the games.
    pub(crate) fn score(
        &self,
        ctx: &Context<'_>,
        readings: Interpretations,
    ) -> Result<Vec<ScoredGame>, CellError> {
        let (games, audit) = self.scored(ctx, readings)?;
        ctx.audit(audit);
        Ok(games)
    }

    /// The records of every decisive game under some readings, scored in parallel, in the order of the
    /// file, and the line of the audit. Closeness to a win has no meaning in other games: they are left
    /// out, with a warning.
    pub(crate) fn scored(
        &self,
        ctx: &Context<'_>,
        readings: Interpretations,
    ) -> Result<(Vec<ScoredGame>, String), CellError> {
        self.scored_with(ctx, &Parameters::read(readings))
    }

    /// As [`scored`](Self::scored), with any parameters.
    pub(crate) fn scored_with(
        &self,
        ctx: &Context<'_>,
        parameters: &Parameters,
    ) -> Result<(Vec<ScoredGame>, String), CellError> {
        let (games, counts) = games_of(&self.games, self.max_games, ctx)?;
        let n_games = games.len();
        let n_done = AtomicUsize::new(0);
        let scored: Vec<Option<ScoredGame>> = games
            .par_iter()
            .map(|game| {
                ctx.check()?;
                ctx.progress("game", n_done.fetch_add(1, Ordering::Relaxed), n_games);
                let tag = game.tags().get_other("Status");
                let status = tag.map(|_| Status::of(game)).transpose()?;
                match record_game(game, parameters, &doubtful_plies(game)?) {
                    Ok(records) => Ok(Some(ScoredGame { status, records })),
                    Err(RecordError::NotDecisive) => Ok(None),
                    Err(other) => Err(other.into()),
                }
            })
            .collect::<Result<_, CellError>>()?;
        let scored: Vec<ScoredGame> = scored.into_iter().flatten().collect();
        let n_left_out = n_games - scored.len();
        let name = self.data();
        self.tell_left_out(ctx, n_games, scored.len())?;
        let n_left_out = n_left_out as u64;
        let counts = GameCounts {
            counted: counts.counted - n_left_out,
            left_out: counts.left_out + n_left_out,
            ..counts
        };
        Ok((scored, audit_of(name, counts, ctx)?))
    }
}

/// Games that are scored at once: memory grows with them, results do not depend on them.
const BATCH: usize = 64;

impl LibraryParams {
    /// Gives the records of the decisive games that fall into a part to `each`, with their numbers
    /// among all decisive ones from 1; as a stream, but otherwise as [`scored`](Self::scored).
    pub(crate) fn visit_scored(
        &self,
        ctx: &Context<'_>,
        readings: Interpretations,
        part: Part,
        mut each: impl FnMut(usize, &ScoredGame) -> Result<(), CellError>,
    ) -> Result<(), CellError> {
        let GameSource { data, .. } = &self.games;
        let file = ctx.data(data)?;
        let most = self.max_games.unwrap_or(usize::MAX);
        // How many are decisive is known once all are read.
        let (mut n_games, mut n_decisive) = (0, 0);
        let tally = self.games.visit(
            file.entry(),
            kibitz_tables::games::open(&file)?,
            None,
            |game, _| {
                if n_games < most {
                    n_games += 1;
                    n_decisive += usize::from(game.outcome().winner().is_some());
                }
                ctx.check().map(ControlFlow::Continue)
            },
        )?;
        if let Some(report) = tally.report() {
            ctx.warn(report);
        }
        self.tell_left_out(ctx, n_games, n_decisive)?;
        let counts = GameCounts::new(&tally, n_decisive as u64);
        ctx.audit(audit_of(data, counts, ctx)?);
        let range = part.range(n_decisive as u64);
        let (start, end) = (usize::try_from(range.start)?, usize::try_from(range.end)?);
        let parameters = Parameters::read(readings);
        let mut give = |first: usize, batch: &mut Vec<Game>| -> Result<(), CellError> {
            let scored: Vec<ScoredGame> = batch
                .par_drain(..)
                .map(|game| {
                    ctx.check()?;
                    let tag = game.tags().get_other("Status");
                    let status = tag.map(|_| Status::of(&game)).transpose()?;
                    let records = record_game(&game, &parameters, &doubtful_plies(&game)?)?;
                    Ok(ScoredGame { status, records })
                })
                .collect::<Result<_, CellError>>()?;
            for (number, game) in (first + 1..).zip(&scored) {
                each(number, game)?;
            }
            ctx.progress("game", first + scored.len() - start, end - start);
            Ok(())
        };
        let (mut place, mut first, mut batch) = (0, start, Vec::new());
        self.games.visit(
            file.entry(),
            kibitz_tables::games::open(&file)?,
            None,
            |game, _| {
                if place == end {
                    return Ok(ControlFlow::Break(()));
                }
                if game.outcome().winner().is_some() {
                    if place >= start {
                        batch.push(game);
                    }
                    place += 1;
                }
                if batch.len() == BATCH {
                    give(first, &mut batch)?;
                    first += BATCH;
                }
                Ok::<_, CellError>(ControlFlow::Continue(()))
            },
        )?;
        give(first, &mut batch)
    }

    /// Warns of games without a winner.
    fn tell_left_out(
        &self,
        ctx: &Context<'_>,
        n_games: usize,
        n_decisive: usize,
    ) -> Result<(), CellError> {
        let name = self.data();
        if n_decisive == 0 {
            return Err(CellError::new(format!(
                "none of the {n_games} games of `{name}` has a winner to measure closeness to"
            )));
        }
        let n_left_out = n_games - n_decisive;
        if n_left_out > 0 {
            ctx.warn(format!(
                "{n_left_out} of {n_games} games of `{name}` have no winner and are left out; \
                 `games = {{ data = \"{name}\", select = {{ result = [\"1-0\", \"0-1\"] }} }}` says so"
            ));
        }
        Ok(())
    }
}

/// The readings of an experiment; the adopted ones by default.
pub(crate) fn read_as(named: Option<&Vec<Interpretation>>) -> Interpretations {
    named.map_or_else(Interpretations::default, |readings| {
        readings.iter().copied().collect()
    })
}

/// A game's valid records.
pub(crate) struct ScoredGame {
    /// Confidence that the game is the thesis's game, if annotated.
    pub(crate) status: Option<Status>,
    pub(crate) records: Vec<PlyRecord>,
}

/// The plies used, by the thesis's phases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Plies {
    /// All.
    #[default]
    All,
    /// Below 16.
    Opening,
    /// 16 to 60.
    MiddleGame,
    /// Above 60.
    Endgame,
}

impl Plies {
    /// The phases, as indices in [`Phase::ALL`].
    pub(crate) fn phases(self) -> std::ops::Range<usize> {
        match self {
            Plies::All => 0..3,
            Plies::Opening => 0..1,
            Plies::MiddleGame => 1..2,
            Plies::Endgame => 2..3,
        }
    }
}

/// Material measures, in the order of their variables.
pub(crate) const MATERIAL: [&str; 6] = ["ADV02", "ADV03", "ADV04", "ADV05", "ADV06", "MATRL"];

/// Number of independent variables: position scores of the heuristics, then [`MATERIAL`].
pub(crate) const N_VARIABLES: usize = N_HEURISTICS + MATERIAL.len();

/// The dependent variable, after the independent ones: closeness to a win.
pub(crate) const CLOSENESS: usize = N_VARIABLES;

/// Row of a heuristic.
pub(crate) fn heuristic_row(number: usize) -> String {
    format!("heuristic {number}")
}

/// Row of the polynomial.
pub(crate) const POLYNOMIAL: &str = "polynomial";

/// Row of a score: each heuristic's, then the polynomial's.
pub(crate) fn score_row(number: usize) -> String {
    if number < N_HEURISTICS {
        heuristic_row(number)
    } else {
        POLYNOMIAL.to_owned()
    }
}

/// Row of a variable.
pub(crate) fn variable_row(variable: usize) -> String {
    match variable.checked_sub(N_HEURISTICS) {
        None => heuristic_row(variable),
        Some(place) => MATERIAL[place].to_owned(),
    }
}

/// The variables of a record, for the move with these position scores.
pub(crate) fn variables(record: &PlyRecord, positions: &MoveScores) -> [f64; N_VARIABLES] {
    let mut values = [0.0; N_VARIABLES];
    values[..N_HEURISTICS].copy_from_slice(positions);
    let balance = record.material;
    values[N_HEURISTICS..CLOSENESS - 1].copy_from_slice(&balance.differences());
    values[CLOSENESS - 1] = balance.total();
    values
}

/// The heuristics as variables.
pub(crate) fn every_heuristic() -> Vec<usize> {
    (0..N_HEURISTICS).collect()
}

/// Validates a list of heuristics by number, at `path`.
pub(crate) fn check_heuristics(path: &str, numbers: &[usize], problems: &mut Problems) {
    problems.each(path, numbers, |&number, problems| {
        let message = format!("unknown heuristic {number}");
        problems.require(number < N_HEURISTICS, "", message);
    });
}

/// The variable of a material measure, by name.
fn material_variable(name: &str) -> Option<usize> {
    let place = MATERIAL.iter().position(|known| *known == name)?;
    Some(N_HEURISTICS + place)
}

/// Independent variables of a regression.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct VariableParams {
    /// Heuristics, by number.
    #[serde(default = "every_heuristic")]
    heuristics: Vec<usize>,
    /// Material measures: ADV02 to ADV06, MATRL.
    #[serde(default)]
    material: Vec<String>,
}

impl VariableParams {
    /// Validates the parameters.
    pub(crate) fn check(&self, problems: &mut Problems) {
        problems.within("variables", |problems| {
            check_heuristics("heuristics", &self.heuristics, problems);
            problems.each("material", &self.material, |name, problems| {
                let message = format!(
                    "unknown material measure `{name}`; valid: {}",
                    MATERIAL.join(", ")
                );
                problems.require(material_variable(name).is_some(), "", message);
            });
            let is_empty = self.heuristics.is_empty() && self.material.is_empty();
            problems.require(!is_empty, "", "at least one variable");
        });
    }

    /// The variables, by number, in ascending order.
    pub(crate) fn numbers(&self) -> Vec<usize> {
        let material = self.material.iter();
        let material = material.filter_map(|name| material_variable(name));
        let mut numbers: Vec<usize> = self.heuristics.iter().copied().chain(material).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}
