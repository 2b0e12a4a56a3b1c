use std::collections::BTreeSet;

use super::feature::Label;
use super::pattern::Pattern;
use super::{Component, Domain, Example};
use crate::term::{Constant, Term};

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

    /// The class to explore now, by the evaluation function of section 5.3.3; classes of equal value
    /// in the order of their arguments. `None` when nothing is left.
    pub(super) fn first(
        &mut self,
        pattern: &Pattern,
        domain: &impl Domain,
        varcte: i64,
    ) -> Option<Class> {
        if self.classes.is_empty() {
            self.classes = std::mem::take(&mut self.above);
            self.level += 1;
        }
        let arguments = domain.arguments();
        let value = |class: &Class| -> i64 {
            let of = |g: &Generator| {
                let attributes = &arguments[g.argument];
                let variable = attributes.iter().all(|&attribute| {
                    matches!(
                        pattern.value(g.component, attribute),
                        Some(Term::Var(_)) | None
                    )
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
                i64::from(variable) * varcte + count(size) - count(pattern.n_literals(&labels))
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
pub(super) struct Perturbations<'a> {
    base: &'a Example,
    class: &'a Class,
    arguments: Vec<Vec<usize>>,
    /// For each argument of the class the values of its attributes.
    values: Vec<Vec<Vec<Constant>>>,
    place: Vec<usize>,
    done: bool,
}

impl<'a> Perturbations<'a> {
    pub(super) fn new(base: &'a Example, class: &'a Class, domain: &impl Domain) -> Self {
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
        Self {
            base,
            class,
            arguments,
            place: vec![0; values.len()],
            done: values.iter().any(Vec::is_empty),
            values,
        }
    }
}

impl Iterator for Perturbations<'_> {
    type Item = Example;

    fn next(&mut self) -> Option<Example> {
        if self.done {
            return None;
        }
        let mut example: Vec<Component> = self.base.clone();
        for (i, g) in self.class.iter().enumerate() {
            let values = &self.values[i][self.place[i]];
            for (&attribute, value) in self.arguments[g.argument].iter().zip(values) {
                example[g.component][attribute] = *value;
            }
        }
        self.done = true;
        for i in (0..self.place.len()).rev() {
            self.place[i] += 1;
            if self.place[i] < self.values[i].len() {
                self.done = false;
                break;
            }
            self.place[i] = 0;
        }
        Some(example)
    }
}
