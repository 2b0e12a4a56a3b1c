//! Positions of king and rook against king, and what makes them illegal.

use std::fmt::Write;

use rand::RngExt;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

/// File and rank of white king, white rook and black king, each 0 to 7.
pub(super) type Position = [i64; 6];

/// An exact definition; `adj/2` and `lt/2` are given as facts.
pub(super) const EXACT: &str = "\
illegal(A,B,C,D,E,F) :- adj(A,E), adj(B,F).
illegal(A,B,A,B,E,F).
illegal(A,B,C,D,C,F) :- lt(A,C).
illegal(A,B,C,D,C,F) :- lt(C,A).
illegal(A,B,C,D,C,F) :- lt(B,D), lt(B,F).
illegal(A,B,C,D,C,F) :- lt(D,B), lt(F,B).
illegal(A,B,C,D,E,D) :- lt(B,D).
illegal(A,B,C,D,E,D) :- lt(D,B).
illegal(A,B,C,D,E,D) :- lt(A,C), lt(A,E).
illegal(A,B,C,D,E,D) :- lt(C,A), lt(E,A).
";

/// Whether a position is illegal with White to move.
pub(super) fn is_illegal([a, b, c, d, e, f]: Position) -> bool {
    let between = |x: i64, y: i64, z: i64| y.min(z) < x && x < y.max(z);
    (a == c && b == d)
        || (c == e && d == f)
        || ((a - e).abs() <= 1 && (b - f).abs() <= 1)
        || (c == e && !(a == c && between(b, d, f)))
        || (d == f && !(b == d && between(a, c, e)))
}

/// All 262,144 positions.
pub(super) fn all() -> impl Iterator<Item = Position> {
    (0..1_i64 << 18).map(|n| std::array::from_fn(|place| n >> (3 * (5 - place)) & 7))
}

/// Different positions at random.
pub(super) fn sample(n: usize, seed: u64) -> Vec<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = std::collections::BTreeSet::new();
    let mut positions = Vec::with_capacity(n);
    while positions.len() < n.min(1 << 18) {
        let position = std::array::from_fn(|_| rng.random_range(0..8));
        if seen.insert(position) {
            positions.push(position);
        }
    }
    positions
}

/// `illegal(..)` as Prolog has it.
pub(super) fn atom(position: Position) -> String {
    format!("illegal({})", tuple(position))
}

fn tuple(position: Position) -> String {
    position.map(|value| value.to_string()).join(",")
}

fn pairs(holds: impl Fn(i64, i64) -> bool) -> Vec<(i64, i64)> {
    let all = (0..8).flat_map(|x| (0..8).map(move |y| (x, y)));
    all.filter(|&(x, y)| holds(x, y)).collect()
}

fn tables() -> [(&'static str, Vec<(i64, i64)>); 2] {
    [
        ("adj", pairs(|x, y| (x - y).abs() <= 1)),
        ("lt", pairs(|x, y| x < y)),
    ]
}

/// The background as facts.
pub(super) fn facts() -> String {
    let mut text = String::new();
    for (name, rows) in tables() {
        for (x, y) in rows {
            let _ = writeln!(text, "{name}({x},{y}).");
        }
    }
    text
}

/// Popper's three files.
pub(super) fn popper(positions: &[Position]) -> [(&'static str, String); 3] {
    let mut examples = String::new();
    for &position in positions {
        let side = if is_illegal(position) { "pos" } else { "neg" };
        let _ = writeln!(examples, "{side}({}).", atom(position));
    }
    let bias = "non_datalog.\nhead_pred(illegal,6).\nbody_pred(adj,2).\nbody_pred(lt,2).\n\
                type(illegal,(rf,rf,rf,rf,rf,rf)).\ntype(adj,(rf,rf)).\ntype(lt,(rf,rf)).\n";
    [
        ("exs.pl", examples),
        ("bk.pl", facts()),
        ("bias.pl", bias.to_owned()),
    ]
}

/// FOIL's file.
pub(super) fn foil(positions: &[Position]) -> String {
    let mut text = "#rf: 0,1,2,3,4,5,6,7.\n\nillegal(rf,rf,rf,rf,rf,rf)\n".to_owned();
    for (side, end) in [(true, ";"), (false, ".")] {
        for &position in positions.iter().filter(|p| is_illegal(**p) == side) {
            let _ = writeln!(text, "{}", tuple(position));
        }
        let _ = writeln!(text, "{end}");
    }
    for (name, rows) in tables() {
        let _ = writeln!(text, "*{name}(rf,rf) ##");
        for (x, y) in rows {
            let _ = writeln!(text, "{x},{y}");
        }
        let _ = writeln!(text, ".");
    }
    text
}

/// Aleph's file.
pub(super) fn aleph(positions: &[Position]) -> String {
    let mut text = ":- use_module(library(aleph)).\n:- aleph.\n:- style_check(-discontiguous).\n\
                    :- aleph_set(i,2).\n:- aleph_set(clauselength,6).\n:- aleph_set(nodes,30000).\n\
                    :- aleph_set(verbosity,0).\n\
                    :- modeh(1,illegal(+rf,+rf,+rf,+rf,+rf,+rf)).\n\
                    :- modeb(1,adj(+rf,+rf)).\n:- modeb(1,lt(+rf,+rf)).\n\
                    :- determination(illegal/6,adj/2).\n:- determination(illegal/6,lt/2).\n\
                    :- begin_bg.\n"
        .to_owned();
    text.push_str(&facts());
    text.push_str(":- end_bg.\n");
    for (side, name) in [(true, "pos"), (false, "neg")] {
        let _ = writeln!(text, ":- begin_in_{name}.");
        for &position in positions.iter().filter(|p| is_illegal(**p) == side) {
            let _ = writeln!(text, "{}.", atom(position));
        }
        let _ = writeln!(text, ":- end_in_{name}.");
    }
    text.push_str(":- aleph_read_all.\n");
    text
}
