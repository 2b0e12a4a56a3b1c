//! What a reader says of input that is not as it should be: every message, word for word.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    fmt::Write as _,
    fs,
    io::{Read, Write as _},
};

use kibitz_board::{
    open::open_games,
    pgn::{self, Policy},
};

/// Everything there is to say of an input: its good games, its bad ones, and how it ended.
fn report(bytes: impl Read) -> String {
    let mut games = pgn::read_games("bad.pgn", bytes, Policy::default());
    let mut report = String::new();
    while let Some(game) = games.next() {
        match game {
            Ok(game) => {
                let (n_plies, line) = (game.n_plies(), games.line());
                writeln!(
                    report,
                    "line {line}: game of {n_plies} plies, {}",
                    game.outcome()
                )
            }
            Err(error) => writeln!(report, "error: {error}"),
        }
        .unwrap();
    }
    let tally = games.into_tally();
    for bad in &tally.bad_games {
        writeln!(report, "skipped: {bad}").unwrap();
    }
    assert_eq!(tally.bad_games.len() as u64, tally.n_bad);
    assert_eq!(tally.n_bad_by_reason.values().sum::<u64>(), tally.n_bad);
    report
}

#[test]
fn truncated_in_the_moves() {
    let text = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. e4 e5\n2. Nf3 N";
    insta::assert_snapshot!(report(text.as_bytes()));
    let text = &text[..text.len() - 2];
    insta::assert_snapshot!(report(text.as_bytes()));
}

#[test]
fn truncated_in_a_tag_or_comment() {
    let text = "1. e4 *\n\n[Event \"x\"]\n[Site \"Ber";
    insta::assert_snapshot!(report(text.as_bytes()));
    let text = "1. e4 *\n\n1. e4 { a comment\n\n that goes on";
    insta::assert_snapshot!(report(text.as_bytes()));
}

#[test]
fn illegal_and_ambiguous_moves() {
    let text = "\
[Event \"x\"]

1. e4 e5 2. Nf3 Nc6
3. Bb5 a6 4. Bxd6 1-0

1. d4 d5 2. Nf3 Nf6 3. Nd2 1-0

1. d4 d5 2. Bf4 Bf5 3. Nf3 Nf6 4. Nbd2 Ng8 5. Nh4 Nf6 6. Nf3 Nd7 1-0
";
    insta::assert_snapshot!(report(text.as_bytes()));
}

#[test]
fn unreadable_moves_are_not_passed_over() {
    let text = "1. e4 e5 2. Zf3 Nc6 *\n\n1. e4 e5 2. Nf9 *\n\n1. e4 (1. Zz9) {Zz9} e5 ; Zz9\n*\n";
    insta::assert_snapshot!(report(text.as_bytes()));
}

#[test]
fn harmless_annotations_are_passed_over() {
    let text = "1.e4! c5?! 2.e5 $1 d5!? 3.exd6 e.p. +- 3...Qxd6 N 4. -+ Nf3 ½–½\n\n1. e4 e5 1–0\n\n\
                1.Nf3 Nf6 2.g3 g6 3.Bg2 Bg7 4.0-0 0-0 *\n";
    insta::assert_snapshot!(report(text.as_bytes()));
}

#[test]
fn wrong_encodings_are_named() {
    let text = "[Event \"x\"]\n\n1. e4 *\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = [b"\xff\xfe".as_slice(), &little].concat();
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0";
    let messages = [&little, &big, &marked, gzip.as_slice()]
        .map(report)
        .concat();
    insta::assert_snapshot!(messages);
}

#[test]
fn stray_bytes_are_latin1() {
    let text = b"[Site \"M\xfcnchen\"]\n[White \"\xc3\x84\"]\n\n1. e4 *\n";
    let mut games = pgn::read_games("bytes", text.as_slice(), Policy::strict());
    let game = games.next().unwrap().unwrap();
    assert_eq!(
        (game.tags().site.as_str(), game.tags().white.as_str()),
        ("München", "Ä")
    );
    assert_eq!(games.tally().n_windows1252, 1);
}

#[test]
fn nothing_at_all() {
    let messages = [
        b"".as_slice(),
        b" \n\n",
        b"\xef\xbb\xbf",
        b"; only a comment\n",
    ]
    .map(report);
    insta::assert_snapshot!(messages.concat());
}

#[test]
fn no_chess_at_all() {
    let text = "Dear reader,\n\nthis is a letter.\n";
    insta::assert_snapshot!(report(text.as_bytes()));
}

#[test]
fn lines_of_ten_million_bytes() {
    let n = 10 << 20;
    let tag = format!(
        "[Event \"{}\"]\n[Site \"y\"]\n\n1. e4 *\n\n1. d4 *\n",
        "x".repeat(n)
    );
    insta::assert_snapshot!(report(tag.as_bytes()));
    let comment = format!("1. e4 {{{}}} e5 *\n\n1. d4 *\n", "x".repeat(n));
    insta::assert_snapshot!(report(comment.as_bytes()));
    let word = format!("1. e4 {} e5 *\n\n1. d4 *\n", "x".repeat(n));
    insta::assert_snapshot!(report(word.as_bytes()));
    let moves = format!("{} *\n\n1. d4 *\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(n / 16));
    insta::assert_snapshot!(report(moves.as_bytes()));
}

#[test]
fn a_game_that_never_ends_takes_bounded_memory() {
    let endless = std::io::repeat(b'x').take(70 << 20);
    let text = b"1. e4 {"
        .as_slice()
        .chain(endless)
        .chain(b"} *\n\n1. d4 *\n".as_slice());
    insta::assert_snapshot!(report(text));
}

#[test]
fn variations_ten_thousand_deep() {
    let n = 10_000;
    let text = format!(
        "1. e4 {}1. d4{} e5 *\n\n1. d4 *\n",
        "(".repeat(n),
        ")".repeat(n)
    );
    insta::assert_snapshot!(report(text.as_bytes()));
    let text = format!("1. e4 {}1. d4 e5 *\n\n1. d4 *\n", "(".repeat(n));
    insta::assert_snapshot!(report(text.as_bytes()));
}

#[test]
fn contradictory_tags() {
    let text = "\
[Result \"1-0\"]

1. e4 e5 0-1

[SetUp \"1\"]

1. e4 e5 *

[Event \"x\"]
[SetUp \"0\"]
[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]

1. O-O *

[FEN \"4k3/8/8/8/8/8/4K2R w K - 0 1\"]

1. O-O *

[White \"y\"]
[FEN \"4k3/8/8/8/8/8/8/7R w - - 0 1\"]

1. Rh2 *

[Variant \"Atomic\"]

1. e4 *

1. e4 1-0 e5

1. e4 1-0 0-1

[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]

1. O-O *
";
    insta::assert_snapshot!(report(text.as_bytes()));
}

#[test]
fn a_strict_reader_ends_at_the_first_bad_game() {
    let text = "1. e4 *\n\n1. e5 *\n\n1. d4 *\n";
    let games: Vec<_> = pgn::read_games("strict.pgn", text.as_bytes(), Policy::strict()).collect();
    assert_eq!(games.len(), 2);
    insta::assert_snapshot!(games[1].as_ref().unwrap_err());
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str| {
        let path = folder.path().join(name);
        let error: Box<dyn std::error::Error> = match open_games(&path, Policy::default()) {
            Err(error) => error.into(),
            Ok(mut games) => games.find_map(Result::err).unwrap().into(),
        };
        let mut message = error.to_string();
        if let Some(cause) = error.source() {
            write!(message, ": {cause}").unwrap();
        }
        message.replace(&folder.path().display().to_string(), "DIR") + "\n"
    };
    let text = b"1. e4 *\n".repeat(1000);
    for (name, packed) in [("cut.pgn.gz", gzip(&text)), ("cut.pgn.bz2", bzip2(&text))] {
        fs::write(folder.path().join(name), &packed[..packed.len() / 2]).unwrap();
    }
    let text = zstd::encode_all(text.as_slice(), 1).unwrap();
    fs::write(folder.path().join("cut.pgn.zst"), &text[..text.len() / 2]).unwrap();
    fs::write(folder.path().join("empty.pgn"), "").unwrap();
    let messages = [
        "missing.pgn",
        ".",
        "cut.pgn.zst",
        "cut.pgn.gz",
        "cut.pgn.bz2",
        "empty.pgn",
    ]
    .map(message)
    .concat();
    insta::assert_snapshot!(messages);
}

/// A frame that decoders skip (RFC 8878, section 3.1).
fn skippable(content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    [b"\x50\x2a\x4d\x18", length.as_slice(), content].concat()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_and_plain_files_read_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any-name");
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let games = open_games(&path, Policy::strict()).unwrap();
        games.collect::<Result<Vec<_>, _>>().unwrap()
    };
    let [one, two] = [b"1. e4 e5 *\n\n".as_slice(), b"1. d4 *\n"];
    let plain = read(&[one, two].concat());
    assert_eq!(plain.len(), 2);
    let zstd = |text: &[u8]| zstd::encode_all(text, 1).unwrap();
    for (name, packed) in [
        ("zstd", zstd(&[one, two].concat())),
        // As `pzstd` writes them: the size of each frame in a frame to be skipped before it.
        (
            "pzstd",
            [skippable(b"size"), zstd(one), skippable(b"size"), zstd(two)].concat(),
        ),
        (
            "empty frames",
            [
                skippable(b""),
                zstd(b""),
                zstd(one),
                zstd(two),
                skippable(b""),
            ]
            .concat(),
        ),
        ("gzip", [gzip(one), gzip(two)].concat()),
        ("bzip2", [bzip2(one), bzip2(two)].concat()),
    ] {
        assert_eq!(read(&packed), plain, "{name}");
    }
}
