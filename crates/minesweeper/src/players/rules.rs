//! The rule player: the rules of Table 3, and guesses.

use rand_chacha::ChaCha8Rng;

use super::difference::Differences;
use super::guess::{Guess, pick};
use super::rule_index::RuleIndex;
use crate::{
    grid::Tile,
    knowledge::{Constraint, Knowledge},
    player::{Action, Move, Player, Rule},
};

/// The order of moves where rules apply to several tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sweep {
    /// Rule by rule: the first rule that applies anywhere, to one of its tiles at random.
    #[default]
    RuleMajor,
    /// Tile by tile: a random tile to which any rule applies, by the first rule that does.
    TileMajor,
    /// In batches: the first rule that applies anywhere, to all of its tiles.
    Batch,
}

/// Plays by the rules of Peña Castillo and Wrobel 2003, Table 3, or guesses.
///
/// The default is the reading that agrees with the counts of section 4.3; the others disagree.
#[derive(Clone, Debug)]
pub struct RulePlayer {
    /// The guess when no rule applies.
    pub guess: Guess,
    /// The rules in the order in which they are tried, among S-1, S-2, S-3 and M-1.
    pub rules: Vec<Rule>,
    /// The order of moves.
    pub sweep: Sweep,
    /// When the mines of a difference are known.
    pub differences: Differences,
    /// Moves of a batch still to be made, the last first.
    pending: Vec<Move>,
    index: RuleIndex,
    found: RuleMoves,
}

impl Default for RulePlayer {
    fn default() -> Self {
        Self::new(Guess::default())
    }
}

/// The tiles to which rules apply, each once, with the rule and the numbers it used.
#[derive(Clone, Debug, Default)]
struct RuleMoves {
    moves: Vec<(Tile, Rule, [Tile; 3])>,
    is_in: Vec<bool>,
}

impl RuleMoves {
    fn clear(&mut self, n_tiles: usize) {
        self.is_in.clear();
        self.is_in.resize(n_tiles, false);
        self.moves.clear();
    }

    fn add(&mut self, tile: Tile, rule: Rule, because: [Tile; 3]) {
        if !std::mem::replace(&mut self.is_in[tile], true) {
            self.moves.push((tile, rule, because));
        }
    }
}

impl RulePlayer {
    /// The player of the paper, with this guess.
    pub fn new(guess: Guess) -> Self {
        Self {
            guess,
            rules: vec![Rule::S1, Rule::S2, Rule::S3, Rule::M1],
            sweep: Sweep::default(),
            differences: Differences::default(),
            pending: Vec::new(),
            index: RuleIndex::default(),
            found: RuleMoves::default(),
        }
    }

    /// Every move by a rule, in a fixed order, with the numbers that it used.
    pub fn applicable(&mut self, rule: Rule, knowledge: &Knowledge) -> Vec<Move> {
        self.update(knowledge);
        self.find(rule, knowledge);
        self.found
            .moves
            .iter()
            .map(|found| as_move(*found))
            .collect()
    }

    /// Updates the index for a position.
    fn update(&mut self, knowledge: &Knowledge) {
        self.index.update(knowledge, self.differences);
        self.found.clear(knowledge.grid().n_tiles());
    }

    fn find(&mut self, rule: Rule, knowledge: &Knowledge) {
        let found = &mut self.found;
        match rule {
            Rule::S1 | Rule::M1 => self.index.single(rule == Rule::M1, |set| {
                for tile in knowledge.tiles(set) {
                    found.add(tile, rule, [set.center; 3]);
                }
            }),
            Rule::S2 => self.index.safe_differences(|rest, [first, second]| {
                for tile in knowledge.tiles(rest) {
                    found.add(tile, rule, [first.center, second.center, first.center]);
                }
            }),
            // `S4 = S2 - (S1 - S0)`, with S0 and S1 in the zone of interest of the tile of S2.
            Rule::S3 => self.index.safe_double_differences(|rest, [first, second]| {
                for tile in knowledge.tiles(rest) {
                    if in_zone(knowledge, second, tile) {
                        found.add(tile, rule, [rest.center, first.center, second.center]);
                    }
                }
            }),
            _ => {}
        }
    }
}

fn as_move((tile, rule, [first, second, third]): (Tile, Rule, [Tile; 3])) -> Move {
    let action = match rule {
        Rule::M1 => Action::Mark(tile),
        _ => Action::Uncover(tile),
    };
    let because = match rule {
        Rule::S2 => vec![first, second],
        Rule::S3 => vec![first, second, third],
        _ => vec![first],
    };
    Move {
        because,
        ..Move::new(action, rule)
    }
}

/// Whether a number is in the zone of interest of a tile: it is a neighbor of the tile, or shares a
/// covered tile with a number that is.
fn in_zone(knowledge: &Knowledge, number: Constraint, tile: Tile) -> bool {
    let grid = knowledge.grid();
    let near = grid.masked(tile, knowledge.uncovered_around(tile));
    near.filter_map(|near| knowledge.constraint(near))
        .any(|near| {
            grid.offset(number.center, near.center)
                .is_some_and(|offset| near.common(number, offset) != 0)
        })
}

impl Player for RulePlayer {
    fn start(&mut self) {
        self.pending.clear();
    }

    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        while let Some(next) = self.pending.pop() {
            if knowledge.is_covered(next.action.tile()) {
                return Some(next);
            }
        }
        self.update(knowledge);
        for at in 0..self.rules.len() {
            self.find(self.rules[at], knowledge);
            if self.sweep != Sweep::TileMajor && !self.found.moves.is_empty() {
                break;
            }
        }
        if self.sweep == Sweep::Batch {
            self.pending = self
                .found
                .moves
                .iter()
                .map(|found| as_move(*found))
                .collect();
            if let Some(next) = self.pending.pop() {
                return Some(next);
            }
        }
        match pick(&self.found.moves, rng) {
            Some(found) => Some(as_move(*found)),
            None => self.guess.choose(knowledge, rng),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// Checks the moves by a rule, each with the numbers it used.
    fn check(text: &str, rule: Rule, expected: &[(Action, &[Tile])]) {
        let knowledge = Knowledge::from_text(text).unwrap();
        let found = RulePlayer::default().applicable(rule, &knowledge);
        let found: Vec<_> = found
            .iter()
            .map(|next| (next.action, next.because.as_slice()))
            .collect();
        assert_eq!(found, expected, "{rule}");
    }

    #[test]
    fn s_1_and_m_1_look_at_one_number() {
        let text = "3x2/2\nF1.\n...\n";
        let safe = [2, 3, 4, 5].map(|tile| (Action::Uncover(tile), [1].as_slice()));
        check(text, Rule::S1, &safe);
        check(text, Rule::M1, &[]);
        check(
            "3x2/2\n2..\n2..\n",
            Rule::M1,
            &[1, 4].map(|tile| (Action::Mark(tile), [0].as_slice())),
        );
    }

    #[test]
    fn s_2_takes_a_set_from_another() {
        // The 1 in the corner has its mine among two tiles that the 1 beside it has as well.
        let text = "4x2/1\n11..\n....\n";
        check(text, Rule::S1, &[]);
        let expected = [2, 6].map(|tile| (Action::Uncover(tile), [1, 0].as_slice()));
        check(text, Rule::S2, &expected);
        // Forced, though neither set is part of the other: the 3 needs two of three on its right.
        let text = "5x2/4\n.13..\n.....\n";
        let knowledge = Knowledge::from_text(text).unwrap();
        let mut player = RulePlayer::default();
        let forced: Vec<Action> = player
            .applicable(Rule::S2, &knowledge)
            .into_iter()
            .map(|next| next.action)
            .collect();
        assert_eq!(forced, [0, 5].map(Action::Uncover));
        player.differences = Differences::Subsets;
        assert_eq!(player.applicable(Rule::S2, &knowledge), []);
    }

    #[test]
    fn a_batch_is_finished_first() {
        let mut player = RulePlayer {
            sweep: Sweep::Batch,
            ..RulePlayer::default()
        };
        let mut knowledge = Knowledge::from_text("3x2/2\nF1.\n...\n").unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..3 {
            let next = player.choose(&knowledge, &mut rng).unwrap();
            assert_eq!(next.rule, Rule::S1);
            let Action::Uncover(tile) = next.action else {
                panic!("{next:?}")
            };
            knowledge.uncover(tile, 1);
        }
    }
}
