//! The games of one player, selected from a large archive by rule.
//!
//! The papers say how many games of which player they used, not which games. A rule that is stated
//! and applied by code takes the place of a list: who the player is, which records are one game,
//! which kinds of games do not count, and how many are kept. The rule looks at tags and moves only.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use kibitz_board::{Color, Game, GameKey};
use regex::Regex;

use super::{GameSet, is_serious, normal_form::normal_form};
use crate::near_duplicates::{NearDuplicates, PlayerRecord, Share};

/// The games of one player: how to select them from the archive.
#[derive(Debug)]
pub(crate) struct PlayerSet {
    /// Name of the data set, and of its entry in the manifest.
    pub(crate) name: &'static str,
    /// How the set writes the player's name, surname first.
    pub(crate) player: &'static str,
    /// How the archive writes it: what this expression matches.
    spelling: &'static str,
    /// First year of the player's games; earlier ones are another person's.
    first_year: u16,
    /// How many games are kept, the earliest first; all if `None`.
    first_games: Option<usize>,
}

/// The two players of Jansen, Dowe and Farr 2000, table 2: 732 and 1,030 games.
pub(crate) const PLAYER_SETS: [PlayerSet; 2] = [
    PlayerSet {
        name: "fischer-games",
        player: "Fischer, Robert James",
        spelling: concat!(
            "^(Fischer Robert|Fischer, Robert J|Fischer R|Fischer, Robert|Fischer, R",
            "|Hein-Fischer, Robert|Bobby Fischer|Fischer)$",
        ),
        // Born in 1943; a Fischer of 1885 is in the archive too.
        first_year: 1943,
        first_games: None,
    },
    PlayerSet {
        name: "kasparov-games",
        player: "Kasparov, Garry",
        spelling: r"(?i)^kasparov,? ?(garry|gary|g|gari|garri)?( ?\(?(rus|urs)\)?)?$",
        first_year: 1963,
        // The paper's number; it ends the set in 1993.
        first_games: Some(1030),
    },
];

/// Games that do not count, by what the site, the event or a player's name of any of their records
/// says: simultaneous, blitz, rapid, exhibition, blindfold, computer, thematic, correspondence and
/// telex games, and some series of rapid games by name.
const NOT_SERIOUS: &str = concat!(
    r"(?i)blitz|blits|rapid|active|\bsim\b|sim-\d|simul|exhib|blind|comp\b|comput|speed|quick",
    r"|\d ?'|\d ?min\b|intel|immopar|consult|internet|harvard|fritz|thematic|telex|corr\b|allegro",
    r"|deep|genius|\bicc\b|man-machine|\bnn\b|kremlin stars",
);

/// When two records of the archive are one game. Its records differ in spelling, year and, by
/// slips of the typist, in moves; the opening proves nothing, so positions count from move 9 on.
const SAME_GAME: NearDuplicates = NearDuplicates {
    first_ply: 17,
    name_distance: 2,
    years_apart: 1,
    same_opponent: Share {
        percent: 50,
        n_positions: 4,
    },
    any_tags: Share {
        percent: 80,
        n_positions: 20,
    },
    same_outcome: Share {
        percent: 30,
        n_positions: 1,
    },
    plies_apart: 2,
};

/// Collects the records of one player and selects the set from them.
#[derive(Debug)]
pub(super) struct PlayerSetBuilder {
    set: &'static PlayerSet,
    spelling: Regex,
    records: Vec<(Game, Color)>,
}

impl PlayerSetBuilder {
    /// Builder without records.
    ///
    /// # Errors
    ///
    /// The expression of the rule cannot be read.
    pub(super) fn new(set: &'static PlayerSet) -> Result<PlayerSetBuilder> {
        Ok(PlayerSetBuilder {
            set,
            spelling: Regex::new(set.spelling)?,
            records: Vec::new(),
        })
    }
}

impl GameSet for PlayerSetBuilder {
    /// Takes `game` if it is one of the player's.
    fn offer(&mut self, game: &Game) {
        let tags = game.tags();
        let players = [(Color::White, &tags.white), (Color::Black, &tags.black)];
        let found = players
            .iter()
            .find(|(_, name)| self.spelling.is_match(name));
        if let Some(&(color, _)) = found {
            self.records.push((game.clone(), color));
        }
    }

    /// The games of the set in the order of year and key, in normal form.
    ///
    /// # Errors
    ///
    /// The expression of the rule cannot be read.
    fn finish(self: Box<Self>) -> Result<(Vec<Game>, String)> {
        let not_serious = Regex::new(NOT_SERIOUS)?;
        let records: Vec<PlayerRecord<'_>> = self
            .records
            .iter()
            .map(|(game, color)| PlayerRecord {
                game,
                color: *color,
            })
            .collect();
        let groups = SAME_GAME.groups(&records);
        let keys: BTreeSet<GameKey> = records.iter().map(|record| record.game.key()).collect();
        let n_games = groups.len();
        let (mut n_not_serious, mut n_without_year, mut n_other_person) = (0, 0, 0);
        let mut kept = BTreeMap::new();
        for group in groups {
            if !group
                .iter()
                .all(|&index| is_serious(records[index].game, &not_serious))
            {
                n_not_serious += 1;
                continue;
            }
            let Some(year) = group
                .iter()
                .filter_map(|&index| records[index].game.tags().date.year)
                .min()
            else {
                n_without_year += 1;
                continue;
            };
            if year < self.set.first_year {
                n_other_person += 1;
                continue;
            }
            let index = NearDuplicates::representative(&records, &group)
                .context("a group of records has a representative")?;
            let record = records[index];
            let game = normal_form(record.game, record.color, self.set.player, year);
            kept.insert((year, game.key()), game);
        }
        let n_kept = self.set.first_games.unwrap_or(kept.len()).min(kept.len());
        let counts = format!(
            "{n_kept} games kept of {n_games} ({} records, {} different): {n_not_serious} not serious, \
             {n_without_year} without a year, {n_other_person} of another person, {} later",
            records.len(),
            keys.len(),
            kept.len() - n_kept,
        );
        Ok((kept.into_values().take(n_kept).collect(), counts))
    }
}
