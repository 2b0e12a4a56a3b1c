//! Game keys: hashes of move sequences.

use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};
use shakmaty::{CastlingMode, Move};
use thiserror::Error;

/// Key of a move sequence: the first 16 hexadecimal digits of the SHA-256 of its moves in UCI notation,
/// joined by single blanks.
///
/// Games with equal moves have equal keys, independent of their tags. At 64 bits, the chance of any
/// collision among a million games is one in forty million. Keys sort as their text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey(u64);

impl GameKey {
    /// Key of a sequence of moves; `mode` determines the notation of castling.
    pub fn of_moves(moves: &[Move], mode: CastlingMode) -> GameKey {
        let mut text = Vec::with_capacity(6 * moves.len());
        for (ply, m) in moves.iter().enumerate() {
            if ply > 0 {
                text.push(b' ');
            }
            m.to_uci(mode).append_ascii_to(&mut text);
        }
        let digest = Sha256::digest(&text);
        let mut head = [0; 8];
        head.copy_from_slice(&digest[..8]);
        GameKey(u64::from_be_bytes(head))
    }
}

impl fmt::Display for GameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for GameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameKey({self})")
    }
}

/// Text that is not a [`GameKey`].
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a game key: expected 16 hexadecimal digits in lower case")]
pub struct ParseGameKeyError(String);

impl FromStr for GameKey {
    type Err = ParseGameKeyError;

    fn from_str(text: &str) -> Result<GameKey, ParseGameKeyError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 16 || !text.bytes().all(is_digit) {
            return Err(ParseGameKeyError(text.to_owned()));
        }
        u64::from_str_radix(text, 16)
            .map(GameKey)
            .map_err(|_| ParseGameKeyError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Position, san::San};

    use super::*;

    #[test]
    fn castling_and_promotion_enter_the_key_as_uci_writes_them() {
        let sans = "e4 d5 exd5 c6 dxc6 Nf6 cxb7 g6 Nf3 Bg7 Be2 O-O O-O Nc6 bxa8=Q";
        let mut position = Chess::default();
        let mut moves = Vec::new();
        for san in sans.split(' ') {
            let m = san.parse::<San>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(m);
            moves.push(m);
        }
        let uci = "e2e4 d7d5 e4d5 c7c6 d5c6 g8f6 c6b7 g7g6 g1f3 f8g7 f1e2 e8g8 e1g1 b8c6 b7a8q";
        let digest = Sha256::digest(uci);
        let expected = u64::from_be_bytes(digest[..8].try_into().unwrap());
        assert_eq!(
            GameKey::of_moves(&moves, CastlingMode::Standard),
            GameKey(expected)
        );
    }

    #[test]
    fn the_key_of_no_moves_is_the_hash_of_nothing() {
        let key = GameKey::of_moves(&[], CastlingMode::Standard);
        assert_eq!(key.to_string(), "e3b0c44298fc1c14");
        assert_eq!("e3b0c44298fc1c14".parse(), Ok(key));
    }

    #[test]
    fn only_sixteen_lower_case_digits_are_a_key() {
        for text in [
            "",
            "e3b0c44298fc1c1",
            "E3B0C44298FC1C14",
            "+3b0c44298fc1c14",
            "e3b0c44298fc1c144",
        ] {
            assert_eq!(
                text.parse::<GameKey>(),
                Err(ParseGameKeyError(text.to_owned()))
            );
        }
    }
}
