//! The concepts and quantities built in, in which rules are written.
//!
//! # Source
//! Morales 1992, appendices C, E and G. Where the thesis leaves a concept open, its line below says
//! how it is read.

use kibitz_board::{Chess, Position, Square};

use super::men::{Men, coordinates, distance, in_line, manhattan, on_edge};

/// A concept built in: a predicate of positions or of moves that rules can name.
#[derive(Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// What it means, in one line.
    pub doc: &'static str,
    pub(crate) test: Test,
}

#[derive(Debug)]
pub(crate) enum Test {
    /// Of a position.
    Position(fn(&Men) -> bool),
    /// Of a move: of the positions before and after it.
    Move(fn(&Men, &Men) -> bool),
    /// Of a move: whether a quantity grows, or else shrinks.
    Change(fn(&Men) -> u32, bool),
}

impl Test {
    /// Whether it holds for a move; a concept of positions, for the position after it.
    pub(crate) fn holds(&self, before: &Men, after: &Men) -> bool {
        match *self {
            Test::Position(test) => test(after),
            Test::Move(test) => test(before, after),
            Test::Change(measure, true) => measure(after) > measure(before),
            Test::Change(measure, false) => measure(after) < measure(before),
        }
    }

    pub(crate) fn is_of_move(&self) -> bool {
        !matches!(self, Test::Position(_))
    }
}

impl BuiltIn {
    /// Whether it is a predicate of moves.
    pub fn is_of_move(&self) -> bool {
        self.test.is_of_move()
    }

    /// Whether it holds for a position; a concept of moves, for some legal move.
    ///
    /// Without both kings and a man of White none holds.
    pub fn holds(&self, position: &Chess) -> bool {
        let Some(men) = Men::of(position.board()) else {
            return false;
        };
        if !self.is_of_move() {
            return self.test.holds(&men, &men);
        }
        position.legal_moves().into_iter().any(|m| {
            let mut next = position.clone();
            next.play_unchecked(m);
            Men::of(next.board()).is_some_and(|after| self.test.holds(&men, &after))
        })
    }
}

const fn of_position(name: &'static str, doc: &'static str, test: fn(&Men) -> bool) -> BuiltIn {
    let test = Test::Position(test);
    BuiltIn { name, doc, test }
}

const fn of_move(name: &'static str, doc: &'static str, test: fn(&Men, &Men) -> bool) -> BuiltIn {
    let test = Test::Move(test);
    BuiltIn { name, doc, test }
}

/// The concepts of appendices C and E, and of the rules of the game.
pub const BUILT_IN: &[BuiltIn] = &[
    of_position("in_check", "the black king is attacked", Men::in_check),
    of_position(
        "stale",
        "the black king has no legal move, in check or not (appendix G)",
        Men::stale,
    ),
    of_position("check_mate", "it has none and is in check", |men| {
        men.in_check() && men.stale()
    }),
    of_position(
        "threatkR",
        "the black king can take the man",
        Men::threatened,
    ),
    of_position(
        "rook_divs",
        "the man is strictly between the kings, by file or by rank",
        |s| Men::between(s.king, s.man, s.oking),
    ),
    of_position(
        "rKk",
        "the black king is strictly between man and king",
        |s| Men::between(s.man, s.oking, s.king),
    ),
    of_position(
        "rkK",
        "the king is strictly between man and black king",
        |s| Men::between(s.man, s.king, s.oking),
    ),
    of_position(
        "opposition",
        "the kings are two apart on a file or rank",
        Men::opposition,
    ),
    of_position(
        "almost_opposition",
        "a knight's move apart",
        Men::almost_opposition,
    ),
    of_position(
        "l_patt",
        "opposition, and check along the other axis",
        |s| {
            s.opposition()
                && s.in_check()
                && in_line(s.man, s.oking)
                && (s.man.file() == s.oking.file()) == (s.king.rank() == s.oking.rank())
        },
    ),
    of_position("r_edge", "the man is on an edge of the board", |s| {
        on_edge(s.man)
    }),
    of_position(
        "k_edge",
        "the black king is on an edge (undefined in the thesis)",
        |s| on_edge(s.oking),
    ),
    of_position(
        "kings_same_side",
        "both kings are on one side of the man, by file or by rank",
        Men::kings_same_side,
    ),
    of_position("in_lineRK", "man and king on a file or rank", |s| {
        in_line(s.man, s.king)
    }),
    of_position("closeRK2", "man and king two apart", |s| {
        distance(s.man, s.king) == 2
    }),
    of_position("distkR6", "man and black king six apart", |s| {
        distance(s.man, s.oking) == 6
    }),
    of_position("distKR1", "man and king beside each other", |s| {
        distance(s.man, s.king) == 1
    }),
    of_position(
        "closerkKR",
        "the black king is nearer to the man than the king is",
        |s| distance(s.oking, s.man) < distance(s.king, s.man),
    ),
    of_position(
        "closerKkR",
        "the king is nearer to the man than the black king is",
        |s| distance(s.king, s.man) < distance(s.oking, s.man),
    ),
    of_position(
        "k_trap",
        "the black king is on an edge, the man on the line beside it",
        Men::trapped,
    ),
    of_position(
        "corner",
        "the black king in a corner, in diagonal opposition",
        |s| s.in_corner(&[Square::A1]),
    ),
    of_position("corner2", "the black king one square from there", |s| {
        s.in_corner(&[Square::A2, Square::B1])
    }),
    of_move(
        "closerKk",
        "the king comes nearer to the black king, by Manhattan distance",
        |a, b| manhattan(b.king, b.oking) < manhattan(a.king, a.oking),
    ),
    of_move(
        "rcloserKk",
        "the king comes nearer to the black king, by distance",
        closer_kings,
    ),
    of_move(
        "str_closerKk",
        "the same: the other metric (undefined in the thesis)",
        closer_kings,
    ),
    of_move(
        "mvKcloserk",
        "the same (undefined in the thesis)",
        closer_kings,
    ),
    of_move(
        "mvKcloserR",
        "the king comes nearer to the man, by distance",
        |a, b| a.man == b.man && distance(b.king, b.man) < distance(a.king, a.man),
    ),
    of_move(
        "awayRk",
        "man and black king move apart, by distance",
        |a, b| distance(b.man, b.oking) > distance(a.man, a.oking),
    ),
    of_move(
        "rawayRk",
        "man and black king move apart, by Manhattan distance",
        |a, b| manhattan(b.man, b.oking) > manhattan(a.man, a.oking),
    ),
    of_move(
        "rcloserRk",
        "man and black king come nearer, by Manhattan distance",
        |a, b| manhattan(b.man, b.oking) < manhattan(a.man, a.oking),
    ),
    of_move(
        "squeeze",
        "the area that the man leaves the black king gets smaller",
        |a, b| {
            a.area()
                .is_some_and(|before| b.area().is_some_and(|after| after < before))
        },
    ),
];

fn closer_kings(before: &Men, after: &Men) -> bool {
    distance(after.king, after.oking) < distance(before.king, before.oking)
}

/// A quantity of positions, of which rules can prefer more or less.
#[derive(Debug)]
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// What it means, in one line.
    pub doc: &'static str,
    pub(crate) measure: fn(&Men) -> u32,
}

const fn quantity(name: &'static str, doc: &'static str, measure: fn(&Men) -> u32) -> Quantity {
    Quantity { name, doc, measure }
}

/// The quantities that a strategy can prefer more or less of.
pub const QUANTITIES: &[Quantity] = &[
    quantity(
        "man_distance",
        "distance of the man from the black king",
        |s| distance(s.man, s.oking),
    ),
    quantity("support", "distance of the man from its king", |s| {
        distance(s.man, s.king)
    }),
    quantity(
        "edge_distance",
        "distance of the man from the nearest edge",
        |s| {
            let [x, y] = coordinates(s.man).map(|at| (at - 1).min(8 - at));
            x.min(y)
        },
    ),
    quantity(
        "center_distance",
        "distance of the king from the center, in half squares",
        |s| {
            coordinates(s.king)
                .map(|at| (2 * at).abs_diff(9))
                .iter()
                .sum()
        },
    ),
    quantity("king_distance", "Manhattan distance of the kings", |s| {
        manhattan(s.king, s.oking)
    }),
    quantity(
        "area",
        "files times ranks that the man leaves the black king; 64 if they are in line",
        |s| s.area().unwrap_or(64),
    ),
    quantity(
        "mobility",
        "squares that the black king can go to",
        Men::mobility,
    ),
];

const fn change(name: &'static str, quantity: usize, more: bool) -> BuiltIn {
    let own = &QUANTITIES[quantity];
    let test = Test::Change(own.measure, more);
    BuiltIn {
        name,
        doc: own.doc,
        test,
    }
}

/// Concepts of moves by which a [quantity](QUANTITIES) shrinks or grows.
pub const CHANGES: &[BuiltIn] = &[
    change("less_man_distance", 0, false),
    change("more_man_distance", 0, true),
    change("less_support", 1, false),
    change("more_support", 1, true),
    change("less_edge_distance", 2, false),
    change("more_edge_distance", 2, true),
    change("less_center_distance", 3, false),
    change("more_center_distance", 3, true),
    change("less_king_distance", 4, false),
    change("more_king_distance", 4, true),
    change("less_area", 5, false),
    change("more_area", 5, true),
    change("less_mobility", 6, false),
    change("more_mobility", 6, true),
];

/// Concepts that the thesis does not name, though its background predicates can define them: by
/// coordinates, distances and `less_than`, and by the moves of a king.
pub const FURTHER: &[BuiltIn] = &[
    of_position(
        "k_corner",
        "the black king is in a corner or beside one",
        |s| coordinates(s.oking).into_iter().all(near_edge),
    ),
    of_position(
        "k_edge2",
        "the black king is on an edge or beside one",
        |s| coordinates(s.oking).into_iter().any(near_edge),
    ),
    of_position("distkK3", "the kings are three apart at most", |s| {
        distance(s.king, s.oking) <= 3
    }),
    of_position("distkR2", "man and black king are two apart at most", |s| {
        distance(s.man, s.oking) <= 2
    }),
    of_position("distKR2", "man and king are two apart at most", |s| {
        distance(s.man, s.king) <= 2
    }),
    of_position(
        "one_move",
        "the black king can go to one square at most",
        |s| s.mobility() <= 1,
    ),
];

/// Whether a file or rank is the first or last, or next to it.
fn near_edge(at: u32) -> bool {
    !(3..=6).contains(&at)
}
