//! `move-coding`: code length of a player's moves on held-out games, under several codes.

use chess_huffman::MoveByMoveEncoder;
use kibitz_board::{Color, Game};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_players::{coding::held_out, one_ply};
use kibitz_stats::split::k_fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::{BAD_GAMES, CellSession, CodedPlayer, LEFT_OUT, games_of, intervals};

/// Cross-validated bits per move under several codes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MoveCoding {
    /// The attributes of the one-ply model.
    attributes: Vec<Attribute>,
    /// The moves counted in the mobility balance.
    #[serde(default)]
    mobility: MobilityConvention,
    /// Number of cross-validation folds of the games.
    folds: u32,
    /// Number of bootstrap resamples of games for the intervals.
    bootstrap: u32,
    /// The players; each has a row for every code.
    players: Vec<CodedPlayer>,
}

/// The codes: all legal moves are equally likely, the one-ply model fitted to other games of the
/// player, and the code of the `chess-huffman` crate.
const CODES: [&str; 3] = ["uniform", "one-ply", "chess-huffman"];

/// Code lengths of a player's moves in one game.
#[derive(Debug, Clone, Copy, Default)]
struct GameCost {
    moves: u64,
    /// In the order of [`CODES`].
    bits: [f64; 3],
}

impl Experiment for MoveCoding {
    type Row = CodedPlayer;

    const NAME: &'static str = "move-coding";
    const EXAMPLE: &'static str = include_str!("../examples/move-coding.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("bits-per-move", "bit", "mean cost of a move of the player"),
        Column::new("low", "bit", "95% interval of the mean cost, from"),
        Column::new("high", "bit", "95% interval of the mean cost, to"),
        Column::new("share", "%", "cost as a share of the uniform code"),
        Column::new("moves", "moves", "moves of the player"),
        BAD_GAMES,
        LEFT_OUT,
    ];

    fn check(&self, problems: &mut Problems) {
        problems.require(
            self.folds >= 2,
            "folds",
            "at least two parts, to fit on one and code another",
        );
        CodedPlayer::check_all(&self.players, problems);
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<CodedPlayer>> {
        let players = self.players.iter();
        players
            .map(|player| {
                let rows = CODES.map(|code| player.row(code));
                Cell::rows(&player.name, rows, player.clone())
                    .reading([&player.games.data])
                    .costing(5.0)
            })
            .collect()
    }

    fn run(
        &self,
        player: &CodedPlayer,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let read = games_of(&player.player, &player.games, ctx)?;
        let costs = self.costs(&read.games, ctx)?;
        let groups: Vec<u32> = (0..).take(costs.len()).collect();
        let intervals = intervals(&groups, self.bootstrap, ctx, |sample| {
            bits_per_move(sample.iter().map(|&game| &costs[game as usize])).map(Vec::from)
        })?;
        let means = bits_per_move(&costs).ok_or_else(|| CellError::new("no move to code"))?;
        let moves: u64 = costs.iter().map(|cost| cost.moves).sum();
        for ((code, mean), interval) in CODES.into_iter().zip(means).zip(intervals) {
            let mut row = output.row(player.row(code));
            row.set("bits-per-move", mean);
            row.set("low", interval.low);
            row.set("high", interval.high);
            row.set("share", 100.0 * mean / means[0]);
            row.set("moves", moves);
            read.set_left_out(&mut row);
        }
        Ok(())
    }
}

impl MoveCoding {
    /// Code lengths of the player's moves in each game.
    fn costs(
        &self,
        games: &[(Game, Color)],
        ctx: &Context<'_>,
    ) -> Result<Vec<GameCost>, CellError> {
        let attributes = AttributeSet {
            mobility: self.mobility,
            ..AttributeSet::new(self.attributes.clone())
        };
        let plies = games.iter().map(|(game, color)| game.plies_of(*color));
        let session = CellSession(ctx);
        let sets = one_ply::choices(&attributes, plies, &session)?;
        let folds = k_fold(&sets.groups(), self.folds as usize, ctx.seed_u64("folds"))?;
        let mut costs = vec![GameCost::default(); games.len()];
        for cost in held_out(&sets, &self.attributes, &folds, &session)? {
            let (game, color) = &games[cost.group as usize];
            costs[cost.group as usize] = GameCost {
                moves: cost.moves,
                bits: [cost.uniform, cost.model, huffman_bits(game, *color)?],
            };
        }
        Ok(costs)
    }
}

/// Length of the `chess-huffman` code of one side's moves, in bits.
pub(crate) fn huffman_bits(game: &Game, color: Color) -> Result<f64, CellError> {
    if !game.starts_normally() {
        return Err(CellError::new(format!(
            "game {} does not start normally, which chess-huffman cannot code",
            game.key()
        )));
    }
    let mut encoder = MoveByMoveEncoder::new();
    let mut bits = 0;
    for (ply, &played) in game.moves().iter().enumerate() {
        let before = encoder.result.bit_index;
        encoder.add_move(played)?;
        if color.is_white() == (ply % 2 == 0) {
            bits += encoder.result.bit_index - before;
        }
    }
    Ok(bits as f64)
}

/// Mean cost of a move under each code; `None` when no move is coded.
fn bits_per_move<'a>(costs: impl IntoIterator<Item = &'a GameCost>) -> Option<[f64; 3]> {
    let mut total = GameCost::default();
    for cost in costs {
        total.moves += cost.moves;
        for (sum, bits) in total.bits.iter_mut().zip(cost.bits) {
            *sum += bits;
        }
    }
    (total.moves > 0).then(|| total.bits.map(|bits| bits / total.moves as f64))
}
