use std::ops::Deref;

use kibitz_ilp::learn::pal::Domain;

use crate::{ChessDomain, PlacementDomain};

/// The domain of a concept: positions of chess, or pieces placed anywhere.
#[derive(Debug)]
pub enum World {
    /// Positions of chess.
    Chess(ChessDomain),
    /// Named pieces placed anywhere.
    Placement(PlacementDomain),
}

impl Deref for World {
    type Target = dyn Domain;

    fn deref(&self) -> &Self::Target {
        match self {
            World::Chess(domain) => domain,
            World::Placement(domain) => domain,
        }
    }
}
