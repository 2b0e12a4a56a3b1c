//! `generate`: boards, perhaps such as need no guess, with certificates.

use std::io::Write;

use kibitz_minesweeper::{
    Board, Certificate, Difficulty, FirstClick, Grid, Level, NoGuess, NoGuessBoard, Tile,
};
use kibitz_text::{Diagnostic, Exit, Failure as Stop, counted, note};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::{Failure, FirstClickArgument, Format, analysis, first_click, level, show};

/// Boards drawn with `--uniform` before giving up on one.
const MAX_UNIFORM: u64 = 1_000_000;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Columns, rows and mines.
    #[arg(long, alias = "board", default_value = "8x8/10", value_parser = level)]
    level: Level,
    /// The first click: row and column, from one; by default the middle.
    #[arg(long, value_name = "ROW,COLUMN", value_parser = place)]
    first: Option<(usize, usize)>,
    /// What the first click may meet [default: opening, or safe where there is no room for one].
    #[arg(long, value_enum)]
    first_click: Option<FirstClickArgument>,
    /// Which boards: another number, other boards.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many.
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u64,
    /// Only boards that deduction solves from the first click, which is then safe.
    #[arg(long)]
    no_guess: bool,
    /// The hardest deduction that is allowed: S-1 (one number), sets (two), numbers (more), all (the
    /// count of mines as well).
    #[arg(
        long,
        default_value = "all",
        value_name = "RULE",
        requires = "no_guess"
    )]
    max_rule: Difficulty,
    /// Draws uniformly among boards without guesses, however rare, instead of repairing boards.
    #[arg(long, requires = "no_guess")]
    uniform: bool,
    /// Writes the deductions that solve each board.
    #[arg(long, requires = "no_guess")]
    certificate: bool,
    /// What to write: boards as text, with what is known of them in lines of `#`, or an object a line.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A row and a column from one, as `3,4`.
pub(super) fn place(text: &str) -> Result<(usize, usize), String> {
    let number = |word: &str| word.trim().parse::<usize>().ok()?.checked_sub(1);
    let both = text.split_once(',');
    let both = both.and_then(|(row, column)| number(row).zip(number(column)));
    both.ok_or_else(|| format!("`{text}` is not a row and a column from one, as `3,4`"))
}

/// The tile of `--first`, or of the middle.
pub(super) fn on_board(grid: &Grid, (row, column): (usize, usize)) -> Result<Tile, Stop> {
    grid.tile(row, column).ok_or_else(|| {
        let (height, width) = (grid.height(), grid.width());
        let (row, column) = (row + 1, column + 1);
        Stop::usage(format!(
            "--first {row},{column} is not on the board: rows go to {height}, columns to {width}"
        ))
    })
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
    let grid = &arguments.level.grid;
    let (row, column) = arguments
        .first
        .unwrap_or((grid.height() / 2, grid.width() / 2));
    let first = on_board(grid, (row, column))?;
    let mut draw = NoGuess::new(&arguments.level, arguments.max_rule);
    draw.first_click = arguments
        .first_click
        .map_or(FirstClick::Opening, FirstClick::from);
    if let Some(lacking) = first_click::lacking(&arguments.level, draw.first_click, first)? {
        if arguments.first_click.is_some() {
            return Err(Stop::usage(lacking + first_click::ASK_FOR_SAFE).into());
        }
        note(&Diagnostic::warning(lacking + first_click::INSTEAD).render(true));
    }
    if arguments.uniform {
        draw = draw.uniform(MAX_UNIFORM);
    }
    for number in 0..arguments.count {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        rng.set_stream(number);
        if !arguments.no_guess {
            let Level { grid, n_mines } = &arguments.level;
            let board = Board::random(grid, *n_mines, draw.first_click, first, &mut rng)?;
            write(arguments, &board, first, None, out)?;
            continue;
        }
        let made = draw.draw(first, &mut rng)?;
        let certificate = Certificate::find(&made.board, first, arguments.max_rule);
        let certificate = certificate.filter(|found| found.check(&made.board).is_ok());
        let certificate = certificate.ok_or_else(|| {
            let text = format!("board {} takes deductions beyond limits", number + 1);
            Stop::new(Exit::Failed, Diagnostic::new(text))
        })?;
        write(
            arguments,
            &made.board,
            first,
            Some((&made, &certificate)),
            out,
        )?;
    }
    Ok(())
}

/// Writes a board.
fn write(
    arguments: &Arguments,
    board: &Board,
    first: Tile,
    made: Option<(&NoGuessBoard, &Certificate)>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let grid = board.grid();
    let measures = board.measures();
    if arguments.format == Format::Json {
        let object = match made {
            None => board.json(first),
            Some((made, certificate)) => made.json(arguments.certificate.then_some(certificate)),
        };
        writeln!(out, "{object}")?;
        return Ok(());
    }
    let first = show::name(grid, first);
    writeln!(out, "# first click {first}, 3BV {}", measures.three_bv)?;
    if let Some((made, certificate)) = made {
        let how = if made.n_swaps == 0 {
            "drawn uniformly".to_owned()
        } else {
            format!("repaired by {}", counted(made.n_swaps, "swap", "swaps"))
        };
        let (hardest, n_steps) = (made.difficulty, certificate.steps.len());
        writeln!(
            out,
            "# no guess: {}, the hardest {hardest}; {how}",
            counted(n_steps, "deduction", "deductions")
        )?;
        if arguments.certificate {
            for step in &certificate.steps {
                writeln!(out, "# {}", analysis::reason(grid, step))?;
            }
        }
    }
    writeln!(out, "{}", board.to_text())?;
    Ok(())
}
