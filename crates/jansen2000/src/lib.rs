//! The experiments of Jansen, Dowe and Farr 2000, "Inductive inference of chess player strategy":
//! a player's evaluation weights inferred from the games, under a one-ply and a quiescent four-ply
//! model.
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `weight_inference` | `weight-inference` | Table 2: weights of human players, one-ply model |

mod chess_data;
mod weight_inference;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![Kind::of::<weight_inference::WeightInference>(CODE)]
}
