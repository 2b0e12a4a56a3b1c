//! Which of three variables explains a fourth, from a stream of observations in constant memory.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use kibitz_stats::{
    moments::CrossMoments,
    regression::{LeastSquares, forward_selection},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut moments = CrossMoments::new(4);
    for _ in 0..10_000 {
        let [a, b, noise]: [f64; 3] = [rng.random(), rng.random(), rng.random()];
        // The third says little that the first does not.
        let c = a + 0.1 * rng.random::<f64>();
        moments.push(&[a, b, c, 2.0 * a - b + noise])?;
    }
    for entry in forward_selection(&moments, &[0, 1, 2], 3, 4.0)? {
        println!(
            "variable {} enters with F {:.0}; {:.1}% of the variance are explained then",
            entry.variable,
            entry.f_to_enter,
            100.0 * entry.r_squared
        );
    }
    let fit = LeastSquares::of_moments(&moments, &[0, 1], 3)?;
    println!(
        "{:.2?} with standard errors {:.3?}",
        fit.coefficients, fit.std_errors
    );
    Ok(())
}
