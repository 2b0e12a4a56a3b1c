//! Feature declarations of the background predicates: how their arguments relate to pieces.

/// The name of a declared predicate.
pub(crate) fn name_of(declaration: &str) -> &str {
    declaration.split('(').next().unwrap_or(declaration)
}

/// The predicates over chess positions.
pub(crate) const CHESS: &[&str] = &[
    "other_side(_, _)",
    "sliding_piece(piece(1), square(file(1), rank(1)), state)",
    "in_check(side(1), square(file(1), rank(1)), piece(2), square(file(2), rank(2)), state)",
    "check_mate(side(1), square(file(1), rank(1)), state)",
    "legal_move(side(1), piece(1), square(file(1), rank(1)), square(file(2, optional), rank(2, optional)), state)",
    "piece_move(side(1), piece(1), square(file(1), rank(1)), square(file(2, optional), rank(2, optional)), state)",
    "stale(side(1), piece(1), square(file(1), rank(1)), state)",
    "all_but_k(piece(1), square(file(1), rank(1)), state)",
    "line(square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "distance(square(file(1), rank(1)), square(file(2), rank(2)), _, state)",
    "manh_distance(square(file(1), rank(1)), square(file(2), rank(2)), _, state)",
    "restr_distance(square(file(1), rank(1)), square(file(2), rank(2)), _, state)",
    "restr_manh_dist(square(file(1), rank(1)), square(file(2), rank(2)), _, state)",
    "dist_qs(square(file(1), rank(1)), _, state)",
    "manh_dist_qs(square(file(1), rank(1)), _, state)",
    "nearer_qs(square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "area(square(file(1), rank(1)), square(file(2), rank(2)), _, state)",
    "nearer(square(file(1), rank(1)), square(file(2), rank(2)), square(file(3), rank(3)), state)",
    "distance_falls(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "distance_rises(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "manh_distance_falls(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "restr_distance_falls(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "restr_distance_rises(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "restr_manh_dist_rises(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "restr_manh_dist_falls_on_file(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "restr_manh_dist_falls_on_rank(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "area_falls(side(1), piece(1), square(file(1), rank(1)), square(file(2), rank(2)), state)",
    "coordx(square(file(1), rank(1)), file(1), state)",
    "coordy(square(file(1), rank(1)), rank(1), state)",
    "less_than(file(1), file(2))",
    "less_than(rank(1), rank(2))",
];

/// The transition of dynamic concepts.
pub(crate) const MAKE_MOVE: &str = "make_move(side(1), piece(1), square(file(1), rank(1)), square(file(2, optional), rank(2, optional)), state, next)";

/// The comparison of numbers in facts of one predicate, before or after a move.
pub(crate) const LESS_VALUE: &str = "less_value(_, _, state)";

/// The predicates over placements.
pub(crate) const PLACEMENT: &[&str] = &[
    "adjacent(file(1), file(2))",
    "adjacent(rank(1), rank(2))",
    "adj_or_eq(file(1), file(2))",
    "adj_or_eq(rank(1), rank(2))",
    "less_than(file(1), file(2))",
    "less_than(rank(1), rank(2))",
    "line(file(1), rank(1), file(2), rank(2), state)",
];
