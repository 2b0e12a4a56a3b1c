//! What can be said of a position: what is certain and why, 50/50s, and guesses with their chances.

use std::fmt::Write as _;

use kibitz_minesweeper::{
    Deducer, Deduction, Difficulty, FiftyFifty, Grid, Knowledge, Move, NoOptimum, NoProbabilities,
    Optimum, PlayerName, Probabilities, Reasons, Solver, Tile, WinChance, fifty_fifties,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use serde_json::{Value, json};

use super::show;

/// An analysis of a position.
pub(super) struct Analysis {
    pub(super) probabilities: Probabilities,
    pub(super) reasons: Reasons,
    pub(super) fifty_fifties: Vec<FiftyFifty>,
    /// The guess of each player, where nothing is certainly safe.
    pub(super) guesses: Vec<(PlayerName, Move)>,
    /// The chance to win by each covered tile and the best play after it, where it can be had.
    pub(super) chances: Result<Vec<(Tile, WinChance)>, NoOptimum>,
}

/// The move that a player would make.
pub(super) fn hint(knowledge: &Knowledge, player: PlayerName) -> Option<Move> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    player.player().choose(knowledge, &mut rng)
}

impl Analysis {
    pub(super) fn new(knowledge: &Knowledge) -> Result<Self, NoProbabilities> {
        let mut solver = Solver::new();
        let probabilities = solver.solve(knowledge)?.clone();
        let reasons = Deducer::new().reasons(knowledge)?;
        let is_open = !knowledge.is_won();
        let mut covered = knowledge.covered();
        let has_safe = covered.any(|tile| probabilities.mine(tile) <= 0.0);
        // Whoever plays at random has nothing to say.
        let players = PlayerName::ALL
            .into_iter()
            .filter(|name| *name != PlayerName::Random);
        let guesses = players.filter(|_| is_open && !has_safe);
        Ok(Self {
            fifty_fifties: fifty_fifties(knowledge, &probabilities, &mut solver)?,
            guesses: guesses
                .filter_map(|name| Some((name, hint(knowledge, name)?)))
                .collect(),
            chances: Optimum::default().tiles(knowledge),
            probabilities,
            reasons,
        })
    }

    /// The chance to win by this tile and the best play after it, if it is known.
    pub(super) fn chance(&self, tile: Tile) -> Option<WinChance> {
        let chances = self.chances.as_ref().ok()?;
        let found = chances.iter().find(|(other, _)| *other == tile);
        found.map(|(_, chance)| *chance)
    }

    /// The tile with the greatest chance to win, if it is known.
    fn best(&self) -> Option<(Tile, WinChance)> {
        let chances = self.chances.as_ref().ok()?.iter().copied();
        chances.reduce(|best, next| {
            let is_better = next.1.get() > best.1.get() + f64::EPSILON;
            if is_better { next } else { best }
        })
    }

    /// In words, a line for each thing.
    pub(super) fn lines(&self, knowledge: &Knowledge) -> Vec<String> {
        let grid = knowledge.grid();
        let mut lines = Vec::new();
        if knowledge.is_won() {
            return vec!["every safe tile is uncovered".to_owned()];
        }
        if knowledge.is_protected() {
            lines.push("safe: any tile, since the first click meets no mine".to_owned());
        }
        for deduction in &self.reasons.deductions {
            lines.push(reason(grid, deduction));
        }
        for (tile, is_mine) in &self.reasons.unexplained {
            let n = show::arrangements(self.probabilities.ln_arrangements());
            let what = verdict(*is_mine);
            lines.push(format!("{what} {}: in all {n}", show::name(grid, *tile)));
        }
        for pair in &self.fifty_fifties {
            let [one, other] = [&pair.one, &pair.other].map(|tiles| show::names(grid, tiles));
            lines.push(format!(
                "50/50: mines on {one}, or on {other}; nothing will tell"
            ));
        }
        for (name, next) in &self.guesses {
            let mut line = format!("{name}: {}", show::reason(knowledge, next));
            if let Some(chance) = self.chance(next.action.tile()) {
                let _ = write!(line, ", wins {}", percent(chance));
            }
            lines.push(line);
        }
        match (self.best(), &self.chances) {
            (Some((tile, chance)), _) => lines.push(format!(
                "best by complete search: {} wins {}",
                show::name(grid, tile),
                percent(chance)
            )),
            (None, Err(problem)) => lines.push(format!("no chance to win: {problem}")),
            (None, Ok(_)) => {}
        }
        lines
    }

    /// As an object for programs; tiles as `[row, column]` from one.
    pub(super) fn json(&self, knowledge: &Knowledge) -> Value {
        let grid = knowledge.grid();
        let place = |tile: Tile| {
            let (row, column) = grid.row_and_column(tile);
            json!([row + 1, column + 1])
        };
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
        let best = self.best();
        json!({
            "certain": deductions.chain(unexplained).collect::<Value>(),
            "fifty_fifties": pairs.collect::<Value>(),
            "guesses": guesses.collect::<Value>(),
            "best": best.map(|(tile, of)| json!({ "tile": place(tile), "wins": chance(of) })),
            "ln_arrangements": self.probabilities.ln_arrangements(),
        })
    }
}

/// A chance in words.
pub(super) fn percent(chance: WinChance) -> String {
    let WinChance { won, of } = chance;
    format!("{:.1} % of games ({won} of {of})", 100.0 * chance.get())
}

fn verdict(is_mine: bool) -> &'static str {
    if is_mine { "mine" } else { "safe" }
}

/// A deduction in words.
pub(super) fn reason(grid: &Grid, deduction: &Deduction) -> String {
    let what = verdict(deduction.is_mine);
    let rule = match deduction.difficulty() {
        Difficulty::Single if deduction.is_mine => "M-1".to_owned(),
        Difficulty::MineCount => "the count of mines".to_owned(),
        difficulty => difficulty.to_string(),
    };
    let mut text = format!("{what} {}: {rule}", show::name(grid, deduction.tile));
    if !deduction.because.is_empty() {
        let names = show::names(grid, &deduction.because);
        let _ = write!(text, ", because of {names}");
    }
    text
}
