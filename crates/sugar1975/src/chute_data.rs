//! Games scored by CHUTE, and the variables of its experiments.

pub(super) use kibitz_heuristics::chute::library::Status;
use kibitz_heuristics::chute::{
    CHUTE, MoveScores, N_HEURISTICS, Parameters, PlyRecord, ctw::Phase, library::doubtful_plies,
    record_game,
};
use kibitz_lab::{CellContext, CellError, Diagnostic, Diagnostics, Params};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chess_data::{check_collection, read_games};

pub(super) fn every_status() -> Vec<Status> {
    Status::ALL.to_vec()
}

/// Which games of the library an experiment rests on.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LibraryParams {
    /// The collection, by its name under `data`.
    pub(super) games: String,
    /// Only so many games, from the first.
    #[serde(default)]
    pub(super) max_games: Option<usize>,
    /// Only the last so many plies of each game.
    #[serde(default)]
    pub(super) last_plies: Option<usize>,
}

impl LibraryParams {
    /// Reports what makes no sense in it, at `path` of the parameters.
    pub(super) fn check(&self, params: &Params<'_>, path: &str, problems: &mut Diagnostics) {
        check_collection(&self.games, params, &format!("{path}.games"), problems);
        if self.max_games.is_some_and(|n| n < 3) {
            problems.push(params.error_at(&format!("{path}.max-games"), "at least three games"));
        }
        if self.last_plies == Some(0) {
            problems.push(params.error_at(&format!("{path}.last-plies"), "at least one ply"));
        }
    }

    /// The records of every game, scored in parallel; games are in the order of the file.
    pub(super) fn score(&self, ctx: &CellContext<'_>) -> Result<Vec<ScoredGame>, CellError> {
        let games = read_games(&ctx.data(&self.games)?)?;
        let n_games = self.max_games.unwrap_or(games.len()).min(games.len());
        games[..n_games]
            .par_iter()
            .map(|game| {
                ctx.check()?;
                let status = Status::of(game)?;
                let mut records =
                    record_game(game, &Parameters::PUBLISHED, &doubtful_plies(game)?)?;
                if let Some(last) = self.last_plies {
                    records.drain(..records.len().saturating_sub(last));
                }
                Ok(ScoredGame { status, records })
            })
            .collect()
    }
}

/// A game's valid records.
pub(super) struct ScoredGame {
    pub(super) status: Status,
    pub(super) records: Vec<PlyRecord>,
}

/// Which plies count, by the thesis's phases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Plies {
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
    /// The phases, as places in [`Phase::ALL`].
    pub(super) fn phases(self) -> std::ops::Range<usize> {
        match self {
            Plies::All => 0..3,
            Plies::Opening => 0..1,
            Plies::MiddleGame => 1..2,
            Plies::Endgame => 2..3,
        }
    }

    pub(super) fn holds(self, record: &PlyRecord) -> bool {
        Phase::ALL[self.phases()].contains(&record.phase())
    }
}

/// Material measures, in the order of their variables.
pub(super) const MATERIAL: [&str; 6] = ["ADV02", "ADV03", "ADV04", "ADV05", "ADV06", "MATRL"];

/// Number of independent variables: position scores of the heuristics, then [`MATERIAL`].
pub(super) const N_VARIABLES: usize = N_HEURISTICS + MATERIAL.len();

/// The dependent variable, after the independent ones: closeness to a win.
pub(super) const CLOSENESS: usize = N_VARIABLES;

/// Row of a heuristic.
pub(super) fn heuristic_row(number: usize) -> String {
    format!("heuristic {number}")
}

/// Rows of all heuristics.
pub(super) fn heuristic_rows() -> impl Iterator<Item = String> {
    (0..CHUTE.len()).map(heuristic_row)
}

/// Row of a variable.
pub(super) fn variable_row(variable: usize) -> String {
    match variable.checked_sub(N_HEURISTICS) {
        None => heuristic_row(variable),
        Some(place) => MATERIAL[place].to_owned(),
    }
}

/// The variables of a record, by the move with these position scores.
pub(super) fn variables(record: &PlyRecord, positions: &MoveScores) -> [f64; N_VARIABLES] {
    let mut values = [0.0; N_VARIABLES];
    values[..N_HEURISTICS].copy_from_slice(positions);
    let balance = record.material;
    values[N_HEURISTICS..CLOSENESS - 1].copy_from_slice(&balance.differences());
    values[CLOSENESS - 1] = balance.total();
    values
}

/// The heuristics as variables.
pub(super) fn every_heuristic() -> Vec<usize> {
    (0..N_HEURISTICS).collect()
}

/// Variables of a regression, as an experiment names them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct VariableParams {
    /// Heuristics, by number.
    #[serde(default = "every_heuristic")]
    pub(super) heuristics: Vec<usize>,
    /// Material measures: ADV02 to ADV06, MATRL.
    #[serde(default)]
    pub(super) material: Vec<String>,
}

impl VariableParams {
    /// The variables, by number; what makes no sense of them, at `path` of the parameters.
    pub(super) fn resolve(
        &self,
        params: &Params<'_>,
        path: &str,
    ) -> Result<Vec<usize>, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut variables = Vec::new();
        for (place, &number) in self.heuristics.iter().enumerate() {
            if number < N_HEURISTICS {
                variables.push(number);
            } else {
                let message = format!("there is no heuristic {number}");
                problems.push(params.error_at(&format!("{path}.heuristics.{place}"), message));
            }
        }
        for (place, name) in self.material.iter().enumerate() {
            if let Some(measure) = MATERIAL.iter().position(|known| known == name) {
                variables.push(N_HEURISTICS + measure);
            } else {
                let message = format!("`{name}` is no material measure: {}", MATERIAL.join(", "));
                problems.push(params.error_at(&format!("{path}.material.{place}"), message));
            }
        }
        variables.sort_unstable();
        variables.dedup();
        if variables.is_empty() && problems.is_empty() {
            problems.push(params.error_at(path, "at least one variable"));
        }
        if problems.is_empty() {
            Ok(variables)
        } else {
            Err(problems)
        }
    }
}
