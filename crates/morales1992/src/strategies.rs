//! The strategies of `kibitz-patterns` by name, verified in every position.

use std::sync::Arc;

use kibitz_board::{Chess, Color, File, Position as _, Rank, Square};
use kibitz_experiment::{CellError, Context, Problems};
use kibitz_patterns::strategy::{self, BUNDLED, RuleStrategy};
use kibitz_search::retrograde::{Tablebase, Value};
use kibitz_search::verification::{Outcomes, Scope, TieBreak, Verification};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The choice among several moves that a rule allows.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MoveChoice {
    /// The best move: an upper bound.
    Best,
    /// The worst move: every allowed move must win.
    Worst,
    /// By quantities, such as `more man_distance, less area`; then the first by squares.
    Prefer(String),
}

/// Reports an unknown strategy or a preference that cannot be read.
pub(crate) fn check(path: &str, name: &str, chosen: &MoveChoice, problems: &mut Problems) {
    if strategy::bundled(name).is_none() {
        let names: Vec<&str> = BUNDLED.iter().map(|(name, _)| *name).collect();
        let known = names.join(", ");
        problems.at(path, format!("no strategy `{name}`; there are {known}"));
    } else if let Err(error) = find(name, chosen) {
        problems.at("chosen", error.to_string());
    }
}

/// The strategy of this name with this choice.
pub(crate) fn find(name: &str, chosen: &MoveChoice) -> Result<RuleStrategy, CellError> {
    let text =
        strategy::bundled(name).ok_or_else(|| CellError::new(format!("no strategy `{name}`")))?;
    let strategy = RuleStrategy::read(name, text)?;
    Ok(match chosen {
        MoveChoice::Best | MoveChoice::Worst => strategy,
        MoveChoice::Prefer(keys) => strategy.preferring(keys)?,
    })
}

/// Verifies a strategy against every reply in every position.
pub(crate) fn verify(
    strategy: &RuleStrategy,
    ctx: &Context<'_>,
) -> Result<Verification, CellError> {
    let mut progress = |done, all| ctx.progress("positions", done, all);
    Verification::new(&strategy.endgame, Scope::All, strategy, &mut progress)
        .map_err(|fault| CellError::new(fault.to_string()))
}

/// The shared resource of cells that need a [`VerifiedStrategy`].
pub(crate) const SHARED: &str = "strategies";

/// A strategy verified against every reply in every position.
pub(crate) struct VerifiedStrategy {
    pub(crate) strategy: RuleStrategy,
    pub(crate) verification: Verification,
    /// The preferences it was verified with.
    preferences: Vec<String>,
}

impl VerifiedStrategy {
    /// Verifies a strategy once for all choices of a plan.
    pub(crate) fn shared<'p>(
        name: &str,
        plan: impl IntoIterator<Item = (&'p String, &'p MoveChoice)>,
        ctx: &Context<'_>,
    ) -> Result<Arc<VerifiedStrategy>, CellError> {
        let ways = plan.into_iter().filter_map(|(own, chosen)| match chosen {
            MoveChoice::Prefer(keys) if own == name => Some(keys.clone()),
            _ => None,
        });
        let preferences: Vec<String> = ways.collect();
        ctx.shared(&format!("{name} by {preferences:?}"), || {
            let mut strategy = find(name, &MoveChoice::Best)?;
            strategy.preferences.clear();
            for keys in &preferences {
                let one_way = find(name, &MoveChoice::Prefer(keys.clone()))?;
                strategy.preferences.extend(one_way.preferences);
            }
            Ok(VerifiedStrategy {
                verification: verify(&strategy, ctx)?,
                strategy,
                preferences: preferences.clone(),
            })
        })
    }

    /// The outcome of every position under a choice of the plan.
    pub(crate) fn outcomes(&self, chosen: &MoveChoice) -> Result<Outcomes<'_>, CellError> {
        let tie_break = match chosen {
            MoveChoice::Best => TieBreak::Angelic,
            MoveChoice::Worst => TieBreak::Adversarial,
            MoveChoice::Prefer(keys) => {
                let place = self.preferences.iter().position(|own| own == keys);
                let unknown = || CellError::new(format!("not verified with `{keys}`"));
                TieBreak::Preferred(place.ok_or_else(unknown)?)
            }
        };
        Ok(self.verification.outcomes(tie_break))
    }

    /// Perfect play in the same positions.
    pub(crate) fn perfect(&self, ctx: &Context<'_>) -> Result<Arc<Perfect>, CellError> {
        let endgame = self.verification.endgame();
        ctx.shared(&format!("perfect play of {endgame}"), || {
            let tables = Tablebase::new([endgame.clone()]);
            let mut perfect = Perfect::default();
            for (position, _) in self.verification.positions() {
                perfect.won_in.push(match tables.value(&position) {
                    Some(Value::Won(plies)) => Some(plies),
                    _ => None,
                });
            }
            Ok(perfect)
        })
    }
}

/// Whether the white king is on a1 to d4.
pub(crate) fn is_in_quadrant(position: &Chess) -> bool {
    let is_in_it = |king: Square| king.file() <= File::D && king.rank() <= Rank::Fourth;
    position.board().king_of(Color::White).is_some_and(is_in_it)
}

/// Perfect play in every position with White to move, in the order of verifications.
#[derive(Default)]
pub(crate) struct Perfect {
    /// Plies to the mate.
    pub(crate) won_in: Vec<Option<u16>>,
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use kibitz_experiment::{Experiment, Kind, Plan, Runner, Values};

    use super::*;
    use crate::endgame_positions::EndgamePositions;
    use crate::pawn_run::PawnRun;
    use crate::strategy_repair::StrategyRepair;
    use crate::strategy_verification::StrategyVerification;

    #[derive(Debug)]
    struct Quiet;

    impl Runner for Quiet {}

    /// The plan of a file's `[params]`, and the problems found in them.
    fn plan<E: Experiment>(text: &str) -> (E, Vec<String>) {
        let file: toml::Table = text.parse().expect("TOML");
        let plan: E = file["params"].clone().try_into().expect("parameters");
        let mut problems = Problems::new([]);
        Experiment::check(&plan, &mut problems);
        let found = problems.into_found();
        (
            plan,
            found.into_iter().map(|problem| problem.message).collect(),
        )
    }

    #[test]
    fn experiments_and_examples_are_sound() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/morales1992");
        let read = |name: &str| fs::read_to_string(root.join(name)).expect("an experiment");
        for text in [
            &read("krk-strategy-1.toml"),
            &read("krk-strategy-2.toml"),
            StrategyVerification::EXAMPLE,
        ] {
            assert_eq!(plan::<StrategyVerification>(text).1, [""; 0]);
        }
        for text in [&read("kpk-can-run.toml"), PawnRun::EXAMPLE] {
            assert_eq!(plan::<PawnRun>(text).1, [""; 0]);
        }
        for text in [&read("krk-repairs.toml"), StrategyRepair::EXAMPLE] {
            assert_eq!(plan::<StrategyRepair>(text).1, [""; 0]);
        }
        for text in [
            &read("krk-positions.toml"),
            &read("kpk-positions.toml"),
            EndgamePositions::EXAMPLE,
        ] {
            assert_eq!(plan::<EndgamePositions>(text).1, [""; 0]);
        }
    }

    #[test]
    fn problems_have_messages() {
        let text = r#"params.rows = [
            { row = "a", strategy = "krk-3", chosen = "best" },
            { row = "b", strategy = "krk-1", chosen.prefer = "more man_distanse" },
        ]"#;
        let (_, found) = plan::<StrategyVerification>(text);
        assert!(
            found[0].starts_with("no strategy `krk-3`; there are krk-1,"),
            "{found:?}"
        );
        assert!(
            found[1].contains("did you mean `man_distance`?"),
            "{found:?}"
        );
        let other = r#"
            params.material = "KQvK"
            params.strategies = [{ name = "a", strategy = "krk-1", chosen = "best" }]"#;
        assert_eq!(
            plan::<EndgamePositions>(other).1,
            ["a strategy for other material"]
        );
    }

    #[test]
    fn the_second_strategy_repaired_wins_everywhere() {
        let (verification, _) = plan::<StrategyVerification>(StrategyVerification::EXAMPLE);
        let quiet = Quiet;
        for (cell, expected) in [(0, (39.0, "yes")), (1, (43.0, "yes"))] {
            let plan: &dyn Plan = &verification;
            let cells = plan.cells();
            let row = cells[cell].rows[0].clone();
            let context = Context::new(&cells[cell].id, 0, None, &quiet);
            let output = plan.run(cell, &context).expect("a verification");
            assert_eq!(output.number(&row, "longest"), Some(expected.0));
            assert_eq!(output.number(&row, "positions"), Some(175_168.0));
            assert_eq!(output.number(&row, "quadrant"), Some(43_792.0));
            assert_eq!(output.number(&row, "share"), Some(100.0));
            assert_eq!(output.get(&row, "everywhere"), Some(&expected.1.into()));
            let (excess, most) = (
                output.number(&row, "excess"),
                output.number(&row, "most-excess"),
            );
            assert!(
                excess > Some(0.0) && excess < most && most < Some(43.0),
                "{excess:?} {most:?}"
            );
        }
    }

    #[test]
    fn the_dataset_has_every_position_once() {
        let (positions, _) = plan::<EndgamePositions>(EndgamePositions::EXAMPLE);
        let plan: &dyn Plan = &positions;
        let quiet = Quiet;
        let mut output = plan
            .run(0, &Context::new("positions", 0, None, &quiet))
            .expect("records");
        let records = output.take_records().expect("records");
        assert_eq!(records.len(), 175_168 + 223_944);
        let column = |name: &str| {
            let mut columns = records.columns();
            columns
                .find(|(field, _)| field.name == name)
                .expect("a column")
                .1
        };
        let (Values::Int(depth), Values::Int(moves)) = (column("depth"), column("second moves"))
        else {
            panic!("both are whole numbers");
        };
        assert_eq!(depth.iter().flatten().max(), Some(&16));
        assert_eq!(moves.iter().flatten().max(), Some(&39));
        assert_eq!(moves.iter().flatten().count(), 175_168);
        let never_better =
            |(depth, moves): (&Option<i64>, &Option<i64>)| moves.is_none() || depth <= moves;
        assert!(depth.iter().zip(moves).all(never_better));
    }

    #[test]
    fn patterns_and_truth_of_running_pawns_are_compared() {
        let (patterns, _) = plan::<PawnRun>(PawnRun::EXAMPLE);
        let plan: &dyn Plan = &patterns;
        let quiet = Quiet;
        let output = plan
            .run(0, &Context::new("positions", 0, None, &quiet))
            .expect("a table");
        let number = |row: &str, column: &str| output.number(row, column).unwrap_or(0.0);
        let sum = |prefix: &str, column: &str| -> f64 {
            let values = output
                .values()
                .filter(|(row, own, _)| row.starts_with(prefix) && *own == column);
            values.map(|(row, own, _)| number(row, own)).sum()
        };
        assert!(number("all", "agree") > 99.0);
        assert_eq!(output.number("all", "positions"), Some(81_664.0));
        let errors = sum("pattern", "wrong") + sum("missed", "wrong");
        assert_eq!(output.number("all", "wrong"), Some(errors));
    }

    #[test]
    fn kinds_are_listed_by_name() {
        let kinds = crate::kinds();
        assert!(kinds.iter().map(Kind::name).is_sorted());
    }
}
