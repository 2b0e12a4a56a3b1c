use std::{collections::BTreeMap, fs, path::PathBuf};

use kibitz_board::{
    Color, Game, Position,
    open::open_games,
    pgn::{self, Policy},
};

use super::*;

/// Table 4 of Jansen, Dowe and Farr 2000, and the eleven games of the championship of 1963.
const FIFTEEN_GAMES: [(&str, &str); 15] = [
    ("kasparov-games", "14a2e1ab51f5f223"),
    ("kasparov-games", "e6c64b4541f20ce8"),
    ("fischer-games", "e8f22de0a58fb5f7"),
    ("fischer-games", "2063ec29338c3a71"),
    ("fischer-games", "58052476991284e2"),
    ("fischer-games", "f2aa61ba2e886b6c"),
    ("fischer-games", "19a8e9805bb16adf"),
    ("fischer-games", "31032e2bff574ab3"),
    ("fischer-games", "827c8f9307aa2a70"),
    ("fischer-games", "96e95e6d8eee6416"),
    ("fischer-games", "7f73b541101a1fb3"),
    ("fischer-games", "25fd9946241fbaec"),
    ("fischer-games", "965974b45cafbd74"),
    ("fischer-games", "d9f1305f8268730d"),
    ("fischer-games", "329907d5dc0f511c"),
];

fn data_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

fn games(set: &str) -> Vec<Game> {
    let path = data_folder().join(format!("{set}.pgn"));
    open_games(&path, Policy::strict())
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// Number of games, of the player's own moves, and sum of log2 of the number of legal moves.
fn totals(set: &str, player: &str) -> (usize, usize, f64) {
    let games = games(set);
    let mut n_moves = 0;
    let mut bits = 0.0;
    for game in &games {
        let color = Color::from_white(game.tags().white == player);
        for (position, _) in game.plies_of(color) {
            n_moves += 1;
            bits += (position.legal_moves().len() as f64).log2();
        }
    }
    (games.len(), n_moves, bits)
}

/// One number for the keys of a set in the order of the file.
fn digest_of_keys(set: &str) -> String {
    let keys: Vec<String> = games(set)
        .iter()
        .map(|game| game.key().to_string())
        .collect();
    blake3::hash(keys.join("\n").as_bytes())
        .to_hex()
        .to_string()
}

#[test]
fn hashes_and_lengths_in_the_manifest_hold() {
    let folder = data_folder();
    let manifest = Manifest::read(folder.parent().unwrap()).unwrap();
    let mut n_checked = 0;
    for (name, entry) in manifest.entries.iter().filter(|(_, entry)| !entry.external) {
        let bytes = fs::read(folder.join(&entry.path)).unwrap();
        assert_eq!(bytes.len() as u64, entry.bytes, "{name}");
        assert_eq!(blake3::hash(&bytes), entry.blake3, "{name}");
        n_checked += 1;
    }
    assert!(n_checked >= PLAYER_SETS.len());
    assert_eq!(manifest.entries.get(ARCHIVE), Some(&archive_entry()));
}

#[test]
fn fischers_games_are_the_ones_selected() {
    let (n_games, n_moves, bits) = totals("fischer-games", "Fischer, Robert James");
    assert_eq!((n_games, n_moves), (732, 30_447));
    assert!((bits - 146_063.5).abs() < 0.1, "{bits}");
    assert_eq!(
        digest_of_keys("fischer-games"),
        "abd5f8a4e2961026d5799682e54cf2b5ddae18be6a030b4e828e0b4334373257"
    );
}

#[test]
fn kasparovs_games_are_the_ones_selected() {
    let (n_games, n_moves, bits) = totals("kasparov-games", "Kasparov, Garry");
    assert_eq!((n_games, n_moves), (1030, 39_032));
    assert!((bits - 191_674.6).abs() < 0.1, "{bits}");
    assert_eq!(
        digest_of_keys("kasparov-games"),
        "edad3d800aafd63a9deed4b86d7ce7da29f62f27aa0d5b6a4ad8c68dcc3c4f8f"
    );
}

#[test]
fn the_fifteen_games_named_in_the_paper_are_in_the_sets() {
    let mut keys: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for set in &PLAYER_SETS {
        keys.insert(
            set.name,
            games(set.name)
                .iter()
                .map(|game| game.key().to_string())
                .collect(),
        );
    }
    for (set, key) in FIFTEEN_GAMES {
        assert!(keys[set].iter().any(|known| known == key), "{set} {key}");
    }
}

#[test]
fn games_are_written_as_they_are_read() {
    for set in &PLAYER_SETS {
        let mut written = Vec::new();
        pgn::write_games(&mut written, &games(set.name)).unwrap();
        let path = data_folder().join(format!("{}.pgn", set.name));
        assert!(written == fs::read(path).unwrap(), "{}", set.name);
    }
}

#[test]
fn every_game_has_its_year_and_its_player() {
    for set in &PLAYER_SETS {
        for game in games(set.name) {
            assert!(game.tags().date.year.is_some());
            let color = Color::from_white(game.tags().white == set.player);
            let player = if color.is_white() {
                &game.tags().white
            } else {
                &game.tags().black
            };
            assert_eq!(player, set.player);
        }
    }
}

#[test]
fn another_archive_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.pgn");
    fs::write(&path, "1. e4 e5 *\n").unwrap();
    let error = rebuild(&path, folder.path(), &[]).unwrap_err().to_string();
    assert!(
        error.contains("is not the archive that the rules are for"),
        "{error}"
    );
    assert!(!folder.path().join("data/fischer-games.pgn").exists());
    let error = rebuild(&path, folder.path(), &["fisher-games".to_owned()]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown data set `fisher-games`: known are fischer-games, kasparov-games, chute-library"
    );
}

#[test]
fn a_manifest_keeps_what_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    manifest
        .entries
        .insert("one".to_owned(), set_entry("one", b"text"));
    manifest.entries.insert(ARCHIVE.to_owned(), archive_entry());
    manifest.write(folder.path()).unwrap();
    assert_eq!(Manifest::read(folder.path()).unwrap(), manifest);
}
