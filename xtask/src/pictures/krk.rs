//! King and rook against king by the strategies of the thesis, as strips of boards.

use kibitz_board::{Chess, Color, Move, Position as _, diagram, fen::Fen, san::SanPlus};
use kibitz_desk::grouped;
use kibitz_lab::record::RecordedTable;
use kibitz_patterns::strategy::{self, RuleStrategy};
use kibitz_report::Picture;
use kibitz_search::verification::{Scope, TieBreak, Verification};
use maud::{Markup, PreEscaped, html};

/// Where the published rules repeat themselves: one of the positions that they do not win, from the
/// program that verifies them.
const LOOP: &str = "8/8/8/3k4/8/8/4R3/3K4 w - - 0 1";
/// How Black repeats the position.
const REPLIES: [&str; 2] = ["Ke5", "Kd5"];

/// A position in which the published rules repeat themselves, move by move.
fn loop_frames() -> Result<Vec<Frame>, String> {
    let rules = rules("krk-1")?;
    let start = position(LOOP)?;
    let mut now = start.clone();
    let mut frames = vec![(
        now.clone(),
        None,
        "The start".to_owned(),
        "White to move.".to_owned(),
    )];
    for (number, reply) in (1..).zip(REPLIES) {
        let choice = rules.choice(&now).map_err(|fault| fault.to_string())?;
        let choice = choice.ok_or("no rule applies in the loop")?;
        let first = *choice.moves.first().ok_or("a rule without a move")?;
        let n_others = choice.moves.len() - 1;
        let said = match n_others {
            0 => format!("Rule {} allows this move alone.", choice.rule + 1),
            1 => format!("Rule {} allows this move and one more.", choice.rule + 1),
            _ => format!(
                "Rule {} allows this move and {n_others} more.",
                choice.rule + 1
            ),
        };
        let name = SanPlus::from_move(now.clone(), first).to_string();
        now = played(&now, first)?;
        frames.push((now.clone(), Some(first), format!("{number}. {name}"), said));
        let answer = san(&now, reply)?;
        now = played(&now, answer)?;
        let said = if number == REPLIES.len() {
            "The first position again: Black can repeat this forever."
        } else {
            "Black's king steps aside."
        };
        frames.push((
            now.clone(),
            Some(answer),
            format!("{number}. … {reply}"),
            said.to_owned(),
        ));
    }
    if now.board() != start.board() {
        return Err("the line of the loop does not come back to its start".to_owned());
    }
    Ok(frames)
}

/// The loop on the page of its table.
pub(super) fn going_round(table: &RecordedTable) -> Result<Picture, String> {
    Ok(Picture {
        title: "The loop".to_owned(),
        body: strip(&loop_frames()?),
        caption: html! {
            b { "The published rules do not win this position. " }
            "From " (figure(table, "printed, best move", "loop")) " positions Black can repeat moves forever, whichever of the allowed moves White makes. With one more condition in one rule White wins all "
            (figure(table, "repaired, best move", "won")) ". The rules are in " code { "crates/patterns/strategies/krk-1.rules" } "."
        },
    })
}

fn position(fen: &str) -> Result<Chess, String> {
    let fen: Fen = fen.parse().map_err(|_| format!("`{fen}` is not a FEN"))?;
    let mode = kibitz_board::CastlingMode::Standard;
    fen.into_position(mode).map_err(|error| error.to_string())
}

fn san(position: &Chess, text: &str) -> Result<Move, String> {
    let san: SanPlus = text
        .parse()
        .map_err(|_| format!("`{text}` is not a move"))?;
    san.san.to_move(position).map_err(|error| error.to_string())
}

fn played(position: &Chess, m: Move) -> Result<Chess, String> {
    position.clone().play(m).map_err(|error| error.to_string())
}

/// The row of the strategy whose longest win is drawn, and how it chooses among the moves allowed.
const LONGEST: (&str, &str) = (
    "repaired, central king, kings apart, supported rook",
    "less center_distance, more king_distance, less support",
);

/// A longest win of the rules that win everywhere, a board after each move of White.
pub(super) fn longest_win(table: &RecordedTable) -> Result<Picture, String> {
    let (row, preference) = LONGEST;
    let rules = rules("krk-2-repaired")?.preferring(preference);
    let rules = rules.map_err(|problems| problems.to_string())?;
    let verified = Verification::new(&rules.endgame, Scope::All, &rules, &mut |_, _| {});
    let verified = verified.map_err(|fault| fault.to_string())?;
    let place = rules.preferences.len() - 1;
    let outcomes = verified.outcomes(TieBreak::Preferred(place));
    let line = outcomes.longest_win().ok_or("the rules never win")?;

    let mut now = line.start.clone();
    let mut frames = vec![(now.clone(), None, "White to move".to_owned(), String::new())];
    for m in &line.moves {
        let name = SanPlus::from_move(now.clone(), *m).to_string();
        if now.turn() == Color::White {
            let choice = rules.choice(&now).map_err(|fault| fault.to_string())?;
            let rule = choice.ok_or("no rule applies in the win")?.rule;
            now = played(&now, *m)?;
            let title = format!("{}. {name}", frames.len());
            frames.push((now.clone(), Some(*m), title, rules.rules[rule].name.clone()));
        } else {
            now = played(&now, *m)?;
            if let Some((_, _, _, said)) = frames.last_mut() {
                *said += ", then ";
                *said += &name;
            }
        }
    }
    let n_moves = frames.len() - 1;
    if let Some(cell) = table.cell(row, "longest")
        && cell.ours_shown != n_moves.to_string()
    {
        return Err(format!(
            "a win of {n_moves} moves, and the table has {}",
            cell.ours_shown
        ));
    }
    Ok(Picture {
        title: "The longest win".to_owned(),
        body: strip(&frames),
        caption: html! {
            b { "The longest resistance of Black. " }
            "The repaired rules win from each of " (figure(table, row, "won")) " positions; this is a win of " (n_moves)
            " moves, with the rule that makes each of White's. The rules are in " code { "crates/patterns/strategies/krk-2-repaired.rules" } "."
        },
    })
}

/// Pixels of the picture of the loop: a board, the gap beside it, the margin around all.
const BOARD: usize = 180;
const BESIDE: usize = 16;
const AROUND: usize = 18;
/// Characters of a line below a board.
const LINE: usize = 27;
/// The colors are fixed, on a white sheet: the page around it may be dark.
const STYLE: &str = "text{font:13px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#3b3934}\
.title{font-weight:700;font-size:15px;fill:#1c1b19}.sq{fill:#efeae0}.sq2{fill:#cfc4b0}.hit{fill:#e6b94d}\
.wp{fill:#fff;stroke:#222;stroke-width:2}.bp{fill:#1d1d1d;stroke:#d9d5cb;stroke-width:1.2}\
.arrow{fill:none;stroke:#a3123c;stroke-width:5;opacity:.85}.arrowh{fill:#a3123c}";

/// The loop as a file of its own, for documents.
pub(super) fn loop_svg() -> Result<String, String> {
    let frames = loop_frames()?;
    let lines = frames.iter().map(|(.., said)| wrapped(said).len());
    let n_lines = lines.max().unwrap_or(0);
    let width = 2 * AROUND + frames.len() * (BOARD + BESIDE) - BESIDE;
    let height = AROUND + BOARD + 26 + 17 * n_lines + 12;
    let board = |position: &Chess, last: Option<Move>, x: usize| {
        let drawn = diagram::board(position, last).into_string();
        let placed = format!("<svg x=\"{x}\" y=\"{AROUND}\" width=\"{BOARD}\" height=\"{BOARD}\" ");
        PreEscaped(drawn.replacen("<svg ", &placed, 1))
    };
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img"
            aria-label="Five boards: by the published rules, White's rook and Black's king repeat the first position after four moves." {
            style { (PreEscaped(STYLE)) }
            rect width=(width) height=(height) rx="8" fill="#fff" stroke="#d8d5cc" {}
            (diagram::shapes())
            @for (idx, (position, last, title, said)) in frames.iter().enumerate() {
                @let x = AROUND + idx * (BOARD + BESIDE);
                (board(position, *last, x))
                text.title x=(x) y=(AROUND + BOARD + 22) { (title) }
                @for (line, words) in wrapped(said).iter().enumerate() {
                    text x=(x) y=(AROUND + BOARD + 41 + 17 * line) { (words) }
                }
            }
        }
    };
    Ok(picture.into_string() + "\n")
}

/// Words in lines below a board.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A position, the move that led to it, a title, and a sentence about it.
type Frame = (Chess, Option<Move>, String, String);

fn strip(frames: &[Frame]) -> Markup {
    html! {
        (diagram::shapes())
        ol.strip {
            @for (position, last, title, said) in frames {
                li { (diagram::board(position, *last)) b { (title) } (said) }
            }
        }
    }
}

fn rules(name: &str) -> Result<RuleStrategy, String> {
    let text = strategy::bundled(name).ok_or_else(|| format!("no strategy {name}"))?;
    RuleStrategy::read(name, text).map_err(|problems| problems.to_string())
}

fn figure(table: &RecordedTable, row: &str, column: &str) -> String {
    let cell = table.cell(row, column);
    cell.map_or_else(String::new, |cell| grouped(&cell.ours_shown))
}
