//! One class for each object, where the clauses of several classes may cover it.

use std::collections::BTreeMap;

use kibitz_prolog::{Atom, Clause, Coverage, Direction, Evaluator, Limits, ProverError};
use kibitz_prolog::{Symbol, Term, print_term};
use rustc_hash::FxHashMap;

use super::decision_table::DecisionTable;
use crate::problem::Problem;
use crate::task::{Split, Task, drawn, spread};

/// Most values of an argument that are classes.
const MAX_CLASSES: usize = 50;

/// The arguments of an example without its class.
type Object = Vec<Term>;

/// A choice of one class for each object: among targets that take the same objects, or among the values of
/// an argument of the head.
///
/// An object gets the class of the clause with the best precision on the training examples, by Laplace's
/// estimate, among those that cover it; of equals that of the clause that covers more, then of the first. An object that
/// no clause covers gets the most frequent class of the training objects.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The names of the classes: targets in the order of their declarations; values in the order in which they are declared
    /// or occur.
    pub classes: Vec<String>,
    /// The tasks whose clauses decide, by their places among all.
    pub tasks: Vec<usize>,
    /// The argument of the head that is the class, from 0; `None` where targets are the classes.
    place: Option<usize>,
    /// Its values, class by class.
    values: Vec<Term>,
}

/// The objects of examples.
#[derive(Debug, Default)]
struct Objects {
    /// Those that have exactly one class among the positive examples, with this class.
    classed: Vec<(Object, usize)>,
    /// Those that have none or several.
    others: Vec<Object>,
}

/// A learned theory of a task, or one that is given.
#[derive(Clone, Copy, Debug)]
pub struct Ruling<'r> {
    /// The task with the training examples.
    pub problem: &'r Problem<'r>,
    /// The clauses.
    pub clauses: &'r [Clause],
    /// What each of them covers of these examples.
    pub coverage: &'r [Coverage],
}

impl Decision {
    /// What there is to decide: where most objects have exactly one class among the positive examples, and
    /// there are at least two classes. The other objects are learned from, and left out of decisions.
    pub fn among(tasks: &[&Task]) -> Vec<Decision> {
        let mut groups: Vec<(Vec<usize>, Option<usize>)> = Vec::new();
        for (i, task) in tasks.iter().enumerate() {
            let place = class_argument(task);
            let fits = |(group, of_class): &&mut (Vec<usize>, Option<usize>)| {
                of_class.is_none() && place.is_none() && kinds(tasks[group[0]]) == kinds(task)
            };
            match groups.iter_mut().find(fits) {
                Some((group, _)) => group.push(i),
                None => groups.push((vec![i], place)),
            }
        }
        let decisions = groups.into_iter().filter_map(|(group, place)| {
            let own = match place {
                Some(place) => Self::of_values(tasks, group, place),
                None => Self::of_targets(tasks, group),
            };
            // Most tasks have nothing to decide: their objects need not be looked at.
            let n = own.classes.len();
            if n < 2 {
                return None;
            }
            let examples = own.tasks.iter().map(|i| {
                let task = tasks[*i];
                [&task.positive[..], &task.negative[..]]
            });
            let Objects { classed, others } = own.objects(examples);
            // Values that are all different do not divide the objects into classes.
            let are_classes = own.place.is_none() || (n <= MAX_CLASSES && n < classed.len());
            (classed.len() > others.len() && are_classes).then_some(own)
        });
        decisions.collect()
    }

    fn of_targets(tasks: &[&Task], group: Vec<usize>) -> Self {
        let name = |i: &usize| tasks[*i].symbols.name(tasks[*i].target.name).to_owned();
        Self {
            classes: group.iter().map(name).collect(),
            tasks: group,
            place: None,
            values: Vec::new(),
        }
    }

    fn of_values(tasks: &[&Task], group: Vec<usize>, place: usize) -> Self {
        let task = tasks[group[0]];
        let kind = task.bias.head.arguments[place].kind;
        let declared = task.bias.constants.iter().filter(|set| set.kind == kind);
        let declared = declared.flat_map(|set| set.constants.iter());
        let own = || task.positive.iter().chain(&task.test[0]);
        let occur: rustc_hash::FxHashSet<&Term> = own().map(|atom| &atom.args[place]).collect();
        let mut values: Vec<Term> = Vec::new();
        let mut known = rustc_hash::FxHashSet::default();
        for value in declared.chain(own().map(|atom| &atom.args[place])) {
            if occur.contains(value) && known.insert(value) {
                values.push(value.clone());
            }
        }
        let shown = values
            .iter()
            .map(|own| print_term(own, &task.symbols).to_string());
        Self {
            classes: shown.collect(),
            tasks: group,
            place: Some(place),
            values,
        }
    }

    /// The object of an example.
    fn object(&self, example: &Atom) -> Object {
        let mut args = example.args.to_vec();
        if let Some(place) = self.place {
            args.remove(place);
        }
        args
    }

    /// The objects of the examples of each task, in their order.
    fn objects<'e>(&self, examples: impl Iterator<Item = [&'e [Atom]; 2]>) -> Objects {
        let mut places: FxHashMap<Object, usize> = FxHashMap::default();
        let mut found: Vec<(Object, Option<usize>, bool)> = Vec::new();
        let classes: FxHashMap<&Term, usize> = self.values.iter().zip(0..).collect();
        for (task, sides) in examples.enumerate() {
            for (side, examples) in sides.into_iter().enumerate() {
                for example in examples {
                    let object = self.object(example);
                    let place = *places.entry(object).or_insert_with_key(|object| {
                        found.push((object.clone(), None, true));
                        found.len() - 1
                    });
                    if side == 0 {
                        let class = match self.place {
                            Some(place) => classes.get(&example.args[place]).copied(),
                            None => Some(task),
                        };
                        let (_, own, is_one) = &mut found[place];
                        *is_one &= own.is_none() || *own == class;
                        *own = class;
                    }
                }
            }
        }
        let mut objects = Objects::default();
        for (object, class, is_one) in found {
            match class.filter(|_| is_one) {
                Some(class) => objects.classed.push((object, class)),
                None => objects.others.push(object),
            }
        }
        objects
    }

    /// The classes of the objects of test examples, by theories of the tasks that decide, in their order.
    ///
    /// # Errors
    /// [`ProverError`] if a clause cannot be carried out.
    pub fn decide(
        &self,
        rulings: &[Ruling<'_>],
        test: &[[&[Atom]; 2]],
        limits: Limits,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<DecisionTable, ProverError> {
        let training = rulings.iter().map(|own| {
            let task = own.problem.task();
            [&task.positive[..], &task.negative[..]]
        });
        let mut n_of_class = vec![0_usize; self.classes.len()];
        for (_, class) in self.objects(training).classed {
            n_of_class[class] += 1;
        }
        // Of equals the first.
        let usual = (0..n_of_class.len())
            .rev()
            .max_by_key(|class| n_of_class[*class]);
        let usual = usual.unwrap_or(0);
        let Objects {
            classed: objects,
            others,
        } = self.objects(test.iter().copied());
        let mut choices = vec![Choice::default(); objects.len()];
        for (i, ruling) in rulings.iter().enumerate() {
            let of_task = match self.place {
                Some(_) => 0..self.classes.len(),
                None => i..i + 1,
            };
            self.rule(
                ruling,
                of_task,
                &objects,
                &mut choices,
                (limits, keep_going),
            )?;
        }
        let n = self.classes.len();
        let mut decided = DecisionTable {
            classes: self.classes.clone(),
            table: vec![vec![0; n]; n],
            uncovered: [0; 2],
            contested: [0; 2],
            usual: vec![usual],
            n_left_out: others.len(),
        };
        for ((_, class), choice) in objects.iter().zip(&choices) {
            let got = choice.best.map_or(usual, |(_, class)| class);
            decided.table[*class][got] += 1;
            let counts = match choice.n_classes {
                0 => &mut decided.uncovered,
                1 => continue,
                _ => &mut decided.contested,
            };
            counts[0] += 1;
            counts[1] += usize::from(got == *class);
        }
        Ok(decided)
    }

    /// Lets the clauses of a theory compete for the objects that they cover.
    fn rule(
        &self,
        ruling: &Ruling<'_>,
        classes: std::ops::Range<usize>,
        objects: &[(Object, usize)],
        choices: &mut [Choice],
        (limits, keep_going): (Limits, &mut dyn FnMut() -> bool),
    ) -> Result<(), ProverError> {
        let target = ruling.problem.task().target;
        for class in classes {
            let atoms = objects.iter().map(|(object, _)| {
                let mut args = object.clone();
                if let Some(place) = self.place {
                    args.insert(place, self.values[class].clone());
                }
                Atom::new(target.name, args)
            });
            let atoms: Vec<Atom> = atoms.collect();
            let mut evaluator = Evaluator::new(ruling.problem.database(), limits, &atoms, &[]);
            let covered = evaluator.theory_while(ruling.clauses, keep_going)?;
            let mut is_covered = vec![false; objects.len()];
            for (own, training) in covered.iter().zip(ruling.coverage) {
                let [tp, _, _, fp] = training.confusion();
                let merit = Merit { tp, fp };
                for object in own.positive.ones() {
                    choices[object].offer(merit, class, !is_covered[object]);
                    is_covered[object] = true;
                }
            }
        }
        Ok(())
    }

    /// The examples of each of its tasks in as many pairs of training and test parts: all examples of an
    /// object are in the same part, and the objects of each class are spread evenly.
    pub fn folds(&self, tasks: &[&Task], k: usize, seed: u64) -> Vec<Vec<Split>> {
        // Each class continues where the one before ends, so that no part gets the remainder of all.
        let mut n_before = 0;
        let part = self.part_of_each(tasks, &mut |n| {
            let parts = spread(n, k, seed, n_before);
            n_before += n;
            parts
        });
        let splits = self.tasks.iter().map(|i| {
            let folds = (0..k).map(|fold| self.split(tasks[*i], &part, fold));
            folds.collect()
        });
        splits.collect()
    }

    /// The examples of each of its tasks in two parts, of which one has a share of the objects of each class: all
    /// examples of an object are in the same part.
    pub fn held_out(&self, tasks: &[&Task], share: f64, seed: u64) -> Vec<Split> {
        let mut rounds_up = true;
        let part = self.part_of_each(tasks, &mut |n| {
            let is_drawn = drawn(n, share, seed, &mut rounds_up).into_iter();
            is_drawn.map(usize::from).collect()
        });
        let splits = self.tasks.iter().map(|i| self.split(tasks[*i], &part, 1));
        splits.collect()
    }

    /// The number of atoms that give an object another class than its own and are not negative examples, where
    /// an argument of the head is the class: a clause may cover them without a mistake.
    pub fn n_unlisted(&self, tasks: &[&Task]) -> usize {
        let Some(place) = self.place else {
            return 0;
        };
        let task = tasks[self.tasks[0]];
        let negative: rustc_hash::FxHashSet<&Atom> = task.negative.iter().collect();
        let classed = self.objects(self.examples(tasks)).classed.into_iter();
        let atoms = classed.flat_map(|(object, class)| {
            let others = (0..self.values.len()).filter(move |other| *other != class);
            others.map(move |other| {
                let mut args = object.clone();
                args.insert(place, self.values[other].clone());
                Atom::new(task.target.name, args)
            })
        });
        atoms.filter(|atom| !negative.contains(atom)).count()
    }

    /// The number of objects of the examples of tasks.
    pub fn n_objects(&self, tasks: &[&Task]) -> usize {
        let Objects { classed, others } = self.objects(self.examples(tasks));
        classed.len() + others.len()
    }

    fn examples<'t>(&self, tasks: &[&'t Task]) -> impl Iterator<Item = [&'t [Atom]; 2]> {
        let tasks: Vec<&Task> = self.tasks.iter().map(|i| tasks[*i]).collect();
        let tasks = tasks.into_iter();
        tasks.map(|task| [&task.positive[..], &task.negative[..]])
    }

    /// Assigns each object to a part. `parts` numbers the parts of some objects that share their class or have none.
    fn part_of_each(
        &self,
        tasks: &[&Task],
        parts: &mut dyn FnMut(usize) -> Vec<usize>,
    ) -> FxHashMap<Object, usize> {
        let Objects { classed, others } = self.objects(self.examples(tasks));
        let mut of_class: BTreeMap<usize, Vec<Object>> = BTreeMap::new();
        for (object, class) in classed {
            of_class.entry(class).or_default().push(object);
        }
        let groups = of_class.into_values().chain([others]);
        groups
            .flat_map(|objects| {
                let parts = parts(objects.len());
                objects.into_iter().zip(parts)
            })
            .collect()
    }

    fn split(&self, task: &Task, part: &FxHashMap<Object, usize>, test: usize) -> Split {
        task.split_by(|example| part.get(&self.object(example)) == Some(&test))
    }
}

/// What a clause covers of the training examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Merit {
    tp: usize,
    fp: usize,
}

impl Merit {
    /// Whether it is more precise than another, by Laplace's estimate (tp + 1) / (tp + fp + 2), or as precise and
    /// covers more.
    fn is_better_than(self, other: Self) -> bool {
        let n = |own: Self| (own.tp + own.fp) as u128;
        let cross = |a: Self, b: Self| (a.tp as u128 + 1) * (n(b) + 2);
        let (own, others) = (cross(self, other), cross(other, self));
        own > others || (own == others && n(self) > n(other))
    }
}

/// The best clause that covers an object.
#[derive(Clone, Copy, Debug, Default)]
struct Choice {
    best: Option<(Merit, usize)>,
    n_classes: usize,
}

impl Choice {
    fn offer(&mut self, merit: Merit, class: usize, is_first_of_class: bool) {
        self.n_classes += usize::from(is_first_of_class);
        if self.best.is_none_or(|(best, _)| merit.is_better_than(best)) {
            self.best = Some((merit, class));
        }
    }
}

/// The types of the head's arguments.
fn kinds(task: &Task) -> Vec<Symbol> {
    let arguments = task.bias.head.arguments.iter();
    arguments.map(|argument| argument.kind).collect()
}

/// The argument of the head that is a class: the only one that clauses give as a constant, or whose type has
/// all its values as constants.
fn class_argument(task: &Task) -> Option<usize> {
    let head = &task.bias.head;
    if head.arguments.len() < 2 {
        return None;
    }
    let only = |mut places: Vec<usize>| places.pop().filter(|_| places.is_empty());
    let asked: Vec<usize> = head.places(Direction::Constant).collect();
    if !asked.is_empty() {
        return only(asked);
    }
    let listed = (0..head.arguments.len()).filter(|place| {
        let kind = head.arguments[*place].kind;
        let sets = task.bias.constants.iter().filter(|set| set.kind == kind);
        let known: rustc_hash::FxHashSet<&Term> =
            sets.flat_map(|set| set.constants.iter()).collect();
        let mut examples = task.positive.iter().chain(&task.negative);
        !known.is_empty() && examples.all(|example| known.contains(&example.args[*place]))
    });
    only(listed.collect())
}
