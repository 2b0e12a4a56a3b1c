//! Mio and its teacher on Minesweeper, in two processes.

use std::io;
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;

use kibitz_experiment::ChaCha8Rng;
use kibitz_ilp::Problem;
use kibitz_ilp::learn::bottom_clause::Bounds;
use kibitz_ilp::learn::mio::Strategy;
use kibitz_ilp::learn::mio::active::{self, ActiveError, Examiner, ExaminerParams, Teacher};
use kibitz_ilp::learn::{Mio, NoProgress};
use kibitz_minesweeper::{Knowledge, Level};
use kibitz_pena2003::{ExampleChoice, RandomTiles, Vocabulary, World};
use kibitz_prolog::{Atom, Constant, Term};
use rand::SeedableRng as _;

use crate::tcp::{RemoteTeacher, Scenes, ServerParams, TimeLimits, Visit, serve};

impl Scenes for World {
    /// The position.
    fn describe(&self, example: &Atom) -> Option<String> {
        let Some(Term::Const(Constant::Int(board))) = example.args.get(1) else {
            return None;
        };
        let board = self.board(usize::try_from(*board).ok()?)?;
        Some(board.to_text())
    }

    fn enter(&self, example: &Atom, scene: &str) -> Result<Atom, String> {
        let knowledge = Knowledge::from_text(scene).map_err(|error| error.to_string())?;
        let tile = example.args.first().cloned();
        let is_covered = |tile: &Term| match tile {
            Term::Const(Constant::Int(tile)) => {
                let tile = usize::try_from(*tile).ok();
                let tile = tile.filter(|tile| *tile < knowledge.grid().n_tiles());
                tile.is_some_and(|tile| knowledge.is_covered(tile))
            }
            _ => false,
        };
        let tile = tile.filter(is_covered);
        let tile = tile.ok_or_else(|| "an example is about no covered tile".to_owned())?;
        let board = Term::Const(self.add(knowledge));
        Ok(Atom::new(example.name, [tile, board]))
    }
}

/// A lesson on which tiles of a board are safe: the best setting of the paper, Mio with active
/// learning, greedy search and macros.
///
/// # Source
/// Peña Castillo and Wrobel 2003, sections 3.2 and 4.1.
#[derive(Debug)]
pub(crate) struct Lesson {
    vocabulary: Vocabulary,
    level: Level,
    seed: u64,
}

/// Most tests by the teacher, as in the experiments.
const ROUNDS: usize = 7;

impl Lesson {
    /// A lesson on boards of this level; the seed decides the boards of a teacher, and the examples
    /// that a learner begins with.
    ///
    /// # Errors
    /// If the predicates of Table 1 could not be read.
    pub(crate) fn new(
        level: &Level,
        seed: u64,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self {
            vocabulary: Vocabulary::new()?,
            level: level.clone(),
            seed,
        })
    }

    fn teacher(&self) -> impl Teacher + '_ {
        let Vocabulary {
            world, safe, db, ..
        } = &self.vocabulary;
        let rng = ChaCha8Rng::seed_from_u64(self.seed);
        let choice = ExampleChoice::default();
        let sampler = RandomTiles::new(&self.level, world, safe.target.name, false, choice, rng);
        Examiner::new(db, &safe.bias, sampler, ExaminerParams::default())
    }

    /// Teaches every learner that connects; see [`serve`].
    ///
    /// # Errors
    /// If the listener fails.
    pub(crate) fn teach(
        &self,
        listener: &TcpListener,
        params: &ServerParams,
        stop: &AtomicBool,
        note: &(dyn Fn(&Visit) + Sync),
    ) -> io::Result<()> {
        let Vocabulary { world, safe, .. } = &self.vocabulary;
        serve(
            listener,
            safe,
            &**world,
            &|| self.teacher(),
            params,
            stop,
            note,
        )
    }

    /// The rules that are learned from a teacher at `host:port`, as Prolog text.
    ///
    /// # Errors
    /// [`ActiveError`] if the teacher is gone, or the parameters do not fit the bias.
    pub(crate) fn learn_at(
        &self,
        address: &str,
        limits: TimeLimits,
    ) -> Result<Vec<String>, ActiveError> {
        let Vocabulary { world, safe, .. } = &self.vocabulary;
        self.learn(&mut RemoteTeacher::connect(
            address, safe, &**world, limits,
        )?)
    }

    /// The same from a teacher in this process.
    ///
    /// # Errors
    /// As [`learn_at`](Self::learn_at).
    pub(crate) fn learn_here(&self) -> Result<Vec<String>, ActiveError> {
        self.learn(&mut self.teacher())
    }

    fn learn(&self, teacher: &mut dyn Teacher) -> Result<Vec<String>, ActiveError> {
        let bounds = Bounds {
            max_literals: 8,
            max_depth: 4,
            ..Bounds::default()
        };
        let mio = Mio {
            bounds,
            strategy: Strategy::Greedy,
            seed: self.seed,
            ..Mio::default()
        };
        let Vocabulary { safe, db, .. } = &self.vocabulary;
        let problem = Problem::with_database(safe, db);
        let taught = active::learn(&problem, &mio, ROUNDS, teacher, &mut NoProgress)?;
        let rules = taught.learned.clauses.iter();
        Ok(rules
            .map(|rule| self.vocabulary.print(std::slice::from_ref(rule)))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn limits() -> TimeLimits {
        let time = Duration::from_mins(10);
        TimeLimits {
            connect: time,
            read: time,
            write: time,
            clock: Instant::now,
        }
    }

    #[test]
    fn rules_are_the_same_over_tcp() {
        let lesson = || Lesson::new(&"5x5/3".parse().unwrap(), 4).unwrap();
        let expected = lesson().learn_here().unwrap();
        assert!(!expected.is_empty());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let params = ServerParams {
            limits: limits(),
            max_at_once: 2,
            max_visits: Some(2),
        };
        std::thread::scope(|scope| {
            let never = AtomicBool::new(false);
            let params = &params;
            scope.spawn(move || lesson().teach(&listener, params, &never, &|_| ()).unwrap());
            for _ in 0..2 {
                scope.spawn(|| {
                    let learned = lesson().learn_at(&address, limits()).unwrap();
                    assert_eq!(learned, expected);
                });
            }
        });
    }

    #[test]
    fn scenes_are_positions() {
        let [here, there] = [World::default(), World::default()];
        let mut symbols = kibitz_prolog::SymbolTable::new();
        let safe = symbols.intern("safe");
        let atom = |tile: i64, board: i64| Atom::new(safe, [Term::int(tile), Term::int(board)]);
        let text = "3x2/1\n1..\n...\n";
        there.add(Knowledge::from_text("2x1/1\n.1\n").unwrap());
        there.add(Knowledge::from_text(text).unwrap());
        let scene = there.describe(&atom(2, 1)).unwrap();
        assert_eq!(scene, text);
        assert_eq!(here.enter(&atom(2, 1), &scene), Ok(atom(2, 0)));
        assert_eq!(here.describe(&atom(2, 0)).unwrap(), text);
        assert_eq!(there.describe(&atom(2, 7)), None);
        for (tile, scene) in [(0, text), (6, text), (-1, text), (1, "3x2/1\n9..\n...\n")] {
            assert!(here.enter(&atom(tile, 1), scene).is_err(), "{tile}");
        }
    }
}
