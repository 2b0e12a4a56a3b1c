//! The likelihood ratio test of Clark and Niblett.

/// Twice the logarithm of how much likelier these counts are under their own shares than under the
/// prior probability of positive examples.
pub(super) fn likelihood_ratio(counts: [usize; 2], prior: f64) -> f64 {
    let [p, n] = counts.map(|count| count as f64);
    let part = |count: f64, prior: f64| {
        if count > 0.0 {
            count * (count / (p + n) / prior).ln()
        } else {
            0.0
        }
    };
    2.0 * (part(p, prior) + part(n, 1.0 - prior))
}

/// The probability that a chi-square variable of one degree of freedom is below `x`: the error
/// function of √(x/2), by its series of positive terms.
pub(super) fn chi_square(x: f64) -> f64 {
    let z = (x.max(0.0) / 2.0).sqrt();
    if z > 6.0 {
        return 1.0;
    }
    let (mut term, mut sum, mut k) = (z, 0.0, 1.0);
    while term > 1e-17 * sum {
        sum += term;
        k += 2.0;
        term *= 2.0 * z * z / k;
    }
    sum * (-z * z).exp() * std::f64::consts::FRAC_2_SQRT_PI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_tables() {
        for (x, probability) in [
            (0.0, 0.0),
            (0.454_936, 0.5),
            (3.841_46, 0.95),
            (6.634_9, 0.99),
        ] {
            assert!((chi_square(x) - probability).abs() < 1e-5, "{x}");
        }
        assert!(chi_square(71.9) <= 1.0 && chi_square(71.9) > 0.999_999);
        // All of 4 positive examples and none of 543 negative ones.
        let ratio = likelihood_ratio([4, 0], 4.0 / 547.0);
        assert!((ratio - 8.0 * (547.0_f64 / 4.0).ln()).abs() < 1e-9);
        assert!(likelihood_ratio([2, 6], 0.25).abs() < 1e-12);
    }
}
