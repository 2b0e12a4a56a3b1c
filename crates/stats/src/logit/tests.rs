use super::*;
use crate::optimize::{NewtonOptions, StopReason};

fn sets(scales: &[f64], data: &[(usize, &[i16])]) -> ChoiceSets {
    let mut builder = ChoiceSets::scaled_builder(scales).unwrap();
    for (group, &(chosen, rows)) in (0..).zip(data) {
        builder.push_flat(group, chosen, rows).unwrap();
    }
    builder.build()
}

#[test]
fn one_attribute_by_hand() {
    // Odds of 3 to 1 need the weight ln 3; the information is 4 p (1 - p) = 3/4.
    let data = sets(
        &[1.0],
        &[(0, &[1, 0]), (0, &[1, 0]), (0, &[1, 0]), (1, &[1, 0])],
    );
    let model = ConditionalLogit::new(&data);
    let fit = model.fit_newton(&[0.0], &NewtonOptions::default()).unwrap();
    assert_eq!(fit.stop, StopReason::Converged);
    assert!((fit.weights[0] - 3f64.ln()).abs() < 1e-14);
    assert!((fit.std_errors.unwrap()[0] - (4.0f64 / 3.0).sqrt()).abs() < 1e-12);
    assert!((fit.log_likelihood - (3.0 * 0.75f64.ln() + 0.25f64.ln())).abs() < 1e-14);
}

#[test]
fn separated_choices_have_no_maximum() {
    let data = sets(&[1.0], &[(0, &[1, 0]), (0, &[5, 0, 2])]);
    let fit = ConditionalLogit::new(&data)
        .fit_newton(&[0.0], &NewtonOptions::default())
        .unwrap();
    assert_eq!((fit.stop, &fit.std_errors), (StopReason::Separated, &None));
    assert!(fit.weights[0] > 5.0 && fit.log_likelihood > -1e-2);
}

#[test]
fn moving_together_is_not_identified() {
    let data = sets(&[1.0; 2], &[(0, &[1, 2, 0, 0]), (1, &[1, 2, 0, 0])]);
    let fit = ConditionalLogit::new(&data)
        .fit_newton(&[0.0; 2], &NewtonOptions::default())
        .unwrap();
    assert_eq!(
        (fit.stop, fit.std_errors),
        (StopReason::NotIdentified, None)
    );
}
