//! Variables that nothing ties to the rest of a model.

use super::Model;

/// Variables that a model leaves to themselves: their courses multiply its behaviors, or have no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnconnectedVariables {
    /// A variable that occurs in no constraint: every course of it is a behavior.
    Unconstrained {
        /// Index of the variable.
        variable: usize,
        /// Index of the operating region in which that is so; none if it is so in all of them.
        region: Option<usize>,
    },
    /// Variables that constraints tie to each other, or a single one to itself, but to no other variable:
    /// each of their courses combines with each course of the rest.
    Apart {
        /// Indices of the variables, in order.
        variables: Vec<usize>,
    },
}

impl Model {
    /// The variables that are not connected to the rest, in order: those in no constraint, and those outside
    /// the largest connected component of the constraints (of equal ones the first).
    ///
    /// The energy constraint connects position and velocity. A transition connects the variables of its
    /// condition to those that it sets, and to those of constraints that do not hold in all operating regions.
    pub fn unconnected(&self) -> Vec<UnconnectedVariables> {
        let n = self.variables().len();
        let n_regions = self.regions().len();
        let mut component: Vec<usize> = (0..n).collect();
        let mut tie = |variables: &[usize]| {
            let to = component[variables[0]];
            for &variable in variables {
                let from = component[variable];
                (component.iter_mut().filter(|c| **c == from)).for_each(|c| *c = to);
            }
        };
        // For each variable, the number of regions in which it occurs in a constraint.
        let mut occurs = vec![vec![false; n_regions]; n];
        let mut n_holding = vec![0; self.constraints().len()];
        for (number, region) in self.regions().enumerate() {
            for &at in &region.constraints {
                let variables = &self.constraints()[at].variables;
                for variable in variables {
                    occurs[*variable][number] = true;
                }
                n_holding[at] += 1;
                tie(variables);
            }
        }
        if let Some(energy) = self.energy() {
            tie(&[energy.position, energy.velocity]);
        }
        let mut switching: Vec<usize> = Vec::new();
        for transition in self.regions().flat_map(|region| &region.transitions) {
            let conditions = (0..).zip(&transition.when);
            let conditions = conditions.filter(|(_, set)| **set != crate::partial::ValueSet::ANY);
            switching.extend(conditions.map(|(variable, _)| variable));
            switching.extend(transition.set.iter().map(|(variable, _)| *variable));
        }
        if !switching.is_empty() {
            for (constraint, n_holding) in self.constraints().iter().zip(&n_holding) {
                if *n_holding < n_regions {
                    switching.extend(&constraint.variables);
                }
            }
            tie(&switching);
        }
        let component = &component[..];
        let members = |of: usize| (0..n).filter(move |variable| component[*variable] == of);
        // The last of the greatest is that of the first variable.
        let main = (0..n)
            .rev()
            .max_by_key(|variable| members(component[*variable]).count());
        let is_free = |variable: usize| !occurs[variable].contains(&true);
        let mut found = Vec::new();
        for variable in 0..n {
            let in_region = |region| UnconnectedVariables::Unconstrained { variable, region };
            if is_free(variable) {
                found.push(in_region(None));
                continue;
            }
            let regions = (0..n_regions).filter(|region| !occurs[variable][*region]);
            found.extend(regions.map(|region| in_region(Some(region))));
            let of = component[variable];
            let tied: Vec<usize> = members(of).filter(|member| !is_free(*member)).collect();
            if main.is_some_and(|main| component[main] != of) && tied[0] == variable {
                found.push(UnconnectedVariables::Apart { variables: tied });
            }
        }
        found
    }

    /// Whether an operating region leaves some variable open: its constraints, each of which determines one of
    /// its variables, do not determine them all. Such a variable is an input with a course of its own, which
    /// may go on when all else rests.
    pub(crate) fn has_inputs(&self, region: usize) -> bool {
        let n = self.variables().len();
        let Some(region) = self.regions().nth(region) else {
            return false;
        };
        // A maximum matching of constraints and variables, by augmenting paths.
        let mut determined_by: Vec<Option<usize>> = vec![None; n];
        let mut n_determined = 0;
        for &constraint in &region.constraints {
            let mut tried = vec![false; n];
            n_determined += usize::from(self.determine(constraint, &mut determined_by, &mut tried));
        }
        n_determined < n
    }

    /// Lets a constraint determine one of its variables, others than those that were tried.
    fn determine(
        &self,
        constraint: usize,
        determined_by: &mut [Option<usize>],
        tried: &mut [bool],
    ) -> bool {
        for &variable in &self.constraints()[constraint].variables {
            if std::mem::replace(&mut tried[variable], true) {
                continue;
            }
            let is_free = match determined_by[variable] {
                None => true,
                Some(other) => self.determine(other, determined_by, tried),
            };
            if is_free {
                determined_by[variable] = Some(constraint);
                return true;
            }
        }
        false
    }
}
