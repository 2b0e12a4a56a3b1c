//! A game as a page: a board for each of the dearest moves, and all moves in a table.

use kibitz_board::{Game, diagram};
use kibitz_players::{
    Model,
    explain::{ExplainedGame, ExplainedMove},
};
use maud::{DOCTYPE, PreEscaped, html};

use super::explain::{shown, signed, strongest, typicality};

/// The report's colors and type.
pub(super) const STYLE: &str = include_str!("page.css");

/// Moves that have a board.
const BOARDS: usize = 12;

/// The page, without anything from elsewhere.
pub(super) fn page(model: &Model, game: &Game, told: &ExplainedGame) -> String {
    let tags = game.tags();
    let title = format!("{} – {}", tags.white, tags.black);
    let (date, outcome) = (tags.date.to_string(), game.outcome());
    let known: [&str; 4] = [&tags.event, &tags.site, &date, outcome.as_str()];
    let known: Vec<&str> = known
        .into_iter()
        .filter(|tag| tag.chars().any(char::is_alphanumeric))
        .collect();
    let mut dearest: Vec<&ExplainedMove> = told.moves.iter().collect();
    dearest.sort_by(|a, b| b.bits.total_cmp(&a.bits));
    dearest.truncate(BOARDS);
    dearest.sort_by_key(|one| one.ply);
    let most = told.moves.iter().map(|one| one.bits).fold(1.0, f64::max);
    let positions: Vec<_> = game.plies().collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (diagram::shapes())
                main {
                    h1 { (title) }
                    p.meta { (known.join(", ")) }
                    p { "Under the model of " b { (model.player) } ": " (typicality(model, told)) "." }
                    h2 { "The moves that surprise" }
                    div.boards {
                        @for one in dearest {
                            @if let Some((position, played)) = positions.get(one.ply - 1) {
                                figure {
                                    (diagram::board(position, Some(*played)))
                                    figcaption {
                                        b { (shown(one)) } " " (format!("{:.2} bits, rank {} of {}", one.bits, one.rank, one.alternatives))
                                        br; (strongest(&told.attributes, &one.contributions))
                                        @for other in &one.preferred {
                                            br; "rather " b { (other.san) } (format!(" {:.1}%: ", 100.0 * other.probability)) (strongest(&told.attributes, &other.contributions))
                                        }
                                    }
                                }
                            }
                        }
                    }
                    h2 { "All moves" }
                    table {
                        caption { "Bits of the move, and how much each attribute contributes compared with the mean legal move, in bits." }
                        thead { tr {
                            th scope="col" { "move" } th scope="col" { "probability (%)" } th scope="col" { "rank" } th scope="col" { "bits" } th {}
                            @for name in &told.attributes { th scope="col" { (name) } }
                            th scope="col" { "preferred" }
                        } }
                        tbody {
                            @for one in &told.moves { tr {
                                th scope="row" { (shown(one)) }
                                td { (format!("{:.1}", 100.0 * one.probability)) }
                                td { (one.rank) " of " (one.alternatives) }
                                td { (format!("{:.2}", one.bits)) }
                                td { span.bar style=(format!("width:{:.0}px", 80.0 * one.bits / most)) {} }
                                @for number in &one.contributions { td { (signed(*number)) } }
                                td { @for (index, other) in one.preferred.iter().enumerate() { @if index > 0 { ", " } (other.san) } }
                            } }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}
