//! Needless guesses: guesses made although another tile was provably safe.

use kibitz_experiment::{CellError, Context, Number, RowOutput};
use kibitz_minesweeper::{Action, Deducer, Difficulty, Knowledge, Move, Tile};
use kibitz_stats::moments::CrossMoments;

/// The places of a game's counts: guesses after the first click, those that were needless, those by the
/// easiest deduction of a safe tile, and whether the game was lost at one.
const LATER: usize = 0;
const NEEDLESS: usize = 1;
const BY_DIFFICULTY: [(&str, Difficulty, usize); 4] = [
    ("by-s-1", Difficulty::Single, 2),
    ("by-sets", Difficulty::Sets, 3),
    ("by-numbers", Difficulty::Numbers, 4),
    ("by-count", Difficulty::MineCount, 5),
];
const LOST: usize = 6;
const N_COUNTS: usize = 7;

/// Judges the guesses of games, and counts them by game.
#[derive(Debug)]
pub(crate) struct NeedlessGuesses {
    deducer: Deducer,
    by_game: CrossMoments,
    /// Counts of the present game.
    counts: [f64; N_COUNTS],
    /// Whether its last move was a needless guess.
    is_needless: bool,
    /// Guesses in positions too complex to judge, which count as needed.
    n_unjudged: u64,
}

impl Default for NeedlessGuesses {
    fn default() -> Self {
        Self {
            deducer: Deducer::new(),
            by_game: CrossMoments::new(N_COUNTS),
            counts: [0.0; N_COUNTS],
            is_needless: false,
            n_unjudged: 0,
        }
    }
}

impl NeedlessGuesses {
    /// Judges a move before it is made. Marked tiles count as mines, and so do unmarked tiles that a
    /// single number proves to be mines.
    pub(crate) fn observe(&mut self, knowledge: &Knowledge, next: &Move) {
        self.is_needless = false;
        let is_guess = matches!(next.action, Action::Uncover(_)) && !next.rule.is_certain();
        if !is_guess || knowledge.first_click().is_some() {
            return;
        }
        self.counts[LATER] += 1.0;
        let mut marked = knowledge.clone();
        mark_mines(&mut marked);
        let Ok(easiest) = self.deducer.easiest_safe(&marked) else {
            self.n_unjudged += 1;
            return;
        };
        for (_, difficulty, place) in BY_DIFFICULTY {
            if easiest == Some(difficulty) {
                self.counts[NEEDLESS] += 1.0;
                self.counts[place] += 1.0;
                self.is_needless = true;
            }
        }
    }

    /// Ends a game.
    pub(crate) fn end_game(&mut self, is_won: bool) -> Result<(), CellError> {
        self.counts[LOST] = f64::from(u8::from(self.is_needless && !is_won));
        self.by_game.push(&self.counts)?;
        self.counts = [0.0; N_COUNTS];
        self.is_needless = false;
        Ok(())
    }

    /// Adds other games.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<(), CellError> {
        self.n_unjudged += other.n_unjudged;
        Ok(self.by_game.merge(&other.by_game)?)
    }

    /// The share, in percent, of one count in another, with its standard error over games.
    fn share(&self, part: usize, whole: usize) -> Option<Number> {
        let whole_mean = self.by_game.mean(whole).filter(|mean| *mean > 0.0)?;
        let ratio = self.by_game.mean(part)? / whole_mean;
        let covariance = |a, b| self.by_game.covariance(a, b);
        let n = self.by_game.n_samples() as f64;
        let mut share = Number::new(100.0 * ratio).with_samples(self.by_game.n_samples());
        share.std_error = covariance(part, part)
            .zip(covariance(part, whole))
            .zip(covariance(whole, whole))
            .map(|((parts, both), wholes)| parts - 2.0 * ratio * both + ratio * ratio * wholes)
            .map(|variance| 100.0 * (variance.max(0.0) / n).sqrt() / whole_mean);
        Some(share)
    }

    /// The mean of a count over games, times a factor.
    fn mean(&self, count: usize, factor: f64) -> Option<Number> {
        let n = self.by_game.n_samples();
        let variance = self.by_game.covariance(count, count);
        let mean = self.by_game.mean(count)?;
        Some(Number {
            std_error: variance.map(|variance| factor * (variance / n as f64).sqrt()),
            ..Number::new(factor * mean).with_samples(n)
        })
    }

    /// Sets the columns from `later-guesses` to `lost-needlessly`.
    pub(crate) fn set(&self, row: &mut RowOutput<'_>, ctx: &Context<'_>, name: &str) {
        if self.n_unjudged > 0 {
            let n = self.n_unjudged;
            ctx.warn(format!(
                "{name}: {n} guesses in positions too complex to judge"
            ));
        }
        let shares = BY_DIFFICULTY.map(|(column, _, place)| (column, self.share(place, LATER)));
        let columns = [
            ("later-guesses", self.mean(LATER, 1000.0)),
            ("needless", self.share(NEEDLESS, LATER)),
        ];
        let lost = [("lost-needlessly", self.mean(LOST, 100.0))];
        for (column, value) in columns.into_iter().chain(shares).chain(lost) {
            if let Some(value) = value {
                row.set(column, value);
            }
        }
    }
}

/// Marks the mines that single numbers show, by the marks that they show: rule M-1, as far as it goes.
fn mark_mines(knowledge: &mut Knowledge) {
    let grid = knowledge.grid().clone();
    let mut has_changed = true;
    while std::mem::take(&mut has_changed) {
        for number in 0..grid.n_tiles() {
            let covered = grid.neighbors(number);
            let covered = covered.filter(|near| knowledge.is_covered(*near));
            let covered: Vec<Tile> = covered.collect();
            let n_mines = knowledge.mines_around(number).map(usize::try_from);
            if !covered.is_empty() && n_mines == Some(Ok(covered.len())) {
                has_changed = true;
                for mine in covered {
                    knowledge.mark(mine);
                }
            }
        }
    }
}
