//! One concept learned in the ways asked for.

use kibitz_ilp::learn::pal::{
    Ending, GoingOnWhile, PalLearned, covers_as_pattern, equivalent_as_patterns,
};
use kibitz_ilp::{Clause, print_clause};
use kibitz_lab::{CellContext, CellError, CellOutput};
use kibitz_patterns::{Agreement, Board, Concept, Prepared};

use super::{LearningParams, Way};

/// What was learned in each way; `None` for ways not asked for.
pub(super) struct Learned {
    prepared: Prepared,
    board: Board,
    plain: Option<PalLearned>,
    mirrored: Option<PalLearned>,
    /// What was learned from a trained user's examples, and how many these were.
    chosen: Option<(PalLearned, usize)>,
    /// Seconds.
    times: Vec<(Way, f64)>,
}

impl Learned {
    pub(super) fn new(
        concept: &Concept,
        targets: &str,
        params: &LearningParams,
        ctx: &CellContext<'_>,
    ) -> Result<Self, CellError> {
        let prepared = concept.prepare(targets, true)?;
        let mut own = prepared.params();
        own.max_level = params.max_level;
        own.foresight = params.foresight;
        let (mut plain, mut mirrored, mut chosen) = (None, None, None);
        let mut times = Vec::new();
        for &way in &params.ways {
            ctx.check()?;
            let mut stopwatch = ctx.stopwatch();
            // The oracle, until the cell's time is over.
            let mut teacher = GoingOnWhile {
                teacher: prepared.oracle(),
                condition: || !ctx.cancelled(),
            };
            match way {
                Way::Generated => plain = Some(prepared.learn(own, &mut teacher)?),
                Way::Symmetries => {
                    let mut own = own;
                    own.symmetries = true;
                    mirrored = Some(prepared.learn(own, &mut teacher)?);
                }
                Way::User => {
                    let examples = match prepared.chosen() {
                        [] => prepared.chosen_examples(params.user)?,
                        given => Some([prepared.examples(), given].concat()),
                    };
                    stopwatch = ctx.stopwatch();
                    if let Some(examples) = examples {
                        let learned = prepared.follow(&examples, own, &mut teacher)?;
                        chosen = Some((learned, examples.len()));
                    }
                }
            }
            times.push((way, stopwatch.seconds()));
        }
        Ok(Self {
            prepared,
            board: concept.board,
            plain,
            mirrored,
            chosen,
            times,
        })
    }

    /// The columns that can be summed up over rows, as far as there is something in them.
    pub(super) fn counts(&self) -> Vec<(&'static str, usize)> {
        let mut counts = Vec::new();
        if let Some(plain) = &self.plain {
            let (positive, negative) = plain.n_examples();
            counts.push(("generated", positive + negative));
            counts.push(("generated-pos", positive));
            counts.push(("generated-neg", negative));
        }
        if let Some(mirrored) = &self.mirrored {
            let (positive, negative) = mirrored.n_examples();
            counts.push(("symmetry", positive + negative));
            counts.push(("symmetry-pos", positive));
            counts.push(("symmetry-neg", negative));
        }
        if let Some((_, n)) = self.chosen.as_ref().filter(|(c, _)| self.is_equivalent(c)) {
            counts.push(("user-pos", *n));
        }
        counts
    }

    pub(super) fn describe(
        &self,
        row: &str,
        params: &LearningParams,
        ctx: &CellContext<'_>,
        output: &mut CellOutput,
    ) -> Result<(), CellError> {
        output.set(row, "initial", self.prepared.examples().len() as u64);
        for (column, count) in self.counts() {
            output.set(row, column, count as u64);
        }
        if let Some(mirrored) = &self.mirrored {
            let same = self.is_equivalent(mirrored);
            output.set(row, "symmetry-equivalent", u64::from(same));
        }
        if let Some(plain) = &self.plain {
            let satisfied = plain.endings.iter().all(|e| *e == Ending::Satisfied);
            output.set(row, "rejected", plain.n_refused() as u64);
            output.set(row, "satisfied", u64::from(satisfied));
            output.set(row, "clauses", plain.clauses.len() as u64);
            output.set(row, "found", self.n_found(plain) as u64);
            output.set(row, "equivalent", u64::from(self.is_equivalent(plain)));
            output.set(row, "definition", self.text(plain));
            ctx.check()?;
            self.compare(row, plain, params.positions, ctx, output)?;
        }
        if params.times {
            for &(way, seconds) in &self.times {
                output.set_volatile(way.time_column(), seconds, "s");
            }
        }
        Ok(())
    }

    fn text(&self, learned: &PalLearned) -> String {
        let print = |clause| print_clause(clause, self.prepared.symbols()).to_string();
        let clauses: Vec<String> = learned.clauses.iter().map(print).collect();
        clauses.join(" ")
    }

    fn compare(
        &self,
        row: &str,
        learned: &PalLearned,
        positions: u32,
        ctx: &CellContext<'_>,
        output: &mut CellOutput,
    ) -> Result<(), CellError> {
        let prepared = &self.prepared;
        let (target, truth): (Agreement, Option<Agreement>) = match self.board {
            Board::Chess => {
                let seed = ctx.seed_u64("positions");
                (prepared.agreement(&learned.clauses, positions, seed)?, None)
            }
            Board::Placement => (
                prepared.agreement_everywhere(&learned.clauses, prepared.target())?,
                Some(prepared.agreement_everywhere(&learned.clauses, prepared.truth())?),
            ),
        };
        output.set(row, "positions", u64::from(target.positions));
        output.set(row, "positive", u64::from(truth.unwrap_or(target).positive));
        let mut percent = |column: &str, share: Option<f64>| {
            if let Some(share) = share {
                output.set(row, column, 100.0 * share);
            }
        };
        percent("agreement", target.accuracy());
        if let Some(truth) = truth {
            percent("accuracy", truth.accuracy());
            percent("precision", truth.precision());
            percent("recall", truth.recall());
        }
        Ok(())
    }

    /// Clauses of the target to which a learned one is equivalent.
    fn n_found(&self, learned: &PalLearned) -> usize {
        let definitions = self.prepared.definitions();
        let is_found = |target: &&Clause| {
            let mut clauses = learned.clauses.iter();
            clauses.any(|clause| equivalent_as_patterns(target, clause, definitions))
        };
        self.prepared.target().iter().filter(is_found).count()
    }

    /// Whether each clause of the target is a special case of a learned one, and the other way
    /// round.
    fn is_equivalent(&self, learned: &PalLearned) -> bool {
        let definitions = self.prepared.definitions();
        let within = |special: &[Clause], general: &[Clause]| {
            special.iter().all(|special| {
                let mut general = general.iter();
                general.any(|general| covers_as_pattern(general, special, definitions))
            })
        };
        let target = self.prepared.target();
        within(target, &learned.clauses) && within(&learned.clauses, target)
    }
}
