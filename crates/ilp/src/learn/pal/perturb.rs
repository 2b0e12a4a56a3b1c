use std::collections::BTreeSet;

use super::feature::Label;
use super::lexicon::{Lexicon, is_var};
use super::outcome::ClassOrder;
use super::pattern::Pattern;
use super::{Component, Domain, Example};
use crate::term::Constant;

/// An argument that may be changed: one of [`Domain::arguments`] of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Generator {
    /// Place of the component in the example.
    pub component: usize,
    /// Which of its arguments.
    pub argument: usize,
}

/// Arguments that are changed together, in ascending order.
pub(super) type Class = Vec<Generator>;

/// The perturbation space as far as it was generated.
///
/// # Source
/// Morales 1992, sections 5.3.1 and 5.3.3, Table 5.6.
#[derive(Debug)]
pub(super) struct Space {
    pub(super) level: usize,
    classes: BTreeSet<Class>,
    above: BTreeSet<Class>,
}

impl Space {
    /// The lowest level: one class for each argument.
    pub(super) fn new(generators: impl IntoIterator<Item = Generator>) -> Self {
        Self {
            level: 1,
            classes: generators.into_iter().map(|g| vec![g]).collect(),
            above: BTreeSet::new(),
        }
    }

    /// Leaves out classes with an argument that is no longer part of the definition.
    pub(super) fn restrict(&mut self, pattern: &Pattern) {
        let relevant =
            |class: &Class| (class.iter()).all(|g| pattern.components.contains(&g.component));
        self.classes.retain(relevant);
        self.above.retain(relevant);
    }

    /// The class to explore now. `None` when nothing is left.
    pub(super) fn first(
        &mut self,
        pattern: &Pattern,
        lexicon: &Lexicon,
        domain: &dyn Domain,
        order: ClassOrder,
    ) -> Option<Class> {
        if self.classes.is_empty() {
            self.classes = std::mem::take(&mut self.above);
            self.level += 1;
        }
        let Some([variable, literal]) = order.weights() else {
            return self.classes.first().cloned();
        };
        let arguments = domain.arguments();
        let value = |class: &Class| -> i64 {
            let of = |g: &Generator| {
                let attributes = &arguments[g.argument];
                let is_variable = attributes.iter().all(|&attribute| {
                    let value = pattern.value(g.component, attribute, lexicon);
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
                    + literal * count(pattern.n_literals(&labels, lexicon))
            };
            class.iter().map(of).sum()
        };
        self.classes.iter().min_by_key(|c| value(c)).cloned()
    }

    /// Takes a class out that was explored, and adds those immediately above it.
    pub(super) fn explored(&mut self, class: &Class) {
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

/// The examples of a class: all its arguments take other values than they have.
///
/// In the order of the domains, the last argument first; where there are more than a bound, as many
/// as that, spread evenly.
pub(super) struct Perturbations<'a> {
    base: &'a Example,
    class: &'a Class,
    arguments: Vec<Vec<usize>>,
    /// For each argument of the class the values of its attributes.
    values: Vec<Vec<Vec<Constant>>>,
    places: std::iter::Take<Spread>,
}

impl<'a> Perturbations<'a> {
    pub(super) fn new(
        base: &'a Example,
        class: &'a Class,
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
                let now = attributes.iter().map(|&a| base[g.component][a]);
                let now: Vec<Constant> = now.collect();
                values.retain(|value| *value != now);
                values
            })
            .collect();
        let total = values.iter().map(Vec::len).product();
        Self {
            base,
            class,
            arguments,
            values,
            places: Spread::new(total, max).take(total.min(max)),
        }
    }
}

impl Iterator for Perturbations<'_> {
    type Item = Example;

    fn next(&mut self) -> Option<Example> {
        let mut place = self.places.next()?;
        let mut example: Vec<Component> = self.base.clone();
        for (g, values) in self.class.iter().zip(&self.values).rev() {
            let value = &values[place % values.len()];
            place /= values.len();
            for (&attribute, value) in self.arguments[g.argument].iter().zip(value) {
                example[g.component][attribute] = *value;
            }
        }
        Some(example)
    }
}

/// The numbers below a total in a fixed order: ascending if they are no more than wanted, otherwise
/// in steps of the golden section, so that every start of the sequence is spread evenly.
struct Spread {
    total: usize,
    step: usize,
    next: usize,
}

impl Spread {
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

impl Iterator for Spread {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let place = self.next;
        self.next = (self.next + self.step) % self.total;
        Some(place)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for (total, wanted) in [(1, 5), (10, 10), (63 * 63 * 5, 1000), (4096, 10)] {
            let mut seen: Vec<usize> = Spread::new(total, wanted).take(total).collect();
            if total <= wanted {
                assert!(seen.is_sorted());
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..total).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_start_of_the_sequence_is_spread_evenly() {
        let mut tenths = [0; 10];
        for place in Spread::new(250_047, 1000).take(1000) {
            tenths[place * 10 / 250_047] += 1;
        }
        assert!(tenths.iter().all(|n| (90..=110).contains(n)), "{tenths:?}");
    }
}
