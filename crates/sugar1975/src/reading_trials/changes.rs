//! Changes of scores, shuffled among moves.

use kibitz_heuristics::chute::PlyRecord;
use rand::seq::SliceRandom as _;

use crate::scored_games::ScoredGame;

/// The changes that readings make to the scores of one heuristic, and the moves that could have them.
pub(super) struct Changes {
    heuristic: usize,
    /// Game, record and move.
    places: Vec<[usize; 3]>,
    sizes: Vec<f64>,
}

impl Changes {
    pub(super) fn of(
        heuristic: usize,
        plain: &[ScoredGame],
        read: &[ScoredGame],
        within: &[ScoredGame],
    ) -> Self {
        let mut scores = Vec::new();
        for (game, (plain, (read, within))) in plain.iter().zip(read.iter().zip(within)).enumerate()
        {
            let records = plain
                .records
                .iter()
                .zip(read.records.iter().zip(&within.records));
            for (record, (plain, (read, within))) in records.enumerate() {
                let moves = plain.moves.iter().zip(read.moves.iter().zip(&within.moves));
                for (number, (plain, (read, within))) in moves.enumerate() {
                    let [plain, read, within] =
                        [plain, read, within].map(|scores| scores[heuristic]);
                    scores.push(([game, record, number], plain, read - plain, within - plain));
                }
            }
        }
        let is_within = scores.iter().any(|&(_, _, _, within)| within != 0.0);
        let is_eligible = |&(_, plain, change, within): &([usize; 3], f64, f64, f64)| {
            let is_named = if is_within {
                within != 0.0
            } else {
                plain != 0.0
            };
            is_named || change != 0.0
        };
        let eligible = scores.into_iter().filter(is_eligible);
        let (places, sizes) = eligible
            .map(|(place, _, change, _)| (place, change))
            .unzip();
        Self {
            heuristic,
            places,
            sizes,
        }
    }

    pub(super) fn shuffle(&self, games: &mut [Vec<PlyRecord>], rng: &mut impl rand::Rng) {
        let mut sizes = self.sizes.clone();
        sizes.shuffle(rng);
        for (&[game, record, number], size) in self.places.iter().zip(sizes) {
            games[game][record].moves[number][self.heuristic] += size;
        }
    }
}
