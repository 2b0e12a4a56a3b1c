//! The tables as a page, with the moves that lose most.

use std::path::Path;

use kibitz_board::pgn::Tally;
use kibitz_players::accuracy::{PlayerStanding, RangeVariable, Survey};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    moves::MoveWriter,
    table::{PLAYERS, counts, head, mean, meaning, range_head, ranges, row},
};

/// The page, without anything from elsewhere.
pub(super) fn page(
    path: &Path,
    survey: &Survey,
    players: &[PlayerStanding],
    by: Option<RangeVariable>,
    moves: &MoveWriter,
    tally: &Tally,
) -> String {
    let title = format!("Accuracy: {}", path.display());
    let shown = players.iter().take(PLAYERS);
    let rows: Vec<_> = shown
        .map(|one| row(one.name.clone(), &one.standing))
        .collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(super::super::page::STYLE)) }
            }
            body { main {
                h1 { (title) }
                p.meta { (counts(survey, tally)) "." }
                h2 { "Players" }
                (table(&meaning(survey), &head("player"), &rows))
                @if players.len() > PLAYERS {
                    p.meta { "The " (PLAYERS) " players with most moves, of " (players.len()) "." }
                }
                @if let Some(by) = by {
                    h2 { "By " (by.name()) }
                    (curve(survey, by))
                    p.meta { "Points: loss per move with its interval. Upright lines: expected loss." }
                    (table(&meaning(survey), &range_head(by), &ranges(survey, by)))
                }
                h2 { "Moves" }
                (dearest(moves))
            } }
        }
    };
    page.into_string()
}

fn table(caption: &str, head: &[String], rows: &[Vec<String>]) -> Markup {
    html! {
        table {
            caption { (caption) "." }
            thead { tr { @for cell in head { th scope="col" { (cell) } } } }
            tbody { @for row in rows { tr {
                @for (index, cell) in row.iter().enumerate() {
                    @if index == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                }
            } } }
        }
    }
}

/// Losses by range with their intervals, and what is expected as a bar without one.
fn curve(survey: &Survey, by: RangeVariable) -> Markup {
    const WIDTH: f64 = 420.0;
    let ends = survey.ranges().values().filter_map(|standing| {
        let loss = standing.loss()?;
        let high = loss.error.map_or(loss.value, |(_, interval)| interval.high);
        Some(high.max(standing.expected().unwrap_or(0.0)))
    });
    let scale = WIDTH / ends.fold(1e-9, f64::max);
    let height = 26 * survey.ranges().len();
    let x = |value: f64| format!("{:.1}", 130.0 + scale * value.max(0.0));
    html! {
        svg role="img" viewBox=(format!("0 0 560 {height}")) width="560" {
            title { "Loss per move by " (by.name()) }
            @for (index, (&lower, standing)) in survey.ranges().iter().enumerate() {
                @let y = 26 * index + 13;
                text x="0" y=(y + 4) font-size="13" fill="currentColor" { (by.shown(lower)) }
                @if let Some(loss) = standing.loss() {
                    @if let Some((_, interval)) = loss.error {
                        line x1=(x(interval.low)) x2=(x(interval.high)) y1=(y) y2=(y) stroke="currentColor" {}
                    }
                    circle cx=(x(loss.value)) cy=(y) r="3.5" fill="currentColor" {}
                }
                @if let Some(expected) = standing.expected() {
                    line x1=(x(expected)) x2=(x(expected)) y1=(y - 8) y2=(y + 8) style="stroke:var(--differs);stroke-width:2" {}
                }
            }
        }
    }
}

/// All moves, or those that lose most beyond what was expected.
fn dearest(moves: &MoveWriter) -> Markup {
    let shown = moves.shown();
    let is_all = shown.len() as u64 == moves.n_moves();
    let which = if is_all {
        "All moves".to_owned()
    } else {
        format!(
            "The {} moves that lose most beyond what was expected, of {}; `--csv` writes all",
            shown.len(),
            moves.n_moves()
        )
    };
    let head = [
        "game", "ply", "player", "move", "before", "after", "loss", "expected",
    ];
    let rows: Vec<Vec<String>> = shown
        .iter()
        .map(|one| {
            vec![
                one.game.to_string(),
                one.ply.to_string(),
                one.player.clone(),
                format!("{} {}", one.place(), one.san),
                one.before.clone(),
                one.after.clone(),
                mean(Some(one.loss)),
                mean(one.expected),
            ]
        })
        .collect();
    table(&which, &head.map(str::to_owned), &rows)
}
