//! Which of several players made the moves of a game.

use std::f64::consts::LN_2;

use kibitz_stats::{
    SampleError,
    inference::{MIN_CLUSTERS, student_interval, wald_interval},
    soft_minimax::{SoftMinimax, Trees},
};

use crate::JudgedChoice;

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

/// Posterior probabilities of players, from the bits that the same moves cost under each model, the
/// factor by which differences of bits are believed ([`Temper::factor`]), and the priors:
/// `2^(-factor bits)` times the prior, normalized.
///
/// # Examples
/// ```
/// use kibitz_players::attribution::posterior;
/// assert!((posterior(&[10.0, 11.0], 1.0, &[0.5, 0.5])[0] - 2.0 / 3.0).abs() < 1e-12);
/// assert!((posterior(&[10.0, 14.0], 0.25, &[0.5, 0.5])[0] - 2.0 / 3.0).abs() < 1e-12);
/// ```
pub fn posterior(bits: &[f64], factor: f64, priors: &[f64]) -> Vec<f64> {
    let logs = bits.iter().zip(priors);
    let logs = logs.map(|(bits, prior)| prior.ln() - factor * bits * LN_2);
    let mut posterior: Vec<f64> = logs.collect();
    kibitz_search::player::softmax(&mut posterior);
    posterior
}

/// How many games make the better of two players the likelier one in `certainty` of all cases, where
/// the evidence of a game has this mean and this standard deviation: the mean over so many games is
/// then above zero with that probability, by the normal distribution.
///
/// Infinite where the mean is not positive.
///
/// # Errors
/// [`SampleError`] for a certainty that is not between 0.5 and 1.
///
/// # Examples
/// ```
/// use kibitz_players::attribution::games_for;
/// assert_eq!(games_for(0.95, 0.0416, 0.599)?, 561.0);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn games_for(certainty: f64, mean: f64, spread: f64) -> Result<f64, SampleError> {
    // One tail is left: that in which the other player seems the likelier.
    let quantile = wald_interval(0.0, 1.0, 2.0 * certainty - 1.0)?.high;
    if mean > 0.0 {
        Ok((quantile * spread / mean).powi(2).ceil())
    } else {
        Ok(f64::INFINITY)
    }
}

/// What the moves of one side of a game, or of several games, say of some models.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The moves.
    pub moves: usize,
    /// What they cost under each model, in bits.
    pub bits: Vec<f64>,
    /// The Kullback-Leibler divergences of their probabilities in both directions, in nats: the sum over
    /// the positions and over all pairs of models. For two models twice the evidence to be expected
    /// for the one that is right.
    pub divergence: f64,
}

impl Evidence {
    /// No moves, of so many models.
    pub fn none(models: usize) -> Self {
        Self {
            moves: 0,
            bits: vec![0.0; models],
            divergence: 0.0,
        }
    }

    /// Adds a move by what each model says of it.
    pub fn add(&mut self, judged: &[JudgedChoice]) {
        self.moves += 1;
        for (sum, one) in self.bits.iter_mut().zip(judged) {
            // A probability too small for a number is not zero: its bits would outweigh all games.
            *sum -= one.probability().max(f64::MIN_POSITIVE).log2();
        }
        let Some(first) = judged.first() else {
            return;
        };
        // The sum over pairs of `(p - q) (ln p - ln q)`.
        let of_alternative = |alternative: usize| {
            let (mut p, mut ln_p, mut p_ln_p) = (0.0, 0.0, 0.0);
            for one in judged {
                let probability = one.probabilities[alternative].max(f64::MIN_POSITIVE);
                p += probability;
                ln_p += probability.ln();
                p_ln_p += probability * probability.ln();
            }
            judged.len() as f64 * p_ln_p - p * ln_p
        };
        self.divergence += (0..first.probabilities.len())
            .map(of_alternative)
            .sum::<f64>();
    }
}

/// What a fit says of how far its likelihoods are to be believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reliability {
    /// Games that the model was fitted to.
    pub games: f64,
    /// How many times as much games vary as independent moves would make them.
    pub dispersion: f64,
    /// What the errors of the weights cost for each move, in nats: the mean excess of the cost of other
    /// moves of the player over that under his true weights is half of this, and so is the mean
    /// shortfall of the moves fitted to.
    pub error_per_move: f64,
}

/// How much of a difference in bits is to be believed.
///
/// The likelihood of a model takes the moves of a game to be independent and the weights to be known.
/// Neither is so, and the difference of log-likelihoods between two models is too large a number of
/// log-odds. Over games it is about normal, with a mean `m` for one player and `-m` for the other, and
/// a variance `v` for both; the log-odds of such a difference `d` are `2 m / v d`. `2 m` is what the
/// models expect, less what the errors of their weights feign; `v` is what games vary, and what the
/// errors, which are the same in all games, add.
///
/// # Source
/// The adjustment of a likelihood of dependent observations by the ratio of curvature and variance:
/// Pace, Salvan and Sartori 2011, "Adjusting composite likelihood ratio statistics"; the variance
/// against that of independent moves is the dispersion of a quasi-likelihood (Wedderburn 1974).
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Temper {
    /// How many times as much the evidence of games varies as independent moves would make it: the
    /// dispersion of these games and, as if of [`MIN_CLUSTERS`] games more, that of the games fitted to.
    pub dispersion: f64,
    /// The share of the models' difference that is more than errors of their weights, from 0 to 1.
    pub share: f64,
    /// Games that a model was fitted to: the harmonic mean.
    pub fitted: f64,
}

impl Temper {
    /// The temper of models for games.
    pub fn of(models: &[Reliability], games: &[Evidence]) -> Self {
        let mean = |of: &dyn Fn(&Reliability) -> f64| {
            models.iter().map(of).sum::<f64>() / models.len() as f64
        };
        let n = models.len() as f64;
        let expected: f64 = games.iter().map(|game| game.divergence).sum();
        let moves: usize = games.iter().map(|game| game.moves).sum();
        // Every model is in a pair with each of the others.
        let errors = n * (n - 1.0) * mean(&|one| one.error_per_move) * moves as f64;
        let share = if expected > 0.0 {
            (1.0 - errors / expected).max(0.0)
        } else {
            0.0
        };
        let mut dispersion = mean(&|one| one.dispersion);
        if expected > 0.0 {
            // The sum over pairs of the squares of their differences.
            let bits = |model: usize| games.iter().map(move |game| LN_2 * game.bits[model]);
            let each = (0..models.len()).map(|model| squares(&bits(model).collect::<Vec<_>>()));
            let sums = games
                .iter()
                .map(|game| LN_2 * game.bits.iter().sum::<f64>());
            let varied = n * each.sum::<f64>() - squares(&sums.collect::<Vec<_>>());
            // Each sum of squares has one degree less than there are games.
            let of_fits = MIN_CLUSTERS as f64;
            let varied = varied / (expected / games.len() as f64);
            dispersion = (of_fits * dispersion + varied) / (of_fits + games.len() as f64 - 1.0);
        }
        Self {
            dispersion: dispersion.max(1.0),
            share,
            fitted: 1.0 / mean(&|one| 1.0 / one.games),
        }
    }

    /// The factor by which differences of bits over so many games are multiplied, from 0 to 1.
    pub fn factor(&self, games: usize) -> f64 {
        self.share / (self.dispersion * (1.0 + games as f64 / self.fitted))
    }
}

/// The sum of squared differences from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// The evidence of games between two models.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// By index, the model under which the moves cost less, and the other.
    pub between: [usize; 2],
    /// The mean difference of a game in favor of the first, in bits.
    pub mean: f64,
    /// Its standard error.
    pub std_error: f64,
    /// The standard deviation of the difference over games.
    pub spread: f64,
    /// Whether the mean is distinguishable from zero: whether Student's interval that leaves 5% on
    /// either side is above it.
    pub distinguishable: bool,
    /// Games like these that make the first likelier than the second in 95 and in 99 of 100 cases. None
    /// where the mean is not distinguishable from zero, or where the probability of the first of the
    /// two is below 95%, from equal priors: the mean of so few games is then more than the models
    /// lead to expect, and would promise too much.
    pub games_needed: Option<[f64; 2]>,
}

impl Difference {
    /// The difference between the two models under which games cost least, where bits of all games
    /// together are believed by `factor`. `None` of a single game, which does not show how much games
    /// differ, and of models that do not differ at all.
    pub fn of(games: &[Evidence], factor: f64) -> Option<Self> {
        let models = games.first()?.bits.len();
        let total = |model: usize| games.iter().map(|game| game.bits[model]).sum::<f64>();
        let mut order: Vec<(usize, f64)> = (0..models).map(|one| (one, total(one))).collect();
        order.sort_by(|one, other| one.1.total_cmp(&other.1));
        let [(first, _), (second, _), ..] = order[..] else {
            return None;
        };
        let differences = games
            .iter()
            .map(|game| game.bits[second] - game.bits[first]);
        let differences: Vec<f64> = differences.collect();
        let n = differences.len();
        let mean = differences.iter().sum::<f64>() / n as f64;
        let spread = (squares(&differences) / (n as f64 - 1.0)).sqrt();
        if n < 2 || spread <= 0.0 {
            return None;
        }
        let std_error = spread / (n as f64).sqrt();
        let interval = student_interval(mean, std_error, n - 1, 0.9).ok()?;
        let needed = |certainty: f64| games_for(certainty, mean, spread).ok();
        let bits = [0.0, mean * n as f64];
        let distinguishable = interval.low > 0.0;
        let is_believed = distinguishable && posterior(&bits, factor, &[0.5; 2])[0] >= 0.95;
        Some(Self {
            between: [first, second],
            mean,
            std_error,
            spread,
            distinguishable,
            games_needed: is_believed
                .then(|| Some([needed(0.95)?, needed(0.99)?]))
                .flatten(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(bits: [f64; 2], divergence: f64) -> Evidence {
        Evidence {
            moves: 10,
            bits: bits.to_vec(),
            divergence,
        }
    }

    const KNOWN: Reliability = Reliability {
        games: 1e12,
        dispersion: 1.0,
        error_per_move: 0.0,
    };

    /// With independent moves and known weights, bits are what they say.
    #[test]
    fn a_true_likelihood_is_believed() {
        let temper = Temper::of(&[KNOWN; 2], &[game([40.0, 41.0], 0.1)]);
        assert!((temper.factor(1) - 1.0).abs() < 1e-9, "{temper:?}");
    }

    #[test]
    fn games_that_vary_more_are_believed_less() {
        let mut alternating = Vec::new();
        for index in 0..201 {
            alternating.push(game([40.0, if index % 2 == 0 { 42.0 } else { 39.0 }], 0.1));
        }
        let temper = Temper::of(&[KNOWN; 2], &alternating);
        // The variance is 2.25 bits squared, where 0.1 nats squared are expected.
        let given = 1.5 * 1.5 * LN_2 * LN_2 / 0.1;
        let expected = (20.0 + 200.0 * given) / 220.0;
        assert!(
            (temper.dispersion / expected - 1.0).abs() < 0.01,
            "{temper:?}"
        );
    }

    #[test]
    fn errors_of_weights_take_their_share() {
        let errors = Reliability {
            games: 100.0,
            error_per_move: 0.0025,
            ..KNOWN
        };
        let temper = Temper::of(&[errors; 2], &[game([40.0, 41.0], 0.1)]);
        assert!((temper.share - 0.5).abs() < 1e-12);
        // As many games as the models were fitted to vary as much as the errors do.
        assert!((temper.factor(100) - 0.25).abs() < 1e-12);
        let worse = Reliability {
            error_per_move: 0.006,
            ..errors
        };
        let temper = Temper::of(&[worse; 2], &[game([40.0, 41.0], 0.1)]);
        assert!(temper.factor(1).abs() < 1e-12);
    }

    #[test]
    fn the_number_of_games_is_that_of_mean_and_spread() {
        assert!((games_for(0.95, 0.0406, 0.527).unwrap() - 456.0).abs() < 0.5);
        assert!(games_for(0.95, 0.0, 0.5).unwrap().is_infinite());
        let games = [[1.0, 3.0], [3.0, 2.0], [1.0, 2.0]].map(|bits| game(bits, 0.1));
        let difference = Difference::of(&games, 1.0).unwrap();
        assert_eq!(
            (difference.between, difference.games_needed),
            ([0, 1], None)
        );
        assert!((difference.mean - 2.0 / 3.0).abs() < 1e-12);
        let games = [[1.0, 3.0], [3.0, 4.5], [1.0, 2.0]].map(|bits| game(bits, 0.1));
        let told = |factor: f64| Difference::of(&games, factor).unwrap();
        assert_eq!(
            (told(1.0).distinguishable, told(1.0).games_needed),
            (true, Some([1.0, 1.0]))
        );
        // A believed 0.9 bits are no certainty.
        assert_eq!(
            (told(0.2).distinguishable, told(0.2).games_needed),
            (true, None)
        );
        assert_eq!(Difference::of(&games[..1], 1.0), None);
    }
}
