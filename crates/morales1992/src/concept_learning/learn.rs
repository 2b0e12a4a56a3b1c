//! One concept learned in the ways asked for.

use kibitz_experiment::{CellError, Context, Output};
use kibitz_ilp::Clause;
use kibitz_ilp::learn::pal::{
    Change, Ending, Example, GoingOnWhile, PalLearned, PalParams, Step, covers_as_pattern,
    equivalent_as_patterns,
};
use kibitz_patterns::{Prepared, World};

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
            let given = self.given(way, &prepared, &initial)?;
            if let Some(given) = given {
                self.learn_in(way, row, &prepared, &given, ctx, output)?;
            }
        }
        Ok(())
    }

    /// The examples that learning begins with, or has alone; none if no user finds any.
    fn given(
        &self,
        way: Way,
        prepared: &Prepared,
        initial: &[Example],
    ) -> Result<Option<Vec<Example>>, CellError> {
        Ok(match (way, prepared.chosen()) {
            (Way::Generated | Way::Symmetries, _) => Some(initial.to_vec()),
            (Way::User, []) => prepared.chosen_examples(self.user)?,
            (Way::User, chosen) => Some([prepared.examples(), chosen].concat()),
        })
    }

    fn learn_in(
        &self,
        way: Way,
        row: &RowParams,
        prepared: &Prepared,
        given: &[Example],
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let params = PalParams {
            class_order: row.class_order,
            max_level: self.max_level,
            foresight: self.foresight,
            symmetries: way == Way::Symmetries,
            ..prepared.params()
        };
        // The oracle, until the cell's time is over.
        let mut oracle = prepared.oracle();
        let mut teacher = GoingOnWhile {
            teacher: &mut oracle,
            condition: || !ctx.cancelled(),
        };
        let stopwatch = ctx.stopwatch();
        let learned = match way {
            Way::User => prepared.follow(given, params, &mut teacher)?,
            _ => prepared.learn_starting_with(given, params, &mut teacher)?,
        };
        if self.times {
            output.set_volatile(way.time_column(), stopwatch.seconds(), "s");
        }
        // What was learned when the time was over says nothing.
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
            Way::User => {}
        }
        Ok(())
    }

    /// Compares what was learned with its target, on random positions or on all placements.
    fn compare(
        &self,
        learned: &PalLearned,
        prepared: &Prepared,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let clauses = &learned.clauses;
        let (target, truth) = match (prepared.domain(), self.positions) {
            (World::Chess(_), None) => return Ok(()),
            (World::Chess(_), Some(positions)) => {
                let seed = ctx.seed_u64("positions");
                (prepared.agreement(clauses, positions, seed)?, None)
            }
            (World::Placement(_), _) => (
                prepared.agreement_everywhere(clauses, prepared.target())?,
                Some(prepared.agreement_everywhere(clauses, prepared.truth())?),
            ),
        };
        output.set("positions", target.positions);
        output.set("positive", truth.unwrap_or(target).positive);
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

/// Examples by the number of arguments changed in them.
const LEVELS: [&str; 3] = [
    "generated-level-1",
    "generated-level-2",
    "generated-level-3",
];

/// What is said of the definition and of the search for it.
fn describe(learned: &PalLearned, prepared: &Prepared, output: &mut Output) {
    let satisfied = learned.endings.iter().all(|e| *e == Ending::Satisfied);
    let is_found = |target: &&Clause| {
        let mut clauses = learned.clauses.iter();
        clauses.any(|clause| equivalent_as_patterns(target, clause, prepared.definitions()))
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

/// Whether each clause of the target is a special case of a learned one, and the other way round.
fn is_equivalent(learned: &PalLearned, prepared: &Prepared) -> bool {
    let within = |special: &[Clause], general: &[Clause]| {
        special.iter().all(|special| {
            let mut general = general.iter();
            general.any(|general| covers_as_pattern(general, special, prepared.definitions()))
        })
    };
    let target = prepared.target();
    within(target, &learned.clauses) && within(&learned.clauses, target)
}
