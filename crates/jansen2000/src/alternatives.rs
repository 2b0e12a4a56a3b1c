//! `move-alternatives`: the dataset of all legal moves in players' decisions, with the one chosen.

use kibitz_board::Position;
use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Part, Problems,
    Records, Sources,
};
use kibitz_heuristics::attributes::{
    Attribute, AttributeSet, MobilityConvention, material_balance,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::{CodedPlayer, visit_games};

/// Every legal move in the decisions of a player, with the attributes of the position after it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MoveAlternatives {
    /// The players.
    players: Vec<CodedPlayer>,
    /// Into how many parts the games of each player fall: cells that run one by one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    parts: u32,
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(parts: &u32) -> bool {
    *parts == 1
}

/// Records that are held before they are written, but for the rest of a game.
const CHUNK: usize = 1 << 16;

/// Columns of mobility, one for each convention, in the order of [`MobilityConvention::ALL`].
const MOBILITY: [&str; 5] = [
    "mobility",
    "mobility_pseudo_legal",
    "mobility_attacked_squares",
    "mobility_own",
    "mobility_opponent",
];

fn fields() -> Vec<Field> {
    use FieldType::{Bool, Int, Text};
    let of_move = [
        ("player", Text, "", "whose move it is"),
        (
            "game",
            Int,
            "",
            "number of the game, in the order of the collection, from 1",
        ),
        (
            "decision",
            Int,
            "",
            "number of the player's move in the game, from 1",
        ),
        ("chosen", Bool, "", "whether the player played it"),
        (
            "material",
            Int,
            "pawns",
            "a_1 after the move: the player's pieces minus the opponent's",
        ),
    ];
    let mobility = MOBILITY.map(|name| {
        let doc =
            "a_2 after the move: the player's moves minus the opponent's, as the name counts them";
        (name, Int, "moves", doc)
    });
    let others = [
        (
            "center_control",
            Int,
            "attackers",
            "a_3 after the move: control of the center",
        ),
        (
            "attacks",
            Int,
            "tenths",
            "a_4 after the move: attacks on enemy pieces",
        ),
    ];
    let all = of_move.into_iter().chain(mobility).chain(others);
    all.map(|(name, of, unit, doc)| Field::new(name, of, unit, doc))
        .collect()
}

/// The attributes that are the columns after `chosen`, in order.
fn attribute_sets() -> Vec<AttributeSet> {
    let set = |attributes: &[Attribute], mobility| AttributeSet {
        mobility,
        ..AttributeSet::new(attributes.to_vec())
    };
    let [legal, others @ ..] = MobilityConvention::ALL;
    let others = others.map(|convention| set(&[Attribute::Mobility], convention));
    let last = set(&[Attribute::CenterControl, Attribute::Attacks], legal);
    [set(&Attribute::SIMPLE, legal)]
        .into_iter()
        .chain(others)
        .chain([last])
        .collect()
}

impl Experiment for MoveAlternatives {
    type Row = (CodedPlayer, Part);

    const NAME: &'static str = "move-alternatives";
    const EXAMPLE: &'static str = include_str!("../examples/move-alternatives.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        CodedPlayer::check_all(&self.players, problems);
        problems.require(Part::is_number(self.parts), "parts", Part::PROBLEM);
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        fields()
    }

    fn cells(&self) -> Vec<Cell<Self::Row>> {
        let cell = |player: &CodedPlayer, part: Part| {
            let cell = Cell::rows(part.name(&player.name), [""; 0], (player.clone(), part));
            // Other cells depend on it.
            let cost = 200.0 / f64::from(self.parts);
            cell.reading([&player.games.data]).costing(cost)
        };
        let players = self.players.iter();
        let parts = |player| Part::all(self.parts).map(move |part| cell(player, part));
        players.flat_map(parts).collect()
    }

    fn run(
        &self,
        (player, part): &(CodedPlayer, Part),
        ctx: &Context<'_>,
        _: &mut Output,
    ) -> Result<(), CellError> {
        let (mut records, sets) = (Records::new(fields()), attribute_sets());
        let all = AttributeSet::new(Attribute::PAPER);
        let mut row = Vec::new();
        visit_games(player, *part, ctx, |number, game, color| {
            for (decision, (position, played)) in (1_usize..).zip(game.plies_of(color)) {
                for candidate in position.legal_moves() {
                    let of_move = [
                        Datum::Text(&player.name),
                        Datum::Int(i64::try_from(number)?),
                        decision.into(),
                        (candidate == played).into(),
                    ];
                    let mut after = position.clone();
                    after.play_unchecked(candidate);
                    let material = material_balance(after.board(), color);
                    let counts = all.counts(&after);
                    row.clear();
                    for set in &sets {
                        set.extend_row_from(&mut row, &after, color, material, &counts);
                    }
                    let values = row.iter().map(|&value| Datum::Int(value.into()));
                    records
                        .push(of_move.into_iter().chain(values))
                        .map_err(CellError::new)?;
                }
            }
            if records.len() < CHUNK {
                return Ok(());
            }
            ctx.add_records(std::mem::replace(&mut records, Records::new(fields())))
        })?;
        ctx.add_records(records)
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind};
    use kibitz_lab::testing::TestBench;

    use super::*;

    fn bench(parts: u32) -> TestBench {
        let mut file: toml::Table = MoveAlternatives::EXAMPLE.parse().unwrap();
        let params = file["params"].as_table_mut().unwrap();
        params.insert("parts".to_owned(), parts.into());
        let games = toml::toml! {
            data = "games"
            select = { since = "1972" }
        };
        let player = params["players"].as_array_mut().unwrap()[0].as_table_mut();
        player.unwrap().insert("games".to_owned(), games.into());
        let pgn = include_bytes!("../../../data/fischer-games.pgn");
        let kind = Kind::of::<MoveAlternatives>(Code::Constant);
        TestBench::new(kind, "beyond/alternatives", &file.to_string())
            .unwrap()
            .with_data("games", pgn)
    }

    #[test]
    fn any_number_of_parts_gives_the_same_records() {
        let whole = bench(1).records().unwrap();
        assert!(whole.len() > CHUNK / 8, "{} records", whole.len());
        for parts in [2, 7] {
            let bench = bench(parts);
            assert_eq!(bench.cells().len(), parts as usize);
            assert!(bench.records().unwrap() == whole, "{parts} parts");
        }
    }
}
