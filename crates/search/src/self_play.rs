//! Games of a probabilistic player against itself.

use kibitz_board::{Chess, Color, EnPassantMode, Move, Position, zobrist::Zobrist64};
use rand::Rng;

use crate::player::{Model, draw, softmax};

/// When a game that is not decided by the rules alone ends.
///
/// The paper leaves open how generated games end; we end them when the rules of play would let a
/// player claim a draw, and keep each claim a parameter. Mate, stalemate and positions in which
/// neither side can mate always end a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct EndPolicy {
    /// The third occurrence of a position is a draw.
    pub threefold_repetition: bool,
    /// Fifty moves of each side without a capture or a pawn move are a draw.
    pub fifty_moves: bool,
    /// A game is broken off undecided after this many plies.
    pub max_plies: Option<u32>,
}

impl Default for EndPolicy {
    fn default() -> Self {
        Self {
            threefold_repetition: true,
            fifty_moves: true,
            max_plies: None,
        }
    }
}

/// Why a generated game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// The named side mated.
    Checkmate(Color),
    /// The side to move had no legal move and was not in check.
    Stalemate,
    /// Neither side could mate.
    InsufficientMaterial,
    /// The position stood for the third time.
    ThreefoldRepetition,
    /// Fifty moves of each side passed without a capture or a pawn move.
    FiftyMoves,
    /// The limit of [`EndPolicy::max_plies`] was reached.
    MaxPlies,
}

/// A generated game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedGame {
    /// The moves from the starting position.
    pub moves: Vec<Move>,
    /// Why the game ended.
    pub end: End,
}

/// Plays one game from `start`, both sides choosing by `model` with probabilities as in equation
/// (2). The same generator state gives the same game.
///
/// # Examples
/// ```
/// use kibitz_board::Chess;
/// use kibitz_heuristics::attributes::{Attribute, AttributeSet};
/// use kibitz_search::{one_ply::{OnePly, WeightedOnePly}, self_play::{EndPolicy, play}};
/// use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
///
/// let model = OnePly::new(AttributeSet::new([Attribute::Material]));
/// let mut player = WeightedOnePly::new(model, vec![3.0]);
/// let mut rng = ChaCha8Rng::seed_from_u64(1);
/// let game = play(&mut player, &Chess::default(), &EndPolicy::default(), &mut rng);
/// assert!(!game.moves.is_empty());
/// ```
pub fn play(
    model: &mut impl Model,
    start: &Chess,
    policy: &EndPolicy,
    rng: &mut impl Rng,
) -> GeneratedGame {
    play_watched(model, start, policy, rng, |_, _, _| {})
}

/// [`play`] with an observer: `watch` is called for every choice with the model, which has just
/// evaluated the moves, the position, and the index of the chosen legal move.
///
/// A fit to generated games can thus reuse the attributes that the model has computed.
pub fn play_watched<M: Model>(
    model: &mut M,
    start: &Chess,
    policy: &EndPolicy,
    rng: &mut impl Rng,
    mut watch: impl FnMut(&M, &Chess, usize),
) -> GeneratedGame {
    let mut position = start.clone();
    let mut moves_played = Vec::new();
    let mut values = Vec::new();
    // Hashes since the last move that cannot be undone: only these positions can come back.
    let mut history: Vec<Zobrist64> = Vec::new();
    loop {
        let moves = position.legal_moves();
        if let Some(end) = end_of_game(&position, moves.is_empty(), policy, &mut history)
            .or_else(|| reached_limit(moves_played.len(), policy))
        {
            return GeneratedGame {
                moves: moves_played,
                end,
            };
        }
        values.clear();
        model.extend_values(&position, &moves, &mut values);
        softmax(&mut values);
        let number = draw(&values, rng);
        watch(model, &position, number);
        let chosen = moves[number];
        if position.is_irreversible(chosen) {
            history.clear();
        }
        position.play_unchecked(chosen);
        moves_played.push(chosen);
    }
}

fn reached_limit(plies: usize, policy: &EndPolicy) -> Option<End> {
    let limit = policy.max_plies?;
    (plies >= limit as usize).then_some(End::MaxPlies)
}

fn end_of_game(
    position: &Chess,
    no_moves: bool,
    policy: &EndPolicy,
    history: &mut Vec<Zobrist64>,
) -> Option<End> {
    if no_moves {
        return Some(if position.is_check() {
            End::Checkmate(!position.turn())
        } else {
            End::Stalemate
        });
    }
    if position.is_insufficient_material() {
        return Some(End::InsufficientMaterial);
    }
    if policy.fifty_moves && position.halfmoves() >= 100 {
        return Some(End::FiftyMoves);
    }
    if policy.threefold_repetition {
        let hash = position.zobrist_hash(EnPassantMode::Legal);
        let earlier = history.iter().filter(|seen| **seen == hash).count();
        history.push(hash);
        if earlier >= 2 {
            return Some(End::ThreefoldRepetition);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_board::{CastlingMode, MoveList, fen::Fen, uci::UciMove};
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    /// Plays the listed moves and nothing else.
    struct Script<'a>(std::slice::Iter<'a, &'static str>);

    impl Model for Script<'_> {
        fn extend_values(&mut self, position: &Chess, moves: &MoveList, values: &mut Vec<f64>) {
            let wanted = self.0.next().expect("the script covers the game");
            let wanted = wanted
                .parse::<UciMove>()
                .unwrap()
                .to_move(position)
                .unwrap();
            values.extend(moves.iter().map(|m| if *m == wanted { 1e4 } else { 0.0 }));
        }
    }

    fn ends(fen: &str, script: &[&'static str], policy: EndPolicy) -> (usize, End) {
        let start: Chess = fen
            .parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let game = play(&mut Script(script.iter()), &start, &policy, &mut rng);
        (game.moves.len(), game.end)
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn ends_at_mate() {
        let moves = ["f2f3", "e7e5", "g2g4", "d8h4"];
        assert_eq!(
            ends(START, &moves, EndPolicy::default()),
            (4, End::Checkmate(Color::Black))
        );
    }

    #[test]
    fn ends_at_the_third_occurrence() {
        let shuffle = [
            "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8",
        ];
        assert_eq!(
            ends(START, &shuffle, EndPolicy::default()),
            (8, End::ThreefoldRepetition)
        );
        let policy = EndPolicy {
            threefold_repetition: false,
            max_plies: Some(8),
            ..EndPolicy::default()
        };
        assert_eq!(ends(START, &shuffle, policy), (8, End::MaxPlies));
    }

    #[test]
    fn ends_by_the_other_rules() {
        let default = EndPolicy::default();
        assert_eq!(
            ends("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &[], default),
            (0, End::Stalemate)
        );
        assert_eq!(
            ends("7k/8/8/8/8/8/8/K7 w - - 0 1", &[], default),
            (0, End::InsufficientMaterial)
        );
        assert_eq!(
            ends("7k/8/8/8/8/8/8/KR6 w - - 99 80", &["a1a2"], default),
            (1, End::FiftyMoves)
        );
    }

    #[test]
    fn the_same_seed_gives_the_same_game() {
        use crate::one_ply::{OnePly, WeightedOnePly};
        use kibitz_heuristics::attributes::{Attribute, AttributeSet};
        let set = AttributeSet::new(Attribute::SIMPLE);
        let mut player = WeightedOnePly::new(OnePly::new(set), vec![5.0, 0.5]);
        let mut game = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            play(
                &mut player,
                &Chess::default(),
                &EndPolicy::default(),
                &mut rng,
            )
        };
        assert_eq!(game(3), game(3));
        assert_ne!(game(3), game(4));
    }

    #[test]
    fn whoever_watches_sees_every_choice() {
        use crate::one_ply::{OnePly, WeightedOnePly};
        use kibitz_heuristics::attributes::{Attribute, AttributeSet};
        let model = OnePly::new(AttributeSet::new(Attribute::SIMPLE));
        let mut player = WeightedOnePly::new(model.clone(), vec![3.0, 0.2]);
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let (start, policy) = (Chess::default(), EndPolicy::default());
        let mut seen = Vec::new();
        let game = play_watched(
            &mut player,
            &start,
            &policy,
            &mut rng,
            |player, at, chosen| {
                let moves = at.legal_moves();
                let mut rows = Vec::new();
                model.extend_rows(at, &moves, &mut rows);
                assert_eq!(player.rows(), rows);
                seen.push(moves[chosen]);
            },
        );
        assert_eq!(seen, game.moves);
    }
}
