//! `depth-classes`: classification by distance to mate, learned class by class from positions of king
//! and rook against king.

use std::collections::BTreeMap;

use kibitz_board::{Board, Color, Endgame, Position, Role};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_ilp::learn::{Foil, Learner as _, NoProgress};
use kibitz_ilp::{Bias, ConstantSet, Problem, Task};
use kibitz_prolog::{
    Argument, Atom, Clause, Direction, Limits, Mode, Predicate, Prover, SymbolTable, Term,
};
use kibitz_search::retrograde::{Tablebase, Value};
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every position of king and rook against king with Black to move, up to symmetry, classified by
/// the number of moves to mate. Foil learns clauses that separate each class from the later ones on
/// a random training set; the other positions are the test set.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DepthClasses {
    /// Positions to learn from.
    train: usize,
    /// Positions to test on, none of them learned from.
    test: usize,
    /// Share of its examples that a clause must be right on.
    min_accuracy: f64,
}

/// Names of the classes, in the order in which they are learned.
const CLASSES: [&str; 18] = [
    "draw", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
];
const N_POSITIONS: usize = 28_056;
const KINDS: [&str; 6] = ["file", "rank", "file", "rank", "file", "rank"];

/// File and rank, each 1 to 8, of White's king, his rook and Black's king.
type Men = [i64; 6];

/// A position and the number of its class.
#[derive(Clone, Copy, Debug)]
struct Example {
    men: Men,
    class: usize,
}

impl Experiment for DepthClasses {
    type Row = ();

    const NAME: &'static str = "depth-classes";
    const EXAMPLE: &'static str = include_str!("../examples/depth-classes.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("positions", "positions", "positions of the class"),
        Column::new("examples", "positions", "those learned from"),
        Column::new("clauses", "clauses", "clauses learned"),
        Column::new(
            "literals",
            "literals",
            "literals of their bodies; constants in their heads count for nothing",
        ),
        Column::new(
            "accuracy",
            "%",
            "share of the test positions of this class and the later ones that are decided rightly",
        ),
        Column::new("commonest", "%", "the share of the majority class"),
        Column::new(
            "found",
            "%",
            "share of the test positions of the class that the clauses cover",
        ),
        Column::new(
            "right",
            "%",
            "share of the class among the test positions that they cover",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.at_least_one([("train", self.train), ("test", self.test)]);
        problems.require(
            self.train.saturating_add(self.test) <= N_POSITIONS,
            "test",
            format!("`train` and `test` are more than the {N_POSITIONS} positions there are"),
        );
        problems.require(
            (0.0..=1.0).contains(&self.min_accuracy),
            "min-accuracy",
            "between 0 and 1",
        );
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = CLASSES.into_iter().chain(["all classes"]);
        vec![
            Cell::rows("classes", rows, ())
                .costing(20.0)
                .sharing("depths"),
        ]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let all = ctx.shared("depths of KRvK, Black to move", examples)?;
        let mut order = all.to_vec();
        order.shuffle(&mut ctx.rng_for("split"));
        let (train, rest) = order.split_at(self.train);
        let test = &rest[..self.test];
        let of_class =
            |examples: &[Example], class| examples.iter().filter(|own| own.class == class).count();
        let mut predicted = vec![None; test.len()];
        let (mut n_clauses, mut n_literals) = (0, 0);
        for (class, name) in CLASSES.into_iter().enumerate() {
            let mut row = output.row(name);
            row.set("positions", of_class(&all, class))
                .set("examples", of_class(train, class));
            if class + 1 == CLASSES.len() {
                break;
            }
            ctx.check()?;
            ctx.progress("classes", class, CLASSES.len());
            let (mut task, clauses) = self.learn(class, train)?;
            let covered = covered(&mut task, &clauses, test)?;
            let mut confusion = ConfusionMatrix::default();
            for ((example, is_covered), predicted) in test.iter().zip(covered).zip(&mut predicted) {
                if is_covered && predicted.is_none() {
                    *predicted = Some(class);
                }
                if example.class >= class {
                    confusion.add(example.class == class, is_covered);
                }
            }
            let literals = clauses
                .iter()
                .map(|clause| clause.body.len())
                .sum::<usize>();
            n_clauses += clauses.len();
            n_literals += literals;
            row.set("clauses", clauses.len()).set("literals", literals);
            for (column, value) in confusion.columns() {
                row.set(column, value);
            }
        }
        let last = CLASSES.len() - 1;
        let pairs = test.iter().zip(&predicted);
        let right = pairs.filter(|(own, predicted)| predicted.unwrap_or(last) == own.class);
        let commonest = (0..CLASSES.len()).map(|class| of_class(test, class)).max();
        output
            .row("all classes")
            .set("positions", all.len())
            .set("examples", train.len())
            .set("clauses", n_clauses)
            .set("literals", n_literals)
            .set("accuracy", percent(right.count(), test.len()))
            .set("commonest", percent(commonest.unwrap_or(0), test.len()));
        Ok(())
    }
}

impl DepthClasses {
    /// The clauses for a class, learned from its examples against those of the later ones, and the
    /// task they belong to.
    fn learn(&self, class: usize, train: &[Example]) -> Result<(Task, Vec<Clause>), CellError> {
        let mut task = task();
        let atoms = |keep: fn(usize, usize) -> bool| -> Vec<Atom> {
            let kept = train.iter().filter(|own| keep(own.class, class));
            kept.map(|own| atom(&task, own.men)).collect()
        };
        let sides = [
            atoms(|own, class| own == class),
            atoms(|own, class| own > class),
        ];
        if sides.iter().any(Vec::is_empty) {
            return Ok((task, Vec::new()));
        }
        [task.positive, task.negative] = sides;
        let foil = Foil {
            min_accuracy: self.min_accuracy,
            ..Foil::default()
        };
        let learned = foil.learn(&Problem::new(&mut task)?, &mut NoProgress)?;
        Ok((task, learned.clauses))
    }
}

/// The confusion matrix of one class against the later ones.
#[derive(Debug, Default)]
struct ConfusionMatrix {
    /// Numbers of positions by actual and predicted class, the class itself second.
    n: [[usize; 2]; 2],
}

impl ConfusionMatrix {
    fn add(&mut self, is: bool, predicted: bool) {
        self.n[usize::from(is)][usize::from(predicted)] += 1;
    }

    /// Values by column; shares of nothing are left out.
    fn columns(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let [
            [true_negative, false_positive],
            [false_negative, true_positive],
        ] = self.n;
        let [other, own] = self.n.map(|side| side.iter().sum::<usize>());
        let shares = [
            ("accuracy", true_negative + true_positive, own + other),
            ("commonest", own.max(other), own + other),
            ("found", true_positive, true_positive + false_negative),
            ("right", true_positive, true_positive + false_positive),
        ];
        let shares = shares.into_iter().filter(|&(_, _, whole)| whole > 0);
        shares.map(|(column, part, whole)| (column, percent(part, whole)))
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

/// Every position with Black to move, one of those alike up to symmetry, and its class.
fn examples() -> Result<Vec<Example>, CellError> {
    let endgame: Endgame = "KRvK".parse()?;
    let tables = Tablebase::new([endgame.clone()]);
    let placements = (0..endgame.n_indices()).filter_map(|index| endgame.placement(index));
    let mut examples = BTreeMap::new();
    for position in placements.filter(|position| position.turn() == Color::Black) {
        let Some(men) = men(position.board()).filter(|&men| is_canonical(men)) else {
            continue;
        };
        let class = match tables.value(&position) {
            Some(Value::Drawn) => 0,
            Some(Value::Lost(plies)) => usize::from(plies) / 2 + 1,
            _ => {
                return Err(CellError::new(
                    "a position that Black wins, or without a value",
                ));
            }
        };
        examples.insert(men, class);
    }
    let examples = examples.into_iter();
    Ok(examples
        .map(|(men, class)| Example { men, class })
        .collect())
}

fn men(board: &Board) -> Option<Men> {
    let pieces = [
        Role::King.of(Color::White),
        Role::Rook.of(Color::White),
        Role::King.of(Color::Black),
    ];
    let mut men = [0; 6];
    for (place, piece) in men.chunks_exact_mut(2).zip(pieces) {
        let square = board.by_piece(piece).first()?;
        place.copy_from_slice(
            &[square.file().to_u32(), square.rank().to_u32()].map(|n| i64::from(n) + 1),
        );
    }
    Some(men)
}

/// Whether a position is the canonical one of those equivalent up to symmetry: White's king on files a to d and not
/// above the rising diagonal, and on it neither Black's king nor, if that is on it too, the rook.
fn is_canonical([king_file, king_rank, rook_file, rook_rank, file, rank]: Men) -> bool {
    let above = [king_rank - king_file, rank - file, rook_rank - rook_file];
    let first = above.into_iter().find(|&above| above != 0);
    king_file <= 4 && first.is_none_or(|above| above < 0)
}

fn atom(task: &Task, men: Men) -> Atom {
    Atom::new(task.target.name, men.map(Term::int))
}

/// The task without examples: its background knowledge is the order of files and ranks, their
/// distances, and constants for them.
fn task() -> Task {
    use Direction::{Constant, In};
    let mut symbols = SymbolTable::new();
    let mut mode = |name: &str, arguments: &[(Direction, &str)]| Mode {
        predicate: Predicate {
            name: symbols.intern(name),
            arity: arguments.len(),
        },
        arguments: (arguments.iter())
            .map(|&(direction, kind)| Argument {
                direction,
                kind: symbols.intern(kind),
            })
            .collect(),
        recall: None,
    };
    let head = mode("depth", &KINDS.map(|kind| (In, kind)));
    let mut body = Vec::new();
    for kind in ["file", "rank"] {
        body.push(mode("less_than", &[(In, kind), (In, kind)]));
        body.push(mode("less_than", &[(In, kind), (Constant, kind)]));
        body.push(mode(
            "apart",
            &[(In, kind), (In, kind), (Constant, "number")],
        ));
        body.push(mode(
            "nearer",
            &[(In, kind), (In, kind), (Constant, "number")],
        ));
    }
    let pairs = || (1..=8_i64).flat_map(|x| (1..=8).map(move |y| (x, y)));
    let less = pairs().filter(|(x, y)| x < y);
    let less = less.map(|(x, y)| ("less_than", vec![x, y]));
    let apart = pairs().map(|(x, y)| ("apart", vec![x, y, (x - y).abs()]));
    let nearer =
        pairs().flat_map(|(x, y)| ((x - y).abs() + 1..8).map(move |n| ("nearer", vec![x, y, n])));
    let facts: Vec<_> = less.chain(apart).chain(nearer).collect();
    let fact = |(name, numbers): (&str, Vec<i64>)| {
        let name = symbols.intern(name);
        Clause::fact(Atom::new(name, numbers.into_iter().map(Term::int)))
    };
    let background = facts.into_iter().map(fact).collect();
    let constants = ["file", "rank"].map(|kind| ConstantSet {
        kind: symbols.intern(kind),
        constants: (1..=8).map(Term::int).collect(),
    });
    let bias = Bias {
        negation: true,
        constants: constants.into(),
        ..Bias::new(head, body)
    };
    let mut task = Task::new(symbols, bias);
    task.background = background;
    task
}

/// Whether any of the clauses covers each of the examples.
fn covered(
    task: &mut Task,
    clauses: &[Clause],
    examples: &[Example],
) -> Result<Vec<bool>, CellError> {
    let db = task.database()?;
    let mut prover = Prover::new(&db, Limits::default());
    let prepared = prover.prepare(clauses)?;
    prover.load(&prepared);
    let mut covered = |example: &Example| {
        let atom = atom(task, example.men);
        for clause in 0..clauses.len() {
            if prover.covers(&prepared, clause, &atom)?.is_proved() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    examples.iter().map(&mut covered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clarke's table, as the UCI data set `krk` gives it.
    #[test]
    fn classes_are_as_large_as_published() {
        let examples = examples().expect("a table");
        let mut counts = [0; CLASSES.len()];
        for example in &examples {
            counts[example.class] += 1;
        }
        let published = [
            2796, 27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553,
            2166, 390,
        ];
        assert_eq!(counts, published);
        assert_eq!(examples.len(), N_POSITIONS);
    }

    /// Mates in the corner are few and alike, so that little is needed to know them.
    #[test]
    fn mates_are_learned_from_all_positions() {
        let learner = DepthClasses {
            train: N_POSITIONS - 1,
            test: 1,
            min_accuracy: 1.0,
        };
        let examples = examples().expect("a table");
        let (mut task, clauses) = learner.learn(1, &examples).expect("learned");
        assert!((1..=10).contains(&clauses.len()), "{}", clauses.len());
        let later: Vec<Example> = (examples.into_iter())
            .filter(|own| (1..=3).contains(&own.class))
            .collect();
        let predicted = covered(&mut task, &clauses, &later).expect("decided");
        let is: Vec<bool> = later.iter().map(|own| own.class == 1).collect();
        assert_eq!(predicted, is);
    }
}
