//! Single moves: a line each in a file, and those that lose most.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use kibitz_players::accuracy::JudgedMove;
use kibitz_text::{Failure, note};

/// Moves on a page.
const SHOWN: usize = 200;

/// A move with its game.
pub(super) struct ShownMove {
    pub(super) game: u64,
    pub(super) ply: usize,
    pub(super) player: String,
    pub(super) san: String,
    pub(super) before: String,
    pub(super) after: String,
    pub(super) loss: f64,
    pub(super) expected: Option<f64>,
}

impl ShownMove {
    /// What it lost beyond what was expected.
    fn excess(&self) -> f64 {
        self.loss - self.expected.unwrap_or(0.0)
    }

    /// Number and side, as in `12...`.
    pub(super) fn place(&self) -> String {
        let number = self.ply.div_ceil(2);
        format!("{number}{}", if self.ply % 2 == 1 { "." } else { "..." })
    }
}

/// Writes moves as they come, and keeps those that lose most beyond what was expected.
pub(super) struct MoveWriter {
    csv: Option<(PathBuf, csv::Writer<BufWriter<File>>)>,
    kept: Vec<ShownMove>,
    n_moves: u64,
}

impl MoveWriter {
    pub(super) fn new(path: Option<&Path>) -> Result<Self, Failure> {
        let open = |path: &Path| {
            let file = File::create(path).map_err(|error| Failure::unwritable(path, &error))?;
            let writer = csv::Writer::from_writer(BufWriter::new(file));
            Ok::<_, Failure>((path.to_owned(), writer))
        };
        let mut writer = Self {
            csv: path.map(open).transpose()?,
            kept: Vec::new(),
            n_moves: 0,
        };
        writer.record([
            "game", "ply", "player", "move", "before", "after", "loss", "expected",
        ])?;
        Ok(writer)
    }

    fn record<const N: usize>(&mut self, cells: [&str; N]) -> Result<(), Failure> {
        let Some((path, writer)) = &mut self.csv else {
            return Ok(());
        };
        let written = writer.write_record(cells);
        written.map_err(|error| Failure::unwritable(path, &error.into()))
    }

    /// Adds a move of the game with this number.
    pub(super) fn add(&mut self, game: u64, one: &JudgedMove<'_>) -> Result<(), Failure> {
        let played = one.played;
        let shown = ShownMove {
            game,
            ply: played.ply,
            player: one.player.to_owned(),
            san: played.san.clone(),
            before: played.before.to_string(),
            after: played.after.to_string(),
            loss: played.loss,
            expected: one.expected,
        };
        let expected = one.expected.map(|value| format!("{value:.4}"));
        self.record([
            &game.to_string(),
            &shown.ply.to_string(),
            &shown.player,
            &shown.san,
            &shown.before,
            &shown.after,
            &format!("{:.4}", shown.loss),
            &expected.unwrap_or_default(),
        ])?;
        self.n_moves += 1;
        self.kept.push(shown);
        if self.kept.len() >= 2 * SHOWN {
            self.keep_dearest();
        }
        Ok(())
    }

    fn keep_dearest(&mut self) {
        // A stable sort: of equal moves the earlier is kept.
        self.kept.sort_by(|a, b| b.excess().total_cmp(&a.excess()));
        self.kept.truncate(SHOWN);
    }

    /// Ends the file.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        if self.n_moves > SHOWN as u64 {
            self.keep_dearest();
        }
        if let Some((path, writer)) = &mut self.csv {
            let flushed = writer.flush();
            flushed.map_err(|error| Failure::unwritable(&*path, &error))?;
            note(&format!("wrote {}", path.display()));
        }
        Ok(())
    }

    /// The moves of a page: all in their order if they are few, or those that lose most beyond what was
    /// expected, the dearest first.
    pub(super) fn shown(&self) -> &[ShownMove] {
        &self.kept
    }

    /// Number of all moves.
    pub(super) fn n_moves(&self) -> u64 {
        self.n_moves
    }
}
