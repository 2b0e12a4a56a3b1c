//! The experiments of Jansen, Dowe and Farr 2000, "Inductive inference of chess player strategy":
//! evaluation weights of players inferred from their games, under a one-ply and a quiescent four-ply
//! model.
//!
//! # Map
//! | module | kind | tables | what it computes |
//! | --- | --- | --- | --- |
//! | `accuracy` | `accuracy` | beyond/accuracy | the formulas of lichess for accuracy estimated again, and a known difference found again |
//! | `alternatives` | `move-alternatives` | alternatives | every legal alternative in a player's decisions: the dataset of table2 and beyond/mobility-conventions |
//! | `judged_moves` | `judged-moves` | beyond/judged-moves | moves under models fitted to other games: the dataset of beyond/move-match and beyond/calibration |
//! | `message_length` | `message-length` | beyond/message-length | two-part messages of weights and moves, by sets of attributes |
//! | `move_coding` | `move-coding` | beyond/one-ply-held-out | code length of held-out moves, one-ply model and other codes |
//! | `player_weights` | `player-weights` | beyond/player-weights, beyond/player-weights-four | weights of every player in a collection: the datasets of beyond/players-at-scale and beyond/players-four-ply |
//! | `quiescent_coding` | `quiescent-coding` | beyond/four-ply-held-out | code length of held-out moves, models of different depths |
//! | `quiescent_inference` | `quiescent-inference` | table4, table5, eleven-games, beyond/four-ply-all-games, beyond/tree-size | weights of human players, four-ply model |
//! | `quiescent_recovery` | `quiescent-recovery` | table3 | parameter recovery from self-play, four-ply model |
//! | `weight_recovery` | `weight-recovery` | table1, database-size | parameter recovery from self-play, one-ply model |
//! | `who_calibration` | `who-calibration` | beyond/who-calibration | calibration of the probabilities in player identification |
//! | `who_played` | `who-played` | beyond/who-played | player identification by weights |
//! | `who_played_games` | `who-played-games` | beyond/who-played-games | the same among many players of a database, by number of games |
//!
//! The models and their fits are `kibitz-players`. `coded_model` holds the models that tables
//! compare; `player_games` games and columns; `four_ply_model` the selections and trees of the
//! four-ply tables; `self_play` the games for parameter recovery.

mod accuracy;
mod alternatives;
mod coded_model;
mod four_ply_model;
mod judged_moves;
mod message_length;
mod move_coding;
mod player_games;
mod player_weights;
mod quiescent_coding;
mod quiescent_inference;
mod quiescent_recovery;
mod self_play;
mod weight_recovery;
mod who_calibration;
mod who_played;
mod who_played_games;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<accuracy::Accuracy>(CODE),
        Kind::of::<alternatives::MoveAlternatives>(CODE),
        Kind::of::<judged_moves::JudgedMoves>(CODE),
        Kind::of::<message_length::MessageLength>(CODE),
        Kind::of::<move_coding::MoveCoding>(CODE),
        Kind::of::<player_weights::PlayerWeights>(CODE),
        Kind::of::<quiescent_coding::QuiescentCoding>(CODE),
        Kind::of::<quiescent_inference::QuiescentInference>(CODE),
        Kind::of::<quiescent_recovery::QuiescentRecovery>(CODE),
        Kind::of::<weight_recovery::WeightRecovery>(CODE),
        Kind::of::<who_calibration::WhoCalibration>(CODE),
        Kind::of::<who_played::WhoPlayed>(CODE),
        Kind::of::<who_played_games::WhoPlayedGames>(CODE),
    ]
}
