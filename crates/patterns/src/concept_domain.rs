//! The domain of a concept.

use std::ops::Deref;

use kibitz_pal::Domain;
use kibitz_prolog::Constant;

use crate::{ChessDomain, ConceptError, PlacementDomain, Position};

/// The domain of a concept: chess positions, or placements of named pieces.
#[derive(Debug)]
pub enum ConceptDomain {
    /// Chess positions.
    Chess(ChessDomain),
    /// Named pieces on any squares.
    Placement(PlacementDomain),
}

impl ConceptDomain {
    /// The number of a chess position.
    pub(crate) fn chess_state(&self, position: Position) -> Result<Constant, ConceptError> {
        match self {
            ConceptDomain::Chess(domain) => Ok(domain.number(position)),
            ConceptDomain::Placement(_) => Err(ConceptError::NotOfChess),
        }
    }
}

impl Deref for ConceptDomain {
    type Target = dyn Domain;

    fn deref(&self) -> &Self::Target {
        match self {
            ConceptDomain::Chess(domain) => domain,
            ConceptDomain::Placement(domain) => domain,
        }
    }
}
