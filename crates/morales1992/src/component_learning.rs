//! `component-learning`: PAL in domains of components other than chess pieces.

use kibitz_experiment::{
    Cell, CellError, ChaCha8Rng, Column, Context, Experiment, Output, Problems,
};
use kibitz_pal::{
    Attribute, Background, ComponentDomain, Domain as _, Ending, Example, Feature, Interruptible,
    Oracle, Pal, PalParams, equivalent_relative_to,
};
use kibitz_prolog::{Clause, Constant, Database, SymbolTable, read_clauses};
use rand::seq::IndexedRandom as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clauses;

const DEFINITIONS: &str = "definitions";

/// Concepts that PAL learns from states made of components; an oracle that knows the definition answers.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ComponentLearning {
    /// The predicate of components.
    component: String,
    /// Its arguments but for the state, in order.
    attributes: Vec<AttributeParams>,
    /// The attributes that no two components of a state share.
    key: Vec<String>,
    /// Attributes that change together.
    #[serde(default)]
    together: Vec<Vec<String>>,
    /// Declarations of background predicates, as of `kibitz_pal::Feature`.
    background: Vec<String>,
    /// Consequences of background predicates as Prolog text, for the comparison of definitions.
    #[serde(default)]
    consequences: String,
    /// Highest perturbation level.
    max_level: usize,
    /// Random states in which each definition is compared with the intended one.
    states: u32,
    /// One row of the table each.
    concepts: Vec<ConceptRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct AttributeParams {
    /// Its name.
    name: String,
    /// Its values; none if it does not change.
    #[serde(default)]
    values: Vec<ValueParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ValueParams {
    Number(i64),
    Name(String),
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ConceptRow {
    /// The row of the table.
    row: String,
    /// The predicate that the data define.
    concept: String,
    /// An initial example for each clause: facts of components without a state.
    examples: Vec<String>,
}

/// Everything for learning one concept.
struct ComponentTask {
    symbols: SymbolTable,
    domain: ComponentDomain,
    background: Background,
    db: Database,
    target: Vec<Clause>,
    examples: Vec<Example>,
}

impl Experiment for ComponentLearning {
    type Row = ConceptRow;

    const NAME: &'static str = "component-learning";
    const EXAMPLE: &'static str = include_str!("../examples/component-learning.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("initial", "examples", "initial examples").input(),
        Column::new(
            "positive",
            "examples",
            "positive examples among the queries",
        ),
        Column::new(
            "negative",
            "examples",
            "negative examples among the queries",
        ),
        Column::new("examined", "examples", "examples generated"),
        Column::new("clauses", "clauses", "clauses learned"),
        Column::new(
            "equivalent",
            "",
            "whether clause by clause the intended definition is reached",
        ),
        Column::new(
            "satisfied",
            "",
            "whether the oracle ended the search for each clause",
        ),
        Column::new("states", "states", "random states judged").input(),
        Column::new("instances", "states", "of these, instances of the concept"),
        Column::new(
            "false-positives",
            "states",
            "states that the definition covers and that are no instances",
        ),
        Column::new(
            "false-negatives",
            "states",
            "instances that the definition does not cover",
        ),
        Column::new("definition", "", "the clauses learned"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[DEFINITIONS]);
        problems.at_least_one([
            ("attributes", self.attributes.len()),
            ("key", self.key.len()),
            ("concepts", self.concepts.len()),
            ("max-level", self.max_level),
        ]);
        clauses::check("consequences", &self.consequences, problems);
        let mut used = vec![("key".to_owned(), &self.key)];
        let together = self.together.iter().enumerate();
        used.extend(together.map(|(place, names)| (format!("together.{place}"), names)));
        for (path, names) in used {
            for name in names.iter().filter(|name| self.attribute(name).is_none()) {
                problems.at(&path, format!("no attribute is named `{name}`"));
            }
        }
        let mut symbols = SymbolTable::new();
        let domain = self.domain(&mut symbols);
        for (place, text) in self.background.iter().enumerate() {
            if let Err(error) = Feature::parse(text, &domain, &mut symbols) {
                problems.at(format!("background.{place}"), error.to_string());
            }
        }
        problems.each("concepts", &self.concepts, |row, problems| {
            problems.at_least_one([("examples", row.examples.len())]);
            for (place, text) in row.examples.iter().enumerate() {
                if let Err(error) = domain.read_example(place + 1, text, &mut symbols) {
                    problems.at(format!("examples.{place}"), error.to_string());
                }
            }
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<ConceptRow>> {
        let rows = self.concepts.iter();
        rows.map(|row| Cell::row(&row.row, row.clone()).reading([DEFINITIONS]))
            .collect()
    }

    fn run(
        &self,
        row: &ConceptRow,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let ComponentTask {
            mut symbols,
            domain,
            background,
            db,
            target,
            examples,
        } = self.prepare(row, ctx)?;
        let params = PalParams {
            max_level: self.max_level,
            foresight: false,
            ..PalParams::default()
        };
        let definitions = &background.definitions;
        let mut oracle = Oracle::new(&db, &target, definitions, params.limits);
        let mut teacher = Interruptible {
            teacher: &mut oracle,
            condition: || !ctx.cancelled(),
        };
        let name = symbols.intern(&row.concept);
        let pal = Pal::new(&domain, &db, &background, name, params);
        let learned = pal.learn(&examples, &mut teacher)?;
        ctx.check()?;
        // Definitions are compared as sets of clauses, each way: the learner finds the clauses in
        // its own order.
        let is_reached = |wanted: &[Clause], found: &[Clause]| {
            wanted.iter().all(|one| {
                let mut found = found.iter();
                found.any(|other| equivalent_relative_to(one, other, definitions))
            })
        };
        let equivalent =
            is_reached(&target, &learned.clauses) && is_reached(&learned.clauses, &target);
        let satisfied = learned.endings.iter().all(|own| *own == Ending::Satisfied);
        let yes_or_no = |holds: bool| if holds { "yes" } else { "no" };
        let (positive, negative) = learned.n_examples();
        output
            .set("initial", examples.len())
            .set("positive", positive)
            .set("negative", negative)
            .set("examined", learned.examined)
            .set("clauses", learned.clauses.len())
            .set("equivalent", yes_or_no(equivalent))
            .set("satisfied", yes_or_no(satisfied))
            .set("definition", clauses::print(&learned.clauses, &symbols));
        // Two definitions that are not equivalent as clauses may still agree on all states: count
        // where they differ.
        let mut found = Oracle::new(&db, &learned.clauses, definitions, params.limits);
        let mut rng = ctx.rng_for("states");
        let [mut instances, mut wrong, mut missed] = [0_u32; 3];
        for _ in 0..self.states {
            ctx.check()?;
            let state = domain.state(&random_state(&domain, &examples[0], &mut rng));
            let (is_instance, is_covered) = (oracle.holds(state)?, found.holds(state)?);
            instances += u32::from(is_instance);
            wrong += u32::from(is_covered && !is_instance);
            missed += u32::from(is_instance && !is_covered);
        }
        output
            .set("states", f64::from(self.states))
            .set("instances", f64::from(instances))
            .set("false-positives", f64::from(wrong))
            .set("false-negatives", f64::from(missed));
        Ok(())
    }
}

impl ComponentLearning {
    /// The index of an attribute.
    fn attribute(&self, name: &str) -> Option<usize> {
        self.attributes.iter().position(|own| own.name == name)
    }

    fn domain(&self, symbols: &mut SymbolTable) -> ComponentDomain {
        let mut attributes = Vec::new();
        for attribute in &self.attributes {
            let values = attribute.values.iter().map(|value| match value {
                ValueParams::Number(number) => Constant::Int(*number),
                ValueParams::Name(name) => Constant::Symbol(symbols.intern(name)),
            });
            attributes.push(Attribute {
                name: attribute.name.clone(),
                values: values.collect(),
            });
        }
        let indices = |names: &Vec<String>| -> Vec<usize> {
            names
                .iter()
                .filter_map(|name| self.attribute(name))
                .collect()
        };
        let together: Vec<Vec<usize>> = self.together.iter().map(indices).collect();
        let key = indices(&self.key);
        ComponentDomain::new(&self.component, attributes, &key, &together, symbols)
    }

    fn prepare(&self, row: &ConceptRow, ctx: &Context<'_>) -> Result<ComponentTask, CellError> {
        let mut symbols = SymbolTable::new();
        let domain = self.domain(&mut symbols);
        let file = ctx.data(DEFINITIONS)?;
        let bytes = file.bytes()?;
        let program = read_clauses(std::str::from_utf8(&bytes)?, &mut symbols)?;
        let concept = symbols.intern(&row.concept);
        let of_concept = program.iter().filter(|own| own.head.name == concept);
        let target: Vec<Clause> = of_concept.cloned().collect();
        if target.is_empty() {
            let message = format!("data `{}` do not define `{}`", file.entry(), row.concept);
            return Err(CellError::new(message));
        }
        let features = self.background.iter();
        let features = features.map(|text| Feature::parse(text, &domain, &mut symbols));
        let features = features.collect::<Result<Vec<_>, _>>()?;
        let mut examples = Vec::new();
        for (number, text) in (1..).zip(&row.examples) {
            examples.push(domain.read_example(number, text, &mut symbols)?);
        }
        let definitions = read_clauses(&self.consequences, &mut symbols)?;
        let builder = Database::builder().native(domain.relation());
        let db = builder.clauses(&program).build(&mut symbols)?;
        let background = Background {
            features,
            definitions,
            ..Background::default()
        };
        Ok(ComponentTask {
            symbols,
            domain,
            background,
            db,
            target,
            examples,
        })
    }
}

/// A legal state like another one, with random values of what may change.
fn random_state(domain: &ComponentDomain, like: &Example, rng: &mut ChaCha8Rng) -> Example {
    loop {
        let mut state = like.clone();
        for component in &mut state {
            for (value, attribute) in component.iter_mut().zip(domain.attributes()) {
                if let Some(drawn) = attribute.values.choose(rng) {
                    *value = *drawn;
                }
            }
        }
        if domain.is_legal(&state) {
            return state;
        }
    }
}
