//! Cross-validates a conditional logit model: fits it to some games of a simulated player, and codes
//! the moves of the other games with it.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use kibitz_stats::{ChoiceSets, ConditionalLogit, inference::wald_interval, split::k_fold};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The player's true weights of two attributes.
const TRUTH: [f64; 2] = [1.0, -0.2];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sets = simulate(50, 40)?;
    for fold in k_fold(&sets.groups(), 5, 1)? {
        let (train, test) = (sets.by_groups(&fold.train), sets.by_groups(&fold.test));
        let fit = ConditionalLogit::new(&train).fit()?;
        let std_errors = fit
            .std_errors
            .as_ref()
            .ok_or("the likelihood has a maximum")?;
        let interval = wald_interval(fit.weights[0], std_errors[0], 0.95)?;
        println!(
            "first weight {:.2} ({:.2} to {:.2}), held-out choices cost {:.1}% of what the uniform code takes",
            fit.weights[0],
            interval.low,
            interval.high,
            ConditionalLogit::new(&test).compression_percent(&fit.weights),
        );
    }
    Ok(())
}

/// Choices among eight alternatives, in games of `n_moves` each.
fn simulate(n_games: u32, n_moves: u32) -> Result<ChoiceSets, kibitz_stats::ChoiceError> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut builder = ChoiceSets::builder(2);
    for decision in 0..n_games * n_moves {
        let rows: Vec<i16> = (0..16).map(|_| rng.random_range(-4..=4)).collect();
        let weigh = |row: &[i16]| f64::from(row[0]) * TRUTH[0] + f64::from(row[1]) * TRUTH[1];
        let exps: Vec<f64> = rows.chunks_exact(2).map(|row| weigh(row).exp()).collect();
        let mut left = rng.random::<f64>() * exps.iter().sum::<f64>();
        let chosen = exps.iter().position(|exp| {
            left -= exp;
            left < 0.0
        });
        builder.push_flat(decision / n_moves, chosen.unwrap_or(7), &rows)?;
    }
    Ok(builder.build())
}
