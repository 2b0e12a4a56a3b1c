//! Fitting the one-ply player model: Newton's method and the others to the same maximum.

use kibitz_stats::{BfgsOptions, ChoiceSets, ConditionalLogit, HillClimbOptions, NewtonOptions};
use rand::{RngExt, distr::Open01};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use serde::Deserialize;

use super::{Answer, Workload};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// How many choice sets.
    sets: u32,
    /// How many alternatives each has.
    alternatives: usize,
    seed: u64,
}

pub(crate) struct LogitFit {
    sets: ChoiceSets,
}

/// The weights of the simulated player, near those inferred for grandmasters.
const TRUTH: [f64; 2] = [0.5, 0.025];

impl LogitFit {
    /// Simulated decisions: material mostly unchanged, mobility spread around zero, the choice
    /// drawn by the model with the weights [`TRUTH`] (the largest of values plus Gumbel noise).
    pub(crate) fn prepare(params: &Params) -> anyhow::Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
        let mut builder = ChoiceSets::builder(2);
        let mut rows = Vec::new();
        for set in 0..params.sets {
            rows.clear();
            let (mut best, mut chosen) = (f64::NEG_INFINITY, 0);
            for alternative in 0..params.alternatives {
                let material = [0, 0, 0, 0, 0, 0, 0, 1, 3, -3][rng.random_range(0..10_usize)];
                let mobility = rng.random_range(-20..=20_i16);
                rows.extend([material, mobility]);
                let gumbel = -(-rng.sample::<f64, _>(Open01).ln()).ln();
                let value =
                    TRUTH[0] * f64::from(material) + TRUTH[1] * f64::from(mobility) + gumbel;
                if value > best {
                    (best, chosen) = (value, alternative);
                }
            }
            builder.push_flat(set / 80, chosen, &rows)?;
        }
        Ok(Self {
            sets: builder.build(),
        })
    }
}

impl Workload for LogitFit {
    fn unit(&self) -> &'static str {
        "choice sets"
    }

    fn n_items(&self) -> u64 {
        self.sets.len() as u64
    }

    fn run(&self, engine: &str) -> anyhow::Result<Answer> {
        let model = ConditionalLogit::new(&self.sets);
        let start = [0.0, 0.0];
        let fit = match engine {
            "newton" => model.fit_newton(&start, &NewtonOptions::default())?,
            "bfgs" => model.fit_bfgs(&start, &BfgsOptions::default())?,
            "hill-climb" => model.fit_hill_climb(&start, &HillClimbOptions::default())?,
            _ => anyhow::bail!("newton, bfgs and hill-climb are known"),
        };
        anyhow::ensure!(fit.converged(), "the fit ended with {:?}", fit.stop);
        // Six decimals: the methods agree to that.
        let rounded = |weight: f64| (weight * 1e6).round() / 1e6;
        Ok(Answer::from([
            ("material".to_owned(), rounded(fit.weights[0])),
            ("mobility".to_owned(), rounded(fit.weights[1])),
        ]))
    }
}
