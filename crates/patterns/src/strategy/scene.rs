//! What strategies can say of an endgame: concepts and preferences built in.
//!
//! White is the side that wins. Its *man* is the piece besides the king that it wins with, the rook of
//! king and rook against king; of several the most valuable one.
//!
//! # Source
//! Morales 1992, appendices C, E and G. Where the thesis leaves a concept open, its line below says
//! how it is read.

use kibitz_board::{Bitboard, Board, Chess, Color, File, Position, Rank, Role, Square, attacks};

/// The men of a position as concepts speak of them.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    board: Board,
    king: Square,
    oking: Square,
    man: Square,
}

impl Scene {
    /// `None` without both kings and a man of White.
    pub(crate) fn of(board: &Board) -> Option<Scene> {
        let men = board.white() & !board.kings();
        let man = Role::ALL
            .into_iter()
            .rev()
            .find_map(|role| (men & board.by_role(role)).first())?;
        Some(Scene {
            king: board.king_of(Color::White)?,
            oking: board.king_of(Color::Black)?,
            man,
            board: board.clone(),
        })
    }

    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// Whether White attacks a square, on which the black king may stand.
    fn attacks(&self, square: Square) -> bool {
        let occupied = self.board.occupied() & !Bitboard::from_square(self.oking);
        let attackers = self.board.attacks_to(square, Color::White, occupied);
        attackers.any()
    }

    fn in_check(&self) -> bool {
        self.attacks(self.oking)
    }

    /// Squares that the black king can go to.
    fn mobility(&self) -> u32 {
        let squares = attacks::king_attacks(self.oking) & !self.board.black();
        squares
            .into_iter()
            .map(|square| u32::from(!self.attacks(square)))
            .sum()
    }

    /// Whether the black king has no legal move.
    fn stale(&self) -> bool {
        self.mobility() == 0
    }

    /// Whether the black king can take the man.
    fn threatened(&self) -> bool {
        distance(self.oking, self.man) == 1 && !self.attacks(self.man)
    }

    fn opposition(&self) -> bool {
        distance(self.king, self.oking) == 2 && in_line(self.king, self.oking)
    }

    fn almost_opposition(&self) -> bool {
        distance(self.king, self.oking) == 2 && manhattan(self.king, self.oking) == 3
    }

    /// Whether on an axis the first comes before or behind the second, and that the third.
    fn between(first: Square, second: Square, third: Square) -> bool {
        (0..2).any(|axis| {
            let [a, b, c] = [first, second, third].map(|square| coordinates(square)[axis]);
            (a < b && b < c) || (a > b && b > c)
        })
    }

    fn kings_same_side(&self) -> bool {
        (0..2).any(|axis| {
            let [a, b, c] =
                [self.king, self.man, self.oking].map(|square| coordinates(square)[axis]);
            (a < b && c < b) || (a > b && c > b)
        })
    }

    /// Files times ranks beyond the man on the black king's side; `None` if they are in line.
    fn area(&self) -> Option<u32> {
        let [[x, y], [kx, ky]] = [self.man, self.oking].map(coordinates);
        let room = |man: u32, king: u32| match king.cmp(&man) {
            std::cmp::Ordering::Less => Some(man - 1),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(8 - man),
        };
        Some(room(x, kx)? * room(y, ky)?)
    }

    /// Whether the black king is on an edge and the man on the line beside it.
    fn trapped(&self) -> bool {
        (0..2).any(|axis| {
            let [man, king] = [self.man, self.oking].map(|square| coordinates(square)[axis]);
            (man, king) == (2, 1) || (man, king) == (7, 8)
        })
    }

    /// Whether the kings stand on c3 and a square of these, or the same in another corner.
    fn in_corner(&self, squares: &[Square]) -> bool {
        let symmetries: [fn(Square) -> Square; 4] = [
            |square| square,
            Square::flip_horizontal,
            Square::flip_vertical,
            Square::rotate_180,
        ];
        symmetries
            .iter()
            .any(|turn| turn(self.king) == Square::C3 && squares.contains(&turn(self.oking)))
    }
}

/// File and rank, from 1.
fn coordinates(square: Square) -> [u32; 2] {
    [square.file().to_u32() + 1, square.rank().to_u32() + 1]
}

fn distance(a: Square, b: Square) -> u32 {
    a.distance(b)
}

fn manhattan(a: Square, b: Square) -> u32 {
    let [[x, y], [x2, y2]] = [a, b].map(coordinates);
    x.abs_diff(x2) + y.abs_diff(y2)
}

fn in_line(a: Square, b: Square) -> bool {
    a.file() == b.file() || a.rank() == b.rank()
}

fn on_edge(square: Square) -> bool {
    [File::A, File::H].contains(&square.file())
        || [Rank::First, Rank::Eighth].contains(&square.rank())
}

/// A concept that strategies can name.
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
    Position(fn(&Scene) -> bool),
    /// Of a move: of the positions before and after it.
    Move(fn(&Scene, &Scene) -> bool),
    /// Of a move: whether there is more of something after it, or less.
    Change(fn(&Scene) -> u32, bool),
}

impl Test {
    /// Whether it holds of a move; of the position after it if it is of a position.
    pub(crate) fn holds(&self, before: &Scene, after: &Scene) -> bool {
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
    /// Whether it is about a move.
    pub fn is_of_move(&self) -> bool {
        self.test.is_of_move()
    }

    /// Whether it is true of a position; of a concept about a move, whether it is of some legal move.
    ///
    /// Without both kings and a man of White nothing is.
    pub fn holds(&self, position: &Chess) -> bool {
        let Some(scene) = Scene::of(position.board()) else {
            return false;
        };
        if !self.is_of_move() {
            return self.test.holds(&scene, &scene);
        }
        position.legal_moves().into_iter().any(|m| {
            let mut next = position.clone();
            next.play_unchecked(m);
            Scene::of(next.board()).is_some_and(|after| self.test.holds(&scene, &after))
        })
    }
}

const fn of_position(name: &'static str, doc: &'static str, test: fn(&Scene) -> bool) -> BuiltIn {
    let test = Test::Position(test);
    BuiltIn { name, doc, test }
}

const fn of_move(
    name: &'static str,
    doc: &'static str,
    test: fn(&Scene, &Scene) -> bool,
) -> BuiltIn {
    let test = Test::Move(test);
    BuiltIn { name, doc, test }
}

/// The concepts that are built in: those of appendix C, of appendix E, and the rules of the game.
pub const BUILT_IN: &[BuiltIn] = &[
    of_position("in_check", "the black king is attacked", Scene::in_check),
    of_position(
        "stale",
        "the black king has no legal move, in check or not (appendix G)",
        Scene::stale,
    ),
    of_position("check_mate", "it has none and is in check", |scene| {
        scene.in_check() && scene.stale()
    }),
    of_position(
        "threatkR",
        "the black king can take the man",
        Scene::threatened,
    ),
    of_position(
        "rook_divs",
        "the man is strictly between the kings, by file or by rank",
        |s| Scene::between(s.king, s.man, s.oking),
    ),
    of_position(
        "rKk",
        "the black king is strictly between man and king",
        |s| Scene::between(s.man, s.oking, s.king),
    ),
    of_position(
        "rkK",
        "the king is strictly between man and black king",
        |s| Scene::between(s.man, s.king, s.oking),
    ),
    of_position(
        "opposition",
        "the kings are two apart on a file or rank",
        Scene::opposition,
    ),
    of_position(
        "almost_opposition",
        "a knight's move apart",
        Scene::almost_opposition,
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
        Scene::kings_same_side,
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
        Scene::trapped,
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

fn closer_kings(before: &Scene, after: &Scene) -> bool {
    distance(after.king, after.oking) < distance(before.king, before.oking)
}

/// What can be measured of a position, to prefer more or less of it.
#[derive(Debug)]
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// What it means, in one line.
    pub doc: &'static str,
    pub(crate) measure: fn(&Scene) -> u32,
}

const fn quantity(name: &'static str, doc: &'static str, measure: fn(&Scene) -> u32) -> Quantity {
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
        Scene::mobility,
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

/// Concepts about a move by which there is less, or more, of a [quantity](QUANTITIES) than before.
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

/// Concepts that the thesis does not name, though its background can say them: by coordinates,
/// distances and `less_than`, and by the moves of a king.
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

/// Whether a file or rank is the first or last, or beside it.
fn near_edge(at: u32) -> bool {
    !(3..=6).contains(&at)
}
