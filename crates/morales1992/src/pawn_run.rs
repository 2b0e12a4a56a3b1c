//! `pawn-run`: the patterns of unstoppable pawns, against exhaustive search.

use kibitz_board::{Chess, Color, EnPassantMode, Position, Role, fen::Fen};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_patterns::can_run::{PRINTED, Patterns, REPAIRED, Runs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The printed patterns on every position with White to move. The row `all` compares them with
/// exhaustive search; `pattern N` has the positions in which pattern N is the first that holds, and
/// `missed, rank R` those in which none holds but the pawn on rank R promotes. The row `repaired` has
/// the patterns with the fewest changes found that correct them.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PawnRun {}

const N_PATTERNS: u8 = 18;

/// Counts of a class of positions, and its first error.
#[derive(Default)]
struct Class {
    positions: usize,
    wrong: usize,
    example: Option<Chess>,
}

impl Class {
    fn add(&mut self, position: &Chess, is_wrong: bool) {
        self.positions += 1;
        self.wrong += usize::from(is_wrong);
        if is_wrong && self.example.is_none() {
            self.example = Some(position.clone());
        }
    }
}

impl Experiment for PawnRun {
    type Row = ();

    const NAME: &'static str = "pawn-run";
    const EXAMPLE: &'static str = include_str!("../examples/pawn-run.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("patterns", "patterns", "patterns").input(),
        Column::new(
            "positions",
            "positions",
            "positions, one of those alike but for left and right",
        ),
        Column::new(
            "wrong",
            "positions",
            "those in which patterns and truth differ",
        ),
        Column::new("agree", "%", "share of those in which they agree"),
        Column::new("example", "", "one in which they differ"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
    }

    fn cells(&self) -> Vec<Cell> {
        vec![Cell::open("positions", ())]
    }

    fn run(&self, (): &(), _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let patterns = Patterns::read(PRINTED)?;
        let repaired_patterns = Patterns::read_changed(PRINTED, REPAIRED)?;
        let mut runs = Runs::default();
        let (mut all, mut repaired) = (Class::default(), Class::default());
        let mut by_pattern: Vec<Class> = (0..N_PATTERNS).map(|_| Class::default()).collect();
        let mut missed: Vec<Class> = (0..8).map(|_| Class::default()).collect();
        for position in runs.positions().collect::<Vec<_>>() {
            let first = patterns.first(&position)?;
            let promotes = runs.promotes(&position);
            all.add(&position, first.is_some() != promotes);
            let says = repaired_patterns.first(&position)?.is_some();
            repaired.add(&position, says != promotes);
            if let Some(number) = first {
                by_pattern[usize::from(number) - 1].add(&position, !promotes);
            } else if promotes {
                let pawn = position
                    .board()
                    .by_piece(Role::Pawn.of(Color::White))
                    .first();
                let rank = pawn.map_or(0, |pawn| pawn.rank().to_u32() as usize);
                missed[rank].add(&position, true);
            }
        }
        output.row("all").set("patterns", N_PATTERNS);
        fill(output, "all", &all);
        output.row("repaired").set("patterns", N_PATTERNS);
        fill(output, "repaired", &repaired);
        for (number, class) in (1..).zip(&by_pattern) {
            fill(output, &format!("pattern {number}"), class);
        }
        for (rank, class) in (1..).zip(&missed).filter(|(_, class)| class.positions > 0) {
            fill(output, &format!("missed, rank {rank}"), class);
        }
        Ok(())
    }
}

fn fill(output: &mut Output, row: &str, class: &Class) {
    let mut row = output.row(row);
    row.set("positions", class.positions)
        .set("wrong", class.wrong);
    if class.positions > 0 {
        let agreed = class.positions - class.wrong;
        row.set("agree", 100.0 * agreed as f64 / class.positions as f64);
    }
    if let Some(position) = &class.example {
        let fen = Fen::from_position(position, EnPassantMode::Legal);
        row.set("example", fen.to_string());
    }
}
