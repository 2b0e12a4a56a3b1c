//! `watch`: how a player plays.

use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use crossterm::{
    cursor::MoveTo,
    execute,
    terminal::{Clear, ClearType},
};
use kibitz_minesweeper::{Action, Game, Knowledge, Move, PlayerName};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::{BoardArguments, Failure, show};

pub(super) fn run(
    boards: &BoardArguments,
    name: PlayerName,
    pause: u64,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut player = name.player();
    let mut shown: io::Result<()> = Ok(());
    let mut see = |knowledge: &Knowledge, next: &Move| {
        if shown.is_ok() {
            shown = frame(knowledge, next, pause, out);
        }
    };
    let outcome = if let Some(board) = boards.board()? {
        let mut rng = ChaCha8Rng::seed_from_u64(boards.seed);
        Game::new(&board).play(player.as_mut(), &mut rng, &mut see)
    } else {
        boards.series().play(0, player.as_mut(), &mut see)?
    };
    shown?;
    let end = if outcome.is_won { "won" } else { "lost" };
    writeln!(out, "{end} after {} moves", outcome.n_moves)?;
    Ok(())
}

/// A position and the move made in it.
fn frame(knowledge: &Knowledge, next: &Move, pause: u64, out: &mut impl Write) -> io::Result<()> {
    if pause > 0 {
        execute!(out, Clear(ClearType::All), MoveTo(0, 0))?;
        show::position(knowledge, None, out)?;
    } else if let Action::Uncover(_) = next.action {
        show::position(knowledge, None, out)?;
    }
    writeln!(out, "{}", show::reason(knowledge, next))?;
    out.flush()?;
    sleep(Duration::from_millis(pause));
    Ok(())
}
