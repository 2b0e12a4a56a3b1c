//! What programs read: analyses, probabilities and boards in JSON; tiles are `[row, column]` from one.

use serde_json::{Value, json};

use crate::{
    analysis::Analysis,
    board::Board,
    deduction::Certificate,
    grid::{Grid, GridIndex, Tile},
    knowledge::{Knowledge, View},
    mines::Mines,
    no_guess::NoGuessBoard,
    optimum::WinChance,
    probability::Probabilities,
};

fn place(grid: &Grid, tile: Tile) -> Value {
    let (row, column) = grid.row_and_column(tile);
    json!([row + 1, column + 1])
}

impl Analysis {
    /// `certain` tiles with their reasons, `fifty_fifties`, `guesses` by player, the `best` tile to uncover with
    /// its probability of a `mine` (below 1: a certain mine is never best), the `rule` and what it `wins` (null where complete search is not possible),
    /// and `ln_arrangements`.
    pub fn json(&self, knowledge: &Knowledge) -> Value {
        let grid = knowledge.grid();
        let place = |tile: Tile| place(grid, tile);
        let places = |tiles: &[Tile]| tiles.iter().map(|tile| place(*tile)).collect::<Value>();
        let chance = |chance: WinChance| json!({ "won": chance.won, "of": chance.of, "chance": chance.get() });
        let deductions = self.reasons.deductions.iter().map(|deduction| {
            json!({
                "tile": place(deduction.tile),
                "mine": deduction.is_mine,
                "rule": deduction.difficulty(),
                "because": places(&deduction.because),
                "counts_mines": deduction.counts_mines,
            })
        });
        let unexplained = self.reasons.unexplained.iter().map(
            |(tile, is_mine)| json!({ "tile": place(*tile), "mine": is_mine, "rule": "arrangements" }),
        );
        let guesses = self.guesses.iter().map(|(name, next)| {
            json!({
                "player": name,
                "tile": place(next.action.tile()),
                "rule": next.rule.to_string(),
                "mine": self.probabilities.mine(next.action.tile()),
                "wins": self.chance(next.action.tile()).map(chance),
            })
        });
        let pairs = self.fifty_fifties.iter();
        let pairs = pairs.map(|pair| json!([places(&pair.one), places(&pair.other)]));
        let best = self.best.map(|best| {
            json!({
                "tile": place(best.tile),
                "mine": best.risk,
                "rule": best.rule.to_string(),
                "wins": best.chance.map(chance),
            })
        });
        json!({
            "certain": deductions.chain(unexplained).collect::<Value>(),
            "fifty_fifties": pairs.collect::<Value>(),
            "guesses": guesses.collect::<Value>(),
            "best": best,
            "ln_arrangements": self.probabilities.ln_arrangements(),
        })
    }
}

impl Probabilities {
    /// The probability of a `mine` row by row, `null` where a tile is uncovered, with the number of
    /// `mines` and `ln_arrangements`, or their `density`.
    pub fn json(&self, knowledge: &Knowledge) -> Value {
        let grid = knowledge.grid();
        let tile = |tile| match knowledge.view(tile) {
            View::Number(_) => None,
            _ => Some(self.mine(tile)),
        };
        let rows = (0..grid.height()).map(|row| {
            let first = row * grid.width();
            (first..first + grid.width()).map(tile).collect::<Vec<_>>()
        });
        let mut answer = json!({
            "columns": grid.width(),
            "rows": grid.height(),
            "mine": rows.collect::<Vec<_>>(),
        });
        match knowledge.mines() {
            Mines::Total(n_mines) => {
                answer["mines"] = n_mines.into();
                answer["ln_arrangements"] = self.ln_arrangements().into();
            }
            Mines::Density(density) => answer["density"] = density.get().into(),
        }
        answer
    }
}

impl Board {
    /// The `level`, the rows of the `board`, the `first` click and measures.
    ///
    /// # Panics
    /// If the first click is not on the board.
    pub fn json(&self, first: impl GridIndex) -> Value {
        let first = first.tile(self.grid().size());
        let measures = self.measures();
        let text = self.to_text();
        let mut lines = text.lines();
        json!({
            "level": lines.next(),
            "board": lines.collect::<Vec<_>>(),
            "first": place(self.grid(), first),
            "three_bv": measures.three_bv,
            "openings": measures.n_openings,
        })
    }
}

impl NoGuessBoard {
    /// The same of its board, with its `difficulty`, how it was `drawn`, and a `certificate`.
    pub fn json(&self, certificate: Option<&Certificate>) -> Value {
        let mut object = self.board.json(self.first);
        object["difficulty"] = json!(self.difficulty);
        object["drawn"] = self.n_drawn.into();
        object["swaps"] = self.n_swaps.into();
        if let Some(certificate) = certificate {
            object["certificate"] = json!(certificate);
        }
        object
    }
}
