//! Which of several players made the moves of a game.

use std::f64::consts::LN_2;

use kibitz_stats::soft_minimax::{SoftMinimax, Trees};

/// Counts of attributed games.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Games judged.
    pub games: u64,
    /// Games given to who played them.
    pub right: u64,
    /// Sum of the log-likelihood ratios in favor of the player who played, in bits.
    pub evidence: f64,
}

impl Tally {
    /// Adds a game whose log-likelihood ratio in favor of who played it is `nats`.
    pub fn add(&mut self, nats: f64) {
        self.games += 1;
        self.right += u64::from(nats > 0.0);
        self.evidence += nats / LN_2;
    }

    /// Share of games given to who played them, in percent.
    pub fn percent(self) -> f64 {
        100.0 * self.right as f64 / self.games as f64
    }
}

/// Log-likelihood ratio, in nats, of each of `games` under a player's own weights against another's:
/// positive where the moves speak for the player.
///
/// `likelihood` is of `trees`; `own` and `other` have a weight per attribute.
pub fn ratios(
    likelihood: &SoftMinimax<'_>,
    trees: &Trees,
    games: &[u32],
    own: &[f64],
    other: &[f64],
) -> Vec<f64> {
    let tested = likelihood.by_groups(games);
    let own = tested.log_likelihoods(own);
    let other = tested.log_likelihoods(other);
    let ratio = |&game: &u32| {
        let moves = trees.groups().zip(own.iter().zip(&other));
        let of_game = moves.filter(|(group, _)| *group == game);
        of_game.map(|(_, (own, other))| own - other).sum()
    };
    games.iter().map(ratio).collect()
}

/// Posterior probabilities of players, from the bits that the same moves cost under each model and
/// the priors: `2^-bits` times the prior, normalized.
///
/// # Examples
/// ```
/// use kibitz_players::attribution::posterior;
/// let posterior = posterior(&[10.0, 11.0], &[0.5, 0.5]);
/// assert!((posterior[0] - 2.0 / 3.0).abs() < 1e-12);
/// ```
pub fn posterior(bits: &[f64], priors: &[f64]) -> Vec<f64> {
    let logs = bits.iter().zip(priors);
    let mut posterior: Vec<f64> = logs.map(|(bits, prior)| prior.ln() - bits * LN_2).collect();
    kibitz_search::player::softmax(&mut posterior);
    posterior
}

/// How many games like these would give the better of two players a posterior of `certainty`, from
/// equal priors; `evidence` is the mean bits by which one is the better in a game.
///
/// Infinite where the games do not tell them apart.
pub fn games_for(certainty: f64, evidence: f64) -> f64 {
    ((certainty / (1.0 - certainty)).log2() / evidence.max(0.0)).ceil()
}
