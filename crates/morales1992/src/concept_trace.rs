//! `concept-trace`: a printed run of PAL, step by step.

use std::collections::BTreeSet;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Output, Problems, RowOutput,
};
use kibitz_pal::{
    Change, ConnectedBy, Example, Novelty, Outcome, PalError, PalParams, PalResult, Step,
    UnsatisfiedTeacher, subsumes_relative_to, success_set,
};
use kibitz_patterns::{ConceptDomain, Places, PreparedConcept};
use kibitz_prolog::{Clause, SymbolTable, Term, read_clauses};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::concepts;

const REDUCED: &str = "reduced";
/// Runs with generated examples, with foresight or not, and with success sets or not.
const GENERATORS: [(&str, [bool; 2]); 3] = [
    ("generator", [false, false]),
    ("generator with foresight", [true, false]),
    ("generator with success sets", [false, true]),
];
/// Rules that skip examples without new information for the current definition.
const RULES: [&str; 2] = ["no failure set twice", "no success set twice"];

/// PAL on the examples of a published run, in order, compared with the published definitions.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ConceptTrace {
    /// The concept, by its name in the data `concepts`, which declares initial example and background.
    concept: String,
    /// How perturbation changes the square of a piece.
    #[serde(default)]
    places: Places,
    /// Highest perturbation level of the runs with generated examples.
    max_level: usize,
    /// Readings of the text; the rows of the steps use the first one.
    readings: Vec<ReadingParams>,
    /// The printed definition after the final reduction, as Prolog text.
    reduced: String,
    /// Whether to count the other values of the changed argument that fit print as well.
    alternatives: bool,
    /// One row of the table each.
    steps: Vec<StepParams>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ReadingParams {
    /// The row of the table.
    row: String,
    /// Which changes of a move become literals.
    novelty: NoveltyName,
    /// What a literal must share with another one to be connected.
    connected_by: ConnectedName,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum NoveltyName {
    /// The first or last facts of a predicate.
    Predicate,
    /// The first or last facts of a predicate about the same pieces.
    Pieces,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ConnectedName {
    /// Common variables.
    Variables,
    /// Common arguments.
    Arguments,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct StepParams {
    /// The row of the table.
    row: String,
    /// The change, as printed.
    comment: String,
    /// The example as facts, its pieces in the order of the initial example.
    example: String,
    /// How far the thesis determines the example.
    doubt: String,
    /// The definition printed after it, as Prolog text.
    #[serde(default)]
    printed: Option<String>,
}

impl Experiment for ConceptTrace {
    type Row = ();

    const NAME: &'static str = "concept-trace";
    const EXAMPLE: &'static str = include_str!("../examples/concept-trace.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new(
            "verdict",
            "",
            "1 for a positive example, 0 for a negative one",
        ),
        Column::new("outcome", "", "what came of the example"),
        Column::new(
            "literals",
            "literals",
            "literals of the body after it, reversed ones once",
        ),
        Column::new("arguments", "arguments", "arguments of the head after it"),
        Column::new("constants", "constants", "constants in the head after it"),
        Column::new(
            "definition",
            "",
            "how ours compares with the one printed last",
        ),
        Column::new("position", "", "the reconstructed example"),
        Column::new(
            "alternatives",
            "values",
            "other values of what was changed that fit as well",
        ),
        Column::new("positive", "examples", "positive examples"),
        Column::new("negative", "examples", "negative examples"),
        Column::new(
            "equivalent",
            "steps",
            "steps after which our definition is equivalent to print",
        ),
        Column::new(
            "repeated",
            "examples",
            "examples of the printed run that the rule excludes",
        ),
        Column::new(
            "left",
            "examples",
            "examples that the rule would still have shown in the perturbation classes that the printed \
             run gave up",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &concepts::DATA);
        problems.at_least_one([
            ("max-level", self.max_level),
            ("readings", self.readings.len()),
            ("steps", self.steps.len()),
        ]);
        let check = |path: &str, text: &str, problems: &mut Problems| {
            if let Err(problem) = read_definition(text, &mut SymbolTable::new()) {
                problems.at(path, problem);
            }
        };
        problems.each("steps", &self.steps, |step, problems| {
            if let Some(printed) = &step.printed {
                check("printed", printed, problems);
            }
        });
        check("reduced", &self.reduced, problems);
    }

    fn cells(&self) -> Vec<Cell> {
        let steps = self.steps.iter().map(|step| step.row.as_str());
        let readings = self.readings.iter().map(|reading| reading.row.as_str());
        let generators = GENERATORS.map(|(row, _)| row);
        let rows = steps.chain([REDUCED]).chain(readings).chain(generators);
        let rows = rows.chain(RULES);
        vec![Cell::rows("trace", rows, ()).reading(concepts::DATA)]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut concept = concepts::concept(&self.concept, ctx)?;
        if concept.examples.len() != 1 {
            let message = format!("concept `{}` needs one initial example", self.concept);
            return Err(CellError::new(message));
        }
        concept.places = self.places;
        let steps = self.steps.iter().map(|step| step.example.clone());
        concept.examples.extend(steps);
        let prepared = concepts::prepare(&concept, ctx)?;
        let mut symbols = prepared.symbols().clone();
        let mut read = |text: &String| read_definition(text, &mut symbols);
        let printed = (self.steps.iter())
            .map(|step| step.printed.as_ref().map(&mut read).transpose())
            .collect::<Result<Vec<_>, _>>()
            .map_err(CellError::new)?;
        let reduced = read(&self.reduced).map_err(CellError::new)?;
        for (index, reading) in self.readings.iter().enumerate() {
            ctx.check()?;
            let params = reading.params(&prepared);
            // The printed steps go on after the definition is right, so the teacher never ends the
            // search.
            let mut teacher = UnsatisfiedTeacher(prepared.oracle());
            let learned = prepared.learn_from_given(prepared.examples(), params, &mut teacher)?;
            let after = definitions(&learned, &printed);
            let same = |(ours, theirs)| compare(ours, theirs, &prepared) == EQUIVALENT;
            let equivalent = after.iter().flatten().filter(|&&both| same(both)).count();
            count(&learned, &mut output.row(&reading.row)).set("equivalent", equivalent);
            // The steps of the table are those of the first interpretation; the others only count
            // how many steps agree.
            if index == 0 {
                self.fill_steps(&learned, &after, &prepared, output);
                for (rule, [repeated, left]) in
                    RULES.iter().zip(judge(&learned, params, &prepared)?)
                {
                    let mut row = output.row(*rule);
                    row.set("repeated", repeated).set("left", left);
                }
                let compared = compare(&learned.clauses[0], &reduced, &prepared);
                describe(&learned.clauses[0], &mut output.row(REDUCED)).set("definition", compared);
            }
            if index == 0 && self.alternatives {
                for (i, step) in self.steps.iter().enumerate() {
                    ctx.check()?;
                    let theirs = after[i].map(|(_, theirs)| theirs);
                    let n = alternatives(i, &learned, theirs, params, &prepared)?;
                    output.row(&step.row).set("alternatives", n);
                }
            }
        }
        for (row, [foresight, success_sets]) in GENERATORS {
            ctx.check()?;
            let params = PalParams {
                max_level: self.max_level,
                foresight,
                success_sets,
                ..self.readings[0].params(&prepared)
            };
            let initial = &prepared.examples()[..1];
            let learned = prepared.learn_starting_with(initial, params, &mut prepared.oracle())?;
            let compared = compare(&learned.clauses[0], &reduced, &prepared);
            count(&learned, &mut output.row(row)).set("definition", compared);
        }
        Ok(())
    }
}

/// Reads a single clause.
fn read_definition(text: &str, symbols: &mut SymbolTable) -> Result<Clause, String> {
    let clauses = read_clauses(text, symbols).map_err(|errors| errors.to_string())?;
    <[Clause; 1]>::try_from(clauses)
        .map(|[clause]| clause)
        .map_err(|clauses| format!("one clause is expected, there are {}", clauses.len()))
}

/// Our definition and the last printed one after each step; `None` before both exist.
fn definitions<'a>(
    learned: &'a PalResult,
    printed: &'a [Option<Clause>],
) -> Vec<Option<(&'a Clause, &'a Clause)>> {
    let (mut ours, mut theirs) = (None, None);
    let steps = learned.steps.iter().zip(printed);
    steps
        .map(|(step, printed)| {
            ours = step.definition.as_ref().or(ours);
            theirs = printed.as_ref().or(theirs);
            ours.zip(theirs)
        })
        .collect()
}

impl ConceptTrace {
    /// Fills the rows of the steps.
    fn fill_steps(
        &self,
        learned: &PalResult,
        after: &[Option<(&Clause, &Clause)>],
        prepared: &PreparedConcept,
        output: &mut Output,
    ) {
        for ((step, asked), after) in self.steps.iter().zip(&learned.steps).zip(after) {
            let mut row = output.row(&step.row);
            let positive = asked.outcome != Outcome::Negative;
            row.set("verdict", u64::from(positive))
                .set("outcome", outcome(asked.outcome))
                .set("position", board(&asked.example, prepared));
            if let Some((ours, theirs)) = after {
                describe(ours, &mut row).set("definition", compare(ours, theirs, prepared));
            }
        }
    }
}

impl ReadingParams {
    fn params(&self, prepared: &PreparedConcept) -> PalParams {
        PalParams {
            novelty: match self.novelty {
                NoveltyName::Predicate => Novelty::Predicate,
                NoveltyName::Pieces => Novelty::Components,
            },
            connected_by: match self.connected_by {
                ConnectedName::Variables => ConnectedBy::Variables,
                ConnectedName::Arguments => ConnectedBy::Arguments,
            },
            ..prepared.params()
        }
    }
}

/// For each of the [`RULES`], how many examples of a run it excludes, and how many it would still show
/// in the perturbation classes that the run gave up without a generalization. In such a class the
/// first example need only fail on something; those after it hold some literal that failed in it.
fn judge(
    learned: &PalResult,
    params: PalParams,
    prepared: &PreparedConcept,
) -> Result<[[usize; 2]; 2], CellError> {
    let mut judged = [[0; 2]; 2];
    let initial = prepared.examples().first().ok_or(PalError::NoExample)?;
    let mut pal = prepared.pal(params);
    let mut definition = pal.saturate(initial)?;
    // The failure and success sets of the examples for this definition.
    let mut seen = [const { BTreeSet::new() }; 2];
    let mut culprits: Option<Vec<bool>> = None;
    for (i, step) in learned.steps.iter().enumerate() {
        let is_other = |other: &&Step| other.change != step.change;
        if i == 0 || is_other(&&learned.steps[i - 1]) {
            culprits = None;
        }
        let failed = pal.failure_set(&definition, &step.example)?;
        if !seen[0].insert(failed.clone()) {
            judged[0][0] += 1;
        }
        if let Some(culprits) = &culprits
            && !seen[1].insert(success_set(culprits, &failed))
        {
            judged[1][0] += 1;
        }
        if step.outcome == Outcome::Generalized {
            definition = pal.generalize_with(&definition, &step.example)?;
            seen = [const { BTreeSet::new() }; 2];
            culprits = None;
            continue;
        }
        let culprits = culprits.get_or_insert(failed);
        if learned.steps.get(i + 1).as_ref().is_none_or(is_other) {
            let mut left = [const { BTreeSet::new() }; 2];
            for example in others(i, learned, prepared) {
                let failed = pal.failure_set(&definition, &example)?;
                let succeeded = success_set(culprits, &failed);
                if seen[0].contains(&failed) || !succeeded.contains(&true) {
                    continue;
                }
                if !seen[1].contains(&succeeded) {
                    left[1].insert(succeeded);
                }
                left[0].insert(failed);
            }
            for (judged, left) in judged.iter_mut().zip(left) {
                judged[1] += left.len();
            }
        }
    }
    Ok(judged)
}

/// The legal examples with another value of the argument changed in a step, if it was a single one, that
/// were not shown up to that step.
fn others(i: usize, learned: &PalResult, prepared: &PreparedConcept) -> Vec<Example> {
    let domain = prepared.domain();
    let asked = &learned.steps[i];
    let Change::Perturbed(class) = &asked.change else {
        return Vec::new();
    };
    let [changed] = class[..] else {
        return Vec::new();
    };
    let [attribute] = domain.arguments()[changed.argument][..] else {
        return Vec::new();
    };
    let shown = |example: &Example| {
        let mut steps = learned.steps[..=i].iter();
        prepared.examples().first() == Some(example) || steps.any(|step| step.example == *example)
    };
    let values = domain.attributes()[attribute].values.iter();
    let examples = values.map(|value| {
        let mut example = asked.example.clone();
        example[changed.component][attribute] = *value;
        example
    });
    (examples.filter(|example| !shown(example) && domain.is_legal(example))).collect()
}

/// Number of other values of the argument changed in a step with the same outcome and, after a
/// generalization, a definition with equally many literals that compares with the published one in the same way.
fn alternatives(
    i: usize,
    run: &PalResult,
    theirs: Option<&Clause>,
    params: PalParams,
    prepared: &PreparedConcept,
) -> Result<u64, CellError> {
    let params = PalParams {
        max_clauses: 1,
        ..params
    };
    let compared = |definition: Option<&Clause>| {
        let both = definition.zip(theirs);
        both.map(|(ours, theirs)| (compare(ours, theirs, prepared), ours.body.len()))
    };
    let asked = &run.steps[i];
    let mut fitting = 0;
    for example in others(i, run, prepared) {
        // The initial example and those of the earlier steps come first.
        let mut given = prepared.examples()[..=i].to_vec();
        given.push(example);
        let learned = prepared.learn_from_given(
            &given,
            params,
            &mut UnsatisfiedTeacher(prepared.oracle()),
        )?;
        let same = learned.steps.last().is_some_and(|step| {
            step.outcome == asked.outcome
                && compared(step.definition.as_ref()) == compared(asked.definition.as_ref())
        });
        fitting += u64::from(same);
    }
    Ok(fitting)
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Negative => "negative",
        Outcome::Generalized => "generalized",
        Outcome::TooGeneral => "too general",
        Outcome::Rejected => "rejected",
        Outcome::Stored => "stored",
        Outcome::Stopped => "stopped",
    }
}

fn board(example: &Example, prepared: &PreparedConcept) -> String {
    match prepared.domain() {
        ConceptDomain::Chess(chess) => chess.position(example).board().to_string(),
        ConceptDomain::Placement(_) => String::new(),
    }
}

const EQUIVALENT: &str = "equivalent";

/// How our definition compares with a printed one by theta-subsumption relative to the definitions of
/// the background predicates.
fn compare(ours: &Clause, printed: &Clause, prepared: &PreparedConcept) -> &'static str {
    let subsumes = |a, b| subsumes_relative_to(a, b, prepared.definitions());
    match (subsumes(ours, printed), subsumes(printed, ours)) {
        (true, true) => EQUIVALENT,
        (true, false) => "more general",
        (false, true) => "more special",
        (false, false) => "different",
    }
}

/// Counts the examples of a run.
fn count<'o, 'r>(learned: &PalResult, row: &'r mut RowOutput<'o>) -> &'r mut RowOutput<'o> {
    let (positive, negative) = learned.n_examples();
    row.set("positive", positive).set("negative", negative)
}

/// Counts literals, arguments and constants as in the thesis: of `other_side(A,B)` and `other_side(B,A)`,
/// which imply each other, it prints one.
fn describe<'o, 'r>(clause: &Clause, row: &'r mut RowOutput<'o>) -> &'r mut RowOutput<'o> {
    let is_reversed = |i: usize| {
        let [a, b] = &*clause.body[i].atom.args else {
            return false;
        };
        clause.body[..i].iter().any(|l| {
            l.atom.name == clause.body[i].atom.name && *l.atom.args == [b.clone(), a.clone()]
        })
    };
    let reversed = (0..clause.body.len()).filter(|&i| is_reversed(i)).count();
    let constants: usize = clause.head.args.iter().map(n_constants).sum();
    row.set("literals", clause.body.len() - reversed)
        .set("arguments", clause.head.args.len())
        .set("constants", constants)
}

fn n_constants(term: &Term) -> usize {
    match term {
        Term::Var(_) => 0,
        Term::Const(_) => 1,
        Term::Compound(_, args) => args.iter().map(n_constants).sum(),
    }
}
