//! `move-losses`: the dataset of what each move of the library lost in material, by a search.

use kibitz_board::{Chess, EnPassantMode, Move, Position, Role, zobrist::Zobrist64};
use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Field, FieldType, Output, Problems, Records,
    Sources,
};
use kibitz_heuristics::chute::MaterialBalance;
use kibitz_search::{
    fixed_depth::AlphaBeta,
    game::{End, Game, Verdict, never},
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scored_games::{LibraryParams, audit_of, games_of};

/// Material lost by the moves played relative to the best ones, by a search.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MoveLosses {
    /// The games.
    library: LibraryParams,
    /// Plies that the search looks ahead.
    depth: u32,
    /// Values are cut here, in pawns: more is won or lost either way.
    most: f64,
}

impl Experiment for MoveLosses {
    type Row = ();

    const NAME: &'static str = "move-losses";
    const EXAMPLE: &'static str = include_str!("../examples/move-losses.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        let is_deep = (2..=6).contains(&self.depth);
        problems.require(is_deep, "depth", "from 2 to 6 plies");
        problems.require(self.most > 0.0, "most", "a number of pawns above zero");
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        fields()
    }

    fn cells(&self) -> Vec<Cell> {
        self.library.cell([""; 0])
    }

    fn run(&self, (): &(), ctx: &Context<'_>, _: &mut Output) -> Result<(), CellError> {
        let (games, counts) = games_of(&self.library.games, self.library.max_games, ctx)?;
        // As everywhere games without a winner are left out, so that numbers are the same.
        let games: Vec<_> = games
            .into_iter()
            .filter(|game| game.outcome().winner().is_some())
            .collect();
        ctx.audit(audit_of(self.library.data(), counts, ctx)?);
        let losses: Vec<Vec<[f64; 2]>> = games
            .par_iter()
            .map(|game| {
                let plies = game.plies();
                plies
                    .map(|(position, played)| self.values(&position, played, ctx))
                    .collect()
            })
            .collect::<Result<_, CellError>>()?;
        let mut records = Records::new(fields());
        for (number, losses) in (1_usize..).zip(losses) {
            for (ply, [best, played]) in (1_usize..).zip(losses) {
                let record = [
                    number.into(),
                    ply.into(),
                    best.into(),
                    played.into(),
                    (best - played).into(),
                ];
                records.push(record).map_err(CellError::new)?;
            }
        }
        ctx.add_records(records)
    }
}

impl MoveLosses {
    /// The value of a position, and that of a move of it, in pawns of the mover.
    fn values(
        &self,
        position: &Chess,
        played: Move,
        ctx: &Context<'_>,
    ) -> Result<[f64; 2], CellError> {
        ctx.check()?;
        let game = Material;
        if game.end(position).is_some() {
            return Ok([0.0; 2]);
        }
        let best = AlphaBeta::new(&game)
            .search(position, self.depth, &mut never)?
            .value;
        let next = game.play(position, played);
        let reply = match game.end(&next) {
            Some(End::Lost) => -self.most,
            Some(End::Drawn) => 0.0,
            None => {
                let mut search = AlphaBeta::new(&game);
                self.pawns(search.search(&next, self.depth - 1, &mut never)?.value)
            }
        };
        Ok([self.pawns(best), -reply])
    }

    fn pawns(&self, value: f64) -> f64 {
        match Verdict::of(value) {
            Verdict::Wins(_) => self.most,
            Verdict::Loses(_) => -self.most,
            Verdict::Score(score) => score.clamp(-self.most, self.most),
        }
    }
}

fn fields() -> Vec<Field> {
    use FieldType::{Float, Int};
    [
        (
            "game",
            Int,
            "",
            "number of the game, in the order of the file",
        ),
        ("ply", Int, "plies", "number of the ply, from 1"),
        (
            "best",
            Float,
            "pawns",
            "value of the position for the mover, by the search",
        ),
        ("played", Float, "pawns", "value of the move played"),
        ("loss", Float, "pawns", "the first less the second"),
    ]
    .map(Field::from)
    .to_vec()
}

/// Chess by material alone: the weights of the thesis's measure MATRL.
struct Material;

impl Game for Material {
    type Position = Chess;
    type Move = Move;
    type Key = u64;

    fn key(&self, position: &Chess) -> u64 {
        position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
    }

    fn end(&self, position: &Chess) -> Option<End> {
        if !position.legal_moves().is_empty() {
            return position.is_insufficient_material().then_some(End::Drawn);
        }
        Some(if position.is_check() {
            End::Lost
        } else {
            End::Drawn
        })
    }

    fn moves(&self, position: &Chess) -> Vec<Move> {
        let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
        let value = |role| match role {
            Role::Pawn => 1,
            Role::Knight | Role::Bishop => 3,
            Role::Rook => 5,
            Role::Queen | Role::King => 9,
        };
        // The dearest prey of the cheapest hunter first; the sort keeps the order of the others.
        moves.sort_by_key(|m| {
            let prey = m.capture().or(m.promotion()).map_or(0, value);
            (-prey, if prey > 0 { value(m.role()) } else { 0 })
        });
        moves
    }

    fn play(&self, position: &Chess, m: Move) -> Chess {
        let mut next = position.clone();
        next.play_unchecked(m);
        next
    }

    fn evaluate(&self, position: &Chess) -> f64 {
        MaterialBalance::of(position.board(), position.turn()).total()
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind, Values};
    use kibitz_lab::testing::TestBench;

    use super::*;

    #[test]
    fn a_queen_left_to_a_pawn_is_a_loss() {
        let pgn = b"[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Qg5 3. d3 Qh6 1-0\n";
        let kind = Kind::of::<MoveLosses>(Code::Constant);
        let bench = TestBench::new(kind, "sugar1975/losses", MoveLosses::EXAMPLE)
            .unwrap()
            .with_data("library", pgn);
        let records = bench.records().unwrap();
        let values = |name: &str| {
            let column = records.columns().find(|(field, _)| field.name == name);
            let Some((_, Values::Float(values))) = column else {
                panic!("no {name}")
            };
            values.iter().map(|value| value.unwrap()).collect()
        };
        let [played, losses]: [Vec<f64>; 2] = ["played", "loss"].map(values);
        assert_eq!(losses.len(), 6);
        assert!(losses[..3].iter().all(|loss| *loss <= 1.0), "{losses:?}");
        // The queen goes where the knight could take her, and he does not.
        assert!(losses[3] > 8.0 && losses[4] > 8.0, "{losses:?}");
        // The bishop takes her on h6, and is taken.
        let exchanged = 3.5 - 9.75;
        assert!((played[5] - exchanged).abs() < 1e-9, "{played:?}");
        assert!(losses[5] >= -exchanged, "{losses:?}");
    }
}
