//! Agreement with independent implementations: numpy, scipy and statsmodels.
//!
//! `data/reference.py` makes the data and the expected values and tells with which versions.

use kibitz_stats::inference::{wald_interval, wilson_interval};
use kibitz_stats::optimize::Differentiable;
use kibitz_stats::summary::{mean, quantile, std_dev};
use kibitz_stats::{ChoiceSets, ConditionalLogit, NewtonOptions, StopReason};

/// The lines of a fixture after its comment, each split at the commas.
fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(',').collect())
}

fn expected(name: &str) -> Vec<f64> {
    lines(include_str!("data/expected.csv"))
        .find(|line| line[0] == name)
        .unwrap_or_else(|| panic!("no reference value is named {name}"))[1..]
        .iter()
        .map(|text| number(text))
        .collect()
}

/// Compares with the reference values of that name, relative to their size.
fn check(name: &str, found: &[f64], tolerance: f64) {
    let expected = expected(name);
    assert_eq!(found.len(), expected.len(), "{name}");
    for (found, expected) in found.iter().zip(&expected) {
        let error = (found - expected).abs();
        assert!(
            error <= tolerance * expected.abs().max(1e-3),
            "{name}: {found}, not {expected}"
        );
    }
}

fn number(text: &str) -> f64 {
    text.parse().expect("fixtures hold numbers")
}

fn choices() -> ChoiceSets {
    let rows: Vec<_> = lines(include_str!("data/choices.csv")).skip(1).collect();
    let mut builder = ChoiceSets::builder(3);
    for set in rows.chunk_by(|left, right| left[0] == right[0]) {
        let group = set[0][1].parse().expect("groups are whole numbers");
        let chosen = set
            .iter()
            .position(|row| row[2] == "1")
            .expect("one was chosen");
        let attributes: Vec<Vec<f64>> = set
            .iter()
            .map(|row| row[3..].iter().map(|text| number(text)).collect())
            .collect();
        builder
            .push(group, chosen, attributes.iter().map(Vec::as_slice))
            .expect("fixtures are sound");
    }
    builder.build()
}

fn sample(name: &str) -> Vec<f64> {
    let mut rows = lines(include_str!("data/samples.csv"));
    let header = rows.next().expect("the first line names the samples");
    let column = header.iter().position(|&sample| sample == name);
    let column = column.expect("the sample is one of those named");
    rows.map(|row| number(row[column])).collect()
}

#[test]
fn conditional_logit() {
    let sets = choices();
    let model = ConditionalLogit::new(&sets);
    let fit = model
        .fit_newton(&[0.0; 3], &NewtonOptions::default())
        .unwrap();
    assert_eq!(
        (sets.len(), sets.groups().len(), fit.stop),
        (150, 30, StopReason::Converged)
    );
    check("logit weights", &fit.weights, 1e-11);
    check("logit log-likelihood", &[fit.log_likelihood], 1e-13);
    check("logit std errors", &fit.std_errors.unwrap(), 1e-11);
    check("logit uniform bits", &[model.uniform_bits()], 1e-13);
    let elsewhere = model.first_order(&[0.3, -0.1, 1.0]);
    check(
        "logit log-likelihood at 0.3 -0.1 1",
        &[elsewhere.value],
        1e-13,
    );
    check(
        "logit gradient at 0.3 -0.1 1",
        elsewhere.gradient.as_slice(),
        1e-12,
    );
}

#[test]
fn summaries() {
    for name in ["normal", "wide", "skewed"] {
        let values = sample(name);
        check(&format!("mean {name}"), &[mean(&values).unwrap()], 1e-13);
        let std_dev = std_dev(&values).unwrap();
        check(&format!("std dev {name}"), &[std_dev], 1e-12);
        let quantiles = [0.0, 0.1, 0.25, 0.5, 0.975, 1.0].map(|p| quantile(&values, p).unwrap());
        check(&format!("quantiles {name}"), &quantiles, 1e-13);
    }
}

#[test]
fn intervals() {
    for (successes, trials, level) in [(7, 50, 0.95), (0, 12, 0.9), (499, 500, 0.99)] {
        let interval = wilson_interval(successes, trials, level).unwrap();
        check(
            &format!("wilson {successes} {trials} {level}"),
            &[interval.low, interval.high],
            1e-10,
        );
    }
    for level in [0.5, 0.95, 0.999] {
        let interval = wald_interval(2.0, 0.25, level).unwrap();
        check(
            &format!("wald {level}"),
            &[interval.low, interval.high],
            1e-10,
        );
    }
}
