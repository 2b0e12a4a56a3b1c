//! Self-play with known weights, for parameter recovery.

use kibitz_board::Chess;
use kibitz_experiment::{CellError, Context, Problems};
use kibitz_search::{
    player::Model,
    self_play::{EndPolicy, GeneratedGame, play_watched},
};
use rayon::prelude::*;

/// Validates the parameter `end`: it must bound the length of a game.
pub(crate) fn check_end(end: EndPolicy, problems: &mut Problems) {
    problems.require(
        end.max_plies.is_some() || end.fifty_moves,
        "end",
        "games need an end: set `fifty-moves = true` or `max-plies`",
    );
}

/// Self-play games of `player`, each with the notes of `watch`, which is called for every choice with
/// the index of the game, the player after its evaluation, the position, and the index of the move.
pub(crate) fn play_games<P: Model + Clone + Send, N: Default + Send>(
    player: P,
    n_games: u32,
    end: EndPolicy,
    ctx: &Context<'_>,
    watch: impl Fn(&mut N, u32, &P, &Chess, usize) + Sync,
) -> Result<Vec<(GeneratedGame, N)>, CellError> {
    play_until(player, n_games, end, ctx, watch, |_, _| true)
}

/// Maximum number of attempts at one game.
const MOST_TRIES: u32 = 2000;

/// As [`play_games`], but each game is replayed until `fits` accepts it; `fits` gets its index.
pub(crate) fn play_until<P: Model + Clone + Send, N: Default + Send>(
    player: P,
    n_games: u32,
    end: EndPolicy,
    ctx: &Context<'_>,
    watch: impl Fn(&mut N, u32, &P, &Chess, usize) + Sync,
    fits: impl Fn(u32, &GeneratedGame) -> bool + Sync,
) -> Result<Vec<(GeneratedGame, N)>, CellError> {
    (0..n_games)
        .into_par_iter()
        .map_with(player, |player, number| {
            let start = Chess::default();
            for number_of_try in 0..MOST_TRIES {
                ctx.check()?;
                let mut rng = ctx.rng_for(&match number_of_try {
                    0 => format!("game {number}"),
                    _ => format!("game {number}, try {number_of_try}"),
                });
                let mut notes = N::default();
                let game = play_watched(
                    player,
                    &start,
                    &end,
                    &mut rng,
                    |player, position, chosen| {
                        watch(&mut notes, number, player, position, chosen);
                    },
                );
                if fits(number, &game) {
                    return Ok((game, notes));
                }
            }
            let message = format!("game {}: none of {MOST_TRIES} games fits", number + 1);
            Err(CellError::new(message))
        })
        .collect()
}

/// 100 or 0; the mean over fits or replicates is a percentage.
pub(crate) fn percent_if(holds: bool) -> f64 {
    if holds { 100.0 } else { 0.0 }
}
