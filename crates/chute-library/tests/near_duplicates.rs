//! Merging records of one game.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use kibitz_board::{
    Color, Game,
    pgn::{self, Policy},
};
use kibitz_chute_library::near_duplicates::{NearDuplicates, PlayerRecord, Share};

const RULE: NearDuplicates = NearDuplicates {
    first_ply: 5,
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

const MOVES: [&str; 16] = [
    "e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5", "Bb3", "d6",
    "c3", "O-O",
];

fn game(white: &str, black: &str, year: u16, n_plies: usize, tail: &[&str], result: &str) -> Game {
    let moves: Vec<&str> = MOVES[..n_plies].iter().chain(tail).copied().collect();
    let text = format!(
        "[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{year}\"]\n\n{} {result}\n",
        moves.join(" ")
    );
    pgn::read_games("game", text.as_bytes(), Policy::strict())
        .next()
        .unwrap()
        .unwrap()
}

fn groups(games: &[Game]) -> Vec<Vec<usize>> {
    let records: Vec<PlayerRecord<'_>> = games
        .iter()
        .map(|game| PlayerRecord {
            game,
            color: Color::from_white(game.tags().white == "P"),
        })
        .collect();
    RULE.groups(&records)
}

#[test]
fn slips_in_names_years_and_tails_do_not_make_another_game() {
    let games = [
        game("P", "Petrosian, Tigran", 1960, 16, &[], "1-0"),
        game("P", "Petrosjan Tigran V", 1961, 14, &[], "1-0"),
        game("P", "Petrosian", 1962, 16, &["h3"], "1-0"), // its year is off by one from the second only
        game("P", "Smyslov, V", 1960, 16, &["a4"], "1-0"),
        game("P", "Petrosian", 1960, 4, &["Bc4"], "1-0"),
    ];
    assert_eq!(groups(&games), [vec![0, 1, 2], vec![3], vec![4]]);
}

#[test]
fn the_same_moves_are_one_game_whatever_the_tags_say() {
    let games = [
        game("P", "Anderssen", 1900, 6, &[], "1-0"),
        game("P", "Zukertort", 1850, 6, &[], "0-1"),
        game("Q", "P", 1850, 16, &["d4"], "0-1"),
    ];
    assert_eq!(groups(&games), [vec![0, 1], vec![2]]);
}

#[test]
fn the_longest_record_stands_for_its_game() {
    let games = [
        game("P", "A", 1900, 12, &[], "1-0"),
        game("P", "A", 1900, 16, &[], "1-0"),
        game("P", "A", 1900, 14, &["a4", "b4"], "1-0"),
    ];
    let records: Vec<PlayerRecord<'_>> = games
        .iter()
        .map(|game| PlayerRecord {
            game,
            color: Color::White,
        })
        .collect();
    let longest = if games[1].key() > games[2].key() {
        1
    } else {
        2
    };
    assert_eq!(
        NearDuplicates::representative(&records, &[0, 1, 2]),
        Some(longest)
    );
    assert_eq!(NearDuplicates::representative(&records, &[0]), Some(0));
    assert_eq!(NearDuplicates::representative(&records, &[]), None);
}
