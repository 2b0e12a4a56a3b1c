//! Analysis of a position: certain tiles with reasons, 50/50s, and guesses with their probabilities.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use crate::{
    deduction::{Deducer, FiftyFifty, Reasons, fifty_fifties},
    grid::Tile,
    knowledge::Knowledge,
    optimum::{NoOptimum, Optimum, WinChance},
    player::{Move, Rule},
    players::PlayerName,
    probability::{NoProbabilities, Probabilities, Solver},
};

/// An analysis of a position; marks count as mines.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The probability of every mine.
    pub probabilities: Probabilities,
    /// Certain tiles, with reasons.
    pub reasons: Reasons,
    /// Guesses that cannot be avoided.
    pub fifty_fifties: Vec<FiftyFifty>,
    /// The tile that each player but the random one would uncover with all certain mines marked, where nothing
    /// is certainly safe.
    pub guesses: Vec<(PlayerName, Move)>,
    /// The chance to win by each covered tile and the best play after it, where it can be had.
    pub chances: Result<Vec<(Tile, WinChance)>, NoOptimum>,
    /// The tile to uncover next; `None` if the game is won.
    pub best: Option<Advice>,
}

/// The tile to uncover next.
///
/// If complete search is possible: the greatest probability to win, then a safe tile, then the least risk,
/// then the first row and column. Otherwise the first safe tile, or the tile that the player `look-ahead` would
/// uncover with all certain mines marked. It is never a risk if there is a safe tile: uncovering that costs
/// nothing, so no other tile wins more often. It is never a certain mine.
///
/// # Examples
/// ```
/// use kibitz_minesweeper::{Advice, Knowledge};
///
/// let position = Knowledge::from_text("3x2/2\n..1\n..F\n")?;
/// let advice = Advice::new(&position)?.ok_or("won already")?;
/// // Each tile wins half of the games: the two on the right are safe.
/// assert_eq!((advice.tile, advice.risk), (1, 0.0));
/// assert_eq!(advice.chance.map(|chance| (chance.won, chance.of)), Some((1, 2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// The tile.
    pub tile: Tile,
    /// The probability of a mine on it; zero if the first click is protected.
    pub risk: f64,
    /// The chance to win by it and the best play after it, where complete search finds it.
    pub chance: Option<WinChance>,
    /// The reason for the tile: [`Rule::Certain`] if it is safe, [`Rule::Endgame`] by complete search, else
    /// the rule of the player.
    pub rule: Rule,
}

impl Advice {
    /// The tile to uncover next; `None` if the game is won. Marks count as mines.
    ///
    /// # Errors
    /// [`NoProbabilities`], as [`Solver::solve`].
    pub fn new(knowledge: &Knowledge) -> Result<Option<Self>, NoProbabilities> {
        let mut solver = Solver::new();
        let probabilities = solver.solve(knowledge)?;
        let best = Optimum::default().best(knowledge).ok().flatten();
        Ok(Self::by(knowledge, probabilities, best))
    }

    /// The advice with the best tile by complete search, if there is one.
    fn by(
        knowledge: &Knowledge,
        probabilities: &Probabilities,
        best: Option<(Tile, WinChance)>,
    ) -> Option<Self> {
        if knowledge.is_won() {
            return None;
        }
        let advice = |tile, chance, rule| {
            let risk = probabilities.mine(tile);
            let rule = if risk <= 0.0 { Rule::Certain } else { rule };
            Self {
                tile,
                risk,
                chance,
                rule,
            }
        };
        if let Some((tile, chance)) = best {
            return Some(advice(tile, Some(chance), Rule::Endgame));
        }
        // Where the first click is protected, every tile is safe, and the player knows where to begin.
        let mut safe = knowledge.covered();
        let safe = safe.find(|tile| probabilities.mine(*tile) <= 0.0);
        if let Some(tile) = safe.filter(|_| !knowledge.is_protected()) {
            return Some(advice(tile, None, Rule::Certain));
        }
        let marked = with_mines_marked(knowledge, probabilities);
        let next = hint(&marked, PlayerName::LookAhead)?;
        Some(advice(next.action.tile(), None, next.rule))
    }
}

/// The move that a player would make, with random choices seeded by zero; `None` if there is none.
pub fn hint(knowledge: &Knowledge, player: PlayerName) -> Option<Move> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    player.player().choose(knowledge, &mut rng)
}

/// The position with a mark on every certain mine: players who mark have nothing left but to uncover.
fn with_mines_marked(knowledge: &Knowledge, probabilities: &Probabilities) -> Knowledge {
    let mut marked = knowledge.clone();
    for tile in knowledge.covered() {
        if probabilities.mine(tile) >= 1.0 {
            marked.mark(tile);
        }
    }
    marked
}

impl Analysis {
    /// Analyses a position.
    ///
    /// # Errors
    /// [`NoProbabilities`], as [`Solver::solve`].
    pub fn new(knowledge: &Knowledge) -> Result<Self, NoProbabilities> {
        let mut solver = Solver::new();
        let probabilities = solver.solve(knowledge)?.clone();
        let reasons = Deducer::new().reasons(knowledge)?;
        let is_open = !knowledge.is_won();
        let mut covered = knowledge.covered();
        let has_safe = covered.any(|tile| probabilities.mine(tile) <= 0.0);
        // The random player has no best guess.
        let players = PlayerName::ALL
            .into_iter()
            .filter(|name| *name != PlayerName::Random);
        let guesses = players.filter(|_| is_open && !has_safe);
        let marked = with_mines_marked(knowledge, &probabilities);
        let mut optimum = Optimum::default();
        let chances = optimum.tiles(knowledge);
        let found = chances.as_deref().unwrap_or_default();
        let best = optimum.preferred(knowledge, found);
        Ok(Self {
            best: Advice::by(knowledge, &probabilities, best),
            fifty_fifties: fifty_fifties(knowledge, &probabilities, &mut solver)?,
            guesses: guesses
                .filter_map(|name| Some((name, hint(&marked, name)?)))
                .collect(),
            chances,
            probabilities,
            reasons,
        })
    }

    /// The chance to win by this tile and the best play after it, if it is known.
    pub fn chance(&self, tile: Tile) -> Option<WinChance> {
        let chances = self.chances.as_ref().ok()?;
        let found = chances.iter().find(|(other, _)| *other == tile);
        found.map(|(_, chance)| *chance)
    }
}
