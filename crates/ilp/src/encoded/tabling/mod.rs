//! Tabulation: what predicates given by rules, built in or in Rust answer to the calls that clauses
//! make.
//!
//! A predicate is asked with values at the places that a clause has bound. Where it is a relation, so
//! that unbound arguments only ask for more answers, all its calls share one table. Where it is not,
//! as with negation, comparisons of terms or cuts, each way to call it has its own. A way that raises
//! errors for unbound arguments, has answers with variables, or does not end, is given up, for ways
//! with more places bound, constants first.

mod constants;
mod parts;
mod remark;
mod way;

use indexmap::IndexMap;
use kibitz_prolog::{
    Atom, Clause, Database, Direction, Limits, Literal, Mode, Predicate, Proof, Prover,
    ProverError, Term,
};
use rustc_hash::{FxBuildHasher, FxHashSet};

use self::constants::ConstantPool;
use self::parts::terms_of;
pub(crate) use self::remark::TablingError;
pub use self::remark::{Remark, RemarkKind};
pub(crate) use self::way::Way;
use self::way::{CallStyle, Tuples};
use crate::task::Task;

/// Most answers to one call, and most calls, when predicates given by rules are listed.
const MAX_TABLED: usize = 200_000;
/// Places that may be bound or not: beyond this only all of them or none are.
const MAX_FREE: usize = 3;
/// Calls that meet a bound, before a way to call is given up.
const MAX_CUT_SHORT: usize = 3;
/// Constants that were calculated are asked about in turn so often.
const GENERATIONS: usize = 2;
/// Constants of each type that are tried to find out how a predicate can be called.
const SAMPLE: usize = 4;

/// Asked before each goal, with the work since it was asked last: inferences, and the terms of goals and
/// answers.
pub(crate) type KeepGoing<'k> = &'k mut dyn FnMut(u64) -> bool;

/// The ways to call predicates, and what there is to say about them.
#[derive(Debug, Default)]
pub(crate) struct AnswerTables {
    pub(crate) ways: Vec<Way>,
    pub(crate) remarks: Vec<Remark>,
}

/// Lists the answers of predicates given by rules or in Rust: those to calls without inputs, otherwise
/// those for all known constants of the types of the inputs. An answer that is part of a known
/// constant, such as the tail of a list, is asked about in turn, and for some time one that was
/// calculated.
pub(crate) fn tabulate(
    task: &Task,
    db: &Database,
    predicates: &[Predicate],
    limits: Limits,
    keep_going: KeepGoing<'_>,
) -> Result<AnswerTables, TablingError> {
    let mut tabling = Tabulator::new(task, db, predicates, limits, None);
    for generation in 0..=GENERATIONS {
        while tabling.pass(keep_going)? {}
        if generation < GENERATIONS && !tabling.constants.take_calculated() {
            break;
        }
    }
    tabling.finish(predicates)
}

/// The ways in which predicates can be called, found out with a few constants.
pub(crate) fn ways_to_call(
    task: &Task,
    db: &Database,
    predicates: &[Predicate],
    limits: Limits,
    keep_going: KeepGoing<'_>,
) -> Result<AnswerTables, TablingError> {
    let mut tabling = Tabulator::new(task, db, predicates, limits, Some(SAMPLE));
    tabling.pass(keep_going)?;
    tabling.finish(predicates)
}

struct Tabulator<'a> {
    task: &'a Task,
    db: &'a Database,
    prover: Prover<'a>,
    /// Bytes taken by the answers, and the most they may take.
    bytes: usize,
    memory: usize,
    /// The work that was not told.
    work: u64,
    constants: ConstantPool<'a>,
    asked: FxHashSet<(usize, Vec<Term>)>,
    ways: Vec<Way>,
    /// Why ways of a predicate were given up.
    problems: IndexMap<Predicate, (String, Option<Box<Clause>>), FxBuildHasher>,
    /// Goals of a predicate, those that raised an error, and the first error.
    raised: IndexMap<Predicate, (usize, usize, ProverError), FxBuildHasher>,
}

impl<'a> Tabulator<'a> {
    /// `sample` is how many constants of a type it asks about; `None` for all.
    fn new(
        task: &'a Task,
        db: &'a Database,
        predicates: &[Predicate],
        limits: Limits,
        sample: Option<usize>,
    ) -> Self {
        let mut tabling = Self {
            task,
            db,
            prover: Prover::new(db, limits),
            bytes: 0,
            memory: limits.memory,
            work: 0,
            constants: ConstantPool::new(task, sample),
            asked: FxHashSet::default(),
            ways: Vec::new(),
            problems: IndexMap::default(),
            raised: IndexMap::default(),
        };
        for (number, mode) in task.bias.body.iter().enumerate() {
            if !predicates.contains(&mode.predicate) {
                continue;
            }
            let declared: Vec<Direction> = mode
                .arguments
                .iter()
                .map(|argument| argument.direction)
                .collect();
            if db.is_relation(mode.predicate) {
                tabling.add_way(number, declared, CallStyle::Shared);
                continue;
            }
            // Constants are there before the goal.
            let free: Vec<usize> = mode.places(Direction::Out).collect();
            let most = 1usize << free.len().min(MAX_FREE + 1);
            let subsets = if free.len() <= MAX_FREE {
                (0..most).collect()
            } else {
                vec![0, usize::MAX]
            };
            for subset in subsets {
                let mut directions = declared.clone();
                for (i, &place) in free.iter().enumerate() {
                    if subset >> i.min(63) & 1 == 1 {
                        directions[place] = Direction::In;
                    }
                }
                tabling.add_way(number, directions, CallStyle::Exact);
            }
        }
        tabling
    }

    fn add_way(&mut self, mode: usize, directions: Vec<Direction>, asking: CallStyle) {
        let predicate = |mode: usize| self.task.bias.body[mode].predicate;
        if self.ways.iter().any(|way| {
            way.mode == mode
                && way.asking.has_constants() == asking.has_constants()
                && way.directions == directions
        }) {
            return;
        }
        let is_bound = |direction: &Direction| *direction != Direction::Out;
        let shares = |way: &Way| {
            let mut places = way.directions.iter().zip(&directions);
            predicate(way.mode) == predicate(mode)
                && (asking != CallStyle::Exact
                    || places.all(|(own, other)| is_bound(own) == is_bound(other)))
        };
        let same = self.ways.iter().position(shares);
        self.ways.push(Way {
            mode,
            directions,
            asking,
            table: same.map_or(self.ways.len(), |same| self.ways[same].table),
            rows: Tuples::default(),
            is_given_up: false,
            n_cut_short: 0,
            n_raised: 0,
            n_calls: 0,
        });
    }

    /// Asks everything not asked before; whether that gave new constants.
    fn pass(&mut self, keep_going: KeepGoing<'_>) -> Result<bool, TablingError> {
        let mut grew = false;
        let mut number = 0;
        while number < self.ways.len() {
            grew |= self.ask_way(number, keep_going)?;
            number += 1;
        }
        Ok(grew)
    }

    fn ask_way(&mut self, number: usize, keep_going: KeepGoing<'_>) -> Result<bool, TablingError> {
        let task = self.task;
        let mode = &task.bias.body[self.ways[number].mode];
        let mut grew = false;
        if self.ways[number].is_given_up || self.is_answered_before(number) {
            return Ok(false);
        }
        let way = &self.ways[number];
        let (directions, asking) = (way.directions.clone(), way.asking);
        let Some(calls) = self.constants.calls(mode, &directions, asking) else {
            let reason =
                "its inputs have too many combinations of constants; list it as facts instead";
            self.give_up(number, reason.to_owned(), None);
            return Ok(false);
        };
        for args in calls {
            if !self.asked.insert((number, args.clone())) {
                continue;
            }
            self.work += terms_of(&args) as u64;
            if !keep_going(std::mem::take(&mut self.work)) {
                return Err(TablingError::Interrupted(mode.predicate));
            }
            let answers = self.answers(number, mode, &args)?;
            if self.ways[number].is_given_up {
                return Ok(grew);
            }
            for tuple in answers {
                for ((argument, direction), term) in
                    mode.arguments.iter().zip(&directions).zip(&tuple)
                {
                    if *direction != Direction::In {
                        let is_calculated = || self.db.calculates(mode.predicate);
                        grew |= (self.constants).add_answer(argument.kind, term, is_calculated);
                    }
                }
                let terms = terms_of(&tuple);
                self.work += terms as u64;
                self.bytes += size_of::<Vec<Term>>() + terms * size_of::<Term>();
                if self.bytes > self.memory {
                    return Err(TablingError::OutOfMemory(self.memory));
                }
                let table = self.ways[number].table;
                self.ways[table].rows.insert(tuple);
            }
        }
        let way = &self.ways[number];
        let (n_failed, n_calls) = (way.n_raised + way.n_cut_short, way.n_calls);
        if n_failed > 0 && n_failed == n_calls && self.ways[way.table].rows.is_empty() {
            // Nothing is known about any goal.
            let known = self.problems.get(&mode.predicate).cloned();
            let raised = self.raised.get(&mode.predicate).map(|(_, _, error)| {
                let clause = error.clause().cloned().map(Box::new);
                (error.describe(&task.symbols, &[]), clause)
            });
            let (reason, clause) = known.or(raised).unwrap_or_default();
            self.give_up(number, reason, clause);
        }
        Ok(grew)
    }

    /// Whether the answers of a way are among those of an earlier one of its table that binds fewer places
    /// and is asked about the same constants, without a failure.
    fn is_answered_before(&self, number: usize) -> bool {
        let way = &self.ways[number];
        way.asking != CallStyle::Exact
            && self.ways[..number].iter().any(|own| {
                (own.mode, own.table, own.asking) == (way.mode, way.table, way.asking)
                    && own.is_usable()
                    && own.n_raised + own.n_cut_short == 0
                    && own.is_more_general(way)
            })
    }

    /// The answers to a call; the way may be given up.
    fn answers(
        &mut self,
        number: usize,
        mode: &Mode,
        args: &[Term],
    ) -> Result<Vec<Vec<Term>>, TablingError> {
        let predicate = mode.predicate;
        let goal = Literal::positive(Atom::new(predicate.name, args.iter().cloned()));
        let answers = self.prover.solutions(&[goal], MAX_TABLED)?;
        self.work += self.prover.steps();
        let is_open = args.iter().any(|arg| matches!(arg, Term::Var(_)));
        let clause = || self.prover.last_clause().cloned().map(Box::new);
        let way = &mut self.ways[number];
        way.n_calls += 1;
        if let Some(error) = self.prover.raised() {
            let is_unbound = error.is_unbound();
            if is_open && is_unbound {
                let (reason, clause) = (error.describe(&self.task.symbols, &[]), clause());
                self.give_up(number, reason, clause);
                return Ok(Vec::new());
            }
            let unknown = (0, 0, error.clone());
            self.raised.entry(predicate).or_insert(unknown).0 += 1;
            way.n_raised += 1;
        } else if answers.end != Proof::Refuted {
            way.n_cut_short += 1;
            let reason = match answers.end {
                Proof::OutOfSteps => "it needs too many steps, or does not end",
                Proof::OutOfMemory => "it takes too much memory, or does not end",
                _ => "it has too many answers, or does not end",
            };
            let clause = clause();
            if is_open || way.n_cut_short >= MAX_CUT_SHORT {
                self.give_up(number, reason.to_owned(), clause);
                return Ok(Vec::new());
            }
            self.problems
                .entry(predicate)
                .or_insert((reason.to_owned(), clause));
        }
        let values = |row: &Vec<Term>| -> Vec<Term> {
            let value = |arg: &Term| {
                arg.map_vars(&mut |var| row.get(var.index()).cloned().unwrap_or(Term::Var(var)))
            };
            args.iter().map(value).collect()
        };
        let tuples: Vec<Vec<Term>> = answers.bindings.iter().map(values).collect();
        if !tuples.iter().flatten().all(Term::is_ground) {
            self.give_up(number, "it has answers with variables".to_owned(), None);
            return Ok(Vec::new());
        }
        Ok(tuples)
    }

    /// Gives a way up, for those that bind one place more.
    fn give_up(&mut self, number: usize, reason: String, clause: Option<Box<Clause>>) {
        let way = &mut self.ways[number];
        way.is_given_up = true;
        let (mode, directions, asking) = (way.mode, way.directions.clone(), way.asking);
        let predicate = self.task.bias.body[mode].predicate;
        self.problems.entry(predicate).or_insert((reason, clause));
        if asking == CallStyle::Exact {
            return;
        }
        if asking == CallStyle::Shared && directions.contains(&Direction::Constant) {
            self.add_way(mode, directions, CallStyle::WithConstants);
            return;
        }
        for (place, direction) in directions.iter().enumerate() {
            if *direction == Direction::Out {
                let mut more = directions.clone();
                more[place] = Direction::In;
                self.add_way(mode, more, asking);
            }
        }
    }

    /// The ways that are left.
    fn finish(mut self, predicates: &[Predicate]) -> Result<AnswerTables, TablingError> {
        let body = &self.task.bias.body;
        let is_left = |predicate: &Predicate| {
            let mut ways = self.ways.iter();
            ways.any(|way| !way.is_given_up && body[way.mode].predicate == *predicate)
        };
        let dropped: Vec<Predicate> = predicates
            .iter()
            .filter(|own| !is_left(own))
            .copied()
            .collect();
        let mut remarks = Vec::new();
        for predicate in &dropped {
            if let Some((reason, clause)) = self.problems.shift_remove(predicate) {
                remarks.push(Remark {
                    predicate: *predicate,
                    reason: RemarkKind::Dropped(reason),
                    clause,
                });
            }
        }
        let is_dropped = |mode: &Mode| dropped.contains(&mode.predicate);
        let others = body
            .iter()
            .filter(|mode| mode.predicate != self.task.target);
        if let Some(first) = remarks.first()
            && others.clone().all(is_dropped)
        {
            let Remark {
                predicate,
                reason: RemarkKind::Dropped(reason),
                clause,
            } = first.clone()
            else {
                return Ok(AnswerTables::default());
            };
            return Err(TablingError::Intensional {
                predicate,
                reason,
                clause,
            });
        }
        for (predicate, (n, _, error)) in std::mem::take(&mut self.raised) {
            let asked = self
                .ways
                .iter()
                .filter(|way| body[way.mode].predicate == predicate);
            if is_left(&predicate) && !self.constants.is_sample() {
                let of = asked.map(|way| way.n_calls).sum();
                let clause = error.clause().cloned().map(Box::new);
                let reason = RemarkKind::Raised { n, of, error };
                remarks.push(Remark {
                    predicate,
                    reason,
                    clause,
                });
            }
        }
        Ok(AnswerTables {
            ways: self.ways,
            remarks,
        })
    }
}
