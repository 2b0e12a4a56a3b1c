//! The energy filter: between two moments kinetic and potential energy change by what is lost.

use crate::frame::Frame;
use crate::model::{Energy, EnergyTrend};
use crate::quantity::QValue;
use crate::relation::farther;
use crate::sign::Signs;

impl Energy {
    /// What the sign of the energy's change can be from state `before`, of an earlier frame.
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

    /// What the sign may be, given whether time has passed.
    pub(crate) fn allowed(&self, passed: bool) -> Signs {
        match (self.trend, passed) {
            (EnergyTrend::Conserved, _) => Signs::ZERO,
            (EnergyTrend::Dissipated, true) => Signs::NEGATIVE,
            // A transition can take energy away.
            (EnergyTrend::Dissipated, false) => Signs::NEGATIVE.or(Signs::ZERO),
        }
    }
}
