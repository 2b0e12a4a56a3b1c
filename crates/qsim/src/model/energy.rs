//! The energy constraint: how kinetic and potential energy may change between two states.

use serde::{Deserialize, Serialize};

use crate::frame::Frame;
use crate::quantity::{Magnitude, QValue};
use crate::relation::farther;
use crate::sign::Signs;

/// How the energy of a system with a position and a velocity develops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EnergyTrend {
    /// It stays as it is.
    Conserved,
    /// It becomes less as long as the system moves.
    Dissipated,
}

/// An energy constraint, which refuses states that no real motion reaches.
///
/// The kinetic energy grows with the distance of the velocity from zero, the potential energy with
/// the distance of the position from rest, on either side of it.
///
/// # Source
/// Fouché and Kuipers 1992, Reasoning about energy in qualitative simulation, IEEE Transactions
/// on Systems, Man, and Cybernetics 22 (1), 47–63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Energy {
    /// Index of the position.
    pub position: usize,
    /// Landmark of the position at which the potential energy is least.
    pub rest: Magnitude,
    /// Index of the velocity; its space has a zero.
    pub velocity: usize,
    /// How the energy develops.
    pub trend: EnergyTrend,
}

impl Energy {
    /// The possible signs of the energy's change from an `earlier` state of the branch to `state`;
    /// `first` is the frame of the model, in which `rest` is given.
    pub(crate) fn change(
        &self,
        frame: &Frame,
        earlier: (&Frame, &[QValue]),
        first: &Frame,
        state: &[QValue],
    ) -> Signs {
        let (earlier, before) = earlier;
        let gain = |variable: usize, zero: u16| {
            let is = state[variable].rank();
            let was = frame.carried(earlier, variable, before[variable].rank());
            farther((is, is), was, zero)
        };
        let rest = frame.carried(first, self.position, self.rest.0).0;
        let zero = frame.spaces[self.velocity]
            .zero()
            .expect("checked with the model");
        gain(self.position, rest).plus(gain(self.velocity, zero.0))
    }

    /// The signs that the trend allows; `passed` says whether time has passed.
    pub(crate) fn allowed(&self, passed: bool) -> Signs {
        match (self.trend, passed) {
            (EnergyTrend::Conserved, _) => Signs::ZERO,
            (EnergyTrend::Dissipated, true) => Signs::NEGATIVE,
            // A transition can take energy away.
            (EnergyTrend::Dissipated, false) => Signs::NEGATIVE.or(Signs::ZERO),
        }
    }
}
