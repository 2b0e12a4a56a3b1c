//! What can be said of a position, in words.

use std::fmt::Write as _;

use kibitz_minesweeper::{
    Advice, Analysis, Deduction, Difficulty, Grid, Knowledge, Rule, WinChance,
};

use super::show;

/// In words, a line for each thing.
pub(super) fn lines(analysis: &Analysis, knowledge: &Knowledge) -> Vec<String> {
    let grid = knowledge.grid();
    let mut lines = Vec::new();
    if knowledge.is_won() {
        return vec!["every safe tile is uncovered".to_owned()];
    }
    if knowledge.is_protected() {
        lines.push("safe: any tile, since the first click meets no mine".to_owned());
    }
    for deduction in &analysis.reasons.deductions {
        lines.push(reason(grid, deduction));
    }
    for (tile, is_mine) in &analysis.reasons.unexplained {
        let n = show::arrangements(analysis.probabilities.ln_arrangements());
        let what = verdict(*is_mine);
        lines.push(format!("{what} {}: in all {n}", show::name(grid, *tile)));
    }
    for pair in &analysis.fifty_fifties {
        let [one, other] = [&pair.one, &pair.other].map(|tiles| show::names(grid, tiles));
        lines.push(format!(
            "50/50: mines on {one}, or on {other}; nothing will tell"
        ));
    }
    for (name, next) in &analysis.guesses {
        let mut line = format!("{name}: {}", show::reason(knowledge, next));
        if let Some(chance) = analysis.chance(next.action.tile()) {
            let _ = write!(line, ", wins {}", percent(chance));
        }
        lines.push(line);
    }
    lines.extend(analysis.best.map(|best| advice(grid, &best)));
    if let Err(problem) = &analysis.chances {
        lines.push(format!("chance to win unknown: {problem}"));
    }
    lines
}

/// The tile to uncover, in words.
fn advice(grid: &Grid, best: &Advice) -> String {
    let mut text = match (best.chance, best.rule) {
        (Some(_), _) => "best by complete search".to_owned(),
        (None, Rule::Certain) => "best".to_owned(),
        (None, Rule::Guess) => "best first tile".to_owned(),
        (None, rule) => format!("best by {rule}"),
    };
    let _ = write!(text, ": {}, ", show::name(grid, best.tile));
    if best.risk <= 0.0 {
        text.push_str("safe");
    } else {
        let _ = write!(text, "a mine at {:.1} %", 100.0 * best.risk);
    }
    if let Some(chance) = best.chance {
        let _ = write!(text, "; the best play wins {}", percent(chance));
    }
    text
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
    said(verdict(deduction.is_mine), grid, deduction)
}

/// What a deduction leads to, as what to do.
pub(super) fn advised(grid: &Grid, deduction: &Deduction) -> String {
    let what = if deduction.is_mine { "mark" } else { "uncover" };
    said(what, grid, deduction)
}

fn said(what: &str, grid: &Grid, deduction: &Deduction) -> String {
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
