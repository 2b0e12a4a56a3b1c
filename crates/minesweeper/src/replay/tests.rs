//! Small replays of each format, written byte by byte.

use super::mvf::order;
use super::{Click, Replay, ReplayFormat, ReplayProblem, StatedEnd, read_set};
use crate::{Action, Game};

/// Columns and rows of the board of all replays here.
const SIZE: [u8; 2] = [4, 3];

/// What the mouse does on it: buttons as in `.evf`, and a column and a row. A click, a mark, a chord with
/// both buttons, the left one up first, and the last click.
const EVENTS: [(u8, u8, u8); 11] = [
    (2, 0, 0),
    (3, 0, 0),
    (1, 3, 1),
    (4, 3, 2),
    (5, 3, 2),
    (2, 2, 2),
    (4, 2, 2),
    (3, 2, 2),
    (5, 2, 2),
    (2, 3, 0),
    (3, 3, 0),
];

/// The clicks that these make on a board with a mine in the last corner and one in the first row.
fn expected(unit: u32) -> Vec<(u32, Click)> {
    vec![
        (2 * unit, Click::Act(Action::Uncover(0))),
        (4 * unit, Click::Act(Action::Mark(11))),
        (8 * unit, Click::Chord(10)),
        (11 * unit, Click::Act(Action::Uncover(3))),
    ]
}

fn evf() -> Vec<u8> {
    let mut bytes = vec![3, 0, 0, SIZE[1], SIZE[0], 0, 1, 16];
    bytes.extend([0; 7]);
    bytes.extend(b"program\0somebody\0\0\0\0\0\0\0");
    bytes.extend([0b0000_0000, 0b0001_0000]);
    for (number, (code, column, row)) in (1..).zip(EVENTS) {
        bytes.extend([code, 0, 0, number, 0, 16 * column + 8, 0, 16 * row + 8]);
    }
    bytes.push(255);
    bytes
}

/// Version 4: times and places are steps from those before.
fn evf4() -> Vec<u8> {
    let mut bytes = vec![4, 0x08, 0, SIZE[1], SIZE[0], 0, 1, 16];
    bytes.extend([0; 8 + 2 + 16]);
    bytes.extend(b"program\0converter\0gbk\0somebody\0\0\0\0\x01u");
    bytes.extend([0b0000_0000, 0b0001_0000, 0, 1, b'm', 0]);
    let mut before = [0_i16; 2];
    for (code, column, row) in EVENTS {
        // A pause is part of the time; events of tiles and measures are skipped.
        bytes.extend([255, 0, 1, code, 0]);
        let place = [column, row].map(|at| 16 * i16::from(at) + 8);
        for (at, before) in place.iter().zip(before) {
            bytes.extend((at - before).to_be_bytes());
        }
        before = place;
        bytes.extend([110, 0, 1, 1, 200, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend([201, 0, 0, 0, b'v', 0]);
    }
    bytes.extend([82, 0, 0, 0, 0]);
    bytes
}

fn avf() -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 0, 0, 6, SIZE[0] - 1, SIZE[1] - 1, 0, 1, 3, 4];
    bytes.extend(b"x[0|1.1.2026|1.1.2026|B3T2,00]\0");
    for (number, (code, column, row)) in (1..).zip(EVENTS) {
        let code = match code {
            1 => 1,
            2 => 3,
            3 => 5,
            4 => 9,
            _ => 17,
        };
        bytes.extend([code, 0, 1, 16 * column + 8, number, 0, 0, 16 * row + 8]);
    }
    bytes.extend([0; 8]);
    bytes.extend(b"cs=15\rSkin: none\rsomebody\r");
    bytes
}

fn rmv() -> Vec<u8> {
    let mut bytes = b"*rmv\0\x01\0\0\0\0\0\x05\0\x03\0\0\0\0\0\0\0\x04\0\0\0\0".to_vec();
    bytes.extend([0; 5 + 3 + 2]);
    bytes.extend(b"\0\x02\x08somebody\x01x\0\0\0\0");
    bytes.extend([SIZE[0], SIZE[1], 0, 1, 3, 2, 0, 0, 0, 0]);
    bytes.extend([0, 1, 1, 1, 1, 9, 0, 0]);
    // The first event of the mouse is left out: the button is down already.
    for (number, (code, column, row)) in (2..).zip(&EVENTS[1..]) {
        bytes.extend([*code, 0, 0, number, 0, 0, 12 + 16 * column + 8]);
        bytes.extend([0, 56 + 16 * row + 8]);
    }
    bytes.push(16);
    bytes
}

/// Version 2: tiles of 24 pixels, places on the board, and steps of a few pixels.
fn rmv2() -> Vec<u8> {
    let mut bytes = b"*rmv\0\x02\x01\x06\0\0\0\0\0\x02\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend(b"v2\0\x01\x08somebody\0\0\0\0");
    bytes.extend([SIZE[0], SIZE[1], 0, 1, 3, 2]);
    bytes.extend([0, 0, 0, 0, 0, 0, 24, 0]);
    bytes.extend(b"\0\x01\x01k\x02vv");
    for (number, (code, column, row)) in (2..).zip(&EVENTS[1..]) {
        bytes.extend([
            *code,
            0,
            0,
            number,
            0,
            0,
            24 * column + 12,
            0,
            24 * row + 12,
        ]);
        // Two to the right, one up, and back.
        bytes.extend([28, 0, 0x2f, 28, 0, 0xe1]);
    }
    bytes.push(16);
    bytes
}

fn mvf() -> Vec<u8> {
    let mut bytes = vec![0; 97];
    bytes[..2].copy_from_slice(&[0x11, 0x4d]);
    bytes[27] = b'5';
    bytes.extend([SIZE[0], SIZE[1], 0, 1, 4, 3, 8]);
    bytes.extend(b"somebody\x12\x34\0\0");
    let places = order(0x1234);
    bytes.push(u8::try_from(EVENTS.len()).unwrap());
    let (mut left, mut right) = (0, 0);
    for (number, (code, column, row)) in (1..).zip(EVENTS) {
        match code {
            2 | 3 => left = u16::from(code == 2),
            4 | 5 => right = u16::from(code == 4),
            _ => {}
        }
        let fields = [
            (0, 1, right),
            (2, 1, left),
            (3, 9, 16 * u16::from(row) + 8),
            (12, 9, 16 * u16::from(column) + 8),
            (21, 7, number),
        ];
        let mut event = [0; 5];
        for (first, n, value) in fields {
            for at in 0..n {
                let bit = places[first + at];
                event[bit / 8] |= u8::try_from(value >> at & 1).unwrap() << (bit % 8);
            }
        }
        bytes.extend(event);
    }
    bytes
}

/// Each format, a replay, and the milliseconds of its unit of time.
fn all() -> [(ReplayFormat, Vec<u8>, u32); 6] {
    [
        (ReplayFormat::Evf, evf(), 1),
        (ReplayFormat::Evf, evf4(), 1),
        (ReplayFormat::Rmv, rmv2(), 1),
        (ReplayFormat::Avf, avf(), 10),
        (ReplayFormat::Rmv, rmv(), 1),
        (ReplayFormat::Mvf, mvf(), 10),
    ]
}

#[test]
fn every_format_gives_the_game() {
    for (format, bytes, unit) in all() {
        let replay = Replay::from_bytes(&bytes, format).unwrap();
        assert_eq!(replay.player, "somebody", "{format:?}");
        assert_eq!(replay.board.to_text(), "4x3/1\n....\n....\n...*\n");
        let clicks = replay.clicks();
        assert_eq!(clicks[..1], expected(unit)[..1], "{format:?}");
        let mut game = Game::new(&replay.board);
        assert!(clicks.into_iter().all(|(_, click)| click.make(&mut game)));
        assert!(game.knowledge().is_won(), "{format:?}");
    }
}

/// The header of an `.evf` and the last event of other files state how the game ended, and of an `.evf` the
/// bytes after the end are counted.
#[test]
fn replays_state_their_ends() {
    let read = |bytes: &[u8], format| Replay::from_bytes(bytes, format).unwrap();
    let stated = |bytes: &[u8], format| read(bytes, format).stated;
    let mut won = evf();
    assert_eq!(stated(&won, ReplayFormat::Evf), None);
    won[1] |= 0x80;
    assert_eq!(stated(&won, ReplayFormat::Evf), Some(StatedEnd::Won));
    // Its last event is 82.
    assert_eq!(stated(&evf4(), ReplayFormat::Evf), Some(StatedEnd::Won));
    let mut lost = evf4();
    let at = lost.len() - 5;
    lost[at] = 83;
    assert_eq!(stated(&lost, ReplayFormat::Evf), Some(StatedEnd::Lost));
    for (code, end) in [
        (15, Some(StatedEnd::Lost)),
        (16, Some(StatedEnd::Won)),
        (17, None),
    ] {
        for mut bytes in [rmv(), rmv2()] {
            *bytes.last_mut().unwrap() = code;
            assert_eq!(stated(&bytes, ReplayFormat::Rmv), end);
        }
    }
    let trailing =
        |bytes: &[u8], more: &[u8]| read(&[bytes, more].concat(), ReplayFormat::Evf).n_trailing;
    assert_eq!(trailing(&evf(), b""), 0);
    assert_eq!(trailing(&evf(), b"garbage"), 7);
    // After 0 there is a checksum.
    let mut checked = evf();
    *checked.last_mut().unwrap() = 0;
    assert_eq!(trailing(&checked, &[1; 32]), 0);
    assert_eq!(trailing(&checked, &[1; 35]), 3);
    let sized = [&evf4()[..evf4().len() - 2], b"\0\x02ab".as_slice()].concat();
    assert_eq!(trailing(&sized, b""), 0);
    assert_eq!(trailing(&sized, b"!"), 1);
}

#[test]
fn names_have_their_encodings() {
    for (bytes, expected) in [
        (b"somebody".as_slice(), "somebody"),
        ("王嘉宁".as_bytes(), "王嘉宁"),
        (b"\xcd\xf5\xbc\xce\xc4\xfe (Wang)", "王嘉宁 (Wang)"),
        (b"M\xfcller", "Müller"),
    ] {
        assert_eq!(super::reader::name(bytes, None), expected);
    }
    let label = encoding_rs::Encoding::for_label(b"shift-jis");
    assert_eq!(super::reader::name(b"\x83e\x83X\x83g", label), "テスト");
}

#[test]
fn buttons_uncover_mark_and_chord() {
    // A second mine, so that the first click does not win.
    let mut bytes = evf();
    let board = bytes
        .windows(2)
        .position(|two| two == [0, 0b0001_0000])
        .unwrap();
    bytes[board] = 0b0010_0000;
    bytes[6] = 2;
    let replay = Replay::from_bytes(&bytes, ReplayFormat::Evf).unwrap();
    assert_eq!(replay.clicks(), expected(1));
}

/// A set of the replays named, each with a checksum of three bytes.
fn evfs(replays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 3];
    for (name, replay) in replays {
        bytes.extend(name.as_bytes());
        bytes.push(0);
        bytes.extend(u32::try_from(replay.len()).unwrap().to_be_bytes());
        bytes.extend(replay);
        bytes.extend(b"abc");
    }
    bytes
}

#[test]
fn sets_have_replays_of_their_own() {
    let cut = evf()[..50].to_vec();
    let replays = [("one", evf4()), ("王", cut), ("three", evf())];
    let bytes = evfs(&replays);
    let set = read_set(&bytes).unwrap();
    let names: Vec<&str> = set.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["one", "王", "three"]);
    for at in [0, 2] {
        let alone = Replay::from_bytes(&replays[at].1, ReplayFormat::Evf);
        assert_eq!(set[at].replay, alone);
    }
    // A replay that ends early is wrong by itself, at a byte of the set.
    let error = set[1].replay.clone().unwrap_err();
    assert!(matches!(error.problem, ReplayProblem::EndOfReplay(_)));
    let end = bytes.len() - (replays[2].1.len() + 3 + "three".len() + 5) - 3;
    assert_eq!(error.byte, end);
    assert_eq!(read_set(&evfs(&[])), Ok(Vec::new()));
    for n in 0..bytes.len() {
        if let Err(error) = read_set(&bytes[..n]) {
            assert_eq!(error.byte, n);
        }
    }
    let mut huge = bytes.clone();
    huge[3 + "one".len() + 1] = 0xff;
    let told = [read_set(&huge), read_set(b"\x01\0\0"), read_set(b"")];
    let told = told.map(|read| read.unwrap_err().to_string());
    insta::assert_snapshot!(told.join("\n"), @r"
    byte 639: the file ends before the end of a replay
    byte 0: found 1, expected version 0 of .evfs
    byte 0: the file ends before version 0 of .evfs
    ");
}

/// Whatever is cut off or changed is answered, and never by a panic.
#[test]
fn broken_replays_are_answered() {
    let mut said = Vec::new();
    for (format, bytes, _) in all() {
        for n in 0..bytes.len() {
            // The name of an `.avf` and the end of others may be missing.
            if let Err(error) = Replay::from_bytes(&bytes[..n], format) {
                assert!(error.byte <= n, "{format:?}: {error}");
            }
            let mut changed = bytes.clone();
            changed[n] ^= 0x55;
            if let Ok(replay) = Replay::from_bytes(&changed, format) {
                replay.clicks();
            }
        }
        let mut mistakes = vec![Vec::new(), bytes[..bytes.len() / 2].to_vec()];
        let mut other = bytes.clone();
        other[0] ^= 0x80;
        other[5] ^= 0x80;
        mistakes.push(other);
        for bytes in mistakes {
            let error = Replay::from_bytes(&bytes, format).unwrap_err();
            said.push(format!("{format:?}: {error}"));
        }
    }
    insta::assert_snapshot!(said.join("\n"));
}
