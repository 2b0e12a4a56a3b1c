//! A concept learned in several ways.

use kibitz_experiment::{CellError, Context, Output};
use kibitz_pal::{
    Change, Ending, Example, Interruptible, PalParams, PalResult, Step, equivalent_relative_to,
    subsumes_relative_to,
};
use kibitz_patterns::{ConceptDomain, PreparedConcept};
use kibitz_prolog::Clause;

use super::{ConceptLearning, RowParams, Way};
use crate::{clauses, concepts};

impl ConceptLearning {
    pub(super) fn learn(
        &self,
        row: &RowParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let mut concept = concepts::concept(&row.concept, ctx)?;
        concept.places = row.places.unwrap_or(concept.places);
        if let (Some(extra), Some(first)) = (&row.extra, concept.examples.first_mut()) {
            first.push(' ');
            first.push_str(extra);
        }
        let prepared = concepts::prepare(&concept, ctx)?;
        let initial = match row.random_starts {
            Some(n_drawn) => {
                let seed = ctx.seed_u64("start");
                vec![prepared.quiet_instance(prepared.target(), seed, n_drawn)?]
            }
            None => prepared.examples().to_vec(),
        };
        output.set("initial", initial.len());
        for &way in &self.ways {
            ctx.check()?;
            if way == Way::Discovered {
                self.learn_discovering(row, &concept, &initial, ctx, output)?;
                continue;
            }
            let given = self.given(way, &prepared, &initial)?;
            if let Some(given) = given {
                self.learn_in(way, row, &prepared, &given, ctx, output)?;
            }
        }
        Ok(())
    }

    /// The initial examples of one way of learning, or all of them; `None` without a teaching set.
    fn given(
        &self,
        way: Way,
        prepared: &PreparedConcept,
        initial: &[Example],
    ) -> Result<Option<Vec<Example>>, CellError> {
        Ok(match (way, prepared.chosen()) {
            (Way::Generated | Way::Symmetries | Way::Discovered, _) => Some(initial.to_vec()),
            (Way::User, []) => prepared.teaching_set(self.user)?,
            (Way::User, chosen) => Some([prepared.examples(), chosen].concat()),
        })
    }

    fn learn_in(
        &self,
        way: Way,
        row: &RowParams,
        prepared: &PreparedConcept,
        given: &[Example],
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let params = PalParams {
            class_order: row.class_order,
            max_level: self.max_level,
            foresight: self.foresight,
            success_sets: self.success_sets,
            symmetries: way == Way::Symmetries,
            ..prepared.params()
        };
        let mut oracle = prepared.oracle();
        let mut teacher = Interruptible {
            teacher: &mut oracle,
            condition: || !ctx.cancelled(),
        };
        let stopwatch = ctx.stopwatch();
        let learned = match way {
            Way::User => prepared.learn_from_given(given, params, &mut teacher)?,
            _ => prepared.learn_starting_with(given, params, &mut teacher)?,
        };
        if self.times {
            output.set_volatile(way.time_column(), stopwatch.seconds(), "s");
        }
        // A search that ran out of time has no result.
        ctx.check()?;
        let (positive, negative) = learned.n_examples();
        let equivalent = is_equivalent(&learned, prepared);
        match way {
            Way::Generated => {
                output
                    .set("generated", positive + negative)
                    .set("generated-pos", positive)
                    .set("generated-neg", negative)
                    .set("generated-examined", learned.examined)
                    .set("equivalent", u64::from(equivalent));
                describe(&learned, prepared, output);
                self.compare(&learned, prepared, ctx, output)?;
            }
            Way::Symmetries => {
                output
                    .set("symmetry", positive + negative)
                    .set("symmetry-pos", positive)
                    .set("symmetry-neg", negative)
                    .set("symmetry-examined", learned.examined)
                    .set("symmetry-equivalent", u64::from(equivalent));
            }
            Way::User if equivalent => {
                output.set("user-pos", given.len());
            }
            Way::Discovered | Way::User => {}
        }
        Ok(())
    }

    /// Compares the definition with its target, on random positions or on all placements.
    fn compare(
        &self,
        learned: &PalResult,
        prepared: &PreparedConcept,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let clauses = &learned.clauses;
        let (target, truth) = match (prepared.domain(), self.positions) {
            (ConceptDomain::Chess(_), None) => return Ok(()),
            (ConceptDomain::Chess(_), Some(positions)) => {
                let seed = ctx.seed_u64("positions");
                (prepared.compare_on_random(clauses, positions, seed)?, None)
            }
            (ConceptDomain::Placement(_), _) => (
                prepared.compare_everywhere(clauses, prepared.target())?,
                Some(prepared.compare_everywhere(clauses, prepared.truth())?),
            ),
        };
        output.set("positions", target.n_positions);
        output.set("positive", truth.unwrap_or(target).n_positive);
        let shares = [
            ("agreement", target.accuracy()),
            ("accuracy", truth.and_then(|truth| truth.accuracy())),
            ("precision", truth.and_then(|truth| truth.precision())),
            ("recall", truth.and_then(|truth| truth.recall())),
        ];
        for (column, share) in shares {
            if let Some(share) = share {
                output.set(column, 100.0 * share);
            }
        }
        Ok(())
    }
}

/// Columns of examples by perturbation level.
const LEVELS: [&str; 3] = [
    "generated-level-1",
    "generated-level-2",
    "generated-level-3",
];

/// Fills the columns about the definition and the search.
fn describe(learned: &PalResult, prepared: &PreparedConcept, output: &mut Output) {
    let satisfied = learned.endings.iter().all(|e| *e == Ending::Satisfied);
    let is_found = |target: &&Clause| {
        let mut clauses = learned.clauses.iter();
        clauses.any(|clause| equivalent_relative_to(target, clause, prepared.definitions()))
    };
    for (level, column) in (1..).zip(LEVELS) {
        let is_there =
            |step: &&Step| matches!(&step.change, Change::Perturbed(class) if class.len() == level);
        output.set(column, learned.steps.iter().filter(is_there).count());
    }
    output
        .set("rejected", learned.n_refused())
        .set("satisfied", u64::from(satisfied))
        .set("clauses", learned.clauses.len())
        .set("found", prepared.target().iter().filter(is_found).count())
        .set(
            "definition",
            clauses::print(&learned.clauses, prepared.symbols()),
        );
}

/// Whether each clause of the target is subsumed by a learned one, and the other way round.
pub(super) fn is_equivalent(learned: &PalResult, prepared: &PreparedConcept) -> bool {
    let within = |special: &[Clause], general: &[Clause]| {
        special.iter().all(|special| {
            let mut general = general.iter();
            general.any(|general| subsumes_relative_to(general, special, prepared.definitions()))
        })
    };
    let target = prepared.target();
    within(target, &learned.clauses) && within(&learned.clauses, target)
}
