//! Domains: states as lists of components.

use kibitz_prolog::{Atom, Constant};

/// One component of a state: the values of its attributes, in the domain's order.
pub type Component = Vec<Constant>;

/// A state as a list of components. Their order matters: components at the same index have the same
/// labels in all examples.
pub type Example = Vec<Component>;

/// An attribute that every component has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name in feature declarations.
    pub name: String,
    /// The values for perturbation, in this order; empty if the attribute must not change.
    pub values: Vec<Constant>,
}

/// A domain of states made of components.
///
/// # Source
/// Morales 1992, sections 5.1.1, 5.3.1 and 5.4.2, appendix G.
pub trait Domain {
    /// The attributes of a component.
    fn attributes(&self) -> &[Attribute];

    /// Indices of the key attributes, which identify a component within a state: file and rank of a
    /// chess piece.
    fn key(&self) -> &[usize];

    /// The atom that describes one component: variable `i` is attribute `i`, and the variable after the
    /// last attribute is the state.
    fn description(&self) -> &Atom;

    /// The constant that names a state in the background.
    ///
    /// The name does not depend on the order of the components.
    fn state(&self, example: &[Component]) -> Constant;

    /// The arguments that perturbation changes, each a list of attributes that change together; by
    /// default one argument for each attribute.
    ///
    /// Section 6.3 of the thesis declares the square of a piece as one argument; appendix A changes
    /// files and ranks separately.
    fn arguments(&self) -> Vec<Vec<usize>> {
        (0..self.attributes().len()).map(|i| vec![i]).collect()
    }

    /// Whether a state may become an example.
    fn is_legal(&self, example: &[Component]) -> bool;

    /// The example generated first, with one attribute exchanged in all components, and the index of
    /// this attribute, which then stays fixed.
    ///
    /// Chess exchanges the two sides (section 5.3.3).
    fn exchanged(&self, example: &[Component]) -> Option<(Example, usize)> {
        let _ = example;
        None
    }

    /// The other examples that are equal to this one up to symmetry (section 6.3).
    fn mirrored(&self, example: &[Component]) -> Vec<Example> {
        let _ = example;
        Vec::new()
    }
}
