//! Least squares, forward selection and moments against numpy, to 1e-9.
//!
//! `data/regression.py` makes the data and the expected values and tells how and with which version.

use kibitz_stats::{
    moments::{CrossMoments, PairedMoments},
    regression::{Constant, LeastSquares, forward_selection},
};

const N_VARIABLES: usize = 5;
const TARGET: usize = 5;

fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(',').collect())
}

fn number(text: &str) -> f64 {
    text.parse().expect("fixtures hold numbers")
}

fn columns() -> Vec<Vec<f64>> {
    let rows: Vec<_> = lines(include_str!("data/regression.csv")).skip(1).collect();
    (0..=TARGET)
        .map(|column| rows.iter().map(|row| number(row[column])).collect())
        .collect()
}

fn moments() -> CrossMoments {
    let columns = columns();
    let mut moments = CrossMoments::new(columns.len());
    for row in 0..columns[0].len() {
        let values: Vec<f64> = columns.iter().map(|column| column[row]).collect();
        moments.push(&values).expect("fixtures are sound");
    }
    moments
}

/// Compares with the reference values of that name, relative to their size.
fn check(name: &str, found: &[f64]) {
    let expected: Vec<f64> = lines(include_str!("data/regression_expected.csv"))
        .find(|line| line[0] == name)
        .unwrap_or_else(|| panic!("no reference value is named {name}"))[1..]
        .iter()
        .map(|text| number(text))
        .collect();
    assert_eq!(found.len(), expected.len(), "{name}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs(),
            "{name}: {found}, not {expected}"
        );
    }
}

fn check_fit(name: &str, fit: &LeastSquares) {
    check(&format!("coefficients {name}"), &fit.coefficients);
    check(&format!("std errors {name}"), &fit.std_errors);
    check(
        &format!("constant {name}"),
        &[fit.constant, fit.constant_std_error],
    );
    check(&format!("r squared {name}"), &[fit.r_squared]);
    check(&format!("residual std dev {name}"), &[fit.residual_std_dev]);
}

#[test]
fn least_squares() {
    let columns = columns();
    let variables: Vec<&[f64]> = columns[..N_VARIABLES].iter().map(Vec::as_slice).collect();
    for (name, constant) in [("fitted", Constant::Fitted), ("zero", Constant::Zero)] {
        let fit = LeastSquares::fit(&variables, &columns[TARGET], constant).unwrap();
        check_fit(name, &fit);
    }
}

#[test]
fn least_squares_from_moments() {
    let fit = LeastSquares::of_moments(&moments(), &[0, 1, 2, 3, 4], TARGET).unwrap();
    check_fit("fitted", &fit);
}

#[test]
fn order_of_entry() {
    let entries = forward_selection(&moments(), &[0, 1, 2, 3, 4], TARGET, 0.0).unwrap();
    assert_eq!(entries.len(), N_VARIABLES);
    for (step, entry) in (1..).zip(entries) {
        let values = [entry.variable as f64, entry.r_squared];
        check(
            &format!("step {step}"),
            &[values[0], values[1], entry.f_to_enter],
        );
    }
}

#[test]
fn moments_and_correlations() {
    let (moments, columns) = (moments(), columns());
    let of_each =
        |value: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..N_VARIABLES).map(value).collect() };
    check("means", &of_each(&|i| moments.mean(i).unwrap()));
    check(
        "std devs",
        &of_each(&|i| moments.covariance(i, i).unwrap().sqrt()),
    );
    check(
        "correlations",
        &of_each(&|i| moments.correlation(i, TARGET).unwrap()),
    );
    let mut pairs = PairedMoments::default();
    for (&points, &related) in columns[0].iter().zip(&columns[1]) {
        pairs.push(points, related);
    }
    check(
        "paired",
        &[
            pairs.difference.mean().unwrap(),
            pairs.difference.std_dev().unwrap(),
            pairs.normalized_difference().unwrap(),
        ],
    );
}
