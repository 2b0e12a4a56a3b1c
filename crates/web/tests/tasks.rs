//! The tasks that a page offers are what they say.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{fmt::Write as _, fs, path::Path};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Whether black, whose king is on (e, f), stands in a position that cannot be, white to move.
fn is_illegal([a, b, c, d, e, f]: [i64; 6]) -> bool {
    let between = |x: i64, y: i64, z: i64| y.min(z) < x && x < y.max(z);
    (a == c && b == d)
        || (c == e && d == f)
        || ((a - e).abs() <= 1 && (b - f).abs() <= 1)
        || (c == e && !(a == c && between(b, d, f)))
        || (d == f && !(b == d && between(a, c, e)))
}

#[test]
fn positions_are_drawn_and_labelled_by_the_rules_of_chess() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut examples = String::new();
    for _ in 0..1_000 {
        let position: [i64; 6] = std::array::from_fn(|_| rng.random_range(0..8));
        let sign = if is_illegal(position) { "pos" } else { "neg" };
        let squares = position.map(|square| square.to_string()).join(",");
        writeln!(examples, "{sign}(illegal({squares})).").unwrap();
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/krki-1000/exs.pl");
    let committed = fs::read_to_string(&file).unwrap_or_default();
    if committed.is_empty() {
        fs::write(&file, &examples).unwrap();
    }
    assert!(
        committed == examples,
        "remove {} to have it written anew",
        file.display()
    );
}
