//! `watch`: a game of a player, move by move.

use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use kibitz_minesweeper::{Action, Board, Game, Knowledge, Move, Outcome, PlayerName};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::{BoardArguments, Failure, screen, show};

pub(super) fn run(
    boards: &BoardArguments,
    name: PlayerName,
    pause: u64,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let pause = Duration::from_millis(pause);
    if !pause.is_zero() && screen::is_there() {
        let (board, moves, outcome) = record(boards, name)?;
        let beginning = Game::new(&board).with_first_click(boards.protection());
        return screen::watch(name, &board, beginning, &moves, outcome, pause);
    }
    let board = laid(boards, name)?;
    let mut shown: io::Result<()> = Ok(());
    let outcome = play(boards, board.as_ref(), name, |knowledge, next| {
        if shown.is_ok() {
            shown = frame(knowledge, next, pause, out);
        }
    })?;
    shown?;
    writeln!(out, "{}", show::outcome(outcome))?;
    Ok(())
}

/// The board of the file, or the board without guesses for the player's first click; `None` for one of the
/// series.
fn laid(boards: &BoardArguments, name: PlayerName) -> Result<Option<Board>, Failure> {
    if !boards.no_guess {
        return boards.board();
    }
    let level = &boards.board;
    let empty = Knowledge::new(&level.grid, level.n_mines).with_first_click(boards.protection());
    let mut rng = ChaCha8Rng::seed_from_u64(boards.seed);
    let first = name.player().choose(&empty, &mut rng);
    let first = first.map_or(0, |first| first.action.tile());
    Ok(Some(boards.lay(0, first)?))
}

/// A game on this board, or on the first of the series.
fn play(
    boards: &BoardArguments,
    board: Option<&Board>,
    name: PlayerName,
    observe: impl FnMut(&Knowledge, &Move),
) -> Result<Outcome, Failure> {
    let mut player = name.player();
    Ok(match board {
        Some(board) => {
            let mut rng = ChaCha8Rng::seed_from_u64(boards.seed);
            let mut game = Game::new(board).with_first_click(boards.protection());
            game.play(player.as_mut(), &mut rng, observe)
        }
        None => boards.series().play(0, player.as_mut(), observe)?,
    })
}

/// Records a game for replay.
fn record(
    boards: &BoardArguments,
    name: PlayerName,
) -> Result<(Board, Vec<Move>, Outcome), Failure> {
    let board = laid(boards, name)?;
    let mut moves = Vec::new();
    let outcome = play(boards, board.as_ref(), name, |_, next| {
        moves.push(next.clone());
    })?;
    let board = match (board, moves.first().map(|first| first.action)) {
        (Some(board), _) => board,
        // The board depends on the first click.
        (None, Some(Action::Uncover(first))) => boards.series().board(0, first)?,
        (None, _) => boards.series().board(0, 0)?,
    };
    Ok((board, moves, outcome))
}

/// Writes a position and the move made in it.
fn frame(
    knowledge: &Knowledge,
    next: &Move,
    pause: Duration,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Action::Uncover(_) = next.action {
        show::position(knowledge, None, out)?;
    }
    writeln!(out, "{}", show::reason(knowledge, next))?;
    out.flush()?;
    sleep(pause);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::FirstClickArgument;

    #[test]
    fn recorded_moves_replay_the_game() {
        for first_click in [
            FirstClickArgument::Unprotected,
            FirstClickArgument::Safe,
            FirstClickArgument::Opening,
        ] {
            for (seed, name) in (0..).zip(PlayerName::ALL) {
                let boards = BoardArguments {
                    board: "8x8/10".parse().unwrap(),
                    seed,
                    first_click: Some(first_click),
                    no_guess: false,
                    file: None,
                };
                let (board, moves, outcome) = record(&boards, name).unwrap();
                let mut game = Game::new(&board);
                for (number, next) in moves.iter().enumerate() {
                    assert!(game.act(next.action), "{name}: move {number}");
                }
                assert!(game.is_over());
                assert_eq!(game.exploded().is_none(), outcome.is_won, "{name}");
            }
        }
    }
}
