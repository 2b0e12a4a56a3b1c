//! Minesweeper beside the Rust crate `ms_toollib`, the Python of `minesweepr` and the JavaScript of
//! `JSMinesweeper`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail, ensure};
use kibitz_minesweeper::{Board, FirstClick, Game, Level, PlayerName, Series};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use super::{Answer, SECONDS, SkippedComparison, Workload};
use crate::machine::processor_seconds;

/// The folder of the other programs.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Params {
    /// Columns, rows and mines, as in `8x8/10`.
    level: String,
    boards: u64,
    seed: u8,
    /// Our player, one who uncovers the top left corner first.
    player: PlayerName,
    /// Whether boards with a mine there are left out.
    safe_corner: bool,
}

pub(crate) struct Minesweeper {
    level: Level,
    player: PlayerName,
    boards: Vec<Board>,
    won: Vec<bool>,
}

impl Minesweeper {
    pub(crate) fn prepare(params: &Params) -> anyhow::Result<Self> {
        let level: Level = params.level.parse()?;
        let mut series = Series::new(&level, [params.seed; 32]);
        if params.safe_corner {
            series.first_click = FirstClick::Safe;
        }
        let boards = (0..params.boards).map(|number| series.board(number, 0));
        let boards = boards.collect::<Result<Vec<_>, _>>()?;
        let player = params.player;
        let won = play(player, &boards);
        Ok(Self {
            level,
            player,
            boards,
            won,
        })
    }

    /// The file that the other program reads.
    fn file(&self) -> String {
        let grid = &self.level.grid;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} {} {}",
            grid.width(),
            grid.height(),
            self.level.n_mines
        );
        for board in &self.boards {
            text.extend(
                (0..grid.n_tiles()).map(|tile| if board.is_mine(tile) { '*' } else { '.' }),
            );
            text.push('\n');
        }
        text
    }

    fn ms_toollib(&self) -> anyhow::Result<Answer> {
        let program = Path::new(PROGRAMS).join("ms-toollib/target/release/ms-toollib-plays");
        if !program.exists() {
            let how = "build it with cargo build --release in benchmarks/programs/ms-toollib";
            return Err(SkippedComparison(how.to_owned()).into());
        }
        self.other(&mut Command::new(program))
    }

    fn jsminesweeper(&self) -> anyhow::Result<Answer> {
        let checkout = Path::new(PROGRAMS).join("JSMinesweeper");
        let has_node = Command::new("node").arg("--version").output().is_ok();
        if !checkout.exists() || !has_node {
            let how = "needs node, and git clone https://github.com/DavidNHill/JSMinesweeper in \
                       benchmarks/programs";
            return Err(SkippedComparison(how.to_owned()).into());
        }
        let script = Path::new(PROGRAMS).join("jsminesweeper.js");
        self.other(Command::new("node").arg(script).arg(checkout))
    }

    fn minesweepr(&self) -> anyhow::Result<Answer> {
        let checkout = Path::new(PROGRAMS).join("minesweepr");
        let mut translator = Command::new("python3");
        let translates = translator
            .args(["-W", "ignore", "-c", "import lib2to3"])
            .status();
        if !checkout.exists() || !translates.is_ok_and(|status| status.success()) {
            let how = "needs a python3 with lib2to3 (up to 3.12), and git clone \
                       https://github.com/mrgriscom/minesweepr in benchmarks/programs";
            return Err(SkippedComparison(how.to_owned()).into());
        }
        let script = Path::new(PROGRAMS).join("minesweepr.py");
        self.other(Command::new("python3").arg(script).arg(checkout))
    }

    /// The answer of a program whose last argument is the file of boards.
    fn other(&self, command: &mut Command) -> anyhow::Result<Answer> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("boards.txt");
        std::fs::write(&file, self.file())?;
        let output = command.arg(&file).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "it fails: {errors}");
        let text = String::from_utf8(output.stdout)?;
        let (seconds, won) = text.trim_end().split_once('\n').context("two lines")?;
        let won: Vec<bool> = won.chars().map(|won| won == '1').collect();
        Ok(self.answer(seconds.parse()?, &won))
    }

    fn answer(&self, seconds: f64, won: &[bool]) -> Answer {
        let different = self
            .won
            .iter()
            .zip(won)
            .filter(|(ours, theirs)| ours != theirs);
        let missing = self.won.len().abs_diff(won.len());
        Answer::from([
            (SECONDS.to_owned(), seconds),
            (
                "won".to_owned(),
                won.iter().filter(|won| **won).count() as f64,
            ),
            ("different".to_owned(), (different.count() + missing) as f64),
        ])
    }
}

/// Which boards a player wins.
fn play(player: PlayerName, boards: &[Board]) -> Vec<bool> {
    let mut player = player.player();
    // Players who begin in the corner draw nothing from it.
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let won = boards.iter().map(|board| {
        let outcome = Game::new(board).play(player.as_mut(), &mut rng, |_, _| ());
        outcome.is_won
    });
    won.collect()
}

impl Workload for Minesweeper {
    fn unit(&self) -> &'static str {
        "boards"
    }

    fn n_items(&self) -> u64 {
        self.boards.len() as u64
    }

    fn run(&self, engine: &str) -> anyhow::Result<Answer> {
        match engine {
            "kibitz" => {
                let start = processor_seconds();
                let won = play(self.player, &self.boards);
                let seconds = processor_seconds()
                    .zip(start)
                    .map(|(end, start)| end - start);
                let mut answer = self.answer(seconds.unwrap_or(0.0), &won);
                // Without a processor clock the wall's counts.
                answer.retain(|name, _| name != SECONDS || seconds.is_some());
                Ok(answer)
            }
            "ms-toollib" => self.ms_toollib(),
            "minesweepr" => self.minesweepr(),
            "jsminesweeper" => self.jsminesweeper(),
            _ => bail!(
                "unknown engine `{engine}`: kibitz, ms-toollib, minesweepr and jsminesweeper are known"
            ),
        }
    }
}
