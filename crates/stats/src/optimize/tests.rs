//! Surfaces with known maxima, to try the methods on.

use nalgebra::{DMatrix, DVector};

use super::{Differentiable, FirstOrder, Objective, SecondOrder, TwiceDifferentiable};

/// The negative of Rosenbrock's valley: not concave, with its only maximum, 0, at (1, 1).
pub(super) struct Valley;

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

/// A quadratic whose axes are slanted and whose second parameter is a hundred times larger: the
/// maximum, 7, lies at (3, -200).
pub(super) struct Dome;

impl Objective for Dome {
    fn n_parameters(&self) -> usize {
        2
    }

    fn scales(&self) -> Vec<f64> {
        vec![1.0, 100.0]
    }

    fn value(&self, point: &[f64]) -> f64 {
        let (x, y) = (point[0] - 3.0, point[1] / 100.0 + 2.0);
        7.0 - x * x - 1.2 * x * y - y * y
    }
}

impl Differentiable for Dome {
    fn first_order(&self, point: &[f64]) -> FirstOrder {
        let (x, y) = (point[0] - 3.0, point[1] / 100.0 + 2.0);
        FirstOrder {
            value: self.value(point),
            gradient: DVector::from_vec(vec![-2.0 * x - 1.2 * y, (-1.2 * x - 2.0 * y) / 100.0]),
        }
    }
}

/// One choice between two, always taken the same way: `-ln(1 + exp(-x))` rises for ever.
pub(super) struct SaturatingModel;

impl Objective for SaturatingModel {
    fn n_parameters(&self) -> usize {
        1
    }

    fn value(&self, point: &[f64]) -> f64 {
        -(-point[0]).exp().ln_1p()
    }
}

impl Differentiable for SaturatingModel {
    fn first_order(&self, point: &[f64]) -> FirstOrder {
        FirstOrder {
            value: self.value(point),
            gradient: DVector::from_element(1, 1.0 / (1.0 + point[0].exp())),
        }
    }
}

impl TwiceDifferentiable for SaturatingModel {
    fn second_order(&self, point: &[f64]) -> SecondOrder {
        let FirstOrder { value, gradient } = self.first_order(point);
        let wrong = gradient[0];
        SecondOrder {
            value,
            gradient,
            hessian: DMatrix::from_element(1, 1, -wrong * (1.0 - wrong)),
        }
    }
}
