//! Positions turned into one-ply choice sets: material and mobility of every alternative.

use kibitz_board::{ByColor, Chess, Position, legal_move_counts};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, material_balance};
use kibitz_search::{
    one_ply::{OnePly, WeightedOnePly},
    self_play::{EndPolicy, play},
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use serde::Deserialize;

use super::{Answer, Workload};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// How many positions, from seeded self-play.
    positions: usize,
    seed: u64,
}

pub(crate) struct OnePlyChoiceSets {
    model: OnePly,
    positions: Vec<Chess>,
}

impl OnePlyChoiceSets {
    pub(crate) fn prepare(params: &Params) -> Self {
        let model = OnePly::new(AttributeSet::new(Attribute::SIMPLE));
        // Weights near those of human players: openings, middle games and endings all occur.
        let mut player = WeightedOnePly::new(model.clone(), vec![1.0, 0.05]);
        let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
        let mut positions = Vec::with_capacity(params.positions);
        while positions.len() < params.positions {
            let mut position = Chess::default();
            let game = play(&mut player, &position, &EndPolicy::default(), &mut rng);
            for played in game.moves {
                positions.push(position.clone());
                position.play_unchecked(played);
            }
        }
        positions.truncate(params.positions);
        Self { model, positions }
    }
}

/// The straightforward way: play each move and list both sides' legal moves.
///
/// The side that gives check has no null move that is a legal position, so listing cannot count
/// its moves, and they are counted instead.
fn straightforward(position: &Chess, rows: &mut Vec<i16>) {
    let player = position.turn();
    for played in position.legal_moves() {
        let mut after = position.clone();
        after.play_unchecked(played);
        let to_move = after.legal_moves().len();
        let other = match after.clone().swap_turn() {
            Ok(other) => other.legal_moves().len(),
            Err(_) => legal_move_counts(&after)[player] as usize,
        };
        let counts = ByColor {
            white: to_move,
            black: other,
        };
        let [opponent, own] = [counts.white, counts.black]
            .map(|count| i16::try_from(count).expect("a side has at most 218 moves"));
        rows.push(material_balance(after.board(), player));
        rows.push(own - opponent);
    }
}

impl Workload for OnePlyChoiceSets {
    fn unit(&self) -> &'static str {
        "positions"
    }

    fn n_items(&self) -> u64 {
        self.positions.len() as u64
    }

    fn run(&self, engine: &str) -> anyhow::Result<Answer> {
        let mut rows = Vec::new();
        let mut alternatives = 0_u64;
        // Order matters in this sum, so equal answers mean equal rows in all likelihood.
        let mut checksum = 0_u64;
        for position in &self.positions {
            rows.clear();
            match engine {
                "kibitz" => self
                    .model
                    .extend_rows(position, &position.legal_moves(), &mut rows),
                "straightforward" => straightforward(position, &mut rows),
                "list-moves-only" => {
                    alternatives += position.legal_moves().len() as u64;
                    continue;
                }
                _ => anyhow::bail!("kibitz, straightforward and list-moves-only are known"),
            }
            alternatives += rows.len() as u64 / 2;
            for &value in &rows {
                checksum = (checksum * 31 + u64::from(value.cast_unsigned())) % 0xffff_fffb;
            }
        }
        let mut answer = Answer::from([("alternatives".to_owned(), alternatives as f64)]);
        if engine != "list-moves-only" {
            answer.insert("checksum".to_owned(), checksum as f64);
        }
        Ok(answer)
    }
}
