//! The number of mines, or their density.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A player's information about the number of mines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mines {
    /// There are so many on the board, every arrangement of them equally likely.
    Total(usize),
    /// Only their density: every tile holds one with this probability, independently of the others.
    Density(Density),
}

/// The probability of a mine on a tile of which nothing is known, from [`Self::LEAST`] to
/// [`Self::GREATEST`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Density(f64);

/// A number that is no density.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a density: expected a number from 0.001 to 0.999")]
pub struct DensityError(String);

impl Density {
    /// The least density.
    pub const LEAST: f64 = 0.001;
    /// The greatest density.
    pub const GREATEST: f64 = 0.999;

    /// Mines as likely as none: every arrangement weighs the same, however many mines it has.
    pub(crate) const HALF: Self = Self(0.5);

    /// A density.
    ///
    /// # Errors
    /// If the number is not within bounds.
    pub fn new(density: f64) -> Result<Self, DensityError> {
        let is_within = (Self::LEAST..=Self::GREATEST).contains(&density);
        let error = || DensityError(density.to_string());
        is_within.then_some(Self(density)).ok_or_else(error)
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Density {
    type Err = DensityError;

    fn from_str(text: &str) -> Result<Self, DensityError> {
        let number: Option<f64> = text.parse().ok();
        let density = number.and_then(|number| Self::new(number).ok());
        density.ok_or_else(|| DensityError(text.to_owned()))
    }
}

impl fmt::Display for Mines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Total(n_mines) => write!(f, "{n_mines}"),
            Self::Density(density) => write!(f, "a density of {}", density.get()),
        }
    }
}

impl From<usize> for Mines {
    fn from(total: usize) -> Self {
        Self::Total(total)
    }
}
