//! Symmetries that the learner finds by asking.

use kibitz_experiment::{CellError, Context, Output};
use kibitz_pal::{Change, Example, Interruptible, Outcome, PalParams, Teacher as _, Verdict};
use kibitz_patterns::{Axis, Concept};
use rand::seq::IndexedRandom as _;

use super::learn::is_equivalent;
use super::{ConceptLearning, RowParams, Way};
use crate::concepts;

/// A way in which a position may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    Reflection(Axis),
    Translation,
}

impl Symmetry {
    const ALL: [Self; 4] = [
        Self::Reflection(Axis::Horizontal),
        Self::Reflection(Axis::Vertical),
        Self::Reflection(Axis::Diagonal),
        Self::Translation,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Reflection(Axis::Horizontal) => "horizontal",
            Self::Reflection(Axis::Vertical) => "vertical",
            Self::Reflection(Axis::Diagonal) => "diagonal",
            Self::Translation => "shifted",
        }
    }
}

/// The concept with these symmetries and no others.
fn with(concept: &Concept, symmetries: &[Symmetry]) -> Concept {
    let axes = symmetries.iter().filter_map(|symmetry| match symmetry {
        Symmetry::Reflection(axis) => Some(*axis),
        Symmetry::Translation => None,
    });
    Concept {
        symmetries: axes.collect(),
        translations: symmetries.contains(&Symmetry::Translation),
        ..concept.clone()
    }
}

impl ConceptLearning {
    /// Queries the first initial example reflected in each axis and shifted at random. A reflection or shift
    /// that gives a positive example, and a generalization that is not rejected, is used as a symmetry from
    /// then on.
    ///
    /// # Source
    /// Morales 1992, sections 6.4.2.3 and 9.2.2: "not implemented" there.
    pub(super) fn learn_discovering(
        &self,
        row: &RowParams,
        concept: &Concept,
        initial: &[Example],
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let Some(first) = initial.first() else {
            return Ok(());
        };
        let stopwatch = ctx.stopwatch();
        let mut rng = ctx.rng_for("shift");
        let (mut found, mut n_asked) = (Vec::new(), 0);
        for symmetry in Symmetry::ALL {
            let prepared = concepts::prepare(&with(concept, &[symmetry]), ctx)?;
            let mut images = prepared.domain().mirrored(first);
            images.retain(|image| prepared.domain().is_legal(image));
            let Some(image) = images.choose(&mut rng) else {
                continue;
            };
            n_asked += 1;
            let mut oracle = prepared.oracle();
            let state = prepared.domain().state(image);
            if oracle.classify(image, state, &Change::Given)? != Verdict::Positive {
                continue;
            }
            let params = PalParams {
                max_clauses: 1,
                ..prepared.params()
            };
            let both = [first.clone(), image.clone()];
            let learned = prepared.learn_from_given(&both, params, &mut oracle)?;
            let outcome = learned.steps.last().map(|step| step.outcome);
            if matches!(outcome, Some(Outcome::Generalized | Outcome::Stopped)) {
                found.push(symmetry);
            }
        }
        let prepared = concepts::prepare(&with(concept, &found), ctx)?;
        let params = PalParams {
            class_order: row.class_order,
            max_level: self.max_level,
            foresight: self.foresight,
            success_sets: self.success_sets,
            symmetries: true,
            ..prepared.params()
        };
        let mut oracle = prepared.oracle();
        let mut teacher = Interruptible {
            teacher: &mut oracle,
            condition: || !ctx.cancelled(),
        };
        let learned = prepared.learn_starting_with(initial, params, &mut teacher)?;
        if self.times {
            output.set_volatile(Way::Discovered.time_column(), stopwatch.seconds(), "s");
        }
        // A search that ran out of time has no result.
        ctx.check()?;
        let (positive, negative) = learned.n_examples();
        let is_wrong = found.iter().any(|symmetry| match symmetry {
            Symmetry::Reflection(axis) => !concept.symmetries.contains(axis),
            Symmetry::Translation => false,
        });
        let names: Vec<&str> = found.iter().map(|symmetry| symmetry.name()).collect();
        output
            .set("discovered", n_asked + positive + negative)
            .set("discovered-questions", n_asked)
            .set(
                "discovered-equivalent",
                u64::from(is_equivalent(&learned, &prepared)),
            )
            .set("discovered-wrong", u64::from(is_wrong))
            .set("discovered-symmetries", names.join(", "));
        Ok(())
    }
}
