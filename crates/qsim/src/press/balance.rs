//! Signs that the equations of an equilibrium determine independently of the terms of the adjugate.
//!
//! The responses X to all presses solve A X = −I and X A = −I. Where all terms of one of these equations
//! but one have known signs, and none of them are opposite, the last has the sign that balances them.

use std::collections::BTreeSet;

use super::terms::{MINUS, PLUS, opposite, times};

/// Settles ambiguous responses, by pressed variable and response, and returns which were settled. Links
/// are by target and source.
#[expect(
    clippy::needless_range_loop,
    reason = "matrices are read by row and column"
)]
pub(super) fn settle(bits: &[Vec<u8>], responses: &mut [Vec<u8>]) -> BTreeSet<(usize, usize)> {
    let n = bits.len();
    let mut settled = BTreeSet::new();
    loop {
        let before = settled.len();
        for equation in 0..n {
            for other in 0..n {
                // The rate of change of `equation` under a press on `other`.
                let press = if equation == other { PLUS } else { 0 };
                let terms = (0..n).map(|at| (bits[equation][at], (other, at)));
                balance(press, terms, responses, &mut settled);
                // The response of `other` to presses that cancel the links out of `equation`.
                let terms = (0..n).map(|at| (bits[at][equation], (at, other)));
                balance(press, terms, responses, &mut settled);
            }
        }
        if settled.len() == before {
            return settled;
        }
    }
}

/// Settles the one unknown response of an equation, if there is one: each term is a link times a response,
/// and all of them and the press add up to zero.
fn balance(
    press: u8,
    terms: impl Iterator<Item = (u8, (usize, usize))>,
    responses: &mut [Vec<u8>],
    settled: &mut BTreeSet<(usize, usize)>,
) {
    let mut known = press;
    let mut unknown = None;
    for (link, (pressed, variable)) in terms {
        let response = responses[pressed][variable];
        if link == 0 || response == 0 {
            continue;
        }
        if response == PLUS | MINUS {
            if unknown.replace((link, pressed, variable)).is_some() {
                return;
            }
        } else {
            known |= times(link, response);
        }
    }
    let Some((link, pressed, variable)) = unknown else {
        return;
    };
    if known == PLUS | MINUS || link == PLUS | MINUS && known != 0 {
        return;
    }
    responses[pressed][variable] = times(link, opposite(known));
    settled.insert((pressed, variable));
}
