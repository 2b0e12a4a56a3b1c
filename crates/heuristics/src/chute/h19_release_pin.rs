//! Heuristic 19: block pins.

use super::{Interpretation, MoveContext, Pin, pins::pin_targets};
use crate::Heuristic;

/// The move blocks a pin on an own piece, or releases a pin on an enemy piece: plus the value of the
/// piece shielded, minus the value of the piece freed, times p19.
///
/// As in heuristic 17 the piece at the far end of the line counts as the one pinned. Releasing means
/// to leave the line or to block it; a line opened into a direct attack is not a release.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 19. For other pieces and pins see [`Interpretation::PinnedBetween`] and
/// [`Interpretation::StandingPinner`].
#[derive(Clone, Copy, Debug)]
pub struct ReleasePin;

impl Heuristic for ReleasePin {
    fn name(&self) -> &'static str {
        "release-pin"
    }

    fn description(&self) -> &'static str {
        "block pins"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let stands = |pin: &&Pin| {
            context.board.color_at(pin.pinner) == before.board().color_at(pin.pinner)
                && context.board.color_at(pin.target) == before.board().color_at(pin.target)
        };
        let value = |pin: &Pin| {
            let is_between = before.reads(Interpretation::PinnedBetween);
            before.value_on(if is_between { pin.between } else { pin.target })
        };
        let shielded: f64 = before
            .pins
            .get(before.them)
            .iter()
            .filter(stands)
            .filter(|pin| pin.target != context.piece.from && is_blocked(context, pin))
            .map(value)
            .sum();
        let freed: f64 = before
            .pins
            .get(before.us)
            .iter()
            .filter(|pin| is_released(context, pin))
            .map(value)
            .sum();
        (shielded - freed) * before.p(19)
    }
}

/// Whether more than one piece now stands on the line of a pin.
fn is_blocked(context: &MoveContext<'_>, pin: &Pin) -> bool {
    (pin.line & context.board.occupied()).more_than_one()
}

/// Whether an own pin is gone although its target still stands and is not attacked instead.
fn is_released(context: &MoveContext<'_>, pin: &Pin) -> bool {
    if !context.theirs().contains(pin.target) {
        return false;
    }
    let Some(moved) = context.moved().find(|moved| moved.from == pin.pinner) else {
        return is_blocked(context, pin);
    };
    if context.before.reads(Interpretation::StandingPinner) {
        return false;
    }
    let pinned = pin_targets(
        &context.board,
        &context.attacks,
        moved.to,
        context.before.parameters,
    );
    let reached = pinned | context.attacks.attacks_from(moved.to);
    !reached.contains(pin.target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn a_pin_on_an_own_piece_is_blocked() {
        // The bishop b4 looks through the knight c3 at the king; the rook steps between.
        let fen = "4k3/8/8/8/1b6/2N5/8/3RK3 w - - 0 1";
        check(&ReleasePin, fen, "d1d2", 100.0);
        check(&ReleasePin, fen, "d1d3", 0.0);
        // The king walks out of the pin: nothing is blocked.
        check(&ReleasePin, fen, "e1f2", 0.0);
    }

    #[test]
    fn a_pin_on_an_enemy_piece_is_released() {
        let fen = "4k3/8/2n5/1B6/8/8/8/4K3 w - - 0 1";
        check(&ReleasePin, fen, "b5e2", -100.0);
        check_read(
            &ReleasePin,
            &[Interpretation::PinnedBetween],
            fen,
            "b5e2",
            -30.0,
        );
        check_read(
            &ReleasePin,
            &[Interpretation::StandingPinner],
            fen,
            "b5e2",
            0.0,
        );
        // From a4 the bishop still pins the knight, and taking it leads to a check.
        check(&ReleasePin, fen, "b5a4", 0.0);
        check(&ReleasePin, fen, "b5c6", 0.0);
    }

    #[test]
    fn an_own_piece_may_get_in_the_way() {
        // The knight steps between the bishop and the knight that it pins.
        check(
            &ReleasePin,
            "4k3/8/2n5/8/B3N3/8/8/4K3 w - - 0 1",
            "e4c5",
            0.0,
        );
        check(
            &ReleasePin,
            "4k3/3n4/8/8/B2N4/8/8/4K3 w - - 0 1",
            "d4b5",
            -100.0,
        );
        // Taking the piece between keeps the line shut by one piece.
        check(
            &ReleasePin,
            "4k3/3n4/8/4N3/B7/8/8/4K3 w - - 0 1",
            "e5d7",
            0.0,
        );
    }
}
