//! How a selected game is written: its moves and result as they are, its tags tidied.

use kibitz_board::{Color, Date, Game};

/// The game with the seven tags of the roster and the opening code only. The player is written as
/// `player`, and the year is `year`: the archive has both in many ways. Federation codes after
/// names go, and a round that is written after the site comes to its own tag.
pub(super) fn normal_form(game: &Game, color: Color, player: &str, year: u16) -> Game {
    let old = game.tags();
    let (site, round) = split_round(&old.site);
    let mut tags = old.roster();
    tags.eco.clone_from(&old.eco);
    // The few umlauts of the archive are bytes of code page 437: 0x81, read as U+0081, is ü.
    tags.site = site.replace('\u{81}', "ü");
    if tags.round.is_empty() {
        round.clone_into(&mut tags.round);
    }
    if tags.date.year != Some(year) {
        tags.date = Date {
            year: Some(year),
            ..Date::default()
        };
    }
    without_federation(&old.white).clone_into(&mut tags.white);
    without_federation(&old.black).clone_into(&mut tags.black);
    match color {
        Color::White => player.clone_into(&mut tags.white),
        Color::Black => player.clone_into(&mut tags.black),
    }
    let mut game = game.clone();
    *game.tags_mut() = tags;
    game
}

/// A site without the round that follows it, and the round, as in `New York Rd: 9` or `Baku (09)`.
fn split_round(site: &str) -> (&str, &str) {
    let is_round =
        |text: &str| matches!(text.len(), 1 | 2) && text.bytes().all(|byte| byte.is_ascii_digit());
    let in_parentheses = || {
        site.strip_suffix(')')
            .and_then(|site| site.rsplit_once(" ("))
    };
    match site.rsplit_once(" Rd: ").or_else(in_parentheses) {
        Some((site, round)) if is_round(round) => (site, round.trim_start_matches('0')),
        _ => (site, ""),
    }
}

/// A name without a code like `(RUS)` at its end.
pub(super) fn without_federation(name: &str) -> &str {
    let stripped = name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once('('));
    match stripped {
        Some((name, code))
            if code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()) =>
        {
            name.trim_end()
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_surely_no_part_of_a_name_or_site_goes() {
        assert_eq!(
            without_federation("Taimanov Mark E (RUS)"),
            "Taimanov Mark E"
        );
        assert_eq!(without_federation("Byrne (Jr)"), "Byrne (Jr)");
        assert_eq!(split_round("New York ch-US Rd: 9"), ("New York ch-US", "9"));
        assert_eq!(split_round("Belgrade m (09)"), ("Belgrade m", "9"));
        assert_eq!(split_round("Baku (Azerbaijan)"), ("Baku (Azerbaijan)", ""));
        assert_eq!(
            split_round("Belgrad ct (18.10.59)"),
            ("Belgrad ct (18.10.59)", "")
        );
    }
}
