//! Games of simulated players, and evaluations by our own search.

use std::sync::LazyLock;

use kibitz_board::{Chess, Color, Game, KnownOutcome, MoveList, Outcome, Position as _, Tags};
use kibitz_experiment::CellError;
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_players::accuracy::EvaluatedGame;
use kibitz_search::{
    one_ply::{OnePly, WeightedOnePly},
    player::{Model, softmax},
    self_play::{End, EndPolicy, play as play_game},
};
use rand::Rng;

/// What players see: material, and what the opponent takes by his best exchange.
const SEEN: [Attribute; 2] = [Attribute::Material, Attribute::EnPrise];

/// What is evaluated: material, and what the best reply and the captures after it win.
static EVALUATED: LazyLock<AttributeSet> =
    LazyLock::new(|| AttributeSet::new([Attribute::Material, Attribute::Ahead]));

/// The evaluation of a position in centipawns, from White's view.
pub(super) fn evaluation(position: &Chess) -> i32 {
    let pawns = EVALUATED.values(position, Color::White);
    100 * pawns.into_iter().map(i32::from).sum::<i32>()
}

/// The evaluations after every move of a game.
pub(super) fn evaluations(game: &Game) -> Vec<i32> {
    let mut position = game.start().clone();
    let after = game.moves().iter().map(|&played| {
        position.play_unchecked(played);
        evaluation(&position)
    });
    after.collect()
}

/// A player who chooses by the softmax of what he sees, a pawn being worth his strength.
pub(super) fn player(strength: f64) -> WeightedOnePly {
    let model = OnePly::new(AttributeSet::new(SEEN));
    WeightedOnePly::new(model, vec![strength; SEEN.len()])
}

/// Two players of one game, White first.
struct PlayerPair([WeightedOnePly; 2]);

impl Model for PlayerPair {
    fn extend_values(&mut self, position: &Chess, moves: &MoveList, values: &mut Vec<f64>) {
        let side = usize::from(position.turn().is_black());
        self.0[side].extend_values(position, moves, values);
    }
}

/// Plays a game between players of these strengths and names, White first. A game that is broken off
/// has no result.
pub(super) fn play(
    strengths: [f64; 2],
    names: [&str; 2],
    max_plies: u32,
    rng: &mut impl Rng,
) -> Result<Game, CellError> {
    let policy = EndPolicy {
        max_plies: Some(max_plies),
        ..EndPolicy::default()
    };
    let start = Chess::default();
    let played = play_game(&mut PlayerPair(strengths.map(player)), &start, &policy, rng);
    let outcome = match played.end {
        End::Checkmate(winner) => Outcome::Known(KnownOutcome::Decisive { winner }),
        End::MaxPlies => Outcome::Unknown,
        End::Stalemate | End::InsufficientMaterial | End::ThreefoldRepetition | End::FiftyMoves => {
            Outcome::Known(KnownOutcome::Draw)
        }
    };
    let mut tags = Tags::default();
    tags.set("White", names[0]);
    tags.set("Black", names[1]);
    Ok(Game::new(tags, start, played.moves, outcome)?)
}

/// The game with evaluations in comments, as `kibitz-players accuracy` reads it.
pub(super) fn evaluated(game: &Game) -> Result<EvaluatedGame, CellError> {
    let comments = (1..).zip(evaluations(game)).map(|(ply, centipawns)| {
        let pawns = f64::from(centipawns) / 100.0;
        (ply, format!("[%eval {pawns:.2}]"))
    });
    let comments: Vec<(usize, String)> = comments.collect();
    let found = EvaluatedGame::read(game, &comments, 0);
    found.ok_or_else(|| CellError::new("a game without moves has no evaluation"))
}

/// The probabilities of the legal moves for a player.
pub(super) fn choices(player: &mut WeightedOnePly, position: &Chess, moves: &MoveList) -> Vec<f64> {
    let mut shares = Vec::with_capacity(moves.len());
    player.extend_values(position, moves, &mut shares);
    softmax(&mut shares);
    shares
}

#[cfg(test)]
mod tests {
    use kibitz_board::{CastlingMode, fen::Fen};
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};

    use super::*;

    #[test]
    fn evaluations_are_whites() {
        for (text, wanted) in [
            ("4k3/8/8/3q4/8/8/3R4/4K3 w - - 0 1", 500),
            ("4k3/8/8/3q4/8/8/3R4/4K3 b - - 0 1", -400),
        ] {
            let fen: Fen = text.parse().unwrap();
            let position = fen.into_position(CastlingMode::Standard).unwrap();
            assert_eq!(evaluation(&position), wanted, "{text}");
        }
    }

    #[test]
    fn the_stronger_player_loses_less() {
        let mut losses = [0.0; 2];
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let game = play([2.0, 0.5], ["a", "b"], 60, &mut rng).unwrap();
            for one in evaluated(&game).unwrap().moves {
                losses[usize::from(one.color.is_black())] += one.loss;
            }
        }
        assert!(losses[0] < losses[1], "{losses:?}");
    }
}
