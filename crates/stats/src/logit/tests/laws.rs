//! Laws of the likelihood and its fits, on random choice sets.

use proptest::prelude::*;

use crate::optimize::{
    BfgsOptions, Differentiable as _, HillClimbOptions, NewtonOptions, Objective as _, StopReason,
    TwiceDifferentiable as _,
};
use crate::{ChoiceSets, ConditionalLogit};

/// Attributes of [`any_case`] are from -20 to 20.
const LARGEST_DIFFERENCE: f64 = 40.0;

/// A small data set of two attributes and weights to try on it.
fn any_case() -> impl Strategy<Value = (Vec<(usize, Vec<i16>)>, [f64; 2])> {
    let set = (1usize..12).prop_flat_map(|n| (0..n, prop::collection::vec(-20i16..20, 2 * n)));
    (
        prop::collection::vec(set, 1..20),
        [-0.5..0.5f64, -0.5..0.5f64],
    )
}

fn build(case: &[(usize, Vec<i16>)], shift: i16) -> ChoiceSets {
    let mut builder = ChoiceSets::scaled_builder(&[1.0, 0.5]).unwrap();
    for (chosen, rows) in case {
        let rows: Vec<i16> = rows.iter().map(|value| value + shift).collect();
        builder.push_flat(0, *chosen, &rows).unwrap();
    }
    builder.build()
}

proptest! {
    #[test]
    fn probabilities_sum_to_one_and_give_the_likelihood((case, weights) in any_case()) {
        let data = build(&case, 0);
        let model = ConditionalLogit::new(&data);
        let mut log_likelihood = 0.0;
        for (index, set) in data.iter().enumerate() {
            let probabilities = model.probabilities(&weights, index).unwrap();
            prop_assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            log_likelihood += probabilities[set.chosen()].ln();
        }
        let found = model.log_likelihood(&weights);
        prop_assert!((found - log_likelihood).abs() <= 1e-12 * (1.0 + found.abs()));
    }

    #[test]
    fn condensed_choices_have_the_same_likelihood(
        sets in prop::collection::vec(
            (0..4usize, prop::collection::vec(-2i16..3, 4..9)),
            1..60,
        ),
        weight in -3.0..3.0f64,
    ) {
        let mut builder = ChoiceSets::scaled_builder(&[0.5]).unwrap();
        for (group, (chosen, rows)) in (0..).zip(&sets) {
            builder.push_flat(group, *chosen, rows).unwrap();
        }
        let data = builder.build().by_groups(&[0, 0, 1, 2, 3, 5, 8, 13, 21, 34]);
        let aggregated = data.aggregated().unwrap();
        prop_assert!(aggregated.len() <= data.len());
        prop_assert_eq!(aggregated.n_choices(), data.n_choices());
        let [here, there] = [&data, &aggregated]
            .map(|sets| ConditionalLogit::new(sets).second_order(&[weight]));
        let is_near = |left: f64, right: f64| (left - right).abs() <= 1e-12 * (1.0 + left.abs());
        prop_assert!(is_near(here.value, there.value));
        prop_assert!(is_near(here.gradient[0], there.gradient[0]));
        prop_assert!(is_near(here.hessian[(0, 0)], there.hessian[(0, 0)]));
    }

    #[test]
    fn without_weights_all_alternatives_are_alike((case, _) in any_case()) {
        let data = build(&case, 0);
        let model = ConditionalLogit::new(&data);
        prop_assert!((model.bits(&[0.0; 2]) - model.uniform_bits()).abs() < 1e-12);
        for (index, set) in data.iter().enumerate() {
            let even = 1.0 / set.n_alternatives() as f64;
            let probabilities = model.probabilities(&[0.0; 2], index).unwrap();
            prop_assert!(probabilities.iter().all(|p| (p - even).abs() < 1e-15));
        }
    }

    #[test]
    fn a_common_shift_changes_no_bit(
        (case, weights) in any_case(),
        shift in -30000i16..30000,
    ) {
        let plain = build(&case, 0);
        let shifted = build(&case, shift);
        prop_assert_eq!(
            ConditionalLogit::new(&plain).second_order(&weights),
            ConditionalLogit::new(&shifted).second_order(&weights)
        );
    }

    #[test]
    fn derivatives_agree_with_finite_differences((case, weights) in any_case()) {
        let data = build(&case, 0);
        let model = ConditionalLogit::new(&data);
        let at = model.second_order(&weights);
        prop_assert_eq!(&model.first_order(&weights).gradient, &at.gradient);
        prop_assert_eq!(model.value(&weights), at.value);
        // Five points: the error is of the fourth power of the step.
        let step = 1e-3;
        let around = |k: usize, f: &dyn Fn(&[f64]) -> f64| {
            let moved = |by: f64| {
                let mut point = weights;
                point[k] += by * step;
                f(&point)
            };
            (8.0 * (moved(1.0) - moved(-1.0)) - (moved(2.0) - moved(-2.0))) / (12.0 * step)
        };
        let size = 1.0 + at.value.abs() + at.gradient.amax() + at.hessian.amax();
        for k in 0..2 {
            let slope = around(k, &|point| model.value(point));
            prop_assert!((slope - at.gradient[k]).abs() < 1e-6 * size, "{} {}", slope, at.gradient[k]);
            for l in 0..2 {
                let bend = around(k, &|point| model.first_order(point).gradient[l]);
                prop_assert!((bend - at.hessian[(k, l)]).abs() < 1e-6 * size);
            }
        }
    }

    #[test]
    fn the_likelihood_is_concave((case, weights) in any_case()) {
        let data = build(&case, 0);
        let hessian = ConditionalLogit::new(&data).second_order(&weights).hessian;
        // Curvature is a difference of second moments, and as exact as these are.
        let second_moments = LARGEST_DIFFERENCE.powi(2) * case.len() as f64;
        let slack = 1e-14 * second_moments;
        prop_assert!(hessian.symmetric_eigenvalues().iter().all(|&value| value <= slack));
    }

    #[test]
    fn a_fit_is_a_maximum_or_says_why_not((case, weights) in any_case()) {
        let data = build(&case, 0);
        let model = ConditionalLogit::new(&data);
        let fit = model.fit_newton(&[0.0; 2], &NewtonOptions::default()).unwrap();
        prop_assert!(matches!(
            fit.stop,
            StopReason::Converged | StopReason::Separated | StopReason::NotIdentified
        ));
        prop_assert!(fit.log_likelihood >= model.log_likelihood(&[0.0; 2]));
        if fit.converged() {
            prop_assert!(fit.log_likelihood >= model.log_likelihood(&weights) - 1e-12);
            let climbed = model.fit_hill_climb(&weights, &HillClimbOptions::default()).unwrap();
            prop_assert!((climbed.log_likelihood - fit.log_likelihood).abs() < 1e-9);
        } else {
            prop_assert_eq!(&fit.std_errors, &None);
        }
        let bfgs = model.fit_bfgs(&weights, &BfgsOptions::default()).unwrap();
        prop_assert_eq!(bfgs.stop, fit.stop);
    }
}
