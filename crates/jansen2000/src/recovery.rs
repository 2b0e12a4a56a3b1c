//! Games generated with known weights, to infer the weights back.

use kibitz_board::{Chess, Move, Position};
use kibitz_experiment::{CellError, Context, Problems};
use kibitz_search::{
    player::Model,
    self_play::{EndPolicy, GeneratedGame, play},
};
use rayon::prelude::*;

/// Reports a policy in the parameter `end` under which a game may go on for ever.
pub(crate) fn check_end(end: EndPolicy, problems: &mut Problems) {
    problems.require(
        end.max_plies.is_some() || end.fifty_moves,
        "end",
        "games need an end: set `fifty-moves = true` or `max-plies`",
    );
}

/// Games of `player` with itself.
pub(crate) fn play_games(
    player: impl Model + Clone + Send,
    n_games: u32,
    end: EndPolicy,
    ctx: &Context<'_>,
) -> Result<Vec<GeneratedGame>, CellError> {
    (0..n_games)
        .into_par_iter()
        .map_with(player, |player, number| {
            ctx.check()?;
            let mut rng = ctx.rng_for(&format!("game {number}"));
            Ok(play(player, &Chess::default(), &end, &mut rng))
        })
        .collect()
}

/// The moves of a game, each with the position before it.
pub(crate) fn plies(game: &GeneratedGame) -> impl Iterator<Item = (Chess, Move)> {
    (game.moves.iter()).scan(Chess::default(), |position, &played| {
        let before = position.clone();
        position.play_unchecked(played);
        Some((before, played))
    })
}

/// A share of one in percent; the mean over fits or replicates is how often it holds.
pub(crate) fn percent_if(holds: bool) -> f64 {
    if holds { 100.0 } else { 0.0 }
}
