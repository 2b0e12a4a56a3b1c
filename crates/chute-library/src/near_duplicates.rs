//! Near-duplicate detection: records of one game that differ by slips.
//!
//! Slips are a misread move, a year off by one, another spelling of a name, a missing tail.
//! [`NearDuplicates`] holds the tolerances, and clusters the records.

use std::collections::BTreeMap;

use kibitz_board::{
    Chess, Color, EnPassantMode, Game, GameKey, Outcome, Position, zobrist::Zobrist64,
};
use strsim::levenshtein;

/// A record of a game, and the color of the player studied.
#[derive(Clone, Copy, Debug)]
pub struct PlayerRecord<'a> {
    /// The game as recorded.
    pub game: &'a Game,
    /// The color of the player.
    pub color: Color,
}

/// A threshold on the later positions that two records share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Least share of the positions of the shorter record, in percent.
    pub percent: usize,
    /// Least number of positions.
    pub n_positions: usize,
}

impl Share {
    fn holds(self, n_shared: usize, n_shorter: usize) -> bool {
        n_shared >= self.n_positions && 100 * n_shared >= self.percent * n_shorter
    }
}

/// Criteria by which two records with the same player on the same side are one game.
///
/// Records with the same moves always are. Others are compared by their *later positions*, the
/// distinct positions after the opening. Clusters are transitive: if a record matches two others, the
/// three are one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearDuplicates {
    /// The last ply of the opening, from 1: positions after it are later positions.
    pub first_ply: usize,
    /// Largest Levenshtein distance between two spellings of an opponent's surname.
    pub name_distance: usize,
    /// Maximum number of years between two dates of the same game. A date without a year matches only another one.
    pub years_apart: u16,
    /// Threshold for the same opponent at about the same time.
    pub same_opponent: Share,
    /// Threshold regardless of the tags.
    pub any_tags: Share,
    /// Threshold for the same opponent at about the same time, with the same outcome and about the
    /// same length.
    pub same_outcome: Share,
    /// Largest difference of two lengths that are about the same, in plies.
    pub plies_apart: usize,
}

/// The features of a record that are compared.
struct Features {
    color: Color,
    surname: String,
    year: Option<u16>,
    outcome: Outcome,
    n_plies: usize,
    n_later: usize,
    key: GameKey,
}

impl NearDuplicates {
    /// Clusters the records that are one game. Clusters are in the order of their first records, and
    /// hold indices into `records` in ascending order.
    pub fn groups(&self, records: &[PlayerRecord<'_>]) -> Vec<Vec<usize>> {
        let later: Vec<Vec<u64>> = records
            .iter()
            .map(|record| self.later(record.game))
            .collect();
        let features: Vec<Features> = records
            .iter()
            .zip(&later)
            .map(|(record, later)| Features::of(*record, later.len()))
            .collect();
        let mut groups = UnionFind::new(records.len());
        let mut first_with_key = BTreeMap::new();
        for (index, record) in features.iter().enumerate() {
            let first = *first_with_key.entry(record.key).or_insert(index);
            groups.union(first, index);
        }
        for ((one, other), n_shared) in shared_positions(&later) {
            if self.is_one_game(&features[one], &features[other], n_shared) {
                groups.union(one, other);
            }
        }
        groups.into_groups()
    }

    /// The representative of a cluster: the record with the most plies, then with the largest key, then
    /// the first.
    pub fn representative(records: &[PlayerRecord<'_>], group: &[usize]) -> Option<usize> {
        let rank = |&index: &usize| {
            let game = records[index].game;
            (game.n_plies(), game.key(), std::cmp::Reverse(index))
        };
        group.iter().copied().max_by_key(rank)
    }

    /// The distinct later positions of a game, in ascending order of their hashes.
    fn later(&self, game: &Game) -> Vec<u64> {
        let mut position: Chess = game.start().clone();
        let mut hashes = Vec::with_capacity(game.n_plies());
        for (ply, &m) in game.moves().iter().enumerate() {
            position.play_unchecked(m);
            if ply + 1 >= self.first_ply {
                let Zobrist64(hash) = position.zobrist_hash(EnPassantMode::Legal);
                hashes.push(hash);
            }
        }
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }

    fn is_one_game(&self, one: &Features, other: &Features, n_shared: usize) -> bool {
        if one.color != other.color {
            return false;
        }
        let n_shorter = one.n_later.min(other.n_later);
        if self.any_tags.holds(n_shared, n_shorter) {
            return true;
        }
        let same_time = match (one.year, other.year) {
            (Some(one), Some(other)) => one.abs_diff(other) <= self.years_apart,
            (one, other) => one == other,
        };
        if !same_time || levenshtein(&one.surname, &other.surname) > self.name_distance {
            return false;
        }
        self.same_opponent.holds(n_shared, n_shorter)
            || one.outcome == other.outcome
                && one.n_plies.abs_diff(other.n_plies) <= self.plies_apart
                && self.same_outcome.holds(n_shared, n_shorter)
    }
}

impl Features {
    fn of(record: PlayerRecord<'_>, n_later: usize) -> Features {
        let tags = record.game.tags();
        let opponent = match record.color {
            Color::White => &tags.black,
            Color::Black => &tags.white,
        };
        Features {
            color: record.color,
            surname: surname(opponent),
            year: tags.date.year,
            outcome: record.game.outcome(),
            n_plies: record.game.n_plies(),
            n_later,
            key: record.game.key(),
        }
    }
}

/// The surname of a name written surname first: the part before a comma, or else the first word.
fn surname(name: &str) -> String {
    let surname = name.split_once(',').map_or(name, |(surname, _)| surname);
    surname
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase()
}

/// Number of positions that each pair of records shares, for pairs that share any.
fn shared_positions(later: &[Vec<u64>]) -> BTreeMap<(usize, usize), usize> {
    let mut places: Vec<(u64, usize)> = later
        .iter()
        .enumerate()
        .flat_map(|(index, hashes)| hashes.iter().map(move |&hash| (hash, index)))
        .collect();
    places.sort_unstable();
    let mut n_shared = BTreeMap::new();
    for place in places.chunk_by(|one, other| one.0 == other.0) {
        for (n_before, &(_, other)) in place.iter().enumerate() {
            for &(_, one) in &place[..n_before] {
                *n_shared.entry((one, other)).or_default() += 1;
            }
        }
    }
    n_shared
}

/// Union-find over the numbers below n.
struct UnionFind {
    parents: Vec<usize>,
}

impl UnionFind {
    fn new(n: usize) -> UnionFind {
        UnionFind {
            parents: (0..n).collect(),
        }
    }

    fn root(&mut self, mut index: usize) -> usize {
        while self.parents[index] != index {
            self.parents[index] = self.parents[self.parents[index]];
            index = self.parents[index];
        }
        index
    }

    fn union(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The smaller number is the root, so sets are in the order of their first members.
        self.parents[one.max(other)] = one.min(other);
    }

    fn into_groups(mut self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in 0..self.parents.len() {
            let root = self.root(index);
            groups.entry(root).or_default().push(index);
        }
        groups.into_values().collect()
    }
}
