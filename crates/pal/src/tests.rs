//! Properties of PAL in a small domain: two tokens, red or blue, on a line of five places, that step
//! to the right.

use std::fmt::Write as _;

use kibitz_ilp::learn::NoProgress;
use kibitz_ilp::{Bias, Problem, Task};
use kibitz_prolog::{
    Argument, Atom, Clause, Constant, Database, Direction, Limits, Mode, Predicate, SymbolTable,
    Term, read_clauses,
};
use proptest::prelude::*;

use super::*;

struct Line {
    attributes: Vec<Attribute>,
    description: Atom,
}

impl Line {
    fn new(symbols: &mut SymbolTable) -> Self {
        let colors = ["red", "blue"].map(|name| Constant::Symbol(symbols.intern(name)));
        let attribute = |name: &str, values: Vec<Constant>| Attribute {
            name: name.to_owned(),
            values,
        };
        Self {
            attributes: vec![
                attribute("color", colors.to_vec()),
                attribute("place", (1..=5).map(Constant::Int).collect()),
            ],
            description: Atom::new(symbols.intern("token"), (0..3).map(Term::var)),
        }
    }

    /// The token with a number below ten.
    fn token(&self, number: usize) -> Component {
        vec![
            self.attributes[0].values[number / 5],
            self.attributes[1].values[number % 5],
        ]
    }

    fn number(&self, component: &[Constant]) -> usize {
        let index = |attribute: usize| {
            let values = &self.attributes[attribute].values;
            (values
                .iter()
                .position(|value| *value == component[attribute]))
            .expect("a value")
        };
        index(0) * 5 + index(1)
    }
}

/// The name of the state with these tokens.
fn state(tokens: impl IntoIterator<Item = usize>) -> i64 {
    let mut set = 0;
    for token in tokens {
        set |= 1 << token;
    }
    set
}

impl Domain for Line {
    fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn key(&self) -> &[usize] {
        &[1]
    }

    fn description(&self) -> &Atom {
        &self.description
    }

    fn state(&self, example: &[Component]) -> Constant {
        Constant::Int(state(
            example.iter().map(|component| self.number(component)),
        ))
    }

    fn is_legal(&self, example: &[Component]) -> bool {
        example[0][1] != example[1][1]
    }
}

/// The facts of all states.
fn facts() -> String {
    let colors = ["red", "blue"];
    let mut text = String::new();
    for a in 0..10 {
        for b in (a + 1..10).filter(|b| b % 5 != a % 5) {
            let here = state([a, b]);
            for (mover, other) in [(a, b), (b, a)] {
                let (color, place) = (colors[mover / 5], mover % 5 + 1);
                let _ = writeln!(text, "token({color}, {place}, {here}).");
                if place < 5 && mover % 5 + 1 != other % 5 {
                    let (to, next) = (place + 1, state([mover + 1, other]));
                    let _ = writeln!(text, "step({color}, {place}, {to}, {here}, {next}).");
                }
            }
        }
    }
    text + "meets(X, Y, S) :- token(_, X, S), token(_, Y, S), Y is X + 1.
           same(C, D) :- color(C), color(D), C = D.
           color(red). color(blue).
           last(X, S) :- token(_, X, S), X = 5."
}

struct Fixture {
    line: Line,
    db: Database,
    background: Background,
    symbols: SymbolTable,
}

fn world(dynamic: bool) -> Fixture {
    let mut symbols = SymbolTable::new();
    let line = Line::new(&mut symbols);
    let clauses = read_clauses(&facts(), &mut symbols).expect("Prolog");
    let db = (Database::builder().clauses(&clauses).build(&mut symbols)).expect("a program");
    let mut feature = |text: &str| Feature::parse(text, &line, &mut symbols).expect("a feature");
    let features = vec![
        feature("meets(place(1), place(2), state)"),
        feature("same(color(1), color(2))"),
        feature("last(place(1), state)"),
    ];
    let step = feature("step(color(1), place(1), _, state, next)");
    Fixture {
        background: Background {
            features,
            transition: dynamic.then_some(step),
            comparison: None,
            definitions: Vec::new(),
        },
        line,
        db,
        symbols,
    }
}

/// Classifies every example as positive and accepts every definition.
struct Credulous;

impl Teacher for Credulous {
    fn classify(&mut self, _: &Example, _: Constant, _: &Change) -> Result<Verdict, PalError> {
        Ok(Verdict::Positive)
    }

    fn judge(&mut self, _: &Clause) -> Result<Judgement, PalError> {
        Ok(Judgement::Accept)
    }
}

impl Fixture {
    fn examples(&self, states: &[[usize; 2]]) -> Vec<Example> {
        let example = |tokens: &[usize; 2]| tokens.map(|token| self.line.token(token)).to_vec();
        states.iter().map(example).collect()
    }

    fn learn_from_given(&mut self, examples: &[Example], params: PalParams) -> PalResult {
        let concept = self.symbols.intern("concept");
        let pal = Pal::new(&self.line, &self.db, &self.background, concept, params);
        pal.learn_from_given(examples, &mut Credulous)
            .expect("every example is positive")
    }

    fn holds(&self, clause: &Clause, example: &Example) -> bool {
        let target = [clause.clone()];
        let mut oracle = Oracle::new(&self.db, &target, &[], Limits::default());
        oracle.holds(self.line.state(example)).expect("provable")
    }
}

fn states() -> impl Strategy<Value = [usize; 2]> {
    (0..10_usize, 0..10_usize)
        .prop_filter("on two places", |(a, b)| a % 5 != b % 5)
        .prop_map(|(a, b)| [a, b])
}

fn params() -> impl Strategy<Value = PalParams> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(dynamic, by_components, by_arguments, keep)| PalParams {
            dynamic,
            novelty: [Novelty::Predicate, Novelty::Components][usize::from(by_components)],
            connected_by: [ConnectedBy::Variables, ConnectedBy::Arguments]
                [usize::from(by_arguments)],
            keep: [KeepComponents::Connected, KeepComponents::All][usize::from(keep)],
            max_clauses: 1,
            ..PalParams::default()
        },
    )
}

proptest! {
    #[test]
    fn definitions_cover_their_examples(
        states in proptest::collection::vec(states(), 1..4),
        params in params(),
    ) {
        let mut world = world(params.dynamic);
        let examples = world.examples(&states);
        let learned = world.learn_from_given(&examples, params);
        let definition = &learned.unreduced[0];
        for (example, others) in examples.iter().zip(1..) {
            prop_assert!(world.holds(definition, example));
            prop_assert!(world.holds(&learned.clauses[0], example));
            // Each example generalizes the definition.
            let earlier = world.learn_from_given(&examples[..others], params);
            prop_assert!(subsumes_relative_to(definition, &earlier.unreduced[0], &[]));
        }
        prop_assert_eq!(learned.steps.len(), examples.len() - 1);
        let bodies = definition.body.iter().flat_map(|literal| literal.atom.args.iter());
        let known: Vec<&Term> = bodies.collect();
        // The head describes the components, and the state.
        let (_, described) = definition.head.args.split_last().expect("a state");
        prop_assert!(described.iter().all(|arg| known.contains(&arg)));
        prop_assert!(params.keep == KeepComponents::Connected || described.len() >= 4);
    }

    #[test]
    fn stepwise_generalization_gives_the_same_definition(
        states in proptest::collection::vec(states(), 1..4),
        params in params(),
    ) {
        let mut world = world(params.dynamic);
        let examples = world.examples(&states);
        let learned = world.learn_from_given(&examples, params);
        let concept = world.symbols.intern("concept");
        let mut pal = Pal::new(&world.line, &world.db, &world.background, concept, params);
        let mut definition = pal.saturate(&examples[0]).expect("legal");
        for example in &examples[1..] {
            definition = pal.generalize_with(&definition, example).expect("legal");
        }
        let clause = pal.clause(&definition);
        prop_assert_eq!(&clause, &learned.unreduced[0]);
        let args = clause.head.args.iter();
        let constants = args.filter(|arg| matches!(arg, Term::Const(_))).count();
        prop_assert_eq!(pal.size(&definition), clause.len() + constants);
    }

    #[test]
    fn the_same_examples_give_the_same_steps(
        a in states(),
        b in states(),
        params in params(),
    ) {
        let mut world = world(params.dynamic);
        let both = world.examples(&[a, b]);
        prop_assert_eq!(world.learn_from_given(&both, params), world.learn_from_given(&both, params));
    }
}

/// PAL as a [`Learner`](kibitz_ilp::learn::Learner): the oracle answers which places meet, and the
/// definition is verified on examples.
#[test]
fn pal_is_a_learner_with_an_oracle() {
    let Fixture {
        line,
        db,
        background,
        mut symbols,
    } = world(false);
    let target = "concept(P, Q, S) :- token(C, P, S), token(D, Q, S), meets(P, Q, S).";
    let target = read_clauses(target, &mut symbols).expect("Prolog");
    let first = [0, 6].map(|number| line.token(number)).to_vec();
    let oracle =
        || -> Box<dyn Teacher> { Box::new(Oracle::new(&db, &target, &[], Limits::default())) };
    let pal = PalLearner {
        domain: &line,
        background: &background,
        examples: &[first],
        teacher: &oracle,
        params: PalParams::default(),
    };
    let argument = Argument {
        direction: Direction::In,
        kind: symbols.intern("any"),
    };
    let predicate = Predicate {
        name: symbols.intern("concept"),
        arity: 5,
    };
    let head = Mode {
        predicate,
        arguments: vec![argument; 5],
        recall: None,
    };
    let mut task = Task::new(symbols, Bias::new(head, Vec::new()));
    // The tokens and the state.
    let atom = |tokens: [usize; 2]| {
        let described = tokens.iter().flat_map(|&number| line.token(number));
        let state = Constant::Int(state(tokens));
        let args = described.chain([state]).map(Term::Const);
        Atom::new(predicate.name, args.collect::<Vec<_>>())
    };
    task.positive = vec![atom([0, 1]), atom([6, 2]), atom([8, 9])];
    task.negative = vec![atom([1, 0]), atom([0, 2]), atom([4, 6])];
    let problem = Problem::with_database(&task, &db);
    let theory = problem.learn(&pal, &mut NoProgress).expect("learned");
    insta::assert_snapshot!(theory, @r"
    % concept/5 by pal, 1 clause: tp 3 fn 0 tn 3 fp 0
    % every positive example is covered; 11 steps
    :- style_check(-singleton).
    concept(A,B,C,D,E) :- token(A,B,E), token(C,D,E), meets(B,D,E).  % tp 3 fn 0 tn 3 fp 0
    ");
}

/// Errors of PAL pass through [`Learner`](kibitz_ilp::learn::Learner).
#[test]
fn pal_refuses_an_example_that_is_no_instance() {
    let Fixture {
        line,
        db,
        background,
        mut symbols,
    } = world(false);
    let target = "concept(P, Q, S) :- token(C, P, S), token(D, Q, S), meets(P, Q, S).";
    let target = read_clauses(target, &mut symbols).expect("Prolog");
    let oracle =
        || -> Box<dyn Teacher> { Box::new(Oracle::new(&db, &target, &[], Limits::default())) };
    let pal = PalLearner {
        domain: &line,
        background: &background,
        examples: &[[0, 7].map(|number| line.token(number)).to_vec()],
        teacher: &oracle,
        params: PalParams::default(),
    };
    let head = Mode {
        predicate: target[0].head.predicate(),
        arguments: Vec::new(),
        recall: None,
    };
    let task = Task::new(symbols, Bias::new(head, Vec::new()));
    let problem = Problem::with_database(&task, &db);
    let error = problem.learn(&pal, &mut NoProgress).unwrap_err();
    assert_eq!(
        error.to_string(),
        "initial example 1 is not an instance of the concept"
    );
}
