//! A position of Minesweeper as inline SVG.

use kibitz_minesweeper::{Knowledge, Level, Move, Rule, RulePlayer, Series, View};
use kibitz_report::Picture;
use maud::{Markup, html};

/// Games looked at for the position.
const MOST_GAMES: u64 = 2_000;
const SIZE: usize = 40;

/// The first position of seeded games in which only rule S-3 applies, with the numbers it uses.
pub(super) fn only_the_third_rule() -> Result<Picture, String> {
    let level: Level = "8x8/10".parse().map_err(|_| "no such board")?;
    let series = Series::seeded(&level, 2003);
    let mut found: Option<(u64, Knowledge, Move)> = None;
    for number in 0..MOST_GAMES {
        let mut player = RulePlayer::default();
        let observe = |knowledge: &Knowledge, next: &Move| {
            if found.is_none() && next.rule == Rule::S3 {
                found = Some((number, knowledge.clone(), next.clone()));
            }
        };
        series
            .play(number, &mut player, observe)
            .map_err(|error| error.to_string())?;
        if found.is_some() {
            break;
        }
    }
    let (number, knowledge, next) = found.ok_or("no game needs rule S-3")?;
    Ok(Picture {
        title: "A tile that only rule S-3 decides".to_owned(),
        body: html! { div.strip.wide-strip role="presentation" { div { (drawn(&knowledge, &next)) } } },
        caption: html! {
            b { "The framed tile is safe. " }
            "The tinted numbers show it together: subtract the tiles around one from those around another, and again, and no mine is left. "
            "Rules S-1, S-2 and M-1 do not apply here. Game " (number) " of 8x8 boards with 10 mines, seed 2003; F is a marked mine."
        },
    })
}

fn drawn(knowledge: &Knowledge, next: &Move) -> Markup {
    let grid = knowledge.grid();
    let (rows, columns) = (grid.height(), grid.width());
    let tile = next.action.tile();
    let text_of = |at: usize| match knowledge.view(at) {
        View::Number(0) | View::Covered => String::new(),
        View::Number(number) => number.to_string(),
        View::Marked => "F".to_owned(),
    };
    let (row, column) = grid.row_and_column(tile);
    let label = format!(
        "A board of {rows} by {columns} tiles; the tile in row {}, column {} is safe by rule S-3.",
        row + 1,
        column + 1
    );
    html! {
        svg viewBox={ "-2 -2 " (columns * SIZE + 4) " " (rows * SIZE + 4) } role="img" aria-label=(label) {
            @for at in 0..rows * columns {
                @let (x, y) = (at % columns * SIZE, at / columns * SIZE);
                @let is_open = matches!(knowledge.view(at), View::Number(_));
                rect class={ "tile" @if is_open { " open" } @if next.because.contains(&at) { " hit" } }
                    x=(x) y=(y) width=(SIZE) height=(SIZE) {}
                text.c x=(x + SIZE / 2) y=(y + 26) { (text_of(at)) }
            }
            rect.tile.safe x=(column * SIZE) y=(row * SIZE) width=(SIZE) height=(SIZE) {}
        }
    }
}
