//! The columns of a player's fit, for models of any depth.

use kibitz_experiment::{CellError, Context};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{four_ply, no_maximum};
use kibitz_stats::{
    ChoiceSets, ConditionalLogit, DVector, Fit, NewtonOptions, NoMaximum,
    inference::clustered_covariance, optimize::Differentiable, soft_minimax::SoftMinimax,
    split::k_fold,
};

use crate::player_games::{CellSession, Optimizer};

/// The likelihood of a player's decisions, of some of his games or all.
pub(super) trait Likelihood: Sized {
    /// Number of decisions.
    fn n_choices(&self) -> u64;

    /// The games, by their groups.
    fn games(&self) -> Vec<u32>;

    /// That of the decisions in some games.
    fn of_games(&self, games: &[u32]) -> Self;

    /// Bits if all moves are equally likely.
    fn uniform_bits(&self) -> f64;

    /// Bits under weights.
    fn bits(&self, weights: &[f64]) -> f64;

    /// The maximum; the fit is called `name` within the cell.
    fn fit(&self, name: &str, ctx: &Context<'_>) -> Result<Fit, CellError>;

    /// The maximum from a start close to it.
    fn fit_from(&self, start: &[f64], name: &str, ctx: &Context<'_>) -> Result<Fit, CellError>;

    /// Why the end of a fit is no maximum.
    fn no_maximum(&self, fit: &Fit) -> Option<NoMaximum>;

    /// The gradient of every game.
    fn scores(&self, weights: &[f64]) -> Vec<DVector<f64>>;
}

impl Likelihood for ChoiceSets {
    fn n_choices(&self) -> u64 {
        self.n_choices()
    }

    fn games(&self) -> Vec<u32> {
        self.groups()
    }

    fn of_games(&self, games: &[u32]) -> Self {
        self.by_groups(games)
    }

    fn uniform_bits(&self) -> f64 {
        ConditionalLogit::new(self).uniform_bits()
    }

    fn bits(&self, weights: &[f64]) -> f64 {
        ConditionalLogit::new(self).bits(weights)
    }

    fn fit(&self, _: &str, _: &Context<'_>) -> Result<Fit, CellError> {
        Optimizer::Newton.fit(ConditionalLogit::new(self))
    }

    fn fit_from(&self, start: &[f64], _: &str, _: &Context<'_>) -> Result<Fit, CellError> {
        let model = ConditionalLogit::new(self);
        Ok(model.fit_newton(start, &NewtonOptions::default())?)
    }

    fn no_maximum(&self, fit: &Fit) -> Option<NoMaximum> {
        ConditionalLogit::new(self).no_maximum(&fit.weights, fit.stop)
    }

    fn scores(&self, weights: &[f64]) -> Vec<DVector<f64>> {
        let score = |&game: &u32| {
            let game = self.by_groups(&[game]);
            let model = ConditionalLogit::new(&game);
            model.first_order(weights).gradient
        };
        self.groups().iter().map(score).collect()
    }
}

impl Likelihood for SoftMinimax<'_> {
    fn n_choices(&self) -> u64 {
        self.n_choices()
    }

    fn games(&self) -> Vec<u32> {
        // Those of a game follow one another.
        let mut games: Vec<u32> = self.trees().groups().collect();
        games.dedup();
        games
    }

    fn of_games(&self, games: &[u32]) -> Self {
        self.by_groups(games)
    }

    fn uniform_bits(&self) -> f64 {
        self.uniform_bits()
    }

    fn bits(&self, weights: &[f64]) -> f64 {
        self.bits(weights)
    }

    fn fit(&self, name: &str, ctx: &Context<'_>) -> Result<Fit, CellError> {
        Ok(four_ply::fit(self, 1, &CellSession(ctx), name)?.fit)
    }

    fn fit_from(&self, start: &[f64], name: &str, ctx: &Context<'_>) -> Result<Fit, CellError> {
        let starts = [start.to_vec()];
        Ok(four_ply::fit_from(&starts, self, &CellSession(ctx), name)?.fit)
    }

    fn no_maximum(&self, fit: &Fit) -> Option<NoMaximum> {
        self.no_maximum(&fit.weights, fit.stop)
    }

    fn scores(&self, weights: &[f64]) -> Vec<DVector<f64>> {
        self.group_scores(weights).into_values().collect()
    }
}

/// The columns of a player's fit.
pub(super) struct Figures<'a> {
    /// The attributes of the weights.
    pub(super) attributes: &'a [Attribute],
    /// Number of cross-validation folds.
    pub(super) folds: u32,
    /// Their seed.
    pub(super) seed: u64,
}

impl Figures<'_> {
    /// Each weight with its error; then bits per move when all moves are equally likely, under the
    /// fitted weights, and held out.
    pub(super) fn of<L: Likelihood>(
        &self,
        name: &str,
        likelihood: &L,
        ctx: &Context<'_>,
    ) -> Result<Vec<Option<f64>>, CellError> {
        let n_moves = likelihood.n_choices() as f64;
        let random = likelihood.uniform_bits() / n_moves;
        let without = || {
            let weights = vec![None; 2 * self.attributes.len()];
            let bits = [Some(random), None, None];
            Ok(weights.into_iter().chain(bits).collect())
        };
        let fit = likelihood.fit(name, ctx)?;
        if let Some(why) = likelihood.no_maximum(&fit) {
            ctx.warn(no_maximum(name, &why, self.attributes));
            return without();
        }
        let Some(covariance) = &fit.covariance else {
            ctx.warn(format!("{name}: the maximum has no standard errors"));
            return without();
        };
        let scores = likelihood.scores(&fit.weights);
        let clustered = clustered_covariance(covariance, &scores)?;
        let mut held_out = 0.0;
        let games = likelihood.games();
        let folds = k_fold(&games, self.folds as usize, self.seed)?;
        for (number, fold) in (1..).zip(folds) {
            ctx.check()?;
            let training = likelihood.of_games(&fold.train);
            let of_fold =
                training.fit_from(&fit.weights, &format!("{name}, fold {number}"), ctx)?;
            if let Some(why) = training.no_maximum(&of_fold) {
                let name = format!("{name}, a fold");
                ctx.warn(no_maximum(&name, &why, self.attributes));
                return without();
            }
            held_out += likelihood.of_games(&fold.test).bits(&of_fold.weights);
        }
        let errors = clustered.diagonal();
        let weights = fit.weights.iter().zip(errors.iter());
        let weights = weights.flat_map(|(weight, variance)| [*weight, variance.sqrt()]);
        let bits = [
            random,
            likelihood.bits(&fit.weights) / n_moves,
            held_out / n_moves,
        ];
        Ok(weights.chain(bits).map(Some).collect())
    }
}
