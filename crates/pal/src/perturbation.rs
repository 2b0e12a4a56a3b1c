//! Perturbation: examples that differ from a given one in some arguments.

use std::collections::BTreeSet;

use kibitz_prolog::Constant;

use crate::feature::Label;
use crate::interning::{Interner, is_var};
use crate::params::ClassOrder;
use crate::pattern::Pattern;
use crate::{Component, Domain, Example};

/// An argument of a component that perturbation changes: one of [`Domain::arguments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Generator {
    /// Index of the component in the example.
    pub component: usize,
    /// Index of the argument.
    pub argument: usize,
}

/// A perturbation class: arguments changed together, in ascending order.
pub(crate) type PerturbationClass = Vec<Generator>;

/// The perturbation space: the unexplored classes, level by level.
///
/// # Source
/// Morales 1992, sections 5.3.1 and 5.3.3, Table 5.6.
#[derive(Debug)]
pub(crate) struct PerturbationSpace {
    pub(crate) level: usize,
    classes: BTreeSet<PerturbationClass>,
    above: BTreeSet<PerturbationClass>,
}

impl PerturbationSpace {
    /// The lowest level: one class for each argument.
    pub(crate) fn new(generators: impl IntoIterator<Item = Generator>) -> Self {
        Self {
            level: 1,
            classes: generators.into_iter().map(|g| vec![g]).collect(),
            above: BTreeSet::new(),
        }
    }

    /// Drops classes with an argument that is no longer part of the definition.
    pub(crate) fn restrict(&mut self, pattern: &Pattern) {
        let relevant = |class: &PerturbationClass| {
            (class.iter()).all(|g| pattern.components.contains(&g.component))
        };
        self.classes.retain(relevant);
        self.above.retain(relevant);
    }

    /// The class to explore next; `None` if all are explored.
    pub(crate) fn next_class(
        &mut self,
        pattern: &Pattern,
        interner: &Interner,
        domain: &dyn Domain,
        order: ClassOrder,
    ) -> Option<PerturbationClass> {
        if self.classes.is_empty() {
            self.classes = std::mem::take(&mut self.above);
            self.level += 1;
        }
        let Some([variable, literal]) = order.weights() else {
            return self.classes.first().cloned();
        };
        let arguments = domain.arguments();
        let value = |class: &PerturbationClass| -> i64 {
            let argument_value = |g: &Generator| {
                let attributes = &arguments[g.argument];
                let is_variable = attributes.iter().all(|&attribute| {
                    let value = pattern.value(g.component, attribute, interner);
                    value.is_none_or(is_var)
                });
                let labels: Vec<Label> = (attributes.iter())
                    .map(|&attribute| Label::Of {
                        component: g.component,
                        attribute,
                    })
                    .collect();
                let size = (attributes.iter())
                    .map(|&attribute| domain.attributes()[attribute].values.len())
                    .product();
                let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
                i64::from(is_variable) * variable
                    + count(size)
                    + literal * count(pattern.n_literals(&labels, interner))
            };
            class.iter().map(argument_value).sum()
        };
        self.classes.iter().min_by_key(|c| value(c)).cloned()
    }

    /// Removes an explored class and adds the classes with one argument more.
    pub(crate) fn expand(&mut self, class: &PerturbationClass) {
        self.classes.remove(class);
        for other in &self.classes {
            for generator in other.iter().filter(|g| !class.contains(g)) {
                let mut larger = class.clone();
                larger.push(*generator);
                larger.sort_unstable();
                self.above.insert(larger);
            }
        }
    }
}

/// The examples of a perturbation class: all its arguments change.
///
/// They come in the order of the domains, the last argument first, or as an even sample of `max`
/// examples if there are more.
pub(crate) struct Perturbations<'a> {
    base: &'a Example,
    class: &'a PerturbationClass,
    arguments: Vec<Vec<usize>>,
    /// For each argument of the class the values of its attributes.
    values: Vec<Vec<Vec<Constant>>>,
    indices: std::iter::Take<GoldenSection>,
}

impl<'a> Perturbations<'a> {
    pub(crate) fn new(
        base: &'a Example,
        class: &'a PerturbationClass,
        domain: &dyn Domain,
        max: usize,
    ) -> Self {
        let arguments = domain.arguments();
        let values: Vec<Vec<Vec<Constant>>> = class
            .iter()
            .map(|g| {
                let attributes = &arguments[g.argument];
                let mut values: Vec<Vec<Constant>> = vec![Vec::new()];
                for &attribute in attributes {
                    let longer = |start: &Vec<Constant>| {
                        let next = domain.attributes()[attribute].values.iter();
                        next.map(|value| [start.as_slice(), &[*value]].concat())
                            .collect::<Vec<_>>()
                    };
                    values = values.iter().flat_map(longer).collect();
                }
                let old = attributes.iter().map(|&a| base[g.component][a]);
                let old: Vec<Constant> = old.collect();
                values.retain(|value| *value != old);
                values
            })
            .collect();
        let total = values.iter().map(Vec::len).product();
        Self {
            base,
            class,
            arguments,
            values,
            indices: GoldenSection::new(total, max).take(total.min(max)),
        }
    }
}

impl Iterator for Perturbations<'_> {
    type Item = Example;

    fn next(&mut self) -> Option<Example> {
        let mut index = self.indices.next()?;
        let mut example: Vec<Component> = self.base.clone();
        for (g, values) in self.class.iter().zip(&self.values).rev() {
            let value = &values[index % values.len()];
            index /= values.len();
            for (&attribute, value) in self.arguments[g.argument].iter().zip(value) {
                example[g.component][attribute] = *value;
            }
        }
        Some(example)
    }
}

/// The numbers below a total in a fixed order: ascending if they are no more than wanted, otherwise
/// in steps of the golden section, so that every prefix is spread evenly.
struct GoldenSection {
    total: usize,
    step: usize,
    next: usize,
}

impl GoldenSection {
    fn new(total: usize, wanted: usize) -> Self {
        let mut step = 1;
        if total > wanted {
            step = total / 1000 * 618 + 1;
            while gcd(step, total) > 1 {
                step += 1;
            }
        }
        Self {
            total,
            step,
            next: 0,
        }
    }
}

impl Iterator for GoldenSection {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let number = self.next;
        self.next = (self.next + self.step) % self.total;
        Some(number)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_occurs_once() {
        for (total, wanted) in [(1, 5), (10, 10), (63 * 63 * 5, 1000), (4096, 10)] {
            let mut seen: Vec<usize> = GoldenSection::new(total, wanted).take(total).collect();
            if total <= wanted {
                assert!(seen.is_sorted());
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..total).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_prefix_is_spread_evenly() {
        let mut tenths = [0; 10];
        for number in GoldenSection::new(250_047, 1000).take(1000) {
            tenths[number * 10 / 250_047] += 1;
        }
        assert!(tenths.iter().all(|n| (90..=110).contains(n)), "{tenths:?}");
    }
}
