//! What can be said of a position: what is certain and why, 50/50s, and guesses with their chances.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use crate::{
    deduction::{Deducer, FiftyFifty, Reasons, fifty_fifties},
    grid::Tile,
    knowledge::Knowledge,
    optimum::{NoOptimum, Optimum, WinChance},
    player::Move,
    players::PlayerName,
    probability::{NoProbabilities, Probabilities, Solver},
};

/// An analysis of a position; marks count as mines.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The probability of every mine.
    pub probabilities: Probabilities,
    /// What is certain, and why.
    pub reasons: Reasons,
    /// Guesses that cannot be avoided.
    pub fifty_fifties: Vec<FiftyFifty>,
    /// The guess of each player but the random one, where nothing is certainly safe.
    pub guesses: Vec<(PlayerName, Move)>,
    /// The chance to win by each covered tile and the best play after it, where it can be had.
    pub chances: Result<Vec<(Tile, WinChance)>, NoOptimum>,
}

/// The move that a player would make, with random choices seeded by zero; `None` if there is none.
pub fn hint(knowledge: &Knowledge, player: PlayerName) -> Option<Move> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    player.player().choose(knowledge, &mut rng)
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
    pub fn chance(&self, tile: Tile) -> Option<WinChance> {
        let chances = self.chances.as_ref().ok()?;
        let found = chances.iter().find(|(other, _)| *other == tile);
        found.map(|(_, chance)| *chance)
    }

    /// The tile with the greatest chance to win, if it is known.
    pub fn best(&self) -> Option<(Tile, WinChance)> {
        let chances = self.chances.as_ref().ok()?.iter().copied();
        chances.reduce(|best, next| {
            let is_better = next.1.get() > best.1.get() + f64::EPSILON;
            if is_better { next } else { best }
        })
    }
}
