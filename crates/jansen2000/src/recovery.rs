//! Games generated with known weights, to infer the weights back.

use kibitz_board::Chess;
use kibitz_experiment::{CellError, Context, Problems};
use kibitz_search::{
    player::Model,
    self_play::{EndPolicy, GeneratedGame, play_watched},
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

/// Games of `player` with itself, each with what `watch` noted of its choices: it is told the number
/// of the game, the player who has just valued the moves of a position, the position, and the number
/// of the move that was chosen.
pub(crate) fn play_games<P: Model + Clone + Send, N: Default + Send>(
    player: P,
    n_games: u32,
    end: EndPolicy,
    ctx: &Context<'_>,
    watch: impl Fn(&mut N, u32, &P, &Chess, usize) + Sync,
) -> Result<Vec<(GeneratedGame, N)>, CellError> {
    (0..n_games)
        .into_par_iter()
        .map_with(player, |player, number| {
            ctx.check()?;
            let mut rng = ctx.rng_for(&format!("game {number}"));
            let mut notes = N::default();
            let start = Chess::default();
            let game = play_watched(
                player,
                &start,
                &end,
                &mut rng,
                |player, position, chosen| {
                    watch(&mut notes, number, player, position, chosen);
                },
            );
            Ok((game, notes))
        })
        .collect()
}

/// A share of one in percent; the mean over fits or replicates is how often it holds.
pub(crate) fn percent_if(holds: bool) -> f64 {
    if holds { 100.0 } else { 0.0 }
}
