//! How much time cells at work have had: the CPU time of this process, shared equally among them.
//!
//! A cell may have threads of its own, of a pool, or of a library, and several cells run at once, so
//! that no clock of a thread tells what one cell used. Of every stretch of time each cell at work is
//! therefore charged an equal share of what all threads of the process used meanwhile, and no more than
//! the stretch is long: a cell with many threads counts as one with one. What other programs use, and
//! the time in which a cell waits, is charged to none.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Clock;

/// Charges the cells at work.
#[derive(Debug)]
pub(super) struct Meter {
    clock: Clock,
    shares: Mutex<Shares>,
}

/// The start of a cell: the CPU time that had been charged to each cell by then.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellStart(Duration);

/// Shorter stretches are charged together: a cell may ask in its innermost loop.
const STRETCH: Duration = Duration::from_millis(5);

impl Meter {
    pub(super) fn new(clock: Clock) -> Self {
        let shares = Shares {
            last: clock.now(),
            charged: Duration::ZERO,
            n_cells: 0,
        };
        Self {
            clock,
            shares: Mutex::new(shares),
        }
    }

    /// A cell begins.
    pub(super) fn begin(&self) -> CellStart {
        self.with(Duration::ZERO, |shares| {
            shares.n_cells += 1;
            CellStart(shares.charged)
        })
    }

    /// A cell ends.
    pub(super) fn end(&self) {
        self.with(Duration::ZERO, |shares| {
            shares.n_cells = shares.n_cells.saturating_sub(1);
        });
    }

    /// What a cell at work has been charged.
    pub(super) fn charged(&self, begun: CellStart) -> Duration {
        self.with(STRETCH, |shares| shares.charged.saturating_sub(begun.0))
    }

    /// Charges the stretch since the last time, if it is that long.
    fn with<T>(&self, stretch: Duration, then: impl FnOnce(&mut Shares) -> T) -> T {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = (self.clock.wall)();
        if passed.saturating_sub(shares.last.wall) >= stretch {
            shares.advance(self.clock.now());
        }
        then(&mut shares)
    }
}

/// A time, on both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) wall: Duration,
    pub(crate) processor: Duration,
}

/// What has been charged to each cell at work.
#[derive(Debug)]
struct Shares {
    last: Moment,
    /// To a cell that was at work all the time.
    charged: Duration,
    n_cells: u32,
}

impl Shares {
    /// Charges the stretch from the last moment to this one.
    fn advance(&mut self, now: Moment) {
        let passed = now.wall.saturating_sub(self.last.wall);
        let used = now.processor.saturating_sub(self.last.processor);
        self.charged += passed.min(used / self.n_cells.max(1));
        self.last = now;
    }
}

impl Clock {
    fn now(&self) -> Moment {
        Moment {
            wall: (self.wall)(),
            processor: (self.processor)(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares() -> Shares {
        let last = Moment {
            wall: Duration::ZERO,
            processor: Duration::ZERO,
        };
        Shares {
            last,
            charged: Duration::ZERO,
            n_cells: 0,
        }
    }

    /// Lets seconds pass and be used; gives what was charged in all.
    fn pass(shares: &mut Shares, wall: u64, processor: u64) -> u64 {
        let Moment {
            wall: passed,
            processor: used,
        } = shares.last;
        shares.advance(Moment {
            wall: passed + Duration::from_secs(wall),
            processor: used + Duration::from_secs(processor),
        });
        shares.charged.as_secs()
    }

    #[test]
    fn a_cell_is_charged_what_the_process_used_and_no_more_than_the_time_that_passed() {
        let mut shares = shares();
        shares.n_cells = 1;
        assert_eq!(pass(&mut shares, 10, 10), 10, "alone on a processor");
        assert_eq!(
            pass(&mut shares, 100, 20),
            30,
            "others keep the machine busy"
        );
        assert_eq!(pass(&mut shares, 60, 0), 30, "it waits");
        assert_eq!(pass(&mut shares, 10, 80), 40, "it has eight threads");
        shares.n_cells = 4;
        assert_eq!(
            pass(&mut shares, 10, 40),
            50,
            "four cells on four processors"
        );
        assert_eq!(
            pass(&mut shares, 10, 8),
            52,
            "four cells on a busy processor"
        );
    }
}
