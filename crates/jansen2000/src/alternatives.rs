//! `move-alternatives`: the dataset of all legal moves in players' decisions, with the one chosen.

use kibitz_board::Position;
use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Problems,
    Records, Sources,
};
use kibitz_heuristics::attributes::{
    Attribute, AttributeSet, MobilityConvention, material_balance,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::{CodedPlayer, games_of};

/// Every legal move in the decisions of a player, with the attributes of the position after it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MoveAlternatives {
    /// The players; one part of the dataset each.
    players: Vec<CodedPlayer>,
}

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
            "a_1 after the move: the player's men minus the opponent's",
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
            "a_4 after the move: attacks on enemy men",
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
    type Row = CodedPlayer;

    const NAME: &'static str = "move-alternatives";
    const EXAMPLE: &'static str = include_str!("../examples/move-alternatives.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        CodedPlayer::check_all(&self.players, problems);
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        fields()
    }

    fn cells(&self) -> Vec<Cell<CodedPlayer>> {
        let players = self.players.iter();
        let cell = |player: &CodedPlayer| {
            let cell = Cell::rows(&player.name, [""; 0], player.clone());
            // Other cells depend on it, and its memory should be free before trees are built.
            cell.reading([&player.games.data]).costing(200.0)
        };
        players.map(cell).collect()
    }

    fn run(
        &self,
        player: &CodedPlayer,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let games = games_of(&player.player, &player.games, ctx)?;
        let (mut records, sets) = (Records::new(fields()), attribute_sets());
        let all = AttributeSet::new(Attribute::ALL);
        let mut row = Vec::new();
        for (number, (game, color)) in (1_usize..).zip(&games.games) {
            ctx.check()?;
            ctx.progress("game", number - 1, games.games.len());
            for (decision, (position, played)) in (1_usize..).zip(game.plies_of(*color)) {
                for candidate in position.legal_moves() {
                    let of_move = [
                        Datum::Text(&player.name),
                        number.into(),
                        decision.into(),
                        (candidate == played).into(),
                    ];
                    let mut after = position.clone();
                    after.play_unchecked(candidate);
                    let material = material_balance(after.board(), *color);
                    let counts = all.counts(&after);
                    row.clear();
                    for set in &sets {
                        set.extend_row_from(&mut row, &after, *color, material, &counts);
                    }
                    let values = row.iter().map(|&value| Datum::Int(value.into()));
                    records
                        .push(of_move.into_iter().chain(values))
                        .map_err(CellError::new)?;
                }
            }
        }
        output.set_records(records);
        Ok(())
    }
}
