//! A chess board as inline SVG, for pages: the classes are those of the report's sheet.

use maud::{Markup, PreEscaped, html};
use shakmaty::{Board, Chess, Color, Move, Piece, Position as _, Role, Square};

/// Pixels of a square.
const SIZE: u16 = 45;

/// The shapes of the board and of the pieces, once a page.
pub fn shapes() -> Markup {
    let dark: Vec<String> = (0..64u16)
        .filter(|idx| (idx % 8 + idx / 8) % 2 == 1)
        .map(|idx| format!("M{} {}h45v45h-45z", idx % 8 * SIZE, idx / 8 * SIZE))
        .collect();
    html! {
        svg.defs width="0" height="0" aria-hidden="true" focusable="false" {
            defs {
                symbol id="board" viewBox="0 0 360 360" {
                    rect.sq width="360" height="360" {}
                    path.sq2 d=(dark.concat()) {}
                }
                (PreEscaped(PIECES))
            }
        }
    }
}

/// The pieces, each of its own outline.
const PIECES: &str = r#"<symbol id="K" viewBox="0 0 45 45"><path d="M21 4h3v4h4v3h-4v4c8-3 15 1 13 9-1 4-4 6-5 9v6H13v-6c-1-3-4-5-5-9-2-8 5-12 13-9v-4h-4V8h4z"/></symbol><symbol id="Q" viewBox="0 0 45 45"><path d="M12 39v-5c-1-4-3-9-5-20l6 8 2-12 6 11 1.500-13 1.500 13 6-11 2 12 6-8c-2 11-4 16-5 20v5z"/></symbol><symbol id="R" viewBox="0 0 45 45"><path d="M9 40h27v-5h-3l-2-15h3v-11h-6v4h-3v-4h-5v4h-3v-4h-6v11h3l-2 15H9z"/></symbol><symbol id="B" viewBox="0 0 45 45"><path d="M11 40v-4h7c-5-3-7-8-6-13 1-6 6-8 9-13-1-1-1-4 1.500-4s2.500 3 1.500 4c3 5 8 7 9 13 1 5-1 10-6 13h7v4z"/></symbol><symbol id="N" viewBox="0 0 45 45"><path d="M12 40c0-9 6-11 8-17-4 2-6 5-10 5l-3-4 7-10 1-7 5 4c9 0 17 7 17 29z"/></symbol><symbol id="P" viewBox="0 0 45 45"><path d="M13 40c0-7 4-8 6-13-4-2-4-5-1-7-2-7 1-11 4.500-11s6.500 4 4.500 11c3 2 3 5-1 7 2 5 6 6 6 13z"/></symbol>"#;

/// A man on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man {
    /// Where it stands.
    pub square: Square,
    /// Its color.
    pub color: Color,
    /// What it is.
    pub role: Role,
}

/// The men on a board.
pub fn men_on(board: &Board) -> Vec<Man> {
    let all = board.clone().into_iter();
    let man = |(square, piece): (Square, Piece)| Man {
        square,
        color: piece.color,
        role: piece.role,
    };
    all.map(man).collect()
}

/// A position, with the move that led to it.
pub fn board(position: &Chess, last: Option<Move>) -> Markup {
    let last = last.and_then(|m| Some((m.from()?, m.to())));
    diagram(&men_on(position.board()), last)
}

/// The left upper corner of a square.
fn corner(square: Square) -> (u16, u16) {
    let (file, rank) = (
        u16::from(square.file() as u8),
        u16::from(square.rank() as u8),
    );
    (file * SIZE, (7 - rank) * SIZE)
}

/// Men on a board; a move is an arrow on tinted squares.
pub fn diagram(men: &[Man], last: Option<(Square, Square)>) -> Markup {
    let side = |color: Color, name: &str| {
        let own = men.iter().filter(|man| man.color == color);
        let own: Vec<String> = own
            .map(|man| format!("{} {}", name_of(man.role), man.square))
            .collect();
        (!own.is_empty()).then(|| format!("{name}: {}", own.join(", ")))
    };
    let label: Vec<String> = [side(Color::White, "White"), side(Color::Black, "Black")]
        .into_iter()
        .flatten()
        .collect();
    html! {
        svg viewBox="0 0 360 360" role="img" aria-label={ (label.join("; ")) "." } {
            use href="#board" width="360" height="360" {}
            @if let Some((from, to)) = last {
                @for square in [from, to] {
                    @let (x, y) = corner(square);
                    rect.hit x=(x) y=(y) width="45" height="45" {}
                }
            }
            @for man in men {
                @let (x, y) = corner(man.square);
                use href={ "#" (man.role.upper_char()) } class=(if man.color == Color::White { "wp" } else { "bp" }) x=(x) y=(y) width="45" height="45" {}
            }
            @if let Some((from, to)) = last { (arrow(from, to)) }
        }
    }
}

fn name_of(role: Role) -> &'static str {
    match role {
        Role::King => "king",
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn => "pawn",
    }
}

/// An arrow from the edge of a square to the man that has moved.
fn arrow(from: Square, to: Square) -> Markup {
    let middle = |square: Square| {
        let (x, y) = corner(square);
        (f64::from(x) + 22.5, f64::from(y) + 22.5)
    };
    let ((x1, y1), (x2, y2)) = (middle(from), middle(to));
    let length = (x2 - x1).hypot(y2 - y1).max(1.0);
    let (ux, uy) = ((x2 - x1) / length, (y2 - y1) / length);
    let (tip_x, tip_y) = (x2 - 10.0 * ux, y2 - 10.0 * uy);
    let (base_x, base_y) = (tip_x - 14.0 * ux, tip_y - 14.0 * uy);
    html! {
        path.arrow d={ "M" (round(x1)) " " (round(y1)) "L" (round(base_x)) " " (round(base_y)) } {}
        path.arrowh d={ "M" (round(tip_x)) " " (round(tip_y)) "L" (round(base_x - 9.0 * uy)) " " (round(base_y + 9.0 * ux)) "L" (round(base_x + 9.0 * uy)) " " (round(base_y - 9.0 * ux)) "z" } {}
    }
}

fn round(value: f64) -> String {
    format!("{value:.0}")
}
