//! The men of the first example of a concept, for a board.

use std::sync::LazyLock;

use kibitz_board::{
    Color, Role, Square,
    diagram::{Man, men_on},
};
use regex::Regex;

static MAN: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::unwrap_used, reason = "a constant pattern, covered by tests")]
    Regex::new(r"contents\((white|black), (\w+), square\((\d),(\d)\)\)").unwrap()
});

/// The men of the first example in a declaration: `contents(white, knight, square(1,5))`, or a FEN.
pub(super) fn men_in(declaration: &str) -> Vec<Man> {
    let examples = declaration
        .split_once("\nexamples")
        .map_or("", |(_, rest)| rest);
    let first = examples.split('"').nth(1).unwrap_or_default();
    let men: Vec<Man> = MAN
        .captures_iter(first)
        .filter_map(|found| {
            let color = if &found[1] == "white" {
                Color::White
            } else {
                Color::Black
            };
            let role = match &found[2] {
                "king" => Role::King,
                "queen" => Role::Queen,
                "rook" => Role::Rook,
                "bishop" => Role::Bishop,
                "knight" => Role::Knight,
                _ => Role::Pawn,
            };
            let [file, rank] = [3, 4].map(|group| found[group].parse::<u32>().unwrap_or(0));
            let square = (1..=8).contains(&file) && (1..=8).contains(&rank);
            let square = square.then(|| Square::new((rank - 1) * 8 + file - 1));
            Some(Man {
                square: square?,
                color,
                role,
            })
        })
        .collect();
    if men.is_empty()
        && let Ok(fen) = first.parse::<kibitz_board::fen::Fen>()
    {
        return men_on(&fen.into_setup().board);
    }
    men
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_read_as_men() {
        let men = men_in(
            "\nexamples = [\n\"contents(white, rook, square(1,8)). contents(black, king, square(3,3)).\"]",
        );
        assert_eq!(men.len(), 2);
        assert_eq!(men[0].square.to_string(), "a8");
        assert!(men_in("\nexamples = []").is_empty());
    }
}
