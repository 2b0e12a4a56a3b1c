//! Positions of three pieces as six coordinates, and relations of coordinates.

use kibitz_ilp::{Bias, Task};
use kibitz_prolog::{
    Argument, Atom, BitSet, Clause, Direction, Mode, Predicate, SymbolTable, Term, bits_where,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// File and rank of three pieces, each 1 to 8.
pub(super) type Position = [i64; 6];

/// Number of positions: 8⁶.
pub(super) const N_POSITIONS: usize = 1 << 18;

/// The position with this number.
pub(super) fn position(index: usize) -> Position {
    let digit = |place: usize| u8::try_from(index >> (3 * (5 - place)) & 7).unwrap_or(7);
    std::array::from_fn(|place| i64::from(digit(place)) + 1)
}

/// The concepts that are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Concept {
    /// White king, white rook and black king in an illegal position with White to move.
    Illegal,
    /// Three pieces on a rising diagonal, in order.
    Diagonal,
}

impl Concept {
    fn name(self) -> &'static str {
        match self {
            Self::Illegal => "illegal",
            Self::Diagonal => "diagonal",
        }
    }

    /// Whether the concept is true of a position by the rules of chess or of geometry.
    pub(super) fn holds(self, [a, b, c, d, e, f]: Position) -> bool {
        let between = |x: i64, y: i64, z: i64| y.min(z) < x && x < y.max(z);
        match self {
            Self::Illegal => {
                let same_square = (a, b) == (c, d) || (c, d) == (e, f);
                let kings_touch = (a - e).abs() <= 1 && (b - f).abs() <= 1;
                let on_file = c == e && !(a == c && between(b, d, f));
                let on_rank = d == f && !(b == d && between(a, c, e));
                same_square || kings_touch || on_file || on_rank
            }
            Self::Diagonal => a < c && c < e && c - a == d - b && e - c == f - d,
        }
    }

    /// Types of the six arguments. Files and ranks are kept apart for `illegal`, as the letters and
    /// numbers of the thesis are; the clauses it prints for `diagonal` mix them.
    pub(super) fn kinds(self) -> [&'static str; 6] {
        match self {
            Self::Illegal => ["file", "rank", "file", "rank", "file", "rank"],
            Self::Diagonal => ["coordinate"; 6],
        }
    }

    /// Types of coordinates.
    fn coordinates(self) -> &'static [&'static str] {
        match self {
            Self::Illegal => &["file", "rank"],
            Self::Diagonal => &["coordinate"],
        }
    }
}

/// Background predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Background {
    /// `adjacent(X,Y)`: neighbors.
    Adjacent,
    /// `adj_or_eq(X,Y)`: neighbors or the same.
    AdjOrEq,
    /// `less_than(X,Y)`.
    LessThan,
    /// `equal(X,Y)`: the same, for learners that do not let arguments of a head be the same variable.
    Equal,
    /// `line(X1,Y1,X2,Y2)`: two different squares on a file, rank or diagonal.
    Line,
    /// `abs_diff(X,Y,D)`: D is the distance of X and Y.
    AbsDiff,
}

impl Background {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Adjacent => "adjacent",
            Self::AdjOrEq => "adj_or_eq",
            Self::LessThan => "less_than",
            Self::Equal => "equal",
            Self::Line => "line",
            Self::AbsDiff => "abs_diff",
        }
    }

    /// Whether it is a relation of two coordinates.
    pub(super) fn relates_two(self) -> bool {
        matches!(
            self,
            Self::Adjacent | Self::AdjOrEq | Self::LessThan | Self::Equal
        )
    }

    /// The facts, in ascending order.
    pub(super) fn facts(self) -> Vec<Vec<i64>> {
        let pairs = || (1..=8).flat_map(|x| (1..=8).map(move |y| (x, y)));
        let pairs_where = |holds: fn(i64, i64) -> bool| {
            let chosen = pairs().filter(move |&(x, y)| holds(x, y));
            chosen.map(|(x, y)| vec![x, y]).collect()
        };
        match self {
            Self::Adjacent => pairs_where(|x: i64, y| (x - y).abs() == 1),
            Self::AdjOrEq => pairs_where(|x: i64, y| (x - y).abs() <= 1),
            Self::LessThan => pairs_where(|x, y| x < y),
            Self::Equal => pairs_where(|x, y| x == y),
            Self::AbsDiff => pairs().map(|(x, y)| vec![x, y, (x - y).abs()]).collect(),
            Self::Line => pairs()
                .flat_map(|a| pairs().map(move |b| (a, b)))
                .filter(|&((a, b), (c, d))| {
                    let (x, y) = ((a - c).abs(), (b - d).abs());
                    (x, y) != (0, 0) && (x == 0 || y == 0 || x == y)
                })
                .map(|((a, b), (c, d))| vec![a, b, c, d])
                .collect(),
        }
    }
}

/// A concept with its background knowledge, before there are examples.
pub(super) fn task(concept: Concept, background: &[Background]) -> Task {
    let mut symbols = SymbolTable::new();
    let target = Predicate {
        name: symbols.intern(concept.name()),
        arity: 6,
    };
    let mut argument = |direction, kind| Argument {
        direction,
        kind: symbols.intern(kind),
    };
    let head = Mode {
        predicate: target,
        arguments: concept
            .kinds()
            .map(|kind| argument(Direction::In, kind))
            .into(),
        recall: None,
    };
    let mut task = Task::new(symbols, Bias::new(head, Vec::new()));
    for &predicate in background {
        declare(&mut task, concept, predicate);
    }
    task
}

/// Adds a background predicate: its facts, and a mode for each type of coordinates.
pub(super) fn declare(task: &mut Task, concept: Concept, background: Background) {
    let name = task.symbols.intern(background.name());
    let facts = background.facts();
    let predicate = Predicate {
        name,
        arity: facts[0].len(),
    };
    for kind in concept.coordinates() {
        let kind = task.symbols.intern(kind);
        let mut arguments = vec![
            Argument {
                direction: Direction::In,
                kind,
            };
            predicate.arity
        ];
        if background == Background::AbsDiff {
            arguments[2] = Argument {
                direction: Direction::Out,
                kind: task.symbols.intern("difference"),
            };
        }
        task.bias.body.push(Mode {
            predicate,
            arguments,
            recall: None,
        });
    }
    let facts = facts.into_iter().map(|fact| {
        let args = fact.into_iter().map(Term::int);
        Clause::fact(Atom::new(name, args))
    });
    task.background.extend(facts);
}

/// The position as an atom of the task's target.
pub(super) fn atom(task: &Task, position: Position) -> Atom {
    Atom::new(task.target.name, position.map(Term::int))
}

/// The positions of which the concept is true.
pub(super) fn truth(concept: Concept) -> BitSet {
    bits_where(N_POSITIONS, |index| concept.holds(position(index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_the_thesis() {
        assert_eq!(truth(Concept::Illegal).count_ones(..), 86_976);
        assert_eq!(truth(Concept::Diagonal).count_ones(..), 196);
        assert_eq!(position(0), [1; 6]);
        assert_eq!(position(N_POSITIONS - 1), [8; 6]);
    }
}
