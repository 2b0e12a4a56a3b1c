//! `endgame-positions`: the dataset of every position of a small endgame.

use kibitz_board::{Chess, Color, EnPassantMode, Endgame, Position, fen::Fen};
use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Problems,
    Records, Sources,
};
use kibitz_search::retrograde::{Tablebase, Value};
use kibitz_search::verification::{Failure, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::strategies::{self, MoveChoice, SHARED, VerifiedStrategy};

/// Every legal position of an endgame, the stronger side White, with its distance to mate and
/// the outcomes of strategies.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct EndgamePositions {
    /// The material, as in `KRvK`: at most three pieces.
    material: String,
    /// Strategies for it.
    #[serde(default)]
    strategies: Vec<PlayedStrategy>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PlayedStrategy {
    /// What its columns are called.
    name: String,
    /// A strategy that comes with `kibitz-patterns`, such as `krk-1`.
    strategy: String,
    /// Which of several moves is made.
    chosen: MoveChoice,
}

/// The rules and outcomes of one strategy in the positions with White to move, in their order.
struct StrategyOutcomes {
    rules: Vec<Option<usize>>,
    names: Vec<String>,
    outcomes: Vec<Outcome>,
}

impl Experiment for EndgamePositions {
    type Row = ();

    const NAME: &'static str = "endgame-positions";
    const EXAMPLE: &'static str = include_str!("../examples/endgame-positions.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        match self.material.parse::<Endgame>() {
            Ok(endgame) => {
                let has_room = endgame.n_indices() <= 2 << 18;
                problems.require(has_room, "material", "at most three pieces");
                problems.each("strategies", &self.strategies, |own, problems| {
                    strategies::check("strategy", &own.strategy, &own.chosen, problems);
                    if let Ok(strategy) = strategies::find(&own.strategy, &own.chosen) {
                        let fits = strategy.endgame == endgame;
                        problems.require(fits, "strategy", "a strategy for other material");
                    }
                });
            }
            Err(error) => problems.at("material", error.to_string()),
        }
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        use FieldType::{Int, Text};
        let mut fields = vec![
            Field::new("fen", Text, "", "the position"),
            Field::new("to_move", Text, "", "white or black"),
            Field::new("value", Text, "", "won, drawn or lost for the side to move"),
            Field::new(
                "depth",
                Int,
                "moves",
                "moves of White to the mate under perfect play",
            ),
        ];
        for PlayedStrategy { name, .. } in &self.strategies {
            fields.extend([
                Field::new(format!("{name} rule"), Text, "", "the rule that applies"),
                Field::new(
                    format!("{name} outcome"),
                    Text,
                    "",
                    "mate, no rule, stalemate, lost or loop, with White to move",
                ),
                Field::new(format!("{name} moves"), Int, "moves", "moves to the mate"),
            ]);
        }
        fields
    }

    fn cells(&self) -> Vec<Cell> {
        vec![Cell::open("positions", ()).sharing(SHARED)]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let endgame: Endgame = self.material.parse()?;
        let perfect = Tablebase::new([endgame.clone()]);
        let mut results = Vec::new();
        for own in &self.strategies {
            let plan = self.strategies.iter();
            let plan = plan.map(|own| (&own.strategy, &own.chosen));
            let verified = VerifiedStrategy::shared(&own.strategy, plan, ctx)?;
            let outcomes = verified.outcomes(&own.chosen)?;
            results.push(StrategyOutcomes {
                rules: verified.verification.rules().collect(),
                names: verified
                    .strategy
                    .rules
                    .iter()
                    .map(|rule| rule.name.clone())
                    .collect(),
                outcomes: outcomes.iter().collect(),
            });
        }
        let mut records = Records::new(self.fields(&Sources::new()));
        let positions = (0..endgame.n_indices()).filter_map(|index| endgame.placement(index));
        // White's turn comes first, in the order of the verifications.
        for (number, position) in positions.enumerate() {
            add_record(number, &position, &perfect, &results, &mut records)
                .map_err(CellError::new)?;
        }
        output.set_records(records);
        Ok(())
    }
}

/// Adds the record of a position, which is the `number`th.
fn add_record(
    number: usize,
    position: &Chess,
    perfect: &Tablebase,
    results: &[StrategyOutcomes],
    records: &mut Records,
) -> Result<(), String> {
    let value = perfect
        .value(position)
        .ok_or("a position without a value")?;
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    let (word, depth) = match value {
        Value::Won(plies) => ("won", Some(plies)),
        Value::Drawn => ("drawn", None),
        Value::Lost(plies) => ("lost", Some(plies)),
    };
    let is_white = position.turn() == Color::White;
    let moves = |moves: u16| Datum::Int(moves.into());
    let mut record = vec![
        Datum::Text(&fen),
        Datum::Text(if is_white { "white" } else { "black" }),
        Datum::Text(word),
        depth.map_or(Datum::Absent, |plies| moves(plies.div_ceil(2))),
    ];
    for result in results {
        let here = is_white.then(|| (result.rules[number], result.outcomes[number]));
        let rule = here.and_then(|(rule, _)| rule);
        record.push(rule.map_or(Datum::Absent, |rule| Datum::Text(&result.names[rule])));
        record.extend(match here {
            None => [Datum::Absent, Datum::Absent],
            Some((_, Outcome::Mates(n))) => [Datum::Text("mate"), moves(n)],
            Some((_, Outcome::Fails(failure))) => {
                let word = match failure {
                    Failure::NoRule => "no rule",
                    Failure::Stalemate => "stalemate",
                    Failure::Loss => "lost",
                    Failure::Loop => "loop",
                };
                [Datum::Text(word), Datum::Absent]
            }
        });
    }
    records.push(record)
}
