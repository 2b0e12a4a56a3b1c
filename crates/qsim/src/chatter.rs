//! Chatter: variables whose direction of change only continuity bounds.

use crate::constraint::{Constraint, ConstraintKind};
use crate::model::Model;

impl Model {
    /// The variables that can chatter in some region.
    ///
    /// Constraints that determine one direction of change by another partition the variables into
    /// classes. A class is safe if it holds a constant, or a variable whose derivative is a variable
    /// of the model: its direction changes only where the derivative passes zero. The others chatter.
    ///
    /// # Source
    /// Clancy and Kuipers 1997, Static and dynamic abstraction solves the problem of chatter in
    /// qualitative simulation, AAAI-97. These are the candidates; the simulation decides whether one
    /// chatters in a state ([`Options::ignore_chatter`](crate::Options::ignore_chatter)).
    pub fn chattering(&self) -> Vec<usize> {
        let n = self.variables().len();
        let mut found: Vec<usize> = (self.regions())
            .flat_map(|region| {
                let constraints = region.constraints.iter().map(|at| &self.constraints()[*at]);
                chattering(n, constraints)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn chattering<'c>(n: usize, constraints: impl Iterator<Item = &'c Constraint>) -> Vec<usize> {
    let constraints: Vec<&Constraint> = constraints.collect();
    let mut class: Vec<usize> = (0..n).collect();
    let mut safe = vec![false; n];
    let mut constant = vec![false; n];
    for constraint in &constraints {
        let first = constraint.variables[0];
        match constraint.kind {
            ConstraintKind::Constant => constant[first] = true,
            ConstraintKind::Deriv => safe[first] = true,
            _ => {}
        }
    }
    for constraint in &constraints {
        let moving: Vec<usize> = (constraint.variables.iter().copied())
            .filter(|variable| !constant[*variable])
            .collect();
        match (constraint.kind, &moving[..]) {
            // A derivative ties no directions. Neither does a product with a constant: the constant
            // may be zero, and the product constant itself.
            (ConstraintKind::Deriv | ConstraintKind::Constant | ConstraintKind::Mult, _) => {}
            (_, &[a, b]) => {
                let (from, to) = (class[a], class[b]);
                (class.iter_mut().filter(|c| **c == from)).for_each(|c| *c = to);
            }
            (_, &[a]) => safe[a] = true,
            _ => {}
        }
    }
    (0..n)
        .filter(|&variable| {
            !(0..n).any(|other| class[other] == class[variable] && (safe[other] || constant[other]))
        })
        .collect()
}
