use super::*;
use crate::optimize::{Differentiable, FirstOrder, Objective};

/// The negative of Rosenbrock's valley: not concave, with its only maximum 0 at (1, 1).
pub(crate) struct Valley;

impl Objective for Valley {
    fn n_parameters(&self) -> usize {
        2
    }

    fn value(&self, point: &[f64]) -> f64 {
        let (x, y) = (point[0], point[1]);
        -(1.0 - x).powi(2) - 100.0 * (y - x * x).powi(2)
    }
}

impl Differentiable for Valley {
    fn first_order(&self, point: &[f64]) -> FirstOrder {
        let (x, y) = (point[0], point[1]);
        let slope = 200.0 * (y - x * x);
        FirstOrder {
            value: self.value(point),
            gradient: DVector::from_vec(vec![2.0 * (1.0 - x) + 2.0 * x * slope, -slope]),
        }
    }
}

impl TwiceDifferentiable for Valley {
    fn second_order(&self, point: &[f64]) -> SecondOrder {
        let FirstOrder { value, gradient } = self.first_order(point);
        let (x, y) = (point[0], point[1]);
        let hessian = [
            -2.0 + 400.0 * y - 1200.0 * x * x,
            400.0 * x,
            400.0 * x,
            -200.0,
        ];
        SecondOrder {
            value,
            gradient,
            hessian: DMatrix::from_row_slice(2, 2, &hessian),
        }
    }
}

#[test]
fn walks_the_valley_to_its_end() {
    let end = newton(&Valley, &[-1.2, 1.0], &NewtonOptions::default());
    assert_eq!(end.stop, StopReason::Converged);
    assert!(end.point.iter().all(|x| (x - 1.0).abs() < 1e-12), "{end:?}");
    assert!(end.evaluations > end.iterations && end.iterations < 40);
}

#[test]
fn says_when_the_budget_ran_out() {
    let options = NewtonOptions {
        max_iterations: 2,
        ..Default::default()
    };
    let end = newton(&Valley, &[-1.2, 1.0], &options);
    assert_eq!((end.stop, end.iterations), (StopReason::OutOfBudget, 2));
}
