//! Problem sets: positions with known best moves.

use kibitz_board::{
    Chess, Color, Endgame, Game, KnownOutcome, Move, Outcome, Position, game_filter::GameSource,
};
use kibitz_experiment::{CellError, Context, Problems};
use kibitz_search::{
    fixed_depth::SearchError,
    game::Counts,
    mates::MateSolver,
    retrograde::{Tablebase, Value},
};
use kibitz_stats::split::train_test;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CHUNK;
use crate::scored_games::{audit_of, check_games, games_of};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MateParams {
    /// The collections, by their names under `data`, and filters of their games.
    pub(super) games: Vec<GameSource>,
    /// Number of last positions of each won game to examine, with the winner to move.
    pub(super) look_back: u32,
    /// Longest mate, in moves.
    pub(super) max_moves: u32,
    /// Limit of positions with the attacker to move in the exhaustive search; a problem beyond it is left
    /// out.
    pub(super) nodes: u64,
    /// Number of games of each collection; all when left out.
    pub(super) max_games: Option<u32>,
}

impl MateParams {
    /// Validates the parameters.
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.require(self.max_moves > 0, "max-moves", "at least 1");
        problems.each("games", &self.games, check_games);
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct EndgameParams {
    /// The material, as `KRvK`.
    pub(super) endgame: String,
    /// The criterion of success.
    pub(super) goal: Goal,
    /// Shortest and longest win, in moves.
    pub(super) moves: [u32; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Goal {
    /// An optimal move: the win is a move nearer. Positions with only such moves are left out.
    Fastest,
    /// A winning move. Positions with only such moves are left out.
    Wins,
}

impl EndgameParams {
    /// Validates the parameters.
    pub(super) fn check(&self, problems: &mut Problems) {
        let [shortest, longest] = self.moves;
        problems.require(
            (1..=longest).contains(&shortest),
            "moves",
            "the shortest win, from 1, then the longest",
        );
        if let Err(error) = self.endgame.parse::<Endgame>() {
            problems.at("endgame", error.to_string());
        }
    }
}

/// A position and its solutions.
pub(super) struct Problem {
    pub(super) position: Chess,
    pub(super) answers: Vec<Move>,
}

/// A set of positions: its name in the table and its problems.
pub(super) struct ProblemSet {
    pub(super) name: String,
    pub(super) problems: Vec<Problem>,
}

pub(super) fn mate_set(n_moves: u32) -> String {
    format!("mate in {n_moves}")
}

pub(super) fn endgame_set(endgame: &EndgameParams) -> String {
    let goal = match endgame.goal {
        Goal::Fastest => "fastest",
        Goal::Wins => "wins",
    };
    let [shortest, longest] = endgame.moves;
    format!("{} in {shortest} to {longest}, {goal}", endgame.endgame)
}

/// Forced mates near the ends of won games, at most one of each length from a game.
pub(super) fn mates(
    mates: &MateParams,
    sample: u32,
    ctx: &Context<'_>,
) -> Result<Vec<ProblemSet>, CellError> {
    let mut sets: Vec<ProblemSet> = (1..=mates.max_moves)
        .map(|n_moves| ProblemSet {
            name: mate_set(n_moves),
            problems: Vec::new(),
        })
        .collect();
    let mut n_given_up = 0;
    for source in &mates.games {
        let most = mates.max_games.map(|n| n as usize);
        let (games, counts) = games_of(source, most, ctx)?;
        ctx.audit(audit_of(&source.data, counts, ctx)?);
        for chunk in games.chunks(CHUNK) {
            ctx.check()?;
            let found = chunk.par_iter().map(|game| mates_of(game, mates));
            for found in found.collect::<Result<Vec<_>, CellError>>()? {
                n_given_up += found.n_given_up;
                for (n_moves, problem) in found.problems {
                    sets[n_moves as usize - 1].problems.push(problem);
                }
            }
        }
    }
    if n_given_up > 0 {
        ctx.warn(format!(
            "{n_given_up} positions are left out: {} nodes do not tell whether they are a mate",
            mates.nodes
        ));
    }
    for set in &mut sets {
        draw(set, sample, ctx)?;
    }
    Ok(sets)
}

/// Won positions of an endgame with White to move.
pub(super) fn endgame(
    params: &EndgameParams,
    sample: u32,
    ctx: &Context<'_>,
) -> Result<ProblemSet, CellError> {
    let endgame: Endgame = params.endgame.parse()?;
    let tables = Tablebase::new([endgame.clone()]);
    let table = (tables.table(&endgame)).ok_or_else(|| CellError::new("no such table"))?;
    let [shortest, longest] = params.moves;
    let problems = table.positions().filter_map(|(position, value)| {
        let Value::Won(plies) = value else {
            return None;
        };
        let n_moves = u32::from(plies).div_ceil(2);
        if position.turn() != Color::White || !(shortest..=longest).contains(&n_moves) {
            return None;
        }
        let moves = tables.moves(&position)?;
        let is_right = |after: Value| match params.goal {
            Goal::Fastest => after == value,
            Goal::Wins => matches!(after, Value::Won(_)),
        };
        let answers: Vec<Move> = moves
            .iter()
            .filter(|(_, after)| is_right(*after))
            .map(|(m, _)| *m)
            .collect();
        (answers.len() < moves.len()).then_some(Problem { position, answers })
    });
    let mut set = ProblemSet {
        name: endgame_set(params),
        problems: problems.collect(),
    };
    draw(&mut set, sample, ctx)?;
    Ok(set)
}

/// Reduces the set to a random sample, in order.
fn draw(set: &mut ProblemSet, sample: u32, ctx: &Context<'_>) -> Result<(), CellError> {
    let n_problems = u32::try_from(set.problems.len())?;
    if n_problems <= sample {
        return Ok(());
    }
    let numbers: Vec<u32> = (0..n_problems).collect();
    let seed = ctx.seed_u64(&format!("positions of {}", set.name));
    let share = f64::from(sample) / f64::from(n_problems);
    let drawn = train_test(&numbers, share, seed)?.test;
    let mut number = 0;
    set.problems.retain(|_| {
        number += 1;
        drawn.contains(&(number - 1))
    });
    Ok(())
}

/// The mates of a game.
#[derive(Default)]
struct MatesOf {
    /// With their lengths.
    problems: Vec<(u32, Problem)>,
    /// Positions whose search was given up.
    n_given_up: u64,
}

/// The shortest mates near the end of a game, one of each length.
fn mates_of(game: &Game, mates: &MateParams) -> Result<MatesOf, CellError> {
    let mut found = MatesOf::default();
    let Outcome::Known(KnownOutcome::Decisive { winner }) = game.outcome() else {
        return Ok(found);
    };
    let mut positions: Vec<Chess> = game.plies().map(|(position, _)| position.clone()).collect();
    if let (Some(last), Some(&m)) = (positions.last(), game.moves().last()) {
        let mut end = last.clone();
        end.play_unchecked(m);
        positions.push(end);
    }
    let mut solver = MateSolver::default();
    for position in positions.into_iter().rev().take(mates.look_back as usize) {
        if position.turn() != winner || position.is_game_over() {
            continue;
        }
        let mut stop = |counts: Counts| counts.nodes() >= mates.nodes;
        let mate = match solver.solve(&position, mates.max_moves, &mut stop) {
            Ok(Some(mate)) => mate,
            Ok(None) => continue,
            Err(SearchError::Stopped) => {
                found.n_given_up += 1;
                continue;
            }
            Err(other) => return Err(other.into()),
        };
        let is_new = |(n_moves, _): &(u32, Problem)| *n_moves != mate.n_moves;
        if found.problems.iter().all(is_new)
            && mate.first_moves.len() < position.legal_moves().len()
        {
            let answers = mate.first_moves;
            found
                .problems
                .push((mate.n_moves, Problem { position, answers }));
        }
    }
    Ok(found)
}
