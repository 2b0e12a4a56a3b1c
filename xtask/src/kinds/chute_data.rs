//! Games scored by CHUTE, and what the thesis's experiments add up over them.

use kibitz_board::Game;
use kibitz_heuristics::chute::{
    CHUTE, MoveScores, N_HEURISTICS, Parameters, PlyRecord, Polynomial, ctw::Phase, record_game,
};
use kibitz_lab::{CellContext, CellError, Diagnostic, Number, Params};
use kibitz_stats::{
    inference::jackknife_std_error,
    moments::{CrossMoments, PairedMoments},
    ranking::{RankCounts, SamuelCounts, Standing},
    regression::{Entry, LeastSquares, RegressionError, forward_selection},
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chess_data::read_games;

/// How sure it is that a game of the library is the thesis's, as its tag `Status` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Status {
    /// The only game that it can be, or the one printed.
    Exact,
    /// One of several games that it can be.
    Chosen,
    /// Another game in its place.
    Substitute,
}

impl Status {
    pub(super) const ALL: [Status; 3] = [Status::Exact, Status::Chosen, Status::Substitute];

    /// The status of a game of the library.
    fn of(game: &Game) -> Result<Self, CellError> {
        let tag = game.tags().get_other("Status").unwrap_or_default();
        Status::ALL
            .into_iter()
            .find(|status| status.tag() == tag)
            .ok_or_else(|| CellError::new(format!("game {}: unknown status `{tag}`", game.key())))
    }

    fn tag(self) -> &'static str {
        match self {
            Status::Exact => "exact",
            Status::Chosen => "chosen among several",
            Status::Substitute => "substitute",
        }
    }
}

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
}

impl LibraryParams {
    /// What makes no sense of it, at `path` of the parameters.
    pub(super) fn problems(&self, params: &Params<'_>, path: &str) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        if !params.has_data(&self.games) {
            let message = format!("`{}` is not named under `data`", self.games);
            problems.push(params.error_at(&format!("{path}.games"), message));
        }
        if self.max_games.is_some_and(|n| n < 3) {
            problems.push(params.error_at(&format!("{path}.max-games"), "at least three games"));
        }
        problems
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
                let records = record_game(game, &Parameters::PUBLISHED, &doubtful_plies(game)?)?;
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

/// The plies marked '?', as the tag `DoubtfulPlies` lists them.
fn doubtful_plies(game: &Game) -> Result<Vec<usize>, CellError> {
    let tag = game.tags().get_other("DoubtfulPlies").unwrap_or_default();
    tag.split_whitespace()
        .map(|ply| {
            ply.parse().map_err(|_| {
                CellError::new(format!(
                    "game {}: `{ply}` in the tag DoubtfulPlies is no ply",
                    game.key()
                ))
            })
        })
        .collect()
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
    fn phases(self) -> std::ops::Range<usize> {
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

/// The dependent variable in [`Tally::moments`]: closeness to a win.
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

/// Everything that is added up over records, in one pass and in constant memory.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    ranks: [RankCounts; 3],
    samuel: [SamuelCounts; 3],
    /// Scores of first choice and master move: each heuristic, then the polynomial.
    all: Vec<PairedMoments>,
    /// The same where the two moves differ.
    differing: Vec<PairedMoments>,
    moments: [CrossMoments; 3],
}

impl Tally {
    pub(super) fn new() -> Self {
        let moments = || CrossMoments::new(N_VARIABLES + 1);
        Self {
            ranks: Default::default(),
            samuel: Default::default(),
            all: vec![PairedMoments::default(); N_HEURISTICS + 1],
            differing: vec![PairedMoments::default(); N_HEURISTICS + 1],
            moments: [moments(), moments(), moments()],
        }
    }

    /// The tally of some records under a polynomial.
    pub(super) fn of(records: &[PlyRecord], polynomial: &Polynomial) -> Result<Self, CellError> {
        let mut tally = Self::new();
        for record in records {
            tally.push(record, polynomial)?;
        }
        Ok(tally)
    }

    fn push(&mut self, record: &PlyRecord, polynomial: &Polynomial) -> Result<(), CellError> {
        let phase = Phase::ALL
            .iter()
            .position(|&phase| phase == record.phase())
            .unwrap_or(0);
        let totals = record.totals(polynomial);
        let standing = Standing::of(&totals, record.played)
            .ok_or_else(|| CellError::new("the move played has no score"))?;
        self.ranks[phase].record(standing.rank());
        self.samuel[phase].record(standing);

        let choice = record.first_choice(&totals);
        let (ours, masters) = (&record.moves[choice], record.played_scores());
        let both = ours.iter().zip(masters).map(|(&a, &b)| (a, b));
        for (n, (ours, masters)) in both
            .chain([(totals[choice], totals[record.played])])
            .enumerate()
        {
            self.all[n].push(ours, masters);
            if choice != record.played {
                self.differing[n].push(ours, masters);
            }
        }

        let mut values = [0.0; N_VARIABLES + 1];
        let positions = record.position_scores(record.played);
        values[..N_VARIABLES].copy_from_slice(&variables(record, &positions));
        values[CLOSENESS] = record.closeness;
        self.moments[phase].push(&values)?;
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<(), CellError> {
        for phase in 0..3 {
            self.ranks[phase] += &other.ranks[phase];
            self.samuel[phase] += other.samuel[phase];
            self.moments[phase].merge(&other.moments[phase])?;
        }
        for (sum, pairs) in self.all.iter_mut().zip(&other.all) {
            *sum += *pairs;
        }
        for (sum, pairs) in self.differing.iter_mut().zip(&other.differing) {
            *sum += *pairs;
        }
        Ok(())
    }

    pub(super) fn ranks(&self, plies: Plies) -> RankCounts {
        let mut sum = RankCounts::new();
        for ranks in &self.ranks[plies.phases()] {
            sum += ranks;
        }
        sum
    }

    pub(super) fn samuel(&self, plies: Plies) -> SamuelCounts {
        let mut sum = SamuelCounts::default();
        for &samuel in &self.samuel[plies.phases()] {
            sum += samuel;
        }
        sum
    }

    /// Moments of the [`variables`] by the move played, and of [`CLOSENESS`].
    pub(super) fn moments(&self, plies: Plies) -> Result<CrossMoments, CellError> {
        let mut sum = CrossMoments::new(N_VARIABLES + 1);
        for moments in &self.moments[plies.phases()] {
            sum.merge(moments)?;
        }
        Ok(sum)
    }

    /// Scores of first choice and master move: each heuristic's, then the polynomial's.
    pub(super) fn pairs(&self, only_differing: bool) -> &[PairedMoments] {
        if only_differing {
            &self.differing
        } else {
            &self.all
        }
    }
}

/// Tallies of groups of games, with what is needed to say how much an estimate would vary.
pub(super) struct Tallies {
    pub(super) whole: Tally,
    /// Without each group in turn.
    without: Vec<Tally>,
}

impl Tallies {
    /// Tallies of games under a polynomial; each game is a group.
    pub(super) fn of_games<'a>(
        games: impl IntoParallelIterator<Item = &'a ScoredGame, Iter: IndexedParallelIterator>,
        polynomial: &Polynomial,
    ) -> Result<Self, CellError> {
        let groups: Vec<Tally> = games
            .into_par_iter()
            .map(|game| Tally::of(&game.records, polynomial))
            .collect::<Result<_, _>>()?;
        Self::of_groups(&groups)
    }

    pub(super) fn of_groups(groups: &[Tally]) -> Result<Self, CellError> {
        let merged = |left_out: Option<usize>| -> Result<Tally, CellError> {
            let mut sum = Tally::new();
            for (number, group) in groups.iter().enumerate() {
                if left_out != Some(number) {
                    sum.merge(group)?;
                }
            }
            Ok(sum)
        };
        Ok(Self {
            whole: merged(None)?,
            without: (0..groups.len())
                .into_par_iter()
                .map(|number| merged(Some(number)))
                .collect::<Result<_, _>>()?,
        })
    }

    /// An estimate with its jackknife standard error over groups; `None` if there is no estimate,
    /// and without the error if some group alone makes the estimate possible.
    pub(super) fn estimate(&self, estimate: impl Fn(&Tally) -> Option<f64>) -> Option<Number> {
        let value = Number::new(estimate(&self.whole)?);
        let without: Option<Vec<f64>> = self.without.iter().map(estimate).collect();
        let std_error = without.and_then(|without| jackknife_std_error(&without).ok());
        Some(match std_error {
            Some(std_error) => value.with_std_error(std_error),
            None => value,
        })
    }

    /// The same of several estimates made together.
    pub(super) fn estimates(
        &self,
        estimates: impl Fn(&Tally) -> Option<Vec<f64>> + Sync,
    ) -> Option<Vec<Number>> {
        let values = estimates(&self.whole)?;
        let without: Option<Vec<Vec<f64>>> = self.without.par_iter().map(&estimates).collect();
        let number = |(place, &value): (usize, &f64)| {
            let std_error = without.as_ref().and_then(|without| {
                let column: Option<Vec<f64>> =
                    without.iter().map(|row| row.get(place).copied()).collect();
                jackknife_std_error(&column?).ok()
            });
            match std_error {
                Some(std_error) => Number::new(value).with_std_error(std_error),
                None => Number::new(value),
            }
        };
        Some(values.iter().enumerate().map(number).collect())
    }
}

/// Regression of closeness to a win on those of some variables that add anything.
pub(super) struct Regression {
    /// The variables in the order in which forward selection lets them in.
    pub(super) entries: Vec<Entry>,
    /// The variables that are in, in ascending order.
    pub(super) variables: Vec<usize>,
    /// The fit to them.
    pub(super) fit: LeastSquares,
}

impl Regression {
    /// Leaves out what never varies or is a combination of the others, and nothing else: the thesis
    /// gives no thresholds.
    pub(super) fn of(
        moments: &CrossMoments,
        candidates: &[usize],
    ) -> Result<Self, RegressionError> {
        let entries = forward_selection(moments, candidates, CLOSENESS, 0.0)?;
        let mut variables: Vec<usize> = entries.iter().map(|entry| entry.variable).collect();
        variables.sort_unstable();
        Ok(Self {
            fit: LeastSquares::of_moments(moments, &variables, CLOSENESS)?,
            entries,
            variables,
        })
    }

    /// Coefficient of a variable, if it is in.
    pub(super) fn coefficient(&self, variable: usize) -> Option<f64> {
        let place = self.variables.binary_search(&variable).ok()?;
        self.fit.coefficients.get(place).copied()
    }
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
