//! The rules of chess behind the re-exports, by numbers known to everyone.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use kibitz_board::{CastlingMode, Chess, Position, fen::Fen};

/// Number of ways to play `depth` half-moves.
fn perft(position: &Chess, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |m| {
        let mut position = position.clone();
        position.play_unchecked(m);
        perft(&position, depth - 1)
    };
    moves.into_iter().map(after).sum()
}

/// Positions and counts of the Chess Programming Wiki, page "Perft Results".
#[test]
fn perft_counts_are_the_known_ones() {
    let cases = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            [20, 400, 8_902, 197_281],
        ),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            [48, 2_039, 97_862, 4_085_603],
        ),
        (
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            [14, 191, 2_812, 43_238],
        ),
    ];
    for (fen, counts) in cases {
        let fen: Fen = fen.parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth), count);
        }
    }
}
