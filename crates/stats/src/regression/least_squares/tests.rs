use super::*;
use proptest::prelude::*;

#[test]
fn a_line_by_hand() {
    // Deviations (-1, 0, 1) and (-1, 1, 0): slope 1/2, residuals -1/2, 1, -1/2.
    let fit = LeastSquares::fit(&[&[1.0, 2.0, 3.0]], &[1.0, 3.0, 2.0], Constant::Fitted).unwrap();
    assert!((fit.coefficients[0] - 0.5).abs() < 1e-14);
    assert!((fit.constant - 1.0).abs() < 1e-14);
    assert!((fit.r_squared - 0.25).abs() < 1e-14);
    assert!((fit.residual_std_dev - 1.5f64.sqrt()).abs() < 1e-14);
    assert!((fit.std_errors[0] - (1.5f64 / 2.0).sqrt()).abs() < 1e-14);
    assert!((fit.constant_std_error - (1.5f64 * (1.0 / 3.0 + 2.0)).sqrt()).abs() < 1e-14);
    // Through the origin: 13 / 14.
    let fit = LeastSquares::fit(&[&[1.0, 2.0, 3.0]], &[1.0, 3.0, 2.0], Constant::Zero).unwrap();
    assert!((fit.coefficients[0] - 13.0 / 14.0).abs() < 1e-14);
    assert!((fit.r_squared - 169.0 / 196.0).abs() < 1e-14);
}

#[test]
fn refuses_invalid_data() {
    let x = [1.0, 2.0, 4.0, 8.0, 9.0];
    let y = [1.0, 0.0, 1.0, 0.0, 2.0];
    let fit = |columns: &[&[f64]], target: &[f64]| {
        LeastSquares::fit(columns, target, Constant::Fitted).unwrap_err()
    };
    let doubled = x.map(|value| 3.0 - 2.0 * value);
    assert!(matches!(
        fit(&[&x, &y, &doubled], &[1.0, 2.0, 0.0, 3.0, 5.0]),
        RegressionError::Collinear { variable: 2 }
    ));
    assert!(matches!(
        fit(&[&x, &[0.1; 5]], &y),
        RegressionError::Constant { variable: 1 }
    ));
    assert!(matches!(
        fit(&[&x], &[0.1; 5]),
        RegressionError::NothingToExplain
    ));
    assert!(matches!(
        fit(&[&x[..4]], &y),
        RegressionError::LengthsDiffer {
            variable: 0,
            found: 4,
            needed: 5
        }
    ));
    assert!(matches!(
        fit(&[&x], &[1.0, 2.0, f64::NAN, 0.0, 1.0]),
        RegressionError::NotFinite { index: 2, .. }
    ));
    assert!(matches!(
        fit(&[&x[..2]], &y[..2]),
        RegressionError::TooFewSamples { .. }
    ));
    assert!(matches!(fit(&[], &y), RegressionError::NoVariable));
    let large = [1e300, -1e300, 1e300, 0.0, 1.0];
    assert!(matches!(
        fit(&[&large], &y),
        RegressionError::Overflow { .. }
    ));
    assert!(matches!(
        fit(&[&x], &large),
        RegressionError::Overflow { .. }
    ));
    let mut moments = CrossMoments::new(2);
    for (x, y) in large.iter().zip(&y) {
        moments.push(&[*x, *y]).unwrap();
    }
    assert!(matches!(
        LeastSquares::of_moments(&moments, &[0], 1),
        Err(RegressionError::Overflow { .. })
    ));
    assert!(matches!(
        crate::regression::forward_selection(&moments, &[0], 1, 0.0),
        Err(RegressionError::Overflow { .. })
    ));
    let moments = CrossMoments::new(2);
    assert!(matches!(
        LeastSquares::of_moments(&moments, &[], 1),
        Err(RegressionError::NoVariable)
    ));
    assert!(matches!(
        LeastSquares::of_moments(&moments, &[0, 2], 1),
        Err(RegressionError::NoSuchVariable { variable: 2, .. })
    ));
    assert!(matches!(
        LeastSquares::of_moments(&moments, &[0], 1),
        Err(RegressionError::TooFewSamples { .. })
    ));
}

proptest! {
    #[test]
    fn residuals_are_orthogonal_and_moments_agree(
        rows in prop::collection::vec(prop::array::uniform4(-10.0f64..10.0), 8..40),
    ) {
        let column = |idx: usize| rows.iter().map(|row| row[idx]).collect::<Vec<_>>();
        let columns = [column(0), column(1), column(2)];
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let target = column(3);
        let fit = LeastSquares::fit(&views, &target, Constant::Fitted).unwrap();
        let residuals: Vec<f64> = rows.iter().map(|row| row[3] - fit.predict(&row[..3])).collect();
        prop_assert!(residuals.iter().sum::<f64>().abs() < 1e-8);
        for column in &columns {
            let product: f64 = column.iter().zip(&residuals).map(|(a, b)| a * b).sum();
            prop_assert!(product.abs() < 1e-7);
        }

        let mut moments = CrossMoments::new(4);
        for row in &rows {
            moments.push(row).unwrap();
        }
        let same = LeastSquares::of_moments(&moments, &[0, 1, 2], 3).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-8 * (1.0 + a.abs());
        prop_assert!(close(fit.r_squared, same.r_squared));
        prop_assert!(close(fit.constant, same.constant));
        prop_assert!(close(fit.constant_std_error, same.constant_std_error));
        for i in 0..3 {
            prop_assert!(close(fit.coefficients[i], same.coefficients[i]));
            prop_assert!(close(fit.std_errors[i], same.std_errors[i]));
        }

        // One variable explains the square of its correlation, and more explain no less.
        let alone = LeastSquares::fit(&views[..1], &target, Constant::Fitted).unwrap();
        let correlation = moments.correlation(0, 3).unwrap();
        prop_assert!(close(alone.r_squared, correlation * correlation));
        prop_assert!(fit.r_squared >= alone.r_squared - 1e-9);
    }

    #[test]
    fn units_and_offsets_do_not_matter(
        rows in prop::collection::vec(prop::array::uniform3(-10.0f64..10.0), 6..30),
        scale in 1e-3f64..1e3,
        shift in -1e3f64..1e3,
    ) {
        let column = |idx: usize| rows.iter().map(|row| row[idx]).collect::<Vec<_>>();
        let (first, second, target) = (column(0), column(1), column(2));
        let moved: Vec<f64> = first.iter().map(|value| value * scale + shift).collect();
        let plain = LeastSquares::fit(&[&first, &second], &target, Constant::Fitted).unwrap();
        let same = LeastSquares::fit(&[&moved, &second], &target, Constant::Fitted).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs());
        prop_assert!(close(plain.coefficients[0], same.coefficients[0] * scale));
        prop_assert!(close(plain.coefficients[1], same.coefficients[1]));
        prop_assert!(close(plain.std_errors[0], same.std_errors[0] * scale));
        prop_assert!(close(plain.r_squared, same.r_squared));
    }
}
