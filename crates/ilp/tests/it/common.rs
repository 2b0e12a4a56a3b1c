//! Learning tasks made up on the spot.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Whether a position of king, rook and king with White to move is illegal.
pub(crate) fn is_illegal([a, b, c, d, e, f]: [i64; 6]) -> bool {
    let between = |x: i64, y: i64, z: i64| y.min(z) < x && x < y.max(z);
    (a == c && b == d)
        || (c == e && d == f)
        || ((a - e).abs() <= 1 && (b - f).abs() <= 1)
        || (c == e && !(a == c && between(b, d, f)))
        || (d == f && !(b == d && between(a, c, e)))
}

/// Random positions without repetition, illegal and legal ones.
pub(crate) fn positions(n: usize, seed: u64) -> [Vec<[i64; 6]>; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = std::collections::BTreeSet::new();
    let mut sides = [Vec::new(), Vec::new()];
    while seen.len() < n {
        let position: [i64; 6] = std::array::from_fn(|_| rng.random_range(0..8));
        if seen.insert(position) {
            sides[usize::from(!is_illegal(position))].push(position);
        }
    }
    sides
}

pub(crate) fn atom(position: [i64; 6]) -> String {
    format!("illegal({})", position.map(|v| v.to_string()).join(","))
}

/// `adj/2` and `lt/2` on the numbers 0 to 7.
pub(crate) fn board_facts() -> String {
    let mut text = String::new();
    for x in 0i64..8 {
        for y in 0i64..8 {
            if (x - y).abs() <= 1 {
                let _ = writeln!(text, "adj({x},{y}).");
            }
            if x < y {
                let _ = writeln!(text, "lt({x},{y}).");
            }
        }
    }
    text
}

pub(crate) const POPPER_BIAS: &str = "head_pred(illegal,6). body_pred(adj,2). body_pred(lt,2).
type(illegal,(rf,rf,rf,rf,rf,rf)). type(adj,(rf,rf)). type(lt,(rf,rf)).
direction(illegal,(in,in,in,in,in,in)). direction(adj,(in,in)). direction(lt,(in,in)).
";

pub(crate) fn popper_examples(sides: &[Vec<[i64; 6]>; 2]) -> String {
    let mut text = String::new();
    for (side, name) in sides.iter().zip(["pos", "neg"]) {
        for position in side {
            let _ = writeln!(text, "{name}({}).", atom(*position));
        }
    }
    text
}
