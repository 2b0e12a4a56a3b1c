use crate::term::{Atom, Constant};

/// One component of a state: the values of its attributes, in the domain's order.
pub type Component = Vec<Constant>;

/// A state given by its components. Their order matters: the component at a place carries the same
/// labels in every example.
pub type Example = Vec<Component>;

/// An attribute that every component has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name in feature declarations.
    pub name: String,
    /// The values the example generator may try, in this order; empty if it must not change the
    /// attribute.
    pub values: Vec<Constant>,
}

/// States made of components, as far as the learner must know them.
///
/// # Source
/// Morales 1992, sections 5.1.1, 5.3.1 and 5.4.2, appendix G.
pub trait Domain {
    /// The attributes of a component.
    fn attributes(&self) -> &[Attribute];

    /// Positions of the attributes that tell the components of one state apart: file and rank of a
    /// chess piece.
    fn key(&self) -> &[usize];

    /// The atom that describes one component: variable `i` stands for attribute `i`, and the
    /// variable after the last attribute for the state.
    fn description(&self) -> &Atom;

    /// The constant that names a state in the relations of the background knowledge.
    ///
    /// The same components, in whatever order, have the same name.
    fn state(&self, example: &[Component]) -> Constant;

    /// The attributes of a component that the example generator changes together, as one argument:
    /// each on its own unless the domain says otherwise.
    ///
    /// Section 6.3 of the thesis declares the place of a piece as one argument, appendix A changes
    /// files and ranks.
    fn arguments(&self) -> Vec<Vec<usize>> {
        (0..self.attributes().len()).map(|i| vec![i]).collect()
    }

    /// Whether the example generator may show this state.
    fn is_legal(&self, example: &[Component]) -> bool;

    /// The example tried before all others, with one attribute changed in all components, and
    /// which attribute this is; it is not changed again.
    ///
    /// Chess exchanges the two sides (section 5.3.3).
    fn exchanged(&self, example: &[Component]) -> Option<(Example, usize)> {
        let _ = example;
        None
    }

    /// The other examples that are equivalent by symmetry (section 6.3).
    fn mirrored(&self, example: &[Component]) -> Vec<Example> {
        let _ = example;
        Vec::new()
    }
}
