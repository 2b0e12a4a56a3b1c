//! Laws of reading and writing.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use kibitz_board::{
    CastlingMode, Chess, Color, FromSetup, Game, Move, Outcome, Position, Setup, Tags,
    fen::Fen,
    pgn::{self, Policy, Tally},
};
use proptest::prelude::*;
use std::io::Read;

/// Reader that hands out at most `n` bytes at a time.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.1.min(buffer.len());
        self.0.read(&mut buffer[..n])
    }
}

/// All that reading gives: games with their lines, the last error, and the tally.
fn read_all(reader: impl Read) -> (Vec<(u64, Game)>, Option<String>, Tally) {
    let mut reader = pgn::read_games("any", reader, Policy::default());
    let (mut games, mut error) = (Vec::new(), None);
    while let Some(game) = reader.next() {
        match game {
            Ok(game) => games.push((reader.line(), game)),
            Err(reason) => error = Some(reason.to_string()),
        }
    }
    (games, error, reader.into_tally())
}

/// The law of the fuzz target: what is found in any bytes is written and read back the same.
fn check_rewriting(bytes: &[u8]) {
    let (games, _, _) = read_all(bytes);
    let games: Vec<Game> = games.into_iter().map(|(_, game)| game).collect();
    let mut written = Vec::new();
    pgn::write_games(&mut written, &games).unwrap();
    let (reread, _, tally) = read_all(written.as_slice());
    assert_eq!(
        reread.into_iter().map(|(_, game)| game).collect::<Vec<_>>(),
        games
    );
    assert_eq!(tally.bad_games, []);
}

/// Small inputs that were, or could well have been, trouble.
#[test]
fn the_fuzz_corpus_is_read_and_rewritten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fuzz");
    let mut n_files = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        check_rewriting(&std::fs::read(file.unwrap().path()).unwrap());
        n_files += 1;
    }
    assert!(n_files >= 10);
}

/// Text made of the words of PGN in no sensible order.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "[Event \"x\"]\n",
        "[FEN \"",
        "[SetUp \"1\"]\n",
        "[",
        "]",
        "\"",
        "\\",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "1. e4",
        "e5",
        "Nf3",
        "O-O",
        "0-0",
        "0-0-0",
        "--",
        "1-0",
        "0-1",
        "1/2",
        "1/2-1/2",
        "*",
        "(",
        ")",
        "{",
        "}",
        ";",
        "%",
        "\n%",
        "$3",
        "$",
        "!",
        "?!",
        "½–½",
        "\u{feff}",
        "e8=Q",
        "axb8=",
        "9999999999.",
        "[Variant \"Chess960\"]\n",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat().into_bytes())
}

/// Some moves from `start`, chosen by `choices`.
fn play(start: &Chess, choices: &[u16]) -> Vec<Move> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for &choice in choices {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let m = legal[usize::from(choice) % legal.len()];
        position.play_unchecked(m);
        moves.push(m);
    }
    moves
}

fn starts() -> impl Strategy<Value = Chess> {
    let positions = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            CastlingMode::Standard,
        ),
        (
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 30",
            CastlingMode::Standard,
        ),
        ("4k3/P6P/8/8/8/8/p6p/4K3 b - - 7 41", CastlingMode::Standard),
        (
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
            CastlingMode::Chess960,
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
            CastlingMode::Chess960,
        ),
    ];
    prop::sample::select(positions.to_vec()).prop_map(|(fen, mode)| {
        let setup: Setup = fen.parse::<Fen>().unwrap().into_setup();
        Chess::from_setup(setup, mode).unwrap()
    })
}

fn games() -> impl Strategy<Value = Game> {
    let outcomes = ["1-0", "0-1", "1/2-1/2", "*"].map(|text| text.parse::<Outcome>().unwrap());
    let tag_names = vec![
        "Event", "Site", "Date", "Round", "White", "Black", "WhiteElo", "BlackElo", "ECO",
        "Opening", "X_1",
    ];
    let tags = prop::collection::vec((prop::sample::select(tag_names), ".{0,30}"), 0..12);
    (
        starts(),
        prop::collection::vec(any::<u16>(), 0..120),
        prop::sample::select(outcomes.to_vec()),
        tags,
    )
        .prop_map(|(start, choices, outcome, pairs)| {
            let mut tags = Tags::default();
            for (name, value) in pairs {
                tags.set(name, &value);
            }
            let moves = play(&start, &choices);
            Game::new(tags, start, moves, outcome).unwrap()
        })
}

proptest! {
    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let (games, _, tally) = read_all(bytes.as_slice());
        prop_assert_eq!(games.len() as u64, tally.n_games);
    }

    #[test]
    fn any_words_are_read_the_same_however_they_arrive(bytes in words(), n in 1_usize..50) {
        let (games, error, tally) = read_all(bytes.as_slice());
        prop_assert_eq!(read_all(Trickle(&bytes, n)), (games, error, tally));
        check_rewriting(&bytes);
    }

    #[test]
    fn lines_are_counted(n_blank in 0_usize..20, n_comment in 0_usize..20, n_games in 1_usize..30) {
        let text = format!("{}1. e4 {{{}}} *\n\n", "\n".repeat(n_blank), "\n".repeat(n_comment)).repeat(n_games);
        let (games, _, _) = read_all(text.as_bytes());
        let lines: Vec<usize> = games.iter().map(|(line, _)| usize::try_from(*line).unwrap()).collect();
        let n_each = n_blank + n_comment + 2;
        let expected: Vec<usize> = (0..n_games).map(|index| 1 + n_blank + n_each * index).collect();
        prop_assert_eq!(lines, expected);
    }

    #[test]
    fn what_is_written_reads_back(written in prop::collection::vec(games(), 1..4)) {
        let mut text = Vec::new();
        pgn::write_games(&mut text, &written).unwrap();
        let read: Vec<Game> = pgn::read_games("written", text.as_slice(), Policy::strict())
            .collect::<Result<_, _>>()
            .unwrap();
        let keys = |games: &[Game]| games.iter().map(Game::key).collect::<Vec<_>>();
        prop_assert_eq!(keys(&read), keys(&written));
        prop_assert_eq!(&read, &written);
        let in_moves = |line: &str| !line.starts_with('[');
        let text = String::from_utf8(text).unwrap();
        prop_assert!(text.lines().filter(|line| in_moves(line)).all(|line| line.len() <= 80));
    }

    #[test]
    fn each_side_has_its_moves(game in games()) {
        let n_own = Color::ALL.map(|color| game.plies_of(color).count());
        prop_assert_eq!(n_own[0] + n_own[1], game.n_plies());
        prop_assert!(n_own[0].abs_diff(n_own[1]) <= 1);
        prop_assert!(game.plies().all(|(position, m)| position.is_legal(m)));
    }
}
