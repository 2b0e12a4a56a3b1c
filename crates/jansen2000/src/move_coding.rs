//! `move-coding`: what a player's moves cost under several codes, on games not used for fitting.

use chess_huffman::MoveByMoveEncoder;
use kibitz_board::{Color, Game};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Params, Plan,
};
use kibitz_stats::{
    ConditionalLogit,
    inference::{BootstrapOptions, bootstrap_groups},
    split::k_fold,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chess_data::{CRATES, CodedPlayer, OnePlyChoices, Optimizer, color_of, read_games};

/// Bits per move under codes made without the games that are coded.
#[derive(Debug)]
pub(crate) struct MoveCoding;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CodingParams {
    /// The attributes of the one-ply model.
    #[schemars(with = "Vec<String>")]
    attributes: Vec<Attribute>,
    /// What counts as a move in the mobility balance.
    #[serde(default)]
    #[schemars(with = "String")]
    mobility: MobilityConvention,
    /// Into how many parts the games are dealt, each coded with weights fitted to the others.
    folds: u32,
    /// How often games are drawn anew for the intervals.
    bootstrap: u32,
    /// Whose moves; one row of the table for each code.
    players: Vec<CodedPlayer>,
}

/// A way to code moves.
#[derive(Debug, Clone, Copy)]
enum Code {
    /// All legal moves are equally likely.
    Uniform,
    /// The one-ply model, fitted to other games of the player.
    OnePly,
    /// The code of the `chess-huffman` crate.
    ChessHuffman,
}

impl Code {
    const ALL: [Code; 3] = [Code::Uniform, Code::OnePly, Code::ChessHuffman];

    fn name(self) -> &'static str {
        match self {
            Code::Uniform => "uniform",
            Code::OnePly => "one-ply",
            Code::ChessHuffman => "chess-huffman",
        }
    }

    fn row(self, player: &str) -> String {
        format!("{player}, {}", self.name())
    }
}

/// What a player's moves of one game cost.
#[derive(Debug, Clone, Copy, Default)]
struct GameCost {
    moves: u64,
    /// In the order of [`Code::ALL`].
    bits: [f64; 3],
}

impl Kind for MoveCoding {
    fn name(&self) -> &'static str {
        "move-coding"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        CRATES
    }

    fn example(&self) -> &'static str {
        include_str!("examples/move-coding.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(CodingParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: CodingParams = params.read()?;
        let mut problems = Diagnostics::new();
        if checked.folds < 2 {
            problems.push(params.error_at(
                "folds",
                "at least two parts, to fit on one and code another",
            ));
        }
        CodedPlayer::check_all(&checked.players, params, &mut problems);
        problems.into_result(Box::new(CodingPlan(checked)))
    }
}

struct CodingPlan(CodingParams);

impl Plan for CodingPlan {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("bits-per-move", "bit", "mean cost of a move of the player"),
            Column::new("low", "bit", "95% interval of the mean cost, from"),
            Column::new("high", "bit", "95% interval of the mean cost, to"),
            Column::new("share", "%", "cost as a share of the uniform code"),
            Column::new("moves", "moves", "moves of the player"),
        ]
    }

    fn cells(&self) -> Vec<Cell> {
        let players = self.0.players.iter();
        players
            .map(|player| {
                let rows = Code::ALL.map(|code| code.row(&player.name));
                Cell::rows(&player.name, rows)
                    .reading([&player.games])
                    .costing(5.0)
            })
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let player = (self.0.players.iter())
            .find(|player| player.name == cell.id)
            .ok_or_else(|| CellError::new("no such player"))?;
        let games = read_games(&ctx.data(&player.games)?)?;
        let colors = games
            .iter()
            .map(|game| color_of(game, &player.player))
            .collect::<Result<Vec<_>, _>>()?;
        let costs = self.costs(&games, &colors, ctx)?;

        let groups: Vec<u32> = (0..).take(costs.len()).collect();
        let options = BootstrapOptions {
            n_replicates: self.0.bootstrap as usize,
            seed: ctx.seed_u64("bootstrap"),
        };
        let intervals = bootstrap_groups(&groups, options, |sample| {
            bits_per_move(sample.iter().map(|&game| &costs[game as usize])).map(Vec::from)
        })?
        .percentile_intervals(0.95)?;
        let means = bits_per_move(&costs).ok_or_else(|| CellError::new("no move to code"))?;

        let moves: u64 = costs.iter().map(|cost| cost.moves).sum();
        let mut output = CellOutput::new();
        for ((code, mean), interval) in Code::ALL.into_iter().zip(means).zip(intervals) {
            let row = code.row(&player.name);
            output.set(&row, "bits-per-move", mean);
            output.set(&row, "low", interval.low);
            output.set(&row, "high", interval.high);
            output.set(&row, "share", 100.0 * mean / means[0]);
            output.set(&row, "moves", moves);
        }
        Ok(output)
    }
}

impl CodingPlan {
    /// What the player's moves cost in each game.
    fn costs(
        &self,
        games: &[Game],
        colors: &[Color],
        ctx: &CellContext<'_>,
    ) -> Result<Vec<GameCost>, CellError> {
        let attributes = AttributeSet {
            mobility: self.0.mobility,
            ..AttributeSet::new(self.0.attributes.clone())
        };
        let mut choices = OnePlyChoices::new(&attributes)?;
        for (number, (game, &color)) in (0..).zip(games.iter().zip(colors)) {
            ctx.check()?;
            for (position, played) in game.plies_of(color) {
                choices.push(number, &position, played)?;
            }
        }
        let sets = choices.build();
        let mut costs = vec![GameCost::default(); games.len()];
        let folds = k_fold(&sets.groups(), self.0.folds as usize, ctx.seed_u64("folds"))?;
        for fold in &folds {
            ctx.check()?;
            let training = sets.by_groups(&fold.train);
            let fit = Optimizer::Newton.fit(ConditionalLogit::new(&training))?;
            for &game in &fold.test {
                let game_sets = sets.by_groups(&[game]);
                let model = ConditionalLogit::new(&game_sets);
                costs[game as usize] = GameCost {
                    moves: game_sets.n_choices(),
                    bits: [
                        model.uniform_bits(),
                        model.bits(&fit.weights),
                        huffman_bits(&games[game as usize], colors[game as usize])?,
                    ],
                };
            }
        }
        Ok(costs)
    }
}

/// Length of the `chess-huffman` code of one side's moves, in bits.
pub(super) fn huffman_bits(game: &Game, color: Color) -> Result<f64, CellError> {
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
