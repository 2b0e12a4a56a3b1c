//! A game move by move: how likely each was, and what made it so.

use std::f64::consts::LN_2;

use kibitz_board::{Color, Game, Move, Position as _, san::SanPlus};
use serde::Serialize;

use crate::{Model, Phase};

/// A move of a game under a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExplainedMove {
    /// Number of the ply in the game, from 1.
    pub ply: usize,
    /// Number of the move, as in notation.
    pub number: u32,
    /// Whether White moved.
    pub white: bool,
    /// The move, in standard algebraic notation.
    pub san: String,
    /// The phase.
    pub phase: Phase,
    /// Legal moves.
    pub alternatives: usize,
    /// Probability of the move.
    pub probability: f64,
    /// Its rank among the legal moves, from 1.
    pub rank: usize,
    /// Its code length.
    pub bits: f64,
    /// For each attribute, in bits: what it speaks for the move against the mean legal move.
    pub contributions: Vec<f64>,
    /// What remains: the bits are the logarithm of the number of moves, less the contributions, plus
    /// this. It grows with how much the moves differ.
    pub rest: f64,
    /// Moves that the model prefers, the likeliest first, at most three.
    pub preferred: Vec<PreferredMove>,
}

/// A move that a model prefers to the one played.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PreferredMove {
    /// The move.
    pub san: String,
    /// Its probability.
    pub probability: f64,
    /// For each attribute, in bits: what it speaks for this move against the one played.
    pub contributions: Vec<f64>,
}

/// A game under a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExplainedGame {
    /// The attributes, in the order of contributions.
    pub attributes: Vec<String>,
    /// The moves that were judged.
    pub moves: Vec<ExplainedMove>,
    /// Bits of all of them.
    pub bits: f64,
    /// Bits if all legal moves were equally likely.
    pub uniform_bits: f64,
    /// Share of the player's own games that cost more bits per move, in percent; none without moves.
    pub dearer_games: Option<f64>,
}

impl ExplainedGame {
    /// Mean bits per move.
    pub fn bits_per_move(&self) -> f64 {
        self.bits / self.moves.len() as f64
    }
}

impl Model {
    /// Share of the player's games with more bits per move, in percent.
    pub fn dearer_games(&self, bits_per_move: f64) -> f64 {
        let dearer = self.typical.iter().filter(|one| **one > bits_per_move);
        100.0 * dearer.count() as f64 / self.typical.len() as f64
    }

    /// Whether a game lies outside of what the player's games cost: beyond the range that holds them
    /// but for one in two hundred.
    pub fn is_untypical(&self, bits_per_move: f64) -> bool {
        let share = self.dearer_games(bits_per_move);
        !(0.25..=99.75).contains(&share)
    }
}

/// Explains the moves of one side, or of both.
///
/// `None` if the model is not of chess, or lacks a fit for a phase.
pub fn explain(model: &Model, game: &Game, side: Option<Color>) -> Option<ExplainedGame> {
    let mut moves = Vec::new();
    let mut uniform_bits = 0.0;
    for (ply, (position, played)) in game.plies().enumerate() {
        if side.is_some_and(|side| side != position.turn()) {
            continue;
        }
        let valued = model.value(&position)?;
        let chosen = valued.moves.iter().position(|one| *one == played)?;
        let probabilities = valued.probabilities();
        let n = valued.moves.len();
        uniform_bits += (n as f64).log2();
        let own = probabilities[chosen];
        let bits = 0.0 - own.log2();
        let san = |m: Move| SanPlus::from_move(position.clone(), m).to_string();
        let against_mean = |of: &Vec<f64>| (of[chosen] - of.iter().sum::<f64>() / n as f64) / LN_2;
        let contributions: Vec<f64> = valued.contributions.iter().map(against_mean).collect();
        let mut order: Vec<usize> = (0..n).filter(|&one| probabilities[one] > own).collect();
        order.sort_by(|a, b| probabilities[*b].total_cmp(&probabilities[*a]));
        let preferred = order.iter().take(3).map(|&one| PreferredMove {
            san: san(valued.moves[one]),
            probability: probabilities[one],
            contributions: (valued.contributions.iter())
                .map(|of| (of[one] - of[chosen]) / LN_2)
                .collect(),
        });
        moves.push(ExplainedMove {
            ply: ply + 1,
            number: position.fullmoves().get(),
            white: position.turn().is_white(),
            san: san(played),
            phase: Phase::of(&position),
            alternatives: n,
            probability: own,
            rank: order.len() + 1,
            bits,
            rest: bits - (n as f64).log2() + contributions.iter().sum::<f64>(),
            contributions,
            preferred: preferred.collect(),
        });
    }
    let bits: f64 = moves.iter().map(|one| one.bits).sum();
    let mean = (!moves.is_empty()).then(|| bits / moves.len() as f64);
    Some(ExplainedGame {
        attributes: model.attributes(),
        moves,
        bits,
        uniform_bits,
        dearer_games: mean.map(|mean| model.dearer_games(mean)),
    })
}
