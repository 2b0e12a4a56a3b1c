use std::ops::Deref;

use kibitz_ilp::Constant;
use kibitz_ilp::learn::pal::Domain;

use crate::{ChessDomain, ConceptError, PlacementDomain, Position};

/// The domain of a concept: positions of chess, or pieces placed anywhere.
#[derive(Debug)]
pub enum World {
    /// Positions of chess.
    Chess(ChessDomain),
    /// Named pieces placed anywhere.
    Placement(PlacementDomain),
}

impl World {
    /// The number of a position of chess.
    pub(crate) fn chess_state(&self, position: Position) -> Result<Constant, ConceptError> {
        match self {
            World::Chess(domain) => Ok(domain.number(position)),
            World::Placement(_) => Err(ConceptError::NotOfChess),
        }
    }
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
