//! `search-comparison`: success rates of searches on problems with known solutions, by node budget.

mod problems;

use kibitz_board::Position;
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_search::{
    chute::{ChuteGame, Evaluation, Scoring, Uncertainty},
    ctw::{Ctw, Style},
    fixed_depth::{AlphaBeta, Fanout},
    game::{Counts, Game as _, Verdict},
};
use kibitz_stats::{
    inference::{Interval, wald_interval, wilson_interval},
    summary::{mean, std_dev},
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use problems::{EndgameParams, MateParams, Problem, ProblemSet, endgame_set, mate_set};

/// Largest depth of iterative deepening.
const MAX_DEPTH: u32 = 40;
/// Games or positions between checks for cancellation.
const CHUNK: usize = 64;
/// Nodes that Closeness To Win reserves for the replies to its choice: the number of moves in most
/// positions.
const REPLY_NODES: u64 = 50;

/// Searches with the same evaluation on positions with known best moves.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SearchComparison {
    /// Points of the polynomial for a pawn more, in the score of positions.
    pawn_points: f64,
    /// Largest number of positions of each set.
    sample: u32,
    /// Node budgets.
    budgets: Vec<u64>,
    /// The searches; the first that looks ahead is the baseline.
    searches: Vec<SearchParams>,
    /// Forced mates in games.
    mates: Option<MateParams>,
    /// Endgame positions with known distance to mate.
    endgames: Vec<EndgameParams>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SearchParams {
    /// Name of the search in the table.
    name: String,
    /// The strategy.
    strategy: Strategy,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum Strategy {
    /// The top-scored move, without search.
    Static,
    /// Alpha-beta with iterative deepening and a fanout: `full`, or comma-separated numbers.
    AlphaBeta(String),
    /// Closeness To Win.
    Ctw(CtwParams),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CtwParams {
    /// Score halfway to the limit.
    points: f64,
    /// Uncertain part of a position without forcing moves.
    base: f64,
    /// Additional uncertainty of a position with forcing moves only.
    forcing: f64,
    /// Plausibility of a move above the value of its score, as a fraction of the distance to the limit.
    plausibility: f64,
}

/// The result of a search on a problem.
#[derive(Debug, Clone, Copy)]
struct Answer {
    is_right: bool,
    /// Whether the search proved its move the best.
    is_decided: bool,
    nodes: u64,
}

/// The problem set of a cell.
pub(crate) enum Source {
    Mates(MateParams),
    Endgame(EndgameParams),
}

impl Experiment for SearchComparison {
    type Row = Source;

    const NAME: &'static str = "search-comparison";
    const EXAMPLE: &'static str = include_str!("../examples/search-comparison.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("positions", "positions", "positions of the set"),
        Column::new("chance", "%", "what a move drawn at random would solve"),
        Column::new("solved", "%", "share of positions with a right move"),
        Column::new("low", "%", "95% interval of the share, from"),
        Column::new("high", "%", "95% interval of the share, to"),
        Column::new(
            "gain",
            "points",
            "solved, less what the first search solves",
        ),
        Column::new("gain-low", "points", "95% interval of the gain, from"),
        Column::new("gain-high", "points", "95% interval of the gain, to"),
        Column::new(
            "decided",
            "%",
            "share of positions that the search called decided",
        ),
        Column::new("nodes", "nodes", "mean nodes used"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.require(self.sample > 0, "sample", "at least one position");
        problems.require(
            !self.budgets.is_empty() && !self.budgets.contains(&0),
            "budgets",
            "at least one, each of at least one node",
        );
        problems.require(!self.searches.is_empty(), "searches", "at least one search");
        problems.require(
            self.pawn_points.is_finite(),
            "pawn-points",
            "a finite number",
        );
        problems.each("searches", &self.searches, |search, problems| {
            problems.within("strategy", |problems| search.strategy.check(problems));
        });
        if let Some(mates) = &self.mates {
            problems.within("mates", |problems| mates.check(problems));
        }
        problems.each("endgames", &self.endgames, EndgameParams::check);
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Source>> {
        let mates = self.mates.iter().map(|mates| {
            let sets = (1..=mates.max_moves).map(mate_set);
            let rows = sets.flat_map(|set| self.rows(&set));
            Cell::rows("mates", rows, Source::Mates(mates.clone()))
                .reading(mates.games.iter().map(|games| &games.data))
                .costing(100.0)
        });
        let endgames = self.endgames.iter().map(|endgame| {
            let set = endgame_set(endgame);
            Cell::rows(&set, self.rows(&set), Source::Endgame(endgame.clone())).costing(30.0)
        });
        mates.chain(endgames).collect()
    }

    fn run(
        &self,
        source: &Source,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let sets = match source {
            Source::Mates(mates) => problems::mates(mates, self.sample, ctx)?,
            Source::Endgame(endgame) => vec![problems::endgame(endgame, self.sample, ctx)?],
        };
        for set in &sets {
            self.compare(set, output, ctx)?;
        }
        Ok(())
    }
}

impl Strategy {
    /// Validates the parameters.
    fn check(&self, problems: &mut Problems) {
        match self {
            Strategy::Static => {}
            Strategy::AlphaBeta(fanout) => {
                if let Err(error) = fanout.parse::<Fanout>() {
                    problems.at("", error.to_string());
                }
            }
            Strategy::Ctw(ctw) => {
                let parts = [ctw.base, ctw.forcing, ctw.plausibility];
                let are_parts = parts.iter().all(|part| (0.0..=1.0).contains(part));
                problems.require(
                    are_parts && ctw.points > 0.0 && ctw.points.is_finite(),
                    "",
                    "points above 0, the other numbers from 0 to 1",
                );
            }
        }
    }
}

impl SearchComparison {
    /// The searches with their budgets and row names; a strategy without search has no budget.
    fn runs<'a>(&'a self, set: &'a str) -> impl Iterator<Item = (String, &'a SearchParams, u64)> {
        self.searches.iter().flat_map(move |search| {
            let budgets = match search.strategy {
                Strategy::Static => &[1][..],
                _ => &self.budgets[..],
            };
            budgets.iter().map(move |&budget| {
                let name = match search.strategy {
                    Strategy::Static => format!("{set}: {}", search.name),
                    _ => format!("{set}: {}, {budget} nodes", search.name),
                };
                (name, search, budget)
            })
        })
    }

    fn rows(&self, set: &str) -> Vec<String> {
        self.runs(set).map(|(name, _, _)| name).collect()
    }

    fn compare(
        &self,
        set: &ProblemSet,
        output: &mut Output,
        ctx: &Context<'_>,
    ) -> Result<(), CellError> {
        let mut yardsticks: Vec<(u64, Vec<Answer>)> = Vec::new();
        let n_problems = set.problems.len() as u64;
        let percent = |share: f64| 100.0 * share;
        let chances = set.problems.iter().map(|problem| {
            problem.answers.len() as f64 / problem.position.legal_moves().len() as f64
        });
        let chance: f64 = chances.sum::<f64>() / n_problems.max(1) as f64;
        for (row, search, budget) in self.runs(&set.name) {
            let mut answers = Vec::with_capacity(set.problems.len());
            for chunk in set.problems.chunks(CHUNK) {
                ctx.check()?;
                let chunk = chunk.par_iter();
                let found: Result<Vec<Answer>, CellError> = chunk
                    .map(|problem| self.answer(search, budget, problem))
                    .collect();
                answers.extend(found?);
            }
            let row = &mut output.row(row);
            row.set("positions", n_problems);
            if answers.is_empty() {
                continue;
            }
            let n_right = answers.iter().filter(|answer| answer.is_right).count() as u64;
            let n_decided = answers.iter().filter(|answer| answer.is_decided).count();
            let nodes: u64 = answers.iter().map(|answer| answer.nodes).sum();
            let interval = wilson_interval(n_right, n_problems, 0.95)?;
            row.set("chance", percent(chance));
            row.set("solved", percent(n_right as f64 / n_problems as f64));
            row.set("low", percent(interval.low));
            row.set("high", percent(interval.high));
            row.set("decided", percent(n_decided as f64 / n_problems as f64));
            row.set("nodes", nodes as f64 / n_problems as f64);
            match yardsticks.iter().find(|(with, _)| *with == budget) {
                Some((_, yardstick)) => {
                    let (gain, interval) = gain(&answers, yardstick)?;
                    row.set("gain", percent(gain));
                    if let Some(interval) = interval {
                        row.set("gain-low", percent(interval.low));
                        row.set("gain-high", percent(interval.high));
                    }
                }
                None if !matches!(search.strategy, Strategy::Static) => {
                    yardsticks.push((budget, answers));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn answer(
        &self,
        search: &SearchParams,
        budget: u64,
        problem: &Problem,
    ) -> Result<Answer, CellError> {
        let uncertainty = match &search.strategy {
            Strategy::Ctw(ctw) => Uncertainty {
                points: ctw.points,
                base: ctw.base,
                forcing: ctw.forcing,
                plausibility: ctw.plausibility,
            },
            _ => Uncertainty::default(),
        };
        // Values depend on the position alone, as the position graph requires.
        let game = ChuteGame::new(Evaluation {
            scoring: Scoring::Material(self.pawn_points),
            remembers_last_move: false,
            uncertainty,
            ..Evaluation::default()
        });
        let root = game.root(&problem.position);
        let mut stop = |counts: Counts| counts.nodes() >= budget;
        let (m, is_decided, nodes) = match &search.strategy {
            Strategy::Static => (game.moves(&root)[0].m, false, 1),
            Strategy::AlphaBeta(fanout) => {
                let found = AlphaBeta::new(&game)
                    .with_fanout(fanout.parse()?)
                    .deepen(&root, MAX_DEPTH, &mut stop, &mut |_| {})
                    .expect("a problem has a move");
                let is_decided = matches!(Verdict::of(found.value), Verdict::Wins(_));
                (found.line[0].m, is_decided, found.counts.nodes())
            }
            Strategy::Ctw(_) => {
                // Some nodes are reserved for the replies to the chosen move.
                let early_budget = budget - (budget / 4).min(REPLY_NODES);
                let mut early = |counts: Counts| counts.nodes() >= early_budget;
                let decision = Ctw::new(&game, Style::default())
                    .choose_guarded(&root, &mut early, &mut stop)
                    .expect("a problem has a move");
                let nodes = decision.counts.work.nodes();
                (decision.line[0].m, decision.is_settled, nodes)
            }
        };
        Ok(Answer {
            is_right: problem.answers.contains(&m),
            is_decided,
            nodes,
        })
    }
}

/// Mean difference of two searches on the same positions, with its 95% interval if there are several.
fn gain(answers: &[Answer], yardstick: &[Answer]) -> Result<(f64, Option<Interval>), CellError> {
    let differences: Vec<f64> = answers
        .iter()
        .zip(yardstick)
        .map(|(answer, yardstick)| {
            f64::from(u8::from(answer.is_right)) - f64::from(u8::from(yardstick.is_right))
        })
        .collect();
    let mean = mean(&differences)?;
    if differences.len() < 2 {
        return Ok((mean, None));
    }
    let std_error = std_dev(&differences)? / (differences.len() as f64).sqrt();
    Ok((mean, Some(wald_interval(mean, std_error, 0.95)?)))
}
