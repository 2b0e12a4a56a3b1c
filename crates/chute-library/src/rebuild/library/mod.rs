//! The game library of the CHUTE thesis, rebuilt as far as an archive of games allows.
//!
//! The thesis lists 98 games by number and players and prints one. The others are selected from the
//! archive by rule: the two players with their colors, a decisive result, and the years of the book
//! that the game was taken from. Where that leaves one game, its status is exact; where it leaves
//! several, one is chosen; where it leaves none, another game takes its place.
//!
//! # Source
//! Sugar 1975, Appendix 4, pp. 154-158.

mod table;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use anyhow::{Context, Result};
use kibitz_board::{Chess, Color, Date, Game, GameKey, KnownOutcome, Outcome, Tags};
use kibitz_heuristics::chute::library::Status;
use regex::Regex;
use table::{Card, Choice, LIBRARY, Player};

use super::{GameSet, normal_form::without_federation};
use crate::{
    descriptive::read_library_game,
    near_duplicates::{NearDuplicates, PlayerRecord, Share},
};

/// Name of the data set, and of its entry in the manifest.
pub(super) const NAME: &str = "chute-library";

/// Game 132 as the thesis prints it, with the letters that the scan confuses set right. All but one
/// follow from the rules of chess; 18.P-E3 can be R-B3 or P-B3, of which only the first makes sense
/// of 19.Q-R6.
const PRINTED_GAME: &str = include_str!("printed_game.txt");

/// When two records of the same players are one game: the years differ by at most 1, and they share
/// half of the shorter one's positions from move 9 on, or 30 % with the same outcome and length.
const SAME_GAME: NearDuplicates = NearDuplicates {
    first_ply: 17,
    // The names have been matched already.
    name_distance: usize::MAX,
    years_apart: 1,
    same_opponent: Share {
        percent: 50,
        n_positions: 1,
    },
    // Never: it takes the same players.
    any_tags: Share {
        percent: 101,
        n_positions: 1,
    },
    same_outcome: Share {
        percent: 30,
        n_positions: 1,
    },
    plies_apart: 2,
};

/// Games that take no other's place, by what their site, event or names say: games that were not
/// serious, and teams.
const NO_SUBSTITUTE: &str = r"(?i)simul|\bsim\b|blind|\bbf\b|/move|blitz|rapid|exhib|consult|train|odds|allies|amateur|\bnn\b|&";

/// Plies of a game that takes another's place.
const SUBSTITUTE_PLIES: RangeInclusive<usize> = 40..=160;

/// Years of the games of the book that a game was taken from, and the year that a game which takes
/// another's place should come near to: 101 to 150 are from a book of games prior to 1937, 151 to
/// 180 from one of games of about 1945, the others from the match of 1937.
fn years_of_book(number: u32) -> (RangeInclusive<u16>, u16) {
    match number {
        ..=150 => (0..=1936, 1930),
        151..=180 => (1943..=1947, 1945),
        _ => (1937..=1937, 1937),
    }
}

/// The rules by which another game takes the place of one that is not in the archive, in the order
/// in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The same players with the same colors, in any year.
    SamePair,
    /// The same players with the colors exchanged.
    ReversedPair,
    /// The same White against anyone.
    SameWhite,
    /// The same Black against anyone.
    SameBlack,
    /// Two of the better known players of the library.
    WellKnown,
}

/// Collects the records of the library's players and selects the library from them.
#[derive(Debug, Default)]
pub(super) struct LibraryBuilder {
    records: Vec<Record>,
}

/// A decisive record with the players of the library in it.
#[derive(Debug)]
struct Record {
    game: Game,
    key: GameKey,
    white: Vec<&'static Player>,
    black: Vec<&'static Player>,
}

/// A game of the library before it is written.
struct SelectedGame<'a> {
    game: &'a Game,
    status: Status,
    rule: Option<Rule>,
}

/// The players of the library that a name of the archive may be.
fn players_written(name: &str) -> Vec<&'static Player> {
    let players = LIBRARY.players.iter();
    players.filter(|player| player.is_written(name)).collect()
}

impl GameSet for LibraryBuilder {
    /// Takes `game` if it is decisive and one of its players may be one of the library's.
    fn offer(&mut self, game: &Game) {
        if game.outcome().winner().is_none() {
            return;
        }
        let tags = game.tags();
        let (white, black) = (players_written(&tags.white), players_written(&tags.black));
        if !white.is_empty() || !black.is_empty() {
            let game = game.clone();
            self.records.push(Record {
                key: game.key(),
                game,
                white,
                black,
            });
        }
    }

    /// The library in the order of its numbers, in normal form.
    ///
    /// # Errors
    ///
    /// The printed game cannot be read, or no game can take the place of one that is missing.
    fn finish(self: Box<Self>) -> Result<(Vec<Game>, String)> {
        let cards = &LIBRARY.games;
        let printed = printed_game()?;
        let mut found: BTreeMap<u32, SelectedGame<'_>> = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for card in cards {
            let games = self.games_of(card);
            let chosen = if card.choice == Choice::Printed {
                Some(SelectedGame {
                    game: &printed,
                    status: Status::Exact,
                    rule: None,
                })
            } else {
                choose(card, &games, &mut taken)
            };
            found.extend(chosen.map(|chosen| (card.number, chosen)));
        }
        let no_substitute = Regex::new(NO_SUBSTITUTE)?;
        for card in cards {
            if found.contains_key(&card.number) {
                continue;
            }
            let records: Vec<&Record> = if card.choice == Choice::Surplus {
                self.games_of(card).iter().map(|group| group[0]).collect()
            } else {
                self.records.iter().collect()
            };
            let (record, rule) = substitute(card, &records, &taken, &no_substitute)
                .with_context(|| format!("no game can take the place of {}", card.number))?;
            taken.insert(record.key);
            let substitute = SelectedGame {
                game: &record.game,
                status: Status::Substitute,
                rule: Some(rule),
            };
            found.insert(card.number, substitute);
        }
        let count = |status| {
            let n_found = found
                .values()
                .filter(|found| found.status == status)
                .count();
            format!("{n_found} {status}")
        };
        let counts = Status::ALL.map(count).join(", ");
        let games = cards
            .iter()
            .map(|card| in_normal_form(card, &found[&card.number]))
            .collect();
        Ok((games, counts))
    }
}

impl LibraryBuilder {
    /// The games of a card's players with its colors, in any year: the records of each.
    fn games_of(&self, card: &Card) -> Vec<Vec<&Record>> {
        let is_of_card = |record: &&Record| {
            record.white.iter().any(|player| player.name == card.white)
                && record.black.iter().any(|player| player.name == card.black)
        };
        let records: Vec<&Record> = self.records.iter().filter(is_of_card).collect();
        let compared: Vec<PlayerRecord<'_>> = records
            .iter()
            .map(|record| PlayerRecord {
                game: &record.game,
                color: Color::White,
            })
            .collect();
        let in_group = |group: Vec<usize>| {
            let mut group: Vec<&Record> = group.into_iter().map(|index| records[index]).collect();
            // The record with most plies stands for the game, then the one with the smallest key.
            group.sort_by_key(|record| (Reverse(record.game.n_plies()), record.key));
            group
        };
        SAME_GAME
            .groups(&compared)
            .into_iter()
            .map(in_group)
            .collect()
    }
}

/// The game of a card among those of its players; all records of the game are taken then.
fn choose<'a>(
    card: &Card,
    games: &[Vec<&'a Record>],
    taken: &mut BTreeSet<GameKey>,
) -> Option<SelectedGame<'a>> {
    let (years, target) = years_of_book(card.number);
    let in_years: Vec<&Vec<&Record>> = games
        .iter()
        .filter(|group| years.contains(&group[0].year()))
        .collect();
    let candidates = if in_years.is_empty() && card.choice == Choice::NearestYear {
        games.iter().collect()
    } else {
        in_years
    };
    let nearest = |group: &&&Vec<&Record>| (group[0].year().abs_diff(target), group[0].key);
    let (group, index) = match &card.choice {
        Choice::SmallestKey => (candidates.iter().min_by_key(|group| group[0].key), 0),
        Choice::NearestYear => (candidates.iter().min_by_key(nearest), 0),
        Choice::Year(year) => (candidates.iter().find(|group| group[0].year() == *year), 0),
        Choice::Longest => (
            candidates
                .iter()
                .max_by_key(|group| group[0].game.n_plies()),
            0,
        ),
        Choice::Round(site, round) => candidates
            .iter()
            .find_map(|group| {
                let index = group.iter().position(|record| {
                    let tags = record.game.tags();
                    tags.site.starts_with(site) && tags.round == *round
                })?;
                Some((Some(group), index))
            })
            .unwrap_or((None, 0)),
        Choice::Printed | Choice::Surplus => (None, 0),
    };
    let group = group?;
    taken.extend(group.iter().map(|record| record.key));
    let is_only = candidates.len() == 1 && years.contains(&group[0].year());
    let is_exact = is_only || matches!(card.choice, Choice::Round(..));
    let status = if is_exact {
        Status::Exact
    } else {
        Status::Chosen
    };
    Some(SelectedGame {
        game: &group[index].game,
        status,
        rule: None,
    })
}

/// The game that takes the place of a card's, and by which rule.
fn substitute<'a>(
    card: &Card,
    records: &[&'a Record],
    taken: &BTreeSet<GameKey>,
    no_substitute: &Regex,
) -> Option<(&'a Record, Rule)> {
    let rules: &[Rule] = if card.choice == Choice::Surplus {
        &[Rule::SamePair]
    } else {
        &[
            Rule::ReversedPair,
            Rule::SameWhite,
            Rule::SameBlack,
            Rule::WellKnown,
        ]
    };
    let (years, target) = years_of_book(card.number);
    let may_stand_in = |game: &Game| {
        SUBSTITUTE_PLIES.contains(&game.n_plies()) && super::is_serious(game, no_substitute)
    };
    rules.iter().find_map(|&rule| {
        records
            .iter()
            .copied()
            .filter(|record| rule == Rule::SamePair || years.contains(&record.year()))
            .filter(|record| !taken.contains(&record.key) && rule.fits(card, record))
            .filter(|record| may_stand_in(&record.game))
            .min_by_key(|record| (record.year().abs_diff(target), record.key))
            .map(|record| (record, rule))
    })
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Rule::SamePair => "same players",
            Rule::ReversedPair => "same players, colors exchanged",
            Rule::SameWhite => "same White",
            Rule::SameBlack => "same Black",
            Rule::WellKnown => "players of the library",
        }
    }

    fn fits(self, card: &Card, record: &Record) -> bool {
        let plays =
            |players: &[&Player], name: &str| players.iter().any(|player| player.name == name);
        let is_known = |players: &[&Player]| players.iter().any(|player| player.well_known);
        match self {
            Rule::SamePair => {
                plays(&record.white, &card.white) && plays(&record.black, &card.black)
            }
            Rule::ReversedPair => {
                plays(&record.white, &card.black) && plays(&record.black, &card.white)
            }
            Rule::SameWhite => plays(&record.white, &card.white),
            Rule::SameBlack => plays(&record.black, &card.black),
            Rule::WellKnown => is_known(&record.white) && is_known(&record.black),
        }
    }
}

impl Record {
    /// The year of the game, 0 if unknown.
    fn year(&self) -> u16 {
        self.game.tags().date.year.unwrap_or(0)
    }
}

impl Player {
    /// Whether a name of the archive may be this player.
    fn is_written(&self, name: &str) -> bool {
        self.surnames.iter().any(|surname| {
            let Some((start, rest)) = name.split_at_checked(surname.len()) else {
                return false;
            };
            if !start.eq_ignore_ascii_case(surname)
                || !(rest.is_empty() || rest.starts_with([' ', ',']))
            {
                return false;
            }
            let given = rest.trim_start_matches([' ', ',', '.']);
            if given.is_empty() || given.starts_with('(') {
                self.by_surname
            } else {
                self.given_names.is_empty()
                    || self
                        .given_names
                        .iter()
                        .any(|start| given.starts_with(start))
            }
        })
    }
}

/// Game 132.
fn printed_game() -> Result<Game> {
    let printed = read_library_game(PRINTED_GAME).context("in the printed game")?;
    let mut tags = Tags::default();
    let doubtful = printed
        .moves
        .iter()
        .enumerate()
        .filter(|(_, described)| described.is_doubtful());
    let plies: Vec<String> = doubtful.map(|(index, _)| (index + 1).to_string()).collect();
    tags.set("DoubtfulPlies", &plies.join(" "));
    let moves = printed.moves.iter().map(|described| described.m).collect();
    let outcome = Outcome::Known(KnownOutcome::Decisive {
        winner: printed.winner,
    });
    Ok(Game::new(tags, Chess::default(), moves, outcome)?)
}

/// The game with the seven tags of the roster, the library's names of its players, and the
/// library's annotations.
fn in_normal_form(card: &Card, found: &SelectedGame<'_>) -> Game {
    let old = found.game.tags();
    let mut tags = old.roster();
    let name = |written: &str, of_card: &str| {
        let players = players_written(written);
        let is_of_card = written.is_empty() || players.iter().any(|player| player.name == of_card);
        let name = match players[..] {
            _ if is_of_card => of_card,
            [player] => &player.name,
            _ => without_federation(written),
        };
        name.to_owned()
    };
    tags.white = name(&old.white, &card.white);
    tags.black = name(&old.black, &card.black);
    // One record has its year in the site only: Marienbad 1925, dated 1792.
    if let Some(year) = old
        .site
        .strip_prefix("Marienbad ")
        .and_then(|year| year.parse().ok())
    {
        tags.date = Date {
            year: Some(year),
            ..Date::default()
        };
    }
    tags.set("ThesisNumber", &card.number.to_string());
    tags.set("ThesisPlayers", &card.players);
    tags.set("Status", found.status.tag());
    if let Some(rule) = found.rule {
        tags.set("SubstitutionRule", rule.name());
    }
    if let Some(doubtful) = old.get_other("DoubtfulPlies") {
        tags.set("DoubtfulPlies", doubtful);
    }
    let mut game = found.game.clone();
    *game.tags_mut() = tags;
    game
}

#[cfg(test)]
mod tests;
