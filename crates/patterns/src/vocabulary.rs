//! The background predicates by name: what they need, and how their arguments relate to pieces.

/// A background predicate that a concept may ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its feature declarations.
    pub(crate) features: &'static [&'static str],
}

/// The predicates over chess positions.
pub(crate) const CHESS: &[Entry] = &[
    Entry {
        name: "other_side",
        features: &["other_side(_, _)"],
    },
    Entry {
        name: "sliding_piece",
        features: &["sliding_piece(piece(1), square(file(1), rank(1)), state)"],
    },
    Entry {
        name: "in_check",
        features: &[
            "in_check(side(1), square(file(1), rank(1)), piece(2), square(file(2), rank(2)), state)",
        ],
    },
    Entry {
        name: "check_mate",
        features: &["check_mate(side(1), square(file(1), rank(1)), state)"],
    },
    Entry {
        name: "legal_move",
        features: &[
            "legal_move(side(1), piece(1), square(file(1), rank(1)), square(file(2, optional), rank(2, optional)), state)",
        ],
    },
    Entry {
        name: "piece_move",
        features: &[
            "piece_move(side(1), piece(1), square(file(1), rank(1)), square(file(2, optional), rank(2, optional)), state)",
        ],
    },
    Entry {
        name: "stale",
        features: &["stale(side(1), piece(1), square(file(1), rank(1)), state)"],
    },
    Entry {
        name: "all_but_k",
        features: &["all_but_k(piece(1), square(file(1), rank(1)), state)"],
    },
    Entry {
        name: "line",
        features: &["line(square(file(1), rank(1)), square(file(2), rank(2)), state)"],
    },
    Entry {
        name: "distance",
        features: &["distance(square(file(1), rank(1)), square(file(2), rank(2)), _, state)"],
    },
    Entry {
        name: "manh_distance",
        features: &["manh_distance(square(file(1), rank(1)), square(file(2), rank(2)), _, state)"],
    },
    Entry {
        name: "coordx",
        features: &["coordx(square(file(1), rank(1)), file(1), state)"],
    },
    Entry {
        name: "coordy",
        features: &["coordy(square(file(1), rank(1)), rank(1), state)"],
    },
    Entry {
        name: "less_than",
        features: &["less_than(file(1), file(2))", "less_than(rank(1), rank(2))"],
    },
];

/// The move of dynamic concepts.
pub(crate) const MAKE_MOVE: &str = "make_move(side(1), piece(1), square(file(1), rank(1)), square(file(2, optional), rank(2, optional)), state, next)";

/// The predicates over placements.
pub(crate) const PLACEMENT: &[Entry] = &[
    Entry {
        name: "adjacent",
        features: &["adjacent(file(1), file(2))", "adjacent(rank(1), rank(2))"],
    },
    Entry {
        name: "adj_or_eq",
        features: &["adj_or_eq(file(1), file(2))", "adj_or_eq(rank(1), rank(2))"],
    },
    Entry {
        name: "less_than",
        features: &["less_than(file(1), file(2))", "less_than(rank(1), rank(2))"],
    },
    Entry {
        name: "line",
        features: &["line(file(1), rank(1), file(2), rank(2), state)"],
    },
];
