//! Golem and mFoil on states: constraints as tables.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use kibitz_experiment::CellError;
use kibitz_ilp::learn::{Golem, Learner, Mfoil, NoProgress};
use kibitz_ilp::{Bias, Problem, Task};
use kibitz_prolog::{
    Argument, Atom, Clause, Direction, Evaluator, Limits, Literal, Mode, Predicate, SymbolTable,
    Term, print_clause,
};
use kibitz_qsim::learn::candidates;
use kibitz_qsim::{
    Constraint, ConstraintKind, Magnitude, Model, QValue, QuantitySpace, State, Variable,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Examples, LearnerResult, Theory};
use crate::clauses;

/// A definition in clauses, with the predicates they call.
pub(crate) struct Program {
    pub(super) task: Task,
    pub(super) clauses: Vec<Clause>,
}

impl Program {
    /// A theory learned from tables of the constraints of two variables and of the parts of a sum.
    ///
    /// # Source
    /// Morales 1992, section 8.3: magnitudes and directions are arguments of their own, since a
    /// clause may share one and not the other; `add` is replaced by `norm_mag`,
    /// `lookup_consist_table` and `verify_add_deriv`. Not tabulated: `mult`, as there. That `minus` is
    /// tabulated is known from the clause learned; `range` is listed there, and its meaning is not given.
    pub(super) fn learn(
        variables: &[Variable],
        examples: &Examples,
        listed: Tabulation,
        learner: &dyn Learner,
    ) -> Result<LearnerResult, CellError> {
        let kinds = variables
            .iter()
            .flat_map(|variable| [variable.name.as_str(), "direction"]);
        let mut tables = Tables::new(&kinds.collect::<Vec<_>>());
        tables.constraints(variables, listed.minus)?;
        tables.sums(variables)?;
        if let Some(ranges) = listed.ranges {
            tables.ranges(variables, ranges);
        }
        let mut task = tables.task;
        task.positive = atoms(&mut task, variables, &examples.positive);
        task.negative = atoms(&mut task, variables, &examples.negative);
        let n_facts = task.background.len();
        let (generalized, learned) = {
            let problem = Problem::new(&mut task)?;
            let generalized = listed
                .generalized
                .map(|own| own.generalization(&problem, &mut NoProgress));
            let learned = learner.learn(&problem, &mut NoProgress)?;
            (generalized.transpose()?.flatten(), learned)
        };
        task.symbols = learned.symbols(&task.symbols);
        let clauses = learned.clauses;
        Ok(LearnerResult {
            n_facts: Some(n_facts),
            n_literals: generalized.map(|clause| clause.body.len()),
            ..LearnerResult::theory(Theory::Program(Box::new(Self { task, clauses })))
        })
    }

    pub(super) fn accepts(
        &mut self,
        variables: &[Variable],
        states: &[State],
    ) -> Result<Vec<bool>, CellError> {
        let atoms = atoms(&mut self.task, variables, states);
        let db = self.task.database()?;
        let mut evaluator = Evaluator::new(&db, Limits::default(), &atoms, &[]);
        let mut accepted = vec![false; states.len()];
        for coverage in evaluator.theory(&self.clauses)? {
            coverage
                .positive
                .ones()
                .for_each(|state| accepted[state] = true);
        }
        Ok(accepted)
    }

    pub(super) fn text(&self) -> String {
        clauses::print(&self.clauses, &self.task.symbols)
    }
}

/// The facts to tabulate, and the generalization to count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tabulation {
    pub(super) minus: bool,
    pub(super) ranges: Option<Ranges>,
    /// Golem, if its generalization of all positive examples is counted.
    pub(super) generalized: Option<Golem>,
}

/// The ranges of magnitudes that `range` gives for a value; a direction is in the ranges of one to three
/// directions that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ranges {
    /// Between a landmark and the next.
    Neighbors,
    /// Between any two landmarks.
    All,
}

/// The states as atoms of the target: magnitude and direction of each variable.
fn atoms(task: &mut Task, variables: &[Variable], states: &[State]) -> Vec<Atom> {
    let target = task.target.name;
    let atom = |state: &State| {
        let values = variables.iter().zip(state);
        let args = values.flat_map(|(variable, value)| parts(variable, *value));
        let args: Vec<Term> = args
            .map(|text| Term::symbol(task.symbols.intern(&text)))
            .collect();
        Atom::new(target, args)
    };
    states.iter().map(atom).collect()
}

fn parts(variable: &Variable, value: QValue) -> [String; 2] {
    let direction = value.direction().name().to_owned();
    [variable.space.name(value.magnitude()), direction]
}

/// A task whose background is being tabulated.
struct Tables {
    task: Task,
}

impl Tables {
    /// A task with a target whose arguments are of these types.
    fn new(kinds: &[&str]) -> Self {
        let mut symbols = SymbolTable::new();
        let target = Predicate {
            name: symbols.intern("legalstate"),
            arity: kinds.len(),
        };
        let arguments = kinds.iter().map(|kind| Argument {
            direction: Direction::In,
            kind: symbols.intern(kind),
        });
        let head = Mode {
            predicate: target,
            arguments: arguments.collect(),
            recall: None,
        };
        Self {
            task: Task::new(symbols, Bias::new(head, Vec::new())),
        }
    }

    /// Declares a predicate by the types of its arguments, of which the last `n_out` follow from the
    /// others, and lists its facts.
    fn declare(&mut self, name: &str, kinds: &[&str], n_out: usize, rows: Vec<Vec<String>>) {
        let symbols = &mut self.task.symbols;
        let predicate = Predicate {
            name: symbols.intern(name),
            arity: kinds.len(),
        };
        let arguments = kinds.iter().enumerate().map(|(place, kind)| Argument {
            direction: if place + n_out < kinds.len() {
                Direction::In
            } else {
                Direction::Out
            },
            kind: symbols.intern(kind),
        });
        self.task.bias.body.push(Mode {
            predicate,
            arguments: arguments.collect(),
            recall: None,
        });
        for row in rows {
            let args = row.iter().map(|text| Term::symbol(symbols.intern(text)));
            let fact = Atom::new(predicate.name, args.collect::<Vec<_>>());
            self.task.background.push(Clause::fact(fact));
        }
    }

    /// The constraints of each variable with each other one.
    fn constraints(&mut self, variables: &[Variable], minus: bool) -> Result<(), CellError> {
        let mut kinds = vec![
            ConstraintKind::Deriv,
            ConstraintKind::MPlus,
            ConstraintKind::MMinus,
        ];
        kinds.extend(minus.then_some(ConstraintKind::Minus));
        for (i, x) in variables.iter().enumerate() {
            for (_, y) in variables.iter().enumerate().filter(|(j, _)| *j != i) {
                for &kind in &kinds {
                    let pair = vec![x.clone(), y.clone()];
                    let constraint = Constraint::new(kind, [0, 1]);
                    if candidates(&pair, &[kind]).is_empty() {
                        continue;
                    }
                    let model = Model::new(pair, vec![constraint])?;
                    let rows = model.legal_states();
                    let rows = rows.iter().map(|state| {
                        let values = [(x, state[0]), (y, state[1])];
                        values
                            .into_iter()
                            .flat_map(|(own, value)| parts(own, value))
                            .collect()
                    });
                    // What is minus something follows from it.
                    let n_out = if kind == ConstraintKind::Minus { 2 } else { 0 };
                    let name = format!("{kind}_{}_{}", x.name, y.name);
                    let types = [&x.name, "direction", &y.name, "direction"];
                    self.declare(&name, &types, n_out, rows.collect());
                }
            }
        }
        Ok(())
    }

    /// The ranges of magnitudes and directions that each value is in: those of magnitudes with both of
    /// their ends.
    fn ranges(&mut self, variables: &[Variable], ranges: Ranges) {
        let directions = kibitz_qsim::Direction::ALL.map(kibitz_qsim::Direction::name);
        let pairs = |n: usize| (0..n).flat_map(move |low| (low..n).map(move |high| [low, high]));
        for variable in variables {
            let space = &variable.space;
            let all = space.magnitudes();
            let landmarks: Vec<Magnitude> = all.clone().filter(|own| own.is_landmark()).collect();
            let mut rows = Vec::new();
            for (magnitude, at) in
                all.flat_map(|own| (0..directions.len()).map(move |at| (own, at)))
            {
                let listed = pairs(landmarks.len()).filter(|[low, high]| {
                    let is_listed = ranges == Ranges::All || high - low == 1;
                    let within = landmarks[*low]..=landmarks[*high];
                    low < high && is_listed && within.contains(&magnitude)
                });
                for [low, high] in listed {
                    let around = pairs(directions.len())
                        .filter(|[first, last]| (first..=last).contains(&&at));
                    for [first, last] in around {
                        rows.push(vec![
                            space.name(magnitude),
                            directions[at].to_owned(),
                            [low, high].map(|own| space.name(landmarks[own])).join(".."),
                            [first, last].map(|own| directions[own]).join(".."),
                        ]);
                    }
                }
            }
            let name = format!("range_{}", variable.name);
            let kinds = [&variable.name, "direction", "magnitudes", "directions"];
            self.declare(&name, &kinds, 0, rows);
        }
    }

    /// Signs of magnitudes, and how signs and directions add.
    fn sums(&mut self, variables: &[Variable]) -> Result<(), CellError> {
        let sign = |magnitude: Magnitude, zero| match magnitude.cmp(&zero) {
            Ordering::Less => "neg",
            Ordering::Equal => "zero",
            Ordering::Greater => "pos",
        };
        for variable in variables {
            let Some(zero) = variable.space.zero() else {
                continue;
            };
            let rows = variable.space.magnitudes().map(|magnitude| {
                vec![
                    variable.space.name(magnitude),
                    sign(magnitude, zero).to_owned(),
                ]
            });
            let name = format!("norm_mag_{}", variable.name);
            self.declare(&name, &[&variable.name, "sign"], 1, rows.collect());
        }
        // Finite numbers of which no more than the sign is known.
        let space = QuantitySpace::new(&["minf", "0", "inf"])?;
        let space = space.with_range(Magnitude::above(0)..=Magnitude::above(1))?;
        let named = |name| Variable::new(name, space.clone());
        let sum = Constraint::new(ConstraintKind::Add, [0, 1, 2]);
        let model = Model::new(["x", "y", "z"].map(named).to_vec(), vec![sum])?;
        let states = model.legal_states();
        let rows = |of: &dyn Fn(&QValue) -> &'static str| -> Vec<Vec<String>> {
            let row = |state: &State| state.iter().map(|value| of(value).to_owned()).collect();
            let rows: BTreeSet<Vec<String>> = states.iter().map(row).collect();
            rows.into_iter().collect()
        };
        let signs = rows(&|value| sign(value.magnitude(), Magnitude::landmark(1)));
        self.declare("lookup_consist_table", &["sign"; 3], 0, signs);
        let directions = rows(&|value| value.direction().name());
        self.declare("verify_add_deriv", &["direction"; 3], 0, directions);
        Ok(())
    }
}

/// What mFoil learns from the constraints as relations of values.
///
/// The facts are those of the values that the examples have together: a clause without variables
/// of its own is true of an example by them or not at all.
///
/// # Source
/// Morales 1992, section 8.4.2.
pub(super) fn mfoil(
    variables: &[Variable],
    examples: &Examples,
    candidates: &[Constraint],
    mfoil: &Mfoil,
) -> Result<LearnerResult, CellError> {
    let mut tables = Tables::new(&vec!["value"; variables.len()]);
    let model = Model::new(variables.to_vec(), candidates.to_vec())?;
    // Values of different variables are different constants, since their quantity spaces are not
    // comparable.
    let show = |variable: usize, value: QValue| {
        let own = &variables[variable];
        format!("{}:{}", own.name, own.space.show(value))
    };
    // Candidates come grouped by kind, so that adjacent duplicates are all duplicates.
    let mut kinds: Vec<ConstraintKind> = candidates.iter().map(|c| c.kind).collect();
    kinds.dedup();
    let mut rows: Vec<Vec<Vec<String>>> = vec![Vec::new(); kinds.len()];
    // The thesis lists the constraints as relations of values: a tuple holds if some state of the
    // examples satisfies the constraint with these values.
    for state in examples.positive.iter().chain(&examples.negative) {
        let refused = model.objections(state, 0);
        for (index, constraint) in candidates.iter().enumerate() {
            if refused.iter().all(|(refusing, _)| *refusing != index) {
                let own = constraint.variables.iter();
                let row = own.map(|&variable| show(variable, state[variable]));
                let kind = kinds.iter().position(|kind| *kind == constraint.kind);
                let kind = kind.expect("the kinds are those of the candidates");
                rows[kind].push(row.collect());
            }
        }
    }
    for (kind, mut rows) in kinds.iter().zip(rows) {
        rows.sort();
        rows.dedup();
        tables.declare(kind.name(), &vec!["value"; kind.arity()], 0, rows);
    }
    let mut task = tables.task;
    let mut atoms = |states: &[State]| -> Vec<Atom> {
        let atom = |state: &State| {
            let values = state.iter().enumerate();
            let args: Vec<Term> = values
                .map(|(variable, value)| Term::symbol(task.symbols.intern(&show(variable, *value))))
                .collect();
            Atom::new(task.target.name, args)
        };
        states.iter().map(atom).collect()
    };
    (task.positive, task.negative) = (atoms(&examples.positive), atoms(&examples.negative));
    task.bias.max_vars = Some(variables.len());
    let learned = mfoil.learn(&Problem::new(&mut task)?, &mut NoProgress)?;
    let constraints = |clause: &Clause| -> Result<Vec<Constraint>, CellError> {
        let of = |literal: &Literal| {
            let atom = &literal.atom;
            let kind = kinds
                .iter()
                .find(|kind| kind.name() == task.symbols.name(atom.name))?;
            let place = |arg| clause.head.args.iter().position(|own| own == arg);
            let variables = atom.args.iter().map(place).collect::<Option<Vec<_>>>()?;
            literal.positive.then(|| Constraint::new(*kind, variables))
        };
        let found: Option<Vec<Constraint>> = clause.body.iter().map(of).collect();
        found.ok_or_else(|| {
            let clause = print_clause(clause, &task.symbols);
            CellError::new(format!("a clause is not a model of constraints: {clause}"))
        })
    };
    // Other clauses that were as good as the one chosen count only if they separate the examples as
    // models, too.
    let mut others = Vec::new();
    for clause in learned.alternatives.iter().flatten() {
        let other = constraints(clause)?;
        let model = Model::new(variables.to_vec(), other.clone())?;
        let right = examples.positive.iter().all(|state| model.accepts(state));
        if right && !examples.negative.iter().any(|state| model.accepts(state)) {
            others.push(other);
        }
    }
    Ok(LearnerResult {
        n_facts: Some(task.background.len()),
        n_literals: None,
        n_tried: usize::try_from(learned.steps).ok(),
        others: Some(others),
        theory: Theory::Models(
            learned
                .clauses
                .iter()
                .map(constraints)
                .collect::<Result<_, _>>()?,
        ),
    })
}
