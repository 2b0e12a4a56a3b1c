use kibitz_ilp::learn::pal::{Attribute, Component, Domain, Example};
use kibitz_ilp::{Atom, Constant};

use crate::{ChessDomain, PlacementDomain};

/// The domain of a concept: positions of chess, or pieces placed anywhere.
#[derive(Debug)]
pub enum World {
    /// Positions of chess.
    Chess(ChessDomain),
    /// Named pieces placed anywhere.
    Placement(PlacementDomain),
}

impl World {
    fn domain(&self) -> &dyn Domain {
        match self {
            World::Chess(domain) => domain,
            World::Placement(domain) => domain,
        }
    }
}

impl Domain for World {
    fn attributes(&self) -> &[Attribute] {
        self.domain().attributes()
    }

    fn key(&self) -> &[usize] {
        self.domain().key()
    }

    fn description(&self) -> &Atom {
        self.domain().description()
    }

    fn state(&self, example: &[Component]) -> Constant {
        self.domain().state(example)
    }

    fn arguments(&self) -> Vec<Vec<usize>> {
        self.domain().arguments()
    }

    fn is_legal(&self, example: &[Component]) -> bool {
        self.domain().is_legal(example)
    }

    fn exchanged(&self, example: &[Component]) -> Option<(Example, usize)> {
        self.domain().exchanged(example)
    }

    fn mirrored(&self, example: &[Component]) -> Vec<Example> {
        self.domain().mirrored(example)
    }
}
