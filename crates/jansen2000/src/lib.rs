//! The experiments of Jansen, Dowe and Farr 2000, "Inductive inference of chess player strategy":
//! a player's evaluation weights inferred from the games, under a one-ply and a quiescent four-ply
//! model.
//!
//! # Map
//! | module | kind | tables | what it computes |
//! | --- | --- | --- | --- |
//! | `alternatives` | `move-alternatives` | alternatives | every move that a player could have played: the dataset that table2 and beyond/mobility-conventions fit |
//! | `move_coding` | `move-coding` | beyond/one-ply-held-out | what held-out moves cost under the one-ply model and other codes |
//! | `quiescent_coding` | `quiescent-coding` | beyond/four-ply-held-out | what held-out moves cost under models that look less or further ahead |
//! | `quiescent_inference` | `quiescent-inference` | table4, table5, eleven-games, beyond/four-ply-all-games, beyond/tree-size | weights of human players, four-ply model |
//! | `quiescent_recovery` | `quiescent-recovery` | table3 | weights inferred back from self-play, four-ply model |
//! | `weight_recovery` | `weight-recovery` | table1, database-size | weights inferred back from self-play, one-ply model |
//! | `who_played` | `who-played` | beyond/who-played | players told apart by their weights |
//!
//! `chess_data` has games, one-ply decisions and columns; `quiescent_data` the four-ply model and
//! its fits; `recovery` how games are generated to infer known weights back.

mod alternatives;
mod chess_data;
mod move_coding;
mod quiescent_coding;
mod quiescent_data;
mod quiescent_inference;
mod quiescent_recovery;
mod recovery;
mod weight_recovery;
mod who_played;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<alternatives::MoveAlternatives>(CODE),
        Kind::of::<move_coding::MoveCoding>(CODE),
        Kind::of::<quiescent_coding::QuiescentCoding>(CODE),
        Kind::of::<quiescent_inference::QuiescentInference>(CODE),
        Kind::of::<quiescent_recovery::QuiescentRecovery>(CODE),
        Kind::of::<weight_recovery::WeightRecovery>(CODE),
        Kind::of::<who_played::WhoPlayed>(CODE),
    ]
}
