//! The rules of Table 3, and guesses.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::links::Links;
use crate::{
    grid::{Offset, Tile},
    knowledge::{Knowledge, TileSet},
    player::{Action, Move, Player, Rule},
};

/// When the mines of a difference of two sets are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Differences {
    /// When the numbers of the two sets force them.
    #[default]
    Forced,
    /// When the set taken away is part of the other.
    Subsets,
}

/// Which tile comes first where rules apply to several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sweep {
    /// The first rule that applies to any tile; one such tile at random, and all over again.
    #[default]
    RuleMajor,
    /// Any tile to which a rule applies, by the first rule that applies to it.
    TileMajor,
    /// The first rule that applies to any tile; all such tiles, and all over again.
    Batch,
}

/// How to guess when no rule applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guess {
    /// Any covered tile that is not marked.
    #[default]
    Uniform,
    /// One with the least risk: the greatest share of mines among the covered tiles around a
    /// number that the tile is one of.
    ///
    /// The paper leaves open the tiles without an uncovered neighbor; their risk is the mines that
    /// are left over all covered tiles. Ties are broken at random.
    LeastRisk,
}

/// Plays by the rules of Peña Castillo and Wrobel 2003, Table 3, or guesses.
///
/// The default is the reading that agrees with the counts of section 4.3; the others are there to
/// show that they do not.
#[derive(Clone, Debug)]
pub struct RulePlayer {
    /// How to guess.
    pub guess: Guess,
    /// The rules in the order in which they are tried, among S-1, S-2, S-3 and M-1.
    pub rules: Vec<Rule>,
    /// Which tile comes first.
    pub sweep: Sweep,
    /// What the difference of two sets tells.
    pub differences: Differences,
    /// Tiles of a batch that are still to be done, the last first.
    pending: Vec<Move>,
    links: Links,
    found: Found,
}

impl Default for RulePlayer {
    fn default() -> Self {
        Self::new(Guess::default())
    }
}

/// Tiles that a rule applies to, with the numbers it used.
#[derive(Clone, Debug, Default)]
struct Found {
    moves: Vec<(Tile, Rule, [Tile; 3])>,
    is_in: Vec<bool>,
}

impl Found {
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
    /// The player of the paper, with this way to guess.
    pub fn new(guess: Guess) -> Self {
        Self {
            guess,
            rules: vec![Rule::S1, Rule::S2, Rule::S3, Rule::M1],
            sweep: Sweep::default(),
            differences: Differences::default(),
            pending: Vec::new(),
            links: Links::default(),
            found: Found::default(),
        }
    }

    /// Every tile to which a rule applies, in a fixed order, with the numbers that it used.
    pub fn applicable(&mut self, rule: Rule, knowledge: &Knowledge) -> Vec<Move> {
        self.look(knowledge);
        self.find(rule, knowledge);
        self.found
            .moves
            .iter()
            .map(|found| as_move(*found))
            .collect()
    }

    /// Begins with a position.
    fn look(&mut self, knowledge: &Knowledge) {
        self.links.update(knowledge, self.differences);
        self.found.clear(knowledge.grid().n_tiles());
    }

    fn find(&mut self, rule: Rule, knowledge: &Knowledge) {
        let found = &mut self.found;
        match rule {
            Rule::S1 | Rule::M1 => self.links.alone(rule == Rule::M1, |set| {
                for tile in knowledge.tiles(set) {
                    found.add(tile, rule, [set.center; 3]);
                }
            }),
            Rule::S2 => self.links.safe_differences(|rest, [first, second]| {
                for tile in knowledge.tiles(rest) {
                    found.add(tile, rule, [first.center, second.center, first.center]);
                }
            }),
            // `S4 = S2 - (S1 - S0)`, with S0 and S1 in the zone of interest of the tile of S2.
            Rule::S3 => self.links.safe_double_differences(|rest, [first, second]| {
                for tile in knowledge.tiles(rest) {
                    if in_zone(knowledge, second, tile) {
                        found.add(tile, rule, [rest.center, first.center, second.center]);
                    }
                }
            }),
            _ => {}
        }
    }

    fn guess(&self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        let (rule, tile) = match self.guess {
            Guess::Uniform => (Rule::Guess, pick_covered(knowledge, rng)),
            Guess::LeastRisk => (Rule::LeastRisk, pick(&least_risk(knowledge), rng).copied()),
        };
        tile.map(|tile| Move::new(Action::Uncover(tile), rule))
    }
}

/// One of them, uniformly; draws nothing when there is none.
pub(super) fn pick<'a, T>(among: &'a [T], rng: &mut ChaCha8Rng) -> Option<&'a T> {
    (!among.is_empty()).then(|| &among[rng.random_range(0..among.len())])
}

/// A covered tile, uniformly.
pub(super) fn pick_covered(knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Tile> {
    let n_covered = knowledge.n_covered();
    (n_covered > 0).then(|| knowledge.covered().nth(rng.random_range(0..n_covered)))?
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

/// The tiles of `set` that are not in `other`, if their mines are known; `to_set` leads from the
/// center of `other` to that of `set`.
///
/// The paper leaves open when they are; forced means that with the mines in common between
/// `max(0, m1 - |S1 - S2|, m2 - |S2 - S1|)` and `min(m1, m2, |S1 ∩ S2|)`, these are equal.
pub(super) fn difference(
    set: TileSet,
    other: TileSet,
    to_set: Offset,
    differences: Differences,
) -> Option<TileSet> {
    let common_mask = set.common(other, to_set);
    let n_common = i8::try_from(common_mask.count_ones()).expect("at most eight");
    let least = 0
        .max(set.n_mines - (set.len() - n_common))
        .max(other.n_mines - (other.len() - n_common));
    let most = set.n_mines.min(other.n_mines).min(n_common);
    let is_known = match differences {
        Differences::Forced => least == most,
        Differences::Subsets => n_common == other.len(),
    };
    is_known.then(|| TileSet {
        center: set.center,
        mask: set.mask & !common_mask,
        n_mines: set.n_mines - most,
    })
}

/// Whether a number is in the zone of interest of a tile: its neighbor, or with a covered tile in
/// common with a number that is.
fn in_zone(knowledge: &Knowledge, number: TileSet, tile: Tile) -> bool {
    let grid = knowledge.grid();
    let near = grid.masked(tile, knowledge.uncovered_around(tile));
    near.filter_map(|near| knowledge.set(near)).any(|near| {
        grid.offset(number.center, near.center)
            .is_some_and(|offset| near.common(number, offset) != 0)
    })
}

/// The tiles of least risk, see [`Guess::LeastRisk`].
pub(super) fn least_risk(knowledge: &Knowledge) -> Vec<Tile> {
    let elsewhere = knowledge.mines_left() as f64 / knowledge.n_covered() as f64;
    let risks = knowledge.covered().map(|tile| {
        let around = knowledge.uncovered_around(tile);
        let sets = knowledge.grid().masked(tile, around);
        let shares = sets.filter_map(|near| knowledge.set(near));
        let shares = shares.map(|set| f64::from(set.n_mines) / f64::from(set.len()));
        (tile, shares.reduce(f64::max).unwrap_or(elsewhere))
    });
    least(risks)
}

/// The tiles with the least value.
pub(super) fn least(values: impl Iterator<Item = (Tile, f64)>) -> Vec<Tile> {
    let mut best = f64::INFINITY;
    let mut tiles = Vec::new();
    for (tile, value) in values {
        if value < best {
            best = value;
            tiles.clear();
        }
        if value <= best {
            tiles.push(tile);
        }
    }
    tiles
}

impl Player for RulePlayer {
    fn start(&mut self) {
        self.pending.clear();
    }

    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        while let Some(next) = self.pending.pop() {
            let (Action::Uncover(tile) | Action::Mark(tile) | Action::Unmark(tile)) = next.action;
            if knowledge.is_covered(tile) {
                return Some(next);
            }
        }
        self.look(knowledge);
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
            None => self.guess(knowledge, rng),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// The tiles to which each rule applies, each with the numbers it used.
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
    fn least_risk_is_the_greatest_share_around() {
        // The 1 has one mine on two tiles, the 2 two on two.
        let knowledge = Knowledge::from_text("6x1/2\n.1..2.\n").unwrap();
        assert_eq!(least_risk(&knowledge), [0, 2]);
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
