//! The games of one player, selected from a large archive by rule.
//!
//! The papers say how many games of which player they used, not which games. A rule that is stated
//! and applied by code takes the place of a list: who the player is, which records are one game,
//! which kinds of games do not count, and how many are kept. The rule looks at tags and moves only.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use anyhow::{Context, Result};
use kibitz_board::{
    Color, Game, GameKey,
    collection::{NamePattern, NearDuplicates, PlayerRecord, Selection, Share},
};

use super::normal_form;

/// The games of one player: how to select them from the archive.
#[derive(Debug)]
pub(crate) struct PlayerSet {
    /// Name of the data set, and of its entry in the manifest.
    pub(crate) name: &'static str,
    /// How the set writes the player's name, surname first.
    pub(crate) player: &'static str,
    /// How the archive writes it.
    pub(crate) spelling: Spelling,
    /// First year of the player's games; earlier ones are another person's.
    pub(crate) first_year: u16,
    /// How many games are kept, the earliest first; all if `None`.
    pub(crate) first_games: Option<usize>,
}

/// How the archive writes the name of a player.
#[derive(Debug)]
pub(crate) enum Spelling {
    /// One of these ways.
    Exact(&'static [&'static str]),
    /// In ways that this expression matches.
    Regex(&'static str),
}

/// The two players of Jansen, Dowe and Farr 2000, table 2: 732 and 1,030 games.
pub(crate) const PLAYER_SETS: [PlayerSet; 2] = [
    PlayerSet {
        name: "fischer-games",
        player: "Fischer, Robert James",
        spelling: Spelling::Exact(&[
            "Fischer Robert",
            "Fischer, Robert J",
            "Fischer R",
            "Fischer, Robert",
            "Fischer, R",
            "Hein-Fischer, Robert",
            "Bobby Fischer",
            "Fischer",
        ]),
        // Born in 1943; a Fischer of 1885 is in the archive too.
        first_year: 1943,
        first_games: None,
    },
    PlayerSet {
        name: "kasparov-games",
        player: "Kasparov, Garry",
        spelling: Spelling::Regex(
            r"(?i)^kasparov,? ?(garry|gary|g|gari|garri)?( ?\(?(rus|urs)\)?)?$",
        ),
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
        positions: 4,
    },
    any_tags: Share {
        percent: 80,
        positions: 20,
    },
    same_outcome: Share {
        percent: 30,
        positions: 1,
    },
    plies_apart: 2,
};

/// What became of the records on the way to the set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetCounts {
    /// Records of games under the player's names.
    pub(crate) records: usize,
    /// Different sequences of moves among them.
    pub(crate) sequences: usize,
    /// Games, after records of one game are merged.
    pub(crate) games: usize,
    /// Games that are not serious.
    pub(crate) not_serious: usize,
    /// Serious games without a year.
    pub(crate) without_year: usize,
    /// Serious games of another person, by the year.
    pub(crate) other_person: usize,
    /// Serious games beyond the number that is kept.
    pub(crate) beyond: usize,
    /// Games in the set.
    pub(crate) kept: usize,
}

impl fmt::Display for SetCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} games kept of {} ({} records, {} different): {} not serious, {} without a year, \
             {} of another person, {} later",
            self.kept,
            self.games,
            self.records,
            self.sequences,
            self.not_serious,
            self.without_year,
            self.other_person,
            self.beyond,
        )
    }
}

/// Collects the records of one player and selects the set from them.
#[derive(Debug)]
pub(crate) struct PlayerSetBuilder {
    set: &'static PlayerSet,
    selection: Selection,
    records: Vec<(Game, Color)>,
}

impl PlayerSetBuilder {
    /// Builder without records.
    ///
    /// # Errors
    ///
    /// The expression of the rule cannot be read.
    pub(crate) fn new(set: &'static PlayerSet) -> Result<PlayerSetBuilder> {
        let player = match set.spelling {
            Spelling::Exact(names) => NamePattern::exact(names.iter().copied()),
            Spelling::Regex(expression) => NamePattern::regex(expression)?,
        };
        let selection = Selection {
            player: Some(player),
            ..Selection::default()
        };
        Ok(PlayerSetBuilder {
            set,
            selection,
            records: Vec::new(),
        })
    }

    /// Takes `game` if it is one of the player's.
    pub(crate) fn offer(&mut self, game: &Game) {
        if let Some(color) = self.selection.color_of_player(game) {
            self.records.push((game.clone(), color));
        }
    }

    /// The games of the set in the order of year and key, in normal form.
    ///
    /// # Errors
    ///
    /// The expression of the rule cannot be read.
    pub(crate) fn finish(self) -> Result<(Vec<Game>, SetCounts)> {
        let not_serious = NamePattern::regex(NOT_SERIOUS)?;
        let is_serious = |game: &Game| {
            let tags = game.tags();
            [&tags.site, &tags.event, &tags.white, &tags.black]
                .into_iter()
                .all(|text| !not_serious.matches(text))
        };
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
        let mut counts = SetCounts {
            records: records.len(),
            sequences: keys.len(),
            games: groups.len(),
            ..SetCounts::default()
        };
        let mut kept = BTreeMap::new();
        for group in groups {
            if !group.iter().all(|&index| is_serious(records[index].game)) {
                counts.not_serious += 1;
                continue;
            }
            let Some(year) = group
                .iter()
                .filter_map(|&index| records[index].game.tags().date.year)
                .min()
            else {
                counts.without_year += 1;
                continue;
            };
            if year < self.set.first_year {
                counts.other_person += 1;
                continue;
            }
            let index = NearDuplicates::representative(&records, &group)
                .context("a group of records has a representative")?;
            let record = records[index];
            let game = normal_form(record.game, record.color, self.set.player, year);
            kept.insert((year, game.key()), game);
        }
        let n_kept = self.set.first_games.unwrap_or(kept.len()).min(kept.len());
        counts.beyond = kept.len() - n_kept;
        counts.kept = n_kept;
        Ok((kept.into_values().take(n_kept).collect(), counts))
    }
}
