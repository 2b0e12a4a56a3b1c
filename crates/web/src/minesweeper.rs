//! Minesweeper: positions analysed, boards without guesses, and games.

use kibitz_minesweeper::rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};
use kibitz_minesweeper::{
    Analysis, Board, Certificate, Density, Difficulty, Game, Grid, Knowledge, Level, Mines,
    NoGuess, TextErrors, Tile,
};
use kibitz_text::{Diagnostics, SourceFile};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::mistakes::Mistakes;

/// Analysis of a position.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionQuestion {
    /// The position: columns, rows and mines, then a line a row.
    pub text: String,
    /// The number of mines, where the text does not say it.
    pub mines: Option<usize>,
    /// The density of mines instead.
    pub density: Option<f64>,
}

impl PositionQuestion {
    /// The position as it is written by default, `solve` and `analyse` as the commands answer.
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        let density = self.density.map(Density::new).transpose();
        let density = density.map_err(|error| Mistakes::told(error.to_string()))?;
        let mines = self.mines.map(Mines::Total);
        let knowledge = match mines.or(density.map(Mines::Density)) {
            None => Knowledge::from_text(&self.text),
            Some(mines) => Knowledge::from_text_with(&self.text, mines),
        };
        let knowledge = knowledge.map_err(|errors| misread("position", &self.text, errors))?;
        let analysis = Analysis::new(&knowledge);
        let analysis = analysis.map_err(|problem| Mistakes::told(problem.to_string()))?;
        let mut answer = seen(&knowledge);
        answer["solve"] = analysis.probabilities.json(&knowledge);
        answer["analyse"] = analysis.json(&knowledge);
        Ok(answer)
    }
}

/// The visible position.
fn seen(knowledge: &Knowledge) -> Value {
    json!({
        "position": knowledge.to_text(),
        "mines_left": knowledge.mines_left(),
        "covered": knowledge.n_covered(),
        "won": knowledge.is_won(),
        "untouched": knowledge.is_protected(),
    })
}

/// A board that needs no guess after its first click.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardQuestion {
    /// Columns, rows and mines: `16x16/40`.
    pub level: String,
    /// Row and column of the first click, from one.
    pub first: [usize; 2],
    /// Which board.
    pub seed: u64,
    /// The hardest deduction that it may need: `S-1`, `sets`, `numbers`, `all`.
    #[serde(default = "all")]
    pub hardest: String,
}

fn all() -> String {
    Difficulty::MineCount.to_string()
}

impl BoardQuestion {
    /// The board, as `generate --no-guess --certificate` writes it.
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        let told = |error: &dyn std::fmt::Display| Mistakes::told(error.to_string());
        let level: Level = self.level.parse().map_err(|error| told(&error))?;
        let hardest: Difficulty = self.hardest.parse().map_err(|error| told(&error))?;
        let first = tile(&level.grid, self.first)?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let made = NoGuess::new(&level, hardest).draw(first, &mut rng);
        let made = made.map_err(|error| told(&error))?;
        let certificate = Certificate::find(&made.board, first, hardest);
        let certificate = certificate.filter(|found| found.check(&made.board).is_ok());
        let certificate = certificate
            .ok_or_else(|| Mistakes::told("the board takes deductions beyond limits"))?;
        Ok(made.json(Some(&certificate)))
    }
}

/// A board after some clicks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayQuestion {
    /// The board: columns, rows and mines, then a line a row with `*` for mines.
    pub board: String,
    /// The clicks in order, with row and column from one.
    pub clicks: Vec<(Click, usize, usize)>,
}

/// What a click does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Click {
    /// Uncovers a tile.
    Uncover,
    /// Marks a tile as a mine, or takes the mark off.
    Mark,
    /// Uncovers the other tiles around a number that has all of its marks.
    Chord,
}

impl PlayQuestion {
    /// The visible position, whether the last click changed anything, and the mines when the game is over.
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        let board = Board::from_text(&self.board);
        let board = board.map_err(|errors| misread("board", &self.board, errors))?;
        let grid = board.grid();
        let mut game = Game::new(&board);
        let mut has_changed = false;
        for (click, row, column) in &self.clicks {
            let at = tile(grid, [*row, *column])?;
            has_changed = match click {
                Click::Uncover => game.uncover(at),
                Click::Mark => game.mark(at) || game.unmark(at),
                Click::Chord => game.chord(at),
            };
        }
        let place = |tile: Tile| {
            let (row, column) = grid.row_and_column(tile);
            [row + 1, column + 1]
        };
        let mines = board.mines().map(place).collect::<Vec<_>>();
        let mut answer = seen(game.knowledge());
        answer["changed"] = has_changed.into();
        answer["exploded"] = json!(game.exploded().map(place));
        answer["mines"] = json!(game.is_over().then_some(mines));
        Ok(answer)
    }
}

/// The tile at a row and column from one.
fn tile(grid: &Grid, [row, column]: [usize; 2]) -> Result<Tile, Mistakes> {
    let both = row.checked_sub(1).zip(column.checked_sub(1));
    let found = both.and_then(|(row, column)| grid.tile(row, column));
    found.ok_or_else(|| {
        let (height, width) = (grid.height(), grid.width());
        Mistakes::told(format!("rows go to {height}, columns to {width}"))
    })
}

/// The mistakes of a text, in their places.
fn misread(name: &str, text: &str, errors: TextErrors) -> Mistakes {
    let source = SourceFile::new(name, text);
    let told = errors.0.into_iter();
    let told = told.map(|error| source.error_at(error.span, error.problem.to_string()));
    told.collect::<Diagnostics>().into()
}
